// Trials of the device's own memory and queues, directly at the ABI.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>

#include "conformance/suite/contract_trials.h"
#include "conformance/suite/direct_program.h"
#include "conformance/suite/sample_programs.h"
#include "conformance/suite/stage.h"
#include "core/host/diagnostics.h"
#include "core/layers/interposer.h"

namespace bp::conformance {
namespace {

using namespace layers;

constexpr std::uint64_t piece_bytes = 4096;

bp_loc_t host_location(void *data) {
  return {0, reinterpret_cast<std::uint64_t>(data)};
}

// BP-COPY-01: a copy of 0 bytes.
Result<Verdict> copies_nothing(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  const host::Device &device = *backend->device();
  BP_ASSIGN(const runtime::Block piece, runtime::Block::allocate_on(device, 0, piece_bytes));
  std::byte here{7};
  const auto copy = [&](bp_loc_t to, bp_loc_t from) -> Status {
    host::Diagnostics diagnostics;
    return diagnostics.result(
        diagnostics.call([&](const bp_diag_t *diag) { return device.memory()->copy(device.abi(), to, from, 0, diag); }),
        device.id(), "BP-COPY-01: a copy of 0 bytes");
  };
  const bp_loc_t end{piece.location().memory, piece.location().offset + piece_bytes};
  BP_TRY(copy(end, host_location(&here)));
  BP_TRY(copy(host_location(&here), piece.location()));
  return here == std::byte{7} ? Verdict() : failure("BP-COPY-01: a copy of 0 bytes writes");
}
Verdict copy_of_nothing(Subject &subject) {
  return verdict_or_error(copies_nothing(subject));
}

// --- BP-SUBMIT-01: commands submitted later to a queue see the effects of earlier ones ---

Result<Verdict> queue_keeps_order(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  const host::Device &device = *backend->device();
  const std::uint32_t queue = find_queue(device, 1u << BP_COMMAND_COPY);
  if (queue == BP_NONE) {
    return Verdict{.status = CaseStatus::Unsupported, .message = "no queue copies"};
  }
  BP_ASSIGN(const runtime::Block piece, runtime::Block::allocate_on(device, 0, piece_bytes));
  const std::uint64_t timeline = device.timelines().create();
  std::uint64_t point = 0;
  const auto submit = [&](const std::vector<bp_command_t> &commands) -> Status {
    host::Diagnostics diagnostics;
    const bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
      return device.queue()->submit(device.abi(), queue, commands.data(), static_cast<std::uint32_t>(commands.size()),
                                    {timeline, ++point}, diag);
    });
    return diagnostics.result(status, device.id(), "submit");
  };
  Verdict verdict;
  for (int round = 0; round < 50 && verdict.status == CaseStatus::Pass; ++round) {
    std::vector<char> older(piece_bytes, 'a'), newer(piece_bytes, static_cast<char>('b' + round)), out(piece_bytes);
    const std::vector<bp_command_t> commands = {
        copy_command(piece.location(), host_location(older.data()), piece_bytes),
        copy_command(piece.location(), host_location(newer.data()), piece_bytes),
        copy_command(host_location(out.data()), piece.location(), piece_bytes)};
    if (round % 2 == 0) {
      BP_TRY(submit(commands));
    } else {
      for (const bp_command_t &command : commands) {
        BP_TRY(submit({command}));
      }
    }
    // Waits for all of them: the memory they point to is destroyed here.
    for (std::uint64_t each = 1; each <= point; ++each) {
      if (const auto signal = device.timelines().wait({timeline, each}); !signal || signal->status != BP_OK) {
        verdict = failure("BP-SUBMIT-01: a copy fails");
      }
    }
    if (out != newer && verdict.status == CaseStatus::Pass) {
      verdict = failure("BP-SUBMIT-01: commands submitted to one queue do not take effect in order");
    }
  }
  device.timelines().destroy(timeline);
  return verdict;
}
Verdict keeps_order(Subject &subject) {
  return verdict_or_error(queue_keeps_order(subject));
}

// --- BP-SUBMIT-02: the commands are not read after submit() ---

struct Scribbler final : Interposer {
  using Interposer::Interposer;
  bp_status queue_submit(LayeredDevice &device, std::uint32_t queue, const bp_command_t *commands,
                         std::uint32_t command_count, bp_point_t done, const bp_diag_t *diag) override {
    std::vector<bp_command_t> *own;
    {
      const std::lock_guard lock(mutex_);
      own = submitted_.emplace_back(new std::vector(commands, commands + command_count)).get();
    }
    for (bp_command_t &command : *own) {
      if (command.program != nullptr) {
        command.program = reinterpret_cast<const LayeredProgram *>(command.program)->below;
      }
    }
    const bp_status status = device.queue->submit(device.below, queue, own->data(), command_count, done, diag);
    std::memset(static_cast<void *>(own->data()), 0xee, own->size() * sizeof(bp_command_t));
    return status;
  }
  std::mutex mutex_;
  std::vector<std::unique_ptr<std::vector<bp_command_t>>> submitted_;  // kept, so that a late read does not crash
};

