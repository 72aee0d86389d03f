// The frame of a device: the ABI's tables, made of the functions that its class has. A class with a function below has
// the extension, and so has all functions of that extension.
//
//   bp.kernels/1            Result<bp_kernel> find(const bp_module_t *module, std::uint32_t instruction) const;
//                           // the kernel, or null; an error says why there is none
//   bp.memory/1             std::span<const bp_space_t> spaces() const;  // from init() on, the same until the end
//                           Result<bp_memory_t> alloc(std::uint32_t space, std::uint64_t size,
//                                                     std::uint32_t alignment);
//                           void release(std::uint64_t memory);
//                           Status copy(bp_loc_t to, bp_loc_t from, std::uint64_t size);
//   bp.compiler/1           Status claim(const bp_module_t *module, Claims &claims) const;
//                           Result<std::string> compile(const bp_module_t *module) const;  // returns the artifact
//                           // or with further parameters (host_services.h): const Progress &progress, or
//                           // const Progress &progress, const Constants &constants
//                           Result<std::unique_ptr<Program>> load(std::span<const char> artifact,
//                                                                 std::uint32_t allocation_count);
//                           // or with further parameters: const bp_loc_t *constants, std::uint8_t *taken
//   bp.queue/1              static constexpr std::uint32_t queue_kinds[];  // by queue: bit k for commands of kind k
//   bp.native-sync/1        Status start(std::uint32_t queue, const bp_command_t &command);  // on the queue's thread
//                           // only if a command may not be done when start() returns, see queue.h:
//                           Result<std::shared_ptr<const Mark>> mark(std::uint32_t queue, const bp_command_t *last);
//   bp.queue/1              instead of start(), for a device with queues of its own:
//                           static constexpr std::uint32_t queue_kinds[];
//                           Status submit(std::uint32_t queue, const bp_command_t *commands, std::uint32_t count,
//                                         bp_point_t done);
//   bp.rewrite/1            Result<std::string> rewrite(std::uint32_t phase, const bp_module_t *module) const;
//                           // returns the new module (module_writer.h); empty: the old one stays
//   bp.layout/draft-1       Result<std::string> preferences(const bp_module_t *module) const;
//                           // see append_preference()
//   bp.fusion/draft-3       static constexpr bp_fusion_limits_t fusion_limits;
//   bp.custom-call/draft-1  static constexpr bp_routine_t routines[];
//   bp.host-call/draft-1    static constexpr std::uint32_t host_call_kinds;  // BP_CALLS_*; a run calls: run_services.h
//   bp.counters/draft-1     static constexpr bp_counter_desc_t counters[];  // a run adds to them: run_services.h
//   bp.external-memory/draft-1
//                           std::span<const bp_external_support_t> external_support() const;  // as spaces()
//                           Result<bp_memory_t> import_memory(std::uint32_t space, const bp_handle_t &handle);
//                           Result<bp_handle_t> export_memory(std::uint64_t memory, std::uint32_t kind);
//   bp.device-info/draft-1  Status report(Facts &facts) const;  // facts.h; also when the device is lost
//   bp.aot/draft-2          Result<bp_aot_code_t> describe(std::span<const char> artifact, std::uint32_t flags) const;
//                           Result<std::string> write_object(std::span<const char> artifact, std::uint32_t flags,
//                                                            std::uint32_t index) const;
//
// They mean what the headers of the ABI say about the functions of the same names. A Program is a class of the
// plugin that has
//
//   bp_program_t abi{};               // load() sets sizes, alignment and space; the frame sets the rest
//   Status run(const bp_run_t &run);  // complete on return
//
// Besides, the class is default-constructible and has
//
//   static constexpr bp_device_desc_t description;  // features: null; or a list, if it has extension()
//   Result<std::string> init();                     // returns bp_device.target
//   // Optional:
//   static constexpr std::string_view message_prefix;  // begins the messages of all errors: "acme: "
//   HostServices services;                             // set by the frame before init()
//   std::uint32_t instance;                            // set by the frame; BP_NONE: offline
//   // For devices with options. Called before init() with keys and choices of `description` only, see options.h.
//   Status set_option(std::string_view key, std::string_view value);
//   Status check();  // fails once the device is lost; asked before alloc, copy, load and submit
//   const void *extension(std::string_view id) const;  // of ids besides the above; null: it does not have it
//
// All functions may throw: exceptions become reports (call.h). So may release(), extension() and destructors that are
// noexcept(false): their exceptions are logged.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "backplane/backplane.h"
#include "backplane/ext/draft/aot.h"
#include "backplane/ext/draft/counters.h"
#include "backplane/ext/draft/custom_call.h"
#include "backplane/ext/draft/device_info.h"
#include "backplane/ext/draft/external_memory.h"
#include "backplane/ext/draft/fusion.h"
#include "backplane/ext/draft/host_call.h"
#include "backplane/ext/draft/layout.h"
#include "backplane/ext/queue.h"
#include "call.h"
#include "facts.h"
#include "host_services.h"
#include "module_view.h"
#include "options.h"
#include "queue.h"
#include "result.h"

