// Numbers of ops, attributes and element types in a bp_module. Add-only: a number never changes its meaning.
// Generated from the tables in core/ir by tools/generate_op_tables; do not edit.
#ifndef BACKPLANE_OP_IDS_H
#define BACKPLANE_OP_IDS_H

// Ops: bp_instr.op
enum {
   BP_OP_ABS = 1, // abs: absolute value; the modulus of a complex, whose result is real
   BP_OP_NEGATE = 2, // negate: -x; wraps for integers
   BP_OP_SIGN = 3, // sign: -1, 0 or 1 with the sign of x; NaN stays NaN, -0 stays -0; z/|z| for complex
   BP_OP_NOT = 4, // not: bitwise not; logical not for pred
   BP_OP_CEIL = 5, // ceil: rounds up to an integer
   BP_OP_FLOOR = 6, // floor: rounds down to an integer
   BP_OP_ROUND_NEAREST_AFZ = 7, // round-nearest-afz: rounds to the nearest integer, ties away from zero
   BP_OP_ROUND_NEAREST_EVEN = 8, // round-nearest-even: rounds to the nearest integer, ties to even
   BP_OP_EXPONENTIAL = 9, // exponential: e^x
   BP_OP_EXPONENTIAL_MINUS_ONE = 10, // exponential-minus-one: e^x - 1 without cancellation near 0
   BP_OP_LOG = 11, // log: natural logarithm
   BP_OP_LOG_PLUS_ONE = 12, // log-plus-one: log(1 + x) without cancellation near 0
   BP_OP_SQRT = 13, // sqrt: square root
   BP_OP_RSQRT = 14, // rsqrt: 1 / sqrt(x)
   BP_OP_CBRT = 15, // cbrt: cube root
   BP_OP_SINE = 16, // sine: sine
   BP_OP_COSINE = 17, // cosine: cosine
   BP_OP_TAN = 18, // tan: tangent
   BP_OP_SINH = 19, // sinh: hyperbolic sine
   BP_OP_COSH = 20, // cosh: hyperbolic cosine
   BP_OP_TANH = 21, // tanh: hyperbolic tangent
   BP_OP_ASIN = 22, // asin: inverse sine
   BP_OP_ACOS = 23, // acos: inverse cosine
   BP_OP_ATAN = 24, // atan: inverse tangent
   BP_OP_ASINH = 25, // asinh: inverse hyperbolic sine
   BP_OP_ACOSH = 26, // acosh: inverse hyperbolic cosine
   BP_OP_ATANH = 27, // atanh: inverse hyperbolic tangent
   BP_OP_ERF = 28, // erf: error function
   BP_OP_LOGISTIC = 29, // logistic: 1 / (1 + e^-x)
   BP_OP_IS_FINITE = 30, // is-finite: whether x is neither infinite nor NaN
   BP_OP_REAL = 31, // real: real part
   BP_OP_IMAG = 32, // imag: imaginary part; 0 for a real
   BP_OP_POPULATION_COUNT = 33, // popcnt: number of one bits
   BP_OP_COUNT_LEADING_ZEROS = 34, // count-leading-zeros: number of zero bits above the highest one bit
   BP_OP_CONVERT = 35, // convert: value conversion to the element type of the result; to integer: truncates, saturates, NaN gives 0; to pred: x != 0; of a complex to a real: its real part
   BP_OP_BITCAST_CONVERT = 36, // bitcast-convert: the same bits as another element type; a minor-most dimension appears or disappears if widths differ
   BP_OP_REDUCE_PRECISION = 37, // reduce-precision: rounds to a float of the given exponent and mantissa widths and back
   BP_OP_COPY = 38, // copy: the same value in a buffer of its own, possibly in another layout
   BP_OP_ADD = 39, // add: x + y; or, for pred; wraps for integers
   BP_OP_SUBTRACT = 40, // subtract: x - y
   BP_OP_MULTIPLY = 41, // multiply: x * y; and, for pred
   BP_OP_DIVIDE = 42, // divide: x / y; integers truncate, x/0 is all ones, MIN/-1 is MIN
   BP_OP_REMAINDER = 43, // remainder: remainder with the sign of x; for integers x%0 is x
   BP_OP_POWER = 44, // power: x to the power y
   BP_OP_ATAN2 = 45, // atan2: angle of the point (y = operand 0, x = operand 1)
   BP_OP_MULTIPLY_HIGH = 46, // mulhi: the high half of the double-width product
   BP_OP_MAXIMUM = 47, // maximum: the larger; NaN if either is NaN
   BP_OP_MINIMUM = 48, // minimum: the smaller; NaN if either is NaN
   BP_OP_AND = 49, // and: bitwise and
   BP_OP_OR = 50, // or: bitwise or
   BP_OP_XOR = 51, // xor: bitwise exclusive or
   BP_OP_SHIFT_LEFT = 52, // shift-left: x << y; 0 if y, as unsigned, is at least the width
   BP_OP_SHIFT_RIGHT_ARITHMETIC = 53, // shift-right-arithmetic: x >> y with copies of the sign bit; an oversized shift fills with it
   BP_OP_SHIFT_RIGHT_LOGICAL = 54, // shift-right-logical: x >> y with zeros; 0 if y, as unsigned, is at least the width
   BP_OP_COMPARE = 55, // compare: pred of the comparison; total order puts -NaN < -inf < -0 < +0 < inf < NaN
   BP_OP_COMPLEX = 56, // complex: the complex number of a real and an imaginary part
   BP_OP_STOCHASTIC_CONVERT = 57, // stochastic-convert: converts operand 0, rounding up if its lost fraction exceeds the random bits of operand 1
   BP_OP_CLAMP = 58, // clamp: min(max(x, low), high); operands low, x, high; the bounds may be scalars
   BP_OP_SELECT = 59, // select: operand 1 where operand 0 is true, else operand 2; the predicate may be a scalar
   BP_OP_ADD_DEPENDENCY = 60, // add-dependency: the value of operand 0, ordered after the token operand 1
   BP_OP_BROADCAST = 61, // broadcast: repeats the operand; dimensions[i] is where operand dimension i goes
   BP_OP_IOTA = 62, // iota: the index along one dimension
   BP_OP_CONSTANT = 63, // constant: a literal
   BP_OP_PARAMETER = 64, // parameter: an argument of the computation
   BP_OP_RESHAPE = 65, // reshape: the same elements in row-major order under other dimensions
   BP_OP_DYNAMIC_RESHAPE = 66, // dynamic-reshape: reshape to sizes given at run time, one s32[] operand per dimension
   BP_OP_BITCAST = 67, // bitcast: the same bytes under another shape and layout; no code
   BP_OP_TRANSPOSE = 68, // transpose: permutes dimensions: result dimension i is operand dimension dimensions[i]
   BP_OP_REVERSE = 69, // reverse: reverses the given dimensions
   BP_OP_SLICE = 70, // slice: a strided box
   BP_OP_DYNAMIC_SLICE = 71, // dynamic-slice: a box at a start given at run time, clamped into bounds
   BP_OP_DYNAMIC_UPDATE_SLICE = 72, // dynamic-update-slice: operand 0 with the box at the clamped start replaced by operand 1
   BP_OP_CONCATENATE = 73, // concatenate: joins along one dimension
   BP_OP_PAD = 74, // pad: pads edges (or crops, if negative) and between elements with operand 1
   BP_OP_GATHER = 75, // gather: collects slices at the clamped starts in operand 1
   BP_OP_SCATTER = 76, // scatter: combines updates into the operands at the given indices; out-of-bounds updates are dropped
   BP_OP_SORT = 77, // sort: sorts along one dimension by a comparator
   BP_OP_TOP_K = 78, // topk: the k largest (or smallest) of the last dimension and their s32 indices; of equals the lower index first
   BP_OP_TUPLE = 79, // tuple: a tuple of the operands
   BP_OP_GET_TUPLE_ELEMENT = 80, // get-tuple-element: one element of a tuple
   BP_OP_GET_DIMENSION_SIZE = 81, // get-dimension-size: the run-time size of a dimension, s32[]
   BP_OP_SET_DIMENSION_SIZE = 82, // set-dimension-size: declares the run-time size of a bounded dimension
   BP_OP_SHUFFLE = 83, // shuffle: rotates the dimensions towards index 0 by the shifts, or takes each element from where the indices say
   BP_OP_REDUCE = 84, // reduce: combines the elements of the given dimensions; N inputs, then N initial values
   BP_OP_REDUCE_WINDOW = 85, // reduce-window: combines the elements of each window; N inputs, then N initial values
   BP_OP_SELECT_AND_SCATTER = 86, // select-and-scatter: adds each source element to the element its window selects: the gradient of a max pool
   BP_OP_MAP = 87, // map: applies a scalar computation to each element
   BP_OP_SCAN = 88, // scan: runs a computation along a dimension, carrying values: inputs and initial carries to outputs and final carries
   BP_OP_BATCH_NORM_TRAINING = 89, // batch-norm-training: normalizes by the batch's mean and variance; (output, mean, variance)
   BP_OP_BATCH_NORM_INFERENCE = 90, // batch-norm-inference: normalizes by the given mean and variance
   BP_OP_BATCH_NORM_GRAD = 91, // batch-norm-grad: gradients of batch-norm-training to operand, scale and offset
   BP_OP_DOT = 92, // dot: sum of products over contracting dimensions; result: batch, lhs free, rhs free dimensions
   BP_OP_RAGGED_DOT = 93, // ragged-dot: a dot whose lhs rows are grouped; each group meets its own rhs
   BP_OP_SCALED_DOT = 94, // scaled-dot: a dot of block-scaled operands: lhs, rhs, lhs scale, rhs scale
   BP_OP_CONVOLUTION = 95, // convolution: windowed sum of products over spatial and feature dimensions
   BP_OP_WHILE = 96, // while: repeats body while condition holds
   BP_OP_CONDITIONAL = 97, // conditional: one branch, by pred or by s32 index; an index out of range takes the last
   BP_OP_CALL = 98, // call: calls a computation
   BP_OP_FUSION = 99, // fusion: several instructions as one kernel
   BP_OP_CUSTOM_CALL = 100, // custom-call: calls a routine registered by name
   BP_OP_OPTIMIZATION_BARRIER = 101, // opt-barrier: the operand, past which nothing is moved
   BP_OP_AFTER_ALL = 102, // after-all: a token after all operand tokens
   BP_OP_DOMAIN = 103, // domain: the operand; marks the border between two shardings
   BP_OP_RNG = 104, // rng: random values of a distribution with two scalar parameters
   BP_OP_RNG_BIT_GENERATOR = 105, // rng-bit-generator: new state and random bits from a state
   BP_OP_RNG_GET_AND_UPDATE_STATE = 106, // rng-get-and-update-state: the program's random state, advanced by delta
   BP_OP_FFT = 107, // fft: discrete Fourier transform of the innermost dimensions
   BP_OP_CHOLESKY = 108, // cholesky: Cholesky factor of a positive definite matrix, NaNs of another; the other triangle is undefined
   BP_OP_TRIANGULAR_SOLVE = 109, // triangular-solve: solves a triangular system
   BP_OP_ALL_GATHER = 110, // all-gather: joins the operands of a group along a dimension
   BP_OP_ALL_GATHER_START = 111, // all-gather-start: begins an all-gather
   BP_OP_ALL_GATHER_DONE = 112, // all-gather-done: ends an all-gather
   BP_OP_ALL_REDUCE = 113, // all-reduce: combines the operands of a group elementwise
   BP_OP_ALL_REDUCE_START = 114, // all-reduce-start: begins an all-reduce
   BP_OP_ALL_REDUCE_DONE = 115, // all-reduce-done: ends an all-reduce
   BP_OP_REDUCE_SCATTER = 116, // reduce-scatter: an all-reduce of which each member keeps one part along a dimension
   BP_OP_ALL_TO_ALL = 117, // all-to-all: exchanges parts between the members of a group
   BP_OP_RAGGED_ALL_TO_ALL = 118, // ragged-all-to-all: exchanges parts of run-time sizes
   BP_OP_COLLECTIVE_BROADCAST = 119, // collective-broadcast: sends the value of a group's first member to all
   BP_OP_COLLECTIVE_PERMUTE = 120, // collective-permute: sends along source-target pairs; who receives nothing gets zeros; with slice_sizes, slices of operand 0 at the starts in operand 2 into operand 1 at those in operand 3
   BP_OP_COLLECTIVE_PERMUTE_START = 121, // collective-permute-start: begins a collective-permute
   BP_OP_COLLECTIVE_PERMUTE_DONE = 122, // collective-permute-done: ends a collective-permute
   BP_OP_COLLECTIVE_REDUCE = 123, // collective-reduce: combines the operands of a group at its first member; with has_dynamic_root at those that the last operand says
   BP_OP_REPLICA_ID = 124, // replica-id: the replica this runs as, u32[]
   BP_OP_PARTITION_ID = 125, // partition-id: the partition this runs as, u32[]
   BP_OP_ASYNC_START = 126, // async-start: begins a computation on another thread of execution
   BP_OP_ASYNC_UPDATE = 127, // async-update: a step of an asynchronous computation
   BP_OP_ASYNC_DONE = 128, // async-done: the result of an asynchronous computation
   BP_OP_COPY_START = 129, // copy-start: begins a copy; (destination, source, context)
   BP_OP_COPY_DONE = 130, // copy-done: ends a copy
   BP_OP_SEND = 131, // send: begins to send operand 0 over a channel
   BP_OP_SEND_DONE = 132, // send-done: ends a send
   BP_OP_RECV = 133, // recv: begins to receive over a channel
   BP_OP_RECV_DONE = 134, // recv-done: ends a receive
   BP_OP_INFEED = 135, // infeed: data from the host: (value, token)
   BP_OP_OUTFEED = 136, // outfeed: data to the host: token
};

