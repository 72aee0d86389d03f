// Tests that cannot be written as text: limits, errors, lifetimes; and convolution against loops that follow its
// definition.
#include "core/interpreter/interpreter.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "core/interpreter/compare.h"
#include "core/interpreter/random_inputs.h"
#include "core/ir/builder.h"
#include "core/ir/verifier.h"
#include "core/text/parser.h"

namespace bp::interpreter {
namespace {

using namespace bp::ir;

constexpr auto F32 = ElementType::F32;
constexpr auto S32 = ElementType::S32;

template <class T>
Literal array(ElementType type, std::initializer_list<std::int64_t> sizes, std::vector<T> values) {
  Literal literal = Literal::zeros(Shape::array(type, sizes)).value();
  std::ranges::copy(values, literal.mutable_elements<T>().begin());
  return literal;
}

template <class T>
std::vector<T> values(const Result<Literal> &literal) {
  if (!literal.ok()) {
    FAIL(literal.error().to_string());
  }
  auto elements = literal->elements<T>();
  return {elements.begin(), elements.end()};
}

// while (i < limit) { i = i + 1; }, limit a constant
void build_counting_loop(Module &module, std::int32_t limit) {
  Shape state = Shape::scalar(S32);
  Builder condition(module, module.add_computation("condition"));
  auto i = condition.parameter(state);
  condition.module().set_root(condition.computation(),
                              condition.compare(ComparisonDirection::Lt, i, condition.constant(S32, limit)));
  Builder body(module, module.add_computation("body"));
  auto j = body.parameter(state);
  module.set_root(body.computation(), body.add(Opcode::Add, {j, body.constant(S32, 1)}));
  Builder main(module, module.add_computation("main"));
  auto start = main.parameter(state);
  const ComputationId calls[] = {condition.computation(), body.computation()};
  auto loop = main.add(Opcode::While, {start}, [](Module &, InstructionId) {}, calls);
  module.set_entry(main.computation());
  main.finish(loop);
}

TEST_CASE("a loop counts, and stops at a limit of steps or time") {
  Module module("counting");
  build_counting_loop(module, 1000);
  REQUIRE(verify(module).ok());
  std::vector<Literal> start{Literal::scalar<std::int32_t>(S32, 3)};
  CHECK(values<std::int32_t>(interpret(module, start)) == std::vector<std::int32_t>{1000});

  Options options;
  options.max_steps = 100;
  auto stopped = interpret(module, start, options);
  REQUIRE_FALSE(stopped.ok());
  CHECK(stopped.error().code() == ErrorCode::Unsupported);
  CHECK(stopped.error().message().find("gave up after 100 steps") != std::string::npos);

  Module endless("endless");
  build_counting_loop(endless, std::numeric_limits<std::int32_t>::max());
  options = {};
  options.max_seconds = 0.05;
  stopped = interpret(endless, start, options);
  REQUIRE_FALSE(stopped.ok());
  CHECK(stopped.error().message().find("gave up after 0.05 seconds") != std::string::npos);
  CHECK(stopped.error().notes().at(0).find("in while called by") != std::string::npos);
}

TEST_CASE("results on the way can be replaced") {
  Module module("replaced");
  Builder b(module, module.add_computation("main"));
  auto x = b.parameter(Shape::array(S32, {2}));
  auto y = b.add(Opcode::Negate, {x});
  b.finish(b.add(Opcode::Add, {y, x}));
  Options options;
  std::vector<Opcode> seen;
  options.on_result = [&](const Instruction &i, std::span<const Literal> operands, Literal result) -> Result<Literal> {
    seen.push_back(i.opcode());
    return i.opcode() == Opcode::Negate ? operands[0] : result;
  };
  const std::vector<Literal> arguments{array<std::int32_t>(S32, {2}, {3, 4})};
  CHECK(values<std::int32_t>(interpret(module, arguments, options)) == std::vector<std::int32_t>{6, 8});
  CHECK(seen == std::vector<Opcode>{Opcode::Negate, Opcode::Add});
}

TEST_CASE("arguments must be those of the parameters") {
  Module module("arguments");
  Builder b(module, module.add_computation("main"));
  auto x = b.parameter(Shape::array(F32, {4}));
  b.finish(b.add(Opcode::Negate, {x}));
  CHECK(interpret(module, {}).error().message() == "main takes 1 arguments, 0 were given");
  std::vector<Literal> wrong{Literal::zeros(Shape::array(F32, {5})).value()};
  CHECK(interpret(module, wrong).error().message() == "argument 0 has shape f32[5], expected f32[4]");
}

TEST_CASE("a module that the verifier refuses is not run") {
  Module module("unverified");
  Builder b(module, module.add_computation("main"));
  auto x = b.parameter(Shape::array(F32, {4}), "x");
  auto y = b.add(Opcode::Negate, {x});
  b.finish(y);
  module.set_shape(y, Shape::array(F32, {4000}));
  std::vector<Literal> arguments{Literal::zeros(Shape::array(F32, {4})).value()};
  auto refused = interpret(module, arguments);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().to_string() == verify(module).error().to_string());
}

TEST_CASE("random values of a seed are the same, lie in their range, and differ between seeds") {
  auto values_of = [](RandomDistribution distribution, float low, float high, std::uint64_t seed) {
    Module module("random");
    Builder b(module, module.add_computation("main"));
    auto id = b.module().add_instruction(b.computation(), Opcode::Rng, Shape::array(F32, {4096}),
                                         {b.constant(F32, low), b.constant(F32, high)});
    module.set_number(id, AttributeKey::Distribution, static_cast<std::int64_t>(distribution));
    b.finish(id);
    Options options;
    options.rng_seed = seed;
    return values<float>(interpret(module, {}, options));
  };
  std::vector<float> uniform = values_of(RandomDistribution::Uniform, -2, 3, 1);
  CHECK(uniform == values_of(RandomDistribution::Uniform, -2, 3, 1));
  CHECK(uniform != values_of(RandomDistribution::Uniform, -2, 3, 2));
  for (float x : uniform) {
    REQUIRE((-2 <= x && x < 3));
  }
  auto mean = [](const std::vector<float> &x) { return std::accumulate(x.begin(), x.end(), 0.0) / 4096; };
  CHECK(mean(uniform) == Approx(0.5).margin(0.1));
  std::vector<float> normal = values_of(RandomDistribution::Normal, 10, 2, 1);
  CHECK(mean(normal) == Approx(10).margin(0.15));
  double squares = 0;
  for (float x : normal) {
    squares += (static_cast<double>(x) - 10) * (static_cast<double>(x) - 10);
  }
  CHECK(squares / 4096 == Approx(4).margin(0.4));
}

TEST_CASE("calls nested too deep and values too large are errors") {
  Module module("deep");
  ComputationId callee = no_computation;
  Shape shape = Shape::scalar(F32);
  for (int level = 0; level < 5000; ++level) {
    Builder b(module, module.add_computation("level"));
    auto x = b.parameter(shape);
    if (level == 0) {
      module.set_root(b.computation(), x);
    } else {
      const ComputationId calls[] = {callee};
      module.set_root(b.computation(), b.add(Opcode::Call, {x}, [](Module &, InstructionId) {}, calls));
    }
    callee = b.computation();
  }
  module.set_entry(callee);
  std::vector<Literal> arguments{Literal::scalar(F32, 1.0f)};
  auto result = interpret(module, arguments);
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().message().find("nested more than 256 deep") != std::string::npos);