namespace bp::plugin {

// Answers of a claim(). An instruction without an answer is not claimed. Those of embedded computations need none: they
// belong to the instruction that calls the computation.
class Claims {
 public:
  Claims(const bp_module_t *module, float *cost_ns, std::string_view prefix, const bp_diag_t *diag)
      : cost_ns_(cost_ns), count_(module->instrs.count), prefix_(prefix), diag_(diag) {
    for (const Computation computation : ModuleView(module).computations()) {
      std::fill_n(cost_ns + computation.first_instruction(), computation.instruction_count(),
                  computation.is_embedded() ? 0.0f : not_claimed);
    }
  }

  void take(std::uint32_t instruction, float nanoseconds) { cost(instruction) = nanoseconds; }
  // reason: shown to the user; empty: nothing is.
  void refuse(std::uint32_t instruction, const std::string &reason = "") {
    cost(instruction) = not_claimed;
    if (!reason.empty()) {
      fail(diag_, BP_UNSUPPORTED, instruction, std::string(prefix_) + reason);
    }
  }

 private:
  static constexpr float not_claimed = -1;

  float &cost(std::uint32_t instruction) {
    if (instruction >= count_) {
      throw std::out_of_range("claim() has an answer for instruction " + std::to_string(instruction) +
                              ", expected one below " + std::to_string(count_));
    }
    return cost_ns_[instruction];
  }

  float *cost_ns_;
  std::uint32_t count_;  // of the module's instructions
  std::string_view prefix_;
  const bp_diag_t *diag_;
};

// Adds a preference, which the words follow, to the bytes that preferences() returns.
inline void append_preference(std::string &bytes, const bp_layout_preference_t &preference,
                              std::span<const std::int64_t> words) {
  bytes.append(reinterpret_cast<const char *>(&preference), sizeof preference);
  bytes.append(reinterpret_cast<const char *>(words.data()), words.size_bytes());
}

// The words that begin the messages of a device: `static constexpr std::string_view message_prefix` of its class.
template <class Device>
constexpr std::string_view prefix_of() {
  if constexpr (requires { Device::message_prefix; }) {
    return Device::message_prefix;
  } else {
    return "";
  }
}

template <class Device>
class DeviceFrame;

// Returns the plugin's object for a device of the ABI.
template <class Device>
Device &device_of(const bp_device_t *device) {
  return static_cast<DeviceFrame<Device> *>(device->device_data)->device();
}

// Returns the plugin's object for a program of the ABI, which load() of its device has made.
template <class Program>
Program &program_of(const bp_program_t *program) {
  return *static_cast<Program *>(program->program_data);
}

// A device with all that the frame has for it.
template <class Device>
class DeviceFrame {
  static constexpr bool has_kernels = requires { &Device::find; };
  static constexpr bool has_memory = requires { &Device::alloc; };
  static constexpr bool has_compiler = requires { &Device::compile; };
  static constexpr bool has_own_queues = requires { &Device::submit; };
  static constexpr bool has_queues = requires { &Device::start; };
  static constexpr bool has_marks = requires { &Device::mark; };
  static constexpr bool has_rewrite = requires { &Device::rewrite; };
  static constexpr bool has_layout = requires { &Device::preferences; };
  static constexpr bool has_fusion = requires { Device::fusion_limits; };
  static constexpr bool has_routines = requires { Device::routines; };
  static constexpr bool has_host_calls = requires { Device::host_call_kinds; };
  static constexpr bool has_counters = requires { Device::counters; };
  static constexpr bool has_info = requires { &Device::report; };
  static constexpr bool has_aot = requires { &Device::write_object; };
  static constexpr bool has_external_memory = requires { &Device::import_memory; };

