// The one symbol that a plugin exports, and the factory that it gives access to.
//
// Loading: the core reads the manifest (manifest.h) without running any code of the library, then dlopen()s it with
// RTLD_NOW | RTLD_LOCAL, and RTLD_DEEPBIND if the process shows another LLVM to all libraries. It reads bp_entry, and
// calls init(), get_factory(BP_DEVICE_FACTORY), get_desc(), create(), and bp_device.init(). Unloading: it calls
// bp_device.destroy(), deinit(), and perhaps dlclose().
//
// BP-ENTRY-01: the library exports bp_entry and nothing else. A host linked to libLLVM once aborted on loading a plugin
//              that exported another LLVM; the same plugin exporting one symbol works. RTLD_LOCAL alone does not
//              isolate C++: GNU_UNIQUE symbols are shared by all libraries and block unloading. Hence hidden
//              visibility, -fno-gnu-unique and a version script: see plugin_api/link.
// BP-ENTRY-02: loading is passive: no static constructor has an effect that can be observed outside the library.
// BP-ENTRY-03: the library need not be unloaded, but may be at any time after deinit(), which leaves no thread,
//              memory or open file behind. Until then, repeated calls, also those that fail, leave nothing more behind
//              each time.
#pragma once
#include <stdint.h>

#include "base/status.h"
#include "device.h"
#include "host.h"

#ifdef __cplusplus
extern "C" {
#endif

// The id of the factory that every plugin with devices has.
static const char BP_DEVICE_FACTORY[] = "bp.device-factory/1";

// Creates devices. Owned by the plugin; valid from init() to deinit().
typedef struct bp_device_factory {
  // Returns the number of kinds of device in this library.
  // BP-FACTORY-01: count() returns the same number each time: the number of devices in the manifest.
  // [thread-safe]
  uint32_t(BP_ABI *count)(const struct bp_device_factory *factory);

  // Returns the description of a kind of device, in the order of the manifest.
  // BP-FACTORY-02: get_desc() gives the same answer each time: a description if index < count(), else null.
  // [thread-safe]
  const bp_device_desc_t *(BP_ABI *get_desc)(const struct bp_device_factory *factory, uint32_t index);

  // Writes the number of devices of this kind that are present in this machine; 0 is not an error. May access hardware.
  // BP-PROBE-01: if probe() returns BP_OK, it has written the number, and create() can make each instance below that
  //              number.
  // [control]
  bp_status(BP_ABI *probe)(const struct bp_device_factory *factory, const char *id, uint32_t *instances,
                           const bp_diag_t *diag);

  // Makes a device, or returns null and reports why. `instance` counts from 0; BP_NONE means offline: claim, compile
  // and spaces then work for the target that the option "target" names, and no hardware is accessed.
  // BP-CREATE-01: create() does not call the host; the device may do so from bp_device.init() on. `host` outlives the
  //               device.
  // BP-CREATE-02: create() fails and reports why if it is given an option that the description does not have, or a
  //               value that is not of the option's type. The core never passes such an option on.
  // BP-CREATE-03: create() copies the options that the device needs later.
  // [thread-safe]
  const bp_device_t *(BP_ABI *create)(const struct bp_device_factory *factory, const bp_host_t *host, const char *id,
                                      uint32_t instance, const bp_option_t *options, uint32_t option_count,
                                      const bp_diag_t *diag);
} bp_device_factory_t;
BP_FROZEN(bp_device_factory_t, 32);

typedef struct bp_plugin_entry {
  bp_version_t bp_version;  // BP_VERSION_INIT. Read first: if the major version differs, nothing else is read

  // Called before anything else, with the path from which the library was loaded (to find data files next to it).
  // BP-INIT-01: init() of the entry takes under 10 ms, accesses no hardware and starts no thread.
  // BP-INIT-02: the plugin counts the calls of init(): pairs of init() and deinit() may be nested, and may follow each
  //             other.
  // BP-INIT-03: an init() that fails leaves nothing behind, and deinit() is not called for it.
  // [control]
  bp_status(BP_ABI *init)(const char *plugin_path, const bp_diag_t *diag);

  // Called once for each init() that succeeded.
  // BP-DEINIT-01: the last call of deinit(), and none before it, releases everything that the library holds (with a
  //               statically linked LLVM: llvm_shutdown()).
  // [control & idle]
  void(BP_ABI *deinit)(void);

  // Returns the factory with this id.
  // BP-ENTRY-04: get_factory() never returns null for BP_DEVICE_FACTORY if the manifest has devices, and returns null
  //              for every id that it does not know.
  // [thread-safe]
  const void *(BP_ABI *get_factory)(const char *id);
} bp_plugin_entry_t;
BP_FROZEN(bp_plugin_entry_t, 40);

// The only exported symbol of the library. One source file, in C or in C++, defines it as
//   const bp_plugin_entry_t bp_entry = {BP_VERSION_INIT, init, deinit, get_factory};
BP_EXPORT extern const bp_plugin_entry_t bp_entry;

#ifdef __cplusplus
}
#endif
