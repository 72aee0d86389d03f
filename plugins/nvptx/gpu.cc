// A GPU as a machine, used through the driver. Each thread of the host has a stream of its own, in which its commands
// take effect in order.
#include <algorithm>
#include <atomic>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "plugin_api/cpp/call.h"
#include "plugins/gpu/dependences.h"
#include "plugins/gpu/machine.h"
#include "plugins/nvptx/gpu_code.h"
#include "plugins/nvptx/gpu_context.h"
#include "plugins/nvptx/gpu_graph.h"
#include "plugins/nvptx/gpu_launch.h"
#include "plugins/nvptx/gpu_memory.h"
#include "plugins/nvptx/target.h"

namespace bp::nvptx {
namespace {

using plugin::after_writing;
using plugin::Error;
using plugin::Result;
using plugin::Status;

constexpr std::uint32_t smallest_graph = 4;  // commands; fewer are faster one by one

// Long segments become graphs when they are started for the second time: for a program that runs once the graphs would
// be made in vain.
class GpuKernels final : public gpu::LoadedKernels {
 public:
  GpuKernels(gpu::Machine &machine, const GpuContext &gpu, const gpu::LaunchPlan &plan)
      : machine_(machine), gpu_(gpu), plan_(plan), code_(gpu) {}
  Status load(std::span<const gpu::CodePart> parts, const CodeLoading &how, bool wants_graphs);
  Status start(std::uint32_t segment, std::span<const std::uint64_t> bases) const override;
  std::uint64_t resident_bytes() const override { return code_.bytes(); }

 private:
  struct LoadedSegment {
    gpu::Segment segment;
    std::unique_ptr<SegmentGraphs> graphs;  // null: started command by command
    std::atomic<bool> was_started = false;
  };
  Status allow_shared_memory() const;
  Status start(const gpu::Command &command, std::span<const std::uint64_t> bases) const;

  gpu::Machine &machine_;
  const GpuContext &gpu_;
  const gpu::LaunchPlan &plan_;
  GpuCode code_;
  mutable std::deque<LoadedSegment> segments_;
};

class Gpu final : public gpu::Machine {
 public:
  Gpu(const GpuFacts &facts, const GpuUse &use, cuda::Context context)
      : gpu_(facts.driver, context),
        device_(facts.device),
        has_graphs_(use.has_graphs && facts.driver->has_graphs),
        pieces_(facts),
        staging_(*facts.driver),
        code_loading_{CubinCache(use.cache_folder), facts.capability, use.services} {}
  ~Gpu() override {
    gpu_.give_back([&] { return staging_.close(); });
    gpu_.give_back([&] { return pieces_.close(); });
    driver().cuDevicePrimaryCtxRelease_v2(device_);
  }
  // Opens the GPU, once, first.
  Status open() {
    Status status = gpu_.call("making a pool of memory", [&] { return pieces_.open(); });
    if (!status.ok() && status.error().status() != BP_DEVICE_LOST) {
      code_loading_.services.log(
          BP_LOG_WARNING, std::string(message_prefix) + status.error().message() + "; memory is slower to come by");
      return {};
    }
    return status;
  }

  Result<std::uint64_t> allocate(std::uint64_t size, std::uint32_t alignment) override {
    if (alignment > 256) {  // the alignment of the driver's memory
      return Error(BP_INVALID, "memory is aligned to 256 bytes, expected an alignment of " + std::to_string(alignment));
    }
    std::uint64_t address = 0;
    BP_TRY(gpu_.call("allocating " + std::to_string(size) + " bytes", [&] { return pieces_.take(size, address); }));
    return address;
  }
  void release(std::uint64_t address) override {
    gpu_.give_back([&] { return pieces_.give_back(address); });
  }
  Status copy_in(std::uint64_t to, const void *from, std::uint64_t size) override {
    return gpu_.call("copying to the GPU", [&] { return staging_.copy_in(to, from, size); });
  }
  Status copy_out(void *to, std::uint64_t from, std::uint64_t size) override {
    return gpu_.call("copying from the GPU", [&] { return staging_.copy_out(to, from, size); });
  }
  Status move(std::uint64_t to, std::uint64_t from, std::uint64_t size) override {
    return gpu_.call("copying on the GPU",
                     [&] { return driver().cuMemcpyDtoDAsync_v2(to, from, size, cuda::stream_of_thread); });
  }
  Status finish() override {
    return gpu_.call("running", [&] { return driver().cuStreamSynchronize(cuda::stream_of_thread); });
  }
  Result<std::shared_ptr<const plugin::Mark>> mark() override;
  Status check() const override { return gpu_.check(); }
  Result<std::unique_ptr<gpu::LoadedKernels>> load(const gpu::LaunchPlan &plan,
                                                   std::span<const gpu::CodePart> parts) override;

 private:
  const Driver &driver() const { return gpu_.driver(); }

  GpuContext gpu_;
  cuda::Device device_;
  bool has_graphs_;
  GpuPieces pieces_;
  Staging staging_;
  CodeLoading code_loading_;
};

class GpuMark final : public plugin::Mark {
 public:
  GpuMark(const GpuContext &gpu, cuda::Event event) : gpu_(gpu), event_(event) {}
  ~GpuMark() override {
    gpu_.give_back([&] { return gpu_.driver().cuEventDestroy_v2(event_); });
  }
  Status wait() const override {
    return gpu_.call("running", [&] { return gpu_.driver().cuEventSynchronize(event_); });
  }
  Status hold() const override {
    return gpu_.call("waiting for other commands",
                     [&] { return gpu_.driver().cuStreamWaitEvent(cuda::stream_of_thread, event_, 0); });
  }

