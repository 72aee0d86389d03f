#include "core/buffers/validate.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/buffers/alias.h"

namespace bp::buffers {
namespace {

using ir::Computation;
using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;

// The content of a block of memory, or of an array of the program. 0: undefined, must not be read.
using Content = std::uint32_t;

class Validator {
 public:
  Validator(const ir::Module &module, const Plan &plan, PositionTable positions)
      : module_(module), plan_(plan), positions_(std::move(positions)), held_(positions_.total()) {}

  Status run() {
    read_donations();
    BP_TRY(check_allocations());
    memory_.resize(plan_.allocations.size());
    find_origins();
    BP_TRY(place_inputs());
    BP_TRY(run_computation(module_.entry()));
    return check_outputs();
  }

 private:
  template <class... Args>
  static Error wrong(Instruction instruction, fmt::format_string<Args...> format, Args &&...args) {
    return make_error(ErrorCode::Internal, "buffer plan: {}: {}", instruction.name(),
                      fmt::format(format, std::forward<Args>(args)...))
        .at(instruction.location());
  }

  const std::vector<Leaf> &leaves(Instruction instruction) const { return positions_.of(instruction).leaves; }
  Content &held(InstructionId id, std::size_t position) { return held_[positions_.first(id) + position]; }
  Slice slice(InstructionId id, std::size_t position) const { return *plan_.slice(id, position); }

  // --- Memory: per allocation, blocks by offset. ---

  struct Block {
    std::int64_t end = 0;
    Content content = 0;
  };

  void write(Slice slice, Content content) {
    if (slice.size == 0) {
      return;
    }
    auto &blocks = memory_[slice.allocation];
    auto at = blocks.lower_bound(slice.offset);
    if (at != blocks.begin() && std::prev(at)->second.end > slice.offset) {
      --at;
    }
    while (at != blocks.end() && at->first < slice.offset + slice.size) {
      at = blocks.erase(at);
    }
    blocks.emplace(slice.offset, Block{slice.offset + slice.size, content});
  }

  bool holds(Slice slice, Content content) const {
    if (slice.size == 0) {
      return true;
    }
    const auto &blocks = memory_[slice.allocation];
    auto at = blocks.find(slice.offset);
    return content != 0 && at != blocks.end() && at->second.end == slice.offset + slice.size &&
           at->second.content == content;
  }

  // --- Rules that can be checked without a run ---

  Status check_allocations() {
    for (std::uint32_t i = 0; i < plan_.allocations.size(); ++i) {
      const Allocation &allocation = plan_.allocations[i];
      if (allocation.size < 0 || allocation.alignment <= 0) {
        return make_error(ErrorCode::Internal, "buffer plan: allocation {} has size {} and alignment {}", i,
                          allocation.size, allocation.alignment);
      }
      if (allocation.kind == AllocationKind::Input || allocation.kind == AllocationKind::Output) {
        auto &given = allocation.kind == AllocationKind::Input ? inputs_ : outputs_;
        if (allocation.index != static_cast<std::int64_t>(given.size())) {
          return make_error(ErrorCode::Internal, "buffer plan: allocation {} is {} {}, expected {}", i,
                            to_string(allocation.kind), allocation.index, given.size());
        }
        given.push_back(i);
      }
      BP_TRY(check_donation(allocation));
    }
    return {};
  }

  Status check_donation(const Allocation &output) {
    if (output.alias < 0) {
      return {};
    }
    auto alias = static_cast<std::size_t>(output.alias);
    bool is_pair = output.kind == AllocationKind::Output && alias < plan_.allocations.size() &&
                   plan_.allocations[alias].kind == AllocationKind::Input &&
                   plan_.allocations[alias].size == output.size &&
                   header_pairs_.contains({plan_.allocations[alias].index, output.index});
    if (!is_pair || !donated_.insert(alias).second) {
      return make_error(ErrorCode::Internal, "buffer plan: output {} is in allocation {}, which is not donated to it",
                        output.index, alias);
    }
    return {};
  }

