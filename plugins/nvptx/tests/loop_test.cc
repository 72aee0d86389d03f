// Loops: those whose rounds can be counted are repeated without a look at the GPU.
#include <catch2/catch.hpp>
#include <regex>
#include <sstream>

#include "core/runtime/program.h"
#include "plugins/nvptx/tests/with_driver.h"

namespace bp::nvptx::tests {
namespace {

struct Loop {
  std::string type, start, direction, limit, next;  // next: of `i` and the constants `one` and `three`
};

// The other value of the state goes through a sine and a sum in each iteration, so it shows how many there were.
std::string text_of(const Loop &loop) {
  std::string text = R"(HloModule counted
    condition { s = (TYPE[], f32[40]) parameter(0)  i = TYPE[] get-tuple-element(s), index=0
      n = TYPE[] constant(LIMIT)  ROOT goes_on = pred[] compare(i, n), direction=DIRECTION }
    body { s = (TYPE[], f32[40]) parameter(0)  i = TYPE[] get-tuple-element(s), index=0
      x = f32[40] get-tuple-element(s), index=1  one = TYPE[] constant(1)  three = TYPE[] constant(3)
      next = TYPE[] NEXT  f = f32[] convert(i)  c = f32[40] broadcast(f), dimensions={}
      y = f32[40] sine(x)  z = f32[40] add(y, c)  ROOT r = (TYPE[], f32[40]) tuple(next, z) }
    ENTRY main { x = f32[40] parameter(0)  first = TYPE[] constant(START)
      state = (TYPE[], f32[40]) tuple(first, x)
      ROOT r = (TYPE[], f32[40]) while(state), condition=condition, body=body })";
  for (const auto &[word, by] : {std::pair{"TYPE", loop.type},
                                 {"LIMIT", loop.limit},
                                 {"DIRECTION", loop.direction},
                                 {"NEXT", loop.next},
                                 {"START", loop.start}}) {
    for (std::size_t at = 0; (at = text.find(word)) != text.npos;) {
      text.replace(at, std::string_view(word).size(), by);
    }
  }
  return text;
}

// Counts the launches, or moves, that a plan runs if it only repeats.
int launches_of(const std::string &plan, const char *kind = ": launch ") {
  const std::regex repeat("repeat from (\\d+), (\\d+) times in all");
  std::vector<int> run = {0};  // before each command
  std::istringstream lines(plan);
  for (std::string line; std::getline(lines, line);) {
    std::smatch again;
    const int before = std::regex_search(line, again, repeat) ? run[std::stoul(again[1])] : run.back();
    const int times = again.empty() ? 1 : std::stoi(again[2]);
    run.push_back(before + (run.back() - before) * times + (contains(line, kind) ? 1 : 0));
  }
  return run.back();
}

// A loop of `rounds` iterations over values of f32[40,40], `x` and `y`, with a body that defines `x1` and `y1`.
std::string carrying(int rounds, const std::string &body) {
  std::string text = R"(HloModule carrying
    condition { s = (s32[], f32[40,40], f32[40,40]) parameter(0)  i = s32[] get-tuple-element(s), index=0
      n = s32[] constant(ROUNDS)  ROOT goes_on = pred[] compare(i, n), direction=LT }
    body { s = (s32[], f32[40,40], f32[40,40]) parameter(0)  i = s32[] get-tuple-element(s), index=0
      x = f32[40,40] get-tuple-element(s), index=1  y = f32[40,40] get-tuple-element(s), index=2
      one = s32[] constant(1)  next = s32[] add(i, one)  zero = s32[] constant(0)
      BODY  ROOT r = (s32[], f32[40,40], f32[40,40]) tuple(next, x1, y1) }
    ENTRY main { x = f32[40,40] parameter(0)  y = f32[40,40] parameter(1)  first = s32[] constant(0)
      state = (s32[], f32[40,40], f32[40,40]) tuple(first, x, y)
      loop = (s32[], f32[40,40], f32[40,40]) while(state), condition=condition, body=body
      a = f32[40,40] get-tuple-element(loop), index=1  b = f32[40,40] get-tuple-element(loop), index=2
      ROOT r = (f32[40,40], f32[40,40]) tuple(a, b) })";
  text.replace(text.find("ROUNDS"), 6, std::to_string(rounds));
  return text.replace(text.find("BODY"), 4, body);
}

}  // namespace

