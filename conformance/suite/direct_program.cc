#include "conformance/suite/direct_program.h"

#include <algorithm>

#include "conformance/suite/write_trap.h"
#include "core/host/diagnostics.h"
#include "core/ir/storage.h"
#include "core/runtime/kernel_program.h"

namespace bp::conformance {
namespace {

// Keeps the parts from which the program is loaded.
class Witness final : public compile::Observer {
 public:
  Status module(const std::string &, const ir::Module &) override { return {}; }
  Status program(const std::string &, const ir::Module &module, const buffers::Plan &, const host::Image &image,
                 std::span<const std::byte> artifact) override {
    for (ir::InstructionId id : module.entry().parameter_ids()) {
      parameters.push_back(module.instruction(id).shape());
    }
    result = module.entry().root().shape();
    images.push_back(image);
    artifacts.emplace_back(artifact.begin(), artifact.end());
    return {};
  }
  std::vector<Shape> parameters;
  Shape result;
  std::vector<host::Image> images;
  std::vector<std::vector<std::byte>> artifacts;
};

const void *no_extension(const bp_run_t *, const char *) noexcept {
  return nullptr;
}

bp_loc_t at_offset(bp_loc_t place, std::uint64_t offset) {
  return {place.memory, place.offset + offset};
}

}  // namespace

host::HostOptions silent_host() {
  host::HostOptions options;
  options.log = [](std::uint32_t, std::string_view) {};
  return options;
}

Result<std::shared_ptr<const host::Plugin>> load_library(const Subject &subject) {
  return host::Plugin::load(subject.candidate(), host::AfterUse::Unload, subject.layers());
}

Result<DevicePointer> make_device(const std::shared_ptr<const host::Plugin> &library, const Subject &subject,
                                  std::uint32_t instance) {
  host::DeviceOptions options;
  options.instance = instance;
  options.settings = subject.choice().settings;
  options.host = silent_host();
  BP_ASSIGN(std::unique_ptr<host::Device> device,
            host::Device::create(library, subject.device_id(), std::move(options)));
  return DevicePointer(std::move(device));
}

std::uint32_t find_queue(const host::Device &device, std::uint32_t kinds, std::uint32_t choice) {
  const std::uint64_t count = device.queue() == nullptr ? 0 : device.queue()->queue_count;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto queue = static_cast<std::uint32_t>((choice + i) % count);
    if ((device.queue()->queues[queue] & kinds) == kinds) {
      return queue;
    }
  }
  return BP_NONE;
}

bp_command_t copy_command(bp_loc_t to, bp_loc_t from, std::uint64_t size) {
  bp_command_t command{};
  command.kind = BP_COMMAND_COPY;
  command.to = to;
  command.from = from;
  command.size = size;
  return command;
}

Result<std::shared_ptr<const DirectParts>> DirectParts::compile(const DevicePointer &device, const Module &module,
                                                                std::vector<std::string> host_functions) {
  Witness witness;
  compile::Options options;
  options.observer = &witness;
  options.device_only = true;
  options.fold_constants = false;
  options.host_functions = std::move(host_functions);
  BP_ASSIGN(const Compiled compiled, compile::compile(module, device, options));
  if (compiled.executable.program() == nullptr || witness.images.empty()) {
    return std::shared_ptr<const DirectParts>();
  }
  return std::make_shared<const DirectParts>(DirectParts{std::move(witness.images.back()),
                                                         std::move(witness.parameters), std::move(witness.result),
                                                         std::move(witness.artifacts.back())});
}

Result<GuardedBlock> DirectProgram::make_block(std::uint32_t space, std::uint64_t size, std::uint64_t alignment,
                                               const Arrangement &arrangement) const {
  const bool is_on_device = device_->compiler() != nullptr && device_->memory() != nullptr;
  return GuardedBlock::make(is_on_device ? device_.get() : nullptr, space, size, alignment, arrangement.side,
                            arrangement.poison);
}

Result<std::unique_ptr<DirectProgram>> DirectProgram::load(DevicePointer device,
                                                           std::shared_ptr<const DirectParts> parts,
                                                           LoadingPlace *place) {
  const bp_module_t *module = parts->image.module();
  std::span<const std::byte> artifact = parts->artifact;
  if (place != nullptr) {
    const auto bytes = parts->image.bytes();
    place->module.assign(bytes.begin(), bytes.end());
    place->artifact.assign(artifact.begin(), artifact.end());
    module = reinterpret_cast<const bp_module_t *>(place->module.data());
    artifact = place->artifact;
  }
  std::unique_ptr<DirectProgram> program(new DirectProgram(std::move(device), std::move(parts)));
  BP_TRY(program->open(module, artifact));
  return program;
}

