// From what a text says to a module: each operation by its row of operations.def, regions as computations.
//
// HLO has no regions: what a region uses from outside is carried into loops and branches beside their own values;
// constants, and in reducers and the like whatever is computed from constants alone, are copied into the region.
#pragma once

#include <deque>
#include <map>
#include <set>

#include "core/import/stablehlo/operations.h"
#include "core/import/stablehlo/stablehlo.h"
#include "core/ir/builder.h"

namespace bp::import::stablehlo {

using ir::AttributeKey;
using ir::ComputationId;
using ir::InstructionId;
using ir::Opcode;
using ir::Shape;
using Integers = std::vector<std::int64_t>;

class Lowering {
 public:
  Lowering(const Program &program, const Options &options);

  Result<ir::Module> run();

  // --- For the functions lower_*() ---

  ir::Module &module() { return module_; }
  const Program &program() const { return program_; }

  InstructionId value(ValueId id) const { return values_[index(id)]; }
  InstructionId operand(const Operation &operation, std::size_t i) const {
    return values_[index(operation.operands[i])];
  }
  Values operands(const Operation &operation) const;
  // The shape of the instruction: what was inferred, where the text has '?'.
  const Shape &shape(InstructionId id) const { return module_.instruction(id).shape(); }
  Shape result_shape(const Operation &operation, std::uint32_t i = 0) const;
  // Of all results: one shape, or a tuple.
  Shape result_shapes(const Operation &operation) const;

  Error error(const Operation &operation, std::string message) const;
  Error error(const Attribute &attribute, std::string message) const;
  Error unsupported(const Operation &operation, std::string message) const;
  // What would have to be known of sizes, and is not.
  Error not_known(const Operation &operation, std::string message) const;
  Status expect_operands(const Operation &operation, std::size_t least, std::size_t most) const;
  Status expect_regions(const Operation &operation, std::size_t least, std::size_t most) const;

  // An instruction that stands for the operation. An unbounded size in the shape is inferred.
  template <ir::AttributeSetter F>
  Result<InstructionId> add(const Operation &operation, Opcode opcode, const Shape &shape,
                            std::span<const InstructionId> operands, F &&set_attributes,
                            std::span<const ComputationId> calls = {}) {
    InstructionId id = append(operation, opcode, shape, operands, calls);
    set_attributes(module_, id);
    return finish(operation, id);
  }
  Result<InstructionId> add(const Operation &operation, Opcode opcode, const Shape &shape,
                            std::span<const InstructionId> operands) {
    return add(operation, opcode, shape, operands, [](ir::Module &, InstructionId) {});
  }
  Result<InstructionId> reshape(const Operation &operation, InstructionId operand, std::span<const std::int64_t> sizes);
  Result<InstructionId> constant(const Operation &operation, ir::Literal literal);
  Result<InstructionId> get_element(const Operation &operation, InstructionId tuple, std::size_t element);
  // One value, or a tuple of several or none; and back.
  Result<InstructionId> pack(const Operation &operation, std::span<const InstructionId> values);
  Result<Values> unpack(const Operation &operation, InstructionId packed, std::size_t count);
  // The results of the operation, from one instruction.
  Result<Values> results(const Operation &operation, InstructionId packed) {
    return unpack(operation, packed, operation.result_count);
  }

  // Of two scalars of a type.
  ComputationId scalar_computation(Opcode opcode, ir::ElementType type);
  // The region as a computation that takes its arguments one by one. Without a name it is named after the operation.
  Result<ComputationId> embedded(const Operation &operation, std::size_t region, std::string_view name = {});
  // The region as a computation of one parameter: `arguments` and then `captures`, packed. Returns its values, and the
  // captures too if asked for.
  enum class ReturnCaptures { No, Yes };
  Result<ComputationId> control(const Operation &operation, std::size_t region, std::span<const ValueId> captures,
                                ReturnCaptures return_captures);
  // The values of a region that runs once, where the operation stands.
  Result<Values> in_place(const Operation &operation, std::size_t region);
  // Whether the shapes of the entry's parameters were given.
  bool is_specialized() const { return !options_.parameter_shapes.empty(); }
  // Likewise the body of a function whose types leave sizes open: they follow from what it is given here.
  Result<Values> inlined(const Operation &call, const Operation &function);
  // The body of a function as embedded() makes it of a region.
  Result<ComputationId> embedded_function(const Operation &call, const Attribute &symbol);
  // What a region uses from outside that has to be carried into it.
  std::vector<ValueId> carried(const Region &region) const;
  // The function of this name, which has a body.
  Result<const Operation *> callee(const Attribute &symbol) const;
  // Its computation, which is lowered later.
  Result<ComputationId> function(const Attribute &symbol);
  const Operation *find_function(std::string_view name) const;

  // Adds name="value" to the frontend_attributes of an instruction.
  void add_frontend_attribute(InstructionId id, std::string_view name, std::string_view value);

  // --- Attributes ---
  // Missing ones are errors, unless there is a value for them.
  Result<const Attribute *> attribute(const Operation &operation, std::string_view name,
                                      std::string_view pretty = {}) const;
  Result<Integers> integers(const Operation &operation, std::string_view name, std::string_view pretty = {}) const;
  Result<Integers> integers_or(const Operation &operation, std::string_view name, Integers if_absent,
                               std::string_view pretty = {}) const;
  Result<std::int64_t> integer(const Operation &operation, std::string_view name, std::string_view pretty = {}) const;
  Result<std::int64_t> integer_or(const Operation &operation, std::string_view name, std::int64_t if_absent,
                                  std::string_view pretty = {}) const;
  Result<bool> flag(const Operation &operation, std::string_view name, bool if_absent = false) const;
  Result<std::string> word(const Operation &operation, std::string_view name, std::string_view pretty = {}) const;
  Result<const Dictionary *> dictionary(const Operation &operation, std::string_view name,
                                        std::string_view pretty = {}) const;

