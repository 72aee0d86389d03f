#include "core/compile/claims.h"

#include <cmath>
#include <limits>

#include "core/host/diagnostics.h"
#include "core/host/opset.h"
#include "core/ir/device_count.h"
#include "core/runtime/kernel_program.h"

namespace bp::compile {
namespace {

// The device's own answers: for each instruction of the image a cost, or a negative number if it does not run it.
struct Answers {
  std::vector<float> cost;
  std::vector<std::string> reasons;
};

void add_reasons(const host::Diagnostics &diagnostics, std::vector<std::string> &reasons) {
  for (const host::Report &report : diagnostics.reports()) {
    if (report.instruction < reasons.size()) {
      std::string &reason = reasons[report.instruction];
      reason += (reason.empty() ? "" : "; ") + host::printable(report.message);
    }
  }
}

Result<Answers> ask_compiler(const host::Device &device, const ir::Module &module, const host::Image &image) {
  auto count = image.view().instruction_count();
  Answers answers{std::vector(count, std::numeric_limits<float>::quiet_NaN()), std::vector<std::string>(count)};
  host::Diagnostics diagnostics;
  bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
    return device.compiler()->claim(device.abi(), image.module(), answers.cost.data(), diag);
  });
  BP_TRY(diagnostics.result(status, device.id(), "claim", image, module));
  add_reasons(diagnostics, answers.reasons);
  return answers;
}

Result<Answers> ask_for_kernels(const host::Device &device, const ir::Module &module, const host::Image &image) {
  auto count = image.view().instruction_count();
  Answers answers{std::vector(count, -1.0f), std::vector<std::string>(count)};
  for (plugin::Instruction instruction : image.view().entry().instructions()) {
    if (!is_claimable(static_cast<ir::Opcode>(instruction.op()))) {
      continue;
    }
    host::Diagnostics diagnostics;
    bp_status status = diagnostics.call([&](const bp_diag_t *diag) -> bp_status {
      bool found = device.kernels()->find(device.abi(), image.module(), instruction.index(), diag) != nullptr;
      answers.cost[instruction.index()] = found ? 0.0f : -1.0f;
      return runtime::status_of_find(diagnostics);
    });
    BP_TRY(diagnostics.result(status, device.id(), "find", image, module));
    add_reasons(diagnostics, answers.reasons);
  }
  return answers;
}

}  // namespace

bool is_claimable(ir::Opcode opcode) {
  switch (opcode) {
    case ir::Opcode::Parameter:
    case ir::Opcode::Constant:
    case ir::Opcode::Bitcast:
    case ir::Opcode::Tuple:
    case ir::Opcode::GetTupleElement: return false;
    default: return true;
  }
}

Result<Claims> ask(const host::Device &device, const ir::Module &module, const host::Image &image) {
  bool compiles = device.compiler() != nullptr;
  Answers answers;
  if (compiles) {
    BP_ASSIGN(answers, ask_compiler(device, module, image));
  } else if (device.kernels() != nullptr) {
    BP_ASSIGN(answers, ask_for_kernels(device, module, image));
  } else {
    return unsupported("backend {} has neither {} nor {}: it cannot run anything", device.id(), BP_EXT_COMPILER,
                       BP_EXT_KERNELS);
  }

  Claims claims;
  claims.claimed.resize(module.instruction_id_limit());
  claims.refused.resize(module.instruction_id_limit());
  claims.reasons.resize(module.instruction_id_limit());
  claims.cost.resize(module.instruction_id_limit());
  // A plugin knows of no other devices: its collectives have one member.
  const bool is_for_several = ir::device_count(module) > 1;
  // By computation of the image: the first instruction that the device does not claim; callees come first.
  std::vector<std::uint32_t> first_left(image.view().computation_count(), BP_NONE);
  for (plugin::Computation computation : image.view().computations()) {
    if (computation.is_embedded()) {
      continue;
    }
    for (plugin::Instruction instruction : computation.instructions()) {
      auto i = instruction.index();
      auto source = index(image.sources()[i]);
      if (!is_claimable(static_cast<ir::Opcode>(instruction.op()))) {
        continue;
      }
      if (std::isnan(answers.cost[i])) {
        return make_error(ErrorCode::PluginFailure, "backend {}: claim gave no cost for {}", device.id(),
                          instruction.name())
            .at(module.instruction(image.sources()[i]).location());
      }
      const bool is_newer = host::is_newer(module.instruction(image.sources()[i]), device.opset());
      const bool needs_others = is_for_several && ir::distinguishes_devices(module.instruction(image.sources()[i]));
      bool claimed = answers.cost[i] >= 0 && !is_newer && !needs_others;
      std::string reason = is_newer       ? fmt::format("it is newer than opset {}, the newest that the backend knows",
                                                        device.description().opset)
                           : needs_others ? std::string(connected_by_host)
                                          : answers.reasons[i];
      for (plugin::Computation callee : instruction.calls()) {
        std::uint32_t left = compiles ? first_left[callee.index()] : BP_NONE;
        if (claimed && left != BP_NONE) {
          claimed = false;
          const ir::Instruction cause = module.instruction(image.sources()[left]);
          reason = fmt::format(
              "it calls {}, in which {}{} is not claimed: {}", callee.name(), image.view().instruction(left).name(),
              cause.source_line() == 0 ? "" : fmt::format(" ({}:{})", cause.source_line(), cause.source_column()),
              answers.reasons[left]);
        }
      }
      if (claimed) {
        claims.claimed[source] = true;
        claims.cost[source] = answers.cost[i];
        claims.nanoseconds += static_cast<double>(answers.cost[i]);
        continue;
      }
      claims.refused[source] = true;
      claims.reasons[source] = reason;
      answers.reasons[i] = std::move(reason);
      std::uint32_t &first = first_left[computation.index()];
      first = std::min(first, i);
    }
  }
  return claims;
}

std::optional<ir::Instruction> first_unclaimed(const ir::Module &module, const Claims &claims) {
  for (ir::Instruction i : module.entry().instructions()) {
    if (is_claimable(i.opcode()) && !claims.claimed[index(i.id())]) {
      return i;
    }
  }
  return std::nullopt;
}

std::int64_t count_refused(const Claims &claims) {
  return std::ranges::count(claims.refused, true);
}

}  // namespace bp::compile
