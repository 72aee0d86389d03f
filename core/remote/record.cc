#include "core/remote/record.h"

#include <map>
#include <unordered_map>

#include "core/layers/artifacts.h"

namespace bp::remote {
namespace {

// The device of the call on this thread. Handles of memory are unique only within a device.
thread_local const LayeredDevice *device_in_hand = nullptr;

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

// Sets device_in_hand for the duration of a call.
class DeviceInHand {
 public:
  explicit DeviceInHand(const LayeredDevice *device) : before_(std::exchange(device_in_hand, device)) {}
  DeviceInHand(const DeviceInHand &) = delete;
  DeviceInHand &operator=(const DeviceInHand &) = delete;
  ~DeviceInHand() { device_in_hand = before_; }

 private:
  const LayeredDevice *before_;
};

// Writes each call to the file.
class Recorder : public Interposer, public Caller {
 public:
  Recorder(std::unique_ptr<host::Entry> below, std::shared_ptr<RecordingFile> file)
      : Interposer(std::move(below)), file_(std::move(file)) {}

  bp_status init(const char *path, const bp_diag_t *diag) override {
    plugin_ = file_->add_plugin(path);
    return Interposer::init(path, diag);
  }

#define BP_ABI_FUNCTION(object, table, name, tag, result, parameters, arguments, travel)                      \
  result table##_##name(Layered##object &self BP_LAYERED_PARAMETERS parameters) override {                    \
    auto below = [&](auto... watched) { return Interposer::table##_##name(self, watched...); };               \
    return std::apply([&](auto... given) { return record<Function::table##_##name>(below, self, given...); }, \
                      std::tuple arguments);                                                                  \
  }
#include "core/layers/abi.def"
#undef BP_ABI_FUNCTION

 protected:
  // Returns a new id for a piece of memory, because the plugin's handles are unique only within a device.
  virtual std::uint64_t add_piece(const LayeredDevice &device, const bp_memory_t &memory, std::uint64_t size) = 0;
  std::uint64_t plugin() const { return plugin_; }
  RecordingFile &file() const { return *file_; }

 private:
  template <Function function, class Below, class... Arguments>
  typename Row<function>::Result record(const Below &below, typename Row<function>::Object &self,
                                        Arguments... arguments) {
    if constexpr (!Row<function>::is_carried) {
      return below(arguments...);
    } else {
      const DeviceInHand in_hand(device_of(self));
      const std::tuple given(arguments...);
      Writer in(this, file_.get()), out(this, file_.get());
      write_call<function>(in, self, arguments...);
      const std::uint64_t call = file_->begin(plugin_, function, self.id, in.bytes());
      try {
        if constexpr (std::is_void_v<typename Row<function>::Result>) {
          watch_call<function>(out, *this, below, self, arguments...);
          file_->end(call, 0, out.bytes());
        } else {
          auto result = watch_call<function>(out, *this, below, self, arguments...);
          std::uint64_t made = 0;
          if constexpr (function == Function::factory_create) {
            made = result == nullptr ? 0 : layers::layered(result).id;
          } else if constexpr (function == Function::compiler_load) {
            const bp_program_t *program = *std::get<const bp_program_t **>(given);
            made = result == BP_OK && program != nullptr ? layers::layered(program).id : 0;
          } else if constexpr (function == Function::memory_alloc) {
            made =
                result == BP_OK ? add_piece(self, *std::get<bp_memory_t *>(given), std::get<std::uint64_t>(given)) : 0;
          }
          file_->end(call, made, out.bytes());
          return result;
        }
      } catch (const std::exception &error) {
        file_->threw(call, error.what());
        throw;
      } catch (...) {
        file_->threw(call, "an exception of unknown type");
        throw;
      }
    }
  }

  std::shared_ptr<RecordingFile> file_;
  std::uint64_t plugin_ = 0;
};

// Also keeps track of memory, modules and submits, which calls refer to.
class RecordLayer final : public Recorder {
 public:
  using Recorder::Recorder;

  // --- places and modules ---

  bp_loc_t carried(bp_loc_t place) const override {
    const std::lock_guard lock(mutex_);
    const auto found = pieces_.find({device_in_hand, place.memory});
    return found == pieces_.end() ? place : bp_loc_t{found->second.id, place.offset};
  }
  std::optional<Bytes> visible(bp_loc_t place, std::uint64_t size) const override {
    if (place.memory == 0) {
      return place.offset == 0 ? std::nullopt
                               : std::optional(Bytes(reinterpret_cast<const std::byte *>(place.offset), size));
    }
    const std::lock_guard lock(mutex_);
    const auto found = pieces_.find({device_in_hand, place.memory});
    if (found == pieces_.end() || found->second.host == nullptr || place.offset > found->second.size ||
        size > found->second.size - place.offset) {
      return std::nullopt;
    }
    return Bytes(found->second.host + place.offset, size);
  }
  const bp_module_t *module_of(const LayeredProgram &program) const override {
    const std::lock_guard lock(mutex_);
    const auto found = modules_.find(program.id);
    return found == modules_.end() ? nullptr : found->second->view().image();
  }
  const bp_module_t *module_of(Bytes artifact) const override {
    const auto found = artifacts_.find(artifact.data(), artifact.size());
    return found == nullptr ? nullptr : found->view().image();
  }

