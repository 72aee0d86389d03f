// Many modules in one process, and modules that differ in one detail: layouts, constants, element types. Each must
// compute what it says (BP-COMPILE-01). And artifacts at any address (BP-LOAD-03), and what programs hold.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>

#include "conformance/images/altered_image.h"
#include "conformance/suite/contract_trials.h"
#include "conformance/suite/direct_program.h"
#include "conformance/suite/library.h"
#include "conformance/suite/sample_programs.h"
#include "conformance/suite/stage.h"
#include "core/debugging/random_scope.h"
#include "core/host/diagnostics.h"
#include "core/interpreter/interpreter.h"
#include "core/interpreter/random_inputs.h"
#include "core/ir/verifier.h"
#include "core/layers/interposer.h"
#include "core/text/parser.h"

namespace bp::conformance {
namespace {

// --- BP-COMPILE-01: modules that differ in a detail ---

// Modules of a group have the same operations on arrays of the same sizes. Their results are exact.
std::vector<std::vector<std::string>> groups_of_variants() {
  std::vector<std::vector<std::string>> groups(4);
  for (const auto &[x, y, r] : {std::array{"1,0", "1,0", "1,0"},
                                {"0,1", "1,0", "1,0"},
                                {"1,0", "0,1", "1,0"},
                                {"1,0", "1,0", "0,1"},
                                {"0,1", "0,1", "1,0"}}) {
    groups[0].push_back(
        fmt::format("ENTRY main {{ x = f32[3,5]{{{}}} parameter(0)  y = f32[3,5]{{{}}} parameter(1)  "
                    "ROOT r = f32[3,5]{{{}}} subtract(x, y) }}",
                    x, y, r));
  }
  for (const auto &[x, r] : {std::array{"1,0", "0,1"}, {"0,1", "1,0"}}) {
    groups[1].push_back(
        fmt::format("ENTRY main {{ x = f32[3,5]{{{}}} parameter(0)  a = f32[3,5]{{{}}} copy(x)  "
                    "ROOT r = f32[3,5]{{{}}} negate(a) }}",
                    x, r, r));
  }
  // A small constant, and one that is too large to be part of the program, which differs at its end.
  for (const char *last : {"2", "3", "-2"}) {
    groups[2].push_back(
        fmt::format("ENTRY main {{ x = f32[20] parameter(0)  c = f32[] constant({})  "
                    "w = f32[20] constant({{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,{}}})  "
                    "b = f32[20] broadcast(c), dimensions={{}}  d = f32[20] multiply(x, b)  "
                    "ROOT r = f32[20] maximum(d, w) }}",
                    last, last));
  }
  for (const char *type : {"f32", "s32", "u32"}) {
    groups[3].push_back(
        fmt::format("ENTRY main {{ x = {0}[33] parameter(0)  y = {0}[33] parameter(1)  "
                    "m = {0}[33] maximum(x, y)  ROOT r = {0}[33] add(m, y) }}",
                    type));
  }
  return groups;
}

// A module, the program compiled for it, and what it must return.
struct Variant {
  ir::Module module;
  Compiled compiled;
  std::vector<Literal> arguments;
  Literal expected;
};

// Returns nothing if the device does not claim the module.
Result<std::optional<Variant>> make_variant(const Backend &backend, const std::string &program, std::uint64_t seed) {
  BP_ASSIGN(ir::Module module, text::parse_module(program));
  BP_TRY(ir::verify(module));
  CompileOptions options;
  options.device_only = true;
  options.fold_constants = false;
  auto compiled = backend.compile(module, options);
  if (!compiled.ok() && compiled.error().code() == ErrorCode::Unsupported) {
    return std::optional<Variant>();
  }
  if (!compiled.ok()) {
    return std::move(compiled).error();
  }
  BP_ASSIGN(std::vector<Literal> arguments, interpreter::random_arguments(module, seed));
  BP_ASSIGN(Literal expected, interpreter::interpret(module, arguments));
  return std::optional(
      Variant{std::move(module), std::move(compiled).value(), std::move(arguments), std::move(expected)});
}

Status expect_right(const Variant &variant, std::string_view program, std::string_view when) {
  BP_ASSIGN(const Literal found, variant.compiled.executable.run(variant.arguments));
  return found.identical(variant.expected)
             ? Status()
             : Status(make_error(ErrorCode::PluginFailure, "BP-COMPILE-01: {} a result is wrong: {}", when, program));
}

Result<Verdict> compile_variants(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  bool any = false;
  for (std::vector<std::string> programs : groups_of_variants()) {
    for (int pass = 0; pass < 2; ++pass) {
      std::vector<std::optional<Variant>> variants;
      for (const std::string &program : programs) {
        BP_ASSIGN(std::optional<Variant> variant, make_variant(*backend, program, subject.seed_of(program)));
        if (variant) {
          BP_TRY(expect_right(*variant, program, "compiled after modules that differ in a detail,"));
        }
        any |= variant.has_value();
        variants.push_back(std::move(variant));
      }
      for (std::size_t i = 0; i < programs.size(); ++i) {
        if (variants[i]) {
          BP_TRY(expect_right(*variants[i], programs[i], "once modules that differ in a detail were compiled too,"));
        }
      }
      std::ranges::reverse(programs);
    }
  }
  return any ? Verdict() : nothing_to_do();
}
Verdict tells_variants_apart(Subject &subject) {
  return verdict_or_error(compile_variants(subject));
}

// --- BP-COMPILE-01: many modules ---

Result<Verdict> compile_many(Subject &subject) {
  constexpr int few = 600, many = 5000, kept = 50;
  BP_ASSIGN(const Backend *backend, subject.backend());
  std::vector<std::pair<std::string, Variant>> variants;
  bool subtracts = true;
  for (int i = 0; i < (subject.is_full() ? many : few); ++i) {
    // Backends that add and do not subtract are judged by additions alone.
    const bool adds = i % 2 == 0 || !subtracts;
    const std::string program = fmt::format(
        "ENTRY main {{ x = f32[{0}] parameter(0)  y = f32[{0}] parameter(1)  ROOT r = f32[{0}] {1}(x, y) }}", 1 + i / 2,
        adds ? "add" : "subtract");
    auto variant = make_variant(*backend, program, subject.seed_of("many"));
    if (!variant.ok()) {
      return failure(fmt::format("BP-COMPILE-01: module {} of a process, of one instruction: {}", i + 1,
                                 variant.error().to_string()));
    }
    if (!variant->has_value()) {
      if (i == 1) {
        subtracts = false;
        continue;
      }
      return i == 0 ? nothing_to_do()
                    : failure(fmt::format("BP-CLAIM-01: module {} of a process is not claimed: {}", i + 1, program));
    }
    if (i % (few / kept) == 0) {
      variants.emplace_back(program, *std::move(variant).value());
    }
  }
  for (const auto &[program, variant] : variants) {
    BP_TRY(expect_right(variant, program, "after many modules were compiled,"));
  }
  return Verdict();
}
Verdict compiles_many(Subject &subject) {
  return verdict_or_error(compile_many(subject));
}

// --- BP-COMPILE-01: large modules ---

// Many instructions, with values that live long, and many results. All operations are exact in any order of rounding:
// values are combined with others by one addition or subtraction at a time.
std::string program_of_many_values(std::uint64_t seed) {
  constexpr std::int64_t parameters = 6, instructions = 310, results = 40;
  debugging::Random random(seed);
  std::string text = "ENTRY main {\n";
  for (std::int64_t i = 0; i < parameters; ++i) {
    text += fmt::format("  v{0} = f32[21] parameter({0})\n", i);
  }
  for (std::int64_t i = parameters; i < instructions; ++i) {
    constexpr std::string_view names[] = {"maximum", "minimum", "subtract", "maximum", "add", "minimum"};
    const std::int64_t last = i - 1 - random.below(3), any = random.below(i);
    const std::string_view name = random.of(names);
    // A sum with a parameter, so that values stay of ordinary size.
    const bool is_sum = name == "subtract" || name == "add";
    text += fmt::format("  v{} = f32[21] {}(v{}, v{})\n", i, name, last, is_sum ? any % parameters : any);
  }
  std::string types, names;
  for (std::int64_t i = 0; i < results; ++i) {
    types += fmt::format("{}f32[21]", i == 0 ? "" : ", ");
    names += fmt::format("{}v{}", i == 0 ? "" : ", ", instructions - 1 - i * 7);
  }
  return text + fmt::format("  ROOT r = ({}) tuple({})\n}}\n", types, names);
}

// More parameters and results than fit in a byte.
std::string program_of_many_parameters() {
  constexpr int count = 270;
  std::string text = "ENTRY main {\n", types, names;
  for (int i = 0; i < count; ++i) {
    text += fmt::format("  p{0} = f32[5] parameter({0})\n", i);
  }
  for (int i = 0; i < count; ++i) {
    text += fmt::format("  r{} = f32[5] subtract(p{}, p{})\n", i, i, (7 * i + 3) % count);
    types += fmt::format("{}f32[5]", i == 0 ? "" : ", ");
    names += fmt::format("{}r{}", i == 0 ? "" : ", ", i);
  }
  return text + fmt::format("  ROOT r = ({}) tuple({})\n}}\n", types, names);
}

// Many constants that are too large to be part of the program, each used twice, far apart.
std::string program_of_many_constants() {
  constexpr int count = 140, elements = 18;
  std::string text = "ENTRY main {\n  v0 = f32[18] parameter(0)\n";
  for (int i = 0; i < count; ++i) {
    std::string numbers;
    for (int k = 0; k < elements; ++k) {
      numbers += fmt::format("{}{}", k == 0 ? "" : ",", (i * 13 + k * 7 + i * k) % 101 - 50);
    }
    text += fmt::format("  c{} = f32[18] constant({{{}}})\n", i, numbers);
  }
  for (int i = 0; i < 2 * count; ++i) {
    text += fmt::format("  v{} = f32[18] {}(v{}, c{})\n", i + 1,
                        i % 3 == 0   ? "add"
                        : i % 3 == 1 ? "maximum"
                                     : "subtract",
                        i, i % count);
  }
  return text + fmt::format("  ROOT r = f32[18] negate(v{})\n}}\n", 2 * count);
}

// Loops, branches and calls inside each other.
std::string program_of_deep_nesting() {
  constexpr int depth = 9;
  std::string text = "level0 { x = f32[19] parameter(0)  y = f32[19] negate(x)  ROOT r = f32[19] add(y, y) }\n";
  for (int i = 1; i <= depth; ++i) {
    const std::string inner = fmt::format("level{}", i - 1);
    if (i % 3 == 1) {
      text += fmt::format(R"(
step{0} {{ t = (s32[], f32[19]) parameter(0)  i = s32[] get-tuple-element(t), index=0
  x = f32[19] get-tuple-element(t), index=1  one = s32[] constant(1)  n = s32[] add(i, one)
  y = f32[19] call(x), to_apply={1}  ROOT r = (s32[], f32[19]) tuple(n, y) }}
less{0} {{ t = (s32[], f32[19]) parameter(0)  i = s32[] get-tuple-element(t), index=0  n = s32[] constant(2)
  ROOT r = pred[] compare(i, n), direction=LT }}
level{0} {{ x = f32[19] parameter(0)  zero = s32[] constant(0)  t = (s32[], f32[19]) tuple(zero, x)
  w = (s32[], f32[19]) while(t), condition=less{0}, body=step{0}
  ROOT r = f32[19] get-tuple-element(w), index=1 }}
)",
                          i, inner);
    } else if (i % 3 == 2) {
      text += fmt::format(R"(
other{0} {{ x = f32[19] parameter(0)  ROOT r = f32[19] subtract(x, x) }}
level{0} {{ x = f32[19] parameter(0)  p = s32[] constant({2})
  y = f32[19] conditional(p, x, x), branch_computations={{{3}}}  ROOT r = f32[19] subtract(y, x) }}
)",
                          i, inner, i % 2,
                          i % 2 == 0 ? fmt::format("{}, other{}", inner, i) : fmt::format("other{}, {}", i, inner));
    } else {
      text += fmt::format(
          "level{0} {{ x = f32[19] parameter(0)  m = f32[19] maximum(x, x)  y = f32[19] call(m), "
          "to_apply={1}  ROOT r = f32[19] minimum(y, x) }}\n",
          i, inner);
    }
  }
  return text + fmt::format(
                    "ENTRY main {{ x = f32[19] parameter(0)  y = f32[19] call(x), to_apply=level{}  "
                    "ROOT r = f32[19] add(y, x) }}\n",
                    depth);
}

