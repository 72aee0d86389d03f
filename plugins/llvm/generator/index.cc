#include "plugins/llvm/generator/index.h"

#include <llvm/IR/Intrinsics.h>

#include <numeric>

#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/scalar/lanes.h"

namespace bp::emit {

using llvm::Value;

// Forgets, when it is destroyed, the values remembered since its construction.
class KernelBuilder::Scope {
 public:
  explicit Scope(KernelBuilder &builder) : builder_(builder), size_(builder.log_.size()) {}
  ~Scope() {
    while (builder_.log_.size() > size_) {
      builder_.known_.erase(builder_.log_.back());
      builder_.log_.pop_back();
    }
  }
  Scope(const Scope &) = delete;
  Scope &operator=(const Scope &) = delete;

 private:
  KernelBuilder &builder_;
  std::size_t size_;
};

Value *KernelBuilder::find(const Key &key) const {
  const auto found = known_.find(key);
  return found == known_.end() ? nullptr : found->second;
}

void KernelBuilder::remember(Key key, Value *value) {
  if (known_.emplace(key, value).second) {
    log_.push_back(std::move(key));
  }
}

void KernelBuilder::append(Key &key, const Index &index) {
  if (index.whole >= 0) {
    key.insert(key.end(), {1, static_cast<std::uint64_t>(index.whole), static_cast<std::uint64_t>(index.divisor),
                           static_cast<std::uint64_t>(index.modulus)});
  } else {
    key.insert(key.end(),
               {2, reinterpret_cast<std::uintptr_t>(index.base), static_cast<std::uint64_t>(index.lane_stride),
                reinterpret_cast<std::uintptr_t>(index.lanes)});
  }
}

void KernelBuilder::with_lanes(unsigned lanes, Value *mask, const std::function<void()> &body) {
  const Scope scope(*this);
  const unsigned outer_lanes = std::exchange(lanes_, lanes);
  Value *outer_mask = std::exchange(mask_, mask);
  body();
  lanes_ = outer_lanes;
  mask_ = outer_mask;
}

void KernelBuilder::with_mask(Value *condition, const std::function<void()> &body) {
  Value *outer_mask = mask_;
  Value *inner = lanes_ == 1 ? condition : splat(condition);
  mask_ = mask_ == nullptr ? inner : b.CreateAnd(mask_, inner);
  body();
  mask_ = outer_mask;
}

void KernelBuilder::loop(std::int64_t begin, std::int64_t end, std::int64_t step, const Body &body) {
  loop(begin, end, step, {}, [&](Value *i, std::span<Value *const>) {
    body(i);
    return std::vector<Value *>();
  });
}

std::vector<Value *> KernelBuilder::loop(std::int64_t begin, std::int64_t end, std::int64_t step,
                                         std::vector<Value *> initial, const CarryingBody &body) {
  if (begin >= end) {
    return initial;
  }
  if (begin + step >= end) {
    return body(b.getInt64(static_cast<std::uint64_t>(begin)), initial);
  }
  llvm::BasicBlock *before = b.GetInsertBlock();
  llvm::BasicBlock *block = llvm::BasicBlock::Create(b.getContext(), "loop", before->getParent());
  llvm::BasicBlock *after = llvm::BasicBlock::Create(b.getContext(), "after", before->getParent());
  b.CreateBr(block);
  b.SetInsertPoint(block);
  const Scope scope(*this);
  llvm::PHINode *i = b.CreatePHI(b.getInt64Ty(), 2, "i");
  i->addIncoming(b.getInt64(static_cast<std::uint64_t>(begin)), before);
  std::vector<llvm::PHINode *> phis;
  std::vector<Value *> carried;
  for (Value *value : initial) {
    phis.push_back(b.CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, before);
    carried.push_back(phis.back());
  }
  const std::vector<Value *> results = body(i, carried);
  Value *next = b.CreateNSWAdd(i, b.getInt64(static_cast<std::uint64_t>(step)));
  i->addIncoming(next, b.GetInsertBlock());
  for (std::size_t k = 0; k < phis.size(); ++k) {
    phis[k]->addIncoming(results[k], b.GetInsertBlock());
  }
  b.CreateCondBr(b.CreateICmpSLT(next, b.getInt64(static_cast<std::uint64_t>(end))), block, after);
  b.SetInsertPoint(after);
  return results;
}

std::vector<Value *> KernelBuilder::dynamic_loop(Value *begin, Value *end, Value *step, std::vector<Value *> initial,
                                                 const CarryingBody &body) {
  llvm::BasicBlock *before = b.GetInsertBlock();
  llvm::Function *function = before->getParent();
  llvm::BasicBlock *head = llvm::BasicBlock::Create(b.getContext(), "head", function);
  llvm::BasicBlock *block = llvm::BasicBlock::Create(b.getContext(), "body", function);
  llvm::BasicBlock *after = llvm::BasicBlock::Create(b.getContext(), "after", function);
  b.CreateBr(head);
  b.SetInsertPoint(head);
  llvm::PHINode *i = b.CreatePHI(b.getInt64Ty(), 2, "i");
  i->addIncoming(begin, before);
  std::vector<Value *> carried;
  std::vector<llvm::PHINode *> phis;
  for (Value *value : initial) {
    phis.push_back(b.CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, before);
    carried.push_back(phis.back());
  }
  b.CreateCondBr(b.CreateICmpSLT(i, end), block, after);
  b.SetInsertPoint(block);
  {
    const Scope scope(*this);
    const std::vector<Value *> results = body(i, carried);
    i->addIncoming(b.CreateAdd(i, step), b.GetInsertBlock());
    for (std::size_t k = 0; k < phis.size(); ++k) {
      phis[k]->addIncoming(results[k], b.GetInsertBlock());
    }
  }
  b.CreateBr(head);
  b.SetInsertPoint(after);
  return carried;
}

std::vector<Value *> KernelBuilder::branch(Value *condition, const std::function<std::vector<Value *>()> &then,
                                           const std::function<std::vector<Value *>()> &otherwise) {
  llvm::Function *function = b.GetInsertBlock()->getParent();
  llvm::BasicBlock *blocks[2] = {llvm::BasicBlock::Create(b.getContext(), "then", function),
                                 llvm::BasicBlock::Create(b.getContext(), "else", function)};
  llvm::BasicBlock *after = llvm::BasicBlock::Create(b.getContext(), "endif", function);
  b.CreateCondBr(condition, blocks[0], blocks[1]);
  std::vector<Value *> results[2];
  for (int side = 0; side < 2; ++side) {
    b.SetInsertPoint(blocks[side]);
    const Scope scope(*this);
    results[side] = side == 0 ? then() : otherwise();
    if (lanes_ > 1) {
      for (Value *&value : results[side]) {
        value = splat(value);
      }
    }
    blocks[side] = b.GetInsertBlock();
    b.CreateBr(after);
  }
  b.SetInsertPoint(after);
  std::vector<Value *> merged;
  for (std::size_t k = 0; k < results[0].size(); ++k) {
    llvm::PHINode *phi = b.CreatePHI(results[0][k]->getType(), 2);
    phi->addIncoming(results[0][k], blocks[0]);
    phi->addIncoming(results[1][k], blocks[1]);
    merged.push_back(phi);
  }
  return merged;
}

void KernelBuilder::if_then(Value *condition, const std::function<void()> &then) {
  branch(
      condition,
      [&] {
        then();
        return std::vector<Value *>();
      },
      [] { return std::vector<Value *>(); });
}

Index KernelBuilder::constant(std::int64_t value) {
  return {.base = b.getInt64(static_cast<std::uint64_t>(value)),
          .multiple = value == 0 ? std::int64_t{1} << 20 : std::abs(value)};
}

Index KernelBuilder::of_lanes(Value *value) {
  if (!value->getType()->isVectorTy()) {
    return {.base = b.CreateSExtOrTrunc(value, b.getInt64Ty())};
  }
  return {.lanes = b.CreateSExtOrTrunc(value, with_lanes_of(lane_type(), value))};
}

llvm::Type *KernelBuilder::lane_type() {
  return large_ ? b.getInt64Ty() : b.getInt32Ty();
}

Value *KernelBuilder::arithmetic(llvm::Instruction::BinaryOps op, Value *x, Value *y) {
  if (llvm::isa<llvm::Constant>(x) && llvm::isa<llvm::Constant>(y)) {
    return b.CreateBinOp(op, x, y);
  }
  Key key = {0, static_cast<std::uint64_t>(op), reinterpret_cast<std::uintptr_t>(x),
             reinterpret_cast<std::uintptr_t>(y)};
  if (Value *known = find(key)) {
    return known;
  }
  Value *result = b.CreateBinOp(op, x, y);
  remember(std::move(key), result);
  return result;
}

Index KernelBuilder::add(Index x, Index y) {
  compute(x);
  compute(y);
  if (x.lanes == nullptr && y.lanes == nullptr) {
    const bool x_zero = llvm::isa<llvm::ConstantInt>(x.base) && llvm::cast<llvm::ConstantInt>(x.base)->isZero();
    const bool y_zero = llvm::isa<llvm::ConstantInt>(y.base) && llvm::cast<llvm::ConstantInt>(y.base)->isZero();
    if (y_zero && y.lane_stride == 0) {
      return x;
    }
    if (x_zero && x.lane_stride == 0) {
      return y;
    }
    return {.base = arithmetic(llvm::Instruction::Add, x.base, y.base),
            .lane_stride = x.lane_stride + y.lane_stride,
            .multiple = std::gcd(x.multiple, y.multiple)};
  }
  return {.lanes = arithmetic(llvm::Instruction::Add, vector(x), vector(y))};
}

Index KernelBuilder::multiply(Index x, std::int64_t factor) {
  if (factor == 1) {
    return x;
  }
  compute(x);
  if (x.lanes == nullptr) {
    return {.base = arithmetic(llvm::Instruction::Mul, x.base, b.getInt64(static_cast<std::uint64_t>(factor))),
            .lane_stride = x.lane_stride * factor,
            .multiple = factor == 0 ? std::int64_t{1} << 20 : std::abs(x.multiple * factor)};
  }
  Value *factors = llvm::ConstantInt::get(x.lanes->getType(), static_cast<std::uint64_t>(factor), true);
  return {.lanes = arithmetic(llvm::Instruction::Mul, x.lanes, factors)};
}

Index KernelBuilder::part(const Index &x, std::int64_t divisor, std::int64_t modulus) {
  if (modulus == 1) {
    return constant(0);
  }
  if (divisor == 1 && modulus == 0) {
    return x;
  }
  int whole = static_cast<int>(wholes_.size());
  for (int i = 0; i < whole; ++i) {
    const Index &known = wholes_[static_cast<std::size_t>(i)];
    if (known.base == x.base && known.lane_stride == x.lane_stride && known.lanes == x.lanes &&
        known.whole == x.whole && known.divisor == x.divisor && known.modulus == x.modulus) {
      whole = i;
      break;
    }
  }
  if (whole == static_cast<int>(wholes_.size())) {
    wholes_.push_back(x);
  }
  return {.whole = whole, .divisor = divisor, .modulus = modulus};
}

void KernelBuilder::compute(Index &x) {
  if (x.base != nullptr || x.lanes != nullptr) {
    return;
  }
  Index whole = wholes_[static_cast<std::size_t>(x.whole)];
  compute(whole);
  const auto i64 = [&](std::int64_t value) { return b.getInt64(static_cast<std::uint64_t>(value)); };
  const auto of_base = [&] {
    Value *value = whole.base;
    if (x.divisor > 1) {
      value = arithmetic(llvm::Instruction::UDiv, value, i64(x.divisor));
    }
    if (x.modulus > 0) {
      value = arithmetic(llvm::Instruction::URem, value, i64(x.modulus));
    }
    std::int64_t multiple = whole.multiple % x.divisor == 0 ? whole.multiple / x.divisor : 1;
    x.multiple = x.modulus > 0 ? std::gcd(multiple, x.modulus) : multiple;
    return value;
  };
  const std::int64_t lanes = lanes_;
  if (whole.lanes == nullptr && whole.lane_stride == 0) {
    x.base = of_base();
    return;
  }
  // A vector that starts at a multiple of its length does not cross a multiple of its length.
  if (whole.lanes == nullptr && whole.lane_stride == 1 && whole.multiple % lanes == 0) {
    if (x.divisor % lanes == 0) {
      x.base = of_base();
      return;
    }
    if (x.divisor == 1 && x.modulus % lanes == 0) {
      x.base = of_base();
      x.lane_stride = 1;
      return;
    }
  }
  Value *value = vector(whole);
  const auto all = [&](std::int64_t v) {
    return llvm::ConstantInt::get(value->getType(), static_cast<std::uint64_t>(v));
  };
  if (x.divisor > 1) {
    value = arithmetic(llvm::Instruction::UDiv, value, all(x.divisor));
  }
  if (x.modulus > 0) {
    value = arithmetic(llvm::Instruction::URem, value, all(x.modulus));
  }
  x.lanes = value;
}

bool KernelBuilder::uniform(Index &x) {
  compute(x);
  return x.lanes == nullptr && (x.lane_stride == 0 || lanes_ == 1);
}

Value *KernelBuilder::scalar(Index x) {
  compute(x);
  return x.base;
}

Value *KernelBuilder::vector(Index x) {
  compute(x);
  if (x.lanes != nullptr) {
    return x.lanes;
  }
  Value *start = b.CreateVectorSplat(lanes_, b.CreateTrunc(x.base, lane_type()));
  if (x.lane_stride == 0) {
    return start;
  }
  std::vector<llvm::Constant *> steps;
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    steps.push_back(llvm::ConstantInt::get(lane_type(), static_cast<std::uint64_t>(lane * x.lane_stride), true));
  }
  return b.CreateAdd(start, llvm::ConstantVector::get(steps));
}

