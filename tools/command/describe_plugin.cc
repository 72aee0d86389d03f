#include "tools/command/describe_plugin.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <boost/json.hpp>
#include <span>
#include <vector>

#include "core/host/diagnostics.h"
#include "core/host/open_device.h"
#include "core/host/settings.h"
#include "tools/command/certificate_text.h"
#include "tools/command/command.h"
#include "tools/command/problem.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

std::span<const bp_option_desc_t> options_of(const host::Device &device) {
  return {device.description().options, device.description().option_count};
}

std::span<const bp_space_t> spaces_of(const host::Device &device) {
  const bp_device_memory_t *memory = device.memory();
  return memory == nullptr ? std::span<const bp_space_t>() : std::span(memory->spaces, memory->space_count);
}

std::span<const std::uint32_t> queues_of(const host::Device &device) {
  const bp_device_queue_t *queue = device.queue();
  return queue == nullptr ? std::span<const std::uint32_t>() : std::span(queue->queues, queue->queue_count);
}

std::string text(const char *text) {
  return text == nullptr ? std::string() : host::printable(text);
}

std::vector<std::string> commands_of(std::uint32_t queue) {
  std::vector<std::string> commands;
  for (const auto &[kind, name] :
       {std::pair(BP_COMMAND_RUN, "run"), std::pair(BP_COMMAND_COPY, "copy"), std::pair(BP_COMMAND_FILL, "fill")}) {
    if ((queue >> kind & 1) != 0) {
      commands.emplace_back(name);
    }
  }
  return commands;
}

const host::ManifestDevice &manifest_of(const host::Device &device) {
  return *device.plugin().manifest().find(device.id());
}

conformance::Certificate certificate_of(const host::Device &device) {
  return conformance::check_certificate(host::examine(device.plugin().path(), host::TrustPolicy::Any));
}

void print_json(const host::Device &device) {
  const bp_device_desc_t &description = device.description();
  boost::json::array options, spaces, queues;
  for (const bp_option_desc_t &option : options_of(device)) {
    boost::json::object object{{"key", text(option.key)}, {"type", host::type_of_option(option)}};
    object["default"] = option.initial == nullptr ? boost::json::value() : boost::json::value(text(option.initial));
    object["help"] = text(option.help);
    options.push_back(std::move(object));
  }
  for (const bp_space_t &space : spaces_of(device)) {
    spaces.push_back({{"name", text(space.name)},
                      {"capacity", space.capacity},
                      {"alignment", space.alignment},
                      {"host_visible", (space.flags & BP_SPACE_HOST_VISIBLE) != 0},
                      {"peer_visible", (space.flags & BP_SPACE_PEER_VISIBLE) != 0},
                      {"per_run", (space.flags & BP_SPACE_PER_RUN) != 0},
                      {"hlo_space", space.hlo_space},
                      {"gb_per_s", space.gb_per_s}});
  }
  for (const std::uint32_t queue : queues_of(device)) {
    queues.push_back(boost::json::value_from(commands_of(queue)));
  }
  const boost::json::object object{{"id", text(description.id)},
                                   {"name", text(description.name)},
                                   {"vendor", text(description.vendor)},
                                   {"version", text(description.version)},
                                   {"url", text(description.url)},
                                   {"opset", description.opset},
                                   {"target", std::string(device.target())},
                                   {"path", device.plugin().path()},
                                   {"conformance", to_json(certificate_of(device))},
                                   {"extensions", boost::json::value_from(manifest_of(device).extensions)},
                                   {"options", std::move(options)},
                                   {"spaces", std::move(spaces)},
                                   {"queues", std::move(queues)}};
  fmt::print("{}\n", boost::json::serialize(object));
}

void print(const host::Device &device) {
  const bp_device_desc_t &description = device.description();
  fmt::print("{} {}  {}{}\n", paint(Colour::Bold, text(description.name)), text(description.version),
             text(description.vendor), description.url == nullptr ? "" : fmt::format(", {}", text(description.url)));
  auto row = [](std::string_view what, std::string_view value) { fmt::print("  {:<12} {}\n", what, value); };
  row("id", text(description.id));
  row("file", device.plugin().path());
  row("target", device.target());
  row("extensions", fmt::format("{}", fmt::join(manifest_of(device).extensions, " ")));
  if (const std::string conformance = describe(certificate_of(device)); !conformance.empty()) {
    row("conformance", conformance);
  }
  for (const bp_option_desc_t &option : options_of(device)) {
    row("option", fmt::format("{} ({}{}): {}", text(option.key), host::type_of_option(option),
                              option.initial == nullptr ? "" : fmt::format("; default: {}", text(option.initial)),
                              text(option.help)));
  }
  for (const bp_space_t &space : spaces_of(device)) {
    row("memory",
        fmt::format("{}: {}, alignment {}{}{}{}{}", text(space.name), format_bytes(static_cast<double>(space.capacity)),
                    space.alignment, (space.flags & BP_SPACE_HOST_VISIBLE) != 0 ? ", visible to the host" : "",
                    (space.flags & BP_SPACE_PEER_VISIBLE) != 0 ? ", visible to other devices" : "",
                    (space.flags & BP_SPACE_PER_RUN) != 0 ? ", contents are lost after a run" : "",
                    space.gb_per_s > 0 ? fmt::format(", {:g} GB/s", space.gb_per_s) : ""));
  }
  for (const std::uint32_t queue : queues_of(device)) {
    row("queue", fmt::format("{}", fmt::join(commands_of(queue), ", ")));
  }
}

}  // namespace

int describe_plugin(const std::string &name, bool as_json) {
  host::DeviceOptions options;
  options.instance = BP_NONE;
  auto device = host::open_device(name, std::move(options));
  if (!device.ok()) {
    return report(device.error());
  }
  as_json ? print_json(**device) : print(**device);
  return success;
}

}  // namespace bp::command
