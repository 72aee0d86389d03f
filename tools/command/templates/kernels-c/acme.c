// Acme: a backend of a few kernels. The core asks find() about each instruction; those with a kernel run here.
#include "backplane/c/kernels_plugin.h"
#include "backplane/c/module_reader.h"

// Returns the number of elements of the result; operands have the same number.
static int64_t count_of(const bp_call_t *call) {
  return bp_read_element_count(call->module, bp_read_result_shape(call->module, call->instr, 0));
}

static bp_status add(const bp_device_t *device, const bp_call_t *call, const bp_diag_t *diag) {
  const float *x = call->operands[0], *y = call->operands[1];
  float *out = call->results[0];
  for (int64_t i = 0, count = count_of(call); i < count; ++i) {
    out[i] = x[i] + y[i];
  }
  (void)device, (void)diag;
  return BP_OK;
}

static bp_status multiply(const bp_device_t *device, const bp_call_t *call, const bp_diag_t *diag) {
  const float *x = call->operands[0], *y = call->operands[1];
  float *out = call->results[0];
  for (int64_t i = 0, count = count_of(call); i < count; ++i) {
    out[i] = x[i] * y[i];
  }
  (void)device, (void)diag;
  return BP_OK;
}

static const struct {
  uint16_t op;
  bp_kernel kernel;
} kernels[] = {{BP_OP_ADD, add}, {BP_OP_MULTIPLY, multiply}};

// Whether a single loop over all elements computes the result: operands and result have equal shapes, and so equal
// layouts, without the gaps that tiles leave.
static int is_plain(const bp_module_t *module, uint32_t instr) {
  const bp_shape_t *shape = bp_read_result_shape(module, instr, 0);
  for (uint32_t n = 0; n < bp_read_instr(module, instr)->operand_count; ++n) {
    if (bp_read_operand_shape(module, instr, n) != shape) {
      return 0;
    }
  }
  return shape->dtype == BP_DTYPE_F32 && bp_read_tile_count(module, shape) == 0 &&
         bp_read_attr_count(module, instr) == 0;
}

// Returns the kernel for this instruction, or null after reporting why there is none.
static bp_kernel find(const bp_device_t *device, const bp_module_t *module, uint32_t instr, const bp_diag_t *diag) {
  const bp_instr_t *at = bp_read_instr(module, instr);
  (void)device;
  for (uint32_t i = 0; i < sizeof kernels / sizeof *kernels; ++i) {
    if (at->op == kernels[i].op) {
      if (is_plain(module, instr)) {
        return kernels[i].kernel;
      }
      diag->report(diag, BP_UNSUPPORTED, instr, "expected f32, equal layouts, and no attributes");
      return 0;
    }
  }
  diag->report(diag, BP_UNSUPPORTED, instr, "there is no kernel for this op");
  return 0;
}

BP_KERNELS_PLUGIN("com.acme.device", "acme", "Acme", "Acme", "0.1.0", find)
