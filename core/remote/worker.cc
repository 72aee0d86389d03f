#include "core/remote/worker.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "core/host/build_configuration.h"
#include "core/host/discovery.h"
#include "core/host/installation.h"
#include "core/remote/protocol.h"

extern char **environ;

namespace bp::remote {
namespace {

constexpr int socket_of_worker = 3;
constexpr std::size_t max_kept = 16;
constexpr std::size_t max_idle_segments = 8;
constexpr std::size_t min_segment_bytes = 4096;
constexpr auto patience_at_end = std::chrono::seconds(2);

Result<std::string> find_program() {
  std::vector<std::string> paths;
  const char *given = host::is_elevated() ? nullptr : std::getenv("BACKPLANE_WORKER");
  if (given != nullptr && *given != '\0') {
    paths.emplace_back(given);  // no other one: what was asked for must not be replaced silently
  } else {
    if (const std::string build = host::build_directory(); !build.empty()) {
      paths.push_back(build + "/core/backplane-worker");
    }
    paths.push_back(host::installed(host::worker_directory) + "/backplane-worker");
  }
  for (const std::string &path : paths) {
    if (access(path.c_str(), X_OK) == 0) {
      return path;
    }
  }
  return make_error(ErrorCode::NotFound,
                    "there is no program to isolate backends in, expected an executable file {}; BACKPLANE_WORKER {}",
                    fmt::join(paths, " or "), given != nullptr ? "names it" : "may name it");
}

Result<pid_t> spawn(const std::string &program, int socket, std::int64_t bytes) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);  // standard output is the application's
  posix_spawn_file_actions_adddup2(&files, socket, socket_of_worker);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  const std::string number = std::to_string(socket_of_worker), limit = std::to_string(bytes);
  std::array<char *, 4> arguments = {const_cast<char *>(program.c_str()), const_cast<char *>(number.c_str()),
                                     const_cast<char *>(limit.c_str()), nullptr};
  pid_t process = -1;
  const int error = posix_spawn(&process, program.c_str(), &files, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    return make_error(ErrorCode::Io,
                      "cannot start {} to isolate a backend in it: {}; BACKPLANE_WORKER may name another", program,
                      std::strerror(error));
  }
  return process;
}

std::chrono::steady_clock::time_point after(double seconds) {
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
}

std::string describe_end(int status) {
  if (WIFSIGNALED(status)) {
    const char *name = sigabbrev_np(WTERMSIG(status));
    return fmt::format("crashed (SIG{})", name == nullptr ? std::to_string(WTERMSIG(status)) : name);
  }
  return fmt::format("ended the process (exit code {})", WEXITSTATUS(status));
}

}  // namespace

std::atomic<std::uint64_t> Worker::last_number_ = 0;

Result<std::unique_ptr<Worker>> Worker::start(const Isolation &isolation, Listener listener) {
  BP_ASSIGN(const std::string program, find_program());
  BP_ASSIGN(auto ends, Channel::make_pair());
  BP_ASSIGN(const pid_t process, spawn(program, ends.second.descriptor(), isolation.bytes));
  std::unique_ptr<Worker> worker(new Worker(isolation, std::move(listener), std::move(ends.first), process));
  worker->thread_ = std::thread(&Worker::listen, worker.get());
  return worker;
}

Worker::Worker(const Isolation &isolation, Listener listener, Channel control, pid_t process)
    : isolation_(isolation),
      listener_(std::move(listener)),
      control_(std::move(control)),
      process_(process),
      process_end_(open_process(process)) {
  control_.watch(process_end_.get());
}

Worker::~Worker() {
  is_closing_ = true;
  shutdown(control_.descriptor(), SHUT_RDWR);
  thread_.join();  // the thread calls finish()
}

// --- the end ---

