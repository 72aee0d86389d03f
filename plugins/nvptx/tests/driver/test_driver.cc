#include "plugins/nvptx/tests/driver/test_driver.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/nvptx/driver.h"

// All that the plugin may call, with the types by which it calls it.
#define BP_CUDA_FUNCTION(name, parameters) \
  extern "C" __attribute__((visibility("default"))) bp::nvptx::cuda::Result name parameters;
using namespace bp::nvptx;
BP_CUDA_FUNCTIONS(BP_CUDA_FUNCTION)
BP_CUDA_GRAPH_FUNCTIONS(BP_CUDA_FUNCTION)
BP_CUDA_TENSOR_FUNCTIONS(BP_CUDA_FUNCTION)
#undef BP_CUDA_FUNCTION

namespace {

using cuda::Address;
using cuda::Result;

constexpr Address first_address = Address{1} << 40;  // nothing of the host's: who reads it there crashes
constexpr Address gap = 4096;                        // between pieces, so that what runs over an end is found
const auto the_context = reinterpret_cast<cuda::Context>(0xc0de);

struct Kernel {
  std::string name;
  std::vector<bool> reads;                 // by parameter: whether it is ever looked at
  std::vector<bool> is_map;                // by parameter: a tensor map
  unsigned most_shared_bytes = 48 * 1024;  // of every GPU since compute capability 7.5, without asking for more
};
struct Link {
  std::string cubin;
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
struct Pool {
  std::size_t kept = 0, threshold = 0;  // bytes that were given back, and how many of them may stay
};
struct Settings {
  int version = 13000, devices = 1, capability = 90, pools = 1;
  std::size_t memory = std::size_t{1} << 30;
  std::string failing;  // function
  int failing_call = 0, failure = 0;
};

// A stream, or the default one of a thread.
using StreamKey = std::pair<cuda::Stream, unsigned>;
struct Recorded {
  StreamKey stream;
  std::uint64_t after = 0;  // commands of the stream
};
// What a stream has not come to yet: a copy, which happens when somebody waits for it, so who touches the memory before
// that finds the wrong bytes; or a wait for what was recorded on another stream.
struct Command {
  void *to;
  const void *from;
  std::size_t bytes;
  std::optional<Recorded> waits_for;
  // Whether it touches memory that is about to go.
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

std::mutex mutex;
State state;
const char *current_function = "";

struct Thread {
  int generation = 0;
  cuda::Context context = nullptr;
  unsigned number = 0;
};
Thread &this_thread() {
  static unsigned count = 0;
  thread_local Thread thread;
  if (thread.generation != state.generation) {
    thread = {state.generation, nullptr, ++count};
  }
  return thread;
}

Result problem(const std::string &text, Result result) {
  state.problems.push_back(std::string(current_function) + ": " + text);
  return result;
}

// What a function needs to be called, and whether it gives something back or waits, which it does however it ends.
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
    state.has_failed_to_switch |= std::string_view(name) == "cuCtxSetCurrent";
  }
  if (forced != 0 && needs != nothing && !ends) {
    return forced;
  }
  if (needs != nothing && !state.is_initialized) {
    return problem("cuInit was not called", cuda::not_initialized);
  }
  if ((needs == context || needs == context_to_end) && state.lost == 0 &&
      (this_thread().context == nullptr || state.context_users == 0)) {
    return problem("this thread has no context", cuda::invalid_context);
  }
  const Result result = body();
  return forced != 0 && (needs != nothing || name == state.settings.failing) ? forced : result;
}

// --- Memory ---

// The bytes behind a range of addresses; null, and a problem, if it is not inside of one piece.
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

Result take(Address *address, std::size_t size, cuda::MemoryPool pool) {
  if (address == nullptr || size == 0) {
    return problem("nothing is asked for", cuda::invalid_value);
  }
  std::size_t kept = 0;  // of what other pieces were is nothing taken, as if it had fallen to pieces
  for (const auto &[handle, one] : state.pools) {
    kept += one->kept;
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

// Whether all of a range of the host's memory is pinned; a problem if only its begin is.
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

// --- Streams ---

std::optional<StreamKey> key_of(cuda::Stream stream) {
  if (stream == cuda::stream_of_thread) {
    return StreamKey{stream, this_thread().number};
  }
  problem("there is no such stream", 0);
  return std::nullopt;
}
// Null, and a problem, if there is no such stream.
Work *stream_of(cuda::Stream stream) {
  const auto key = key_of(stream);
  return key ? &state.streams[*key] : nullptr;
}

void catch_up(Work &work, std::uint64_t with = UINT64_MAX) {
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

// A problem if something that was started still uses memory that goes.
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

Result give(Address address, bool in_order) {
  const auto found = state.pieces.find(address);
  if (found == state.pieces.end()) {
    return problem("no piece starts there", cuda::invalid_value);
  }
  if (in_order && found->second.pool == nullptr) {
    return problem("the piece is of no pool", cuda::invalid_value);
  }
  const std::size_t size = found->second.bytes.size();
  check_unused(found->second.bytes.data(), size);
  if (const auto pool = state.pools.find(found->second.pool); pool != state.pools.end()) {
    pool->second->kept = std::min(pool->second->kept + size, pool->second->threshold);
  }
  state.taken -= size;
  state.pieces.erase(found);
  return 0;
}

// A copy, which waits for its turn if the host's memory is pinned, or is not part of it.
void copy(Work &work, void *to, const void *from, std::size_t bytes, const void *host) {
  if (host != nullptr && !is_pinned(host, bytes)) {
    catch_up(work);
    std::memcpy(to, from, bytes);
    return;
  }
  work.waiting.push_back({to, from, bytes, std::nullopt});
}

// --- Code ---

std::string_view after(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + word.size());
}

int number_at(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// What our machine code begins with; the PTX follows.
std::string cubin_head() {
  return "\x7f"
         "ELF for " +
         std::to_string(state.settings.capability) + ":";
}

// Looks at as much of the PTX as a driver would refuse it for.
Result read_ptx(std::string_view text, LoadedModule &module) {
  const std::string_view version = after(text, ".version "), target = after(text, ".target sm_");
  if (version.empty() || target.empty()) {
    return cuda::invalid_ptx;
  }
  const int major = number_at(version), minor = number_at(after(version, "."));
  if ((major + 4) * 1000 + minor * 10 > state.settings.version) {
    return cuda::unsupported_ptx;
  }
  const int capability = number_at(target);
  const bool is_specific = target.starts_with(std::to_string(capability) + "a");
  if (is_specific ? capability != state.settings.capability : capability > state.settings.capability) {
    return cuda::no_binary_for_gpu;
  }
  for (std::string_view rest = after(text, ".entry "); !rest.empty(); rest = after(rest, ".entry ")) {
    const std::string_view parameters = rest.substr(0, rest.find(')'));
    Kernel kernel{.name = std::string(rest.substr(0, rest.find('('))), .reads = {}, .is_map = {}};
    for (std::string_view left = after(parameters, ".param"); !left.empty(); left = after(left, ".param")) {
      const std::string name = kernel.name + "_param_" + std::to_string(kernel.reads.size());
      kernel.reads.push_back(text.find("[" + name + "]") != text.npos || text.find("[" + name + "+") != text.npos);
      kernel.is_map.push_back(left.starts_with(" .align 64 .b8 " + name + "[128]"));
    }
    module.kernels.push_back(std::move(kernel));
  }
  return 0;
}

void write_log(unsigned count, const int *options, void **values, std::string_view message) {
  char *log = nullptr;
  std::size_t size = 0;
  for (unsigned i = 0; i < count; ++i) {
    log = options[i] == cuda::jit_error_log ? static_cast<char *>(values[i]) : log;
    size = options[i] == cuda::jit_error_log_bytes ? reinterpret_cast<std::size_t>(values[i]) : size;
  }
  if (log != nullptr && size > 0) {
    log[message.copy(log, size - 1)] = '\0';
  }
}

constexpr std::uint64_t map_mark = 0x7e450;  // of a tensor map that was made here

Kernel *find_kernel(const void *function) {
  for (const auto &[handle, module] : state.modules) {
    for (Kernel &kernel : module->kernels) {
      if (&kernel == function) {
        return &kernel;
      }
    }
  }
  return nullptr;
}

Result check_launch(const Kernel *kernel, std::uint64_t threads, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                    unsigned shared_bytes, void **values, void **extra, std::vector<Address> &arguments) {
  if (kernel == nullptr) {
    return problem("there is no such function", cuda::invalid_handle);
  }
  if (threads == 0 || threads > 1024 || grid_x == 0 || grid_x > INT32_MAX || grid_y - 1 > 65534 || grid_z - 1 > 65534 ||
      shared_bytes > kernel->most_shared_bytes) {
    return problem("a grid or a block that no GPU has", cuda::invalid_value);
  }
  if (extra != nullptr || (values == nullptr && !kernel->reads.empty())) {
    return problem("no arguments", cuda::invalid_value);
  }
  for (std::size_t i = 0; i < kernel->reads.size(); ++i) {
    if (values[i] == nullptr) {
      return problem("argument " + std::to_string(i) + " is null", cuda::invalid_value);
    }
    Address &address = arguments.emplace_back();
    if (kernel->is_map[i]) {
      cuda::TensorMap map;
      std::memcpy(&map, values[i], sizeof map);
      address = map.opaque[1];
      if (map.opaque[0] != (address == 0 ? 0 : map_mark)) {
        return problem("argument " + std::to_string(i) + " is no tensor map", cuda::invalid_value);
      }
    } else {
      std::memcpy(&address, values[i], sizeof address);
    }
  }
  return 0;
}
// Where the kernel looks there has to be memory.
Result check_arguments(const Kernel &kernel, const std::vector<Address> &arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool is_left_out = arguments[i] == 0 && !kernel.reads[i];
    if (!is_left_out &&
        bytes_at(arguments[i], 1, ("argument " + std::to_string(i) + " of " + kernel.name).c_str()) == nullptr) {
      return cuda::invalid_value;
    }
  }
  return 0;
}

// --- Graphs ---

Result check_node(const Node &node) {
  if (node.kernel != nullptr) {
    return check_arguments(*node.kernel, node.arguments);
  }
  const bool is_in_memory = node.bytes > 0 && bytes_at(node.to, node.bytes, "the target") != nullptr &&
                            bytes_at(node.from, node.bytes, "the source") != nullptr;
  return is_in_memory ? 0 : problem("a copy of nothing", cuda::invalid_value);
}

Result set_kernel(Node &node, const cuda::KernelNode &from) {
  node.kernel = find_kernel(from.function);
  node.arguments.clear();
  const Result result =
      check_launch(node.kernel, std::uint64_t{from.threads[0]} * from.threads[1] * from.threads[2], from.blocks[0],
                   from.blocks[1], from.blocks[2], from.shared_bytes, from.values, from.extra, node.arguments);
  if (result != 0 || from.kernel != nullptr) {
    return problem("a kernel's parameters", cuda::invalid_value);
  }
  return check_node(node);
}

Result set_copy(Node &node, const cuda::Copy &from, cuda::Context on) {
  const auto is_plain = [](const cuda::Copy::End &end) {
    return end.memory_type == 2 && end.x == 0 && end.y == 0 && end.z == 0 && end.level == 0 && end.host == nullptr &&
           end.array == nullptr && end.reserved == nullptr;
  };
  if (on != the_context || !is_plain(from.from) || !is_plain(from.to) || from.rows != 1 || from.slices != 1) {
    return problem("a copy that is not of bytes in a row", cuda::invalid_value);
  }
  node.to = from.to.address;
  node.from = from.from.address;
  node.bytes = from.bytes;
  return check_node(node);
}

// The number of a node; nothing, and a problem, if it is not in the graph.
std::optional<std::size_t> number_of(const Graph &graph, cuda::GraphNode node) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (&graph.nodes[i] == reinterpret_cast<const Node *>(node)) {
      return i;
    }
  }
  problem("there is no such node", 0);
  return std::nullopt;
}

// set: what the node is, apart from its dependences.
template <class Set>
Result add_node(cuda::GraphNode *made, cuda::Graph to, const cuda::GraphNode *dependences, std::size_t count,
                Set &&set) {
  const auto graph = state.graphs.find(to);
  if (graph == state.graphs.end()) {
    return problem("there is no such graph", cuda::invalid_handle);
  }
  Node node;
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = number_of(*graph->second, dependences[i]);
    if (!number || std::ranges::count(dependences, dependences + count, dependences[i]) != 1) {
      return problem("a dependence", cuda::invalid_value);
    }
    node.after.push_back(*number);
  }
  const Result result = set(node);
  if (result == 0) {
    *made = reinterpret_cast<cuda::GraphNode>(&graph->second->nodes.emplace_back(std::move(node)));
  }
  return result;
}