Result<Verdict> compile_large(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  bool any = false;
  for (const auto &[what, program] :
       {std::pair<std::string_view, std::string>{"many values", program_of_many_values(subject.seed_of("many values"))},
        {"many parameters and results", program_of_many_parameters()},
        {"many constants", program_of_many_constants()},
        {"loops and branches inside each other", program_of_deep_nesting()}}) {
    const auto variant = make_variant(*backend, program, subject.seed_of(what));
    if (!variant.ok()) {
      return failure(fmt::format("BP-COMPILE-01: a module with {}: {}", what, variant.error().to_string()));
    }
    if (variant->has_value()) {
      any = true;
      const Result<Literal> found = (*variant)->compiled.executable.run((*variant)->arguments);
      if (!found.ok() || !found->identical((*variant)->expected)) {
        return failure(fmt::format("BP-COMPILE-01: a module with {}: {}", what,
                                   found.ok() ? "its result is wrong" : found.error().to_string()));
      }
    }
  }
  return any ? Verdict() : nothing_to_do();
}
Verdict compiles_large(Subject &subject) {
  return verdict_or_error(compile_large(subject));
}

// --- BP-COMPILE-01: several threads compile at the same time ---

struct CollectedBytes {
  bp_ostream_t abi{this, &CollectedBytes::write};
  std::vector<std::byte> bytes;
  static bp_status write(const bp_ostream_t *stream, const void *data, std::uint64_t size) {
    auto &self = *static_cast<CollectedBytes *>(stream->ctx);
    const auto *from = static_cast<const std::byte *>(data);
    self.bytes.insert(self.bytes.end(), from, from + size);
    return BP_OK;
  }
};