  Module large("large");
  Builder b(large, large.add_computation("main"));
  auto x = b.parameter(shape, "x");
  b.finish(b.broadcast(x, {1 << 20, 1 << 20, 1 << 20}));
  result = interpret(large, arguments);
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code() == ErrorCode::OutOfMemory);
}

TEST_CASE("progress is told for each instruction of the entry") {
  Module module("progress");
  Builder b(module, module.add_computation("main"));
  auto x = b.parameter(Shape::scalar(F32));
  b.finish(b.add(Opcode::Add, {b.add(Opcode::Negate, {x}), x}));
  std::vector<std::string> told;
  Options options;
  options.progress = [&](std::int64_t done, std::int64_t total, const Instruction &next) {
    told.push_back(fmt::format("{}/{} {}", done, total, next.op().text));
  };
  std::vector<Literal> arguments{Literal::scalar(F32, 1.0f)};
  CHECK(values<float>(interpret(module, arguments, options)) == std::vector<float>{0});
  CHECK(told == std::vector<std::string>{"1/3 negate", "2/3 add"});
}

// The definition of convolution, for one spatial dimension or two.
struct ConvolutionCase {
  std::vector<WindowDimension> window;
  std::vector<std::int64_t> lhs, rhs;  // lhs: b f s..., rhs: o i s...
  std::int64_t feature_groups = 1, batch_groups = 1;
};

