#include "core/ir/run_time_sizes.h"

#include <algorithm>
#include <ranges>

#include "core/ir/shape_inference_rules.h"
#include "core/ir/size_formulas.h"

namespace bp::ir {
namespace {

using shape_rules::contains;
using namespace size_formulas;

struct SizeRow {
  SizeRule rule;
  std::string_view summary;
};

SizeRow size_row(Opcode opcode) {
  switch (opcode) {
#define BP_RUN_TIME_SIZES(name, rule, summary) \
  case Opcode::name: return {SizeRule::rule, summary};
#include "core/ir/run_time_sizes.def"
    default: return {SizeRule::Bounded, "those that the dynamic operands have"};  // elementwise
  }
}

// A dimension of an operand.
struct OperandDimension {
  std::size_t operand, dimension;
};

class SizeRules {
 public:
  explicit SizeRules(const Instruction &instruction) : i_(instruction) {}

  std::vector<SizeFormulas> operands() const;
  std::vector<SizeFormulas> results() const;

 private:
  const Shape &shape(std::size_t operand) const { return i_.operand(operand).shape(); }
  bool is_dynamic(OperandDimension at) const { return shape(at.operand).is_dynamic(at.dimension); }
  std::span<const std::int64_t> list(AttributeKey key) const { return i_.numbers(key); }
  bool is_elementwise() const { return i_.is(Trait::Elementwise) || i_.opcode() == Opcode::Map; }
  std::size_t inputs() const;  // number of leading operands that are inputs, for ops with one result per input

  // Returns the size of an operand's dimension on its own.
  SizeFormula of(OperandDimension at) const {
    return is_dynamic(at)
               ? SizeFormula{Opcode::GetDimensionSize, static_cast<std::int64_t>(at.operand), at.dimension, {}}
               : fixed(shape(at.operand).size(at.dimension));
  }
  // Returns the common size of dimensions that must be equal: the smallest of the dynamic ones. In an elementwise op on
  // two operands, one element is combined with any number of elements.
  SizeFormula shared(std::span<const OperandDimension> places) const;
  // Returns the dimensions that must equal this one, including itself.
  std::vector<OperandDimension> equals(OperandDimension at) const;
  std::vector<OperandDimension> in_all_inputs(std::size_t dimension) const;
  SizeFormula size(OperandDimension at) const { return shared(equals(at)); }
  SizeFormulas sizes(std::size_t operand) const;

  std::size_t index_dimension(std::size_t batch) const;
  std::vector<OperandDimension> pairs(OperandDimension at, AttributeKey lhs, AttributeKey rhs) const;
  std::vector<OperandDimension> scatter_places(OperandDimension at) const;
  std::vector<OperandDimension> batch_norm_places(OperandDimension at) const;
  SizeFormula gathered(std::size_t dimension) const;
  SizeFormula reshaped(std::size_t dimension) const;
  SizeFormula broadcast(std::size_t dimension) const;
  SizeFormula padded(std::size_t dimension) const;
  SizeFormula concatenated(std::size_t dimension) const;
  SizeFormula kept(std::size_t dimension) const;
  SizeFormula convolved(std::size_t dimension) const;
  SizeFormulas contracted() const;
  SizeFormula result(std::size_t dimension) const;

