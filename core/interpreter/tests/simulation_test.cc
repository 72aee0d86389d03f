#include "core/interpreter/simulation.h"

#include <catch2/catch.hpp>

#include "core/ir/device_groups.h"
#include "core/ir/verifier.h"
#include "core/text/parser.h"

namespace {

using namespace bp;
using Groups = ir::DeviceGroups;

// Simulates devices that all run the computation with that name, with the argument if it takes one.
Result<std::vector<ir::Literal>> simulate(const std::string &text, std::vector<const char *> names,
                                          std::int64_t replicas, std::int64_t partitions = 1) {
  const ir::Module module = text::parse_module(text).value();
  REQUIRE(ir::verify(module).ok());
  std::vector<interpreter::DeviceProgram> devices;
  for (const char *name : names) {
    for (ir::Computation computation : module.computations()) {
      if (computation.name() == name) {
        devices.push_back(
            {computation, std::vector(computation.parameter_count(), ir::Literal::scalar(ir::ElementType::S32, 1))});
      }
    }
  }
  return interpreter::simulate(devices, replicas, partitions);
}

const std::string collectives = R"(
add { x = s32[] parameter(0)  y = s32[] parameter(1)  ROOT z = s32[] add(x, y) }
all { x = s32[] parameter(0)  ROOT s = s32[] all-reduce(x), replica_groups={}, to_apply=add }
pair { x = s32[] parameter(0)  ROOT s = s32[] all-reduce(x), replica_groups={{0,1}}, to_apply=add }
alone { ROOT x = s32[] parameter(0) }
hungry { t = token[] after-all()  i = (s32[], token[]) infeed(t)  ROOT x = s32[] get-tuple-element(i), index=0 }
failing { x = s32[] parameter(0)  ROOT c = s32[] custom-call(x), custom_call_target="nobody" }
ENTRY main { ROOT x = s32[] parameter(0) }
)";

}  // namespace

TEST_CASE("many devices exchange values in many iterations") {
  std::vector<const char *> names(64, "all");
  const auto results = simulate(collectives, names, 16, 4).value();
  REQUIRE(results.size() == 64);
  for (const ir::Literal &result : results) {
    CHECK(result.elements<std::int32_t>()[0] == 16);
  }
}

TEST_CASE("a simulation with a deadlock, or a device that fails, ends") {
  const Error missing = simulate(collectives, {"all", "alone"}, 2).error();
  CHECK(missing.message() == "s: deadlock: device 0 waits for devices that have ended or wait themselves");
  CHECK(missing.notes() == std::vector<std::string>{"on device 0 of 2"});
  const Error failed = simulate(collectives, {"all", "failing"}, 2).error();
  CHECK(
      failed.message() ==
      "c: the host knows no custom call \"nobody\", and the application serves no function: it can serve this one, by "
      "backplane_serve_function() in C or HostCalls::add_function() in C++");
  CHECK(failed.notes() == std::vector<std::string>{"on device 1 of 2"});
  CHECK(simulate(collectives, {"pair", "pair", "pair"}, 3).error().message() ==
        "s: no group of replica_groups contains replica 2, partition 0");
  CHECK(simulate(collectives, {"pair"}, 1).error().message() ==
        "s: replica_groups names replica 1, expected less than 1");
  CHECK(simulate(collectives, {"hungry"}, 1).error().message() ==
        "i: infeed: all values given to the run have been read, expected another one");
  CHECK(simulate(collectives, {"all"}, 2).error().message() ==
        "1 programs for 2 replicas of 1 partitions, expected one for each partition");
}

TEST_CASE("device groups are read in both notations") {
  CHECK(ir::decode_device_groups("").value().empty());
  CHECK(ir::decode_device_groups("{}").value().empty());
  CHECK(ir::decode_device_groups("{{0,1},{2}}").value() == Groups{{0, 1}, {2}});
  CHECK(ir::decode_device_groups("[2,4]<=[8]").value() == Groups{{0, 1, 2, 3}, {4, 5, 6, 7}});
  CHECK(ir::decode_device_groups("[4,2]<=[2,4]T(1,0)").value() == Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}});
  for (const char *wrong : {"{{0,1}", "[2,4]<=[7]", "[2,2]<=[2,2]T(0,0)", "[2,2]<=[2,2]T(0)", "{{-1}}", "{{0}} x",
                            "[1048576,1048576]<=[1048576,1048576]", "[0,4]<=[0]"}) {
    CHECK_FALSE(ir::decode_device_groups(wrong).ok());
  }
}

