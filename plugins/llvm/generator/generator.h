// Generator: the value of any element of any value, as code. Producers are computed where they are needed, so a fusion
// of any shape is one loop nest around element() of its roots; what was computed before for the same coordinates is
// used again.
#pragma once

#include <unordered_map>
#include <vector>

#include "plugins/llvm/contraction/contraction.h"
#include "plugins/llvm/generator/index.h"
#include "plugins/llvm/module_view.h"

namespace bp::emit {

using Indices = std::vector<Index>;

// A loop over dimensions that are next to each other in memory, from major to minor, treated as one.
struct LoopGroup {
  std::vector<std::int64_t> dims;
  std::int64_t size = 1;
};

class Generator {
 public:
  Generator(const ModuleView &module, KernelBuilder &builder, const VectorTarget &target)
      : module_(module), k_(builder), target_(target) {}

  // The value lies in memory, in its shape's layout.
  void bind(std::uint32_t value, llvm::Value *pointer) { bindings_[value] = {.pointer = pointer}; }
  // Parameters of an embedded computation are the values given.
  void bind_parameters(ComputationView computation, std::span<const std::uint32_t> values);

  // From here on, whatever element of the value is asked for, it is this one.
  void bind_element(std::uint32_t value, llvm::Value *element) { bindings_[value] = {.element = element}; }
  // Computes the scalars of a fused computation here, so that no loop does.
  void bind_scalars(ComputationView computation);
  // From here on, the value lies in memory, with these strides in place of its layout's.
  void bind_row(std::uint32_t value, llvm::Value *pointer, std::vector<std::int64_t> strides) {
    bindings_[value] = {.pointer = pointer, .strides = std::move(strides)};
  }

  // Where a value was bound to lie in its own layout, or null.
  llvm::Value *pointer_of(std::uint32_t value) const;

  // A scalar if it is the same for all lanes, else a vector of lanes() elements.
  llvm::Value *element(std::uint32_t value, std::span<const Index> indices);
  // The roots of a computation on scalars (or lanes of them).
  std::vector<llvm::Value *> call(ComputationView computation, std::span<llvm::Value *const> arguments);
  // A start index of dynamic-slice or gather, clamped into [0, limit].
  Index clamped_start(std::uint32_t value, std::span<const Index> indices, std::int64_t limit);

  // Splits `dims` (from major to minor) into loops so that no part of the computation of `values`, which have the same
  // dimensions, needs to tell the dimensions of one loop apart. At least one group, perhaps of no dimensions.
  std::vector<LoopGroup> groups(std::span<const std::uint32_t> values, std::span<const std::int64_t> dims);
  // Runs body for all coordinates of the groups, the last one in vectors of `lanes`. `indices` holds the others. With a
  // range, only for that part of the outermost loop; [0, items) of it is all. On a threaded target items are those of
  // the innermost loop, and of a range only the first one is done, if there is such an item.
  struct Range {
    llvm::Value *begin, *end;  // i64
  };
  void nest(std::span<const LoopGroup> groups, const Shape &shape, unsigned lanes, Indices indices,
            const std::function<void(std::span<const Index>)> &body, const Range *range = nullptr);
  std::int64_t items(std::span<const LoopGroup> groups, unsigned lanes) const;
  // Runs body for one item of all, those of the innermost loop.
  void at_item(std::span<const LoopGroup> groups, const Shape &shape, unsigned lanes, Indices indices,
               llvm::Value *item, const std::function<void(std::span<const Index>)> &body);
  // Lanes that fit the widest type in the computation of these values, at most as many as `size` needs. On a threaded
  // target, whose lanes are not worth a mask, they divide `size`.
  unsigned preferred_lanes(std::span<const std::uint32_t> values, std::int64_t size);
  // Whether the computation of a value, down to what is bound, reduces its innermost dimension: then it wants scalar
  // coordinates and uses vectors inside.
  bool reduces_rows(std::uint32_t value);
  bool contains(std::uint32_t value, std::uint16_t op);

 private:
  struct Binding {
    llvm::Value *pointer = nullptr;
    llvm::Value *element = nullptr;
    std::vector<std::int64_t> strides = {};  // empty: the layout's
    std::uint32_t alias = BP_NONE;
  };
  struct Accumulators;

  std::uint32_t resolve(std::uint32_t value) const;
  llvm::Value *compute(InstructionView instruction, std::uint32_t value, std::span<const Index> indices);
  llvm::Value *constant_element(InstructionView instruction, std::span<const Index> indices);
  llvm::Value *load(const Binding &binding, const Shape &shape, std::span<const Index> indices);
  // The element's bits, as compute_to_bits gives them.
  llvm::Value *bits(std::uint32_t value, std::span<const Index> indices);
  llvm::Value *bitcast_convert(InstructionView instruction, std::span<const Index> indices);
  llvm::Value *iota(InstructionView instruction, std::span<const Index> indices);
  llvm::Value *dynamic_update_slice(InstructionView instruction, std::span<const Index> indices);
  llvm::Value *concatenate(InstructionView instruction, std::span<const Index> indices, std::size_t operand,
                           std::int64_t offset);
  llvm::Value *pad(InstructionView instruction, std::span<const Index> indices);
  llvm::Value *gather(InstructionView instruction, std::span<const Index> indices);
  std::vector<llvm::Value *> reduce(InstructionView instruction, std::span<const Index> indices);
  llvm::Value *reduce_row(InstructionView instruction, std::span<const Index> indices, std::uint16_t op);
  std::vector<llvm::Value *> reduce_window(InstructionView instruction, std::span<const Index> indices);
  // condition ? inside() : otherwise(), where inside must not read memory for lanes that are off.
  llvm::Value *select_lanes(llvm::Value *condition, const std::function<llvm::Value *()> &inside,
                            const std::function<llvm::Value *()> &otherwise);
  // Calls visit for every instruction that the computation of the value runs through, once.
  void walk(std::uint32_t value, const std::function<void(InstructionView)> &visit);
  void find_cuts(std::uint32_t value, std::vector<int> positions, std::vector<bool> &cut,
                 const std::vector<std::int64_t> &sizes, std::map<std::vector<std::int64_t>, bool> &seen);

  const ModuleView &module_;
  KernelBuilder &k_;
  VectorTarget target_;
  std::unordered_map<std::uint32_t, Binding> bindings_;
};

// The coordinates of the dimensions of a loop, from that of the loop.
void set_indices(KernelBuilder &builder, const LoopGroup &group, const Shape &shape, const Index &index,
                 Indices &indices);

// Whether all elements of a constant are the same.
bool is_splat(InstructionView constant);

// The op (BP_OP_ADD, MULTIPLY, MAXIMUM, MINIMUM, AND, OR) that a computation of two scalars is, or 0.
std::uint16_t simple_reducer(ComputationView computation);
// What leaves the other operand of such an op as it is: a scalar, or that in every lane.
llvm::Constant *reduction_start(llvm::LLVMContext &context, std::uint16_t op, std::uint16_t dtype, unsigned lanes);
// The type in which values of a type are reduced: sums of narrow floats are kept in f32 and rounded once.
std::uint16_t accumulator_type(std::uint16_t op, std::uint16_t dtype);
// Long sums of floats are taken in blocks of so many, each of which starts anew.
inline constexpr std::int64_t sum_block = 128;
// A vector's lanes, a power of two of them, combined in a tree. A scalar is itself.
llvm::Value *across_lanes(llvm::IRBuilderBase &builder, llvm::Value *lanes,
                          const std::function<llvm::Value *(llvm::Value *, llvm::Value *)> &combine);

}  // namespace bp::emit
