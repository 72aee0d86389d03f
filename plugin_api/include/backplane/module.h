// The program handed over: optimized HLO, its schedule and its buffer assignment, as one value.
//
// A bp_module is a read-only, position-independent image of plain arrays: copy it, store it, hash it, send it to
// another machine. There are no accessor functions; BP_AT is all one needs, and plugin_api/cpp/module_view.h reads more
// nicely.
//
// How HLO becomes a module:
// - Tuples are gone: an instruction defines a value for each leaf (array or token) of its shape, and takes the leaves
//   of its operands; tuple and get-tuple-element vanish. So while takes and gives n values and its computations take n;
//   conditional takes the selector, then the leaves of each branch's operand in turn. Parameters are numbered by leaf.
// - while, conditional, call and fusion stay instructions with called computations. Callees come before callers, and
//   each computation is of one kind: control or embedded.
// - The order of the instructions of a computation is its schedule; values are defined before they are used.
// - A constant of a control computation has an allocation, whose content load() gets. Small ones (64 bytes), and all of
//   embedded computations, carry their bytes in the attribute BP_ATTR_VALUE too.
//
// BP-MODULE-01: little-endian; the base and every array are 64-byte aligned; at most 4 GiB; no absolute address.
// BP-MODULE-02: op, dtype and attribute numbers (op_ids.h) are only ever added to. `opset` is the newest number set
//               used, and never newer than bp_device_desc.opset of the plugin it is handed to.
// BP-MODULE-03: `hash` is the SHA-256 of all that follows it. Equal hashes mean equal modules.
// BP-MODULE-04: nobody writes to a module. It is borrowed for the call it is passed to.
// BP-MODULE-05: a plugin may reorder and overlap instructions if that preserves values, control edges, the order of
//               instructions with side effects, and every pair of overlapping slices of which one side writes.
// BP-MODULE-06: while: init, parameter, body root and result share one slice; so do roots and results of conditional
//               and call. Any other two values live at once are disjoint; an operand and a result coincide only where
//               the op permits it, and then exactly. A fusion computes all results at an index before it stores one.
#pragma once
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// An array in the image.
typedef struct bp_range {
  uint32_t offset;  // bytes from the start of the module
  uint32_t count;   // elements
} bp_range_t;
BP_FROZEN(bp_range_t, 8);

// How far the core has come. Before BP_STAGE_FINAL only constants have allocations.
enum { BP_STAGE_LEGALIZE = 1, BP_STAGE_LAID_OUT = 2, BP_STAGE_FUSED = 3, BP_STAGE_FINAL = 4 };

typedef struct bp_module {
  char magic[8];     // "BPMODULE"
  uint8_t hash[32];  // SHA-256 of bytes [40, size)
  uint64_t size;     // of the whole image in bytes
  uint32_t opset;
  uint32_t stage;                      // BP_STAGE_
  uint32_t entry;                      // computation
  uint32_t name;                       // in strings
  uint32_t own_attrs, own_attr_count;  // in attrs: options, replica and partition counts; part of the hash
  bp_range_t computations;             // bp_computation_t
  bp_range_t instrs;                   // bp_instr_t; those of one computation are consecutive
  bp_range_t values;                   // bp_value_t; those of one instruction are consecutive
  bp_range_t shapes;                   // bp_shape_t, each different
  bp_range_t operands;                 // uint32_t: value ids, computation ids
  bp_range_t attrs;                    // bp_attr_t
  bp_range_t allocations;              // bp_allocation_t
  bp_range_t i64s;                     // int64_t: dimensions, layouts, attributes (doubles by their bits)
  bp_range_t strings;                  // char: UTF-8, each ends in 0; an index is the offset of the first byte
  bp_range_t bytes;                    // uint8_t: literals, hashes
  bp_range_t sections;                 // bp_section_t: tables added later. Skip unknown ids (BP-LAW-05)
} bp_module_t;
BP_FROZEN(bp_module_t, 160);

// A table that did not exist when bp_module was frozen.
typedef struct bp_section {
  uint32_t id, offset, count, element_size;
} bp_section_t;
BP_FROZEN(bp_section_t, 16);

enum { BP_SECTION_CONTROL_EDGES = 1 };

// Element of BP_SECTION_CONTROL_EDGES, sorted: `before` must have finished when `after` starts. Instruction indices.
typedef struct bp_control_edge {
  uint32_t before, after;
} bp_control_edge_t;
BP_FROZEN(bp_control_edge_t, 8);

