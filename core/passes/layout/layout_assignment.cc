// Lays arrays out as a device prefers, where this saves time. Arrays that should have the same layout form groups
// (layout_groups.h). A group that a preference refers to gets the layout with the smallest loss of time. A preference
// that is not met loses its gain, or the time of the copy that meets it at that one place, whichever is less. A layout
// that cannot change (the program's own inputs and results, arrays of custom calls and bitcasts) loses the time of the
// copy. A reshape takes the layout of one side to the other where it moves no element. Copies are then inserted where
// they save time, transposes between layouts that hold the same bytes become bitcasts, and layout-agreement adjusts
// tuples and called computations. A constant costs nothing in another layout, since it is stored there once. Few ops
// walk through tiles, so a tiled layout that is not required concerns only the place that prefers it. Without
// preferences nothing changes. Linear.
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

// Returns the time of a copy, from the bytes that it reads and writes, in nanoseconds.
double copy_nanoseconds(const Shape &shape, const PassContext &context) {
  return 2.0 * static_cast<double>(shape.byte_size()) / std::max(context.memory_gigabytes_per_second, 1e-3);
}

// Whether order and tiles are equal. Stored width and memory space are not compared, because preferences do not include
// them.
bool same_layout(const Layout &a, const Layout &b) {
  return a.minor_to_major == b.minor_to_major && a.tiles == b.tiles;
}

Layout with_order_of(Layout layout, const Layout &other) {
  layout.minor_to_major = other.minor_to_major;
  layout.tiles = other.tiles;
  return layout;
}

Shape with_layout(Shape shape, const Layout &layout) {
  shape.set_layout(with_order_of(shape.layout(), layout));
  return shape;
}

