// Rewrites fft as products of matrices, one dimension after the other. A length with only small prime factors is split
// into radices (Stockham's variant of Cooley and Tukey, which needs no bit reversal); each is a product with a small
// matrix and a product with roots of unity. A length with a large prime factor is a convolution with a chirp
// (Bluestein), by transforms whose length is a power of two. Complex numbers are two planes of reals along the first
// dimension: [2, length, everything else]. Roots of unity come from tables, whose number of entries is about the square
// root of the length.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/pass.h"

namespace bp::passes {
namespace {

using ir::AttributeKey;
using ir::ElementType;
using ir::FftType;
using ir::Opcode;
using ir::Shape;
using Id = ir::InstructionId;

// Small enough for the matrices to stay in registers, large enough for few passes over memory.
constexpr std::int64_t largest_radix = 16;
constexpr std::int64_t largest_direct_prime = 64;
// Roots for more indices than this are products of roots from two tables.
constexpr std::int64_t largest_table = 4096;
// Keeps indices in the chirp's transform within s32.
constexpr std::int64_t largest_length = std::int64_t{1} << 29;

enum class Direction : std::uint8_t { Forward, Inverse };

Direction opposite(Direction direction) {
  return direction == Direction::Forward ? Direction::Inverse : Direction::Forward;
}

// Cosine and sine of an angle.
struct Root {
  double real, imaginary;
};

// Returns e^(2 pi i k / n), computed from an angle below pi / 4.
Root root_of_unity(std::int64_t k, std::int64_t n) {
  const std::int64_t quadrant = 4 * k / n, rest = 4 * k % n;
  const auto angle = [&](std::int64_t part) {
    return std::numbers::pi / 2 * static_cast<double>(part) / static_cast<double>(n);
  };
  const bool is_low = 2 * rest <= n;
  const double real = is_low ? std::cos(angle(rest)) : std::sin(angle(n - rest));
  const double imaginary = is_low ? std::sin(angle(rest)) : std::cos(angle(n - rest));
  const std::array turned{Root{real, imaginary}, Root{-imaginary, real}, Root{-real, -imaginary},
                          Root{imaginary, -real}};
  return turned[static_cast<std::size_t>(quadrant)];
}

// Returns factors of n; only primes are larger than the largest radix.
std::vector<std::int64_t> radices(std::int64_t n) {
  std::vector<std::int64_t> factors;
  for (std::int64_t prime = 2; n > 1; ++prime) {
    if (prime * prime > n) {
      prime = n;
    }
    for (; n % prime == 0; n /= prime) {
      factors.push_back(prime);
    }
  }
  std::vector<std::int64_t> result;
  for (std::int64_t factor : factors) {
    auto fits = std::ranges::find_if(result, [&](std::int64_t radix) { return radix * factor <= largest_radix; });
    if (fits == result.end()) {
      result.push_back(factor);
    } else {
      *fits *= factor;
    }
  }
  return result;
}

class Transform {
 public:
  Transform(ir::Module &module, ir::Instruction fft)
      : b_(module, fft),
        operand_(fft.operands()[0]),
        result_(fft.shape()),
        lengths_(fft.numbers(AttributeKey::FftLength).begin(), fft.numbers(AttributeKey::FftLength).end()),
        type_(fft.enumerator(AttributeKey::FftType, FftType::Fft)),
        part_(ir::is_complex(result_.element_type()) ? ir::real_part_type(result_.element_type())
                                                     : result_.element_type()) {}

