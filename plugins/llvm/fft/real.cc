#include "plugins/llvm/fft/real.h"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "plugins/llvm/fft/codelet.h"
#include "plugins/llvm/scalar/lanes.h"

namespace bp::emit {

using llvm::Value;

// Returns the number of pairs of numbers k and points - k of a halved line, k > 0; or the number of numbers of a line
// that is not halved.
std::int64_t FftReal::pair_count() const {
  return shape_.is_halved ? shape_.points / 2 : shape_.length / 2 + 1;
}

std::int64_t FftReal::items() const {
  return std::max<std::int64_t>(pair_count() / fft_chunk, 1);
}

// Calls body at the first of `lanes` neighbours, for all of part `item` of [0, count); some elements may be visited
// twice.
void FftReal::over_part(Value *item, std::int64_t items, std::int64_t count,
                        const std::function<void(Value *, std::int64_t)> &body) const {
  if (items == 1) {
    if (count > 0) {
      m_.over(count, body);
    }
    return;
  }
  const auto bound = [&](Value *i) { return b_.CreateUDiv(m_.times(i, count), m_.integer(items)); };
  Value *end = bound(m_.plus(item, m_.integer(1)));
  k_.dynamic_loop(bound(item), end, m_.integer(m_.lanes()), {}, [&](Value *i, std::span<Value *const>) {
    body(b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, i, b_.CreateSub(end, m_.integer(m_.lanes()))), m_.lanes());
    return std::vector<Value *>();
  });
}

void FftReal::at_first(Value *item, std::int64_t items, const std::function<void()> &body) const {
  if (items == 1) {
    body();
  } else {
    k_.if_then(b_.CreateICmpEQ(item, m_.integer(0)), body);
  }
}

ComplexParts FftReal::backwards(ComplexParts value) const {
  return has_lanes(value.real)
             ? ComplexParts{b_.CreateVectorReverse(value.real), b_.CreateVectorReverse(value.imaginary)}
             : value;
}

ComplexParts FftReal::sum_with_conjugate(ComplexParts x, ComplexParts y) const {
  return {b_.CreateFAdd(x.real, y.real), b_.CreateFSub(x.imaginary, y.imaginary)};
}

ComplexParts FftReal::difference_with_conjugate(ComplexParts x, ComplexParts y) const {
  return {b_.CreateFSub(x.real, y.real), b_.CreateFAdd(x.imaginary, y.imaginary)};
}

// Returns root(k / length), root((k + 1) / length), ... in `lanes` lanes.
ComplexParts FftReal::roots_from(Value *k, std::int64_t lanes) const {
  const std::int64_t n = shape_.length;
  const auto root = [&](std::int64_t i) { return root_of_unity(i, n); };
  if (!shape_.is_long) {
    return m_.load(m_.table("line." + std::to_string(n), shape_.points / 2 + 1, root), k, m_.integer(0), lanes);
  }
  return m_.load_twiddles("lanes." + std::to_string(n), lanes, root, m_.integer(0), m_.root_at(k, n));
}

void FftReal::untangle(const FftArray &z, const FftArray &to, Value *item, std::int64_t items) const {
  const std::int64_t points = shape_.points;
  if (!shape_.is_halved) {
    over_part(item, items, pair_count(), [&](Value *k, std::int64_t lanes) {
      m_.store(to, k, m_.integer(0), m_.load(z, k, m_.integer(0), lanes));
    });
    return;
  }
  at_first(item, items, [&] {
    const ComplexParts first = m_.load(z, m_.integer(0), m_.integer(0), 1);
    Value *zero = llvm::Constant::getNullValue(m_.real_type());
    m_.store(to, m_.integer(0), m_.integer(0), {b_.CreateFAdd(first.real, first.imaginary), zero});
    m_.store(to, m_.integer(points), m_.integer(0), {b_.CreateFSub(first.real, first.imaginary), zero});
  });
  over_part(item, items, pair_count(), [&](Value *i, std::int64_t lanes) {
    Value *k = m_.plus(i, m_.integer(1)), *mirror = b_.CreateSub(m_.integer(points - lanes + 1), k);
    const ComplexParts x = m_.scaled(m_.load(z, k, m_.integer(0), lanes), 0.5);
    const ComplexParts y = m_.scaled(backwards(m_.load(z, mirror, m_.integer(0), lanes)), 0.5);
    const ComplexParts even = sum_with_conjugate(x, y), odd = difference_with_conjugate(x, y);
    // o = odd / i
    const ComplexParts turned = emit_product(b_, {odd.imaginary, b_.CreateFNeg(odd.real)}, roots_from(k, lanes));
    const ComplexParts low{b_.CreateFAdd(even.real, turned.real), b_.CreateFAdd(even.imaginary, turned.imaginary)};
    const ComplexParts high{b_.CreateFSub(even.real, turned.real), b_.CreateFSub(turned.imaginary, even.imaginary)};
    m_.store(to, k, m_.integer(0), low);
    m_.store(to, mirror, m_.integer(0), backwards(high));
  });
}

void FftReal::tangle(const FftArray &x, const FftArray &to, Value *item, std::int64_t items) const {
  const std::int64_t points = shape_.points;
  Value *zero = m_.integer(0);
  at_first(item, items, [&] {
    ComplexParts first = m_.load(x, zero, zero, 1);
    first.imaginary = llvm::Constant::getNullValue(m_.real_type());
    if (shape_.is_halved) {
      const ComplexParts last = m_.load(x, m_.integer(points), zero, 1);
      first = {b_.CreateFAdd(first.real, last.real), b_.CreateFSub(first.real, last.real)};
    }
    m_.store(to, zero, zero, first);
  });
  over_part(item, items, shape_.is_halved ? pair_count() : pair_count() - 1, [&](Value *i, std::int64_t lanes) {
    Value *k = m_.plus(i, m_.integer(1)), *mirror = b_.CreateSub(m_.integer(points - lanes + 1), k);
    const ComplexParts low = m_.load(x, k, zero, lanes);
    if (!shape_.is_halved) {
      m_.store(to, k, zero, low);
      m_.store(to, mirror, zero, backwards({low.real, b_.CreateFNeg(low.imaginary)}));
      return;
    }
    const ComplexParts high = backwards(m_.load(x, mirror, zero, lanes));
    const ComplexParts even = sum_with_conjugate(low, high), odd = difference_with_conjugate(low, high);
    ComplexParts root = roots_from(k, lanes);
    root.imaginary = b_.CreateFNeg(root.imaginary);
    const ComplexParts turned = emit_product(b_, odd, root);
    // z = even + i turned, for both
    m_.store(to, k, zero, {b_.CreateFSub(even.real, turned.imaginary), b_.CreateFAdd(even.imaginary, turned.real)});
    m_.store(to, mirror, zero,
             backwards({b_.CreateFAdd(even.real, turned.imaginary), b_.CreateFSub(turned.real, even.imaginary)}));
  });
}

}  // namespace bp::emit
