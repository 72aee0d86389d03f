// Ensembles of decision trees: TreeEnsembleRegressor, TreeEnsembleClassifier, TreeEnsemble. All trees are walked at the
// same time, from the roots down: in each iteration of a loop, every sample goes to the next node in every tree.
#include <algorithm>
#include <cmath>
#include <map>

#include "core/import/onnx/lower.h"
#include "core/import/onnx/post_transform.h"

namespace bp::import::onnx {
namespace {

enum class TreeTest { LessOrEqual, Less, GreaterOrEqual, Greater, Equal, NotEqual, Member, Leaf };

// The nodes of all trees. A leaf is its own successor.
struct Forest {
  struct Node {
    TreeTest test = TreeTest::Leaf;
    std::int64_t feature = 0;
    double split = 0;
    bool is_missing_true = false;  // whether NaN takes the branch of truth
    std::int64_t if_true = 0, if_false = 0;
  };
  struct Weight {
    std::int64_t node, target;
    double weight;
  };
  std::vector<Node> nodes;
  Integers roots;
  std::vector<Weight> weights;
  std::int64_t targets = 1;
};

// Largest number of weights of all leaves for all targets.
constexpr std::int64_t max_weights = 1 << 26;

// Returns the largest number of tests from a root to a leaf; an error if there are circles.
std::int64_t depth_of(const Node &node, const Forest &forest) {
  const std::size_t count = forest.nodes.size();
  Integers parents(count, 0), depth(count, 0);
  const auto for_each_successor = [&](std::size_t i, auto &&visit) {
    if (forest.nodes[i].test != TreeTest::Leaf) {
      visit(static_cast<std::size_t>(forest.nodes[i].if_true));
      visit(static_cast<std::size_t>(forest.nodes[i].if_false));
    }
  };
  for (std::size_t i = 0; i < count; ++i) {
    for_each_successor(i, [&](std::size_t next) { ++parents[next]; });
  }
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < count; ++i) {
    if (parents[i] == 0) {
      open.push_back(i);
    }
  }
  std::size_t visited = 0;
  std::int64_t deepest = 0;
  while (!open.empty()) {
    const std::size_t i = open.back();
    open.pop_back();
    ++visited;
    deepest = std::max(deepest, depth[i]);
    for_each_successor(i, [&](std::size_t next) {
      depth[next] = std::max(depth[next], depth[i] + 1);
      if (--parents[next] == 0) {
        open.push_back(next);
      }
    });
  }
  if (visited != count) {
    node.fail("the nodes of a tree go round in a circle");
  }
  return deepest;
}

// Checks the numbers of nodes, features and targets.
bool check_forest(const Node &node, const Forest &forest, std::int64_t features) {
  const auto count = std::ssize(forest.nodes);
  const auto is_node = [&](std::int64_t number) { return number >= 0 && number < count; };
  for (const Forest::Node &one : forest.nodes) {
    if (!is_node(one.if_true) || !is_node(one.if_false) || one.feature < 0 || one.feature >= features) {
      node.fail("a node is for feature {} and goes to the nodes {} and {}, expected features of {} and nodes of {}",
                one.feature, one.if_true, one.if_false, features, count);
      return false;
    }
  }
  for (const Forest::Weight &one : forest.weights) {
    if (!is_node(one.node) || one.target < 0 || one.target >= forest.targets) {
      node.fail("a weight is for node {} and target {}, expected nodes of {} and targets of {}", one.node, one.target,
                count, forest.targets);
      return false;
    }
  }
  if (forest.roots.empty() || !std::ranges::all_of(forest.roots, is_node)) {
    node.fail("there are {} trees with {} nodes", forest.roots.size(), count);
    return false;
  }
  if (forest.targets > max_weights / std::max<std::int64_t>(count, 1)) {
    node.unsupported(fmt::format("{} targets and {} nodes", forest.targets, count));
  }
  return !node.builder().has_failed();
}

// --- Reading ---

// Replaces a test whether a number is one of several by tests for each of them.
void expand_members(std::vector<Forest::Node> &nodes, std::size_t place, const std::vector<double> &members) {
  const Forest::Node whole = nodes[place];
  if (members.empty()) {  // nothing is a member, so that only a missing number may be true
    nodes[place].test = TreeTest::Equal;
    nodes[place].split = std::nan("");
    return;
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    const bool is_last = i + 1 == members.size();
    Forest::Node &one = nodes[place];
    one.test = TreeTest::Equal;
    one.split = members[i];
    one.is_missing_true = i == 0 && whole.is_missing_true;
    one.if_false = is_last ? whole.if_false : std::ssize(nodes);
    if (!is_last) {
      place = nodes.size();
      nodes.push_back(whole);
    }
  }
}

// Returns the numbers of an attribute that may also be a tensor, under another name.
std::vector<double> numbers_of(const Node &node, std::string_view name, std::string_view tensor_name) {
  if (const Tensor *tensor = node.tensor(tensor_name); tensor != nullptr && !tensor->has_texts()) {
    return node.builder().constant(tensor->literal).reals().value_or(std::vector<double>());
  }
  return name.empty() ? std::vector<double>() : node.reals(name);
}

bool have_sizes(const Node &node, std::size_t count, std::initializer_list<std::size_t> sizes) {
  if (count == 0 || !std::ranges::all_of(sizes, [&](std::size_t size) { return size == count; })) {
    node.fail("the lists of the nodes' numbers have {} elements, expected the same number of at least 1",
              fmt::join(sizes, ", "));
    return false;
  }
  return true;
}

// Reads the trees of versions 1 to 4, whose nodes have the number of a tree and of a node in it. `kind`: "target" or
// "class", which have weights.
Forest read_numbered_forest(const Node &node, const std::string &kind) {
  Forest forest;
  const Integers trees = node.integers("nodes_treeids"), numbers = node.integers("nodes_nodeids");
  const Integers features = node.integers("nodes_featureids");
  const Integers if_true = node.integers("nodes_truenodeids"), if_false = node.integers("nodes_falsenodeids");
  const std::vector<std::string_view> modes = node.texts("nodes_modes");
  const std::vector<double> splits = numbers_of(node, "nodes_values", "nodes_values_as_tensor");
  const Integers missing = node.integers("nodes_missing_value_tracks_true", Integers(trees.size(), 0));
  if (!have_sizes(node, trees.size(),
                  {numbers.size(), features.size(), if_true.size(), if_false.size(), modes.size(), splits.size(),
                   missing.size()})) {
    return forest;
  }
  constexpr std::string_view names[] = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE",    "BRANCH_GT",
                                        "BRANCH_EQ",  "BRANCH_NEQ", "BRANCH_MEMBER", "LEAF"};
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> places;
  for (std::size_t i = 0; i < trees.size(); ++i) {
    places.emplace(std::pair(trees[i], numbers[i]), static_cast<std::int64_t>(i));
  }
  const auto place_of = [&](std::int64_t tree, std::int64_t number) {
    const auto found = places.find({tree, number});
    return found == places.end() ? -1 : found->second;
  };
  std::vector<bool> has_parent(trees.size());
  for (std::size_t i = 0; i < trees.size(); ++i) {
    const auto mode = std::ranges::find(names, modes[i]) - std::begin(names);
    if (mode == std::ssize(names) || mode == static_cast<std::int64_t>(TreeTest::Member)) {
      node.fail("the mode of a node is \"{}\", expected one such as BRANCH_LEQ, or LEAF", modes[i]);
      return forest;
    }
    const auto own = static_cast<std::int64_t>(i);
    Forest::Node one{static_cast<TreeTest>(mode), features[i], splits[i], missing[i] != 0, own, own};
    if (one.test == TreeTest::Leaf) {
      one.feature = 0;
    } else {
      one.if_true = place_of(trees[i], if_true[i]);
      one.if_false = place_of(trees[i], if_false[i]);
      for (const std::int64_t next : {one.if_true, one.if_false}) {
        if (next >= 0) {
          has_parent[static_cast<std::size_t>(next)] = true;
        }
      }
    }
    forest.nodes.push_back(one);
  }
  for (std::size_t i = 0; i < trees.size(); ++i) {
    if (!has_parent[i]) {
      forest.roots.push_back(static_cast<std::int64_t>(i));
    }
  }
  const Integers weight_trees = node.integers(kind + "_treeids"), weight_nodes = node.integers(kind + "_nodeids");
  const Integers targets = node.integers(kind + "_ids");
  const std::vector<double> weights = numbers_of(node, kind + "_weights", kind + "_weights_as_tensor");
  if (have_sizes(node, weights.size(), {weight_trees.size(), weight_nodes.size(), targets.size()})) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      forest.weights.push_back({place_of(weight_trees[i], weight_nodes[i]), targets[i], weights[i]});
    }
  }
  return forest;
}

