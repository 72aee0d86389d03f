// Addresses of the elements of a contraction, and loads and stores of vectors of them. A vector runs along the flat
// index of some axes. If its elements are neighbours in memory, it is one load or store; if they have a stride of two
// to four, it is as many loads or stores; if rows of a window end within it, or strides are larger, its elements are
// gathered. Elements in the padding are masked off and read as zero.
#pragma once

#include <array>
#include <span>

#include "plugins/llvm/contraction/problem.h"

namespace bp::emit {

// A position in an operand: an offset in elements and, for lhs, the contribution to the coordinate of each window
// (null: none). Values are i64, or vectors of the lane index type.
struct ElementOffset {
  llvm::Value *offset = nullptr;
  std::vector<llvm::Value *> coordinates;
};

// The elements of one operand along a vector.
struct Lanes {
  enum Kind { uniform, contiguous, strided, scattered };
  static constexpr int64_t largest_stride = 4;
  Kind kind = scattered;
  llvm::Value *first = nullptr;    // i64 offset of lane 0, unless scattered
  llvm::Value *offsets = nullptr;  // a vector, only if scattered
  int64_t stride = 1;              // if strided: 2 to largest_stride
};

// The lanes that are on: those of `lanes` (a vector of i1) if `condition` (i1) is true, otherwise none. A null field is
// true everywhere. The fields are separate because the vector is often the same for many rows.
struct Mask {
  llvm::Value *condition = nullptr;
  llvm::Value *lanes = nullptr;
};

// Returns the type with which elements are moved: integers for 16-bit floats, because masked accesses of integers are
// supported everywhere.
inline llvm::Type *storage_type_of(llvm::Type *element) {
  return element->is16bitFPTy() ? llvm::Type::getInt16Ty(element->getContext()) : element;
}

class ContractionMemory {
 public:
  ContractionMemory(llvm::IRBuilder<> &builder, const VectorTarget &target, const ContractionProblem &problem,
                    std::array<llvm::Value *, 3> pointers, std::span<llvm::Value *const> fused_pointers);

  llvm::IRBuilder<> &b;
  const VectorTarget &target;
  const ContractionProblem &problem;
  const int64_t width;           // lanes per vector
  llvm::Type *const sum_type;    // scalar
  llvm::Type *const sum_vector;  // <width x sum_type>
  llvm::Type *const lane_index;  // i32 or i64
  std::array<llvm::Value *, 3> pointers;
  std::span<llvm::Value *const> fused_pointers;  // borrowed

  llvm::Value *integer(int64_t value) const { return b.getInt64(static_cast<uint64_t>(value)); }
  llvm::Value *lane_indices(llvm::Value *first) const;  // first (i64) + 0, 1, 2, ... as a vector of lane_index
  llvm::Value *splat(llvm::Value *scalar) const { return b.CreateVectorSplat(static_cast<unsigned>(width), scalar); }
  llvm::Value *minimum(llvm::Value *x, int64_t limit) const;  // of signed integers

  // Returns the offset of a flat index (i64, or a vector of lane_index) of axes.
  ElementOffset locate(llvm::Value *flat, const std::vector<Axis> &axes, Operand operand) const;
  ElementOffset sum(const ElementOffset &x, const ElementOffset &y) const;  // both scalar

  // Returns the elements of `operand` at a vector of flat indices, the first of which is `first`.
  Lanes lanes_of(const ElementOffset &element, const std::vector<Axis> &axes, Operand operand,
                 llvm::Value *first) const;
  // i1: whether the lanes are neighbours in memory, in order.
  llvm::Value *are_neighbours(llvm::Value *offsets) const;
  static Lanes as_contiguous(const ContractionMemory &memory, const Lanes &lanes);

  // Returns the mask of lhs lanes that are inside all windows, given the parts that add up to the coordinate.
  Mask mask_of(std::span<const ElementOffset *const> parts) const;
  // i1: whether the lhs elements at a position and any indices of these axes are inside all windows; the position is
  // scalar.
  llvm::Value *are_inside(const ElementOffset &position, const std::vector<Axis> &axes) const;
  llvm::Value *mask_and(llvm::Value *x, llvm::Value *y) const;  // either may be null: all lanes
  // i1: index < end, where indices go up to a multiple of `step`; null if that is true for all.
  llvm::Value *is_below(llvm::Value *index, int64_t end, int64_t step) const {
    return end % step == 0 ? nullptr : b.CreateICmpULT(index, integer(end));
  }
  llvm::Value *mask_and(llvm::Value *x, const Mask &y) const { return mask_and(x, mask_and(y.lanes, y.condition)); }

