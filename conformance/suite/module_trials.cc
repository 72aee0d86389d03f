// The plugin with other modules and in other circumstances: with ids that it cannot know, compiled a second time,
// compiled offline, rewritten.
#include <fmt/format.h>

#include <algorithm>

#include "conformance/images/altered_image.h"
#include "conformance/suite/contract_trials.h"
#include "conformance/suite/direct_program.h"
#include "conformance/suite/sample_programs.h"
#include "conformance/suite/stage.h"
#include "core/host/diagnostics.h"
#include "core/interpreter/random_inputs.h"
#include "core/layers/interposer.h"

namespace bp::conformance {
namespace {

// --- BP-LAW-05, BP-MODULE-07: sections, hints and attributes of a later opset ---

constexpr std::uint32_t unknown_section = 0xbadc0de;
constexpr std::uint16_t unknown_hint = 0xfffe, unknown_attribute = 0x7ffe;

// Compares the claims for the samples with those for the samples changed by `alter`. `fits`: whether the second claim
// is right, given the first.
Result<Verdict> ask_altered(Subject &subject, void (*alter)(AlteredImage &), bool (*fits)(bool plain, bool altered),
                            std::string_view wrong) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  const host::Device &device = *backend->device();
  bool any_claimed = false;
  for (const char *name : {"chain", "in_place_f32", "in_place", "several_results"}) {
    BP_ASSIGN(const ir::Module module, sample_program(name));
    BP_ASSIGN(const host::Image image, host::build_image(module, host::Stage::Legalize));
    AlteredImage altered(image.module());
    alter(altered);
    const bp_module_t *changed = altered.module();
    BP_TRY(host::validate_image(altered.bytes()));
    BP_ASSIGN(const std::vector<bool> plain, claims_of(device, image.module()));
    BP_ASSIGN(const std::vector<bool> found, claims_of(device, changed));
    for (std::uint32_t i = 0; i < plain.size(); ++i) {
      if (!is_asked(changed, i)) {
        continue;
      }
      any_claimed |= plain[i];
      if (!fits(plain[i], found[i])) {
        return failure(
            fmt::format("{} is {}claimed {}", image.view().instruction(i).name(), found[i] ? "" : "not ", wrong));
      }
    }
  }
  return any_claimed ? Verdict() : nothing_to_do();
}

bool is_same(bool plain, bool altered) {
  return plain == altered;
}
bool is_refused(bool, bool altered) {
  return !altered;
}

Verdict skips_unknown_sections(Subject &subject) {
  return verdict_or_error(ask_altered(
      subject, [](AlteredImage &image) { image.add_section(unknown_section); }, is_same,
      "if the module has a section with an unknown id (BP-LAW-05)"));
}
Verdict skips_unknown_hints(Subject &subject) {
  return verdict_or_error(ask_altered(
      subject, [](AlteredImage &image) { image.add_attribute(unknown_hint); }, is_same,
      "if it has a hint with an unknown id (BP-MODULE-07)"));
}
Verdict refuses_unknown_attributes(Subject &subject) {
  return verdict_or_error(ask_altered(
      subject, [](AlteredImage &image) { image.add_attribute(unknown_attribute); }, is_refused,
      "though it has an attribute with an unknown id that is not a hint (BP-MODULE-07)"));
}

// --- BP-COMPILE-01, BP-COMPILE-02: compiled again, and offline ---

struct CompileTrial {
  ir::Module module;
  std::vector<Literal> arguments;
  const Backend *backend;
};

Result<CompileTrial> make_trial(Subject &subject) {
  BP_ASSIGN(ir::Module module, first_supported_sample(subject));
  BP_ASSIGN(std::vector<Literal> arguments, interpreter::random_arguments(module, subject.seed_of("compile")));
  BP_ASSIGN(const Backend *backend, subject.backend());
  return CompileTrial{std::move(module), std::move(arguments), backend};
}

Result<DirectProgram::Outputs> run_directly(const Backend &backend, const CompileTrial &trial) {
  BP_ASSIGN(const auto parts, DirectParts::compile(backend.device(), trial.module));
  if (parts == nullptr) {
    return make_error(ErrorCode::Unsupported, "the core leaves nothing for the device to do");
  }
  BP_ASSIGN(const auto program, DirectProgram::load(backend.device(), parts));
  return program->run(trial.arguments, {});
}

// Another program is compiled in between.
Result<Verdict> compiles_reproducibly(Subject &subject) {
  BP_ASSIGN(const CompileTrial trial, make_trial(subject));
  BP_ASSIGN(const DirectProgram::Outputs first, run_directly(*trial.backend, trial));
  for (const char *name : {"in_place", "in_place_f32", "chain", "donation"}) {
    BP_ASSIGN(const ir::Module other, sample_program(name));
    static_cast<void>(DirectParts::compile(trial.backend->device(), other));
  }
  BP_ASSIGN(const DirectProgram::Outputs second, run_directly(*trial.backend, trial));
  return first == second
             ? Verdict()
             : failure("BP-COMPILE-01: the result of a program compiled again, after others, differs in bits");
}
Verdict compiles_purely(Subject &subject) {
  return verdict_or_error(compiles_reproducibly(subject));
}

// Compiles on another device.
struct Elsewhere final : layers::Interposer {
  Elsewhere(std::unique_ptr<host::Entry> below, const host::Device &other)
      : Interposer(std::move(below)), other_(other) {}
  bp_status compiler_compile(layers::LayeredDevice &, const bp_module_t *module, const bp_ostream_t *artifact,
                             const bp_diag_t *diag) override {
    return other_.compiler()->compile(other_.abi(), module, artifact, diag);
  }
  const host::Device &other_;
};

Result<std::unique_ptr<host::Device>> make_offline(const Subject &subject) {
  BP_ASSIGN(auto plugin, host::Plugin::load(subject.candidate(), host::AfterUse::KeepMapped, subject.layers()));
  host::DeviceOptions options;
  options.instance = BP_NONE;
  options.settings = subject.choice().settings;
  options.host.log = [](std::uint32_t, std::string_view) {};
  return host::Device::create(std::move(plugin), subject.device_id(), std::move(options));
}

Result<Verdict> compiles_elsewhere(Subject &subject) {
  BP_ASSIGN(const CompileTrial trial, make_trial(subject));
  BP_ASSIGN(const DirectProgram::Outputs expected, run_directly(*trial.backend, trial));
  const auto offline = make_offline(subject);
  if (!offline.ok()) {
    return failure("BP-COMPILE-02: " + offline.error().to_string());
  }
  BP_ASSIGN(const Backend backend, load_under(subject, [&](std::unique_ptr<host::Entry> below) {
              return std::make_unique<Elsewhere>(std::move(below), **offline);
            }));
  const auto found = run_directly(backend, trial);
  if (!found.ok()) {
    return failure("BP-COMPILE-02: compiled offline: " + found.error().to_string());
  }
  return *found == expected ? Verdict()
                            : failure("BP-COMPILE-02: the result of a program compiled offline differs in bits");
}
Verdict compiles_offline(Subject &subject) {
  return verdict_or_error(compiles_elsewhere(subject));
}

// --- BP-REWRITE-01, BP-REWRITE-02 ---

struct StreamBytes {
  bp_ostream_t abi{this, &StreamBytes::write};
  host::Image::Storage bytes;
  static bp_status write(const bp_ostream_t *stream, const void *data, std::uint64_t size) {
    auto &self = *static_cast<StreamBytes *>(stream->ctx);
    const auto *from = static_cast<const std::byte *>(data);
    self.bytes.insert(self.bytes.end(), from, from + size);
    return BP_OK;
  }
};

// Describes the parameters and results of the entry.
std::string signature(const bp_module_t *module) {
  const plugin::Computation entry = plugin::ModuleView(module).entry();
  std::string text;
  const auto add = [&](plugin::Value value) {
    text += fmt::format("{}:", value.shape().dtype());
    for (const std::int64_t size : value.shape().dims()) {
      text += fmt::format("{},", size);
    }
    text += " ";
  };
  for (const plugin::Value value : entry.parameters()) {
    add(value);
  }
  text += "-> ";
  for (const plugin::Value value : entry.roots()) {
    add(value);
  }
  return text;
}

Result<Verdict> rewrites(Subject &subject, Verdict (*judge)(const bp_module_t *module, const StreamBytes &first,
                                                            const StreamBytes &second)) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  const host::Device &device = *backend->device();
  for (const char *name : {"chain", "loop", "in_place_f32", "several_results"}) {
    BP_ASSIGN(const ir::Module module, sample_program(name));
    BP_ASSIGN(const host::Image image, host::build_image(module, host::Stage::Legalize));
    for (const std::uint32_t phase : {0u, std::uint32_t{BP_STAGE_LEGALIZE}}) {
      StreamBytes answers[2];
      for (StreamBytes &answer : answers) {
        host::Diagnostics diagnostics;
        const bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
          return device.rewrite()->rewrite(device.abi(), phase, image.module(), &answer.abi, diag);
        });
        BP_TRY(diagnostics.result(status, device.id(), "rewrite", image.module()));
      }
      if (Verdict verdict = judge(image.module(), answers[0], answers[1]); verdict.status != CaseStatus::Pass) {
        return verdict;
      }
    }
  }
  return Verdict();
}

