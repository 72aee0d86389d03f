#include "core/import/stablehlo/verifier.h"

#include <algorithm>
#include <unordered_map>

#include "core/import/stablehlo/verifier_rules.h"

namespace bp::import::stablehlo {
namespace {

// Recursion is bounded, because the reader limits the nesting of regions.
Status verify_region(const Program &program, const Region &region) {
  for (const Operation &operation : region.operations) {
    const Checked checked(program, operation);
    BP_TRY(verify_signature(checked));
    BP_TRY(verify_attributes(checked));
    if (Rule rule = find_rule(operation.name)) {
      BP_TRY(rule(checked));
    }
    for (const Region &inner : operation.regions) {
      BP_TRY(verify_region(program, inner));
    }
  }
  return {};
}

void collect(const Attribute &attribute, std::vector<std::int64_t> &numbers) {
  if (const auto *number = attribute.get<std::int64_t>()) {
    numbers.push_back(*number);
  } else if (const auto *list = attribute.get<std::vector<Attribute>>()) {
    for (const Attribute &item : *list) {
      collect(item, numbers);
    }
  } else if (const auto *elements = attribute.get<Elements>()) {
    constexpr std::int64_t max_splat = 1 << 16;
    const std::int64_t count = elements->type.shape.element_count();
    ir::visit_element_type(elements->literal.shape().element_type(), [&]<class T>() {
      if constexpr (std::is_integral_v<T>) {
        for (T element : elements->literal.elements<T>()) {
          numbers.push_back(static_cast<std::int64_t>(element));
        }
      }
    });
    if (elements->is_splat() && numbers.size() == 1 && count <= max_splat) {
      numbers.resize(static_cast<std::size_t>(count), numbers[0]);
    }
  }
}

}  // namespace

std::vector<std::int64_t> integers_of(const Attribute &attribute) {
  std::vector<std::int64_t> numbers;
  collect(attribute, numbers);
  return numbers;
}

const Attribute *find_entry(const Attribute &attribute, std::string_view name) {
  const auto *dictionary = attribute.get<Dictionary>();
  if (dictionary == nullptr) {
    return nullptr;
  }
  auto found = std::ranges::find(dictionary->entries, name, &NamedAttribute::name);
  return found == dictionary->entries.end() ? nullptr : &found->value;
}

const Attribute *Checked::find(std::string_view name, std::string_view pretty_name) const {
  auto found = std::ranges::find_if(operation_.attributes, [&](const NamedAttribute &entry) {
    return entry.name == name || (!pretty_name.empty() && entry.name == pretty_name);
  });
  return found == operation_.attributes.end() ? nullptr : &found->value;
}

std::vector<std::int64_t> Checked::integers(std::string_view name, std::string_view pretty_name) const {
  const Attribute *attribute = find(name, pretty_name);
  return attribute == nullptr ? std::vector<std::int64_t>() : integers_of(*attribute);
}

Rule find_rule(std::string_view operation) {
  static const std::unordered_map<std::string_view, Rule> rules = {
      {"chlo.constant_like", verify_constant_like},
      {"chlo.scan", verify_scan},
      {"stablehlo.abs", verify_abs},
      {"stablehlo.add", verify_add},
      {"stablehlo.all_gather", verify_all_gather},
      {"stablehlo.all_reduce", verify_all_reduce},
      {"stablehlo.all_to_all", verify_all_to_all},
      {"stablehlo.broadcast", verify_broadcast},
      {"stablehlo.broadcast_in_dim", verify_broadcast_in_dim},
      {"stablehlo.cbrt", verify_result_accuracy},
      {"stablehlo.collective_broadcast", verify_collective_broadcast},
      {"stablehlo.collective_permute", verify_collective_permute},
      {"stablehlo.convolution", verify_convolution},
      {"stablehlo.cosine", verify_result_accuracy},
      {"stablehlo.custom_call", verify_custom_call},
      {"stablehlo.dot_general", verify_dot_general},
      {"stablehlo.dynamic_broadcast_in_dim", verify_broadcast_dimensions},
      {"stablehlo.dynamic_gather", verify_dynamic_gather},
      {"stablehlo.dynamic_reshape", verify_dynamic_reshape},
      {"stablehlo.dynamic_update_slice", verify_dynamic_update_slice},
      {"stablehlo.exponential", verify_result_accuracy},
      {"stablehlo.exponential_minus_one", verify_result_accuracy},
      {"stablehlo.infeed", verify_infeed},
      {"stablehlo.log", verify_result_accuracy},
      {"stablehlo.log_plus_one", verify_result_accuracy},
      {"stablehlo.logistic", verify_result_accuracy},
      {"stablehlo.recv", verify_recv},
      {"stablehlo.reduce_scatter", verify_reduce_scatter},
      {"stablehlo.reshape", verify_reshape},
      {"stablehlo.rng", verify_rng},
      {"stablehlo.rsqrt", verify_result_accuracy},
      {"stablehlo.scatter", verify_scatter},
      {"stablehlo.select", verify_select},
      {"stablehlo.send", verify_send},
      {"stablehlo.sine", verify_result_accuracy},
      {"stablehlo.sqrt", verify_result_accuracy},
      {"stablehlo.tan", verify_result_accuracy},
      {"stablehlo.tanh", verify_result_accuracy},
      {"stablehlo.transpose", verify_transpose},
      {"stablehlo.while", verify_while},
  };
  auto found = rules.find(operation);
  return found == rules.end() ? nullptr : found->second;
}

Status verify(const Program &program) {
  for (const Region &region : program.module.regions) {
    BP_TRY(verify_region(program, region));
  }
  return {};
}

}  // namespace bp::import::stablehlo
