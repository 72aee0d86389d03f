#include "plugins/nvptx/driver.h"

#include <dlfcn.h>

#include <mutex>

namespace bp::nvptx {
namespace {

constexpr const char *library_name = "libcuda.so.1";

bool find_functions(void *library, Driver &driver, std::string &error) {
#define BP_CUDA_FUNCTION(name, parameters)                                                   \
  driver.name = reinterpret_cast<decltype(driver.name)>(dlsym(library, #name));              \
  if (driver.name == nullptr) {                                                              \
    error = std::string(library_name) + " has no function " #name ": the driver is too old"; \
    return false;                                                                            \
  }
  BP_CUDA_FUNCTIONS(BP_CUDA_FUNCTION)
#undef BP_CUDA_FUNCTION
  return true;
}

}  // namespace

std::string Driver::text(cuda::Result result) const {
  const char *words = nullptr;
  return cuGetErrorString(result, &words) == 0 && words != nullptr ? words : "error " + std::to_string(result);
}

const Driver *open_driver(std::string &error) {
  static std::mutex mutex;
  static Driver driver;
  static bool is_open = false;
  std::lock_guard lock(mutex);
  if (is_open) {
    return &driver;
  }
  // Never closed: the driver keeps threads of its own.
  void *library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    error = std::string("there is no NVIDIA driver: ") + dlerror() + "; without a GPU: --set emulate=1";
    return nullptr;
  }
  if (!find_functions(library, driver, error)) {
    return nullptr;
  }
  if (const cuda::Result result = driver.cuInit(0); result != 0) {
    error = "the NVIDIA driver does not start: " + driver.text(result);
    return nullptr;
  }
  is_open = true;
  return &driver;
}

}  // namespace bp::nvptx
