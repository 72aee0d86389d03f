// Asynchronous operations: X-start is short for an async-start of a computation that holds one X; X-update and X-done
// refer to their start through operand 0 and share its computation.
#include <array>

#include "core/text/module_parser.h"

namespace bp::text {
namespace {

using ir::Opcode;

struct Suffix {
  std::string_view text;
  Opcode opcode;
};
constexpr Suffix suffixes[] = {
    {"-start", Opcode::AsyncStart}, {"-update", Opcode::AsyncUpdate}, {"-done", Opcode::AsyncDone}};

// Ops that have start and done ops of their own, or nothing to wait for.
constexpr std::array never_wrapped = {Opcode::AllGather, Opcode::AllReduce, Opcode::CollectivePermute,
                                      Opcode::Copy,      Opcode::Send,      Opcode::Recv,
                                      Opcode::Parameter, Opcode::Constant};

}  // namespace

Opcode wrapped_opcode(std::string_view text, Opcode &opcode) {
  for (const Suffix &suffix : suffixes) {
    if (!text.ends_with(suffix.text)) {
      continue;
    }
    auto wrapped = ir::opcode_from_string(text.substr(0, text.size() - suffix.text.size()));
    if (wrapped && std::find(never_wrapped.begin(), never_wrapped.end(), *wrapped) == never_wrapped.end() &&
        !ir::to_string(*wrapped).ends_with("-start") && !ir::to_string(*wrapped).ends_with("-done")) {
      opcode = suffix.opcode;
      return *wrapped;
    }
  }
  return Opcode::Invalid;
}

Result<ir::InstructionId> ModuleParser::wrap_async_start(Scope &scope, const SpelledOpcode &spelled,
                                                         const std::optional<ir::Shape> &shape,
                                                         std::span<const ir::InstructionId> operands,
                                                         std::string_view name) {
  std::string_view wrapped_text = ir::to_string(spelled.wrapped);
  if (!shape || !shape->is_tuple() || shape->elements().size() < 2) {
    return reader_.error_at(spelled.begin, "{}-start needs a written shape ((operands), result, ...)", wrapped_text);
  }
  ir::ComputationId wrapper = module_.add_computation("");
  unnamed_.push_back(wrapper);
  std::vector<ir::InstructionId> parameters;
  auto add_parameter = [&](const ir::Shape &of) {
    auto number = static_cast<std::int64_t>(parameters.size());
    parameters.push_back(module_.add_parameter(wrapper, number, of, fmt::format("parameter.{}", number)));
  };
  // For operands that are bound after the start, only the shapes are known here.
  const ir::Shape &operand_shapes = shape->elements()[0];
  if (operand_shapes.is_tuple() && operand_shapes.elements().size() >= operands.size()) {
    for (const ir::Shape &operand : operand_shapes.elements()) {
      add_parameter(operand);
    }
  } else {
    for (ir::InstructionId operand : operands) {
      add_parameter(ir::Shape(module_.instruction(operand).shape()));
    }
  }
  ir::InstructionId root = module_.add_instruction(wrapper, spelled.wrapped, shape->elements()[1], parameters,
                                                   fmt::format("{}.wrapped", wrapped_text));
  module_.set_root(wrapper, root);
  ir::InstructionId start = module_.add_instruction(scope.computation, Opcode::AsyncStart, *shape, operands, name);
  module_.set_calls(start, std::span(&wrapper, 1));
  return start;
}

// Binds operands after the first, which were not given at the start. The shape of the result is known at the done op at
// the latest.
void ModuleParser::bind_late(ir::InstructionId id, ir::ComputationId wrapper) {
  ir::InstructionId root = module_.computation(wrapper).root().id();
  auto bound = module_.instruction(root).operands();
  std::vector<ir::InstructionId> parameters(bound.begin(), bound.end());
  for (std::size_t i = 1; i < module_.instruction(id).operand_count(); ++i) {
    ir::Shape shape = module_.instruction(id).operand(i).shape();
    auto number = static_cast<std::int64_t>(parameters.size());
    parameters.push_back(module_.add_parameter(wrapper, number, shape, fmt::format("parameter.{}", number)));
  }
  if (parameters.size() != module_.instruction(root).operand_count()) {
    module_.set_operands(root, parameters);
    auto order = module_.computation(wrapper).instruction_ids();
    std::vector<ir::InstructionId> root_last(order.begin(), order.end());
    root_last.erase(std::find(root_last.begin(), root_last.end(), root));
    root_last.push_back(root);
    module_.set_instruction_order(wrapper, std::move(root_last));
  }
  bool is_placeholder = module_.instruction(root).shape() == ir::Shape::tuple({});
  if (is_placeholder && module_.instruction(id).opcode() == Opcode::AsyncDone) {
    module_.set_shape(root, module_.instruction(id).shape());
  }
}

Status ModuleParser::join_async_chain(ir::InstructionId id, const SpelledOpcode &spelled) {
  ir::Instruction instruction = module_.instruction(id);
  if (spelled.opcode == Opcode::AsyncStart) {
    if (std::string thread(instruction.text(ir::AttributeKey::AsyncExecutionThread)); !thread.empty()) {
      module_.set_execution_thread(instruction.calls()[0], thread == "main" ? "" : thread);
    }
    return {};
  }
  ir::Instruction previous = instruction.operand(0);
  if ((previous.opcode() != Opcode::AsyncStart && previous.opcode() != Opcode::AsyncUpdate) ||
      previous.calls().empty()) {
    return reader_.error_at(spelled.begin, "operand 0 is the {} {}, expected an async-start or async-update",
                            previous.op().text, previous.name());
  }
  ir::ComputationId callee = previous.calls()[0];
  if (spelled.wrapped != Opcode::Invalid) {
    Opcode started = module_.computation(callee).root().opcode();
    if (started != spelled.wrapped) {
      return reader_.error_at(spelled.begin, "{} continues {}, which started a {}", ir::to_string(spelled.wrapped),
                              previous.name(), ir::to_string(started));
    }
    bind_late(id, callee);
  }
  if (!instruction.calls().empty() && instruction.calls()[0] != callee) {
    return reader_.error_at(spelled.begin, "calls {}, but {} started {}", instruction.called(0).name(), previous.name(),
                            module_.computation(callee).name());
  }
  std::string_view thread = instruction.text(ir::AttributeKey::AsyncExecutionThread);
  std::string_view started_thread = module_.computation(callee).execution_thread();
  if (!thread.empty() && thread != (started_thread.empty() ? "main" : started_thread)) {
    return reader_.error_at(spelled.begin, "async_execution_thread is '{}', but {} started on '{}'", thread,
                            previous.name(), started_thread.empty() ? "main" : started_thread);
  }
  module_.set_calls(id, std::span(&callee, 1));
  return {};
}

}  // namespace bp::text
