// Reads computations, callees before callers, and the instructions of each, operands before users, in a single pass. A
// reference to something not yet read is therefore dangling or part of a cycle.
#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "core/import/hlo_proto/attribute_proto.h"
#include "core/import/hlo_proto/hlo_proto.h"
#include "core/import/hlo_proto/metadata_proto.h"
#include "core/import/hlo_proto/module_proto.h"
#include "core/import/hlo_proto/shape_proto.h"

namespace bp::import::hlo_proto {
namespace {

using ir::AttributeKind;
using ir::InstructionId;
using ir::Opcode;

template <class Id>
using ById = boost::unordered_flat_map<std::int64_t, Id>;

// Returns a name that is valid in text: other characters become '_', as in XLA.
std::string clean_name(std::string_view name) {
  auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  auto is_inner = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-'; };
  std::string clean(name);
  std::ranges::replace_if(clean, [&](char c) { return !is_inner(c); }, '_');
  if (!clean.empty() && !is_letter(clean[0])) {
    clean.insert(0, 1, '_');
  }
  return clean;
}

class ModuleReader {
 public:
  explicit ModuleReader(const Message &message) : message_(message) {}
  Result<ir::Module> read();

 private:
  // State of the computation that is being read.
  struct Scope {
    ir::ComputationId computation;
    ById<InstructionId> instructions;
    boost::unordered_flat_set<std::string_view> names;
  };

  Status read_header();
  Status read_entry_layout();
  Status read_aliases();
  Status read_stack_frames();
  Status read_device_assignment();
  Status read_schedule();
  Status read_entry();
  Status read_computation(const Message &message);
  Status read_instruction(const Message &message, Scope &scope);
  Status read_literal_of(const Message &message, InstructionId id);
  Status read_callees(const Message &message, InstructionId id);
  Status read_backend_config(const Message &message, InstructionId id);
  Result<std::vector<InstructionId>> find_instructions(const Message &message, Field field, const Scope &scope);
  Status check_parameters(const Message &message, ir::ComputationId id);
  Result<std::vector<InstructionId>> scheduled_order(const Message &message, std::int64_t id, const Scope &scope);

