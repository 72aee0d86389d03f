// The index of a package as JSON.
#pragma once

#include <boost/json.hpp>

#include "core/base/result.h"
#include "core/package/index.h"

namespace bp::package {

boost::json::object to_json(const Index &index);
// Reads an index and checks that what it names by number exists, in an order without circles, and that shapes are
// valid. InvalidInput says which member is wrong, what it is, and what was expected.
Result<Index> read_index(const boost::json::object &json);

}  // namespace bp::package
