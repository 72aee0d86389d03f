// Small functions that the files of arithmetic on arrays share.
#pragma once

#include <type_traits>

#include "core/import/array/array.h"

namespace bp::import::array {

// Returns the builder of the first array that is present; nullptr if there is none.
GraphBuilder *builder_of(std::initializer_list<Array> arrays);

// Returns `count` numbers from `first` on.
Integers dimensions_from(std::int64_t first, std::size_t count);

// Returns whether there can be an array of these sizes; otherwise keeps an error.
bool check_sizes(GraphBuilder &builder, Span sizes);

// Returns "[2,3]".
std::string to_string(Span sizes);

// Whether the C++ type of an element is an integer, also one of less than 8 bits, or a complex number.
template <class E>
constexpr bool is_integer_element = std::is_integral_v<E> || requires(E element) { E::is_signed; };
template <class E>
constexpr bool is_complex_element = requires(E element) { element.imag(); };

}  // namespace bp::import::array
