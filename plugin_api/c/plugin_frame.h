// The frame of a plugin in C: everything except for the extension that it offers. Use it in one source file:
//
//   static const bp_device_compiler_t compiler = {claim, compile, load};
//   BP_PLUGIN_FRAME("com.acme.npu", "acme", "Acme NPU", "Acme", "1.0.0", "bp.compiler/1", compiler)
//
// This defines bp_entry and the manifest for one device that is always present, has no options and no state, and is
// known by its id and by one alias. A plugin whose device has state or options writes these functions itself, or takes
// them from ../cpp/single_device.h.
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

#define BP_PLUGIN_FRAME(device_id, alias, device_name, vendor_name, plugin_version, extension_id, extension_table)     \
  BP_PLUGIN_MANIFEST("{\"abi\":\"1.0.0\",\"vendor\":\"" vendor_name "\",\"version\":\"" plugin_version                 \
                     "\",\"opset\":1,\"devices\":[{\"id\":\"" device_id "\",\"aliases\":[\"" alias                     \
                     "\"],\"name\":\"" device_name "\",\"extensions\":[\"" extension_id "\"]}]}");                     \
  static const void *bp_frame_get_extension(const bp_device_t *device, const char *id) {                               \
    (void)device;                                                                                                      \
    return bp_frame_equal(id, extension_id) ? &(extension_table) : 0;                                                  \
  }                                                                                                                    \
  static const char *const bp_frame_features[] = {extension_id, 0};                                                    \
  static const bp_device_desc_t bp_frame_desc = {BP_VERSION_INIT, 1, device_id,         device_name, vendor_name,      \
                                                 plugin_version,  0, bp_frame_features, 0,           0};               \
  static const bp_device_t bp_frame_device = {                                                                         \
      &bp_frame_desc, 0, plugin_version, bp_frame_init_device, bp_frame_destroy_device, bp_frame_get_extension};       \
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
    (void)factory, (void)host, (void)instance, (void)options;                                                          \
    if (!bp_frame_equal(id, device_id) || option_count != 0) {                                                         \
      diag->report(diag, BP_INVALID, BP_NONE,                                                                          \
                   option_count != 0 ? device_id " has no options" : "expected the device " device_id);                \
      return 0;                                                                                                        \
    }                                                                                                                  \
    return &bp_frame_device;                                                                                           \
  }                                                                                                                    \
  static const bp_device_factory_t bp_frame_factory = {bp_frame_count, bp_frame_get_desc, bp_frame_probe,              \
                                                       bp_frame_create};                                               \
  static const void *bp_frame_get_factory(const char *id) {                                                            \
    return bp_frame_equal(id, BP_DEVICE_FACTORY) ? &bp_frame_factory : 0;                                              \
  }                                                                                                                    \
  const bp_plugin_entry_t bp_entry = {BP_VERSION_INIT, bp_frame_init, bp_frame_deinit, bp_frame_get_factory};
