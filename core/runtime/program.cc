#include "core/runtime/program.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <map>
#include <utility>

#include "core/host/diagnostics.h"
#include "core/host/loading.h"
#include "core/ir/device_count.h"
#include "core/ir/storage.h"
#include "core/runtime/kernel_program.h"

namespace bp::runtime {
namespace {

// Address of arrays without bytes: aligned, never read.
alignas(block_alignment) std::byte nowhere[block_alignment];

bp_loc_t location_of(const Block &block) {
  return block.size() == 0 ? host_location(nowhere) : block.location();
}

void append_leaves(const ir::Shape &shape, std::vector<const ir::Shape *> &leaves) {
  if (!shape.is_tuple()) {
    leaves.push_back(&shape);
    return;
  }
  for (const ir::Shape &element : shape.elements()) {
    append_leaves(element, leaves);
  }
}

// Returns the arrays among the parameters or results of a computation, with their shapes.
std::vector<Leaf> array_leaves(plugin::Views<plugin::Value> values, const std::vector<const ir::Shape *> &shapes) {
  BP_CHECK(values.size() == shapes.size());
  std::vector<Leaf> leaves;
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    if (shapes[i]->is_array()) {
      plugin::Value value = values[i];
      leaves.push_back({value.allocation(), value.offset(), value.size(), *shapes[i]});
    }
  }
  return leaves;
}

template <class T>
Status check(std::string_view program, std::span<const ir::Shape> parameters, std::span<const T> arguments) {
  if (arguments.size() != parameters.size()) {
    return invalid_input("{} takes {} arguments, but {} were given", program, parameters.size(), arguments.size());
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!same(arguments[i].shape(), parameters[i], ir::CompareLayout::No)) {
      return invalid_input("{}: argument {} has shape {}, expected {}", program, i,
                           to_string(arguments[i].shape(), ir::PrintLayout::Never),
                           to_string(parameters[i], ir::PrintLayout::Never));
    }
  }
  return {};
}

}  // namespace

Status check_arguments(std::string_view program, std::span<const ir::Shape> parameters,
                       std::span<const ir::Literal> arguments) {
  return check(program, parameters, arguments);
}

Status check_arguments(std::string_view program, std::span<const ir::Shape> parameters,
                       std::span<const Value> arguments) {
  return check(program, parameters, arguments);
}

// --- Program ---

Signature signature_of(const ir::Module &module) {
  Signature signature{module.name(), {}, module.entry().root().shape()};
  for (ir::InstructionId id : module.entry().parameter_ids()) {
    signature.parameters.push_back(module.instruction(id).shape());
  }
  if (const Status one_device = ir::check_one_device(module); !one_device.ok()) {
    signature.alone_refusal = one_device.error();
  }
  for (const ir::Computation computation : module.computations()) {
    for (const ir::Instruction i : computation.instructions()) {
      const bool may_call =
          i.opcode() == ir::Opcode::CustomCall || i.opcode() == ir::Opcode::Infeed || i.opcode() == ir::Opcode::Outfeed;
      if (may_call && i.source_line() != 0) {
        signature.calls.emplace(i.name(), i.location());
      }
    }
  }
  return signature;
}

std::shared_ptr<Program> Program::make(std::shared_ptr<const host::Device> device, Signature signature,
                                       host::Image image, bool is_compiled) {
  std::shared_ptr<Program> program(new Program);
  program->is_compiled_ = is_compiled;
  program->device_ = std::move(device);
  program->signature_ = std::move(signature);
  program->image_ = std::move(image);
  program->read_signature();
  return program;
}

Result<std::shared_ptr<const Program>> Program::load(std::shared_ptr<const host::Device> device,
                                                     const ir::Module &module, host::Image image,
                                                     std::span<const std::byte> artifact) {
  auto program = make(std::move(device), signature_of(module), std::move(image), true);
  BP_TRY(program->load_artifact(artifact));
  return std::shared_ptr<const Program>(std::move(program));
}

