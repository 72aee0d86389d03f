// DLPack tensors through the C interface: what is used in place, what is copied, and what is refused.
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "backplane/runtime.h"
#include "core/base/dlpack_structs.h"

namespace {

// Returns the only report of a call that fails with this status.
template <class Call>
std::string error_of(bp_status expected, Call &&call) {
  std::vector<std::string> told;
  const bp_diag_t diag = {&told, [](const bp_diag_t *self, bp_status, std::uint32_t, const char *message) {
                            static_cast<std::vector<std::string> *>(self->ctx)->emplace_back(message);
                          }};
  const bp_status status = call(&diag);
  CHECK(status == expected);
  REQUIRE(told.size() == (expected == BP_OK ? 0 : 1));
  return expected == BP_OK ? "" : told[0];
}

struct Backend {
  explicit Backend(const std::string &name) {
    error_of(BP_OK, [&](const bp_diag_t *diag) { return backplane_load(name.c_str(), nullptr, 0, diag, &backend); });
  }
  Backend(const Backend &) = delete;
  Backend &operator=(const Backend &) = delete;
  ~Backend() { backplane_release_backend(backend); }
  backplane_backend_t *backend = nullptr;
};

struct Executable {
  Executable(const Backend &on, const std::string &text) {
    error_of(BP_OK, [&](const bp_diag_t *diag) {
      return backplane_compile_bytes(on.backend, text.data(), text.size(), "given", nullptr, 0, diag, &executable);
    });
  }
  Executable(const Executable &) = delete;
  Executable &operator=(const Executable &) = delete;
  ~Executable() { backplane_release_executable(executable); }
  backplane_executable_t *executable = nullptr;
};

std::string npu_path() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "plugins/npu/libbackplane_npu.so";
}

// A tensor of the application. `bytes` must outlive it.
struct Given {
  DLManagedTensorVersioned tensor{};
  std::vector<std::int64_t> sizes, strides;
  int given_back = 0;

  Given(void *bytes, DLDataType dtype, std::vector<std::int64_t> shape) : sizes(std::move(shape)) {
    tensor.version = {1, 0};
    tensor.manager_ctx = this;
    tensor.deleter = [](DLManagedTensorVersioned *self) { ++static_cast<Given *>(self->manager_ctx)->given_back; };
    tensor.dl_tensor.data = bytes;
    tensor.dl_tensor.device = {kDLCPU, 0};
    tensor.dl_tensor.ndim = static_cast<std::int32_t>(sizes.size());
    tensor.dl_tensor.dtype = dtype;
    tensor.dl_tensor.shape = sizes.data();
  }
  Given(const Given &) = delete;
  Given &operator=(const Given &) = delete;
};

constexpr DLDataType f32 = {kDLFloat, 32, 1};
constexpr char doubled[] = "HloModule m\nENTRY main { x = f32[2,3] parameter(0)  ROOT r = f32[2,3] add(x, x) }";

std::vector<float> floats_of(const DLManagedTensorVersioned &tensor, std::size_t count) {
  std::vector<float> floats(count);
  if (count > 0) {
    std::memcpy(floats.data(), static_cast<const std::byte *>(tensor.dl_tensor.data) + tensor.dl_tensor.byte_offset,
                count * sizeof(float));
  }
  return floats;
}

// Runs a program of one input and one output, and returns the output.
DLManagedTensorVersioned *run(const Executable &on, DLManagedTensorVersioned *input, std::uint32_t flags = 0) {
  DLManagedTensorVersioned *output = nullptr;
  error_of(BP_OK,
           [&](const bp_diag_t *diag) { return backplane_run_dlpack(on.executable, &input, flags, &output, diag); });
  REQUIRE(output != nullptr);
  return output;
}

}  // namespace

