// The threads of NVIDIA's GPUs: kernels written with NVPTX's intrinsics and PTX.
#pragma once

#include <memory>

#include "plugins/gpu/threads.h"

namespace bp::nvptx {

std::unique_ptr<gpu::Threads> make_gpu_threads(const gpu::Target &target);

}  // namespace bp::nvptx
