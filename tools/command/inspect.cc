// `backplane inspect`: a plugin's file as the loader sees it, without running any of it.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <boost/json.hpp>

#include "core/host/diagnostics.h"
#include "core/host/discovery.h"
#include "core/package/package.h"
#include "tools/command/certificate_text.h"
#include "tools/command/inspect_package.h"
#include "tools/command/options.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

// One check of the loader; `problem` says what was found, what was expected, and how to fix it.
struct Finding {
  std::string_view rule;
  std::string problem;  // empty: none
};

struct Inspection {
  std::string path, machine;
  host::XRay x_ray;
  std::vector<std::string> exports;
  std::optional<host::Manifest> manifest;
  std::vector<Finding> findings;
  std::optional<std::string> distrust;  // how others can replace the file
  conformance::Certificate certificate;

  bool is_loadable() const {
    return std::ranges::all_of(findings, [](const Finding &finding) { return finding.problem.empty(); });
  }
  // Adds a finding. Returns whether there was no problem.
  bool add(std::string_view rule, const Status &status) {
    findings.push_back({rule, status.ok() ? std::string() : host::printable(status.error().message())});
    return status.ok();
  }
};

Status status_of(const host::Candidate &candidate) {
  return candidate.refusal ? Status(*candidate.refusal) : Status();
}

// Checks every rule, not only up to the first violation.
bp::Result<Inspection> inspect(const std::string &path) {
  Inspection inspection{path, {}, {}, {}, {}, {}, host::how_others_replace(path), {}};
  BP_ASSIGN(const host::FileBytes bytes, host::FileBytes::open(path));
  host::ElfImage image;
  BP_ASSIGN(image.header, host::read_elf_header(bytes));
  inspection.machine = host::machine_name(image.header.machine);
  bool has_all = false;
  for (const host::XRayRule &rule : host::x_ray_rules()) {
    if (!rule.needs_header_only && !has_all) {
      if (!inspection.is_loadable()) {
        return inspection;  // the rest of such a file cannot be interpreted
      }
      BP_ASSIGN(image, host::read_plugin_elf(bytes));
      has_all = true;
    }
    inspection.add(rule.name, rule.check(image));
  }
  inspection.x_ray = host::describe(image);
  for (const host::ElfSymbol &symbol : image.symbols) {
    if (symbol.exported) {
      inspection.exports.push_back(host::printable(symbol.name));
    }
  }
  if (image.notes.size() == 1) {
    auto manifest = host::parse_manifest(inspection.x_ray.manifest);
    if (inspection.add("valid_manifest", manifest.ok() ? Status() : Status(manifest.error()))) {
      inspection.manifest = std::move(manifest).value();
      const host::Candidate candidate = host::examine(path);
      if (inspection.is_loadable()) {
        inspection.add("fits_this_machine", status_of(candidate));
      }
      inspection.certificate = conformance::check_certificate(candidate);
    }
  }
  return inspection;
}

std::vector<std::string> printable(const std::vector<std::string> &names) {
  std::vector<std::string> shown;
  for (const std::string &name : names) {
    shown.push_back(host::printable(name));
  }
  return shown;
}

void print_json(const Inspection &inspection) {
  boost::json::array rules;
  for (const Finding &finding : inspection.findings) {
    boost::json::object rule{{"rule", finding.rule}, {"kept", finding.problem.empty()}};
    if (!finding.problem.empty()) {
      rule["problem"] = finding.problem;
    }
    rules.push_back(std::move(rule));
  }
  boost::system::error_code error;
  boost::json::value manifest = boost::json::parse(inspection.x_ray.manifest, error);
  const boost::json::object object{
      {"path", inspection.path},
      {"loadable", inspection.is_loadable()},
      {"machine", inspection.machine},
      {"manifest", error ? boost::json::value() : std::move(manifest)},
      {"conformance", to_json(inspection.certificate)},
      {"needed", boost::json::value_from(printable(inspection.x_ray.needed))},
      {"exports", boost::json::value_from(inspection.exports)},
      {"static_constructors", inspection.x_ray.static_constructors},
      {"sanitizers", boost::json::value_from(inspection.x_ray.sanitizers)},
      {"distrust", inspection.distrust ? boost::json::value(*inspection.distrust) : boost::json::value()},
      {"rules", std::move(rules)}};
  fmt::print("{}\n", boost::json::serialize(object));
}

