#include "core/host/manifest.h"

#include <catch2/catch.hpp>

namespace bp::host {
namespace {

std::string message(const std::string &json) {
  const auto manifest = parse_manifest(json);
  return manifest.ok() ? "accepted" : manifest.error().to_string();
}
// Returns a manifest that is correct except for the given fields; `devices` replaces the whole list.
std::string with(const std::string &fields, const std::string &devices = R"([{"id":"a.b","name":"AB"}])") {
  return R"({"abi":"1.0.0","version":"2","opset":1,)" + fields + R"("devices":)" + devices + "}";
}
std::string with_device(const std::string &device) {
  return with("", "[" + device + "]");
}

TEST_CASE("a manifest says all there is to say") {
  const auto manifest = parse_manifest(R"({
    "abi": "1.2.3", "vendor": "Acme", "version": "2.1", "opset": 7, "url": "https://acme.example",
    "cpu_features": ["avx2"], "unknown": {"is": "ignored"},
    "conformance": {"report": "acme.jsonl",
                    "sha256": "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"},
    "devices": [{"id": "com.acme.npu", "aliases": ["acme", "npu-3"], "name": "Acme NPU 3",
                 "extensions": ["bp.kernels/1", "com.acme.turbo/12"]},
                {"id": "com.acme.lite", "name": "Lite"}]})");
  REQUIRE(manifest.ok());
  CHECK(to_string(manifest->abi) == "1.2.3");
  CHECK(manifest->vendor == "Acme");
  CHECK(manifest->version == "2.1");
  CHECK(manifest->opset == 7);
  CHECK(manifest->url == "https://acme.example");
  REQUIRE(manifest->conformance.has_value());
  CHECK(manifest->conformance->file == "acme.jsonl");
  CHECK(manifest->conformance->sha256 == "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff");
  CHECK(manifest->cpu_features == std::vector<std::string>{"avx2"});
  REQUIRE(manifest->devices.size() == 2);
  CHECK(manifest->devices[0].extensions == std::vector<std::string>{"bp.kernels/1", "com.acme.turbo/12"});
  CHECK(manifest->find("npu-3") == &manifest->devices[0]);
  CHECK(manifest->find("com.acme.lite") == &manifest->devices[1]);
  CHECK(manifest->find("Acme NPU 3") == nullptr);
  CHECK(message(with("")) == "accepted");
  CHECK(message(with(R"("conformance":"none",)")) == "accepted");
}

TEST_CASE("a wrong manifest is refused with its place") {
  CHECK(message("") == "manifest: is not JSON: incomplete JSON");
  CHECK(message("[1]") == "manifest: is [1], expected an object");
  CHECK(message(std::string(100000, '[')) == "manifest: is not JSON: too deep");
  CHECK_THAT(message("{\"abi\":\"\xff\"}"), Catch::StartsWith("manifest: is not JSON: "));
  CHECK(message("{}") == "manifest: abi is missing, expected a string");
  CHECK(message(R"({"abi": 1})") == "manifest: abi is 1, expected a string of printable characters");
  for (const std::string abi : {"1", "1.0", "1.0.0.0", "1.0.x", "-1.0.0", "1.0.99999999999"}) {
    CHECK(message(R"({"abi":")" + abi + R"("})") ==
          "manifest: abi is \"" + abi + "\", expected major.minor.revision such as 1.0.0");
  }
  CHECK(message(R"({"abi":"1.0.0","version":"\u001b[2J"})") ==
        R"(manifest: version is "\u001b[2J", expected a string of printable characters)");
  CHECK(message(R"({"abi":"1.0.0","version":"2","opset":-1})") == "manifest: opset is -1, expected a whole number");
  CHECK(message(R"({"abi":"1.0.0","version":"2","opset":1e9})") == "manifest: opset is 1E9, expected a whole number");
  CHECK(message(R"({"abi":"1.0.0","version":"2","opset":1})") ==
        "manifest: devices is missing or empty, expected at least one device");
  CHECK(message(with(R"("cpu_features":"avx",)")) == "manifest: cpu_features is \"avx\", expected an array");
  CHECK(message(with(R"("cpu_features":["avx",2],)")) ==
        "manifest: cpu_features[1] is 2, expected a string of printable characters");
  CHECK(message(with_device("3")) == "manifest: devices[0] is 3, expected an object");
  CHECK(message(with_device(R"({"id":"a.b"})")) == "manifest: devices[0].name is missing, expected a string");
  for (const std::string id : {"npu", "Com.acme", ".a", "a.", "a b.c", "../x"}) {
    CHECK(message(with_device(R"({"id":")" + id + R"("})")) ==
          "manifest: devices[0].id is \"" + id + "\", expected lower case words joined by dots such as com.acme.npu");
  }
  CHECK(message(with_device(R"({"id":"a.b","name":"n","aliases":["x/y"]})")) ==
        "manifest: devices[0].aliases holds \"x/y\", expected lower case letters, digits and -");
  for (const std::string extension :
       {"kernels", "bp.kernels/", "bp.kernels/one", "bp.fusion/draft-", "bp.fusion/draft-2-draft"}) {
    CHECK(message(with_device(R"({"id":"a.b","name":"n","extensions":[")" + extension + R"("]})")) ==
          "manifest: devices[0].extensions holds \"" + extension + "\", expected ids such as bp.kernels/1");
  }
  CHECK(message(with("", R"([{"id":"a.b","name":"n","aliases":["x"]},{"id":"a.c","name":"n","aliases":["x"]}])")) ==
        "manifest: \"x\" is named twice among the ids and aliases");
}

TEST_CASE("a reference to a report is complete and names a file next to the plugin") {
  const std::string zeros(64, '0');
  const auto message_with = [](const std::string &value) { return message(with("\"conformance\":" + value + ",")); };
  CHECK(message_with(R"({"report":"a.jsonl","sha256":")" + zeros + "\"}") == "accepted");
  CHECK(message_with(R"("kernels")") ==
        R"(manifest: conformance is "kernels", expected "none" or an object with report and sha256)");
  CHECK(message_with("7") == R"(manifest: conformance is 7, expected "none" or an object with report and sha256)");
  CHECK(message_with(R"({"sha256":")" + zeros + "\"}") == "manifest: conformance.report is missing, expected a string");
  CHECK(message_with(R"({"report":"a.jsonl"})") == "manifest: conformance.sha256 is missing, expected a string");
  CHECK(message_with(R"({"report":"../a.jsonl","sha256":")" + zeros + "\"}") ==
        R"(manifest: conformance.report is "../a.jsonl", expected the name of a file next to the plugin)");
  CHECK(
      message_with(R"({"report":"a.jsonl","sha256":"ABC"})") ==
      R"(manifest: conformance.sha256 is "ABC", expected 64 hexadecimal digits in lower case; zeros until `backplane )"
      "conform attach` writes them");
  CHECK(message_with(R"({"report":"a.jsonl","md5":"0"})") ==
        R"(manifest: conformance has the key "md5", expected report and sha256)");
}

