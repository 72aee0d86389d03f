#include "core/compile/program_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "core/buffers/assign.h"
#include "core/buffers/validate.h"
#include "core/compile/claims.h"
#include "core/compile/fusions.h"
#include "core/compile/layout_preferences.h"
#include "core/compile/rewriting.h"
#include "core/host/byte_sink.h"
#include "core/host/diagnostics.h"
#include "core/ir/verifier.h"

namespace bp::compile {
namespace {

// Whether the dimensions of an array are not in the order in which they lie in memory.
bool has_other_order(const ir::Module &module) {
  return std::ranges::any_of(module.computations(), [](const ir::Computation &computation) {
    return std::ranges::any_of(computation.instructions(), [](const ir::Instruction &i) {
      return i.shape().is_array() && !i.shape().layout().is_descending();
    });
  });
}

// Runs a stage that changes layouts. The module is left as it was if the device refuses something in the new form.
Status lay_out(Session &session, ir::Module &module, passes::Stage stage, passes::PassContext context = {}) {
  ir::Module laid_out = module;
  BP_TRY(session.run_stage(laid_out, stage, std::move(context)));
  BP_ASSIGN(host::Image image, host::build_image(laid_out, host::Stage::LaidOut, nullptr, session.receiver));
  BP_ASSIGN(Claims claims, ask(*session.device, laid_out, image));
  if (!first_unclaimed(laid_out, claims)) {
    module = std::move(laid_out);
  }
  return {};
}

Status assign_preferred(Session &session, ir::Module &module, std::vector<passes::LayoutPreference> preferences) {
  if (preferences.empty()) {
    return {};
  }
  passes::PassContext context;
  context.layout_preferences = std::move(preferences);
  if (session.device->memory() != nullptr && session.device->memory()->spaces[0].gb_per_s > 0) {
    context.memory_gigabytes_per_second = static_cast<double>(session.device->memory()->spaces[0].gb_per_s);
  }
  return lay_out(session, module, passes::Stage::Layout, std::move(context));
}

Status normalize(Session &session, ir::Module &module) {
  return has_other_order(module) ? lay_out(session, module, passes::Stage::Normalize) : Status();
}

// Assigns the layouts that the device prefers: first the order of dimensions, then, with dimensions numbered in that
// order, tiles, which may depend on it.
Status assign_layouts(Session &session, ir::Module &module) {
  if (session.device->layout() == nullptr) {
    return normalize(session, module);
  }
  const auto preferences = [&]() -> Result<std::vector<passes::LayoutPreference>> {
    BP_ASSIGN(host::Image image, host::build_image(module, host::Stage::Legalize, nullptr, session.receiver));
    return ask_for_layouts(*session.device, module, image);
  };
  const auto has_tiles = [](const passes::LayoutPreference &preference) { return !preference.layout.tiles.empty(); };
  BP_ASSIGN(std::vector<passes::LayoutPreference> orders, preferences());
  const bool are_all_orders = std::erase_if(orders, has_tiles) == 0;
  BP_TRY(assign_preferred(session, module, std::move(orders)));
  BP_TRY(normalize(session, module));
  if (are_all_orders) {
    return {};
  }
  BP_ASSIGN(std::vector<passes::LayoutPreference> tiles, preferences());
  std::erase_if(tiles, std::not_fn(has_tiles));
  return assign_preferred(session, module, std::move(tiles));
}

std::span<const bp_space_t> spaces(const Session &session) {
  return session.device->memory() == nullptr
             ? std::span<const bp_space_t>()
             : std::span(session.device->memory()->spaces, session.device->memory()->space_count);
}

// The first space whose memory lasts only for a run is used for temporaries.
void add_fast_space(const Session &session, buffers::Options &limits) {
  for (const bp_space_t &space : spaces(session)) {
    const bool has_capacity = space.capacity > 0 && space.capacity < INT64_MAX;
    if ((space.flags & BP_SPACE_PER_RUN) != 0 && has_capacity && space.hlo_space != 0) {
      limits.fast_space = space.hlo_space;
      limits.spaces.push_back({space.hlo_space, static_cast<std::int64_t>(space.capacity), 0});
      return;
    }
  }
}

// Converts HLO's numbers of memory spaces to the device's; spaces that the device does not have become its space 0.
void number_spaces(const Session &session, buffers::Plan &plan) {
  for (buffers::Allocation &allocation : plan.allocations) {
    const auto found = std::ranges::find(spaces(session), allocation.memory_space, &bp_space_t::hlo_space);
    allocation.memory_space = found == spaces(session).end() ? 0 : found - spaces(session).begin();
  }
}

// Returns nullopt if there is no cache or the key cannot be computed; this does not prevent the program from running.
std::optional<ArtifactCache::Key> cache_key(Session &session, const host::Image &image) {
  if (session.options.cache == nullptr) {
    return std::nullopt;
  }
  const auto key = ArtifactCache::key(*session.device, image.module());
  if (!key.ok()) {
    session.report.cache_problem = key.error().to_string();
    return std::nullopt;
  }
  return *key;
}

Result<std::vector<std::byte>> compile_image(Session &session, const ir::Module &module, const host::Image &image,
                                             const std::optional<ArtifactCache::Key> &key) {
  Stopwatch watch(session.report.compile);
  BP_TRY(session.check_wanted());
  host::ByteSink artifact;
  host::Diagnostics diagnostics;
  diagnostics.listen([&](std::uint64_t done, std::uint64_t total) {
    if (session.options.progress) {
      session.options.progress(done, total);
    }
    return session.check_wanted().ok();
  });
  diagnostics.offer_constants(image);
  bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
    return session.device->compiler()->compile(session.device->abi(), image.module(), artifact.abi(), diag);
  });
  if (status == BP_CANCELLED) {
    BP_TRY(session.check_wanted());
  }
  BP_TRY(diagnostics.result(status, session.device->id(), "compile", image, module));
  std::vector<std::byte> bytes = artifact.take();
  if (key) {
    if (const Status stored = session.options.cache->store(*key, bytes); !stored.ok()) {
      session.report.cache_problem = stored.error().to_string();
    }
  }
  return bytes;
}

