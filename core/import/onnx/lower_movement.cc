// Operators that move, repeat or select elements without computing.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/import/onnx/lower.h"
#include "core/ir/run_time_sizes.h"

namespace bp::import::onnx {

Array with_sizes(Array x, const SizeIntegers &sizes) {
  for (std::size_t i = 0; i < sizes.bounds.size() && x.is_valid(); ++i) {
    if (!sizes.is_known[i]) {
      x = with_run_time_size(x, static_cast<std::int64_t>(i), maximum(sizes.value(i), 0));
    }
  }
  return x;
}

Integers listed_numbers(const Node &node, std::int64_t first_with_input, std::string_view attribute,
                        std::size_t input) {
  return node.version() < first_with_input ? node.integers(attribute) : node.known_integers(input);
}

namespace {

// Returns the product of two sizes; an error if there is none in 64 bits.
std::int64_t movement_product(const Node &node, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) {
    node.fail("a size of {} times {} elements is too large", a, b);
    return 0;
  }
  return result;
}

// --- Sizes ---

// Returns the sizes that the operand of Reshape gets: 0 keeps the size, -1 is the quotient of the others. `bounded`
// receives the dimensions whose size follows from sizes of the operand that only a run tells.
Integers reshape_sizes(const Node &node, const Array &x, Integers sizes, Integers &bounded) {
  const bool zero_is_size = node.flag("allowzero");  // since version 14
  std::int64_t known = 1;
  std::optional<std::size_t> open;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1 && !open) {
      open = i;
      continue;
    }
    if (sizes[i] < 0) {
      node.fail("size {} is {}, expected at least 0, or -1 once", i, sizes[i]);
      return {};
    }
    if (sizes[i] == 0 && !zero_is_size) {
      if (i >= x.rank()) {
        node.fail("size {} is that of the operand, {}, which has no such dimension", i, ir::to_string(x.shape()));
        return {};
      }
      sizes[i] = x.shape().size(i);
      if (x.shape().is_dynamic(i)) {
        bounded.push_back(static_cast<std::int64_t>(i));
      }
    }
    known = movement_product(node, known, sizes[i]);
  }
  if (open) {
    if (known == 0 || x.count() % known != 0) {
      node.fail("{} elements in {} do not follow from the other sizes, which have {}", x.count(),
                ir::to_string(x.shape()), known);
      return {};
    }
    sizes[*open] = x.count() / known;
    bounded.push_back(static_cast<std::int64_t>(*open));
  }
  return sizes;
}

// Repeats along each dimension: a new dimension before it, which is joined with it.
Array repeat_dimensions(const Node &node, const Array &x, const Integers &repeats) {
  Integers repeated, kept, sizes;
  for (std::size_t i = 0; i < x.rank(); ++i) {
    if (repeats[i] < 0) {
      node.fail("dimension {} is repeated {} times, expected at least 0", i, repeats[i]);
      return x;
    }
    const std::int64_t size = x.shape().size(i);
    if (repeats[i] != 1) {
      repeated.push_back(repeats[i]);
    }
    if (repeats[i] == 1 || size != 1) {
      kept.push_back(static_cast<std::int64_t>(repeated.size()));
      repeated.push_back(size);
    }
    sizes.push_back(movement_product(node, repeats[i], size));
  }
  Integers own;
  for (const std::int64_t dimension : kept) {
    own.push_back(repeated[static_cast<std::size_t>(dimension)]);
  }
  return reshape(broadcast_in(reshape(x, own), repeated, kept), sizes);
}

