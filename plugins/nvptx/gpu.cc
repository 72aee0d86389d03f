// A GPU, through the driver. Each thread of the host has a stream of its own, in which its commands take effect in
// order.
#include <algorithm>
#include <atomic>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "plugin_api/cpp/call.h"
#include "plugins/nvptx/cubin_cache.h"
#include "plugins/nvptx/driver.h"
#include "plugins/nvptx/gpu_memory.h"
#include "plugins/nvptx/machine.h"
#include "plugins/nvptx/threads.h"

namespace bp::nvptx {
namespace {

using plugin::fail;

// What the process does not recover from: every later call gives the same (CUDA's "sticky errors").
constexpr cuda::Result fatal[] = {
    4,                             // the driver shuts down
    214, 220, 226,                 // memory or a link is damaged
    700, 714, 715, 716, 717, 718,  // a kernel touched or executed what it must not
    702, 709, 710, 719, 721,       // it took too long, lost its context, asserted, failed, or left memory behind
};

bool is_fatal(cuda::Result result) {
  return std::ranges::find(fatal, result) != std::end(fatal);
}

bp_status status_of(cuda::Result result) {
  return result == 0                     ? BP_OK
         : result == cuda::out_of_memory ? BP_NO_MEMORY
         : is_fatal(result)              ? BP_DEVICE_LOST
                                         : BP_INTERNAL;
}

// Whether it is the code, rather than the GPU, that is at fault.
bool is_about_code(cuda::Result result) {
  return result == cuda::invalid_image || result == cuda::no_binary_for_gpu || result == cuda::invalid_ptx ||
         result == cuda::unsupported_ptx;
}

// Reports, if somebody wants to know, that something failed, and what to do.
bp_status failed(const Driver &driver, const std::string &what, cuda::Result result, const bp_diag_t *diag) {
  const bp_status status = status_of(result);
  const char *next = status == BP_NO_MEMORY     ? "; nvidia-smi shows who uses the GPU's memory"
                     : status == BP_DEVICE_LOST ? "; the GPU is lost to this process, which has to be started again"
                                                : "; nvidia-smi shows whether GPU and driver are well";
  return diag == nullptr ? status : fail(diag, status, "nvptx: " + what + ": " + driver.text(result) + next);
}

class CompilerLog;
class Gpu;

class GpuKernels final : public LoadedKernels {
 public:
  GpuKernels(const Gpu &gpu, cuda::Module module, std::uint64_t bytes) : gpu_(gpu), module_(module), bytes_(bytes) {}
  ~GpuKernels() override;
  bp_status launch(std::uint32_t kernel, const Grid &grid, std::span<void *const> pointers,
                   const bp_diag_t *diag) const override;
  std::uint64_t resident_bytes() const override { return bytes_; }
  std::vector<cuda::Function> functions;  // by kernel

 private:
  const Gpu &gpu_;
  cuda::Module module_;
  std::uint64_t bytes_;
};

class Gpu final : public Machine {
 public:
  Gpu(const GpuFacts &facts, const std::string &cache_folder, cuda::Context context)
      : driver_(facts.driver),
        device_(facts.device),
        capability_(facts.capability),
        context_(context),
        pieces_(facts),
        staging_(*facts.driver),
        cache_(cache_folder) {}
  ~Gpu() override {
    give_back([&] { return staging_.close(); });
    give_back([&] { return pieces_.close(); });
    driver_->cuDevicePrimaryCtxRelease_v2(device_);
  }
  // Once, first.
  bp_status open(const bp_diag_t *diag) {
    return call("making a pool of memory", diag, [&] { return pieces_.open(); });
  }

  const Driver &driver() const { return *driver_; }
  // Makes the GPU that of the calling thread, calls, and says what failed, unless nobody wants to know. Once the GPU is
  // lost it is not called any more (BP-STATUS-03).
  template <class Call>
  bp_status call(const std::string &what, const bp_diag_t *diag, Call &&function) const {
    cuda::Result result = why_lost_;
    if (result == 0) {
      result = noted(driver_->cuCtxSetCurrent(context_));
      result = result == 0 ? noted(function()) : result;
    }
    return result == 0 ? BP_OK : failed(*driver_, what, result, diag);
  }
  // Gives something back, also after a loss, when the driver says that it failed and forgets what it had.
  template <class Call>
  void give_back(Call &&function) const {
    if (noted(driver_->cuCtxSetCurrent(context_)) == 0 || why_lost_ != 0) {
      noted(function());
    }
  }

