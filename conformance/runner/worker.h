// A worker: a process of this executable that runs cases of one plugin, so that whatever the plugin does affects only
// the current case. Ids are sent and records come back, one line each, over a socket that the plugin is not told of: it
// may write to standard output and error, close descriptors 0 to 2, exit, or crash. A plugin that finds the socket and
// writes a verdict of its own to it is found out: each record comes with the ticket that was sent with its id. The
// worker inherits no other descriptor, such as that of the report. This is no prison: a plugin that searches the memory
// of its process finds the ticket.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "conformance/suite/subject.h"

namespace bp::conformance {

// Runs in the worker: runs the cases it is sent until the other side closes. Records have no command to rerun.
void serve(Subject &subject, int descriptor);

// The worker as the controlling process sees it. That process must not have other threads while it starts a worker.
class Worker {
 public:
  // Runs `command` with the socket's number as an additional argument and the address space limited to `bytes` (0: no
  // limit).
  static Result<Worker> start(const std::vector<std::string> &command, std::int64_t bytes);
  Worker(Worker &&other) noexcept;
  Worker &operator=(Worker &&other) noexcept;
  ~Worker();  // ends the process

  int descriptor() const { return socket_; }  // readable when there is something to receive
  void send(const std::string &id);           // one at a time, each followed by an answer
  // Reads what has arrived. Returns false if the worker has closed its side, which it does only by ending.
  bool receive();
  // Returns the answer to the id that was sent last, without its newline; InvalidInput, with what was found, if
  // something else has written to the socket. Nothing: no line has arrived.
  std::optional<Result<std::string>> take_answer();

  // Kills the process if it has not ended, and says how it ended: "killed by signal 11 (Segmentation fault)".
  std::string end();
  // Returns the end of what the process, including the plugin in it, has printed since the last call; empty if nothing.
  std::string take_output();

 private:
  Worker() = default;
  void forget();

  pid_t process_ = -1;
  int socket_ = -1, output_ = -1;
  off_t output_seen_ = 0;
  std::string ticket_;  // of the case in hand
  std::string received_;
};

}  // namespace bp::conformance
