// Checks descriptions of devices and returns them as canonical text: shardings ({replicated}, {devices=[2,2]<=[4]}, the
// mesh form {mesh['a'=2], [{'a'}]}, tuples of these) and device groups ({{0,1},{2,3}}, [2,2]<=[4], mesh['a'=2] {'a'}).
#pragma once

#include "core/text/token_reader.h"

namespace bp::text {

Result<std::string> read_sharding(TokenReader &reader);
Result<std::string> read_device_groups(TokenReader &reader);

}  // namespace bp::text
