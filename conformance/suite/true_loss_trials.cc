// Trials of a device that is really lost, and not only to the calls of a layer: one that has the option "lose-after",
// the number of copies, fills and runs after which it fails, as simulators may have it for such tests.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "conformance/suite/contract_trials.h"
#include "conformance/suite/direct_program.h"
#include "conformance/suite/sample_programs.h"
#include "conformance/suite/shared_area.h"
#include "conformance/suite/stage.h"
#include "conformance/suite/submissions.h"
#include "core/host/diagnostics.h"
#include "core/interpreter/random_inputs.h"

namespace bp::conformance {
namespace {

constexpr std::string_view loss_option = "lose-after", lost = "device lost";

bool can_be_told_to_fail(const bp_device_desc_t &device) {
  return std::any_of(device.options, device.options + device.option_count, [](const bp_option_desc_t &option) {
    return option.key == loss_option && option.type == BP_OPTION_INTEGER;
  });
}

Result<DevicePointer> make_mortal(const std::shared_ptr<const host::Plugin> &library, const Subject &subject,
                                  int commands) {
  host::DeviceOptions options;
  options.settings = subject.choice().settings;
  std::erase_if(options.settings, [](const auto &setting) { return setting.first == loss_option; });
  options.settings.emplace_back(loss_option, std::to_string(commands));
  options.host = silent_host();
  BP_ASSIGN(std::unique_ptr<host::Device> device,
            host::Device::create(library, subject.device_id(), std::move(options)));
  return DevicePointer(std::move(device));
}

struct Health {
  std::string state;  // empty: not told
  std::uint64_t free = 0;
};
Result<Health> health_of(const host::Device &device) {
  Health health;
  if (device.device_info() == nullptr) {
    return health;
  }
  const bp_fact_receiver_t receiver = {&health, [](const bp_fact_receiver_t *self, const bp_fact_t *fact) {
                                         auto &told = *static_cast<Health *>(self->ctx);
                                         if (std::string_view(fact->name) == "health") {
                                           told.state = fact->text;
                                         } else if (std::string_view(fact->name) == "memory.free") {
                                           told.free += fact->integer;
                                         }
                                       }};
  host::Diagnostics diagnostics;
  const bp_status status = diagnostics.call(
      [&](const bp_diag_t *diag) { return device.device_info()->report(device.abi(), &receiver, diag); });
  BP_TRY(diagnostics.result(status, device.id(), "BP-INFO-04: report of facts"));
  return health;
}

Status expect_lost(bp_status status, std::string_view call) {
  return status == BP_DEVICE_LOST
             ? Status()
             : Status(make_error(ErrorCode::PluginFailure, "BP-STATUS-03: {} on a device that was lost returns \"{}\"",
                                 call, host::status_name(status)));
}

// The work of a device until it is lost, and the calls that it must refuse afterwards.
struct Mortal {
  DevicePointer device;
  std::shared_ptr<const DirectParts> parts;
  std::vector<Literal> arguments;
  runtime::Block one, other;
  std::vector<std::byte> bytes = std::vector<std::byte>(256);

  // Submits several copies and fills that are not waited for. Returns whether the device has been lost: each of them
  // then ends, and none after one that has failed succeeds.
  Result<bool> burst() {
    const std::uint32_t queue = find_queue(*device, 1u << BP_COMMAND_COPY);
    if (queue == BP_NONE) {
      return call_copy(one, other) == BP_DEVICE_LOST;
    }
    Submissions submissions(*device);
    std::vector<bp_point_t> points;
    bool is_refused = false;
    for (int i = 0; i < 6 && !is_refused; ++i) {
      const bp_command_t command = copy_command(i % 2 == 0 ? one.location() : other.location(),
                                                runtime::host_location(bytes.data()), bytes.size());
      if (const auto point = submissions.submit(queue, {&command, 1}); point.ok()) {
        points.push_back(*point);
      } else if (point.error().to_string().find(lost) != std::string::npos) {
        is_refused = true;
      } else {
        return point.error();
      }
    }
    bool is_lost = false;
    for (const bp_point_t point : points) {
      BP_ASSIGN(const host::Signal signal, submissions.signal_of(point));
      if (signal.status != BP_DEVICE_LOST && (signal.status != BP_OK || is_lost)) {
        return make_error(ErrorCode::PluginFailure, "BP-STATUS-03: a submission ends with \"{}\"{}",
                          host::status_name(signal.status), is_lost ? " after one that has found the device lost" : "");
      }
      is_lost |= signal.status == BP_DEVICE_LOST;
    }
    return is_lost || is_refused;
  }
  bp_status call_copy(const runtime::Block &to, const runtime::Block &from) const {
    host::Diagnostics diagnostics;
    return diagnostics.call([&](const bp_diag_t *diag) {
      return device->memory()->copy(device->abi(), to.location(), from.location(), bytes.size(), diag);
    });
  }

