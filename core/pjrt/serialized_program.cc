#include "core/pjrt/serialized_program.h"

#include <span>

#include "core/base/sha256.h"
#include "core/package/hex.h"

namespace bp::pjrt {
namespace {

constexpr struct {
  const char *section;
  std::string SourceProgram::*text;
} sections[] = {{"pjrt.platform", &SourceProgram::platform},
                {"pjrt.format", &SourceProgram::format},
                {"pjrt.program", &SourceProgram::code},
                {"pjrt.compile_options", &SourceProgram::compile_options}};

}  // namespace

Result<std::string> serialize(const SourceProgram &source, const Executable &executable) {
  package::Content content{executable, package::interface_of(executable.module())};
  for (const auto &[section, text] : sections) {
    content.sections.emplace(section, source.*text);
  }
  return package::pack(content);
}

Result<SerializedProgram> deserialize(std::string_view bytes) {
  BP_ASSIGN(Package package, Package::read_copy(std::as_bytes(std::span(bytes)), "the serialized program"));
  SourceProgram source;
  for (const auto &[section, text] : sections) {
    const auto content = package.section(section);
    if (!content) {
      return invalid_input(
          "the serialized program is a package without {}: it was not serialized by PJRT; `backplane run` runs it",
          section);
    }
    source.*text = *content;
  }
  return SerializedProgram{std::move(source), std::move(package)};
}

std::string fingerprint(const SourceProgram &source) {
  std::string content;
  for (const auto &[section, text] : sections) {
    const std::uint64_t size = (source.*text).size();
    content.append(reinterpret_cast<const char *>(&size), sizeof size);
    content += source.*text;
  }
  return package::to_hex(sha256(std::as_bytes(std::span(content))));
}

}  // namespace bp::pjrt
