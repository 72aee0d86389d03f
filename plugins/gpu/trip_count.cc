#include "plugins/gpu/trip_count.h"

#include <algorithm>
#include <unordered_map>

#include "plugins/llvm/kernel/kernel.h"
#include "plugins/llvm/scalar/element_type.h"

namespace bp::gpu {
namespace {

using emit::ComputationView;
using emit::InstructionView;
__extension__ typedef __int128 Int128;

// The number of n, from 0 on, for which `start + n * step  direction  limit` holds. Nothing if it always holds, or if
// the direction is none in which loops count.
std::optional<Int128> count_iterations(std::int64_t direction, Int128 start, Int128 step, Int128 limit) {
  switch (direction) {
    case BP_COMPARISON_DIRECTION_GE: return count_iterations(BP_COMPARISON_DIRECTION_LT, -start, -step, 1 - limit);
    case BP_COMPARISON_DIRECTION_GT: return count_iterations(BP_COMPARISON_DIRECTION_LT, -start, -step, -limit);
    case BP_COMPARISON_DIRECTION_LE: return count_iterations(BP_COMPARISON_DIRECTION_LT, start, step, limit + 1);
    case BP_COMPARISON_DIRECTION_LT:
      return start >= limit ? 0 : step > 0 ? std::optional((limit - start + step - 1) / step) : std::nullopt;
    case BP_COMPARISON_DIRECTION_NE: {
      const Int128 distance = limit - start;
      const bool arrives = distance == 0 || (step != 0 && distance % step == 0 && distance / step > 0);
      return arrives ? std::optional(distance == 0 ? 0 : distance / step) : std::nullopt;
    }
    default: return std::nullopt;
  }
}

std::int64_t mirrored(std::int64_t direction) {
  switch (direction) {
    case BP_COMPARISON_DIRECTION_GE: return BP_COMPARISON_DIRECTION_LE;
    case BP_COMPARISON_DIRECTION_GT: return BP_COMPARISON_DIRECTION_LT;
    case BP_COMPARISON_DIRECTION_LE: return BP_COMPARISON_DIRECTION_GE;
    case BP_COMPARISON_DIRECTION_LT: return BP_COMPARISON_DIRECTION_GT;
    default: return direction;
  }
}

class LoopReader {
 public:
  explicit LoopReader(InstructionView loop)
      : module_(loop.module()), loop_(loop), condition_(loop.called(0)), body_(loop.called(1)) {}

  std::optional<std::uint64_t> iterations() {
    for (std::uint32_t n = 0; n < condition_.instruction_count(); ++n) {
      if (module_.instruction(condition_.first_instruction() + n).op() == BP_OP_RNG_GET_AND_UPDATE_STATE) {
        return std::nullopt;
      }
    }
    const InstructionView test = module_.definition(origin(condition_.roots()[0]));
    if (test.op() != BP_OP_COMPARE || !counts(test.operand(0))) {
      return std::nullopt;
    }
    std::int64_t direction = test.number(BP_ATTR_DIRECTION);
    for (std::size_t side = 0; side < 2; ++side, direction = mirrored(direction)) {
      const auto element = element_of(test.operand(side), condition_);
      const auto limit = constant_in(test.operand(1 - side), condition_);
      const auto start = element && limit ? constant(loop_.operand(*element)) : std::nullopt;
      const auto step = start ? step_of(*element) : std::nullopt;
      if (!step) {
        continue;
      }
      const auto iterations = count_iterations(direction, *start, *step, *limit);
      if (iterations && !is_ambiguous_ && *iterations <= INT64_MAX &&
          holds(test.operand(side), *start + *iterations * *step)) {
        return static_cast<std::uint64_t>(*iterations);
      }
    }
    return std::nullopt;
  }

 private:
  std::uint16_t dtype_of(std::uint32_t value) const { return module_.shape_of(value).dtype; }
  bool counts(std::uint32_t value) const {
    const emit::Shape &shape = module_.shape_of(value);
    return shape.elements == 1 && emit::is_integer(shape.dtype) && emit::value_bits(shape.dtype) >= 8;
  }
  bool holds(std::uint32_t value, Int128 number) const {
    const std::uint16_t dtype = dtype_of(value);
    const Int128 limit = Int128(1) << (emit::value_bits(dtype) - (emit::is_signed(dtype) ? 1 : 0));
    return number < limit && number >= (emit::is_signed(dtype) ? -limit : 0);
  }