template <class Set>
Result change_node(cuda::GraphExec in, cuda::GraphNode changed, bool is_kernel, Set &&set) {
  const auto found = state.executables.find(in);
  const auto graph = found == state.executables.end() ? state.graphs.end() : state.graphs.find(found->second->graph);
  if (graph == state.graphs.end()) {
    return problem("there is no such executable, or its graph is gone", cuda::invalid_handle);
  }
  const auto number = number_of(*graph->second, changed);
  if (!number || (graph->second->nodes[*number].kernel != nullptr) != is_kernel) {
    return problem("a node of another kind", cuda::invalid_value);
  }
  return set(found->second->nodes[*number]);
}

// Last ones first, as far as their dependences let them.
std::vector<std::size_t> order_of(const std::vector<Node> &nodes) {
  std::vector<std::size_t> order;
  std::vector<bool> is_done(nodes.size());
  while (order.size() < nodes.size()) {
    std::size_t next = nodes.size();
    do {
      --next;
    } while (is_done[next] || !std::ranges::all_of(nodes[next].after, [&](std::size_t one) { return is_done[one]; }));
    is_done[next] = true;
    order.push_back(next);
  }
  return order;
}

// --- Settings ---

int number_of(const std::string &text) {
  return std::stoi(text);
}

void read_settings(const char *text, Settings &settings) {
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
    if (key == "version") {
      settings.version = number_of(value);
    } else if (key == "devices") {
      settings.devices = number_of(value);
    } else if (key == "capability") {
      settings.capability = number_of(value);
    } else if (key == "memory") {
      settings.memory = std::stoull(value);
    } else if (key == "pools") {
      settings.pools = number_of(value);
    } else if (key == "fail") {
      const std::size_t first = value.find(':'), second = value.find(':', first + 1);
      settings.failing = value.substr(0, first);
      settings.failing_call = number_of(value.substr(first + 1));
      settings.failure = number_of(value.substr(second + 1));
    } else {
      state.problems.push_back("there is no setting " + key);
    }
  }
}

