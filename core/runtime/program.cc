#include "core/runtime/program.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <utility>

#include "core/host/diagnostics.h"
#include "core/ir/storage.h"
#include "core/runtime/kernel_program.h"

namespace bp::runtime {
namespace {

// Where an array without bytes lies: somewhere aligned, never read.
alignas(block_alignment) std::byte nowhere[block_alignment];

bp_loc_t place_of(const void *data) {
  return {0, reinterpret_cast<std::uint64_t>(data)};
}

bool is_set(bp_loc_t place) {
  return place.memory != 0 || place.offset != 0;
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

void append_leaves(const ir::Literal &literal, std::vector<const ir::Literal *> &leaves) {
  if (!literal.shape().is_tuple()) {
    leaves.push_back(&literal);
    return;
  }
  for (const ir::Literal &element : literal.tuple_elements()) {
    append_leaves(element, leaves);
  }
}

// The arrays among the values a computation takes or gives, with their shapes.
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

// Puts leaves back into the tuple they belong to.
ir::Literal nest(const ir::Shape &shape, std::vector<ir::Literal> &arrays, std::size_t &next) {
  if (shape.is_tuple()) {
    std::vector<ir::Literal> elements;
    for (const ir::Shape &element : shape.elements()) {
      elements.push_back(nest(element, arrays, next));
    }
    return ir::Literal::tuple(std::move(elements));
  }
  return shape.is_array() ? std::move(arrays[next++]) : ir::Literal::token();
}

}  // namespace

Status check_arguments(std::string_view program, std::span<const ir::Shape> parameters,
                       std::span<const ir::Literal> arguments) {
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

// --- Program ---

Result<std::shared_ptr<Program>> Program::make(std::shared_ptr<const host::Device> device, const ir::Module &module,
                                               host::Image image) {
  std::shared_ptr<Program> program(new Program);
  program->device_ = std::move(device);
  program->name_ = module.name();
  program->image_ = std::move(image);
  program->read_signature(module);
  BP_TRY(program->fill_constants());
  return program;
}

Result<std::shared_ptr<const Program>> Program::load(std::shared_ptr<const host::Device> device,
                                                     const ir::Module &module, host::Image image,
                                                     std::span<const std::byte> artifact) {
  BP_ASSIGN(auto program, make(std::move(device), module, std::move(image)));
  const bp_device_t *abi = program->device_->abi();
  BP_CHECK(program->device_->compiler() != nullptr);
  auto count = static_cast<std::uint32_t>(program->constant_places_.size());
  std::vector<std::uint8_t> taken(count);
  host::Diagnostics diagnostics;
  const bp_program_t *loaded = nullptr;
  bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
    return program->device_->compiler()->load(abi, artifact.data(), artifact.size(), program->constant_places_.data(),
                                              taken.data(), count, &loaded, diag);
  });
  BP_TRY(diagnostics.result(status, program->device_->id(), "load", program->image_.module()));
  BP_TRY(program->adopt(loaded));
  for (std::uint32_t i = 0; i < count; ++i) {
    if (taken[i] != 0) {
      program->memory_.constants -= static_cast<std::int64_t>(program->constants_[i].size());
      program->constants_[i] = Block();
      program->constant_places_[i] = {};
    }
  }
  return std::shared_ptr<const Program>(std::move(program));
}

Result<std::shared_ptr<const Program>> Program::load_kernels(std::shared_ptr<const host::Device> device,
                                                             const ir::Module &module, host::Image image) {
  BP_ASSIGN(auto program, make(std::move(device), module, std::move(image)));
  BP_ASSIGN(const bp_program_t *loaded, make_kernel_program(program->device_, program->image_.module()));
  BP_TRY(program->adopt(loaded));
  return std::shared_ptr<const Program>(std::move(program));
}

Status Program::adopt(const bp_program_t *loaded) {
  if (loaded != nullptr && loaded->destroy != nullptr) {
    program_ = loaded;  // to be destroyed, even if the rest is missing
  }
  if (program_ == nullptr || loaded->run == nullptr) {
    return make_error(ErrorCode::PluginFailure, "backend {}: load reported success, but gave no whole program",
                      device_->id());
  }
  if ((loaded->scratch_alignment & (loaded->scratch_alignment - 1)) != 0 || loaded->scratch_space != 0) {
    return make_error(ErrorCode::PluginFailure,
                      "backend {}: asks for scratch aligned to {} in space {}, expected a power of two and space 0",
                      device_->id(), loaded->scratch_alignment, loaded->scratch_space);
  }
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  memory_.scratch = static_cast<std::int64_t>(std::min(loaded->scratch_size, most));
  memory_.resident = static_cast<std::int64_t>(std::min(loaded->resident_size, most));
  return {};
}

Program::~Program() {
  if (program_ != nullptr) {
    program_->destroy(program_);
  }
}

void Program::read_signature(const ir::Module &module) {
  std::vector<const ir::Shape *> leaves;
  for (ir::InstructionId id : module.entry().parameter_ids()) {
    parameter_shapes_.push_back(module.instruction(id).shape());
  }
  for (const ir::Shape &shape : parameter_shapes_) {
    append_leaves(shape, leaves);
  }
  inputs_ = array_leaves(image_.view().entry().parameters(), leaves);
  result_shape_ = module.entry().root().shape();
  leaves.clear();
  append_leaves(result_shape_, leaves);
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
  }
  for (const Leaf &leaf : inputs_) {
    donated_.push_back(is_alias[leaf.allocation]);
  }
}

