// Shape inference: checks an instruction against its row of the op table, then calls the row's shape rule. The rules
// are in shape_inference_*.cc, by family of ops; this file has the dispatch and the shared checks.
#include "core/ir/shape_inference.h"

#include <fmt/ranges.h>

#include <limits>

#include "core/ir/shape_inference_rules.h"

namespace bp::ir {
namespace {

bool is_in(TypeSet set, ElementType type) {
  switch (set) {
    case TypeSet::AnyShape: return true;
    case TypeSet::AnyArray: return !is_opaque(type);
    case TypeSet::Numeric: return is_integer(type) || is_floating(type) || is_complex(type);
    case TypeSet::Real: return is_integer(type) || is_floating(type);
    case TypeSet::Integer: return is_integer(type);
    case TypeSet::IntegerOrPred: return is_integer(type) || type == ElementType::Pred;
    case TypeSet::Float: return is_floating(type);
    case TypeSet::FloatOrComplex: return is_floating(type) || is_complex(type);
  }
  return false;
}

std::string_view elements_of(TypeSet set) {
  switch (set) {
    case TypeSet::AnyShape: return "any shape";
    case TypeSet::AnyArray: return "an array";
    case TypeSet::Numeric: return "an array of integers, floats or complex numbers";
    case TypeSet::Real: return "an array of integers or floats";
    case TypeSet::Integer: return "an array of integers";
    case TypeSet::IntegerOrPred: return "an array of integers or pred";
    case TypeSet::Float: return "an array of floats";
    case TypeSet::FloatOrComplex: return "an array of floats or complex numbers";
  }
  return "";
}

Status check_operands(const Instruction &instruction) {
  const OpInfo &op = instruction.op();
  auto count = static_cast<std::int64_t>(instruction.operand_count());
  if (count < op.min_operands || (op.max_operands >= 0 && count > op.max_operands)) {
    std::string expected = op.max_operands < 0 ? fmt::format("at least {}", op.min_operands)
                           : op.max_operands == op.min_operands
                               ? fmt::format("{}", op.min_operands)
                               : fmt::format("{} to {}", op.min_operands, op.max_operands);
    return invalid_input("{} has {} operands, expected {}", op.text, count, expected);
  }
  if (op.types == TypeSet::AnyShape) {
    return {};
  }
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    // The type set applies to the first operand; the shape rules define how the other operands relate to it.
    const Shape &shape = instruction.operand(i).shape();
    TypeSet set = i == 0 ? op.types : TypeSet::AnyArray;
    if (!shape.is_valid() || !is_in(set, shape.element_type())) {
      return shape_rules::unexpected_operand(instruction, i, elements_of(set));
    }
  }
  return {};
}

// Returns the number of int64 in one entry of an attribute of this kind; 0: the attribute is exactly one number.
std::size_t numbers_per_entry(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::Bool:
    case AttributeKind::I64:
    case AttributeKind::F64:
    case AttributeKind::Enum: return 0;
    case AttributeKind::Pairs: return 2;
    case AttributeKind::SliceRanges:
    case AttributeKind::Padding: return 3;
    case AttributeKind::Window: return 7;
    default: return 1;
  }
}

