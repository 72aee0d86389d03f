// A device: its description, its lifetime, and the extensions through which it does everything else.
//
// Without extensions a device can do nothing. A vendor may stop at any tier:
//   tier 0  bp.kernels/1    a few kernels on host memory; the core does the rest           ext/kernels.h
//   tier 1  bp.memory/1     the device has memory of its own                               ext/memory.h
//   tier 2  bp.compiler/1   the vendor compiles programs                                   ext/compiler.h
//   tier 3  bp.queue/1      asynchronous submission                                        ext/queue.h
//   tier 4  bp.rewrite/1, and drafts in ext/draft/: the device changes the program         ext/rewrite.h
// The core supplies what a device does not offer.
#pragma once
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Types of an option's value. TEXT: any text, or one of `choices`; INTEGER: an integer; REAL: a real number; SWITCH:
// "0" or "1".
enum { BP_OPTION_TEXT = 1, BP_OPTION_INTEGER = 2, BP_OPTION_REAL = 3, BP_OPTION_SWITCH = 4 };

// An option that bp_device_factory.create() takes.
typedef struct bp_option_desc {
  const char *key;             // "features": [a-z0-9-]
  const char *initial;         // the default value, or null if no single value describes the default
  const char *help;            // one sentence for people
  const char *const *choices;  // the permitted values of a text, null-terminated; null: any text
  uint32_t type, reserved;     // type: BP_OPTION_; reserved: 0
} bp_option_desc_t;
BP_FROZEN(bp_option_desc_t, 40);

// Static data of the plugin, valid from init() of the entry to its deinit(). Agrees with the manifest (manifest.h).
typedef struct bp_device_desc {
  bp_version_t bp_version;      // BP_VERSION_INIT
  uint32_t opset;               // newest opset understood (op_ids.h)
  const char *id;               // "com.acme.npu": never changes, mandatory
  const char *name;             // "Acme NPU 3": for people, mandatory
  const char *vendor;           // "Acme", or null
  const char *version;          // "2.1.0": of the plugin, mandatory; part of the artifact cache's key
  const char *url;              // or null
  const char *const *features;  // null-terminated extension ids: "bp.kernels/1", ...; mandatory
  const bp_option_desc_t *options;
  uint64_t option_count;
} bp_device_desc_t;
BP_FROZEN(bp_device_desc_t, 80);

// A device, created by bp_device_factory.create() and released by destroy().
typedef struct bp_device {
  const bp_device_desc_t *desc;
  void *device_data;  // for the plugin's use

  // Together with desc->version, everything besides their arguments that claim, find and compile depend on, such as the
  // ISA level and options. Serves as a cache key: equal targets mean equal answers. Never null after init(); owned by
  // the device.
  const char *target;

  // Makes the device ready; from here on it may call the host. Permissions (such as the one to use AMX) are requested
  // here.
  // BP-DEVICE-01: init() is called once, before all other functions of the device. If it fails, only destroy() is
  //               called after it.
  // [control]
  bp_status(BP_ABI *init)(const struct bp_device *device, const bp_diag_t *diag);

  // Releases the device and all that belongs to it.
  // BP-DEVICE-02: no work is in flight when destroy() is called; all threads of the plugin are joined when it returns.
  // BP-DEVICE-03: destroy() works after a failed init() and after BP_DEVICE_LOST.
  // BP-DEVICE-06: all programs and memory of the device have been released before destroy() is called.
  // [control & idle]
  void(BP_ABI *destroy)(const struct bp_device *device);

  // Returns the extension with this id, or null if the device does not have it. Valid until destroy().
  // BP-DEVICE-04: after init(), get_extension() returns a table for every id in desc->features, and null for every id
  //               that the device does not know.
  // BP-DEVICE-05: after init(), the answer of get_extension() for one id never changes.
  // [thread-safe]
  const void *(BP_ABI *get_extension)(const struct bp_device *device, const char *id);
} bp_device_t;
BP_FROZEN(bp_device_t, 48);

#ifdef __cplusplus
}
#endif
