#include "core/remote/memory_parameters.h"

#include "plugin_api/cpp/module_view.h"

namespace bp::remote {
namespace {

void write_results(Writer &writer, std::span<const Bytes> results) {
  writer.number(std::uint64_t{results.size()});
  for (const Bytes result : results) {
    writer.content(result);
  }
}

void skip_results(Reader &reader) {
  for (std::size_t i = reader.count(); i > 0 && reader.ok(); --i) {
    reader.content();
  }
}

// The places that a call uses, and the slices of them that it writes and that the caller can address.
struct Uses {
  std::vector<Place> places;
  std::vector<Slice> slices;

  void write(Writer &writer) const {
    write_places(writer, places);
    write_slices(writer, slices);
  }
  void add_slice(const Caller &caller, Slice slice) {
    if (bytes(caller, slice).has_value()) {
      slices.push_back(slice);
    }
  }
  std::optional<Bytes> bytes(const Caller &caller, const Slice &slice) const {
    const bp_loc_t place = places[slice.place].location;
    return place.offset == 0 && place.memory == 0
               ? std::nullopt
               : caller.visible({place.memory, place.offset + slice.offset}, slice.size);
  }
  std::vector<Bytes> results(const Caller &caller) const {
    std::vector<Bytes> results;
    for (const Slice &slice : slices) {
      results.push_back(bytes(caller, slice).value_or(Bytes()));
    }
    return results;
  }
};

Uses uses_of(const Caller &caller, const Copied &copied) {
  Uses uses{{{copied.to, copied.size, Place::Use::Writes}, {copied.from, copied.size, Place::Use::Reads}}, {}};
  uses.add_slice(caller, {0, BP_NONE, 0, copied.size});
  return uses;
}

Uses uses_of(const Caller &caller, const bp_call_t &call) {
  const plugin::Instruction instruction = plugin::ModuleView(call.module).instruction(call.instr);
  Uses uses;
  auto add = [&](const void *address, std::uint64_t size, Place::Use use) {
    uses.places.push_back({{0, reinterpret_cast<std::uint64_t>(address)}, size, use});
  };
  for (std::uint32_t i = 0; i < instruction.operand_count(); ++i) {
    add(call.operands[i], instruction.operand(i).size(), Place::Use::Reads);
  }
  for (std::uint32_t i = 0; i < instruction.result_count(); ++i) {
    add(call.results[i], instruction.result(i).size(), Place::Use::Writes);
    uses.add_slice(caller, {static_cast<std::uint32_t>(uses.places.size() - 1), instruction.result_id(i), 0,
                            instruction.result(i).size()});
  }
  return uses;
}

Place::Use use_of(const bp_allocation_t &allocation) {
  switch (allocation.kind) {
    case BP_ALLOC_INPUT: return Place::Use::Reads;
    case BP_ALLOC_OUTPUT: return allocation.alias == BP_NONE ? Place::Use::Writes : Place::Use::Reads;
    case BP_ALLOC_TEMP: return Place::Use::Writes;
    default: return Place::Use::Constant;
  }
}

// Returns the places of a run: its allocations, then the scratch memory.
Uses uses_of(const Caller &caller, const layers::LayeredProgram &program, const bp_run_t &run) {
  Uses uses;
  const bp_module_t *module = caller.module_of(program);
  for (std::uint64_t i = 0; i < run.allocation_count; ++i) {
    const bool is_known = module != nullptr && i < module->allocations.count;
    const bp_allocation_t *allocation = is_known ? BP_AT(module, allocations, bp_allocation_t, i) : nullptr;
    uses.places.push_back(
        {run.allocations[i], is_known ? allocation->size : 0, is_known ? use_of(*allocation) : Place::Use::Unknown});
  }
  uses.places.push_back({run.scratch, program.abi.scratch_size, Place::Use::Writes});
  if (module != nullptr) {
    for (const plugin::Value root : plugin::ModuleView(module).entry().roots()) {
      if (root.has_slice() && root.allocation() < run.allocation_count && root.size() > 0) {
        uses.add_slice(caller, {root.allocation(), root.id(), root.offset(), root.size()});
      }
    }
  }
  return uses;
}

void write_run(Writer &writer, const layers::LayeredProgram &program, const bp_run_t &run) {
  writer.number(run.id);
  write_module(writer, writer.caller()->module_of(program));
  uses_of(*writer.caller(), program, run).write(writer);
}

// Returns the bytes of a slice as an item of a listing, with the name and type of its value if the module has it.
Item result_item(const bp_module_t *module, const Slice &slice, Bytes bytes) {
  if (module == nullptr || slice.value >= module->values.count) {
    return {"result", {}, true, bytes, 0, 8};
  }
  const plugin::Value value = plugin::ModuleView(module).value(slice.value);
  return {fmt::format("result {}", value.instruction().name()),
          {},
          true,
          bytes,
          value.shape().dtype(),
          value.shape().element_bits()};
}

// Reads what write_results() wrote.
void describe_results(const bp_module_t *module, std::span<const Slice> slices, Reader *out, Listing &listing) {
  if (out == nullptr) {
    return;
  }
  const std::size_t count = out->count();
  for (std::size_t i = 0; i < count && out->ok(); ++i) {
    const Bytes bytes = out->content();
    listing.outputs.push_back(result_item(module, i < slices.size() ? slices[i] : Slice{0, BP_NONE, 0, 0}, bytes));
  }
}

std::vector<Bytes> bytes_of(const Places &places, std::span<const Slice> slices) {
  std::vector<Bytes> bytes;
  for (const Slice &slice : slices) {
    bytes.push_back(places.bytes(slice));
  }
  return bytes;
}

}  // namespace

// --- memory of the device ---

void Allocated::write(Writer &writer) const {
  writer.number(space);
  writer.number(size);
  writer.number(alignment);
}

void Allocated::read_outputs(Reader &reader) const {
  reader.number(out->memory);
  reader.number<std::uint8_t>();
  reader.number(out->address);
}

void Allocated::describe(std::string_view, Reader &in, Reader *out, Listing &listing) {
  listing.in("space", to_text(in.number<std::uint32_t>()));
  listing.in("size", to_text(in.number<std::uint64_t>()));
  listing.in("alignment", to_text(in.number<std::uint32_t>()));
  if (out != nullptr) {
    listing.out("memory", to_text(out->number<std::uint64_t>()), false);
    listing.out("host can address it", out->number<std::uint8_t>() != 0 ? "yes" : "no");
    out->number<std::uint64_t>();
  }
}

Allocated::Frame::Frame(Reader &reader, const Arrival &)
    : space_(reader.number<std::uint32_t>()),
      size_(reader.number<std::uint64_t>()),
      alignment_(reader.number<std::uint32_t>()) {}

void Allocated::Frame::write_outputs(Writer &writer) const {
  writer.number(out_->memory);
  writer.number(static_cast<std::uint8_t>(out_->host != nullptr));
  writer.number(out_->address);
}

void Allocated::Frame::settle(const Arrival &arrival, bool succeeded) const {
  if (succeeded) {
    arrival.objects.add(arrival.made, Piece{{out_->memory, 0}, static_cast<std::byte *>(out_->host), size_});
  }
}

Memory::Frame::Frame(Reader &reader, const Arrival &arrival) {
  const auto id = reader.number<std::uint64_t>();
  const std::optional<Piece> piece = arrival.objects.take_piece(id);
  if (!piece.has_value()) {
    reader.fail(fmt::format("there is no memory {}", id));
  }
  memory = piece.has_value() ? piece->location.memory : 0;
}

// --- copies ---

void Copied::write(Writer &writer) const {
  writer.number(size);
  uses_of(*writer.caller(), *this).write(writer);
}

void Copied::read_outputs(Reader &reader) const {
  skip_results(reader);
}

void Copied::describe(std::string_view, Reader &in, Reader *out, Listing &listing) {
  listing.in("size", to_text(in.number<std::uint64_t>()));
  skip_places(in);
  const std::vector<Slice> slices = read_slices(in);
  describe_results(nullptr, slices, out, listing);
}

Copied::Frame::Frame(const Copied &given, const Caller &caller)
    : to_(given.to), from_(given.from), size_(given.size), results_(uses_of(caller, given).results(caller)) {}

Copied::Frame::Frame(Reader &reader, const Arrival &arrival) : to_(), from_(), size_(reader.number<std::uint64_t>()) {
  places_ = std::make_shared<const Places>(reader, arrival);
  const std::vector<Slice> slices = read_slices(reader);
  if (!places_->has_room(0, size_) || !places_->has_room(1, size_)) {
    reader.fail(fmt::format("a copy of {} bytes, for which there is no room", size_));
    return;
  }
  to_ = places_->location(0);
  from_ = places_->location(1);
  results_ = bytes_of(*places_, slices);
}

void Copied::Frame::write_outputs(Writer &writer) const {
  write_results(writer, results_);
}

// --- kernels ---

void KernelCall::write(Writer &writer) const {
  write_module(writer, call->module);
  writer.number(call->instr);
  uses_of(*writer.caller(), *call).write(writer);
}

void KernelCall::read_outputs(Reader &reader) const {
  skip_results(reader);
}

void KernelCall::describe(std::string_view, Reader &in, Reader *out, Listing &listing) {
  const ArrivedModule module(in);
  const auto instr = in.number<std::uint32_t>();
  skip_places(in);
  const std::vector<Slice> slices = read_slices(in);
  listing.in("module", describe_module(module.get()));
  listing.in("instruction", name_of(module.get(), instr));
  describe_results(module.get(), slices, out, listing);
}

KernelCall::Frame::Frame(const KernelCall &given, const Caller &caller)
    : call_(given.call), results_(uses_of(caller, *given.call).results(caller)) {}

KernelCall::Frame::Frame(Reader &reader, const Arrival &arrival) {
  own_.module = module_.emplace(reader).get();
  own_.instr = reader.number<std::uint32_t>();
  places_.emplace(reader, arrival);
  const std::vector<Slice> slices = read_slices(reader);
  if (own_.module == nullptr || own_.instr >= own_.module->instrs.count) {
    reader.fail("a kernel of no instruction");
    return;
  }
  const plugin::Instruction instruction = plugin::ModuleView(own_.module).instruction(own_.instr);
  const std::uint32_t operands = instruction.operand_count(), results = instruction.result_count();
  for (std::uint32_t i = 0; i < operands + results; ++i) {
    const plugin::Value value = i < operands ? instruction.operand(i) : instruction.result(i - operands);
    if (!places_->has_room(i, value.size())) {
      reader.fail(fmt::format("value {} of the kernel has no room for {} bytes", i, value.size()));
      return;
    }
    addresses_.push_back(reinterpret_cast<void *>(places_->location(i).offset));
  }
  own_.operands = addresses_.data();
  own_.results = addresses_.data() + operands;
  results_ = bytes_of(*places_, slices);
}

void KernelCall::Frame::write_outputs(Writer &writer) const {
  write_results(writer, results_);
}

// --- programs ---

void Loaded::write(Writer &writer) const {
  writer.content(artifact);
  const bp_module_t *module = writer.caller()->module_of(artifact);
  std::vector<Place> places;
  for (std::uint32_t i = 0; i < constants.size(); ++i) {
    const bool is_known = module != nullptr && i < module->allocations.count;
    places.push_back({constants[i], is_known ? BP_AT(module, allocations, bp_allocation_t, i)->size : 0,
                      is_known ? Place::Use::Reads : Place::Use::Unknown});
  }
  write_places(writer, places);
}

void Loaded::read_outputs(Reader &reader) const {
  const std::string_view took = reader.text();
  if (took.size() != constants.size()) {
    reader.fail(fmt::format("{} constants came back of {}", took.size(), constants.size()));
    return;
  }
  std::ranges::copy(took, taken);
  if (reader.number<std::uint8_t>() != 0) {
    auto *made = new bp_program_t{};
    reader.number(made->scratch_size);
    reader.number(made->resident_size);
    reader.number(made->scratch_alignment);
    reader.number(made->scratch_space);
    *program = made;
  }
}

void Loaded::describe(std::string_view, Reader &in, Reader *out, Listing &listing) {
  listing.in("artifact", fmt::format("{} bytes", in.content().size()));
  skip_places(in);
  if (out == nullptr) {
    return;
  }
  std::string taken;
  const std::string_view took = out->text();
  for (std::size_t i = 0; i < took.size(); ++i) {
    taken += took[i] == 0 ? "" : fmt::format("{}{}", taken.empty() ? "" : ", ", i);
  }
  listing.out("constants taken", taken.empty() ? "none" : taken);
  if (out->number<std::uint8_t>() != 0) {
    listing.out("scratch", fmt::format("{} bytes", out->number<std::uint64_t>()), false);
    listing.out("resident", fmt::format("{} bytes", out->number<std::uint64_t>()), false);
    out->number<std::uint32_t>();
    out->number<std::uint32_t>();
  } else {
    listing.out("program", "none");
  }
}

Loaded::Frame::Frame(const Loaded &given, const Caller &)
    : artifact_(given.artifact),
      constants_(given.constants.data()),
      taken_(given.taken),
      count_(static_cast<std::uint32_t>(given.constants.size())),
      program_(given.program) {}

Loaded::Frame::Frame(Reader &reader, const Arrival &arrival)
    : artifact_(arrival.objects.artifact(reader.content())),
      places_(std::make_shared<const Places>(reader, arrival)),
      constants_(places_->locations()),
      own_taken_(places_->size()),
      taken_(own_taken_.data()),
      count_(static_cast<std::uint32_t>(places_->size())) {}

void Loaded::Frame::write_outputs(Writer &writer) const {
  writer.text(std::string_view(reinterpret_cast<const char *>(taken_), count_));
  const bp_program_t *program = *program_;
  writer.number(static_cast<std::uint8_t>(program != nullptr));
  if (program != nullptr) {
    writer.number(program->scratch_size);
    writer.number(program->resident_size);
    writer.number(program->scratch_alignment);
    writer.number(program->scratch_space);
  }
}

void Loaded::Frame::settle(const Arrival &arrival, bool succeeded) const {
  if (succeeded && *program_ != nullptr) {
    arrival.objects.add(arrival.made, LoadedProgram{&layers::layered(*program_), places_, own_taken_});
  }
}

// --- runs ---

ArrivedRun::ArrivedRun(Reader &reader, const Arrival &arrival)
    : module_((reader.number(abi_.id), reader)), places_(reader, arrival), slices_(read_slices(reader)) {
  if (arrival.program == nullptr || places_.size() == 0) {
    reader.fail("a run of no program");
    return;
  }
  const std::size_t count = places_.size() - 1;
  for (std::size_t i = 0; module_.get() != nullptr && i < count; ++i) {
    const auto *allocation = BP_AT(module_.get(), allocations, bp_allocation_t, i);
    if (count != module_.get()->allocations.count || !places_.has_room(i, allocation->size)) {
      reader.fail(fmt::format("allocation {} has no room for {} bytes", i, allocation->size));
      return;
    }
    const bp_loc_t place = places_.location(i);
    if (allocation->kind == BP_ALLOC_CONSTANT && allocation->size > 0 && place.memory == 0 && place.offset == 0 &&
        !arrival.program->has_taken(i)) {
      reader.fail(fmt::format("constant {} is with the program, which has not taken it", i));
      return;
    }
  }
  abi_.allocations = places_.locations();
  abi_.allocation_count = count;
  abi_.scratch = places_.location(count);
  abi_.get_extension = [](const bp_run_t *, const char *) noexcept -> const void * { return nullptr; };
  const bp_program_t &program = arrival.program->program->abi;
  if (!places_.has_room(count, program.scratch_size)) {
    if (abi_.scratch.memory != 0) {
      reader.fail(fmt::format("the program asks for {} bytes of scratch, which the caller does not have",
                              program.scratch_size));
      return;
    }
    scratch_.resize(program.scratch_size);
    abi_.scratch = {0, reinterpret_cast<std::uint64_t>(scratch_.data())};
  }
}

std::vector<Item> ArrivedRun::results() const {
  std::vector<Item> items;
  for (const Slice &slice : slices_) {
    items.push_back(result_item(module_.get(), slice, places_.bytes(slice)));
  }
  return items;
}

void Run::write(Writer &writer) const {
  write_run(writer, program, *run);
}

void Run::read_outputs(Reader &reader) const {
  skip_results(reader);
}

void Run::describe(std::string_view, Reader &in, Reader *out, Listing &listing) {
  const auto id = in.number<std::uint64_t>();
  const ArrivedModule module(in);
  skip_places(in);
  const std::vector<Slice> slices = read_slices(in);
  listing.in("run", to_text(id));
  listing.in("module", describe_module(module.get()));
  describe_results(module.get(), slices, out, listing);
}

Run::Frame::Frame(const Run &given, const Caller &caller)
    : run_(given.run), results_(uses_of(caller, given.program, *given.run).results(caller)) {}

void Run::Frame::write_outputs(Writer &writer) const {
  if (own_ == nullptr) {
    write_results(writer, results_);
    return;
  }
  std::vector<Bytes> results;
  for (const Item &item : own_->results()) {
    results.push_back(item.array);
  }
  write_results(writer, results);
}

// --- submitted commands ---

namespace {

struct ArrivedCommands final : Submitted {
  std::vector<std::unique_ptr<ArrivedRun>> runs;
  std::vector<std::pair<std::unique_ptr<Places>, std::vector<Slice>>> places;
  std::vector<std::shared_ptr<const LoadedProgram>> programs;

