#include "plugins/llvm/contraction_tiles.h"

#include <algorithm>

namespace bp::emit {

namespace {

// i1, or null if everything is: index < end, where indices go up to a multiple of `step`.
llvm::Value *exists(const ContractionMemory &m, llvm::Value *index, int64_t end, int64_t step) {
  return end % step == 0 ? nullptr : m.b.CreateICmpULT(index, m.integer(end));
}

}  // namespace

TileStrategy::TileStrategy(const ContractionProblem &problem, Team &team, int64_t depth, std::array<int64_t, 2> unit,
                           std::array<int64_t, 2> each)
    : problem_(problem),
      team_(team),
      depth_(depth),
      unit_(unit),
      each_(each),
      size_{total_size(problem.rows), total_size(problem.columns)},
      contracted_(total_size(problem.contracted)) {
  constexpr int64_t enough_tiles = 256;
  for (const size_t side : {column_side, row_side}) {
    while (each_[side] > 1 && (tiles() < enough_tiles || tile(side) >= 2 * size_[side])) {
      each_[side] /= 2;
    }
  }
}

int64_t TileStrategy::scratch_bytes() const {
  return (slice_size(row_side) + slice_size(column_side)) * slice_type()->getScalarSizeInBits() / 8;
}

// Neighbouring members read neighbours in memory, if there are any.
void TileStrategy::copy_slice(const ContractionMemory &m, size_t side, const Place &batch, llvm::Value *first,
                              llvm::Value *first_contracted, llvm::Value *slice) const {
  llvm::IRBuilder<> &b = m.b;
  const Operand from = operand(side);
  const int64_t elements = tile(side) * depth_;
  const bool is_along_contracted = !problem_.contracted.empty() && stride_of(problem_.contracted.back(), from) == 1 &&
                                   (axes(side).empty() || stride_of(axes(side).back(), from) != 1);
  for (int64_t done = 0; done < elements; done += team_.size()) {
    llvm::Value *element = b.CreateAdd(team_.member(), m.integer(done));
    llvm::Value *inner = m.integer(is_along_contracted ? depth_ : tile(side));
    llvm::Value *fast = b.CreateURem(element, inner), *slow = b.CreateUDiv(element, inner);
    llvm::Value *k = is_along_contracted ? fast : slow, *i = is_along_contracted ? slow : fast;
    llvm::Value *at = b.CreateAdd(first, i), *contracted = b.CreateAdd(first_contracted, k);
    const Place along = m.sum(batch, m.locate(at, axes(side), from));
    const Place step = m.locate(contracted, problem_.contracted, from);
    llvm::Value *is_there =
        m.mask_and(exists(m, at, size_[side], tile(side)), exists(m, contracted, contracted_, depth_));
    if (from == lhs_operand) {
      is_there = m.mask_and(is_there, m.mask_of(std::initializer_list<const Place *>{&along, &step}).condition);
    }
    llvm::Value *value = read(m, from, b.CreateAdd(along.offset, step.offset), is_there);
    llvm::Value *to = b.CreateInBoundsGEP(slice_type(), slice, slice_place(m, side, k, i));
    const auto write = [&] { b.CreateStore(value, to); };
    if (elements - done >= team_.size()) {
      write();
    } else {
      emit_when(b, b.CreateICmpULT(element, m.integer(elements)), write);
    }
  }
}

void TileStrategy::emit_item(const ContractionMemory &m, llvm::Value *item, llvm::Value *scratch) const {
  llvm::IRBuilder<> &b = m.b;
  llvm::Value *column_tile = b.CreateURem(item, m.integer(tiles_along(column_side)));
  llvm::Value *rest = b.CreateUDiv(item, m.integer(tiles_along(column_side)));
  llvm::Value *row_tile = b.CreateURem(rest, m.integer(tiles_along(row_side)));
  llvm::Value *batch = b.CreateUDiv(rest, m.integer(tiles_along(row_side)));
  const OfSides first = {b.CreateMul(row_tile, m.integer(tile(row_side))),
                         b.CreateMul(column_tile, m.integer(tile(column_side)))};
  const auto start = [&](Operand of) {
    Place place = m.locate(batch, problem_.batch, of);
    place.offset = b.CreateAdd(place.offset, m.integer(problem_.offsets[of]));
    return place;
  };
  const std::array<Place, 2> starts = {start(operand(row_side)), start(operand(column_side))};
  const OfSides slices = {scratch, b.CreateInBoundsGEP(slice_type(), scratch, m.integer(slice_size(row_side)))};
  const Values zeros(sums(), llvm::Constant::getNullValue(m.sum_type));
  const Values results = emit_sum(
      b, contracted_, depth_, zeros,
      [&](llvm::Value *k, const Values &so_far) {
        team_.wait(b);  // until the last slices are no more needed
        for (const size_t side : {row_side, column_side}) {
          copy_slice(m, side, starts[side], first[side], k, slices[side]);
        }
        team_.wait(b);
        return multiply(m, slices, so_far);
      },
      longest_chain());
  const Place out = start(out_operand);
  for (size_t i = 0; i < results.size(); ++i) {
    const OfSides in_tile = position(m, i);
    llvm::Value *row = b.CreateAdd(first[row_side], in_tile[row_side]);
    llvm::Value *column = b.CreateAdd(first[column_side], in_tile[column_side]);
    const Place place =
        m.sum(m.sum(out, m.locate(row, problem_.rows, out_operand)), m.locate(column, problem_.columns, out_operand));
    const auto write = [&] { m.store_scalar(results[i], place.offset); };
    llvm::Value *is_there = m.mask_and(exists(m, row, size_[row_side], tile(row_side)),
                                       exists(m, column, size_[column_side], tile(column_side)));
    if (is_there == nullptr) {
      write();
    } else {
      emit_when(b, is_there, write);
    }
  }
}

bool is_worth_tiling(const ContractionProblem &problem) {
  constexpr int64_t smallest = 16;
  return total_size(problem.rows) >= smallest && total_size(problem.columns) >= smallest &&
         total_size(problem.contracted) >= smallest && !is_worth_compensating(problem);
}

std::unique_ptr<ContractionStrategy> make_tiled_strategy(const ContractionProblem &problem, Team &team) {
  const ContractionTypes &types = problem.types;
  return types.lhs == types.rhs && types.accumulate->isFloatTy() && team.has_matrix_unit(types.lhs)
             ? make_matrix_tiles(problem, team)
             : make_scalar_tiles(problem, team);
}

}  // namespace bp::emit
