// The frame of a library in C that has one front end and no device. Use it in one source file:
//
//   static int32_t recognizes(const bp_front_end_t *front_end, const bp_source_t *source);
//   static bp_status read_program(const bp_front_end_t *front_end, const bp_source_t *source,
//                                 const bp_ostream_t *program, const bp_source_diag_t *diag);
//   static const char example[] = "LINES 1\n...";
//   BP_FRONT_END_FRAME("lines", "a program of Lines", ".lines", "LINES 1", "Acme", "1.0.0", example, recognizes,
//                      read_program)
//
// The strings are those of the manifest (backplane/ext/draft/front_end.h), of which "endings" gets one, and are written
// as JSON wants them. `sample_program` is an array of characters that ends in 0.
#pragma once
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "backplane/ext/draft/front_end.h"
#include "plugin_frame.h"

// Writes text as printf() does.
static inline bp_status bp_write_text(const bp_ostream_t *stream, const char *format, ...) {
  char small[512], *text = small;
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int size = vsnprintf(small, sizeof small, format, arguments);
  if (size >= (int)sizeof small && (text = (char *)malloc((size_t)size + 1)) != 0) {
    vsnprintf(text, (size_t)size + 1, format, again);
  }
  va_end(again);
  va_end(arguments);
  const bp_status status = text == 0   ? BP_NO_MEMORY
                           : size >= 0 ? stream->write(stream, text, (uint64_t)size)
                                       : BP_INTERNAL;
  if (text != small) {
    free(text);
  }
  return status;
}

#define BP_FRONT_END_FRAME(format, described, ending, begins_with, vendor_name, plugin_version, sample_program, \
                           recognizes_function, read_function)                                                  \
  BP_PLUGIN_MANIFEST("{\"abi\":\"1.0.0\",\"vendor\":\"" vendor_name "\",\"version\":\"" plugin_version          \
                     "\",\"opset\":1,\"front_ends\":[{\"name\":\"" format "\",\"description\":\"" described     \
                     "\",\"endings\":[\"" ending "\"],\"first_bytes\":\"" begins_with "\"}]}");                 \
  static const bp_front_end_t bp_frame_front_end = {format, sample_program, sizeof(sample_program) - 1,         \
                                                    recognizes_function, read_function};                        \
  static const bp_front_ends_t bp_frame_front_ends = {&bp_frame_front_end, 1};                                  \
  static const void *bp_frame_get_factory(const char *id) {                                                     \
    return bp_frame_equal(id, BP_FRONT_ENDS) ? &bp_frame_front_ends : 0;                                        \
  }                                                                                                             \
  const bp_plugin_entry_t bp_entry = {BP_VERSION_INIT, bp_frame_init, bp_frame_deinit, bp_frame_get_factory};
