#include "core/layers/validate.h"

#include <fmt/format.h>

#include <array>
#include <cfenv>
#include <cmath>
#include <deque>
#include <map>
#include <set>
#include <thread>
#include <unordered_map>

#include "core/host/diagnostics.h"
#include "core/host/image.h"
#include "core/layers/artifacts.h"
#include "core/layers/interposer.h"
#include "core/layers/watched_diag.h"

namespace bp::layers {
namespace {

// FNV-1a over eight bytes at a time, to check that read-only memory did not change.
std::uint64_t checksum(const void *data, std::uint64_t size) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto *bytes = static_cast<const unsigned char *>(data);
  for (std::uint64_t at = 0; at < size; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, std::min<std::uint64_t>(8, size - at));
    hash = (hash ^ word) * 0x100000001b3;
  }
  return hash;
}

struct WatchedStream {
  bp_ostream_t abi;
  const bp_ostream_t *below;
  Violations *violations;
  Function function;
  std::thread::id thread = std::this_thread::get_id();
  bp_status last = BP_OK;
  std::atomic<bool> is_over = false;

  static bp_status write(const bp_ostream_t *stream, const void *bytes, std::uint64_t size) {
    auto &self = *static_cast<WatchedStream *>(stream->ctx);
    auto broken = [&](const char *how) {
      self.violations->add("BP-STREAM-01", fmt::format("{}: {}", to_string(self.function), how));
    };
    if (self.is_over) {
      broken("writes after the call");
      return BP_INVALID;
    }
    if (self.thread != std::this_thread::get_id()) {
      broken("writes from another thread than that of the call");
    }
    if (self.last != BP_OK) {
      broken("continues to write after a write returned an error");
    }
    return self.last = self.below->write(self.below, bytes, size);
  }
};

// Collects the bytes that are written.
class Collector {
 public:
  const bp_ostream_t *abi() const { return &abi_; }
  const std::string &bytes() const { return bytes_; }

 private:
  static bp_status write(const bp_ostream_t *stream, const void *bytes, std::uint64_t size) {
    static_cast<Collector *>(stream->ctx)->bytes_.append(static_cast<const char *>(bytes), size);
    return BP_OK;
  }
  bp_ostream_t abi_{this, &Collector::write};
  std::string bytes_;
};

// Returns how this thread rounds and treats subnormals, without the exception flags that calculations set.
std::uint64_t floating_point_environment() {
#if defined(__x86_64__)
  return __builtin_ia32_stmxcsr() & ~std::uint32_t{0x3f};
#else
  return static_cast<std::uint64_t>(std::fegetround());
#endif
}

bool is_known(bp_status status) {
  return status >= BP_OK && status <= BP_CANCELLED;
}

class ValidateLayer final : public Interposer {
 public:
  ValidateLayer(std::unique_ptr<host::Entry> below, std::shared_ptr<Violations> violations)
      : Interposer(std::move(below)), violations_(std::move(violations)) {}

  // --- thread tags and statuses ---

  void enter(const Call &call) override {
    environments_.push_back(floating_point_environment());
    const std::lock_guard lock(mutex_);
    Activity &activity = activities_[call.object];
    const ThreadTag tag = thread_tag(call.function);
    const auto name = to_string(call.function);
    const bool is_of_host = name.starts_with("host.") || name.starts_with("log.") || name.starts_with("threads.");
    if (tag == ThreadTag::ControlIdle && activity.all > 0) {
      add("[control & idle]", "{} while {} calls on the object are in flight", name, activity.all);
    }
    if (activity.control_idle > 0) {
      add("[control & idle]", "{} while the object is being destroyed", name);
    }
    if (tag == ThreadTag::Control && activity.control > 0) {
      add("[control]", "{} while another control function of the object is in flight", name);
    }
    if (is_of_host && creating_ == std::this_thread::get_id()) {
      add("BP-CREATE-01", "{} is called by create()", name);
    }
    ++activity.all;
    activity.control += tag == ThreadTag::Control ? 1 : 0;
    activity.control_idle += tag == ThreadTag::ControlIdle ? 1 : 0;
  }
  void leave(const Call &call, bp_status status) override {
    if (environments_.back() != floating_point_environment()) {
      add("BP-LAW-04", "{} changes the floating-point environment", to_string(call.function));
    }
    environments_.pop_back();
    if (!is_known(status)) {
      add("bp_status", "{} returns {}, expected a bp_status", to_string(call.function), status);
    }
    const std::lock_guard lock(mutex_);
    check_loss(call, status);
    Activity &activity = activities_[call.object];
    const ThreadTag tag = thread_tag(call.function);
    activity.control -= tag == ThreadTag::Control ? 1 : 0;
    activity.control_idle -= tag == ThreadTag::ControlIdle ? 1 : 0;
    if (--activity.all == 0) {
      activities_.erase(call.object);
    }
  }

