#include "plugins/nvptx/gpu_code.h"

#include "plugin_api/cpp/call.h"
#include "plugins/gpu/threads.h"

namespace bp::nvptx {

using plugin::Status;

namespace {

// The error log of the driver's compiler. It cannot be copied, because the driver has pointers into it.
class CompilerLog {
 public:
  CompilerLog() = default;
  CompilerLog(const CompilerLog &) = delete;
  CompilerLog &operator=(const CompilerLog &) = delete;

  unsigned count() const { return 2; }
  int *options() { return options_; }
  // Returns the values for one more call: the driver overwrites the size.
  void **values() {
    text_.assign(8192, '\0');
    values_[0] = text_.data();
    values_[1] = reinterpret_cast<void *>(text_.size());
    return values_;
  }
  std::string text() const { return text_.c_str(); }

 private:
  std::string text_;
  int options_[2] = {cuda::jit_error_log, cuda::jit_error_log_bytes};
  void *values_[2] = {};
};

// Makes machine code of PTX.
cuda::Result link(const Driver &driver, const std::string &ptx, CompilerLog &log, std::string &cubin) {
  cuda::LinkState state = nullptr;
  cuda::Result result = driver.cuLinkCreate_v2(log.count(), log.options(), log.values(), &state);
  if (result != 0) {
    return result;
  }
  void *code = nullptr;
  std::size_t size = 0;
  result = driver.cuLinkAddData_v2(state, cuda::input_ptx, const_cast<char *>(ptx.c_str()), ptx.size() + 1, "kernels",
                                   0, nullptr, nullptr);
  result = result == 0 ? driver.cuLinkComplete(state, &code, &size) : result;
  if (result == 0) {
    cubin.assign(static_cast<const char *>(code), size);
  }
  driver.cuLinkDestroy(state);
  return result;
}

// The driver gets the PTX, which it may find in its own cache, if there is no folder for machine code, or if it cannot
// link the PTX.
cuda::Result load_module(const Driver &driver, const std::string &ptx, const CodeLoading &how, CompilerLog &log,
                         cuda::Module &module) {
  const auto load = [&](const std::string &code) {
    return driver.cuModuleLoadDataEx(&module, code.c_str(), log.count(), log.options(), log.values());
  };
  if (!how.cache.is_on()) {
    return load(ptx);
  }
  const CubinCache::Key key = CubinCache::key(ptx, driver.version, how.capability);
  if (const auto known = how.cache.find(key)) {
    if (const cuda::Result result = load(*known); !is_about_code(result)) {
      return result;
    }
  }
  std::string cubin;
  if (link(driver, ptx, log, cubin) != 0) {
    return load(ptx);
  }
  const cuda::Result result = load(cubin);
  if (result == 0) {
    how.cache.keep(key, cubin);
  }
  return result;
}

// Fails with BP_INVALID if the code is at fault.
Status load_part(const GpuContext &gpu, const std::string &ptx, const CodeLoading &how, cuda::Module &module) {
  CompilerLog log;
  cuda::Result result = 0;
  Status status =
      gpu.call("loading kernels", [&] { return result = load_module(gpu.driver(), ptx, how, log, module); });
  if (status.ok()) {
    return status;
  }
  const std::string reason = log.text().empty() ? "" : "; the driver's compiler: " + log.text();
  return plugin::Error(is_about_code(result) ? bp_status{BP_INVALID} : status.error().status(),
                       status.error().message() + reason);
}

// Finds a function, and loads it to the GPU if the driver can do that. Otherwise the driver may load it when it is
// first started, and lack memory then.
cuda::Result find_function(const Driver &driver, cuda::Module module, const std::string &name,
                           cuda::Function &function) {
  const cuda::Result result = driver.cuModuleGetFunction(&function, module, name.c_str());
  return result == 0 && driver.has_function_loading ? driver.cuFuncLoad(function) : result;
}

}  // namespace

GpuCode::~GpuCode() {
  for (const cuda::Module module : modules_) {
    if (module != nullptr) {
      gpu_.give_back([&] { return gpu_.driver().cuModuleUnload(module); });
    }
  }
}

Status GpuCode::load(std::span<const gpu::CodePart> parts, std::uint32_t kernels, const CodeLoading &how) {
  modules_.resize(parts.size());
  std::vector<Status> outcomes(parts.size());
  how.services.parallel(static_cast<std::uint32_t>(parts.size()), [&](std::uint32_t i, std::uint32_t) {
    outcomes[i] = plugin::caught([&] { return load_part(gpu_, parts[i].code, how, modules_[i]); });
  });
  for (std::size_t i = 0; i < parts.size(); ++i) {
    BP_TRY(std::move(outcomes[i]));
    bytes_ += parts[i].code.size();
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::uint32_t end = i + 1 < parts.size() ? parts[i + 1].first_kernel : kernels;
    for (std::uint32_t kernel = parts[i].first_kernel; kernel < end; ++kernel) {
      const std::string name = gpu::kernel_name(kernel);
      cuda::Result result = 0;
      Status status = gpu_.call("finding " + name, [&] {
        return result = find_function(gpu_.driver(), modules_[i], name, functions_.emplace_back());
      });
      if (!status.ok()) {
        const bool is_at_fault = result == cuda::not_found || is_about_code(result);
        return is_at_fault ? std::move(status).error().with_status(BP_INVALID) : std::move(status).error();
      }
    }
  }
  return {};
}

}  // namespace bp::nvptx
