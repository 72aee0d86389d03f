// Sums of products over a long dimension: the inner part of dot and convolution. Loaders passed by the caller convert
// blocks of both operands to the sum type; these are then multiplied in small blocks whose sums stay in registers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/interpreter/elementwise_function.h"
#include "core/interpreter/evaluator.h"
#include "core/interpreter/loops.h"

namespace bp::interpreter {

// result[row][column] = sum over k of lhs[row][k] * rhs[k][column], for each of `batches`.
struct ContractionSize {
  std::int64_t batches, rows, columns, depth;
};

inline constexpr std::int64_t panel_rows = 4, panel_columns = 8;

namespace detail {

inline constexpr std::int64_t block_rows = 64, block_columns = 128, block_depth = 256;

// Adds a term; sums of integers wrap around.
template <class Sum>
void add_to(Sum &sum, Sum term) {
  if constexpr (std::is_same_v<Sum, std::int64_t>) {
    sum = static_cast<Sum>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(term));
  } else {
    sum += term;
  }
}

// Adds to sums[4][8] the product of panels of [depth][4] and [depth][8].
template <class Sum>
void multiply_panels(const Sum *lhs, const Sum *rhs, std::int64_t depth, Sum *sums, std::int64_t sums_stride) {
  Sum local[panel_rows][panel_columns] = {};
  for (std::int64_t k = 0; k < depth; ++k) {
    for (std::int64_t i = 0; i < panel_rows; ++i) {
      for (std::int64_t j = 0; j < panel_columns; ++j) {
        add_to(local[i][j], multiply(lhs[k * panel_rows + i], rhs[k * panel_columns + j]));
      }
    }
  }
  for (std::int64_t i = 0; i < panel_rows; ++i) {
    for (std::int64_t j = 0; j < panel_columns; ++j) {
      add_to(sums[i * sums_stride + j], local[i][j]);
    }
  }
}

}  // namespace detail

// Copies elements into a panel and converts them to the sum type: panel[k * stride + i] = elements[minor[i] +
// depth[k]]. A negative minor offset is outside the array; its part of the panel is left unchanged.
template <class Sum>
using PanelLoader = void (*)(const void *elements, std::span<const std::int64_t> minor,
                             std::span<const std::int64_t> depth, Sum *panel, std::int64_t stride);
// Returns the loader for elements of a type whose sum_of() is Sum.
template <class Sum>
PanelLoader<Sum> panel_loader(ElementType type);

// Returns the operand, converted if its type is summed in another class of types than the result's type.
Result<Literal> in_sum_class(const Evaluator &evaluator, Literal operand, ElementType result_type);

// Computes the contraction in parallel. make_loaders() is called once per thread and returns an object with
//   load_lhs(batch, first row, rows, first k, count, panel): writes panel[k * stride + row]
//   load_rhs(batch, first k, count, first column, columns, panel): writes panel[k * stride + column]
//   store(batch, row, first column, columns, sums): stores the sums of one row
// where a panel is filled with zeros before and has panel_rows (or panel_columns) adjacent elements per k, which is its
// stride.
template <class Sum, class MakeLoaders>
void contract(const Evaluator &evaluator, const ContractionSize &size, MakeLoaders &&make_loaders) {
  using namespace detail;
  std::int64_t row_blocks = (size.rows + block_rows - 1) / block_rows;
  std::int64_t column_blocks = (size.columns + block_columns - 1) / block_columns;
  std::int64_t work_per_block = std::min(size.rows, block_rows) * std::min(size.columns, block_columns) * size.depth;
  std::int64_t grain = 1 + (1 << 16) / std::max<std::int64_t>(work_per_block, 1);
  evaluator.parallel(size.batches * row_blocks * column_blocks, grain, [&](std::int64_t begin, std::int64_t end) {
    auto loaders = make_loaders();
    auto rounded = [](std::int64_t count, std::int64_t panel, std::int64_t block) {
      return static_cast<std::size_t>(std::min((count + panel - 1) / panel * panel, block));
    };
    std::size_t max_rows = rounded(size.rows, panel_rows, block_rows);
    std::size_t max_columns = rounded(size.columns, panel_columns, block_columns);
    std::size_t max_depth = rounded(size.depth, 1, block_depth);
    auto sums_stride = static_cast<std::int64_t>(max_columns);
    std::vector<Sum> lhs(max_rows * max_depth), rhs(max_columns * max_depth), sums(max_rows * max_columns);
    for (std::int64_t block = begin; block < end; ++block) {
      std::int64_t batch = block % size.batches, rest = block / size.batches;
      std::int64_t column = rest % column_blocks * block_columns, row = rest / column_blocks * block_rows;
      std::int64_t rows = std::min(block_rows, size.rows - row);
      std::int64_t columns = std::min(block_columns, size.columns - column);
      std::fill(sums.begin(), sums.end(), Sum(0));
      for (std::int64_t k = 0; k < size.depth; k += block_depth) {
        std::int64_t depth = std::min(block_depth, size.depth - k);
        for (std::int64_t r = 0; r < rows; r += panel_rows) {
          Sum *panel = lhs.data() + r * depth;
          std::int64_t filled = std::min(panel_rows, rows - r);
          std::fill_n(panel, panel_rows * depth, Sum(0));
          loaders.load_lhs(batch, row + r, filled, k, depth, panel);
        }
        for (std::int64_t c = 0; c < columns; c += panel_columns) {
          Sum *panel = rhs.data() + c * depth;
          std::int64_t filled = std::min(panel_columns, columns - c);
          if (filled < panel_columns) {
            std::fill_n(panel, panel_columns * depth, Sum(0));
          }
          loaders.load_rhs(batch, k, depth, column + c, filled, panel);
        }
        for (std::int64_t c = 0; c < columns; c += panel_columns) {
          for (std::int64_t r = 0; r < rows; r += panel_rows) {
            multiply_panels(lhs.data() + r * depth, rhs.data() + c * depth, depth, sums.data() + r * sums_stride + c,
                            sums_stride);
          }
        }
      }
      for (std::int64_t r = 0; r < rows; ++r) {
        loaders.store(batch, row + r, column, columns, sums.data() + r * sums_stride);
      }
    }
  });
}

}  // namespace bp::interpreter