  Instruction i_;
};

std::size_t SizeRules::inputs() const {
  switch (i_.opcode()) {
    case Opcode::Sort: return i_.operand_count();
    case Opcode::Scatter:
    case Opcode::Reduce:
    case Opcode::ReduceWindow: return i_.operand_count() / 2;
    default: return 1;
  }
}

SizeFormula SizeRules::shared(std::span<const OperandDimension> places) const {
  SizeFormulas dynamic;
  for (const OperandDimension &place : places) {
    if (is_dynamic(place)) {
      dynamic.push_back(of(place));
    }
  }
  if (dynamic.empty()) {
    return fixed(shape(places[0].operand).size(places[0].dimension));
  }
  const bool may_repeat = is_elementwise() && i_.operand_count() == 2;
  return of_all(may_repeat ? Opcode::Broadcast : Opcode::Minimum, std::move(dynamic));
}

std::vector<OperandDimension> SizeRules::in_all_inputs(std::size_t dimension) const {
  std::vector<OperandDimension> places;
  for (std::size_t n = 0; n < inputs(); ++n) {
    places.push_back({n, dimension});
  }
  return places;
}

// Returns the dimension of the indices that corresponds to batch dimension number `batch` of the result or updates.
std::size_t SizeRules::index_dimension(std::size_t batch) const {
  return batch + (static_cast<std::int64_t>(batch) >= i_.number(AttributeKey::IndexVectorDim) ? 1 : 0);
}

// If a dimension of one of two operands is in its list (lhs or rhs), returns it together with the dimension at the same
// index in the other list.
std::vector<OperandDimension> SizeRules::pairs(OperandDimension at, AttributeKey lhs, AttributeKey rhs) const {
  std::vector<OperandDimension> places;
  for (std::size_t k = 0; k < list(lhs).size() && k < list(rhs).size(); ++k) {
    const OperandDimension pair[] = {{0, static_cast<std::size_t>(list(lhs)[k])},
                                     {1, static_cast<std::size_t>(list(rhs)[k])}};
    if (at.operand < 2 && pair[at.operand].dimension == at.dimension) {
      places.assign(std::begin(pair), std::end(pair));
    }
  }
  return places;
}

// Batch dimensions of the indices and of all updates must be equal.
std::vector<OperandDimension> SizeRules::scatter_places(OperandDimension at) const {
  const std::size_t count = inputs();
  if (at.operand < count) {
    return {at};
  }
  std::size_t batch = 0;
  for (std::size_t d = 0; d < shape(count + 1).rank(); ++d) {
    if (contains(list(AttributeKey::UpdateWindowDims), static_cast<std::int64_t>(d))) {
      continue;
    }
    const std::size_t in_indices = index_dimension(batch++);
    if (at.dimension == (at.operand == count ? in_indices : d)) {
      std::vector<OperandDimension> places{{count, in_indices}};
      for (std::size_t n = count + 1; n < i_.operand_count(); ++n) {
        places.push_back({n, d});
      }
      return places;
    }
  }
  return {at};
}

// All operands of a batch norm have the feature dimension; operand 0 and the gradient also have the other dimensions.
std::vector<OperandDimension> SizeRules::batch_norm_places(OperandDimension at) const {
  const auto feature = static_cast<std::size_t>(i_.number(AttributeKey::FeatureIndex));
  const bool is_feature = shape(at.operand).rank() == 1 ? shape(0).rank() > 1 || feature == 0 : at.dimension == feature;
  std::vector<OperandDimension> places;
  for (std::size_t n = 0; n < i_.operand_count(); ++n) {
    if (shape(n).rank() == shape(0).rank()) {
      places.push_back({n, is_feature ? feature : at.dimension});
    } else if (is_feature) {
      places.push_back({n, 0});
    }
  }
  return places;
}

std::vector<OperandDimension> SizeRules::equals(OperandDimension at) const {
  std::vector<OperandDimension> places;
  switch (i_.opcode()) {
    case Opcode::Sort:
    case Opcode::Reduce:
    case Opcode::ReduceWindow: return at.operand < inputs() ? in_all_inputs(at.dimension) : std::vector{at};
    case Opcode::Concatenate:
      for (std::size_t n = 0; static_cast<std::int64_t>(at.dimension) != i_.dimensions()[0] && n < i_.operand_count();
           ++n) {
        places.push_back({n, at.dimension});
      }
      break;
    case Opcode::Dot:
      places = pairs(at, AttributeKey::LhsContractingDims, AttributeKey::RhsContractingDims);
      if (places.empty()) {
        places = pairs(at, AttributeKey::LhsBatchDims, AttributeKey::RhsBatchDims);
      }
      break;
    case Opcode::Convolution: {
      const ConvolutionDimensions dims = i_.convolution_dimensions();
      const OperandDimension features[] = {{0, static_cast<std::size_t>(dims.lhs_feature)},
                                           {1, static_cast<std::size_t>(dims.rhs_input_feature)}};
      if (at.operand < 2 && at.dimension == features[at.operand].dimension && check_dynamic_dimensions(i_).ok()) {
        places.assign(std::begin(features), std::end(features));
      }
      break;
    }
    case Opcode::Scatter: return scatter_places(at);
    case Opcode::BatchNormTraining:
    case Opcode::BatchNormInference:
    case Opcode::BatchNormGrad: return batch_norm_places(at);
    default:
      for (std::size_t n = 0; is_elementwise() && n < i_.operand_count(); ++n) {
        if (shape(n).rank() == i_.shape().rank()) {  // the others are scalars
          places.push_back({n, at.dimension});
        }
      }
  }
  return places.empty() ? std::vector{at} : places;
}

SizeFormulas SizeRules::sizes(std::size_t operand) const {
  SizeFormulas result;
  for (std::size_t d = 0; shape(operand).is_array() && d < shape(operand).rank(); ++d) {
    const bool is_source = i_.opcode() == Opcode::SelectAndScatter && operand == 1;
    const bool is_window = i_.opcode() == Opcode::Scatter && (operand < inputs() || equals({operand, d}).size() == 1);
    if (is_window) {
      result.push_back(fixed(shape(operand).size(d)));
    } else if (is_source && d < i_.window().size() && is_dynamic({0, d})) {
      result.push_back(windowed(of({0, d}), i_.window()[d]));
    } else {
      result.push_back(is_source && is_dynamic({0, d}) ? of({0, d}) : size({operand, d}));
    }
  }
  return result;
}

std::vector<SizeFormulas> SizeRules::operands() const {
  std::vector<SizeFormulas> result;
  for (std::size_t n = 0; n < i_.operand_count(); ++n) {
    result.push_back(sizes(n));
  }
  return result;
}

SizeFormula SizeRules::gathered(std::size_t dimension) const {
  const auto offsets = list(AttributeKey::OffsetDims);
  const auto is_offset = [&](std::size_t d) { return contains(offsets, static_cast<std::int64_t>(d)); };
  std::size_t window = 0, batch = 0;
  for (std::size_t d = 0; d < dimension; ++d) {
    is_offset(d) ? ++window : ++batch;
  }
  if (!is_offset(dimension)) {
    return of({1, index_dimension(batch)});
  }
  for (std::size_t d = 0; d < shape(0).rank(); ++d) {
    const auto number = static_cast<std::int64_t>(d);
    if (contains(list(AttributeKey::CollapsedSliceDims), number) ||
        contains(list(AttributeKey::OperandBatchingDims), number)) {
      continue;
    }
    if (window-- == 0) {
      const std::int64_t taken = list(AttributeKey::SliceSizes)[d];
      return taken == shape(0).size(d) ? of({0, d}) : fixed(taken);
    }
  }
  return fixed(i_.shape().size(dimension));
}

// Returns the number of elements in the operand's dimensions of the group, divided by the sizes of the result's other
// dimensions in the group.
SizeFormula SizeRules::reshaped(std::size_t dimension) const {
  const Shape &from = shape(0), &to = i_.shape();
  for (const ReshapeGroup &group : common_groups(from, to)) {
    if (dimension < group.to_begin || dimension >= group.to_end) {
      continue;
    }
    SizeFormula count = fixed(1);
    std::int64_t others = 1;
    for (std::size_t d = group.from_begin; d < group.from_end; ++d) {
      count = times(std::move(count), of({0, d}));
    }
    for (std::size_t d = group.to_begin; d < group.to_end; ++d) {
      others *= d == dimension ? 1 : to.size(d);
    }
    return quotient(std::move(count), fixed(std::max<std::int64_t>(others, 1)));
  }
  return fixed(to.size(dimension));
}

// Returns the sizes of the batch dimensions, then of the free dimensions of lhs and rhs.
SizeFormulas SizeRules::contracted() const {
  SizeFormulas result;
  for (std::int64_t d : list(AttributeKey::LhsBatchDims)) {
    result.push_back(size({0, static_cast<std::size_t>(d)}));
  }
  const AttributeKey batch[] = {AttributeKey::LhsBatchDims, AttributeKey::RhsBatchDims};
  const AttributeKey contracting[] = {AttributeKey::LhsContractingDims, AttributeKey::RhsContractingDims};
  for (std::size_t n : {0, 1}) {
    for (std::size_t d = 0; d < shape(n).rank(); ++d) {
      const auto number = static_cast<std::int64_t>(d);
      if (!contains(list(batch[n]), number) && !contains(list(contracting[n]), number)) {
        result.push_back(of({n, d}));
      }
    }
  }
  return result;
}

SizeFormula SizeRules::broadcast(std::size_t dimension) const {
  const auto found = std::ranges::find(i_.dimensions(), static_cast<std::int64_t>(dimension));
  return found == i_.dimensions().end() ? fixed(i_.shape().size(dimension))
                                        : of({0, static_cast<std::size_t>(found - i_.dimensions().begin())});
}

SizeFormula SizeRules::padded(std::size_t dimension) const {
  const PaddingDimension padding = i_.padding()[dimension];
  SizeFormula gaps = times(at_least_zero(plus(of({0, dimension}), fixed(-1))), fixed(padding.interior));
  const auto edges = static_cast<std::int64_t>(shape_rules::Int128{padding.low} + padding.high);
  return at_least_zero(plus(plus(of({0, dimension}), std::move(gaps)), fixed(edges)));
}

SizeFormula SizeRules::concatenated(std::size_t dimension) const {
  SizeFormulas parts;
  for (std::size_t n = 0; n < i_.operand_count(); ++n) {
    parts.push_back(of({n, dimension}));
  }
  return of_all(Opcode::Add, std::move(parts));
}

// Returns the size of the operand's dimension that is this dimension of the result of a reduce.
SizeFormula SizeRules::kept(std::size_t dimension) const {
  std::size_t in_operand = dimension;
  for (std::size_t from = 0; from <= in_operand; ++from) {
    in_operand += contains(i_.dimensions(), static_cast<std::int64_t>(from)) ? 1 : 0;
  }
  return size({0, in_operand});
}

SizeFormula SizeRules::convolved(std::size_t dimension) const {
  const ConvolutionDimensions dims = i_.convolution_dimensions();
  return static_cast<std::int64_t>(dimension) == dims.output_batch ? of({0, static_cast<std::size_t>(dims.lhs_batch)})
                                                                   : fixed(i_.shape().size(dimension));
}

// Returns the size of a dimension of the result; if there are several results, they have the same dimensions.
SizeFormula SizeRules::result(std::size_t d) const {
  const auto number = static_cast<std::int64_t>(d);
  switch (i_.opcode()) {
    case Opcode::Iota:
    case Opcode::Rng: return fixed(i_.shape().size(d));
    case Opcode::BitcastConvert: return d < shape(0).rank() ? of({0, d}) : fixed(i_.shape().size(d));
    case Opcode::Broadcast: return broadcast(d);
    case Opcode::Transpose: return of({0, static_cast<std::size_t>(i_.dimensions()[d])});
    case Opcode::Reshape: return reshaped(d);
    case Opcode::DynamicReshape: return value_operand(1 + d);
    case Opcode::SetDimensionSize: return number == i_.dimensions()[0] ? value_operand(1) : of({0, d});
    case Opcode::Slice:
    case Opcode::DynamicSlice: return i_.shape().is_dynamic(d) ? of({0, d}) : fixed(i_.shape().size(d));
    case Opcode::Gather: return gathered(d);
    case Opcode::Pad: return padded(d);
    case Opcode::Concatenate: return number == i_.dimensions()[0] ? concatenated(d) : size({0, d});
    case Opcode::Reduce: return kept(d);
    case Opcode::ReduceWindow: return d < i_.window().size() ? windowed(size({0, d}), i_.window()[d]) : size({0, d});
    case Opcode::Dot: return contracted()[d];
    case Opcode::Convolution: return convolved(d);
    case Opcode::DynamicUpdateSlice: return of({0, d});
    default: {
      // Operand 0 may be a scalar predicate or bound.
      const std::size_t first = shape(0).rank() == i_.shape().rank() ? 0 : 1;
      return size({first, d});
    }
  }
}

std::vector<SizeFormulas> SizeRules::results() const {
  std::vector<SizeFormulas> all;
  const Shape &whole = i_.shape();
  for (std::size_t part = 0; part < (whole.is_tuple() ? whole.elements().size() : 1); ++part) {
    const Shape &array = whole.is_tuple() ? whole.elements()[part] : whole;
    SizeFormulas formulas;
    for (std::size_t d = 0; d < array.rank(); ++d) {
      if (!array.is_dynamic(d)) {
        formulas.push_back(fixed(array.size(d)));
      } else if (i_.opcode() == Opcode::Scatter) {
        formulas.push_back(of({part, d}));
      } else if (part > 0 && (i_.opcode() == Opcode::BatchNormTraining || i_.opcode() == Opcode::BatchNormGrad)) {
        formulas.push_back(size({0, static_cast<std::size_t>(i_.number(AttributeKey::FeatureIndex))}));
      } else {
        formulas.push_back(result(d));
      }
    }
    all.push_back(std::move(formulas));
  }
  return all;
}

}  // namespace

SizeRule size_rule(Opcode opcode) {
  return size_row(opcode).rule;
}

std::string_view size_summary(Opcode opcode) {
  return size_row(opcode).summary;
}

bool has_dynamic_arrays(const Instruction &instruction) {
  auto is_dynamic = [](const Shape &shape) { return shape.is_array() && !shape.is_static(); };
  for (std::size_t n = 0; n < instruction.operand_count(); ++n) {
    if (is_dynamic(instruction.operand(n).shape())) {
      return true;
    }
  }
  return is_dynamic(instruction.shape());
}

std::vector<SizeFormulas> operand_sizes(const Instruction &instruction) {
  return SizeRules(instruction).operands();
}

std::vector<SizeFormulas> result_sizes(const Instruction &instruction) {
  return SizeRules(instruction).results();
}

SizeCall size_call(const Instruction &instruction) {
  if (instruction.opcode() != Opcode::CustomCall) {
    return SizeCall::None;
  }
  const std::string_view target = instruction.text(AttributeKey::CustomCallTarget);
  return target == "PadToStatic"      ? SizeCall::PadToStatic
         : target == "SliceToDynamic" ? SizeCall::SliceToDynamic
                                      : SizeCall::None;
}

Status check_size_call(const Instruction &instruction) {
  const bool pads = size_call(instruction) == SizeCall::PadToStatic;
  std::vector<Shape> operands;
  for (std::size_t n = 0; n < instruction.operand_count(); ++n) {
    operands.push_back(instruction.operand(n).shape());
  }
  const Shape &result = instruction.shape();
  const std::vector<Shape> results =
      result.is_tuple() ? std::vector(result.elements().begin(), result.elements().end()) : std::vector{result};
  const std::vector<Shape> &whole = pads ? operands : results, &parts = pads ? results : operands;
  const bool is_array = whole.size() == 1 && whole[0].is_array() && !parts.empty() && parts[0].is_array();
  const bool fits = is_array && parts.size() == 1 + whole[0].rank() && parts[0].is_static() &&
                    parts[0].element_type() == whole[0].element_type() &&
                    std::ranges::equal(parts[0].sizes(), whole[0].sizes()) &&
                    std::ranges::all_of(parts.begin() + 1, parts.end(), [](const Shape &size) {
                      return size.is_scalar() && size.element_type() == ElementType::S32;
                    });
  if (fits) {
    return {};
  }
  return invalid_input("{} of {} gives {}, expected {}", pads ? "PadToStatic" : "SliceToDynamic",
                       fmt::join(operands | std::views::transform([](const Shape &s) { return to_string(s); }), ", "),
                       to_string(result),
                       pads ? "of an array one of its bounds, and an s32[] for each dimension"
                            : "an array, of one of its bounds and an s32[] for each dimension");
}

}  // namespace bp::ir