  // The program and a run of it, if it had been loaded before the device was lost; else both are null.
  Status expect_refusals(const bp_program_t *program, const bp_run_t *run) const {
    const bp_device_t *abi = device->abi();
    host::Diagnostics diagnostics;
    const auto status_of = [&](const auto &call) { return diagnostics.call(call); };
    BP_TRY(expect_lost(call_copy(one, other), "copy()"));
    bp_memory_t piece{};
    BP_TRY(expect_lost(status_of([&](const bp_diag_t *diag) {
                         return device->memory()->alloc(abi, 0, bytes.size(), 64, &piece, diag);
                       }),
                       "alloc()"));
    if (run != nullptr) {
      BP_TRY(expect_lost(status_of([&](const bp_diag_t *diag) { return program->run(program, run, diag); }), "run()"));
    }
    const auto loaded = DirectProgram::load(device, parts);
    if (loaded.ok() || loaded.error().to_string().find(lost) == std::string::npos) {
      return make_error(ErrorCode::PluginFailure, "BP-STATUS-03: load() on a device that was lost {}",
                        loaded.ok() ? "succeeds" : "fails otherwise: " + loaded.error().to_string());
    }
    if (device->queue() != nullptr) {
      for (std::uint32_t queue = 0; queue < device->queue()->queue_count; ++queue) {
        const bp_command_t nothing{};
        const bp_point_t point{device->timelines().create(), 1};
        BP_TRY(expect_lost(status_of([&](const bp_diag_t *diag) {
                             return device->queue()->submit(abi, queue, &nothing, 0, point, diag);
                           }),
                           "submit()"));
      }
    }
    if (device->external_memory() != nullptr) {
      BP_ASSIGN(const SharedArea area, SharedArea::create(4096));
      const bp_handle_t handle = runtime::host_handle(area.bytes(), false);
      BP_TRY(expect_lost(status_of([&](const bp_diag_t *diag) {
                           return device->external_memory()->import_memory(abi, 0, &handle, &piece, diag);
                         }),
                         "import_memory()"));
    }
    return {};
  }
};

Result<Verdict> lose_for_good(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  if (!can_be_told_to_fail(*backend->device()->abi()->desc)) {
    return Verdict{.status = CaseStatus::Unsupported,
                   .message = fmt::format("the device has no option {} of type INTEGER", loss_option)};
  }
  // A program without constants, which would have to be copied before it is loaded, if the device runs it.
  BP_ASSIGN(ir::Module module, sample_program("in_place"));
  if (!DirectParts::compile(backend->device(), module).ok()) {
    BP_ASSIGN(module, first_supported_sample(subject));
  }
  BP_ASSIGN(const auto parts, DirectParts::compile(backend->device(), module));
  BP_ASSIGN(const std::vector<Literal> arguments, interpreter::random_arguments(module, 1));
  BP_ASSIGN(const auto library, load_library(subject));
  for (const int commands : {0, 1, 2, 4, 8, 13, 40}) {
    Mortal mortal;
    mortal.parts = parts;
    BP_ASSIGN(mortal.device, make_mortal(library, subject, commands));
    const host::Device &device = *mortal.device;
    BP_ASSIGN(const Health healthy, health_of(device));
    BP_ASSIGN(mortal.one, runtime::Block::allocate_on(device, 0, mortal.bytes.size()));
    BP_ASSIGN(mortal.other, runtime::Block::allocate_on(device, 0, mortal.bytes.size()));
    // Constants and inputs are copied, too, which may lose the device.
    auto program = DirectProgram::load(mortal.device, parts);
    auto prepared =
        program.ok() ? (*program)->prepare(arguments, {}) : Result<std::unique_ptr<DirectRun>>(Error(program.error()));
    bool is_lost = !prepared.ok();
    if (is_lost && prepared.error().to_string().find(lost) == std::string::npos) {
      return prepared.error();
    }
    for (int i = 0; !is_lost; ++i) {
      BP_ASSIGN(is_lost, mortal.burst());
      if (i > commands + 2) {
        return failure(
            fmt::format("a device with the option {}={} is not lost after {} copies", loss_option, commands, 6 * i));
      }
    }
    BP_TRY(mortal.expect_refusals(prepared.ok() ? (*program)->abi() : nullptr,
                                  prepared.ok() ? (*prepared)->abi() : nullptr));
    BP_ASSIGN(const Health after, health_of(device));
    if (!after.state.empty() && after.state != "failed") {
      return failure(fmt::format("BP-INFO-04: the health of a device that was lost is \"{}\", expected \"failed\"",
                                 host::printable(after.state)));
    }
    prepared = Result<std::unique_ptr<DirectRun>>(nullptr);
    program = Result<std::unique_ptr<DirectProgram>>(nullptr);
    mortal.one = runtime::Block();
    mortal.other = runtime::Block();
    BP_ASSIGN(const Health released, health_of(device));
    if (released.free != healthy.free) {
      return failure(
          fmt::format("BP-INFO-02: {} bytes are free after all memory of a device that was lost is released, "
                      "and {} before",
                      released.free, healthy.free));
    }
  }
  return Verdict();
}
Verdict stays_lost(Subject &subject) {
  return verdict_or_error(lose_for_good(subject));
}

constexpr ContractTrial true_loss_table[] = {
    {"BP-STATUS-03/own_loss", "bp.memory/1", stays_lost},
};

}  // namespace

const std::span<const ContractTrial> true_loss_trials = true_loss_table;

}  // namespace bp::conformance
