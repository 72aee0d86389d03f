// Claims under stress: when claims are denied at random, every kind of border between device and host occurs, with its
// copies; and the answer for an instruction must not depend on its neighbours (BP-CLAIM-02, BP-FIND-02).
#include <fmt/format.h>

#include <cstring>
#include <map>

#include "backplane/ext/draft/layout.h"
#include "conformance/suite/sample_programs.h"
#include "conformance/suite/stage.h"
#include "core/compile/claims.h"
#include "core/host/diagnostics.h"
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

// Returns the module with longer names, and with the call of a long computation before everything else, so that every
// index differs and the module is many times as large.
ir::Module in_a_crowd(const ir::Module &module) {
  constexpr int crowd = 150;
  ir::Module changed = module;
  for (const ir::Instruction i : module.entry().instructions()) {
    changed.set_name(i.id(), fmt::format("{}_with_a_name_that_is_a_little_longer_than_others_are", i.name()));
  }
  const ir::Shape shape = ir::Shape::array(ir::ElementType::F32, {3});
  const ir::ComputationId many = changed.add_computation("many");
  ir::InstructionId last = changed.add_parameter(many, 0, shape, "one_of_many");
  for (int i = 0; i < crowd; ++i) {
    last = changed.add_instruction(many, ir::Opcode::Negate, shape, {last});
  }
  changed.set_root(many, last);
  const ir::ComputationId entry = changed.entry().id();
  const ir::InstructionId x = changed.add_parameter(
      entry, static_cast<std::int64_t>(module.entry().parameter_ids().size()), shape, "of_the_crowd");
  const ir::InstructionId call = changed.add_instruction(entry, ir::Opcode::Call, shape, {x});
  changed.set_calls(call, std::span(&many, 1));
  std::vector<ir::ComputationId> order = {many};
  for (const ir::Computation computation : module.computations()) {
    order.push_back(computation.id());
  }
  changed.set_computation_order(std::move(order));
  return changed;
}

// Adds an instruction whose result has the shape of this one to the entry; nothing if there is none for such a shape.
using Producer = std::optional<ir::InstructionId> (*)(ir::Module &module, const ir::Instruction &i);

std::optional<ir::InstructionId> copy_of(ir::Module &module, const ir::Instruction &i) {
  return module.add_instruction(module.entry().id(), ir::Opcode::Copy, i.shape(), {i.id()});
}
std::optional<ir::InstructionId> constant_like(ir::Module &module, const ir::Instruction &i) {
  constexpr std::int64_t max_bytes = 1 << 20;
  if (i.shape().byte_size() > max_bytes || !i.shape().is_static()) {
    return std::nullopt;
  }
  auto zeros = ir::Literal::zeros(i.shape());
  if (!zeros.ok()) {
    return std::nullopt;
  }
  const ir::InstructionId constant = module.add_constant(module.entry().id(), std::move(zeros).value());
  module.set_shape(constant, i.shape());
  return constant;
}
std::optional<ir::InstructionId> broadcast_like(ir::Module &module, const ir::Instruction &i) {
  if (i.shape().rank() == 0 || !i.shape().is_static()) {
    return std::nullopt;
  }
  const ir::ComputationId entry = module.entry().id();
  auto one = ir::Literal::zeros(ir::Shape::scalar(i.shape().element_type()));
  if (!one.ok()) {
    return std::nullopt;
  }
  const ir::InstructionId scalar = module.add_constant(entry, std::move(one).value());
  const ir::InstructionId result = module.add_instruction(entry, ir::Opcode::Broadcast, i.shape(), {scalar});
  module.set_numbers(result, ir::AttributeKey::Dimensions, std::span<const std::int64_t>());
  return result;
}
// The outer product of constants.
std::optional<ir::InstructionId> product_like(ir::Module &module, const ir::Instruction &i) {
  const ir::Shape &shape = i.shape();
  if (shape.rank() == 0 || !shape.is_static() || shape.element_type() == ir::ElementType::Pred) {
    return std::nullopt;
  }
  const ir::ComputationId entry = module.entry().id();
  auto left = ir::Literal::zeros(ir::Shape::array(shape.element_type(), shape.sizes().first(shape.rank() - 1)));
  auto right = ir::Literal::zeros(ir::Shape::array(shape.element_type(), shape.sizes().last(1)));
  if (!left.ok() || !right.ok()) {
    return std::nullopt;
  }
  const ir::InstructionId factors[] = {module.add_constant(entry, std::move(left).value()),
                                       module.add_constant(entry, std::move(right).value())};
  return module.add_instruction(entry, ir::Opcode::Dot, shape, factors);
}

