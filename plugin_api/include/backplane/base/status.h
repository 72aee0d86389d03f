// Definitions that all other headers use: versions, statuses, and the receivers of errors and of bytes.
//
// How to read these headers. A plugin is a shared library that exports one symbol, bp_entry (entry.h). Everything else
// is reached through tables of functions. The comment above each function states its contract, the ownership of what it
// takes and returns, what is forbidden, and a thread tag from this closed list:
//
//   [thread-safe]      any thread, at any time between creation and destruction, concurrently with everything
//   [control]          one thread at a time per object; the core serializes it against the other control functions
//   [control & idle]   as control, and no call of any kind is in flight on the object
//   [queue]            one thread at a time per queue; different queues concurrently
//   [worker]           a thread that computes; concurrent calls are normal
//   [caller's thread]  the thread that made the enclosing call, before that call returns; never later
//
// Rules have ids such as BP-RUN-03. Code, tests and documents cite them.
//
// Laws that hold everywhere:
// BP-LAW-01: whoever creates an object destroys it. A plugin destroys what it created, through its own functions.
//            Strings and arrays are borrowed for the call unless stated otherwise.
// BP-LAW-02: a published struct is frozen. A new need gets a new extension id, "bp.<name>/<revision>" or
//            "com.acme.<name>/<revision>". Hence the structs have no size field, and no member of type enum, bool, long
//            or size_t, and no bit-field. What is not published yet is a draft (ext/draft): the id of a draft ends in
//            its own revision, "bp.<name>/draft-<revision>", and every change of the draft gives it another id. So a
//            core and a plugin that know different revisions do without the extension.
// BP-LAW-03: a plugin imports nothing from the core and must work with any subset of the services that the core offers.
// BP-LAW-04: no exception, signal handler or longjmp crosses a function declared here. A plugin changes neither the
//            locale, nor the working directory, nor the floating-point environment, and is not called after fork().
// BP-LAW-05: an id or number that the reader does not know is skipped; its meaning is never guessed.
#pragma once
#include <stdint.h>

#ifdef __cplusplus
#define BP_STATIC_ASSERT static_assert
extern "C" {
#else
#define BP_STATIC_ASSERT _Static_assert
#endif

#if defined(_WIN32)
#define BP_EXPORT __declspec(dllexport)
#define BP_ABI __cdecl
#else
#define BP_EXPORT __attribute__((visibility("default")))
#define BP_ABI
#endif

// Asserts the size of a struct, which no later version may change (BP-LAW-02). It is given for 64-bit addresses.
#define BP_FROZEN(type, size) BP_STATIC_ASSERT(sizeof(void *) != 8 || sizeof(type) == (size), "frozen")

// The value that stands for no index, id, instruction, allocation or name.
#define BP_NONE UINT32_MAX

// The version of these headers. A plugin with a different `major` is refused when it is loaded; a newer `minor` only
// adds.
typedef struct bp_version {
  uint32_t major, minor, revision;
} bp_version_t;
BP_FROZEN(bp_version_t, 12);

#define BP_VERSION_INIT {1, 0, 0}

// The outcome of a call. The core treats a value that it does not know as BP_INTERNAL.
// BP-STATUS-01: BP_UNSUPPORTED is never returned for an instruction that was claimed.
// BP-STATUS-02: a call that returns BP_NO_MEMORY has written nothing, and may be repeated after memory was freed.
// BP-STATUS-03: after BP_DEVICE_LOST every later call returns it too, but release() and destroy() still work.
typedef int32_t bp_status;
enum {
  BP_OK = 0,
  BP_UNSUPPORTED = 1,  // the device does not do this
  BP_INVALID = 2,      // the caller broke a rule, or the bytes given are damaged
  BP_NO_MEMORY = 3,    // there is not enough memory
  BP_DEVICE_LOST = 4,  // the device has failed for good
  BP_INTERNAL = 5,     // any other failure. The outputs of the call are undefined from now on
  BP_CANCELLED = 6,    // the call ended early because its caller wished so (ext/draft/cancel.h, progress.h)
};

// Receives the reports of errors. Owned by the caller and valid during the call it is passed to; nothing has to be
// freed.
typedef struct bp_diag {
  void *ctx;

  // Adds one report; a call may make several. `instr` is the instruction to blame, an index into the module that was
  // passed to the call, or BP_NONE. `msg` is UTF-8, one sentence without a final newline, and is copied.
  // BP-DIAG-01: a call that fails should say why; a call that returns BP_OK may report reasons too, as claim() does.
  // BP-DIAG-02: the plugin does not keep `diag` after the call.
  // [thread-safe]
  void(BP_ABI *report)(const struct bp_diag *diag, bp_status status, uint32_t instr, const char *msg);
} bp_diag_t;
BP_FROZEN(bp_diag_t, 16);

// Receives bytes: an artifact or a rewritten module. Owned by the caller and valid during the call it is passed to.
typedef struct bp_ostream {
  void *ctx;

  // Appends `size` bytes, which are copied. Any status but BP_OK means that no more bytes are wanted.
  // BP-STREAM-01: when write() returns another status than BP_OK, the producer stops and returns that status.
  // [caller's thread]
  bp_status(BP_ABI *write)(const struct bp_ostream *stream, const void *bytes, uint64_t size);
} bp_ostream_t;
BP_FROZEN(bp_ostream_t, 16);

// One setting given by the user. Both strings are UTF-8, never null, and borrowed for the call.
typedef struct bp_option {
  const char *key, *value;
} bp_option_t;
BP_FROZEN(bp_option_t, 16);

#ifdef __cplusplus
}
#endif
