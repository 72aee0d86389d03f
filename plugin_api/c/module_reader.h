// Functions that read a bp_module from C, for what kernels and find() need most often. The core has checked the module,
// so nothing is checked again here. Everything returned is borrowed from the module. For C++ there is
// plugin_api/cpp/module_view.h.
#pragma once
#include "backplane/backplane.h"

static inline const bp_instr_t *bp_read_instr(const bp_module_t *module, uint32_t instr) {
  return BP_AT(module, instrs, bp_instr_t, instr);
}

// These return the shapes of a value, of the n-th operand and of the n-th result. Shapes of one module are equal if and
// only if their addresses are equal; equal shapes have equal layouts.
static inline const bp_shape_t *bp_read_value_shape(const bp_module_t *module, uint32_t value) {
  return BP_AT(module, shapes, bp_shape_t, BP_AT(module, values, bp_value_t, value)->shape);
}
static inline const bp_shape_t *bp_read_operand_shape(const bp_module_t *module, uint32_t instr, uint32_t n) {
  const uint32_t *values = BP_AT(module, operands, uint32_t, bp_read_instr(module, instr)->operands);
  return bp_read_value_shape(module, values[n]);
}
static inline const bp_shape_t *bp_read_result_shape(const bp_module_t *module, uint32_t instr, uint32_t n) {
  return bp_read_value_shape(module, bp_read_instr(module, instr)->results + n);
}

// Returns the sizes of the dimensions, shape->rank numbers.
static inline const int64_t *bp_read_dims(const bp_module_t *module, const bp_shape_t *shape) {
  return BP_AT(module, i64s, int64_t, shape->dims);
}
static inline int64_t bp_read_element_count(const bp_module_t *module, const bp_shape_t *shape) {
  int64_t count = 1;
  for (uint32_t i = 0; i < shape->rank; ++i) {
    count *= bp_read_dims(module, shape)[i];
  }
  return count;
}
// Whether the layout is rank-1, ..., 1, 0 without tiles, which is C's row-major order.
static inline int bp_read_is_row_major(const bp_module_t *module, const bp_shape_t *shape) {
  const int64_t *layout = BP_AT(module, i64s, int64_t, shape->layout);
  for (uint32_t i = 0; i < shape->rank; ++i) {
    if (layout[i] != (int64_t)shape->rank - 1 - i) {
      return 0;
    }
  }
  return layout[shape->rank] == 0;
}

// Returns the attribute with that key (BP_ATTR_ in op_ids.h), or null if the instruction does not have it.
static inline const bp_attr_t *bp_read_attr(const bp_module_t *module, uint32_t instr, uint16_t key) {
  const bp_instr_t *at = bp_read_instr(module, instr);
  for (uint32_t i = 0; i < at->attr_count; ++i) {
    const bp_attr_t *attr = BP_AT(module, attrs, bp_attr_t, at->attrs + i);
    if (attr->key == key) {
      return attr;
    }
  }
  return 0;
}
// Returns the number of attributes of the instruction that may not be ignored. If the caller does not know one of them,
// it must refuse the instruction (BP-MODULE-07).
static inline uint32_t bp_read_attr_count(const bp_module_t *module, uint32_t instr) {
  const bp_instr_t *at = bp_read_instr(module, instr);
  uint32_t count = 0;
  for (uint32_t i = 0; i < at->attr_count; ++i) {
    count += BP_AT(module, attrs, bp_attr_t, at->attrs + i)->key < BP_ATTR_HINT;
  }
  return count;
}
// Whether the attribute is a list whose only element is `number`.
static inline int bp_read_attr_is(const bp_module_t *module, uint32_t instr, uint16_t key, int64_t number) {
  const bp_attr_t *attr = bp_read_attr(module, instr, key);
  return attr != 0 && attr->type == BP_ATTR_I64 && attr->count == 1 &&
         *BP_AT(module, i64s, int64_t, attr->data) == number;
}
