// Generator: emits code for any element of any value. Operands are computed where they are needed, so a fusion of any
// shape is one loop nest around element() of its roots; elements already computed for the same coordinates are reused.
#pragma once

#include <unordered_map>
#include <vector>

#include "plugins/llvm/generator/index.h"
#include "plugins/llvm/module_view.h"
#include "plugins/llvm/vector_target.h"

namespace bp::emit {

using Indices = std::vector<Index>;

// One loop over dimensions that are next to each other in memory, from major to minor.
struct LoopGroup {
  std::vector<std::int64_t> dims;
  std::int64_t size = 1;
};

class Generator {
 public:
  Generator(const ModuleView &module, KernelBuilder &builder, const VectorTarget &target)
      : module_(module), k_(builder), target_(target) {}

  // Declares that the value is in memory at `pointer`, in its shape's layout.
  void bind(std::uint32_t value, llvm::Value *pointer) { bindings_[value] = {.pointer = pointer}; }
  // Declares that the parameters of an embedded computation are the given values.
  void bind_parameters(ComputationView computation, std::span<const std::uint32_t> values);

  // From here on, `element` is every element of the value.
  void bind_element(std::uint32_t value, llvm::Value *element) { bindings_[value] = {.element = element}; }
  // Computes the scalars of a fused computation here, so that no loop computes them.
  void bind_scalars(ComputationView computation);
  // From here on, the value is in memory with these strides instead of those of its layout.
  void bind_row(std::uint32_t value, llvm::Value *pointer, std::vector<std::int64_t> strides) {
    bindings_[value] = {.pointer = pointer, .strides = std::move(strides)};
  }

  // Returns the pointer to a value that was bound in its own layout, or nullptr.
  llvm::Value *pointer_of(std::uint32_t value) const;

  // Returns an element: a scalar if it is the same for all lanes, else a vector of lanes() elements.
  llvm::Value *element(std::uint32_t value, std::span<const Index> indices);
  // Returns the roots of a computation applied to scalars or vectors.
  std::vector<llvm::Value *> call(ComputationView computation, std::span<llvm::Value *const> arguments);
  // Returns another value of a computation that is applied in the same way.
  llvm::Value *value_in(ComputationView computation, std::uint32_t value, std::span<llvm::Value *const> arguments);
  // Returns a start index of dynamic-slice or gather, clamped into [0, limit].
  Index clamped_start(std::uint32_t value, std::span<const Index> indices, std::int64_t limit);

  // Splits `dims` (from major to minor) into loops such that no part of the computation of `values`, which all have the
  // same dimensions, needs separate coordinates for the dimensions of one loop. Returns at least one group, which may
  // have no dimensions.
  std::vector<LoopGroup> groups(std::span<const std::uint32_t> values, std::span<const std::int64_t> dims);
  // Runs body for all coordinates of the groups, those of the last group in vectors of `lanes`. `indices` holds the
  // coordinates of the other dimensions. With a range, runs only that part of the outermost loop; [0, items) is all of
  // it. On a threaded target an item is an iteration of the innermost loop, and only item range->begin is run, if it
  // exists.
  struct Range {
    llvm::Value *begin, *end;  // i64
  };
  void nest(std::span<const LoopGroup> groups, const Shape &shape, unsigned lanes, Indices indices,
            const std::function<void(std::span<const Index>)> &body, const Range *range = nullptr);
  std::int64_t items(std::span<const LoopGroup> groups, unsigned lanes) const;
  // Runs body for one item of the nest, where an item is an iteration of the innermost loop.
  void at_item(std::span<const LoopGroup> groups, const Shape &shape, unsigned lanes, Indices indices,
               llvm::Value *item, const std::function<void(std::span<const Index>)> &body);
  // Returns the number of lanes that fit the widest type in the computation of these values, at most as many as `size`
  // needs. On a threaded target, where masks do not pay off, it divides `size`.
  unsigned preferred_lanes(std::span<const std::uint32_t> values, std::int64_t size);
  // Whether the computation of a value, down to bound values, reduces its innermost dimension: then it works best with
  // scalar coordinates, because it uses vectors inside.
  bool reduces_rows(std::uint32_t value);
  bool contains(std::uint32_t value, std::uint16_t op);

 private:
  struct Binding {
    llvm::Value *pointer = nullptr;
    llvm::Value *element = nullptr;
    std::vector<std::int64_t> strides = {};  // empty: those of the layout
    std::uint32_t alias = BP_NONE;
  };
  class RowReduction;
  using Positions = std::vector<int>;  // by dimension of a value: the loop dimension that it is, or -1
  struct Cuts;

