// Descriptions of devices are kept in the same way as in XLA's own export of the Shardy dialect: in frontend_attributes
// and in custom calls whose names begin with xla.sdy.
#include <algorithm>
#include <optional>

#include "core/import/stablehlo/lowering.h"
#include "core/text/lexer.h"
#include "core/text/sharding_reader.h"

namespace bp::import::stablehlo {
namespace {

constexpr std::string_view sharding_name = "xla.sdy.sharding";

std::string text_of(const Attribute &attribute) {
  const auto *text = attribute.get<OpaqueText>();
  return text == nullptr ? to_string(attribute) : text->text;
}

// Returns HLO's text of a sharding; nothing if the text is empty or the bytes of a protocol buffer, as in old programs.
std::optional<std::string> sharding_in(std::string_view text) {
  text::TokenReader reader(text, "");
  auto sharding = text::read_sharding(reader);
  return sharding.ok() && reader.at_end() ? std::optional(std::move(sharding).value()) : std::nullopt;
}

// Converts #sdy.sharding<X> to the sharding of a list of one value, #sdy.sharding_per_value<[<X>]>.
std::string per_value(const Attribute &sharding) {
  constexpr std::string_view prefix = "#sdy.sharding<";
  const std::string text = text_of(sharding);
  return text.starts_with(prefix) ? fmt::format("#sdy.sharding_per_value<[{}]>", text.substr(prefix.size() - 1)) : text;
}

using NamedTexts = std::vector<std::pair<std::string_view, std::string>>;

Result<InstructionId> annotation(Lowering &lowering, const Operation &operation, std::string_view target,
                                 const Shape &shape, std::span<const InstructionId> operands,
                                 const NamedTexts &frontend_attributes) {
  BP_ASSIGN(InstructionId id,
            lowering.add(operation, Opcode::CustomCall, shape, operands, [&](ir::Module &m, InstructionId added) {
              m.set_text(added, AttributeKey::CustomCallTarget, target);
              if (target.starts_with("xla.sdy.")) {
                m.set_number(added, AttributeKey::CustomCallHasSideEffect, 1);
              }
            }));
  for (const auto &[name, value] : frontend_attributes) {
    lowering.add_frontend_attribute(id, name, value);
  }
  return id;
}

}  // namespace

void Lowering::add_frontend_attribute(InstructionId id, std::string_view name, std::string_view value) {
  std::string text(module_.instruction(id).text(AttributeKey::FrontendAttributes));
  if (!text.empty()) {
    text.pop_back();  // the closing brace
  }
  text += fmt::format("{}{}=\"{}\"}}", text.empty() ? "{" : ",", name, text::escape(value));
  module_.set_text(id, AttributeKey::FrontendAttributes, text);
}

void Lowering::add_mesh(const Operation &mesh, std::string_view name) {
  const Attribute *axes = mesh.find("mesh");
  meshes_ += fmt::format("{}{} = {}", meshes_.empty() ? "" : ", ", name, axes == nullptr ? "" : text_of(*axes));
}

// Sets the module's frontend attributes and its meshes. Values in braces are not quoted.
void Lowering::set_module_hints() {
  std::string text;
  const auto add = [&](std::string_view name, std::string_view value) {
    const bool is_raw = value.starts_with('{') && value.ends_with('}');
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name,
                        is_raw ? std::string(value) : fmt::format("\"{}\"", text::escape(value)));
  };
  const Attribute *hints = program_.module.find("mhlo.frontend_attributes");
  if (const auto *entries = hints == nullptr ? nullptr : hints->get<Dictionary>()) {
    for (const NamedAttribute &entry : entries->entries) {
      if (const auto *value = entry.value.get<std::string>()) {
        add(entry.name, *value);
      }
    }
  }
  if (!meshes_.empty()) {
    add("xla.sdy.meshes", fmt::format("{{{}}}", meshes_));
  }
  if (!text.empty()) {
    module_.header().rest.emplace_back("frontend_attributes", fmt::format("{{{}}}", text));
  }
}

void Lowering::set_sharding(const NamedAttribute &attribute, InstructionId id) {
  if (const auto *text = attribute.value.get<std::string>(); text != nullptr && attribute.name == "mhlo.sharding") {
    if (const auto sharding = sharding_in(*text)) {
      module_.set_text(id, AttributeKey::Sharding, *sharding);
    } else if (!text->empty()) {
      add_frontend_attribute(id, attribute.name, *text);
    }
  } else if (attribute.name == "sdy.sharding" || attribute.name == "sdy.sharding_rule") {
    add_frontend_attribute(id, fmt::format("xla.{}", attribute.name), text_of(attribute.value));
  }
}

