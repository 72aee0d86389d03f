#include "core/ir/device_groups.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>

namespace bp::ir {
namespace {

// A larger number would be a mistake, and could exhaust memory.
constexpr std::int64_t max_devices = 1 << 20;

// A cursor over text; blanks are skipped.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  bool accept(std::string_view token) {
    while (rest_.starts_with(' ')) {
      rest_.remove_prefix(1);
    }
    if (!rest_.starts_with(token)) {
      return false;
    }
    rest_.remove_prefix(token.size());
    return true;
  }
  // Reads the numbers between `open` and `close`. Returns false if the text has another form.
  bool read_numbers(std::string_view open, std::string_view close, std::vector<std::int64_t> &numbers) {
    if (!accept(open)) {
      return false;
    }
    while (!accept(close)) {
      if (std::int64_t number = 0; read_number(number)) {
        numbers.push_back(number);
      } else {
        return false;
      }
      accept(",");
    }
    return true;
  }
  // Reads a name in quotes. Returns false if there is none.
  bool read_name(std::string_view &name) {
    const std::string_view quote = accept("'") ? "'" : "\"";
    if (quote == "\"" && !accept(quote)) {
      return false;
    }
    const std::size_t size = rest_.find(quote);
    name = rest_.substr(0, size);
    rest_.remove_prefix(std::min(rest_.size(), size + 1));
    return size != std::string_view::npos;
  }
  bool read_number(std::int64_t &number) {
    accept("");  // skips blanks
    const auto [end, problem] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return problem == std::errc() && number >= 0 && number <= max_devices;
  }
  bool is_ahead(char character) {
    accept("");  // skips blanks
    return rest_.starts_with(character);
  }
  bool at_end() {
    accept("");
    return rest_.empty();
  }

 private:
  std::string_view rest_;
};

// Returns the product, or -1 if it is more than max_devices.
std::int64_t product(const std::vector<std::int64_t> &sizes) {
  std::int64_t result = 1;
  for (std::int64_t size : sizes) {
    if (size < 1 || result > max_devices / size) {
      return -1;
    }
    result *= size;
  }
  return result;
}

// Returns the numbers 0, 1, 2, ..., arranged as an array of `sizes` and transposed, in row-major order.
std::vector<std::int64_t> transposed_iota(const std::vector<std::int64_t> &sizes,
                                          const std::vector<std::int64_t> &permutation) {
  const std::size_t rank = sizes.size();
  std::vector<std::int64_t> strides(rank, 1), index(rank, 0), numbers;
  for (std::size_t d = rank; d-- > 1;) {
    strides[d - 1] = strides[d] * sizes[d];
  }
  for (std::int64_t left = product(sizes); left > 0; --left) {
    std::int64_t number = 0;
    for (std::size_t d = 0; d < rank; ++d) {
      number += index[d] * strides[static_cast<std::size_t>(permutation[d])];
    }
    numbers.push_back(number);
    for (std::size_t d = rank; d-- > 0 && ++index[d] == sizes[static_cast<std::size_t>(permutation[d])];) {
      index[d] = 0;
    }
  }
  return numbers;
}

// Splits the numbers into groups of `size` and appends these.
void append_groups(const std::vector<std::int64_t> &numbers, std::int64_t size, DeviceGroups &groups) {
  for (auto at = numbers.begin(); at != numbers.end(); at += size) {
    groups.emplace_back(at, at + size);
  }
}

// Reads [2,4]T(1,0), which gives the numbers 0 to 7.
bool read_transposed_iota(Cursor &cursor, std::vector<std::int64_t> &numbers) {
  std::vector<std::int64_t> sizes, permutation;
  if (!cursor.read_numbers("[", "]", sizes)) {
    return false;
  }
  if (cursor.accept("T")) {
    if (!cursor.read_numbers("(", ")", permutation)) {
      return false;
    }
  } else {
    permutation.resize(sizes.size());
    std::iota(permutation.begin(), permutation.end(), 0);
  }
  std::vector<std::int64_t> sorted = permutation;
  std::ranges::sort(sorted);
  for (std::size_t d = 0; d < sorted.size(); ++d) {
    if (sorted[d] != static_cast<std::int64_t>(d)) {
      return false;
    }
  }
  if (permutation.size() != sizes.size() || product(sizes) < 1) {
    return false;
  }
  numbers = transposed_iota(sizes, permutation);
  return true;
}

