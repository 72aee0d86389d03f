// Instructions: [ROOT] name = [shape] opcode(operands), attribute=value, ...
#include <algorithm>

#include "core/base/suggestion.h"
#include "core/ir/shape_inference.h"
#include "core/text/attribute_reader.h"
#include "core/text/module_parser.h"
#include "core/text/shape_reader.h"

namespace bp::text {
namespace {

using ir::AttributeKey;
using ir::AttributeKind;
using ir::InstructionId;
using ir::Opcode;

std::string did_you_mean_opcode(std::string_view wrong) {
  std::vector<std::string_view> names;
  for (const ir::OpInfo &op : ir::ops()) {
    names.push_back(op.text);
  }
  return suggestion(wrong, names);
}

std::string did_you_mean_attribute(Opcode opcode, std::string_view wrong) {
  std::vector<std::string_view> names = {"metadata", "control-predecessors"};
  for (const ir::AttributeUse &use : ir::info(opcode).attributes) {
    names.push_back(ir::to_string(use.key));
  }
  for (const ir::AttributeInfo &row : ir::attributes()) {
    if (ir::is_hint(row.key)) {
      names.push_back(row.text);
    }
  }
  return suggestion(wrong, names);
}

}  // namespace

Status ModuleParser::parse_instruction(Scope &scope) {
  std::size_t root_begin = reader_.token().begin;
  bool is_root = reader_.is_word("ROOT") && !reader_.is_following('=');
  if (is_root) {
    reader_.advance();
    if (scope.root != ir::no_instruction) {
      return reader_.error_at(root_begin, "a second ROOT: {} is the root already",
                              module_.instruction(scope.root).name());
    }
  }
  std::size_t begin = reader_.token().begin;
  BP_ASSIGN(std::string_view name, reader_.read_identifier("the name of an instruction, or '}'"));
  BP_TRY(reader_.expect('=', "after the name of an instruction"));
  if (auto found = scope.names.find(name); found != scope.names.end()) {
    return reader_.error_at(begin, "{} is already defined in line {}", name,
                            module_.instruction(found->second).source_line());
  }
  BP_ASSIGN(InstructionId id, parse_right_hand_side(scope, name, begin, true));
  scope.names.emplace(name, id);
  if (is_root) {
    scope.root = id;
  }
  return {};
}

Result<InstructionId> ModuleParser::parse_right_hand_side(Scope &scope, std::string_view name, std::size_t begin,
                                                          bool has_attributes) {
  LineColumn start = reader_.line_column(begin);
  std::optional<ir::Shape> shape;
  if (is_shape_ahead(reader_)) {
    BP_ASSIGN(shape, read_shape(reader_));
  }
  BP_ASSIGN(SpelledOpcode spelled, parse_opcode());
  Opcode opcode = spelled.opcode;
  BP_TRY(reader_.expect('(', "after an opcode"));
  if (!shape && (opcode == Opcode::Constant || opcode == Opcode::Parameter)) {
    return reader_.error_at(spelled.begin, "the shape of a {} must be written", ir::to_string(opcode));
  }
  std::vector<InstructionId> operands;
  std::int64_t parameter_number = 0;
  ir::Literal literal;
  if (opcode == Opcode::Parameter) {
    BP_ASSIGN(parameter_number, reader_.read_integer("the number of a parameter"));
    BP_TRY(reader_.expect(')', "after the number of a parameter"));
  } else if (opcode == Opcode::Constant) {
    BP_ASSIGN(literal, read_constant(reader_, *shape, literals_));
    BP_TRY(reader_.expect(')', "after a literal"));
  } else {
    BP_ASSIGN(operands, parse_operands(scope));
  }
  BP_TRY(check_operand_count(spelled, operands.size()));

  PendingInstruction outer{ir::no_instruction, opcode, {}, {}};
  PendingInstruction wrapped{ir::no_instruction, spelled.wrapped, {}, {}};
  bool is_wrapping = opcode == Opcode::AsyncStart && spelled.wrapped != Opcode::Invalid;
  if (is_wrapping) {
    BP_ASSIGN(outer.id, wrap_async_start(scope, spelled, shape, operands, name));
    wrapped.id = module_.instruction(outer.id).called(0).root().id();
    module_.set_source(wrapped.id, start.line, start.column);
  } else {
    outer.id = module_.add_instruction(scope.computation, opcode, shape ? *shape : ir::Shape(), operands, name);
  }
  module_.set_source(outer.id, start.line, start.column);
  if (opcode == Opcode::Parameter) {
    module_.set_number(outer.id, AttributeKey::ParameterNumber, parameter_number);
    outer.seen.push_back(AttributeKey::ParameterNumber);
    scope.parameters.emplace_back(outer.id, begin);
  } else if (opcode == Opcode::Constant) {
    module_.set_literal(outer.id, std::move(literal));
  }
  if (has_attributes) {
    BP_TRY(parse_attributes(scope, outer, is_wrapping ? &wrapped : nullptr));
  }
  if (is_wrapping) {
    outer.seen.push_back(AttributeKey::Calls);
    BP_TRY(finish_instruction(wrapped, spelled.begin));
    // The wrapper comes after the computations that its attributes define in place.
    finished_.push_back(module_.instruction(outer.id).calls()[0]);
  }
  BP_TRY(finish_instruction(outer, spelled.begin));
  if (opcode == Opcode::AsyncStart || opcode == Opcode::AsyncUpdate || opcode == Opcode::AsyncDone) {
    BP_TRY(join_async_chain(outer.id, spelled));
  }
  if (!shape) {
    BP_ASSIGN(ir::Shape inferred, infer_missing_shape(outer.id, spelled.begin));
    module_.set_shape(outer.id, inferred);
  }
  return outer.id;
}

Result<ModuleParser::SpelledOpcode> ModuleParser::parse_opcode() {
  SpelledOpcode spelled;
  spelled.begin = reader_.token().begin;
  if (!reader_.is(TokenKind::Identifier)) {
    return reader_.expected("an opcode");
  }
  std::string_view text = reader_.text();
  if (auto opcode = ir::opcode_from_string(text)) {
    spelled.opcode = *opcode;
  } else {
    spelled.wrapped = wrapped_opcode(text, spelled.opcode);
    if (spelled.wrapped == Opcode::Invalid) {
      return reader_.error("unknown opcode {}{}", reader_.found(), did_you_mean_opcode(text));
    }
  }
  reader_.advance();
  return spelled;
}

// --- Operands ---

Result<std::vector<InstructionId>> ModuleParser::parse_operands(Scope &scope) {
  std::vector<InstructionId> operands;
  BP_TRY(reader_.read_list(')', "the operands", [&]() -> Status {
    BP_ASSIGN(InstructionId operand, parse_operand(scope));
    operands.push_back(operand);
    return {};
  }));
  return operands;
}

Result<InstructionId> ModuleParser::parse_operand(Scope &scope) {
  TokenReader::Nesting nesting(reader_);
  BP_TRY(nesting.check());
  std::size_t begin = reader_.token().begin;
  std::optional<ir::Shape> shape;
  if (is_shape_ahead(reader_)) {
    BP_ASSIGN(shape, read_shape(reader_));
  }
  if (reader_.is(TokenKind::Identifier) && reader_.following_character() == '(') {
    reader_.go_to(begin);  // a nested instruction without a name
    BP_ASSIGN(InstructionId nested, parse_right_hand_side(scope, {}, begin, false));
    scope.unnamed.push_back(nested);
    return nested;
  }
  BP_ASSIGN(InstructionId operand, find_operand(scope, shape));
  if (shape && !ir::agree(*shape, module_.instruction(operand).shape())) {
    return reader_.error_at(begin, "shape {} in front of operand {} of shape {}, expected the same",
                            to_string(*shape, ir::PrintLayout::Never), module_.instruction(operand).name(),
                            to_string(module_.instruction(operand).shape(), ir::PrintLayout::Never));
  }
  // %x#1#0: element 0 of element 1 of %x.
  while (reader_.accept('#')) {
    std::size_t at = reader_.token().begin;
    BP_ASSIGN(std::int64_t element, reader_.read_integer("the number of a tuple element"));
    const ir::Shape &tuple = module_.instruction(operand).shape();
    if (!tuple.is_tuple() || element < 0 || element >= static_cast<std::int64_t>(tuple.elements().size())) {
      return reader_.error_at(at, "no element {} in {}", element, to_string(tuple));
    }
    ir::Shape part = tuple.elements()[static_cast<std::size_t>(element)];
    operand = module_.add_instruction(scope.computation, Opcode::GetTupleElement, part, {operand});
    module_.set_number(operand, AttributeKey::Index, element);
    LineColumn start = reader_.line_column(begin);
    module_.set_source(operand, start.line, start.column);
    scope.unnamed.push_back(operand);
  }
  return operand;
}

Result<InstructionId> ModuleParser::find_operand(Scope &scope, const std::optional<ir::Shape> &shape) {
  std::size_t begin = reader_.token().begin;
  BP_ASSIGN(std::string_view name, reader_.read_identifier("an operand"));
  if (auto found = scope.names.find(name); found != scope.names.end()) {
    return found->second;
  }
  if (!scope.adds_parameters) {
    std::vector<std::string_view> names;
    for (const auto &[known, id] : scope.names) {
      names.push_back(known);
    }
    std::ranges::sort(names);
    return reader_.error_at(begin, "{} is not defined before its use{}", name, suggestion(name, names));
  }
  if (!shape) {
    return reader_.error_at(begin, "the shape of {} is unknown: write it in front, as in f32[4] {}", name, name);
  }
  InstructionId parameter = module_.add_instruction(scope.computation, Opcode::Parameter, *shape, {}, name);
  module_.set_number(parameter, AttributeKey::ParameterNumber, static_cast<std::int64_t>(scope.parameters.size()));
  scope.parameters.emplace_back(parameter, begin);
  scope.names.emplace(name, parameter);
  return parameter;
}

Status ModuleParser::check_operand_count(const SpelledOpcode &spelled, std::size_t count) {
  const ir::OpInfo &op = ir::info(spelled.opcode);
  auto number = static_cast<std::int64_t>(count);
  if (number >= op.min_operands && (op.max_operands < 0 || number <= op.max_operands)) {
    return {};
  }
  std::string wanted = fmt::format("{}", op.min_operands);
  if (op.max_operands < 0) {
    wanted = fmt::format("at least {}", op.min_operands);
  } else if (op.max_operands != op.min_operands) {
    wanted = fmt::format("{} to {}", op.min_operands, op.max_operands);
  }
  return reader_.error_at(spelled.begin, "{} has {} operand{}, expected {}", op.text, count, count == 1 ? "" : "s",
                          wanted);
}

// --- Attributes ---

Status ModuleParser::parse_attributes(Scope &scope, PendingInstruction &outer, PendingInstruction *wrapped) {
  bool has_metadata = false, has_control_predecessors = false;
  while (reader_.accept(',')) {
    std::size_t begin = reader_.token().begin;
    BP_ASSIGN(std::string_view name, reader_.read_identifier("an attribute"));
    BP_TRY(reader_.expect('=', "after the name of an attribute"));
    auto once = [&](bool &seen) -> Status {
      return std::exchange(seen, true) ? reader_.error_at(begin, "attribute '{}' is given twice", name) : Status();
    };
    if (name == "metadata") {
      BP_TRY(once(has_metadata));
      BP_ASSIGN(ir::Metadata metadata, read_metadata(reader_));
      module_.set_metadata(outer.id, std::move(metadata));
      continue;
    }
    if (name == "control-predecessors") {
      BP_TRY(once(has_control_predecessors));
      BP_TRY(parse_control_predecessors(scope, outer.id));
      continue;
    }
    PendingInstruction *pending = &outer;
    std::optional<ir::AttributeUse> use;
    if (wrapped != nullptr) {
      use = ir::find_attribute(wrapped->opcode, name);
      if (use && !ir::is_hint(use->key)) {
        pending = wrapped;
      } else {
        use.reset();
      }
    }
    if (!use) {
      use = ir::find_attribute(outer.opcode, name);
    }
    if (!use || use->key == AttributeKey::ParameterNumber) {
      return reader_.error_at(begin, "{} has no attribute '{}'{}", ir::to_string(outer.opcode), name,
                              did_you_mean_attribute(outer.opcode, name));
    }
    bool is_seen = std::ranges::find(pending->seen, use->key) != pending->seen.end();
    BP_TRY(once(is_seen));
    pending->seen.push_back(use->key);
    BP_TRY(parse_attribute_value(*pending, *use));
  }
  return {};
}

Status ModuleParser::parse_attribute_value(PendingInstruction &pending, ir::AttributeUse use) {
  auto row = ir::info(pending.opcode).attributes;
  auto position = static_cast<std::size_t>(std::ranges::find(row, use.key, &ir::AttributeUse::key) -
                                           row.begin());  // row.size() for hints
  switch (ir::info(use.key).kind) {
    case AttributeKind::Computation: {
      BP_ASSIGN(ir::ComputationId callee, parse_called_computation());
      pending.calls.push_back({position, pending.calls.size(), callee});
      return {};
    }
    case AttributeKind::Computations:
      BP_TRY(reader_.expect('{', "before a list of computations"));
      return reader_.read_list('}', "a list of computations", [&]() -> Status {
        BP_ASSIGN(ir::ComputationId callee, parse_called_computation());
        pending.calls.push_back({position, pending.calls.size(), callee});
        return {};
      });
    case AttributeKind::Literal: {
      BP_ASSIGN(ir::Shape shape, read_shape(reader_));
      BP_ASSIGN(ir::Literal literal, read_literal(reader_, shape, literals_));
      module_.set_literal(pending.id, std::move(literal));
      return {};
    }
    default: return read_attribute(reader_, module_, pending.id, use.key);
  }
}

Status ModuleParser::parse_control_predecessors(Scope &scope, InstructionId id) {
  std::vector<InstructionId> predecessors;
  BP_TRY(reader_.expect('{', "before the control predecessors"));
  BP_TRY(reader_.read_list('}', "the control predecessors", [&]() -> Status {
    std::size_t begin = reader_.token().begin;
    BP_ASSIGN(std::string_view name, reader_.read_identifier("the name of an instruction"));
    auto found = scope.names.find(name);
    if (found == scope.names.end()) {
      return reader_.error_at(begin, "{} is not defined before its use", name);
    }
    predecessors.push_back(found->second);
    return {};
  }));
  module_.set_control_predecessors(id, predecessors);
  return {};
}

Result<ir::ComputationId> ModuleParser::parse_called_computation() {
  TokenReader::Nesting nesting(reader_);
  BP_TRY(nesting.check());
  std::size_t begin = reader_.token().begin;
  if (reader_.is('{')) {  // the body is written in place
    Scope scope;
    scope.computation = module_.add_computation("");
    unnamed_.push_back(scope.computation);
    BP_TRY(parse_body(scope));
    BP_TRY(finish_computation(scope));
    return scope.computation;
  }
  BP_ASSIGN(std::string_view name, reader_.read_identifier("the name of a computation"));
  auto found = computations_.find(name);
  if (found == computations_.end()) {
    std::vector<std::string_view> names;
    for (const auto &[known, id] : computations_) {
      names.push_back(known);
    }
    std::ranges::sort(names);
    return reader_.error_at(begin, "computation {} is not defined before its use{}", name, suggestion(name, names));
  }
  return found->second;
}

Status ModuleParser::finish_instruction(PendingInstruction &pending, std::size_t begin) {
  const ir::OpInfo &op = ir::info(pending.opcode);
  auto is_seen = [&](AttributeKey key) { return std::ranges::find(pending.seen, key) != pending.seen.end(); };
  for (const ir::AttributeUse &use : op.attributes) {
    if (use.required && !is_seen(use.key)) {
      return reader_.error_at(begin, "{} needs the attribute '{}'", op.text, ir::to_string(use.key));
    }
  }
  if (pending.opcode == Opcode::Conditional) {
    bool has_branches = is_seen(AttributeKey::BranchComputations);
    bool has_true = is_seen(AttributeKey::TrueComputation), has_false = is_seen(AttributeKey::FalseComputation);
    if (has_branches ? has_true || has_false : !has_true || !has_false) {
      return reader_.error_at(begin,
                              "conditional needs either true_computation and false_computation or branch_computations");
    }
  }
  if (!pending.calls.empty()) {
    std::ranges::sort(pending.calls, {},
                      [](const PendingInstruction::Call &call) { return std::pair(call.attribute, call.order); });
    std::vector<ir::ComputationId> calls;
    std::ranges::transform(pending.calls, std::back_inserter(calls), &PendingInstruction::Call::callee);
    module_.set_calls(pending.id, calls);
  }
  return {};
}

Result<ir::Shape> ModuleParser::infer_missing_shape(InstructionId id, std::size_t begin) {
  ir::Instruction instruction = module_.instruction(id);
  switch (instruction.opcode()) {
    case Opcode::Copy: return ir::Shape(instruction.operand(0).shape());
    case Opcode::ReplicaId:
    case Opcode::PartitionId: return ir::Shape::scalar(ir::ElementType::U32);
    default: break;
  }
  if (instruction.is(ir::Trait::ExplicitShape)) {
    return reader_.error_at(begin, "the shape of {} cannot be inferred: write it before the opcode",
                            instruction.op().text);
  }
  if (instruction.opcode() == Opcode::Tuple) {
    for (InstructionId operand : instruction.operands()) {
      inferred_parts_left_ -= static_cast<std::int64_t>(module_.instruction(operand).shape().subshape_count());
    }
  }
  if (inferred_parts_left_ >= 0) {
    auto inferred = ir::infer_shape(instruction);
    if (!inferred.ok()) {
      return Error(inferred.error().code(), inferred.error().message()).at(reader_.location(begin));
    }
    inferred_parts_left_ -= static_cast<std::int64_t>(inferred->subshape_count());
    if (inferred_parts_left_ >= 0) {
      return inferred;
    }
  }
  return reader_.error_at(begin, "the omitted shapes have too many parts in total: write the shape before the opcode");
}

}  // namespace bp::text
