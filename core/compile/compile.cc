#include "core/compile/compile.h"

#include <algorithm>
#include <iterator>
#include <ranges>

#include "core/analysis/call_graph.h"
#include "core/compile/claims.h"
#include "core/compile/clusters.h"
#include "core/compile/control_flow.h"
#include "core/compile/fusions.h"
#include "core/compile/outline.h"
#include "core/compile/partition.h"
#include "core/compile/program_builder.h"
#include "core/compile/rewriting.h"
#include "core/compile/session.h"
#include "core/ir/builder.h"
#include "core/ir/run_time_sizes.h"
#include "core/ir/verifier.h"
#include "core/runtime/kernel_program.h"

namespace bp::compile {
namespace {

// By computation id: whether it is embedded in an instruction that the device refused. The reason may be an instruction
// in it, because devices are not asked about these individually.
std::vector<bool> computations_of_refused(const ir::Module &module, const Claims &claims) {
  const analysis::CallGraph graph(module);
  std::vector<bool> result(module.computation_id_limit());
  for (ir::ComputationId id : graph.callees_first() | std::views::reverse) {
    for (ir::Instruction i : module.computation(id).instructions()) {
      const bool is_refused = result[index(id)] || claims.refused[index(i.id())];
      for (ir::ComputationId callee : i.calls()) {
        if (is_refused && graph.context(callee) == analysis::CallContext::Embedded) {
          result[index(callee)] = true;
        }
      }
    }
  }
  return result;
}

// Prefixes the names of what the compilation of a called computation makes.
class Prefix final : public Observer {
 public:
  Prefix(Observer &observer, std::string_view computation)
      : observer_(observer), prefix_(fmt::format("{}-", computation)) {}

  Status module(const std::string &name, const ir::Module &module) override {
    return observer_.module(prefix_ + name, module);
  }
  Status program(const std::string &name, const ir::Module &module, const buffers::Plan &plan, const host::Image &image,
                 std::span<const std::byte> artifact) override {
    return observer_.program(prefix_ + name, module, plan, image, artifact);
  }

 private:
  Observer &observer_;
  std::string prefix_;
};

// Deeper loops and branches inside of those that the host runs are evaluated by the interpreter as a whole.
constexpr int max_depth = 8;

class Compilation {
 public:
  // Compiles for the first device; what it does not run goes to the next one, and what is left at the end to the host.
  // `depth`: the number of loops and branches on the host that the module is inside of.
  Compilation(Devices devices, const Options &options, int depth = 0)
      : session_(devices[0], options),
        device_(session_.device),
        devices_(devices),
        others_(devices.subspan(1)),
        options_(options),
        depth_(depth) {}

  Result<Compiled> run(ir::Module module) {
    BP_ASSIGN(Division division, divide(module));
    if (!division.is_whole) {
      return division.refusal.empty() ? in_steps(std::move(module), division) : elsewhere(std::move(module), division);
    }
    BP_ASSIGN(Built built, build(session_, module, "program"));
    if (!built.refusal.empty()) {
      division.refusal = std::move(built.refusal);
      return elsewhere(std::move(module), division);
    }
    assign(module, module.entry().instruction_ids());
    BP_ASSIGN(auto program, load(session_, std::move(built)));
    return Compiled{runtime::Executable(std::move(module), std::move(program)), std::move(report_)};
  }

  Result<Report> survey(ir::Module &module) {
    BP_ASSIGN(Division division, divide(module));
    if (!division.refusal.empty()) {
      report_all_on_host(module, division.refusal);
    }
    report_on_host(module, division);
    return std::move(report_);
  }

  // Divides the module without building programs, and makes the clusters visible in it.
  Result<Report> show_clusters(ir::Module &module) {
    BP_ASSIGN(Division division, divide(module));
    if (!division.refusal.empty()) {
      report_all_on_host(module, division.refusal);
    }
    report_on_host(module, division);
    std::vector<Cluster> clusters;
    std::vector<bool> available(module.instruction_id_limit());
    for (std::size_t p = 0; p < division.parts.size() && !division.is_whole; ++p) {
      if (division.parts[p].placement == Placement::Device) {
        clusters.push_back(
            {p, compile::extract(module, division.parts[p], available), report_.clusters[clusters.size()]});
      }
      for (ir::InstructionId id : division.parts[p].instructions) {
        available[index(id)] = true;
      }
    }
    if (!clusters.empty()) {
      outline(module, division.parts, clusters);
    }
    return std::move(report_);
  }

