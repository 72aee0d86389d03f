// Reads the header, the program headers and the notes; then the dynamic section, which leads to the strings, the
// symbols and the hash table, from which alone the number of symbols is known.
#include "core/host/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace bp::host {
namespace {

// No table of a plugin is larger. (All of LLVM exports 4 MiB of names.)
constexpr std::uint64_t max_table_size = std::uint64_t{64} << 20;
// Limits for all note segments together, and for all names together: segments and names may overlap, so that without
// limits a small file could cause any amount of work.
constexpr std::uint64_t max_notes_size = std::uint64_t{1} << 20;
constexpr std::uint64_t max_names_size = 2 * max_table_size;

Result<std::string> read_bytes(const ByteSource &bytes, std::string_view what, std::uint64_t offset,
                               std::uint64_t size) {
  if (size > max_table_size) {
    return invalid_input("{} has {} bytes, expected at most {}", what, size, max_table_size);
  }
  if (offset > bytes.size() || size > bytes.size() - offset) {
    return invalid_input("{} at offset {} with {} bytes is outside the file of {} bytes", what, offset, size,
                         bytes.size());
  }
  std::string out(size, '\0');
  if (!bytes.read(offset, std::as_writable_bytes(std::span(out)))) {
    return Error(ErrorCode::Io, fmt::format("{} could not be read", what));
  }
  return out;
}

// Reads `count` structs into a copy, because structs in a file need not be aligned.
template <class T>
Result<std::vector<T>> read_table(const ByteSource &bytes, std::string_view what, std::uint64_t offset,
                                  std::uint64_t count) {
  if (count > max_table_size / sizeof(T)) {
    return invalid_input("{} has {} entries, expected at most {}", what, count, max_table_size / sizeof(T));
  }
  BP_ASSIGN(const std::string raw, read_bytes(bytes, what, offset, count * sizeof(T)));
  std::vector<T> table(count);
  if (count != 0) {
    std::memcpy(table.data(), raw.data(), raw.size());
  }
  return table;
}

std::uint64_t align_up(std::uint64_t offset, std::uint64_t alignment) {
  return (offset + alignment - 1) & -alignment;
}

Status read_notes(const ByteSource &bytes, const Elf64_Phdr &segment, std::string_view owner, std::uint64_t &budget,
                  std::vector<ElfNote> &notes) {
  if (segment.p_filesz > budget) {
    return invalid_input("note segments have more than {} bytes", max_notes_size);
  }
  budget -= segment.p_filesz;
  BP_ASSIGN(const std::string raw, read_bytes(bytes, "note segment", segment.p_offset, segment.p_filesz));
  const std::uint64_t alignment = segment.p_align == 8 ? 8 : 4;
  for (std::uint64_t at = 0; raw.size() - at >= sizeof(Elf64_Nhdr);) {
    Elf64_Nhdr note;
    std::memcpy(&note, raw.data() + at, sizeof(note));
    const std::uint64_t name = at + sizeof(note);
    const std::uint64_t content = align_up(name + note.n_namesz, alignment);
    const std::uint64_t end = content + note.n_descsz;
    if (end > raw.size()) {
      return invalid_input("a note ends at byte {} of a note segment of {} bytes", end, raw.size());
    }
    // The size of the name includes its terminating 0.
    if (note.n_namesz == owner.size() + 1 && raw.compare(name, owner.size(), owner) == 0) {
      notes.push_back({std::string(owner), note.n_type, raw.substr(content, note.n_descsz)});
    }
    at = std::min<std::uint64_t>(align_up(end, alignment), raw.size());
  }
  return {};
}

// Contents of the dynamic section; addresses are memory addresses.
struct Dynamic {
  std::uint64_t symbols = 0, strings = 0, strings_size = 0, hash = 0, gnu_hash = 0;
  std::vector<std::uint64_t> needed;  // offsets in `strings`
  bool text_relocations = false;
  std::uint64_t constructors = 0;
};

Result<Dynamic> read_dynamic(const ByteSource &bytes, const Elf64_Phdr &segment) {
  BP_ASSIGN(const std::vector<Elf64_Dyn> entries,
            read_table<Elf64_Dyn>(bytes, "dynamic section", segment.p_offset, segment.p_filesz / sizeof(Elf64_Dyn)));
  Dynamic dynamic;
  for (const Elf64_Dyn &entry : entries) {
    const std::uint64_t value = entry.d_un.d_val;
    switch (entry.d_tag) {
      case DT_NULL: return dynamic;
      case DT_SYMTAB: dynamic.symbols = value; break;
      case DT_STRTAB: dynamic.strings = value; break;
      case DT_STRSZ: dynamic.strings_size = value; break;
      case DT_HASH: dynamic.hash = value; break;
      case DT_GNU_HASH: dynamic.gnu_hash = value; break;
      case DT_NEEDED: dynamic.needed.push_back(value); break;
      case DT_INIT_ARRAYSZ: dynamic.constructors = value / sizeof(Elf64_Addr); break;
      case DT_TEXTREL: dynamic.text_relocations = true; break;
      case DT_FLAGS: dynamic.text_relocations |= (value & DF_TEXTREL) != 0; break;
      default: break;
    }
  }
  return invalid_input("the dynamic section has no end among its {} entries", entries.size());
}

// Reads the tables that the dynamic section refers to.
class TableReader {
 public:
  TableReader(const ByteSource &bytes, const std::vector<Elf64_Phdr> &segments) : bytes_(bytes), segments_(segments) {}

