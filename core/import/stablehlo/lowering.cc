#include "core/import/stablehlo/lowering.h"

#include <algorithm>

#include "core/import/stablehlo/type_compatibility.h"
#include "core/ir/shape_inference.h"
#include "core/ir/verifier.h"
#include "core/text/lexer.h"

namespace bp::import::stablehlo {
namespace {

// Replaces characters that names in HLO cannot have.
std::string plain_name(std::string_view name) {
  std::string result(name);
  std::ranges::replace_if(result, [](char c) { return !text::is_identifier_character(c); }, '_');
  bool begins_well = !result.empty() && (std::isalpha(static_cast<unsigned char>(result[0])) || result[0] == '_');
  return begins_well ? result : "_" + result;
}

bool is_return(const Operation &operation) {
  return operation.name == "stablehlo.return" || operation.name == "func.return" || operation.name == "sdy.return";
}

bool has_bounded(const Shape &shape) {
  bool is_any = false;
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    is_any = is_any || (shape.is_dynamic(d) && shape.size(d) != ir::unbounded);
  }
  return is_any;
}

const std::string *string_attribute(const Operation &operation, std::string_view name) {
  const Attribute *attribute = operation.find(name);
  return attribute == nullptr ? nullptr : attribute->get<std::string>();
}

}  // namespace

bool has_unbounded(const Shape &shape) {
  return std::ranges::find(shape.sizes(), ir::unbounded) != shape.sizes().end() ||
         std::ranges::any_of(shape.elements(), has_unbounded);
}

Lowering::Lowering(const Program &program, const Options &options, const ParameterElements &elements)
    : program_(program), options_(options), elements_(elements), values_(program.values.size(), ir::no_instruction) {}

Result<ir::Module> Lowering::run() {
  Result<ir::Module> module = lower_program();
  if (module.ok() || is_explained_ || !failure_note_ || failure_note_->empty()) {
    return module;
  }
  return std::move(module).error().note(*failure_note_);
}

Result<ir::Module> Lowering::lower_program() {
  BP_TRY(read_module_attributes());
  BP_TRY(find_functions());
  BP_ASSIGN(const Operation *entry, choose_entry());
  BP_TRY(check_given(*entry));
  entry_ = entry;
  const std::string &name = *string_attribute(*entry, "sym_name");
  BP_ASSIGN(ComputationId computation, function({Symbol{name}, entry->position}));
  module_.set_entry(computation);
  while (!pending_.empty()) {
    Function next = pending_.front();
    pending_.pop_front();
    BP_TRY(lower_function(next, next.operation == entry));
  }
  if (has_open_parameters_) {
    return not_known(*entry, fmt::format("the sizes of the parameters of @{} are not known", name));
  }
  set_module_hints();
  sort_computations();
  module_.unique_names();
  module_.set_source_file(program_.file);
  if (Status status = ir::verify(module_); !status.ok()) {
    // Adds the text of the line that the instruction comes from.
    const Error &problem = status.error();
    SourceLocation location = problem.location();
    note_instruction_at(location);
    if (location.line >= program_.first_line) {
      std::size_t begin = 0;
      for (std::uint32_t line = program_.first_line; line < location.line && begin != std::string_view::npos; ++line) {
        begin = program_.text.find('\n', begin) + 1;
      }
      location.line_text = program_.text.substr(begin, program_.text.find('\n', begin) - begin);
    }
    return Error(problem.code(), problem.message()).at(std::move(location));
  }
  return std::move(module_);
}

Status Lowering::read_module_attributes() {
  const Operation &module = program_.module;
  const std::string *name = string_attribute(module, "sym_name");
  module_.set_name(name == nullptr ? "module" : plain_name(*name));
  BP_ASSIGN(module_.header().num_partitions, integer_or(module, "mhlo.num_partitions", 1));
  BP_ASSIGN(module_.header().replica_count, integer_or(module, "mhlo.num_replicas", 1));
  return {};
}

Status Lowering::find_functions() {
  for (const Operation &operation : program_.module.regions[0].operations) {
    const std::string *name = string_attribute(operation, "sym_name");
    if (operation.name == "sdy.mesh" && name != nullptr) {
      add_mesh(operation, *name);
      continue;
    }
    if (operation.name != "func.func") {
      return error(operation, fmt::format("{} where a function is expected", operation.name));
    }
    if (name == nullptr) {
      return error(operation, "a function without a name");
    }
    if (!functions_.emplace(*name, &operation).second) {
      return error(operation, fmt::format("@{} is defined twice", *name));
    }
  }
  return {};
}

