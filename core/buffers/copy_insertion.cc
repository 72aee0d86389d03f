// First adds a copy wherever one could be needed: initial value, parameter and next value of changed while state,
// branch results, outputs, parameters that must alias an output. With all of these, each slice holds one value at a
// time. Then checks for one copy after another whether source and copy can share a slice (buffer_sets.h) and, if so,
// removes the copy. Innermost computations come first, since a copy in a loop costs most.
#include "core/buffers/copy_insertion.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/buffers/colocation.h"
#include "core/buffers/deep_copy.h"

namespace bp::buffers {

using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;

namespace {

constexpr std::string_view reason_key = "copy_reason";

// The purpose of a group of copies; those of one computation are tried for removal in this order.
enum class Purpose { Parameter, Root, InitialValue };

class CopyInserter {
 public:
  explicit CopyInserter(ir::Module &module) : module_(module), editor_(module) {}

  Result<bool> run() {
    std::vector<InstructionId> own_copies = find_own_copies();
    BP_TRY(add_copies());
    BP_TRY(decide(own_copies));
    std::vector<DeepCopy> deep_copies;
    bool is_changed = !own_copies.empty();
    for (auto &[computation, groups] : groups_) {
      for (Group &group : groups) {
        is_changed = is_changed || std::ranges::any_of(group.copies.parts, &DeepCopy::Part::is_kept);
        deep_copies.push_back(std::move(group.copies));
      }
    }
    editor_.remove(deep_copies, own_copies);
    if (is_changed) {
      module_.unique_names();
    }
    return is_changed;
  }

 private:
  struct Group {
    Purpose purpose;
    InstructionId user;  // the while, conditional or entry root that needs it
    DeepCopy copies;
  };

  std::vector<InstructionId> find_own_copies() const {
    std::vector<InstructionId> copies;
    for (ir::Computation computation : module_.computations()) {
      for (Instruction instruction : computation.instructions()) {
        if (is_identity_copy(instruction)) {
          copies.push_back(instruction.id());
        }
      }
    }
    return copies;
  }

  void add_group(Purpose purpose, InstructionId user, DeepCopy copies) {
    ir::ComputationId computation = module_.instruction(copies.rebuilt).parent().id();
    groups_[index(computation)].push_back({purpose, user, std::move(copies)});
  }

  // Adds copies wherever one could be needed, according to the dataflow of the program in its present state.
  Status add_copies() {
    BP_ASSIGN(Dataflow dataflow, Dataflow::analyze(module_));
    BP_ASSIGN(auto donated, donations(dataflow));
    InstructionId root = module_.entry().root().id();
    add_body_parameter_copies(dataflow);
    add_donated_parameter_copies(dataflow, donated);
    for (ir::ComputationId id : dataflow.control_computations()) {
      auto ids = module_.computation(id).instruction_ids();
      for (InstructionId user : std::vector<InstructionId>(ids.begin(), ids.end())) {
        Opcode opcode = module_.instruction(user).opcode();
        auto positions = changed_positions(dataflow, user);
        if (positions.empty()) {
          continue;
        }
        std::vector<ir::ComputationId> callees(module_.instruction(user).calls().begin(),
                                               module_.instruction(user).calls().end());
        if (opcode == Opcode::While) {
          add_group(Purpose::InitialValue, user, editor_.copy_operand(user, 0, positions));
          add_group(Purpose::Root, user, editor_.copy_root(callees[1], positions));
        } else {
          for (ir::ComputationId branch : callees) {
            add_group(Purpose::Root, user, editor_.copy_root(branch, positions));
          }
        }
      }
    }
    if (auto outputs = all_positions(dataflow, root); !outputs.empty()) {
      add_group(Purpose::Root, root, editor_.copy_root(module_.entry().id(), outputs));
    }
    editor_.place();
    return {};
  }

  using Parameters = std::vector<std::pair<InstructionId, CopyEditor::Positions>>;

