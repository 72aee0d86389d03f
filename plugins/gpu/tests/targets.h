// GPUs of a vendor that does not exist, for tests.
#pragma once

#include "plugins/gpu/launch_plan.h"
#include "plugins/gpu/target.h"
#include "plugins/llvm/generator/team.h"

namespace bp::gpu::tests {

// Every thread has registers for everything.
class EnoughRegisters final : public RegisterModel {
 public:
  RegisterNeed of_sums(std::int64_t) const override { return {max_threads_per_block, false}; }
  RegisterNeed with_sums(const RegisterNeed &need, std::int64_t) const override { return need; }

 protected:
  RegisterNeed of_one(emit::InstructionView) const override { return {max_threads_per_block, false}; }
};
inline constexpr EnoughRegisters enough_registers;

// A GPU without any units besides its threads.
inline Target plain_target(std::int64_t warp_size) {
  return {.name = "first",
          .warp_size = warp_size,
          .usual_shared_bytes = 48 * 1024,
          .max_shared_bytes = 64 * 1024,
          .max_parameters = 64,
          .threads = {.vector_bits = 128,
                      .vector_registers = 32,
                      .has_fma = true,
                      .is_threaded = true,
                      .gpu = {.multiprocessors = 10,
                              .threads = 1024,
                              .shared_bytes = 64 * 1024,
                              .memory_bytes = 100,
                              .cache_bytes = 400,
                              .float_products = 64,
                              .double_products = 2}},
          .registers = &enough_registers};
}

// A GPU that has all units, which do not round f32.
inline Target full_target() {
  Target target = plain_target(32);
  target.max_shared_bytes = 200 * 1024;
  target.threads.gpu.shared_bytes = 228 * 1024;
  target.threads.gpu.matrix_products = {1024, 1024, 0, 2048, 2048};
  target.matrix_parts.fill(MatrixPart{16, 32});
  target.matrix_parts[static_cast<std::size_t>(emit::MatrixElement::TF32)] = std::nullopt;
  target.threads.gpu.warpgroup_products = {2048, 2048, 0, 4096, 4096};
  target.threads.gpu.has_async_copy = true;
  target.has_copy_engine = true;
  return target;
}

}  // namespace bp::gpu::tests
