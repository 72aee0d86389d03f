// Recurrent networks of one layer: RNN, GRU and LSTM.
//
// The products of the input and the weights are one contraction for all time steps. A loop over the steps has what
// depends on the step before: the directions of a bidirectional network, which are independent of each other, are in
// the same loop.
#include <algorithm>
#include <cctype>

#include "core/import/onnx/lower.h"

namespace bp::import::onnx {
namespace {

// --- Activations ---

struct Activation {
  Array (*function)(const Array &, double alpha, double beta) = nullptr;
  double alpha = 0, beta = 0;
  Array operator()(const Array &x) const { return function(x, alpha, beta); }
};

struct ActivationInfo {
  std::string_view name;  // in small letters
  bool has_alpha, has_beta;
  Activation activation;  // with the defaults
};

const ActivationInfo activation_infos[] = {
    {"affine", true, true, {[](const Array &x, double a, double b) { return x * a + b; }, 1, 0}},
    {"elu",
     true,
     false,
     {[](const Array &x, double a, double) { return select(x < 0, apply(Opcode::ExponentialMinusOne, x) * a, x); }, 1}},
    {"hardsigmoid",
     true,
     true,
     {[](const Array &x, double a, double b) { return minimum(maximum(x * a + b, 0), 1); }, 0.2F, 0.5}},
    {"leakyrelu", true, false, {[](const Array &x, double a, double) { return select(x < 0, x * a, x); }, 0.01F}},
    {"relu", false, false, {[](const Array &x, double, double) { return maximum(x, 0); }}},
    {"scaledtanh", true, true, {[](const Array &x, double a, double b) { return tanh(x * b) * a; }, 1, 1}},
    {"sigmoid", false, false, {[](const Array &x, double, double) { return logistic(x); }}},
    {"softplus", false, false, {[](const Array &x, double, double) {
       return maximum(x, 0) + apply(Opcode::LogPlusOne, exp(-abs(x)));
     }}},
    {"softsign", false, false, {[](const Array &x, double, double) { return x / (abs(x) + 1); }}},
    {"tanh", false, false, {[](const Array &x, double, double) { return tanh(x); }}},
    {"thresholdedrelu", true, false, {[](const Array &x, double a, double) { return select(x >= a, x, 0); }, 1}},
};

// Gives functions their numbers from an attribute. They are for those functions that have such a number, in order; a
// list with a number for each function is understood too.
void set_activation_numbers(const Node &node, std::string_view attribute, bool ActivationInfo::*has_number,
                            double Activation::*number, std::span<const ActivationInfo *const> infos,
                            std::vector<Activation> &result) {
  const std::vector<double> numbers = node.reals(attribute);
  const bool is_for_each = numbers.size() == infos.size();
  std::size_t next = 0;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (infos[i]->*has_number) {
      const std::size_t from = is_for_each ? i : next++;
      if (from < numbers.size()) {
        result[i].*number = numbers[from];
      }
    }
  }
}

// Returns the functions of all directions, one after the other.
std::vector<Activation> recurrent_activations(const Node &node, std::size_t directions,
                                              std::initializer_list<std::string_view> defaults) {
  std::vector<std::string_view> names = node.texts("activations");
  if (names.empty()) {
    for (std::size_t i = 0; i < directions; ++i) {
      names.insert(names.end(), defaults);
    }
  }
  const std::size_t count = directions * defaults.size();
  if (names.size() < count) {
    node.fail("there are {} activations, expected {}", names.size(), count);
    return std::vector<Activation>(count, activation_infos[0].activation);
  }
  std::vector<const ActivationInfo *> infos;
  std::vector<Activation> result;
  for (std::size_t i = 0; i < count; ++i) {
    std::string name(names[i]);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto *found = std::ranges::find(activation_infos, name, &ActivationInfo::name);
    if (found == std::end(activation_infos)) {
      node.fail("there is no activation \"{}\"", names[i]);
      found = std::begin(activation_infos);
    }
    infos.push_back(found);
    result.push_back(found->activation);
  }
  set_activation_numbers(node, "activation_alpha", &ActivationInfo::has_alpha, &Activation::alpha, infos, result);
  set_activation_numbers(node, "activation_beta", &ActivationInfo::has_beta, &Activation::beta, infos, result);
  return result;
}

// --- The network ---

constexpr std::int64_t max_network_size = 1 << 28;  // of steps and of the hidden layer

struct Network {
  std::int64_t steps = 0, batch = 0, inputs = 0, hidden = 0, gates = 0;
  std::size_t directions = 1;
  bool is_reverse = false;   // the first direction
  bool batch_first = false;  // attribute `layout`
  bool has_clip = false;
  double clip = 0;
  std::vector<Activation> functions;  // per direction
  Array x, w, r, bias, lengths, hidden_state, cell_state, peepholes;