Status check_attributes(const Instruction &instruction) {
  std::size_t required_calls = 0;
  for (const AttributeUse &use : instruction.op().attributes) {
    const AttributeInfo &attribute = info(use.key);
    if (attribute.kind == AttributeKind::Computation || attribute.kind == AttributeKind::Computations) {
      required_calls += use.required;
      continue;
    }
    bool is_text = attribute.kind == AttributeKind::String || attribute.kind == AttributeKind::Text;
    if (!instruction.has(use.key)) {
      if (use.required) {
        return invalid_input("the attribute {} is missing", attribute.text);
      }
      continue;
    }
    std::size_t count = is_text ? 0 : instruction.numbers(use.key).size();
    std::size_t entry = numbers_per_entry(attribute.kind);
    bool has_whole_entries = entry == 0 ? count == 1 : count % entry == 0;
    if (attribute.kind == AttributeKind::I64Lists) {
      std::size_t used = 0;
      for (std::span<const std::int64_t> part : instruction.number_lists(use.key)) {
        used += 1 + part.size();
      }
      has_whole_entries = used == count;
    }
    if (attribute.kind == AttributeKind::DimLabels) {
      has_whole_entries = count >= 6 && count % 3 == 0;
    }
    if (!is_text && !has_whole_entries) {
      return invalid_input("the attribute {} has {} numbers, expected whole entries: the last one is cut off",
                           attribute.text, count);
    }
    if (attribute.enumeration != Enumeration::None) {
      for (std::int64_t number : instruction.numbers(use.key)) {
        if (enumerator_text(attribute.enumeration, number).empty()) {
          return invalid_input("the attribute {} has the unknown value {}", attribute.text, number);
        }
      }
    }
  }
  if (instruction.calls().size() < required_calls) {
    return invalid_input("{} calls {} computations, expected {}", instruction.op().text, instruction.calls().size(),
                         required_calls);
  }
  return {};
}

Result<Shape> apply_rule(const Instruction &instruction) {
  switch (instruction.opcode()) {
#define BP_OP(number, name, text, lo, hi, rule, ...) \
  case Opcode::name: return infer_##rule(instruction);
#include "core/ir/ops.def"
    case Opcode::Invalid: break;
  }
  return invalid_input("unknown opcode {}", static_cast<int>(instruction.opcode()));
}

}  // namespace

Result<Shape> infer_shape(const Instruction &instruction) {
  BP_TRY(check_operands(instruction));
  BP_TRY(check_attributes(instruction));
  return apply_rule(instruction);
}

bool may_widen_result(Opcode opcode) {
  return opcode == Opcode::Dot || opcode == Opcode::RaggedDot || opcode == Opcode::ScaledDot ||
         opcode == Opcode::Convolution;
}

bool agree(const Shape &a, const Shape &b) {
  if (a.element_type() != b.element_type() || a.elements().size() != b.elements().size()) {
    return false;
  }
  if (a.is_array()) {
    return shape_rules::sizes_agree(a, b);
  }
  for (std::size_t i = 0; i < a.elements().size(); ++i) {
    if (!agree(a.elements()[i], b.elements()[i])) {
      return false;
    }
  }
  return true;
}

namespace shape_rules {

std::vector<Dimension> dimensions(const Shape &shape) {
  std::vector<Dimension> result;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    result.push_back(dimension(shape, i));
  }
  return result;
}

Result<Shape> make_array(ElementType type, std::span<const Dimension> dimensions) {
  if (dimensions.size() > max_rank) {
    return invalid_input("the result has rank {}, expected at most {}", dimensions.size(), max_rank);
  }
  Dimensions sizes;
  for (const Dimension &dimension : dimensions) {
    if (dimension.size < 0 && dimension.size != unbounded) {
      return invalid_input("a dimension of the result has size {}, expected 0 or more", dimension.size);
    }
    sizes.push_back(dimension.size);
  }
  Shape shape = Shape::array(type, std::span<const std::int64_t>(sizes.data(), sizes.size()));
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    shape.set_dynamic(i, dimensions[i].is_dynamic || dimensions[i].size == unbounded);
  }
  return shape;
}

Result<std::int64_t> checked_size(Int128 size, std::string_view what) {
  if (size < 0) {
    return invalid_input("{} has a negative size", what);
  }
  if (size > std::numeric_limits<std::int64_t>::max()) {
    return invalid_input("{} is too large", what);
  }
  return static_cast<std::int64_t>(size);
}

std::string describe(const Shape &shape) {
  return shape.is_valid() ? to_string(shape, PrintLayout::Never) : "no shape";
}

std::string list(std::span<const std::int64_t> values) {
  return fmt::format("{{{}}}", fmt::join(values, ","));
}