  // Loads elements as sum_type; masked-off lanes are zero. `offset` is an i64 that is added to the lanes' offsets.
  llvm::Value *load(Operand operand, const Lanes &lanes, llvm::Value *offset, const Mask &mask) const;
  llvm::Value *load(Operand operand, const Lanes &lanes, llvm::Value *offset, llvm::Value *mask) const {
    bool is_vector = mask != nullptr && mask->getType()->isVectorTy();
    return load(operand, lanes, offset, is_vector ? Mask{nullptr, mask} : Mask{mask, nullptr});
  }
  llvm::Value *load_scalar(Operand operand, llvm::Value *offset, llvm::Value *mask) const;
  // Loads an element in its storage type.
  llvm::Value *load_bits(Operand operand, llvm::Value *offset, llvm::Value *mask) const;
  // Loads a vector of neighbours in their storage type. `along`: the axes, of `problem`, whose flat index is a multiple
  // of `lanes` (has_vectors). mask: i1. vector_alignment() is the alignment of its address; as_sums() and parts_of()
  // return its elements as sum_type and unconverted. start_load() and finish_load() do it in two steps, between which
  // other work can be done.
  llvm::Value *load_vector(Operand operand, const std::vector<Axis> &along, llvm::Value *offset, int64_t lanes,
                           llvm::Value *mask) const {
    return finish_load(start_load(operand, along, offset, lanes, mask));
  }
  struct Loading {
    Operand operand = lhs_operand;
    int64_t lanes = 0;
    std::vector<llvm::Value *> values;  // the vector, or the values that its prologue has read
    llvm::Value *mask = nullptr;        // for the elements to be computed
  };
  Loading start_load(Operand operand, const std::vector<Axis> &along, llvm::Value *offset, int64_t lanes,
                     llvm::Value *mask) const;
  llvm::Value *finish_load(const Loading &loading) const;
  llvm::Align vector_alignment(Operand operand, const std::vector<Axis> &along, int64_t lanes) const;
  std::vector<llvm::Value *> as_sums(Operand operand, llvm::Value *stored) const;
  std::vector<llvm::Value *> parts_of(llvm::Value *stored) const;
  // Returns the address of an element, or that of the operand's first element if mask is false, which exists if any
  // element does.
  llvm::Value *address(Operand operand, llvm::Value *offset, llvm::Value *mask) const;
  // Runs the epilogue, converts and stores.
  void store(llvm::Value *sums, const Lanes &lanes, llvm::Value *offset, llvm::Value *mask) const;
  void store_scalar(llvm::Value *sum, llvm::Value *offset) const;

  llvm::Align sum_alignment() const { return llvm::Align(sum_type->getScalarSizeInBits() / 8); }
  llvm::Value *zero() const { return llvm::Constant::getNullValue(sum_vector); }
  llvm::Value *multiply_add(llvm::Value *x, llvm::Value *y, llvm::Value *sum) const;
  // sum + loss += x * y, where `loss` collects the rounding errors of the sum.
  void add_compensated(llvm::Value *x, llvm::Value *y, llvm::Value *&sum, llvm::Value *&loss) const;
  llvm::Value *compensated(llvm::Value *sum, llvm::Value *loss) const;

 private:
  llvm::Value *load_computed(Operand operand, llvm::Value *offset) const;
  llvm::Value *load_strided(Operand operand, const Lanes &lanes, llvm::Value *pointer, const Mask &mask) const;
  void store_strided(llvm::Value *finished, const Lanes &lanes, llvm::Value *pointer, llvm::Value *mask) const;
  llvm::Value *part_mask(const Lanes &lanes, int64_t part, const Mask &mask) const;
  llvm::Type *element_type(Operand operand) const;
  llvm::Type *storage_type(Operand operand) const { return storage_type_of(element_type(operand)); }
  llvm::Value *to_sum_type(llvm::Value *stored, Operand operand) const;
  llvm::Value *finish(const EpilogueSite &site) const;
  llvm::Align alignment(Operand operand) const;
  int64_t vector_multiple(Operand operand, const std::vector<Axis> &along, int64_t lanes) const;
  Loading start_prologue(Operand operand, llvm::Value *offset, int64_t lanes, int64_t multiple,
                         llvm::Value *mask) const;
};

}  // namespace bp::emit
