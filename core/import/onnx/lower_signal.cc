// Operators on signals: discrete Fourier transforms, windows, and the matrix of the mel scale.
#include <cmath>
#include <numbers>

#include "core/import/onnx/lower.h"

namespace bp::import::onnx {
namespace {

constexpr std::int64_t max_fourier_length = 1 << 26;  // elements along the dimension that is transformed
constexpr std::int64_t max_signal_constant = 1 << 24;

// --- Transforms ---

Array fourier(const Array &x, ir::FftType type, std::int64_t length) {
  return x.builder().add(Opcode::Fft, {x}, [&](ir::Module &m, ir::InstructionId id) {
    m.set_number(id, ir::AttributeKey::FftType, static_cast<std::int64_t>(type));
    m.set_numbers(id, ir::AttributeKey::FftLength, {length});
  });
}

// Cuts the last dimension, or adds zeros to it.
Array with_signal_length(const Array &x, std::int64_t length) {
  if (!x.is_valid() || x.size(-1) == length) {
    return x;
  }
  std::vector<ir::PaddingDimension> padding(x.rank());
  padding.back().high = length - x.size(-1);
  return pad(x, number(0, x), padding);
}

// Returns one part of complex numbers whose parts are the last dimension; none if there is no such part.
Array complex_part(const Array &x, std::int64_t part) {
  const Integers last = {static_cast<std::int64_t>(x.rank()) - 1};
  return part < x.size(-1) ? squeeze(slice(x, last[0], part, part + 1), last) : Array();
}

struct FourierTransform {
  bool is_inverse = false, is_onesided = false;
  std::int64_t length = 0;  // of the signal
};

// Transforms the last dimension of numbers whose imaginary part may be absent. Returns the parts as a new last
// dimension.
Array fourier_parts(const Array &real, const Array &imaginary, const FourierTransform &transform) {
  const auto rank = static_cast<std::int64_t>(real.rank());
  const std::int64_t length = transform.length;
  const std::int64_t count = transform.is_inverse && transform.is_onesided ? length / 2 + 1 : length;
  const Array re = with_signal_length(real, count);
  if (!transform.is_inverse && transform.is_onesided) {
    const Array y = fourier(re, ir::FftType::Rfft, length);
    return concatenate({expand_dimension(apply(Opcode::Real, y), rank), expand_dimension(apply(Opcode::Imag, y), rank)},
                       rank);
  }
  const Array im = imaginary ? with_signal_length(imaginary, count) : re.builder().filled(re.type(), re.sizes(), 0);
  const Array x = apply(Opcode::Complex, re, im);
  if (transform.is_onesided) {
    return expand_dimension(fourier(x, ir::FftType::Irfft, length), rank);
  }
  const Array y = fourier(x, transform.is_inverse ? ir::FftType::Ifft : ir::FftType::Fft, length);
  return concatenate({expand_dimension(apply(Opcode::Real, y), rank), expand_dimension(apply(Opcode::Imag, y), rank)},
                     rank);
}

bool is_fourier_length(const Node &node, std::int64_t length) {
  if (length < 1 || length > max_fourier_length) {
    node.fail("the length of the transform is {}, expected 1 to {}", length, max_fourier_length);
    return false;
  }
  return true;
}

// --- Constants that are computed now ---

// Returns an array of the type that the attribute names.
Array signal_constant(const Node &node, const std::vector<double> &values) {
  const ElementType type = node.element_type("output_datatype", ElementType::F32);
  return convert(node.builder().reals(values, ir::is_floating(type) ? type : ElementType::F64), type);
}

// Returns a window: a sum of cosines with these factors, from the constant one on.
Values cosine_window(const Node &node, std::initializer_list<double> factors) {
  const std::int64_t size = node.known_integer(0);
  if (size < 0 || size > max_signal_constant) {
    return node.fail("the size of the window is {}, expected 0 to {}", size, max_signal_constant);
  }
  const auto period = static_cast<double>(node.flag("periodic", true) ? size : size - 1);
  std::vector<double> values;
  for (std::int64_t i = 0; i < size; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / period;
    double sum = 0, multiple = 0;
    for (const double factor : factors) {
      sum += factor * std::cos(angle * multiple);
      multiple += 1;
    }
    values.push_back(sum);
  }
  return {signal_constant(node, values)};
}

// Fills a column of the mel matrix: a triangle over rows first, center and last.
void fill_triangle(std::vector<double> &matrix, std::size_t columns, std::size_t column, const std::int64_t *corners) {
  const std::int64_t first = corners[0], center = corners[1], last = corners[2];
  const auto at = [&](std::int64_t row) -> double & {
    return matrix[static_cast<std::size_t>(row) * columns + column];
  };
  for (std::int64_t row = first; row <= center; ++row) {
    at(row) = first == center ? 1 : static_cast<double>(row - first) / static_cast<double>(center - first);
  }
  for (std::int64_t row = center; row < last; ++row) {
    at(row) = static_cast<double>(last - row) / static_cast<double>(last - center);
  }
}

double mel_scalar(const Node &node, std::size_t input) {
  const std::vector<double> values = node.known_reals(input);
  if (values.size() != 1) {
    node.fail("input {} has {} elements, expected one", input, values.size());
    return 0;
  }
  return values[0];
}

}  // namespace

Values lower_dft(const Node &node) {
  const Array x = node.input(0);
  const bool has_axis_input = node.version() >= 20;
  const std::int64_t number = !has_axis_input     ? node.integer("axis", 1)
                              : node.has_input(2) ? node.known_integer(2)
                                                  : -2;
  const std::int64_t axis = node.dimension(number, x.rank());
  const auto last = static_cast<std::int64_t>(x.rank()) - 1;
  if (last < 1 || axis == last || (x.size(-1) != 1 && x.size(-1) != 2)) {
    return node.fail("dimension {} of {} is transformed, expected one before the last one, of size 1 or 2", number,
                     ir::to_string(x.shape()));
  }
  if (!is_fourier_length(node, x.size(axis))) {
    return {};
  }
  FourierTransform transform{node.flag("inverse"), node.flag("onesided"), x.size(axis)};
  if (node.has_input(1)) {
    transform.length = node.known_integer(1);
  } else if (transform.is_inverse && transform.is_onesided) {
    transform.length = 2 * (x.size(axis) - 1);
  }
  if (transform.is_onesided && !transform.is_inverse && x.size(-1) == 2) {
    return node.fail("one side of the spectrum of complex numbers, expected real ones");
  }
  if (node.builder().has_failed() || !is_fourier_length(node, transform.length)) {
    return {};
  }
  // The dimension that is transformed becomes the last one of the numbers, and goes back.
  Integers there, back;
  for (std::int64_t i = 0; i < last; ++i) {
    if (i != axis) {
      there.push_back(i);
    }
    back.push_back(i < axis ? i : i == axis ? last - 1 : i - 1);
  }
  there.push_back(axis);
  back.push_back(last);
  const Array wide = convert(x, compute_type(x.type()));
  const auto part = [&](std::int64_t i) {
    const Array own = complex_part(wide, i);
    return own ? transpose(own, there) : own;
  };
  return {convert(transpose(fourier_parts(part(0), part(1), transform), back), x.type())};
}

// A signal without a last dimension is real, as PyTorch's exporter writes it and ONNX Runtime takes it.
Values lower_stft(const Node &node) {
  const Array given = node.input(0), window = node.optional_input(2);
  const Array signal = given.rank() == 2 ? expand_dimension(given, 2) : given;
  const std::int64_t step = node.known_integer(1);
  if (signal.rank() != 3 || (signal.size(2) != 1 && signal.size(2) != 2) || (window && window.rank() != 1)) {
    return node.fail(
        "the signal is {}, expected [batch,length], [batch,length,1] or [batch,length,2], and one dimension of the "
        "window",
        ir::to_string(signal.shape()));
  }
  const std::int64_t size = signal.size(1);
  const std::int64_t length = node.has_input(3) ? node.known_integer(3) : window ? window.size(0) : size;
  const FourierTransform transform{false, node.flag("onesided", true), length};
  if (node.builder().has_failed() || !is_fourier_length(node, length)) {
    return {};
  }
  if (step < 1 || length > size) {
    return node.fail("frames of {} elements every {} elements of {}", length, step, size);
  }
  if (transform.is_onesided && signal.size(2) == 2) {
    return node.fail("one side of the spectrum of complex numbers, expected real ones");
  }
  const std::int64_t frames = 1 + (size - length) / step;
  if (ir::product(Integers{frames, length}) > max_fourier_length) {
    return node.unsupported(fmt::format("{} frames of {} elements", frames, length));
  }
  const ElementType type = compute_type(signal.type());
  GraphBuilder &builder = node.builder();
  const Integers sizes = {frames, length};
  const Array indices =
      builder.iota(ElementType::S32, sizes, 0) * static_cast<double>(step) + builder.iota(ElementType::S32, sizes, 1);
  const auto part = [&](std::int64_t i) {
    const Array own = complex_part(convert(signal, type), i);
    if (!own.is_present()) {
      return own;
    }
    const Array framed = take(own, indices, 1);
    return window ? framed * with_signal_length(convert(window, type), length) : framed;
  };
  return {convert(fourier_parts(part(0), part(1), transform), signal.type())};
}

Values lower_hann_window(const Node &node) {
  return cosine_window(node, {0.5, -0.5});
}
Values lower_hamming_window(const Node &node) {
  return cosine_window(node, {25.0 / 46, -21.0 / 46});
}
Values lower_blackman_window(const Node &node) {
  return cosine_window(node, {0.42, -0.5, 0.08});
}

Values lower_mel_weight_matrix(const Node &node) {
  const std::int64_t bins = node.known_integer(0), length = node.known_integer(1), rate = node.known_integer(2);
  const double low = mel_scalar(node, 3), high = mel_scalar(node, 4);
  if (bins < 1 || length < 0 || rate < 1 || bins > max_signal_constant || length > max_signal_constant ||
      bins * (length / 2 + 1) > max_signal_constant) {
    return node.fail("{} bins of the mel scale, transforms of {} and {} samples a second", bins, length, rate);
  }
  const auto mel = [](double frequency) { return 2595 * std::log10(1 + frequency / 700); };
  const std::int64_t rows = length / 2 + 1;
  const double first = mel(low), step = (mel(high) - first) / static_cast<double>(bins + 2);
  Integers corners;
  for (std::int64_t i = 0; i < bins + 2; ++i) {
    const double frequency = 700 * (std::pow(10, (first + step * static_cast<double>(i)) / 2595) - 1);
    const double row = std::floor(static_cast<double>(length + 1) * frequency / static_cast<double>(rate));
    if (!(row >= 0 && row < static_cast<double>(rows) + (i == bins + 1 ? 1 : 0)) ||
        (!corners.empty() && row < static_cast<double>(corners.back()))) {
      return node.fail("the frequencies {} to {} are not in the spectrum", low, high);
    }
    corners.push_back(static_cast<std::int64_t>(row));
  }
  std::vector<double> matrix(static_cast<std::size_t>(rows * bins));
  for (std::size_t i = 0; i < static_cast<std::size_t>(bins); ++i) {
    fill_triangle(matrix, static_cast<std::size_t>(bins), i, &corners[i]);
  }
  return {reshape(signal_constant(node, matrix), {rows, bins})};
}

}  // namespace bp::import::onnx
