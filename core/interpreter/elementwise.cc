// The elementwise ops: a kernel over all elements, in parts on several threads.
#include <cmath>
#include <cstring>

#include "core/interpreter/evaluator.h"
#include "core/interpreter/kernel.h"

namespace bp::interpreter {
namespace {

// An operand as the kernel reads it. A scalar among arrays is repeated in a run of its own.
struct Source {
  const std::byte *data;
  std::size_t width;
  std::size_t step;  // elements to advance per element: 0 for a repeated scalar
  std::vector<std::byte> repeated;
};

Source make_source(const Literal &operand, const Shape &result) {
  Source source{
      operand.bytes().data(), static_cast<std::size_t>(ir::byte_width(operand.shape().element_type())), 1, {}};
  if (operand.shape().is_scalar() && result.rank() > 0) {
    source.repeated.resize(Kernel::max_count * source.width);
    for (std::size_t i = 0; i < Kernel::max_count; ++i) {
      std::memcpy(source.repeated.data() + i * source.width, source.data, source.width);
    }
    source.data = source.repeated.data();
    source.step = 0;
  }
  return source;
}

// The integer next below |x|, or the one above it if the random bits, read as a fraction of 1, lie below what was cut.
template <class Integer>
Integer stochastic_integer(double x, std::uint64_t random, int random_bits) {
  using Limits = std::numeric_limits<Integer>;
  if (std::isnan(x)) {
    return 0;
  }
  if (x >= static_cast<double>(Limits::max())) {
    return Limits::max();
  }
  if (x <= static_cast<double>(Limits::min())) {
    return Limits::min();
  }
  double whole = std::trunc(std::fabs(x));
  double fraction = std::fabs(x) - whole;
  if (std::ldexp(static_cast<double>(random), -random_bits) < fraction) {
    whole += 1;
  }
  double rounded = std::copysign(whole, x);
  return rounded >= static_cast<double>(Limits::max()) ? Limits::max() : static_cast<Integer>(rounded);
}

}  // namespace

Result<Literal> evaluate_elementwise(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  BP_ASSIGN(Kernel kernel, Kernel::make(instruction));
  BP_ASSIGN(Literal result, evaluator.allocate(instruction.shape()));
  std::vector<Source> sources;
  for (const Literal &operand : operands) {
    sources.push_back(make_source(operand, instruction.shape()));
  }
  std::byte *out = result.mutable_bytes().data();
  auto out_width = static_cast<std::size_t>(ir::byte_width(instruction.shape().element_type()));
  evaluator.parallel(instruction.shape().element_count(), 1 << 15, [&](std::int64_t begin, std::int64_t end) {
    const std::byte *pointers[3] = {};
    for (std::int64_t first = begin; first < end; first += Kernel::max_count) {
      auto count = static_cast<std::size_t>(std::min<std::int64_t>(Kernel::max_count, end - first));
      auto at = static_cast<std::size_t>(first);
      for (std::size_t i = 0; i < sources.size(); ++i) {
        pointers[i] = sources[i].data + at * sources[i].step * sources[i].width;
      }
      kernel(std::span(pointers, sources.size()), out + at * out_width, count);
    }
  });
  // All array operands have the same run-time sizes.
  for (const Literal &operand : operands) {
    for (std::size_t d = 0; d < operand.shape().rank(); ++d) {
      if (operand.dynamic_size(d) != operand.shape().size(d)) {
        result.set_dynamic_size(d, operand.dynamic_size(d));
      }
    }
  }
  return result;
}

Result<Literal> evaluate_select(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  if (operands[0].shape().is_scalar()) {  // also tuples may be selected so
    return std::move(operands[operands[0].elements<bool>()[0] ? 1 : 2]);
  }
  return evaluate_elementwise(evaluator, instruction, operands);
}

Result<Literal> evaluate_stochastic_convert(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  BP_ASSIGN(Literal result, evaluator.allocate(instruction.shape()));
  ElementType from = operands[0].shape().element_type(), to = instruction.shape().element_type();
  if (!ir::is_signed(to)) {
    return unsupported("stochastic-convert to {}: only conversions to signed integers have a meaning",
                       ir::to_string(to));
  }
  ElementType random_type = operands[1].shape().element_type();
  ir::visit_element_type(from, [&]<class From>() {
    if constexpr (std::is_floating_point_v<WideType<From>>) {
      ir::visit_element_type(random_type, [&]<class Random>() {
        if constexpr (std::is_unsigned_v<Random> && !std::is_same_v<Random, bool>) {
          ir::visit_element_type(to, [&]<class To>() {
            if constexpr (std::is_integral_v<To> && std::is_signed_v<To>) {
              std::span<To> out = result.mutable_elements<To>();
              for (std::size_t i = 0; i < out.size(); ++i) {
                out[i] = stochastic_integer<To>(widen<double>(operands[0].elements<From>()[i]),
                                                operands[1].elements<Random>()[i], ir::bit_width(random_type));
              }
            }
          });
        }
      });
    }
  });
  return result;
}

}  // namespace bp::interpreter
