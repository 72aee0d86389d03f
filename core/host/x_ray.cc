#include "core/host/x_ray.h"

#include <fmt/format.h>

#include <algorithm>

namespace bp::host {
namespace {

constexpr std::uint16_t shared_library = 3;
constexpr std::uint32_t manifest_note = 1;
constexpr std::size_t max_manifest_size = 64 * 1024;

// Returns "a, b, c and 17 more": enough names to recognize the cause. The file may contain any bytes, so characters
// that are not printable are replaced.
std::string some_names(const std::vector<std::string_view> &names) {
  constexpr std::size_t shown = 3, longest = 60;
  std::string out;
  for (std::size_t i = 0; i < std::min(shown, names.size()); ++i) {
    std::string name(names[i].substr(0, longest));
    std::ranges::replace_if(name, [](unsigned char c) { return c < 0x21 || c > 0x7e; }, '?');
    out += (i == 0 ? "" : ", ") + name + (names[i].size() > longest ? "..." : "");
  }
  return names.size() > shown ? fmt::format("{} and {} more", out, names.size() - shown) : out;
}

// Whether it is a C++ name of namespace bp (_ZN2bp..., _ZNK2bp..., _ZTIN2bp...) or a C name bp_... or backplane_...
bool is_core_name(std::string_view name) {
  if (name.starts_with("bp_") || name.starts_with("backplane_")) {
    return true;
  }
  const std::size_t at = std::min(name.find("N2bp"), name.find("NK2bp"));
  return name.starts_with("_Z") && at <= 4;
}

Status is_shared_library(const ElfImage &image) {
  if (image.header.type != shared_library) {
    return invalid_input("is an ELF file of type {}, expected a shared library (type {})", image.header.type,
                         shared_library);
  }
  return {};
}

Status is_for_this_machine(const ElfImage &image) {
  if (image.header.machine != native_machine()) {
    return invalid_input("is made for {}, expected {}", machine_name(image.header.machine),
                         machine_name(native_machine()));
  }
  return {};
}

Status has_one_manifest(const ElfImage &image) {
  if (image.notes.empty()) {
    return invalid_input("has no Backplane manifest, expected one (BP_PLUGIN_MANIFEST): not a plugin");
  }
  if (image.notes.size() > 1) {
    return invalid_input("has {} Backplane manifests, expected one", image.notes.size());
  }
  if (const std::size_t size = image.notes[0].content.size(); size > max_manifest_size) {
    return invalid_input("has a manifest of {} bytes, expected at most {}", size, max_manifest_size);
  }
  return {};
}

bool is_entry(const ElfSymbol &symbol) {
  return symbol.exported && symbol.name == "bp_entry";
}

Status exports_entry(const ElfImage &image) {
  if (!std::ranges::any_of(image.symbols, is_entry)) {
    return invalid_input("does not export bp_entry, expected exactly that symbol");
  }
  return {};
}

template <class Predicate>
std::vector<std::string_view> names_of(const ElfImage &image, Predicate &&predicate) {
  std::vector<std::string_view> names;
  for (const ElfSymbol &symbol : image.symbols) {
    if (!is_entry(symbol) && predicate(symbol)) {
      names.push_back(symbol.name);
    }
  }
  return names;
}

Status exports_nothing_else(const ElfImage &image) {
  const auto names = names_of(image, [](const ElfSymbol &symbol) { return symbol.exported && !symbol.unique; });
  if (!names.empty()) {
    return invalid_input("exports {} symbols besides bp_entry ({}), expected none: link with a version script",
                         names.size(), some_names(names));
  }
  return {};
}

Status has_no_unique_symbols(const ElfImage &image) {
  const auto names = names_of(image, [](const ElfSymbol &symbol) { return symbol.unique; });
  if (!names.empty()) {
    return invalid_input("has {} GNU_UNIQUE symbols ({}), expected none: compile with -fno-gnu-unique", names.size(),
                         some_names(names));
  }
  return {};
}

Status imports_nothing_of_the_core(const ElfImage &image) {
  const auto names =
      names_of(image, [](const ElfSymbol &symbol) { return !symbol.defined && is_core_name(symbol.name); });
  if (!names.empty()) {
    return invalid_input("imports {} symbols of the core ({}), expected none: services come through bp_host",
                         names.size(), some_names(names));
  }
  return {};
}

Status has_no_text_relocations(const ElfImage &image) {
  if (image.text_relocations) {
    return invalid_input("has text relocations, expected none: compile with -fPIC");
  }
  return {};
}

Status has_no_executable_stack(const ElfImage &image) {
  if (image.executable_stack) {
    return invalid_input("requires an executable stack, expected none: link with -z noexecstack");
  }
  return {};
}

constexpr XRayRule rules[] = {
    {"shared_library", is_shared_library, true},
    {"machine", is_for_this_machine, true},
    {"one_manifest", has_one_manifest},
    {"entry", exports_entry},
    {"one_symbol", exports_nothing_else},
    {"no_unique_symbols", has_no_unique_symbols},
    {"no_imports_from_the_core", imports_nothing_of_the_core},
    {"no_text_relocations", has_no_text_relocations},
    {"no_executable_stack", has_no_executable_stack},
};

// Code built with a sanitizer imports names of the sanitizer's runtime.
std::vector<std::string> sanitizers_of(const std::vector<ElfSymbol> &symbols) {
  constexpr std::pair<std::string_view, std::string_view> runtimes[] = {
      {"__asan_", "address"}, {"__msan_", "memory"}, {"__tsan_", "thread"}, {"__ubsan_", "undefined"}};
  std::vector<std::string> sanitizers;
  for (const auto &[prefix, name] : runtimes) {
    if (std::ranges::any_of(symbols, [&](const ElfSymbol &s) { return !s.defined && s.name.starts_with(prefix); })) {
      sanitizers.emplace_back(name);
    }
  }
  return sanitizers;
}

}  // namespace

std::span<const XRayRule> x_ray_rules() {
  return rules;
}

Result<ElfImage> read_plugin_elf(const ByteSource &bytes) {
  BP_ASSIGN(ElfImage image, read_elf(bytes, "Backplane"));
  std::erase_if(image.notes, [](const ElfNote &note) { return note.type != manifest_note; });
  return image;
}

XRay describe(const ElfImage &image) {
  std::string manifest = image.notes.empty() ? std::string() : image.notes[0].content;
  if (!manifest.empty() && manifest.back() == '\0') {
    manifest.pop_back();  // the terminator of the string literal
  }
  // One entry is frame_dummy from the compiler's start files.
  const std::uint64_t static_constructors = image.constructors - std::min<std::uint64_t>(image.constructors, 1);
  return XRay{std::move(manifest), image.needed, static_constructors, sanitizers_of(image.symbols)};
}

Result<XRay> x_ray(const ByteSource &bytes) {
  ElfImage image;
  BP_ASSIGN(image.header, read_elf_header(bytes));
  bool has_all = false;
  for (const XRayRule &rule : rules) {
    if (!rule.needs_header_only && !has_all) {
      BP_ASSIGN(image, read_plugin_elf(bytes));
      has_all = true;
    }
    BP_TRY(rule.check(image));
  }
  return describe(image);
}

}  // namespace bp::host
