// scatter(x, indices, updates)  ->  scatter(x, sorted indices, updates in that order): for devices that need much
// parallel work. Updates of the same elements are then adjacent, in their original order, so that different elements
// can be updated in parallel. Applies to many small windows in any order. Scatters whose windows overlap partly are not
// changed, because the updates of an element would not all be adjacent; nor are sums of integers and similar ops, whose
// result does not depend on the order.
#include <algorithm>
#include <map>

#include "core/passes/array_builder.h"
#include "core/passes/fusion/kernel.h"
#include "core/passes/index_vectors.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::AttributeKey;
using ir::ElementType;
using ir::Opcode;
using Id = ir::InstructionId;
using Numbers = std::vector<std::int64_t>;

// Minimum number of windows: sorting fewer takes longer than combining them one after the other.
constexpr std::int64_t min_windows = 64;

// Tuples of sorted indices, by the values that determine where windows begin; several scatters may share one.
using SortedStarts = std::map<std::vector<Numbers>, Id>;

class Sorter {
 public:
  Sorter(ir::Module &module, ir::Instruction scatter)
      : scatter_(scatter),
        b_(module, scatter),
        operands_(scatter.operands().begin(), scatter.operands().end()),
        count_(operands_.size() / 2),
        windows_(scatter_windows(scatter)) {}

  // `most`: number of elements in a window that is enough parallel work.
  bool is_worth_it(std::int64_t most) const {
    const bool is_sorted = scatter_.number(AttributeKey::IndicesAreSorted, 0) != 0 && windows_.operand_batch.empty() &&
                           windows_.update_order.size() == windows_.row.size() + 1;
    // Indices of larger dimensions do not fit into s32 (window_starts()).
    const bool are_short =
        std::ranges::all_of(windows_.operand_sizes, [](std::int64_t size) { return size <= INT32_MAX; });
    return !is_sorted && scatter_.number(AttributeKey::UniqueIndices, 0) == 0 && order_matters() && are_short &&
           windows_.count >= min_windows && ir::product(windows_.row) < most && !moved_dimensions().empty();
  }

  Id run(SortedStarts &sorted) {
    const Numbers moved = moved_dimensions(), sizes = sizes_of(windows_.operand_sizes, moved);
    const Numbers indices = {index(operands_[count_]), windows_.index_vector_dimension};
    const auto [found, is_new] = sorted.try_emplace({indices, windows_.start_map, windows_.operand_batch,
                                                     windows_.index_batch, windows_.operand_sizes, windows_.sizes});
    if (is_new) {
      found->second = sorted_starts(moved, sizes);
    }
    const Id starts = b_.get_tuple_element(found->second, 0), order = b_.get_tuple_element(found->second, 1);
    return scatter(moved, sizes, starts, order);
  }

 private:
  // Returns the start of each window as one number, ascending, and the number of the window.
  Id sorted_starts(const Numbers &moved, const Numbers &sizes) {
    const WindowStarts windows =
        window_starts(b_, operands_[count_], windows_.operand_sizes, windows_.sizes, windows_.map());
    const std::int64_t all = ir::product(sizes);
    const ElementType type = all <= INT32_MAX ? ElementType::S32 : ElementType::S64;
    Id start = ir::no_instruction;
    for (std::size_t i = 0; i < moved.size(); ++i) {
      const Id column = b_.cast(windows.columns[static_cast<std::size_t>(moved[i])], type);
      start = i == 0 ? column : b_.sum({b_.product({start, b_.splat(static_cast<double>(sizes[i]), start)}), column});
    }
    // Windows that are dropped come last.
    start = b_.select({windows.is_in_bounds, start, b_.splat(static_cast<double>(all), start)});
    start = b_.bitcast_to(start, ir::Shape::array(type, {windows_.count}));
    return b_.sort_with_positions(start, 0, ir::ComparisonDirection::Lt);
  }

  // Whether the result depends on the order. It does not for a single op on whole words, and devices combine these in
  // memory in any order.
  bool order_matters() const {
    const ElementType type = b_.shape(operands_[0]).element_type();
    const Opcode op = count_ == 1 ? combining_op(scatter_.called(0)) : Opcode::Invalid;
    const bool is_simple =
        op == Opcode::Add || op == Opcode::Maximum || op == Opcode::Minimum || op == Opcode::And || op == Opcode::Or;
    return !is_simple || !ir::is_integer(type) || ir::bit_width(type) < 32;
  }