Value *KernelBuilder::value(Index x) {
  return uniform(x) ? scalar(x) : vector(x);
}

namespace {

// Whether all lanes of a coordinate are on the same side of the limit, because no vector crosses it.
bool agree_on(const Index &x, std::int64_t limit, std::int64_t lanes) {
  return x.lanes == nullptr && x.lane_stride == 1 && x.multiple % lanes == 0 && limit % lanes == 0;
}

}  // namespace

Value *KernelBuilder::less_than(Index x, std::int64_t limit) {
  Value *v = uniform(x) || agree_on(x, limit, lanes_) ? scalar(x) : vector(x);
  return b.CreateICmpSLT(v, llvm::ConstantInt::get(v->getType(), static_cast<std::uint64_t>(limit), true));
}

Value *KernelBuilder::not_less_than(Index x, std::int64_t limit) {
  Value *v = uniform(x) || agree_on(x, limit, lanes_) ? scalar(x) : vector(x);
  return b.CreateICmpSGE(v, llvm::ConstantInt::get(v->getType(), static_cast<std::uint64_t>(limit), true));
}

Index KernelBuilder::linear(std::span<const Index> indices, std::span<const std::int64_t> dims,
                            std::span<const std::int64_t> strides) {
  struct Term {
    Index index;
    std::int64_t stride;
  };
  std::vector<Term> terms;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] > 1) {
      terms.push_back({indices[i], strides[i]});
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < terms.size() && !changed; ++i) {
      for (std::size_t k = 0; k < terms.size() && !changed; ++k) {
        const Index &high = terms[i].index, &low = terms[k].index;
        if (i == k || high.whole < 0 || high.whole != low.whole || low.modulus == 0 ||
            high.divisor != low.divisor * low.modulus || terms[i].stride != terms[k].stride * low.modulus) {
          continue;
        }
        const Index &whole = wholes_[static_cast<std::size_t>(low.whole)];
        const std::int64_t modulus = high.modulus == 0 ? 0 : low.modulus * high.modulus;
        terms[k].index = low.divisor == 1 && modulus == 0
                             ? whole
                             : Index{.whole = low.whole, .divisor = low.divisor, .modulus = modulus};
        terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(i));
        changed = true;
      }
    }
  }
  if (terms.size() == 1 && terms[0].stride == 1) {
    return terms[0].index;
  }
  Index sum = constant(0);
  for (const Term &term : terms) {
    sum = add(sum, multiply(term.index, term.stride));
  }
  return sum;
}

