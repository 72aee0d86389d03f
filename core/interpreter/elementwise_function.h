// ElementwiseFunction: what an elementwise op does to a run of elements. The arithmetic is a loop over a wide type;
// operands are widened and results narrowed around it, so that each formula is compiled for six types and not for
// thirty-two.
#pragma once

#include <array>
#include <span>

#include "core/base/result.h"
#include "core/interpreter/wide.h"
#include "core/ir/literal.h"
#include "core/ir/module.h"

namespace bp::interpreter {

struct LoopParameters {
  int bits = 64;  // of the operand's element type; 1 for pred
  std::int64_t exponent_bits = 0, mantissa_bits = 0;
};
using Loop = void (*)(const void *const *operands, void *result, std::size_t count, const LoopParameters &parameters);

// The formulas, by op and wide type of the operands; null if the op is not defined for it. The result is of the same
// wide type unless said otherwise.
Loop unary_float_loop(ir::Opcode opcode, Wide wide);
Loop unary_integer_loop(ir::Opcode opcode, Wide wide);
Loop unary_complex_loop(ir::Opcode opcode, Wide wide);  // of abs, real and imag: the real type
Loop binary_loop(ir::Opcode opcode, Wide wide);
Loop clamp_loop(Wide wide);
Loop complex_loop(Wide wide);                                     // to the complex type
Loop is_finite_loop(Wide wide);                                   // to bool
Loop compare_loop(ir::ComparisonDirection direction, Wide wide);  // to bool
// To integers that are ordered as the floats of a type are totally: Wide::Signed. Null for other types.
ConvertLoop total_order_loop(ir::ElementType type);
Loop convert_loop(Wide from, Wide to, bool to_pred);  // bits: of the result
Loop convert_to_odd_loop(Wide from);                  // integers to double, to be rounded once more
// As XLA:CPU, which rounds f16 and what is narrower in the bits of f16, what has the exponents of f32 in those of f32.
Loop reduce_precision_loop(ir::ElementType type);
Loop select_loop(std::size_t byte_width);  // of bool and two operands of any type of that width

class ElementwiseFunction {
 public:
  // More elements at once do not fit its buffers.
  static constexpr std::size_t max_count = 256;

  // Of an instruction whose result and operands are arrays. Fails if the op has no meaning for the element types; asks
  // for nothing but the instruction's op, attributes and shapes.
  static Result<ElementwiseFunction> make(const ir::Instruction &instruction);
  static bool exists_for(ir::Opcode opcode);
  // What convert does.
  static ElementwiseFunction conversion(ir::ElementType from, ir::ElementType to);

  // `count` elements, at most max_count. The result may be one of the operands.
  void operator()(std::span<const std::byte *const> operands, std::byte *result, std::size_t count) const;

 private:
  Loop loop_ = nullptr;  // null: the first operand's wide values are the result's
  LoopParameters parameters_;
  std::array<ConvertLoop, 3> widen_ = {};  // null: the operand is used as it lies there
  ConvertLoop narrow_ = nullptr;           // null: the loop writes the result itself
  std::size_t result_width_ = 0;
};

class Evaluator;
// An array as convert makes it of another element type.
Result<ir::Literal> converted(const Evaluator &evaluator, const ir::Literal &value, ir::ElementType type);

}  // namespace bp::interpreter
