// The memory plan as a still picture: one SVG image.
#pragma once

#include <boost/json.hpp>
#include <string>

namespace bp::command {

// Returns the image. `data` is that of memory_page(). Shown are temporaries, outputs and copies: time goes to the
// right, one step per instruction, and memory upwards, with the allocations on top of each other.
std::string memory_picture(const boost::json::object &data);

}  // namespace bp::command
