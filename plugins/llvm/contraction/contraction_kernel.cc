// Chooses a strategy for each contraction and emits the loop over its items.
#include "plugins/llvm/contraction/contraction_kernel.h"

#include <algorithm>

#include "plugins/llvm/contraction/gpu/cost.h"
#include "plugins/llvm/contraction/packed/panels.h"
#include "plugins/llvm/contraction/split.h"
#include "plugins/llvm/contraction/strategy.h"
#include "plugins/llvm/generator/loops.h"

namespace bp::emit {

namespace {

bool is_along(const std::vector<Axis> &axes, Operand operand) {
  return !axes.empty() && stride_of(axes.back(), operand) == 1;
}

// Vectors that a matrix along the contracted axes is multiplied with where it is, and so may be computed for.
constexpr int64_t max_vectors = 4;

enum class Way : unsigned char { Threaded, Reduction, Streamed, Sliding, Packed, Direct };

Way choose_way(const ContractionProblem &problem, const VectorTarget &target) {
  if (target.is_threaded) {
    return Way::Threaded;
  }
  if (problem.panels != std::array<int64_t, 2>{}) {
    return Way::Packed;
  }
  int64_t width = target.vector_bits / problem.types.accumulate->getScalarSizeInBits();
  int64_t rows = total_size(problem.rows);
  int64_t columns = total_size(problem.columns);
  int64_t contracted = total_size(problem.contracted);
  bool lies_along_contracted = is_along(problem.contracted, lhs_operand) && is_along(problem.contracted, rhs_operand);
  bool has_few_outputs = rows * columns <= 24 || std::min(rows, columns) <= max_vectors;
  if (lies_along_contracted && has_few_outputs && contracted >= 2 * width) {
    return Way::Reduction;
  }
  if (is_worth_streaming(problem)) {
    return Way::Streamed;
  }
  if (is_worth_sliding(problem, target)) {
    return Way::Sliding;
  }
  int64_t stride = 0;
  bool has_lanes = has_single_stride(problem.columns, problem.column_operand, &stride) && stride == 1;
  // Packing copies the columns. With few rows that pays only if the columns are not contiguous, or if they exceed the
  // cache.
  bool is_out_of_cache = rows >= 4 && contracted * columns > (int64_t{1} << 19);
  bool is_worth_packing = rows > 8 || !has_lanes || is_out_of_cache;
  bool is_large = rows >= 4 && columns >= width / 2 && contracted >= 4 && rows * columns * contracted >= 8192;
  return is_large && is_worth_packing ? Way::Packed : Way::Direct;
}

std::unique_ptr<ContractionStrategy> make_strategy(const ContractionProblem &problem, const VectorTarget &target,
                                                   llvm::Module &module, const std::string &name) {
  switch (choose_way(problem, target)) {
    case Way::Threaded: return make_threaded_strategy(problem);
    case Way::Reduction: return make_reduction_strategy(problem, target);
    case Way::Streamed: return make_streamed_strategy(problem);
    case Way::Sliding: return make_sliding_strategy(problem, target);
    case Way::Packed: return make_packed_strategy(problem, target, module, name);
    default: return make_direct_strategy(problem, target);
  }
}

}  // namespace

Kernel emit_contractions(llvm::Module &module, const std::string &name, const VectorTarget &target,
                         const std::vector<Contraction> &contractions) {
  llvm::IRBuilder<> b(module.getContext());
  llvm::Type *pointer = b.getPtrTy();
  llvm::Type *i64 = b.getInt64Ty();
  const Epilogue *epilogue = contractions.empty() ? nullptr : &contractions[0].epilogue;
  std::vector<llvm::Type *> parameters = {pointer, pointer, pointer, pointer, i64, i64};
  parameters.resize(parameters.size() + (epilogue == nullptr ? 0 : epilogue->pointers), pointer);
  auto *type = llvm::FunctionType::get(b.getVoidTy(), parameters, false);
  Kernel kernel;
  kernel.function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
  llvm::Argument *arguments = kernel.function->arg_begin();
  for (unsigned i = 0; i < 4; ++i) {
    const bool is_read_elsewhere = i == out_operand && epilogue != nullptr && epilogue->reads_out;
    if (!is_read_elsewhere) {
      kernel.function->addParamAttr(i, llvm::Attribute::NoAlias);
    }
  }
  Values fused_pointers;
  for (size_t i = 6; i < parameters.size(); ++i) {
    fused_pointers.push_back(&arguments[i]);
  }
  b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", kernel.function));
  llvm::Value *begin = &arguments[4];
  llvm::Value *end = &arguments[5];
  const std::vector<ContractionProblem> problems = normalize(contractions, target);
  for (size_t i = 0; i < problems.size(); ++i) {
    const ContractionProblem &problem = problems[i];
    if (total_size(problem.batch) * total_size(problem.rows) * total_size(problem.columns) == 0) {
      continue;
    }
    auto strategy = make_strategy(problem, target, module, name + "." + std::to_string(i));
    ContractionMemory memory(b, target, problem, {&arguments[0], &arguments[1], &arguments[2]}, fused_pointers);
    // The items of this contraction are [kernel.items, kernel.items + its own number).
    auto clamped = [&](llvm::Value *item) {
      llvm::Value *own = b.CreateSub(item, memory.integer(kernel.items));
      own = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, own, memory.integer(0));
      return memory.minimum(own, strategy->items());
    };
    emit_loop(b, clamped(begin), clamped(end), 1,
              [&](llvm::Value *item) { strategy->emit_item(memory, item, &arguments[3]); });
    kernel.items += strategy->items();
    kernel.scratch_bytes = std::max(kernel.scratch_bytes, strategy->scratch_bytes());
  }
  b.CreateRetVoid();
  return kernel;
}