// Groups are the same as in XLA:CPU.
TEST_CASE("device groups along the axes of a mesh") {
  const auto groups = [](const char *text) { return ir::decode_device_groups(text).value(); };
  CHECK(groups("mesh['a'=2,'b'=4] {'b'}") == Groups{{0, 1, 2, 3}, {4, 5, 6, 7}});
  CHECK(groups("mesh['a'=2,'b'=4] {'a'}") == Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}});
  CHECK(groups("mesh['a'=2,'b'=2,'c'=2] {'c','a'}") == Groups{{0, 4, 1, 5}, {2, 6, 3, 7}});
  CHECK(groups("mesh['a'=2,'b'=4] {'b':(2)2}") == Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}});
  CHECK(groups("mesh['a'=2,'b'=4] {'a','b':(1)2}") == Groups{{0, 2, 4, 6}, {1, 3, 5, 7}});
  CHECK(groups("mesh['b'=8] {'b':(1)2,'b':(4)2}") == Groups{{0, 1, 4, 5}, {2, 3, 6, 7}});
  CHECK(groups("mesh['a'=2,'b'=2],device_ids=(3,2,1,0) {'b'}") == Groups{{3, 2}, {1, 0}});
  CHECK(groups("mesh['a'=2,'b'=4],device_ids=([4,2]T(1,0)), {'b'}") == Groups{{0, 2, 4, 6}, {1, 3, 5, 7}});
  CHECK(groups("mesh['a'=2] {}") == Groups{{0}, {1}});
  for (const char *wrong :
       {"mesh['a'=2] {'b'}", "mesh['a'=2] {'a','a'}", "mesh['a'=4] {'a':(1)2,'a':(1)4}", "mesh['a'=4] {'a':(3)2}",
        "mesh['a'=4] {'a':(0)2}", "mesh['a'=2],device_ids=(0) {'a'}", "mesh['a'=2 {'a'}", "mesh['a'=2]",
        "mesh['a'=2],device_ids=(0,5 {'a'}", "mesh['a'=1048576,'b'=1048576] {'a'}", "mesh['a"}) {
    INFO(wrong);
    CHECK_FALSE(ir::decode_device_groups(wrong).ok());
  }
}

TEST_CASE("a program for several devices is simulated as a whole, and not run on one") {
  const auto program = [](const std::string &header, const std::string &body) {
    return text::parse_module("HloModule m, " + header + "\nadd { x = s32[] parameter(0)  y = s32[] parameter(1)  " +
                              "ROOT z = s32[] add(x, y) }\nENTRY main { x = s32[] parameter(0)  " + body + " }")
        .value();
  };
  const ir::Literal one[] = {ir::Literal::scalar(ir::ElementType::S32, 1)};
  const ir::Module replicas = program("replica_count=2, num_partitions=3",
                                      "ROOT s = s32[] all-reduce(x), replica_groups={}, channel_id=1, to_apply=add");
  const auto results = interpreter::simulate(replicas, one).value();
  REQUIRE(results.size() == 6);
  CHECK(results[5].elements<std::int32_t>()[0] == 6);
  const Error refused = interpreter::interpret(replicas, one).error();
  CHECK(refused.code() == ErrorCode::Unsupported);
  CHECK(
      refused.message() ==
      "m needs 6 devices (replica_count=2, num_partitions=3), but would run on one; `run --devices 6` runs it on all of "
      "them");

  // Not partitioned, or partitioned already.
  const std::string sharded = "s = s32[] custom-call(x), custom_call_target=\"Sharding\", sharding={replicated}  ";
  for (const char *body : {"ROOT r = s32[] negate(s)",
                           "c = s32[] copy(s), frontend_attributes={a=\"b\"}  ROOT r = s32[] "
                           "negate(c)"}) {
    CHECK(interpreter::interpret(program("num_partitions=2", sharded + body), one).ok());
  }
  for (const std::string &body :
       {std::string("ROOT r = s32[] negate(x)"), sharded + "ROOT r = s32[] all-reduce(s), to_apply=add",
        sharded + "p = u32[] partition-id()  ROOT r = s32[] negate(s)",
        sharded + "p = u32[] replica-id()  ROOT r = s32[] negate(s)"}) {
    CHECK_FALSE(interpreter::interpret(program("num_partitions=2", body), one).ok());
  }
  const ir::Module divided = program("num_partitions=2",
                                     "d = s32[2] custom-call(x), custom_call_target=\"SPMDShardToFullShape\"  ROOT r = "
                                     "s32[2] all-reduce(d), to_apply=add");
  CHECK(
      interpreter::interpret(divided, one).error().message() ==
      "m is for 2 devices (replica_count=1, num_partitions=2) and waits for a partitioner, as d divides values between "
      "them; XLA writes such programs partitioned with XLA_FLAGS=\"--xla_dump_to=FOLDER "
      "--xla_dump_hlo_pass_re=spmd-partitioning\"");
  CHECK(interpreter::simulate(
            program("replica_count=1000000000000, num_partitions=1000000000000", "ROOT r = s32[] negate(x)"), one)
            .error()
            .code() == ErrorCode::Unsupported);
}