  // --- factory and device ---

  void deinit() override {
    {
      const std::lock_guard lock(mutex_);
      if (devices_ > 0) {
        add("BP-LAW-01", "entry.deinit while devices are not destroyed: {}", devices_);
      }
    }
    Interposer::deinit();
  }
  std::uint32_t factory_count(LayeredFactory &factory) override {
    const std::uint32_t count = Interposer::factory_count(factory);
    if (count != Interposer::factory_count(factory)) {
      add("BP-FACTORY-01", "count() returns {}, and then another number", count);
    }
    return count;
  }
  const bp_device_t *factory_create(LayeredFactory &factory, const bp_host_t *host, const char *id,
                                    std::uint32_t instance, const bp_option_t *options, std::uint32_t option_count,
                                    const bp_diag_t *diag) override {
    creating_ = std::this_thread::get_id();
    const bp_device_t *device = Interposer::factory_create(factory, host, id, instance, options, option_count,
                                                           Watch(*this, diag, Function::factory_create));
    creating_ = std::thread::id();
    const std::lock_guard lock(mutex_);
    devices_ += device == nullptr ? 0 : 1;
    return device;
  }
  bp_status device_init(LayeredDevice &device, const bp_diag_t *diag) override {
    const bp_status status = Interposer::device_init(device, Watch(*this, diag, Function::device_init));
    if (status == BP_OK) {
      for (const char *const *id = device.abi.desc->features; id != nullptr && *id != nullptr; ++id) {
        if (device.below->get_extension(device.below, *id) == nullptr) {
          add("BP-DEVICE-04", "device.get_extension(\"{}\") is null, but the description lists it", *id);
        }
      }
    }
    return status;
  }
  void device_destroy(LayeredDevice &device) override {
    {
      const std::lock_guard lock(mutex_);
      if (const auto left = programs_.find(&device); left != programs_.end() && left->second > 0) {
        add("BP-DEVICE-06", "device.destroy while programs are not destroyed: {}", left->second);
      }
      if (const auto left = pieces_.find(&device); left != pieces_.end() && !left->second.empty()) {
        add("BP-DEVICE-06", "device.destroy while pieces of memory are not released: {}", left->second.size());
      }
      if (const auto left = expected_of(device); left > 0) {
        add("BP-DEVICE-02", "device.destroy while submissions are in flight: {}", left);
      }
    }
    Interposer::device_destroy(device);
    const std::lock_guard lock(mutex_);
    if (const auto left = expected_of(device); left > 0) {
      add("BP-SIGNAL-01", "device.destroy leaves submissions that were never signalled: {}", left);
    }
    // Another device may get the address of this one.
    std::erase_if(expected_, [&](const Expected &signal) { return signal.host == &device.host; });
    std::erase_if(extensions_, [&](const auto &answer) { return answer.first.first == &device; });
    pieces_.erase(&device);
    programs_.erase(&device);
    lost_at_.erase(&device);
    --devices_;
  }
  const void *device_get_extension(LayeredDevice &device, const char *id) override {
    const void *found = device.below->get_extension(device.below, id);
    {
      const std::lock_guard lock(mutex_);
      const auto [before, is_new] = extensions_.try_emplace({&device, id}, found);
      if (!is_new && before->second != found) {
        add("BP-DEVICE-05", "device.get_extension(\"{}\") returns another pointer than before", id);
      }
    }
    const void *handed_on = Interposer::device_get_extension(device, id);
    if ((handed_on == nullptr) != (found == nullptr)) {
      add("BP-DEVICE-05", "device.get_extension(\"{}\") returns null in one call and a pointer in another", id);
    }
    return handed_on;
  }

