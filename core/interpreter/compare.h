// Compares a result with a reference.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/ir/literal.h"

namespace bp::interpreter {

// One array of the result, against the array y of the reference.
struct Comparison {
  std::vector<std::int64_t> output;  // its index in the tuple; empty for a result that is one array
  ir::Shape shape;
  // Largest |x-y| over largest |y|; a NaN or infinity where the reference has another value counts as infinity. What an
  // algorithm is bounded by whose error is that of a norm, as an FFT's.
  double relative_error = 0;
  // Largest |x-y| over |y| or the typical size of y, whichever is more: the root of the mean square of those elements
  // that are finite and not zero. One large element does not hide errors of the others, nor do many zeros make that of
  // a few look large. Never less than relative_error.
  double typical_error = 0;
  // Share of the elements with such an error above `noticeable`; elements that are zero in both are not counted. 0 if
  // all are.
  static constexpr double noticeable = 0x1p-15;
  double share_apart = 0;
  // Largest distance in units in the last place of the element type; 0 for pred and integers. Complex: of the parts.
  double max_ulp = 0;
  std::vector<std::int64_t> worst;  // index of the element with the typical error; empty if all are equal, or a scalar
  double worst_value = 0, worst_reference = 0;  // there; of complex, the modulus
  bool identical = false;                       // bit for bit
  // Empty if the comparison means something; else why not: "the reference is not finite", "... is constant". Arrays of
  // fewer than two elements are not called constant.
  std::string weak_evidence;

  // Whether this shows agreement up to a relative error.
  bool agrees(double tolerance) const { return weak_evidence.empty() && relative_error <= tolerance; }
};

// One comparison per array, in the order of the tuple. Fails if the shapes differ; layouts may.
Result<std::vector<Comparison>> compare(const ir::Literal &result, const ir::Literal &reference);

// The index of the element of a literal at this offset in elements.
std::vector<std::int64_t> index_of(const ir::Shape &shape, std::int64_t offset);

// "{1}: f32[1,1000]: relative error 3.1e-07 (2.0 ulp) at [0,17]: 0.25 instead of 0.2500001"
std::string to_string(const Comparison &comparison);

}  // namespace bp::interpreter
