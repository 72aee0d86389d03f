// Verifies the statements of the module's header about the entry computation.
#include <set>

#include "core/ir/shape_inference.h"
#include "core/ir/verifier_checks.h"

namespace bp::ir {
namespace {

using Part = std::pair<std::int64_t, std::int64_t>;  // parameter number, position of the part in its shape

std::string describe(std::span<const std::int64_t> tuple_index) {
  std::string out = "{";
  for (std::int64_t i : tuple_index) {
    out += fmt::format("{}{}", out.size() == 1 ? "" : ",", i);
  }
  return out + "}";
}

// Returns the array that `tuple_index` names in `shape`; nullptr if it names no part, or a part that is not an array.
const Shape *find_array(const Shape &shape, std::span<const std::int64_t> tuple_index) {
  std::int64_t position = shape.position_of_index(tuple_index);
  if (position < 0) {
    return nullptr;
  }
  const Shape &part = shape.subshape(static_cast<std::size_t>(position));
  return part.is_array() ? &part : nullptr;
}

Result<const Shape *> find_parameter_part(Computation entry, std::int64_t parameter,
                                          std::span<const std::int64_t> tuple_index, std::string_view header) {
  if (parameter < 0 || parameter >= static_cast<std::int64_t>(entry.parameter_count())) {
    return invalid_input("{} names parameter {}, expected less than {}", header, parameter, entry.parameter_count());
  }
  const Shape *part = find_array(entry.parameter(static_cast<std::size_t>(parameter)).shape(), tuple_index);
  if (part == nullptr) {
    return invalid_input("{} names part {} of parameter {}, which is not an array", header, describe(tuple_index),
                         parameter);
  }
  return part;
}

Part part_of(Computation entry, std::int64_t parameter, std::span<const std::int64_t> tuple_index) {
  const Shape &shape = entry.parameter(static_cast<std::size_t>(parameter)).shape();
  return {parameter, shape.position_of_index(tuple_index)};
}

Status check_aliases(const Module &module) {
  Computation entry = module.entry();
  std::set<Part> taken;
  std::set<std::int64_t> outputs;
  for (const InputOutputAlias &alias : module.header().input_output_alias) {
    const Shape &result = entry.root().shape();
    const Shape *output = find_array(result, alias.output_index);
    if (output == nullptr) {
      return invalid_input("input_output_alias names part {} of the result, which is not an array",
                           describe(alias.output_index));
    }
    BP_ASSIGN(const Shape *input,
              find_parameter_part(entry, alias.parameter, alias.parameter_index, "input_output_alias"));
    if (output->byte_size() != input->byte_size()) {
      return invalid_input("input_output_alias shares a buffer between the output {} and the input {} of another size",
                           to_string(*output), to_string(*input));
    }
    bool is_new = outputs.insert(result.position_of_index(alias.output_index)).second;
    if (!taken.insert(part_of(entry, alias.parameter, alias.parameter_index)).second || !is_new) {
      return invalid_input("input_output_alias names output {} or part {} of parameter {} twice",
                           describe(alias.output_index), describe(alias.parameter_index), alias.parameter);
    }
  }
  for (const BufferDonor &donor : module.header().buffer_donor) {
    BP_TRY(find_parameter_part(entry, donor.parameter, donor.parameter_index, "buffer_donor"));
    if (!taken.insert(part_of(entry, donor.parameter, donor.parameter_index)).second) {
      return invalid_input("buffer_donor names part {} of parameter {}, which is given away already",
                           describe(donor.parameter_index), donor.parameter);
    }
  }
  return {};
}

Status check_entry_layout(const Module &module) {
  const ModuleHeader &header = module.header();
  Computation entry = module.entry();
  if (header.entry_parameter_shapes.size() != entry.parameter_count()) {
    return invalid_input("entry_computation_layout has {} parameters, expected {}",
                         header.entry_parameter_shapes.size(), entry.parameter_count());
  }
  auto check = [](const Shape &found, const Shape &expected, std::string_view what) -> Status {
    BP_TRY(verify_shape(found));
    if (!agree(found, expected)) {
      return invalid_input("entry_computation_layout has {} {}, expected {}", what,
                           to_string(found, PrintLayout::Never), to_string(expected, PrintLayout::Never));
    }
    return {};
  };
  for (std::size_t i = 0; i < entry.parameter_count(); ++i) {
    BP_TRY(check(header.entry_parameter_shapes[i], entry.parameter(i).shape(), fmt::format("parameter {}", i)));
  }
  return check(header.entry_result_shape, entry.root().shape(), "result");
}

Status check_header(const Module &module) {
  BP_TRY(check_aliases(module));
  if (module.header().has_entry_layout) {
    BP_TRY(check_entry_layout(module));
  }
  return {};
}

}  // namespace

Status verify_device_counts(const Module &module) {
  const ModuleHeader &header = module.header();
  if (header.replica_count >= 1 && header.num_partitions >= 1) {
    return {};
  }
  return invalid_input("the module has {} replicas and {} partitions, expected at least 1", header.replica_count,
                       header.num_partitions)
      .at({module.source_file(), 1, 1, {}});
}

Status verify_header(const Module &module) {
  Status status = check_header(module);
  if (!status.ok()) {
    return std::move(status).error().at({module.source_file(), 1, 1, {}});
  }
  return {};
}

}  // namespace bp::ir
