#include "plugins/llvm/small_loop.h"

#include <algorithm>

#include "plugins/llvm/kernel/kernel.h"
#include "plugins/llvm/sharing.h"

namespace bp::emit {
namespace {

constexpr std::size_t max_kernels = 64, max_depth = 4;
constexpr std::int64_t max_elements = 65536;  // that are computed in a trip
constexpr std::uint64_t max_variable_bytes = 1024, max_bytes = 4 * 1024;

// Ops that may read more elements than they compute.
bool is_reduction(std::uint16_t op) {
  switch (op) {
    case BP_OP_REDUCE:
    case BP_OP_REDUCE_WINDOW:
    case BP_OP_DOT:
    case BP_OP_CONVOLUTION:
    case BP_OP_SORT:
    case BP_OP_TOP_K:
    case BP_OP_FFT:
    case BP_OP_SCATTER:
    case BP_OP_SELECT_AND_SCATTER: return true;
    default: return false;
  }
}

// Whether it or what it fuses is such an op.
template <class Predicate>
bool contains(InstructionView instruction, const Predicate &is_such) {
  if (instruction.op() != BP_OP_FUSION) {
    return is_such(instruction.op());
  }
  const ComputationView fused = instruction.called(0);
  for (std::uint32_t n = 0; n < fused.instruction_count(); ++n) {
    if (contains(fused.module().instruction(fused.first_instruction() + n), is_such)) {
      return true;
    }
  }
  return false;
}

// Returns the number of elements that are computed for a result: of an update in place, those of the update.
std::int64_t computed_elements(InstructionView instruction, std::size_t result) {
  const ModuleView &module = instruction.module();
  const Location place = location_of(module, instruction.result(result));
  const bool is_in_place = std::ranges::any_of(instruction.operands(), [&](std::uint32_t operand) {
    const Location source = location_of(module, operand);
    return source.exists() && source.same(place);
  });
  const InstructionView root =
      instruction.op() == BP_OP_FUSION ? module.definition(instruction.called(0).roots()[result]) : instruction;
  return is_in_place && root.op() == BP_OP_DYNAMIC_UPDATE_SLICE ? root.operand_shape(1).elements
                                                                : instruction.shape(result).elements;
}

// Whether a kernel with large operands reads and writes few of their elements.
bool reads_few(InstructionView instruction) {
  constexpr std::int64_t few = 8192;
  std::int64_t elements = 0;
  for (std::size_t i = 0; i < instruction.result_count(); ++i) {
    elements += computed_elements(instruction, i);
  }
  return elements <= few && !contains(instruction, is_reduction);
}

class Finder {
 public:
  explicit Finder(InstructionView loop) : module_(loop.module()), loop_(loop) {}

  std::optional<SmallLoop> find() {
    if (!add_callees(loop_, 0)) {
      return std::nullopt;
    }
    SmallLoop found;
    std::uint64_t bytes = 0;
    for (const LoopVariable &piece : joined(small_)) {
      const bool is_free =
          std::ranges::none_of(large_, [&](const Location &large) { return large.overlaps(piece.location); });
      bytes += piece.location.size;
      if (is_free && piece.location.size <= max_variable_bytes) {
        found.variables.push_back(piece);
      }
    }
    return bytes <= max_bytes ? std::optional(std::move(found)) : std::nullopt;
  }

 private:
  // Adds the computations that an instruction calls, and the copies of values that the calls make.
  bool add_callees(InstructionView instruction, std::size_t depth) {
    const bool is_loop = instruction.op() == BP_OP_WHILE;
    std::size_t first = instruction.op() == BP_OP_CONDITIONAL ? 1 : 0;
    for (std::size_t n = 0; n < instruction.calls().size(); ++n) {
      const ComputationView callee = instruction.called(n);
      if (depth > max_depth || !add(callee, depth)) {
        return false;
      }
      for (std::size_t i = 0; i < callee.parameters().size(); ++i) {
        add_copy(instruction.operand(first + i), callee.parameters()[i]);
        if (is_loop && n == 1) {
          add_copy(callee.parameters()[i], instruction.called(0).parameters()[i]);
          add_copy(callee.roots()[i], callee.parameters()[i]);
          add_copy(callee.parameters()[i], instruction.result(i));
        }
      }
      for (std::size_t i = 0; i < callee.roots().size() && !is_loop; ++i) {
        add_copy(callee.roots()[i], instruction.result(i));
      }
      first += is_loop ? 0 : callee.parameters().size();
    }
    return true;
  }

