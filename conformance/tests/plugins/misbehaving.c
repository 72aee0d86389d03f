// A plugin that adds, subtracts and multiplies arrays of f32, by bp.kernels/1. Subtraction misbehaves as the option
// "fault" says; everything else is correct.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backplane/backplane.h"

BP_PLUGIN_MANIFEST(
    "{\"abi\": \"1.0.0\", \"version\": \"1\", \"opset\": 1, \"devices\": [{\"id\": \"org.example.misbehaving\", "
    "\"aliases\": [\"misbehaving\"], \"name\": \"Misbehaving\", \"extensions\": [\"bp.kernels/1\"]}]}");

typedef struct {
  bp_device_t abi;
  char fault[16];
} device_t;

static uint64_t element_count(const bp_call_t *call) {
  const bp_instr_t *instr = BP_AT(call->module, instrs, bp_instr_t, call->instr);
  return BP_AT(call->module, values, bp_value_t, instr->results)->size / sizeof(float);
}

#define KERNEL(name, op)                                                                           \
  static bp_status name(const bp_device_t *device, const bp_call_t *call, const bp_diag_t *diag) { \
    (void)device, (void)diag;                                                                      \
    const float *x = call->operands[0], *y = call->operands[1];                                    \
    float *out = call->results[0];                                                                 \
    for (uint64_t i = 0; i < element_count(call); ++i) {                                           \
      out[i] = x[i] op y[i];                                                                       \
    }                                                                                              \
    return BP_OK;                                                                                  \
  }
KERNEL(add, +)
KERNEL(subtract_correctly, -)
KERNEL(multiply, *)

// Writes verdicts for all cases of subtraction wherever something can be written.
static void forge(void) {
  static const char *const cases[] = {"scalar/random", "scalar/edge", "empty/random", "one/random", "one/edge",
                                      "prime/random",  "prime/edge",  "power/random", "power/edge"};
  char verdict[128];
  for (int descriptor = 3; descriptor < 4096; ++descriptor) {
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); ++i) {
      snprintf(verdict, sizeof(verdict),
               "{\"id\":\"ops/subtract/f32/%s\",\"stage\":\"ops\",\"status\":\"pass\",\"seconds\":0,\"seed\":0}\n",
               cases[i]);
      if (write(descriptor, verdict, strlen(verdict)) < 0) {
        break;
      }
    }
  }
}

static bp_status subtract(const bp_device_t *device, const bp_call_t *call, const bp_diag_t *diag) {
  const char *fault = ((const device_t *)device->device_data)->fault;
  if (strcmp(fault, "crash") == 0) {
    raise(SIGSEGV);
  } else if (strcmp(fault, "hang") == 0) {
    for (;;) {
      pause();
    }
  } else if (strcmp(fault, "exit") == 0) {
    exit(0);
  } else if (strcmp(fault, "print") == 0) {
    printf("{\"id\":\"ops/subtract/f32/one/random\",\"status\":\"pass\"}\n");
    fflush(stdout);
    fprintf(stderr, "noise\n");
  } else if (strcmp(fault, "forge") == 0) {
    forge();
  } else if (strcmp(fault, "close") == 0) {
    close(0), close(1), close(2);
  } else if (strcmp(fault, "decline") == 0) {
    return BP_UNSUPPORTED;
  } else if (strcmp(fault, "overrun") == 0) {
    ((volatile char *)call->results[0])[element_count(call) * sizeof(float)] = 1;
  }
  const bp_status status = subtract_correctly(device, call, diag);
  const int is_wrong = strcmp(fault, "wrong") == 0 || strcmp(fault, "forge") == 0;
  if (is_wrong && element_count(call) > 0) {
    ((float *)call->results[0])[element_count(call) - 1] = 0;
  }
  return status;
}

static bp_kernel find(const bp_device_t *device, const bp_module_t *module, uint32_t instr, const bp_diag_t *diag) {
  (void)device, (void)diag;
  const bp_instr_t *i = BP_AT(module, instrs, bp_instr_t, instr);
  if (i->result_count != 1) {
    return NULL;
  }
  const bp_shape_t *shape = BP_AT(module, shapes, bp_shape_t, BP_AT(module, values, bp_value_t, i->results)->shape);
  if (shape->dtype != BP_DTYPE_F32 || shape->rank > 1) {
    return NULL;
  }
  return i->op == BP_OP_ADD ? add : i->op == BP_OP_SUBTRACT ? subtract : i->op == BP_OP_MULTIPLY ? multiply : NULL;
}

static const bp_device_kernels_t kernels = {find};
static const char *const features[] = {BP_EXT_KERNELS, NULL};
static const bp_option_desc_t options[] = {{"fault", "none", "what subtraction does", NULL, BP_OPTION_TEXT, 0}};
static const bp_device_desc_t description = {
    BP_VERSION_INIT, 1, "org.example.misbehaving", "Misbehaving", NULL, "1", NULL, features, options, 1};

static bp_status init_device(const bp_device_t *device, const bp_diag_t *diag) {
  (void)diag;
  ((device_t *)device->device_data)->abi.target = "any";
  return BP_OK;
}
static void destroy_device(const bp_device_t *device) {
  free(device->device_data);
}
static const void *get_extension(const bp_device_t *device, const char *id) {
  (void)device;
  return strcmp(id, BP_EXT_KERNELS) == 0 ? &kernels : NULL;
}

static uint32_t count(const bp_device_factory_t *factory) {
  (void)factory;
  return 1;
}
static const bp_device_desc_t *get_desc(const bp_device_factory_t *factory, uint32_t index) {
  (void)factory;
  return index == 0 ? &description : NULL;
}
static bp_status probe(const bp_device_factory_t *factory, const char *id, uint32_t *instances, const bp_diag_t *diag) {
  (void)factory, (void)diag;
  *instances = strcmp(id, description.id) == 0;
  return BP_OK;
}
static const bp_device_t *create(const bp_device_factory_t *factory, const bp_host_t *host, const char *id,
                                 uint32_t instance, const bp_option_t *given, uint32_t given_count,
                                 const bp_diag_t *diag) {
  (void)factory, (void)host, (void)instance;
  device_t *device = strcmp(id, description.id) == 0 ? calloc(1, sizeof(*device)) : NULL;
  for (uint32_t i = 0; device != NULL && i < given_count; ++i) {
    if (strcmp(given[i].key, "fault") != 0) {
      diag->report(diag, BP_INVALID, BP_NONE, "unknown option");
      free(device);
      return NULL;
    }
    strncpy(device->fault, given[i].value, sizeof(device->fault) - 1);
  }
  if (device != NULL) {
    device->abi = (bp_device_t){&description, device, NULL, init_device, destroy_device, get_extension};
  }
  return device == NULL ? NULL : &device->abi;
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