Result<Verdict> forgets_commands(Subject &subject) {
  BP_ASSIGN(const ir::Module module, first_supported_sample(subject));
  BP_ASSIGN(const Backend *backend, subject.backend());
  BP_ASSIGN(const Literal expected, run_alone(subject, *backend, module));
  BP_ASSIGN(const Backend scribbled, load_under(subject, [](std::unique_ptr<host::Entry> below) {
              return std::make_unique<Scribbler>(std::move(below));
            }));
  for (int i = 0; i < 5; ++i) {
    const auto found = run_alone(subject, scribbled, module);
    if (!found.ok()) {
      return failure("BP-SUBMIT-02: with commands overwritten after submit(): " + found.error().to_string());
    }
    if (!found->identical(expected)) {
      return failure("BP-SUBMIT-02: the result differs in bits if commands are overwritten after submit()");
    }
  }
  return Verdict();
}
Verdict reads_commands_at_once(Subject &subject) {
  return verdict_or_error(forgets_commands(subject));
}

// --- BP-WAIT-01: a run waits for the copies it was told to wait for, and fails if they do ---

// Puts long copies to another block before each copy to the device; and makes that copy fail, if asked to.
class CopiesChanged : public Interposer {
 public:
  CopiesChanged(std::unique_ptr<host::Entry> below, bool fail, std::atomic<int> &waits)
      : Interposer(std::move(below)), fail_(fail), waits_(waits), long_(long_bytes) {}

  bp_status native_sync_wait(LayeredDevice &device, std::uint32_t queue, bp_point_t point,
                             const bp_diag_t *diag) override {
    ++waits_;
    return Interposer::native_sync_wait(device, queue, point, diag);
  }
  bp_status queue_submit(LayeredDevice &device, std::uint32_t queue, const bp_command_t *commands,
                         std::uint32_t command_count, bp_point_t done, const bp_diag_t *diag) override {
    std::vector<bp_command_t> changed(commands, commands + command_count);
    const auto first = std::ranges::find_if(changed, [](const bp_command_t &command) {
      return command.kind == BP_COMMAND_COPY && command.from.memory == 0;
    });
    if (first != changed.end()) {
      const std::lock_guard lock(mutex_);
      if (piece_.memory == 0) {
        if (const bp_status status = device.memory->alloc(device.below, 0, long_bytes, 64, &piece_, diag);
            status != BP_OK) {
          return status;
        }
      }
      bp_command_t slow = *first;
      slow.from = host_location(long_.data());
      slow.to = {piece_.memory, 0};
      slow.size = long_bytes;
      first->to.memory = fail_ ? ~std::uint64_t{0} : first->to.memory;  // no block has this handle
      changed.insert(first, 8, slow);
    }
    return Interposer::queue_submit(device, queue, changed.data(), static_cast<std::uint32_t>(changed.size()), done,
                                    diag);
  }
  void device_destroy(LayeredDevice &device) override {
    if (piece_.memory != 0) {
      device.memory->release(device.below, piece_.memory);
    }
    Interposer::device_destroy(device);
  }

 private:
  static constexpr std::uint64_t long_bytes = 4 << 20;
  bool fail_;
  std::atomic<int> &waits_;
  std::vector<char> long_;
  std::mutex mutex_;
  bp_memory_t piece_{};
};

Result<Verdict> wait_for_copies(Subject &subject, bool fail) {
  BP_ASSIGN(const ir::Module module, first_supported_sample(subject));
  BP_ASSIGN(const Backend *backend, subject.backend());
  BP_ASSIGN(const Literal expected, run_alone(subject, *backend, module));
  std::atomic<int> waits = 0;
  BP_ASSIGN(const Backend changed, load_under(subject, [&](std::unique_ptr<host::Entry> below) {
              return std::make_unique<CopiesChanged>(std::move(below), fail, waits);
            }));
  // On a busy machine a copy may finish before anything waits for it, so it is tried several times.
  for (int i = 0; i < 10; ++i) {
    const auto found = run_alone(subject, changed, module);
    if (fail && found.ok()) {
      return failure("BP-WAIT-01: a run succeeds, though it waits for a copy that fails");
    }
    if (!fail && !found.ok()) {
      return failure("BP-WAIT-01: a run that waits for long copies fails: " + found.error().to_string());
    }
    if (!fail && !found->identical(expected)) {
      return failure("BP-WAIT-01: a run does not wait for the copies before it");
    }
  }
  return waits == 0 ? Verdict{.status = CaseStatus::Unsupported,
                              .message = "every copy was refused, or was done before a run waited for it"}
                    : Verdict();
}
Verdict waits_for_copies(Subject &subject) {
  return verdict_or_error(wait_for_copies(subject, false));
}
Verdict fails_with_copies(Subject &subject) {
  return verdict_or_error(wait_for_copies(subject, true));
}

constexpr ContractTrial queue_table[] = {
    {"BP-COPY-01/nothing", "bp.memory/1", copy_of_nothing},
    {"BP-SUBMIT-01", "bp.queue/1", keeps_order},
    {"BP-SUBMIT-02", "bp.queue/1", reads_commands_at_once},
    {"BP-WAIT-01/order", "bp.native-sync/1", waits_for_copies},
    {"BP-WAIT-01/failure", "bp.native-sync/1", fails_with_copies},
};

}  // namespace

const std::span<const ContractTrial> queue_trials = queue_table;

}  // namespace bp::conformance
