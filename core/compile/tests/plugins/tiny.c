// A backend of a few elementwise ops, and control flow, that interprets the module: its artifact is the module itself.
// Built twice, for bp.compiler/1 and (TINY_KERNELS) for bp.kernels/1.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

#include "backplane/backplane.h"
#include "backplane/ext/draft/custom_call.h"

#ifdef TINY_KERNELS
#define TINY_ID "org.example.tiny-kernels"
#define TINY_EXTENSION "bp.kernels/1"
#else
#define TINY_ID "org.example.tiny"
#define TINY_EXTENSION "bp.compiler/1"
#endif

BP_PLUGIN_MANIFEST("{\"abi\": \"1.0.0\", \"version\": \"1\", \"opset\": 1, \"devices\": [{\"id\": \"" TINY_ID
                   "\", \"name\": \"Tiny\", \"extensions\": [\"" TINY_EXTENSION "\"]}]}");

// A piece of memory; all of a device form a list, in which leak checkers find them.
typedef struct piece {
  char *data;
  struct piece *next;
} piece;

typedef struct {
  bp_device_t abi;
  piece *pieces;
  uint8_t claims[256], wrong[256];  // by op
  uint64_t wrong_from;
  uint64_t scratch;
  uint32_t align;
  int no_cost, no_run, is_visible, has_queues, takes_constants;
  const bp_host_t *host;
  bp_space_t space;
  bp_device_memory_t memory;
  char fail[64], fail_claim[64];
  char fault[16], fault_in[16], fault_once[256];
} tiny_device;

typedef struct {
  bp_program_t abi;
  const tiny_device *device;
  bp_module_t *module;
  char **own;  // by allocation: its own copy of a constant, or NULL
} tiny_program;

static void *crash_later(void *unused) {
  usleep(20000);
  raise(SIGSEGV);
  return unused;
}

// Tries to harm the application. Ends the process with the number of the first attempt that succeeds.
static void trespass(void) {
  const pid_t application = getppid();
  char byte = 0;
  struct iovec own = {&byte, 1}, other = {&byte, 1};
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/mem", (int)application);
  if (kill(application, SIGKILL) == 0 || errno != EPERM) {
    _exit(21);
  }
  if (ptrace(PTRACE_ATTACH, application, 0, 0) == 0 || errno != EPERM) {
    _exit(22);
  }
  if (process_vm_readv(application, &own, 1, &other, 1, 0) >= 0 || errno != EPERM) {
    _exit(23);
  }
  if (open(path, O_RDWR) >= 0) {
    _exit(24);
  }
  if (unshare(CLONE_NEWUSER) == 0 || errno != EPERM) {
    _exit(25);
  }
}

// Causes the fault that the "fault" options select for this function. Returns 1 if the function must fail, for faults
// that let it return.
static int misbehaves(const tiny_device *device, const char *where) {
  const char *fault = device->fault;
  if (fault[0] == 0 || strcmp(device->fault_in, where) != 0) {
    return 0;
  }
  if (device->fault_once[0] != 0) {
    int mark = open(device->fault_once, O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (mark < 0) {
      return 0;  // the fault was caused before
    }
    close(mark);
  }
  if (strcmp(fault, "crash") == 0) {
    raise(SIGSEGV);
  } else if (strcmp(fault, "exit") == 0) {
    _exit(7);
  } else if (strcmp(fault, "leave") == 0) {
    exit(0);
  } else if (strcmp(fault, "fork") == 0) {
    if (fork() == 0) {
      for (;;) {
        pause();
      }
    }
    raise(SIGSEGV);
  } else if (strcmp(fault, "hang") == 0) {
    for (;;) {
      pause();
    }
  } else if (strcmp(fault, "garbage") == 0) {
    for (int i = 3; i < 1024; ++i) {
      static const char noise[] = "\xff\xff\xff\xff\xff\xff\xff\xff this is not for you";
      if (write(i, noise, sizeof noise) < 0) {
        continue;
      }
    }
  } else if (strcmp(fault, "trespass") == 0) {
    trespass();
    return 0;
  } else if (strcmp(fault, "later") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, crash_later, NULL);
    pthread_detach(thread);
  }
  return 1;
}

