#include "core/remote/staging.h"

#include <algorithm>
#include <cstring>

namespace bp::remote {
namespace {

constexpr std::uint64_t alignment = 64;

}  // namespace

StagedCall::~StagedCall() {
  for (std::shared_ptr<Segment> &segment : segments_) {
    worker_->give_back(std::move(segment));
  }
}

Status StagedCall::stage(std::span<const MemoryUse> uses) {
  std::vector<std::pair<MemoryUse, std::uint64_t>> added;  // with offsets
  std::uint64_t size = 0;
  for (const MemoryUse &use : uses) {
    if (!copies_.contains(use.location.offset)) {
      added.emplace_back(use, size);
      size += (use.size + alignment - 1) / alignment * alignment;
    }
  }
  if (added.empty()) {
    return {};
  }
  BP_ASSIGN(const std::shared_ptr<Segment> segment, worker_->take_segment(size));
  segments_.push_back(segment);
  for (const auto &[use, offset] : added) {
    copies_.emplace(use.location.offset, Copy{use, segment, offset});
    if (use.kind != MemoryUse::Kind::Written) {
      std::memcpy(segment->data() + offset, reinterpret_cast<const void *>(use.location.offset), use.size);
    }
  }
  return {};
}

bp_loc_t StagedCall::remote(bp_loc_t location) const {
  if (location.memory != 0) {
    return location;
  }
  const auto found = copies_.find(location.offset);
  return found == copies_.end() ? bp_loc_t{} : bp_loc_t{found->second.segment->id(), found->second.offset};
}

void StagedCall::copy_out() const {
  for (const auto &[address, copy] : copies_) {
    if (copy.use.kind != MemoryUse::Kind::Read) {
      std::memcpy(reinterpret_cast<void *>(address), copy.segment->data() + copy.offset, copy.use.size);
    }
  }
}

}  // namespace bp::remote
