#include "plugins/llvm/fft/passes.h"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>

namespace bp::emit {

using llvm::Value;

namespace {

using Elements = std::vector<ComplexParts>;

}  // namespace

std::int64_t FftPasses::buffer_bytes(std::int64_t n, std::int64_t columns) const {
  const std::int64_t prime = has_radices(n) ? largest_prime_factor(n) : 1;
  const std::int64_t sums = prime > largest_radix ? 2 * (prime - 1) * lanes() : 0;
  return (4 * buffer(nullptr, 0, n, columns).plane_stride + sums) * real_bytes();
}

FftArray FftPasses::buffer(Value *scratch, std::size_t which, std::int64_t n, std::int64_t columns) const {
  // One extra cache line, so that planes do not map to the same cache sets.
  const std::int64_t line = 64 / real_bytes(), plane = (n * columns + line - 1) / line * line + line;
  Value *base = which == 0 || scratch == nullptr ? scratch : behind(scratch, 2 * plane);
  return {.base = base, .row_stride = columns, .plane_stride = plane};
}

FftArray FftPasses::transform(FftArray source, std::optional<FftArray> sink, std::int64_t n, std::int64_t columns,
                              Value *scratch, double scale) {
  const std::vector<std::int64_t> radices = fft_radices(n, columns, machine());
  const FftArray buffers[] = {buffer(scratch, 0, n, columns), buffer(scratch, 1, n, columns)};
  std::size_t next = source.base == buffers[0].base ? 1 : 0;
  std::int64_t done = 1;
  for (std::size_t i = 0; i < radices.size(); ++i) {
    const bool is_last = i + 1 == radices.size();
    const FftArray to = is_last && sink ? *sink : buffers[next];
    const std::int64_t radix = radices[i], rest = n / done / radix;
    const Pass pass{radix, rest, done, is_last ? scale : 1, source, to};
    if (radix > largest_radix) {
      in_memory(pass, columns, behind(buffers[1].base, 2 * buffers[1].plane_stride));
    } else if (columns == 1 && has_shuffles(radix, rest, done, machine())) {
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

// Returns root(bc / n) for c of each b; nothing if there is only one b.
std::optional<FftArray> FftPasses::pass_roots(const Pass &pass) {
  const std::int64_t n = pass.rest * pass.radix;
  if (pass.rest == 1) {
    return std::nullopt;
  }
  return table("roots." + std::to_string(pass.radix) + "." + std::to_string(pass.rest), n,
               [&](std::int64_t i) { return root_of_unity(i / pass.radix * (i % pass.radix), n); });
}

void FftPasses::with_broadcasts(const Pass &pass, std::int64_t columns) {
  const auto [radix, rest, done, scale, from, to] = pass;
  const std::optional<FftArray> roots = pass_roots(pass);
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
        if (roots && c > 0) {
          value = emit_product(k_.b, value, broadcast(*roots, plus(first, integer(c)), lanes));
        }
        store(to, plus(times(plus(first, integer(c)), done), p), column, scaled(value, scale));
      }
    });
  });
}

