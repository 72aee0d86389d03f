#include "core/debugging/random_module.h"

#include <catch2/catch.hpp>
#include <map>

#include "core/compile/passes.h"
#include "core/debugging/draws.h"
#include "core/debugging/pass_check.h"
#include "core/interpreter/interpreter.h"
#include "core/ir/verifier.h"
#include "core/text/parser.h"
#include "core/text/printer.h"

namespace bp::debugging {

TEST_CASE("random programs are sound, the same for the same seed, and read back") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    INFO("seed " << seed);
    const ir::Module module = random_module(seed);
    const Status status = ir::verify(module);
    INFO((status.ok() ? "" : status.error().to_string()));
    REQUIRE(status.ok());
    const std::string text = text::print(module);
    CHECK(text::print(random_module(seed)) == text);
    auto again = text::parse_module(text);
    INFO((again.ok() ? "" : again.error().to_string()) << "\n" << text);
    REQUIRE(again.ok());
    CHECK(text::print(*again) == text);
  }
}

TEST_CASE("random programs have nearly all ops that compute, and grow as asked") {
  std::map<ir::Opcode, int> counts;
  std::map<ir::ElementType, int> types;
  int layouts = 0, groups = 0, batched = 0, nested = 0;
  std::size_t instructions = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const ir::Module module = random_module(seed);
    for (ir::Computation computation : module.computations()) {
      for (ir::Instruction i : computation.instructions()) {
        ++counts[i.opcode()];
        ++types[i.shape().element_type()];
        layouts += i.shape().is_array() && !i.shape().layout().is_descending() ? 1 : 0;
        groups += i.has(ir::AttributeKey::FeatureGroupCount) || i.has(ir::AttributeKey::BatchGroupCount) ? 1 : 0;
        batched += i.has(ir::AttributeKey::OperandBatchingDims) || i.has(ir::AttributeKey::InputBatchingDims) ? 1 : 0;
        nested +=
            i.opcode() == ir::Opcode::While && i.shape().subshape_count() > 1 + i.shape().elements().size() ? 1 : 0;
        ++instructions;
      }
    }
  }
  for (const ir::OpInfo &op : ir::ops()) {
    const bool elementwise = op.has(ir::Trait::Elementwise) && op.opcode != ir::Opcode::StochasticConvert &&
                             op.opcode != ir::Opcode::Complex;
    INFO(op.text);
    CHECK((!elementwise || counts[op.opcode] > 0));
  }
  using enum ir::Opcode;
  for (ir::Opcode opcode : {Broadcast,
                            Iota,
                            Constant,
                            Parameter,
                            Reshape,
                            Transpose,
                            Reverse,
                            Slice,
                            DynamicSlice,
                            DynamicUpdateSlice,
                            Concatenate,
                            Pad,
                            Gather,
                            Scatter,
                            Sort,
                            Tuple,
                            GetTupleElement,
                            Reduce,
                            ReduceWindow,
                            Dot,
                            Convolution,
                            While,
                            Conditional,
                            Call,
                            OptimizationBarrier,
                            Fusion,
                            SelectAndScatter,
                            Fft,
                            Cholesky,
                            TriangularSolve,
                            BatchNormTraining,
                            BatchNormInference,
                            BatchNormGrad,
                            RngBitGenerator,
                            TopK,
                            Scan,
                            Map,
                            Complex,
                            SetDimensionSize,
                            GetDimensionSize}) {
    INFO(ir::to_string(opcode));
    CHECK(counts[opcode] > 5);
  }
  for (const ir::ElementTypeInfo &type : ir::element_types()) {
    INFO(type.text);
    CHECK((type.type_class == ir::TypeClass::Opaque || types[type.type] > 5));
  }
  for (int count : {layouts, groups, batched, nested}) {
    CHECK(count > 5);
  }
  CHECK(instructions > 300 * 20);
  RandomModuleOptions large;
  large.instructions = 2000;
  CHECK(random_module(1, large).entry().instruction_count() >= 2000);
}

TEST_CASE("random programs end, and the interpreter runs them") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const ir::Module module = random_module(seed);
    interpreter::Options options;
    options.max_steps = 200'000;
    options.threads = 1;
    auto result = interpreter::interpret(module, draw_arguments(module, seed, 0).value(), options);
    INFO("seed " << seed << (result.ok() ? "" : result.error().to_string()));
    CHECK(result.ok());
  }
}

TEST_CASE("no pass changes the results of random programs") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    ir::Module module = random_module(seed);
    CheckOptions options;
    options.seed = seed;
    PassCheck check(options);
    passes::PipelineOptions pipeline;
    pipeline.verify_between_passes = true;
    pipeline.compare = check.compare();
    const Status status = passes::run_passes(module, compile::default_passes(), pipeline);
    INFO("backplane fuzz --count 1 --seed " << seed << "\n" << (status.ok() ? "" : status.error().to_string()));
    CHECK(status.ok());
  }
}

}  // namespace bp::debugging
