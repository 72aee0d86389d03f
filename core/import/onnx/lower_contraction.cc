// Operators that multiply matrices and arrays: MatMul, Gemm, Einsum.
#include <algorithm>
#include <cmath>

#include "core/import/onnx/lower.h"

namespace bp::import::onnx {
namespace {

// --- Einsum ---

// An operand or the result: the label of each dimension. A letter stands for itself; the dimensions of an ellipsis have
// the labels ellipsis_end - n to ellipsis_end - 1, which are below all letters.
using Labels = std::vector<int>;
constexpr int ellipsis_end = 0;

struct EinsumTerm {
  Labels labels;
  Array array;
};

bool contains_label(const Labels &labels, int label) {
  return std::ranges::find(labels, label) != labels.end();
}

std::int64_t place_of(const Labels &labels, int label) {
  return std::ranges::find(labels, label) - labels.begin();
}

// Reads the labels of one term. `dimensions`: those that an ellipsis stands for.
Labels read_term(const Node &node, std::string_view text, std::size_t dimensions) {
  Labels labels;
  bool has_ellipsis = false;
  while (!text.empty()) {
    if (std::isalpha(static_cast<unsigned char>(text[0])) != 0) {
      labels.push_back(text[0]);
      text.remove_prefix(1);
    } else if (text.starts_with("...") && !has_ellipsis) {
      has_ellipsis = true;
      for (std::size_t i = 0; i < dimensions; ++i) {
        labels.push_back(ellipsis_end - static_cast<int>(dimensions - i));
      }
      text.remove_prefix(3);
    } else {
      node.fail("the equation has \"{}\", expected letters and at most one ellipsis in each term", text);
      return labels;
    }
  }
  return labels;
}

// Reads the term of an operand: an ellipsis stands for the dimensions that have no letter.
EinsumTerm read_operand(const Node &node, std::string_view text, const Array &array) {
  const auto letters = static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return c != '.'; }));
  const std::size_t hidden =
      text.find('.') != std::string_view::npos && array.rank() > letters ? array.rank() - letters : 0;
  EinsumTerm term = {read_term(node, text, hidden), array};
  if (term.labels.size() != array.rank()) {
    node.fail("the term \"{}\" of the equation has {} dimensions, expected {} as in {}", text, term.labels.size(),
              array.rank(), ir::to_string(array.shape()));
  }
  return term;
}

// Returns the labels of the result if the equation does not say them: the ellipsis, then the letters that appear once.
Labels implicit_result(const std::vector<EinsumTerm> &terms) {
  std::map<int, int> counts;
  for (const EinsumTerm &term : terms) {
    for (const int label : term.labels) {
      ++counts[label];
    }
  }
  Labels labels;
  for (const auto &[label, count] : counts) {
    if (label < ellipsis_end || count == 1) {
      labels.push_back(label);
    }
  }
  return labels;
}

void sum_out(EinsumTerm &term, const Labels &unneeded) {
  Integers dimensions;
  for (const int label : unneeded) {
    dimensions.push_back(place_of(term.labels, label));
  }
  std::ranges::sort(dimensions);
  term.array = reduce_sum(term.array, dimensions, KeepSizes::No);
  std::erase_if(term.labels, [&](int label) { return contains_label(unneeded, label); });
}

// Takes the diagonal of dimensions that have the same label: the sum of what is left when all else is zero.
void take_diagonals(EinsumTerm &term) {
  for (std::size_t i = 0; i < term.labels.size(); ++i) {
    for (std::size_t j = term.labels.size() - 1; j > i; --j) {
      if (term.labels[j] != term.labels[i]) {
        continue;
      }
      const auto first = static_cast<std::int64_t>(i), second = static_cast<std::int64_t>(j);
      const Array is_diagonal = indices_along(term.array, first) == indices_along(term.array, second);
      term.array = reduce_sum(select(is_diagonal, term.array, 0), Integers{second}, KeepSizes::No);
      term.labels.erase(term.labels.begin() + second);
    }
  }
}

