// The arrays of an image under construction, and the block that they are assembled into.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/base/sha256.h"
#include "core/host/image.h"

namespace bp::host {

struct Range {
  std::uint32_t begin = 0, count = 0;
};

template <class T>
std::uint32_t size_of(const T &pool) {
  return static_cast<std::uint32_t>(pool.size());
}

// One array for each array of bp_module. Elements keep their index once added.
struct ImagePools {
  std::vector<bp_computation_t> computations;
  std::vector<bp_instr_t> instructions;
  std::vector<bp_value_t> values;
  std::vector<bp_shape_t> shapes;
  std::vector<std::uint32_t> ids;
  std::vector<bp_attr_t> attributes;
  std::vector<bp_allocation_t> allocations;
  std::vector<std::int64_t> numbers;
  std::vector<char> strings;
  std::vector<std::byte> bytes;
  std::vector<bp_control_edge_t> control_edges;

  // Equal strings are stored once.
  std::uint32_t add_string(std::string_view text);
  Range add_numbers(std::span<const std::int64_t> added);
  std::uint32_t add_bytes(const void *data, std::size_t size);
  std::uint32_t add_ids(std::span<const std::uint32_t> added);

  // Assembles the block: the header, whose ranges, size and hash are filled in here, followed by the arrays. Fails with
  // OutOfMemory above 4 GiB; `name` is the module's name.
  Result<Image::Storage> lay_out(bp_module_t header, std::string_view name);

 private:
  std::unordered_map<std::string, std::uint32_t> string_offsets_;
};

}  // namespace bp::host
