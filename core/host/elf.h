// Reads a shared library without loading it: the parts that the dynamic loader would use, with a few small reads. Only
// the parts that the loader itself uses are trusted: program headers and the dynamic section, never section headers.
// The bytes may be malicious: every offset, count and size is checked against the file and against a limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace bp::host {

// A file, or bytes in memory, read piece by piece. (Not mapped: if a mapped file shrinks, access to it kills the
// process.)
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::uint64_t size() const = 0;
  // Fills `out` with the bytes at `offset`; returns false if the source does not have them.
  virtual bool read(std::uint64_t offset, std::span<std::byte> out) const = 0;
};

class MemoryBytes final : public ByteSource {
 public:
  explicit MemoryBytes(std::span<const std::byte> bytes) : bytes_(bytes) {}  // not owned
  std::uint64_t size() const override { return bytes_.size(); }
  bool read(std::uint64_t offset, std::span<std::byte> out) const override;

 private:
  std::span<const std::byte> bytes_;
};

class FileBytes final : public ByteSource {
 public:
  // Opens regular files only. Errors: NotFound, Io.
  static Result<FileBytes> open(const std::string &path);
  FileBytes(FileBytes &&other) noexcept;
  FileBytes &operator=(FileBytes &&) = delete;
  ~FileBytes() override;
  std::uint64_t size() const override { return size_; }
  bool read(std::uint64_t offset, std::span<std::byte> out) const override;

 private:
  FileBytes(int descriptor, std::uint64_t size) : descriptor_(descriptor), size_(size) {}
  int descriptor_;
  std::uint64_t size_;
};

// Contents of the ELF header; files of other kinds are not read any further.
struct ElfHeader {
  std::uint16_t type = 0;     // 3: shared library
  std::uint16_t machine = 0;  // 62: x86-64, ...
  std::uint64_t program_headers = 0;
  std::uint16_t program_header_count = 0;
};

struct ElfNote {
  std::string owner;
  std::uint32_t type = 0;
  std::string content;
};

struct ElfSymbol {
  std::string name;
  bool defined = false;   // in this library; otherwise imported
  bool exported = false;  // defined, and visible to other libraries
  bool unique = false;    // STB_GNU_UNIQUE: one per process, prevents unloading of the library
};

struct ElfImage {
  ElfHeader header;
  std::vector<ElfNote> notes;       // those of one owner
  std::vector<ElfSymbol> symbols;   // the dynamic symbols
  std::vector<std::string> needed;  // libraries that the loader loads with it
  bool text_relocations = false;
  bool executable_stack = false;
  std::uint64_t constructors = 0;  // number of functions that run when it is loaded, including the compiler's own
};

// Reads the header of a little-endian 64-bit ELF file. Messages do not name the file; the caller knows it.
Result<ElfHeader> read_elf_header(const ByteSource &bytes);

// Reads the whole image, but only the notes of `note_owner`.
Result<ElfImage> read_elf(const ByteSource &bytes, std::string_view note_owner);

// Returns "x86-64", or "machine 243" if the number is not known.
std::string machine_name(std::uint16_t machine);
// Returns the machine that this process runs on.
std::uint16_t native_machine();

}  // namespace bp::host
