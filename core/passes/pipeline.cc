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

// Passes that run once, before all others.
constexpr PassFunction prepare_passes[] = {
    // First, because values then have the layouts that annotations ask for.
    annotation_removal,
    // Before all passes below, which copy layouts from the instructions that they replace.
    layout_agreement,
    // So that all other passes see through calls.
    call_inlining,
    // Neither devices nor the passes below support dynamic dimensions.
    dynamic_batch_norm_expansion,
    dynamic_dimension_expansion,
    // So that calls of equal computations are found to be equal.
    computation_deduplication,
};

// Passes that run `simplify_rounds` times, because each finds more to do after the others.
constexpr PassFunction simplify_passes[] = {
    // Control flow first: the instructions that it leaves are simplified with the rest.
    loop_simplification,
    conditional_code_motion,
    // For the parts that differ between the branches.
    conditional_sinking,
    conditional_simplification,
    dead_parameter_removal,
    tuple_simplification,
    zero_sized_elimination,
    // The movements that it brings together are then merged or removed.
    movement_sinking,
    movement_simplification,
    slice_simplification,
    broadcast_sinking,
    algebraic_simplification,
    // Before the rules for windows, which then see only window positions that hold elements.
    window_clipping,
    reduce_simplification,
    contraction_simplification,
    indexing_simplification,
    constant_folding,
    common_subexpression_elimination,
    // When each value is computed only once.
    dot_merging,
    loop_invariant_code_motion,
    tuple_simplification,
    // Last: drops what the others no longer use.
    dead_code_elimination,
};
constexpr int simplify_rounds = 2;

// Their order does not matter: an op that a pass adds and the device does not run is expanded the next time.
constexpr PassFunction expand_passes[] = {
    top_k_call_expansion,
    async_expansion,
    batch_norm_expansion,
    cholesky_expansion,
    collective_expansion,
    complex_expansion,
    composite_expansion,
    contraction_upcast,
    eigh_expansion,
    fft_expansion,
    float_normalization,
    hessenberg_expansion,
    lapack_expansion,
    lu_expansion,
    map_expansion,
    packed_element_expansion,
    qr_expansion,
    ragged_dot_expansion,
    rng_bit_generator_expansion,
    rng_expansion,
    scaled_dot_expansion,
    scan_expansion,
    shuffle_expansion,
    stochastic_convert_expansion,
    svd_expansion,
    topk_expansion,
    triangular_solve_expansion,
    tridiagonal_solve_expansion,
};

constexpr PassFunction layout_passes[] = {
    layout_assignment,
    // Handles transposes that became bitcasts, and tuples taken apart to copy one element.
    tuple_simplification,
    dead_code_elimination,
};

constexpr PassFunction normalize_passes[] = {
    // Before fusion, which knows row-major arrays only.
    layout_normalization,
};

// Passes that run together with expand_passes, also in any order, but only for a device that asks for them.
constexpr PassFunction primitives_passes[] = {
    convolution_expansion,
    dot_expansion,
    elementwise_expansion,
    function_expansion,
    fusion_expansion,
    gather_expansion,
    layout_expansion,
    narrow_float_expansion,
    reduce_expansion,
    reduce_window_expansion,
    reverse_expansion,
    scatter_expansion,
    select_and_scatter_expansion,
    small_integer_expansion,
    sort_expansion,
    storage_expansion,
    wide_integer_expansion,
};

constexpr PassFunction fuse_passes[] = {
    // Before fusion, because barriers would keep apart instructions that can be fused.
    barrier_removal,
    tuple_simplification,
    dead_code_elimination,
    // Before the reductions of rows are split, and the dots are fused with work on their results.
    attention_fusion,
    // Before reductions become parts of fusions.
    reduce_splitting,
    reduce_window_splitting,
    // Values that are reduced in parts are also computed in parts, so that loop fusion can include them.
    reshape_hoisting,
    // Before loop fusion takes the computation of the indices and of the updates.
    scatter_sorting,
    // Before loop fusion takes the consumers of their results.
    contraction_fusion,
    loop_fusion,
    // After loop fusion, because it merges existing fusions.
    fusion_merging,
    // For the remaining small kernels, even if they have nothing in common.
    horizontal_fusion,
};

constexpr PassFunction finalize_passes[] = {
    constant_hoisting,
    // After all passes that share computations, which would undo it.
    flatten_call_graph,
    // After all passes that examine reshapes and similar ops, and when it is known of each computation whether it owns
    // memory.
    bitcast_recognition,
};

std::vector<Pass> rows_of(std::span<const PassFunction> functions) {
  std::vector<Pass> rows;
  for (PassFunction function : functions) {
    rows.push_back(*std::ranges::find(all_passes, function, &Pass::run));
  }
  return rows;
}

// Compacts the module if it has many removed instructions, because later passes keep tables by id. Layout preferences
// refer to instructions by id, so with any of these the module is not compacted.
void drop_remains(ir::Module &module, const PassContext &context) {
  if (module.instruction_id_limit() > 4 * module.instruction_count() + 100'000 && context.layout_preferences.empty()) {
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

std::span<const Pass> stage_passes(Stage stage) {
  static const std::vector<Pass> simplification = [] {
    std::vector<Pass> list = rows_of(prepare_passes);
    const std::vector<Pass> round = rows_of(simplify_passes);
    for (int i = 0; i < simplify_rounds; ++i) {
      list.insert(list.end(), round.begin(), round.end());
    }
    return list;
  }();
  static const std::vector<Pass> expansion = rows_of(expand_passes), primitives = rows_of(primitives_passes),
                                 layout = rows_of(layout_passes), normalization = rows_of(normalize_passes),
                                 fusion = rows_of(fuse_passes), finalization = rows_of(finalize_passes);
  switch (stage) {
    case Stage::Simplify: return simplification;
    case Stage::Expand: return expansion;
    case Stage::Layout: return layout;
    case Stage::Normalize: return normalization;
    case Stage::Primitives: return primitives;
    case Stage::Fuse: return fusion;
    case Stage::Finalize: return finalization;
  }
  return {};
}

std::vector<Pass> default_passes() {
  std::vector<Pass> list;
  for (Stage stage : {Stage::Simplify, Stage::Expand, Stage::Layout, Stage::Normalize, Stage::Fuse, Stage::Finalize}) {
    auto more = stage_passes(stage);
    list.insert(list.end(), more.begin(), more.end());
  }
  return list;
}

Status run_passes(ir::Module &module, std::span<const Pass> passes, const PipelineOptions &options) {
  int changes = 0;
  std::map<std::string_view, int> idle_at;  // by pass: the value of `changes` when it last found nothing to do
  for (const Pass &pass : passes) {
    if (auto idle = idle_at.find(pass.name); idle != idle_at.end() && idle->second == changes) {
      continue;  // the module has not changed since
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

Status run_passes(ir::Module &module, std::initializer_list<PassFunction> functions, const PipelineOptions &options) {
  return run_passes(module, rows_of(functions), options);
}

}  // namespace bp::passes