 public:
  explicit DeviceFrame(const bp_host_t *host)
      : host_(host), abi_{&description, this, nullptr, init, destroy, get_extension} {}

  Device &device() { return device_; }
  const bp_device_t *abi() const { return &abi_; }

 private:
  static DeviceFrame &self(const bp_device_t *device) { return *static_cast<DeviceFrame *>(device->device_data); }

  template <class Body>
  static void call_logged(const bp_host_t *host, const char *function, Body &&body) {
    logged(host, prefix_of<Device>(), function, std::forward<Body>(body));
  }
  template <class Body>
  static bp_status call(const bp_diag_t *diag, Body &&body) {
    return guarded(diag, prefix_of<Device>(), std::forward<Body>(body));
  }
  // Writes the bytes that the body returns, if there are any.
  template <class Body>
  static bp_status write_result(const bp_ostream_t *stream, const bp_diag_t *diag, Body &&body) {
    bp_status written = BP_OK;
    const bp_status status = call(diag, [&]() -> Status {
      BP_ASSIGN(const std::string bytes, body());
      written = bytes.empty() ? bp_status{BP_OK} : write(stream, bytes);
      return {};
    });
    return status == BP_OK ? written : status;
  }
  // The device's own check(), which fails once the device is lost (BP-STATUS-03).
  Status check() {
    if constexpr (requires { device_.check(); }) {
      return device_.check();
    } else {
      return {};
    }
  }

  // --- Kernels ---

  static bp_kernel find(const bp_device_t *device, const bp_module_t *module, std::uint32_t instruction,
                        const bp_diag_t *diag) {
    bp_kernel kernel = nullptr;
    call(diag, [&]() -> Status {
      Result<bp_kernel> found = self(device).device_.find(module, instruction);
      if (!found.ok()) {
        return Error(found.error().status(), found.error().message(), instruction);
      }
      kernel = *found;
      return {};
    });
    return kernel;
  }

  // --- Memory ---

  static bp_status alloc(const bp_device_t *device, std::uint32_t space, std::uint64_t size, std::uint32_t alignment,
                         bp_memory_t *out, const bp_diag_t *diag) {
    return call(diag, [&]() -> Status {
      BP_TRY(self(device).check());
      BP_ASSIGN(*out, self(device).device_.alloc(space, size, alignment));
      return {};
    });
  }
  static void release(const bp_device_t *device, std::uint64_t memory) {
    call_logged(self(device).host_, "memory.release", [&] { self(device).device_.release(memory); });
  }
  static bp_status copy(const bp_device_t *device, bp_loc_t to, bp_loc_t from, std::uint64_t size,
                        const bp_diag_t *diag) {
    return call(diag, [&]() -> Status {
      BP_TRY(self(device).check());
      return self(device).device_.copy(to, from, size);
    });
  }

