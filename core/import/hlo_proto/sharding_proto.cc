// The tile forms of shardings, and device groups. The forms that use the axes of a mesh are in mesh_proto.cc.
#include "core/import/hlo_proto/sharding_proto.h"

#include <algorithm>

#include "core/import/hlo_proto/mesh_proto.h"
#include "core/import/hlo_proto/metadata_proto.h"
#include "core/ir/device_groups.h"
#include "core/text/attribute_reader.h"
#include "core/text/token_reader.h"

namespace bp::import::hlo_proto {
namespace {

using text::TokenReader;

namespace fields {
constexpr Field type{1, "type"}, tile_dimensions{3, "tile_assignment_dimensions"},
    tile_devices{4, "tile_assignment_devices"}, tuple_shardings{5, "tuple_shardings"},
    replicates_last{6, "replicate_on_last_tile_dim"}, metadata{7, "metadata"}, last_tile_dims{8, "last_tile_dims"},
    iota_sizes{9, "iota_reshape_dims"}, iota_permutation{10, "iota_transpose_perm"}, is_group{11, "is_shard_group"},
    group_id{12, "shard_group_id"}, group_type{13, "shard_group_type"}, named{14, "named_sharding"};
}  // namespace fields

// Values of OpSharding.Type.
enum Type : std::int64_t { Replicated, Maximal, Tuple, Other, Manual, Unknown, Unreduced };
// Words of the types that are written as a single word, by number.
constexpr std::string_view words[] = {"replicated", "", "", "", "manual", "unknown", "unreduced"};

std::optional<std::int64_t> type_of_word(TokenReader &reader) {
  for (std::size_t type = 0; type < std::size(words); ++type) {
    if (!words[type].empty() && reader.accept_word(words[type])) {
      return static_cast<std::int64_t>(type);
    }
  }
  return std::nullopt;
}

Result<std::string_view> word_of_type(const Message &message, Field field, std::int64_t type) {
  if (type < 0 || type >= static_cast<std::int64_t>(std::size(words)) ||
      words[static_cast<std::size_t>(type)].empty()) {
    return message.error_in(field, "type {} of a sharding, expected one that a word names", type);
  }
  return words[static_cast<std::size_t>(type)];
}

// --- Iota: consecutive numbers, reshaped and transposed: <=[2,2]T(1,0) ---

std::string iota_text(std::span<const std::int64_t> sizes, std::span<const std::int64_t> permutation) {
  std::string text = fmt::format("<=[{}]", fmt::join(sizes, ","));
  return std::ranges::is_sorted(permutation) ? text : text + fmt::format("T({})", fmt::join(permutation, ","));
}

Result<std::string> read_iota(const Message &message, Field sizes_field, Field permutation_field) {
  BP_ASSIGN(auto sizes, message.integers(sizes_field));
  BP_ASSIGN(auto permutation, message.integers(permutation_field));
  return iota_text(sizes, permutation);
}

Status write_iota(Writer &writer, TokenReader &reader, Field sizes_field, Field permutation_field) {
  BP_TRY(reader.expect(text::TokenKind::LessEqual, "'<='"));
  std::vector<std::int64_t> sizes, permutation;
  BP_TRY(read_bracketed(reader, '[', ']', sizes));
  if (reader.accept_word("T")) {
    BP_TRY(read_bracketed(reader, '(', ')', permutation));
  } else {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      permutation.push_back(static_cast<std::int64_t>(i));
    }
  }
  writer.integers(sizes_field, sizes);
  writer.integers(permutation_field, permutation);
  return {};
}

// --- Writing ---

// Writes devices=[2,2]0,1,2,3 or devices=[2,2]<=[4].
Status write_tiles(Writer &writer, TokenReader &reader) {
  BP_TRY(reader.expect('='));
  std::vector<std::int64_t> sizes, devices;
  BP_TRY(read_bracketed(reader, '[', ']', sizes));
  writer.integer(fields::type, Type::Other);
  writer.integers(fields::tile_dimensions, sizes);
  if (reader.is(text::TokenKind::LessEqual)) {
    return write_iota(writer, reader, fields::iota_sizes, fields::iota_permutation);
  }
  do {
    BP_ASSIGN(std::int64_t device, reader.read_integer("a device number"));
    devices.push_back(device);
  } while (reader.accept(','));
  writer.integers(fields::tile_devices, devices);
  return {};
}

Status write_part(Writer &writer, TokenReader &reader) {
  if (auto type = type_of_word(reader)) {
    writer.integer(fields::type, *type);
    return {};
  }
  BP_ASSIGN(std::string_view name, reader.read_identifier("a part of a sharding"));
  if (name == "maximal") {
    BP_TRY(reader.expect_word("device"));
    BP_TRY(reader.expect('='));
    BP_ASSIGN(std::int64_t device, reader.read_integer("a device number"));
    constexpr std::int64_t one = 1;
    writer.integer(fields::type, Type::Maximal);
    writer.integers(fields::tile_dimensions, std::span(&one, 1));
    writer.integers(fields::tile_devices, std::span(&device, 1));
    return {};
  }
  if (name == "devices") {
    return write_tiles(writer, reader);
  }
  if (name == "last_tile_dim_replicate") {
    writer.integer(fields::replicates_last, 1);
    return {};
  }
  if (name == "last_tile_dims") {
    std::vector<std::int64_t> types;
    BP_TRY(reader.expect('='));
    BP_TRY(reader.expect('{'));
    BP_TRY(reader.read_list('}', "the kinds of the last dimensions", [&]() -> Status {
      auto type = type_of_word(reader);
      types.push_back(type.value_or(Type::Replicated));
      return type ? Status() : reader.expected("the kind of a dimension");
    }));
    writer.integers(fields::last_tile_dims, types);
    return {};
  }
  if (name == "shard_as" || name == "shard_like") {
    BP_ASSIGN(std::int64_t group, reader.read_integer("a group of shardings"));
    writer.integer(fields::is_group, 1);
    writer.integer(fields::group_id, group);
    writer.integer(fields::group_type, name == "shard_like" ? 1 : 0);
    return {};
  }
  if (name == "metadata") {
    BP_TRY(reader.expect('='));
    return write_metadata_list(writer, fields::metadata, reader);
  }
  return reader.error("'{}' is not part of a sharding", name);
}

Status write_sharding_tokens(Writer &writer, TokenReader &reader) {
  BP_TRY(reader.expect('{'));
  if (reader.is('{') || reader.is('}')) {
    writer.integer(fields::type, Type::Tuple);
    return reader.read_list('}', "a tuple of shardings", [&]() -> Status {
      Writer inner;
      BP_TRY(write_sharding_tokens(inner, reader));
      writer.text(fields::tuple_shardings, inner.bytes());
      return {};
    });
  }
  if (reader.is_word("mesh") || reader.is_word("maximal_mesh")) {
    Writer inner;
    BP_TRY(write_mesh_sharding(inner, reader));
    writer.text(fields::named, inner.bytes());
    return reader.expect('}');
  }
  do {
    BP_TRY(write_part(writer, reader));
  } while (!reader.accept('}'));
  return {};
}

// --- Reading ---

Result<std::string> read_tiles(const Message &message) {
  BP_ASSIGN(auto sizes, message.integers(fields::tile_dimensions));
  std::string text = fmt::format("devices=[{}]", fmt::join(sizes, ","));
  if (message.has(fields::iota_sizes)) {
    BP_ASSIGN(std::string iota, read_iota(message, fields::iota_sizes, fields::iota_permutation));
    text += iota;
  } else {
    BP_ASSIGN(auto devices, message.integers(fields::tile_devices));
    text += fmt::format("{}", fmt::join(devices, ","));
  }
  BP_ASSIGN(std::int64_t replicates_last, message.integer(fields::replicates_last));
  if (replicates_last != 0) {
    text += " last_tile_dim_replicate";
  }
  BP_ASSIGN(auto last, message.integers(fields::last_tile_dims));
  if (!last.empty()) {
    std::string kinds;
    for (std::int64_t type : last) {
      BP_ASSIGN(std::string_view word, word_of_type(message, fields::last_tile_dims, type));
      kinds += kinds.empty() ? "" : ",";
      kinds += word;
    }
    text += fmt::format(" last_tile_dims={{{}}}", kinds);
  }
  return text;
}

Result<std::string> read_one(const Message &message, std::int64_t type) {
  if (type == Type::Other) {
    return read_tiles(message);
  }
  if (type == Type::Maximal) {
    BP_ASSIGN(auto devices, message.integers(fields::tile_devices));
    if (devices.size() != 1) {
      return message.error_in(fields::tile_devices, "{} devices of a maximal sharding, expected 1", devices.size());
    }
    return fmt::format("maximal device={}", devices[0]);
  }
  BP_ASSIGN(std::string_view word, word_of_type(message, fields::type, type));
  return std::string(word);
}

}  // namespace