void print_row(std::string_view what, std::string_view value) {
  fmt::print("  {:<13} {}\n", what, value.empty() ? "none" : value);
}

// Lists the first few names, and the number of the others.
std::string list(const std::vector<std::string> &names) {
  constexpr std::size_t shown = 6;
  const std::vector<std::string> first(names.begin(), names.begin() + std::min(shown, names.size()));
  const std::string text = fmt::format("{}", fmt::join(first, ", "));
  return names.size() > shown ? fmt::format("{} and {} more", text, names.size() - shown) : text;
}

void print(const Inspection &inspection) {
  const bool is_loadable = inspection.is_loadable();
  fmt::print("{}: {}\n", inspection.path,
             is_loadable ? paint(Colour::Green, "can be loaded") : paint(Colour::Red, "cannot be loaded"));
  if (inspection.manifest) {
    const host::Manifest &manifest = *inspection.manifest;
    print_row("plugin", fmt::format("{}{}, for version {} of the ABI, opset {}", manifest.version,
                                    manifest.vendor.empty() ? "" : " of " + manifest.vendor,
                                    host::to_string(manifest.abi), manifest.opset));
    for (const host::ManifestDevice &device : manifest.devices) {
      print_row("device",
                fmt::format("{} ({}), known as {}: {}", device.name, device.id,
                            device.aliases.empty() ? device.id : fmt::format("{}", fmt::join(device.aliases, ", ")),
                            fmt::join(device.extensions, " ")));
    }
    for (const host::ManifestFrontEnd &front_end : manifest.front_ends) {
      print_row("front end",
                fmt::format("{}: {} ({})", front_end.name, front_end.description, fmt::join(front_end.endings, " ")));
    }
    const bool is_checked = inspection.certificate.state != conformance::Certificate::State::None;
    print_row("conformance", is_checked || !manifest.conformance
                                 ? describe(inspection.certificate)
                                 : "not checked, because the file breaks rules: " + manifest.conformance->file);
    print_row("CPU features", list(manifest.cpu_features));
  }
  print_row("machine", inspection.machine);
  print_row("needs", list(printable(inspection.x_ray.needed)));
  print_row("exports", list(inspection.exports));
  print_row("constructors", inspection.x_ray.static_constructors == 0
                                ? ""
                                : fmt::format("{} run when it is loaded", inspection.x_ray.static_constructors));
  print_row("sanitizers", list(inspection.x_ray.sanitizers));
  print_row("replaceable", inspection.distrust ? "by others: " + *inspection.distrust : "by its owner and group only");
  for (const Finding &finding : inspection.findings) {
    if (!finding.problem.empty()) {
      fmt::print("{} {}: {}\n", paint(Colour::Red, "broken"), finding.rule, finding.problem);
    }
  }
  fmt::print("{} of {} rules are kept\n",
             std::ranges::count_if(inspection.findings, [](const Finding &finding) { return finding.problem.empty(); }),
             inspection.findings.size());
}

}  // namespace

int inspect_plugin(std::span<const std::string> arguments) {
  Options options(
      "inspect FILE [--json]",
      "Shows a plugin's file as the loader sees it before it runs any code: the manifest, the libraries that it\n"
      "needs, the symbols that it exports, and every rule that it breaks, with how to fix it. The file is not\n"
      "loaded, so it need not be trusted. The exit code is 1 if the loader would refuse it.\n"
      "Of a package, made by `backplane compile -o FILE.bpkg`, shows what it holds and for which backend, after\n"
      "checking every byte of it.",
      "  backplane inspect ./libbackplane_acme.so\n"
      "  backplane inspect --json libbackplane_acme.so\n"
      "  backplane inspect model.bpkg\n");
  options.add_positional("plugin", 1);
  options.add()("json", "print one JSON object, with every rule");
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  if (!options.has("plugin")) {
    return options.misuse("no plugin or package was given");
  }
  const std::string path = options.get<std::string>("plugin");
  if (package::is_package(path)) {
    return inspect_package(path, options.has("json"));
  }
  const auto inspection = inspect(path);
  if (!inspection.ok()) {
    return report(Error(inspection.error()).at({path, 0, 0, {}}));
  }
  options.has("json") ? print_json(*inspection) : print(*inspection);
  return inspection->is_loadable() ? success : negative;
}

}  // namespace bp::command
