// Trials of what a plugin tells about its devices: which instance is which (bp.instances/draft-1), and facts with units
// (bp.device-info/draft-1).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "conformance/suite/contract_trials.h"
#include "conformance/suite/direct_program.h"
#include "conformance/suite/stage.h"
#include "core/host/diagnostics.h"

namespace bp::conformance {
namespace {

Error broken_information(std::string message) {
  return Error(ErrorCode::PluginFailure, std::move(message));
}

// --- instances ---

constexpr std::uint32_t most_instances = 64;  // that are asked about

// Loads the plugin. Unsupported if it tells no identities.
Result<std::shared_ptr<const host::Plugin>> load_with_instances(Subject &subject) {
  subject.unload();
  BP_ASSIGN(std::shared_ptr<const host::Plugin> library, load_library(subject));
  if (library->instances() == nullptr) {
    return unsupported("the plugin tells no identities of its devices");
  }
  return library;
}

Result<std::vector<std::string>> identities_of(const host::Plugin &library, const std::string &id) {
  BP_ASSIGN(const std::uint32_t count, library.probe(id));
  std::vector<std::string> identities;
  for (std::uint32_t i = 0; i < std::min(count, most_instances); ++i) {
    BP_ASSIGN(host::Instance instance, library.describe(id, i));
    identities.push_back(std::move(instance.identity));
  }
  return identities;
}

Result<Verdict> expect_usable_identities(Subject &subject) {
  constexpr std::string_view permitted = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.:_-";
  constexpr std::size_t longest = 63;
  BP_ASSIGN(const auto library, load_with_instances(subject));
  BP_ASSIGN(const std::vector<std::string> identities, identities_of(*library, subject.device_id()));
  for (const std::string &identity : identities) {
    if (identity.empty() || identity.size() > longest || identity.find_first_not_of(permitted) != std::string::npos ||
        identity.find_first_not_of("0123456789") == std::string::npos) {
      return failure(
          fmt::format("BP-INSTANCE-01: an instance has the identity \"{}\", expected 1 to {} letters, digits "
                      "or .:_-, and not a number",
                      host::printable(identity), longest));
    }
  }
  return Verdict();
}
Verdict identities_are_usable(Subject &subject) {
  return verdict_or_error(expect_usable_identities(subject));
}

// Asks again, also while a device exists, and after the plugin was loaded again.
Result<Verdict> expect_stable_identities(Subject &subject) {
  BP_ASSIGN(auto library, load_with_instances(subject));
  const std::string id = subject.device_id();
  BP_ASSIGN(const std::vector<std::string> first, identities_of(*library, id));
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (std::ranges::count(first, first[i]) > 1) {
      return failure(fmt::format("BP-INSTANCE-02: more than one instance has the identity {}", first[i]));
    }
  }
  const auto expect_same = [&](std::string_view when) -> Status {
    BP_ASSIGN(const std::vector<std::string> again, identities_of(*library, id));
    for (std::size_t i = 0; i < std::min(first.size(), again.size()); ++i) {
      if (again[i] != first[i]) {
        return broken_information(fmt::format("BP-INSTANCE-02: {}, the identity of instance {} is {}, before it was {}",
                                              when, i, host::printable(again[i]), host::printable(first[i])));
      }
    }
    return {};
  };
  BP_TRY(expect_same("in a second call"));
  if (!first.empty()) {
    BP_ASSIGN(const DevicePointer device, make_device(library, subject));
    BP_TRY(expect_same("while a device exists"));
  }
  library.reset();
  BP_ASSIGN(library, load_library(subject));
  BP_TRY(expect_same("after the plugin was loaded again"));
  return Verdict();
}
Verdict identities_are_stable(Subject &subject) {
  return verdict_or_error(expect_stable_identities(subject));
}

Result<Verdict> expect_refusals(Subject &subject) {
  BP_ASSIGN(const auto library, load_with_instances(subject));
  const std::string id = subject.device_id();
  BP_ASSIGN(const std::uint32_t count, library->probe(id));
  const std::pair<std::string, std::uint32_t> unknown[] = {
      {id, count}, {id, 1'000'000}, {id, BP_NONE}, {"com.example.no-such-device", 0}};
  for (const auto &[name, instance] : unknown) {
    int told = 0;
    const bp_instance_receiver_t receiver = {
        &told, [](const bp_instance_receiver_t *self, const bp_instance_t *) { ++*static_cast<int *>(self->ctx); }};
    host::Diagnostics diagnostics;
    const bp_status status = diagnostics.call([&, &name = name, instance = instance](const bp_diag_t *diag) {
      return library->instances()->describe(library->factory(), name.c_str(), instance, &receiver, diag);
    });
    if (status != BP_INVALID || told != 0) {
      return failure(
          fmt::format("BP-INSTANCE-03: describe(\"{}\", {}) of {} instances returns \"{}\" and tells {} "
                      "instances, expected \"{}\" and none",
                      name, instance, count, host::status_name(status), told, host::status_name(BP_INVALID)));
    }
  }
  return Verdict();
}
Verdict refuses_unknown_instances(Subject &subject) {
  return verdict_or_error(expect_refusals(subject));
}

// --- facts ---

struct Fact {
  std::string name, unit, text;
  std::uint64_t integer;
  double real;
  std::uint32_t type, space;
};

Result<std::vector<Fact>> facts_of(const host::Device &device) {
  std::vector<Fact> facts;
  const bp_fact_receiver_t receiver = {
      &facts, [](const bp_fact_receiver_t *self, const bp_fact_t *fact) {
        static_cast<std::vector<Fact> *>(self->ctx)->push_back(
            {fact->name == nullptr ? "" : fact->name, fact->unit == nullptr ? "" : fact->unit,
             fact->text == nullptr ? "" : fact->text, fact->integer, fact->real, fact->type, fact->space});
      }};
  host::Diagnostics diagnostics;
  const bp_status status = diagnostics.call(
      [&](const bp_diag_t *diag) { return device.device_info()->report(device.abi(), &receiver, diag); });
  BP_TRY(diagnostics.result(status, device.id(), "report of facts"));
  return facts;
}

// Returns the number that a fact of a space has.
std::optional<std::uint64_t> integer_of(const std::vector<Fact> &facts, std::string_view name, std::uint32_t space) {
  const auto found =
      std::ranges::find_if(facts, [&](const Fact &fact) { return fact.name == name && fact.space == space; });
  return found == facts.end() ? std::nullopt : std::optional(found->integer);
}

Result<Verdict> expect_standard_facts(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  BP_ASSIGN(const std::vector<Fact> facts, facts_of(*backend->device()));
  std::set<std::pair<std::string, std::uint32_t>> seen;
  for (const Fact &fact : facts) {
    if (!seen.emplace(fact.name, fact.space).second) {
      return failure(fmt::format("BP-INFO-01: {} is told twice", host::printable(fact.name)));
    }
    if (fact.type < BP_FACT_INTEGER || fact.type > BP_FACT_TEXT) {
      return failure(fmt::format("BP-INFO-01: {} is of type {}", host::printable(fact.name), fact.type));
    }
    if (fact.name.starts_with('.')) {
      continue;
    }
    const auto *kind = std::ranges::find(BP_STANDARD_FACTS, fact.name, &bp_fact_kind_t::name);
    if (kind == std::end(BP_STANDARD_FACTS)) {
      return failure(fmt::format("BP-INFO-01: there is no standard fact {}, expected a '.' before names of the vendor",
                                 host::printable(fact.name)));
    }
    if (fact.unit != kind->unit || fact.type != kind->type || (fact.space != BP_NONE) != (kind->is_of_space != 0)) {
      return failure(fmt::format("BP-INFO-01: {} has the unit \"{}\", type {} and {}, expected \"{}\", type {} and {}",
                                 fact.name, host::printable(fact.unit), fact.type,
                                 fact.space != BP_NONE ? "a memory space" : "no memory space", kind->unit, kind->type,
                                 kind->is_of_space != 0 ? "a memory space" : "none"));
    }
  }
  return Verdict();
}
Verdict facts_are_standard(Subject &subject) {
  return verdict_or_error(expect_standard_facts(subject));
}

// One space, in which half of what is free is allocated, and at most this much.
Status expect_accounts(const host::Device &device, std::uint32_t space) {
  constexpr std::uint64_t most = std::uint64_t{1} << 28;
  const auto free_now = [&](std::uint64_t &free, std::uint64_t &total) -> Status {
    BP_ASSIGN(const std::vector<Fact> facts, facts_of(device));
    free = integer_of(facts, "memory.free", space).value_or(UINT64_MAX);
    total = integer_of(facts, "memory.total", space).value_or(UINT64_MAX);
    return {};
  };
  const std::uint64_t capacity =
      device.memory() == nullptr || space >= device.memory()->space_count ? 0 : device.memory()->spaces[space].capacity;
  std::uint64_t before = 0, during = 0, after = 0, total = 0;
  BP_TRY(free_now(before, total));
  if (total != UINT64_MAX && capacity != 0 && total != capacity) {
    return broken_information(
        fmt::format("BP-INFO-02: memory.total of space {} is {}, but the space has {} bytes", space, total, capacity));
  }
  if (before == UINT64_MAX) {
    return {};
  }
  if (before > total) {
    return broken_information(
        fmt::format("BP-INFO-02: space {} has {} bytes in all and {} free bytes", space, total, before));
  }
  const std::uint64_t size = std::min(before / 2, most);
  if (size == 0 || device.memory() == nullptr) {
    return {};
  }
  {
    BP_ASSIGN(const runtime::Block block, runtime::Block::allocate_on(device, space, size));
    BP_TRY(free_now(during, total));
  }
  BP_TRY(free_now(after, total));
  if (during > before - size || after != before) {
    return broken_information(fmt::format(
        "BP-INFO-02: space {} has {} free bytes, {} after an allocation of {}, and {} after its release, expected at "
        "most {} and then as many as at first",
        space, before, during, size, after, before - size));
  }
  // Small pieces, of which some are released before others; pieces of other spaces; and a piece that there is not.
  std::vector<runtime::Block> pieces;
  std::uint64_t sum = 0;
  for (const std::uint64_t small : {1, 100, 4'095, 70'001}) {
    if (sum + small <= before / 4) {
      BP_ASSIGN(runtime::Block piece, runtime::Block::allocate_on(device, space, small));
      pieces.push_back(std::move(piece));
      sum += small;
      BP_TRY(free_now(during, total));
      if (during > before - sum) {
        return broken_information(
            fmt::format("BP-INFO-02: space {} has {} free bytes, and {} after allocations of {} bytes in all, expected "
                        "at most {}",
                        space, before, during, sum, before - sum));
      }
    }
  }
  for (std::uint32_t other = 0; other < device.memory()->space_count && sum > 0; ++other) {
    const auto elsewhere = runtime::Block::allocate_on(device, other, other == space ? std::uint64_t{1} << 50 : 4096);
    std::uint64_t now = 0;
    BP_TRY(free_now(now, total));
    if (now != during && !(other == space && elsewhere.ok())) {
      return broken_information(
          fmt::format("BP-INFO-02: space {} has {} free bytes, and {} after {}", space, during, now,
                      other == space ? "an allocation that was refused" : "an allocation of another space"));
    }
  }
  while (!pieces.empty()) {
    pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(pieces.size() / 2));
  }
  BP_TRY(free_now(after, total));
  return after == before
             ? Status()
             : Status(broken_information(fmt::format(
                   "BP-INFO-02: space {} has {} free bytes, and {} after several pieces were allocated and released",
                   space, before, after)));
}