  Result<Artifact> make_artifact(ir::Module module) {
    BP_ASSIGN(Division division, divide(module));
    if (division.is_whole) {
      BP_ASSIGN(Built built, build(session_, module, "program"));
      if (built.refusal.empty()) {
        const std::span<const std::byte> bytes = built.artifact.bytes();
        return Artifact{{bytes.begin(), bytes.end()}, std::move(report_)};
      }
      division.refusal = std::move(built.refusal);
    }
    if (!division.refusal.empty()) {
      report_all_on_host(module, division.refusal);
    }
    report_on_host(module, division);
    BP_TRY(check_device_only());
    return unsupported("backend {} makes no program of the module, which computes nothing{}{}", device_->id(),
                       division.refusal.empty() ? "" : ": ", division.refusal);
  }

 private:
  using Called = runtime::CalledExecutables;

  // How the module is divided between the device and others.
  struct Division {
    bool is_whole = false;    // the device runs all of it, as one program
    std::string refusal;      // otherwise, if not empty: why the module cannot be represented for the device
    std::vector<Part> parts;  // otherwise the parts
    Claims claims;
  };

  // Simplifies the module, asks the device about it, and expands the instructions it does not claim.
  Result<Division> divide(ir::Module &module) {
    {
      Stopwatch watch(report_.passes);
      BP_TRY(ir::verify(module));
    }
    BP_TRY(session_.observe("00-input", module));
    BP_TRY(offer(session_, module, Phase::AsRead));
    BP_TRY(session_.run_stage(module, passes::Stage::Simplify));
    Division division;
    auto image = host::build_image(module, host::Stage::Legalize, nullptr, session_.receiver);
    if (!image.ok()) {
      // The module contains something that the ABI cannot express.
      division.refusal = image.error().message();
      return division;
    }
    BP_ASSIGN(Claims claims, ask(*device_, module, *image));
    BP_TRY(expand(module, claims));
    BP_TRY(offer(session_, module, Phase::Legalize, &claims));
    BP_TRY(fuse_patterns(session_, module, claims));
    report_.instructions = module.instruction_count();
    Clusters clusters = find_clusters(module, claims, *device_, options_.clusters);
    for (std::size_t i = 0; i < clusters.reasons.size(); ++i) {
      if (!clusters.reasons[i].empty()) {
        claims.reasons[i] = std::move(clusters.reasons[i]);
      }
    }
    report_.clusters = std::move(clusters.report);
    report_.division_nanoseconds = clusters.nanoseconds;
    report_.least_division_nanoseconds = clusters.lower_bound;
    division.parts = std::move(clusters.parts);
    division.is_whole = division.parts.size() == 1 && division.parts[0].placement == Placement::Device;
    division.claims = std::move(claims);
    return division;
  }

  // Rewrites instructions that the device refuses into others it may run: first ops that hardly any device has, then,
  // if something is still refused, everything down to the primitives.
  Status expand(ir::Module &module, Claims &claims) {
    BP_TRY(expand(module, claims, passes_of(passes::Stage::Expand)));
    std::vector<passes::Pass> all = passes_of(passes::Stage::Expand);
    std::ranges::copy(passes_of(passes::Stage::Primitives), std::back_inserter(all));
    BP_TRY(expand(module, claims, all));
    return explain_disabled(module, claims, all);
  }

  // Adds to the reason why an instruction is refused that a pass would rewrite it, but is disabled.
  Status explain_disabled(const ir::Module &module, Claims &claims, std::span<const passes::Pass> list) {
    for (const passes::Pass &pass : list) {
      if (count_refused(claims) == 0 || session_.is_enabled(pass.name)) {
        continue;
      }
      ir::Module without = module;
      BP_TRY(pass.run(without, leaving_native(without, claims)));
      std::vector<bool> is_left(module.instruction_id_limit());
      for (ir::Computation computation : without.computations()) {
        for (ir::InstructionId id : computation.instruction_ids()) {
          if (index(id) < is_left.size()) {
            is_left[index(id)] = true;
          }
        }
      }
      for (std::size_t i = 0; i < is_left.size(); ++i) {
        if (claims.refused[i] && !is_left[i]) {
          claims.reasons[i] +=
              fmt::format("{}{} would rewrite it, but is disabled", claims.reasons[i].empty() ? "" : "; ", pass.name);
        }
      }
    }
    return {};
  }