Error unexpected_operand(const Instruction &instruction, std::size_t i, std::string_view expected) {
  return invalid_input("operand {} has shape {}, expected {}", i, describe(operand_shape(instruction, i)), expected);
}

bool sizes_agree(const Shape &a, const Shape &b) {
  if (a.rank() != b.rank()) {
    return false;
  }
  for (std::size_t i = 0; i < a.rank(); ++i) {
    if (!sizes_agree(a.size(i), b.size(i))) {
      return false;
    }
  }
  return true;
}

Dimension merge(Dimension a, Dimension b) {
  // A known size takes precedence over `?`: if one operand has a static size, the unbounded size must equal it at run
  // time.
  if (a.size == unbounded || b.size == unbounded) {
    return a.size == unbounded ? b : a;
  }
  return {a.size, a.is_dynamic || b.is_dynamic};
}

Shape merge(const Shape &a, const Shape &b) {
  Shape result = a;
  for (std::size_t i = 0; i < a.rank(); ++i) {
    Dimension merged = merge(dimension(a, i), dimension(b, i));
    result.set_size(i, merged.size);
    result.set_dynamic(i, merged.is_dynamic);
  }
  return result;
}

Status check_dimension(std::int64_t value, std::size_t rank, std::string_view what) {
  if (value < 0 || value >= static_cast<std::int64_t>(rank)) {
    return invalid_input("{} is {}, expected at least 0 and less than {}", what, value, rank);
  }
  return {};
}

Status check_dimensions(std::span<const std::int64_t> values, std::size_t rank, std::string_view what,
                        Repeats repeats) {
  std::vector<bool> seen(rank);
  for (std::int64_t value : values) {
    if (value < 0 || value >= static_cast<std::int64_t>(rank)) {
      return invalid_input("{} has {}, expected at least 0 and less than {}", what, value, rank);
    }
    if (repeats == Repeats::Forbidden && seen[static_cast<std::size_t>(value)]) {
      return invalid_input("{} has {} twice", what, value);
    }
    seen[static_cast<std::size_t>(value)] = true;
  }
  return {};
}

Result<std::size_t> single_dimension(const Instruction &instruction, std::size_t rank) {
  auto values = instruction.dimensions();
  if (values.size() != 1) {
    return invalid_input("dimensions has {} numbers, expected 1", values.size());
  }
  BP_TRY(check_dimension(values[0], rank, "dimensions"));
  return static_cast<std::size_t>(values[0]);
}

Status check_scalar_index(const Instruction &instruction, std::size_t i) {
  const Shape &shape = operand_shape(instruction, i);
  if (!shape.is_scalar() || !is_integer(shape.element_type())) {
    return unexpected_operand(instruction, i, "a scalar integer");
  }
  return {};
}

Result<std::int64_t> window_output_size(std::int64_t size, const WindowDimension &window) {
  if (window.size < 1 || window.stride < 1 || window.lhs_dilate < 1 || window.rhs_dilate < 1) {
    return invalid_input("window has size {}, stride {}, lhs_dilate {}, rhs_dilate {}: expected at least 1 of each",
                         window.size, window.stride, window.lhs_dilate, window.rhs_dilate);
  }
  if (size == unbounded) {
    return unbounded;
  }
  Int128 dilated = size == 0 ? 0 : (Int128{size} - 1) * window.lhs_dilate + 1;
  Int128 padded = dilated + window.pad_low + window.pad_high;
  if (padded < 0) {
    return invalid_input("window padding {}_{} takes away more than the dimension of size {} has", window.pad_low,
                         window.pad_high, size);
  }
  if (padded > std::numeric_limits<std::int64_t>::max()) {
    return invalid_input("window padding {}_{} and lhs_dilate {} make a dimension of size {} larger than 2^63 - 1",
                         window.pad_low, window.pad_high, window.lhs_dilate, size);
  }
  Int128 extent = (Int128{window.size} - 1) * window.rhs_dilate + 1;
  return checked_size(padded == 0 || extent > padded ? 0 : (padded - extent) / window.stride + 1,
                      "the window's result");
}