// What is left when nothing should be. Where a thread could not be given the context, nothing could be given back.
void find_leaks() {
  const auto look = [](std::size_t count, const char *of) {
    if (count != 0 && !state.has_failed_to_switch) {
      problem(std::to_string(count) + " " + of + " were not given back", 0);
    }
  };
  look(state.pieces.size(), "pieces of memory");
  look(state.modules.size(), "modules");
  look(state.events.size(), "events");
  look(state.links.size(), "links");
  look(state.graphs.size(), "graphs");
  look(state.executables.size(), "executable graphs");
  look(state.pools.size(), "pools");
  look(state.pinned.size(), "pieces of pinned memory");
}

}  // namespace

// --- Controls ---

#define BP_CONTROL extern "C" __attribute__((visibility("default")))

BP_CONTROL void test_driver_begin(const char *settings) {
  std::lock_guard lock(mutex);
  const int generation = state.generation + 1;
  state = State();
  state.generation = generation;
  read_settings(settings, state.settings);
}

BP_CONTROL const char *test_driver_end() {
  static std::string text;
  std::lock_guard lock(mutex);
  current_function = "at the end";
  if (state.context_users != 0) {
    problem("the context was not given back", 0);
  }
  text.clear();
  for (const std::string &line : state.problems) {
    text += line + "\n";
  }
  return text.c_str();
}

