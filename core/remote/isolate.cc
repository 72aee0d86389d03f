#include "core/remote/isolate.h"

#include <fmt/format.h>

#include <map>

#include "core/layers/artifacts.h"
#include "core/remote/accepted.h"
#include "core/remote/library.h"
#include "core/remote/segment.h"
#include "core/remote/staging.h"

namespace bp::remote {
namespace {

// Number of modules that are kept for programs that are compiled and not loaded yet.
constexpr std::size_t max_modules = 16;
// Copies between the host and a device go through shared memory, in parts of at most this many bytes.
constexpr std::uint64_t copy_step = std::uint64_t{8} << 20;

// Alignment, in bytes, of the space of shared memory that a device without memory gets.
constexpr std::uint32_t shared_alignment = 64;

// A device in a worker, as the application knows it. Its functions are never called.
struct IsolatedDevice : bp_device_t {
  std::shared_ptr<Worker> worker;  // in which the device was made; when that dies, the device is lost
  Extensions extensions;
  bool has_memory = false;             // whether the device has memory of its own
  std::uint32_t copy_queue = BP_NONE;  // index of the queue, made by this process, for copies within shared memory
  bool is_initialized = false;

  // Decides where programs get their memory (isolate.h). Called once the extensions are known.
  void arrange_memory(bool lends_memory);
};

struct IsolatedProgram : bp_program_t {
  std::shared_ptr<const layers::ModuleCopy> module;  // nullptr if it was compiled elsewhere
  std::unique_ptr<const StagedCall> load;            // has copies of constants in the application's memory
};

IsolatedDevice &isolated(const LayeredDevice &device) {
  return *static_cast<IsolatedDevice *>(const_cast<bp_device_t *>(device.below));
}
IsolatedProgram &isolated(const LayeredProgram &program) {
  return *static_cast<IsolatedProgram *>(const_cast<bp_program_t *>(program.below));
}

void IsolatedDevice::arrange_memory(bool lends_memory) {
  has_memory = extensions.spaces.has_value();
  if (has_memory) {
    for (bp_space_t &space : *extensions.spaces) {
      space.flags &= ~static_cast<std::uint32_t>(BP_SPACE_HOST_VISIBLE);
    }
  } else if (lends_memory && extensions.find(BP_EXT_COMPILER) != nullptr) {
    extensions.spaces = {{"shared", 0, shared_alignment, BP_SPACE_HOST_VISIBLE, 0, 0}};
    if (extensions.queues.has_value()) {
      for (std::uint32_t &kinds : *extensions.queues) {
        kinds &= 1u << BP_COMMAND_RUN;
      }
      copy_queue = static_cast<std::uint32_t>(extensions.queues->size());
      extensions.queues->push_back(1u << BP_COMMAND_COPY);
    }
  }
  extensions.update();
}

class IsolatedPlugin final : public Stub {
 public:
  explicit IsolatedPlugin(Isolation isolation) : isolation_(std::move(isolation)) {}

  // --- the library ---

  bp_status init(const char *path, const bp_diag_t *diag) override {
    path_ = path;
    return worker(diag) == nullptr ? failed_start_ : BP_OK;
  }
  void deinit() override { take_worker().reset(); }
  const void *get_factory(const char *id) override {
    if (library_->has_factory && std::string_view(id) == BP_DEVICE_FACTORY) {
      return wrap(&no_factory);
    }
    if (library_->has_instances && std::string_view(id) == BP_INSTANCES) {
      wrap(&no_factory);
      return wrap(&no_instances);
    }
    return nullptr;
  }
  std::uint32_t factory_count(LayeredFactory &) override { return library_->count; }
  const bp_device_desc_t *factory_get_desc(LayeredFactory &, std::uint32_t index) override {
    return index < library_->descriptions.size() ? library_->descriptions[index] : nullptr;
  }

  // --- devices ---

