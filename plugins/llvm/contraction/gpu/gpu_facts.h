// What code is chosen by: the numbers of a GPU that its maker tells. A cycle is one of its clock.
#pragma once

#include <array>
#include <cstdint>

namespace bp::emit {

struct GpuFacts {
  int64_t multiprocessors = 0;
  int64_t threads = 0, shared_bytes = 0;           // of a multiprocessor
  double memory_bytes = 0, cache_bytes = 0;        // that all of them read in a cycle: of the memory, of the L2 cache
  double float_products = 0, double_products = 0;  // that a multiprocessor adds up in a cycle
  // Likewise those of a warp's unit, and of a warpgroup's, by MatrixElement; 0: there is no such unit.
  std::array<double, 5> matrix_products = {}, warpgroup_products = {};
  bool copies_by_itself = false;  // to shared memory, while threads go on
};

}  // namespace bp::emit
