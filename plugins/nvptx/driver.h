// NVIDIA's driver, libcuda.so.1, which is opened when it is first needed. The declarations of the functions that are
// called are our own: no header and no library of a CUDA toolkit is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "plugin_api/cpp/host_services.h"
#include "plugin_api/cpp/result.h"

namespace bp::gpu {
class Machine;
}

namespace bp::nvptx {

// The words that begin every message to the user. The frame puts them before errors.
inline constexpr std::string_view message_prefix = "nvptx: ";
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
// The attribute of a function that limits the shared memory of its launches.
enum : int { function_most_shared_bytes = 8 };
// Flags of an event: threads that wait for it sleep; it has no time stamp.
enum : unsigned { event_blocks = 1, event_has_no_time = 2 };
// The attribute of a pool for the number of unused bytes that it keeps when the host waits for the GPU.
enum : int { pool_release_threshold = 4 };

// A pool of memory of one device.
struct PoolProperties {
  int allocation_type = 1, handle_types = 0;  // pinned; for this process alone
  int location_type = 1, location = 0;        // a device; its number
  void *security = nullptr;
  std::size_t max_bytes = 0;  // 0: the driver's limit
  unsigned short usage = 0;
  unsigned char reserved[54] = {};
};
static_assert(sizeof(PoolProperties) == 88);
enum : int { jit_error_log = 5, jit_error_log_bytes = 6 };
// The kind of input for the linker.
enum : int { input_ptx = 1 };

// A kernel in a graph. The arguments behind `values` are copied.
struct KernelNode {
  Function function = nullptr;
  unsigned blocks[3] = {1, 1, 1}, threads[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  void **values = nullptr, **extra = nullptr;
  void *kernel = nullptr;  // used if there is no function
  Context context = nullptr;
};
static_assert(sizeof(KernelNode) == 72);

// A copy in a graph, here of contiguous bytes within the device's memory.
struct Copy {
  struct End {
    std::size_t x = 0, y = 0, z = 0, level = 0;
    int memory_type = 2;  // the device's memory
    const void *host = nullptr;
    Address address = 0;
    void *array = nullptr, *reserved = nullptr;
    std::size_t pitch = 0, height = 0;
  };
  End from, to;
  std::size_t bytes = 0, rows = 1, slices = 1;
};
static_assert(sizeof(Copy) == 200);

// A tensor map, made by the driver in a format of its own. A kernel gets it as an argument.
struct alignas(128) TensorMap {
  std::uint64_t opaque[16] = {};
};
static_assert(sizeof(TensorMap) == 128);
enum : int { tensor_of_bytes = 0, tensor_of_words = 1 };  // words have 16 bits
enum : int {
  tensor_not_interleaved = 0,
  tensor_swizzle_128 = 3,
  tensor_promotion_128 = 2,
  tensor_filled_with_zeros = 0
};

}  // namespace cuda

// All functions that are called, by the names that the library exports.
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

// The functions for graphs, as CUDA 12 declares them. A driver without them is used without graphs.
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

// The function for the copy engine of compute capability 9.0, as CUDA 12 declares it. Programs that need it are not
// loaded if it is missing.
#define BP_CUDA_TENSOR_FUNCTIONS(X)                                                                              \
  X(cuTensorMapEncodeTiled, (cuda::TensorMap * map, int type, std::uint32_t dimensions, void *address,           \
                             const std::uint64_t *sizes, const std::uint64_t *strides, const std::uint32_t *box, \
                             const std::uint32_t *steps, int interleave, int swizzle, int promotion, int fill))

// The function that loads a kernel before it is started, of CUDA 12.4.
#define BP_CUDA_LOADING_FUNCTIONS(X) X(cuFuncLoad, (cuda::Function function))

struct Driver {
#define BP_CUDA_FUNCTION(name, parameters) cuda::Result(*name) parameters = nullptr;
  BP_CUDA_FUNCTIONS(BP_CUDA_FUNCTION)
  BP_CUDA_GRAPH_FUNCTIONS(BP_CUDA_FUNCTION)
  BP_CUDA_TENSOR_FUNCTIONS(BP_CUDA_FUNCTION)
  BP_CUDA_LOADING_FUNCTIONS(BP_CUDA_FUNCTION)
#undef BP_CUDA_FUNCTION
  // Whether the driver has all functions of the lists above.
  bool has_graphs = false, has_tensor_maps = false, has_function_loading = false;
  int version = 0;  // the newest CUDA version that it supports: 12040 for 12.4

  // The text and number of a result, as the driver has them: "out of memory (2)".
  std::string text(cuda::Result result) const;
};

// Returns "12.4" for 12040.
std::string version_text(int version);

// Opens the driver in this library, which stays mapped as long as the process lives. If the library is missing, too
// old, or does not start, fails with BP_DEVICE_LOST and a message that also says what to do.
plugin::Result<std::shared_ptr<const Driver>> open_driver(const std::string &library);

// Properties of a GPU that are known before it is opened.
struct GpuFacts {
  std::shared_ptr<const Driver> driver;
  cuda::Device device = 0;
  std::string name;         // "NVIDIA H200"
  unsigned capability = 0;  // 90: compute capability 9.0
  std::uint64_t memory_bytes = 0;
  float gb_per_s = 0;  // of its memory; 0: unknown
  bool has_pools = false;
};

// Finds the first GPU. If there is none, fails with BP_DEVICE_LOST and a message that also says what to do.
plugin::Result<GpuFacts> find_gpu(const std::string &library);

struct GpuUse {
  std::string cache_folder;  // for machine code (cubin_cache.h); empty: none
  bool has_graphs = true;    // if the driver has them (gpu_graph.h)
  plugin::HostServices services;
};

// Opens a GPU, which takes some of its memory.
plugin::Result<std::unique_ptr<gpu::Machine>> open_gpu(const GpuFacts &facts, const GpuUse &use);

}  // namespace bp::nvptx
