#include "conformance/runner/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "conformance/report/json_lines.h"
#include "conformance/suite/process_state.h"
#include "conformance/suite/stage.h"
#include "core/base/confinement.h"
#include "core/debugging/child_process.h"
#include "core/host/diagnostics.h"

namespace bp::conformance {
namespace {

// Above the descriptors that a careless plugin closes without owning them.
constexpr int private_descriptor = 700;

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::send(descriptor, text.data(), text.size(), MSG_NOSIGNAL);
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Notices what a plugin may not change in this process or write to its output, whatever the case is about.
class Bystander {
 public:
  // Returns what has happened since the last call, or since the beginning; empty if nothing has. `is_output_expected`:
  // whether the suite itself has written to the output.
  std::string look(bool is_output_expected) {
    const std::uint64_t now = fingerprint_of_process();
    std::string what;
    if (is_output_expected) {
      written_ = output_size();
    }
    if (const std::string text = output_after(written_); !text.empty()) {
      what = "BP-LOG-01: it writes to standard output or standard error: " + host::printable(text);
      written_ = output_size();
    } else if (now != fingerprint_) {
      const ProcessState state = look_at_process();
      const std::string changed = difference(state_, state);
      what = "BP-LAW-04: after the case, " + (changed.empty() ? "the floating-point environment has changed" : changed);
      state_ = state;
    }
    fingerprint_ = now;
    return what;
  }

 private:
  std::int64_t written_ = output_size();
  ProcessState state_ = look_at_process();
  std::uint64_t fingerprint_ = fingerprint_of_process();
};

Record run_one(Subject &subject, const std::string &id) {
  static Bystander bystander;
  Record record;
  record.id = id;
  record.seed = subject.seed_of(id);
  const auto start = std::chrono::steady_clock::now();
  const Stage *stage = stage_of_case(id);
  if (stage == nullptr) {
    record.verdict = failure("there is no such stage");
    return record;
  }
  record.stage = stage->name;
  try {
    record.verdict = stage->run(subject, id);
  } catch (const std::exception &error) {  // out of memory, or a plugin that violates BP-LAW-04
    record.verdict = failure(fmt::format("the case threw an exception: {}", error.what()));
  } catch (...) {
    record.verdict = failure("the case threw an exception");
  }
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  // Random calls are written down before they are made, in case the process does not survive them.
  const bool is_written_by_case = record.stage == "fuzz";
  if (const std::string seen = bystander.look(is_written_by_case);
      !seen.empty() && record.verdict.status != CaseStatus::Fail) {
    record.verdict = failure(seen);
  }
  return record;
}

// Returns a number that nobody can guess.
std::string make_ticket() {
  std::uint64_t parts[2] = {};
  while (getrandom(parts, sizeof(parts), 0) != sizeof(parts)) {
  }
  return fmt::format("{:016x}{:016x}", parts[0], parts[1]);
}

[[noreturn]] void become(const std::vector<std::string> &command, int socket, int output, std::int64_t bytes) {
  confine_process(bytes);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  const int descriptor = fcntl(socket, F_DUPFD, private_descriptor);
  close_range(STDERR_FILENO + 1, static_cast<unsigned>(descriptor) - 1, 0);
  close_range(static_cast<unsigned>(descriptor) + 1, UINT_MAX, 0);
  const std::string number = std::to_string(descriptor);
  std::vector<char *> arguments;
  for (const std::string &argument : command) {
    arguments.push_back(const_cast<char *>(argument.c_str()));
  }
  arguments.push_back(const_cast<char *>(number.c_str()));
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  std::_Exit(127);
}

}  // namespace

void serve(Subject &subject, int descriptor) {
  die_of_signals();
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  std::string received;
  char buffer[4096];
  for (ssize_t size; (size = read(descriptor, buffer, sizeof(buffer))) > 0 || (size < 0 && errno == EINTR);) {
    received.append(buffer, static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    for (std::size_t end; (end = received.find('\n')) != std::string::npos; received.erase(0, end + 1)) {
      const std::size_t ticket = received.find(' ') + 1;
      const Record record = run_one(subject, received.substr(ticket, end - ticket));
      if (!write_all(descriptor, received.substr(0, ticket) + to_json(record) + "\n")) {
        return;
      }
    }
  }
}

Result<Worker> Worker::start(const std::vector<std::string> &command, std::int64_t bytes) {
  Worker worker;
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return make_error(ErrorCode::Io, "no socket for a worker: {}", std::strerror(errno));
  }
  worker.socket_ = ends[0];
  worker.output_ = memfd_create("output of a worker", MFD_CLOEXEC);
  fcntl(worker.output_, F_SETFL, O_APPEND);
  worker.process_ = fork();
  if (worker.process_ == 0) {
    become(command, ends[1], worker.output_, bytes);
  }
  close(ends[1]);
  if (worker.process_ < 0) {
    return make_error(ErrorCode::Io, "no process for a worker: {}", std::strerror(errno));
  }
  return worker;
}

void Worker::forget() {
  process_ = -1;
  socket_ = output_ = -1;
}

Worker::Worker(Worker &&other) noexcept
    : process_(other.process_),
      socket_(other.socket_),
      output_(other.output_),
      output_seen_(other.output_seen_),
      ticket_(std::move(other.ticket_)),
      received_(std::move(other.received_)) {
  other.forget();
}

Worker &Worker::operator=(Worker &&other) noexcept {
  std::swap(process_, other.process_);
  std::swap(socket_, other.socket_);
  std::swap(output_, other.output_);
  std::swap(output_seen_, other.output_seen_);
  std::swap(ticket_, other.ticket_);
  std::swap(received_, other.received_);
  return *this;
}

Worker::~Worker() {
  end();
  if (socket_ >= 0) {
    close(socket_);
  }
  if (output_ >= 0) {
    close(output_);
  }
}

void Worker::send(const std::string &id) {
  ticket_ = make_ticket();
  write_all(socket_, ticket_ + " " + id + "\n");  // if the worker has ended, receive() says so
}

bool Worker::receive() {
  char buffer[65536];
  const ssize_t size = recv(socket_, buffer, sizeof(buffer), MSG_DONTWAIT);
  if (size > 0) {
    received_.append(buffer, static_cast<std::size_t>(size));
  }
  return size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR));
}

