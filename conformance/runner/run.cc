#include "conformance/runner/run.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <deque>

#include "conformance/report/json_lines.h"
#include "conformance/runner/worker.h"
#include "core/base/processors.h"

namespace bp::conformance {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A slot for a worker, and the group it is working on.
struct Slot {
  std::optional<Worker> worker;
  const Group *group = nullptr;
  std::size_t at = 0;  // index of the case in flight
  Clock::time_point started;

  bool is_busy() const { return group != nullptr; }
  const std::string &id() const { return group->ids[at]; }
};

class Run {
 public:
  Run(const std::vector<Group> &groups, const Subject &subject, const RunOptions &options)
      : groups_(groups), subject_(subject), options_(options) {
    slots_.resize(options.jobs > 0 ? static_cast<std::size_t>(options.jobs) : usable_processors());
    for (const Group &group : groups) {
      total_ += group.ids.size();
    }
  }

  Status run() {
    for (std::size_t begin = 0, end = 0; begin < groups_.size() && !is_stopped_; begin = end) {
      const Stage &stage = *groups_[begin].stage;
      for (end = begin; end < groups_.size() && groups_[end].stage == &stage; ++end) {
      }
      if (blocked_by_.empty()) {
        BP_TRY(run_stage(stage, begin, end));
      } else {
        block(begin, end);
      }
    }
    return {};
  }

 private:
  Status run_stage(const Stage &stage, std::size_t begin, std::size_t end) {
    for (std::size_t next = begin; !is_stopped_;) {
      for (Slot &slot : slots_) {
        const bool is_free = !slot.is_busy() && (!stage.is_timed || &slot == &slots_.front());
        if (is_free && next < end) {
          slot.group = &groups_[next++];
          slot.at = 0;
          BP_TRY(send(slot));
        }
      }
      if (std::ranges::none_of(slots_, &Slot::is_busy)) {
        break;
      }
      wait(stage);
      for (Slot &slot : slots_) {
        if (slot.is_busy()) {
          BP_TRY(look_at(slot));
        }
      }
    }
    return {};
  }

  void block(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end && !is_stopped_; ++i) {
      for (const std::string &id : groups_[i].ids) {
        Record record;
        record.id = id;
        record.stage = groups_[i].stage->name;
        record.seed = subject_.seed_of(id);
        record.verdict = {.status = CaseStatus::Blocked, .message = fmt::format("{} did not pass", blocked_by_)};
        tell(std::move(record));
      }
    }
  }

  double deadline(const Stage &stage) const { return stage.deadline_seconds * options_.deadline_scale; }

  Status send(Slot &slot) {
    if (slot.group->stage->is_alone) {
      slot.worker.reset();
    }
    if (!slot.worker) {
      BP_ASSIGN(slot.worker, Worker::start(options_.worker_command, options_.worker_bytes));
    }
    slot.worker->take_output();  // discards the output of earlier cases
    slot.worker->send(slot.id());
    slot.started = Clock::now();
    return {};
  }

  // Waits until a worker sends something or a deadline has passed.
  void wait(const Stage &stage) const {
    std::vector<pollfd> descriptors;
    double patience = deadline(stage);
    for (const Slot &slot : slots_) {
      if (slot.is_busy()) {
        descriptors.push_back({slot.worker->descriptor(), POLLIN, 0});
        patience = std::min(patience, deadline(stage) - seconds_since(slot.started));
      }
    }
    poll(descriptors.data(), descriptors.size(), static_cast<int>(std::max(0.0, patience) * 1000) + 1);
  }

  Status look_at(Slot &slot) {
    const bool is_alive = slot.worker->receive();
    if (const auto answer = slot.worker->take_answer()) {
      auto read = answer->ok() ? record_from_json(**answer) : Result<Record>(answer->error());
      if (read.ok() && read->id == slot.id()) {
        return finish(slot, std::move(read).value());
      }
      return give_up(slot, failure(read.ok() ? "the worker answered for " + read->id : read.error().to_string()));
    }
    const double limit = deadline(*slot.group->stage);
    const bool is_late = seconds_since(slot.started) > limit;
    if (is_alive && !is_late) {
      return {};
    }
    const std::string ending = slot.worker->end();
    return give_up(slot, is_alive ? Verdict{CaseStatus::TimedOut, fmt::format("still running after {:g} s", limit)}
                                  : Verdict{CaseStatus::Crashed, ending});
  }

  // Ends the worker, which has not judged its case; the verdict says why.
  Status give_up(Slot &slot, Verdict verdict) {
    Record record;
    record.id = slot.id();
    record.stage = slot.group->stage->name;
    record.seed = subject_.seed_of(record.id);
    record.seconds = seconds_since(slot.started);
    record.verdict = std::move(verdict);
    slot.worker->end();
    if (const std::string printed = slot.worker->take_output(); !printed.empty()) {
      record.verdict.message += "; it printed: " + printed;
    }
    if (const Stage &stage = *slot.group->stage; stage.advice != nullptr) {
      record.verdict.message += "; " + stage.advice(subject_, record.id);
    }
    slot.worker.reset();
    return finish(slot, std::move(record));
  }

  Status finish(Slot &slot, Record record) {
    const Stage &stage = *slot.group->stage;
    tell(std::move(record));
    if (++slot.at < slot.group->ids.size()) {
      return send(slot);
    }
    slot.group = nullptr;
    if (stage.is_alone) {
      slot.worker.reset();
    }
    return {};
  }

  void tell(Record record) {
    options_.expectations.apply(record.id, record.verdict);
    const CaseStatus status = record.verdict.status;
    const Stage &stage = *stage_of_case(record.id);
    if (stage.describe != nullptr) {
      stage.describe(record.id, record.verdict);
    }
    if (status != CaseStatus::Pass) {
      record.rerun = options_.rerun_command(record.id);
    }
    if (stage.gate == record.id && status != CaseStatus::Pass) {
      blocked_by_ = record.id;
    }
    is_stopped_ = is_stopped_ || (options_.fail_fast && is_unexpected(status));
    options_.on_record(std::move(record), ++done_, total_);
  }

  const std::vector<Group> &groups_;
  const Subject &subject_;
  const RunOptions &options_;
  std::vector<Slot> slots_;
  std::string blocked_by_;
  bool is_stopped_ = false;
  std::size_t done_ = 0, total_ = 0;
};

}  // namespace

Status run(const std::vector<Group> &groups, const Subject &subject, const RunOptions &options) {
  return Run(groups, subject, options).run();
}

}  // namespace bp::conformance