bool read_iota(Cursor &cursor, DeviceGroups &groups) {
  std::vector<std::int64_t> shape, numbers;
  if (!cursor.read_numbers("[", "]", shape) || !cursor.accept("<=") || !read_transposed_iota(cursor, numbers) ||
      shape.size() != 2 || product(shape) != std::ssize(numbers)) {
    return false;
  }
  append_groups(numbers, shape[1], groups);
  return true;
}

// An axis of a mesh. `cuts` holds the factors at which parts of the axis begin and end: 1, ..., size. The pieces
// between them are treated as separate dimensions of the mesh.
struct Axis {
  std::string_view name;
  std::int64_t size = 0;
  std::vector<std::int64_t> cuts;
  std::size_t first_piece = 0;
};

// A part of an axis, whose size is the product (before) x size x (rest): the middle factor; or the whole axis.
struct AxisPart {
  std::size_t axis = 0;
  std::int64_t before = 1, size = 1;
};

// Reads device_ids=([2,2]T(1,0)) or device_ids=(0,2,1,3).
bool read_device_ids(Cursor &cursor, std::vector<std::int64_t> &ids) {
  if (!cursor.accept("device_ids") || !cursor.accept("=") || !cursor.accept("(")) {
    return false;
  }
  return cursor.is_ahead('[') ? read_transposed_iota(cursor, ids) && cursor.accept(")")
                              : cursor.read_numbers("", ")", ids);
}

// Reads mesh['a'=2,'b'=4] with device ids inside of or after the brackets. Without device ids, devices are numbered 0,
// 1, 2, ...
bool read_mesh(Cursor &cursor, std::vector<Axis> &axes, std::vector<std::int64_t> &ids) {
  if (!cursor.accept("mesh") || !cursor.accept("[")) {
    return false;
  }
  while (!cursor.accept("]")) {
    Axis axis;
    if (cursor.is_ahead('d') ? !read_device_ids(cursor, ids)
                             : !cursor.read_name(axis.name) || !cursor.accept("=") || !cursor.read_number(axis.size)) {
      return false;
    }
    if (axis.size > 0) {
      axis.cuts = {1, axis.size};
      axes.push_back(axis);
    }
    cursor.accept(",");
  }
  cursor.accept(",");
  return !cursor.is_ahead('d') || read_device_ids(cursor, ids);
}

// Reads {'a','b':(2)2}.
bool read_axis_parts(Cursor &cursor, std::vector<Axis> &axes, std::vector<AxisPart> &parts) {
  cursor.accept(",");
  if (!cursor.accept("{")) {
    return false;
  }
  while (!cursor.accept("}")) {
    std::string_view name;
    if (!cursor.read_name(name)) {
      return false;
    }
    const auto found = std::ranges::find(axes, name, &Axis::name);
    if (found == axes.end()) {
      return false;
    }
    AxisPart part{static_cast<std::size_t>(found - axes.begin()), 1, found->size};
    if (cursor.accept(":") && !(cursor.accept("(") && cursor.read_number(part.before) && cursor.accept(")") &&
                                cursor.read_number(part.size))) {
      return false;
    }
    found->cuts.push_back(part.before);
    found->cuts.push_back(part.before * part.size);
    parts.push_back(part);
    cursor.accept(",");
  }
  return true;
}

// Returns the sizes of all pieces of all axes.
bool cut(std::vector<Axis> &axes, std::vector<std::int64_t> &sizes) {
  for (Axis &axis : axes) {
    axis.first_piece = sizes.size();
    std::ranges::sort(axis.cuts);
    axis.cuts.erase(std::ranges::unique(axis.cuts).begin(), axis.cuts.end());
    for (std::size_t i = 0; i + 1 < axis.cuts.size(); ++i) {
      if (axis.cuts[i] < 1 || axis.cuts[i + 1] > axis.size || axis.cuts[i + 1] % axis.cuts[i] != 0) {
        return false;
      }
      sizes.push_back(axis.cuts[i + 1] / axis.cuts[i]);
    }
  }
  return product(sizes) > 0;
}

