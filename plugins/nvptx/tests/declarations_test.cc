// Our declarations of the driver against those of a CUDA toolkit, where there is one.
#include <catch2/catch.hpp>
#include <cstddef>
#include <string>
#include <type_traits>

#include "plugins/nvptx/driver.h"
#include "tools/testing/skip.h"

#if __has_include(<cuda.h>)
#include <cuda.h>
#endif

namespace bp::nvptx::tests {
namespace {

#ifdef CUDA_VERSION

// A type as the calling convention sees it: handles are pointers to something, enumerations are integers, and only size
// and sign of integers count.
template <class Type>
struct Passed {
  using type = Type;
};
template <class Type>
  requires std::is_enum_v<Type>
struct Passed<Type> {
  using type = std::conditional_t<sizeof(Type) == 4, int, void>;
};
template <class Type>
  requires std::is_integral_v<Type>
struct Passed<Type> {
  using type =
      std::conditional_t<sizeof(Type) == 8, std::conditional_t<std::is_signed_v<Type>, long, unsigned long>, Type>;
};
template <class Type>
  requires std::is_pointer_v<Type>
struct Passed<Type> {
  using Target = std::remove_pointer_t<Type>;
  using Plain = std::remove_const_t<Target>;
  static constexpr bool is_opaque = std::is_class_v<Plain> || std::is_void_v<Plain>;
  using Seen = typename Passed<std::conditional_t<is_opaque, char, Plain>>::type;
  using Kept = std::conditional_t<is_opaque, void, Seen>;
  using type = std::conditional_t<std::is_const_v<Target>, const Kept, Kept> *;
};
template <class... Parameters>
struct Passed<CUresult (*)(Parameters...)> {
  using type = int (*)(typename Passed<Parameters>::type...);
};
template <class... Parameters>
struct Passed<cuda::Result (*)(Parameters...)> {
  using type = int (*)(typename Passed<Parameters>::type...);
};

#endif

}  // namespace

TEST_CASE("the driver's functions and numbers are those of cuda.h") {
#ifdef CUDA_VERSION
#define BP_CUDA_FUNCTION(name, parameters)                                                        \
  {                                                                                               \
    INFO(#name);                                                                                  \
    CHECK(std::is_same_v<Passed<decltype(Driver::name)>::type, Passed<decltype(&::name)>::type>); \
  }
  BP_CUDA_FUNCTIONS(BP_CUDA_FUNCTION)
#if CUDA_VERSION >= 12000
  BP_CUDA_GRAPH_FUNCTIONS(BP_CUDA_FUNCTION)
  BP_CUDA_TENSOR_FUNCTIONS(BP_CUDA_FUNCTION)
#if CUDA_VERSION >= 12040
  BP_CUDA_LOADING_FUNCTIONS(BP_CUDA_FUNCTION)
#endif
  CHECK(sizeof(cuda::TensorMap) == sizeof(CUtensorMap));
  CHECK(alignof(cuda::TensorMap) >= alignof(CUtensorMap));  // 64 or 128, by version
  CHECK(static_cast<int>(cuda::tensor_of_bytes) == static_cast<int>(CU_TENSOR_MAP_DATA_TYPE_UINT8));
  CHECK(static_cast<int>(cuda::tensor_of_words) == static_cast<int>(CU_TENSOR_MAP_DATA_TYPE_UINT16));
  CHECK(static_cast<int>(cuda::tensor_not_interleaved) == static_cast<int>(CU_TENSOR_MAP_INTERLEAVE_NONE));
  CHECK(static_cast<int>(cuda::tensor_swizzle_128) == static_cast<int>(CU_TENSOR_MAP_SWIZZLE_128B));
  CHECK(static_cast<int>(cuda::tensor_promotion_128) == static_cast<int>(CU_TENSOR_MAP_L2_PROMOTION_L2_128B));
  CHECK(static_cast<int>(cuda::tensor_filled_with_zeros) == static_cast<int>(CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  CHECK(sizeof(cuda::KernelNode) == sizeof(CUDA_KERNEL_NODE_PARAMS_v2));
  CHECK(offsetof(cuda::KernelNode, blocks) == offsetof(CUDA_KERNEL_NODE_PARAMS_v2, gridDimX));
  CHECK(offsetof(cuda::KernelNode, threads) == offsetof(CUDA_KERNEL_NODE_PARAMS_v2, blockDimX));
  CHECK(offsetof(cuda::KernelNode, shared_bytes) == offsetof(CUDA_KERNEL_NODE_PARAMS_v2, sharedMemBytes));
  CHECK(offsetof(cuda::KernelNode, values) == offsetof(CUDA_KERNEL_NODE_PARAMS_v2, kernelParams));
  CHECK(offsetof(cuda::KernelNode, kernel) == offsetof(CUDA_KERNEL_NODE_PARAMS_v2, kern));
  CHECK(offsetof(cuda::KernelNode, context) == offsetof(CUDA_KERNEL_NODE_PARAMS_v2, ctx));
#endif
#undef BP_CUDA_FUNCTION
#define BP_SAME(ours, theirs) CHECK(static_cast<int>(cuda::ours) == static_cast<int>(theirs))
  BP_SAME(invalid_value, CUDA_ERROR_INVALID_VALUE);
  BP_SAME(out_of_memory, CUDA_ERROR_OUT_OF_MEMORY);
  BP_SAME(not_initialized, CUDA_ERROR_NOT_INITIALIZED);
  BP_SAME(no_device, CUDA_ERROR_NO_DEVICE);
  BP_SAME(invalid_image, CUDA_ERROR_INVALID_IMAGE);
  BP_SAME(invalid_context, CUDA_ERROR_INVALID_CONTEXT);
  BP_SAME(no_binary_for_gpu, CUDA_ERROR_NO_BINARY_FOR_GPU);
  BP_SAME(invalid_ptx, CUDA_ERROR_INVALID_PTX);
  BP_SAME(unsupported_ptx, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  BP_SAME(invalid_handle, CUDA_ERROR_INVALID_HANDLE);
  BP_SAME(not_found, CUDA_ERROR_NOT_FOUND);
  BP_SAME(illegal_address, CUDA_ERROR_ILLEGAL_ADDRESS);
  BP_SAME(memory_clock_khz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  BP_SAME(memory_bus_bits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  BP_SAME(compute_capability_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  BP_SAME(compute_capability_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  BP_SAME(memory_pools_supported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
  BP_SAME(function_most_shared_bytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  BP_SAME(event_blocks, CU_EVENT_BLOCKING_SYNC);
  BP_SAME(event_has_no_time, CU_EVENT_DISABLE_TIMING);
  BP_SAME(pool_release_threshold, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
  BP_SAME(PoolProperties().allocation_type, CU_MEM_ALLOCATION_TYPE_PINNED);
  BP_SAME(PoolProperties().handle_types, CU_MEM_HANDLE_TYPE_NONE);
  BP_SAME(PoolProperties().location_type, CU_MEM_LOCATION_TYPE_DEVICE);
  CHECK(sizeof(cuda::PoolProperties) == sizeof(CUmemPoolProps));
  CHECK(offsetof(cuda::PoolProperties, location) == offsetof(CUmemPoolProps, location.id));
  CHECK(offsetof(cuda::PoolProperties, security) == offsetof(CUmemPoolProps, win32SecurityAttributes));
  CHECK(offsetof(cuda::PoolProperties, max_bytes) == offsetof(CUmemPoolProps, maxSize));
  CHECK(offsetof(cuda::PoolProperties, usage) == offsetof(CUmemPoolProps, usage));
  CHECK(sizeof(cuda::Copy) == sizeof(CUDA_MEMCPY3D_v2));
  CHECK(offsetof(cuda::Copy, from.memory_type) == offsetof(CUDA_MEMCPY3D_v2, srcMemoryType));
  CHECK(offsetof(cuda::Copy, from.address) == offsetof(CUDA_MEMCPY3D_v2, srcDevice));
  CHECK(offsetof(cuda::Copy, to.memory_type) == offsetof(CUDA_MEMCPY3D_v2, dstMemoryType));
  CHECK(offsetof(cuda::Copy, to.address) == offsetof(CUDA_MEMCPY3D_v2, dstDevice));
  CHECK(offsetof(cuda::Copy, bytes) == offsetof(CUDA_MEMCPY3D_v2, WidthInBytes));
  CHECK(offsetof(cuda::Copy, rows) == offsetof(CUDA_MEMCPY3D_v2, Height));
  CHECK(offsetof(cuda::Copy, slices) == offsetof(CUDA_MEMCPY3D_v2, Depth));
  BP_SAME(Copy::End().memory_type, CU_MEMORYTYPE_DEVICE);
  BP_SAME(jit_error_log, CU_JIT_ERROR_LOG_BUFFER);
  BP_SAME(jit_error_log_bytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  BP_SAME(input_ptx, CU_JIT_INPUT_PTX);
  CHECK(reinterpret_cast<void *>(cuda::stream_of_thread) == reinterpret_cast<void *>(CU_STREAM_PER_THREAD));
#undef BP_SAME
#else
  testing::skip("there is no cuda.h, which comes with a CUDA toolkit");
#endif
}

}  // namespace bp::nvptx::tests