  bool add(ComputationView computation, std::size_t depth) {
    for (std::uint32_t n = 0; n < computation.instruction_count(); ++n) {
      const InstructionView instruction = module_.instruction(computation.first_instruction() + n);
      const std::uint16_t op = instruction.op();
      if (instruction.is_host_call() || op == BP_OP_RNG_GET_AND_UPDATE_STATE) {
        return false;
      }
      const bool is_given = op == BP_OP_PARAMETER || op == BP_OP_CONSTANT;
      const bool has_kernel = !is_given && !is_control_flow(op) && !is_forwarding(op);
      for (const std::uint32_t operand : instruction.operands()) {
        add_value(operand, false);
      }
      for (std::size_t i = 0; i < instruction.result_count(); ++i) {
        add_value(instruction.result(i), has_kernel);
        if (is_forwarding(op) && i < instruction.operand_count()) {
          add_copy(instruction.operand(i), instruction.result(i));
        }
        elements_ += has_kernel ? computed_elements(instruction, i) : 0;
      }
      kernels_ += has_kernel ? 1 : 0;
      if (kernels_ > max_kernels || elements_ > max_elements ||
          (has_kernel && is_worth_sharing(instruction) && !reads_few(instruction)) ||
          (is_control_flow(op) && !add_callees(instruction, depth + 1))) {
        return false;
      }
    }
    return true;
  }

  void add_copy(std::uint32_t from, std::uint32_t to) {
    const Location source = location_of(module_, from), target = location_of(module_, to);
    add_value(from, false);
    add_value(to, source.exists() && target.exists() && !source.same(target));
  }

  void add_value(std::uint32_t value, bool is_written) {
    const Location location = location_of(module_, value);
    if (!location.exists() || location.size == 0) {
      return;
    }
    if (location.size <= max_variable_bytes) {
      small_.push_back({location, is_written});
    } else {
      large_.push_back(location);
    }
  }

  // Joins locations that overlap.
  static std::vector<LoopVariable> joined(std::vector<LoopVariable> pieces) {
    std::ranges::sort(pieces, [](const LoopVariable &x, const LoopVariable &y) {
      return std::pair(x.location.memory, x.location.offset) < std::pair(y.location.memory, y.location.offset);
    });
    std::vector<LoopVariable> result;
    for (const LoopVariable &piece : pieces) {
      if (result.empty() || !result.back().location.overlaps(piece.location)) {
        result.push_back(piece);
        continue;
      }
      Location &last = result.back().location;
      last.size = std::max(last.offset + last.size, piece.location.offset + piece.location.size) - last.offset;
      result.back().is_written = result.back().is_written || piece.is_written;
    }
    return result;
  }

  const ModuleView &module_;
  InstructionView loop_;
  std::vector<LoopVariable> small_;
  std::vector<Location> large_;
  std::size_t kernels_ = 0;
  std::int64_t elements_ = 0;
};

}  // namespace

const LoopVariable *SmallLoop::variable_of(const Location &location) const {
  const auto found = std::ranges::find_if(
      variables, [&](const LoopVariable &variable) { return variable.location.overlaps(location); });
  return found == variables.end() ? nullptr : &*found;
}

bool may_be_inlined(InstructionView instruction) {
  return !contains(instruction, [](std::uint16_t op) { return op != BP_OP_REDUCE && is_reduction(op); });
}

std::optional<SmallLoop> small_loop(InstructionView loop) {
  return Finder(loop).find();
}

}  // namespace bp::emit
