#include "conformance/report/json_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <limits>

#include "conformance/report/signature_line.h"
#include "core/base/sha256.h"

namespace bp::conformance {
namespace {

namespace json = boost::json;

std::optional<CaseStatus> status_from(std::string_view name) {
  const auto at = std::ranges::find(case_status_names, name);
  return at == case_status_names.end() ? std::nullopt
                                       : std::optional(static_cast<CaseStatus>(at - case_status_names.begin()));
}

// Replaces invalid UTF-8: text from a plugin may contain it, JSON must not.
std::string as_utf8(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = byte < 0x80                   ? 1
                               : byte >= 0xc2 && byte < 0xe0 ? 2
                               : (byte & 0xf0) == 0xe0       ? 3
                               : byte >= 0xf0 && byte < 0xf5 ? 4
                                                             : 0;
    bool is_whole = length != 0 && i + length <= text.size();
    for (std::size_t k = 1; is_whole && k < length; ++k) {
      is_whole = (static_cast<unsigned char>(text[i + k]) & 0xc0) == 0x80;
    }
    json::error_code problem;
    if (is_whole && length > 2) {  // rejects overlong forms and surrogates
      json::parse('"' + std::string(text.substr(i, length)) + '"', problem);
    }
    if (is_whole && !problem) {
      out += text.substr(i, length);
    }
    out += is_whole && !problem ? "" : "?";
    i += is_whole && !problem ? length : 1;
  }
  return out;
}

// Reads fields and remembers the first one that is missing or has the wrong type.
class Fields {
 public:
  explicit Fields(const json::object &object) : object_(object) {}

  std::string text(const char *name, bool is_required = true) {
    const json::value *value = find(name, is_required);
    if (value != nullptr && value->is_string()) {
      return std::string(value->as_string());
    }
    return complain(value, name), std::string();
  }
  double number(const char *name) {
    const json::value *value = find(name, true);
    if (value != nullptr && value->is_number()) {
      return value->to_number<double>();
    }
    return complain(value, name), 0.0;
  }
  std::uint64_t count(const char *name) {
    const json::value *value = find(name, true);
    json::error_code problem;
    const std::uint64_t count = value == nullptr ? 0 : value->to_number<std::uint64_t>(problem);
    if (problem) {
      complain(value, name);
    }
    return count;
  }
  const json::object *object(const char *name) {
    const json::value *value = find(name, true);
    if (value != nullptr && !value->is_object()) {
      complain(value, name);
    }
    return value == nullptr ? nullptr : value->if_object();
  }
  Status status() const { return problem_.empty() ? Status() : Status(invalid_input("{}", problem_)); }

 private:
  const json::value *find(const char *name, bool is_required) {
    const json::value *value = object_.if_contains(name);
    if (value == nullptr && is_required && problem_.empty()) {
      problem_ = fmt::format("lacks the field '{}'", name);
    }
    return value;
  }
  void complain(const json::value *value, const char *name) {
    if (value != nullptr && problem_.empty()) {
      problem_ = fmt::format("has a field '{}' of another type than expected", name);
    }
  }

