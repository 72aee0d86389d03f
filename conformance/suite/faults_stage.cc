// Faults: artifacts that are truncated, damaged or foreign, streams that refuse, memory that runs out, services that
// are missing, calls that fail, devices that are lost. The plugin must report them and continue to work.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "conformance/suite/chains.h"
#include "conformance/suite/contract_trials.h"
#include "conformance/suite/failing_calls.h"
#include "conformance/suite/option_trials.h"
#include "conformance/suite/sample_programs.h"
#include "conformance/suite/stage.h"
#include "core/compile/artifact_cache.h"
#include "core/host/diagnostics.h"
#include "core/interpreter/compare.h"
#include "core/interpreter/random_inputs.h"
#include "core/layers/artifacts.h"
#include "core/layers/failures.h"
#include "core/layers/interposer.h"
#include "core/text/parser.h"

namespace bp::conformance {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

// The artifact of a compilation, and a copy of the module image it was made from.
struct Compilation {
  std::string artifact, target;
  std::shared_ptr<const layers::ModuleCopy> module;
};

// Records what the core compiled last.
class Recorder final : public layers::Interposer {
 public:
  Recorder(std::unique_ptr<host::Entry> below, Compilation &last) : Interposer(std::move(below)), last_(last) {}
  bp_status compiler_compile(layers::LayeredDevice &device, const bp_module_t *module, const bp_ostream_t *artifact,
                             const bp_diag_t *diag) override {
    layers::Tee tee(artifact);
    const bp_status status = Interposer::compiler_compile(device, module, tee.abi(), diag);
    last_ = {tee.bytes(), std::string(device.below->target), std::make_shared<const layers::ModuleCopy>(module)};
    return status;
  }

 private:
  Compilation &last_;
};

// `settings`: of the device, in place of those of the user with the same key. Then the artifact need not be one that
// can be loaded on this machine.
Result<Compilation> compile_sample(Subject &subject, const ir::Module &module, const Settings &settings = {}) {
  Compilation last;
  BackendOptions options = subject.backend_options();
  for (const auto &[key, value] : settings) {
    std::erase_if(options.settings, [&](const auto &own) { return own.first == key; });
    options.settings.emplace_back(key, value);
  }
  options.layers.push_back(
      [&last](std::unique_ptr<host::Entry> below) { return std::make_unique<Recorder>(std::move(below), last); });
  BP_ASSIGN(const Backend backend, Backend::load(subject.choice().name, options));
  CompileOptions compile_options;
  compile_options.device_only = true;
  compile_options.fold_constants = false;
  const auto compiled = backend.compile(module, compile_options);
  const bool is_made = compiled.ok() || (!settings.empty() && !last.artifact.empty());
  return is_made ? Result<Compilation>(std::move(last)) : compiled.error();
}

// Checks that the device still works as before.
Status still_works(const Backend &backend, const ir::Module &module) {
  BP_ASSIGN([[maybe_unused]] const Literal result, run_on_device(backend, module));
  return {};
}

// BP-LOAD-01. The artifact is said to be that of a module with these allocations, or with the first ones alone.
Status expect_refused(const Backend &backend, std::span<const bp_allocation_t> allocations, const std::string &artifact,
                      std::size_t missing = 0) {
  const host::Device &device = *backend.device();
  const auto count = static_cast<std::uint32_t>(allocations.size() - missing);
  std::vector<runtime::Block> blocks(count);
  std::vector<bp_loc_t> constants(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const bp_allocation_t &allocation = allocations[i];
    if (allocation.kind == BP_ALLOC_CONSTANT) {
      const std::uint64_t size = std::max<std::uint64_t>(allocation.size, 1);
      BP_ASSIGN(blocks[i], device.memory() == nullptr ? runtime::Block::allocate(size)
                                                      : runtime::Block::allocate_on(device, allocation.space, size));
      constants[i] = blocks[i].location();
    }
  }
  std::vector<std::uint8_t> taken(count);
  constexpr bp_program_t untouched{};
  const bp_program_t *program = &untouched;
  host::Diagnostics diagnostics;
  // A copy of its own, so that memory checkers detect reads past the end.
  const std::vector<char> bytes(artifact.begin(), artifact.end());
  const bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
    return device.compiler()->load(device.abi(), bytes.data(), bytes.size(), constants.data(), taken.data(), count,
                                   &program, diag);
  });
  if (status == BP_OK && program != nullptr && program != &untouched) {
    program->destroy(program);
  } else if (program != &untouched) {
    return make_error(ErrorCode::PluginFailure, "BP-LOAD-01: load() returns {}, but has written *program",
                      host::status_name(status));
  }
  if (status != BP_INVALID) {
    return make_error(
        ErrorCode::PluginFailure, "BP-LOAD-01: load() returns {}, expected invalid{}", host::status_name(status),
        missing == 0
            ? ""
            : fmt::format(": the artifact is that of a module with {} allocations, not {}", allocations.size(), count));
  }
  return {};
}