// Repeats an array whose sizes a run tells: each such dimension by itself, and each other one.
Array tile_bounded(const Node &node, Array x, const SizeIntegers &repeats) {
  GraphBuilder &builder = node.builder();
  for (std::size_t i = 0; i < repeats.bounds.size() && !builder.has_failed(); ++i) {
    const auto dimension = static_cast<std::int64_t>(i);
    const std::int64_t size = x.size(dimension);
    if (repeats.is_known[i] && repeats.bounds[i] < 0) {
      node.fail("dimension {} is repeated {} times, expected at least 0", i, repeats.bounds[i]);
      return x;
    }
    const std::int64_t count = std::max<std::int64_t>(repeats.bounds[i], 0);
    if (count == 1 && repeats.is_known[i]) {
      continue;
    }
    const std::int64_t total = movement_product(node, count, size);
    if (total > std::numeric_limits<std::int32_t>::max()) {
      node.unsupported(fmt::format("dimension {} gets up to {} elements, expected at most {}", i, total,
                                   std::numeric_limits<std::int32_t>::max()));
      return x;
    }
    const Array times = repeats.is_known[i] ? builder.scalar(ElementType::S64, static_cast<double>(count))
                                            : maximum(repeats.value(i), 0);
    if (x.is_bounded(dimension)) {
      x = tiled(x, dimension, count, times);
    } else if (size > 0) {
      const Integers sizes = {total};
      const Array places = remainder(builder.iota(ElementType::S32, sizes, 0),
                                     builder.scalar(ElementType::S32, static_cast<double>(size)));
      x = take(x, places, dimension);
      x = repeats.is_known[i] ? x : with_run_time_size(x, dimension, times * static_cast<double>(size));
    }
  }
  return x;
}

// Whether the size that a run tells is that of the one of these dimensions that HLO's reshape gives it to: it counts
// the elements of the dimensions that replace it and its neighbours.
bool is_given_to(const Array &x, const Integers &sizes, const Integers &bounded) {
  const Shape to = Shape::array(x.type(), sizes);
  for (const ir::size_formulas::ReshapeGroup &group : ir::size_formulas::common_groups(x.shape(), to)) {
    bool has_open = false;
    for (std::size_t i = group.from_begin; i < group.from_end; ++i) {
      has_open = has_open || x.shape().is_dynamic(i);
    }
    const auto named = std::ranges::count_if(bounded, [&](std::int64_t i) {
      return i >= static_cast<std::int64_t>(group.to_begin) && i < static_cast<std::int64_t>(group.to_end);
    });
    if (has_open && named != 1) {
      return false;
    }
  }
  return true;
}

// Returns the product of the sizes of dimensions in the run, s32[].
Array size_in_run(const Array &x, std::size_t begin, std::size_t end) {
  Array product = x.builder().scalar(ElementType::S32, 1);
  for (std::size_t i = begin; i < end; ++i) {
    product = product * run_time_size(x, static_cast<std::int64_t>(i));
  }
  return product;
}

// Reshapes an array of several sizes that a run tells, or of one that can be lost among dimensions of size 1: the sizes
// are computed as the operator says. `wanted`: its sizes, before 0 and -1 are replaced.
Array reshape_open(const Node &node, const Array &x, const SizeIntegers &wanted, const Integers &bounds) {
  const bool zero_is_size = node.flag("allowzero");
  Arrays sizes;
  std::optional<std::size_t> rest;
  Array others = node.builder().scalar(ElementType::S32, 1);
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const bool is_known = wanted.is_known[i];
    if (is_known && wanted.bounds[i] == -1) {
      rest = i;
      sizes.push_back(others);
      continue;
    }
    sizes.push_back(is_known && wanted.bounds[i] == 0 && !zero_is_size ? run_time_size(x, static_cast<std::int64_t>(i))
                    : is_known ? node.builder().scalar(ElementType::S32, static_cast<double>(bounds[i]))
                               : convert(maximum(wanted.value(i), 0), ElementType::S32));
    others = others * sizes.back();
  }
  if (rest) {
    sizes[*rest] = size_in_run(x, 0, x.rank()) / maximum(others, 1);
  }
  return reshape_in_run(x, bounds, sizes);
}

// --- Blocks of pixels ---

// Whether the operand and the mode of DepthToSpace or SpaceToDepth fit.
bool check_blocks(const Node &node, const Array &x, std::int64_t block, std::string_view mode) {
  if (mode != "DCR" && mode != "CRD") {
    node.fail("mode is \"{}\", expected DCR or CRD", mode);
    return false;
  }
  if (x.rank() != 4) {
    node.fail("the operand is {}, expected batch, channels, height and width", ir::to_string(x.shape()));
    return false;
  }
  if (block < 1) {
    node.fail("blocksize is {}, expected at least 1", block);
    return false;
  }
  return true;
}

}  // namespace

