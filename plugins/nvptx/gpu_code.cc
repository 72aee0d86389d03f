#include "plugins/nvptx/gpu_code.h"

#include "plugin_api/cpp/call.h"
#include "plugins/gpu/threads.h"

namespace bp::nvptx {
namespace {

// Where the driver's compiler says what is wrong. Stays where it is.
class CompilerLog {
 public:
  CompilerLog() = default;
  CompilerLog(const CompilerLog &) = delete;
  CompilerLog &operator=(const CompilerLog &) = delete;

  unsigned count() const { return 2; }
  int *options() { return options_; }
  // For one call more: the driver writes over the size.
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

// Machine code of PTX.
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

// Without a folder for machine code the driver gets the PTX, and may know it from its own cache; and so does one that
// links nothing of it.
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

// BP_INVALID if the code is at fault.
bp_status load_part(const GpuContext &gpu, const std::string &ptx, const CodeLoading &how, cuda::Module &module,
                    const bp_diag_t *diag) {
  CompilerLog log;
  cuda::Result result = 0;
  plugin::FirstReport report;
  const bp_status status = gpu.call("loading kernels", &report.abi,
                                    [&] { return result = load_module(gpu.driver(), ptx, how, log, module); });
  if (status != BP_OK) {
    const std::string reason = log.text().empty() ? "" : "; the driver's compiler: " + log.text();
    diag->report(diag, status, BP_NONE, (report.message + reason).c_str());
  }
  return status != BP_OK && is_about_code(result) ? BP_INVALID : status;
}

// A function, on the GPU now where the driver can do that: otherwise it may bring it there when it is first started, and
// find no memory then.
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

bp_status GpuCode::load(std::span<const gpu::CodePart> parts, std::uint32_t kernels, const CodeLoading &how,
                        const bp_diag_t *diag) {
  modules_.resize(parts.size());
  std::vector<bp_status> statuses(parts.size(), BP_OK);
  std::vector<plugin::FirstReport> reports(parts.size());
  how.services.parallel(static_cast<std::uint32_t>(parts.size()), [&](std::uint32_t i, std::uint32_t) {
    statuses[i] = plugin::guarded(&reports[i].abi,
                                  [&] { return load_part(gpu_, parts[i].code, how, modules_[i], &reports[i].abi); });
  });
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (statuses[i] != BP_OK) {
      return plugin::fail(diag, statuses[i], reports[i].message);
    }
    bytes_ += parts[i].code.size();
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::uint32_t end = i + 1 < parts.size() ? parts[i + 1].first_kernel : kernels;
    for (std::uint32_t kernel = parts[i].first_kernel; kernel < end; ++kernel) {
      const std::string name = gpu::kernel_name(kernel);
      cuda::Result result = 0;
      const bp_status status = gpu_.call("finding " + name, diag, [&] {
        return result = find_function(gpu_.driver(), modules_[i], name, functions_.emplace_back());
      });
      if (status != BP_OK) {
        return result == cuda::not_found || is_about_code(result) ? BP_INVALID : status;
      }
    }
  }
  return BP_OK;
}

}  // namespace bp::nvptx