// The trials of a kind are numbered. The first ones go through the bytes at the beginning and the end, where headers
// and tables are; the others choose any place.
using Damage = std::function<std::string(const std::string &good, std::size_t number, std::uint64_t random)>;

std::size_t place_of_damage(const std::string &good, std::size_t number, std::uint64_t random) {
  constexpr std::size_t edge = 128;
  const std::size_t place = number < edge       ? number
                            : number < 2 * edge ? good.size() - 1 - std::min(number - edge, good.size() - 1)
                                                : random % good.size();
  return std::min(place, good.size() - 1);
}

std::string truncated(const std::string &good, std::size_t number, std::uint64_t random) {
  return good.substr(0, place_of_damage(good, number, random));
}
std::string flipped(const std::string &good, std::size_t number, std::uint64_t random) {
  std::string bad = good;
  bad[place_of_damage(good, number, random)] ^= static_cast<char>(1 << (random >> 32) % 8);
  return bad;
}
// Two bytes, words or blocks have changed places: sums over all stay the same.
std::string exchanged(const std::string &good, std::size_t number, std::uint64_t random) {
  constexpr std::size_t sizes[] = {1, 2, 4, 8, 64, 512};
  std::string bad = good;
  const std::size_t size = sizes[number % std::size(sizes)], places = good.size() / size;
  if (places > 1) {
    const std::size_t a = random % places, b = (a + 1 + (random >> 32) % (places - 1)) % places;
    const auto at = [&](std::size_t place) { return bad.begin() + static_cast<std::ptrdiff_t>(place * size); };
    std::swap_ranges(at(a), at(a) + static_cast<std::ptrdiff_t>(size), at(b));
  }
  return bad;
}
// A block was never written, or was written twice.
std::string lost(const std::string &good, std::size_t number, std::uint64_t random) {
  constexpr std::size_t sizes[] = {16, 64, 512, 4096};
  std::string bad = good;
  const std::size_t size = std::min(sizes[number % std::size(sizes)], good.size() / 2);
  const std::size_t places = size == 0 ? 0 : good.size() / size, to = places == 0 ? 0 : random % places * size;
  const bool is_copied = number % 2 == 1 && places > 1;
  const std::string block = is_copied ? good.substr((random >> 32) % places * size, size) : std::string(size, '\0');
  return bad.replace(to, size, block);
}
std::string extended(const std::string &good, std::size_t number, std::uint64_t random) {
  constexpr std::size_t sizes[] = {1, 4, 8, 64, 4096};
  const std::size_t size = number < std::size(sizes) ? sizes[number] : 1 + random % 100;
  return good + std::string(size, static_cast<char>(number % 2 == 0 ? 0 : random >> 8));
}
std::string foreign(const std::string &good, std::size_t, std::uint64_t random) {
  std::string bytes(random % 3 == 0 ? 0 : random % (2 * good.size()), '\0');
  for (char &byte : bytes) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<char>(random >> 56);
  }
  return bytes;
}

