#include "core/remote/isolate.h"

#include <fmt/format.h>

#include <list>
#include <map>

#include "core/host/diagnostics.h"
#include "core/remote/accepted.h"
#include "core/remote/carrier.h"
#include "core/remote/library.h"
#include "core/remote/own_objects.h"
#include "core/remote/staging.h"

namespace bp::remote {
namespace {

constexpr std::size_t page = 4096;
// Number of modules that are kept for programs that are compiled and not loaded yet.
constexpr std::size_t max_modules = 16;
// Copies between the host and a device go through shared memory, in parts of at most this many bytes.
constexpr std::uint64_t copy_step = std::uint64_t{8} << 20;

bp_loc_t host_place(const void *address) {
  return {0, reinterpret_cast<std::uint64_t>(address)};
}

class Proxy final : public Carrier {
 public:
  explicit Proxy(Isolation isolation) : isolation_(std::move(isolation)) {}

  // --- the library ---

  bp_status init(const char *path, const bp_diag_t *diag) override {
    path_ = path;
    return worker(diag) == nullptr ? failed_start_ : BP_OK;
  }
  void deinit() override { take_worker().reset(); }
  const void *get_factory(const char *id) override {
    return library_->has_factory && std::string_view(id) == BP_DEVICE_FACTORY ? wrap(&no_factory) : nullptr;
  }
  std::uint32_t factory_count(LayeredFactory &) override { return library_->count; }
  const bp_device_desc_t *factory_get_desc(LayeredFactory &, std::uint32_t index) override {
    return index < library_->descriptions.size() ? library_->descriptions[index]->abi() : nullptr;
  }

  // --- devices ---

  const bp_device_t *factory_create(LayeredFactory &factory, const bp_host_t *host, const char *id,
                                    std::uint32_t instance, const bp_option_t *options, std::uint32_t option_count,
                                    const bp_diag_t *diag) override {
    auto own = std::make_shared<OwnDevice>();
    own->id = id;
    own->instance = instance;
    for (const bp_option_t &option : std::span(options, option_count)) {
      own->options.emplace_back(option.key, option.value);
    }
    std::unique_ptr<LayeredDevice> device = wrap(host);
    own->below.desc = library_->description(id);
    if (own->below.desc == nullptr) {
      report(diag, BP_INVALID, fmt::format("{} has no device {}", path_, id));
      return nullptr;
    }
    own->worker = worker(diag);
    if (own->worker == nullptr || !create(*own, factory, device->id, diag)) {
      return nullptr;
    }
    own->below.init = [](const bp_device_t *, const bp_diag_t *) -> bp_status { return BP_INTERNAL; };
    own->below.destroy = [](const bp_device_t *) {};
    own->below.get_extension = [](const bp_device_t *, const char *) -> const void * { return nullptr; };
    factory_ = &factory;
    accepted_.add(*device);
    const std::lock_guard lock(mutex_);
    devices_[device->id] = own;
    return wrap(std::move(device), &own->below);
  }

  bp_status device_init(LayeredDevice &device, const bp_diag_t *diag) override {
    const bp_status status = Carrier::device_init(device, diag);
    if (status != BP_OK) {
      return status;
    }
    OwnDevice &own = *own_of(device);
    for (const char *const *feature = own.below.desc->features; feature != nullptr && *feature != nullptr; ++feature) {
      if (!is_known_extension(*feature)) {
        report(diag, BP_UNSUPPORTED, fmt::format("calls of {} cannot be carried to another process", *feature));
        return BP_UNSUPPORTED;
      }
    }
    for (const char *id : known_extensions()) {
      if (!read_extension(device, own, id)) {
        report(diag, BP_DEVICE_LOST, fmt::format("{} was lost in device.get_extension", own.id));
        return BP_DEVICE_LOST;
      }
    }
    own.arrange_memory();
    own.is_initialized = true;
    return BP_OK;
  }

  const void *device_get_extension(LayeredDevice &device, const char *id) override {
    const std::shared_ptr<OwnDevice> own = own_of(device);
    return wrap(device, id, own->is_initialized ? own->extensions.find(id) : nullptr);
  }

