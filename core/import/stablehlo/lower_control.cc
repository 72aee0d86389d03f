// Loops, branches, calls, tuples and tokens.
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>

#include "core/import/stablehlo/lowering.h"
#include "core/import/stablehlo/mlir_text.h"
#include "core/text/lexer.h"

namespace bp::import::stablehlo {

// Values from outside that a region uses are added to the state of the loop.
Result<Values> lower_while(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_regions(operation, 2, 2));
  std::vector<ValueId> captures = lowering.carried(operation.regions[0]);
  for (ValueId value : lowering.carried(operation.regions[1])) {
    captures.push_back(value);
  }
  std::ranges::sort(captures);
  captures.erase(std::ranges::unique(captures).begin(), captures.end());
  for (const Region &region : operation.regions) {
    if (region.arguments.size() != operation.operands.size()) {
      return lowering.error(operation, fmt::format("a region of the loop takes {} values, the loop has {}",
                                                   region.arguments.size(), operation.operands.size()));
    }
  }
  Values state = lowering.operands(operation);
  for (ValueId value : captures) {
    state.push_back(lowering.value(value));
  }
  BP_ASSIGN(InstructionId initial, lowering.pack(operation, state));
  BP_ASSIGN(ComputationId condition, lowering.control(operation, 0, captures, Lowering::ReturnCaptures::No));
  BP_ASSIGN(ComputationId body, lowering.control(operation, 1, captures, Lowering::ReturnCaptures::Yes));
  InstructionId operands[] = {initial};
  ComputationId calls[] = {condition, body};
  BP_ASSIGN(InstructionId loop, lowering.add(
                                    operation, Opcode::While, Shape(lowering.shape(initial)), operands,
                                    [](ir::Module &, InstructionId) {}, calls));
  BP_ASSIGN(Values results, lowering.unpack(operation, loop, state.size()));
  results.resize(operation.operands.size());
  return results;
}

// if and case: each branch takes the values from outside that it uses.
Result<Values> lower_conditional(Lowering &lowering, const Operation &operation) {
  bool is_if = operation.name == "stablehlo.if";
  BP_TRY(lowering.expect_operands(operation, 1, 1));
  BP_TRY(lowering.expect_regions(operation, is_if ? 2 : 1, is_if ? 2 : 1 << 20));
  Values operands = lowering.operands(operation);
  std::vector<ComputationId> branches;
  for (std::size_t i = 0; i < operation.regions.size(); ++i) {
    if (!operation.regions[i].arguments.empty()) {
      return lowering.error(operation, "a branch that takes arguments, expected none");
    }
    std::vector<ValueId> captures = lowering.carried(operation.regions[i]);
    Values arguments;
    for (ValueId value : captures) {
      arguments.push_back(lowering.value(value));
    }
    BP_ASSIGN(InstructionId argument, lowering.pack(operation, arguments));
    operands.push_back(argument);
    BP_ASSIGN(ComputationId branch, lowering.control(operation, i, captures, Lowering::ReturnCaptures::No));
    branches.push_back(branch);
  }
  BP_ASSIGN(InstructionId id, lowering.add(
                                  operation, Opcode::Conditional, lowering.result_shapes(operation), operands,
                                  [](ir::Module &, InstructionId) {}, branches));
  return lowering.results(operation, id);
}

