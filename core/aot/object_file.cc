#include "core/aot/object_file.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

namespace bp::aot {
namespace {

constexpr std::uint64_t max_alignment = 1 << 20;

std::uint64_t align_up(std::uint64_t offset, std::uint64_t alignment) {
  return (offset + alignment - 1) & -alignment;
}

class ObjectReader {
 public:
  ObjectReader(std::string_view bytes, std::string_view name) : bytes_(bytes), name_(name) {}

  Result<ObjectFile> read() {
    BP_TRY(read_header());
    for (std::uint32_t i = 1; i < headers_.size(); ++i) {
      BP_TRY(read_section(i));
    }
    BP_TRY(read_symbols());
    for (std::uint32_t i = 1; i < headers_.size(); ++i) {
      BP_TRY(read_links(i));
    }
    return std::move(object_);
  }

 private:
  template <class... Args>
  Error invalid(fmt::format_string<Args...> format, Args &&...args) const {
    return invalid_input("object {}: {}", name_, fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args>
  Error refused(fmt::format_string<Args...> format, Args &&...args) const {
    return unsupported("object {}: {}", name_, fmt::format(format, std::forward<Args>(args)...));
  }

  Result<std::string_view> part(std::string_view what, std::uint64_t offset, std::uint64_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) {
      return invalid("{} has {} bytes at offset {}, but the file has {} bytes", what, size, offset, bytes_.size());
    }
    return bytes_.substr(offset, size);
  }

  // Copies the structs, because those in a file need not be aligned.
  template <class T>
  Result<std::vector<T>> table(std::string_view what, std::uint64_t offset, std::uint64_t size) const {
    BP_ASSIGN(const std::string_view raw, part(what, offset, size));
    if (size % sizeof(T) != 0) {
      return invalid("{} has {} bytes, expected a multiple of {}", what, size, sizeof(T));
    }
    std::vector<T> entries(size / sizeof(T));
    if (size != 0) {
      std::memcpy(entries.data(), raw.data(), size);
    }
    return entries;
  }

  Result<std::string> string_at(const Elf64_Shdr &strings, std::uint64_t offset) const {
    BP_ASSIGN(const std::string_view all, part("a table of strings", strings.sh_offset, strings.sh_size));
    const std::size_t end = offset < all.size() ? all.find('\0', offset) : std::string_view::npos;
    if (end == std::string_view::npos) {
      return invalid("a name at offset {} does not end inside its table of {} bytes", offset, all.size());
    }
    return std::string(all.substr(offset, end - offset));
  }

  Status read_header() {
    BP_ASSIGN(const std::vector<Elf64_Ehdr> read, table<Elf64_Ehdr>("the header", 0, sizeof(Elf64_Ehdr)));
    const Elf64_Ehdr &header = read[0];
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_REL) {
      return invalid("expected a relocatable ELF file of 64 bits, little-endian");
    }
    object_.machine = header.e_machine;
    object_.flags = header.e_flags;
    BP_ASSIGN(headers_, table<Elf64_Shdr>("the table of sections", header.e_shoff,
                                          std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr)));
    if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= headers_.size()) {
      return invalid("has {} sections of {} bytes with names in section {}, expected at least one of {} bytes",
                     header.e_shnum, header.e_shentsize, header.e_shstrndx, sizeof(Elf64_Shdr));
    }
    names_ = header.e_shstrndx;
    sections_.assign(headers_.size(), none);
    return {};
  }

  // Whether a section is part of the program. Others are read where they are needed, or serve only linkers and
  // debuggers of this one file.
  static bool is_content(const Elf64_Shdr &header) {
    return (header.sh_flags & SHF_ALLOC) != 0 && header.sh_type != SHT_RELA;
  }