  void device_destroy(LayeredDevice &device) override {
    const std::shared_ptr<OwnDevice> own = own_of(device);
    if (const std::shared_ptr<Worker> worker = own->living_worker(); worker != nullptr) {
      transmit<Function::device_destroy>(*worker, device, 0);
    }
    accepted_.remove(device);
    const std::lock_guard lock(mutex_);
    devices_.erase(device.id);
  }

  // --- kernels ---

  bp_status kernels_kernel(LayeredDevice &device, const bp_call_t *call, const bp_diag_t *diag) override {
    const std::shared_ptr<Worker> worker = worker_for(device, diag);
    if (worker == nullptr) {
      return BP_DEVICE_LOST;
    }
    StagedCall staged(*call);
    const std::shared_ptr<Segment> segment = take_staging(*worker, staged.size(), diag);
    if (segment == nullptr) {
      return BP_NO_MEMORY;
    }
    const bp_call_t *there = staged.bring(segment->data());
    const SegmentInHand in_hand(*segment);
    const Outcome outcome = transmit<Function::kernels_kernel>(*worker, device, 0, there, diag);
    if (outcome.status == BP_OK) {
      staged.bring_back();
    }
    staging_.give_back(worker->number(), segment);
    return outcome.status;
  }

  // --- memory ---

  bp_status memory_alloc(LayeredDevice &device, std::uint32_t space, std::uint64_t size, std::uint32_t alignment,
                         bp_memory_t *out, const bp_diag_t *diag) override {
    const std::shared_ptr<Worker> worker = worker_for(device, diag);
    if (worker == nullptr) {
      return BP_DEVICE_LOST;
    }
    OwnDevice &own = *own_of(device);
    auto piece = std::make_shared<OwnPiece>(OwnPiece{Segment::next_id(), space, size, alignment, {}});
    if (own.has_memory) {
      const Outcome outcome =
          transmit<Function::memory_alloc>(*worker, device, piece->id, space, size, alignment, out, diag);
      if (outcome.status != BP_OK) {
        return outcome.status;
      }
    } else {
      auto share = shares_.take(size, alignment);
      if (!share.ok()) {
        report(diag, BP_NO_MEMORY, share.error().message());
        return BP_NO_MEMORY;
      }
      piece->share = std::move(share).value();
      worker->map(*piece->share.segment);
      const std::lock_guard lock(mutex_);
      places_[piece->id] = {piece->share.segment->id(), piece->share.offset};
      out->address = 0;
    }
    out->memory = piece->id;
    out->host = own.has_memory ? nullptr : piece->share.data();
    const std::lock_guard lock(own.mutex);
    own.pieces[piece->id] = std::move(piece);
    return BP_OK;
  }

  void memory_release(LayeredDevice &device, std::uint64_t memory) override {
    OwnDevice &own = *own_of(device);
    std::shared_ptr<OwnPiece> piece;
    {
      const std::lock_guard lock(own.mutex);
      if (auto found = own.pieces.extract(memory); !found.empty()) {
        piece = std::move(found.mapped());
      }
    }
    {
      const std::lock_guard lock(mutex_);
      places_.erase(memory);
    }
    const std::shared_ptr<Worker> worker = own.living_worker();
    if (piece == nullptr || worker == nullptr) {
      return;
    }
    if (own.has_memory) {
      transmit<Function::memory_release>(*worker, device, 0, memory);
    } else {
      unmap_last(*worker, piece);
    }
  }

  bp_status memory_copy(LayeredDevice &device, bp_loc_t to, bp_loc_t from, std::uint64_t size,
                        const bp_diag_t *diag) override {
    OwnDevice &own = *own_of(device);
    if (!own.has_memory) {
      return copy_here(own, to, from, size, diag);
    }
    const std::shared_ptr<Worker> worker = worker_for(device, diag);
    return worker == nullptr ? BP_DEVICE_LOST : copy_there(*worker, device, to, from, size, diag);
  }

  // --- programs ---

