#include "core/runtime/kernel_program.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/host/diagnostics.h"
#include "plugin_api/cpp/module_view.h"
#include "plugin_api/cpp/run_services.h"

namespace bp::runtime {
namespace {

struct KernelStep {
  bp_kernel kernel;  // nullptr: a bitcast that moves data
  std::uint32_t instruction;
};

// Implements the ABI's program like a program of a plugin.
struct KernelProgram {
  bp_program_t abi;
  std::shared_ptr<const host::Device> device;
  plugin::ModuleView image;
  std::vector<KernelStep> steps;
  std::uint32_t max_values = 0;  // maximum number of operands and results of one instruction

  static bp_status run(const bp_program_t *program, const bp_run_t *run, const bp_diag_t *diag) noexcept {
    const auto &self = *static_cast<const KernelProgram *>(program->program_data);
    // The scratch memory holds the addresses for the current kernel.
    const plugin::EarlyEnd end(*run);
    auto *addresses = reinterpret_cast<void **>(run->scratch.offset);
    for (const KernelStep &step : self.steps) {
      plugin::Instruction instruction = self.image.instruction(step.instruction);
      void **next = addresses;
      for (plugin::Value operand : instruction.operands()) {
        *next++ = address(*run, operand);
      }
      void **results = next;
      for (plugin::Value result : instruction.results()) {
        *next++ = address(*run, result);
      }
      if (step.kernel == nullptr) {
        std::memmove(results[0], addresses[0], instruction.result().size());
        continue;
      }
      if (end.is_over()) {
        diag->report(diag, BP_CANCELLED, step.instruction, "ended before this instruction");
        return BP_CANCELLED;
      }
      bp_call_t call{self.image.image(), step.instruction, 0, addresses, results};
      bp_status status = step.kernel(self.device->abi(), &call, diag);
      if (status != BP_OK) {
        return status;
      }
    }
    return BP_OK;
  }

  static void *address(const bp_run_t &run, plugin::Value value) {
    return value.has_slice() ? reinterpret_cast<void *>(run.allocations[value.allocation()].offset + value.offset())
                             : nullptr;
  }

  static void destroy(const bp_program_t *program) noexcept {
    delete static_cast<KernelProgram *>(program->program_data);
  }
};

// Whether the instruction does nothing in this plan: result and operand have the same slices.
bool is_in_place(plugin::Instruction instruction) {
  constexpr std::uint16_t forwarding[] = {BP_OP_BITCAST, BP_OP_OPTIMIZATION_BARRIER, BP_OP_DOMAIN};
  if (std::ranges::find(forwarding, instruction.op()) == std::end(forwarding)) {
    return false;
  }
  for (std::uint32_t i = 0; i < instruction.result_count(); ++i) {
    plugin::Value operand = instruction.operand(i), result = instruction.result(i);
    if (operand.allocation() != result.allocation() || operand.offset() != result.offset()) {
      return false;
    }
  }
  return true;
}

// Returns nullptr, possibly with a report, if there is no kernel.
bp_kernel find_kernel(const host::Device &device, const bp_module_t *image, plugin::Instruction instruction,
                      const bp_diag_t *diag) {
  if (instruction.op() == BP_OP_CUSTOM_CALL) {
    if (bp_kernel routine = find_routine(device, instruction.text(BP_ATTR_CUSTOM_CALL_TARGET)); routine != nullptr) {
      return routine;
    }
  }
  return device.kernels() == nullptr ? nullptr : device.kernels()->find(device.abi(), image, instruction.index(), diag);
}

}  // namespace

bp_status status_of_find(const host::Diagnostics &diagnostics) {
  const bool is_lost = std::ranges::any_of(diagnostics.reports(),
                                           [](const host::Report &report) { return report.status == BP_DEVICE_LOST; });
  return is_lost ? BP_DEVICE_LOST : BP_OK;
}

bp_kernel find_routine(const host::Device &device, std::string_view target) {
  const bp_device_custom_call_t *routines = device.custom_call();
  for (std::uint64_t i = 0; routines != nullptr && i < routines->routine_count; ++i) {
    if (routines->routines[i].target == target) {
      return routines->routines[i].kernel;
    }
  }
  return nullptr;
}

Result<const bp_program_t *> make_kernel_program(std::shared_ptr<const host::Device> device, const bp_module_t *image) {
  auto program = std::make_unique<KernelProgram>(KernelProgram{{}, device, plugin::ModuleView(image), {}, 0});
  for (plugin::Instruction instruction : program->image.entry().instructions()) {
    if (instruction.op() == BP_OP_PARAMETER || instruction.op() == BP_OP_CONSTANT) {
      continue;
    }
    if (is_in_place(instruction)) {
      continue;
    }
    program->max_values = std::max(program->max_values, instruction.operand_count() + instruction.result_count());
    bp_kernel kernel = nullptr;
    if (instruction.op() != BP_OP_BITCAST) {
      host::Diagnostics diagnostics;
      bp_status status = diagnostics.call([&](const bp_diag_t *diag) -> bp_status {
        kernel = find_kernel(*device, image, instruction, diag);
        return status_of_find(diagnostics);
      });
      BP_TRY(diagnostics.result(status, device->id(), "find", image));
      if (kernel == nullptr) {
        return make_error(ErrorCode::PluginFailure,
                          "backend {}: has no kernel for {}, expected the one that it had at the claim", device->id(),
                          instruction.name());
      }
    }
    program->steps.push_back({kernel, instruction.index()});
  }
  program->abi.program_data = program.get();
  program->abi.scratch_size = program->max_values * sizeof(void *);
  program->abi.scratch_alignment = alignof(void *);
  program->abi.run = &KernelProgram::run;
  program->abi.destroy = &KernelProgram::destroy;
  return &program.release()->abi;
}

}  // namespace bp::runtime
