// A small plugin with one fault, chosen by BP_FAULT_...; without one it is correct, and so it is with memory spaces of
// all kinds (BP_FAULT_MEMORY_SPACES) and with a report of the suite (BP_FAULT_WITH_REPORT). Built once for each fault
// (meson.build); core/host/tests/plugin_test.cc checks the result of each.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backplane/backplane.h"

// The values in the manifest.
#ifdef BP_FAULT_OTHER_ABI
#define MANIFEST_ABI "2.0.0"
#else
#define MANIFEST_ABI "1.0.0"
#endif
#ifdef BP_FAULT_OTHER_ID
#define MANIFEST_ID "org.example.other"
#else
#define MANIFEST_ID "org.example.test"
#endif
#if defined(BP_FAULT_OTHER_EXTENSION)
#define MANIFEST_EXTENSIONS "\"bp.queue/1\""
#elif defined(BP_FAULT_PROMISED_EXTENSION) || defined(BP_FAULT_MEMORY_SPACES)
#define MANIFEST_EXTENSIONS "\"bp.memory/1\", \"bp.kernels/1\""
#else
#define MANIFEST_EXTENSIONS "\"bp.kernels/1\""
#endif
#ifdef BP_FAULT_CPU_FEATURE
#define MANIFEST_CPU_FEATURES "\"teleportation\""
#else
#define MANIFEST_CPU_FEATURES ""
#endif

#ifdef BP_FAULT_WITH_REPORT
#define MANIFEST_CONFORMANCE             \
  "{\"report\": \"with_report.jsonl\", " \
  "\"sha256\": "                         \
  "\"00000000000000000000000000000000"   \
  "00000000000000000000000000000000\"}"
#else
#define MANIFEST_CONFORMANCE "\"none\""
#endif

#ifdef BP_FAULT_MANIFEST_NOT_JSON
BP_PLUGIN_MANIFEST("{\"abi\": 1.0.0}");
#elif !defined(BP_FAULT_NO_MANIFEST)
BP_PLUGIN_MANIFEST("{\"abi\": \"" MANIFEST_ABI
                   "\", \"version\": \"1.2.3\", \"opset\": 1, \"conformance\": " MANIFEST_CONFORMANCE
                   ", "
                   "\"cpu_features\": [" MANIFEST_CPU_FEATURES
                   "], "
                   "\"devices\": [{\"id\": \"" MANIFEST_ID
                   "\", \"aliases\": [\"testing\"], "
                   "\"name\": \"Test device\", \"extensions\": [" MANIFEST_EXTENSIONS "]}]}");
#endif

#ifdef BP_FAULT_EXTRA_EXPORTS
BP_EXPORT int first_extra = 1, second_extra = 2;
#endif
#ifdef BP_FAULT_UNIQUE_SYMBOL
__asm__(".data\n.globl only_one\n.type only_one, @gnu_unique_object\n.size only_one, 4\nonly_one: .long 0\n.text");
#endif
#ifdef BP_FAULT_TEXT_RELOCATION
__asm__(".text\n.quad bp_entry");
#endif
#ifdef BP_FAULT_IMPORTS_CORE
extern int core_function(void) __asm__("_ZN2bp4core8functionEv");
int (*const imported)(void) = core_function;
#endif
#ifdef BP_FAULT_UNRESOLVED
extern int function_that_is_nowhere(void);
int (*const imported)(void) = function_that_is_nowhere;
#endif

#ifdef BP_FAULT_STATIC_CONSTRUCTORS
static volatile int constructed = 0;  // volatile: otherwise clang runs the constructors at compile time
__attribute__((constructor)) static void first_constructor(void) {
  constructed += 1;
}
__attribute__((constructor)) static void second_constructor(void) {
  constructed += 1;
}
#endif
// Names that code built with a sanitizer imports from its runtime.
#ifdef BP_FAULT_SANITIZERS
extern int address_runtime(void) __asm__("__asan_init"), memory_runtime(void) __asm__("__msan_init");
extern int thread_runtime(void) __asm__("__tsan_init");
extern int undefined_runtime(void) __asm__("__ubsan_handle_add_overflow");
int (*const runtimes[])(void) = {address_runtime, memory_runtime, thread_runtime, undefined_runtime};
#endif

static int initialized = 0, live_devices = 0;

#ifdef BP_FAULT_NULL_FUNCTION
static const bp_device_kernels_t kernels = {NULL};
#else
static bp_kernel find(const bp_device_t *device, const bp_module_t *module, uint32_t instr, const bp_diag_t *diag) {
  (void)device, (void)module, (void)instr, (void)diag;
  return NULL;
}
static const bp_device_kernels_t kernels = {find};
#endif

#ifdef BP_FAULT_MEMORY_SPACES
static bp_status alloc(const bp_device_t *device, uint32_t space, uint64_t size, uint32_t alignment, bp_memory_t *out,
                       const bp_diag_t *diag) {
  (void)device, (void)space, (void)size, (void)alignment, (void)out, (void)diag;
  return BP_NO_MEMORY;
}
static void release(const bp_device_t *device, uint64_t memory) {
  (void)device, (void)memory;
}
static bp_status copy(const bp_device_t *device, bp_loc_t to, bp_loc_t from, uint64_t size, const bp_diag_t *diag) {
  (void)device, (void)to, (void)from, (void)size, (void)diag;
  return BP_INVALID;
}
static const bp_space_t spaces[] = {
    {"shared", 2000000, 64, BP_SPACE_HOST_VISIBLE | BP_SPACE_PEER_VISIBLE, 0, 0},
    {"own", 2000000, 64, 0, 1, 8},
    {"pad", 1000, 64, BP_SPACE_PER_RUN, 2, 0},
};
static const bp_device_memory_t memory = {spaces, 3, alloc, release, copy};
#endif

