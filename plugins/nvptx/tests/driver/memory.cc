#include "plugins/nvptx/tests/driver/state.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace bp::nvptx::test_driver {
namespace {

constexpr Address gap = 4096;  // between pieces, so that what runs over an end is found

Result take(Address *address, std::size_t size, cuda::MemoryPool pool) {
  if (address == nullptr || size == 0) {
    return problem("nothing is asked for", cuda::invalid_value);
  }
  std::size_t kept = 0;  // of what other pieces were is nothing taken, as if it had fallen to pieces
  for (const auto &[handle, one] : state.pools) {
    kept += one->kept;
    for (const auto &[stream, bytes] : one->unseen) {
      kept += bytes;
    }
  }
  if (size + kept > state.settings.memory - state.taken) {
    return cuda::out_of_memory;
  }
  *address = state.next_address;
  state.next_address += (size + gap + 255) / 256 * 256;
  state.pieces[*address] = {std::vector<std::byte>(size, std::byte{0xdb}), pool};
  state.taken += size;
  return 0;
}

// on: null if it is at once.
Result give(Address address, const StreamKey *on) {
  const auto found = state.pieces.find(address);
  if (found == state.pieces.end()) {
    return problem("no piece starts there", cuda::invalid_value);
  }
  if (on != nullptr && found->second.pool == nullptr) {
    return problem("the piece is of no pool", cuda::invalid_value);
  }
  const std::size_t size = found->second.bytes.size();
  check_unused(found->second.bytes.data(), size);
  if (const auto pool = state.pools.find(found->second.pool); on != nullptr && pool != state.pools.end()) {
    pool->second->unseen[*on] += size;
  }
  state.taken -= size;
  state.pieces.erase(found);
  return 0;
}

}  // namespace

std::byte *bytes_at(Address address, std::size_t size, const char *which) {
  const auto next = state.pieces.upper_bound(address);
  if (next != state.pieces.begin()) {
    auto &[start, piece] = *std::prev(next);
    if (address - start < piece.bytes.size() && size <= piece.bytes.size() - (address - start)) {
      return piece.bytes.data() + (address - start);
    }
  }
  problem(std::to_string(size) + " bytes of " + which + " are not inside of a piece", 0);
  return nullptr;
}

bool is_pinned(const void *memory, std::size_t size) {
  const auto *address = static_cast<const std::byte *>(memory);
  for (const auto &[start, bytes] : state.pinned) {
    if (address >= start && address < start + bytes.size()) {
      if (size > static_cast<std::size_t>(start + bytes.size() - address)) {
        problem("a copy runs over the end of pinned memory", 0);
      }
      return true;
    }
  }
  return false;
}

Result cuMemAlloc_v2(Address *address, std::size_t bytes) {
  return call("cuMemAlloc_v2", context, [&] { return take(address, bytes, nullptr); });
}

Result cuMemFree_v2(Address address) {
  return call("cuMemFree_v2", context_to_end, [&] { return give(address, nullptr); });
}

Result cuMemPoolCreate(cuda::MemoryPool *made, const cuda::PoolProperties *properties) {
  return call("cuMemPoolCreate", context, [&]() -> Result {
    if (properties == nullptr || properties->allocation_type != 1 || properties->handle_types != 0 ||
        properties->location_type != 1 || properties->location >= state.settings.devices ||
        properties->security != nullptr) {
      return problem("properties that no pool has", cuda::invalid_value);
    }
    if (state.settings.pools == 0) {
      return problem("the device has no pools", 801);
    }
    auto pool = std::make_unique<Pool>();
    *made = reinterpret_cast<cuda::MemoryPool>(pool.get());
    state.pools.emplace(pool.get(), std::move(pool));
    return 0;
  });
}

Result cuMemPoolDestroy(cuda::MemoryPool pool) {
  return call("cuMemPoolDestroy", context_to_end, [&]() -> Result {
    for (const auto &[address, piece] : state.pieces) {
      if (piece.pool == pool && !state.has_failed_to_switch) {
        return problem("a piece of the pool is in use", cuda::invalid_value);
      }
    }
    return state.pools.erase(pool) == 1 ? 0 : problem("there is no such pool", cuda::invalid_handle);
  });
}

Result cuMemPoolSetAttribute(cuda::MemoryPool pool, int attribute, void *value) {
  return call("cuMemPoolSetAttribute", context, [&]() -> Result {
    const auto found = state.pools.find(pool);
    if (found == state.pools.end() || attribute != cuda::pool_release_threshold || value == nullptr) {
      return problem("there is no such pool or attribute", cuda::invalid_value);
    }
    std::uint64_t threshold = 0;
    std::memcpy(&threshold, value, sizeof threshold);
    found->second->threshold = threshold;
    return 0;
  });
}

Result cuMemPoolTrimTo(cuda::MemoryPool pool, std::size_t bytes_to_keep) {
  return call("cuMemPoolTrimTo", context, [&]() -> Result {
    const auto found = state.pools.find(pool);
    if (found == state.pools.end()) {
      return problem("there is no such pool", cuda::invalid_value);
    }
    found->second->kept = std::min(found->second->kept, bytes_to_keep);
    return 0;
  });
}

Result cuMemAllocFromPoolAsync(Address *address, std::size_t bytes, cuda::MemoryPool pool, cuda::Stream on) {
  return call("cuMemAllocFromPoolAsync", context, [&]() -> Result {
    if (stream_of(on) == nullptr || !state.pools.contains(pool)) {
      return problem("there is no such pool", cuda::invalid_value);
    }
    return take(address, bytes, pool);
  });
}

Result cuMemFreeAsync(Address address, cuda::Stream on) {
  return call("cuMemFreeAsync", context_to_end, [&]() -> Result {
    const auto key = key_of(on);
    if (!key) {
      return cuda::invalid_handle;
    }
    catch_up(state.streams[*key]);  // in its order
    return give(address, &*key);
  });
}

Result cuMemHostAlloc(void **memory, std::size_t bytes, unsigned flags) {
  return call("cuMemHostAlloc", context, [&]() -> Result {
    if (bytes == 0 || flags > 7) {
      return problem("nothing is asked for", cuda::invalid_value);
    }
    std::vector<std::byte> pinned(bytes, std::byte{0xdb});
    std::byte *address = pinned.data();
    *memory = address;
    state.pinned.emplace(address, std::move(pinned));
    return 0;
  });
}

Result cuMemFreeHost(void *memory) {
  return call("cuMemFreeHost", context_to_end, [&]() -> Result {
    const auto found = state.pinned.find(static_cast<const std::byte *>(memory));
    if (found == state.pinned.end()) {
      return problem("this is not the begin of pinned memory", cuda::invalid_value);
    }
    check_unused(memory, found->second.size());
    state.pinned.erase(found);
    return 0;
  });
}

}  // namespace bp::nvptx::test_driver
