// The memory plan as a picture: one self-contained HTML file.
#pragma once

#include <boost/json.hpp>
#include <string>

namespace bp::command {

// Returns the page. `data`: {"title", "peak_tick", "ticks": [name...], "live": [[tick, bytes]...],
// "allocations": [{"name", "kind", "size"}...],
// "values": [[allocation, offset, size, begin, end, kind, name, shape, op, source, note]...]}; begin and end are
// inclusive.
std::string memory_page(const boost::json::object &data);

}  // namespace bp::command
