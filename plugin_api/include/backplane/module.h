// The program as a plugin gets it: optimized HLO, its schedule and its buffer assignment, as one value.
//
// A bp_module is a read-only, position-independent image of plain arrays: it can be copied, stored, hashed, and sent to
// another machine. There are no accessor functions: BP_AT is sufficient, and plugin_api/cpp/module_view.h is more
// convenient.
//
// How HLO becomes a module:
// - There are no tuples: an instruction defines a value for each leaf (array or token) of its shape, and its operands
//   are the leaves of its HLO operands; tuple and get-tuple-element disappear. Hence while has n operands and n
//   results, and its computations have n parameters; conditional takes the selector, then the leaves of each branch's
//   operand in turn. Parameters are numbered by leaf.
// - while, conditional, call and fusion remain instructions with called computations. Callees come before callers, and
//   each computation is of one kind: control or embedded.
// - The order of the instructions of a computation is its schedule; values are defined before they are used.
// - A constant of a control computation has an allocation, whose content load() gets. Small constants (up to 64 bytes),
//   and all constants of embedded computations, also carry their bytes in the attribute BP_ATTR_VALUE.
//
// BP-MODULE-01: a module is little-endian, at most 4 GiB large and without absolute addresses; its base and every array
//               are 64-byte aligned.
// BP-MODULE-02: numbers of ops, dtypes and attributes (op_ids.h) are added, but never changed or removed. `opset` is
//               the newest opset of the numbers that the module uses, and never newer than bp_device_desc.opset of the
//               plugin that gets the module. What such a plugin does not know is said in another way: an instruction
//               whose op or attribute is newer is a custom call of a target that begins with "bp.newer.", which is
//               never the plugin's to run.
//               Opset 1: ops to 136, attributes to 104; BP_ATTR_RESULT_ACCURACY says which accuracy is required.
//               Opset 2: the same, but bp_value.precision says it, and the attribute does not occur.
// BP-MODULE-03: `hash` is the SHA-256 of all bytes that follow it. Equal hashes mean equal modules.
// BP-MODULE-04: nobody writes to a module. It is borrowed for the call that it is passed to.
// BP-MODULE-05: a plugin may reorder and overlap instructions if that preserves values, control edges, the order of
//               instructions with side effects, and the order of any two accesses to overlapping slices of which at
//               least one is a write.
// BP-MODULE-06: the init, parameter, body root and result of a while share one slice; so do the roots and results of a
//               conditional or call, and each parameter of a branch or call and the operand that it gets: control flow
//               copies nothing. Any other two values that are live at the same time do not overlap; an operand and
//               a result share memory only if the op permits it, and then they have exactly the same slice. A fusion
//               computes all results at an index before it stores any of them.
// BP-MODULE-08: every module that a plugin sees is well-typed by the rules of HLO's op table: operands and results have
//               the right number, element types and shapes; required attributes are present, and all are in range;
//               called computations have the signature that the op asks for.
// BP-PRECISION-01: bp_value.precision is how far a float or complex value may be from the exact result, in units in the
//               last place (ulp: the distance to the neighbouring value; of the larger part of a complex number). 1 is
//               the highest accuracy that a program can ask for; a larger number may be above what the op table allows.
//               0 asks for nothing but the op table's limit. A plugin does not claim an instruction that it computes
//               less accurately.
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

// Stages of the core's work on a module. Before BP_STAGE_FINAL only constants have allocations.
enum { BP_STAGE_LEGALIZE = 1, BP_STAGE_LAID_OUT = 2, BP_STAGE_FUSED = 3, BP_STAGE_FINAL = 4 };

