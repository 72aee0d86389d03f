#include "tools/command/backend_choice.h"

#include <fmt/core.h>

#include <vector>

#include "tools/command/layer_choice.h"
#include "tools/command/terminal.h"

namespace bp::command {

namespace po = boost::program_options;

void add_setting_options(Options &options) {
  options.add()("set", po::value<std::vector<std::string>>()->composing(),
                "a setting of the backend, NAME=VALUE; may be repeated")(
      "emulate", "emulate the device on the host, like --set emulate=1; for nvptx");
  options.complete({"set"}, Completion::Nothing);
}

std::optional<int> read_settings(const Options &options, std::vector<std::pair<std::string, std::string>> &settings) {
  if (options.has("emulate")) {
    settings.emplace_back("emulate", "1");
  }
  if (!options.has("set")) {
    return std::nullopt;
  }
  for (const std::string &setting : options.get<std::vector<std::string>>("set")) {
    const std::size_t equals = setting.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return options.misuse(fmt::format("--set is '{}', expected NAME=VALUE", setting));
    }
    settings.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  return std::nullopt;
}

void add_isolate_option(Options &options) {
  options.add()(
      "isolate", po::value<double>()->implicit_value(0, "0"),
      "run the backend in a separate process, so that a crash becomes an error; with =SECONDS, a call that takes "
      "longer becomes an error too (at most 1000000; 0: no limit)")(
      "isolate-memory", po::value<std::int64_t>(),
      "with --isolate: the address space in bytes that the separate process may use; a backend that needs more fails")(
      "isolate-strict",
      "with --isolate: refuse to run the backend if the system cannot restrict what the process may do; otherwise that "
      "is a warning");
}

std::optional<int> read_isolation(const Options &options, std::optional<Isolation> &isolation) {
  if (!options.has("isolate")) {
    for (const char *detail : {"isolate-memory", "isolate-strict"}) {
      if (options.has(detail)) {
        return options.misuse(fmt::format("--{} is given, expected --isolate too", detail));
      }
    }
    return std::nullopt;
  }
  const double seconds = options.get<double>("isolate");
  if (!(seconds >= 0 && seconds <= 1e6)) {
    return options.misuse(fmt::format("--isolate is {}, expected at most 1000000 seconds; 0: no limit", seconds));
  }
  if (auto exit = options.check_at_least<std::int64_t>("isolate-memory", 1)) {
    return *exit;
  }
  isolation = Isolation{seconds};
  isolation->bytes = options.has("isolate-memory") ? options.get<std::int64_t>("isolate-memory") : 0;
  isolation->is_strict = options.has("isolate-strict");
  return std::nullopt;
}

void add_deadline_option(Options &options, std::string_view of) {
  options.add()("deadline", po::value<double>(), fmt::format("maximum seconds for {}", of).c_str());
}

std::optional<int> read_deadline(const Options &options, std::shared_ptr<const Cancellation> &cancellation) {
  if (!options.has("deadline")) {
    return std::nullopt;
  }
  const double seconds = options.get<double>("deadline");
  if (!(seconds > 0)) {
    return options.misuse(fmt::format("--deadline is {}, expected a number of seconds above 0", seconds));
  }
  if (options.has("isolate")) {
    return options.misuse("--deadline does not reach a worker process: limit its calls by --isolate=SECONDS");
  }
  cancellation = Cancellation::after(seconds);
  return std::nullopt;
}

void BackendChoice::add_to(Options &options, const std::string &default_name) {
  options.add()(
      "on", po::value<std::string>()->default_value(default_name),
      "the backend: a name, a path, or interpreter; several, separated by commas, share the work; of several equal "
      "devices, NAME:1 is the second one, and NAME:IDENTITY the one that backplane instances shows");
  add_setting_options(options);
  options.add()("target", po::value<std::string>(),
                "the target to compile for, like --set target=...; for cpu, such as aarch64-linux-gnu")(
      "features", po::value<std::string>(),
      "features of the target, like --set features=...; for cpu, such as x86-64-v3 or +avx2,-fma");
  options.complete({"on"}, Completion::Backend);
  options.complete({"target", "features"}, Completion::Nothing);
  add_isolate_option(options);
  add_layer_option(options);
}

std::optional<int> BackendChoice::read(const Options &options) {
  name_ = options.get<std::string>("on");
  if (auto exit = read_settings(options, options_.settings)) {
    return exit;
  }
  for (const char *name : {"target", "features"}) {
    if (options.has(name)) {
      set(name, options.get<std::string>(name));
    }
  }
  if (auto exit = read_isolation(options, options_.isolation)) {
    return exit;
  }
  return read_layers(options, options_.layers);
}

void BackendChoice::add_threads_to(Options &options) {
  options.add()("threads", po::value<std::int64_t>()->default_value(0),
                "how many threads may work at a time; 0: one for each processor that this process may use");
  options.complete({"threads"}, Completion::Nothing);
}

std::optional<int> BackendChoice::read_threads(const Options &options) {
  const auto threads = options.get<std::int64_t>("threads");
  if (threads < 0 || threads > BackendOptions::max_threads) {
    return options.misuse(fmt::format("--threads is {}, expected 0 to {}", threads, BackendOptions::max_threads));
  }
  options_.thread_count = static_cast<std::uint32_t>(threads);
  return std::nullopt;
}

Result<Backend> BackendChoice::load_here() const {
  BackendOptions options = options_;
  options.isolation.reset();
  return Backend::load(name_, options);
}

Result<Backend> BackendChoice::load(const std::string &dump_dir) const {
  BackendOptions options = options_;
  options.dump_dir = dump_dir;
  return Backend::load(name_, options);
}

Result<Ensemble> BackendChoice::load_ensemble(std::int64_t count, const std::string &dump_dir) const {
  BackendOptions options = options_;
  options.dump_dir = dump_dir;
  return Ensemble::load(name_, count, options);
}

std::string BackendChoice::arguments() const {
  std::string arguments = "--on " + shell_word(name_);
  if (options_.isolation.has_value()) {
    arguments += fmt::format(" --isolate={:g}", options_.isolation->seconds);
    arguments += options_.isolation->bytes != 0 ? fmt::format(" --isolate-memory={}", options_.isolation->bytes) : "";
    arguments += options_.isolation->is_strict ? " --isolate-strict" : "";
  }
  arguments += options_.thread_count != 0 ? fmt::format(" --threads={}", options_.thread_count) : "";
  for (const auto &[name, value] : options_.settings) {
    arguments += " --set " + shell_word(fmt::format("{}={}", name, value));
  }
  return arguments;
}

void print_warnings(const host::Candidate &candidate) {
  for (const std::string &warning : candidate.warnings) {
    fmt::print(stderr, "backplane: {}\n", warning);
  }
}

std::string describe(const Backend &backend) {
  if (backend.is_interpreter()) {
    return "interpreter (part of the core)";
  }
  std::string text;
  for (const auto &device : backend.devices()) {
    text += fmt::format("{}{} {}, {}", text.empty() ? "" : "; then ", device->description().name,
                        device->description().version, device->plugin().path());
  }
  return text;
}

}  // namespace bp::command
