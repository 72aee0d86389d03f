// Rules of quantized operands and results, for operations that require more than compatible elements.
#include <algorithm>

#include "core/import/stablehlo/type_compatibility.h"
#include "core/import/stablehlo/verifier_rules.h"

namespace bp::import::stablehlo {
namespace {

bool is_quantized(const Type &type) {
  return type.quantization != nullptr;
}
bool is_by_dimension(const Type &type) {
  return is_quantized(type) && type.quantization->dimension >= 0;
}
std::size_t dimension_of(const Type &type) {
  return static_cast<std::size_t>(type.quantization->dimension);
}

Error differ(const Checked &checked, std::string_view what, const Type &a, const Type &b) {
  return checked.error("{}: {} of {} and {} differ, expected equal ones", checked.name(), what, to_string(a),
                       to_string(b));
}

// Checks that data movement keeps scales and zero points.
Status check_same_scales(const Checked &checked, const Type &operand, const Type &result) {
  const Quantization &a = *operand.quantization, &b = *result.quantization;
  return a.scales == b.scales && a.zero_points == b.zero_points
             ? Status()
             : differ(checked, "scales and zero points", operand, result);
}

// Returns whether both are quantized; fails if only one of them is quantized by dimension.
Result<bool> are_quantized_alike(const Checked &checked, const Type &operand, const Type &result) {
  if (!is_quantized(operand) || !is_quantized(result)) {
    return false;
  }
  if (is_by_dimension(operand) != is_by_dimension(result)) {
    return checked.error("{}: {} becomes {}, expected both quantized by dimension or neither", checked.name(),
                         to_string(operand), to_string(result));
  }
  return true;
}

}  // namespace

// The absolute value of a complex number is real; for other numbers it has the operand's type.
Status verify_abs(const Checked &checked) {
  const Type &operand = checked.operand(0), &result = checked.result(0);
  const bool agree =
      ir::is_complex(operand.shape.element_type()) ? !is_quantized(result) : have_compatible_elements(operand, result);
  return agree ? Status() : differ(checked, "elements", operand, result);
}

Status verify_add(const Checked &checked) {
  const Type &lhs = checked.operand(0), &rhs = checked.operand(1), &result = checked.result(0);
  if (is_quantized(lhs) != is_quantized(rhs) || is_quantized(lhs) != is_quantized(result)) {
    return checked.error("{} of {} and {} to {}, expected all quantized or none", checked.name(), to_string(lhs),
                         to_string(rhs), to_string(result));
  }
  for (const Type *other : {&rhs, &result}) {
    if (lhs.shape.element_type() != other->shape.element_type()) {
      return differ(checked, "elements", lhs, *other);
    }
    if (expressed_type(lhs) != expressed_type(*other)) {
      return differ(checked, "expressed types", lhs, *other);
    }
  }
  if ((is_by_dimension(lhs) || is_by_dimension(rhs)) != is_by_dimension(result)) {
    return checked.error("{} of {} and {} to {}, expected the result quantized by dimension if an operand is",
                         checked.name(), to_string(lhs), to_string(rhs), to_string(result));
  }
  for (const Type *operand : {&lhs, &rhs}) {
    if (is_by_dimension(*operand) && operand->quantization->dimension != result.quantization->dimension) {
      return differ(checked, "quantized dimensions", *operand, result);
    }
  }
  // The result must match operand 0, but not necessarily operand 1.
  return have_compatible_elements(lhs, result) ? Status() : differ(checked, "elements", lhs, result);
}

Status verify_transpose(const Checked &checked) {
  const Type &operand = checked.operand(0), &result = checked.result(0);
  BP_ASSIGN(const bool are_quantized, are_quantized_alike(checked, operand, result));
  if (!are_quantized) {
    return {};
  }
  BP_TRY(check_same_scales(checked, operand, result));
  const auto order = checked.integers("permutation", "dims");
  if (is_by_dimension(result) && dimension_of(result) < order.size() &&
      order[dimension_of(result)] != operand.quantization->dimension) {
    return checked.error(
        "{}: the quantized dimension {} of the result is dimension {} of the operand, expected {}, "
        "which is quantized",
        checked.name(), dimension_of(result), order[dimension_of(result)], dimension_of(operand));
  }
  return {};
}

// The quantized dimension must stay one dimension, with the same number of elements before it.
Status verify_reshape(const Checked &checked) {
  const Type &operand = checked.operand(0), &result = checked.result(0);
  BP_ASSIGN(const bool are_quantized, are_quantized_alike(checked, operand, result));
  if (!are_quantized) {
    return {};
  }
  BP_TRY(check_same_scales(checked, operand, result));
  if (is_by_dimension(operand)) {
    const auto before = operand.shape.sizes().first(dimension_of(operand));
    const auto after = result.shape.sizes().first(dimension_of(result));
    const bool are_known = operand.shape.is_static() && result.shape.is_static();
    if (are_known && (ir::product(before) != ir::product(after) ||
                      operand.shape.size(dimension_of(operand)) != result.shape.size(dimension_of(result)))) {
      return checked.error("{}: {} becomes {}, expected the quantized dimension to stay as it is", checked.name(),
                           to_string(operand), to_string(result));
    }
  }
  return {};
}

Status verify_broadcast_in_dim(const Checked &checked) {
  BP_TRY(verify_broadcast_dimensions(checked));
  const Type &operand = checked.operand(0), &result = checked.result(0);
  BP_ASSIGN(const bool are_quantized, are_quantized_alike(checked, operand, result));
  if (!are_quantized) {
    return {};
  }
  if (!is_by_dimension(operand)) {
    return check_same_scales(checked, operand, result);
  }
  const auto dimensions = checked.integers("broadcast_dimensions", "dims");
  const std::size_t from = dimension_of(operand);
  if (from < dimensions.size() && dimensions[from] != result.quantization->dimension) {
    return checked.error(
        "{}: the quantized dimension {} of the operand becomes dimension {}, expected {}, which is "
        "quantized in the result",
        checked.name(), from, dimensions[from], dimension_of(result));
  }
  const Quantization &a = *operand.quantization, &b = *result.quantization;
  const bool are_repeated = operand.shape.size(from) != 1 ||
                            (std::ranges::all_of(b.scales, [&](double scale) { return scale == a.scales[0]; }) &&
                             std::ranges::all_of(b.zero_points, [&](auto zero) { return zero == a.zero_points[0]; }));
  return are_repeated ? Status() : differ(checked, "scales and zero points", operand, result);
}

namespace {

// Products are of two quantized operands, or of floats with quantized weights.
Status check_products(const Checked &checked) {
  const Type &lhs = checked.operand(0), &rhs = checked.operand(1), &result = checked.result(0);
  if (!is_quantized(rhs) || is_quantized(lhs) != is_quantized(result)) {
    return checked.error(
        "{} of {} and {} to {}, expected operand 1 quantized, and operand 0 and the result quantized "
        "both or neither",
        checked.name(), to_string(lhs), to_string(rhs), to_string(result));
  }
  if (is_quantized(lhs) && lhs.shape.element_type() != rhs.shape.element_type()) {
    return differ(checked, "storage types", lhs, rhs);
  }
  for (const Type *other : {&lhs, &result}) {
    if (expressed_type(rhs) != expressed_type(*other)) {
      return differ(checked, "expressed types", rhs, *other);
    }
  }
  if (is_quantized(result) && !is_by_dimension(rhs) && is_by_dimension(result)) {
    return checked.error("{}: the result is {} with operand 1 {}, expected one scale in both", checked.name(),
                         to_string(result), to_string(rhs));
  }
  return {};
}

bool has_quantized(const Checked &checked) {
  return is_quantized(checked.operand(0)) || is_quantized(checked.operand(1)) || is_quantized(checked.result(0));
}

}  // namespace

Status verify_dot_general(const Checked &checked) {
  BP_TRY(verify_algorithm(checked));
  if (!has_quantized(checked)) {
    return {};
  }
  BP_TRY(check_products(checked));
  const Type &rhs = checked.operand(1);
  if (std::ranges::any_of(rhs.quantization->zero_points, [](std::int64_t zero) { return zero != 0; })) {
    return checked.error("{}: operand 1 is quantized with a zero point other than 0, expected 0", checked.name());
  }
  std::vector<std::int64_t> contracting;
  if (const Attribute *numbers = checked.find("dot_dimension_numbers")) {
    const Attribute *list = find_entry(*numbers, "rhs_contracting_dimensions");
    contracting = list == nullptr ? contracting : integers_of(*list);
  } else if (const Attribute *pair = checked.find("contracting_dims")) {
    const auto *lists = pair->get<std::vector<Attribute>>();
    contracting = lists == nullptr || lists->size() != 2 ? contracting : integers_of(lists->back());
  }
  if (is_by_dimension(rhs) && std::ranges::find(contracting, rhs.quantization->dimension) != contracting.end()) {
    return checked.error("{}: operand 1 is quantized along dimension {}, expected one that is not contracted",
                         checked.name(), dimension_of(rhs));
  }
  return {};
}

Status verify_convolution(const Checked &checked) {
  const Type &lhs = checked.operand(0), &rhs = checked.operand(1), &result = checked.result(0);
  if (!has_quantized(checked)) {
    return have_compatible_elements(lhs, rhs) ? Status() : differ(checked, "elements", lhs, rhs);
  }
  BP_TRY(check_products(checked));
  const Attribute *numbers = checked.find("dimension_numbers");
  auto check_dimension = [&](const Type &type, std::string_view what, std::string_view entry) -> Status {
    const Attribute *dimension = numbers == nullptr ? nullptr : find_entry(*numbers, entry);
    const auto *number = dimension == nullptr ? nullptr : dimension->get<std::int64_t>();
    if (is_by_dimension(type) && number != nullptr && *number != type.quantization->dimension) {
      return checked.error("{}: {} is quantized along dimension {}, expected {}, its {}", checked.name(), what,
                           dimension_of(type), *number, entry);
    }
    return {};
  };
  BP_TRY(check_dimension(rhs, "operand 1", "kernel_output_feature_dimension"));
  return check_dimension(result, "the result", "output_feature_dimension");
}

}  // namespace bp::import::stablehlo
