// Shared declarations of shape inference: one function per shape_rule of ops.def, and common checks. Included only by
// shape_inference*.cc, the verifier, and the rules of run-time sizes.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::ir {

// A rule without its function is a link error. Before a rule runs, infer_shape() has checked against the op's row: the
// number of operands, that operands are arrays of an accepted element type (unless the op accepts any shape), that
// required attributes and called computations are present, and that lists of numbers consist of complete entries.
#define BP_OP(number, name, text, lo, hi, rule, ...) Result<Shape> infer_##rule(const Instruction &instruction);
#include "core/ir/ops.def"

namespace shape_rules {

// Attributes may be any int64; sums and products of a few of them fit into this type.
__extension__ typedef __int128 Int128;

struct Dimension {
  std::int64_t size = 0;  // the bound, or `unbounded`
  bool is_dynamic = false;
};

inline Dimension dimension(const Shape &shape, std::size_t i) {
  return {shape.size(i), shape.is_dynamic(i)};
}
std::vector<Dimension> dimensions(const Shape &shape);

// Returns an array with the descending layout. Fails if the rank is too large or a size is negative.
Result<Shape> make_array(ElementType type, std::span<const Dimension> dimensions);
// Returns `size` as the size of a dimension. Fails if it is negative or does not fit.
Result<std::int64_t> checked_size(Int128 size, std::string_view what);

inline const Shape &operand_shape(const Instruction &instruction, std::size_t i) {
  return instruction.operand(i).shape();
}
// Returns an error such as "operand 1 has shape f32[4], expected f32[2,4]".
Error unexpected_operand(const Instruction &instruction, std::size_t i, std::string_view expected);

// Whether two sizes are equal, or one of them is not known before run time.
inline bool sizes_agree(std::int64_t a, std::int64_t b) {
  return a == b || a == unbounded || b == unbounded;
}
bool sizes_agree(const Shape &a, const Shape &b);  // for all dimensions; the ranks must be equal
// Returns the more specific of two sizes that agree; dynamic if either is.
Dimension merge(Dimension a, Dimension b);
// Merges the sizes of two arrays that agree. Element type and layout are those of `a`.
Shape merge(const Shape &a, const Shape &b);

// Checks that each value is in [0, rank) and, if repeats are forbidden, that no value appears twice.
enum class Repeats { Allowed, Forbidden };
Status check_dimensions(std::span<const std::int64_t> values, std::size_t rank, std::string_view what,
                        Repeats repeats = Repeats::Forbidden);
Status check_dimension(std::int64_t value, std::size_t rank, std::string_view what);
// Returns the only entry of an attribute that lists dimensions; checks that it has exactly one, less than `rank`.
Result<std::size_t> single_dimension(const Instruction &instruction, std::size_t rank);

inline bool contains(std::span<const std::int64_t> values, std::int64_t value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// Checks that operand i is a scalar of an integer type.
Status check_scalar_index(const Instruction &instruction, std::size_t i);

// Returns the number of positions of a window that slides over a dimension of the given size.
Result<std::int64_t> window_output_size(std::int64_t size, const WindowDimension &window);
// Returns window_output_size() for each dimension. A window without dimensions stands for one of size 1 in each.
Result<std::vector<Dimension>> window_output(const Shape &base, std::span<const WindowDimension> window);

// Parameters and result of a called computation. signature_of() fails if it has no root or a parameter is missing.
struct Signature {
  std::vector<const Shape *> parameters;
  const Shape *result = nullptr;
};
Result<Signature> signature_of(Computation computation);
// Checks that the parameters match `arguments` in number and shapes (dynamic dimensions may be marked differently).
Status check_parameters(Computation computation, const Signature &signature, std::span<const Shape *const> arguments);

// Checks a combiner of N values: it takes N accumulators and then N elements, all scalars, and returns the N
// accumulators, as a tuple if N > 1. Returns the types of the accumulators. `inputs` and `inits` are the element types
// of the N inputs and of the N initial values.
Result<std::vector<ElementType>> check_combiner(Computation computation, std::span<const ElementType> inputs,
                                                std::span<const ElementType> inits);

// Returns a single shape unchanged, several as a tuple.
Shape tuple_unless_one(std::vector<Shape> shapes);

// Returns the shape without its layout: "f32[4]".
std::string describe(const Shape &shape);
std::string list(std::span<const std::int64_t> values);  // {0,1}

// Checks that the instruction's shape was written and is an array.
Status check_written_array(const Instruction &instruction);
// Returns the written shape if it agrees with `expected`, ignoring layouts and dynamic dimensions.
Result<Shape> written_shape(const Instruction &instruction, const Shape &expected);

// Checks the shape of an all-gather-start: a tuple of its operands and its results.
Status check_all_gather_start(const Instruction &instruction);

}  // namespace shape_rules
}  // namespace bp::ir
