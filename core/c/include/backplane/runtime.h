// Backplane from C: load a backend by name, compile a program for it, and run it on the application's arrays.
//
//   backplane_backend_t *backend;
//   backplane_executable_t *executable;
//   if (backplane_load("cpu", NULL, 0, &errors, &backend) == BP_OK &&
//       backplane_compile_file(backend, "model.hlo", NULL, 0, &errors, &executable) == BP_OK) {
//     backplane_run(executable, inputs, outputs, &errors);
//   }
//
// Link with `pkg-config --libs backplane`. Plugins do not use this file, but the other headers in this directory.
//
// Errors: a function that fails returns a status other than BP_OK, writes no outputs, and sends `errors` one report
// (bp_diag_t of base/status.h; the instruction is always BP_NONE) that says what was found, what was expected and
// where; it has several lines if there are notes. `errors` may be NULL. No input makes these functions abort, and no
// C++ exception leaves them. Ownership: the caller of a function that returns an object releases it. Strings and arrays
// need to be valid only during the call. Threads: every function may be called from any thread, also concurrently, but
// an object must not be released while a call uses it.
#pragma once
#include <stdint.h>

#include "backplane/base/status.h"
#include "backplane/op_ids.h"

#ifdef __cplusplus
extern "C" {
#endif

// Returns the version, such as "0.1.0". The string is static.
BP_EXPORT const char *backplane_version(void);

// A backend that is ready for use.
typedef struct backplane_backend backplane_backend_t;

// Loads a backend: "interpreter", which needs no plugin; or the plugin that answers to a name, searched for in the
// directories of BACKPLANE_PATH or, if that is not set, where plugins were installed; or, if the name contains a '/',
// the plugin at this path. Of several equal devices, "npu:1" is the one with this number, from 0, and "npu:SIM-0002"
// the one with this identity, which stays the same when others are added or removed (`backplane instances` lists both);
// "npu" alone is number 0. Options are the backend's own (`backplane plugins NAME` lists them); an unknown option is an
// error. These options apply to all backends:
//   "threads"  how many threads loops of the backend, and instructions on the host, may run on, including that of the
//              call; "0", as if it was not given: one for each processor that this process may use
//   "isolate"  runs the backend in a separate process: if it crashes, this call and all later ones fail, and the
//              backend has to be loaded again. The value is the maximum number of seconds for one of its calls;
//              "0": no limit
//   "isolate-memory"  with "isolate": maximum bytes of address space of that process
//   "isolate-strict"  with "isolate", "1": an error if the system cannot restrict what that process may do; otherwise
//                     that is a warning
// BP_INVALID: there is no such plugin, or it may not be loaded, or an option is wrong.
BP_EXPORT bp_status backplane_load(const char *name, const bp_option_t *options, uint32_t option_count,
                                   const bp_diag_t *errors, backplane_backend_t **backend);
// Receives a log message of a backend, on any thread, also concurrently: a severity from 0, details, to 3, an error
// (BP_LOG_ of backplane/ext/log.h), and a text that is valid during the call.
typedef void (*backplane_log_t)(void *data, uint32_t severity, const char *message);
// Does the same as backplane_load(), and has the backend's messages, which otherwise go to standard error if they are
// warnings or errors, sent to `log`. `log` is called with `data` until the backend and its executables are released.
BP_EXPORT bp_status backplane_load_with_log(const char *name, const bp_option_t *options, uint32_t option_count,
                                            backplane_log_t log, void *data, const bp_diag_t *errors,
                                            backplane_backend_t **backend);
// Releases a backend. Its executables stay valid. NULL is ignored.
BP_EXPORT void backplane_release_backend(backplane_backend_t *backend);

// A kind of device that was found where plugins are looked for, or a file there that cannot be loaded. Borrowed for the
// call that receives it.
typedef struct backplane_plugin {
  const char *name;     // for backplane_load(); of a file that cannot be loaded: that in the name of the file, or ""
  const char *id;       // "com.acme.npu"; "" if the file cannot be loaded
  const char *aliases;  // short names, separated by commas; backplane_load() takes them and the id
  const char *title;    // "Acme NPU 3"; "" if the file cannot be loaded
  const char *version;  // of the plugin; "" if the file cannot be loaded
  const char *path;     // of the file
  const char *refusal;  // why it cannot be loaded; NULL if it can
} backplane_plugin_t;
BP_FROZEN(backplane_plugin_t, 56);

// Calls `receive` with `data` for each, in the order of the search. No code of plugins is run. The interpreter, which
// is not a plugin, is not among them.
BP_EXPORT bp_status backplane_list_plugins(void (*receive)(void *data, const backplane_plugin_t *plugin), void *data,
                                           const bp_diag_t *errors);

// A program that can be run.
typedef struct backplane_executable backplane_executable_t;

// Compiles a program in one of the formats that `backplane formats` lists; the format is found by content and name.
// Instructions that the backend does not run itself run on the host. Options:
//   "format"        the format of the program, as `backplane formats` names it, if it is not to be found
//   "device-only"   "1": BP_UNSUPPORTED if the backend leaves anything to the host
//   "memory-limit"  maximum bytes for the program; BP_NO_MEMORY if it needs more
//   "cache-dir"     a directory in which compiled artifacts are kept for later use
//   "dump-dir"      a directory for all intermediate results
//   "deadline"      maximum seconds for the compilation; BP_CANCELLED if it takes longer
//   "keep-artifacts"  "1": the executable keeps what backplane_save_package() writes
//   "fuse"          "0": instructions are not fused
//   "disabled-passes"  names of passes that do not run, separated by commas
//   "cluster"       what of the instructions that it claims the backend runs: "off": all, the default; "auto": those
//                   that cost less there; "marked": those that the program marks
//   "host-functions"  targets of the custom calls that the application serves, "infeed" and "outfeed", separated by
//                     commas: a backend may then call them from inside of a program, in a loop for example. It is busy
//                     until the application answers, so none of them may wait for another run on this backend
// A file of 16 MiB or more may be replaced while the executable exists, but not shortened.
// BP_INVALID: the bytes are no valid program, or the file cannot be read, or there is no such option. BP_UNSUPPORTED:
// sizes of inputs are known only when it runs. Outputs may have such sizes, with bounds.
BP_EXPORT bp_status backplane_compile_file(const backplane_backend_t *backend, const char *path,
                                           const bp_option_t *options, uint32_t option_count, const bp_diag_t *errors,
                                           backplane_executable_t **executable);
// Does the same with a program in memory; `name` replaces the file name in messages.
BP_EXPORT bp_status backplane_compile_bytes(const backplane_backend_t *backend, const void *bytes, uint64_t size,
                                            const char *name, const bp_option_t *options, uint32_t option_count,
                                            const bp_diag_t *errors, backplane_executable_t **executable);
// Releases an executable. NULL is ignored.
BP_EXPORT void backplane_release_executable(backplane_executable_t *executable);

// Writes an executable that was compiled with the option "keep-artifacts" to a file, from which it is loaded without
// compiling, also in other processes and on machines like its target. An existing file is replaced.
// BP_UNSUPPORTED: it has not kept its artifacts. BP_INVALID: the file cannot be written.
BP_EXPORT bp_status backplane_save_package(const backplane_executable_t *executable, const char *path,
                                           const bp_diag_t *errors);
// Loads an executable that backplane_save_package() or `backplane compile -o FILE.bpkg` has written. Everything in the
// file is checked; but it contains machine code, so load only files of those whom you trust. `signed_by`: the file of a
// public key (PEM, Ed25519) whose owner must have signed the package; NULL: a signature is not demanded. The package
// may be replaced while the executable exists, but not shortened.
// BP_INVALID: the file cannot be read, is damaged, was made for another backend or target, or is not signed as
// demanded.
BP_EXPORT bp_status backplane_load_package(const backplane_backend_t *backend, const char *path, const char *signed_by,
                                           const bp_diag_t *errors, backplane_executable_t **executable);

// An input or output in memory: row-major, without gaps. Elements of fewer than 8 bits take a byte each, whose upper
// bits are ignored in inputs, and extend the number in outputs.
typedef struct backplane_array {
  const char *name;     // of the parameter or of the result's instruction; "x{1}" is the second element of a tuple
  const int64_t *dims;  // `rank` sizes; NULL: a scalar
  uint64_t size;        // bytes
  uint32_t rank;
  uint16_t dtype;  // BP_DTYPE_ (op_ids.h)
  uint16_t reserved;
} backplane_array_t;
BP_FROZEN(backplane_array_t, 32);

// The number of parameters and results in order, with tuples flattened and without tokens.
BP_EXPORT uint32_t backplane_input_count(const backplane_executable_t *executable);
BP_EXPORT uint32_t backplane_output_count(const backplane_executable_t *executable);
// The result is owned by the executable; NULL if there is none with this index.
BP_EXPORT const backplane_array_t *backplane_input(const backplane_executable_t *executable, uint32_t index);
BP_EXPORT const backplane_array_t *backplane_output(const backplane_executable_t *executable, uint32_t index);

// Returns 1 if a run tells the size of this dimension of an output, whose dims have the bound; 0 if they have the size.
BP_EXPORT uint32_t backplane_output_is_bounded(const backplane_executable_t *executable, uint32_t index,
                                               uint32_t dimension);

// Runs the program: reads from an address for each input, writes to an address for each output, both with any
// alignment. Complete on return. Inputs are not changed, and outputs must not overlap any other array. After a failure
// outputs are undefined. BP_UNSUPPORTED: sizes of an output are known only after the run: use backplane_run_dlpack().
BP_EXPORT bp_status backplane_run(const backplane_executable_t *executable, const void *const *inputs,
                                  void *const *outputs, const bp_diag_t *errors);

// The terms of runs: until when, and how urgently. One object may be used by several runs, also at the same time.
typedef struct backplane_terms backplane_terms_t;

// Makes terms. seconds: until the deadline, counted from now; 0: none; less, or NaN: it has passed. priority: of runs
// that wait for the same device, those with a larger number begin first, if the backend heeds it; usually 0. NULL if
// there is no memory.
BP_EXPORT backplane_terms_t *backplane_make_terms(double seconds, int32_t priority);
// Makes all runs with these terms end early, now and later.
BP_EXPORT void backplane_cancel(backplane_terms_t *terms);
// Releases terms that no run uses. NULL is ignored.
BP_EXPORT void backplane_release_terms(backplane_terms_t *terms);

// Does the same as backplane_run(). BP_CANCELLED: the run was cancelled, or was not done by its deadline; outputs are
// undefined, and the executable can be run again. A backend that does not ask whether to end is waited for.
BP_EXPORT bp_status backplane_run_with_terms(const backplane_executable_t *executable, const void *const *inputs,
                                             void *const *outputs, const backplane_terms_t *terms,
                                             const bp_diag_t *errors);

// --- programs that leave sizes open ---

// A StableHLO program whose sizes are not all known, such as jax.export writes with symbolic shapes.
typedef struct backplane_program backplane_program_t;

// Reads such a program; nothing is compiled yet. Options: those of backplane_compile_bytes(). `max_executables`: number
// of executables that the program keeps, at least 1; the least recently used one makes room.
// BP_INVALID: the bytes are no valid StableHLO program, or there is no such option.
BP_EXPORT bp_status backplane_open_program(const backplane_backend_t *backend, const void *bytes, uint64_t size,
                                           const char *name, const bp_option_t *options, uint32_t option_count,
                                           uint32_t max_executables, const bp_diag_t *errors,
                                           backplane_program_t **program);
// Releases a program. Its executables stay valid. NULL is ignored.
BP_EXPORT void backplane_release_program(backplane_program_t *program);
// The number of its parameters.
BP_EXPORT uint32_t backplane_parameter_count(const backplane_program_t *program);
// Returns a parameter as the program states it: unknown sizes are negative, and `size` is 0. A parameter of which not
// even the number of dimensions is known has the dtype 0. Owned by the program; NULL if there is none with this
// index.
BP_EXPORT const backplane_array_t *backplane_parameter(const backplane_program_t *program, uint32_t index);
// Returns the executable for inputs of these shapes, which is compiled if the program does not keep it; other threads
// that need the same one wait. `shapes`: `count` arrays, one per parameter, of which dims, rank and dtype are read.
// `inputs`: an address for each, which may be NULL unless the sizes of other arrays depend on its elements; then the
// executable is for these elements. To run it, give it all inputs.
// BP_INVALID: the shapes contradict the program, or each other. BP_UNSUPPORTED: a size is not known, such as one that
// is the value of an input without an address.
BP_EXPORT bp_status backplane_specialize(const backplane_program_t *program, const backplane_array_t *shapes,
                                         const void *const *inputs, uint32_t count, const bp_diag_t *errors,
                                         backplane_executable_t **executable);
// Counts calls of backplane_specialize() so far: those that found an executable, those that compiled one or could not,
// and executables that were dropped.
BP_EXPORT void backplane_count_executables(const backplane_program_t *program, uint64_t *hits, uint64_t *misses,
                                           uint64_t *evictions);

// --- instructions that the application runs: infeed, outfeed, and custom calls of its own ---

// One execution of such an instruction. All is borrowed for the call. Arrays are as those of backplane_run(), in the
// order of operands and results, with tuples flattened and without tokens; inputs are not to be written.
typedef struct backplane_call {
  const char *target;                            // custom_call_target; NULL: infeed or outfeed
  const char *config;                            // backend_config of a custom call, or ""
  const backplane_array_t *inputs, *outputs;     // infeed has no inputs, outfeed no outputs
  void *const *input_data, *const *output_data;  // by array; the function writes all bytes of the outputs
  uint32_t input_count, output_count;
} backplane_call_t;
BP_FROZEN(backplane_call_t, 56);

// A function of the application. BP_OK; BP_CANCELLED to end the run as if it had been cancelled; with any other status
// the run fails with the first message that was reported to `errors`, with BP_UNSUPPORTED or BP_NO_MEMORY if the
// function returned that, else with BP_INVALID, as for outputs of type pred with bytes that are neither 0 nor 1. It is
// called on a thread of the run, and may run other executables, but not on a device with a run that waits for it.
typedef bp_status (*backplane_function_t)(void *data, const backplane_call_t *call, const bp_diag_t *errors);

// Have runs with these terms call the function with `data`, which stay valid as long as the terms: for custom calls of
// a target, for each infeed, for each outfeed. Calls of one run follow each other; several runs call at the same time.
// To be called before the first run. BP_INVALID: the target is empty or has a function.
BP_EXPORT bp_status backplane_serve_function(backplane_terms_t *terms, const char *target,
                                             backplane_function_t function, void *data, const bp_diag_t *errors);
BP_EXPORT bp_status backplane_serve_infeed(backplane_terms_t *terms, backplane_function_t function, void *data,
                                           const bp_diag_t *errors);
BP_EXPORT bp_status backplane_serve_outfeed(backplane_terms_t *terms, backplane_function_t function, void *data,
                                            const bp_diag_t *errors);

// --- DLPack ---
//
// Arrays from and for other libraries, such as NumPy, JAX and PyTorch (https://dmlc.github.io/dlpack). The structs are
// in backplane/dlpack.h, and in DLPack's own header; either can be included, in any order. A function that gets a
// tensor takes it over, also if it fails: it calls the tensor's deleter when nobody uses its array any more. The caller
// calls the deleters of tensors that it gets.
//
// Tensors of the host (kDLCPU) are used where they are; a copy is made only of arrays that are not aligned to 64 bytes.
// Those of a device are of kDLExtDev, and have a meaning only for the functions here. BP_UNSUPPORTED: an array that is
// not row-major without gaps, an element type that HLO does not have, packed elements of fewer than 8 bits, or memory
// of another device.
struct DLManagedTensor;
struct DLManagedTensorVersioned;

// Flags. ON_DEVICE: outputs stay in the memory of the backend's device, if it has memory of its own. IN_PLACE: the
// device uses the array where it is, in the host's memory.
enum { BACKPLANE_ON_DEVICE = 1, BACKPLANE_IN_PLACE = 1 };

// Runs the program on tensors, one for each input; stores a tensor for each output, with the sizes that the run told.
// Complete on return. Inputs are not changed. `flags`: BACKPLANE_ON_DEVICE or 0.
BP_EXPORT bp_status backplane_run_dlpack(const backplane_executable_t *executable,
                                         struct DLManagedTensorVersioned *const *inputs, uint32_t flags,
                                         struct DLManagedTensorVersioned **outputs, const bp_diag_t *errors);

// Stores a tensor that has the array in the memory of the backend's device, so that runs do not copy it again: weights,
// for example. `flags`: 0: the array is copied to the device's own memory. BACKPLANE_IN_PLACE: the device uses it where
// it is, such as in a file that was mapped; nobody may write to it as long as the new tensor exists. BP_UNSUPPORTED if
// the device cannot, BP_INVALID if the array is not aligned to 64 bytes. A backend that works in the host's memory uses
// the array where it is, if it is aligned.
BP_EXPORT bp_status backplane_send_dlpack(const backplane_backend_t *backend, struct DLManagedTensorVersioned *tensor,
                                          uint32_t flags, struct DLManagedTensorVersioned **sent,
                                          const bp_diag_t *errors);

// Stores another tensor of the same array, read-only, for another run or another input; the array exists until the
// deleters of all its tensors were called. BP_UNSUPPORTED: a tensor that was neither sent nor is the output of a run.
BP_EXPORT bp_status backplane_share_dlpack(const struct DLManagedTensorVersioned *tensor,
                                           struct DLManagedTensorVersioned **another, const bp_diag_t *errors);

// Convert a tensor of before DLPack 1.0 to one with a version, and back; they take the tensor over. NULL if memory is
// exhausted.
BP_EXPORT struct DLManagedTensorVersioned *backplane_dlpack_with_version(struct DLManagedTensor *tensor);
BP_EXPORT struct DLManagedTensor *backplane_dlpack_without_version(struct DLManagedTensorVersioned *tensor);

#ifdef __cplusplus
}
#endif