  bool is_backward(std::size_t direction) const { return direction == 1 || is_reverse; }
  const Activation &activation(std::size_t direction, std::size_t i) const {
    return functions[direction * (functions.size() / directions) + i];
  }
  // Returns a gate: the function of a sum within the limits of the attribute `clip`.
  Array gate(std::size_t direction, std::size_t i, const Array &sum) const {
    const Array limited = has_clip ? clamp(number(-clip, sum), sum, number(clip, sum)) : sum;
    return activation(direction, i)(limited);
  }
};

void expect_network_sizes(const Node &node, const Array &array, std::string_view name, const Integers &sizes) {
  if (array.is_valid() && array.sizes() != sizes) {
    node.fail("{} is {}, expected sizes [{}]", name, ir::to_string(array.shape()), fmt::join(sizes, ","));
  }
}

// Returns an initial state as [directions, batch, hidden size]; zeros if it is absent.
Array initial_network_state(const Node &node, const Network &network, std::size_t input, std::string_view name) {
  const auto directions = static_cast<std::int64_t>(network.directions);
  const Array given = node.optional_input(input);
  if (!given.is_present()) {
    return node.builder().filled(network.x.type(), Integers{directions, network.batch, network.hidden}, 0);
  }
  const Array state = network.batch_first && given.rank() == 3 ? transpose(given, {1, 0, 2}) : given;
  expect_network_sizes(node, state, name, {directions, network.batch, network.hidden});
  return convert(state, network.x.type());
}

// Reads what all networks have.
Network read_network(const Node &node, std::int64_t gates, std::initializer_list<std::string_view> defaults) {
  Network network;
  const std::string_view direction = node.text("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional") {
    node.fail("direction is \"{}\", expected forward, reverse or bidirectional", direction);
  }
  network.directions = direction == "bidirectional" ? 2 : 1;
  network.is_reverse = direction == "reverse";
  network.batch_first = node.flag("layout");
  network.has_clip = node.has("clip");
  network.clip = node.real("clip", 0);
  network.functions = recurrent_activations(node, network.directions, defaults);
  const Array x = node.input(0), r = node.input(2);
  if (x.rank() != 3 || r.rank() != 3) {
    node.fail("the input is {} and the recurrence weights are {}, expected 3 dimensions", ir::to_string(x.shape()),
              ir::to_string(r.shape()));
    return network;
  }
  const ElementType type = compute_type(x.type());
  network.x = convert(network.batch_first ? transpose(x, {1, 0, 2}) : x, type);
  network.steps = network.x.size(0);
  network.batch = network.x.size(1);
  network.inputs = network.x.size(2);
  network.hidden = r.size(2);
  network.gates = gates;
  if (network.steps > max_network_size || network.hidden > max_network_size) {
    node.unsupported(fmt::format("the sizes of {} and {}", ir::to_string(x.shape()), ir::to_string(r.shape())));
    return network;
  }
  const auto directions = static_cast<std::int64_t>(network.directions);
  const std::int64_t rows = gates * network.hidden;
  if (node.has("hidden_size") && node.integer("hidden_size") != network.hidden) {
    node.fail("hidden_size is {}, but the recurrence weights are {}", node.integer("hidden_size"),
              ir::to_string(r.shape()));
  }
  expect_network_sizes(node, node.input(1), "the weights", {directions, rows, network.inputs});
  expect_network_sizes(node, r, "the recurrence weights", {directions, rows, network.hidden});
  network.w = convert(node.input(1), type);
  network.r = convert(r, type);
  network.bias = convert(node.optional_input(3), type);
  expect_network_sizes(node, network.bias, "the bias", {directions, 2 * rows});
  network.lengths = node.optional_input(4);
  expect_network_sizes(node, network.lengths, "sequence_lens", {network.batch});
  network.hidden_state = initial_network_state(node, network, 5, "initial_h");
  return network;
}

// Returns the part of an array that belongs to a direction.
Array of_direction(const Array &x, std::size_t direction) {
  const auto d = static_cast<std::int64_t>(direction);
  const std::int64_t dimensions[] = {0};
  return squeeze(slice(x, 0, d, d + 1), dimensions);
}

// Returns some gates of an array whose last dimension has all of them.
Array gates_of(const Network &network, const Array &x, std::int64_t first, std::int64_t count = 1) {
  return slice(x, static_cast<std::int64_t>(x.rank()) - 1, first * network.hidden, (first + count) * network.hidden);
}

// Returns the product of a state, [batch, hidden size], with rows of recurrence weights.
Array recur(const Array &state, const Array &weights) {
  return dot(state, weights, {{}, {}, {1}, {1}});
}

// A step of one direction: from the products with the input [batch, gates x hidden size], the arrays that do not change
// and the states to the next states, of which the first one is the output.
using NetworkStep = std::function<Arrays(const Network &, std::size_t direction, const Array &z, const Arrays &fixed,
                                         const Arrays &states)>;

// The values that the loop has for each direction.
struct DirectionValues {
  Array products;  // [steps, batch, gates x hidden size]
  Arrays fixed, states;
  Array output;  // [steps, batch, hidden size]; none if no node needs it
  Arrays all() const {
    Arrays values = {products};
    values.insert(values.end(), fixed.begin(), fixed.end());
    values.insert(values.end(), states.begin(), states.end());
    if (output) {
      values.push_back(output);
    }
    return values;
  }
  // Takes the values from a list at a position, which it moves on.
  void take_from(const Arrays &values, std::size_t &next) {
    products = values[next++];
    std::ranges::generate(fixed, [&] { return values[next++]; });
    std::ranges::generate(states, [&] { return values[next++]; });
    output = output ? values[next++] : output;
  }
};

// Makes one step of one direction.
DirectionValues advance(const Network &network, std::size_t direction, const Array &iteration,
                        const DirectionValues &values, const Array &lengths, const NetworkStep &step) {
  const Array zero = number(0, iteration);
  const Array time = network.is_backward(direction) ? static_cast<double>(network.steps - 1) - iteration : iteration;
  const Integers row = {1, network.batch, network.gates * network.hidden};
  const Array z = reshape(dynamic_slice(values.products, {time, zero, zero}, row), {row[1], row[2]});
  DirectionValues next = values;
  next.states = step(network, direction, z, values.fixed, values.states);
  Array output = next.states[0];
  if (lengths) {
    // Sequences that are shorter keep their states, and have zeros as output.
    const Array is_inside = broadcast_in(lengths > time, Integers{network.batch, network.hidden}, Integers{0});
    output = select(is_inside, output, 0);
    for (std::size_t i = 0; i < next.states.size(); ++i) {
      next.states[i] = select(is_inside, next.states[i], values.states[i]);
    }
  }
  if (values.output) {
    next.output = dynamic_update_slice(values.output, expand_dimension(output, 0), {time, zero, zero});
  }
  return next;
}

// Returns the products of all inputs with the weights, and the biases that are added to them.
Array input_products(const Network &network, std::size_t direction, const Array &bias) {
  const Array products = dot(network.x, of_direction(network.w, direction), {{}, {}, {2}, {1}});
  return bias ? products + bias : products;
}

// Joins the results of directions along a new dimension.
Array join_directions(const Arrays &parts, std::int64_t dimension) {
  Arrays expanded;
  for (const Array &part : parts) {
    expanded.push_back(expand_dimension(part, dimension));
  }
  return concatenate(expanded, dimension);
}

// Runs the loop. Returns the outputs of the node: all outputs, and the last of each state.
Values run_network(const Node &node, const Network &network, std::vector<DirectionValues> directions,
                   const NetworkStep &step) {
  if (node.builder().has_failed()) {
    return {};
  }
  const ElementType type = node.input(0).type();
  Arrays values;
  for (DirectionValues &direction : directions) {
    if (node.has_output(0)) {
      direction.output =
          node.builder().filled(network.x.type(), Integers{network.steps, network.batch, network.hidden}, 0);
    }
    const Arrays all = direction.all();
    values.insert(values.end(), all.begin(), all.end());
  }
  if (network.lengths) {
    values.push_back(network.lengths);
  }
  const auto unpack = [&](const Arrays &from) {
    std::size_t next = 0;
    for (DirectionValues &direction : directions) {
      direction.take_from(from, next);
    }
  };
  if (network.steps > 0) {
    values =
        node.builder().loop(network.steps, values, [&](GraphBuilder &, const Array &iteration, const Arrays &current) {
          unpack(current);
          Arrays next;
          for (std::size_t i = 0; i < directions.size(); ++i) {
            const Array lengths = network.lengths ? current.back() : Array();
            const Arrays all = advance(network, i, iteration, directions[i], lengths, step).all();
            next.insert(next.end(), all.begin(), all.end());
          }
          if (network.lengths) {
            next.push_back(current.back());
          }
          return next;
        });
    unpack(values);
  }
  Values results(1);
  if (node.has_output(0)) {
    Arrays outputs;
    std::ranges::transform(directions, std::back_inserter(outputs), &DirectionValues::output);
    const Array output = convert(join_directions(outputs, 1), type);
    results[0] = network.batch_first ? transpose(output, {2, 0, 1, 3}) : output;
  }
  for (std::size_t i = 0; i < directions[0].states.size(); ++i) {
    Arrays states;
    for (const DirectionValues &direction : directions) {
      states.push_back(direction.states[i]);
    }
    results.push_back(convert(join_directions(states, network.batch_first ? 1 : 0), type));
  }
  return results;
}

// Returns the sum of both halves of a direction's bias; nothing if there is no bias.
Array sum_of_biases(const Network &network, std::size_t direction) {
  if (!network.bias.is_present()) {
    return {};
  }
  const Array bias = of_direction(network.bias, direction);
  return gates_of(network, bias, 0, network.gates) + gates_of(network, bias, network.gates, network.gates);
}

// --- Steps ---

Arrays rnn_step(const Network &network, std::size_t direction, const Array &z, const Arrays &fixed,
                const Arrays &states) {
  return {network.gate(direction, 0, z + recur(states[0], fixed[0]))};
}

// Gates: z (update), r (reset), h (hidden). `fixed`: the recurrence weights of z and r, those of h.
Arrays gru_step(const Network &network, std::size_t direction, const Array &z, const Arrays &fixed,
                const Arrays &states) {
  const Array gates = network.gate(direction, 0, gates_of(network, z, 0, 2) + recur(states[0], fixed[0]));
  const Array update = gates_of(network, gates, 0), reset = gates_of(network, gates, 1);
  const Array hidden = network.gate(direction, 1, gates_of(network, z, 2) + recur(reset * states[0], fixed[1]));
  return {(1 - update) * hidden + update * states[0]};
}

// The same with linear_before_reset. `fixed`: the recurrence weights, the recurrence bias of h.
Arrays linear_gru_step(const Network &network, std::size_t direction, const Array &z, const Arrays &fixed,
                       const Arrays &states) {
  const Array recurrent = recur(states[0], fixed[0]);
  const Array gates = network.gate(direction, 0, gates_of(network, z, 0, 2) + gates_of(network, recurrent, 0, 2));
  const Array update = gates_of(network, gates, 0), reset = gates_of(network, gates, 1);
  const Array linear = gates_of(network, recurrent, 2) + fixed[1];
  const Array hidden = network.gate(direction, 1, gates_of(network, z, 2) + reset * linear);
  return {(1 - update) * hidden + update * states[0]};
}

// Gates: i (input), o (output), f (forget), c (cell). States: the output, the cells. `fixed`: the recurrence weights
// and, if there are peepholes, their weights for i, o and f. The attribute `clip` limits sums, not the cells: the text
// says "the input of activations", but that of the last one is not limited by the implementations that there are.
Arrays lstm_step(const Network &network, std::size_t direction, const Array &z, const Arrays &fixed,
                 const Arrays &states, bool couples_gates) {
  const Array gates = z + recur(states[0], fixed[0]);
  const auto gate = [&](std::int64_t i, const Array &cells) {
    const Array sum = gates_of(network, gates, i);
    const Array seen = fixed.size() > 1 ? sum + gates_of(network, fixed[1], i) * cells : sum;
    return network.gate(direction, 0, seen);
  };
  const Array input = gate(0, states[1]);
  const Array forget = couples_gates ? 1 - input : gate(2, states[1]);
  const Array candidate = network.gate(direction, 1, gates_of(network, gates, 3));
  const Array cells = forget * states[1] + input * candidate;
  return {gate(1, cells) * network.activation(direction, 2)(cells), cells};
}

}  // namespace

