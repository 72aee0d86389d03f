#include "plugins/llvm/contraction/memory.h"

#include <llvm/IR/Module.h>

#include <algorithm>
#include <numeric>

#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/scalar/expression.h"
#include "plugins/llvm/scalar/lanes.h"

namespace bp::emit {

namespace {

// Rounds to nearest even with integer arithmetic, because LLVM calls a library function for this on CPUs without an
// instruction for it.
llvm::Value *f32_to_bf16_bits(llvm::IRBuilder<> &b, llvm::Value *value) {
  Expression x(b, value);
  Expression bits = x.bits();
  Expression upper = x.with(b.CreateLShr(bits.value(), 16));
  Expression odd = upper & upper.constant(1);
  Expression rounded = x.with(b.CreateLShr((bits + odd + 0x7fff).value(), 16));
  Expression quiet = upper | upper.constant(0x40);
  return b.CreateTrunc(select(is_nan(x), quiet, rounded).value(), x.lanes_of(b.getInt16Ty()));
}

}  // namespace

ContractionMemory::ContractionMemory(llvm::IRBuilder<> &builder, const VectorTarget &vector_target,
                                     const ContractionProblem &contraction,
                                     std::array<llvm::Value *, 3> operand_pointers,
                                     std::span<llvm::Value *const> pointers_of_fusion)
    : b(builder),
      target(vector_target),
      problem(contraction),
      width(vector_target.vector_bits / contraction.types.accumulate->getScalarSizeInBits()),
      sum_type(contraction.types.accumulate),
      sum_vector(llvm::FixedVectorType::get(sum_type, static_cast<unsigned>(width))),
      lane_index(contraction.needs_wide_index ? b.getInt64Ty() : b.getInt32Ty()),
      pointers(operand_pointers),
      fused_pointers(pointers_of_fusion) {}

llvm::Value *ContractionMemory::lane_indices(llvm::Value *first) const {
  llvm::Value *base = splat(b.CreateTruncOrBitCast(first, lane_index));
  std::vector<llvm::Constant *> counts;
  for (int64_t i = 0; i < width; ++i) {
    counts.push_back(llvm::ConstantInt::getSigned(lane_index, i));
  }
  return b.CreateAdd(base, llvm::ConstantVector::get(counts));
}

llvm::Value *ContractionMemory::minimum(llvm::Value *x, int64_t limit) const {
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, llvm::ConstantInt::getSigned(x->getType(), limit));
}

ElementOffset ContractionMemory::locate(llvm::Value *flat, const std::vector<Axis> &axes, Operand operand) const {
  llvm::Type *type = flat->getType();
  auto constant = [&](int64_t value) { return llvm::ConstantInt::getSigned(type, value); };
  ElementOffset element{constant(0), std::vector<llvm::Value *>(problem.windows.size())};
  auto add_product = [&](llvm::Value *&sum, llvm::Value *index, int64_t factor) {
    if (factor != 0) {
      llvm::Value *product = factor == 1 ? index : b.CreateMul(index, constant(factor));
      sum = sum == nullptr ? product : b.CreateAdd(sum, product);
    }
  };
  llvm::Value *rest = flat;
  for (size_t i = axes.size(); i-- > 0;) {
    const Axis &axis = axes[i];
    llvm::Value *index = i == 0 ? rest : b.CreateURem(rest, constant(axis.size));
    rest = i == 0 ? nullptr : b.CreateUDiv(rest, constant(axis.size));
    add_product(element.offset, index, stride_of(axis, operand));
    if (operand == lhs_operand && axis.window >= 0) {
      add_product(element.coordinates[static_cast<size_t>(axis.window)], index, axis.step);
    }
  }
  return element;
}

ElementOffset ContractionMemory::sum(const ElementOffset &x, const ElementOffset &y) const {
  auto add = [&](llvm::Value *u, llvm::Value *v) { return u == nullptr ? v : v == nullptr ? u : b.CreateAdd(u, v); };
  ElementOffset result{add(x.offset, y.offset), {}};
  for (size_t w = 0; w < problem.windows.size(); ++w) {
    result.coordinates.push_back(add(x.coordinates[w], y.coordinates[w]));
  }
  return result;
}