Result<std::shared_ptr<const runtime::Program>> load_artifact(Session &session, const Built &built) {
  Stopwatch watch(session.report.load);
  return session.options.keep_artifacts
             ? runtime::Program::load_and_keep(session.device, runtime::signature_of(built.module), built.image,
                                               built.artifact)
             : runtime::Program::load(session.device, built.module, built.image, built.artifact.bytes());
}

// Makes the final form of a module, with its plan.
Result<host::Image> finalize(Session &session, ir::Module &module, buffers::Plan &plan) {
  BP_TRY(session.run_stage(module, passes::Stage::Finalize));
  Stopwatch watch(session.report.plan);
  BP_TRY(session.run_passes(module, buffer_passes()));
  buffers::Options limits;
  if (session.memory_limit > 0) {
    limits.spaces = {{.memory_space = 0, .capacity = session.memory_limit}};
  }
  add_fast_space(session, limits);
  limits.stays_in_place = [&](const ir::Instruction &i) { return session.receiver.host_calls.has(i); };
  limits.keep_apart = session.device->fusion() != nullptr && session.device->fusion()->limits->min_results_in_order > 0;
  BP_ASSIGN(plan, buffers::assign(module, limits));
  if (session.options.verify) {
    BP_TRY(ir::verify(module));
    BP_TRY(buffers::validate(module, plan));
  }
  number_spaces(session, plan);
  BP_ASSIGN(host::Image image, host::build_image(module, host::Stage::Final, &plan, session.receiver));
  if (session.options.verify) {
    BP_TRY(host::validate_image(image.bytes()));
  }
  return image;
}

}  // namespace

Result<Built> build(Session &session, ir::Module module, const std::string &name) {
  BP_TRY(assign_layouts(session, module));
  BP_TRY(offer(session, module, Phase::LaidOut));
  if (session.options.fuse) {
    BP_TRY(fuse(session, module));
  }
  BP_TRY(offer(session, module, Phase::Fused));
  buffers::Plan plan;
  BP_ASSIGN(host::Image image, finalize(session, module, plan));
  BP_ASSIGN(Claims claims, ask(*session.device, module, image));
  if (auto refused = first_unclaimed(module, claims)) {
    Built none;
    none.refusal = fmt::format("in the planned form, {} ({}) is not claimed: {}", refused->name(),
                               to_string(refused->opcode()), claims.reasons[index(refused->id())]);
    return none;
  }

  std::vector<std::byte> artifact;
  std::optional<ArtifactCache::Key> key;
  bool is_cached = false;
  if (session.device->compiler() != nullptr) {
    key = cache_key(session, image);
    auto cached = key ? session.options.cache->find(*key) : std::nullopt;
    is_cached = cached.has_value();
    if (is_cached) {
      artifact = std::move(*cached);
    } else {
      BP_ASSIGN(artifact, compile_image(session, module, image, key));
    }
  }
  if (session.options.observer != nullptr) {
    BP_TRY(session.options.observer->program(name, module, plan, image, artifact));
  }
  session.report.artifact_bytes += static_cast<std::int64_t>(artifact.size());
  return Built{{}, std::move(module), std::move(image), SharedBytes(std::move(artifact)), is_cached, key};
}

Result<std::shared_ptr<const runtime::Program>> load(Session &session, Built built) {
  ++session.report.programs;
  if (session.device->compiler() == nullptr) {
    Stopwatch watch(session.report.load);
    return runtime::Program::load_kernels(session.device, runtime::signature_of(built.module), std::move(built.image));
  }
  auto loaded = load_artifact(session, built);
  if (built.is_cached && loaded.ok()) {
    ++session.report.cached;
  } else if (built.is_cached) {
    // The device no longer accepts the artifact (BP-LOAD-01).
    BP_ASSIGN(std::vector<std::byte> artifact, compile_image(session, built.module, built.image, built.key));
    built.artifact = SharedBytes(std::move(artifact));
    loaded = load_artifact(session, built);
  }
  if (loaded.ok() || session.options.must_load) {
    return loaded;
  }
  session.report.not_loaded = loaded.error().message();
  return runtime::Program::keep(session.device, runtime::signature_of(built.module), std::move(built.image),
                                std::move(built.artifact), std::move(loaded).error());
}

Result<std::shared_ptr<const runtime::Program>> load_routine(Session &session, ir::Module module) {
  buffers::Plan plan;
  BP_ASSIGN(host::Image image, finalize(session, module, plan));
  ++session.report.programs;
  return runtime::Program::load_kernels(session.device, runtime::signature_of(module), std::move(image));
}

}  // namespace bp::compile