// Drops dimensions of size 1 whose label has another size in another operand: they are repeated there.
void drop_repeated(EinsumTerm &term, const std::map<int, std::int64_t> &sizes) {
  Integers dropped;
  Labels kept;
  for (std::size_t i = 0; i < term.labels.size(); ++i) {
    const auto dimension = static_cast<std::int64_t>(i);
    if (term.array.size(dimension) == 1 && sizes.at(term.labels[i]) != 1) {
      dropped.push_back(dimension);
    } else {
      kept.push_back(term.labels[i]);
    }
  }
  term.array = squeeze(term.array, dropped);
  term.labels = std::move(kept);
}

// Puts the dimensions into the order of the labels, with size 1 where there is none.
Array arranged(const EinsumTerm &term, const Labels &labels) {
  Integers permutation, sizes;
  for (const int label : labels) {
    const bool is_own = contains_label(term.labels, label);
    if (is_own) {
      permutation.push_back(place_of(term.labels, label));
    }
    sizes.push_back(is_own ? term.array.size(place_of(term.labels, label)) : 1);
  }
  return reshape(transpose(term.array, permutation), sizes);
}

// Multiplies two terms, and sums over the labels that are not `needed` after it.
EinsumTerm product(EinsumTerm x, EinsumTerm y, const Labels &needed) {
  const auto sum_own = [&](EinsumTerm &term, const EinsumTerm &other) {
    Labels unneeded;
    std::ranges::copy_if(term.labels, std::back_inserter(unneeded), [&](int label) {
      return !contains_label(other.labels, label) && !contains_label(needed, label);
    });
    sum_out(term, unneeded);
  };
  sum_own(x, y);
  sum_own(y, x);
  Labels batch, contracting, free;
  for (const int label : x.labels) {
    (!contains_label(y.labels, label) ? free : contains_label(needed, label) ? batch : contracting).push_back(label);
  }
  std::ranges::copy_if(y.labels, std::back_inserter(free), [&](int label) { return !contains_label(x.labels, label); });
  Labels labels = batch;
  labels.insert(labels.end(), free.begin(), free.end());
  if (labels.size() > ir::max_rank) {
    return {labels, x.array.builder().fail("a product of the equation has {} dimensions, expected at most {}",
                                           labels.size(), ir::max_rank)};
  }
  if (contracting.empty()) {
    return {labels, arranged(x, labels) * arranged(y, labels)};
  }
  DotDimensions dimensions;
  for (const int label : batch) {
    dimensions.lhs_batch.push_back(place_of(x.labels, label));
    dimensions.rhs_batch.push_back(place_of(y.labels, label));
  }
  for (const int label : contracting) {
    dimensions.lhs_contracting.push_back(place_of(x.labels, label));
    dimensions.rhs_contracting.push_back(place_of(y.labels, label));
  }
  return {labels, dot(x.array, y.array, dimensions)};
}

// Returns the size of each label: 1 if it is 1 in all operands.
std::map<int, std::int64_t> label_sizes(const Node &node, const std::vector<EinsumTerm> &terms) {
  std::map<int, std::int64_t> sizes;
  for (const EinsumTerm &term : terms) {
    for (std::size_t i = 0; i < term.labels.size(); ++i) {
      const std::int64_t size = term.array.size(static_cast<std::int64_t>(i));
      const auto [known, is_new] = sizes.emplace(term.labels[i], size);
      if (known->second != size && known->second != 1 && size != 1) {
        node.fail("an index of the equation has the sizes {} and {}", known->second, size);
      }
      known->second = known->second == 1 ? size : known->second;
    }
  }
  return sizes;
}

struct Equation {
  std::vector<EinsumTerm> terms;
  Labels result;
};

Equation read_equation(const Node &node) {
  std::string text(node.text("equation", ""));
  std::erase(text, ' ');
  const std::size_t arrow = text.find("->");
  std::string_view left = std::string_view(text).substr(0, arrow);
  Equation equation;
  const Arrays operands = node.inputs();
  std::size_t hidden = 0;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].type() != operands[0].type()) {
      node.fail("operand {} is {}, expected {}", i, ir::to_string(operands[i].type()),
                ir::to_string(operands[0].type()));
    }
    const std::size_t comma = left.find(',');
    if ((comma == std::string_view::npos) != (i + 1 == operands.size())) {
      node.fail("the equation \"{}\" does not have a term for each of the {} operands", text, operands.size());
      return equation;
    }
    equation.terms.push_back(read_operand(node, left.substr(0, comma), operands[i]));
    hidden = std::max<std::size_t>(
        hidden, static_cast<std::size_t>(std::ranges::count_if(equation.terms.back().labels,
                                                               [](int label) { return label < ellipsis_end; })));
    left.remove_prefix(comma == std::string_view::npos ? left.size() : comma + 1);
  }
  equation.result = arrow == std::string::npos ? implicit_result(equation.terms)
                                               : read_term(node, std::string_view(text).substr(arrow + 2), hidden);
  return equation;
}

