// Arrays of the module that is being built, and arithmetic on them, written like arithmetic on numbers.
//
//   Array x = node.input(0);
//   Array e = exp(x - reduce_max(x, axes, KeepSizes::Yes));    operands are broadcast to each other as in NumPy
//   return e / reduce_sum(e, axes, KeepSizes::Yes);
//
// Errors are kept by the builder, and only the first one: an operation that does not fit its operands, and every
// operation on its result, gives an invalid array, which has the shape f32[] for whoever asks. So a formula is written
// without a check at each step, and the error is found after it. The value of what is computed from constants can be
// asked for (Array::literal()): this is how a graph's arithmetic on sizes is done while it is imported.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ir/builder.h"

namespace bp::import::array {

using ir::ElementType;
using ir::Opcode;
using ir::Shape;
using Integers = std::vector<std::int64_t>;
using Span = std::span<const std::int64_t>;

class GraphBuilder;

// Returns a text as the name of an instruction: other characters than letters, digits, '_', '.' and '-' become '_'.
// `if_empty`: the name if nothing is left.
std::string clean_name(std::string_view text, std::string_view if_empty);

enum class Known { Constant, Given };

// The least and the largest values of each element of an array.
struct IntegerRanges {
  Integers low, high;
};

class Array {
 public:
  Array() = default;  // no array: an optional input that is absent
  Array(GraphBuilder *builder, ir::InstructionId id) : builder_(builder), id_(id) {}

  bool is_present() const { return builder_ != nullptr; }
  explicit operator bool() const { return is_present(); }
  bool is_valid() const { return is_present() && id_ != ir::no_instruction; }
  GraphBuilder &builder() const { return *builder_; }
  ir::InstructionId id() const { return id_; }

  const Shape &shape() const;  // of an array that is not valid: f32[]
  ElementType type() const { return shape().element_type(); }
  std::size_t rank() const { return shape().rank(); }
  Integers sizes() const { return {shape().sizes().begin(), shape().sizes().end()}; }
  // Returns the size of a dimension, which may be counted from the end: -1 is the last one. 1 if there is no such one.
  std::int64_t size(std::int64_t dimension) const;
  std::int64_t count() const { return shape().element_count(); }
  // Whether there are sizes that only a run tells, as in f32[<=8]. Sizes are their bounds then.
  bool is_bounded() const { return is_valid() && !shape().is_static(); }
  // The same of one dimension, which may be counted from the end.
  bool is_bounded(std::int64_t dimension) const;

  // Return the value or the elements, if they follow from constants or, with Known::Given, also from parameters whose
  // elements the caller has given; the program is then for these elements. For integers(), numbers are truncated.
  std::optional<ir::Literal> literal(Known known = Known::Constant) const;
  std::optional<Integers> integers(Known known = Known::Constant) const;
  std::optional<std::vector<double>> reals(Known known = Known::Constant) const;
  // Returns what follows of the elements from the bounds of sizes that only a run tells, if the array is computed from
  // such sizes and constants by ops that never decrease where an operand increases.
  std::optional<IntegerRanges> ranges() const;

 private:
  GraphBuilder *builder_ = nullptr;
  ir::InstructionId id_ = ir::no_instruction;
};

using Arrays = std::vector<Array>;

// State that the builders of one module share.
struct BuildState {
  std::optional<Error> error;  // the first one
  // An array whose elements must be known, because sizes depend on them, but are not: the reason for the error.
  ir::InstructionId unknown = ir::no_instruction;
  // Whether elements that the caller has given are used where a bound on a size would do; and whether bounds may be
  // used, which is so where no size has to be the same in each iteration of a loop.
  bool prefers_given = false, allows_bounds = true;
  // Elements of parameters that the caller has given, and those of them that were used.
  std::unordered_map<ir::InstructionId, ir::Literal> given;
  std::set<ir::InstructionId> used;
  std::unordered_map<ir::InstructionId, ir::Literal> values;  // of instructions, evaluated before
  std::unordered_map<ir::InstructionId, std::pair<ir::Literal, ir::Literal>> extremes;  // their least and largest ones
  // Instructions of loops and branches that stand for earlier ones outside, whose value they have.
  std::unordered_map<ir::InstructionId, ir::InstructionId> same_as;
};

// Adds instructions to one computation.
class GraphBuilder {
 public:
  GraphBuilder(ir::Module &module, ir::ComputationId computation, BuildState &state)
      : module_(module), computation_(computation), state_(state) {}
  GraphBuilder(const GraphBuilder &) = delete;

