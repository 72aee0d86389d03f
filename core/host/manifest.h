// The manifest of a plugin: the JSON of backplane/manifest.h, read and checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backplane/base/status.h"
#include "core/base/result.h"

namespace bp::host {

// One kind of device.
struct ManifestDevice {
  std::string id;                       // "com.acme.npu"
  std::string name;                     // "Acme NPU 3"
  std::vector<std::string> aliases;     // "acme", "acme-3"
  std::vector<std::string> extensions;  // "bp.kernels/1"

  bool answers_to(std::string_view name) const;  // whether it is the id or an alias
};

// One format of programs that the plugin reads: ext/draft/front_end.h.
struct ManifestFrontEnd {
  std::string name;                  // "lines"
  std::string description;           // "a program of Lines"
  std::vector<std::string> endings;  // ".lines"
  std::string first_bytes;           // with which every file begins; empty if there are none such
};

// The report of the conformance suite that a plugin comes with.
struct ReportReference {
  std::string file;    // name of a file in the plugin's directory
  std::string sha256;  // its hash, 64 hexadecimal digits; all are 0 before `backplane conform attach` writes it
};

struct Manifest {
  bp_version_t abi{};
  std::string version;      // version of the plugin
  std::uint32_t opset = 0;  // newest opset that it understands
  std::string vendor, url;  // may be empty
  std::optional<ReportReference> conformance;
  std::vector<std::string> cpu_features;
  std::vector<ManifestDevice> devices;       // none: the plugin has front ends
  std::vector<ManifestFrontEnd> front_ends;  // none: the plugin has devices

  // Returns the device with this id or alias; nullptr if there is none.
  const ManifestDevice *find(std::string_view name) const;
};

// Messages give the path in the JSON: "manifest: devices[0].id is "NPU", expected ...". Unknown keys are ignored.
Result<Manifest> parse_manifest(std::string_view json);

std::string to_string(bp_version_t version);  // "1.0.0"

// Returns the features of `wanted` that this processor lacks. Names are those of /proc/cpuinfo and of the x86-64 levels
// ("avx512f", "x86-64-v3"); an unknown name counts as lacking.
std::vector<std::string> missing_cpu_features(const std::vector<std::string> &wanted);

}  // namespace bp::host
