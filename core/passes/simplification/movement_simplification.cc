// Rules for ops that rename dimensions. Ops that do nothing are removed; two of the same kind become one; movement of a
// broadcast becomes a broadcast; and movement of only dimensions of size 1 becomes a reshape, which costs nothing
// between buffers. Shapes with layouts other than row-major are not changed, because these were chosen on purpose.
#include <algorithm>

#include "core/ir/builder.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;
using ir::Shape;

// Whether elements keep their row-major order because `permutation` moves only dimensions of size 1.
bool keeps_order(std::span<const std::int64_t> permutation, const Shape &operand) {
  std::int64_t last = -1;
  return std::ranges::all_of(permutation, [&](std::int64_t from) {
    if (operand.size(static_cast<std::size_t>(from)) == 1) {
      return true;
    }
    return std::exchange(last, from) < from;
  });
}

class MovementSimplifier {
 public:
  MovementSimplifier(ir::Module &module, const Instruction &instruction)
      : instruction_(instruction),
        keep_(instruction.id()),
        shape_(instruction.shape()),
        builder_(module, instruction.parent().id()) {
    builder_.copy_origin_from(instruction);
  }

  InstructionId run() {
    if (instruction_.opcode() == Opcode::Bitcast) {
      return bitcast();
    }
    if (instruction_.operand_count() == 0 || !is_plain(shape_)) {
      return keep_;
    }
    switch (instruction_.opcode()) {
      case Opcode::Reshape: return reshape();
      case Opcode::Transpose: return transpose();
      case Opcode::Broadcast: return broadcast();
      case Opcode::Convert:
      case Opcode::BitcastConvert: return operand_if_same(0);
      default: return keep_;
    }
  }

 private:
  InstructionId operand_if_same(std::size_t i) const {
    return instruction_.operand(i).shape() == shape_ ? instruction_.operands()[i] : keep_;
  }

  // A bitcast to another type is kept only if every bit pattern is valid in that type. This is not so for the unused
  // bits above elements narrower than a byte, and for pred, where only two byte values are valid: these bitcasts become
  // bitcast-converts.
  InstructionId bitcast() {
    const Shape from = instruction_.operand(0).shape();
    if (!from.is_array() || !shape_.is_array() || from.element_type() == shape_.element_type()) {
      return operand_if_same(0);
    }
    const bool is_packed = shape_.layout().element_bits > 0 && shape_.layout().element_bits < 8;
    if ((ir::bit_width(shape_.element_type()) >= 8 && shape_.element_type() != ir::ElementType::Pred) || is_packed ||
        ir::bit_width(from.element_type()) != ir::bit_width(shape_.element_type())) {
      return keep_;
    }
    Shape retyped = from;
    retyped.set_element_type(shape_.element_type());
    const auto no_attributes = [](ir::Module &, InstructionId) {};
    const InstructionId same =
        builder_.add(Opcode::BitcastConvert, {instruction_.operands()[0]}, no_attributes, {}, retyped);
    return retyped == shape_ ? same : builder_.add(Opcode::Bitcast, {same}, no_attributes, {}, shape_);
  }

  InstructionId reshape() {
    Instruction operand = instruction_.operand(0);
    if (operand.shape() == shape_) {
      return operand.id();
    }
    if (!is_plain(operand.shape())) {
      return keep_;
    }
    if (operand.opcode() == Opcode::Reshape && is_plain(operand.operand(0).shape())) {
      InstructionId source = operand.operands()[0];
      return operand.operand(0).shape() == shape_ ? source : builder_.reshape(source, shape_.sizes());
    }
    if (operand.opcode() == Opcode::Broadcast && is_plain(operand.operand(0).shape())) {
      return reshaped_broadcast(operand);
    }
    return keep_;
  }

  // Each dimension of the broadcast's operand must correspond to a dimension after the reshape, with the same size and
  // the same number of elements to its left.
  InstructionId reshaped_broadcast(Instruction broadcast) {
    std::vector<std::int64_t> targets;
    for (std::int64_t old_target : broadcast.dimensions()) {
      auto sizes = broadcast.shape().sizes();
      const auto at = static_cast<std::size_t>(old_target);
      const std::int64_t left = ir::product(sizes.first(at));
      std::size_t found = 0;
      for (std::int64_t passed = 1; found < shape_.rank() && (passed != left || shape_.size(found) != sizes[at]);
           ++found) {
        passed *= shape_.size(found);
      }
      const bool is_taken = std::ranges::find(targets, static_cast<std::int64_t>(found)) != targets.end();
      if (found == shape_.rank() || is_taken) {
        return keep_;
      }
      targets.push_back(static_cast<std::int64_t>(found));
    }
    return builder_.broadcast(broadcast.operands()[0], Shape(shape_), targets);
  }

  InstructionId transpose() {
    Instruction operand = instruction_.operand(0);
    auto permutation = instruction_.dimensions();
    if (!is_plain(operand.shape())) {
      return keep_;
    }
    if (std::ranges::is_sorted(permutation)) {
      return operand_if_same(0);
    }
    if (keeps_order(permutation, operand.shape())) {
      return builder_.reshape(operand.id(), shape_.sizes());
    }
    if (operand.opcode() == Opcode::Transpose && is_plain(operand.operand(0).shape())) {
      std::vector<std::int64_t> composed;
      for (std::int64_t from : permutation) {
        composed.push_back(operand.dimensions()[static_cast<std::size_t>(from)]);
      }
      InstructionId source = operand.operands()[0];
      return std::ranges::is_sorted(composed) ? source : builder_.transpose(source, composed);
    }
    if (operand.opcode() == Opcode::Broadcast && is_plain(operand.operand(0).shape())) {
      std::vector<std::int64_t> targets;
      for (std::int64_t old_target : operand.dimensions()) {
        targets.push_back(std::ranges::find(permutation, old_target) - permutation.begin());
      }
      return builder_.broadcast(operand.operands()[0], Shape(shape_), targets);
    }
    return keep_;
  }

  InstructionId broadcast() {
    Instruction operand = instruction_.operand(0);
    auto targets = instruction_.dimensions();
    if (!is_plain(operand.shape())) {
      return keep_;
    }
    if (operand.shape().element_count() == shape_.element_count() && keeps_order_of(targets, operand.shape())) {
      return operand.shape() == shape_ ? operand.id() : builder_.reshape(operand.id(), shape_.sizes());
    }
    if (operand.opcode() == Opcode::Broadcast && is_plain(operand.operand(0).shape())) {
      std::vector<std::int64_t> composed;
      for (std::int64_t middle : operand.dimensions()) {
        composed.push_back(targets[static_cast<std::size_t>(middle)]);
      }
      return builder_.broadcast(operand.operands()[0], Shape(shape_), composed);
    }
    return keep_;
  }

  // Whether the operand dimensions larger than 1 stay in order in a broadcast with these targets.
  static bool keeps_order_of(std::span<const std::int64_t> targets, const Shape &operand) {
    std::int64_t last = -1;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (operand.size(i) != 1) {
        if (targets[i] < last) {
          return false;
        }
        last = targets[i];
      }
    }
    return true;
  }

  Instruction instruction_;
  InstructionId keep_;
  Shape shape_;
  ir::Builder builder_;
};

}  // namespace

Result<bool> movement_simplification(ir::Module &module, const PassContext &) {
  return rewrite_all(module, [&](Instruction instruction) -> Result<InstructionId> {
    return MovementSimplifier(module, instruction).run();
  });
}

}  // namespace bp::passes