Status Program::fill_constants() {
  constants_.resize(image_.view().allocations().size());
  constant_places_.resize(constants_.size());
  for (const host::ImageConstant &constant : image_.constants()) {
    BP_ASSIGN(Block block, Block::allocate(static_cast<std::uint64_t>(constant.shape.byte_size())));
    ir::store(constant.literal, constant.shape, block.bytes());
    constant_places_[constant.allocation] = block.size() == 0 ? place_of(nowhere) : block.location();
    constants_[constant.allocation] = std::move(block);
  }
  return {};
}

Status Program::fill(Arena &arena) const {
  {
    std::lock_guard lock(mutex_);
    if (!free_arenas_.empty()) {
      arena = std::move(free_arenas_.back());
      free_arenas_.pop_back();
      return {};
    }
  }
  auto allocations = image_.view().allocations();
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    if (allocations[i].kind == BP_ALLOC_TEMP) {
      BP_ASSIGN(arena.temporaries[i],
                Block::allocate(allocations[i].size, std::max<std::size_t>(allocations[i].alignment, block_alignment)));
    }
  }
  BP_ASSIGN(arena.scratch, Block::allocate(program_->scratch_size,
                                           std::max<std::size_t>(program_->scratch_alignment, block_alignment)));
  arena.is_filled = true;
  return {};
}

void Program::give_back(Arena arena) const {
  std::lock_guard lock(mutex_);
  free_arenas_.push_back(std::move(arena));
}

