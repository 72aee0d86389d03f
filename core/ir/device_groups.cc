#include "core/ir/device_groups.h"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace bp::ir {
namespace {

// More would be a mistake, and a way to use up memory.
constexpr std::int64_t max_devices = 1 << 20;

// A cursor over text without blanks in it.
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
  // Numbers from `open` to `close`; false if they are not there.
  bool read_numbers(std::string_view open, std::string_view close, std::vector<std::int64_t> &numbers) {
    if (!accept(open)) {
      return false;
    }
    while (!accept(close)) {
      std::int64_t number = 0;
      accept("");  // blanks
      const auto [end, problem] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
      if (problem != std::errc() || number < 0 || number > max_devices) {
        return false;
      }
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      numbers.push_back(number);
      accept(",");
    }
    return true;
  }
  bool at_end() {
    accept("");
    return rest_.empty();
  }

 private:
  std::string_view rest_;
};

// The product, or -1 if it is more than max_devices.
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

// 0, 1, 2 ... as an array of `sizes`, transposed, in row-major order.
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

bool read_iota(Cursor &cursor, DeviceGroups &groups) {
  std::vector<std::int64_t> shape, sizes, permutation;
  if (!cursor.read_numbers("[", "]", shape) || !cursor.accept("<=") || !cursor.read_numbers("[", "]", sizes)) {
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
  const std::int64_t count = product(sizes);
  if (shape.size() != 2 || permutation.size() != sizes.size() || count < 1 || product(shape) != count) {
    return false;
  }
  const std::vector<std::int64_t> numbers = transposed_iota(sizes, permutation);
  for (auto at = numbers.begin(); at != numbers.end(); at += shape[1]) {
    groups.emplace_back(at, at + shape[1]);
  }
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

Result<DeviceGroups> decode_device_groups(std::string_view text) {
  Cursor cursor(text);
  DeviceGroups groups;
  if (cursor.at_end()) {
    return groups;
  }
  if (text.find("mesh") != std::string_view::npos) {
    return unsupported("replica_groups along the axes of a mesh: {}", text);
  }
  const bool understood =
      text.find("<=") != std::string_view::npos ? read_iota(cursor, groups) : read_lists(cursor, groups);
  if (!understood || !cursor.at_end()) {
    return invalid_input("replica_groups is {}, expected lists such as {{{{0,1}},{{2,3}}}} or [2,2]<=[4]", text);
  }
  return groups;
}

}  // namespace bp::ir