// For a prime that is too large for registers. Elements k and radix - k have conjugate factors: their sums and
// differences are stored in memory first, then the sums over them are computed for several c at a time.
void FftPasses::in_memory(const Pass &pass, std::int64_t columns, Value *memory) {
  const auto [radix, rest, done, scale, from, to] = pass;
  const std::int64_t half = (radix - 1) / 2, together = machine().registers >= 32 ? 4 : 2, prime = radix;
  const FftArray factors = table("prime." + std::to_string(radix), (half + 1) * (half + 1), [&](std::int64_t i) {
    return root_of_unity(i / (half + 1) * (i % (half + 1)), prime);
  });
  const std::optional<FftArray> roots = pass_roots(pass);
  const FftArray sums{.base = memory, .row_stride = 4 * lanes(), .plane_stride = lanes()},
      differences{.base = behind(memory, 2 * lanes()), .row_stride = 4 * lanes(), .plane_stride = lanes()};
  k_.loop(0, rest, 1, [&](Value *b) {
    for_each(done, columns, [&](Value *p, Value *column, std::int64_t lanes) {
      const auto element = [&](Value *a) {
        return load(from, plus(times(plus(times(a, rest), b), done), p), column, lanes);
      };
      const auto put = [&](Value *c, ComplexParts value) {
        Value *row = plus(times(b, radix), c);
        if (roots) {
          value = emit_product(k_.b, value, broadcast(*roots, row, lanes));
        }
        store(to, plus(times(row, done), p), column, scaled(value, scale));
      };
      const ComplexParts first = element(integer(0));
      const std::vector<Value *> whole =
          k_.loop(1, half + 1, 1, {first.real, first.imaginary}, [&](Value *k, std::span<Value *const> sum) {
            const ComplexParts x = element(k), y = element(k_.b.CreateSub(integer(radix), k));
            const ComplexParts both{k_.b.CreateFAdd(x.real, y.real), k_.b.CreateFAdd(x.imaginary, y.imaginary)};
            store(sums, k_.b.CreateSub(k, integer(1)), integer(0), both);
            store(differences, k_.b.CreateSub(k, integer(1)), integer(0),
                  {k_.b.CreateFSub(x.real, y.real), k_.b.CreateFSub(x.imaginary, y.imaginary)});
            return std::vector<Value *>{k_.b.CreateFAdd(sum[0], both.real), k_.b.CreateFAdd(sum[1], both.imaginary)};
          });
      put(integer(0), {whole[0], whole[1]});
      k_.loop(1, half + 1, together, [&](Value *i) {
        Value *begin = k_.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, i, integer(half + 1 - together));
        std::vector<Value *> start;
        for (std::int64_t c = 0; c < together; ++c) {
          Value *zero = llvm::Constant::getNullValue(first.real->getType());
          start.insert(start.end(), {first.real, first.imaginary, zero, zero});
        }
        const std::vector<Value *> parts = k_.loop(1, half + 1, 1, start, [&](Value *k, std::span<Value *const> now) {
          Value *row = k_.b.CreateSub(k, integer(1));
          const ComplexParts sum = load(sums, row, integer(0), lanes),
                             difference = load(differences, row, integer(0), lanes);
          std::vector<Value *> next;
          for (std::int64_t c = 0; c < together; ++c) {
            const ComplexParts factor = broadcast(factors, plus(times(plus(begin, integer(c)), half + 1), k), lanes);
            const auto i = static_cast<std::size_t>(4 * c);
            next.insert(next.end(), {emit_sum_of_product(k_.b, sum.real, factor.real, now[i]),
                                     emit_sum_of_product(k_.b, sum.imaginary, factor.real, now[i + 1]),
                                     emit_sum_of_product(k_.b, difference.real, factor.imaginary, now[i + 2]),
                                     emit_sum_of_product(k_.b, difference.imaginary, factor.imaginary, now[i + 3])});
          }
          return next;
        });
        for (std::int64_t n = 0; n < together; ++n) {
          const auto at = static_cast<std::size_t>(4 * n);
          Value *c = plus(begin, integer(n));
          put(c, {k_.b.CreateFSub(parts[at], parts[at + 3]), k_.b.CreateFAdd(parts[at + 1], parts[at + 2])});
          put(k_.b.CreateSub(integer(radix), c),
              {k_.b.CreateFAdd(parts[at], parts[at + 3]), k_.b.CreateFSub(parts[at + 1], parts[at + 2])});
        }
      });
    });
  });
}

// Vectors run over b and the indices of earlier passes; the results of different c are interleaved.
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

std::int64_t FftPasses::rows_for(std::int64_t n, std::int64_t columns) const {
  return is_better_convolved(n, columns, machine()) ? Convolution1d(n, block_).length() : n;
}

FftArray FftPasses::transform_any(FftArray source, std::optional<FftArray> sink, std::int64_t n, std::int64_t columns,
                                  Value *scratch, double scale) {
  return is_better_convolved(n, columns, machine()) ? by_convolution(source, sink, n, columns, scratch, scale)
                                                    : transform(source, sink, n, columns, scratch, scale);
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
  // Multiplies `rows` rows of the source by factors.
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
    k_.b.CreateMemSet(behind(at.base, first), k_.b.getInt8(0),
                      static_cast<std::uint64_t>((length - n) * columns * real_bytes()), llvm::MaybeAlign(4));
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
