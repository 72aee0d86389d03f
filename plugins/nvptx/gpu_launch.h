// The arguments of a command for the driver: addresses and tensor maps, for the memory of one run.
#pragma once

#include <span>
#include <vector>

#include "plugins/gpu/launch_plan.h"
#include "plugins/nvptx/driver.h"

namespace bp::nvptx {

// It cannot be copied, because its values point into it.
class LaunchArguments {
 public:
  // bases: the addresses of the plan's allocations.
  LaunchArguments(const gpu::LaunchPlan &plan, const gpu::Command &command, std::span<const cuda::Address> bases);
  LaunchArguments(const LaunchArguments &) = delete;
  LaunchArguments &operator=(const LaunchArguments &) = delete;

  // Makes the tensor maps, once, before a launch.
  cuda::Result make_maps(const Driver &driver);
  std::span<const cuda::Address> addresses() const { return addresses_; }
  void **values() { return values_.data(); }  // the argument of cuLaunchKernel

 private:
  std::span<const gpu::TensorMap> plan_maps_;
  std::vector<cuda::Address> addresses_;
  std::vector<cuda::TensorMap> maps_;
  std::vector<void *> values_;
};

}  // namespace bp::nvptx
