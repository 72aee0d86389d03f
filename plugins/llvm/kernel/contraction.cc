// The kernel of a dot, a convolution, or a fusion of one, and the panels in which their operands may lie.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <utility>

#include "plugins/llvm/contraction/contraction_kernel.h"
#include "plugins/llvm/contraction/fusion.h"
#include "plugins/llvm/contraction/gpu/cost.h"
#include "plugins/llvm/contraction/packed/panels.h"
#include "plugins/llvm/contraction/problem.h"
#include "plugins/llvm/contraction/prologue.h"
#include "plugins/llvm/kernel/contraction_axes.h"
#include "plugins/llvm/kernel/kernel.h"
#include "plugins/llvm/kernel/kinds.h"
#include "plugins/llvm/kernel/panels.h"

namespace bp::emit {
namespace {

// Returns the contractions of an instruction, or of a fusion's contraction. site: that of a fusion, whose epilogue and
// prologues use it; null if no code is emitted.
std::vector<Contraction> describe(llvm::LLVMContext &context, InstructionView instruction, InstructionView contraction,
                                  const KernelSite *site, const VectorTarget &target, bool large) {
  std::vector<Contraction> contractions = contraction.op() == BP_OP_DOT
                                              ? std::vector{contraction_of(describe_dot(context, contraction))}
                                              : contractions_of(describe_convolution(context, contraction));
  for (Contraction &each : contractions) {
    each.types.out = contraction_type(context, instruction.shape().dtype);
    for (std::size_t i = 0; i < each.panels.size(); ++i) {
      each.panels[i] = contraction.operand_shape(i).tile.empty() ? 0 : contraction.operand_shape(i).tile[0];
    }
    if (instruction.op() == BP_OP_FUSION) {
      each.prologues = {make_prologue(contraction, 0, site, target, large),
                        make_prologue(contraction, 1, site, target, large)};
    }
    if (site != nullptr) {
      each.epilogue = make_epilogue(*site, contraction, target, large);
    }
  }
  return contractions;
}

// Returns the contracted dimensions of an operand, in the order of the contraction's axes.
std::vector<std::int64_t> contracted_dimensions(InstructionView contraction, std::size_t operand) {
  if (contraction.op() == BP_OP_DOT) {
    const auto dimensions =
        contraction.numbers(operand == 0 ? BP_ATTR_LHS_CONTRACTING_DIMS : BP_ATTR_RHS_CONTRACTING_DIMS);
    return {dimensions.begin(), dimensions.end()};
  }
  const auto labels = contraction.numbers(BP_ATTR_DIM_LABELS);
  const std::size_t spatial = contraction.shape().rank() - 2;
  std::vector<std::int64_t> dimensions = {labels[2]};
  dimensions.insert(dimensions.end(), labels.begin() + 6 + static_cast<std::ptrdiff_t>(spatial),
                    labels.begin() + 6 + static_cast<std::ptrdiff_t>(2 * spatial));
  return dimensions;
}

// Returns the only contraction of an instruction whose operand may lie in panels; nothing if there is none.
std::optional<Contraction> contraction_of_panels(llvm::LLVMContext &context, InstructionView contraction,
                                                 std::size_t operand, const VectorTarget &target) {
  const bool is_filter = contraction.op() == BP_OP_CONVOLUTION && operand == 1 &&
                         contraction.number(BP_ATTR_FEATURE_GROUP_COUNT, 1) == 1 &&
                         contraction.number(BP_ATTR_BATCH_GROUP_COUNT, 1) == 1;
  if (target.is_threaded || (contraction.op() != BP_OP_DOT && !is_filter)) {
    return std::nullopt;
  }
  const auto window = contraction.numbers(BP_ATTR_WINDOW);
  for (std::size_t i = 0; 7 * i + 6 < window.size(); ++i) {
    if (window[7 * i + 4] != 1 || window[7 * i + 6] != 0) {  // dilated, or reversed
      return std::nullopt;
    }
  }
  std::vector<Contraction> contractions = describe(context, contraction, contraction, nullptr, target, false);
  return contractions.size() == 1 ? std::optional(std::move(contractions[0])) : std::nullopt;
}

// Returns the layout of an operand in panels; nothing if it may not be in panels.
std::optional<PanelLayout> panel_layout(const Contraction &contraction, InstructionView instruction,
                                        std::size_t operand, const VectorTarget &target) {
  const Shape &shape = instruction.operand_shape(operand);
  const ContractionProblem problem = normalize({contraction}, target)[0];
  const std::int64_t width = panel_widths(problem, target)[operand];
  const std::vector<std::int64_t> contracted = contracted_dimensions(instruction, operand);
  std::vector<std::pair<std::int64_t, std::int64_t>> inner;  // strides in the row operand, and dimensions
  std::vector<std::int64_t> outer, single;                   // dimensions
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    const auto found = std::ranges::find(contracted, static_cast<std::int64_t>(d));
    if (shape.dims[d] == 1) {
      single.push_back(static_cast<std::int64_t>(d));
    } else if (found == contracted.end()) {
      outer.push_back(static_cast<std::int64_t>(d));
    }
  }
  for (std::size_t i = 0; i < contracted.size(); ++i) {
    if (shape.dims[static_cast<std::size_t>(contracted[i])] != 1) {
      inner.emplace_back(std::abs(stride_of(contraction.contracted[i], problem.row_operand)), contracted[i]);
    }
  }
  if (width == 0 || outer.size() != 1 || inner.empty() || contraction.contracted.size() != contracted.size()) {
    return std::nullopt;
  }
  std::ranges::stable_sort(inner, std::ranges::greater(), &std::pair<std::int64_t, std::int64_t>::first);
  PanelLayout layout;
  for (std::size_t i = inner.size(); i-- > 0;) {
    layout.minor_to_major.push_back(inner[i].second);
  }
  layout.minor_to_major.push_back(outer[0]);
  layout.minor_to_major.insert(layout.minor_to_major.end(), single.begin(), single.end());
  layout.tile.assign(inner.size() + 1, 1);
  layout.tile[0] = width;
  return layout;
}

bool lies_in_panels(InstructionView contraction, std::size_t operand, const VectorTarget &target) {
  llvm::LLVMContext context;
  const auto problem = contraction_of_panels(context, contraction, operand, target);
  const auto layout = problem ? panel_layout(*problem, contraction, operand, target) : std::nullopt;
  const Shape &shape = contraction.operand_shape(operand);
  return layout && shape.tile == layout->tile && shape.minor_to_major == layout->minor_to_major;
}

}  // namespace

