// The verifier has three passes: the skeleton (ownership, definitions and calls), then each instruction against its row
// of the op table and its inferred shape, then the header, except for the numbers of devices, which are checked before
// everything else. Later passes rely on what earlier ones have checked.
#include "core/ir/verifier.h"

#include <algorithm>
#include <optional>

#include "core/ir/result_accuracy.h"
#include "core/ir/shape_inference.h"
#include "core/ir/verifier_checks.h"

namespace bp::ir {
namespace {

// Returns the error with the instruction's name and location.
Error about(const Instruction &instruction, const Error &error) {
  return Error(error.code(), fmt::format("{}: {}", instruction.name(), error.message())).at(instruction.location());
}

Error about(Computation computation, std::string_view message) {
  SourceLocation location{computation.module().source_file(), 0, 0, {}};
  if (computation.instruction_count() != 0) {
    location = (*computation.instructions().begin()).location();
  }
  return invalid_input("computation {}: {}", computation.name(), message).at(std::move(location));
}

class Verifier {
 public:
  explicit Verifier(const Module &module) : module_(module) {}

  Status run() {
    BP_TRY(verify_device_counts(module_));
    BP_TRY(check_skeleton());
    BP_TRY(check_call_cycles());
    BP_TRY(check_instructions());
    return verify_header(module_);
  }

 private:
  Status check_skeleton() {
    is_computation_.assign(module_.computation_id_limit(), false);
    for (ComputationId id : module_.computation_ids()) {
      is_computation_[index(id)] = true;
    }
    if (!module_.has_entry() || !is_computation_[index(module_.entry().id())]) {
      return invalid_input("the module has no entry computation").at({module_.source_file(), 0, 0, {}});
    }
    is_defined_.assign(module_.instruction_id_limit(), false);
    for (Computation computation : module_.computations()) {
      for (Instruction instruction : computation.instructions()) {
        if (Status status = check_place(computation, instruction); !status.ok()) {
          return about(instruction, status.error());
        }
      }
      BP_TRY(check_parameters(computation));
      if (!computation.has_root() || !is_defined_[index(computation.root().id())] ||
          computation.root().parent() != computation) {
        return about(computation, "there is no root instruction");
      }
    }
    return {};
  }

  // Checks that the instruction belongs to the computation that lists it, and that what it refers to comes before it.
  Status check_place(Computation computation, const Instruction &instruction) {
    if (instruction.parent() != computation || is_defined_[index(instruction.id())]) {
      return invalid_input(
          "the instruction is listed twice or in another computation, expected once, in the computation it belongs to");
    }
    auto is_before = [&](InstructionId id) {
      return index(id) < is_defined_.size() && is_defined_[index(id)] &&
             module_.instruction(id).parent() == computation;
    };
    for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
      if (!is_before(instruction.operands()[i])) {
        return invalid_input("operand {} is not defined before it in the same computation", i);
      }
    }
    for (InstructionId predecessor : instruction.control_predecessors()) {
      if (!is_before(predecessor)) {
        return invalid_input("a control predecessor is not defined before it in the same computation");
      }
    }
    for (ComputationId callee : instruction.calls()) {
      if (index(callee) >= is_computation_.size() || !is_computation_[index(callee)]) {
        return invalid_input("it calls a computation that the module does not have");
      }
    }
    is_defined_[index(instruction.id())] = true;
    return {};
  }

  Status check_parameters(Computation computation) {
    std::size_t found = 0;
    for (Instruction instruction : computation.instructions()) {
      if (instruction.opcode() != Opcode::Parameter) {
        continue;
      }
      ++found;
      auto number = static_cast<std::size_t>(instruction.parameter_number());
      if (number >= computation.parameter_count() || computation.parameter_ids()[number] != instruction.id()) {
        return about(instruction,
                     invalid_input("parameter number {} is negative or given twice", instruction.parameter_number()));
      }
    }
    if (found != computation.parameter_count()) {
      return about(computation, fmt::format("there are {} parameters, but the largest number is {}", found,
                                            computation.parameter_count() - 1));
    }
    return {};
  }

