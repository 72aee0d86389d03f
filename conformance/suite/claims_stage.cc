// Claims under stress: when claims are denied at random, every kind of border between device and host occurs, with its
// copies; and the answer for an instruction must not depend on its neighbours (BP-CLAIM-02, BP-FIND-02).
#include <fmt/format.h>

#include "conformance/suite/sample_programs.h"
#include "conformance/suite/stage.h"
#include "core/compile/claims.h"
#include "core/interpreter/compare.h"
#include "core/interpreter/interpreter.h"
#include "core/interpreter/random_inputs.h"
#include "core/layers/interposer.h"

namespace bp::conformance {
namespace {

// Withdraws about half of the plugin's claims: chosen by the instruction's op and number of operands, so that the
// remaining answers are still pure and local.
class Denial final : public layers::Interposer {
 public:
  Denial(std::unique_ptr<host::Entry> below, std::uint64_t seed) : Interposer(std::move(below)), seed_(seed) {}

  bp_status compiler_claim(layers::LayeredDevice &device, const bp_module_t *module, float *cost_ns,
                           const bp_diag_t *diag) override {
    const bp_status status = Interposer::compiler_claim(device, module, cost_ns, diag);
    for (const plugin::Instruction instruction : plugin::ModuleView(module).instructions()) {
      if (is_denied(instruction)) {
        cost_ns[instruction.index()] = -1;
      }
    }
    return status;
  }
  bp_kernel kernels_find(layers::LayeredDevice &device, const bp_module_t *module, std::uint32_t instr,
                         const bp_diag_t *diag) override {
    return is_denied(plugin::ModuleView(module).instruction(instr))
               ? nullptr
               : Interposer::kernels_find(device, module, instr, diag);
  }

 private:
  bool is_denied(plugin::Instruction instruction) const {
    return hash_of(fmt::format("{}/{}", instruction.op(), instruction.operand_count()), seed_) % 2 == 0;
  }

  std::uint64_t seed_;
};

Status expect_agreement(const Literal &found, const Literal &expected) {
  BP_ASSIGN(const std::vector<interpreter::Comparison> comparisons, interpreter::compare(found, expected));
  for (const interpreter::Comparison &comparison : comparisons) {
    if (!(comparison.typical_error <= 1e-5)) {
      return make_error(ErrorCode::PluginFailure, "{}", to_string(comparison));
    }
  }
  return {};
}

Result<Verdict> deny(Subject &subject, const std::string &name, const std::string &id) {
  BP_ASSIGN(const ir::Module module, sample_program(name));
  BackendOptions options = subject.backend_options();
  options.layers.push_back([seed = subject.seed_of(id)](std::unique_ptr<host::Entry> below) {
    return std::make_unique<Denial>(std::move(below), seed);
  });
  BP_ASSIGN(const Backend backend, Backend::load(subject.choice().name, options));
  CompileOptions all_kept;
  all_kept.fold_constants = false;
  BP_ASSIGN(const Compiled compiled, backend.compile(module, all_kept));
  if (compiled.report.programs == 0) {
    return nothing_to_do();
  }
  BP_ASSIGN(const std::vector<Literal> arguments, interpreter::random_arguments(module, subject.seed_of(name)));
  BP_ASSIGN(const Literal found, compiled.executable.run(arguments));
  BP_ASSIGN(const Literal expected, interpreter::interpret(module, arguments));
  return verdict_of(expect_agreement(found, expected));
}

// Returns a module with the same entry, but another module name and additional instructions that the others do not use.
ir::Module with_unrelated_instructions(const ir::Module &module) {
  ir::Module changed = module;
  changed.set_name("neighbours");
  const ir::ComputationId entry = changed.entry().id();
  const ir::Shape shape = ir::Shape::array(ir::ElementType::F32, {3});
  const auto number = static_cast<std::int64_t>(changed.entry().parameter_ids().size());
  const ir::InstructionId x = changed.add_parameter(entry, number, shape, "neighbour");
  // An odd number of additional instructions.
  const ir::InstructionId operands[] = {x};
  const ir::InstructionId negated[] = {changed.add_instruction(entry, ir::Opcode::Negate, shape, operands)};
  changed.add_instruction(entry, ir::Opcode::Negate, shape, negated);
  return changed;
}

Result<Verdict> is_local(Subject &subject, const std::string &name) {
  BP_ASSIGN(const ir::Module module, sample_program(name));
  const ir::Module changed = with_unrelated_instructions(module);
  BP_ASSIGN(const Backend *backend, subject.backend());
  std::vector<bool> claimed[2];
  for (int i = 0; i < 2; ++i) {
    const ir::Module &asked = i == 0 ? module : changed;
    const auto image = host::build_image(asked, host::Stage::Legalize);
    if (!image.ok()) {
      return nothing_to_do();  // it has sizes for which no image can be built
    }
    BP_ASSIGN(const compile::Claims claims, compile::ask(*backend->device(), asked, *image));
    claimed[i] = claims.claimed;
  }
  for (const ir::Instruction i : module.entry().instructions()) {
    if (compile::is_claimable(i.opcode()) && claimed[0][index(i.id())] != claimed[1][index(i.id())]) {
      return failure(fmt::format("{} is {}claimed, but {}claimed in a module with an additional, unrelated instruction",
                                 i.name(), claimed[0][index(i.id())] ? "" : "not ",
                                 claimed[0][index(i.id())] ? "not " : ""));
    }
  }
  return Verdict();
}

std::vector<std::string> list_claims(const Subject &subject) {
  std::vector<std::string> ids;
  if (subject.is_interpreter()) {
    return ids;
  }
  for (const std::string &name : sample_program_names()) {
    ids.push_back(fmt::format("claims/{}/local", name));
  }
  for (const char *name : {"chain", "loop", "donation", "in_place", "in_place_f32", "constants", "several_results"}) {
    for (int i = 0; i < (subject.is_full() ? 50 : 6); ++i) {
      ids.push_back(fmt::format("claims/{}/denied_{}", name, i));
    }
  }
  return ids;
}

Result<CaseProgram> program_of_claims(Subject &subject, const std::string &id) {
  const std::size_t begin = id.find('/') + 1;
  BP_ASSIGN(CaseProgram program, program_of_sample(subject, id, id.substr(begin, id.rfind('/') - begin)));
  program.is_whole = false;
  return program;
}

Verdict run_claims(Subject &subject, const std::string &id) {
  const std::size_t begin = id.find('/') + 1, end = id.rfind('/');
  const std::string name = id.substr(begin, end - begin);
  const auto verdict = id.substr(end + 1) == "local" ? is_local(subject, name) : deny(subject, name, id);
  return verdict.ok() ? *verdict : failure(verdict.error().to_string());
}

constexpr RuleCases rules_of_claims[] = {
    {"BP-CLAIM-02", "claims/*/local", "bp.compiler/1"},
    {"BP-FIND-02", "claims/*/local", "bp.kernels/1"},
};

}  // namespace

const Stage claims_stage = {
    .name = "claims",
    .summary = "programs of which random claims are denied, and claims that depend only on the instruction",
    .list = list_claims,
    .run = run_claims,
    .program = program_of_claims,
    .rules = rules_of_claims};

}  // namespace bp::conformance