BP_CONTROL const char *test_driver_calls() {
  static std::string text;
  std::lock_guard lock(mutex);
  text.clear();
  for (const auto &[name, count] : state.calls) {
    text += name + " " + std::to_string(count) + "\n";
  }
  return text.c_str();
}

// --- The driver and its devices ---

Result cuInit(unsigned flags) {
  return call("cuInit", nothing, [&]() -> Result {
    if (flags != 0) {
      return problem("it takes no flags", cuda::invalid_value);
    }
    if (state.settings.devices == 0) {
      return cuda::no_device;
    }
    state.is_initialized = state.settings.failing != current_function;
    return 0;
  });
}

Result cuDriverGetVersion(int *version) {
  return call("cuDriverGetVersion", nothing, [&] {
    *version = state.settings.version;
    return 0;
  });
}

Result cuGetErrorString(Result result, const char **text) {
  return call("cuGetErrorString", nothing, [&]() -> Result {
    *text = nullptr;
    switch (result) {
      case cuda::invalid_value: *text = "invalid argument"; return 0;
      case cuda::out_of_memory: *text = "out of memory"; return 0;
      case cuda::invalid_ptx: *text = "a PTX JIT compilation failed"; return 0;
      case cuda::illegal_address: *text = "an illegal memory access was encountered"; return 0;
      default: return cuda::invalid_value;
    }
  });
}

