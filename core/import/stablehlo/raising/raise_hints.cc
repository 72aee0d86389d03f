// Hints do not change what is computed: origins, shardings, frontend attributes, donations, the header of the module.
#include <fmt/format.h>

#include <algorithm>

#include "core/import/stablehlo/raising/raising.h"
#include "core/text/sharding_reader.h"

namespace bp::import::stablehlo {
namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

Entries without(Entries entries, std::string_view prefix) {
  std::erase_if(entries, [&](const auto &entry) { return entry.first.starts_with(prefix); });
  return entries;
}

// Adds the entries as the dictionary mhlo.frontend_attributes.
void add_frontend(Raising &raising, const Entries &entries, Attributes &attributes) {
  Dictionary dictionary;
  for (const auto &[name, value] : entries) {
    dictionary.entries.push_back({raising.keep(name), {value}});
  }
  if (!dictionary.entries.empty()) {
    attributes.push_back({"mhlo.frontend_attributes", {std::move(dictionary)}});
  }
}

// Returns the shardings of the parts of a tuple, {{replicated},{devices=[2]0,1}}; the text itself if it is of one
// value.
std::vector<std::string> parts_of_sharding(std::string_view text) {
  if (!text.starts_with("{{")) {
    return {std::string(text)};
  }
  std::vector<std::string> parts;
  text::TokenReader reader(text, {});
  Status status = reader.expect('{');
  if (status.ok()) {
    status = reader.read_list('}', "a sharding", [&]() -> Status {
      BP_ASSIGN(std::string part, text::read_sharding(reader));
      parts.push_back(std::move(part));
      return {};
    });
  }
  return status.ok() ? parts : std::vector<std::string>();
}

// Adds mhlo.sharding of value `i` of `count`, if the instruction has shardings for that many.
void add_sharding(const ir::Instruction &instruction, std::size_t i, std::size_t count, Attributes &attributes) {
  const std::string_view text = instruction.text(AttributeKey::Sharding);
  if (text.empty()) {
    return;
  }
  const std::vector<std::string> parts = parts_of_sharding(text);
  if (parts.size() == count) {
    attributes.push_back({"mhlo.sharding", {parts[i]}});
  }
}

}  // namespace

Entries frontend_entries(std::string_view text) {
  Entries entries;
  if (text.empty()) {
    return entries;
  }
  text::TokenReader reader(text, {});
  Status status = reader.expect('{');
  if (status.ok()) {
    status = reader.read_list('}', "frontend attributes", [&]() -> Status {
      BP_ASSIGN(const std::string_view name, reader.read_identifier("the name of a frontend attribute"));
      BP_TRY(reader.expect('='));
      std::string value;
      if (reader.is('{')) {
        BP_ASSIGN(value, reader.read_raw_braces("a frontend attribute"));
      } else {
        BP_ASSIGN(value, reader.read_string("a string"));
      }
      entries.emplace_back(name, std::move(value));
      return {};
    });
  }
  return entries;
}

Attributes module_attributes(Raising &raising) {
  const ir::Module &module = raising.module();
  Attributes attributes{{"sym_name", {module.name()}}};
  const ir::ModuleHeader &header = module.header();
  if (header.num_partitions != 1) {
    attributes.push_back({"mhlo.num_partitions", integer(header.num_partitions, ir::ElementType::S32)});
  }
  if (header.replica_count != 1) {
    attributes.push_back({"mhlo.num_replicas", integer(header.replica_count, ir::ElementType::S32)});
  }
  for (const auto &[name, text] : header.rest) {
    if (name == "frontend_attributes") {
      add_frontend(raising, frontend_entries(text), attributes);
    }
  }
  return attributes;
}

Attributes hints_of(Raising &raising, const ir::Instruction &instruction) {
  Attributes attributes;
  if (const std::string_view sharding = instruction.text(AttributeKey::Sharding); !sharding.empty()) {
    attributes.push_back({"mhlo.sharding", {std::string(sharding)}});
  }
  const std::string_view text = instruction.text(AttributeKey::FrontendAttributes);
  const bool is_composite = instruction.number(AttributeKey::IsComposite) != 0;
  add_frontend(raising, is_composite ? without(frontend_entries(text), "composite.") : frontend_entries(text),
               attributes);
  return attributes;
}