  ir::Module &module() { return module_; }
  ir::ComputationId computation() const { return computation_; }
  BuildState &state() { return state_; }
  bool has_failed() const { return state_.error.has_value(); }
  // Keeps the error, unless there is one. Returns an array that is not valid.
  Array fail(Error error);
  template <class... Args>
  Array fail(fmt::format_string<Args...> format, Args &&...args) {
    return fail(invalid_input(format, std::forward<Args>(args)...));
  }
  // The operation and name of the node that new instructions come from: their metadata.
  void set_origin(std::string_view operation, std::string_view node);

  Array parameter(const Shape &shape, std::string_view name);
  Array constant(ir::Literal literal);
  Array scalar(ElementType type, double value);
  Array integers(Span values, ElementType type = ElementType::S64);  // one dimension
  Array integers(std::initializer_list<std::int64_t> values) { return integers(Span(values.begin(), values.size())); }
  Array reals(std::span<const double> values, ElementType type);  // one dimension
  // Returns an array of these sizes with the same value everywhere.
  Array filled(ElementType type, Span sizes, double value);
  Array iota(ElementType type, Span sizes, std::int64_t dimension);

  using Setter = std::function<void(ir::Module &, ir::InstructionId)>;
  // Adds an instruction. `shape`: for operations whose shape is not inferred.
  Array add(Opcode opcode, std::span<const Array> operands, const Setter &set_attributes = {},
            std::span<const ir::ComputationId> calls = {}, const Shape &shape = {});
  Array add(Opcode opcode, std::initializer_list<Array> operands, const Setter &set_attributes = {},
            std::span<const ir::ComputationId> calls = {}, const Shape &shape = {}) {
    return add(opcode, std::span(operands.begin(), operands.size()), set_attributes, calls, shape);
  }
  Array tuple(std::span<const Array> elements) { return add(Opcode::Tuple, elements); }
  Array element(const Array &tuple, std::int64_t index);
  // Returns a computation that applies the op to two scalars.
  ir::ComputationId scalar_computation(Opcode opcode, ElementType type);
  // Adds a computation of its own: body(its builder, its parameters) returns its root.
  using Body = std::function<Array(GraphBuilder &, Arrays parameters)>;
  ir::ComputationId computation(std::string_view name, std::span<const Shape> parameters, const Body &body);
  // Adds a loop over iterations 0 to `count` - 1: body(its builder, s32[] iteration, values) returns the next values.
  // The body can use these values and constants only.
  using LoopBody = std::function<Arrays(GraphBuilder &, Array iteration, Arrays values)>;
  Arrays loop(std::int64_t count, const Arrays &values, const LoopBody &body);
  Arrays loop(const Array &count, const Arrays &values, const LoopBody &body);  // of a count that is computed, s32[]
  // Adds a loop that goes on while condition(its builder, values), pred[], is true, as loop() otherwise.
  using LoopCondition = std::function<Array(GraphBuilder &, Arrays values)>;
  using WhileBody = std::function<Arrays(GraphBuilder &, Arrays values)>;
  Arrays loop_while(const Arrays &values, const LoopCondition &condition, const WhileBody &body);

