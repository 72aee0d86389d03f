// NVIDIA's driver, libcuda.so.1, opened when it is first needed: what we call of it, in declarations of our own. No
// header and no library of a CUDA toolkit takes part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace bp::nvptx {

class Machine;

namespace cuda {

using Result = int;  // 0: success
using Device = int;
using Address = std::uint64_t;
using Context = struct ContextTag *;
using Module = struct ModuleTag *;
using Function = struct FunctionTag *;
using Stream = struct StreamTag *;
// The default stream of the calling thread.
inline const Stream stream_of_thread = reinterpret_cast<Stream>(2);

enum : int { out_of_memory = 2, no_device = 100, no_binary_for_gpu = 209, invalid_ptx = 218, unsupported_ptx = 222 };
enum : int { compute_capability_major = 75, compute_capability_minor = 76 };
enum : int { jit_error_log = 5, jit_error_log_bytes = 6 };

}  // namespace cuda

// Every function that is called, by the name that the library exports.
#define BP_CUDA_FUNCTIONS(X)                                                                                         \
  X(cuInit, (unsigned flags))                                                                                        \
  X(cuDriverGetVersion, (int *version))                                                                              \
  X(cuGetErrorString, (cuda::Result result, const char **text))                                                      \
  X(cuDeviceGetCount, (int *count))                                                                                  \
  X(cuDeviceGet, (cuda::Device * device, int number))                                                                \
  X(cuDeviceGetName, (char *name, int size, cuda::Device device))                                                    \
  X(cuDeviceGetAttribute, (int *value, int attribute, cuda::Device device))                                          \
  X(cuDeviceTotalMem_v2, (std::size_t *bytes, cuda::Device device))                                                  \
  X(cuDevicePrimaryCtxRetain, (cuda::Context * context, cuda::Device device))                                        \
  X(cuDevicePrimaryCtxRelease_v2, (cuda::Device device))                                                             \
  X(cuCtxSetCurrent, (cuda::Context context))                                                                        \
  X(cuMemAlloc_v2, (cuda::Address * address, std::size_t bytes))                                                     \
  X(cuMemFree_v2, (cuda::Address address))                                                                           \
  X(cuMemcpyHtoDAsync_v2, (cuda::Address to, const void *from, std::size_t bytes, cuda::Stream stream))              \
  X(cuMemcpyDtoHAsync_v2, (void *to, cuda::Address from, std::size_t bytes, cuda::Stream stream))                    \
  X(cuMemcpyDtoDAsync_v2, (cuda::Address to, cuda::Address from, std::size_t bytes, cuda::Stream stream))            \
  X(cuStreamSynchronize, (cuda::Stream stream))                                                                      \
  X(cuModuleLoadDataEx, (cuda::Module * module, const void *image, unsigned count, int *options, void **values))     \
  X(cuModuleUnload, (cuda::Module module))                                                                           \
  X(cuModuleGetFunction, (cuda::Function * function, cuda::Module module, const char *name))                         \
  X(cuLaunchKernel,                                                                                                  \
    (cuda::Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, \
     unsigned block_z, unsigned shared_bytes, cuda::Stream stream, void **values, void **extra))

struct Driver {
#define BP_CUDA_FUNCTION(name, parameters) cuda::Result(*name) parameters = nullptr;
  BP_CUDA_FUNCTIONS(BP_CUDA_FUNCTION)
#undef BP_CUDA_FUNCTION

  // "out of memory", as the driver says.
  std::string text(cuda::Result result) const;
};

// The driver, ready to be called, for as long as the process lives. Null, and why, if the library is missing, lacks a
// function (too old), or does not start.
const Driver *open_driver(std::string &error);

// The first GPU. Null, and why, if there is none.
std::unique_ptr<Machine> open_gpu(std::string &error);

}  // namespace bp::nvptx
