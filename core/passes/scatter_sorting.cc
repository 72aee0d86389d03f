// scatter(x, places, updates)  ->  scatter(x, sorted places, updates in that order): for devices that want much to do at a
// time. What is combined in one place then stands together, in the order in which it came, so that each place can be
// done by itself. Many windows that come in any order, and are small; those that lie partly over each other stay, as they
// meet in more than one way, and so do sums of integers and the like, which no order changes.
#include <algorithm>
#include <map>

#include "core/passes/index_vectors.h"
#include "core/passes/kernel.h"

namespace bp::passes {
namespace {

using ir::AttributeKey;
using ir::ElementType;
using ir::Opcode;
using Id = ir::InstructionId;
using Numbers = std::vector<std::int64_t>;

// Sorting fewer windows takes longer than to combine them one after the other.
constexpr std::int64_t least_windows = 64;

// Tuples, by what says where windows begin: several scatters may go to the same places.
using SortedPlaces = std::map<std::vector<Numbers>, Id>;

class Sorter {
 public:
  Sorter(ir::Module &module, ir::Instruction scatter)
      : scatter_(scatter),
        b_(module, scatter),
        operands_(scatter.operands().begin(), scatter.operands().end()),
        count_(operands_.size() / 2),
        in_window_(numbers_of(scatter, AttributeKey::UpdateWindowDims)),
        removed_(numbers_of(scatter, AttributeKey::InsertedWindowDims)),
        start_map_(numbers_of(scatter, AttributeKey::ScatterDimsToOperandDims)),
        operand_batch_(numbers_of(scatter, AttributeKey::InputBatchingDims)),
        index_batch_(numbers_of(scatter, AttributeKey::ScatterIndicesBatchingDims)),
        operand_sizes_(b_.shape(operands_[0]).sizes().begin(), b_.shape(operands_[0]).sizes().end()) {
    removed_.insert(removed_.end(), operand_batch_.begin(), operand_batch_.end());
    const ir::Shape updates = b_.shape(operands_[count_ + 1]);
    row_ = sizes_of(updates.sizes(), in_window_);
    window_.assign(operand_sizes_.size(), 1);
    const Numbers kept = dimensions_except(operand_sizes_.size(), removed_);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      window_[static_cast<std::size_t>(kept[i])] = row_[i];
    }
    // Updates as [windows..., window...].
    update_order_ = dimensions_except(updates.rank(), in_window_);
    windows_ = ir::product(sizes_of(updates.sizes(), update_order_));
    update_order_.insert(update_order_.end(), in_window_.begin(), in_window_.end());
  }

  // most: elements of windows that are enough to do at a time.
  bool is_worth_it(std::int64_t most) const {
    const bool is_sorted = scatter_.number(AttributeKey::IndicesAreSorted, 0) != 0 && operand_batch_.empty() &&
                           update_order_.size() == in_window_.size() + 1;
    // Of larger dimensions, places are no s32 (window_places()).
    const bool are_short = std::ranges::all_of(operand_sizes_, [](std::int64_t size) { return size <= INT32_MAX; });
    return !is_sorted && scatter_.number(AttributeKey::UniqueIndices, 0) == 0 && order_matters() && are_short &&
           windows_ >= least_windows && ir::product(row_) < most && !removed_or_whole().empty();
  }

  Id run(SortedPlaces &sorted) {
    const Numbers moved = removed_or_whole(), sizes = sizes_of(operand_sizes_, moved);
    const Numbers indices = {index(operands_[count_]), scatter_.number(AttributeKey::IndexVectorDim)};
    const auto [found, is_new] =
        sorted.try_emplace({indices, start_map_, operand_batch_, index_batch_, operand_sizes_, window_});
    if (is_new) {
      found->second = sorted_places(moved, sizes);
    }
    return scatter(moved, sizes, b_.get_tuple_element(found->second, 0), b_.get_tuple_element(found->second, 1));
  }

 private:
  // The place of each window as one number, ascending, and the number of the window.
  Id sorted_places(const Numbers &moved, const Numbers &sizes) {
    const PlaceMap map{scatter_.number(AttributeKey::IndexVectorDim), start_map_, operand_batch_, index_batch_};
    const WindowPlaces places = window_places(b_, operands_[count_], operand_sizes_, window_, map);
    const std::int64_t all = ir::product(sizes);
    const ElementType type = all <= INT32_MAX ? ElementType::S32 : ElementType::S64;
    Id place = ir::no_instruction;
    for (std::size_t i = 0; i < moved.size(); ++i) {
      const Id column = b_.cast(places.columns[static_cast<std::size_t>(moved[i])], type);
      place = i == 0 ? column : b_.sum({b_.product({place, b_.splat(static_cast<double>(sizes[i]), place)}), column});
    }
    // What is dropped comes last.
    place = b_.select({places.are_inside, place, b_.splat(static_cast<double>(all), place)});
    place = b_.seen_as(place, ir::Shape::array(type, {windows_}));
    return b_.sort_with_positions(place, 0, ir::ComparisonDirection::Lt);
  }

