// Guards: branches and rounds that are chosen on the GPU.
#include <catch2/catch.hpp>

#include "core/buffers/assign.h"
#include "core/buffers/copy_insertion.h"
#include "core/host/byte_sink.h"
#include "core/host/diagnostics.h"
#include "core/host/image.h"
#include "core/host/plugin.h"
#include "core/runtime/program.h"
#include "plugins/nvptx/tests/with_driver.h"

namespace bp::nvptx::tests {
namespace {

// The emulated result is the interpreter's; numbers: the first arguments, the others are random.
void check_with(std::string_view text, const std::vector<std::int32_t> &numbers) {
  const Module module = text::parse_module(text).value();
  const auto compiled = open({{"emulate", "1"}}).compile(module, whole());
  REQUIRE(compiled.ok());
  std::vector<Literal> arguments = interpreter::random_arguments(module, 3).value();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    arguments[i].mutable_elements<std::int32_t>()[0] = numbers[i];
  }
  const auto result = compiled->executable.run(arguments);
  REQUIRE(result.ok());
  CHECK(result->identical(interpreter::interpret(module, arguments).value()));
}

constexpr const char *branches = R"(HloModule branches
  minus { x = f32[33] parameter(0)  ROOT n = f32[33] negate(x) }
  twice { x = f32[33] parameter(0)  ROOT n = f32[33] add(x, x) }
  same { ROOT x = f32[33] parameter(0) }
  square { x = f32[33] parameter(0)  ROOT n = f32[33] multiply(x, x) }
  inner { s = (s32[], f32[33]) parameter(0)  which = s32[] get-tuple-element(s), index=0
    x = f32[33] get-tuple-element(s), index=1
    ROOT r = f32[33] conditional(which, x, x, x), branch_computations={twice, square, same} }
  ENTRY main { which = s32[] parameter(0)  other = s32[] parameter(1)  x = f32[33] parameter(2)
    s = (s32[], f32[33]) tuple(other, x)
    r = f32[33] conditional(which, x, s, x), branch_computations={minus, inner, same}
    ROOT y = f32[33] add(r, x) })";

// Counts down from a number that is not known beforehand.
constexpr const char *rounds = R"(HloModule rounds
  condition { s = (s32[], s32[], f32[40]) parameter(0)  i = s32[] get-tuple-element(s), index=0
    zero = s32[] constant(0)  ROOT goes_on = pred[] compare(i, zero), direction=GT }
  body { s = (s32[], s32[], f32[40]) parameter(0)  i = s32[] get-tuple-element(s), index=0
    k = s32[] get-tuple-element(s), index=1  x = f32[40] get-tuple-element(s), index=2
    one = s32[] constant(1)  next = s32[] subtract(i, one)  more = s32[] add(k, one)
    half = f32[] constant(0.5)  h = f32[40] broadcast(half), dimensions={}  y = f32[40] multiply(x, h)
    f = f32[] convert(i)  g = f32[40] broadcast(f), dimensions={}  z = f32[40] add(y, g)
    ROOT r = (s32[], s32[], f32[40]) tuple(next, more, z) }
  ENTRY main { n = s32[] parameter(0)  x = f32[40] parameter(1)  zero = s32[] constant(0)
    state = (s32[], s32[], f32[40]) tuple(n, zero, x)
    ROOT r = (s32[], s32[], f32[40]) while(state), condition=condition, body=body })";

}  // namespace

TEST_CASE("a guarded branch is the one that is selected, the last one if there is no such branch") {
  const std::string plan = plan_of(branches);
  INFO(plan);
  CHECK(!contains(plan, "jump"));
  CHECK(!contains(plan, "switch"));
  for (const std::int32_t which : {-2147483647, -1, 0, 1, 2, 3, 1000}) {
    for (const std::int32_t other : {-7, 0, 1, 2, 3}) {
      INFO(which << ", " << other);
      check_with(branches, {which, other});
    }
  }
}

TEST_CASE("guarded iterations end where the condition is false, also among those that are started together") {
  const std::string plan = plan_of(rounds);
  INFO(plan);
  CHECK(count(plan, " unless ") == 1);
  for (const std::int32_t n : {-3, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 1000}) {
    INFO(n);
    check_with(rounds, {n});
  }
}