// Attributes: bp_attr.key. Called computations and literals have fields of their own.
// From BP_ATTR_HINT on: may be ignored.
enum {
   BP_ATTR_PARAMETER_NUMBER = 1, // parameter_number: int64
   BP_ATTR_INDEX = 2, // index: int64
   BP_ATTR_DIMENSIONS = 3, // dimensions: int64 each
   BP_ATTR_DIRECTION = 4, // direction: int64: BP_COMPARISON_DIRECTION_*
   BP_ATTR_COMPARISON_TYPE = 5, // type: int64: BP_COMPARISON_TYPE_*
   BP_ATTR_EXPONENT_BITS = 6, // exponent_bits: int64
   BP_ATTR_MANTISSA_BITS = 7, // mantissa_bits: int64
   BP_ATTR_IOTA_DIMENSION = 8, // iota_dimension: int64
   BP_ATTR_INFERRED_DIMENSION = 9, // inferred_dimension: int64
   BP_ATTR_SLICE = 10, // slice: 3 int64 per dimension: start, limit, stride
   BP_ATTR_DYNAMIC_SLICE_SIZES = 11, // dynamic_slice_sizes: int64 each
   BP_ATTR_PADDING = 12, // padding: 3 int64 per dimension: low, high, interior
   BP_ATTR_OFFSET_DIMS = 13, // offset_dims: int64 each
   BP_ATTR_COLLAPSED_SLICE_DIMS = 14, // collapsed_slice_dims: int64 each
   BP_ATTR_START_INDEX_MAP = 15, // start_index_map: int64 each
   BP_ATTR_INDEX_VECTOR_DIM = 16, // index_vector_dim: int64
   BP_ATTR_SLICE_SIZES = 17, // slice_sizes: int64 each
   BP_ATTR_INDICES_ARE_SORTED = 18, // indices_are_sorted: int64: 0 or 1
   BP_ATTR_OPERAND_BATCHING_DIMS = 19, // operand_batching_dims: int64 each
   BP_ATTR_START_INDICES_BATCHING_DIMS = 20, // start_indices_batching_dims: int64 each
   BP_ATTR_UPDATE_WINDOW_DIMS = 21, // update_window_dims: int64 each
   BP_ATTR_INSERTED_WINDOW_DIMS = 22, // inserted_window_dims: int64 each
   BP_ATTR_SCATTER_DIMS_TO_OPERAND_DIMS = 23, // scatter_dims_to_operand_dims: int64 each
   BP_ATTR_UNIQUE_INDICES = 24, // unique_indices: int64: 0 or 1
   BP_ATTR_INPUT_BATCHING_DIMS = 25, // input_batching_dims: int64 each
   BP_ATTR_SCATTER_INDICES_BATCHING_DIMS = 26, // scatter_indices_batching_dims: int64 each
   BP_ATTR_IS_STABLE = 27, // is_stable: int64: 0 or 1
   BP_ATTR_K = 28, // k: int64
   BP_ATTR_LARGEST = 29, // largest: int64: 0 or 1
   BP_ATTR_WINDOW = 30, // window: 7 int64 per dimension: size, stride, pad low, pad high, lhs dilate, rhs dilate, reversal
   BP_ATTR_NUM_CARRIES = 31, // num_carries: int64
   BP_ATTR_IS_REVERSE = 32, // is_reverse: int64: 0 or 1
   BP_ATTR_IS_ASSOCIATIVE = 33, // is_associative: int64: 0 or 1
   BP_ATTR_EPSILON = 34, // epsilon: double
   BP_ATTR_FEATURE_INDEX = 35, // feature_index: int64
   BP_ATTR_LHS_CONTRACTING_DIMS = 36, // lhs_contracting_dims: int64 each
   BP_ATTR_RHS_CONTRACTING_DIMS = 37, // rhs_contracting_dims: int64 each
   BP_ATTR_LHS_BATCH_DIMS = 38, // lhs_batch_dims: int64 each
   BP_ATTR_RHS_BATCH_DIMS = 39, // rhs_batch_dims: int64 each
   BP_ATTR_LHS_RAGGED_DIMS = 40, // lhs_ragged_dims: int64 each
   BP_ATTR_RHS_GROUP_DIMS = 41, // rhs_group_dims: int64 each
   BP_ATTR_OPERAND_PRECISION = 42, // operand_precision: int64 each: BP_PRECISION_*
   BP_ATTR_ALGORITHM = 43, // algorithm: int64: BP_ALGORITHM_*
   BP_ATTR_DIM_LABELS = 44, // dim_labels: int64: lhs batch, lhs feature, rhs input feature, rhs output feature, output batch, output feature, then the spatial dimensions of lhs, of rhs, of output
   BP_ATTR_FEATURE_GROUP_COUNT = 45, // feature_group_count: int64
   BP_ATTR_BATCH_GROUP_COUNT = 46, // batch_group_count: int64
   BP_ATTR_CONVOLUTION_KIND = 47, // convolution_kind: int64: BP_CONVOLUTION_KIND_*
   BP_ATTR_SPARSITY_CONFIG = 48, // sparsity_config: string: HLO text
   BP_ATTR_KIND = 49, // kind: int64: BP_FUSION_KIND_*
   BP_ATTR_OUTPUT_TO_OPERAND_ALIASING = 50, // output_to_operand_aliasing: int64 per entry: output index length, output index..., operand, operand index length, operand index...
   BP_ATTR_CUSTOM_CALL_TARGET = 51, // custom_call_target: string
   BP_ATTR_OPERAND_LAYOUT_CONSTRAINTS = 52, // operand_layout_constraints: string: HLO text
   BP_ATTR_CUSTOM_CALL_HAS_SIDE_EFFECT = 53, // custom_call_has_side_effect: int64: 0 or 1
   BP_ATTR_PADDING_TYPE = 54, // padding_type: int64: BP_PADDING_TYPE_*
   BP_ATTR_SCHEDULE = 55, // schedule: int64: BP_CUSTOM_CALL_SCHEDULE_*
   BP_ATTR_API_VERSION = 56, // api_version: int64: BP_CUSTOM_CALL_API_VERSION_*
   BP_ATTR_IS_COMPOSITE = 57, // is_composite: int64: 0 or 1
   BP_ATTR_DOMAIN = 58, // domain: string: HLO text
   BP_ATTR_ASYNC_EXECUTION_THREAD = 59, // async_execution_thread: string
   BP_ATTR_REPLICA_GROUPS = 60, // replica_groups: string: HLO text
   BP_ATTR_CHANNEL_ID = 61, // channel_id: int64
   BP_ATTR_USE_GLOBAL_DEVICE_IDS = 62, // use_global_device_ids: int64: 0 or 1
   BP_ATTR_CONSTRAIN_LAYOUT = 63, // constrain_layout: int64: 0 or 1
   BP_ATTR_MODE = 64, // mode: int64: BP_COLLECTIVE_MODE_*
   BP_ATTR_HAS_DYNAMIC_ROOT = 65, // has_dynamic_root: int64: 0 or 1
   BP_ATTR_SOURCE_TARGET_PAIRS = 66, // source_target_pairs: 2 int64 per pair
   BP_ATTR_PERMUTE_SLICE_SIZES = 67, // slice_sizes: int64 per list: its length, then its numbers
   BP_ATTR_IS_HOST_TRANSFER = 68, // is_host_transfer: int64: 0 or 1
   BP_ATTR_INFEED_CONFIG = 69, // infeed_config: string
   BP_ATTR_OUTFEED_CONFIG = 70, // outfeed_config: string
   BP_ATTR_OUTFEED_SHAPE = 71, // outfeed_shape: string: HLO text
   BP_ATTR_DISTRIBUTION = 72, // distribution: int64: BP_RANDOM_DISTRIBUTION_*
   BP_ATTR_RNG_ALGORITHM = 73, // algorithm: int64: BP_RNG_ALGORITHM_*
   BP_ATTR_DELTA = 74, // delta: int64
   BP_ATTR_FFT_TYPE = 75, // fft_type: int64: BP_FFT_TYPE_*
   BP_ATTR_FFT_LENGTH = 76, // fft_length: int64 each
   BP_ATTR_LOWER = 77, // lower: int64: 0 or 1
   BP_ATTR_LEFT_SIDE = 78, // left_side: int64: 0 or 1
   BP_ATTR_UNIT_DIAGONAL = 79, // unit_diagonal: int64: 0 or 1
   BP_ATTR_TRANSPOSE_A = 80, // transpose_a: int64: BP_TRANSPOSE_*
   BP_ATTR_RESULT_ACCURACY = 81, // result_accuracy: string: HLO text: {mode=highest} or {tolerance={atol=0,rtol=0,ulps=2}}
   BP_ATTR_CROSS_PROGRAM_PREFETCH_INDEX = 82, // cross_program_prefetch_index: int64
   BP_ATTR_SHUFFLE_MODE = 83, // mode: int64: BP_SHUFFLE_MODE_*
   BP_ATTR_SHIFTS = 84, // shifts: int64 each
   BP_ATTR_LITERAL_VALUE = 100, // literal: bytes of the arrays, as their layouts store them
   BP_ATTR_INDICES = 104, // indices: bytes of the arrays, as their layouts store them
   BP_ATTR_VALUE = 101, // value: bytes of the arrays, as their layouts store them
   BP_ATTR_REPLICA_COUNT = 102, // replica_count: int64
   BP_ATTR_NUM_PARTITIONS = 103, // num_partitions: int64
   BP_ATTR_SHARDING = 0x8001, // sharding: string: HLO text
   BP_ATTR_FRONTEND_ATTRIBUTES = 0x8002, // frontend_attributes: string: HLO text
   BP_ATTR_STATISTICS = 0x8003, // statistics: string: HLO text
   BP_ATTR_PARAMETER_REPLICATION = 0x8004, // parameter_replication: string: HLO text
   BP_ATTR_ORIGIN = 0x8005, // origin: string: HLO text
   BP_ATTR_BACKEND_CONFIG = 0x8006, // backend_config: string
};

