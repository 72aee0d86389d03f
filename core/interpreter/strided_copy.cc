#include "core/interpreter/strided_copy.h"

#include <cstring>

namespace bp::interpreter {
namespace {

struct Dimension {
  std::int64_t size, to_stride, from_stride;
};

// Drops dimensions of size 1 and joins adjacent dimensions that can be walked as one, so that the inner loop is long.
boost::container::small_vector<Dimension, 6> simplified(std::span<const std::int64_t> sizes, const Walk &to,
                                                        const Walk &from) {
  boost::container::small_vector<Dimension, 6> dimensions;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1) {
      continue;
    }
    Dimension next{sizes[d], to.strides[d], from.strides[d]};
    if (!dimensions.empty()) {
      Dimension &last = dimensions.back();
      if (last.to_stride == next.size * next.to_stride && last.from_stride == next.size * next.from_stride) {
        last = {last.size * next.size, next.to_stride, next.from_stride};
        continue;
      }
    }
    dimensions.push_back(next);
  }
  if (dimensions.empty()) {
    dimensions.push_back({1, 1, 1});
  }
  return dimensions;
}

template <std::size_t width>
void copy_row(std::byte *to, const std::byte *from, const Dimension &row) {
  if (row.to_stride == 1 && row.from_stride == 1) {
    std::memcpy(to, from, static_cast<std::size_t>(row.size) * width);
    return;
  }
  auto to_step = row.to_stride * static_cast<std::int64_t>(width);
  auto from_step = row.from_stride * static_cast<std::int64_t>(width);
  for (std::int64_t i = 0; i < row.size; ++i) {
    std::memcpy(to + i * to_step, from + i * from_step, width);
  }
}

template <std::size_t width>
void copy_box(const Evaluator &evaluator, std::span<const Dimension> dimensions, std::byte *to, const std::byte *from) {
  const Dimension &row = dimensions.back();
  std::span<const Dimension> outer = dimensions.first(dimensions.size() - 1);
  std::int64_t rows = 1;
  for (const Dimension &dimension : outer) {
    rows *= dimension.size;
  }
  evaluator.parallel(rows, (1 << 15) / row.size + 1, [&](std::int64_t begin, std::int64_t end) {
    Dimensions index(outer.size(), 0);
    std::int64_t to_offset = 0, from_offset = 0;
    std::int64_t rest = begin;
    for (std::size_t d = outer.size(); d-- > 0;) {
      index[d] = rest % outer[d].size;
      rest /= outer[d].size;
      to_offset += index[d] * outer[d].to_stride;
      from_offset += index[d] * outer[d].from_stride;
    }
    for (std::int64_t r = begin; r < end; ++r) {
      constexpr auto step = static_cast<std::int64_t>(width);
      copy_row<width>(to + to_offset * step, from + from_offset * step, row);
      for (std::size_t d = outer.size(); d-- > 0;) {
        to_offset += outer[d].to_stride;
        from_offset += outer[d].from_stride;
        if (++index[d] < outer[d].size) {
          break;
        }
        to_offset -= outer[d].size * outer[d].to_stride;
        from_offset -= outer[d].size * outer[d].from_stride;
        index[d] = 0;
      }
    }
  });
}

}  // namespace

Dimensions dense_strides(std::span<const std::int64_t> sizes) {
  Dimensions strides(sizes.size());
  std::int64_t stride = 1;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= std::max<std::int64_t>(sizes[d], 1);
  }
  return strides;
}

Dimensions run_time_sizes(const Literal &literal) {
  Dimensions sizes;
  for (std::size_t d = 0; d < literal.shape().rank(); ++d) {
    sizes.push_back(literal.dynamic_size(d));
  }
  return sizes;
}

void strided_copy(const Evaluator &evaluator, std::span<const std::int64_t> sizes, std::byte *to, const Walk &to_walk,
                  const std::byte *from, const Walk &from_walk, std::size_t width) {
  for (std::int64_t size : sizes) {
    if (size <= 0) {
      return;
    }
  }
  auto dimensions = simplified(sizes, to_walk, from_walk);
  to += to_walk.offset * static_cast<std::int64_t>(width);
  from += from_walk.offset * static_cast<std::int64_t>(width);
  switch (width) {
    case 1: return copy_box<1>(evaluator, dimensions, to, from);
    case 2: return copy_box<2>(evaluator, dimensions, to, from);
    case 4: return copy_box<4>(evaluator, dimensions, to, from);
    case 8: return copy_box<8>(evaluator, dimensions, to, from);
    default: return copy_box<16>(evaluator, dimensions, to, from);
  }
}

Result<Literal> gathered(const Evaluator &evaluator, const Shape &shape, const Literal &from, const Walk &from_walk) {
  BP_ASSIGN(Literal result, evaluator.allocate(shape));
  strided_copy(evaluator, shape.sizes(), result.mutable_bytes().data(), dense_walk(shape.sizes()), from.bytes().data(),
               from_walk, static_cast<std::size_t>(ir::byte_width(shape.element_type())));
  return result;
}

std::vector<std::int64_t> integers(const Literal &literal) {
  std::vector<std::int64_t> result;
  ir::visit_element_type(literal.shape().element_type(), [&]<class T>() {
    if constexpr (std::is_integral_v<WideType<T>>) {
      for (T value : literal.elements<T>()) {
        auto wide = widen<WideType<T>>(value);
        result.push_back(std::in_range<std::int64_t>(wide) ? static_cast<std::int64_t>(wide)
                                                           : std::numeric_limits<std::int64_t>::max());
      }
    }
  });
  return result;
}

Walk clamped_start(std::span<const std::int64_t> sizes, std::span<const std::int64_t> box,
                   std::span<const Literal> indices) {
  std::vector<std::int64_t> starts;
  for (const Literal &index : indices) {
    for (std::int64_t start : integers(index)) {
      starts.push_back(start);
    }
  }
  Walk walk = dense_walk(sizes);
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    std::int64_t start = std::min(std::max<std::int64_t>(starts[d], 0), sizes[d] - box[d]);
    walk.offset += start * walk.strides[d];
  }
  return walk;
}

}  // namespace bp::interpreter