  void copy_parameters(ir::ComputationId computation, InstructionId user, const Parameters &parameters) {
    for (DeepCopy &copies : editor_.copy_parameters(computation, parameters)) {
      add_group(Purpose::Parameter, user, std::move(copies));
    }
  }

  void add_body_parameter_copies(const Dataflow &dataflow) {
    for (ir::ComputationId id : dataflow.control_computations()) {
      auto ids = module_.computation(id).instruction_ids();
      for (InstructionId user : std::vector<InstructionId>(ids.begin(), ids.end())) {
        if (module_.instruction(user).opcode() != Opcode::While) {
          continue;
        }
        auto positions = changed_positions(dataflow, user);
        if (!positions.empty()) {
          ir::Computation body = module_.instruction(user).called(1);
          copy_parameters(body.id(), user, {{body.parameter_ids()[0], positions}});
        }
      }
    }
  }

  void add_donated_parameter_copies(const Dataflow &dataflow, std::span<const Donation> donated) {
    std::vector<bool> must_alias;
    for (const Donation &donation : donated) {
      if (donation.must) {
        must_alias.resize(std::max(must_alias.size(), static_cast<std::size_t>(donation.input) + 1));
        must_alias[static_cast<std::size_t>(donation.input)] = true;
      }
    }
    Parameters parameters;
    std::size_t number = 0;
    ir::Computation entry = module_.entry();
    for (InstructionId parameter : entry.parameter_ids()) {
      CopyEditor::Positions positions;
      for (const Leaf &leaf : dataflow.positions().of(module_.instruction(parameter)).leaves) {
        if (number < must_alias.size() && must_alias[number]) {
          positions.push_back(leaf.position);
        }
        ++number;
      }
      if (!positions.empty()) {
        parameters.emplace_back(parameter, std::move(positions));
      }
    }
    if (!parameters.empty()) {
      InstructionId root = entry.root().id();
      copy_parameters(entry.id(), root, parameters);
    }
  }

  // Returns the positions of a while or conditional that are values of its own: changed by the body, different in the
  // branches.
  CopyEditor::Positions changed_positions(const Dataflow &dataflow, InstructionId id) const {
    CopyEditor::Positions positions;
    Opcode opcode = module_.instruction(id).opcode();
    if (opcode == Opcode::While || opcode == Opcode::Conditional) {
      for (const Leaf &leaf : dataflow.positions().of(module_.instruction(id)).leaves) {
        if (dataflow.value(dataflow.value_at(id, leaf.position)).instruction == id) {
          positions.push_back(leaf.position);
        }
      }
    }
    return positions;
  }

  CopyEditor::Positions all_positions(const Dataflow &dataflow, InstructionId id) const {
    CopyEditor::Positions positions;
    for (const Leaf &leaf : dataflow.positions().of(module_.instruction(id)).leaves) {
      positions.push_back(leaf.position);
    }
    return positions;
  }

