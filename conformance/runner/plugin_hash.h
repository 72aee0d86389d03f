// The hash of a plugin, as reports state it.
//
// A manifest may name a report by its hash, and the report states the hash of the plugin. The hash of a file cannot
// depend on one that depends on it, so reports state the hash that the plugin's file has while the hash in its manifest
// is all zeros. For plugins without a report it is that of the file.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/host/candidate.h"

namespace bp::conformance {

// Returns 64 zeros: what is in a manifest in place of a report's hash before there is one.
std::string no_report_hash();

// Returns the bytes of the plugin's file with another hash in its manifest, which has to name a report.
Result<std::string> with_report_hash(const host::Candidate &plugin, const std::string &hash);

// Returns the SHA-256 of a plugin's file as reports state it, in hexadecimal digits. The file need not be a plugin.
Result<std::string> plugin_sha256(const std::string &plugin);

// Returns the seed of a challenge. A plugin whose hash was deposited before anybody could know the text cannot have
// been made for this seed. It is the first 13 hexadecimal digits of the SHA-256 of the plugin's hash, in hexadecimal
// digits, followed by the text: 52 bits, so that every reader of JSON keeps all of them.
std::uint64_t challenge_seed(const std::string &plugin_sha256, const std::string &challenge);

}  // namespace bp::conformance