Result<std::shared_ptr<const Program>> Program::load_and_keep(std::shared_ptr<const host::Device> device,
                                                              Signature signature, host::Image image,
                                                              SharedBytes artifact) {
  auto program = make(std::move(device), std::move(signature), std::move(image), true);
  BP_TRY(program->load_artifact(artifact.bytes()));
  program->artifact_ = std::move(artifact);
  return std::shared_ptr<const Program>(std::move(program));
}

std::shared_ptr<const Program> Program::keep(std::shared_ptr<const host::Device> device, Signature signature,
                                             host::Image image, SharedBytes artifact, Error refusal) {
  signature.refusal = std::move(refusal);
  auto program = make(std::move(device), std::move(signature), std::move(image), true);
  program->constant_locations_.resize(program->image_.view().allocations().size());
  program->artifact_ = std::move(artifact);
  return program;
}

Result<std::shared_ptr<const Program>> Program::load_on(std::shared_ptr<const host::Device> device) const {
  return is_compiled_ ? load_and_keep(std::move(device), signature_, image_, artifact_)
                      : load_kernels(std::move(device), signature_, image_);
}

Status Program::load_artifact(std::span<const std::byte> artifact) {
  BP_ASSIGN(host_calls_, HostCallSites::of(image_.module(), signature_.calls));
  BP_TRY(fill_constants());
  const bp_device_t *abi = device_->abi();
  BP_CHECK(device_->compiler() != nullptr);
  auto count = static_cast<std::uint32_t>(constant_locations_.size());
  std::vector<std::uint8_t> taken(count);
  host::Diagnostics diagnostics;
  const bp_program_t *loaded = nullptr;
  const bp_status status = retry_if_full(*device_, [&] {
    return diagnostics.call([&](const bp_diag_t *diag) {
      const std::lock_guard lock(device_->control_mutex());
      const host::Loading loading(image_.module());
      return device_->compiler()->load(abi, artifact.data(), artifact.size(), constant_locations_.data(), taken.data(),
                                       count, &loaded, diag);
    });
  });
  BP_TRY(diagnostics.result(status, device_->id(), "load", image_.module()));
  BP_TRY(adopt(loaded));
  for (std::uint32_t i = 0; i < count; ++i) {
    if (taken[i] != 0) {
      memory_.constants -= static_cast<std::int64_t>(image_.view().allocations()[i].size);
      constants_[i] = Block();
      constant_locations_[i] = {};
    }
  }
  return {};
}

Result<std::shared_ptr<const Program>> Program::load_kernels(std::shared_ptr<const host::Device> device,
                                                             Signature signature, host::Image image) {
  auto program = make(std::move(device), std::move(signature), std::move(image), false);
  BP_TRY(program->fill_constants());
  BP_ASSIGN(const bp_program_t *loaded, make_kernel_program(program->device_, program->image_.module()));
  BP_TRY(program->adopt(loaded));
  return std::shared_ptr<const Program>(std::move(program));
}

Status Program::adopt(const bp_program_t *loaded) {
  if (loaded != nullptr && loaded->destroy != nullptr) {
    program_ = loaded;  // destroyed in any case, even if functions are missing
  }
  if (program_ == nullptr || loaded->run == nullptr) {
    return make_error(ErrorCode::PluginFailure, "backend {}: load reported success, but its program is incomplete",
                      device_->id());
  }
  if ((loaded->scratch_alignment & (loaded->scratch_alignment - 1)) != 0) {
    return make_error(ErrorCode::PluginFailure, "backend {}: asks for scratch aligned to {}, expected a power of two",
                      device_->id(), loaded->scratch_alignment);
  }
  if (const std::uint64_t spaces = is_on_device() ? device_->memory()->space_count : 1;
      loaded->scratch_space >= spaces) {
    return make_error(ErrorCode::PluginFailure, "backend {}: asks for scratch in space {}, expected one below {}",
                      device_->id(), loaded->scratch_space, spaces);
  }
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  memory_.scratch = static_cast<std::int64_t>(std::min(loaded->scratch_size, most));
  memory_.resident = static_cast<std::int64_t>(std::min(loaded->resident_size, most));
  share_arenas();
  return {};
}

