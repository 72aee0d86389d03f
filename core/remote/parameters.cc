#include "core/remote/parameters.h"

#include <algorithm>

#include "plugin_api/cpp/module_view.h"

namespace bp::remote {

// --- in ---

namespace {

void check_stage(Reader &reader, const ReceivedCall &call, const bp_module_t *module, std::uint32_t expected) {
  if (call.objects != nullptr && module != nullptr && module->stage != expected) {
    reader.fail(fmt::format("the module of the call is of stage {}, expected {}", module->stage, expected));
  }
}

}  // namespace

void Staged::read_request(Reader &reader, ReceivedCall &call) const {
  In::read_request(reader, call);
  check_stage(reader, call, value, stage);
}

void Rewritten::read_request(Reader &reader, ReceivedCall &call) const {
  In::read_request(reader, call);
  // In phase 0 the module is as it was read, of the first stage.
  check_stage(reader, call, value, std::max<std::uint32_t>(phase, BP_STAGE_LEGALIZE));
}

void List::read_request(Reader &reader, ReceivedCall &call) const {
  const std::vector<bp_option_t> &read = read_array<bp_option_t>(reader, *call.arena);
  options = read.data();
  count = static_cast<std::uint32_t>(read.size());
  const auto is_whole = [](const bp_option_t &option) { return option.key != nullptr && option.value != nullptr; };
  if (!std::ranges::all_of(read, is_whole)) {
    reader.fail("a setting of the call has no key or no value, expected texts");
    count = 0;
  }
}

void List::list_request(std::string_view, Listing &listing) const {
  for (const bp_option_t &option : std::span(options, count)) {
    listing.in("set",
               fmt::format("{}={}", Codec<const char *>::text(option.key), Codec<const char *>::text(option.value)));
  }
}

void Instruction::read_request(Reader &reader, ReceivedCall &call) const {
  reader.number(instr);
  if (call.objects != nullptr && module != nullptr && instr >= module->instrs.count) {
    reader.fail(fmt::format("the call is about instruction {}, but the module has {} instructions", instr,
                            module->instrs.count));
  }
}

// --- out ---

void Costs::read_request(Reader &, ReceivedCall &call) const {
  cost_ns = call.arena->make(std::vector<float>(module == nullptr ? 0 : module->instrs.count, NAN)).data();
}

void Costs::read_reply(Reader &reader, ClientCall &call) const {
  const std::vector<float> &read = read_array<float>(reader, call.arena);
  const std::size_t expected = module == nullptr ? 0 : module->instrs.count;
  if (read.size() != expected) {
    reader.fail(fmt::format("the reply has {} costs, expected one for each of {} instructions", read.size(), expected));
    return;
  }
  std::ranges::copy(read, cost_ns);
}

void Costs::list_reply(std::string_view, Listing &listing) const {
  for (std::uint32_t i = 0; module != nullptr && i < module->instrs.count; ++i) {
    listing.out("claim of " + name_of(module, i), std::isnan(cost_ns[i]) ? "not a number"
                                                  : cost_ns[i] < 0       ? "no"
                                                                         : "yes");
  }
}

void Reports::watch(Arena &arena) {
  watched_ = &arena.keep(std::make_shared<host::Diagnostics>(diag));
  diag = watched_->abi();
}

void Reports::write_reply(Writer &writer) const {
  writer.number(std::uint64_t{watched_->reports().size()});
  for (const host::Report &report : watched_->reports()) {
    writer.number(report.status);
    writer.number(report.instruction);
    writer.text(std::string_view(report.message));
  }
}

void Reports::read_reply(Reader &reader, ClientCall &) {
  for (std::size_t i = reader.count(); i > 0 && reader.ok(); --i) {
    const auto status = reader.number<bp_status>();
    const auto instruction = reader.number<std::uint32_t>();
    read_.push_back({status, instruction, std::string(reader.text())});
    if (diag != nullptr) {
      diag->report(diag, status, instruction, read_.back().message.c_str());
    }
  }
}

void Reports::list_reply(std::string_view, Listing &listing) const {
  for (const host::Report &report : read_) {
    listing.out("report", host::printable(report.message), false);
  }
}

void Written::watch(Arena &arena) {
  watched_ = &arena.keep(std::make_shared<layers::Tee>(stream));
  stream = watched_->abi();
}

void Written::write_reply(Writer &writer) const {
  writer.content(std::as_bytes(std::span(watched_->bytes())));
}

void Written::read_reply(Reader &reader, ClientCall &) {
  read_ = reader.content();
  if (stream != nullptr && reader.ok()) {
    stream->write(stream, read_.data(), read_.size());
  }
}

void Written::list_reply(std::string_view name, Listing &listing) const {
  listing.outputs.push_back({std::string(name), {}, is_compared_, read_});
}

void Target::read_reply(Reader &reader, ClientCall &call) {
  target = Codec<const char *>::read(reader, call.arena);
  if (device != nullptr) {
    device->target = target == nullptr ? "" : target;
    device->abi.target = target == nullptr ? nullptr : device->target.c_str();
  }
}

void Table::read_reply(Reader &reader, ClientCall &call) const {
  Extensions unused;
  (call.extensions == nullptr ? unused : *call.extensions).read(reader, id == nullptr ? "" : id);
}

// --- memory ---

void Allocated::write_reply(Writer &writer) const {
  writer.number(out->memory);
  writer.number(static_cast<std::uint8_t>(out->host != nullptr));
  writer.number(out->address);
}

void Allocated::settle(ReceivedCall &call, bool succeeded) const {
  if (succeeded) {
    call.objects->add(call.made, Piece{{out->memory, 0}, static_cast<std::byte *>(out->host), size});
  }
}

void Allocated::read_reply(Reader &reader, ClientCall &) {
  reader.number(out->memory);
  is_visible = reader.number<std::uint8_t>() != 0;
  reader.number(out->address);
}

void Allocated::list_reply(std::string_view, Listing &listing) const {
  listing.out("memory", Codec<std::uint64_t>::text(out->memory), false);
  listing.out("host can address it", is_visible ? "yes" : "no");
}

void Released::read_request(Reader &reader, ReceivedCall &call) const {
  const auto id = reader.number<std::uint64_t>();
  const std::optional<Piece> piece = call.objects == nullptr ? std::nullopt : call.objects->take_piece(id);
  if (call.objects != nullptr && !piece.has_value()) {
    reader.fail(fmt::format("there is no memory {}", id));
  }
  memory = piece.has_value() ? piece->location.memory : id;
}

void Copied::write_request(Writer &writer, ClientCall &call) const {
  writer.number(size);
  write_memory(writer, call, usage_of_copy(to, from, size));
}

void Copied::read_request(Reader &reader, ReceivedCall &call) const {
  reader.number(size);
  const auto &memory = call.arena->keep(std::make_shared<ReceivedMemory>(reader, call));
  to = memory.location(0);
  from = memory.location(1);
  memory.check(reader, usage_of_copy(to, from, size), call);
}

void KernelCall::write_request(Writer &writer, ClientCall &call) const {
  Codec<const bp_module_t *>::write(writer, kernel->module);
  writer.number(kernel->instr);
  write_memory(writer, call, usage_of(*kernel));
}

void KernelCall::read_request(Reader &reader, ReceivedCall &call) const {
  auto &received = call.arena->make<bp_call_t>();
  kernel = &received;
  received.module = Codec<const bp_module_t *>::read(reader, *call.arena);
  reader.number(received.instr);
  const auto &memory = call.arena->keep(std::make_shared<ReceivedMemory>(reader, call));
  if (received.module == nullptr || received.instr >= received.module->instrs.count) {
    reader.fail(received.module == nullptr
                    ? "the call of a kernel has no module"
                    : fmt::format("the call of a kernel is about instruction {}, but the module has {} instructions",
                                  received.instr, received.module->instrs.count));
    return;
  }
  check_stage(reader, call, received.module, BP_STAGE_FINAL);
  const plugin::Instruction instruction = plugin::ModuleView(received.module).instruction(received.instr);
  auto &addresses = call.arena->make<std::vector<void *>>();
  for (std::uint32_t i = 0; i < instruction.operand_count() + instruction.result_count(); ++i) {
    addresses.push_back(reinterpret_cast<void *>(memory.location(i).offset));
  }
  received.operands = addresses.data();
  received.results = addresses.data() + instruction.operand_count();
  memory.check(reader, usage_of(received), call);
}

void KernelCall::list_request(std::string_view, Listing &listing) const {
  listing.in("module", Codec<const bp_module_t *>::text(kernel->module));
  listing.in("instruction", name_of(kernel->module, kernel->instr));
}

// --- programs ---

void Loaded::read_request(Reader &reader, ReceivedCall &call) const {
  const Bytes bytes = call.objects == nullptr ? reader.content() : call.objects->artifact(reader.content());
  artifact = bytes.data();
  size = bytes.size();
}

void Constants::write_request(Writer &writer, ClientCall &call) const {
  const bp_module_t *module = call.module_of(Bytes(static_cast<const std::byte *>(artifact), size));
  write_memory(writer, call, usage_of_constants(module, std::span(constants, count)));
}

void Constants::read_request(Reader &reader, ReceivedCall &call) const {
  call.constants = std::make_shared<const ReceivedMemory>(reader, call);
  constants = call.constants->locations();
  count = static_cast<std::uint32_t>(call.constants->size());
}

void Taken::read_reply(Reader &reader, ClientCall &) const {
  const std::string_view read = reader.text();
  if (read.size() != count) {
    reader.fail(fmt::format("the reply says of {} constants whether they were taken, expected {}", read.size(), count));
    return;
  }
  std::ranges::copy(read, taken);
}

void Taken::list_reply(std::string_view, Listing &listing) const {
  std::string text;
  for (std::uint32_t i = 0; i < count; ++i) {
    text += taken[i] == 0 ? "" : fmt::format("{}{}", text.empty() ? "" : ", ", i);
  }
  listing.out("constants taken", text.empty() ? "none" : text);
}

void Made::settle(ReceivedCall &call, bool succeeded) const {
  if (succeeded && *program != nullptr) {
    call.objects->add(call.made, LoadedProgram{&layers::layered(*program), call.constants, {taken, taken + count}});
  }
}

void Made::read_reply(Reader &reader, ClientCall &call) const {
  const std::vector<bp_program_t> &read = read_array<bp_program_t>(reader, call.arena);
  if (!read.empty()) {
    *program = read.data();
  }
}

void Made::list_reply(std::string_view, Listing &listing) const {
  if (*program == nullptr) {
    listing.out("program", "none");
    return;
  }
  listing.out("scratch", fmt::format("{} bytes", (*program)->scratch_size), false);
  listing.out("resident", fmt::format("{} bytes", (*program)->resident_size), false);
}

void Run::write_request(Writer &writer, ClientCall &call) const {
  const bp_module_t *known = call.module_of(*program);
  writer.number(run->id);
  Codec<const bp_module_t *>::write(writer, call.wants_results ? known : nullptr);
  write_memory(writer, call, usage_of(known, *run, program->abi.scratch_size));
}

void Run::read_request(Reader &reader, ReceivedCall &call) {
  auto &received = call.arena->make<bp_run_t>();
  run = &received;
  received.get_extension = [](const bp_run_t *, const char *) noexcept -> const void * { return nullptr; };
  reader.number(received.id);
  module = Codec<const bp_module_t *>::read(reader, *call.arena);
  check_stage(reader, call, module, BP_STAGE_FINAL);
  const auto &memory = call.arena->keep(std::make_shared<ReceivedMemory>(reader, call));
  const std::size_t count = memory.size() == 0 ? 0 : memory.size() - 1;
  if (reader.ok() && (memory.size() == 0 || (module != nullptr && count != module->allocations.count))) {
    reader.fail(fmt::format("a run has the memory of {} allocations, expected {}", count,
                            module == nullptr ? 0 : module->allocations.count));
  }
  if (reader.ok() && call.objects != nullptr && call.program == nullptr) {
    reader.fail("a run is of a program that was not loaded");
  }
  if (!reader.ok()) {
    return;
  }
  received.allocations = memory.locations();
  received.allocation_count = count;
  received.scratch = memory.location(count);
  const std::uint64_t scratch = call.program == nullptr ? 0 : call.program->program->abi.scratch_size;
  // Another build of the plugin may ask for more scratch memory than was recorded.
  const bool has_scratch = memory.holds(count, scratch);
  memory.check(reader, usage_of(module, received, has_scratch ? scratch : 0), call);
  for (std::size_t i = 0; call.program != nullptr && module != nullptr && i < count; ++i) {
    const auto &allocation = *BP_AT(module, allocations, bp_allocation_t, i);
    const bp_loc_t location = memory.location(i);
    if (allocation.kind == BP_ALLOC_CONSTANT && allocation.size > 0 && location.memory == 0 && location.offset == 0 &&
        !call.program->has_taken(i)) {
      reader.fail(fmt::format("the run leaves constant {} to the program, which has not taken it at load()", i));
    }
  }
  if (!has_scratch && received.scratch.memory != 0) {
    reader.fail(fmt::format("the program asks for {} bytes of scratch memory, the run has less", scratch));
  } else if (!has_scratch) {
    received.scratch = {0, reinterpret_cast<std::uint64_t>(call.arena->make(Block(scratch)).data())};
  }
}

void Run::list_request(std::string_view, Listing &listing) const {
  listing.in("run", Codec<std::uint64_t>::text(run->id));
  listing.in("module", Codec<const bp_module_t *>::text(module));
}

// --- submitted commands ---

void Commands::write_request(Writer &writer, ClientCall &call) const {
  writer.number(std::uint64_t{count});
  for (const bp_command_t &command : std::span(commands, count)) {
    writer.number(command.kind);
    writer.number(command.pattern_size);
    writer.number(command.pattern);
    if (command.kind == BP_COMMAND_RUN) {
      const layers::LayeredProgram &program = layers::layered(command.program);
      const bp_run_t *run = command.run;
      writer.number(program.id);
      Run(&program, run).write_request(writer, call);
    } else {
      writer.number(command.size);
      write_memory(writer, call,
                   command.kind == BP_COMMAND_COPY ? usage_of_copy(command.to, command.from, command.size)
                                                   : usage_of_fill(command.to, command.size));
    }
  }
}

void Commands::read_request(Reader &reader, ReceivedCall &call) {
  auto &received = call.arena->make<std::vector<bp_command_t>>();
  for (std::size_t i = reader.count(); i > 0 && reader.ok(); --i) {
    bp_command_t command{};
    reader.number(command.kind);
    reader.number(command.pattern_size);
    reader.number(command.pattern);
    Listing &list = listed.emplace_back();
    if (command.kind == BP_COMMAND_RUN) {
      const auto id = reader.number<std::uint64_t>();
      call.program = call.objects == nullptr ? nullptr : call.objects->program(id);
      Run run(nullptr, command.run);
      run.read_request(reader, call);
      run.list_request("", list);
      if (call.program != nullptr) {
        command.program = &call.program->program->abi;
        call.arena->keep(std::exchange(call.program, nullptr));
      }
    } else {
      reader.number(command.size);
      const auto &memory = call.arena->keep(std::make_shared<ReceivedMemory>(reader, call));
      const bool is_copy = command.kind == BP_COMMAND_COPY;
      command.to = memory.location(0);
      command.from = is_copy ? memory.location(1) : bp_loc_t{};
      memory.check(
          reader,
          is_copy ? usage_of_copy(command.to, command.from, command.size) : usage_of_fill(command.to, command.size),
          call);
      list.in("size", fmt::format("{}", command.size));
    }
    received.push_back(command);
  }
  commands = received.data();
  count = static_cast<std::uint32_t>(received.size());
  if (reader.ok() && call.objects != nullptr) {
    // Must precede the signal, which may come before the call returns.
    call.objects->add(done, Submitted{call.arena, std::exchange(call.results, {})});
  }
}

void Commands::settle(ReceivedCall &call, bool succeeded) const {
  if (!succeeded) {
    call.objects->take_submitted(done);
  }
}

void Commands::list_request(std::string_view, Listing &listing) const {
  constexpr std::string_view kinds[] = {"", "run", "copy", "fill"};
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t kind = commands[i].kind;
    std::string text = kind < std::size(kinds) ? std::string(kinds[kind]) : fmt::format("of unknown kind {}", kind);
    for (const Item &item : listed[i].inputs) {
      text += " " + item.to_string();
    }
    listing.in("command", text);
  }
}

}  // namespace bp::remote
