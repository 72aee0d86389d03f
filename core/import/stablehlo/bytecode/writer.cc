#include "core/import/stablehlo/bytecode/writer.h"

#include <algorithm>

#include "core/import/mlir/bytecode_writer.h"
#include "core/import/stablehlo/bytecode/attribute_writer.h"
#include "core/import/stablehlo/bytecode/location_writer.h"
#include "core/import/stablehlo/bytecode/stored_attributes.h"
#include "core/import/stablehlo/bytecode/version_rules.h"

namespace bp::import::stablehlo::bytecode {
namespace {

using Entry = AttributeWriter::Entry;

bool is_isolated(const Operation &operation) {
  return operation.name == "builtin.module" || operation.name == "func.func";
}

class ProgramWriter {
 public:
  ProgramWriter(const Program &program, Version target)
      : program_(program),
        target_(target),
        file_(bytecode_version(target), fmt::format("StableHLO_v{}", to_string(target))),
        types_(file_, target),
        attributes_(file_, types_, target),
        locations_(file_, target),
        values_(program.values.size()) {}

  Result<std::string> write() {
    mlir::Operation &module = file_.file().body.operations.emplace_back();
    file_.file().body.has_block = true;
    module = begin("builtin", "module", program_.module);
    module.is_isolated = true;
    BP_TRY(located(program_.module, write_attributes(program_.module, module)));
    mlir::Region &body = module.regions.emplace_back();
    body.has_block = true;
    for (const Region &region : program_.module.regions) {
      BP_TRY(write_operations(region, body));
    }
    return mlir::write_bytecode(file_.file());
  }

 private:
  mlir::Operation begin(std::string_view dialect, std::string_view name, const Operation &from) {
    mlir::Operation to;
    to.name = file_.operation_name(dialect, name);
    to.location = locations_.write(from.location.get());
    return to;
  }

  // Adds the name of the operation and its location to an error.
  Status located(const Operation &operation, Status status) const {
    if (status.ok()) {
      return status;
    }
    const Error &error = status.error();
    const bool is_named = error.message().find(operation.name) != std::string::npos;
    return Error(error.code(), is_named ? error.message() : fmt::format("{}: {}", operation.name, error.message()))
        .at(error.location().file.empty() ? program_.location(operation.position) : error.location());
  }

  // --- Operations ---

  Status write_operations(const Region &from, mlir::Region &to) {
    for (const Operation &operation : from.operations) {
      const bool is_shardy = operation.name.starts_with("sdy.");
      auto written = is_shardy ? write_shardy(operation, to) : write_operation(operation);
      if (!written.ok()) {
        return located(operation, written.error());
      }
      BP_TRY(write_regions(operation, *written));
      to.operations.push_back(std::move(written).value());
      if (is_shardy) {
        BP_TRY(located(operation, cast_results(operation, to)));
      }
    }
    return {};
  }

  // Returns all but its regions.
  Result<mlir::Operation> write_operation(const Operation &from) {
    const VhloOperation *newest = find_vhlo_of(from.name);
    if (newest == nullptr) {
      return unsupported("{} cannot be stored: it is no operation of StableHLO or Shardy; the passes rewrite it",
                         from.name);
    }
    const VhloOperation *form = find_vhlo_of(from.name, target_);
    if (form == nullptr) {
      return needs(from.name, *first_version_of(from.name), target_);
    }
    BP_TRY(check_version_rules(program_, from, target_));
    BP_TRY(check_attributes(program_, from, *newest, *form, target_));
    mlir::Operation operation = begin("vhlo", form->name, from);
    operation.is_isolated = is_isolated(from);
    for (const ValueId operand : from.operands) {
      operation.operands.push_back(values_[index(operand)]);
    }
    BP_TRY(define_results(from, operation, Dialect::Vhlo));
    BP_TRY(write_attributes(from, *newest, *form, operation));
    return operation;
  }

  Status define_results(const Operation &from, mlir::Operation &to, Dialect dialect) {
    to.result_count = from.result_count;
    for (std::uint32_t i = 0; i < from.result_count; ++i) {
      BP_ASSIGN(const std::uint32_t value, define(from.result(i), dialect));
      to.first_result = i == 0 ? value : to.first_result;
    }
    return {};
  }

  Result<std::uint32_t> define(ValueId value, Dialect dialect) {
    BP_ASSIGN(const std::uint32_t type, types_.write(program_.type(value), dialect));
    return values_[index(value)] = file_.value(type);
  }

  // Functions without a body have a region without a block.
  Status write_regions(const Operation &from, mlir::Operation &to) {
    to.regions.resize(from.name == "func.func" ? 1 : from.regions.size());
    for (std::size_t i = 0; i < from.regions.size(); ++i) {
      const Region &region = from.regions[i];
      mlir::Region &written = to.regions[i];
      written.has_block = from.name != "func.func" || !region.operations.empty();
      if (written.has_block) {
        BP_TRY(located(from, write_arguments(region, written, from.name.starts_with("sdy."))));
        BP_TRY(write_operations(region, written));
      }
    }
    return {};
  }

  // The regions of Shardy have types of MLIR's builtin dialect.
  Status write_arguments(const Region &from, mlir::Region &to, bool is_shardy) {
    for (const ValueId argument : from.arguments) {
      BP_ASSIGN(const std::uint32_t value, define(argument, is_shardy ? Dialect::Builtin : Dialect::Vhlo));
      to.arguments.push_back(value);
    }
    for (const ValueId argument : is_shardy ? std::span(from.arguments) : std::span<const ValueId>()) {
      BP_TRY(cast(argument, Dialect::Vhlo, to));
    }
    return {};
  }