Result<const Operation *> Lowering::choose_entry() const {
  std::string_view wanted = options_.entry.empty() ? "main" : std::string_view(options_.entry);
  if (auto found = functions_.find(wanted); found != functions_.end()) {
    return found->second;
  }
  const Operation *first = nullptr;
  for (const Operation &operation : program_.module.regions[0].operations) {
    if (operation.name != "func.func" || !options_.entry.empty()) {
      continue;
    }
    const std::string *visibility = string_attribute(operation, "sym_visibility");
    bool is_public = visibility == nullptr || *visibility == "public";
    bool takes_nothing = operation.regions.size() == 1 && operation.regions[0].arguments.empty();
    if (functions_.size() == 1 || (is_public && takes_nothing && first == nullptr)) {
      first = &operation;
    }
  }
  if (first == nullptr) {
    return error(program_.module, fmt::format("there is no function @{}", wanted));
  }
  return first;
}

// --- Functions and regions ---

Result<const Operation *> Lowering::callee(const Attribute &attribute) const {
  const auto *symbol = attribute.get<Symbol>();
  if (symbol == nullptr) {
    return error(attribute, "expected the name of a function, as in @f");
  }
  const Operation *function = find_function(symbol->name);
  if (function == nullptr) {
    return error(attribute, fmt::format("there is no function @{}", symbol->name));
  }
  if (function->regions.empty()) {
    return error(attribute, fmt::format("@{} has no body", symbol->name));
  }
  return function;
}

Result<ComputationId> Lowering::function(const Attribute &attribute) {
  BP_ASSIGN(const Operation *function, callee(attribute));
  auto [entry, is_new] = computations_.try_emplace(*string_attribute(*function, "sym_name"), ir::no_computation);
  if (is_new) {
    entry->second = add_computation(entry->first);
    pending_.push_back({function, entry->second});
  }
  return entry->second;
}

const Operation *Lowering::find_function(std::string_view name) const {
  auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : found->second;
}

Status Lowering::lower_function(const Function &function, bool is_entry) {
  const Operation &operation = *function.operation;
  BP_TRY(expect_regions(operation, 1, 1));
  const Region &body = operation.regions[0];
  const Attribute *attribute = operation.find("function_type");
  const auto *type = attribute == nullptr ? nullptr : attribute->get<FunctionType>();
  if (type == nullptr) {
    return error(operation, "a function without a type");
  }
  if (type->operands.size() != body.arguments.size()) {
    return error(operation, fmt::format("the type of the function has {} arguments, its body {}", type->operands.size(),
                                        body.arguments.size()));
  }
  computation_ = function.computation;
  for (std::size_t i = 0; i < body.arguments.size(); ++i) {
    const Type &argument = program_.type(body.arguments[i]);
    if (argument != type->operands[i]) {
      return error(operation, fmt::format("argument {} is {}, but the type of the function says {}", i,
                                          to_string(argument), to_string(type->operands[i])));
    }
    Shape shape = argument.shape;
    if (is_entry) {
      BP_ASSIGN(shape, entry_parameter_shape(operation, i));
      has_given_bounds_ = has_given_bounds_ || (shape.is_static() && has_bounded(argument.shape));
      has_open_parameters_ = has_open_parameters_ || has_unbounded(shape);
    }
    InstructionId id = module_.add_parameter(computation_, static_cast<std::int64_t>(i), std::move(shape),
                                             plain_name(body.argument_names[i]));
    module_.set_source(id, operation.start.line, operation.start.column);
    values_[index(body.arguments[i])] = id;
    if (is_entry) {
      entry_parameters_.push_back(id);
      has_given_sizes_.push_back(!ir::same(argument.shape, this->shape(id), ir::CompareLayout::No));
      BP_ASSIGN(values_[index(body.arguments[i])], entry_value(operation, i, id));
    }
    BP_TRY(set_argument_attributes(operation, i, id, is_entry));
  }
  BP_ASSIGN(Values returned, lower_region(body));
  const Operation &last = body.operations.back();
  if (last.operands.size() != type->results.size()) {
    return error(last, fmt::format("{} values are returned, expected {}", last.operands.size(), type->results.size()));
  }
  for (std::size_t i = 0; i < last.operands.size(); ++i) {
    if (const Type &found = program_.type(last.operands[i]); found != type->results[i]) {
      return error(last, fmt::format("value {} that is returned is {}, expected {}", i, to_string(found),
                                     to_string(type->results[i])));
    }
  }
  BP_TRY(annotate_results(operation, returned));
  BP_ASSIGN(InstructionId root, pack(last, returned));
  module_.set_root(computation_, root);
  return is_entry ? set_entry_layouts(operation) : Status();
}

