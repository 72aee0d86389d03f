// Recurrent layers, as Caffe unrolls them: http://caffe.berkeleyvision.org/tutorial/layers/lstm.html and rnn.html. A
// sequence is [steps, streams, ...]; a second bottom says for each step and stream whether it continues the sequence
// before it (1) or begins a new one (0), whose hidden state is 0.
#include "core/import/caffe/lower.h"

namespace bp::import::caffe {
namespace {

// The bottoms and weights that LSTM and RNN share.
struct Recurrence {
  std::int64_t steps = 0, streams = 0, outputs = 0;
  Array terms;           // [steps, streams, rows]: the weights of the inputs times these, with the bias
  Array continues;       // [steps, streams, 1]
  Array hidden_weights;  // [rows, outputs]
  Arrays states;         // [streams, outputs], at first
  std::size_t next_blob = 0;
};

// Returns x * weights^T for [..., terms] and [rows, terms].
Array times(const Array &x, const Array &weights) {
  return dot(x, weights, {.lhs_contracting = {static_cast<std::int64_t>(x.rank()) - 1}, .rhs_contracting = {1}});
}

// Returns an array of which `kept` dimensions stay, and the others are joined.
Array rows_of(const Array &x, std::int64_t kept) {
  return flatten(x, kept, static_cast<std::int64_t>(x.rank()));
}

// `rows`: of weights for each output. `state_count`: hidden states. `further_blobs`: that follow those of the hidden
// state.
std::optional<Recurrence> read_recurrence(const Layer &layer, std::int64_t rows, std::size_t state_count,
                                          std::size_t further_blobs) {
  const Array &x = layer.bottom(0), &continues = layer.bottom(1);
  const bool is_exposed = layer.parameters().flag("expose_hidden", false);
  const std::size_t shown = is_exposed ? state_count : 0;
  const std::size_t count = layer.bottoms().size();
  Recurrence result;
  result.outputs = layer.positive("num_output");
  if (layer.has_failed()) {
    return {};
  }
  if (count < 2 + shown || count > 3 + shown || layer.top_count() != 1 + shown) {
    layer.fail(fmt::format("{} bottoms and {} tops, expected {} or {}, and {}", count, layer.top_count(), 2 + shown,
                           3 + shown, 1 + shown));
    return {};
  }
  const bool has_static = count == 3 + shown;
  if (x.rank() < 2 || continues.sizes() != Integers{x.size(0), x.size(1)}) {
    layer.fail(fmt::format("the bottoms are {} and {}, expected [steps, streams, ...] and [steps, streams]",
                           sizes_text(x.sizes()), sizes_text(continues.sizes())));
    return {};
  }
  result.steps = x.size(0);
  result.streams = x.size(1);
  if (result.outputs > max_number / rows || result.steps > max_number) {
    layer.fail_in("num_output",
                  fmt::format("num_output is {}, expected at most {}", result.outputs, max_number / rows));
    return {};
  }
  if (!layer.has_blobs(3 + (has_static ? 1 : 0) + further_blobs)) {
    return {};
  }
  const Array inputs = rows_of(x, 2);
  const std::int64_t row_count = rows * result.outputs;
  result.terms = times(inputs, layer.blob(0, Integers{row_count, inputs.size(2)})) + layer.blob(1, Integers{row_count});
  result.next_blob = 2;
  if (has_static) {
    const Array &fixed = layer.bottom(2);
    if (fixed.rank() < 1 || fixed.size(0) != result.streams) {
      layer.fail(fmt::format("bottom 2 is {}, expected {} streams", sizes_text(fixed.sizes()), result.streams));
      return {};
    }
    const Array joined = rows_of(fixed, 1);
    result.terms = result.terms + times(joined, layer.blob(2, Integers{row_count, joined.size(1)}));
    ++result.next_blob;
  }
  result.hidden_weights = layer.blob(result.next_blob++, Integers{row_count, result.outputs});
  result.continues = expand_dimension(continues, 2);
  const Integers state_sizes = {result.streams, result.outputs};
  for (std::size_t i = 0; i < state_count; ++i) {
    if (!is_exposed) {
      result.states.push_back(layer.builder().filled(x.type(), state_sizes, 0));
      continue;
    }
    const Array &given = layer.bottom(count - shown + i);
    if (given.sizes() != Integers{1, result.streams, result.outputs}) {
      layer.fail(fmt::format("a hidden state is {}, expected {}", sizes_text(given.sizes()),
                             sizes_text(Integers{1, result.streams, result.outputs})));
      return {};
    }
    result.states.push_back(reshape(given, state_sizes));
  }
  return layer.has_failed() ? std::nullopt : std::optional(result);
}

// Returns slice `step` of [steps, ...], without that dimension.
Array at_step(const Array &x, const Array &step) {
  Integers sizes = x.sizes();
  sizes[0] = 1;
  const Array zero = x.builder().scalar(step.type(), 0);
  Arrays starts(x.rank(), zero);
  starts[0] = step;
  return reshape(dynamic_slice(x, starts, sizes), Span(sizes).subspan(1));
}

// Runs the steps. next(terms of the step, whether it continues, states, further values) returns the next states and,
// last, the output. Returns the outputs of all steps, then the last states if they are shown.
template <class Next>
Arrays run_steps(const Layer &layer, const Recurrence &recurrence, const Arrays &further, Next &&next) {
  const std::size_t state_count = recurrence.states.size();
  const Array outputs = layer.builder().filled(recurrence.terms.type(),
                                               Integers{recurrence.steps, recurrence.streams, recurrence.outputs}, 0);
  Arrays values = recurrence.states;
  values.insert(values.end(), {outputs, recurrence.terms, recurrence.continues, recurrence.hidden_weights});
  values.insert(values.end(), further.begin(), further.end());
  values = layer.builder().loop(recurrence.steps, values, [&](GraphBuilder &builder, Array step, Arrays before) {
    const Array *const shared = before.data() + state_count;
    const Arrays states(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(state_count));
    const Array continues = at_step(shared[2], step);
    const Array terms = at_step(shared[1], step) + times(states[0] * continues, shared[3]);
    Arrays after = next(terms, continues, states, std::span<const Array>(shared + 4, further.size()));
    const Array output = reshape(after.back(), {1, recurrence.streams, recurrence.outputs});
    const Array zero = builder.scalar(step.type(), 0);
    after.back() = dynamic_update_slice(shared[0], output, {step, zero, zero});
    after.insert(after.end(), before.begin() + static_cast<std::ptrdiff_t>(state_count) + 1, before.end());
    return after;
  });
  Arrays tops = {values[state_count]};
  for (std::size_t i = 0; tops.size() < layer.top_count(); ++i) {
    tops.push_back(expand_dimension(values[i], 0));
  }
  return tops;
}

}  // namespace

// The rows of the weights are those of the input gate, the forget gate, the output gate and the cell.
Arrays lower_lstm(const Layer &layer) {
  const auto recurrence = read_recurrence(layer, 4, 2, 0);
  if (!recurrence) {
    return {};
  }
  return run_steps(layer, *recurrence, {},
                   [&](const Array &terms, const Array &continues, const Arrays &states, std::span<const Array>) {
                     const auto part = [&](std::int64_t i) {
                       return slice(terms, 1, i * recurrence->outputs, (i + 1) * recurrence->outputs);
                     };
                     const Array forgotten = logistic(part(1)) * continues * states[1];
                     const Array cell = forgotten + logistic(part(0)) * tanh(part(3));
                     const Array hidden = logistic(part(2)) * tanh(cell);
                     return Arrays{hidden, cell, hidden};
                   });
}

Arrays lower_rnn(const Layer &layer) {
  const auto recurrence = read_recurrence(layer, 1, 1, 2);
  if (!recurrence) {
    return {};
  }
  const Arrays further = {layer.blob(recurrence->next_blob, Integers{recurrence->outputs, recurrence->outputs}),
                          layer.blob(recurrence->next_blob + 1, Integers{recurrence->outputs})};
  return run_steps(layer, *recurrence, further,
                   [&](const Array &terms, const Array &, const Arrays &, std::span<const Array> output_weights) {
                     const Array hidden = tanh(terms);
                     return Arrays{hidden, tanh(times(hidden, output_weights[0]) + output_weights[1])};
                   });
}

}  // namespace bp::import::caffe
