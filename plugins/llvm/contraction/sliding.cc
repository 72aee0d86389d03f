// The sliding strategy, for depthwise convolutions whose channels are neighbours in memory. Lanes are channels. A tile
// is a few outputs next to each other along one dimension of the window: each input is read once for all of them, and
// the weights of one row of the window stay in registers.
#include <algorithm>
#include <map>

#include "plugins/llvm/contraction/strategy.h"
#include "plugins/llvm/generator/loops.h"

namespace bp::emit {

namespace {

constexpr int64_t max_tile = 8, max_taps = 16;  // outputs of a tile, taps of a row of the window
constexpr int64_t lanes_per_item = 128;

// The axis along which the operand lhs is closest in memory, as an index; -1 if there is none.
int64_t closest_axis(const std::vector<Axis> &axes) {
  int64_t closest = -1;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (closest < 0 || std::abs(axes[i].lhs) < std::abs(axes[static_cast<size_t>(closest)].lhs)) {
      closest = static_cast<int64_t>(i);
    }
  }
  return closest;
}

// The free axes of an operand.
const std::vector<Axis> &free_axes(const ContractionProblem &problem, Operand operand) {
  return problem.row_operand == operand ? problem.rows : problem.columns;
}

std::vector<Axis> without(std::vector<Axis> axes, int64_t index) {
  axes.erase(axes.begin() + index);
  return axes;
}

class SlidingStrategy : public ContractionStrategy {
 public:
  SlidingStrategy(const ContractionProblem &problem, const VectorTarget &target);
  int64_t items() const override { return total_size(outer_) * lane_blocks_; }
  void emit_item(const ContractionMemory &memory, llvm::Value *item, llvm::Value *scratch) const override;

 private:
  // Where a tile is, with its lanes.
  struct Place {
    ElementOffset lhs, rhs, out;
    llvm::Value *lane = nullptr;  // the first one
    llvm::Value *mask = nullptr;  // lanes that exist; null: all
  };

  void emit_tile(const ContractionMemory &memory, const Place &place, int64_t outputs) const;
  // Adds the products of one row of the window.
  Values add_row(const ContractionMemory &memory, const Place &row, const Values &sums, bool are_inside) const;