  // --- kernels ---

  bp_kernel kernels_find(LayeredDevice &device, const bp_module_t *module, std::uint32_t instr,
                         const bp_diag_t *diag) override {
    check_module(Function::kernels_find, module);
    host::Diagnostics again;
    const bp_kernel second = device.kernels->find(device.below, module, instr, again.abi());
    if (device.kernels->find(device.below, module, instr, Watch(*this, diag, Function::kernels_find)) != second) {
      add("BP-FIND-01", "kernels.find gives different answers for {}", name_of(module, instr));
    }
    return second == nullptr ? nullptr : Interposer::kernels_find(device, module, instr, again.abi());
  }
  bp_status kernels_kernel(LayeredDevice &device, const bp_call_t *call, const bp_diag_t *diag) override {
    const plugin::Instruction instruction = plugin::ModuleView(call->module).instruction(call->instr);
    std::vector<std::uint64_t> before;
    auto sums = [&] {
      std::vector<std::uint64_t> result;
      for (std::uint32_t i = 0; i < instruction.operand_count(); ++i) {
        bool is_result = false;  // in place
        for (std::uint32_t r = 0; r < instruction.result_count(); ++r) {
          is_result |= call->results[r] == call->operands[i];
        }
        result.push_back(
            is_result || call->operands[i] == nullptr ? 0 : checksum(call->operands[i], instruction.operand(i).size()));
      }
      return result;
    };
    before = sums();
    const bp_status status = Interposer::kernels_kernel(device, call, Watch(*this, diag, Function::kernels_kernel));
    if (sums() != before) {
      add("BP-KERNEL-01", "the kernel of {} modifies an operand", instruction.name());
    }
    if (status == BP_UNSUPPORTED) {
      add("BP-FIND-03", "the kernel of {} returns BP_UNSUPPORTED, but find() returned it", instruction.name());
    }
    return status;
  }

  // --- memory ---

  bp_status memory_alloc(LayeredDevice &device, std::uint32_t space, std::uint64_t size, std::uint32_t alignment,
                         bp_memory_t *out, const bp_diag_t *diag) override {
    const bp_status status =
        Interposer::memory_alloc(device, space, size, alignment, out, Watch(*this, diag, Function::memory_alloc));
    if (status != BP_OK) {
      return status;
    }
    if (reinterpret_cast<std::uintptr_t>(out->host) % alignment != 0 || out->address % alignment != 0) {
      add("BP-ALLOC-02", "memory.alloc: a piece is not aligned to {}", alignment);
    }
    const std::lock_guard lock(mutex_);
    auto &pieces = pieces_[&device];
    if (out->memory == 0 || !pieces.try_emplace(out->memory, Piece{*out, size}).second) {
      add("BP-ALLOC-02", "memory.alloc: the handle {} is {}", out->memory, out->memory == 0 ? "no handle" : "in use");
    }
    for (const auto &[handle, other] : pieces) {
      if (handle != out->memory && (overlap(out->host, size, other.memory.host, other.size) ||
                                    overlap(reinterpret_cast<void *>(out->address), size,
                                            reinterpret_cast<void *>(other.memory.address), other.size))) {
        add("BP-ALLOC-02", "memory.alloc: two pieces overlap");
      }
    }
    return status;
  }
  bp_status external_memory_import_memory(LayeredDevice &device, std::uint32_t space, const bp_handle_t *handle,
                                          bp_memory_t *out, const bp_diag_t *diag) override {
    const bp_status status = Interposer::external_memory_import_memory(
        device, space, handle, out, Watch(*this, diag, Function::external_memory_import_memory));
    if (status == BP_OK) {
      const std::lock_guard lock(mutex_);
      // Without addresses: imported pieces may overlap.
      if (out->memory == 0 ||
          !pieces_[&device].try_emplace(out->memory, Piece{{out->memory, nullptr, 0}, handle->size}).second) {
        add("BP-ALLOC-02", "external_memory.import_memory: the handle {} is {}", out->memory,
            out->memory == 0 ? "no handle" : "in use");
      }
    }
    return status;
  }
  void memory_release(LayeredDevice &device, std::uint64_t memory) override {
    {
      const std::lock_guard lock(mutex_);
      if (pieces_[&device].erase(memory) == 0) {
        add("BP-LAW-01", "memory.release of {}, expected a piece of the device", memory);
      }
    }
    Interposer::memory_release(device, memory);
  }
  bp_status memory_copy(LayeredDevice &device, bp_loc_t to, bp_loc_t from, std::uint64_t size,
                        const bp_diag_t *diag) override {
    check_copy(device, "memory.copy", to, from, size);
    return Interposer::memory_copy(device, to, from, size, Watch(*this, diag, Function::memory_copy));
  }

