// Operators that run graphs: If, Loop.
#include <algorithm>

#include "core/import/onnx/loop_body.h"
#include "core/import/onnx/lower.h"
#include "core/import/onnx/lowering.h"

namespace bp::import::onnx {
namespace {

// --- If ---

// Appends the arrays of a value, and a text that tells whether two values have the same form: their types and ranks,
// and the sequences that they are in.
void flatten_value(const Node &node, const Value &value, Arrays &arrays, std::string &form) {
  if (value.is_array()) {
    arrays.push_back(value.array());
    form += fmt::format("{}[{}];", ir::info(value.array().type()).text, value.array().rank());
  } else if (value.is_sequence()) {
    form += "(";
    for (const Value &element : value.elements()) {
      flatten_value(node, element, arrays, form);
    }
    form += ")";
  } else if (value.has_texts()) {
    node.unsupported("texts depend on a condition");
  } else {
    form += "-";
  }
}

// Returns a value of the same form as `like`, with the arrays from `next` on.
Value restored_value(const Value &like, const Arrays &arrays, std::size_t &next) {
  if (like.is_array()) {
    return next < arrays.size() ? Value(arrays[next++]) : Value();
  }
  if (!like.is_sequence()) {
    return like;
  }
  Values elements;
  for (const Value &element : like.elements()) {
    elements.push_back(restored_value(element, arrays, next));
  }
  return Value::sequence(std::move(elements));
}

// A branch as a computation whose parameter is the tuple of the captures and whose result is a tuple of the arrays.
struct Branch {
  ir::ComputationId computation = ir::no_computation;
  Values outputs;
  std::vector<ir::InstructionId> arrays;
  std::string form;
};

Branch lower_branch(const Node &node, const Graph &graph, const Arrays &captures, const Shape &parameter) {
  Branch branch;
  branch.computation = node.builder().computation(
      "branch", std::span(&parameter, 1), [&](GraphBuilder &builder, const Arrays &arguments) {
        Arrays captured, arrays;
        for (std::size_t i = 0; i < captures.size(); ++i) {
          captured.push_back(builder.element(arguments[0], static_cast<std::int64_t>(i)));
        }
        branch.outputs = node.lowering().embedded(node, graph, {}, builder, captures, captured, InnerSizes::Any);
        for (const Value &output : branch.outputs) {
          flatten_value(node, output, arrays, branch.form);
          branch.form += ",";
        }
        std::ranges::transform(arrays, std::back_inserter(branch.arrays), &Array::id);
        return builder.tuple(arrays);
      });
  return branch;
}

// Returns the sizes that arrays of both shapes have, and bounds where these differ or a run tells them.
Shape common_shape(const Shape &x, const Shape &y) {
  Shape shape = x;
  for (std::size_t i = 0; i < x.rank(); ++i) {
    shape.set_size(i, std::max(x.size(i), y.size(i)));
    shape.set_dynamic(i, x.is_dynamic(i) || y.is_dynamic(i) || x.size(i) != y.size(i));
  }
  return shape;
}

// Gives the results of a branch these shapes.
void set_result_shapes(const Node &node, const Branch &branch, const std::vector<Shape> &shapes) {
  GraphBuilder builder(node.builder().module(), branch.computation, node.builder().state());
  Arrays arrays;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    arrays.push_back(with_bounds(Array(&builder, branch.arrays[i]), shapes[i]));
  }
  if (const Array result = builder.tuple(arrays); result.is_valid()) {
    builder.module().set_root(branch.computation, result.id());
  }
}

// Chooses between the branches at run time. Nothing if their results have different types or ranks, or if an error
// occurred.
std::optional<Values> conditional(const Node &node, const Graph &then_graph, const Graph &else_graph) {
  GraphBuilder &builder = node.builder();
  const Graph *const graphs[] = {&then_graph, &else_graph};
  const InnerSizes sizes = node.may_be_bounded() ? InnerSizes::Any : InnerSizes::Known;
  const Arrays captures = node.lowering().captures(node, graphs, sizes);
  const Array packed = builder.tuple(captures);
  if (!packed.is_valid()) {
    return {};
  }
  const Shape parameter = packed.shape();
  const Branch first = lower_branch(node, then_graph, captures, parameter);
  const Branch second = lower_branch(node, else_graph, captures, parameter);
  if (builder.has_failed() || first.form != second.form) {
    return {};
  }
  const ir::Module &module = builder.module();
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < first.arrays.size(); ++i) {
    const Shape &one = module.instruction(first.arrays[i]).shape(),
                &other = module.instruction(second.arrays[i]).shape();
    shapes.push_back(common_shape(one, other));
    if (sizes == InnerSizes::Known && !shapes.back().is_static()) {
      return {};
    }
  }
  set_result_shapes(node, first, shapes);
  set_result_shapes(node, second, shapes);
  const ir::ComputationId calls[] = {first.computation, second.computation};
  const Array result = builder.add(Opcode::Conditional, {reshape(node.input(0), {}), packed, packed}, {}, calls);
  Arrays arrays;
  for (std::size_t i = 0; i < result.shape().elements().size(); ++i) {
    arrays.push_back(builder.element(result, static_cast<std::int64_t>(i)));
  }
  Values outputs;
  std::size_t next = 0;
  for (const Value &output : first.outputs) {
    outputs.push_back(restored_value(output, arrays, next));
  }
  return outputs;
}

