// How close to the oracle a result must be: THE table of tolerances, by op and element type, and the judge that reads it.
#pragma once

#include <optional>
#include <string>

#include "core/ir/literal.h"
#include "core/ir/op.h"

namespace bp::conformance {

enum class Closeness : std::uint8_t {
  Bits,   // values are moved: every bit, payloads of NaN too
  Exact,  // the correctly rounded result, with the sign of zero; any NaN for NaN
  Ulp,    // that, or so many units in the last place away. Complex: of the larger part, and zeros have no sign
  Sum,    // a sum in any order: by the sum S of the absolute values of its n terms, n * eps * S and one rounding, where
          // eps is that of f32, or of f64 for f64 and c128
  Norm,   // of an array: so many eps of its largest element, and one rounding
  Unknown  // random, or nobody is at the other end: it only has to run
};

// Values at the edges of a type that make sense as operands.
enum class Edges : std::uint8_t {
  All,       // zeros of both signs, subnormals, infinities, NaN, ties, the largest
  Ordered,   // those that have an order: without NaN and -0
  Summands,  // small integers, whose sums are exact, with an infinity or NaN among them
  None,
};

struct Accuracy {
  Closeness closeness = Closeness::Exact;
  // Units, for Ulp and Norm: of f32 and f64; of floats of 16 bits and fewer; of complex numbers. 0: exact.
  double wide = 0, narrow = 0, complex = 0;
  Edges edges = Edges::All;

  double limit(ir::ElementType type) const;
};

// Null if the table has no row for the op: it was forgotten, and a test says so.
const Accuracy *find_accuracy(ir::Opcode opcode);

// In a word or two, of operands of a type: "bits", "exact", "4 ulp", "sum", "16 norm"; empty where anything goes.
std::string to_string(const Accuracy &accuracy, ir::ElementType type);

// Two arrays or tuples of the same shape.
struct Judgement {
  std::optional<double> max_ulp;  // of floats; infinity where one value is special and the other is not
  std::string mismatch;  // "3 of 12 elements; [1,3] is 0.5, expected 0.25 (8 ulp, allowed 1)"; empty: close enough
};
// `type`: of the operands. `sums`, of the same shape, holds S for each element, and `terms` is n, where the closeness is
// Sum.
Judgement judge(const ir::Literal &found, const ir::Literal &expected, const Accuracy &accuracy, ir::ElementType type,
                const ir::Literal *sums = nullptr, std::int64_t terms = 1);

// A result that is as far from `value` as judge() lets it be: each float goes up or down, as the seed has it.
ir::Literal move_as_allowed(ir::Literal value, const Accuracy &accuracy, ir::ElementType type, const ir::Literal *sums,
                            std::int64_t terms, std::uint64_t seed);

}  // namespace bp::conformance