// Reads the trees of version 5, in which leaves have lists of their own.
Forest read_forest(const Node &node) {
  Forest forest;
  const Integers features = node.integers("nodes_featureids");
  const Integers if_true = node.integers("nodes_truenodeids"), if_false = node.integers("nodes_falsenodeids");
  const Integers true_leaves = node.integers("nodes_trueleafs"), false_leaves = node.integers("nodes_falseleafs");
  const std::vector<double> splits = numbers_of(node, {}, "nodes_splits"), modes = numbers_of(node, {}, "nodes_modes");
  const std::vector<double> weights = numbers_of(node, {}, "leaf_weights");
  const Integers targets = node.integers("leaf_targetids");
  const Integers missing = node.integers("nodes_missing_value_tracks_true", Integers(features.size(), 0));
  if (!have_sizes(node, features.size(),
                  {if_true.size(), if_false.size(), true_leaves.size(), false_leaves.size(), splits.size(),
                   modes.size(), missing.size()}) ||
      !have_sizes(node, weights.size(), {targets.size()})) {
    return forest;
  }
  const auto inner = std::ssize(features), leaves = std::ssize(weights);
  const auto place_of = [&](std::int64_t number, bool is_leaf) {
    return number < 0 || number >= (is_leaf ? leaves : inner) ? -1 : number + (is_leaf ? inner : 0);
  };
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (!(modes[i] >= 0 && modes[i] <= static_cast<double>(TreeTest::Member))) {
      node.fail("the mode of a node is {}, expected 0 to 6", modes[i]);
      return forest;
    }
    forest.nodes.push_back({static_cast<TreeTest>(static_cast<int>(modes[i])), features[i], splits[i], missing[i] != 0,
                            place_of(if_true[i], true_leaves[i] != 0), place_of(if_false[i], false_leaves[i] != 0)});
  }
  for (std::int64_t i = 0; i < leaves; ++i) {
    forest.nodes.push_back({TreeTest::Leaf, 0, 0, false, inner + i, inner + i});
    forest.weights.push_back({inner + i, targets[static_cast<std::size_t>(i)], weights[static_cast<std::size_t>(i)]});
  }
  for (const std::int64_t root : node.integers("tree_roots")) {
    if (root < 0 || root >= inner) {
      node.fail("the root of a tree is node {} of {}", root, inner);
      return forest;
    }
    // A tree that is a leaf has a node that goes to it in both cases.
    forest.roots.push_back(root);
  }
  const std::vector<double> members = numbers_of(node, {}, "membership_values");
  auto next = members.begin();
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (forest.nodes[i].test != TreeTest::Member) {
      continue;
    }
    const auto end = std::find_if(next, members.end(), [](double number) { return std::isnan(number); });
    if (end == members.end()) {
      node.fail("membership_values has no list for each node that has the mode 6, each with a NaN at the end");
      return forest;
    }
    expand_members(forest.nodes, i, {next, end});
    next = end + 1;
  }
  return forest;
}

