// Merges kernels that walk over the same elements, so that values pass between them in registers: producers and
// consumers, siblings that read the same arrays, and reductions with the work on their results in the same rows
// (softmax, layer norm), also scalars that only one kernel needs. Values that other kernels need become results.
//
// Groups grow in program order from a first kernel, by adding consumers, producers and siblings near it in the program.
// A kernel joins if it reads each value of the group at the index at which the group computes it, if the group stays
// convex (no path leaves it and comes back), if the device runs the merged kernel, and if memory traffic is saved.
#include <algorithm>
#include <functional>
#include <ranges>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "core/analysis/call_graph.h"
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
using Kind = Access::Kind;

// Maximum number of values that the search for a path visits.
constexpr std::size_t max_visited = 256;

class KernelMerger {
 public:
  // `positions` is indexed by instruction id and is filled in for this computation.
  KernelMerger(ir::Module &module, const analysis::CallGraph &graph, const analysis::Users &users,
               const PassContext &context, ir::ComputationId id, std::vector<std::size_t> &positions)
      : module_(module),
        users_(users),
        context_(context),
        computation_(id),
        overwritten_(module, graph, id),
        positions_(positions) {}

  void run(std::vector<FusionPlan> &plans) {
    describe_all();
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const Instruction first = module_.instruction(order_[i]);
      const bool may_begin = kernels_.contains(order_[i]) && !group_of_.contains(order_[i]);
      if (may_begin && first.opcode() != Opcode::Reshape && !is_scalar(kernels_.at(order_[i]))) {
        grow_from(order_[i]);
      }
    }
    add_plans(plans);
  }

 private:
  // Kernels that are merged.
  struct Group {
    std::vector<InstructionId> members;  // in program order
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> reduced;  // dimensions of its rows; empty if nothing is reduced
    std::size_t size = 0;               // see fused_size()
    std::size_t first = 0, last = 0;    // positions
  };

  // State of a growing group, kept so that a new member is not compared with all others.
  struct Growth {
    std::set<std::size_t> waiting;           // positions of candidates; the earliest is tried first
    std::unordered_set<InstructionId> seen;  // candidates, tried or not
    std::unordered_set<InstructionId> read;  // values whose users are already candidates
    // By value: members that read it at the same index.
    std::unordered_map<InstructionId, std::vector<InstructionId>> readers;
    std::unordered_set<InstructionId> operands;                    // arrays that the group reads
    std::unordered_map<InstructionId, std::size_t> users_outside;  // by value of the group; one for the root
    std::size_t results = 0;                                       // number of values with users outside
  };

  void describe_all() {
    ir::Computation computation = module_.computation(computation_);
    auto ids = computation.instruction_ids();
    order_.assign(ids.begin(), ids.end());
    const std::vector<bool> is_pinned = control_ordered(computation);
    for (std::size_t i = 0; i < order_.size(); ++i) {
      positions_[index(order_[i])] = i;
      ceilings_.push_back(i);
      const Instruction instruction = module_.instruction(order_[i]);
      const bool stays = index(order_[i]) < is_pinned.size() && is_pinned[index(order_[i])];
      const bool is_used = users_.is_used(order_[i]) || order_[i] == computation.root().id();
      if (stays || !is_used || !may_be_unfused(instruction)) {
        continue;
      }
      if (auto kernel = describe_kernel(instruction)) {
        kernels_.emplace(order_[i], std::move(*kernel));
        if (std::ranges::any_of(values_of(order_[i]), [&](InstructionId value) {
              return overwritten_.overwritten_by(module_.instruction(value)) != ir::no_instruction;
            })) {
          reusers_.insert(order_[i]);
        }
      }
    }
  }

  // Whether each result of the instruction is read by a get-tuple-element.
  bool may_be_unfused(const Instruction &instruction) const {
    return instruction.shape().is_array() || (instruction.id() != module_.computation(computation_).root().id() &&
                                              std::ranges::all_of(users_.of(instruction.id()), [&](InstructionId user) {
                                                return module_.instruction(user).opcode() == Opcode::GetTupleElement;
                                              }));
  }

  // Returns the kernel that computes a value, and the index of this value among its results.
  std::pair<InstructionId, std::size_t> source_of(InstructionId id) const {
    const Instruction instruction = module_.instruction(id);
    if (instruction.opcode() == Opcode::GetTupleElement) {
      return {instruction.operands()[0], static_cast<std::size_t>(instruction.number(ir::AttributeKey::Index))};
    }
    return {id, 0};
  }

  // Returns the arrays that an instruction computes: itself, or its get-tuple-elements.
  std::vector<InstructionId> values_of(InstructionId id) const {
    if (module_.instruction(id).shape().is_array()) {
      return {id};
    }
    auto elements = users_.of(id);
    return {elements.begin(), elements.end()};
  }

  void grow_from(InstructionId seed) {
    Group group, best;
    Growth growth;
    const auto join = [&](InstructionId id) {
      add(group, id);
      add_candidates(group, id, growth);
      count_values(group, id, growth);
    };
    join(seed);
    while (!growth.waiting.empty()) {
      const std::size_t position = *growth.waiting.begin();
      const InstructionId candidate = order_[position];
      growth.waiting.erase(growth.waiting.begin());
      if (!is_near(group, position)) {
        continue;  // a larger group would not be nearer
      }
      if (std::string reason = refusal(group, growth, candidate); !reason.empty()) {
        explain(group, candidate, reason);
        continue;
      }
      join(candidate);
      if (fits(growth)) {
        best = group;
      }
    }
    if (best.members.size() > 1) {
      settle(std::move(best));
    }
  }

  void add(Group &group, InstructionId id) const {
    const Kernel &kernel = kernels_.at(id);
    const std::size_t position = position_of(id);
    if (group.members.empty()) {
      group.sizes = kernel.sizes;
      group.first = group.last = position;
    }
    group.members.insert(
        std::ranges::upper_bound(group.members, position, {}, [&](InstructionId m) { return position_of(m); }), id);
    if (group.reduced.empty() && kernel.sizes == group.sizes) {
      group.reduced = kernel.reduced;
    }
    group.size += kernel.size;
    group.first = std::min(group.first, position);
    group.last = std::max(group.last, position);
  }

  bool is_member(const Group &group, InstructionId id) const {
    const auto at = std::ranges::lower_bound(group.members, position_of(id), {},
                                             [&](InstructionId member) { return position_of(member); });
    return at != group.members.end() && *at == id;
  }

  static bool is_near(const Group &group, std::size_t position) {
    return position + farthest_fused > group.last && position < group.first + farthest_fused;
  }

  // Adds candidates: kernels in no group that use values of a new member, compute its operands, or read the same
  // arrays.
  void add_candidates(const Group &group, InstructionId member, Growth &growth) const {
    auto consider = [&](InstructionId id) {
      const std::size_t position = position_of(id);
      if (is_near(group, position) && kernels_.contains(id) && !group_of_.contains(id) && !is_member(group, id) &&
          growth.seen.insert(id).second) {
        growth.waiting.insert(position);
      }
    };
    auto consider_users = [&](InstructionId value) {
      if (!growth.read.insert(value).second) {
        return;
      }
      // Users far away are skipped, because there may be any number of them.
      auto users = users_.of(value);
      auto begin = std::ranges::lower_bound(users, group.last - std::min(group.last, farthest_fused), {},
                                            [&](InstructionId user) { return position_of(user); });
      for (auto user = begin; user != users.end() && position_of(*user) < group.first + farthest_fused; ++user) {
        consider(*user);
      }
    };
    for (InstructionId value : values_of(member)) {
      consider_users(value);
    }
    const Instruction instruction = module_.instruction(member);
    for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
      const InstructionId operand = instruction.operands()[i];
      consider(source_of(operand).first);
      if (kernels_.at(member).operands[i].kind == Kind::SameIndex && context_.fusion.results) {
        consider_users(operand);
        growth.readers[operand].push_back(member);
      }
    }
  }

  std::size_t position_of(InstructionId id) const { return positions_[index(id)]; }

  // Returns the reason why a kernel does not join; empty if it may join.
  std::string refusal(const Group &group, const Growth &growth, InstructionId id) const {
    const Kernel &kernel = kernels_.at(id);
    const bool walks_rows = kernel.sizes != group.sizes;  // its elements may be rows of the group
    if (group.size + kernel.size > context_.fusion.max_instructions) {
      return fmt::format("together they have more than {} instructions", context_.fusion.max_instructions);
    }
    std::vector<std::int64_t> reduced = group.reduced.empty() && !walks_rows ? kernel.reduced : group.reduced;
    const bool is_scalar_of_group = is_scalar(kernel) && is_needed_only_by(group, id);
    const bool is_per_row = !reduced.empty() && kernel.reduced.empty() && is_once_per_row(kernel, group.sizes, reduced);
    if (walks_rows && !is_scalar_of_group && !is_per_row) {
      return "they compute arrays of different sizes";
    }
    if (!walks_rows && !kernel.reduced.empty() && kernel.reduced != reduced) {
      return "they reduce different dimensions";
    }
    if (!reduced.empty()) {
      if (std::string problem = row_problem(group, reduced, id); !problem.empty()) {
        return problem;
      }
    }
    bool exchanges = false;
    if (std::string problem = transfer_problem(group, reduced, id, exchanges); !problem.empty()) {
      return problem;
    }
    if (!exchanges && !reads_same(growth, id)) {
      return "they neither pass values to each other nor read an array at the same index";
    }
    if (!reusers_.empty() && std::ranges::any_of(group.members, [&](InstructionId member) {
          return would_need_copy(member, id) || would_need_copy(id, member);
        })) {
      return "one reads an array that the other overwrites, so that a copy would be needed";
    }
    return is_convex(group, id) ? "" : "other kernels use results of one and compute operands of the other";
  }

  bool would_need_copy(InstructionId maker, InstructionId reader) const {
    return reusers_.contains(maker) && std::ranges::any_of(values_of(maker), [&](InstructionId value) {
             return overwritten_.would_need_copy(module_.instruction(value), module_.instruction(reader),
                                                 kernels_.at(reader));
           });
  }

  // Whether the kernel computes a single element, once before the loop.
  static bool is_scalar(const Kernel &kernel) {
    return kernel.reduced.empty() && std::ranges::all_of(kernel.sizes, [](std::int64_t size) { return size == 1; });
  }

  bool is_needed_only_by(const Group &group, InstructionId id) const {
    return id != module_.computation(computation_).root().id() &&
           std::ranges::all_of(values_of(id), [&](InstructionId value) {
             return std::ranges::all_of(users_.of(value), [&](InstructionId user) { return is_member(group, user); });
           });
  }

  static bool is_once_per_row(const Kernel &kernel, const std::vector<std::int64_t> &sizes,
                              const std::vector<std::int64_t> &reduced) {
    std::vector<std::int64_t> kept;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      if (std::ranges::find(reduced, static_cast<std::int64_t>(d)) == reduced.end()) {
        kept.push_back(sizes[d]);
      }
    }
    return without_ones(kernel.sizes) == without_ones(kept);
  }

  // Whether rows, however long, are read only once: there is only one reduction, and values with all elements of a row
  // have no users outside the group.
  bool walks_once(const Group &group, InstructionId id) const {
    const auto is_inside = [&](InstructionId one) { return one == id || is_member(group, one); };
    const InstructionId root = module_.computation(computation_).root().id();
    std::size_t reductions = 0;
    const auto only_leads_on = [&](InstructionId member) {
      const Kernel &kernel = kernels_.at(member);
      reductions += kernel.reductions;
      const bool has_no_rows = kernel.sizes != group.sizes || std::ranges::all_of(kernel.is_per_row, std::identity());
      return reductions <= 1 && (has_no_rows || std::ranges::all_of(values_of(member), [&](InstructionId value) {
                                   return value != root && std::ranges::all_of(users_.of(value), is_inside);
                                 }));
    };
    return only_leads_on(id) && std::ranges::all_of(group.members, only_leads_on);
  }

  std::string row_problem(const Group &group, const std::vector<std::int64_t> &reduced, InstructionId id) const {
    const std::vector<std::int64_t> &sizes = group.sizes;
    if (!context_.fusion.rows) {
      return "the device does not fuse reductions with users of their results";
    }
    if (reduced.back() + 1 != static_cast<std::int64_t>(sizes.size())) {
      return "the reduced dimensions are not the last ones, so that the elements of a row are not contiguous";
    }
    std::int64_t bytes = 8;
    for (std::int64_t d : reduced) {
      bytes *= sizes[static_cast<std::size_t>(d)];
    }
    return bytes > context_.fusion.max_row_bytes && !walks_once(group, id)
               ? fmt::format("rows are longer than {} bytes", context_.fusion.max_row_bytes)
               : "";
  }

  // Returns the reason why a value that passes between the group and the kernel is read at other indices than it is
  // computed; empty if there is none. Sets `exchanges` if any value passes.
  std::string transfer_problem(const Group &group, const std::vector<std::int64_t> &reduced, InstructionId id,
                               bool &exchanges) const {
    const auto check = [&](InstructionId user, InstructionId value) {
      exchanges = true;
      return index_problem(group, reduced, user, value);
    };
    for (InstructionId operand : module_.instruction(id).operands()) {
      if (is_member(group, source_of(operand).first)) {
        if (std::string problem = check(id, operand); !problem.empty()) {
          return problem;
        }
      }
    }
    for (InstructionId value : values_of(id)) {
      auto users = users_.of(value);
      const auto position = [&](InstructionId user) { return position_of(user); };
      for (auto user = std::ranges::lower_bound(users, group.first, {}, position);
           user != users.end() && position_of(*user) <= group.last; ++user) {
        if (is_member(group, *user)) {
          if (std::string problem = check(*user, value); !problem.empty()) {
            return problem;
          }
        }
      }
    }
    return {};
  }

  // Returns the reason why a kernel reads a value at other indices than another kernel computes it; empty if it does
  // not.
  std::string index_problem(const Group &group, const std::vector<std::int64_t> &reduced, InstructionId user,
                            InstructionId value) const {
    const auto [maker, result] = source_of(value);
    const Kernel &from = kernels_.at(maker), &to = kernels_.at(user);
    const bool is_per_row = from.sizes != group.sizes || from.is_per_row[result];
    const bool user_walks_rows = to.sizes != group.sizes;
    const Instruction instruction = module_.instruction(user);
    for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
      if (instruction.operands()[i] != value) {
        continue;
      }
      const Access &access = to.operands[i];
      bool fits = false;
      if (!is_per_row) {
        fits = access.kind == Kind::SameIndex && !user_walks_rows;
      } else if (user_walks_rows) {
        fits = access.kind == Kind::SameIndex;
      } else {
        fits = access.kind == Kind::PerRow &&
               (is_scalar(from) ? access.rows.empty() : access.rows == kept_dimensions(group.sizes, reduced));
      }
      if (!fits) {
        return fmt::format("{} reads {} at other indices than those at which it is computed", instruction.name(),
                           module_.instruction(value).name());
      }
    }
    return {};
  }

  // Whether the kernel and a member read an array at the same index.
  bool reads_same(const Growth &growth, InstructionId id) const {
    const Kernel &kernel = kernels_.at(id);
    const Instruction instruction = module_.instruction(id);
    for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
      const auto found = growth.readers.find(instruction.operands()[i]);
      if (kernel.operands[i].kind == Kind::SameIndex && instruction.operand(i).shape().rank() > 0 &&
          found != growth.readers.end() && std::ranges::any_of(found->second, [&](InstructionId member) {
            return kernels_.at(member).sizes == kernel.sizes;
          })) {
        return true;
      }
    }
    return false;
  }

  static std::vector<std::int64_t> kept_dimensions(const std::vector<std::int64_t> &sizes,
                                                   const std::vector<std::int64_t> &reduced) {
    std::vector<std::int64_t> kept;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      const auto dimension = static_cast<std::int64_t>(d);
      if (sizes[d] != 1 && std::ranges::find(reduced, dimension) == reduced.end()) {
        kept.push_back(dimension);
      }
    }
    return kept;
  }

  // Whether the group stays convex with the kernel: no path leaves it and comes back, given that no path does so in the
  // group itself. Returns false when it has visited too many values.
  bool is_convex(const Group &group, InstructionId id) const {
    const std::size_t first = std::min(group.first, position_of(id));
    auto is_inside = [&](InstructionId value) { return value == id || is_member(group, value); };
    std::vector<InstructionId> stack;
    std::unordered_set<InstructionId> seen;
    auto push = [&](InstructionId value) {
      if (ceilings_[position_of(value)] > first && seen.insert(value).second) {
        stack.push_back(value);
      }
    };
    auto begin_at = [&](InstructionId member, std::size_t earliest) {
      for (InstructionId operand : module_.instruction(member).operands()) {
        if (ceilings_[position_of(operand)] > earliest && !is_inside(source_of(operand).first)) {
          push(operand);
        }
      }
    };
    for (InstructionId member : group.members) {
      begin_at(member, position_of(id));  // only paths from the kernel are new
    }
    begin_at(id, first);
    while (!stack.empty() && seen.size() <= max_visited) {
      const InstructionId value = stack.back();
      stack.pop_back();
      const auto other = group_of_.find(value);
      const InstructionId alone[] = {value};
      for (InstructionId node :
           other == group_of_.end() ? std::span(alone) : std::span(groups_[other->second].members)) {
        const Instruction instruction = module_.instruction(node);
        for (auto needs : {instruction.operands(), instruction.control_predecessors()}) {
          for (InstructionId needed : needs) {
            if (is_inside(needed)) {
              return false;
            }
            push(needed);
          }
        }
      }
    }
    return stack.empty();
  }

  // Completes a group. From now on it is one node: instructions after one of its members come after all of them.
  void settle(Group group) {
    for (InstructionId member : group.members) {
      group_of_[member] = groups_.size();
    }
    groups_.push_back(std::move(group));
    const std::size_t ceiling = std::ranges::max(
        groups_.back().members | std::views::transform([&](InstructionId m) { return ceilings_[position_of(m)]; }));
    std::vector<InstructionId> stack = groups_.back().members;
    while (!stack.empty()) {
      const InstructionId value = stack.back();
      stack.pop_back();
      std::size_t &own = ceilings_[position_of(value)];
      if (own >= ceiling) {
        continue;
      }
      own = ceiling;
      for (InstructionId user : users_.of(value)) {
        stack.push_back(user);
      }
      if (const auto other = group_of_.find(value); other != group_of_.end()) {
        for (InstructionId member : groups_[other->second].members) {
          stack.push_back(member);
        }
      }
    }
  }

  // Returns the values of members that are used outside the group.
  std::vector<InstructionId> results_of(const Group &group) const {
    std::vector<InstructionId> results;
    const InstructionId root = module_.computation(computation_).root().id();
    for (InstructionId member : group.members) {
      for (InstructionId value : values_of(member)) {
        const bool is_needed = value == root || std::ranges::any_of(users_.of(value), [&](InstructionId user) {
                                 return !is_member(group, user);
                               });
        if (is_needed) {
          results.push_back(value);
        }
      }
    }
    return results;
  }

  // Updates the operands and results of the group for a new member.
  void count_values(const Group &group, InstructionId member, Growth &growth) const {
    const InstructionId root = module_.computation(computation_).root().id();
    for (InstructionId value : values_of(member)) {
      growth.operands.erase(value);
      const auto users = users_.of(value);
      const auto outside = static_cast<std::size_t>(
          std::ranges::count_if(users, [&](InstructionId user) { return !is_member(group, user); }));
      growth.users_outside[value] = outside + (value == root ? 1 : 0);
      growth.results += growth.users_outside[value] != 0 ? 1 : 0;
    }
    const auto operands = module_.instruction(member).operands();
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const bool is_first =
          std::ranges::find(operands.first(i), operands[i]) == operands.begin() + static_cast<std::ptrdiff_t>(i);
      if (const auto found = growth.users_outside.find(operands[i]); is_first && found != growth.users_outside.end()) {
        growth.results -= --found->second == 0 ? 1 : 0;
      }
      const auto read = read_for(module_.instruction(operands[i]));
      if (read && !is_member(group, source_of(*read).first)) {
        growth.operands.insert(*read);
      }
    }
  }

  // Whether the device runs the group as one kernel.
  bool fits(const Growth &growth) const {
    return growth.results > 0 && (growth.results == 1 || context_.fusion.results) &&
           growth.operands.size() + growth.results <= context_.fusion.max_values;
  }

  void explain(const Group &group, InstructionId id, const std::string &reason) const {
    if (context_.explain_fusion) {
      context_.explain_fusion({std::string(module_.instruction(group.members.front()).name()),
                               std::string(module_.instruction(id).name()), reason});
    }
  }

  void add_plans(std::vector<FusionPlan> &plans) const {
    for (const Group &group : groups_) {
      plans.push_back(
          {group.members, results_of(group), group.reduced.empty() ? ir::FusionKind::Loop : ir::FusionKind::Input});
      for (std::size_t i = 1; i < group.members.size() && context_.explain_fusion; ++i) {
        context_.explain_fusion({std::string(module_.instruction(group.members[0]).name()),
                                 std::string(module_.instruction(group.members[i]).name()),
                                 {}});
      }
    }
  }

  ir::Module &module_;
  const analysis::Users &users_;
  const PassContext &context_;
  ir::ComputationId computation_;
  OverwrittenArrays overwritten_;
  std::vector<InstructionId> order_;
  std::vector<std::size_t> &positions_;  // in order_, by instruction id
  std::unordered_map<InstructionId, Kernel> kernels_;
  std::unordered_set<InstructionId> reusers_;  // kernels with a value that reuses the memory of an array
  std::vector<Group> groups_;                  // completed
  std::unordered_map<InstructionId, std::size_t> group_of_;
  // By position: the largest position of the instructions that an instruction depends on, where each completed group is
  // one node.
  std::vector<std::size_t> ceilings_;
};

}  // namespace

Result<bool> fusion_merging(ir::Module &module, const PassContext &context) {
  if (!context.fusion.rows && !context.fusion.results) {
    return false;
  }
  analysis::CallGraph graph(module);
  analysis::Users users(module);
  std::vector<FusionPlan> plans;
  std::vector<std::size_t> positions(module.instruction_id_limit());
  for (ir::ComputationId id : graph.callees_first()) {
    if (graph.context(id) == analysis::CallContext::Control) {
      KernelMerger(module, graph, users, context, id, positions).run(plans);
    }
  }
  return build_fusions(module, plans);
}

}  // namespace bp::passes
