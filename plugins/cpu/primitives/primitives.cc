#include "plugins/cpu/primitives/primitives.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace bp::cpu {
namespace {

using plugin::Instruction;

enum class Kind {
  None,        // the op is not run
  Structure,   // takes values of any type, because the op does not depend on their elements
  Movement,    // moves elements, without computing with them
  Arithmetic,  // computes with elements
};

// The ops of each kind; the others are not run.
constexpr std::uint16_t structure_ops[] = {BP_OP_PARAMETER,
                                           BP_OP_CONSTANT,
                                           BP_OP_BITCAST,
                                           BP_OP_AFTER_ALL,
                                           BP_OP_ADD_DEPENDENCY,
                                           BP_OP_DOMAIN,
                                           BP_OP_OPTIMIZATION_BARRIER,
                                           BP_OP_COPY,
                                           BP_OP_WHILE,
                                           BP_OP_CONDITIONAL,
                                           BP_OP_CALL};
constexpr std::uint16_t movement_ops[] = {
    BP_OP_BROADCAST, BP_OP_SLICE, BP_OP_DYNAMIC_SLICE, BP_OP_DYNAMIC_UPDATE_SLICE, BP_OP_CONCATENATE, BP_OP_PAD};
constexpr std::uint16_t arithmetic_ops[] = {BP_OP_IOTA,
                                            BP_OP_REDUCE,
                                            BP_OP_DOT,
                                            BP_OP_ADD,
                                            BP_OP_SUBTRACT,
                                            BP_OP_MULTIPLY,
                                            BP_OP_DIVIDE,
                                            BP_OP_REMAINDER,
                                            BP_OP_NEGATE,
                                            BP_OP_ABS,
                                            BP_OP_MAXIMUM,
                                            BP_OP_MINIMUM,
                                            BP_OP_AND,
                                            BP_OP_OR,
                                            BP_OP_XOR,
                                            BP_OP_NOT,
                                            BP_OP_SHIFT_LEFT,
                                            BP_OP_SHIFT_RIGHT_ARITHMETIC,
                                            BP_OP_SHIFT_RIGHT_LOGICAL,
                                            BP_OP_COMPARE,
                                            BP_OP_SELECT,
                                            BP_OP_CONVERT,
                                            BP_OP_BITCAST_CONVERT,
                                            BP_OP_FLOOR,
                                            BP_OP_EXPONENTIAL,
                                            BP_OP_LOG,
                                            BP_OP_SQRT,
                                            BP_OP_SINE,
                                            BP_OP_COSINE,
                                            BP_OP_TANH};

Kind kind_of(std::uint16_t op) {
  const auto is_in = [op](std::span<const std::uint16_t> ops) { return std::ranges::find(ops, op) != ops.end(); };
  if (is_in(structure_ops)) {
    return Kind::Structure;
  }
  if (is_in(movement_ops)) {
    return Kind::Movement;
  }
  return is_in(arithmetic_ops) ? Kind::Arithmetic : Kind::None;
}

bool is_stored(std::uint16_t dtype) {
  return dtype == BP_DTYPE_U8 || dtype == BP_DTYPE_U16;
}

bool is_computed(std::uint16_t dtype, Types types) {
  switch (dtype) {
    case BP_DTYPE_PRED:
    case BP_DTYPE_S32:
    case BP_DTYPE_U32:
    case BP_DTYPE_F32: return true;
    case BP_DTYPE_S8:
    case BP_DTYPE_S16:
    case BP_DTYPE_S64:
    case BP_DTYPE_U8:
    case BP_DTYPE_U16:
    case BP_DTYPE_U64:
    case BP_DTYPE_F64: return types == Types::Wide;
    default: return false;
  }
}

// Whether the op computes with numbers only. For pred there are `and` and `or` instead.
bool is_of_numbers(std::uint16_t op) {
  constexpr std::array others = {BP_OP_REDUCE, BP_OP_AND,     BP_OP_OR,
                                 BP_OP_XOR,    BP_OP_NOT,     BP_OP_COMPARE,
                                 BP_OP_SELECT, BP_OP_CONVERT, BP_OP_BITCAST_CONVERT};
  return kind_of(op) == Kind::Arithmetic && std::ranges::find(others, op) == others.end();
}

std::string types_problem(Instruction instruction, Types types) {
  const Kind kind = kind_of(instruction.op());
  const bool moves = kind == Kind::Movement || instruction.op() == BP_OP_CONVERT;
  const auto check = [&](const plugin::Shape &shape) -> std::string {
    const std::uint16_t dtype = shape.dtype();
    const bool runs = is_computed(dtype, types) || (moves && is_stored(dtype));
    if (!runs || (dtype == BP_DTYPE_PRED && is_of_numbers(instruction.op()))) {
      return "does not compute with such elements";
    }
    return shape.element_bits() < 8 ? "elements share bytes" : "";
  };
  std::string problem;
  for (const plugin::Value value : instruction.operands()) {
    problem = problem.empty() ? check(value.shape()) : problem;
  }
  for (const plugin::Value value : instruction.results()) {
    problem = problem.empty() ? check(value.shape()) : problem;
  }
  return problem;
}

// Returns why a dot is not run, or an empty string. It must be [b, m, k] times [b, k, n], with any number of batch
// dimensions b, all row-major and of one type.
std::string dot_problem(Instruction dot) {
  const plugin::Shape lhs = dot.operand(0).shape(), rhs = dot.operand(1).shape(), result = dot.result().shape();
  const auto batch = dot.integers(BP_ATTR_LHS_BATCH_DIMS);
  const auto rank = static_cast<std::int64_t>(lhs.rank());
  bool fits = lhs.dtype() == rhs.dtype() && lhs.dtype() == result.dtype() && lhs.rank() == rhs.rank() &&
              std::ranges::equal(batch, dot.integers(BP_ATTR_RHS_BATCH_DIMS)) &&
              rank == static_cast<std::int64_t>(batch.size()) + 2 && lhs.is_row_major() && rhs.is_row_major() &&
              result.is_row_major();
  for (std::size_t i = 0; fits && i < batch.size(); ++i) {
    fits = batch[i] == static_cast<std::int64_t>(i);
  }
  fits = fits && std::ranges::equal(dot.integers(BP_ATTR_LHS_CONTRACTING_DIMS), std::array{rank - 1}) &&
         std::ranges::equal(dot.integers(BP_ATTR_RHS_CONTRACTING_DIMS), std::array{rank - 2});
  return fits ? "" : "is not a product of matrices";
}

std::uint32_t width(plugin::Value value) {
  return value.shape().element_bits();
}

std::string shape_problem(Instruction instruction) {
  switch (instruction.op()) {
    case BP_OP_DOT: return dot_problem(instruction);
    case BP_OP_COMPARE:
      return instruction.integer(BP_ATTR_COMPARISON_TYPE, 0) == BP_COMPARISON_TYPE_TOTAL_ORDER ? "is in total order"
                                                                                               : "";
    case BP_OP_BITCAST_CONVERT:
      return width(instruction.operand(0)) == width(instruction.result()) ? "" : "changes the width";
    default: return "";
  }
}

}  // namespace

std::string primitive_problem(Instruction instruction, Types types) {
  const Kind kind = kind_of(instruction.op());
  if (kind == Kind::None) {
    return "is not a primitive op";
  }
  if (kind == Kind::Structure) {
    return "";
  }
  if (std::string problem = types_problem(instruction, types); !problem.empty()) {
    return problem;
  }
  if (instruction.op() == BP_OP_REDUCE) {
    for (const Instruction inner : instruction.called().instructions()) {
      if (std::string problem = primitive_problem(inner, types); !problem.empty()) {
        return "in its function, " + std::string(inner.name()) + " " + problem;
      }
    }
  }
  return shape_problem(instruction);
}

}  // namespace bp::cpu
