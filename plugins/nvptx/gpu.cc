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

using plugin::fail;

constexpr std::uint32_t smallest_graph = 4;  // commands; fewer are faster one by one

// Long segments become graphs when they are started for the second time: for a program that runs once the graphs would
// be made in vain.
class GpuKernels final : public gpu::LoadedKernels {
 public:
  GpuKernels(gpu::Machine &machine, const GpuContext &gpu, const gpu::LaunchPlan &plan)
      : machine_(machine), gpu_(gpu), plan_(plan), code_(gpu) {}
  bp_status load(std::span<const gpu::CodePart> parts, const CodeLoading &how, bool wants_graphs,
                 const bp_diag_t *diag);
  bp_status start(std::uint32_t segment, std::span<const std::uint64_t> bases, const bp_diag_t *diag) const override;
  std::uint64_t resident_bytes() const override { return code_.bytes(); }

 private:
  struct LoadedSegment {
    gpu::Segment segment;
    std::unique_ptr<SegmentGraphs> graphs;  // null: started command by command
    std::atomic<bool> was_started = false;
  };
  bp_status allow_shared_memory(const bp_diag_t *diag) const;
  bp_status start(const gpu::Command &command, std::span<const std::uint64_t> bases, const bp_diag_t *diag) const;

  gpu::Machine &machine_;
  const GpuContext &gpu_;
  const gpu::LaunchPlan &plan_;
  GpuCode code_;
  mutable std::deque<LoadedSegment> segments_;
};

class Gpu final : public gpu::Machine {
 public:
  Gpu(const GpuFacts &facts, const GpuUse &use, cuda::Context context)
      : Machine("nvptx"),
        gpu_(facts.driver, context),
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
  bp_status open(const bp_diag_t *diag) {
    plugin::FirstReport report;
    const bp_status status = gpu_.call("making a pool of memory", &report.abi, [&] { return pieces_.open(); });
    if (status == BP_DEVICE_LOST) {
      return fail(diag, status, report.message);
    }
    if (status != BP_OK) {
      code_loading_.services.log(BP_LOG_WARNING, report.message + "; memory is slower to come by");
    }
    return BP_OK;
  }

  bp_status allocate(std::uint64_t size, std::uint32_t alignment, std::uint64_t &address,
                     const bp_diag_t *diag) override {
    if (alignment > 256) {  // the alignment of the driver's memory
      return fail(diag, BP_INVALID,
                  "nvptx: memory is aligned to 256 bytes, expected an alignment of " + std::to_string(alignment));
    }
    return gpu_.call("allocating " + std::to_string(size) + " bytes", diag,
                     [&] { return pieces_.take(size, address); });
  }
  void release(std::uint64_t address) override {
    gpu_.give_back([&] { return pieces_.give_back(address); });
  }
  bp_status copy_in(std::uint64_t to, const void *from, std::uint64_t size, const bp_diag_t *diag) override {
    return gpu_.call("copying to the GPU", diag, [&] { return staging_.copy_in(to, from, size); });
  }
  bp_status copy_out(void *to, std::uint64_t from, std::uint64_t size, const bp_diag_t *diag) override {
    return gpu_.call("copying from the GPU", diag, [&] { return staging_.copy_out(to, from, size); });
  }
  bp_status move(std::uint64_t to, std::uint64_t from, std::uint64_t size, const bp_diag_t *diag) override {
    return gpu_.call("copying on the GPU", diag,
                     [&] { return driver().cuMemcpyDtoDAsync_v2(to, from, size, cuda::stream_of_thread); });
  }
  bp_status finish(const bp_diag_t *diag) override {
    return gpu_.call("running", diag, [&] { return driver().cuStreamSynchronize(cuda::stream_of_thread); });
  }
  std::unique_ptr<gpu::Mark> mark(bp_status &status, const bp_diag_t *diag) override;
  bp_status check(const bp_diag_t *diag) const override { return gpu_.check(diag); }
  std::unique_ptr<gpu::LoadedKernels> load(const gpu::LaunchPlan &plan, std::span<const gpu::CodePart> parts,
                                           bp_status &status, const bp_diag_t *diag) override;

 private:
  const Driver &driver() const { return gpu_.driver(); }

  GpuContext gpu_;
  cuda::Device device_;
  bool has_graphs_;
  GpuPieces pieces_;
  Staging staging_;
  CodeLoading code_loading_;
};

class GpuMark final : public gpu::Mark {
 public:
  GpuMark(const GpuContext &gpu, cuda::Event event) : gpu_(gpu), event_(event) {}
  ~GpuMark() override {
    gpu_.give_back([&] { return gpu_.driver().cuEventDestroy_v2(event_); });
  }
  bp_status wait(const bp_diag_t *diag) const override {
    return gpu_.call("running", diag, [&] { return gpu_.driver().cuEventSynchronize(event_); });
  }
  bp_status hold(const bp_diag_t *diag) const override {
    return gpu_.call("waiting for other commands", diag,
                     [&] { return gpu_.driver().cuStreamWaitEvent(cuda::stream_of_thread, event_, 0); });
  }

 private:
  const GpuContext &gpu_;
  cuda::Event event_;
};

