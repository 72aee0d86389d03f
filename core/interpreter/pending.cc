#include "core/interpreter/evaluator.h"

namespace bp::interpreter {
#define BP_PENDING(name)                                                                   \
  Result<Literal> evaluate_##name(Evaluator &, const Instruction &instruction, Operands) { \
    return unsupported("the interpreter does not evaluate {} yet", instruction.op().text); \
  }
BP_PENDING(dynamic_reshape)
BP_PENDING(sort)
BP_PENDING(topk)
BP_PENDING(scan)
BP_PENDING(ragged_dot)
BP_PENDING(scaled_dot)
BP_PENDING(rng)
BP_PENDING(rng_bit_generator)
BP_PENDING(rng_get_and_update_state)
BP_PENDING(fft)
BP_PENDING(cholesky)
BP_PENDING(triangular_solve)
}  // namespace bp::interpreter
