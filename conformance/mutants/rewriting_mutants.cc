// Faults of compilers that simplify what they fuse by rules that hold for real numbers, but not for floats or narrow
// integers. Added to the plugin `cpu`.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "conformance/mutants/module_faults.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/run_faults.h"

namespace bp::conformance {
namespace {

// Calls change(edit) for each instruction of an op inside a fusion or another embedded computation.
template <class Change>
Fault with_fused(std::uint16_t op, Change change) {
  return with_instructions(op, [change](const Edit &edit) {
    if (edit.is_embedded()) {
      change(edit);
    }
  });
}

bool is_zero(plugin::Instruction instruction) {
  if (instruction.op() == BP_OP_BROADCAST) {
    return is_zero(instruction.operand(0).instruction());
  }
  const auto bytes = instruction.bytes(BP_ATTR_VALUE);
  return instruction.op() == BP_OP_CONSTANT && !bytes.empty() &&
         std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; });
}

// Forwards x for a conversion of x to another type and back.
template <class IsElided>
void elide_conversion(const Edit &convert, IsElided is_elided) {
  const plugin::Instruction inner = convert.operand(0);
  if (inner.op() == BP_OP_CONVERT && inner.operand(0).shape().dtype() == convert.old.result().shape().dtype() &&
      is_elided(convert.old.result().shape().dtype(), inner.result().shape().dtype())) {
    convert.forward(inner.operand(0).id());
  }
}

// (a + b) + c becomes a + (b + c), if nothing else needs a + b.
void reassociate(const Edit &sum) {
  const plugin::Instruction inner = sum.operand(0);
  const plugin::Value c = sum.old.operand(1);
  if (inner.op() != BP_OP_ADD || c.instruction().index() > inner.index() ||
      sum.old.result().shape().dtype() != BP_DTYPE_F32 || sum.old.operand(1) == inner.result() ||
      sum.uses(inner.result_id()) != 1) {
    return;
  }
  sum.of(inner).set_operands({inner.operand(1).id(), c.id()});
  sum.set_operands({inner.operand(0).id(), inner.result_id()});
}

// Whether it is a sum of a product of matrices and a broadcast value.
bool is_product_with_bias(plugin::Instruction sum) {
  return sum.op() == BP_OP_ADD && sum.operand(0).instruction().op() == BP_OP_DOT &&
         sum.operand(1).instruction().op() == BP_OP_BROADCAST;
}

