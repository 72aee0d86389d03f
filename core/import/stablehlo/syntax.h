// The parsed form of a StableHLO text: operations with operands, attributes and regions. The pretty and the generic
// form of an operation give the same Operation. Names are views into the text, which must outlive them.
#pragma once

#include <boost/container/flat_set.hpp>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/ir/literal.h"
#include "core/ir/module.h"
#include "core/ir/shape.h"
#include "core/text/token_reader.h"

namespace bp::import::stablehlo {

enum class ValueId : std::uint32_t {};

constexpr std::uint32_t index(ValueId id) {
  return static_cast<std::uint32_t>(id);
}

// !quant.uniform<i8:f32:1, {0.1:-30, 0.5:-20}>: real value = (stored value - zero point) * scale.
struct Quantization {
  ir::ElementType expressed = ir::ElementType::Invalid;
  std::int64_t storage_min = 0, storage_max = 0;
  std::int64_t dimension = -1;  // each index of this dimension has its own scale; -1: one scale for all
  std::vector<double> scales;
  std::vector<std::int64_t> zero_points;
  bool operator==(const Quantization &) const = default;
};

struct Type {
  ir::Shape shape;  // quantized tensors: with the storage type
  std::shared_ptr<const Quantization> quantization = nullptr;
  bool is_future = false;  // what an asynchronous operation will have computed; of several values: a tuple

  bool operator==(const Type &other) const;
};
// Returns the type as it is written: tensor<2x?xf32>.
std::string to_string(const Type &type);
// Whether the scale, rounded to the type, is neither 0 nor infinite.
bool is_scale(ir::ElementType type, double scale);
// Returns what is wrong with the number of scales of a quantized tensor; empty if nothing is.
std::string scales_problem(const Type &type);
// Returns the name of an element type: i8, ui8, complex<f32>, f8E4M3FN.
std::string element_type_name(ir::ElementType type);

struct Attribute;
struct NamedAttribute;

// A bare word, such as DEFAULT, also in #stablehlo<precision DEFAULT>.
struct Keyword {
  std::string_view text;
  std::string_view enumeration = {};  // "precision" in #stablehlo<precision DEFAULT>; empty: not written
};
struct Symbol {  // @name
  std::string name;
};
struct FunctionType {
  std::vector<Type> operands, results;
};
// Canonical text of an attribute that is not parsed: attributes of other dialects.
struct OpaqueText {
  std::string text;
};
// A dictionary, {a = 1, b}, or the inside of #stablehlo.gather<a = [1]>.
struct Dictionary {
  std::vector<NamedAttribute> entries;
};

// dense<...> : tensor<...>
struct Elements {
  Type type;
  ir::Literal literal;  // a scalar if one value is written for all elements
  bool is_splat() const { return literal.shape().is_scalar(); }
};

struct Attribute {
  using Value = std::variant<std::monostate,  // only the name is present
                             bool, std::int64_t, double, std::string, Keyword, Symbol, Type, FunctionType, OpaqueText,
                             std::vector<Attribute>, Dictionary, Elements>;
  Value value;
  std::size_t position = 0;                         // offset in the text
  ir::ElementType type = ir::ElementType::Invalid;  // type written after a number or in array<...>; Invalid: none

  template <class T>
  const T *get() const {
    return std::get_if<T>(&value);
  }
};

struct NamedAttribute {
  std::string_view name;
  Attribute value;
  mutable bool is_used = false;  // was read; unused attributes are an error
};

// Returns the attribute as text, with the entries of dictionaries in their order.
std::string to_string(const Attribute &attribute);

// The origin of an operation in the program of the framework.
using Location = ir::Metadata;

struct Region;

struct Operation {
  std::string_view name;     // "stablehlo.add"
  std::size_t position = 0;  // offset of the name in the text
  text::LineColumn start;    // the same as line and column
  std::string_view result_name;
  boost::container::small_vector<ValueId, 2> operands;
  ValueId first_result{0};  // results have consecutive numbers
  std::uint32_t result_count = 0;
  std::vector<NamedAttribute> attributes;
  std::vector<Region> regions;
  std::shared_ptr<const Location> location;

  ValueId result(std::uint32_t i) const { return ValueId{index(first_result) + i}; }
  // Returns nullptr if the attribute is absent. Marks it as used. `pretty_name`: its name in the pretty form, if it
  // differs.
  const Attribute *find(std::string_view attribute, std::string_view pretty_name = {}) const;
};

// A region of one block: its arguments and operations. The last operation is a return.
struct Region {
  std::size_t position = 0;
  std::vector<ValueId> arguments;
  std::vector<std::string_view> argument_names;
  std::vector<Operation> operations;
  boost::container::flat_set<ValueId> captures;  // values of enclosing regions that are used in this one
};

struct Program {
  std::string_view text;  // or bytecode
  std::string file;
  std::uint32_t first_line = 1;
  // Only in programs that are read from bytecode, which has no lines, or made from a module: positions are indices of
  // `origins`, the places in the program of the framework or in the module's text; nullptr: not known.
  std::vector<std::shared_ptr<const Location>> origins;
  Operation module;          // builtin.module; its one region holds the functions
  std::vector<Type> values;  // by ValueId
  // Only in programs that are made from a module: texts that names and words are views of.
  std::shared_ptr<std::deque<std::string>> kept;

  const Type &type(ValueId id) const { return values[index(id)]; }
  SourceLocation location(std::size_t position) const;
};

}  // namespace bp::import::stablehlo