TEST_CASE("a manifest may list front ends in place of devices") {
  const auto with_front_ends = [](const std::string &front_ends) {
    return R"({"abi":"1.0.0","version":"2","opset":1,"front_ends":)" + front_ends + "}";
  };
  const auto with_field = [&](const std::string &fields) {
    return message(with_front_ends(R"([{"name":"lines","description":"Lines",)" + fields + "}]"));
  };
  const auto manifest = parse_manifest(with_front_ends(
      R"([{"name":"lines","description":"a program of Lines","endings":[".lines",".l"],"first_bytes":"L\u0000\u00ff"}])"));
  REQUIRE(manifest.ok());
  CHECK(manifest->devices.empty());
  REQUIRE(manifest->front_ends.size() == 1);
  CHECK(manifest->front_ends[0].endings == std::vector<std::string>{".lines", ".l"});
  CHECK(manifest->front_ends[0].first_bytes == std::string("L\0\xff", 3));
  CHECK(message(with_front_ends("[]")) == "manifest: devices is missing or empty, expected at least one device");
  CHECK(message(with_front_ends("[1]")) == "manifest: front_ends[0] is 1, expected an object");
  CHECK(message(with_front_ends("{}")) == "manifest: front_ends is {}, expected an array");
  CHECK(message(with_front_ends(R"([{"name":"Lines"}])")) ==
        "manifest: front_ends[0].name is \"Lines\", expected at most 32 lower case letters, digits, _ and -");
  CHECK(message(with_front_ends(R"([{"name":"lines"}])")) ==
        "manifest: front_ends[0].description is missing, expected a string");
  CHECK(with_field(R"("endings":["lines"])") ==
        "manifest: front_ends[0].endings holds \"lines\", expected endings of files such as .lines");
  CHECK(with_field(R"("endings":[])") ==
        "manifest: front_ends[0].endings and first_bytes are missing, expected at least one of them");
  for (const std::string &bytes :
       {std::string(R"("")"), std::string("1"), std::string(R"("\u0100")"), '"' + std::string(65, 'x') + '"'}) {
    CHECK_THAT(with_field(R"("first_bytes":)" + bytes),
               Catch::StartsWith("manifest: front_ends[0].first_bytes is ") && Catch::EndsWith("each for one byte"));
  }
  const std::string lines = R"({"name":"lines","description":"Lines","endings":[".l"]})";
  CHECK(message(with_front_ends("[" + lines + "," + lines + "]")) == "manifest: two front ends are named \"lines\"");
}

TEST_CASE("a CPU feature nobody knows is missing") {
  CHECK(missing_cpu_features({}).empty());
  CHECK(missing_cpu_features({"teleportation"}) == std::vector<std::string>{"teleportation"});
#if defined(__x86_64__)
  CHECK(missing_cpu_features({"x86-64-v4"}).empty() == (__builtin_cpu_supports("x86-64-v4") != 0));
#endif
}

}  // namespace
}  // namespace bp::host
