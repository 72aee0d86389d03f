// Staging: shared memory for the time of a call, where the bytes lie that the application has in memory of its own.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "backplane/ext/kernels.h"
#include "core/remote/worker.h"

namespace bp::remote {

// Threads: all functions from any thread.
class Staging {
 public:
  // At least so many bytes that the worker can address.
  Result<std::shared_ptr<Segment>> take(Worker &worker, std::size_t size);
  void give_back(std::uint64_t worker, std::shared_ptr<Segment> segment);

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::vector<std::shared_ptr<Segment>>> idle_;  // by worker
};

// The call of a kernel on copies of its operands. Values that lie in one place do so there, too.
class StagedCall {
 public:
  explicit StagedCall(const bp_call_t &call);
  StagedCall(const StagedCall &) = delete;
  StagedCall &operator=(const StagedCall &) = delete;

  // Of all copies, in bytes.
  std::size_t size() const { return size_; }
  // Copies the operands to so many bytes; the call on them, as long as this lives.
  const bp_call_t *bring(std::byte *to);
  // Copies the results to where they are wanted.
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

}  // namespace bp::remote