TEST_CASE("tensors go in and out of a run, and their owners get them back") {
  const Backend interpreter("interpreter");
  const Executable program(interpreter, doubled);
  alignas(64) float numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  for (const std::uint64_t skipped : {0, 1}) {  // the second is not aligned, and so copied
    Given given(numbers, f32, {2, 3});
    given.tensor.dl_tensor.byte_offset = skipped * sizeof(float);
    DLManagedTensorVersioned *output = run(program, &given.tensor);
    CHECK(given.given_back == 1);
    CHECK(output->version.major == 1);
    CHECK(output->dl_tensor.device.device_type == kDLCPU);
    CHECK(output->dl_tensor.ndim == 2);
    CHECK(output->dl_tensor.strides[0] == 3);
    const auto first = static_cast<float>(skipped);
    CHECK(floats_of(*output, 2) == std::vector<float>{2 * first, 2 * first + 2});
    output->deleter(output);
  }
}

TEST_CASE("a tensor that a program only passes through is copied for its receiver") {
  const Backend interpreter("interpreter");
  const Executable same(interpreter, "HloModule m\nENTRY main { ROOT x = f32[2,3] parameter(0) }");
  alignas(64) float numbers[6] = {1, 2, 3, 4, 5, 6};
  Given given(numbers, f32, {2, 3});
  DLManagedTensorVersioned *output = run(same, &given.tensor);
  CHECK(given.given_back == 1);
  CHECK(output->dl_tensor.data != numbers);
  CHECK(floats_of(*output, 6) == std::vector<float>{1, 2, 3, 4, 5, 6});
  output->deleter(output);
}

TEST_CASE("element types of DLPack 1.1 become those of HLO, and back") {
  const struct {
    const char *hlo;
    DLDataType dtype;
  } types[] = {{"pred", {kDLBool, 8, 1}},
               {"bf16", {kDLBfloat, 16, 1}},
               {"f8e4m3fn", {kDLFloat8_e4m3fn, 8, 1}},
               {"f8e5m2", {kDLFloat8_e5m2, 8, 1}},
               {"f8e8m0fnu", {kDLFloat8_e8m0fnu, 8, 1}},
               {"u16", {kDLUInt, 16, 1}},
               {"c64", {kDLComplex, 64, 1}},
               {"s4", {kDLInt, 4, 1}},
               {"f64", {kDLFloat, 64, 1}}};
  const Backend interpreter("interpreter");
  for (const auto &[hlo, dtype] : types) {
    CAPTURE(hlo);
    const Executable same(interpreter, std::string("HloModule m\nENTRY main { ROOT x = ") + hlo + "[3] parameter(0) }");
    alignas(64) unsigned char bytes[24] = {1, 0, 1};
    Given given(bytes, dtype, {3});
    given.tensor.flags = dtype.bits < 8 ? DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED : 0;
    DLManagedTensorVersioned *output = run(same, &given.tensor);
    CHECK(output->dl_tensor.dtype.code == dtype.code);
    CHECK(output->dl_tensor.dtype.bits == dtype.bits);
    CHECK(output->flags == given.tensor.flags);
    CHECK(std::memcmp(output->dl_tensor.data, bytes, 3) == 0);
    output->deleter(output);
  }
}