  // --- compiler ---

  bp_status compiler_claim(LayeredDevice &device, const bp_module_t *module, float *cost_ns,
                           const bp_diag_t *diag) override {
    check_module(Function::compiler_claim, module);
    const std::uint64_t before = checksum(module, module->size);
    std::vector<float> second(module->instrs.count, NAN);
    std::fill_n(cost_ns, module->instrs.count, NAN);
    const bp_status status =
        Interposer::compiler_claim(device, module, cost_ns, Watch(*this, diag, Function::compiler_claim));
    host::Diagnostics again;
    const bp_status repeated = device.compiler->claim(device.below, module, second.data(), again.abi());
    const bool is_lost = status == BP_DEVICE_LOST || repeated == BP_DEVICE_LOST;  // perhaps between the two calls
    if (!is_lost && (repeated != status || std::memcmp(second.data(), cost_ns, second.size() * sizeof(float)) != 0)) {
      add("BP-CLAIM-01", "compiler.claim gives different answers for one module");
    }
    if (checksum(module, module->size) != before) {
      add("BP-MODULE-04", "compiler.claim writes to the module");
    }
    for (std::uint32_t i = 0; status == BP_OK && i < second.size(); ++i) {
      if (std::isnan(cost_ns[i])) {
        add("BP-CLAIM-04", "compiler.claim gives no cost for {}, or NaN", name_of(module, i));
        break;
      }
    }
    return status;
  }
  bp_status compiler_compile(LayeredDevice &device, const bp_module_t *module, const bp_ostream_t *artifact,
                             const bp_diag_t *diag) override {
    check_module(Function::compiler_compile, module);
    const std::uint64_t before = checksum(module, module->size);
    Tee tee(artifact);
    WatchedStream *stream;
    {
      const std::lock_guard lock(mutex_);
      stream = &streams_.emplace_back();
    }
    stream->abi = {stream, &WatchedStream::write};
    stream->below = tee.abi();
    stream->violations = violations_.get();
    stream->function = Function::compiler_compile;
    const bp_status status = Interposer::compiler_compile(
        device, module, &stream->abi, Watch(*this, diag, Function::compiler_compile, device.host.below));
    stream->is_over = true;
    if (checksum(module, module->size) != before) {
      add("BP-MODULE-04", "compiler.compile writes to the module");
    }
    if (status == BP_UNSUPPORTED) {
      add("BP-CLAIM-03", "compiler.compile returns BP_UNSUPPORTED for {}, but all of it was claimed",
          plugin::ModuleView(module).name());
    }
    artifacts_.remember(tee.bytes(), module);
    return status;
  }
  bp_status compiler_load(LayeredDevice &device, const void *artifact, std::uint64_t size, const bp_loc_t *constants,
                          std::uint8_t *taken, std::uint32_t allocation_count, const bp_program_t **program,
                          const bp_diag_t *diag) override {
    const std::uint64_t before = checksum(artifact, size);
    const bp_status status =
        Interposer::compiler_load(device, artifact, size, constants, taken, allocation_count, program,
                                  Watch(*this, diag, Function::compiler_load, device.host.below));
    if (checksum(artifact, size) != before) {
      add("BP-LAW-01", "compiler.load writes to the artifact, which is borrowed");
    }
    for (std::uint32_t i = 0; i < allocation_count; ++i) {
      if (taken[i] != 0 && constants[i].memory == 0 && constants[i].offset == 0) {
        add("BP-LOAD-02", "compiler.load takes allocation {}, expected a constant", i);
      }
    }
    if (status == BP_OK && *program != nullptr) {
      const std::lock_guard lock(mutex_);
      modules_[*program] = artifacts_.find(artifact, size);
      ++programs_[&device];
    }
    return status;
  }
  void program_destroy(LayeredProgram &program) override {
    Interposer::program_destroy(program);
    const std::lock_guard lock(mutex_);
    modules_.erase(&program.abi);
    if (const auto of_device = programs_.find(program.device); of_device != programs_.end()) {
      --of_device->second;
    }
  }
  bp_status layout_preferences(LayeredDevice &device, const bp_module_t *module, const bp_ostream_t *out,
                               const bp_diag_t *diag) override {
    check_module(Function::layout_preferences, module);
    Collector first, second;
    host::Diagnostics again;
    const bp_status status = device.layout->preferences(device.below, module, first.abi(), again.abi());
    if (Interposer::layout_preferences(device, module, second.abi(),
                                       Watch(*this, diag, Function::layout_preferences)) != status ||
        second.bytes() != first.bytes()) {
      add("BP-LAYOUT-01", "layout.preferences gives different answers for one module");
    }
    return second.bytes().empty() ? status : out->write(out, second.bytes().data(), second.bytes().size());
  }
  bp_status rewrite_rewrite(LayeredDevice &device, std::uint32_t phase, const bp_module_t *module,
                            const bp_ostream_t *out, const bp_diag_t *diag) override {
    check_module(Function::rewrite_rewrite, module);
    return Interposer::rewrite_rewrite(device, phase, module, out, Watch(*this, diag, Function::rewrite_rewrite));
  }
  bp_status program_run(LayeredProgram &program, const bp_run_t *run, const bp_diag_t *diag) override {
    const Sums before = sums_of(program, *run);
    const bp_status status = Interposer::program_run(program, run, Watch(*this, diag, Function::program_run));
    const Sums after = sums_of(program, *run);
    if (after.read_only != before.read_only) {
      add("BP-RUN-01", "program.run writes to an input that is not donated, or to a constant");
    }
    if (status == BP_NO_MEMORY && after.outputs != before.outputs) {
      add("BP-RUN-03", "program.run returns BP_NO_MEMORY after it has written");
    }
    return status;
  }