namespace {

bool has_open_types(const Lowering &lowering, const Operation &operation) {
  const auto is_open = [&](ValueId value) { return lowering.is_open(lowering.program().type(value).shape); };
  bool is_any = std::ranges::any_of(operation.operands, is_open);
  for (std::uint32_t i = 0; i < operation.result_count; ++i) {
    is_any = is_any || is_open(operation.result(i));
  }
  return is_any;
}

// Whether all operands and results are scalars of integers or pred. jnp.where, which floor division calls, has pred.
bool has_integers_alone(const Lowering &lowering, const Operation &operation) {
  const auto is_integer = [&](ValueId value) {
    const Shape &shape = lowering.program().type(value).shape;
    const ir::ElementType type = shape.element_type();
    return shape.is_array() && shape.rank() == 0 && (ir::is_integer(type) || type == ir::ElementType::Pred);
  };
  bool are_all = std::ranges::all_of(operation.operands, is_integer);
  for (std::uint32_t i = 0; i < operation.result_count; ++i) {
    are_all = are_all && is_integer(operation.result(i));
  }
  return are_all;
}

Result<Values> call(Lowering &lowering, const Operation &operation, const Attribute &symbol, std::string composite) {
  BP_ASSIGN(const Operation *function, lowering.callee(symbol));
  const auto &arguments = function->regions[0].arguments;
  if (arguments.size() != operation.operands.size()) {
    return lowering.error(operation, fmt::format("@{} is given {} arguments, expected {}", symbol.get<Symbol>()->name,
                                                 operation.operands.size(), arguments.size()));
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Type &given = lowering.program().type(operation.operands[i]);
    const Type &taken = lowering.program().type(arguments[i]);
    if (given != taken) {
      return lowering.error(operation, fmt::format("argument {} of @{} is {}, expected {}", i,
                                                   symbol.get<Symbol>()->name, to_string(given), to_string(taken)));
    }
  }
  // Computations of sizes are inlined, so that their values are known.
  if (has_open_types(lowering, operation) || (lowering.is_specialized() && has_integers_alone(lowering, operation))) {
    return lowering.inlined(operation, *function);
  }
  BP_ASSIGN(ComputationId callee, lowering.function(symbol));
  ComputationId calls[] = {callee};
  BP_ASSIGN(InstructionId id,
            lowering.add(
                operation, Opcode::Call, lowering.result_shapes(operation), lowering.operands(operation),
                [&](ir::Module &m, InstructionId added) {
                  if (!composite.empty()) {
                    m.set_number(added, AttributeKey::IsComposite, 1);
                    m.set_text(added, AttributeKey::FrontendAttributes, composite);
                  }
                },
                calls));
  return lowering.results(operation, id);
}

}  // namespace

Result<Values> lower_call(Lowering &lowering, const Operation &operation) {
  BP_ASSIGN(const Attribute *callee, lowering.attribute(operation, "callee"));
  return call(lowering, operation, *callee, {});
}

// Lowers to a call of the decomposition, with the attributes of the composite.
Result<Values> lower_composite(Lowering &lowering, const Operation &operation) {
  BP_ASSIGN(const Attribute *callee, lowering.attribute(operation, "decomposition"));
  BP_ASSIGN(std::string name, lowering.word(operation, "name"));
  BP_ASSIGN(std::int64_t version, lowering.integer_or(operation, "version", 0));
  std::string attributes = "{}";
  if (const Attribute *inside = operation.find("composite_attributes")) {
    attributes = to_string(*inside);
  }
  return call(lowering, operation, *callee,
              fmt::format("{{composite.attributes=\"{}\",composite.name=\"{}\",composite.version=\"{}\"}}",
                          text::escape(attributes), text::escape(name), version));
}

Result<Values> lower_optimization_barrier(Lowering &lowering, const Operation &operation) {
  if (operation.operands.empty()) {
    return Values{};
  }
  BP_ASSIGN(InstructionId packed, lowering.pack(operation, lowering.operands(operation)));
  InstructionId operands[] = {packed};
  BP_ASSIGN(InstructionId id,
            lowering.add(operation, Opcode::OptimizationBarrier, Shape(lowering.shape(packed)), operands));
  return lowering.unpack(operation, id, operation.operands.size());
}

// --- Operations that run in place ---

// async_start does all the work itself: running concurrently only affects speed.
Result<Values> lower_async_start(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_regions(operation, 1, 1));
  BP_ASSIGN(Values results, lowering.in_place(operation, 0));
  BP_ASSIGN(InstructionId packed, lowering.pack(operation, results));
  return Values{packed};
}

Result<Values> lower_async_done(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 1, 1));
  return lowering.results(operation, lowering.operand(operation, 0));
}