std::vector<double> plain_convolution(const ConvolutionCase &c, const Shape &output, std::span<const float> lhs,
                                      std::span<const float> rhs) {
  std::size_t spatial = c.window.size();
  auto at = [](std::span<const std::int64_t> sizes, std::span<const std::int64_t> index) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      offset = offset * sizes[d] + index[d];
    }
    return static_cast<std::size_t>(offset);
  };
  std::vector<double> result(static_cast<std::size_t>(output.element_count()));
  std::int64_t batches = c.lhs[0] / c.batch_groups, features = c.rhs[0] / (c.feature_groups * c.batch_groups);
  for (std::size_t o = 0; o < result.size(); ++o) {
    std::vector<std::int64_t> out(2 + spatial);
    auto rest = static_cast<std::int64_t>(o);
    for (std::size_t d = out.size(); d-- > 0;) {
      out[d] = rest % output.size(d);
      rest /= output.size(d);
    }
    std::int64_t group = out[1] / features;
    for (std::size_t k = 0; k < rhs.size() / static_cast<std::size_t>(c.rhs[0]); ++k) {
      std::vector<std::int64_t> filter(2 + spatial), in(2 + spatial);
      rest = static_cast<std::int64_t>(k);
      for (std::size_t d = filter.size(); d-- > 1;) {
        filter[d] = rest % c.rhs[d];
        rest /= c.rhs[d];
      }
      filter[0] = out[1];
      in[0] = out[0] + (c.batch_groups > 1 ? group * batches : 0);
      in[1] = filter[1] + (c.feature_groups > 1 ? group * c.rhs[1] : 0);
      bool inside = true;
      for (std::size_t d = 0; d < spatial; ++d) {
        const WindowDimension &w = c.window[d];
        std::int64_t place = out[2 + d] * w.stride + filter[2 + d] * w.rhs_dilate - w.pad_low;
        inside = inside && place >= 0 && place % w.lhs_dilate == 0 && place / w.lhs_dilate < c.lhs[2 + d];
        in[2 + d] = place / w.lhs_dilate;
        if (w.reversal != 0) {
          filter[2 + d] = w.size - 1 - filter[2 + d];
        }
      }
      if (inside) {
        result[o] += static_cast<double>(lhs[at(c.lhs, in)]) * static_cast<double>(rhs[at(c.rhs, filter)]);
      }
    }
  }
  return result;
}

