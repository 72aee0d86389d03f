// The table of operations: operations.def as data.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/import/stablehlo/syntax.h"
#include "core/ir/module.h"

namespace bp::import::stablehlo {

class Lowering;

// Instructions for the results of an operation.
using Values = boost::container::small_vector<ir::InstructionId, 2>;

// What the short pretty form `: T, T`, without `->`, says about the results.
enum class ShortResults : std::uint8_t {
  Last,            // one, of the last type written
  SameAsOperands,  // as many as types are written
  None,
};

struct AttributeRow {
  std::string_view name;
  std::string_view pretty_name;  // in the pretty form, if it is another
  ir::AttributeKey key;
};

struct OperationRow {
  std::string_view name;
  ShortResults results;
  Result<Values> (*lower)(Lowering &, const Operation &);
  ir::Opcode opcode;  // if it is an instruction as it stands
  std::vector<AttributeRow> attributes;
};

const OperationRow *find_row(std::string_view name);  // null: there is no such operation
// Why an operation that exists is refused; empty: there is none of that name.
std::string_view reason_to_refuse(std::string_view name);
// ", did you mean 'stablehlo.add'?", or nothing.
std::string did_you_mean(std::string_view name);

}  // namespace bp::import::stablehlo
