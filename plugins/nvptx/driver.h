// NVIDIA's driver, libcuda.so.1, opened when it is first needed: what we call of it, in declarations of our own. No
// header and no library of a CUDA toolkit takes part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "backplane/base/status.h"
#include "plugin_api/cpp/host_services.h"

namespace bp::gpu {
class Machine;
}

namespace bp::nvptx {
namespace cuda {

using Result = int;  // 0: success
using Device = int;
using Address = std::uint64_t;
using Context = struct ContextTag *;
using Module = struct ModuleTag *;
using Function = struct FunctionTag *;
using Stream = struct StreamTag *;
using Event = struct EventTag *;
using MemoryPool = struct MemoryPoolTag *;
using LinkState = struct LinkStateTag *;
using Graph = struct GraphTag *;
using GraphNode = struct GraphNodeTag *;
using GraphExec = struct GraphExecTag *;
// The default stream of the calling thread.
inline const Stream stream_of_thread = reinterpret_cast<Stream>(2);

enum : int { invalid_value = 1, out_of_memory = 2, not_initialized = 3, no_device = 100, invalid_image = 200 };
enum : int { invalid_context = 201, no_binary_for_gpu = 209, invalid_ptx = 218, unsupported_ptx = 222 };
enum : int { invalid_handle = 400, not_found = 500, illegal_address = 700 };
// Attributes of a device.
enum : int {
  memory_clock_khz = 36,
  memory_bus_bits = 37,
  compute_capability_major = 75,
  compute_capability_minor = 76,
  memory_pools_supported = 115
};
// The attribute of a function that says how much shared memory a launch of it may ask for.
enum : int { function_most_shared_bytes = 8 };
// Flags of an event: who waits for it sleeps, and nobody asks for its time.
enum : unsigned { event_blocks = 1, event_has_no_time = 2 };
// The attribute of a pool that says how many bytes without use it keeps when the GPU is waited for.
enum : int { pool_release_threshold = 4 };

// A pool of memory of one device.
struct PoolProperties {
  int allocation_type = 1, handle_types = 0;  // pinned, for this process alone
  int location_type = 1, location = 0;        // a device, its number
  void *security = nullptr;
  std::size_t max_bytes = 0;  // 0: the driver's limit
  unsigned short usage = 0;
  unsigned char reserved[54] = {};
};
static_assert(sizeof(PoolProperties) == 88);
enum : int { jit_error_log = 5, jit_error_log_bytes = 6 };
// What is linked.
enum : int { input_ptx = 1 };

// A kernel in a graph. The arguments behind `values` are copied.
struct KernelNode {
  Function function = nullptr;
  unsigned blocks[3] = {1, 1, 1}, threads[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  void **values = nullptr, **extra = nullptr;
  void *kernel = nullptr;  // in place of a function
  Context context = nullptr;
};
static_assert(sizeof(KernelNode) == 72);

// A copy in a graph, here of bytes in a row from the device's memory to the device's memory.
struct Copy {
  struct End {
    std::size_t x = 0, y = 0, z = 0, level = 0;
    int memory_type = 2;  // the device's
    const void *host = nullptr;
    Address address = 0;
    void *array = nullptr, *reserved = nullptr;
    std::size_t pitch = 0, height = 0;
  };
  End from, to;
  std::size_t bytes = 0, rows = 1, slices = 1;
};
static_assert(sizeof(Copy) == 200);

// Made by the driver; what it holds is its own. A kernel gets it as an argument.
struct alignas(128) TensorMap {
  std::uint64_t opaque[16] = {};
};
static_assert(sizeof(TensorMap) == 128);
enum : int { tensor_of_bytes = 0, tensor_of_words = 1 };  // of 16 bits
enum : int {
  tensor_not_interleaved = 0,
  tensor_swizzle_128 = 3,
  tensor_promotion_128 = 2,
  tensor_filled_with_zeros = 0
};

}  // namespace cuda

// Every function that is called, by the name that the library exports.
#define BP_CUDA_FUNCTIONS(X)                                                                                           \
  X(cuInit, (unsigned flags))                                                                                          \
  X(cuDriverGetVersion, (int *version))                                                                                \
  X(cuGetErrorString, (cuda::Result result, const char **text))                                                        \
  X(cuDeviceGetCount, (int *count))                                                                                    \
  X(cuDeviceGet, (cuda::Device * device, int number))                                                                  \
  X(cuDeviceGetName, (char *name, int size, cuda::Device device))                                                      \
  X(cuDeviceGetAttribute, (int *value, int attribute, cuda::Device device))                                            \
  X(cuDeviceTotalMem_v2, (std::size_t *bytes, cuda::Device device))                                                    \
  X(cuDevicePrimaryCtxRetain, (cuda::Context * context, cuda::Device device))                                          \
  X(cuDevicePrimaryCtxRelease_v2, (cuda::Device device))                                                               \
  X(cuCtxPushCurrent_v2, (cuda::Context context))                                                                      \
  X(cuCtxPopCurrent_v2, (cuda::Context * context))                                                                     \
  X(cuCtxSynchronize, ())                                                                                              \
  X(cuMemAlloc_v2, (cuda::Address * address, std::size_t bytes))                                                       \
  X(cuMemFree_v2, (cuda::Address address))                                                                             \
  X(cuMemPoolCreate, (cuda::MemoryPool * pool, const cuda::PoolProperties *properties))                                \
  X(cuMemPoolDestroy, (cuda::MemoryPool pool))                                                                         \
  X(cuMemPoolSetAttribute, (cuda::MemoryPool pool, int attribute, void *value))                                        \
  X(cuMemPoolTrimTo, (cuda::MemoryPool pool, std::size_t bytes_to_keep))                                               \
  X(cuMemAllocFromPoolAsync, (cuda::Address * address, std::size_t bytes, cuda::MemoryPool pool, cuda::Stream stream)) \
  X(cuMemFreeAsync, (cuda::Address address, cuda::Stream stream))                                                      \
  X(cuMemHostAlloc, (void **memory, std::size_t bytes, unsigned flags))                                                \
  X(cuMemFreeHost, (void *memory))                                                                                     \
  X(cuMemcpyHtoDAsync_v2, (cuda::Address to, const void *from, std::size_t bytes, cuda::Stream stream))                \
  X(cuMemcpyDtoHAsync_v2, (void *to, cuda::Address from, std::size_t bytes, cuda::Stream stream))                      \
  X(cuMemcpyDtoDAsync_v2, (cuda::Address to, cuda::Address from, std::size_t bytes, cuda::Stream stream))              \
  X(cuStreamSynchronize, (cuda::Stream stream))                                                                        \
  X(cuEventCreate, (cuda::Event * event, unsigned flags))                                                              \
  X(cuEventRecord, (cuda::Event event, cuda::Stream stream))                                                           \
  X(cuEventSynchronize, (cuda::Event event))                                                                           \
  X(cuEventDestroy_v2, (cuda::Event event))                                                                            \
  X(cuStreamWaitEvent, (cuda::Stream stream, cuda::Event event, unsigned flags))                                       \
  X(cuLinkCreate_v2, (unsigned count, int *options, void **values, cuda::LinkState *state))                            \
  X(cuLinkAddData_v2, (cuda::LinkState state, int type, void *data, std::size_t bytes, const char *name,               \
                       unsigned count, int *options, void **values))                                                   \
  X(cuLinkComplete, (cuda::LinkState state, void **cubin, std::size_t *bytes))                                         \
  X(cuLinkDestroy, (cuda::LinkState state))                                                                            \
  X(cuModuleLoadDataEx, (cuda::Module * module, const void *image, unsigned count, int *options, void **values))       \
  X(cuModuleUnload, (cuda::Module module))                                                                             \
  X(cuModuleGetFunction, (cuda::Function * function, cuda::Module module, const char *name))                           \
  X(cuFuncSetAttribute, (cuda::Function function, int attribute, int value))                                           \
  X(cuLaunchKernel,                                                                                                    \
    (cuda::Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,   \
     unsigned block_z, unsigned shared_bytes, cuda::Stream stream, void **values, void **extra))

// Those for graphs, by declarations of CUDA 12. A driver without them is used without graphs.
#define BP_CUDA_GRAPH_FUNCTIONS(X)                                                                           \
  X(cuGraphCreate, (cuda::Graph * graph, unsigned flags))                                                    \
  X(cuGraphDestroy, (cuda::Graph graph))                                                                     \
  X(cuGraphAddKernelNode_v2, (cuda::GraphNode * node, cuda::Graph graph, const cuda::GraphNode *dependences, \
                              std::size_t count, const cuda::KernelNode *parameters))                        \
  X(cuGraphAddMemcpyNode, (cuda::GraphNode * node, cuda::Graph graph, const cuda::GraphNode *dependences,    \
                           std::size_t count, const cuda::Copy *copy, cuda::Context context))                \
  X(cuGraphInstantiateWithFlags, (cuda::GraphExec * exec, cuda::Graph graph, unsigned long long flags))      \
  X(cuGraphExecKernelNodeSetParams_v2,                                                                       \
    (cuda::GraphExec exec, cuda::GraphNode node, const cuda::KernelNode *parameters))                        \
  X(cuGraphExecMemcpyNodeSetParams,                                                                          \
    (cuda::GraphExec exec, cuda::GraphNode node, const cuda::Copy *copy, cuda::Context context))             \
  X(cuGraphLaunch, (cuda::GraphExec exec, cuda::Stream stream))                                              \
  X(cuGraphExecDestroy, (cuda::GraphExec exec))

// That for the copy engine of compute capability 9.0, likewise of CUDA 12; programs that need it are not loaded without.
#define BP_CUDA_TENSOR_FUNCTIONS(X)                                                                              \
  X(cuTensorMapEncodeTiled, (cuda::TensorMap * map, int type, std::uint32_t dimensions, void *address,           \
                             const std::uint64_t *sizes, const std::uint64_t *strides, const std::uint32_t *box, \
                             const std::uint32_t *steps, int interleave, int swizzle, int promotion, int fill))

// That which loads a function before it is started, of CUDA 12.4.
#define BP_CUDA_LOADING_FUNCTIONS(X) X(cuFuncLoad, (cuda::Function function))

struct Driver {
#define BP_CUDA_FUNCTION(name, parameters) cuda::Result(*name) parameters = nullptr;
  BP_CUDA_FUNCTIONS(BP_CUDA_FUNCTION)
  BP_CUDA_GRAPH_FUNCTIONS(BP_CUDA_FUNCTION)
  BP_CUDA_TENSOR_FUNCTIONS(BP_CUDA_FUNCTION)
  BP_CUDA_LOADING_FUNCTIONS(BP_CUDA_FUNCTION)
#undef BP_CUDA_FUNCTION
  bool has_graphs = false;            // and all the functions for them
  bool has_tensor_maps = false;       // likewise
  bool has_function_loading = false;  // likewise
  int version = 0;                    // of CUDA, the newest that it knows: 12040 for 12.4