  // --- Shardy: its operations have types of MLIR's builtin dialect, between casts ---

  // Adds the casts of its operands. Returns all but its regions.
  Result<mlir::Operation> write_shardy(const Operation &from, mlir::Region &to) {
    std::vector<std::uint32_t> operands;
    for (const ValueId operand : from.operands) {
      const std::uint32_t stored = values_[index(operand)];
      BP_TRY(cast(operand, Dialect::Builtin, to));
      operands.push_back(std::exchange(values_[index(operand)], stored));
    }
    mlir::Operation operation = begin("sdy", from.name.substr(from.name.find('.') + 1), from);
    operation.operands.assign(operands.begin(), operands.end());
    BP_TRY(define_results(from, operation, Dialect::Builtin));
    BP_TRY(write_attributes(from, operation));
    return operation;
  }

  Status cast_results(const Operation &from, mlir::Region &to) {
    for (std::uint32_t i = 0; i < from.result_count; ++i) {
      BP_TRY(cast(from.result(i), Dialect::Vhlo, to));
    }
    return {};
  }

  // Adds an operation that casts the value to the type of another dialect.
  Status cast(ValueId value, Dialect dialect, mlir::Region &to) {
    mlir::Operation operation = begin("builtin", "unrealized_conversion_cast", {});
    operation.operands.push_back(values_[index(value)]);
    BP_ASSIGN(operation.first_result, define(value, dialect));
    operation.result_count = 1;
    to.operations.push_back(std::move(operation));
    return {};
  }

  // --- Attributes ---

  // Writes those of operations that are not of VHLO. The own ones of a module may be absent.
  Status write_attributes(const Operation &from, mlir::Operation &to) {
    const std::vector<std::string_view> names = own_names(from);
    std::vector<std::optional<std::uint32_t>> own(names.size());
    std::vector<Entry> others;
    for (const NamedAttribute &attribute : from.attributes) {
      const auto name = std::ranges::find(names, attribute.name);
      const auto *symbol = attribute.value.get<Symbol>();
      const bool is_name = attribute.name == "sym_name" && symbol != nullptr;
      BP_ASSIGN(const std::uint32_t written,
                attributes_.write(is_name ? Attribute{symbol->name} : attribute.value, Dialect::Builtin));
      if (name == names.end()) {
        others.push_back({attribute.name, written});
      } else {
        own[static_cast<std::size_t>(name - names.begin())] = written;
      }
    }
    mlir::ByteWriter properties;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (from.name == "builtin.module") {
        properties.flagged_number(own[i].value_or(0), own[i].has_value());
      } else if (own[i]) {
        properties.number(*own[i]);
      } else {
        return invalid_input("the attribute '{}' is missing", names[i]);
      }
      if (own[i] && !has_properties()) {
        others.push_back({names[i], *own[i]});
      }
    }
    finish_attributes(std::move(properties), !names.empty(), std::move(others), to);
    return {};
  }

  // Writes those of an operation of VHLO: all that its form has, absent ones too.
  Status write_attributes(const Operation &from, const VhloOperation &newest, const VhloOperation &form,
                          mlir::Operation &to) {
    BP_ASSIGN(const std::vector<StoredAttribute> stored, stored_attributes(program_, from, form));
    std::vector<Entry> own, others;
    for (const StoredAttribute &attribute : stored) {
      BP_ASSIGN(const std::uint32_t written, write_own(attribute));
      own.push_back({attribute.row->name, written});
    }
    std::ranges::sort(own, {}, &Entry::name);
    for (const NamedAttribute *other : other_attributes(from, newest)) {
      BP_ASSIGN(const std::uint32_t written, attributes_.write(other->value));
      others.push_back({other->name, written});
    }
    mlir::ByteWriter properties;
    for (const Entry &entry : own) {
      properties.number(entry.attribute);
    }
    const bool has_own = !own.empty();
    if (!has_properties()) {
      others.insert(others.end(), own.begin(), own.end());
    }
    finish_attributes(std::move(properties), has_own, std::move(others), to);
    return {};
  }

  // Attributes of arguments and results are stored as an empty list if there are none.
  Result<std::uint32_t> write_own(const StoredAttribute &attribute) {
    const auto *list = attribute.value.get<std::vector<Attribute>>();
    const auto is_empty = [](const Attribute &item) {
      const auto *dictionary = item.get<Dictionary>();
      return dictionary != nullptr && dictionary->entries.empty();
    };
    if (attribute.row->kind == AttributeKind::Dictionaries && list != nullptr && std::ranges::all_of(*list, is_empty)) {
      return attributes_.write({std::vector<Attribute>()}, AttributeKind::Dictionaries);
    }
    return attributes_.write(attribute.value, attribute.row->kind);
  }

  bool has_properties() { return file_.file().version >= 5; }

  void finish_attributes(mlir::ByteWriter properties, bool has_own, std::vector<Entry> others, mlir::Operation &to) {
    if (has_own && has_properties()) {
      to.properties = file_.properties(properties.take());
    }
    if (!others.empty()) {
      to.attributes = attributes_.write_dictionary(std::move(others));
    }
  }

  const Program &program_;
  Version target_;
  mlir::FileBuilder file_;
  TypeWriter types_;
  AttributeWriter attributes_;
  LocationWriter locations_;
  std::vector<std::uint32_t> values_;  // by ValueId: the value in the file; of VHLO, except while it is cast
};

}  // namespace

Result<std::string> write_program(const Program &program, Version target) {
  return ProgramWriter(program, target).write();
}

}  // namespace bp::import::stablehlo::bytecode
