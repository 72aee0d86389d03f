#include "core/import/hlo_proto/metadata_proto.h"

#include <algorithm>

#include "core/text/attribute_reader.h"
#include "core/text/lexer.h"

namespace bp::import::hlo_proto {
namespace {

using ir::Metadata;

template <class T>
struct Member {
  Field field;
  T Metadata::*member;
};
constexpr Member<std::string> texts[] = {{{1, "op_type"}, &Metadata::op_type},
                                         {{2, "op_name"}, &Metadata::op_name},
                                         {{3, "source_file"}, &Metadata::source_file}};
constexpr Member<std::int64_t> numbers[] = {{{4, "source_line"}, &Metadata::source_line},
                                            {{15, "stack_frame_id"}, &Metadata::stack_frame_id},
                                            {{17, "source_end_line"}, &Metadata::source_end_line},
                                            {{18, "source_column"}, &Metadata::source_column},
                                            {{19, "source_end_column"}, &Metadata::source_end_column}};
// Fields that Metadata::rest keeps as text; its other contents (profiles, code sizes) are not written.
constexpr Field rest_texts[] = {{12, "deduplicated_name"}, {16, "scheduling_name"}};
constexpr Field payload{20, "metadata_payload"}, payload_value{1, "value"}, payload_id{2, "id"};

void add_rest(Metadata &metadata, std::string_view name, std::string_view value) {
  metadata.rest += fmt::format("{}{}=\"{}\"", metadata.rest.empty() ? "" : " ", name, text::escape(value));
}

}  // namespace

Result<std::string_view> read_payload(const Message &message, const Payloads &payloads) {
  if (!message.has(payload_id)) {
    return message.text(payload_value);
  }
  BP_ASSIGN(std::int64_t id, message.integer(payload_id));
  if (id < 0 || id >= static_cast<std::int64_t>(payloads.size())) {
    return message.error_in(payload_id, "payload {} of {}", id, payloads.size());
  }
  return payloads[static_cast<std::size_t>(id)];
}

Result<Metadata> read_metadata(const Message &message, const Payloads &payloads) {
  Metadata metadata;
  for (const auto &[field, member] : texts) {
    BP_ASSIGN(metadata.*member, message.text(field));
  }
  for (const auto &[field, member] : numbers) {
    BP_ASSIGN(metadata.*member, message.integer(field));
  }
  for (Field field : rest_texts) {
    BP_ASSIGN(std::string_view value, message.text(field));
    if (!value.empty()) {
      add_rest(metadata, field.name, value);
    }
  }
  if (message.has(payload)) {
    BP_ASSIGN(Message child, message.child(payload));
    BP_ASSIGN(std::string_view value, read_payload(child, payloads));
    add_rest(metadata, payload.name, value);
  }
  return metadata;
}

void write_metadata(Writer &writer, const Metadata &metadata) {
  for (const auto &[field, member] : texts) {
    if (!(metadata.*member).empty()) {
      writer.text(field, metadata.*member);
    }
  }
  for (const auto &[field, member] : numbers) {
    if (metadata.*member != 0) {
      writer.integer(field, metadata.*member);
    }
  }
  text::TokenReader reader(metadata.rest, {});
  while (reader.is(text::TokenKind::Identifier)) {
    std::string_view name = reader.text();
    reader.advance();
    if (!reader.accept('=')) {
      return;
    }
    auto named = std::ranges::find(rest_texts, name, &Field::name);
    if (reader.is(text::TokenKind::String) && (named != std::end(rest_texts) || name == payload.name)) {
      auto value = reader.read_string(name);
      if (named != std::end(rest_texts)) {
        writer.text(*named, *value);
      } else {
        writer.message(payload, [&](Writer &inner) { inner.text(payload_value, *value); });
      }
    } else if (!reader.read_balanced(name).ok()) {
      return;
    }
    reader.accept(',');
  }
}

Result<std::string> read_metadata_list(const Message &message, Field field) {
  std::vector<std::string> list;
  BP_TRY(message.for_each(field, [&](const Message &part) -> Status {
    BP_ASSIGN(Metadata metadata, read_metadata(part, {}));
    std::string text;
    auto add = [&](std::string_view name, std::string_view value) {
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
    };
    for (const auto &[member_field, member] : texts) {
      if (!(metadata.*member).empty()) {
        add(member_field.name, '"' + text::escape(metadata.*member) + '"');
      }
    }
    for (const auto &[member_field, member] : numbers) {
      if (metadata.*member != 0) {
        add(member_field.name, std::to_string(metadata.*member));
      }
    }
    list.push_back("{" + text + "}");
    return {};
  }));
  if (list.size() <= 1) {
    return list.empty() ? std::string() : list[0];
  }
  return fmt::format("{{{}}}", fmt::join(list, ","));
}

Status write_metadata_list(Writer &writer, Field field, text::TokenReader &reader) {
  auto write_one = [&]() -> Status {
    BP_ASSIGN(Metadata metadata, text::read_metadata(reader));
    writer.message(field, [&](Writer &inner) { write_metadata(inner, metadata); });
    return {};
  };
  if (!reader.is_following('{')) {
    return write_one();
  }
  BP_TRY(reader.expect('{'));
  return reader.read_list('}', "metadata", write_one);
}

}  // namespace bp::import::hlo_proto