  const bp_device_t *factory_create(LayeredFactory &factory, const bp_host_t *host, const char *id,
                                    std::uint32_t instance, const bp_option_t *options, std::uint32_t option_count,
                                    const bp_diag_t *diag) override {
    std::unique_ptr<LayeredDevice> device = wrap(host);
    auto state = std::make_unique<IsolatedDevice>();
    state->desc = library_->description(id);
    if (state->desc == nullptr) {
      report(diag, BP_INVALID, fmt::format("{} has no device {}", path_, id));
      return nullptr;
    }
    state->worker = worker(diag);
    if (state->worker == nullptr || !send<Function::factory_create>(state->worker, factory, device->id, host, id,
                                                                    instance, options, option_count, diag)
                                         .is_there) {
      return nullptr;
    }
    state->init = [](const bp_device_t *, const bp_diag_t *) -> bp_status { return BP_INTERNAL; };
    state->destroy = [](const bp_device_t *) {};
    state->get_extension = [](const bp_device_t *, const char *) -> const void * { return nullptr; };
    accepted_.add(*device);
    return wrap(std::move(device), state.release());
  }

  bp_status device_init(LayeredDevice &device, const bp_diag_t *diag) override {
    const bp_status status = Stub::device_init(device, diag);
    if (status != BP_OK) {
      return status;
    }
    warn_if_unrestricted(device.host.below);
    IsolatedDevice &state = isolated(device);
    for (const char *const *feature = state.desc->features; feature != nullptr && *feature != nullptr; ++feature) {
      if (!is_known_extension(*feature)) {
        report(diag, BP_UNSUPPORTED, fmt::format("calls of {} cannot be carried to another process", *feature));
        return BP_UNSUPPORTED;
      }
    }
    for (const char *id : known_extensions()) {
      StagedCall call(state.worker);
      call.extensions = &state.extensions;
      const Outcome outcome = send<Function::device_get_extension>(call, device, 0, id);
      if (outcome.status != BP_OK) {
        report(diag, outcome.status,
               fmt::format("device.get_extension of {} failed: {}", id,
                           outcome.has_reply ? "the reply is not whole" : state.worker->death()));
        return outcome.status;
      }
      if (outcome.is_there) {
        state.extensions.add(id);
      }
    }
    state.arrange_memory(isolation_.lends_memory);
    state.is_initialized = true;
    return BP_OK;
  }

  const void *device_get_extension(LayeredDevice &device, const char *id) override {
    const IsolatedDevice &state = isolated(device);
    return wrap(device, id, state.is_initialized ? state.extensions.find(id) : nullptr);
  }

  void device_destroy(LayeredDevice &device) override {
    const std::unique_ptr<IsolatedDevice> state(&isolated(device));
    send<Function::device_destroy>(state->worker, device, 0);
    accepted_.remove(device);
  }

  // --- memory ---

  bp_status memory_alloc(LayeredDevice &device, std::uint32_t space, std::uint64_t size, std::uint32_t alignment,
                         bp_memory_t *out, const bp_diag_t *diag) override {
    const IsolatedDevice &state = isolated(device);
    const std::uint64_t id = Segment::next_id();
    if (state.has_memory) {
      const Outcome outcome = send<Function::memory_alloc>(state.worker, device, id, space, size, alignment, out, diag);
      out->memory = id;
      out->host = nullptr;
      return outcome.status;
    }
    if (is_lost(device, Function::memory_alloc, diag)) {
      return BP_DEVICE_LOST;
    }
    const std::lock_guard arranging(arranging_);
    auto share = shares_.take(size, alignment);
    if (!share.ok()) {
      report(diag, BP_NO_MEMORY, share.error().message());
      return BP_NO_MEMORY;
    }
    state.worker->map(*share->segment);
    *out = {id, share->data(), 0};
    const std::lock_guard lock(mutex_);
    shared_[id] = {std::move(share).value(), size};
    return BP_OK;
  }