  // Depth-first search with an explicit stack: calls may nest deeper than the thread's stack allows.
  Status check_call_cycles() {
    enum class State { New, Open, Done };
    std::vector<State> states(module_.computation_id_limit(), State::New);
    struct Frame {
      ComputationId computation;
      std::vector<InstructionId> callers;
      std::size_t next_caller = 0, next_call = 0;
    };
    auto open = [&](ComputationId id) {
      states[index(id)] = State::Open;
      Frame frame{id, {}};
      for (Instruction instruction : module_.computation(id).instructions()) {
        if (!instruction.calls().empty()) {
          frame.callers.push_back(instruction.id());
        }
      }
      return frame;
    };
    for (ComputationId start : module_.computation_ids()) {
      if (states[index(start)] != State::New) {
        continue;
      }
      std::vector<Frame> stack;
      stack.push_back(open(start));
      while (!stack.empty()) {
        Frame &top = stack.back();
        if (top.next_caller == top.callers.size()) {
          states[index(top.computation)] = State::Done;
          stack.pop_back();
          continue;
        }
        Instruction caller = module_.instruction(top.callers[top.next_caller]);
        if (top.next_call == caller.calls().size()) {
          ++top.next_caller;
          top.next_call = 0;
          continue;
        }
        ComputationId callee = caller.calls()[top.next_call++];
        if (states[index(callee)] == State::Open) {
          return about(caller, invalid_input("the call of {} is recursive", module_.computation(callee).name()));
        }
        if (states[index(callee)] == State::New) {
          stack.push_back(open(callee));
        }
      }
    }
    return {};
  }

  // The first wrong instruction is the error; notes name the next ones. Instructions that depend on a wrong one are
  // skipped.
  Status check_instructions() {
    constexpr std::size_t max_notes = 9;
    std::optional<Error> first;
    std::size_t others = 0;
    std::vector<bool> is_wrong(module_.instruction_id_limit(), false);
    std::vector<bool> holds_wrong(module_.computation_id_limit(), false);
    auto depends_on_wrong = [&](const Instruction &instruction) {
      return std::ranges::any_of(instruction.operands(), [&](InstructionId id) { return is_wrong[index(id)]; }) ||
             std::ranges::any_of(instruction.calls(), [&](ComputationId id) { return holds_wrong[index(id)]; });
    };
    auto tell = [&](Error error) {
      if (!first) {
        first = std::move(error);
      } else if (++others <= max_notes) {
        first = std::move(*first).note(error.to_string());
      }
    };
    for (Computation computation : module_.computations()) {
      for (Instruction instruction : computation.instructions()) {
        const bool is_left_out = first && depends_on_wrong(instruction);
        const Status status = is_left_out ? Status() : check_instruction(instruction);
        if (!status.ok()) {
          tell(about(instruction, status.error()));
        }
        if (is_left_out || !status.ok()) {
          is_wrong[index(instruction.id())] = holds_wrong[index(computation.id())] = true;
        }
      }
    }
    if (others > max_notes) {
      first = std::move(*first).note(fmt::format("and {} more wrong instructions", others - max_notes));
    }
    return first ? Status(std::move(*first)) : Status();
  }