TEST_CASE("a tensor that cannot be used is refused with the reason, and given back") {
  const Backend interpreter("interpreter");
  const Executable program(interpreter, doubled);
  alignas(64) float numbers[6] = {};
  const auto refusal = [&](bp_status status, auto change) {
    Given given(numbers, f32, {2, 3});
    change(given);
    DLManagedTensorVersioned *input = &given.tensor, *output = nullptr;
    const std::string text = error_of(status, [&](const bp_diag_t *diag) {
      return backplane_run_dlpack(program.executable, &input, 0, &output, diag);
    });
    CHECK(given.given_back == 1);
    CHECK(output == nullptr);
    return text;
  };
  CHECK(refusal(BP_UNSUPPORTED,
                [](Given &given) {
                  given.strides = {1, 2};
                  given.tensor.dl_tensor.strides = given.strides.data();
                }) ==
        "a DLPack tensor has gaps or is not row-major, expected one that is: make it contiguous, as by "
        "numpy.ascontiguousarray");
  CHECK(refusal(BP_UNSUPPORTED, [](Given &given) { given.tensor.version = {2, 0}; }) ==
        "a DLPack tensor is of version 2.0, expected 1.x");
  CHECK(refusal(BP_UNSUPPORTED, [](Given &given) { given.tensor.dl_tensor.device.device_type = kDLExtDev; }) ==
        "a DLPack tensor is in memory of device type 12, expected 1 (the host) or a tensor that Backplane has made");
  CHECK(refusal(BP_UNSUPPORTED, [](Given &given) { given.tensor.dl_tensor.dtype.lanes = 4; }) ==
        "a DLPack tensor has elements of type code 2, 32 bits and 4 lanes, expected a type of DLPack 1.1 that HLO has, "
        "and 1 lane");
  CHECK(refusal(BP_UNSUPPORTED, [](Given &given) { given.tensor.dl_tensor.dtype = {kDLInt, 4, 1}; }) ==
        "a DLPack tensor has packed elements of 4 bits, expected a byte for each and the flag IS_SUBBYTE_TYPE_PADDED");
  CHECK(refusal(BP_INVALID, [](Given &given) { given.sizes[0] = 1; }) ==
        "input x has shape f32[1,3], expected f32[2,3]");
  CHECK(refusal(BP_INVALID, [](Given &given) { given.sizes[0] = -1; }) ==
        "a DLPack tensor has a dimension of size -1, expected sizes of at least 0, and fewer than 2^63 bytes");
  CHECK(refusal(BP_INVALID, [](Given &given) { given.tensor.dl_tensor.data = nullptr; }) ==
        "a DLPack tensor of 24 bytes has no data, expected an address");
}

TEST_CASE("strides of dimensions of size 1, and of empty arrays, do not matter") {
  const Backend interpreter("interpreter");
  alignas(64) float numbers[3] = {1, 2, 3};
  const Executable one(interpreter,
                       "HloModule m\nENTRY main { x = f32[1,3] parameter(0)  ROOT r = f32[1,3] add(x, x) }");
  Given given(numbers, f32, {1, 3});
  given.strides = {77, 1};
  given.tensor.dl_tensor.strides = given.strides.data();
  DLManagedTensorVersioned *output = run(one, &given.tensor);
  CHECK(floats_of(*output, 3) == std::vector<float>{2, 4, 6});
  output->deleter(output);
}

TEST_CASE("tensors of before DLPack 1.0 are converted, and back") {
  const Backend interpreter("interpreter");
  const Executable program(interpreter, doubled);
  alignas(64) float numbers[6] = {1, 2, 3, 4, 5, 6};
  Given shape(numbers, f32, {2, 3});
  int given_back = 0;
  DLManagedTensor old = {shape.tensor.dl_tensor, &given_back,
                         [](DLManagedTensor *self) { ++*static_cast<int *>(self->manager_ctx); }};
  DLManagedTensor *output = backplane_dlpack_without_version(run(program, backplane_dlpack_with_version(&old)));
  CHECK(given_back == 1);
  REQUIRE(output != nullptr);
  CHECK(static_cast<const float *>(output->dl_tensor.data)[5] == 12);
  output->deleter(output);
  CHECK(backplane_dlpack_with_version(nullptr) == nullptr);
  CHECK(backplane_dlpack_without_version(nullptr) == nullptr);
}

TEST_CASE("arrays stay on a device between runs, or are used by it where they are") {
  const Backend npu(npu_path());
  const Executable program(npu, doubled);
  alignas(64) float numbers[6] = {1, 2, 3, 4, 5, 6};
  for (const std::uint32_t how : {0u, std::uint32_t{BACKPLANE_IN_PLACE}}) {
    Given given(numbers, f32, {2, 3});
    DLManagedTensorVersioned *sent = nullptr;
    error_of(BP_OK, [&](const bp_diag_t *diag) {
      return backplane_send_dlpack(npu.backend, &given.tensor, how, &sent, diag);
    });
    CHECK(given.given_back == (how == 0 ? 1 : 0));
    CHECK(sent->dl_tensor.device.device_type == kDLExtDev);
    DLManagedTensorVersioned *on_device = run(program, sent, BACKPLANE_ON_DEVICE);
    CHECK(given.given_back == 1);
    CHECK(on_device->dl_tensor.device.device_type == kDLExtDev);
    DLManagedTensorVersioned *output = run(program, on_device);
    CHECK(floats_of(*output, 6) == std::vector<float>{4, 8, 12, 16, 20, 24});
    output->deleter(output);
  }
}

