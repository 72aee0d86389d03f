// Elementwise ops: apply a function to all elements, in parallel on several threads.
#include <cmath>
#include <cstring>

#include "core/interpreter/elementwise_function.h"
#include "core/interpreter/evaluator.h"
#include "core/ir/float_spacing.h"

namespace bp::interpreter {
namespace {

// An operand as the function reads it. A scalar among arrays is repeated in a buffer.
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
    source.repeated.resize(ElementwiseFunction::max_count * source.width);
    for (std::size_t i = 0; i < ElementwiseFunction::max_count; ++i) {
      std::memcpy(source.repeated.data() + i * source.width, source.data, source.width);
    }
    source.data = source.repeated.data();
    source.step = 0;
  }
  return source;
}

// Returns the neighbour of x towards 0, or the one away from 0 if the random bits, as a number, are less than the
// leading bits that are cut off. As many of these bits as there are random bits are compared.
double stochastically_rounded(double x, std::uint64_t random, int random_bits, ir::Spacing spacing) {
  if (!std::isfinite(x) || x == 0) {
    return x;
  }
  double step = std::ldexp(1.0, std::max(std::ilogb(x) - spacing.mantissa_bits, spacing.least));
  double steps = std::fabs(x) / step, whole = std::trunc(steps);
  if (random < static_cast<std::uint64_t>(std::ldexp(steps - whole, random_bits))) {
    whole += 1;
  }
  return std::copysign(whole * step, x);
}

}  // namespace

Result<Literal> converted(const Evaluator &evaluator, const Literal &value, ElementType type) {
  Shape shape = value.shape();
  shape.set_element_type(type);
  BP_ASSIGN(Literal result, evaluator.allocate(shape));
  ElementwiseFunction function = ElementwiseFunction::conversion(value.shape().element_type(), type);
  auto from_width = static_cast<std::size_t>(ir::byte_width(value.shape().element_type()));
  auto to_width = static_cast<std::size_t>(ir::byte_width(type));
  const std::byte *from = value.bytes().data();
  std::byte *to = result.mutable_bytes().data();
  auto count = static_cast<std::size_t>(shape.element_count());
  for (std::size_t first = 0; first < count; first += ElementwiseFunction::max_count) {
    const std::byte *run = from + first * from_width;
    function(std::span(&run, 1), to + first * to_width, std::min(ElementwiseFunction::max_count, count - first));
  }
  return result;
}

Result<Literal> evaluate_elementwise(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  BP_ASSIGN(ElementwiseFunction function, ElementwiseFunction::make(instruction));
  BP_ASSIGN(Literal result, evaluator.allocate(instruction.shape()));
  std::vector<Source> sources;
  for (const Literal &operand : operands) {
    sources.push_back(make_source(operand, instruction.shape()));
  }
  std::byte *out = result.mutable_bytes().data();
  auto out_width = static_cast<std::size_t>(ir::byte_width(instruction.shape().element_type()));
  evaluator.parallel(instruction.shape().element_count(), 1 << 15, [&](std::int64_t begin, std::int64_t end) {
    const std::byte *pointers[3] = {};
    for (std::int64_t first = begin; first < end; first += ElementwiseFunction::max_count) {
      auto count = static_cast<std::size_t>(std::min<std::int64_t>(ElementwiseFunction::max_count, end - first));
      auto at = static_cast<std::size_t>(first);
      for (std::size_t i = 0; i < sources.size(); ++i) {
        pointers[i] = sources[i].data + at * sources[i].step * sources[i].width;
      }
      function(std::span(pointers, sources.size()), out + at * out_width, count);
    }
  });
  return result;
}

Result<Literal> evaluate_select(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  if (operands[0].shape().is_scalar()) {  // tuples may be selected, too
    return std::move(operands[operands[0].elements<bool>()[0] ? 1 : 2]);
  }
  return evaluate_elementwise(evaluator, instruction, operands);
}

// Rounds randomly to a number that the result's type can represent; then an ordinary conversion saturates or overflows.
Result<Literal> evaluate_stochastic_convert(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  ElementType to = instruction.shape().element_type();
  Shape wide_shape = instruction.shape();
  wide_shape.set_element_type(ElementType::F64);
  BP_ASSIGN(Literal rounded, evaluator.allocate(wide_shape));
  BP_ASSIGN(const Literal values, converted(evaluator, operands[0], ElementType::F64));
  BP_ASSIGN(const Literal random, converted(evaluator, operands[1], ElementType::U64));
  const int random_bits = ir::bit_width(operands[1].shape().element_type());
  const ir::Spacing spacing = ir::spacing_of(to);
  std::span<double> out = rounded.mutable_elements<double>();
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] =
        stochastically_rounded(values.elements<double>()[i], random.elements<std::uint64_t>()[i], random_bits, spacing);
  }
  return converted(evaluator, rounded, to);
}

}  // namespace bp::interpreter