static const struct {
  const char *name;
  uint16_t op;
} names[] = {{"add", BP_OP_ADD},           {"subtract", BP_OP_SUBTRACT},
             {"multiply", BP_OP_MULTIPLY}, {"maximum", BP_OP_MAXIMUM},
             {"negate", BP_OP_NEGATE},     {"copy", BP_OP_COPY},
             {"compare", BP_OP_COMPARE},   {"while", BP_OP_WHILE},
             {"call", BP_OP_CALL},         {"conditional", BP_OP_CONDITIONAL}};

static const bp_instr_t *instr_at(const bp_module_t *m, uint32_t i) {
  return BP_AT(m, instrs, bp_instr_t, i);
}
static const bp_value_t *value_at(const bp_module_t *m, uint32_t v) {
  return BP_AT(m, values, bp_value_t, v);
}
static uint32_t id_at(const bp_module_t *m, uint32_t i) {
  return *BP_AT(m, operands, uint32_t, i);
}
static const bp_shape_t *shape_of(const bp_module_t *m, uint32_t v) {
  return BP_AT(m, shapes, bp_shape_t, value_at(m, v)->shape);
}

// --- supported ops ---

static const char *reason_against(const tiny_device *device, const bp_module_t *m, const bp_instr_t *instr) {
  if (instr->op > 255 || !device->claims[instr->op]) {
    return "the op is not in the option ops";
  }
  if (instr->op == BP_OP_WHILE || instr->op == BP_OP_CALL || instr->op == BP_OP_CONDITIONAL ||
      instr->op == BP_OP_COPY) {
    return NULL;
  }
  uint16_t dtype = shape_of(m, id_at(m, instr->operands))->dtype;
  return dtype == BP_DTYPE_F32 || dtype == BP_DTYPE_S32 ? NULL : "only f32 and s32";
}

static int64_t compare_direction(const bp_module_t *m, const bp_instr_t *instr) {
  for (uint32_t a = instr->attrs; a < instr->attrs + instr->attr_count; ++a) {
    const bp_attr_t *attr = BP_AT(m, attrs, bp_attr_t, a);
    if (attr->key == BP_ATTR_DIRECTION) {
      return *BP_AT(m, i64s, int64_t, attr->data);
    }
  }
  return -1;
}

#define EACH(type, formula)                                               \
  for (uint64_t i = 0; i < bytes / sizeof(type); ++i) {                   \
    type x = ((const type *)in[0])[i], y = ((const type *)in[binary])[i]; \
    (void)y;                                                              \
    ((type *)out)[i] = (formula);                                         \
  }                                                                       \
  break
#define EACH_OF_BOTH(formula)  \
  if (dtype == BP_DTYPE_F32) { \
    EACH(float, formula);      \
  } else {                     \
    EACH(int32_t, formula);    \
  }

static void compute(const bp_module_t *m, const bp_instr_t *instr, const void *const *in, void *out) {
  uint16_t dtype = shape_of(m, id_at(m, instr->operands))->dtype;
  uint64_t bytes = value_at(m, id_at(m, instr->operands))->size;
  uint32_t binary = instr->operand_count - 1;
  switch (instr->op) {
    case BP_OP_ADD: EACH_OF_BOTH(x + y);
    case BP_OP_SUBTRACT: EACH_OF_BOTH(x - y);
    case BP_OP_MULTIPLY: EACH_OF_BOTH(x * y);
    case BP_OP_MAXIMUM:
      if (dtype == BP_DTYPE_F32) {
        EACH(float, x > y || isnan(x) || (x == y && signbit(y)) ? x : y);
      } else {
        EACH(int32_t, x > y ? x : y);
      }
    case BP_OP_NEGATE: EACH_OF_BOTH(-x);
    case BP_OP_COPY: memmove(out, in[0], bytes); break;
    case BP_OP_COMPARE:
      for (uint64_t i = 0; i < bytes / 4; ++i) {
        double x = dtype == BP_DTYPE_F32 ? ((const float *)in[0])[i] : ((const int32_t *)in[0])[i];
        double y = dtype == BP_DTYPE_F32 ? ((const float *)in[1])[i] : ((const int32_t *)in[1])[i];
        int results[] = {x == y, x != y, x >= y, x > y, x <= y, x < y};
        ((uint8_t *)out)[i] = (uint8_t)results[compare_direction(m, instr)];
      }
      break;
    default: break;
  }
}