Status DirectProgram::open(const bp_module_t *module, std::span<const std::byte> artifact) {
  const host::Image &image = parts_->image;
  const auto allocations = image.view().allocations();
  constants_.resize(allocations.size());
  constant_locations_.resize(allocations.size());
  for (const host::ImageConstant &constant : image.constants()) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(constant.shape.byte_size()));
    ir::store(constant.literal, constant.shape, bytes);
    const bp_allocation_t &allocation = allocations[constant.allocation];
    BP_ASSIGN(GuardedBlock block, make_block(allocation.space, bytes.size(), allocation.alignment, {}));
    BP_TRY(block.write(0, bytes));
    constant_locations_[constant.allocation] = block.location();
    constants_[constant.allocation].emplace(std::move(block));
  }
  if (device_->compiler() == nullptr) {
    BP_ASSIGN(program_, runtime::make_kernel_program(device_, module));
    return {};
  }
  std::vector<std::uint8_t> taken(allocations.size());
  host::Diagnostics diagnostics;
  const bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
    return device_->compiler()->load(device_->abi(), artifact.data(), artifact.size(), constant_locations_.data(),
                                     taken.data(), static_cast<std::uint32_t>(taken.size()), &program_, diag);
  });
  BP_TRY(diagnostics.result(status, device_->id(), "load", image.module()));
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (taken[i] != 0) {
      constants_[i].reset();  // if the program still looks for it there (BP-LOAD-02), it finds nothing
      constant_locations_[i] = {};
    }
  }
  return {};
}

DirectProgram::~DirectProgram() {
  if (program_ != nullptr) {
    program_->destroy(program_);
  }
}

Result<std::unique_ptr<DirectRun>> DirectProgram::prepare(std::span<const Literal> arguments,
                                                          const Arrangement &arrangement) const {
  std::unique_ptr<DirectRun> run(new DirectRun(*this));
  BP_TRY(run->arrange(arguments, arrangement));
  return run;
}

Result<DirectProgram::Outputs> DirectProgram::run(std::span<const Literal> arguments,
                                                  const Arrangement &arrangement) const {
  BP_ASSIGN(const std::unique_ptr<DirectRun> run, prepare(arguments, arrangement));
  BP_TRY(arrangement.is_protected ? run_protected(*run) : start(*run));
  return run->finish();
}

Status DirectProgram::start(const DirectRun &run) const {
  host::Diagnostics diagnostics;
  const bp_status status =
      diagnostics.call([&](const bp_diag_t *diag) { return program_->run(program_, run.abi(), diag); });
  return diagnostics.result(status, device_->id(), "run", parts_->image.module());
}

Status DirectProgram::run_protected(const DirectRun &run) const {
  const std::vector<std::span<std::byte>> pages = run.read_only_pages();
  const WriteTrap trap(pages);
  BP_TRY(start(run));
  for (std::size_t i = 0; i < pages.size(); ++i) {
    if (trap.was_written(i)) {
      return make_error(ErrorCode::PluginFailure,
                        "BP-RUN-01: the run has written to allocation {}, {} (possibly the same bytes)", i,
                        constants_[i] ? "a constant" : "an input that is not donated");
    }
  }
  return {};
}

namespace {

// Fills the gaps that tiles leave after the ends of dimensions: nothing is said about them.
void fill_gaps(const Literal &literal, const Shape &shape, std::byte pattern, std::span<std::byte> stored) {
  if (!shape.is_array() || shape.layout().tiles.empty()) {
    return;
  }
  Literal ones = literal;
  std::ranges::fill(ones.mutable_bytes(), std::byte{0xff});
  std::vector<std::byte> is_element(stored.size());
  ir::store(ones, shape, is_element);
  for (std::size_t i = 0; i < stored.size(); ++i) {
    stored[i] = is_element[i] == std::byte{0} ? pattern : stored[i];
  }
}

}  // namespace

Status DirectRun::arrange(std::span<const Literal> arguments, const DirectProgram::Arrangement &arrangement) {
  const host::Image &image = program_.parts_->image;
  const auto allocations = image.view().allocations();
  blocks_.resize(allocations.size());
  for (std::size_t k = 0; k < allocations.size(); ++k) {
    const std::size_t i = arrangement.is_reversed ? allocations.size() - 1 - k : k;
    const bp_allocation_t &allocation = allocations[i];
    if (allocation.kind != BP_ALLOC_CONSTANT && allocation.alias == BP_NONE) {
      BP_ASSIGN(GuardedBlock block,
                program_.make_block(allocation.space, allocation.size, allocation.alignment, arrangement));
      locations_[i] = block.location();
      blocks_[i].emplace(std::move(block));
    }
  }
  owners_.resize(allocations.size());
  is_donated_.resize(allocations.size());
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    owners_[i] = i;
    if (allocations[i].alias != BP_NONE) {
      owners_[i] = allocations[i].alias;
      locations_[i] = locations_[owners_[i]];
      is_donated_[owners_[i]] = true;
    }
  }
  const plugin::Computation entry = image.view().entry();
  const std::vector<Shape> &parameters = program_.parts_->parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const plugin::Value value = entry.parameters()[static_cast<std::uint32_t>(i)];
    inputs_.emplace_back(value.size());
    ir::store(arguments[i], parameters[i], inputs_.back());
    fill_gaps(arguments[i], parameters[i], arrangement.poison, inputs_.back());
    if (arrangement.has_inputs) {
      BP_TRY(blocks_[value.allocation()]->write(value.offset(), inputs_.back()));
    }
  }
  const bp_program_t &abi = *program_.program_;
  BP_ASSIGN(GuardedBlock scratch,
            program_.make_block(abi.scratch_space, abi.scratch_size, abi.scratch_alignment, arrangement));
  scratch_.emplace(std::move(scratch));
  run_.id = 1;
  run_.allocations = locations_.data();
  run_.allocation_count = locations_.size();
  run_.scratch = abi.scratch_size == 0 ? bp_loc_t{} : scratch_->location();
  run_.get_extension = no_extension;
  return {};
}