// Returns the indices of the pieces that the parts consist of.
std::vector<std::int64_t> pieces_of(const std::vector<AxisPart> &parts, const std::vector<Axis> &axes) {
  std::vector<std::int64_t> pieces;
  for (const AxisPart &part : parts) {
    const Axis &axis = axes[part.axis];
    for (std::size_t i = 0; i + 1 < axis.cuts.size(); ++i) {
      if (axis.cuts[i] >= part.before && axis.cuts[i] < part.before * part.size) {
        pieces.push_back(static_cast<std::int64_t>(axis.first_piece + i));
      }
    }
  }
  return pieces;
}

// Transposes the mesh so that the dimensions of the parts come last, in the order of the parts: the groups are then
// consecutive.
bool read_mesh_groups(Cursor &cursor, DeviceGroups &groups) {
  std::vector<Axis> axes;
  std::vector<AxisPart> parts;
  std::vector<std::int64_t> ids, sizes, order;
  if (!read_mesh(cursor, axes, ids) || !read_axis_parts(cursor, axes, parts) || !cut(axes, sizes)) {
    return false;
  }
  const std::vector<std::int64_t> grouped = pieces_of(parts, axes);
  std::int64_t group_size = 1;
  for (std::int64_t piece = 0; piece < std::ssize(sizes); ++piece) {
    if (std::ranges::find(grouped, piece) == grouped.end()) {
      order.push_back(piece);
    } else {
      group_size *= sizes[static_cast<std::size_t>(piece)];
    }
  }
  order.insert(order.end(), grouped.begin(), grouped.end());
  if (order.size() != sizes.size()) {  // two parts overlap
    return false;
  }
  std::vector<std::int64_t> numbers = transposed_iota(sizes, order);
  if (!ids.empty()) {
    if (ids.size() != numbers.size()) {
      return false;
    }
    std::ranges::transform(numbers, numbers.begin(), [&](std::int64_t n) { return ids[static_cast<std::size_t>(n)]; });
  }
  append_groups(numbers, group_size, groups);
  return true;
}

bool read_lists(Cursor &cursor, DeviceGroups &groups) {
  if (!cursor.accept("{")) {
    return false;
  }
  while (!cursor.accept("}")) {
    if (!cursor.read_numbers("{", "}", groups.emplace_back())) {
      return false;
    }
    cursor.accept(",");
  }
  return true;
}

}  // namespace

GroupMode group_mode(const Instruction &collective) {
  const bool has_channel = collective.number(AttributeKey::ChannelId) > 0;
  const bool global = collective.number(AttributeKey::UseGlobalDeviceIds) != 0;
  switch (collective.opcode()) {
    case Opcode::AllToAll:
    case Opcode::RaggedAllToAll:
    case Opcode::CollectiveBroadcast:
    case Opcode::CollectivePermute:
    case Opcode::CollectivePermuteStart: return has_channel ? GroupMode::CrossPartition : GroupMode::CrossReplica;
    default: break;
  }
  return !has_channel ? GroupMode::CrossReplica : global ? GroupMode::Flattened : GroupMode::CrossReplicaAndPartition;
}

std::string_view what_numbers_are(GroupMode mode) {
  switch (mode) {
    case GroupMode::CrossPartition: return "partition";
    case GroupMode::Flattened: return "device";
    default: return "replica";
  }
}

std::int64_t number_limit(GroupMode mode, std::int64_t replicas, std::int64_t partitions) {
  std::int64_t devices = 0;
  switch (mode) {
    case GroupMode::CrossPartition: return partitions;
    case GroupMode::Flattened:
      return __builtin_mul_overflow(replicas, partitions, &devices) ? std::numeric_limits<std::int64_t>::max()
                                                                    : devices;
    default: return replicas;
  }
}

Result<DeviceGroups> decode_device_groups(std::string_view text) {
  Cursor cursor(text);
  DeviceGroups groups;
  if (cursor.at_end()) {
    return groups;
  }
  const bool understood = cursor.is_ahead('m')   ? read_mesh_groups(cursor, groups)
                          : cursor.is_ahead('[') ? read_iota(cursor, groups)
                                                 : read_lists(cursor, groups);
  if (!understood || !cursor.at_end()) {
    return invalid_input(
        "replica_groups is {}, expected lists such as {{{{0,1}},{{2,3}}}}, [2,2]<=[4] or mesh['a'=2,'b'=2] {{'b'}}, of "
        "numbers up to {}",
        text, max_devices);
  }
  return groups;
}

}  // namespace bp::ir