#ifdef TINY_KERNELS

static bp_status kernel(const bp_device_t *device, const bp_call_t *call, const bp_diag_t *diag) {
  (void)diag;
  misbehaves(device->device_data, "run");
  compute(call->module, instr_at(call->module, call->instr), call->operands, call->results[0]);
  return BP_OK;
}

static bp_kernel find(const bp_device_t *device, const bp_module_t *m, uint32_t i, const bp_diag_t *diag) {
  misbehaves(device->device_data, "claim");
  const char *reason = instr_at(m, i)->call_count != 0 ? "no kernels for control flow"
                                                       : reason_against(device->device_data, m, instr_at(m, i));
  if (reason != NULL) {
    diag->report(diag, BP_UNSUPPORTED, i, reason);
    return NULL;
  }
  return kernel;
}

static const bp_device_kernels_t extension = {find};

#else

static const char *string_at(const bp_module_t *m, uint32_t offset) {
  return BP_AT(m, strings, char, offset);
}
// Handles of its memory are addresses that are invalid for others.
#define HANDLE_KEY 0x5a00000000000000u
static char *at(bp_loc_t place) {
  return (char *)(uintptr_t)((place.memory == 0 ? 0 : place.memory ^ HANDLE_KEY) + place.offset);
}
static char *address(const tiny_program *program, const bp_run_t *run, uint32_t v) {
  const bp_value_t *value = value_at(program->module, v);
  char *own = program->own[value->allocation];
  return (own != NULL ? own : at(run->allocations[value->allocation])) + value->offset;
}

static bp_status run_computation(const tiny_program *program, const bp_run_t *run, const bp_diag_t *diag, uint32_t c) {
  const bp_module_t *m = program->module;
  const bp_computation_t *computation = BP_AT(m, computations, bp_computation_t, c);
  for (uint32_t i = computation->instrs; i < computation->instrs + computation->instr_count; ++i) {
    const bp_instr_t *instr = instr_at(m, i);
    bp_status status = BP_OK;
    if (strcmp(string_at(m, instr->name), program->device->fail) == 0) {
      diag->report(diag, BP_INTERNAL, i, "told to fail");
      return BP_INTERNAL;
    }
    switch (instr->op) {
      case BP_OP_PARAMETER:
      case BP_OP_CONSTANT:
      case BP_OP_BITCAST: break;
      case BP_OP_WHILE:
        for (;;) {
          uint32_t condition = id_at(m, instr->calls);
          status = run_computation(program, run, diag, condition);
          uint32_t root = id_at(m, BP_AT(m, computations, bp_computation_t, condition)->roots);
          if (status != BP_OK || !*address(program, run, root)) {
            break;
          }
          status = run_computation(program, run, diag, id_at(m, instr->calls + 1));
          if (status != BP_OK) {
            break;
          }
        }
        break;
      case BP_OP_CALL: status = run_computation(program, run, diag, id_at(m, instr->calls)); break;
      case BP_OP_CONDITIONAL: {
        uint32_t selector = id_at(m, instr->operands);
        uint32_t branch;
        if (shape_of(m, selector)->dtype == BP_DTYPE_PRED) {
          branch = *address(program, run, selector) ? 0 : 1;
        } else {
          uint32_t wanted = *(uint32_t *)address(program, run, selector);
          branch = wanted < instr->call_count ? wanted : instr->call_count - 1;
        }
        status = run_computation(program, run, diag, id_at(m, instr->calls + branch));
        break;
      }
      default: {
        const void *in[2] = {0};
        for (uint32_t o = 0; o < instr->operand_count && o < 2; ++o) {
          in[o] = address(program, run, id_at(m, instr->operands + o));
        }
        char *out = address(program, run, instr->results);
        compute(m, instr, in, out);
        if (program->device->wrong[instr->op & 255] && m->instrs.count >= program->device->wrong_from) {
          out[value_at(m, instr->results)->size - 1] ^= (char)0x80;
        }
      }
    }
    if (status != BP_OK) {
      return status;
    }
  }
  return BP_OK;
}

