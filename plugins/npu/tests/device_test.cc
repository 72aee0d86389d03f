// The device as an object of the ABI: memory behind handles, queues, artifacts, and its loss.
#include <array>
#include <cstring>
#include <set>

#include "backplane/ext/draft/profile.h"
#include "core/host/diagnostics.h"
#include "core/interpreter/random_inputs.h"
#include "plugins/npu/tests/open_npu.h"

namespace bp::npu::tests {
namespace {

constexpr std::string_view small_program = R"(HloModule small
  ENTRY main { x = bf16[20,30] parameter(0)  y = bf16[30,20] parameter(1)
    d = bf16[20,20] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    ROOT r = bf16[20,20] tanh(d) })";

// The status that a call returned, and its first report.
struct Outcome {
  bp_status status;
  std::string message;
};
template <class Call>
Outcome outcome(Call &&call) {
  host::Diagnostics diagnostics;
  const bp_status status = diagnostics.call(std::forward<Call>(call));
  return {status, diagnostics.reports().empty() ? "" : diagnostics.reports()[0].message};
}

bp_memory_t allocate(const host::Device &device, std::uint64_t size) {
  bp_memory_t piece{};
  const auto made =
      outcome([&](const bp_diag_t *diag) { return device.memory()->alloc(device.abi(), 0, size, 64, &piece, diag); });
  REQUIRE(made.status == BP_OK);
  return piece;
}

Outcome copy(const host::Device &device, bp_loc_t to, bp_loc_t from, std::uint64_t size) {
  return outcome([&](const bp_diag_t *diag) { return device.memory()->copy(device.abi(), to, from, size, diag); });
}

bp_loc_t on_host(const void *data) {
  return {0, reinterpret_cast<std::uint64_t>(data)};
}

Outcome load(const host::Device &device, std::span<const std::byte> artifact, std::uint32_t allocations) {
  const std::vector<bp_loc_t> places(allocations);
  std::vector<std::uint8_t> taken(allocations);
  const bp_program_t *program = nullptr;
  const Outcome result = outcome([&](const bp_diag_t *diag) {
    return device.compiler()->load(device.abi(), artifact.data(), artifact.size(), places.data(), taken.data(),
                                   allocations, &program, diag);
  });
  CHECK((program != nullptr) == (result.status == BP_OK));
  if (program != nullptr) {
    program->destroy(program);
  }
  return result;
}

}  // namespace

TEST_CASE("memory is behind handles, and nothing is copied across the ends of a piece") {
  const Backend backend = open_npu();
  const host::Device &device = *backend.device();
  const bp_memory_t a = allocate(device, 100), b = allocate(device, 100);
  CHECK(a.host == nullptr);
  CHECK(a.memory != b.memory);
  std::array<char, 100> text{}, back{};
  std::strcpy(text.data(), "through three memories");
  CHECK(copy(device, {a.memory, 0}, on_host(text.data()), 100).status == BP_OK);
  CHECK(copy(device, {b.memory, 10}, {a.memory, 0}, 90).status == BP_OK);
  CHECK(copy(device, on_host(back.data()), {b.memory, 10}, 90).status == BP_OK);
  CHECK(std::string(back.data()) == text.data());

  const Outcome behind = copy(device, {a.memory, 50}, on_host(text.data()), 51);
  CHECK(behind.status == BP_INVALID);
  CHECK(behind.message == "a copy writes bytes 50 to 101 of memory " + std::to_string(a.memory) +
                              ", which is not inside a piece that may be written");
  CHECK(copy(device, {a.memory, UINT64_MAX - 3}, on_host(text.data()), 10).status == BP_INVALID);
  device.memory()->release(device.abi(), a.memory);
  CHECK(copy(device, on_host(back.data()), {a.memory, 0}, 1).status == BP_INVALID);
  device.memory()->release(device.abi(), b.memory);
}

TEST_CASE("memory that is not there is refused, and comes back when it is released") {
  const Backend backend = open_npu({{"memory", "1000"}});
  const host::Device &device = *backend.device();
  const bp_memory_t most = allocate(device, 900);
  const auto more = [&](std::uint32_t space, std::uint64_t size) {
    bp_memory_t piece{};
    return outcome(
        [&](const bp_diag_t *diag) { return device.memory()->alloc(device.abi(), space, size, 64, &piece, diag); });
  };
  const Outcome refused = more(0, 101);
  CHECK(refused.status == BP_NO_MEMORY);
  CHECK(refused.message == "dram has 100 of 1000 bytes left, but 101 are requested");
  CHECK(more(1, (1 << 20) + 1).status == BP_NO_MEMORY);
  CHECK(more(2, 1).status == BP_INVALID);
  device.memory()->release(device.abi(), most.memory);
  CHECK(more(0, 1000).status == BP_OK);

  // A program that needs more is refused before it is compiled.
  CompileOptions options;
  options.device_only = true;
  CHECK(!backend.compile(parse(small_program), options).ok());
}

