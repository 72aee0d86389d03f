// Arrays in NumPy's format .npy, versions 1 to 3:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/ir/literal.h"

namespace bp::arrays {

bool is_npy(std::string_view bytes);

// Reads an array; of the other byte order and of Fortran's order of elements, too. `expected`: the type of elements
// that NumPy does not know, such as bf16, which it keeps as bytes of the same width; Invalid: unknown. `file`: for
// messages.
Result<ir::Literal> read_npy(std::string_view bytes, ir::ElementType expected, const std::string &file);

// Returns the shape without reading the elements; of those that NumPy does not know, the type is Invalid.
struct NpyHeader {
  ir::ElementType type = ir::ElementType::Invalid;
  std::vector<std::int64_t> sizes;
  std::size_t width = 0;  // bytes of an element
  bool is_swapped = false, is_fortran = false;
  std::size_t begin = 0;  // of the elements, in bytes
};
Result<NpyHeader> read_npy_header(std::string_view bytes, const std::string &file);

// Types that NumPy does not know are written as bytes ("V2" for bf16), as the package ml_dtypes does.
std::string write_npy(const ir::Literal &array);

}  // namespace bp::arrays