static bp_status run_program(const bp_program_t *abi, const bp_run_t *run, const bp_diag_t *diag) {
  const tiny_program *program = abi->program_data;
  misbehaves(program->device, "run");
  for (uint32_t i = 0; i < program->module->allocations.count; ++i) {
    if (program->own[i] != NULL && (run->allocations[i].memory != 0 || run->allocations[i].offset != 0)) {
      diag->report(diag, BP_INVALID, BP_NONE, "a constant that was taken lies somewhere, expected {0, 0}");
      return BP_INVALID;
    }
  }
  if (abi->scratch_size != 0) {
    memset(at(run->scratch), 0x55, abi->scratch_size);
  }
  return run_computation(program, run, diag, program->module->entry);
}

static void destroy_program(const bp_program_t *abi) {
  tiny_program *program = abi->program_data;
  misbehaves(program->device, "program-destroy");
  for (uint32_t i = 0; i < program->module->allocations.count; ++i) {
    free(program->own[i]);
  }
  free(program->own);
  free(program->module);
  free(program);
}

static bp_status claim(const bp_device_t *device, const bp_module_t *m, float *cost_ns, const bp_diag_t *diag) {
  const tiny_device *self = device->device_data;
  misbehaves(self, "claim");
  for (uint32_t i = 0; i < m->instrs.count - (self->no_cost ? 1 : 0); ++i) {
    const char *reason = reason_against(self, m, instr_at(m, i));
    if (self->fail_claim[0] != '\0' && strcmp(string_at(m, instr_at(m, i)->name), self->fail_claim) == 0) {
      diag->report(diag, BP_INTERNAL, i, "told to fail");
      return BP_INTERNAL;
    }
    cost_ns[i] = reason == NULL ? 10 : -1;
    if (reason != NULL) {
      diag->report(diag, BP_UNSUPPORTED, i, reason);
    }
  }
  return BP_OK;
}

static bp_status compile(const bp_device_t *device, const bp_module_t *m, const bp_ostream_t *artifact,
                         const bp_diag_t *diag) {
  const tiny_device *self = device->device_data;
  if (misbehaves(self, "compile") && strcmp(self->fault, "never") == 0) {
    diag->report(diag, BP_INVALID, BP_NONE, "it never compiles");
    return BP_INVALID;
  }
  return artifact->write(artifact, m, m->size);
}

// Copies the constants; returns the number of bytes copied.
static uint64_t take_constants(tiny_program *program, const bp_loc_t *constants, uint8_t *taken) {
  const bp_module_t *m = program->module;
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < m->allocations.count; ++i) {
    const bp_allocation_t *allocation = BP_AT(m, allocations, bp_allocation_t, i);
    if (allocation->kind == BP_ALLOC_CONSTANT && allocation->size != 0) {
      program->own[i] = malloc(allocation->size);
      memcpy(program->own[i], at(constants[i]), allocation->size);
      taken[i] = 1;
      bytes += allocation->size;
    }
  }
  return bytes;
}

static bp_status load(const bp_device_t *device, const void *artifact, uint64_t size, const bp_loc_t *constants,
                      uint8_t *taken, uint32_t allocation_count, const bp_program_t **out, const bp_diag_t *diag) {
  (void)allocation_count;
  if (size < sizeof(bp_module_t) || memcmp(artifact, "BPMODULE", 8) != 0) {
    diag->report(diag, BP_INVALID, BP_NONE, "not an artifact of mine");
    return BP_INVALID;
  }
  const tiny_device *self = device->device_data;
  if (misbehaves(self, "load") && strcmp(self->fault, "never") == 0) {
    diag->report(diag, BP_INVALID, BP_NONE, "it never loads");
    return BP_INVALID;
  }
  tiny_program *program = calloc(1, sizeof *program);
  program->module = aligned_alloc(64, (size + 63) / 64 * 64);
  memcpy(program->module, artifact, size);
  program->device = self;
  program->own = calloc(program->module->allocations.count + 1, sizeof *program->own);
  const uint64_t resident = size + (self->takes_constants ? take_constants(program, constants, taken) : 0);
  program->abi = (bp_program_t){
      program, self->scratch, resident, self->align, 0, self->no_run ? NULL : run_program, destroy_program};
  *out = &program->abi;
  return BP_OK;
}

