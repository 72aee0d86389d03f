// The emulator: threads of a grid one after the other, on the host.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_map>

#include "plugin_api/cpp/call.h"
#include "plugins/llvm/linker.h"
#include "plugins/nvptx/machine.h"
#include "plugins/nvptx/threads.h"

namespace bp::nvptx {
namespace {

using plugin::fail;

class EmulatedKernels final : public LoadedKernels {
 public:
  explicit EmulatedKernels(std::unique_ptr<emit::LinkedObjects> code) : code_(std::move(code)) {}

  bp_status launch(std::uint32_t kernel, std::uint32_t blocks, std::uint32_t threads, std::span<void *const> pointers,
                   const bp_diag_t *) const override {
    const EmulatedKernel run = static_cast<const EmulatedKernel *>(code_->symbol())[kernel];
    for (std::uint32_t block = 0; block < blocks; ++block) {
      for (std::uint32_t thread = 0; thread < threads; ++thread) {
        const EmulatedThread at{thread, threads, block, blocks};
        run(pointers.data(), &at);
      }
    }
    return BP_OK;
  }
  std::uint64_t resident_bytes() const override { return code_->mapped_bytes(); }

 private:
  std::unique_ptr<emit::LinkedObjects> code_;
};

void *pointer(std::uint64_t address) {
  return reinterpret_cast<void *>(address);
}

class Emulator final : public Machine {
 public:
  explicit Emulator(std::uint64_t memory_bytes) : left_(memory_bytes) {}
  ~Emulator() override {
    for (const auto &[address, size] : pieces_) {
      std::free(pointer(address));
    }
  }

  bp_status allocate(std::uint64_t size, std::uint32_t alignment, std::uint64_t &address,
                     const bp_diag_t *diag) override {
    std::lock_guard lock(mutex_);
    if (size > left_) {
      return fail(
          diag, BP_NO_MEMORY,
          "the emulated GPU has " + std::to_string(left_) + " bytes left, " + std::to_string(size) + " are asked for");
    }
    const std::uint64_t step = std::max<std::uint64_t>(alignment, 64);
    void *memory = std::aligned_alloc(step, (size + step - 1) / step * step);
    if (memory == nullptr) {
      return fail(diag, BP_NO_MEMORY, "the host has no " + std::to_string(size) + " bytes");
    }
    address = reinterpret_cast<std::uint64_t>(memory);
    pieces_.emplace(address, size);
    left_ -= size;
    return BP_OK;
  }
  void release(std::uint64_t address) override {
    std::lock_guard lock(mutex_);
    if (const auto found = pieces_.find(address); found != pieces_.end()) {
      left_ += found->second;
      std::free(pointer(address));
      pieces_.erase(found);
    }
  }
  bp_status copy_in(std::uint64_t to, const void *from, std::uint64_t size, const bp_diag_t *) override {
    std::memcpy(pointer(to), from, size);
    return BP_OK;
  }
  bp_status copy_out(void *to, std::uint64_t from, std::uint64_t size, const bp_diag_t *) override {
    std::memcpy(to, pointer(from), size);
    return BP_OK;
  }
  bp_status move(std::uint64_t to, std::uint64_t from, std::uint64_t size, const bp_diag_t *) override {
    std::memmove(pointer(to), pointer(from), size);
    return BP_OK;
  }
  bp_status finish(const bp_diag_t *) override { return BP_OK; }

  std::unique_ptr<LoadedKernels> load(const Artifact &artifact, bp_status &status, const bp_diag_t *diag) override {
    std::string error;
    auto code = emit::LinkedObjects::link({&artifact.code, 1}, kernel_table_name, error);
    if (code == nullptr) {
      status = fail(diag, BP_INVALID, error);
      return nullptr;
    }
    return std::make_unique<EmulatedKernels>(std::move(code));
  }

 private:
  std::mutex mutex_;
  std::uint64_t left_;
  std::unordered_map<std::uint64_t, std::uint64_t> pieces_;  // size by address
};

}  // namespace

std::unique_ptr<Machine> make_emulator(std::uint64_t memory_bytes) {
  return std::make_unique<Emulator>(memory_bytes);
}

}  // namespace bp::nvptx