TEST_CASE("an artifact that was cut off or changed in any byte is refused") {
  const Backend backend = open_npu();
  const std::vector<std::byte> artifact = backend.make_artifact(parse(small_program)).value().bytes;
  std::uint32_t allocations = 0;
  while (load(*backend.device(), artifact, allocations).status != BP_OK) {
    REQUIRE(++allocations < 100);
  }
  for (std::size_t size = 0; size < artifact.size(); ++size) {
    const std::vector<std::byte> cut(artifact.begin(), artifact.begin() + static_cast<std::ptrdiff_t>(size));
    REQUIRE(load(*backend.device(), cut, allocations).status == BP_INVALID);
  }
  for (std::size_t at = 0; at < artifact.size(); ++at) {
    for (const int change : {1, 0x80, 0xff}) {
      std::vector<std::byte> damaged = artifact;
      damaged[at] ^= static_cast<std::byte>(change);
      REQUIRE(load(*backend.device(), damaged, allocations).status == BP_INVALID);
    }
  }
  std::vector<std::byte> longer = artifact;
  longer.push_back(std::byte{0});
  CHECK(load(*backend.device(), longer, allocations).status == BP_INVALID);
  CHECK(load(*backend.device(), artifact, allocations + 1).status == BP_INVALID);
}

TEST_CASE("delays between the queues change no bit") {
  const Module module = parse(small_program);
  const std::vector<Literal> arguments = interpreter::random_arguments(module, 1).value();
  const Literal expected = run(open_npu(), module, arguments);
  for (const char *seed : {"1", "2", "3"}) {
    const Backend backend = open_npu({{"jitter", seed}});
    const Compiled compiled = compile_whole(backend, module);
    for (int i = 0; i < 20; ++i) {
      CHECK(compiled.executable.run(arguments)->identical(expected));
    }
  }
}

// A program loaded without the core, whose allocations are pieces of equal size.
class Loaded {
 public:
  Loaded(Backend backend, std::string_view text, std::uint64_t piece_size)
      : backend_(std::move(backend)), artifact_(backend_.make_artifact(parse(text)).value().bytes) {
    std::uint32_t allocations = 0;
    while (load(device(), artifact_, allocations).status != BP_OK) {
      REQUIRE(++allocations < 100);
    }
    places.resize(allocations);
    std::vector<std::uint8_t> taken(allocations);
    REQUIRE(outcome([&](const bp_diag_t *diag) {
              return device().compiler()->load(device().abi(), artifact_.data(), artifact_.size(), places.data(),
                                               taken.data(), allocations, &program_, diag);
            }).status == BP_OK);
    for (bp_loc_t &place : places) {
      pieces_.push_back(allocate(device(), piece_size).memory);
      place = {pieces_.back(), 0};
    }
    bp_memory_t scratch{};
    REQUIRE(outcome([&](const bp_diag_t *diag) {
              return device().memory()->alloc(device().abi(), program_->scratch_space, program_->scratch_size, 64,
                                              &scratch, diag);
            }).status == BP_OK);
    pieces_.push_back(scratch.memory);
    run = {1,
           places.data(),
           places.size(),
           {scratch.memory, 0},
           nullptr,
           [](const bp_run_t *, const char *) noexcept -> const void * { return nullptr; }};
  }
  ~Loaded() {
    program_->destroy(program_);
    for (std::uint64_t piece : pieces_) {
      device().memory()->release(device().abi(), piece);
    }
  }
  Outcome go() const {
    return outcome([&](const bp_diag_t *diag) { return program_->run(program_, &run, diag); });
  }

  const bp_program_t &program() const { return *program_; }

  std::vector<bp_loc_t> places;
  bp_run_t run{};

 private:
  const host::Device &device() const { return *backend_.device(); }

  Backend backend_;
  std::vector<std::byte> artifact_;
  const bp_program_t *program_ = nullptr;
  std::vector<std::uint64_t> pieces_;
};