TEST_CASE("an array on a device stays one through a tensor of before DLPack 1.0") {
  const Backend npu(npu_path());
  const Executable program(npu, doubled);
  alignas(64) float numbers[6] = {1, 2, 3, 4, 5, 6};
  Given given(numbers, f32, {2, 3});
  DLManagedTensorVersioned *on_device = run(program, &given.tensor, BACKPLANE_ON_DEVICE);
  DLManagedTensorVersioned *again = backplane_dlpack_with_version(backplane_dlpack_without_version(on_device));
  DLManagedTensorVersioned *output = run(program, again);
  CHECK(floats_of(*output, 6) == std::vector<float>{4, 8, 12, 16, 20, 24});
  output->deleter(output);
}

TEST_CASE("nothing is copied in secret: an array that is not aligned is not used in place") {
  const Backend npu(npu_path());
  alignas(64) float numbers[8] = {};
  Given given(numbers + 1, f32, {2, 3});
  DLManagedTensorVersioned *sent = nullptr;
  CHECK_THAT(error_of(BP_INVALID,
                      [&](const bp_diag_t *diag) {
                        return backplane_send_dlpack(npu.backend, &given.tensor, BACKPLANE_IN_PLACE, &sent, diag);
                      }),
             Catch::EndsWith("expected a multiple of 64 for a use in place"));
  CHECK(given.given_back == 1);
}