  Status check_instruction(const Instruction &instruction) {
    BP_TRY(check_shape(instruction.shape_id()));
    BP_TRY(check_attribute_keys(instruction));
    BP_ASSIGN(Shape inferred, infer_shape(instruction));
    const bool hands_on = instruction.opcode() == Opcode::Tuple || instruction.opcode() == Opcode::GetTupleElement;
    if (!fits(instruction.shape(), inferred, may_widen_result(instruction.opcode())) ||
        (hands_on && !have_equal_bounds(instruction.shape(), inferred))) {
      return invalid_input("the shape is {}, expected {}", to_string(instruction.shape(), PrintLayout::Never),
                           to_string(inferred, PrintLayout::Never));
    }
    if (instruction.has(AttributeKey::OutputToOperandAliasing)) {
      BP_TRY(check_aliasing(instruction));
    }
    if (instruction.has(AttributeKey::ResultAccuracy) &&
        !parse_result_accuracy(instruction.text(AttributeKey::ResultAccuracy))) {
      return invalid_input(
          "result_accuracy is {}, expected {{mode=default}}, {{mode=highest}} or "
          "{{tolerance={{atol=0,rtol=0,ulps=2}}}}, no number negative",
          instruction.text(AttributeKey::ResultAccuracy));
    }
    BP_TRY(collectives_.verify(instruction));
    return verify_asynchronous(instruction);
  }

  // Checks each interned shape once.
  Status check_shape(ShapeId id) {
    if (index(id) >= is_shape_checked_.size()) {
      is_shape_checked_.resize(index(id) + 1, false);
    }
    if (!is_shape_checked_[index(id)]) {
      BP_TRY(verify_shape(module_.shape(id)));
      is_shape_checked_[index(id)] = true;
    }
    return {};
  }

  // Checks that the instruction has only attributes in the op's row, and no additional called computations.
  Status check_attribute_keys(const Instruction &instruction) {
    auto uses = instruction.op().attributes;
    for (AttributeKey key : instruction.attribute_keys()) {
      bool is_known = std::ranges::any_of(uses, [&](const AttributeUse &use) { return use.key == key; });
      if (!is_known && !is_hint(key)) {
        return invalid_input("{} does not take the attribute {}", instruction.op().text, to_string(key));
      }
    }
    std::size_t single = 0;
    bool takes_any = false;
    for (const AttributeUse &use : uses) {
      single += info(use.key).kind == AttributeKind::Computation;
      takes_any = takes_any || info(use.key).kind == AttributeKind::Computations;
    }
    if (!takes_any && instruction.calls().size() > single) {
      return invalid_input("{} calls {} computations, expected at most {}", instruction.op().text,
                           instruction.calls().size(), single);
    }
    return {};
  }

  // Whether the shapes are equal except for layouts. An unbounded size fits any size; the element type may differ if
  // the op may choose it.
  static bool fits(const Shape &written, const Shape &inferred, bool any_element_type) {
    if (!any_element_type) {
      return agree(written, inferred);
    }
    Shape retyped = inferred;
    retyped.set_element_type(written.element_type());
    return written.is_array() && agree(written, retyped);
  }

  // Whether the same sizes are dynamic, in shapes that agree. Required only of ops that pass values on unchanged; the
  // shapes of other ops may differ in this, as in XLA.
  static bool have_equal_bounds(const Shape &a, const Shape &b) {
    for (std::size_t d = 0; d < (a.is_array() ? a.rank() : 0); ++d) {
      const bool is_known = a.size(d) != unbounded && b.size(d) != unbounded;
      if (is_known && a.is_dynamic(d) != b.is_dynamic(d)) {
        return false;
      }
    }
    return std::ranges::equal(a.elements(), b.elements(), have_equal_bounds);
  }

