// The image of a small program, to be damaged so that its types are wrong and nothing else is.
#pragma once

#include <cstring>
#include <string_view>

#include "core/base/sha256.h"
#include "core/host/image.h"
#include "core/text/parser.h"

namespace bp::host {

class TypedImage {
 public:
  TypedImage() {
    const auto module = text::parse_module(R"(HloModule typed
      add { p = f32[] parameter(0)  q = f32[] parameter(1)  c = f32[] convert(q)  ROOT sum = f32[] add(p, c) }
      ENTRY main { x = f32[4,2] parameter(0)  k = s32[] parameter(1)  j = s32[4,2] parameter(2)
        zero = f32[] constant(0)  n = f32[4,2] negate(x)  d = f32[4,2] multiply(n, x)
        s = f32[4] reduce(d, zero), dimensions={1}, to_apply=add
        ROOT r = (f32[4], s32[], s32[4,2]) tuple(s, k, j) })");
    const Image image = build_image(*module, Stage::Legalize).value();
    bytes_.assign(image.bytes().begin(), image.bytes().end());
  }

  const bp_module_t *module() const { return reinterpret_cast<const bp_module_t *>(bytes_.data()); }
  std::span<const std::byte> bytes() const { return bytes_; }

  bp_instr_t &at(std::string_view name) { return all<bp_instr_t>(module()->instrs)[index_of(name)]; }
  bp_shape_t &shape_of(std::string_view name) { return all<bp_shape_t>(module()->shapes)[value_of(name).shape]; }
  bp_value_t &value_of(std::string_view name) { return all<bp_value_t>(module()->values)[at(name).results]; }
  // The first attribute.
  bp_attr_t &attribute_of(std::string_view name) { return all<bp_attr_t>(module()->attrs)[at(name).attrs]; }

  // The hash of what the image is now.
  void rehash() {
    const Sha256 hash = sha256(std::span<const std::byte>(bytes_).subspan(offsetof(bp_module_t, size)));
    std::memcpy(bytes_.data() + offsetof(bp_module_t, hash), hash.data(), hash.size());
  }

 private:
  template <class T>
  std::span<T> all(bp_range_t range) {
    return {reinterpret_cast<T *>(bytes_.data() + range.offset), range.count};
  }
  std::uint32_t index_of(std::string_view name) const {
    for (const plugin::Instruction i : plugin::ModuleView(module()).instructions()) {
      if (i.name() == name) {
        return i.index();
      }
    }
    BP_CHECK(!"an instruction of the program");
    return 0;
  }

  Image::Storage bytes_;
};

}  // namespace bp::host
