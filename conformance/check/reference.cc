#include "conformance/check/reference.h"

#include <algorithm>
#include <complex>

#include "conformance/check/exact_functions.h"
#include "core/interpreter/interpreter.h"
#include "core/passes/pipeline.h"

namespace bp::conformance {
namespace {

using ir::ElementType;
using ir::Instruction;
using ir::InstructionId;
using ir::Literal;
using ir::Opcode;
using ir::Shape;

bool is_real(const Shape &shape) {
  return shape.is_array() && ir::is_floating(shape.element_type());
}

// Converts without rounding.
template <class T>
Number to_number(T x) {
  if constexpr (requires { T::float_format; }) {
    return Number(static_cast<double>(x));
  } else {
    return Number(x);
  }
}

// Returns the instructions that a value depends on, ending with its own.
std::vector<Instruction> needed_for(Instruction root) {
  std::vector<bool> needed(root.module().instruction_id_limit());
  needed[index(root.id())] = true;
  std::vector<Instruction> result;
  const auto ids = root.parent().instruction_ids();
  for (std::size_t i = ids.size(); i-- > 0;) {
    const Instruction instruction = root.module().instruction(ids[i]);
    if (needed[index(ids[i])]) {
      result.push_back(instruction);
      for (InstructionId operand : instruction.operands()) {
        needed[index(operand)] = true;
      }
    }
  }
  std::ranges::reverse(result);
  return result;
}

// Computes one element after the other, each through all instructions.
class ElementwiseReference {
 public:
  ElementwiseReference(Instruction root, std::span<const Literal> arguments)
      : root_(root),
        arguments_(arguments),
        instructions_(needed_for(root)),
        values_(root.module().instruction_id_limit()) {}

  bool is_possible() const {
    return is_real(root_.shape()) && std::ranges::all_of(instructions_, [&](Instruction i) {
             const bool same = is_real(i.shape()) && std::ranges::equal(i.shape().sizes(), root_.shape().sizes());
             switch (i.opcode()) {
               case Opcode::Parameter:
               case Opcode::Constant: return is_real(i.shape()) && (same || i.shape().is_scalar());
               case Opcode::Broadcast: return same && i.operand(0).shape().is_scalar();
               default: return same && find_exact_function(i.opcode()) != nullptr;
             }
           });
  }

  // Elements whose value is not finite are taken from `otherwise`.
  Literal compute(const Literal &otherwise) {
    Literal result = otherwise;
    ir::visit_element_type(result.shape().element_type(), [&]<class T>() {
      if constexpr (std::is_floating_point_v<T> || requires { T::float_format; }) {
        auto elements = result.mutable_elements<T>();
        for (std::size_t element = 0; element < elements.size(); ++element) {
          if (const Number value = compute_element(element); isfinite(value)) {
            // Double has enough digits that a second rounding does no harm to narrower floats.
            elements[element] = rounded<T>(value);
          }
        }
      }
    });
    return result;
  }

 private:
  template <class T>
  static T rounded(const Number &value) {
    if constexpr (std::is_floating_point_v<T>) {
      return value.convert_to<T>();
    } else {
      return T(value.convert_to<double>());
    }
  }

  Number compute_element(std::size_t element) {
    for (Instruction i : instructions_) {
      Number &value = values_[index(i.id())];
      auto operand = [&](std::size_t number) -> const Number & { return values_[index(i.operands()[number])]; };
      if (i.opcode() == Opcode::Parameter || i.opcode() == Opcode::Constant) {
        value = element_of(
            i.opcode() == Opcode::Constant ? i.literal() : arguments_[static_cast<std::size_t>(i.parameter_number())],
            element);
      } else if (i.opcode() == Opcode::Broadcast) {
        value = operand(0);
      } else {
        const ExactFunction &function = *find_exact_function(i.opcode());
        if (!isfinite(operand(0)) || (function.binary != nullptr && !isfinite(operand(1)))) {
          return std::numeric_limits<Number>::quiet_NaN();
        }
        try {
          value = function.unary != nullptr ? function.unary(operand(0)) : function.binary(operand(0), operand(1));
        } catch (const std::exception &) {  // Boost.Math, outside of a function's domain
          return std::numeric_limits<Number>::quiet_NaN();
        }
      }
    }
    return values_[index(root_.id())];
  }

  static Number element_of(const Literal &literal, std::size_t element) {
    return ir::visit_element_type(literal.shape().element_type(), [&]<class T>() -> Number {
      if constexpr (std::is_floating_point_v<T> || requires { T::float_format; }) {
        const auto elements = literal.elements<T>();
        return to_number(elements[elements.size() == 1 ? 0 : element]);
      } else {
        return 0;
      }
    });
  }