  // Finds the value that a value is a copy of, through copies, and into fusions and out of them, up to a parameter of
  // condition or body. It does not look through a bitcast to another type, for which the same bits are another number.
  std::uint32_t origin(std::uint32_t value) {
    for (;;) {
      if (const auto bound = operand_of_.find(value); bound != operand_of_.end()) {
        value = bound->second;
        continue;
      }
      const InstructionView definition = module_.definition(value);
      std::size_t result = 0;
      while (definition.result(result) != value) {
        ++result;
      }
      if (definition.op() == BP_OP_FUSION) {
        const ComputationView fused = definition.called(0);
        for (std::size_t k = 0; k < fused.parameters().size(); ++k) {
          const auto [bound_to, is_new] = operand_of_.try_emplace(fused.parameters()[k], definition.operand(k));
          is_ambiguous_ |= !is_new && bound_to->second != definition.operand(k);
        }
        value = fused.roots()[result];
      } else if (definition.op() == BP_OP_COPY || emit::is_forwarding(definition.op())) {
        if (result >= definition.operand_count() || dtype_of(definition.operand(result)) != dtype_of(value)) {
          return value;
        }
        value = definition.operand(result);
      } else {
        return value;
      }
    }
  }

  std::optional<Int128> constant(std::uint32_t value) {
    const std::uint32_t found = origin(value);
    const auto bytes = module_.definition(found).bytes(BP_ATTR_VALUE);
    const std::uint16_t dtype = dtype_of(found);
    if (module_.definition(found).op() != BP_OP_CONSTANT || !counts(found) ||
        bytes.size() != emit::storage_bytes(dtype)) {
      return std::nullopt;
    }
    Int128 number = emit::is_signed(dtype) && (bytes.back() & 0x80) != 0 ? -1 : 0;
    for (std::size_t i = bytes.size(); i-- > 0;) {
      number = number * 256 + bytes[i];
    }
    return number;
  }
  // Returns the index of the loop's state that a value in condition or body is equal to.
  std::optional<std::size_t> element_of(std::uint32_t value, ComputationView in) {
    const auto parameters = in.parameters();
    const auto found = std::ranges::find(parameters, origin(value));
    return found == parameters.end() ? std::nullopt
                                     : std::optional(static_cast<std::size_t>(found - parameters.begin()));
  }
  // Returns the number that a value in condition or body has in every iteration.
  std::optional<Int128> constant_in(std::uint32_t value, ComputationView in) {
    if (const auto number = constant(value)) {
      return number;
    }
    const auto element = element_of(value, in);
    const bool passes_on = element && element_of(body_.roots()[*element], body_) == element;
    return passes_on ? constant(loop_.operand(*element)) : std::nullopt;
  }
  // Returns the number that the body adds to an element of the state.
  std::optional<Int128> step_of(std::size_t element) {
    const InstructionView next = module_.definition(origin(body_.roots()[element]));
    if (next.op() != BP_OP_ADD && next.op() != BP_OP_SUBTRACT) {
      return std::nullopt;
    }
    for (std::size_t i = 0; i < (next.op() == BP_OP_ADD ? 2u : 1u); ++i) {
      const auto step =
          element_of(next.operand(i), body_) == element ? constant_in(next.operand(1 - i), body_) : std::nullopt;
      if (step) {
        return next.op() == BP_OP_ADD ? step : -*step;
      }
    }
    return std::nullopt;
  }

  const emit::ModuleView &module_;
  InstructionView loop_;
  ComputationView condition_, body_;
  std::unordered_map<std::uint32_t, std::uint32_t>
      operand_of_;             // of a fusion, by parameter of the computation it calls
  bool is_ambiguous_ = false;  // two fusions call the same computation
};

}  // namespace

std::optional<std::uint64_t> trip_count(InstructionView loop) {
  return LoopReader(loop).iterations();
}

}  // namespace bp::gpu