std::vector<Index> KernelBuilder::reshape(std::span<const Index> indices, std::span<const std::int64_t> from,
                                          std::span<const std::int64_t> to) {
  // Cuts both lists into the smallest groups of dimensions with equal products and handles each group separately.
  std::vector<Index> result(to.size(), constant(0));
  std::size_t f = 0, t = 0;
  while (f < from.size() || t < to.size()) {
    const std::size_t f0 = f, t0 = t;
    std::int64_t f_size = f < from.size() ? from[f++] : 1, t_size = t < to.size() ? to[t++] : 1;
    while (f_size != t_size && (f_size < t_size ? f < from.size() : t < to.size())) {
      if (f_size < t_size) {
        f_size *= from[f++];
      } else {
        t_size *= to[t++];
      }
    }
    // Dimensions of size 1 that follow belong to this group as well.
    while (f < from.size() && from[f] == 1) {
      ++f;
    }
    while (t < to.size() && to[t] == 1) {
      ++t;
    }
    std::vector<std::int64_t> strides(f - f0);
    std::int64_t stride = 1;
    for (std::size_t i = f; i-- > f0;) {
      strides[i - f0] = stride;
      stride *= from[i];
    }
    const Index whole = linear(indices.subspan(f0, f - f0), from.subspan(f0, f - f0), strides);
    std::int64_t divisor = 1;
    std::size_t outermost = t0;
    while (outermost < t && to[outermost] == 1) {
      ++outermost;
    }
    for (std::size_t i = t; i-- > t0;) {
      if (to[i] > 1) {
        result[i] = part(whole, divisor, i == outermost ? 0 : to[i]);
      }
      divisor *= to[i];
    }
  }
  return result;
}