// A state that is drawn in a branch that is not taken, or in an iteration after the last one, would show in the next
// state.
TEST_CASE("a guarded generator counts only what it is wanted for") {
  constexpr const char *text = R"(HloModule draws
    condition { s = (s32[], u64[2]) parameter(0)  i = s32[] get-tuple-element(s), index=0
      zero = s32[] constant(0)  ROOT goes_on = pred[] compare(i, zero), direction=GT }
    body { s = (s32[], u64[2]) parameter(0)  i = s32[] get-tuple-element(s), index=0
      one = s32[] constant(1)  next = s32[] subtract(i, one)  state = u64[2] rng-get-and-update-state(), delta=3
      ROOT r = (s32[], u64[2]) tuple(next, state) }
    draw { x = u64[2] parameter(0)  ROOT s = u64[2] rng-get-and-update-state(), delta=5 }
    same { ROOT x = u64[2] parameter(0) }
    ENTRY main { n = s32[] parameter(0)  which = s32[] parameter(1)  x = u64[2] parameter(2)
      start = (s32[], u64[2]) tuple(n, x)  end = (s32[], u64[2]) while(start), condition=condition, body=body
      a = u64[2] get-tuple-element(end), index=1
      b = u64[2] conditional(which, x, x), branch_computations={draw, same}
      ROOT r = (u64[2], u64[2]) tuple(a, b) })";
  const Module module = text::parse_module(text).value();
  const auto compiled = open({{"emulate", "1"}}).compile(module, whole());
  REQUIRE(compiled.ok());
  std::vector<Literal> arguments = interpreter::random_arguments(module, 3).value();
  const auto run = [&](std::int32_t n, std::int32_t which) {
    arguments[0].mutable_elements<std::int32_t>()[0] = n;
    arguments[1].mutable_elements<std::int32_t>()[0] = which;
    const Literal result = compiled->executable.run(arguments).value();
    return std::pair{result.tuple_elements()[0].elements<std::uint64_t>()[0],
                     result.tuple_elements()[1].elements<std::uint64_t>()[0]};
  };
  const std::uint64_t first = 0x7012395, unchanged = arguments[2].elements<std::uint64_t>()[0];
  CHECK(run(3, 1) == std::pair{first + 2 * 3, unchanged});
  CHECK(run(1, 0) == std::pair{first + 3 * 3, first});
  CHECK(run(0, 1) == std::pair{unchanged, unchanged});
  CHECK(run(2, 0) == std::pair{first + 5 * 3, first + 5});
}

TEST_CASE("the host does not ask for a guarded branch, which is in one graph with what is around it") {
  const TestDriver driver;
  {
    const auto backend = open_with_driver();
    REQUIRE(backend.ok());
    const auto compiled = backend->compile(text::parse_module(branches).value(), whole());
    REQUIRE(compiled.ok());
    auto execution = runtime::Execution::prepare(compiled->executable.program());
    REQUIRE(execution.allocate().ok());
    REQUIRE(execution.run().ok());
    const int kernels = driver.calls_of("cuLaunchKernel"), asked = driver.calls_of("cuMemcpyDtoHAsync_v2");
    REQUIRE(execution.run().ok());
    CHECK(driver.calls_of("cuLaunchKernel") == kernels);
    CHECK(driver.calls_of("cuGraphLaunch") == 1);
    CHECK(asked == 1);  // the result
  }
  CHECK(driver.problems() == "");
}

TEST_CASE("a kernel that cannot be launched is refused in a branch, too") {
  Module module = text::parse_module(R"(HloModule refused, is_scheduled=true
    factor { x = f32[2,2] parameter(0)  ROOT n = f32[2,2] cholesky(x) }
    same { ROOT x = f32[2,2] parameter(0) }
    ENTRY main { p = pred[] parameter(0)  x = f32[2,2] parameter(1)
      ROOT r = f32[2,2] conditional(p, x, x), true_computation=factor, false_computation=same })")
                      .value();
  REQUIRE(buffers::insert_copies(module).ok());
  const buffers::Plan plan = buffers::assign(module).value();
  const host::Image image = host::build_image(module, host::Stage::Final, &plan).value();
  const Backend backend = open({{"emulate", "1"}});
  const host::Device &device = *backend.device();
  host::ByteSink artifact;
  host::Diagnostics diagnostics;
  const bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
    return device.compiler()->compile(device.abi(), image.module(), artifact.abi(), diag);
  });
  CHECK(status == BP_UNSUPPORTED);
  CHECK(diagnostics.reports().at(0).message == "nvptx: n is not compiled");
}

}  // namespace bp::nvptx::tests
