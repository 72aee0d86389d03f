// Greedy fusion of elementwise ops and index arithmetic into loops: each fusion computes the elements of its root, and
// all intermediate values without storing them.
//
// Instructions are visited once, users before producers. An instruction joins the group of its users if all of them are
// in the same group, so that nothing is computed twice and no cycle can arise; otherwise it may become the root of a
// new group. Only instructions that cost nothing (scalar constants, iota, broadcasts) are copied into every group that
// uses them. Reshapes cost nothing between buffers, where they only rename bytes, but cost index arithmetic in a loop,
// so they are fused only between other members.
//
// Within a group, too, a loop computes a value again for each index at which its users read it. A view is one way of
// mapping the root's index to an index of a value. A value that costs something joins only if all its users read it
// through the same view, and if that view does not repeat elements, as views below a broadcast do.
//
// A group that reaches the device's limit is cut where the fewest bytes pass from one loop to the next.
//
// A scatter may run one window after the other, so only cheap work on its updates joins.
//
// Instructions computed from a reduction are left to the kernel of its rows (fusion-merging): they do not join through
// a view that selects elements from one of several operands or by an index.
//
// A loop whose result reuses the memory of an array (overwritten_arrays.h) excludes smaller values that are computed
// from the array: they would read it at other indices than are written, so that the whole array had to be copied.
#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/analysis/call_graph.h"
#include "core/analysis/index_map.h"
#include "core/analysis/users.h"
#include "core/passes/fusion/fusion_builder.h"
#include "core/passes/fusion/kernel.h"
#include "core/passes/fusion/overwritten_arrays.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::Instruction;
using ir::InstructionId;
using ir::no_instruction;
using ir::Opcode;

// Whether the op costs index arithmetic only.
bool only_moves(Opcode opcode) {
  switch (opcode) {
    case Opcode::Broadcast:
    case Opcode::Reshape:
    case Opcode::Transpose:
    case Opcode::Slice:
    case Opcode::Reverse:
    case Opcode::Iota: return true;
    default: return false;
  }
}

// Whether the op takes each element from one of its operands, for a comparison or a few reads.
bool finds_elements(Opcode opcode) {
  switch (opcode) {
    case Opcode::Concatenate:
    case Opcode::DynamicSlice:
    case Opcode::Gather:
    case Opcode::Pad: return true;
    default: return false;
  }
}

// Whether the instruction may be a root because it is a reduce of one operand, which reads each element of it once.
bool is_reduce_root(const Instruction &instruction) {
  return instruction.opcode() == Opcode::Reduce && instruction.operand_count() == 2;
}

// Whether the instruction may be a root because it is a scatter of one array, which reads each element of its updates
// once.
bool is_scatter_root(const Instruction &instruction) {
  return instruction.opcode() == Opcode::Scatter && instruction.shape().is_array();
}

// Whether the windows have only a few elements; larger ones, such as those of cumulative sums, may have special
// kernels.
bool has_small_windows(const Instruction &instruction) {
  constexpr std::int64_t max_elements = 15;
  if (instruction.opcode() != Opcode::ReduceWindow || instruction.operand_count() != 2) {
    return false;
  }
  std::int64_t left = max_elements;
  for (const ir::WindowDimension &dimension : instruction.window()) {
    left /= std::max<std::int64_t>(dimension.size, 1);
  }
  return left > 0;
}

bool windows_overlap(const Instruction &instruction) {
  return std::ranges::any_of(instruction.window(), [](const ir::WindowDimension &dimension) {
    return dimension.size > 1 && (dimension.size > dimension.stride || dimension.rhs_dilate > 1);
  });
}

