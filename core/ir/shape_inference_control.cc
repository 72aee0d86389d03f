// Shape rules of control flow, calls, random numbers, collectives, and of ops whose shape cannot be inferred.
#include "core/ir/shape_inference.h"

#include "core/ir/shape_inference_rules.h"

namespace bp::ir {

using namespace shape_rules;

namespace {

std::vector<const Shape *> operand_shapes(const Instruction &instruction, std::size_t count) {
  std::vector<const Shape *> shapes;
  for (std::size_t i = 0; i < count; ++i) {
    shapes.push_back(&operand_shape(instruction, i));
  }
  return shapes;
}

// Checks that the callee takes the operands; returns the shape of its result.
Result<const Shape *> check_call(const Instruction &instruction) {
  Computation callee = instruction.called(0);
  BP_ASSIGN(Signature signature, signature_of(callee));
  BP_TRY(check_parameters(callee, signature, operand_shapes(instruction, instruction.operand_count())));
  return signature.result;
}

Status check_returns(Computation computation, const Shape &found, const Shape &expected) {
  if (!agree(found, expected)) {
    return invalid_input("{} returns {}, expected {}", computation.name(), describe(found), describe(expected));
  }
  return {};
}

Shape tuple_of_operands(const Instruction &instruction, std::size_t count) {
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < count; ++i) {
    shapes.push_back(operand_shape(instruction, i));
  }
  return tuple_unless_one(std::move(shapes));
}

// Returns the number of operands that a collective exchanges: with a dynamic root, the last operand is the root's
// number.
std::size_t exchanged_count(const Instruction &instruction) {
  const bool has_root = instruction.number(AttributeKey::HasDynamicRoot) != 0 && instruction.operand_count() > 1;
  return instruction.operand_count() - (has_root ? 1 : 0);
}

// An op that starts an operation returns a tuple of its inputs, the future results, and private state.
Status check_start(const Instruction &instruction, const Shape &input) {
  const Shape &shape = instruction.shape();
  if (!shape.is_tuple() || shape.elements().size() < 2) {
    return invalid_input("the shape is {}, expected a tuple of at least 2 parts", describe(shape));
  }
  if (!agree(shape.elements()[0], input)) {
    return invalid_input("the input in the shape is {}, expected {}", describe(shape.elements()[0]), describe(input));
  }
  return {};
}

// Returns the parts of a result that has one shape per operand: the elements of a tuple, or the single shape.
Result<std::span<const Shape>> result_parts(const Instruction &instruction, const Shape &shape) {
  auto parts = shape.is_tuple() ? shape.elements() : std::span(&shape, 1);
  if (parts.size() != instruction.operand_count()) {
    return invalid_input("the shape is {}, expected one array for each of the {} operands", describe(shape),
                         instruction.operand_count());
  }
  return parts;
}

// Each part of the result has the sizes of its operand except along one dimension. There the larger size is a multiple
// of the smaller one; the factor, the number of members of a group, is the same for all pairs.
Status check_grouped(const Instruction &instruction, const Shape &result, std::size_t along, bool result_is_larger) {
  BP_ASSIGN(auto parts, result_parts(instruction, result));
  std::int64_t members = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Shape &small = result_is_larger ? operand_shape(instruction, i) : parts[i];
    const Shape &large = result_is_larger ? parts[i] : operand_shape(instruction, i);
    bool fits = parts[i].is_array() && small.element_type() == large.element_type() && small.rank() == large.rank() &&
                along < small.rank();
    for (std::size_t k = 0; fits && k < small.rank(); ++k) {
      fits = k == along || sizes_agree(small.size(k), large.size(k));
    }
    if (fits && small.size(along) > 0 && large.size(along) > 0) {
      std::int64_t ratio = large.size(along) / small.size(along);
      fits = large.size(along) % small.size(along) == 0 && (members == 0 || members == ratio);
      members = ratio;
    }
    if (!fits) {
      return invalid_input("the shape is {} for operand {} of shape {}, expected a {} of it along dimension {}",
                           describe(parts[i]), i, describe(operand_shape(instruction, i)),
                           result_is_larger ? "multiple" : "fraction", along);
    }
  }
  return {};
}

}  // namespace