Lanes ContractionMemory::lanes_of(const ElementOffset &element, const std::vector<Axis> &axes, Operand operand,
                                  llvm::Value *first) const {
  int64_t stride = 0;
  if (has_single_stride(axes, operand, &stride)) {
    if (operand == out_operand && axes.empty()) {
      return {Lanes::contiguous, first, nullptr};  // only one of them exists
    }
    if (stride == 0) {
      return {Lanes::uniform, integer(0), nullptr};
    }
    if (stride == 1) {
      return {Lanes::contiguous, first, nullptr};
    }
    if (stride > 1 && stride <= Lanes::largest_stride) {
      return {Lanes::strided, b.CreateMul(first, integer(stride)), nullptr, stride};
    }
  }
  return {Lanes::scattered, nullptr, element.offset};
}

llvm::Value *ContractionMemory::are_neighbours(llvm::Value *offsets) const {
  llvm::Value *first = b.CreateExtractElement(offsets, uint64_t{0});
  llvm::Value *expected = lane_indices(b.CreateSExtOrBitCast(first, b.getInt64Ty()));
  return b.CreateAndReduce(b.CreateICmpEQ(offsets, expected));
}

Lanes ContractionMemory::as_contiguous(const ContractionMemory &memory, const Lanes &lanes) {
  if (lanes.kind != Lanes::scattered) {
    return lanes;
  }
  llvm::IRBuilder<> &b = memory.b;
  llvm::Value *first = b.CreateExtractElement(lanes.offsets, uint64_t{0});
  return {Lanes::contiguous, b.CreateSExtOrBitCast(first, b.getInt64Ty()), nullptr};
}

Mask ContractionMemory::mask_of(std::span<const ElementOffset *const> parts) const {
  Mask mask;
  for (size_t w = 0; w < problem.windows.size(); ++w) {
    if (problem.windows[w].size == Window::unbounded) {
      continue;
    }
    llvm::Value *scalar = integer(problem.windows[w].origin);
    llvm::Value *vector = nullptr;
    for (const ElementOffset *element : parts) {
      llvm::Value *coordinate = element->coordinates[w];
      if (coordinate == nullptr) {
        continue;
      }
      if (coordinate->getType()->isVectorTy()) {
        vector = vector == nullptr ? coordinate : b.CreateAdd(vector, coordinate);
      } else {
        scalar = b.CreateAdd(scalar, coordinate);
      }
    }
    llvm::Value *sum = scalar;
    if (vector != nullptr) {
      sum = b.CreateAdd(vector, splat(b.CreateTruncOrBitCast(scalar, lane_index)));
    }
    llvm::Value *is_inside =
        b.CreateICmpULT(sum, llvm::ConstantInt::getSigned(sum->getType(), problem.windows[w].size));
    llvm::Value *&part = vector == nullptr ? mask.condition : mask.lanes;
    part = mask_and(part, is_inside);
  }
  return mask;
}

llvm::Value *ContractionMemory::are_inside(const ElementOffset &position, const std::vector<Axis> &axes) const {
  llvm::Value *all = b.getTrue();
  for (size_t w = 0; w < problem.windows.size(); ++w) {
    if (problem.windows[w].size == Window::unbounded) {
      continue;
    }
    int64_t low = problem.windows[w].origin, high = low;
    for (const Axis &axis : axes) {
      const int64_t reach = axis.window == static_cast<int>(w) ? axis.step * (axis.size - 1) : 0;
      (reach < 0 ? low : high) += reach;
    }
    for (const int64_t end : {low, high}) {
      llvm::Value *coordinate = position.coordinates[w];
      coordinate = coordinate == nullptr ? integer(end) : b.CreateAdd(coordinate, integer(end));
      all = b.CreateAnd(all, b.CreateICmpULT(coordinate, integer(problem.windows[w].size)));
    }
  }
  return all;
}