  std::vector<Item> results() const override {
    std::vector<Item> items;
    for (const auto &run : runs) {
      std::ranges::move(run->results(), std::back_inserter(items));
    }
    for (const auto &[list, slices] : places) {
      for (const Slice &slice : slices) {
        items.push_back(result_item(nullptr, slice, list->bytes(slice)));
      }
    }
    return items;
  }
};

}  // namespace

void Commands::write(Writer &writer) const {
  writer.number(queue);
  writer.number(done);
  writer.number(std::uint64_t{commands.size()});
  for (const bp_command_t &command : commands) {
    writer.number(command.kind);
    writer.number(command.pattern_size);
    writer.number(command.pattern);
    if (command.kind == BP_COMMAND_RUN) {
      const layers::LayeredProgram &program = layers::layered(command.program);
      writer.number(program.id);
      write_run(writer, program, *command.run);
    } else {
      const bool is_copy = command.kind == BP_COMMAND_COPY;
      Copied(command.to, is_copy ? command.from : bp_loc_t{}, command.size).write(writer);
    }
  }
}

std::vector<Bytes> Commands::results(const Caller &caller) const {
  std::vector<Bytes> of_runs, of_copies;
  for (const bp_command_t &command : commands) {
    if (command.kind == BP_COMMAND_RUN) {
      const Uses uses = uses_of(caller, layers::layered(command.program), *command.run);
      std::ranges::move(uses.results(caller), std::back_inserter(of_runs));
    } else {
      const Uses uses = uses_of(caller, Copied(command.to, command.from, command.size));
      std::ranges::move(uses.results(caller), std::back_inserter(of_copies));
    }
  }
  std::ranges::move(of_copies, std::back_inserter(of_runs));
  return of_runs;
}

void Commands::describe(std::string_view, Reader &in, Reader *, Listing &listing) {
  listing.in("queue", to_text(in.number<std::uint32_t>()));
  listing.in("point", to_text(in.number<bp_point_t>()));
  constexpr std::string_view kinds[] = {"", "run", "copy", "fill"};
  for (std::size_t i = in.count(); i > 0 && in.ok(); --i) {
    const auto kind = in.number<std::uint32_t>();
    in.number<std::uint32_t>();
    in.number<std::uint64_t>();
    Listing command;
    if (kind == BP_COMMAND_RUN) {
      in.number<std::uint64_t>();
      Run::describe("", in, nullptr, command);
    } else {
      Copied::describe("", in, nullptr, command);
    }
    std::string text(kind < std::size(kinds) ? kinds[kind] : "?");
    for (const Item &item : command.inputs) {
      text += " " + item.to_string();
    }
    listing.in("command", text);
  }
}

Commands::Frame::Frame(Reader &reader, const Arrival &arrival)
    : queue_(reader.number<std::uint32_t>()), done_(reader.number<bp_point_t>()) {
  auto arrived = std::make_shared<ArrivedCommands>();
  for (std::size_t i = reader.count(); i > 0 && reader.ok(); --i) {
    bp_command_t command{};
    reader.number(command.kind);
    reader.number(command.pattern_size);
    reader.number(command.pattern);
    if (command.kind == BP_COMMAND_RUN) {
      Arrival run = arrival;
      run.program = arrival.objects.program(reader.number<std::uint64_t>());
      command.run = arrived->runs.emplace_back(std::make_unique<ArrivedRun>(reader, run))->abi();
      command.program = run.program == nullptr ? nullptr : &run.program->program->abi;
      arrived->programs.push_back(run.program);
    } else {
      reader.number(command.size);
      auto places = std::make_unique<Places>(reader, arrival);
      std::vector<Slice> slices = read_slices(reader);
      if (!places->has_room(0, command.size) ||
          (command.kind == BP_COMMAND_COPY && !places->has_room(1, command.size))) {
        reader.fail(fmt::format("a copy of {} bytes, for which there is no room", command.size));
        return;
      }
      command.to = places->location(0);
      command.from = places->location(1);
      arrived->places.emplace_back(std::move(places), std::move(slices));
    }
    commands_.push_back(command);
  }
  if (reader.ok()) {
    arrival.objects.add(done_, std::move(arrived));  // must precede the signal, which may come before the call returns
  }
}

void Commands::Frame::settle(const Arrival &arrival, bool succeeded) const {
  if (!succeeded) {
    arrival.objects.take_submitted(done_);
  }
}

}  // namespace bp::remote
