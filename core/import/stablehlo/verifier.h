// Programs that StableHLO's own verifier rejects are rejected here too, operation by operation, before lowering, also
// in functions that are never called. Rules of HLO instructions are left to ir::verify().
#pragma once

#include "core/base/result.h"
#include "core/import/stablehlo/syntax.h"

namespace bp::import::stablehlo {

// Returns the first error, with its location. Rules: signatures.def, attribute_rules.def, and verify_*.cc in this
// folder. They are less strict than StableHLO's in the following points only: `index` is i64, a future is equivalent to
// its values, lists may be written without array<...>, and memrefs are not checked.
Status verify(const Program &program);

// Compatible types can replace each other: sizes are equal or not known, and quantized elements have the same storage,
// whatever their scales are.
ir::ElementType expressed_type(const Type &type);  // the element type if the type is not quantized
bool are_compatible(const Type &a, const Type &b);
bool have_equal_elements(const Type &a, const Type &b);  // including equal scales
bool have_compatible_elements(const Type &a, const Type &b);
bool have_compatible_sizes(const ir::Shape &a, const ir::Shape &b);

// --- Parts of verify() ---

// An operation in its program, as the rules see it.
class Checked {
 public:
  Checked(const Program &program, const Operation &operation) : program_(program), operation_(operation) {}

  const Operation &operation() const { return operation_; }
  std::string_view name() const { return operation_.name; }
  std::size_t operand_count() const { return operation_.operands.size(); }
  std::size_t result_count() const { return operation_.result_count; }
  const Type &operand(std::size_t i) const { return program_.type(operation_.operands[i]); }
  const Type &result(std::size_t i) const { return program_.type(operation_.result(static_cast<std::uint32_t>(i))); }
  const Type &type(ValueId value) const { return program_.type(value); }

  // Returns nullptr if there is none. In contrast to Operation::find(), does not mark the attribute as used.
  const Attribute *find(std::string_view name, std::string_view pretty_name = {}) const;
  // Returns the integers of the attribute; empty if it is absent or not a list of integers.
  std::vector<std::int64_t> integers(std::string_view name, std::string_view pretty_name = {}) const;

  template <class... Args>
  Error error(fmt::format_string<Args...> format, Args &&...args) const {
    return error_at(operation_.position, format, std::forward<Args>(args)...);
  }
  template <class... Args>
  Error error_at(std::size_t position, fmt::format_string<Args...> format, Args &&...args) const {
    return Error(ErrorCode::InvalidInput, fmt::format(format, std::forward<Args>(args)...))
        .at(program_.location(position));
  }

 private:
  const Program &program_;
  const Operation &operation_;
};

// A rule of one operation beyond its signature; find_rule() returns nullptr if there is none.
using Rule = Status (*)(const Checked &);
Rule find_rule(std::string_view operation);

Status verify_signature(const Checked &checked);
Status verify_attributes(const Checked &checked);

// Returns the integers of a list, of nested lists, or of dense<...>; empty for other attributes.
std::vector<std::int64_t> integers_of(const Attribute &attribute);
// Returns an entry of #stablehlo.name<entry = value>; nullptr if there is none.
const Attribute *find_entry(const Attribute &attribute, std::string_view name);

}  // namespace bp::import::stablehlo