 private:
  ir::Module &module_;
  ir::ComputationId computation_;
  BuildState &state_;
  ir::Metadata metadata_;
};

// --- Types ---
Array convert(const Array &x, ElementType type);
// Returns f32 for floats of less than 32 bits, otherwise the type itself: the type in which sums and functions are
// computed.
ElementType compute_type(ElementType type);

// --- Sizes ---
// Returns the sizes to which NumPy broadcasts both; nothing if they do not agree.
std::optional<Integers> broadcast_sizes(Span a, Span b);
// Repeats an array along dimensions of size 1 and new leading ones.
Array broadcast_to(const Array &x, Span sizes);
// Repeats an array: dimension i of it becomes dimensions[i].
Array broadcast_in(const Array &x, Span sizes, Span dimensions);
// A size that only a run tells becomes that of one dimension of the result, whose size is then what the others leave:
// one of `bounded`, or the only one that has not size 1.
Array reshape(const Array &x, Span sizes, Span bounded = {});
Array reshape(const Array &x, std::initializer_list<std::int64_t> sizes);
Array transpose(const Array &x, Span permutation);
Array transpose(const Array &x, std::initializer_list<std::int64_t> permutation);
Array expand_dimension(const Array &x, std::int64_t dimension);        // a new one of size 1
Array squeeze(const Array &x, Span dimensions);                        // which have size 1
Array flatten(const Array &x, std::int64_t first, std::int64_t last);  // joins the dimensions [first, last)

// --- Sizes that only a run tells ---
// Returns the size of a dimension, s32[]; a constant if it is known.
Array run_time_size(const Array &x, std::int64_t dimension);
// Returns the array with a size that only a run tells, s32[], at most the size that the dimension has.
Array with_run_time_size(const Array &x, std::int64_t dimension, const Array &size);
// Returns an array of known sizes, the bounds of x: elements beyond the sizes that a run tells are `value`, a scalar.
Array filled_to_bounds(const Array &x, const Array &value);
// Returns the array in a shape of the same rank with sizes or bounds that are not less; where the shape has bounds, a
// run tells the sizes that the array has.
Array with_bounds(const Array &x, const Shape &shape);
// Gives arrays that are broadcast to each other as in NumPy the sizes for that, where a run tells sizes: one that is 1
// in the run is repeated as a known 1 is. Sizes that do not fit are those of one of the arrays. `left_out`: the number
// of last dimensions that are not broadcast.
Arrays with_common_sizes(Arrays arrays, std::int64_t left_out = 0);
// Returns the array with `size`, s32[] and at most `bound`, in a dimension that has size 1 in the run; otherwise with
// its own size there.
Array repeated_to(const Array &x, std::int64_t dimension, std::int64_t bound, const Array &size);
// Repeats an array along a dimension whose size a run tells, `count` times, s32[] and at most `bound`.
Array tiled(const Array &x, std::int64_t dimension, std::int64_t bound, const Array &count);
// Whether a run tells one size at most, which a reshape cannot lose among sizes of 1 or 0.
bool has_one_open_size(const Array &x);
// Reshapes to sizes that are computed, s32[], within these bounds; the number of elements must be the same.
Array reshape_in_run(const Array &x, Span bounds, const Arrays &sizes);

// --- Movement ---
Array slice(const Array &x, std::int64_t dimension, std::int64_t begin, std::int64_t end, std::int64_t stride = 1);
Array concatenate(const Arrays &parts, std::int64_t dimension);
Array reverse(const Array &x, Span dimensions);
Array pad(const Array &x, const Array &value, std::span<const ir::PaddingDimension> padding);
// Takes the slices with these indices along a dimension, as NumPy's take(): the result has the dimensions of the
// indices in place of `dimension`. Indices must be in range.
Array take(const Array &x, const Array &indices, std::int64_t dimension);
// Takes the slices with these indices, which are in range: by a slice if they are evenly spaced.
Array take(const Array &x, Span indices, std::int64_t dimension);
// Returns one box whose start is computed: a scalar per dimension.
Array dynamic_slice(const Array &x, const Arrays &starts, Span sizes);
Array dynamic_update_slice(const Array &x, const Array &update, const Arrays &starts);

// --- Arithmetic. Operands are broadcast to each other; their types must be equal. ---
Array apply(Opcode opcode, const Array &x);
Array apply(Opcode opcode, const Array &x, const Array &y);
Array compare(ir::ComparisonDirection direction, const Array &x, const Array &y);
Array select(const Array &condition, const Array &x, const Array &y);
// Returns a number in the type of `like`, as a scalar.
Array number(double value, const Array &like);
// Return the lowest or the highest value of the type of `like`, as a scalar: infinities, if there are any.
Array lowest(const Array &like);
Array highest(const Array &like);

Array operator+(const Array &x, const Array &y);
Array operator-(const Array &x, const Array &y);
Array operator*(const Array &x, const Array &y);
Array operator/(const Array &x, const Array &y);
Array operator-(const Array &x);
Array operator+(const Array &x, double y);
Array operator-(const Array &x, double y);
Array operator*(const Array &x, double y);
Array operator/(const Array &x, double y);
Array operator+(double x, const Array &y);
Array operator-(double x, const Array &y);
Array operator*(double x, const Array &y);
Array operator/(double x, const Array &y);
Array operator<(const Array &x, const Array &y);
Array operator>(const Array &x, const Array &y);
Array operator<=(const Array &x, const Array &y);
Array operator>=(const Array &x, const Array &y);
Array operator==(const Array &x, const Array &y);
Array operator!=(const Array &x, const Array &y);
Array operator<(const Array &x, double y);
Array operator>(const Array &x, double y);
Array operator<=(const Array &x, double y);
Array operator>=(const Array &x, double y);
Array operator==(const Array &x, double y);
Array operator!=(const Array &x, double y);
Array operator&&(const Array &x, const Array &y);
Array operator||(const Array &x, const Array &y);
Array logical_not(const Array &x);  // of integers: each bit
Array select(const Array &condition, const Array &x, double y);
Array select(const Array &condition, double x, const Array &y);

Array abs(const Array &x);
Array exp(const Array &x);
Array log(const Array &x);
Array sqrt(const Array &x);
Array rsqrt(const Array &x);
Array tanh(const Array &x);
Array erf(const Array &x);
Array logistic(const Array &x);
Array floor(const Array &x);
Array ceil(const Array &x);
Array round_even(const Array &x);
Array sine(const Array &x);
Array cosine(const Array &x);
Array maximum(const Array &x, const Array &y);
Array maximum(const Array &x, double y);
Array minimum(const Array &x, const Array &y);
Array minimum(const Array &x, double y);
Array power(const Array &x, const Array &y);
Array remainder(const Array &x, const Array &y);
Array clamp(const Array &low, const Array &x, const Array &high);
Array is_nan(const Array &x);

// --- Reductions ---
enum class KeepSizes { No, Yes };  // whether dimensions that are reduced stay, with size 1
// Reduces dimensions by an op, beginning with a value. Sums of narrow floats are computed in f32.
Array reduce(Opcode opcode, double initial, const Array &x, Span dimensions, KeepSizes keep);
Array reduce_sum(const Array &x, Span dimensions, KeepSizes keep);
Array reduce_mean(const Array &x, Span dimensions, KeepSizes keep);
Array reduce_product(const Array &x, Span dimensions, KeepSizes keep);
Array reduce_max(const Array &x, Span dimensions, KeepSizes keep);  // of nothing: the lowest value
Array reduce_min(const Array &x, Span dimensions, KeepSizes keep);
// Reduces one window at each position: `window` has a row per dimension.
Array reduce_window(Opcode opcode, const Array &initial, const Array &x, std::span<const ir::WindowDimension> window);

// --- Contractions ---
// Multiplies matrices in the last two dimensions as NumPy's matmul() does, with broadcast of the others and vectors.
Array matmul(const Array &x, const Array &y);
struct DotDimensions {
  Integers lhs_batch = {}, rhs_batch = {}, lhs_contracting = {}, rhs_contracting = {};
};
// Returns [batch, free dimensions of x, free dimensions of y].
Array dot(const Array &x, const Array &y, const DotDimensions &dimensions);
// Gives a dot or convolution that nothing uses yet a wider type, in which its sums are then: f32 for products of f16.
Array widened(const Array &contraction, ElementType type);

// --- Order ---
// Sorts along a dimension, all arrays in the same way: less(its builder, scalars) tells whether an element comes before
// another, given the two of the first array, then the two of the next one, ... It must be a total order.
using Less = std::function<Array(GraphBuilder &, const Arrays &)>;
Arrays sort(const Arrays &arrays, std::int64_t dimension, const Less &less);
// Combines each element with those before it along a dimension, or with those after it.
Array running_combination(Opcode opcode, double initial, const Array &x, std::int64_t dimension, bool is_reverse);

// The numbers of the true elements of a vector.
struct TrueElements {
  Array numbers;  // s32 or s64, as many as the vector has elements: in ascending order, then the number of elements
  Array count;    // s32[]
};
TrueElements true_elements(const Array &mask);

// Returns the numbers of the elements along a dimension, as s32 of the same shape: iota.
Array indices_along(const Array &x, std::int64_t dimension, ElementType type = ElementType::S32);

}  // namespace bp::import::array