// Whether the layouts of the op's operands and results are not free to choose.
bool keeps_layouts(Opcode opcode) {
  switch (opcode) {
    case Opcode::Bitcast:
    case Opcode::CustomCall:
    case Opcode::Fusion:
    case Opcode::Infeed:
    case Opcode::Outfeed:
    case Opcode::Reshape:  // its layouts are free, but another order would make it a copy
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
        is_preferred_(groups_.array_count()),
        gains_(groups_.array_count()) {}

  Result<bool> run() {
    collect_preferences();
    collect_fixed_layouts();
    follow_reshapes();
    for (ir::ComputationId id : graph_.callees_first()) {
      if (graph_.context(id) == analysis::CallContext::Control) {
        choose_layouts(id);
        rewrite(id);
      }
    }
    if (changed_) {
      tidy(module_);
      module_.unique_names();  // a constant may have a second layout
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

  void collect_preferences() {
    for (const LayoutPreference &preference : context_.layout_preferences) {
      const Instruction i = module_.instruction(preference.instruction);
      if (graph_.context(i.parent().id()) != analysis::CallContext::Control) {
        continue;
      }
      const ArrayId array =
          preference.is_result ? groups_.array(i.id(), preference.slot) : groups_.array(i.operands()[preference.slot]);
      const Shape &shape =
          preference.is_result ? *arrays_of(i.shape())[preference.slot] : i.operand(preference.slot).shape();
      const double copy = copy_nanoseconds(shape, context_);
      preferences_[i.id()].push_back(&preference);
      if (preference.layout.tiles.empty() || preference.is_required()) {
        is_preferred_[groups_.group_of(array)] = true;
        add_gain(array, preference.layout,
                 preference.is_required() ? copy : std::min(copy, preference.gain_nanoseconds));
      }
    }
  }

  // Adds a preference for the current layouts of all arrays of a value, with the time of a copy as the gain.
  void fix(InstructionId id) {
    std::size_t i = 0;
    for (const Shape *shape : arrays_of(module_.instruction(id).shape())) {
      add_gain_if_preferred(groups_.array(id, i++), *shape);
    }
  }

  void add_gain_if_preferred(ArrayId array, const Shape &shape) {
    if (is_preferred_[groups_.group_of(array)]) {
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
        if (i.opcode() == Opcode::Reshape) {
          reshapes_.push_back(i.id());
        } else if (keeps_layouts(i.opcode())) {
          fix(i.id());
          for (InstructionId operand : i.operands()) {
            fix(operand);
          }
        }
      }
    }
  }

  // Takes preferences through reshapes, first from results to operands, then from operands to results. The layouts of
  // other reshapes are fixed.
  void follow_reshapes() {
    for (std::size_t k = reshapes_.size(); k-- > 0;) {
      const Instruction i = module_.instruction(reshapes_[k]);
      follow_reshape(i.id(), i.operands()[0]);
    }
    for (InstructionId id : reshapes_) {
      const Instruction i = module_.instruction(id);
      follow_reshape(i.operands()[0], id);
      if (!moves_nothing(in_chosen_layout(i.operands()[0]), in_chosen_layout(id))) {
        fix(id);
        fix(i.operands()[0]);
      }
    }
  }

  void follow_reshape(InstructionId from, InstructionId to) {
    if (chosen(groups_.array(from)) == nullptr || is_preferred_[groups_.group_of(groups_.array(to))]) {
      return;
    }
    const Shape &shape = module_.instruction(to).shape();
    if (const auto layout = layout_through_reshape(in_chosen_layout(from), shape)) {
      is_preferred_[groups_.group_of(groups_.array(to))] = true;
      add_gain(groups_.array(to), *layout, copy_nanoseconds(shape, context_));
    }
  }

  // Returns the shape of an array, with the layout of its group.
  Shape in_chosen_layout(InstructionId id) {
    std::size_t next = 0;
    return in_chosen_layouts(id, module_.instruction(id).shape(), next);
  }

  // Returns the layout of an array's group, the default one among equally good ones; nullptr if no preference refers to
  // the group.
  const Layout *chosen(ArrayId array) {
    const ArrayId group = groups_.group_of(array);
    if (!is_preferred_[group]) {
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
      return layout == nullptr ? shape : with_layout(std::move(shape), groups_.from_group(array, *layout));
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

  // Inserts copies where they save time. A copied result is used through the copy, except by instructions that require
  // the original layout.
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
    const bool keeps = (keeps_layouts(opcode) && !takes_layout(id, stand_ins)) ||
                       (opcode == Opcode::Tuple && id == module_.entry().root().id());
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
    for (const LayoutPreference *preference : preferences_[id]) {
      const Instruction i = module_.instruction(id);
      if (!preference->is_result && pays(*preference, i.operand(preference->slot))) {
        module_.set_operand(id, preference->slot, in_layout(i.operands()[preference->slot], preference->layout));
      }
    }
  }

  // Gives the result of a reshape the layout of its group, if no element moves then.
  bool takes_layout(InstructionId id, const std::unordered_map<InstructionId, InstructionId> &stand_ins) {
    const Instruction i = module_.instruction(id);
    if (i.opcode() != Opcode::Reshape || id == module_.entry().root().id()) {
      return false;
    }
    const auto found = stand_ins.find(i.operands()[0]);
    const Instruction operand = found == stand_ins.end() ? i.operand(0) : module_.instruction(found->second);
    const Shape shape = in_chosen_layout(id);
    if (!moves_nothing(operand.shape(), shape)) {
      return false;
    }
    set_shape(id, shape);
    return true;
  }

  // Arrays whose layout cannot change, such as parameters of the entry, are copied to the layout of the group before
  // they become elements of the tuple.
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

  bool pays(const LayoutPreference &preference, const Shape &shape) const {
    return preference.is_required() || preference.gain_nanoseconds > copy_nanoseconds(shape, context_);
  }
  bool pays(const LayoutPreference &preference, Instruction operand) const {
    return pays(preference, operand.shape()) ||
           (operand.opcode() == Opcode::Constant && preference.gain_nanoseconds > 0);
  }

  // Gives the instruction's results the preferred layouts, and returns the instruction that users read instead.
  InstructionId grant_results(InstructionId id) {
    if (const InstructionId bitcast = transposed_by_name(id); bitcast != id) {
      return bitcast;
    }
    InstructionId stand_in = id;
    for (const LayoutPreference *preference : preferences_[id]) {
      const Shape shape = module_.instruction(id).shape();
      if (!preference->is_result || !pays(*preference, *arrays_of(shape)[preference->slot])) {
        continue;
      }
      if (shape.is_array()) {
        if (!same_layout(shape.layout(), preference->layout)) {
          set_shape(id, with_layout(shape, preference->layout));
          stand_in = in_layout(id, shape.layout());
        }
      } else {
        // Elements of tuples are copied where they are used together with arrays of other layouts.
        std::size_t next = 0;
        set_shape(id, with_array(shape, preference->slot, preference->layout, next));
      }
    }
    return stand_in;
  }

  static Shape with_array(Shape shape, std::size_t slot, const Layout &layout, std::size_t &next) {
    if (shape.is_array()) {
      return next++ == slot ? with_layout(std::move(shape), layout) : shape;
    }
    for (Shape &element : shape.mutable_elements()) {
      element = with_array(std::move(element), slot, layout, next);
    }
    return shape;
  }

  // Returns a bitcast in place of a transpose that moves no elements in these layouts; the instruction itself if it
  // moves some.
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

  // Returns the array in this layout: itself, or a copy that all its users share, which is a constant if it is one.
  InstructionId in_layout(InstructionId id, const Layout &layout) {
    const Shape shape = module_.instruction(id).shape();
    if (same_layout(shape.layout(), layout)) {
      return id;
    }
    for (InstructionId copy : copies_[id]) {
      if (same_layout(module_.instruction(copy).shape().layout(), layout)) {
        return copy;
      }
    }
    const bool is_constant = module_.instruction(id).opcode() == Opcode::Constant;
    const InstructionId copy =
        is_constant ? add_constant(id, layout) : add(Opcode::Copy, with_layout(shape, layout), id);
    copies_[id].push_back(copy);
    return copy;
  }

  // Adds the constant in another layout.
  InstructionId add_constant(InstructionId id, const Layout &layout) {
    changed_ = true;
    const Instruction constant = module_.instruction(id);
    const Shape shape = with_layout(constant.shape(), layout);
    added_.push_back(module_.clone_instruction(constant.parent().id(), constant, {}, {}));
    module_.set_shape(added_.back(), shape);
    return added_.back();
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
  std::vector<bool> is_preferred_;       // by group
  std::vector<Gains> gains_;             // by group
  std::vector<InstructionId> reshapes_;  // callees first
  std::unordered_map<InstructionId, std::vector<const LayoutPreference *>> preferences_;
  std::unordered_map<InstructionId, Shape> shapes_before_;  // original shapes of instructions whose layout was changed
  // For the current computation: copies of arrays in other layouts, and instructions to be inserted before the current
  // one.
  std::unordered_map<InstructionId, std::vector<InstructionId>> copies_;
  std::vector<InstructionId> added_;
  bool changed_ = false;
};

}  // namespace

Result<bool> layout_assignment(ir::Module &module, const PassContext &context) {
  if (context.layout_preferences.empty()) {
    return false;
  }
  return LayoutAssignment(module, context).run();
}

}  // namespace bp::passes
