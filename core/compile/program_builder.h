// A program of a device: from what it claimed to what it loaded.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/compile/session.h"
#include "core/host/image.h"
#include "core/runtime/program.h"

namespace bp::compile {

// Compiled, not loaded yet.
struct Built {
  std::string refusal;  // not empty: the device refused a form it was given, and there is nothing else
  ir::Module module;
  host::Image image;
  std::vector<std::byte> artifact;             // empty if the device has kernels only
  bool is_cached = false;                      // the artifact was made before
  std::optional<ArtifactCache::Key> key = {};  // where it is kept
};

// A program from a module whose entry the device has claimed: layouts, fusions, schedule, plan, and the device's own
// compilation, or what is in the cache. `name` is what observers are told.
Result<Built> build(Session &session, ir::Module module, const std::string &name);

Result<std::shared_ptr<const runtime::Program>> load(Session &session, Built built);

// A program of one custom call, which a routine of the device runs (bp.custom-call/1).
Result<std::shared_ptr<const runtime::Program>> load_routine(Session &session, ir::Module module);

}  // namespace bp::compile
