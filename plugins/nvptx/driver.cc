#include "plugins/nvptx/driver.h"

#include <dlfcn.h>

namespace bp::nvptx {
namespace {

// The first CUDA version that has all functions that we call, apart from the optional ones.
constexpr int oldest_version = 11020;
constexpr int oldest_with_graphs = 12000;
constexpr const char *without_gpu = "; without a GPU: --set emulate=1";

template <class Function>
bool find_function(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

std::string too_old(const std::string &found) {
  return found + ", expected one for CUDA " + version_text(oldest_version) + " or later: update the driver" +
         without_gpu;
}

plugin::Error lost(const std::string &why) {
  return plugin::Error(BP_DEVICE_LOST, why);
}

}  // namespace

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string Driver::text(cuda::Result result) const {
  const char *words = nullptr;
  const bool is_known = cuGetErrorString(result, &words) == 0 && words != nullptr;
  return std::string(is_known ? words : "an error") + " (" + std::to_string(result) + ")";
}

plugin::Result<std::shared_ptr<const Driver>> open_driver(const std::string &library_name) {
  // It is never closed, because the driver keeps threads of its own.
  void *library = dlopen(library_name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return lost(std::string("there is no NVIDIA driver: ") + dlerror() + "; elsewhere: --set driver=PATH" +
                without_gpu);
  }
  auto driver = std::make_shared<Driver>();
  if (!find_function(library, "cuDriverGetVersion", driver->cuDriverGetVersion)) {
    return lost(library_name + " has no function cuDriverGetVersion, expected NVIDIA's libcuda.so.1" + without_gpu);
  }
  cuda::Result result = driver->cuDriverGetVersion(&driver->version);
  if (result == 0 && driver->version < oldest_version) {
    return lost(too_old("the NVIDIA driver is for CUDA " + version_text(driver->version)));
  }
#define BP_CUDA_FUNCTION(name, parameters)                                                         \
  if (!find_function(library, #name, driver->name)) {                                              \
    return lost(too_old(library_name + " has no function " #name ", which an NVIDIA driver has")); \
  }
  BP_CUDA_FUNCTIONS(BP_CUDA_FUNCTION)
#undef BP_CUDA_FUNCTION
  driver->has_graphs = driver->version >= oldest_with_graphs;
#define BP_CUDA_FUNCTION(name, parameters) driver->has_graphs &= find_function(library, #name, driver->name);
  BP_CUDA_GRAPH_FUNCTIONS(BP_CUDA_FUNCTION)
#undef BP_CUDA_FUNCTION
  driver->has_tensor_maps = true;
#define BP_CUDA_FUNCTION(name, parameters) driver->has_tensor_maps &= find_function(library, #name, driver->name);
  BP_CUDA_TENSOR_FUNCTIONS(BP_CUDA_FUNCTION)
#undef BP_CUDA_FUNCTION
  driver->has_function_loading = true;
#define BP_CUDA_FUNCTION(name, parameters) driver->has_function_loading &= find_function(library, #name, driver->name);
  BP_CUDA_LOADING_FUNCTIONS(BP_CUDA_FUNCTION)
#undef BP_CUDA_FUNCTION
  result = result == 0 ? driver->cuInit(0) : result;
  if (result == cuda::no_device) {
    return lost(std::string("the NVIDIA driver finds no GPU; nvidia-smi lists those that it has") + without_gpu);
  }
  if (result != 0) {
    return lost("the NVIDIA driver does not start: " + driver->text(result) + "; nvidia-smi may say more" +
                without_gpu);
  }
  return driver;
}

plugin::Result<GpuFacts> find_gpu(const std::string &library) {
  GpuFacts facts;
  BP_ASSIGN(facts.driver, open_driver(library));
  const Driver &driver = *facts.driver;
  int count = 0, major = 0, minor = 0, has_pools = 0, clock_khz = 0, bus_bits = 0;
  char name[256] = "";
  std::size_t bytes = 0;
  const char *what = "counting the GPUs";
  cuda::Result result = driver.cuDeviceGetCount(&count);
  if (result == 0 && count == 0) {
    return lost(std::string("the NVIDIA driver finds no GPU; nvidia-smi lists those that it has") + without_gpu);
  }
  const auto ask = [&](const char *question, auto &&function) {
    if (result == 0) {
      what = question;
      result = function();
    }
  };
  const auto ask_attribute = [&](const char *question, int attribute, int &value) {
    ask(question, [&] { return driver.cuDeviceGetAttribute(&value, attribute, facts.device); });
  };
  ask("finding the GPU", [&] { return driver.cuDeviceGet(&facts.device, 0); });
  ask("asking for its name", [&] { return driver.cuDeviceGetName(name, sizeof name - 1, facts.device); });
  ask("asking for its memory", [&] { return driver.cuDeviceTotalMem_v2(&bytes, facts.device); });
  ask_attribute("asking for its compute capability", cuda::compute_capability_major, major);
  ask_attribute("asking for its compute capability", cuda::compute_capability_minor, minor);
  ask_attribute("asking for pools of memory", cuda::memory_pools_supported, has_pools);
  if (result != 0) {
    return lost(std::string("the GPU cannot be used: ") + what + ": " + driver.text(result) +
                "; nvidia-smi may say more" + without_gpu);
  }
  facts.name = name;
  facts.capability = static_cast<unsigned>(major * 10 + minor);
  facts.memory_bytes = bytes;
  facts.has_pools = has_pools != 0;
  if (driver.cuDeviceGetAttribute(&clock_khz, cuda::memory_clock_khz, facts.device) == 0 &&
      driver.cuDeviceGetAttribute(&bus_bits, cuda::memory_bus_bits, facts.device) == 0) {
    facts.gb_per_s = static_cast<float>(2e-6 * clock_khz * bus_bits / 8);  // two transfers in a cycle
  }
  return facts;
}

}  // namespace bp::nvptx
