// Acme: a backend that compiles, for a device with memory of its own.
// {queue
// It has queues, too, so that the host need not wait for copies and programs.
// }queue
// The device is simulated: its memory is an array of the host. The artifact is a list of steps, each of which is one
// instruction with the locations of its operands and its result in memory; a program runs by running the steps. Replace
// the steps by code for your hardware, and what is marked by "simulated" by calls of its driver.
#include <stdlib.h>
#include <string.h>

#include "backplane/backplane.h"
#include "backplane/c/address_space.h"
// {queue
#include "backplane/c/device_queues.h"
// }queue
#include "backplane/c/module_reader.h"
#include "backplane/c/plugin_frame.h"

// The artifact: a header, the steps, and a checksum of everything before it.
typedef struct {
  char magic[8];
  uint32_t version, step_count;
} artifact_header;

typedef struct {
  uint64_t offset;
  uint32_t allocation, reserved;
} place;

typedef struct {
  uint32_t op, operand_count;
  uint64_t size;  // bytes of the result, and of each operand
  place operands[2], result;
} step;

static const char device_id[] = "com.acme.device";
static const artifact_header expected_header = {"STEPS", 1, 0};

// FNV-1a, to detect damaged artifacts. It begins with the device id, to detect artifacts of other devices.
static uint64_t add_to_checksum(uint64_t checksum, const void *bytes, uint64_t size) {
  for (uint64_t i = 0; i < size; ++i) {
    checksum = (checksum ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
  }
  return checksum;
}
static uint64_t checksum_of_nothing(void) {
  return add_to_checksum(0xcbf29ce484222325u, device_id, sizeof device_id);
}

// --- the device ---

enum { memory_size = 1 << 26, alignment = 64, first_address = 4096 };

typedef struct {
  bp_device_t abi;
  char *bytes;                // simulated: the memory
  bp_address_space_t pieces;  // which addresses of it are taken
  // {queue
  bp_queues_t *queues;
  // }queue
} device_state;

// Returns the device of a call.
static device_state *self(const bp_device_t *device) {
  return device->device_data;
}

// Simulated: how the device reaches a location. The handle of a piece of its memory is the piece's address on the
// device, which the host cannot use; memory 0 is that of the host.
static char *reach(const device_state *device, bp_loc_t at) {
  return at.memory == 0 ? (char *)(uintptr_t)at.offset : device->bytes + (at.memory - first_address) + at.offset;
}

static bp_status fail(const bp_diag_t *diag, bp_status status, const char *why) {
  diag->report(diag, status, BP_NONE, why);
  return status;
}

// --- memory ---

static const bp_space_t spaces[] = {{"dram", memory_size, alignment, 0, 0, 10.0f}};

static bp_status alloc(const bp_device_t *device, uint32_t space, uint64_t size, uint32_t align, bp_memory_t *out,
                       const bp_diag_t *diag) {
  if (space != 0) {
    return fail(diag, BP_INVALID, "there is only memory space 0");
  }
  const uint64_t address = bp_address_space_take(&self(device)->pieces, size, align < alignment ? alignment : align);
  if (address == 0) {
    return fail(diag, BP_NO_MEMORY, "the memory of the device is full");
  }
  const bp_memory_t made = {address, 0, address};
  *out = made;
  return BP_OK;
}

static void release(const bp_device_t *device, uint64_t memory) {
  bp_address_space_give_back(&self(device)->pieces, memory);
}

// Whether the location is in host memory, or in a piece that has so many bytes after it.
static int is_inside(const bp_device_t *device, bp_loc_t at, uint64_t size) {
  return at.memory == 0 || bp_address_space_has(&self(device)->pieces, at.memory, at.offset, size);
}

static bp_status copy(const bp_device_t *device, bp_loc_t to, bp_loc_t from, uint64_t size, const bp_diag_t *diag) {
  if (size != 0) {
    if (!is_inside(device, to, size) || !is_inside(device, from, size)) {
      return fail(diag, BP_INVALID, "a copy is not inside a piece of memory");
    }
    memcpy(reach(self(device), to), reach(self(device), from), size);
  }
  return BP_OK;
}

static const bp_device_memory_t memory = {spaces, 1, alloc, release, copy};

// {queue
// --- queues ---

// One queue copies while the other one runs programs. A thread of the host starts the commands of each.
static const uint32_t kinds[] = {1u << BP_COMMAND_COPY | 1u << BP_COMMAND_FILL, 1u << BP_COMMAND_RUN};

static bp_status fill(const bp_device_t *device, const bp_command_t *command, const bp_diag_t *diag) {
  if (!is_inside(device, command->to, command->size)) {
    return fail(diag, BP_INVALID, "a fill is not inside a piece of memory");
  }
  char *to = reach(self(device), command->to);
  for (uint64_t i = 0; i < command->size; ++i) {
    to[i] = (char)(command->pattern >> 8 * (i % command->pattern_size));
  }
  return BP_OK;
}

static bp_status start(const bp_device_t *device, const bp_command_t *command, const bp_diag_t *diag) {
  switch (command->kind) {
    case BP_COMMAND_RUN: return command->program->run(command->program, command->run, diag);
    case BP_COMMAND_COPY: return copy(device, command->to, command->from, command->size, diag);
    default: return fill(device, command, diag);
  }
}

static bp_status submit(const bp_device_t *device, uint32_t queue, const bp_command_t *commands, uint32_t count,
                        bp_point_t done, const bp_diag_t *diag) {
  return bp_queues_submit(self(device)->queues, queue, commands, count, done, diag);
}

static bp_status wait(const bp_device_t *device, uint32_t queue, bp_point_t point, const bp_diag_t *diag) {
  return bp_queues_wait(self(device)->queues, queue, point, diag);
}

static const bp_device_queue_t queue_table = {kinds, 2, submit};
static const bp_device_native_sync_t native_sync = {wait};

// }queue
// --- claim ---

// Returns why an instruction is not claimed, or null if it is.
static const char *reason_against(const bp_module_t *module, uint32_t instr) {
  const bp_instr_t *at = bp_read_instr(module, instr);
  if (at->op != BP_OP_ADD && at->op != BP_OP_MULTIPLY && at->op != BP_OP_COPY) {
    return "there is no step for this op";
  }
  // Equal shapes have equal layouts, so corresponding elements have the same offset.
  const bp_shape_t *shape = bp_read_result_shape(module, instr, 0);
  for (uint32_t n = 0; n < at->operand_count; ++n) {
    if (bp_read_operand_shape(module, instr, n) != shape) {
      return "expected operands in the layout of the result";
    }
  }
  if (at->op != BP_OP_COPY && shape->dtype != BP_DTYPE_F32) {
    return "expected f32";
  }
  return bp_read_attr_count(module, instr) == 0 ? 0 : "expected no attributes";
}

static bp_status claim(const bp_device_t *device, const bp_module_t *module, float *cost_ns, const bp_diag_t *diag) {
  (void)device;
  for (uint32_t i = 0; i < module->instrs.count; ++i) {
    const char *reason = reason_against(module, i);
    cost_ns[i] = reason == 0 ? 100 : -1;
    if (reason != 0) {
      diag->report(diag, BP_UNSUPPORTED, i, reason);
    }
  }
  return BP_OK;
}

// --- compile ---

static const bp_value_t *value_at(const bp_module_t *module, uint32_t value) {
  return BP_AT(module, values, bp_value_t, value);
}
static place place_of(const bp_value_t *value) {
  const place found = {value->offset, value->allocation, 0};
  return found;
}

// Parameters, constants and bitcasts need no step: their values are already in memory.
static int is_step(const bp_instr_t *at) {
  return at->op != BP_OP_PARAMETER && at->op != BP_OP_CONSTANT && at->op != BP_OP_BITCAST;
}

static step make_step(const bp_module_t *module, const bp_instr_t *at) {
  const bp_value_t *result = value_at(module, at->results);
  step made = {at->op, at->operand_count, result->size, {{0, 0, 0}, {0, 0, 0}}, place_of(result)};
  for (uint32_t n = 0; n < at->operand_count; ++n) {
    made.operands[n] = place_of(value_at(module, *BP_AT(module, operands, uint32_t, at->operands + n)));
  }
  return made;
}

static bp_status write(const bp_ostream_t *artifact, const void *bytes, uint64_t size, uint64_t *checksum) {
  *checksum = add_to_checksum(*checksum, bytes, size);
  return artifact->write(artifact, bytes, size);
}

static bp_status compile(const bp_device_t *device, const bp_module_t *module, const bp_ostream_t *artifact,
                         const bp_diag_t *diag) {
  const bp_computation_t *entry = BP_AT(module, computations, bp_computation_t, module->entry);
  const bp_instr_t *instrs = BP_AT(module, instrs, bp_instr_t, entry->instrs);
  artifact_header header = expected_header;
  uint64_t checksum = checksum_of_nothing();
  (void)device, (void)diag;
  for (uint32_t i = 0; i < entry->instr_count; ++i) {
    header.step_count += is_step(&instrs[i]);
  }
  bp_status status = write(artifact, &header, sizeof header, &checksum);
  for (uint32_t i = 0; i < entry->instr_count && status == BP_OK; ++i) {
    if (is_step(&instrs[i])) {
      const step made = make_step(module, &instrs[i]);
      status = write(artifact, &made, sizeof made, &checksum);
    }
  }
  return status == BP_OK ? artifact->write(artifact, &checksum, sizeof checksum) : status;
}

// --- load and run ---

typedef struct {
  bp_program_t abi;
  const device_state *device;
  uint32_t step_count;
  step steps[];
} program;

static char *address(const device_state *device, const bp_run_t *run, place at) {
  return reach(device, run->allocations[at.allocation]) + at.offset;
}

// Simulated: what the device does when it runs a program.
static bp_status run_program(const bp_program_t *abi, const bp_run_t *run, const bp_diag_t *diag) {
  const program *made = abi->program_data;
  (void)diag;
  for (uint32_t s = 0; s < made->step_count; ++s) {
    const step *at = &made->steps[s];
    const float *x = (const float *)address(made->device, run, at->operands[0]), *y = x;
    float *out = (float *)address(made->device, run, at->result);
    if (at->operand_count == 2) {
      y = (const float *)address(made->device, run, at->operands[1]);
    }
    const uint64_t count = at->size / sizeof(float);
    switch (at->op) {
      case BP_OP_ADD:
        for (uint64_t i = 0; i < count; ++i) {
          out[i] = x[i] + y[i];
        }
        break;
      case BP_OP_MULTIPLY:
        for (uint64_t i = 0; i < count; ++i) {
          out[i] = x[i] * y[i];
        }
        break;
      default: memmove(out, x, at->size);
    }
  }
  return BP_OK;
}

static void destroy_program(const bp_program_t *abi) {
  free(abi->program_data);
}

static bp_status load(const bp_device_t *device, const void *artifact, uint64_t size, const bp_loc_t *constants,
                      uint8_t *taken, uint32_t allocation_count, const bp_program_t **loaded, const bp_diag_t *diag) {
  const char *bytes = artifact;
  artifact_header header;
  uint64_t checksum;
  (void)constants, (void)taken;
  if (size < sizeof header + sizeof checksum) {
    return fail(diag, BP_INVALID, "the artifact is too short");
  }
  memcpy(&header, bytes, sizeof header);
  memcpy(&checksum, bytes + size - sizeof checksum, sizeof checksum);
  if (memcmp(header.magic, expected_header.magic, sizeof header.magic) != 0 ||
      header.version != expected_header.version) {
    return fail(diag, BP_INVALID, "the artifact is not of this version of the plugin");
  }
  if (size != sizeof header + header.step_count * sizeof(step) + sizeof checksum ||
      checksum != add_to_checksum(checksum_of_nothing(), bytes, size - sizeof checksum)) {
    return fail(diag, BP_INVALID, "the artifact is damaged");
  }
  const uint64_t resident_size = sizeof(program) + header.step_count * sizeof(step);
  program *made = malloc(resident_size);
  if (made == 0) {
    return fail(diag, BP_NO_MEMORY, "out of host memory");
  }
  const bp_program_t abi = {made, 0, resident_size, 1, 0, run_program, destroy_program};
  made->abi = abi;
  made->device = self(device);
  made->step_count = header.step_count;
  memcpy(made->steps, bytes + sizeof header, header.step_count * sizeof(step));
  for (uint32_t s = 0; s < made->step_count; ++s) {
    const step *at = &made->steps[s];
    if (at->result.allocation >= allocation_count || at->operands[0].allocation >= allocation_count ||
        at->operands[1].allocation >= allocation_count) {
      free(made);
      return fail(diag, BP_INVALID, "the artifact is of another program");
    }
  }
  *loaded = &made->abi;
  return BP_OK;
}

static const bp_device_compiler_t compiler = {claim, compile, load};

// --- create and destroy ---

static const void *get_extension(const bp_device_t *device, const char *id) {
  (void)device;
  if (strcmp(id, BP_EXT_MEMORY) == 0) {
    return &memory;
  }
  // {queue
  if (strcmp(id, BP_EXT_QUEUE) == 0) {
    return &queue_table;
  }
  if (strcmp(id, BP_EXT_NATIVE_SYNC) == 0) {
    return &native_sync;
  }
  // }queue
  return strcmp(id, BP_EXT_COMPILER) == 0 ? &compiler : 0;
}

static void destroy(const bp_device_t *device) {
  device_state *made = self(device);
  // {queue
  bp_queues_destroy(made->queues);
  // }queue
  bp_address_space_destroy(&made->pieces);
  free(made->bytes);
  free(made);
}

static const bp_device_t *create(const bp_device_desc_t *desc, const bp_host_t *host, const bp_diag_t *diag) {
  device_state *made = calloc(1, sizeof *made);
  if (made == 0) {
    fail(diag, BP_NO_MEMORY, "out of host memory");
    return 0;
  }
  // The target, here "1", is everything besides the version that answers depend on.
  const bp_device_t abi = {desc, made, "1", bp_frame_init_device, destroy, get_extension};
  made->abi = abi;
  made->bytes = aligned_alloc(4096, memory_size);
  bp_address_space_init(&made->pieces, first_address, memory_size);
  // {queue
  made->queues = bp_queues_create(host, &made->abi, kinds, 2, start);
  if (made->bytes == 0 || made->queues == 0) {
  // }queue
  // {memory
  (void)host;
  if (made->bytes == 0) {
  // }memory
    destroy(&made->abi);
    fail(diag, BP_NO_MEMORY, "out of host memory");
    return 0;
  }
  return &made->abi;
}

// {memory
BP_DEVICE_FRAME("com.acme.device", "acme", "Acme", "Acme", "0.1.0", create, "bp.memory/1", "bp.compiler/1")
// }memory
// {queue
BP_DEVICE_FRAME("com.acme.device", "acme", "Acme", "Acme", "0.1.0", create, "bp.memory/1", "bp.compiler/1",
                "bp.queue/1", "bp.native-sync/1")
// }queue
