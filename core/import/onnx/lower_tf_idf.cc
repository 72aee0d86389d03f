// TfIdfVectorizer: how often sequences of numbers appear in rows.
#include <algorithm>

#include "core/import/onnx/lower.h"

namespace bp::import::onnx {
namespace {

// Largest number of comparisons for one row.
constexpr std::int64_t max_comparisons = 1 << 26;

// Counts the sequences of one length, `grams`: [g, length], in rows, [n, c], with `skip` - 1 numbers between two of a
// sequence. Returns f32[n, g].
Array count_sequences(const Array &rows, const Array &grams, std::int64_t skip) {
  const std::int64_t length = grams.size(1), places = rows.size(1) - (length - 1) * skip;
  const Integers sizes = {rows.size(0), std::max<std::int64_t>(places, 0), grams.size(0)};
  const Integers of_rows = {0, 1}, of_grams = {2}, along = {1};
  Array matches;
  for (std::int64_t i = 0; i < length && places > 0; ++i) {
    const Array element = broadcast_in(slice(rows, 1, i * skip, i * skip + places), sizes, of_rows);
    const Array wanted = broadcast_in(reshape(slice(grams, 1, i, i + 1), {grams.size(0)}), sizes, of_grams);
    matches = i == 0 ? element == wanted : matches && element == wanted;
  }
  if (!matches) {
    return rows.builder().filled(ElementType::F32, Integers{rows.size(0), grams.size(0)}, 0);
  }
  return reduce_sum(convert(matches, ElementType::F32), along, KeepSizes::No);
}

// Returns the numbers of the sequences by column, and the number of sequences for a column that has none.
Integers sequences_of_columns(const Node &node, const Integers &columns) {
  const std::int64_t count = columns.empty() ? 0 : *std::ranges::max_element(columns) + 1;
  if (columns.empty() || *std::ranges::min_element(columns) < 0 || count > std::ssize(columns) * 16) {
    node.fail("ngram_indexes has {} numbers, expected those of columns", columns.size());
    return {};
  }
  Integers sequences(static_cast<std::size_t>(count), std::ssize(columns));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::int64_t &sequence = sequences[static_cast<std::size_t>(columns[i])];
    if (sequence != std::ssize(columns)) {
      node.unsupported("two sequences are counted in one column");
      return {};
    }
    sequence = static_cast<std::int64_t>(i);
  }
  return sequences;
}

}  // namespace

Values lower_tf_idf_vectorizer(const Node &node) {
  GraphBuilder &builder = node.builder();
  if (node.has("pool_strings")) {
    return node.unsupported("texts are counted, expected numbers");
  }
  const Array x = node.input(0);
  const std::int64_t least = node.integer("min_gram_length"), most = node.integer("max_gram_length");
  const std::int64_t max_skip = node.integer("max_skip_count");
  const Integers pool = node.integers("pool_int64s"), counts = node.integers("ngram_counts");
  const Integers columns = node.integers("ngram_indexes");
  const std::string_view mode = node.text("mode", "");
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF") {
    return node.fail("mode is \"{}\", expected TF, IDF or TFIDF", mode);
  }
  if (x.rank() < 1 || x.rank() > 2 || !ir::is_integer(x.type())) {
    return node.fail("the operand is {}, expected integers in one or two dimensions", ir::to_string(x.shape()));
  }
  if (least < 1 || most < least || max_skip < 0 || most > std::ssize(counts)) {
    return node.fail("sequences have {} to {} numbers with up to {} between two, and {} lengths have a pool", least,
                     most, max_skip, counts.size());
  }
  const Array rows = convert(x.rank() == 1 ? expand_dimension(x, 0) : x, ElementType::S64);
  Arrays found;
  std::int64_t sequences = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::int64_t begin = counts[i], end = i + 1 < counts.size() ? counts[i + 1] : std::ssize(pool);
    const auto length = static_cast<std::int64_t>(i) + 1;
    if (begin < 0 || end < begin || end > std::ssize(pool) || (end - begin) % length != 0) {
      return node.fail("the pool of sequences of {} numbers is from {} to {} of {} numbers", length, begin, end,
                       pool.size());
    }
    const std::int64_t count = (end - begin) / length;
    sequences += count;
    const std::int64_t skips = length == 1 ? 1 : std::min(max_skip + 1, std::max<std::int64_t>(rows.size(1), 1));
    if (count == 0) {
      continue;
    }
    if (rows.size(1) > max_comparisons / count / length / skips) {
      return node.unsupported(fmt::format("{} sequences are looked for in rows of {} numbers", count, rows.size(1)));
    }
    const Span numbers = Span(pool).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    const Array grams = reshape(builder.integers(numbers), {count, length});
    Array sum = builder.filled(ElementType::F32, Integers{rows.size(0), count}, 0);
    for (std::int64_t skip = 1; skip <= skips && length >= least && length <= most; ++skip) {
      sum = sum + count_sequences(rows, grams, skip);
    }
    found.push_back(sum);
  }
  if (sequences != std::ssize(columns)) {
    return node.fail("ngram_indexes has {} numbers, expected {}, one for each sequence", columns.size(), sequences);
  }
  const Integers by_column = sequences_of_columns(node, columns);
  if (node.builder().has_failed()) {
    return {};
  }
  found.push_back(builder.filled(ElementType::F32, Integers{rows.size(0), 1}, 0));  // of columns without a sequence
  Array result = take(concatenate(found, 1), Span(by_column), 1);
  const std::vector<double> weights = node.reals("weights", std::vector<double>(columns.size(), 1));
  if (mode != "TF") {
    if (weights.size() != columns.size()) {
      return node.fail("there are {} weights, expected {}, one for each sequence", weights.size(), columns.size());
    }
    std::vector<double> of_columns;
    for (const std::int64_t sequence : by_column) {
      of_columns.push_back(sequence == std::ssize(weights) ? 0 : weights[static_cast<std::size_t>(sequence)]);
    }
    const Array factors = expand_dimension(builder.reals(of_columns, ElementType::F32), 0);
    result = mode == "IDF" ? select(result > 0, broadcast_to(factors, result.shape().sizes()), 0) : result * factors;
  }
  return {x.rank() == 1 ? reshape(result, {result.size(1)}) : result};
}

}  // namespace bp::import::onnx