llvm::Value *ContractionMemory::mask_and(llvm::Value *x, llvm::Value *y) const {
  if (x == nullptr || y == nullptr) {
    return x == nullptr ? y : x;
  }
  if (x->getType() != y->getType()) {
    (x->getType()->isVectorTy() ? y : x) = splat(x->getType()->isVectorTy() ? y : x);
  }
  return b.CreateAnd(x, y);
}

llvm::Type *ContractionMemory::element_type(Operand operand) const {
  return operand == lhs_operand ? problem.types.lhs : operand == rhs_operand ? problem.types.rhs : problem.types.out;
}

llvm::Align ContractionMemory::alignment(Operand operand) const {
  return llvm::Align(std::max(1U, element_type(operand)->getScalarSizeInBits() / 8));
}

// Returns a number that divides the offsets of all vectors of `lanes` lanes along these axes.
int64_t ContractionMemory::vector_multiple(Operand operand, const std::vector<Axis> &along, int64_t lanes) const {
  int64_t elements = std::gcd(lanes, problem.offsets[operand]);
  for (const std::vector<Axis> *axes : {&problem.batch, &problem.rows, &problem.columns, &problem.contracted}) {
    for (const Axis &axis : *axes) {
      const bool is_along = axes == &along && &axis == &along.back();
      elements = is_along ? elements : std::gcd(elements, stride_of(axis, operand));
    }
  }
  return elements;
}

llvm::Align ContractionMemory::vector_alignment(Operand operand, const std::vector<Axis> &along, int64_t lanes) const {
  const auto bytes = static_cast<uint64_t>(vector_multiple(operand, along, lanes)) * alignment(operand).value();
  const llvm::Align of_pointer =
      pointers[operand]->getPointerAlignment(b.GetInsertBlock()->getModule()->getDataLayout());
  return std::min(of_pointer, llvm::Align(bytes & (~bytes + 1)));
}

llvm::Value *ContractionMemory::to_sum_type(llvm::Value *stored, Operand operand) const {
  llvm::Type *type = element_type(operand);
  llvm::Type *wanted = with_lanes_of(sum_type, stored);
  if (type == sum_type) {
    return stored;
  }
  if (type->isBFloatTy()) {
    llvm::Value *wide = b.CreateZExt(stored, with_lanes_of(b.getInt32Ty(), stored));
    stored = b.CreateBitCast(b.CreateShl(wide, 16), with_lanes_of(b.getFloatTy(), stored));
  } else if (type->isHalfTy()) {
    stored = b.CreateBitCast(stored, with_lanes_of(type, stored));
  }
  return sum_type->isFloatingPointTy() ? b.CreateFPExt(stored, wanted)
                                       : b.CreateIntCast(stored, wanted, problem.types.is_signed);
}

// Computes a vector of neighbours along the axis whose stride is 1.
llvm::Value *ContractionMemory::load_computed(Operand operand, llvm::Value *offset) const {
  const std::vector<Axis> *along = &problem.contracted;
  for (const std::vector<Axis> *axes : {&problem.rows, &problem.columns}) {
    along = !axes->empty() && stride_of(axes->back(), operand) == 1 ? axes : along;
  }
  const int64_t multiple = vector_multiple(operand, *along, width);
  return to_sum_type(finish_load(start_prologue(operand, offset, width, multiple, nullptr)), operand);
}