// Flips a bit in each byte of headers and checksums, in the artifacts of a few programs: their sizes differ.
Status flip_edges(Subject &subject, const Backend &backend, const std::string &id) {
  constexpr std::size_t edge = 64;
  int programs = 4;
  for (const std::string &name : sample_program_names()) {
    BP_ASSIGN(const ir::Module module, sample_program(name));
    const auto compilation = programs > 0 ? compile_sample(subject, module) : Result<Compilation>(Compilation());
    if (!compilation.ok() || compilation->artifact.empty()) {
      continue;
    }
    --programs;
    std::string good = compilation->artifact;
    for (std::size_t i = 0; i < std::min(2 * edge, good.size()); ++i) {
      char &byte = good[i < edge ? i : good.size() - (i - edge) - 1];
      const char changed = static_cast<char>(1 << subject.seed_of(fmt::format("{}/{}/byte/{}", id, name, i)) % 8);
      byte ^= changed;
      BP_TRY(expect_refused(backend, compilation->module->view().allocations(), good));
      byte ^= changed;
    }
  }
  return {};
}

// Flips bits anywhere in an artifact that is much larger than those of samples.
Status flip_far_inside(Subject &subject, const Backend &backend, const std::string &id) {
  constexpr std::size_t instructions = 1030, trials = 60;
  for (const std::string_view chain : chain_names()) {
    BP_ASSIGN(const ir::Module module, chain_of(chain, instructions));
    const auto compilation = compile_sample(subject, module);
    if (!compilation.ok() || compilation->artifact.empty()) {
      continue;
    }
    const std::string &good = compilation->artifact;
    for (std::size_t i = 0; i < trials; ++i) {
      std::string bad = good;
      const std::uint64_t random = subject.seed_of(fmt::format("{}/{}/inside/{}", id, chain, i));
      const std::size_t place = good.size() * i / trials + random % (good.size() / trials + 1);
      bad[std::min(place, good.size() - 1)] ^= static_cast<char>(1 << (random >> 32) % 8);
      BP_TRY(expect_refused(backend, compilation->module->view().allocations(), bad));
    }
  }
  return {};
}

Result<Verdict> damage_artifacts(Subject &subject, const Damage &damage, std::size_t trials, const std::string &id) {
  BP_ASSIGN(const ir::Module module, first_supported_sample(subject));
  auto compilation = compile_sample(subject, module);
  if (!compilation.ok()) {
    return verdict_of_compilation(subject, module, compilation.error());
  }
  BP_ASSIGN(const Backend *backend, subject.backend());
  for (std::size_t i = 0; i < trials * (subject.is_full() ? 20 : 1); ++i) {
    const std::string bad = damage(compilation->artifact, i, subject.seed_of(fmt::format("{}/{}", id, i)));
    if (bad != compilation->artifact) {
      BP_TRY(expect_refused(*backend, compilation->module->view().allocations(), bad));
    }
  }
  if (id.ends_with("/flipped")) {
    BP_TRY(flip_edges(subject, *backend, id));
    BP_TRY(flip_far_inside(subject, *backend, id));
  }
  return verdict_of(still_works(*backend, module));
}

// The artifact is whole, but that of another module, with more allocations: it needs constants that there are not.
Result<Verdict> exchange_modules(Subject &subject) {
  BP_ASSIGN(const ir::Module module, first_supported_sample(subject));
  auto compilation = compile_sample(subject, module);
  if (!compilation.ok()) {
    return verdict_of_compilation(subject, module, compilation.error());
  }
  BP_ASSIGN(const Backend *backend, subject.backend());
  const auto allocations = compilation->module->view().allocations();
  for (const std::size_t missing : {std::size_t{1}, allocations.size()}) {
    BP_TRY(expect_refused(*backend, allocations, compilation->artifact, missing));
  }
  return verdict_of(still_works(*backend, module));
}

