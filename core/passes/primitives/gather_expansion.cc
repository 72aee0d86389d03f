// Rewrites gather as a loop over its windows: each is a dynamic slice of the operand, and is written to its row of an
// array of windows, whose dimensions are put in order at the end.
#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/index_vectors.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::AttributeKey;
using Id = ir::InstructionId;

Id expand_gather(ArrayBuilder &b, ir::Instruction gather) {
  const Id operand = gather.operands()[0], indices = gather.operands()[1];
  const ir::Shape result = gather.shape();
  const std::vector<std::int64_t> window = numbers_of(gather, AttributeKey::SliceSizes);
  const std::vector<std::int64_t> start_map = numbers_of(gather, AttributeKey::StartIndexMap);
  const std::vector<std::int64_t> operand_batch = numbers_of(gather, AttributeKey::OperandBatchingDims);
  const std::vector<std::int64_t> index_batch = numbers_of(gather, AttributeKey::StartIndicesBatchingDims);
  const std::vector<std::int64_t> offsets = numbers_of(gather, AttributeKey::OffsetDims);
  std::vector<std::int64_t> collapsed = numbers_of(gather, AttributeKey::CollapsedSliceDims);
  collapsed.insert(collapsed.end(), operand_batch.begin(), operand_batch.end());
  const IndexVectorMap map{gather.number(AttributeKey::IndexVectorDim), start_map, operand_batch, index_batch};
  const std::vector<std::int64_t> operand_sizes(b.shape(operand).sizes().begin(), b.shape(operand).sizes().end());
  const WindowStarts starts = window_starts(b, indices, operand_sizes, window, map);

  std::vector<std::int64_t> row = sizes_of(window, dimensions_except(window.size(), collapsed));
  row.insert(row.begin(), 1);
  std::vector<std::int64_t> all = row;
  all[0] = starts.count;
  const auto take = [&](ArrayBuilder &body, Id iteration, std::vector<Id> values) {
    const auto [from, vectors, windows] = std::tuple(values[0], values[1], values[2]);
    const Id taken = body.dynamic_slice(from, body.row_of_starts(vectors, iteration), window);
    return std::vector{from, vectors,
                       body.dynamic_update_slice(windows, body.ir::Builder::reshape(taken, row), 0, iteration)};
  };
  const Id empty = b.zeros(ir::Shape::array(result.element_type(), all));
  const Id windows = b.loop(starts.count, {operand, starts_of(b, starts), empty}, take)[2];

  // From [batch..., window...] to the order of the result.
  const std::vector<std::int64_t> batch = dimensions_except(result.rank(), offsets);
  std::vector<std::int64_t> sizes = starts.batch_sizes, order(result.rank());
  sizes.insert(sizes.end(), row.begin() + 1, row.end());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    order[static_cast<std::size_t>(batch[i])] = static_cast<std::int64_t>(i);
  }
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    order[static_cast<std::size_t>(offsets[i])] = static_cast<std::int64_t>(batch.size() + i);
  }
  return b.transpose(b.ir::Builder::reshape(windows, sizes), order);
}

}  // namespace

Result<bool> gather_expansion(ir::Module &module, const PassContext &context) {
  return expand_outside_functions(module, context, [&](ir::Instruction i) -> Result<Id> {
    if (i.opcode() != ir::Opcode::Gather || !is_plain(i) || i.shape().element_count() == 0 ||
        ir::product(i.numbers(AttributeKey::SliceSizes)) == 0) {  // zero-sized-elimination replaces these
      return i.id();
    }
    ArrayBuilder b(module, i);
    return expand_gather(b, i);
  });
}

}  // namespace bp::passes