  Id run() {
    const bool is_inverse = type_ == FftType::Ifft || type_ == FftType::Irfft;
    const Direction direction = is_inverse ? Direction::Inverse : Direction::Forward;
    const std::size_t rank = result_.rank();
    Id x = planes();
    double scale = 1;
    // The last dimension of a real result is mirrored after all others are transformed.
    for (std::size_t i = 0; i < lengths_.size(); ++i) {
      const std::size_t dimension = 1 + rank - lengths_.size() + i;
      if (type_ == FftType::Irfft && dimension == rank) {
        x = mirrored(x, rank, lengths_[i]);
      }
      x = along(x, dimension, direction);
      scale /= is_inverse ? static_cast<double>(lengths_[i]) : 1;
    }
    if (is_inverse) {
      x = b_.product({x, b_.splat(scale, x)});
    }
    if (type_ == FftType::Rfft) {
      x = b_.slice(x, rank, 0, result_.sizes().back());
    }
    const Id real = b_.ir::Builder::reshape(b_.slice(x, 0, 0, 1), result_.sizes());
    if (type_ == FftType::Irfft) {
      return real;
    }
    return b_.add(Opcode::Complex, {real, b_.ir::Builder::reshape(b_.slice(x, 0, 1, 2), result_.sizes())});
  }

 private:
  Id planes() {
    std::vector<std::int64_t> sizes(b_.shape(operand_).sizes().begin(), b_.shape(operand_).sizes().end());
    sizes.insert(sizes.begin(), 1);
    const auto plane = [&](Id part) { return b_.ir::Builder::reshape(part, sizes); };
    if (!ir::is_complex(b_.type(operand_))) {
      return b_.concatenate({plane(operand_), b_.zeros(Shape::array(part_, sizes))}, 0);
    }
    const Id real = plane(b_.add(Opcode::Real, {operand_}));
    return b_.concatenate({real, plane(b_.add(Opcode::Imag, {operand_}))}, 0);
  }

  // Completes a row of a real signal's spectrum from its first half: the second half is the conjugate of the first,
  // reversed.
  Id mirrored(Id half, std::size_t dimension, std::int64_t length) {
    const std::int64_t stored = b_.shape(half).size(dimension);
    if (stored == length) {
      return half;
    }
    const Id tail = reversed(b_.slice(half, dimension, 1, length - stored + 1), dimension);
    return b_.concatenate({half, b_.product({tail, signs(1, -1, tail)})}, static_cast<std::int64_t>(dimension));
  }

  // Transforms planes of any sizes along a dimension.
  Id along(Id x, std::size_t dimension, Direction direction) {
    const std::vector<std::int64_t> sizes(b_.shape(x).sizes().begin(), b_.shape(x).sizes().end());
    const std::int64_t n = sizes[dimension];
    const std::int64_t outer = ir::product(std::span(sizes).subspan(1, dimension - 1));
    const std::int64_t inner = ir::product(std::span(sizes).subspan(dimension + 1));
    x = b_.transpose(b_.reshape(x, {2, outer, n, inner}), std::array<std::int64_t, 4>{0, 2, 1, 3});
    x = transform(b_.reshape(x, {2, n, outer * inner}), direction);
    x = b_.transpose(b_.reshape(x, {2, n, outer, inner}), std::array<std::int64_t, 4>{0, 2, 1, 3});
    return b_.ir::Builder::reshape(x, sizes);
  }

  // Transforms [2, n, count] along n.
  Id transform(Id x, Direction direction) {
    const std::int64_t n = b_.shape(x).size(1);
    const std::vector<std::int64_t> factors = radices(n);
    return std::ranges::any_of(factors, [](std::int64_t radix) { return radix > largest_direct_prime; })
               ? by_convolution(x, direction)
               : by_radices(x, factors, direction);
  }

  // With n = p m: output c + p d is the transform over b of length m, at d, of root(bc / n) times the sum over a of
  // root(ac / p) x[a m + b]. After each step the dimension of c is inserted after that of b and before those of earlier
  // steps.
  Id by_radices(Id x, std::span<const std::int64_t> factors, Direction direction) {
    const std::vector<std::int64_t> sizes(b_.shape(x).sizes().begin(), b_.shape(x).sizes().end());
    std::int64_t rest = sizes[1], count = sizes[2];
    for (const std::int64_t radix : factors) {
      const std::int64_t n = rest;
      rest /= radix;
      const Id small = matrix(radix, direction);
      x = b_.multiply_matrices(small, b_.reshape(x, {2 * radix, rest * count}));
      x = b_.reshape(x, {2, radix, rest, count});
      if (rest > 1) {
        const Shape places = Shape::array(ElementType::S32, {radix, rest});
        x = multiply(x, roots(b_.product({b_.iota(places, 0), b_.iota(places, 1)}), n, direction));
      }
      x = b_.transpose(x, std::array<std::int64_t, 4>{0, 2, 1, 3});
      count *= radix;
    }
    return b_.ir::Builder::reshape(x, sizes);
  }

