// Rules of loops, custom calls, and attributes that specify how something is computed.
#include <algorithm>

#include "core/import/stablehlo/type_compatibility.h"
#include "core/import/stablehlo/verifier_rules.h"

namespace bp::import::stablehlo {

// --- Loops ---

namespace {

template <class TypeOf>
Status check_carried(const Checked &checked, std::size_t count, TypeOf &&type_of, std::string_view what) {
  if (count != checked.operand_count()) {
    return checked.error("{}: {} {} values, expected {}", checked.name(), what, count, checked.operand_count());
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (const Type &found = type_of(i); !are_compatible(found, checked.operand(i))) {
      return checked.error("{}: {} {} as value {}, expected {} as operand {}", checked.name(), what, to_string(found),
                           i, to_string(checked.operand(i)), i);
    }
  }
  return {};
}

}  // namespace

Status verify_while(const Checked &checked) {
  const auto &regions = checked.operation().regions;
  if (regions.size() != 2) {
    return checked.error("{} has {} region{}, expected 2", checked.name(), regions.size(),
                         regions.size() == 1 ? "" : "s");
  }
  constexpr std::string_view takes[] = {"the condition takes", "the body takes"};
  for (std::size_t k = 0; k < 2; ++k) {
    BP_TRY(check_carried(
        checked, regions[k].arguments.size(),
        [&](std::size_t i) -> const Type & { return checked.type(regions[k].arguments[i]); }, takes[k]));
  }
  if (!regions[1].operations.empty()) {
    const Operation &last = regions[1].operations.back();
    BP_TRY(check_carried(
        checked, last.operands.size(), [&](std::size_t i) -> const Type & { return checked.type(last.operands[i]); },
        "the body returns"));
  }
  return check_carried(
      checked, checked.result_count(), [&](std::size_t i) -> const Type & { return checked.result(i); },
      "the loop results in");
}

Status verify_select(const Checked &checked) {
  for (const Type *other : {&checked.operand(2), &checked.result(0)}) {
    if (!have_equal_elements(checked.operand(1), *other) ||
        !have_compatible_sizes(checked.operand(1).shape, other->shape)) {
      return checked.error("{} of {} and {} to {}, expected the same type", checked.name(),
                           to_string(checked.operand(1)), to_string(checked.operand(2)), to_string(checked.result(0)));
    }
  }
  return {};
}

// --- Sizes that attributes and operands give ---

// The new sizes precede those of the operand.
Status verify_broadcast(const Checked &checked) {
  std::vector<std::int64_t> sizes = checked.integers("broadcast_sizes", "sizes");
  const auto own = checked.operand(0).shape.sizes();
  sizes.insert(sizes.end(), own.begin(), own.end());
  const ir::Shape &result = checked.result(0).shape;
  bool fits = sizes.size() == result.rank();
  for (std::size_t i = 0; fits && i < sizes.size(); ++i) {
    fits = result.size(i) == ir::unbounded || sizes[i] == ir::unbounded || result.size(i) == sizes[i];
  }
  return fits ? Status()
              : checked.error("{} of {} to {}, expected the sizes of the operand after those of broadcast_sizes",
                              checked.name(), to_string(checked.operand(0)), to_string(checked.result(0)));
}

// Each dimension of the operand must correspond to a different dimension.
Status verify_broadcast_dimensions(const Checked &checked) {
  std::vector<std::int64_t> dimensions = checked.integers("broadcast_dimensions", "dims");
  std::ranges::sort(dimensions);
  const auto twice = std::ranges::adjacent_find(dimensions);
  return twice == dimensions.end() ? Status()
                                   : checked.error("{}: dimension {} is twice in broadcast_dimensions, expected once",
                                                   checked.name(), *twice);
}

namespace {

// Checks that a vector of sizes has one entry for each dimension.
Status check_size_count(const Checked &checked, std::size_t operand, const Type &type, std::string_view what) {
  const ir::Shape &sizes = checked.operand(operand).shape;
  if (sizes.rank() == 1 && sizes.size(0) != ir::unbounded &&
      sizes.size(0) != static_cast<std::int64_t>(type.shape.rank())) {
    return checked.error("{}: operand {} gives {} sizes, expected one for each dimension of {}, {}", checked.name(),
                         operand, sizes.size(0), what, to_string(type));
  }
  return {};
}

}  // namespace

Status verify_dynamic_gather(const Checked &checked) {
  return check_size_count(checked, 2, checked.operand(0), "operand 0");
}

Status verify_dynamic_reshape(const Checked &checked) {
  return check_size_count(checked, 1, checked.result(0), "the result");
}

Status verify_rng(const Checked &checked) {
  return check_size_count(checked, 2, checked.result(0), "the result");
}

Status verify_dynamic_update_slice(const Checked &checked) {
  const Type &operand = checked.operand(0), &update = checked.operand(1);
  return have_equal_elements(operand, update) ? Status()
                                              : checked.error("{} of {} in {}, expected elements of the same type",
                                                              checked.name(), to_string(update), to_string(operand));
}

// The operands are inputs, indices, and one update per input.
Status verify_scatter(const Checked &checked) {
  const std::size_t count = checked.operand_count(), inputs = (count - 1) / 2;
  if (count % 2 == 0) {
    return checked.error("{} has {} operands, expected inputs, indices, and as many updates", checked.name(), count);
  }
  const Type &indices = checked.operand(inputs);
  if (!ir::is_integer(indices.shape.element_type()) || indices.quantization != nullptr) {
    return checked.error("{}: the indices are {}, expected integers", checked.name(), to_string(indices));
  }
  return {};
}

namespace {

// Checks array<i32: 1, 1>, which only the generic form has: the numbers of inputs and of carries.
Status check_segments(const Checked &checked, std::string_view name, std::size_t count) {
  const std::vector<std::int64_t> sizes = checked.integers(name);
  std::int64_t sum = 0;
  for (std::int64_t size : sizes) {
    sum = size < 0 || size > 1 << 20 ? std::int64_t{-1} << 40 : sum + size;
  }
  if (sizes.size() != 2 || sum != static_cast<std::int64_t>(count)) {
    return checked.error("{}: '{}' is [{}], expected two numbers whose sum is {}", checked.name(), name,
                         fmt::join(sizes, ", "), count);
  }
  return {};
}

}  // namespace

Status verify_scan(const Checked &checked) {
  if (checked.find("inits") == nullptr) {
    BP_TRY(check_segments(checked, "operandSegmentSizes", checked.operand_count()));
    BP_TRY(check_segments(checked, "resultSegmentSizes", checked.result_count()));
  }
  for (const Region &region : checked.operation().regions) {
    for (std::size_t i = 0; i < std::min(region.arguments.size(), checked.operand_count()); ++i) {
      const Type &argument = checked.type(region.arguments[i]);
      if (!have_compatible_elements(argument, checked.operand(i))) {
        return checked.error("{}: its region takes {} as value {}, expected elements of {}", checked.name(),
                             to_string(argument), i, to_string(checked.operand(i)));
      }
    }
  }
  return {};
}

// --- Custom calls ---

namespace {

Status check_layout(const Checked &checked, const ir::Shape &shape, const Attribute &layout, std::string_view what) {
  std::vector<std::int64_t> order = integers_of(layout);
  const std::size_t rank = shape.is_array() ? shape.rank() : 0;
  std::ranges::sort(order);
  bool is_permutation = order.size() == rank;
  for (std::size_t i = 0; is_permutation && i < rank; ++i) {
    is_permutation = order[i] == static_cast<std::int64_t>(i);
  }
  if (shape.is_tuple() || !is_permutation) {
    return checked.error_at(
        layout.position, "a layout of {} numbers for {} {}, expected {}", order.size(), what, to_string(Type{shape}),
        shape.is_tuple() ? "no tuple where layouts are given" : fmt::format("each of its {} dimensions once", rank));
  }
  return {};
}

Status check_layouts(const Checked &checked, std::span<const ir::Shape> shapes, const Attribute &layouts,
                     std::string_view what) {
  const auto *list = layouts.get<std::vector<Attribute>>();
  if (list == nullptr || list->size() != shapes.size()) {
    return checked.error_at(layouts.position, "{} layouts of {}s, expected {}", list == nullptr ? 0 : list->size(),
                            what, shapes.size());
  }
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    BP_TRY(check_layout(checked, shapes[i], (*list)[i], what));
  }
  return {};
}

constexpr std::int64_t typed_ffi = 4;  // the api_version whose backend_config is a dictionary

Status check_backend_config(const Checked &checked) {
  const Attribute *config = checked.find("backend_config");
  const auto version = checked.integers("api_version");
  const bool is_typed = version.size() == 1 && version[0] == typed_ffi;
  if (config == nullptr || (is_typed ? config->get<Dictionary>() != nullptr : config->get<std::string>() != nullptr)) {
    return {};
  }
  return checked.error_at(config->position, "'backend_config' is {}, expected a {} with api_version {}",
                          to_string(*config), is_typed ? "dictionary" : "string",
                          version.empty() ? std::int64_t{1} : version[0]);
}

}  // namespace