static const bp_device_compiler_t extension = {claim, compile, load};

#endif

// --- the device and its factory ---

static const bp_option_desc_t options[] = {
    {"ops", NULL, "the ops it claims, separated by commas", NULL, BP_OPTION_TEXT, 0},
    {"wrong", NULL, "ops whose last element gets the other sign", NULL, BP_OPTION_TEXT, 0},
    {"wrong-from", "0", "minimum number of instructions of programs whose results are wrong", NULL, BP_OPTION_INTEGER,
     0},
    {"scratch", "0", "bytes asked for per run, all written", NULL, BP_OPTION_INTEGER, 0},
    {"align", "64", "of the scratch", NULL, BP_OPTION_INTEGER, 0},
    {"capacity", "0", "bytes of the one space of bp.memory/1, where no piece may be larger; 0: no such extension", NULL,
     BP_OPTION_INTEGER, 0},
    {"visible", "0", "the host can address that memory", NULL, BP_OPTION_SWITCH, 0},
    {"queues", "0", "it has bp.queue/1: a queue for copies and one for runs", NULL, BP_OPTION_SWITCH, 0},
    {"take-constants", "0", "its programs have their own copies of constants", NULL, BP_OPTION_SWITCH, 0},
    {"no-cost", "0", "says nothing about the last instruction, against BP-CLAIM-04", NULL, BP_OPTION_TEXT, 0},
    {"no-run", "0", "its programs have no run()", NULL, BP_OPTION_TEXT, 0},
    {"fail", NULL, "run() fails at this instruction's name", NULL, BP_OPTION_TEXT, 0},
    {"fail-claim", NULL, "claim() fails at this instruction's name", NULL, BP_OPTION_TEXT, 0},
    {"fault", NULL,
     "crash, fork (a crash that leaves a child), exit, leave (by exit code 0), hang, garbage, trespass (by system "
     "calls), later (a "
     "crash after submit), never (a submit that is not signalled, a compile or load that fails)",
     NULL, BP_OPTION_TEXT, 0},
    {"fault-in", NULL, "where: init, claim, compile, load, alloc, copy, submit, run, release, program-destroy, destroy",
     NULL, BP_OPTION_TEXT, 0},
    {"fault-once", NULL, "only if this file is not there; it is made", NULL, BP_OPTION_TEXT, 0},
};
static const char *const features[] = {TINY_EXTENSION, NULL};
static const bp_device_desc_t description = {
    BP_VERSION_INIT, 1, TINY_ID, "Tiny", NULL, "1", NULL, features, options, sizeof options / sizeof options[0]};

static bp_status init_device(const bp_device_t *device, const bp_diag_t *diag) {
  (void)diag;
  misbehaves(device->device_data, "init");
  ((tiny_device *)device->device_data)->abi.target = "tiny";
  return BP_OK;
}
static void destroy_device(const bp_device_t *device) {
  misbehaves(device->device_data, "destroy");
  free(device->device_data);
}

#ifndef TINY_KERNELS

static pthread_mutex_t pieces_mutex = PTHREAD_MUTEX_INITIALIZER;

