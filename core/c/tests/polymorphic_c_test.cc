// Programs that leave sizes open, through the C interface.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "backplane/runtime.h"

namespace {

constexpr std::string_view counting = R"(
func.func @main(%n: tensor<i64>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %size = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>
  %iota = stablehlo.dynamic_iota %size, dim = 0 : (tensor<1xi64>) -> tensor<?xf32>
  %sum = stablehlo.add %iota, %x : tensor<?xf32>
  return %sum : tensor<?xf32>
})";

// Keeps the last report.
struct LastError {
  std::string text;
  bp_diag_t diag = {this, [](const bp_diag_t *self, bp_status, std::uint32_t, const char *message) {
                      static_cast<LastError *>(self->ctx)->text = message;
                    }};
};

}  // namespace

TEST_CASE("a program of open sizes runs at the sizes of its inputs") {
  LastError errors;
  backplane_backend_t *backend = nullptr;
  REQUIRE(backplane_load("interpreter", nullptr, 0, &errors.diag, &backend) == BP_OK);
  backplane_program_t *program = nullptr;
  REQUIRE(backplane_open_program(backend, counting.data(), counting.size(), "open.mlir", nullptr, 0, 4, &errors.diag,
                                 &program) == BP_OK);
  REQUIRE(backplane_parameter_count(program) == 2);
  CHECK(std::string(backplane_parameter(program, 0)->name) == "n");
  CHECK(backplane_parameter(program, 0)->size == 8);
  CHECK(std::string(backplane_parameter(program, 1)->name) == "x");
  CHECK(backplane_parameter(program, 1)->dtype == BP_DTYPE_F32);
  CHECK(backplane_parameter(program, 1)->rank == 1);
  CHECK(backplane_parameter(program, 1)->dims[0] < 0);
  CHECK(backplane_parameter(program, 1)->size == 0);
  CHECK(backplane_parameter(program, 2) == nullptr);
  for (const std::int64_t n : {2, 5, 2}) {
    const std::vector<float> x(static_cast<std::size_t>(n), 1.0f);
    std::vector<float> sum(x.size());
    const backplane_array_t shapes[] = {{nullptr, nullptr, 8, 0, BP_DTYPE_S64, 0},
                                        {nullptr, &n, 4 * x.size(), 1, BP_DTYPE_F32, 0}};
    const void *inputs[] = {&n, x.data()};
    void *outputs[] = {sum.data()};
    backplane_executable_t *executable = nullptr;
    REQUIRE(backplane_specialize(program, shapes, inputs, 2, &errors.diag, &executable) == BP_OK);
    CHECK(std::string(backplane_input(executable, 1)->name) == "x");
    CHECK(backplane_output(executable, 0)->dims[0] == n);
    REQUIRE(backplane_run(executable, inputs, outputs, &errors.diag) == BP_OK);
    CHECK(sum.back() == static_cast<float>(n));
    backplane_release_executable(executable);
  }
  std::uint64_t hits = 0, misses = 0, evictions = 0;
  backplane_count_executables(program, &hits, &misses, &evictions);
  CHECK(hits == 1);
  CHECK(misses == 2);
  CHECK(evictions == 0);
  backplane_release_program(program);
  backplane_release_backend(backend);
}

TEST_CASE("a size is not taken from an input that has no address") {
  constexpr std::string_view sized = R"(func.func @main(%n: tensor<i32>) -> tensor<?xf32> {
    %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %i = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
    return %i : tensor<?xf32> })";
  LastError errors;
  backplane_backend_t *backend = nullptr;
  REQUIRE(backplane_load("interpreter", nullptr, 0, &errors.diag, &backend) == BP_OK);
  backplane_program_t *program = nullptr;
  REQUIRE(backplane_open_program(backend, sized.data(), sized.size(), "sized.mlir", nullptr, 0, 4, &errors.diag,
                                 &program) == BP_OK);
  const std::int32_t n = 3;
  const void *given[] = {&n}, *not_given[] = {nullptr};
  const backplane_array_t shape = {nullptr, nullptr, 4, 0, BP_DTYPE_S32, 0};
  backplane_executable_t *executable = nullptr;
  CHECK(backplane_specialize(program, &shape, not_given, 1, &errors.diag, &executable) == BP_UNSUPPORTED);
  CHECK(errors.text.find("sizes depend on the value of parameter 0 (n)") != std::string::npos);
  REQUIRE(backplane_specialize(program, &shape, given, 1, &errors.diag, &executable) == BP_OK);
  CHECK(backplane_output(executable, 0)->dims[0] == 3);
  backplane_release_executable(executable);
  executable = nullptr;
  CHECK(backplane_specialize(program, &shape, not_given, 1, &errors.diag, &executable) == BP_UNSUPPORTED);
  backplane_release_program(program);
  backplane_release_backend(backend);
}

TEST_CASE("what an application gives wrong for open sizes is told") {
  LastError errors;
  backplane_backend_t *backend = nullptr;
  REQUIRE(backplane_load("interpreter", nullptr, 0, &errors.diag, &backend) == BP_OK);
  backplane_program_t *program = nullptr;
  CHECK(backplane_open_program(backend, "f", 1, "wrong.mlir", nullptr, 0, 4, &errors.diag, &program) == BP_INVALID);
  CHECK(errors.text ==
        "wrong.mlir: a file of 1 module in another form, expected one program of a format whose sizes may be open");
  CHECK(backplane_open_program(backend, counting.data(), counting.size(), "open.mlir", nullptr, 0, 0, &errors.diag,
                               &program) == BP_INVALID);
  CHECK(errors.text == "max_executables is 0, expected at least 1");
  REQUIRE(backplane_open_program(backend, counting.data(), counting.size(), "open.mlir", nullptr, 0, 4, &errors.diag,
                                 &program) == BP_OK);
  const std::int64_t n = 3, other = 4, negative = -1;
  const void *inputs[] = {&n, nullptr};
  backplane_executable_t *executable = nullptr;
  backplane_array_t shapes[] = {{nullptr, nullptr, 8, 0, BP_DTYPE_S64, 0}, {nullptr, &other, 16, 1, BP_DTYPE_F32, 0}};
  CHECK(backplane_specialize(program, shapes, inputs, 2, &errors.diag, &executable) == BP_INVALID);
  CHECK(errors.text.find("sizes come from parameter 0 (n), whose value is 3; parameter 1 (x), given as f32[4]") !=
        std::string::npos);
  CHECK(backplane_specialize(program, shapes, inputs, 1, &errors.diag, &executable) == BP_INVALID);
  CHECK(errors.text == "1 arguments, but open.mlir has 2 parameters");
  shapes[1].dims = &negative;
  CHECK(backplane_specialize(program, shapes, inputs, 2, &errors.diag, &executable) == BP_INVALID);
  CHECK(errors.text == "shape 1 has the size -1, expected at least 0");
  shapes[1].dims = nullptr;
  CHECK(backplane_specialize(program, shapes, inputs, 2, &errors.diag, &executable) == BP_INVALID);
  CHECK(backplane_specialize(program, nullptr, inputs, 2, &errors.diag, &executable) == BP_INVALID);
  CHECK(executable == nullptr);
  backplane_release_program(program);
  backplane_release_program(nullptr);
  backplane_release_backend(backend);
}
