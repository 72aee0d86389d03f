// Loops, branches and calls.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/import/stablehlo/raising/raising.h"
#include "core/text/parser.h"

namespace bp::import::stablehlo {

Result<ValueIds> raise_while(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  return raise_as(raising, instruction, row.operation, {});
}

// The branches use the values of their arguments from outside. A condition that is a pred makes it an `if`.
Result<ValueIds> raise_conditional(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  const bool is_if = instruction.operand(0).shape().element_type() == ir::ElementType::Pred;
  Draft draft{is_if ? "stablehlo.if" : row.operation, raising.operand(instruction, 0), {}};
  BP_ASSIGN(draft.results, raising.types_of(instruction.shape()));
  for (std::size_t i = 0; i < instruction.calls().size(); ++i) {
    BP_ASSIGN(Region region, raising.branch(instruction.called(i), raising.operand(instruction, i + 1)));
    draft.regions.push_back(std::move(region));
  }
  return raising.add(std::move(draft));
}

// --- Calls ---

namespace {

// The attributes of a composite that its call has among its frontend attributes.
Result<Attributes> composite_of(Raising &raising, const ir::Instruction &instruction) {
  Attributes attributes{{"decomposition", raising.function(instruction.called(0))}};
  for (const auto &[name, value] : frontend_entries(instruction.text(AttributeKey::FrontendAttributes))) {
    if (name == "composite.name") {
      attributes.push_back({"name", {value}});
    } else if (name == "composite.version") {
      std::int64_t version = 0;
      std::from_chars(value.data(), value.data() + value.size(), version);
      attributes.push_back({"version", integer(version, ir::ElementType::S32)});
    } else if (name == "composite.attributes") {
      auto inside = read_mlir_attribute(raising.keep(value));
      if (!inside.ok() || inside->get<Dictionary>() == nullptr) {
        return raising.unsupported(instruction,
                                   fmt::format("composite.attributes is {}, expected a dictionary as MLIR writes it, "
                                               "as {{a = 1 : i64}}",
                                               value));
      }
      attributes.push_back({"composite_attributes", std::move(inside).value()});
    }
  }
  return attributes;
}

// Fails if a size is dynamic on one side of the call only, which HLO allows.
Status check_call(Raising &raising, const ir::Instruction &call) {
  const ir::Computation callee = call.called(0);
  const auto check = [&](const ir::Shape &given, const ir::Shape &expected) {
    return ir::same(given, expected, ir::CompareLayout::No)
               ? Status()
               : raising.unsupported(call, fmt::format("{} for {}, expected sizes that are dynamic on both sides",
                                                       ir::to_string(given, ir::PrintLayout::Never),
                                                       ir::to_string(expected, ir::PrintLayout::Never)));
  };
  for (std::size_t i = 0; i < call.operand_count(); ++i) {
    BP_TRY(check(call.operand(i).shape(), callee.parameter(i).shape()));
  }
  return check(callee.root().shape(), call.shape());
}

}  // namespace

// Calls of functions, fusions and composites.
Result<ValueIds> raise_call(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  BP_TRY(check_call(raising, instruction));
  Draft draft{row.operation, raising.operands(instruction), {}};
  BP_ASSIGN(draft.results, raising.types_of(instruction.shape()));
  const std::string_view hints = instruction.text(AttributeKey::FrontendAttributes);
  if (instruction.number(AttributeKey::IsComposite) != 0 && hints.find("composite.name=") != std::string_view::npos) {
    draft.name = "stablehlo.composite";
    BP_ASSIGN(draft.attributes, composite_of(raising, instruction));
  } else {
    draft.attributes = {{"callee", raising.function(instruction.called(0))}};
  }
  return raising.add(std::move(draft));
}

// --- Custom calls ---

namespace {

// The types that a custom call has for a shape: several results for a tuple of several arrays, as XLA has it, and a
// tuple where that would be another call.
Result<std::vector<Type>> results_of_call(Raising &raising, const ir::Shape &shape) {
  const auto is_tuple = [](const ir::Shape &element) { return element.is_tuple(); };
  if (shape.is_tuple() && (shape.elements().size() == 1 || std::ranges::any_of(shape.elements(), is_tuple))) {
    BP_TRY(raising.types_of(shape));
    return std::vector{Type{shape}};
  }
  return raising.types_of(shape);
}

// Returns the values as one of the tuple's shape.
ValueId packed(Raising &raising, const ir::Shape &shape, std::span<const ValueId> values) {
  if (!shape.is_tuple()) {
    return values[0];
  }
  ValueIds elements;
  for (const ir::Shape &element : shape.elements()) {
    const std::size_t count = leaf_count(element);
    elements.push_back(packed(raising, element, values.first(count)));
    values = values.subspan(count);
  }
  return raising.add("stablehlo.tuple", std::move(elements), Type{shape});
}

// Adds the arrays and tokens of a value that is a tuple.
void unpack(Raising &raising, const ir::Shape &shape, ValueId value, ValueIds &values) {
  if (!shape.is_tuple()) {
    values.push_back(value);
    return;
  }
  for (std::size_t i = 0; i < shape.elements().size(); ++i) {
    const ir::Shape &element = shape.elements()[i];
    const Type type{element};
    const ValueId part = raising.add("stablehlo.get_tuple_element", {value}, type,
                                     {{"index", integer(static_cast<std::int64_t>(i), ir::ElementType::S32)}});
    unpack(raising, element, part, values);
  }
}

Result<Attribute> layout_of(const ir::Shape &shape) {
  const auto &order = shape.layout().minor_to_major;
  BP_ASSIGN(ir::Literal literal,
            ir::Literal::zeros(ir::Shape::array(ir::ElementType::S64, {static_cast<std::int64_t>(shape.rank())})));
  if (shape.is_array()) {
    std::ranges::copy(order, literal.mutable_elements<std::int64_t>().begin());
  }
  const Type type{literal.shape()};
  return Attribute{Elements{type, std::move(literal)}};
}

bool is_row_major(const ir::Shape &shape) {
  return shape.is_tuple() ? std::ranges::all_of(shape.elements(), is_row_major)
                          : !shape.is_array() || shape.layout().is_descending();
}

Result<Attribute> layouts_of(std::span<const ir::Shape> shapes) {
  std::vector<Attribute> layouts;
  for (const ir::Shape &shape : shapes) {
    BP_ASSIGN(Attribute layout, layout_of(shape));
    layouts.push_back(std::move(layout));
  }
  return Attribute{std::move(layouts)};
}

// Returns the shapes that the call demands of its operands; row-major ones if it demands none.
Result<std::vector<ir::Shape>> constrained_operands(const ir::Instruction &call) {
  std::vector<ir::Shape> shapes;
  if (const std::string_view demanded = call.text(AttributeKey::OperandLayoutConstraints); !demanded.empty()) {
    // "{f32[2]{0}, s32[]}" has the syntax of a tuple's shape, but for its braces.
    BP_ASSIGN(const ir::Shape all, text::parse_shape(fmt::format("({})", demanded.substr(1, demanded.size() - 2))));
    shapes.assign(all.elements().begin(), all.elements().end());
  }
  for (std::size_t i = shapes.size(); i < call.operand_count(); ++i) {
    shapes.push_back(call.operand(i).shape());
    if (shapes.back().is_array()) {
      shapes.back().set_layout(ir::Layout::descending(shapes.back().rank()));
    }
  }
  return shapes;
}

// Returns operand_layouts and result_layouts; nothing if all are row-major.
Result<Attributes> layouts_of_call(Raising &raising, const ir::Instruction &instruction) {
  std::vector<ir::Shape> results{instruction.shape()};
  BP_ASSIGN(const std::vector<ir::Shape> operands, constrained_operands(instruction));
  if (instruction.shape().is_tuple()) {
    results.assign(instruction.shape().elements().begin(), instruction.shape().elements().end());
  }
  if (std::ranges::all_of(operands, is_row_major) && std::ranges::all_of(results, is_row_major)) {
    return Attributes();
  }
  const auto is_tuple = [](const ir::Shape &shape) { return shape.is_tuple(); };
  if (std::ranges::any_of(operands, is_tuple) || std::ranges::any_of(results, is_tuple)) {
    return raising.unsupported(instruction, "layouts of a custom call with tuples inside, expected arrays");
  }
  Attributes attributes;
  BP_ASSIGN(Attribute of_operands, layouts_of(operands));
  BP_ASSIGN(Attribute of_results, layouts_of(results));
  attributes.push_back({"operand_layouts", std::move(of_operands)});
  attributes.push_back({"result_layouts", std::move(of_results)});
  return attributes;
}

// Decodes output_to_operand_aliasing; see attributes.def.
Attribute aliases_of(const ir::Instruction &instruction) {
  std::span<const std::int64_t> numbers = instruction.numbers(AttributeKey::OutputToOperandAliasing);
  const auto take = [&](std::size_t count) {
    const auto taken = numbers.first(count);
    numbers = numbers.subspan(count);
    return taken;
  };
  const auto take_index = [&] { return integers(take(static_cast<std::size_t>(take(1)[0]))); };
  std::vector<Attribute> aliases;
  while (!numbers.empty()) {
    Attribute output = take_index();
    Attribute operand = integer(take(1)[0]);
    aliases.push_back({Dictionary{{{"output_tuple_indices", std::move(output)},
                                   {"operand_index", std::move(operand)},
                                   {"operand_tuple_indices", take_index()}}}});
  }
  return {std::move(aliases)};
}

// Typed calls have a dictionary as configuration, others a text.
Result<Attribute> config_of(Raising &raising, const ir::Instruction &instruction) {
  using Version = ir::CustomCallApiVersion;
  const std::string_view text = instruction.text(AttributeKey::BackendConfig);
  if (instruction.enumerator(AttributeKey::ApiVersion, Version::Original) != Version::TypedFfi) {
    return Attribute{std::string(text)};
  }
  auto dictionary = read_mlir_attribute(text);
  if (!dictionary.ok() || dictionary->get<Dictionary>() == nullptr) {
    return raising.unsupported(instruction, fmt::format("its backend_config is {}, expected a dictionary as MLIR "
                                                        "writes it, as {{a = 1 : i64}}, with API_VERSION_TYPED_FFI",
                                                        text));
  }
  return dictionary;
}

Result<Attributes> attributes_of_call(Raising &raising, const ir::Instruction &instruction) {
  BP_ASSIGN(Attributes attributes, layouts_of_call(raising, instruction));
  attributes.push_back({"call_target_name", {std::string(instruction.text(AttributeKey::CustomCallTarget))}});
  if (instruction.number(AttributeKey::CustomCallHasSideEffect) != 0) {
    attributes.push_back({"has_side_effect", {true}});
  }
  if (instruction.has(AttributeKey::ApiVersion)) {
    attributes.push_back({"api_version", integer(instruction.number(AttributeKey::ApiVersion), ir::ElementType::S32)});
  }
  if (!instruction.text(AttributeKey::BackendConfig).empty()) {
    BP_ASSIGN(Attribute config, config_of(raising, instruction));
    attributes.push_back({"backend_config", std::move(config)});
  }
  if (instruction.has(AttributeKey::OutputToOperandAliasing)) {
    attributes.push_back({"output_operand_aliases", aliases_of(instruction)});
  }
  std::vector<Attribute> callees;
  for (std::size_t i = 0; i < instruction.calls().size(); ++i) {
    callees.push_back(raising.function(instruction.called(i)));
  }
  if (!callees.empty()) {
    attributes.push_back({"called_computations", {std::move(callees)}});
  }
  return attributes;
}

}  // namespace

// Operands that are tuples stay tuples: they are how the routine is called.
Result<ValueIds> raise_custom_call(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  if (instruction.literal().is_valid()) {
    return raising.unsupported(instruction, "stablehlo.custom_call has no 'literal', expected none");
  }
  const ir::Shape &shape = instruction.shape();
  Draft draft{row.operation, {}, {}};
  BP_ASSIGN(draft.results, results_of_call(raising, shape));
  BP_ASSIGN(draft.attributes, attributes_of_call(raising, instruction));
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    draft.operands.push_back(packed(raising, instruction.operand(i).shape(), raising.operand(instruction, i)));
  }
  const bool is_tuple = draft.results.size() == 1 && draft.results[0].shape.is_tuple();
  ValueIds values = raising.add(std::move(draft));
  if (!is_tuple) {
    return values;
  }
  ValueIds parts;
  unpack(raising, shape, values[0], parts);
  return parts;
}

}  // namespace bp::import::stablehlo