Result<Shape> infer_while(const Instruction &instruction) {
  const Shape &state = operand_shape(instruction, 0);
  const Shape *argument[] = {&state};
  Computation condition = instruction.called(0), body = instruction.called(1);
  // (C1) the condition takes the state and returns pred[].
  BP_ASSIGN(Signature condition_signature, signature_of(condition));
  BP_TRY(check_parameters(condition, condition_signature, argument));
  BP_TRY(check_returns(condition, *condition_signature.result, Shape::scalar(ElementType::Pred)));
  // (C2) the body takes the state and returns it.
  BP_ASSIGN(Signature body_signature, signature_of(body));
  BP_TRY(check_parameters(body, body_signature, argument));
  BP_TRY(check_returns(body, *body_signature.result, state));
  return state;
}

Result<Shape> infer_conditional(const Instruction &instruction) {
  const Shape &selector = operand_shape(instruction, 0);
  bool by_predicate = same(selector, Shape::scalar(ElementType::Pred), CompareLayout::No);
  // (C1) pred[] selects between two branches, s32[] among any number.
  if (!by_predicate && !same(selector, Shape::scalar(ElementType::S32), CompareLayout::No)) {
    return unexpected_operand(instruction, 0, "pred[] or s32[]");
  }
  std::size_t branches = instruction.calls().size();
  if (branches == 0 || (by_predicate && branches != 2)) {
    return invalid_input("conditional has {} branches, expected {}", branches, by_predicate ? "2" : "at least 1");
  }
  // (C2) there is one operand for each branch, which is the argument of that branch.
  if (instruction.operand_count() != branches + 1) {
    return invalid_input("conditional has {} operands, expected {}: the choice and one for each branch",
                         instruction.operand_count(), branches + 1);
  }
  const Shape *result = nullptr;
  for (std::size_t i = 0; i < branches; ++i) {
    Computation branch = instruction.called(i);
    BP_ASSIGN(Signature signature, signature_of(branch));
    const Shape *argument[] = {&operand_shape(instruction, i + 1)};
    BP_TRY(check_parameters(branch, signature, argument));
    // (C3) all branches return the same shape.
    if (result != nullptr) {
      BP_TRY(check_returns(branch, *signature.result, *result));
    } else {
      result = signature.result;
    }
  }
  return *result;
}

Result<Shape> infer_call(const Instruction &instruction) {
  BP_ASSIGN(const Shape *result, check_call(instruction));
  return *result;
}

Result<Shape> infer_fusion(const Instruction &instruction) {
  BP_ASSIGN(const Shape *result, check_call(instruction));
  return instruction.shape().is_valid() ? written_shape(instruction, *result) : *result;
}

Result<Shape> infer_explicit(const Instruction &instruction) {
  if (!instruction.shape().is_valid()) {
    return invalid_input("the shape of {} must be written", instruction.op().text);
  }
  return instruction.shape();
}

Result<Shape> infer_custom_call(const Instruction &instruction) {
  return infer_explicit(instruction);
}

Result<Shape> infer_after_all(const Instruction &instruction) {
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    if (!operand_shape(instruction, i).is_token()) {
      return unexpected_operand(instruction, i, "token[]");
    }
  }
  return Shape::token();
}

Result<Shape> infer_rng(const Instruction &instruction) {
  BP_TRY(check_written_array(instruction));
  ElementType type = instruction.shape().element_type();
  bool is_normal =
      instruction.enumerator(AttributeKey::Distribution, RandomDistribution::Uniform) == RandomDistribution::Normal;
  if (is_normal ? !is_floating(type) : !is_floating(type) && !is_integer(type) && type != ElementType::Pred) {
    return invalid_input("the result has element type {}, expected {}", to_string(type),
                         is_normal ? "floats" : "pred, integers or floats");
  }
  if (instruction.operand_count() != 2) {
    return invalid_input("rng has {} operands, expected 2", instruction.operand_count());
  }
  for (std::size_t i = 0; i < 2; ++i) {
    if (!same(operand_shape(instruction, i), Shape::scalar(type), CompareLayout::No)) {
      return unexpected_operand(instruction, i, describe(Shape::scalar(type)));
    }
  }
  return instruction.shape();
}

Result<Shape> infer_rng_bit_generator(const Instruction &instruction) {
  const Shape &state = operand_shape(instruction, 0), &result = instruction.shape();
  // The state is a key and a counter of one or two words.
  const bool is_state = state.element_type() == ElementType::U64 && state.rank() == 1 &&
                        (state.size(0) == 2 || state.size(0) == 3 || state.size(0) == unbounded);
  if (!is_state) {
    return unexpected_operand(instruction, 0, "u64[2] or u64[3]");
  }
  // (C1) the result consists of the new state and the bits.
  if (!result.is_tuple() || result.elements().size() != 2 || !result.elements()[1].is_array() ||
      !agree(result.elements()[0], state)) {
    return invalid_input("the shape is {}, expected a tuple of {} and an array", describe(result), describe(state));
  }
  ElementType type = result.elements()[1].element_type();
  if (!is_integer(type)) {
    return invalid_input("the bits have element type {}, expected integers", to_string(type));
  }
  return result;
}

