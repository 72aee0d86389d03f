// A host service for telling the user something that is not an error of the current call (errors go to bp_diag).
#pragma once
#include <stdint.h>

#include "../base/status.h"
#include "../host.h"

#ifdef __cplusplus
extern "C" {
#endif

static const char BP_EXT_LOG[] = "bp.log/1";

enum { BP_LOG_DEBUG = 0, BP_LOG_INFO = 1, BP_LOG_WARNING = 2, BP_LOG_ERROR = 3 };

typedef struct bp_host_log {
  // Shows one line; `msg` is UTF-8 without a final newline and is copied. An unknown severity counts as BP_LOG_ERROR.
  // BP-LOG-01: a plugin writes neither to standard output nor to standard error; it calls log() instead.
  // [thread-safe]
  void(BP_ABI *log)(const bp_host_t *host, uint32_t severity, const char *msg);
} bp_host_log_t;
BP_FROZEN(bp_host_log_t, 8);

#ifdef __cplusplus
}
#endif