  // Reads input_output_alias as leaf numbers of inputs and outputs.
  void read_donations() {
    std::vector<std::int64_t> first_input = {0};  // by parameter number
    for (InstructionId parameter : module_.entry().parameter_ids()) {
      auto count = static_cast<std::int64_t>(leaves(module_.instruction(parameter)).size());
      first_input.push_back(first_input.back() + count);
    }
    for (const ir::InputOutputAlias &entry : module_.header().input_output_alias) {
      auto number = static_cast<std::size_t>(entry.parameter);
      if (number < module_.entry().parameter_count()) {
        std::int64_t input = leaf_number(module_.entry().parameter(number), entry.parameter_index);
        header_pairs_.emplace(first_input[number] + input, leaf_number(module_.entry().root(), entry.output_index));
      }
    }
  }
  std::int64_t leaf_number(Instruction instruction, std::span<const std::int64_t> index) const {
    std::int64_t position = instruction.shape().position_of_index(index);
    auto found = std::ranges::lower_bound(leaves(instruction), position, {}, &Leaf::position);
    return found - leaves(instruction).begin();
  }

  Status check_slices(Instruction instruction) {
    for (const Leaf &leaf : leaves(instruction)) {
      auto found = plan_.slice(instruction.id(), leaf.position);
      if (!found || found->allocation >= plan_.allocations.size()) {
        return wrong(instruction, "part {} has no slice", leaf.position);
      }
      const Allocation &allocation = plan_.allocations[found->allocation];
      if (found->size != leaf.size || found->offset < 0 || found->offset > allocation.size ||
          found->size > allocation.size - found->offset) {
        return wrong(instruction,
                     "part {} has {} bytes, but its slice begins at {} and has {} bytes in an allocation of {} bytes",
                     leaf.position, leaf.size, found->offset, found->size, allocation.size);
      }
      // Temporaries of space 0 may be moved to any memory space.
      const bool is_moved = leaf.memory_space == 0 && allocation.kind == AllocationKind::Temporary;
      if (found->offset % allocation.alignment != 0 || (allocation.memory_space != leaf.memory_space && !is_moved)) {
        return wrong(instruction,
                     "part {} begins at {} in memory space {}, expected a multiple of {} in memory space {}",
                     leaf.position, found->offset, allocation.memory_space, allocation.alignment, leaf.memory_space);
      }
    }
    return {};
  }

  // --- The run ---

  // Gives an instruction's arrays new contents and writes them to their slices.
  Status define(Instruction instruction) {
    for (const Leaf &leaf : leaves(instruction)) {
      Slice to = slice(instruction.id(), leaf.position);
      const Allocation &allocation = plan_.allocations[to.allocation];
      bool is_read_only = allocation.kind == AllocationKind::Constant ||
                          (allocation.kind == AllocationKind::Input && !donated_.contains(to.allocation));
      if (is_read_only && to.size > 0) {
        return wrong(instruction, "is written to allocation {}, which is read only ({})", to.allocation,
                     to_string(allocation.kind));
      }
      held(instruction.id(), leaf.position) = ++last_content_;
      write(to, last_content_);
    }
    return {};
  }

  Status expect_held(Instruction user, Instruction instruction) {
    for (const Leaf &leaf : leaves(instruction)) {
      if (!holds(slice(instruction.id(), leaf.position), held(instruction.id(), leaf.position))) {
        return wrong(user, "needs part {} of {}, which was overwritten", leaf.position, instruction.name());
      }
    }
    return {};
  }

  // Gives a range of positions the contents of another; both must have the same slices.
  Status forward(Instruction to, std::size_t to_position, Instruction from, std::size_t from_position,
                 std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      auto here = plan_.slice(to.id(), to_position + i), there = plan_.slice(from.id(), from_position + i);
      if (here != there) {
        return wrong(to, "part {} and part {} of {} must share a slice", to_position + i, from_position + i,
                     from.name());
      }
      held(to.id(), to_position + i) = held(from.id(), from_position + i);
    }
    return {};
  }
  Status forward(Instruction to, Instruction from) { return forward(to, 0, from, 0, positions_.of(to).count); }

  Status check_overlaps(Instruction instruction) {
    for (const Leaf &leaf : leaves(instruction)) {
      Slice to = slice(instruction.id(), leaf.position);
      std::vector<OperandPart> permitted;
      bool is_known = false;
      for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
        for (const Leaf &part : leaves(instruction.operand(i))) {
          Slice from = slice(instruction.operands()[i], part.position);
          bool overlap = from.allocation == to.allocation && from.size > 0 && to.size > 0 &&
                         from.offset < to.offset + to.size && to.offset < from.offset + from.size;
          if (!overlap) {
            continue;
          }
          if (!std::exchange(is_known, true)) {
            permitted = overwritable_operands(instruction, leaf.position);
          }
          if (from != to || std::ranges::find(permitted, OperandPart{i, part.position}) == permitted.end()) {
            return wrong(instruction, "overwrites operand {}, which {} may not", i, to_string(instruction.opcode()));
          }
        }
      }
    }
    return {};
  }