// Whether the elements of operand i are read, on the whole, more than once each.
bool repeats_operand(const Instruction &user, std::size_t i) {
  switch (user.opcode()) {
    case Opcode::Scatter: return i != 2;
    case Opcode::Gather: {
      auto sizes = user.numbers(ir::AttributeKey::SliceSizes);
      return i == 0 || std::ranges::any_of(sizes, [](std::int64_t size) { return size > 1; });
    }
    case Opcode::ReduceWindow:
      if (i != 0 || windows_overlap(user)) {
        return true;
      }
      break;
    case Opcode::Reduce:
      if (i != 0) {
        return true;  // each part of a reduction begins with it
      }
      break;
    default: break;
  }
  const analysis::IndexMap map = analysis::index_map(user, i);
  return map.is_known() ? map.repeats(user.shape().sizes())
                        : user.shape().element_count() > user.operand(i).shape().element_count();
}

// Maximum number of operands of a concatenation in a loop, in each of which elements are looked up.
constexpr std::size_t max_concatenated = 4;

class ComputationFuser {
 public:
  ComputationFuser(ir::Module &module, const analysis::CallGraph &graph, const analysis::Users &users,
                   const PassContext &context, ir::ComputationId id)
      : module_(module),
        users_(users),
        context_(context),
        computation_(id),
        overwritten_(module, graph, id),
        may_find_(context.fusion.contractions || context.fusion.rows || context.fusion.results) {}

  Result<bool> run(Rewriter &rewriter) {
    form_groups();
    return rewriter.rewrite(computation_, [this](Instruction instruction) -> Result<InstructionId> {
      auto group = groups_.find(instruction.id());
      if (group == groups_.end()) {
        return instruction.id();
      }
      std::vector<InstructionId> body = body_of(group->second);
      return does_more_than_its_root(body) ? emit(instruction, body) : instruction.id();
    });
  }

 private:
  struct View {
    bool repeats = false;  // reads an element more than once
    bool finds = false;    // reads at another index
    bool waits = false;    // elements are computed one after the other
  };
  struct Member {
    InstructionId root = no_instruction;
    std::uint32_t view = 0;  // index in views_ of the view through which the group reads it
  };
  struct Group {
    std::vector<InstructionId> members;          // users first: the root is the first
    InstructionId overwritten = no_instruction;  // the array whose memory the root reuses
    std::size_t size = 0;                        // see fused_size()
    bool is_full = false;
  };

  bool is_fusible(const Instruction &instruction) const {
    bool is_pinned =
        index(instruction.id()) < is_control_ordered_.size() && is_control_ordered_[index(instruction.id())];
    if (is_pinned || !has_plain_shape(instruction)) {
      return false;
    }
    const Opcode opcode = instruction.opcode();
    const bool has_few_parts = opcode != Opcode::Concatenate || instruction.operand_count() <= max_concatenated;
    return is_elementwise(instruction) || only_moves(opcode) || is_scalar_constant(instruction) ||
           is_reduce_root(instruction) ||
           (may_find_ && ((finds_elements(opcode) && has_few_parts) || has_small_windows(instruction) ||
                          is_scatter_root(instruction)));
  }

  void form_groups() {
    ir::Computation computation = module_.computation(computation_);
    is_control_ordered_ = control_ordered(computation);
    note_rows(computation);
    auto order = computation.instruction_ids();
    const InstructionId root = computation.root().id();
    for (std::size_t i = order.size(); i-- > 0;) {
      Instruction instruction = module_.instruction(order[i]);
      bool is_used = order[i] == root || users_.is_used(order[i]);
      if (is_used && is_fusible(instruction)) {
        place(instruction);
      }
    }
  }

  void place(const Instruction &instruction) {
    const bool is_root = instruction == module_.computation(computation_).root();
    if (is_root || !join_users(instruction)) {
      start_group(instruction);
    }
  }

  // Records which instructions are computed from a reduction by elementwise ops and movement.
  void note_rows(ir::Computation computation) {
    for (Instruction instruction : computation.instructions()) {
      const bool passes = is_elementwise(instruction) || only_moves(instruction.opcode()) ||
                          instruction.opcode() == Opcode::GetTupleElement;
      if (instruction.opcode() == Opcode::Reduce ||
          (passes && std::ranges::any_of(instruction.operands(),
                                         [this](InstructionId operand) { return of_rows_.contains(operand); }))) {
        of_rows_.insert(instruction.id());
      }
    }
  }