void Program::share_arenas() {
  auto allocations = image_.view().allocations();
  for (const bp_allocation_t &wanted : allocations) {
    const bool is_temporary = wanted.kind == BP_ALLOC_TEMP;
    temporary_kinds_.push_back(is_temporary ? kind_of(wanted.space, wanted.size, wanted.alignment) : BlockKind());
  }
  scratch_kind_ = kind_of(program_->scratch_space, program_->scratch_size, program_->scratch_alignment);
  free_blocks_ = FreeBlocks::of(device_);
  free_blocks_->add_user(temporary_kinds_);
  free_blocks_->add_user({&scratch_kind_, 1});
}

Program::~Program() {
  if (program_ != nullptr) {
    program_->destroy(program_);
  }
  if (free_blocks_ != nullptr) {
    free_blocks_->remove_user(temporary_kinds_);
    free_blocks_->remove_user({&scratch_kind_, 1});
  }
}

void Program::read_signature() {
  std::vector<const ir::Shape *> leaves;
  for (const ir::Shape &shape : signature_.parameters) {
    append_leaves(shape, leaves);
  }
  inputs_ = array_leaves(image_.view().entry().parameters(), leaves);
  leaves.clear();
  append_leaves(signature_.result, leaves);
  outputs_ = array_leaves(image_.view().entry().roots(), leaves);

  std::vector<bool> is_alias(image_.view().allocations().size());
  for (const bp_allocation_t &allocation : image_.view().allocations()) {
    auto size = static_cast<std::int64_t>(allocation.size);
    if (allocation.alias != BP_NONE) {
      is_alias[allocation.alias] = true;
    }
    switch (allocation.kind) {
      case BP_ALLOC_INPUT: memory_.inputs += size; break;
      case BP_ALLOC_OUTPUT: memory_.outputs += allocation.alias == BP_NONE ? size : 0; break;
      case BP_ALLOC_TEMP: memory_.temporaries += size; break;
      default: memory_.constants += size; break;
    }
    const bool is_seen = allocation.kind == BP_ALLOC_INPUT || allocation.kind == BP_ALLOC_OUTPUT;
    if (is_seen && allocation.alias == BP_NONE && !is_addressable(allocation.space)) {
      memory_.staging += size;
    }
  }
  for (const Leaf &leaf : inputs_) {
    donated_.push_back(is_alias[leaf.allocation]);
  }
  find_shared_memory();
}

bool Program::is_addressable(std::uint32_t space) const {
  return !is_on_device() || (device_->memory()->spaces[space].flags & BP_SPACE_HOST_VISIBLE) != 0;
}

Result<Block> Program::allocate(std::uint32_t space, std::uint64_t size, std::size_t alignment) const {
  alignment = std::max(alignment, block_alignment);
  return is_on_device() ? Block::allocate_on(*device_, space, size, alignment) : Block::allocate(size, alignment);
}

BlockKind Program::kind_of(std::uint32_t space, std::uint64_t size, std::size_t alignment) const {
  return {is_on_device(), is_on_device() ? space : 0, size, std::max(alignment, block_alignment)};
}

const std::shared_ptr<Queues> &Program::queues() const {
  std::lock_guard lock(mutex_);
  if (queues_ == nullptr) {
    queues_ = is_compiled_ ? Queues::of(device_) : std::make_shared<Queues>(device_, false);
  }
  return queues_;
}

Status Program::fill_constants() {
  auto allocations = image_.view().allocations();
  constants_.resize(allocations.size());
  constant_locations_.resize(constants_.size());
  for (const host::ImageConstant &constant : image_.constants()) {
    const bp_allocation_t &allocation = allocations[constant.allocation];
    if (constant.is_in_place && !is_on_device()) {
      constant_locations_[constant.allocation] = host_location(constant.literal.bytes().data());
      continue;
    }
    const auto size = static_cast<std::uint64_t>(constant.shape.byte_size());
    BP_ASSIGN(Block block, allocate(allocation.space, size, allocation.alignment));
    if (std::span<std::byte> bytes = block.bytes(); bytes.size() == size) {
      ir::store(constant.literal, constant.shape, bytes);
    } else {
      BP_ASSIGN(Block staging, Block::allocate(size));
      ir::store(constant.literal, constant.shape, staging.bytes());
      BP_TRY(copy(*device_, block.location(), staging.location(), size));
    }
    constant_locations_[constant.allocation] = location_of(block);
    constants_[constant.allocation] = std::move(block);
  }
  return {};
}