Status Lowering::set_argument_attributes(const Operation &function, std::size_t i, InstructionId parameter,
                                         bool is_entry) {
  const Attribute *list = function.find("arg_attrs");
  const auto *all = list == nullptr ? nullptr : list->get<std::vector<Attribute>>();
  const auto *own = all == nullptr || i >= all->size() ? nullptr : (*all)[i].get<Dictionary>();
  if (own == nullptr) {
    return {};
  }
  for (const NamedAttribute &entry : own->entries) {
    set_sharding(entry, parameter);
    if (entry.name == "mhlo.frontend_attributes") {
      add_frontend_attributes(parameter, entry.value);
    }
    if (is_entry && entry.name == "tf.aliasing_output") {
      BP_ASSIGN(std::int64_t output, integer(entry.value));
      const auto &results = function.find("function_type")->get<FunctionType>()->results;
      ir::InputOutputAlias alias;
      alias.parameter = static_cast<std::int64_t>(i);
      if (results.size() > 1) {
        alias.output_index.push_back(output);
      }
      module_.header().input_output_alias.push_back(std::move(alias));
    } else if (is_entry && entry.name == "jax.buffer_donor") {
      module_.header().buffer_donor.push_back({static_cast<std::int64_t>(i), {}});
    } else if (const auto *kind = entry.value.get<std::string>();
               is_entry && entry.name == "mhlo.memory_kind" && kind != nullptr) {
      add_frontend_attribute(parameter, entry.name, *kind);
    }
  }
  return {};
}

Result<Values> Lowering::lower_region(const Region &region) {
  if (region.operations.empty() || !is_return(region.operations.back())) {
    return Error(ErrorCode::InvalidInput, "the region does not end with a return")
        .at(program_.location(region.position));
  }
  for (const Operation &operation : region.operations) {
    if (!is_return(operation)) {
      BP_TRY(lower_operation(operation));
    } else if (&operation != &region.operations.back()) {
      return error(operation, "a return before the end of a region");
    }
  }
  return operands(region.operations.back());
}

Status Lowering::lower_operation(const Operation &operation) {
  Status status = lower_by_row(operation);
  if (!status.ok() && is_specialized() && !failure_note_) {  // the innermost operation, while its operands are known
    failure_note_ = note_of_origins(operands(operation));
  }
  return status;
}

Status Lowering::lower_by_row(const Operation &operation) {
  const OperationRow &row = *find_row(operation.name);
  ir::ElementType sums = accumulator(operation);
  BP_ASSIGN(Values values, sums != ir::ElementType::Invalid   ? lower_in_integers(operation, sums)
                           : is_computed_in_floats(operation) ? lower_in_floats(operation)
                                                              : row.lower(*this, operation));
  if (values.size() != operation.result_count) {
    return error(operation, fmt::format("{} has {} result{}, expected {}", operation.name, operation.result_count,
                                        operation.result_count == 1 ? "" : "s", values.size()));
  }
  for (std::uint32_t i = 0; i < operation.result_count; ++i) {
    values_[index(operation.result(i))] = values[i];
    BP_TRY(check_result(operation, i));
  }
  for (std::size_t i = 0; is_specialized() && i < values.size(); ++i) {
    keep_origins(operation, values[i]);
  }
  if (!values.empty()) {
    const ir::Instruction first = module_.instruction(values[0]);
    const bool is_part = operation.result_count > 1 && first.opcode() == Opcode::GetTupleElement;
    set_hints(operation, is_part ? first.operands()[0] : values[0]);
  }
  return check_attributes(operation);
}

