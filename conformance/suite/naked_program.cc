#include "conformance/suite/naked_program.h"

#include <algorithm>

#include "core/host/diagnostics.h"
#include "core/ir/storage.h"
#include "core/runtime/kernel_program.h"

namespace bp::conformance {
namespace {

// Keeps what the program was made of.
class Witness final : public compile::Observer {
 public:
  Status module(const std::string &, const ir::Module &) override { return {}; }
  Status program(const std::string &, const ir::Module &module, const buffers::Plan &, const host::Image &image,
                 std::span<const std::byte> artifact) override {
    for (ir::InstructionId id : module.entry().parameter_ids()) {
      parameters.push_back(module.instruction(id).shape());
    }
    images.push_back(image);
    artifacts.emplace_back(artifact.begin(), artifact.end());
    return {};
  }
  std::vector<Shape> parameters;
  std::vector<host::Image> images;
  std::vector<std::vector<std::byte>> artifacts;
};

const void *no_extension(const bp_run_t *, const char *) noexcept {
  return nullptr;
}

}  // namespace

Result<std::unique_ptr<NakedProgram>> NakedProgram::compile(const Backend &backend, const Module &module) {
  Witness witness;
  compile::Options options;
  options.observer = &witness;
  options.device_only = true;
  options.fold_constants = false;
  BP_ASSIGN(const Compiled compiled, compile::compile(module, backend.device(), options));
  if (compiled.executable.program() == nullptr || witness.images.empty()) {
    return std::unique_ptr<NakedProgram>();
  }
  std::unique_ptr<NakedProgram> program(new NakedProgram);
  program->device_ = backend.device();
  program->image_ = std::move(witness.images.back());
  program->parameters_ = std::move(witness.parameters);
  BP_TRY(program->load(witness.artifacts.back()));
  return program;
}

Result<GuardedBlock> NakedProgram::make_block(std::uint32_t space, std::uint64_t size, std::uint64_t alignment,
                                              const Arrangement &arrangement) const {
  const bool is_on_device = device_->compiler() != nullptr && device_->memory() != nullptr;
  return GuardedBlock::make(is_on_device ? device_.get() : nullptr, space, size, alignment, arrangement.place,
                            arrangement.poison);
}

Status NakedProgram::load(std::span<const std::byte> artifact) {
  const auto allocations = image_.view().allocations();
  constant_places_.resize(allocations.size());
  for (const host::ImageConstant &constant : image_.constants()) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(constant.shape.byte_size()));
    ir::store(constant.literal, constant.shape, bytes);
    const bp_allocation_t &allocation = allocations[constant.allocation];
    BP_ASSIGN(GuardedBlock block, make_block(allocation.space, bytes.size(), allocation.alignment, {}));
    BP_TRY(block.write(0, bytes));
    constant_places_[constant.allocation] = block.location();
    constants_.push_back(std::move(block));
  }
  if (device_->compiler() == nullptr) {
    BP_ASSIGN(program_, runtime::make_kernel_program(device_, image_.module()));
    return {};
  }
  std::vector<std::uint8_t> taken(allocations.size());
  host::Diagnostics diagnostics;
  const bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
    return device_->compiler()->load(device_->abi(), artifact.data(), artifact.size(), constant_places_.data(),
                                     taken.data(), static_cast<std::uint32_t>(taken.size()), &program_, diag);
  });
  BP_TRY(diagnostics.result(status, device_->id(), "load", image_.module()));
  for (std::size_t i = 0; i < taken.size(); ++i) {
    constant_places_[i] = taken[i] != 0 ? bp_loc_t{} : constant_places_[i];
  }
  return {};
}

NakedProgram::~NakedProgram() {
  if (program_ != nullptr) {
    program_->destroy(program_);
  }
}

Result<NakedProgram::Outputs> NakedProgram::run(std::span<const Literal> arguments,
                                                const Arrangement &arrangement) const {
  const auto allocations = image_.view().allocations();
  std::vector<std::optional<GuardedBlock>> blocks(allocations.size());
  std::vector<bp_loc_t> places = constant_places_;
  for (std::size_t k = 0; k < allocations.size(); ++k) {
    const std::size_t i = arrangement.is_reversed ? allocations.size() - 1 - k : k;
    const bp_allocation_t &allocation = allocations[i];
    if (allocation.kind != BP_ALLOC_CONSTANT && allocation.alias == BP_NONE) {
      BP_ASSIGN(GuardedBlock block, make_block(allocation.space, allocation.size, allocation.alignment, arrangement));
      places[i] = block.location();
      blocks[i].emplace(std::move(block));
    }
  }
  // Which allocation's block an output is in.
  std::vector<std::size_t> owner(allocations.size());
  std::vector<bool> is_donated(allocations.size());
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    owner[i] = i;
    if (allocations[i].alias != BP_NONE) {
      owner[i] = allocations[i].alias;
      places[i] = places[owner[i]];
      is_donated[owner[i]] = true;
    }
  }
  const plugin::Computation entry = image_.view().entry();
  std::vector<std::vector<std::byte>> inputs;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const plugin::Value value = entry.parameters()[static_cast<std::uint32_t>(i)];
    inputs.emplace_back(value.size());
    ir::store(arguments[i], parameters_[i], inputs.back());
    BP_TRY(blocks[value.allocation()]->write(value.offset(), inputs.back()));
  }
  BP_ASSIGN(const GuardedBlock scratch,
            make_block(program_->scratch_space, program_->scratch_size, program_->scratch_alignment, arrangement));
  bp_run_t run{};
  run.id = 1;
  run.allocations = places.data();
  run.allocation_count = places.size();
  run.scratch = program_->scratch_size == 0 ? bp_loc_t{} : scratch.location();
  run.get_extension = no_extension;
  host::Diagnostics diagnostics;
  const bp_status status = diagnostics.call([&](const bp_diag_t *diag) { return program_->run(program_, &run, diag); });
  BP_TRY(diagnostics.result(status, device_->id(), "run", image_.module()));

  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const plugin::Value value = entry.parameters()[static_cast<std::uint32_t>(i)];
    BP_ASSIGN(const std::vector<std::byte> after, blocks[value.allocation()]->read(value.offset(), value.size()));
    if (!is_donated[value.allocation()] && after != inputs[i]) {
      return make_error(ErrorCode::PluginFailure, "BP-RUN-01: the run has changed input {}, which is not donated", i);
    }
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    BP_ASSIGN(const bool lives, blocks[i] ? blocks[i]->canaries_live() : Result<bool>(true));
    if (!lives) {
      return make_error(ErrorCode::PluginFailure, "BP-RUN-01: the run has written beside allocation {}", i);
    }
  }
  BP_ASSIGN(const bool scratch_lives, scratch.canaries_live());
  if (!scratch_lives) {
    return make_error(ErrorCode::PluginFailure, "BP-RUN-01: the run has written beside its scratch memory");
  }
  Outputs outputs;
  for (const plugin::Value value : entry.roots()) {
    if (value.has_slice() && blocks[owner[value.allocation()]]) {
      BP_ASSIGN(std::vector<std::byte> bytes, blocks[owner[value.allocation()]]->read(value.offset(), value.size()));
      outputs.push_back(std::move(bytes));
    }
  }
  return outputs;
}

}  // namespace bp::conformance