  const Message &message_;
  ir::Module module_;
  Payloads payloads_;
  ById<ir::ComputationId> computations_;
  boost::unordered_flat_set<std::string> computation_names_;
  ById<std::vector<std::int64_t>> schedule_;  // by id of the computation in the message
  bool has_equal_names_ = false;
};

Result<ir::Module> ModuleReader::read() {
  using namespace module_fields;
  BP_ASSIGN(std::string_view module_name, message_.text(name));
  if (std::string clean = clean_name(module_name); !clean.empty()) {
    module_.set_name(std::move(clean));
  }
  BP_TRY(message_.for_each_text(payloads, [&](std::string_view payload) { payloads_.push_back(payload); }));
  BP_TRY(read_schedule());
  BP_TRY(message_.for_each(computations, [&](const Message &inner) { return read_computation(inner); }));
  if (computations_.empty()) {
    return message_.error("no computations");
  }
  for (const auto &[id, sequence] : schedule_) {
    if (!computations_.contains(id)) {
      return message_.error_in(schedule, "no computation has id {}", id);
    }
  }
  BP_TRY(read_entry());
  BP_TRY(read_header());
  if (has_equal_names_) {
    module_.unique_names();
  }
  return std::move(module_);
}

// --- Module ---

Status ModuleReader::read_entry() {
  using namespace module_fields;
  if (message_.has(entry_id)) {
    BP_ASSIGN(std::int64_t id, message_.integer(entry_id));
    auto found = computations_.find(id);
    if (found == computations_.end()) {
      return message_.error_in(entry_id, "no computation has id {}", id);
    }
    module_.set_entry(found->second);
    return {};
  }
  BP_ASSIGN(std::string_view wanted, message_.text(entry_name));
  for (ir::Computation computation : module_.computations()) {
    if (computation.name() == wanted) {
      module_.set_entry(computation.id());
      return {};
    }
  }
  // An id of 0 is not written to the wire.
  auto first = computations_.find(0);
  module_.set_entry(first != computations_.end() ? first->second : module_.computation_ids().back());
  return {};
}

Status ModuleReader::read_header() {
  BP_TRY(read_entry_layout());
  BP_TRY(read_aliases());
  BP_TRY(read_device_assignment());
  BP_TRY(read_stack_frames());
  BP_ASSIGN(Message frontend, message_.child(module_fields::frontend_attributes));
  BP_ASSIGN(std::string text, read_frontend_attributes(frontend));
  if (text != "{}") {
    module_.header().rest.emplace_back(module_fields::frontend_attributes.name, std::move(text));
  }
  return {};
}

Status ModuleReader::read_entry_layout() {
  using namespace program_shape_fields;
  ir::ModuleHeader &header = module_.header();
  header.has_entry_layout = true;
  if (!message_.has(module_fields::program_shape)) {
    ir::Computation entry = module_.entry();
    for (std::size_t i = 0; i < entry.parameter_count(); ++i) {
      header.entry_parameter_shapes.push_back(entry.parameter(i).shape());
    }
    header.entry_result_shape = entry.root().shape();
    return {};
  }
  BP_ASSIGN(Message program_shape, message_.child(module_fields::program_shape));
  BP_TRY(program_shape.for_each(parameters, [&](const Message &inner) -> Status {
    BP_ASSIGN(ir::Shape shape, read_shape(inner));
    header.entry_parameter_shapes.push_back(std::move(shape));
    return {};
  }));
  BP_ASSIGN(Message result_message, program_shape.child(result));
  BP_ASSIGN(header.entry_result_shape, read_shape(result_message));
  return {};
}

Result<std::vector<std::int64_t>> read_index(const Message &message, Field field) {
  BP_ASSIGN(auto index, message.integers(field));
  for (std::int64_t i : index) {
    if (i < 0) {
      return message.error_in(field, "found {}, expected at least 0", i);
    }
  }
  return index;
}

Status ModuleReader::read_aliases() {
  ir::ModuleHeader &header = module_.header();
  BP_ASSIGN(Message aliases, message_.child(module_fields::aliases));
  BP_TRY(aliases.for_each(alias_fields::entries, [&](const Message &entry) -> Status {
    using namespace alias_fields;
    ir::InputOutputAlias alias;
    BP_ASSIGN(alias.output_index, read_index(entry, output_index));
    BP_ASSIGN(alias.parameter, entry.integer(parameter));
    BP_ASSIGN(alias.parameter_index, read_index(entry, parameter_index));
    BP_ASSIGN(std::int64_t alias_kind, entry.integer(kind));
    alias.must = alias_kind == must_alias;
    header.input_output_alias.push_back(std::move(alias));
    return {};
  }));
  BP_ASSIGN(Message donors, message_.child(module_fields::donors));
  return donors.for_each(donor_fields::entries, [&](const Message &entry) -> Status {
    using namespace donor_fields;
    ir::BufferDonor donor;
    BP_ASSIGN(donor.parameter, entry.integer(parameter));
    BP_ASSIGN(donor.parameter_index, read_index(entry, parameter_index));
    header.buffer_donor.push_back(std::move(donor));
    return {};
  });
}

Status ModuleReader::read_device_assignment() {
  using namespace device_assignment_fields;
  ir::ModuleHeader &header = module_.header();
  BP_ASSIGN(Message assignment, message_.child(module_fields::device_assignment));
  for (auto [field, count] :
       {std::pair(replica_count, &header.replica_count), std::pair(partition_count, &header.num_partitions)}) {
    BP_ASSIGN(*count, assignment.integer(field, 1));
    if (*count < 1) {
      return assignment.error_in(field, "found {}, expected at least 1", *count);
    }
  }
  return {};
}

Status ModuleReader::read_stack_frames() {
  using namespace stack_frame_fields;
  ir::StackFrames &tables = module_.header().stack_frames;
  BP_ASSIGN(Message message, message_.child(module_fields::stack_frames));
  BP_TRY(message.for_each_text(file_names, [&](std::string_view text) { tables.file_names.emplace_back(text); }));
  BP_TRY(
      message.for_each_text(function_names, [&](std::string_view text) { tables.function_names.emplace_back(text); }));
  auto read_entries = [&](Field field, auto &entries, const auto &members) {
    return message.for_each(field, [&](const Message &inner) -> Status {
      auto &entry = entries.emplace_back();
      for (const auto &[member_field, member] : members) {
        BP_ASSIGN(std::int64_t value, inner.integer(member_field));
        entry.*member = value + offset_in_text(member);
      }
      return {};
    });
  };
  BP_TRY(read_entries(file_locations, tables.file_locations, location));
  return read_entries(frames, tables.frames, frame);
}

Status ModuleReader::read_schedule() {
  using namespace schedule_fields;
  module_.header().is_scheduled = message_.has(module_fields::schedule);
  BP_ASSIGN(Message schedule, message_.child(module_fields::schedule));
  return schedule.for_each(sequences, [&](const Message &entry) -> Status {
    BP_ASSIGN(std::int64_t computation, entry.integer(key));
    BP_ASSIGN(Message sequence, entry.child(value));
    BP_ASSIGN(schedule_[computation], sequence.integers(instruction_ids));
    return {};
  });
}

// --- Computations ---

Status ModuleReader::read_computation(const Message &message) {
  using namespace computation_fields;
  BP_ASSIGN(std::int64_t computation_id, message.integer(id));
  BP_ASSIGN(std::string_view raw_name, message.text(name));
  std::string clean = clean_name(raw_name);
  if (clean.empty()) {
    clean = fmt::format("computation.{}", computations_.size());
  }
  if (!computation_names_.insert(clean).second) {
    return message.error_in(name, "computation {} is defined twice, expected unique names", clean);
  }
  if (computations_.contains(computation_id)) {
    return message.error_in(id, "computation {} has id {} as well, expected unique ids",
                            module_.computation(computations_[computation_id]).name(), computation_id);
  }
  Scope scope;
  scope.computation = module_.add_computation(clean);
  scope.instructions.reserve(message.count(instructions));
  BP_TRY(message.for_each(instructions, [&](const Message &inner) { return read_instruction(inner, scope); }));
  BP_ASSIGN(std::int64_t wanted_root, message.integer(root_id));
  auto root = scope.instructions.find(wanted_root);
  if (root == scope.instructions.end()) {
    return message.error_in(root_id, "no instruction of {} has id {}", clean, wanted_root);
  }
  module_.set_root(scope.computation, root->second);
  BP_TRY(check_parameters(message, scope.computation));
  BP_ASSIGN(auto order, scheduled_order(message, computation_id, scope));
  module_.set_instruction_order(scope.computation, std::move(order));
  BP_ASSIGN(std::string_view thread, message.text(execution_thread));
  module_.set_execution_thread(scope.computation, thread == "main" ? "" : thread);
  computations_.emplace(computation_id, scope.computation);
  return {};
}

// The numbers of the parameters must be 0 to n-1 before they are used as indices.
Status ModuleReader::check_parameters(const Message &message, ir::ComputationId id) {
  std::vector<bool> seen;
  for (ir::Instruction instruction : module_.computation(id).instructions()) {
    if (instruction.opcode() == Opcode::Parameter) {
      seen.push_back(false);
    }
  }
  for (ir::Instruction instruction : module_.computation(id).instructions()) {
    if (instruction.opcode() != Opcode::Parameter) {
      continue;
    }
    std::int64_t number = instruction.parameter_number();
    if (number < 0 || number >= static_cast<std::int64_t>(seen.size())) {
      return message.error("{} is parameter {} of a computation with {}", instruction.name(), number, seen.size());
    }
    if (seen[static_cast<std::size_t>(number)]) {
      return message.error("{} is parameter {}, as another instruction is already", instruction.name(), number);
    }
    seen[static_cast<std::size_t>(number)] = true;
  }
  return {};
}

Result<std::vector<InstructionId>> ModuleReader::scheduled_order(const Message &message, std::int64_t id,
                                                                 const Scope &scope) {
  auto read = module_.computation(scope.computation).instruction_ids();
  auto sequence = schedule_.find(id);
  if (sequence == schedule_.end()) {
    return std::vector<InstructionId>(read.begin(), read.end());
  }
  std::vector<InstructionId> order;
  boost::unordered_flat_set<std::uint32_t> done;
  for (std::int64_t instruction_id : sequence->second) {
    auto found = scope.instructions.find(instruction_id);
    if (found == scope.instructions.end()) {
      return message.error("the schedule has instruction {}, which the computation does not have", instruction_id);
    }
    ir::Instruction instruction = module_.instruction(found->second);
    if (!done.insert(index(instruction.id())).second) {
      return message.error("the schedule has {} twice", instruction.name());
    }
    for (auto list : {instruction.operands(), instruction.control_predecessors()}) {
      for (InstructionId earlier : list) {
        if (!done.contains(index(earlier))) {
          return message.error("the schedule has {} before {}, which it needs", instruction.name(),
                               module_.instruction(earlier).name());
        }
      }
    }
    order.push_back(instruction.id());
  }
  if (order.size() != read.size()) {
    return message.error("the schedule has {} of {} instructions, expected all", order.size(), read.size());
  }
  return order;
}

// --- Instructions ---

Result<std::vector<InstructionId>> ModuleReader::find_instructions(const Message &message, Field field,
                                                                   const Scope &scope) {
  std::vector<InstructionId> found;
  BP_ASSIGN(auto ids, message.integers(field));
  for (std::int64_t id : ids) {
    auto instruction = scope.instructions.find(id);
    if (instruction == scope.instructions.end()) {
      return message.error_in(field, "no instruction before this one has id {}", id);
    }
    found.push_back(instruction->second);
  }
  return found;
}

Status ModuleReader::read_instruction(const Message &message, Scope &scope) {
  using namespace instruction_fields;
  BP_ASSIGN(std::string_view opcode_text, message.text(instruction_fields::opcode));
  auto known = ir::opcode_from_string(opcode_text);
  if (!known) {
    return message.error_in(instruction_fields::opcode, "unknown opcode '{}'", opcode_text);
  }
  const ir::OpInfo &op = ir::info(*known);
  BP_ASSIGN(Message sparsity, message.child(sparsity_config));  // XLA writes an empty one for a dense convolution
  if (!sparsity.is_empty()) {                                   // ignoring it would change the meaning of the program
    return message.error_in(sparsity_config, "{} has sparse operands, expected dense ones", op.text);
  }
  BP_ASSIGN(std::int64_t instruction_id, message.integer(id));
  BP_ASSIGN(Message shape_message, message.child(shape));
  BP_ASSIGN(ir::Shape result_shape, read_shape(shape_message));
  BP_ASSIGN(auto operands, find_instructions(message, operand_ids, scope));
  auto operand_count = static_cast<std::int64_t>(operands.size());
  if (operand_count < op.min_operands || (op.max_operands >= 0 && operand_count > op.max_operands)) {
    return message.error_in(operand_ids, "{} has {} operands, expected {}", op.text, operand_count,
                            op.max_operands == op.min_operands ? fmt::format("{}", op.min_operands)
                            : op.max_operands < 0              ? fmt::format("at least {}", op.min_operands)
                                                  : fmt::format("{} to {}", op.min_operands, op.max_operands));
  }
  // Resolved before this instruction has its id: it cannot be its own predecessor.
  BP_ASSIGN(auto predecessors, find_instructions(message, control_predecessor_ids, scope));
  BP_ASSIGN(std::string_view raw_name, message.text(name));
  InstructionId added =
      module_.add_instruction(scope.computation, op.opcode, result_shape, operands, clean_name(raw_name));
  if (!scope.instructions.emplace(instruction_id, added).second) {
    return message.error_in(id, "{} has id {} as well, expected unique ids",
                            module_.instruction(scope.instructions[instruction_id]).name(), instruction_id);
  }
  has_equal_names_ = has_equal_names_ || !scope.names.insert(raw_name).second || clean_name(raw_name) != raw_name;
  if (!predecessors.empty()) {
    module_.set_control_predecessors(added, predecessors);
  }
  BP_TRY(read_callees(message, added));
  BP_TRY(read_attributes(message, module_, added));
  BP_TRY(read_backend_config(message, added));
  BP_TRY(read_literal_of(message, added));
  BP_ASSIGN(Message metadata_message, message.child(metadata));
  BP_ASSIGN(ir::Metadata from, read_metadata(metadata_message, payloads_));
  if (from != ir::Metadata()) {  // XLA writes empty metadata
    module_.set_metadata(added, std::move(from));
  }
  return {};
}

Status ModuleReader::read_callees(const Message &message, InstructionId id) {
  using namespace instruction_fields;
  std::vector<ir::ComputationId> callees;
  BP_ASSIGN(auto ids, message.integers(called_computation_ids));
  for (std::int64_t callee : ids) {
    auto found = computations_.find(callee);
    if (found == computations_.end()) {
      return message.error_in(called_computation_ids, "no computation before this one has id {}", callee);
    }
    callees.push_back(found->second);
  }
  ir::Instruction instruction = module_.instruction(id);
  const ir::OpInfo &op = instruction.op();
  if (op.opcode == Opcode::While) {
    std::ranges::reverse(callees);  // in XLA the body precedes the condition
  }
  bool continues = op.opcode == Opcode::AsyncUpdate || op.opcode == Opcode::AsyncDone;
  if (continues && callees.empty() && instruction.operand(0).calls().size() == 1) {
    callees.push_back(instruction.operand(0).calls()[0]);
  }
  std::size_t least = 0, most = 0;
  for (const ir::AttributeUse &use : op.attributes) {
    AttributeKind kind = ir::info(use.key).kind;
    least += kind == AttributeKind::Computation && use.required ? 1 : 0;
    most += kind == AttributeKind::Computation ? 1 : kind == AttributeKind::Computations ? callees.size() : 0;
  }
  least = op.opcode == Opcode::Conditional || continues ? 1 : least;
  if (callees.size() < least || callees.size() > most) {
    return message.error_in(called_computation_ids, "{} calls {} computations, expected {}", op.text, callees.size(),
                            least);
  }
  if (!callees.empty()) {
    module_.set_calls(id, callees);
  }
  return {};
}

Status ModuleReader::read_backend_config(const Message &message, InstructionId id) {
  using namespace instruction_fields;
  if (message.has(backend_config_payload)) {
    BP_ASSIGN(Message payload, message.child(backend_config_payload));
    BP_ASSIGN(std::string_view text, read_payload(payload, payloads_));
    module_.set_text(id, ir::AttributeKey::BackendConfig, text);
  }
  return {};
}

Status ModuleReader::read_literal_of(const Message &message, InstructionId id) {
  using namespace instruction_fields;
  ir::Instruction instruction = module_.instruction(id);
  auto takes = [&](ir::AttributeUse use) { return ir::info(use.key).kind == AttributeKind::Literal; };
  bool is_constant = instruction.opcode() == Opcode::Constant;
  if (!message.has(literal)) {
    return is_constant ? message.error("constant {} has no literal", instruction.name()) : Status();
  }
  if (!is_constant && std::ranges::none_of(instruction.op().attributes, takes)) {
    return message.error_in(literal, "{} has a literal, expected none", instruction.op().text);
  }
  BP_ASSIGN(Message inner, message.child(literal));
  BP_ASSIGN(ir::Literal value, read_literal(inner));
  if (is_constant && !same(value.shape(), instruction.shape(), ir::CompareLayout::No)) {
    return message.error_in(literal, "shape {}, expected that of the constant, {}", to_string(value.shape()),
                            to_string(instruction.shape()));
  }
  if (is_constant && value.shape().is_array()) {
    value = value.with_shape(instruction.shape());
  }
  module_.set_literal(id, std::move(value));
  return {};
}

// Returns the nested message of a field, if the field occurs once and is a message.
std::optional<Message> message_in(const Message &message, Field field) {
  if (message.count(field) != 1) {
    return std::nullopt;
  }
  auto inner = message.child(field);
  return inner.ok() ? std::optional(std::move(inner).value()) : std::nullopt;
}

// Whether the message can be a HloModuleProto. In its first field it has a name, where HloProto and HloSnapshot have a
// nested message.
bool has_computations(const Message &message) {
  return message.has(module_fields::computations) && message.has(module_fields::entry_name);
}

Result<ir::Module> read_module_message(const Message &message, const Options &options) {
  ModuleReader reader(message);
  auto module = reader.read();
  if (!module.ok()) {
    return std::move(module).error().at({options.file, 0, 0, {}});
  }
  module->set_source_file(options.file);
  return module;
}

}  // namespace

bool is_hlo_proto(std::string_view bytes) {
  constexpr std::size_t beginning = 4096;
  auto is_control = [](char c) { return c >= 0 && c < ' ' && (c < '\t' || c > '\r'); };
  return bytes.starts_with('\n') && std::ranges::any_of(bytes.substr(0, beginning), is_control);
}

Result<ir::Module> read_module(std::string_view bytes, const Options &options) {
  // The first field of the possible outermost messages is a module, a HloProto or a name.
  auto module = Message::parse(bytes, {nullptr, "HloModuleProto"});
  if (!module.ok()) {
    return std::move(module).error().at({options.file, 0, 0, {}});
  }
  if (auto inside = message_in(*module, snapshot_fields::module)) {
    auto deeper = message_in(*inside, snapshot_fields::module);
    if (deeper && has_computations(*deeper)) {
      BP_ASSIGN(Snapshot snapshot, read_snapshot(bytes, options));
      return std::move(snapshot.module);
    }
    if (has_computations(*inside)) {
      BP_ASSIGN(Message hlo, Message::parse(bytes, {nullptr, "HloProto"}));
      BP_ASSIGN(Message message, hlo.child(snapshot_fields::module));
      return read_module_message(message, options);
    }
  }
  return read_module_message(*module, options);
}

Result<Snapshot> read_snapshot(std::string_view bytes, const Options &options) {
  auto read = [&]() -> Result<Snapshot> {
    BP_ASSIGN(Message message, Message::parse(bytes, {nullptr, "HloSnapshot"}));
    BP_ASSIGN(Message hlo, message.child(snapshot_fields::hlo));
    BP_ASSIGN(Message module_message, hlo.child(snapshot_fields::module));
    Snapshot snapshot;
    BP_ASSIGN(snapshot.module, read_module_message(module_message, options));
    BP_TRY(message.for_each(snapshot_fields::arguments, [&](const Message &inner) -> Status {
      BP_ASSIGN(ir::Literal argument, read_literal(inner));
      snapshot.arguments.push_back(std::move(argument));
      return {};
    }));
    if (message.has(snapshot_fields::result)) {
      BP_ASSIGN(Message inner, message.child(snapshot_fields::result));
      BP_ASSIGN(snapshot.result, read_literal(inner));
    }
    BP_ASSIGN(snapshot.platform, message.text(snapshot_fields::platform));
    return snapshot;
  };
  auto snapshot = read();
  if (!snapshot.ok()) {
    return std::move(snapshot).error().at({options.file, 0, 0, {}});
  }
  return snapshot;
}

}  // namespace bp::import::hlo_proto
