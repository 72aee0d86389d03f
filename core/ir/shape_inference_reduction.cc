// Shape rules of reductions, windows, scans and batch normalization.
#include "core/ir/shape_inference_rules.h"

namespace bp::ir {

using namespace shape_rules;

namespace {

// The N inputs, of equal sizes, and the N scalar initial values of reduce and reduce-window.
struct Reduction {
  std::size_t count = 0;
  Shape input;                            // the sizes of all inputs, merged
  std::vector<ElementType> accumulators;  // element types of the results
};

Result<Reduction> check_reduction(const Instruction &instruction) {
  if (instruction.operand_count() % 2 != 0) {
    return invalid_input("{} has {} operands, expected as many initial values as inputs", instruction.op().text,
                         instruction.operand_count());
  }
  Reduction result;
  result.count = instruction.operand_count() / 2;
  result.input = operand_shape(instruction, 0);
  std::vector<ElementType> inputs, inits;
  for (std::size_t i = 0; i < result.count; ++i) {
    const Shape &input = operand_shape(instruction, i), &init = operand_shape(instruction, result.count + i);
    // (C1) inputs have the same sizes.
    if (!sizes_agree(input, result.input)) {
      return unexpected_operand(instruction, i, fmt::format("the sizes of {}", describe(result.input)));
    }
    // (C2) initial values are scalars.
    if (!init.is_scalar()) {
      return unexpected_operand(instruction, result.count + i, "a scalar");
    }
    result.input = merge(result.input, input);
    inputs.push_back(input.element_type());
    inits.push_back(init.element_type());
  }
  // (C3) the computation combines accumulators, of the types of the initial values, with elements of the inputs.
  BP_ASSIGN(result.accumulators, check_combiner(instruction.called(0), inputs, inits));
  return result;
}

Result<Shape> make_results(const Reduction &reduction, std::span<const Dimension> sizes) {
  std::vector<Shape> results;
  for (ElementType type : reduction.accumulators) {
    BP_ASSIGN(Shape result, make_array(type, sizes));
    results.push_back(std::move(result));
  }
  return tuple_unless_one(std::move(results));
}

// Checks that operands `first` to `last` are vectors of the size of the feature dimension and of the operand's type.
Status check_features(const Instruction &instruction, std::size_t first, std::size_t last) {
  const Shape &operand = operand_shape(instruction, 0);
  std::int64_t feature = instruction.number(AttributeKey::FeatureIndex);
  BP_TRY(check_dimension(feature, operand.rank(), "feature_index"));
  Shape expected = Shape::array(operand.element_type(), {operand.size(static_cast<std::size_t>(feature))});
  for (std::size_t i = first; i <= last; ++i) {
    const Shape &vector = operand_shape(instruction, i);
    if (vector.element_type() != expected.element_type() || !sizes_agree(vector, expected)) {
      return unexpected_operand(instruction, i, describe(expected));
    }
  }
  return {};
}

}  // namespace

Result<Shape> infer_reduce(const Instruction &instruction) {
  BP_ASSIGN(Reduction reduction, check_reduction(instruction));
  auto reduced = instruction.dimensions();
  BP_TRY(check_dimensions(reduced, reduction.input.rank(), "dimensions"));
  std::vector<Dimension> kept;
  for (std::size_t i = 0; i < reduction.input.rank(); ++i) {
    if (!contains(reduced, static_cast<std::int64_t>(i))) {
      kept.push_back(dimension(reduction.input, i));
    }
  }
  return make_results(reduction, kept);
}

Result<Shape> infer_reduce_window(const Instruction &instruction) {
  BP_ASSIGN(Reduction reduction, check_reduction(instruction));
  BP_ASSIGN(std::vector<Dimension> sizes, window_output(reduction.input, instruction.window()));
  return make_results(reduction, sizes);
}

Result<Shape> infer_select_and_scatter(const Instruction &instruction) {
  const Shape &operand = operand_shape(instruction, 0), &source = operand_shape(instruction, 1);
  const Shape &init = operand_shape(instruction, 2);
  ElementType type = operand.element_type();
  if (instruction.calls().size() < 2) {
    return invalid_input("select-and-scatter calls {} computations, expected 2", instruction.calls().size());
  }
  // (C1) select compares two elements of the operand.
  BP_ASSIGN(Signature select, signature_of(instruction.called(0)));
  Shape element = Shape::scalar(type);
  BP_TRY(check_parameters(instruction.called(0), select, std::vector<const Shape *>{&element, &element}));
  if (!same(*select.result, Shape::scalar(ElementType::Pred), CompareLayout::No)) {
    return invalid_input("{} returns {}, expected pred[]", instruction.called(0).name(), describe(*select.result));
  }
  // (C2) scatter combines an element of the source with the current value.
  ElementType accumulator[] = {init.element_type()}, scattered[] = {source.element_type()};
  BP_TRY(check_combiner(instruction.called(1), scattered, accumulator));
  if (!init.is_scalar() || init.element_type() != type) {
    return unexpected_operand(instruction, 2, describe(element));
  }
  // (C3) the source has one element for each window.
  BP_ASSIGN(std::vector<Dimension> windows, window_output(operand, instruction.window()));
  BP_ASSIGN(Shape expected, make_array(type, windows));
  if (source.element_type() != type || !sizes_agree(source, expected)) {
    return unexpected_operand(instruction, 1, describe(expected));
  }
  return operand;
}

Result<Shape> infer_scan(const Instruction &instruction) {
  std::int64_t carries = instruction.number(AttributeKey::NumCarries);
  auto operands = static_cast<std::int64_t>(instruction.operand_count());
  if (carries < 0 || carries > operands) {
    return invalid_input("num_carries is {}, expected at least 0 and at most the {} operands", carries, operands);
  }
  auto inputs = static_cast<std::size_t>(operands - carries);
  if (inputs == 0) {
    return unsupported("scan without inputs: its number of steps is not known");
  }
  const Shape &first = operand_shape(instruction, 0);
  BP_ASSIGN(std::size_t along, single_dimension(instruction, first.rank()));
  Dimension steps = dimension(first, along);
  auto without_scanned = [&](const Shape &shape) {
    std::vector<Dimension> sizes = dimensions(shape);
    sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(along));
    return make_array(shape.element_type(), sizes);
  };
  // (C1) the computation takes a slice of each input and the carries.
  std::vector<Shape> arguments;
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    const Shape &operand = operand_shape(instruction, i);
    if (i >= inputs) {
      arguments.push_back(operand);
      continue;
    }
    if (operand.rank() <= along || !sizes_agree(operand.size(along), steps.size)) {
      return unexpected_operand(instruction, i, fmt::format("dimension {} of size {}", along, steps.size));
    }
    BP_ASSIGN(Shape slice, without_scanned(operand));
    arguments.push_back(std::move(slice));
  }
  std::vector<const Shape *> argument_pointers;
  for (const Shape &argument : arguments) {
    argument_pointers.push_back(&argument);
  }
  Computation step = instruction.called(0);
  BP_ASSIGN(Signature signature, signature_of(step));
  BP_TRY(check_parameters(step, signature, argument_pointers));
  // (C2) it returns slices of the outputs and then the carries, of the same shapes.
  std::vector<Shape> returned;
  if (signature.result->is_tuple()) {
    returned.assign(signature.result->elements().begin(), signature.result->elements().end());
  } else {
    returned.push_back(*signature.result);
  }
  auto carry_count = static_cast<std::size_t>(carries);
  if (returned.size() < carry_count) {
    return invalid_input("{} returns {} values, expected at least {}", step.name(), returned.size(), carry_count);
  }
  std::size_t outputs = returned.size() - carry_count;
  std::vector<Shape> results;
  for (std::size_t i = 0; i < returned.size(); ++i) {
    if (i >= outputs) {
      const Shape &carry = operand_shape(instruction, inputs + i - outputs);
      if (!same(returned[i], carry, CompareLayout::No)) {
        return invalid_input("{} returns {} as a carry, expected {}", step.name(), describe(returned[i]),
                             describe(carry));
      }
      results.push_back(carry);
      continue;
    }
    if (!returned[i].is_array() || returned[i].rank() < along) {
      return invalid_input("{} returns {}, expected a slice of an output along dimension {}", step.name(),
                           describe(returned[i]), along);
    }
    std::vector<Dimension> sizes = dimensions(returned[i]);
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(along), steps);
    BP_ASSIGN(Shape output, make_array(returned[i].element_type(), sizes));
    results.push_back(std::move(output));
  }
  // (C3) a single result is an array or a tuple of one array: as written, or, if no shape is written, as the
  // computation returns it.
  const Shape &written = instruction.shape();
  bool is_bare = written.is_array() || (!written.is_tuple() && !signature.result->is_tuple());
  return is_bare && results.size() == 1 ? results[0] : Shape::tuple(std::move(results));
}

Result<Shape> infer_batch_norm_training(const Instruction &instruction) {
  BP_TRY(check_features(instruction, 1, 2));
  const Shape &feature = operand_shape(instruction, 1);
  return Shape::tuple({operand_shape(instruction, 0), feature, feature});
}

Result<Shape> infer_batch_norm_inference(const Instruction &instruction) {
  BP_TRY(check_features(instruction, 1, 4));
  return operand_shape(instruction, 0);
}

Result<Shape> infer_batch_norm_grad(const Instruction &instruction) {
  BP_TRY(check_features(instruction, 1, 3));
  const Shape &operand = operand_shape(instruction, 0), &gradient = operand_shape(instruction, 4);
  if (gradient.element_type() != operand.element_type() || !sizes_agree(gradient, operand)) {
    return unexpected_operand(instruction, 4, describe(operand));
  }
  const Shape &feature = operand_shape(instruction, 1);
  return Shape::tuple({operand, feature, feature});
}

}  // namespace bp::ir