  void memory_release(LayeredDevice &device, std::uint64_t memory) override {
    const IsolatedDevice &state = isolated(device);
    if (state.has_memory) {
      send<Function::memory_release>(state.worker, device, 0, memory);
      return;
    }
    const std::lock_guard arranging(arranging_);
    std::unique_lock lock(mutex_);
    const auto piece = shared_.extract(memory);
    lock.unlock();
    if (!piece.empty() && piece.mapped().share.segment.use_count() == 1) {
      state.worker->unmap(*piece.mapped().share.segment);  // nothing else has a share of it
    }
  }

  bp_status memory_copy(LayeredDevice &device, bp_loc_t to, bp_loc_t from, std::uint64_t size,
                        const bp_diag_t *diag) override {
    const IsolatedDevice &state = isolated(device);
    if (!state.has_memory) {
      return is_lost(device, Function::memory_copy, diag) ? BP_DEVICE_LOST : copy_here(to, from, size, diag);
    }
    const std::uint64_t step = to.memory != 0 && from.memory != 0 ? std::max<std::uint64_t>(size, 1) : copy_step;
    bp_status status = BP_OK;
    std::uint64_t at = 0;
    do {
      status = send<Function::memory_copy>(state.worker, device, 0, bp_loc_t{to.memory, to.offset + at},
                                           bp_loc_t{from.memory, from.offset + at}, std::min(step, size - at), diag)
                   .status;
      at += step;
    } while (at < size && status == BP_OK);
    return status;
  }

  // --- programs ---

  bp_status compiler_compile(LayeredDevice &device, const bp_module_t *module, const bp_ostream_t *artifact,
                             const bp_diag_t *diag) override {
    layers::Tee tee(artifact);
    const bp_status status = Stub::compiler_compile(device, module, tee.abi(), diag);
    if (status == BP_OK) {
      artifacts_.remember(tee.bytes(), module);
    }
    return status;
  }

  bp_status compiler_load(LayeredDevice &device, const void *artifact, std::uint64_t size, const bp_loc_t *constants,
                          std::uint8_t *taken, std::uint32_t allocation_count, const bp_program_t **program,
                          const bp_diag_t *diag) override {
    const std::uint64_t id = next_id();
    const bp_program_t *made = nullptr;
    auto call = std::make_unique<Call>(*this, isolated(device).worker);
    call->module = artifacts_.find(artifact, size);
    const Outcome outcome = send<Function::compiler_load>(*call, device, id, artifact, size, constants, taken,
                                                          allocation_count, &made, diag);
    if (outcome.status == BP_OK && made != nullptr) {
      auto state = std::make_unique<IsolatedProgram>(IsolatedProgram{*made, call->module, nullptr});
      state->run = [](const bp_program_t *, const bp_run_t *, const bp_diag_t *) -> bp_status { return BP_INTERNAL; };
      state->destroy = [](const bp_program_t *) {};
      state->load = std::move(call);
      *program = wrap(device, state.release(), id);
    }
    return outcome.status;
  }

  void program_destroy(LayeredProgram &program) override {
    const std::unique_ptr<IsolatedProgram> state(&isolated(program));
    send<Function::program_destroy>(isolated(*program.device).worker, program, 0);
  }

  // --- queues ---

  bp_status queue_submit(LayeredDevice &device, std::uint32_t queue, const bp_command_t *commands,
                         std::uint32_t command_count, bp_point_t done, const bp_diag_t *diag) override {
    const IsolatedDevice &state = isolated(device);
    if (queue == state.copy_queue) {
      bp_status status = is_lost(device, Function::queue_submit, diag) ? BP_DEVICE_LOST : BP_OK;
      for (const bp_command_t &command : std::span(commands, command_count)) {
        status = status == BP_OK ? copy_here(command.to, command.from, command.size, diag) : status;
      }
      if (status == BP_OK) {
        device.host.below->signal(device.host.below, done, BP_OK, BP_NONE, nullptr);
      }
      return status;
    }
    const auto call = std::make_shared<Call>(*this, state.worker);
    accepted_.begin(done, device, call);
    const Outcome outcome = send<Function::queue_submit>(*call, device, 0, queue, commands, command_count, done, diag);
    const bp_status status = accepted_.settle(done, outcome, *state.worker);
    if (outcome.status == BP_OK && status != BP_OK) {
      report(diag, status, lost(name_of(device), *state.worker, "after queue.submit"));
    }
    return status;
  }