  // Works in rounds: after each round the device is asked about the new instructions. The expanded form of an op that
  // only the host runs is worse than the op itself, so the module is left as it was unless the device refuses fewer
  // instructions in the end.
  Status expand(ir::Module &module, Claims &claims, std::span<const passes::Pass> list) {
    constexpr int max_rounds = 16;  // more than the nesting of expansions of any op
    const std::int64_t refused = count_refused(claims);
    if (refused == 0) {
      return {};
    }
    BP_ASSIGN(session_.has_f64, computes_in(ir::ElementType::F64));
    ir::Module expanded = module;
    Claims answer = claims;
    for (int round = 0; round < max_rounds && count_refused(answer) > 0; ++round) {
      const int passes_before = session_.pass_count;
      {
        Stopwatch watch(report_.passes);
        BP_TRY(session_.run_passes(expanded, list, leaving_native(expanded, answer)));
      }
      if (session_.pass_count == passes_before) {
        break;
      }
      BP_TRY(session_.run_stage(expanded, passes::Stage::Simplify));
      auto image = host::build_image(expanded, host::Stage::Legalize, nullptr, session_.receiver);
      if (!image.ok()) {
        return {};
      }
      BP_ASSIGN(answer, ask(*device_, expanded, *image));
    }
    if (count_refused(answer) < refused) {
      module = std::move(expanded);
      claims = std::move(answer);
    }
    return {};
  }

  // Whether the device adds numbers of this type.
  Result<bool> computes_in(ir::ElementType type) const {
    ir::Module probe;
    ir::Builder b(probe, probe.add_computation("probe"));
    const ir::InstructionId x = b.parameter(ir::Shape::array(type, {1}));
    const ir::InstructionId sum = b.add(ir::Opcode::Add, {x, x});
    b.finish(sum);
    BP_ASSIGN(const host::Image image, host::build_image(probe, host::Stage::Legalize, nullptr, session_.receiver));
    BP_ASSIGN(const Claims claims, ask(*device_, probe, image));
    return claims.claimed[index(sum)];
  }

  // Expanding passes do not change instructions that the device claims, nor new ones before the device was asked about
  // them.
  static passes::PassContext leaving_native(const ir::Module &module, const Claims &claims) {
    passes::PassContext context;
    context.is_native = [&claims, refused = computations_of_refused(module, claims)](ir::Instruction i) {
      const auto computation = index(i.parent().id());
      return index(i.id()) >= claims.refused.size() ||
             !(claims.refused[index(i.id())] || (computation < refused.size() && refused[computation]));
    };
    return context;
  }

  // Returns the reason why an instruction is left to the host. A custom call is identified by its target.
  std::string why(ir::Instruction instruction, std::string reason) const {
    if (std::string refusal = session_.receiver.host_calls.refusal(instruction); !refusal.empty()) {
      reason = std::move(refusal);
    }
    if (instruction.opcode() != ir::Opcode::CustomCall) {
      return reason;
    }
    return fmt::format("target \"{}\"{}{}", instruction.text(ir::AttributeKey::CustomCallTarget),
                       reason.empty() ? "" : ": ", reason);
  }

  void report_on_host(const ir::Module &module, const Part &part, const Claims &claims) {
    for (ir::InstructionId id : part.instructions) {
      ir::Instruction i = module.instruction(id);
      if (is_claimable(i.opcode()) && !has_routine(i)) {
        report_.on_host.push_back({std::string(i.name()), i.opcode(), why(i, claims.reasons[index(id)]), i.location(),
                                   claims.refused[index(id)]});
      }
    }
  }

  void report_on_host(const ir::Module &module, const Division &division) {
    for (const Part &part : division.parts) {
      if (part.placement == Placement::Host) {
        report_on_host(module, part, division.claims);
      }
    }
  }

  // Reports that all instructions run on the host, for one reason.
  void report_all_on_host(const ir::Module &module, const std::string &reason) {
    report_.on_host.clear();
    for (ir::Instruction i : module.entry().instructions()) {
      if (is_claimable(i.opcode()) && ir::size_call(i) == ir::SizeCall::None) {
        report_.on_host.push_back({std::string(i.name()), i.opcode(), why(i, reason), i.location()});
      }
    }
  }

