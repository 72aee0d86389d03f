// Compile: a module becomes an executable for a device.
//
//   rewrite -> simplify -> claims -> (expand -> simplify -> claims) ... -> rewrite -> partition
//   for each part of the device:
//     layouts -> rewrite -> fuse -> rewrite -> schedule -> copies -> plan -> claims -> compile -> load
//
// What the device does not claim is rewritten by ops that it may claim, if there is a pass for that. The rest runs on
// the host's interpreter, and the report says so and why. A fused form that it does not claim is dropped for the one
// before.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/buffers/plan.h"
#include "core/compile/artifact_cache.h"
#include "core/host/image.h"
#include "core/host/plugin.h"
#include "core/ir/module.h"
#include "core/passes/pipeline.h"
#include "core/runtime/executable.h"

namespace bp::compile {

// Sees what is made on the way. Names are file names without extension: "03-tuple-simplification", "part2". Everything
// is borrowed for the call; an error stops the compilation.
class Observer {
 public:
  virtual ~Observer() = default;
  // The module as given, and after each pass that changed it.
  virtual Status module(const std::string &name, const ir::Module &module) = 0;
  // What a program is made of.
  virtual Status program(const std::string &name, const ir::Module &module, const buffers::Plan &plan,
                         const host::Image &image, std::span<const std::byte> artifact) = 0;
};

struct Options {
  Observer *observer = nullptr;
  // Fail with Unsupported if the device leaves anything to the host.
  bool device_only = false;
  bool fuse = true;
  // Check the work of passes and planner, and what a device says twice. Costs about as much as they do.
  bool verify = false;
  // If set, sees every pass that changed a module, also in forms that are given up later.
  passes::Compare compare;
  // Whether the compiler computes what depends on constants alone.
  bool fold_constants = true;
  // Bytes that a program may take beside what its backend asks for; 0: as many as the device says it has in its space 0,
  // or any number. If the plan needs more, cheap values are computed again; if that is not enough, OutOfMemory says what
  // is in the way. It is never more than the device has.
  std::int64_t memory_limit = 0;
  // If set, what the device compiled before is looked for there, and what it compiles is kept.
  const ArtifactCache *cache = nullptr;
};

// An instruction of the entry computation that runs on the host.
struct OnHost {
  std::string name;
  ir::Opcode opcode;
  std::string reason;  // the device's; may be empty
};

// A program of a device: the instructions of the divided module that it computes.
struct Assignment {
  std::string device;  // its id
  std::vector<std::string> instructions;
};

struct Report {
  std::size_t instructions = 0;  // after the passes, of all computations
  std::size_t programs = 0;      // on the device
  std::size_t cached = 0;        // of these, from the artifact cache
  std::string cache_problem;     // why something could not be kept there; empty: nothing
  std::vector<OnHost> on_host;
  std::vector<Assignment> assignment;  // by program, in the order of the run
  std::int64_t artifact_bytes = 0;
  // Seconds spent in passes, in planning (schedule, copies, plan, image), in the backend's compile() and load().
  double passes = 0, plan = 0, compile = 0, load = 0;
};

struct Compiled {
  runtime::Executable executable;
  Report report;
};

// What a device makes of a whole module, for another machine or another time: written, not loaded.
struct Artifact {
  std::vector<std::byte> bytes;
  Report report;
};

// What would run where: compile() up to the division, without a plan and without the backend's own compilation, so that
// `programs`, sizes and the later times stay 0. `divided`, if not null, gets the module that was divided.
Result<Report> survey(ir::Module module, std::shared_ptr<const host::Device> device, ir::Module *divided = nullptr);

using Devices = std::span<const std::shared_ptr<const host::Device>>;

// For several devices: each gets what those before it do not claim; values cross from one to the next by way of the
// host's memory. At least one. The module is verified first. Thread-safe.
Result<Compiled> compile(ir::Module module, Devices devices, const Options &options = {});
Result<Compiled> compile(ir::Module module, std::shared_ptr<const host::Device> device, const Options &options = {});
// As compile() with device_only, up to the artifact. Unsupported if the device has no bp.compiler/1.
Result<Artifact> make_artifact(ir::Module module, std::shared_ptr<const host::Device> device, Options options = {});

}  // namespace bp::compile