std::unique_ptr<gpu::Mark> Gpu::mark(bp_status &status, const bp_diag_t *diag) {
  cuda::Event event = nullptr;
  status = gpu_.call("marking the end of commands", diag,
                     [&] { return driver().cuEventCreate(&event, cuda::event_blocks | cuda::event_has_no_time); });
  if (status != BP_OK) {
    return nullptr;
  }
  auto mark = std::make_unique<GpuMark>(gpu_, event);
  status = gpu_.call("marking the end of commands", diag,
                     [&] { return driver().cuEventRecord(event, cuda::stream_of_thread); });
  return status == BP_OK ? std::move(mark) : nullptr;
}

bp_status GpuKernels::load(std::span<const gpu::CodePart> parts, const CodeLoading &how, bool wants_graphs,
                           const bp_diag_t *diag) {
  if (const bp_status status = code_.load(parts, plan_.kernel_count, how, diag); status != BP_OK) {
    return status;
  }
  if (!plan_.maps.empty() && !gpu_.driver().has_tensor_maps) {
    return fail(diag, BP_INVALID,
                "nvptx: the driver has no function cuTensorMapEncodeTiled, which one for CUDA 12.0 has: update it, or "
                "--set target=sm_80");
  }
  if (const bp_status status = allow_shared_memory(diag); status != BP_OK) {
    return status;
  }
  for (const gpu::Segment &segment : gpu::segments(plan_)) {
    LoadedSegment &loaded = segments_.emplace_back();
    loaded.segment = segment;
    if (wants_graphs && segment.size() >= smallest_graph) {
      loaded.graphs = std::make_unique<SegmentGraphs>(gpu_, plan_, segment, code_.functions(), how.services);
    }
  }
  return BP_OK;
}

// The driver has to be told before kernels are started with more than the usual shared memory.
bp_status GpuKernels::allow_shared_memory(const bp_diag_t *diag) const {
  std::vector<std::uint32_t> most(plan_.kernel_count, usual_shared_bytes);
  for (const gpu::Command &command : plan_.commands) {
    if (command.kind == gpu::CommandKind::Launch && command.grid.shared_bytes > most[command.kernel]) {
      most[command.kernel] = command.grid.shared_bytes;
      const bp_status status = gpu_.call("allowing a kernel its shared memory", diag, [&] {
        return gpu_.driver().cuFuncSetAttribute(code_.functions()[command.kernel], cuda::function_most_shared_bytes,
                                                static_cast<int>(command.grid.shared_bytes));
      });
      if (status != BP_OK) {
        return status;
      }
    }
  }
  return BP_OK;
}

bp_status GpuKernels::start(std::uint32_t segment, std::span<const std::uint64_t> bases, const bp_diag_t *diag) const {
  LoadedSegment &loaded = segments_[segment];
  if (loaded.graphs != nullptr && loaded.was_started.exchange(true)) {
    if (const auto started = loaded.graphs->start(bases, diag)) {
      return *started;
    }
  }
  for (std::uint32_t c = loaded.segment.begin; c < loaded.segment.end; ++c) {
    if (const bp_status status = start(plan_.commands[c], bases, diag); status != BP_OK) {
      return c == loaded.segment.begin ? status : gpu::after_writing(status);
    }
  }
  return BP_OK;
}

bp_status GpuKernels::start(const gpu::Command &command, std::span<const std::uint64_t> bases,
                            const bp_diag_t *diag) const {
  LaunchArguments arguments(plan_, command, bases);
  if (command.kind == gpu::CommandKind::Move) {
    return machine_.move(arguments.addresses()[0], arguments.addresses()[1], command.size, diag);
  }
  const gpu::Grid &grid = command.grid;
  return gpu_.call("starting a kernel", diag, [&] {
    const cuda::Result result = arguments.make_maps(gpu_.driver());
    return result != 0
               ? result
               : gpu_.driver().cuLaunchKernel(code_.functions()[command.kernel], grid.blocks, 1, 1, grid.threads, 1, 1,
                                              grid.shared_bytes, cuda::stream_of_thread, arguments.values(), nullptr);
  });
}

std::unique_ptr<gpu::LoadedKernels> Gpu::load(const gpu::LaunchPlan &plan, std::span<const gpu::CodePart> parts,
                                              bp_status &status, const bp_diag_t *diag) {
  const auto load = [&](const bp_diag_t *to) {
    auto kernels = std::make_unique<GpuKernels>(*this, gpu_, plan);
    status = kernels->load(parts, code_loading_, has_graphs_, to);
    return status == BP_OK ? std::move(kernels) : nullptr;
  };
  plugin::FirstReport report;
  std::unique_ptr<gpu::LoadedKernels> kernels = load(&report.abi);
  if (status == BP_NO_MEMORY &&
      gpu_.call("freeing memory", nullptr, [&] { return pieces_.release_cached(); }) == BP_OK) {
    return load(diag);
  }
  if (status != BP_OK) {
    fail(diag, status, report.message);
  }
  return kernels;
}

}  // namespace

std::unique_ptr<gpu::Machine> open_gpu(const GpuFacts &facts, const GpuUse &use, bp_status &status,
                                       const bp_diag_t *diag) {
  cuda::Context context = nullptr;
  const cuda::Result result = facts.driver->cuDevicePrimaryCtxRetain(&context, facts.device);
  if (result != 0) {
    status = failed(*facts.driver, "opening " + facts.name, result, diag);
    return nullptr;
  }
  auto gpu = std::make_unique<Gpu>(facts, use, context);
  status = gpu->open(diag);
  return status == BP_OK ? std::move(gpu) : nullptr;
}

}  // namespace bp::nvptx