  Result<Integers> integers(const Attribute &attribute) const;  // of lists of lists: all of them in a row
  Result<std::int64_t> integer(const Attribute &attribute) const;
  Result<std::string> word(const Attribute &attribute) const;
  // Lists of a dictionary such as #stablehlo.gather<...>; absent ones are empty.
  Result<Integers> integers(const Dictionary &dictionary, std::string_view name) const;
  Result<std::int64_t> integer(const Dictionary &dictionary, std::string_view name, std::int64_t if_absent) const;

  // As the instruction's attribute `key` wants it.
  Status set_attribute(InstructionId id, AttributeKey key, const Attribute &attribute);
  // precision_config, on dots and convolutions.
  Status set_precision(const Operation &operation, InstructionId id);

  // The integers that an instruction has in every run; nothing if they are not known.
  std::optional<Integers> known_integers(InstructionId id, int depth = 0) const;

 private:
  struct Function {
    const Operation *operation;
    ComputationId computation;
  };
  // While a region is lowered: where its instructions go, and what names from outside stood for before.
  class RegionScope;

  Status read_module_attributes();
  Status find_functions();
  Result<const Operation *> choose_entry() const;
  Status lower_function(const Function &function, bool is_entry);
  // The type of the entry's parameter, or of any other one, with the sizes that were asked for.
  Result<Shape> parameter_shape(const Function &function, std::size_t i, bool is_entry) const;
  Status set_argument_attributes(const Operation &function, std::size_t i, InstructionId parameter, bool is_entry);
  Result<Values> lower_region(const Region &region);
  Status lower_operation(const Operation &operation);
  bool is_computed_in_floats(const Operation &operation) const;  // some operand or result is quantized
  Result<Values> lower_in_floats(const Operation &operation);
  // In which products of the quantized operands add up exactly; Invalid if there is none, or nothing is added up.
  ir::ElementType accumulator(const Operation &operation) const;
  Result<Values> lower_in_integers(const Operation &operation, ir::ElementType accumulator);
  // Lowers the operation with `operands` in place of its own. Quantized results are of `type`; Invalid: of the types
  // that they express.
  Result<Values> lower_with(const Operation &operation, std::span<const InstructionId> operands, ir::ElementType type);
  Status check_attributes(const Operation &operation) const;
  Status check_result(const Operation &operation, std::uint32_t i) const;
  void set_hints(const Operation &operation, InstructionId id);
  void set_sharding(const NamedAttribute &attribute, InstructionId id);  // if it is one
  Status annotate_results(const Operation &function, Values &returned);
  void add_mesh(const Operation &mesh, std::string_view name);
  void set_module_hints();
  void sort_computations();

  InstructionId append(const Operation &operation, Opcode opcode, const Shape &shape,
                       std::span<const InstructionId> operands, std::span<const ComputationId> calls);
  Result<InstructionId> finish(const Operation &operation, InstructionId id);
  ComputationId add_computation(std::string_view name);

  bool is_constant(InstructionId id) const {
    return ir::index(id) < is_constant_.size() && is_constant_[ir::index(id)];
  }
  bool is_cheap_constant(InstructionId id) const;
  Result<InstructionId> copy_constant(RegionScope &scope, InstructionId id, const Operation &operation);

  const Program &program_;
  const Options &options_;
  ir::Module module_;
  std::string meshes_;  // a = #sdy.mesh<["x"=2]>, b = ...
  // While the operands are not the stored integers: what stands for quantized results, Invalid being what they express.
  std::optional<ir::ElementType> computed_type_;
  ComputationId computation_{0};       // that instructions are added to
  std::vector<InstructionId> values_;  // by ValueId
  std::vector<bool> is_constant_;      // by InstructionId: computed from constants alone
  std::map<std::string_view, const Operation *> functions_;
  std::map<std::string_view, ComputationId> computations_;  // of functions
  std::deque<Function> pending_;                            // functions yet to be lowered
  mutable std::map<InstructionId, std::optional<Integers>> known_;  // what known_integers() has found
  // Refuses functions that go on and on. Who comes back takes one from inlining_depth_.
  Status enter_function(const Operation &call);

  int inlining_depth_ = 0, inlined_calls_ = 0;
  bool has_open_parameters_ = false;  // of the entry
  std::set<std::string> computation_names_;
};

// Parts that several operations share.
bool has_unbounded(const Shape &shape);
struct WindowNames {  // of attributes; empty: there is none
  std::string_view strides, padding, lhs_dilation, rhs_dilation, reversal;
};
Result<std::vector<ir::WindowDimension>> window_of(const Lowering &lowering, const Operation &operation,
                                                   std::span<const std::int64_t> sizes, const WindowNames &names);
// The attribute `value`: dense<...>.
Result<InstructionId> constant_value(Lowering &lowering, const Operation &operation);
Result<InstructionId> broadcast_in_dim(Lowering &lowering, const Operation &operation, InstructionId operand,
                                       const Shape &result, Integers dimensions);
// Custom calls by which JAX says what has sizes for operands; none if the target is another.
Result<std::optional<Values>> lower_dynamic_call(Lowering &lowering, const Operation &operation,
                                                 std::string_view target);

}  // namespace bp::import::stablehlo
