// Events: what will have happened, and whether it failed. An event is shared by those who wait and those who set it.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/pjrt/handles.h"
#include "core/pjrt/pjrt_c_api.h"

namespace bp::pjrt {

// Threads: any. Callbacks run on the thread that sets the event, or at once; no lock is held meanwhile.
class Moment {
 public:
  using Callback = std::function<void(const std::optional<Error> &)>;

  // Sets it, once; later calls have no effect.
  void set(std::optional<Error> error);
  bool is_set() const;
  // Waits until it is set.
  std::optional<Error> wait() const;
  void when_set(Callback callback);

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool is_set_ = false;
  std::optional<Error> error_;
  std::vector<Callback> callbacks_;
};

// Calls the function when all moments are set, at once if they are; a failure is a moment like others.
void when_all_set(std::span<const std::shared_ptr<Moment>> moments, std::function<void()> function);

// Things that happen one after the other, in whatever order they end. Threads: any.
class Sequence {
 public:
  // Returns the moment at which this one and all before it are over. It fails as this one does, or as those before it
  // that were not over when it was appended.
  std::shared_ptr<Moment> append(std::shared_ptr<Moment> moment);

 private:
  std::mutex mutex_;
  std::shared_ptr<Moment> last_;
};

// Returns a handle, which the caller destroys.
PJRT_Event *make_event(std::shared_ptr<Moment> moment);
// Returns the handle of an event that has happened.
PJRT_Event *make_event(std::optional<Error> error = {});

Status Event_Destroy(PJRT_Event_Destroy_Args &args);
Status Event_IsReady(PJRT_Event_IsReady_Args &args);
Status Event_Error(PJRT_Event_Error_Args &args);
Status Event_Await(PJRT_Event_Await_Args &args);
Status Event_OnReady(PJRT_Event_OnReady_Args &args);
Status Event_Create(PJRT_Event_Create_Args &args);
Status Event_Set(PJRT_Event_Set_Args &args);

}  // namespace bp::pjrt

struct PJRT_Event {
  std::shared_ptr<bp::pjrt::Moment> moment;
};