// Bytes that no compiler has made. A device that runs nothing refuses them, too.
Result<Verdict> load_anything(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  for (const std::size_t size : {0, 1, 7, 8, 64, 4096, 100'000}) {
    for (const std::uint64_t seed : {0, 1}) {
      std::string bytes(size, '\0');
      for (std::size_t i = 0; i < size && seed != 0; ++i) {
        bytes[i] = static_cast<char>(hash_of("foreign", subject.choice().seed + i));
      }
      BP_TRY(expect_refused(*backend, {}, bytes));
    }
  }
  return Verdict();
}

// A cache that has one artifact for every program.
struct OneArtifact final : compile::ArtifactCache {
  explicit OneArtifact(const std::string &artifact) : bytes(std::as_bytes(std::span(artifact))) {}
  std::optional<std::vector<std::byte>> find(const Key &) const override {
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  }
  Status store(const Key &, std::span<const std::byte>) override { return {}; }
  std::span<const std::byte> bytes;
};

// Whether results agree, except for rounding.
bool are_near(const Literal &found, const Literal &expected) {
  const auto comparisons = interpreter::compare(found, expected);
  return comparisons.ok() &&
         std::ranges::all_of(*comparisons, [](const auto &one) { return one.typical_error <= 1e-4; });
}

// Code for many processors has instructions for this that others lack.
constexpr std::string_view narrow_numbers = R"(HloModule narrow
ENTRY main {
  x = u8[16] parameter(0)  y = u8[16] parameter(1)  a = f16[64] parameter(2)  b = f16[64] parameter(3)
  s = u8[16] shift-left(x, y)  p = f16[64] multiply(a, b)  ROOT r = (u8[16], f16[64]) tuple(s, p)
}
)";

// Some targets round what they multiply.
constexpr std::string_view product = R"(HloModule product
ENTRY main {
  x = f32[64,64] parameter(0)  y = f32[64,64] parameter(1)  a = f32[64,64] sine(x)  b = f32[64,64] cosine(y)
  ROOT r = f32[64,64] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)";

// Runs a program by its artifact for another target.
Result<Literal> run_artifact(Subject &subject, const Backend &backend, const ir::Module &module,
                             const std::string &artifact) {
  OneArtifact cache(artifact);
  CompileOptions options;
  options.fold_constants = false;
  options.cache = &cache;
  BP_ASSIGN(const auto compiled, backend.compile(module, options));
  BP_ASSIGN(std::vector<Literal> arguments, interpreter::random_arguments(module, subject.seed_of("contract")));
  return compiled.executable.run(std::move(arguments));
}

// Artifacts that the same plugin made for other targets, each by one option. The device may take one if it runs the
// code, such as that for an older CPU: then the result must be right. Returns the number of other targets.
Result<std::size_t> exchange_targets_of(Subject &subject, const ir::Module &module) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  BP_ASSIGN(const Literal expected, run_alone(subject, *backend, module));
  const bp_device_desc_t &description = backend->device()->description();
  std::size_t others = 0;
  for (const bp_option_desc_t &option : std::span(description.options, description.option_count)) {
    for (const std::string &value : values_of_other_targets(option)) {
      const auto made = compile_sample(subject, module, {{option.key, value}});
      if (!made.ok() || made->target == backend->device()->target()) {
        continue;  // not a value of the option, or not one that makes another target
      }
      ++others;
      const auto result = run_artifact(subject, *backend, module, made->artifact);
      if (!result.ok() || !are_near(*result, expected)) {
        return make_error(
            ErrorCode::PluginFailure, "BP-LOAD-01: load() of an artifact made for \"{}\", with {}={}, on \"{}\": {}",
            made->target, option.key, value, backend->device()->target(),
            result.ok() ? "it is taken, and the result of the program is wrong" : result.error().to_string());
      }
    }
  }
  return others;
}

