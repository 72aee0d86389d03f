// Products of matrices. The matrix unit works on tiles. The operands and the result have the same tiles in DRAM, so
// blocks of tiles are moved without rearranging them. A block of sums stays in the scratchpad during the loop over the
// depth.
#include <algorithm>
#include <initializer_list>
#include <utility>

#include "plugins/npu/lowering.h"

namespace bp::npu {
namespace {

// Sizes of blocks in elements, multiples of the sizes of all tiles. Blocks of both operands and their sums fit into the
// scratchpad.
constexpr std::uint32_t block_rows = 128, block_columns = 128, block_depth = 256;

// The roles of an operand's dimensions. The last free and the last contracting dimension form matrices; all others
// enumerate the matrices.
struct Roles {
  std::vector<std::int64_t> batch, free, contracting;

  Roles(plugin::Shape shape, std::span<const std::int64_t> batch_dimensions,
        std::span<const std::int64_t> contracting_dimensions)
      : batch(batch_dimensions.begin(), batch_dimensions.end()),
        contracting(contracting_dimensions.begin(), contracting_dimensions.end()) {
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(shape.rank()); ++d) {
      if (std::ranges::find(contracting, d) == contracting.end() && std::ranges::find(batch, d) == batch.end()) {
        free.push_back(d);
      }
    }
  }