Values lower_rnn(const Node &node) {
  const Network network = read_network(node, 1, {"Tanh"});
  std::vector<DirectionValues> directions(network.directions);
  for (std::size_t i = 0; i < network.directions && !node.builder().has_failed(); ++i) {
    directions[i].products = input_products(network, i, sum_of_biases(network, i));
    directions[i].fixed = {of_direction(network.r, i)};
    directions[i].states = {of_direction(network.hidden_state, i)};
  }
  return run_network(node, network, std::move(directions), rnn_step);
}

Values lower_gru(const Node &node) {
  const Network network = read_network(node, 3, {"Sigmoid", "Tanh"});
  const bool is_linear = node.version() >= 3 && node.flag("linear_before_reset");
  std::vector<DirectionValues> directions(network.directions);
  for (std::size_t i = 0; i < network.directions && !node.builder().has_failed(); ++i) {
    DirectionValues &values = directions[i];
    const Array weights = of_direction(network.r, i);
    values.states = {of_direction(network.hidden_state, i)};
    Array bias = sum_of_biases(network, i);
    if (!is_linear) {
      const std::int64_t rows = 2 * network.hidden;
      values.fixed = {slice(weights, 0, 0, rows), slice(weights, 0, rows, rows + network.hidden)};
    } else if (bias) {
      // The recurrence bias of h is added before the product with the reset gate.
      const Array own = of_direction(network.bias, i), late = gates_of(network, own, 5);
      bias = concatenate({gates_of(network, bias, 0, 2), gates_of(network, own, 2)}, 0);
      values.fixed = {weights, late};
    } else {
      values.fixed = {weights, node.builder().filled(network.x.type(), Integers{network.hidden}, 0)};
    }
    values.products = input_products(network, i, bias);
  }
  return run_network(node, network, std::move(directions), is_linear ? linear_gru_step : gru_step);
}

