#include "core/pjrt/event.h"

#include <atomic>
#include <utility>

#include "core/pjrt/args.h"
#include "core/pjrt/error.h"

namespace bp::pjrt {

template <>
Handles<PJRT_Event> &handles<PJRT_Event>() {
  static auto &all = *new Handles<PJRT_Event>("PJRT_Event");
  return all;
}

void Moment::set(std::optional<Error> error) {
  std::vector<Callback> callbacks;
  {
    const std::lock_guard lock(mutex_);
    if (is_set_) {
      return;
    }
    is_set_ = true;
    error_ = std::move(error);
    callbacks.swap(callbacks_);
  }
  changed_.notify_all();
  for (const Callback &callback : callbacks) {
    callback(error_);
  }
}

bool Moment::is_set() const {
  const std::lock_guard lock(mutex_);
  return is_set_;
}

std::optional<Error> Moment::wait() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_set_; });
  return error_;
}

void Moment::when_set(Callback callback) {
  {
    const std::lock_guard lock(mutex_);
    if (!is_set_) {
      callbacks_.push_back(std::move(callback));
      return;
    }
  }
  callback(error_);
}

void when_all_set(std::span<const std::shared_ptr<Moment>> moments, std::function<void()> function) {
  // One more than the moments, so that the function is not called while they are looked at.
  auto left = std::make_shared<std::atomic<std::size_t>>(moments.size() + 1);
  const auto count = [left, function = std::move(function)] {
    if (--*left == 0) {
      function();
    }
  };
  for (const std::shared_ptr<Moment> &moment : moments) {
    moment->when_set([count](const std::optional<Error> &) { count(); });
  }
  count();
}

std::shared_ptr<Moment> Sequence::append(std::shared_ptr<Moment> moment) {
  std::unique_lock lock(mutex_);
  if (last_ == nullptr || last_->is_set()) {
    last_ = moment;
    return moment;
  }
  const std::shared_ptr<Moment> before = std::exchange(last_, std::make_shared<Moment>()), both = last_;
  lock.unlock();
  const std::shared_ptr<Moment> moments[] = {before, moment};
  when_all_set(moments, [before, moment, both] {
    const std::optional<Error> error = moment->wait();
    both->set(error ? error : before->wait());
  });
  return both;
}

PJRT_Event *make_event(std::shared_ptr<Moment> moment) {
  return handles<PJRT_Event>().add(std::make_unique<PJRT_Event>(std::move(moment)));
}

PJRT_Event *make_event(std::optional<Error> error) {
  auto moment = std::make_shared<Moment>();
  moment->set(std::move(error));
  return make_event(std::move(moment));
}

namespace {

Status status_of(std::optional<Error> error) {
  return error ? Status(*std::move(error)) : Status();
}

}  // namespace

Status Event_Destroy(PJRT_Event_Destroy_Args &args) {
  return args.event == nullptr ? Status() : handles<PJRT_Event>().destroy(args.event);
}

Status Event_IsReady(PJRT_Event_IsReady_Args &args) {
  BP_ASSIGN(const PJRT_Event *event, handles<PJRT_Event>().find(args.event));
  args.is_ready = event->moment->is_set();
  return {};
}

Status Event_Error(PJRT_Event_Error_Args &args) {
  BP_ASSIGN(const PJRT_Event *event, handles<PJRT_Event>().find(args.event));
  return event->moment->is_set() ? status_of(event->moment->wait())
                                 : invalid_input("PJRT_Event_Error: the event is not ready, expected one that is");
}

Status Event_Await(PJRT_Event_Await_Args &args) {
  BP_ASSIGN(const PJRT_Event *event, handles<PJRT_Event>().find(args.event));
  const std::shared_ptr<Moment> moment = event->moment;  // the handle may be destroyed meanwhile
  return status_of(moment->wait());
}

Status Event_OnReady(PJRT_Event_OnReady_Args &args) {
  BP_ASSIGN(const PJRT_Event *event, handles<PJRT_Event>().find(args.event));
  const std::shared_ptr<Moment> moment = event->moment;
  moment->when_set([callback = args.callback, user_arg = args.user_arg](const std::optional<Error> &error) {
    callback(error ? make_error(*error) : nullptr, user_arg);
  });
  return {};
}

Status Event_Create(PJRT_Event_Create_Args &args) {
  args.event = make_event(std::make_shared<Moment>());
  return {};
}

Status Event_Set(PJRT_Event_Set_Args &args) {
  BP_ASSIGN(const PJRT_Event *event, handles<PJRT_Event>().find(args.event));
  std::optional<Error> error;
  if (args.error_code != PJRT_Error_Code_OK) {
    error = error_of(args.error_code, std::string(args.error_message, args.error_message_size));
  }
  event->moment->set(std::move(error));
  return {};
}

}  // namespace bp::pjrt
