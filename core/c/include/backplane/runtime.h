// Backplane from C: load a backend by name, compile a program for it, run it on arrays of one's own.
//
//   backplane_backend_t *backend;
//   backplane_executable_t *executable;
//   if (backplane_load("cpu", NULL, 0, &errors, &backend) == BP_OK &&
//       backplane_compile_file(backend, "model.hlo", NULL, 0, &errors, &executable) == BP_OK) {
//     backplane_run(executable, inputs, outputs, &errors);
//   }
//
// Link with `pkg-config --libs backplane`. Plugins use none of this: they see the headers beside this one.
//
// Errors: a function that fails returns a status other than BP_OK, writes nothing else, and tells `errors` in one report
// (bp_diag_t of base/status.h; the instruction is always BP_NONE) what was found, what was expected and where; several
// lines, where notes help. `errors` may be null. No input makes these functions abort, and no C++ exception leaves them.
// Ownership: who calls a function that writes an object releases it. Strings and arrays are borrowed for the call.
// Threads: every function from any thread, also at the same time, but an object is released when no call uses it.
#pragma once
#include <stdint.h>

#include "backplane/base/status.h"
#include "backplane/op_ids.h"

#ifdef __cplusplus
extern "C" {
#endif

// "0.1.0". Static.
BP_EXPORT const char *backplane_version(void);

// A backend that is ready.
typedef struct backplane_backend backplane_backend_t;

// Loads "interpreter", which needs no plugin; or the plugin that answers to a name, looked for in the directories of
// BACKPLANE_PATH or else where plugins were installed; or, if it contains a '/', the plugin of this path. Options are
// the backend's own (`backplane plugins NAME` lists them); one that it does not have is an error. One more:
//   "isolate"  runs the backend in a process of its own, which may crash: then a call fails, and the next one works. The
//              value is how many seconds one of its calls may take; "0": any number
// BP_INVALID: there is no such plugin, or it may not be loaded, or an option is wrong.
BP_EXPORT bp_status backplane_load(const char *name, const bp_option_t *options, uint32_t option_count,
                                   const bp_diag_t *errors, backplane_backend_t **backend);
// Executables stay valid. Null is ignored.
BP_EXPORT void backplane_release_backend(backplane_backend_t *backend);

// A program that can be run.
typedef struct backplane_executable backplane_executable_t;

// Compiles a program in HLO text, StableHLO text or an HLO protocol buffer, whichever the bytes are. What the backend does
// not run itself runs on the host. Options:
//   "device-only"   "1": BP_UNSUPPORTED if the backend leaves anything to the host
//   "memory-limit"  bytes that the program may take; BP_NO_MEMORY if it needs more
//   "cache-dir"     a directory where what the backend compiles is kept for the next time
//   "dump-dir"      a directory for everything that is made on the way
// BP_INVALID: the bytes are no valid program, or the file cannot be read, or there is no such option.
// BP_UNSUPPORTED: sizes of inputs or outputs are known only when it runs.
BP_EXPORT bp_status backplane_compile_file(const backplane_backend_t *backend, const char *path,
                                           const bp_option_t *options, uint32_t option_count, const bp_diag_t *errors,
                                           backplane_executable_t **executable);
// The same from memory; `name` stands for the file in messages.
BP_EXPORT bp_status backplane_compile_bytes(const backplane_backend_t *backend, const void *bytes, uint64_t size,
                                            const char *name, const bp_option_t *options, uint32_t option_count,
                                            const bp_diag_t *errors, backplane_executable_t **executable);
// Null is ignored.
BP_EXPORT void backplane_release_executable(backplane_executable_t *executable);

// An input or output, as its bytes lie in memory: row-major, without gaps, elements of fewer than 8 bits in a byte each.
typedef struct backplane_array {
  const char *name;     // of the parameter or of the result's instruction; "x{1}" is the second part of a tuple
  const int64_t *dims;  // `rank` sizes; null: a scalar
  uint64_t size;        // bytes
  uint32_t rank;
  uint16_t dtype;  // BP_DTYPE_ (op_ids.h)
  uint16_t reserved;
} backplane_array_t;
BP_FROZEN(backplane_array_t, 32);

// Parameters and results in order, tuples taken apart; tokens do not count.
BP_EXPORT uint32_t backplane_input_count(const backplane_executable_t *executable);
BP_EXPORT uint32_t backplane_output_count(const backplane_executable_t *executable);
// Owned by the executable; null if there is none with this index.
BP_EXPORT const backplane_array_t *backplane_input(const backplane_executable_t *executable, uint32_t index);
BP_EXPORT const backplane_array_t *backplane_output(const backplane_executable_t *executable, uint32_t index);

// Runs the program: reads an address for each input, writes to an address for each output; any alignment. Complete on
// return. Inputs are not changed, and no output may overlap another array. After a failure outputs are undefined.
BP_EXPORT bp_status backplane_run(const backplane_executable_t *executable, const void *const *inputs,
                                  void *const *outputs, const bp_diag_t *errors);

#ifdef __cplusplus
}
#endif