static bp_status alloc(const bp_device_t *device, uint32_t space, uint64_t size, uint32_t alignment, bp_memory_t *out,
                       const bp_diag_t *diag) {
  tiny_device *self = device->device_data;
  (void)space;
  misbehaves(self, "alloc");
  if (size > self->space.capacity) {
    diag->report(diag, BP_NO_MEMORY, BP_NONE, "there is not enough");
    return BP_NO_MEMORY;
  }
  char *data = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  piece *added = malloc(sizeof *added);
  pthread_mutex_lock(&pieces_mutex);
  *added = (piece){data, self->pieces};
  self->pieces = added;
  pthread_mutex_unlock(&pieces_mutex);
  *out = (bp_memory_t){(uint64_t)(uintptr_t)data ^ HANDLE_KEY, self->is_visible ? data : NULL, 0};
  return BP_OK;
}
static void release(const bp_device_t *device, uint64_t memory) {
  tiny_device *self = device->device_data;
  misbehaves(self, "release");
  pthread_mutex_lock(&pieces_mutex);
  piece **place = &self->pieces;
  while (*place != NULL && (*place)->data != at((bp_loc_t){memory, 0})) {
    place = &(*place)->next;
  }
  piece *found = *place;
  if (found != NULL) {
    *place = found->next;
  }
  pthread_mutex_unlock(&pieces_mutex);
  if (found != NULL) {
    free(found->data);
    free(found);
  }
}
static bp_status copy(const bp_device_t *device, bp_loc_t to, bp_loc_t from, uint64_t size, const bp_diag_t *diag) {
  (void)diag;
  misbehaves(device->device_data, "copy");
  memcpy(at(to), at(from), size);
  return BP_OK;
}

// Takes commands of one kind per queue; all are done when submit() returns.
static bp_status submit(const bp_device_t *device, uint32_t queue, const bp_command_t *commands, uint32_t command_count,
                        bp_point_t done, const bp_diag_t *diag) {
  tiny_device *self = device->device_data;
  bp_status status = BP_OK;
  if (misbehaves(self, "submit")) {
    return BP_OK;
  }
  for (uint32_t i = 0; i < command_count && status == BP_OK; ++i) {
    if (commands[i].kind != (queue == 0 ? BP_COMMAND_COPY : BP_COMMAND_RUN)) {
      diag->report(diag, BP_INVALID, BP_NONE, "a command of another queue");
      return BP_INVALID;
    }
    status = queue == 0 ? copy(device, commands[i].to, commands[i].from, commands[i].size, diag)
                        : run_program(commands[i].program, commands[i].run, diag);
  }
  self->host->signal(self->host, done, status, BP_NONE, status == BP_OK ? NULL : "a command failed");
  return BP_OK;
}

// tiny.twice: f32, on host memory.
static bp_status twice(const bp_device_t *device, const bp_call_t *call, const bp_diag_t *diag) {
  const bp_module_t *m = call->module;
  const uint32_t result = instr_at(m, call->instr)->results;
  (void)device;
  if (shape_of(m, result)->dtype != BP_DTYPE_F32) {
    diag->report(diag, BP_INVALID, call->instr, "tiny.twice takes f32");
    return BP_INVALID;
  }
  for (uint64_t i = 0; i < value_at(m, result)->size / sizeof(float); ++i) {
    ((float *)call->results[0])[i] = 2 * ((const float *)call->operands[0])[i];
  }
  return BP_OK;
}
static const bp_routine_t routines[] = {{"tiny.twice", twice}};
static const bp_device_custom_call_t custom_call_extension = {routines, 1};

static const uint32_t queues[] = {1u << BP_COMMAND_COPY, 1u << BP_COMMAND_RUN};
static const bp_device_queue_t queue_extension = {queues, 2, submit};

#endif

static const void *get_extension(const bp_device_t *device, const char *id) {
  tiny_device *self = device->device_data;
#ifndef TINY_KERNELS
  if (strcmp(id, BP_EXT_MEMORY) == 0 && self->space.capacity != 0) {
    return &self->memory;
  }
  if (strcmp(id, BP_EXT_QUEUE) == 0 && self->has_queues) {
    return &queue_extension;
  }
  if (strcmp(id, BP_EXT_CUSTOM_CALL) == 0) {
    return &custom_call_extension;
  }
#endif
  (void)self;
  return strcmp(id, TINY_EXTENSION) == 0 ? &extension : NULL;
}