bool copies_to_panels(const Contraction &contraction, std::size_t operand, const VectorTarget &target) {
  const int64_t lanes = target.vector_bits / contraction.types.accumulate->getScalarSizeInBits();
  const ContractionProblem problem = normalize(contraction, lanes);
  const bool is_split =
      operand == problem.column_operand && problem.contracted.size() > 1 && reads_columns_transposed(problem, lanes);
  return choose_way(problem, target) == Way::Packed && !is_split;
}

bool may_be_computed(const Contraction &contraction, std::size_t operand, const VectorTarget &target) {
  const int64_t lanes = target.vector_bits / contraction.types.accumulate->getScalarSizeInBits();
  const ContractionProblem problem = normalize(contraction, lanes);
  const bool is_column = operand == problem.column_operand;
  switch (choose_way(problem, target)) {
    case Way::Streamed: return is_column && total_size(problem.columns) % lanes == 0;
    case Way::Reduction: {
      int64_t stride = 0;
      const int64_t uses = total_size(is_column ? problem.rows : problem.columns);
      return uses <= max_vectors && problem.windows.empty() && total_size(problem.contracted) % lanes == 0 &&
             has_single_stride(problem.contracted, static_cast<Operand>(operand), &stride) && stride == 1;
    }
    default: return false;
  }
}

std::optional<TeamWork> team_work(const VectorTarget &target, const std::vector<Contraction> &contractions) {
  const std::vector<ContractionProblem> problems = normalize(contractions, target);
  const std::vector<ContractionShape> shapes = choose_shapes(problems, target.gpu);
  switch (shapes.empty() ? ContractionWay::Threads : shapes[0].way) {
    case ContractionWay::Threads: return std::nullopt;
    case ContractionWay::Split: return split_work(problems[0]);
    default:
      return TeamWork{.is_for_warpgroups = shapes[0].way == ContractionWay::WarpgroupTiles,
                      .leaves_registers = shapes[0].way == ContractionWay::MatrixTiles &&
                                          are_slices_copied_async(problems[0], shapes[0], target.gpu)};
  }
}

Kernel emit_contractions_for_team(llvm::IRBuilder<> &b, const VectorTarget &target,
                                  const std::vector<Contraction> &contractions, Team &team, llvm::Value *item,
                                  const std::array<llvm::Value *, 3> &pointers,
                                  std::span<llvm::Value *const> fused_pointers) {
  Kernel kernel;
  const std::vector<ContractionProblem> problems = normalize(contractions, target);
  std::vector<std::unique_ptr<ContractionStrategy>> strategies;
  const std::vector<ContractionShape> shapes = choose_shapes(problems, target.gpu);
  for (size_t i = 0; i < problems.size(); ++i) {
    strategies.push_back(shapes[i].way == ContractionWay::Split ? make_split_strategy(problems[i], team)
                                                                : make_tiled_strategy(problems[i], team, shapes[i]));
    kernel.scratch_bytes = std::max(kernel.scratch_bytes, strategies.back()->scratch_bytes());
  }
  llvm::Value *memory = team.memory(b, kernel.scratch_bytes);
  for (size_t i = 0; i < strategies.size(); ++i) {
    const ContractionMemory contraction_memory(b, target, problems[i], pointers, fused_pointers);
    const int64_t before = kernel.items;
    kernel.items += strategies[i]->items();
    llvm::Value *own = b.CreateSub(item, b.getInt64(static_cast<uint64_t>(before)));
    const auto emit = [&] { strategies[i]->emit_item(contraction_memory, own, memory); };
    if (strategies.size() == 1) {
      emit();
    } else {
      emit_when(b, b.CreateICmpULT(own, b.getInt64(static_cast<uint64_t>(strategies[i]->items()))), emit);
    }
  }
  return kernel;
}

}  // namespace bp::emit