  // --- queue ---

  bp_status queue_submit(LayeredDevice &device, std::uint32_t queue, const bp_command_t *commands,
                         std::uint32_t command_count, bp_point_t done, const bp_diag_t *diag) override {
    const OnQueue on_queue(*this, device, queue, Function::queue_submit);
    if (queue >= device.queue->queue_count) {
      add("bp.queue/1", "queue.submit to queue {} of {}", queue, device.queue->queue_count);
    }
    for (std::uint32_t i = 0; i < command_count; ++i) {
      if (queue < device.queue->queue_count && (device.queue->queues[queue] >> commands[i].kind & 1) == 0) {
        add("bp.queue/1", "queue.submit: queue {} takes no commands of kind {}", queue, commands[i].kind);
      }
      if (commands[i].kind == BP_COMMAND_COPY) {
        check_copy(device, "queue.submit", commands[i].to, commands[i].from, commands[i].size);
      }
    }
    {
      const std::lock_guard lock(mutex_);
      expected_.insert({&device.host, done.timeline, done.value});
    }
    const bp_status status = Interposer::queue_submit(device, queue, commands, command_count, done,
                                                      Watch(*this, diag, Function::queue_submit));
    const std::lock_guard lock(mutex_);
    if (status != BP_OK && expected_.erase({&device.host, done.timeline, done.value}) == 0) {
      add("BP-SIGNAL-02", "queue.submit returns an error, but has signalled its point");
    }
    return status;
  }
  bp_status native_sync_wait(LayeredDevice &device, std::uint32_t queue, bp_point_t point,
                             const bp_diag_t *diag) override {
    const OnQueue on_queue(*this, device, queue, Function::native_sync_wait);
    return Interposer::native_sync_wait(device, queue, point, Watch(*this, diag, Function::native_sync_wait));
  }
  const void *host_get_extension(LayeredHost &host, const char *id) override {
    const void *found = Interposer::host_get_extension(host, id);
    return id == nullptr ? found : watched_service(id, found);
  }
  void host_signal(LayeredHost &host, bp_point_t point, bp_status status, std::uint32_t instr,
                   const char *msg) override {
    {
      const std::lock_guard lock(mutex_);
      if (expected_.erase({&host, point.timeline, point.value}) == 0) {
        add("BP-SIGNAL-01", "host.signal of point {} of timeline {}, expected a point that a submission will signal",
            point.value, point.timeline);
      }
    }
    Interposer::host_signal(host, point, status, instr, msg);
  }

