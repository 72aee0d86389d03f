// Validate: checks the rules of the ABI at each call, on both sides, as far as they can be observed from outside. Rules
// that require knowledge of results are left to the conformance suite.
#pragma once

#include <memory>

#include "core/host/entry.h"
#include "core/layers/violations.h"

namespace bp::layers {

host::Layer validate_layer(std::shared_ptr<Violations> violations);

}  // namespace bp::layers