TEST_CASE("convolution is its definition") {
  const ConvolutionCase cases[] = {
      {{{3, 1, 1, 1, 1, 1, 0}, {3, 2, 0, 2, 1, 1, 0}}, {2, 5, 7, 9}, {13, 5, 3, 3}},
      {{{2, 1, 0, 0, 1, 3, 1}, {3, 3, 4, -2, 2, 1, 0}}, {1, 4, 6, 8}, {6, 2, 2, 3}, 2, 1},
      {{{3, 1, -1, 2, 3, 2, 1}}, {4, 3, 5}, {6, 3, 3}, 1, 2},
      {{{1, 1, 0, 0, 1, 1, 0}}, {70, 300, 3}, {150, 300, 1}},
      {{{5, 1, 2, 2, 1, 1, 0}}, {3, 8, 20}, {8, 1, 5}, 8, 1},
      {{}, {5, 3}, {4, 3}},
  };
  std::uint64_t seed = 0;
  for (const ConvolutionCase &c : cases) {
    Module module("convolution");
    Builder b(module, module.add_computation("main"));
    auto lhs = b.parameter(Shape::array(F32, c.lhs)), rhs = b.parameter(Shape::array(F32, c.rhs));
    auto id = b.add(Opcode::Convolution, {lhs, rhs}, [&](Module &m, InstructionId i) {
      m.set_window(i, c.window);
      // bf01_oi01->bf01, with the number of spatial dimensions of the case
      std::vector<std::int64_t> labels{0, 1, 1, 0, 0, 1};
      for (int side = 0; side < 3; ++side) {
        for (std::size_t d = 0; d < c.window.size(); ++d) {
          labels.push_back(static_cast<std::int64_t>(2 + d));
        }
      }
      m.set_numbers(i, AttributeKey::DimLabels, labels);
      m.set_number(i, AttributeKey::FeatureGroupCount, c.feature_groups);
      m.set_number(i, AttributeKey::BatchGroupCount, c.batch_groups);
    });
    b.finish(id);
    REQUIRE(verify(module).ok());
    std::vector<Literal> arguments{random_literal(Shape::array(F32, c.lhs), ++seed).value(),
                                   random_literal(Shape::array(F32, c.rhs), ++seed).value()};
    std::vector<float> result = values<float>(interpret(module, arguments));
    std::vector<double> expected =
        plain_convolution(c, b.shape(id), arguments[0].elements<float>(), arguments[1].elements<float>());
    REQUIRE(result.size() == expected.size());
    for (std::size_t i = 0; i < result.size(); ++i) {
      REQUIRE(result[i] == Approx(expected[i]).epsilon(1e-6).margin(1e-7));
    }
  }
}

TEST_CASE("a comparison says how far, where, and when it says nothing") {
  auto compared = [](std::vector<float> x, std::vector<float> y) {
    auto size = static_cast<std::int64_t>(x.size());
    return compare(array(F32, {size}, x), array(F32, {size}, y)).value().at(0);
  };
  Comparison close = compared({1, 2, 4.5f}, {1, 2.5f, 4});
  CHECK(close.relative_error == 0.125);
  CHECK(close.typical_error == Approx(0.5 / std::sqrt((1 + 6.25 + 16) / 3)));
  CHECK(close.worst == std::vector<std::int64_t>{1});
  CHECK(close.agrees(0.125));
  CHECK_FALSE(close.agrees(0.12));
  CHECK(compared({1, std::nextafter(2.0f, 3.0f)}, {1, 2}).max_ulp == 1);
  CHECK(compared({1, NAN}, {1, 2}).relative_error == std::numeric_limits<double>::infinity());
  CHECK(compared({1, NAN}, {1, NAN}).weak_evidence == "the reference is not finite");
  CHECK(compared({1, 1}, {1, 1}).weak_evidence == "the reference is constant");
  CHECK_FALSE(compared({1, 1}, {1, 1}).agrees(1));
  CHECK(compared({0, 0}, {0, -0.0f}).relative_error == 0);
  // An error next to a large element, and one among zeros.
  CHECK(compared({100, 1, 1, 1}, {100, 1, 1, 1.5f}).typical_error ==
        Approx(0.5 / std::sqrt(10005.25 / 4)).epsilon(1e-3));
  CHECK(compared({0, 0, 0, 3}, {0, 0, 0, 4}).typical_error == 0.25);
  CHECK(compared({0, 1, 2, 3}, {0, 1, 2, 3.1f}).share_noticeable == Approx(1.0 / 3));
  CHECK(compared({0, 1e30f, 1e-30f}, {0, 1e30f, 1e-30f}).share_noticeable == 0);
  CHECK_FALSE(compare(array<float>(F32, {1}, {1}), array<float>(F32, {1, 1}, {1})).ok());
  CHECK(to_string(close) == "f32[3]: relative error 0.18 (2097152.0 ulp) at [1]: 2 instead of 2.5");
}

