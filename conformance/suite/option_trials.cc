#include "conformance/suite/option_trials.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <utility>

#include "conformance/suite/contract_trials.h"
#include "conformance/suite/guarded_block.h"
#include "conformance/suite/library.h"
#include "conformance/suite/sample_programs.h"
#include "conformance/suite/stage.h"
#include "core/layers/interposer.h"

namespace bp::conformance {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

// Calls `body` with the factory, and with the options of the device in its description.
Verdict with_options(
    const Subject &subject,
    const std::function<Status(const bp_device_factory_t &, std::span<const bp_option_desc_t>)> &body) {
  const auto run = [&]() -> Status {
    BP_ASSIGN(const Library library, Library::open(subject.path(), subject.layers()));
    BP_TRY(library.init());
    BP_ASSIGN(const bp_device_factory_t *factory, library.factory());
    for (std::uint32_t i = 0; i < factory->count(factory); ++i) {
      const bp_device_desc_t &device = *factory->get_desc(factory, i);
      if (device.id == subject.device_id()) {
        BP_TRY(body(*factory, {device.options, device.option_count}));
      }
    }
    library.deinit();
    return {};
  };
  return verdict_of(run());
}

// Returns values that an option does not take; none if it takes any text.
std::vector<std::string> wrong_values(const bp_option_desc_t &option) {
  switch (option.type) {
    case BP_OPTION_INTEGER: return {"neither here nor there", "", "1x", "1.5", "1 2", "-"};
    case BP_OPTION_REAL: return {"neither here nor there", "", "1.5x", "1 2", "-"};
    case BP_OPTION_SWITCH: return {"neither here nor there", "", "2", "10", "yes"};
    default: break;
  }
  std::vector<std::string> values;
  if (option.choices != nullptr) {
    values = {"no such choice", ""};
    for (const char *const *choice = option.choices; *choice != nullptr; ++choice) {
      const std::string text = *choice;
      values.insert(values.end(), {text + "x", text.substr(0, text.size() - 1)});
    }
    std::erase_if(values, [&](const std::string &value) {
      const char *const *choice = option.choices;
      while (*choice != nullptr && value != *choice) {
        ++choice;
      }
      return *choice != nullptr;
    });
  }
  return values;
}

// Calls create() with options of which the last one is wrong: it has to return null, and to say why.
Status expect_option_refused(const bp_device_factory_t &factory, const bp_host_t *host, const std::string &id,
                             std::span<const bp_option_t> options) {
  host::Diagnostics diagnostics;
  OwnedDevice device;
  diagnostics.call([&](const bp_diag_t *diag) -> bp_status {
    device.reset(factory.create(&factory, host, id.c_str(), 0, options.data(),
                                static_cast<std::uint32_t>(options.size()), diag));
    return BP_OK;
  });
  const std::string option = fmt::format("the option {}={}", options.back().key, options.back().value);
  if (device != nullptr) {
    return make_error(ErrorCode::PluginFailure, "BP-CREATE-02: create() takes {}", option);
  }
  if (diagnostics.reports().empty() || diagnostics.reports().front().message.empty()) {
    return make_error(ErrorCode::PluginFailure, "BP-CREATE-02: create() refuses {} without a report", option);
  }
  return {};
}

// Returns a valid value of an option. For a text without a known one that is the empty text, which it may refuse.
std::string some_value(const bp_option_desc_t &option) {
  if (option.initial != nullptr) {
    return option.initial;
  }
  return option.type != BP_OPTION_TEXT ? "1" : option.choices != nullptr ? option.choices[0] : "";
}

// Gives create() options in memory that cannot be read once it has returned.
struct OptionsForCreate final : layers::Interposer {
  OptionsForCreate(std::unique_ptr<host::Entry> below, std::deque<GuardedBlock> &blocks)
      : Interposer(std::move(below)), blocks_(blocks) {}

  const bp_device_t *factory_create(layers::LayeredFactory &factory, const bp_host_t *host, const char *id,
                                    std::uint32_t instance, const bp_option_t *options, std::uint32_t option_count,
                                    const bp_diag_t *diag) override {
    std::uint64_t size = option_count * sizeof(bp_option_t);
    for (std::uint32_t i = 0; i < option_count; ++i) {
      size += std::strlen(options[i].key) + std::strlen(options[i].value) + 2;
    }
    auto block = GuardedBlock::make(nullptr, 0, std::max<std::uint64_t>(size, 1), alignof(bp_option_t),
                                    GuardedBlock::Side::AtStart, std::byte{0});
    if (!block.ok()) {
      return nullptr;
    }
    auto *const copies = reinterpret_cast<bp_option_t *>(static_cast<std::uintptr_t>(block->location().offset));
    auto *text = reinterpret_cast<char *>(copies + option_count);
    const auto copied = [&text](const char *from) {
      const std::size_t bytes = std::strlen(from) + 1;
      std::memcpy(text, from, bytes);
      return std::exchange(text, text + bytes);
    };
    for (std::uint32_t i = 0; i < option_count; ++i) {
      copies[i] = {copied(options[i].key), copied(options[i].value)};
    }
    const bp_device_t *device = Interposer::factory_create(factory, host, id, instance, copies, option_count, diag);
    mprotect(block->pages().data(), block->pages().size(), PROT_NONE);
    blocks_.push_back(std::move(*block));
    return device;
  }