 private:
  struct Activity {
    int all = 0, control = 0, control_idle = 0;
  };
  // A signal that is due; each host has timelines of its own.
  struct Expected {
    const LayeredHost *host;
    std::uint64_t timeline, value;
    auto operator<=>(const Expected &) const = default;
  };
  struct Piece {
    bp_memory_t memory;
    std::uint64_t size;
  };

  template <class... Values>
  void add(const char *rule, fmt::format_string<Values...> format, Values &&...values) {
    violations_->add(rule, fmt::format(format, std::forward<Values>(values)...));
  }

  // Checks BP-MODULE-08, a rule for the core, once for each module, by its hash.
  void check_module(Function function, const bp_module_t *module) {
    {
      const std::lock_guard lock(mutex_);
      if (!checked_.insert(std::to_array(module->hash)).second) {
        return;
      }
    }
    Status status = host::validate_image({reinterpret_cast<const std::byte *>(module), module->size});
    if (status.ok()) {
      status = host::verify_image(module);
    }
    if (!status.ok()) {
      add("BP-MODULE-08", "the core gives {} a module that is not well-typed: {}", to_string(function),
          status.error().message());
    }
  }

  static std::string_view name_of(const bp_module_t *module, std::uint32_t instr) {
    return plugin::ModuleView(module).instruction(instr).name();
  }

  static bool overlap(const void *a, std::uint64_t a_size, const void *b, std::uint64_t b_size) {
    const auto x = reinterpret_cast<std::uintptr_t>(a), y = reinterpret_cast<std::uintptr_t>(b);
    return x != 0 && y != 0 && x < y + b_size && y < x + a_size;
  }

  // Provides the sink for one call.
  class Watch {
   public:
    Watch(ValidateLayer &layer, const bp_diag_t *below, Function function, const bp_host_t *host = nullptr) {
      const std::lock_guard lock(layer.mutex_);
      while (layer.diags_.size() > 4096 && layer.diags_.front().is_over) {
        layer.diags_.pop_front();
      }
      diag_ = &layer.diags_.emplace_back();
      diag_->abi = {diag_, &WatchedDiag::report};
      diag_->below = below;
      diag_->host = host;
      diag_->violations = layer.violations_.get();
      diag_->function = function;
    }
    Watch(const Watch &) = delete;
    Watch &operator=(const Watch &) = delete;
    ~Watch() { diag_->is_over = true; }
    operator const bp_diag_t *() const { return &diag_->abi; }

   private:
    WatchedDiag *diag_;
  };

  // Marks a queue as in use during a [queue] function.
  class OnQueue {
   public:
    OnQueue(ValidateLayer &layer, const LayeredDevice &device, std::uint32_t queue, Function function)
        : layer_(layer), queue_(&device, queue) {
      const std::lock_guard lock(layer_.mutex_);
      if (++layer_.on_queue_[queue_] > 1) {
        layer_.add("[queue]", "{} to queue {} while another call to it is in flight", to_string(function), queue);
      }
    }
    OnQueue(const OnQueue &) = delete;
    OnQueue &operator=(const OnQueue &) = delete;
    ~OnQueue() {
      const std::lock_guard lock(layer_.mutex_);
      if (--layer_.on_queue_[queue_] == 0) {
        layer_.on_queue_.erase(queue_);
      }
    }

