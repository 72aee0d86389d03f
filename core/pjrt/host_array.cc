#include "core/pjrt/host_array.h"

#include <algorithm>
#include <cstring>

namespace bp::pjrt {

using ir::ElementType;

namespace {

constexpr std::pair<PJRT_Buffer_Type, ElementType> types[] = {
    {PJRT_Buffer_Type_PRED, ElementType::Pred},
    {PJRT_Buffer_Type_S1, ElementType::S1},
    {PJRT_Buffer_Type_S2, ElementType::S2},
    {PJRT_Buffer_Type_S4, ElementType::S4},
    {PJRT_Buffer_Type_S8, ElementType::S8},
    {PJRT_Buffer_Type_S16, ElementType::S16},
    {PJRT_Buffer_Type_S32, ElementType::S32},
    {PJRT_Buffer_Type_S64, ElementType::S64},
    {PJRT_Buffer_Type_U1, ElementType::U1},
    {PJRT_Buffer_Type_U2, ElementType::U2},
    {PJRT_Buffer_Type_U4, ElementType::U4},
    {PJRT_Buffer_Type_U8, ElementType::U8},
    {PJRT_Buffer_Type_U16, ElementType::U16},
    {PJRT_Buffer_Type_U32, ElementType::U32},
    {PJRT_Buffer_Type_U64, ElementType::U64},
    {PJRT_Buffer_Type_F4E2M1FN, ElementType::F4E2M1FN},
    {PJRT_Buffer_Type_F6E2M3FN, ElementType::F6E2M3FN},
    {PJRT_Buffer_Type_F6E3M2FN, ElementType::F6E3M2FN},
    {PJRT_Buffer_Type_F8E3M4, ElementType::F8E3M4},
    {PJRT_Buffer_Type_F8E4M3, ElementType::F8E4M3},
    {PJRT_Buffer_Type_F8E4M3FN, ElementType::F8E4M3FN},
    {PJRT_Buffer_Type_F8E4M3B11FNUZ, ElementType::F8E4M3B11FNUZ},
    {PJRT_Buffer_Type_F8E4M3FNUZ, ElementType::F8E4M3FNUZ},
    {PJRT_Buffer_Type_F8E5M2, ElementType::F8E5M2},
    {PJRT_Buffer_Type_F8E5M2FNUZ, ElementType::F8E5M2FNUZ},
    {PJRT_Buffer_Type_F8E8M0FNU, ElementType::F8E8M0FNU},
    {PJRT_Buffer_Type_BF16, ElementType::BF16},
    {PJRT_Buffer_Type_F16, ElementType::F16},
    {PJRT_Buffer_Type_F32, ElementType::F32},
    {PJRT_Buffer_Type_F64, ElementType::F64},
    {PJRT_Buffer_Type_C64, ElementType::C64},
    {PJRT_Buffer_Type_C128, ElementType::C128},
    {PJRT_Buffer_Type_TOKEN, ElementType::Token},
};

// The strides of an array whose dimensions lie in the order `minor_to_major`.
Strides strides_in_order(std::span<const std::int64_t> sizes, std::span<const std::int64_t> minor_to_major,
                         std::int64_t width) {
  Strides strides(sizes.size());
  std::int64_t stride = width;
  for (const std::int64_t dimension : minor_to_major) {
    strides[static_cast<std::size_t>(dimension)] = stride;
    stride *= std::max<std::int64_t>(sizes[static_cast<std::size_t>(dimension)], 1);
  }
  return strides;
}

}  // namespace

PJRT_Buffer_Type buffer_type(ElementType type) {
  const auto *found = std::ranges::find(types, type, &std::pair<PJRT_Buffer_Type, ElementType>::second);
  return found == std::end(types) ? PJRT_Buffer_Type_INVALID : found->first;
}

ElementType element_type(PJRT_Buffer_Type type) {
  const auto *found = std::ranges::find(types, type, &std::pair<PJRT_Buffer_Type, ElementType>::first);
  return found == std::end(types) ? ElementType::Invalid : found->second;
}

Strides dense_strides(std::span<const std::int64_t> sizes, std::int64_t width) {
  std::vector<std::int64_t> order(sizes.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = static_cast<std::int64_t>(order.size() - 1 - i);
  }
  return strides_in_order(sizes, order, width);
}

void copy_strided(std::span<const std::int64_t> sizes, const std::byte *from, const Strides &from_strides,
                  std::byte *to, const Strides &to_strides, std::size_t width) {
  const auto copy = [&](auto &self, std::size_t dimension, const std::byte *source, std::byte *target) -> void {
    if (dimension == sizes.size()) {
      std::memcpy(target, source, width);
      return;
    }
    const bool is_row = dimension + 1 == sizes.size() && from_strides[dimension] == static_cast<std::int64_t>(width) &&
                        to_strides[dimension] == static_cast<std::int64_t>(width);
    if (is_row) {
      std::memcpy(target, source, static_cast<std::size_t>(sizes[dimension]) * width);
      return;
    }
    for (std::int64_t i = 0; i < sizes[dimension]; ++i) {
      self(self, dimension + 1, source + i * from_strides[dimension], target + i * to_strides[dimension]);
    }
  };
  if (std::ranges::find(sizes, 0) == sizes.end()) {
    copy(copy, 0, from, to);
  }
}

Result<ir::Shape> shape_of(PJRT_Buffer_Type type, const std::int64_t *dims, std::size_t rank) {
  const ElementType element = element_type(type);
  if (element == ElementType::Invalid || element == ElementType::Token) {
    return unsupported("buffers of type {}", static_cast<int>(type));
  }
  if (rank > ir::max_rank) {
    return invalid_input("a buffer of {} dimensions, expected at most {}", rank, ir::max_rank);
  }
  const std::span<const std::int64_t> sizes(dims, rank);
  if (const auto bad = std::ranges::find_if(sizes, [](std::int64_t size) { return size < 0; }); bad != sizes.end()) {
    return invalid_input("a buffer with a dimension of size {}", *bad);
  }
  return ir::Shape::array(element, sizes);
}

namespace {

// Returns the order of dimensions in a layout of this rank.
Result<std::span<const std::int64_t>> order_of(const PJRT_Buffer_MemoryLayout &layout, std::size_t rank) {
  const PJRT_Buffer_MemoryLayout_Tiled &tiled = layout.tiled;
  if (tiled.num_tiles != 0) {
    return unsupported("an array in tiles");
  }
  const std::span<const std::int64_t> order(tiled.minor_to_major, tiled.minor_to_major_size);
  std::vector<bool> is_named(rank);
  for (const std::int64_t dimension : order) {
    if (dimension < 0 || static_cast<std::size_t>(dimension) >= rank || is_named[static_cast<std::size_t>(dimension)]) {
      return invalid_input("a layout that names dimension {} of {}", dimension, rank);
    }
    is_named[static_cast<std::size_t>(dimension)] = true;
  }
  if (order.size() != rank) {
    return invalid_input("a layout of {} dimensions for {}", order.size(), rank);
  }
  return order;
}

}  // namespace

Result<ir::Shape> shape_of(PJRT_Buffer_Type type, const std::int64_t *dims, std::size_t rank,
                           const PJRT_Buffer_MemoryLayout *layout) {
  BP_ASSIGN(ir::Shape shape, shape_of(type, dims, rank));
  if (layout == nullptr) {
    return shape;
  }
  if (layout->type != PJRT_Buffer_MemoryLayout_Type_Tiled) {
    return unsupported("a buffer whose layout is given by strides");
  }
  BP_ASSIGN(const std::span<const std::int64_t> order, order_of(*layout, rank));
  ir::Layout wanted;
  wanted.minor_to_major.assign(order.begin(), order.end());
  shape.set_layout(std::move(wanted));
  return shape;
}

bool is_row_major(const ir::Shape &shape) {
  return !shape.is_array() || shape.layout().is_descending();
}

Result<Strides> wanted_strides(std::span<const std::int64_t> sizes, const PJRT_Buffer_MemoryLayout *layout,
                               std::int64_t width) {
  if (layout == nullptr) {
    return dense_strides(sizes, width);
  }
  const std::size_t rank = sizes.size();
  if (layout->type == PJRT_Buffer_MemoryLayout_Type_Strides) {
    const PJRT_Buffer_MemoryLayout_Strides &strides = layout->strides;
    if (strides.num_byte_strides != rank) {
      return invalid_input("{} strides for {} dimensions", strides.num_byte_strides, rank);
    }
    return Strides(strides.byte_strides, strides.byte_strides + rank);
  }
  BP_ASSIGN(const std::span<const std::int64_t> order, order_of(*layout, rank));
  return strides_in_order(sizes, order, width);
}

}  // namespace bp::pjrt
