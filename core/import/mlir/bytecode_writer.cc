#include "core/import/mlir/bytecode_writer.h"

#include <algorithm>
#include <span>

#include "core/base/check.h"
#include "core/import/mlir/byte_writer.h"
#include "core/import/mlir/format.h"
#include "core/import/mlir/operation_writer.h"

namespace bp::import::mlir {
namespace {

class FileWriter {
 public:
  explicit FileWriter(const File &file) : file_(file) { BP_CHECK(file.version <= max_version); }

  std::string write() {
    ByteWriter operations;
    OperationWriter operation_writer(file_);
    operation_writer.write(operations);
    writer_.bytes(magic);
    writer_.number(file_.version);
    writer_.text(file_.producer);
    write_dialects();
    write_attributes_and_types();
    write_section(writer_, SectionId::Operations, operations.written());
    write_strings();
    if (file_.version >= 5) {
      write_properties(operation_writer.properties());
    }
    return writer_.take();
  }

 private:
  std::uint64_t string(std::string_view text) const {
    const auto found = std::ranges::find(file_.strings, text);
    BP_CHECK(found != file_.strings.end());
    return static_cast<std::uint64_t>(found - file_.strings.begin());
  }

  // The names of operations are in groups of a dialect each.
  void write_dialects() {
    ByteWriter section;
    section.number(file_.dialects.size());
    for (const std::string_view name : file_.dialects) {
      if (file_.version == 0) {
        section.number(string(name));
      } else {
        section.flagged_number(string(name), false);  // no version of its own
      }
    }
    if (file_.version >= 4) {
      section.number(file_.operation_names.size());
    }
    const auto same_dialect = [](const OperationName &a, const OperationName &b) { return a.dialect == b.dialect; };
    for_each_group(file_.operation_names, same_dialect, [&](std::span<const OperationName> group) {
      const auto dialect = std::ranges::find(file_.dialects, group[0].dialect);
      BP_CHECK(dialect != file_.dialects.end());
      section.number(static_cast<std::uint64_t>(dialect - file_.dialects.begin()));
      section.number(group.size());
      for (const OperationName &name : group) {
        if (file_.version < 5) {
          section.number(string(name.name));
        } else {
          section.flagged_number(string(name.name), true);  // its dialect knows it
        }
      }
    });
    write_section(writer_, SectionId::Dialects, section.written());
  }

  // One section holds them one after the other, the other one their sizes, in groups of a dialect each.
  void write_attributes_and_types() {
    ByteWriter data, sizes;
    sizes.number(file_.attributes.size());
    sizes.number(file_.types.size());
    const auto same_dialect = [](const Encoded &a, const Encoded &b) { return a.dialect == b.dialect; };
    for (const auto *list : {&file_.attributes, &file_.types}) {
      for_each_group(*list, same_dialect, [&](std::span<const Encoded> group) {
        sizes.number(group[0].dialect);
        sizes.number(group.size());
        for (const Encoded &encoded : group) {
          sizes.flagged_number(encoded.data.bytes.size(), !encoded.is_text);
          data.bytes(encoded.data.bytes);
        }
      });
    }
    write_section(writer_, SectionId::AttributesAndTypes, data.written());
    write_section(writer_, SectionId::AttributeAndTypeOffsets, sizes.written());
  }

  // The sizes come first, that of the last string before all others.
  void write_strings() {
    ByteWriter section;
    section.number(file_.strings.size());
    for (std::size_t i = file_.strings.size(); i-- > 0;) {
      section.number(file_.strings[i].size() + 1);
    }
    for (const std::string_view text : file_.strings) {
      section.text(text);
    }
    write_section(writer_, SectionId::Strings, section.written());
  }

  void write_properties(std::span<const std::string_view> properties) {
    ByteWriter section;
    section.number(properties.size());
    for (const std::string_view bytes : properties) {
      section.number(bytes.size());
      section.bytes(bytes);
    }
    write_section(writer_, SectionId::Properties, section.written());
  }

  // Calls `write` with each longest run of items that are the same.
  template <class T, class Same, class Write>
  static void for_each_group(const std::vector<T> &items, const Same &same, const Write &write) {
    for (std::size_t begin = 0, end = 0; begin < items.size(); begin = end) {
      while (end < items.size() && same(items[begin], items[end])) {
        ++end;
      }
      write(std::span(items).subspan(begin, end - begin));
    }
  }

  const File &file_;
  ByteWriter writer_;
};

}  // namespace

std::string write_bytecode(const File &file) {
  return FileWriter(file).write();
}

}  // namespace bp::import::mlir