   private:
    ValidateLayer &layer_;
    const std::pair<const void *, std::uint32_t> queue_;
  };

  std::int64_t expected_of(const LayeredDevice &device) const {
    return std::ranges::count(expected_, &device.host, &Expected::host);
  }

  void check_copy(const LayeredDevice &device, const char *where, bp_loc_t to, bp_loc_t from, std::uint64_t size) {
    const std::lock_guard lock(mutex_);
    for (const bp_loc_t &place : {to, from}) {
      const auto piece = pieces_[&device].find(place.memory);
      if (place.memory != 0 && (piece == pieces_[&device].end() || place.offset > piece->second.size ||
                                size > piece->second.size - place.offset)) {
        add("BP-COPY-01", "{} of {} bytes at {} is not inside piece {}", where, size, place.offset, place.memory);
      }
    }
  }

  // Checksums of the memory that the host can address.
  struct Sums {
    std::vector<std::uint64_t> read_only, outputs;
  };
  Sums sums_of(const LayeredProgram &program, const bp_run_t &run) {
    std::shared_ptr<const ModuleCopy> module;
    {
      const std::lock_guard lock(mutex_);
      module = modules_[&program.abi];
    }
    Sums sums;
    for (std::uint64_t i = 0; module != nullptr && i < run.allocation_count; ++i) {
      const bp_allocation_t &allocation = module->view().allocations()[i];
      const bp_loc_t place = run.allocations[i];
      const bool is_read_only = (allocation.flags & BP_ALLOC_READ_ONLY) != 0;
      if ((is_read_only || allocation.kind == BP_ALLOC_OUTPUT) && place.memory == 0 && place.offset != 0) {
        (is_read_only ? sums.read_only : sums.outputs)
            .push_back(checksum(reinterpret_cast<const void *>(place.offset), allocation.size));
      }
    }
    return sums;
  }

  // Checks BP-STATUS-03 for calls that began after the device was lost.
  void check_loss(const Call &call, bp_status status) {
    if (!is_lost_with_device(call.function)) {
      return;
    }
    const void *device =
        call.function == Function::program_run ? static_cast<const LayeredProgram *>(call.object)->device : call.object;
    if (status == BP_DEVICE_LOST) {
      lost_at_.try_emplace(device, next_number());
      return;
    }
    const auto lost = lost_at_.find(device);
    if (lost != lost_at_.end() && call.number > lost->second) {
      add("BP-STATUS-03", "{} returns {} on a device that is lost", to_string(call.function),
          host::status_name(status));
    }
  }

  static thread_local std::vector<std::uint64_t> environments_;  // at the start of each of this thread's calls
  std::shared_ptr<Violations> violations_;
  Artifacts artifacts_;
  std::atomic<std::thread::id> creating_ = std::thread::id();
  std::mutex mutex_;
  std::unordered_map<const void *, Activity> activities_;
  std::map<std::pair<const void *, std::string>, const void *> extensions_;
  std::map<const void *, std::map<std::uint64_t, Piece>> pieces_;  // by device, by handle
  std::unordered_map<const bp_program_t *, std::shared_ptr<const ModuleCopy>> modules_;
  std::set<std::array<std::uint8_t, 32>> checked_;  // hashes of modules
  std::set<Expected> expected_;
  std::unordered_map<const void *, std::uint64_t> lost_at_;         // by device: number of the call
  std::map<std::pair<const void *, std::uint32_t>, int> on_queue_;  // by device and queue: number of calls in flight
  std::map<const void *, int> programs_;                            // by device: number of loaded programs
  int devices_ = 0;
  std::deque<WatchedDiag> diags_;
  std::deque<WatchedStream> streams_;
};

thread_local std::vector<std::uint64_t> ValidateLayer::environments_;

}  // namespace

host::Layer validate_layer(std::shared_ptr<Violations> violations) {
  return [violations = std::move(violations)](std::unique_ptr<host::Entry> below) {
    return std::make_unique<ValidateLayer>(std::move(below), violations);
  };
}

}  // namespace bp::layers