typedef struct bp_shape {
  uint16_t dtype;         // XLA's PrimitiveType number (op_ids.h); ours from 0x4000
  uint16_t rank;          // 0: scalar; also 0 for tokens
  uint32_t dims;          // in i64s: `rank` sizes
  uint32_t layout;        // in i64s: `rank` dimensions, minor to major; tile count; per tile: rank, sizes (-1: combine)
  uint32_t element_bits;  // as stored: pred 8, s4 8 or 4. Packed elements fill the low bits first. 0: a token
} bp_shape_t;
BP_FROZEN(bp_shape_t, 16);

typedef struct bp_value {
  uint32_t shape;
  uint32_t instr;       // that defines it; parameters are instructions too
  uint32_t allocation;  // BP_NONE: tokens, values of embedded computations, and everything before BP_STAGE_FINAL
  uint32_t precision;   // required accuracy class
  uint64_t offset;      // in the allocation, bytes
  uint64_t size;        // bytes
} bp_value_t;
BP_FROZEN(bp_value_t, 32);

enum { BP_ALLOC_INPUT = 1, BP_ALLOC_OUTPUT = 2, BP_ALLOC_TEMP = 3, BP_ALLOC_CONSTANT = 4 };
enum { BP_ALLOC_READ_ONLY = 1 };

// One piece of memory a run needs. Planned and provided by the core, one location each in bp_run.allocations.
typedef struct bp_allocation {
  uint64_t size;       // bytes
  uint32_t alignment;  // bytes, a power of two
  uint16_t kind;       // BP_ALLOC_INPUT ...
  uint16_t space;      // index into bp_device_memory.spaces; 0 without that extension
  uint32_t index;      // input: parameter number; output: root number; else BP_NONE
  uint32_t alias;      // output: the input allocation donated to it (equal locations), or BP_NONE
  uint32_t content;    // constant: in bytes, the 32-byte SHA-256 of its content; else BP_NONE
  uint32_t flags;      // BP_ALLOC_READ_ONLY
} bp_allocation_t;
BP_FROZEN(bp_allocation_t, 32);

enum { BP_INSTR_SIDE_EFFECT = 1 };

typedef struct bp_instr {
  uint16_t op;                       // BP_OP_ (op_ids.h)
  uint16_t flags;                    // BP_INSTR_SIDE_EFFECT
  uint32_t operands, operand_count;  // in operands: value ids
  uint32_t results, result_count;    // consecutive value ids
  uint32_t attrs, attr_count;        // in attrs, sorted by key
  uint32_t calls, call_count;        // in operands: computation ids
  uint32_t name;                     // in strings
  uint32_t origin;                   // in strings: source op of the framework, or BP_NONE
} bp_instr_t;
BP_FROZEN(bp_instr_t, 44);

// How an attribute's data is stored; `data` indexes i64s, i64s (bits of a double), strings or bytes.
enum { BP_ATTR_I64 = 1, BP_ATTR_F64 = 2, BP_ATTR_STRING = 3, BP_ATTR_BYTES = 4 };
// BP-MODULE-07: attributes with keys from here on may be ignored; any other that is not understood is not claimed.
#define BP_ATTR_HINT 0x8000

typedef struct bp_attr {
  uint16_t key;    // BP_ATTR_ key (op_ids.h)
  uint16_t type;   // BP_ATTR_I64 ...
  uint32_t data;   // where
  uint32_t count;  // elements; of a string the bytes without the final 0
} bp_attr_t;
BP_FROZEN(bp_attr_t, 12);

// Control: its instructions are scheduled and their values have allocations. Embedded: the body of a fusion, reduce,
// sort, ...; its values exist only inside the instruction that calls it.
enum { BP_COMPUTATION_CONTROL = 1, BP_COMPUTATION_EMBEDDED = 2 };

typedef struct bp_computation {
  uint32_t instrs, instr_count;  // consecutive, in schedule order
  uint32_t params, param_count;  // in operands: value ids, in parameter order
  uint32_t roots, root_count;    // in operands: value ids
  uint32_t name;                 // in strings
  uint32_t kind;                 // BP_COMPUTATION_
} bp_computation_t;
BP_FROZEN(bp_computation_t, 32);

// The i-th element of an array of the module: BP_AT(module, instrs, bp_instr_t, 3)->op
#define BP_AT(module, range, type, i) ((const type *)((const char *)(module) + (module)->range.offset) + (i))

#ifdef __cplusplus
}
#endif