  static bp_status import_memory(const bp_device_t *device, std::uint32_t space, const bp_handle_t *handle,
                                 bp_memory_t *out, const bp_diag_t *diag) {
    return call(diag, [&]() -> Status {
      BP_TRY(self(device).check());
      BP_ASSIGN(*out, self(device).device_.import_memory(space, *handle));
      return {};
    });
  }
  static bp_status export_memory(const bp_device_t *device, std::uint64_t memory, std::uint32_t kind, bp_handle_t *out,
                                 const bp_diag_t *diag) {
    return call(diag, [&]() -> Status {
      BP_TRY(self(device).check());
      BP_ASSIGN(*out, self(device).device_.export_memory(memory, kind));
      return {};
    });
  }

  // --- Compiler ---

  static bp_status claim(const bp_device_t *device, const bp_module_t *module, float *cost_ns, const bp_diag_t *diag) {
    return call(diag, [&] {
      Claims claims(module, cost_ns, prefix_of<Device>(), diag);
      return self(device).device_.claim(module, claims);
    });
  }
  static bp_status compile(const bp_device_t *device, const bp_module_t *module, const bp_ostream_t *artifact,
                           const bp_diag_t *diag) {
    const Device &on = self(device).device_;
    return write_result(artifact, diag, [&] {
      const bp_host_t *host = self(device).host_;
      if constexpr (requires { on.compile(module, std::declval<Progress>(), std::declval<Constants>()); }) {
        return on.compile(module, Progress(host, diag), Constants(host, diag));
      } else if constexpr (requires { on.compile(module, std::declval<Progress>()); }) {
        return on.compile(module, Progress(host, diag));
      } else {
        return on.compile(module);
      }
    });
  }
  static bp_status load(const bp_device_t *device, const void *artifact, std::uint64_t size, const bp_loc_t *constants,
                        std::uint8_t *taken, std::uint32_t allocation_count, const bp_program_t **program,
                        const bp_diag_t *diag) {
    return call(diag, [&]() -> Status {
      BP_TRY(self(device).check());
      const std::span<const char> bytes(static_cast<const char *>(artifact), size);
      Device &on = self(device).device_;
      if constexpr (requires { on.load(bytes, allocation_count, constants, taken); }) {
        BP_ASSIGN(auto loaded, on.load(bytes, allocation_count, constants, taken));
        return publish(self(device).host_, std::move(loaded), program);
      } else {
        BP_ASSIGN(auto loaded, on.load(bytes, allocation_count));
        return publish(self(device).host_, std::move(loaded), program);
      }
    });
  }
  // The program as the core gets it.
  struct PublishedProgram : bp_program_t {
    const bp_host_t *host;
  };
  template <class Program>
  static Status publish(const bp_host_t *host, std::unique_ptr<Program> program, const bp_program_t **out) {
    if (program == nullptr) {
      return Error{BP_INTERNAL, "load() returned no program, expected one or an error"};
    }
    program->abi.program_data = program.get();
    program->abi.run = [](const bp_program_t *abi, const bp_run_t *run, const bp_diag_t *diag) {
      return call(diag, [&] { return program_of<Program>(abi).run(*run); });
    };
    program->abi.destroy = [](const bp_program_t *abi) {
      const auto *published = static_cast<const PublishedProgram *>(abi);
      call_logged(published->host, "program.destroy", [&] { delete &program_of<Program>(abi); });
      delete published;
    };
    *out = new PublishedProgram{program->abi, host};
    program.release();
    return {};
  }

  // --- Queues ---

