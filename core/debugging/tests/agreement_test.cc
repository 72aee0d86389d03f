#include "core/debugging/agreement.h"

#include <catch2/catch.hpp>

#include "core/interpreter/random_inputs.h"
#include "core/ir/verifier.h"
#include "core/text/parser.h"

namespace bp::debugging {
namespace {

Module read(const std::string &text) {
  auto module = text::parse_module(text);
  if (!module.ok()) {
    FAIL(module.error().to_string());
  }
  REQUIRE(ir::verify(*module).ok());
  return std::move(module).value();
}

// Compares the program `made`, a changed version of `text`, with the original.
Agreement judge(const std::string &text, const std::string &made) {
  const Module module = read(text);
  const Executable right = Executable::on_host(read(text)), executable = Executable::on_host(read(made));
  const auto arguments = interpreter::random_arguments(module, 1).value();
  auto agreement =
      compare(module, executable, arguments, executable.run(arguments).value(), right.run(arguments).value(), 1e-4);
  if (!agreement.ok()) {
    FAIL(agreement.error().to_string());
  }
  return std::move(agreement).value();
}

Agreement judge(const std::string &text) {
  return judge(text, text);
}

std::string softmax(const std::string &factor) {
  return R"(max { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] maximum(a, b) }
    sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
    ENTRY e { x = f32[1,100] parameter(0)  k = f32[] constant()" +
         factor + R"()  ks = f32[1,100] broadcast(k), dimensions={}  y = f32[1,100] multiply(x, ks)
      low = f32[] constant(-inf)  m = f32[1] reduce(y, low), dimensions={1}, to_apply=max
      ms = f32[1,100] broadcast(m), dimensions={0}  d = f32[1,100] subtract(y, ms)  p = f32[1,100] exponential(d)
      zero = f32[] constant(0)  s = f32[1] reduce(p, zero), dimensions={1}, to_apply=sum
      ss = f32[1,100] broadcast(s), dimensions={0}  ROOT r = f32[1,100] divide(p, ss) })";
}

TEST_CASE("a saturated result is weak evidence, one that answers to its inputs is not") {
  CHECK(judge(softmax("1")).verdict() == Verdict::Agrees);
  for (const char *factor : {"1000", "1e30"}) {  // one-hot approximately, and exactly
    const Agreement saturated = judge(softmax(factor));
    CHECK(saturated.verdict() == Verdict::WeakEvidence);
    CHECK(saturated.outputs[0].comparison.weak_evidence.find("move 0 % of its elements") != std::string::npos);
  }
}

TEST_CASE("integers have to be equal") {
  const auto program = [](const std::string &least) {
    return "ENTRY e { x = s32[64] parameter(0)  k = s32[] constant(1000000000)  ks = s32[64] broadcast(k), "
           "dimensions={} "
           "l = s32[] constant(" +
           least +
           ")  ls = s32[64] broadcast(l), dimensions={}  m = s32[64] or(x, ls) "
           "ROOT r = s32[64] add(m, ks) }";
  };
  CHECK(judge(program("0")).verdict() == Verdict::Agrees);
  CHECK(judge(program("0"), program("1")).verdict() == Verdict::Differs);  // by a billionth
}

TEST_CASE("sums of many and results of few elements answer to their inputs") {
  CHECK(judge(R"(sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
    ENTRY e { x = f32[100000] parameter(0)  zero = f32[] constant(0)
      ROOT r = f32[] reduce(x, zero), dimensions={0}, to_apply=sum })")
            .verdict() == Verdict::Agrees);
  CHECK(judge(R"(set { a = f32[] parameter(0)  ROOT b = f32[] parameter(1) }
    ENTRY e { u = f32[2,4] parameter(0)  i = s32[2,1] parameter(1)  zero = f32[] constant(0)
      zeros = f32[5000,4] broadcast(zero), dimensions={}
      ROOT r = f32[5000,4] scatter(zeros, i, u), update_window_dims={1}, inserted_window_dims={0},
        scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=set })")
            .verdict() == Verdict::Agrees);
}

TEST_CASE("step functions and integers need not respond to small changes") {
  CHECK(judge("ENTRY e { x = f32[8,8] parameter(0)  ROOT y = f32[8,8] sign(x) }").verdict() == Verdict::Agrees);
  CHECK(judge(R"(ENTRY e { x = f32[8,8] parameter(0)  zero = f32[] constant(0)
      zeros = f32[8,8] broadcast(zero), dimensions={}  p = pred[8,8] compare(x, zeros), direction=LT
      ROOT y = f32[8,8] convert(p) })")
            .verdict() == Verdict::Agrees);
  for (const char *coarse :
       {"f32[8,8] reduce-precision(x), exponent_bits=8, mantissa_bits=1", "f4e2m1fn[8,8] convert(x)"}) {
    CHECK(judge("ENTRY e { x = f32[8,8] parameter(0)  ROOT y = " + std::string(coarse) + " }").verdict() ==
          Verdict::Agrees);
  }
  CHECK(judge("ENTRY e { x = f8e4m3fn[8,8] parameter(0)  ROOT y = f32[8,8] convert(x) }").verdict() == Verdict::Agrees);
}

