// Faults: artifacts that are truncated, damaged or foreign, streams that refuse, memory that runs out, services that
// are missing, calls that fail, devices that are lost. The plugin must report them and continue to work.
#include <fmt/format.h>

#include <functional>
#include <optional>

#include "conformance/suite/contract_trials.h"
#include "conformance/suite/failing_calls.h"
#include "conformance/suite/sample_programs.h"
#include "conformance/suite/stage.h"
#include "core/host/diagnostics.h"
#include "core/layers/artifacts.h"
#include "core/layers/failures.h"
#include "core/layers/interposer.h"
#include "core/text/parser.h"

namespace bp::conformance {
namespace {

constexpr int trials_per_kind = 24;

// The artifact of a compilation, and a copy of the module image it was made from.
struct Compilation {
  std::string artifact;
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
    last_ = {tee.bytes(), std::make_shared<const layers::ModuleCopy>(module)};
    return status;
  }

 private:
  Compilation &last_;
};

Result<Compilation> compile_sample(Subject &subject, const ir::Module &module) {
  Compilation last;
  BackendOptions options = subject.backend_options();
  options.layers.push_back(
      [&last](std::unique_ptr<host::Entry> below) { return std::make_unique<Recorder>(std::move(below), last); });
  BP_ASSIGN(const Backend backend, Backend::load(subject.choice().name, options));
  CompileOptions compile_options;
  compile_options.device_only = true;
  compile_options.fold_constants = false;
  BP_ASSIGN(const Compiled compiled, backend.compile(module, compile_options));
  return last;
}

// Checks that the device still works as before.
Status still_works(const Backend &backend, const ir::Module &module) {
  BP_ASSIGN([[maybe_unused]] const Literal result, run_on_device(backend, module));
  return {};
}

// BP-LOAD-01.
Status expect_refused(const Backend &backend, const Compilation &compilation, const std::string &artifact) {
  const host::Device &device = *backend.device();
  const auto count = static_cast<std::uint32_t>(compilation.module->view().allocations().size());
  std::vector<runtime::Block> blocks(count);
  std::vector<bp_loc_t> constants(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const bp_allocation_t &allocation = compilation.module->view().allocations()[i];
    if (allocation.kind == BP_ALLOC_CONSTANT) {
      const std::uint64_t size = std::max<std::uint64_t>(allocation.size, 1);
      BP_ASSIGN(blocks[i], device.memory() == nullptr ? runtime::Block::allocate(size)
                                                      : runtime::Block::allocate_on(device, allocation.space, size));
      constants[i] = blocks[i].location();
    }
  }
  std::vector<std::uint8_t> taken(count);
  const bp_program_t *program = nullptr;
  host::Diagnostics diagnostics;
  // A copy of its own, so that memory checkers detect reads past the end.
  const std::vector<char> bytes(artifact.begin(), artifact.end());
  const bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
    return device.compiler()->load(device.abi(), bytes.data(), bytes.size(), constants.data(), taken.data(), count,
                                   &program, diag);
  });
  if (status == BP_OK && program != nullptr) {
    program->destroy(program);
  }
  if (status != BP_INVALID) {
    return make_error(ErrorCode::PluginFailure, "BP-LOAD-01: load() returns {}, expected invalid",
                      host::status_name(status));
  }
  return {};
}

using Damage = std::function<std::string(const std::string &good, std::uint64_t random)>;

