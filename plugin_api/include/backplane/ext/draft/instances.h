// Draft: which of several equal devices is which. An instance number only counts the devices that are present: it
// changes when another one is added, removed or fails. An identity stays with the hardware.
#pragma once
#include <stdint.h>

#include "../../base/status.h"
#include "../../entry.h"

#ifdef __cplusplus
extern "C" {
#endif

// The id of the table that bp_plugin_entry.get_factory() returns; no device has to exist.
static const char BP_INSTANCES[] = "bp.instances/draft-1";

// An instance. The strings are borrowed for the call that tells it.
typedef struct bp_instance {
  const char *identity;  // "SN-0042", or a bus address if there is no serial number
  const char *address;   // where it is: "0000:65:00.0"; or null
  const char *name;      // for people: "Acme NPU 3, 96 GiB"; or null
} bp_instance_t;
BP_FROZEN(bp_instance_t, 24);

// Receives an instance. Owned by the caller and valid during the call it is passed to.
typedef struct bp_instance_receiver {
  void *ctx;

  // Takes the instance.
  // BP-INSTANCE-01: an identity has 1 to 63 characters of [A-Za-z0-9.:_-], of which at least one is no digit: numbers
  //                 name instances by their order.
  // [caller's thread]
  void(BP_ABI *tell)(const struct bp_instance_receiver *receiver, const bp_instance_t *instance);
} bp_instance_receiver_t;
BP_FROZEN(bp_instance_receiver_t, 16);

typedef struct bp_instances {
  // Tells the receiver, once, which device create() would make for this id and instance. May access hardware. `factory`
  // is that of BP_DEVICE_FACTORY.
  // BP-INSTANCE-02: an instance has the same identity in every call and every process, as long as no device is added or
  //                 removed; no two instances of an id have the same. A device that stays keeps its identity.
  // BP-INSTANCE-03: describe() returns BP_INVALID, and tells nothing, if the id is unknown, or `instance` is not below
  //                 the number that probe() gives.
  // [control]
  bp_status(BP_ABI *describe)(const bp_device_factory_t *factory, const char *id, uint32_t instance,
                              const bp_instance_receiver_t *receiver, const bp_diag_t *diag);
} bp_instances_t;
BP_FROZEN(bp_instances_t, 8);

#ifdef __cplusplus
}
#endif