TEST_CASE("the state of a counted loop is not copied in each iteration") {
  struct Body {
    const char *text;
    bool needs_copies = false;  // in each round
  };
  constexpr const char *dot = "lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  const auto body = [&](const char *text) {
    std::string result = text;
    for (std::size_t at = 0; (at = result.find("DIMS")) != result.npos;) {
      result.replace(at, 4, dot);
    }
    return result;
  };
  const auto [text, needs_copies] = GENERATE(values<Body>({
      {"p = f32[40,40] dot(x, y), DIMS  x1 = f32[40,40] tanh(p)  y1 = f32[40,40] copy(y)"},
      {"p = f32[40,40] dot(x, y), DIMS  q = f32[40,40] dot(y, x), DIMS  x1 = f32[40,40] tanh(p)  y1 = f32[40,40] "
       "sine(q)"},
      {"p = f32[40,40] dot(x, y), DIMS  q = f32[40,40] dot(p, y), DIMS  x1 = f32[40,40] tanh(q)  y1 = f32[40,40] "
       "sine(y)"},
      {"p = f32[40,40] dot(x, y), DIMS  x1 = f32[40,40] copy(y)  y1 = f32[40,40] tanh(p)", true},
      {"p = f32[40,40] dot(x, y), DIMS  x1 = f32[40,40] tanh(p)  y1 = f32[40,40] copy(x1)", true},
      {"p = f32[40,40] dot(x, y), DIMS  x1 = f32[40,40] sine(p)  l = f32[1,40] slice(x1), slice={[3:4], [0:40]}  "
       "y1 = f32[40,40] dynamic-update-slice(y, l, i, zero)"},
      {"x1 = f32[40,40] copy(y)  y1 = f32[40,40] copy(x)", true},
  }));
  for (const int rounds : {1, 2, 3, 8, 37, 40}) {
    const std::string program = carrying(rounds, body(text));
    const std::string plan = plan_of(program);
    INFO(program << "\n" << plan);
    constexpr int before_and_after = 6;
    CHECK((needs_copies || launches_of(plan, ": move ") <= before_and_after));
    check_on_emulator(program, 1e-4);
  }
}

TEST_CASE("loops that count to a constant are repeated that number of times") {
  const auto [loop, rounds] = GENERATE(table<Loop, int>({
      {{"s32", "0", "LT", "300", "add(i, one)"}, 300},
      {{"s32", "5", "LT", "600", "add(three, i)"}, 199},
      {{"s32", "5", "LE", "602", "add(i, three)"}, 200},
      {{"s64", "300", "GT", "-7", "subtract(i, one)"}, 307},
      {{"s64", "300", "GE", "0", "subtract(i, three)"}, 101},
      {{"u8", "0", "NE", "255", "add(i, three)"}, 85},
      {{"u8", "0", "LT", "255", "add(i, one)"}, 255},
      {{"s32", "0", "LT", "63", "add(i, one)"}, 63},
      {{"s32", "0", "LT", "64", "add(i, one)"}, 64},
  }));
  const std::string plan = plan_of(text_of(loop));
  INFO(text_of(loop) << "\n" << plan);
  CHECK(launches_of(plan) == 2 * rounds);
  CHECK(!contains(plan, " unless "));
  check_on_emulator(text_of(loop), 1e-5);
}

TEST_CASE("loops of unknown length read the condition from the GPU") {
  const Loop loop = GENERATE(Loop{"s32", "1", "LT", "3000", "add(i, i)"},     // the step is not a constant
                             Loop{"u8", "0", "LE", "255", "add(i, one)"},     // over the end of its type
                             Loop{"s32", "0", "NE", "1000", "add(i, three)"}  // past its limit
  );
  const std::string plan = plan_of(text_of(loop));
  INFO(plan);
  CHECK(contains(plan, " unless "));
  CHECK(!contains(plan, " times in all"));
}

