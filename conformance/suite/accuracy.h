// The accuracy required of results, compared with the oracle's: THE table of tolerances, by op and element type, and
// the function that applies it.
#pragma once

#include <optional>
#include <string>

#include "core/ir/literal.h"
#include "core/ir/op.h"

namespace bp::conformance {

enum class Closeness : std::uint8_t {
  Bits,   // values are moved: every bit must agree, including payloads of NaN
  Exact,  // the correctly rounded result, with the sign of zero; any NaN matches any NaN
  Ulp,  // Exact, or a number of units in the last place away. Complex: units of the larger part, signs of zeros ignored
  Sum,  // a sum in any order: at most n * eps * S and one rounding away, for n terms whose absolute values add up to S;
        // eps is that of f32, or of f64 for f64 and c128
  Norm,    // an array: at most a number of eps times its largest element, and one rounding, away
  Unknown  // random, or dependent on a peer that is not there: it only has to run
};

// Values at the edges of a type that are meaningful as operands.
enum class Edges : std::uint8_t {
  All,       // zeros of both signs, subnormals, infinities, NaN, ties, the largest
  Ordered,   // those that can be ordered: without NaN and -0
  Summands,  // small integers, whose sums are exact, with an infinity or NaN among them
  None,
};

struct Accuracy {
  Closeness closeness = Closeness::Exact;
  // Limits in units, for Ulp and Norm: for f32 and f64; for floats of 16 bits and fewer; for complex numbers. 0: exact.
  double wide = 0, narrow = 0, complex = 0;
  Edges edges = Edges::All;

  double limit(ir::ElementType type) const;
};

// Returns nullptr if the table has no row for the op. Then the row was forgotten, and a test fails.
const Accuracy *find_accuracy(ir::Opcode opcode);

// Describes the tolerance for operands of a type: "bits", "exact", "4 ulp", "sum", "16 norm"; empty where any result
// passes.
std::string to_string(const Accuracy &accuracy, ir::ElementType type);

// The comparison of two arrays or tuples of the same shape.
struct Judgement {
  std::optional<double> max_ulp;  // for floats; infinity where only one value is NaN or infinity
  std::string mismatch;  // "3 of 12 elements; [1,3] is 0.5, expected 0.25 (8 ulp, allowed 1)"; empty: close enough
};
// `type` is the element type of the operands. Where the closeness is Sum, `sums`, of the same shape, holds S for each
// element, and `terms` is n.
Judgement judge(const ir::Literal &found, const ir::Literal &expected, const Accuracy &accuracy, ir::ElementType type,
                const ir::Literal *sums = nullptr, std::int64_t terms = 1);

// Returns a result that is as far from `value` as judge() allows: the seed chooses whether each float moves up or down.
ir::Literal move_as_allowed(ir::Literal value, const Accuracy &accuracy, ir::ElementType type, const ir::Literal *sums,
                            std::int64_t terms, std::uint64_t seed);

}  // namespace bp::conformance