// Element types: bp_shape.dtype
enum {
   BP_DTYPE_PRED = 1,
   BP_DTYPE_S1 = 30,
   BP_DTYPE_S2 = 26,
   BP_DTYPE_S4 = 21,
   BP_DTYPE_S8 = 2,
   BP_DTYPE_S16 = 3,
   BP_DTYPE_S32 = 4,
   BP_DTYPE_S64 = 5,
   BP_DTYPE_U1 = 31,
   BP_DTYPE_U2 = 27,
   BP_DTYPE_U4 = 22,
   BP_DTYPE_U8 = 6,
   BP_DTYPE_U16 = 7,
   BP_DTYPE_U32 = 8,
   BP_DTYPE_U64 = 9,
   BP_DTYPE_F4E2M1FN = 32,
   BP_DTYPE_F6E2M3FN = 36,
   BP_DTYPE_F6E3M2FN = 35,
   BP_DTYPE_F8E3M4 = 29,
   BP_DTYPE_F8E4M3 = 28,
   BP_DTYPE_F8E4M3B11FNUZ = 23,
   BP_DTYPE_F8E4M3FN = 20,
   BP_DTYPE_F8E4M3FNUZ = 25,
   BP_DTYPE_F8E5M2 = 19,
   BP_DTYPE_F8E5M2FNUZ = 24,
   BP_DTYPE_F8E8M0FNU = 33,
   BP_DTYPE_BF16 = 16,
   BP_DTYPE_F16 = 10,
   BP_DTYPE_F32 = 11,
   BP_DTYPE_F64 = 12,
   BP_DTYPE_C64 = 15,
   BP_DTYPE_C128 = 18,
   BP_DTYPE_TUPLE = 13,
   BP_DTYPE_OPAQUE = 14,
   BP_DTYPE_TOKEN = 17,
   BP_DTYPE_B = 34,
};