Values lower_lstm(const Node &node) {
  Network network = read_network(node, 4, {"Sigmoid", "Tanh", "Tanh"});
  network.peepholes = convert(node.optional_input(7), network.x.type());
  expect_network_sizes(node, network.peepholes, "the peepholes",
                       {static_cast<std::int64_t>(network.directions), 3 * network.hidden});
  if (!node.builder().has_failed()) {
    network.cell_state = initial_network_state(node, network, 6, "initial_c");
  }
  std::vector<DirectionValues> directions(network.directions);
  for (std::size_t i = 0; i < network.directions && !node.builder().has_failed(); ++i) {
    directions[i].products = input_products(network, i, sum_of_biases(network, i));
    directions[i].fixed = {of_direction(network.r, i)};
    if (network.peepholes) {
      directions[i].fixed.push_back(of_direction(network.peepholes, i));
    }
    directions[i].states = {of_direction(network.hidden_state, i), of_direction(network.cell_state, i)};
  }
  const bool couples_gates = node.flag("input_forget");
  return run_network(
      node, network, std::move(directions),
      [couples_gates](const Network &n, std::size_t direction, const Array &z, const Arrays &fixed,
                      const Arrays &states) { return lstm_step(n, direction, z, fixed, states, couples_gates); });
}

}  // namespace bp::import::onnx
