#include "conformance/runner/certificate.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "conformance/report/json_lines.h"
#include "conformance/report/signature_line.h"
#include "conformance/runner/plugin_hash.h"
#include "core/base/files.h"
#include "core/host/discovery.h"

namespace bp::conformance {
namespace {

namespace filesystem = std::filesystem;
namespace json = boost::json;

std::string own_name() {
  char name[256] = {};
  return gethostname(name, sizeof(name) - 1) == 0 ? name : std::string();
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[16] = {};
  std::strftime(text, sizeof(text), "%Y-%m-%d", &parts);
  return text;
}

// Returns the directory of the stamps; empty if the user has none.
std::string stamp_directory() {
  const char *cache = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
  if (cache != nullptr && *cache == '/') {
    return fmt::format("{}/backplane/verified", cache);
  }
  return home != nullptr && *home == '/' ? fmt::format("{}/.cache/backplane/verified", home) : std::string();
}

std::string stamp_file(const std::string &report_sha256) {
  return fmt::format("{}/{}.json", stamp_directory(), report_sha256);
}

// Returns the stamp of a report and a plugin, if this machine has made one that can be read.
std::optional<Stamp> read_stamp(const std::string &report_sha256, const std::string &of_plugin) {
  const auto text = stamp_directory().empty() ? Result<std::string>(Error(ErrorCode::NotFound, ""))
                                              : read_file(stamp_file(report_sha256));
  json::error_code error;
  const json::value value = text.ok() ? json::parse(*text, error) : json::value();
  const json::object *stamp = value.if_object();
  const auto field = [&](const char *name) {
    const json::value *found = stamp == nullptr ? nullptr : stamp->if_contains(name);
    return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
  };
  if (error || field("report_sha256") != report_sha256 || field("plugin_sha256") != of_plugin ||
      field("machine") != own_name() || field("date").size() != std::string_view("2026-11-27").size()) {
    return std::nullopt;
  }
  const json::value *rerun = stamp->if_contains("rerun");
  return Stamp{field("date"), rerun != nullptr && rerun->is_int64() ? static_cast<std::size_t>(rerun->get_int64()) : 0};
}

// Checks a report that is said to be about the plugin.
Status check_report(const Report &report, const std::string &file, const host::Candidate &plugin,
                    const std::string &of_plugin) {
  BP_TRY(check_totals(report, file));
  const Header &header = report.header;
  if (header.plugin_sha256 != of_plugin) {
    return invalid_input("{}: is about a plugin with the SHA-256 {}, expected {}, which {} has: it is another build",
                         file, header.plugin_sha256, of_plugin, plugin.path);
  }
  if (plugin.manifest->find(header.device) == nullptr) {
    return invalid_input("{}: is about the device {}, which {} does not have", file, header.device, plugin.path);
  }
  if (!header.mutant.empty()) {
    return invalid_input("{}: is about the plugin with the fault {}, expected none", file, header.mutant);
  }
  if (report.records.empty()) {
    return invalid_input("{}: has no case, expected some", file);
  }
  const auto unexpected =
      std::ranges::find_if(report.records, [](const Record &record) { return is_unexpected(record.verdict.status); });
  if (unexpected != report.records.end()) {
    return invalid_input("{}: has {} unexpected results, expected none, such as {}: {}", file,
                         report.totals->unexpected(), unexpected->id, to_string(unexpected->verdict.status));
  }
  return {};
}

// Fills in all but `state` and `problem`; the error is the problem.
Status check_into(Certificate &certificate, const host::Candidate &plugin) {
  const host::ReportReference &reference = *plugin.manifest->conformance;
  certificate.report = (filesystem::path(plugin.path).parent_path() / reference.file).native();
  if (reference.sha256 == no_report_hash()) {
    return invalid_input("the manifest names {}, but not its hash: backplane conform attach {} {} writes it",
                         reference.file, certificate.report, plugin.path);
  }
  const auto lines = read_file(certificate.report);
  if (!lines.ok()) {
    return Error(lines.error()).note("the manifest names this report, expected next to the plugin");
  }
  if (const std::string found = sha256_hex(*lines); found != reference.sha256) {
    return invalid_input("{}: has the SHA-256 {}, the manifest of the plugin says {}: it is another report",
                         certificate.report, found, reference.sha256);
  }
  const auto report = report_from_json(*lines);
  if (!report.ok()) {
    return invalid_input("{}: {}", certificate.report, report.error().message());
  }
  BP_ASSIGN(const std::string bytes, with_report_hash(plugin, no_report_hash()));
  BP_TRY(check_report(*report, certificate.report, plugin, sha256_hex(bytes)));
  certificate.header = report->header;
  certificate.totals = *report->totals;
  certificate.signed_by = report->signature ? report->signature->key.id() : "";
  certificate.stamp = read_stamp(reference.sha256, report->header.plugin_sha256);
  return {};
}

// Replaces the content of a file in one step, with the same permissions.
Status replace_file(const std::string &path, const std::string &content) {
  struct stat before{};
  const std::string made = fmt::format("{}.{}.new", path, getpid());
  BP_TRY(write_file(made, content));
  if (::stat(path.c_str(), &before) != 0 || ::chmod(made.c_str(), before.st_mode & 07777) != 0 ||
      ::rename(made.c_str(), path.c_str()) != 0) {
    const Error error = make_error(ErrorCode::Io, "cannot replace {}: {}", path, std::strerror(errno));
    ::unlink(made.c_str());
    return error;
  }
  return {};
}

}  // namespace

std::string_view to_string(Certificate::State state) {
  switch (state) {
    case Certificate::State::None: return "none";
    case Certificate::State::Claimed: return "claimed";
    case Certificate::State::Checked: return "checked";
    case Certificate::State::Wrong: return "wrong";
  }
  return {};
}

Certificate check_certificate(const host::Candidate &plugin) {
  Certificate certificate;
  if (!plugin.manifest.has_value() || !plugin.x_ray.has_value() || !plugin.manifest->conformance.has_value()) {
    return certificate;
  }
  if (Status checked = check_into(certificate, plugin); !checked.ok()) {
    certificate.state = Certificate::State::Wrong;
    certificate.problem = checked.error().to_string();
  } else {
    certificate.state = certificate.stamp.has_value() ? Certificate::State::Checked : Certificate::State::Claimed;
  }
  return certificate;
}

Status attach_report(const std::string &report, const std::string &plugin) {
  const host::Candidate candidate = host::examine(plugin);
  if (!candidate.manifest.has_value() || !candidate.x_ray.has_value()) {
    return *candidate.refusal;
  }
  if (!candidate.manifest->conformance.has_value()) {
    return invalid_input(
        "{}: the manifest names no report, expected \"conformance\": {{\"report\": \"{}\", \"sha256\": \"000...\"}}, "
        "with 64 zeros",
        plugin, filesystem::path(report).filename().native());
  }
  if (const std::string &named = candidate.manifest->conformance->file;
      named != filesystem::path(report).filename().native()) {
    return invalid_input("{}: is not the report {} that the manifest of {} names", report, named, plugin);
  }
  BP_ASSIGN(const std::string lines, read_file(report));
  BP_ASSIGN(const Report content, read_report(report));
  BP_ASSIGN(const std::string bytes, with_report_hash(candidate, no_report_hash()));
  BP_TRY(check_report(content, report, candidate, sha256_hex(bytes)));
  BP_ASSIGN(const std::string attached, with_report_hash(candidate, sha256_hex(lines)));
  return replace_file(plugin, attached);
}

Result<PublicKey> sign_report(const std::string &report, const std::string &private_key_file) {
  BP_ASSIGN(std::string lines, read_file(report));
  BP_ASSIGN(const Report content, read_report(report));
  BP_TRY(check_totals(content, report));
  if (content.signature) {
    return invalid_input(
        "{}: is signed by {} already, expected no signature: backplane conform report {} -o FILE "
        "writes it without",
        report, content.signature->key.id(), report);
  }
  lines += lines.ends_with('\n') ? "" : "\n";
  BP_ASSIGN(const Signature signature, sign(lines, private_key_file));
  BP_TRY(replace_file(report, lines + to_json(signature) + "\n"));
  return signature.key;
}

Result<std::string> write_stamp(const std::string &report, const Verified &verified) {
  const std::string directory = stamp_directory();
  if (directory.empty()) {
    return make_error(ErrorCode::NotFound, "there is no cache directory, expected XDG_CACHE_HOME or HOME to name one");
  }
  BP_ASSIGN(const std::string lines, read_file(report));
  BP_TRY(make_directory(directory));
  const std::string file = stamp_file(sha256_hex(lines));
  const json::object stamp{{"report_sha256", sha256_hex(lines)},
                           {"plugin_sha256", verified.report.header.plugin_sha256},
                           {"machine", own_name()},
                           {"date", today()},
                           {"rerun", verified.rerun},
                           {"host_version", verified.report.header.host_version}};
  BP_TRY(write_file(file, json::serialize(stamp) + "\n"));
  return file;
}

}  // namespace bp::conformance
