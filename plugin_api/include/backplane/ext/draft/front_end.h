// Draft: front ends, which read programs of formats that the core does not know. A front end gets the bytes of a file
// and writes the program as StableHLO or HLO, which the core then reads like any other file. So it needs no library of
// the core's, and whatever the core reads is open to it: sizes that are unknown stay '?' in StableHLO, and are given by
// the user as for every program.
//
// A library with front ends is a plugin: it is found where backends are, exports bp_entry alone, and its manifest lists
// them. It need not have a device: its manifest then has no "devices", and no factory of devices is asked for.
//
//   "front_ends": [ {                        one per format, in the order of the table
//      "name": "lines",                      [a-z0-9_-], at most 32 characters; not one of the core's own
//      "description": "a program of Lines",  for people, with its article
//      "endings": [".lines"],                usual endings of files, each with its dot
//      "first_bytes": "LINES 1" } ]          with which every file begins; a character from \u0000 to \u00ff is a byte
//
// A file is offered to a front end if it has one of the endings or begins with the first bytes, unless the core has a
// format that recognizes the file and has its ending; recognizes() then decides.
//
// BP-FRONT-01: the manifest has at least one of "endings" and "first_bytes" for a front end, and agrees with the table
//              in number, order and names.
// BP-FRONT-02: recognizes() and read() take any bytes: they neither crash nor hang, and the memory that they need is at
//              most a fixed multiple of the sizes of source and program.
// BP-FRONT-03: the same source gives the same answer, and the same bytes of the program, each time.
#pragma once
#include <stdint.h>

#include "../../base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// The id of the table that bp_plugin_entry.get_factory() returns.
static const char BP_FRONT_ENDS[] = "bp.front-ends/draft-1";

// The offset of a report that is about no place in particular.
#define BP_NO_OFFSET UINT64_MAX

// A file. Owned by the core and borrowed for the call.
typedef struct bp_source {
  const void *bytes;  // never null
  uint64_t size;      // bytes
  const char *file;   // UTF-8, the path of the file, to find others next to it; empty if the bytes are from elsewhere
} bp_source_t;
BP_FROZEN(bp_source_t, 24);

// Receives what is wrong with a source. Owned by the core and valid during the call it is passed to.
typedef struct bp_source_diag {
  void *ctx;

  // Adds one report: an error, or a warning if `status` is BP_OK. `offset` is the byte of the source that it is about;
  // the core makes it a line and a column if the source is a text. `msg` is UTF-8, one sentence without a final
  // newline, and is copied.
  // BP-FRONT-04: the offset is at most the size of the source, or BP_NO_OFFSET.
  // [caller's thread]
  void(BP_ABI *report)(const struct bp_source_diag *diag, bp_status status, uint64_t offset, const char *msg);
} bp_source_diag_t;
BP_FROZEN(bp_source_diag_t, 16);

// A front end: constant, from init() to deinit().
typedef struct bp_front_end {
  const char *name;  // as in the manifest

  // A small program of the format, with which the conformance suite tests; never null.
  const void *example;
  uint64_t example_size;  // bytes, at most 64 KiB

  // Returns 1 if the source is of this format, judging by its bytes alone, otherwise 0.
  // BP-FRONT-05: recognizes() answers 1 for the example, and read() turns it into a program.
  // [thread-safe]
  int32_t(BP_ABI *recognizes)(const struct bp_front_end *front_end, const bp_source_t *source);

  // Writes the program, and reports what is wrong, or only strange. When write() fails, it stops (BP-STREAM-01).
  // BP-FRONT-06: a read() that returns BP_OK has written one valid program: StableHLO as text or portable bytecode, or
  //              HLO as text or HloModuleProto.
  // BP-FRONT-07: a read() has reported errors if it returns another status, unless write() failed, and only then.
  // [thread-safe]
  bp_status(BP_ABI *read)(const struct bp_front_end *front_end, const bp_source_t *source, const bp_ostream_t *program,
                          const bp_source_diag_t *diag);
} bp_front_end_t;
BP_FROZEN(bp_front_end_t, 40);

typedef struct bp_front_ends {
  const bp_front_end_t *front_ends;
  uint64_t count;
} bp_front_ends_t;
BP_FROZEN(bp_front_ends_t, 16);

#ifdef __cplusplus
}
#endif