Result<std::vector<Dimension>> window_output(const Shape &base, std::span<const WindowDimension> window) {
  if (!window.empty() && window.size() != base.rank()) {
    return invalid_input("window has {} dimensions, expected {}", window.size(), base.rank());
  }
  std::vector<Dimension> result = dimensions(base);
  for (std::size_t i = 0; i < window.size(); ++i) {
    BP_ASSIGN(result[i].size, window_output_size(base.size(i), window[i]));
  }
  return result;
}

Result<Signature> signature_of(Computation computation) {
  if (!computation.has_root()) {
    return invalid_input("the called computation {} has no root", computation.name());
  }
  Signature signature;
  for (std::size_t i = 0; i < computation.parameter_count(); ++i) {
    if (computation.parameter_ids()[i] == no_instruction) {
      return invalid_input("the called computation {} has no parameter {}", computation.name(), i);
    }
    signature.parameters.push_back(&computation.parameter(i).shape());
  }
  signature.result = &computation.root().shape();
  return signature;
}

Status check_parameters(Computation computation, const Signature &signature, std::span<const Shape *const> arguments) {
  if (signature.parameters.size() != arguments.size()) {
    return invalid_input("{} has {} parameters, expected {}", computation.name(), signature.parameters.size(),
                         arguments.size());
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!agree(*signature.parameters[i], *arguments[i])) {
      return invalid_input("parameter {} of {} has shape {}, expected {}", i, computation.name(),
                           describe(*signature.parameters[i]), describe(*arguments[i]));
    }
  }
  return {};
}

Result<std::vector<ElementType>> check_combiner(Computation computation, std::span<const ElementType> inputs,
                                                std::span<const ElementType> inits) {
  BP_ASSIGN(Signature signature, signature_of(computation));
  std::size_t n = inits.size();
  if (signature.parameters.size() != 2 * n) {
    return invalid_input("{} has {} parameters, expected {}", computation.name(), signature.parameters.size(), 2 * n);
  }
  const Shape &result = *signature.result;
  if (n > 1 && (!result.is_tuple() || result.elements().size() != n)) {
    return invalid_input("{} returns {}, expected a tuple of {} scalars", computation.name(), describe(result), n);
  }
  std::vector<ElementType> accumulators;
  for (std::size_t i = 0; i < n; ++i) {
    const Shape &returned = n == 1 ? result : result.elements()[i];
    Shape accumulator = Shape::scalar(inits[i]);
    if (!same(returned, accumulator, CompareLayout::No)) {
      return invalid_input("{} returns {}, expected {}", computation.name(), describe(returned), describe(accumulator));
    }
    Shape element = Shape::scalar(inputs[i]);
    for (auto [position, expected] : {std::pair(i, &accumulator), std::pair(n + i, &element)}) {
      if (!same(*signature.parameters[position], *expected, CompareLayout::No)) {
        return invalid_input("parameter {} of {} has shape {}, expected {}", position, computation.name(),
                             describe(*signature.parameters[position]), describe(*expected));
      }
    }
    accumulators.push_back(inits[i]);
  }
  return accumulators;
}

Shape tuple_unless_one(std::vector<Shape> shapes) {
  return shapes.size() == 1 ? std::move(shapes[0]) : Shape::tuple(std::move(shapes));
}

Status check_written_array(const Instruction &instruction) {
  if (!instruction.shape().is_array()) {
    return invalid_input("{} has shape {}, expected an array shape to be written", instruction.op().text,
                         describe(instruction.shape()));
  }
  return {};
}

Result<Shape> written_shape(const Instruction &instruction, const Shape &expected) {
  if (!agree(instruction.shape(), expected)) {
    return invalid_input("the shape is {}, expected {}", describe(instruction.shape()), describe(expected));
  }
  return instruction.shape();
}

}  // namespace shape_rules
}  // namespace bp::ir