  template <class T>
  Result<std::vector<T>> table(std::string_view what, std::uint64_t address, std::uint64_t count) const {
    BP_ASSIGN(const std::uint64_t offset, file_offset(what, address));
    return read_table<T>(bytes_, what, offset, count);
  }
  Result<std::string> strings(std::uint64_t address, std::uint64_t size) const {
    BP_ASSIGN(const std::uint64_t offset, file_offset("string table", address));
    return read_bytes(bytes_, "string table", offset, size);
  }

  // Returns the number of dynamic symbols. In a GNU hash table the chain of the last bucket ends with the last symbol;
  // the symbols below `first` are not hashed: they are the imports.
  Result<std::uint64_t> symbol_count(const Dynamic &dynamic) const {
    if (dynamic.hash != 0) {
      BP_ASSIGN(const std::vector<std::uint32_t> header, table<std::uint32_t>("hash table", dynamic.hash, 2));
      return std::uint64_t{header[1]};
    }
    if (dynamic.gnu_hash == 0) {
      return invalid_input("there is no hash table of symbols");
    }
    BP_ASSIGN(const std::vector<std::uint32_t> header, table<std::uint32_t>("hash table", dynamic.gnu_hash, 4));
    const std::uint64_t bucket_count = header[0], first = header[1], bloom_size = header[2];
    const std::uint64_t buckets_at = dynamic.gnu_hash + 16 + 8 * bloom_size;
    BP_ASSIGN(const std::vector<std::uint32_t> buckets, table<std::uint32_t>("hash table", buckets_at, bucket_count));
    std::uint64_t last = 0;
    for (const std::uint32_t bucket : buckets) {
      last = std::max<std::uint64_t>(last, bucket);
    }
    if (last < first) {
      return first;  // nothing is exported
    }
    const std::uint64_t chains_at = buckets_at + 4 * bucket_count;
    constexpr std::uint64_t max_symbols = max_table_size / sizeof(Elf64_Sym);
    for (constexpr std::uint64_t piece = 16; last < max_symbols; last += piece) {
      BP_ASSIGN(const std::uint64_t at, file_offset("hash table", chains_at + 4 * (last - first)));
      const std::uint64_t left = at < bytes_.size() ? (bytes_.size() - at) / 4 : 0;
      if (left == 0) {
        return invalid_input("the hash table of symbols is cut off");
      }
      BP_ASSIGN(const std::vector<std::uint32_t> chain,
                read_table<std::uint32_t>(bytes_, "hash table", at, std::min(piece, left)));
      for (std::uint64_t i = 0; i < chain.size(); ++i) {
        if ((chain[i] & 1) != 0) {
          return last + i + 1;
        }
      }
    }
    return invalid_input("the symbol table has more than {} entries", max_symbols);
  }

