#include "plugins/llvm/fft/memory.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <bit>

#include "plugins/llvm/fft/codelet.h"
#include "plugins/llvm/scalar/lanes.h"

namespace bp::emit {

using llvm::Value;

namespace {

std::int64_t power_of_two_in(std::int64_t count) {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(count)));
}

llvm::Type *vector_of(llvm::Type *type, std::int64_t lanes) {
  return lanes == 1 ? type : llvm::FixedVectorType::get(type, static_cast<unsigned>(lanes));
}

std::int64_t lanes_in(Value *value) {
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  return type == nullptr ? 1 : type->getNumElements();
}

// Returns the shuffle mask first, first + step, ...
std::vector<int> every(std::int64_t first, std::int64_t step, std::int64_t count) {
  std::vector<int> order;
  for (std::int64_t i = 0; i < count; ++i) {
    order.push_back(static_cast<int>(first + i * step));
  }
  return order;
}

}  // namespace

std::int64_t fft_block(const VectorTarget &target, std::uint16_t dtype) {
  const std::int64_t bytes = storage_bytes(dtype);
  return std::max<std::int64_t>(target.vector_bits / 8, 64) / bytes;
}

FftMachine fft_machine(const VectorTarget &target, std::uint16_t dtype) {
  return {target.vector_bits / 8 / storage_bytes(dtype), target.vector_registers};
}

FftMemory::FftMemory(KernelBuilder &builder, const VectorTarget &target, std::uint16_t dtype)
    : k_(builder),
      dtype_(dtype),
      real_(storage_type(builder.b.getContext(), dtype)),
      bytes_(storage_bytes(dtype)),
      machine_(fft_machine(target, dtype)) {}

Value *FftMemory::times(Value *x, std::int64_t factor) const {
  return factor == 1 ? x : k_.b.CreateMul(x, integer(factor));
}

Value *FftMemory::address(const FftArray &array, Value *row, Value *column) const {
  Value *number = plus(times(row, array.row_stride), column);
  return k_.b.CreateGEP(real_, array.base, array.kind == FftArray::Kind::Pairs ? times(number, 2) : number);
}

ComplexParts FftMemory::load(const FftArray &array, Value *row, Value *column, std::int64_t lanes) const {
  llvm::IRBuilder<> &b = k_.b;
  Value *place = address(array, row, column);
  const llvm::Align align(static_cast<std::uint64_t>(bytes_));
  const auto read = [&](Value *from, std::int64_t per_column) -> Value * {
    const std::int64_t count = lanes * per_column;
    llvm::Type *type = vector_of(real_, count);
    if (array.columns == nullptr) {
      return b.CreateAlignedLoad(type, from, align);
    }
    Value *mask =
        b.CreateIntrinsic(llvm::Intrinsic::get_active_lane_mask, {vector_of(b.getInt1Ty(), count), b.getInt64Ty()},
                          {times(column, per_column), times(array.columns, per_column)});
    return b.CreateMaskedLoad(type, from, align, mask, llvm::Constant::getNullValue(type));
  };
  ComplexParts parts{};
  switch (array.kind) {
    case FftArray::Kind::Planes:
      parts = {read(place, 1), read(b.CreateGEP(real_, place, integer(array.plane_stride)), 1)};
      break;
    case FftArray::Kind::Reals: {
      Value *real = read(place, 1);
      parts = {real, llvm::Constant::getNullValue(real->getType())};
      break;
    }
    case FftArray::Kind::Pairs: {
      Value *both = read(place, 2);
      parts = lanes == 1 ? ComplexParts{b.CreateExtractElement(both, std::uint64_t{0}),
                                        b.CreateExtractElement(both, std::uint64_t{1})}
                         : ComplexParts{b.CreateShuffleVector(both, every(0, 2, lanes)),
                                        b.CreateShuffleVector(both, every(1, 2, lanes))};
      break;
    }
  }
  return array.is_swapped ? ComplexParts{parts.imaginary, parts.real} : parts;
}

void FftMemory::store(const FftArray &array, Value *row, Value *column, ComplexParts value) const {
  llvm::IRBuilder<> &b = k_.b;
  const std::int64_t lanes = lanes_in(value.real);
  if (array.is_swapped) {
    std::swap(value.real, value.imaginary);
  }
  Value *place = address(array, row, column);
  const llvm::Align align(static_cast<std::uint64_t>(bytes_));
  const auto write = [&](Value *what, Value *to, std::int64_t per_column) {
    if (array.columns == nullptr) {
      b.CreateAlignedStore(what, to, align);
      return;
    }
    Value *mask = b.CreateIntrinsic(llvm::Intrinsic::get_active_lane_mask,
                                    {vector_of(b.getInt1Ty(), lanes * per_column), b.getInt64Ty()},
                                    {times(column, per_column), times(array.columns, per_column)});
    b.CreateMaskedStore(what, to, align, mask);
  };
  switch (array.kind) {
    case FftArray::Kind::Planes:
      write(value.real, place, 1);
      write(value.imaginary, b.CreateGEP(real_, place, integer(array.plane_stride)), 1);
      return;
    case FftArray::Kind::Reals: write(value.real, place, 1); return;
    case FftArray::Kind::Pairs: break;
  }
  if (lanes == 1) {
    Value *both = llvm::PoisonValue::get(vector_of(real_, 2));
    both = b.CreateInsertElement(both, value.real, std::uint64_t{0});
    write(b.CreateInsertElement(both, value.imaginary, std::uint64_t{1}), place, 2);
    return;
  }
  std::vector<int> order;
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    order.push_back(static_cast<int>(lane));
    order.push_back(static_cast<int>(lanes + lane));
  }
  write(b.CreateShuffleVector(value.real, value.imaginary, order), place, 2);
}