Status verify_custom_call(const Checked &checked) {
  BP_TRY(check_backend_config(checked));
  const Attribute *operands = checked.find("operand_layouts"), *results = checked.find("result_layouts");
  if (operands == nullptr && results == nullptr) {
    return {};
  }
  if (operands == nullptr || results == nullptr) {
    return checked.error("{} has layouts of its {} alone, expected layouts of both operands and results",
                         checked.name(), operands == nullptr ? "results" : "operands");
  }
  std::vector<ir::Shape> taken, given;
  for (std::size_t i = 0; i < checked.operand_count(); ++i) {
    const Type &type = checked.operand(i);
    taken.push_back(type.is_future ? ir::Shape::token() : type.shape);  // neither has dimensions
  }
  for (std::size_t i = 0; i < checked.result_count(); ++i) {
    given.push_back(checked.result(i).shape);
  }
  if (given.size() == 1 && given[0].is_tuple()) {
    const std::vector<ir::Shape> parts(given[0].elements().begin(), given[0].elements().end());
    given = parts;
  }
  BP_TRY(check_layouts(checked, taken, *operands, "operand"));
  return check_layouts(checked, given, *results, "result");
}

// --- How something is computed ---

Status verify_constant_like(const Checked &checked) {
  const Attribute *value = checked.find("value");
  const ir::ElementType type = checked.result(0).shape.element_type();
  if (value != nullptr && value->type != ir::ElementType::Invalid && value->type != type) {
    return checked.error_at(value->position, "the value is of {}, expected {} as the result",
                            element_type_name(value->type), element_type_name(type));
  }
  return {};
}

