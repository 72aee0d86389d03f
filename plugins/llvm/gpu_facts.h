// Numbers of a GPU, published by its vendor, by which code is chosen. Cycles are cycles of its clock.
#pragma once

#include <array>
#include <cstdint>

namespace bp::emit {

struct GpuFacts {
  int64_t multiprocessors = 0;
  int64_t threads = 0, shared_bytes = 0;  // per multiprocessor
  // Bytes that all multiprocessors together read per cycle: from memory, from the L2 cache.
  double memory_bytes = 0, cache_bytes = 0;
  double float_products = 0, double_products = 0;  // multiply-adds of a multiprocessor per cycle
  // Multiply-adds of a multiprocessor per cycle with the units of warps, and of warpgroups, by MatrixElement; 0: there
  // is no such unit.
  std::array<double, 5> matrix_products = {}, warpgroup_products = {};
  bool has_async_copy = false;  // whether threads can copy to shared memory asynchronously
};

}  // namespace bp::emit