Verdict rewrites_purely(Subject &subject) {
  return verdict_or_error(
      rewrites(subject, [](const bp_module_t *, const StreamBytes &first, const StreamBytes &second) {
        return first.bytes == second.bytes ? Verdict()
                                           : failure("BP-REWRITE-01: rewrite gives different answers for one module");
      }));
}
Verdict rewrites_keep_the_signature(Subject &subject) {
  return verdict_or_error(
      rewrites(subject, [](const bp_module_t *module, const StreamBytes &first, const StreamBytes &) {
        if (first.bytes.empty()) {
          return Verdict();
        }
        if (const Status valid = host::validate_image(first.bytes); !valid.ok()) {
          return failure("BP-REWRITE-02: " + valid.error().message());
        }
        const std::string before = signature(module);
        const std::string after = signature(reinterpret_cast<const bp_module_t *>(first.bytes.data()));
        return before == after ? Verdict()
                               : failure(fmt::format("BP-REWRITE-02: the entry was {}, and is {}", before, after));
      }));
}

constexpr ContractTrial module_table[] = {
    {"BP-LAW-05", "", skips_unknown_sections},
    {"BP-MODULE-07/hint", "", skips_unknown_hints},
    {"BP-MODULE-07/attribute", "", refuses_unknown_attributes},
    {"BP-COMPILE-01", "bp.compiler/1", compiles_purely},
    {"BP-COMPILE-02", "bp.compiler/1", compiles_offline},
    {"BP-REWRITE-01", "bp.rewrite/1", rewrites_purely},
    {"BP-REWRITE-02", "bp.rewrite/1", rewrites_keep_the_signature},
};

}  // namespace

const std::span<const ContractTrial> module_trials = module_table;

}  // namespace bp::conformance