  // The device cannot be given any part of the entry: compiles it for the other devices or the host. The device still
  // runs what is inside loops, branches and calls on the host, such as the static part of a program of dynamic inputs.
  Result<Compiled> elsewhere(ir::Module module, const Division &division) {
    if (!others_.empty()) {
      BP_ASSIGN(Compiled compiled, Compilation(others_, options_, depth_).run(std::move(module)));
      add(compiled.report);
      return Compiled{std::move(compiled.executable), std::move(report_)};
    }
    report_all_on_host(module, division.refusal);
    std::vector<runtime::Step> steps;
    for (const ir::InstructionId id : module.entry().instruction_ids()) {
      steps.push_back({.instruction = id});
    }
    BP_ASSIGN(Called called, compile_called(module, steps));
    for (const auto &[computation, executable] : called) {
      std::erase_if(report_.on_host, [&](const OnHost &one) {
        return one.opcode == ir::Opcode::Call && calls(module, one.name, computation);
      });
    }
    BP_TRY(check_device_only());
    return Compiled{runtime::Executable::on_host(std::move(module), std::move(called)), std::move(report_)};
  }

  // Whether the instruction of the entry with this name calls the computation.
  static bool calls(const ir::Module &module, std::string_view name, ir::ComputationId computation) {
    return std::ranges::any_of(module.entry().instructions(), [&](ir::Instruction i) {
      return i.name() == name && std::ranges::find(i.calls(), computation) != i.calls().end();
    });
  }

  // Adds the report of another device on a part.
  void add(Report &other) {
    report_.programs += other.programs;
    report_.cached += other.cached;
    report_.artifact_bytes += other.artifact_bytes;
    if (report_.not_loaded.empty()) {
      report_.not_loaded = other.not_loaded;
    }
    for (double Report::*seconds : {&Report::passes, &Report::plan, &Report::compile, &Report::load}) {
      report_.*seconds += other.*seconds;
    }
    std::ranges::move(other.on_host, std::back_inserter(report_.on_host));
    std::ranges::move(other.assignment, std::back_inserter(report_.assignment));
    std::ranges::move(other.clusters, std::back_inserter(report_.clusters));
  }

  // Records the instructions of this device's next program.
  void assign(const ir::Module &module, std::span<const ir::InstructionId> instructions) {
    Assignment &next = report_.assignment.emplace_back(Assignment{std::string(device_->id()), {}});
    for (ir::InstructionId id : instructions) {
      if (is_claimable(module.instruction(id).opcode())) {
        next.instructions.emplace_back(module.instruction(id).name());
      }
    }
  }

  Status check_device_only() const {
    if (!options_.device_only || report_.on_host.empty()) {
      return {};
    }
    const auto refused = std::ranges::find_if(report_.on_host, &OnHost::is_refused);
    const OnHost &cause = refused != report_.on_host.end() ? *refused : report_.on_host[0];
    return unsupported("backend {} does not run {} ({}){}{}", device_->id(), cause.name, to_string(cause.opcode),
                       cause.reason.empty() ? "" : ": ", cause.reason)
        .at(cause.location);
  }

  Result<Compiled> in_steps(ir::Module module, const Division &division) {
    if (others_.empty()) {
      report_on_host(module, division);
      BP_TRY(check_device_only());
    }
    std::vector<runtime::Step> steps;
    std::vector<Cluster> clusters;
    std::vector<ClusterReport> found = std::move(report_.clusters);
    auto next = found.begin();
    std::vector<bool> available(module.instruction_id_limit());
    for (std::size_t p = 0; p < division.parts.size(); ++p) {
      const Part &part = division.parts[p];
      if (part.placement == Placement::Device) {
        BP_ASSIGN(std::optional<Extract> program, add_program(module, part, available, steps));
        if (program) {
          report_.clusters.push_back(*next);
          clusters.push_back({p, *std::move(program), *next});
        }
        ++next;
      } else if (others_.empty()) {
        BP_TRY(add_host_steps(module, part, available, steps));
      } else {
        BP_TRY(add_steps_of_other_devices(module, part, division.claims, available, steps));
      }
      for (ir::InstructionId id : part.instructions) {
        available[index(id)] = true;
      }
    }
    BP_TRY(check_device_only());
    const bool has_programs = report_.programs > 0;
    BP_ASSIGN(Called called, compile_called(module, steps));
    BP_TRY(outline_clusters(module, division.parts, clusters, steps));
    return Compiled{has_programs ? runtime::Executable(std::move(module), std::move(steps), std::move(called))
                                 : runtime::Executable::on_host(std::move(module), std::move(called)),
                    std::move(report_)};
  }

