// Faults of the file of the plugin `kernels`: a correct shared library with a few bytes changed. It is not loaded,
// unless the fault can be shown only by loading it.
#include <elf.h>

#include <cstring>
#include <optional>
#include <vector>

#include "conformance/mutants/fault.h"
#include "conformance/mutants/mutant.h"

namespace bp::conformance {
namespace {

// The headers of a correct shared library, to be changed in place.
class LibraryFile {
 public:
  explicit LibraryFile(const std::string &file) : bytes(file) {
    for (std::uint16_t i = 0; i < header().e_phnum; ++i) {
      if (segment(i).p_type == PT_DYNAMIC) {
        dynamic_ = reinterpret_cast<Elf64_Dyn *>(&bytes[segment(i).p_offset]);
      }
    }
  }
  Elf64_Ehdr &header() { return *reinterpret_cast<Elf64_Ehdr *>(bytes.data()); }
  Elf64_Phdr &segment(std::uint16_t i) { return reinterpret_cast<Elf64_Phdr *>(&bytes[header().e_phoff])[i]; }
  Elf64_Phdr &segment_of_type(std::uint32_t type) {
    std::uint16_t i = 0;
    while (segment(i).p_type != type) {
      ++i;
    }
    return segment(i);
  }
  // Returns nullptr if there is none.
  Elf64_Dyn *entry(std::int64_t tag) {
    for (Elf64_Dyn *at = dynamic_; at->d_tag != DT_NULL; ++at) {
      if (at->d_tag == tag) {
        return at;
      }
    }
    return nullptr;
  }
  // Returns what the loader finds at the address in an entry.
  char *table(std::int64_t tag) {
    const std::uint64_t address = entry(tag)->d_un.d_ptr;
    for (std::uint16_t i = 0; i < header().e_phnum; ++i) {
      const Elf64_Phdr &at = segment(i);
      if (at.p_type == PT_LOAD && address >= at.p_vaddr && address - at.p_vaddr < at.p_filesz) {
        return &bytes[at.p_offset + (address - at.p_vaddr)];
      }
    }
    return nullptr;
  }
  std::string_view name(const Elf64_Sym &symbol) { return table(DT_STRTAB) + symbol.st_name; }
  // Imported symbols come first; the hash table gives the index of the first exported one.
  Elf64_Sym &last_import() { return symbols()[first_export() - 1]; }
  Elf64_Sym &entry_symbol() {
    std::uint32_t i = first_export();
    while (name(symbols()[i]) != "bp_entry") {
      ++i;
    }
    return symbols()[i];
  }

  std::string bytes;

 private:
  Elf64_Sym *symbols() { return reinterpret_cast<Elf64_Sym *>(table(DT_SYMTAB)); }
  std::uint32_t first_export() { return reinterpret_cast<const std::uint32_t *>(table(DT_GNU_HASH))[1]; }

  Elf64_Dyn *dynamic_ = nullptr;
};

template <class Change>
std::string changed(const std::string &file, Change change) {
  LibraryFile library(file);
  change(library);
  return std::move(library.bytes);
}

// Replaces every occurrence by a text of the same size.
std::string replaced(std::string file, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = file.find(what, at)) != std::string::npos; at += by.size()) {
    file.replace(at, what.size(), by);
  }
  return file;
}

// Replaces text only in the manifest, because the code contains the same strings.
std::string with_manifest(std::string file, std::string_view what, std::string_view by) {
  const std::size_t begin = file.find("{\"abi\"");
  const std::size_t at = begin == std::string::npos ? begin : file.find(what, begin);
  return at == std::string::npos ? file : file.replace(at, what.size(), by);
}

// Turns an imported symbol into an exported one.
std::string with_export(const std::string &file, unsigned char binding) {
  return changed(file, [&](LibraryFile &library) {
    Elf64_Sym &symbol = library.last_import();
    symbol.st_shndx = library.entry_symbol().st_shndx;
    symbol.st_value = library.entry_symbol().st_value;
    symbol.st_size = library.entry_symbol().st_size;
    symbol.st_info = ELF64_ST_INFO(binding, STT_OBJECT);
  });
}