// A sample, its parts, and what it computes.
struct Learnt {
  std::string name;
  std::shared_ptr<const DirectParts> parts;
  std::vector<Literal> arguments;
  DirectProgram::Outputs expected;
};

Result<std::vector<Learnt>> learn(Subject &subject, std::span<const std::string_view> names) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  std::vector<Learnt> all;
  for (const std::string_view name : names) {
    BP_ASSIGN(const ir::Module module, sample_program(std::string(name)));
    const auto parts = DirectParts::compile(backend->device(), module);
    if (!parts.ok() || *parts == nullptr) {
      continue;  // other stages judge what does not compile
    }
    BP_ASSIGN(const auto program, DirectProgram::load(backend->device(), *parts));
    BP_ASSIGN(std::vector<Literal> arguments, interpreter::random_arguments(module, subject.seed_of(name)));
    BP_ASSIGN(DirectProgram::Outputs expected, program->run(arguments, {}));
    all.push_back({std::string(name), *parts, std::move(arguments), std::move(expected)});
  }
  return all;
}

// Loads an artifact of the sample, unless it is the same as before, and runs it.
Status expect_same_program(const DevicePointer &device, const Learnt &sample, std::vector<std::byte> artifact,
                           std::string_view when) {
  if (artifact == sample.parts->artifact) {
    return {};
  }
  DirectParts parts = *sample.parts;
  parts.artifact = std::move(artifact);
  const auto program = DirectProgram::load(device, std::make_shared<const DirectParts>(std::move(parts)));
  if (!program.ok()) {
    return make_error(ErrorCode::PluginFailure, "load() of {} fails {}: {}", sample.name, when,
                      program.error().to_string());
  }
  BP_ASSIGN(const DirectProgram::Outputs found, (*program)->run(sample.arguments, {}));
  return found == sample.expected
             ? Status()
             : Status(make_error(ErrorCode::PluginFailure, "the result of {} differs in bits {}", sample.name, when));
}

