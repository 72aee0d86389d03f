// Products of matrices. The matrix unit takes them as tiles, and its operands and result lie in DRAM in just these, so
// that blocks of tiles move as they are. Blocks of sums stay in the scratchpad while the depth goes by.
#include <algorithm>

#include "plugins/npu/lowering.h"

namespace bp::npu {
namespace {

// Elements; multiples of all tiles. Together with the sums they fit into the scratchpad.
constexpr std::uint32_t block_rows = 128, block_columns = 128, block_depth = 256;

// Which dimension of an operand is what, batch dimensions aside.
struct Roles {
  std::vector<std::int64_t> batch;
  std::int64_t free, contracting;
};

std::string find_roles(plugin::Shape shape, std::span<const std::int64_t> batch,
                       std::span<const std::int64_t> contracting, Roles &roles) {
  if (contracting.size() != 1 || shape.rank() != batch.size() + 2) {
    return "the matrix unit takes products of matrices: one contracting and one free dimension on each side";
  }
  roles.batch.assign(batch.begin(), batch.end());
  roles.contracting = contracting[0];
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(shape.rank()); ++d) {
    if (d != roles.contracting && std::ranges::find(batch, d) == batch.end()) {
      roles.free = d;
    }
  }
  return {};
}

// As in bp_shape.layout: minor to major, one tile.
std::vector<std::int64_t> words(std::int64_t columns, std::int64_t rows, const std::vector<std::int64_t> &batch,
                                std::uint32_t tile) {
  std::vector<std::int64_t> result = {columns, rows};
  result.insert(result.end(), batch.rbegin(), batch.rend());
  result.insert(result.end(), {1, 2, tile_rows, tile});
  return result;
}

bool lies_as(plugin::Shape shape, const std::vector<std::int64_t> &words) {
  const auto order = shape.minor_to_major();
  return shape.tile_count() == 1 && shape.tile(0).size() == 2 &&
         std::equal(order.begin(), order.end(), words.begin()) &&
         std::equal(shape.tile(0).begin(), shape.tile(0).end(), words.end() - 2);
}

// Matrices as rows of tiles: dimensions batch..., row of tiles, element in the row. The minor dimension is columns.
struct TiledMatrix {
  Tensor tensor;
  std::uint32_t rows, columns;  // elements
};
TiledMatrix tiled(const Tensor &array, const std::vector<std::int64_t> &words, std::uint32_t tile) {
  const std::uint32_t rank = array.rank;
  TiledMatrix matrix{array, array.dimensions[words[1]].size, array.dimensions[words[0]].size};
  const auto rows = static_cast<std::uint32_t>(quotient_up(matrix.rows, tile_rows));
  const auto row = static_cast<std::uint32_t>(quotient_up(matrix.columns, tile) * tile_rows * tile);
  std::uint64_t stride = array.width;
  matrix.tensor.dimensions[rank - 1] = {row, row, stride, 0};
  stride *= row;
  matrix.tensor.dimensions[rank - 2] = {rows, rows, stride, 0};
  stride *= rows;
  for (std::uint32_t b = 2; b < rank; ++b) {
    const std::uint32_t size = array.dimensions[words[b]].size;
    matrix.tensor.dimensions[rank - 1 - b] = {size, size, stride, 0};
    stride *= size;
  }
  return matrix;
}

}  // namespace

std::string find_dot_layouts(plugin::Instruction dot, DotLayouts &layouts) {
  const plugin::Shape lhs = dot.operand(0).shape(), rhs = dot.operand(1).shape(), result = dot.result().shape();
  const bool is_bf16 = lhs.dtype() == BP_DTYPE_BF16 && rhs.dtype() == BP_DTYPE_BF16 &&
                       (result.dtype() == BP_DTYPE_BF16 || result.dtype() == BP_DTYPE_F32);
  const bool is_s8 = lhs.dtype() == BP_DTYPE_S8 && rhs.dtype() == BP_DTYPE_S8 &&
                     (result.dtype() == BP_DTYPE_S8 || result.dtype() == BP_DTYPE_S32);
  if (dot.operand_count() != 2 || !(is_bf16 || is_s8)) {
    return "a dot of " + name_of(lhs.dtype()) + " and " + name_of(rhs.dtype()) + " as " + name_of(result.dtype()) +
           ": the matrix unit multiplies bf16 as bf16 or f32, and s8 as s8 or s32";
  }
  if (const std::int64_t algorithm = dot.integer(BP_ATTR_ALGORITHM, BP_ALGORITHM_UNSET);
      algorithm != BP_ALGORITHM_UNSET && algorithm != BP_ALGORITHM_BF16_BF16_F32) {
    return "algorithm " + std::to_string(algorithm) + ": the matrix unit adds bf16 in f32";
  }
  Roles left, right;
  for (std::string reason :
       {find_roles(lhs, dot.integers(BP_ATTR_LHS_BATCH_DIMS), dot.integers(BP_ATTR_LHS_CONTRACTING_DIMS), left),
        find_roles(rhs, dot.integers(BP_ATTR_RHS_BATCH_DIMS), dot.integers(BP_ATTR_RHS_CONTRACTING_DIMS), right)}) {
    if (!reason.empty()) {
      return reason;
    }
  }
  if (lhs.element_count() == 0 || rhs.element_count() == 0) {
    return "an operand without elements";
  }
  const std::uint32_t tile = tile_columns(lhs.dtype());
  std::vector<std::int64_t> batch;
  for (std::size_t b = 0; b < left.batch.size(); ++b) {
    batch.push_back(static_cast<std::int64_t>(b));
  }
  const auto rank = static_cast<std::int64_t>(result.rank());
  layouts.words[0] = words(left.contracting, left.free, left.batch, tile);
  layouts.words[1] = words(right.free, right.contracting, right.batch, tile);
  layouts.words[2] = words(rank - 1, rank - 2, batch, tile);
  return {};
}