// Returns the module with another value of the same shape for each array of the entry, which all instructions get as
// operands in its place: other instructions define the operands, and use the results.
ir::Module with_operands_by(const ir::Module &module, Producer producer) {
  ir::Module changed = module;
  const ir::ComputationId entry = changed.entry().id();
  std::map<ir::InstructionId, ir::InstructionId> others;
  std::vector<ir::InstructionId> order;
  for (const ir::Instruction i : module.entry().instructions()) {
    order.push_back(i.id());
    const std::size_t before = changed.entry().instructions().size();
    if (const auto other = i.shape().is_array() ? producer(changed, i) : std::nullopt) {
      others[i.id()] = *other;
      const auto added = changed.entry().instructions();
      for (std::size_t k = before; k < added.size(); ++k) {
        order.push_back(added[k].id());
      }
    }
  }
  changed.set_instruction_order(entry, std::move(order));
  for (const ir::Instruction i : module.entry().instructions()) {
    for (std::size_t k = 0; k < i.operands().size(); ++k) {
      if (const auto other = others.find(i.operands()[k]); other != others.end()) {
        changed.set_operand(i.id(), k, other->second);
      }
    }
  }
  return changed;
}
ir::Module with_copies(const ir::Module &module) {
  return with_operands_by(module, copy_of);
}
ir::Module with_constants(const ir::Module &module) {
  return with_operands_by(module, constant_like);
}
ir::Module with_broadcasts(const ir::Module &module) {
  return with_operands_by(module, broadcast_like);
}
ir::Module with_products(const ir::Module &module) {
  return with_operands_by(module, product_like);
}

// Returns the module with a twin before each instruction of the entry.
ir::Module with_twins(const ir::Module &module) {
  ir::Module changed = module;
  const ir::ComputationId entry = changed.entry().id();
  std::vector<ir::InstructionId> order;
  for (const ir::Instruction i : module.entry().instructions()) {
    if (i.opcode() != ir::Opcode::Parameter && i.calls().empty()) {
      order.push_back(changed.clone_instruction(entry, i, i.operands(), {}));
    }
    order.push_back(i.id());
  }
  changed.set_instruction_order(entry, std::move(order));
  return changed;
}

// Names are for people, and of any length.
ir::Module with_long_names(const ir::Module &module) {
  ir::Module changed = module;
  for (const ir::Computation computation : module.computations()) {
    for (const ir::Instruction i : computation.instructions()) {
      changed.set_name(i.id(), fmt::format("{}.{}", std::string(1000, 'n'), index(i.id())));
    }
  }
  return changed;
}

// The answers of a device about the instructions of a module: whether it takes them, and which layouts it prefers.
struct LocalAnswers {
  std::vector<bool> claimed;                        // by instruction
  std::vector<float> cost;                          // of those claimed
  std::map<ir::InstructionId, std::string> wishes;  // the bytes of all preferences, without the instruction's index

  static Result<LocalAnswers> ask(const host::Device &device, const ir::Module &module, const host::Image &image) {
    LocalAnswers answers;
    BP_ASSIGN(const compile::Claims claims, compile::ask(device, module, image));
    answers.claimed = claims.claimed;
    answers.cost = claims.cost;
    if (device.layout() == nullptr) {
      return answers;
    }
    std::string bytes;
    const bp_ostream_t stream{&bytes, [](const bp_ostream_t *self, const void *data, std::uint64_t size) noexcept {
                                static_cast<std::string *>(self->ctx)->append(static_cast<const char *>(data), size);
                                return bp_status{BP_OK};
                              }};
    host::Diagnostics diagnostics;
    const bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
      return device.layout()->preferences(device.abi(), image.module(), &stream, diag);
    });
    BP_TRY(diagnostics.result(status, device.id(), "preferences", image.module()));
    for (std::size_t at = 0; at + sizeof(bp_layout_preference_t) <= bytes.size();) {
      bp_layout_preference_t one;
      std::memcpy(&one, bytes.data() + at, sizeof one);
      const std::size_t size = sizeof one + std::size_t{one.word_count} * sizeof(std::int64_t);
      if (one.instr < image.sources().size()) {
        answers.wishes[image.sources()[one.instr]] += bytes.substr(at + sizeof one.instr, size - sizeof one.instr);
      }
      at += size;
    }
    return answers;
  }
};