// Free memory can be allocated, but for what is lost between pieces.
Status expect_free_is_there(const host::Device &device, std::uint32_t space, std::uint64_t free) {
  constexpr std::uint64_t parts = 16, least = 14, most = std::uint64_t{1} << 28;
  std::vector<runtime::Block> pieces;
  while (free >= parts && free <= most && pieces.size() < least) {
    auto piece = runtime::Block::allocate_on(device, space, free / parts);
    if (!piece.ok()) {
      return broken_information(
          fmt::format("BP-INFO-02: of {} bytes of space {} that are free, no more than {} can be allocated: {}", free,
                      space, pieces.size() * (free / parts), piece.error().to_string()));
    }
    pieces.push_back(std::move(piece).value());
  }
  return {};
}

Result<Verdict> expect_memory_accounts(Subject &subject) {
  subject.unload();  // nobody else uses the device
  BP_ASSIGN(const std::shared_ptr<const host::Plugin> library, load_library(subject));
  BP_ASSIGN(const DevicePointer device, make_device(library, subject));
  BP_ASSIGN(const std::vector<Fact> facts, facts_of(*device));
  bool any = false;
  for (const Fact &fact : facts) {
    if (fact.name == "memory.total" || fact.name == "memory.free") {
      any = true;
      BP_TRY(expect_accounts(*device, fact.space));
      if (fact.name == "memory.free" && device->memory() != nullptr && fact.space < device->memory()->space_count) {
        BP_TRY(expect_free_is_there(*device, fact.space, fact.integer));
      }
    }
  }
  return any ? Verdict() : Verdict{.status = CaseStatus::Unsupported, .message = "no facts about memory are told"};
}
Verdict memory_is_accounted(Subject &subject) {
  return verdict_or_error(expect_memory_accounts(subject));
}