  static bp_status submit(const bp_device_t *device, std::uint32_t queue, const bp_command_t *commands,
                          std::uint32_t count, bp_point_t done, const bp_diag_t *diag) {
    return call(diag, [&]() -> Status {
      BP_TRY(self(device).check());
      if constexpr (has_own_queues) {
        return self(device).device_.submit(queue, commands, count, done);
      } else {
        BP_ASSIGN(Queue *const on, self(device).queue(queue));
        return on->submit(commands, count, done);
      }
    });
  }
  static bp_status wait(const bp_device_t *device, std::uint32_t queue, bp_point_t point, const bp_diag_t *diag) {
    return call(diag, [&]() -> Status {
      BP_ASSIGN(Queue *const on, self(device).queue(queue));
      on->wait(point);
      return {};
    });
  }
  // The queue, made when it is first needed: what only compiles has no threads.
  Result<Queue *> queue(std::uint32_t index) {
    constexpr std::size_t count = std::size(Device::queue_kinds);
    if (index >= count) {
      return Error(BP_INVALID,
                   "there is no queue " + std::to_string(index) + ", expected one below " + std::to_string(count));
    }
    const std::lock_guard lock(mutex_);
    queues_.resize(count);
    if (queues_[index] == nullptr) {
      Queue::MarkEnd mark_end;
      if constexpr (has_marks) {
        mark_end = [this, index](const bp_command_t *last) { return device_.mark(index, last); };
      }
      queues_[index] = std::make_unique<Queue>(
          host_, board_, Device::queue_kinds[index], prefix_of<Device>(),
          [this, index](const bp_command_t &command) { return device_.start(index, command); }, std::move(mark_end));
    }
    return queues_[index].get();
  }

  // --- Changing the program ---

  static bp_status rewrite(const bp_device_t *device, std::uint32_t phase, const bp_module_t *module,
                           const bp_ostream_t *out, const bp_diag_t *diag) {
    return write_result(out, diag, [&] { return self(device).device_.rewrite(phase, module); });
  }
  static bp_status preferences(const bp_device_t *device, const bp_module_t *module, const bp_ostream_t *out,
                               const bp_diag_t *diag) {
    return write_result(out, diag, [&] { return self(device).device_.preferences(module); });
  }

  // --- The device ---

  static bp_status report(const bp_device_t *device, const bp_fact_receiver_t *receiver, const bp_diag_t *diag) {
    return call(diag, [&] {
      Facts facts(receiver);
      return self(device).device_.report(facts);
    });
  }
  static bp_status describe(const bp_device_t *device, const void *artifact, std::uint64_t size, std::uint32_t flags,
                            bp_aot_code_t *code, const bp_diag_t *diag) {
    return call(diag, [&]() -> Status {
      BP_ASSIGN(*code, self(device).device_.describe({static_cast<const char *>(artifact), size}, flags));
      return {};
    });
  }
  static bp_status write_object(const bp_device_t *device, const void *artifact, std::uint64_t size,
                                std::uint32_t flags, std::uint32_t index, const bp_ostream_t *object,
                                const bp_diag_t *diag) {
    return write_result(object, diag, [&] {
      return self(device).device_.write_object({static_cast<const char *>(artifact), size}, flags, index);
    });
  }
  static bp_status init(const bp_device_t *device, const bp_diag_t *diag) {
    return call(diag, [&] { return self(device).init(); });
  }
  Status init() {
    if constexpr (requires { device_.services; }) {
      device_.services = HostServices(host_);
    }
    BP_ASSIGN(target_, device_.init());
    abi_.target = target_.c_str();
    if constexpr (has_memory) {
      memory_ = {device_.spaces().data(), device_.spaces().size(), alloc, release, copy};
    }
    if constexpr (has_external_memory) {
      external_memory_ = {device_.external_support().data(), import_memory, export_memory};
    }
    return {};
  }
  static void destroy(const bp_device_t *device) {
    call_logged(self(device).host_, "device.destroy", [&] { delete &self(device); });
  }
  static const void *get_extension(const bp_device_t *device, const char *id) {
    const void *found = nullptr;
    visit_extensions([&](std::string_view known, const void *table) {
      if (known == id) {
        found = table != nullptr ? table : self(device).own_table(id);
      }
    });
    if constexpr (requires { self(device).device_.extension(id); }) {
      if (found == nullptr) {
        call_logged(self(device).host_, "device.get_extension", [&] { found = self(device).device_.extension(id); });
      }
    }
    return found;
  }

  // Returns a table that belongs to this device.
  const void *own_table(std::string_view id) const {
    return id == BP_EXT_MEMORY ? static_cast<const void *>(&memory_) : &external_memory_;
  }