// Checks that the value has the type of the result: the verifier does not check all operations, because not every one
// becomes an instruction.
Status Lowering::check_result(const Operation &operation, std::uint32_t i) const {
  const Type &type = program_.type(operation.result(i));
  const Shape &found = shape(values_[index(operation.result(i))]);
  const bool may_differ = is_open(type.shape) && (!type.shape.is_array() || have_compatible_sizes(found, type.shape));
  if (type.quantization != nullptr || may_differ || ir::same(found, type.shape, ir::CompareLayout::No)) {
    return {};
  }
  return error(operation, fmt::format("result {} is written as {}, but its type is {}", i, to_string(type),
                                      to_string(Type{found})));
}

// Unknown attributes of the operation itself are errors; those of dialects may be ignored. Programs that XLA converted
// from HLO have the shape of the result once more, xla_shape, or its layout, result_layout.
Status Lowering::check_attributes(const Operation &operation) const {
  for (const NamedAttribute &entry : operation.attributes) {
    const bool may_be_ignored =
        entry.name == "xla_shape" || entry.name == "result_layout" || entry.name.find('.') != std::string_view::npos;
    if (!entry.is_used && !may_be_ignored) {
      return error(entry.value, fmt::format("{} has no attribute '{}'", operation.name, entry.name));
    }
  }
  return {};
}

void Lowering::add_frontend_attributes(InstructionId id, const Attribute &hints) {
  const auto *entries = hints.get<Dictionary>();
  for (const NamedAttribute &entry : entries == nullptr ? std::vector<NamedAttribute>() : entries->entries) {
    if (const auto *value = entry.value.get<std::string>()) {
      add_frontend_attribute(id, plain_name(entry.name), *value);
    }
  }
}

void Lowering::set_hints(const Operation &operation, InstructionId id) {
  if (const Attribute *hints = operation.find("mhlo.frontend_attributes")) {
    add_frontend_attributes(id, *hints);
  }
  for (const NamedAttribute &entry : operation.attributes) {
    set_sharding(entry, id);
  }
}

class Lowering::RegionScope {
 public:
  RegionScope(Lowering &lowering, std::string_view name)
      : lowering_(lowering), outer_(lowering.computation_), inner_(lowering.add_computation(name)) {
    lowering_.computation_ = inner_;
  }
  ~RegionScope() {
    lowering_.computation_ = outer_;
    for (const auto &[value, id] : before_) {
      lowering_.values_[index(value)] = id;
    }
  }
  RegionScope(const RegionScope &) = delete;
  RegionScope &operator=(const RegionScope &) = delete;

  ComputationId computation() const { return inner_; }
  void bind(ValueId value, InstructionId id) {
    before_.emplace_back(value, lowering_.values_[index(value)]);
    lowering_.values_[index(value)] = id;
  }
  std::map<InstructionId, InstructionId> copies;  // copies of constants from outside

 private:
  Lowering &lowering_;
  ComputationId outer_, inner_;
  std::vector<std::pair<ValueId, InstructionId>> before_;
};

Result<ComputationId> Lowering::embedded(const Operation &operation, std::size_t number, std::string_view name) {
  const Region &region = operation.regions[number];
  const std::string own_name = fmt::format("{}.computation", operation.name.substr(operation.name.find('.') + 1));
  RegionScope scope(*this, name.empty() ? own_name : name);
  for (std::size_t i = 0; i < region.arguments.size(); ++i) {
    InstructionId id =
        module_.add_parameter(computation_, static_cast<std::int64_t>(i), program_.type(region.arguments[i]).shape,
                              plain_name(region.argument_names[i]));
    module_.set_source(id, operation.start.line, operation.start.column);
    scope.bind(region.arguments[i], id);
  }
  for (ValueId value : region.captures) {
    BP_ASSIGN(InstructionId copy, copy_constant(scope, values_[index(value)], operation));
    scope.bind(value, copy);
  }
  BP_ASSIGN(Values returned, lower_region(region));
  BP_ASSIGN(InstructionId root, pack(region.operations.back(), returned));
  module_.set_root(computation_, root);
  return scope.computation();
}