Result<Verdict> expect_plausible(Subject &subject) {
  struct Range {
    double least, most;
  };
  static const std::map<std::string, Range> ranges = {
      {"clock", {1e6, 1e11}}, {"clock.max", {1e6, 1e11}}, {"temperature", {-60, 200}},
      {"power", {0, 1e5}},    {"power.limit", {0, 1e5}},
  };
  BP_ASSIGN(const Backend *backend, subject.backend());
  BP_ASSIGN(const std::vector<Fact> facts, facts_of(*backend->device()));
  for (const Fact &fact : facts) {
    const auto range = ranges.find(fact.name);
    const double value = fact.type == BP_FACT_INTEGER ? static_cast<double>(fact.integer) : fact.real;
    if (range != ranges.end() && !(value >= range->second.least && value <= range->second.most)) {
      return failure(fmt::format("BP-INFO-03: {} is {} {}, expected {} to {}", fact.name, value, fact.unit,
                                 range->second.least, range->second.most));
    }
  }
  return Verdict();
}
Verdict facts_are_plausible(Subject &subject) {
  return verdict_or_error(expect_plausible(subject));
}

// A device that computes has not failed.
Result<Verdict> expect_health(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  BP_ASSIGN(const std::vector<Fact> facts, facts_of(*backend->device()));
  const auto health = std::ranges::find(facts, std::string_view("health"), &Fact::name);
  if (health == facts.end()) {
    return Verdict{.status = CaseStatus::Unsupported, .message = "the device does not tell its health"};
  }
  if (health->text != "ok" && health->text != "degraded") {
    return failure(fmt::format("BP-INFO-04: the health of a device that works is \"{}\", expected ok or degraded",
                               host::printable(health->text)));
  }
  return Verdict();
}
Verdict health_is_told(Subject &subject) {
  return verdict_or_error(expect_health(subject));
}

constexpr ContractTrial information_table[] = {
    {"BP-INSTANCE-01", "", identities_are_usable},
    {"BP-INSTANCE-02", "", identities_are_stable},
    {"BP-INSTANCE-03", "", refuses_unknown_instances},
    {"BP-INFO-01", "bp.device-info/draft-1", facts_are_standard},
    {"BP-INFO-02", "bp.device-info/draft-1", memory_is_accounted},
    {"BP-INFO-03", "bp.device-info/draft-1", facts_are_plausible},
    {"BP-INFO-04", "bp.device-info/draft-1", health_is_told},
};

}  // namespace

const std::span<const ContractTrial> information_trials = information_table;

}  // namespace bp::conformance
