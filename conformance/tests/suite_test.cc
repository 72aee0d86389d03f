// The lists of cases, the table of tolerances and the judge.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "conformance/runner/expectations.h"
#include "conformance/runner/selection.h"
#include "conformance/suite/growth.h"
#include "conformance/suite/instruction_trial.h"
#include "conformance/suite/library.h"
#include "conformance/suite/op_case.h"
#include "core/base/sanitizers.h"
#include "core/text/parser.h"

namespace bp::conformance {
namespace {

Subject interpreter() {
  Choice choice;
  choice.name = "interpreter";
  return Subject::find(std::move(choice)).value();
}

ir::Literal literal(const std::string &shape, const std::string &text) {
  return text::parse_literal(text, text::parse_shape(shape).value()).value();
}

std::string mismatch(const std::string &shape, const std::string &found, const std::string &expected,
                     const Accuracy &accuracy) {
  const ir::Literal x = literal(shape, found), y = literal(shape, expected);
  return judge(x, y, accuracy, x.shape().element_type()).mismatch;
}

}  // namespace

TEST_CASE("every op has cases") {
  for (const ir::OpInfo &op : ir::ops()) {
    INFO(op.text);
    CHECK_FALSE(list_op_cases(op, Mode::Quick).empty());
  }
}

TEST_CASE("the allowed error is described in a word or two") {
  const auto allowed = [](ir::Opcode opcode, ir::ElementType type) {
    return to_string(ir::info(opcode).accuracy, type);
  };
  CHECK(allowed(ir::Opcode::Sine, ir::ElementType::F32) == "4 ulp");
  CHECK(allowed(ir::Opcode::Sine, ir::ElementType::BF16) == "2 ulp");
  CHECK(allowed(ir::Opcode::Multiply, ir::ElementType::C64) == "4 ulp");
  CHECK(allowed(ir::Opcode::Multiply, ir::ElementType::F32) == "exact");
  CHECK(allowed(ir::Opcode::Power, ir::ElementType::S32) == "exact");
  CHECK(allowed(ir::Opcode::Dot, ir::ElementType::F32) == "sum");
  CHECK(allowed(ir::Opcode::Dot, ir::ElementType::S8) == "exact");
  CHECK(allowed(ir::Opcode::Fft, ir::ElementType::C64) == "16 norm");
  CHECK(allowed(ir::Opcode::Copy, ir::ElementType::Pred) == "bits");
  CHECK(allowed(ir::Opcode::Rng, ir::ElementType::F32).empty());
}

TEST_CASE("ids are unique, stable, and lead back to their programs") {
  const Subject subject = interpreter();
  const std::vector<Group> groups = select_cases(subject, {}).value();
  std::set<std::string> ids;
  std::size_t count = 0;
  for (const Group &group : groups) {
    ids.insert(group.ids.begin(), group.ids.end());
    count += group.ids.size();
  }
  CHECK(ids.size() == count);
  CHECK(count >= 5000);
  for (const char *id : {"ops/add/f32/prime/edge", "ops/convert.s8/f32/prime/random", "ops/dot.2/bf16/power/random",
                         "ops/sine/f16/every16/every", "ops/copy/f32/matrix.transposed/random",
                         "ops/replica-id/-/fixed/random", "programs/dot.mlir:1"}) {
    INFO(id);
    CHECK(ids.count(id) == 1);
  }
  std::size_t i = 0;
  for (const std::string &id : ids) {
    if (id.starts_with("ops/") && ++i % 97 == 0) {
      INFO(id);
      const auto one = OpCase::parse(id);
      REQUIRE(one.has_value());
      CHECK(one->id() == id);
      CHECK(one->module().ok());
    }
  }
  CHECK(subject.seed_of("ops/add/f32/prime/edge") == 0xd6b48c9ca2211610);
  CHECK_FALSE(OpCase::parse("ops/add/f32/prime").has_value());
  CHECK_FALSE(OpCase::parse("ops/add/f33/prime/edge").has_value());
}

TEST_CASE("a full run sweeps over all operands of unary functions, in parts that have names") {
  const std::vector<std::string> ids = list_op_cases(ir::info(ir::Opcode::Sine), Mode::Full);
  CHECK(std::ranges::count_if(ids, [](const std::string &id) { return id.starts_with("ops/sine/f32/sweep/0x"); }) ==
        256);
  const auto one = OpCase::parse("ops/sine/f32/sweep/0x3f");
  REQUIRE(one.has_value());
  CHECK(one->highest_byte == 0x3f);
  CHECK(one->id() == "ops/sine/f32/sweep/0x3f");
  CHECK_FALSE(OpCase::parse("ops/sine/f32/sweep/0x3g").has_value());
  CHECK_FALSE(OpCase::parse("ops/sine/f32/sweep/every").has_value());
  const auto none = list_op_cases(ir::info(ir::Opcode::Add), Mode::Full);
  CHECK(std::ranges::none_of(none, [](const std::string &id) { return id.find("sweep") != std::string::npos; }));
}

TEST_CASE("shards are disjoint and cover everything") {
  const Subject subject = interpreter();
  Selection selection;
  selection.stages = {"programs"};
  const auto ids_of = [&](Shard shard) {
    selection.shard = shard;
    const std::vector<Group> groups = select_cases(subject, selection).value();
    std::multiset<std::string> ids;
    for (const Group &group : groups) {
      ids.insert(group.ids.begin(), group.ids.end());
    }
    return ids;
  };
  const std::multiset<std::string> all = ids_of({});
  std::multiset<std::string> parts;
  for (std::size_t i = 1; i <= 3; ++i) {
    parts.merge(ids_of({i, 3}));
  }
  CHECK(parts == all);
  CHECK(Shard::parse("0/3").error().message() == "the shard is 0 of 3, expected one from 1 to 3");
  CHECK(Shard::parse("3").error().message() == "--shard is '3', expected I/N");
  CHECK(Shard::parse("a/3").error().message() == "the shard is 'a', expected a number");
  selection.stages = {"opts"};
  CHECK_THAT(select_cases(subject, selection).error().message(),
             Catch::StartsWith("there is no stage 'opts', expected one of: x_ray, life_cycle, contract, ops"));
  selection = {{}, {"ops/add/f32/none*"}, {}};
  CHECK(select_cases(subject, selection).error().message() == "no case is called ops/add/f32/none*");
  selection = {{"x_ray", "claims"}, {"ops/add/f32/*"}, {}};
  CHECK(select_cases(subject, selection).error().message() ==
        "no case of x_ray or claims is called ops/add/f32/*: --stage and --case both have to apply");
}

TEST_CASE("the judge is as strict as the table says") {
  const Accuracy exact{Closeness::Exact}, bits{Closeness::Bits}, two{Closeness::Ulp, 2, 1, 2},
      sum{.closeness = Closeness::Sum};
  CHECK(mismatch("f32[2]", "{1, nan}", "{1, nan}", exact).empty());
  CHECK(mismatch("f32[2]", "{1, 0}", "{1, -0}", exact) ==
        "1 of 2 elements are wrong; [1] is 0, expected -0 (inf ulp apart)");
  CHECK(mismatch("f32[]", "1.0000001", "1", exact) ==
        "1 of 1 elements are wrong; [] is 1.0000001, expected 1 (1 ulp apart)");
  CHECK(mismatch("f32[]", "1.0000002", "1", two).empty());
  CHECK_FALSE(mismatch("f32[]", "1.0000004", "1", two).empty());
  CHECK_FALSE(mismatch("f32[]", "0", "-0", two).empty());
  CHECK_FALSE(mismatch("f32[]", "inf", "1", two).empty());
  CHECK_FALSE(mismatch("f32[]", "nan", "1", two).empty());
  CHECK_FALSE(mismatch("f32[]", "1e-45", "0", exact).empty());  // subnormals flushed to zero
  CHECK(mismatch("f32[]", "inf", "3.4028235e38", two).empty());
  CHECK(mismatch("bf16[]", "1.0078125", "1", two).empty());
  CHECK_FALSE(mismatch("bf16[]", "1.015625", "1", two).empty());
  CHECK_FALSE(mismatch("s32[2]", "{1, 2}", "{1, 3}", two).empty());
  CHECK(mismatch("c64[]", "(1, 0.00000001)", "(1, 0)", two).empty());
  CHECK(mismatch("f32[]", "0", "-0", sum).empty());

  // Where the sum of the absolute values of finite terms overflows, the order of additions decides.
  const auto is_close_sum = [&](const char *found, const char *expected, const char *of_sizes, bool has_finite_terms) {
    SumBound bound{.sums = literal("f32[]", of_sizes)};
    bound.has_finite_terms = has_finite_terms;
    return judge(literal("f32[]", found), literal("f32[]", expected), sum, ir::ElementType::F32, bound)
        .mismatch.empty();
  };
  CHECK(is_close_sum("nan", "-inf", "inf", true));
  SumBound overflow{.sums = literal("f32[2]", "{inf, 1}")};
  overflow.has_finite_terms = true;
  const auto numbers = [](const char *text) { return literal("f32[2]", text); };
  const Judgement half = judge(numbers("{5, 1}"), numbers("{7, 1}"), sum, ir::ElementType::F32, overflow);
  CHECK((half.open == 1 && half.elements == 2 && half.mismatch.empty()));
  CHECK(is_close_sum("5", "7", "inf", true));
  CHECK_FALSE(is_close_sum("nan", "inf", "inf", false));
  CHECK_FALSE(is_close_sum("nan", "7", "8", true));

  // The error of a finite part is relative to the number, even where the other part is infinite.
  CHECK(mismatch("c64[]", "(1.0000001, -inf)", "(1, -inf)", two).empty());
  CHECK_FALSE(mismatch("c64[]", "(1.00001, -inf)", "(1, -inf)", two).empty());
  CHECK_FALSE(mismatch("c64[]", "(1, inf)", "(1, -inf)", two).empty());

  ir::Literal payload = literal("f32[]", "nan");
  payload.mutable_bytes()[0] = std::byte{7};
  const ir::Literal plain = literal("f32[]", "nan");
  CHECK(judge(payload, plain, exact, ir::ElementType::F32).mismatch.empty());
  CHECK(judge(payload, plain, bits, ir::ElementType::F32).mismatch ==
        "1 of 1 elements are wrong; [] is nan (0x7fc00007), expected nan (0x7fc00000): every bit counts");

  // A sum that cancels may be off by the error of its terms, and no more.
  SumBound bound{.sums = literal("f32[]", "1000"), .terms = 10};
  CHECK(judge(literal("f32[]", "0.0005"), literal("f32[]", "0"), sum, ir::ElementType::F32, bound).mismatch.empty());
  CHECK_FALSE(
      judge(literal("f32[]", "0.01"), literal("f32[]", "0"), sum, ir::ElementType::F32, bound).mismatch.empty());
  // In bf16, terms of 100 in all may be off by 10 times half a unit of 1, times 100; in f32 by no more than one unit.
  bound.sums = literal("bf16[]", "100");
  CHECK_FALSE(
      judge(literal("bf16[]", "2"), literal("bf16[]", "1"), sum, ir::ElementType::BF16, bound).mismatch.empty());
  bound.are_in_result = true;
  CHECK(judge(literal("bf16[]", "2"), literal("bf16[]", "1"), sum, ir::ElementType::BF16, bound).mismatch.empty());
  CHECK_FALSE(
      judge(literal("bf16[]", "6"), literal("bf16[]", "1"), sum, ir::ElementType::BF16, bound).mismatch.empty());
  CHECK_FALSE(judge(literal("f32[2]", "{1, 2}"), literal("f32[]", "1"), sum, ir::ElementType::F32).mismatch.empty());
}

TEST_CASE("errors of many sums are judged together") {
  const Accuracy sum = ir::info(ir::Opcode::Dot).accuracy;
  constexpr std::int64_t terms = 10'000;
  const ir::Shape shape = text::parse_shape("f32[64]").value();
  // The elements of the result are 1000 of terms with absolute values that sum up to 1000, plus these errors.
  const auto judged = [&](auto error) {
    ir::Literal found = ir::Literal::zeros(shape).value(), expected = ir::Literal::zeros(shape).value();
    for (std::size_t i = 0; i < 64; ++i) {
      expected.mutable_elements<float>()[i] = 1000;
      found.mutable_elements<float>()[i] = 1000 + error(i);
    }
    SumBound bound{.terms = terms};
    bound.sums = expected;
    return judge(found, expected, sum, ir::ElementType::F32, bound).mismatch;
  };
  CHECK(judged([](std::size_t i) { return i % 2 == 0 ? 0.005f : -0.005f; }).empty());
  CHECK(judged([](std::size_t i) { return i == 7 ? 0.05f : 0.0f; }) == "");  // one element may be as bad as the worst
  CHECK(judged([](std::size_t i) {
          return i % 2 == 0 ? 0.05f : -0.05f;
        }).starts_with("the errors of 64 elements are too"));
  CHECK(judged([](std::size_t) { return 0.005f; }).starts_with("the errors of 64 elements lean to one side"));
  CHECK(judged([](std::size_t) { return 0.001f; }).empty());
}

TEST_CASE("a result that a faulty device could have as well is weak") {
  const ir::Shape shape = text::parse_shape("f32[64]").value();
  const auto array = [&](auto element) {
    ir::Literal made = ir::Literal::zeros(shape).value();
    for (std::size_t i = 0; i < 64; ++i) {
      made.mutable_elements<float>()[i] = element(i);
    }
    return made;
  };
  const auto count = [](std::size_t i) { return static_cast<float>(i); };
  const auto zero = [](std::size_t) { return 0.0f; };
  const std::vector<ir::Literal> varied{array(count)}, same{array(zero)};
  CHECK(find_weakness(varied, array(count)).empty());
  CHECK(find_weakness(varied, array([](std::size_t i) { return i < 2 ? 1.0f : 0.0f; })) ==
        "almost all elements of the result are the same");
  CHECK(find_weakness(same, array(zero)).empty());  // as the operand's, so that the result says something
  CHECK(find_weakness(varied, array([](std::size_t i) { return i < 2 ? 1.0f : std::log(-1.0f - float(i)); })) ==
        "almost all elements of the result are infinite or NaN");
  CHECK(find_weakness(varied, literal("f32[0]", "{}")) == "the result has no elements");
  CHECK(find_weakness(varied, literal("f32[2]", "{1, 1}")).empty());
}

TEST_CASE("patterns") {
  CHECK(matches("ops/*/f32/*", "ops/add/f32/prime/edge"));
  CHECK(matches("*", ""));
  CHECK(matches("a?c*", "abcd"));
  CHECK_FALSE(matches("ops/*/f32", "ops/add/f32/prime"));
  CHECK_FALSE(matches("", "a"));
  CHECK(matches(std::string(200, '*') + "b", std::string(5000, 'a') + "b"));
}

TEST_CASE("expectations have sections and reasons") {
  const auto read =
      Expectations::parse("# list\n[never]\nops/*/f64/*   no doubles\n\n[not yet]\nops/sort/* later\n", "x");
  REQUIRE(read.ok());
  REQUIRE(read->lines().size() == 2);
  Verdict failed = failure("wrong");
  read->apply("ops/add/f64/one/random", failed);
  CHECK(failed.status == CaseStatus::ExpectedFailure);
  CHECK(failed.message == "never: no doubles; wrong");
  Verdict passed;
  read->apply("ops/sort/f32/one/random", passed);
  CHECK(passed.status == CaseStatus::UnexpectedPass);
  Verdict other = failure("wrong");
  read->apply("ops/add/f32/one/random", other);
  CHECK(other.status == CaseStatus::Fail);
  const auto problem = [](const char *text) { return Expectations::parse(text, "x").error().to_string(); };
  CHECK_THAT(problem("ops/* why\n"), Catch::StartsWith("x:1:1: a pattern comes before the first section"));
  CHECK_THAT(problem("[never]\nops/*\n"), Catch::StartsWith("x:2:1: ops/* has no reason, expected one after a space"));
  CHECK_THAT(problem("[soon]\n"), Catch::StartsWith("x:1:1: the section is [soon], expected [never] or [not yet]"));
}

TEST_CASE("blocks that malloc keeps for a thread are no leak") {
  // Allocates and frees blocks of many sizes.
  const auto free_blocks = [](std::size_t count) {
    for (std::size_t size = 24; size < 1000; size += 16) {
      std::vector<std::unique_ptr<char[]>> blocks(count);
      for (auto &block : blocks) {
        block = std::make_unique<char[]>(size);
      }
    }
  };
  static std::unique_ptr<char[]> left;
  const auto growth = [](const std::function<void()> &act) {
    const std::int64_t before = heap_bytes();
    call_on_own_thread(act);
    return heap_bytes() - before;
  };
  growth([&] { free_blocks(3); });  // makes the caches of the allocator
  const int threads = count_threads();
  CHECK(growth([&] { free_blocks(6); }) < 2048);
  CHECK(count_threads() == threads);
  const std::int64_t expected = BP_SANITIZES_MEMORY ? 0 : 50'000;
  CHECK(growth([&] { left = std::make_unique<char[]>(50'000); }) >= expected);
}

TEST_CASE("a leak is told from noise by most of the rounds") {
  // One letter per round: '.' is clean, '+' grows, '!' fails.
  const auto judged = [](std::string_view rounds) {
    const Status status = judge_growth([&]() -> Result<std::string> {
      REQUIRE_FALSE(rounds.empty());
      const char round = rounds.front();
      rounds.remove_prefix(1);
      if (round == '!') {
        return invalid_input("it broke");
      }
      return std::string(round == '+' ? "it grows" : "");
    });
    CHECK(rounds.empty());
    return status.ok() ? "" : status.error().message();
  };
  CHECK(judged("....").empty());
  CHECK(judged("+....").empty());    // a cache fills up
  CHECK(judged("++.+...").empty());  // a busy machine
  CHECK(judged("++++") == "it grows; 4 of 4 rounds grow");
  CHECK(judged("++.+.+") == "it grows; 4 of 6 rounds grow");  // something else was released meanwhile
  CHECK(judged("..+.+!") == "it broke");
}

}  // namespace bp::conformance