// --- Walking ---

Array compare_by(TreeTest test, const Array &x, const Array &split) {
  switch (test) {
    case TreeTest::LessOrEqual: return x <= split;
    case TreeTest::Less: return x < split;
    case TreeTest::GreaterOrEqual: return x >= split;
    case TreeTest::Greater: return x > split;
    case TreeTest::NotEqual: return x != split;
    default: return x == split;
  }
}

// Returns the numbers of the leaves that samples, [n, features], reach in each tree: s32[n, trees].
Array reached_leaves(const Node &node, const Forest &forest, const Array &x) {
  GraphBuilder &builder = node.builder();
  const std::int64_t samples = x.size(0), features = x.size(1), trees = std::ssize(forest.roots);
  const Integers sizes = {samples, trees}, along_trees = {1}, along_samples = {0};
  Integers feature, if_true, if_false, mode, is_missing_true;
  std::vector<double> split;
  std::vector<TreeTest> tests;
  for (const Forest::Node &one : forest.nodes) {
    feature.push_back(one.feature);
    if_true.push_back(one.if_true);
    if_false.push_back(one.if_false);
    split.push_back(one.split);
    mode.push_back(static_cast<std::int64_t>(one.test));
    is_missing_true.push_back(one.is_missing_true ? 1 : 0);
    if (one.test != TreeTest::Leaf && std::ranges::find(tests, one.test) == tests.end()) {
      tests.push_back(one.test);
    }
  }
  const auto list = [&](const Integers &numbers) { return builder.integers(numbers, ElementType::S32); };
  const Array roots = broadcast_in(list(forest.roots), sizes, along_trees);
  const std::int64_t depth = depth_of(node, forest);
  if (builder.has_failed()) {
    return roots;
  }
  const Array first = broadcast_in(builder.iota(ElementType::S32, Integers{samples}, 0) * static_cast<double>(features),
                                   sizes, along_samples);
  return builder.loop(depth,
                      {roots, first, reshape(x, {x.count()}), list(feature), builder.reals(split, x.type()),
                       list(if_true), list(if_false), list(mode), list(is_missing_true)},
                      [&](GraphBuilder &, const Array &, const Arrays &values) -> Arrays {
                        const Array &place = values[0];
                        const auto of_place = [&](std::size_t i) { return take(values[i], place, 0); };
                        const Array number = take(values[2], values[1] + of_place(3), 0), limit = of_place(4);
                        Array is_true = compare_by(tests.empty() ? TreeTest::Equal : tests[0], number, limit);
                        for (std::size_t i = 1; i < tests.size(); ++i) {
                          const Array is_mode = of_place(7) == static_cast<double>(tests[i]);
                          is_true = select(is_mode, compare_by(tests[i], number, limit), is_true);
                        }
                        if (std::ranges::count(is_missing_true, 1) > 0) {
                          is_true = is_true || (is_nan(number) && of_place(8) != 0);
                        }
                        Arrays next = values;
                        next[0] = select(is_true, of_place(5), of_place(6));
                        return next;
                      })[0];
}