Result<std::string> read_sharding(const Message &message) {
  if (message.has(fields::named)) {
    BP_ASSIGN(Message named, message.child(fields::named));
    BP_ASSIGN(std::string text, read_mesh_sharding(named));
    return "{" + text + "}";
  }
  BP_ASSIGN(std::int64_t type, message.integer(fields::type));
  std::string text;
  if (type == Type::Tuple) {
    BP_TRY(message.for_each(fields::tuple_shardings, [&](const Message &part) -> Status {
      BP_ASSIGN(std::string sharding, read_sharding(part));
      text += text.empty() ? "" : ",";
      text += sharding;
      return {};
    }));
    return "{" + text + "}";
  }
  BP_ASSIGN(text, read_one(message, type));
  BP_ASSIGN(std::int64_t is_group, message.integer(fields::is_group));
  if (is_group != 0) {
    BP_ASSIGN(std::int64_t group, message.integer(fields::group_id));
    BP_ASSIGN(std::int64_t is_like, message.integer(fields::group_type));
    text += fmt::format(" {} {}", is_like != 0 ? "shard_like" : "shard_as", group);
  }
  BP_ASSIGN(std::string metadata, read_metadata_list(message, fields::metadata));
  if (!metadata.empty()) {
    text += " metadata=" + metadata;
  }
  return "{" + text + "}";
}