Value *KernelBuilder::splat(Value *value) {
  if (lanes_ == 1 || has_lanes(value)) {
    return value;
  }
  if (value->getType()->isStructTy()) {
    const ComplexParts parts = parts_of(b, value);
    return make_complex(b, {splat(parts.real), splat(parts.imaginary)});
  }
  return b.CreateVectorSplat(lanes_, value);
}

void KernelBuilder::same_lanes(std::span<Value *> values) {
  bool any_vector = false;
  for (Value *value : values) {
    any_vector |= has_lanes(value);
  }
  if (any_vector) {
    for (Value *&value : values) {
      value = splat(value);
    }
  }
}

Value *KernelBuilder::pointer_vector(Value *pointer, Index offset, llvm::Type *type) {
  return b.CreateGEP(type, pointer, vector(offset));
}

// The real and the imaginary part are next to each other in memory. A row of numbers is one load of twice the lanes;
// otherwise each part is loaded by itself.
Value *KernelBuilder::load_complex(Value *pointer, Index offset, std::uint16_t dtype) {
  const std::uint16_t part = part_type(dtype);
  if (!uniform(offset) && offset.lanes == nullptr && offset.lane_stride == 1 && mask_ == nullptr) {
    llvm::Type *type = storage_type(b.getContext(), part);
    Value *address = b.CreateGEP(type, pointer, b.CreateShl(offset.base, 1));
    Value *both =
        b.CreateAlignedLoad(llvm::FixedVectorType::get(type, 2 * lanes_), address, llvm::Align(storage_bytes(part)));
    std::vector<int> even, odd;
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      even.push_back(static_cast<int>(2 * lane));
      odd.push_back(static_cast<int>(2 * lane + 1));
    }
    return make_complex(b, {b.CreateShuffleVector(both, even), b.CreateShuffleVector(both, odd)});
  }
  const Index real = multiply(offset, 2);
  Value *parts[] = {load(pointer, real, part), load(pointer, add(real, 1), part)};
  return make_complex(b, {parts[0], parts[1]});
}