Result<Verdict> exchange_targets(Subject &subject) {
  BP_ASSIGN(const ir::Module module, first_supported_sample(subject));
  BP_ASSIGN(std::size_t others, exchange_targets_of(subject, module));
  for (const std::string_view text : {narrow_numbers, product}) {
    BP_ASSIGN(const ir::Module other, text::parse_module(text));
    if (subject.compile(other.name(), other).ok()) {
      BP_ASSIGN(const std::size_t more, exchange_targets_of(subject, other));
      others += more;
    }
  }
  return others > 0 ? Verdict()
                    : Verdict{.status = CaseStatus::Unsupported, .message = "no option makes another target"};
}

// A function of the device that writes to a stream.
using Writing = std::function<bp_status(const bp_ostream_t *stream, const bp_diag_t *diag)>;

// Refuses the first, second, ... write of the function, each with two statuses. Returns the number of its writes.
Result<int> refuse_each_write(const Writing &function, std::string_view name) {
  constexpr int most = 100;
  struct Stream {
    int writes = 0, refused_at = 0;
    bp_status answer = BP_OK;
    static bp_status write(const bp_ostream_t *stream, const void *, std::uint64_t) {
      auto &self = *static_cast<Stream *>(stream->ctx);
      return self.writes++ >= self.refused_at ? self.answer : bp_status{BP_OK};
    }
  };
  for (int refused_at = 0; refused_at < most; ++refused_at) {
    constexpr bp_status others[] = {BP_CANCELLED, BP_INVALID, BP_INTERNAL, BP_UNSUPPORTED};
    for (const bp_status answer : {bp_status{BP_NO_MEMORY}, others[refused_at % std::ssize(others)]}) {
      Stream stream{0, refused_at, answer};
      const bp_ostream_t abi{&stream, &Stream::write};
      host::Diagnostics diagnostics;
      const bp_status status = diagnostics.call([&](const bp_diag_t *diag) { return function(&abi, diag); });
      if (stream.writes <= refused_at && status == BP_OK) {
        return refused_at;  // there are no more writes
      }
      if (status != answer || stream.writes != refused_at + 1) {
        return make_error(ErrorCode::PluginFailure,
                          "BP-STREAM-01: write {} returned \"{}\"; {} made {} more writes and returned \"{}\", "
                          "expected none and the same status",
                          refused_at + 1, host::status_name(answer), name, stream.writes - refused_at - 1,
                          host::status_name(status));
      }
    }
  }
  return most;
}

Result<Verdict> with_refusing_stream(Subject &subject) {
  BP_ASSIGN(const ir::Module module, first_supported_sample(subject));
  auto compilation = compile_sample(subject, module);
  if (!compilation.ok()) {
    return verdict_of_compilation(subject, module, compilation.error());
  }
  BP_ASSIGN(const Backend *backend, subject.backend());
  const host::Device &device = *backend->device();
  BP_TRY(refuse_each_write(
      [&](const bp_ostream_t *stream, const bp_diag_t *diag) {
        return device.compiler()->compile(device.abi(), compilation->module->view().image(), stream, diag);
      },
      "compile()"));
  return verdict_of(still_works(*backend, module));
}

// Refuses the bytes of preferences() or rewrite() about samples and contractions, until some were written for a few.
Result<Verdict> with_refusing_stream_of(Subject &subject, bool is_rewrite) {
  constexpr int enough = 3;
  BP_ASSIGN(const Backend *backend, subject.backend());
  const host::Device &device = *backend->device();
  int written = 0;
  std::vector<ir::Module> modules = contractions();
  for (const std::string &name : sample_program_names()) {
    BP_ASSIGN(ir::Module module, sample_program(name));
    modules.push_back(std::move(module));
  }
  for (const ir::Module &module : modules) {
    const auto image = host::build_image(module, host::Stage::Legalize);
    if (!image.ok()) {
      continue;  // it has sizes for which no image can be built
    }
    BP_ASSIGN(const int writes,
              refuse_each_write(
                  [&](const bp_ostream_t *stream, const bp_diag_t *diag) {
                    return is_rewrite ? device.rewrite()->rewrite(device.abi(), 0, image->module(), stream, diag)
                                      : device.layout()->preferences(device.abi(), image->module(), stream, diag);
                  },
                  is_rewrite ? "rewrite()" : "preferences()"));
    written += writes > 0 ? 1 : 0;
    if (written == enough) {
      break;
    }
  }
  return written > 0
             ? Verdict()
             : Verdict{.status = CaseStatus::Unsupported, .message = "the device writes nothing about any sample"};
}