llvm::Value *ContractionMemory::load(Operand operand, const Lanes &lanes, llvm::Value *offset, const Mask &mask) const {
  if (problem.prologues[operand] && lanes.kind == Lanes::contiguous) {
    return load_computed(operand, b.CreateAdd(offset, lanes.first));
  }
  if (lanes.kind == Lanes::uniform && mask.lanes == nullptr) {
    return splat(load_scalar(operand, offset, mask.condition));
  }
  llvm::Type *storage = storage_type(operand);
  auto *vector = llvm::FixedVectorType::get(storage, static_cast<unsigned>(width));
  llvm::Value *pointer = b.CreateGEP(storage, pointers[operand], offset);
  if (lanes.kind == Lanes::strided) {
    return to_sum_type(load_strided(operand, lanes, pointer, mask), operand);
  }
  llvm::Value *some = mask_and(mask.lanes, mask.condition);
  llvm::Value *full_mask = some == nullptr ? llvm::ConstantInt::getTrue(vector->getWithNewType(b.getInt1Ty()))
                           : some->getType()->isVectorTy() ? some
                                                           : splat(some);
  llvm::Value *nothing = llvm::Constant::getNullValue(vector);
  llvm::Value *stored;
  if (lanes.kind == Lanes::contiguous) {
    pointer = b.CreateGEP(storage, pointer, lanes.first);
    if (mask.condition != nullptr) {
      // Masked loads from pages that do not exist take a microcode assist of some hundred cycles.
      pointer = b.CreateSelect(mask.condition, pointer, pointers[operand]);
    }
    stored =
        some == nullptr
            ? b.CreateAlignedLoad(vector, pointer, alignment(operand))
            : static_cast<llvm::Value *>(b.CreateMaskedLoad(vector, pointer, alignment(operand), full_mask, nothing));
  } else {
    llvm::Value *offsets =
        lanes.kind == Lanes::uniform ? llvm::Constant::getNullValue(vector->getWithNewType(lane_index)) : lanes.offsets;
    stored = gather(b, vector, b.CreateGEP(storage, pointer, offsets), alignment(operand), full_mask);
  }
  return to_sum_type(stored, operand);
}

// Returns which elements of vector number `part` (there are as many vectors as the stride) are lanes that are on.
llvm::Value *ContractionMemory::part_mask(const Lanes &lanes, int64_t part, const Mask &mask) const {
  std::vector<int> from;
  for (int64_t i = part * width; i < (part + 1) * width; ++i) {
    from.push_back(static_cast<int>(i % lanes.stride == 0 ? i / lanes.stride : width));
  }
  auto *type = llvm::FixedVectorType::get(b.getInt1Ty(), static_cast<unsigned>(width));
  llvm::Value *all = mask.lanes == nullptr ? llvm::ConstantInt::getTrue(type) : mask.lanes;
  return mask_and(b.CreateShuffleVector(all, llvm::Constant::getNullValue(type), from), mask.condition);
}

llvm::Value *ContractionMemory::load_strided(Operand operand, const Lanes &lanes, llvm::Value *pointer,
                                             const Mask &mask) const {
  llvm::Type *storage = storage_type(operand);
  auto *vector = llvm::FixedVectorType::get(storage, static_cast<unsigned>(width));
  llvm::Value *result = llvm::Constant::getNullValue(vector);
  for (int64_t part = 0; part < lanes.stride; ++part) {
    llvm::Value *address = b.CreateGEP(storage, pointer, b.CreateAdd(lanes.first, integer(part * width)));
    llvm::Value *loaded = b.CreateMaskedLoad(vector, address, alignment(operand), part_mask(lanes, part, mask),
                                             llvm::Constant::getNullValue(vector));
    std::vector<int> from;
    for (int64_t lane = 0; lane < width; ++lane) {
      int64_t at = lane * lanes.stride;
      from.push_back(static_cast<int>(at / width == part ? width + at % width : lane));
    }
    result = b.CreateShuffleVector(result, loaded, from);
  }
  return result;
}

void ContractionMemory::store_strided(llvm::Value *finished, const Lanes &lanes, llvm::Value *pointer,
                                      llvm::Value *mask) const {
  for (int64_t part = 0; part < lanes.stride; ++part) {
    std::vector<int> from;
    for (int64_t i = part * width; i < (part + 1) * width; ++i) {
      from.push_back(static_cast<int>(i / lanes.stride));
    }
    b.CreateMaskedStore(b.CreateShuffleVector(finished, from),
                        b.CreateGEP(storage_type(out_operand), pointer, integer(part * width)), alignment(out_operand),
                        part_mask(lanes, part, {nullptr, mask}));
  }
}

llvm::Value *ContractionMemory::load_scalar(Operand operand, llvm::Value *offset, llvm::Value *mask) const {
  return to_sum_type(load_bits(operand, offset, mask), operand);
}