  // Returns the dimensions along which windows begin at different indices, or nothing if windows may overlap partly.
  Numbers moved_dimensions() const {
    Numbers moved = windows_.start_map;
    moved.insert(moved.end(), windows_.operand_batch.begin(), windows_.operand_batch.end());
    std::ranges::sort(moved);
    const auto is_whole = [this](std::int64_t d) {
      return windows_.sizes[static_cast<std::size_t>(d)] == windows_.operand_sizes[static_cast<std::size_t>(d)];
    };
    std::erase_if(moved, is_whole);
    const bool overlap =
        std::ranges::any_of(moved, [this](std::int64_t d) { return windows_.sizes[static_cast<std::size_t>(d)] > 1; });
    return overlap ? Numbers() : moved;
  }

  // Adds the scatter of windows in this order, whose start indices are numbers in these dimensions.
  Id scatter(const Numbers &moved, const Numbers &sizes, Id starts, Id order) {
    std::vector<Id> operands(operands_.begin(), operands_.begin() + static_cast<std::ptrdiff_t>(count_));
    operands.push_back(index_vectors(sizes, starts));
    for (std::size_t i = count_ + 1; i < operands_.size(); ++i) {
      operands.push_back(in_order(operands_[i], order));
    }
    const auto set = [&](ir::Module &m, Id id) {
      m.set_numbers(id, AttributeKey::UpdateWindowDims, window_dimensions());
      m.set_numbers(id, AttributeKey::InsertedWindowDims, windows_.removed);
      m.set_numbers(id, AttributeKey::ScatterDimsToOperandDims, moved);
      m.set_number(id, AttributeKey::IndexVectorDim, 1);
      m.set_number(id, AttributeKey::IndicesAreSorted, 1);
    };
    return b_.try_add(Opcode::Scatter, operands, set, std::vector(scatter_.calls().begin(), scatter_.calls().end()))
        .value();
  }

  // Returns s[windows] or s[windows, dimensions]; for windows that are dropped, the first dimension is out of range.
  Id index_vectors(const Numbers &sizes, Id starts) {
    if (sizes.size() == 1) {
      return starts;
    }
    std::vector<Id> columns;
    Id rest = b_.bitcast_to(starts, ir::Shape::array(b_.type(starts), {windows_.count, 1}));
    std::int64_t stride = ir::product(sizes);
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
      stride /= sizes[i];
      const Id divisor = b_.splat(static_cast<double>(stride), rest);
      columns.push_back(b_.quotient({rest, divisor}));
      rest = b_.add(Opcode::Remainder, {rest, divisor});
    }
    columns.push_back(rest);
    return b_.concatenate(columns, 1);
  }

  // Returns the rows of [windows, window...] in another order.
  Id in_order(Id updates, Id order) {
    Numbers sizes = windows_.row;
    sizes.insert(sizes.begin(), windows_.count);
    const ir::Instruction given = b_.module().instruction(updates);
    if (is_repeated_scalar(given)) {
      return b_.broadcast(given.operands()[0], ir::Shape::array(b_.type(updates), sizes));
    }
    if (!std::ranges::is_sorted(windows_.update_order)) {
      updates = b_.transpose(updates, windows_.update_order);
    }
    updates = b_.bitcast_to(updates, ir::Shape::array(b_.type(updates), sizes));
    sizes[0] = 1;
    return b_.add(Opcode::Gather, {updates, order}, [&](ir::Module &m, Id id) {
      m.set_numbers(id, AttributeKey::OffsetDims, window_dimensions());
      m.set_numbers(id, AttributeKey::CollapsedSliceDims, {0});
      m.set_numbers(id, AttributeKey::StartIndexMap, {0});
      m.set_number(id, AttributeKey::IndexVectorDim, 1);
      m.set_numbers(id, AttributeKey::SliceSizes, sizes);
    });
  }

  // Returns the window dimensions of [windows, window...].
  Numbers window_dimensions() const {
    Numbers dimensions(windows_.row.size());
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
      dimensions[i] = static_cast<std::int64_t>(i) + 1;
    }
    return dimensions;
  }

  ir::Instruction scatter_;
  ArrayBuilder b_;
  std::vector<Id> operands_;
  std::size_t count_;
  const ScatterWindows windows_;
};

}  // namespace

Result<bool> scatter_sorting(ir::Module &module, const PassContext &context) {
  const std::vector<bool> embedded = embedded_computations(module);
  SortedStarts sorted;
  return rewrite_outside_fusions(module, [&](ir::Instruction i) -> Result<Id> {
    const auto parent = index(i.parent().id());
    if (i.opcode() != Opcode::Scatter || parent >= embedded.size() || embedded[parent]) {
      return i.id();
    }
    for (std::size_t n = 0; n < i.operand_count(); ++n) {
      if (!is_plain(i.operand(n).shape()) || i.operand(n).shape().element_count() == 0) {
        return i.id();
      }
    }
    Sorter sorter(module, i);
    return sorter.is_worth_it(context.fusion.min_results_in_order) ? sorter.run(sorted) : i.id();
  });
}

}  // namespace bp::passes
