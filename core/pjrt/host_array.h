// Arrays in the memory of a framework: their types, shapes, strides and layouts.
#pragma once

#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/ir/literal.h"
#include "core/pjrt/pjrt_c_api.h"

namespace bp::pjrt {

// The types of PJRT and of Backplane; INVALID and Invalid if there is none.
PJRT_Buffer_Type buffer_type(ir::ElementType type);
ir::ElementType element_type(PJRT_Buffer_Type type);

// Returns the shape that a framework describes. Fails if buffers cannot have it.
Result<ir::Shape> shape_of(PJRT_Buffer_Type type, const std::int64_t *dims, std::size_t rank);
// The same with the order of dimensions that the layout says, if it is not null. Layouts are what callers see of a
// buffer; its array is row-major always.
Result<ir::Shape> shape_of(PJRT_Buffer_Type type, const std::int64_t *dims, std::size_t rank,
                           const PJRT_Buffer_MemoryLayout *layout);

// Whether the array has the row-major order of dimensions; true for shapes that are not arrays.
bool is_row_major(const ir::Shape &shape);

using Strides = std::vector<std::int64_t>;  // bytes, by dimension

// Return the strides of a row-major array, and those that a caller asks for, which may be null. `width`: bytes of an
// element.
Strides dense_strides(std::span<const std::int64_t> sizes, std::int64_t width);
Result<Strides> wanted_strides(std::span<const std::int64_t> sizes, const PJRT_Buffer_MemoryLayout *layout,
                               std::int64_t width);
// Copies an array between memories with different strides.
void copy_strided(std::span<const std::int64_t> sizes, const std::byte *from, const Strides &from_strides,
                  std::byte *to, const Strides &to_strides, std::size_t width);

}  // namespace bp::pjrt