void KernelBuilder::store_complex(Value *pointer, Index offset, Value *value, std::uint16_t dtype) {
  const std::uint16_t part = part_type(dtype);
  const ComplexParts parts = parts_of(b, splat(value));
  compute(offset);
  if (lanes_ > 1 && offset.lanes == nullptr && offset.lane_stride == 1 && mask_ == nullptr) {
    std::vector<int> order;
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      order.push_back(static_cast<int>(lane));
      order.push_back(static_cast<int>(lanes_ + lane));
    }
    b.CreateAlignedStore(b.CreateShuffleVector(parts.real, parts.imaginary, order),
                         b.CreateGEP(storage_type(b.getContext(), part), pointer, b.CreateShl(offset.base, 1)),
                         llvm::Align(storage_bytes(part)));
    return;
  }
  const Index real = multiply(offset, 2);
  store(pointer, real, parts.real, part);
  store(pointer, add(real, 1), parts.imaginary, part);
}

Value *KernelBuilder::load(Value *pointer, Index offset, std::uint16_t dtype) {
  if (is_complex(dtype)) {
    return load_complex(pointer, offset, dtype);
  }
  llvm::Type *type = storage_type(b.getContext(), dtype);
  const llvm::Align align(storage_bytes(dtype));
  if (uniform(offset)) {
    Value *address = b.CreateGEP(type, pointer, scalar(offset));
    if (mask_ == nullptr || llvm::isa<llvm::Constant>(mask_)) {
      return storage_to_compute(b, b.CreateAlignedLoad(type, address, align), dtype);
    }
    // Some lanes, perhaps all, are off, and then the address may be invalid: reads from a local variable instead.
    Value *any = lanes_ == 1 ? mask_ : b.CreateOrReduce(mask_);
    llvm::IRBuilder<> entry(&b.GetInsertBlock()->getParent()->getEntryBlock(),
                            b.GetInsertBlock()->getParent()->getEntryBlock().begin());
    llvm::Value *safe = entry.CreateAlloca(type);
    entry.CreateStore(llvm::Constant::getNullValue(type), safe);
    return storage_to_compute(b, b.CreateAlignedLoad(type, b.CreateSelect(any, address, safe), align), dtype);
  }
  auto *vector_type = llvm::FixedVectorType::get(type, lanes_);
  Value *zero = llvm::Constant::getNullValue(vector_type);
  Value *loaded = nullptr;
  if (offset.lanes == nullptr && offset.lane_stride == 1) {
    Value *address = b.CreateGEP(type, pointer, offset.base);
    loaded = mask_ == nullptr ? b.CreateAlignedLoad(vector_type, address, align)
                              : static_cast<Value *>(b.CreateMaskedLoad(vector_type, address, align, mask_, zero));
  } else if (offset.lanes == nullptr && offset.lane_stride == -1 && mask_ == nullptr) {
    Value *address = b.CreateGEP(type, pointer, b.CreateSub(offset.base, b.getInt64(lanes_ - 1)));
    loaded = b.CreateVectorReverse(b.CreateAlignedLoad(vector_type, address, align));
  } else {
    Value *base = pointer;
    if (offset.lanes == nullptr) {  // the scalar part stays out of the vector, in which it might not fit
      base = b.CreateGEP(type, pointer, offset.base);
      offset.base = b.getInt64(0);
    }
    loaded = gather(b, vector_type, pointer_vector(base, offset, type), align, mask_);
  }
  return storage_to_compute(b, loaded, dtype);
}