typedef struct bp_module {
  char magic[8];     // "BPMODULE"
  uint8_t hash[32];  // SHA-256 of bytes [40, size)
  uint64_t size;     // bytes of the whole image
  uint32_t opset;
  uint32_t stage;                      // BP_STAGE_
  uint32_t entry;                      // index of the entry computation
  uint32_t name;                       // in strings
  uint32_t own_attrs, own_attr_count;  // in attrs: options, replica and partition counts; part of the hash
  bp_range_t computations;             // bp_computation_t
  bp_range_t instrs;                   // bp_instr_t; the instructions of one computation are consecutive
  bp_range_t values;                   // bp_value_t; the values of one instruction are consecutive
  bp_range_t shapes;                   // bp_shape_t, no two equal
  bp_range_t operands;                 // uint32_t: value ids, computation ids
  bp_range_t attrs;                    // bp_attr_t
  bp_range_t allocations;              // bp_allocation_t
  bp_range_t i64s;                     // int64_t: dimensions, layouts, attributes (doubles as their bits)
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

// An element of BP_SECTION_CONTROL_EDGES, which is sorted: instruction `before` must have finished when instruction
// `after` starts.
typedef struct bp_control_edge {
  uint32_t before, after;
} bp_control_edge_t;
BP_FROZEN(bp_control_edge_t, 8);

// An element of pred is one byte in memory, 0 or 1. The core stores no other, and expects no other from its callers. A
// plugin stores no other either: results are compared bit by bit, and every reader may take the byte as it is. So a
// bitcast-convert to pred is code: it stores 1 for each byte that is not 0.
typedef struct bp_shape {
  uint16_t dtype;         // XLA's PrimitiveType number (op_ids.h); numbers from 0x4000 are Backplane's own
  uint16_t rank;          // number of dimensions; 0 for scalars and tokens
  uint32_t dims;          // in i64s: `rank` sizes
  uint32_t layout;        // in i64s: `rank` dimensions, minor to major; tile count; per tile: rank, sizes (-1: combine)
  uint32_t element_bits;  // as stored: pred 8, s4 8 or 4, token 0. Packed elements fill the low bits first
} bp_shape_t;
BP_FROZEN(bp_shape_t, 16);

typedef struct bp_value {
  uint32_t shape;
  uint32_t instr;       // index of the instruction that defines it; parameters are instructions too
  uint32_t allocation;  // BP_NONE: tokens, values of embedded computations, and everything before BP_STAGE_FINAL
  uint32_t precision;   // the required accuracy, see BP-PRECISION-01; 0 in opset 1
  uint64_t offset;      // bytes from the start of the allocation
  uint64_t size;        // bytes
} bp_value_t;
BP_FROZEN(bp_value_t, 32);

enum { BP_ALLOC_INPUT = 1, BP_ALLOC_OUTPUT = 2, BP_ALLOC_TEMP = 3, BP_ALLOC_CONSTANT = 4 };
enum { BP_ALLOC_READ_ONLY = 1 };

// One piece of memory that a run needs. The core plans and provides it; its location is in bp_run.allocations.
typedef struct bp_allocation {
  uint64_t size;       // bytes
  uint32_t alignment;  // bytes, a power of two
  uint16_t kind;       // BP_ALLOC_INPUT ...
  uint16_t space;      // index into bp_device_memory.spaces; 0 if the device does not have that extension
  uint32_t index;      // input: parameter number; output: root number; else BP_NONE
  uint32_t alias;      // output: input allocation that is donated to it (equal locations), or BP_NONE
  uint32_t content;    // constant: index in `bytes` of the 32-byte SHA-256 of its content; else BP_NONE
  uint32_t flags;      // BP_ALLOC_READ_ONLY
} bp_allocation_t;
BP_FROZEN(bp_allocation_t, 32);

// HOST_CALL: the application runs it; only for devices that have bp.host-call (ext/draft/host_call.h).
enum { BP_INSTR_SIDE_EFFECT = 1, BP_INSTR_HOST_CALL = 2 };

typedef struct bp_instr {
  uint16_t op;                       // BP_OP_ (op_ids.h)
  uint16_t flags;                    // BP_INSTR_
  uint32_t operands, operand_count;  // in operands: value ids
  uint32_t results, result_count;    // consecutive value ids
  uint32_t attrs, attr_count;        // in attrs, sorted by key
  uint32_t calls, call_count;        // in operands: computation ids
  uint32_t name;                     // in strings
  uint32_t origin;                   // in strings: the op of the framework that it came from, or BP_NONE
} bp_instr_t;
BP_FROZEN(bp_instr_t, 44);

// Types of an attribute's data: `data` is an index in i64s, i64s (bits of a double), strings or bytes.
enum { BP_ATTR_I64 = 1, BP_ATTR_F64 = 2, BP_ATTR_STRING = 3, BP_ATTR_BYTES = 4 };
// BP-MODULE-07: a plugin may ignore attributes with a key of at least BP_ATTR_HINT; it does not claim an instruction
//               that has any other attribute that it does not understand.
#define BP_ATTR_HINT 0x8000

typedef struct bp_attr {
  uint16_t key;    // BP_ATTR_ key (op_ids.h)
  uint16_t type;   // BP_ATTR_I64 ...
  uint32_t data;   // index of the first element in the array that `type` selects
  uint32_t count;  // elements; for a string, bytes without the final 0
} bp_attr_t;
BP_FROZEN(bp_attr_t, 12);

// Kinds of computation. CONTROL: its instructions are scheduled and their values have allocations. EMBEDDED: it is the
// body of a fusion, reduce, sort, ...; its values exist only inside the instruction that calls it.
enum { BP_COMPUTATION_CONTROL = 1, BP_COMPUTATION_EMBEDDED = 2 };

typedef struct bp_computation {
  uint32_t instrs, instr_count;  // consecutive, in schedule order
  uint32_t params, param_count;  // in operands: value ids, in parameter order
  uint32_t roots, root_count;    // in operands: value ids
  uint32_t name;                 // in strings
  uint32_t kind;                 // BP_COMPUTATION_
} bp_computation_t;
BP_FROZEN(bp_computation_t, 32);

// Returns the address of the i-th element of an array of the module: BP_AT(module, instrs, bp_instr_t, 3)->op
#define BP_AT(module, range, type, i) ((const type *)((const char *)(module) + (module)->range.offset) + (i))

#ifdef __cplusplus
}
#endif