Result cuDeviceGetCount(int *count) {
  return call("cuDeviceGetCount", driver, [&] {
    *count = state.settings.devices;
    return 0;
  });
}

Result cuDeviceGet(cuda::Device *device, int number) {
  return call("cuDeviceGet", driver, [&]() -> Result {
    if (number < 0 || number >= state.settings.devices) {
      return problem("there is no such device", 101);
    }
    *device = number;
    return 0;
  });
}

Result cuDeviceGetName(char *name, int size, cuda::Device) {
  return call("cuDeviceGetName", driver, [&] {
    std::strncpy(name, "Test GPU", static_cast<std::size_t>(size));
    return 0;
  });
}

Result cuDeviceGetAttribute(int *value, int attribute, cuda::Device) {
  return call("cuDeviceGetAttribute", driver, [&]() -> Result {
    switch (attribute) {
      case cuda::compute_capability_major: *value = state.settings.capability / 10; return 0;
      case cuda::compute_capability_minor: *value = state.settings.capability % 10; return 0;
      case cuda::memory_clock_khz: *value = 2619000; return 0;
      case cuda::memory_bus_bits: *value = 5120; return 0;
      case cuda::memory_pools_supported: *value = state.settings.pools; return 0;
      default: return problem("there is no such attribute", cuda::invalid_value);
    }
  });
}

Result cuDeviceTotalMem_v2(std::size_t *bytes, cuda::Device) {
  return call("cuDeviceTotalMem_v2", driver, [&] {
    *bytes = state.settings.memory;
    return 0;
  });
}

Result cuDevicePrimaryCtxRetain(cuda::Context *made, cuda::Device) {
  return call("cuDevicePrimaryCtxRetain", driver, [&] {
    ++state.context_users;
    *made = the_context;
    return 0;
  });
}

Result cuDevicePrimaryCtxRelease_v2(cuda::Device) {
  return call("cuDevicePrimaryCtxRelease_v2", driver_to_end, [&]() -> Result {
    if (state.context_users == 0) {
      return problem("nobody has the context", cuda::invalid_context);
    }
    if (--state.context_users == 0) {
      catch_up_all();
      find_leaks();
    }
    return 0;
  });
}

Result cuCtxSetCurrent(cuda::Context made) {
  return call("cuCtxSetCurrent", driver, [&]() -> Result {
    if (made != nullptr && (made != the_context || state.context_users == 0)) {
      return problem("there is no such context", cuda::invalid_context);
    }
    this_thread().context = made;
    return 0;
  });
}

