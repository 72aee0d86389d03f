#include "core/ir/builder.h"

#include <complex>
#include <limits>

#include "core/ir/origin.h"
#include "core/ir/shape_inference.h"

namespace bp::ir {
namespace {

template <class T>
T convert_to(double value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<T>) {
    // Converted to double, the limits themselves may round up.
    if (!(value < static_cast<double>(std::numeric_limits<T>::max()))) {
      return std::numeric_limits<T>::max();
    }
    if (value <= static_cast<double>(std::numeric_limits<T>::min())) {
      return std::numeric_limits<T>::min();
    }
    return static_cast<T>(value);
  } else if constexpr (requires { T::is_signed; }) {
    return T(convert_to<std::int64_t>(value));
  } else if constexpr (std::is_same_v<T, std::complex<float>>) {
    return T(static_cast<float>(value));
  } else {
    return T(value);
  }
}

}  // namespace

void Builder::copy_origin_from(Instruction original) {
  original_ = original.id();
}

InstructionId Builder::append(Opcode opcode, Operands operands, std::span<const ComputationId> calls,
                              const Shape &written) {
  Shape shape = written;  // a copy, because `written` may be a reference into the module
  std::string name;
  if (original_ != no_instruction) {
    name = fmt::format("{}.{}", module_.instruction(original_).name(), to_string(opcode));
  }
  InstructionId id = module_.add_instruction(computation_, opcode, shape, operands, name);
  if (original_ != no_instruction) {
    copy_origin(module_, id, module_.instruction(original_));
  }
  if (!calls.empty()) {
    module_.set_calls(id, calls);
  }
  return id;
}

Result<InstructionId> Builder::infer(InstructionId id) {
  Result<Shape> shape = infer_shape(module_.instruction(id));
  if (!shape.ok()) {
    // Remove the new instruction again.
    auto order = module_.computation(computation_).instruction_ids();
    module_.set_instruction_order(computation_, {order.begin(), order.end() - 1});
    return std::move(shape).error();
  }
  module_.set_shape(id, *shape);
  return id;
}

InstructionId Builder::parameter(const Shape &shape, std::string_view name) {
  auto number = static_cast<std::int64_t>(module_.computation(computation_).parameter_count());
  return module_.add_parameter(computation_, number, shape, name);
}

InstructionId Builder::constant(Literal literal) {
  InstructionId id = append(Opcode::Constant, {}, {}, literal.shape());
  module_.set_literal(id, std::move(literal));
  return id;
}

InstructionId Builder::constant(ElementType type, double value) {
  return constant(visit_element_type(type, [&]<class T>() { return Literal::scalar(type, convert_to<T>(value)); }));
}

InstructionId Builder::iota(const Shape &shape, std::int64_t dimension) {
  return add(
      Opcode::Iota, {}, [&](Module &m, InstructionId id) { m.set_number(id, AttributeKey::IotaDimension, dimension); },
      {}, shape);
}

InstructionId Builder::broadcast(InstructionId operand, const Shape &result, std::span<const std::int64_t> dimensions) {
  return add(
      Opcode::Broadcast, {operand},
      [&](Module &m, InstructionId id) { m.set_numbers(id, AttributeKey::Dimensions, dimensions); }, {}, result);
}

InstructionId Builder::broadcast(InstructionId operand, std::initializer_list<std::int64_t> sizes) {
  return broadcast(operand, Shape::array(shape(operand).element_type(), sizes));
}

InstructionId Builder::reshape(InstructionId operand, std::span<const std::int64_t> sizes) {
  return add(
      Opcode::Reshape, {operand}, [](Module &, InstructionId) {}, {},
      Shape::array(shape(operand).element_type(), sizes));
}

InstructionId Builder::transpose(InstructionId operand, std::span<const std::int64_t> permutation) {
  return add(Opcode::Transpose, {operand},
             [&](Module &m, InstructionId id) { m.set_numbers(id, AttributeKey::Dimensions, permutation); });
}

InstructionId Builder::convert(InstructionId operand, ElementType type) {
  return add(
      Opcode::Convert, {operand}, [](Module &, InstructionId) {}, {}, Shape::array(type, shape(operand).sizes()));
}

InstructionId Builder::compare(ComparisonDirection direction, InstructionId lhs, InstructionId rhs) {
  return add(Opcode::Compare, {lhs, rhs}, [&](Module &m, InstructionId id) {
    m.set_number(id, AttributeKey::Direction, static_cast<std::int64_t>(direction));
  });
}

InstructionId Builder::reduce(InstructionId operand, InstructionId init, std::span<const std::int64_t> dimensions,
                              ComputationId combiner) {
  return add(
      Opcode::Reduce, {operand, init},
      [&](Module &m, InstructionId id) { m.set_numbers(id, AttributeKey::Dimensions, dimensions); },
      std::span(&combiner, 1));
}

InstructionId Builder::tuple(Operands operands) {
  return try_add(Opcode::Tuple, operands, [](Module &, InstructionId) {}).value();
}

InstructionId Builder::get_tuple_element(InstructionId operand, std::int64_t index) {
  return add(Opcode::GetTupleElement, {operand},
             [&](Module &m, InstructionId id) { m.set_number(id, AttributeKey::Index, index); });
}

void Builder::finish(InstructionId root) {
  module_.set_root(computation_, root);
  if (!module_.has_entry()) {
    module_.set_entry(computation_);
  }
}

ComputationId add_scalar_computation(Module &module, Opcode opcode, ElementType type, std::string_view name) {
  ComputationId id = module.add_computation(name);
  Builder builder(module, id);
  InstructionId lhs = builder.parameter(Shape::scalar(type), "lhs");
  InstructionId rhs = builder.parameter(Shape::scalar(type), "rhs");
  module.set_root(id, builder.add(opcode, {lhs, rhs}));
  return id;
}

}  // namespace bp::ir