Result<ComputationId> Lowering::control(const Operation &operation, std::size_t number,
                                        std::span<const ValueId> captures, ReturnCaptures return_captures) {
  const Region &region = operation.regions[number];
  constexpr std::string_view while_names[] = {"while.condition", "while.body"};
  std::string name = operation.name == "stablehlo.while"
                         ? std::string(while_names[number])
                         : fmt::format("{}.branch_{}", operation.name.substr(operation.name.find('.') + 1), number);
  std::vector<ValueId> inside(region.arguments);
  inside.insert(inside.end(), captures.begin(), captures.end());
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    bool is_own = i < region.arguments.size();
    // Loop-carried values have the shapes of the initial values.
    shapes.push_back(is_own ? shape(operand(operation, i)) : shape(values_[index(inside[i])]));
  }
  RegionScope scope(*this, name);
  InstructionId parameter =
      module_.add_parameter(computation_, 0, shapes.size() == 1 ? shapes[0] : Shape::tuple(std::move(shapes)));
  module_.set_source(parameter, operation.start.line, operation.start.column);
  BP_ASSIGN(Values parts, unpack(operation, parameter, inside.size()));
  for (std::size_t i = 0; i < inside.size(); ++i) {
    scope.bind(inside[i], parts[i]);
  }
  for (ValueId value : region.captures) {
    if (std::ranges::find(captures, value) == captures.end()) {
      BP_ASSIGN(InstructionId copy, copy_constant(scope, values_[index(value)], operation));
      scope.bind(value, copy);
    }
  }
  BP_ASSIGN(Values returned, lower_region(region));
  if (return_captures == ReturnCaptures::Yes) {
    returned.insert(returned.end(), parts.begin() + static_cast<std::ptrdiff_t>(region.arguments.size()), parts.end());
  }
  BP_ASSIGN(InstructionId root, pack(region.operations.back(), returned));
  module_.set_root(computation_, root);
  return scope.computation();
}

Result<Values> Lowering::in_place(const Operation &operation, std::size_t number) {
  const Region &region = operation.regions[number];
  if (region.arguments.size() != operation.operands.size()) {
    return error(operation, fmt::format("its region takes {} values, expected {}", region.arguments.size(),
                                        operation.operands.size()));
  }
  for (std::size_t i = 0; i < region.arguments.size(); ++i) {
    const Type &taken = program_.type(region.arguments[i]), &given = program_.type(operation.operands[i]);
    if (taken != given) {
      return error(operation,
                   fmt::format("its region takes {} as value {}, expected {}", to_string(taken), i, to_string(given)));
    }
    values_[index(region.arguments[i])] = operand(operation, i);
  }
  return lower_region(region);
}

Status Lowering::enter_function(const Operation &call) {
  constexpr int max_depth = 128, max_calls = 10'000;
  if (++inlining_depth_ > max_depth) {
    return unsupported(call,
                       fmt::format("functions with unknown sizes call each other more than {} levels deep", max_depth));
  }
  if (++inlined_calls_ > max_calls) {
    return unsupported(call, fmt::format("functions with unknown sizes are called more than {} times", max_calls));
  }
  return {};
}

Result<ComputationId> Lowering::embedded_function(const Operation &call, const Attribute &symbol) {
  BP_ASSIGN(const Operation *function, callee(symbol));
  BP_TRY(enter_function(call));
  BP_ASSIGN(const ComputationId computation, embedded(*function, 0, *string_attribute(*function, "sym_name")));
  --inlining_depth_;
  return computation;
}

Result<Values> Lowering::inlined(const Operation &call, const Operation &function) {
  BP_TRY(enter_function(call));
  const Region &body = function.regions[0];
  for (std::size_t i = 0; i < body.arguments.size(); ++i) {
    values_[index(body.arguments[i])] = operand(call, i);
  }
  BP_ASSIGN(Values returned, lower_region(body));
  --inlining_depth_;
  return returned;
}

std::vector<ValueId> Lowering::carried(const Region &region) const {
  std::vector<ValueId> result;
  for (ValueId value : region.captures) {
    if (!is_cheap_constant(values_[index(value)])) {
      result.push_back(value);
    }
  }
  return result;
}

// Whether the value is a constant or a broadcast constant, which is copied into loops instead of being added to their
// state.
bool Lowering::is_cheap_constant(InstructionId id) const {
  ir::Instruction instruction = module_.instruction(id);
  return instruction.opcode() == Opcode::Constant || instruction.opcode() == Opcode::Iota ||
         (instruction.opcode() == Opcode::Broadcast && instruction.operand(0).opcode() == Opcode::Constant);
}