TEST_CASE("a backend that works in the host's memory uses tensors where they are anyway") {
  const Backend interpreter("interpreter");
  alignas(64) float numbers[6] = {};
  Given given(numbers, f32, {2, 3});
  DLManagedTensorVersioned *sent = nullptr;
  error_of(BP_OK, [&](const bp_diag_t *diag) {
    return backplane_send_dlpack(interpreter.backend, &given.tensor, BACKPLANE_IN_PLACE, &sent, diag);
  });
  CHECK(sent->dl_tensor.data == numbers);
  CHECK((sent->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0);
  CHECK(given.given_back == 0);
  sent->deleter(sent);
  CHECK(given.given_back == 1);
}

TEST_CASE("an array that was sent is used by many runs, and by several inputs of one") {
  const Backend npu(npu_path()), interpreter("interpreter");
  for (const Backend *on : {&npu, &interpreter}) {
    const Executable program(*on,
                             "HloModule m\nENTRY main { x = f32[2,3] parameter(0)  y = f32[2,3] parameter(1)\n"
                             "  ROOT r = f32[2,3] add(x, y) }");
    alignas(64) float numbers[6] = {1, 2, 3, 4, 5, 6};
    Given given(numbers, f32, {2, 3});
    DLManagedTensorVersioned *weights = nullptr;
    error_of(BP_OK, [&](const bp_diag_t *diag) {
      return backplane_send_dlpack(on->backend, &given.tensor, 0, &weights, diag);
    });
    const auto share = [&] {
      DLManagedTensorVersioned *another = nullptr;
      error_of(BP_OK, [&](const bp_diag_t *diag) { return backplane_share_dlpack(weights, &another, diag); });
      return another;
    };
    for (int i = 0; i < 3; ++i) {
      DLManagedTensorVersioned *inputs[] = {share(), share()}, *output = nullptr;
      error_of(BP_OK, [&](const bp_diag_t *diag) {
        return backplane_run_dlpack(program.executable, inputs, 0, &output, diag);
      });
      CHECK(floats_of(*output, 6) == std::vector<float>{2, 4, 6, 8, 10, 12});
      output->deleter(output);
    }
    DLManagedTensorVersioned *twice[] = {weights, weights}, *output = nullptr;
    CHECK(error_of(BP_INVALID, [&](const bp_diag_t *diag) {
            return backplane_run_dlpack(program.executable, twice, 0, &output, diag);
          }) == "a tensor is given for two inputs, expected a tensor for each: backplane_share_dlpack()");
    CHECK(given.given_back == 1);
  }
  alignas(64) float numbers[6] = {};
  Given given(numbers, f32, {2, 3});
  DLManagedTensorVersioned *another = nullptr;
  CHECK(error_of(BP_UNSUPPORTED, [&](const bp_diag_t *diag) {
          return backplane_share_dlpack(&given.tensor, &another, diag);
        }) == "a DLPack tensor is of another library, expected one that Backplane has made");
}

TEST_CASE("an array without elements may have any strides") {
  const Backend interpreter("interpreter");
  const Executable program(interpreter, "ENTRY main { x = f32[0,5] parameter(0)  ROOT r = f32[0,5] add(x, x) }");
  Given given(nullptr, f32, {0, 5});
  given.strides = {0, 0};
  given.tensor.dl_tensor.strides = given.strides.data();
  DLManagedTensorVersioned *output = run(program, &given.tensor);
  CHECK(output->dl_tensor.shape[1] == 5);
  output->deleter(output);
}

TEST_CASE("a result has the sizes that a run told, in a tensor of its own") {
  constexpr char cut[] =
      "HloModule m\nENTRY main { x = f32[2,3] parameter(0)  n = s32[] parameter(1)\n"
      "ROOT r = f32[2,<=3] set-dimension-size(x, n), dimensions={1} }";
  constexpr DLDataType s32 = {kDLInt, 32, 1};
  for (const std::string &name : {std::string("interpreter"), npu_path()}) {
    const Backend backend(name);
    const Executable executable(backend, cut);
    REQUIRE(backplane_output_is_bounded(executable.executable, 0, 0) == 0);
    REQUIRE(backplane_output_is_bounded(executable.executable, 0, 1) == 1);
    REQUIRE(backplane_output_is_bounded(executable.executable, 0, 2) == 0);
    REQUIRE(backplane_output_is_bounded(executable.executable, 1, 0) == 0);
    for (std::int32_t size = 0; size <= 3; ++size) {
      alignas(64) float numbers[] = {1, 2, 3, 4, 5, 6};
      alignas(64) std::int32_t sizes[] = {size};
      Given x(numbers, f32, {2, 3}), n(sizes, s32, {});
      DLManagedTensorVersioned *inputs[] = {&x.tensor, &n.tensor}, *output = nullptr;
      error_of(BP_OK, [&](const bp_diag_t *diag) {
        return backplane_run_dlpack(executable.executable, inputs, 0, &output, diag);
      });
      REQUIRE(output != nullptr);
      CHECK(output->dl_tensor.shape[0] == 2);
      CHECK(output->dl_tensor.shape[1] == size);
      std::vector<float> expected;
      for (int row = 0; row < 2; ++row) {
        expected.insert(expected.end(), numbers + row * 3, numbers + row * 3 + size);
      }
      CHECK(floats_of(*output, expected.size()) == expected);
      output->deleter(output);
    }
    const void *given[] = {nullptr, nullptr};
    void *taken[] = {nullptr};
    CHECK(error_of(BP_UNSUPPORTED, [&](const bp_diag_t *diag) {
            return backplane_run(executable.executable, given, taken, diag);
          }) == "output r has shape f32[2,<=3], whose size the run tells: expected backplane_run_dlpack()");
  }
}

TEST_CASE("wrong flags and missing tensors are refused") {
  const Backend interpreter("interpreter");
  const Executable program(interpreter, doubled);
  DLManagedTensorVersioned *input = nullptr, *output = nullptr;
  CHECK(error_of(BP_INVALID, [&](const bp_diag_t *diag) {
          return backplane_run_dlpack(program.executable, &input, 0, &output, diag);
        }) == "an input is a null pointer, expected one that is not");
  alignas(64) float numbers[6] = {};
  Given given(numbers, f32, {2, 3});
  input = &given.tensor;
  CHECK(error_of(BP_INVALID, [&](const bp_diag_t *diag) {
          return backplane_run_dlpack(program.executable, &input, 8, &output, diag);
        }) == "flags is 8, expected 0 or 1");
  CHECK(given.given_back == 1);
}