constexpr Mutant rewriting_table[] = {
    {"layer-bound-ignored", "rewriting", "max(x w + b, c) is x w + b if the constant c is not 0", "cpu",
     "patterns/dense-layer/*",
     [] {
       return with_fused(BP_OP_MAXIMUM, [](const Edit &maximum) {
         const plugin::Instruction bound = maximum.operand(1);
         if (is_product_with_bias(maximum.operand(0)) && bound.op() == BP_OP_BROADCAST && !is_zero(bound)) {
           maximum.forward(maximum.old.operand(0).id());
         }
       });
     }},
    {"layer-bias-by-columns", "rewriting", "x w + b adds b to each row, also where the program adds it to each column",
     "cpu", "patterns/dense-layer/*",
     [] {
       return with_fused(BP_OP_ADD, [](const Edit &sum) {
         const plugin::Instruction bias = sum.operand(1);
         const plugin::Shape shape = sum.old.result().shape();
         if (is_product_with_bias(sum.old) && shape.rank() == 2 && shape.dim(0) == shape.dim(1) &&
             bias.integer(BP_ATTR_DIMENSIONS, 1) == 0) {
           sum.of(bias).set_numbers(BP_ATTR_DIMENSIONS, {1});
         }
       });
     }},
    {"layer-nan-to-zero", "rewriting", "max(x w + b, 0) is 0 where x w + b is NaN", "cpu", "patterns/dense-layer/*",
     [] {
       return after_step(BP_OP_FUSION, [](const Step &step) {
         const plugin::Instruction root = step.instruction.called().root().instruction();
         const bool is_layer = root.op() == BP_OP_MAXIMUM && is_product_with_bias(root.operand(0).instruction());
         for (std::int64_t i = 0; is_layer && step.result().dtype() == BP_DTYPE_F32 && i < step.count(); ++i) {
           float &x = step.out<float>()[i];
           x = std::isnan(x) ? 0 : x;
         }
       });
     }},
    {"order-of-windows-reversed", "rewriting", "windows that begin at each element are combined from their end", "cpu",
     "ops/reduce-window*",
     [] {
       return with_instructions(BP_OP_REDUCE_WINDOW, [](const Edit &windows) {
         const auto window = windows.old.integers(BP_ATTR_WINDOW);
         const plugin::Computation combine = windows.old.called();
         if (windows.old.result_count() != 2 || window.size() != 7 || window[3] == 0) {
           return;
         }
         // (a, b) and (c, d) change places.
         const auto parameters = combine.parameter_ids();
         const std::vector<std::uint32_t> before(parameters.begin(), parameters.end());
         const std::uint32_t after[] = {before[2], before[3], before[0], before[1]};
         for (const plugin::Instruction instruction : combine.instructions()) {
           const auto ids = instruction.operand_ids();
           std::vector<std::uint32_t> operands(ids.begin(), ids.end());
           for (std::uint32_t &operand : operands) {
             const auto found = std::ranges::find(before, operand);
             operand = found == before.end() ? operand : after[found - before.begin()];
           }
           windows.of(instruction).set_operands(operands);
         }
       });
     }},
    {"loop-without-last-iteration", "rewriting", "a loop up to and with a limit ends before it", "cpu", "loops/up-to/*",
     [] {
       return with_compares_called_by(BP_OP_WHILE, [](const Edit &, const Edit &compare) {
         replace_direction(compare, BP_COMPARISON_DIRECTION_LE, BP_COMPARISON_DIRECTION_LT);
       });
     }},
    {"loop-until-equal-as-below", "rewriting",
     "a loop until its counter equals a limit is one to that limit from below", "cpu", "loops/from-parameter/*",
     [] {
       return with_compares_called_by(BP_OP_WHILE, [](const Edit &, const Edit &compare) {
         replace_direction(compare, BP_COMPARISON_DIRECTION_NE, BP_COMPARISON_DIRECTION_LT);
       });
     }},
    {"loop-limit-kept", "rewriting", "a loop keeps its first limit, which the body moves", "cpu",
     "loops/limit-moves-on/*",
     [] {
       return with_instructions(BP_OP_WHILE, [](const Edit &loop) {
         const plugin::Instruction compare = loop.old.calls()[0].root().instruction();
         const plugin::Computation body = loop.old.calls()[1];
         const auto counters = loop.old.calls()[0].parameter_ids();
         const auto limit =
             std::ranges::find(counters, compare.operand_count() == 2 ? compare.operand_ids()[1] : BP_NONE);
         if (limit != counters.end()) {
           const std::size_t place = static_cast<std::size_t>(limit - counters.begin());
           loop.of(body.roots()[place].instruction()).forward(body.parameter_ids()[place]);
         }
       });
     }},
    {"log-of-exponential", "rewriting", "log(exp(x)) becomes x, even where exp(x) overflows", "cpu",
     "identities/log-of-*",
     [] {
       return with_fused(BP_OP_LOG, [](const Edit &log) {
         if (log.operand(0).op() == BP_OP_EXPONENTIAL) {
           log.forward(log.operand(0).operand(0).id());
         }
       });
     },
     nullptr, "openxla/xla#42732"},
    {"root-of-square", "rewriting", "sqrt(x * x) becomes abs(x), even where x * x overflows", "cpu",
     "identities/root-of-*",
     [] {
       return with_fused(BP_OP_SQRT, [](const Edit &root) {
         const plugin::Instruction square = root.operand(0);
         if (square.op() == BP_OP_MULTIPLY && square.operand(0) == square.operand(1) &&
             square.result().shape().dtype() != BP_DTYPE_C64 && square.result().shape().dtype() != BP_DTYPE_C128) {
           root.forward(square.operand(0).id());
           root.changed().op = BP_OP_ABS;
         }
       });
     },
     nullptr, "jax-ml/jax#37919"},
    {"narrowing-elided", "rewriting", "a conversion of f32 to bf16 or f16 and back is left out", "cpu",
     "identities/to-*-and-back/f32/*",
     [] {
       return with_fused(BP_OP_CONVERT, [](const Edit &convert) {
         elide_conversion(convert, [](std::uint16_t wide, std::uint16_t narrow) {
           return wide == BP_DTYPE_F32 && (narrow == BP_DTYPE_BF16 || narrow == BP_DTYPE_F16);
         });
       });
     },
     nullptr, "openxla/xla#41605"},
    {"wrapping-elided", "rewriting", "a conversion of s32 to another integer type and back is left out", "cpu",
     "identities/to-*-and-back/s32/*",
     [] {
       return with_fused(BP_OP_CONVERT, [](const Edit &convert) {
         elide_conversion(convert, [](std::uint16_t wide, std::uint16_t narrow) {
           return wide == BP_DTYPE_S32 && (narrow == BP_DTYPE_S8 || narrow == BP_DTYPE_S16 || narrow == BP_DTYPE_U8);
         });
       });
     }},
    {"sum-minus-summand", "rewriting", "(x + y) - x becomes y", "cpu", "identities/sum-*",
     [] {
       return with_fused(BP_OP_SUBTRACT, [](const Edit &difference) {
         const plugin::Instruction sum = difference.operand(0);
         if (sum.op() == BP_OP_ADD && sum.operand(0) == difference.old.operand(1)) {
           difference.forward(sum.operand(1).id());
         }
       });
     },
     nullptr, "jax-ml/jax#23007"},
    {"sum-reassociated", "rewriting", "(a + b) + c of f32 becomes a + (b + c)", "cpu", "identities/sum-*",
     [] { return with_fused(BP_OP_ADD, reassociate); }},
    {"product-with-zero", "rewriting", "a product with a constant 0 becomes 0, even if the other factor is NaN", "cpu",
     "identities/product-*",
     [] {
       return with_fused(BP_OP_MULTIPLY, [](const Edit &product) {
         for (std::uint32_t i = 0; i < 2; ++i) {
           if (is_zero(product.operand(i))) {
             product.forward(product.old.operand(i).id());
             return;
           }
         }
       });
     }},
    {"negated-difference", "rewriting", "-(a - b) becomes b - a, which is 0 and not -0 for equal numbers", "cpu",
     "identities/*negated-difference/*",
     [] {
       return with_fused(BP_OP_NEGATE, [](const Edit &negate) {
         const plugin::Instruction difference = negate.operand(0);
         if (difference.op() == BP_OP_SUBTRACT) {
           negate.changed().op = BP_OP_SUBTRACT;
           negate.changed().attr_count = 0;
           negate.set_operands({difference.operand(1).id(), difference.operand(0).id()});
         }
       });
     }},
    {"nan-never-expected", "rewriting", "x != x becomes false", "cpu", "programs/floats.mlir:*",
     [] {
       return with_fused(BP_OP_COMPARE, [](const Edit &compare) {
         if (compare.old.operand(0) == compare.old.operand(1)) {
           replace_direction(compare, BP_COMPARISON_DIRECTION_NE, BP_COMPARISON_DIRECTION_GT);
         }
       });
     }},
};

}  // namespace

const std::span<const Mutant> rewriting_mutants = rewriting_table;

}  // namespace bp::conformance
