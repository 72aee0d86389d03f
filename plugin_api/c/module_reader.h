// Functions that read a bp_module from C: instructions, values, shapes, layouts and attributes. The core has checked
// the module, so nothing is checked again here. Everything returned is borrowed from the module. For C++ there is
// plugin_api/cpp/module_view.h.
#pragma once
#include <string.h>

#include "backplane/backplane.h"

static inline const bp_instr_t *bp_read_instr(const bp_module_t *module, uint32_t instr) {
  return BP_AT(module, instrs, bp_instr_t, instr);
}

// These return the n-th operand and the n-th result of an instruction: where they are in memory, and their shapes.
static inline const bp_value_t *bp_read_operand(const bp_module_t *module, uint32_t instr, uint32_t n) {
  const uint32_t *values = BP_AT(module, operands, uint32_t, bp_read_instr(module, instr)->operands);
  return BP_AT(module, values, bp_value_t, values[n]);
}
static inline const bp_value_t *bp_read_result(const bp_module_t *module, uint32_t instr, uint32_t n) {
  return BP_AT(module, values, bp_value_t, bp_read_instr(module, instr)->results + n);
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

// Returns the dimensions from the innermost to the outermost one, shape->rank numbers.
static inline const int64_t *bp_read_minor_to_major(const bp_module_t *module, const bp_shape_t *shape) {
  return BP_AT(module, i64s, int64_t, shape->layout);
}
static inline uint32_t bp_read_tile_count(const bp_module_t *module, const bp_shape_t *shape) {
  return (uint32_t)*BP_AT(module, i64s, int64_t, shape->layout + shape->rank);
}
// Returns the sizes of the n-th tile, of which -1 combines dimensions, and sets *rank to their number.
static inline const int64_t *bp_read_tile(const bp_module_t *module, const bp_shape_t *shape, uint32_t n,
                                          uint32_t *rank) {
  const int64_t *at = BP_AT(module, i64s, int64_t, shape->layout + shape->rank + 1);
  for (; n > 0; --n) {
    at += 1 + *at;
  }
  *rank = (uint32_t)*at;
  return at + 1;
}

// Writes the strides of the dimensions, in elements: shape->rank numbers. The element with index i0, i1, ... is number
// i0 * strides[0] + i1 * strides[1] + ... in memory. Returns 0, and writes nothing, if the layout has tiles: it
// has no strides.
static inline int bp_read_strides(const bp_module_t *module, const bp_shape_t *shape, int64_t *strides) {
  if (bp_read_tile_count(module, shape) != 0) {
    return 0;
  }
  const int64_t *dims = bp_read_dims(module, shape), *order = bp_read_minor_to_major(module, shape);
  int64_t stride = 1;
  for (uint32_t i = 0; i < shape->rank; ++i) {
    strides[order[i]] = stride;
    stride *= dims[order[i]];
  }
  return 1;
}

// These read and write element number n of an array of packed elements (shape->element_bits of 1, 2 or 4), which fill
// the low bits of each byte first. A write keeps the other elements of the byte, so no other thread may write to them.
static inline uint8_t bp_read_packed(const void *array, uint32_t element_bits, uint64_t n) {
  const uint64_t bit = n * element_bits;
  return (uint8_t)(((const uint8_t *)array)[bit / 8] >> bit % 8 & ((1u << element_bits) - 1));
}
static inline void bp_write_packed(void *array, uint32_t element_bits, uint64_t n, uint8_t element) {
  const uint64_t bit = n * element_bits;
  const uint32_t mask = ((1u << element_bits) - 1) << bit % 8;
  uint8_t *byte = (uint8_t *)array + bit / 8;
  *byte = (uint8_t)((*byte & ~mask) | ((uint32_t)element << bit % 8 & mask));
}
// Returns a packed s2 or s4 as the number that it stands for.
static inline int8_t bp_read_packed_signed(const void *array, uint32_t element_bits, uint64_t n) {
  const uint8_t sign = (uint8_t)(1u << (element_bits - 1));
  return (int8_t)((bp_read_packed(array, element_bits, n) ^ sign) - sign);
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

// These return an attribute as what it is: a list of integers, a number, a text or bytes. If the instruction does not
// have it, or has it with another type, they return `otherwise`, or null with *count 0. A text ends in 0.
static inline const bp_attr_t *bp_read_attr_of_type(const bp_module_t *module, uint32_t instr, uint16_t key,
                                                    uint16_t type) {
  const bp_attr_t *attr = bp_read_attr(module, instr, key);
  return attr != 0 && attr->type == type ? attr : 0;
}
static inline const int64_t *bp_read_integers(const bp_module_t *module, uint32_t instr, uint16_t key,
                                              uint32_t *count) {
  const bp_attr_t *attr = bp_read_attr_of_type(module, instr, key, BP_ATTR_I64);
  *count = attr != 0 ? attr->count : 0;
  return attr != 0 ? BP_AT(module, i64s, int64_t, attr->data) : 0;
}
// Returns the first integer of the list.
static inline int64_t bp_read_integer(const bp_module_t *module, uint32_t instr, uint16_t key, int64_t otherwise) {
  uint32_t count;
  const int64_t *integers = bp_read_integers(module, instr, key, &count);
  return count != 0 ? integers[0] : otherwise;
}
static inline double bp_read_real(const bp_module_t *module, uint32_t instr, uint16_t key, double otherwise) {
  const bp_attr_t *attr = bp_read_attr_of_type(module, instr, key, BP_ATTR_F64);
  if (attr != 0 && attr->count != 0) {
    memcpy(&otherwise, BP_AT(module, i64s, int64_t, attr->data), sizeof otherwise);
  }
  return otherwise;
}
static inline const char *bp_read_text(const bp_module_t *module, uint32_t instr, uint16_t key, const char *otherwise) {
  const bp_attr_t *attr = bp_read_attr_of_type(module, instr, key, BP_ATTR_STRING);
  return attr != 0 ? BP_AT(module, strings, char, attr->data) : otherwise;
}
static inline const uint8_t *bp_read_bytes(const bp_module_t *module, uint32_t instr, uint16_t key, uint32_t *count) {
  const bp_attr_t *attr = bp_read_attr_of_type(module, instr, key, BP_ATTR_BYTES);
  *count = attr != 0 ? attr->count : 0;
  return attr != 0 ? BP_AT(module, bytes, uint8_t, attr->data) : 0;
}
