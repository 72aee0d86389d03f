#include "plugins/nvptx/gpu_code.h"

#include "plugin_api/cpp/call.h"
#include "plugins/nvptx/threads.h"

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
  void **values() { return values_; }
  std::string text() const { return text_.c_str(); }

 private:
  std::string text_ = std::string(8192, '\0');
  int options_[2] = {cuda::jit_error_log, cuda::jit_error_log_bytes};
  void *values_[2] = {text_.data(), reinterpret_cast<void *>(text_.size())};
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

// Without a folder for machine code the driver gets the PTX, and may know it from its own cache.
cuda::Result load_module(const Driver &driver, const std::string &ptx, const CubinCache &cache, unsigned capability,
                         CompilerLog &log, cuda::Module &module) {
  const auto load = [&](const std::string &code) {
    return driver.cuModuleLoadDataEx(&module, code.c_str(), log.count(), log.options(), log.values());
  };
  if (!cache.is_on()) {
    return load(ptx);
  }
  const CubinCache::Key key = CubinCache::key(ptx, driver.version, capability);
  if (const auto known = cache.find(key)) {
    if (const cuda::Result result = load(*known); !is_about_code(result)) {
      return result;
    }
  }
  std::string cubin;
  cuda::Result result = link(driver, ptx, log, cubin);
  result = result == 0 ? load(cubin) : result;
  if (result == 0) {
    cache.keep(key, cubin);
  }
  return result;
}

}  // namespace

GpuCode::~GpuCode() {
  if (module_ != nullptr) {
    gpu_.give_back([&] { return gpu_.driver().cuModuleUnload(module_); });
  }
}

bp_status GpuCode::load(const std::string &ptx, std::uint32_t kernels, const CubinCache &cache, unsigned capability,
                        const bp_diag_t *diag) {
  CompilerLog log;
  cuda::Result result = 0;
  bp_status status = gpu_.call("loading kernels", diag, [&] {
    return result = load_module(gpu_.driver(), ptx, cache, capability, log, module_);
  });
  if (status != BP_OK) {
    if (!log.text().empty() && diag != nullptr) {
      plugin::fail(diag, status, "nvptx: the driver's compiler: " + log.text());
    }
    return is_about_code(result) ? BP_INVALID : status;
  }
  for (std::uint32_t i = 0; i < kernels && status == BP_OK; ++i) {
    const std::string name = kernel_name(i);
    cuda::Function function = nullptr;
    status = gpu_.call("finding " + name, diag,
                       [&] { return result = gpu_.driver().cuModuleGetFunction(&function, module_, name.c_str()); });
    functions_.push_back(function);
  }
  return result == cuda::not_found || is_about_code(result) ? BP_INVALID : status;
}

}  // namespace bp::nvptx