  // Returns all values of a computation applied to scalars or vectors.
  std::unordered_map<std::uint32_t, llvm::Value *> values_of(ComputationView computation,
                                                             std::span<llvm::Value *const> arguments);
  std::uint32_t resolve(std::uint32_t value) const;
  // Returns the key under which the builder remembers an element.
  KernelBuilder::Key element_key(std::uint32_t value, std::span<const Index> indices) const;
  llvm::Value *compute(InstructionView instruction, std::uint32_t value, std::span<const Index> indices);
  llvm::Value *elementwise(InstructionView instruction, std::span<const Index> indices);
  llvm::Value *map(InstructionView instruction, std::span<const Index> indices);
  // Returns the index in one dimension of an operand that is read for the element of the result with these indices.
  // `exists`: where the index may be none of the operand's, that it is one is added to this condition (null: true).
  Index operand_index(InstructionView instruction, const plugin::IndexExpression &expression,
                      std::span<const Index> indices, llvm::Value *&exists);
  // Returns the operand's element that the result with these indices takes, or otherwise() if the operand has none.
  llvm::Value *moved(InstructionView instruction, std::size_t operand, std::span<const Index> indices,
                     const std::function<llvm::Value *()> &otherwise = nullptr);
  llvm::Value *bitcast(InstructionView instruction, std::span<const Index> indices);
  llvm::Value *constant_element(InstructionView instruction, std::span<const Index> indices);
  llvm::Value *load(const Binding &binding, const Shape &shape, std::span<const Index> indices);
  // Returns the element's bits, as from compute_to_bits.
  llvm::Value *bits(std::uint32_t value, std::span<const Index> indices);
  llvm::Value *bitcast_convert(InstructionView instruction, std::span<const Index> indices);
  llvm::Value *iota(InstructionView instruction, std::span<const Index> indices);
  // Returns an element of a concatenation that is in this operand or in one after it.
  llvm::Value *concatenate(InstructionView instruction, std::span<const Index> indices, std::size_t operand);
  llvm::Value *gather(InstructionView instruction, std::span<const Index> indices);
  std::vector<llvm::Value *> reduce(InstructionView instruction, std::span<const Index> indices);
  llvm::Value *reduce_row(InstructionView instruction, std::span<const Index> indices, std::uint16_t op);
  std::vector<llvm::Value *> reduce_window(InstructionView instruction, std::span<const Index> indices);
  // Returns condition ? inside() : otherwise(), where inside() does not read memory for lanes that are off.
  llvm::Value *select_lanes(llvm::Value *condition, const std::function<llvm::Value *()> &inside,
                            const std::function<llvm::Value *()> &otherwise);
  // Calls visit once for every instruction in the computation of the value.
  void walk(std::uint32_t value, const std::function<void(InstructionView)> &visit);
  // Adds the cuts that a value needs.
  void find_cuts(std::uint32_t value, const Positions &positions, Cuts &cuts);

  const ModuleView &module_;
  KernelBuilder &k_;
  VectorTarget target_;
  std::unordered_map<std::uint32_t, Binding> bindings_;
};

// Sets the coordinates of a loop's dimensions from the loop's index.
void set_indices(KernelBuilder &builder, const LoopGroup &group, const Shape &shape, const Index &index,
                 Indices &indices);

// Whether all elements of a constant are the same.
bool is_splat(InstructionView constant);

// Returns the op (BP_OP_ADD, MULTIPLY, MAXIMUM, MINIMUM, AND, OR) to which a computation of two scalars is equal, or 0.
std::uint16_t simple_reducer(ComputationView computation);
// Returns the neutral element of such an op: a scalar, or a vector of it.
llvm::Constant *reduction_start(llvm::LLVMContext &context, std::uint16_t op, std::uint16_t dtype, unsigned lanes);
// Returns the type in which values of a type are reduced: sums of narrow floats are kept in f32 and rounded once.
std::uint16_t accumulator_type(std::uint16_t op, std::uint16_t dtype);
// Number of elements per block of a long sum of floats; each block starts again from zero.
inline constexpr std::int64_t sum_block = 128;
// Combines the lanes of a vector, a power of two of them, in a tree. Returns a scalar unchanged.
llvm::Value *across_lanes(llvm::IRBuilderBase &builder, llvm::Value *lanes,
                          const std::function<llvm::Value *(llvm::Value *, llvm::Value *)> &combine);

}  // namespace bp::emit