  // Each entry consists of: length of the output index, output index, operand, length of the operand index, operand
  // index.
  Status check_aliasing(const Instruction &instruction) {
    auto numbers = instruction.numbers(AttributeKey::OutputToOperandAliasing);
    auto take = [&](std::int64_t count) -> Result<std::span<const std::int64_t>> {
      if (count < 0 || count > static_cast<std::int64_t>(numbers.size())) {
        return invalid_input(
            "output_to_operand_aliasing ends within an entry, expected the length and index of an output part, an "
            "operand, and "
            "the length and index of an operand part");
      }
      auto taken = numbers.first(static_cast<std::size_t>(count));
      numbers = numbers.subspan(static_cast<std::size_t>(count));
      return taken;
    };
    while (!numbers.empty()) {
      BP_ASSIGN(auto output_length, take(1));
      BP_ASSIGN(auto output_index, take(output_length[0]));
      BP_ASSIGN(auto operand, take(2));
      BP_ASSIGN(auto operand_index, take(operand[1]));
      if (operand[0] < 0 || operand[0] >= static_cast<std::int64_t>(instruction.operand_count())) {
        return invalid_input("output_to_operand_aliasing names operand {}, expected less than {}", operand[0],
                             instruction.operand_count());
      }
      const Shape &from = instruction.operand(static_cast<std::size_t>(operand[0])).shape();
      std::int64_t output_position = instruction.shape().position_of_index(output_index);
      std::int64_t operand_position = from.position_of_index(operand_index);
      if (output_position < 0 || operand_position < 0) {
        return invalid_input("output_to_operand_aliasing names a part that the output or operand {} does not have",
                             operand[0]);
      }
      const Shape &output_part = instruction.shape().subshape(static_cast<std::size_t>(output_position));
      const Shape &operand_part = from.subshape(static_cast<std::size_t>(operand_position));
      // A buffer may alias its content.
      auto content = [](const Shape &part) {
        return part.element_type() == ElementType::Buffer ? part.elements()[0] : part;
      };
      if (!agree(content(output_part), content(operand_part))) {
        return invalid_input("output_to_operand_aliasing shares a buffer between {} and operand {} of shape {}",
                             to_string(output_part), operand[0], to_string(operand_part));
      }
    }
    return {};
  }

  const Module &module_;
  CollectiveVerifier collectives_;
  std::vector<bool> is_computation_;    // by computation id
  std::vector<bool> is_defined_;        // by instruction id: already visited
  std::vector<bool> is_shape_checked_;  // by shape id
};

Status verify_array(const Shape &shape) {
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (shape.size(i) < 0 && !(shape.size(i) == unbounded && shape.is_dynamic(i))) {
      return invalid_input("a dimension has size {}, expected 0 or more", shape.size(i));
    }
  }
  const Layout &layout = shape.layout();
  std::uint64_t seen = 0;  // bit i: dimension i was seen; ranks are at most 64
  bool is_permutation = layout.minor_to_major.size() == shape.rank();
  for (std::size_t i = 0; is_permutation && i < shape.rank(); ++i) {
    std::int64_t dimension = layout.minor_to_major[i];
    is_permutation =
        dimension >= 0 && dimension < static_cast<std::int64_t>(shape.rank()) && !((seen >> dimension) & 1);
    if (is_permutation) {
      seen |= std::uint64_t{1} << dimension;
    }
  }
  if (!is_permutation) {
    return invalid_input("the layout {} is not a permutation of {} dimensions", to_string(layout), shape.rank());
  }
  for (const Tile &tile : layout.tiles) {
    for (std::int64_t size : tile.sizes) {
      if (size < 1 && size != Tile::combine) {
        return invalid_input("the layout {} has a tile of size {}, expected at least 1", to_string(layout), size);
      }
    }
  }
  if (layout.element_bits < 0 || layout.element_bits > 128 || layout.memory_space < 0) {
    return invalid_input(
        "the layout {} has a number out of range, expected 0 to 128 bits for an element and a memory space of at least "
        "0",
        to_string(layout));
  }
  bool is_bounded = std::ranges::find(shape.sizes(), unbounded) == shape.sizes().end();
  if (is_bounded && shape.byte_size() == std::numeric_limits<std::int64_t>::max()) {
    return invalid_input("the shape {} is too large", to_string(shape, PrintLayout::Never));
  }
  return {};
}

}  // namespace

Status verify_shape(const Shape &shape) {
  if (!shape.is_valid()) {
    return invalid_input("the shape is missing");
  }
  if (shape.is_array()) {
    return verify_array(shape);
  }
  for (const Shape &element : shape.elements()) {
    BP_TRY(verify_shape(element));
  }
  return {};
}

Status verify(const Module &module) {
  Verifier verifier(module);
  return verifier.run();
}

}  // namespace bp::ir