Result<Shape> infer_rng_get_and_update_state(const Instruction &instruction) {
  return written_shape(instruction, Shape::array(ElementType::U64, {2}));
}

Result<Shape> infer_device_id(const Instruction &instruction) {
  return instruction.shape().is_valid() ? written_shape(instruction, Shape::scalar(ElementType::U32))
                                        : Shape::scalar(ElementType::U32);
}

Result<Shape> infer_all_gather(const Instruction &instruction) {
  BP_ASSIGN(std::size_t along, single_dimension(instruction, operand_shape(instruction, 0).rank()));
  BP_TRY(check_grouped(instruction, instruction.shape(), along, true));
  return instruction.shape();
}

Status shape_rules::check_all_gather_start(const Instruction &instruction) {
  BP_TRY(check_start(instruction, tuple_of_operands(instruction, instruction.operand_count())));
  const Shape &shape = instruction.shape();
  // (C1) the tuple consists of the inputs and the results only.
  if (shape.elements().size() != 2) {
    return invalid_input("the shape is {}, expected a tuple of 2 parts", describe(shape));
  }
  BP_ASSIGN(std::size_t along, single_dimension(instruction, operand_shape(instruction, 0).rank()));
  return check_grouped(instruction, shape.elements()[1], along, true);
}

Result<Shape> infer_reduce_scatter(const Instruction &instruction) {
  BP_ASSIGN(std::size_t along, single_dimension(instruction, operand_shape(instruction, 0).rank()));
  BP_TRY(check_grouped(instruction, instruction.shape(), along, false));
  return instruction.shape();
}

Result<Shape> infer_all_reduce(const Instruction &instruction) {
  BP_ASSIGN(Signature signature, signature_of(instruction.called(0)));
  // (C1) the computation combines two values, whose type may be wider than the operands'.
  if (signature.parameters.size() != 2 || !signature.result->is_scalar()) {
    return invalid_input("{} takes {} parameters and returns {}, expected two scalars combined into one",
                         instruction.called(0).name(), signature.parameters.size(), describe(*signature.result));
  }
  return tuple_of_operands(instruction, exchanged_count(instruction));
}

// With dimensions: the parts of the only operand along the dimension are exchanged. Otherwise each operand is sent to
// one member.
Result<Shape> infer_all_to_all(const Instruction &instruction) {
  if (instruction.has(AttributeKey::Dimensions)) {
    BP_TRY(single_dimension(instruction, operand_shape(instruction, 0).rank()));
  }
  Shape expected = tuple_of_operands(instruction, instruction.operand_count());
  if (instruction.operand_count() == 1 && instruction.shape().is_tuple()) {
    expected = Shape::tuple({std::move(expected)});
  }
  return written_shape(instruction, expected);
}

Result<Shape> infer_ragged_all_to_all(const Instruction &instruction) {
  // (C1) parts along the first dimension are moved from operand 0 to operand 1.
  const Shape &input = operand_shape(instruction, 0), &output = operand_shape(instruction, 1);
  bool fits = input.rank() > 0 && input.element_type() == output.element_type() && input.rank() == output.rank();
  for (std::size_t d = 1; fits && d < input.rank(); ++d) {
    fits = sizes_agree(input.size(d), output.size(d));
  }
  if (!fits) {
    return unexpected_operand(instruction, 1, fmt::format("{} but for the first size", describe(input)));
  }
  for (std::size_t i = 2; i < 6; ++i) {
    const Shape &shape = operand_shape(instruction, i);
    if (!is_integer(shape.element_type()) || !sizes_agree(shape, operand_shape(instruction, 2))) {
      return unexpected_operand(instruction, i,
                                fmt::format("integers with the sizes of {}", describe(operand_shape(instruction, 2))));
    }
  }
  return written_shape(instruction, operand_shape(instruction, 1));
}

Result<Shape> infer_collective_broadcast(const Instruction &instruction) {
  return tuple_of_operands(instruction, exchanged_count(instruction));
}

