#include <fmt/core.h>

#include <boost/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/host/diagnostics.h"
#include "core/host/discovery.h"
#include "core/host/instances.h"
#include "tools/command/backend_choice.h"
#include "tools/command/options.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

// A device that is present, and what it tells about itself; or why it does not.
struct Present {
  std::string backend;  // by which it is named on the command line
  std::uint32_t number;
  host::Instance instance;
  std::vector<std::string> spaces;  // names, by number
  Result<std::vector<host::Fact>> facts;
};

Result<std::vector<host::Fact>> ask(const std::shared_ptr<const host::Plugin> &plugin, const std::string &id,
                                    std::uint32_t number, std::vector<std::string> &spaces) {
  host::DeviceOptions options;
  options.instance = number;
  BP_ASSIGN(const auto device, host::Device::create(plugin, id, std::move(options)));
  for (std::uint64_t i = 0; device->memory() != nullptr && i < device->memory()->space_count; ++i) {
    spaces.emplace_back(host::printable(device->memory()->spaces[i].name));
  }
  return host::facts_of(*device);
}

// Appends the devices of one kind, or the one that the name means.
Status append(const std::shared_ptr<const host::Plugin> &plugin, const host::ManifestDevice &kind,
              const host::InstanceName &name, std::vector<Present> &all) {
  BP_ASSIGN(std::vector<host::Instance> instances, host::list_instances(*plugin, kind.id));
  std::uint32_t begin = 0, end = static_cast<std::uint32_t>(instances.size());
  if (!name.instance.empty()) {
    BP_ASSIGN(begin, host::find_instance(*plugin, kind.id, name));
    end = begin + 1;
  }
  for (std::uint32_t i = begin; i < end; ++i) {
    std::vector<std::string> spaces;
    Result<std::vector<host::Fact>> facts = ask(plugin, kind.id, i, spaces);
    all.push_back({kind.aliases.empty() ? kind.id : kind.aliases[0], i, std::move(instances[i]), std::move(spaces),
                   std::move(facts)});
  }
  return {};
}

Status append(const host::Candidate &candidate, const host::InstanceName &name, std::vector<Present> &all) {
  BP_ASSIGN(const std::shared_ptr<const host::Plugin> plugin, host::Plugin::load(candidate));
  const host::ManifestDevice *named = candidate.manifest->find(name.backend);
  for (const host::ManifestDevice &kind : candidate.manifest->devices) {
    if (named == nullptr || named == &kind) {
      BP_TRY(append(plugin, kind, name, all));
    }
  }
  return {};
}

std::string space_of(const Present &present, const host::Fact &fact) {
  return fact.space < present.spaces.size() ? present.spaces[fact.space] : std::to_string(fact.space);
}

void print_json(const Present &present) {
  boost::json::object object{{"backend", present.backend},
                             {"instance", present.number},
                             {"identity", present.instance.identity},
                             {"address", present.instance.address},
                             {"name", present.instance.name}};
  if (present.facts.ok()) {
    boost::json::array facts;
    for (const host::Fact &fact : *present.facts) {
      boost::json::object one{{"name", fact.name}, {"unit", fact.unit}};
      one["value"] = std::visit([](const auto &value) { return boost::json::value(value); }, fact.value);
      if (fact.space != BP_NONE) {
        one["space"] = space_of(present, fact);
      }
      facts.push_back(std::move(one));
    }
    object["facts"] = std::move(facts);
  } else {
    object["error"] = present.facts.error().to_string();
  }
  fmt::print("{}\n", boost::json::serialize(object));
}

std::string text_of(const host::Fact &fact) {
  if (const auto *integer = std::get_if<std::uint64_t>(&fact.value); integer != nullptr && fact.unit == "bytes") {
    return format_bytes(static_cast<double>(*integer));
  }
  const std::string value = std::visit([](const auto &known) { return fmt::format("{}", known); }, fact.value);
  return fact.unit.empty() ? value : value + " " + fact.unit;
}

void print(const Present &present) {
  fmt::print("{}", paint(Colour::Bold, fmt::format("{}:{}", present.backend, present.number)));
  for (const std::string *text : {&present.instance.identity, &present.instance.address, &present.instance.name}) {
    fmt::print("{}{}", text->empty() ? "" : "  ", *text);
  }
  fmt::print("\n");
  if (!present.facts.ok()) {
    fmt::print("  {}  {}\n", paint(Colour::Red, "error"), host::printable(present.facts.error().to_string()));
    return;
  }
  for (const host::Fact &fact : *present.facts) {
    fmt::print("  {:<17} {}\n", fact.name + (fact.space == BP_NONE ? "" : " " + space_of(present, fact)),
               text_of(fact));
  }
}

}  // namespace

int list_instances(std::span<const std::string> arguments) {
  Options options("instances [NAME] [--json]",
                  "Lists the devices that are present, and what they tell about themselves: free memory,\n"
                  "clocks, temperature, health. --on takes them by number or by identity, which stays the same\n"
                  "when other devices are added or removed. Loads the plugins and accesses the hardware.",
                  "  backplane instances\n"
                  "  backplane instances npu\n"
                  "  backplane instances npu:SIM-0002 --json\n"
                  "  backplane run model.hlo --on npu:SIM-0002\n");
  options.add()("json", "print one JSON object per device");
  options.add_positional("name", 1);
  options.complete({"name"}, Completion::Backend);
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  const std::string given = options.has("name") ? options.get<std::string>("name") : "";
  const Result<host::InstanceName> name = host::split_instance(given);
  if (!name.ok()) {
    return report(name.error());
  }
  std::vector<Present> all;
  if (!given.empty()) {
    const Result<host::Candidate> candidate = host::find_plugin(name->backend, host::plugin_directories());
    if (!candidate.ok()) {
      return report(candidate.error());
    }
    print_warnings(*candidate);
    if (Status appended = append(*candidate, *name, all); !appended.ok()) {
      return report(appended.error());
    }
  } else {
    for (const host::Candidate &candidate : host::scan(host::plugin_directories())) {
      if (candidate.refusal.has_value()) {
        continue;
      }
      if (Status appended = append(candidate, *name, all); !appended.ok()) {
        report(appended.error());  // the others are listed nevertheless
      }
    }
  }
  for (const Present &present : all) {
    options.has("json") ? print_json(present) : print(present);
  }
  if (all.empty() && !options.has("json")) {
    fmt::print("no device is present{}\n", given.empty() ? "" : " of " + given);
  }
  return success;
}

}  // namespace bp::command