llvm::Value *ContractionMemory::address(Operand operand, llvm::Value *offset, llvm::Value *mask) const {
  llvm::Value *at = mask == nullptr ? offset : b.CreateSelect(mask, offset, integer(0));
  return b.CreateGEP(storage_type(operand), pointers[operand], at);
}

// Reads the operand's first element instead of elements in the padding.
llvm::Value *ContractionMemory::load_bits(Operand operand, llvm::Value *offset, llvm::Value *mask) const {
  if (problem.prologues[operand]) {
    return finish_load(start_prologue(operand, offset, 1, 1, mask));
  }
  llvm::Type *storage = storage_type(operand);
  llvm::Value *stored = b.CreateAlignedLoad(storage, address(operand, offset, mask), alignment(operand));
  return mask == nullptr ? stored : b.CreateSelect(mask, stored, llvm::Constant::getNullValue(storage));
}

ContractionMemory::Loading ContractionMemory::start_load(Operand operand, const std::vector<Axis> &along,
                                                         llvm::Value *offset, int64_t lanes, llvm::Value *mask) const {
  if (problem.prologues[operand]) {
    return start_prologue(operand, offset, lanes, vector_multiple(operand, along, lanes), mask);
  }
  auto *vector = llvm::FixedVectorType::get(storage_type(operand), static_cast<unsigned>(lanes));
  llvm::Value *stored =
      b.CreateAlignedLoad(vector, address(operand, offset, mask), vector_alignment(operand, along, lanes));
  stored = mask == nullptr ? stored : b.CreateSelect(mask, stored, llvm::Constant::getNullValue(vector));
  return {operand, lanes, {stored}, nullptr};
}

ContractionMemory::Loading ContractionMemory::start_prologue(Operand operand, llvm::Value *offset, int64_t lanes,
                                                             int64_t multiple, llvm::Value *mask) const {
  llvm::Value *at = mask == nullptr ? offset : b.CreateSelect(mask, offset, integer(0));
  return {operand, lanes, problem.prologues[operand].read(b, {at, lanes, multiple, fused_pointers}), mask};
}

// The prologue may compute a nonzero value from masked-off elements, so the result is set to zero at the end.
llvm::Value *ContractionMemory::finish_load(const Loading &loading) const {
  const Prologue &prologue = problem.prologues[loading.operand];
  if (!prologue) {
    return loading.values[0];
  }
  llvm::Value *stored = prologue.compute(b, loading.values, loading.lanes);
  return loading.mask == nullptr
             ? stored
             : b.CreateSelect(loading.mask, stored, llvm::Constant::getNullValue(stored->getType()));
}

std::vector<llvm::Value *> ContractionMemory::parts_of(llvm::Value *stored) const {
  const auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(stored->getType());
  if (vector == nullptr) {
    return {stored};
  }
  std::vector<llvm::Value *> parts;
  for (unsigned i = 0; i < vector->getNumElements(); ++i) {
    parts.push_back(b.CreateExtractElement(stored, uint64_t{i}));
  }
  return parts;
}

std::vector<llvm::Value *> ContractionMemory::as_sums(Operand operand, llvm::Value *stored) const {
  std::vector<llvm::Value *> parts = parts_of(stored);
  for (llvm::Value *&part : parts) {
    part = to_sum_type(part, operand);
  }
  return parts;
}

llvm::Value *ContractionMemory::finish(const EpilogueSite &site) const {
  llvm::Value *sums = problem.epilogue ? problem.epilogue.emit(b, site) : site.sums;
  llvm::Type *out = with_lanes_of(problem.types.out, sums);
  auto as_stored = [&](llvm::Value *value) {
    return problem.types.out->is16bitFPTy() ? b.CreateBitCast(value, with_lanes_of(b.getInt16Ty(), value)) : value;
  };
  if (sums->getType() == out) {
    return as_stored(sums);
  }
  if (problem.types.out->isBFloatTy()) {
    return f32_to_bf16_bits(b, b.CreateFPCast(sums, with_lanes_of(b.getFloatTy(), sums)));
  }
  return as_stored(sums->getType()->isFPOrFPVectorTy() ? b.CreateFPCast(sums, out)
                                                       : b.CreateIntCast(sums, out, problem.types.is_signed));
}

