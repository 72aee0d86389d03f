// Products of matrices. The matrix unit works on tiles. The operands and the result have the same tiles in DRAM, so
// blocks of tiles are moved without rearranging them. A block of sums stays in the scratchpad during the loop over the
// depth. If the host tells the content of a constant operand of s8, products with zeros are left out: weights of pruned
// networks have many. Those of bf16 are not, because an infinity times 0 is NaN.
#include <algorithm>
#include <initializer_list>
#include <utility>

#include "plugins/npu/lowering.h"
#include "plugins/npu/tiled_matrix.h"

namespace bp::npu {

namespace {

// Sizes of blocks in elements, multiples of the sizes of all tiles. Blocks of both operands and their sums fit into the
// scratchpad.
constexpr std::uint32_t block_rows = 128, block_columns = 128, block_depth = 256;

// Cycles of a product of tiles, and those that a step takes besides: two loads and a product begin (instruction_set.h).
constexpr std::uint64_t tile_product_cycles = 8, step_cycles = 2 * 32 + 16;

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

bool has_layout(plugin::Shape shape, const std::vector<std::int64_t> &words) {
  const auto order = shape.minor_to_major();
  return shape.tile_count() == 1 && shape.tile(0).size() == 2 &&
         std::equal(order.begin(), order.end(), words.begin()) &&
         std::equal(shape.tile(0).begin(), shape.tile(0).end(), words.end() - 2);
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

// A dot whose operands and result have the layouts of find_dot_layouts().
class Lowering::Dot {
 public:
  Dot(Lowering &lowering, plugin::Instruction i, const DotLayouts &layouts)
      : lowering_(lowering),
        type_(i.operand(0).shape().dtype()),
        result_type_(i.result().shape().dtype()),
        sum_type_(type_ == BP_DTYPE_S8 ? BP_DTYPE_S32 : BP_DTYPE_F32),
        tile_(tile_columns(type_)),
        lhs_(lowering.view(i.operand(0)), layouts.words[0], tile_, content_of(i.operand(0))),
        rhs_(lowering.view(i.operand(1)), layouts.words[1], tile_, content_of(i.operand(1))),
        result_(lowering.view(i.result()), layouts.words[2], tile_),
        rows_(std::min(block_rows, lhs_.rows())),
        columns_(std::min(block_columns, rhs_.columns())),
        depth_(std::min(block_depth, lhs_.columns())) {
    lhs_tensor_ = lowering.add(lhs_.tensor());
    rhs_tensor_ = lowering.add(rhs_.tensor());
    result_tensor_ = lowering.add(result_.tensor());
    lhs_at_ = lowering.take(bytes(rows_, depth_, width_of(type_)));
    rhs_at_ = lowering.take(bytes(depth_, columns_, width_of(type_)));
    const std::uint64_t sums = bytes(rows_, columns_, width_of(sum_type_));
    sums_at_ = lowering.take(sums);
    result_at_ = result_type_ == sum_type_ ? sums_at_ : lowering.take(sums);

    const Roles left = lhs_roles(i), right = rhs_roles(i);
    const plugin::Shape left_shape = i.operand(0).shape();
    batch_ = sizes(left_shape, left.batch, 0);
    left_outer_ = sizes(left_shape, left.free, 1);
    right_outer_ = sizes(i.operand(1).shape(), right.free, 1);
    summed_outer_ = sizes(left_shape, left.contracting, 1);
  }

  void emit() {
    Sizes blocks = batch_;
    blocks.insert(blocks.end(), left_outer_.begin(), left_outer_.end());
    blocks.insert(blocks.end(), right_outer_.begin(), right_outer_.end());
    blocks.push_back(static_cast<std::uint32_t>(quotient_up(lhs_.rows(), rows_)));
    blocks.push_back(static_cast<std::uint32_t>(quotient_up(rhs_.columns(), columns_)));
    for_each_box(blocks, 1, [&](const Box &at) {
      const Block block = block_at(at.start);
      add_up(block);
      if (result_type_ != sum_type_) {
        round(block);
      }
      lowering_.store(
          Window(result_.tensor()), result_tensor_,
          box({block.batch, block.left, block.right}, block.row, block.row_count, block.column, block.column_count),
          result_at_);
    });
  }

 private:
  // A block of the result: indices of its matrix, and the rows and columns of that.
  struct Block {
    Sizes batch, left, right;
    std::uint32_t row, row_count, column, column_count;
  };

  // A part of the depth that is multiplied at once: indices from `begin` to before `end`.
  struct Step {
    std::uint32_t begin, end;
  };

  // Returns the content of an operand whose zeros make a difference; empty if it is not known, or of another operand.
  std::span<const std::byte> content_of(plugin::Value operand) const {
    const bool is_wanted = lowering_.constants_ != nullptr && lowering_.is_planned_ && type_ == BP_DTYPE_S8 &&
                           operand.instruction().op() == BP_OP_CONSTANT;
    return is_wanted ? lowering_.constants_->content(operand.allocation()) : std::span<const std::byte>();
  }

  static Sizes sizes(plugin::Shape shape, const std::vector<std::int64_t> &dimensions, std::size_t but) {
    Sizes list;
    for (std::size_t d = 0; d + but < dimensions.size(); ++d) {
      list.push_back(static_cast<std::uint32_t>(shape.dim(static_cast<std::uint32_t>(dimensions[d]))));
    }
    return list;
  }

  std::uint64_t bytes(std::uint32_t row_count, std::uint32_t column_count, std::uint32_t width) const {
    return quotient_up(row_count, tile_rows) * tile_rows * quotient_up(column_count, tile_) * tile_ * width;
  }

  Block block_at(const Sizes &indices) const {
    auto next = indices.begin();
    const auto take_index = [&](const Sizes &of) {
      const auto first = next;
      return Sizes(first, next += static_cast<std::ptrdiff_t>(of.size()));
    };
    Block block;
    block.batch = take_index(batch_);
    block.left = take_index(left_outer_);
    block.right = take_index(right_outer_);
    block.row = *next++ * rows_;
    block.column = *next * columns_;
    block.row_count = std::min(rows_, lhs_.rows() - block.row);
    block.column_count = std::min(columns_, rhs_.columns() - block.column);
    return block;
  }

  // Returns the box of the tiles that contain `row_count` rows from `row` and `column_count` columns from `column` of
  // the matrix with these outer indices.
  Box box(std::initializer_list<Sizes> index, std::uint32_t row, std::uint32_t row_count, std::uint32_t column,
          std::uint32_t column_count) const {
    Box result;
    for (const Sizes &part : index) {
      result.start.insert(result.start.end(), part.begin(), part.end());
    }
    result.count.assign(result.start.size(), 1);
    result.start.insert(result.start.end(), {row / tile_rows, column * tile_rows});
    result.count.push_back(static_cast<std::uint32_t>(quotient_up(row_count, tile_rows)));
    result.count.push_back(static_cast<std::uint32_t>(quotient_up(column_count, tile_)) * tile_ * tile_rows);
    return result;
  }

  Box lhs_box(const Block &block, const Sizes &summed, Step step) const {
    return box({block.batch, block.left, summed}, block.row, block.row_count, step.begin, step.end - step.begin);
  }
  Box rhs_box(const Block &block, const Sizes &summed, Step step) const {
    return box({block.batch, block.right, summed}, step.begin, step.end - step.begin, block.column, block.column_count);
  }

  // Divides the depth into steps of at most `depth_`. Leaves out what an operand is known to be 0 in, unless a further
  // step would take longer than to multiply zeros.
  std::vector<Step> steps(const Block &block, const Sizes &summed) const {
    const std::uint64_t cycles_per_tile =
        tile_product_cycles * quotient_up(block.row_count, tile_rows) * quotient_up(block.column_count, tile_);
    std::vector<Step> list;
    for (std::uint32_t k = 0; k < lhs_.columns(); k += tile_) {
      const Step next{k, std::min(k + tile_, lhs_.columns())};
      if ((lhs_.has_content() && lhs_.is_zero(lhs_box(block, summed, next))) ||
          (rhs_.has_content() && rhs_.is_zero(rhs_box(block, summed, next)))) {
        continue;
      }
      const bool is_near = !list.empty() && (k - list.back().end) / tile_ * cycles_per_tile <= step_cycles;
      if (is_near && next.end - list.back().begin <= depth_) {
        list.back().end = next.end;
      } else {
        list.push_back(next);
      }
    }
    return list;
  }

  void add_up(const Block &block) {
    std::uint32_t adds = 0;
    for_each_box(summed_outer_, 1, [&](const Box &summed) {
      for (const Step step : steps(block, summed.start)) {
        if (!lowering_.is_full_) {
          multiply(block, summed.start, step, std::exchange(adds, 1));
        }
      }
    });
    if (adds == 0) {  // all products are 0, and so become the sums
      multiply(block, Sizes(summed_outer_.size(), 0), {0, std::min(tile_, lhs_.columns())}, 0);
    }
  }

  // adds: 1 if there are sums already.
  void multiply(const Block &block, const Sizes &summed, Step step, std::uint32_t adds) {
    lowering_.load(Window(lhs_.tensor()), lhs_tensor_, lhs_box(block, summed, step), lhs_at_);
    lowering_.load(Window(rhs_.tensor()), rhs_tensor_, rhs_box(block, summed, step), rhs_at_);
    Instruction &product = lowering_.emit(Opcode::Multiply);
    product.type = static_cast<std::uint8_t>(type_);
    product.result_type = static_cast<std::uint8_t>(sum_type_);
    product.to = sums_at_;
    product.from[0] = lhs_at_;
    product.from[1] = rhs_at_;
    product.rows = block.row_count;
    product.columns = block.column_count;
    product.depth = step.end - step.begin;
    product.option = adds;
  }

  // Converts the sums to the type of the result.
  void round(const Block &block) {
    Instruction &step = lowering_.emit(Opcode::Vector);
    step.function = BP_OP_CONVERT;
    step.type = static_cast<std::uint8_t>(sum_type_);
    step.result_type = static_cast<std::uint8_t>(result_type_);
    step.to = result_at_;
    step.from[0] = sums_at_;
    step.columns = static_cast<std::uint32_t>(bytes(block.row_count, block.column_count, 1));
  }

  Lowering &lowering_;
  const std::uint32_t type_, result_type_, sum_type_, tile_;
  const TiledMatrix lhs_, rhs_, result_;
  const std::uint32_t rows_, columns_, depth_;  // of a block
  std::uint32_t lhs_tensor_, rhs_tensor_, result_tensor_;
  std::uint32_t lhs_at_, rhs_at_, sums_at_, result_at_;  // addresses in the scratchpad
  // Sizes of the dimensions that enumerate matrices: those of both operands and the result, those of one operand and
  // the result, and those of both operands only.
  Sizes batch_, left_outer_, right_outer_, summed_outer_;
};

std::string Lowering::dot(plugin::Instruction i) {
  DotLayouts layouts;
  if (std::string reason = find_dot_layouts(i, layouts); !reason.empty()) {
    return reason;
  }
  if (is_laid_out_ &&
      !(has_layout(i.operand(0).shape(), layouts.words[0]) && has_layout(i.operand(1).shape(), layouts.words[1]) &&
        has_layout(i.result().shape(), layouts.words[2]))) {
    return "the matrix unit takes tiles of 8 by " + std::to_string(tile_columns(i.operand(0).shape().dtype())) +
           " elements, rows of the left operand and "
           "columns of the right one along tiles";
  }
  Dot(*this, i, layouts).emit();
  return {};
}

}  // namespace bp::npu
