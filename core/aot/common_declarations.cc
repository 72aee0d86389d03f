#include "core/aot/common_declarations.h"

namespace bp::aot {

const std::string_view common_declarations = R"(#ifndef BACKPLANE_AOT_2
#define BACKPLANE_AOT_2

/* Results of a call. backplane_aot_message() says them in words. */
enum {
  BACKPLANE_AOT_OK = 0,
  BACKPLANE_AOT_NO_ADDRESS = 1,
  BACKPLANE_AOT_MISALIGNED = 2,
  BACKPLANE_AOT_ARENA_TOO_SMALL = 3,
  BACKPLANE_AOT_WRONG_WEIGHTS = 4,
  BACKPLANE_AOT_WRONG_MACHINE = 5,
  BACKPLANE_AOT_CALL_FAILED = 6
};

static inline const char *backplane_aot_message(int status) {
  switch (status) {
    case BACKPLANE_AOT_OK: return "ok";
    case BACKPLANE_AOT_NO_ADDRESS: return "an argument, a result, the arena or the weights have no address";
    case BACKPLANE_AOT_MISALIGNED: return "an address is not a multiple of 64";
    case BACKPLANE_AOT_ARENA_TOO_SMALL: return "the arena has fewer bytes than the program and its threads need";
    case BACKPLANE_AOT_WRONG_WEIGHTS: return "the weights are not those that the program was compiled with";
    case BACKPLANE_AOT_WRONG_MACHINE: return "the processor lacks features that the program was compiled for";
    case BACKPLANE_AOT_CALL_FAILED: return "a function of the application, which the program calls, failed";
    default: return "unknown status";
  }
}

/* Threads of the application. run() calls task(data, part, thread) once for each part from 0 to parts - 1, and returns
 * when all calls have returned. thread is from 0 to count - 1; no two calls with the same thread overlap. */
typedef struct backplane_aot_threads {
  void (*run)(void *context, void (*task)(void *data, uint32_t part, uint32_t thread), void *data, uint32_t parts);
  void *context;
  uint32_t count;
} backplane_aot_threads;

/* An array that a program passes to a function of the application. It is row-major. */
typedef struct backplane_aot_array {
  const char *type; /* as in HLO: "f32" */
  const int64_t *sizes;
  uint32_t rank; /* number of sizes */
  size_t bytes;
  void *data; /* aligned for its type; NULL if there are no bytes */
} backplane_aot_array;

/* One call of such a function. The function writes all bytes of the outputs, and does not write to the inputs. */
typedef struct backplane_aot_call {
  const char *target; /* of the custom call; NULL for infeed and outfeed */
  const char *config; /* its backend_config, infeed_config or outfeed_config, or ""; with a 0 at the end */
  size_t config_length; /* without that 0; the config may have others */
  const backplane_aot_array *inputs, *outputs;
  uint32_t input_count, output_count;
} backplane_aot_call;

/* The rest of this section is for the functions below. */
typedef struct backplane_aot_location {
  uint64_t memory, address;
} backplane_aot_location;

typedef void (*backplane_aot_task)(void *const *pointers, void *scratch, int64_t begin, int64_t end);

typedef struct backplane_aot_caller {
  void (*share)(const struct backplane_aot_caller *caller, backplane_aot_task task, void *const *pointers,
                void *scratch, int64_t begin, int64_t end);
  uint32_t (*is_over)(const struct backplane_aot_caller *caller);
  uint32_t (*call)(const struct backplane_aot_caller *caller, uint32_t instruction);
  void *context;
} backplane_aot_caller;

typedef struct backplane_aot_run {
  const backplane_aot_threads *threads;
  size_t thread_bytes;
  const backplane_aot_location *memory;
  void *context;
  uint32_t has_failed;
} backplane_aot_run;

typedef struct backplane_aot_work {
  backplane_aot_task task;
  void *const *pointers;
  char *scratch;
  size_t thread_bytes;
  int64_t begin, items, parts;
} backplane_aot_work;

static inline void backplane_aot_part(void *data, uint32_t part, uint32_t thread) {
  const backplane_aot_work *work = (const backplane_aot_work *)data;
  work->task(work->pointers, work->scratch + thread * work->thread_bytes,
             work->begin + work->items * (int64_t)part / work->parts,
             work->begin + work->items * ((int64_t)part + 1) / work->parts);
}

static inline void backplane_aot_share(const backplane_aot_caller *caller, backplane_aot_task task,
                                       void *const *pointers, void *scratch, int64_t begin, int64_t end) {
  const backplane_aot_run *run = (const backplane_aot_run *)caller->context;
  backplane_aot_work work;
  if (run->threads == NULL || run->threads->count <= 1) {
    task(pointers, scratch, begin, end);
    return;
  }
  work.task = task;
  work.pointers = pointers;
  work.scratch = (char *)scratch;
  work.thread_bytes = run->thread_bytes;
  work.begin = begin;
  work.items = end - begin;
  work.parts = (int64_t)run->threads->count * 4;
  work.parts = work.items < work.parts ? work.items : work.parts;
  run->threads->run(run->threads->context, backplane_aot_part, &work, (uint32_t)work.parts);
}

static inline uint64_t backplane_aot_address(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }

static inline void backplane_aot_copy(void *to, uint64_t from, size_t size) {
  const unsigned char *bytes = (const unsigned char *)(uintptr_t)from;
  size_t i;
  for (i = 0; i < size; ++i) {
    ((unsigned char *)to)[i] = bytes[i];
  }
}

static inline uint32_t backplane_aot_has_failed(const backplane_aot_caller *caller) {
  return ((const backplane_aot_run *)caller->context)->has_failed;
}

static inline void backplane_aot_set(backplane_aot_array *array, const char *type, const int64_t *sizes, uint32_t rank,
                                     size_t bytes, uint64_t address) {
  array->type = type;
  array->sizes = sizes;
  array->rank = rank;
  array->bytes = bytes;
  array->data = bytes == 0 ? NULL : (void *)(uintptr_t)address;
}

#endif /* BACKPLANE_AOT_2 */
)";

}  // namespace bp::aot
