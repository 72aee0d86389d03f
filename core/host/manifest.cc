#include "core/host/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <set>

namespace bp::host {
namespace {

namespace json = boost::json;

// Text in the file may be long or contain control bytes: shows its beginning, escaped.
std::string shown(const json::value &value) {
  constexpr std::size_t longest = 60;
  std::string text = json::serialize(value);
  return text.size() > longest ? text.substr(0, longest) + "..." : text;
}

// One object of the manifest. Knows its path in the JSON and reports each wrong field with one message.
class Reader {
 public:
  Reader(const json::object &object, std::string place) : object_(object), place_(std::move(place)) {}

  Result<std::string> text(std::string_view key) const {
    const json::value *value = object_.if_contains(key);
    if (value == nullptr) {
      return invalid_input("manifest: {}{} is missing, expected a string", place_, key);
    }
    return text(*value, key);
  }
  Result<std::string> text_or(std::string_view key, std::string otherwise) const {
    const json::value *value = object_.if_contains(key);
    return value == nullptr ? Result<std::string>(std::move(otherwise)) : text(*value, key);
  }
  Result<std::uint32_t> number(std::string_view key) const {
    const json::value *value = object_.if_contains(key);
    if (value == nullptr) {
      return invalid_input("manifest: {}{} is missing, expected a number", place_, key);
    }
    if (!value->is_int64() || value->get_int64() < 0 || value->get_int64() > UINT32_MAX) {
      return invalid_input("manifest: {}{} is {}, expected a whole number", place_, key, shown(*value));
    }
    return static_cast<std::uint32_t>(value->get_int64());
  }
  // Returns an empty array if the key is absent.
  Result<const json::array *> array(std::string_view key) const {
    static const json::array empty;
    const json::value *value = object_.if_contains(key);
    if (value != nullptr && !value->is_array()) {
      return invalid_input("manifest: {}{} is {}, expected an array", place_, key, shown(*value));
    }
    return value == nullptr ? &empty : &value->get_array();
  }
  Result<std::vector<std::string>> texts(std::string_view key) const {
    BP_ASSIGN(const json::array *values, array(key));
    std::vector<std::string> out;
    for (const json::value &value : *values) {
      BP_ASSIGN(std::string item, text(value, fmt::format("{}[{}]", key, out.size())));
      out.push_back(std::move(item));
    }
    return out;
  }

 private:
  Result<std::string> text(const json::value &value, std::string_view key) const {
    const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
    if (!value.is_string() || value.get_string().empty() || std::ranges::any_of(value.get_string(), is_control)) {
      return invalid_input("manifest: {}{} is {}, expected a string of printable characters", place_, key,
                           shown(value));
    }
    return std::string(value.get_string());
  }

  const json::object &object_;
  std::string place_;
};

bool is_made_of(std::string_view text, std::string_view punctuation) {
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || punctuation.find(c) != std::string_view::npos;
  });
}
bool is_device_id(std::string_view id) {
  return is_made_of(id, ".-") && id.find('.') != std::string_view::npos && id.front() != '.' && id.back() != '.';
}
// Whether it has the form "bp.kernels/1" or "bp.fusion/draft-2" (BP-LAW-02).
bool is_extension_id(std::string_view id) {
  const std::size_t slash = id.find('/');
  if (slash == std::string_view::npos || !is_device_id(id.substr(0, slash))) {
    return false;
  }
  std::string_view revision = id.substr(slash + 1);
  if (constexpr std::string_view draft = "draft-"; revision.starts_with(draft)) {
    revision.remove_prefix(draft.size());
  }
  return !revision.empty() && std::ranges::all_of(revision, [](char c) { return c >= '0' && c <= '9'; });
}

Result<bp_version_t> parse_version(const std::string &text) {
  std::uint32_t parts[3];
  const char *at = text.data(), *const end = at + text.size();
  for (int i = 0; i < 3; ++i) {
    const auto [next, error] = std::from_chars(at, end, parts[i]);
    const bool separated = i == 2 ? next == end : next != end && *next == '.';
    if (error != std::errc() || !separated) {
      return invalid_input("manifest: abi is \"{}\", expected major.minor.revision such as {}", text,
                           to_string(bp_version_t BP_VERSION_INIT));
    }
    at = next + 1;
  }
  return bp_version_t{parts[0], parts[1], parts[2]};
}