// --- Loop ---

// Largest number of iterations, and of nodes in all of them, of a short loop.
constexpr std::int64_t max_short_loop = 4;
constexpr std::int64_t max_short_nodes = 32;

// A Loop node: inputs are the number of iterations and the condition, both optional, then the carried values.
struct LoopNode {
  const Graph *graph = nullptr;
  Values carried = {};
  std::size_t scans = 0;
  std::optional<std::int64_t> count = {};  // of iterations at most, if it is known
  bool has_count = false, has_condition = false;

  bool is_endless() const { return !has_count && !has_condition; }
};

std::optional<LoopNode> read_loop(const Node &node) {
  LoopNode loop = {.graph = node.graph("body")};
  if (loop.graph == nullptr) {
    return {};
  }
  for (std::size_t i = 2; i < node.input_count(); ++i) {
    loop.carried.push_back(node.value(i));
  }
  const std::size_t inputs = loop.graph->inputs.size(), outputs = loop.graph->outputs.size();
  // Optional values that are absent may be left out at the end.
  while (inputs > loop.carried.size() + 2 && node.proto().inputs.size() > loop.carried.size() + 2) {
    loop.carried.emplace_back();
  }
  if (inputs != loop.carried.size() + 2 || outputs < loop.carried.size() + 1) {
    node.fail("the body has {} inputs and {} outputs for {} values of the loop", inputs, outputs, loop.carried.size());
    return {};
  }
  loop.scans = outputs - loop.carried.size() - 1;
  loop.has_count = node.has_input(0);
  loop.has_condition = node.has_input(1);
  const bool fits = (!loop.has_count || (node.input(0).count() == 1 && ir::is_integer(node.input(0).type()))) &&
                    (!loop.has_condition || (node.input(1).count() == 1 && node.input(1).type() == ElementType::Pred));
  if (!fits) {
    node.fail("the number of iterations or the condition has a wrong type, expected s64[] and pred[]");
    return {};
  }
  if (loop.has_count) {
    if (const auto known = node.input(0).integers()) {
      loop.count = known->at(0);
    } else if (loop.scans > 0) {
      loop.count = node.known_integer(0);
    }
  }
  if (loop.is_endless()) {
    node.unsupported("the loop never ends: it has neither a number of iterations nor a condition");
  }
  return node.builder().has_failed() ? std::nullopt : std::optional(std::move(loop));
}

// Gives a scalar the declared form of an input of the body: some exporters make it a vector of one element.
Array in_declared_form(const Array &scalar, const ValueInfo &input) {
  const bool is_vector = input.type.kind == Type::Kind::Tensor && input.type.has_sizes && input.type.sizes.size() == 1;
  return is_vector ? reshape(scalar, {1}) : scalar;
}

// The condition before the first iteration: true if there is none.
Array first_condition(const Node &node) {
  return node.has_input(1) ? reshape(node.input(1), {}) : node.builder().scalar(ElementType::Pred, 1);
}

// Returns the shape that the graph declares of an output, if all of it is known.
std::optional<Shape> declared_output(const ValueInfo &output) {
  const auto shape = declared_shape(output);
  if (!shape.ok() || !output.type.has_sizes ||
      std::ranges::any_of(shape->sizes(), [](std::int64_t size) { return size < 0; })) {
    return {};
  }
  return *shape;
}

// Joins the slices of an unrolled loop.
Array joined_slices(const Node &node, const Arrays &slices, const ValueInfo &output) {
  if (!slices.empty()) {
    Arrays rows;
    for (const Array &slice : slices) {
      rows.push_back(expand_dimension(slice, 0));
    }
    return concatenate(rows, 0);
  }
  if (const auto shape = declared_output(output)) {
    return scan_buffer(node.builder(), *shape, 0, 0);
  }
  node.unsupported("there is no iteration, and the sizes of an output of the body are not declared");
  return {&node.builder(), ir::no_instruction};
}