Status Program::fill(Arena &arena) const {
  for (std::size_t i = 0; i < temporary_kinds_.size(); ++i) {
    if (temporary_kinds_[i].size > 0) {
      BP_ASSIGN(arena.temporaries[i], free_blocks_->take(temporary_kinds_[i]));
    }
  }
  BP_ASSIGN(arena.scratch, free_blocks_->take(scratch_kind_));
  return {};
}

void Program::give_back(Arena arena) const {
  if (free_blocks_ == nullptr) {
    return;  // it has not run
  }
  for (std::size_t i = 0; i < temporary_kinds_.size(); ++i) {
    free_blocks_->keep(temporary_kinds_[i], std::move(arena.temporaries[i]));
  }
  free_blocks_->keep(scratch_kind_, std::move(arena.scratch));
}

// --- Execution ---

Execution::Execution(std::shared_ptr<const Program> program)
    : program_(std::move(program)),
      locations_(program_->constant_locations_),
      host_(locations_.size()),
      is_given_(locations_.size()),
      stays_(locations_.size()),
      context_(new RunContext{*program_->device_, program_->host_calls_}),
      run_(std::make_unique<bp_run_t>()) {
  // Reserves all elements now, so that allocate() allocates only planned memory.
  arena_.temporaries.resize(locations_.size());
  own_.reserve((program_->is_on_device() ? 2 : 1) * locations_.size());
  if (program_->is_on_device()) {
    in_.reserve(program_->inputs_.size());
    out_.reserve(program_->outputs_.size());
  }
}

Execution Execution::prepare(std::shared_ptr<const Program> program) {
  return Execution(std::move(program));
}

Execution::~Execution() {
  if (program_ == nullptr) {
    return;  // moved from
  }
  if (started_) {
    static_cast<void>(finish());  // the result is no longer of interest
  }
  program_->give_back(std::move(arena_));
}

Status Execution::set(const Leaf &leaf, const void *data, std::string_view what) {
  if (leaf.size == 0) {
    data = nowhere;
  }
  if (data == nullptr || reinterpret_cast<std::uintptr_t>(data) % block_alignment != 0) {
    return invalid_input("{}: {} is at address {}, expected a multiple of {}", program_->name(), what, data,
                         block_alignment);
  }
  host_[leaf.allocation] = static_cast<std::byte *>(const_cast<void *>(data));
  return {};
}

Status Execution::set_input(std::size_t leaf, const void *data) {
  return set(program_->inputs()[leaf], data, fmt::format("input {}", leaf));
}

Status Execution::set_output(std::size_t leaf, void *data) {
  return set(program_->outputs()[leaf], data, fmt::format("output {}", leaf));
}

void Execution::set_device_input(std::size_t leaf, bp_loc_t location) {
  const std::uint32_t allocation = program_->inputs()[leaf].allocation;
  locations_[allocation] = location;
  is_given_[allocation] = true;
}

void Execution::leave_output(std::size_t leaf) {
  stays_[program_->outputs()[leaf].allocation] = true;
}

Block Execution::take_output(std::size_t leaf) {
  const bp_loc_t location = locations_[program_->outputs()[leaf].allocation];
  const auto found = std::ranges::find_if(own_, [&](const Block &block) {
    return block.location().memory == location.memory && block.location().offset == location.offset;
  });
  BP_CHECK(found != own_.end());
  return std::move(*found);
}