// Threads that compile meet in the streams of their artifacts: a write goes on when another thread has reached one, or
// after a moment. So whatever the compilations share is overwritten before it is read.
class Meeting {
 public:
  // For writes 1, 2, 4, 8 ... of a compilation.
  void wait() {
    std::unique_lock lock(mutex_);
    const std::uint64_t before = ++arrived_;
    changed_.notify_all();
    changed_.wait_for(lock, std::chrono::milliseconds(1), [&] { return arrived_ != before; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t arrived_ = 0;
};
struct MeetingBytes {
  explicit MeetingBytes(Meeting &meeting) : meeting(meeting) {}
  MeetingBytes(const MeetingBytes &) = delete;
  MeetingBytes &operator=(const MeetingBytes &) = delete;
  bp_ostream_t abi{this, [](const bp_ostream_t *stream, const void *data, std::uint64_t size) noexcept -> bp_status {
                     auto &self = *static_cast<MeetingBytes *>(stream->ctx);
                     if (std::has_single_bit(++self.writes)) {
                       self.meeting.wait();
                     }
                     const auto *from = static_cast<const std::byte *>(data);
                     self.bytes.insert(self.bytes.end(), from, from + size);
                     return BP_OK;
                   }};
  Meeting &meeting;
  std::uint64_t writes = 0;
  std::vector<std::byte> bytes;
};

Result<Verdict> compile_together(Subject &subject) {
  constexpr std::size_t threads = 3;
  constexpr std::string_view names[] = {"chain", "in_place", "constants", "large_dot", "loop"};
  BP_ASSIGN(const std::vector<Learnt> samples, learn(subject, names));
  if (samples.empty()) {
    return nothing_to_do();
  }
  BP_ASSIGN(const Backend *backend, subject.backend());
  const host::Device &device = *backend->device();
  // Compilations that take little time are repeated more often, because they overlap less.
  using Clock = std::chrono::steady_clock;
  const std::chrono::milliseconds patience(subject.is_full() ? 3000 : 80);
  constexpr std::size_t kept = 8;
  struct Differing {
    std::size_t sample;
    std::vector<std::byte> artifact;
  };
  std::array<std::vector<Differing>, threads> differing;
  std::array<Status, threads> outcomes;
  Meeting meeting;
  std::atomic<std::size_t> ready = 0;
  {
    std::vector<std::jthread> compiling;
    for (std::size_t t = 0; t < threads; ++t) {
      compiling.emplace_back([&, t] {
        ++ready;
        while (ready < threads) {
          std::this_thread::yield();
        }
        const auto end = Clock::now() + patience;
        for (std::size_t i = 0; outcomes[t].ok() && differing[t].size() < kept; ++i) {
          if (i >= samples.size() && Clock::now() > end) {
            break;
          }
          const std::size_t next = (i + t) % samples.size();
          MeetingBytes artifact(meeting);
          host::Diagnostics diagnostics;
          const bp_module_t *module = samples[next].parts->image.module();
          const bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
            return device.compiler()->compile(device.abi(), module, &artifact.abi, diag);
          });
          outcomes[t] = diagnostics.result(status, device.id(), "compile", module);
          if (artifact.bytes != samples[next].parts->artifact) {
            differing[t].push_back({next, std::move(artifact.bytes)});
          }
        }
      });
    }
  }
  for (std::size_t t = 0; t < threads; ++t) {
    if (!outcomes[t].ok()) {
      return failure("BP-COMPILE-01: while other threads compile: " + outcomes[t].error().to_string());
    }
    for (Differing &one : differing[t]) {
      const Status same = expect_same_program(backend->device(), samples[one.sample], std::move(one.artifact),
                                              "if several threads compile at the same time");
      if (!same.ok()) {
        return failure("BP-COMPILE-01: " + same.error().message());
      }
    }
  }
  return Verdict();
}
Verdict compiles_together(Subject &subject) {
  return verdict_or_error(compile_together(subject));
}

// --- BP-LAW-05, BP-MODULE-07: modules with unknown sections and hints are compiled like others ---

Result<Verdict> compile_altered(Subject &subject) {
  constexpr std::uint32_t unknown_section = 0xbadc0de;
  constexpr std::uint16_t unknown_hint = 0xfffe;
  constexpr std::string_view names[] = {"in_place_f32", "constants", "loop"};
  BP_ASSIGN(const std::vector<Learnt> samples, learn(subject, names));
  BP_ASSIGN(const Backend *backend, subject.backend());
  const host::Device &device = *backend->device();
  for (const Learnt &sample : samples) {
    for (const bool has_section : {true, false}) {
      AlteredImage altered(sample.parts->image.module());
      if (has_section) {
        altered.add_section(unknown_section);
      } else {
        altered.add_attribute(unknown_hint);
      }
      const char *how = has_section ? "if the module has a section with an unknown id (BP-LAW-05)"
                                    : "if its instructions have a hint with an unknown id (BP-MODULE-07)";
      CollectedBytes artifact;
      artifact.abi.ctx = &artifact;
      host::Diagnostics diagnostics;
      const bp_module_t *module = altered.module();
      const bp_status status = diagnostics.call(
          [&](const bp_diag_t *diag) { return device.compiler()->compile(device.abi(), module, &artifact.abi, diag); });
      if (status != BP_OK) {
        return failure(fmt::format("compile() of {} fails {}: {}", sample.name, how,
                                   diagnostics.result(status, device.id(), "compile", module).error().to_string()));
      }
      BP_TRY(expect_same_program(backend->device(), sample, std::move(artifact.bytes), how));
    }
  }
  return samples.empty() ? nothing_to_do() : Verdict();
}
Verdict compiles_altered(Subject &subject) {
  return verdict_or_error(compile_altered(subject));
}

// --- BP-LOAD-03: artifacts at any address ---

// Gives load() a copy of the artifact that begins so many bytes after an aligned address, and overwrites it afterwards.
struct Displaced final : layers::Interposer {
  Displaced(std::unique_ptr<host::Entry> below, const std::size_t &distance)
      : Interposer(std::move(below)), distance_(distance) {}
  bp_status compiler_load(layers::LayeredDevice &device, const void *artifact, std::uint64_t size,
                          const bp_loc_t *constants, std::uint8_t *taken, std::uint32_t allocation_count,
                          const bp_program_t **program, const bp_diag_t *diag) override {
    std::vector<char> bytes(size + distance_);
    std::memcpy(bytes.data() + distance_, artifact, size);
    const bp_status status = Interposer::compiler_load(device, bytes.data() + distance_, size, constants, taken,
                                                       allocation_count, program, diag);
    std::ranges::fill(bytes, '\xee');
    return status;
  }
  const std::size_t &distance_;
};

Result<Verdict> load_at_any_address(Subject &subject) {
  BP_ASSIGN(const ir::Module module, first_supported_sample(subject));
  std::size_t distance = 0;
  BP_ASSIGN(const Backend backend, load_under(subject, [&](std::unique_ptr<host::Entry> below) {
              return std::make_unique<Displaced>(std::move(below), distance);
            }));
  BP_ASSIGN(const auto parts, DirectParts::compile(backend.device(), module));
  BP_ASSIGN(const std::vector<Literal> arguments, interpreter::random_arguments(module, subject.seed_of("address")));
  std::optional<DirectProgram::Outputs> expected;
  for (const std::size_t next : {0, 1, 3, 4, 7, 8, 16, 33}) {
    distance = next;
    const auto program = DirectProgram::load(backend.device(), parts);
    if (!program.ok()) {
      return failure(fmt::format("BP-LOAD-03: an artifact {} bytes after an aligned address: {}", distance,
                                 program.error().to_string()));
    }
    BP_ASSIGN(DirectProgram::Outputs found, (*program)->run(arguments, {}));
    if (expected && found != *expected) {
      return failure(
          fmt::format("BP-LOAD-03: the result of a program differs in bits if its artifact is loaded from {} "
                      "bytes after an aligned address",
                      distance));
    }
    expected = std::move(found);
  }
  return Verdict();
}
Verdict loads_at_any_address(Subject &subject) {
  return verdict_or_error(load_at_any_address(subject));
}

// --- bp_program.resident_size: bytes held while loaded ---

// Arrays of different sizes, so that hardly two kernels are the same.
constexpr int many_kernels = 60;
std::string program_of_many_kernels() {
  std::string text = "ENTRY main {\n", types, results;
  for (int n = 0; n < many_kernels; ++n) {
    text +=
        fmt::format("  x{0} = s32[{1}] parameter({0})  y{0} = s32[{1}] reverse(x{0}), dimensions={{0}}\n", n, n + 40);
    types += fmt::format("{}s32[{}]", n == 0 ? "" : ", ", n + 40);
    results += fmt::format("{}y{}", n == 0 ? "" : ", ", n);
  }
  return text + fmt::format("  ROOT r = ({}) tuple({})\n}}\n", types, results);
}

Result<Verdict> hold_programs_of(Subject &subject, const std::string &text, std::int64_t kernels) {
  constexpr std::int64_t copies = 24;
  const std::int64_t bookkeeping = (16 << 10) + 512 * kernels;  // names and tables of what is loaded
  constexpr int attempts = 3;
  BP_ASSIGN(const Backend *backend, subject.backend());
  const DevicePointer device = backend->device();
  BP_ASSIGN(const ir::Module module, text::parse_module(text));
  const auto parts = DirectParts::compile(device, module);
  if (!parts.ok() || *parts == nullptr) {
    return nothing_to_do();  // other stages judge what does not compile
  }
  BP_ASSIGN(const auto first, DirectProgram::load(device, *parts));
  const std::uint64_t stated = first->abi()->resident_size;
  std::int64_t held = 0;
  for (int attempt = 0; attempt < attempts; ++attempt) {  // the least of them: other threads may have allocated too
    std::vector<std::unique_ptr<DirectProgram>> programs(copies);
    const std::int64_t heap = heap_bytes(), resident = resident_bytes(), on_device = taken_on_device(*device);
    for (auto &program : programs) {
      BP_ASSIGN(program, DirectProgram::load(device, *parts));
    }
    const std::int64_t on_host = std::max(heap_bytes() - heap, resident_bytes() - resident);
    const std::int64_t each = (on_host + taken_on_device(*device) - on_device) / copies;
    held = attempt == 0 ? each : std::min(held, each);
  }
  return held <= bookkeeping || static_cast<std::uint64_t>(held - bookkeeping) <= stated
             ? Verdict()
             : failure(
                   fmt::format("bp_program.resident_size is {}, but a loaded program holds {} bytes", stated, held));
}
Result<Verdict> hold_programs(Subject &subject) {
  BP_ASSIGN(const Verdict of_values,
            hold_programs_of(subject, program_of_many_values(subject.seed_of("many values")), 1));
  return of_values.status == CaseStatus::Fail ? of_values
                                              : hold_programs_of(subject, program_of_many_kernels(), many_kernels);
}
Verdict holds_what_it_says(Subject &subject) {
  return verdict_or_error(hold_programs(subject));
}

constexpr ContractTrial compile_table[] = {
    {"BP-COMPILE-01/variants", "bp.compiler/1", tells_variants_apart},
    {"BP-COMPILE-01/many", "bp.compiler/1", compiles_many},
    {"BP-COMPILE-01/large", "", compiles_large},
    {"BP-COMPILE-01/threads", "bp.compiler/1", compiles_together},
    {"BP-LAW-05/compile", "bp.compiler/1", compiles_altered},
    {"BP-LOAD-03/address", "bp.compiler/1", loads_at_any_address},
    {"bp_program/resident_size", "bp.compiler/1", holds_what_it_says},
};

}  // namespace

const std::span<const ContractTrial> compile_trials = compile_table;

}  // namespace bp::conformance
