#include "core/compile/compile.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <ranges>
#include <unordered_set>

#include "core/analysis/call_graph.h"
#include "core/buffers/assign.h"
#include "core/buffers/validate.h"
#include "core/compile/claims.h"
#include "core/compile/partition.h"
#include "core/compile/passes.h"
#include "core/compile/wishes.h"
#include "core/host/byte_sink.h"
#include "core/host/diagnostics.h"
#include "core/ir/builder.h"
#include "core/ir/verifier.h"
#include "core/passes/fusion_builder.h"
#include "core/passes/pipeline.h"

namespace bp::compile {
namespace {

// Adds the time it lives to a number of seconds.
class Stopwatch {
 public:
  explicit Stopwatch(double &seconds) : seconds_(seconds), start_(std::chrono::steady_clock::now()) {}
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  Stopwatch(const Stopwatch &) = delete;

 private:
  double &seconds_;
  std::chrono::steady_clock::time_point start_;
};

// The first instruction of the entry that the device does not claim; nothing if it claims all.
std::optional<ir::Instruction> first_unclaimed(const ir::Module &module, const Claims &claims) {
  for (ir::Instruction i : module.entry().instructions()) {
    if (is_claimable(i.opcode()) && !claims.claimed[index(i.id())]) {
      return i;
    }
  }
  return std::nullopt;
}

std::int64_t count_refused(const Claims &claims) {
  return std::ranges::count(claims.refused, true);
}

// By computation id: it is embedded in an instruction that the device refused, perhaps for something in there: nobody
// is asked about that on its own.
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

// Without bp.fusion/1, fusions are simple loops.
passes::FusionLimits limits_of(const host::Device &device) {
  passes::FusionLimits limits;
  const bp_fusion_limits_t *given = device.fusion() == nullptr ? nullptr : device.fusion()->limits;
  const std::uint32_t kinds = given == nullptr ? 0 : given->kinds;
  limits.contractions = (kinds & BP_FUSES_CONTRACTIONS) != 0;
  limits.rows = (kinds & BP_FUSES_ROWS) != 0;
  limits.results = (kinds & BP_FUSES_RESULTS) != 0;
  if (given != nullptr) {
    limits.max_instructions = given->max_instructions;
    limits.max_values = given->max_values;
    limits.small_kernel_bytes =
        static_cast<std::int64_t>(std::min<std::uint64_t>(given->small_kernel_bytes, INT64_MAX));
    limits.max_row_bytes = static_cast<std::int64_t>(std::min<std::uint64_t>(given->max_row_bytes, INT64_MAX));
  }
  return limits;
}

// Bytes that a program may take: as many as the device has where all of it is put, if the device says so, or what
// the caller allows; 0: any number.
std::int64_t memory_limit(const host::Device &device, std::int64_t allowed) {
  const std::uint64_t capacity = device.memory() == nullptr ? 0 : device.memory()->spaces[0].capacity;
  if (capacity == 0 || capacity > INT64_MAX) {
    return allowed;
  }
  const auto there_are = static_cast<std::int64_t>(capacity);
  return allowed > 0 ? std::min(allowed, there_are) : there_are;
}

class Compilation {
 public:
  // For the first device; what it leaves goes to the next, and what is left at last to the host.
  Compilation(Devices devices, const Options &options)
      : device_(devices[0]),
        others_(devices.subspan(1)),
        options_(options),
        memory_limit_(memory_limit(*device_, options.memory_limit)) {}