  // Makes the clusters visible in the module: the steps then compute the elements of calls.
  Status outline_clusters(ir::Module &module, std::span<const Part> parts, std::span<const Cluster> clusters,
                          std::vector<runtime::Step> &steps) {
    if (clusters.empty()) {
      return {};
    }
    const std::vector<ir::InstructionId> replacements = outline(module, parts, clusters);
    for (runtime::Step &step : steps) {
      for (std::vector<ir::InstructionId> *ids : {&step.inputs, &step.outputs}) {
        for (ir::InstructionId &id : *ids) {
          id = replacements[index(id)] == ir::no_instruction ? id : replacements[index(id)];
        }
      }
    }
    if (options_.verify) {
      BP_TRY(ir::verify(module));
    }
    return session_.observe("clusters", module);
  }

  // Compiles the computations that loops and branches on the host run.
  Result<Called> compile_called(const ir::Module &module, std::span<const runtime::Step> steps) {
    Called called;
    if (depth_ == max_depth) {
      return called;
    }
    std::vector<ir::InstructionId> on_host;
    for (const runtime::Step &step : steps) {
      if (step.instruction != ir::no_instruction) {
        on_host.push_back(step.instruction);
      }
    }
    for (const CalledComputation &one : called_computations(module, on_host)) {
      Options options = options_;
      std::optional<Prefix> prefix;
      if (options_.observer != nullptr) {
        options.observer = &prefix.emplace(*options_.observer, module.computation(one.id).name());
      }
      BP_ASSIGN(Compiled compiled, Compilation(devices_, options, depth_ + 1).run(extract(module, one)));
      if (compiled.report.programs > 0) {
        add(compiled.report);
        called.emplace(one.id, std::make_shared<const runtime::Executable>(std::move(compiled.executable)));
      }
    }
    return called;
  }

  // The steps run one after another on the interpreter, except custom calls that a routine of the device runs.
  Status add_host_steps(const ir::Module &module, const Part &part, std::vector<bool> available,
                        std::vector<runtime::Step> &steps) {
    for (ir::InstructionId id : part.instructions) {
      for (ir::InstructionId operand : module.instruction(id).operands()) {
        make_available(module, operand, available, steps);
      }
      if (has_routine(module.instruction(id))) {
        Extract extract = compile::extract(module, {Placement::Device, {id}}, available);
        BP_ASSIGN(auto program, load_routine(session_, std::move(extract.module)));
        assign(module, {&id, 1});
        steps.push_back({std::move(program), nullptr, std::move(extract.inputs), std::move(extract.outputs)});
      } else {
        steps.push_back({.instruction = id});
      }
      available[index(id)] = true;
    }
    return {};
  }

  // A tuple may belong to a later part: programs take its elements. What runs on the host needs it as a value.
  static void make_available(const ir::Module &module, ir::InstructionId id, std::vector<bool> &available,
                             std::vector<runtime::Step> &steps) {
    if (available[index(id)]) {
      return;
    }
    for (ir::InstructionId operand : module.instruction(id).operands()) {
      make_available(module, operand, available, steps);
    }
    steps.push_back({.instruction = id});
    available[index(id)] = true;
  }

  bool has_routine(ir::Instruction i) const {
    return i.opcode() == ir::Opcode::CustomCall && !uses_token(i) &&
           runtime::find_routine(*device_, i.text(ir::AttributeKey::CustomCallTarget)) != nullptr;
  }

  // Returns the program; nothing if the device refuses it, and the host runs its instructions.
  Result<std::optional<Extract>> add_program(const ir::Module &module, const Part &part,
                                             const std::vector<bool> &available, std::vector<runtime::Step> &steps) {
    Extract extract = compile::extract(module, part, available);
    BP_ASSIGN(Built built, build(session_, extract.module, fmt::format("program{}", report_.programs)));
    if (!built.refusal.empty()) {
      const std::size_t limit = module.instruction_id_limit();
      const Claims refused{{}, std::vector<bool>(limit, true), std::vector(limit, built.refusal), {}, 0};
      report_on_host(module, part, refused);
      BP_TRY(add_host_steps(module, part, available, steps));
      return std::optional<Extract>();
    }
    assign(module, part.instructions);
    BP_ASSIGN(auto program, load(session_, std::move(built)));
    steps.push_back({std::move(program), nullptr, extract.inputs, extract.outputs});
    return std::optional(std::move(extract));
  }

