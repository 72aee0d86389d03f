#include "conformance/suite/op_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string.hpp>
#include <charconv>

#include "core/analysis/cost.h"
#include "core/ir/verifier.h"
#include "core/text/parser.h"

namespace bp::conformance {
namespace {

using ir::ElementType;

// Loops over vectors, pieces and counters of 2^k elements end in different ways: `whole` leaves none and `power` one
// for any k, `wide` and `blocks`, primes near 4/3 of a power of two, leave about a third or two thirds.
constexpr ShapeClass fixed = {fixed_shape, {}};
constexpr ShapeClass scalar = {"scalar", {1, 0}}, empty = {"empty", {0, 1}}, one = {"one", {1, 1}},
                     prime = {"prime", {67, 1}}, whole = {"whole", {4096, 1}}, power = {"power", {2049, 1}},
                     matrix = {"matrix", {37, 2}},
                     transposed = {"matrix.transposed", {37, 2}, Storage::TransposedOperands},
                     transposed_operands = {"prime.transposed", {67, 1}, Storage::TransposedOperands},
                     transposed_last = {"matrix.transposed_last", {37, 2}, Storage::TransposedLast},
                     transposed_result = {"prime.transposed_result", {67, 1}, Storage::TransposedResult},
                     transposed_long = {"wide.transposed", {87'383, 1}, Storage::TransposedOperands},
                     transposed_wide = {"wide.transposed_result", {87'383, 1}, Storage::TransposedResult},
                     transposed_matrix = {"matrix.transposed_result", {37, 2}, Storage::TransposedResult},
                     tiled = {"matrix.tiled", {37, 2}, Storage::Tiled},
                     tiled_arrays = {"prime.tiled", {67, 1}, Storage::Tiled}, above_16_bits = {"wide", {87'383, 1}},
                     blocks = {"blocks", {683, 1}}, large = {"large", {1'048'583, 1}}, every_8 = {"every8", {256, 1}},
                     every_16 = {"every16", {65'536, 1}}, sweep = {"sweep", {std::int64_t{1} << 24, 1}};
constexpr std::array shape_classes = {fixed,
                                      scalar,
                                      empty,
                                      one,
                                      prime,
                                      power,
                                      whole,
                                      matrix,
                                      transposed,
                                      transposed_operands,
                                      transposed_last,
                                      transposed_result,
                                      transposed_long,
                                      transposed_wide,
                                      transposed_matrix,
                                      tiled,
                                      tiled_arrays,
                                      above_16_bits,
                                      blocks,
                                      large,
                                      every_8,
                                      every_16,
                                      sweep};

// Types for which quick mode tries long sums, in arrays that devices divide into blocks in each dimension.
bool has_long_sums(ElementType type) {
  constexpr ElementType of_sums[] = {ElementType::F32, ElementType::BF16, ElementType::S32, ElementType::S8};
  return std::ranges::count(of_sums, type) != 0;
}

// Types for which quick mode tries all shapes; for other types it tries one.
bool is_common(ElementType type) {
  constexpr ElementType common[] = {ElementType::Pred, ElementType::S32, ElementType::BF16, ElementType::F32,
                                    ElementType::Invalid};
  return std::ranges::count(common, type) != 0;
}

std::vector<ShapeClass> shapes_for(const ir::OpInfo &op, ElementType type, bool converts, Mode mode) {
  if (mode == Mode::Full) {
    std::vector<ShapeClass> all(shape_classes.begin() + 1, shape_classes.end());
    std::erase_if(all, [&](const ShapeClass &shape) {
      return (shape.name == large.name && !is_common(type)) ||
             (shape.name == sweep.name && (type != ElementType::F32 || converts));
    });
    return all;
  }
  if (!is_common(type) || converts) {
    // All pairs of special values need more elements. Complex functions that the core divides take long to judge.
    const bool has_pairs =
        op.has(ir::Trait::Elementwise) && op.max_operands > 1 && !(ir::is_complex(type) && op.has(ir::Trait::Function));
    std::vector<ShapeClass> shapes{has_pairs ? power : prime, every_16};
    if (op.opcode == ir::Opcode::Dot && type == ElementType::S8) {
      shapes.insert(shapes.end(), {above_16_bits, blocks});
    }
    return shapes;
  }
  std::vector<ShapeClass> shapes{scalar,        empty,   one, prime, power, transposed, transposed_operands,
                                 above_16_bits, every_16};
  if (op.opcode == ir::Opcode::Dot) {
    shapes.push_back(blocks);
  }
  if (type == ElementType::F32 || type == ElementType::S32) {
    shapes.push_back(whole);
  }
  shapes.push_back(op.has(ir::Trait::Elementwise) ? tiled : transposed_result);
  if (op.has(ir::Trait::Elementwise) && op.max_operands > 1) {
    shapes.push_back(transposed_last);
  }
  if (op.has(ir::Trait::Movement)) {
    shapes.insert(shapes.end(), {transposed_long, transposed_wide});
  }
  return shapes;
}

// Whether the class has exactly as many elements as the type has values.
bool holds_every_value(const ShapeClass &shape, ElementType type) {
  return type != ElementType::Invalid && !ir::is_complex(type) && ir::bit_width(type) <= 16 &&
         shape.size.n == (ir::bit_width(type) <= 8 ? 256 : 65'536);
}

bool is_for_every_value(const ShapeClass &shape) {
  return shape.name.starts_with("every");
}

// Quick mode has time for long arrays where a loop over all elements is likely, and none where the result is not
// compared.
bool is_in_time(const ir::OpInfo &op, ElementType type, const ShapeClass &shape, Mode mode) {
  if (mode == Mode::Full) {
    return true;
  }
  if (op.accuracy.closeness == Closeness::Unknown) {
    return is_common(type) && shape.size.n <= prime.size.n;
  }
  if (op.opcode == ir::Opcode::Reduce || op.opcode == ir::Opcode::Dot) {
    return shape.size.n < above_16_bits.size.n || has_long_sums(type);
  }
  constexpr ir::Opcode usual[] = {ir::Opcode::Add,    ir::Opcode::Multiply, ir::Opcode::Maximum, ir::Opcode::Compare,
                                  ir::Opcode::Select, ir::Opcode::Clamp,    ir::Opcode::Negate,  ir::Opcode::Copy};
  if (type == ElementType::BF16 && std::ranges::count(usual, op.opcode) != 0) {
    return true;
  }
  if (shape.name == transposed_long.name || shape.name == transposed_wide.name) {
    return ir::bit_width(type) > 8;
  }
  if (op.opcode == ir::Opcode::Iota) {
    return shape.size.n < above_16_bits.size.n || is_common(type);
  }
  const bool is_sort = op.opcode == ir::Opcode::Sort || op.opcode == ir::Opcode::TopK;  // which may take seconds
  return shape.size.n < above_16_bits.size.n ||
         (shape.name == above_16_bits.name && type == ElementType::F32 && !is_sort) ||
         (op.has(ir::Trait::Elementwise) && is_for_every_value(shape));
}

std::vector<Values> values_for(const ir::OpInfo &op, ElementType type, const ShapeClass &shape, Mode mode) {
  if (shape.storage != Storage::RowMajor && shape.storage != Storage::TransposedOperands) {
    return {Values::Random};  // the values are those of the same shape in row-major order
  }
  const bool adds_floats = op.accuracy.closeness == Closeness::Sum && (ir::is_floating(type) || ir::is_complex(type));
  const bool has_long_loops =
      op.has(ir::Trait::Elementwise) || op.opcode == ir::Opcode::Reduce || op.opcode == ir::Opcode::Dot;
  if (shape.name == whole.name || (shape.name == above_16_bits.name && !has_long_loops && mode == Mode::Quick)) {
    const std::vector<Values> usual{adds_floats ? Values::Small : Values::Random};  // others are those of `power`
    return op.opcode == ir::Opcode::Sort ? std::vector{Values::Random, Values::Ties} : usual;
  }
  const bool is_unary = op.has(ir::Trait::Elementwise) && op.max_operands == 1;
  if (shape.name == sweep.name) {
    return is_unary ? std::vector{Values::Every} : std::vector<Values>{};
  }
  if (is_for_every_value(shape)) {
    const bool fits = is_unary && holds_every_value(shape, type);
    return fits ? std::vector{Values::Every} : std::vector<Values>{};
  }
  const bool has_special_values =
      op.accuracy.special_values != SpecialValueSet::None && (shape.size.n >= 30 || shape.name == fixed_shape);
  std::vector<Values> values{Values::Random};
  if (has_special_values) {
    values.push_back(Values::Edge);
  }
  const bool sorts = op.opcode == ir::Opcode::Sort || op.opcode == ir::Opcode::TopK;
  if (sorts && !ir::is_complex(type) && shape.size.n >= 30) {
    values.push_back(Values::Alike);
    values.push_back(Values::Ordered);
  }
  if (op.opcode == ir::Opcode::Sort && !ir::is_complex(type) && shape.size.n >= 30) {
    values.push_back(Values::Ties);
  }
  const bool is_float = ir::is_floating(type);
  if (is_float && op.has(ir::Trait::Reduction) && shape.size.n >= 30) {
    values.push_back(Values::Negative);
    values.push_back(Values::Uniform);
  }
  const bool reduces = op.opcode == ir::Opcode::Reduce || op.opcode == ir::Opcode::ReduceWindow;
  if (reduces && !ir::is_complex(type) && shape.size.n >= 30) {
    values.push_back(Values::Neutral);
  }
  const bool has_several_operands = op.has(ir::Trait::Elementwise) && op.max_operands > 1;
  if (is_float && has_several_operands && has_special_values &&
      shape.name == (is_common(type) ? prime.name : power.name)) {
    values.push_back(Values::Rare);
  }
  if (adds_floats && op.opcode == ir::Opcode::Dot && (shape.name == above_16_bits.name || shape.name == blocks.name)) {
    return {Values::Small, Values::Wide};  // that long, each takes time
  }
  if (adds_floats && shape.size.n > 1) {
    values.push_back(Values::Small);
    values.push_back(Values::Wide);
    values.push_back(Values::Rare);
  }
  if (op.has(ir::Trait::Contraction) && ir::is_integer(type) &&
      (shape.name == prime.name || shape.name == fixed_shape)) {
    values.push_back(Values::Least);
    values.push_back(Values::Most);
  }
  return values;
}

// Stores the last dimension first; false if the value has fewer than two dimensions.
bool transpose(ir::Module &module, ir::InstructionId id) {
  ir::Shape stored = module.instruction(id).shape();
  if (!stored.is_array() || stored.rank() < 2) {
    return false;
  }
  ir::Layout layout = stored.layout();
  std::ranges::reverse(layout.minor_to_major);
  stored.set_layout(std::move(layout));
  module.set_shape(id, stored);
  return true;
}

Result<ir::Module> build(const std::string &text, const ShapeClass &shape) {
  BP_ASSIGN(ir::Module module, text::parse_module(text));
  std::size_t changed = 0;
  if (shape.storage == Storage::TransposedOperands) {
    const auto parameters = module.entry().parameter_ids();
    for (const ir::InstructionId id : std::vector(parameters.begin(), parameters.end())) {
      changed += transpose(module, id) ? 1 : 0;
    }
  } else if (shape.storage == Storage::TransposedLast) {
    const auto parameters = module.entry().parameter_ids();
    changed += parameters.size() > 1 && transpose(module, parameters.back()) ? 1 : 0;
  } else if (shape.storage == Storage::TransposedResult) {
    changed += transpose(module, module.entry().root().id()) ? 1 : 0;
  } else {
    changed = 1;
  }
  if (changed == 0) {
    return invalid_input("there is nothing to transpose");
  }
  BP_TRY(ir::verify(module));
  return module;
}

// Whether the interpreter computes this in the time that a case has. There are most cases of small arrays.
bool is_small_enough(const ir::OpInfo &op, const ir::Module &module, const ShapeClass &shape, Mode mode) {
  const double max_operations = mode == Mode::Full                                         ? 1 << 27
                                : shape.size.n > prime.size.n || shape.name == fixed_shape ? 1 << 24
                                                                                           : 1 << 20;
  const bool may_be_large =
      op.has(ir::Trait::Contraction) || (shape.size.n >= above_16_bits.size.n && !op.has(ir::Trait::Elementwise));
  if (!may_be_large) {
    return true;
  }
  const analysis::Cost cost = analysis::cost(module);
  constexpr double max_bytes = 1 << 28;
  return cost.operations() <= max_operations && cost.bytes <= max_bytes;
}

void append_cases(const ir::OpInfo &op, ElementType type, const ShapeClass &shape, Mode mode,
                  std::vector<std::string> &ids) {
  const std::vector<Values> values = values_for(op, type, shape, mode);
  if (values.empty()) {
    return;
  }
  for (const coverage::Program &program :
       coverage::programs(op.opcode, type == ElementType::Invalid ? ElementType::F32 : type, shape.size)) {
    const bool is_fixed = shape.name == fixed_shape;
    if (program.has_size == is_fixed) {
      continue;
    }
    const Result<ir::Module> module = build(program.text, shape);
    if (!module.ok() || !is_small_enough(op, *module, shape, mode)) {
      continue;
    }
    OpCase one_case{&op, program.variant, type, shape};
    for (const Values kind : values) {
      one_case.values = kind;
      for (std::uint32_t part = 0; part < (shape.name == sweep.name ? 256 : 1); ++part) {
        one_case.highest_byte = part;
        ids.push_back(one_case.id());
      }
    }
  }
}

}  // namespace

std::string OpCase::id() const {
  const std::string values_name = shape.name == sweep.name ? fmt::format("0x{:02x}", highest_byte)
                                                           : std::string(value_names[static_cast<std::size_t>(values)]);
  return fmt::format("ops/{}{}{}/{}/{}/{}", op->text, variant.empty() ? "" : ".", variant,
                     type == ElementType::Invalid ? "-" : ir::to_string(type), shape.name, values_name);
}

namespace {

// Parses "0x3f".
std::optional<std::uint32_t> parse_byte(std::string_view text) {
  std::uint32_t byte = 0;
  const bool is_hexadecimal = text.size() == 4 && text.starts_with("0x");
  const char *end = text.data() + text.size();
  if (!is_hexadecimal || std::from_chars(text.data() + 2, end, byte, 16).ptr != end) {
    return std::nullopt;
  }
  return byte;
}

}  // namespace

std::optional<OpCase> OpCase::parse(std::string_view id) {
  std::vector<std::string> parts;
  boost::split(parts, id, boost::is_any_of("/"));
  if (parts.size() != 5) {
    return std::nullopt;
  }
  OpCase result;
  const std::size_t dot = std::min(parts[1].find('.'), parts[1].size());
  result.variant = dot == parts[1].size() ? "" : parts[1].substr(dot + 1);
  const auto opcode = ir::opcode_from_string(parts[1].substr(0, dot));
  const auto type = ir::element_type_from_string(parts[2]);
  const auto shape = std::ranges::find(shape_classes, parts[3], &ShapeClass::name);
  const auto values = std::ranges::find(value_names, parts[4]);
  const bool is_sweep = shape != shape_classes.end() && shape->name == sweep.name;
  const auto byte = is_sweep ? parse_byte(parts[4]) : std::nullopt;
  const bool has_values = is_sweep ? byte.has_value() : values != std::end(value_names);
  if (!opcode || (!type && parts[2] != "-") || shape == shape_classes.end() || !has_values) {
    return std::nullopt;
  }
  result.op = &ir::info(*opcode);
  result.type = type.value_or(ElementType::Invalid);
  result.shape = *shape;
  result.values = is_sweep ? Values::Every : static_cast<Values>(values - std::begin(value_names));
  result.highest_byte = byte.value_or(0);
  return result;
}

Result<ir::Module> OpCase::module() const {
  const ElementType in_text = type == ElementType::Invalid ? ElementType::F32 : type;
  for (const coverage::Program &program : coverage::programs(op->opcode, in_text, shape.size)) {
    if (program.variant == variant) {
      return build(program.text, shape);
    }
  }
  return invalid_input("{} has no program {} of this shape", op->text, variant);
}

std::vector<std::string> list_op_cases(const ir::OpInfo &op, Mode mode) {
  std::vector<std::string> ids;
  const bool converts = op.opcode == ir::Opcode::Convert || op.opcode == ir::Opcode::BitcastConvert;
  for (const ir::ElementTypeInfo &row : ir::element_types()) {
    const ElementType type = coverage::is_typeless(op.opcode) ? ElementType::Invalid : row.type;
    if (ir::is_opaque(row.type)) {
      continue;
    }
    std::vector<ShapeClass> shapes = shapes_for(op, type, converts, mode);
    shapes.push_back(fixed);
    for (const ShapeClass &shape : shapes) {
      if (is_in_time(op, type, shape, mode)) {
        append_cases(op, type, shape, mode, ids);
      }
    }
    if (type == ElementType::Invalid) {
      break;
    }
  }
  return ids;
}

}  // namespace bp::conformance
