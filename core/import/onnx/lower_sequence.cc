// Operators that deal with sequences and optional values, which exist only while a graph is imported: a sequence is its
// elements, and an optional value is its element or an absent value.
#include <algorithm>

#include "core/import/onnx/lower.h"
#include "core/import/onnx/lowering.h"

namespace bp::import::onnx {
namespace {

constexpr std::size_t max_parts = 4096;  // of an array that is split

// Returns the elements of an input; an input that is no sequence is an error.
Values sequence_elements(const Node &node, std::size_t i) {
  if (!node.has_input(i) || !node.value(i).is_sequence()) {
    node.fail("input {} is {}, expected a sequence", i, node.has_input(i) ? "no sequence" : "absent");
    return {};
  }
  return node.value(i).elements();
}

// Returns the elements of a sequence, which are arrays; there is at least one.
Arrays sequence_arrays(const Node &node, const Values &elements) {
  Arrays arrays;
  for (const Value &element : elements) {
    if (!element.is_array()) {
      node.unsupported("the sequence has elements that are no arrays of numbers");
    }
    arrays.push_back(element.array());
  }
  if (arrays.empty()) {
    node.fail("the sequence is empty");
  }
  return node.builder().has_failed() ? Arrays() : arrays;
}

// Returns the position that input `i` names, of which negative ones count from the end, in 0 to `limit` - 1.
std::size_t position_in(const Node &node, std::size_t i, std::size_t count, std::size_t limit) {
  const std::int64_t position = node.known_integer(i);
  const std::int64_t wrapped = position < 0 ? position + static_cast<std::int64_t>(count) : position;
  if (wrapped < 0 || wrapped >= static_cast<std::int64_t>(limit)) {
    node.fail("the position {} is outside of a sequence of {} elements", position, count);
    return 0;
  }
  return static_cast<std::size_t>(wrapped);
}

// Joins arrays along a new dimension.
Array stack(const Arrays &arrays, std::int64_t dimension) {
  Arrays parts;
  std::ranges::transform(arrays, std::back_inserter(parts),
                         [&](const Array &array) { return expand_dimension(array, dimension); });
  return concatenate(parts, dimension);
}

// Whether the elements are arrays of one shape.
bool have_one_shape(const Values &elements) {
  return !elements.empty() && std::ranges::all_of(elements, [&](const Value &element) {
    return element.is_array() && element.array().is_valid() && elements[0].is_array() &&
           ir::same(element.array().shape(), elements[0].array().shape(), ir::CompareLayout::No);
  });
}

// Returns the lengths of the parts into which SplitToSequence splits `size`.
Integers lengths_of_parts(const Node &node, std::int64_t size) {
  const Integers given = node.has_input(1) ? node.known_integers(1) : Integers{1};
  if (node.builder().has_failed()) {
    return {};
  }
  Integers lengths = given;
  if (!node.has_input(1) || node.input(1).rank() == 0) {
    const std::int64_t length = given.empty() ? 0 : given[0];
    if (length < 1) {
      node.fail("the length of the parts is {}, expected at least 1", length);
      return {};
    }
    const auto count = static_cast<std::size_t>(size / length + (size % length == 0 ? 0 : 1));
    lengths.assign(std::min(count, max_parts + 1), length);
    if (count <= max_parts && size % length != 0) {
      lengths.back() = size % length;
    }
  }
  if (lengths.size() > max_parts) {
    node.unsupported(fmt::format("the array is split into more than {} parts", max_parts));
    return {};
  }
  std::int64_t rest = size;
  for (const std::int64_t length : lengths) {
    if (length < 0 || length > rest) {
      node.fail("the lengths [{}] do not add up to {}", fmt::join(given, ","), size);
      return {};
    }
    rest -= length;
  }
  if (rest != 0) {
    node.fail("the lengths [{}] do not add up to {}", fmt::join(given, ","), size);
  }
  return lengths;
}

}  // namespace

Values lower_sequence_construct(const Node &node) {
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (!node.value(i).has_texts()) {
      node.input(i);
    }
  }
  return {Value::sequence(node.values())};
}

Values lower_sequence_empty(const Node &) {
  return {Value::sequence({})};
}

