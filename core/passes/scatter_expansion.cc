// Rewrites scatter as a loop over its windows: each is a dynamic slice of every operand, combined with its row of the
// updates and put back; a window that reaches outside stays as it was. No two elements of a window are one, so a window
// is combined at once.
#include "core/passes/index_vectors.h"

namespace bp::passes {
namespace {

using ir::AttributeKey;
using Id = ir::InstructionId;

class ScatterExpansion {
 public:
  ScatterExpansion(ir::Module &module, ir::Instruction scatter)
      : b_(module, scatter),
        scatter_(scatter),
        operands_(scatter.operands().begin(), scatter.operands().end()),
        count_(operands_.size() / 2) {
    const auto sizes = b_.shape(operands_[0]).sizes();
    operand_sizes_.assign(sizes.begin(), sizes.end());
    const std::vector<std::int64_t> in_window = numbers_of(scatter, AttributeKey::UpdateWindowDims);
    std::vector<std::int64_t> inserted = numbers_of(scatter, AttributeKey::InsertedWindowDims);
    const std::vector<std::int64_t> batching = numbers_of(scatter, AttributeKey::InputBatchingDims);
    inserted.insert(inserted.end(), batching.begin(), batching.end());
    row_ = sizes_of(b_.shape(operands_[count_ + 1]).sizes(), in_window);
    window_.assign(operand_sizes_.size(), 1);
    const std::vector<std::int64_t> kept = dimensions_except(operand_sizes_.size(), inserted);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      window_[static_cast<std::size_t>(kept[i])] = row_[i];
    }
    // Updates as [batch..., window...].
    update_order_ = dimensions_except(b_.shape(operands_[count_ + 1]).rank(), in_window);
    update_order_.insert(update_order_.end(), in_window.begin(), in_window.end());
  }

  bool fits() const {
    for (std::size_t d = 0; d < window_.size(); ++d) {
      if (window_[d] > operand_sizes_[d]) {
        return false;
      }
    }
    return true;
  }

  // Without instructions if the function does more than elementwise ops.
  Id run() {
    const std::vector<std::int64_t> start_map = numbers_of(scatter_, AttributeKey::ScatterDimsToOperandDims);
    const std::vector<std::int64_t> operand_batch = numbers_of(scatter_, AttributeKey::InputBatchingDims);
    const std::vector<std::int64_t> index_batch = numbers_of(scatter_, AttributeKey::ScatterIndicesBatchingDims);
    const PlaceMap map{scatter_.number(AttributeKey::IndexVectorDim), start_map, operand_batch, index_batch};
    const WindowPlaces places = window_places(b_, operands_[count_], operand_sizes_, window_, map);
    std::vector<std::int64_t> rows = row_;
    rows.insert(rows.begin(), places.count);
    std::vector<Id> values(operands_.begin(), operands_.begin() + static_cast<std::ptrdiff_t>(count_));
    for (std::size_t i = 0; i < count_; ++i) {
      values.push_back(b_.ir::Builder::reshape(b_.transpose(operands_[count_ + 1 + i], update_order_), rows));
    }
    values.push_back(starts_of(b_, places));
    values.push_back(places.are_inside);
    const std::vector<Id> results =
        b_.loop(places.count, values, [&](Expansion &body, Id round, std::vector<Id> state) {
          return combine_window(body, round, std::move(state));
        });
    return count_ == 1 ? results[0] : b_.tuple(std::span(results.data(), count_));
  }

 private:
  std::vector<Id> combine_window(Expansion &body, Id round, std::vector<Id> state) const {
    const std::vector<Id> start = body.row_of_starts(state[2 * count_], round);
    const Id is_inside = body.reshape(body.dynamic_slice(state[2 * count_ + 1], 0, round, 1), {});
    std::vector<Id> arguments;
    for (std::size_t i = 0; i < count_; ++i) {
      arguments.push_back(body.dynamic_slice(state[i], start, window_));
    }
    const std::vector<Id> before = arguments;
    for (std::size_t i = 0; i < count_; ++i) {
      arguments.push_back(body.ir::Builder::reshape(body.dynamic_slice(state[count_ + i], 0, round, 1), window_));
    }
    const std::vector<Id> after = body.apply_to_arrays(scatter_.called(0), arguments, window_);
    for (std::size_t i = 0; i < count_; ++i) {
      const Id kept = body.select({body.spread(is_inside, before[i]), after[i], before[i]});
      state[i] = body.dynamic_update_slice(state[i], kept, start);
    }
    return state;
  }

  Expansion b_;
  ir::Instruction scatter_;
  std::vector<Id> operands_;
  std::size_t count_;
  std::vector<std::int64_t> operand_sizes_, window_, row_, update_order_;
};

}  // namespace

Result<bool> scatter_expansion(ir::Module &module, const PassContext &context) {
  return expand_outside_functions(module, context, [&](ir::Instruction i) -> Result<Id> {
    if (i.opcode() != ir::Opcode::Scatter || !applies_to_arrays(i.called(0)) ||
        i.operand(0).shape().element_count() == 0 || i.operand(i.operand_count() - 1).shape().element_count() == 0) {
      return i.id();
    }
    for (std::size_t n = 0; n < i.operand_count(); ++n) {
      if (!is_plain(i.operand(n).shape())) {
        return i.id();
      }
    }
    ScatterExpansion expansion(module, i);
    return expansion.fits() ? expansion.run() : i.id();
  });
}

}  // namespace bp::passes