  Result<Compiled> run(ir::Module module) {
    BP_ASSIGN(Division division, divide(module));
    if (!division.is_whole) {
      return division.refusal.empty() ? in_steps(std::move(module), division) : elsewhere(std::move(module), division);
    }
    BP_ASSIGN(Built built, build(module, "program"));
    if (!built.refusal.empty()) {
      division.refusal = std::move(built.refusal);
      return elsewhere(std::move(module), division);
    }
    assign(module, module.entry().instruction_ids());
    BP_ASSIGN(auto program, load(std::move(built)));
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

  Result<Artifact> make_artifact(ir::Module module) {
    BP_ASSIGN(Division division, divide(module));
    if (division.is_whole) {
      BP_ASSIGN(Built built, build(module, "program"));
      if (built.refusal.empty()) {
        return Artifact{std::move(built.artifact), std::move(report_)};
      }
      division.refusal = std::move(built.refusal);
    }
    if (!division.refusal.empty()) {
      report_all_on_host(module, division.refusal);
    }
    report_on_host(module, division);
    Status refused = check_device_only();
    BP_CHECK(!refused.ok());
    return std::move(refused).error();
  }

 private:
  // Who runs what.
  struct Division {
    bool is_whole = false;    // the device runs all of it, as one program
    std::string refusal;      // or this is why nothing can be said to the device
    std::vector<Part> parts;  // or they are several
    Claims claims;
  };

  // A program of the device, not loaded yet.
  struct Built {
    std::string refusal;  // not empty: the device refused a form it was given, and there is nothing else
    ir::Module module;
    host::Image image;
    std::vector<std::byte> artifact;  // empty if the device has kernels only
    bool is_cached = false;           // the artifact was made before
  };

  // Simplifies the module, asks the device about it, and expands what it does not claim.
  Result<Division> divide(ir::Module &module) {
    {
      Stopwatch watch(report_.passes);
      BP_TRY(ir::verify(module));
    }
    BP_TRY(observe("00-input", module));
    BP_TRY(run_stage(module, passes::Stage::Simplify));
    Division division;
    auto image = host::build_image(module, host::Stage::Legalize);
    if (!image.ok()) {
      // Something in it cannot be said to any device.
      division.refusal = image.error().message();
      return division;
    }
    BP_ASSIGN(Claims claims, ask(*device_, module, *image));
    BP_TRY(expand(module, claims));
    BP_TRY(fuse_patterns(module, claims));
    report_.instructions = module.instruction_count();
    division.parts = partition(module, claims.claimed);
    division.is_whole = division.parts.size() == 1 && division.parts[0].place == Place::Device;
    division.claims = std::move(claims);
    return division;
  }

  Status observe(const std::string &name, const ir::Module &module) {
    return options_.observer == nullptr ? Status() : options_.observer->module(name, module);
  }

  // Rewrites what the device refuses as something it may run: first ops that hardly any device has, then, if something is
  // still refused, down to the primitives.
  Status expand(ir::Module &module, Claims &claims) {
    BP_TRY(expand(module, claims, passes_of(passes::Stage::Expand)));
    std::vector<passes::Pass> all = passes_of(passes::Stage::Expand);
    std::ranges::copy(passes_of(passes::Stage::Primitives), std::back_inserter(all));
    return expand(module, claims, all);
  }

  // In rounds: the device is asked about what one round makes before the next. The expanded form of what only the host
  // runs is worse than the op itself, so all is left as it was unless the device refuses fewer instructions in the end.
  Status expand(ir::Module &module, Claims &claims, std::span<const passes::Pass> list) {
    constexpr int max_rounds = 16;  // more than any op has levels
    const std::int64_t refused = count_refused(claims);
    if (refused == 0) {
      return {};
    }
    BP_ASSIGN(has_f64_, computes_in(ir::ElementType::F64));
    ir::Module expanded = module;
    Claims answer = claims;
    for (int round = 0; round < max_rounds && count_refused(answer) > 0; ++round) {
      const int passes_before = pass_count_;
      {
        Stopwatch watch(report_.passes);
        BP_TRY(run_passes(expanded, list, leaving_native(expanded, answer)));
      }
      if (pass_count_ == passes_before) {
        break;
      }
      BP_TRY(run_stage(expanded, passes::Stage::Simplify));
      auto image = host::build_image(expanded, host::Stage::Legalize);
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

  // Whether it adds numbers of this type.
  Result<bool> computes_in(ir::ElementType type) const {
    ir::Module probe;
    ir::Builder b(probe, probe.add_computation("probe"));
    const ir::InstructionId x = b.parameter(ir::Shape::array(type, {1}));
    const ir::InstructionId sum = b.add(ir::Opcode::Add, {x, x});
    b.finish(sum);
    BP_ASSIGN(const host::Image image, host::build_image(probe, host::Stage::Legalize));
    BP_ASSIGN(const Claims claims, ask(*device_, probe, image));
    return claims.claimed[index(sum)];
  }

  // What the device leaves to others alone it may run as part of a pattern, such as a dot with bias and activation: it is
  // offered each, the longest first.
  Status fuse_patterns(ir::Module &module, Claims &claims) {
    passes::PassContext context;
    context.fusion = limits_of(*device_);
    if (!options_.fuse || !context.fusion.contractions || count_refused(claims) == 0) {
      return {};
    }
    constexpr std::size_t most_ends = 8;
    ir::Module fused = module;
    Claims answer;
    for (; context.fusion.ends_before_last < most_ends; ++context.fusion.ends_before_last) {
      BP_ASSIGN(bool changed, passes::contraction_fusion(fused, context));
      BP_ASSIGN(answer, ask_fused(fused));
      std::vector<ir::InstructionId> refused;
      for (ir::InstructionId id : fusions_made(module, fused, answer)) {
        if (answer.refused[index(id)]) {
          refused.push_back(id);
        }
      }
      if (!changed || refused.empty()) {
        break;
      }
      BP_ASSIGN(auto parts, passes::take_apart(fused, refused));
      BP_ASSIGN(answer, ask_fused(fused));
    }
    if (count_refused(answer) < count_refused(claims)) {
      module = std::move(fused);
      claims = std::move(answer);
    }
    return {};
  }

  // Expanding passes leave alone what the device claims, and what they make until the device was asked about it.
  static passes::PassContext leaving_native(const ir::Module &module, const Claims &claims) {
    passes::PassContext context;
    context.is_native = [&claims, refused = computations_of_refused(module, claims)](ir::Instruction i) {
      const auto computation = index(i.parent().id());
      return index(i.id()) >= claims.refused.size() ||
             !(claims.refused[index(i.id())] || (computation < refused.size() && refused[computation]));
    };
    return context;
  }

  Status run_stage(ir::Module &module, passes::Stage stage, passes::PassContext context = {}) {
    Stopwatch watch(report_.passes);
    return run_passes(module, passes_of(stage), std::move(context));
  }

  Status run_passes(ir::Module &module, std::span<const passes::Pass> list, passes::PassContext context = {}) {
    passes::PipelineOptions pipeline;
    pipeline.context = std::move(context);
    pipeline.context.memory_limit = memory_limit_;
    pipeline.context.has_f64 = has_f64_;
    pipeline.compare = options_.compare;
    pipeline.verify_between_passes = options_.verify;
    if (!options_.fold_constants) {
      pipeline.context.max_folding_work = 0;
    }
    pipeline.after_pass = [&](const ir::Module &after, const passes::PassReport &pass) {
      return pass.changed ? observe(fmt::format("{:02}-{}", ++pass_count_, pass.name), after) : Status();
    };
    return passes::run_passes(module, list, pipeline);
  }

  void report_on_host(const ir::Module &module, const Part &part, const Claims &claims) {
    for (ir::InstructionId id : part.instructions) {
      ir::Instruction i = module.instruction(id);
      if (is_claimable(i.opcode())) {
        report_.on_host.push_back({std::string(i.name()), i.opcode(), claims.reasons[index(id)]});
      }
    }
  }

  void report_on_host(const ir::Module &module, const Division &division) {
    for (const Part &part : division.parts) {
      if (part.place == Place::Host) {
        report_on_host(module, part, division.claims);
      }
    }
  }

  // Everything, for one reason.
  void report_all_on_host(const ir::Module &module, const std::string &reason) {
    report_.on_host.clear();
    for (ir::Instruction i : module.entry().instructions()) {
      if (is_claimable(i.opcode())) {
        report_.on_host.push_back({std::string(i.name()), i.opcode(), reason});
      }
    }
  }

  // The device can do nothing with the module as a whole.
  Result<Compiled> elsewhere(ir::Module module, const Division &division) {
    if (!others_.empty()) {
      BP_ASSIGN(Compiled compiled, compile(std::move(module), others_, options_));
      add(compiled.report);
      return Compiled{std::move(compiled.executable), std::move(report_)};
    }
    report_all_on_host(module, division.refusal);
    BP_TRY(check_device_only());
    return Compiled{runtime::Executable::on_host(std::move(module)), std::move(report_)};
  }

  // What another device made of a part.
  void add(Report &other) {
    report_.programs += other.programs;
    report_.cached += other.cached;
    report_.artifact_bytes += other.artifact_bytes;
    for (double Report::*seconds : {&Report::passes, &Report::plan, &Report::compile, &Report::load}) {
      report_.*seconds += other.*seconds;
    }
    std::ranges::move(other.on_host, std::back_inserter(report_.on_host));
    std::ranges::move(other.assignment, std::back_inserter(report_.assignment));
  }

  // A program of this device is next.
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
    const OnHost &first = report_.on_host[0];
    return unsupported("backend {} does not run {} ({}){}{}", device_->id(), first.name, to_string(first.opcode),
                       first.reason.empty() ? "" : ": ", first.reason);
  }

  Result<Compiled> in_steps(ir::Module module, const Division &division) {
    if (others_.empty()) {
      report_on_host(module, division);
      BP_TRY(check_device_only());
    }
    std::vector<runtime::Step> steps;
    std::vector<bool> available(module.instruction_id_limit());
    for (const Part &part : division.parts) {
      if (part.place == Place::Device) {
        BP_TRY(add_program(module, part, available, steps));
      } else if (others_.empty()) {
        add_host_steps(part, steps);
      } else {
        BP_TRY(add_steps_of_others(module, part, division.claims, available, steps));
      }
      for (ir::InstructionId id : part.instructions) {
        available[index(id)] = true;
      }
    }
    BP_TRY(check_device_only());
    if (report_.programs == 0) {
      return Compiled{runtime::Executable::on_host(std::move(module)), std::move(report_)};
    }
    return Compiled{runtime::Executable(std::move(module), std::move(steps)), std::move(report_)};
  }

  static void add_host_steps(const Part &part, std::vector<runtime::Step> &steps) {
    for (ir::InstructionId id : part.instructions) {
      steps.push_back({.instruction = id});
    }
  }

  Status add_program(const ir::Module &module, const Part &part, const std::vector<bool> &available,
                     std::vector<runtime::Step> &steps) {
    Extract extract = compile::extract(module, part, available);
    BP_ASSIGN(Built built, build(extract.module, fmt::format("program{}", report_.programs)));
    if (!built.refusal.empty()) {
      Claims refused{{}, {}, std::vector(module.instruction_id_limit(), built.refusal), {}, 0};
      report_on_host(module, part, refused);
      add_host_steps(part, steps);
      return {};
    }
    assign(module, part.instructions);
    BP_ASSIGN(auto program, load(std::move(built)));
    steps.push_back({std::move(program), nullptr, std::move(extract.inputs), std::move(extract.outputs)});
    return {};
  }

  // What this device leaves is a program of its own for the others: all but parameters, constants and tuples.
  Status add_steps_of_others(const ir::Module &module, const Part &part, const Claims &claims,
                             std::vector<bool> available, std::vector<runtime::Step> &steps) {
    Part before{Place::Host, {}}, computing{Place::Host, {}}, after{Place::Host, {}};
    bool has_tokens = false;
    for (ir::InstructionId id : part.instructions) {
      const ir::Instruction i = module.instruction(id);
      has_tokens |= touches_token(i);
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
      BP_ASSIGN(Compiled compiled, compile(std::move(extract.module), others_, options_));
      if (compiled.report.programs > 0) {
        add(compiled.report);
        add_host_steps(before, steps);
        steps.push_back({nullptr, std::make_shared<const runtime::Executable>(std::move(compiled.executable)),
                         std::move(extract.inputs), std::move(extract.outputs)});
        add_host_steps(after, steps);
        return {};
      }
    }
    report_on_host(module, part, claims);
    add_host_steps(part, steps);
    return {};
  }

  // Lays arrays out as the device wishes. All stays as it was if the device refuses something in that form.
  Status assign_layouts(ir::Module &module) {
    if (device_->layout() == nullptr) {
      return {};
    }
    BP_ASSIGN(host::Image before, host::build_image(module, host::Stage::Legalize));
    passes::PassContext context;
    BP_ASSIGN(context.layout_wishes, ask_for_layouts(*device_, module, before));
    if (context.layout_wishes.empty()) {
      return {};
    }
    if (device_->memory() != nullptr && device_->memory()->spaces[0].gb_per_s > 0) {
      context.memory_gigabytes_per_second = static_cast<double>(device_->memory()->spaces[0].gb_per_s);
    }
    ir::Module laid_out = module;
    BP_TRY(run_stage(laid_out, passes::Stage::Layout, std::move(context)));
    BP_ASSIGN(host::Image image, host::build_image(laid_out, host::Stage::LaidOut));
    BP_ASSIGN(Claims claims, ask(*device_, laid_out, image));
    if (!first_unclaimed(laid_out, claims)) {
      module = std::move(laid_out);
    }
    return {};
  }

  // Fuses what the device takes. A fusion that it refuses, or that costs more than its parts, is taken apart, and only
  // simple loops are made of these. All stays as it was if the device refuses those, too.
  Status fuse(ir::Module &module) {
    ir::Module fused = module;
    passes::PassContext context;
    context.fusion = limits_of(*device_);
    BP_TRY(run_stage(fused, passes::Stage::Fuse, context));
    BP_ASSIGN(Claims claims, ask_fused(fused));
    if (device_->fusion() != nullptr) {
      BP_ASSIGN(std::vector<ir::InstructionId> bad, bad_fusions(module, fused, claims));
      if (!bad.empty()) {
        BP_ASSIGN(auto parts, passes::take_apart(fused, bad));
        passes::FusionLimits &simple = context.fusion;
        simple.contractions = simple.rows = simple.results = false;  // nor small kernels, which have several results
        BP_TRY(run_stage(fused, passes::Stage::Fuse, context));
        BP_ASSIGN(claims, ask_fused(fused));
      }
    }
    if (!first_unclaimed(fused, claims)) {
      module = std::move(fused);
    }
    return {};
  }

  Result<Claims> ask_fused(const ir::Module &module) const {
    BP_ASSIGN(host::Image image, host::build_image(module, host::Stage::Fused));
    return ask(*device_, module, image);
  }

  // Fusions that were not there before and that the device was asked about.
  static std::vector<ir::InstructionId> fusions_made(const ir::Module &before, const ir::Module &fused,
                                                     const Claims &claims) {
    std::unordered_set<std::string_view> old;
    for (ir::Computation computation : before.computations()) {
      for (ir::Instruction i : computation.instructions()) {
        if (i.opcode() == ir::Opcode::Fusion) {
          old.insert(i.name());
        }
      }
    }
    std::vector<ir::InstructionId> made;
    for (ir::Computation computation : fused.computations()) {
      for (ir::Instruction i : computation.instructions()) {
        const bool was_asked = claims.claimed[index(i.id())] || claims.refused[index(i.id())];
        if (i.opcode() == ir::Opcode::Fusion && was_asked && !old.contains(i.name())) {
          made.push_back(i.id());
        }
      }
    }
    return made;
  }

  // Those that the device refuses or rates above what they are made of.
  Result<std::vector<ir::InstructionId>> bad_fusions(const ir::Module &before, const ir::Module &fused,
                                                     const Claims &claims) const {
    const std::vector<ir::InstructionId> made = fusions_made(before, fused, claims);
    ir::Module apart = fused;
    BP_ASSIGN(auto parts, passes::take_apart(apart, made));
    BP_ASSIGN(Claims of_parts, ask_fused(apart));
    std::vector<ir::InstructionId> bad;
    for (std::size_t i = 0; i < made.size(); ++i) {
      double price = 0;
      for (ir::InstructionId part : parts[i]) {
        price += static_cast<double>(of_parts.cost[index(part)]);
      }
      if (claims.refused[index(made[i])] || static_cast<double>(claims.cost[index(made[i])]) > price) {
        bad.push_back(made[i]);
      }
    }
    return bad;
  }

  // One program of the device from a module whose entry it has claimed.
  Result<Built> build(ir::Module module, const std::string &name) {
    BP_TRY(assign_layouts(module));
    if (options_.fuse) {
      BP_TRY(fuse(module));
    }
    BP_TRY(run_stage(module, passes::Stage::Finalize));
    buffers::Plan plan;
    host::Image image;
    {
      Stopwatch watch(report_.plan);
      BP_TRY(run_passes(module, buffer_passes()));
      buffers::Options limits;
      if (memory_limit_ > 0) {
        limits.spaces = {{.memory_space = 0, .capacity = memory_limit_}};
      }
      add_fast_space(limits);
      BP_ASSIGN(plan, buffers::assign(module, limits));
      if (options_.verify) {
        BP_TRY(ir::verify(module));
        BP_TRY(buffers::validate(module, plan));
      }
      number_spaces(plan);
      BP_ASSIGN(image, host::build_image(module, host::Stage::Final, &plan));
      if (options_.verify) {
        BP_TRY(host::validate_image(image.bytes()));
      }
    }
    BP_ASSIGN(Claims claims, ask(*device_, module, image));
    if (auto refused = first_unclaimed(module, claims)) {
      Built none;
      none.refusal = fmt::format("in the planned form, {} ({}) is not claimed: {}", refused->name(),
                                 to_string(refused->opcode()), claims.reasons[index(refused->id())]);
      return none;
    }

    std::vector<std::byte> artifact;
    bool is_cached = false;
    if (device_->compiler() != nullptr) {
      BP_ASSIGN(std::optional<std::vector<std::byte>> cached, find_cached(image));
      is_cached = cached.has_value();
      if (is_cached) {
        artifact = std::move(*cached);
      } else {
        BP_ASSIGN(artifact, compile_image(image));
      }
    }
    if (options_.observer != nullptr) {
      BP_TRY(options_.observer->program(name, module, plan, image, artifact));
    }
    report_.artifact_bytes += static_cast<std::int64_t>(artifact.size());
    return Built{{}, std::move(module), std::move(image), std::move(artifact), is_cached};
  }

  std::span<const bp_space_t> spaces() const {
    return device_->memory() == nullptr ? std::span<const bp_space_t>()
                                        : std::span(device_->memory()->spaces, device_->memory()->space_count);
  }

  // The first that lives as long as a run is for temporaries.
  void add_fast_space(buffers::Options &limits) const {
    for (const bp_space_t &space : spaces()) {
      const bool has_capacity = space.capacity > 0 && space.capacity < INT64_MAX;
      if ((space.flags & BP_SPACE_PER_RUN) != 0 && has_capacity && space.hlo_space != 0) {
        limits.fast_space = space.hlo_space;
        limits.spaces.push_back({space.hlo_space, static_cast<std::int64_t>(space.capacity), 0});
        return;
      }
    }
  }

  // HLO's numbers of memory spaces become the device's; what it does not have is put into its space 0.
  void number_spaces(buffers::Plan &plan) const {
    for (buffers::Allocation &allocation : plan.allocations) {
      const auto found = std::ranges::find(spaces(), allocation.memory_space, &bp_space_t::hlo_space);
      allocation.memory_space = found == spaces().end() ? 0 : found - spaces().begin();
    }
  }

  Result<std::shared_ptr<const runtime::Program>> load(Built built) {
    ++report_.programs;
    if (device_->compiler() == nullptr) {
      Stopwatch watch(report_.load);
      return runtime::Program::load_kernels(device_, built.module, std::move(built.image));
    }
    if (built.is_cached) {
      auto loaded = load_artifact(built.module, built.image, built.artifact);
      if (loaded.ok()) {
        ++report_.cached;
        return loaded;
      }
      BP_ASSIGN(built.artifact, compile_image(built.image));  // the device does not take it any more (BP-LOAD-01)
    }
    return load_artifact(built.module, std::move(built.image), built.artifact);
  }

  Result<std::shared_ptr<const runtime::Program>> load_artifact(const ir::Module &module, host::Image image,
                                                                std::span<const std::byte> artifact) {
    Stopwatch watch(report_.load);
    return runtime::Program::load(device_, module, std::move(image), artifact);
  }

  Result<std::optional<std::vector<std::byte>>> find_cached(const host::Image &image) const {
    if (options_.cache == nullptr) {
      return std::optional<std::vector<std::byte>>();
    }
    BP_ASSIGN(const ArtifactCache::Key key, ArtifactCache::key(*device_, image.module()));
    return options_.cache->find(key);
  }

  Result<std::vector<std::byte>> compile_image(const host::Image &image) {
    Stopwatch watch(report_.compile);
    host::ByteSink artifact;
    host::Diagnostics diagnostics;
    bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
      return device_->compiler()->compile(device_->abi(), image.module(), artifact.abi(), diag);
    });
    BP_TRY(diagnostics.result(status, device_->id(), "compile", image.module()));
    std::vector<std::byte> bytes = artifact.take();
    if (options_.cache != nullptr) {
      BP_ASSIGN(const ArtifactCache::Key key, ArtifactCache::key(*device_, image.module()));
      if (const Status stored = options_.cache->store(key, bytes); !stored.ok()) {
        report_.cache_problem = stored.error().to_string();  // no reason not to run
      }
    }
    return bytes;
  }

  std::shared_ptr<const host::Device> device_;
  Devices others_;
  const Options &options_;
  const std::int64_t memory_limit_;
  Report report_;
  int pass_count_ = 0;
  bool has_f64_ = true;
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

Result<Compiled> compile(ir::Module module, Devices devices, const Options &options) {
  BP_CHECK(!devices.empty());
  return Compilation(devices, options).run(std::move(module));
}

Result<Compiled> compile(ir::Module module, std::shared_ptr<const host::Device> device, const Options &options) {
  return compile(std::move(module), Devices(&device, 1), options);
}

Result<Artifact> make_artifact(ir::Module module, std::shared_ptr<const host::Device> device, Options options) {
  if (device->compiler() == nullptr) {
    return unsupported("backend {} has no {}: it makes no artifacts", device->id(), BP_EXT_COMPILER);
  }
  options.device_only = true;
  return Compilation({&device, 1}, options).make_artifact(std::move(module));
}

}  // namespace bp::compile