constexpr Mutant file_table[] = {
    {"file-cut-off", "file", "the file ends after 500 bytes", "kernels", "x_ray/readable", nullptr,
     [](const std::string &file) { return file.substr(0, 500); }},
    {"file-is-program", "file", "the file is an executable, not a shared library", "kernels", "x_ray/shared_library",
     nullptr,
     [](const std::string &file) {
       return changed(file, [](LibraryFile &library) { library.header().e_type = ET_EXEC; });
     }},
    {"file-of-other-machine", "file", "the file is built for another processor", "kernels", "x_ray/machine", nullptr,
     [](const std::string &file) {
       return changed(file, [](LibraryFile &library) { library.header().e_machine = EM_PPC64; });
     }},
    {"no-manifest", "file", "the file has no manifest", "kernels", "x_ray/one_manifest", nullptr,
     [](const std::string &file) { return replaced(file, std::string_view("Backplane\0\0\0{", 13), "Backbone!!!!{"); }},
    {"manifest-no-json", "file", "the manifest is not JSON", "kernels", "x_ray/manifest", nullptr,
     [](const std::string &file) { return with_manifest(file, "\"abi\":", "\"abi\"="); }},
    {"manifest-without-version", "file", "the manifest does not state the version of the plugin", "kernels",
     "x_ray/manifest", nullptr,
     [](const std::string &file) { return with_manifest(file, "\"version\"", "\"Version\""); }},
    {"manifest-of-abi-2", "file", "the manifest states ABI 2.0.0, which does not exist", "kernels", "x_ray/abi_version",
     nullptr, [](const std::string &file) { return with_manifest(file, "\"1.0.0\"", "\"2.0.0\""); }},
    {"manifest-other-extension", "file", "the manifest lists another extension than the code has", "kernels",
     "life_cycle/load", nullptr,
     [](const std::string &file) { return with_manifest(file, "bp.kernels/1", "bp.kernel5/1"); }},
    {"manifest-other-id", "file", "the manifest states another device id than the code", "kernels", "life_cycle/load",
     nullptr,
     [](const std::string &file) { return with_manifest(file, "dev.backplane.kernels", "dev.backplane.colonel"); }},
    {"manifest-newer-opset", "file", "the manifest states a newer opset than the code", "kernels", "life_cycle/load",
     nullptr, [](const std::string &file) { return with_manifest(file, "\"opset\":1", "\"opset\":9"); }},
    {"no-entry", "file", "the entry symbol is not named bp_entry", "kernels", "x_ray/entry", nullptr,
     [](const std::string &file) { return replaced(file, "bp_entry", "bp_enter"); }},
    {"extra-export", "file", "the library exports a second symbol", "kernels", "x_ray/one_symbol", nullptr,
     [](const std::string &file) { return with_export(file, STB_GLOBAL); }},
    {"unique-symbol", "file", "the library exports a symbol that is unique in the process (STB_GNU_UNIQUE)", "kernels",
     "x_ray/no_unique_symbols", nullptr, [](const std::string &file) { return with_export(file, STB_GNU_UNIQUE); }},
    {"imports-core", "file", "the library imports a symbol of the core", "kernels", "x_ray/no_imports_from_the_core",
     nullptr,
     [](const std::string &file) {
       return changed(file,
                      [](LibraryFile &library) { library.last_import().st_name = library.entry_symbol().st_name; });
     }},
    {"text-relocations", "file", "the code of the library contains relocations (DT_TEXTREL)", "kernels",
     "x_ray/no_text_relocations", nullptr,
     [](const std::string &file) {
       return changed(file, [](LibraryFile &library) {
         // Any entry that the loader can do without will do.
         for (const std::int64_t tag : {DT_RELACOUNT, DT_FLAGS_1, DT_VERNEEDNUM}) {
           if (Elf64_Dyn *entry = library.entry(tag); entry != nullptr) {
             entry->d_tag = DT_TEXTREL;
             return;
           }
         }
       });
     }},
    {"executable-stack", "file", "the library asks for an executable stack", "kernels", "x_ray/no_executable_stack",
     nullptr,
     [](const std::string &file) {
       return changed(file, [](LibraryFile &library) { library.segment_of_type(PT_GNU_STACK).p_flags |= PF_X; });
     }},
};

}  // namespace

const std::span<const Mutant> file_mutants = file_table;

}  // namespace bp::conformance