  // The instructions that this device does not run become a program of their own for the other devices, except
  // parameters, constants and tuples.
  Status add_steps_of_other_devices(const ir::Module &module, const Part &part, const Claims &claims,
                                    std::vector<bool> available, std::vector<runtime::Step> &steps) {
    Part before{Placement::Host, {}}, computing{Placement::Host, {}}, after{Placement::Host, {}};
    bool has_tokens = false;
    for (ir::InstructionId id : part.instructions) {
      const ir::Instruction i = module.instruction(id);
      has_tokens |= uses_token(i);
      if (i.opcode() == ir::Opcode::Parameter || i.opcode() == ir::Opcode::Constant) {
        before.instructions.push_back(id);
        available[index(id)] = true;
      } else {
        (i.opcode() == ir::Opcode::Tuple ? after : computing).instructions.push_back(id);
      }
    }
    if (!has_tokens && std::ranges::any_of(computing.instructions, [&](ir::InstructionId id) {
          return is_claimable(module.instruction(id).opcode());
        })) {
      Extract extract = compile::extract(module, computing, available);
      BP_ASSIGN(Compiled compiled, Compilation(others_, options_, depth_).run(std::move(extract.module)));
      if (compiled.report.programs > 0) {
        add(compiled.report);
        BP_TRY(add_host_steps(module, before, available, steps));
        steps.push_back({nullptr, std::make_shared<const runtime::Executable>(std::move(compiled.executable)),
                         std::move(extract.inputs), std::move(extract.outputs)});
        for (const ir::InstructionId id : computing.instructions) {
          available[index(id)] = true;
        }
        return add_host_steps(module, after, available, steps);
      }
    }
    report_on_host(module, part, claims);
    return add_host_steps(module, part, available, steps);
  }

  Session session_;
  const std::shared_ptr<const host::Device> &device_;
  const Devices devices_;  // all of them
  const Devices others_;
  const Options &options_;
  const int depth_;
  Report &report_ = session_.report;
};

}  // namespace

Result<Report> survey(ir::Module module, std::shared_ptr<const host::Device> device, ir::Module *divided) {
  Options options;
  options.fold_constants = false;
  BP_ASSIGN(Report report, Compilation({&device, 1}, options).survey(module));
  if (divided != nullptr) {
    *divided = std::move(module);
  }
  return report;
}

Result<std::vector<std::string>> find_host_functions(ir::Module module, std::shared_ptr<const host::Device> device) {
  const auto is_candidate = [](ir::Opcode opcode) {
    return opcode == ir::Opcode::CustomCall || opcode == ir::Opcode::Infeed || opcode == ir::Opcode::Outfeed;
  };
  const auto for_candidates = [&](const ir::Module &in, const auto &visit) {
    for (const ir::Computation computation : in.computations()) {
      for (const ir::Instruction i : computation.instructions()) {
        if (is_candidate(i.opcode())) {
          visit(i);
        }
      }
    }
  };
  std::vector<std::string> names;
  bool has_candidates = false;
  for_candidates(module, [&](ir::Instruction) { has_candidates = true; });
  if (!has_candidates) {
    return names;
  }
  ir::Module divided;
  BP_TRY(survey(std::move(module), device, &divided));
  BP_ASSIGN(const host::Image image, host::build_image(divided, host::Stage::Legalize, nullptr, device->opset()));
  BP_ASSIGN(const Claims claims, ask(*device, divided, image));
  for_candidates(divided, [&](ir::Instruction i) {
    std::string name(i.opcode() == ir::Opcode::CustomCall ? i.text(ir::AttributeKey::CustomCallTarget)
                                                          : to_string(i.opcode()));
    if (!claims.claimed[index(i.id())] && std::ranges::find(names, name) == names.end()) {
      names.push_back(std::move(name));
    }
  });
  return names;
}

Result<Report> show_clusters(ir::Module &module, std::shared_ptr<const host::Device> device, const Options &options) {
  BP_TRY(check_disabled(options.disabled_passes));
  return Compilation({&device, 1}, options).show_clusters(module);
}

Result<Compiled> compile(ir::Module module, Devices devices, const Options &options) {
  BP_CHECK(!devices.empty());
  BP_TRY(check_disabled(options.disabled_passes));
  return Compilation(devices, options).run(std::move(module));
}

Result<Compiled> compile(ir::Module module, std::shared_ptr<const host::Device> device, const Options &options) {
  return compile(std::move(module), Devices(&device, 1), options);
}

Result<Artifact> make_artifact(ir::Module module, std::shared_ptr<const host::Device> device, Options options) {
  if (device->compiler() == nullptr) {
    return unsupported("backend {} has no {}: it makes no artifacts", device->id(), BP_EXT_COMPILER);
  }
  BP_TRY(check_disabled(options.disabled_passes));
  options.device_only = true;
  return Compilation({&device, 1}, options).make_artifact(std::move(module));
}

}  // namespace bp::compile
