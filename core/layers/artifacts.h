// Maps artifacts to the modules they were compiled from: load() and run() see only the artifact. Kept by a layer, which
// remembers what compile() made; what is from a file, such as a package, the core knows (core/host/loading.h).
#pragma once

#include <algorithm>
#include <cstring>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backplane/base/status.h"
#include "core/base/sha256.h"
#include "core/host/loading.h"
#include "plugin_api/cpp/module_view.h"

namespace bp::layers {

// A copy of a module, independent of the original.
class ModuleCopy {
 public:
  explicit ModuleCopy(const bp_module_t *module)
      : words_((module->size + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t)) {
    std::memcpy(words_.data(), module, module->size);
  }
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(words_)); }
  plugin::ModuleView view() const { return plugin::ModuleView(reinterpret_cast<const bp_module_t *>(words_.data())); }

 private:
  std::vector<std::uint64_t> words_;
};

// Threads: all functions may be called from any thread.
class Artifacts {
 public:
  // `most`: number of modules that are kept, the last ones.
  explicit Artifacts(std::size_t most = static_cast<std::size_t>(-1)) : most_(most) {}

  void remember(std::string_view artifact, const bp_module_t *module) {
    const Sha256 hash = sha256(std::as_bytes(std::span(artifact)));
    auto copy = std::make_shared<const ModuleCopy>(module);
    const std::lock_guard lock(mutex_);
    modules_.remove_if([&](const auto &entry) { return entry.first == hash; });
    modules_.emplace_back(hash, std::move(copy));
    if (modules_.size() > most_) {
      modules_.pop_front();
    }
  }
  // To be called in load(). Returns nullptr if the module is not known: the artifact was compiled elsewhere, and it is
  // not the core that loads it.
  std::shared_ptr<const ModuleCopy> find(const void *artifact, std::uint64_t size) const {
    const Sha256 hash = sha256({static_cast<const std::byte *>(artifact), size});
    const std::lock_guard lock(mutex_);
    if (const auto found = std::ranges::find_if(modules_, [&](const auto &entry) { return entry.first == hash; });
        found != modules_.end()) {
      return found->second;
    }
    const bp_module_t *loading = host::Loading::module();
    return loading == nullptr ? nullptr : std::make_shared<const ModuleCopy>(loading);
  }

 private:
  const std::size_t most_;
  mutable std::mutex mutex_;
  std::list<std::pair<Sha256, std::shared_ptr<const ModuleCopy>>> modules_;  // by artifact, the oldest first
};

// Forwards bytes to the stream below, unless that is nullptr, and keeps a copy.
class Tee {
 public:
  explicit Tee(const bp_ostream_t *below) : abi_{this, &Tee::write}, below_(below) {}
  Tee(const Tee &) = delete;
  Tee &operator=(const Tee &) = delete;
  const bp_ostream_t *abi() const { return &abi_; }
  const std::string &bytes() const { return bytes_; }

 private:
  static bp_status write(const bp_ostream_t *stream, const void *bytes, std::uint64_t size) noexcept {
    auto &self = *static_cast<Tee *>(stream->ctx);
    const bp_status status = self.below_ == nullptr ? bp_status{BP_OK} : self.below_->write(self.below_, bytes, size);
    if (status != BP_OK) {
      return status;
    }
    try {
      self.bytes_.append(static_cast<const char *>(bytes), size);
    } catch (...) {
      return BP_NO_MEMORY;
    }
    return BP_OK;
  }

  bp_ostream_t abi_;
  const bp_ostream_t *below_;
  std::string bytes_;
};

}  // namespace bp::layers