// Places an input or output at the caller's address or, for a device with memory of its own, there and at an address
// for the host.
Status Execution::place(std::uint32_t allocation) {
  if (is_given_[allocation]) {
    return {};
  }
  const bp_allocation_t &wanted = program_->image_.view().allocations()[allocation];
  auto own = [&](Block block) {
    own_.push_back(std::move(block));
    return location_of(own_.back());
  };
  if (program_->is_on_device()) {
    BP_ASSIGN(Block block, program_->allocate(wanted.space, wanted.size, wanted.alignment));
    if (host_[allocation] == nullptr && !stays_[allocation] && block.bytes().size() == wanted.size) {
      host_[allocation] = wanted.size == 0 ? nowhere : block.bytes().data();
    }
    locations_[allocation] = own(std::move(block));
  }
  if (host_[allocation] == nullptr && !stays_[allocation]) {
    BP_ASSIGN(Block block, Block::allocate(wanted.size));
    host_[allocation] = reinterpret_cast<std::byte *>(own(std::move(block)).offset);
  }
  if (!program_->is_on_device()) {
    locations_[allocation] = host_location(host_[allocation]);
  }
  return {};
}

Status Execution::allocate() {
  if (program_->signature_.refusal) {
    return Error(*program_->signature_.refusal);
  }
  if (program_->signature_.alone_refusal && (context_->host == nullptr || context_->host->exchange == nullptr)) {
    return Error(*program_->signature_.alone_refusal);
  }
  BP_TRY(program_->fill(arena_));
  auto allocations = program_->image_.view().allocations();
  for (std::uint32_t i = 0; i < allocations.size(); ++i) {
    if (allocations[i].kind == BP_ALLOC_TEMP) {
      locations_[i] = location_of(arena_.temporaries[i]);
    } else if (allocations[i].kind != BP_ALLOC_CONSTANT && allocations[i].alias == BP_NONE) {
      BP_TRY(place(i));
    }
  }
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    if (allocations[i].alias != BP_NONE) {
      locations_[i] = locations_[allocations[i].alias];
      host_[i] = host_[allocations[i].alias];
    }
  }
  find_transfers();
  static std::atomic<std::uint64_t> next_id = 1;
  *run_ = {next_id++, locations_.data(), locations_.size(), arena_.scratch.location(), context_.get(), &run_extension};
  return {};
}

void Execution::find_transfers() {
  if (!program_->is_on_device()) {
    return;
  }
  auto find = [&](const std::vector<Leaf> &leaves, std::vector<Transfer> &transfers) {
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const Leaf &leaf = leaves[i];
      const bp_loc_t location = locations_[leaf.allocation];
      const bool is_same = std::ranges::any_of(own_, [&](const Block &block) {
        return block.location().memory == location.memory && block.bytes().data() == host_[leaf.allocation];
      });
      if (leaf.size > 0 && !is_same && host_[leaf.allocation] != nullptr) {
        transfers.push_back(
            {i, host_location(bytes_of(leaf).data()), {location.memory, location.offset + leaf.offset}, leaf.size});
      }
    }
  };
  find(program_->inputs_, in_);
  find(program_->outputs_, out_);
}

std::vector<bp_command_t> Execution::copies(const std::vector<Transfer> &transfers, bool to_device) const {
  std::vector<bp_command_t> commands;
  for (const Transfer &transfer : transfers) {
    if (!transfer.is_due) {
      continue;
    }
    bp_command_t command{};
    command.kind = BP_COMMAND_COPY;
    command.to = to_device ? transfer.device : transfer.host;
    command.from = to_device ? transfer.host : transfer.device;
    command.size = transfer.size;
    commands.push_back(command);
  }
  return commands;
}

Execution::Transfer *Execution::find(std::vector<Transfer> &transfers, std::size_t leaf) {
  const auto found = std::ranges::find(transfers, leaf, &Transfer::leaf);
  return found == transfers.end() ? nullptr : &*found;
}

void Execution::keep_input(std::size_t leaf) {
  if (Transfer *transfer = find(in_, leaf)) {
    transfer->is_kept = true;
  }
}

void Execution::send_input(std::size_t leaf) {
  if (Transfer *transfer = find(in_, leaf)) {
    transfer->is_due = true;
  }
}

