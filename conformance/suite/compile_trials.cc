// Many modules in one process, and modules that differ in one detail: layouts, constants, element types. Each must
// compute what it says (BP-COMPILE-01). And artifacts at any address (BP-LOAD-03).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "conformance/suite/contract_trials.h"
#include "conformance/suite/direct_program.h"
#include "conformance/suite/sample_programs.h"
#include "conformance/suite/stage.h"
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

constexpr ContractTrial compile_table[] = {
    {"BP-COMPILE-01/variants", "bp.compiler/1", tells_variants_apart},
    {"BP-COMPILE-01/many", "bp.compiler/1", compiles_many},
    {"BP-LOAD-03/address", "bp.compiler/1", loads_at_any_address},
};

}  // namespace

const std::span<const ContractTrial> compile_trials = compile_table;

}  // namespace bp::conformance