static uint32_t count(const bp_device_factory_t *factory) {
  (void)factory;
  return 1;
}
static const bp_device_desc_t *get_desc(const bp_device_factory_t *factory, uint32_t index) {
  (void)factory, (void)index;
  return &description;
}
static bp_status probe(const bp_device_factory_t *factory, const char *id, uint32_t *instances, const bp_diag_t *diag) {
  (void)factory, (void)id, (void)diag;
  *instances = 1;
  return BP_OK;
}

static void set_ops(uint8_t *flags, const char *list) {
  while (*list != 0) {
    size_t length = strcspn(list, ",");
    for (size_t n = 0; n < sizeof names / sizeof names[0]; ++n) {
      if (strlen(names[n].name) == length && strncmp(names[n].name, list, length) == 0) {
        flags[names[n].op] = 1;
      }
    }
    list += length + (list[length] == ',');
  }
}

static const bp_device_t *create(const bp_device_factory_t *factory, const bp_host_t *host, const char *id,
                                 uint32_t instance, const bp_option_t *options, uint32_t option_count,
                                 const bp_diag_t *diag) {
  (void)factory, (void)id, (void)instance;
  tiny_device *device = calloc(1, sizeof *device);
  device->host = host;
  device->align = 64;
  for (uint32_t i = 0; i < option_count; ++i) {
    const char *key = options[i].key, *value = options[i].value;
    if (strcmp(key, "ops") == 0) {
      set_ops(device->claims, value);
    } else if (strcmp(key, "wrong") == 0) {
      set_ops(device->wrong, value);
    } else if (strcmp(key, "wrong-from") == 0) {
      device->wrong_from = strtoull(value, NULL, 10);
    } else if (strcmp(key, "scratch") == 0) {
      device->scratch = strtoull(value, NULL, 10);
    } else if (strcmp(key, "capacity") == 0) {
      device->space = (bp_space_t){"tiny", strtoull(value, NULL, 10), 64, 0, 0, 0};
#ifndef TINY_KERNELS
      device->memory = (bp_device_memory_t){&device->space, 1, alloc, release, copy};
    } else if (strcmp(key, "visible") == 0) {
      device->is_visible = value[0] == '1';
    } else if (strcmp(key, "queues") == 0) {
      device->has_queues = value[0] == '1';
#endif
    } else if (strcmp(key, "align") == 0) {
      device->align = (uint32_t)strtoul(value, NULL, 10);
    } else if (strcmp(key, "take-constants") == 0) {
      device->takes_constants = value[0] == '1';
    } else if (strcmp(key, "no-cost") == 0) {
      device->no_cost = 1;
    } else if (strcmp(key, "no-run") == 0) {
      device->no_run = 1;
    } else if (strcmp(key, "fail") == 0) {
      strncpy(device->fail, value, sizeof device->fail - 1);
    } else if (strcmp(key, "fail-claim") == 0) {
      strncpy(device->fail_claim, value, sizeof device->fail_claim - 1);
    } else if (strcmp(key, "fault") == 0) {
      strncpy(device->fault, value, sizeof device->fault - 1);
    } else if (strcmp(key, "fault-in") == 0) {
      strncpy(device->fault_in, value, sizeof device->fault_in - 1);
    } else if (strcmp(key, "fault-once") == 0) {
      strncpy(device->fault_once, value, sizeof device->fault_once - 1);
    } else {
      diag->report(diag, BP_INVALID, BP_NONE, "unknown option");
      free(device);
      return NULL;
    }
  }
  device->space.flags = device->is_visible ? BP_SPACE_HOST_VISIBLE : 0;
  device->abi = (bp_device_t){&description, device, NULL, init_device, destroy_device, get_extension};
  return &device->abi;
}

static const bp_device_factory_t factory = {count, get_desc, probe, create};

static bp_status init(const char *path, const bp_diag_t *diag) {
  (void)path, (void)diag;
  return BP_OK;
}
static void deinit(void) {}
static const void *get_factory(const char *id) {
  return strcmp(id, BP_DEVICE_FACTORY) == 0 ? &factory : NULL;
}

const bp_plugin_entry_t bp_entry = {BP_VERSION_INIT, init, deinit, get_factory};
