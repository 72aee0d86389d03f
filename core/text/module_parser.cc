// Parses the module around the instructions: header, stack frame tables, computations.
#include "core/text/module_parser.h"

#include <algorithm>
#include <unordered_set>

#include "core/base/suggestion.h"
#include "core/text/attribute_reader.h"
#include "core/text/shape_reader.h"

namespace bp::text {
namespace {

using ir::AttributeKey;
using ir::InstructionId;
using ir::Opcode;

constexpr std::string_view header_attributes[] = {"is_scheduled",
                                                  "replica_count",
                                                  "num_partitions",
                                                  "input_output_alias",
                                                  "buffer_donor",
                                                  "alias_passthrough_params",
                                                  "entry_computation_layout",
                                                  "frontend_attributes",
                                                  "allow_spmd_sharding_propagation_to_parameters",
                                                  "allow_spmd_sharding_propagation_to_output",
                                                  "origin_recovery_table",
                                                  "debug_attributes"};

// Returns the first of name, name.1, name.2, ... that is not in `used`, and adds it.
std::string make_unique(std::string_view name, std::unordered_set<std::string> &used,
                        boost::unordered_flat_map<std::string, int> &next_suffix) {
  std::string candidate(name);
  int &suffix = next_suffix[candidate];
  while (!used.insert(candidate).second) {
    candidate = fmt::format("{}.{}", name, ++suffix);
  }
  return candidate;
}

}  // namespace

ModuleParser::ModuleParser(std::string_view text, const ParseOptions &options)
    : reader_(text, options.file, options.first_line), options_(options) {
  literals_.seed = options.seed;
  literals_.warnings = options.warnings;
  literals_.elided = options.elided;
  inferred_parts_left_ = (std::int64_t{1} << 20) + static_cast<std::int64_t>(text.size() / 4);
}

Result<ir::Module> ModuleParser::parse() {
  module_.set_source_file(options_.file);
  bool has_header = reader_.is_word("HloModule");
  if (has_header) {
    BP_TRY(parse_header());
    BP_TRY(parse_stack_frames());
  }
  if (reader_.at_end()) {
    return reader_.error("expected a computation, found the end of the text");
  }
  // A single instruction is a module too: %x = ..., ROOT %x = ... or f32[4] add(...).
  bool is_instruction = reader_.is_word("ROOT") || is_shape_ahead(reader_);
  if (reader_.is(TokenKind::Identifier) || reader_.is(TokenKind::Name)) {
    is_instruction = is_instruction || reader_.is_following('=');
  }
  if (!has_header && is_instruction) {
    BP_TRY(parse_single_instruction());
  } else {
    do {
      BP_TRY(parse_computation());
    } while (!reader_.at_end());
  }
  finish_module();
  if (!has_header) {
    module_.set_name(std::string(module_.entry().name()));
  }
  return std::move(module_);
}

// --- Header ---

Status ModuleParser::parse_header() {
  BP_TRY(reader_.expect_word("HloModule"));
  BP_ASSIGN(std::string_view name, reader_.read_identifier("the name of the module"));
  module_.set_name(std::string(name));
  reader_.accept(':');  // written by old dumps
  std::vector<std::string_view> seen;
  while (reader_.accept(',')) {
    std::size_t begin = reader_.token().begin;
    BP_ASSIGN(std::string_view attribute, reader_.read_identifier("an attribute of the module"));
    if (std::ranges::find(seen, attribute) != seen.end()) {
      return reader_.error_at(begin, "attribute '{}' is given twice", attribute);
    }
    seen.push_back(attribute);
    BP_TRY(reader_.expect('=', "after the name of an attribute"));
    BP_TRY(parse_header_attribute(attribute, begin));
  }
  return {};
}

Status ModuleParser::parse_header_attribute(std::string_view name, std::size_t begin) {
  ir::ModuleHeader &header = module_.header();
  auto read_count = [&](std::int64_t &count) -> Status {
    std::size_t at = reader_.token().begin;
    BP_ASSIGN(count, reader_.read_integer(name));
    return count >= 1 ? Status() : reader_.error_at(at, "{} is {}, expected at least 1", name, count);
  };
  if (name == "is_scheduled") {
    BP_ASSIGN(header.is_scheduled, reader_.read_bool(name));
    return {};
  }
  if (name == "replica_count") {
    return read_count(header.replica_count);
  }
  if (name == "num_partitions") {
    return read_count(header.num_partitions);
  }
  if (name == "input_output_alias") {
    return parse_input_output_alias();
  }
  if (name == "buffer_donor") {
    return parse_buffer_donor();
  }
  if (name == "entry_computation_layout") {
    return parse_entry_layout();
  }
  if (std::ranges::find(header_attributes, name) == std::end(header_attributes)) {
    return reader_.error_at(begin, "a module has no attribute '{}'{}", name, suggestion(name, header_attributes));
  }
  std::string text;
  if (name == "frontend_attributes") {
    BP_ASSIGN(text, read_frontend_attributes(reader_));
  } else if (name == "alias_passthrough_params" || name.starts_with("allow_spmd")) {
    BP_ASSIGN(text, read_bools(reader_));
  } else {
    BP_ASSIGN(text, reader_.read_balanced(name));
  }
  header.rest.emplace_back(name, std::move(text));
  return {};
}

// Parses { {0}: (1, {}, must-alias), {1,0}: (0, {2}), {}: 0 }.
Status ModuleParser::parse_input_output_alias() {
  BP_TRY(reader_.expect('{', "before the aliases"));
  return reader_.read_list('}', "the aliases", [&]() -> Status {
    ir::InputOutputAlias alias;
    BP_ASSIGN(alias.output_index, read_index(reader_));
    BP_TRY(reader_.expect(':', "after the index of an output"));
    bool is_short = !reader_.accept('(');
    BP_ASSIGN(alias.parameter, reader_.read_integer("the number of a parameter"));
    if (!is_short) {
      if (reader_.accept(',')) {
        BP_ASSIGN(alias.parameter_index, read_index(reader_));
      }
      if (reader_.accept(',')) {
        alias.must = reader_.is_word("must-alias");
        if (!alias.must && !reader_.is_word("may-alias")) {
          return reader_.expected("may-alias or must-alias");
        }
        reader_.advance();
      }
      BP_TRY(reader_.expect(')', "after an aliased parameter"));
    }
    module_.header().input_output_alias.push_back(std::move(alias));
    return {};
  });
}

// Parses { (0, {}), (1, {2}) }.
Status ModuleParser::parse_buffer_donor() {
  BP_TRY(reader_.expect('{', "before the donors"));
  return reader_.read_list('}', "the donors", [&]() -> Status {
    ir::BufferDonor donor;
    BP_TRY(reader_.expect('(', "before a donated parameter"));
    BP_ASSIGN(donor.parameter, reader_.read_integer("the number of a parameter"));
    if (reader_.accept(',')) {
      BP_ASSIGN(donor.parameter_index, read_index(reader_));
    }
    BP_TRY(reader_.expect(')', "after a donated parameter"));
    module_.header().buffer_donor.push_back(std::move(donor));
    return {};
  });
}

// Parses {(f32[2]{0}, s32[])->f32[3]{0}}.
Status ModuleParser::parse_entry_layout() {
  ir::ModuleHeader &header = module_.header();
  BP_TRY(reader_.expect('{', "before the entry layout"));
  BP_TRY(reader_.expect('(', "before the shapes of the parameters"));
  BP_TRY(reader_.read_list(')', "the shapes of the parameters", [&]() -> Status {
    BP_ASSIGN(ir::Shape shape, read_shape(reader_));
    header.entry_parameter_shapes.push_back(std::move(shape));
    return {};
  }));
  BP_TRY(reader_.expect(TokenKind::Arrow, "'->' after the shapes of the parameters"));
  BP_ASSIGN(header.entry_result_shape, read_shape(reader_));
  header.has_entry_layout = true;
  return reader_.expect('}', "after the entry layout");
}

Status ModuleParser::parse_stack_frames() {
  ir::StackFrames &frames = module_.header().stack_frames;
  // Each entry begins with its number, counted from 1.
  auto entries = [&](std::string_view table, auto &&entry) -> Status {
    if (!reader_.accept_word(table)) {
      return {};
    }
    for (std::int64_t wanted = 1; reader_.is(TokenKind::Number); ++wanted) {
      std::size_t begin = reader_.token().begin;
      BP_ASSIGN(std::int64_t number, reader_.read_integer("the number of an entry"));
      if (number != wanted) {
        return reader_.error_at(begin, "entry {} of {}, expected {}", number, table, wanted);
      }
      BP_TRY(entry());
    }
    return {};
  };
  auto strings = [&](std::vector<std::string> &out) {
    return [&]() -> Status {
      BP_ASSIGN(std::string value, reader_.read_string("a string"));
      out.push_back(std::move(value));
      return {};
    };
  };
  auto fields = [&](std::initializer_list<std::pair<std::string_view, std::int64_t *>> wanted) -> Status {
    BP_TRY(reader_.expect('{', "before the fields of an entry"));
    while (!reader_.accept('}')) {
      std::size_t begin = reader_.token().begin;
      BP_ASSIGN(std::string_view name, reader_.read_identifier("a field or '}'"));
      BP_TRY(reader_.expect('=', "after the name of a field"));
      auto field = std::ranges::find(wanted, name, &std::pair<std::string_view, std::int64_t *>::first);
      if (field == wanted.end()) {
        return reader_.error_at(begin, "unknown field '{}' in a table of stack frames", name);
      }
      BP_ASSIGN(*field->second, reader_.read_integer(name));
      reader_.accept(',');
    }
    return {};
  };
  BP_TRY(entries("FileNames", strings(frames.file_names)));
  BP_TRY(entries("FunctionNames", strings(frames.function_names)));
  BP_TRY(entries("FileLocations", [&]() -> Status {
    auto &l = frames.file_locations.emplace_back();
    return fields({{"file_name_id", &l.file_name_id},
                   {"function_name_id", &l.function_name_id},
                   {"line", &l.line},
                   {"end_line", &l.end_line},
                   {"column", &l.column},
                   {"end_column", &l.end_column}});
  }));
  return entries("StackFrames", [&]() -> Status {
    auto &f = frames.frames.emplace_back();
    return fields({{"file_location_id", &f.file_location_id}, {"parent_frame_id", &f.parent_frame_id}});
  });
}

// --- Computations ---

// Parses [ENTRY] name [(parameter: shape, ...) -> shape] { instructions } [, execution_thread="..."].
Status ModuleParser::parse_computation() {
  if (reader_.is_word("HloModule")) {
    return reader_.error("a second HloModule: a text with several modules must be split first");
  }
  std::size_t begin = reader_.token().begin;
  bool is_entry = reader_.accept_word("ENTRY");
  if (is_entry && module_.has_entry()) {
    return reader_.error_at(begin, "a second ENTRY: {} is the entry already", module_.entry().name());
  }
  std::size_t name_begin = reader_.token().begin;
  BP_ASSIGN(std::string_view name, reader_.read_identifier("a computation or the end of the text"));
  if (computations_.contains(name)) {
    return reader_.error_at(name_begin, "computation {} is already defined", name);
  }
  std::optional<ir::Shape> result;
  std::size_t result_begin = 0;
  if (reader_.accept('(')) {
    // The parameters are repeated in the body, and only those are used.
    BP_TRY(reader_.read_list(')', "the parameters", [&]() -> Status {
      BP_TRY(reader_.read_identifier("the name of a parameter"));
      reader_.accept(':');
      BP_TRY(read_shape(reader_));
      return {};
    }));
    BP_TRY(reader_.expect(TokenKind::Arrow, "'->' after the parameters"));
    result_begin = reader_.token().begin;
    BP_ASSIGN(result, read_shape(reader_));
  }
  Scope scope;
  scope.computation = module_.add_computation(name);
  BP_TRY(parse_body(scope));
  BP_TRY(finish_computation(scope));
  const ir::Shape &root = module_.computation(scope.computation).root().shape();
  if (result && !same(*result, root, ir::CompareLayout::No)) {
    return reader_.error_at(result_begin, "{} returns {}, but its root has shape {}", name, to_string(*result),
                            to_string(root));
  }
  if (reader_.accept(',')) {
    BP_TRY(reader_.expect_word("execution_thread"));
    BP_TRY(reader_.expect('=', "after 'execution_thread'"));
    BP_ASSIGN(std::string thread, reader_.read_string("the name of a thread in quotes"));
    module_.set_execution_thread(scope.computation, thread == "main" ? "" : thread);
  }
  computations_.emplace(name, scope.computation);
  if (is_entry) {
    module_.set_entry(scope.computation);
  }
  return {};
}

Status ModuleParser::parse_single_instruction() {
  Scope scope;
  scope.computation = module_.add_computation("entry");
  scope.adds_parameters = true;
  if (is_shape_ahead(reader_)) {
    BP_ASSIGN(InstructionId id, parse_right_hand_side(scope, {}, reader_.token().begin, true));
    scope.unnamed.push_back(id);
  } else {
    BP_TRY(parse_instruction(scope));
  }
  if (!reader_.at_end()) {
    return reader_.expected("the end of the text after a single instruction");
  }
  return finish_computation(scope);
}

Status ModuleParser::parse_body(Scope &scope) {
  BP_TRY(reader_.expect('{', "before the instructions of a computation"));
  do {
    BP_TRY(parse_instruction(scope));
  } while (!reader_.accept('}'));
  return {};
}

Status ModuleParser::finish_computation(Scope &scope) {
  ir::ComputationId id = scope.computation;
  auto order = module_.computation(id).instruction_ids();
  module_.set_root(id, scope.root != ir::no_instruction ? scope.root : order.back());
  name_the_unnamed(scope);
  finished_.push_back(id);
  return finish_parameters(scope);
}

// The numbers of the parameters must be 0 to n-1 before they are used as indices.
Status ModuleParser::finish_parameters(const Scope &scope) {
  std::size_t count = scope.parameters.size();
  std::vector<InstructionId> by_number(count, ir::no_instruction);
  for (const auto &[id, begin] : scope.parameters) {
    ir::Instruction parameter = module_.instruction(id);
    std::int64_t number = parameter.parameter_number();
    if (number < 0 || number >= static_cast<std::int64_t>(count)) {
      return reader_.error_at(begin, "{} is parameter {} of a computation with {} parameter{}", parameter.name(),
                              number, count, count == 1 ? "" : "s");
    }
    InstructionId &slot = by_number[static_cast<std::size_t>(number)];
    if (slot != ir::no_instruction) {
      return reader_.error_at(begin, "{} is parameter {}, which {} is already", parameter.name(), number,
                              module_.instruction(slot).name());
    }
    slot = id;
  }
  if (count != 0) {
    auto order = module_.computation(scope.computation).instruction_ids();
    module_.set_instruction_order(scope.computation, std::vector<InstructionId>(order.begin(), order.end()));
  }
  return {};
}

void ModuleParser::name_the_unnamed(const Scope &scope) {
  if (scope.unnamed.empty()) {
    return;
  }
  std::unordered_set<std::string> used;
  boost::unordered_flat_map<std::string, int> next_suffix;
  for (const auto &[name, id] : scope.names) {
    used.emplace(name);
  }
  for (InstructionId id : scope.unnamed) {
    module_.set_name(id, make_unique(module_.instruction(id).op().text, used, next_suffix));
  }
}

void ModuleParser::finish_module() {
  if (!unnamed_.empty()) {
    std::unordered_set<std::string> used;
    boost::unordered_flat_map<std::string, int> next_suffix;
    for (const auto &[name, id] : computations_) {
      used.emplace(name);
    }
    for (ir::ComputationId id : unnamed_) {
      std::string_view base = ir::to_string(module_.computation(id).root().opcode());
      module_.set_computation_name(id, make_unique(fmt::format("{}_computation", base), used, next_suffix));
    }
    module_.set_computation_order(finished_);
  }
  if (!module_.has_entry()) {
    module_.set_entry(finished_.back());
  }
}

}  // namespace bp::text
