// Relocatable ELF files of 64 bits, little-endian, as values: read, joined, changed, written. What `ld -r` and
// `objcopy --keep-global-symbol` do, for the machine of any target.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace bp::aot {

inline constexpr std::uint32_t none = 0xffffffff;  // in place of an index

struct Relocation {
  std::uint64_t offset;  // bytes in the section that it changes
  std::uint32_t symbol;  // index in ObjectFile::symbols, or none
  std::uint32_t type;    // of the machine
  std::int64_t addend;
};

struct Section {
  std::string name;
  std::uint32_t type = 0;   // SHT_
  std::uint64_t flags = 0;  // SHF_
  std::uint64_t alignment = 1;
  std::uint64_t size = 0;  // bytes; those of SHT_NOBITS are not in the file
  std::string bytes = {};  // empty for SHT_NOBITS
  std::vector<Relocation> relocations = {};
  std::uint32_t link_order = none;  // the section that one with SHF_LINK_ORDER belongs to
};

struct Symbol {
  std::string name;
  std::uint8_t binding = 0, type = 0, visibility = 0;  // STB_, STT_, STV_
  std::uint32_t section = none;                        // none: `special` says where
  std::uint16_t special = 0;                           // SHN_UNDEF or SHN_ABS
  std::uint64_t value = 0, size = 0;

  bool is_undefined() const { return section == none && special == 0; }
};

struct ObjectFile {
  std::uint16_t machine = 0;  // EM_
  std::uint32_t flags = 0;    // of the machine
  std::vector<Section> sections;
  std::vector<Symbol> symbols;
};

// Trusts nothing: InvalidInput, with `name` in the message, if the bytes are no such file or anything in them is out of
// range. Unsupported for what compilers of programs do not write: groups of sections, common symbols, relocations
// without addends. Sections that only linkers and debuggers of one object use are left out.
Result<ObjectFile> read_object(std::string_view bytes, std::string_view name);

// Adds everything of another object, and joins symbols of one name: what one leaves undefined, the other may define.
// Sections of one name and kind become one. InvalidInput if the machines differ or both define a symbol. `name` is that
// of `added`.
Status append(ObjectFile &object, ObjectFile added, std::string_view name);

// Makes all symbols local that are defined and not named.
void make_local(ObjectFile &object, const std::set<std::string> &except);

// Names of the symbols that the object needs from elsewhere, sorted.
std::vector<std::string> undefined_symbols(const ObjectFile &object);

std::string write_object(const ObjectFile &object);

}  // namespace bp::aot
