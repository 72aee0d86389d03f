// The front ends of the core, in the order in which a file is tried.
#pragma once

#include <optional>
#include <span>

#include "core/import/front_end.h"

namespace bp::import {

std::span<const FrontEnd *const> front_ends();

// Returns the first front end that recognizes the content of a file; nullptr if there is none.
const FrontEnd *recognize(std::string_view bytes);

// Returns the offset of the first control character near the beginning that no text contains; nothing if there is none.
std::optional<std::size_t> find_binary_byte(std::string_view bytes);

// Splits a file into its programs, at least one.
std::vector<Source> split(const FrontEnd &front_end, std::string_view bytes, const std::string &file);

}  // namespace bp::import