  Status place_inputs() {
    std::size_t number = 0;
    for (InstructionId id : module_.entry().parameter_ids()) {
      Instruction parameter = module_.instruction(id);
      BP_TRY(check_slices(parameter));
      for (const Leaf &leaf : leaves(parameter)) {
        if (number >= inputs_.size() || slice(id, leaf.position) != Slice{inputs_[number], 0, leaf.size} ||
            plan_.allocations[inputs_[number]].size != leaf.size) {
          return wrong(parameter, "part {} is not in the allocation of input {}, expected all of it", leaf.position,
                       number);
        }
        held(id, leaf.position) = ++last_content_;
        write(slice(id, leaf.position), last_content_);
        ++number;
      }
    }
    return number == inputs_.size() ? Status() : wrong(module_.entry().root(), "there are more inputs than parameters");
  }

  // A constant exists from the start: its blocks are created when it is first encountered, and nothing else may be
  // written there.
  Status place_constant(Instruction constant) {
    for (const Leaf &leaf : leaves(constant)) {
      Slice at = slice(constant.id(), leaf.position);
      const Allocation &allocation = plan_.allocations[at.allocation];
      if (allocation.kind != AllocationKind::Constant || at.offset != 0 || at.size != allocation.size) {
        return wrong(constant, "part {} does not fill an allocation of kind constant, expected one of its own size",
                     leaf.position);
      }
      Instruction holder = module_.instruction(allocation.constant);
      if (holder.id() != constant.id() &&
          !(holder.opcode() == Opcode::Constant && holder.shape().is_array() && constant.shape().is_array() &&
            holder.shape() == constant.shape() && holder.literal().identical(constant.literal()))) {
        return wrong(constant, "shares an allocation with {}, which is not equal", holder.name());
      }
      if (!holds(at, at.allocation + first_constant)) {
        write(at, at.allocation + first_constant);
      }
      held(constant.id(), leaf.position) = at.allocation + first_constant;
    }
    return {};
  }

  // Deep nesting of computations occurs only in malicious input: the bound prevents a stack overflow.
  Status run_computation(Computation computation) {
    constexpr int max_depth = 1000;
    if (depth_ == max_depth) {
      return unsupported("buffer plan: control flow nests deeper than {}", max_depth);
    }
    ++depth_;
    for (Instruction instruction : computation.instructions()) {
      if (!(instruction.opcode() == Opcode::Parameter)) {
        BP_TRY(check_slices(instruction));
        BP_TRY(run_instruction(instruction));
      }
    }
    --depth_;
    return expect_held(computation.root(), computation.root());
  }

  Status run_instruction(Instruction instruction) {
    switch (instruction.opcode()) {
      case Opcode::Constant: return place_constant(instruction);
      case Opcode::Tuple: {
        std::size_t position = 1;
        for (InstructionId id : instruction.operands()) {
          Instruction operand = module_.instruction(id);
          BP_TRY(forward(instruction, position, operand, 0, positions_.of(operand).count));
          position += positions_.of(operand).count;
        }
        return {};
      }
      case Opcode::GetTupleElement: {
        Instruction operand = instruction.operand(0);
        std::size_t position = positions_.of(operand).elements[static_cast<std::size_t>(instruction.tuple_index())];
        return forward(instruction, 0, operand, position, positions_.of(instruction).count);
      }
      case Opcode::While: return run_while(instruction);
      case Opcode::Conditional: return run_conditional(instruction);
      case Opcode::Call: {
        Computation callee = instruction.called(0);
        for (std::size_t i = 0; i < callee.parameter_count(); ++i) {
          BP_TRY(enter(callee.parameter(i), instruction.operand(i)));
        }
        BP_TRY(run_computation(callee));
        return forward(instruction, callee.root());
      }
      default: break;
    }
    if (is_forwarding(instruction)) {
      return forward(instruction, instruction.operand(0));
    }
    for (InstructionId operand : instruction.operands()) {
      BP_TRY(expect_held(instruction, module_.instruction(operand)));
    }
    BP_TRY(check_overlaps(instruction));
    BP_TRY(define(instruction));
    return expect_held(instruction, instruction);  // its results do not overlap each other
  }