// BP-ALLOC-01: with a block that is too large for any machine, and with many small ones where the capacity is known.
Result<Verdict> run_out_of_memory(Subject &subject) {
  BP_ASSIGN(const ir::Module module, first_supported_sample(subject));
  BP_ASSIGN(const Backend *backend, subject.backend());
  const host::Device &device = *backend->device();
  for (std::uint32_t space = 0; space < device.memory()->space_count; ++space) {
    const std::uint64_t capacity = device.memory()->spaces[space].capacity;
    // More than any machine has. The capacity only limits what may be planned; scratch memory comes on top.
    constexpr std::uint64_t too_much = std::uint64_t{1} << 50;
    for (std::uint64_t size : {too_much, ~std::uint64_t{0}, ~std::uint64_t{0} - 63}) {
      bp_memory_t piece{};
      host::Diagnostics diagnostics;
      const bp_status status = diagnostics.call(
          [&](const bp_diag_t *diag) { return device.memory()->alloc(device.abi(), space, size, 64, &piece, diag); });
      if (status != BP_NO_MEMORY) {
        return failure(fmt::format("BP-ALLOC-01: alloc of {} bytes returns {}, expected out of memory", size,
                                   host::status_name(status)));
      }
      if (piece.memory != 0) {
        return failure("BP-ALLOC-01: an alloc that fails writes its result");
      }
    }
    // Released memory can be allocated again.
    for (int i = 0; capacity > 0 && i < 40; ++i) {
      BP_ASSIGN(const runtime::Block piece, runtime::Block::allocate_on(device, space, capacity / 4));
    }
    // Memory that lasts for one run exists once for each prepared run, so only shared memory is limited by the
    // capacity.
    const bool is_shared = (device.memory()->spaces[space].flags & BP_SPACE_PER_RUN) == 0;
    if (is_shared && capacity > 0 && capacity <= std::uint64_t{1} << 32) {
      std::vector<runtime::Block> pieces;
      const std::uint64_t size = std::max<std::uint64_t>(capacity / 16, 64);
      for (int i = 0; i < 80; ++i) {
        auto piece = runtime::Block::allocate_on(device, space, size);
        if (!piece.ok()) {
          break;
        }
        pieces.push_back(std::move(piece).value());
      }
      if (pieces.size() > 64) {
        return failure(
            fmt::format("BP-ALLOC-01: space {} of {} bytes has allocated {} pieces of {} bytes, more than it has",
                        space, capacity, pieces.size(), size));
      }
    }
  }
  return verdict_of(still_works(*backend, module));
}

// BP-HOST-01: a service that is available at one request and not at the next.
Result<Verdict> with_failing_services(Subject &subject) {
  BP_ASSIGN(const ir::Module module, first_supported_sample(subject));
  BP_ASSIGN(const Backend *backend, subject.backend());
  BP_ASSIGN(const Literal expected, run_alone(subject, *backend, module));
  const auto failing = std::make_shared<layers::Failure>();
  failing->function = layers::Function::host_get_extension;
  for (std::uint64_t question = 1; question < 100; ++question) {
    failing->calls = 0;
    failing->call = question;
    BP_ASSIGN(const Backend without, load_under(subject, layers::failure_layer(failing)));
    BP_ASSIGN(const Literal found, run_alone(subject, without, module));
    if (!found.identical(expected)) {
      return failure(
          fmt::format("BP-HOST-01: the result differs in bits if request {} for a service returns null", question));
    }
    if (!failing->has_struck()) {
      break;  // there are no more requests
    }
  }
  return Verdict();
}

