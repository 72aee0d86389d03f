#include "core/host/image_pools.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace bp::host {

std::uint32_t ImagePools::add_string(std::string_view text) {
  auto [found, is_new] = string_offsets_.try_emplace(std::string(text), size_of(strings));
  if (is_new) {
    strings.insert(strings.end(), text.begin(), text.end());
    strings.push_back('\0');
  }
  return found->second;
}

Range ImagePools::add_numbers(std::span<const std::int64_t> added) {
  Range range{size_of(numbers), size_of(added)};
  numbers.insert(numbers.end(), added.begin(), added.end());
  return range;
}

std::uint32_t ImagePools::add_bytes(const void *data, std::size_t size) {
  std::uint32_t offset = size_of(bytes);
  auto *begin = static_cast<const std::byte *>(data);
  bytes.insert(bytes.end(), begin, begin + size);
  return offset;
}

std::uint32_t ImagePools::add_ids(std::span<const std::uint32_t> added) {
  std::uint32_t begin = size_of(ids);
  ids.insert(ids.end(), added.begin(), added.end());
  return begin;
}

Result<Image::Storage> ImagePools::lay_out(bp_module_t header, std::string_view name) {
  std::uint64_t end = sizeof header;
  struct Part {
    std::uint64_t offset;
    const void *data;
    std::size_t size;
  };
  std::vector<Part> parts;
  auto place = [&](bp_range_t &range, const auto &pool) {
    end = (end + 63) / 64 * 64;
    range = {static_cast<std::uint32_t>(end), size_of(pool)};
    parts.push_back({end, pool.data(), pool.size() * sizeof pool[0]});
    end += parts.back().size;
  };
  place(header.computations, computations);
  place(header.instrs, instructions);
  place(header.values, values);
  place(header.shapes, shapes);
  place(header.operands, ids);
  place(header.attrs, attributes);
  place(header.allocations, allocations);
  place(header.i64s, numbers);
  place(header.strings, strings);
  place(header.bytes, bytes);
  std::sort(control_edges.begin(), control_edges.end(), [](const bp_control_edge_t &a, const bp_control_edge_t &b) {
    return std::pair(a.before, a.after) < std::pair(b.before, b.after);
  });
  std::vector<bp_section_t> sections;
  if (!control_edges.empty()) {
    bp_range_t edges{};
    place(edges, control_edges);
    sections.push_back({BP_SECTION_CONTROL_EDGES, edges.offset, edges.count, sizeof(bp_control_edge_t)});
  }
  place(header.sections, sections);
  header.size = end;
  if (end > std::numeric_limits<std::uint32_t>::max()) {
    return make_error(ErrorCode::OutOfMemory, "module {} takes {} bytes as an image; at most 4 GiB are possible", name,
                      end);
  }

  Image::Storage storage(end);
  std::memcpy(storage.data(), &header, sizeof header);
  for (const Part &part : parts) {
    if (part.size != 0) {
      std::memcpy(storage.data() + part.offset, part.data, part.size);
    }
  }
  Sha256 hash = sha256(std::span<const std::byte>(storage).subspan(offsetof(bp_module_t, size)));
  std::memcpy(storage.data() + offsetof(bp_module_t, hash), hash.data(), hash.size());
  return storage;
}

}  // namespace bp::host