// --- Sizes ---

// Since version 5, the sizes are an input.
Values lower_reshape(const Node &node) {
  const Array x = node.input(0);
  SizeIntegers wanted;
  if (x.is_bounded() && node.version() >= 5) {
    wanted = node.size_integers(1);
  } else {
    wanted.bounds = listed_numbers(node, 5, "shape", 1);
    wanted.is_known.assign(wanted.bounds.size(), true);
  }
  Integers bounded;
  for (std::size_t i = 0; i < wanted.bounds.size(); ++i) {
    if (!wanted.is_known[i]) {
      bounded.push_back(static_cast<std::int64_t>(i));
    }
  }
  const Integers sizes = reshape_sizes(node, x, wanted.bounds, bounded);
  if (x.is_bounded() && !bounded.empty() && !node.builder().has_failed() &&
      !(has_one_open_size(x) && is_given_to(x, sizes, bounded))) {
    return {reshape_open(node, x, wanted, sizes)};
  }
  return {reshape(x, sizes, bounded)};
}

Values lower_flatten(const Node &node) {
  const Array x = node.input(0);
  const auto rank = static_cast<std::int64_t>(x.rank());
  std::int64_t axis = node.integer("axis", 1);
  if (axis < -rank || axis > rank) {
    return node.fail("axis is {}, expected {} to {}", axis, -rank, rank);
  }
  axis = axis < 0 ? axis + rank : axis;
  const Integers sizes = x.sizes();
  const auto first = static_cast<std::size_t>(axis);
  const Integers joined = {ir::product(Span(sizes).first(first)), ir::product(Span(sizes).subspan(first))};
  if (!has_one_open_size(x)) {
    return {reshape_in_run(x, joined, {size_in_run(x, 0, first), size_in_run(x, first, x.rank())})};
  }
  return {reshape(x, joined)};
}

// Since version 13, the axes are an input.
Values lower_squeeze(const Node &node) {
  const Array x = node.input(0);
  Integers axes;
  if (node.version() < 13 ? node.has("axes") : node.has_input(1)) {
    axes = node.dimensions(listed_numbers(node, 13, "axes", 1), x.rank());
  } else {
    for (std::size_t i = 0; i < x.rank(); ++i) {
      if (x.shape().size(i) == 1) {
        axes.push_back(static_cast<std::int64_t>(i));
      }
    }
  }
  for (const std::int64_t axis : axes) {
    if (x.size(axis) != 1) {
      return node.fail("dimension {} of {} is removed, expected that its size is 1", axis, ir::to_string(x.shape()));
    }
  }
  return {squeeze(x, axes)};
}

Values lower_unsqueeze(const Node &node) {
  const Array x = node.input(0);
  const Integers numbers = listed_numbers(node, 13, "axes", 1);
  Array result = x;
  for (const std::int64_t axis : node.dimensions(numbers, x.rank() + numbers.size())) {
    result = expand_dimension(result, axis);
  }
  return {result};
}

Values lower_expand(const Node &node) {
  Array x = node.input(0);
  SizeIntegers wanted = node.size_integers(1);
  const std::size_t rank = std::max(wanted.bounds.size(), x.rank());
  for (std::size_t i = 0; i < wanted.bounds.size(); ++i) {
    // A size that only a run tells repeats what has size 1, and otherwise is that of the operand.
    const std::size_t place = rank - wanted.bounds.size() + i;
    const auto own = static_cast<std::int64_t>(place) - static_cast<std::int64_t>(rank - x.rank());
    bool is_kept = own >= 0 && (x.size(own) != 1 || x.is_bounded(own));
    if (is_kept && x.is_bounded(own) && !(wanted.is_known[i] && wanted.bounds[i] == 1)) {
      const Array size = wanted.is_known[i]
                             ? node.builder().scalar(ElementType::S64, static_cast<double>(wanted.bounds[i]))
                             : maximum(wanted.value(i), 0);
      x = repeated_to(x, own, wanted.bounds[i], size);
      wanted.is_known[i] = false;
    }
    if (!wanted.is_known[i] && is_kept) {
      wanted.bounds[i] = 1;
      wanted.is_known[i] = true;
    }
  }
  const auto sizes = broadcast_sizes(x.shape().sizes(), wanted.bounds);
  if (!sizes) {
    return node.fail("{} cannot be repeated to [{}]", ir::to_string(x.shape()), fmt::join(wanted.bounds, ","));
  }
  Array result = broadcast_to(x, *sizes);
  for (std::size_t i = 0; i < wanted.bounds.size(); ++i) {
    if (!wanted.is_known[i]) {
      const auto dimension = static_cast<std::int64_t>(rank - wanted.bounds.size() + i);
      result = with_run_time_size(result, dimension, maximum(wanted.value(i), 0));
    }
  }
  return {result};
}

