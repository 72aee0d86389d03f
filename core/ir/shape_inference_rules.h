// What the files of shape inference share: one function per shape_rule of ops.def, and the checks they are made of.
// Only shape_inference*.cc, the verifier, and what says how run-time sizes follow, include this.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::ir {

// A rule without its function is a link error. When a rule runs, infer_shape() has checked by the op's row: the number
// of operands, that operands are arrays of a fitting element type (unless the op takes any shape), the presence of
// required attributes and called computations, and that lists of numbers have whole entries.
#define BP_OP(number, name, text, lo, hi, rule, ...) Result<Shape> infer_##rule(const Instruction &instruction);
#include "core/ir/ops.def"

namespace shape_rules {

// Attributes are any int64; sums and products of a few of them fit here.
__extension__ typedef __int128 Wide;

struct Dimension {
  std::int64_t size = 0;  // the bound, or `unbounded`
  bool is_dynamic = false;
};

inline Dimension dimension(const Shape &shape, std::size_t i) {
  return {shape.size(i), shape.is_dynamic(i)};
}
std::vector<Dimension> dimensions(const Shape &shape);

// An array with the descending layout. An error if the rank is too large or a size is negative.
Result<Shape> make_array(ElementType type, std::span<const Dimension> dimensions);
// `size` as a dimension's size; an error if it is negative or does not fit.
Result<std::int64_t> checked_size(Wide size, std::string_view what);

inline const Shape &operand_shape(const Instruction &instruction, std::size_t i) {
  return instruction.operand(i).shape();
}
// "operand 1 has shape f32[4], expected f32[2,4]"
Error unexpected_operand(const Instruction &instruction, std::size_t i, std::string_view expected);

// The array's sizes agree: equal, or one of the two not known before run time.
inline bool sizes_agree(std::int64_t a, std::int64_t b) {
  return a == b || a == unbounded || b == unbounded;
}
bool sizes_agree(const Shape &a, const Shape &b);  // of all dimensions, which must be as many
// The more specific of two sizes that agree; dynamic if either is.
Dimension merge(Dimension a, Dimension b);
// Of two arrays whose sizes agree: a's element type and layout.
Shape merge(const Shape &a, const Shape &b);

// Each value is in [0, rank); if `distinct`, none appears twice.
enum class Repeats { Allowed, Forbidden };
Status check_dimensions(std::span<const std::int64_t> values, std::size_t rank, std::string_view what,
                        Repeats repeats = Repeats::Forbidden);
Status check_dimension(std::int64_t value, std::size_t rank, std::string_view what);
// The one number of an attribute that lists dimensions but here must hold exactly one, below rank.
Result<std::size_t> single_dimension(const Instruction &instruction, std::size_t rank);

inline bool contains(std::span<const std::int64_t> values, std::int64_t value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// Operand i is a scalar of an integer type.
Status check_scalar_index(const Instruction &instruction, std::size_t i);

// The size of the result of sliding a window over a dimension of the given size.
Result<std::int64_t> window_output_size(std::int64_t size, const WindowDimension &window);
// window_output_size() of each dimension. A window of no dimensions stands for one of size 1 in each.
Result<std::vector<Dimension>> window_output(const Shape &base, std::span<const WindowDimension> window);

// Parameters and result of a called computation. An error if it has no root or a parameter is missing.
struct Signature {
  std::vector<const Shape *> parameters;
  const Shape *result = nullptr;
};
Result<Signature> signature_of(Computation computation);
// The parameters are as many as, and have the shapes of, `arguments` (dynamic sizes need not be marked alike).
Status check_parameters(Computation computation, const Signature &signature, std::span<const Shape *const> arguments);

// A combiner of N values: takes N accumulators and then N elements, all scalars, and returns the N accumulators; N > 1:
// as a tuple. Returns the accumulators' types. `inputs` and `inits` are the N element types met on either side.
Result<std::vector<ElementType>> check_combiner(Computation computation, std::span<const ElementType> inputs,
                                                std::span<const ElementType> inits);

// One shape as it is; several as a tuple.
Shape tuple_unless_one(std::vector<Shape> shapes);

// "f32[4]"
std::string describe(const Shape &shape);
std::string list(std::span<const std::int64_t> values);  // {0,1}

// Error unless the instruction's shape was written and is an array.
Status check_written_array(const Instruction &instruction);
// The written shape, if it agrees with `expected` but for layouts and the marks of dynamic sizes.
Result<Shape> written_shape(const Instruction &instruction, const Shape &expected);

// The shape of an all-gather-start: a tuple of the operands and of what they become.
Status check_all_gather_start(const Instruction &instruction);

}  // namespace shape_rules
}  // namespace bp::ir
