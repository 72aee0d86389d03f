#include "core/import/mlir/file_builder.h"

namespace bp::import::mlir {

FileBuilder::FileBuilder(std::uint64_t version, std::string_view producer) {
  file_.version = version;
  file_.producer = keep(producer);
}

std::uint32_t FileBuilder::string(std::string_view text) {
  const auto [found, is_new] = strings_.emplace(text, static_cast<std::uint32_t>(file_.strings.size()));
  if (is_new) {
    file_.strings.push_back(keep(text));
  }
  return found->second;
}

std::uint32_t FileBuilder::dialect(std::string_view name) {
  const auto [found, is_new] = dialects_.emplace(name, static_cast<std::uint32_t>(file_.dialects.size()));
  if (is_new) {
    file_.dialects.push_back(file_.strings[string(name)]);
  }
  return found->second;
}

std::uint32_t FileBuilder::operation_name(std::string_view dialect, std::string_view name) {
  const auto [found, is_new] = operation_names_.emplace(std::string(dialect) + "." + std::string(name),
                                                        static_cast<std::uint32_t>(file_.operation_names.size()));
  if (is_new) {
    const std::string_view kept_dialect = file_.dialects[this->dialect(dialect)];
    file_.operation_names.push_back({kept_dialect, file_.strings[string(name)]});
  }
  return found->second;
}

std::uint32_t FileBuilder::attribute(std::string_view dialect, std::string bytes) {
  return add_encoded(file_.attributes, attributes_, dialect, std::move(bytes));
}

std::uint32_t FileBuilder::type(std::string_view dialect, std::string bytes) {
  return add_encoded(file_.types, types_, dialect, std::move(bytes));
}

std::uint32_t FileBuilder::add_encoded(std::vector<Encoded> &list, Indices &known, std::string_view dialect,
                                       std::string bytes) {
  const std::uint32_t owner = this->dialect(dialect);
  const auto [found, is_new] =
      known.emplace(std::to_string(owner) + ":" + bytes, static_cast<std::uint32_t>(list.size()));
  if (is_new) {
    const std::string_view key = found->first;  // stays where it is while the table grows
    list.push_back({owner, false, {key.substr(key.find(':') + 1), 0}});
  }
  return found->second;
}

std::uint32_t FileBuilder::value(std::uint32_t type) {
  file_.value_types.push_back(type);
  return static_cast<std::uint32_t>(file_.value_types.size() - 1);
}

Section FileBuilder::properties(std::string bytes) {
  return {kept_.emplace_back(std::move(bytes)), 0};
}

}  // namespace bp::import::mlir