  // Marks in groups_ the copies to keep; removes those to keep from own_copies.
  Status decide(std::vector<InstructionId> &own_copies) {
    BP_ASSIGN(Dataflow dataflow, Dataflow::analyze(module_));
    Timeline timeline = flatten_schedule(dataflow);
    BufferSets sets(dataflow, live_ranges(dataflow, timeline), BufferSets::Copies::Removable);
    BP_ASSIGN(auto donated, donations(dataflow));
    bind_inputs(dataflow, donated, sets);
    BP_TRY(bind_outputs(dataflow, sets));
    BP_TRY(join_must_aliases(dataflow, sets));
    auto may_alias = std::ranges::stable_partition(donated, &Donation::must);
    BP_TRY(join_donations(dataflow, std::span(donated.begin(), may_alias.begin()), sets));

    // Copies in fused and other embedded computations own no buffers and are left alone.
    std::erase_if(own_copies, [&](InstructionId copy) { return value_of(dataflow, copy) == no_value; });
    std::map<std::uint32_t, std::vector<InstructionId>> own_by_computation;
    for (InstructionId copy : own_copies) {
      own_by_computation[index(module_.instruction(copy).parent().id())].push_back(copy);
    }
    for (ir::ComputationId id : dataflow.control_computations()) {
      try_without_copies(dataflow, id, Purpose::Parameter, sets);
      try_without_copies(dataflow, id, Purpose::Root, sets);
      if (id == module_.entry().id()) {
        BP_TRY(join_donations(dataflow, {may_alias.begin(), may_alias.end()}, sets));
      }
      try_without_copies(dataflow, id, Purpose::InitialValue, sets);
      for (InstructionId copy : own_by_computation[index(id)]) {
        (void)sets.join_copy(value_of(dataflow, copy), source_of(dataflow, copy));
      }
    }
    // A copy that was kept may share its source's slice because of later joins.
    auto is_kept = [&](InstructionId copy) {
      return !sets.are_joined(value_of(dataflow, copy), source_of(dataflow, copy));
    };
    std::erase_if(own_copies, is_kept);
    for (auto &[computation, groups] : groups_) {
      for (Group &group : groups) {
        for (DeepCopy::Part &part : group.copies.parts) {
          part.is_kept = is_kept(part.copy);
          if (part.is_kept) {
            set_reason(part.copy, reasons_.at(index(part.copy)));
          }
        }
      }
    }
    return {};
  }

  ValueId value_of(const Dataflow &dataflow, InstructionId copy) const { return dataflow.value_at(copy, 0); }
  ValueId source_of(const Dataflow &dataflow, InstructionId copy) const {
    return dataflow.value_at(module_.instruction(copy).operands()[0], 0);
  }

  void try_without_copies(const Dataflow &dataflow, ir::ComputationId computation, Purpose purpose, BufferSets &sets) {
    for (const Group &group : groups_[index(computation)]) {
      if (group.purpose != purpose) {
        continue;
      }
      for (const DeepCopy::Part &part : group.copies.parts) {
        if (auto conflict = sets.join_copy(value_of(dataflow, part.copy), source_of(dataflow, part.copy))) {
          reasons_[index(part.copy)] = fmt::format("{}: {}", purpose_of(dataflow, group, part.position),
                                                   describe(dataflow, *conflict, editor_.first_added()));
        }
      }
    }
  }

  std::string purpose_of(const Dataflow &dataflow, const Group &group, std::uint32_t position) const {
    Instruction user = module_.instruction(group.user);
    if (user.opcode() == Opcode::While) {
      std::string_view what = group.purpose == Purpose::InitialValue ? "initial value"
                              : group.purpose == Purpose::Root       ? "next value"
                                                                     : "value in the body";
      return fmt::format("{} of {}", what, describe(dataflow, user, position));
    }
    if (user.opcode() == Opcode::Conditional) {
      return fmt::format("result of {}", describe(dataflow, user, position));
    }
    return fmt::format("{} {}", group.purpose == Purpose::Root ? "output" : "donated parameter",
                       describe(dataflow, module_.instruction(group.copies.original), position));
  }

  // The reason must not contain quotes, so that the text of the attribute is the one that a reader gives.
  void set_reason(InstructionId copy, const std::string &reason) {
    module_.set_text(copy, ir::AttributeKey::FrontendAttributes, fmt::format("{{{}=\"{}\"}}", reason_key, reason));
  }

  ir::Module &module_;
  CopyEditor editor_;
  std::map<std::uint32_t, std::vector<Group>> groups_;      // by computation of the copies
  std::unordered_map<std::uint32_t, std::string> reasons_;  // by copy: why it was kept
};

}  // namespace

Result<bool> insert_copies(ir::Module &module) {
  return CopyInserter(module).run();
}

std::string copy_reason(Instruction copy) {
  std::string_view text = copy.text(ir::AttributeKey::FrontendAttributes);
  std::string key = fmt::format("{}=\"", reason_key);
  std::size_t begin = text.find(key);
  if (begin == std::string_view::npos) {
    return {};
  }
  text.remove_prefix(begin + key.size());
  return std::string(text.substr(0, text.find('"')));
}

}  // namespace bp::buffers
