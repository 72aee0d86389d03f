// A device: what it is, its life, and the extensions through which it does everything else.
//
// A device on its own can do nothing. The extensions make it useful, and a vendor may stop at any tier:
//   tier 0  bp.kernels/1    a few kernels on host memory; the core does the rest           ext/kernels.h
//   tier 1  bp.memory/1     the device has memory of its own                               ext/memory.h
//   tier 2  bp.compiler/1   the vendor compiles programs                                   ext/compiler.h
//   tier 3  bp.queue/1      asynchronous submission                                        ext/queue.h
//   tier 4  bp.rewrite/1, drafts in ext/draft/: shaping the program
// What a device does not offer, the core supplies.
#pragma once
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// What the value of an option is: any text, or one of `choices`; a number; a real number; "0" or "1".
enum { BP_OPTION_TEXT = 1, BP_OPTION_INTEGER = 2, BP_OPTION_REAL = 3, BP_OPTION_SWITCH = 4 };

// An option that bp_device_factory.create() takes.
typedef struct bp_option_desc {
  const char *key;             // "features": [a-z0-9-]
  const char *initial;         // the value if none is given, or null if that is more than a value
  const char *help;            // one sentence for people
  const char *const *choices;  // null-terminated, of a text; null: any
  uint32_t type, reserved;     // BP_OPTION_; 0
} bp_option_desc_t;
BP_FROZEN(bp_option_desc_t, 40);

// Static data of the plugin: valid from init() of the entry to its deinit(). Agrees with the manifest (manifest.h).
typedef struct bp_device_desc {
  bp_version_t bp_version;      // BP_VERSION_INIT
  uint32_t opset;               // newest opset understood (op_ids.h)
  const char *id;               // "com.acme.npu": never changes, mandatory
  const char *name;             // "Acme NPU 3": for people, mandatory
  const char *vendor;           // "Acme", or null
  const char *version;          // of the plugin: "2.1.0", mandatory; part of the artifact cache's key
  const char *url;              // or null
  const char *const *features;  // null-terminated extension ids: "bp.kernels/1", ...; mandatory
  const bp_option_desc_t *options;
  uint64_t option_count;
} bp_device_desc_t;
BP_FROZEN(bp_device_desc_t, 80);

// Made by bp_device_factory.create(), released by destroy().
typedef struct bp_device {
  const bp_device_desc_t *desc;
  void *device_data;  // the plugin's own

  // After init(): with desc->version, all that claim, find and compile depend on beside their arguments, such as the
  // ISA level and options. A cache key: equal targets mean equal answers. Never null after init(), owned by the device.
  const char *target;

  // Makes the device ready; from here on it may call the host. Permissions (such as AMX's) are asked for here.
  // BP-DEVICE-01: called once, first. If it fails, only destroy() follows.
  // [control]
  bp_status(BP_ABI *init)(const struct bp_device *device, const bp_diag_t *diag);

  // Releases the device and all that belongs to it.
  // BP-DEVICE-02: all threads of the plugin are joined on return, and no work is in flight on entry.
  // BP-DEVICE-03: works after a failed init() and after BP_DEVICE_LOST.
  // BP-DEVICE-06: programs and memory were released before.
  // [control & idle]
  void(BP_ABI *destroy)(const struct bp_device *device);

  // The extension with this id, or null if the device does not have it. Valid until destroy().
  // BP-DEVICE-04: after init(), not null for every id in desc->features, and null for every id it does not know.
  // BP-DEVICE-05: the answer for one id never changes after init().
  // [thread-safe]
  const void *(BP_ABI *get_extension)(const struct bp_device *device, const char *id);
} bp_device_t;
BP_FROZEN(bp_device_t, 48);

#ifdef __cplusplus
}
#endif
