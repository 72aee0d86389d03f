#include "core/layers/interposer.h"

#include <string>
#include <type_traits>
#include <vector>

#include "plugin_api/cpp/module_view.h"

namespace bp::layers {
namespace {

constexpr std::string_view names[] = {
#define BP_ABI_FUNCTION(object, table, name, tag, loss, result, parameters, arguments, roles) #table "." #name,
#include "core/layers/abi.def"
#undef BP_ABI_FUNCTION
};
constexpr ThreadTag tags[] = {
#define BP_ABI_FUNCTION(object, table, name, tag, loss, result, parameters, arguments, roles) ThreadTag::tag,
#include "core/layers/abi.def"
#undef BP_ABI_FUNCTION
};

constexpr bool Lost = true, Works = false;  // the column `after a loss` of abi.def
constexpr bool lost_with_device[] = {
#define BP_ABI_FUNCTION(object, table, name, tag, loss, result, parameters, arguments, roles) loss,
#include "core/layers/abi.def"
#undef BP_ABI_FUNCTION
};

// Calls enter, the body and leave; leave also if the plugin throws.
template <class Object, class Body>
auto around(Function function, Object &object, Body body) {
  Interposer &layer = *object.layer;
  struct Leave {
    Interposer &layer;
    Call call;
    bp_status status = BP_INTERNAL;
    ~Leave() { layer.leave(call, status); }
  };
  const Call call{function, &object, layer.next_number()};
  layer.enter(call);
  Leave leave{layer, call};
  using R = decltype(body());
  if constexpr (std::is_void_v<R>) {
    body();
    leave.status = BP_OK;
  } else {
    R result = body();
    leave.status = BP_OK;
    if constexpr (std::is_same_v<R, bp_status>) {
      leave.status = result;
    }
    return result;
  }
}

// Functions that the core calls and, for those of the host, the plugin. Destroy functions free the wrapper after the
// call.
#define BP_ABI_FUNCTION(object, table, name, tag, loss, result, parameters, arguments, roles)              \
  result call_##table##_##name(decltype(Layered##object::below) self BP_LAYERED_PARAMETERS parameters) {   \
    Layered##object &wrapper = layered(self);                                                              \
    return around(Function::table##_##name, wrapper,                                                       \
                  [&] { return wrapper.layer->table##_##name(wrapper BP_LAYERED_PARAMETERS arguments); }); \
  }
#include "core/layers/abi.def"
#undef BP_ABI_FUNCTION

void destroy_device(const bp_device_t *device) {
  call_device_destroy(device);
  delete &layered(device);
}

void destroy_program(const bp_program_t *program) {
  call_program_destroy(program);
  delete &layered(program);
}

constexpr bp_device_kernels_t layered_kernels = {call_kernels_find};
constexpr bp_device_compiler_t layered_compiler = {call_compiler_claim, call_compiler_compile, call_compiler_load};
constexpr bp_device_native_sync_t layered_native_sync = {call_native_sync_wait};
constexpr bp_device_rewrite_t layered_rewrite = {call_rewrite_rewrite};
constexpr bp_device_layout_t layered_layout = {call_layout_preferences};
constexpr bp_device_info_t layered_device_info = {call_device_info_report};
constexpr bp_device_aot_t layered_aot = {call_aot_describe, call_aot_write_object};
constexpr bp_instances_t layered_instances = {call_instances_describe};
constexpr bp_host_log_t layered_log = {call_log_log};
constexpr bp_host_threads_t layered_threads = {call_threads_count, call_threads_parallel};

template <class Table>
void set(const void *found, const Table *&table) {
  table = static_cast<const Table *>(found);
}

template <class Table, class... Functions>
bool has(const void *table, Functions... functions) {
  return ((static_cast<const Table *>(table)->*functions != nullptr) && ...);
}

// Whether a plugin's table has its functions. An incomplete table is passed on unchanged, so that the core rejects it.
bool is_whole(std::string_view id, const void *table) {
  return id == BP_EXT_KERNELS  ? has<bp_device_kernels_t>(table, &bp_device_kernels_t::find)
         : id == BP_EXT_MEMORY ? has<bp_device_memory_t>(table, &bp_device_memory_t::alloc,
                                                         &bp_device_memory_t::release, &bp_device_memory_t::copy)
         : id == BP_EXT_COMPILER
             ? has<bp_device_compiler_t>(table, &bp_device_compiler_t::claim, &bp_device_compiler_t::compile,
                                         &bp_device_compiler_t::load)
         : id == BP_EXT_QUEUE           ? has<bp_device_queue_t>(table, &bp_device_queue_t::submit)
         : id == BP_EXT_NATIVE_SYNC     ? has<bp_device_native_sync_t>(table, &bp_device_native_sync_t::wait)
         : id == BP_EXT_REWRITE         ? has<bp_device_rewrite_t>(table, &bp_device_rewrite_t::rewrite)
         : id == BP_EXT_LAYOUT          ? has<bp_device_layout_t>(table, &bp_device_layout_t::preferences)
         : id == BP_EXT_CUSTOM_CALL     ? has<bp_device_custom_call_t>(table, &bp_device_custom_call_t::routines)
         : id == BP_EXT_EXTERNAL_MEMORY ? has<bp_device_external_memory_t>(table, &bp_device_external_memory_t::support,
                                                                           &bp_device_external_memory_t::import_memory,
                                                                           &bp_device_external_memory_t::export_memory)
         : id == BP_EXT_DEVICE_INFO     ? has<bp_device_info_t>(table, &bp_device_info_t::report)
         : id == BP_EXT_AOT ? has<bp_device_aot_t>(table, &bp_device_aot_t::describe, &bp_device_aot_t::write_object)
                            : true;
}

std::string_view target_of(const bp_call_t &call) {
  return plugin::ModuleView(call.module).instruction(call.instr).text(BP_ATTR_CUSTOM_CALL_TARGET);
}

}  // namespace

std::string_view to_string(Function function) {
  return names[static_cast<std::size_t>(function)];
}

ThreadTag thread_tag(Function function) {
  return tags[static_cast<std::size_t>(function)];
}

bool is_lost_with_device(Function function) {
  return lost_with_device[static_cast<std::size_t>(function)];
}

Interposer::~Interposer() = default;

bp_kernel Interposer::kernel() {
  return call_kernels_kernel;
}

const void *Interposer::get_factory(const char *id) {
  const void *found = below_->get_factory(id);
  if (found == nullptr) {
    return found;
  }
  if (std::string_view(id) == BP_INSTANCES) {
    get_factory(BP_DEVICE_FACTORY);  // whose wrapper is the object that describe() is called on
    const bool is_usable = factory_ != nullptr && has<bp_instances_t>(found, &bp_instances_t::describe);
    return is_usable ? wrap(static_cast<const bp_instances_t *>(found)) : found;
  }
  if (std::string_view(id) != BP_DEVICE_FACTORY) {
    return found;
  }
  const bool is_usable = has<bp_device_factory_t>(found, &bp_device_factory_t::count, &bp_device_factory_t::get_desc,
                                                  &bp_device_factory_t::probe, &bp_device_factory_t::create);
  return is_usable ? wrap(static_cast<const bp_device_factory_t *>(found)) : found;
}

// --- Wrappers ---

const bp_device_factory_t *Interposer::wrap(const bp_device_factory_t *below) {
  if (factory_ == nullptr || factory_->below != below) {
    factory_ = std::make_unique<LayeredFactory>(LayeredFactory{
        {call_factory_count, call_factory_get_desc, call_factory_probe, call_factory_create}, this, below, next_id_++});
  }
  return &factory_->abi;
}

const bp_instances_t *Interposer::wrap(const bp_instances_t *below) {
  factory_->instances = below;
  return &layered_instances;
}

std::unique_ptr<LayeredDevice> Interposer::wrap(const bp_host_t *host) {
  auto device = std::make_unique<LayeredDevice>();
  device->layer = this;
  device->id = next_id_++;
  device->host = {*host, this, host, device->id};
  device->host.abi.get_extension = call_host_get_extension;
  device->host.abi.signal = call_host_signal;
  return device;
}

const bp_device_t *Interposer::wrap(std::unique_ptr<LayeredDevice> device, const bp_device_t *below) {
  if (below == nullptr) {
    return nullptr;
  }
  device->below = below;
  device->abi = *below;
  // Missing functions stay missing, because the core checks for them.
  device->abi.init = below->init == nullptr ? nullptr : call_device_init;
  device->abi.destroy = below->destroy == nullptr ? nullptr : destroy_device;
  device->abi.get_extension = below->get_extension == nullptr ? nullptr : call_device_get_extension;
  return &device.release()->abi;
}

const bp_program_t *Interposer::wrap(LayeredDevice &device, const bp_program_t *below, std::uint64_t id) {
  auto *layered = new LayeredProgram{*below, this, below, id, &device};
  layered->abi.run = below->run == nullptr ? nullptr : call_program_run;
  layered->abi.destroy = below->destroy == nullptr ? nullptr : destroy_program;
  return &layered->abi;
}

const void *Interposer::wrap(LayeredDevice &device, std::string_view wanted, const void *below) {
  if (below == nullptr) {
    return nullptr;
  }
  if (wanted == BP_EXT_KERNELS) {
    set(below, device.kernels);
    return &layered_kernels;
  }
  if (wanted == BP_EXT_MEMORY) {
    set(below, device.memory);
    device.layered_memory = {device.memory->spaces, device.memory->space_count, call_memory_alloc, call_memory_release,
                             call_memory_copy};
    return &device.layered_memory;
  }
  if (wanted == BP_EXT_COMPILER) {
    set(below, device.compiler);
    return &layered_compiler;
  }
  if (wanted == BP_EXT_QUEUE) {
    set(below, device.queue);
    device.layered_queue = {device.queue->queues, device.queue->queue_count, call_queue_submit};
    return &device.layered_queue;
  }
  if (wanted == BP_EXT_NATIVE_SYNC) {
    set(below, device.native_sync);
    return &layered_native_sync;
  }
  if (wanted == BP_EXT_REWRITE) {
    set(below, device.rewrite);
    return &layered_rewrite;
  }
  if (wanted == BP_EXT_LAYOUT) {
    set(below, device.layout);
    return &layered_layout;
  }
  if (wanted == BP_EXT_FUSION) {
    set(below, device.fusion);
    return below;
  }
  if (wanted == BP_EXT_HOST_CALL) {
    set(below, device.host_call);
    device.layered_host_call = *device.host_call;
    return &device.layered_host_call;
  }
  if (wanted == BP_EXT_COUNTERS) {
    set(below, device.counters);
    return below;
  }
  if (wanted == BP_EXT_CUSTOM_CALL) {
    set(below, device.custom_call);
    const std::uint64_t count = device.custom_call->routine_count;
    device.layered_routines = std::make_unique<bp_routine_t[]>(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      device.layered_routines[i] = {device.custom_call->routines[i].target, call_kernels_kernel};
    }
    device.layered_custom_call = {device.layered_routines.get(), count};
    return &device.layered_custom_call;
  }
  if (wanted == BP_EXT_EXTERNAL_MEMORY) {
    set(below, device.external_memory);
    device.layered_external_memory = {device.external_memory->support, call_external_memory_import_memory,
                                      call_external_memory_export_memory};
    return &device.layered_external_memory;
  }
  if (wanted == BP_EXT_DEVICE_INFO) {
    set(below, device.device_info);
    return &layered_device_info;
  }
  if (wanted == BP_EXT_AOT) {
    set(below, device.aot);
    return &layered_aot;
  }
  return below;  // a vendor's extension, passed on unchanged
}

// --- Functions that make or take objects ---

const bp_device_t *Interposer::factory_create(LayeredFactory &factory, const bp_host_t *host, const char *id,
                                              std::uint32_t instance, const bp_option_t *options,
                                              std::uint32_t option_count, const bp_diag_t *diag) {
  std::unique_ptr<LayeredDevice> device = wrap(host);
  const bp_device_t *below =
      factory.below->create(factory.below, &device->host.abi, id, instance, options, option_count, diag);
  return wrap(std::move(device), below);
}

bp_status Interposer::device_init(LayeredDevice &device, const bp_diag_t *diag) {
  const bp_status status = device.below->init(device.below, diag);
  device.abi.target = device.below->target;
  return status;
}

const void *Interposer::device_get_extension(LayeredDevice &device, const char *id) {
  const void *below = device.below->get_extension(device.below, id);
  return below == nullptr || is_whole(id, below) ? wrap(device, id, below) : below;
}

bp_kernel Interposer::kernels_find(LayeredDevice &device, const bp_module_t *module, std::uint32_t instr,
                                   const bp_diag_t *diag) {
  return device.kernels->find(device.below, module, instr, diag) == nullptr ? nullptr : call_kernels_kernel;
}

// A kernel's address does not identify its device's kernel, so it is queried again; find() has no side effects
// (BP-FIND-01).
bp_status Interposer::kernels_kernel(LayeredDevice &device, const bp_call_t *call, const bp_diag_t *diag) {
  if (device.kernels != nullptr) {
    if (bp_kernel kernel = device.kernels->find(device.below, call->module, call->instr, diag); kernel != nullptr) {
      return kernel(device.below, call, diag);
    }
  }
  const std::uint64_t count = device.custom_call == nullptr ? 0 : device.custom_call->routine_count;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (target_of(*call) == device.custom_call->routines[i].target) {
      return device.custom_call->routines[i].kernel(device.below, call, diag);
    }
  }
  diag->report(diag, BP_INTERNAL, call->instr, "find() gave a kernel before, and now gives none");
  return BP_INTERNAL;
}

bp_status Interposer::compiler_load(LayeredDevice &device, const void *artifact, std::uint64_t size,
                                    const bp_loc_t *constants, std::uint8_t *taken, std::uint32_t allocation_count,
                                    const bp_program_t **program, const bp_diag_t *diag) {
  const bp_program_t *below = nullptr;
  const bp_status status =
      device.compiler->load(device.below, artifact, size, constants, taken, allocation_count, &below, diag);
  if (status == BP_OK && below != nullptr) {
    *program = wrap(device, below);
  }
  return status;
}

bp_status Interposer::queue_submit(LayeredDevice &device, std::uint32_t queue, const bp_command_t *commands,
                                   std::uint32_t command_count, bp_point_t done, const bp_diag_t *diag) {
  std::vector<bp_command_t> below(commands, commands + command_count);
  for (bp_command_t &command : below) {
    if (command.program != nullptr) {
      command.program = layered(command.program).below;
    }
  }
  return device.queue->submit(device.below, queue, below.data(), command_count, done, diag);
}

const void *Interposer::host_get_extension(LayeredHost &host, const char *id) {
  const void *below = host.below->get_extension(host.below, id);
  if (below == nullptr || id == nullptr) {
    return below;
  }
  if (std::string_view(id) == BP_EXT_LOG) {
    host.log = static_cast<const bp_host_log_t *>(below);
    return &layered_log;
  }
  if (std::string_view(id) == BP_EXT_THREAD_POOL) {
    host.threads = static_cast<const bp_host_threads_t *>(below);
    return &layered_threads;
  }
  return below;
}

// --- Functions that are forwarded unchanged ---

std::uint32_t Interposer::factory_count(LayeredFactory &factory) {
  return factory.below->count(factory.below);
}
const bp_device_desc_t *Interposer::factory_get_desc(LayeredFactory &factory, std::uint32_t index) {
  return factory.below->get_desc(factory.below, index);
}
bp_status Interposer::factory_probe(LayeredFactory &factory, const char *id, std::uint32_t *instances,
                                    const bp_diag_t *diag) {
  return factory.below->probe(factory.below, id, instances, diag);
}
bp_status Interposer::instances_describe(LayeredFactory &factory, const char *id, std::uint32_t instance,
                                         const bp_instance_receiver_t *receiver, const bp_diag_t *diag) {
  return factory.instances->describe(factory.below, id, instance, receiver, diag);
}
void Interposer::device_destroy(LayeredDevice &device) {
  device.below->destroy(device.below);
}
bp_status Interposer::memory_alloc(LayeredDevice &device, std::uint32_t space, std::uint64_t size,
                                   std::uint32_t alignment, bp_memory_t *out, const bp_diag_t *diag) {
  return device.memory->alloc(device.below, space, size, alignment, out, diag);
}
void Interposer::memory_release(LayeredDevice &device, std::uint64_t memory) {
  device.memory->release(device.below, memory);
}
bp_status Interposer::memory_copy(LayeredDevice &device, bp_loc_t to, bp_loc_t from, std::uint64_t size,
                                  const bp_diag_t *diag) {
  return device.memory->copy(device.below, to, from, size, diag);
}
bp_status Interposer::compiler_claim(LayeredDevice &device, const bp_module_t *module, float *cost_ns,
                                     const bp_diag_t *diag) {
  return device.compiler->claim(device.below, module, cost_ns, diag);
}
bp_status Interposer::compiler_compile(LayeredDevice &device, const bp_module_t *module, const bp_ostream_t *artifact,
                                       const bp_diag_t *diag) {
  return device.compiler->compile(device.below, module, artifact, diag);
}
bp_status Interposer::program_run(LayeredProgram &program, const bp_run_t *run, const bp_diag_t *diag) {
  return program.below->run(program.below, run, diag);
}
void Interposer::program_destroy(LayeredProgram &program) {
  program.below->destroy(program.below);
}
bp_status Interposer::native_sync_wait(LayeredDevice &device, std::uint32_t queue, bp_point_t point,
                                       const bp_diag_t *diag) {
  return device.native_sync->wait(device.below, queue, point, diag);
}
bp_status Interposer::rewrite_rewrite(LayeredDevice &device, std::uint32_t phase, const bp_module_t *module,
                                      const bp_ostream_t *out, const bp_diag_t *diag) {
  return device.rewrite->rewrite(device.below, phase, module, out, diag);
}
bp_status Interposer::layout_preferences(LayeredDevice &device, const bp_module_t *module, const bp_ostream_t *out,
                                         const bp_diag_t *diag) {
  return device.layout->preferences(device.below, module, out, diag);
}
bp_status Interposer::external_memory_import_memory(LayeredDevice &device, std::uint32_t space,
                                                    const bp_handle_t *handle, bp_memory_t *out,
                                                    const bp_diag_t *diag) {
  return device.external_memory->import_memory(device.below, space, handle, out, diag);
}
bp_status Interposer::external_memory_export_memory(LayeredDevice &device, std::uint64_t memory, std::uint32_t kind,
                                                    bp_handle_t *out, const bp_diag_t *diag) {
  return device.external_memory->export_memory(device.below, memory, kind, out, diag);
}
bp_status Interposer::device_info_report(LayeredDevice &device, const bp_fact_receiver_t *receiver,
                                         const bp_diag_t *diag) {
  return device.device_info->report(device.below, receiver, diag);
}
bp_status Interposer::aot_describe(LayeredDevice &device, const void *artifact, std::uint64_t size, std::uint32_t flags,
                                   bp_aot_code_t *code, const bp_diag_t *diag) {
  return device.aot->describe(device.below, artifact, size, flags, code, diag);
}
bp_status Interposer::aot_write_object(LayeredDevice &device, const void *artifact, std::uint64_t size,
                                       std::uint32_t flags, std::uint32_t index, const bp_ostream_t *object,
                                       const bp_diag_t *diag) {
  return device.aot->write_object(device.below, artifact, size, flags, index, object, diag);
}
void Interposer::host_signal(LayeredHost &host, bp_point_t point, bp_status status, std::uint32_t instr,
                             const char *msg) {
  host.below->signal(host.below, point, status, instr, msg);
}
void Interposer::log_log(LayeredHost &host, std::uint32_t severity, const char *msg) {
  host.log->log(host.below, severity, msg);
}
std::uint32_t Interposer::threads_count(LayeredHost &host) {
  return host.threads->count(host.below);
}
void Interposer::threads_parallel(LayeredHost &host, std::uint32_t n, bp_parallel_body body, void *ctx) {
  host.threads->parallel(host.below, n, body, ctx);
}

}  // namespace bp::layers