// Checks that tolerances are not negative, and only used with mode TOLERANCE.
Status verify_result_accuracy(const Checked &checked) {
  const Attribute *accuracy = checked.find("result_accuracy");
  if (accuracy == nullptr) {
    return {};
  }
  const Attribute *mode = find_entry(*accuracy, "mode");
  const auto *word = mode == nullptr ? nullptr : mode->get<Keyword>();
  constexpr std::string_view modes[] = {"DEFAULT", "HIGHEST", "TOLERANCE"};
  if (word == nullptr || std::ranges::find(modes, word->text) == std::end(modes)) {
    return checked.error_at(accuracy->position,
                            "'result_accuracy' is {}, expected the mode DEFAULT, HIGHEST or TOLERANCE",
                            to_string(*accuracy));
  }
  for (const NamedAttribute &entry : accuracy->get<Dictionary>()->entries) {
    const auto *real = entry.value.get<double>();
    const auto *number = entry.value.get<std::int64_t>();
    const bool is_real = entry.name == "atol" || entry.name == "rtol";  // may be given as bits, such as 0x7FC00000
    const bool is_tolerance = is_real                ? real != nullptr || number != nullptr
                              : entry.name == "ulps" ? number != nullptr
                                                     : entry.name == "mode";
    const double value = real != nullptr ? *real : !is_real && number != nullptr ? static_cast<double>(*number) : 0;
    if (!is_tolerance || value < 0 || (value > 0 && word->text != "TOLERANCE")) {
      return checked.error_at(entry.value.position, "'{}' of the accuracy is {}, expected {}", entry.name,
                              to_string(entry.value),
                              !is_tolerance ? "atol = 0.0, rtol = 0.0, ulps = 0 or mode"
                              : value < 0   ? "at least 0"
                                            : fmt::format("0 with the mode {}", word->text));
    }
  }
  return {};
}

namespace {

// Algorithms that some hardware supports; others are refused. All pairs of 8-bit operand types are allowed.
struct AlgorithmRow {
  std::string_view operands, accumulator;
  std::span<const std::int64_t> operations;
};
constexpr std::int64_t one[] = {1}, up_to_three[] = {1, 3}, up_to_nine[] = {1, 3, 6, 9};
constexpr AlgorithmRow algorithms[] = {
    {"f16", "f16", one},          {"f16", "f32", one}, {"bf16", "bf16", one}, {"bf16", "f32", up_to_nine},
    {"tf32", "f32", up_to_three}, {"f32", "f32", one}, {"f64", "f64", one},   {"f8", "f32", one}};

std::string word_of(const Attribute &algorithm, std::string_view name) {
  const Attribute *entry = find_entry(algorithm, name);
  return entry == nullptr ? std::string() : to_string(*entry);
}

}  // namespace

Status verify_algorithm(const Checked &checked) {
  const Attribute *algorithm = checked.find("algorithm");
  if (algorithm == nullptr || algorithm->get<Dictionary>() == nullptr) {
    return {};
  }
  auto kind_of = [&](std::string_view name) {
    const std::string word = word_of(*algorithm, name);
    return word.starts_with("f8") ? std::string("f8") : word;
  };
  const std::string lhs = kind_of("lhs_precision_type"), rhs = kind_of("rhs_precision_type");
  const bool is_fast = word_of(*algorithm, "allow_imprecise_accumulation") == "true";
  const bool is_split =
      word_of(*algorithm, "lhs_component_count") != "1" || word_of(*algorithm, "rhs_component_count") != "1";
  const std::string count = word_of(*algorithm, "num_primitive_operations");
  const bool is_known = std::ranges::any_of(algorithms, [&](const AlgorithmRow &row) {
    return row.operands == lhs && row.accumulator == word_of(*algorithm, "accumulation_type") &&
           std::ranges::any_of(row.operations, [&](std::int64_t number) { return fmt::format("{}", number) == count; });
  });
  if (!is_known || lhs != rhs || is_split || (is_fast && lhs != "f8")) {
    return checked.error_at(algorithm->position, "the algorithm is {}, expected one that some hardware has",
                            to_string(*algorithm));
  }
  const Attribute *precision = checked.find("precision_config", "precision");
  const auto *list = precision == nullptr ? nullptr : precision->get<std::vector<Attribute>>();
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    if (const auto *word = (*list)[i].get<Keyword>(); word != nullptr && word->text != "DEFAULT") {
      return checked.error_at((*list)[i].position, "the precision {} with an algorithm, expected DEFAULT", word->text);
    }
  }
  return {};
}

}  // namespace bp::import::stablehlo
