// What StableHLO's own verifier refuses is refused here too, operation by operation, before anything is lowered, also
// in functions that nothing calls. What instructions of HLO must keep is left to ir::verify().
#pragma once

#include "core/base/result.h"
#include "core/import/stablehlo/syntax.h"

namespace bp::import::stablehlo {

// The first mistake, at its place. Rules: signatures.def, attribute_rules.def, and the verify_*.cc of this folder.
// Laxer than StableHLO's are only these: `index` is i64, a future is the values that it stands for, lists may be
// written without array<...>, and nothing is known of memrefs.
Status verify(const Program &program);

// Types that may stand for one another: sizes are equal or not known, and quantized elements are stored alike, whatever
// their scales.
ir::ElementType expressed_type(const Type &type);  // or that of the elements, if they are not quantized
bool are_compatible(const Type &a, const Type &b);
bool have_equal_elements(const Type &a, const Type &b);  // the same scales too
bool have_compatible_elements(const Type &a, const Type &b);
bool have_compatible_sizes(const ir::Shape &a, const ir::Shape &b);

// --- Parts of verify() ---

// One operation in its program, for the rules.
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

  // Null if there is none. Unlike Operation::find() this does not count as use.
  const Attribute *find(std::string_view name, std::string_view pretty_name = {}) const;
  // The attribute's integers; empty if there is none, or if it has others.
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

// A rule of one operation beyond its signature; null if there is none.
using Rule = Status (*)(const Checked &);
Rule find_rule(std::string_view operation);

Status verify_signature(const Checked &checked);
Status verify_attributes(const Checked &checked);

// The integers of a list, of lists of lists, or of dense<...>; empty if there is something else.
std::vector<std::int64_t> integers_of(const Attribute &attribute);
// An entry of #stablehlo.name<entry = value>; null if there is none.
const Attribute *find_entry(const Attribute &attribute, std::string_view name);

}  // namespace bp::import::stablehlo