// Checks that each label of the result is one of an operand, and appears once.
void check_result(const Node &node, const Labels &result, const std::map<int, std::int64_t> &sizes) {
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (!sizes.contains(result[i]) || place_of(result, result[i]) != static_cast<std::int64_t>(i)) {
      node.fail("an index of the result is {}", sizes.contains(result[i]) ? "named twice" : "in no operand");
    }
  }
}

// --- Gemm ---

// Returns a x b * alpha + c * beta. Integers are multiplied as f64 unless the factors are integers.
Array scaled_sum(const Array &product, const Array &c, double alpha, double beta) {
  const ElementType type = product.type();
  const bool is_exact = ir::is_floating(type) || (alpha == std::trunc(alpha) && beta == std::trunc(beta));
  const ElementType wide = is_exact ? compute_type(type) : ElementType::F64;
  Array result = convert(product, wide);
  result = alpha == 1 ? result : result * alpha;
  if (c.is_present()) {
    const Array alike = c.is_bounded() ? with_common_sizes({product, c})[1] : c;
    const Array bias = convert(broadcast_to(alike, product.shape().sizes()), wide);
    result = result + (beta == 1 ? bias : bias * beta);
  }
  return result;
}

}  // namespace

Values lower_matmul(const Node &node) {
  const Array a = node.input(0), b = node.input(1);
  if (a.type() != b.type()) {
    return node.fail("{} and {} are multiplied, expected equal types", ir::to_string(a.type()),
                     ir::to_string(b.type()));
  }
  return {matmul(a, b)};
}

Values lower_gemm(const Node &node) {
  const Array a = node.input(0), b = node.input(1), c = node.optional_input(2);
  if (a.rank() != 2 || b.rank() != 2) {
    return node.fail("{} and {} are multiplied, expected matrices", ir::to_string(a.shape()), ir::to_string(b.shape()));
  }
  if (a.type() != b.type() || (c.is_present() && c.type() != a.type())) {
    return node.fail("the operands have different types");
  }
  const std::int64_t of_a = node.flag("transA") ? 0 : 1, of_b = node.flag("transB") ? 1 : 0;
  const double alpha = node.real("alpha", 1), beta = node.real("beta", 1);
  const Array product = dot(a, b, {{}, {}, {of_a}, {of_b}});
  if (alpha == 1 && !c.is_present()) {
    return {product};
  }
  return {convert(scaled_sum(widened(product, compute_type(a.type())), c, alpha, beta), a.type())};
}

Values lower_einsum(const Node &node) {
  if (node.input_count() == 0) {
    return node.fail("there is no operand");
  }
  Equation equation = read_equation(node);
  std::vector<EinsumTerm> &terms = equation.terms;
  if (node.builder().has_failed()) {
    return {};
  }
  const std::map<int, std::int64_t> sizes = label_sizes(node, terms);
  check_result(node, equation.result, sizes);
  if (node.builder().has_failed()) {
    return {};
  }
  for (EinsumTerm &term : terms) {
    drop_repeated(term, sizes);
    take_diagonals(term);
  }
  EinsumTerm whole = terms[0];
  for (std::size_t i = 1; i < terms.size(); ++i) {
    Labels needed = equation.result;
    for (std::size_t j = i + 1; j < terms.size(); ++j) {
      needed.insert(needed.end(), terms[j].labels.begin(), terms[j].labels.end());
    }
    whole = product(whole, terms[i], needed);
  }
  Labels unneeded;
  std::ranges::copy_if(whole.labels, std::back_inserter(unneeded),
                       [&](int label) { return !contains_label(equation.result, label); });
  sum_out(whole, unneeded);
  return {arranged(whole, equation.result)};
}

}  // namespace bp::import::onnx