void ContractionMemory::store(llvm::Value *sums, const Lanes &lanes, llvm::Value *offset, llvm::Value *mask) const {
  llvm::Type *storage = storage_type(out_operand);
  auto *lane_mask = llvm::FixedVectorType::get(b.getInt1Ty(), static_cast<unsigned>(width));
  llvm::Value *full_mask = mask == nullptr ? llvm::ConstantInt::getTrue(lane_mask) : mask;
  bool is_contiguous = lanes.kind == Lanes::contiguous;
  bool is_scattered = lanes.kind == Lanes::scattered;
  llvm::Value *base = is_scattered ? offset : b.CreateAdd(offset, lanes.first);
  llvm::Value *offsets = nullptr;
  if (problem.epilogue) {
    auto *wide = llvm::FixedVectorType::get(b.getInt64Ty(), static_cast<unsigned>(width));
    llvm::Value *in_row = is_scattered ? b.CreateSExtOrBitCast(lanes.offsets, wide)
                                       : b.CreateMul(b.CreateStepVector(wide), splat(integer(lanes.stride)));
    offsets = b.CreateAdd(splat(base), in_row);
  }
  llvm::Value *finished = finish(
      {sums, offsets, full_mask, is_scattered ? nullptr : base, is_scattered ? 0 : lanes.stride, fused_pointers});
  llvm::Value *pointer = b.CreateGEP(storage, pointers[out_operand], base);
  if (lanes.kind == Lanes::strided) {
    store_strided(finished, lanes, pointer, full_mask);
  } else if (!is_contiguous) {
    scatter(b, finished, b.CreateGEP(storage, pointer, lanes.offsets), alignment(out_operand), full_mask);
  } else if (mask == nullptr) {
    b.CreateAlignedStore(finished, pointer, alignment(out_operand));
  } else {
    b.CreateMaskedStore(finished, pointer, alignment(out_operand), mask);
  }
}

void ContractionMemory::store_scalar(llvm::Value *sum, llvm::Value *offset) const {
  llvm::Value *finished = finish({sum, offset, b.getTrue(), offset, 1, fused_pointers});
  llvm::Value *pointer = b.CreateGEP(storage_type(out_operand), pointers[out_operand], offset);
  b.CreateAlignedStore(finished, pointer, alignment(out_operand));
}

llvm::Value *ContractionMemory::multiply_add(llvm::Value *x, llvm::Value *y, llvm::Value *sum) const {
  if (!sum_type->isFloatingPointTy()) {
    return b.CreateAdd(sum, b.CreateMul(x, y));
  }
  if (!target.has_fma) {
    return b.CreateFAdd(sum, b.CreateFMul(x, y));
  }
  return b.CreateIntrinsic(llvm::Intrinsic::fma, {sum->getType()}, {x, y, sum});
}

// Knuth's two-sum, plus the rounding error of the product by a fused multiply-add.
void ContractionMemory::add_compensated(llvm::Value *x, llvm::Value *y, llvm::Value *&sum, llvm::Value *&loss) const {
  llvm::Value *product = b.CreateFMul(x, y);
  if (target.has_fma) {
    loss = b.CreateFAdd(loss, multiply_add(x, y, b.CreateFNeg(product)));
  }
  llvm::Value *next = b.CreateFAdd(sum, product);
  llvm::Value *added = b.CreateFSub(next, sum);
  llvm::Value *lost = b.CreateFAdd(b.CreateFSub(sum, b.CreateFSub(next, added)), b.CreateFSub(product, added));
  loss = b.CreateFAdd(loss, lost);
  sum = next;
}

// The loss of an infinite sum is NaN and is ignored.
llvm::Value *ContractionMemory::compensated(llvm::Value *sum, llvm::Value *loss) const {
  llvm::Value *known = b.CreateSelect(b.CreateFCmpORD(loss, loss), loss, llvm::Constant::getNullValue(loss->getType()));
  return b.CreateFAdd(sum, known);
}

}  // namespace bp::emit