namespace {

// Adds the layout of an array, one of those in `shape`, if it is not row-major: mhlo.layout_mode = "{0,1}".
void add_layout(const ir::Shape &shape, std::size_t i, Attributes &attributes) {
  std::size_t leaf = 0;
  for (std::size_t position = 0; position < shape.subshape_count(); ++position) {
    const ir::Shape &part = shape.subshape(position);
    const bool is_this = !part.is_tuple() && leaf++ == i;
    if (is_this && part.is_array() && part.layout() != ir::Layout::descending(part.rank())) {
      attributes.push_back({"mhlo.layout_mode", {ir::to_string(part.layout())}});
    }
  }
}

}  // namespace

Dictionary argument_hints(Raising &raising, const ir::Instruction &parameter, std::size_t i, std::size_t count) {
  const ir::ModuleHeader &header = raising.module().header();
  Attributes attributes;
  add_sharding(parameter, i, count, attributes);
  Entries entries = frontend_entries(parameter.text(AttributeKey::FrontendAttributes));
  constexpr std::string_view kind = "mhlo.memory_kind";
  for (const auto &[name, value] : entries) {
    if (name == kind) {
      attributes.push_back({kind, {value}});
    }
  }
  add_frontend(raising, without(std::move(entries), kind), attributes);
  if (header.has_entry_layout) {
    add_layout(header.entry_parameter_shapes[static_cast<std::size_t>(parameter.parameter_number())], i, attributes);
  }
  const auto is_this = [&](std::int64_t number, std::span<const std::int64_t> index) {
    return number == parameter.parameter_number() && first_leaf(parameter.shape(), index) == i;
  };
  for (const ir::InputOutputAlias &alias : header.input_output_alias) {
    if (is_this(alias.parameter, alias.parameter_index)) {
      const std::size_t output = first_leaf(raising.module().entry().root().shape(), alias.output_index);
      attributes.push_back({"tf.aliasing_output", integer(static_cast<std::int64_t>(output), ir::ElementType::S32)});
    }
  }
  for (const ir::BufferDonor &donor : header.buffer_donor) {
    if (is_this(donor.parameter, donor.parameter_index)) {
      attributes.push_back({"jax.buffer_donor", {true}});
    }
  }
  return {std::move(attributes)};
}

// The sharding of an operation is among its own hints; a tuple that is returned is not an operation.
Dictionary result_hints(Raising &raising, const ir::Instruction &root, std::size_t i, std::size_t count) {
  Attributes attributes;
  if (root.opcode() == Opcode::Tuple) {
    add_sharding(root, i, count, attributes);
  }
  if (const ir::ModuleHeader &header = raising.module().header(); header.has_entry_layout) {
    add_layout(header.entry_result_shape, i, attributes);
  }
  return {std::move(attributes)};
}

namespace {

// Returns the file and line of a stack frame of the module's tables.
Location place_of_frame(const ir::StackFrames &frames, std::int64_t frame) {
  const auto entry = [](const auto &list, std::int64_t id) {
    return id >= 1 && id <= static_cast<std::int64_t>(list.size()) ? &list[static_cast<std::size_t>(id - 1)] : nullptr;
  };
  Location place;
  const auto *found = entry(frames.frames, frame);
  const auto *at = found == nullptr ? nullptr : entry(frames.file_locations, found->file_location_id);
  if (const auto *file = at == nullptr ? nullptr : entry(frames.file_names, at->file_name_id); file != nullptr) {
    place.source_file = *file;
    place.source_line = at->line;
    place.source_end_line = at->end_line;
    place.source_column = at->column;
    place.source_end_column = at->end_column;
  }
  return place;
}

}  // namespace

std::shared_ptr<const Location> origin_of(const ir::Instruction &instruction) {
  const ir::Metadata *metadata = instruction.metadata();
  if (metadata == nullptr) {
    return nullptr;
  }
  Location location = metadata->source_file.empty()
                          ? place_of_frame(instruction.module().header().stack_frames, metadata->stack_frame_id)
                          : *metadata;
  location.op_name = metadata->op_name;
  return location.op_name.empty() && location.source_file.empty()
             ? nullptr
             : std::make_shared<const Location>(std::move(location));
}

}  // namespace bp::import::stablehlo