  bp_status allocate(std::uint64_t size, std::uint32_t alignment, std::uint64_t &address,
                     const bp_diag_t *diag) override {
    if (alignment > 256) {  // the driver's own
      return fail(diag, BP_INVALID,
                  "nvptx: memory is aligned to 256 bytes, " + std::to_string(alignment) + " are asked for");
    }
    return call("allocating " + std::to_string(size) + " bytes", diag, [&] { return pieces_.take(size, address); });
  }
  void release(std::uint64_t address) override {
    give_back([&] { return pieces_.give_back(address); });
  }
  bp_status copy_in(std::uint64_t to, const void *from, std::uint64_t size, const bp_diag_t *diag) override {
    return call("copying to the GPU", diag, [&] { return staging_.copy_in(to, from, size); });
  }
  bp_status copy_out(void *to, std::uint64_t from, std::uint64_t size, const bp_diag_t *diag) override {
    return call("copying from the GPU", diag, [&] { return staging_.copy_out(to, from, size); });
  }
  bp_status move(std::uint64_t to, std::uint64_t from, std::uint64_t size, const bp_diag_t *diag) override {
    return call("copying on the GPU", diag,
                [&] { return driver_->cuMemcpyDtoDAsync_v2(to, from, size, cuda::stream_of_thread); });
  }
  bp_status finish(const bp_diag_t *diag) override {
    return call("running", diag, [&] { return driver_->cuStreamSynchronize(cuda::stream_of_thread); });
  }
  std::unique_ptr<Mark> mark(bp_status &status, const bp_diag_t *diag) override;
  bp_status check(const bp_diag_t *diag) const override {
    const cuda::Result why = why_lost_;
    return why == 0 ? BP_OK : failed(*driver_, "an earlier command", why, diag);
  }
  std::unique_ptr<LoadedKernels> load(const Artifact &artifact, bp_status &status, const bp_diag_t *diag) override;

 private:
  cuda::Result load_module(const std::string &ptx, CompilerLog &log, cuda::Module &module) const;
  cuda::Result noted(cuda::Result result) const {
    if (is_fatal(result)) {
      why_lost_ = result;
    }
    return result;
  }

  std::shared_ptr<const Driver> driver_;
  cuda::Device device_;
  unsigned capability_;
  cuda::Context context_;
  mutable std::atomic<cuda::Result> why_lost_ = 0;
  GpuPieces pieces_;
  Staging staging_;
  CubinCache cache_;
};

class GpuMark final : public Mark {
 public:
  GpuMark(const Gpu &gpu, cuda::Event event) : gpu_(gpu), event_(event) {}
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
  const Gpu &gpu_;
  cuda::Event event_;
};

std::unique_ptr<Mark> Gpu::mark(bp_status &status, const bp_diag_t *diag) {
  cuda::Event event = nullptr;
  status = call("marking the end of commands", diag,
                [&] { return driver_->cuEventCreate(&event, cuda::event_blocks | cuda::event_has_no_time); });
  if (status != BP_OK) {
    return nullptr;
  }
  auto mark = std::make_unique<GpuMark>(*this, event);
  status =
      call("marking the end of commands", diag, [&] { return driver_->cuEventRecord(event, cuda::stream_of_thread); });
  return status == BP_OK ? std::move(mark) : nullptr;
}

GpuKernels::~GpuKernels() {
  gpu_.give_back([&] { return gpu_.driver().cuModuleUnload(module_); });
}

bp_status GpuKernels::launch(std::uint32_t kernel, const Grid &grid, std::span<void *const> pointers,
                             const bp_diag_t *diag) const {
  std::vector<void *> values(pointers.size());  // addresses of the arguments
  std::ranges::transform(pointers, values.begin(), [](void *const &pointer) { return const_cast<void **>(&pointer); });
  return gpu_.call("starting a kernel", diag, [&] {
    return gpu_.driver().cuLaunchKernel(functions[kernel], grid.blocks, 1, 1, grid.threads, 1, 1, grid.shared_bytes,
                                        cuda::stream_of_thread, values.data(), nullptr);
  });
}

// Where the driver's compiler says what is wrong. Stays where it is.
class CompilerLog {
 public:
  CompilerLog() = default;
  CompilerLog(const CompilerLog &) = delete;
  CompilerLog &operator=(const CompilerLog &) = delete;