Result<Verdict> is_local(Subject &subject, const ir::Module &module) {
  struct Variant {
    ir::Module (*change)(const ir::Module &module);
    std::string_view what;
  };
  constexpr Variant variants[] = {
      {with_unrelated_instructions, "in a module with an additional, unrelated instruction"},
      {in_a_crowd, "in a module with many more instructions, and with another name"},
      {with_copies, "if its operands are copies, and its result is copied"},
      {with_constants, "if its operands are constants"},
      {with_broadcasts, "if its operands are broadcast from constants"},
      {with_products, "if its operands are results of dot"},
      {with_twins, "if the same comes before it"},
      {with_long_names, "if its name has 1,000 characters"},
  };
  BP_ASSIGN(const Backend *backend, subject.backend());
  const auto image = host::build_image(module, host::Stage::Legalize);
  if (!image.ok()) {
    return nothing_to_do();  // it has sizes for which no image can be built
  }
  BP_ASSIGN(const LocalAnswers plain, LocalAnswers::ask(*backend->device(), module, *image));
  for (const Variant &variant : variants) {
    const ir::Module changed = variant.change(module);
    BP_ASSIGN(const host::Image other_image, host::build_image(changed, host::Stage::Legalize));
    BP_ASSIGN(const LocalAnswers other, LocalAnswers::ask(*backend->device(), changed, other_image));
    for (const ir::Instruction i : module.entry().instructions()) {
      const bool was = plain.claimed[index(i.id())], is = other.claimed[index(i.id())];
      if (compile::is_claimable(i.opcode()) && was != is) {
        return failure(fmt::format("{} is {}claimed, but {}claimed {}", i.name(), was ? "" : "not ", is ? "" : "not ",
                                   variant.what));
      }
      if (compile::is_claimable(i.opcode()) && was && i.calls().empty() &&
          plain.cost[index(i.id())] != other.cost[index(i.id())]) {
        return failure(fmt::format("{} costs {} ns, but {} ns {}", i.name(), plain.cost[index(i.id())],
                                   other.cost[index(i.id())], variant.what));
      }
      const auto wish = plain.wishes.find(i.id()), other_wish = other.wishes.find(i.id());
      if ((wish == plain.wishes.end()) != (other_wish == other.wishes.end()) ||
          (wish != plain.wishes.end() && wish->second != other_wish->second)) {
        return failure(fmt::format("BP-LAYOUT-01: the device prefers other layouts for {} {}", i.name(), variant.what));
      }
    }
  }
  return Verdict();
}

// Products of many types, whose layouts matter.
constexpr std::string_view local_contractions = "contractions";

Result<Verdict> are_local(Subject &subject, const std::string &name) {
  if (name != local_contractions) {
    BP_ASSIGN(const ir::Module module, sample_program(name));
    return is_local(subject, module);
  }
  for (const ir::Module &module : contractions()) {
    BP_ASSIGN(Verdict verdict, is_local(subject, module));
    if (verdict.status != CaseStatus::Pass) {
      return verdict;
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
  ids.push_back(fmt::format("claims/{}/local", local_contractions));
  for (const char *name : {"chain", "loop", "donation", "in_place", "in_place_f32", "constants", "several_results"}) {
    for (int i = 0; i < (subject.is_full() ? 50 : 6); ++i) {
      ids.push_back(fmt::format("claims/{}/denied_{}", name, i));
    }
  }
  return ids;
}

Result<CaseProgram> program_of_claims(Subject &subject, const std::string &id) {
  const std::size_t begin = id.find('/') + 1;
  if (id.substr(begin).starts_with(local_contractions)) {
    return make_error(ErrorCode::Unsupported, "the case has several programs");
  }
  BP_ASSIGN(CaseProgram program, program_of_sample(subject, id, id.substr(begin, id.rfind('/') - begin)));
  program.is_whole = false;
  return program;
}

Verdict run_claims(Subject &subject, const std::string &id) {
  const std::size_t begin = id.find('/') + 1, end = id.rfind('/');
  const std::string name = id.substr(begin, end - begin);
  const auto verdict = id.substr(end + 1) == "local" ? are_local(subject, name) : deny(subject, name, id);
  return verdict.ok() ? *verdict : failure(verdict.error().to_string());
}

constexpr RuleCases rules_of_claims[] = {
    {"BP-CLAIM-02", "claims/*/local", "bp.compiler/1"},
    {"BP-FIND-02", "claims/*/local", "bp.kernels/1"},
    {"BP-LAYOUT-01", "claims/*/local", "bp.layout/draft-1"},
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
