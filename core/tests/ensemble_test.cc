#include "core/ensemble.h"

#include <catch2/catch.hpp>

#include "core/text/parser.h"

namespace {

using namespace bp;

constexpr const char *add = "add { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT c = s32[] add(a, b) }\n";

Module program(const std::string &header, const std::string &body) {
  return text::parse_module("HloModule m, " + header + "\n" + add + body).value();
}

// Adds the argument over all devices, and the number of the partition.
const std::string sum =
    "ENTRY main { x = s32[] parameter(0)  s = s32[] all-reduce(x), replica_groups={}, channel_id=1, to_apply=add\n"
    "  p = u32[] partition-id()  n = s32[] convert(p)  ROOT r = s32[] add(s, n) }";

Literal number(std::int32_t value) {
  return Literal::scalar(ir::ElementType::S32, value);
}

Result<std::vector<Literal>> run(const Module &module, std::int64_t devices, const interpreter::Options &host = {}) {
  BP_ASSIGN(const Ensemble ensemble, Ensemble::load("interpreter", devices));
  BP_ASSIGN(const EnsembleExecutable executable, ensemble.compile(module));
  std::vector<std::vector<Literal>> arguments;
  for (std::int32_t device = 0; device < devices; ++device) {
    arguments.push_back({number(device + 1)});
  }
  return executable.run(std::move(arguments), host);
}

}  // namespace

TEST_CASE("an ensemble runs a program, each device with arguments of its own") {
  const std::vector<Literal> results = run(program("replica_count=2, num_partitions=3", sum), 6).value();
  REQUIRE(results.size() == 6);
  for (std::int32_t device = 0; device < 6; ++device) {
    CHECK(results[static_cast<std::size_t>(device)].elements<std::int32_t>()[0] == 21 + device % 3);
  }
}

TEST_CASE("an ensemble says what does not fit") {
  const Module module = program("replica_count=2", sum);
  CHECK(Ensemble::load("interpreter", 0).error().message() == "an ensemble of 0 devices, expected 1 to 256");
  CHECK(Ensemble::load("interpreter", 257).error().message() == "an ensemble of 257 devices, expected 1 to 256");
  CHECK_FALSE(Ensemble::load("nobody", 2).ok());
  CHECK(run(module, 3).error().message() ==
        "the ensemble has 3 devices, but m is for 2: replica_count=2 and num_partitions=1");
  const Ensemble two = Ensemble::load("interpreter", 2).value();
  const EnsembleExecutable executable = two.compile(module).value();
  CHECK(executable.run({{number(1)}}).error().message() == "arguments for 1 devices, expected 2");
  const Error wrong = executable.run({{number(1)}, {}}).error();
  CHECK(wrong.code() == ErrorCode::InvalidInput);
  CHECK(wrong.notes() == std::vector<std::string>{"on device 1 of 2"});
}

TEST_CASE("devices that wait for one that never comes end with the run") {
  const Module endless = program(
      "replica_count=2",
      "body { x = s32[] parameter(0)  one = s32[] constant(1)  ROOT y = s32[] or(x, one) }\n"
      "goes_on { x = s32[] parameter(0)  z = s32[] constant(0)  ROOT c = pred[] compare(x, z), direction=NE }\n"
      "ENTRY main { x = s32[] parameter(0)  r = u32[] replica-id()  n = s32[] convert(r)\n"
      "  w = s32[] while(n), condition=goes_on, body=body\n"
      "  ROOT s = s32[] all-reduce(w), replica_groups={}, to_apply=add }");
  interpreter::Options host;
  host.terms.cancellation = Cancellation::after(0.05);
  CHECK(run(endless, 2, host).error().code() == ErrorCode::DeadlineExceeded);
  // Every second device leaves the others alone.
  const Module alone = program(
      "replica_count=2",
      "same { ROOT x = s32[] parameter(0) }\n"
      "meets { x = s32[] parameter(0)  ROOT s = s32[] all-reduce(x), replica_groups={}, to_apply=add }\n"
      "ENTRY main { x = s32[] parameter(0)  r = u32[] replica-id()  n = s32[] convert(r)\n"
      "  ROOT c = s32[] conditional(n, x, x), branch_computations={same, meets} }");
  const Error error = run(alone, 2).error();
  CHECK(error.message() == "s: deadlock: device 1 waits for devices that have ended or wait themselves");
}