void Worker::finish(const std::optional<std::string> &killed_for) {
  const std::lock_guard finishing(finishing_);
  if (!is_alive()) {
    return;
  }
  int status = 0;
  pid_t ended = 0;
  if (!killed_for.has_value()) {
    const auto end = std::chrono::steady_clock::now() + patience_at_end;
    while ((ended = waitpid(process_, &status, WNOHANG)) == 0 && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  kill(-process_, SIGKILL);  // with the processes that it has started
  if (ended == 0) {
    kill(process_, SIGKILL);
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  std::string death = killed_for.has_value() ? "was ended: " + *killed_for
                      : ended > 0            ? describe_end(status)
                      : ended == 0           ? "closed its connection"
                                             : "ended";  // other code has waited for the process
  {
    const std::lock_guard lock(mutex_);
    death_ = std::move(death);
    idle_.clear();
  }
  if (!is_closing_ && listener_.died) {
    listener_.died(*this);
  }
}

std::string Worker::death() const {
  const std::lock_guard lock(mutex_);
  return death_;
}

std::string Worker::overdue() const {
  return fmt::format("it took longer than {:g} s", isolation_.seconds);
}

void Worker::listen() {
  const auto deadline = [&] { return listener_.deadline ? listener_.deadline() : std::nullopt; };
  std::string event;
  Descriptor attached;
  while (true) {
    Channel::Deadline until;
    if (isolation_.seconds > 0) {
      // The deadline is computed again after this time, because work may be accepted meanwhile.
      const auto soon = after(isolation_.seconds / 4);
      until = std::min(deadline().value_or(soon), soon);
    }
    if (control_.wait(until) == Channel::Received::TimedOut) {
      if (const auto latest = deadline(); latest.has_value() && *latest <= std::chrono::steady_clock::now()) {
        finish(overdue());
      }
      continue;
    }
    if (control_.receive(event, attached) != Channel::Received::Message) {
      break;
    }
    listener_.event(event);
  }
  finish(std::nullopt);
}

// --- requests ---

Result<Channel> Worker::take_channel() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      Channel channel = std::move(idle_.back());
      idle_.pop_back();
      return channel;
    }
  }
  BP_ASSIGN(auto ends, Channel::make_pair());
  ends.first.watch(process_end_.get());
  const std::lock_guard lock(mutex_);
  control_.send("", ends.second.descriptor());
  return std::move(ends.first);
}

std::optional<std::string> Worker::ask(const Writer &request, int attached) {
  const Channel::Deadline deadline = isolation_.seconds > 0 ? std::optional(after(isolation_.seconds)) : std::nullopt;
  if (!is_alive()) {
    return std::nullopt;
  }
  Result<Channel> channel = take_channel();
  if (!channel.ok()) {
    finish(channel.error().message());
    return std::nullopt;
  }
  std::string reply;
  Descriptor none;
  channel->send(request.bytes(), attached, deadline);  // if this fails, so does receive()
  switch (channel->receive(reply, none, deadline)) {
    case Channel::Received::Message: {
      const std::lock_guard lock(mutex_);
      if (death_.empty()) {
        idle_.push_back(std::move(*channel));
      }
      return reply;
    }
    case Channel::Received::TimedOut: finish(overdue()); break;
    case Channel::Received::Closed: finish(std::nullopt); break;
  }
  return std::nullopt;
}

bool Worker::map(const Segment &segment) {
  const std::lock_guard one_at_a_time(mapping_);  // whoever finds a segment mapped may use it
  {
    const std::lock_guard lock(mutex_);
    if (!mapped_.insert(segment.id()).second) {
      return false;
    }
  }
  Writer request;
  request.number(Request::Map);
  request.number(segment.id());
  request.number(std::uint64_t{segment.size()});
  ask(request, segment.descriptor().get());
  return true;
}

void Worker::unmap(const Segment &segment) {
  const std::lock_guard one_at_a_time(mapping_);
  {
    const std::lock_guard lock(mutex_);
    mapped_.erase(segment.id());
  }
  Writer request;
  request.number(Request::Unmap);
  request.number(segment.id());
  ask(request);
}

Result<std::shared_ptr<Segment>> Worker::take_segment(std::size_t size) {
  std::vector<std::shared_ptr<Segment>> superfluous;
  {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::ranges::find_if(idle_segments_, [&](const auto &segment) { return segment->size() >= size; });
    if (found != idle_segments_.end()) {
      std::shared_ptr<Segment> segment = std::move(*found);
      idle_segments_.erase(found);
      return segment;
    }
    if (idle_segments_.size() > max_idle_segments) {
      superfluous.swap(idle_segments_);
    }
  }
  for (const auto &segment : superfluous) {
    unmap(*segment);
  }
  BP_ASSIGN(std::shared_ptr<Segment> made, Segment::make(std::bit_ceil(std::max(size, min_segment_bytes))));
  map(*made);
  return made;
}

void Worker::give_back(std::shared_ptr<Segment> segment) {
  const std::lock_guard lock(mutex_);
  idle_segments_.push_back(std::move(segment));
}

Sha256 Worker::keep(Bytes content, const Sha256 *own) {
  const Sha256 hash = own != nullptr ? *own : sha256(content);
  const std::lock_guard lock(contents_mutex_);
  if (const auto found = std::ranges::find(kept_, hash); found != kept_.end()) {
    kept_.splice(kept_.end(), kept_, found);
    return hash;
  }
  Writer request;
  request.number(Request::Know);
  request.number(hash);
  request.content(content);
  ask(request);
  kept_.push_back(hash);
  if (kept_.size() > max_kept) {
    Writer oldest;
    oldest.number(Request::Forget);
    oldest.number(kept_.front());
    ask(oldest);
    kept_.pop_front();
  }
  return hash;
}

void Worker::forget_contents() {
  const std::lock_guard lock(contents_mutex_);
  kept_.clear();
}

std::string lost(std::string_view device, const Worker &worker, std::string_view when) {
  return fmt::format("{} {} {}; load the backend again for a new device, in a new process", device, worker.death(),
                     when);
}

}  // namespace bp::remote
