#include "core/import/array/normalization.h"

namespace bp::import::array {

Array squared(const Array &x) {
  return x * x;
}

Moments moments(const Array &x, Span dimensions) {
  const Array mean = reduce_mean(x, dimensions, KeepSizes::Yes);
  return {mean, reduce_mean(squared(x - mean), dimensions, KeepSizes::Yes)};
}

Array softmax_over(const Array &x, Span dimensions) {
  const Array wide = convert(x, compute_type(x.type()));
  const Array e = exp(wide - reduce_max(wide, dimensions, KeepSizes::Yes));
  return convert(e / reduce_sum(e, dimensions, KeepSizes::Yes), x.type());
}

Array log_softmax_over(const Array &x, Span dimensions) {
  const Array shifted = x - reduce_max(x, dimensions, KeepSizes::Yes);
  return shifted - log(reduce_sum(exp(shifted), dimensions, KeepSizes::Yes));
}

}  // namespace bp::import::array