// In versions 1 to 5, one axis is repeated.
Values lower_tile(const Node &node) {
  const Array x = node.input(0);
  SizeIntegers repeats{Integers(x.rank(), 1), std::vector<bool>(x.rank(), true), {}};
  if (node.version() < 6) {
    const std::int64_t tiles = node.known_integer(1), axis = node.dimension(node.known_integer(2), x.rank());
    if (node.builder().has_failed()) {
      return {};
    }
    repeats.bounds[static_cast<std::size_t>(axis)] = tiles;
  } else {
    repeats = node.size_integers(1);
  }
  if (repeats.bounds.size() != x.rank()) {
    return node.fail("{} numbers of repeats for {}, expected one per dimension", repeats.bounds.size(),
                     ir::to_string(x.shape()));
  }
  const bool is_same = std::ranges::count(repeats.bounds, 1) == std::ssize(repeats.bounds) && repeats.are_known();
  if (x.is_bounded() && !is_same) {
    return {tile_bounded(node, x, repeats)};
  }
  Array result = is_same ? x : repeat_dimensions(node, x, repeats.bounds);
  for (std::size_t i = 0; i < repeats.bounds.size(); ++i) {
    if (!repeats.is_known[i]) {  // the first ones of all repeats
      const auto dimension = static_cast<std::int64_t>(i);
      const Array size = convert(run_time_size(x, dimension), ElementType::S64) * maximum(repeats.value(i), 0);
      result = with_run_time_size(result, dimension, size);
    }
  }
  return {result};
}

// --- Order of dimensions ---

Values lower_transpose(const Node &node) {
  const Array x = node.input(0);
  Integers reversed(x.rank());
  for (std::size_t i = 0; i < reversed.size(); ++i) {
    reversed[i] = static_cast<std::int64_t>(reversed.size() - 1 - i);
  }
  return {transpose(x, node.integers("perm", reversed))};
}

Values lower_depth_to_space(const Node &node) {
  const Array x = node.input(0);
  const std::int64_t block = node.integer("blocksize");
  const std::string_view mode = node.text("mode", "DCR");  // since version 11
  if (!check_blocks(node, x, block, mode)) {
    return {};
  }
  const std::int64_t n = x.size(0), h = x.size(2), w = x.size(3), depth = x.size(1) / block / block;
  if (x.size(1) % block != 0 || x.size(1) / block % block != 0) {
    return node.fail("{} channels do not fill blocks of {} times {} pixels", x.size(1), block, block);
  }
  const Array moved = mode == "DCR" ? transpose(reshape(x, {n, block, block, depth, h, w}), {0, 3, 4, 1, 5, 2})
                                    : transpose(reshape(x, {n, depth, block, block, h, w}), {0, 1, 4, 2, 5, 3});
  return {reshape(moved, {n, depth, movement_product(node, h, block), movement_product(node, w, block)})};
}

Values lower_space_to_depth(const Node &node) {
  const Array x = node.input(0);
  const std::int64_t block = node.integer("blocksize");
  const std::string_view mode = node.text("mode", "DCR");  // since version 28
  if (!check_blocks(node, x, block, mode)) {
    return {};
  }
  const std::int64_t n = x.size(0), c = x.size(1), h = x.size(2) / block, w = x.size(3) / block;
  if (x.size(2) % block != 0 || x.size(3) % block != 0) {
    return node.fail("{} are no blocks of {} times {} pixels", ir::to_string(x.shape()), block, block);
  }
  const Integers order = mode == "DCR" ? Integers{0, 3, 5, 1, 2, 4} : Integers{0, 1, 3, 5, 2, 4};
  const Array moved = transpose(reshape(x, {n, c, h, block, w, block}), order);
  return {reshape(moved, {n, movement_product(node, movement_product(node, c, block), block), h, w})};
}

