// Operators of ai.onnx.preview.training: one step of an optimizer. Inputs are the learning rate, the number of steps
// before, and n arrays of each kind: values, gradients, states; outputs are n new values and states.
#include <functional>

#include "core/import/onnx/lower.h"

namespace bp::import::onnx {
namespace {

// The state of one value: its gradient with the regularization, and the accumulated arrays.
struct OptimizerState {
  Array rate, steps, value, gradient;
  Arrays accumulated;
};

// Calls step() for each value: it returns the new value and the new states. `kinds`: the number of states.
Values optimize(const Node &node, std::size_t kinds, const std::function<Arrays(const OptimizerState &)> &step) {
  const std::size_t arrays = node.input_count() < 2 ? 0 : node.input_count() - 2;
  if (arrays == 0 || arrays % (kinds + 2) != 0) {
    return node.fail("there are {} inputs, expected 2 and a multiple of {}", node.input_count(), kinds + 2);
  }
  const std::size_t count = arrays / (kinds + 2);
  Values outputs(count * (kinds + 1));
  for (std::size_t i = 0; i < count; ++i) {
    const Array value = node.input(2 + i);
    OptimizerState state{node.input(0), convert(node.input(1), value.type()), value, {}, {}};
    state.gradient = value * node.real("norm_coefficient", 0) + node.input(2 + count + i);
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      state.accumulated.push_back(node.input(2 + (2 + kind) * count + i));
    }
    const Arrays updated = step(state);
    for (std::size_t kind = 0; kind < updated.size(); ++kind) {
      outputs[kind * count + i] = updated[kind];
    }
  }
  return outputs;
}

}  // namespace

Values lower_adagrad(const Node &node) {
  return optimize(node, 1, [&](const OptimizerState &state) -> Arrays {
    const Array rate = state.rate / (state.steps * node.real("decay_factor", 0) + 1);
    const Array sum = state.accumulated[0] + state.gradient * state.gradient;
    return {state.value - rate * state.gradient / (sqrt(sum) + node.real("epsilon", 1e-6F)), sum};
  });
}

Values lower_adam(const Node &node) {
  const double alpha = node.real("alpha", 0.9F), beta = node.real("beta", 0.999F);
  return optimize(node, 2, [&](const OptimizerState &state) -> Arrays {
    const Array mean = state.accumulated[0] * alpha + state.gradient * (1 - alpha);
    const Array square = state.accumulated[1] * beta + state.gradient * state.gradient * (1 - beta);
    const auto one_minus_power = [&](double base) { return 1 - power(number(base, state.steps), state.steps); };
    const Array corrected = state.rate * sqrt(one_minus_power(beta)) / one_minus_power(alpha);
    const Array rate = select(state.steps > 0, corrected, state.rate);
    const Array next = state.value - rate * mean / (sqrt(square) + node.real("epsilon", 1e-6F));
    return {next * (1 - node.real("norm_coefficient_post", 0)), mean, square};
  });
}

Values lower_momentum(const Node &node) {
  const std::string_view mode = node.text("mode", "");
  if (mode != "standard" && mode != "nesterov") {
    return node.fail("mode is \"{}\", expected standard or nesterov", mode);
  }
  const double alpha = node.real("alpha"), beta = node.real("beta");
  return optimize(node, 1, [&](const OptimizerState &state) -> Arrays {
    const Array weight = select(state.steps > 0, number(beta, state.steps), number(1, state.steps));
    const Array momentum = state.accumulated[0] * alpha + state.gradient * weight;
    const Array direction = mode == "standard" ? momentum : state.gradient + momentum * alpha;
    return {state.value - state.rate * direction, momentum};
  });
}

}  // namespace bp::import::onnx
