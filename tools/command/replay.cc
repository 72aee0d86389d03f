#include <fmt/core.h>

#include <boost/json.hpp>

#include "core/base/files.h"
#include "core/remote/isolate.h"
#include "core/remote/replay.h"
#include "tools/command/backend_choice.h"
#include "tools/command/command.h"
#include "tools/command/options.h"

namespace bp::command {
namespace {

using remote::Item;
using remote::Listing;
using remote::RecordedCall;
using remote::Recording;

constexpr std::size_t max_outputs_shown = 4;  // outputs per call

std::string join(const std::vector<Item> &items, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(items.size(), most); ++i) {
    text += (i == 0 ? "" : ", ") + items[i].to_string();
  }
  return items.size() <= most ? text : fmt::format("{} and {} more", text, items.size() - most);
}

boost::json::array to_json(const std::vector<Item> &items) {
  boost::json::array array;
  for (const Item &item : items) {
    array.push_back(boost::json::value(item.to_string()));
  }
  return array;
}

// Returns "call 17, compiler.compile".
std::string name_of(const RecordedCall &call) {
  return fmt::format("call {}, {}", call.number, call.function_name);
}

// Returns the calls that had not ended when the recording stopped.
std::vector<const RecordedCall *> unfinished(const Recording &recording) {
  std::vector<const RecordedCall *> calls;
  for (const RecordedCall &call : recording.calls()) {
    if (!call.has_ended) {
      calls.push_back(&call);
    }
  }
  return calls;
}

void print_list(const Recording &recording, bool is_json) {
  for (const RecordedCall &call : recording.calls()) {
    bp_status status = BP_OK;
    const Listing listing = recording.list(call, status);
    if (is_json) {
      fmt::print("{}\n", boost::json::serialize(boost::json::object{{"call", call.number},
                                                                    {"plugin", recording.plugins()[call.plugin]},
                                                                    {"function", call.function_name},
                                                                    {"object", call.object},
                                                                    {"has_ended", call.has_ended},
                                                                    {"inputs", to_json(listing.inputs)},
                                                                    {"outputs", to_json(listing.outputs)}}));
      continue;
    }
    fmt::print("{:>5} {}({}){}\n", call.number, call.function_name, join(listing.inputs, listing.inputs.size()),
               !call.has_ended           ? ": did not return"
               : listing.outputs.empty() ? ""
                                         : ": " + join(listing.outputs, max_outputs_shown));
  }
}

struct ReplayRequest {
  std::string file, backend;
  bool is_list = false, is_json = false;
  double patience = 60;
  std::optional<remote::Isolation> isolation = {};
};

Result<int> run(const ReplayRequest &request) {
  const auto &[file, backend, is_list, is_json, patience, isolation] = request;
  BP_ASSIGN(std::string bytes, read_file(file));
  BP_ASSIGN(const auto recording, Recording::parse(std::move(bytes), file));
  if (const auto cut = recording->cut_off_at()) {
    fmt::print(stderr, "replay: {} is cut off at byte {}: it has {} calls, the end of the last ones may be missing\n",
               file, *cut, recording->calls().size());
  }
  if (recording->calls().empty()) {
    return invalid_input("{} contains no calls, expected a file that --layer=record=FILE has written", file);
  }
  const std::vector<const RecordedCall *> ends_in = unfinished(*recording);
  for (const RecordedCall *call : ends_in) {
    fmt::print(stderr, "replay: the recording ends in {}\n", name_of(*call));
  }
  if (is_list) {
    print_list(*recording, is_json);
    return int{success};
  }

  remote::ReplayOptions options;
  options.patience = std::chrono::milliseconds(static_cast<std::int64_t>(1000 * patience));
  options.is_isolated = isolation.has_value();
  const std::vector<host::Layer> layers = {remote::replay_layer()};
  for (const std::string &path : recording->plugins()) {
    const bool is_replaced = !backend.empty() && recording->plugins().size() == 1;
    // The path in a recording was chosen by whoever sent it, not by the user.
    BP_ASSIGN(const host::Candidate candidate,
              is_replaced ? host::find_plugin(backend, host::plugin_directories())
                          : host::find_plugin(path, host::plugin_directories(), host::TrustPolicy::Refuse));
    print_warnings(candidate);
    const host::Opener opener =
        isolation.has_value() ? remote::isolated(remote::isolation_for(*recording, options.plugins.size(), *isolation))
                              : host::Opener();
    BP_ASSIGN(auto plugin, host::Plugin::load(candidate, host::AfterUse::KeepMapped, layers, opener));
    options.plugins.push_back(std::move(plugin));
  }
  if (!backend.empty() && options.plugins.size() != 1) {
    return invalid_input("{} contains calls of {} plugins, expected one plugin with --on", file,
                         options.plugins.size());
  }
  options.before = [&](const RecordedCall &call) {
    if (!call.has_ended) {  // printed before the call, because it may not return this time either
      fmt::print(stderr, "replay: making {}, the end of which was not recorded\n", name_of(call));
    }
  };
  const remote::ReplayReport report = remote::replay(*recording, options);
  if (is_json) {
    boost::json::array differences;
    for (const remote::Difference &difference : report.differences) {
      differences.push_back({{"call", difference.call->number},
                             {"function", difference.call->function_name},
                             {"about", difference.about},
                             {"what", boost::json::value_from(difference.what)}});
    }
    boost::json::array ends;
    for (const RecordedCall *call : ends_in) {
      ends.push_back({{"call", call->number}, {"function", call->function_name}});
    }
    fmt::print("{}\n", boost::json::serialize(boost::json::object{
                           {"calls", report.made}, {"differences", differences}, {"ends_in", ends}}));
  } else {
    for (const remote::Difference &difference : report.differences) {
      fmt::print("{}{}\n", name_of(*difference.call), difference.about.empty() ? "" : " (" + difference.about + ")");
      for (const std::string &line : difference.what) {
        fmt::print("  {}\n", line);
      }
    }
    fmt::print("{} calls repeated: {}\n", report.made,
               report.differences.empty() ? "as recorded"
                                          : fmt::format("{} had different outcomes", report.differences.size()));
  }
  const int code = report.differences.empty() ? success : negative;
  for (const RecordedCall *call : report.unfinished) {
    fmt::print(stderr, "replay: the work of {} was not finished {:g} s after the last call\n", name_of(*call),
               patience);
  }
  if (!report.unfinished.empty()) {
    end_now(code);
  }
  return code;
}

}  // namespace

