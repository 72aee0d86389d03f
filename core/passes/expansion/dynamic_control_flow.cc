#include "core/passes/expansion/dynamic_control_flow.h"

#include <algorithm>
#include <unordered_set>

#include "core/ir/origin.h"
#include "core/passes/array_builder.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::ElementType;
using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;
using ir::Shape;

// Returns the array, or the elements of the tuple.
std::vector<Shape> arrays_of(const Shape &shape) {
  return shape.is_tuple() ? std::vector(shape.elements().begin(), shape.elements().end()) : std::vector{shape};
}
bool can_pack(const Shape &shape) {
  return std::ranges::none_of(arrays_of(shape), &Shape::is_tuple);
}
Shape on_bounds(const Shape &array) {
  return Shape::array(array.element_type(), array.sizes());
}
// Returns the shape of what pack() returns.
Shape packed(const Shape &shape) {
  std::vector<Shape> parts;
  for (const Shape &array : arrays_of(shape)) {
    parts.push_back(array.is_static() ? array : on_bounds(array));
    for (std::size_t d = 0; !array.is_static() && d < array.rank(); ++d) {
      parts.push_back(Shape::scalar(ElementType::S32));
    }
  }
  return Shape::tuple(parts);
}

InstructionId custom_call(ir::Builder &b, std::string_view target, std::span<const InstructionId> operands,
                          const Shape &result) {
  const auto named = [&](ir::Module &module, InstructionId id) {
    module.set_text(id, ir::AttributeKey::CustomCallTarget, target);
  };
  return b.try_add(Opcode::CustomCall, operands, named, {}, result).value();
}

// Returns the value as a tuple of static arrays: each dynamic array becomes its elements, padded to the bounds, and its
// sizes.
InstructionId pack(ir::Builder &b, InstructionId value) {
  const Shape shape = b.shape(value);
  std::vector<InstructionId> parts;
  const std::vector<Shape> arrays = arrays_of(shape);
  for (std::size_t n = 0; n < arrays.size(); ++n) {
    const InstructionId array = shape.is_tuple() ? b.get_tuple_element(value, static_cast<std::int64_t>(n)) : value;
    if (arrays[n].is_static()) {
      parts.push_back(array);
      continue;
    }
    const InstructionId call = custom_call(b, "PadToStatic", std::array{array}, packed(arrays[n]));
    for (std::size_t k = 0; k <= arrays[n].rank(); ++k) {
      parts.push_back(b.get_tuple_element(call, static_cast<std::int64_t>(k)));
    }
  }
  return b.tuple(parts);
}

// Returns the value of this shape that pack() made a tuple of.
InstructionId unpack(ir::Builder &b, InstructionId parts, const Shape &shape) {
  std::vector<InstructionId> arrays;
  std::int64_t next = 0;
  for (const Shape &array : arrays_of(shape)) {
    std::vector<InstructionId> operands{b.get_tuple_element(parts, next++)};
    for (std::size_t d = 0; !array.is_static() && d < array.rank(); ++d) {
      operands.push_back(b.get_tuple_element(parts, next++));
    }
    arrays.push_back(array.is_static() ? operands[0] : custom_call(b, "SliceToDynamic", operands, array));
  }
  return shape.is_tuple() ? b.tuple(arrays) : arrays[0];
}

// Packs the computations that the entry reaches, beginning with the entry.
class Packing {
 public:
  explicit Packing(ir::Module &module) : module_(module) { reach(module.entry().id()); }

  Result<bool> run() {
    bool changed = false;
    while (!waiting_.empty()) {
      const ir::ComputationId computation = waiting_.back();
      waiting_.pop_back();
      Rewriter rewriter(module_);
      BP_ASSIGN(const bool rewritten,
                rewriter.rewrite(computation, [&](Instruction i) -> Result<InstructionId> { return visit(i); }));
      changed = changed || rewritten;
    }
    return changed;
  }

 private:
  void reach(ir::ComputationId computation) {
    if (reached_.insert(index(computation)).second) {
      waiting_.push_back(computation);
    }
  }

