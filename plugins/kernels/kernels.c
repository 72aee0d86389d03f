// A backend in plain C: nine kernels for f32 on host memory, and find(), which says what they take. Everything else is
// done by the frame in plugin_api/c/kernels_plugin.h and by the core.
#include "plugin_api/c/kernels_plugin.h"
#include "plugin_api/c/module_reader.h"

// Defines a kernel with one loop over all elements. Equal shapes have equal layouts, so corresponding elements have
// equal offsets; without tiles, there are no gaps between them.
#define ELEMENTWISE(name, result)                                                                                   \
  static bp_status name(const bp_device_t *device, const bp_call_t *call, const bp_diag_t *diag) {                  \
    const bp_module_t *module = call->module;                                                                       \
    const int64_t count = bp_read_element_count(module, bp_read_result_shape(module, call->instr, 0));              \
    const float *a = call->operands[0], *b = call->operands[bp_read_instr(module, call->instr)->operand_count - 1]; \
    float *out = call->results[0];                                                                                  \
    for (int64_t i = 0; i < count; ++i) {                                                                           \
      const float x = a[i], y = b[i];                                                                               \
      (void)x, (void)y;                                                                                             \
      out[i] = result;                                                                                              \
    }                                                                                                               \
    (void)device, (void)diag;                                                                                       \
    return BP_OK;                                                                                                   \
  }
// The maximum or minimum of x and y. The result is NaN if either is NaN, and 0 is larger than -0.
#define FIRST_IN_ORDER(order) (x != x || x order y || (x == y && 1 / x order 1 / y) ? x : y)
ELEMENTWISE(add, x + y)
ELEMENTWISE(subtract, x - y)
ELEMENTWISE(multiply, x *y)
ELEMENTWISE(divide, x / y)
ELEMENTWISE(maximum, FIRST_IN_ORDER(>))
ELEMENTWISE(minimum, FIRST_IN_ORDER(<))
ELEMENTWISE(negate, -x)
ELEMENTWISE(square_root, __builtin_sqrtf(x))

// Computes f32[m,k] times f32[k,n], all row-major.
static bp_status dot(const bp_device_t *device, const bp_call_t *call, const bp_diag_t *diag) {
  const int64_t *left = bp_read_dims(call->module, bp_read_operand_shape(call->module, call->instr, 0));
  const int64_t *right = bp_read_dims(call->module, bp_read_operand_shape(call->module, call->instr, 1));
  const int64_t m = left[0], k = left[1], n = right[1];
  const float *a = call->operands[0], *b = call->operands[1];
  float *out = call->results[0];
  for (int64_t i = 0; i < m; ++i, a += k, out += n) {
    for (int64_t l = 0; l < n; ++l) {
      out[l] = 0;
    }
    for (int64_t j = 0; j < k; ++j) {
      for (int64_t l = 0; l < n; ++l) {
        out[l] += a[j] * b[j * n + l];
      }
    }
  }
  (void)device, (void)diag;
  return BP_OK;
}

static const struct {
  uint16_t op;
  bp_kernel kernel;
} elementwise[] = {{BP_OP_ADD, add},       {BP_OP_SUBTRACT, subtract}, {BP_OP_MULTIPLY, multiply},
                   {BP_OP_DIVIDE, divide}, {BP_OP_MAXIMUM, maximum},   {BP_OP_MINIMUM, minimum},
                   {BP_OP_NEGATE, negate}, {BP_OP_SQRT, square_root}};

static int is_matrix(const bp_module_t *module, const bp_shape_t *shape) {
  return shape->dtype == BP_DTYPE_F32 && shape->rank == 2 && bp_read_is_row_major(module, shape);
}

static bp_kernel find(const bp_device_t *device, const bp_module_t *module, uint32_t instr, const bp_diag_t *diag) {
  const bp_instr_t *at = bp_read_instr(module, instr);
  const bp_shape_t *result = bp_read_result_shape(module, instr, 0);
  (void)device;
  for (uint32_t i = 0; i < sizeof(elementwise) / sizeof(*elementwise); ++i) {
    if (at->op == elementwise[i].op && bp_read_attr_count(module, instr) == 0) {
      for (uint32_t n = 0; n < at->operand_count; ++n) {
        if (result->dtype != BP_DTYPE_F32 || bp_read_operand_shape(module, instr, n) != result ||
            bp_read_tile_count(module, result) != 0) {
          diag->report(diag, BP_UNSUPPORTED, instr, "expected f32, and operands in the layout of the result");
          return 0;
        }
      }
      return elementwise[i].kernel;
    }
  }
  if (at->op == BP_OP_DOT && is_matrix(module, result) && is_matrix(module, bp_read_operand_shape(module, instr, 0)) &&
      is_matrix(module, bp_read_operand_shape(module, instr, 1)) &&
      bp_read_attr_is(module, instr, BP_ATTR_LHS_CONTRACTING_DIMS, 1) &&
      bp_read_attr_is(module, instr, BP_ATTR_RHS_CONTRACTING_DIMS, 0) &&
      bp_read_attr_count(module, instr) == 2u + (bp_read_attr(module, instr, BP_ATTR_OPERAND_PRECISION) != 0)) {
    return dot;
  }
  diag->report(diag, BP_UNSUPPORTED, instr, "there is no kernel for this op with these attributes and shapes");
  return 0;
}

BP_KERNELS_PLUGIN("dev.backplane.kernels", "kernels", "A few kernels in C", "Backplane", "1.0.0", find)