// --- Parts ---

// In versions 1 to 3, the axis has a default.
Values lower_concat(const Node &node) {
  const std::int64_t axis = node.version() < 4 ? node.integer("axis", 1) : node.integer("axis");
  const std::int64_t dimension = node.dimension(axis, node.input(0).rank());
  return {concatenate(node.inputs(), dimension)};
}

// --- Places ---

// The first elements of each sequence, as many as it has, are taken from the last to the first one. The sequences of a
// batch lie in the first two dimensions, which become one.
Values lower_reverse_sequence(const Node &node) {
  const Array x = node.input(0), lengths = node.input(1);
  const std::int64_t batch = node.integer("batch_axis", 1), time = node.integer("time_axis", 0);
  if (x.rank() < 2 || batch < 0 || batch > 1 || time != 1 - batch) {
    return node.fail("batch_axis is {} and time_axis {} of {}, expected 0 and 1 or 1 and 0", batch, time,
                     ir::to_string(x.shape()));
  }
  if (lengths.rank() != 1 || lengths.size(0) != x.size(batch)) {
    return node.fail("the lengths are {}, expected {}", ir::to_string(lengths.shape()), x.size(batch));
  }
  const Array joined = flatten(x, 0, 2);
  const bool is_long = joined.size(0) > std::numeric_limits<std::int32_t>::max();
  const ElementType type = is_long ? ElementType::S64 : ElementType::S32;
  const Integers sizes = {x.size(0), x.size(1)};
  const Array length = broadcast_in(convert(lengths, type), sizes, Integers{batch});
  const Array step = node.builder().iota(type, sizes, time), row = node.builder().iota(type, sizes, batch);
  const Array from = select(step < length, length - 1 - step, step);
  const Array width = reshape(node.builder().integers(Integers{x.size(1)}, type), {});
  return {take(joined, time == 0 ? from * width + row : row * width + from, 0)};
}

namespace {

// Returns, for each element of a matrix, how far it is to the right of the main diagonal.
Array diagonal_numbers(GraphBuilder &builder, std::int64_t rows, std::int64_t columns) {
  const bool is_long = std::max(rows, columns) > std::numeric_limits<std::int32_t>::max();
  const ElementType type = is_long ? ElementType::S64 : ElementType::S32;
  return builder.iota(type, Integers{rows, columns}, 1) - builder.iota(type, Integers{rows, columns}, 0);
}

// Converts the number of a diagonal, s64, which may be far outside of the matrix.
Array diagonal_number(const Array &number, ElementType type) {
  const Array wide = convert(reshape(number, {}), ElementType::S64);
  return type == ElementType::S64 ? wide : convert(minimum(maximum(wide, -0x1p31), 0x1p31 - 1), type);
}

}  // namespace

Values lower_trilu(const Node &node) {
  const Array x = node.input(0);
  if (x.rank() < 2) {
    return node.fail("the operand is {}, expected matrices", ir::to_string(x.shape()));
  }
  const Array diagonal = diagonal_numbers(node.builder(), x.size(-2), x.size(-1));
  const Array first = node.has_input(1) ? diagonal_number(node.input(1), diagonal.type()) : number(0, diagonal);
  return {select(node.flag("upper", true) ? diagonal >= first : diagonal <= first, x, 0)};
}

Values lower_eye_like(const Node &node) {
  const Array x = node.input(0);
  if (x.rank() != 2) {
    return node.fail("the operand is {}, expected a matrix", ir::to_string(x.shape()));
  }
  const Array diagonal = diagonal_numbers(node.builder(), x.size(0), x.size(1));
  const Array wanted = diagonal_number(node.builder().integers({node.integer("k", 0)}), diagonal.type());
  return {convert(diagonal == wanted, node.element_type("dtype", x.type()))};
}

}  // namespace bp::import::onnx