  bp_status compiler_load(LayeredDevice &device, const void *artifact, std::uint64_t size, const bp_loc_t *constants,
                          std::uint8_t *taken, std::uint32_t allocation_count, const bp_program_t **program,
                          const bp_diag_t *diag) override {
    const std::shared_ptr<Worker> worker = worker_for(device, diag);
    if (worker == nullptr) {
      return BP_DEVICE_LOST;
    }
    OwnDevice &on = *own_of(device);
    auto own = std::make_shared<OwnProgram>();
    const auto *bytes = static_cast<const std::byte *>(artifact);
    own->artifact.assign(bytes, bytes + size);
    own->module = module_of_artifact(own->artifact);
    own->constants.assign(constants, constants + allocation_count);
    own->worker = worker;
    if (const Status staged = stage_constants(*worker, on, *own); !staged.ok()) {
      report(diag, BP_NO_MEMORY, staged.error().message());
      return BP_NO_MEMORY;
    }
    const std::uint64_t id = next_id();
    const bp_program_t *facts = nullptr;
    const Outcome outcome = transmit<Function::compiler_load>(*worker, device, id, artifact, size,
                                                              static_cast<const bp_loc_t *>(own->constants.data()),
                                                              taken, allocation_count, &facts, diag);
    const std::unique_ptr<const bp_program_t> made(facts);
    if (outcome.status != BP_OK || made == nullptr) {
      forget_staged(on, *own);
      return outcome.status;
    }
    own->facts = *made;
    own->taken.assign(taken, taken + allocation_count);
    own->facts.run = [](const bp_program_t *, const bp_run_t *, const bp_diag_t *) -> bp_status { return BP_INTERNAL; };
    own->facts.destroy = [](const bp_program_t *) {};
    for (const bp_loc_t constant : own->constants) {
      if (auto piece = on.piece(constant.memory); piece != nullptr) {
        if (on.has_memory) {
          keep_content(*worker, device, *piece);
        }
        own->pieces.push_back(std::move(piece));
      }
    }
    *program = wrap(device, &own->facts, id);
    const std::lock_guard lock(on.mutex);
    on.programs[id] = std::move(own);
    return BP_OK;
  }

  bp_status compiler_compile(LayeredDevice &device, const bp_module_t *module, const bp_ostream_t *artifact,
                             const bp_diag_t *diag) override {
    layers::Tee tee(artifact);
    const bp_status status = Carrier::compiler_compile(device, module, tee.abi(), diag);
    if (status == BP_OK) {
      const std::string bytes = tee.take();
      const std::lock_guard lock(mutex_);
      modules_.emplace_back(sha256(std::as_bytes(std::span(bytes))),
                            std::make_shared<const layers::ModuleCopy>(module));
      if (modules_.size() > max_modules) {
        modules_.pop_front();
      }
    }
    return status;
  }

  // The core keeps a program's memory where the worker can address it. Other callers may not; their memory is copied.
  bp_status program_run(LayeredProgram &program, const bp_run_t *run, const bp_diag_t *diag) override {
    const std::shared_ptr<OwnProgram> own = own_of(*program.device)->program(program.id);
    if (own->module == nullptr) {
      return Carrier::program_run(program, run, diag);
    }
    StagedRun staged(*run, *own->module->view().image(), own->facts.scratch_size, own->constants);
    if (!staged.is_needed()) {
      return Carrier::program_run(program, run, diag);
    }
    const std::shared_ptr<Worker> worker = worker_for(program, diag);
    const std::shared_ptr<Segment> segment = worker == nullptr ? nullptr : take_staging(*worker, staged.size(), diag);
    if (segment == nullptr) {
      return worker == nullptr ? BP_DEVICE_LOST : BP_NO_MEMORY;
    }
    const Outcome outcome = transmit<Function::program_run>(*worker, program, 0, staged.bring(*segment), diag);
    if (outcome.status == BP_OK) {
      staged.bring_back();
    }
    staging_.give_back(worker->number(), segment);
    return outcome.status;
  }

  void program_destroy(LayeredProgram &program) override {
    OwnDevice &on = *own_of(*program.device);
    const std::shared_ptr<OwnProgram> own = on.program(program.id);
    const bool is_loaded = own->worker != nullptr && own->worker->is_alive();
    if (is_loaded) {
      transmit<Function::program_destroy>(*own->worker, program, 0);
    }
    forget_staged(on, *own);
    for (const auto &piece : own->pieces) {
      if (is_loaded && !on.has_memory) {
        unmap_last(*own->worker, piece);  // if it is still in use, it is unmapped later
      }
    }
    const std::lock_guard lock(on.mutex);
    on.programs.erase(program.id);
  }