static const char *const features[] = {BP_EXT_KERNELS,
#if defined(BP_FAULT_PROMISED_EXTENSION) || defined(BP_FAULT_MEMORY_SPACES)
                                       BP_EXT_MEMORY,
#endif
                                       NULL};
static const char *const speeds[] = {"high", "low", NULL};
static const bp_option_desc_t known_options[] = {
    {"speed", "high", "of the wheel", speeds, BP_OPTION_TEXT, 0},
    {"count", "1", "of wheels", NULL, BP_OPTION_INTEGER, 0},
    {"weight", "0.5", "of a wheel", NULL, BP_OPTION_REAL, 0},
    {"dim", "0", "as at night", NULL, BP_OPTION_SWITCH, 0},
#ifdef BP_FAULT_OPTION
    {"", NULL, NULL, NULL, 7, 0},
#endif
};
static const bp_device_desc_t description = {
    BP_VERSION_INIT, 1,    "org.example.test", "Test device", NULL,
    "1.2.3",         NULL, features,           known_options, sizeof known_options / sizeof known_options[0]};

// State that the device needs until destroy().
typedef struct test_device {
  bp_device_t abi;
  const bp_host_t *host;
} test_device;

static void count_index(void *ctx, uint32_t index, uint32_t worker) {
  (void)worker;
  ((unsigned char *)ctx)[index] += 1;
}

// Uses every service that is offered, so that a test can check that it works.
static bp_status init_device(const bp_device_t *device, const bp_diag_t *diag) {
  const bp_host_t *host = ((const test_device *)device->device_data)->host;
#ifdef BP_FAULT_DEVICE_INIT
  diag->report(diag, BP_DEVICE_LOST, BP_NONE, "the card does not answer");
  diag->report(diag, BP_DEVICE_LOST, BP_NONE, "is the power on?");
  return BP_DEVICE_LOST;
#endif
  const bp_host_log_t *log = host->get_extension(host, BP_EXT_LOG);
  const bp_host_threads_t *threads = host->get_extension(host, BP_EXT_THREAD_POOL);
  if (threads != NULL) {
    unsigned char counts[100] = {0};
    threads->parallel(host, 100, count_index, counts);
    for (int i = 0; i < 100; ++i) {
      if (counts[i] != 1) {
        diag->report(diag, BP_INTERNAL, BP_NONE, "the thread pool lost an index");
        return BP_INTERNAL;
      }
    }
  }
  if (log != NULL) {
    char text[32];
    snprintf(text, sizeof text, "threads: %u", threads != NULL ? (unsigned)threads->count(host) : 0);
    log->log(host, BP_LOG_INFO, text);
  }
  ((test_device *)device->device_data)->abi.target = "test";
  return BP_OK;
}
static void destroy_device(const bp_device_t *device) {
  live_devices -= 1;
  free(device->device_data);
}
static const void *get_extension(const bp_device_t *device, const char *id) {
  (void)device;
#ifdef BP_FAULT_ANSWERS_TO_ALL
  return id != NULL ? &kernels : NULL;
#endif
#ifdef BP_FAULT_MEMORY_SPACES
  if (strcmp(id, BP_EXT_MEMORY) == 0) {
    return &memory;
  }
#endif
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
  (void)factory, (void)id, (void)diag;
  *instances = 3;
  return BP_OK;
}
static const bp_device_t *create(const bp_device_factory_t *factory, const bp_host_t *host, const char *id,
                                 uint32_t instance, const bp_option_t *options, uint32_t option_count,
                                 const bp_diag_t *diag) {
  (void)factory, (void)id, (void)instance;
  if (option_count != 0 && strcmp(options[0].key, "speed") != 0) {
    diag->report(diag, BP_INVALID, BP_NONE, "unknown option, expected: speed");
    return NULL;
  }
  test_device *device = calloc(1, sizeof(*device));
  if (device == NULL) {
    return NULL;
  }
  live_devices += 1;
  device->abi = (bp_device_t){&description, device, NULL, init_device, destroy_device, get_extension};
  device->host = host;
  return &device->abi;
}
static const bp_device_factory_t factory = {count, get_desc, probe, create};

static bp_status init(const char *plugin_path, const bp_diag_t *diag) {
  if (plugin_path == NULL || diag == NULL) {
    return BP_INVALID;
  }
#ifdef BP_FAULT_INIT
  diag->report(diag, BP_INTERNAL, BP_NONE, "the licence\nhas expired");
  return 77;  // an unknown status
#endif
  initialized += 1;
  return BP_OK;
}
// The order of deinitialization is part of the contract: a violation is detected.
static void deinit(void) {
  initialized -= 1;
  if (initialized < 0 || (initialized == 0 && live_devices != 0)) {
    abort();
  }
}
static const void *get_factory(const char *id) {
#ifdef BP_FAULT_NO_FACTORY
  return id == NULL ? &factory : NULL;
#endif
  return strcmp(id, BP_DEVICE_FACTORY) == 0 ? &factory : NULL;
}

#ifdef BP_FAULT_NO_ENTRY
#define bp_entry hidden_entry
extern const bp_plugin_entry_t hidden_entry;
#endif
#ifdef BP_FAULT_OTHER_ABI_IN_CODE
#define CODE_ABI {1, 3, 0}
#else
#define CODE_ABI BP_VERSION_INIT
#endif
const bp_plugin_entry_t bp_entry = {CODE_ABI, init, deinit, get_factory};