  const json::object &object_;
  std::string problem_;
};

Result<json::object> parse_object(std::string_view line) {
  json::error_code problem;
  json::value value = json::parse(line, problem);
  if (problem || !value.is_object()) {
    return invalid_input("is not a JSON object{}{}", problem ? ": " : "", problem ? problem.message() : "");
  }
  return std::move(value.as_object());
}

Result<Header> header_from_json(std::string_view line) {
  BP_ASSIGN(const json::object object, parse_object(line));
  Fields fields(object);
  Header header;
  header.plugin = fields.text("plugin");
  header.plugin_sha256 = fields.text("plugin_sha256");
  header.expectations_sha256 = fields.text("expectations_sha256", false);
  header.suite_sha256 = fields.text("suite_sha256", false);
  header.device = fields.text("device");
  header.device_name = fields.text("device_name");
  header.version = fields.text("version");
  header.tier = fields.text("tier");
  header.host_version = fields.text("host_version");
  header.machine = fields.text("machine");
  header.mode = fields.text("mode");
  header.seed = fields.count("seed");
  header.selection = fields.text("selection");
  header.shard = fields.text("shard", false);
  header.mutant = fields.text("mutant", false);
  header.challenge = fields.text("challenge", false);
  if (object.contains("models")) {
    const json::array *models = object.at("models").if_array();
    if (models == nullptr || std::ranges::any_of(*models, [](const json::value &one) { return !one.is_string(); })) {
      return invalid_input("has a field 'models' of another type than expected");
    }
    for (const json::value &model : *models) {
      header.models.emplace_back(model.as_string());
    }
  }
  if (const json::object *settings = fields.object("settings")) {
    for (const auto &[name, value] : *settings) {
      if (value.is_string()) {
        header.settings.emplace_back(name, value.as_string());
      }
    }
  }
  BP_TRY(fields.status());
  return header;
}

Result<Totals> totals_from_json(const json::object &object) {
  Fields fields(object);
  Totals totals;
  totals.seconds = fields.number("seconds");
  totals.sha256 = fields.text("sha256");
  if (const json::object *counts = fields.object("totals")) {
    Fields counted(*counts);
    for (std::size_t i = 0; i < case_status_count; ++i) {
      // Reports of earlier versions lack the statuses that came later.
      totals.counts[i] = counts->contains(case_status_names[i]) ? counted.count(case_status_names[i].data()) : 0;
    }
    BP_TRY(counted.status());
  }
  BP_TRY(fields.status());
  return totals;
}

json::object json_of(const Measurement &measured) {
  json::object object{{"seconds", measured.seconds}, {"spread", measured.spread}, {"least", measured.least},
                      {"runs", measured.runs},       {"bytes", measured.bytes},   {"operations", measured.operations}};
  if (!measured.what.empty()) {
    object["what"] = measured.what;
  }
  object["clock"] = measured.is_of_device ? "device" : "wall";
  if (measured.reference_seconds > 0) {
    object["yardstick"] = measured.reference_seconds;
  }
  if (measured.development) {
    object["change"] = to_string(measured.development->change);
    object["earlier_seconds"] = measured.development->earlier_seconds;
  }
  return object;
}

Result<Measurement> measurement_from(const json::object &object) {
  Fields fields(object);
  Measurement measured;
  measured.what = fields.text("what", false);
  measured.seconds = fields.number("seconds");
  measured.spread = fields.number("spread");
  measured.least = fields.number("least");
  measured.runs = fields.count("runs");
  measured.bytes = fields.number("bytes");
  measured.operations = fields.number("operations");
  measured.is_of_device = fields.text("clock") == "device";
  measured.reference_seconds = object.contains("yardstick") ? fields.number("yardstick") : 0;
  if (object.contains("change")) {
    const std::string change = fields.text("change");
    measured.development = {.change = change == to_string(Change::Slower)   ? Change::Slower
                                      : change == to_string(Change::Faster) ? Change::Faster
                                                                            : Change::Same,
                            .earlier_seconds = fields.number("earlier_seconds")};
  }
  BP_TRY(fields.status());
  return measured;
}

Result<Record> record_from(const json::object &object) {
  Fields fields(object);
  Record record;
  record.id = fields.text("id");
  record.stage = fields.text("stage");
  const std::string status = fields.text("status");
  record.verdict.message = fields.text("message", false);
  record.verdict.op = fields.text("op", false);
  record.verdict.type = fields.text("type", false);
  if (object.contains("max_ulp")) {
    // JSON has no infinity: it is written as a string.
    const json::value &value = object.at("max_ulp");
    record.verdict.max_ulp = value.is_string() ? std::numeric_limits<double>::infinity() : fields.number("max_ulp");
  }
  record.verdict.allowed = fields.text("allowed", false);
  record.verdict.is_evidence = !object.contains("no_evidence");
  record.verdict.is_trivial = object.contains("trivial");
  record.seconds = fields.number("seconds");
  record.seed = fields.count("seed");
  if (object.contains("measured")) {
    if (const json::object *measured = fields.object("measured")) {
      BP_ASSIGN(record.verdict.measured, measurement_from(*measured));
    }
  }
  record.rerun = fields.text("rerun", false);
  BP_TRY(fields.status());
  const auto known = status_from(status);
  if (!known) {
    return invalid_input("has the status '{}', expected one of: {}", status, fmt::join(case_status_names, ", "));
  }
  record.verdict.status = *known;
  return record;
}

}  // namespace

