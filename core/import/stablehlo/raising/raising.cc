#include "core/import/stablehlo/raising/raising.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/import/stablehlo/bytecode/code_tables.h"
#include "core/import/stablehlo/verifier.h"

namespace bp::import::stablehlo {

// Declares the function of each row; some are declared more than once.
#define BP_RAISED(opcode, operation, function, ...) \
  Result<ValueIds> raise_##function(Raising &, const ir::Instruction &, const RaisingRow &);
#include "core/import/stablehlo/raising/raising.def"

namespace {

// Bounds of what computations that are called several times grow to, as each caller gets a region of its own.
constexpr std::uint32_t max_depth = 128;
constexpr std::size_t max_operations = 4'000'000;

// Raises an instruction without a row of raising.def, by the operation that lowers to its opcode.
Result<ValueIds> raise_by_operation(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  BP_ASSIGN(Attributes attributes, attributes_of(raising, instruction, *find_row(row.operation)));
  return raise_as(raising, instruction, row.operation, std::move(attributes));
}

std::unordered_map<Opcode, RaisingRow> make_rows() {
  using enum AttributeKey;
  std::unordered_map<Opcode, RaisingRow> rows = {
#define BP_RAISED(opcode, operation, function, ...) {Opcode::opcode, {operation, raise_##function, {}, {__VA_ARGS__}}},
#define BP_NOT_RAISED(opcode, reason) {Opcode::opcode, {{}, nullptr, reason, {}}},
#include "core/import/stablehlo/raising/raising.def"
  };
  for (const ir::OpInfo &op : ir::ops()) {
    if (const OperationRow *operation = find_row_of(op.opcode); operation != nullptr) {
      rows.try_emplace(op.opcode, RaisingRow{operation->name, raise_by_operation, {}, {}});
    }
  }
  return rows;
}

bool is_storable(ir::ElementType type) {
  return ir::is_complex(type) || std::ranges::find(bytecode::element_codes, type, &bytecode::ElementCode::type) !=
                                     std::end(bytecode::element_codes);
}

// Adds the shape of each array and token.
void add_leaves(const ir::Shape &shape, std::vector<const ir::Shape *> &leaves) {
  if (!shape.is_tuple()) {
    leaves.push_back(&shape);
    return;
  }
  for (const ir::Shape &element : shape.elements()) {
    add_leaves(element, leaves);
  }
}

// Sets the position, for messages, of an attribute and its parts.
void set_position(Attribute &attribute, std::size_t position) {
  attribute.position = position;
  if (auto *list = std::get_if<std::vector<Attribute>>(&attribute.value)) {
    for (Attribute &item : *list) {
      set_position(item, position);
    }
  } else if (auto *dictionary = std::get_if<Dictionary>(&attribute.value)) {
    for (NamedAttribute &entry : dictionary->entries) {
      set_position(entry.value, position);
    }
  }
}

}  // namespace

const RaisingRow *find_raising_row(Opcode opcode) {
  static const std::unordered_map<Opcode, RaisingRow> rows = make_rows();
  const auto found = rows.find(opcode);
  return found == rows.end() ? nullptr : &found->second;
}

std::size_t leaf_count(const ir::Shape &shape) {
  std::vector<const ir::Shape *> leaves;
  add_leaves(shape, leaves);
  return leaves.size();
}

std::size_t first_leaf(const ir::Shape &shape, std::span<const std::int64_t> index) {
  std::size_t first = 0;
  const ir::Shape *part = &shape;
  for (const std::int64_t step : index) {
    for (std::int64_t i = 0; i < step; ++i) {
      first += leaf_count(part->elements()[static_cast<std::size_t>(i)]);
    }
    part = &part->elements()[static_cast<std::size_t>(step)];
  }
  return first;
}

Raising::Raising(const ir::Module &module, RaisedForm form) : module_(module), form_(form) {}

Result<Program> Raising::run() {
  program_.file = module_.source_file();
  program_.kept = std::make_shared<std::deque<std::string>>();
  program_.origins.push_back(nullptr);  // of what belongs to no instruction
  program_.module.name = "builtin.module";
  program_.module.attributes = module_attributes(*this);
  program_.module.regions.emplace_back();
  names_.insert("main");
  functions_.emplace(module_.entry().id(), "main");
  BP_TRY(raise_function({module_.entry(), "main"}, true));
  while (!pending_.empty()) {
    const Function next = std::move(pending_.front());
    pending_.pop_front();
    BP_TRY(raise_function(next, false));
  }
  if (Status status = verify(program_); !status.ok()) {
    const Error &problem = status.error();
    return Error(ErrorCode::Unsupported, problem.message())
        .at(problem.location())
        .note("StableHLO's rules forbid what this instruction becomes");
  }
  return std::move(program_);
}

// --- Values and types ---

const ValueIds &Raising::values(const ir::Instruction &instruction) const {
  return scope_->values.at(instruction.id());
}

ValueIds Raising::operands(const ir::Instruction &instruction) const {
  ValueIds all;
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    const ValueIds &own = operand(instruction, i);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

Result<Type> Raising::type_of(const ir::Shape &shape) const {
  if (shape.is_token()) {
    return Type{ir::Shape::token()};
  }
  if (shape.element_type() == ir::ElementType::Buffer) {
    BP_ASSIGN(Type content, type_of(shape.elements()[0]));
    return Type{ir::Shape::buffer(std::move(content.shape))};
  }
  if (!shape.is_array() || !is_storable(shape.element_type())) {
    const Error error = ::bp::unsupported("StableHLO has no type for {}", ir::to_string(shape, ir::PrintLayout::Never));
    return current_ == nullptr ? error : unsupported(*current_, error.message());
  }
  ir::Shape plain = ir::Shape::array(shape.element_type(), shape.sizes());
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    plain.set_dynamic(i, shape.is_dynamic(i));
  }
  return Type{std::move(plain)};
}

Result<std::vector<Type>> Raising::types_of(const ir::Shape &shape) const {
  std::vector<const ir::Shape *> leaves;
  add_leaves(shape, leaves);
  std::vector<Type> types;
  for (const ir::Shape *leaf : leaves) {
    BP_ASSIGN(Type type, type_of(*leaf));
    types.push_back(std::move(type));
  }
  return types;
}

ValueId Raising::new_value(Type type) {
  program_.values.push_back(std::move(type));
  return ValueId{static_cast<std::uint32_t>(program_.values.size() - 1)};
}

std::string_view Raising::keep(std::string text) {
  return program_.kept->emplace_back(std::move(text));
}

// --- Operations ---

void Raising::begin_operation(Operation &operation) const {
  operation.position = program_.origins.size() - 1;
  if (current_ != nullptr) {
    operation.location = origin_of(*current_);
  }
}

ValueIds Raising::add(Draft draft) {
  Operation operation;
  begin_operation(operation);
  operation.name = draft.name;
  operation.operands.assign(draft.operands.begin(), draft.operands.end());
  operation.attributes = std::move(draft.attributes);
  for (NamedAttribute &attribute : operation.attributes) {
    set_position(attribute.value, operation.position);
  }
  operation.regions = std::move(draft.regions);
  operation.result_count = static_cast<std::uint32_t>(draft.results.size());
  operation.first_result = ValueId{static_cast<std::uint32_t>(program_.values.size())};
  ValueIds results;
  for (Type &type : draft.results) {
    results.push_back(new_value(std::move(type)));
  }
  scope_->region.operations.push_back(std::move(operation));
  ++operation_count_;
  return results;
}

ValueId Raising::add(std::string_view name, ValueIds operands, Type result, Attributes attributes) {
  return add(Draft{name, std::move(operands), {std::move(result)}, std::move(attributes)})[0];
}

ValueId Raising::reshape(ValueId operand, std::span<const std::int64_t> sizes) {
  const ir::Shape &shape = type(operand).shape;
  if (std::ranges::equal(shape.sizes(), sizes)) {
    return operand;
  }
  return add("stablehlo.reshape", {operand}, Type{ir::Shape::array(shape.element_type(), sizes)});
}

ValueId Raising::transpose(ValueId operand, std::span<const std::int64_t> permutation) {
  if (std::ranges::is_sorted(permutation)) {
    return operand;
  }
  const ir::Shape &shape = type(operand).shape;
  std::vector<std::int64_t> sizes;
  for (const std::int64_t dimension : permutation) {
    sizes.push_back(shape.size(static_cast<std::size_t>(dimension)));
  }
  Type result{ir::Shape::array(shape.element_type(), sizes)};
  return add("stablehlo.transpose", {operand}, std::move(result), {{"permutation", integers(permutation)}});
}

ValueId Raising::constant(ir::Literal literal) {
  const Type type{ir::Shape::array(literal.shape().element_type(), literal.shape().sizes())};
  Attribute value{Elements{type, std::move(literal)}};
  return add("stablehlo.constant", {}, type, {{"value", std::move(value)}});
}

Error Raising::unsupported(const ir::Instruction &instruction, std::string reason) const {
  return Error(ErrorCode::Unsupported,
               fmt::format("{} {} cannot become StableHLO: {}", instruction.op().text, instruction.name(), reason))
      .at(instruction.location());
}

// --- Instructions ---

Status Raising::raise_instruction(const ir::Instruction &instruction) {
  if (operation_count_ > max_operations) {
    return unsupported(instruction, fmt::format("the program becomes more than {} operations, as computations with "
                                                "several callers are copied",
                                                max_operations));
  }
  const RaisingRow *row = find_raising_row(instruction.opcode());
  if (row == nullptr || row->raise == nullptr) {
    return unsupported(instruction, fmt::format("there is no such operation; {}", row == nullptr ? "" : row->reason));
  }
  for (const AttributeKey key : row->refused) {
    if (instruction.has(key)) {
      return unsupported(instruction, fmt::format("{} has no '{}', expected none", row->operation, ir::to_string(key)));
    }
  }
  const SourceLocation place = instruction.location();
  Location written;
  written.source_file = place.file;
  written.source_line = place.line;
  written.source_column = place.column;
  program_.origins.push_back(std::make_shared<const Location>(std::move(written)));
  current_ = &instruction;
  const std::size_t before = scope_->region.operations.size();
  BP_ASSIGN(ValueIds values, row->raise(*this, instruction, *row));
  if (std::vector<Operation> &added = scope_->region.operations; added.size() > before) {
    for (NamedAttribute &hint : hints_of(*this, instruction)) {
      added.back().attributes.push_back(std::move(hint));
    }
  }
  current_ = nullptr;
  scope_->values.emplace(instruction.id(), std::move(values));
  return {};
}

Status Raising::add_arguments(Scope &scope, const ir::Instruction &parameter) {
  current_ = &parameter;
  BP_ASSIGN(std::vector<Type> types, types_of(parameter.shape()));
  current_ = nullptr;
  ValueIds values;
  for (Type &type : types) {
    values.push_back(new_value(std::move(type)));
    scope.region.arguments.push_back(values.back());
    scope.region.argument_names.emplace_back();
  }
  scope.values.emplace(parameter.id(), std::move(values));
  return {};
}

Status Raising::raise_body(Scope &scope, ir::Computation computation, std::string_view return_name) {
  Scope *outer = std::exchange(scope_, &scope);
  const ir::Instruction *instruction_outside = std::exchange(current_, nullptr);
  for (const ir::Instruction instruction : computation.instructions()) {
    if (!scope.values.contains(instruction.id())) {
      BP_TRY(raise_instruction(instruction));
    }
  }
  add(Draft{return_name, values(computation.root()), {}});
  scope_ = outer;
  current_ = instruction_outside;
  return {};
}

Result<Region> Raising::raise_region(ir::Computation computation, const ValueIds *argument) {
  Scope scope;
  scope.depth = scope_->depth + 1;
  if (scope.depth > max_depth) {
    return unsupported(*current_, fmt::format("regions are nested more than {} deep", max_depth));
  }
  const ir::Instruction *caller = current_;
  for (std::size_t i = 0; i < computation.parameter_count(); ++i) {
    if (argument != nullptr) {
      scope.values.emplace(computation.parameter(i).id(), *argument);
      scope.region.captures.insert(argument->begin(), argument->end());
    } else {
      BP_TRY(add_arguments(scope, computation.parameter(i)));
    }
  }
  current_ = caller;
  BP_TRY(raise_body(scope, computation, "stablehlo.return"));
  return std::move(scope.region);
}

Result<Region> Raising::region(ir::Computation computation) {
  return raise_region(computation, nullptr);
}

Result<Region> Raising::branch(ir::Computation computation, ValueIds argument) {
  return raise_region(computation, &argument);
}

// --- Functions ---

Attribute Raising::function(ir::Computation computation) {
  auto [found, is_new] = functions_.try_emplace(computation.id());
  if (is_new) {
    std::string name(computation.name());
    for (int i = 1; !names_.insert(name).second; ++i) {
      name = fmt::format("{}.{}", computation.name(), i);
    }
    found->second = name;
    pending_.push_back({computation, std::move(name)});
  }
  return {Symbol{found->second}};
}

Status Raising::raise_function(const Function &function, bool is_entry) {
  const ir::Computation computation = function.computation;
  Scope scope;
  std::vector<Attribute> argument_attributes, result_attributes;
  for (std::size_t i = 0; i < computation.parameter_count(); ++i) {
    const ir::Instruction parameter = computation.parameter(i);
    BP_TRY(add_arguments(scope, parameter));
    const std::size_t count = scope.values.at(parameter.id()).size();
    for (std::size_t k = 0; k < count; ++k) {
      argument_attributes.push_back({is_entry ? argument_hints(*this, parameter, k, count) : Dictionary()});
    }
  }
  Operation operation;
  begin_operation(operation);
  operation.name = "func.func";
  BP_TRY(raise_body(scope, computation, "func.return"));
  FunctionType type;
  for (const ValueId argument : scope.region.arguments) {
    type.operands.push_back(program_.type(argument));
  }
  const auto &returned = scope.region.operations.back().operands;
  for (std::size_t i = 0; i < returned.size(); ++i) {
    type.results.push_back(program_.type(returned[i]));
    result_attributes.push_back(
        {is_entry ? result_hints(*this, computation.root(), i, returned.size()) : Dictionary()});
  }
  operation.attributes = {{"sym_name", {function.name}},
                          {"function_type", {std::move(type)}},
                          {"sym_visibility", {std::string(is_entry ? "public" : "private")}}};
  const auto add_list = [&](std::string_view name, std::vector<Attribute> list) {
    const auto has_hint = [](const Attribute &own) { return !own.get<Dictionary>()->entries.empty(); };
    if (std::ranges::any_of(list, has_hint)) {
      operation.attributes.push_back({name, {std::move(list)}});
    }
  };
  add_list("arg_attrs", std::move(argument_attributes));
  add_list("res_attrs", std::move(result_attributes));
  operation.regions.push_back(std::move(scope.region));
  program_.module.regions[0].operations.push_back(std::move(operation));
  return {};
}

Result<Program> raise(const ir::Module &module, RaisedForm form) {
  return Raising(module, form).run();
}

}  // namespace bp::import::stablehlo
