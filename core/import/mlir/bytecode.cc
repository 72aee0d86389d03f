#include "core/import/mlir/bytecode.h"

#include <array>
#include <optional>

#include "core/import/mlir/byte_reader.h"
#include "core/import/mlir/format.h"
#include "core/import/mlir/operation_reader.h"

namespace bp::import::mlir {
namespace {

class FileReader {
 public:
  explicit FileReader(std::string_view bytes) : bytes_(bytes) {}

  Result<File> read() {
    ByteReader reader(bytes_);
    BP_TRY(reader.bytes(magic.size()));
    BP_ASSIGN(file_.version, reader.number());
    if (file_.version > max_version) {
      return reader.error("MLIR bytecode of version {}, expected at most {}: write the file with an older version",
                          file_.version, max_version);
    }
    BP_ASSIGN(file_.producer, reader.text());
    while (!reader.at_end()) {
      BP_ASSIGN(const auto found, read_section(reader));
      std::optional<Section> &section = sections_[static_cast<std::size_t>(found.first)];
      if (section) {
        return reader.error("section {} is there twice", static_cast<int>(found.first));
      }
      section = found.second;
    }
    BP_TRY(read_strings());
    BP_TRY(read_dialects());
    BP_TRY(read_offsets());
    BP_ASSIGN(const std::vector<Section> properties, read_properties());
    BP_ASSIGN(ByteReader operations, section(SectionId::Operations, "operations"));
    BP_TRY(OperationReader(file_, properties).read(operations));
    return std::move(file_);
  }

 private:
  // Reads from a required section.
  Result<ByteReader> section(SectionId id, std::string_view name) const {
    const std::optional<Section> &found = sections_[static_cast<std::size_t>(id)];
    if (!found) {
      return invalid_input("the file has no section of {}", name);
    }
    return ByteReader(found->bytes, found->offset);
  }

  static Result<std::pair<SectionId, Section>> read_section(ByteReader &reader) {
    BP_ASSIGN(const SectionHeader header, read_section_header(reader));
    if (header.id >= section_count) {
      return reader.error("section {}, expected 0 to {}", header.id, section_count - 1);
    }
    return std::pair(static_cast<SectionId>(header.id), header.section);
  }

  Result<std::string_view> string(ByteReader &reader) const {
    BP_ASSIGN(const std::uint32_t index, reader.index(file_.strings.size(), "strings"));
    return file_.strings[index];
  }

  // The sizes come first, that of the last string before all others.
  Status read_strings() {
    BP_ASSIGN(ByteReader reader, section(SectionId::Strings, "strings"));
    BP_ASSIGN(const std::size_t count, reader.count("strings"));
    std::vector<std::uint64_t> sizes(count);
    for (std::size_t i = count; i-- > 0;) {
      BP_ASSIGN(sizes[i], reader.number());
    }
    for (const std::uint64_t size : sizes) {
      BP_ASSIGN(const std::string_view text, reader.bytes(size));
      if (text.empty() || text.back() != '\0') {
        return reader.error("a string without the zero byte that ends it");
      }
      file_.strings.push_back(text.substr(0, text.size() - 1));
    }
    return reader.expect_end("the strings");
  }

  Status read_dialects() {
    BP_ASSIGN(ByteReader reader, section(SectionId::Dialects, "dialects"));
    BP_ASSIGN(const std::size_t count, reader.count("dialects"));
    for (std::size_t i = 0; i < count; ++i) {
      BP_TRY(read_dialect(reader));
    }
    if (file_.version >= 4) {  // the number of operation names
      BP_TRY(reader.number());
    }
    while (!reader.at_end()) {
      BP_ASSIGN(const std::uint32_t dialect, reader.index(count, "dialects"));
      BP_ASSIGN(const std::size_t names, reader.count("operation names"));
      for (std::size_t i = 0; i < names; ++i) {
        BP_ASSIGN(const std::string_view name, read_operation_name(reader));
        file_.operation_names.push_back({file_.dialects[dialect], name});
      }
    }
    return {};
  }

  // The version of a dialect is not needed: what changed has another code or another name.
  Status read_dialect(ByteReader &reader) {
    ByteReader::Flagged name{0, false};
    if (file_.version == 0) {
      BP_ASSIGN(name.value, reader.number());
    } else {
      BP_ASSIGN(name, reader.flagged_number());
    }
    if (name.value >= file_.strings.size()) {
      return reader.error("string {} of {}", name.value, file_.strings.size());
    }
    file_.dialects.push_back(file_.strings[name.value]);
    if (name.flag) {
      BP_TRY(read_section(reader));
    }
    return {};
  }

  Result<std::string_view> read_operation_name(ByteReader &reader) const {
    if (file_.version < 5) {
      return string(reader);
    }
    BP_ASSIGN(const ByteReader::Flagged name, reader.flagged_number());
    if (name.value >= file_.strings.size()) {
      return reader.error("string {} of {}", name.value, file_.strings.size());
    }
    return file_.strings[name.value];
  }

  // Cuts the section of attributes and types by the sizes in the section of offsets: first all attributes.
  Status read_offsets() {
    BP_ASSIGN(ByteReader sizes, section(SectionId::AttributeAndTypeOffsets, "sizes of attributes and types"));
    BP_ASSIGN(ByteReader data, section(SectionId::AttributesAndTypes, "attributes and types"));
    BP_ASSIGN(const std::size_t attributes, sizes.count("attributes"));
    BP_ASSIGN(const std::size_t types, sizes.count("types"));
    for (auto &[list, count] : {std::pair(&file_.attributes, attributes), std::pair(&file_.types, types)}) {
      while (list->size() < count) {
        BP_ASSIGN(const std::uint32_t dialect, sizes.index(file_.dialects.size(), "dialects"));
        BP_ASSIGN(const std::uint64_t group, sizes.number());
        if (group == 0 || group > count - list->size()) {
          return sizes.error("a group of {} attributes or types, expected 1 to {}", group, count - list->size());
        }
        for (std::uint64_t i = 0; i < group; ++i) {
          BP_ASSIGN(const ByteReader::Flagged size, sizes.flagged_number());
          const std::size_t offset = data.offset();
          BP_ASSIGN(const std::string_view bytes, data.bytes(size.value));
          list->push_back({dialect, !size.flag, {bytes, offset}});
        }
      }
    }
    BP_TRY(sizes.expect_end("the sizes of attributes and types"));
    return data.expect_end("the attributes and types");
  }

  Result<std::vector<Section>> read_properties() const {
    std::vector<Section> result;
    if (!sections_[static_cast<std::size_t>(SectionId::Properties)]) {
      return result;
    }
    BP_ASSIGN(ByteReader reader, section(SectionId::Properties, "properties"));
    BP_ASSIGN(const std::size_t count, reader.count("properties"));
    for (std::size_t i = 0; i < count; ++i) {
      BP_ASSIGN(const std::uint64_t size, reader.number());
      const std::size_t offset = reader.offset();
      BP_ASSIGN(const std::string_view bytes, reader.bytes(size));
      result.push_back({bytes, offset});
    }
    BP_TRY(reader.expect_end("the properties"));
    return result;
  }

  std::string_view bytes_;
  File file_;
  std::array<std::optional<Section>, section_count> sections_;
};

}  // namespace

bool is_bytecode(std::string_view bytes) {
  return bytes.starts_with(magic);
}

Result<File> read_bytecode(std::string_view bytes) {
  return FileReader(bytes).read();
}

}  // namespace bp::import::mlir
