// Lays arrays out as a device wishes, where it pays. Arrays that had best lie alike form groups (layout_groups.h). A
// group that a wish is about gets the layout that loses least time: of a wish that is not granted its gain, or the
// copy that grants it at that one place, whichever is less; of a layout that cannot change (the program's own inputs and
// results, what custom calls and bitcasts see) the copy; a reshape keeps the layout in which it costs nothing. Copies
// then go where they are worth it, transposes between layouts that hold the same bytes become bitcasts, and
// layout-agreement brings tuples and called computations into line. Without wishes nothing changes. Linear.
#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "core/passes/layout/layout_groups.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::Instruction;
using ir::InstructionId;
using ir::Layout;
using ir::Opcode;
using ir::Shape;

// What a copy costs, as bytes that are read and written, in nanoseconds.
double copy_nanoseconds(const Shape &shape, const PassContext &context) {
  return 2.0 * static_cast<double>(shape.byte_size()) / std::max(context.memory_gigabytes_per_second, 1e-3);
}

// Order, tiles; neither stored width nor memory space, which nobody wishes for.
bool lies_alike(const Layout &a, const Layout &b) {
  return a.minor_to_major == b.minor_to_major && a.tiles == b.tiles;
}

Layout with_order_of(Layout layout, const Layout &other) {
  layout.minor_to_major = other.minor_to_major;
  layout.tiles = other.tiles;
  return layout;
}

Shape laid_out(Shape shape, const Layout &layout) {
  shape.set_layout(with_order_of(shape.layout(), layout));
  return shape;
}

// Ops whose operands and results lie as somebody else said.
bool keeps_layouts(Opcode opcode) {
  switch (opcode) {
    case Opcode::Bitcast:
    case Opcode::CustomCall:
    case Opcode::Fusion:
    case Opcode::Infeed:
    case Opcode::Outfeed:
    case Opcode::Reshape:  // nobody says, but another order is a copy
      return true;
    default: return false;
  }
}

struct ByOrder {
  bool operator()(const Layout &a, const Layout &b) const {
    return a.minor_to_major != b.minor_to_major ? a.minor_to_major < b.minor_to_major : to_string(a) < to_string(b);
  }
};

class LayoutAssignment {
 public:
  LayoutAssignment(ir::Module &module, const PassContext &context)
      : module_(module),
        context_(context),
        graph_(module),
        groups_(module, graph_),
        is_wished_for_(groups_.array_count()),
        gains_(groups_.array_count()) {}

  Result<bool> run() {
    collect_wishes();
    collect_fixed_layouts();
    for (ir::ComputationId id : graph_.callees_first()) {
      if (graph_.context(id) == analysis::CallContext::Control) {
        choose_layouts(id);
        rewrite(id);
      }
    }
    if (changed_) {
      tidy(module_);
      BP_TRY(layout_agreement(module_, context_));
    }
    return changed_;
  }

 private:
  using Gains = std::map<Layout, double, ByOrder>;  // by layout: nanoseconds lost if the group does not get it

  void add_gain(ArrayId array, Layout layout, double nanoseconds) {
    layout.element_bits = layout.memory_space = 0;
    layout.rare.clear();
    gains_[groups_.group_of(array)][groups_.to_group(array, std::move(layout))] += nanoseconds;
  }

  void collect_wishes() {
    for (const LayoutWish &wish : context_.layout_wishes) {
      const Instruction i = module_.instruction(wish.instruction);
      if (graph_.context(i.parent().id()) != analysis::CallContext::Control) {
        continue;
      }
      const ArrayId array = wish.is_result ? groups_.array(i.id(), wish.slot) : groups_.array(i.operands()[wish.slot]);
      const Shape &shape = wish.is_result ? *arrays_of(i.shape())[wish.slot] : i.operand(wish.slot).shape();
      const double copy = copy_nanoseconds(shape, context_);
      is_wished_for_[groups_.group_of(array)] = true;
      add_gain(array, wish.layout, wish.is_required() ? copy : std::min(copy, wish.gain_nanoseconds));
      wishes_[i.id()].push_back(&wish);
    }
  }

  // All arrays of a value stay as they are.
  void fix(InstructionId id) {
    std::size_t i = 0;
    for (const Shape *shape : arrays_of(module_.instruction(id).shape())) {
      add_gain_if_wished(groups_.array(id, i++), *shape);
    }
  }

  void add_gain_if_wished(ArrayId array, const Shape &shape) {
    if (is_wished_for_[groups_.group_of(array)]) {
      add_gain(array, shape.layout(), copy_nanoseconds(shape, context_));
    }
  }