  // --- queues ---

  bp_status queue_submit(LayeredDevice &device, std::uint32_t queue, const bp_command_t *commands,
                         std::uint32_t command_count, bp_point_t done, const bp_diag_t *diag) override {
    OwnDevice &own = *own_of(device);
    const std::span given(commands, command_count);
    if (queue == own.copy_queue) {
      bp_status status = BP_OK;
      for (const bp_command_t &command : given) {
        status = status == BP_OK ? copy_here(own, command.to, command.from, command.size, diag) : status;
      }
      if (status == BP_OK) {
        device.host.below->signal(device.host.below, done, BP_OK, BP_NONE, nullptr);
      }
      return status;
    }
    for (const bp_command_t &command : given) {
      if (command.program != nullptr && lies_here(own, command)) {
        report(diag, BP_INVALID, "a run on a queue has its memory where the worker cannot address it");
        return BP_INVALID;
      }
      if (command.program != nullptr && worker_for(layers::layered(command.program), diag) == nullptr) {
        return BP_DEVICE_LOST;
      }
    }
    const std::shared_ptr<Worker> worker = worker_for(device, diag);
    if (worker == nullptr) {
      return BP_DEVICE_LOST;
    }
    Submit submit{worker->number()};
    std::vector<bp_command_t> staged(given.begin(), given.end());
    for (bp_command_t &command : staged) {
      if (const Status brought = submit.bring(*worker, staging_, command); !brought.ok()) {
        report(diag, BP_NO_MEMORY, brought.error().message());
        return BP_NO_MEMORY;
      }
    }
    accepted_.begin(done, device, std::move(submit));
    const Outcome outcome = transmit<Function::queue_submit>(
        *worker, device, 0, queue, static_cast<const bp_command_t *>(staged.data()), command_count, done, diag);
    const bp_status status = accepted_.settle(done, outcome, *worker);
    if (outcome.status == BP_OK && status != BP_OK) {
      report(diag, status, fmt::format("{} {} after queue.submit", own.id, worker->death()));
    }
    return status;
  }

  // --- places ---

  bp_loc_t carried(bp_loc_t place) const override {
    if (place.memory != 0) {
      const std::lock_guard lock(mutex_);
      const auto shared = places_.find(place.memory);
      return shared == places_.end() ? place : bp_loc_t{shared->second.memory, shared->second.offset + place.offset};
    }
    if (const std::optional<bp_loc_t> staged = SegmentInHand::find(place.offset); staged.has_value()) {
      return *staged;
    }
    return {nowhere_->id(), 0};  // the place has no bytes: all others were copied to shared memory
  }

 protected:
  std::string name_of(const LayeredFactory &) const override { return path_; }
  std::shared_ptr<Worker> worker_for(LayeredFactory &, const bp_diag_t *diag) override { return worker(diag); }

  std::shared_ptr<Worker> worker_for(LayeredDevice &device, const bp_diag_t *diag) override {
    OwnDevice &own = *own_of(device);
    const std::lock_guard lock(own.restoring);
    if (own.worker != nullptr && own.worker->is_alive()) {
      return own.worker;
    }
    own.worker = nullptr;
    const std::shared_ptr<Worker> fresh = worker(diag);
    if (fresh == nullptr) {
      return nullptr;
    }
    own.worker = fresh;
    if (!create(own, *factory_, device.id, diag) || (own.is_initialized && !restore(device, own, *fresh, diag))) {
      own.worker = nullptr;
      return nullptr;
    }
    return fresh;
  }

  std::shared_ptr<Worker> worker_for(LayeredProgram &program, const bp_diag_t *diag) override {
    OwnDevice &on = *own_of(*program.device);
    const std::lock_guard lock(on.restoring);
    const std::shared_ptr<Worker> worker = worker_for(*program.device, diag);
    const std::shared_ptr<OwnProgram> own = on.program(program.id);
    if (worker == nullptr || own->worker == worker) {
      return worker;
    }
    own->worker = reload(*worker, *program.device, on, program.id, *own, diag) ? worker : nullptr;
    return own->worker;
  }

