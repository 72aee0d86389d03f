// Gives values that share memory the same layout. Programs may have any layout at any instruction; but tuples share
// memory with their elements, parameters of called computations with the caller's operands, and roots with the caller's
// results. The first of these values decides, from callers to callees and from operands to users; where two layouts are
// already fixed, a copy is inserted between the values. The layouts of the entry's parameters and results and those of
// bitcasts do not change. Linear.
#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "core/ir/builder.h"
#include "core/passes/pass.h"

namespace bp::passes {
namespace {

using ir::ComputationId;
using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;
using ir::Shape;

// Returns a shape with the layouts of another shape that has the same arrays.
Shape in_layouts_of(Shape shape, const Shape &other) {
  if (shape.is_array() && other.is_array() && shape.rank() == other.rank()) {
    shape.set_layout(other.layout());
  }
  for (std::size_t i = 0; i < std::min(shape.elements().size(), other.elements().size()); ++i) {
    shape.mutable_elements()[i] = in_layouts_of(std::move(shape.mutable_elements()[i]), other.elements()[i]);
  }
  return shape;
}

class LayoutAgreement {
 public:
  explicit LayoutAgreement(ir::Module &module) : module_(module) {}

  bool run() {
    results_[index(module_.entry().id())] = module_.entry().root().shape();
    // Reversed, because callees come before their callers.
    const std::vector<ComputationId> computations(module_.computation_ids().begin(), module_.computation_ids().end());
    for (std::size_t i = computations.size(); i-- > 0;) {
      visit(computations[i]);
    }
    if (changed_) {
      module_.unique_names();
    }
    return changed_;
  }

 private:
  void visit(ComputationId computation) {
    const auto ids = module_.computation(computation).instruction_ids();
    const std::vector<InstructionId> order(ids.begin(), ids.end());
    std::vector<InstructionId> new_order;
    for (InstructionId id : order) {
      added_.clear();
      agree(id);
      new_order.insert(new_order.end(), added_.begin(), added_.end());
      new_order.push_back(id);
    }
    added_.clear();
    if (const auto wanted = results_.find(index(computation)); wanted != results_.end()) {
      const InstructionId root = module_.computation(computation).root().id();
      module_.set_root(computation, copied(root, wanted->second));
    }
    new_order.insert(new_order.end(), added_.begin(), added_.end());
    if (new_order.size() != order.size()) {
      module_.set_instruction_order(computation, std::move(new_order));
    }
  }

  void agree(InstructionId id) {
    const Instruction instruction = module_.instruction(id);
    switch (instruction.opcode()) {
      case Opcode::Tuple: {
        std::vector<Shape> elements;
        for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
          elements.push_back(instruction.operand(i).shape());
        }
        set_layouts(id, Shape::tuple(std::move(elements)));
        return;
      }
      case Opcode::GetTupleElement: {
        const Shape &tuple = instruction.operand(0).shape();
        set_layouts(id, tuple.elements()[static_cast<std::size_t>(instruction.number(ir::AttributeKey::Index))]);
        return;
      }
      case Opcode::AddDependency:
      case Opcode::OptimizationBarrier:
      case Opcode::Domain: set_layouts(id, instruction.operand(0).shape()); return;
      case Opcode::Bitcast:
        if (const auto changed = written_.find(index(instruction.operands()[0])); changed != written_.end()) {
          module_.set_operand(id, 0, copied(instruction.operands()[0], Shape(changed->second)));
        }
        return;
      case Opcode::While:
        pass(id, 0, 1, 0);
        pass(id, 0, 0, 0);
        set_layouts(id, module_.instruction(id).operand(0).shape());
        expect(id, 1);
        return;
      case Opcode::Conditional:
        for (std::size_t i = 0; i < instruction.calls().size(); ++i) {
          pass(id, i + 1, i, 0);
          expect(id, i);
        }
        return;
      case Opcode::Call:
      case Opcode::Fusion:
        for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
          pass(id, i, 0, i);
        }
        expect(id, 0);
        return;
      default: return;
    }
  }

  // Makes operand i of the instruction and a parameter of the computation that it calls agree.
  void pass(InstructionId id, std::size_t i, std::size_t call, std::size_t parameter) {
    const Instruction instruction = module_.instruction(id);
    const InstructionId operand = instruction.operands()[i];
    const InstructionId callee = module_.computation(instruction.calls()[call]).parameter_ids()[parameter];
    if (passed_.insert(index(callee)).second) {
      set_layouts(callee, module_.instruction(operand).shape());
    } else {
      const InstructionId agreed = copied(operand, module_.instruction(callee).shape());
      module_.set_operand(id, i, agreed);
    }
  }

  // Gives the instruction's result and the root of the computation that it calls the same layouts.
  void expect(InstructionId id, std::size_t call) {
    const auto callee = index(module_.instruction(id).calls()[call]);
    set_layouts(id, results_.try_emplace(callee, module_.instruction(id).shape()).first->second);
  }

  void set_layouts(InstructionId id, const Shape &layouts) {
    const Shape before = module_.instruction(id).shape(), after = in_layouts_of(before, layouts);
    if (before != after) {
      written_.try_emplace(index(id), before);
      module_.set_shape(id, after);
      changed_ = true;
    }
  }

  // Returns the value in other layouts, by a copy if necessary.
  InstructionId copied(InstructionId id, const Shape &layouts) {
    const Shape from = module_.instruction(id).shape(), shape = in_layouts_of(from, layouts);
    const ComputationId computation = module_.instruction(id).parent().id();
    if (from == shape) {
      return id;
    }
    changed_ = true;
    if (!shape.is_tuple()) {
      return shape.is_array() ? add(computation, Opcode::Copy, shape, std::array{id}) : id;
    }
    std::vector<InstructionId> elements;
    for (std::size_t i = 0; i < shape.elements().size(); ++i) {
      const InstructionId element = add(computation, Opcode::GetTupleElement, from.elements()[i], std::array{id});
      module_.set_number(element, ir::AttributeKey::Index, static_cast<std::int64_t>(i));
      elements.push_back(copied(element, shape.elements()[i]));
    }
    return add(computation, Opcode::Tuple, shape, elements);
  }

  InstructionId add(ComputationId computation, Opcode opcode, const Shape &shape,
                    std::span<const InstructionId> operands) {
    added_.push_back(module_.add_instruction(computation, opcode, shape, operands));
    return added_.back();
  }

  ir::Module &module_;
  bool changed_ = false;
  std::unordered_map<std::uint32_t, Shape> written_;  // by instruction id: original shape, if it was changed
  std::unordered_map<std::uint32_t, Shape> results_;  // by computation id: shape that callers require of its root
  std::unordered_set<std::uint32_t> passed_;          // parameters that have a caller's layout
  std::vector<InstructionId> added_;                  // instructions to be inserted before the current one
};

}  // namespace

Result<bool> layout_agreement(ir::Module &module, const PassContext &) {
  return LayoutAgreement(module).run();
}

}  // namespace bp::passes
