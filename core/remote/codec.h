// Codecs: how a value of a type of the ABI is written as bytes and made from them. One codec serves the client, which
// writes requests and reads replies, the server, which does the reverse, and listings of recorded calls.
//
// Codec<T> has
//   write(writer, value)
//   read(reader, arena)   returns the value; what it points to is in the arena
//   text(value)           the value for people; for types that are listed
#pragma once

#include <boost/align/aligned_allocator.hpp>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "core/host/diagnostics.h"
#include "core/layers/interposer.h"
#include "core/remote/wire.h"

namespace bp::remote {

// Memory of this process with the alignment of modules and buffers.
using Block = std::vector<std::byte, boost::alignment::aligned_allocator<std::byte, 64>>;

// Owns what values that were read point to.
class Arena {
 public:
  template <class T>
  T &make(T value = {}) {
    auto made = std::make_shared<T>(std::move(value));
    kept_.push_back(made);
    return *made;
  }
  const char *text(std::string_view text) { return make(std::string(text)).c_str(); }
  // Keeps an object that cannot be moved.
  template <class T>
  T &keep(std::shared_ptr<T> object) {
    kept_.push_back(object);
    return *object;
  }

 private:
  std::vector<std::shared_ptr<const void>> kept_;
};

// Numbers, and structs of them.
template <class T>
struct Codec {
  static_assert(std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);
  static void write(Writer &writer, const T &value) { writer.number(value); }
  static T read(Reader &reader, Arena &) { return reader.number<T>(); }
  static std::string text(const T &value) {
    if constexpr (std::is_same_v<T, bp_status>) {
      return host::status_name(value);
    } else if constexpr (std::is_same_v<T, bp_point_t>) {
      return fmt::format("{} of timeline {}", value.value, value.timeline);
    } else {
      return value == static_cast<T>(BP_NONE) ? "none" : fmt::format("{}", value);
    }
  }
};

// Structs, by their members.
template <auto... members>
struct StructCodec {
  template <class T>
  static void write(Writer &writer, const T &value) {
    (Codec<std::remove_cvref_t<decltype(value.*members)>>::write(writer, value.*members), ...);
  }
  template <class T>
  static void read_members(Reader &reader, Arena &arena, T &value) {
    ((value.*members = Codec<std::remove_cvref_t<decltype(value.*members)>>::read(reader, arena)), ...);
  }
};
// Defines the codec of a struct with these members.
#define BP_STRUCT_CODEC(type, ...)                   \
  template <>                                        \
  struct Codec<type> : StructCodec<__VA_ARGS__> {    \
    static type read(Reader &reader, Arena &arena) { \
      type value{};                                  \
      read_members(reader, arena, value);            \
      return value;                                  \
    }                                                \
  }

// Texts, which may be nullptr.
template <>
struct Codec<const char *> {
  static void write(Writer &writer, const char *text) { writer.text(text); }
  static const char *read(Reader &reader, Arena &arena) {
    const std::optional<std::string> read = reader.optional_text();
    return read.has_value() ? arena.text(*read) : nullptr;
  }
  static std::string text(const char *text) { return text == nullptr ? "none" : host::printable(text); }
};

// Null-terminated lists of texts, which may be nullptr.
template <>
struct Codec<const char *const *> {
  static void write(Writer &writer, const char *const *list);
  static const char *const *read(Reader &reader, Arena &arena);
};

// An object that a call makes or finds: only whether there is one.
template <>
struct Codec<const void *> {
  static void write(Writer &writer, const void *found) { writer.number(static_cast<std::uint8_t>(found != nullptr)); }
  static const void *read(Reader &reader, Arena &) { return reader.number<std::uint8_t>() != 0 ? "" : nullptr; }
  static std::string text(const void *found) { return found == nullptr ? "none" : "there"; }
};
template <>
struct Codec<bp_kernel> {
  static void write(Writer &writer, bp_kernel kernel) { writer.number(static_cast<std::uint8_t>(kernel != nullptr)); }
  static bp_kernel read(Reader &reader, Arena &) {
    return reader.number<std::uint8_t>() != 0 ? layers::Interposer::kernel() : nullptr;
  }
  static std::string text(bp_kernel kernel) { return kernel == nullptr ? "none" : "there"; }
};

// Arrays, by their length and elements.
template <class T>
void write_array(Writer &writer, const T *elements, std::size_t count) {
  count = elements == nullptr ? 0 : count;
  writer.number(std::uint64_t{count});
  for (const T &element : std::span(elements, count)) {
    Codec<T>::write(writer, element);
  }
}
template <class T>
std::vector<T> &read_array(Reader &reader, Arena &arena) {
  auto &array = arena.make<std::vector<T>>();
  for (std::size_t i = reader.count(); i > 0 && reader.ok(); --i) {
    array.push_back(Codec<T>::read(reader, arena));
  }
  return array;
}

// Images of modules, which are checked when they are read; nullptr if there is none, or it is not valid.
template <>
struct Codec<const bp_module_t *> {
  static void write(Writer &writer, const bp_module_t *module);
  static const bp_module_t *read(Reader &reader, Arena &arena);
  static std::string text(const bp_module_t *module);  // such as "softmax, stage 4, 12 instructions"
};

BP_STRUCT_CODEC(bp_option_t, &bp_option_t::key, &bp_option_t::value);
BP_STRUCT_CODEC(bp_space_t, &bp_space_t::name, &bp_space_t::capacity, &bp_space_t::alignment, &bp_space_t::flags,
                &bp_space_t::hlo_space, &bp_space_t::gb_per_s);
BP_STRUCT_CODEC(bp_external_support_t, &bp_external_support_t::imports, &bp_external_support_t::exports,
                &bp_external_support_t::host_alignment, &bp_external_support_t::file_alignment);
BP_STRUCT_CODEC(bp_fact_t, &bp_fact_t::name, &bp_fact_t::unit, &bp_fact_t::text, &bp_fact_t::integer, &bp_fact_t::real,
                &bp_fact_t::type, &bp_fact_t::space);
BP_STRUCT_CODEC(bp_instance_t, &bp_instance_t::identity, &bp_instance_t::address, &bp_instance_t::name);
BP_STRUCT_CODEC(bp_routine_t, &bp_routine_t::target, &bp_routine_t::kernel);
BP_STRUCT_CODEC(bp_counter_desc_t, &bp_counter_desc_t::name, &bp_counter_desc_t::help, &bp_counter_desc_t::unit);
BP_STRUCT_CODEC(bp_option_desc_t, &bp_option_desc_t::key, &bp_option_desc_t::initial, &bp_option_desc_t::help,
                &bp_option_desc_t::choices, &bp_option_desc_t::type);
// The sizes of a program, which load() tells.
BP_STRUCT_CODEC(bp_program_t, &bp_program_t::scratch_size, &bp_program_t::resident_size,
                &bp_program_t::scratch_alignment, &bp_program_t::scratch_space);

template <>
struct Codec<bp_aot_code_t> : StructCodec<&bp_aot_code_t::shared_scratch_size, &bp_aot_code_t::thread_scratch_size,
                                          &bp_aot_code_t::object_count> {
  static bp_aot_code_t read(Reader &reader, Arena &arena) {
    bp_aot_code_t code{};
    read_members(reader, arena, code);
    return code;
  }
  static std::string text(const bp_aot_code_t &code) {
    return fmt::format("{} objects, {} + {} bytes of scratch memory", code.object_count, code.shared_scratch_size,
                       code.thread_scratch_size);
  }
};

// Descriptions of devices, which may be nullptr.
template <>
struct Codec<const bp_device_desc_t *> {
  static void write(Writer &writer, const bp_device_desc_t *description);
  static const bp_device_desc_t *read(Reader &reader, Arena &arena);
};

// Returns the name of an instruction, such as "add.3".
std::string name_of(const bp_module_t *module, std::uint32_t instruction);

}  // namespace bp::remote
