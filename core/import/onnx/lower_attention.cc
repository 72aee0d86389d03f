// Operators that are attention, with their positions and states: Attention, RotaryEmbedding, LinearAttention,
// CausalConvWithState, FlexAttention.
#include <cmath>
#include <limits>

#include "core/import/array/normalization.h"
#include "core/import/onnx/lower.h"
#include "core/import/onnx/lowering.h"

namespace bp::import::onnx {
namespace {

using ir::AttributeKey;

// Splits the last dimension of [batch, length, heads * size]: returns [batch, heads, length, size].
Array split_heads(const Node &node, const Array &x, std::int64_t heads) {
  if (!x.is_valid()) {
    return x;
  }
  if (x.rank() != 3 || heads < 1 || x.size(2) % heads != 0) {
    node.fail("{} has no {} heads, expected 3 dimensions, the last one a multiple of the number of heads",
              ir::to_string(x.shape()), heads);
    return x;
  }
  return transpose(reshape(x, {x.size(0), x.size(1), heads, x.size(2) / heads}), {0, 2, 1, 3});
}

// Returns [batch, length, heads * size] of [batch, heads, length, size].
Array join_heads(const Array &x) {
  return flatten(transpose(x, {0, 2, 1, 3}), 2, 4);
}

// --- Attention ---

// The operands as [batch, heads, length, size]; keys and values with those of the past.
struct AttentionOperands {
  Array q, k, v;
  std::int64_t past = 0;   // length of it
  bool is_packed = false;  // whether the operands and the result are [batch, length, heads * size]
};

Array with_past(const Node &node, const Array &past, const Array &x) {
  if (!past.is_present()) {
    return x;
  }
  if (past.rank() != 4) {
    node.fail("the past is {}, expected 4 dimensions", ir::to_string(past.shape()));
    return x;
  }
  return concatenate({past, x}, 2);
}

AttentionOperands attention_operands(const Node &node) {
  AttentionOperands operands = {.q = node.input(0), .k = node.input(1), .v = node.input(2)};
  operands.is_packed = operands.q.rank() == 3;
  if (operands.is_packed) {
    const std::int64_t heads = node.integer("q_num_heads"), shared_heads = node.integer("kv_num_heads");
    operands.q = split_heads(node, operands.q, heads);
    operands.k = split_heads(node, operands.k, shared_heads);
    operands.v = split_heads(node, operands.v, shared_heads);
  }
  const Array past_key = node.optional_input(4), past_value = node.optional_input(5);
  if (past_key.is_present() != past_value.is_present()) {
    node.fail("there is only one of past_key and past_value, expected both or none");
  }
  operands.k = with_past(node, past_key, operands.k);
  operands.v = with_past(node, past_value, operands.v);
  operands.past = past_key.is_present() ? past_key.size(2) : 0;
  const Array &q = operands.q, &k = operands.k, &v = operands.v;
  if (node.builder().has_failed()) {
    return operands;
  }
  const bool fits = q.rank() == 4 && k.rank() == 4 && v.rank() == 4 && q.size(0) == k.size(0) &&
                    q.size(0) == v.size(0) && k.size(1) == v.size(1) && k.size(2) == v.size(2) &&
                    q.size(3) == k.size(3) && k.size(1) > 0 && q.size(1) % k.size(1) == 0 && q.type() == k.type() &&
                    ir::is_floating(q.type()) && ir::is_floating(v.type());
  if (!fits) {
    node.fail("the query {}, key {} and value {} do not fit", ir::to_string(q.shape()), ir::to_string(k.shape()),
              ir::to_string(v.shape()));
  }
  return operands;
}

// Multiplies each head of x with the head of y that it shares with others: [batch, heads, length, a] with [batch,
// shared heads, b, c], whose dimension `contracting` is summed over. The sums have the type `type`.
Array shared_product(const Array &x, const Array &y, std::int64_t contracting, ElementType type) {
  const std::int64_t shared = y.size(1), group = shared == 0 ? 0 : x.size(1) / shared;
  const Array rows = reshape(x, {x.size(0), shared, group * x.size(2), x.size(3)});
  const Array result = widened(dot(rows, y, {{0, 1}, {0, 1}, {3}, {contracting}}), type);
  return reshape(result, {x.size(0), x.size(1), x.size(2), y.size(contracting == 3 ? 2 : 3)});
}

// Pads the last dimension of the mask to the number of keys; padded keys take no part.
Array padded_mask(const Node &node, const Array &mask, std::int64_t keys) {
  // Before version 24 a last dimension of size 1 could only be meant for all keys.
  if (mask.rank() == 0 || mask.size(-1) >= keys || (node.version() < 24 && mask.size(-1) == 1)) {
    return mask;
  }
  std::vector<ir::PaddingDimension> padding(mask.rank());
  padding.back().high = keys - mask.size(-1);
  const double nothing = ir::is_floating(mask.type()) ? -std::numeric_limits<double>::infinity() : 0;
  return pad(mask, number(nothing, mask), padding);
}

// The keys that take part for each query. An array can be broadcast to [batch, heads, length, keys]; it may be absent.
struct AttentionMask {
  Array is_used;              // pred: the others get minus infinity as their score
  Array bias;                 // numbers that are added to the scores: those of minus infinity take no part either
  bool may_be_empty = false;  // whether there may be queries for which no key takes part
};

void restrict_to(AttentionMask &mask, const Array &is_used) {
  mask.is_used = mask.is_used.is_present() ? mask.is_used && is_used : is_used;
}

// Returns the numbers of keys of each batch that are no padding, as s32[batch, 1, 1, 1]; an absent array if all are.
Array key_lengths(const Node &node, const Integers &sizes) {
  const Array lengths = node.optional_input(6);
  if (!lengths.is_present()) {
    return lengths;
  }
  if (lengths.rank() != 1 || lengths.count() != sizes[0]) {
    node.fail("nonpad_kv_seqlen is {}, expected a vector of {} elements", ir::to_string(lengths.shape()), sizes[0]);
    return {};
  }
  const Array valid = minimum(maximum(lengths, 0), static_cast<double>(sizes[3]));
  return reshape(convert(valid, ElementType::S32), {sizes[0], 1, 1, 1});
}

// `sizes`: [batch, heads, length, keys]. Query i has the position of key i + offset: keys of the past come before it,
// and of keys whose number is given (since version 24), the last ones belong to the queries.
AttentionMask attention_mask(const Node &node, const AttentionOperands &operands, const Integers &sizes) {
  AttentionMask result;
  GraphBuilder &builder = node.builder();
  const Array given = node.optional_input(3), lengths = key_lengths(node, sizes);
  if (given.is_present()) {
    const Array mask = padded_mask(node, given.rank() == 0 ? expand_dimension(given, 0) : given, sizes[3]);
    (mask.type() == ElementType::Pred ? result.is_used : result.bias) = mask;
  }
  const bool is_causal = node.flag("is_causal");
  const std::int64_t left = node.integer("left_window_size", -1), right = node.integer("right_window_size", -1);
  if (left < -1 || right < -1) {
    node.fail("left_window_size is {} and right_window_size {}, expected -1 for none, or at least 0", left, right);
  }
  result.may_be_empty = given.is_present() || lengths.is_present() || left >= 0;
  const Array key = builder.iota(ElementType::S32, Integers{1, sizes[3]}, 1);
  Array position = builder.iota(ElementType::S32, Integers{sizes[2], 1}, 0) + static_cast<double>(operands.past);
  if (lengths.is_present()) {
    restrict_to(result, key < lengths);
    position = operands.past == 0 ? position + (lengths - static_cast<double>(sizes[2])) : position;
  }
  if (is_causal) {
    restrict_to(result, key <= position);
  }
  if (left >= 0) {
    restrict_to(result, key >= position - static_cast<double>(std::min(left, sizes[3] + sizes[2])));
  }
  if (right >= 0) {
    restrict_to(result, key <= position + static_cast<double>(std::min(right, sizes[3] + sizes[2])));
  }
  return result;
}

// Returns the scores with minus infinity for keys that take no part.
Array masked_scores(const AttentionMask &mask, Array scores) {
  if (mask.bias.is_present()) {
    scores = scores + convert(mask.bias, scores.type());
  }
  return mask.is_used.is_present()
             ? select(broadcast_to(mask.is_used, scores.sizes()), scores, -std::numeric_limits<double>::infinity())
             : scores;
}

// Returns the softmax of scores that are masked: 0 for queries for which no key takes part.
Array attention_softmax(const AttentionMask &mask, const Array &scores) {
  const Integers last = {3};
  const Array exponentials = exp(scores - reduce_max(scores, last, KeepSizes::Yes));
  const Array result = exponentials / reduce_sum(exponentials, last, KeepSizes::Yes);
  if (!mask.may_be_empty) {
    return result;
  }
  Array is_used = mask.is_used;
  if (mask.bias.is_present()) {
    const Array has_weight = mask.bias > -std::numeric_limits<double>::infinity();
    is_used = is_used.is_present() ? is_used && has_weight : has_weight;
  }
  const Integers keys = {static_cast<std::int64_t>(is_used.rank()) - 1};
  const Array has_keys = reduce(Opcode::Or, 0, is_used, keys, KeepSizes::Yes);
  return select(broadcast_to(has_keys, result.sizes()), result, 0);
}

// --- LinearAttention ---

struct LinearOperands {
  Array q, k, v;      // [batch, heads, length, size], f32
  Array decay, beta;  // the same; may be absent
  Array state;        // [batch, heads of k, size of k, size of v], f32
  std::int64_t q_heads = 0, k_heads = 0;
};

// Checks that an operand is there if the rule uses it, and only then.
bool check_use(const Node &node, std::size_t input, bool is_used, std::string_view rule) {
  if (node.has_input(input) != is_used) {
    node.fail("update_rule \"{}\" {} {}", rule, is_used ? "misses" : "does not use", input == 4 ? "decay" : "beta");
  }
  return is_used;
}

LinearOperands linear_operands(const Node &node) {
  LinearOperands operands;
  operands.q_heads = node.integer("q_num_heads");
  operands.k_heads = node.integer("kv_num_heads");
  const auto wide = [&](std::size_t input, std::int64_t heads) {
    return convert(split_heads(node, node.input(input), heads), ElementType::F32);
  };
  operands.q = wide(0, operands.q_heads);
  operands.k = wide(1, operands.k_heads);
  operands.v = wide(2, operands.k_heads);
  const std::string_view rule = node.text("update_rule", "gated_delta");
  if (rule != "linear" && rule != "gated" && rule != "delta" && rule != "gated_delta") {
    node.fail("update_rule is \"{}\", expected linear, gated, delta or gated_delta", rule);
  }
  if (check_use(node, 4, rule.starts_with("gated"), rule)) {
    operands.decay = exp(wide(4, operands.k_heads));  // its size is 1, or that of the keys
  }
  if (check_use(node, 5, rule.ends_with("delta"), rule)) {
    operands.beta = wide(5, node.input(5).size(-1) == 1 ? 1 : operands.k_heads);
  }
  if (node.builder().has_failed()) {
    return operands;
  }
  const Array &q = operands.q, &k = operands.k, &v = operands.v;
  const Integers sizes = {q.size(0), operands.k_heads, k.size(3), v.size(3)};
  operands.state =
      node.has_input(3) ? convert(node.input(3), ElementType::F32) : node.builder().filled(ElementType::F32, sizes, 0);
  const bool fits = operands.q_heads % operands.k_heads == 0 && q.size(0) == k.size(0) && q.size(0) == v.size(0) &&
                    q.size(2) == k.size(2) && q.size(2) == v.size(2) && q.size(3) == k.size(3) &&
                    operands.state.sizes() == sizes;
  if (!fits) {
    node.fail("the query {}, key {}, value {} and state {} do not fit", ir::to_string(q.shape()),
              ir::to_string(k.shape()), ir::to_string(v.shape()), ir::to_string(operands.state.shape()));
  }
  return operands;
}

// Applies the rule to one token: q, k, v, and decay and beta or an absent array are [batch, heads, size]. Returns what
// is read, and the new state.
std::pair<Array, Array> linear_step(const Array &q, const Array &k, Array v, const Array &decay, const Array &beta,
                                    Array state) {
  if (decay.is_present()) {
    state = state * expand_dimension(decay, 3);
  }
  if (beta.is_present()) {
    v = beta * (v - dot(k, state, {{0, 1}, {0, 1}, {2}, {2}}));
  }
  state = state + expand_dimension(k, 3) * expand_dimension(v, 2);
  const std::int64_t heads = k.size(1), group = heads == 0 ? 0 : q.size(1) / heads;
  const Array rows = reshape(q, {q.size(0), heads, group, q.size(2)});
  const Array read = dot(rows, state, {{0, 1}, {0, 1}, {3}, {2}});
  return {reshape(read, {q.size(0), q.size(1), state.size(3)}), state};
}

// Applies the rule to all tokens. Returns what is read, [batch, heads, length, size], and the last state.
std::pair<Array, Array> linear_recurrence(const LinearOperands &operands) {
  const std::int64_t length = operands.q.size(2);
  Arrays values = {operands.q, operands.k, operands.v};
  for (const Array &optional : {operands.decay, operands.beta}) {
    if (optional.is_present()) {
      values.push_back(optional);
    }
  }
  const std::size_t tokens = values.size();
  values.push_back(operands.state);
  GraphBuilder &outer = operands.q.builder();
  values.push_back(
      outer.filled(ElementType::F32, Integers{operands.q.size(0), operands.q_heads, length, operands.v.size(3)}, 0));
  const bool has_decay = operands.decay.is_present(), has_beta = operands.beta.is_present();
  if (length == 0) {
    return {values.back(), operands.state};
  }
  const Arrays last = outer.loop(length, values, [&](GraphBuilder &builder, const Array &iteration, Arrays now) {
    const Array zero = builder.scalar(ElementType::S32, 0);
    const Arrays start = {zero, zero, iteration, zero};
    Arrays token;
    for (std::size_t i = 0; i < tokens; ++i) {
      Integers sizes = now[i].sizes();
      sizes[2] = 1;
      token.push_back(squeeze(dynamic_slice(now[i], start, sizes), Integers{2}));
    }
    const Array decay = has_decay ? token[3] : Array(), beta = has_beta ? token.back() : Array();
    const auto [read, state] = linear_step(token[0], token[1], token[2], decay, beta, now[tokens]);
    now[tokens] = state;
    now[tokens + 1] = dynamic_update_slice(now[tokens + 1], expand_dimension(read, 2), start);
    return now;
  });
  return {last[tokens + 1], last[tokens]};
}

}  // namespace

Values lower_attention(const Node &node) {
  const AttentionOperands operands = attention_operands(node);
  if (node.builder().has_failed()) {
    return {};
  }
  const ElementType type = operands.q.type(), wide = compute_type(type);
  const std::int64_t mode = node.integer("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3) {
    return node.fail("qk_matmul_output_mode is {}, expected 0 to 3", mode);
  }
  const auto head_size = static_cast<double>(operands.q.size(3));
  const double scale = node.real("scale", 1 / std::sqrt(head_size)), limit = node.real("softcap", 0);
  if (node.builder().has_failed()) {
    return {};
  }
  // The stages that the output qk_matmul_output can show, by its mode.
  Arrays stages = {shared_product(operands.q, operands.k, 3, wide) * scale};
  stages.push_back(limit > 0 ? tanh(stages[0] / limit) * limit : stages[0]);
  const AttentionMask mask = attention_mask(node, operands, stages[1].sizes());
  stages.push_back(masked_scores(mask, stages[1]));
  const ElementType precision =
      node.integer("softmax_precision", 0) == 0 ? wide : node.element_type("softmax_precision", wide);
  if (!ir::is_floating(precision)) {
    return node.fail("softmax_precision is {}, expected a float", ir::to_string(precision));
  }
  const Array rounded = convert(convert(stages[2], precision), compute_type(precision));
  stages.push_back(convert(attention_softmax(mask, rounded), precision));
  const ElementType value_type = operands.v.type();
  const Array result =
      convert(shared_product(convert(stages[3], value_type), operands.v, 2, compute_type(value_type)), type);
  return {operands.is_packed ? join_heads(result) : result, operands.k, operands.v,
          convert(stages[static_cast<std::size_t>(mode)], type)};
}

namespace {

// Returns the cosines or sines as [batch, length, 1, size / 2]. They have a row per position, or one per token.
Array rotations(const Node &node, std::size_t input, std::int64_t size) {
  Array cache = node.input(input);
  if (const Array positions = node.optional_input(3); positions.is_present()) {
    if (cache.rank() != 2 || positions.rank() != 2) {
      node.fail("the cache {} and position_ids {} do not have 2 dimensions", ir::to_string(cache.shape()),
                ir::to_string(positions.shape()));
      return cache;
    }
    cache = take(cache, positions, 0);
  }
  if (cache.is_valid() && (cache.rank() != 3 || cache.size(2) != size / 2)) {
    node.fail("the cache is {}, expected the last size {}", ir::to_string(node.input(input).shape()), size / 2);
    return cache;
  }
  return convert(expand_dimension(cache, 2), ElementType::F32);
}

// Rotates pairs of elements of [batch, length, heads, size]: x[i] with x[i + size / 2], or neighbours.
Array rotated(const Array &x, const Array &cosines, const Array &sines, bool is_interleaved) {
  const Integers sizes = x.sizes();
  const std::int64_t half = x.size(3) / 2;
  const std::int64_t place = is_interleaved ? 4 : 3;  // the dimension of the two of a pair
  const Array pairs = is_interleaved ? reshape(x, {sizes[0], sizes[1], sizes[2], half, 2})
                                     : reshape(x, {sizes[0], sizes[1], sizes[2], 2, half});
  const auto part = [&](std::int64_t i) { return squeeze(slice(pairs, place, i, i + 1), Integers{place}); };
  const Array first = part(0), second = part(1);
  const Array real = cosines * first - sines * second, imaginary = sines * first + cosines * second;
  return reshape(concatenate({expand_dimension(real, place), expand_dimension(imaginary, place)}, place), sizes);
}

}  // namespace

Values lower_rotary_embedding(const Node &node) {
  const Array given = node.input(0);
  Array x = given;
  if (given.rank() == 4) {
    x = transpose(given, {0, 2, 1, 3});
  } else {
    x = transpose(split_heads(node, given, node.integer("num_heads")), {0, 2, 1, 3});
  }
  const std::int64_t named = node.integer("rotary_embedding_dim", 0), size = named == 0 ? x.size(3) : named;
  if (node.builder().has_failed()) {
    return {};
  }
  if (size < 0 || size > x.size(3) || size % 2 != 0) {
    return node.fail("{} elements of {} are rotated, expected an even number of them", size, x.size(3));
  }
  const Array cosines = rotations(node, 1, size), sines = rotations(node, 2, size);
  if (node.builder().has_failed()) {
    return {};
  }
  const Array turned =
      rotated(convert(slice(x, 3, 0, size), ElementType::F32), cosines, sines, node.flag("interleaved"));
  Array result = convert(turned, x.type());
  if (size < x.size(3)) {
    result = concatenate({result, slice(x, 3, size, x.size(3))}, 3);
  }
  return {given.rank() == 4 ? transpose(result, {0, 2, 1, 3}) : flatten(result, 2, 4)};
}

Values lower_linear_attention(const Node &node) {
  LinearOperands operands = linear_operands(node);
  if (node.builder().has_failed()) {
    return {};
  }
  const double named = node.real("scale", 0);
  operands.q = operands.q * (named == 0 ? 1 / std::sqrt(static_cast<double>(operands.q.size(3))) : named);
  const auto [read, state] = linear_recurrence(operands);
  const ElementType type = node.input(0).type();
  return {convert(join_heads(read), type), convert(state, node.has_input(3) ? node.input(3).type() : type)};
}

// A convolution per channel over the tokens of the state and the new ones.
Values lower_causal_conv_with_state(const Node &node) {
  const Array x = node.input(0), w = node.input(1), bias = node.optional_input(2);
  if (x.rank() != 3 || w.rank() != 3 || w.size(0) != x.size(1) || w.size(1) != 1 || w.size(2) < 1) {
    return node.fail("{} is convolved with {}, expected [batch, channels, length] and [channels, 1, size]",
                     ir::to_string(x.shape()), ir::to_string(w.shape()));
  }
  const std::int64_t channels = x.size(1), kept = w.size(2) - 1;
  const Array past =
      node.has_input(3) ? node.input(3) : node.builder().filled(x.type(), Integers{x.size(0), channels, kept}, 0);
  if (past.rank() != 3 || past.size(2) != kept) {
    return node.fail("past_state is {}, expected the last size {}", ir::to_string(past.shape()), kept);
  }
  const Array padded = kept == 0 ? x : concatenate({past, x}, 2);
  const ir::WindowDimension window = {.size = w.size(2)};
  const Array sums = node.builder().add(Opcode::Convolution, {padded, w}, [&](ir::Module &m, ir::InstructionId id) {
    m.set_window(id, std::span(&window, 1));
    m.set_numbers(id, AttributeKey::DimLabels, {0, 1, 1, 0, 0, 1, 2, 2, 2});
    m.set_number(id, AttributeKey::FeatureGroupCount, channels);
  });
  Array result = widened(sums, compute_type(x.type()));
  if (bias.is_present() && (bias.rank() != 1 || bias.count() != channels)) {
    return node.fail("the bias is {}, expected a vector of {} elements", ir::to_string(bias.shape()), channels);
  }
  if (bias.is_present()) {
    result = result + convert(reshape(bias, {bias.count(), 1}), result.type());
  }
  const std::string_view activation = node.text("activation", "none");
  if (activation == "silu" || activation == "swish") {
    result = result * logistic(result);
  } else if (activation != "none") {
    return node.fail("activation is \"{}\", expected silu, swish or none", activation);
  }
  return {convert(result, x.type()), slice(padded, 2, padded.size(2) - kept, padded.size(2))};
}

namespace {

// Applies a graph that is an attribute to scores; an error if the result has another shape.
Array modified_scores(const Node &node, std::string_view name, const Array &scores) {
  if (!node.has(name) || !scores.is_valid()) {
    return scores;
  }
  const Graph *graph = node.graph(name);
  if (graph == nullptr) {
    return scores;
  }
  const Values results = node.lowering().in_place(node, *graph, {scores});
  if (node.builder().has_failed()) {
    return scores;
  }
  if (graph->inputs.size() != 1 || results.size() != 1 || !results[0].is_array() ||
      !ir::same(results[0].array().shape(), scores.shape(), ir::CompareLayout::No)) {
    const bool is_array = results.size() == 1 && results[0].is_array();
    node.fail("{} has {} inputs and {} results{}, expected one of each, which is {}", name, graph->inputs.size(),
              results.size(), is_array ? ", " + ir::to_string(results[0].array().shape()) : std::string(),
              ir::to_string(scores.shape()));
    return scores;
  }
  return results[0].array();
}

}  // namespace

Values lower_flex_attention(const Node &node) {
  const Array q = node.input(0), k = node.input(1), v = node.input(2);
  const bool have_ranks = q.rank() == 4 && k.rank() == 4 && v.rank() == 4;
  if (!have_ranks || q.size(0) != k.size(0) || k.size(0) != v.size(0) || k.size(1) != v.size(1) ||
      k.size(2) != v.size(2) || q.size(3) != k.size(3) || k.size(1) == 0 || q.size(1) % k.size(1) != 0 ||
      q.type() != k.type() || q.type() != v.type()) {
    return node.fail("the operands are {}, {} and {}, expected sizes [B,Hq,L,E], [B,H,S,E] and [B,H,S,D] of one type",
                     ir::to_string(q.shape()), ir::to_string(k.shape()), ir::to_string(v.shape()));
  }
  const ElementType type = node.element_type("softmax_precision", compute_type(q.type()));
  const std::int64_t batch = q.size(0), heads = q.size(1), queries = q.size(2), groups = heads / k.size(1);
  // Query heads that share keys are rows of one matrix.
  const Integers joined = {batch, k.size(1), groups * queries, q.size(3)};
  const Array products = dot(convert(reshape(q, joined), type), convert(k, type), {{0, 1}, {0, 1}, {3}, {3}});
  const double scale = node.real("scale", 1 / std::sqrt(static_cast<double>(q.size(3))));
  const Array scores = reshape(products, {batch, heads, queries, k.size(2)}) * scale;
  const Integers last = {3};
  const Array probabilities =
      modified_scores(node, "prob_mod", softmax_over(modified_scores(node, "score_mod", scores), last));
  const Array rows = reshape(probabilities, {batch, k.size(1), groups * queries, k.size(2)});
  const Array result = dot(rows, convert(v, type), {{0, 1}, {0, 1}, {3}, {2}});
  return {convert(reshape(result, {batch, heads, queries, v.size(3)}), q.type())};
}

}  // namespace bp::import::onnx