  static constexpr bp_device_kernels_t kernels_table = {find};
  static constexpr bp_device_compiler_t compiler_table = {claim, compile, load};
  static constexpr bp_device_queue_t queue_table = {Device::queue_kinds, std::size(Device::queue_kinds), submit};
  static constexpr bp_device_native_sync_t native_sync_table = {wait};
  static constexpr bp_device_rewrite_t rewrite_table = {rewrite};
  static constexpr bp_device_layout_t layout_table = {preferences};
  static constexpr bp_device_fusion_t fusion_table = {&Device::fusion_limits};
  static constexpr bp_device_info_t info_table = {report};
  static constexpr bp_device_aot_t aot_table = {describe, write_object};
  static constexpr bp_device_custom_call_t custom_call_table = {Device::routines, std::size(Device::routines)};
  static constexpr bp_device_host_call_t host_call_table = {Device::host_call_kinds};
  static constexpr bp_device_counters_t counters_table = {Device::counters, std::size(Device::counters)};

  // Calls visit(id, table) for each extension of the class; null for tables that belong to each device (own_table).
  template <class Visit>
  static constexpr void visit_extensions(Visit visit) {
    if constexpr (has_kernels) {
      visit(BP_EXT_KERNELS, &kernels_table);
    }
    if constexpr (has_memory) {
      visit(BP_EXT_MEMORY, nullptr);
    }
    if constexpr (has_compiler) {
      visit(BP_EXT_COMPILER, &compiler_table);
    }
    if constexpr (has_queues || has_own_queues) {
      visit(BP_EXT_QUEUE, &queue_table);
    }
    if constexpr (has_queues) {
      visit(BP_EXT_NATIVE_SYNC, &native_sync_table);
    }
    if constexpr (has_rewrite) {
      visit(BP_EXT_REWRITE, &rewrite_table);
    }
    if constexpr (has_layout) {
      visit(BP_EXT_LAYOUT, &layout_table);
    }
    if constexpr (has_fusion) {
      visit(BP_EXT_FUSION, &fusion_table);
    }
    if constexpr (has_routines) {
      visit(BP_EXT_CUSTOM_CALL, &custom_call_table);
    }
    if constexpr (has_host_calls) {
      visit(BP_EXT_HOST_CALL, &host_call_table);
    }
    if constexpr (has_counters) {
      visit(BP_EXT_COUNTERS, &counters_table);
    }
    if constexpr (has_external_memory) {
      visit(BP_EXT_EXTERNAL_MEMORY, nullptr);
    }
    if constexpr (has_info) {
      visit(BP_EXT_DEVICE_INFO, &info_table);
    }
    if constexpr (has_aot) {
      visit(BP_EXT_AOT, &aot_table);
    }
  }

  static constexpr std::size_t max_extensions = 14;
  static constexpr std::array<const char *, max_extensions + 1> list_extensions() {
    std::array<const char *, max_extensions + 1> ids{};  // ends with null
    std::size_t count = 0;
    visit_extensions([&](const char *id, const void *) { ids[count++] = id; });
    return ids;
  }
  static constexpr std::array<const char *, max_extensions + 1> extensions = list_extensions();

 public:
  // The description of the class, with the ids of its extensions if it has none.
  static constexpr bp_device_desc_t make_description() {
    bp_device_desc_t made = Device::description;
    made.features = made.features == nullptr ? extensions.data() : made.features;
    return made;
  }
  static constexpr bp_device_desc_t description = make_description();

 private:
  const bp_host_t *host_;
  bp_device_t abi_;
  std::string target_;
  Device device_{};
  bp_device_memory_t memory_{};
  bp_device_external_memory_t external_memory_{};
  Board board_;
  std::mutex mutex_;                            // of queues_
  std::vector<std::unique_ptr<Queue>> queues_;  // declared last, because they use device and board
};

}  // namespace bp::plugin