// Whether a loop is unrolled though a loop would do: a few iterations of a few nodes, none of which has a graph.
bool is_short(const LoopNode &loop) {
  const auto nodes = static_cast<std::int64_t>(loop.graph->nodes.size());
  const auto has_graph = [](const NodeProto &proto) {
    return std::ranges::any_of(proto.attributes, [](const Attribute &attribute) { return !attribute.graphs.empty(); });
  };
  return loop.count && !loop.has_condition && *loop.count > 0 && *loop.count <= max_short_loop &&
         *loop.count * nodes <= max_short_nodes && std::ranges::none_of(loop.graph->nodes, has_graph);
}

// Lowers each iteration in place. The condition of each must be known.
Values unrolled(const Node &node, const LoopNode &loop) {
  GraphBuilder &builder = node.builder();
  Array condition = first_condition(node);
  Values carried = loop.carried;
  std::vector<Arrays> slices(loop.scans);
  for (std::int64_t i = 0; !loop.count || i < *loop.count; ++i) {
    if (loop.has_condition) {
      const auto known = condition.integers(Known::Given);
      if (!known || known->size() != 1) {
        builder.state().unknown = condition.id();
        return node.unsupported("the sizes of the results depend on a condition that is not known");
      }
      if ((*known)[0] == 0) {
        break;
      }
    }
    if (!is_short(loop) && !node.lowering().may_unroll()) {
      return node.unsupported("the loop must be unrolled, but has too many iterations");
    }
    Values inputs = {in_declared_form(reshape(builder.integers({i}), {}), loop.graph->inputs[0]),
                     in_declared_form(condition, loop.graph->inputs[1])};
    inputs.insert(inputs.end(), carried.begin(), carried.end());
    const Values outputs = node.lowering().in_place(node, *loop.graph, inputs);
    if (builder.has_failed()) {
      return {};
    }
    if (!outputs[0].is_array()) {
      return node.fail("the condition of the body is no array");
    }
    condition = reshape(outputs[0].array(), {});
    for (std::size_t k = 0; k < carried.size(); ++k) {
      carried[k] = outputs[1 + k];
    }
    for (std::size_t k = 0; k < loop.scans; ++k) {
      slices[k].push_back(outputs[1 + carried.size() + k].array());
    }
  }
  for (std::size_t k = 0; k < loop.scans; ++k) {
    carried.emplace_back(joined_slices(node, slices[k], loop.graph->outputs[loop.carried.size() + 1 + k]));
  }
  return carried;
}

// Returns the inputs of the body: iteration, condition, carried values.
Arrays body_inputs(const LoopNode &loop, const Array &iteration, const Array &condition, const Arrays &carried) {
  Arrays inputs = {in_declared_form(convert(iteration, ElementType::S64), loop.graph->inputs[0]),
                   in_declared_form(condition, loop.graph->inputs[1])};
  inputs.insert(inputs.end(), carried.begin(), carried.end());
  return inputs;
}

// A loop that ends when its condition says so, and after a number of iterations if there is one.
Arrays conditional_loop(const Node &node, const LoopNode &loop, const LoopBody &body, const Arrays &carried) {
  GraphBuilder &builder = node.builder();
  // The state: iteration, condition, number of iterations, carried values, captures.
  Arrays state = {
      reshape(builder.integers({0}), {}), first_condition(node),
      loop.has_count ? reshape(convert(node.input(0), ElementType::S64), {}) : builder.scalar(ElementType::S64, 0)};
  state.insert(state.end(), carried.begin(), carried.end());
  state.insert(state.end(), body.captures.begin(), body.captures.end());
  const auto goes_on = [&](GraphBuilder &, const Arrays &now) {
    const Array is_within = now[0] < now[2];
    return !loop.has_count ? now[1] : loop.has_condition ? now[1] && is_within : is_within;
  };
  const auto end = static_cast<std::ptrdiff_t>(3 + carried.size());
  const Arrays last = builder.loop_while(state, goes_on, [&](GraphBuilder &b, Arrays now) {
    const Arrays inputs = body_inputs(loop, now[0], now[1], Arrays(now.begin() + 3, now.begin() + end));
    const Arrays outputs = body.call(b, inputs, Arrays(now.begin() + end, now.end()));
    now[0] = now[0] + 1;
    now[1] = reshape(outputs[0], {});
    std::copy(outputs.begin() + 1, outputs.begin() + 1 + static_cast<std::ptrdiff_t>(carried.size()), now.begin() + 3);
    return now;
  });
  return {last.begin() + 3, last.begin() + end};
}

