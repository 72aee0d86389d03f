// ElementwiseFunction: applies an elementwise op to consecutive elements. The arithmetic is a loop over a wide type;
// operands are widened before it and results narrowed after it, so that each formula is compiled for six types and not
// for thirty-two.
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

// Return the loop for an op and the wide type of its operands; nullptr if the op is not defined for this type. The
// result has the same wide type unless a comment says otherwise.
Loop unary_float_loop(ir::Opcode opcode, Wide wide);
Loop unary_integer_loop(ir::Opcode opcode, Wide wide);
Loop unary_complex_loop(ir::Opcode opcode, Wide wide);  // abs, real and imag: to the real type
Loop binary_loop(ir::Opcode opcode, Wide wide);
Loop clamp_loop(Wide wide);
Loop complex_loop(Wide wide);                                     // to the complex type
Loop is_finite_loop(Wide wide);                                   // to bool
Loop compare_loop(ir::ComparisonDirection direction, Wide wide);  // to bool
// Returns the loop that converts floats of a type to integers (Wide::Signed) in their total order; nullptr for other
// types.
ConvertLoop total_order_loop(ir::ElementType type);
Loop convert_loop(Wide from, Wide to, bool to_pred);  // bits: those of the result
Loop convert_to_odd_loop(Wide from);                  // integers to double, to be rounded again
// Rounds like XLA:CPU: f16 and narrower types in the format of f16, types with the exponent range of f32 in the format
// of f32.
Loop reduce_precision_loop(ir::ElementType type);
Loop select_loop(std::size_t byte_width);  // bool and two operands of any type of that width

class ElementwiseFunction {
 public:
  // Maximum number of elements per call, for which its buffers have room.
  static constexpr std::size_t max_count = 256;

  // Returns the function of an instruction whose result and operands are arrays. Fails if the op is not defined for the
  // element types. Reads only the instruction's op, attributes and shapes.
  static Result<ElementwiseFunction> make(const ir::Instruction &instruction);
  static bool exists_for(ir::Opcode opcode);
  // Returns the function of a convert.
  static ElementwiseFunction conversion(ir::ElementType from, ir::ElementType to);

  // Applies the function to `count` elements, at most max_count. The result may be in the memory of one of the
  // operands.
  void operator()(std::span<const std::byte *const> operands, std::byte *result, std::size_t count) const;

 private:
  Loop loop_ = nullptr;  // nullptr: the result is the first operand's wide values
  LoopParameters parameters_;
  std::array<ConvertLoop, 3> widen_ = {};  // nullptr: the operand is read in place
  ConvertLoop narrow_ = nullptr;           // nullptr: the loop writes to the result
  std::size_t result_width_ = 0;
};

}  // namespace bp::interpreter