namespace {

// Reads [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 1, operand_tuple_indices = []>].
Result<Integers> aliases_of(const Lowering &lowering, const Attribute &list) {
  Integers numbers;
  const auto *items = list.get<std::vector<Attribute>>();
  if (items == nullptr) {
    return lowering.error(list, "expected a list of #stablehlo.output_operand_alias<...>");
  }
  for (const Attribute &item : *items) {
    const auto *alias = item.get<Dictionary>();
    if (alias == nullptr) {
      return lowering.error(item, "expected #stablehlo.output_operand_alias<...>");
    }
    BP_ASSIGN(Integers output, lowering.integers(*alias, "output_tuple_indices"));
    BP_ASSIGN(std::int64_t operand, lowering.integer(*alias, "operand_index", 0));
    BP_ASSIGN(Integers part, lowering.integers(*alias, "operand_tuple_indices"));
    numbers.push_back(static_cast<std::int64_t>(output.size()));
    numbers.insert(numbers.end(), output.begin(), output.end());
    numbers.push_back(operand);
    numbers.push_back(static_cast<std::int64_t>(part.size()));
    numbers.insert(numbers.end(), part.begin(), part.end());
  }
  return numbers;
}

Result<Values> lower_known_target(Lowering &lowering, const Operation &operation, Opcode opcode) {
  BP_TRY(lowering.expect_operands(operation, 1, 1));
  Integers k, largest;
  if (opcode == Opcode::TopK) {
    BP_ASSIGN(const Dictionary *attributes, lowering.dictionary(operation, "mhlo.attributes"));
    BP_ASSIGN(std::int64_t count, lowering.integer(*attributes, "k", 0));
    BP_ASSIGN(std::int64_t is_largest, lowering.integer(*attributes, "largest", 1));
    k.push_back(count);
    largest.push_back(is_largest);
  }
  BP_ASSIGN(InstructionId id, lowering.add(operation, opcode, lowering.result_shapes(operation),
                                           lowering.operands(operation), [&](ir::Module &m, InstructionId added) {
                                             if (opcode == Opcode::TopK) {
                                               m.set_numbers(added, AttributeKey::K, k);
                                               m.set_numbers(added, AttributeKey::Largest, largest);
                                             }
                                           }));
  return lowering.results(operation, id);
}

}  // namespace

namespace {

// Evaluates JAX's check that the given sizes are valid for the program: operand 0 is the condition. If it is false, the
// error is the message, with the other operands in place of {0}, {1}, ... Adds no instructions.
Result<Values> check_sizes(Lowering &lowering, const Operation &operation) {
  const InstructionId condition = lowering.operand(operation, 0);
  const auto &holds = lowering.known_integers(condition);
  if (!holds) {
    return lowering.not_known(operation,
                              "its condition is not known, expected one that follows from the shapes of the parameters",
                              condition);
  }
  if (holds->size() != 1) {
    return lowering.error(
        operation, fmt::format("its condition is {}, expected tensor<i1>", to_string(Type{lowering.shape(condition)})));
  }
  for (std::string_view ignored : {"has_side_effect", "api_version", "backend_config"}) {
    operation.find(ignored);
  }
  const Attribute *attribute = operation.find("error_message");
  const auto *text = attribute == nullptr ? nullptr : attribute->get<std::string>();
  if (holds->front() != 0) {
    return Values{};
  }
  std::string message = text == nullptr ? "the check of sizes fails, and has no error_message" : *text;
  for (std::size_t i = 1; i < operation.operands.size(); ++i) {
    const auto &number = lowering.known_integers(lowering.operand(operation, i));
    boost::replace_all(message, fmt::format("{{{}}}", i - 1),
                       number ? fmt::format("{}", fmt::join(*number, ",")) : "?");
  }
  return lowering.error(operation, message);
}

}  // namespace