 private:
  static constexpr bp_device_factory_t no_factory{};

  std::shared_ptr<OwnDevice> own_of(const LayeredDevice &device) {
    const std::lock_guard lock(mutex_);
    return devices_.at(device.id);
  }

  // --- the worker ---

  std::shared_ptr<Worker> take_worker() {
    const std::lock_guard lock(mutex_);
    return std::exchange(worker_, nullptr);
  }

  // Returns a worker that is alive, after starting one if necessary.
  std::shared_ptr<Worker> worker(const bp_diag_t *diag) {
    const std::lock_guard starting(starting_);
    std::shared_ptr<Worker> old = take_worker();
    if (old == nullptr || !old->is_alive()) {
      old = start(diag);
    }
    const std::lock_guard lock(mutex_);
    worker_ = old;
    return old;
  }

  std::shared_ptr<Worker> start(const bp_diag_t *diag) {
    failed_start_ = BP_INTERNAL;
    if (nowhere_ == nullptr) {
      auto segment = Segment::make(page);
      if (!segment.ok()) {
        report(diag, BP_NO_MEMORY, segment.error().message());
        return nullptr;
      }
      nowhere_ = std::move(segment).value();
    }
    Worker::Listener listener;
    listener.event = [this](std::string_view event) { accepted_.hear(event); };
    listener.died = [this](const Worker &dead) { accepted_.mourn(dead); };
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
    failed_start_ = library->status;
    if (library->status != BP_OK) {
      return nullptr;
    }
    worker->map(*nowhere_);
    if (!library_.has_value()) {  // the descriptions of devices never change
      library_ = std::move(library).value();
    }
    return worker;
  }

  // --- devices and programs, in a worker ---

  bool create(OwnDevice &own, LayeredFactory &factory, std::uint64_t id, const bp_diag_t *diag) {
    std::vector<bp_option_t> options;
    for (const auto &[key, value] : own.options) {
      options.push_back({key.c_str(), value.c_str()});
    }
    return transmit<Function::factory_create>(
               *own.worker, factory, id, static_cast<const bp_host_t *>(nullptr), own.id.c_str(), own.instance,
               static_cast<const bp_option_t *>(options.data()), static_cast<std::uint32_t>(options.size()), diag)
        .is_there;
  }

  bool read_extension(LayeredDevice &device, OwnDevice &own, const char *id) {
    Writer request(this);
    request.number(Request::Call);
    request.number(static_cast<std::uint8_t>(Function::device_get_extension));
    request.number(device.id);
    request.number(std::uint64_t{0});
    request.text(id);
    const std::optional<std::string> reply = own.worker->ask(request);
    if (!reply.has_value()) {
      return false;
    }
    Reader reader(*reply);
    if (reader.number<Answer>() == Answer::Done && reader.number<std::uint8_t>() != 0) {
      own.extensions.read(reader, id);
    }
    return reader.ok();
  }

  bool restore(LayeredDevice &device, OwnDevice &own, Worker &worker, const bp_diag_t *diag) {
    const std::string target = device.target;
    if (transmit<Function::device_init>(worker, device, 0, diag).status != BP_OK) {
      return false;
    }
    std::vector<std::shared_ptr<OwnPiece>> pieces;
    {
      const std::lock_guard lock(own.mutex);
      for (const auto &[id, piece] : own.pieces) {
        pieces.push_back(piece);
      }
    }
    return std::ranges::all_of(pieces, [&](const auto &piece) { return restore(worker, device, own, *piece, diag); });
  }

  bool restore(Worker &worker, LayeredDevice &device, const OwnDevice &own, const OwnPiece &piece,
               const bp_diag_t *diag) {
    if (!own.has_memory) {
      worker.map(*piece.share.segment);
      return true;
    }
    bp_memory_t out{};
    return transmit<Function::memory_alloc>(worker, device, piece.id, piece.space, piece.size, piece.alignment, &out,
                                            diag)
                   .status == BP_OK &&
           (piece.share.segment == nullptr ||
            copy_there(worker, device, {piece.id, 0}, host_place(piece.share.data()), piece.size, diag) == BP_OK);
  }