  InstructionId visit(Instruction i) {
    if (i.opcode() != Opcode::While && i.opcode() != Opcode::Conditional) {
      return i.id();
    }
    std::vector<InstructionId> operands(i.operands().begin(), i.operands().end());
    bool is_static = i.shape().is_static(), has_nested = !can_pack(i.shape());
    for (const InstructionId id : operands) {
      is_static = is_static && module_.instruction(id).shape().is_static();
      has_nested = has_nested || !can_pack(module_.instruction(id).shape());
    }
    if (is_static || has_nested) {
      std::ranges::for_each(i.calls(), [&](ir::ComputationId id) { reach(id); });
      return i.id();
    }
    return packed_instruction(i, std::move(operands));
  }

  InstructionId packed_instruction(Instruction i, std::vector<InstructionId> operands) {
    ArrayBuilder b(module_, i);
    const Shape shape = i.shape();
    const bool is_loop = i.opcode() == Opcode::While;
    std::vector<ir::ComputationId> calls(i.calls().begin(), i.calls().end());
    for (std::size_t n = is_loop ? 0 : 1; n < operands.size(); ++n) {
      operands[n] = pack(b, operands[n]);
    }
    for (std::size_t n = 0; n < calls.size(); ++n) {
      calls[n] = packed_computation(calls[n], !is_loop || n == 1);
      reach(calls[n]);
    }
    const InstructionId result = module_.clone_instruction(b.computation(), i, operands, calls);
    module_.set_shape(result, packed(shape));
    return unpack(b, result, shape);
  }

  ir::ComputationId packed_computation(ir::ComputationId from, bool packs_result) {
    const ir::ComputationId id = module_.add_computation(std::string(module_.computation(from).name()));
    ir::Builder b(module_, id);
    const Shape parameter = module_.computation(from).parameter(0).shape();
    const InstructionId value = unpack(b, b.parameter(packed(parameter)), parameter);
    const InstructionId root = copy_body(module_, from, id, std::array{value});
    b.finish(packs_result ? pack(b, root) : root);
    return id;
  }

  ir::Module &module_;
  std::unordered_set<std::uint32_t> reached_;
  std::vector<ir::ComputationId> waiting_;
};

std::vector<Shape> parameter_shapes_of(ir::Computation computation) {
  std::vector<Shape> shapes;
  for (const InstructionId id : computation.parameter_ids()) {
    shapes.push_back(computation.module().instruction(id).shape());
  }
  return shapes;
}

}  // namespace

ir::ComputationId outline_static_body(ir::Module &module) {
  const ir::Computation entry = module.entry();
  const Shape given = Shape::tuple(parameter_shapes_of(entry)), result = entry.root().shape();
  if ((given.is_static() && result.is_static()) || !can_pack(given) || !can_pack(result)) {
    return entry.id();
  }
  const ir::ComputationId body = module.add_computation(fmt::format("{}.static", entry.name()));
  {
    ir::Builder b(module, body);
    const InstructionId value = unpack(b, b.parameter(packed(given)), given);
    std::vector<InstructionId> arguments;
    for (std::size_t i = 0; i < given.elements().size(); ++i) {
      arguments.push_back(b.get_tuple_element(value, static_cast<std::int64_t>(i)));
    }
    b.finish(pack(b, copy_body(module, entry.id(), body, arguments)));
  }
  const ir::ComputationId caller = module.add_computation(std::string(module.computation(entry.id()).name()));
  ir::Builder b(module, caller);
  std::vector<InstructionId> parameters;
  for (std::size_t i = 0; i < given.elements().size(); ++i) {
    const Instruction parameter = module.computation(entry.id()).parameter(i);
    parameters.push_back(b.parameter(Shape(parameter.shape()), std::string(parameter.name())));
    ir::copy_origin(module, parameters.back(), parameter);
  }
  const std::array operands{pack(b, b.tuple(parameters))};
  const InstructionId call =
      b.try_add(Opcode::Call, operands, [](ir::Module &, InstructionId) {}, std::array{body}, packed(result)).value();
  const Instruction root = module.computation(entry.id()).root();
  module.set_source(call, root.source_line(), root.source_column());
  b.finish(unpack(b, call, result));
  module.set_entry(caller);
  tidy(module);
  return body;
}

Result<bool> pack_dynamic_control_flow(ir::Module &module) {
  return Packing(module).run();
}

}  // namespace bp::passes