int replay_calls(std::span<const std::string> arguments) {
  namespace po = boost::program_options;
  Options options("replay FILE [--on NAME]",
                  "Repeats the calls that --layer=record=FILE has recorded, without the application, on the same\n"
                  "plugin or on another build of it, and prints the statuses, claims and results that differ. If\n"
                  "the recorded process crashed, the recording ends with the call that crashed.",
                  "  backplane run model.hlo --on acme --layer=record=acme.calls\n"
                  "  backplane replay acme.calls\n"
                  "  backplane replay acme.calls --on ./libbackplane_acme.so\n"
                  "  backplane replay acme.calls --isolate            reports a crash as an outcome\n"
                  "  backplane replay acme.calls --list\n");
  options.add()("on", po::value<std::string>()->default_value(""), "another build of the plugin: a name or a path")(
      "list", "print the calls without making them")(
      "patience", po::value<double>()->default_value(60),
      "seconds to wait for the signal of a submit() before it counts as lost")(
      "json", "print one JSON object instead of text; with --list, one for each call");
  options.complete({"on"}, Completion::Backend);
  add_isolate_option(options);
  options.add_positional("file", 1);
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  if (!options.has("file")) {
    return options.misuse("no recording was given");
  }
  ReplayRequest request;
  request.file = options.get<std::string>("file");
  request.backend = options.get<std::string>("on");
  request.is_list = options.has("list");
  request.is_json = options.has("json");
  request.patience = options.get<double>("patience");
  if (!(request.patience > 0 && request.patience <= 1e6)) {
    return options.misuse(
        fmt::format("--patience is {}, expected more than 0 and at most 1000000 seconds", request.patience));
  }
  if (auto exit = read_isolation(options, request.isolation)) {
    return *exit;
  }
  const Result<int> code = run(request);
  return code.ok() ? *code : report(code.error());
}

}  // namespace bp::command
