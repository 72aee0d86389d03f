#include <algorithm>

#include "core/import/array/support.h"
#include "core/ir/run_time_sizes.h"

namespace bp::import::array {

using ir::AttributeKey;
using ir::ComputationId;
using ir::InstructionId;
using ir::Literal;

Array GraphBuilder::fail(Error error) {
  if (!state_.error) {
    state_.error = std::move(error);
  }
  return Array(this, ir::no_instruction);
}

void GraphBuilder::set_origin(std::string_view operation, std::string_view node) {
  metadata_.op_type = operation;
  metadata_.op_name = node;
}

Array GraphBuilder::parameter(const Shape &shape, std::string_view name) {
  return {this, ir::Builder(module_, computation_).parameter(shape, name)};
}

Array GraphBuilder::constant(Literal literal) {
  return {this, ir::Builder(module_, computation_).constant(std::move(literal))};
}

Array GraphBuilder::scalar(ElementType type, double value) {
  return {this, ir::Builder(module_, computation_).constant(type, value)};
}

Array GraphBuilder::integers(Span values, ElementType type) {
  Result<Literal> literal = Literal::zeros(Shape::array(type, {static_cast<std::int64_t>(values.size())}));
  if (!literal.ok()) {
    return fail(std::move(literal).error());
  }
  ir::visit_element_type(type, [&]<class T>() {
    std::ranges::transform(values, literal->mutable_elements<T>().begin(), [](std::int64_t value) {
      if constexpr (std::is_arithmetic_v<T> || is_integer_element<T>) {
        return static_cast<T>(value);
      } else {
        return T(static_cast<double>(value));
      }
    });
  });
  return constant(std::move(*literal));
}

Array GraphBuilder::reals(std::span<const double> values, ElementType type) {
  Result<Literal> literal = Literal::zeros(Shape::array(type, {static_cast<std::int64_t>(values.size())}));
  if (!literal.ok()) {
    return fail(std::move(literal).error());
  }
  ir::visit_element_type(type, [&]<class T>() {
    std::ranges::transform(values, literal->mutable_elements<T>().begin(), [](double value) {
      if constexpr (is_integer_element<T>) {
        return static_cast<T>(static_cast<std::int64_t>(value));
      } else {
        return T(value);
      }
    });
  });
  return constant(std::move(*literal));
}

Array GraphBuilder::filled(ElementType type, Span sizes, double value) {
  return broadcast_in(scalar(type, value), sizes, {});
}

Array GraphBuilder::iota(ElementType type, Span sizes, std::int64_t dimension) {
  if (!check_sizes(*this, sizes)) {
    return {this, ir::no_instruction};
  }
  return add(
      Opcode::Iota, std::span<const Array>{},
      [&](ir::Module &m, InstructionId id) { m.set_number(id, AttributeKey::IotaDimension, dimension); }, {},
      Shape::array(type, sizes));
}

Array GraphBuilder::add(Opcode opcode, std::span<const Array> operands, const Setter &set_attributes,
                        std::span<const ComputationId> calls, const Shape &shape) {
  std::vector<InstructionId> ids;
  for (const Array &operand : operands) {
    if (!operand.is_valid()) {
      return fail("{} misses an operand", ir::info(opcode).text);
    }
    ids.push_back(operand.id());
  }
  if (has_failed()) {
    return Array(this, ir::no_instruction);
  }
  ir::Builder builder(module_, computation_);
  Result<InstructionId> id = builder.try_add(
      opcode, ids, [&](ir::Module &m, InstructionId i) { set_attributes ? set_attributes(m, i) : void(); }, calls,
      shape);
  if (!id.ok()) {
    return fail(std::move(id).error());
  }
  if (std::ranges::any_of(operands, [](const Array &operand) { return operand.is_bounded(); })) {
    if (Status possible = ir::check_dynamic_dimensions(module_.instruction(*id)); !possible.ok()) {
      return fail(std::move(possible).error());
    }
  }
  if (!metadata_.op_type.empty()) {
    module_.set_metadata(*id, metadata_);
  }
  return {this, *id};
}

Array GraphBuilder::element(const Array &tuple, std::int64_t index) {
  return add(Opcode::GetTupleElement, {tuple},
             [&](ir::Module &m, InstructionId id) { m.set_number(id, AttributeKey::Index, index); });
}

ComputationId GraphBuilder::scalar_computation(Opcode opcode, ElementType type) {
  const std::string name = fmt::format("{}.{}", ir::info(opcode).text, ir::to_string(type));
  for (const ComputationId id : module_.computation_ids()) {
    if (module_.computation(id).name() == name) {
      return id;
    }
  }
  // Not every op takes every type: what cannot be built is an error of the model.
  const ComputationId id = module_.add_computation(name);
  GraphBuilder inner(module_, id, state_);
  const Array x = inner.parameter(Shape::scalar(type), "lhs"), y = inner.parameter(Shape::scalar(type), "rhs");
  const Array result = inner.add(opcode, {x, y});
  module_.set_root(id, result.is_valid() ? result.id() : x.id());
  return id;
}

ComputationId GraphBuilder::computation(std::string_view name, std::span<const Shape> parameters, const Body &body) {
  const ComputationId id = module_.add_computation(name);
  GraphBuilder inner(module_, id, state_);
  inner.metadata_ = metadata_;
  Arrays arguments;
  for (const Shape &shape : parameters) {
    arguments.push_back(inner.parameter(shape, ""));
  }
  Array root = body(inner, arguments);
  if (!root.is_valid()) {
    root = inner.fail("a computation has no result");
    root = {&inner, inner.constant(Literal::scalar(ElementType::Pred, false)).id()};
  }
  module_.set_root(id, root.id());
  return id;
}

Arrays GraphBuilder::loop_while(const Arrays &values, const LoopCondition &condition, const WhileBody &body) {
  const Array initial = tuple(values);
  if (!initial.is_valid()) {
    return Arrays(values.size(), initial);
  }
  const Shape shape = initial.shape();
  const auto elements = [&](GraphBuilder &b, const Array &packed) {
    Arrays unpacked;
    for (std::size_t i = 0; i < values.size(); ++i) {
      unpacked.push_back(b.element(packed, static_cast<std::int64_t>(i)));
    }
    return unpacked;
  };
  const ComputationId calls[] = {
      computation("condition", std::span(&shape, 1),
                  [&](GraphBuilder &b, const Arrays &parameters) { return condition(b, elements(b, parameters[0])); }),
      computation("body", std::span(&shape, 1), [&](GraphBuilder &b, const Arrays &parameters) {
        return b.tuple(body(b, elements(b, parameters[0])));
      })};
  return elements(*this, add(Opcode::While, {initial}, {}, calls));
}

Arrays GraphBuilder::loop(const Array &count, const Arrays &values, const LoopBody &body) {
  Arrays all = {scalar(ElementType::S32, 0), count};  // the iteration and the count come first
  all.insert(all.end(), values.begin(), values.end());
  all = loop_while(
      all, [](GraphBuilder &, const Arrays &before) { return before[0] < before[1]; },
      [&](GraphBuilder &b, const Arrays &before) {
        Arrays next = body(b, before[0], {before.begin() + 2, before.end()});
        next.insert(next.begin(), {before[0] + 1, before[1]});
        return next;
      });
  return {all.begin() + 2, all.end()};
}

Arrays GraphBuilder::loop(std::int64_t count, const Arrays &values, const LoopBody &body) {
  Arrays all = {scalar(ElementType::S32, 0)};
  all.insert(all.end(), values.begin(), values.end());
  all = loop_while(
      all,
      [&](GraphBuilder &b, const Arrays &before) {
        return before[0] < b.scalar(ElementType::S32, static_cast<double>(count));
      },
      [&](GraphBuilder &b, const Arrays &before) {
        Arrays next = body(b, before[0], {before.begin() + 1, before.end()});
        next.insert(next.begin(), before[0] + 1);
        return next;
      });
  return {all.begin() + 1, all.end()};
}

}  // namespace bp::import::array
