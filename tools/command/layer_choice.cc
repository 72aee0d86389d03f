#include "tools/command/layer_choice.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/lexical_cast/try_lexical_convert.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "core/base/files.h"
#include "core/layers/counters.h"
#include "core/layers/deadline.h"
#include "core/layers/trace.h"
#include "core/layers/validate.h"
#include "core/remote/record.h"
#include "tools/command/command.h"

namespace bp::command {
namespace {

// The layers of the command; a process runs only one command.
struct Active {
  std::shared_ptr<layers::Violations> violations;
  std::shared_ptr<layers::Trace> trace;
  std::string trace_file;
  std::shared_ptr<layers::Counts> counts;
  std::string counts_file;  // empty: they are printed
  std::shared_ptr<remote::RecordingFile> recording;
  std::string recording_file;
};
Active &active() {
  static Active active;
  return active;
}

void end_overdue(const std::string &what) {
  fmt::print(stderr, "backplane: deadline: {}\n", what);
  end_now(failed);
}

}  // namespace

void add_layer_option(Options &options) {
  options.add()(
      "layer", boost::program_options::value<std::vector<std::string>>()->composing(),
      "a layer between core and plugin: validate (checks the rules of the ABI), trace=FILE (writes a timeline for "
      "ui.perfetto.dev), counters or counters=FILE (prints, or writes as JSON, what the device counts by instruction), "
      "record=FILE (records the calls, for backplane replay), deadline=SECONDS (ends the command if a call or "
      "submitted work takes longer); may be repeated");
  options.complete("layer", {"validate", "trace=", "counters", "counters=", "record=", "deadline="});
}

std::optional<int> read_layers(const Options &options, std::vector<host::Layer> &layers) {
  if (!options.has("layer")) {
    return std::nullopt;
  }
  for (const std::string &layer : options.get<std::vector<std::string>>("layer")) {
    if (layer == "validate") {
      if (active().violations == nullptr) {
        active().violations = std::make_shared<layers::Violations>([](const layers::Violation &violation) {
          fmt::print(stderr, "validate: {}: {}\n", violation.rule, violation.message);
        });
      }
      layers.push_back(layers::validate_layer(active().violations));
    } else if (layer.starts_with("trace=") && layer.size() > 6) {
      if (active().trace == nullptr) {
        active().trace_file = layer.substr(6);
        auto trace = layers::Trace::create(active().trace_file);
        if (!trace.ok()) {
          return report(trace.error());  // reported before the work, not after it
        }
        active().trace = std::move(trace).value();
      }
      layers.push_back(layers::trace_layer(active().trace));
    } else if (layer == "counters" || (layer.starts_with("counters=") && layer.size() > 9)) {
      if (layer.size() > 9) {
        active().counts_file = layer.substr(9);
      }
      if (active().counts == nullptr) {  // a second one would count everything again
        active().counts = std::make_shared<layers::Counts>();
        layers.push_back(layers::counters_layer(active().counts));
      }
    } else if (layer.starts_with("record=") && layer.size() > 7) {
      if (active().recording == nullptr) {
        active().recording_file = layer.substr(7);
        auto file = remote::RecordingFile::create(active().recording_file);
        if (!file.ok()) {
          return report(file.error());
        }
        active().recording = std::move(file).value();
      }
      layers.push_back(remote::record_layer(active().recording));
    } else if (double seconds = 0; layer.starts_with("deadline=") &&
                                   boost::conversion::try_lexical_convert(layer.substr(9), seconds) && seconds > 0 &&
                                   seconds <= 1e9) {
      layers.push_back(layers::deadline_layer(
          std::chrono::milliseconds(std::max<std::int64_t>(1, std::llround(seconds * 1e3))), end_overdue));
    } else {
      return options.misuse(fmt::format(
          "--layer is '{}', expected validate, trace=FILE, counters, counters=FILE, record=FILE or deadline=SECONDS",
          layer));
    }
  }
  return std::nullopt;
}

int finish_layers(int code) {
  const Active &done = active();
  if (done.trace != nullptr) {
    if (const Status written = done.trace->status(); !written.ok()) {
      return report(written.error());
    }
    fmt::print(stderr, "trace: {} events in {}\n", done.trace->size(), done.trace_file);
  }
  if (done.counts != nullptr) {
    if (done.counts_file.empty()) {
      fmt::print(stderr, "{}", done.counts->to_text());
    } else if (const Status written = write_file(done.counts_file, done.counts->to_json()); !written.ok()) {
      return report(written.error());
    }
  }
  if (done.recording != nullptr) {
    if (const Status written = done.recording->status(); !written.ok()) {
      return report(written.error());
    }
    fmt::print(stderr, "record: {} calls in {}\n", done.recording->call_count(), done.recording_file);
  }
  if (done.violations != nullptr) {
    const std::size_t count = done.violations->all().size();
    fmt::print(stderr, "validate: {}\n", count == 0 ? "no rule was broken" : fmt::format("{} violations", count));
    return code == 0 && count > 0 ? 1 : code;
  }
  return code;
}

}  // namespace bp::command