TEST_CASE("a comparison is about elements within run-time sizes") {
  const auto of_size = [](std::int64_t size, std::vector<float> values) {
    Shape shape = Shape::array(F32, {2, 4});
    shape.set_dynamic(1, true);
    Literal literal = array<float>(F32, {2, 4}, values).with_shape(shape);
    literal.set_dynamic_size(1, size);
    return literal;
  };
  const Literal x = of_size(2, {1, 2, 7, 7, 3, 4, 7, 7}), y = of_size(2, {1, 2, 0, 0, 3, 4, 9, 9});
  CHECK(compare(x, y).value().at(0).identical);
  const Comparison apart = compare(of_size(2, {1, 2, 7, 7, 3, 5, 7, 7}), y).value().at(0);
  CHECK(apart.worst == std::vector<std::int64_t>{1, 1});
  CHECK(apart.relative_error == 0.25);
  const Comparison longer = compare(of_size(3, {1, 2, 7, 7, 3, 4, 7, 7}), y).value().at(0);
  CHECK_FALSE(longer.agrees(1));
  CHECK(to_string(longer) == "f32[2,<=4]: relative error inf (0.0 ulp) at []: sizes [2,3] instead of sizes [2,2]");
  CHECK(compare(of_size(0, {1, 2, 7, 7, 3, 4, 7, 7}), of_size(0, {0, 0, 0, 0, 0, 0, 0, 0})).value().at(0).identical);
}

TEST_CASE("a comparison of complex numbers shows both parts") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  auto compared = [](std::complex<float> x, std::complex<float> y) {
    const auto one = [](std::complex<float> value) {
      return Literal::scalar<std::complex<float>>(ElementType::C64, value);
    };
    return compare(one(x), one(y)).value().at(0);
  };
  CHECK(to_string(compared({-NAN, inf}, {inf, 2})) ==
        "c64[]: relative error inf (inf ulp) at []: (-nan, inf) instead of (inf, 2); weak evidence: the reference is "
        "not finite");
  CHECK(compared({-NAN, inf}, {NAN, inf}).typical_error == 0);
  CHECK(compared({NAN, 1}, {NAN, 2}).max_ulp > 1);
}

TEST_CASE("random arguments suit their use") {
  Module module("uses");
  Builder b(module, module.add_computation("main"));
  auto table = b.parameter(Shape::array(F32, {50, 16}));
  auto ids = b.parameter(Shape::array(S32, {7}));
  auto weights = b.parameter(Shape::array(F32, {16, 400}));
  auto bias = b.parameter(Shape::array(F32, {400}));
  auto offset = b.add(Opcode::Add, {ids, b.broadcast(b.constant(S32, 0), {7})});
  auto rows = b.add(Opcode::Gather, {table, offset}, [](Module &m, InstructionId id) {
    m.set_numbers(id, AttributeKey::OffsetDims, {1});
    m.set_numbers(id, AttributeKey::CollapsedSliceDims, {0});
    m.set_numbers(id, AttributeKey::StartIndexMap, {0});
    m.set_number(id, AttributeKey::IndexVectorDim, 1);
    m.set_numbers(id, AttributeKey::SliceSizes, {1, 16});
  });
  auto product = b.add(Opcode::Dot, {rows, weights}, [](Module &m, InstructionId id) {
    m.set_numbers(id, AttributeKey::LhsContractingDims, {1});
    m.set_numbers(id, AttributeKey::RhsContractingDims, {0});
  });
  const std::int64_t second[] = {1};
  b.finish(b.add(Opcode::Add, {product, b.broadcast(bias, Shape::array(F32, {7, 400}), second)}));
  REQUIRE(verify(module).ok());
  auto arguments = random_arguments(module, 7).value();
  REQUIRE(arguments.size() == 4);
  for (std::int32_t id : arguments[1].elements<std::int32_t>()) {
    CHECK((0 <= id && id < 50));
  }
  double squares = 0;
  for (float x : arguments[2].elements<float>()) {
    squares += static_cast<double>(x) * static_cast<double>(x);
  }
  CHECK(squares / 6400 == Approx(1.0 / 64).epsilon(0.1));
  for (float x : arguments[3].elements<float>()) {
    CHECK((0.5f <= x && x < 1.5f));
  }
  CHECK(arguments[0].identical(random_arguments(module, 7).value()[0]));
  CHECK_FALSE(arguments[0].identical(random_arguments(module, 8).value()[0]));
  // Always the same, because other tests rely on it.
  CHECK(random_literal(Shape::array(S32, {4}), 1).value().elements<std::int32_t>()[0] ==
        random_literal(Shape::array(S32, {9}), 1).value().elements<std::int32_t>()[0]);
  CHECK(random_literal(Shape::scalar(F32), 42).value().elements<float>()[0] == 1.24156487f);
}

}  // namespace
TEST_CASE("ops that have no meaning on dynamic dimensions are refused by name, with the reason") {
  const std::pair<std::string, std::string> cases[] = {
      {"ROOT r = (f32[4,2], s32[4,2]) topk(d), k=2",
       "r: topk with dynamic dimensions: XLA does not pass sizes through it"},
      {"ROOT r = f32[2,1] dynamic-slice(e, zero, zero), dynamic_slice_sizes={2,1}",
       "r: dynamic-slice with dynamic dimensions: the slice takes 2 of up to 4 elements of dimension 0, expected 1 or "
       "all"},
      {"ROOT r = f32[16] reshape(d)",
       "r: reshape with dynamic dimensions: from f32[4,<=4] to f32[16], 0 dimensions of the result are dynamic, "
       "expected 1"},
      {"ROOT r = f32[4,<=4] convolution(x, e), dim_labels=bf_oi->bf",
       "r: convolution with dynamic dimensions: dimension 0 of operand 1 is neither the batch nor an input feature"},
  };
  for (const auto &[line, message] : cases) {
    auto module = text::parse_module(fmt::format(R"(ENTRY main {{
  x = f32[4,4] parameter(0)
  two = s32[] constant(2)
  zero = s32[] constant(0)
  d = f32[4,<=4] set-dimension-size(x, two), dimensions={{1}}
  e = f32[<=4,4] set-dimension-size(x, two), dimensions={{0}}
  {}
}})",
                                                 line));
    INFO(line << (module.ok() ? "" : module.error().to_string()));
    REQUIRE(module.ok());
    const auto result = interpret(*module, std::vector{array<float>(F32, {4, 4}, std::vector<float>(16))});
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().code() == ErrorCode::Unsupported);
    CHECK(result.error().message() == message);
  }
}

