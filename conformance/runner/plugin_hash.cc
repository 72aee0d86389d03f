#include "conformance/runner/plugin_hash.h"

#include "conformance/report/json_lines.h"
#include "core/base/files.h"
#include "core/host/discovery.h"

namespace bp::conformance {

std::string no_report_hash() {
  constexpr std::size_t digits = 64;
  return std::string(digits, '0');
}

Result<std::string> with_report_hash(const host::Candidate &plugin, const std::string &hash) {
  BP_ASSIGN(std::string bytes, read_file(plugin.path));
  const std::string &manifest = plugin.x_ray->manifest;
  const std::string old = fmt::format("\"{}\"", plugin.manifest->conformance->sha256);
  const std::size_t in_file = bytes.find(manifest), in_manifest = manifest.find(old);
  if (in_file == std::string::npos || in_manifest == std::string::npos ||
      bytes.find(manifest, in_file + 1) != std::string::npos ||
      manifest.find(old, in_manifest + 1) != std::string::npos) {
    return invalid_input("{}: has conformance.sha256 of its manifest {}, expected it once, as plain digits",
                         plugin.path, in_manifest == std::string::npos ? "in another form" : "several times");
  }
  return bytes.replace(in_file + in_manifest + 1, hash.size(), hash);
}

Result<std::string> plugin_sha256(const std::string &plugin) {
  const host::Candidate candidate = host::examine(plugin);
  const bool names_report = candidate.manifest.has_value() && candidate.manifest->conformance.has_value();
  BP_ASSIGN(const std::string bytes, names_report ? with_report_hash(candidate, no_report_hash()) : read_file(plugin));
  return sha256_hex(bytes);
}

std::uint64_t challenge_seed(const std::string &plugin_sha256, const std::string &challenge) {
  constexpr std::size_t digits = 13;
  return std::stoull(sha256_hex(plugin_sha256 + challenge).substr(0, digits), nullptr, 16);
}

}  // namespace bp::conformance
