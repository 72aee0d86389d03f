#include "core/remote/staging.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

#include "plugin_api/cpp/module_view.h"

namespace bp::remote {
namespace {

constexpr std::size_t min_bytes = 4096;
constexpr std::size_t max_idle = 8;
constexpr std::size_t alignment = 64;

thread_local const Segment *segment_in_hand = nullptr;

}  // namespace

Result<std::shared_ptr<Segment>> Staging::take(Worker &worker, std::size_t size) {
  std::vector<std::shared_ptr<Segment>> superfluous;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(idle_, [&](const auto &of) { return of.first != worker.number(); });  // of dead workers
    auto &idle = idle_[worker.number()];
    const auto found = std::ranges::find_if(idle, [&](const auto &segment) { return segment->size() >= size; });
    if (found != idle.end()) {
      std::shared_ptr<Segment> segment = std::move(*found);
      idle.erase(found);
      return segment;
    }
    if (idle.size() > max_idle) {
      superfluous.swap(idle);
    }
  }
  for (const auto &segment : superfluous) {
    worker.unmap(*segment);
  }
  BP_ASSIGN(std::shared_ptr<Segment> made, Segment::make(std::bit_ceil(std::max(size, min_bytes))));
  worker.map(*made);
  return made;
}

void Staging::give_back(std::uint64_t worker, std::shared_ptr<Segment> segment) {
  const std::lock_guard lock(mutex_);
  idle_[worker].push_back(std::move(segment));
}

SegmentInHand::SegmentInHand(const Segment &segment) {
  segment_in_hand = &segment;
}

SegmentInHand::~SegmentInHand() {
  segment_in_hand = nullptr;
}

std::optional<bp_loc_t> SegmentInHand::find(std::uint64_t address) {
  if (segment_in_hand == nullptr) {
    return std::nullopt;
  }
  const auto first = reinterpret_cast<std::uint64_t>(segment_in_hand->data());
  return address >= first && address - first < segment_in_hand->size()
             ? std::optional(bp_loc_t{segment_in_hand->id(), address - first})
             : std::nullopt;
}

StagedCall::StagedCall(const bp_call_t &call) : call_(call) {
  const plugin::Instruction instruction = plugin::ModuleView(call.module).instruction(call.instr);
  operands_ = instruction.operand_count();
  std::unordered_map<const void *, std::size_t> offsets;
  auto add = [&](const void *address, std::size_t size) {
    const auto [place, is_new] = offsets.try_emplace(size == 0 ? nullptr : address, size_);
    values_.push_back({const_cast<void *>(address), size, place->second});
    size_ += is_new ? (size + alignment - 1) / alignment * alignment : 0;
  };
  for (std::uint32_t i = 0; i < operands_; ++i) {
    add(call.operands[i], instruction.operand(i).size());
  }
  for (std::uint32_t i = 0; i < instruction.result_count(); ++i) {
    add(call.results[i], instruction.result(i).size());
  }
}

const bp_call_t *StagedCall::bring(std::byte *to) {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const Value &value = values_[i];
    addresses_.push_back(to + value.offset);
    if (i < operands_ && value.size > 0) {
      std::memcpy(addresses_.back(), value.address, value.size);
    }
  }
  staged_ = {call_.module, call_.instr, 0, addresses_.data(), addresses_.data() + operands_};
  return &staged_;
}

void StagedCall::bring_back() const {
  for (std::size_t i = operands_; i < values_.size(); ++i) {
    if (values_[i].size > 0) {
      std::memcpy(values_[i].address, addresses_[i], values_[i].size);
    }
  }
}

StagedRun::StagedRun(const bp_run_t &run, const bp_module_t &module, std::uint64_t scratch_size,
                     std::span<const bp_loc_t> constants)
    : staged_(run) {
  for (std::uint64_t i = 0; i < run.allocation_count; ++i) {
    const bp_allocation_t none{};
    const auto &allocation = i < module.allocations.count ? *BP_AT(&module, allocations, bp_allocation_t, i) : none;
    if (allocation.kind == BP_ALLOC_CONSTANT) {
      const bool is_elsewhere =
          run.allocations[i].memory == 0 && run.allocations[i].offset != 0 && i < constants.size();
      places_.push_back(is_elsewhere ? constants[i] : run.allocations[i]);
      part_.emplace_back();
      continue;
    }
    const bool is_output = allocation.kind == BP_ALLOC_OUTPUT;
    add(run.allocations[i], allocation.size,
        allocation.kind == BP_ALLOC_INPUT || (is_output && allocation.alias != BP_NONE), is_output);
  }
  add(run.scratch, scratch_size, false, false);
}

void StagedRun::add(bp_loc_t place, std::size_t size, bool is_read, bool is_written) {
  places_.push_back(place);
  part_.emplace_back();
  if (place.memory != 0 || place.offset == 0 || size == 0) {
    return;
  }
  auto *address = reinterpret_cast<std::byte *>(place.offset);
  const auto [offset, is_new] = offsets_.try_emplace(address, size_);
  size_ += is_new ? (size + alignment - 1) / alignment * alignment : 0;
  part_.back() = offset->second;
  parts_.push_back({address, size, offset->second, is_read, is_written});
}

const bp_run_t *StagedRun::bring(const Segment &to) {
  base_ = to.data();
  for (const Part &part : parts_) {
    if (part.is_read) {
      std::memcpy(to.data() + part.offset, part.address, part.size);
    }
  }
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (part_[i].has_value()) {
      places_[i] = {to.id(), *part_[i]};
    }
  }
  staged_.scratch = places_.back();
  staged_.allocations = places_.data();
  return &staged_;
}

void StagedRun::bring_back() const {
  for (const Part &part : parts_) {
    if (part.is_written) {
      std::memcpy(part.address, base_ + part.offset, part.size);
    }
  }
}

}  // namespace bp::remote