  Status read_section(std::uint32_t index) {
    const Elf64_Shdr &header = headers_[index];
    if (header.sh_type == SHT_GROUP || header.sh_type == SHT_REL || header.sh_type == SHT_SYMTAB_SHNDX) {
      return refused("section {} has type {}, which is not supported", index, header.sh_type);
    }
    if (!is_content(header)) {
      return {};
    }
    Section section;
    BP_ASSIGN(section.name, string_at(headers_[names_], header.sh_name));
    section.type = header.sh_type;
    // A linker would merge equal entries of such a section, and could not follow a relocation to a section's start and
    // an offset, once that start is a symbol in the midst of another section.
    section.flags = header.sh_flags & ~std::uint64_t{SHF_MERGE | SHF_STRINGS | SHF_GROUP};
    section.alignment = std::max<std::uint64_t>(header.sh_addralign, 1);
    section.size = header.sh_size;
    if ((section.alignment & (section.alignment - 1)) != 0 || section.alignment > max_alignment) {
      return invalid("section {} has alignment {}, expected a power of two of at most {}", section.name,
                     section.alignment, max_alignment);
    }
    if (section.type == SHT_NOBITS) {
      if (section.size > std::uint64_t{1} << 40) {
        return invalid("section {} has {} bytes", section.name, section.size);
      }
    } else {
      BP_ASSIGN(const std::string_view content, part("section " + section.name, header.sh_offset, header.sh_size));
      section.bytes = content;
    }
    sections_[index] = static_cast<std::uint32_t>(object_.sections.size());
    object_.sections.push_back(std::move(section));
    return {};
  }

  Status read_symbols() {
    const auto found = std::ranges::find(headers_, std::uint32_t{SHT_SYMTAB}, &Elf64_Shdr::sh_type);
    if (found == headers_.end()) {
      return {};
    }
    symbol_table_ = static_cast<std::uint32_t>(found - headers_.begin());
    if (found->sh_link >= headers_.size()) {
      return invalid("the names of its symbols are in section {} of {}", found->sh_link, headers_.size());
    }
    BP_ASSIGN(const std::vector<Elf64_Sym> entries,
              table<Elf64_Sym>("the table of symbols", found->sh_offset, found->sh_size));
    symbols_.assign(entries.size(), none);
    for (std::size_t i = 1; i < entries.size(); ++i) {
      const Elf64_Sym &entry = entries[i];
      Symbol symbol;
      BP_ASSIGN(symbol.name, string_at(headers_[found->sh_link], entry.st_name));
      symbol.binding = ELF64_ST_BIND(entry.st_info);
      symbol.type = ELF64_ST_TYPE(entry.st_info);
      symbol.visibility = ELF64_ST_VISIBILITY(entry.st_other);
      symbol.value = entry.st_value;
      symbol.size = entry.st_size;
      if (entry.st_shndx == SHN_UNDEF || entry.st_shndx == SHN_ABS) {
        symbol.special = entry.st_shndx;
      } else if (entry.st_shndx >= headers_.size()) {
        return refused("symbol {} is in section {}, expected one of {}", symbol.name, entry.st_shndx, headers_.size());
      } else if (sections_[entry.st_shndx] == none) {
        continue;  // of a section that is left out
      } else {
        symbol.section = sections_[entry.st_shndx];
        if (symbol.value > object_.sections[symbol.section].size) {
          return invalid("symbol {} is at {} of a section of {} bytes", symbol.name, symbol.value,
                         object_.sections[symbol.section].size);
        }
      }
      if (symbol.type == STT_FILE) {
        continue;
      }
      symbol.type = symbol.type == STT_SECTION ? std::uint8_t{STT_NOTYPE} : symbol.type;
      symbols_[i] = static_cast<std::uint32_t>(object_.symbols.size());
      object_.symbols.push_back(std::move(symbol));
    }
    return {};
  }

