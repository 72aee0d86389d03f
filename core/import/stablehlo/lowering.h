// Lowers a parsed program to a module: each operation by its row of operations.def, regions to computations.
//
// HLO has no regions: values from outside that a region uses become additional values of loops and branches. Constants,
// and for reducers and similar regions everything that is computed from constants only, are copied into the region.
#pragma once

#include <deque>
#include <map>
#include <set>

#include "core/import/stablehlo/operations.h"
#include "core/import/stablehlo/options.h"
#include "core/ir/builder.h"

namespace bp::import::stablehlo {

using ir::AttributeKey;
using ir::ComputationId;
using ir::InstructionId;
using ir::Opcode;
using ir::Shape;
using Integers = std::vector<std::int64_t>;

// Elements of parameters of the entry, by number.
using ParameterElements = std::map<std::size_t, Integers>;

class Lowering {
 public:
  // `elements`: parameters that are replaced by these elements, because sizes depend on them.
  Lowering(const Program &program, const Options &options, const ParameterElements &elements);

  Result<ir::Module> run();
  // Returns the parameters of the entry, in place of run().
  Result<std::vector<Parameter>> list_parameters();
  // After run() has failed: the integer parameter of the entry whose elements must be known for the sizes, if that is
  // the reason.
  std::optional<std::size_t> missing_parameter() const { return missing_parameter_; }

  // Returns the elements that the caller gave for a parameter of the entry, by number; nullptr if there are none.
  const Integers *given_elements(std::size_t parameter) const;
  bool is_scalar(std::size_t parameter) const { return shape(entry_parameters_[parameter]).is_scalar(); }
  // Returns the sizes that the caller gave for dimensions of the entry's parameters that are left open.
  std::set<std::int64_t> given_sizes() const;

  // --- For the functions lower_*() ---

  ir::Module &module() { return module_; }
  const Program &program() const { return program_; }

  InstructionId value(ValueId id) const { return values_[index(id)]; }
  InstructionId operand(const Operation &operation, std::size_t i) const {
    return values_[index(operation.operands[i])];
  }
  Values operands(const Operation &operation) const;
  // Returns the shape of the instruction, with the inferred sizes where the text has '?'.
  const Shape &shape(InstructionId id) const { return module_.instruction(id).shape(); }
  Shape result_shape(const Operation &operation, std::uint32_t i = 0) const;
  // Returns the shape of the result, or a tuple of the shapes if there are several.
  Shape result_shapes(const Operation &operation) const;
  // Returns the shape of the result with number `index`: from its type, or with the sizes that an operand gives.
  Result<Shape> result_of_sizes(const Operation &operation, std::uint32_t index, std::size_t sizes_operand);

  Error error(const Operation &operation, std::string message) const;
  Error error(const Attribute &attribute, std::string message) const;
  Error unsupported(const Operation &operation, std::string message) const;
  // Returns the error for a size that must be known here, but is not. `integers`: what it is computed by, if it is an
  // operand.
  Error not_known(const Operation &operation, std::string message, InstructionId integers = ir::no_instruction) const;
  Status expect_operands(const Operation &operation, std::size_t least, std::size_t most) const;
  Status expect_regions(const Operation &operation, std::size_t least, std::size_t most) const;

  // Adds an instruction that implements the operation. Unbounded sizes in the shape are inferred.
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
  // Packs values: returns a single value unchanged, several values or none as a tuple. unpack() is the inverse.
  Result<InstructionId> pack(const Operation &operation, std::span<const InstructionId> values);
  Result<Values> unpack(const Operation &operation, InstructionId packed, std::size_t count);
  // Returns the results of the operation, which are packed in one instruction.
  Result<Values> results(const Operation &operation, InstructionId packed) {
    return unpack(operation, packed, operation.result_count);
  }

