// Staging: shared memory that holds, for the duration of a call, copies of bytes in the application's own memory.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "backplane/ext/compiler.h"
#include "backplane/ext/kernels.h"
#include "core/remote/worker.h"

namespace bp::remote {

// Threads: all functions may be called from any thread.
class Staging {
 public:
  // Returns a segment of at least `size` bytes that the worker can address.
  Result<std::shared_ptr<Segment>> take(Worker &worker, std::size_t size);
  void give_back(std::uint64_t worker, std::shared_ptr<Segment> segment);

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::vector<std::shared_ptr<Segment>>> idle_;  // by worker
};

// Sets, for its lifetime, the segment that the call on this thread works on.
class SegmentInHand {
 public:
  explicit SegmentInHand(const Segment &segment);
  SegmentInHand(const SegmentInHand &) = delete;
  SegmentInHand &operator=(const SegmentInHand &) = delete;
  ~SegmentInHand();

  // Returns the location by which the worker knows an address in this thread's segment; nullopt for other addresses.
  static std::optional<bp_loc_t> find(std::uint64_t address);
};

// The call of a kernel on copies of its operands. Values that have the same address share one copy.
class StagedCall {
 public:
  explicit StagedCall(const bp_call_t &call);
  StagedCall(const StagedCall &) = delete;
  StagedCall &operator=(const StagedCall &) = delete;

  // Returns the number of bytes of all copies.
  std::size_t size() const { return size_; }
  // Copies the operands to `to`, which must have size() bytes. Returns the call on the copies; it lives as long as this
  // object.
  const bp_call_t *bring(std::byte *to);
  // Copies the results to the addresses in the original call.
  void bring_back() const;

 private:
  struct Value {
    void *address;
    std::size_t size, offset;
  };

  const bp_call_t &call_;
  std::uint32_t operands_;
  std::vector<Value> values_;  // operands, then results
  std::size_t size_ = 0;
  std::vector<void *> addresses_;
  bp_call_t staged_{};
};

// A run on copies of the allocations that are in the application's memory. Their sizes are taken from the module.
class StagedRun {
 public:
  // `constants` has the locations of the constants, by allocation.
  StagedRun(const bp_run_t &run, const bp_module_t &module, std::uint64_t scratch_size,
            std::span<const bp_loc_t> constants);
  StagedRun(const StagedRun &) = delete;
  StagedRun &operator=(const StagedRun &) = delete;

  // Whether there is anything to copy.
  bool is_needed() const { return size_ > 0; }
  std::size_t size() const { return size_; }
  const bp_run_t *bring(const Segment &to);
  void bring_back() const;

 private:
  struct Part {
    std::byte *address;
    std::size_t size, offset;
    bool is_read, is_written;
  };
  void add(bp_loc_t place, std::size_t size, bool is_read, bool is_written);

  std::vector<Part> parts_;
  std::map<const std::byte *, std::size_t> offsets_;
  std::size_t size_ = 0;
  const std::byte *base_ = nullptr;
  std::vector<bp_loc_t> places_;                  // by allocation, then the scratch memory
  std::vector<std::optional<std::size_t>> part_;  // by place: the offset of its copy, if it is copied
  bp_run_t staged_;
};

}  // namespace bp::remote
