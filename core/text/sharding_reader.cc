#include "core/text/sharding_reader.h"

#include <algorithm>

namespace bp::text {
namespace {

constexpr std::int64_t max_devices = std::int64_t{1} << 40;

// Reads a size or device number that is at least `least`.
Result<std::int64_t> read_at_least(TokenReader &reader, std::int64_t least, std::string_view what) {
  std::size_t begin = reader.token().begin;
  BP_ASSIGN(std::int64_t value, reader.read_integer(what));
  if (value < least) {
    return reader.error_at(begin, "expected {} of at least {}, found {}", what, least, value);
  }
  return value;
}

Status check_at_least(TokenReader &reader, std::int64_t least, std::string_view what) {
  BP_TRY(read_at_least(reader, least, what));
  return {};
}

// Reads the sizes [2,4], whose product is limited.
Status read_sizes(TokenReader &reader, std::vector<std::int64_t> &sizes, std::int64_t &product) {
  product = 1;
  BP_TRY(reader.expect('['));
  return reader.read_list(']', "a list of sizes", [&]() -> Status {
    BP_ASSIGN(std::int64_t size, read_at_least(reader, 1, "a size"));
    if (size > max_devices / product) {
      return reader.error("more than {} devices", max_devices);
    }
    product *= size;
    sizes.push_back(size);
    return {};
  });
}

// Reads <=[2,2]T(1,0) after sizes with the same product: devices in row-major order, reshaped and transposed.
Status read_iota(TokenReader &reader, std::int64_t device_count) {
  std::size_t begin = reader.token().begin;
  BP_TRY(reader.expect(TokenKind::LessEqual, "'<='"));
  std::vector<std::int64_t> sizes;
  std::int64_t product = 0;
  BP_TRY(read_sizes(reader, sizes, product));
  if (product != device_count) {
    return reader.error_at(begin, "{} devices listed for {} tiles", product, device_count);
  }
  if (!reader.accept_word("T")) {
    return {};
  }
  std::vector<bool> seen(sizes.size(), false);
  std::size_t permuted = 0;
  begin = reader.token().begin;
  BP_TRY(reader.expect('(', "after 'T'"));
  BP_TRY(reader.read_list(')', "a permutation", [&]() -> Status {
    std::size_t at = reader.token().begin;
    BP_ASSIGN(std::int64_t dimension, reader.read_integer("a dimension number"));
    if (dimension < 0 || dimension >= static_cast<std::int64_t>(sizes.size()) ||
        seen[static_cast<std::size_t>(dimension)]) {
      return reader.error_at(at, "{} in a permutation of {} dimensions", dimension, sizes.size());
    }
    seen[static_cast<std::size_t>(dimension)] = true;
    ++permuted;
    return {};
  }));
  if (permuted != sizes.size()) {
    return reader.error_at(begin, "a permutation of {} dimensions, expected {}", permuted, sizes.size());
  }
  return {};
}

// --- The mesh form ---

using AxisNames = std::vector<std::string_view>;

// Reads device_ids=(0,2,1,3) or device_ids=([2,2]T(1,0)).
Status read_device_ids(TokenReader &reader, std::int64_t device_count) {
  BP_TRY(reader.expect_word("device_ids"));
  BP_TRY(reader.expect('=', "after 'device_ids'"));
  if (reader.following().kind == TokenKind::Number) {
    BP_TRY(reader.expect('('));
    return reader.read_list(')', "device ids", [&] { return check_at_least(reader, 0, "a device id"); });
  }
  BP_TRY(reader.expect('(', "after 'device_ids='"));
  std::vector<std::int64_t> sizes;
  std::int64_t product = 0;
  std::size_t begin = reader.token().begin;
  BP_TRY(read_sizes(reader, sizes, product));
  if (product != device_count) {
    return reader.error_at(begin, "{} device ids for a mesh of {}", product, device_count);
  }
  if (reader.accept_word("T")) {
    BP_TRY(reader.read_balanced("a permutation"));
  }
  return reader.expect(')', "after the device ids");
}

// Reads mesh['a'=2,'b'=4]; the device ids are inside of the brackets or after them.
Status read_mesh(TokenReader &reader, AxisNames &axes) {
  BP_TRY(reader.expect_word("mesh"));
  BP_TRY(reader.expect('[', "after 'mesh'"));
  std::int64_t device_count = 1;
  BP_TRY(reader.read_list(']', "a mesh", [&]() -> Status {
    if (reader.is_word("device_ids")) {
      return read_device_ids(reader, device_count);
    }
    if (!reader.is(TokenKind::String)) {
      return reader.expected("the name of an axis in quotes");
    }
    axes.push_back(reader.text(reader.take()));
    BP_TRY(reader.expect('=', "after the name of an axis"));
    BP_ASSIGN(std::int64_t size, read_at_least(reader, 1, "the size of an axis"));
    if (size > max_devices / device_count) {
      return reader.error("more than {} devices", max_devices);
    }
    device_count *= size;
    return {};
  }));
  if (reader.is(',') && reader.text(reader.following()) == "device_ids") {
    reader.advance();
    return read_device_ids(reader, device_count);
  }
  return {};
}

// Reads {'a', 'b':(2)2, ?}: axes of the mesh, or parts of axes.
Status read_axes(TokenReader &reader, const AxisNames &axes) {
  BP_TRY(reader.expect('{', "before the axes of a dimension"));
  return reader.read_list('}', "a list of axes", [&]() -> Status {
    if (reader.accept('?')) {
      return {};
    }
    if (!reader.is(TokenKind::String)) {
      return reader.expected("the name of an axis in quotes, or '?'");
    }
    if (std::find(axes.begin(), axes.end(), reader.text()) == axes.end()) {
      return reader.error("the mesh has no axis {}", reader.found());
    }
    reader.advance();
    if (reader.accept(':')) {
      BP_TRY(reader.expect('(', "before the size in front of a part of an axis"));
      BP_TRY(check_at_least(reader, 1, "a size"));
      BP_TRY(reader.expect(')'));
      BP_TRY(check_at_least(reader, 1, "a size"));
    }
    return {};
  });
}

bool accept_whole_kind(TokenReader &reader) {
  return reader.accept_word("replicated") || reader.accept_word("manual") || reader.accept_word("unknown") ||
         reader.accept_word("unreduced");
}

// Reads what follows the mesh: , [{'a'}, {}], replicated={'c'}, unreduced=max{'x'} or a single word.
Status read_mesh_parts(TokenReader &reader, const AxisNames &axes) {
  while (reader.accept(',')) {
    if (reader.accept('[')) {
      BP_TRY(reader.read_list(']', "the axes of the dimensions", [&]() -> Status {
        BP_TRY(read_axes(reader, axes));
        if (reader.is(TokenKind::Identifier)) {
          reader.advance();  // a priority: p1
        }
        return {};
      }));
    } else if (reader.following_character() == '=' && reader.is_word("metadata")) {
      reader.advance();
      BP_TRY(reader.expect('='));
      BP_TRY(reader.read_balanced("metadata"));
    } else if (accept_whole_kind(reader)) {
      if (reader.accept('=')) {
        if (reader.is(TokenKind::Identifier)) {
          reader.advance();  // the reduction: max
        }
        BP_TRY(read_axes(reader, axes));
      }
    } else {
      return reader.expected("a part of a mesh sharding");
    }
  }
  return {};
}

// --- The tile form ---

// Reads devices=[2,2]0,1,2,3 or devices=[2,2]<=[4].
Status read_tile_devices(TokenReader &reader) {
  std::vector<std::int64_t> sizes;
  std::int64_t product = 0;
  std::size_t begin = reader.token().begin;
  BP_TRY(read_sizes(reader, sizes, product));
  if (reader.is(TokenKind::LessEqual)) {
    return read_iota(reader, product);
  }
  std::int64_t listed = 0;
  do {
    BP_TRY(check_at_least(reader, 0, "a device number"));
    ++listed;
  } while (reader.accept(','));
  if (listed != product) {
    return reader.error_at(begin, "{} devices listed for {} tiles", listed, product);
  }
  return {};
}

Status read_one_part(TokenReader &reader) {
  if (accept_whole_kind(reader)) {
    return {};
  }
  if (reader.accept_word("maximal")) {
    BP_TRY(reader.expect_word("device"));
    BP_TRY(reader.expect('=', "after 'device'"));
    return check_at_least(reader, 0, "a device number");
  }
  if (reader.accept_word("devices")) {
    BP_TRY(reader.expect('=', "after 'devices'"));
    return read_tile_devices(reader);
  }
  if (reader.accept_word("last_tile_dim_replicate")) {
    return {};
  }
  if (reader.accept_word("last_tile_dims")) {
    BP_TRY(reader.expect('=', "after 'last_tile_dims'"));
    BP_TRY(reader.expect('{'));
    return reader.read_list('}', "the kinds of the last dimensions", [&]() -> Status {
      return accept_whole_kind(reader) ? Status() : reader.expected("manual, replicated, unknown or unreduced");
    });
  }
  if (reader.accept_word("shard_as") || reader.accept_word("shard_like")) {
    return check_at_least(reader, 0, "the number of a group of shardings");
  }
  if (reader.accept_word("metadata")) {
    BP_TRY(reader.expect('=', "after 'metadata'"));
    BP_TRY(reader.read_balanced("metadata"));
    return {};
  }
  return reader.expected("a sharding (replicated, manual, unknown, unreduced, maximal, devices, mesh ...)");
}

Status check_sharding(TokenReader &reader) {
  TokenReader::Nesting nesting(reader);
  BP_TRY(nesting.check());
  BP_TRY(reader.expect('{', "before a sharding"));
  if (reader.is('{') || reader.is('}')) {
    return reader.read_list('}', "a tuple of shardings", [&] { return check_sharding(reader); });
  }
  if (reader.is_word("mesh")) {
    AxisNames axes;
    BP_TRY(read_mesh(reader, axes));
    BP_TRY(read_mesh_parts(reader, axes));
    return reader.expect('}', "after a sharding");
  }
  if (reader.accept_word("maximal_mesh")) {
    BP_TRY(reader.expect('['));
    BP_TRY(reader.expect_word("device_id"));
    BP_TRY(reader.expect('='));
    BP_TRY(check_at_least(reader, 0, "a device number"));
    BP_TRY(reader.expect(']'));
    return reader.expect('}', "after a sharding");
  }
  do {
    BP_TRY(read_one_part(reader));
  } while (!reader.accept('}'));
  return {};
}

// Checks lists of devices, {{0,1},{2,3}}.
Status check_listed_groups(TokenReader &reader) {
  BP_TRY(reader.expect('{', "before device groups"));
  return reader.read_list('}', "device groups", [&]() -> Status {
    BP_TRY(reader.expect('{', "before a device group"));
    return reader.read_list('}', "a device group", [&] { return check_at_least(reader, 0, "a device number"); });
  });
}

Status check_device_groups(TokenReader &reader) {
  if (reader.is('[')) {
    std::vector<std::int64_t> sizes;
    std::int64_t product = 0;
    std::size_t begin = reader.token().begin;
    BP_TRY(read_sizes(reader, sizes, product));
    if (sizes.size() != 2) {
      return reader.error_at(begin, "{} sizes of device groups, expected 2: groups and devices in each", sizes.size());
    }
    return read_iota(reader, product);
  }
  if (reader.is_word("mesh")) {
    AxisNames axes;
    BP_TRY(read_mesh(reader, axes));
    reader.accept(',');
    return read_axes(reader, axes);
  }
  return check_listed_groups(reader);
}

}  // namespace

Result<std::string> read_sharding(TokenReader &reader) {
  std::size_t begin = reader.token().begin;
  BP_TRY(check_sharding(reader));
  return reader.canonical_since(begin);
}

Result<std::string> read_device_groups(TokenReader &reader) {
  std::size_t begin = reader.token().begin;
  BP_TRY(check_device_groups(reader));
  return reader.canonical_since(begin);
}

}  // namespace bp::text