  // Reads what refers to other sections and to symbols.
  Status read_links(std::uint32_t index) {
    const Elf64_Shdr &header = headers_[index];
    if (sections_[index] != none && (header.sh_flags & SHF_LINK_ORDER) != 0) {
      if (header.sh_link >= sections_.size() || sections_[header.sh_link] == none) {
        return invalid("section {} is linked to section {}, which has no content", index, header.sh_link);
      }
      object_.sections[sections_[index]].link_order = sections_[header.sh_link];
    }
    if (header.sh_type != SHT_RELA || header.sh_info >= sections_.size() || sections_[header.sh_info] == none) {
      return {};
    }
    if (header.sh_link != symbol_table_) {
      return invalid("relocations in section {} are about the symbols of section {}, expected {}", index,
                     header.sh_link, symbol_table_);
    }
    Section &section = object_.sections[sections_[header.sh_info]];
    BP_ASSIGN(const std::vector<Elf64_Rela> entries,
              table<Elf64_Rela>("a table of relocations", header.sh_offset, header.sh_size));
    for (const Elf64_Rela &entry : entries) {
      const std::uint64_t symbol = ELF64_R_SYM(entry.r_info);
      if (entry.r_offset >= section.bytes.size() || symbol >= symbols_.size() ||
          (symbol != 0 && symbols_[symbol] == none)) {
        return invalid(
            "a relocation at {} of section {} is about symbol {}, expected an offset below {} and a symbol "
            "below {} that is part of the program",
            entry.r_offset, section.name, symbol, section.bytes.size(), symbols_.size());
      }
      section.relocations.push_back({entry.r_offset, symbol == 0 ? none : symbols_[symbol],
                                     static_cast<std::uint32_t>(ELF64_R_TYPE(entry.r_info)), entry.r_addend});
    }
    return {};
  }

  const std::string_view bytes_, name_;
  ObjectFile object_;
  std::vector<Elf64_Shdr> headers_;
  std::uint32_t names_ = 0, symbol_table_ = 0;     // sections
  std::vector<std::uint32_t> sections_, symbols_;  // by number in the file: the index in object_, or none
};

// Where a section of an added object went.
struct Destination {
  std::uint32_t section;
  std::uint64_t offset;  // bytes
};

bool can_join(const Section &a, const Section &b) {
  return a.name == b.name && a.type == b.type && a.flags == b.flags && a.link_order == none && b.link_order == none;
}

std::vector<Destination> append_sections(ObjectFile &object, std::vector<Section> &added) {
  std::vector<Destination> destinations;
  for (Section &section : added) {
    const auto found = std::ranges::find_if(object.sections, [&](const Section &s) { return can_join(s, section); });
    if (found == object.sections.end()) {
      destinations.push_back({static_cast<std::uint32_t>(object.sections.size()), 0});
      object.sections.push_back(section);
      object.sections.back().relocations.clear();
      continue;
    }
    const std::uint64_t offset = align_up(found->size, section.alignment);
    if (section.type != SHT_NOBITS) {
      found->bytes.resize(offset);
      found->bytes += section.bytes;
    }
    found->size = offset + section.size;
    found->alignment = std::max(found->alignment, section.alignment);
    destinations.push_back({static_cast<std::uint32_t>(found - object.sections.begin()), offset});
  }
  for (std::size_t i = 0; i < added.size(); ++i) {
    if (added[i].link_order != none) {
      object.sections[destinations[i].section].link_order = destinations[added[i].link_order].section;
    }
  }
  return destinations;
}

// Joins a global symbol with one of the same name. Returns an error if both define it.
Status join(Symbol &symbol, Symbol added, std::string_view name) {
  if (added.is_undefined() || (added.binding == STB_WEAK && !symbol.is_undefined())) {
    return {};
  }
  if (!symbol.is_undefined() && symbol.binding != STB_WEAK) {
    return invalid_input("object {}: defines {}, which another object defines too", name, symbol.name);
  }
  symbol = std::move(added);
  return {};
}

class ObjectWriter {
 public:
  explicit ObjectWriter(const ObjectFile &object) : object_(object) {}