  unsigned count() const { return 2; }
  int *options() { return options_; }
  void **values() { return values_; }
  std::string text() const { return text_.c_str(); }

 private:
  std::string text_ = std::string(8192, '\0');
  int options_[2] = {cuda::jit_error_log, cuda::jit_error_log_bytes};
  void *values_[2] = {text_.data(), reinterpret_cast<void *>(text_.size())};
};

// Machine code of PTX.
cuda::Result link(const Driver &driver, const std::string &ptx, CompilerLog &log, std::string &cubin) {
  cuda::LinkState state = nullptr;
  cuda::Result result = driver.cuLinkCreate_v2(log.count(), log.options(), log.values(), &state);
  if (result != 0) {
    return result;
  }
  void *code = nullptr;
  std::size_t size = 0;
  result = driver.cuLinkAddData_v2(state, cuda::input_ptx, const_cast<char *>(ptx.c_str()), ptx.size() + 1, "kernels",
                                   0, nullptr, nullptr);
  result = result == 0 ? driver.cuLinkComplete(state, &code, &size) : result;
  if (result == 0) {
    cubin.assign(static_cast<const char *>(code), size);
  }
  driver.cuLinkDestroy(state);
  return result;
}

// Without a folder for machine code the driver gets the PTX, and may know it from its own cache.
cuda::Result Gpu::load_module(const std::string &ptx, CompilerLog &log, cuda::Module &module) const {
  const auto load = [&](const std::string &code) {
    return driver_->cuModuleLoadDataEx(&module, code.c_str(), log.count(), log.options(), log.values());
  };
  if (!cache_.is_on()) {
    return load(ptx);
  }
  const CubinCache::Key key = CubinCache::key(ptx, driver_->version, capability_);
  if (const auto known = cache_.find(key)) {
    if (const cuda::Result result = load(*known); !is_about_code(result)) {
      return result;
    }
  }
  std::string cubin;
  cuda::Result result = link(*driver_, ptx, log, cubin);
  result = result == 0 ? load(cubin) : result;
  if (result == 0) {
    cache_.keep(key, cubin);
  }
  return result;
}

std::unique_ptr<LoadedKernels> Gpu::load(const Artifact &artifact, bp_status &status, const bp_diag_t *diag) {
  CompilerLog log;
  cuda::Module module = nullptr;
  cuda::Result result = 0;
  status = call("loading kernels", diag, [&] { return result = load_module(artifact.code, log, module); });
  if (status != BP_OK) {
    if (!log.text().empty() && diag != nullptr) {
      fail(diag, status, "nvptx: the driver's compiler: " + log.text());
    }
    status = is_about_code(result) ? BP_INVALID : status;
    return nullptr;
  }
  auto kernels = std::make_unique<GpuKernels>(*this, module, artifact.code.size());
  for (std::uint32_t i = 0; i < artifact.plan.kernel_count && status == BP_OK; ++i) {
    const std::string name = kernel_name(i);
    cuda::Function function = nullptr;
    status = call("finding " + name, diag,
                  [&] { return result = driver_->cuModuleGetFunction(&function, module, name.c_str()); });
    kernels->functions.push_back(function);
  }
  status = result == cuda::not_found || is_about_code(result) ? BP_INVALID : status;
  return status == BP_OK ? std::move(kernels) : nullptr;
}

}  // namespace

std::unique_ptr<Machine> open_gpu(const GpuFacts &facts, const std::string &cache_folder, bp_status &status,
                                  const bp_diag_t *diag) {
  cuda::Context context = nullptr;
  const cuda::Result result = facts.driver->cuDevicePrimaryCtxRetain(&context, facts.device);
  if (result != 0) {
    status = failed(*facts.driver, "opening " + facts.name, result, diag);
    return nullptr;
  }
  auto gpu = std::make_unique<Gpu>(facts, cache_folder, context);
  status = gpu->open(diag);
  return status == BP_OK ? std::move(gpu) : nullptr;
}

}  // namespace bp::nvptx