  // "out of memory (2)", as the driver says.
  std::string text(cuda::Result result) const;
};

// "12.4" for 12040.
std::string version_text(int version);

// The driver in this library, ready to be called; it stays mapped for as long as the process lives. Null, and why and
// what to do, if the library is missing, too old, or does not start.
std::shared_ptr<const Driver> open_driver(const std::string &library, std::string &error);

// What is known of a GPU before anything is done on it.
struct GpuFacts {
  std::shared_ptr<const Driver> driver;
  cuda::Device device = 0;
  std::string name;         // "NVIDIA H200"
  unsigned capability = 0;  // 90: compute capability 9.0
  std::uint64_t memory_bytes = 0;
  float gb_per_s = 0;  // of its memory; 0: unknown
  bool has_pools = false;
};

// The first GPU. Nothing, and why and what to do, if there is none.
std::optional<GpuFacts> find_gpu(const std::string &library, std::string &error);

struct GpuUse {
  std::string cache_folder;  // for machine code (cubin_cache.h); empty: none
  bool has_graphs = true;    // where the driver has them (gpu_graph.h)
  plugin::HostServices services;
};

// Opens it, which takes some of its memory. Null, and reports why, if that fails.
std::unique_ptr<gpu::Machine> open_gpu(const GpuFacts &facts, const GpuUse &use, bp_status &status,
                                       const bp_diag_t *diag);

}  // namespace bp::nvptx
