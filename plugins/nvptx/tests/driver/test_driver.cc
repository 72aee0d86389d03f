// The driver itself and its devices, and what tests say to it.
#include "plugins/nvptx/tests/driver/test_driver.h"

#include <cstring>
#include <sstream>

#include "plugins/nvptx/tests/driver/state.h"

namespace bp::nvptx::test_driver {

std::mutex mutex;
State state;
const char *current_function = "";

Thread &this_thread() {
  static unsigned count = 0;
  thread_local Thread thread;
  if (thread.generation != state.generation) {
    thread = {state.generation, ++count, 0};
  }
  return thread;
}

Result problem(const std::string &text, Result result) {
  state.problems.push_back(std::string(current_function) + ": " + text);
  return result;
}

// --- Settings ---

namespace {

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

// Finds objects that are left when there should be none. If a thread could not get the context, it could release
// nothing.
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
  if (state.entered != 0) {
    problem("a thread was not given back the context that it had", 0);
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

Result cuCtxPushCurrent_v2(cuda::Context entered) {
  return call("cuCtxPushCurrent_v2", driver, [&]() -> Result {
    if (entered != the_context || state.context_users == 0) {
      return problem("there is no such context", cuda::invalid_context);
    }
    ++this_thread().entered;
    ++state.entered;
    return 0;
  });
}

Result cuCtxPopCurrent_v2(cuda::Context *left) {
  return call("cuCtxPopCurrent_v2", context_to_end, [&]() -> Result {
    if (this_thread().entered == 0) {
      return problem("this thread has no context", cuda::invalid_context);
    }
    --this_thread().entered;
    --state.entered;
    *left = the_context;
    return 0;
  });
}

Result cuCtxSynchronize() {
  return call("cuCtxSynchronize", context_to_end, [&] {
    catch_up_all();
    for (const auto &[stream, work] : state.streams) {
      see_frees(stream);
    }
    return 0;
  });
}

}  // namespace bp::nvptx::test_driver
