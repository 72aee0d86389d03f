// Memory of the device that stays allocated between runs: nothing else that needs it is refused.
#include <thread>
#include <vector>

#include "core/runtime/memory.h"
#include "plugins/npu/tests/open_npu.h"

namespace bp::npu::tests {
namespace {

constexpr std::uint32_t dram_space = 0;
constexpr std::uint64_t mebibyte = 1 << 20;

// A program that needs 12 bytes of DRAM per element, a third of them for a temporary array.
Module with_temporary(std::int64_t elements) {
  return parse(
      fmt::format("HloModule temporary ENTRY main {{ x = f32[{0}] parameter(0)  a = f32[{0}] add(x, x)"
                  "  v = f32[{0}] reverse(a), dimensions={{0}}  ROOT r = f32[{0}] multiply(v, x) }}",
                  elements));
}

// A program of many pieces, because the host computes tanh; each needs 4 MiB for a temporary array.
Module divided(int pieces) {
  std::string text = "HloModule divided ENTRY main { x0 = f32[1024,1024] parameter(0)";
  for (int i = 0; i < pieces; ++i) {
    text += fmt::format(
        " a{0} = f32[1024,1024] add(x{0}, x{0})  t{0} = f32[1024,1024] transpose(a{0}), dimensions={{1,0}}"
        " x{1} = f32[1024,1024] tanh(t{0})",
        i, i + 1);
  }
  return parse(text + fmt::format(" ROOT r = f32[1024,1024] negate(x{}) }}", pieces));
}

Status run_with_zeros(const Compiled &compiled) {
  std::vector<Literal> arguments;
  for (ir::InstructionId id : compiled.executable.module().entry().parameter_ids()) {
    BP_ASSIGN(Literal zeros, Literal::zeros(compiled.executable.module().instruction(id).shape()));
    arguments.push_back(std::move(zeros));
  }
  BP_ASSIGN([[maybe_unused]] const Literal result, compiled.executable.run(std::move(arguments)));
  return {};
}

void require_ok(const Status &status) {
  INFO((status.ok() ? "" : status.error().to_string()));
  REQUIRE(status.ok());
}

}  // namespace

TEST_CASE("the pieces of a divided program share their temporary memory") {
  const Backend backend = open_npu();
  const auto compiled = backend.compile(divided(24));
  REQUIRE(compiled.ok());
  CHECK(compiled->executable.steps().size() > 24);
  const std::uint64_t before = free_bytes(backend);
  require_ok(run_with_zeros(*compiled));
  CHECK(before - free_bytes(backend) < 10 * mebibyte);
}

TEST_CASE("memory of earlier runs is freed when something else needs it") {
  const Backend backend = open_npu({{"memory", std::to_string(13 * mebibyte)}});
  const Compiled compiled = compile_whole(backend, with_temporary(mebibyte));
  REQUIRE(compiled.executable.memory().temporaries == 4 * mebibyte);
  require_ok(run_with_zeros(compiled));
  CHECK(free_bytes(backend) == 9 * mebibyte);

  SECTION("a block") {
    const auto block = runtime::Block::allocate_on(*backend.device(), dram_space, 13 * mebibyte);
    REQUIRE(block.ok());
    const Status status = run_with_zeros(compiled);
    REQUIRE_FALSE(status.ok());
    CHECK(status.error().code() == ErrorCode::OutOfMemory);
  }
  SECTION("a program whose arrays have other sizes") {
    require_ok(run_with_zeros(compile_whole(backend, with_temporary(mebibyte + 1024))));
  }
  require_ok(run_with_zeros(compiled));
}

TEST_CASE("memory of runs is freed with the last program that can use it") {
  const Backend backend = open_npu();
  const std::uint64_t before = free_bytes(backend);
  {
    const Compiled first = compile_whole(backend, with_temporary(mebibyte));
    {
      const Compiled second = compile_whole(backend, with_temporary(mebibyte));
      require_ok(run_with_zeros(first));
      require_ok(run_with_zeros(second));
      CHECK(free_bytes(backend) == before - 4 * mebibyte);
    }
    CHECK(free_bytes(backend) == before - 4 * mebibyte);
  }
  CHECK(free_bytes(backend) == before);
}

TEST_CASE("runs of several threads share the device's memory") {
  constexpr std::size_t threads = 4, programs = 6;
  const Backend backend = open_npu({{"memory", std::to_string((threads * 3 + 1) * mebibyte)}});
  std::vector<Compiled> compiled;
  for (std::size_t i = 0; i < programs; ++i) {
    compiled.push_back(compile_whole(backend, with_temporary(262144 - 64 * static_cast<std::int64_t>(i))));
  }
  std::vector<Status> outcomes(threads);
  std::vector<std::thread> running;
  for (std::size_t t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      for (std::size_t i = 0; i < 2 * programs && outcomes[t].ok(); ++i) {
        outcomes[t] = run_with_zeros(compiled[(i + t) % programs]);
      }
    });
  }
  for (std::thread &thread : running) {
    thread.join();
  }
  for (const Status &outcome : outcomes) {
    require_ok(outcome);
  }
}

}  // namespace bp::npu::tests