  // Returns a computation that applies the op to two scalars of the type.
  ComputationId scalar_computation(Opcode opcode, ir::ElementType type);
  // Lowers a region to a computation with one parameter per argument. If `name` is empty, it is named after the
  // operation.
  Result<ComputationId> embedded(const Operation &operation, std::size_t region, std::string_view name = {});
  // Lowers a region to a computation with one parameter, which packs `arguments` and then `captures`. It returns the
  // region's values and, if requested, the captures.
  enum class ReturnCaptures { No, Yes };
  Result<ComputationId> control(const Operation &operation, std::size_t region, std::span<const ValueId> captures,
                                ReturnCaptures return_captures);
  // Lowers a region that runs once, in place of the operation. Returns its values.
  Result<Values> in_place(const Operation &operation, std::size_t region);
  // Whether the caller gave shapes or elements of the entry's parameters.
  bool is_specialized() const { return options_.reading.is_specialized(); }
  // Whether sizes of a type must be inferred: those that are unknown and, if the caller gave smaller ones than their
  // bounds, those that are bounded.
  bool is_open(const Shape &shape) const;
  // Lowers the body of a function in place of the call. Used for functions whose types leave sizes open, which then
  // follow from the arguments.
  Result<Values> inlined(const Operation &call, const Operation &function);
  // Lowers the body of a function to a computation, like embedded().
  Result<ComputationId> embedded_function(const Operation &call, const Attribute &symbol);
  // Returns the values from outside that a region uses and that must be passed into it.
  std::vector<ValueId> carried(const Region &region) const;
  // Returns the function of this name; fails if it has no body.
  Result<const Operation *> callee(const Attribute &symbol) const;
  // Returns the function's computation, whose body is lowered later.
  Result<ComputationId> function(const Attribute &symbol);
  const Operation *find_function(std::string_view name) const;

  // Adds name="value" to the frontend_attributes of an instruction.
  void add_frontend_attribute(InstructionId id, std::string_view name, std::string_view value);

  // --- Attributes ---
  // An absent attribute is an error, unless a value for it is given.
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

  Result<Integers> integers(const Attribute &attribute) const;  // nested lists are flattened
  Result<std::int64_t> integer(const Attribute &attribute) const;
  Result<std::string> word(const Attribute &attribute) const;
  // Values in a dictionary such as #stablehlo.gather<...>; absent lists are empty.
  Result<Integers> integers(const Dictionary &dictionary, std::string_view name) const;
  Result<std::int64_t> integer(const Dictionary &dictionary, std::string_view name, std::int64_t if_absent) const;

  // Sets attribute `key` of the instruction to the converted value.
  Status set_attribute(InstructionId id, AttributeKey key, const Attribute &attribute);
  // Sets precision_config; for dots and convolutions.
  Status set_precision(const Operation &operation, InstructionId id);

  // Returns the integers that an instruction computes in every run, or nothing if they are not known.
  const std::optional<Integers> &known_integers(InstructionId id) const;

 private:
  struct Function {
    const Operation *operation;
    ComputationId computation;
  };
  // Active while a region is lowered: selects the computation for new instructions, and restores the values of names
  // from outside at its end.
  class RegionScope;

  Result<ir::Module> lower_program();
  Status read_module_attributes();
  Status find_functions();
  Result<const Operation *> choose_entry() const;
  Status lower_function(const Function &function, bool is_entry);

  // entry_parameters.cc
  Status check_given(const Operation &entry) const;
  // Returns the type of a parameter of the entry, with the sizes that the caller gave.
  Result<Shape> entry_parameter_shape(const Operation &entry, std::size_t i) const;
  Result<Shape> with_sizes(const Operation &entry, std::size_t i, std::span<const std::int64_t> sizes) const;
  // Returns the constant that replaces the parameter, or the parameter itself.
  Result<InstructionId> entry_value(const Operation &entry, std::size_t i, InstructionId parameter);
  std::string note_of_open_parameters() const;
  // Returns the first instruction that known_integers() does not evaluate, among those that compute `id`.
  InstructionId first_unknown(InstructionId id) const;
  // Returns a note that names the parameters on which the operands depend and whose sizes or elements were given;
  // empty if there are none.
  std::string note_of_origins(std::span<const InstructionId> operands) const;
  std::string describe_parameter(std::size_t number) const;

