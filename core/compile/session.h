// Session: the state that all steps of one compilation share: the device, the options, the report, and how passes are
// run.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>

#include "core/compile/options.h"
#include "core/compile/passes.h"
#include "core/compile/report.h"
#include "core/host/plugin.h"
#include "core/passes/pass.h"

namespace bp::compile {

// Adds the time for which it exists to a number of seconds.
class Stopwatch {
 public:
  explicit Stopwatch(double &seconds) : seconds_(seconds), start_(std::chrono::steady_clock::now()) {}
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  Stopwatch(const Stopwatch &) = delete;

 private:
  double &seconds_;
  std::chrono::steady_clock::time_point start_;
};

// Not thread-safe.
class Session {
 public:
  Session(std::shared_ptr<const host::Device> for_device, const Options &given);

  const std::shared_ptr<const host::Device> device;
  const Options &options;
  const host::Receiver receiver;    // of the images of this compilation
  const std::int64_t memory_limit;  // maximum bytes for a program; 0: no limit
  Report report;
  bool has_f64 = true;  // whether the device adds numbers of that type
  int pass_count = 0;   // number of passes that changed something

  bool is_enabled(std::string_view pass) const;
  Status check_wanted() const;  // fails if the compilation is to end early
  Status observe(const std::string &name, const ir::Module &module) const;
  Status run_stage(ir::Module &module, passes::Stage stage, passes::PassContext context = {});
  Status run_passes(ir::Module &module, std::span<const passes::Pass> list, passes::PassContext context = {});
};

}  // namespace bp::compile