TEST_CASE("a call of LAPACK that does not fit its routine is told from an unknown function") {
  // The matrix is row by row.
  const auto module = text::parse_module(R"(ENTRY main {
  x = f32[4,4] parameter(0)
  ROOT r = (f32[4,4], s32[]) custom-call(x), custom_call_target="lapack_spotrf_ffi", backend_config={uplo = 76 : ui8}
})");
  REQUIRE(module.ok());
  const auto result = interpret(*module, std::vector{array<float>(F32, {4, 4}, std::vector<float>(16))});
  REQUIRE_FALSE(result.ok());
  CHECK(
      result.error().message() ==
      "r: the custom call \"lapack_spotrf_ffi\" has other operands, results, layouts or flags than the routine, which "
      "takes matrices column by column; or they are empty");
}

TEST_CASE("calls between a dynamic array and its parts say what does not fit") {
  const std::pair<std::string, std::string> cases[] = {
      {"ROOT r = (f32[4,4], s32[]) custom-call(x), custom_call_target=\"PadToStatic\"",
       "PadToStatic of f32[4,4] gives (f32[4,4], s32[]), expected of an array one of its bounds, and an s32[] for each "
       "dimension"},
      {"ROOT r = f32[4,<=4] custom-call(x, two), custom_call_target=\"SliceToDynamic\"",
       "SliceToDynamic of f32[4,4], s32[] gives f32[4,<=4], expected an array, of one of its bounds and an s32[] for "
       "each dimension"},
      {"ROOT r = f32[4,<=4] custom-call(x, two, two), custom_call_target=\"SliceToDynamic\"",
       "size 2 for dimension 0, expected 4"},
  };
  for (const auto &[line, message] : cases) {
    auto module = text::parse_module(
        fmt::format("ENTRY main {{ x = f32[4,4] parameter(0)  two = s32[] constant(2)  {} }}", line));
    INFO(line << (module.ok() ? "" : module.error().to_string()));
    REQUIRE(module.ok());
    const auto result = interpret(*module, std::vector{array<float>(F32, {4, 4}, std::vector<float>(16))});
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().message() == "r: " + message);
  }
}

}  // namespace bp::interpreter
