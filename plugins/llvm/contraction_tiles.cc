#include "plugins/llvm/contraction_tiles.h"

#include <algorithm>

namespace bp::emit {

namespace {

int64_t bytes_of(const llvm::Type *type) {
  return type->getScalarSizeInBits() / 8;
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
  const int64_t slices = (slice_size(row_side) + slice_size(column_side)) * slice_type()->getScalarSizeInBits() / 8;
  return std::max(slices, unit_[row_side] * sums_stride() * bytes_of(problem_.types.accumulate));
}

// Rows of sums in memory begin in different banks, at multiples of 16 bytes.
int64_t TileStrategy::sums_stride() const {
  return tile(column_side) + std::max<int64_t>(8, 16 / bytes_of(problem_.types.accumulate));
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
        m.mask_and(m.is_below(at, size_[side], tile(side)), m.is_below(contracted, contracted_, depth_));
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
  write_out(m, results, first, start(out_operand), scratch);
}

// By way of the team's memory, a row of units at a time: members then have neighbours in out, which an epilogue reads and
// writes as vectors, and whose code is there once for each row of units.
void TileStrategy::write_out(const ContractionMemory &m, const Values &sums, const OfSides &first, const Place &batch,
                             llvm::Value *scratch) const {
  llvm::IRBuilder<> &b = m.b;
  int64_t stride = 0;
  const bool is_along_columns = has_single_stride(problem_.columns, out_operand, &stride) && stride == 1;
  const bool is_divided = size_[column_side] % m.width == 0 && tile(column_side) % m.width == 0;
  const int64_t lanes = is_along_columns && is_divided ? m.width : 1;
  llvm::Type *type = lanes == 1 ? m.sum_type : m.sum_vector;
  const auto place = [&](llvm::Value *row, llvm::Value *column) {
    return b.CreateInBoundsGEP(m.sum_type, scratch, b.CreateAdd(b.CreateMul(row, m.integer(sums_stride())), column));
  };
  const size_t of_row = sums.size() / static_cast<size_t>(each_[row_side]);
  for (int64_t unit = 0; unit < each_[row_side]; ++unit) {
    llvm::Value *before = m.integer(unit * unit_[row_side]);
    team_.wait(b);
    for (size_t i = static_cast<size_t>(unit) * of_row; i < static_cast<size_t>(unit + 1) * of_row; ++i) {
      const OfSides in_tile = position(m, i);
      b.CreateStore(sums[i], place(b.CreateSub(in_tile[row_side], before), in_tile[column_side]));
    }
    team_.wait(b);
    const int64_t across = tile(column_side) / lanes;
    emit_loop(b, team_.member(), m.integer(unit_[row_side] * across), team_.size(), [&](llvm::Value *part) {
      llvm::Value *in_unit = b.CreateUDiv(part, m.integer(across));
      llvm::Value *in_tile = b.CreateMul(b.CreateURem(part, m.integer(across)), m.integer(lanes));
      llvm::Value *row = b.CreateAdd(first[row_side], b.CreateAdd(before, in_unit));
      llvm::Value *column = b.CreateAdd(first[column_side], in_tile);
      const auto write = [&] {
        llvm::Value *finished = b.CreateAlignedLoad(type, place(in_unit, in_tile),
                                                    llvm::Align(static_cast<uint64_t>(lanes * bytes_of(m.sum_type))));
        llvm::Value *to = m.sum(batch, m.locate(row, problem_.rows, out_operand)).offset;
        if (lanes > 1) {
          m.store(finished, {Lanes::contiguous, column, nullptr}, to, nullptr);
        } else {
          m.store_scalar(finished, b.CreateAdd(to, m.locate(column, problem_.columns, out_operand).offset));
        }
      };
      llvm::Value *is_there = m.mask_and(m.is_below(row, size_[row_side], tile(row_side)),
                                         m.is_below(column, size_[column_side], tile(column_side)));
      if (is_there == nullptr) {
        write();
      } else {
        emit_when(b, is_there, write);
      }
    });
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
