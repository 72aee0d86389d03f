#include "core/remote/record.h"

#include <map>
#include <unordered_map>

#include "core/layers/artifacts.h"

namespace bp::remote {
namespace {

// Handles of memory are unique only within a device.
const LayeredDevice *device_of(const LayeredFactory &) {
  return nullptr;
}
const LayeredDevice *device_of(const LayeredHost &) {
  return nullptr;
}
const LayeredDevice *device_of(const LayeredDevice &device) {
  return &device;
}
const LayeredDevice *device_of(const LayeredProgram &program) {
  return program.device;
}

// Writes each call to the file, and keeps track of memory, modules and submits, which calls refer to.
class RecordLayer final : public Interposer {
 public:
  RecordLayer(std::unique_ptr<host::Entry> below, std::shared_ptr<RecordingFile> file)
      : Interposer(std::move(below)), file_(std::move(file)) {}

  bp_status init(const char *path, const bp_diag_t *diag) override {
    plugin_ = file_->add_plugin(path);
    return Interposer::init(path, diag);
  }

#define BP_ABI_FUNCTION(object, table, name, tag, loss, result, parameters, arguments, roles)     \
  result table##_##name(Layered##object &self BP_LAYERED_PARAMETERS parameters) override {        \
    const auto below = [&](auto... given) { return Interposer::table##_##name(self, given...); }; \
    return record<Function::table##_##name>(below, self BP_LAYERED_PARAMETERS arguments);         \
  }
#include "core/layers/abi.def"
#undef BP_ABI_FUNCTION

 private:
  using Point = std::pair<std::uint64_t, std::uint64_t>;

  struct Memory {
    std::uint64_t id;  // in the recording
    const std::byte *host;
    std::uint64_t size;
  };

  // A call on a device, with the memory and programs that the layer knows.
  class Call final : public ClientCall {
   public:
    Call(const RecordLayer &layer, const LayeredDevice *device) : layer_(layer), device_(device) {
      wants_results = true;
    }

    bp_loc_t remote(bp_loc_t location) const override {
      const std::lock_guard lock(layer_.mutex_);
      const auto found = layer_.memory_.find({device_, location.memory});
      return found == layer_.memory_.end() ? location : bp_loc_t{found->second.id, location.offset};
    }
    std::optional<Bytes> readable(bp_loc_t location, std::uint64_t size) const override {
      if (location.memory == 0) {
        return location.offset == 0 ? std::nullopt
                                    : std::optional(Bytes(reinterpret_cast<const std::byte *>(location.offset), size));
      }
      const std::lock_guard lock(layer_.mutex_);
      const auto found = layer_.memory_.find({device_, location.memory});
      if (found == layer_.memory_.end() || found->second.host == nullptr || location.offset > found->second.size ||
          size > found->second.size - location.offset) {
        return std::nullopt;
      }
      return Bytes(found->second.host + location.offset, size);
    }
    const bp_module_t *module_of(const LayeredProgram &program) const override {
      const std::lock_guard lock(layer_.mutex_);
      const auto found = layer_.modules_.find(program.id);
      return found == layer_.modules_.end() ? nullptr : found->second->view().image();
    }
    const bp_module_t *module_of(Bytes artifact) const override {
      of_artifact_ = layer_.artifacts_.find(artifact.data(), artifact.size());
      return of_artifact_ == nullptr ? nullptr : of_artifact_->view().image();
    }

   private:
    const RecordLayer &layer_;
    const LayeredDevice *device_;
    mutable std::shared_ptr<const layers::ModuleCopy> of_artifact_;  // lives as long as the call that uses it
  };

  template <Function function, class Below, class... Given>
  typename Row<function>::Result record(const Below &below, typename Row<function>::Object &self, Given... given) {
    if constexpr (!is_sent<function>) {
      return below(given...);
    } else {
      typename Row<function>::Arguments arguments{given...};
      auto roles = Row<function>::roles(&self, arguments);
      Call call(*this, device_of(self));
      Writer request(file_.get()), reply(file_.get());
      for_each_role(roles, [&](auto &role) { role.write_request(request, call); });
      before<function>(call, self, given...);
      const std::uint64_t number = file_->begin(plugin_, function, self.id, request.bytes());
      try {
        if constexpr (std::is_void_v<typename Row<function>::Result>) {
          if constexpr (function == Function::host_signal) {  // ends before the core acts on it
            write_results(reply, call.results);
            file_->end(number, 0, reply.bytes());
          }
          make_and_write<function>(reply, call.arena, below, roles, arguments);
          if constexpr (function != Function::host_signal) {
            write_results(reply, call.results);
            file_->end(number, 0, reply.bytes());
          }
        } else {
          const auto result = make_and_write<function>(reply, call.arena, below, roles, arguments);
          write_results(reply, call.results);
          if constexpr (function == Function::compiler_compile) {
            artifacts_.remember(std::get<Artifact>(roles).bytes(), std::get<const bp_module_t *>(arguments));
          }
          file_->end(number, after<function>(result, self, given...), reply.bytes());
          return result;
        }
      } catch (const std::exception &error) {
        file_->threw(number, error.what());
        throw;
      } catch (...) {
        file_->threw(number, "an exception of unknown type");
        throw;
      }
    }
  }

