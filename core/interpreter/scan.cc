// scan: one step per index along a dimension, each on slices of the inputs and on the carries of the step before.
#include "core/interpreter/strided_copy.h"

namespace bp::interpreter {
namespace {

// Returns the walk over the slice at `index` along `dimension`.
Walk slice_walk(const Shape &shape, std::size_t dimension, std::int64_t index) {
  Walk walk = dense_walk(shape.sizes());
  walk.offset = index * walk.strides[dimension];
  walk.strides.erase(walk.strides.begin() + static_cast<std::ptrdiff_t>(dimension));
  return walk;
}

}  // namespace

Result<Literal> evaluate_scan(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  auto dimension = static_cast<std::size_t>(instruction.dimensions()[0]);
  auto carries = static_cast<std::size_t>(instruction.number(ir::AttributeKey::NumCarries));
  bool reversed = instruction.number(ir::AttributeKey::IsReverse) != 0;
  std::size_t inputs = operands.size() - carries;
  ir::Computation step = instruction.called(0);
  bool tuple = instruction.shape().is_tuple();
  std::size_t outputs = (tuple ? instruction.shape().elements().size() : 1) - carries;

  std::vector<Literal> results;
  for (std::size_t i = 0; i < outputs; ++i) {
    BP_ASSIGN(Literal result, evaluator.allocate(tuple ? instruction.shape().elements()[i] : instruction.shape()));
    results.push_back(std::move(result));
  }
  std::vector<Literal> carried(std::make_move_iterator(operands.begin() + static_cast<std::ptrdiff_t>(inputs)),
                               std::make_move_iterator(operands.end()));
  std::int64_t length = operands[0].shape().size(dimension);
  for (std::int64_t i = 0; i < length; ++i) {
    std::int64_t index = reversed ? length - 1 - i : i;
    std::vector<Literal> arguments;
    for (std::size_t n = 0; n < inputs; ++n) {
      BP_ASSIGN(Literal slice, gathered(evaluator, step.parameter(n).shape(), operands[n],
                                        slice_walk(operands[n].shape(), dimension, index)));
      arguments.push_back(std::move(slice));
    }
    std::move(carried.begin(), carried.end(), std::back_inserter(arguments));
    BP_ASSIGN(Literal returned, evaluator.run(step, std::move(arguments)));
    std::vector<Literal> parts;
    if (returned.shape().is_tuple()) {
      parts.assign(returned.tuple_elements().begin(), returned.tuple_elements().end());
    } else {
      parts.push_back(std::move(returned));
    }
    for (std::size_t n = 0; n < outputs; ++n) {
      strided_copy(evaluator, parts[n].shape().sizes(), results[n].mutable_bytes().data(),
                   slice_walk(results[n].shape(), dimension, index), parts[n].bytes().data(),
                   dense_walk(parts[n].shape().sizes()), element_width(parts[n].shape()));
    }
    carried.assign(std::make_move_iterator(parts.begin() + static_cast<std::ptrdiff_t>(outputs)),
                   std::make_move_iterator(parts.end()));
  }
  std::move(carried.begin(), carried.end(), std::back_inserter(results));
  return tuple ? Literal::tuple(std::move(results)) : std::move(results[0]);
}

}  // namespace bp::interpreter
