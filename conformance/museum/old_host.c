// A host that knows the headers of its time and nothing later. It is compiled once for a folder of the museum and never
// again, so that a test can run today's plugins under it:
//
//     cc -O1 -s -I plugin_api/include conformance/museum/old_host.c -o conformance/museum/1.0.0/host
//
//     host PLUGIN.so IMAGE NUMBER...
//
// Compiles the final module in the file IMAGE, which has no constants, and runs it with inputs of s32 that hold the
// numbers, one after the other. Prints the numbers of its outputs. It offers the plugin no services.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backplane/backplane.h"

static void fail(const char *what) {
  fprintf(stderr, "host: %s\n", what);
  exit(1);
}

static void report(const bp_diag_t *diag, bp_status status, uint32_t instr, const char *msg) {
  (void)diag;
  fprintf(stderr, "host: status %d, instruction %u: %s\n", status, instr, msg);
}
static const bp_diag_t diag = {NULL, report};

static void check(bp_status status, const char *call) {
  if (status != BP_OK) {
    fail(call);
  }
}

static const void *no_service(const bp_host_t *host, const char *id) {
  (void)host, (void)id;
  return NULL;
}
static const void *no_table(const bp_run_t *run, const char *id) {
  (void)run, (void)id;
  return NULL;
}
static void no_signal(const bp_host_t *host, bp_point_t point, bp_status status, uint32_t instr, const char *msg) {
  (void)host, (void)point, (void)status, (void)instr, (void)msg;
}

// The artifact, as compile() writes it.
static unsigned char *artifact;
static uint64_t artifact_size;
static bp_status append(const bp_ostream_t *stream, const void *bytes, uint64_t size) {
  (void)stream;
  artifact = realloc(artifact, artifact_size + size + 1);
  memcpy(artifact + artifact_size, bytes, size);
  artifact_size += size;
  return BP_OK;
}

static const bp_module_t *read_image(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    fail("cannot read the image");
  }
  fseek(file, 0, SEEK_END);
  const long size = ftell(file);
  rewind(file);
  void *image = aligned_alloc(64, ((size_t)size + 63) / 64 * 64);
  if (image == NULL || fread(image, 1, (size_t)size, file) != (size_t)size) {
    fail("cannot read the image");
  }
  fclose(file);
  return image;
}

// The device's memory, or null if it works in the host's.
static const bp_device_memory_t *memory;

static bp_loc_t allocate(const bp_device_t *device, uint64_t size) {
  bp_loc_t place = {0, 0};
  if (size == 0) {
    return place;
  }
  if (memory == NULL) {
    place.offset = (uint64_t)(uintptr_t)aligned_alloc(64, (size + 63) / 64 * 64 + 64);
  } else {
    bp_memory_t piece;
    check(memory->alloc(device, 0, size, 64, &piece, &diag), "alloc() failed");
    place.memory = piece.memory;
  }
  return place;
}

static void copy(const bp_device_t *device, bp_loc_t to, bp_loc_t from, uint64_t size) {
  if (size == 0) {
    return;
  }
  if (memory == NULL) {
    memcpy((void *)(uintptr_t)to.offset, (void *)(uintptr_t)from.offset, size);
  } else {
    check(memory->copy(device, to, from, size, &diag), "copy() failed");
  }
}

int main(int argc, char **argv) {
  void *library = argc < 3 ? NULL : dlopen(argv[1], RTLD_NOW);
  const bp_plugin_entry_t *entry = library == NULL ? NULL : dlsym(library, "bp_entry");
  if (entry == NULL || entry->bp_version.major != 1) {
    fail("expected PLUGIN.so IMAGE NUMBER..., a plugin of major version 1");
  }
  check(entry->init(argv[1], &diag), "init() of the entry failed");
  const bp_device_factory_t *factory = entry->get_factory(BP_DEVICE_FACTORY);
  const bp_version_t version = BP_VERSION_INIT;
  const bp_host_t host = {version, NULL, "museum", "1.0.0", no_service, no_signal};
  const bp_device_t *device = factory->create(factory, &host, factory->get_desc(factory, 0)->id, 0, NULL, 0, &diag);
  if (device == NULL) {
    fail("create() failed");
  }
  check(device->init(device, &diag), "init() of the device failed");
  memory = device->get_extension(device, BP_EXT_MEMORY);
  const bp_device_compiler_t *compiler = device->get_extension(device, BP_EXT_COMPILER);
  if (compiler == NULL) {
    fail("the device has no compiler");
  }

  const bp_module_t *module = read_image(argv[2]);
  const bp_ostream_t stream = {NULL, append};
  check(compiler->compile(device, module, &stream, &diag), "compile() failed");
  const uint32_t count = module->allocations.count;
  bp_loc_t places[64] = {{0, 0}};
  unsigned char taken[64] = {0};
  if (count > 64) {
    fail("the image has more than 64 allocations");
  }
  const bp_program_t *program;
  check(compiler->load(device, artifact, artifact_size, places, taken, count, &program, &diag), "load() failed");

  const bp_allocation_t *allocations = BP_AT(module, allocations, bp_allocation_t, 0);
  int next = 3;
  for (uint32_t i = 0; i < count; ++i) {
    places[i] = allocate(device, allocations[i].size);
    int32_t numbers[256];
    const uint64_t length = allocations[i].kind == BP_ALLOC_INPUT ? allocations[i].size / sizeof(int32_t) : 0;
    for (uint64_t n = 0; n < length && n < 256; ++n) {
      numbers[n] = next < argc ? (int32_t)strtol(argv[next++], NULL, 10) : 0;
    }
    const bp_loc_t from = {0, (uint64_t)(uintptr_t)numbers};
    copy(device, places[i], from, length * sizeof(int32_t));
  }
  bp_run_t run = {1, places, count, {0, 0}, NULL, no_table};
  if (program->scratch_size != 0) {
    run.scratch = allocate(device, program->scratch_size);
  }
  check(program->run(program, &run, &diag), "run() failed");
  for (uint32_t i = 0; i < count; ++i) {
    int32_t numbers[256];
    const bp_loc_t to = {0, (uint64_t)(uintptr_t)numbers};
    if (allocations[i].kind == BP_ALLOC_OUTPUT && allocations[i].size <= sizeof numbers) {
      copy(device, to, places[i], allocations[i].size);
      for (uint64_t n = 0; n < allocations[i].size / sizeof(int32_t); ++n) {
        printf("%d ", numbers[n]);
      }
    }
  }
  printf("\n");

  program->destroy(program);
  for (uint32_t i = 0; i < count && memory != NULL; ++i) {
    if (places[i].memory != 0) {
      memory->release(device, places[i].memory);
    }
  }
  if (memory != NULL && program->scratch_size != 0) {
    memory->release(device, run.scratch.memory);
  }
  device->destroy(device);
  entry->deinit();
  return 0;
}