  // Of one op on whole words, any order gives the same, and devices combine them in memory as they come.
  bool order_matters() const {
    const ElementType type = b_.shape(operands_[0]).element_type();
    const Opcode op = count_ == 1 ? combining_op(scatter_.called(0)) : Opcode::Invalid;
    const bool is_simple =
        op == Opcode::Add || op == Opcode::Maximum || op == Opcode::Minimum || op == Opcode::And || op == Opcode::Or;
    return !is_simple || !ir::is_integer(type) || ir::bit_width(type) < 32;
  }

  // The dimensions along which windows begin at different places, if these have no elements in common.
  Numbers removed_or_whole() const {
    Numbers moved = start_map_;
    moved.insert(moved.end(), operand_batch_.begin(), operand_batch_.end());
    std::ranges::sort(moved);
    const auto is_whole = [this](std::int64_t d) {
      return window_[static_cast<std::size_t>(d)] == operand_sizes_[static_cast<std::size_t>(d)];
    };
    std::erase_if(moved, is_whole);
    const bool overlap =
        std::ranges::any_of(moved, [this](std::int64_t d) { return window_[static_cast<std::size_t>(d)] > 1; });
    return overlap ? Numbers() : moved;
  }

  // Of windows in this order, whose places are numbers of these dimensions.
  Id scatter(const Numbers &moved, const Numbers &sizes, Id places, Id order) {
    std::vector<Id> operands(operands_.begin(), operands_.begin() + static_cast<std::ptrdiff_t>(count_));
    operands.push_back(starts(sizes, places));
    for (std::size_t i = count_ + 1; i < operands_.size(); ++i) {
      operands.push_back(in_order(operands_[i], order));
    }
    Numbers inserted = removed_;
    std::ranges::sort(inserted);
    const auto set = [&](ir::Module &m, Id id) {
      m.set_numbers(id, AttributeKey::UpdateWindowDims, window_dimensions());
      m.set_numbers(id, AttributeKey::InsertedWindowDims, inserted);
      m.set_numbers(id, AttributeKey::ScatterDimsToOperandDims, moved);
      m.set_number(id, AttributeKey::IndexVectorDim, 1);
      m.set_number(id, AttributeKey::IndicesAreSorted, 1);
    };
    return b_.try_add(Opcode::Scatter, operands, set, std::vector(scatter_.calls().begin(), scatter_.calls().end()))
        .value();
  }

  // s[windows], or s[windows, dimensions]: the first dimension is too large for windows that are dropped.
  Id starts(const Numbers &sizes, Id places) {
    if (sizes.size() == 1) {
      return places;
    }
    std::vector<Id> columns;
    Id rest = b_.seen_as(places, ir::Shape::array(b_.type(places), {windows_, 1}));
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

  // Of [windows, window...], as many rows in another order.
  Id in_order(Id updates, Id order) {
    Numbers sizes = row_;
    sizes.insert(sizes.begin(), windows_);
    const ir::Instruction given = b_.module().instruction(updates);
    if (is_repeated_scalar(given)) {
      return b_.broadcast(given.operands()[0], ir::Shape::array(b_.type(updates), sizes));
    }
    if (!std::ranges::is_sorted(update_order_)) {
      updates = b_.transpose(updates, update_order_);
    }
    updates = b_.seen_as(updates, ir::Shape::array(b_.type(updates), sizes));
    sizes[0] = 1;
    return b_.add(Opcode::Gather, {updates, order}, [&](ir::Module &m, Id id) {
      m.set_numbers(id, AttributeKey::OffsetDims, window_dimensions());
      m.set_numbers(id, AttributeKey::CollapsedSliceDims, {0});
      m.set_numbers(id, AttributeKey::StartIndexMap, {0});
      m.set_number(id, AttributeKey::IndexVectorDim, 1);
      m.set_numbers(id, AttributeKey::SliceSizes, sizes);
    });
  }

  // Of [windows, window...].
  Numbers window_dimensions() const {
    Numbers dimensions(row_.size());
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
      dimensions[i] = static_cast<std::int64_t>(i) + 1;
    }
    return dimensions;
  }

  ir::Instruction scatter_;
  Expansion b_;
  std::vector<Id> operands_;
  std::size_t count_;
  Numbers in_window_, removed_, start_map_, operand_batch_, index_batch_, operand_sizes_;
  Numbers window_, row_, update_order_;  // of a window, by dimension of the operand and of the updates
  std::int64_t windows_ = 0;
};

}  // namespace

Result<bool> scatter_sorting(ir::Module &module, const PassContext &context) {
  const std::vector<bool> embedded = embedded_computations(module);
  SortedPlaces sorted;
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
    return sorter.is_worth_it(context.fusion.min_results) ? sorter.run(sorted) : i.id();
  });
}

}  // namespace bp::passes
