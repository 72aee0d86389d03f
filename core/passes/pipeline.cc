#include "core/passes/pipeline.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>

#include "core/ir/verifier.h"

namespace bp::passes {
namespace {

constexpr std::array all_passes{
#define BP_PASS(function, name, summary, ...) Pass{name, summary, function __VA_OPT__(, ) __VA_ARGS__},
#include "core/passes/passes.def"
};

// Once, before all else.
constexpr std::string_view prepare[] = {
    // First: values are then where they are annotated.
    "annotation-removal",
    // Before all that follows, which takes layouts from what it replaces.
    "layout-agreement",
    // So that all else sees through calls.
    "call-inlining",
    // No device knows dynamic dimensions, nor does what follows.
    "dynamic-batch-norm-expansion",
    "dynamic-dimension-expansion",
    // So that equal calls are found to be equal.
    "computation-deduplication",
};

// In rounds: each finds more after the others.
constexpr std::string_view simplify[] = {
    // Control flow: what it leaves is simplified with the rest.
    "loop-simplification",
    "conditional-code-motion",
    // Of what differs in the branches.
    "conditional-sinking",
    "conditional-simplification",
    "dead-parameter-removal",
    "tuple-simplification",
    "zero-sized-elimination",
    // What it moves together becomes one movement, or none.
    "movement-sinking",
    "movement-simplification",
    "slice-simplification",
    "broadcast-sinking",
    "algebraic-simplification",
    // Before the rules for windows, which are then about elements.
    "window-clipping",
    "reduce-simplification",
    "contraction-simplification",
    "indexing-simplification",
    "constant-folding",
    "common-subexpression-elimination",
    // When each value is computed once.
    "dot-merging",
    "loop-invariant-code-motion",
    "tuple-simplification",
    // Last: drops what the others no longer use.
    "dead-code-elimination",
};
constexpr int simplify_rounds = 2;

// In no order that matters: what one makes and the device does not run, the next round expands.
constexpr std::string_view expand[] = {
    "async-expansion",
    "batch-norm-expansion",
    "cholesky-expansion",
    "collective-expansion",
    "complex-expansion",
    "composite-expansion",
    "contraction-upcast",
    "fft-expansion",
    "float-normalization",
    "map-expansion",
    "packed-element-expansion",
    "ragged-dot-expansion",
    "rng-bit-generator-expansion",
    "rng-expansion",
    "scaled-dot-expansion",
    "scan-expansion",
    "shuffle-expansion",
    "stochastic-convert-expansion",
    "topk-expansion",
    "triangular-solve-expansion",
};

constexpr std::string_view layout[] = {
    "layout-assignment",
    // Transposes that became bitcasts, tuples taken apart to copy one element.
    "tuple-simplification",
    "dead-code-elimination",
};

// As above, and along with them. These do not run unless there is a device that wants them.
constexpr std::string_view primitives[] = {
    "convolution-expansion",
    "dot-expansion",
    "elementwise-expansion",
    "function-expansion",
    "fusion-expansion",
    "gather-expansion",
    "layout-expansion",
    "narrow-float-expansion",
    "reduce-expansion",
    "reduce-window-expansion",
    "reverse-expansion",
    "scatter-expansion",
    "select-and-scatter-expansion",
    "small-integer-expansion",
    "sort-expansion",
    "storage-expansion",
    "wide-integer-expansion",
};

constexpr std::string_view fuse[] = {
    // Before fusion: barriers would keep apart what belongs together.
    "barrier-removal",
    "tuple-simplification",
    "dead-code-elimination",
    // Before a reduction is a part of something larger.
    "reduce-splitting",
    "reduce-window-splitting",
    // What was reduced in parts is computed in parts, so that loops take what makes it.
    "reshape-hoisting",
    // Before loops compute the places and take the updates.
    "scatter-sorting",
    // Before loops take what works on their results.
    "contraction-fusion",
    "loop-fusion",
    // Of what is a loop already.
    "fusion-merging",
    // What is left, however little it has in common.
    "horizontal-fusion",
};

constexpr std::string_view finalize[] = {
    "constant-hoisting",
    // A pass that shares computations again would undo it.
    "flatten-call-graph",
    // When all passes that look at reshapes and their like are done, and each computation has memory or has none.
    "bitcast-recognition",
};

// What passes leave behind would slow down all that follow, which keep tables by id. Wishes name instructions by id.
void drop_remains(ir::Module &module, const PassContext &context) {
  if (module.instruction_id_limit() > 4 * module.instruction_count() + 100'000 && context.layout_wishes.empty()) {
    module.compact();
  }
}

}  // namespace

std::span<const Pass> passes() {
  return all_passes;
}

const Pass *find_pass(std::string_view name) {
  auto found = std::ranges::find(all_passes, name, &Pass::name);
  return found == all_passes.end() ? nullptr : &*found;
}

std::span<const std::string_view> stage_passes(Stage stage) {
  static const std::vector<std::string_view> simplify_in_rounds = [] {
    std::vector<std::string_view> names(std::begin(prepare), std::end(prepare));
    for (int round = 0; round < simplify_rounds; ++round) {
      names.insert(names.end(), std::begin(simplify), std::end(simplify));
    }
    return names;
  }();
  switch (stage) {
    case Stage::Simplify: return simplify_in_rounds;
    case Stage::Expand: return expand;
    case Stage::Layout: return layout;
    case Stage::Primitives: return primitives;
    case Stage::Fuse: return fuse;
    case Stage::Finalize: return finalize;
  }
  return {};
}

std::vector<std::string_view> default_passes() {
  std::vector<std::string_view> names;
  for (Stage stage : {Stage::Simplify, Stage::Expand, Stage::Layout, Stage::Fuse, Stage::Finalize}) {
    auto more = stage_passes(stage);
    names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

Status run_passes(ir::Module &module, std::span<const Pass> passes, const PipelineOptions &options) {
  int changes = 0;
  std::map<std::string_view, int> idle_at;  // by pass: the number of changes before it last found nothing to do
  for (const Pass &pass : passes) {
    if (auto idle = idle_at.find(pass.name); idle != idle_at.end() && idle->second == changes) {
      continue;  // the module is the same
    }
    const ir::Module before = options.compare ? module : ir::Module();
    auto start = std::chrono::steady_clock::now();
    Result<bool> changed = pass.run(module, options.context);
    std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (!changed.ok()) {
      return std::move(changed).error().note(fmt::format("in the pass {}", pass.name));
    }
    if (*changed) {
      ++changes;
      drop_remains(module, options.context);
    } else {
      idle_at[pass.name] = changes;
    }
    if (options.verify_between_passes && *changed) {
      if (Status status = ir::verify(module); !status.ok()) {
        return make_error(ErrorCode::Internal, "the pass {} broke the module: {}", pass.name,
                          status.error().to_string());
      }
    }
    if (options.compare && *changed) {
      BP_TRY(options.compare(before, module, pass));
    }
    if (options.after_pass) {
      BP_TRY(options.after_pass(module, {pass.name, *changed, elapsed.count()}));
    }
  }
  module.compact();
  return {};
}

Status run_passes(ir::Module &module, std::span<const std::string_view> names, const PipelineOptions &options) {
  std::vector<Pass> named;
  for (std::string_view name : names) {
    const Pass *pass = find_pass(name);
    if (pass == nullptr) {
      return make_error(ErrorCode::NotFound, "there is no pass '{}'", name);
    }
    named.push_back(*pass);
  }
  return run_passes(module, std::span<const Pass>(named), options);
}

}  // namespace bp::passes