  // Loads a program again in a new worker. Constants that the core has released are restored for the duration of
  // load().
  bool reload(Worker &worker, LayeredDevice &device, OwnDevice &on, std::uint64_t id, OwnProgram &own,
              const bp_diag_t *diag) {
    std::vector<std::shared_ptr<OwnPiece>> released;
    for (const auto &piece : own.pieces) {
      if (on.piece(piece->id) == nullptr) {
        if (!restore(worker, device, on, *piece, diag)) {
          return false;
        }
        released.push_back(piece);
        const std::lock_guard lock(mutex_);
        if (!on.has_memory) {
          places_[piece->id] = {piece->share.segment->id(), piece->share.offset};
        }
      }
    }
    std::vector<std::uint8_t> taken(own.constants.size());
    const bp_program_t *facts = nullptr;
    const Outcome outcome = transmit<Function::compiler_load>(
        worker, device, id, static_cast<const void *>(own.artifact.data()), std::uint64_t{own.artifact.size()},
        static_cast<const bp_loc_t *>(own.constants.data()), taken.data(),
        static_cast<std::uint32_t>(own.constants.size()), &facts, diag);
    const std::unique_ptr<const bp_program_t> made(facts);
    for (const auto &piece : released) {
      if (on.has_memory) {
        transmit<Function::memory_release>(worker, device, 0, piece->id);
      }
      const std::lock_guard lock(mutex_);
      places_.erase(piece->id);
    }
    if (outcome.status != BP_OK || made == nullptr || made->scratch_size != own.facts.scratch_size ||
        taken != own.taken) {
      report(diag, BP_INTERNAL, fmt::format("{} does not load a program again as it did before", on.id));
      return false;
    }
    return true;
  }

  // --- constants ---

  std::shared_ptr<const layers::ModuleCopy> module_of_artifact(Bytes artifact) const {
    const Sha256 hash = sha256(artifact);
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(modules_, hash, [](const auto &entry) { return entry.first; });
    return found == modules_.end() ? nullptr : found->second;
  }

  // Copies the constants in the application's memory to pieces of shared memory, which exist as long as the program.
  Status stage_constants(Worker &worker, OwnDevice &on, OwnProgram &own) {
    for (std::size_t i = 0; own.module != nullptr && !on.has_memory && i < own.constants.size(); ++i) {
      const auto allocations = own.module->view().allocations();
      const std::uint64_t size = i < allocations.size() ? allocations[i].size : 0;
      bp_loc_t &place = own.constants[i];
      if (place.memory != 0 || place.offset == 0 || size == 0) {
        continue;
      }
      BP_ASSIGN(Share share, shares_.take(size, shared_alignment));
      std::memcpy(share.data(), reinterpret_cast<const void *>(place.offset), size);
      worker.map(*share.segment);
      place = {Segment::next_id(), 0};
      own.staged.push_back(place.memory);
      const std::scoped_lock lock(mutex_, on.mutex);
      places_[place.memory] = {share.segment->id(), share.offset};
      on.pieces[place.memory] =
          std::make_shared<OwnPiece>(OwnPiece{place.memory, 0, size, shared_alignment, std::move(share)});
    }
    return {};
  }

  void forget_staged(OwnDevice &on, const OwnProgram &own) {
    for (const std::uint64_t piece : own.staged) {
      const std::scoped_lock lock(mutex_, on.mutex);
      places_.erase(piece);
      on.pieces.erase(piece);
    }
  }

  // Unmaps the segment of a piece if nothing else has a share of it any more.
  static void unmap_last(Worker &worker, const std::shared_ptr<OwnPiece> &piece) {
    if (piece.use_count() == 1 && piece->share.segment.use_count() == 1) {
      worker.unmap(*piece->share.segment);
    }
  }

