// The file on disk: every rule of the X-ray, and the content of the manifest. Nothing of the plugin is loaded.
#include <fmt/format.h>

#include "conformance/suite/stage.h"

namespace bp::conformance {
namespace {

Result<host::ElfImage> read_image(const Subject &subject) {
  BP_ASSIGN(const host::FileBytes bytes, host::FileBytes::open(subject.path()));
  return host::read_plugin_elf(bytes);
}

Result<host::Manifest> read_manifest(const Subject &subject) {
  BP_ASSIGN(const host::ElfImage image, read_image(subject));
  if (image.notes.empty()) {
    return invalid_input("there is no manifest");
  }
  const std::string &content = image.notes[0].content;
  return host::parse_manifest(content.substr(0, content.find('\0')));
}

Verdict can_be_read(Subject &subject) {
  const auto image = read_image(subject);
  return image.ok() ? Verdict() : failure(image.error().message());
}

Verdict manifest_is_valid(Subject &subject) {
  const auto manifest = read_manifest(subject);
  return manifest.ok() ? Verdict() : failure(manifest.error().message());
}

Verdict abi_version_fits(Subject &subject) {
  const auto manifest = read_manifest(subject);
  constexpr bp_version_t ours = BP_VERSION_INIT;
  if (!manifest.ok()) {
    return failure(manifest.error().message());
  }
  return manifest->abi.major == ours.major
             ? Verdict()
             : failure(fmt::format("is built for version {} of the plugin ABI, expected {}.x.x",
                                   host::to_string(manifest->abi), ours.major));
}

Verdict offers_its_tier(Subject &subject) {
  const auto manifest = read_manifest(subject);
  if (!manifest.ok()) {
    return failure(manifest.error().message());
  }
  const std::string extension = "bp." + subject.tier() + "/1";
  const host::ManifestDevice *device = manifest->find(subject.device_id());
  const auto &offered = device == nullptr ? manifest->devices[0].extensions : device->extensions;
  return std::ranges::count(offered, extension) != 0
             ? Verdict()
             : failure(fmt::format("device {} offers {}, expected {}", subject.device_id(),
                                   offered.empty() ? "nothing" : fmt::format("{}", fmt::join(offered, ", ")),
                                   subject.tier().empty() ? "bp.kernels/1 or bp.compiler/1" : extension));
}

// Everything that the loader checks before it loads.
Verdict can_be_loaded(Subject &subject) {
  const host::Candidate candidate = host::examine(subject.path());
  return candidate.refusal ? failure(candidate.refusal->message()) : Verdict();
}

constexpr std::string_view of_devices = "tier";  // the case that a library without devices does not have
constexpr NamedCase x_ray_cases[] = {
    {"readable", can_be_read},     {"manifest", manifest_is_valid}, {"abi_version", abi_version_fits},
    {of_devices, offers_its_tier}, {"loadable", can_be_loaded},
};

std::vector<std::string> list_x_ray(const Subject &subject) {
  std::vector<std::string> ids;
  if (subject.is_interpreter()) {
    return ids;
  }
  for (const host::XRayRule &rule : host::x_ray_rules()) {
    ids.push_back(fmt::format("x_ray/{}", rule.name));
  }
  for (std::string &id : list_cases("x_ray", x_ray_cases)) {
    if (subject.has_device() || !id.ends_with(of_devices)) {
      ids.push_back(std::move(id));
    }
  }
  return ids;
}

Verdict run_x_ray(Subject &subject, const std::string &id) {
  for (const host::XRayRule &rule : host::x_ray_rules()) {
    if (id == fmt::format("x_ray/{}", rule.name)) {
      const auto image = read_image(subject);
      const Status held = image.ok() ? rule.check(*image) : Status(image.error());
      return held.ok() ? Verdict() : failure(held.error().message());
    }
  }
  return run_case("x_ray", x_ray_cases, subject, id);
}

constexpr RuleCases rules_of_x_ray[] = {
    {"BP-ENTRY-01", "x_ray/entry"},
    {"BP-ENTRY-01", "x_ray/one_symbol"},
    {"BP-ENTRY-01", "x_ray/no_unique_symbols"},
    {"BP-LAW-03", "x_ray/no_imports_from_the_core"},
    {"BP-MANIFEST-01", "x_ray/one_manifest"},
    {"BP-MANIFEST-01", "x_ray/manifest"},
};

}  // namespace

const Stage x_ray_stage = {.name = "x_ray",
                           .summary = "the file before it is loaded: symbols, imports, manifest",
                           .list = list_x_ray,
                           .run = run_x_ray,
                           .shares_programs = true,
                           .tests_devices = false,
                           .gate = "x_ray/loadable",
                           .rules = rules_of_x_ray};

}  // namespace bp::conformance