Value *KernelBuilder::load_packed(Value *pointer, Index offset, unsigned bits) {
  const unsigned per_byte = 8 / bits;
  llvm::Type *byte = b.getInt8Ty();
  if (!uniform(offset) && offset.lanes == nullptr && offset.lane_stride == 1 && mask_ == nullptr &&
      lanes_ % per_byte == 0 && offset.multiple % per_byte == 0) {
    // Loads whole words, each of which serves as many lanes as it has elements. Few processors shift bytes by different
    // distances, so the words have 32 bits if that is possible; all targets put the first byte lowest.
    const unsigned in_32_bits = 32 / bits, per_word = lanes_ % in_32_bits == 0 ? in_32_bits : per_byte;
    llvm::Type *word = per_word == in_32_bits ? b.getInt32Ty() : byte;
    Value *first = b.CreateUDiv(offset.base, b.getInt64(per_byte));
    Value *words = b.CreateAlignedLoad(llvm::FixedVectorType::get(word, lanes_ / per_word),
                                       b.CreateGEP(byte, pointer, first), llvm::Align(1));
    std::vector<int> from;
    std::vector<llvm::Constant *> shifts;
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      from.push_back(static_cast<int>(lane / per_word));
      shifts.push_back(llvm::ConstantInt::get(word, word->getIntegerBitWidth() - bits - lane % per_word * bits));
    }
    // First up, then down by one distance, which becomes part of a sign extension.
    Value *up = b.CreateShl(b.CreateShuffleVector(words, from), llvm::ConstantVector::get(shifts));
    return b.CreateTrunc(b.CreateLShr(up, word->getIntegerBitWidth() - bits), with_lanes_of(byte, up));
  }
  Value *position = value(offset);
  const auto number = [&](unsigned n) { return llvm::ConstantInt::get(position->getType(), n); };
  Value *shift = b.CreateMul(b.CreateURem(position, number(per_byte)), number(bits));
  Value *stored = load(pointer, of_lanes(b.CreateUDiv(position, number(per_byte))), BP_DTYPE_U8);
  return b.CreateLShr(stored, b.CreateTrunc(shift, with_lanes_of(byte, shift)));
}

void KernelBuilder::store(Value *pointer, Index offset, Value *value, std::uint16_t dtype) {
  if (is_complex(dtype)) {
    store_complex(pointer, offset, value, dtype);
    return;
  }
  llvm::Type *type = storage_type(b.getContext(), dtype);
  const llvm::Align align(storage_bytes(dtype));
  if (lanes_ == 1) {
    b.CreateAlignedStore(compute_to_storage(b, value, dtype), b.CreateGEP(type, pointer, scalar(offset)), align);
    return;
  }
  Value *stored = compute_to_storage(b, splat(value), dtype);
  compute(offset);
  if (offset.lanes == nullptr && offset.lane_stride == 1) {
    Value *address = b.CreateGEP(type, pointer, offset.base);
    if (mask_ == nullptr) {
      b.CreateAlignedStore(stored, address, align);
    } else {
      b.CreateMaskedStore(stored, address, align, mask_);
    }
    return;
  }
  Value *base = pointer;
  if (offset.lanes == nullptr) {
    base = b.CreateGEP(type, pointer, offset.base);
    offset.base = b.getInt64(0);
  }
  scatter(b, stored, pointer_vector(base, offset, type), align, mask_);
}

}  // namespace bp::emit