// The two unary operations are parameters of the program.
std::string passing(const std::string &first, const std::string &second) {
  return R"(
    passed { a = f32[4] parameter(0)  b = f32[8] parameter(1)  ROOT t = (f32[4], f32[8]) tuple(a, b) }
    ENTRY e { x = f32[4] parameter(0)  y = f32[8] parameter(1)  both = (f32[4], f32[8]) call(x, y), to_apply=passed
      b = f32[8] get-tuple-element(both), index=1  c = f32[2,4] reshape(b)  d = f32[2,4] )" +
         first + R"((c)  k = f32[3] constant({1, 2, 3})  s = f32[4] )" + second + R"((x)
      ROOT r = (f32[2,4], f32[3], f32[4]) tuple(d, k, s) })";
}

TEST_CASE("what is only passed through is counted apart") {
  const Agreement good = judge(passing("copy", "sine"));
  REQUIRE(good.outputs.size() == 3);
  CHECK(good.verdict() == Verdict::Agrees);
  CHECK(good.outputs[0].is_passed_through);
  CHECK(good.outputs[1].is_passed_through);
  CHECK_FALSE(good.outputs[2].is_passed_through);
  CHECK(judge("ENTRY e { x = f32[4] parameter(0)  ROOT t = (f32[4], f32[4]) tuple(x, x) }").verdict() ==
        Verdict::WeakEvidence);
  CHECK(judge("ENTRY e { x = f32[4,3] parameter(0)  ROOT t = f32[3,4] transpose(x), dimensions={1,0} }").verdict() ==
        Verdict::Agrees);
  CHECK(judge("ENTRY e { x = f32[3,5]{0,1} parameter(0)  ROOT r = f32[15] reshape(x) }").verdict() == Verdict::Agrees);
  CHECK(judge("ENTRY e { x = f32[3,5]{0,1} parameter(0)  ROOT c = f32[3,5]{1,0} copy(x) }").verdict() ==
        Verdict::Agrees);
}

TEST_CASE("a program without inputs agrees where it is identical, whatever its values") {
  for (const char *value : {"2", "-inf", "nan"}) {
    const std::string text =
        fmt::format("ENTRY e {{ c = f32[] constant({})  ROOT r = f32[3] broadcast(c), dimensions={{}} }}", value);
    CHECK(judge(text).verdict() == Verdict::Agrees);
    CHECK(!judge(text).has_inputs);
  }
  CHECK(judge("ENTRY e { c = f32[] constant(2)  ROOT r = f32[] sqrt(c) }",
              "ENTRY e { c = f32[] constant(3)  ROOT r = f32[] sqrt(c) }")
            .verdict() == Verdict::Differs);
  CHECK(judge("ENTRY e { ROOT c = f32[] constant(2) }").verdict() == Verdict::WeakEvidence);  // nothing is computed
}

