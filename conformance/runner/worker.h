// A worker: a process of this program that runs cases of one plugin, so that whatever the plugin does costs the case in
// hand and nothing else. Ids go there and records come back, a line each, over a socket that the plugin has no business
// with: it may write to standard output and error, close what is 0 to 2, exit, or crash.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "conformance/suite/subject.h"

namespace bp::conformance {

// In the worker: runs what it is sent until the other side closes. Records have no command to rerun.
void serve(Subject &subject, int descriptor);

// In the process that has workers. It must not have other threads while it starts one.
class Worker {
 public:
  // Runs `command` with the socket's number as one more argument, confined to `bytes` of addresses (0: any number).
  static Result<Worker> start(const std::vector<std::string> &command, std::int64_t bytes);
  Worker(Worker &&other) noexcept;
  Worker &operator=(Worker &&other) noexcept;
  ~Worker();  // ends it

  int descriptor() const { return socket_; }  // readable when there is something to receive
  void send(const std::string &id);
  // Takes what has arrived: false if the worker has closed its side, which it does only by ending.
  bool receive();
  // A line that has arrived, without its newline.
  std::optional<std::string> take_line();

  // Kills it, if it has not ended, and says how it ended: "killed by signal 11 (Segmentation fault)".
  std::string end();
  // The end of what it, and the plugin in it, has printed since the last call; empty if nothing.
  std::string take_output();

 private:
  Worker() = default;
  void forget();

  pid_t process_ = -1;
  int socket_ = -1, output_ = -1;
  off_t output_seen_ = 0;
  std::string received_;
};

}  // namespace bp::conformance