enum class Aggregate { Average, Sum, Min, Max };

// Returns the weights of the leaves that samples reach, combined over the trees: [n, targets].
Array combined_weights(const Node &node, const Forest &forest, const Array &x, Aggregate aggregate) {
  GraphBuilder &builder = node.builder();
  const std::int64_t count = std::ssize(forest.nodes), trees = std::ssize(forest.roots);
  const bool is_extreme = aggregate == Aggregate::Min || aggregate == Aggregate::Max;
  const double none = !is_extreme ? 0 : aggregate == Aggregate::Min ? HUGE_VAL : -HUGE_VAL;
  std::vector<double> table(static_cast<std::size_t>(count * forest.targets), none);
  for (const Forest::Weight &one : forest.weights) {
    double &weight = table[static_cast<std::size_t>(one.node * forest.targets + one.target)];
    weight = is_extreme ? one.weight : weight + one.weight;
  }
  const Array leaves = reached_leaves(node, forest, x);
  const Array weights = take(reshape(builder.reals(table, x.type()), {count, forest.targets}), leaves, 0);
  const Integers over = {1};
  if (is_extreme) {
    const Array result = (aggregate == Aggregate::Min ? reduce_min : reduce_max)(weights, over, KeepSizes::No);
    return select(result == none, 0, result);
  }
  const Array sum = reduce_sum(weights, over, KeepSizes::No);
  return aggregate == Aggregate::Average ? sum / static_cast<double>(trees) : sum;
}

// Returns the samples as a matrix of real numbers.
Array samples_of(const Node &node) {
  const Array x = node.input(0);
  if (x.rank() < 1 || x.rank() > 2) {
    node.fail("the operand is {}, expected one or two dimensions", ir::to_string(x.shape()));
  }
  const Array wide = x.type() == ElementType::F64 ? x : convert(x, ElementType::F32);
  return x.rank() == 1 ? expand_dimension(wide, 0) : wide;
}

// Adds the attribute base_values: one number for each target.
Array with_base(const Node &node, const Array &scores) {
  const std::vector<double> base = numbers_of(node, "base_values", "base_values_as_tensor");
  if (base.empty()) {
    return scores;
  }
  if (std::ssize(base) != scores.size(1)) {
    node.fail("there are {} base_values for {} results", base.size(), scores.size(1));
  }
  return scores + expand_dimension(node.builder().reals(base, scores.type()), 0);
}

}  // namespace

