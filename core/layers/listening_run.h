// A run with listeners: for the device's reports on its instructions (bp.profile/draft-1), and for what it counts
// (bp.run-counters/draft-1).
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "backplane/ext/compiler.h"
#include "backplane/ext/draft/counters.h"
#include "backplane/ext/draft/profile.h"

namespace bp::layers {

// Replaces `below` and also provides its other extensions; a listener of `below` hears as much as this one. Must exist,
// without being moved, until the run is over.
class ListeningRun {
 public:
  // Called from any thread with instruction, track, begin and end in nanoseconds.
  using Record = std::function<void(std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t)>;
  // Called from any thread with counter, instruction or BP_NONE, and value.
  using Count = std::function<void(std::uint32_t, std::uint32_t, std::uint64_t)>;

  // Either function may be empty.
  ListeningRun(const bp_run_t *below, Record record, Count count = nullptr)
      : abi_(*below),
        below_(below),
        record_(std::move(record)),
        count_(std::move(count)),
        profile_below_(static_cast<const bp_run_profile_t *>(below->get_extension(below, BP_EXT_PROFILE))),
        counters_below_(static_cast<const bp_run_counters_t *>(below->get_extension(below, BP_EXT_RUN_COUNTERS))) {
    abi_.get_extension = &ListeningRun::get_extension;
  }
  ListeningRun(const ListeningRun &) = delete;
  ListeningRun &operator=(const ListeningRun &) = delete;

  const bp_run_t *abi() const { return &abi_; }

 private:
  static const ListeningRun &of(const bp_run_t *run) { return *reinterpret_cast<const ListeningRun *>(run); }
  static const void *get_extension(const bp_run_t *run, const char *id) {
    const ListeningRun &self = of(run);
    if (std::string_view(id) == BP_EXT_PROFILE) {
      return self.record_ || self.profile_below_ != nullptr ? &profile : nullptr;
    }
    if (std::string_view(id) == BP_EXT_RUN_COUNTERS) {
      return self.count_ || self.counters_below_ != nullptr ? &counters : nullptr;
    }
    return self.below_->get_extension(self.below_, id);
  }
  static void record(const bp_run_t *run, std::uint32_t instr, std::uint32_t track, std::uint64_t begin_ns,
                     std::uint64_t end_ns) {
    const ListeningRun &self = of(run);
    if (self.record_) {
      self.record_(instr, track, begin_ns, end_ns);
    }
    if (self.profile_below_ != nullptr) {
      self.profile_below_->record(self.below_, instr, track, begin_ns, end_ns);
    }
  }
  static void count(const bp_run_t *run, std::uint32_t counter, std::uint32_t instr, std::uint64_t value) {
    const ListeningRun &self = of(run);
    if (self.count_) {
      self.count_(counter, instr, value);
    }
    if (self.counters_below_ != nullptr) {
      self.counters_below_->add(self.below_, counter, instr, value);
    }
  }
  static constexpr bp_run_profile_t profile = {&ListeningRun::record};
  static constexpr bp_run_counters_t counters = {&ListeningRun::count};

  bp_run_t abi_;  // first, because the plugin gets its address
  const bp_run_t *below_;
  Record record_;
  Count count_;
  const bp_run_profile_t *profile_below_;
  const bp_run_counters_t *counters_below_;
};

}  // namespace bp::layers