  // With 2jk = j^2 + k^2 - (k - j)^2: output k is chirp(k) times the sum over j of chirp(j) x[j] / chirp(k - j), where
  // chirp(k) = root(k^2 / 2n).
  Id by_convolution(Id x, Direction direction) {
    const std::int64_t n = b_.shape(x).size(1), count = b_.shape(x).size(2);
    const auto length = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(2 * n - 1)));
    const Id turns = chirp(b_.iota(Shape::array(ElementType::U64, {n}), 0), n, direction);
    const Id padding = b_.zeros(Shape::array(part_, std::array<std::int64_t, 3>{2, length - n, count}));
    const Id signal = b_.concatenate({multiply(x, turns), padding}, 1);
    // The chirp continues at the end of the circle for negative differences, and is zero where there are none.
    const Id place = b_.iota(Shape::array(ElementType::U64, {length}), 0);
    const Id distance =
        b_.add(Opcode::Minimum, {place, b_.difference({b_.splat(static_cast<double>(length), place), place})});
    const Id is_used = b_.compare(ir::ComparisonDirection::Lt, distance, b_.splat(static_cast<double>(n), distance));
    Id filter = chirp(distance, n, opposite(direction));
    const Shape used = Shape::array(ElementType::Pred, b_.shape(filter).sizes());
    filter = b_.select({b_.broadcast(is_used, used, std::array<std::int64_t, 1>{1}), filter, b_.splat(0, filter)});

    filter = b_.reshape(transform(b_.reshape(filter, {2, length, 1}), Direction::Forward), {2, length});
    Id product = multiply(transform(signal, Direction::Forward), filter);
    product = b_.slice(transform(product, Direction::Inverse), 1, 0, n);
    product = b_.product({product, b_.splat(1 / static_cast<double>(length), product)});
    return multiply(product, turns);
  }

  Id chirp(Id distance, std::int64_t n, Direction direction) {
    const Id square = b_.product({distance, distance});
    const Id place = b_.add(Opcode::Remainder, {square, b_.splat(static_cast<double>(2 * n), square)});
    return roots(b_.cast(place, ElementType::S32), 2 * n, direction);
  }

  // Returns root(place / n) for s32[...] places below n, as planes [2, ...].
  Id roots(Id places, std::int64_t n, Direction direction) {
    if (n <= largest_table) {
      return take(table(n, 1, n, direction), places);
    }
    const int low_bits = std::bit_width(static_cast<std::uint64_t>(n)) / 2;
    const std::int64_t low = std::int64_t{1} << low_bits;
    const Id low_place = b_.bit_and({places, b_.splat(static_cast<double>(low - 1), places)});
    const Id high_place = b_.shift_right(places, low_bits);
    const Id high_root = take(table((n + low - 1) / low, low, n, direction), high_place);
    return multiply(high_root, take(table(low, 1, n, direction), low_place));
  }

  Id take(Id table, Id places) {
    const auto rank = static_cast<std::int64_t>(b_.shape(places).rank());
    return b_.add(Opcode::Gather, {table, places}, [&](ir::Module &m, Id id) {
      m.set_numbers(id, AttributeKey::OffsetDims, {0});
      m.set_numbers(id, AttributeKey::CollapsedSliceDims, {1});
      m.set_numbers(id, AttributeKey::StartIndexMap, {1});
      m.set_number(id, AttributeKey::IndexVectorDim, rank);
      m.set_numbers(id, AttributeKey::SliceSizes, {2, 1});
    });
  }