  Status enter(Instruction parameter, Instruction operand) {
    BP_TRY(check_slices(parameter));
    return forward(parameter, operand);
  }

  Status run_conditional(Instruction instruction) {
    BP_TRY(expect_held(instruction, instruction.operand(0)));
    bool first = true;
    std::vector<bool> differs(positions_.of(instruction).count);
    for (std::size_t branch = 0; branch < instruction.calls().size(); ++branch) {
      Computation callee = instruction.called(branch);
      BP_TRY(enter(callee.parameter(0), instruction.operand(branch + 1)));
      BP_TRY(run_computation(callee));
      for (const Leaf &leaf : leaves(instruction)) {
        InstructionId root = callee.root().id();
        if (!first && held(root, leaf.position) != held(instruction.id(), leaf.position)) {
          differs[leaf.position] = true;
        }
      }
      BP_TRY(forward(instruction, callee.root()));
      first = false;
    }
    for (const Leaf &leaf : leaves(instruction)) {
      if (differs[leaf.position]) {
        held(instruction.id(), leaf.position) = ++last_content_;
        write(slice(instruction.id(), leaf.position), last_content_);
      }
    }
    return expect_held(instruction, instruction);
  }

  // Condition and body run from a state that represents the one before any iteration: what the body changes has new
  // contents. Everything must be at its slice when the condition begins again.
  Status run_while(Instruction loop) {
    Instruction condition = loop.called(0).parameter(0), body = loop.called(1).parameter(0);
    BP_TRY(expect_held(loop, loop.operand(0)));
    BP_TRY(forward(loop, loop.operand(0)));
    std::vector<bool> changes = changed_state(loop);
    auto renew = [&] {
      for (const Leaf &leaf : leaves(loop)) {
        if (changes[leaf.position]) {
          held(loop.id(), leaf.position) = ++last_content_;
          write(slice(loop.id(), leaf.position), last_content_);
        }
      }
    };
    renew();
    BP_TRY(expect_held(loop, loop));  // two elements of the state may not share a slice
    BP_TRY(enter(condition, loop));
    BP_TRY(run_computation(loop.called(0)));
    BP_TRY(expect_held(loop, condition));
    BP_TRY(enter(body, loop));
    BP_TRY(run_computation(loop.called(1)));
    for (const Leaf &leaf : leaves(loop)) {
      InstructionId root = loop.called(1).root().id();
      if (slice(root, leaf.position) != slice(loop.id(), leaf.position)) {
        return wrong(loop, "part {} of the state and of the body's root must share a slice", leaf.position);
      }
      if (!changes[leaf.position] && held(root, leaf.position) != held(loop.id(), leaf.position)) {
        return wrong(loop, "part {} of the state changed", leaf.position);
      }
    }
    renew();
    return expect_held(loop, loop);
  }

  std::vector<bool> changed_state(Instruction loop) const {
    std::size_t root = positions_.first(loop.called(1).root().id());
    std::size_t parameter = positions_.first(loop.called(1).parameter_ids()[0]);
    std::vector<bool> changes(positions_.of(loop).count);
    for (const Leaf &leaf : leaves(loop)) {
      changes[leaf.position] = origins_[root + leaf.position] != parameter + leaf.position;
    }
    return changes;
  }

  // Finds, for each position, the parameter position of the same computation whose value it always shows, if there is
  // one. Callees come first; `bound_` is the position in the caller that a callee's parameter shows.
  void find_origins() {
    origins_.assign(positions_.total(), no_origin);
    bound_.assign(positions_.total(), no_origin);
    for (Computation computation : module_.computations()) {
      for (Instruction instruction : computation.instructions()) {
        find_origins(instruction);
      }
    }
  }

