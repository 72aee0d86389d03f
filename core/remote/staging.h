// Staging: shared memory that holds, for the duration of a call, copies of bytes in the application's own memory.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/remote/client_call.h"
#include "core/remote/worker.h"

namespace bp::remote {

// A call whose memory the worker can address. The copies exist as long as this object.
class StagedCall : public ClientCall {
 public:
  explicit StagedCall(std::shared_ptr<Worker> worker) : worker_(std::move(worker)) {}
  StagedCall(const StagedCall &) = delete;
  StagedCall &operator=(const StagedCall &) = delete;
  ~StagedCall() override;

  Worker &worker() const { return *worker_; }
  // Copies the memory that the call reads to a segment.
  Status stage(std::span<const MemoryUse> uses) override;
  bp_loc_t remote(bp_loc_t location) const override;
  // Copies the memory that the call has written to the addresses in the application.
  void copy_out() const;

 private:
  struct Copy {
    MemoryUse use;
    std::shared_ptr<Segment> segment;
    std::uint64_t offset;
  };

  std::shared_ptr<Worker> worker_;
  std::map<std::uint64_t, Copy> copies_;  // by address
  std::vector<std::shared_ptr<Segment>> segments_;
};

}  // namespace bp::remote
