// A run with a listener for the device's reports on its instructions (bp.profile/draft-1).
#pragma once

#include <functional>
#include <string_view>

#include "backplane/ext/compiler.h"
#include "backplane/ext/draft/profile.h"

namespace bp::layers {

// Replaces `below` and also provides its other extensions. Must exist, without being moved, until the run is over.
class ListeningRun {
 public:
  // Called from any thread with instruction, track, begin and end in nanoseconds.
  using Record = std::function<void(std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t)>;

  ListeningRun(const bp_run_t *below, Record record) : abi_(*below), below_(below), record_(std::move(record)) {
    abi_.get_extension = &ListeningRun::get_extension;
  }
  ListeningRun(const ListeningRun &) = delete;
  ListeningRun &operator=(const ListeningRun &) = delete;

  const bp_run_t *abi() const { return &abi_; }

 private:
  static const void *get_extension(const bp_run_t *run, const char *id) {
    const bp_run_t *below = reinterpret_cast<const ListeningRun *>(run)->below_;
    return std::string_view(id) == BP_EXT_PROFILE ? &profile : below->get_extension(below, id);
  }
  static void record(const bp_run_t *run, std::uint32_t instr, std::uint32_t track, std::uint64_t begin_ns,
                     std::uint64_t end_ns) {
    reinterpret_cast<const ListeningRun *>(run)->record_(instr, track, begin_ns, end_ns);
  }
  static constexpr bp_run_profile_t profile = {&ListeningRun::record};

  bp_run_t abi_;  // first, because the plugin gets its address
  const bp_run_t *below_;
  Record record_;
};

}  // namespace bp::layers
