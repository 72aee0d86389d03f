// fft: one dimension after the other, in complex<double>. Lengths are split into prime factors (Cooley and Tukey); each
// factor is summed directly.
#include <numbers>

#include "core/interpreter/elementwise_function.h"
#include "core/interpreter/strided_copy.h"

namespace bp::interpreter {
namespace {

using Complex = std::complex<double>;

std::size_t smallest_factor(std::size_t n) {
  for (std::size_t factor = 2; factor * factor <= n; ++factor) {
    if (n % factor == 0) {
      return factor;
    }
  }
  return n;
}

// Computes out[k] = sum over j of in[j * stride] * roots[(j * k * root_stride) mod total], where roots are the
// `total`-th roots of unity and n * root_stride = total.
void transform(const Complex *in, std::size_t stride, Complex *out, std::size_t n, std::span<const Complex> roots) {
  if (n == 1) {
    out[0] = in[0];
    return;
  }
  std::size_t factor = smallest_factor(n), rest = n / factor, root_stride = roots.size() / n;
  std::vector<Complex> parts(n);
  for (std::size_t f = 0; f < factor; ++f) {
    transform(in + f * stride, stride * factor, parts.data() + f * rest, rest, roots);
  }
  for (std::size_t k = 0; k < n; ++k) {
    Complex sum = 0;
    for (std::size_t f = 0; f < factor; ++f) {
      sum += parts[f * rest + k % rest] * roots[f * k % n * root_stride];
    }
    out[k] = sum;
  }
}

// Transforms all lines of `values` along a dimension of length n, in place. The inverse divides by n.
void transform_lines(const Evaluator &evaluator, std::vector<Complex> &values, std::size_t outer, std::size_t n,
                     std::size_t inner, bool inverse) {
  std::vector<Complex> roots(n);
  for (std::size_t i = 0; i < n; ++i) {
    double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
    roots[i] = std::polar(1.0, inverse ? angle : -angle);
  }
  evaluator.parallel(static_cast<std::int64_t>(outer * inner), 1 + (1 << 12) / static_cast<std::int64_t>(n),
                     [&](std::int64_t begin, std::int64_t end) {
                       std::vector<Complex> line(n);
                       for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
                         Complex *first = values.data() + i / inner * n * inner + i % inner;
                         transform(first, inner, line.data(), n, roots);
                         for (std::size_t k = 0; k < n; ++k) {
                           first[k * inner] = inverse ? line[k] / static_cast<double>(n) : line[k];
                         }
                       }
                     });
}

}  // namespace

Result<Literal> evaluate_fft(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  auto type = instruction.enumerator(ir::AttributeKey::FftType, ir::FftType::Fft);
  std::span<const std::int64_t> lengths = instruction.numbers(ir::AttributeKey::FftLength);
  const Shape &from = operands[0].shape(), &to = instruction.shape();
  bool inverse = type == ir::FftType::Ifft || type == ir::FftType::Irfft;
  std::size_t batch_rank = from.rank() - lengths.size();
  BP_ASSIGN(Literal result, evaluator.allocate(to));
  if (to.element_count() == 0 || from.element_count() == 0) {
    return result;
  }
  // Complex numbers of all frequencies; a real transform stores half of them along the last dimension.
  Dimensions sizes(from.sizes().begin(), from.sizes().end());
  std::ranges::copy(lengths, sizes.begin() + static_cast<std::ptrdiff_t>(batch_rank));
  std::vector<Complex> box(static_cast<std::size_t>(ir::product(std::span(sizes.data(), sizes.size()))));
  auto inner_of = [&](std::size_t d) {
    return static_cast<std::size_t>(ir::product(std::span(sizes.data(), sizes.size()).subspan(d + 1)));
  };
  std::int64_t last = lengths.back(), row_stored = from.sizes().back();
  ir::visit_element_type(from.element_type(), [&]<class T>() {
    std::span<const T> elements = operands[0].elements<T>();
    for (std::size_t i = 0; i < elements.size(); ++i) {
      auto row = static_cast<std::int64_t>(i) / row_stored, column = static_cast<std::int64_t>(i) % row_stored;
      box[static_cast<std::size_t>(row * last + column)] = widen<Complex>(elements[i]);
    }
  });
  auto along = [&](std::size_t d) {
    auto n = static_cast<std::size_t>(sizes[d]);
    transform_lines(evaluator, box, box.size() / n / inner_of(d), n, inner_of(d), inverse);
  };
  for (std::size_t d = batch_rank; d + 1 < sizes.size(); ++d) {
    along(d);
  }
  if (type == ir::FftType::Irfft) {
    // After the other dimensions are transformed, each row is the transform of a real row, whose second half mirrors
    // the first.
    for (std::size_t row = 0; row < box.size() / static_cast<std::size_t>(last); ++row) {
      Complex *line = box.data() + row * static_cast<std::size_t>(last);
      line[0] = line[0].real();
      for (std::int64_t k = last / 2 + 1; k < last; ++k) {
        line[k] = std::conj(line[last - k]);
      }
    }
  }
  along(sizes.size() - 1);
  std::int64_t row_kept = to.sizes().back();
  ir::visit_element_type(to.element_type(), [&]<class T>() {
    std::span<T> out = result.mutable_elements<T>();
    for (std::size_t i = 0; i < out.size(); ++i) {
      auto row = static_cast<std::int64_t>(i) / row_kept, column = static_cast<std::int64_t>(i) % row_kept;
      Complex value = box[static_cast<std::size_t>(row * last + column)];
      if constexpr (is_complex_number<T>) {
        out[i] = narrow<T>(value);
      } else if constexpr (std::is_floating_point_v<T>) {
        out[i] = static_cast<T>(value.real());
      }
    }
  });
  return result;
}

}  // namespace bp::interpreter
