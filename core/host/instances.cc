#include "core/host/instances.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/lexical_cast/try_lexical_convert.hpp>

#include "core/host/diagnostics.h"

namespace bp::host {
namespace {

constexpr std::size_t max_identity = 63;
constexpr std::uint32_t max_instances = 10'000;  // more are a mistake of the plugin

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Whether a user can name an instance so (BP-INSTANCE-01).
bool is_identity(std::string_view text) {
  const auto is_permitted = [](char c) {
    return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           std::string_view(".:_-").find(c) != std::string_view::npos;
  };
  return !text.empty() && text.size() <= max_identity && std::ranges::all_of(text, is_permitted) &&
         !std::ranges::all_of(text, is_digit);
}

std::string list_of(const std::vector<Instance> &instances) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    texts.push_back(instances[i].identity.empty() ? std::to_string(i)
                                                  : fmt::format("{} ({})", i, instances[i].identity));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

Result<InstanceName> split_instance(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  const std::size_t colon = name.find(':', slash == std::string_view::npos ? 0 : slash);
  if (colon == std::string_view::npos) {
    return InstanceName{name, {}};
  }
  if (colon + 1 == name.size()) {
    return invalid_input("the backend is '{}', expected the number or the identity of an instance after the ':'", name);
  }
  return InstanceName{name.substr(0, colon), name.substr(colon + 1)};
}

Result<std::vector<Instance>> list_instances(const Plugin &plugin, const std::string &id) {
  BP_ASSIGN(const std::uint32_t count, plugin.probe(id));
  std::vector<Instance> instances(std::min(count, max_instances));
  for (std::uint32_t i = 0; plugin.instances() != nullptr && i < instances.size(); ++i) {
    BP_ASSIGN(instances[i], plugin.describe(id, i));
    if (!is_identity(instances[i].identity)) {
      return make_error(ErrorCode::PluginFailure,
                        "{}: instance {} of {} has the identity \"{}\", expected 1 to {} letters, digits or .:_-, and "
                        "not a number",
                        plugin.path(), i, id, printable(instances[i].identity), max_identity);
    }
    for (std::uint32_t k = 0; k < i; ++k) {
      if (instances[k].identity == instances[i].identity) {
        return make_error(ErrorCode::PluginFailure,
                          "{}: instances {} and {} of {} both have the identity {}, expected different ones",
                          plugin.path(), k, i, id, instances[i].identity);
      }
    }
  }
  return instances;
}

Result<std::uint32_t> find_instance(const Plugin &plugin, const std::string &id, const InstanceName &name) {
  if (name.instance.empty()) {
    return std::uint32_t{0};
  }
  BP_ASSIGN(const std::vector<Instance> instances, list_instances(plugin, id));
  std::uint32_t number = 0;
  const bool is_number = std::ranges::all_of(name.instance, is_digit);
  if (is_number && boost::conversion::try_lexical_convert(name.instance, number) && number < instances.size()) {
    return number;
  }
  const auto found = std::ranges::find(instances, name.instance, &Instance::identity);
  if (!is_number && found != instances.end()) {
    return static_cast<std::uint32_t>(found - instances.begin());
  }
  if (instances.empty()) {
    return make_error(ErrorCode::NotFound, "{}:{}: no device of {} is present", name.backend, name.instance, id);
  }
  if (!is_number && plugin.instances() == nullptr) {
    return make_error(ErrorCode::NotFound,
                      "{}:{}: the plugin tells no identities of its devices (it has no {}), expected a number: {}",
                      name.backend, name.instance, BP_INSTANCES, list_of(instances));
  }
  return make_error(ErrorCode::NotFound, "{}:{}: there is no such device, expected one of: {}", name.backend,
                    name.instance, list_of(instances));
}

Result<std::vector<Fact>> facts_of(const Device &device) {
  std::vector<Fact> facts;
  if (device.device_info() == nullptr) {
    return facts;
  }
  const auto tell = [](const bp_fact_receiver_t *receiver, const bp_fact_t *fact) {
    const auto text = [](const char *given) { return given == nullptr ? std::string() : printable(given); };
    Fact &added = static_cast<std::vector<Fact> *>(receiver->ctx)->emplace_back();
    added = {text(fact->name), text(fact->unit), fact->integer, fact->space};
    if (fact->type == BP_FACT_REAL) {
      added.value = fact->real;
    } else if (fact->type == BP_FACT_TEXT) {
      added.value = text(fact->text);
    }
  };
  const bp_fact_receiver_t receiver = {&facts, tell};
  Diagnostics diagnostics;
  const bp_status status = diagnostics.call(
      [&](const bp_diag_t *diag) { return device.device_info()->report(device.abi(), &receiver, diag); });
  BP_TRY(diagnostics.result(status, device.id(), "report of facts"));
  return facts;
}

}  // namespace bp::host