namespace {

// Keeps attributes whose names have no dialect, which only the target of the call understands.
void keep_other_attributes(Lowering &lowering, const Operation &call, InstructionId id) {
  for (const NamedAttribute &entry : call.attributes) {
    if (!entry.is_used && entry.name.find('.') == std::string_view::npos) {
      const auto *text = entry.value.get<std::string>();
      lowering.add_frontend_attribute(id, entry.name, text != nullptr ? *text : to_string(entry.value));
      entry.is_used = true;
    }
  }
}

using Shapes = std::optional<std::vector<ir::Shape>>;

// Returns shapes with the layouts of an attribute of a custom call, [dense<[0, 1]> : tensor<2xindex>, ...]; nothing if
// all are row-major, as without the attribute.
Result<Shapes> in_layouts(const Lowering &lowering, const Operation &operation, std::string_view name,
                          std::vector<ir::Shape> shapes) {
  const Attribute *attribute = operation.find(name);
  const auto *layouts = attribute == nullptr ? nullptr : attribute->get<std::vector<Attribute>>();
  if (layouts == nullptr || layouts->size() != shapes.size()) {
    return Shapes();  // the verifier has checked the count
  }
  bool is_row_major = true;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    BP_ASSIGN(const Integers minor_to_major, lowering.integers((*layouts)[i]));
    if (shapes[i].is_array() && minor_to_major.size() == shapes[i].rank()) {
      ir::Layout layout = ir::Layout::descending(shapes[i].rank());
      is_row_major = is_row_major && std::ranges::equal(layout.minor_to_major, minor_to_major);
      layout.minor_to_major.assign(minor_to_major.begin(), minor_to_major.end());
      shapes[i].set_layout(layout);
    }
  }
  return is_row_major ? Shapes() : Shapes(std::move(shapes));
}

// Returns the shapes of the operands but for those that are `left_out`, in the layouts that the call demands, as HLO
// writes them; empty if all are row-major.
Result<std::string> operand_layouts_of(Lowering &lowering, const Operation &operation, const Integers &left_out) {
  std::vector<ir::Shape> shapes;
  for (const InstructionId operand : lowering.operands(operation)) {
    shapes.push_back(lowering.shape(operand));
  }
  BP_ASSIGN(const auto found, in_layouts(lowering, operation, "operand_layouts", std::move(shapes)));
  std::string text;
  for (std::size_t i = 0; found && i < found->size(); ++i) {
    if (std::ranges::find(left_out, static_cast<std::int64_t>(i)) == left_out.end()) {
      text += (text.empty() ? "" : ", ") + ir::to_string((*found)[i]);
    }
  }
  return found ? "{" + text + "}" : text;
}

// Gives the results the sizes that are operands of the call, one operand for each result, and returns the indices of
// these operands, which the target does not get. JAX writes such calls if sizes are not known.
Result<Integers> take_sizes(Lowering &lowering, const Operation &operation, ir::Shape &shape) {
  constexpr std::string_view name = "indices_of_shape_operands";
  if (operation.find(name) == nullptr) {
    return Integers();
  }
  BP_ASSIGN(Integers indices, lowering.integers(operation, name, name));
  const auto operand_count = static_cast<std::int64_t>(operation.operands.size());
  const bool are_operands = std::ranges::all_of(indices, [&](std::int64_t i) { return i >= 0 && i < operand_count; });
  if (indices.size() != operation.result_count || !are_operands) {
    return lowering.error(operation,
                          fmt::format("{} is {}, expected an operand's index, from 0 to {}, for each of {} "
                                      "results",
                                      name, fmt::join(indices, ","), operand_count - 1, operation.result_count));
  }
  std::vector<ir::Shape> results;
  for (std::uint32_t i = 0; i < operation.result_count; ++i) {
    BP_ASSIGN(results.emplace_back(), lowering.result_of_sizes(operation, i, static_cast<std::size_t>(indices[i])));
  }
  shape = results.size() == 1 ? results.front() : ir::Shape::tuple(std::move(results));
  return indices;
}

// Sets the layouts that the call gives its results.
Status set_result_layouts(const Lowering &lowering, const Operation &operation, ir::Shape &shape) {
  const bool is_tuple = shape.is_tuple();
  std::vector<ir::Shape> shapes{shape};
  if (is_tuple) {
    shapes.assign(shape.elements().begin(), shape.elements().end());
  }
  BP_ASSIGN(const auto found, in_layouts(lowering, operation, "result_layouts", std::move(shapes)));
  if (found) {
    shape = is_tuple ? ir::Shape::tuple(*found) : found->front();
  }
  return {};
}

}  // namespace