std::string to_json(const Header &header) {
  json::object settings;
  for (const auto &[name, value] : header.settings) {
    settings[as_utf8(name)] = as_utf8(value);
  }
  json::object object{{"plugin", as_utf8(header.plugin)},
                      {"plugin_sha256", header.plugin_sha256},
                      {"expectations_sha256", header.expectations_sha256},
                      {"suite_sha256", header.suite_sha256},
                      {"device", header.device},
                      {"device_name", as_utf8(header.device_name)},
                      {"version", as_utf8(header.version)},
                      {"tier", header.tier},
                      {"host_version", header.host_version},
                      {"machine", as_utf8(header.machine)},
                      {"mode", header.mode},
                      {"seed", header.seed},
                      {"selection", as_utf8(header.selection)},
                      {"settings", std::move(settings)}};
  if (!header.shard.empty()) {
    object["shard"] = header.shard;
  }
  if (!header.mutant.empty()) {
    object["mutant"] = as_utf8(header.mutant);
  }
  if (!header.challenge.empty()) {
    object["challenge"] = as_utf8(header.challenge);
  }
  if (!header.models.empty()) {
    json::array models;
    for (const std::string &model : header.models) {
      models.emplace_back(as_utf8(model));
    }
    object["models"] = std::move(models);
  }
  return json::serialize(object);
}

std::string to_json(const Record &record) {
  const Verdict &verdict = record.verdict;
  json::object object{{"id", as_utf8(record.id)},
                      {"stage", record.stage},
                      {"status", to_string(verdict.status)},
                      {"seconds", record.seconds},
                      {"seed", record.seed}};
  for (const auto &[name, text] :
       {std::pair{"message", &verdict.message}, std::pair{"op", &verdict.op}, std::pair{"type", &verdict.type},
        std::pair{"allowed", &verdict.allowed}, std::pair{"rerun", &record.rerun}}) {
    if (!text->empty()) {
      object[name] = as_utf8(*text);
    }
  }
  if (!verdict.is_evidence) {
    object["no_evidence"] = true;
  }
  if (verdict.is_trivial) {
    object["trivial"] = true;
  }
  if (verdict.max_ulp) {
    object["max_ulp"] = std::isfinite(*verdict.max_ulp) ? json::value(*verdict.max_ulp) : json::value("infinite");
  }
  if (verdict.measured) {
    object["measured"] = json_of(*verdict.measured);
  }
  return json::serialize(object);
}

std::string to_json(const Totals &totals) {
  json::object counts;
  for (std::size_t i = 0; i < case_status_count; ++i) {
    counts[case_status_names[i]] = totals.counts[i];
  }
  return json::serialize(
      json::object{{"totals", std::move(counts)}, {"seconds", totals.seconds}, {"sha256", totals.sha256}});
}

std::string to_json_lines(const Report &report) {
  std::string lines = to_json(report.header) + "\n";
  for (const Record &record : report.records) {
    lines += to_json(record) + "\n";
  }
  if (report.totals) {
    Totals totals = *report.totals;
    totals.sha256 = sha256_hex(lines);
    lines += to_json(totals) + "\n";
  }
  return lines;
}

Result<Record> record_from_json(std::string_view line) {
  BP_ASSIGN(const json::object object, parse_object(line));
  return record_from(object);
}

Result<Report> report_from_json(std::string_view lines) {
  Report report;
  std::uint32_t number = 0;
  const auto read_line = [&](std::string_view line, std::size_t begin) -> Status {
    if (number == 1) {
      BP_ASSIGN(report.header, header_from_json(line));
      return {};
    }
    if (report.signature) {
      return invalid_input("comes after the signature, expected nothing");
    }
    if (report.totals) {
      BP_ASSIGN(report.signature, signature_from_json(line, lines.substr(0, begin)));
      return {};
    }
    BP_ASSIGN(const json::object object, parse_object(line));
    if (object.contains("totals")) {
      BP_ASSIGN(report.totals, totals_from_json(object));
      const std::string found = sha256_hex(lines.substr(0, begin));
      if (found != report.totals->sha256) {
        return invalid_input("the lines before have the SHA-256 {}, expected {}", found, report.totals->sha256);
      }
      return {};
    }
    BP_ASSIGN(Record record, record_from(object));
    report.records.push_back(std::move(record));
    return {};
  };
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    ++number;
    if (Status read = read_line(lines.substr(begin, end - begin), begin); !read.ok()) {
      return Error(read.error().code(), fmt::format("line {} {}", number, read.error().message()));
    }
    begin = end + 1;
  }
  if (number == 0) {
    return invalid_input("is empty, expected a report of backplane conform");
  }
  return report;
}

std::string sha256_hex(std::string_view bytes) {
  return fmt::format("{:02x}", fmt::join(sha256(std::as_bytes(std::span(bytes))), ""));
}

}  // namespace bp::conformance