  // Adds the instruction to the group of all its users, if there is one and it may join.
  bool join_users(const Instruction &instruction) {
    auto users = users_.of(instruction.id());
    if (is_scalar_constant(instruction)) {
      return false;
    }
    if (is_reduce_root(instruction)) {
      return refuse(instruction, users[0], "a reduction is the end of its loop");
    }
    if (is_scatter_root(instruction)) {
      return refuse(instruction, users[0], "a scatter is the end of its loop");
    }
    Member place;
    for (InstructionId user : users) {
      if (!join_user(instruction, user, place)) {
        return false;
      }
    }
    Group &group = groups_[place.root];
    if (const char *reason = reason_against(instruction, place, group)) {
      return refuse(instruction, place.root, reason);
    }
    if (group.is_full || group.size + fused_size(instruction) > context_.fusion.max_instructions) {
      refuse(instruction, place.root, "the loop would have too many instructions");
      if (std::exchange(group.is_full, true)) {
        return false;
      }
      cut(group);
      return join_users(instruction);
    }
    if (context_.explain_fusion) {
      context_.explain_fusion(
          {std::string(module_.instruction(place.root).name()), std::string(instruction.name()), {}});
    }
    group.members.push_back(instruction.id());
    group.size += fused_size(instruction);
    members_[instruction.id()] = place;
    return true;
  }

  // Sets the place where the user, which is one of several, reads the instruction. Returns false if it is not the place
  // where the users before read it.
  bool join_user(const Instruction &instruction, InstructionId user_id, Member &place) {
    const Instruction user = module_.instruction(user_id);
    auto found = members_.find(user_id);
    if (found == members_.end()) {
      return is_copied_into_users(user) ? false : refuse(instruction, user_id, "the user is no part of a loop");
    }
    if (place.root != no_instruction && found->second.root != place.root) {
      return refuse(instruction, user_id, "users in different loops need it");
    }
    for (std::size_t i = 0; i < user.operand_count(); ++i) {
      if (user.operands()[i] != instruction.id()) {
        continue;
      }
      if (is_scatter_root(user) && i == 0) {
        return refuse(instruction, user_id, "the scatter writes it where it lies");
      }
      std::uint32_t view = view_of_operand(user, found->second, i);
      if (place.root != no_instruction && view != place.view) {
        return refuse(instruction, user_id, "it would be computed at several places of the loop");
      }
      place = {found->second.root, view};
    }
    return true;
  }

  // Returns why the instruction must not be computed at the place; null if it may be.
  const char *reason_against(const Instruction &instruction, const Member &place, const Group &group) const {
    const View &view = views_[place.view];
    const bool is_free = only_moves(instruction.opcode());
    if (view.repeats && !is_free) {
      return "it would be computed several times";
    }
    if (view.waits && !is_free && !is_cheap(instruction.opcode()) && !finds_elements(instruction.opcode())) {
      return "a scatter would compute it for one element after the other";
    }
    if (view.finds && of_rows_.contains(instruction.id())) {
      return "it is computed from a reduction, and wanted at other places";
    }
    if (module_.instruction(place.root).opcode() == Opcode::Concatenate && !is_free) {
      return "a concatenation that ends a loop copies its parts";
    }
    if (is_computed_from_part_of(instruction, group.overwritten)) {
      return "it reads what the loop overwrites, which would have to be copied";
    }
    return nullptr;
  }

