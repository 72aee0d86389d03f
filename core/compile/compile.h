// Compile: turns a module into an executable for a device.
//
//   rewrite -> simplify -> claims -> (expand -> simplify -> claims) ... -> rewrite -> partition
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

// Sees intermediate results of the compilation. Names are file names without extension: "03-tuple-simplification",
// "part2". References are valid only during the call; an error stops the compilation.
class Observer {
 public:
  virtual ~Observer() = default;
  // Called with the module as given, and after each pass that changed it.
  virtual Status module(const std::string &name, const ir::Module &module) = 0;
  // Called with the module, plan, image and artifact of a program.
  virtual Status program(const std::string &name, const ir::Module &module, const buffers::Plan &plan,
                         const host::Image &image, std::span<const std::byte> artifact) = 0;
};

struct Options {
  Observer *observer = nullptr;
  // Fail with Unsupported if the device leaves any instruction to the host.
  bool device_only = false;
  bool fuse = true;
  // Verify the module after each pass, the plan and the image. Costs about as much as making them.
  bool verify = false;
  // If set, called for every pass that changed a module, also in forms that are given up later.
  passes::Compare compare;
  // Whether the compiler computes values that depend only on constants.
  bool fold_constants = true;
  // Maximum bytes for a program, without the backend's own scratch memory; 0: the capacity that the device states for
  // its space 0, or no limit. If the plan needs more, cheap values are computed again; if that is not enough, an
  // OutOfMemory error lists what takes the memory. Never exceeds the device's capacity.
  std::int64_t memory_limit = 0;
  // If set, artifacts are looked up there, and newly compiled ones are stored there.
  const ArtifactCache *cache = nullptr;
};

// An instruction of the entry computation that runs on the host.
struct OnHost {
  std::string name;
  ir::Opcode opcode;
  std::string reason;  // from the device; may be empty
};

// A program of a device: the instructions of the partitioned module that it computes.
struct Assignment {
  std::string device;  // its id
  std::vector<std::string> instructions;
};

struct Report {
  std::size_t instructions = 0;  // after the passes, in all computations
  std::size_t programs = 0;      // number of programs on the device
  std::size_t cached = 0;        // number of these that came from the artifact cache
  std::string cache_problem;     // why an artifact could not be stored; empty: no problem
  std::vector<OnHost> on_host;
  std::vector<Assignment> assignment;  // by program, in execution order
  std::int64_t artifact_bytes = 0;
  // Seconds spent in passes, in planning (schedule, copies, plan, image), and in the backend's compile() and load().
  double passes = 0, plan = 0, compile = 0, load = 0;
};

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

using Devices = std::span<const std::shared_ptr<const host::Device>>;

// Compiles for one or several devices: each gets what those before it do not claim; values pass between devices through
// the host's memory. The module is verified first. Thread-safe.
Result<Compiled> compile(ir::Module module, Devices devices, const Options &options = {});
Result<Compiled> compile(ir::Module module, std::shared_ptr<const host::Device> device, const Options &options = {});
// Performs compile() with device_only, up to the artifact. Unsupported if the device has no bp.compiler/1.
Result<Artifact> make_artifact(ir::Module module, std::shared_ptr<const host::Device> device, Options options = {});

}  // namespace bp::compile