TEST_CASE("large programs take no more of the scratchpad than their part") {
  const char *instruction = GENERATE("ROOT r = s32[1000,1000] clamp(x, y, x)", "ROOT r = s32[1000,1000]{0,1} copy(x)",
                                     "ROOT r = s32[1000] reduce(x, n), dimensions={1}, to_apply=sum",
                                     "ROOT r = s32[1000] reduce(x, n), dimensions={0}, to_apply=sum",
                                     "ROOT r = s32[1000,600] dot(p, q), lhs_contracting_dims={1}, "
                                     "rhs_contracting_dims={0}");
  const Loaded program(open_npu(),
                       std::string("HloModule large\n"
                                   "sum { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT r = s32[] add(a, b) }\n"
                                   "ENTRY main { x = s32[1000,1000] parameter(0)  y = s32[1000,1000] parameter(1)\n"
                                   "  p = s8[1000,900] parameter(2)  q = s8[900,600] parameter(3)\n"
                                   "  n = s32[] parameter(4)  ") +
                           instruction + " }",
                       64);
  CHECK(program.program().scratch_space == 1);
  CHECK(program.program().scratch_size > 64 << 10);
  CHECK(program.program().scratch_size <= 256 << 10);
}

TEST_CASE("an instruction that leaves its piece of memory fails and is named") {
  Loaded program(open_npu(), small_program, 64);
  const Outcome outside = program.go();
  CHECK(outside.status == BP_INTERNAL);
  CHECK_THAT(outside.message,
             Catch::Contains("machine instruction 0 (Load) accesses byte") && Catch::EndsWith("of a piece of 64"));
  const bp_loc_t piece = program.places[0];
  for (bp_loc_t &place : program.places) {
    place = {};
  }
  CHECK_THAT(program.go().message, Catch::EndsWith("which is not a piece of memory"));
  program.run.scratch = piece;
  CHECK(program.go().status == BP_INVALID);
}

TEST_CASE("a run tells how long each instruction took, and all of it in the log") {
  struct Record {
    std::uint32_t instruction;
    std::uint64_t begin, end;
  };
  static std::vector<Record> records;
  static const bp_run_profile_t profile = {
      [](const bp_run_t *, std::uint32_t instruction, std::uint32_t, std::uint64_t begin, std::uint64_t end) noexcept {
        records.push_back({instruction, begin, end});
      }};
  records.clear();
  std::vector<std::string> log;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  BackendOptions options;
  options.log = [&](std::uint32_t severity, std::string_view message) {
    if (severity == BP_LOG_DEBUG) {
      log.emplace_back(message);
    }
  };
  Loaded program(Backend::load((folder / "plugins/npu/libbackplane_npu.so").string(), options).value(), small_program,
                 1 << 16);
  program.run.get_extension = [](const bp_run_t *, const char *id) noexcept -> const void * {
    return std::string_view(id) == BP_EXT_PROFILE ? &profile : nullptr;
  };
  REQUIRE(program.go().status == BP_OK);
  REQUIRE(records.size() >= 2);  // the dot, the function; copies into tiles
  std::uint64_t cycles = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    CHECK(records[i].begin < records[i].end);
    CHECK((i == 0 || records[i - 1].end <= records[i].begin));
    CHECK((i == 0 || records[i - 1].instruction != records[i].instruction));
    cycles += records[i].end - records[i].begin;
  }
  REQUIRE(log.size() == 1);
  CHECK(log[0] == "run 1: " + std::to_string(cycles) + " cycles");
}

TEST_CASE("a lost device says so at every command, is signalled and can be given back") {
  const Module module = parse(small_program);
  const std::vector<Literal> arguments = interpreter::random_arguments(module, 1).value();
  std::set<bool> outcomes;
  for (int commands = 0; commands < 8; ++commands) {
    const Backend backend = open_npu({{"lose-after", std::to_string(commands)}});
    const Compiled compiled = compile_whole(backend, module);
    auto result = compiled.executable.run(arguments);
    outcomes.insert(result.ok());
    if (!result.ok()) {
      INFO(commands);
      CHECK_THAT(result.error().to_string(), Catch::Contains("the device is lost"));
      auto again = compiled.executable.run(arguments);
      REQUIRE(!again.ok());
      CHECK_THAT(again.error().to_string(), Catch::Contains("the device is lost"));
    }
  }
  CHECK(outcomes == std::set<bool>{false, true});
}

}  // namespace bp::npu::tests
