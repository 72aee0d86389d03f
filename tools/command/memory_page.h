// The plan of memory as a picture: one HTML file that needs nothing else.
#pragma once

#include <boost/json.hpp>
#include <string>

namespace bp::command {

// `data`: {"title", "peak_tick", "ticks": [name...], "live": [[tick, bytes]...],
// "allocations": [{"name", "kind", "size"}...],
// "values": [[allocation, offset, size, begin, end, kind, name, shape, op, source, note]...]}; begin and end inclusive.
std::string memory_page(const boost::json::object &data);

}  // namespace bp::command
