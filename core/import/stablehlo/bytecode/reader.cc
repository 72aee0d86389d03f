#include "core/import/stablehlo/bytecode/reader.h"

#include <algorithm>

#include "core/import/stablehlo/bytecode/attributes.h"
#include "core/import/stablehlo/bytecode/locations.h"
#include "core/import/stablehlo/bytecode/stored_attributes.h"
#include "core/import/stablehlo/bytecode/vhlo.h"
#include "core/import/stablehlo/operations.h"

namespace bp::import::stablehlo::bytecode {
namespace {

void to_symbol(Attribute &attribute) {
  if (const auto *name = attribute.get<std::string>()) {
    attribute.value = Symbol{*name};
  } else if (auto *list = std::get_if<std::vector<Attribute>>(&attribute.value)) {
    std::ranges::for_each(*list, to_symbol);
  }
}

class BytecodeReader {
 public:
  BytecodeReader(const mlir::File &file, std::string_view bytes, std::string name)
      : file_(file), encoding_(file), types_(encoding_), attributes_(encoding_, types_), locations_(encoding_) {
    program_.text = bytes;
    program_.file = std::move(name);
    program_.origins.emplace_back();
  }

  Result<Program> read() {
    for (const std::uint32_t type : file_.value_types) {
      BP_ASSIGN(Type read, types_.read(type));
      program_.values.push_back(std::move(read));
    }
    for (std::uint32_t i = 0; i < file_.value_types.size(); ++i) {
      values_.push_back(ValueId{i});
    }
    depths_.resize(values_.size());
    if (file_.body.operations.size() != 1) {
      return invalid_input("{} operations outermost, expected a module", file_.body.operations.size());
    }
    BP_TRY(expect_versions());
    const mlir::Operation &module = file_.body.operations[0];
    if (name_of(module) != "builtin.module" || module.regions.size() != 1) {
      return invalid_input("{} with {} regions outermost, expected a module with one", name_of(module),
                           module.regions.size());
    }
    BP_TRY(read_operation(module, program_.module, {}));
    return std::move(program_);
  }

 private:
  std::string name_of(const mlir::Operation &operation) const {
    const mlir::OperationName &name = file_.operation_names[operation.name];
    return fmt::format("{}.{}", name.dialect, name.name);
  }

  // Only operations of VHLO are stored in the same way by all versions of MLIR.
  Status expect_versions() const {
    const auto is_stablehlo = [](const mlir::OperationName &name) { return name.dialect == "stablehlo"; };
    const auto found = std::ranges::find_if(file_.operation_names, is_stablehlo);
    if (found == file_.operation_names.end()) {
      return {};
    }
    return Error(ErrorCode::Unsupported,
                 fmt::format("the file has stablehlo.{} in the bytecode of {}, which other versions store in another "
                             "way, expected a portable artifact, with operations of vhlo",
                             found->name, file_.producer))
        .note("write the program as text, or with serialize_portable_artifact()");
  }

  Error error(const Operation &operation, ErrorCode code, std::string message) const {
    return Error(code, std::move(message)).at(program_.location(operation.position));
  }

  Status read_operation(const mlir::Operation &from, Operation &to, std::string_view parent) {
    BP_ASSIGN(to.location, locations_.read(from.location));
    to.position = program_.origins.size();
    program_.origins.push_back(to.location);
    const mlir::OperationName &stored = file_.operation_names[from.name];
    const VhloOperation *vhlo = stored.dialect == "vhlo" ? find_vhlo(stored.name) : nullptr;
    const std::string name = vhlo == nullptr ? name_of(from) : vhlo->stablehlo;
    const OperationRow *row = find_row(name == "func.return" && parent != "func.func" ? "stablehlo.return" : name);
    if (row == nullptr) {
      return error(to, ErrorCode::Unsupported, unknown_operation(stored));
    }
    to.name = row->name;
    for (const std::uint32_t operand : from.operands) {
      to.operands.push_back(use(operand));
    }
    to.first_result = ValueId{from.first_result};
    to.result_count = from.result_count;
    define(from.first_result, from.result_count);
    if (Status status = read_attributes(from, to, vhlo); !status.ok()) {
      return Error(status.error().code(), fmt::format("{}: {}", to.name, status.error().message()))
          .at(program_.location(to.position));
    }
    for (const mlir::Region &region : from.regions) {
      BP_TRY(read_region(region, to));
    }
    return {};
  }