  // Ends a full group where the fewest bytes pass from one loop to the next: later members leave it, and join or start
  // other groups. If several are equal, the last one is chosen.
  void cut(Group &group) {
    const std::vector<std::int64_t> bytes = bytes_at_cuts(group.members);
    std::size_t best = group.members.size();
    for (std::size_t n = best; n > group.members.size() / 2; --n) {
      best = bytes[n] < bytes[best] ? n : best;
    }
    const std::vector<InstructionId> leaving(group.members.begin() + static_cast<std::ptrdiff_t>(best),
                                             group.members.end());
    group.members.resize(best);
    for (InstructionId id : leaving) {
      members_.erase(id);
      for (std::size_t i = 0; i < module_.instruction(id).operand_count(); ++i) {
        operand_views_.erase(std::pair(id, i));
      }
    }
    for (InstructionId id : leaving) {
      place(module_.instruction(id));
    }
  }

  // Returns the bytes read and written because of a cut, by number of first members that remain. Values that are
  // computed by the other members, or by instructions that would join after them, are written and read; arrays that
  // both parts read are read once more.
  std::vector<std::int64_t> bytes_at_cuts(const std::vector<InstructionId> &members) const {
    struct Use {
      std::size_t first, last;
    };
    std::unordered_map<InstructionId, Use> uses;
    std::unordered_map<InstructionId, std::size_t> made_at;
    for (std::size_t n = 0; n < members.size(); ++n) {
      made_at[members[n]] = n;
      for (InstructionId operand : module_.instruction(members[n]).operands()) {
        const auto read = read_for(module_.instruction(operand));
        if (!read) {
          continue;
        }
        uses.try_emplace(*read, Use{n, n}).first->second.last = n;
        if (is_fusible(module_.instruction(*read)) && !members_.contains(*read)) {
          made_at[*read] = members.size();
        }
      }
    }
    std::vector<std::int64_t> steps(members.size() + 2);  // turned into prefix sums below
    for (const auto &[id, use] : uses) {
      const auto made = made_at.find(id);
      const std::int64_t bytes = module_.instruction(id).shape().byte_size() * (made == made_at.end() ? 1 : 2);
      steps[use.first + 1] += bytes;
      steps[(made == made_at.end() ? use.last : made->second) + 1] -= bytes;
    }
    std::partial_sum(steps.begin(), steps.end(), steps.begin());
    return steps;
  }

  // Whether the instruction has fewer elements than the array and is computed from it, as far as a loop would compute
  // it.
  bool is_computed_from_part_of(const Instruction &instruction, InstructionId array) const {
    if (array == no_instruction ||
        instruction.shape().element_count() >= module_.instruction(array).shape().element_count()) {
      return false;
    }
    std::vector<InstructionId> stack = {instruction.id()};
    for (std::size_t visited = 0; !stack.empty() && visited < context_.fusion.max_instructions; ++visited) {
      const Instruction member = module_.instruction(stack.back());
      stack.pop_back();
      for (InstructionId operand : member.operands()) {
        const Instruction maker = module_.instruction(operand);
        if (behind_renaming(maker).id() == array) {
          return true;
        }
        if (is_fusible(maker) && users_.of(operand).size() == 1) {
          stack.push_back(operand);
        }
      }
    }
    return false;
  }

  // Reports why the instruction does not join its user, and returns false.
  bool refuse(const Instruction &instruction, InstructionId user, const char *reason) const {
    if (context_.explain_fusion) {
      context_.explain_fusion({std::string(module_.instruction(user).name()), std::string(instruction.name()), reason});
    }
    return false;
  }

  void start_group(const Instruction &instruction) {
    // Instructions that are copied into each user need no loop of their own.
    if (is_copied_into_users(instruction) || instruction.opcode() == Opcode::Reshape) {
      return;
    }
    views_.push_back({});
    members_[instruction.id()] = {instruction.id(), static_cast<std::uint32_t>(views_.size() - 1)};
    groups_[instruction.id()] = {{instruction.id()}, overwritten_.overwritten_by(instruction), fused_size(instruction)};
  }

