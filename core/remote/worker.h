// Worker: a process that runs a plugin (worker_main.cc), as seen by the application: started, asked, and buried. It ends
// with the application, whatever happens to that: its control channel closes.
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
#include "core/remote/segment.h"
#include "core/remote/wire.h"

namespace bp::remote {

// How a plugin is kept apart.
struct Isolation {
  double seconds = 0;                                          // that a call may take; 0: any number
  std::int64_t bytes = 0;                                      // of addresses that the worker may map; 0: any number
  std::set<std::string, std::less<>> withdrawn_services = {};  // of the host, for tests
};

// Threads: all functions from any thread.
class Worker : public ContentStore {
 public:
  struct Listener {
    std::function<void(std::string_view)> event;  // what the plugin says to the host
    std::function<void(const Worker &)> died;     // once
    // From when on what the plugin has accepted is late; nothing if there is none. May be empty.
    std::function<Channel::Deadline()> deadline;
  };

  // The listener is told from a thread of the worker's own, until the destructor returns.
  static Result<std::unique_ptr<Worker>> start(const Isolation &isolation, Listener listener);
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;
  ~Worker() override;

  std::uint64_t number() const { return number_; }  // different for all workers
  // Sends a request and waits for the reply; nothing if the worker is dead by then.
  std::optional<std::string> ask(const Writer &request, int attached = -1);
  // The worker can address the segment from now on, or no longer. Whether it could not before.
  bool map(const Segment &segment);
  void unmap(const Segment &segment);
  // Contents of requests, of which the worker keeps the last few.
  Sha256 keep(Bytes content, const Sha256 *own) override;
  // What the worker says that it does not have.
  void forget_contents();

  // Why it ended, "crashed (SIGSEGV)"; empty as long as it lives.
  std::string death() const;
  bool is_alive() const { return death().empty(); }

 private:
  Worker(const Isolation &isolation, Listener listener, Channel control, pid_t process)
      : isolation_(isolation), listener_(std::move(listener)), control_(std::move(control)), process_(process) {}
  void listen();
  // `killed_for`: why it is to be killed; nothing if it is ending by itself.
  void bury(const std::optional<std::string> &killed_for);
  std::string overdue() const;
  Result<Channel> take_channel();

  static std::atomic<std::uint64_t> last_number_;
  const std::uint64_t number_ = ++last_number_;
  const Isolation isolation_;
  const Listener listener_;
  const Channel control_;
  const pid_t process_;
  mutable std::mutex mutex_, burial_;
  std::vector<Channel> idle_;
  std::set<std::uint64_t> mapped_;
  std::string death_;
  std::mutex contents_mutex_;
  std::list<Sha256> kept_;  // the oldest first
  std::atomic<bool> is_closing_ = false;
  std::thread thread_;
};

}  // namespace bp::remote