  Instruction root_;
  std::span<const Literal> arguments_;
  std::vector<Instruction> instructions_;
  std::vector<Number> values_;  // values of one element, by instruction id
};

// Returns a type in which a program of f32 and narrower types is practically exact.
ElementType widened(ElementType type) {
  switch (ir::info(type).type_class) {
    case ir::TypeClass::Float: return ElementType::F64;
    case ir::TypeClass::Complex: return ElementType::C128;
    default: return type;
  }
}

Shape widened(const Shape &shape) {
  if (shape.is_tuple()) {
    std::vector<Shape> elements;
    for (const Shape &element : shape.elements()) {
      elements.push_back(widened(element));
    }
    return Shape::tuple(std::move(elements));
  }
  return shape.is_array() ? Shape::array(widened(shape.element_type()), shape.sizes()) : shape;
}

// Converts an array to another element type.
Result<Literal> converted(const Literal &literal, ElementType type) {
  ir::Module module("convert");
  const ir::ComputationId entry = module.add_computation("entry");
  module.set_entry(entry);
  const InstructionId parameter =
      module.add_parameter(entry, 0, Shape::array(literal.shape().element_type(), literal.shape().sizes()));
  module.set_root(
      entry, module.add_instruction(entry, Opcode::Convert, Shape::array(type, literal.shape().sizes()), {parameter}));
  return interpreter::interpret(module, std::span(&literal, 1));
}

// Whether the instruction means the same in a wider type.
bool can_be_widened(Instruction instruction) {
  switch (instruction.opcode()) {
    case Opcode::Parameter:
    case Opcode::Constant:
    case Opcode::Tuple:
    case Opcode::GetTupleElement:
    case Opcode::Broadcast:
    case Opcode::Reshape:
    case Opcode::Transpose:
    case Opcode::Slice:
    case Opcode::Pad:
    case Opcode::Concatenate:
    case Opcode::Reverse:
    case Opcode::Iota:
    case Opcode::Dot:
    case Opcode::Convolution:
    case Opcode::Reduce:
    case Opcode::ReduceWindow:
    case Opcode::Real:
    case Opcode::Imag:
    case Opcode::Complex: return true;
    case Opcode::Convert: {
      // The conversion is allowed only if both types represent the value exactly, before and after widening.
      const ElementType from = instruction.operand(0).shape().element_type(), to = instruction.shape().element_type();
      const bool from_number =
          ir::info(from).type_class != ir::TypeClass::Float && ir::info(from).type_class != ir::TypeClass::Complex;
      return (from_number || ir::bit_width(to) >= ir::bit_width(from)) && widened(to) != to;
    }
    default: return find_exact_function(instruction.opcode()) != nullptr;
  }
}

bool can_be_widened(const ir::Module &program) {
  return std::ranges::all_of(program.computations(), [](ir::Computation computation) {
    return std::ranges::all_of(computation.instructions(), [](Instruction instruction) {
      const Shape &shape = instruction.shape();
      const bool is_wide = shape.is_array() && widened(shape.element_type()) == shape.element_type() &&
                           (ir::is_floating(shape.element_type()) || ir::is_complex(shape.element_type()));
      return !is_wide && can_be_widened(instruction);
    });
  });
}

std::optional<Literal> compute_widened(ir::Module program, std::span<const Literal> arguments, std::size_t output) {
  for (ir::Computation computation : program.computations()) {
    const std::vector<InstructionId> ids(computation.instruction_ids().begin(), computation.instruction_ids().end());
    for (InstructionId id : ids) {
      const Instruction instruction = program.instruction(id);
      const Shape shape = instruction.shape();
      if (instruction.opcode() == Opcode::Constant && widened(shape.element_type()) != shape.element_type()) {
        Result<Literal> wide = converted(instruction.literal(), widened(shape.element_type()));
        if (!wide.ok()) {
          return std::nullopt;
        }
        program.set_literal(id, std::move(wide).value());
      }
      program.set_shape(id, widened(shape));
    }
  }
  std::vector<Literal> wide_arguments;
  for (const Literal &argument : arguments) {
    Result<Literal> wide = converted(argument, widened(argument.shape().element_type()));
    if (!wide.ok()) {
      return std::nullopt;
    }
    wide_arguments.push_back(std::move(wide).value());
  }
  Result<Literal> result = interpreter::interpret(program, wide_arguments);
  return result.ok() ? std::optional(result->take_element(output)) : std::nullopt;
}

// Returns the offsets of all combinations of indices of some dimensions of a row-major array, relative to its first
// element.
std::vector<std::size_t> places(const Shape &shape, std::span<const std::int64_t> dimensions) {
  std::vector<std::size_t> result = {0};
  for (std::int64_t d : dimensions) {
    const auto dimension = static_cast<std::size_t>(d);
    const auto stride = static_cast<std::size_t>(ir::product(shape.sizes().subspan(dimension + 1)));
    std::vector<std::size_t> next;
    for (std::size_t place : result) {
      for (std::int64_t i = 0; i < shape.size(dimension); ++i) {
        next.push_back(place + static_cast<std::size_t>(i) * stride);
      }
    }
    result = std::move(next);
  }
  return result;
}

// Returns the dimensions of an operand of a dot that are in neither list.
std::vector<std::int64_t> free_dimensions(const Shape &shape, std::span<const std::int64_t> batch,
                                          std::span<const std::int64_t> contracted) {
  std::vector<std::int64_t> result;
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(shape.rank()); ++d) {
    if (std::ranges::find(batch, d) == batch.end() && std::ranges::find(contracted, d) == contracted.end()) {
      result.push_back(d);
    }
  }
  return result;
}

// Returns a value that is given, not computed, as c128.
std::optional<Literal> given_value(ir::Module program, Instruction value, std::span<const Literal> arguments) {
  const bool is_given = std::ranges::all_of(needed_for(value), [](Instruction i) {
    return i.opcode() == Opcode::Parameter || i.opcode() == Opcode::Constant ||
           (i.opcode() == Opcode::Convert && widened(i.shape()) == i.shape());
  });
  if (!is_given) {
    return std::nullopt;
  }
  const Shape complex = Shape::array(ElementType::C128, value.shape().sizes());
  const ir::ComputationId entry = program.entry().id();
  program.set_root(entry, program.add_instruction(entry, Opcode::Convert, complex, {value.id()}));
  Result<Literal> result = interpreter::interpret(program, arguments);
  return result.ok() ? std::optional(std::move(result).value()) : std::nullopt;
}

// Computes a dot of f64 or c128 whose operands are given: each sum with a hundred digits.
std::optional<Literal> compute_dot(const ir::Module &program, Instruction dot, std::span<const Literal> arguments) {
  const std::optional<Literal> lhs = given_value(program, dot.operand(0), arguments),
                               rhs = given_value(program, dot.operand(1), arguments);
  Result<Literal> sums = Literal::zeros(Shape::array(ElementType::C128, dot.shape().sizes()));
  if (!lhs || !rhs || !sums.ok()) {
    return std::nullopt;
  }
  using Key = ir::AttributeKey;
  const auto lhs_batch = dot.numbers(Key::LhsBatchDims), rhs_batch = dot.numbers(Key::RhsBatchDims),
             lhs_sum = dot.numbers(Key::LhsContractingDims), rhs_sum = dot.numbers(Key::RhsContractingDims);
  const auto lhs_batches = places(lhs->shape(), lhs_batch), rhs_batches = places(rhs->shape(), rhs_batch),
             lhs_terms = places(lhs->shape(), lhs_sum), rhs_terms = places(rhs->shape(), rhs_sum),
             rows = places(lhs->shape(), free_dimensions(lhs->shape(), lhs_batch, lhs_sum)),
             columns = places(rhs->shape(), free_dimensions(rhs->shape(), rhs_batch, rhs_sum));
  const auto x = lhs->elements<std::complex<double>>(), y = rhs->elements<std::complex<double>>();
  auto out = sums->mutable_elements<std::complex<double>>();
  std::size_t next = 0;
  for (std::size_t batch = 0; batch < lhs_batches.size(); ++batch) {
    for (std::size_t row : rows) {
      for (std::size_t column : columns) {
        Number real = 0, imaginary = 0;
        for (std::size_t k = 0; k < lhs_terms.size(); ++k) {
          const std::complex<double> a = x[lhs_batches[batch] + row + lhs_terms[k]],
                                     b = y[rhs_batches[batch] + column + rhs_terms[k]];
          real += Number(a.real()) * b.real() - Number(a.imag()) * b.imag();
          imaginary += Number(a.real()) * b.imag() + Number(a.imag()) * b.real();
        }
        out[next++] = {real.convert_to<double>(), imaginary.convert_to<double>()};
      }
    }
  }
  Result<Literal> result = converted(*sums, dot.shape().element_type());
  return result.ok() ? std::optional(std::move(result).value()) : std::nullopt;
}

}  // namespace

std::optional<Literal> correctly_rounded(const ir::Module &program, std::span<const Literal> arguments,
                                         std::size_t output) {
  ir::Module inlined = program;
  if (!passes::run_passes(inlined, {passes::call_inlining, passes::dead_code_elimination}).ok()) {
    return std::nullopt;
  }
  const Instruction root = inlined.entry().root().operand(output);
  ElementwiseReference elementwise(root, arguments);
  if (elementwise.is_possible()) {
    Result<Literal> otherwise = interpreter::interpret(inlined, arguments);
    return otherwise.ok() ? std::optional(elementwise.compute(otherwise->tuple_elements()[output])) : std::nullopt;
  }
  if (root.opcode() == Opcode::Dot && widened(root.shape()) == root.shape()) {
    return compute_dot(inlined, root, arguments);
  }
  if (!can_be_widened(inlined)) {
    return std::nullopt;
  }
  const ElementType type = root.shape().element_type();
  std::optional<Literal> wide = compute_widened(std::move(inlined), arguments, output);
  if (!wide) {
    return std::nullopt;
  }
  Result<Literal> narrow = converted(*wide, type);
  return narrow.ok() ? std::optional(std::move(narrow).value()) : std::nullopt;
}

}  // namespace bp::conformance