Status write_sharding(Writer &writer, std::string_view text) {
  TokenReader reader(text, {});
  return write_sharding_tokens(writer, reader);
}

// --- Groups of devices ---

namespace groups {
constexpr Field listed_old{49, "replica_groups"}, listed{87, "collective_device_list"},
    iota{92, "iota_collective_device_list"}, mesh{93, "mesh_axes_replica_group_list"};
constexpr Field group{1, "replica_groups"}, ids{1, "replica_ids"};
constexpr Field group_count{1, "num_replica_groups"}, group_size{2, "num_devices_per_group"},
    iota_sizes{3, "iota_reshape_dims"}, iota_permutation{4, "iota_transpose_perm"};

Result<std::string> read_list(const Message &message, Field field) {
  std::string text;
  BP_TRY(message.for_each(field, [&](const Message &part) -> Status {
    BP_ASSIGN(auto devices, part.integers(ids));
    text += fmt::format("{}{{{}}}", text.empty() ? "" : ",", fmt::join(devices, ","));
    return {};
  }));
  return "{" + text + "}";
}

}  // namespace groups

Result<std::string> read_device_groups(const Message &instruction) {
  using namespace groups;
  if (instruction.has(listed)) {
    BP_ASSIGN(Message list, instruction.child(listed));
    return read_list(list, group);
  }
  if (instruction.has(iota)) {
    BP_ASSIGN(Message list, instruction.child(iota));
    BP_ASSIGN(std::int64_t count, list.integer(group_count));
    BP_ASSIGN(std::int64_t size, list.integer(group_size));
    BP_ASSIGN(std::string numbers, read_iota(list, iota_sizes, iota_permutation));
    return fmt::format("[{},{}]{}", count, size, numbers);
  }
  if (instruction.has(mesh)) {
    BP_ASSIGN(Message list, instruction.child(mesh));
    return read_mesh_groups(list);
  }
  return instruction.has(listed_old) ? read_list(instruction, listed_old) : std::string();
}

Status write_device_groups(Writer &instruction, std::string_view text) {
  using namespace groups;
  TokenReader reader(text, {});
  Writer inner;
  if (reader.is_word("mesh")) {
    BP_TRY(write_mesh_groups(inner, reader));
    instruction.text(mesh, inner.bytes());
    return {};
  }
  if (reader.is('[')) {
    std::vector<std::int64_t> sizes;
    BP_TRY(read_bracketed(reader, '[', ']', sizes));
    if (sizes.size() != 2) {
      return reader.error("{} sizes of device groups, expected 2", sizes.size());
    }
    inner.integer(group_count, sizes[0]);
    inner.integer(group_size, sizes[1]);
    BP_TRY(write_iota(inner, reader, iota_sizes, iota_permutation));
    instruction.text(iota, inner.bytes());
    return {};
  }
  BP_TRY(reader.expect('{'));
  BP_TRY(reader.read_list('}', "device groups", [&]() -> Status {
    BP_ASSIGN(auto devices, reader.read_integers("a device group"));
    inner.message(group, [&](Writer &part) { part.integers(ids, devices); });
    return {};
  }));
  instruction.text(listed, inner.bytes());
  return {};
}

}  // namespace bp::import::hlo_proto