Result<Values> lower_custom_call(Lowering &lowering, const Operation &operation) {
  BP_ASSIGN(std::string target, lowering.word(operation, "call_target_name"));
  if (target == "shape_assertion" && !operation.operands.empty() && operation.result_count == 0) {
    return check_sizes(lowering, operation);
  }
  BP_ASSIGN(std::optional<Values> dynamic, lower_dynamic_call(lowering, operation, target));
  if (dynamic) {
    return *std::move(dynamic);
  }
  if (Opcode opcode = opcode_of_target(target); opcode != Opcode::CustomCall) {
    for (std::string_view ignored : {"has_side_effect", "api_version", "backend_config", "called_computations"}) {
      operation.find(ignored);
    }
    return lower_known_target(lowering, operation, opcode);
  }
  BP_ASSIGN(bool has_side_effect, lowering.flag(operation, "has_side_effect"));
  BP_ASSIGN(std::int64_t version, lowering.integer_or(operation, "api_version", 1));
  std::vector<ComputationId> calls;
  if (const Attribute *callees = operation.find("called_computations")) {
    const auto *list = callees->get<std::vector<Attribute>>();
    if (list == nullptr) {
      return lowering.error(*callees, "expected a list of functions, as in [@f]");
    }
    for (const Attribute &callee : *list) {
      BP_ASSIGN(ComputationId computation, lowering.function(callee));
      calls.push_back(computation);
    }
  }
  std::string config;
  // A dictionary may stand under the name of another dialect, next to an empty text.
  for (std::string_view name : {"mhlo.backend_config", "backend_config"}) {
    if (const Attribute *attribute = operation.find(name)) {
      const auto *text = attribute->get<std::string>();
      config = text == nullptr ? mlir_text(*attribute) : text->empty() ? config : *text;
    }
  }
  Integers aliases;
  if (const Attribute *attribute = operation.find("output_operand_aliases")) {
    BP_ASSIGN(aliases, aliases_of(lowering, *attribute));
  }
  // Ignored: tilings are chosen by the compiler, and the error message is only used at run time.
  for (std::string_view ignored : {"result_tilings", "error_message"}) {
    operation.find(ignored);
  }
  ir::Shape shape = lowering.result_shapes(operation);
  BP_ASSIGN(const Integers sizes, take_sizes(lowering, operation, shape));
  BP_ASSIGN(const std::string operand_layouts, operand_layouts_of(lowering, operation, sizes));
  Values operands;
  for (std::size_t i = 0; i < operation.operands.size(); ++i) {
    if (std::ranges::find(sizes, static_cast<std::int64_t>(i)) == sizes.end()) {
      operands.push_back(lowering.operand(operation, i));
    }
  }
  BP_TRY(set_result_layouts(lowering, operation, shape));
  BP_ASSIGN(InstructionId id, lowering.add(
                                  operation, Opcode::CustomCall, shape, operands,
                                  [&](ir::Module &m, InstructionId added) {
                                    m.set_text(added, AttributeKey::CustomCallTarget, target);
                                    if (!operand_layouts.empty()) {
                                      m.set_text(added, AttributeKey::OperandLayoutConstraints, operand_layouts);
                                    }
                                    if (has_side_effect) {
                                      m.set_number(added, AttributeKey::CustomCallHasSideEffect, 1);
                                    }
                                    if (version != 1) {
                                      m.set_number(added, AttributeKey::ApiVersion, version);
                                    }
                                    if (!config.empty()) {
                                      m.set_text(added, AttributeKey::BackendConfig, config);
                                    }
                                    if (!aliases.empty()) {
                                      m.set_numbers(added, AttributeKey::OutputToOperandAliasing, aliases);
                                    }
                                  },
                                  calls));
  keep_other_attributes(lowering, operation, id);
  return lowering.results(operation, id);
}

}  // namespace bp::import::stablehlo
