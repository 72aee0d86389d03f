// Reads the module, functions and regions, and resolves the names of values.
#include "core/import/stablehlo/program_reader.h"

#include <algorithm>

#include "core/import/stablehlo/operations.h"

namespace bp::import::stablehlo {

ProgramReader::ProgramReader(std::string_view text, std::string file, std::uint32_t first_line)
    : SyntaxReader(text, file, first_line) {
  program_.text = text;
  program_.file = std::move(file);
  program_.first_line = first_line;
}

// Reads a module, or the operations of one without `module`.
Result<Program> ProgramReader::read() {
  Operation &module = program_.module;
  module.name = "builtin.module";
  while (tokens_.is('#') || tokens_.is('!')) {
    BP_TRY(skip_alias_definition());
  }
  scopes_.push_back({true, {}, {}});
  bool is_generic = tokens_.is(TokenKind::String) && tokens_.text() == "builtin.module";
  if (tokens_.is_word("module") || tokens_.is_word("builtin.module")) {
    module.position = tokens_.token().begin;
    tokens_.advance();
    BP_TRY(read_module(module));
  } else if (is_generic) {
    Region holder;
    BP_TRY(read_operation(holder));
    module = std::move(holder.operations[0]);
    if (module.regions.size() != 1) {
      return tokens_.error_at(module.position, "a module has one region");
    }
  } else {
    module.regions.emplace_back();
    BP_TRY(read_operations('\0', module.regions[0]));
  }
  while (tokens_.is('#') || tokens_.is('!')) {
    BP_TRY(skip_alias_definition());
  }
  // {-# ... #-}: resources of dialects; no supported operation refers to them.
  bool has_resources = tokens_.is('{') && tokens_.is_following('-');
  if (!tokens_.at_end() && !has_resources) {
    return tokens_.expected("the end of the text after the module");
  }
  return std::move(program_);
}

Status ProgramReader::read_module(Operation &module) {
  if (tokens_.is('@')) {
    Attribute name{{}, tokens_.token().begin};
    BP_ASSIGN(name.value, read_symbol("the name of the module"));
    add_attribute(module, "sym_name", std::move(name));
  }
  if (tokens_.accept_word("attributes")) {
    BP_ASSIGN(Dictionary attributes, read_dictionary());
    module.attributes.insert(module.attributes.end(), attributes.entries.begin(), attributes.entries.end());
  }
  BP_ASSIGN(Region body, read_region({}, Isolated::Yes));
  module.regions.push_back(std::move(body));
  BP_TRY(read_optional_location());
  return {};
}

// Reads func.func private @name(%arg0: T {attributes}, ...) -> (T {attributes}) attributes {...} { ... }.
Status ProgramReader::read_function(Operation &function) {
  for (std::string_view visibility : {"public", "private", "nested"}) {
    if (tokens_.is_word(visibility)) {
      add_attribute(function, "sym_visibility", {std::string(visibility), tokens_.token().begin});
      tokens_.advance();
    }
  }
  Attribute name{{}, tokens_.token().begin};
  BP_ASSIGN(name.value, read_symbol("the name of a function, as in @main"));
  add_attribute(function, "sym_name", std::move(name));

  FunctionType type;
  std::vector<Argument> arguments;
  std::vector<Attribute> argument_attributes;
  BP_TRY(tokens_.expect('(', "before the arguments of a function"));
  BP_TRY(tokens_.read_list(')', "the arguments of a function", [&]() -> Status {
    Argument argument;
    if (tokens_.is(TokenKind::Name)) {
      BP_ASSIGN(argument, read_argument());
    } else {  // the function has no body
      BP_ASSIGN(argument.type, read_type());
    }
    Attribute attributes{Dictionary{}, tokens_.token().begin};
    if (tokens_.is('{')) {
      BP_ASSIGN(attributes.value, read_dictionary());
    }
    BP_TRY(read_optional_location());
    type.operands.push_back(argument.type);
    arguments.push_back(std::move(argument));
    argument_attributes.push_back(std::move(attributes));
    return {};
  }));
  add_attribute(function, "arg_attrs", {std::move(argument_attributes), function.position});
  if (tokens_.is(TokenKind::Arrow)) {
    Attribute attributes{{}, tokens_.token().begin};
    tokens_.advance();
    BP_TRY(read_function_results(type.results, attributes));
    add_attribute(function, "res_attrs", std::move(attributes));
  }
  add_attribute(function, "function_type", {std::move(type), function.position});
  if (tokens_.accept_word("attributes")) {
    BP_ASSIGN(Dictionary attributes, read_dictionary());
    function.attributes.insert(function.attributes.end(), attributes.entries.begin(), attributes.entries.end());
  }
  if (tokens_.is('{')) {
    BP_ASSIGN(Region body, read_region(arguments, Isolated::Yes));
    function.regions.push_back(std::move(body));
  }
  return {};
}

Status ProgramReader::read_function_results(std::vector<Type> &types, Attribute &attributes) {
  std::vector<Attribute> all;
  auto item = [&]() -> Status {
    BP_ASSIGN(Type type, read_type());
    types.push_back(std::move(type));
    Attribute own{Dictionary{}, tokens_.token().begin};
    if (tokens_.is('{')) {
      BP_ASSIGN(own.value, read_dictionary());
    }
    all.push_back(std::move(own));
    return {};
  };
  if (tokens_.accept('(')) {
    BP_TRY(tokens_.read_list(')', "the results of a function", item));
  } else {
    BP_ASSIGN(Type type, read_type());
    types.push_back(std::move(type));
  }
  attributes.value = std::move(all);
  return {};
}

// Reads sdy.mesh @mesh = <["x"=2]> {attributes}.
Status ProgramReader::read_mesh(Operation &mesh) {
  Attribute name{{}, tokens_.token().begin};
  BP_ASSIGN(name.value, read_symbol("the name of a mesh"));
  add_attribute(mesh, "sym_name", std::move(name));
  BP_TRY(tokens_.expect('=', "after the name of a mesh"));
  Attribute axes{{}, tokens_.token().begin};
  BP_TRY(skip_angle_brackets("a mesh"));
  axes.value = OpaqueText{"#sdy.mesh" + tokens_.canonical_since(axes.position)};
  add_attribute(mesh, "mesh", std::move(axes));
  return read_optional_attributes(mesh);
}

Result<ProgramReader::Argument> ProgramReader::read_argument() {
  Argument argument;
  argument.position = tokens_.token().begin;
  if (!tokens_.is(TokenKind::Name)) {
    return tokens_.expected("an argument, as in %a: tensor<f32>");
  }
  argument.name = tokens_.text(tokens_.take());
  BP_TRY(tokens_.expect(':', "after the name of an argument"));
  BP_ASSIGN(argument.type, read_type());
  return argument;
}

Result<Region> ProgramReader::read_region(std::span<const Argument> arguments, Isolated isolated) {
  TokenReader::Nesting nesting(tokens_);
  BP_TRY(nesting.check());
  Region region;
  region.position = tokens_.token().begin;
  BP_TRY(tokens_.expect('{', "before a region"));
  scopes_.push_back({isolated == Isolated::Yes, {}, {}});
  auto define_argument = [&](const Argument &argument) -> Status {
    BP_ASSIGN(ValueId id, define(argument.name, argument.position, argument.type));
    region.arguments.push_back(id);
    region.argument_names.push_back(argument.name);
    return {};
  };
  for (const Argument &argument : arguments) {
    if (argument.name.empty()) {
      return tokens_.error_at(region.position, "a function with a body has an argument without a name");
    }
    BP_TRY(define_argument(argument));
  }
  if (tokens_.accept('^')) {
    BP_TRY(tokens_.read_identifier("the label of a block"));
    if (tokens_.accept('(')) {
      BP_TRY(tokens_.read_list(')', "the arguments of a block", [&]() -> Status {
        BP_ASSIGN(Argument argument, read_argument());
        BP_TRY(read_optional_location());
        return define_argument(argument);
      }));
    }
    BP_TRY(tokens_.expect(':', "after the label of a block"));
  }
  BP_TRY(read_operations('}', region));
  region.captures = std::move(scopes_.back().captures);
  scopes_.pop_back();
  return region;
}

// Reads operations up to and including `close`; 0 is the end of the text.
Status ProgramReader::read_operations(char close, Region &region) {
  while (close == '\0' ? !tokens_.at_end() : !tokens_.accept(close)) {
    bool is_resources = tokens_.is('{') && tokens_.is_following('-');
    if (close == '\0' && (tokens_.is('#') || tokens_.is('!'))) {
      BP_TRY(skip_alias_definition());
    } else if (close == '\0' && is_resources) {
      return {};
    } else if (tokens_.is('^')) {
      return Error(ErrorCode::Unsupported, "a region of several blocks").at(tokens_.location(tokens_.token().begin));
    } else {
      BP_TRY(read_operation(region));
    }
  }
  return {};
}

// --- Names of values ---

Operation ProgramReader::begin_operation(std::string_view name, std::size_t position) {
  Operation operation;
  operation.name = name;
  operation.position = position;
  operation.start = tokens_.line_column(position);
  return operation;
}

const ProgramReader::Definition *ProgramReader::lookup(std::string_view name) const {
  for (std::size_t i = scopes_.size(); i-- > 0;) {
    if (auto found = scopes_[i].names.find(name); found != scopes_[i].names.end()) {
      return &found->second;
    }
    if (scopes_[i].is_isolated) {
      break;
    }
  }
  return nullptr;
}

Status ProgramReader::define_name(std::string_view name, std::size_t position, ValueId first, std::uint32_t count) {
  if (const Definition *other = lookup(name)) {
    return tokens_.error_at(position, "%{} is already defined in line {}", name,
                            tokens_.location(other->position).line);
  }
  scopes_.back().names.emplace(name, Definition{first, count, position});
  return {};
}

Result<ValueId> ProgramReader::define(std::string_view name, std::size_t position, const Type &type) {
  ValueId id{static_cast<std::uint32_t>(program_.values.size())};
  program_.values.push_back(type);
  depths_.push_back(static_cast<std::uint32_t>(scopes_.size() - 1));
  BP_TRY(define_name(name, position, id, 1));
  return id;
}

// Names state the number of results they stand for: %0:2, %a, %b.
Status ProgramReader::define_results(Operation &operation, std::vector<Type> types) {
  operation.first_result = ValueId{static_cast<std::uint32_t>(program_.values.size())};
  operation.result_count = static_cast<std::uint32_t>(types.size());
  depths_.insert(depths_.end(), types.size(), static_cast<std::uint32_t>(scopes_.size() - 1));
  program_.values.insert(program_.values.end(), std::make_move_iterator(types.begin()),
                         std::make_move_iterator(types.end()));
  return {};
}

// Reads %name or %name#1.
Result<ValueId> ProgramReader::use() {
  if (!tokens_.is(TokenKind::Name)) {
    return tokens_.expected("an operand, as in %a");
  }
  Token token = tokens_.take();
  std::string_view name = tokens_.text(token);
  std::int64_t number = 0;
  bool has_number = tokens_.accept('#');
  if (has_number) {
    BP_ASSIGN(number, tokens_.read_integer("the number of a result"));
  }
  const Definition *definition = lookup(name);
  if (definition == nullptr) {
    return tokens_.error_at(token.begin, "%{} is not defined before its use", name);
  }
  if (number < 0 || number >= definition->count) {
    return tokens_.error_at(token.begin, "%{} has {} result{}, there is no number {}", name, definition->count,
                            definition->count == 1 ? "" : "s", number);
  }
  ValueId id{index(definition->first) + static_cast<std::uint32_t>(number)};
  for (std::size_t i = depths_[index(id)] + 1; i < scopes_.size(); ++i) {
    scopes_[i].captures.insert(id);
  }
  return id;
}

}  // namespace bp::import::stablehlo
