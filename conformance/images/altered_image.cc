#include "conformance/images/altered_image.h"

#include <cstring>

#include "core/base/check.h"
#include "core/base/sha256.h"
#include "plugin_api/cpp/module_view.h"

namespace bp::conformance {
namespace {

template <class T>
void take(const bp_module_t *module, bp_range_t range, std::vector<T> &pool) {
  const auto elements = plugin::array<T>(module, range);
  pool.assign(elements.begin(), elements.end());
}

}  // namespace

AlteredImage::AlteredImage(const bp_module_t *module) : header_(*module) {
  take(module, module->computations, pools.computations);
  take(module, module->instrs, pools.instructions);
  take(module, module->values, pools.values);
  take(module, module->shapes, pools.shapes);
  take(module, module->operands, pools.ids);
  take(module, module->attrs, pools.attributes);
  take(module, module->allocations, pools.allocations);
  take(module, module->i64s, pools.numbers);
  take(module, module->strings, pools.strings);
  take(module, module->bytes, pools.bytes);
  for (const bp_section_t &section : plugin::array<bp_section_t>(module, module->sections)) {
    if (section.id == BP_SECTION_CONTROL_EDGES) {
      take(module, {section.offset, section.count}, pools.control_edges);
    }
  }
}

void AlteredImage::add_attribute(std::uint16_t key) {
  const std::uint32_t number = pools.add_numbers(std::vector<std::int64_t>{1}).begin;
  const std::vector<bp_attr_t> old = std::move(pools.attributes);
  pools.attributes.clear();
  const auto keep = [&](std::uint32_t &first, std::uint32_t count) {
    const auto own = old.begin() + first;
    first = host::size_of(pools.attributes);
    pools.attributes.insert(pools.attributes.end(), own, own + count);
  };
  for (bp_instr_t &instruction : pools.instructions) {
    keep(instruction.attrs, instruction.attr_count++);
    pools.attributes.push_back({key, BP_ATTR_I64, number, 1});
  }
  keep(header_.own_attrs, header_.own_attr_count);
}

const bp_module_t *AlteredImage::module() {
  auto storage = pools.lay_out(header_, "altered");
  BP_CHECK(storage.ok());  // it is about as large as the original module
  storage_ = std::move(storage).value();
  if (!unknown_sections_.empty()) {
    append_sections();
  }
  return reinterpret_cast<const bp_module_t *>(storage_.data());
}

// Appends the content of the unknown sections at the end, followed by a new table of all sections.
void AlteredImage::append_sections() {
  constexpr std::size_t alignment = 64;
  const auto append = [&](const void *data, std::size_t size) {
    const std::size_t at = (storage_.size() + alignment - 1) / alignment * alignment;
    storage_.resize(at + size);
    std::memcpy(storage_.data() + at, data, size);
    return static_cast<std::uint32_t>(at);
  };
  std::vector<bp_section_t> sections;
  const auto *before = reinterpret_cast<const bp_module_t *>(storage_.data());
  take(before, before->sections, sections);
  const std::uint64_t content[] = {7, 7, 7};
  for (const std::uint32_t id : unknown_sections_) {
    sections.push_back({id, append(content, sizeof content), 3, sizeof content[0]});
  }
  const std::uint32_t at = append(sections.data(), sections.size() * sizeof(bp_section_t));
  auto *header = reinterpret_cast<bp_module_t *>(storage_.data());
  header->sections = {at, host::size_of(sections)};
  header->size = storage_.size();
  const Sha256 hash = sha256(std::span<const std::byte>(storage_).subspan(offsetof(bp_module_t, size)));
  std::memcpy(header->hash, hash.data(), hash.size());
}

}  // namespace bp::conformance