enum {
   BP_COMPARISON_DIRECTION_EQ = 0, // EQ
   BP_COMPARISON_DIRECTION_NE = 1, // NE
   BP_COMPARISON_DIRECTION_GE = 2, // GE
   BP_COMPARISON_DIRECTION_GT = 3, // GT
   BP_COMPARISON_DIRECTION_LE = 4, // LE
   BP_COMPARISON_DIRECTION_LT = 5, // LT
};

enum {
   BP_COMPARISON_TYPE_FLOAT = 0, // FLOAT
   BP_COMPARISON_TYPE_TOTAL_ORDER = 1, // TOTALORDER
   BP_COMPARISON_TYPE_SIGNED = 2, // SIGNED
   BP_COMPARISON_TYPE_UNSIGNED = 3, // UNSIGNED
};

enum {
   BP_PRECISION_DEFAULT = 0, // default
   BP_PRECISION_HIGH = 1, // high
   BP_PRECISION_HIGHEST = 2, // highest
   BP_PRECISION_PACKED_NIBBLE = 3, // packed_nibble
};

enum {
   BP_ALGORITHM_UNSET = 0, // dot_unset
   BP_ALGORITHM_ANY_F8_ANY_F8_F32 = 1, // dot_any_f8_any_f8_f32
   BP_ALGORITHM_ANY_F8_ANY_F8_F32_FAST_ACCUM = 2, // dot_any_f8_any_f8_f32_fast_accum
   BP_ALGORITHM_F16_F16_F16 = 3, // dot_f16_f16_f16
   BP_ALGORITHM_F16_F16_F32 = 4, // dot_f16_f16_f32
   BP_ALGORITHM_BF16_BF16_BF16 = 5, // dot_bf16_bf16_bf16
   BP_ALGORITHM_BF16_BF16_F32 = 6, // dot_bf16_bf16_f32
   BP_ALGORITHM_BF16_BF16_F32_X3 = 7, // dot_bf16_bf16_f32_x3
   BP_ALGORITHM_BF16_BF16_F32_X6 = 8, // dot_bf16_bf16_f32_x6
   BP_ALGORITHM_TF32_TF32_F32 = 9, // dot_tf32_tf32_f32
   BP_ALGORITHM_TF32_TF32_F32_X3 = 10, // dot_tf32_tf32_f32_x3
   BP_ALGORITHM_F32_F32_F32 = 11, // dot_f32_f32_f32
   BP_ALGORITHM_F64_F64_F64 = 12, // dot_f64_f64_f64
   BP_ALGORITHM_BF16_BF16_F32_X9 = 13, // dot_bf16_bf16_f32_x9
};