// A loop of a known number of iterations. The condition is the first carried value.
Arrays counted_loop(const Node &node, const LoopNode &loop, const LoopBody &body, const Arrays &carried,
                    std::int64_t count) {
  Arrays state = {in_declared_form(first_condition(node), loop.graph->inputs[1])};
  state.insert(state.end(), carried.begin(), carried.end());
  Arrays last = repeat(node, body, count, state, {}, std::vector<ScanOutput>(loop.scans),
                       [&](GraphBuilder &, const Array &iteration, const Arrays &now, const Arrays &) {
                         return body_inputs(loop, iteration, now[0], Arrays(now.begin() + 1, now.end()));
                       });
  if (!last.empty()) {
    last.erase(last.begin());
  }
  return last;
}

// Lowers the loop to a loop of HLO.
Values lower_as_loop(const Node &node, const LoopNode &loop) {
  Arrays carried;
  for (const Value &value : loop.carried) {
    if (!value.is_array()) {
      return node.unsupported("a value of the loop is no array, expected arrays unless all iterations are known");
    }
    carried.push_back(value.array());
  }
  GraphBuilder &builder = node.builder();
  std::vector<Shape> shapes;
  for (const Array &input : body_inputs(loop, builder.scalar(ElementType::S64, 0), first_condition(node), carried)) {
    shapes.push_back(input.shape());
  }
  LoopBody body = lower_body(node, *loop.graph, shapes);
  if (!body.is_valid()) {
    return {};
  }
  if (body.outputs[0].element_count() != 1 || body.outputs[0].element_type() != ElementType::Pred) {
    return node.fail("the condition of the body is {}, expected pred[]", ir::to_string(body.outputs[0]));
  }
  if (!keeps_shapes(node, body, carried, 1)) {
    return {};
  }
  // Whether the condition stays what it is at first. If results have a slice per iteration, it must be known.
  const bool is_steady = !loop.has_condition || body.is_same_condition || body.condition == true;
  const auto first = loop.has_condition ? node.input(1).integers() : std::optional<Integers>(Integers{1});
  Arrays results;
  if (loop.count && *loop.count <= 0) {
    results = counted_loop(node, loop, body, carried, 0);
  } else if (loop.count && is_steady && (first || loop.scans > 0)) {
    const bool is_run = first ? first->at(0) != 0 : node.known_integer(1) != 0;
    results = counted_loop(node, loop, body, carried, is_run ? *loop.count : 0);
  } else if (loop.scans == 0) {
    results = conditional_loop(node, loop, body, carried);
  } else {
    return node.unsupported("the number of slices in a result depends on a condition that is computed");
  }
  return Values(results.begin(), results.end());
}

}  // namespace

// A branch that is known is lowered in place.
Values lower_if(const Node &node) {
  const Graph *then_graph = node.graph("then_branch"), *else_graph = node.graph("else_branch");
  const Array condition = node.input(0);
  if (then_graph == nullptr || else_graph == nullptr || node.builder().has_failed()) {
    return {};
  }
  if (condition.count() != 1 || condition.type() != ElementType::Pred) {
    return node.fail("the condition is {}, expected pred[]", ir::to_string(condition.shape()));
  }
  const auto chosen = [&](bool value) { return node.lowering().in_place(node, value ? *then_graph : *else_graph, {}); };
  if (const auto known = condition.integers()) {
    return chosen(known->at(0) != 0);
  }
  if (const auto outputs = conditional(node, *then_graph, *else_graph)) {
    return *outputs;
  }
  // Branches that have different results, or of which one cannot be lowered, need a condition that is known.
  if (!node.builder().has_failed()) {
    const bool value = node.known_integer(0) != 0;
    return node.builder().has_failed() ? Values() : chosen(value);
  }
  if (const auto given = condition.integers(Known::Given)) {
    node.lowering().forget_error();
    return chosen(given->at(0) != 0);
  }
  return {};
}

// A loop is unrolled if it is short, or if it cannot be a loop of HLO: sequences and sizes that change are carried, or
// the body uses the number of the iteration where it must be known.
Values lower_loop(const Node &node) {
  const auto loop = read_loop(node);
  if (!loop) {
    return {};
  }
  if (is_short(*loop)) {
    return unrolled(node, *loop);
  }
  Values results = lower_as_loop(node, *loop);
  GraphBuilder &builder = node.builder();
  if (!builder.has_failed() || builder.state().error->code() != ErrorCode::Unsupported) {
    return results;
  }
  const Error error = *builder.state().error;
  const ir::InstructionId unknown = builder.state().unknown;
  node.lowering().forget_error();
  LoopNode known = *loop;
  if (known.has_count && !known.count) {
    const auto given = node.input(0).integers(Known::Given);
    known.count = given ? std::optional(given->at(0)) : std::nullopt;
  }
  if (known.count || !known.has_count) {
    results = unrolled(node, known);
    if (!builder.has_failed()) {
      return results;
    }
  }
  // The first reason says more.
  builder.state().error = error;
  builder.state().unknown = unknown;
  return {};
}

}  // namespace bp::import::onnx
