#include "plugins/llvm/fft_passes.h"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <bit>

namespace bp::emit {

using llvm::Value;
using Elements = std::vector<ComplexParts>;

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

// The lanes of first, first + step, ...
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

FftPasses::FftPasses(KernelBuilder &builder, const VectorTarget &target, std::uint16_t dtype)
    : k_(builder),
      dtype_(dtype),
      real_(storage_type(builder.b.getContext(), dtype)),
      bytes_(storage_bytes(dtype)),
      lanes_(target.vector_bits / 8 / bytes_),
      block_(fft_block(target, dtype)),
      machine_{lanes_, target.vector_registers} {}

Value *FftPasses::times(Value *x, std::int64_t factor) const {
  return factor == 1 ? x : k_.b.CreateMul(x, integer(factor));
}
Value *FftPasses::plus(Value *x, Value *y) const {
  return k_.b.CreateAdd(x, y);
}

// --- memory ---

std::int64_t FftPasses::buffer_bytes(std::int64_t n, std::int64_t columns) const {
  return 4 * bytes_ * buffer(nullptr, 0, n, columns).plane_stride;
}

FftArray FftPasses::buffer(Value *scratch, std::size_t which, std::int64_t n, std::int64_t columns) const {
  // Cache lines beyond, so that planes do not fall on each other in the cache.
  const std::int64_t line = 64 / bytes_, plane = (n * columns + line - 1) / line * line + line;
  Value *base = which == 0 || scratch == nullptr ? scratch : k_.b.CreateGEP(real_, scratch, integer(2 * plane));
  return {.base = base, .row_stride = columns, .plane_stride = plane};
}

Value *FftPasses::address(const FftArray &array, Value *row, Value *column) const {
  Value *number = plus(times(row, array.row_stride), column);
  return k_.b.CreateGEP(real_, array.base, array.kind == FftArray::Kind::Pairs ? times(number, 2) : number);
}

ComplexParts FftPasses::load(const FftArray &array, Value *row, Value *column, std::int64_t lanes) {
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

void FftPasses::store(const FftArray &array, Value *row, Value *column, ComplexParts value) {
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

ComplexParts FftPasses::scaled(ComplexParts value, double scale) {
  if (scale == 1) {
    return value;
  }
  Value *factor = llvm::ConstantFP::get(value.real->getType(), scale);
  return {k_.b.CreateFMul(value.real, factor), k_.b.CreateFMul(value.imaginary, factor)};
}

FftArray FftPasses::table(const std::string &name, std::int64_t size,
                          const std::function<std::complex<double>(std::int64_t)> &value, std::uint16_t dtype) {
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

ComplexParts FftPasses::broadcast(const FftArray &table, Value *place, std::int64_t lanes) {
  const ComplexParts one = load(table, place, integer(0), 1);
  const auto spread = [&](Value *value) {
    return lanes == 1 ? value : k_.b.CreateVectorSplat(static_cast<unsigned>(lanes), value);
  };
  return {spread(one.real), spread(one.imaginary)};
}

// --- loops ---

void FftPasses::over(std::int64_t count, const std::function<void(Value *, std::int64_t)> &body) {
  const std::int64_t lanes = std::min(lanes_, power_of_two_in(count));
  k_.loop(0, count, lanes, [&](Value *i) {
    Value *last = integer(count - lanes);
    body(count % lanes == 0 ? i : k_.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, i, last), lanes);
  });
}

void FftPasses::for_each(std::int64_t rows, std::int64_t columns, const Body &body) {
  if (columns == 1) {
    over(rows, [&](Value *row, std::int64_t lanes) { body(row, integer(0), lanes); });
    return;
  }
  k_.loop(0, rows, 1,
          [&](Value *row) { over(columns, [&](Value *column, std::int64_t lanes) { body(row, column, lanes); }); });
}

// --- passes ---

FftArray FftPasses::transform(FftArray source, std::optional<FftArray> sink, std::int64_t n, std::int64_t columns,
                              Value *scratch, double scale) {
  const std::vector<std::int64_t> radices = fft_radices(n, columns, machine_);
  const FftArray buffers[] = {buffer(scratch, 0, n, columns), buffer(scratch, 1, n, columns)};
  std::size_t next = source.base == buffers[0].base ? 1 : 0;
  std::int64_t done = 1;
  for (std::size_t i = 0; i < radices.size(); ++i) {
    const bool is_last = i + 1 == radices.size();
    const FftArray to = is_last && sink ? *sink : buffers[next];
    const std::int64_t radix = radices[i], rest = n / done / radix;
    const Pass pass{radix, rest, done, is_last ? scale : 1, source, to};
    if (columns == 1 && rest > 1 && done < lanes_ && lanes_ % done == 0) {
      with_shuffles(pass);
    } else {
      with_broadcasts(pass, columns);
    }
    source = to;
    next = 1 - next;
    done *= radix;
  }
  return source;
}

void FftPasses::with_broadcasts(const Pass &pass, std::int64_t columns) {
  const auto [radix, rest, done, scale, from, to] = pass;
  const std::int64_t n = rest * radix, width = radix;
  const FftArray roots = rest == 1 ? FftArray{}
                                   : table("roots." + std::to_string(radix) + "." + std::to_string(rest), n,
                                           [&](std::int64_t i) { return root_of_unity(i / width * (i % width), n); });
  k_.loop(0, rest, 1, [&](Value *b) {
    for_each(done, columns, [&](Value *p, Value *column, std::int64_t lanes) {
      Elements x;
      for (std::int64_t a = 0; a < radix; ++a) {
        x.push_back(load(from, plus(times(plus(b, integer(a * rest)), done), p), column, lanes));
      }
      x = emit_codelet(k_.b, x);
      Value *first = times(b, radix);
      for (std::int64_t c = 0; c < radix; ++c) {
        ComplexParts value = x[static_cast<std::size_t>(c)];
        if (rest > 1 && c > 0) {
          value = emit_product(k_.b, value, broadcast(roots, plus(first, integer(c)), lanes));
        }
        store(to, plus(times(plus(first, integer(c)), done), p), column, scaled(value, scale));
      }
    });
  });
}

// Vectors run over b and p; what they have of each b comes to lie between what others have of it.
void FftPasses::with_shuffles(const Pass &pass) {
  const auto [radix, rest, done, scale, from, to] = pass;
  const std::int64_t n = rest * radix, places = rest * done, behind = done;
  const FftArray roots =
      table("roots." + std::to_string(radix) + "." + std::to_string(rest) + "." + std::to_string(done), radix * places,
            [&](std::int64_t i) { return root_of_unity(i / places * (i % places / behind), n); });
  over(places, [&](Value *place, std::int64_t lanes) {
    Elements x;
    for (std::int64_t a = 0; a < radix; ++a) {
      x.push_back(load(from, plus(place, integer(a * places)), integer(0), lanes));
    }
    x = emit_codelet(k_.b, x);
    std::vector<Value *> planes[2];
    for (std::int64_t c = 0; c < radix; ++c) {
      ComplexParts value = x[static_cast<std::size_t>(c)];
      if (c > 0) {
        value = emit_product(k_.b, value, load(roots, plus(place, integer(c * places)), integer(0), lanes));
      }
      value = scaled(value, scale);
      planes[0].push_back(value.real);
      planes[1].push_back(value.imaginary);
    }
    if (lanes > done) {
      planes[0] = emit_interleave(k_.b, planes[0], done);
      planes[1] = emit_interleave(k_.b, planes[1], done);
    }
    for (std::int64_t c = 0; c < radix; ++c) {
      Value *row = plus(times(place, radix), integer(c * lanes));
      const auto i = static_cast<std::size_t>(c);
      store(to, row, integer(0), {planes[0][i], planes[1][i]});
    }
  });
}

// --- convolution ---

std::int64_t FftPasses::rows_for(std::int64_t n) const {
  return has_radices(n) ? n : Convolution1d(n, block_).length();
}

FftArray FftPasses::transform_any(FftArray source, std::optional<FftArray> sink, std::int64_t n, std::int64_t columns,
                                  Value *scratch, double scale) {
  return has_radices(n) ? transform(source, sink, n, columns, scratch, scale)
                        : by_convolution(source, sink, n, columns, scratch, scale);
}

FftArray FftPasses::by_convolution(FftArray source, std::optional<FftArray> sink, std::int64_t n, std::int64_t columns,
                                   Value *scratch, double scale) {
  const Convolution1d convolution(n, block_);
  const std::int64_t length = convolution.length();
  const std::string name = std::to_string(n) + "." + std::to_string(length);
  const FftArray chirp = table("chirp." + name, n, [&](std::int64_t j) { return convolution.chirp(j); });
  std::vector<std::complex<double>> factors;
  const FftArray filter = table("filter." + name, length, [&](std::int64_t j) {
    factors = factors.empty() ? convolution.filter() : std::move(factors);
    return factors[static_cast<std::size_t>(j)];
  });
  const auto factor = [&](const FftArray &of, Value *row, std::int64_t lanes) {
    return columns == 1 ? load(of, row, integer(0), lanes) : broadcast(of, row, lanes);
  };
  const auto other = [&](const FftArray &array) {
    const FftArray first = buffer(scratch, 0, length, columns);
    return array.base == first.base ? buffer(scratch, 1, length, columns) : first;
  };
  // `rows` of the source times factors.
  const auto multiply = [&](const FftArray &from, const FftArray &to, std::int64_t rows, const FftArray &factors_of,
                            double by) {
    for_each(rows, columns, [&](Value *row, Value *column, std::int64_t lanes) {
      const ComplexParts x = load(from, row, column, lanes);
      store(to, row, column, scaled(emit_product(k_.b, x, factor(factors_of, row, lanes)), by));
    });
  };
  FftArray at = other(source);
  multiply(source, at, n, chirp, 1);
  for (std::size_t plane = 0; plane < 2; ++plane) {
    const std::int64_t first = n * columns + static_cast<std::int64_t>(plane) * at.plane_stride;
    k_.b.CreateMemSet(k_.b.CreateGEP(real_, at.base, integer(first)), k_.b.getInt8(0),
                      static_cast<std::uint64_t>((length - n) * columns * bytes_), llvm::MaybeAlign(4));
  }
  FftArray transformed = transform(at, std::nullopt, length, columns, scratch);
  at = other(transformed);
  multiply(transformed, at, length, filter, 1);
  transformed = transform(at.swapped(), std::nullopt, length, columns, scratch).swapped();
  const FftArray to = sink ? *sink : other(transformed);
  multiply(transformed, to, n, chirp, scale);
  return to;
}

}  // namespace bp::emit