void Execution::keep_output(std::size_t leaf) {
  if (Transfer *transfer = find(out_, leaf)) {
    transfer->is_due = false;
  }
}

Status Execution::fetch_output(std::size_t leaf) {
  const Transfer *transfer = find(out_, leaf);
  return transfer == nullptr ? Status() : copy(*program_->device_, transfer->host, transfer->device, transfer->size);
}

// After a failed run the content of the device's inputs is unknown.
void Execution::note_sent(bool is_sent) {
  for (Transfer &transfer : in_) {
    transfer.is_due = !is_sent || !transfer.is_kept;
  }
}

void Execution::set_host(const interpreter::Options &host) {
  context_->terms = host.terms;
  context_->host = &host;
}

Status Execution::run() {
  context_->begin();
  if (program_->is_compiled_ && program_->device_->queue() != nullptr) {
    BP_TRY(start());
    return finish();
  }
  Status status = outcome(run_here());
  note_sent(status.ok());
  return status;
}

// Returns what a run that ended like this amounts to: a cancelled one says why, and a result that is late is a failure.
Status Execution::outcome(Status done) const {
  if (context_->failure) [[unlikely]] {
    const Error &failure = *context_->failure;
    if (failure.location().line != 0) {
      return failure;
    }
    return Error(failure.code(), fmt::format("{}: {}", program_->name(), failure.message()));
  }
  const Cancellation *cancellation = context_->terms.cancellation.get();
  const bool is_cut_short = !done.ok() && done.error().code() == ErrorCode::Cancelled;
  if (cancellation == nullptr || !(done.ok() ? cancellation->is_late() : is_cut_short)) [[likely]] {
    return done;
  }
  const Status reason = cancellation->check();
  return reason.ok() ? std::move(done)
                     : Error(reason.error().code(), fmt::format("{}: {}", program_->name(), reason.error().message()));
}

Status Execution::run_here() {
  if (context_->terms.cancellation != nullptr) {
    BP_TRY(context_->terms.cancellation->check());
  }
  for (const Transfer &transfer : in_) {
    if (transfer.is_due) {
      BP_TRY(copy(*program_->device_, transfer.device, transfer.host, transfer.size));
    }
  }
  host::Diagnostics diagnostics;
  const bp_status status = diagnostics.call(
      [&](const bp_diag_t *diag) { return program_->program_->run(program_->program_, run_.get(), diag); });
  if (status != BP_OK) [[unlikely]] {
    return diagnostics.result(status, program_->device_->id(), "run", program_->image_.module());
  }
  for (const Transfer &transfer : out_) {
    if (transfer.is_due) {
      BP_TRY(copy(*program_->device_, transfer.host, transfer.device, transfer.size));
    }
  }
  return {};
}

Status Execution::start() {
  BP_CHECK(!started_);
  context_->begin();
  if (context_->within != nullptr && context_->within->is_for(*program_->device_)) {
    return unsupported("{}: a function that a run on {} calls starts a run there, which would wait for the first one",
                       program_->name(), program_->device_->id());
  }
  bp_command_t run{};
  run.kind = BP_COMMAND_RUN;
  run.program = program_->program_;
  run.run = run_.get();
  const Queues &queues = *program_->queues();
  Queue *copying = queues.find(BP_COMMAND_COPY), *running = queues.find(BP_COMMAND_RUN);
  std::vector<Event> before;
  if (std::vector<bp_command_t> commands = copies(in_, true); !commands.empty()) {
    before.push_back(copying->submit(std::move(commands)));
  }
  started_ = running->submit({run}, std::move(before));
  if (std::vector<bp_command_t> commands = copies(out_, false); !commands.empty()) {
    started_ = copying->submit(std::move(commands), {*started_});
  }
  return {};
}

Status Execution::finish() {
  BP_CHECK(started_);
  const Event event = *std::exchange(started_, std::nullopt);
  Status status = outcome(event.wait("run", program_->image_.module()));
  note_sent(status.ok());
  return status;
}

}  // namespace bp::runtime
