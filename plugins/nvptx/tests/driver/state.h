// The state of the driver for tests, and the functions that its parts call.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/nvptx/driver.h"

namespace bp::nvptx::test_driver {

// All that the plugin may call, with the types by which it calls it.
#define BP_CUDA_FUNCTION(name, parameters) \
  extern "C" __attribute__((visibility("default"))) cuda::Result name parameters;
BP_CUDA_FUNCTIONS(BP_CUDA_FUNCTION)
BP_CUDA_GRAPH_FUNCTIONS(BP_CUDA_FUNCTION)
BP_CUDA_TENSOR_FUNCTIONS(BP_CUDA_FUNCTION)
BP_CUDA_LOADING_FUNCTIONS(BP_CUDA_FUNCTION)
#undef BP_CUDA_FUNCTION

using cuda::Address;
using cuda::Result;

constexpr Address first_address = Address{1} << 40;  // nothing of the host's: who reads it there crashes
inline const auto the_context = reinterpret_cast<cuda::Context>(0xc0de);

struct Kernel {
  std::string name;
  std::vector<bool> reads;                // by parameter: whether it is ever looked at
  std::vector<bool> is_map;               // by parameter: a tensor map
  unsigned max_shared_bytes = 48 * 1024;  // of every GPU since compute capability 7.5, without asking for more
};
// Where a compiler says what is wrong. Its caller keeps it until the compiler is done.
struct Log {
  unsigned count = 0;
  const int *options = nullptr;
  void **values = nullptr;
};
struct Link {
  std::string cubin;
  Log log;
};
struct LoadedModule {
  std::vector<Kernel> kernels;  // a handle of a function points to one
};
// A kernel, or a copy.
struct Node {
  const Kernel *kernel = nullptr;
  std::vector<Address> arguments;
  Address to = 0, from = 0;
  std::size_t bytes = 0;
  std::vector<std::size_t> after;  // nodes
};
struct Graph {
  std::deque<Node> nodes;  // a handle points to one
};
struct Piece {
  std::vector<std::byte> bytes;
  cuda::MemoryPool pool;  // null: of none
};
struct Settings {
  int version = 13000, devices = 1, capability = 90, pools = 1;
  std::size_t memory = std::size_t{1} << 30;
  std::string failing;  // function
  int failing_call = 0, failure = 0;
};

// A stream, or the default one of a thread.
using StreamKey = std::pair<cuda::Stream, unsigned>;
struct Pool {
  std::size_t kept = 0, threshold = 0;  // bytes that were given back, and how many of them may stay
  // Bytes that are in use until the host has waited for the stream on which they were released, by that stream.
  std::map<StreamKey, std::size_t> unseen;
};
struct Recorded {
  StreamKey stream;
  std::uint64_t after = 0;  // commands of the stream
};
// A pending command of a stream: a copy, which is done when somebody waits for it, so that an access before that finds
// the wrong bytes; or a wait for what was recorded on another stream.
struct Command {
  void *to;
  const void *from;
  std::size_t bytes;
  std::optional<Recorded> waits_for;
  // Whether it accesses memory that is about to be released.
  bool uses(const void *memory, std::size_t size) const {
    const auto *begin = static_cast<const std::byte *>(memory), *target = static_cast<const std::byte *>(to),
               *source = static_cast<const std::byte *>(from);
    return (target < begin + size && begin < target + bytes) || (source < begin + size && begin < source + bytes);
  }
};
struct Work {
  std::deque<Command> waiting;
  std::uint64_t done = 0;  // commands
};

// Starts of one take effect one after the other, on whatever streams.
struct Executable {
  const void *graph = nullptr;
  std::vector<Node> nodes;
  std::optional<Recorded> last_start;
};

struct State {
  Settings settings;
  bool is_initialized = false, has_failed_to_switch = false;
  Result lost = 0;
  int generation = 0, context_users = 0;
  int entered = 0;  // of all threads
  std::map<std::string, int> calls;
  std::vector<std::string> problems;
  std::map<Address, Piece> pieces;
  std::map<const void *, std::unique_ptr<LoadedModule>> modules;
  std::map<StreamKey, Work> streams;
  std::map<const void *, std::unique_ptr<Recorded>> events;
  std::map<const void *, std::unique_ptr<Pool>> pools;
  std::map<const void *, std::unique_ptr<Link>> links;
  std::map<const void *, std::unique_ptr<Graph>> graphs;
  std::map<const void *, std::unique_ptr<Executable>> executables;
  std::map<const std::byte *, std::vector<std::byte>> pinned;  // by address
  Address next_address = first_address;
  std::size_t taken = 0;
};

extern std::mutex mutex;
extern State state;
extern const char *current_function;

struct Thread {
  int generation = 0;
  unsigned number = 0;
  int entered = 0;  // how often it pushed the context and did not pop it
};
Thread &this_thread();

Result problem(const std::string &text, Result result);

// The state that a function needs. Functions that release something or wait (`..._to_end`) do so however they end.
enum Needs { nothing, driver, context, context_to_end, driver_to_end };

template <class Body>
Result call(const char *name, Needs needs, Body &&body) {
  std::lock_guard lock(mutex);
  current_function = name;
  const bool ends = needs == context_to_end || needs == driver_to_end;
  Result forced = state.lost;
  if (++state.calls[name] == state.settings.failing_call && name == state.settings.failing) {
    forced = state.settings.failure;
    if (forced >= cuda::illegal_address && forced < 800) {
      state.lost = forced;
      state.streams.clear();  // nothing more happens
    }
    state.has_failed_to_switch |= std::string_view(name) == "cuCtxPushCurrent_v2";
  }
  if (forced != 0 && needs != nothing && !ends) {
    return forced;
  }
  if (needs != nothing && !state.is_initialized) {
    return problem("cuInit was not called", cuda::not_initialized);
  }
  if ((needs == context || needs == context_to_end) && state.lost == 0 &&
      (this_thread().entered == 0 || state.context_users == 0)) {
    return problem("this thread has no context", cuda::invalid_context);
  }
  const Result result = body();
  return forced != 0 && (needs != nothing || name == state.settings.failing) ? forced : result;
}

// --- Memory ---

// The bytes behind a range of addresses; null, and a problem, if it is not inside of one piece.
std::byte *bytes_at(Address address, std::size_t size, const char *which);
// Whether all of a range of the host's memory is pinned; a problem if only its begin is.
bool is_pinned(const void *memory, std::size_t size);

// --- Streams ---

std::optional<StreamKey> key_of(cuda::Stream stream);
// Returns nullptr and notes a problem if there is no such stream.
Work *stream_of(cuda::Stream stream);
void catch_up(Work &work, std::uint64_t with = UINT64_MAX);
void catch_up_all();
// Somebody waited for the stream: what was given back on it is there for everybody.
void see_frees(const StreamKey &stream);
// A problem if something that was started still uses memory that goes.
void check_unused(const void *memory, std::size_t size);
// A copy, which waits for its turn if the host's memory is pinned, or is not part of it.
void copy(Work &work, void *to, const void *from, std::size_t bytes, const void *host);

// --- Code ---

Kernel *find_kernel(const void *function);
Result check_launch(const Kernel *kernel, std::uint64_t threads, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                    unsigned shared_bytes, void **values, void **extra, std::vector<Address> &arguments);
// Where the kernel looks there has to be memory.
Result check_arguments(const Kernel &kernel, const std::vector<Address> &arguments);

}  // namespace bp::nvptx::test_driver