// Copies values that are computed from constants only, operands first, with an explicit stack.
Result<InstructionId> Lowering::copy_constant(RegionScope &scope, InstructionId id, const Operation &operation) {
  if (!is_constant(id)) {
    return unsupported(operation, fmt::format("its region uses {} from outside, which is not computed from constants",
                                              module_.instruction(id).name()));
  }
  std::vector<InstructionId> stack{id};
  while (!stack.empty()) {
    InstructionId top = stack.back();
    bool is_ready = true;
    std::vector<InstructionId> operands;
    for (InstructionId from : module_.instruction(top).operands()) {
      if (auto copy = scope.copies.find(from); copy != scope.copies.end()) {
        operands.push_back(copy->second);
      } else {
        stack.push_back(from);
        is_ready = false;
      }
    }
    if (is_ready) {
      stack.pop_back();
      if (!scope.copies.contains(top)) {
        InstructionId copy = module_.clone_instruction(computation_, module_.instruction(top), operands, {});
        ir::Instruction original = module_.instruction(top);
        module_.set_source(copy, original.source_line(), original.source_column());
        is_constant_.resize(module_.instruction_id_limit(), false);
        is_constant_[ir::index(copy)] = true;
        scope.copies.emplace(top, copy);
      }
    }
  }
  return scope.copies.at(id);
}

// --- Instructions ---

Values Lowering::operands(const Operation &operation) const {
  Values result;
  for (ValueId value : operation.operands) {
    result.push_back(values_[index(value)]);
  }
  return result;
}

Shape Lowering::result_shape(const Operation &operation, std::uint32_t i) const {
  const Type &type = program_.type(operation.result(i));
  Shape shape = type.shape;
  if (computed_type_ && type.quantization != nullptr) {
    bool is_expressed = *computed_type_ == ir::ElementType::Invalid;
    shape.set_element_type(is_expressed ? type.quantization->expressed : *computed_type_);
  }
  for (std::size_t d = 0; has_given_bounds_ && d < shape.rank(); ++d) {
    if (shape.is_dynamic(d)) {
      shape.set_size(d, ir::unbounded);
    }
  }
  return shape;
}

Shape Lowering::result_shapes(const Operation &operation) const {
  if (operation.result_count == 1) {
    return result_shape(operation);
  }
  std::vector<Shape> shapes;
  for (std::uint32_t i = 0; i < operation.result_count; ++i) {
    shapes.push_back(result_shape(operation, i));
  }
  return Shape::tuple(std::move(shapes));
}

InstructionId Lowering::append(const Operation &operation, Opcode opcode, const Shape &shape,
                               std::span<const InstructionId> operands, std::span<const ComputationId> calls) {
  std::string_view name = operation.result_name;
  bool is_named = !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0]));
  InstructionId id =
      module_.add_instruction(computation_, opcode, shape, operands, is_named ? plain_name(name) : std::string());
  module_.set_source(id, operation.start.line, operation.start.column);
  if (operation.location != nullptr) {
    module_.set_metadata(id, *operation.location);
  }
  if (!calls.empty()) {
    module_.set_calls(id, calls);
  }
  return id;
}

namespace {

// Returns the inferred shape with the element types that the program states: sums of products may have a wider one.
Shape with_types_of(const Shape &stated, const Shape &inferred) {
  if (inferred.is_tuple() && stated.is_tuple() && inferred.elements().size() == stated.elements().size()) {
    std::vector<Shape> elements;
    for (std::size_t i = 0; i < inferred.elements().size(); ++i) {
      elements.push_back(with_types_of(stated.elements()[i], inferred.elements()[i]));
    }
    return Shape::tuple(std::move(elements));
  }
  Shape shape = inferred;
  if (inferred.is_array() && stated.is_array()) {
    shape.set_element_type(stated.element_type());
  }
  return shape;
}

}  // namespace

Result<InstructionId> Lowering::finish(const Operation &operation, InstructionId id) {
  ir::Instruction instruction = module_.instruction(id);
  if (has_unbounded(instruction.shape())) {
    if (instruction.opcode() == Opcode::Call) {  // the computation has not been lowered yet
      return not_known(operation, fmt::format("a size is not known: {}", to_string(Type{instruction.shape()})));
    }
    auto inferred = ir::infer_shape(instruction);
    if (!inferred.ok()) {
      return error(operation, inferred.error().message());
    }
    if (has_unbounded(*inferred)) {
      return not_known(operation, fmt::format("a size is not known: {}", to_string(Type{*inferred})));
    }
    module_.set_shape(id, with_types_of(instruction.shape(), *inferred));
  }
  bool is_pure = instruction.calls().empty() && !instruction.is(ir::Trait::SideEffect) &&
                 !instruction.is(ir::Trait::Collective) && !instruction.is(ir::Trait::CallsEmbedded) &&
                 instruction.opcode() != Opcode::Parameter && instruction.opcode() != Opcode::PartitionId &&
                 instruction.opcode() != Opcode::ReplicaId;
  is_constant_.resize(module_.instruction_id_limit(), false);
  is_constant_[ir::index(id)] = is_pure && std::ranges::all_of(instruction.operands(), [&](InstructionId operand) {
                                  return is_constant(operand);
                                });
  return id;
}