std::string Lowering::dot(plugin::Instruction i) {
  DotLayouts layouts;
  if (std::string reason = find_dot_layouts(i, layouts); !reason.empty()) {
    return reason;
  }
  const std::uint32_t type = i.operand(0).shape().dtype(), result_type = i.result().shape().dtype();
  const std::uint32_t tile = tile_columns(type);
  if (is_laid_out_ &&
      !(lies_as(i.operand(0).shape(), layouts.words[0]) && lies_as(i.operand(1).shape(), layouts.words[1]) &&
        lies_as(i.result().shape(), layouts.words[2]))) {
    return "the matrix unit takes tiles of 8 by " + std::to_string(tile) +
           " elements, rows of the left operand and "
           "columns of the right one along tiles";
  }
  const TiledMatrix lhs = tiled(view(i.operand(0)), layouts.words[0], tile);
  const TiledMatrix rhs = tiled(view(i.operand(1)), layouts.words[1], tile);
  const TiledMatrix result = tiled(view(i.result()), layouts.words[2], tile);
  const std::uint32_t lhs_tensor = add(lhs.tensor), rhs_tensor = add(rhs.tensor), result_tensor = add(result.tensor);
  const std::uint32_t sum_type = type == BP_DTYPE_S8 ? BP_DTYPE_S32 : BP_DTYPE_F32;
  const std::uint32_t rows = std::min(block_rows, lhs.rows), columns = std::min(block_columns, rhs.columns);
  const std::uint32_t depth = std::min(block_depth, lhs.columns);
  const auto bytes = [](std::uint32_t row_count, std::uint32_t column_count, std::uint32_t tile_size,
                        std::uint32_t width) {
    return quotient_up(row_count, tile_rows) * tile_rows * quotient_up(column_count, tile_size) * tile_size * width;
  };
  const std::uint32_t lhs_at = take(bytes(rows, depth, tile, width_of(type)));
  const std::uint32_t rhs_at = take(bytes(depth, columns, tile, width_of(type)));
  const std::uint64_t sums = bytes(rows, columns, tile, width_of(sum_type));
  const std::uint32_t sums_at = take(sums);
  const std::uint32_t result_at = result_type == sum_type ? sums_at : take(sums);

  Sizes batch;
  for (std::uint32_t b = 0; b + 2 < lhs.tensor.rank; ++b) {
    batch.push_back(lhs.tensor.dimensions[b].size);
  }
  // The tiles that hold so many elements from here on.
  const auto block = [&](const Box &index, std::uint32_t row, std::uint32_t row_count, std::uint32_t column,
                         std::uint32_t column_count) {
    Box box = index;
    box.start.insert(box.start.end(), {row / tile_rows, column * tile_rows});
    box.count.push_back(static_cast<std::uint32_t>(quotient_up(row_count, tile_rows)));
    box.count.push_back(static_cast<std::uint32_t>(quotient_up(column_count, tile)) * tile * tile_rows);
    return box;
  };
  Sizes blocks = batch;
  blocks.push_back(static_cast<std::uint32_t>(quotient_up(lhs.rows, rows)));
  blocks.push_back(static_cast<std::uint32_t>(quotient_up(rhs.columns, columns)));
  for_each_box(blocks, 1, [&](const Box &at) {
    Box index = at;
    index.start.resize(batch.size());
    index.count.resize(batch.size());
    const std::uint32_t row = at.start[batch.size()] * rows, column = at.start[batch.size() + 1] * columns;
    const std::uint32_t row_count = std::min(rows, lhs.rows - row),
                        column_count = std::min(columns, rhs.columns - column);
    for (std::uint32_t k = 0; k < lhs.columns && !is_full_; k += depth) {
      const std::uint32_t depth_count = std::min(depth, lhs.columns - k);
      load(Window(lhs.tensor), lhs_tensor, block(index, row, row_count, k, depth_count), lhs_at);
      load(Window(rhs.tensor), rhs_tensor, block(index, k, depth_count, column, column_count), rhs_at);
      Instruction &step = emit(Opcode::Multiply);
      step.type = static_cast<std::uint8_t>(type);
      step.result_type = static_cast<std::uint8_t>(sum_type);
      step.to = sums_at;
      step.from[0] = lhs_at;
      step.from[1] = rhs_at;
      step.rows = row_count;
      step.columns = column_count;
      step.depth = depth_count;
      step.option = k == 0 ? 0 : 1;
    }
    if (result_type != sum_type) {
      Instruction &round = emit(Opcode::Vector);
      round.function = BP_OP_CONVERT;
      round.type = static_cast<std::uint8_t>(sum_type);
      round.result_type = static_cast<std::uint8_t>(result_type);
      round.to = result_at;
      round.from[0] = sums_at;
      round.columns = static_cast<std::uint32_t>(bytes(row_count, column_count, tile, 1));
    }
    store(Window(result.tensor), result_tensor, block(index, row, row_count, column, column_count), result_at);
  });
  return {};
}

}  // namespace bp::npu
