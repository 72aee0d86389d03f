#include "plugins/nvptx/gpu_memory.h"

#include <algorithm>
#include <cstring>

namespace bp::nvptx {

// --- Pieces ---

cuda::Result GpuPieces::open() {
  if (!has_pool_) {
    return 0;
  }
  cuda::PoolProperties properties;
  properties.location = device_;
  if (const cuda::Result result = driver_.cuMemPoolCreate(&pool_, &properties); result != 0) {
    pool_ = nullptr;
    return result;
  }
  return driver_.cuMemPoolSetAttribute(pool_, cuda::pool_release_threshold, &kept_bytes_);
}

cuda::Result GpuPieces::close() {
  return pool_ == nullptr ? 0 : driver_.cuMemPoolDestroy(pool_);
}

cuda::Result GpuPieces::release_cached() const {
  if (pool_ == nullptr) {
    return 0;
  }
  // For the pool, released memory is in use until the host has waited for the stream on which it was released, which
  // may be that of any thread.
  const cuda::Result result = driver_.cuCtxSynchronize();
  return result == 0 ? driver_.cuMemPoolTrimTo(pool_, 0) : result;
}

cuda::Result GpuPieces::take(std::uint64_t bytes, cuda::Address &address) const {
  if (pool_ == nullptr) {
    return driver_.cuMemAlloc_v2(&address, bytes);
  }
  cuda::Address taken = 0;
  cuda::Result result = driver_.cuMemAllocFromPoolAsync(&taken, bytes, pool_, cuda::stream_of_thread);
  if (result == cuda::out_of_memory) {
    result = release_cached();
    result = result == 0 ? driver_.cuMemAllocFromPoolAsync(&taken, bytes, pool_, cuda::stream_of_thread) : result;
  }
  if (result != 0) {
    return result;
  }
  // After this, other streams may use the memory, too.
  result = driver_.cuStreamSynchronize(cuda::stream_of_thread);
  if (result != 0) {
    driver_.cuMemFreeAsync(taken, cuda::stream_of_thread);
    return result;
  }
  address = taken;
  return 0;
}

cuda::Result GpuPieces::give_back(cuda::Address address) const {
  return pool_ == nullptr ? driver_.cuMemFree_v2(address) : driver_.cuMemFreeAsync(address, cuda::stream_of_thread);
}

// --- Staging ---

cuda::Result Staging::open_for(std::size_t bytes, std::unique_lock<std::mutex> &lock) {
  if (bytes < min_bytes || !lock.try_lock()) {
    return cuda::out_of_memory;
  }
  cuda::Result result = 0;
  for (Buffer &buffer : buffers_) {
    if (buffer.memory == nullptr && driver_.cuMemHostAlloc(&buffer.memory, buffer_bytes, 0) != 0) {
      return cuda::out_of_memory;
    }
    if (result == 0 && buffer.done == nullptr) {
      result = driver_.cuEventCreate(&buffer.done, cuda::event_has_no_time);
    }
  }
  return result;
}

cuda::Result Staging::close() {
  cuda::Result result = 0;
  const auto note = [&](cuda::Result next) { result = result == 0 ? next : result; };
  for (Buffer &buffer : buffers_) {
    if (buffer.done != nullptr) {
      note(driver_.cuEventDestroy_v2(buffer.done));
    }
    if (buffer.memory != nullptr) {
      note(driver_.cuMemFreeHost(buffer.memory));
    }
    buffer = {};
  }
  return result;
}

cuda::Result Staging::finish(cuda::Result result) const {
  const cuda::Result waited = driver_.cuStreamSynchronize(cuda::stream_of_thread);
  return result == 0 ? waited : result;
}

cuda::Result Staging::copy_in(cuda::Address to, const void *from, std::size_t bytes) {
  std::unique_lock lock(mutex_, std::defer_lock);
  const cuda::Result result = open_for(bytes, lock);
  if (result == cuda::out_of_memory) {
    return finish(driver_.cuMemcpyHtoDAsync_v2(to, from, bytes, cuda::stream_of_thread));
  }
  return finish(result == 0 ? copy_in_chunks(to, static_cast<const std::byte *>(from), bytes) : result);
}

cuda::Result Staging::copy_out(void *to, cuda::Address from, std::size_t bytes) {
  std::unique_lock lock(mutex_, std::defer_lock);
  const cuda::Result result = open_for(bytes, lock);
  if (result == cuda::out_of_memory) {
    return finish(driver_.cuMemcpyDtoHAsync_v2(to, from, bytes, cuda::stream_of_thread));
  }
  return finish(result == 0 ? copy_out_chunks(static_cast<std::byte *>(to), from, bytes) : result);
}

cuda::Result Staging::copy_in_chunks(cuda::Address to, const std::byte *from, std::size_t bytes) {
  cuda::Result result = 0;
  for (std::size_t at = 0, chunk = 0; at < bytes && result == 0; at += buffer_bytes, ++chunk) {
    Buffer &buffer = buffers_[chunk % 2];
    const std::size_t size = std::min(buffer_bytes, bytes - at);
    if (chunk >= 2) {
      result = driver_.cuEventSynchronize(buffer.done);
    }
    if (result == 0) {
      std::memcpy(buffer.memory, from + at, size);
      result = driver_.cuMemcpyHtoDAsync_v2(to + at, buffer.memory, size, cuda::stream_of_thread);
    }
    result = result == 0 ? driver_.cuEventRecord(buffer.done, cuda::stream_of_thread) : result;
  }
  return result;
}

// A chunk is copied to one buffer while the chunk before it is taken out of the other.
cuda::Result Staging::copy_out_chunks(std::byte *to, cuda::Address from, std::size_t bytes) {
  cuda::Result result = 0;
  const std::size_t chunks = (bytes + buffer_bytes - 1) / buffer_bytes;
  for (std::size_t chunk = 0; chunk <= chunks && result == 0; ++chunk) {
    if (chunk < chunks) {
      Buffer &buffer = buffers_[chunk % 2];
      const std::size_t at = chunk * buffer_bytes;
      result = driver_.cuMemcpyDtoHAsync_v2(buffer.memory, from + at, std::min(buffer_bytes, bytes - at),
                                            cuda::stream_of_thread);
      result = result == 0 ? driver_.cuEventRecord(buffer.done, cuda::stream_of_thread) : result;
    }
    if (chunk > 0 && result == 0) {
      Buffer &buffer = buffers_[(chunk - 1) % 2];
      const std::size_t at = (chunk - 1) * buffer_bytes;
      result = driver_.cuEventSynchronize(buffer.done);
      if (result == 0) {
        std::memcpy(to + at, buffer.memory, std::min(buffer_bytes, bytes - at));
      }
    }
  }
  return result;
}

}  // namespace bp::nvptx
