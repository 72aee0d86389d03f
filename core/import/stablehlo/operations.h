// The table of operations of operations.def.
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

// Instructions that compute the results of an operation.
using Values = boost::container::small_vector<ir::InstructionId, 2>;

// Meaning of the types in the short pretty form `: T, T`, without `->`, for the results.
enum class ShortResults : std::uint8_t {
  Last,            // there is one result, of the last type
  SameAsOperands,  // there is one result of each type
  None,
};

struct AttributeRow {
  std::string_view name;
  std::string_view pretty_name;  // name in the pretty form, if it differs
  ir::AttributeKey key;
};

struct OperationRow {
  std::string_view name;
  ShortResults results;
  Result<Values> (*lower)(Lowering &, const Operation &);
  ir::Opcode opcode;  // if the operation corresponds to one instruction
  std::vector<AttributeRow> attributes;
};

const OperationRow *find_row(std::string_view name);  // nullptr if there is no such operation
// Returns the first row of an operation that lowers to an instruction of the opcode; nullptr if there is none.
const OperationRow *find_row_of(ir::Opcode opcode);
// Returns the opcode of a custom call by which frameworks write an operation that StableHLO did not have, or does not
// store; CustomCall for other targets. target_of() is the inverse, and empty for other opcodes.
ir::Opcode opcode_of_target(std::string_view target);
std::string_view target_of(ir::Opcode opcode);
// Returns why an operation that exists is refused; empty if there is no such operation.
std::string_view reason_to_refuse(std::string_view name);
// Returns ", did you mean 'stablehlo.add'?", or an empty text.
std::string did_you_mean(std::string_view name);

}  // namespace bp::import::stablehlo