TEST_CASE("a difference counts, wherever it is") {
  const std::string right = passing("copy", "sine");
  CHECK(judge(right, passing("negate", "sine")).difference().value().starts_with("{0}: f32[2,4]: "));
  CHECK(judge(right, passing("copy", "cosine")).difference().value().starts_with("{2}: f32[4]: "));
  // A change below the tolerance, in a value that must only be passed on.
  const auto scaled = [](const std::string &factor) {
    return "ENTRY e { x = f32[4] parameter(0)  k = f32[4] constant({1, 1, 1, " + factor +
           "})  s = f32[4] sine(x)  m = f32[4] multiply(x, k)  ROOT t = (f32[4], f32[4]) tuple(m, s) }";
  };
  CHECK(judge("ENTRY e { x = f32[4] parameter(0)  s = f32[4] sine(x)  ROOT t = (f32[4], f32[4]) tuple(x, s) }",
              scaled("1.00001"))
            .verdict() == Verdict::Differs);
  CHECK(judge(scaled("1"), scaled("1.00001")).verdict() == Verdict::Agrees);
  CHECK(judge(scaled("1"), scaled("1.001")).verdict() == Verdict::Differs);
  // A reference that is constant or not finite is no evidence in favour of the backend, but can be evidence against it.
  const std::string constant = "ENTRY e { x = f32[4] parameter(0)  ROOT y = f32[4] subtract(x, x) }";
  CHECK(judge(constant).verdict() == Verdict::WeakEvidence);
  CHECK(judge(constant, "ENTRY e { x = f32[4] parameter(0)  ROOT y = f32[4] negate(x) }").verdict() ==
        Verdict::Differs);
  const auto infinite = [](const std::string &second) {
    return "ENTRY e { x = f32[4] parameter(0)  i = f32[4] constant({1, " + second +
           ", 1, 2})  ROOT y = f32[4] multiply(x, i) }";
  };
  CHECK(judge(infinite("inf")).verdict() == Verdict::WeakEvidence);
  CHECK(judge(infinite("inf"), infinite("1")).verdict() == Verdict::Differs);
}

TEST_CASE("random inputs are positive where other numbers have no root, logarithm or quotient") {
  CHECK(judge(R"(ENTRY e { x = f32[8,6] parameter(0)  v = f32[1,6] parameter(1)  l = f32[2,3] parameter(2)
      vs = f32[6] reshape(v)  e = f32[] constant(1e-5)  es = f32[6] broadcast(e), dimensions={}
      w = f32[6] add(vs, es)  r = f32[6] rsqrt(w)  rs = f32[8,6] broadcast(r), dimensions={1}
      y = f32[8,6] multiply(x, rs)  ll = f32[2,3] log(l)  ROOT t = (f32[8,6], f32[2,3]) tuple(y, ll) })")
            .verdict() == Verdict::Agrees);
}

// x = x + max(x * w, 0) * v, a hundred times, and softmax.
TEST_CASE("random inputs leave a deep network with residual branches unsaturated") {
  std::string parameters, layers, x = "x";
  for (int i = 0; i < 100; ++i) {
    parameters +=
        fmt::format("w{0} = f32[32,32] parameter({1})  v{0} = f32[32,32] parameter({2})\n", i, 2 * i + 1, 2 * i + 2);
    layers += fmt::format(
        "h{0} = f32[4,32] dot({1}, w{0}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n"
        "a{0} = f32[4,32] maximum(h{0}, zeros)\n"
        "b{0} = f32[4,32] dot(a{0}, v{0}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n"
        "x{0} = f32[4,32] add({1}, b{0})\n",
        i, x);
    x = fmt::format("x{}", i);
  }
  CHECK(judge(fmt::format(R"(sum {{ a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }}
    max {{ a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] maximum(a, b) }}
    ENTRY e {{ x = f32[4,32] parameter(0)
      {}zero = f32[] constant(0)  zeros = f32[4,32] broadcast(zero), dimensions={{}}
      {}low = f32[] constant(-inf)  m = f32[4] reduce({}, low), dimensions={{1}}, to_apply=max
      ms = f32[4,32] broadcast(m), dimensions={{0}}  d = f32[4,32] subtract({}, ms)  p = f32[4,32] exponential(d)
      s = f32[4] reduce(p, zero), dimensions={{1}}, to_apply=sum  ss = f32[4,32] broadcast(s), dimensions={{0}}
      ROOT r = f32[4,32] divide(p, ss) }})",
                          parameters, layers, x, x))
            .verdict() == Verdict::Agrees);
}

}  // namespace
}  // namespace bp::debugging
