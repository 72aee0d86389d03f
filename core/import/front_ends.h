// The front ends, and how the one for a file is found.
#pragma once

#include <optional>
#include <span>

#include "core/import/front_end.h"

namespace bp::import {

std::span<const FrontEnd *const> front_ends();

// Returns the front end that reads a file. InvalidInput if there is none: the error says what the file looks like, and
// by which road such a model reaches Backplane.
Result<const FrontEnd *> find_front_end(std::string_view bytes, const std::string &file);

// Splits a file into its programs, at least one.
std::vector<Source> split(const FrontEnd &front_end, std::string_view bytes, const std::string &file);

}  // namespace bp::import
