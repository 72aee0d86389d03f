// A GPU, through the driver. Each thread of the host has a stream of its own, in which its commands take effect in
// order.
#include <algorithm>
#include <string>
#include <vector>

#include "plugin_api/cpp/call.h"
#include "plugins/nvptx/driver.h"
#include "plugins/nvptx/machine.h"
#include "plugins/nvptx/threads.h"

namespace bp::nvptx {
namespace {

using plugin::fail;

bp_status status_of(cuda::Result result) {
  return result == 0 ? BP_OK : result == cuda::out_of_memory ? BP_NO_MEMORY : BP_DEVICE_LOST;
}

class Gpu;

class GpuKernels final : public LoadedKernels {
 public:
  GpuKernels(const Gpu &gpu, cuda::Module module, std::uint64_t bytes) : gpu_(gpu), module_(module), bytes_(bytes) {}
  ~GpuKernels() override;
  bp_status launch(std::uint32_t kernel, std::uint32_t blocks, std::uint32_t threads, std::span<void *const> pointers,
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
  Gpu(const Driver &driver, cuda::Device device, cuda::Context context)
      : driver_(driver), device_(device), context_(context) {}
  ~Gpu() override { driver_.cuDevicePrimaryCtxRelease_v2(device_); }

  const Driver &driver() const { return driver_; }
  // Makes the GPU that of the calling thread, and says what a call gave, unless nobody wants to know.
  template <class Call>
  bp_status call(const char *what, const bp_diag_t *diag, Call &&function) const {
    cuda::Result result = driver_.cuCtxSetCurrent(context_);
    if (result == 0) {
      result = function();
    }
    return result == 0 || diag == nullptr
               ? status_of(result)
               : fail(diag, status_of(result), std::string("nvptx: ") + what + ": " + driver_.text(result));
  }

  bp_status allocate(std::uint64_t size, std::uint32_t alignment, std::uint64_t &address,
                     const bp_diag_t *diag) override {
    if (alignment > 256) {  // the driver's own
      return fail(diag, BP_INVALID,
                  "nvptx: memory is aligned to 256 bytes, " + std::to_string(alignment) + " are asked for");
    }
    return call("allocating memory", diag, [&] { return driver_.cuMemAlloc_v2(&address, size); });
  }
  void release(std::uint64_t address) override {
    if (driver_.cuCtxSetCurrent(context_) == 0) {
      driver_.cuMemFree_v2(address);
    }
  }
  bp_status copy_in(std::uint64_t to, const void *from, std::uint64_t size, const bp_diag_t *diag) override {
    return call("copying to the GPU", diag, [&] {
      const cuda::Result result = driver_.cuMemcpyHtoDAsync_v2(to, from, size, cuda::stream_of_thread);
      return result == 0 ? driver_.cuStreamSynchronize(cuda::stream_of_thread) : result;
    });
  }
  bp_status copy_out(void *to, std::uint64_t from, std::uint64_t size, const bp_diag_t *diag) override {
    return call("copying from the GPU", diag, [&] {
      const cuda::Result result = driver_.cuMemcpyDtoHAsync_v2(to, from, size, cuda::stream_of_thread);
      return result == 0 ? driver_.cuStreamSynchronize(cuda::stream_of_thread) : result;
    });
  }
  bp_status move(std::uint64_t to, std::uint64_t from, std::uint64_t size, const bp_diag_t *diag) override {
    return call("copying on the GPU", diag,
                [&] { return driver_.cuMemcpyDtoDAsync_v2(to, from, size, cuda::stream_of_thread); });
  }
  bp_status finish(const bp_diag_t *diag) override {
    return call("running", diag, [&] { return driver_.cuStreamSynchronize(cuda::stream_of_thread); });
  }
  std::unique_ptr<LoadedKernels> load(const Artifact &artifact, const bp_diag_t *diag) override;

 private:
  const Driver &driver_;
  cuda::Device device_;
  cuda::Context context_;
};

GpuKernels::~GpuKernels() {
  gpu_.call("unloading", nullptr, [&] {
    gpu_.driver().cuModuleUnload(module_);
    return 0;
  });
}

bp_status GpuKernels::launch(std::uint32_t kernel, std::uint32_t blocks, std::uint32_t threads,
                             std::span<void *const> pointers, const bp_diag_t *diag) const {
  std::vector<void *> values(pointers.size());  // addresses of the arguments
  std::ranges::transform(pointers, values.begin(), [](void *const &pointer) { return const_cast<void **>(&pointer); });
  return gpu_.call("starting a kernel", diag, [&] {
    return gpu_.driver().cuLaunchKernel(functions[kernel], blocks, 1, 1, threads, 1, 1, 0, cuda::stream_of_thread,
                                        values.data(), nullptr);
  });
}

std::unique_ptr<LoadedKernels> Gpu::load(const Artifact &artifact, const bp_diag_t *diag) {
  std::string log(8192, '\0');
  int options[] = {cuda::jit_error_log, cuda::jit_error_log_bytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  cuda::Module module = nullptr;
  const bp_status status = call("loading kernels", diag, [&] {
    return driver_.cuModuleLoadDataEx(&module, artifact.code.c_str(), 2, options, values);
  });
  if (status != BP_OK) {
    if (log[0] != '\0') {
      fail(diag, BP_INVALID, "nvptx: " + std::string(log.c_str()));
    }
    return nullptr;
  }
  auto kernels = std::make_unique<GpuKernels>(*this, module, artifact.code.size());
  for (std::uint32_t i = 0; i < artifact.plan.kernel_count; ++i) {
    const std::string name = kernel_name(i);
    cuda::Function function = nullptr;
    if (call("finding a kernel", diag, [&] { return driver_.cuModuleGetFunction(&function, module, name.c_str()); }) !=
        BP_OK) {
      return nullptr;
    }
    kernels->functions.push_back(function);
  }
  return kernels;
}

}  // namespace

std::unique_ptr<Machine> open_gpu(std::string &error) {
  const Driver *driver = open_driver(error);
  if (driver == nullptr) {
    return nullptr;
  }
  cuda::Device device = 0;
  cuda::Context context = nullptr;
  int count = 0;
  cuda::Result result = driver->cuDeviceGetCount(&count);
  if (result == 0 && count == 0) {
    error = "the NVIDIA driver finds no GPU; without one: --set emulate=1";
    return nullptr;
  }
  if (result == 0) {
    result = driver->cuDeviceGet(&device, 0);
  }
  if (result == 0) {
    result = driver->cuDevicePrimaryCtxRetain(&context, device);
  }
  if (result != 0) {
    error = "the GPU cannot be opened: " + driver->text(result);
    return nullptr;
  }
  return std::make_unique<Gpu>(*driver, device, context);
}

}  // namespace bp::nvptx
