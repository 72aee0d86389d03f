// The library as frameworks see it that give no options: the calls of Julia's Reactant and of Elixir's EXLA, in their
// order (docs/julia.md and docs/elixir.md name the sources), with programs in their spelling.
#include <cmath>
#include <cstdlib>

#include "core/pjrt/tests/framework.h"
#include "tools/testing/source_tree.h"

namespace bp::pjrt::testing {
namespace {

// Chooses the interpreter for clients without options.
struct ChosenBackend {
  ChosenBackend() { setenv("BACKPLANE_BACKEND", "interpreter", 1); }
  ~ChosenBackend() { unsetenv("BACKPLANE_BACKEND"); }
};

std::string program(const std::string &name) {
  return bp::testing::read_file(
      bp::testing::find_in_source_tree("core/import/stablehlo/testdata/programs/" + name + ".mlir"));
}

// Returns the number of extensions of a type that the library has.
int extensions(PJRT_Extension_Type type) {
  int count = 0;
  for (const PJRT_Extension_Base *at = GetPjrtApi()->extension_start; at != nullptr; at = at->next) {
    count += at->type == type;
  }
  return count;
}

}  // namespace

TEST_CASE("a program runs by the calls of Reactant") {
  const ChosenBackend chosen;
  call(GetPjrtApi()->PJRT_Plugin_Initialize, [](auto &) {});
  CHECK(extensions(PJRT_Extension_Type_Profiler) == 0);  // Reactant looks for one, and does without
  const Framework framework{Framework::WithoutOptions()};
  const PJRT_Api &api = framework.api();
  const auto of_client = [&](auto &args) { args.client = framework.client(); };
  CHECK(call(api.PJRT_Client_Devices, of_client).num_devices == 1);
  CHECK(call(api.PJRT_Client_ProcessIndex, of_client).process_index == 0);
  PJRT_LoadedExecutable *executable = framework.compile(program("reactant"));
  PJRT_Buffer *x = framework.put({1, 2, 3, 4, 5, 6}, {3, 2}), *y = framework.put({1, 1, 1, 2, 2, 2}, {3, 2});
  const std::vector<PJRT_Buffer *> outputs = framework.execute(executable, {x, y});
  REQUIRE(outputs.size() == 1);
  CHECK(framework.get(outputs[0]) == std::vector<float>{3, 4, 5, 8, 9, 10});
  CHECK(call(api.PJRT_Buffer_IsDeleted, [&](auto &args) { args.buffer = x; }).is_deleted);  // it was donated
  for (PJRT_Buffer *buffer : {x, y, outputs[0]}) {
    framework.destroy(buffer);
  }
  framework.destroy(executable);
}

TEST_CASE("a program runs by the calls of EXLA") {
  const ChosenBackend chosen;
  call(GetPjrtApi()->PJRT_Plugin_Initialize, [](auto &) {});
  const Framework framework{Framework::WithoutOptions()};
  const PJRT_Api &api = framework.api();
  CHECK(call(api.PJRT_Client_Devices, [&](auto &args) { args.client = framework.client(); }).num_devices == 1);
  PJRT_LoadedExecutable *executable = framework.compile(program("exla"));
  const std::vector<std::int32_t> integers = {0, 1, 2, 3};
  const std::int64_t size = 4;
  const auto put = call(api.PJRT_Client_BufferFromHostBuffer, [&](auto &args) {
    args.client = framework.client();
    args.data = integers.data();
    args.type = PJRT_Buffer_Type_S32;
    args.dims = &size;
    args.num_dims = 1;
  });
  CHECK(wait_for(put.done_with_host_buffer) == "");
  PJRT_Buffer *x = framework.put({0, 0, 0, 0}, {4});
  const std::vector<PJRT_Buffer *> outputs = framework.execute(executable, {x, put.buffer});
  REQUIRE(outputs.size() == 2);
  const std::vector<float> values = framework.get(outputs[0]);
  REQUIRE(values.size() == 4);
  CHECK(values[3] == Approx(1 + std::sin(3.0)));
  CHECK(framework.get(outputs[1])[0] == Approx(4 + std::sin(1.0) + std::sin(2.0) + std::sin(3.0)));
  for (PJRT_Buffer *buffer : {x, put.buffer, outputs[0], outputs[1]}) {
    framework.destroy(buffer);
  }
  framework.destroy(executable);
}

}  // namespace bp::pjrt::testing