  void memory_release(LayeredDevice &device, std::uint64_t memory) override {
    const DeviceInHand in_hand(&device);
    const std::uint64_t id = carried({memory, 0}).memory;
    Recorder::memory_release(device, memory);
    const std::lock_guard lock(mutex_);
    if (const auto found = pieces_.find({&device, memory}); found != pieces_.end() && found->second.id == id) {
      pieces_.erase(found);  // unless the plugin has reused the handle meanwhile
    }
  }
  bp_status compiler_compile(LayeredDevice &device, const bp_module_t *module, const bp_ostream_t *artifact,
                             const bp_diag_t *diag) override {
    layers::Tee tee(artifact);
    const bp_status status = Recorder::compiler_compile(device, module, tee.abi(), diag);
    artifacts_.remember(tee.take(), module);
    return status;
  }
  bp_status compiler_load(LayeredDevice &device, const void *artifact, std::uint64_t size, const bp_loc_t *constants,
                          std::uint8_t *taken, std::uint32_t allocation_count, const bp_program_t **program,
                          const bp_diag_t *diag) override {
    const bp_status status =
        Recorder::compiler_load(device, artifact, size, constants, taken, allocation_count, program, diag);
    if (auto module = artifacts_.find(artifact, size); status == BP_OK && *program != nullptr && module != nullptr) {
      const std::lock_guard lock(mutex_);
      modules_[layers::layered(*program).id] = std::move(module);
    }
    return status;
  }
  void program_destroy(LayeredProgram &program) override {
    Recorder::program_destroy(program);
    const std::lock_guard lock(mutex_);
    modules_.erase(program.id);
  }

  // --- submits and signals ---

  bp_status queue_submit(LayeredDevice &device, std::uint32_t queue, const bp_command_t *commands,
                         std::uint32_t command_count, bp_point_t done, const bp_diag_t *diag) override {
    {
      const DeviceInHand in_hand(&device);
      std::vector<Bytes> results = Commands(queue, commands, command_count, done).results(*this);
      const std::lock_guard lock(mutex_);
      submitted_[{done.timeline, done.value}] = std::move(results);
    }
    const bp_status status = Recorder::queue_submit(device, queue, commands, command_count, done, diag);
    if (status != BP_OK) {
      const std::lock_guard lock(mutex_);
      submitted_.erase({done.timeline, done.value});
    }
    return status;
  }
  // Records the signal together with the results that the submit() has written.
  void host_signal(LayeredHost &host, bp_point_t point, bp_status status, std::uint32_t instr,
                   const char *msg) override {
    std::vector<Bytes> results;
    {
      const std::lock_guard lock(mutex_);
      if (auto found = submitted_.extract({point.timeline, point.value}); !found.empty()) {
        results = std::move(found.mapped());
      }
    }
    Writer in(this, &file()), out(this, &file());
    write_call<Function::host_signal>(in, host, point, status, instr, msg);
    out.number(std::uint64_t{results.size()});
    for (const Bytes result : results) {
      out.content(result);
    }
    file().end(file().begin(plugin(), Function::host_signal, host.id, in.bytes()), 0, out.bytes());
    Interposer::host_signal(host, point, status, instr, msg);
  }

 private:
  struct OwnPiece {
    std::uint64_t id;
    const std::byte *host;
    std::uint64_t size;
  };

  std::uint64_t add_piece(const LayeredDevice &device, const bp_memory_t &memory, std::uint64_t size) override {
    const std::lock_guard lock(mutex_);
    const std::uint64_t id = ++last_piece_;
    pieces_[{&device, memory.memory}] = {id, static_cast<const std::byte *>(memory.host), size};
    return id;
  }

  layers::Artifacts artifacts_;
  mutable std::mutex mutex_;
  std::map<std::pair<const LayeredDevice *, std::uint64_t>, OwnPiece> pieces_;
  std::uint64_t last_piece_ = 0;
  std::unordered_map<std::uint64_t, std::shared_ptr<const layers::ModuleCopy>> modules_;  // by program
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<Bytes>> submitted_;       // by point
};

}  // namespace

host::Layer record_layer(std::shared_ptr<RecordingFile> file) {
  return [file = std::move(file)](std::unique_ptr<host::Entry> below) {
    return std::make_unique<RecordLayer>(std::move(below), file);
  };
}

}  // namespace bp::remote