  void collect_fixed_layouts() {
    for (InstructionId id : module_.entry().parameter_ids()) {
      fix(id);
    }
    fix(module_.entry().root().id());
    for (ir::ComputationId id : graph_.callees_first()) {
      if (graph_.context(id) != analysis::CallContext::Control) {
        continue;
      }
      for (Instruction i : module_.computation(id).instructions()) {
        if (keeps_layouts(i.opcode())) {
          fix(i.id());
          for (InstructionId operand : i.operands()) {
            fix(operand);
          }
        }
      }
    }
  }

  // The layout of an array's group, of equals the usual one; null if nobody wishes for any.
  const Layout *chosen(ArrayId array) {
    const ArrayId group = groups_.group_of(array);
    if (!is_wished_for_[group]) {
      return nullptr;
    }
    return &std::ranges::max_element(gains_[group], {}, [](const auto &entry) {
              return std::pair(entry.second, entry.first.is_descending());
            })->first;
  }

  bool is_free(Instruction i) const {
    const bool is_entry = i.parent().id() == module_.entry().id();
    return !keeps_layouts(i.opcode()) && i.opcode() != Opcode::Copy &&
           !(is_entry && (i.opcode() == Opcode::Parameter || i.id() == module_.entry().root().id()));
  }

  void choose_layouts(ir::ComputationId computation) {
    for (InstructionId id : module_.computation(computation).instruction_ids()) {
      if (is_free(module_.instruction(id))) {
        std::size_t next = 0;
        set_shape(id, in_chosen_layouts(id, module_.instruction(id).shape(), next));
      }
    }
  }

  Shape in_chosen_layouts(InstructionId id, Shape shape, std::size_t &next) {
    if (shape.is_array()) {
      const ArrayId array = groups_.array(id, next++);
      const Layout *layout = chosen(array);
      return layout == nullptr ? shape : laid_out(std::move(shape), groups_.from_group(array, *layout));
    }
    for (Shape &element : shape.mutable_elements()) {
      element = in_chosen_layouts(id, std::move(element), next);
    }
    return shape;
  }

  void set_shape(InstructionId id, const Shape &shape) {
    if (const Shape before = module_.instruction(id).shape(); before != shape) {
      shapes_before_.try_emplace(id, before);
      module_.set_shape(id, shape);
      changed_ = true;
    }
  }

  // Copies where they are worth it. An instruction whose result had to be copied is used through the copy, but by those
  // that want it as it was.
  void rewrite(ir::ComputationId computation) {
    copies_.clear();
    const auto ids = module_.computation(computation).instruction_ids();
    const std::vector<InstructionId> order(ids.begin(), ids.end());
    const InstructionId root = module_.computation(computation).root().id();
    std::unordered_map<InstructionId, InstructionId> stand_ins;
    std::vector<InstructionId> new_order;
    for (InstructionId id : order) {
      added_.clear();
      grant_operands(id, stand_ins);
      new_order.insert(new_order.end(), added_.begin(), added_.end());
      new_order.push_back(id);
      added_.clear();
      if (const InstructionId stand_in = grant_results(id); stand_in != id) {
        stand_ins[id] = stand_in;
        copies_[stand_in].push_back(id);
      }
      new_order.insert(new_order.end(), added_.begin(), added_.end());
    }
    if (const auto found = stand_ins.find(root); found != stand_ins.end()) {
      module_.set_root(computation, found->second);
    }
    module_.set_instruction_order(computation, std::move(new_order));
  }

  void grant_operands(InstructionId id, const std::unordered_map<InstructionId, InstructionId> &stand_ins) {
    const Opcode opcode = module_.instruction(id).opcode();
    const bool keeps = keeps_layouts(opcode) || (opcode == Opcode::Tuple && id == module_.entry().root().id());
    if (opcode == Opcode::Tuple && !keeps) {
      put_into_tuple(id);
    }
    for (std::size_t i = 0; i < module_.instruction(id).operand_count(); ++i) {
      const InstructionId operand = module_.instruction(id).operands()[i];
      if (const auto found = stand_ins.find(operand); found != stand_ins.end()) {
        module_.set_operand(id, i, found->second);
      }
      if (const auto before = shapes_before_.find(operand);
          keeps && before != shapes_before_.end() && before->second.is_array()) {
        module_.set_operand(id, i, in_layout(module_.instruction(id).operands()[i], before->second.layout()));
      }
    }
    for (const LayoutWish *wish : wishes_[id]) {
      const Instruction i = module_.instruction(id);
      if (!wish->is_result && pays(*wish, i.operand(wish->slot).shape())) {
        module_.set_operand(id, wish->slot, in_layout(i.operands()[wish->slot], wish->layout));
      }
    }
  }