 protected:
  using Stub::name_of;
  std::string name_of(const LayeredFactory &) const override { return path_; }
  std::shared_ptr<Worker> worker_of(LayeredFactory &, const bp_diag_t *diag) override { return worker(diag); }
  std::shared_ptr<Worker> worker_of(LayeredDevice &device) override { return isolated(device).worker; }
  std::unique_ptr<StagedCall> begin(std::shared_ptr<Worker> worker) override {
    return std::make_unique<Call>(*this, std::move(worker));
  }

 private:
  // A piece of memory of a device without memory of its own.
  struct SharedPiece {
    Share share;
    std::uint64_t size = 0;
  };

  // A call to a worker of this plugin.
  class Call final : public StagedCall {
   public:
    Call(const IsolatedPlugin &plugin, std::shared_ptr<Worker> worker)
        : StagedCall(std::move(worker)), plugin_(plugin) {}

    std::shared_ptr<const layers::ModuleCopy> module;  // of the artifact in the call

    bp_loc_t remote(bp_loc_t location) const override {
      if (location.memory != 0) {
        const std::lock_guard lock(plugin_.mutex_);
        if (const auto found = plugin_.shared_.find(location.memory); found != plugin_.shared_.end()) {
          const Share &share = found->second.share;
          return {share.segment->id(), share.offset + location.offset};
        }
      }
      return StagedCall::remote(location);
    }
    const bp_module_t *module_of(const LayeredProgram &program) const override {
      return image_of(isolated(program).module);
    }
    const bp_module_t *module_of(Bytes) const override { return image_of(module); }

   private:
    static const bp_module_t *image_of(const std::shared_ptr<const layers::ModuleCopy> &module) {
      return module == nullptr ? nullptr : module->view().image();
    }

    const IsolatedPlugin &plugin_;
  };

  static constexpr bp_device_factory_t no_factory{};
  static constexpr bp_instances_t no_instances{};

  // --- the worker ---

  // Whether the worker of a device is dead; reports it. For calls that do not go to the worker.
  bool is_lost(const LayeredDevice &device, Function function, const bp_diag_t *diag) {
    const Worker &worker = *isolated(device).worker;
    if (worker.is_alive()) {
      return false;
    }
    report(diag, BP_DEVICE_LOST, lost(name_of(device), worker, fmt::format("before {}", layers::to_string(function))));
    worker.tell_death();
    return true;
  }

  std::shared_ptr<Worker> take_worker() {
    const std::lock_guard lock(mutex_);
    return std::exchange(worker_, nullptr);
  }

  // Returns a worker for a new device: the last one, or another if that is dead.
  std::shared_ptr<Worker> worker(const bp_diag_t *diag) {
    const std::lock_guard starting(starting_);
    std::shared_ptr<Worker> last = take_worker();
    if (last == nullptr || !last->is_alive()) {
      last = start(diag);
    }
    const std::lock_guard lock(mutex_);
    worker_ = last;
    return last;
  }

