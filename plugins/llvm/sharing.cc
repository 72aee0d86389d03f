#include "plugins/llvm/sharing.h"

#include <algorithm>
#include <cmath>

#include "plugins/llvm/contraction/fusion.h"

namespace bp::emit {
namespace {

// Kernels below both limits are done faster than a second thread wakes up.
constexpr double smallest_shared_bytes = 512 * 1024;
constexpr double smallest_shared_products = 2e6;

}  // namespace

bool is_worth_sharing(InstructionView instruction) {
  double bytes = 0;
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    bytes += static_cast<double>(instruction.operand_shape(i).bytes());
  }
  for (std::size_t i = 0; i < instruction.result_count(); ++i) {
    bytes += static_cast<double>(instruction.shape(i).bytes());
  }
  double products = 0;
  const InstructionView contraction = contraction_in(instruction).value_or(instruction);
  if (contraction.op() == BP_OP_DOT || contraction.op() == BP_OP_CONVOLUTION) {
    // Each element of the result needs a row of lhs and a column of rhs. Estimates the number of products as the
    // geometric mean.
    products = std::sqrt(static_cast<double>(contraction.operand_shape(0).elements) *
                         static_cast<double>(contraction.operand_shape(1).elements) *
                         static_cast<double>(contraction.shape().elements));
  }
  if (instruction.op() == BP_OP_FFT) {
    const auto numbers =
        static_cast<double>(std::max(instruction.operand_shape(0).elements, instruction.shape().elements));
    products = 4 * numbers * std::log2(numbers);
  }
  return bytes >= smallest_shared_bytes || products >= smallest_shared_products;
}

}  // namespace bp::emit