 private:
  Result<std::uint64_t> file_offset(std::string_view what, std::uint64_t address) const {
    for (const Elf64_Phdr &segment : segments_) {
      if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz) {
        if (segment.p_offset > bytes_.size()) {
          break;
        }
        return segment.p_offset + (address - segment.p_vaddr);
      }
    }
    return invalid_input("{} at address {:#x} is in no segment of the file", what, address);
  }

  const ByteSource &bytes_;
  const std::vector<Elf64_Phdr> &segments_;
};

// Reads names from the string table.
class Names {
 public:
  explicit Names(std::string table) : table_(std::move(table)) {}

  Result<std::string> at(std::uint64_t offset, std::string_view what) {
    const std::size_t end = offset < table_.size() ? table_.find('\0', offset) : std::string::npos;
    if (end == std::string::npos) {
      return invalid_input("a {} is at byte {} of a string table of {} bytes", what, offset, table_.size());
    }
    if (end - offset > budget_) {
      return invalid_input("the names of symbols and libraries have more than {} bytes", max_names_size);
    }
    budget_ -= end - offset;
    return table_.substr(offset, end - offset);
  }

 private:
  std::string table_;
  std::uint64_t budget_ = max_names_size;
};

ElfSymbol describe(const Elf64_Sym &symbol, std::string name) {
  const unsigned char binding = ELF64_ST_BIND(symbol.st_info);
  const unsigned char visibility = ELF64_ST_VISIBILITY(symbol.st_other);
  const bool defined = symbol.st_shndx != SHN_UNDEF;
  return {std::move(name), defined,
          defined && binding != STB_LOCAL && (visibility == STV_DEFAULT || visibility == STV_PROTECTED),
          defined && binding == STB_GNU_UNIQUE};
}

struct Machine {
  std::uint16_t number;
  std::string_view name;
};
constexpr Machine machines[] = {{EM_386, "x86"},         {EM_X86_64, "x86-64"},   {EM_ARM, "ARM"},
                                {EM_AARCH64, "AArch64"}, {EM_PPC64, "PowerPC64"}, {EM_RISCV, "RISC-V"},
                                {EM_S390, "s390"},       {EM_MIPS, "MIPS"},       {EM_LOONGARCH, "LoongArch"}};

}  // namespace

bool MemoryBytes::read(std::uint64_t offset, std::span<std::byte> out) const {
  if (offset > bytes_.size() || out.size() > bytes_.size() - offset) {
    return false;
  }
  std::ranges::copy(bytes_.subspan(offset, out.size()), out.begin());
  return true;
}

Result<FileBytes> FileBytes::open(const std::string &path) {
  // Opened without blocking: a named pipe must not block the search.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    return Error(errno == ENOENT ? ErrorCode::NotFound : ErrorCode::Io,
                 fmt::format("cannot be opened: {}", std::strerror(errno)));
  }
  FileBytes file(descriptor, 0);
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) {
    return Error(ErrorCode::Io, fmt::format("cannot be examined: {}", std::strerror(errno)));
  }
  if (!S_ISREG(status.st_mode)) {
    return Error(ErrorCode::Io, S_ISDIR(status.st_mode) ? "is a directory, expected a shared library"
                                                        : "is not a regular file, expected a shared library");
  }
  file.size_ = static_cast<std::uint64_t>(status.st_size);
  return file;
}