  std::shared_ptr<Worker> start(const bp_diag_t *diag) {
    failed_start_ = BP_INTERNAL;
    Worker::Listener listener;
    listener.event = [this](std::string_view event) { accepted_.handle(event); };
    listener.died = [this](const Worker &dead) { accepted_.signal_lost(dead); };
    listener.deadline = [this] { return accepted_.deadline(isolation_.seconds); };
    auto started = Worker::start(isolation_, std::move(listener));
    if (!started.ok()) {
      report(diag, BP_INTERNAL, started.error().to_string());
      return nullptr;
    }
    std::shared_ptr<Worker> worker = std::move(started).value();
    Result<Library> library = start_library(*worker, path_, isolation_);
    if (!library.ok()) {
      failed_start_ = worker->is_alive() ? BP_INTERNAL : BP_DEVICE_LOST;
      report(diag, failed_start_, library.error().to_string());
      return nullptr;
    }
    for (const host::Report &said : library->reports) {
      report(diag, said.status, said.message);
    }
    unrestricted_ = library->unrestricted;
    if (isolation_.is_strict && !unrestricted_.empty()) {
      failed_start_ = BP_UNSUPPORTED;
      report(diag, failed_start_,
             fmt::format("the worker process cannot be restricted, expected that it can (--isolate-strict): {}",
                         unrestricted_));
      return nullptr;
    }
    failed_start_ = library->status;
    if (library->status != BP_OK) {
      return nullptr;
    }
    if (!library_.has_value()) {  // the descriptions of devices never change
      library_ = std::move(library).value();
    }
    return worker;
  }

  // Says once per process that plugins can do more than they should.
  void warn_if_unrestricted(const bp_host_t *host) const {
    static std::atomic<bool> is_told = false;
    if (unrestricted_.empty()) {
      return;
    }
    const auto *log = static_cast<const bp_host_log_t *>(host->get_extension(host, BP_EXT_LOG));
    if (log != nullptr && !is_told.exchange(true)) {
      log->log(host, BP_LOG_WARNING,
               fmt::format("isolated backends can do all that the user can: {}; --isolate-strict refuses to run them",
                           unrestricted_)
                   .c_str());
    }
  }

  // --- copies ---

  // Returns the address of a location in shared memory or in the application's memory. Fails if the bytes are not all
  // in one piece.
  Result<std::byte *> address(bp_loc_t place, std::uint64_t size) const {
    if (place.memory == 0) {
      return reinterpret_cast<std::byte *>(place.offset);
    }
    const std::lock_guard lock(mutex_);
    const auto found = shared_.find(place.memory);
    if (found == shared_.end() || place.offset > found->second.size || size > found->second.size - place.offset) {
      return invalid_input("{} bytes at offset {} are not inside of memory {}", size, place.offset, place.memory);
    }
    return found->second.share.data() + place.offset;
  }

  // Copies between locations that this process can address.
  bp_status copy_here(bp_loc_t to, bp_loc_t from, std::uint64_t size, const bp_diag_t *diag) const {
    const Result<std::byte *> target = address(to, size), source = address(from, size);
    if (!target.ok() || !source.ok()) {
      report(diag, BP_INVALID, (target.ok() ? source : target).error().message());
      return BP_INVALID;
    }
    std::memmove(*target, *source, size);
    return BP_OK;
  }

  const Isolation isolation_;
  std::string path_;
  std::string unrestricted_;        // see Library
  std::optional<Library> library_;  // as reported when it was first loaded
  bp_status failed_start_ = BP_INTERNAL;

  layers::Artifacts artifacts_{max_modules};
  SharePool shares_;
  Accepted accepted_;
  std::mutex starting_;
  std::mutex arranging_;                         // held while a segment gets or loses a share; taken before mutex_
  mutable std::mutex mutex_;                     // guards the members below
  std::map<std::uint64_t, SharedPiece> shared_;  // by the core's handle
  std::shared_ptr<Worker> worker_;               // destroyed first, because its thread uses the other members
};

}  // namespace

host::Opener isolated(Isolation isolation) {
  return [isolation = std::move(isolation)](const std::string &, const host::Manifest &) {
    return Result<std::unique_ptr<host::Entry>>(std::make_unique<IsolatedPlugin>(isolation));
  };
}

}  // namespace bp::remote
