// Compares a result with a reference.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/ir/literal.h"

namespace bp::interpreter {

// Comparison of one array x of the result with the array y of the reference.
struct Comparison {
  std::vector<std::int64_t> output;  // its index in the tuple; empty if the result is one array
  ir::Shape shape;
  // Maximum |x-y| divided by maximum |y|; infinity if x is NaN or infinite where y has another value. For algorithms
  // whose error is bounded relative to a norm, such as an FFT.
  double relative_error = 0;
  // Maximum of |x-y| divided by |y| or by the typical size of y, whichever is larger. The typical size is the root mean
  // square of the elements that are finite and not zero, so that one large element does not hide errors of the others,
  // and many zeros do not make the error of a few elements look large. Never less than relative_error.
  double typical_error = 0;
  // Fraction of the elements whose error in this sense is above `noticeable`; elements that are zero in both arrays are
  // not counted. 0 if all are.
  static constexpr double noticeable = 0x1p-15;
  double share_noticeable = 0;
  // Maximum distance in units in the last place of the element type; 0 for pred and integers. For complex numbers, of
  // the parts.
  double max_ulp = 0;
  std::vector<std::int64_t> worst;  // index of the element with typical_error; empty if all are equal or it is a scalar
  std::string worst_value, worst_reference;  // as text, at `worst`; empty if no element differs
  bool identical = false;                    // bit for bit
  // Reason why the comparison says little: "the reference is not finite", "... is constant"; empty otherwise. Arrays
  // with fewer than two elements do not count as constant.
  std::string weak_evidence;

  // Whether the comparison shows agreement up to a relative error.
  bool agrees(double tolerance) const { return weak_evidence.empty() && relative_error <= tolerance; }
};

// Returns one comparison per array, in the order of the tuple: of the elements within its run-time sizes, which are
// infinitely far apart if the sizes differ. Fails if the shapes differ, but layouts may.
Result<std::vector<Comparison>> compare(const ir::Literal &result, const ir::Literal &reference);

// Returns the index of the element at an offset, which is in elements.
std::vector<std::int64_t> index_of(const ir::Shape &shape, std::int64_t offset);

// Returns text like "{1}: f32[1,1000]: relative error 3.1e-07 (2.0 ulp) at [0,17]: 0.25 instead of 0.2500001".
std::string to_string(const Comparison &comparison);

}  // namespace bp::interpreter