namespace {

bool are_scalar_integers(std::span<const Shape> shapes) {
  return std::ranges::all_of(shapes, [](const Shape &s) { return s.is_scalar() && is_integer(s.element_type()); });
}

// Returns the number of slices that `starts` describes for a buffer: 1 for a tuple of one integer per dimension, n for
// a tuple of n such tuples. 0 if it is neither.
std::size_t slice_count(const Shape &starts, const Shape &buffer) {
  if (!starts.is_tuple() || !buffer.is_array()) {
    return 0;
  }
  auto is_one = [&](const Shape &s) {
    return s.is_tuple() && s.elements().size() == buffer.rank() && are_scalar_integers(s.elements());
  };
  if (is_one(starts)) {
    return 1;
  }
  return std::ranges::all_of(starts.elements(), is_one) ? starts.elements().size() : 0;
}

// Checks a permute that copies slices of the buffers in operand 0 into the buffers in operand 1: one array each, or
// tuples of equal length.
Status check_slices(const Instruction &instruction) {
  const Shape &from = operand_shape(instruction, 0), &to = operand_shape(instruction, 1);
  if (from.is_tuple() != to.is_tuple() || (from.is_tuple() && from.elements().size() != to.elements().size())) {
    return unexpected_operand(instruction, 1, from.is_tuple() ? "as many arrays as operand 0" : "an array");
  }
  std::size_t slices = 0;
  for (std::size_t i = 0; i < (to.is_tuple() ? to.elements().size() : 1); ++i) {
    std::size_t counts[2] = {};
    for (std::size_t side = 0; side < 2; ++side) {
      const Shape &buffers = operand_shape(instruction, side), &starts = operand_shape(instruction, 2 + side);
      bool has_starts = !buffers.is_tuple() || (starts.is_tuple() && starts.elements().size() > i);
      counts[side] = !has_starts          ? 0
                     : buffers.is_tuple() ? slice_count(starts.elements()[i], buffers.elements()[i])
                                          : slice_count(starts, buffers);
      // (C1) a start has one integer for each dimension of its buffer; both sides describe the same number of slices.
      if (counts[side] == 0 || counts[side] != counts[0]) {
        return unexpected_operand(instruction, 2 + side,
                                  fmt::format("starts of slices in {}, an integer per dimension", describe(buffers)));
      }
    }
    slices += counts[0];
  }
  // (C2) there is a list of sizes for each slice.
  if (std::size_t sizes = instruction.number_lists(AttributeKey::PermuteSliceSizes).size(); sizes != slices) {
    return invalid_input("slice_sizes has {} lists for {} slices", sizes, slices);
  }
  // (C3) the slices and the buffers they are written to have the same element type.
  for (std::size_t i = 0; i < (to.is_tuple() ? to.elements().size() : 1); ++i) {
    const Shape &sent = from.is_tuple() ? from.elements()[i] : from;
    if (sent.element_type() != (to.is_tuple() ? to.elements()[i] : to).element_type()) {
      return unexpected_operand(instruction, 1, fmt::format("the element types of {}", describe(from)));
    }
  }
  return {};
}

bool is_in_place(const Instruction &instruction) {
  return instruction.operand_count() == 4 && instruction.has(AttributeKey::PermuteSliceSizes);
}

// Checks a permute, which sends each operand or, with slice_sizes, slices into an existing buffer.
Status check_collective_permute(const Instruction &instruction) {
  if (is_in_place(instruction)) {
    return check_slices(instruction);
  }
  if (instruction.has(AttributeKey::PermuteSliceSizes)) {
    return invalid_input("{} operands with slice_sizes, expected 4", instruction.operand_count());
  }
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    if (!operand_shape(instruction, i).is_array()) {
      return unexpected_operand(instruction, i, "an array");
    }
  }
  return {};
}

}  // namespace

Result<Shape> infer_collective_permute(const Instruction &instruction) {
  BP_TRY(check_collective_permute(instruction));
  return written_shape(instruction, is_in_place(instruction)
                                        ? operand_shape(instruction, 1)
                                        : tuple_of_operands(instruction, instruction.operand_count()));
}

Result<Shape> infer_collective_permute_start(const Instruction &instruction) {
  BP_TRY(check_collective_permute(instruction));
  const bool has_target = is_in_place(instruction);
  const Shape sent =
      has_target ? operand_shape(instruction, 0) : tuple_of_operands(instruction, instruction.operand_count());
  BP_TRY(check_start(instruction, sent));
  const Shape &received = has_target ? operand_shape(instruction, 1) : sent;
  if (const Shape &output = instruction.shape().elements()[1]; !agree(output, received)) {
    return invalid_input("the output in the shape is {}, expected {}", describe(output), describe(received));
  }
  return instruction.shape();
}

}  // namespace bp::ir
