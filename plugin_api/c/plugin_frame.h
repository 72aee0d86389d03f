// The frame of a plugin in C: everything except for the extensions that it offers. Use it in one source file. If the
// device has one extension and no state:
//
//   static const bp_device_compiler_t compiler = {claim, compile, load};
//   BP_PLUGIN_FRAME("com.acme.npu", "acme", "Acme NPU", "Acme", "1.0.0", "bp.compiler/1", compiler)
//
// If it has several extensions, or a state such as memory of its own and queues, then create() makes the device, and
// the ids of its extensions (at most 8) come last:
//
//   static const bp_device_t *create(const bp_device_desc_t *desc, const bp_host_t *host, const bp_diag_t *diag);
//   BP_DEVICE_FRAME("com.acme.npu", "acme", "Acme NPU", "Acme", "1.0.0", create, "bp.memory/1", "bp.compiler/1")
//
// create() returns null after a report if it fails. address_space.h and device_queues.h help with memory and queues.
//
// Both define bp_entry and the manifest for one device that is always present, has no options, and is known by its id
// and by one alias. A plugin whose device has options writes these functions itself, or takes them from
// ../cpp/single_device.h.
#pragma once
#include "backplane/backplane.h"

static inline int bp_frame_equal(const char *a, const char *b) {
  for (; *a != '\0' && *a == *b; ++a, ++b) {
  }
  return *a == *b;
}

static inline bp_status bp_frame_init(const char *plugin_path, const bp_diag_t *diag) {
  (void)plugin_path, (void)diag;
  return BP_OK;
}
static inline void bp_frame_deinit(void) {}
static inline uint32_t bp_frame_count(const bp_device_factory_t *factory) {
  (void)factory;
  return 1;
}
static inline bp_status bp_frame_init_device(const bp_device_t *device, const bp_diag_t *diag) {
  (void)device, (void)diag;
  return BP_OK;
}
static inline void bp_frame_destroy_device(const bp_device_t *device) {
  (void)device;
}

// The ids of extensions, at most 8, as JSON.
#define BP_FRAME_JSON(...)                                                                                    \
  BP_FRAME_NINTH(__VA_ARGS__, BP_FRAME_JSON8, BP_FRAME_JSON7, BP_FRAME_JSON6, BP_FRAME_JSON5, BP_FRAME_JSON4, \
                 BP_FRAME_JSON3, BP_FRAME_JSON2, BP_FRAME_JSON1, 0)                                           \
  (__VA_ARGS__)
#define BP_FRAME_NINTH(a, b, c, d, e, f, g, h, ninth, ...) ninth
#define BP_FRAME_JSON1(id) "\"" id "\""
#define BP_FRAME_JSON2(id, ...) BP_FRAME_JSON1(id) "," BP_FRAME_JSON1(__VA_ARGS__)
#define BP_FRAME_JSON3(id, ...) BP_FRAME_JSON1(id) "," BP_FRAME_JSON2(__VA_ARGS__)
#define BP_FRAME_JSON4(id, ...) BP_FRAME_JSON1(id) "," BP_FRAME_JSON3(__VA_ARGS__)
#define BP_FRAME_JSON5(id, ...) BP_FRAME_JSON1(id) "," BP_FRAME_JSON4(__VA_ARGS__)
#define BP_FRAME_JSON6(id, ...) BP_FRAME_JSON1(id) "," BP_FRAME_JSON5(__VA_ARGS__)
#define BP_FRAME_JSON7(id, ...) BP_FRAME_JSON1(id) "," BP_FRAME_JSON6(__VA_ARGS__)
#define BP_FRAME_JSON8(id, ...) BP_FRAME_JSON1(id) "," BP_FRAME_JSON7(__VA_ARGS__)

#define BP_DEVICE_FRAME(device_id, alias, device_name, vendor_name, plugin_version, create_device, ...)                \
  BP_PLUGIN_MANIFEST("{\"abi\":\"1.0.0\",\"vendor\":\"" vendor_name "\",\"version\":\"" plugin_version                 \
                     "\",\"opset\":1,\"devices\":[{\"id\":\"" device_id "\",\"aliases\":[\"" alias                     \
                     "\"],\"name\":\"" device_name "\",\"extensions\":[" BP_FRAME_JSON(__VA_ARGS__) "]}]}");           \
  static const char *const bp_frame_features[] = {__VA_ARGS__, 0};                                                     \
  static const bp_device_desc_t bp_frame_desc = {BP_VERSION_INIT, 1, device_id,         device_name, vendor_name,      \
                                                 plugin_version,  0, bp_frame_features, 0,           0};               \
  static const bp_device_desc_t *bp_frame_get_desc(const bp_device_factory_t *factory, uint32_t index) {               \
    (void)factory;                                                                                                     \
    return index == 0 ? &bp_frame_desc : 0;                                                                            \
  }                                                                                                                    \
  static bp_status bp_frame_probe(const bp_device_factory_t *factory, const char *id, uint32_t *instances,             \
                                  const bp_diag_t *diag) {                                                             \
    (void)factory, (void)diag;                                                                                         \
    *instances = bp_frame_equal(id, device_id) ? 1 : 0;                                                                \
    return BP_OK;                                                                                                      \
  }                                                                                                                    \
  static const bp_device_t *bp_frame_create(const bp_device_factory_t *factory, const bp_host_t *host, const char *id, \
                                            uint32_t instance, const bp_option_t *options, uint32_t option_count,      \
                                            const bp_diag_t *diag) {                                                   \
    (void)factory, (void)instance, (void)options;                                                                      \
    if (!bp_frame_equal(id, device_id) || option_count != 0) {                                                         \
      diag->report(diag, BP_INVALID, BP_NONE,                                                                          \
                   option_count != 0 ? device_id " has no options" : "expected the device " device_id);                \
      return 0;                                                                                                        \
    }                                                                                                                  \
    return create_device(&bp_frame_desc, host, diag);                                                                  \
  }                                                                                                                    \
  static const bp_device_factory_t bp_frame_factory = {bp_frame_count, bp_frame_get_desc, bp_frame_probe,              \
                                                       bp_frame_create};                                               \
  static const void *bp_frame_get_factory(const char *id) {                                                            \
    return bp_frame_equal(id, BP_DEVICE_FACTORY) ? &bp_frame_factory : 0;                                              \
  }                                                                                                                    \
  const bp_plugin_entry_t bp_entry = {BP_VERSION_INIT, bp_frame_init, bp_frame_deinit, bp_frame_get_factory};

#define BP_PLUGIN_FRAME(device_id, alias, device_name, vendor_name, plugin_version, extension_id, extension_table) \
  static const void *bp_frame_get_extension(const bp_device_t *device, const char *id) {                           \
    (void)device;                                                                                                  \
    return bp_frame_equal(id, extension_id) ? &(extension_table) : 0;                                              \
  }                                                                                                                \
  static const bp_device_desc_t bp_frame_desc; /* defined by BP_DEVICE_FRAME */                                    \
  static const bp_device_t bp_frame_device = {                                                                     \
      &bp_frame_desc, 0, plugin_version, bp_frame_init_device, bp_frame_destroy_device, bp_frame_get_extension};   \
  static const bp_device_t *bp_frame_get_device(const bp_device_desc_t *desc, const bp_host_t *host,               \
                                                const bp_diag_t *diag) {                                           \
    (void)desc, (void)host, (void)diag;                                                                            \
    return &bp_frame_device;                                                                                       \
  }                                                                                                                \
  BP_DEVICE_FRAME(device_id, alias, device_name, vendor_name, plugin_version, bp_frame_get_device, extension_id)
