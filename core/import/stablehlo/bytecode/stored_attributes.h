// The attributes of an operation as VHLO has them: each that the operation can have, in one form, whether it was read
// from the pretty form, the generic form or bytecode.
#pragma once

#include "core/import/stablehlo/bytecode/vhlo.h"
#include "core/import/stablehlo/syntax.h"

namespace bp::import::stablehlo::bytecode {

struct StoredAttribute {
  const VhloAttribute *row;
  Attribute value;  // as the row's kind says
};

// Returns the attributes in the order of the table. Those that are absent have the value that stands for absence.
// Fails if an attribute is missing or has a form that its kind does not have.
Result<std::vector<StoredAttribute>> stored_attributes(const Program &program, const Operation &operation,
                                                       const VhloOperation &vhlo);

// Converts an attribute, from whichever form it was read, to the form of its kind.
Result<Attribute> convert(const Attribute &attribute, AttributeKind kind);

// Returns the attributes that are not the operation's own, such as mhlo.sharding.
std::vector<const NamedAttribute *> other_attributes(const Operation &operation, const VhloOperation &vhlo);

// Returns the names of the own attributes of operations that are not of VHLO, in alphabetical order.
std::vector<std::string_view> own_names(const Operation &operation);

// Whether the attribute has the value that stands for its absence.
bool is_absent(const VhloAttribute &row, const Attribute &attribute);
// Whether all members of a group that may be absent have values that stand for absence.
bool is_absent(const Dictionary &group);

// Returns the entry of this name; nullptr if there is none.
const Attribute *find_entry(const Dictionary &dictionary, std::string_view name);

// Returns the elements of a tensor of one dimension as a list, as in array<i64: 1, 2>. Fails if they are no numbers,
// or too many for an attribute.
Result<Attribute> to_list(const Attribute &tensor);

}  // namespace bp::import::stablehlo::bytecode