 private:
  const GpuContext &gpu_;
  cuda::Event event_;
};

Result<std::shared_ptr<const plugin::Mark>> Gpu::mark() {
  cuda::Event event = nullptr;
  BP_TRY(gpu_.call("marking the end of commands",
                   [&] { return driver().cuEventCreate(&event, cuda::event_blocks | cuda::event_has_no_time); }));
  auto mark = std::make_shared<const GpuMark>(gpu_, event);
  BP_TRY(
      gpu_.call("marking the end of commands", [&] { return driver().cuEventRecord(event, cuda::stream_of_thread); }));
  return mark;
}

Status GpuKernels::load(std::span<const gpu::CodePart> parts, const CodeLoading &how, bool wants_graphs) {
  BP_TRY(code_.load(parts, plan_.kernel_count, how));
  if (!plan_.maps.empty() && !gpu_.driver().has_tensor_maps) {
    return Error(BP_INVALID,
                 "the driver has no function cuTensorMapEncodeTiled, which one for CUDA 12.0 has: update it, or "
                 "--set target=sm_80");
  }
  BP_TRY(allow_shared_memory());
  for (const gpu::Segment &segment : gpu::segments(plan_)) {
    LoadedSegment &loaded = segments_.emplace_back();
    loaded.segment = segment;
    if (wants_graphs && segment.size() >= smallest_graph) {
      loaded.graphs = std::make_unique<SegmentGraphs>(gpu_, plan_, segment, code_.functions(), how.services);
    }
  }
  return {};
}

// The driver has to be told before kernels are started with more than the usual shared memory.
Status GpuKernels::allow_shared_memory() const {
  std::vector<std::uint32_t> most(plan_.kernel_count, usual_shared_bytes);
  for (const gpu::Command &command : plan_.commands) {
    if (command.kind == gpu::CommandKind::Launch && command.grid.shared_bytes > most[command.kernel]) {
      most[command.kernel] = command.grid.shared_bytes;
      BP_TRY(gpu_.call("allowing a kernel its shared memory", [&] {
        return gpu_.driver().cuFuncSetAttribute(code_.functions()[command.kernel], cuda::function_most_shared_bytes,
                                                static_cast<int>(command.grid.shared_bytes));
      }));
    }
  }
  return {};
}

Status GpuKernels::start(std::uint32_t segment, std::span<const std::uint64_t> bases) const {
  LoadedSegment &loaded = segments_[segment];
  if (loaded.graphs != nullptr && loaded.was_started.exchange(true)) {
    BP_ASSIGN(const bool is_started, loaded.graphs->start(bases));
    if (is_started) {
      return {};
    }
  }
  for (std::uint32_t c = loaded.segment.begin; c < loaded.segment.end; ++c) {
    if (Status status = start(plan_.commands[c], bases); !status.ok()) {
      return c == loaded.segment.begin ? std::move(status) : after_writing(std::move(status).error());
    }
  }
  return {};
}

Status GpuKernels::start(const gpu::Command &command, std::span<const std::uint64_t> bases) const {
  LaunchArguments arguments(plan_, command, bases);
  if (command.kind == gpu::CommandKind::Move) {
    return machine_.move(arguments.addresses()[0], arguments.addresses()[1], command.size);
  }
  const gpu::Grid &grid = command.grid;
  return gpu_.call("starting a kernel", [&] {
    const cuda::Result result = arguments.make_maps(gpu_.driver());
    return result != 0
               ? result
               : gpu_.driver().cuLaunchKernel(code_.functions()[command.kernel], grid.blocks, 1, 1, grid.threads, 1, 1,
                                              grid.shared_bytes, cuda::stream_of_thread, arguments.values(), nullptr);
  });
}

Result<std::unique_ptr<gpu::LoadedKernels>> Gpu::load(const gpu::LaunchPlan &plan,
                                                      std::span<const gpu::CodePart> parts) {
  const auto load = [&]() -> Result<std::unique_ptr<gpu::LoadedKernels>> {
    auto kernels = std::make_unique<GpuKernels>(*this, gpu_, plan);
    BP_TRY(kernels->load(parts, code_loading_, has_graphs_));
    return kernels;
  };
  auto loaded = load();
  const bool lacks_memory = !loaded.ok() && loaded.error().status() == BP_NO_MEMORY;
  return lacks_memory && gpu_.call("freeing memory", [&] { return pieces_.release_cached(); }).ok() ? load()
                                                                                                    : std::move(loaded);
}

}  // namespace

Result<std::unique_ptr<gpu::Machine>> open_gpu(const GpuFacts &facts, const GpuUse &use) {
  cuda::Context context = nullptr;
  const cuda::Result result = facts.driver->cuDevicePrimaryCtxRetain(&context, facts.device);
  if (result != 0) {
    return failed(*facts.driver, "opening " + facts.name, result);
  }
  auto gpu = std::make_unique<Gpu>(facts, use, context);
  BP_TRY(gpu->open());
  return gpu;
}

}  // namespace bp::nvptx