Result<InstructionId> Lowering::reshape(const Operation &operation, InstructionId operand,
                                        std::span<const std::int64_t> sizes) {
  InstructionId operands[] = {operand};
  return add(operation, Opcode::Reshape, Shape::array(shape(operand).element_type(), sizes), operands);
}

Result<InstructionId> Lowering::constant(const Operation &operation, ir::Literal literal) {
  return add(operation, Opcode::Constant, Shape(literal.shape()), {},
             [&](ir::Module &m, InstructionId id) { m.set_literal(id, std::move(literal)); });
}

Result<InstructionId> Lowering::get_element(const Operation &operation, InstructionId tuple, std::size_t element) {
  InstructionId operands[] = {tuple};
  return add(operation, Opcode::GetTupleElement, Shape(shape(tuple).elements()[element]), operands,
             [&](ir::Module &m, InstructionId id) {
               m.set_number(id, AttributeKey::Index, static_cast<std::int64_t>(element));
             });
}

Result<InstructionId> Lowering::pack(const Operation &operation, std::span<const InstructionId> values) {
  if (values.size() == 1) {
    return values[0];
  }
  std::vector<Shape> shapes;
  for (InstructionId id : values) {
    shapes.push_back(shape(id));
  }
  return add(operation, Opcode::Tuple, Shape::tuple(std::move(shapes)), values);
}

Result<Values> Lowering::unpack(const Operation &operation, InstructionId packed, std::size_t count) {
  Values values;
  if (count == 1) {
    values.push_back(packed);
    return values;
  }
  if (!shape(packed).is_tuple() || shape(packed).elements().size() != count) {
    return error(operation, fmt::format("{} has {} results", operation.name, count));
  }
  for (std::size_t i = 0; i < count; ++i) {
    BP_ASSIGN(InstructionId element, get_element(operation, packed, i));
    values.push_back(element);
  }
  return values;
}

ComputationId Lowering::add_computation(std::string_view name) {
  std::string unique = plain_name(name);
  for (int i = 1; !computation_names_.insert(unique).second; ++i) {
    unique = fmt::format("{}.{}", plain_name(name), i);
  }
  return module_.add_computation(unique);
}

ComputationId Lowering::scalar_computation(Opcode opcode, ir::ElementType type) {
  std::string name = fmt::format("{}.{}", ir::to_string(opcode), ir::to_string(type));
  for (int i = 1; !computation_names_.insert(name).second; ++i) {
    name = fmt::format("{}.{}.{}", ir::to_string(opcode), ir::to_string(type), i);
  }
  return ir::add_scalar_computation(module_, opcode, type, name);
}

// Orders callees before callers: depth-first search with an explicit stack. Cycles are left to the verifier.
void Lowering::sort_computations() {
  std::vector<ComputationId> order;
  std::vector<bool> is_seen(module_.computation_id_limit(), false);
  struct Frame {
    ComputationId id;
    std::vector<ComputationId> callees;
    std::size_t next = 0;
  };
  std::vector<Frame> stack;
  auto open = [&](ComputationId id) {
    is_seen[ir::index(id)] = true;
    Frame frame{id, {}};
    for (ir::Instruction instruction : module_.computation(id).instructions()) {
      frame.callees.insert(frame.callees.end(), instruction.calls().begin(), instruction.calls().end());
    }
    stack.push_back(std::move(frame));
  };
  open(module_.entry().id());
  while (!stack.empty()) {
    Frame &top = stack.back();
    if (top.next == top.callees.size()) {
      order.push_back(top.id);
      stack.pop_back();
    } else if (ComputationId callee = top.callees[top.next++]; !is_seen[ir::index(callee)]) {
      open(callee);
    }
  }
  module_.set_computation_order(std::move(order));
}

}  // namespace bp::import::stablehlo
