// Compile: turns a module into an executable for a device.
//
//   rewrite -> simplify -> claims -> (expand -> simplify -> claims) ... -> rewrite -> clusters
//   for each part of the device:
//     layouts -> rewrite -> fuse -> rewrite -> schedule -> copies -> plan -> claims -> compile -> load
//
// Instructions that the device does not claim are rewritten to ops that it may claim, if there is a pass for that. The
// rest runs on the host's interpreter, and the report says so and why. If the device does not claim a fused form, the
// form before it is used.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/compile/options.h"
#include "core/compile/report.h"
#include "core/host/plugin.h"
#include "core/ir/module.h"
#include "core/runtime/executable.h"

namespace bp::compile {

struct Compiled {
  runtime::Executable executable;
  Report report;
};

// A whole module compiled by a device for another machine or for later: to be written to a file, not loaded.
struct Artifact {
  std::vector<std::byte> bytes;
  Report report;
};

// Determines what would run where: performs compile() up to the partition, without a plan and without the backend's own
// compilation, so that `programs`, sizes and the later times stay 0. `divided`, if not nullptr, gets the module that
// was partitioned.
Result<Report> survey(ir::Module module, std::shared_ptr<const host::Device> device, ir::Module *divided = nullptr);

// Returns what the application has to run of a module that the device runs otherwise, as Options::host_functions names
// it: infeed, outfeed, and the targets of custom calls. Without duplicates, in the order of the module.
Result<std::vector<std::string>> find_host_functions(ir::Module module, std::shared_ptr<const host::Device> device);

// Performs compile() up to the clusters, and replaces the module by the one that is divided: each cluster is a call
// with the device, the cost and the reason in its `backend_config`. If the device runs all of it, there is no such
// call.
Result<Report> show_clusters(ir::Module &module, std::shared_ptr<const host::Device> device,
                             const Options &options = {});

using Devices = std::span<const std::shared_ptr<const host::Device>>;

// Compiles for one or several devices: each gets what those before it do not claim; values pass between devices in
// memory that both can use, or through the host's memory. The module is verified first. Thread-safe.
Result<Compiled> compile(ir::Module module, Devices devices, const Options &options = {});
Result<Compiled> compile(ir::Module module, std::shared_ptr<const host::Device> device, const Options &options = {});
// Performs compile() with device_only, up to the artifact. Unsupported if the device has no bp.compiler/1.
Result<Artifact> make_artifact(ir::Module module, std::shared_ptr<const host::Device> device, Options options = {});

}  // namespace bp::compile