  bool has_matrices() const { return !free.empty() && !contracting.empty(); }
  // Returns the dimensions that enumerate matrices, the outermost first.
  std::vector<std::int64_t> outer() const {
    std::vector<std::int64_t> all = batch;
    all.insert(all.end(), free.begin(), free.end() - 1);
    all.insert(all.end(), contracting.begin(), contracting.end() - 1);
    return all;
  }
};
Roles lhs_roles(plugin::Instruction dot) {
  return {dot.operand(0).shape(), dot.integers(BP_ATTR_LHS_BATCH_DIMS), dot.integers(BP_ATTR_LHS_CONTRACTING_DIMS)};
}
Roles rhs_roles(plugin::Instruction dot) {
  return {dot.operand(1).shape(), dot.integers(BP_ATTR_RHS_BATCH_DIMS), dot.integers(BP_ATTR_RHS_CONTRACTING_DIMS)};
}

// Returns a layout as in bp_shape.layout: dimensions minor to major, and one tile.
std::vector<std::int64_t> words(std::int64_t columns, std::int64_t rows, const std::vector<std::int64_t> &outer,
                                std::uint32_t tile) {
  std::vector<std::int64_t> result = {columns, rows};
  result.insert(result.end(), outer.rbegin(), outer.rend());
  result.insert(result.end(), {1, 2, tile_rows, tile});
  return result;
}

bool lies_as(plugin::Shape shape, const std::vector<std::int64_t> &words) {
  const auto order = shape.minor_to_major();
  return shape.tile_count() == 1 && shape.tile(0).size() == 2 &&
         std::equal(order.begin(), order.end(), words.begin()) &&
         std::equal(shape.tile(0).begin(), shape.tile(0).end(), words.end() - 2);
}

// Matrices as rows of tiles. The tensor has the outer dimensions, then the row of tiles, then the element in that row.
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
  for (std::uint32_t outer = 2; outer < rank; ++outer) {
    const std::uint32_t size = array.dimensions[words[outer]].size;
    matrix.tensor.dimensions[rank - 1 - outer] = {size, size, stride, 0};
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
  if (!is_bf16 && !is_s8) {
    return "a dot of " + name_of(lhs.dtype()) + " and " + name_of(rhs.dtype()) + " as " + name_of(result.dtype()) +
           ": the matrix unit multiplies bf16 as bf16 or f32, and s8 as s8 or s32";
  }
  if (const std::int64_t algorithm = dot.integer(BP_ATTR_ALGORITHM, BP_ALGORITHM_UNSET);
      algorithm != BP_ALGORITHM_UNSET && algorithm != BP_ALGORITHM_BF16_BF16_F32) {
    return "algorithm " + std::to_string(algorithm) + ": the matrix unit adds bf16 in f32";
  }
  const Roles left = lhs_roles(dot), right = rhs_roles(dot);
  if (!left.has_matrices() || !right.has_matrices()) {
    return "the matrix unit takes products of matrices: both operands have contracting and free dimensions";
  }
  if (lhs.element_count() == 0 || rhs.element_count() == 0) {
    return "an operand without elements";
  }
  const std::uint32_t tile = tile_columns(lhs.dtype());
  layouts.words[0] = words(left.contracting.back(), left.free.back(), left.outer(), tile);
  layouts.words[1] = words(right.free.back(), right.contracting.back(), right.outer(), tile);
  const auto row = static_cast<std::int64_t>(left.batch.size() + left.free.size()) - 1;
  const auto column = static_cast<std::int64_t>(result.rank()) - 1;
  std::vector<std::int64_t> outer;
  for (std::int64_t d = 0; d < column; ++d) {
    if (d != row) {
      outer.push_back(d);
    }
  }
  layouts.words[2] = words(column, row, outer, tile);
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

  // Sizes of the dimensions that enumerate matrices: those of both operands and the result, those of one operand and
  // the result, and those of both operands only.
  const Roles left = lhs_roles(i), right = rhs_roles(i);
  const auto sizes = [](plugin::Shape shape, const std::vector<std::int64_t> &dimensions, std::size_t but) {
    Sizes list;
    for (std::size_t d = 0; d + but < dimensions.size(); ++d) {
      list.push_back(static_cast<std::uint32_t>(shape.dim(static_cast<std::uint32_t>(dimensions[d]))));
    }
    return list;
  };
  const plugin::Shape left_shape = i.operand(0).shape();
  const Sizes batch = sizes(left_shape, left.batch, 0), left_outer = sizes(left_shape, left.free, 1),
              right_outer = sizes(i.operand(1).shape(), right.free, 1),
              summed_outer = sizes(left_shape, left.contracting, 1);
  // Returns the box of the tiles that contain `row_count` rows from `row` and `column_count` columns from `column` of
  // the matrix with these outer indices.
  const auto block = [&](std::initializer_list<Sizes> index, std::uint32_t row, std::uint32_t row_count,
                         std::uint32_t column, std::uint32_t column_count) {
    Box box;
    for (const Sizes &part : index) {
      box.start.insert(box.start.end(), part.begin(), part.end());
    }
    box.count.assign(box.start.size(), 1);
    box.start.insert(box.start.end(), {row / tile_rows, column * tile_rows});
    box.count.push_back(static_cast<std::uint32_t>(quotient_up(row_count, tile_rows)));
    box.count.push_back(static_cast<std::uint32_t>(quotient_up(column_count, tile)) * tile * tile_rows);
    return box;
  };
  Sizes blocks = batch;
  blocks.insert(blocks.end(), left_outer.begin(), left_outer.end());
  blocks.insert(blocks.end(), right_outer.begin(), right_outer.end());
  blocks.push_back(static_cast<std::uint32_t>(quotient_up(lhs.rows, rows)));
  blocks.push_back(static_cast<std::uint32_t>(quotient_up(rhs.columns, columns)));
  for_each_box(blocks, 1, [&](const Box &at) {
    auto next = at.start.begin();
    const auto take_index = [&](const Sizes &of) {
      const auto first = next;
      return Sizes(first, next += static_cast<std::ptrdiff_t>(of.size()));
    };
    const Sizes b = take_index(batch), l = take_index(left_outer), r = take_index(right_outer);
    const std::uint32_t row = *next++ * rows, column = *next * columns;
    const std::uint32_t row_count = std::min(rows, lhs.rows - row);
    const std::uint32_t column_count = std::min(columns, rhs.columns - column);
    std::uint32_t adds = 0;
    for_each_box(summed_outer, 1, [&](const Box &summed) {
      for (std::uint32_t k = 0; k < lhs.columns && !is_full_; k += depth) {
        const std::uint32_t depth_count = std::min(depth, lhs.columns - k);
        load(Window(lhs.tensor), lhs_tensor, block({b, l, summed.start}, row, row_count, k, depth_count), lhs_at);
        load(Window(rhs.tensor), rhs_tensor, block({b, r, summed.start}, k, depth_count, column, column_count), rhs_at);
        Instruction &step = emit(Opcode::Multiply);
        step.type = static_cast<std::uint8_t>(type);
        step.result_type = static_cast<std::uint8_t>(sum_type);
        step.to = sums_at;
        step.from[0] = lhs_at;
        step.from[1] = rhs_at;
        step.rows = row_count;
        step.columns = column_count;
        step.depth = depth_count;
        step.option = std::exchange(adds, 1);
      }
    });
    if (result_type != sum_type) {
      Instruction &round = emit(Opcode::Vector);
      round.function = BP_OP_CONVERT;
      round.type = static_cast<std::uint8_t>(sum_type);
      round.result_type = static_cast<std::uint8_t>(result_type);
      round.to = result_at;
      round.from[0] = sums_at;
      round.columns = static_cast<std::uint32_t>(bytes(row_count, column_count, tile, 1));
    }
    store(Window(result.tensor), result_tensor, block({b, l, r}, row, row_count, column, column_count), result_at);
  });
  return {};
}

}  // namespace bp::npu