  // Returns the view through which a member reads operand i: its own if elements correspond one to one, else a new one.
  std::uint32_t view_of_operand(const Instruction &user, const Member &member, std::size_t i) {
    Instruction operand = user.operand(i);
    bool is_same_index = is_elementwise(user) && operand.shape().rank() == user.shape().rank();
    if (is_same_index) {
      return member.view;
    }
    // A member has only one new view per operand, however often this is called.
    auto [found, is_new] = operand_views_.emplace(std::pair(user.id(), i), static_cast<std::uint32_t>(views_.size()));
    if (is_new) {
      views_.push_back({views_[member.view].repeats || repeats_operand(user, i),
                        views_[member.view].finds || finds_elements(user.opcode()) || is_scatter_root(user),
                        views_[member.view].waits || is_scatter_root(user)});
    }
    return found->second;
  }

  // Returns the members in program order, without reshapes of values from outside.
  std::vector<InstructionId> body_of(const Group &group) const {
    std::vector<InstructionId> body;
    std::unordered_set<InstructionId> inside;
    for (auto member = group.members.rbegin(); member != group.members.rend(); ++member) {
      Instruction instruction = module_.instruction(*member);
      if (instruction.opcode() == Opcode::Reshape && !inside.contains(instruction.operands()[0]) &&
          !is_copied(instruction.operands()[0])) {
        continue;
      }
      body.push_back(*member);
      inside.insert(*member);
    }
    return body;
  }

  // Whether the loop contains more than its root and scalar constants; otherwise it equals the root without fusion.
  bool does_more_than_its_root(const std::vector<InstructionId> &body) const {
    if (body.size() != 1) {
      return body.size() > 1;
    }
    const Instruction root = module_.instruction(body[0]);
    return std::ranges::any_of(root.operands(), [&](InstructionId operand) {
      return is_copied_for(root, operand) && !is_scalar_constant(module_.instruction(operand));
    });
  }

  // Whether groups copy the instruction instead of reading it.
  bool is_copied(InstructionId id) const {
    Instruction instruction = module_.instruction(id);
    return is_copied_into_users(instruction) && !members_.contains(id) && is_fusible(instruction);
  }

  // The array that a scatter updates is not copied, because it needs memory.
  bool is_copied_for(const Instruction &root, InstructionId id) const {
    return is_copied(id) && !(is_scatter_root(root) && root.operands()[0] == id);
  }

  InstructionId emit(const Instruction &root, const std::vector<InstructionId> &members) {
    const ir::FusionKind kind = is_reduce_root(root) ? ir::FusionKind::Input : ir::FusionKind::Loop;
    return build_fusion(module_, {members, {root.id()}, kind},
                        [&](InstructionId id) { return is_copied_for(root, id); })[0];
  }

  struct PairHash {
    std::size_t operator()(const std::pair<InstructionId, std::size_t> &pair) const {
      return index(pair.first) * std::size_t{31} + pair.second;
    }
  };

  ir::Module &module_;
  const analysis::Users &users_;
  const PassContext &context_;
  ir::ComputationId computation_;
  OverwrittenArrays overwritten_;
  bool may_find_;                         // whether the device supports more than simple loops
  std::vector<bool> is_control_ordered_;  // by instruction id
  std::unordered_set<InstructionId> of_rows_;
  std::vector<View> views_;
  std::unordered_map<InstructionId, Member> members_;
  std::unordered_map<InstructionId, Group> groups_;  // by root
  std::unordered_map<std::pair<InstructionId, std::size_t>, std::uint32_t, PairHash> operand_views_;
};

}  // namespace

Result<bool> loop_fusion(ir::Module &module, const PassContext &context) {
  analysis::CallGraph graph(module);
  analysis::Users users(module);
  Rewriter rewriter(module);
  bool changed = false;
  for (ir::ComputationId id : graph.callees_first()) {
    if (graph.context(id) == analysis::CallContext::Control) {
      BP_ASSIGN(bool one, ComputationFuser(module, graph, users, context, id).run(rewriter));
      changed = changed || one;
    }
  }
  if (changed) {
    BP_TRY(dead_code_elimination(module, context));
  }
  return changed;
}

}  // namespace bp::passes