std::string truncated(const std::string &good, std::uint64_t random) {
  return good.substr(0, random % good.size());
}
std::string flipped(const std::string &good, std::uint64_t random) {
  std::string bad = good;
  bad[random % good.size()] ^= static_cast<char>(1 << (random >> 32) % 8);
  return bad;
}
std::string extended(const std::string &good, std::uint64_t random) {
  return good + std::string(1 + random % 100, static_cast<char>(random >> 8));
}
// Bytes that have the same sum, and the same exclusive or, as before.
std::string swapped(const std::string &good, std::uint64_t random) {
  std::string bad = good;
  const std::size_t width = random % 3 == 0 ? 1 : random % 3 == 1 ? 4 : 8;
  const std::size_t words = std::max<std::size_t>(good.size() / width, 1);
  const std::size_t first = (random >> 8) % words * width, second = (random >> 36) % words * width;
  if (first != second && good.size() >= width) {
    std::swap_ranges(bad.begin() + static_cast<std::ptrdiff_t>(first),
                     bad.begin() + static_cast<std::ptrdiff_t>(first + width),
                     bad.begin() + static_cast<std::ptrdiff_t>(second));
  }
  return bad;
}
std::string foreign(const std::string &good, std::uint64_t random) {
  std::string bytes(random % 3 == 0 ? 0 : random % (2 * good.size()), '\0');
  for (char &byte : bytes) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<char>(random >> 56);
  }
  return bytes;
}

Result<Verdict> damage_artifacts(Subject &subject, const Damage &damage, const std::string &id) {
  BP_ASSIGN(const ir::Module module, first_supported_sample(subject));
  auto compilation = compile_sample(subject, module);
  if (!compilation.ok()) {
    return verdict_of_compilation(subject, module, compilation.error());
  }
  BP_ASSIGN(const Backend *backend, subject.backend());
  for (int i = 0; i < trials_per_kind * (subject.is_full() ? 20 : 1); ++i) {
    // One trial in three is at the beginning, and one at the end, where headers and checksums are.
    constexpr std::size_t edge = 64;
    const std::string &good = compilation->artifact;
    const std::size_t part = i % 3 == 0 || good.size() < 3 * edge ? good.size() : edge;
    const std::size_t begin = i % 3 == 1 ? 0 : good.size() - part;
    const std::string bad = good.substr(0, begin) +
                            damage(good.substr(begin, part), subject.seed_of(fmt::format("{}/{}", id, i))) +
                            good.substr(begin + part);
    if (bad != compilation->artifact) {
      BP_TRY(expect_refused(*backend, *compilation, bad));
    }
  }
  // Each byte of headers and checksums.
  constexpr std::size_t edge = 64;
  std::string good = compilation->artifact;
  for (std::size_t i = 0; id.ends_with("/flipped") && i < std::min(2 * edge, good.size()); ++i) {
    char &byte = good[i < edge ? i : good.size() - (i - edge) - 1];
    const char changed = static_cast<char>(1 << subject.seed_of(fmt::format("{}/byte/{}", id, i)) % 8);
    byte ^= changed;
    BP_TRY(expect_refused(*backend, *compilation, good));
    byte ^= changed;
  }
  return verdict_of(still_works(*backend, module));
}