  std::string unknown_operation(const mlir::OperationName &stored) const {
    const bool is_newer = stored.dialect == "vhlo";
    return is_newer ? fmt::format(
                          "{}.{} is not known: the file is by {}, this reads StableHLO {} to {}; store it "
                          "with a target of at most {}",
                          stored.dialect, stored.name, file_.producer, to_string(oldest_version),
                          to_string(newest_version), to_string(newest_version))
                    : fmt::format("{}.{} is not supported{}", stored.dialect, stored.name, reason(stored));
  }

  static std::string reason(const mlir::OperationName &stored) {
    const std::string_view why = reason_to_refuse(fmt::format("{}.{}", stored.dialect, stored.name));
    return why.empty() ? std::string() : fmt::format(": {}", why);
  }

  // --- Regions and values ---

  Status read_region(const mlir::Region &from, Operation &parent) {
    Region &region = parent.regions.emplace_back();
    region.position = parent.position;
    scopes_.push_back(&region.captures);
    for (const std::uint32_t argument : from.arguments) {
      region.arguments.push_back(ValueId{argument});
      define(argument, 1);
    }
    region.argument_names.resize(from.arguments.size());
    region.operations.reserve(from.operations.size());
    for (const mlir::Operation &operation : from.operations) {
      if (name_of(operation) == "builtin.unrealized_conversion_cast") {
        BP_TRY(read_cast(operation));
        continue;
      }
      BP_TRY(read_operation(operation, region.operations.emplace_back(), parent.name));
    }
    scopes_.pop_back();
    return {};
  }

  // Casts between types of VHLO and of MLIR around operations of Shardy: the values are the same.
  Status read_cast(const mlir::Operation &cast) {
    if (cast.operands.size() != cast.result_count) {
      return invalid_input("byte {}: a cast of {} values to {}", cast.offset, cast.operands.size(), cast.result_count);
    }
    for (std::uint32_t i = 0; i < cast.result_count; ++i) {
      const ValueId value = values_[cast.operands[i]];
      if (program_.type(value) != program_.values[cast.first_result + i]) {
        return invalid_input("byte {}: a cast of {} to {}", cast.offset, to_string(program_.type(value)),
                             to_string(program_.values[cast.first_result + i]));
      }
      values_[cast.first_result + i] = value;
    }
    return {};
  }

  void define(std::uint32_t first, std::uint32_t count) { std::fill_n(depths_.begin() + first, count, scopes_.size()); }

  // Returns the value, which all regions between its definition and its use capture.
  ValueId use(std::uint32_t operand) {
    const ValueId value = values_[operand];
    for (std::size_t i = depths_[index(value)]; i < scopes_.size(); ++i) {
      scopes_[i]->insert(value);
    }
    return value;
  }

  // --- Attributes ---

  Status read_attributes(const mlir::Operation &from, Operation &to, const VhloOperation *vhlo) {
    std::vector<NamedAttribute> stored;
    if (from.properties) {
      BP_TRY(read_properties(*from.properties, to, vhlo, stored));
    }
    if (from.attributes) {
      BP_ASSIGN(Dictionary others, attributes_.read_dictionary(*from.attributes, to.position));
      std::ranges::move(others.entries, std::back_inserter(stored));
    }
    for (NamedAttribute &attribute : stored) {
      const VhloAttribute *own = find_attribute(vhlo, attribute.name);
      if (own == nullptr) {
        to.attributes.push_back(std::move(attribute));
      } else {
        BP_TRY(add_attribute(to, *own, std::move(attribute.value)));
      }
    }
    add_missing_layouts(to);
    return finish_groups(to, vhlo);
  }

  // Layouts of operands and results are present both or not at all.
  static void add_missing_layouts(Operation &to) {
    const Attribute *operands = to.find("operand_layouts"), *results = to.find("result_layouts");
    if ((operands == nullptr) != (results == nullptr)) {
      to.attributes.push_back(
          {operands == nullptr ? "operand_layouts" : "result_layouts", {std::vector<Attribute>(), to.position}});
    }
  }

  static const VhloAttribute *find_attribute(const VhloOperation *vhlo, std::string_view name) {
    if (vhlo == nullptr) {
      return nullptr;
    }
    const auto found = std::ranges::find(vhlo->attributes, name, &VhloAttribute::name);
    return found == vhlo->attributes.end() ? nullptr : &*found;
  }

