#include "core/remote/staging.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

#include "plugin_api/cpp/module_view.h"

namespace bp::remote {
namespace {

constexpr std::size_t least_bytes = 4096;
constexpr std::size_t most_idle = 8;
constexpr std::size_t alignment = 64;

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
    if (idle.size() > most_idle) {
      superfluous.swap(idle);
    }
  }
  for (const auto &segment : superfluous) {
    worker.unmap(*segment);
  }
  BP_ASSIGN(std::shared_ptr<Segment> made, Segment::make(std::bit_ceil(std::max(size, least_bytes))));
  worker.map(*made);
  return made;
}

void Staging::give_back(std::uint64_t worker, std::shared_ptr<Segment> segment) {
  const std::lock_guard lock(mutex_);
  idle_[worker].push_back(std::move(segment));
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

}  // namespace bp::remote
