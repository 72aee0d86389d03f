// Faults of the functions that several tables of mutants replace. Each gets a body that runs in place of the plugin's
// function, and calls it by `next`, which takes only the arguments that these bodies change.
#pragma once

#include <cstdint>
#include <span>

#include "conformance/mutants/fault.h"
#include "plugin_api/cpp/module_view.h"

namespace bp::conformance {

// The body, and next(), return whether there is a kernel.
template <class Body>
Fault at_find(Body body) {
  return {.kernels_find = [body](const auto &next, auto &, const bp_module_t *module, std::uint32_t instr,
                                 const bp_diag_t *) {
    const auto has_kernel = [&] { return next() != nullptr; };
    return body(has_kernel, plugin::ModuleView(module), instr) ? layers::Interposer::kernel() : nullptr;
  }};
}

template <class Body>
Fault at_kernel(Body body) {
  return {.kernels_kernel = [body](const auto &next, auto &, const bp_call_t *call, const bp_diag_t *diag) {
    return body([&](const bp_call_t *given) { return next(given, diag); }, call, diag);
  }};
}

template <class Body>
Fault at_run(Body body) {
  return {.program_run = [body](const auto &next, auto &, const bp_run_t *run, const bp_diag_t *diag) {
    return body([&](const bp_run_t *given) { return next(given, diag); }, run);
  }};
}

template <class Body>
Fault at_submit(Body body) {
  return {.queue_submit = [body](const auto &next, layers::LayeredDevice &device, std::uint32_t queue,
                                 const bp_command_t *commands, std::uint32_t command_count, bp_point_t done,
                                 const bp_diag_t *diag) {
    const auto submit = [&](std::span<const bp_command_t> given) {
      return next(queue, given.data(), static_cast<std::uint32_t>(given.size()), done, diag);
    };
    return body(submit, std::span(commands, command_count), device.host.below, done);
  }};
}

template <class Body>
Fault at_signal(Body body) {
  return {.host_signal = [body](const auto &next, auto &, bp_point_t point, bp_status status, std::uint32_t instr,
                                const char *msg) {
    body([&](bp_point_t to, bp_status with) { next(to, with, instr, msg); }, point, status);
  }};
}

}  // namespace bp::conformance
