// Checks passes: the interpreter runs the module before and after a pass on the same inputs, and the results must be
// the same.
//
//   PassCheck check({});
//   passes::PipelineOptions options;
//   options.compare = check.compare();
//   Status status = passes::run_passes(module, passes, options);   // stops at the first pass that changes results
//   if (check.failure()) ...
//
// Results must be equal bit for bit, or within the pass's passes::Rounding. Inputs are those of draws.h; a pass with
// rounding is run only on the ordinary draws, for which a bound is meaningful. Results that depend on rng are not
// compared: any numbers of the distribution are right. Modules that the interpreter cannot run, or not within its
// limits, are not compared either; they are counted, with the reason.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/debugging/difference.h"
#include "core/ir/module.h"
#include "core/passes/pipeline.h"

namespace bp::debugging {

struct CheckOptions {
  std::uint64_t seed = 1;
  int draws = 4;  // number of inputs that are tried; see draws.h for how they differ
  // Limits for one run of the interpreter: time, instructions (a loop counts its body each time) and bytes of one
  // value.
  double max_seconds = 20;
  std::int64_t max_steps = 1'000'000;
  std::int64_t max_value_bytes = std::int64_t{1} << 30;
};

// A pass that changes results, or after which the interpreter no longer runs the module.
struct PassFailure {
  std::string pass;
  int draw = 0;
  std::optional<Difference> difference;
  std::string error;  // the interpreter's error, if there is no difference
  ir::Module before, after;
};

// Returns "the pass x changes results: output {1} at [0]: 1 becomes 2, on draw 2 (ordinary and special values) of seed
// 1".
std::string to_string(const PassFailure &failure, const CheckOptions &options);

class PassCheck {
 public:
  explicit PassCheck(const CheckOptions &options) : options_(options) {}

  // For PipelineOptions; the result refers to this object. It fails at the first pass that changes results, with
  // to_string() of the failure.
  passes::Compare compare();

  const std::optional<PassFailure> &failure() const { return failure_; }
  // Number of passes that changed the module and were compared on at least one draw.
  int compared() const { return compared_; }
  // One line per pass that changed the module but could not be compared on any draw.
  const std::vector<std::string> &not_compared() const { return not_compared_; }

 private:
  using Arguments = std::vector<ir::Literal>;

  Status check(const ir::Module &before, const ir::Module &after, const passes::Pass &pass);
  Status prepare(const ir::Module &before);
  Result<ir::Literal> run(const ir::Module &module, std::span<const ir::Literal> arguments) const;
  Result<std::optional<Difference>> difference(const ir::Module &before, const passes::Pass &pass,
                                               const Arguments &arguments, const ir::Literal &expected,
                                               const ir::Literal &result, const Ignored &ignored) const;

  CheckOptions options_;
  // The module compared last and its results: the result of a pass is the input of the next one.
  std::vector<ir::Shape> parameters_;
  std::vector<Arguments> arguments_;           // by draw
  std::vector<Result<ir::Literal>> expected_;  // by draw
  std::string text_;

  std::optional<PassFailure> failure_;
  int compared_ = 0;
  std::vector<std::string> not_compared_;
};

}  // namespace bp::debugging
