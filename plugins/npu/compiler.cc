// Compiles control flow, and modules, whose instructions are lowered by lowering.h. Loops and branches are compiled
// inline: each computation is called once (flatten-call-graph), and the memory planner has put the values that
// computations share into the same memory.
#include "plugins/npu/compiler.h"

#include <algorithm>
#include <string>

#include "backplane/ext/draft/layout.h"
#include "plugin_api/cpp/module_view.h"
#include "plugins/npu/cycles.h"
#include "plugins/npu/lowering.h"

namespace bp::npu {
namespace {

using plugin::Computation;
using plugin::Error;
using plugin::ModuleView;
using plugin::Result;
using plugin::Status;
using plugin::Value;

bool is_never_asked(std::uint16_t op) {
  return op == BP_OP_PARAMETER || op == BP_OP_CONSTANT || op == BP_OP_BITCAST;
}
bool is_control_flow(std::uint16_t op) {
  return op == BP_OP_WHILE || op == BP_OP_CONDITIONAL || op == BP_OP_CALL;
}

class Compiler {
 public:
  Compiler(const bp_module_t *module, const plugin::Progress &progress, const plugin::Constants &constants)
      : view_(module), progress_(progress), lowering_(program_, true, true, &constants) {}

  Result<Program> run() {
    program_.allocation_count = static_cast<std::uint32_t>(view_.allocations().size());
    BP_TRY(check_scratchpad());
    BP_TRY(computation(view_.entry()));
    for (Tensor &tensor : program_.tensors) {
      tensor.space = view_.allocations()[tensor.allocation].space;
    }
    return std::move(program_);
  }

 private:
  Status check_scratchpad() const {
    std::uint64_t planned = 0;
    for (const bp_allocation_t &allocation : view_.allocations()) {
      planned += allocation.space == 1 ? allocation.size : 0;
    }
    if (planned > scratchpad_bytes - scratch_limit) {
      return Error(BP_INVALID, std::to_string(planned) + " bytes are planned into the scratchpad, expected " +
                                   std::to_string(scratchpad_bytes - scratch_limit) + " at the most");
    }
    return {};
  }

  Status computation(Computation computation) {
    for (const plugin::Instruction i : computation.instructions()) {
      BP_TRY(progress_.report(done_++, view_.image()->instrs.count));
      BP_TRY(instruction(i));
    }
    return {};
  }

  Status instruction(plugin::Instruction i) {
    if (i.is_host_call()) {
      lowering_.emit(Opcode::Call).origin = i.index();
      return {};
    }
    switch (i.op()) {
      case BP_OP_PARAMETER:
      case BP_OP_CONSTANT:
      case BP_OP_BITCAST:
      case BP_OP_AFTER_ALL: return {};
      case BP_OP_CALL: return computation(i.called());
      case BP_OP_WHILE: return loop(i);
      case BP_OP_CONDITIONAL: return branches(i);
      default: {
        const std::string reason = lowering_.lower(i);
        return reason.empty() ? Status() : Error(BP_INVALID, "this was not claimed: " + reason, i.index());
      }
    }
  }

  std::uint32_t here() const { return static_cast<std::uint32_t>(program_.instructions.size()); }

  // Emits a branch that is taken unless the scalar is `expected`, and returns its index. The caller sets its target
  // later.
  std::uint32_t branch_unless(plugin::Instruction i, Value value, std::uint32_t expected) {
    lowering_.load_scalar(value, i.index());
    Instruction &branch = lowering_.emit(Opcode::Branch);
    branch.type = static_cast<std::uint8_t>(value.shape().dtype());
    branch.option = expected;
    return here() - 1;
  }
  void jump(plugin::Instruction i, std::uint32_t target) {
    Instruction &jump = lowering_.emit(Opcode::Jump);
    jump.origin = i.index();
    jump.columns = target;
  }

  // Code of a loop:  start: condition; branch to end unless true; body; jump to start;  end:
  Status loop(plugin::Instruction i) {
    const std::uint32_t start = here();
    BP_TRY(computation(i.called(0)));
    const std::uint32_t exit = branch_unless(i, i.called(0).root(), 1);
    BP_TRY(computation(i.called(1)));
    jump(i, start);
    program_.instructions[exit].columns = here();
    return {};
  }

  // Code of each branch except for the last:  branch to the next one unless selected; code of the branch; jump to end.
  Status branches(plugin::Instruction i) {
    const Value selector = i.operand(0);
    const bool is_pred = selector.shape().dtype() == BP_DTYPE_PRED;
    std::vector<std::uint32_t> exits;
    for (std::uint32_t k = 0; k < i.call_count(); ++k) {
      const bool is_last = k + 1 == i.call_count();
      const std::uint32_t next = is_last ? none : branch_unless(i, selector, is_pred ? 1 : k);
      BP_TRY(computation(i.called(k)));
      if (!is_last) {
        exits.push_back(here());
        jump(i, none);
        program_.instructions[next].columns = here();
      }
    }
    for (std::uint32_t exit : exits) {
      program_.instructions[exit].columns = here();
    }
    return {};
  }

  ModuleView view_;
  const plugin::Progress &progress_;
  std::uint64_t done_ = 0;  // instructions
  Program program_;
  Lowering lowering_;
};

// Returns the estimated cost of an instruction, from the same lowering that compiles it, or -1 and a reason.
float ask(plugin::Instruction i, bool is_laid_out, std::string &reason) {
  if (is_never_asked(i.op())) {
    return 0;
  }
  if (i.op() == BP_OP_AFTER_ALL) {
    return 0;
  }
  if (i.is_host_call()) {
    return static_cast<float>(64 * nanoseconds_per_cycle);
  }
  if (is_control_flow(i.op())) {
    return static_cast<float>(8 * nanoseconds_per_cycle);
  }
  Program program;
  reason = Lowering(program, false, is_laid_out).lower(i);
  std::uint64_t sum = 0;
  for (const Instruction &instruction : program.instructions) {
    sum += reason.empty() ? cycles(program, instruction) : 0;
  }
  return reason.empty() ? static_cast<float>(static_cast<double>(sum) * nanoseconds_per_cycle) : -1.0f;
}

}  // namespace

void claim(const bp_module_t *module, plugin::Claims &claims) {
  for (const Computation computation : ModuleView(module).computations()) {
    for (const plugin::Instruction i : computation.instructions()) {
      std::string reason;
      const float cost = computation.is_embedded() ? 0 : ask(i, module->stage > BP_STAGE_LEGALIZE, reason);
      reason.empty() ? claims.take(i.index(), cost) : claims.refuse(i.index(), reason);
    }
  }
}

std::string preferences(const bp_module_t *module) {
  std::string bytes;
  for (const Computation computation : ModuleView(module).computations()) {
    for (const plugin::Instruction i : computation.instructions()) {
      DotLayouts layouts;
      if (computation.is_embedded() || i.op() != BP_OP_DOT || !find_dot_layouts(i, layouts).empty()) {
        continue;
      }
      for (std::uint32_t slot = 0; slot < 3; ++slot) {
        const std::vector<std::int64_t> &words = layouts.words[slot];
        constexpr float required = -1;
        const bp_layout_preference_t preference = {i.index(), slot < 2 ? slot : BP_SLOT_RESULT, required,
                                                   static_cast<std::uint32_t>(words.size())};
        plugin::append_preference(bytes, preference, words);
      }
    }
  }
  return bytes;
}

Result<Program> compile(const bp_module_t *module, const plugin::Progress &progress,
                        const plugin::Constants &constants) {
  return Compiler(module, progress, constants).run();
}

}  // namespace bp::npu
