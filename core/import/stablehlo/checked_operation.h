// An operation as the rules of StableHLO's verifier see it, and readers of its attributes. Internal to the verifier.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/import/stablehlo/syntax.h"

namespace bp::import::stablehlo {

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

// Returns the integers of a list, of nested lists, or of dense<...>; empty for other attributes.
std::vector<std::int64_t> integers_of(const Attribute &attribute);
// Returns an entry of #stablehlo.name<entry = value>; nullptr if there is none.
const Attribute *find_entry(const Attribute &attribute, std::string_view name);

}  // namespace bp::import::stablehlo