Values lower_sequence_insert(const Node &node) {
  Values elements = sequence_elements(node, 0);
  const std::size_t position =
      node.has_input(2) ? position_in(node, 2, elements.size(), elements.size() + 1) : elements.size();
  if (!node.value(1).is_present() || node.value(1).is_sequence()) {
    return node.fail("input 1 is {}, expected an array", node.has_input(1) ? "a sequence" : "absent");
  }
  if (node.builder().has_failed()) {
    return {};
  }
  elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(position), node.value(1));
  return {Value::sequence(std::move(elements))};
}

Values lower_sequence_erase(const Node &node) {
  Values elements = sequence_elements(node, 0);
  if (elements.empty()) {
    return node.fail("the sequence is empty");
  }
  const std::size_t position =
      node.has_input(1) ? position_in(node, 1, elements.size(), elements.size()) : elements.size() - 1;
  elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(position));
  return {Value::sequence(std::move(elements))};
}

Values lower_sequence_at(const Node &node) {
  const Values elements = sequence_elements(node, 0);
  const Array position = node.input(1);
  if (elements.empty()) {
    return node.fail("the sequence is empty");
  }
  if (position.integers() || position.count() != 1 || !have_one_shape(elements)) {
    return {elements[position_in(node, 1, elements.size(), elements.size())]};
  }
  // The position is found when the program runs, such as the iteration of a loop.
  const Array scalar = reshape(position, {});
  const Array wrapped = select(scalar < 0, scalar + static_cast<double>(elements.size()), scalar);
  return {take(stack(sequence_arrays(node, elements), 0), wrapped, 0)};
}

Values lower_sequence_length(const Node &node) {
  return {reshape(node.builder().integers({static_cast<std::int64_t>(sequence_elements(node, 0).size())}), {})};
}

Values lower_split_to_sequence(const Node &node) {
  const Array x = node.input(0);
  const std::int64_t axis = node.dimension(node.integer("axis", 0), x.rank());
  if (node.builder().has_failed()) {
    return {};
  }
  const bool keeps_dimension = node.has_input(1) || node.flag("keepdims", true);
  const Integers removed = {axis};
  Values parts;
  std::int64_t begin = 0;
  for (const std::int64_t length : lengths_of_parts(node, x.size(axis))) {
    const Array part = slice(x, axis, begin, begin + length);
    parts.push_back(keeps_dimension ? part : squeeze(part, removed));
    begin += length;
  }
  return {Value::sequence(std::move(parts))};
}

Values lower_concat_from_sequence(const Node &node) {
  const Arrays arrays = sequence_arrays(node, sequence_elements(node, 0));
  if (arrays.empty()) {
    return {};
  }
  const bool is_new = node.flag("new_axis");
  const std::int64_t axis = node.dimension(node.integer("axis"), arrays[0].rank() + (is_new ? 1 : 0));
  if (node.builder().has_failed()) {
    return {};
  }
  return {is_new ? stack(arrays, axis) : concatenate(arrays, axis)};
}

Values lower_sequence_map(const Node &node) {
  const Graph *body = node.graph("body");
  const std::size_t count = sequence_elements(node, 0).size();
  if (body == nullptr || node.builder().has_failed()) {
    return {};
  }
  std::vector<Values> outputs(body->outputs.size());
  for (std::size_t i = 0; i < count; ++i) {
    Values inputs;
    for (const Value &input : node.values()) {
      if (input.is_sequence() && input.elements().size() != count) {
        return node.fail("the sequences have {} and {} elements, expected the same number", count,
                         input.elements().size());
      }
      inputs.push_back(input.is_sequence() ? input.elements()[i] : input);
    }
    const Values results = node.lowering().in_place(node, *body, inputs);
    if (node.builder().has_failed()) {
      return {};
    }
    for (std::size_t k = 0; k < results.size() && k < outputs.size(); ++k) {
      outputs[k].push_back(results[k]);
    }
  }
  Values sequences;
  std::ranges::transform(outputs, std::back_inserter(sequences),
                         [](Values &elements) { return Value::sequence(std::move(elements)); });
  return sequences;
}

Values lower_optional(const Node &node) {
  return {node.value(0)};
}

Values lower_optional_has_element(const Node &node) {
  return {node.builder().scalar(ElementType::Pred, node.has_input(0) ? 1 : 0)};
}

Values lower_optional_get_element(const Node &node) {
  if (!node.has_input(0)) {
    return node.fail("the optional value is absent");
  }
  return {node.value(0)};
}

}  // namespace bp::import::onnx