std::optional<PanelLayout> preferred_panels(llvm::LLVMContext &context, InstructionView contraction,
                                            std::size_t operand, const VectorTarget &target) {
  const auto problem = contraction_of_panels(context, contraction, operand, target);
  return problem && copies_to_panels(*problem, operand, target) ? panel_layout(*problem, contraction, operand, target)
                                                                : std::nullopt;
}

bool is_in_panels(InstructionView instruction, std::size_t operand, const VectorTarget &target) {
  if (instruction.op() == BP_OP_DOT || instruction.op() == BP_OP_CONVOLUTION) {
    return lies_in_panels(instruction, operand, target);
  }
  const std::optional<InstructionView> contraction = contraction_in(instruction);
  if (!contraction) {
    return false;
  }
  const ComputationView computation = instruction.called(0);
  const std::uint32_t parameter = computation.parameters()[operand];
  std::size_t uses = 0;
  for (std::uint32_t n = 0; n < computation.instruction_count(); ++n) {
    uses += static_cast<std::size_t>(std::ranges::count(
        instruction.module().instruction(computation.first_instruction() + n).operands(), parameter));
  }
  const auto use = std::ranges::find(contraction->operands(), parameter);
  const Shape &inside = instruction.module().shape_of(parameter), &outside = instruction.operand_shape(operand);
  return uses == 1 && use != contraction->operands().end() && computation.roots()[0] != parameter &&
         inside.tile == outside.tile && inside.minor_to_major == outside.minor_to_major &&
         lies_in_panels(*contraction, static_cast<std::size_t>(use - contraction->operands().begin()), target);
}

std::optional<TeamWork> contraction_for_team(llvm::LLVMContext &context, InstructionView instruction,
                                             const VectorTarget &target) {
  const bool is_alone = instruction.op() == BP_OP_DOT || instruction.op() == BP_OP_CONVOLUTION;
  const std::optional<InstructionView> contraction = is_alone                           ? std::optional(instruction)
                                                     : instruction.op() == BP_OP_FUSION ? contraction_in(instruction)
                                                                                        : std::nullopt;
  return contraction ? team_work(target, describe(context, instruction, *contraction, nullptr, target, false))
                     : std::nullopt;
}

