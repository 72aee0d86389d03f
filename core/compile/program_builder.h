// Builds a program of a device, from claimed instructions to the loaded program.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/shared_bytes.h"
#include "core/compile/session.h"
#include "core/host/image.h"
#include "core/runtime/program.h"

namespace bp::compile {

// A program that is compiled, but not loaded yet.
struct Built {
  std::string refusal;  // if not empty, the device refused a form it was given, and the other members are not set
  ir::Module module;
  host::Image image;
  SharedBytes artifact;                        // empty if the device has kernels only
  bool is_cached = false;                      // the artifact came from the cache
  std::optional<ArtifactCache::Key> key = {};  // its key in the cache
};

// Builds a program from a module whose entry the device has claimed: layouts, fusions, schedule, plan, and the device's
// own compilation or an artifact from the cache. `name` is passed to observers.
Result<Built> build(Session &session, ir::Module module, const std::string &name);

Result<std::shared_ptr<const runtime::Program>> load(Session &session, Built built);

// Loads a program of one custom call, which a routine of the device runs (bp.custom-call/draft-1).
Result<std::shared_ptr<const runtime::Program>> load_routine(Session &session, ir::Module module);

}  // namespace bp::compile
