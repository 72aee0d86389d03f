// Draft: facts about a device, with units, for people and for monitoring: how much memory is free, how warm it is,
// whether it still works.
#pragma once
#include <stdint.h>

#include "../../base/status.h"
#include "../../device.h"

#ifdef __cplusplus
extern "C" {
#endif

static const char BP_EXT_DEVICE_INFO[] = "bp.device-info/draft-1";

// Types of a fact's value, which say which member of bp_fact holds it.
enum { BP_FACT_INTEGER = 1, BP_FACT_REAL = 2, BP_FACT_TEXT = 3 };

// A kind of fact that means the same on every device.
typedef struct bp_fact_kind {
  const char *name, *unit;  // unit: "" if there is none
  uint32_t type;            // BP_FACT_
  uint32_t is_of_space;     // 1: there is one for each memory space
} bp_fact_kind_t;
BP_FROZEN(bp_fact_kind_t, 24);

// The closed list of standard facts. A device tells those that it knows.
static const bp_fact_kind_t BP_STANDARD_FACTS[] = {
    {"memory.total", "bytes", BP_FACT_INTEGER, 1},  // bp_space.capacity, if that is stated
    {"memory.free", "bytes", BP_FACT_INTEGER, 1},   // what alloc() can still give, in pieces of any size
    {"clock", "Hz", BP_FACT_INTEGER, 0},            // of the units that compute, now
    {"clock.max", "Hz", BP_FACT_INTEGER, 0},
    {"temperature", "degrees Celsius", BP_FACT_REAL, 0},  // of the warmest part
    {"power", "W", BP_FACT_REAL, 0},                      // drawn now
    {"power.limit", "W", BP_FACT_REAL, 0},
    {"driver.version", "", BP_FACT_TEXT, 0},
    {"firmware.version", "", BP_FACT_TEXT, 0},
    {"health", "", BP_FACT_TEXT, 0},  // "ok"; "degraded": works with less; "failed": calls return BP_DEVICE_LOST
};

// One fact. The strings are borrowed for the call that tells it.
typedef struct bp_fact {
  const char *name, *unit;  // of BP_STANDARD_FACTS; or of the vendor, and then the name begins with '.': ".acme.tiles"
  const char *text;         // the value, by type; the other two are null and 0
  uint64_t integer;
  double real;
  uint32_t type;   // BP_FACT_
  uint32_t space;  // the memory space that it is about, or BP_NONE
} bp_fact_t;
BP_FROZEN(bp_fact_t, 48);

// Receives facts. Owned by the caller and valid during the call it is passed to.
typedef struct bp_fact_receiver {
  void *ctx;

  // Takes one fact.
  // BP-INFO-01: a fact has the unit and the type of its kind in BP_STANDARD_FACTS, unless its name begins with '.'. No
  //             fact is told twice in one call.
  // [caller's thread]
  void(BP_ABI *tell)(const struct bp_fact_receiver *receiver, const bp_fact_t *fact);
} bp_fact_receiver_t;
BP_FROZEN(bp_fact_receiver_t, 16);

typedef struct bp_device_info {
  // Tells the receiver what is known about the device now. May access hardware, in less than a tenth of a second.
  // BP-INFO-02: memory.free is at most memory.total, is lower by at least the size of each piece that alloc() has
  //             returned as long as that exists, and is what it was after release().
  // BP-INFO-03: facts are plausible in their units: clocks are from 1 MHz to 100 GHz, temperatures from -60 to 200
  //             degrees Celsius, and powers below 10^5 W.
  // BP-INFO-04: report() works after BP_DEVICE_LOST; `health` is then "failed", and else it is not.
  // [thread-safe]
  bp_status(BP_ABI *report)(const bp_device_t *device, const bp_fact_receiver_t *receiver, const bp_diag_t *diag);
} bp_device_info_t;
BP_FROZEN(bp_device_info_t, 8);

#ifdef __cplusplus
}
#endif
