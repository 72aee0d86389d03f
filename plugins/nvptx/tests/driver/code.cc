#include "plugins/nvptx/tests/driver/state.h"

#include <charconv>
#include <cstring>

namespace bp::nvptx::test_driver {
namespace {

std::string_view after(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + word.size());
}

int number_at(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The start of our machine code; the PTX follows.
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
    if (kernel.reads.size() * sizeof(Address) > (major * 10 + minor >= 81 ? 32764u : 4352u)) {
      return cuda::invalid_ptx;
    }
    module.kernels.push_back(std::move(kernel));
  }
  return 0;
}

// The size of the buffer comes back as that of what was written to it.
Result write_log(const Log &log, std::string_view message) {
  char *text = nullptr;
  void **size = nullptr;
  for (unsigned i = 0; i < log.count; ++i) {
    text = log.options[i] == cuda::jit_error_log ? static_cast<char *>(log.values[i]) : text;
    size = log.options[i] == cuda::jit_error_log_bytes ? &log.values[i] : size;
  }
  if (text == nullptr) {
    return 0;
  }
  if (size == nullptr || *size == nullptr) {
    return problem("a log without room", cuda::invalid_value);
  }
  const std::size_t written = message.copy(text, reinterpret_cast<std::size_t>(*size) - 1);
  text[written] = '\0';
  *size = reinterpret_cast<void *>(message.empty() ? 0 : written + 1);
  return 0;
}

constexpr std::uint64_t map_mark = 0x7e450;  // of a tensor map that was made here

}  // namespace

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
      shared_bytes > kernel->max_shared_bytes) {
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
    const Result written =
        write_log({count, options, values}, result == 0 ? "" : "the test driver does not take this code");
    if (result != 0 || written != 0) {
      return result != 0 ? result : written;
    }
    *loaded = reinterpret_cast<cuda::Module>(module.get());
    state.modules.emplace(module.get(), std::move(module));
    return 0;
  });
}

Result cuLinkCreate_v2(unsigned count, int *options, void **values, cuda::LinkState *made) {
  return call("cuLinkCreate_v2", context, [&]() -> Result {
    auto link = std::make_unique<Link>();
    link->log = {count, options, values};
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
    return write_log(found->second->log, "");
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

Result cuFuncLoad(cuda::Function function) {
  return call("cuFuncLoad", context, [&]() -> Result {
    return find_kernel(function) != nullptr ? 0 : problem("there is no such function", cuda::invalid_handle);
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
    kernel->max_shared_bytes = static_cast<unsigned>(value);
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

}  // namespace bp::nvptx::test_driver