std::vector<std::span<std::byte>> DirectRun::read_only_pages() const {
  std::vector<std::span<std::byte>> pages(blocks_.size());
  const auto allocations = program_.parts_->image.view().allocations();
  for (std::size_t i = 0; i < pages.size(); ++i) {
    if (program_.constants_[i]) {
      pages[i] = program_.constants_[i]->pages();
    } else if (blocks_[i] && allocations[i].kind == BP_ALLOC_INPUT && !is_donated_[i]) {
      pages[i] = blocks_[i]->pages();
    }
  }
  return pages;
}

std::vector<bp_command_t> DirectRun::copies_in() const {
  std::vector<bp_command_t> commands;
  const plugin::Computation entry = program_.parts_->image.view().entry();
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const plugin::Value value = entry.parameters()[static_cast<std::uint32_t>(i)];
    commands.push_back(copy_command(at_offset(locations_[value.allocation()], value.offset()),
                                    runtime::host_location(inputs_[i].data()), inputs_[i].size()));
  }
  return commands;
}

std::vector<bp_command_t> DirectRun::copies_out(DirectProgram::Outputs &outputs) const {
  std::vector<bp_command_t> commands;
  for (const plugin::Value value : this->outputs()) {
    outputs.emplace_back(value.size());
    commands.push_back(copy_command(runtime::host_location(outputs.back().data()),
                                    at_offset(locations_[value.allocation()], value.offset()), value.size()));
  }
  return commands;
}

std::vector<plugin::Value> DirectRun::outputs() const {
  std::vector<plugin::Value> values;
  for (const plugin::Value value : program_.parts_->image.view().entry().roots()) {
    if (value.has_slice() && blocks_[owners_[value.allocation()]]) {
      values.push_back(value);
    }
  }
  return values;
}

Result<DirectProgram::Outputs> DirectRun::finish() const {
  const plugin::Computation entry = program_.parts_->image.view().entry();
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const plugin::Value value = entry.parameters()[static_cast<std::uint32_t>(i)];
    BP_ASSIGN(const std::vector<std::byte> after, blocks_[value.allocation()]->read(value.offset(), value.size()));
    if (!is_donated_[value.allocation()] && after != inputs_[i]) {
      return make_error(ErrorCode::PluginFailure, "BP-RUN-01: the run has changed input {}, which is not donated", i);
    }
  }
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    BP_ASSIGN(const bool lives, blocks_[i] ? blocks_[i]->canaries_live() : Result<bool>(true));
    if (!lives) {
      return make_error(ErrorCode::PluginFailure, "BP-RUN-01: the run has written outside of allocation {}", i);
    }
  }
  BP_ASSIGN(const bool scratch_lives, scratch_->canaries_live());
  if (!scratch_lives) {
    return make_error(ErrorCode::PluginFailure, "BP-RUN-01: the run has written outside of its scratch memory");
  }
  DirectProgram::Outputs outputs;
  for (const plugin::Value value : this->outputs()) {
    BP_ASSIGN(std::vector<std::byte> bytes, blocks_[owners_[value.allocation()]]->read(value.offset(), value.size()));
    outputs.push_back(std::move(bytes));
  }
  return outputs;
}

Result<Literal> literal_of(const ir::Shape &shape, std::span<const std::vector<std::byte>> &outputs) {
  if (!shape.is_tuple()) {
    const std::vector<std::byte> &bytes = outputs.front();
    outputs = outputs.subspan(1);
    return ir::load(bytes, shape);
  }
  std::vector<Literal> elements;
  for (const ir::Shape &element : shape.elements()) {
    BP_ASSIGN(Literal literal, literal_of(element, outputs));
    elements.push_back(std::move(literal));
  }
  return Literal::tuple(std::move(elements));
}

std::size_t count_arrays(const ir::Shape &shape) {
  if (!shape.is_tuple()) {
    return 1;
  }
  std::size_t count = 0;
  for (const ir::Shape &element : shape.elements()) {
    count += count_arrays(element);
  }
  return count;
}

}  // namespace bp::conformance