  // An operation's own attributes, in alphabetical order, without their names. Those of builtin.module are optional.
  Status read_properties(const mlir::Section &section, const Operation &to, const VhloOperation *vhlo,
                         std::vector<NamedAttribute> &stored) {
    mlir::ByteReader reader(section.bytes, section.offset);
    std::vector<std::string_view> names;  // in their order in the file
    if (vhlo != nullptr) {
      std::ranges::transform(vhlo->attributes, std::back_inserter(names), &VhloAttribute::name);
      std::ranges::sort(names);
    } else {
      names = own_names(to);
    }
    for (const std::string_view name : names) {
      mlir::ByteReader::Flagged index{0, true};
      if (to.name == "builtin.module") {
        BP_ASSIGN(index, reader.flagged_number());
      } else {
        BP_ASSIGN(index.value, reader.number());
      }
      if (!index.flag) {
        continue;
      }
      if (index.value >= file_.attributes.size()) {
        return reader.error("attribute {} of {}", index.value, file_.attributes.size());
      }
      BP_ASSIGN(Attribute attribute, attributes_.read(static_cast<std::uint32_t>(index.value), to.position));
      stored.push_back({name, std::move(attribute)});
    }
    return reader.expect_end("the properties of an operation");
  }

  // Adds an attribute of VHLO as StableHLO has it. Members of a group are collected.
  static Status add_attribute(Operation &to, const VhloAttribute &own, Attribute attribute) {
    const bool is_list = own.kind == AttributeKind::I64List || own.kind == AttributeKind::BoolList;
    if (is_list && attribute.get<Elements>() != nullptr) {
      BP_ASSIGN(attribute, to_list(attribute));
    }
    if (!own.group.empty()) {
      auto group = std::ranges::find(to.attributes, own.group, &NamedAttribute::name);
      if (group == to.attributes.end()) {
        group = to.attributes.insert(group, {own.group, {Dictionary(), to.position}});
      }
      auto *members = std::get_if<Dictionary>(&group->value.value);
      if (members == nullptr) {
        return invalid_input("'{}' is given twice", own.group);
      }
      members->entries.push_back({own.name, std::move(attribute)});
      return {};
    }
    if (is_absent(own, attribute)) {
      return {};
    }
    const auto *text = attribute.get<std::string>();
    if (own.name == "sym_visibility" &&
        (text == nullptr || (*text != "public" && *text != "private" && *text != "nested"))) {
      return invalid_input("the visibility {}, expected public, private or nested", to_string(attribute));
    }
    if (own.kind == AttributeKind::Symbol || own.kind == AttributeKind::Symbols) {
      to_symbol(attribute);
    } else if (own.kind == AttributeKind::Unit) {
      attribute.value = std::monostate();
    }
    to.attributes.push_back({own.name, std::move(attribute)});
    return {};
  }

  // Removes groups that stand for absence, and gives channels the names that StableHLO has.
  static Status finish_groups(Operation &to, const VhloOperation *vhlo) {
    if (vhlo == nullptr) {
      return {};
    }
    for (const VhloAttribute &own : vhlo->attributes) {
      const auto group = std::ranges::find(to.attributes, own.group, &NamedAttribute::name);
      if (own.group.empty() || group == to.attributes.end()) {
        continue;
      }
      auto &members = std::get<Dictionary>(group->value.value).entries;
      if (own.is_optional && is_absent(std::get<Dictionary>(group->value.value))) {
        to.attributes.erase(group);
      } else if (members.front().name == "channel_id") {
        members.front().name = "handle";
        if (members.size() == 1) {
          members.push_back({"type", {std::int64_t{0}, to.position}});
        }
        members.back().name = "type";
      }
    }
    return {};
  }

  const mlir::File &file_;
  Encoding encoding_;
  TypeReader types_;
  AttributeReader attributes_;
  LocationReader locations_;
  Program program_;
  std::vector<ValueId> values_;      // by number in the file; the number of a cast has its operand
  std::vector<std::size_t> depths_;  // by ValueId: how many regions are around its definition
  std::vector<boost::container::flat_set<ValueId> *> scopes_;  // captures of the regions around
};

}  // namespace

Result<Program> read_program(std::string_view bytes, std::string file) {
  const SourceLocation location{file, 0, 0, {}};
  auto stored = mlir::read_bytecode(bytes);
  if (!stored.ok()) {
    return Error(stored.error()).at(location);
  }
  auto program = BytecodeReader(*stored, bytes, std::move(file)).read();
  if (!program.ok()) {
    return Error(program.error()).at(location);
  }
  return program;
}

}  // namespace bp::import::stablehlo::bytecode
