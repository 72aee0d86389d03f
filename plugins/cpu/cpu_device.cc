#include "plugins/cpu/cpu_device.h"

#include "plugins/cpu/machine_check.h"
#include "plugins/native/ahead_of_time.h"

namespace bp::cpu {

using native::Artifact;
using plugin::Error;
using plugin::Result;
using plugin::Status;

Result<std::string> CpuDevice::init() {
  machine = host_target();
  target = trusted_part(machine);
  if (!options.target.empty()) {
    auto parsed = parse_target(options.target);
    if (!parsed.ok()) {
      return std::move(parsed).error().with_prefix("option target: ");
    }
    target = *parsed;
  }
  if (!options.features.empty()) {
    auto parsed = with_features(target, options.features);
    if (!parsed.ok()) {
      return std::move(parsed).error().with_prefix("option features: ");
    }
    target = *parsed;
  }
  compiler = std::make_unique<native::Compiler>(native_target(target));
  return target.text();
}

Status CpuDevice::claim(const bp_module_t *image, plugin::Claims &claims) const {
  return compiler->claim(image, claims);
}

Result<std::string> CpuDevice::preferences(const bp_module_t *image) const {
  return compiler->preferences(image);
}

Result<std::string> CpuDevice::compile(const bp_module_t *image) const {
  if (!options.emit.empty()) {
    return compiler->write(image, options.emit);
  }
  BP_ASSIGN(Artifact artifact, compiler->compile(image, services, options.dump_dir));
  artifact.target = target.text();
  return native::write_artifact(artifact, artifact_format);
}

Result<std::unique_ptr<native::LoadedProgram>> CpuDevice::load(std::span<const char> bytes,
                                                               std::uint32_t allocation_count) const {
  if (!options.emit.empty()) {
    return Error(BP_INVALID, "with option emit=" + options.emit + " nothing is made that runs: leave it out");
  }
  BP_ASSIGN(const Artifact artifact, native::read_artifact(bytes, artifact_format));
  BP_TRY(native::check_allocations(artifact, allocation_count));
  auto made_for = parse_target(artifact.target);
  if (!made_for.ok()) {
    return std::move(made_for).error().with_prefix("artifact: ");
  }
  if (const std::string missing = made_for->missing_on(machine); !missing.empty()) {
    return Error(BP_INVALID, "artifact is for " + made_for->triple + ", " + missing);
  }
  return native::LoadedProgram::link(artifact, allocation_count, services, options.perf_map);
}

Result<bp_aot_code_t> CpuDevice::describe(std::span<const char> bytes, std::uint32_t) const {
  BP_ASSIGN(const Artifact artifact, native::read_artifact(bytes, artifact_format));
  return native::describe_code(artifact);
}

Result<std::string> CpuDevice::write_object(std::span<const char> bytes, std::uint32_t flags,
                                            std::uint32_t index) const {
  BP_ASSIGN(const Artifact artifact, native::read_artifact(bytes, artifact_format));
  BP_ASSIGN(const Target made_for, parse_target(artifact.target));
  // The check runs on machines that lack what the target has.
  BP_ASSIGN(const Target baseline, parse_target(made_for.triple));
  return native::write_code(artifact, flags, index, native_target(baseline), machine_check_text(made_for));
}

}  // namespace bp::cpu
