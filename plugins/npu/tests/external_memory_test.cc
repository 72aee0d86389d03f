// Memory that the device did not allocate: arrays and mapped files as arguments, without a copy of them on the device.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <vector>

#include "core/dlpack.h"
#include "core/host/diagnostics.h"
#include "core/remote/record.h"
#include "core/remote/recording.h"
#include "plugins/npu/tests/open_npu.h"
#include "tools/testing/temporary_folder.h"

namespace bp::npu::tests {
namespace {

constexpr std::int64_t count = 1024;
constexpr std::string_view doubled = R"(HloModule doubled
  ENTRY main { x = f32[1024] parameter(0)  ROOT r = f32[1024] add(x, x) })";

const Shape vector_shape = Shape::array(ir::ElementType::F32, {count});

float first_element(const Literal &literal) {
  float first = 0;
  std::memcpy(&first, literal.bytes().data(), sizeof first);
  return first;
}

// Runs the program on an argument and returns the first element of the result.
float first_result(const Compiled &compiled, const runtime::Value &argument) {
  auto results = compiled.executable.run_on_device({argument});
  INFO((results.ok() ? "" : results.error().to_string()));
  REQUIRE(results.ok());
  return first_element(results->front().literal().value());
}

// A file with 1024 floats of this value, behind some bytes that are no weights.
std::string write_weights(const testing::TemporaryFolder &folder, float value, std::size_t offset) {
  const std::vector<float> weights(count, value);
  std::string content(offset, 'h');
  content.append(reinterpret_cast<const char *>(weights.data()), weights.size() * sizeof(float));
  const std::string path = folder / "weights";
  testing::write_file(path, content);
  return path;
}

}  // namespace

TEST_CASE("a borrowed array takes no memory of the device, and is given back with its last owner") {
  const Backend backend = open_npu();
  const Compiled compiled = compile_whole(backend, parse(doubled));
  alignas(64) static std::array<float, count> numbers;
  bool is_given_back = false;
  const std::uint64_t before = free_bytes(backend);
  {
    numbers.fill(3);
    const Literal literal = Literal::borrowed(vector_shape, {reinterpret_cast<const std::byte *>(numbers.data()),
                                                             [&](const std::byte *) { is_given_back = true; }});
    const auto value = to_device(backend.device(), runtime::Value(literal), true);
    REQUIRE(value.ok());
    REQUIRE(value->on_device() != nullptr);
    CHECK(value->on_device()->is_borrowed());
    CHECK(free_bytes(backend) == before);
    CHECK(first_result(compiled, *value) == 6);
    numbers.fill(5);  // between two runs the owner may change it
    CHECK(first_result(compiled, *value) == 10);
    CHECK_FALSE(is_given_back);
  }
  CHECK(is_given_back);
  CHECK(free_bytes(backend) > before - count * 8);  // the programs keep memory for results at most
}

TEST_CASE("weights in a mapped file that may only be read are arguments where they are") {
  constexpr std::size_t offset = 4096;
  const testing::TemporaryFolder folder;
  const std::string path = write_weights(folder, 7, offset);
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(file >= 0);
  const std::size_t size = offset + count * sizeof(float);
  void *mapped = mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  REQUIRE(mapped != MAP_FAILED);
  const Backend backend = open_npu();
  const Compiled compiled = compile_whole(backend, parse(doubled));
  {
    const Literal weights = Literal::borrowed(vector_shape, {static_cast<const std::byte *>(mapped) + offset,
                                                             [=](const std::byte *) { munmap(mapped, size); }});
    const auto value = to_device(backend.device(), runtime::Value(weights), true);
    REQUIRE(value.ok());
    CHECK(first_result(compiled, *value) == 14);
  }

  // The device can map the file itself.
  const bp_handle_t handle = {BP_HANDLE_FD, BP_HANDLE_READ_ONLY, static_cast<std::uint64_t>(file), offset,
                              count * sizeof(float)};
  auto block = runtime::Block::import_from(*backend.device(), 0, handle);
  close(file);
  REQUIRE(block.ok());
  const runtime::Value value(
      std::make_shared<const runtime::DeviceArray>(backend.device(), 0, std::move(block).value(), vector_shape));
  CHECK(first_result(compiled, value) == 14);
}