enum {
   BP_CONVOLUTION_KIND_UNSET = 0, // unset
   BP_CONVOLUTION_KIND_FPROP = 1, // fprop
   BP_CONVOLUTION_KIND_DGRAD = 2, // dgrad
   BP_CONVOLUTION_KIND_WGRAD = 3, // wgrad
};

enum {
   BP_FUSION_KIND_LOOP = 0, // kLoop
   BP_FUSION_KIND_INPUT = 1, // kInput
   BP_FUSION_KIND_OUTPUT = 2, // kOutput
   BP_FUSION_KIND_CUSTOM = 3, // kCustom
};

enum {
   BP_PADDING_TYPE_INVALID = 0, // PADDING_INVALID
   BP_PADDING_TYPE_VALID = 1, // PADDING_VALID
   BP_PADDING_TYPE_SAME = 2, // PADDING_SAME
};

enum {
   BP_CUSTOM_CALL_SCHEDULE_NONE = 0, // SCHEDULE_NONE
   BP_CUSTOM_CALL_SCHEDULE_LATEST = 1, // SCHEDULE_LATEST
   BP_CUSTOM_CALL_SCHEDULE_EARLIEST = 2, // SCHEDULE_EARLIEST
};

enum {
   BP_CUSTOM_CALL_API_VERSION_UNSPECIFIED = 0, // API_VERSION_UNSPECIFIED
   BP_CUSTOM_CALL_API_VERSION_ORIGINAL = 1, // API_VERSION_ORIGINAL
   BP_CUSTOM_CALL_API_VERSION_STATUS_RETURNING = 2, // API_VERSION_STATUS_RETURNING
   BP_CUSTOM_CALL_API_VERSION_STATUS_RETURNING_UNIFIED = 3, // API_VERSION_STATUS_RETURNING_UNIFIED
   BP_CUSTOM_CALL_API_VERSION_TYPED_FFI = 4, // API_VERSION_TYPED_FFI
};