bool is_hash(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Result<std::optional<ReportReference>> parse_conformance(const json::object &manifest) {
  const json::value *value = manifest.if_contains("conformance");
  if (value == nullptr || (value->is_string() && value->get_string() == "none")) {
    return std::optional<ReportReference>();
  }
  if (!value->is_object()) {
    return invalid_input("manifest: conformance is {}, expected \"none\" or an object with report and sha256",
                         shown(*value));
  }
  for (const auto &[key, ignored] : value->get_object()) {
    if (key != "report" && key != "sha256") {
      return invalid_input("manifest: conformance has the key {}, expected report and sha256", shown(json::value(key)));
    }
  }
  const Reader reader(value->get_object(), "conformance.");
  ReportReference reference;
  BP_ASSIGN(reference.file, reader.text("report"));
  if (reference.file.find('/') != std::string::npos) {
    return invalid_input("manifest: conformance.report is \"{}\", expected the name of a file next to the plugin",
                         reference.file);
  }
  BP_ASSIGN(reference.sha256, reader.text("sha256"));
  if (!is_hash(reference.sha256)) {
    return invalid_input(
        "manifest: conformance.sha256 is \"{}\", expected 64 hexadecimal digits in lower case; zeros until `backplane "
        "conform attach` writes them",
        reference.sha256);
  }
  return std::optional(std::move(reference));
}

Result<ManifestDevice> parse_device(const json::value &value, std::size_t index) {
  if (!value.is_object()) {
    return invalid_input("manifest: devices[{}] is {}, expected an object", index, shown(value));
  }
  const std::string place = fmt::format("devices[{}].", index);
  const Reader reader(value.get_object(), place);
  ManifestDevice device;
  BP_ASSIGN(device.id, reader.text("id"));
  if (!is_device_id(device.id)) {
    return invalid_input("manifest: {}id is \"{}\", expected lower case words joined by dots such as com.acme.npu",
                         place, device.id);
  }
  BP_ASSIGN(device.name, reader.text("name"));
  BP_ASSIGN(device.aliases, reader.texts("aliases"));
  for (const std::string &alias : device.aliases) {
    if (!is_made_of(alias, "-")) {
      return invalid_input("manifest: {}aliases holds \"{}\", expected lower case letters, digits and -", place, alias);
    }
  }
  BP_ASSIGN(device.extensions, reader.texts("extensions"));
  for (const std::string &extension : device.extensions) {
    if (!is_extension_id(extension)) {
      return invalid_input("manifest: {}extensions holds \"{}\", expected ids such as bp.kernels/1", place, extension);
    }
  }
  return device;
}

// Returns the bytes that a string stands for, each a character from \u0000 to \u00ff; nothing if one is beyond these.
std::optional<std::string> bytes_of(std::string_view utf8) {
  std::string bytes;
  for (std::size_t at = 0; at < utf8.size(); ++at) {
    const auto lead = static_cast<unsigned char>(utf8[at]);
    if (lead < 0x80) {
      bytes.push_back(utf8[at]);
    } else if (lead < 0xc4 && at + 1 < utf8.size()) {  // Boost.JSON has checked that it is UTF-8
      bytes.push_back(static_cast<char>((lead & 3) << 6 | (utf8[++at] & 0x3f)));
    } else {
      return std::nullopt;
    }
  }
  return bytes;
}

Result<std::string> parse_first_bytes(const json::object &front_end, std::string_view place) {
  constexpr std::size_t max_size = 64;
  const json::value *value = front_end.if_contains("first_bytes");
  if (value == nullptr) {
    return std::string();
  }
  std::optional<std::string> bytes;
  if (value->is_string()) {
    bytes = bytes_of(value->get_string());
  }
  if (!bytes || bytes->empty() || bytes->size() > max_size) {
    return invalid_input(
        "manifest: {}first_bytes is {}, expected 1 to {} characters from \\u0000 to \\u00ff, each for one byte", place,
        shown(*value), max_size);
  }
  return *std::move(bytes);
}

Result<ManifestFrontEnd> parse_front_end(const json::value &value, std::size_t index) {
  if (!value.is_object()) {
    return invalid_input("manifest: front_ends[{}] is {}, expected an object", index, shown(value));
  }
  constexpr std::size_t longest_name = 32;
  const std::string place = fmt::format("front_ends[{}].", index);
  const Reader reader(value.get_object(), place);
  ManifestFrontEnd front_end;
  BP_ASSIGN(front_end.name, reader.text("name"));
  if (!is_made_of(front_end.name, "_-") || front_end.name.size() > longest_name) {
    return invalid_input("manifest: {}name is \"{}\", expected at most {} lower case letters, digits, _ and -", place,
                         front_end.name, longest_name);
  }
  BP_ASSIGN(front_end.description, reader.text("description"));
  BP_ASSIGN(front_end.endings, reader.texts("endings"));
  for (const std::string &ending : front_end.endings) {
    if (ending.size() < 2 || !ending.starts_with('.') || ending.find('/') != std::string::npos) {
      return invalid_input("manifest: {}endings holds \"{}\", expected endings of files such as .lines", place, ending);
    }
  }
  BP_ASSIGN(front_end.first_bytes, parse_first_bytes(value.get_object(), place));
  if (front_end.endings.empty() && front_end.first_bytes.empty()) {
    return invalid_input("manifest: {}endings and first_bytes are missing, expected at least one of them", place);
  }
  return front_end;
}

Result<std::vector<ManifestFrontEnd>> parse_front_ends(const Reader &reader) {
  std::vector<ManifestFrontEnd> front_ends;
  BP_ASSIGN(const json::array *values, reader.array("front_ends"));
  for (const json::value &value : *values) {
    BP_ASSIGN(ManifestFrontEnd front_end, parse_front_end(value, front_ends.size()));
    if (std::ranges::count(front_ends, front_end.name, &ManifestFrontEnd::name) != 0) {
      return invalid_input("manifest: two front ends are named \"{}\"", front_end.name);
    }
    front_ends.push_back(std::move(front_end));
  }
  return front_ends;
}

}  // namespace

