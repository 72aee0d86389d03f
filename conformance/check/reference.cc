#include "conformance/check/reference.h"

#include <algorithm>

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

// Exact.
template <class T>
Number to_number(T x) {
  if constexpr (requires { T::float_format; }) {
    return Number(static_cast<double>(x));
  } else {
    return Number(x);
  }
}

// The instructions that a value depends on, itself last.
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

// One element after the other, each through all instructions.
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

  // Where the value is not finite, what is stored in `otherwise`.
  Literal compute(const Literal &otherwise) {
    Literal result = otherwise;
    ir::visit_element_type(result.shape().element_type(), [&]<class T>() {
      if constexpr (std::is_floating_point_v<T> || requires { T::float_format; }) {
        auto elements = result.mutable_elements<T>();
        for (std::size_t element = 0; element < elements.size(); ++element) {
          if (const Number value = compute_element(element); isfinite(value)) {
            // Double is wide enough for a second rounding to be harmless to narrow floats.
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
  std::vector<Number> values_;  // by instruction id, of one element
};

// Types in which a program of f32 and narrower is as good as exact.
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

// An array as another type.
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

// What means the same with more digits.
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
      // Of what is exact in both types, before and after.
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

}  // namespace

std::optional<Literal> correctly_rounded(const ir::Module &program, std::span<const Literal> arguments,
                                         std::size_t output) {
  ir::Module inlined = program;
  constexpr std::string_view passes[] = {"call-inlining", "dead-code-elimination"};
  if (!passes::run_passes(inlined, passes).ok()) {
    return std::nullopt;
  }
  const Instruction root = inlined.entry().root().operand(output);
  ElementwiseReference elementwise(root, arguments);
  if (elementwise.is_possible()) {
    Result<Literal> otherwise = interpreter::interpret(inlined, arguments);
    return otherwise.ok() ? std::optional(elementwise.compute(otherwise->tuple_elements()[output])) : std::nullopt;
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