enum {
   BP_COLLECTIVE_MODE_CROSS_REPLICA = 0, // cross_replica
   BP_COLLECTIVE_MODE_CROSS_PARTITION = 1, // cross_partition
   BP_COLLECTIVE_MODE_CROSS_REPLICA_AND_PARTITION = 2, // cross_replica_and_partition
   BP_COLLECTIVE_MODE_FLATTENED_ID = 3, // flattened_id
};

enum {
   BP_RANDOM_DISTRIBUTION_UNIFORM = 1, // rng_uniform
   BP_RANDOM_DISTRIBUTION_NORMAL = 2, // rng_normal
};

enum {
   BP_RNG_ALGORITHM_DEFAULT = 0, // rng_default
   BP_RNG_ALGORITHM_THREE_FRY = 1, // rng_three_fry
   BP_RNG_ALGORITHM_PHILOX = 2, // rng_philox
};

enum {
   BP_FFT_TYPE_FFT = 0, // FFT
   BP_FFT_TYPE_IFFT = 1, // IFFT
   BP_FFT_TYPE_RFFT = 2, // RFFT
   BP_FFT_TYPE_IRFFT = 3, // IRFFT
};

enum {
   BP_TRANSPOSE_NO_TRANSPOSE = 1, // NO_TRANSPOSE
   BP_TRANSPOSE_TRANSPOSE = 2, // TRANSPOSE
   BP_TRANSPOSE_ADJOINT = 3, // ADJOINT
};

enum {
   BP_SHUFFLE_MODE_ROTATE = 0, // rotate
   BP_SHUFFLE_MODE_PERMUTE = 1, // permute
};

#endif