ComplexParts FftMemory::scaled(ComplexParts value, double scale) const {
  if (scale == 1) {
    return value;
  }
  Value *factor = llvm::ConstantFP::get(value.real->getType(), scale);
  return {k_.b.CreateFMul(value.real, factor), k_.b.CreateFMul(value.imaginary, factor)};
}

FftArray FftMemory::table_of(const std::string &name, std::int64_t size, const Numbers &value,
                             std::uint16_t dtype) const {
  llvm::Module &module = *k_.b.GetInsertBlock()->getModule();
  const std::string full_name = "fft." + name + "." + std::to_string(size) + (dtype == BP_DTYPE_F64 ? ".f64" : ".f32");
  llvm::GlobalVariable *known = module.getNamedGlobal(full_name);
  if (known == nullptr) {
    std::vector<double> parts(static_cast<std::size_t>(2 * size));
    for (std::int64_t i = 0; i < size; ++i) {
      const std::complex<double> number = value(i);
      parts[static_cast<std::size_t>(i)] = number.real();
      parts[static_cast<std::size_t>(size + i)] = number.imag();
    }
    const std::vector<float> narrow(parts.begin(), parts.end());
    llvm::Constant *bytes = dtype == BP_DTYPE_F64 ? llvm::ConstantDataArray::get(module.getContext(), parts)
                                                  : llvm::ConstantDataArray::get(module.getContext(), narrow);
    known =
        new llvm::GlobalVariable(module, bytes->getType(), true, llvm::GlobalValue::InternalLinkage, bytes, full_name);
    known->setAlignment(llvm::Align(64));
  }
  return {.base = known, .plane_stride = size};
}

FftArray FftMemory::table(const std::string &name, std::int64_t size, const Numbers &value) const {
  return table_of(name, size, value, dtype_);
}

ComplexParts FftMemory::spread(ComplexParts number, std::int64_t lanes) const {
  const auto count = static_cast<unsigned>(lanes);
  return lanes == 1 ? number
                    : ComplexParts{k_.b.CreateVectorSplat(count, number.real),
                                   k_.b.CreateVectorSplat(count, number.imaginary)};
}

ComplexParts FftMemory::broadcast(const FftArray &table, Value *place, std::int64_t lanes) const {
  return spread(load(table, place, integer(0), 1), lanes);
}

ComplexParts FftMemory::load_wide(const FftArray &table, Value *place, std::int64_t lanes) const {
  llvm::Type *type = vector_of(k_.b.getDoubleTy(), lanes);
  const auto read = [&](Value *at) -> Value * {
    return k_.b.CreateAlignedLoad(type, k_.b.CreateGEP(k_.b.getDoubleTy(), table.base, at), llvm::Align(8));
  };
  return {read(place), read(plus(place, integer(table.plane_stride)))};
}

ComplexParts FftMemory::root_at(Value *k, std::int64_t n) const {
  const std::int64_t low = std::int64_t{1} << (std::bit_width(static_cast<std::uint64_t>(n)) / 2);
  const FftArray lows =
      table_of("low." + std::to_string(n), low, [&](std::int64_t i) { return root_of_unity(i, n); }, BP_DTYPE_F64);
  const FftArray highs = table_of(
      "high." + std::to_string(n), n / low + 1, [&](std::int64_t i) { return root_of_unity(i * low, n); },
      BP_DTYPE_F64);
  return emit_product(k_.b, load_wide(lows, k_.b.CreateURem(k, integer(low)), 1),
                      load_wide(highs, k_.b.CreateUDiv(k, integer(low)), 1));
}

ComplexParts FftMemory::load_twiddles(const std::string &name, std::int64_t size, const Numbers &value, Value *place,
                                      ComplexParts number) const {
  const FftArray table = table_of(name, size, value, BP_DTYPE_F64);
  const ComplexParts wide = emit_product(k_.b, load_wide(table, place, lanes()), spread(number, lanes()));
  llvm::Type *type = with_lanes_of(real_, wide.real);
  return type == wide.real->getType()
             ? wide
             : ComplexParts{k_.b.CreateFPTrunc(wide.real, type), k_.b.CreateFPTrunc(wide.imaginary, type)};
}

void FftMemory::over(std::int64_t count, const std::function<void(Value *, std::int64_t)> &body) const {
  const std::int64_t lanes = std::min(machine_.lanes, power_of_two_in(count));
  k_.loop(0, count, lanes, [&](Value *i) {
    Value *last = integer(count - lanes);
    body(count % lanes == 0 ? i : k_.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, i, last), lanes);
  });
}

void FftMemory::for_each(std::int64_t rows, std::int64_t columns, const Body &body) const {
  if (columns == 1) {
    over(rows, [&](Value *row, std::int64_t lanes) { body(row, integer(0), lanes); });
    return;
  }
  k_.loop(0, rows, 1,
          [&](Value *row) { over(columns, [&](Value *column, std::int64_t lanes) { body(row, column, lanes); }); });
}

}  // namespace bp::emit
