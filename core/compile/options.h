// Options of a compilation, and the observer of its intermediate results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/cancellation.h"
#include "core/base/result.h"
#include "core/buffers/plan.h"
#include "core/compile/artifact_cache.h"
#include "core/host/image.h"
#include "core/ir/module.h"
#include "core/passes/pipeline.h"

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

// Which of the instructions that a device claims it runs, if it does not run the whole program; see clusters.h.
struct ClusterOptions {
  enum class Mode {
    Off,     // all of them
    Marked,  // those that the program marks: by frontend_attributes={backplane_cluster="NAME"}, or calls of composites
             // whose name begins with backplane.cluster; also if the device claims the whole program
    Auto,    // those whose cost is lower there, with the copies and the starts of programs that this takes
  };
  Mode mode = Mode::Off;
  std::int64_t min_instructions = 1;  // smaller clusters are left to the host
  double start_nanoseconds = 10'000;  // to start one program
};

struct Options {
  Observer *observer = nullptr;
  // Fail with Unsupported if the device leaves any instruction to the host.
  bool device_only = false;
  bool fuse = true;  // whether the passes of the stage Fuse run
  // Names of passes that do not run. Unsupported for a pass that is required; NotFound if there is none of that name.
  std::vector<std::string> disabled_passes;
  ClusterOptions clusters;
  // Verify the module after each pass, the plan and the image. Costs about as much as making them.
  bool verify = false;
  // If set, called for every pass that changed a module, also in forms that are given up later.
  passes::Compare compare;
  // Whether the compiler computes values that depend only on constants.
  bool fold_constants = true;
  // Instructions that the application runs (interpreter::HostCalls) and that may be part of a program, if the device
  // calls the application from inside of one (bp.host-call/draft-1): targets of custom calls, "infeed", "outfeed". The
  // device is then busy until the application answers. Such a function may not run a program on the same device, nor
  // wait for anything that another run there gives.
  std::vector<std::string> host_functions;
  // Maximum bytes for a program, without the backend's own scratch memory; 0: the capacity that the device states for
  // its space 0, or no limit. If the plan needs more, cheap values are computed again; if that is not enough, an
  // OutOfMemory error lists what takes the memory. Never exceeds the device's capacity.
  std::int64_t memory_limit = 0;
  // Whether programs keep their artifacts, so that the executable can be saved as a package (core/package).
  bool keep_artifacts = false;
  // Whether it is an error that the device cannot load a program, for example because it was compiled for another
  // machine. Otherwise, together with keep_artifacts, only running it is, and Report::not_loaded says why.
  bool must_load = true;
  // If set, artifacts are looked up there, and newly compiled ones are stored there.
  ArtifactCache *cache = nullptr;
  // If set, compilation fails with Cancelled or DeadlineExceeded once it is over: after a pass, or when the device
  // reports its progress.
  std::shared_ptr<const Cancellation> cancellation;
  // If set, called with what the device reports of its progress with one program (bp.progress/draft-1), on any thread.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
};

}  // namespace bp::compile
