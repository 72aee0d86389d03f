#include "plugins/llvm/contraction/split.h"

#include <algorithm>

namespace bp::emit {

namespace {

constexpr int64_t max_few_dimensions = 15;

}  // namespace

Split::Split(const ContractionProblem &problem)
    : are_rows_few(total_size(problem.rows) <= total_size(problem.columns)),
      few(total_size(few_axes(problem))),
      many(total_size(many_axes(problem))),
      contracted(total_size(problem.contracted)),
      batch(total_size(problem.batch)),
      few_operand(are_rows_few ? problem.row_operand : problem.column_operand),
      many_operand(are_rows_few ? problem.column_operand : problem.row_operand),
      is_along_contracted(has_vectors(problem.contracted, many_operand, 1) ||
                          !has_vectors(many_axes(problem), many_operand, 1)) {
  lanes = 128 / read_bits(problem, many_operand);
  if (is_along_contracted) {
    constexpr int64_t max_sums = 16, enough_items = 2048;
    while (lanes > 1 && (!has_vectors(problem.contracted, many_operand, lanes) || contracted < lanes * usual_warp)) {
      lanes /= 2;
    }
    deep = lanes;
    for (each = 4; each > 1 && (few * each > max_sums || batch * many < each * enough_items);) {
      each /= 2;
    }
  } else {
    const int64_t max_sums = 1024 / problem.types.accumulate->getScalarSizeInBits();
    while (lanes > 1 && (!has_vectors(many_axes(problem), many_operand, lanes) || few * lanes > max_sums)) {
      lanes /= 2;
    }
    each = lanes;
    deep = contracted % 4 == 0 ? 4 : 1;  // so that several reads are in flight
    // Memory is read in at least 8 vectors of 16 bytes, if there are enough of the many.
    for (across = 8; across > 1 && across / 2 * each >= many;) {
      across /= 2;
    }
  }
}

bool may_be_split(const ContractionProblem &problem) {
  const bool has_padding =
      std::ranges::any_of(problem.windows, [](const Window &window) { return window.size != Window::unbounded; });
  return std::min(total_size(problem.rows), total_size(problem.columns)) <= max_few_dimensions && !has_padding &&
         !is_worth_compensating(problem);
}

ContractionShape split_shape(const ContractionProblem &problem) {
  const Split split(problem);
  return {ContractionWay::Split, split.are_rows_few ? split.few : split.of_item(),
          split.are_rows_few ? split.of_item() : split.few};
}

TeamWork split_work(const ContractionProblem &problem) {
  const Split split(problem);
  return {.items = split.batch * split.items_along(),
          .length = split.contracted * split.of_item() / split.lanes,
          .sum_bits = split.few * split.each * problem.types.accumulate->getScalarSizeInBits()};
}

}  // namespace bp::emit
