#include "core/import/hlo_proto/mesh_proto.h"

#include <algorithm>

namespace bp::import::hlo_proto {
namespace {

using text::TokenKind;
using text::TokenReader;

constexpr Field sharding_mesh{2, "mesh"}, mesh_dimensions{3, "dim_shardings"};
// Lists of axes that have a name in the text.
constexpr Field axis_lists[] = {{4, "replicated"}, {5, "unreduced"}, {7, "manual"}};
constexpr Field dimension_axes{1, "axes"}, is_closed{2, "is_closed"};
constexpr Field group_mesh{1, "mesh"}, group_axes{2, "axes"};

constexpr Field mesh_axes{1, "axes"}, device_ids{2, "device_ids"}, mesh_iota{3, "iota_transform"};
constexpr Field axis_name{1, "name"}, axis_size{2, "size"};
constexpr Field mesh_iota_sizes{1, "reshape_dims"}, mesh_iota_permutation{2, "transpose_perm"};
constexpr Field axis_index{1, "mesh_axis_index"}, sub_axis{2, "sub_axis_info"}, pre_size{1, "pre_size"},
    sub_size{2, "size"};

using AxisNames = std::vector<std::string>;

// --- Reading ---

Result<std::string> read_mesh(const Message &mesh, AxisNames &names) {
  std::vector<std::string> axes;
  BP_TRY(mesh.for_each(mesh_axes, [&](const Message &axis) -> Status {
    BP_ASSIGN(std::string_view name, axis.text(axis_name));
    BP_ASSIGN(std::int64_t size, axis.integer(axis_size));
    if (name.find_first_of("'\"\\\n") != name.npos || name.empty()) {
      return axis.error_in(axis_name, "'{}' is not the name of an axis", name);
    }
    axes.push_back(fmt::format("'{}'={}", name, size));
    names.emplace_back(name);
    return {};
  }));
  std::string text = fmt::format("mesh[{}]", fmt::join(axes, ","));
  BP_ASSIGN(auto devices, mesh.integers(device_ids));
  if (mesh.has(mesh_iota)) {
    BP_ASSIGN(Message transform, mesh.child(mesh_iota));
    BP_ASSIGN(auto sizes, transform.integers(mesh_iota_sizes));
    BP_ASSIGN(auto permutation, transform.integers(mesh_iota_permutation));
    text += fmt::format(",device_ids=([{}]", fmt::join(sizes, ","));
    text += std::ranges::is_sorted(permutation) ? ")" : fmt::format("T({}))", fmt::join(permutation, ","));
  } else if (!devices.empty()) {
    text += fmt::format(",device_ids=({})", fmt::join(devices, ","));
  }
  return text;
}

// Reads {'a', 'b':(2)2}, with '?' at the end if the dimension may be sharded further.
Result<std::string> read_axes(const Message &message, Field field, const AxisNames &names, bool is_open) {
  std::vector<std::string> axes;
  BP_TRY(message.for_each(field, [&](const Message &axis) -> Status {
    BP_ASSIGN(std::int64_t index, axis.integer(axis_index));
    if (index < 0 || index >= static_cast<std::int64_t>(names.size())) {
      return axis.error_in(axis_index, "axis {} of a mesh with {}", index, names.size());
    }
    axes.push_back(fmt::format("'{}'", names[static_cast<std::size_t>(index)]));
    if (axis.has(sub_axis)) {
      BP_ASSIGN(Message part, axis.child(sub_axis));
      BP_ASSIGN(std::int64_t before, part.integer(pre_size));
      BP_ASSIGN(std::int64_t size, part.integer(sub_size));
      axes.back() += fmt::format(":({}){}", before, size);
    }
    return {};
  }));
  if (is_open) {
    axes.emplace_back("?");
  }
  return fmt::format("{{{}}}", fmt::join(axes, ","));
}

// --- Writing ---

Status write_device_ids(Writer &mesh, TokenReader &reader) {
  BP_TRY(reader.expect_word("device_ids"));
  BP_TRY(reader.expect('='));
  std::vector<std::int64_t> numbers, permutation;
  if (!reader.is_following('[')) {
    BP_TRY(read_bracketed(reader, '(', ')', numbers));
    mesh.integers(device_ids, numbers);
    return {};
  }
  BP_TRY(reader.expect('('));
  BP_TRY(read_bracketed(reader, '[', ']', numbers));
  if (reader.accept_word("T")) {
    BP_TRY(read_bracketed(reader, '(', ')', permutation));
  }
  mesh.message(mesh_iota, [&](Writer &transform) {
    transform.integers(mesh_iota_sizes, numbers);
    transform.integers(mesh_iota_permutation, permutation);
  });
  return reader.expect(')');
}

Status write_mesh(Writer &mesh, TokenReader &reader, AxisNames &names) {
  BP_TRY(reader.expect_word("mesh"));
  BP_TRY(reader.expect('['));
  BP_TRY(reader.read_list(']', "a mesh", [&]() -> Status {
    if (reader.is_word("device_ids")) {
      return write_device_ids(mesh, reader);
    }
    BP_ASSIGN(std::string name, reader.read_string("the name of an axis"));
    BP_TRY(reader.expect('='));
    BP_ASSIGN(std::int64_t size, reader.read_integer("the size of an axis"));
    mesh.message(mesh_axes, [&](Writer &axis) {
      axis.text(axis_name, name);
      axis.integer(axis_size, size);
    });
    names.push_back(std::move(name));
    return {};
  }));
  if (reader.is(',') && reader.text(reader.following()) == "device_ids") {
    reader.advance();
    return write_device_ids(mesh, reader);
  }
  return {};
}

Result<bool> write_axes(Writer &writer, Field field, TokenReader &reader, const AxisNames &names) {
  bool is_open = false;
  BP_TRY(reader.expect('{'));
  BP_TRY(reader.read_list('}', "a list of axes", [&]() -> Status {
    if (reader.accept('?')) {
      is_open = true;
      return {};
    }
    BP_ASSIGN(std::string name, reader.read_string("the name of an axis"));
    Writer axis;
    axis.integer(axis_index, std::ranges::find(names, name) - names.begin());
    if (reader.accept(':')) {
      BP_TRY(reader.expect('('));
      BP_ASSIGN(std::int64_t before, reader.read_integer("a size"));
      BP_TRY(reader.expect(')'));
      BP_ASSIGN(std::int64_t size, reader.read_integer("a size"));
      axis.message(sub_axis, [&](Writer &part) {
        part.integer(pre_size, before);
        part.integer(sub_size, size);
      });
    }
    writer.text(field, axis.bytes());
    return {};
  }));
  return is_open;
}

}  // namespace

Status read_bracketed(TokenReader &reader, char open, char close, std::vector<std::int64_t> &numbers) {
  BP_TRY(reader.expect(open));
  return reader.read_list(close, "a list of numbers", [&]() -> Status {
    BP_ASSIGN(std::int64_t number, reader.read_integer("a number"));
    numbers.push_back(number);
    return {};
  });
}

Result<std::string> read_mesh_sharding(const Message &named_sharding) {
  AxisNames names;
  BP_ASSIGN(Message mesh, named_sharding.child(sharding_mesh));
  BP_ASSIGN(std::string text, read_mesh(mesh, names));
  std::vector<std::string> by_dimension;
  BP_TRY(named_sharding.for_each(mesh_dimensions, [&](const Message &dimension) -> Status {
    BP_ASSIGN(std::int64_t closed, dimension.integer(is_closed));
    BP_ASSIGN(std::string axes, read_axes(dimension, dimension_axes, names, closed == 0));
    by_dimension.push_back(std::move(axes));
    return {};
  }));
  text += fmt::format(",[{}]", fmt::join(by_dimension, ","));
  for (Field list : axis_lists) {
    if (named_sharding.has(list)) {
      BP_ASSIGN(std::string axes, read_axes(named_sharding, list, names, false));
      text += fmt::format(",{}={}", list.name, axes);
    }
  }
  return text;
}

Status write_mesh_sharding(Writer &named_sharding, TokenReader &reader) {
  AxisNames names;
  Writer mesh;
  if (reader.is_word("maximal_mesh")) {
    return reader.error("a sharding on one device of a mesh is not written");
  }
  BP_TRY(write_mesh(mesh, reader, names));
  named_sharding.text(sharding_mesh, mesh.bytes());
  while (reader.accept(',')) {
    if (reader.accept('[')) {
      BP_TRY(reader.read_list(']', "the axes of the dimensions", [&]() -> Status {
        Writer dimension;
        BP_ASSIGN(bool is_open, write_axes(dimension, dimension_axes, reader, names));
        dimension.integer(is_closed, is_open ? 0 : 1);
        named_sharding.text(mesh_dimensions, dimension.bytes());
        return reader.is(TokenKind::Identifier) ? reader.error("a priority of axes is not written") : Status();
      }));
      continue;
    }
    BP_ASSIGN(std::string_view name, reader.read_identifier("a part of a mesh sharding"));
    auto list = std::ranges::find(axis_lists, name, &Field::name);
    if (list == std::end(axis_lists) || !reader.accept('=') || !reader.is('{')) {
      return reader.error("'{}' of a mesh sharding is not written", name);
    }
    BP_TRY(write_axes(named_sharding, *list, reader, names));
  }
  return {};
}

Result<std::string> read_mesh_groups(const Message &group_list) {
  AxisNames names;
  BP_ASSIGN(Message mesh, group_list.child(group_mesh));
  BP_ASSIGN(std::string text, read_mesh(mesh, names));
  BP_ASSIGN(std::string axes, read_axes(group_list, group_axes, names, false));
  return text + " " + axes;
}

Status write_mesh_groups(Writer &group_list, TokenReader &reader) {
  AxisNames names;
  Writer mesh;
  BP_TRY(write_mesh(mesh, reader, names));
  group_list.text(group_mesh, mesh.bytes());
  reader.accept(',');
  BP_TRY(write_axes(group_list, group_axes, reader, names));
  return {};
}

}  // namespace bp::import::hlo_proto