  void find_origins(Instruction instruction) {
    std::size_t here = positions_.first(instruction.id());
    std::size_t count = positions_.of(instruction).count;
    auto copy = [&](std::size_t to, InstructionId from, std::size_t from_position, std::size_t how_many) {
      std::copy_n(origins_.begin() + static_cast<std::ptrdiff_t>(positions_.first(from) + from_position), how_many,
                  origins_.begin() + static_cast<std::ptrdiff_t>(here + to));
    };
    auto bind = [&](InstructionId parameter, InstructionId operand) {
      for (std::size_t i = 0; i < positions_.of(module_.instruction(parameter)).count; ++i) {
        bound_[positions_.first(parameter) + i] = origins_[positions_.first(operand) + i];
      }
    };
    // The position in this computation that the callee's root shows.
    auto returned = [&](Computation callee, std::size_t position) {
      std::size_t origin = origins_[positions_.first(callee.root().id()) + position];
      return origin == no_origin ? no_origin : bound_[origin];
    };
    switch (instruction.opcode()) {
      case Opcode::Parameter:
        for (std::size_t i = 0; i < count; ++i) {
          origins_[here + i] = here + i;
        }
        return;
      case Opcode::Tuple:
        for (std::size_t i = 0, to = 1; i < instruction.operand_count(); ++i) {
          std::size_t part = positions_.of(instruction.operand(i)).count;
          copy(to, instruction.operands()[i], 0, part);
          to += part;
        }
        return;
      case Opcode::GetTupleElement: {
        const auto &elements = positions_.of(instruction.operand(0)).elements;
        copy(0, instruction.operands()[0], elements[static_cast<std::size_t>(instruction.tuple_index())], count);
        return;
      }
      case Opcode::While: {
        auto changes = changed_state(instruction);
        for (const Leaf &leaf : leaves(instruction)) {
          if (!changes[leaf.position]) {
            copy(leaf.position, instruction.operands()[0], leaf.position, 1);
          }
        }
        return;
      }
      case Opcode::Call:
      case Opcode::Conditional: {
        bool is_call = instruction.opcode() == Opcode::Call;
        for (std::size_t callee = 0; callee < instruction.calls().size(); ++callee) {
          auto parameters = instruction.called(callee).parameter_ids();
          for (std::size_t i = 0; i < parameters.size(); ++i) {
            bind(parameters[i], instruction.operands()[is_call ? i : callee + 1]);
          }
        }
        for (const Leaf &leaf : leaves(instruction)) {
          std::size_t origin = returned(instruction.called(0), leaf.position);
          for (std::size_t callee = 1; callee < instruction.calls().size(); ++callee) {
            if (returned(instruction.called(callee), leaf.position) != origin) {
              origin = no_origin;
            }
          }
          origins_[here + leaf.position] = origin;
        }
        return;
      }
      default:
        if (is_forwarding(instruction)) {
          copy(0, instruction.operands()[0], 0, count);
        }
    }
  }

  Status check_outputs() {
    Instruction root = module_.entry().root();
    std::size_t number = 0;
    for (const Leaf &leaf : leaves(root)) {
      if (number >= outputs_.size()) {
        return wrong(root, "part {} has no output allocation", leaf.position);
      }
      const Allocation &output = plan_.allocations[outputs_[number]];
      auto expected = output.alias >= 0 ? static_cast<std::uint32_t>(output.alias) : outputs_[number];
      if (slice(root.id(), leaf.position) != Slice{expected, 0, leaf.size} || output.size != leaf.size) {
        return wrong(root, "part {} is not in the allocation of output {}, expected all of it", leaf.position, number);
      }
      ++number;
    }
    return number == outputs_.size() ? Status() : wrong(root, "there are more outputs than arrays in the root");
  }

  static constexpr std::size_t no_origin = static_cast<std::size_t>(-1);
  static constexpr Content first_constant = Content{1} << 31;  // contents of constants: this plus the allocation

  const ir::Module &module_;
  const Plan &plan_;
  PositionTable positions_;
  std::vector<Content> held_;                                     // by position
  std::vector<std::map<std::int64_t, Block>> memory_;             // by allocation
  std::vector<std::uint32_t> inputs_, outputs_;                   // allocations
  std::set<std::pair<std::int64_t, std::int64_t>> header_pairs_;  // donated inputs and their outputs
  std::set<std::size_t> donated_;                                 // inputs that an output aliases
  std::vector<std::size_t> origins_, bound_;                      // by position; see find_origins()
  Content last_content_ = 0;
  int depth_ = 0;
};

}  // namespace

Status validate(const ir::Module &module, const Plan &plan) {
  BP_ASSIGN(PositionTable positions, PositionTable::make(module));
  return Validator(module, plan, std::move(positions)).run();
}

}  // namespace bp::buffers
