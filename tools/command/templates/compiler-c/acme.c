// Acme: a backend that compiles. The artifact is a list of steps, each of which is one instruction with the locations
// of its operands and its result in memory; a program runs by running the steps. Replace the steps by code for your
// hardware.
#include <stdlib.h>
#include <string.h>

#include "backplane/backplane.h"
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
  uint32_t step_count;
  step steps[];
} program;

static char *address(const bp_run_t *run, place at) {
  return (char *)(uintptr_t)run->allocations[at.allocation].offset + at.offset;  // in host memory, see bp_loc
}

static bp_status run_program(const bp_program_t *abi, const bp_run_t *run, const bp_diag_t *diag) {
  const program *self = abi->program_data;
  (void)diag;
  for (uint32_t s = 0; s < self->step_count; ++s) {
    const step *at = &self->steps[s];
    const float *x = (const float *)address(run, at->operands[0]), *y = x;
    float *out = (float *)address(run, at->result);
    if (at->operand_count == 2) {
      y = (const float *)address(run, at->operands[1]);
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

static bp_status refuse(const bp_diag_t *diag, const char *why) {
  diag->report(diag, BP_INVALID, BP_NONE, why);
  return BP_INVALID;
}

static bp_status load(const bp_device_t *device, const void *artifact, uint64_t size, const bp_loc_t *constants,
                      uint8_t *taken, uint32_t allocation_count, const bp_program_t **loaded, const bp_diag_t *diag) {
  const char *bytes = artifact;
  artifact_header header;
  uint64_t checksum;
  (void)device, (void)constants, (void)taken;
  if (size < sizeof header + sizeof checksum) {
    return refuse(diag, "the artifact is too short");
  }
  memcpy(&header, bytes, sizeof header);
  memcpy(&checksum, bytes + size - sizeof checksum, sizeof checksum);
  if (memcmp(header.magic, expected_header.magic, sizeof header.magic) != 0 ||
      header.version != expected_header.version) {
    return refuse(diag, "the artifact is not of this version of the plugin");
  }
  if (size != sizeof header + header.step_count * sizeof(step) + sizeof checksum ||
      checksum != add_to_checksum(checksum_of_nothing(), bytes, size - sizeof checksum)) {
    return refuse(diag, "the artifact is damaged");
  }
  const uint64_t resident_size = sizeof(program) + header.step_count * sizeof(step);
  program *made = malloc(resident_size);
  if (made == 0) {
    diag->report(diag, BP_NO_MEMORY, BP_NONE, "out of host memory");
    return BP_NO_MEMORY;
  }
  const bp_program_t abi = {made, 0, resident_size, 1, 0, run_program, destroy_program};
  made->abi = abi;
  made->step_count = header.step_count;
  memcpy(made->steps, bytes + sizeof header, header.step_count * sizeof(step));
  for (uint32_t s = 0; s < made->step_count; ++s) {
    const step *at = &made->steps[s];
    if (at->result.allocation >= allocation_count || at->operands[0].allocation >= allocation_count ||
        at->operands[1].allocation >= allocation_count) {
      free(made);
      return refuse(diag, "the artifact is of another program");
    }
  }
  *loaded = &made->abi;
  return BP_OK;
}

static const bp_device_compiler_t compiler = {claim, compile, load};

BP_PLUGIN_FRAME("com.acme.device", "acme", "Acme", "Acme", "0.1.0", "bp.compiler/1", compiler)
