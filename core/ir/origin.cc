#include "core/ir/origin.h"

#include <fmt/format.h>

#include <optional>

namespace bp::ir {
namespace {

constexpr std::string_view composite_name = "composite.name";

// Returns the end of a value, "..." or {...}, that begins at `at`: the next comma outside of it, or the last brace.
std::size_t end_of_value(std::string_view text, std::size_t at) {
  bool is_quoted = false;
  int depth = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (is_quoted && c == '\\') {
      ++at;
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (!is_quoted && (depth == 0 && (c == ',' || c == '}'))) {
      return at;
    } else if (!is_quoted && (c == '{' || c == '}')) {
      depth += c == '{' ? 1 : -1;
    }
  }
  return text.size();
}

// Returns the value of an entry of {name="value",name={value}}, as it is written.
std::optional<std::string_view> find_entry(std::string_view text, std::string_view name) {
  for (std::size_t at = 1; at < text.size();) {
    const std::size_t equals = text.find('=', at);
    if (equals == std::string_view::npos) {
      break;
    }
    const std::size_t end = end_of_value(text, equals + 1);
    if (text.substr(at, equals - at) == name) {
      return text.substr(equals + 1, end - equals - 1);
    }
    at = end + 1;
  }
  return std::nullopt;
}

bool only_names_values(Opcode opcode) {
  return opcode == Opcode::Parameter || opcode == Opcode::Constant || opcode == Opcode::Tuple ||
         opcode == Opcode::GetTupleElement || opcode == Opcode::Bitcast;
}

}  // namespace

std::string cluster_mark(const Instruction &instruction) {
  const std::string_view text = instruction.text(AttributeKey::FrontendAttributes);
  if (text.empty()) {
    return {};
  }
  std::optional<std::string_view> mark = find_entry(text, cluster_attribute);
  if (!mark && instruction.opcode() == Opcode::Call) {
    mark = find_entry(text, composite_name);
    if (mark && mark->find(cluster_composite) != 1) {  // after the quote
      mark.reset();
    }
  }
  return std::string(mark.value_or(""));
}

void mark_cluster(Module &module, std::span<const InstructionId> ids, std::string_view mark) {
  if (mark.empty()) {
    return;
  }
  for (InstructionId id : ids) {
    const Instruction instruction = module.instruction(id);
    if (only_names_values(instruction.opcode()) || !cluster_mark(instruction).empty()) {
      continue;
    }
    std::string_view others = instruction.text(AttributeKey::FrontendAttributes);
    others = others.size() > 2 ? others.substr(1, others.size() - 2) : "";
    module.set_text(id, AttributeKey::FrontendAttributes,
                    fmt::format("{{{}{}{}={}}}", others, others.empty() ? "" : ",", cluster_attribute, mark));
  }
}

void copy_origin(Module &module, InstructionId id, const Instruction &from) {
  if (from.metadata() != nullptr) {
    module.set_metadata(id, Metadata(*from.metadata()));
  }
  module.set_source(id, from.source_line(), from.source_column());
  mark_cluster(module, {&id, 1}, cluster_mark(from));
}

}  // namespace bp::ir
