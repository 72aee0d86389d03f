// A plugin of tier 0 in C, complete except for find() and the kernels that it returns. Use it in one source file:
//
//   static bp_kernel find(const bp_device_t *device, const bp_module_t *module, uint32_t instr, const bp_diag_t *diag);
//   BP_KERNELS_PLUGIN("com.acme.npu", "acme", "Acme NPU", "Acme", "1.0.0", find)
#pragma once
#include "plugin_frame.h"

#define BP_KERNELS_PLUGIN(device_id, alias, device_name, vendor_name, plugin_version, find_function) \
  static const bp_device_kernels_t bp_frame_kernels = {find_function};                               \
  BP_PLUGIN_FRAME(device_id, alias, device_name, vendor_name, plugin_version, "bp.kernels/1", bp_frame_kernels)
