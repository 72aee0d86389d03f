// The choice of a backend and its settings: the same options for every subcommand that has one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/backplane.h"
#include "core/ensemble.h"
#include "tools/command/options.h"

namespace bp::command {

class BackendChoice {
 public:
  // Adds --on, --set, --target, --features, --layer, and --isolate with its details. Without a default the backend is
  // optional: name() is empty if none was given.
  static void add_to(Options &options, const std::string &default_name = "cpu");
  // To be called after Options::parse(). Returns an exit code if the command line is wrong.
  std::optional<int> read(const Options &options);

  // Add and read --threads, for commands that compile or run.
  static void add_threads_to(Options &options);
  std::optional<int> read_threads(const Options &options);

  // Acts like --set NAME=VALUE.
  void set(const std::string &name, const std::string &value) { options_.settings.emplace_back(name, value); }

  // Adds a layer below those of --layer.
  void add_lowest_layer(host::Layer layer) { options_.layers.insert(options_.layers.begin(), std::move(layer)); }

  const std::string &name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  // Whether the backend runs in a process of its own.
  bool is_isolated() const { return options_.isolation.has_value(); }
  // `dump_dir`: see BackendOptions; may be empty.
  Result<Backend> load(const std::string &dump_dir = {}) const;
  // Loads it for each of several devices.
  Result<Ensemble> load_ensemble(std::int64_t count, const std::string &dump_dir = {}) const;
  // Loads the backend into this process even with --isolate. For a process that may crash.
  Result<Backend> load_here() const;
  // Returns the arguments that make this choice again: "--on cpu --set target=aarch64-linux-gnu".
  std::string arguments() const;

 private:
  std::string name_;
  BackendOptions options_;
};

// Adds --isolate, which runs a backend in a process of its own, and its details, --isolate-memory and --isolate-strict.
void add_isolate_option(Options &options);
// Reads these options, after Options::parse(). Returns an exit code if one is wrong.
std::optional<int> read_isolation(const Options &options, std::optional<Isolation> &isolation);

// Adds --deadline; `of`: what it limits.
void add_deadline_option(Options &options, std::string_view of);
// Reads it, after Options::parse(). Returns an exit code if it is wrong, or cannot reach the backend. Not set if it is
// not given; the time counts from now.
std::optional<int> read_deadline(const Options &options, std::shared_ptr<const Cancellation> &cancellation);

// Adds --set, which may be repeated, and --emulate, an abbreviation for one setting.
void add_setting_options(Options &options);
// Reads these options, after Options::parse(). Returns an exit code if one is not NAME=VALUE.
std::optional<int> read_settings(const Options &options, std::vector<std::pair<std::string, std::string>> &settings);

// Prints what the user has to know before the plugin is loaded, on standard error. For commands that load plugins
// without a Backend, which does the same.
void print_warnings(const host::Candidate &candidate);

// Returns a text like "CPU 0.1.0, plugins/cpu/libbackplane_cpu.so".
std::string describe(const Backend &backend);

}  // namespace bp::command
