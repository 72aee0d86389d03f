// Raises a module to a StableHLO program, the counterpart of lowering: each instruction by its row of raising.def, or
// else as the operation of operations.def that lowers to its opcode.
//
// StableHLO has no tuples: a value of a tuple's shape becomes one value per array or token in it, and parameters,
// results and the state of loops do too. Called computations become functions, those of loops, branches and reducers
// regions. Layouts describe memory and are dropped, except those of the entry, of custom calls, and of bitcasts, which
// become transposes. Control dependencies, profiles and settings of XLA are dropped as well.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <unordered_map>

#include "core/import/stablehlo/operations.h"

namespace bp::import::stablehlo {

// How the program will be written. Operations of chlo cannot be stored: in bytecode they are custom calls of names that
// XLA knows.
enum class RaisedForm : std::uint8_t { Text, Bytecode };

// Returns a verified program. Fails with Unsupported, and the place of the instruction, if StableHLO does not have what
// the instruction does. The module must be verified.
Result<Program> raise(const ir::Module &module, RaisedForm form);

using ir::AttributeKey;
using ir::Opcode;
using ValueIds = std::vector<ValueId>;  // of an instruction: one for each array or token in its shape
using Attributes = std::vector<NamedAttribute>;

class Raising;

// A row of raising.def, or of operations.def.
struct RaisingRow {
  std::string_view operation;                                                                   // empty: none alone
  Result<ValueIds> (*raise)(Raising &, const ir::Instruction &, const RaisingRow &) = nullptr;  // nullptr: refused
  std::string_view reason;            // why it is refused, and what to do
  std::vector<AttributeKey> refused;  // attributes that StableHLO does not have
};
const RaisingRow *find_raising_row(Opcode opcode);  // nullptr if there is none

// An operation that is to be added.
struct Draft {
  std::string_view name;
  ValueIds operands;
  std::vector<Type> results;
  Attributes attributes = {};
  std::vector<Region> regions = {};
};

class Raising {
 public:
  Raising(const ir::Module &module, RaisedForm form);

  Result<Program> run();

  // --- For the functions raise_*() ---

  RaisedForm form() const { return form_; }
  const ir::Module &module() const { return module_; }

  // Returns the values of an instruction of the computation that is being raised.
  const ValueIds &values(const ir::Instruction &instruction) const;
  const ValueIds &operand(const ir::Instruction &instruction, std::size_t i) const {
    return values(instruction.operand(i));
  }
  ValueIds operands(const ir::Instruction &instruction) const;  // of all operands, in order
  const Type &type(ValueId id) const { return program_.type(id); }
  // Returns the type of an array or token. Fails if StableHLO has no such type.
  Result<Type> type_of(const ir::Shape &shape) const;
  Result<std::vector<Type>> types_of(const ir::Shape &shape) const;  // one for each array or token

  // Adds the operation to the region that is being raised. Returns its results.
  ValueIds add(Draft draft);
  // Adds an operation with one result of the type.
  ValueId add(std::string_view name, ValueIds operands, Type result, Attributes attributes = {});
  ValueId reshape(ValueId operand, std::span<const std::int64_t> sizes);
  ValueId transpose(ValueId operand, std::span<const std::int64_t> permutation);
  ValueId constant(ir::Literal literal);  // an array

  // Raises a computation that takes nothing from outside to a region with one argument for each value it takes.
  Result<Region> region(ir::Computation computation);
  // Raises a computation to a region without arguments: its parameter is `argument`.
  Result<Region> branch(ir::Computation computation, ValueIds argument);
  // Returns the function that the computation becomes, which is raised later.
  Attribute function(ir::Computation computation);

  // Returns a text that lives as long as the program, for names that are views.
  std::string_view keep(std::string text);

  Error unsupported(const ir::Instruction &instruction, std::string reason) const;

 private:
  // The region that is being raised, and the values of its computation's instructions.
  struct Scope {
    Region region;
    std::unordered_map<ir::InstructionId, ValueIds> values;
    std::uint32_t depth = 0;
  };
  struct Function {
    ir::Computation computation;
    std::string name;
  };

  ValueId new_value(Type type);
  // Binds a parameter to new arguments of the region.
  Status add_arguments(Scope &scope, const ir::Instruction &parameter);
  Status raise_body(Scope &scope, ir::Computation computation, std::string_view return_name);
  Status raise_instruction(const ir::Instruction &instruction);
  Status raise_function(const Function &function, bool is_entry);
  Result<Region> raise_region(ir::Computation computation, const ValueIds *argument);
  void begin_operation(Operation &operation) const;  // sets its place and its origin

  const ir::Module &module_;
  RaisedForm form_;
  Program program_;
  Scope *scope_ = nullptr;
  const ir::Instruction *current_ = nullptr;  // is being raised; nullptr: none
  std::deque<Function> pending_;
  std::unordered_map<ir::ComputationId, std::string> functions_;
  std::set<std::string> names_;
  std::size_t operation_count_ = 0;
};

// --- Attributes ---
Attribute integer(std::int64_t value, ir::ElementType type = ir::ElementType::S64);
Attribute integers(std::span<const std::int64_t> values);
Attribute flags(std::span<const std::int64_t> values);
Attribute word(std::string_view text);
Attribute rows_of_two(std::span<const std::int64_t> values);  // a tensor of pairs
// Returns the attributes of an operation of operations.def that the instruction has.
Result<Attributes> attributes_of(Raising &raising, const ir::Instruction &instruction, const OperationRow &row);
// Returns operand_precision as precision_config; nothing if all are the default.
Result<Attributes> precision_of(Raising &raising, const ir::Instruction &instruction);
// Reads the text of an attribute as MLIR writes it. The text must outlive the attribute.
Result<Attribute> read_mlir_attribute(std::string_view text);

// Adds one operation: with the operands, results and attributes of the instruction, and its computations as regions.
Result<ValueIds> raise_as(Raising &raising, const ir::Instruction &instruction, std::string_view operation,
                          Attributes attributes);
// Adds a custom call of the name by which XLA knows an operation of chlo in bytecode; fails if there is none.
Result<ValueIds> raise_as_target(Raising &raising, const ir::Instruction &instruction, Attributes attributes);

// --- What does not change what is computed: raise_hints.cc ---
Attributes module_attributes(Raising &raising);
Attributes hints_of(Raising &raising, const ir::Instruction &instruction);
// Returns the attributes of a value of the instruction, one of `count`, as an argument or result of a function.
Dictionary argument_hints(Raising &raising, const ir::Instruction &instruction, std::size_t i, std::size_t count);
Dictionary result_hints(Raising &raising, const ir::Instruction &root, std::size_t i, std::size_t count);
std::shared_ptr<const Location> origin_of(const ir::Instruction &instruction);
// Returns the entries of frontend attributes, {a="x",b={y}}: names, and values without quotes.
std::vector<std::pair<std::string, std::string>> frontend_entries(std::string_view text);

// Returns the number of arrays and tokens in a shape.
std::size_t leaf_count(const ir::Shape &shape);
// Returns the index, among the arrays and tokens of a shape, of the first in the part at `index`.
std::size_t first_leaf(const ir::Shape &shape, std::span<const std::int64_t> index);

}  // namespace bp::import::stablehlo