  // Called before a call is made, when its request is written.
  template <Function function, class... Given>
  void before(Call &call, typename Row<function>::Object &self, Given... given) {
    [[maybe_unused]] const std::tuple all(given...);
    const std::lock_guard lock(mutex_);
    if constexpr (function == Function::queue_submit) {
      submitted_[point(std::get<bp_point_t>(all))] = std::exchange(call.results, {});
    } else if constexpr (function == Function::host_signal) {
      // The signal is recorded together with the results of the submit().
      if (auto found = submitted_.extract(point(std::get<bp_point_t>(all))); !found.empty()) {
        call.results = std::move(found.mapped());
      }
    } else if constexpr (function == Function::memory_release) {
      memory_.erase({&self, std::get<0>(all)});
    } else if constexpr (function == Function::program_destroy) {
      modules_.erase(self.id);
    }
  }

  // Called after a call. Returns the id of the object that it made, or 0.
  template <Function function, class Result, class... Given>
  std::uint64_t after(const Result &result, [[maybe_unused]] typename Row<function>::Object &self, Given... given) {
    [[maybe_unused]] const std::tuple all(given...);
    if constexpr (function == Function::device_get_extension) {
      if (result != nullptr && self.external_memory != nullptr) {
        forbid_external_memory(self);
      }
      self.layered_host_call.kinds = 0;  // a replay has no application; the core has it run things between programs
      return 0;
    } else if constexpr (function == Function::factory_create) {
      return result == nullptr ? 0 : layers::layered(result).id;
    } else if constexpr (std::is_same_v<Result, bp_status>) {
      if (result != BP_OK) {
        if constexpr (function == Function::queue_submit) {
          const std::lock_guard lock(mutex_);
          submitted_.erase(point(std::get<bp_point_t>(all)));
        }
        return 0;
      }
      if constexpr (function == Function::memory_alloc) {
        const bp_memory_t &made = *std::get<bp_memory_t *>(all);
        const std::lock_guard lock(mutex_);
        memory_[{&self, made.memory}] = {++last_memory_, static_cast<const std::byte *>(made.host),
                                         std::get<std::uint64_t>(all)};
        return last_memory_;
      } else if constexpr (function == Function::compiler_load) {
        const bp_program_t *program = *std::get<const bp_program_t **>(all);
        if (program == nullptr) {
          return 0;
        }
        const std::uint64_t id = layers::layered(program).id;
        if (auto module = artifacts_.find(std::get<const void *>(all), std::get<std::uint64_t>(all));
            module != nullptr) {
          const std::lock_guard lock(mutex_);
          modules_[id] = std::move(module);
        }
        return id;
      }
    }
    return 0;
  }

  // A replay has none of the memory that the device would import: no space imports or exports any kind.
  void forbid_external_memory(LayeredDevice &device) {
    const std::lock_guard lock(mutex_);
    std::vector<bp_external_support_t> &support = no_support_[&device];
    support.assign(device.memory == nullptr ? 0 : device.memory->space_count, {0, 0, 1, 1});
    device.layered_external_memory.support = support.data();
  }

  static Point point(bp_point_t done) { return {done.timeline, done.value}; }

  std::shared_ptr<RecordingFile> file_;
  std::uint64_t plugin_ = 0;
  layers::Artifacts artifacts_;
  mutable std::mutex mutex_;                                                  // guards the members below
  std::map<std::pair<const LayeredDevice *, std::uint64_t>, Memory> memory_;  // by device and handle
  std::map<const LayeredDevice *, std::vector<bp_external_support_t>> no_support_;
  std::uint64_t last_memory_ = 0;
  std::unordered_map<std::uint64_t, std::shared_ptr<const layers::ModuleCopy>> modules_;  // by program
  std::map<Point, std::vector<Item>> submitted_;                                          // results, by point
};

}  // namespace

host::Layer record_layer(std::shared_ptr<RecordingFile> file) {
  return [file = std::move(file)](std::unique_ptr<host::Entry> below) {
    return std::make_unique<RecordLayer>(std::move(below), file);
  };
}

}  // namespace bp::remote