// --- Memory ---

Result cuMemAlloc_v2(Address *address, std::size_t bytes) {
  return call("cuMemAlloc_v2", context, [&] { return take(address, bytes, nullptr); });
}

Result cuMemFree_v2(Address address) {
  return call("cuMemFree_v2", context_to_end, [&] { return give(address, false); });
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
    Work *work = stream_of(on);
    if (work == nullptr) {
      return cuda::invalid_handle;
    }
    catch_up(*work);  // in its order
    return give(address, true);
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
    Work *stream = stream_of(on);
    if (stream == nullptr) {
      return cuda::invalid_handle;
    }
    catch_up(*stream);
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

// --- Code ---

Result cuModuleLoadDataEx(cuda::Module *loaded, const void *image, unsigned count, int *options, void **values) {
  return call("cuModuleLoadDataEx", context, [&]() -> Result {
    auto module = std::make_unique<LoadedModule>();
    std::string_view code = static_cast<const char *>(image);
    const std::string head = cubin_head();
    const bool is_cubin = code.starts_with(
        "\x7f"
        "ELF");
    const bool is_of_this_gpu = code.starts_with(head);
    code.remove_prefix(is_cubin && is_of_this_gpu ? head.size() : 0);
    const Result result = is_cubin && !is_of_this_gpu ? Result{cuda::no_binary_for_gpu} : read_ptx(code, *module);
    if (result != 0) {
      write_log(count, options, values, "the test driver does not take this code");
      return result;
    }
    *loaded = reinterpret_cast<cuda::Module>(module.get());
    state.modules.emplace(module.get(), std::move(module));
    return 0;
  });
}

Result cuLinkCreate_v2(unsigned, int *, void **, cuda::LinkState *made) {
  return call("cuLinkCreate_v2", context, [&]() -> Result {
    auto link = std::make_unique<Link>();
    *made = reinterpret_cast<cuda::LinkState>(link.get());
    state.links.emplace(link.get(), std::move(link));
    return 0;
  });
}

Result cuLinkAddData_v2(cuda::LinkState linked, int type, void *data, std::size_t bytes, const char *, unsigned, int *,
                        void **) {
  return call("cuLinkAddData_v2", context, [&]() -> Result {
    const auto found = state.links.find(linked);
    if (found == state.links.end() || type != cuda::input_ptx) {
      return problem("there is no such link or input", cuda::invalid_value);
    }
    const std::string_view ptx(static_cast<const char *>(data), bytes);
    if (!ptx.ends_with('\0')) {
      return problem("PTX without a zero at its end", cuda::invalid_value);
    }
    found->second->cubin = cubin_head() + std::string(ptx);
    LoadedModule module;
    return read_ptx(ptx, module);
  });
}

Result cuLinkComplete(cuda::LinkState linked, void **cubin, std::size_t *bytes) {
  return call("cuLinkComplete", context, [&]() -> Result {
    const auto found = state.links.find(linked);
    if (found == state.links.end() || found->second->cubin.empty()) {
      return problem("there is nothing to link", cuda::invalid_value);
    }
    *cubin = found->second->cubin.data();
    *bytes = found->second->cubin.size();
    return 0;
  });
}

Result cuLinkDestroy(cuda::LinkState linked) {
  return call("cuLinkDestroy", context_to_end, [&]() -> Result {
    return state.links.erase(linked) == 1 ? 0 : problem("there is no such link", cuda::invalid_handle);
  });
}

Result cuModuleUnload(cuda::Module module) {
  return call("cuModuleUnload", context_to_end, [&]() -> Result {
    catch_up_all();
    return state.modules.erase(module) == 1 ? 0 : problem("there is no such module", cuda::invalid_handle);
  });
}

Result cuModuleGetFunction(cuda::Function *function, cuda::Module module, const char *name) {
  return call("cuModuleGetFunction", context, [&]() -> Result {
    const auto found = state.modules.find(module);
    if (found == state.modules.end()) {
      return problem("there is no such module", cuda::invalid_handle);
    }
    for (Kernel &kernel : found->second->kernels) {
      if (kernel.name == name) {
        *function = reinterpret_cast<cuda::Function>(&kernel);
        return 0;
      }
    }
    return cuda::not_found;
  });
}

// The limits are those of the manual.
Result cuTensorMapEncodeTiled(cuda::TensorMap *map, int type, std::uint32_t dimensions, void *address,
                              const std::uint64_t *sizes, const std::uint64_t *strides, const std::uint32_t *box,
                              const std::uint32_t *steps, int interleave, int swizzle, int promotion, int fill) {
  return call("cuTensorMapEncodeTiled", driver, [&]() -> Result {
    const auto at = reinterpret_cast<Address>(address);
    if (reinterpret_cast<std::uintptr_t>(map) % 64 != 0 || at % 16 != 0) {
      return problem("a tensor map or its array that is not aligned", cuda::invalid_value);
    }
    if ((type != cuda::tensor_of_bytes && type != cuda::tensor_of_words) || dimensions == 0 || dimensions > 5 ||
        interleave != cuda::tensor_not_interleaved || swizzle != cuda::tensor_swizzle_128 ||
        promotion != cuda::tensor_promotion_128 || fill != cuda::tensor_filled_with_zeros) {
      return problem("a tensor map of a kind that is not known here", cuda::invalid_value);
    }
    const std::uint64_t bytes = type == cuda::tensor_of_bytes ? 1 : 2;
    std::uint64_t end = bytes;
    for (std::uint32_t d = 0; d < dimensions; ++d) {
      const std::uint64_t stride = d == 0 ? bytes : strides[d - 1];
      if (sizes[d] == 0 || sizes[d] > std::uint64_t{1} << 32 || box[d] == 0 || box[d] > 256 || steps[d] != 1 ||
          (d > 0 && (stride % 16 != 0 || stride >= std::uint64_t{1} << 40)) || (d == 0 && box[d] * bytes > 128)) {
        return problem("a tensor map of a size that is not allowed", cuda::invalid_value);
      }
      end += (sizes[d] - 1) * stride;
    }
    if (bytes_at(at, end, "the array of a tensor map") == nullptr) {
      return cuda::invalid_value;
    }
    *map = {};
    map->opaque[0] = map_mark;
    map->opaque[1] = at;
    return 0;
  });
}

Result cuFuncSetAttribute(cuda::Function function, int attribute, int value) {
  return call("cuFuncSetAttribute", context, [&]() -> Result {
    Kernel *kernel = find_kernel(function);
    if (kernel == nullptr) {
      return problem("there is no such function", cuda::invalid_handle);
    }
    const int most = state.settings.capability >= 90   ? 227 * 1024
                     : state.settings.capability >= 80 ? 163 * 1024
                                                       : 64 * 1024;
    if (attribute != cuda::function_most_shared_bytes || value < 0 || value > most) {
      return problem("an attribute that no kernel has", cuda::invalid_value);
    }
    kernel->most_shared_bytes = static_cast<unsigned>(value);
    return 0;
  });
}

Result cuLaunchKernel(cuda::Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                      unsigned block_y, unsigned block_z, unsigned shared_bytes, cuda::Stream on, void **values,
                      void **extra) {
  return call("cuLaunchKernel", context, [&]() -> Result {
    if (stream_of(on) == nullptr) {
      return cuda::invalid_handle;
    }
    const Kernel *kernel = find_kernel(function);
    std::vector<Address> arguments;
    const Result result = check_launch(kernel, std::uint64_t{block_x} * block_y * block_z, grid_x, grid_y, grid_z,
                                       shared_bytes, values, extra, arguments);
    return result == 0 ? check_arguments(*kernel, arguments) : result;
  });
}

// --- Graphs ---

Result cuGraphCreate(cuda::Graph *made, unsigned flags) {
  return call("cuGraphCreate", context, [&]() -> Result {
    if (flags != 0) {
      return problem("it takes no flags", cuda::invalid_value);
    }
    auto graph = std::make_unique<Graph>();
    *made = reinterpret_cast<cuda::Graph>(graph.get());
    state.graphs.emplace(graph.get(), std::move(graph));
    return 0;
  });
}

Result cuGraphDestroy(cuda::Graph graph) {
  return call("cuGraphDestroy", context_to_end, [&]() -> Result {
    return state.graphs.erase(graph) == 1 ? 0 : problem("there is no such graph", cuda::invalid_handle);
  });
}

Result cuGraphAddKernelNode_v2(cuda::GraphNode *made, cuda::Graph graph, const cuda::GraphNode *dependences,
                               std::size_t count, const cuda::KernelNode *parameters) {
  return call("cuGraphAddKernelNode_v2", context, [&]() -> Result {
    return add_node(made, graph, dependences, count, [&](Node &node) { return set_kernel(node, *parameters); });
  });
}

Result cuGraphAddMemcpyNode(cuda::GraphNode *made, cuda::Graph graph, const cuda::GraphNode *dependences,
                            std::size_t count, const cuda::Copy *copied, cuda::Context on) {
  return call("cuGraphAddMemcpyNode", context, [&]() -> Result {
    return add_node(made, graph, dependences, count, [&](Node &node) { return set_copy(node, *copied, on); });
  });
}

Result cuGraphInstantiateWithFlags(cuda::GraphExec *made, cuda::Graph of, unsigned long long flags) {
  return call("cuGraphInstantiateWithFlags", context, [&]() -> Result {
    const auto graph = state.graphs.find(of);
    if (graph == state.graphs.end() || flags != 0) {
      return problem("there is no such graph, or it takes no flags", cuda::invalid_handle);
    }
    auto executable = std::make_unique<Executable>();
    executable->graph = of;
    executable->nodes.assign(graph->second->nodes.begin(), graph->second->nodes.end());
    *made = reinterpret_cast<cuda::GraphExec>(executable.get());
    state.executables.emplace(executable.get(), std::move(executable));
    return 0;
  });
}

Result cuGraphExecKernelNodeSetParams_v2(cuda::GraphExec in, cuda::GraphNode changed,
                                         const cuda::KernelNode *parameters) {
  return call("cuGraphExecKernelNodeSetParams_v2", context, [&]() -> Result {
    return change_node(in, changed, true, [&](Node &node) { return set_kernel(node, *parameters); });
  });
}

Result cuGraphExecMemcpyNodeSetParams(cuda::GraphExec in, cuda::GraphNode changed, const cuda::Copy *copied,
                                      cuda::Context on) {
  return call("cuGraphExecMemcpyNodeSetParams", context, [&]() -> Result {
    return change_node(in, changed, false, [&](Node &node) { return set_copy(node, *copied, on); });
  });
}

Result cuGraphLaunch(cuda::GraphExec started, cuda::Stream on) {
  return call("cuGraphLaunch", context, [&]() -> Result {
    const auto found = state.executables.find(started);
    const auto key = key_of(on);
    if (found == state.executables.end() || !key) {
      return problem("there is no such executable graph", cuda::invalid_handle);
    }
    Executable &executable = *found->second;
    Work &stream = state.streams[*key];
    if (executable.last_start) {
      stream.waiting.push_back({nullptr, nullptr, 0, executable.last_start});
    }
    for (const std::size_t i : order_of(executable.nodes)) {
      const Node &node = executable.nodes[i];
      if (const Result result = check_node(node); result != 0) {
        return result;
      }
      if (node.kernel == nullptr) {
        copy(stream, bytes_at(node.to, node.bytes, "the target"), bytes_at(node.from, node.bytes, "the source"),
             node.bytes, nullptr);
      }
    }
    executable.last_start = {*key, stream.done + stream.waiting.size()};
    return 0;
  });
}

// What runs of it runs to its end.
Result cuGraphExecDestroy(cuda::GraphExec executable) {
  return call("cuGraphExecDestroy", context_to_end, [&]() -> Result {
    return state.executables.erase(executable) == 1
               ? 0
               : problem("there is no such executable graph", cuda::invalid_handle);
  });
}