Result<ir::Literal> Program::run(std::span<const ir::Literal> arguments) const {
  BP_TRY(check_arguments(name_, parameter_shapes_, arguments));
  std::vector<const ir::Literal *> given;
  for (const ir::Literal &argument : arguments) {
    append_leaves(argument, given);
  }
  std::erase_if(given, [](const ir::Literal *literal) { return !literal->shape().is_array(); });

  Execution execution = Execution::prepare(shared_from_this());
  std::vector<Block> converted;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (ir::is_stored_as_literal(inputs_[i].shape) && !is_donated(i)) {
      BP_TRY(execution.set_input(i, given[i]->bytes().data()));
      continue;
    }
    BP_ASSIGN(Block block, Block::allocate(inputs_[i].size));
    ir::store(*given[i], inputs_[i].shape, block.bytes());
    BP_TRY(execution.set_input(i, block.bytes().data()));
    converted.push_back(std::move(block));
  }
  // Results are computed in place where the literal looks like the buffer and the buffer is all of an output.
  std::vector<ir::Literal> results;
  std::vector<bool> in_place;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Leaf &leaf = outputs_[i];
    const bp_allocation_t &allocation = image_.view().allocations()[leaf.allocation];
    BP_ASSIGN(ir::Literal literal, ir::Literal::zeros(leaf.shape));
    in_place.push_back(allocation.kind == BP_ALLOC_OUTPUT && allocation.alias == BP_NONE &&
                       allocation.size == leaf.size && ir::is_stored_as_literal(leaf.shape));
    if (in_place.back()) {
      BP_TRY(execution.set_output(i, literal.mutable_bytes().data()));
    }
    results.push_back(std::move(literal));
  }
  BP_TRY(execution.allocate());
  BP_TRY(execution.run());
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (!in_place[i]) {
      ir::load(execution.output(i), outputs_[i].shape, results[i]);
    }
  }
  std::size_t next = 0;
  return nest(result_shape_, results, next);
}

// --- Execution ---

Execution::Execution(std::shared_ptr<const Program> program)
    : program_(std::move(program)), places_(program_->constant_places_) {
  // All the room there will be, so that allocate() takes what is planned and nothing else.
  arena_.temporaries.resize(places_.size());
  own_.reserve(places_.size());
}

Execution Execution::prepare(std::shared_ptr<const Program> program) {
  return Execution(std::move(program));
}

Execution::~Execution() {
  if (program_ != nullptr && arena_.is_filled) {
    program_->give_back(std::move(arena_));
  }
}

Status Execution::set(const Leaf &leaf, const void *data, std::string_view what) {
  if (leaf.size == 0) {
    data = nowhere;
  }
  if (data == nullptr || reinterpret_cast<std::uintptr_t>(data) % block_alignment != 0) {
    return invalid_input("{}: {} lies at address {}, expected a multiple of {}", program_->name(), what, data,
                         block_alignment);
  }
  places_[leaf.allocation] = place_of(data);
  return {};
}

Status Execution::set_input(std::size_t leaf, const void *data) {
  return set(program_->inputs()[leaf], data, fmt::format("input {}", leaf));
}

Status Execution::set_output(std::size_t leaf, void *data) {
  return set(program_->outputs()[leaf], data, fmt::format("output {}", leaf));
}

Status Execution::allocate() {
  BP_TRY(program_->fill(arena_));
  auto place = [](const Block &block) { return block.size() == 0 ? place_of(nowhere) : block.location(); };
  auto allocations = program_->image_.view().allocations();
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    const bp_allocation_t &allocation = allocations[i];
    if (allocation.kind == BP_ALLOC_TEMP) {
      places_[i] = place(arena_.temporaries[i]);
    } else if (allocation.kind != BP_ALLOC_CONSTANT && allocation.alias == BP_NONE && !is_set(places_[i])) {
      BP_ASSIGN(Block block, Block::allocate(allocation.size));
      places_[i] = place(block);
      own_.push_back(std::move(block));
    }
  }
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    if (allocations[i].alias != BP_NONE) {
      places_[i] = places_[allocations[i].alias];
    }
  }
  return {};
}

Status Execution::run() {
  static std::atomic<std::uint64_t> next_id = 1;
  bp_run_t run{};
  run.id = next_id++;
  run.allocations = places_.data();
  run.allocation_count = places_.size();
  run.scratch = arena_.scratch.location();
  run.get_extension = [](const bp_run_t *, const char *) noexcept -> const void * { return nullptr; };
  host::Diagnostics diagnostics;
  bp_status status =
      diagnostics.call([&](const bp_diag_t *diag) { return program_->program_->run(program_->program_, &run, diag); });
  if (status == BP_OK) [[likely]] {
    return {};
  }
  return diagnostics.result(status, program_->device_->id(), "run", program_->image_.module());
}

}  // namespace bp::runtime
