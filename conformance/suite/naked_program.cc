#include "conformance/suite/naked_program.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "core/host/diagnostics.h"
#include "core/ir/storage.h"
#include "core/runtime/kernel_program.h"

namespace bp::conformance {
namespace {

constexpr std::byte canary{0xc3};

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

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

Result<GuardedBlock> GuardedBlock::make(std::uint64_t size, std::uint64_t alignment, Place place, std::byte poison) {
  const std::size_t page = page_size();
  if (alignment > page || size > (std::uint64_t{1} << 40)) {
    return make_error(ErrorCode::Unsupported, "{} bytes aligned to {} cannot be guarded", size, alignment);
  }
  GuardedBlock block;
  block.size_ = size;
  block.page_bytes_ = std::max<std::size_t>((size + page - 1) / page, 1) * page;
  void *all = mmap(nullptr, block.page_bytes_ + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) {
    return make_error(ErrorCode::OutOfMemory, "{} guarded bytes cannot be had", size);
  }
  block.pages_ = static_cast<std::byte *>(all) + page;
  mprotect(block.pages_, block.page_bytes_, PROT_READ | PROT_WRITE);
  std::memset(block.pages_, std::to_integer<int>(canary), block.page_bytes_);
  const std::size_t slack = block.page_bytes_ - size;
  const std::size_t step = std::max<std::size_t>(alignment, 1);
  block.data_ = block.pages_ + (place == Place::AtStart ? 0 : slack / step * step);
  std::memset(block.data_, std::to_integer<int>(poison), size);
  return block;
}

GuardedBlock::GuardedBlock(GuardedBlock &&other) noexcept
    : pages_(std::exchange(other.pages_, nullptr)),
      data_(other.data_),
      page_bytes_(other.page_bytes_),
      size_(other.size_) {}

GuardedBlock::~GuardedBlock() {
  if (pages_ != nullptr) {
    munmap(pages_ - page_size(), page_bytes_ + 2 * page_size());
  }
}

bool GuardedBlock::canaries_live() const {
  const auto lives = [](std::byte byte) { return byte == canary; };
  return std::all_of(pages_, data_, lives) && std::all_of(data_ + size_, pages_ + page_bytes_, lives);
}

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
  BP_TRY(program->load(backend, witness.artifacts.back()));
  return program;
}

Status NakedProgram::load(const Backend &backend, std::span<const std::byte> artifact) {
  const auto allocations = image_.view().allocations();
  constant_places_.resize(allocations.size());
  for (const host::ImageConstant &constant : image_.constants()) {
    BP_ASSIGN(GuardedBlock block, GuardedBlock::make(static_cast<std::uint64_t>(constant.shape.byte_size()),
                                                     runtime::block_alignment, GuardedBlock::Place::AtEnd, canary));
    ir::store(constant.literal, constant.shape, block.bytes());
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
  BP_TRY(diagnostics.result(status, backend.name(), "load", image_.module()));
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
      const auto alignment = std::max<std::uint64_t>(allocation.alignment, runtime::block_alignment);
      BP_ASSIGN(GuardedBlock block,
                GuardedBlock::make(allocation.size, alignment, arrangement.place, arrangement.poison));
      places[i] = block.location();
      blocks[i].emplace(std::move(block));
    }
  }
  std::vector<bool> is_donated(allocations.size());
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    if (allocations[i].alias != BP_NONE) {
      places[i] = places[allocations[i].alias];
      is_donated[allocations[i].alias] = true;
    }
  }
  const plugin::Computation entry = image_.view().entry();
  std::vector<std::vector<std::byte>> inputs;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const plugin::Value value = entry.parameters()[static_cast<std::uint32_t>(i)];
    const std::span<std::byte> bytes = blocks[value.allocation()]->bytes().subspan(value.offset(), value.size());
    ir::store(arguments[i], parameters_[i], bytes);
    inputs.emplace_back(bytes.begin(), bytes.end());
  }
  BP_ASSIGN(const GuardedBlock scratch,
            GuardedBlock::make(program_->scratch_size,
                               std::max<std::uint64_t>(program_->scratch_alignment, runtime::block_alignment),
                               arrangement.place, arrangement.poison));
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
    const auto bytes = blocks[value.allocation()]->bytes().subspan(value.offset(), value.size());
    if (!is_donated[value.allocation()] && !std::ranges::equal(bytes, inputs[i])) {
      return make_error(ErrorCode::PluginFailure, "BP-RUN-01: the run has changed input {}, which is not donated", i);
    }
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i] && !blocks[i]->canaries_live()) {
      return make_error(ErrorCode::PluginFailure, "BP-RUN-01: the run has written past the end of allocation {}", i);
    }
  }
  if (!scratch.canaries_live()) {
    return make_error(ErrorCode::PluginFailure, "BP-RUN-01: the run has written past the end of its scratch memory");
  }
  Outputs outputs;
  for (const plugin::Value value : entry.roots()) {
    if (value.has_slice()) {
      const auto *data = reinterpret_cast<const std::byte *>(places[value.allocation()].offset + value.offset());
      outputs.emplace_back(data, data + value.size());
    }
  }
  return outputs;
}

}  // namespace bp::conformance