// Annotates the returned values with custom calls.
Status Lowering::annotate_results(const Operation &function, Values &returned) {
  const Attribute *list = function.find("res_attrs");
  const auto *all = list == nullptr ? nullptr : list->get<std::vector<Attribute>>();
  const std::size_t count = all == nullptr ? 0 : std::min(all->size(), returned.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto *own = (*all)[i].get<Dictionary>();
    for (const NamedAttribute &entry : own == nullptr ? std::vector<NamedAttribute>() : own->entries) {
      const Shape shape = this->shape(returned[i]);
      InstructionId operands[] = {returned[i]};
      if (entry.name == "sdy.sharding") {
        BP_ASSIGN(returned[i], annotation(*this, function, "xla.sdy.FuncResultSharding", shape, operands,
                                          {{sharding_name, per_value(entry.value)}}));
      } else if (entry.name == "mhlo.sharding" && entry.value.get<std::string>() != nullptr) {
        BP_ASSIGN(returned[i], annotation(*this, function, "Sharding", shape, operands, {}));
        set_sharding(entry, returned[i]);
      }
    }
  }
  return {};
}

Result<Values> lower_sharding_constraint(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 1, 1));
  BP_ASSIGN(const Attribute *sharding, lowering.attribute(operation, "sharding"));
  const Shape shape = lowering.shape(lowering.operand(operation, 0));
  BP_ASSIGN(InstructionId id, annotation(lowering, operation, "Sharding", shape, lowering.operands(operation),
                                         {{sharding_name, per_value(*sharding)}}));
  return Values{id};
}

// Values of a group are divided in the same way.
Result<Values> lower_sharding_group(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 1, 1));
  BP_ASSIGN(const std::int64_t group, lowering.integer(operation, "group_id"));
  BP_TRY(annotation(lowering, operation, "xla.sdy.ShardingGroup", Shape::tuple({}), lowering.operands(operation),
                    {{"xla.sdy.sharding_group_id", fmt::to_string(group)}}));
  return Values();
}

// Lowers to a call of the computation that each device runs on its parts, between custom calls that divide the whole
// arrays and join the parts. XLA recognizes the call by the name of the computation.
Result<Values> lower_manual_computation(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_regions(operation, 1, 1));
  const Region &region = operation.regions[0];
  BP_TRY(lowering.expect_operands(operation, region.arguments.size(), region.arguments.size()));
  std::string texts[3];
  constexpr std::string_view names[] = {"in_shardings", "out_shardings", "manual_axes"};
  for (std::size_t i = 0; i < std::size(names); ++i) {
    BP_ASSIGN(const Attribute *attribute, lowering.attribute(operation, names[i]));
    texts[i] = text_of(*attribute);
  }
  const NamedTexts in{{"xla.sdy.in_shardings", texts[0]}, {"xla.sdy.manual_axes", texts[2]}},
      out{{"xla.sdy.manual_axes", texts[2]}, {"xla.sdy.out_shardings", texts[1]}};
  std::vector<Shape> local;
  for (ValueId argument : region.arguments) {
    local.push_back(lowering.program().type(argument).shape);
  }
  Values parts;
  if (!local.empty()) {
    const Shape shape = local.size() == 1 ? local[0] : Shape::tuple(local);
    BP_ASSIGN(InstructionId divided,
              annotation(lowering, operation, "xla.sdy.GlobalToLocalShape", shape, lowering.operands(operation), in));
    BP_ASSIGN(parts, lowering.unpack(operation, divided, local.size()));
  }
  BP_ASSIGN(ComputationId body, lowering.embedded(operation, 0, "xla.sdy.manual_computation_body"));
  const Shape returned = lowering.module().computation(body).root().shape();
  BP_ASSIGN(InstructionId call,
            lowering.add(operation, Opcode::Call, returned, parts, [](ir::Module &, InstructionId) {}, {&body, 1}));
  if (operation.result_count == 0) {
    return Values();
  }
  const std::size_t count = operation.regions[0].operations.back().operands.size();
  if (count != operation.result_count) {
    return lowering.error(operation,
                          fmt::format("its region returns {} values, expected {}", count, operation.result_count));
  }
  BP_ASSIGN(Values locals, lowering.unpack(operation, call, count));
  BP_ASSIGN(InstructionId joined, annotation(lowering, operation, "xla.sdy.LocalToGlobalShape",
                                             lowering.result_shapes(operation), locals, out));
  return lowering.results(operation, joined);
}

}  // namespace bp::import::stablehlo
