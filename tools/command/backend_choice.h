// Which backend, and what it is told: the same options for every subcommand that has one.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/backplane.h"
#include "tools/command/options.h"

namespace bp::command {

class BackendChoice {
 public:
  // --on, --set, --target, --features, --isolate and --layer.
  // Without a default it is optional: name() is empty if it was not given.
  static void add_to(Options &options, const std::string &default_name = "cpu");
  // After Options::parse(). An exit code if the command line is wrong.
  std::optional<int> read(const Options &options);

  // As --set NAME=VALUE.
  void set(const std::string &name, const std::string &value) { options_.settings.emplace_back(name, value); }

  // Beneath those of --layer.
  void add_lowest_layer(host::Layer layer) { options_.layers.insert(options_.layers.begin(), std::move(layer)); }

  const std::string &name() const { return name_; }
  // dump_dir: see BackendOptions; may be empty.
  Result<Backend> load(const std::string &dump_dir = {}) const;
  // "--on cpu --set target=aarch64-linux-gnu": says the same again.
  std::string arguments() const;

 private:
  std::string name_;
  BackendOptions options_;
};

// --isolate, with which a backend runs in a process of its own.
void add_isolate_option(Options &options);
// What it says, after Options::parse(). An exit code if it is wrong.
std::optional<int> read_isolation(const Options &options, std::optional<Isolation> &isolation);

// --set, any number of times, and --emulate, which is short for one.
void add_setting_options(Options &options);
// What they say, after Options::parse(). An exit code if one is not NAME=VALUE.
std::optional<int> read_settings(const Options &options, std::vector<std::pair<std::string, std::string>> &settings);

// "CPU 0.1.0, plugins/cpu/libbackplane_cpu.so".
std::string describe(const Backend &backend);

}  // namespace bp::command