TEST_CASE("a donated argument that is borrowed is not overwritten") {
  const Backend backend = open_npu();
  const Compiled compiled = compile_whole(backend, parse(R"(HloModule m, input_output_alias={ {}: (0, {}, must-alias) }
    ENTRY main { x = f32[1024] parameter(0)  ROOT r = f32[1024] add(x, x) })"));
  alignas(64) static std::array<float, count> numbers;
  numbers.fill(3);
  auto value =
      to_device(backend.device(),
                runtime::Value(Literal::borrowed(
                    vector_shape, {reinterpret_cast<const std::byte *>(numbers.data()), [](const std::byte *) {}})),
                true);
  REQUIRE(value.ok());
  std::vector<runtime::Value> arguments;
  arguments.push_back(std::move(value).value());
  auto results = compiled.executable.run_on_device(std::move(arguments));
  REQUIRE(results.ok());
  CHECK(first_element(results->front().literal().value()) == 6);
  CHECK(numbers[0] == 3);
}

TEST_CASE("memory that cannot be used where it is is refused with the reason") {
  const Backend backend = open_npu();
  const host::Device &device = *backend.device();
  alignas(64) static std::array<std::byte, 256> bytes;
  const auto error_of = [&](const bp_handle_t &handle, std::uint32_t space) {
    const auto block = runtime::Block::import_from(device, space, handle);
    REQUIRE_FALSE(block.ok());
    return block.error().to_string();
  };
  bp_handle_t handle = runtime::host_handle(bytes, true);
  handle.offset = 4;
  handle.size -= 4;
  CHECK_THAT(error_of(handle, 0),
             Catch::Contains("of memory of the host, expected at least one byte at a multiple of 64"));
  CHECK_THAT(error_of(runtime::host_handle(bytes, true), 1),
             Catch::Contains(
                 "it cannot use memory of the host where it is, expected a backend with bp.external-memory/draft-1 "
                 "whose space 1 imports it"));
  const int closed = 1'000'000;
  CHECK_THAT(error_of({BP_HANDLE_FD, 0, closed, 0, 64}, 0),
             Catch::Contains("descriptor 1000000 is not that of an open file"));
  const auto value = to_device(backend.device(), runtime::Value(Literal::scalar(ir::ElementType::S32, 1)), true);
  CHECK(value.ok());
  const auto tuple = runtime::DeviceArray::borrow(backend.device(), Literal::token());
  REQUIRE_FALSE(tuple.ok());
  CHECK_THAT(tuple.error().to_string(), Catch::Contains("cannot be used where it is, expected an array"));
}

TEST_CASE("a plugin in a process of its own imports nothing, but tells instances and facts") {
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  BackendOptions options;
  options.isolation = Isolation{};
  const std::string path = folder / "plugins/npu/libbackplane_npu.so";
  const auto backend = Backend::load(path + ":SIM-0002", options);
  INFO((backend.ok() ? "" : backend.error().to_string()));
  REQUIRE(backend.ok());
  const auto facts = host::facts_of(*backend->device());
  REQUIRE(facts.ok());
  CHECK(facts->size() == 6);
  CHECK_FALSE(runtime::can_import(*backend->device(), 0, BP_HANDLE_HOST));
  CHECK_FALSE(runtime::can_import(*backend->device(), 0, BP_HANDLE_FD));
  const bp_handle_t handle{BP_HANDLE_HOST, 0, 4096, 0, 64};
  bp_memory_t piece{};
  host::Diagnostics diagnostics;
  const bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
    return backend->device()->external_memory()->import_memory(backend->device()->abi(), 0, &handle, &piece, diag);
  });
  CHECK(status == BP_UNSUPPORTED);
  REQUIRE(diagnostics.reports().size() == 1);
  CHECK(diagnostics.reports()[0].message ==
        "dev.backplane.npu: calls of external_memory.import_memory cannot be carried to another process");
}

TEST_CASE("a device that is recorded imports nothing, because a replay has none of the memory") {
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const testing::TemporaryFolder files;
  auto file = remote::RecordingFile::create(files / "calls.bp");
  REQUIRE(file.ok());
  BackendOptions options;
  options.layers.push_back(remote::record_layer(std::move(file).value()));
  const auto backend = Backend::load((folder / "plugins/npu/libbackplane_npu.so").string(), options);
  REQUIRE(backend.ok());
  REQUIRE(backend->device()->external_memory() != nullptr);
  CHECK_FALSE(runtime::can_import(*backend->device(), 0, BP_HANDLE_HOST));
  CHECK(host::facts_of(*backend->device()).value().size() == 6);
}

TEST_CASE("BP-INFO-04: a lost device tells that it has failed") {
  const Backend backend = open_npu({{"lose-after", "0"}});
  const auto health = [&] {
    const auto facts = host::facts_of(*backend.device());
    REQUIRE(facts.ok());
    for (const host::Fact &fact : *facts) {
      if (fact.name == "health") {
        return std::get<std::string>(fact.value);
      }
    }
    return std::string();
  };
  CHECK(health() == "ok");
  std::array<std::byte, 64> bytes{};
  bp_memory_t piece{};
  REQUIRE(backend.device()->memory()->alloc(backend.device()->abi(), 0, 64, 64, &piece, host::Diagnostics().abi()) ==
          BP_OK);
  CHECK_FALSE(runtime::copy(*backend.device(), {piece.memory, 0}, runtime::host_location(bytes.data()), 64).ok());
  CHECK(health() == "failed");
  backend.device()->memory()->release(backend.device()->abi(), piece.memory);
}

}  // namespace bp::npu::tests