std::optional<Result<std::string>> Worker::take_answer() {
  constexpr std::size_t most_shown = 100;
  const std::size_t end = received_.find('\n');
  if (end == std::string::npos) {
    return std::nullopt;
  }
  std::string line = received_.substr(0, end);
  received_.erase(0, end + 1);
  if (!line.starts_with(ticket_ + " ")) {
    return Result<std::string>(
        invalid_input("something other than the suite has written to the socket of the worker: {}",
                      host::printable(line.substr(0, most_shown))));
  }
  return line.substr(ticket_.size() + 1);
}

std::string Worker::end() {
  if (process_ < 0) {
    return {};
  }
  // A worker that closed its socket is about to end by itself, and the way it ends is of interest; others are killed.
  shutdown(socket_, SHUT_RDWR);
  int status = 0;
  pid_t ended = 0;
  for (int i = 0; i < 100 && (ended = waitpid(process_, &status, WNOHANG)) == 0; ++i) {
    usleep(2000);
  }
  if (ended == 0) {
    kill(-process_, SIGKILL);
    kill(process_, SIGKILL);
    waitpid(process_, &status, 0);
  }
  kill(-process_, SIGKILL);  // also the processes that it has started
  process_ = -1;
  const debugging::Ending crash{debugging::Ending::Kind::Crashed, WTERMSIG(status)};
  return WIFSIGNALED(status) ? debugging::to_string(crash, {})
                             : fmt::format("the process ended with exit code {}", WEXITSTATUS(status));
}

std::string Worker::take_output() {
  constexpr off_t most = 600;
  struct stat facts{};
  if (output_ < 0 || fstat(output_, &facts) != 0 || facts.st_size <= output_seen_) {
    return {};
  }
  const off_t from = std::max(output_seen_, facts.st_size - most);
  std::string text(static_cast<std::size_t>(facts.st_size - from), '\0');
  const ssize_t size = pread(output_, text.data(), text.size(), from);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  output_seen_ = facts.st_size;
  return host::printable(text);
}

}  // namespace bp::conformance
