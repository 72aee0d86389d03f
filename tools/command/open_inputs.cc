#include "tools/command/open_inputs.h"

#include <algorithm>

#include "core/import/literal_integers.h"

namespace bp::command {
namespace {

bool has_given(const std::vector<ParameterIntegers> &given, std::size_t number, const std::string &name) {
  return std::ranges::any_of(given, [&](const ParameterIntegers &one) {
    return one.parameter == std::to_string(number) || one.parameter == name || one.parameter == "%" + name;
  });
}

}  // namespace

Status take_from_inputs(const std::string &model, const arrays::InputFiles &inputs, ReadOptions &reading) {
  const auto parameters = read_parameters(model, reading.format);
  if (!parameters.ok()) {
    return {};
  }
  for (std::size_t i = 0; i < parameters->size(); ++i) {
    const auto &[name, written] = (*parameters)[i];
    const auto input = inputs.find(i, name);
    if (!input || (written.is_valid() && !written.is_array())) {
      continue;
    }
    const bool is_open = !written.is_valid() || !written.is_static();
    const auto sizes = inputs.sizes(*input, written);
    if (!sizes.ok()) {
      if (is_open) {
        return sizes.error();
      }
      continue;
    }
    if (is_open && reading.parameter_shapes.empty() && !has_given(reading.parameter_sizes, i, name)) {
      reading.parameter_sizes.push_back({std::to_string(i), *sizes});
    }
    if (!written.is_valid()) {
      continue;
    }
    const auto literal = inputs.value(*input, ir::Shape::array(written.element_type(), *sizes));
    auto elements = literal.ok() ? import::size_integers(*literal) : std::nullopt;
    if (elements) {
      reading.parameter_values.push_back({std::to_string(i), *std::move(elements)});
    }
  }
  return {};
}

}  // namespace bp::command