  // Keeps a copy of the content of a constant that is in the memory of a device.
  void keep_content(Worker &worker, LayeredDevice &device, OwnPiece &piece) {
    if (piece.share.segment != nullptr) {
      return;
    }
    if (auto share = shares_.take(piece.size, shared_alignment); share.ok()) {
      host::Diagnostics unused;
      if (copy_there(worker, device, host_place(share->data()), {piece.id, 0}, piece.size, unused.abi()) == BP_OK) {
        piece.share = std::move(share).value();
      }
    }
  }

  // --- copies ---

  // Copies between places that this process can address.
  static bp_status copy_here(OwnDevice &own, bp_loc_t to, bp_loc_t from, std::uint64_t size, const bp_diag_t *diag) {
    if (const Status copied = own.copy(to, from, size); !copied.ok()) {
      report(diag, BP_INVALID, copied.error().message());
      return BP_INVALID;
    }
    return BP_OK;
  }

  // Copies from or to the memory of the device. Bytes in the application's memory are copied by way of shared memory.
  bp_status copy_there(Worker &worker, LayeredDevice &device, bp_loc_t to, bp_loc_t from, std::uint64_t size,
                       const bp_diag_t *diag) {
    if (to.memory != 0 && from.memory != 0) {
      return transmit<Function::memory_copy>(worker, device, 0, to, from, size, diag).status;
    }
    const std::shared_ptr<Segment> segment = take_staging(worker, std::min(size, copy_step), diag);
    if (segment == nullptr) {
      return BP_NO_MEMORY;
    }
    const SegmentInHand in_hand(*segment);
    bp_status status = BP_OK;
    for (std::uint64_t at = 0; at < size && status == BP_OK; at += copy_step) {
      const std::uint64_t part = std::min(copy_step, size - at);
      const bp_loc_t here = host_place(segment->data());
      if (from.memory == 0) {
        std::memcpy(segment->data(), reinterpret_cast<const void *>(from.offset + at), part);
      }
      status = transmit<Function::memory_copy>(
                   worker, device, 0, to.memory == 0 ? here : bp_loc_t{to.memory, to.offset + at},
                   from.memory == 0 ? here : bp_loc_t{from.memory, from.offset + at}, part, diag)
                   .status;
      if (to.memory == 0 && status == BP_OK) {
        std::memcpy(reinterpret_cast<void *>(to.offset + at), segment->data(), part);
      }
    }
    staging_.give_back(worker.number(), segment);
    return status;
  }

  // Whether the run of a command uses memory that the worker cannot address.
  static bool lies_here(OwnDevice &own, const bp_command_t &command) {
    const std::shared_ptr<OwnProgram> program = own.program(layers::layered(command.program).id);
    return program != nullptr && program->module != nullptr &&
           StagedRun(*command.run, *program->module->view().image(), program->facts.scratch_size, program->constants)
               .is_needed();
  }

  std::shared_ptr<Segment> take_staging(Worker &worker, std::size_t size, const bp_diag_t *diag) {
    auto segment = staging_.take(worker, size);
    if (!segment.ok()) {
      report(diag, BP_NO_MEMORY, segment.error().message());
      return nullptr;
    }
    return std::move(segment).value();
  }

  const Isolation isolation_;
  std::string path_;
  std::optional<Library> library_;  // as reported when it was first loaded
  LayeredFactory *factory_ = nullptr;
  bp_status failed_start_ = BP_INTERNAL;
  std::shared_ptr<Segment> nowhere_;

  SharePool shares_;
  Staging staging_;
  Accepted accepted_{staging_};
  std::mutex starting_;
  mutable std::mutex mutex_;  // guards the members below
  std::map<std::uint64_t, std::shared_ptr<OwnDevice>> devices_;
  std::list<std::pair<Sha256, std::shared_ptr<const layers::ModuleCopy>>> modules_;  // by artifact, the oldest first
  std::map<std::uint64_t, bp_loc_t> places_;  // locations in segments, by the core's handle of shared memory
  std::shared_ptr<Worker> worker_;            // destroyed first, because its thread uses the other members
};

}  // namespace

host::Opener isolated(Isolation isolation) {
  return [isolation = std::move(isolation)](const std::string &, const host::Manifest &) {
    return Result<std::unique_ptr<host::Entry>>(std::make_unique<Proxy>(isolation));
  };
}

}  // namespace bp::remote