FileBytes::FileBytes(FileBytes &&other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

FileBytes::~FileBytes() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

bool FileBytes::read(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t count = ::pread(descriptor_, out.data(), out.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return false;
    }
    out = out.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
  return true;
}

Result<ElfHeader> read_elf_header(const ByteSource &bytes) {
  Elf64_Ehdr header;
  if (bytes.size() < sizeof(header)) {
    return invalid_input("has {} bytes, too few for an ELF shared library", bytes.size());
  }
  if (!bytes.read(0, std::as_writable_bytes(std::span(&header, 1)))) {
    return Error(ErrorCode::Io, "the ELF header could not be read");
  }
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return invalid_input("is not an ELF file, expected a shared library");
  }
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
    return invalid_input("is a {}-bit {}-endian ELF file, expected 64-bit little-endian",
                         header.e_ident[EI_CLASS] == ELFCLASS32 ? 32 : 64,
                         header.e_ident[EI_DATA] == ELFDATA2MSB ? "big" : "little");
  }
  if (header.e_phentsize != sizeof(Elf64_Phdr) && header.e_phnum != 0) {
    return invalid_input("has program headers of {} bytes, expected {}", header.e_phentsize, sizeof(Elf64_Phdr));
  }
  return ElfHeader{header.e_type, header.e_machine, header.e_phoff, header.e_phnum};
}

Result<ElfImage> read_elf(const ByteSource &bytes, std::string_view note_owner) {
  ElfImage image;
  BP_ASSIGN(image.header, read_elf_header(bytes));
  BP_ASSIGN(const std::vector<Elf64_Phdr> segments,
            read_table<Elf64_Phdr>(bytes, "program header table", image.header.program_headers,
                                   image.header.program_header_count));
  // Without a PT_GNU_STACK header, the loader makes the stack executable.
  image.executable_stack = true;
  std::uint64_t notes_budget = max_notes_size;
  const Elf64_Phdr *dynamic_segment = nullptr;
  for (const Elf64_Phdr &segment : segments) {
    if (segment.p_type == PT_NOTE) {
      BP_TRY(read_notes(bytes, segment, note_owner, notes_budget, image.notes));
    } else if (segment.p_type == PT_GNU_STACK) {
      image.executable_stack = (segment.p_flags & PF_X) != 0;
    } else if (segment.p_type == PT_DYNAMIC) {
      dynamic_segment = &segment;
    }
  }
  if (dynamic_segment == nullptr) {
    return invalid_input("has no dynamic section, expected a shared library");
  }
  BP_ASSIGN(const Dynamic dynamic, read_dynamic(bytes, *dynamic_segment));
  image.text_relocations = dynamic.text_relocations;
  image.constructors = dynamic.constructors;

  const TableReader reader(bytes, segments);
  BP_ASSIGN(const std::uint64_t symbol_count, reader.symbol_count(dynamic));
  BP_ASSIGN(const std::vector<Elf64_Sym> symbols,
            reader.table<Elf64_Sym>("symbol table", dynamic.symbols, symbol_count));
  BP_ASSIGN(std::string strings, reader.strings(dynamic.strings, dynamic.strings_size));
  Names names(std::move(strings));
  for (std::size_t i = 1; i < symbols.size(); ++i) {  // symbol 0 is reserved
    BP_ASSIGN(std::string name, names.at(symbols[i].st_name, "symbol name"));
    image.symbols.push_back(describe(symbols[i], std::move(name)));
  }
  for (const std::uint64_t offset : dynamic.needed) {
    BP_ASSIGN(std::string name, names.at(offset, "library name"));
    image.needed.push_back(std::move(name));
  }
  return image;
}

std::string machine_name(std::uint16_t machine) {
  for (const Machine &known : machines) {
    if (known.number == machine) {
      return std::string(known.name);
    }
  }
  return fmt::format("machine {}", machine);
}

std::uint16_t native_machine() {
#if defined(__x86_64__)
  return EM_X86_64;
#elif defined(__aarch64__)
  return EM_AARCH64;
#elif defined(__riscv)
  return EM_RISCV;
#elif defined(__powerpc64__)
  return EM_PPC64;
#else
#error "name the ELF machine number of this architecture here"
#endif
}

}  // namespace bp::host