  Status set_argument_attributes(const Operation &function, std::size_t i, InstructionId parameter, bool is_entry);
  // Sets the layouts of the module's header, if the arguments or results of the entry have some.
  Status set_entry_layouts(const Operation &function);
  Result<Shape> with_layout(const Operation &function, const Shape &shape, std::string_view mode) const;
  Result<Values> lower_region(const Region &region);
  Status lower_operation(const Operation &operation);
  Status lower_by_row(const Operation &operation);
  bool is_computed_in_floats(const Operation &operation) const;  // whether an operand or result is quantized
  Result<Values> lower_in_floats(const Operation &operation);
  // Returns the integer type in which sums of products of the quantized operands are exact; Invalid if there is no such
  // type or the operation does not add products.
  ir::ElementType accumulator(const Operation &operation) const;
  Result<Values> lower_in_integers(const Operation &operation, ir::ElementType accumulator);
  // Lowers the operation with `operands` instead of its own. Quantized results have element type `type`; Invalid: the
  // type that their quantization expresses.
  Result<Values> lower_with(const Operation &operation, std::span<const InstructionId> operands, ir::ElementType type);
  Status check_attributes(const Operation &operation) const;
  Status check_result(const Operation &operation, std::uint32_t i) const;
  void add_frontend_attributes(InstructionId id, const Attribute &hints);
  void set_hints(const Operation &operation, InstructionId id);
  void set_sharding(const NamedAttribute &attribute, InstructionId id);  // if the attribute is a sharding
  Status annotate_results(const Operation &function, Values &returned);
  void add_mesh(const Operation &mesh, std::string_view name);
  void set_module_hints();
  void sort_computations();

  void keep_origins(const Operation &operation, InstructionId id);
  void note_instruction_at(const SourceLocation &location);  // if the verifier refuses it
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
  const ParameterElements &elements_;
  mutable std::optional<std::size_t> missing_parameter_;
  mutable bool is_explained_ = false;        // the error says what is not known, and needs no further note
  std::optional<std::string> failure_note_;  // of the operation that could not be lowered
  // Instructions on which one depends that are not its operands: the operands of the operation from which its sizes
  // come, and the parameter that a constant replaces.
  std::multimap<InstructionId, InstructionId> origins_;
  bool has_given_bounds_ = false;  // the caller gave sizes of dimensions that are bounded
  const Operation *entry_ = nullptr;
  std::vector<InstructionId> entry_parameters_;  // by number
  std::vector<bool> has_given_sizes_;            // by parameter of the entry: its type left sizes open
  ir::Module module_;
  std::string meshes_;  // a = #sdy.mesh<["x"=2]>, b = ...
  // Set while an operation is lowered on operands other than the stored integers: the element type of its quantized
  // results, or Invalid for the type that their quantization expresses.
  std::optional<ir::ElementType> computed_type_;
  ComputationId computation_{0};       // receives new instructions
  std::vector<InstructionId> values_;  // by ValueId
  std::vector<bool> is_constant_;      // by InstructionId: computed from constants only
  std::map<std::string_view, const Operation *> functions_;
  std::map<std::string_view, ComputationId> computations_;  // of functions
  std::deque<Function> pending_;                            // functions yet to be lowered
  // Results of known_integers(); a map, whose references stay valid.
  mutable std::map<InstructionId, std::optional<Integers>> known_;
  // Returns an error if inlined functions nest too deeply or are called too often. The caller decrements
  // inlining_depth_ when it is done.
  Status enter_function(const Operation &call);

  int inlining_depth_ = 0, inlined_calls_ = 0;
  bool has_open_parameters_ = false;  // the entry has parameters of open sizes
  std::set<std::string> computation_names_;
};

// Functions shared by several operations.
bool has_unbounded(const Shape &shape);
struct WindowNames {  // names of attributes; empty: there is no such attribute
  std::string_view strides, padding, lhs_dilation, rhs_dilation, reversal;
};
Result<std::vector<ir::WindowDimension>> window_of(const Lowering &lowering, const Operation &operation,
                                                   std::span<const std::int64_t> sizes, const WindowNames &names);
// Lowers the attribute `value`: dense<...>.
Result<InstructionId> constant_value(Lowering &lowering, const Operation &operation);
Result<InstructionId> broadcast_in_dim(Lowering &lowering, const Operation &operation, InstructionId operand,
                                       const Shape &result, Integers dimensions);
// Lowers custom calls by which JAX expresses operations with sizes as operands; returns nothing for other targets.
Result<std::optional<Values>> lower_dynamic_call(Lowering &lowering, const Operation &operation,
                                                 std::string_view target);

}  // namespace bp::import::stablehlo
