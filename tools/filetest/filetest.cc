// Runs file tests and prints one line, or one JSON object, per case.
#include <fmt/core.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <map>
#include <optional>

#include "core/base/files.h"
#include "tools/filetest/kinds.h"

namespace bp::filetest {
namespace {

struct Outcome {
  std::string status = "passed";  // passed, failed, skipped
  std::string text;               // the reason if it did not pass
  std::string output;             // what --bless would write
};

const Kind *find_kind(std::string_view name) {
  for (const Kind &kind : kinds()) {
    if (kind.name == name) {
      return &kind;
    }
  }
  return nullptr;
}

// Returns the first line in which the two differ, with its number, and the whole text found.
std::string describe_difference(std::string_view expected, std::string_view found) {
  std::size_t line = 1, start = 0, i = 0;
  while (i < expected.size() && i < found.size() && expected[i] == found[i]) {
    if (expected[i] == '\n') {
      ++line;
      start = i + 1;
    }
    ++i;
  }
  auto line_at = [&](std::string_view text) { return text.substr(start, text.find('\n', start) - start); };
  return fmt::format("line {} of the expectation differs\nexpected: {}\nfound:    {}\nall that came out:\n{}", line,
                     start <= expected.size() ? line_at(expected) : "", start <= found.size() ? line_at(found) : "",
                     found);
}

// `backend` is used for cases of kind `run`; nullptr: the interpreter.
Outcome run(const Case &test, const Backend *backend, bool bless) {
  const Kind *kind = find_kind(test.kind);
  if (kind == nullptr) {
    return {"failed", fmt::format("no kind of test is called '{}'; a case begins with '// test: KIND'", test.kind), {}};
  }
  Result<std::string> output = backend == nullptr ? kind->run(test) : run_on(*backend, test);
  if (!output.ok()) {
    if (backend != nullptr && output.error().code() == ErrorCode::Unsupported) {
      return {"skipped", output.error().message(), {}};
    }
    if (backend == nullptr && output.error().code() == ErrorCode::NotFound) {  // the backend was not built
      return {"skipped", output.error().message(), test.expectation};
    }
    return {"failed", output.error().to_string(), test.expectation};
  }
  if (!bless && *output != test.expectation) {
    return {"failed", describe_difference(test.expectation, *output), *output};
  }
  return {"passed", "", *output};
}

void print(const Case &test, const Outcome &outcome, const std::string &on, double seconds, bool json) {
  std::string name = test.number == 1 ? test.file : fmt::format("{}:{}", test.file, test.number);
  std::string rerun = fmt::format("build/tools/filetest {}", test.file);
  if (!on.empty()) {
    name += " on " + on;
    rerun += " --on " + on;
  }
  if (json) {
    boost::json::object object{
        {"name", name}, {"status", outcome.status}, {"seconds", seconds}, {"text", outcome.text}, {"rerun", rerun}};
    fmt::print("{}\n", boost::json::serialize(object));
  } else if (outcome.status != "passed") {
    fmt::print("{} {}\n{}\n", outcome.status, name, outcome.text);
  }
}

void print_help() {
  fmt::print(
      "Usage: filetest [--json] [--bless | --on BACKEND [--set NAME=VALUE]...] FILE...\n"
      "Runs the cases of .hlo, .mlir and .prototxt files that carry their expectations; see docs/testing.md.\n"
      "  --bless  rewrites the expectations of the files\n"
      "  --on     only cases of kind `run`, on this backend; what it does not claim is skipped\n"
      "  --set    a setting of the backend; --target=VALUE and --features=VALUE are settings too\n"
      "  --json   one JSON object per case\n"
      "Kinds of tests:\n");
  for (const Kind &kind : kinds()) {
    fmt::print("  {:<10} {}\n", kind.name, kind.summary);
  }
}

struct Request {
  bool json = false, bless = false;
  std::vector<std::string> files;
  std::string backend;  // empty: the interpreter
  BackendOptions backend_options;
  std::string on;  // the backend with its settings, as given on the command line
};

// Reads the command line. Returns nothing after printing an error on standard error.
std::optional<Request> read(std::span<char *> arguments) {
  Request request;
  auto add_setting = [&](std::string_view setting) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string_view::npos) {
      return false;
    }
    request.backend_options.settings.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
    request.on += fmt::format(" --set {}", setting);
    return true;
  };
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string_view argument = arguments[i];
    if (argument == "--json") {
      request.json = true;
    } else if (argument == "--bless") {
      request.bless = true;
    } else if (argument == "--on" && i + 1 < arguments.size()) {
      request.backend = arguments[++i];
    } else if (argument == "--set" && i + 1 < arguments.size()) {
      if (!add_setting(arguments[++i])) {
        fmt::print(stderr, "filetest: --set is '{}', expected NAME=VALUE\n", arguments[i]);
        return std::nullopt;
      }
    } else if (argument.starts_with("--target=") || argument.starts_with("--features=")) {
      add_setting(argument.substr(2));
    } else {
      request.files.emplace_back(argument);
    }
  }
  request.on = request.backend + request.on;
  if (request.bless && !request.on.empty()) {
    fmt::print(stderr, "filetest: --bless cannot be combined with --on: expectations are those of the interpreter\n");
    return std::nullopt;
  }
  if (request.backend.empty() && !request.on.empty()) {
    fmt::print(stderr, "filetest: settings are for a backend, and none was given: --on NAME\n");
    return std::nullopt;
  }
  return request;
}

int main(std::span<char *> arguments) {
  if (std::ranges::find(arguments, std::string_view("--help")) != arguments.end()) {
    print_help();
    return 0;
  }
  const std::optional<Request> request = read(arguments);
  if (!request) {
    return 2;
  }
  std::optional<Backend> backend;
  if (!request->backend.empty()) {
    auto loaded = Backend::load(request->backend, request->backend_options);
    if (!loaded.ok()) {
      fmt::print(stderr, "filetest: {}\n", loaded.error().to_string());
      return 2;
    }
    backend = std::move(loaded).value();
  }
  std::map<std::string, int> count;  // number of cases by status
  for (const std::string &file : request->files) {
    auto content = read_file(file);
    if (!content.ok()) {
      fmt::print(stderr, "filetest: {}\n", content.error().to_string());
      return 2;
    }
    std::vector<std::string> outputs;
    for (const Case &test : split_cases(file, *content)) {
      if (backend && test.kind != "run") {
        continue;
      }
      auto start = std::chrono::steady_clock::now();
      Outcome outcome = run(test, backend ? &*backend : nullptr, request->bless);
      double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      print(test, outcome, request->on, seconds, request->json);
      ++count[outcome.status];
      outputs.push_back(outcome.output);
    }
    if (request->bless) {
      if (const Status written = write_file(file, with_expectations(file, *content, outputs)); !written.ok()) {
        fmt::print(stderr, "filetest: {}\n", written.error().to_string());
        return 2;
      }
    }
  }
  if (!request->json) {
    fmt::print("{} passed, {} failed, {} skipped\n", count["passed"], count["failed"], count["skipped"]);
  }
  return count["failed"] == 0 ? 0 : 1;
}

}  // namespace
}  // namespace bp::filetest

int main(int argc, char **argv) {
  return bp::filetest::main(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
}
