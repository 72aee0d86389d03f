// Facts of a GPU that its launch plans and the code of its kernels depend on. The backend of a vendor fills them in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "plugins/gpu/registers.h"
#include "plugins/llvm/vector_target.h"

namespace bp::gpu {

// The part of emit::MatrixUnit's matrices that one instruction multiplies: `rows` rows by 8 columns, and
// `contracted_bytes` bytes of each row and column. For every 8 of these rows a thread has two sums, and a word of every
// 16 of these bytes; for the columns it has a word of every 16 of these bytes. All are in the unit's order.
struct MatrixPart {
  std::uint32_t rows, contracted_bytes;
};
// The number of lanes over which emit::MatrixUnit distributes its matrices.
inline constexpr std::int64_t matrix_lanes = 32;

struct Target {
  std::string name;             // name of the GPU or its architecture, for messages: "sm_90a"
  std::int64_t warp_size = 32;  // threads that run in lockstep and exchange values, a power of two
  // Bytes of shared memory of a block: the limit for kernels that leave room for other blocks, at least the 48 KiB that
  // the cost model of plugins/llvm assumes, and the limit of the GPU.
  std::uint32_t usual_shared_bytes = 0, max_shared_bytes = 0;
  std::size_t max_parameters = 0;  // of a kernel, each of them a pointer
  // Properties of one thread, with is_threaded set, and of the GPU: `gpu` also says for which elements there is the
  // unit that emit::WarpgroupUnit describes, and whether threads can start copies to shared memory and go on.
  emit::VectorTarget threads;
  // The matrices that one instruction of a warp multiplies, by emit::MatrixElement; nothing where there is no such
  // instruction.
  std::array<std::optional<MatrixPart>, std::tuple_size_v<decltype(emit::GpuFacts::matrix_products)>> matrix_parts = {};
  bool has_copy_engine = false;              // the engine that copies boxes of an emit::TensorView to shared memory
  bool has_bf16_instructions = false;        // for rounding to bf16
  bool has_f8_instructions = false;          // for conversions from and to floats of 8 bits
  const RegisterModel *registers = nullptr;  // the backend's, which lives as long as the process
};

}  // namespace bp::gpu
