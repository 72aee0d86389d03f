#include "plugins/llvm/fft/codelet.h"

#include <llvm/IR/Intrinsics.h>

#include <cmath>

#include "plugins/llvm/fft/plan.h"

namespace bp::emit {
namespace {

using llvm::Value;
using Elements = std::vector<ComplexParts>;

Value *sum_of_product(llvm::IRBuilderBase &b, Value *x, double factor, Value *z) {
  return emit_sum_of_product(b, x, llvm::ConstantFP::get(x->getType(), factor), z);
}

ComplexParts sum(llvm::IRBuilderBase &b, ComplexParts x, ComplexParts y) {
  return {b.CreateFAdd(x.real, y.real), b.CreateFAdd(x.imaginary, y.imaginary)};
}
ComplexParts difference(llvm::IRBuilderBase &b, ComplexParts x, ComplexParts y) {
  return {b.CreateFSub(x.real, y.real), b.CreateFSub(x.imaginary, y.imaginary)};
}

// Elements k and p - k have conjugate factors: the real parts of the factors multiply sums of the two, the imaginary
// parts differences.
Elements odd_prime(llvm::IRBuilderBase &b, const Elements &x) {
  const std::size_t size = x.size(), half = (size - 1) / 2;
  Elements sums, differences, result(size);
  result[0] = x[0];
  for (std::size_t k = 1; k <= half; ++k) {
    sums.push_back(sum(b, x[k], x[size - k]));
    differences.push_back(difference(b, x[k], x[size - k]));
    result[0] = sum(b, result[0], sums.back());
  }
  for (std::size_t c = 1; c <= half; ++c) {
    ComplexParts even = x[0], odd{};
    for (std::size_t k = 1; k <= half; ++k) {
      const auto root = root_of_unity(static_cast<std::int64_t>(c * k), static_cast<std::int64_t>(size));
      const ComplexParts &s = sums[k - 1], &d = differences[k - 1];
      even = {sum_of_product(b, s.real, root.real(), even.real),
              sum_of_product(b, s.imaginary, root.real(), even.imaginary)};
      const auto add = [&](Value *to, Value *value) {
        Value *factor = llvm::ConstantFP::get(value->getType(), -root.imag());
        return to == nullptr ? b.CreateFMul(value, factor) : emit_sum_of_product(b, value, factor, to);
      };
      odd = {add(odd.real, d.real), add(odd.imaginary, d.imaginary)};
    }
    result[c] = {b.CreateFAdd(even.real, odd.imaginary), b.CreateFSub(even.imaginary, odd.real)};
    result[size - c] = {b.CreateFSub(even.real, odd.imaginary), b.CreateFAdd(even.imaginary, odd.real)};
  }
  return result;
}

// Returns a shuffle mask over the lanes of two concatenated vectors.
std::vector<int> lane_order(std::size_t lanes, const auto &source) {
  std::vector<int> order;
  for (std::size_t i = 0; i < lanes; ++i) {
    order.push_back(static_cast<int>(source(i)));
  }
  return order;
}

std::size_t lanes_of(Value *vector) {
  return llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
}

// Lane i of the result is lane(i).second of vector lane(i).first.
Value *pick(llvm::IRBuilderBase &b, const std::vector<Value *> &vectors, const auto &lane) {
  const std::size_t lanes = lanes_of(vectors[0]);
  Value *picked = llvm::PoisonValue::get(vectors[0]->getType());
  for (std::size_t n = 0; n < vectors.size(); ++n) {
    picked = b.CreateShuffleVector(picked, vectors[n], lane_order(lanes, [&](std::size_t i) {
                                     const auto [vector, place] = lane(i);
                                     return vector == n ? lanes + place : i;
                                   }));
  }
  return picked;
}

}  // namespace

Value *emit_sum_of_product(llvm::IRBuilderBase &b, Value *x, Value *y, Value *z) {
  return b.CreateIntrinsic(llvm::Intrinsic::fmuladd, {x->getType()}, {x, y, z});
}

ComplexParts emit_product(llvm::IRBuilderBase &b, ComplexParts x, ComplexParts y) {
  Value *both = b.CreateFNeg(b.CreateFMul(x.imaginary, y.imaginary));
  return {emit_sum_of_product(b, x.real, y.real, both),
          emit_sum_of_product(b, x.real, y.imaginary, b.CreateFMul(x.imaginary, y.real))};
}

ComplexParts multiply_by_root(llvm::IRBuilderBase &b, ComplexParts x, std::complex<double> root) {
  constexpr double tiny = 1e-12;
  const auto times = [&](Value *value, double factor) {
    return factor == 1    ? value
           : factor == -1 ? b.CreateFNeg(value)
                          : b.CreateFMul(value, llvm::ConstantFP::get(value->getType(), factor));
  };
  if (std::abs(root.imag()) < tiny) {
    return {times(x.real, root.real()), times(x.imaginary, root.real())};
  }
  if (std::abs(root.real()) < tiny) {
    return {times(x.imaginary, -root.imag()), times(x.real, root.imag())};
  }
  if (std::abs(std::abs(root.real()) - std::abs(root.imag())) < tiny) {
    const bool is_falling = (root.real() > 0) != (root.imag() > 0);
    Value *both = b.CreateFAdd(x.real, x.imaginary);
    Value *apart = is_falling ? b.CreateFSub(x.imaginary, x.real) : b.CreateFSub(x.real, x.imaginary);
    // (r + i s) (x + i y) = r x - s y + i (s x + r y)
    return is_falling ? ComplexParts{times(both, root.real()), times(apart, root.real())}
                      : ComplexParts{times(apart, root.real()), times(both, root.real())};
  }
  return emit_product(
      b, x,
      {llvm::ConstantFP::get(x.real->getType(), root.real()), llvm::ConstantFP::get(x.real->getType(), root.imag())});
}

std::vector<ComplexParts> emit_codelet(llvm::IRBuilderBase &b, const std::vector<ComplexParts> &x) {
  const std::size_t size = x.size();
  if (size == 1) {
    return x;
  }
  if (size == 2) {
    return {sum(b, x[0], x[1]), difference(b, x[0], x[1])};
  }
  const auto first = static_cast<std::size_t>(first_factor(static_cast<std::int64_t>(size)));
  const std::size_t second = size / first;
  if (second == 1) {
    return odd_prime(b, x);
  }
  // parts[c][i]: element c of the transform of every `second`-th element from i on, times a root of unity.
  std::vector<Elements> parts(first, Elements(second));
  for (std::size_t i = 0; i < second; ++i) {
    Elements strided;
    for (std::size_t a = 0; a < first; ++a) {
      strided.push_back(x[a * second + i]);
    }
    const Elements transformed = emit_codelet(b, strided);
    for (std::size_t c = 0; c < first; ++c) {
      const auto place = static_cast<std::int64_t>(i * c);
      parts[c][i] = place == 0
                        ? transformed[c]
                        : multiply_by_root(b, transformed[c], root_of_unity(place, static_cast<std::int64_t>(size)));
    }
  }
  Elements result(size);
  for (std::size_t c = 0; c < first; ++c) {
    const Elements transformed = emit_codelet(b, parts[c]);
    for (std::size_t d = 0; d < second; ++d) {
      result[c + first * d] = transformed[d];
    }
  }
  return result;
}

std::vector<Value *> emit_interleave(llvm::IRBuilderBase &b, const std::vector<Value *> &vectors, std::int64_t part) {
  const std::size_t count = vectors.size(), lanes = lanes_of(vectors[0]), width = static_cast<std::size_t>(part);
  if (count == 1) {
    return vectors;
  }
  if (count % 2 == 0) {
    std::vector<Value *> even, odd, result;
    for (std::size_t i = 0; i < count; i += 2) {
      even.push_back(vectors[i]);
      odd.push_back(vectors[i + 1]);
    }
    even = emit_interleave(b, even, part);
    odd = emit_interleave(b, odd, part);
    for (std::size_t i = 0; i < even.size(); ++i) {
      for (std::size_t half = 0; half < 2; ++half) {
        result.push_back(b.CreateShuffleVector(even[i], odd[i], lane_order(lanes, [&](std::size_t lane) {
                                                 const std::size_t place = half * lanes + lane, pair = place / width;
                                                 return pair / 2 * width + place % width + pair % 2 * lanes;
                                               })));
      }
    }
    return result;
  }
  std::vector<Value *> result;
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(pick(b, vectors, [&](std::size_t lane) {
      const std::size_t place = i * lanes + lane, piece = place / width;
      return std::pair(piece % count, piece / count * width + place % width);
    }));
  }
  return result;
}

std::vector<Value *> emit_deinterleave(llvm::IRBuilderBase &b, const std::vector<Value *> &vectors) {
  const std::size_t count = vectors.size(), lanes = lanes_of(vectors[0]);
  if (count == 1) {
    return vectors;
  }
  if (count % 2 == 0) {
    std::vector<Value *> halves[2];
    for (std::size_t i = 0; i < count; i += 2) {
      for (std::size_t half = 0; half < 2; ++half) {
        halves[half].push_back(b.CreateShuffleVector(
            vectors[i], vectors[i + 1], lane_order(lanes, [&](std::size_t lane) { return 2 * lane + half; })));
      }
    }
    const std::vector<Value *> even = emit_deinterleave(b, halves[0]), odd = emit_deinterleave(b, halves[1]);
    std::vector<Value *> result;
    for (std::size_t i = 0; i < even.size(); ++i) {
      result.push_back(even[i]);
      result.push_back(odd[i]);
    }
    return result;
  }
  std::vector<Value *> result;
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(pick(b, vectors, [&](std::size_t lane) {
      const std::size_t place = lane * count + i;
      return std::pair(place / lanes, place % lanes);
    }));
  }
  return result;
}

}  // namespace bp::emit