  // Returns root(i * step / n) for i below count, as planes [2, count].
  Id table(std::int64_t count, std::int64_t step, std::int64_t n, Direction direction) {
    return literal({2, count}, [&](std::int64_t plane, std::int64_t i) { return root(i * step, n, direction, plane); });
  }
  // Returns the matrix of the transform of length n, for both planes at once.
  Id matrix(std::int64_t n, Direction direction) {
    return literal({2 * n, 2 * n}, [&](std::int64_t to, std::int64_t from) {
      const std::int64_t place = to % n * (from % n), to_plane = to / n, from_plane = from / n;
      const double value = root(place, n, direction, to_plane ^ from_plane);
      return to_plane < from_plane ? -value : value;
    });
  }
  static double root(std::int64_t place, std::int64_t n, Direction direction, std::int64_t plane) {
    const Root root = root_of_unity(place % n, n);
    return plane == 0 ? root.real : direction == Direction::Forward ? -root.imaginary : root.imaginary;
  }
  template <class Value>
  Id literal(std::array<std::int64_t, 2> sizes, const Value &value) {
    ir::Literal result = ir::Literal::zeros(Shape::array(part_, sizes)).value();
    const auto fill = [&]<class T>(std::span<T> elements) {
      for (std::size_t i = 0; i < elements.size(); ++i) {
        const auto place = static_cast<std::int64_t>(i);
        elements[i] = static_cast<T>(value(place / sizes[1], place % sizes[1]));
      }
    };
    part_ == ElementType::F32 ? fill(result.mutable_elements<float>()) : fill(result.mutable_elements<double>());
    return b_.constant(std::move(result));
  }

  // Multiplies complex numbers in planes by factors [2, sizes of the factors..., ...]: each plane is multiplied by the
  // real part, and the other plane by the imaginary part, with a minus for the product of both imaginary parts.
  Id multiply(Id x, Id factors) {
    const Shape plane = Shape::array(part_, b_.shape(factors).sizes().subspan(1));
    std::vector<std::int64_t> dimensions;
    for (std::size_t d = 1; d <= plane.rank(); ++d) {
      dimensions.push_back(static_cast<std::int64_t>(d));
    }
    const Shape both = b_.shape(x);
    const auto factor = [&](std::int64_t part) {
      const Id values = b_.ir::Builder::reshape(b_.slice(factors, 0, part, part + 1), plane.sizes());
      return b_.broadcast(values, both, dimensions);
    };
    const Id same = b_.product({x, factor(0)});
    const Id other = b_.product({reversed(x, 0), factor(1)});
    return b_.sum({same, b_.product({other, signs(-1, 1, other)})});
  }

  Id reversed(Id x, std::size_t dimension) {
    return b_.add(Opcode::Reverse, {x}, [&](ir::Module &m, Id id) {
      m.set_numbers(id, AttributeKey::Dimensions, {static_cast<std::int64_t>(dimension)});
    });
  }
  // Returns one constant per plane, broadcast to the plane.
  Id signs(double first, double second, Id like) {
    const Shape shape = b_.shape(like);
    const Id both = b_.reshape(literal({2, 1}, [&](auto plane, auto) { return plane == 0 ? first : second; }), {2});
    return b_.broadcast(both, shape, std::array<std::int64_t, 1>{0});
  }

  ArrayBuilder b_;
  Id operand_;
  Shape result_;
  std::vector<std::int64_t> lengths_;
  FftType type_;
  ElementType part_;
};

}  // namespace

Result<bool> fft_expansion(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](ir::Instruction fft) -> Result<Id> {
    const auto fits = [](std::int64_t length) { return length > 0 && length <= largest_length; };
    if (fft.opcode() != Opcode::Fft || fft.shape().element_count() == 0 ||
        !std::ranges::all_of(fft.numbers(AttributeKey::FftLength), fits)) {
      return fft.id();
    }
    return Transform(module, fft).run();
  });
}

}  // namespace bp::passes
