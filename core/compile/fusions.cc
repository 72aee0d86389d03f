#include "core/compile/fusions.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "core/ir/origin.h"
#include "core/passes/fusion/fusion_builder.h"

namespace bp::compile {
namespace {

// Without bp.fusion/draft-3, fusions are simple loops.
passes::FusionLimits limits_of(const host::Device &device) {
  passes::FusionLimits limits;
  const bp_fusion_limits_t *given = device.fusion() == nullptr ? nullptr : device.fusion()->limits;
  const std::uint32_t kinds = given == nullptr ? 0 : given->kinds;
  limits.contractions = (kinds & BP_FUSES_CONTRACTIONS) != 0;
  limits.attention = (kinds & BP_FUSES_ATTENTION) != 0;
  limits.max_prologue_uses = (kinds & BP_FUSES_PROLOGUES) == 0 ? 0
                             : given->max_prologue_uses == 0   ? std::numeric_limits<std::int64_t>::max()
                                                               : std::int64_t{given->max_prologue_uses};
  limits.rows = (kinds & BP_FUSES_ROWS) != 0;
  limits.results = (kinds & BP_FUSES_RESULTS) != 0;
  limits.min_results = given == nullptr ? 0 : given->min_results;
  limits.min_results_in_order = given == nullptr ? 0 : given->min_results_in_order;
  if (given != nullptr) {
    limits.max_instructions = given->max_instructions;
    limits.max_values = given->max_values;
    limits.small_kernel_bytes =
        static_cast<std::int64_t>(std::min<std::uint64_t>(given->small_kernel_bytes, INT64_MAX));
    limits.max_row_bytes = static_cast<std::int64_t>(std::min<std::uint64_t>(given->max_row_bytes, INT64_MAX));
  }
  return limits;
}

Result<Claims> ask_fused(const Session &session, const ir::Module &module) {
  BP_ASSIGN(host::Image image, host::build_image(module, host::Stage::Fused, nullptr, session.receiver));
  return ask(*session.device, module, image);
}

// Returns the fusions that are new and that the device was asked about.
std::vector<ir::InstructionId> fusions_made(const ir::Module &before, const ir::Module &fused, const Claims &claims) {
  std::unordered_set<std::string_view> old;
  for (ir::Computation computation : before.computations()) {
    for (ir::Instruction i : computation.instructions()) {
      if (i.opcode() == ir::Opcode::Fusion) {
        old.insert(i.name());
      }
    }
  }
  std::vector<ir::InstructionId> made;
  for (ir::Computation computation : fused.computations()) {
    for (ir::Instruction i : computation.instructions()) {
      const bool was_asked = claims.claimed[index(i.id())] || claims.refused[index(i.id())];
      if (i.opcode() == ir::Opcode::Fusion && was_asked && !old.contains(i.name())) {
        made.push_back(i.id());
      }
    }
  }
  return made;
}

// Returns the fusions that the device refuses or whose cost it rates above that of their parts.
Result<std::vector<ir::InstructionId>> bad_fusions(const Session &session, const ir::Module &before,
                                                   const ir::Module &fused, const Claims &claims) {
  const std::vector<ir::InstructionId> made = fusions_made(before, fused, claims);
  ir::Module apart = fused;
  BP_ASSIGN(auto parts, passes::take_apart(apart, made));
  BP_ASSIGN(Claims of_parts, ask_fused(session, apart));
  std::vector<ir::InstructionId> bad;
  for (std::size_t i = 0; i < made.size(); ++i) {
    double price = 0;
    for (ir::InstructionId part : parts[i]) {
      price += static_cast<double>(of_parts.cost[index(part)]);
    }
    if (claims.refused[index(made[i])] || static_cast<double>(claims.cost[index(made[i])]) > price) {
      bad.push_back(made[i]);
    }
  }
  return bad;
}

// Whether the program marks only a part of what the fusion computes. What fusions copy may be a part of any.
bool has_mixed_marks(ir::Instruction fusion) {
  return std::ranges::any_of(fusion.called(0).instructions(), [&](ir::Instruction i) {
    return is_claimable(i.opcode()) && !passes::is_copied_into_users(i) &&
           ir::cluster_mark(i).empty() != ir::cluster_mark(fusion).empty();
  });
}

}  // namespace

Status fuse_patterns(Session &session, ir::Module &module, Claims &claims) {
  passes::PassContext context;
  context.fusion = limits_of(*session.device);
  if (!session.options.fuse || !session.is_enabled("contraction-fusion") || !context.fusion.contractions ||
      count_refused(claims) == 0) {
    return {};
  }
  const bool is_by_marks = session.options.clusters.mode == ClusterOptions::Mode::Marked;
  constexpr std::size_t max_ends = 8;
  ir::Module fused = module;
  Claims answer;
  for (; context.fusion.ends_before_last < max_ends; ++context.fusion.ends_before_last) {
    BP_ASSIGN(bool changed, passes::contraction_fusion(fused, context));
    BP_ASSIGN(answer, ask_fused(session, fused));
    std::vector<ir::InstructionId> refused;
    for (ir::InstructionId id : fusions_made(module, fused, answer)) {
      if (answer.refused[index(id)] || (is_by_marks && has_mixed_marks(fused.instruction(id)))) {
        refused.push_back(id);
      }
    }
    if (!changed || refused.empty()) {
      break;
    }
    BP_ASSIGN(auto parts, passes::take_apart(fused, refused));
    BP_ASSIGN(answer, ask_fused(session, fused));
  }
  if (count_refused(answer) < count_refused(claims)) {
    module = std::move(fused);
    claims = std::move(answer);
  }
  return {};
}

Status fuse(Session &session, ir::Module &module) {
  ir::Module fused = module;
  passes::PassContext context;
  context.fusion = limits_of(*session.device);
  BP_TRY(session.run_stage(fused, passes::Stage::Fuse, context));
  BP_ASSIGN(Claims claims, ask_fused(session, fused));
  // Parts of rejected fusions are fused again: first without attention and prologues, in case these are the reason,
  // then as simple loops.
  passes::FusionLimits &limits = context.fusion;
  for (bool is_simple = session.device->fusion() == nullptr; !is_simple;) {
    BP_ASSIGN(std::vector<ir::InstructionId> bad, bad_fusions(session, module, fused, claims));
    if (bad.empty()) {
      break;
    }
    BP_ASSIGN(auto parts, passes::take_apart(fused, bad));
    is_simple = !std::exchange(limits.attention, false) && limits.max_prologue_uses == 0;
    limits.max_prologue_uses = 0;
    if (is_simple) {
      // Nor small kernels, because these have several results.
      limits.contractions = limits.rows = limits.results = false;
    }
    BP_TRY(session.run_stage(fused, passes::Stage::Fuse, context));
    BP_ASSIGN(claims, ask_fused(session, fused));
  }
  if (!first_unclaimed(fused, claims)) {
    module = std::move(fused);
  }
  return {};
}

}  // namespace bp::compile
