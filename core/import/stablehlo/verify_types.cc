// Checks operands and results against signatures.def: their number, their types, and the relation between them.
#include <algorithm>
#include <unordered_map>

#include "core/import/stablehlo/type_compatibility.h"
#include "core/import/stablehlo/verifier_rules.h"

namespace bp::import::stablehlo {
namespace {

enum class Relation : std::uint8_t {
  None,
  Types,            // all types are compatible
  Elements,         // the elements of all types are compatible
  OperandElements,  // the elements of all operands are compatible
  ExactElements,    // all have the same element type
  Shapes,           // the sizes of all are compatible
  Pairs,            // each result has the type of its operand
  PairElements,     // each result has the element type of its operand
  PairTypes,        // each result is compatible with its operand
  First,            // the first result has the element type of the first operand
};

// Kinds of elements, as a bit set.
enum ElementKind : std::uint32_t {
  F32 = 1,
  F64 = 2,
  OtherFloat = 4,
  I32 = 8,
  OtherSigned = 16,
  U32 = 32,
  OtherUnsigned = 64,
  Pred = 128,
  Complex = 256,
  Quantized = 512,  // quantized with one scale
  Axis = 1024,      // quantized with a scale for each index of a dimension
  Token = 2048,
  Tuple = 4096,
};
constexpr std::uint32_t any_float = F32 | F64 | OtherFloat, any_signed = I32 | OtherSigned,
                        any_integer = any_signed | U32 | OtherUnsigned;

struct KindRow {
  std::string_view word;
  std::uint32_t kinds;
  std::string_view text;
};
constexpr KindRow kind_rows[] = {
    {"tensor", any_float | any_integer | Pred | Complex | Quantized, "any elements not quantized by dimension"},
    {"any", any_float | any_integer | Pred | Complex | Quantized | Axis, "any elements"},
    {"axis", Axis, "elements quantized by dimension"},
    {"float", any_float, "floats"},
    {"f32", F32, "f32"},
    {"f64", F64, "f64"},
    {"integer", any_integer, "integers"},
    {"signed", any_signed, "signed integers"},
    {"i32", I32, "i32"},
    {"ui32", U32, "ui32"},
    {"pred", Pred, "i1"},
    {"complex", Complex, "complex numbers"},
    {"quantized", Quantized, "elements quantized with one scale"},
    {"token", Token, "a token"},
    {"tuple", Tuple, "a tuple"},
};

// One entry of a signature.
struct Expected {
  std::uint32_t kinds = 0;  // 0: any type
  int rank = -1;            // -1: any rank
  bool is_static = false, is_bounded = false, is_repeated = false;
  std::string text;
};

struct Signature {
  std::vector<Expected> operands, results;
  Relation relation = Relation::None;
};

Expected parse_expected(std::string_view text) {
  Expected expected;
  auto accept = [&](std::string_view wrapper) {
    const bool found = text.starts_with(wrapper) && text[wrapper.size()] == '(';
    text = found ? text.substr(wrapper.size() + 1, text.size() - wrapper.size() - 2) : text;
    return found;
  };
  if (text.ends_with('*')) {
    expected.is_repeated = true;
    text.remove_suffix(1);
  }
  expected.is_static = accept("static");
  expected.is_bounded = accept("bounded");
  std::string_view form = "a tensor of";
  if (accept("scalar")) {
    expected.rank = 0;
    form = "a scalar of";
  } else if (accept("vector")) {
    expected.rank = 1;
    form = "a vector of";
  }
  std::string kinds, others;
  while (!text.empty() && text != "other") {
    const std::size_t end = std::min(text.find('|'), text.size());
    const KindRow &row = *std::ranges::find(kind_rows, text.substr(0, end), &KindRow::word);
    text.remove_prefix(std::min(end + 1, text.size()));
    std::string &list = (row.kinds & (Token | Tuple)) != 0 ? others : kinds;
    list += fmt::format("{}{}", list.empty() ? "" : " or ", row.text);
    expected.kinds |= row.kinds;
  }
  expected.text = kinds.empty() ? others : fmt::format("{} {}{}{}", form, kinds, others.empty() ? "" : ", or ", others);
  return expected;
}

std::vector<Expected> parse_list(std::string_view text) {
  std::vector<Expected> list;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view entry = text.substr(0, end);
    const std::size_t begin = entry.find_first_not_of(' '), last = entry.find_last_not_of(' ');
    if (begin != std::string_view::npos) {
      list.push_back(parse_expected(entry.substr(begin, last + 1 - begin)));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return list;
}

const Signature *find_signature(std::string_view operation) {
  static const auto signatures = [] {
    std::unordered_map<std::string_view, Signature> table;
    auto add = [&](std::string_view types, Relation relation, std::string_view operations) {
      const std::size_t arrow = types.find("->");
      Signature signature{parse_list(types.substr(0, arrow)), parse_list(types.substr(arrow + 2)), relation};
      while (!operations.empty()) {
        const std::size_t end = std::min(operations.find(' '), operations.size());
        table.emplace(operations.substr(0, end), signature);
        operations.remove_prefix(std::min(end + 1, operations.size()));
      }
    };
#define BP_SIGNATURE(types, relation, operations) add(types, Relation::relation, operations);
#include "core/import/stablehlo/signatures.def"
    return table;
  }();
  auto found = signatures.find(operation);
  return found == signatures.end() ? nullptr : &found->second;
}

std::uint32_t kind_of(const Type &type) {
  if (type.quantization != nullptr) {
    return type.quantization->dimension >= 0 ? Axis : Quantized;
  }
  switch (type.shape.element_type()) {
    case ir::ElementType::F32: return F32;
    case ir::ElementType::F64: return F64;
    case ir::ElementType::S32: return I32;
    case ir::ElementType::U32: return U32;
    case ir::ElementType::Pred: return Pred;
    case ir::ElementType::Token: return Token;
    case ir::ElementType::Tuple: return Tuple;
    default: break;
  }
  switch (ir::info(type.shape.element_type()).type_class) {
    case ir::TypeClass::Float: return OtherFloat;
    case ir::TypeClass::Signed: return OtherSigned;
    case ir::TypeClass::Unsigned: return OtherUnsigned;
    case ir::TypeClass::Complex: return Complex;
    default: return 0;
  }
}

bool are_sizes_known(const Expected &expected, const ir::Shape &shape) {
  std::size_t bounded = 0;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (shape.size(i) == ir::unbounded) {
      return false;
    }
    bounded += shape.is_dynamic(i) ? 1 : 0;
  }
  return bounded <= (expected.is_bounded ? 1 : 0);
}

Status check_type(const Checked &checked, const Expected &expected, const Type &type, std::string_view what,
                  std::size_t i) {
  const bool has_rank =
      expected.rank < 0 || !type.shape.is_array() || type.shape.rank() == static_cast<std::size_t>(expected.rank);
  if (expected.kinds != 0 && ((kind_of(type) & expected.kinds) == 0 || !has_rank)) {
    return checked.error("{}: {} {} is {}, expected {}", checked.name(), what, i, to_string(type), expected.text);
  }
  const bool is_limited = (expected.is_static || expected.is_bounded) && type.shape.is_array();
  if (is_limited && !are_sizes_known(expected, type.shape)) {
    return checked.error("{}: {} {} is {}, expected known sizes{}", checked.name(), what, i, to_string(type),
                         expected.is_bounded ? ", or one that is bounded" : "");
  }
  return {};
}

// The repeated entry, if there is one, matches all operands or results that the other entries do not match.
template <class TypeOf>
Status check_types(const Checked &checked, std::span<const Expected> expected, std::size_t count, TypeOf &&type_of,
                   std::string_view what) {
  const auto repeated = std::ranges::find_if(expected, &Expected::is_repeated);
  const bool is_open = repeated != expected.end();
  const std::size_t least = expected.size() - (is_open ? 1 : 0);
  if (count < least || (!is_open && count != least)) {
    return checked.error("{} has {} {}{}, expected {}{}", checked.name(), count, what, count == 1 ? "" : "s",
                         is_open ? "at least " : "", least);
  }
  const auto first = static_cast<std::size_t>(repeated - expected.begin());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t last = first + count - least;  // one past the repeated ones
    const std::size_t entry = !is_open || i < first ? i : i < last ? first : i - (last - first) + 1;
    BP_TRY(check_type(checked, expected[entry], type_of(i), what, i));
  }
  return {};
}

using Agree = bool (*)(const Type &, const Type &);

bool agree_on_sizes(const Type &a, const Type &b) {
  return have_compatible_sizes(a.shape, b.shape);
}

// Returns operand or result `i`; results are numbered after the operands.
const Type &type_of(const Checked &checked, std::size_t i) {
  return i < checked.operand_count() ? checked.operand(i) : checked.result(i - checked.operand_count());
}

Status disagree(const Checked &checked, std::size_t a, std::size_t b, std::string_view what) {
  auto name = [&](std::size_t i) {
    const bool is_operand = i < checked.operand_count();
    return fmt::format("{} {}", is_operand ? "operand" : "result", is_operand ? i : i - checked.operand_count());
  };
  return checked.error("{}: {} is {} and {} is {}, expected {}", checked.name(), name(a),
                       to_string(type_of(checked, a)), name(b), to_string(type_of(checked, b)), what);
}

Status check_all(const Checked &checked, std::size_t count, Agree agree, std::string_view what) {
  for (std::size_t i = 1; i < count; ++i) {
    if (!agree(type_of(checked, 0), type_of(checked, i))) {
      return disagree(checked, 0, i, what);
    }
  }
  return {};
}

Status check_pairs(const Checked &checked, Agree agree, std::string_view what) {
  if (checked.operand_count() != checked.result_count()) {
    return checked.error("{} has {} operands and {} results, expected as many", checked.name(), checked.operand_count(),
                         checked.result_count());
  }
  for (std::size_t i = 0; i < checked.operand_count(); ++i) {
    if (!agree(checked.operand(i), checked.result(i))) {
      return disagree(checked, i, checked.operand_count() + i, what);
    }
  }
  return {};
}

Status check_relation(const Checked &checked, Relation relation) {
  const std::size_t all = checked.operand_count() + checked.result_count();
  constexpr std::string_view elements = "the same elements";
  switch (relation) {
    case Relation::None: return {};
    case Relation::Types: return check_all(checked, all, are_compatible, "the same type");
    case Relation::Elements: return check_all(checked, all, have_compatible_elements, elements);
    case Relation::OperandElements:
      return check_all(checked, checked.operand_count(), have_compatible_elements, elements);
    case Relation::ExactElements: return check_all(checked, all, have_equal_elements, "the same elements");
    case Relation::Shapes: return check_all(checked, all, agree_on_sizes, "the same sizes");
    case Relation::Pairs:
      return check_pairs(checked, [](const Type &a, const Type &b) { return a == b; }, "the same type");
    case Relation::PairTypes: return check_pairs(checked, are_compatible, "the same type");
    case Relation::First:
      return have_equal_elements(checked.operand(0), checked.result(0))
                 ? Status()
                 : disagree(checked, 0, checked.operand_count(), "the same elements");
    case Relation::PairElements: return check_pairs(checked, have_equal_elements, "the same elements");
  }
  return {};
}

}  // namespace

Status verify_signature(const Checked &checked) {
  const Signature *signature = find_signature(checked.name());
  if (signature == nullptr) {
    return {};
  }
  BP_TRY(check_types(
      checked, signature->operands, checked.operand_count(),
      [&](std::size_t i) -> const Type & { return checked.operand(i); }, "operand"));
  BP_TRY(check_types(
      checked, signature->results, checked.result_count(),
      [&](std::size_t i) -> const Type & { return checked.result(i); }, "result"));
  return check_relation(checked, signature->relation);
}

}  // namespace bp::import::stablehlo