 private:
  std::deque<GuardedBlock> &blocks_;
};

// Loads the device with further settings, under one more layer if there is one, and runs a program if it can.
Status work_with(const Subject &subject, const Settings &settings, const host::Layer &layer) {
  BackendOptions options = subject.backend_options();
  for (const auto &[key, value] : settings) {
    if (std::ranges::find(options.settings, key, [](const auto &own) { return own.first; }) == options.settings.end()) {
      options.settings.emplace_back(key, value);
    }
  }
  if (layer) {
    options.layers.push_back(layer);
  }
  BP_ASSIGN(const Backend backend, Backend::load(subject.choice().name, options));
  BP_ASSIGN(const ir::Module module, sample_program("add"));
  const Result<ir::Literal> result = run_alone(subject, backend, module);
  return result.ok() || result.error().code() == ErrorCode::Unsupported ? Status() : Status(result.error());
}

}  // namespace

std::vector<std::string> values_of_other_targets(const bp_option_desc_t &option) {
  switch (option.type) {
    case BP_OPTION_SWITCH: return {"0", "1"};
    case BP_OPTION_INTEGER: return {"1", "2", "65536"};
    case BP_OPTION_REAL: return {"0.5", "2"};
    default: break;
  }
  std::vector<std::string> values;
  for (const char *const *choice = option.choices; choice != nullptr && *choice != nullptr; ++choice) {
    values.emplace_back(*choice);
  }
  const std::string_view key = option.key;
  if (option.choices == nullptr && (key == "target" || key == "features")) {
    values = {"x86_64-linux-gnu",
              "aarch64-linux-gnu",
              "riscv64-linux-gnu",
              "x86-64-v2",
              "sm_80",
              "sm_90a",
              "gfx90a",
              "bdver4",
              "+xop",
              "+avx512fp16",
              "+sve2p1"};  // few machines have these
  }
  return values;
}

Verdict refuses_wrong_options(Subject &subject) {
  const host::HostServices services(host::HostOptions{});
  return with_options(
      subject, [&](const bp_device_factory_t &factory, std::span<const bp_option_desc_t> options) -> Status {
        const auto known = std::ranges::find_if(options, [](const auto &option) { return option.initial != nullptr; });
        // Alone, and after one that is right.
        const auto refuses = [&](const bp_option_t &option) -> Status {
          BP_TRY(expect_option_refused(factory, services.abi(), subject.device_id(), {&option, 1}));
          if (known == options.end()) {
            return {};
          }
          const bp_option_t both[] = {{known->key, known->initial}, option};
          return expect_option_refused(factory, services.abi(), subject.device_id(), both);
        };
        for (const bp_option_desc_t &option : options) {
          for (const std::string &value : wrong_values(option)) {
            BP_TRY(refuses({option.key, value.c_str()}));
          }
          BP_TRY(refuses({(std::string(option.key) + "x").c_str(), "1"}));
        }
        return refuses({"no-such-option", "1"});
      });
}

Verdict forgets_its_options(Subject &subject) {
  std::vector<Settings> choices(1);  // those with a default at once, then each alone
  Verdict verdict =
      with_options(subject, [&](const bp_device_factory_t &, std::span<const bp_option_desc_t> options) -> Status {
        for (const bp_option_desc_t &option : options) {
          choices.push_back({{option.key, some_value(option)}});
          if (option.initial != nullptr) {
            choices.front().push_back(choices.back().front());
          }
        }
        return {};
      });
  if (verdict.status != CaseStatus::Pass) {
    return verdict;
  }
  if (choices.size() == 1) {
    return {.status = CaseStatus::Unsupported, .message = "the device has no options"};
  }
  for (const Settings &settings : choices) {
    if (!work_with(subject, settings, nullptr).ok()) {
      continue;  // a value that is not for this machine
    }
    std::deque<GuardedBlock> blocks;
    const Status status = work_with(subject, settings, [&blocks](std::unique_ptr<host::Entry> below) {
      return std::make_unique<OptionsForCreate>(std::move(below), blocks);
    });
    if (!status.ok()) {
      return failure(
          fmt::format("BP-CREATE-03: with options that are gone after create(), {}", status.error().to_string()));
    }
  }
  return {};
}

}  // namespace bp::conformance
