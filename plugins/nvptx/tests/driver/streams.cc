#include "plugins/nvptx/tests/driver/state.h"

#include <algorithm>
#include <cstring>

namespace bp::nvptx::test_driver {

std::optional<StreamKey> key_of(cuda::Stream stream) {
  if (stream == cuda::stream_of_thread) {
    return StreamKey{stream, this_thread().number};
  }
  problem("there is no such stream", 0);
  return std::nullopt;
}
Work *stream_of(cuda::Stream stream) {
  const auto key = key_of(stream);
  return key ? &state.streams[*key] : nullptr;
}

void catch_up(Work &work, std::uint64_t with) {
  while (!work.waiting.empty() && work.done < with) {
    const Command next = std::move(work.waiting.front());
    work.waiting.pop_front();
    ++work.done;
    if (next.waits_for) {
      catch_up(state.streams[next.waits_for->stream], next.waits_for->after);
    } else {
      std::memmove(next.to, next.from, next.bytes);
    }
  }
}

void catch_up_all() {
  for (auto &[key, work] : state.streams) {
    catch_up(work);
  }
}

void see_frees(const StreamKey &stream) {
  for (const auto &[handle, pool] : state.pools) {
    pool->kept = std::min(pool->kept + pool->unseen[stream], pool->threshold);
    pool->unseen.erase(stream);
  }
}

void check_unused(const void *memory, std::size_t size) {
  for (const auto &[key, work] : state.streams) {
    for (const Command &command : work.waiting) {
      if (command.uses(memory, size)) {
        problem("a copy still uses the memory", 0);
      }
    }
  }
  catch_up_all();
}

void copy(Work &work, void *to, const void *from, std::size_t bytes, const void *host) {
  if (host != nullptr && !is_pinned(host, bytes)) {
    catch_up(work);
    std::memcpy(to, from, bytes);
    return;
  }
  work.waiting.push_back({to, from, bytes, std::nullopt});
}

// --- Copies ---

Result cuMemcpyHtoDAsync_v2(Address to, const void *from, std::size_t bytes, cuda::Stream on) {
  return call("cuMemcpyHtoDAsync_v2", context, [&]() -> Result {
    Work *stream = stream_of(on);
    std::byte *target = bytes_at(to, bytes, "the target");
    if (stream == nullptr || target == nullptr || from == nullptr) {
      return problem("a copy from the host", cuda::invalid_value);
    }
    copy(*stream, target, from, bytes, from);
    return 0;
  });
}

Result cuMemcpyDtoHAsync_v2(void *to, Address from, std::size_t bytes, cuda::Stream on) {
  return call("cuMemcpyDtoHAsync_v2", context, [&]() -> Result {
    Work *stream = stream_of(on);
    const std::byte *source = bytes_at(from, bytes, "the source");
    if (stream == nullptr || source == nullptr || to == nullptr) {
      return problem("a copy to the host", cuda::invalid_value);
    }
    copy(*stream, to, source, bytes, to);
    return 0;
  });
}

Result cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, cuda::Stream on) {
  return call("cuMemcpyDtoDAsync_v2", context, [&]() -> Result {
    Work *stream = stream_of(on);
    std::byte *target = bytes_at(to, bytes, "the target");
    const std::byte *source = bytes_at(from, bytes, "the source");
    if (stream == nullptr || target == nullptr || source == nullptr) {
      return problem("a copy on the device", cuda::invalid_value);
    }
    copy(*stream, target, source, bytes, nullptr);
    return 0;
  });
}

Result cuStreamSynchronize(cuda::Stream on) {
  return call("cuStreamSynchronize", context_to_end, [&]() -> Result {
    const auto key = key_of(on);
    if (!key) {
      return cuda::invalid_handle;
    }
    catch_up(state.streams[*key]);
    see_frees(*key);
    return 0;
  });
}

// --- Events ---

Result cuEventCreate(cuda::Event *made, unsigned flags) {
  return call("cuEventCreate", context, [&]() -> Result {
    if (flags > 7) {
      return problem("flags that no event has", cuda::invalid_value);
    }
    auto event = std::make_unique<Recorded>();
    *made = reinterpret_cast<cuda::Event>(event.get());
    state.events.emplace(event.get(), std::move(event));
    return 0;
  });
}

Result cuEventRecord(cuda::Event event, cuda::Stream on) {
  return call("cuEventRecord", context, [&]() -> Result {
    const auto found = state.events.find(event);
    const auto key = key_of(on);
    if (found == state.events.end() || !key) {
      return problem("there is no such event", cuda::invalid_handle);
    }
    const Work &work = state.streams[*key];
    *found->second = {*key, work.done + work.waiting.size()};
    return 0;
  });
}

Result cuEventSynchronize(cuda::Event event) {
  return call("cuEventSynchronize", context_to_end, [&]() -> Result {
    const auto found = state.events.find(event);
    if (found == state.events.end()) {
      return problem("there is no such event", cuda::invalid_handle);
    }
    catch_up(state.streams[found->second->stream], found->second->after);
    return 0;
  });
}

Result cuEventDestroy_v2(cuda::Event event) {
  return call("cuEventDestroy_v2", context_to_end, [&]() -> Result {
    return state.events.erase(event) == 1 ? 0 : problem("there is no such event", cuda::invalid_handle);
  });
}

Result cuStreamWaitEvent(cuda::Stream on, cuda::Event event, unsigned flags) {
  return call("cuStreamWaitEvent", context, [&]() -> Result {
    Work *stream = stream_of(on);
    const auto found = state.events.find(event);
    if (stream == nullptr || found == state.events.end() || flags != 0) {
      return problem("there is no such event", cuda::invalid_handle);
    }
    stream->waiting.push_back({nullptr, nullptr, 0, *found->second});
    return 0;
  });
}

}  // namespace bp::nvptx::test_driver