  std::string write() {
    order_symbols();
    bytes_.assign(sizeof(Elf64_Ehdr), '\0');
    headers_.emplace_back();  // of number 0, which is none
    for (const Section &section : object_.sections) {
      add_section(section);
    }
    const auto symbols = static_cast<std::uint32_t>(headers_.size() + count_relocated());
    for (std::uint32_t i = 0; i < object_.sections.size(); ++i) {
      if (!object_.sections[i].relocations.empty()) {
        add_relocations(i, symbols);
      }
    }
    add_symbols();
    // Says that the code needs no executable stack.
    add(start(".note.GNU-stack", SHT_PROGBITS, 1), "");
    add_names();
    write_header();
    return std::move(bytes_);
  }

 private:
  std::size_t count_relocated() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(object_.sections, [](const Section &s) { return !s.relocations.empty(); }));
  }

  // In a file, local symbols come first.
  void order_symbols() {
    numbers_.resize(object_.symbols.size());
    std::uint32_t next = 1;
    for (const bool local : {true, false}) {
      for (std::size_t i = 0; i < object_.symbols.size(); ++i) {
        if ((object_.symbols[i].binding == STB_LOCAL) == local) {
          numbers_[i] = next++;
        }
      }
      local_count_ = local ? next : local_count_;
    }
  }

  std::uint32_t name(const std::string &text) {
    if (text.empty()) {
      return 0;
    }
    const auto offset = static_cast<std::uint32_t>(strings_.size());
    const auto [found, is_new] = names_.emplace(text, offset);
    if (is_new) {
      strings_ += text;
      strings_ += '\0';
    }
    return found->second;
  }

  Elf64_Shdr start(const std::string &section, std::uint32_t type, std::uint64_t alignment) {
    Elf64_Shdr header{};
    header.sh_name = name(section);
    header.sh_type = type;
    header.sh_addralign = alignment;
    return header;
  }

  void add(Elf64_Shdr header, std::string_view content) {
    bytes_.resize(align_up(bytes_.size(), std::max<std::uint64_t>(header.sh_addralign, 1)));
    header.sh_offset = bytes_.size();
    header.sh_size = header.sh_type == SHT_NOBITS ? header.sh_size : content.size();
    bytes_ += content;
    headers_.push_back(header);
  }

  template <class T>
  static std::string_view as_bytes(const std::vector<T> &entries) {
    return {reinterpret_cast<const char *>(entries.data()), entries.size() * sizeof(T)};
  }

  void add_section(const Section &section) {
    Elf64_Shdr header = start(section.name, section.type, section.alignment);
    header.sh_flags = section.flags;
    header.sh_size = section.size;
    header.sh_link = section.link_order == none ? 0 : section.link_order + 1;
    add(header, section.bytes);
  }

  void add_relocations(std::uint32_t index, std::uint32_t symbols) {
    const Section &section = object_.sections[index];
    std::vector<Elf64_Rela> entries;
    for (const Relocation &relocation : section.relocations) {
      const std::uint64_t symbol = relocation.symbol == none ? 0 : numbers_[relocation.symbol];
      entries.push_back({relocation.offset, ELF64_R_INFO(symbol, relocation.type), relocation.addend});
    }
    Elf64_Shdr header = start(".rela" + section.name, SHT_RELA, 8);
    header.sh_flags = SHF_INFO_LINK;
    header.sh_link = symbols;
    header.sh_info = index + 1;
    header.sh_entsize = sizeof(Elf64_Rela);
    add(header, as_bytes(entries));
  }

  void add_symbols() {
    std::vector<Elf64_Sym> entries(object_.symbols.size() + 1);
    for (std::size_t i = 0; i < object_.symbols.size(); ++i) {
      const Symbol &symbol = object_.symbols[i];
      Elf64_Sym &entry = entries[numbers_[i]];
      entry.st_name = name(symbol.name);
      entry.st_info = ELF64_ST_INFO(symbol.binding, symbol.type);
      entry.st_other = symbol.visibility;
      entry.st_shndx = symbol.section == none ? symbol.special : static_cast<std::uint16_t>(symbol.section + 1);
      entry.st_value = symbol.value;
      entry.st_size = symbol.size;
    }
    Elf64_Shdr header = start(".symtab", SHT_SYMTAB, 8);
    header.sh_link = static_cast<std::uint32_t>(headers_.size() + 2);  // the strings are last
    header.sh_info = local_count_;
    header.sh_entsize = sizeof(Elf64_Sym);
    add(header, as_bytes(entries));
  }

  void add_names() {
    const Elf64_Shdr header = start(".strtab", SHT_STRTAB, 1);
    add(header, strings_);
  }

  void write_header() {
    bytes_.resize(align_up(bytes_.size(), 8));
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_REL;
    header.e_machine = object_.machine;
    header.e_version = EV_CURRENT;
    header.e_flags = object_.flags;
    header.e_shoff = bytes_.size();
    header.e_ehsize = sizeof(Elf64_Ehdr);
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<std::uint16_t>(headers_.size());
    header.e_shstrndx = static_cast<std::uint16_t>(headers_.size() - 1);
    std::memcpy(bytes_.data(), &header, sizeof(header));
    bytes_ += as_bytes(headers_);
  }

  const ObjectFile &object_;
  std::string bytes_;
  std::vector<Elf64_Shdr> headers_;
  std::string strings_ = std::string(1, '\0');
  std::map<std::string, std::uint32_t> names_;
  std::vector<std::uint32_t> numbers_;  // by index in symbols: the number in the file
  std::uint32_t local_count_ = 0;       // with number 0
};

}  // namespace

