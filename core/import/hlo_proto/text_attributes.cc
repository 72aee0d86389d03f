// Attributes that the module keeps as canonical text: each has a function that reads its message and one that writes
// it.
#include <algorithm>
#include <map>

#include "core/import/hlo_proto/attribute_proto.h"
#include "core/import/hlo_proto/shape_proto.h"
#include "core/import/hlo_proto/sharding_proto.h"
#include "core/text/lexer.h"
#include "core/text/parser.h"
#include "core/text/token_reader.h"

namespace bp::import::hlo_proto {
namespace {

using ir::AttributeKey;
using text::TokenKind;
using text::TokenReader;

using Text = std::optional<std::string>;

std::string in_quotes(std::string_view text) {
  return '"' + text::escape(text) + '"';
}

// Reads a field that holds one message; XLA writes an empty one if there is no value.
template <class Read>
Result<Text> read_child(const Message &message, Field field, Read &&read) {
  BP_ASSIGN(Message child, message.child(field));
  if (child.is_empty()) {
    return Text();
  }
  BP_ASSIGN(std::string text, read(child));
  return text == "{}" ? Text() : Text(std::move(text));
}

template <class Write>
Status write_child(Writer &writer, Field field, Write &&write) {
  Writer inner;
  BP_TRY(write(inner));
  writer.text(field, inner.bytes());
  return {};
}

// --- Shardings, groups of devices ---

constexpr Field sharding{40, "sharding"}, domain_entry{54, "domain_entry_sharding"},
    domain_exit{55, "domain_exit_sharding"};

Result<Text> read_sharding_attribute(const Message &message) {
  if (!message.has(sharding)) {
    return Text();
  }
  BP_ASSIGN(Message child, message.child(sharding));  // {replicated} may be an empty message
  BP_ASSIGN(std::string text, read_sharding(child));
  return Text(std::move(text));
}

Status write_sharding_attribute(Writer &writer, std::string_view text) {
  return write_child(writer, sharding, [&](Writer &inner) { return write_sharding(inner, text); });
}

// Reads {kind="sharding", entry={maximal device=1}, exit={}}.
Result<Text> read_domain(const Message &message) {
  BP_ASSIGN(Message entry, message.child(domain_entry));
  BP_ASSIGN(Message exit, message.child(domain_exit));
  BP_ASSIGN(std::string entry_text, read_sharding(entry));
  BP_ASSIGN(std::string exit_text, read_sharding(exit));
  return Text(fmt::format("{{kind=\"sharding\",entry={},exit={}}}", entry_text, exit_text));
}

Status write_domain(Writer &writer, std::string_view text) {
  TokenReader reader(text, {});
  BP_TRY(reader.expect('{'));
  Status status = reader.read_list('}', "a domain", [&]() -> Status {
    BP_ASSIGN(std::string_view name, reader.read_identifier("kind, entry or exit"));
    BP_TRY(reader.expect('='));
    BP_ASSIGN(std::string value, reader.read_balanced(name));
    if (name == "kind") {
      return {};
    }
    return write_child(writer, name == "entry" ? domain_entry : domain_exit,
                       [&](Writer &inner) { return write_sharding(inner, value); });
  });
  return status;
}

Result<Text> read_groups(const Message &message) {
  BP_ASSIGN(std::string text, read_device_groups(message));
  return text.empty() ? Text() : Text(std::move(text));
}

// --- Shapes ---

constexpr Field outfeed_shape{29, "outfeed_shape"}, constrain_layout{56, "constrain_layout"},
    operand_shapes{57, "operand_shapes_with_layout"};

Result<Text> read_outfeed_shape(const Message &message) {
  return read_child(message, outfeed_shape, [](const Message &child) -> Result<std::string> {
    BP_ASSIGN(ir::Shape shape, read_shape(child));
    return to_string(shape, ir::PrintLayout::Always);
  });
}

Status write_outfeed_shape(Writer &writer, std::string_view text) {
  BP_ASSIGN(ir::Shape shape, text::parse_shape(text));
  writer.message(outfeed_shape, [&](Writer &inner) { write_shape(inner, shape); });
  return {};
}

Result<Text> read_operand_layouts(const Message &message) {
  BP_ASSIGN(std::int64_t is_constrained, message.integer(constrain_layout));
  if (is_constrained == 0) {
    return Text();
  }
  std::string text;
  BP_TRY(message.for_each(operand_shapes, [&](const Message &child) -> Status {
    BP_ASSIGN(ir::Shape shape, read_shape(child));
    text += text.empty() ? "" : ", ";
    text += to_string(shape, ir::PrintLayout::Always);
    return {};
  }));
  return Text("{" + text + "}");
}

// Writes "{f32[2]{0}, (f32[], s32[])}": shapes, each parsed on its own.
Status write_operand_layouts(Writer &writer, std::string_view text) {
  writer.integer(constrain_layout, 1);
  TokenReader reader(text, {});
  BP_TRY(reader.expect('{'));
  int depth = 0;
  std::size_t begin = reader.token().begin;
  while (!reader.at_end()) {
    bool is_end = depth == 0 && (reader.is(',') || reader.is('}'));
    if (is_end && reader.token().begin > begin) {
      BP_ASSIGN(ir::Shape shape, text::parse_shape(text.substr(begin, reader.token().begin - begin)));
      writer.message(operand_shapes, [&](Writer &inner) { write_shape(inner, shape); });
    }
    depth += reader.is('{') || reader.is('(') || reader.is('[') ? 1 : 0;
    depth -= reader.is('}') || reader.is(')') || reader.is(']') ? 1 : 0;
    reader.advance();
    begin = is_end ? reader.token().begin : begin;
  }
  return {};
}

// --- Lists of names and values ---

constexpr Field frontend_attributes{68, "frontend_attributes"}, statistics{82, "statistics_viz"},
    replication{61, "parameter_replication"}, accuracy{91, "result_accuracy"}, origin{88, "original_value"};
constexpr Field map_entry{1, "map"}, map_key{1, "key"}, map_value{2, "value"};

Result<Text> read_frontend(const Message &message) {
  return read_child(message, frontend_attributes, read_frontend_attributes);
}

Status write_frontend(Writer &writer, std::string_view text) {
  return write_child(writer, frontend_attributes,
                     [&](Writer &inner) { return write_frontend_attributes(inner, text); });
}

// {visualizing_index=1,nan_percent=50}; on the wire the index counts from 1.
namespace statistics_fields {
constexpr Field index{1, "stat_index_to_visualize"}, entry{2, "statistics"}, name{1, "stat_name"}, value{2, "stat_val"};
}

Result<Text> read_statistics(const Message &message) {
  using namespace statistics_fields;
  return read_child(message, statistics, [](const Message &child) -> Result<std::string> {
    BP_ASSIGN(std::int64_t shown, child.integer(index));
    std::string text = fmt::format("{{visualizing_index={}", shown);
    BP_TRY(child.for_each(entry, [&](const Message &statistic) -> Status {
      BP_ASSIGN(std::string_view label, statistic.text(name));
      BP_ASSIGN(double number, statistic.real(value));
      text += fmt::format(",{}={}", label, number);
      return {};
    }));
    return text + "}";
  });
}

Status write_statistics(Writer &writer, std::string_view text) {
  using namespace statistics_fields;
  return write_child(writer, statistics, [&](Writer &inner) -> Status {
    TokenReader reader(text, {});
    BP_TRY(reader.expect('{'));
    return reader.read_list('}', "statistics", [&]() -> Status {
      BP_ASSIGN(std::string_view label, reader.read_identifier("the name of a statistic"));
      BP_TRY(reader.expect('='));
      if (label == "visualizing_index") {
        BP_ASSIGN(std::int64_t shown, reader.read_integer(label));
        inner.integer(index, shown);
        return {};
      }
      BP_ASSIGN(double number, reader.read_real(label));
      inner.message(entry, [&](Writer &statistic) {
        statistic.text(name, label);
        statistic.real64(value, number);
      });
      return {};
    });
  });
}

constexpr Field replicated_leaves{1, "replicated_at_leaf_buffers"};

Result<Text> read_replication(const Message &message) {
  return read_child(message, replication, [](const Message &child) -> Result<std::string> {
    BP_ASSIGN(auto leaves, child.integers(replicated_leaves));
    std::string text;
    for (std::int64_t leaf : leaves) {
      text += text.empty() ? "" : ",";
      text += leaf != 0 ? "true" : "false";
    }
    return "{" + text + "}";
  });
}

Status write_replication(Writer &writer, std::string_view text) {
  std::vector<std::int64_t> leaves;
  TokenReader reader(text, {});
  bool is_list = reader.accept('{');
  while (!reader.at_end() && !reader.is('}')) {
    BP_ASSIGN(bool leaf, reader.read_bool("a value"));
    leaves.push_back(leaf ? 1 : 0);
    reader.accept(',');
  }
  if (is_list) {
    BP_TRY(reader.expect('}'));
  }
  writer.message(replication, [&](Writer &inner) { inner.integers(replicated_leaves, leaves); });
  return {};
}

// {mode=highest} or {tolerance={atol=0.5,rtol=0.25,ulps=3}}
namespace accuracy_fields {
constexpr Field mode{1, "mode"}, tolerance{2, "tolerance"}, atol{1, "atol"}, rtol{2, "rtol"}, ulps{3, "ulps"};
}

Result<Text> read_accuracy(const Message &message) {
  using namespace accuracy_fields;
  return read_child(message, accuracy, [](const Message &child) -> Result<std::string> {
    if (!child.has(tolerance)) {
      BP_ASSIGN(std::int64_t number, child.integer(mode));
      return std::string(number == 1 ? "{mode=highest}" : "{mode=default}");
    }
    BP_ASSIGN(Message inner, child.child(tolerance));
    BP_ASSIGN(double absolute, inner.real(atol));
    BP_ASSIGN(double relative, inner.real(rtol));
    BP_ASSIGN(std::int64_t units, inner.integer(ulps));
    return fmt::format("{{tolerance={{atol={},rtol={},ulps={}}}}}", absolute, relative, units);
  });
}

Status write_accuracy(Writer &writer, std::string_view text) {
  using namespace accuracy_fields;
  return write_child(writer, accuracy, [&](Writer &inner) -> Status {
    TokenReader reader(text, {});
    BP_TRY(reader.expect('{'));
    if (reader.accept_word("mode")) {
      BP_TRY(reader.expect('='));
      inner.integer(mode, reader.is_word("highest") ? 1 : 0);
      return {};
    }
    BP_TRY(reader.expect_word("tolerance"));
    BP_TRY(reader.expect('='));
    BP_TRY(reader.expect('{'));
    return write_child(inner, tolerance, [&](Writer &fields) {
      return reader.read_list('}', "a tolerance", [&]() -> Status {
        BP_ASSIGN(std::string_view name, reader.read_identifier("atol, rtol or ulps"));
        BP_TRY(reader.expect('='));
        if (name == "ulps") {
          BP_ASSIGN(std::int64_t units, reader.read_integer(name));
          fields.integer(ulps, units);
          return {};
        }
        BP_ASSIGN(double value, reader.read_real(name));
        fields.real64(name == "atol" ? atol : rtol, value);
        return {};
      });
    });
  });
}

// --- Origin of a value before the compiler changed the program ---
// {{"a" {0}}} for an array, {({"a"}, {})} for a tuple, {[synthetic_call]}; the message contains only arrays with an
// origin.

namespace origin_fields {
constexpr Field elements{1, "elements"}, is_synthetic{2, "is_synthetic_call"};
constexpr Field index{1, "shape_index"}, array{2, "original_array"};
constexpr Field instruction{1, "instruction_name"}, array_index{2, "shape_index"};
constexpr std::string_view synthetic = "{[synthetic_call]}";
}  // namespace origin_fields

using OriginsByIndex = std::map<std::vector<std::int64_t>, std::string>;

std::string origin_text(const ir::Shape &shape, const OriginsByIndex &origins, std::vector<std::int64_t> &index) {
  if (!shape.is_tuple()) {
    auto found = origins.find(index);
    return found == origins.end() ? "{}" : found->second;
  }
  std::string text;
  for (std::size_t i = 0; i < shape.elements().size(); ++i) {
    index.push_back(static_cast<std::int64_t>(i));
    text += i == 0 ? "" : ",";
    text += origin_text(shape.elements()[i], origins, index);
    index.pop_back();
  }
  return "(" + text + ")";
}

Result<Text> read_origin(const Message &message) {
  using namespace origin_fields;
  return read_child(message, origin, [&](const Message &child) -> Result<std::string> {
    BP_ASSIGN(std::int64_t is_call, child.integer(is_synthetic));
    if (is_call != 0) {
      return std::string(synthetic);
    }
    OriginsByIndex origins;
    BP_TRY(child.for_each(elements, [&](const Message &element) -> Status {
      BP_ASSIGN(auto at, element.integers(index));
      BP_ASSIGN(Message original, element.child(array));
      BP_ASSIGN(std::string_view name, original.text(instruction));
      BP_ASSIGN(auto inner, original.integers(array_index));
      std::string text = "{" + in_quotes(name);
      text += inner.empty() ? "}" : fmt::format(" {{{}}}}}", fmt::join(inner, ","));
      origins.emplace(std::move(at), std::move(text));
      return {};
    }));
    if (origins.empty()) {
      return std::string("{}");
    }
    BP_ASSIGN(Message shape_message, message.child({3, "shape"}));
    BP_ASSIGN(ir::Shape shape, read_shape(shape_message));
    std::vector<std::int64_t> at;
    return "{" + origin_text(shape, origins, at) + "}";
  });
}

Status write_origins(Writer &writer, TokenReader &reader, std::vector<std::int64_t> &at) {
  using namespace origin_fields;
  TokenReader::Nesting nesting(reader);
  BP_TRY(nesting.check());
  if (reader.accept('(')) {
    at.push_back(-1);
    BP_TRY(reader.read_list(')', "the origins of a tuple", [&] {
      ++at.back();
      return write_origins(writer, reader, at);
    }));
    at.pop_back();
    return {};
  }
  BP_TRY(reader.expect('{'));
  if (reader.accept('}')) {
    return {};
  }
  BP_ASSIGN(std::string name, reader.read_string("the name of an instruction"));
  std::vector<std::int64_t> inner;
  if (reader.is('{')) {
    BP_ASSIGN(inner, reader.read_integers("the index of a part of a shape"));
  }
  writer.message(elements, [&](Writer &element) {
    element.integers(index, at);
    element.message(array, [&](Writer &original) {
      original.text(instruction, name);
      original.integers(array_index, inner);
    });
  });
  return reader.expect('}');
}

Status write_origin(Writer &writer, std::string_view text) {
  return write_child(writer, origin, [&](Writer &inner) -> Status {
    if (text == origin_fields::synthetic) {
      inner.integer(origin_fields::is_synthetic, 1);
      return {};
    }
    TokenReader reader(text, {});
    std::vector<std::int64_t> at;
    BP_TRY(reader.expect('{'));
    BP_TRY(write_origins(inner, reader, at));
    return reader.expect('}');
  });
}

// --- The table ---

struct TextForm {
  AttributeKey key;
  Result<Text> (*read)(const Message &instruction);
  Status (*write)(Writer &instruction, std::string_view text);
};

constexpr TextForm forms[] = {
    {AttributeKey::Sharding, read_sharding_attribute, write_sharding_attribute},
    {AttributeKey::Domain, read_domain, write_domain},
    {AttributeKey::ReplicaGroups, read_groups, write_device_groups},
    {AttributeKey::OutfeedShape, read_outfeed_shape, write_outfeed_shape},
    {AttributeKey::OperandLayoutConstraints, read_operand_layouts, write_operand_layouts},
    {AttributeKey::FrontendAttributes, read_frontend, write_frontend},
    {AttributeKey::Statistics, read_statistics, write_statistics},
    {AttributeKey::ParameterReplication, read_replication, write_replication},
    {AttributeKey::ResultAccuracy, read_accuracy, write_accuracy},
    {AttributeKey::Origin, read_origin, write_origin},
};

const TextForm *find_form(AttributeKey key) {
  auto form = std::ranges::find(forms, key, &TextForm::key);
  return form == std::end(forms) ? nullptr : form;
}

}  // namespace

bool has_text_form(AttributeKey key) {
  return find_form(key) != nullptr;
}

Result<std::optional<std::string>> read_text_attribute(const Message &message, AttributeKey key) {
  return find_form(key)->read(message);
}

Status write_text_attribute(Writer &writer, AttributeKey key, std::string_view text) {
  return find_form(key)->write(writer, text);
}

// Reads frontend attributes; a value in braces is JSON, written verbatim.
Result<std::string> read_frontend_attributes(const Message &message) {
  std::string text;
  BP_TRY(message.for_each(map_entry, [&](const Message &entry) -> Status {
    BP_ASSIGN(std::string_view key, entry.text(map_key));
    BP_ASSIGN(std::string_view value, entry.text(map_value));
    TokenReader reader(key, {});
    if (!reader.is(TokenKind::Identifier) || reader.text() != key) {
      return entry.error_in(map_key, "'{}' is not an identifier", key);
    }
    bool is_raw = value.starts_with('{') && text::Lexer(value).end_of_braces(0) == value.size();
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", key, is_raw ? std::string(value) : in_quotes(value));
    return {};
  }));
  return "{" + text + "}";
}

Status write_frontend_attributes(Writer &writer, std::string_view text) {
  TokenReader reader(text, {});
  BP_TRY(reader.expect('{'));
  return reader.read_list('}', "frontend attributes", [&]() -> Status {
    BP_ASSIGN(std::string_view key, reader.read_identifier("the name of a frontend attribute"));
    BP_TRY(reader.expect('='));
    std::string value;
    if (reader.is('{')) {
      BP_ASSIGN(std::string_view raw, reader.read_raw_braces("a frontend attribute"));
      value = raw;
    } else {
      BP_ASSIGN(value, reader.read_string("a string"));
    }
    writer.message(map_entry, [&](Writer &entry) {
      entry.text(map_key, key);
      entry.text(map_value, value);
    });
    return {};
  });
}

}  // namespace bp::import::hlo_proto