// The unsigned number of these bits is far above the limit from the first round on.
TEST_CASE("loops that count in one type and end in another ask the GPU") {
  constexpr const char *negative = R"(HloModule negative
    condition { s = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(s), index=0  u = u32[] bitcast(i)
      n = u32[] constant(10)  ROOT less = pred[] compare(u, n), direction=LT }
    body { s = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(s), index=0
      x = f32[4] get-tuple-element(s), index=1  one = s32[] constant(1)  next = s32[] add(i, one)
      y = f32[4] add(x, x)  ROOT r = (s32[], f32[4]) tuple(next, y) }
    ENTRY main { x = f32[4] parameter(0)  first = s32[] constant(-5)  start = (s32[], f32[4]) tuple(first, x)
      ROOT r = (s32[], f32[4]) while(start), condition=condition, body=body })";
  const std::string plan = plan_of(negative);
  INFO(plan);
  CHECK(contains(plan, " unless "));
  CHECK(!contains(plan, " times in all"));
  check_on_emulator(negative);
}

TEST_CASE("loops in loops begin to count anew") {
  constexpr const char *nested = R"(HloModule nested
    inner_condition { s = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(s), index=0
      n = s32[] constant(60)  ROOT less = pred[] compare(i, n), direction=LT }
    inner_body { s = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(s), index=0
      x = f32[4] get-tuple-element(s), index=1  one = s32[] constant(1)  next = s32[] add(i, one)
      y = f32[4] cosine(x)  ROOT r = (s32[], f32[4]) tuple(next, y) }
    condition { s = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(s), index=0
      n = s32[] constant(50)  ROOT less = pred[] compare(i, n), direction=LT }
    body { s = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(s), index=0
      x = f32[4] get-tuple-element(s), index=1  one = s32[] constant(1)  next = s32[] add(i, one)
      zero = s32[] constant(0)  start = (s32[], f32[4]) tuple(zero, x)
      inner = (s32[], f32[4]) while(start), condition=inner_condition, body=inner_body
      y = f32[4] get-tuple-element(inner), index=1  z = f32[4] add(x, y)
      ROOT r = (s32[], f32[4]) tuple(next, z) }
    ENTRY main { x = f32[4] parameter(0)  zero = s32[] constant(0)  start = (s32[], f32[4]) tuple(zero, x)
      ROOT r = (s32[], f32[4]) while(start), condition=condition, body=body })";
  const std::string plan = plan_of(nested);
  INFO(plan);
  CHECK(launches_of(plan) == 50 * (60 + 2));
  check_on_emulator(nested, 1e-4);
}

TEST_CASE("the iterations of a counted loop do not wait for the GPU") {
  const auto waits_of = [](const char *limit) {
    const TestDriver driver;
    std::pair<int, int> waits;
    {
      const auto backend = open_with_driver();
      REQUIRE(backend.ok());
      const Module module = text::parse_module(text_of({"s32", "0", "LT", limit, "add(i, one)"})).value();
      const auto compiled = backend->compile(module, whole());
      REQUIRE(compiled.ok());
      REQUIRE(compiled->executable.run(interpreter::random_arguments(module, 3).value()).ok());
      const int starts = driver.calls_of("cuLaunchKernel") + driver.calls_of("cuGraphLaunch");
      CHECK(starts < std::stoi(limit));  // of short rounds several at once
      waits = {driver.calls_of("cuMemcpyDtoHAsync_v2"), driver.calls_of("cuStreamSynchronize")};
    }
    CHECK(driver.problems() == "");
    return waits;
  };
  CHECK(waits_of("500") == waits_of("100"));
  CHECK(waits_of("500").first == 2);  // the results
}

}  // namespace bp::nvptx::tests
