// Diagnostics: the sink for one call into a plugin (bp_diag), what services of the host answer about that call, and the
// one function in which a plugin's status and reports become a Result.
#pragma once

#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "backplane/module.h"
#include "core/base/result.h"
#include "core/base/shared_bytes.h"
#include "core/host/image.h"

namespace bp::host {

// A plugin's report on an instruction, or on the call as a whole.
struct Report {
  bp_status status = BP_OK;
  std::uint32_t instruction = BP_NONE;  // index in the module of the call
  std::string message;
};

class Diagnostics {
 public:
  // Reports are also passed on to `below`, unless that is nullptr.
  explicit Diagnostics(const bp_diag_t *below = nullptr) : abi_{this, &Diagnostics::report}, below_(below) {}
  Diagnostics(const Diagnostics &) = delete;
  Diagnostics &operator=(const Diagnostics &) = delete;

  // To be passed to the call. Reports may come from any thread.
  const bp_diag_t *abi() const { return &abi_; }

  // Makes the call: function(abi()), which returns a status. An exception, which a plugin must not throw (BP-LAW-04),
  // becomes a report and an internal error.
  template <class Function>
  bp_status call(Function &&function) {
    try {
      return function(abi());
    } catch (const std::exception &error) {
      abi_.report(&abi_, BP_INTERNAL, BP_NONE, (std::string("threw an exception: ") + error.what()).c_str());
    } catch (...) {
      abi_.report(&abi_, BP_INTERNAL, BP_NONE, "threw an exception");
    }
    return BP_INTERNAL;
  }

  // To be called before the call: `heard` gets what the plugin reports of its progress (bp.progress/draft-1), on any
  // thread, and returns whether the result is still wanted.
  void listen(std::function<bool(std::uint64_t done, std::uint64_t total)> heard) { heard_ = std::move(heard); }
  // Passes a report of progress on to the listener of the call that `diag` was passed to. Returns what the plugin is to
  // get: BP_OK or BP_CANCELLED.
  static bp_status progress(const bp_diag_t *diag, std::uint64_t done, std::uint64_t total) noexcept;

  // To be called before the call, which is compile() of this image: the plugin may ask for the contents of its
  // constants (bp.constants/draft-1), on any thread. The image must outlive the call.
  void offer_constants(const Image &image) { offered_ = &image; }
  // Returns what bp_host_constants.content() is to return for the call that `diag` was passed to.
  static bp_status constant(const bp_diag_t *diag, std::uint32_t allocation, const void **data,
                            std::uint64_t *size) noexcept;

  // The reports, after the call.
  const std::vector<Report> &reports() const { return reports_; }

  // Returns success, or an error: "plugin acme: run: out of memory: <first report>", with the other reports as notes.
  // The first report is the first one with this status: earlier ones, such as the reasons why other instructions are
  // declined, are not the cause. `who` names the plugin, `what` the call. If there is a module, instructions are named.
  // An unknown status counts as an internal error.
  Status result(bp_status status, std::string_view who, std::string_view what,
                const bp_module_t *module = nullptr) const;
  // Returns the same as result() above; the error also has the source location of the instruction that the first report
  // is about. `image` was built from `module`.
  Status result(bp_status status, std::string_view who, std::string_view what, const Image &image,
                const ir::Module &module) const;

 private:
  std::vector<Report> causes_first(bp_status status) const;
  static void report(const bp_diag_t *diag, bp_status status, std::uint32_t instruction, const char *message) noexcept;
  // Returns the first receiver of the call for which has(receiver) holds: a layer may have put one of its own in front.
  // Returns nullptr if there is none.
  template <class Has>
  static Diagnostics *find(const bp_diag_t *diag, Has &&has) {
    while (diag != nullptr && diag->report == &Diagnostics::report) {
      auto &self = *static_cast<Diagnostics *>(diag->ctx);
      if (has(self)) {
        return &self;
      }
      diag = self.below_;
    }
    return nullptr;
  }
  bp_status constant(std::uint32_t allocation, const void **data, std::uint64_t *size);

  bp_diag_t abi_;
  const bp_diag_t *below_;
  std::function<bool(std::uint64_t, std::uint64_t)> heard_;
  const Image *offered_ = nullptr;
  std::mutex mutex_;
  std::vector<Report> reports_;
  std::mutex content_mutex_;
  std::map<std::uint32_t, SharedBytes> contents_;  // by allocation: those that were asked for
};

// Returns the name, such as "out of memory"; for unknown statuses a text with the number.
std::string status_name(bp_status status);
// Returns what a failure with this status is; `otherwise` if the status says no more than that it failed.
ErrorCode error_code(bp_status status, ErrorCode otherwise);

// Makes text from a plugin suitable for a terminal and a log: control bytes become spaces, the length is limited.
std::string printable(std::string_view text);

}  // namespace bp::host