// ONNX Runtime applies no LOGISTIC if there is one target, although ONNX defines it.
Values lower_tree_ensemble_regressor(const Node &node) {
  const Array x = samples_of(node);
  Forest forest = read_numbered_forest(node, "target");
  forest.targets = node.integer("n_targets", 1);
  constexpr std::string_view names[] = {"AVERAGE", "SUM", "MIN", "MAX"};
  const auto aggregate = std::ranges::find(names, node.text("aggregate_function", "SUM")) - std::begin(names);
  if (aggregate == std::ssize(names) || forest.targets < 1) {
    return node.fail("aggregate_function is \"{}\" and n_targets {}, expected SUM, AVERAGE, MIN or MAX and at least 1",
                     node.text("aggregate_function", "SUM"), forest.targets);
  }
  if (node.builder().has_failed() || !check_forest(node, forest, x.size(1))) {
    return {};
  }
  const Array scores = with_base(node, combined_weights(node, forest, x, static_cast<Aggregate>(aggregate)));
  return {convert(post_transformed(node, scores), ElementType::F32)};
}

Values lower_tree_ensemble(const Node &node) {
  const Array x = samples_of(node);
  Forest forest = read_forest(node);
  forest.targets = node.integer("n_targets", 1);
  const std::int64_t aggregate = node.integer("aggregate_function", 1), transform = node.integer("post_transform", 0);
  if (aggregate < 0 || aggregate > 3 || transform != 0 || forest.targets < 1) {
    return node.unsupported(
        fmt::format("aggregate_function is {}, post_transform {} and n_targets {}, expected 0 to 3, "
                    "0 and at least 1",
                    aggregate, transform, forest.targets));
  }
  if (node.builder().has_failed() || !check_forest(node, forest, x.size(1))) {
    return {};
  }
  return {combined_weights(node, forest, x, static_cast<Aggregate>(aggregate))};
}

// As in ONNX Runtime: of two classes, the score of the second one decides, by being more than 0, or 0.5 if no weight is
// negative. If only the first class has weights, as gradient boosting writes them, these are the score of the second.
Values lower_tree_ensemble_classifier(const Node &node) {
  const Array x = samples_of(node);
  if (node.has("classlabels_strings")) {
    return node.unsupported("the classes have texts as labels, expected integers");
  }
  const Integers labels = node.integers("classlabels_int64s");
  if (labels.size() < 2) {
    return node.unsupported(fmt::format("there are {} classes, expected at least 2", labels.size()));
  }
  Forest forest = read_numbered_forest(node, "class");
  forest.targets = std::ssize(labels);
  if (node.builder().has_failed() || !check_forest(node, forest, x.size(1))) {
    return {};
  }
  const auto is_of_first = [](const Forest::Weight &one) { return one.target == 0; };
  const bool has_one_score = labels.size() == 2 && std::ranges::all_of(forest.weights, is_of_first);
  const bool are_positive =
      std::ranges::all_of(forest.weights, [](const Forest::Weight &one) { return one.weight >= 0; });
  forest.targets = has_one_score ? 1 : forest.targets;
  const Array raw = with_base(node, combined_weights(node, forest, x, Aggregate::Sum));
  Array place, scores = raw;
  if (labels.size() == 2) {
    const Array second = reshape(slice(raw, 1, forest.targets - 1, forest.targets), {x.size(0)});
    place = convert(second > (are_positive ? 0.5 : 0), ElementType::S32);
  } else {
    const Integers last = {1};
    const Array is_best = raw == reduce_max(raw, last, KeepSizes::Yes);
    const auto largest = static_cast<double>(labels.size() - 1);
    place = reduce_min(select(is_best, indices_along(raw, 1), largest), last, KeepSizes::No);
  }
  if (!has_one_score) {
    scores = post_transformed(node, raw);
  } else if (node.text("post_transform", "NONE") == "LOGISTIC") {
    scores = logistic(concatenate({-raw, raw}, 1));
  } else {
    scores = concatenate({are_positive ? 1 - raw : -raw, raw}, 1);
  }
  return {take(node.builder().integers(labels), place, 0), convert(scores, ElementType::F32)};
}

}  // namespace bp::import::onnx
