// The queue of a device's runs, which makes them asynchronous.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace bp::pjrt {

// Runs programs one at a time, in the order in which they were posted, on threads of its own. A run that calls a
// function of the caller gives way to other runs meanwhile: the function may start some, and wait for them. Those go
// first. Others wait while as many as `max_giving_way` have given way: their functions would need ever more threads,
// and devices that they wait for may not run as many programs at once.
// Threads: any.
class RunQueue {
 public:
  static constexpr std::size_t max_giving_way = 8;

  // `work` runs the program; `after` is called when the next run may begin.
  struct Run {
    std::function<void()> work, after;
  };

  RunQueue();
  RunQueue(const RunQueue &) = delete;
  // Waits for all runs, so no run may call it.
  ~RunQueue();

  // Announces a run, which may have to wait for its arguments before it is posted. While too many are announced and
  // none gives way, waits until one has ended: a caller that is far ahead of the device would fill the memory. A
  // function that a run calls does not wait.
  void announce();
  // Takes over an announced run, which is at its end after `after`. `is_inside`: whether a function that another run
  // calls has announced it.
  void post(Run run, bool is_inside = is_in_run());
  // Runs it on this thread, at once, whatever else is running.
  void run_here(const Run &run);
  // Waits until no queue has a run that has not ended, but not longer than `time`. Returns whether none has.
  static bool wait_for_all(std::chrono::milliseconds time);
  // Whether this thread is in a run of any queue, or in what is called after it.
  static bool is_in_run();

  // Gives way while it exists. To be used in `work`; has no effect in a run on the caller's thread.
  class GivesWay {
   public:
    explicit GivesWay(RunQueue &queue);
    GivesWay(const GivesWay &) = delete;
    ~GivesWay();

   private:
    RunQueue *queue_ = nullptr;  // nullptr: nothing to give
  };

 private:
  void work();
  void end(const Run &run);
  // The mutex must be held.
  bool may_start() const {
    const bool has_next = !posted_inside_.empty() || (!posted_.empty() && giving_way_ < max_giving_way);
    return has_next && !is_busy_ && resuming_ == 0;
  }
  void wake();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Run> posted_, posted_inside_;  // the latter by functions that runs call
  std::vector<std::thread> threads_;
  std::size_t announced_ = 0;   // runs that have not ended
  std::size_t idle_ = 0;        // threads that wait for a run
  std::size_t giving_way_ = 0;  // runs that do
  std::size_t resuming_ = 0;    // runs that want to go on; they go first
  bool is_busy_ = false;        // a posted run is running and does not give way
  bool is_stopping_ = false;
};

}  // namespace bp::pjrt
