// Types of the functions by which a fault calls the function that it replaces. They take the arguments that a fault may
// change; the others are passed on unchanged.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "conformance/mutants/mutant.h"

namespace bp::conformance {

using NextCall = std::function<bp_status(const bp_call_t *call)>;
using NextClaim = std::function<bp_status()>;
using NextCompile = std::function<bp_status(const bp_ostream_t *artifact)>;
using NextLoad = std::function<bp_status(std::string_view artifact)>;
using NextRun = std::function<bp_status(const bp_run_t *run)>;
using NextAlloc = std::function<bp_status(std::uint64_t size, bp_memory_t *out)>;
using NextCopy = std::function<bp_status(bp_loc_t to, bp_loc_t from, std::uint64_t size)>;
using NextSubmit = std::function<bp_status(std::span<const bp_command_t> commands)>;
using NextSignal = std::function<void(bp_point_t point, bp_status status)>;
using NextFactory = std::function<const void *(const char *id)>;
using NextDescription = std::function<const bp_device_desc_t *(std::uint32_t index)>;
using NextProbe = std::function<bp_status(std::uint32_t *instances)>;
using NextCreate = std::function<const bp_device_t *(std::span<const bp_option_t> options)>;
using NextFind = std::function<bool()>;
using NextAsk = std::function<const void *()>;
using NextStatus = std::function<bp_status()>;
using NextVoid = std::function<void()>;

// Returns a fault that replaces a program's run (at_run) or a queue's submit (at_submit).
template <class Body>
Fault at_run(Body body) {
  Fault fault;
  fault.program_run = [body](const NextRun &next, layers::LayeredProgram &, const bp_run_t *run) {
    return body(next, run);
  };
  return fault;
}
template <class Body>
Fault at_submit(Body body) {
  Fault fault;
  fault.queue_submit = body;
  return fault;
}

}  // namespace bp::conformance