Result<ObjectFile> read_object(std::string_view bytes, std::string_view name) {
  return ObjectReader(bytes, name).read();
}

Status append(ObjectFile &object, ObjectFile added, std::string_view name) {
  if (object.sections.empty() && object.symbols.empty()) {
    object.machine = added.machine;
    object.flags = added.flags;
  }
  if (object.machine != added.machine || object.flags != added.flags) {
    return invalid_input("object {}: is for machine {} with flags {}, expected machine {} with flags {}", name,
                         added.machine, added.flags, object.machine, object.flags);
  }
  const std::vector<Destination> destinations = append_sections(object, added.sections);
  std::map<std::string, std::uint32_t> globals;
  for (std::uint32_t i = 0; i < object.symbols.size(); ++i) {
    if (object.symbols[i].binding != STB_LOCAL) {
      globals.emplace(object.symbols[i].name, i);
    }
  }
  std::vector<std::uint32_t> symbols;  // by index in `added`
  for (Symbol &symbol : added.symbols) {
    if (symbol.section != none) {
      symbol.value += destinations[symbol.section].offset;
      symbol.section = destinations[symbol.section].section;
    }
    const auto known = symbol.binding == STB_LOCAL ? globals.end() : globals.find(symbol.name);
    if (known != globals.end()) {
      symbols.push_back(known->second);
      BP_TRY(join(object.symbols[known->second], std::move(symbol), name));
    } else {
      symbols.push_back(static_cast<std::uint32_t>(object.symbols.size()));
      object.symbols.push_back(std::move(symbol));
    }
  }
  for (std::size_t i = 0; i < added.sections.size(); ++i) {
    Section &section = object.sections[destinations[i].section];
    for (Relocation relocation : added.sections[i].relocations) {
      relocation.offset += destinations[i].offset;
      relocation.symbol = relocation.symbol == none ? none : symbols[relocation.symbol];
      section.relocations.push_back(relocation);
    }
  }
  return {};
}

void make_local(ObjectFile &object, const std::set<std::string> &except) {
  for (Symbol &symbol : object.symbols) {
    if (!symbol.is_undefined() && !except.contains(symbol.name)) {
      symbol.binding = STB_LOCAL;
      symbol.visibility = STV_DEFAULT;
    }
  }
}

std::vector<std::string> undefined_symbols(const ObjectFile &object) {
  std::set<std::string> names;
  for (const Symbol &symbol : object.symbols) {
    if (symbol.is_undefined()) {
      names.insert(symbol.name);
    }
  }
  return {names.begin(), names.end()};
}

std::string write_object(const ObjectFile &object) {
  return ObjectWriter(object).write();
}

}  // namespace bp::aot
