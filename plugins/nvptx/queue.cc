#include "plugins/nvptx/queue.h"

#include "plugin_api/cpp/call.h"

namespace bp::nvptx {

Queue::Queue(const bp_host_t *host, Machine &machine, std::uint32_t kinds, Start start)
    : host_(host),
      machine_(machine),
      kinds_(kinds),
      start_(std::move(start)),
      starter_(&Queue::start_all, this),
      finisher_(&Queue::finish_all, this) {}

Queue::~Queue() {
  submitted_.close();
  starter_.join();
  started_.close();
  finisher_.join();
}

bp_status Queue::submit(const bp_command_t *commands, std::uint32_t count, bp_point_t done, const bp_diag_t *diag) {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (commands[i].kind >= 32 || (kinds_ >> commands[i].kind & 1) == 0) {
      return plugin::fail(diag, BP_INVALID,
                          "nvptx: this queue does not take commands of kind " + std::to_string(commands[i].kind));
    }
  }
  if (const bp_status status = machine_.check(diag); status != BP_OK) {
    return status;
  }
  submitted_.push({{commands, commands + count}, done});
  return BP_OK;
}

void Queue::start_all() {
  while (const auto submission = submitted_.pop()) {
    started_.push(start(*submission));
  }
}

Queue::Started Queue::start(const Submission &submission) {
  plugin::FirstReport report;
  bp_status status = BP_OK;
  for (const bp_command_t &command : submission.commands) {
    status = plugin::guarded(&report.abi, [&] { return start_(command, &report.abi); });
    if (status != BP_OK) {
      break;
    }
  }
  // Also after a failure: what was started before it uses memory until it ends.
  bp_status marked = BP_OK;
  std::unique_ptr<Mark> end = machine_.mark(marked, &report.abi);
  if (marked != BP_OK) {
    plugin::FirstReport unheard;
    machine_.finish(&unheard.abi);
  }
  return {submission.done, std::move(end), status == BP_OK ? marked : status, report.instruction,
          std::move(report.message)};
}

void Queue::finish_all() {
  while (auto started = started_.pop()) {
    plugin::FirstReport report;
    const bp_status ended = started->end == nullptr ? BP_OK : started->end->wait(&report.abi);
    if (started->status == BP_OK && ended != BP_OK) {
      started->status = ended;
      started->message = std::move(report.message);
    }
    started->end.reset();
    host_->signal(host_, started->done, started->status, started->instruction,
                  started->status == BP_OK ? nullptr : started->message.c_str());
  }
}

}  // namespace bp::nvptx