struct Kind {
  std::string_view name;
  Damage damage;
  std::size_t trials;
};
const Kind kinds[] = {{"truncated", truncated, 280}, {"flipped", flipped, 400},
                      {"exchanged", exchanged, 48},  {"lost", lost, 48},
                      {"extended", extended, 24},    {"foreign", foreign, 24}};

constexpr std::pair<std::string_view, std::string_view> other_streams[] = {
    {"bp.rewrite/1", "faults/stream/rewrite"}, {"bp.layout/draft-1", "faults/stream/preferences"}};

struct ArtifactCase {
  std::string_view id;
  Result<Verdict> (*run)(Subject &subject);
};
constexpr ArtifactCase artifact_cases[] = {{"faults/artifact/target", exchange_targets},
                                           {"faults/artifact/module", exchange_modules},
                                           {"faults/artifact/anything", load_anything}};

std::vector<std::string> list_faults(const Subject &subject) {
  std::vector<std::string> ids;
  if (!subject.is_interpreter()) {
    ids.emplace_back("faults/BP-HOST-01/services");
  }
  if (subject.has("bp.compiler/1")) {
    for (const Kind &kind : kinds) {
      ids.push_back(fmt::format("faults/artifact/{}", kind.name));
    }
    for (const ArtifactCase &one : artifact_cases) {
      ids.emplace_back(one.id);
    }
    ids.emplace_back("faults/stream");
  }
  for (const auto &[extension, id] : other_streams) {
    if (subject.has(extension)) {
      ids.emplace_back(id);
    }
  }
  if (subject.has("bp.memory/1") && subject.has("bp.compiler/1")) {
    ids.emplace_back("faults/memory");
  }
  for (const std::string &call : failing_calls(subject)) {
    ids.push_back("faults/" + call);
  }
  return ids;
}

Verdict run_faults(Subject &subject, const std::string &id) {
  std::optional<Result<Verdict>> verdict;
  if (id == "faults/stream") {
    verdict = with_refusing_stream(subject);
  } else if (id.starts_with("faults/stream/")) {
    verdict = with_refusing_stream_of(subject, id == other_streams[0].second);
  } else if (id == "faults/BP-HOST-01/services") {
    verdict = with_failing_services(subject);
  } else if (id == "faults/memory") {
    verdict = run_out_of_memory(subject);
  }
  for (const ArtifactCase &one : artifact_cases) {
    if (id == one.id) {
      verdict = one.run(subject);
    }
  }
  for (const Kind &kind : kinds) {
    if (id == fmt::format("faults/artifact/{}", kind.name)) {
      verdict = damage_artifacts(subject, kind.damage, kind.trials, id);
    }
  }
  return verdict_or_error(verdict ? *verdict : run_with_failing_call(subject, id.substr(id.find('/') + 1)));
}

constexpr RuleCases rules_of_faults[] = {
    {"BP-LOAD-01", "faults/artifact/*"},
    {"BP-STREAM-01", "faults/stream"},
    {"BP-STREAM-01", "faults/stream/rewrite", "bp.rewrite/1"},
    {"BP-STREAM-01", "faults/stream/preferences", "bp.layout/draft-1"},
    {"BP-ALLOC-01", "faults/memory"},
    {"BP-ALLOC-01", "faults/alloc/*", "bp.memory/1"},
    {"BP-STATUS-02", "faults/memory"},
    {"BP-STATUS-03", "faults/lost/*"},
    {"BP-DEVICE-03", "faults/lost/*"},
};

}  // namespace

const Stage faults_stage = {
    .name = "faults",
    .summary = "damaged artifacts, streams that refuse bytes, memory that runs out, and calls that fail",
    .list = list_faults,
    .run = run_faults,
    .rules = rules_of_faults};

}  // namespace bp::conformance
