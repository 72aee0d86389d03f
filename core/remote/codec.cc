#include "core/remote/codec.h"

#include "core/host/image.h"
#include "plugin_api/cpp/module_view.h"

namespace bp::remote {

using DescriptionMembers = StructCodec<&bp_device_desc_t::bp_version, &bp_device_desc_t::opset, &bp_device_desc_t::id,
                                       &bp_device_desc_t::name, &bp_device_desc_t::vendor, &bp_device_desc_t::version,
                                       &bp_device_desc_t::url, &bp_device_desc_t::features>;

void Codec<const char *const *>::write(Writer &writer, const char *const *list) {
  writer.number(static_cast<std::uint8_t>(list != nullptr));
  std::size_t count = 0;
  while (list != nullptr && list[count] != nullptr) {
    ++count;
  }
  write_array(writer, list, count);
}

const char *const *Codec<const char *const *>::read(Reader &reader, Arena &arena) {
  const bool is_given = reader.number<std::uint8_t>() != 0;
  std::vector<const char *> &list = read_array<const char *>(reader, arena);
  std::erase(list, nullptr);
  list.push_back(nullptr);
  return is_given ? list.data() : nullptr;
}

void Codec<const bp_module_t *>::write(Writer &writer, const bp_module_t *module) {
  if (module == nullptr) {
    writer.content({});
    return;
  }
  Sha256 hash;
  std::memcpy(hash.data(), module->hash, hash.size());
  writer.content({reinterpret_cast<const std::byte *>(module), module->size}, &hash);
}

const bp_module_t *Codec<const bp_module_t *>::read(Reader &reader, Arena &arena) {
  Bytes bytes = reader.content();
  if (!reader.ok() || bytes.empty()) {
    return nullptr;
  }
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % 64 != 0) {
    bytes = arena.make(Block(bytes.begin(), bytes.end()));
  }
  const bool is_checked = reader.source() != nullptr && reader.source()->is_checked(bytes);
  if (const Status valid = is_checked ? Status() : host::validate_image(bytes); !valid.ok()) {
    reader.fail(valid.error().message());
    return nullptr;
  }
  return reinterpret_cast<const bp_module_t *>(bytes.data());
}

std::string Codec<const bp_module_t *>::text(const bp_module_t *module) {
  return module == nullptr ? "none"
                           : fmt::format("{}, stage {}, {} instructions", plugin::ModuleView(module).name(),
                                         module->stage, module->instrs.count);
}

void Codec<const bp_device_desc_t *>::write(Writer &writer, const bp_device_desc_t *description) {
  writer.number(static_cast<std::uint8_t>(description != nullptr));
  if (description != nullptr) {
    DescriptionMembers::write(writer, *description);
    write_array(writer, description->options, description->option_count);
  }
}

const bp_device_desc_t *Codec<const bp_device_desc_t *>::read(Reader &reader, Arena &arena) {
  if (reader.number<std::uint8_t>() == 0) {
    return nullptr;
  }
  auto &description = arena.make<bp_device_desc_t>();
  DescriptionMembers::read_members(reader, arena, description);
  const std::vector<bp_option_desc_t> &options = read_array<bp_option_desc_t>(reader, arena);
  description.options = options.data();
  description.option_count = options.size();
  return &description;
}

std::string name_of(const bp_module_t *module, std::uint32_t instruction) {
  return module == nullptr || instruction >= module->instrs.count
             ? fmt::format("instruction {}", instruction)
             : std::string(plugin::ModuleView(module).instruction(instruction).name());
}

}  // namespace bp::remote
