// Worker: a process that runs a plugin (worker_main.cc), as the application sees it. The application starts it, sends
// it requests, and waits for its end. It ends with the application, however that ends, because its control channel
// closes.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/remote/channel.h"
#include "core/remote/isolation.h"
#include "core/remote/segment.h"
#include "core/remote/wire.h"

namespace bp::remote {

// Threads: all functions may be called from any thread.
class Worker : public ContentStore {
 public:
  struct Listener {
    std::function<void(std::string_view)> event;  // gets each call of the plugin to the host
    std::function<void(const Worker &)> died;     // called once
    // Returns the time by which the plugin has to be done with the work that it has accepted, or nullopt if there is
    // none. May be empty: then work has no deadline.
    std::function<Channel::Deadline()> deadline;
  };

  // Starts a worker. The listener is called on a thread of this object, until the destructor returns.
  static Result<std::unique_ptr<Worker>> start(const Isolation &isolation, Listener listener);
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;
  ~Worker() override;

  std::uint64_t number() const { return number_; }  // different for all workers
  // Sends a request and waits for the reply. Returns nullopt if the worker is dead by then.
  std::optional<std::string> ask(const Writer &request, int attached = -1);
  // Map the segment into the worker's memory, or unmap it. map() returns whether it was not mapped before.
  bool map(const Segment &segment);
  void unmap(const Segment &segment);
  // Returns a segment of at least `size` bytes that is mapped, and takes one back that no call uses any more.
  Result<std::shared_ptr<Segment>> take_segment(std::size_t size);
  void give_back(std::shared_ptr<Segment> segment);
  // Sends a content that requests refer to, unless the worker has it. The worker keeps the last few contents.
  Sha256 keep(Bytes content, const Sha256 *own) override;
  // Forgets which contents the worker has. Called if the worker says that it does not have one.
  void forget_contents();

  // Returns why the worker ended, such as "crashed (SIGSEGV)"; empty as long as it is alive.
  std::string death() const;
  bool is_alive() const { return death().empty(); }
  // Returns true to the first caller, which then tells the user of the worker's end.
  bool tell_death() const { return !is_death_told_.exchange(true); }

 private:
  Worker(const Isolation &isolation, Listener listener, Channel control, pid_t process);
  void listen();
  // Waits for the end of the process and tells the listener. `killed_for` says why the process is to be killed; nullopt
  // if it ends by itself.
  void finish(const std::optional<std::string> &killed_for);
  std::string overdue() const;
  Result<Channel> take_channel();

  static std::atomic<std::uint64_t> last_number_;
  const std::uint64_t number_ = ++last_number_;
  const Isolation isolation_;
  const Listener listener_;
  Channel control_;
  const pid_t process_;
  const Descriptor process_end_;
  mutable std::mutex mutex_, finishing_;
  std::vector<Channel> idle_;
  std::vector<std::shared_ptr<Segment>> idle_segments_;
  std::set<std::uint64_t> mapped_;
  std::string death_;
  mutable std::atomic<bool> is_death_told_ = false;
  std::mutex mapping_;  // held while the process maps or unmaps; taken before mutex_
  std::mutex contents_mutex_;
  std::list<Sha256> kept_;  // the oldest first
  std::atomic<bool> is_closing_ = false;
  std::thread thread_;
};

// Returns the message of a call that failed because its worker is dead. `when`: such as "in program.run".
std::string lost(std::string_view device, const Worker &worker, std::string_view when);

}  // namespace bp::remote
