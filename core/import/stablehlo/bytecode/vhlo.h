// The table of operations of vhlo.def.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bp::import::stablehlo::bytecode {

// A version of StableHLO, and of VHLO.
struct Version {
  int major_number = 0, minor_number = 0, patch = 0;
  auto operator<=>(const Version &) const = default;
};
inline constexpr Version oldest_version{0, 9, 0}, newest_version{1, 20, 0};
// The version to write where none is asked for: the newest that jaxlib 0.10.2 reads.
inline constexpr Version default_target{1, 17, 0};
std::string to_string(Version version);
std::optional<Version> parse_version(std::string_view text);  // "1.9.0"

// The kind of an attribute. In StableHLO, lists and flags are written array<i64: 1>, array<i1: true> and `unit`, and
// words #stablehlo<precision DEFAULT>; in VHLO they are tensors, booleans and enumerations.
enum class AttributeKind : std::uint8_t {
  I64,
  I32,
  F32,
  Bool,
  Unit,  // present or absent
  String,
  Symbol,
  Symbols,
  I64List,
  BoolList,
  Elements,
  I64Tensor,  // of two dimensions
  Groups,     // a tensor of two dimensions, or axes of a mesh
  IndexTensors,
  Lists,  // of integers
  Dictionary,
  Dictionaries,
  StringOrDictionary,
  FunctionType,
  Aliases,
  Accuracy,
  ApiVersion,
  // Members of #stablehlo.dot_algorithm, which may be `none` in VHLO.
  ElementType,
  OptionalI64,
  OptionalBool,
  // Words.
  ComparisonDirection,
  ComparisonType,
  FftType,
  Precisions,  // a list of words
  RngAlgorithm,
  RngDistribution,
  Transpose,
};

struct VhloAttribute {
  std::string_view name;
  std::string_view pretty_name;  // in the pretty form; empty: the same
  AttributeKind kind;
  std::string_view group;  // the attribute of StableHLO that has this one as a member; empty: none
  std::string_view form;   // of the group: #stablehlo.form<...>
  bool is_optional;        // the attribute, or the group, may be absent in StableHLO
  // The number that stands for absence, in all elements; otherwise nothing does: 0, false, "", DEFAULT, an empty list.
  std::optional<std::int64_t> repeated;
};

struct VhloOperation {
  std::string_view name;  // "add_v1"
  std::string stablehlo;  // "stablehlo.add"
  Version first, last;
  std::vector<VhloAttribute> attributes;
};

// Returns the operation of this name, as "add_v1"; nullptr if there is none.
const VhloOperation *find_vhlo(std::string_view name);
// Returns the form of an operation of StableHLO, as "stablehlo.add", that a version has; nullptr if it has none.
const VhloOperation *find_vhlo_of(std::string_view stablehlo, Version version = newest_version);
// Returns what is known about an attribute of this name of any operation; nullptr: nothing.
const VhloAttribute *find_vhlo_attribute(std::string_view name);

}  // namespace bp::import::stablehlo::bytecode