  // What could not change, such as a parameter of the entry, is copied before it goes where all others lie in the layout
  // of the group.
  void put_into_tuple(InstructionId id) {
    for (std::size_t i = 0; i < module_.instruction(id).operand_count(); ++i) {
      const InstructionId operand = module_.instruction(id).operands()[i];
      if (!module_.instruction(operand).shape().is_array()) {
        continue;
      }
      const ArrayId array = groups_.array(operand);
      if (const Layout *layout = chosen(array)) {
        module_.set_operand(id, i, in_layout(operand, groups_.from_group(array, *layout)));
      }
    }
  }

  bool pays(const LayoutWish &wish, const Shape &shape) const {
    return wish.is_required() || wish.gain_nanoseconds > copy_nanoseconds(shape, context_);
  }

  // Gives the instruction's results the layouts wished for, and returns what others use instead of it.
  InstructionId grant_results(InstructionId id) {
    if (const InstructionId bitcast = transposed_by_name(id); bitcast != id) {
      return bitcast;
    }
    InstructionId stand_in = id;
    for (const LayoutWish *wish : wishes_[id]) {
      const Shape shape = module_.instruction(id).shape();
      if (!wish->is_result || !pays(*wish, *arrays_of(shape)[wish->slot])) {
        continue;
      }
      if (shape.is_array()) {
        if (!lies_alike(shape.layout(), wish->layout)) {
          set_shape(id, laid_out(shape, wish->layout));
          stand_in = in_layout(id, shape.layout());
        }
      } else {
        // Tuples: their elements are copied where they meet others.
        std::size_t next = 0;
        set_shape(id, with_array(shape, wish->slot, wish->layout, next));
      }
    }
    return stand_in;
  }

  static Shape with_array(Shape shape, std::size_t slot, const Layout &layout, std::size_t &next) {
    if (shape.is_array()) {
      return next++ == slot ? laid_out(std::move(shape), layout) : shape;
    }
    for (Shape &element : shape.mutable_elements()) {
      element = with_array(std::move(element), slot, layout, next);
    }
    return shape;
  }

  // A transpose of which nothing is left but the name; the instruction itself if it moves elements.
  InstructionId transposed_by_name(InstructionId id) {
    const Instruction i = module_.instruction(id);
    if (i.opcode() != Opcode::Transpose || chosen(groups_.array(id)) == nullptr) {
      return id;
    }
    Layout moved = i.shape().layout();
    for (std::int64_t &dimension : moved.minor_to_major) {
      dimension = i.dimensions()[static_cast<std::size_t>(dimension)];
    }
    if (moved != i.operand(0).shape().layout()) {
      return id;
    }
    return add(Opcode::Bitcast, i.shape(), i.operands()[0]);
  }

  // The array in this layout: itself, or a copy that all share.
  InstructionId in_layout(InstructionId id, const Layout &layout) {
    const Shape shape = module_.instruction(id).shape();
    if (lies_alike(shape.layout(), layout)) {
      return id;
    }
    for (InstructionId copy : copies_[id]) {
      if (lies_alike(module_.instruction(copy).shape().layout(), layout)) {
        return copy;
      }
    }
    const InstructionId copy = add(Opcode::Copy, laid_out(shape, layout), id);
    copies_[id].push_back(copy);
    return copy;
  }

  InstructionId add(Opcode opcode, const Shape &shape, InstructionId operand) {
    changed_ = true;
    const ir::ComputationId computation = module_.instruction(operand).parent().id();
    added_.push_back(module_.add_instruction(computation, opcode, Shape(shape), std::array{operand}));
    return added_.back();
  }

  ir::Module &module_;
  const PassContext &context_;
  analysis::CallGraph graph_;
  LayoutGroups groups_;
  std::vector<bool> is_wished_for_;  // by group
  std::vector<Gains> gains_;         // by group
  std::unordered_map<InstructionId, std::vector<const LayoutWish *>> wishes_;
  std::unordered_map<InstructionId, Shape> shapes_before_;  // of what was laid out anew
  // Of the computation at hand: the same arrays in other layouts, and what was added before the instruction.
  std::unordered_map<InstructionId, std::vector<InstructionId>> copies_;
  std::vector<InstructionId> added_;
  bool changed_ = false;
};

}  // namespace

Result<bool> layout_assignment(ir::Module &module, const PassContext &context) {
  if (context.layout_wishes.empty()) {
    return false;
  }
  return LayoutAssignment(module, context).run();
}

}  // namespace bp::passes