  std::vector<Axis> outer_, outer_taps_;
  Axis slide_, taps_;
  const int64_t lanes_;
  int64_t tile_ = 1, lanes_per_block_ = 1, lane_blocks_ = 1;
};

SlidingStrategy::SlidingStrategy(const ContractionProblem &problem, const VectorTarget &target)
    : lanes_(total_size(problem.batch)) {
  const std::vector<Axis> &outputs = free_axes(problem, lhs_operand);
  const int64_t slide = closest_axis(outputs), taps = closest_axis(problem.contracted);
  slide_ = outputs[static_cast<size_t>(slide)];
  taps_ = problem.contracted[static_cast<size_t>(taps)];
  outer_ = without(outputs, slide);
  outer_taps_ = without(problem.contracted, taps);
  // The size that leaves the fewest outputs for a smaller tile, of those that fit in registers with the weights.
  const int64_t registers = std::max<int64_t>(target.vector_registers - taps_.size - 2, 1);
  const int64_t most = std::min({max_tile, registers, slide_.size});
  tile_ = most;
  for (int64_t size = most; 2 * size > most; --size) {
    tile_ = divide_up(slide_.size, size) * size < divide_up(slide_.size, tile_) * tile_ ? size : tile_;
  }
  const int64_t width = target.vector_bits / problem.types.accumulate->getScalarSizeInBits();
  lanes_per_block_ = divide_up(divide_up(lanes_, divide_up(lanes_, lanes_per_item)), width) * width;
  lane_blocks_ = divide_up(lanes_, lanes_per_block_);
}

// Consecutive items are outputs of the same channels, which share rows of the input.
void SlidingStrategy::emit_item(const ContractionMemory &m, llvm::Value *item, llvm::Value *) const {
  llvm::IRBuilder<> &b = m.b;
  const int64_t rows = total_size(outer_);
  llvm::Value *row = b.CreateURem(item, m.integer(rows)), *block = b.CreateUDiv(item, m.integer(rows));
  Place place;
  for (auto [operand, element] :
       {std::pair{lhs_operand, &place.lhs}, std::pair{rhs_operand, &place.rhs}, std::pair{out_operand, &place.out}}) {
    *element = m.locate(row, outer_, operand);
    element->offset = b.CreateAdd(element->offset, m.integer(m.problem.offsets[operand]));
  }
  llvm::Value *first_lane = b.CreateMul(block, m.integer(lanes_per_block_));
  llvm::Value *last_lane = m.minimum(b.CreateAdd(first_lane, m.integer(lanes_per_block_)), lanes_);
  // Runs of channels, as long as the block, are read and written in the order of memory.
  auto tiles_at = [&](llvm::Value *first, int64_t outputs) {
    emit_loop(b, first_lane, last_lane, m.width, [&](llvm::Value *lane) {
      Place tile = place;
      tile.lhs = m.sum(place.lhs, m.locate(first, {slide_}, lhs_operand));
      tile.out = m.sum(place.out, m.locate(first, {slide_}, out_operand));
      tile.lane = lane;
      if (lanes_ % m.width != 0) {
        llvm::Value *indices = m.lane_indices(lane);
        tile.mask = b.CreateICmpSLT(indices, llvm::ConstantInt::getSigned(indices->getType(), lanes_));
      }
      emit_tile(m, tile, outputs);
    });
  };
  const int64_t whole = slide_.size / tile_ * tile_;
  emit_loop(b, m.integer(0), m.integer(whole), tile_, [&](llvm::Value *first) { tiles_at(first, tile_); });
  if (whole != slide_.size) {
    tiles_at(m.integer(whole), slide_.size - whole);
  }
}

void SlidingStrategy::emit_tile(const ContractionMemory &m, const Place &place, int64_t outputs) const {
  llvm::IRBuilder<> &b = m.b;
  const Values zeros(static_cast<size_t>(outputs), m.zero());
  Axis tile = slide_;
  tile.size = outputs;
  const Values sums = emit_sum(b, total_size(outer_taps_), 1, zeros, [&](llvm::Value *k, const Values &so_far) {
    Place row = place;
    row.lhs = m.sum(place.lhs, m.locate(k, outer_taps_, lhs_operand));
    row.rhs = m.sum(place.rhs, m.locate(k, outer_taps_, rhs_operand));
    if (m.problem.windows.empty()) {
      return add_row(m, row, so_far, true);
    }
    return emit_if(
        b, m.are_inside(row.lhs, {tile, taps_}), [&] { return add_row(m, row, so_far, true); },
        [&] { return add_row(m, row, so_far, false); });
  });
  for (size_t i = 0; i < sums.size(); ++i) {
    const ElementOffset step = m.locate(m.integer(static_cast<int64_t>(i)), {slide_}, out_operand);
    m.store(sums[i], {Lanes::contiguous, place.lane, nullptr}, b.CreateAdd(place.out.offset, step.offset), place.mask);
  }
}

Values SlidingStrategy::add_row(const ContractionMemory &m, const Place &row, const Values &sums,
                                bool are_inside) const {
  llvm::IRBuilder<> &b = m.b;
  const Lanes lanes = {Lanes::contiguous, row.lane, nullptr};
  Values weights;
  for (int64_t tap = 0; tap < taps_.size; ++tap) {
    const ElementOffset step = m.locate(m.integer(tap), {taps_}, rhs_operand);
    weights.push_back(m.load(rhs_operand, lanes, b.CreateAdd(row.rhs.offset, step.offset), row.mask));
  }
  // The products of each input, in the order of the inputs.
  struct Product {
    size_t output, tap;
  };
  std::map<int64_t, std::vector<Product>> inputs;
  for (size_t output = 0; output < sums.size(); ++output) {
    for (size_t tap = 0; tap < weights.size(); ++tap) {
      inputs[static_cast<int64_t>(output) * slide_.lhs + static_cast<int64_t>(tap) * taps_.lhs].push_back(
          {output, tap});
    }
  }
  Values next = sums;
  for (const auto &[offset, products] : inputs) {
    const ElementOffset at_output =
        m.locate(m.integer(static_cast<int64_t>(products[0].output)), {slide_}, lhs_operand);
    const ElementOffset at_tap = m.locate(m.integer(static_cast<int64_t>(products[0].tap)), {taps_}, lhs_operand);
    Mask mask;
    if (!are_inside) {
      const ElementOffset *parts[] = {&row.lhs, &at_output, &at_tap};
      mask = m.mask_of(parts);
    }
    mask.lanes = row.mask;
    llvm::Value *input = m.load(lhs_operand, lanes, b.CreateAdd(row.lhs.offset, m.integer(offset)), mask);
    for (const Product &product : products) {
      next[product.output] = m.multiply_add(input, weights[product.tap], next[product.output]);
    }
  }
  return next;
}

}  // namespace

bool is_worth_sliding(const ContractionProblem &problem, const VectorTarget &target) {
  const int64_t width = target.vector_bits / problem.types.accumulate->getScalarSizeInBits();
  const auto is_contiguous = [&](Operand operand) {
    int64_t stride = 0;
    return has_single_stride(problem.batch, operand, &stride) && stride == 1;
  };
  const std::vector<Axis> &outputs = free_axes(problem, lhs_operand);
  const int64_t slide = closest_axis(outputs), taps = closest_axis(problem.contracted);
  if (total_size(free_axes(problem, rhs_operand)) != 1 || 2 * total_size(problem.batch) < width || slide < 0 ||
      taps < 0 || !is_contiguous(lhs_operand) || !is_contiguous(rhs_operand) || !is_contiguous(out_operand) ||
      problem.prologues[lhs_operand] || problem.prologues[rhs_operand] || is_worth_compensating(problem)) {
    return false;
  }
  const Axis &along = outputs[static_cast<size_t>(slide)];
  const Axis &row = problem.contracted[static_cast<size_t>(taps)];
  return along.window == row.window && along.size > 1 && row.size > 1 && row.size <= max_taps && row.lhs != 0 &&
         along.lhs % row.lhs == 0;  // neighbours share inputs
}

std::unique_ptr<ContractionStrategy> make_sliding_strategy(const ContractionProblem &problem,
                                                           const VectorTarget &target) {
  return std::make_unique<SlidingStrategy>(problem, target);
}

}  // namespace bp::emit