bool ManifestDevice::answers_to(std::string_view wanted) const {
  return id == wanted || std::ranges::find(aliases, wanted) != aliases.end();
}

const ManifestDevice *Manifest::find(std::string_view name) const {
  const auto found = std::ranges::find_if(devices, [&](const ManifestDevice &d) { return d.answers_to(name); });
  return found != devices.end() ? &*found : nullptr;
}

std::string to_string(bp_version_t version) {
  return fmt::format("{}.{}.{}", version.major, version.minor, version.revision);
}

Result<Manifest> parse_manifest(std::string_view text) {
  json::parse_options options;
  options.max_depth = 8;
  json::error_code error;
  const json::value root = json::parse({text.data(), text.size()}, error, {}, options);
  if (error) {
    return invalid_input("manifest: is not JSON: {}", error.message());
  }
  if (!root.is_object()) {
    return invalid_input("manifest: is {}, expected an object", shown(root));
  }
  const Reader reader(root.get_object(), "");
  Manifest manifest;
  BP_ASSIGN(const std::string abi, reader.text("abi"));
  BP_ASSIGN(manifest.abi, parse_version(abi));
  BP_ASSIGN(manifest.version, reader.text("version"));
  BP_ASSIGN(manifest.opset, reader.number("opset"));
  BP_ASSIGN(manifest.vendor, reader.text_or("vendor", ""));
  BP_ASSIGN(manifest.url, reader.text_or("url", ""));
  BP_ASSIGN(manifest.conformance, parse_conformance(root.get_object()));
  BP_ASSIGN(manifest.cpu_features, reader.texts("cpu_features"));
  BP_ASSIGN(manifest.front_ends, parse_front_ends(reader));
  BP_ASSIGN(const json::array *devices, reader.array("devices"));
  if (devices->empty() && manifest.front_ends.empty()) {
    return invalid_input("manifest: devices is missing or empty, expected at least one device");
  }
  std::set<std::string, std::less<>> names;
  for (const json::value &value : *devices) {
    BP_ASSIGN(ManifestDevice device, parse_device(value, manifest.devices.size()));
    std::vector<std::string> own = device.aliases;
    own.push_back(device.id);
    for (const std::string &name : own) {
      if (!names.insert(name).second) {
        return invalid_input("manifest: \"{}\" is named twice among the ids and aliases", name);
      }
    }
    manifest.devices.push_back(std::move(device));
  }
  return manifest;
}

std::vector<std::string> missing_cpu_features(const std::vector<std::string> &wanted) {
  std::vector<std::string> missing;
  for (const std::string &feature : wanted) {
    bool present = false;
#if defined(__x86_64__)
// __builtin_cpu_supports() takes string literals only, hence the table. "sse4_2" is the kernel's spelling of sse4.2.
#define BP_FEATURE(name, literal) present = present || (feature == (name) && __builtin_cpu_supports(literal) != 0);
    BP_FEATURE("sse3", "sse3")
    BP_FEATURE("ssse3", "ssse3")
    BP_FEATURE("sse4_1", "sse4.1")
    BP_FEATURE("sse4_2", "sse4.2")
    BP_FEATURE("popcnt", "popcnt")
    BP_FEATURE("avx", "avx")
    BP_FEATURE("avx2", "avx2")
    BP_FEATURE("fma", "fma")
    BP_FEATURE("bmi1", "bmi")
    BP_FEATURE("bmi2", "bmi2")
    BP_FEATURE("avx512f", "avx512f")
    BP_FEATURE("avx512bw", "avx512bw")
    BP_FEATURE("avx512cd", "avx512cd")
    BP_FEATURE("avx512dq", "avx512dq")
    BP_FEATURE("avx512vl", "avx512vl")
    BP_FEATURE("avx512_vnni", "avx512vnni")
    BP_FEATURE("avx512_bf16", "avx512bf16")
    BP_FEATURE("x86-64-v2", "x86-64-v2")
    BP_FEATURE("x86-64-v3", "x86-64-v3")
    BP_FEATURE("x86-64-v4", "x86-64-v4")
#undef BP_FEATURE
#endif
    if (!present) {
      missing.push_back(feature);
    }
  }
  return missing;
}

}  // namespace bp::host