bool computes_operand(InstructionView contraction, std::size_t operand, const VectorTarget &target) {
  if (target.is_threaded) {
    return true;
  }
  llvm::LLVMContext context;
  const std::vector<Contraction> contractions = describe(context, contraction, contraction, nullptr, target, false);
  const std::int64_t lanes = target.vector_bits / contractions[0].types.accumulate->getScalarSizeInBits();
  return contraction.op() == BP_OP_DOT && may_be_computed(contractions[0], operand, target) &&
         has_uniform_vectors(contraction.module(), contraction.operand(operand), lanes);
}

double prologue_operations(InstructionView instruction, const VectorTarget &target) {
  const std::optional<InstructionView> contraction = contraction_in(instruction);
  const auto is_computed = [&](std::uint32_t operand) {
    return instruction.module().definition(operand).op() != BP_OP_PARAMETER;
  };
  if (!contraction || std::ranges::none_of(contraction->operands(), is_computed)) {
    return 0;
  }
  llvm::LLVMContext context;
  double operations = 0;
  const std::vector<ContractionProblem> problems =
      normalize(describe(context, instruction, *contraction, nullptr, target, false), target);
  const std::vector<ContractionShape> shapes = choose_shapes(problems, target.gpu);
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const ContractionProblem &problem = problems[i];
    const std::int64_t rows = total_size(problem.rows), columns = total_size(problem.columns);
    const std::int64_t lines = total_size(problem.batch) * total_size(problem.contracted);
    const auto computed = [&](Operand operand, std::int64_t times) {
      return static_cast<double>(lines * times * problem.prologues[operand].operations);
    };
    // Computed once for all results of a team, or of a thread.
    operations += computed(problem.row_operand, rows * divide_up(columns, shapes[i].columns)) +
                  computed(problem.column_operand, columns * divide_up(rows, shapes[i].rows));
  }
  return operations;
}

KernelWork emit_contraction(KernelBuilder &k, const KernelSite &site, const VectorTarget &target, bool large,
                            Team *team) {
  const std::optional<InstructionView> fused = contraction_in(site.instruction);
  const InstructionView contraction = fused.value_or(site.instruction);
  llvm::Function *caller = k.b.GetInsertBlock()->getParent();
  llvm::Module &module = *caller->getParent();
  const std::vector<Contraction> contractions =
      describe(module.getContext(), site.instruction, contraction, fused ? &site : nullptr, target, large);
  // A fusion's parameters may be in a different order than the contraction's operands. Operands that are computed have
  // no pointer.
  const auto operand = [&](std::size_t i) -> llvm::Value * {
    if (!fused) {
      return site.operands[i];
    }
    const auto parameters = site.instruction.called(0).parameters();
    const auto found = std::ranges::find(parameters, contraction.operand(i));
    return found == parameters.end() ? llvm::PoisonValue::get(k.b.getPtrTy())
                                     : site.operands[static_cast<std::size_t>(found - parameters.begin())];
  };
  std::vector<llvm::Value *> of_fusion;
  if (fused) {
    std::ranges::copy_if(site.operands, std::back_inserter(of_fusion),
                         [](const llvm::Value *pointer) { return pointer != nullptr; });
  }
  if (team != nullptr) {
    const Kernel kernel = emit_contractions_for_team(k.b, target, contractions, *team, site.begin,
                                                     {operand(0), operand(1), site.results[0]}, of_fusion);
    return {kernel.scratch_bytes, kernel.items};
  }
  const Kernel kernel = emit_contractions(module, caller->getName().str() + ".contraction", target, contractions);
  kernel.function->setLinkage(llvm::GlobalValue::InternalLinkage);
  if (kernel.items > 0) {
    std::vector<llvm::Value *> arguments = {operand(0),   operand(1), site.results[0],
                                            site.scratch, site.begin, site.end};
    arguments.insert(arguments.end(), of_fusion.begin(), of_fusion.end());
    k.b.CreateCall(kernel.function, arguments);
  }
  return {kernel.scratch_bytes, kernel.items};
}

}  // namespace bp::emit