Result<Verdict> with_refusing_stream(Subject &subject) {
  BP_ASSIGN(const ir::Module module, first_supported_sample(subject));
  auto compilation = compile_sample(subject, module);
  if (!compilation.ok()) {
    return verdict_of_compilation(subject, module, compilation.error());
  }
  struct Stream {
    int writes = 0, refused_at = 0;
    bp_status answer = BP_NO_MEMORY;
    static bp_status write(const bp_ostream_t *stream, const void *, std::uint64_t) {
      auto &self = *static_cast<Stream *>(stream->ctx);
      return self.writes++ >= self.refused_at ? self.answer : BP_OK;
    }
  };
  BP_ASSIGN(const Backend *backend, subject.backend());
  const host::Device &device = *backend->device();
  const bp_module_t *compiled = compilation->module->view().image();
  // Programs for which devices have wishes: products of matrices.
  std::vector<host::Image> questions;
  for (const auto &[type, sum] : {std::pair{"f32", "f32"}, {"bf16", "f32"}, {"s8", "s32"}}) {
    BP_ASSIGN(const ir::Module product,
              text::parse_module(fmt::format("ENTRY main {{ x = {0}[48,96] parameter(0)  y = {0}[96,80] parameter(1)  "
                                             "ROOT r = {1}[48,80] dot(x, y), lhs_contracting_dims={{1}}, "
                                             "rhs_contracting_dims={{0}} }}",
                                             type, sum)));
    BP_ASSIGN(host::Image question, host::build_image(product, host::Stage::Legalize));
    questions.push_back(std::move(question));
  }
  using Produce = std::function<bp_status(const bp_ostream_t *stream, const bp_diag_t *diag)>;
  std::vector<std::pair<std::string_view, Produce>> producers = {{"compile", [&](const auto *stream, const auto *diag) {
                                                                    return device.compiler()->compile(
                                                                        device.abi(), compiled, stream, diag);
                                                                  }}};
  for (const host::Image &question : questions) {
    if (device.layout() != nullptr) {
      producers.emplace_back("preferences", [&](const auto *stream, const auto *diag) {
        return device.layout()->preferences(device.abi(), question.module(), stream, diag);
      });
    }
    if (device.rewrite() != nullptr) {
      producers.emplace_back("rewrite", [&](const auto *stream, const auto *diag) {
        return device.rewrite()->rewrite(device.abi(), BP_STAGE_LEGALIZE, question.module(), stream, diag);
      });
    }
  }
  for (const auto &[name, produce] : producers) {
    for (int refused_at = 0; refused_at < 100; ++refused_at) {
      constexpr bp_status answers[] = {BP_NO_MEMORY, BP_CANCELLED};
      Stream stream{0, refused_at, BP_OK};
      for (const bp_status answer : answers) {
        stream = {0, refused_at, answer};
        const bp_ostream_t abi{&stream, &Stream::write};
        host::Diagnostics diagnostics;
        const bp_status status = diagnostics.call([&](const bp_diag_t *diag) { return produce(&abi, diag); });
        if (stream.writes <= refused_at && status == BP_OK) {
          break;  // there are no more writes
        }
        if (status != answer || stream.writes != refused_at + 1) {
          return failure(
              fmt::format("BP-STREAM-01: write {} returned \"{}\"; {}() made {} more writes and returned "
                          "\"{}\", expected none and the same status",
                          refused_at + 1, host::status_name(answer), name, stream.writes - refused_at - 1,
                          host::status_name(status)));
        }
      }
      if (stream.writes <= refused_at) {
        break;
      }
    }
  }
  return verdict_of(still_works(*backend, module));
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
};
const Kind kinds[] = {
    {"truncated", truncated}, {"flipped", flipped}, {"extended", extended}, {"swapped", swapped}, {"foreign", foreign}};

std::vector<std::string> list_faults(const Subject &subject) {
  std::vector<std::string> ids;
  if (!subject.is_interpreter()) {
    ids.emplace_back("faults/BP-HOST-01/services");
  }
  if (subject.has("bp.compiler/1")) {
    for (const Kind &kind : kinds) {
      ids.push_back(fmt::format("faults/artifact/{}", kind.name));
    }
    ids.emplace_back("faults/stream");
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
  } else if (id == "faults/BP-HOST-01/services") {
    verdict = with_failing_services(subject);
  } else if (id == "faults/memory") {
    verdict = run_out_of_memory(subject);
  }
  for (const Kind &kind : kinds) {
    if (id == fmt::format("faults/artifact/{}", kind.name)) {
      verdict = damage_artifacts(subject, kind.damage, id);
    }
  }
  return verdict_or_error(verdict ? *verdict : run_with_failing_call(subject, id.substr(id.find('/') + 1)));
}

constexpr RuleCases rules_of_faults[] = {
    {"BP-LOAD-01", "faults/artifact/*"}, {"BP-STREAM-01", "faults/stream"},
    {"BP-ALLOC-01", "faults/memory"},    {"BP-ALLOC-01", "faults/alloc/*", "bp.memory/1"},
    {"BP-STATUS-02", "faults/memory"},   {"BP-STATUS-03", "faults/lost/*"},
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
