// Channel: messages between two processes, over a pair of sockets. A message consists of bytes and an optional file
// descriptor.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"

namespace bp::remote {

// Owns a file descriptor, which the destructor closes.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor &&other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();
  int get() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

// Returns a descriptor of a process (a pidfd), which becomes readable when the process ends. It is not open if the
// system does not know such descriptors.
Descriptor open_process(int process);

// Threads: one thread may send while another receives.
class Channel {
 public:
  using Deadline = std::optional<std::chrono::steady_clock::time_point>;

  explicit Channel(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
  // Returns the two ends of a new connection.
  static Result<std::pair<Channel, Channel>> make_pair();

  int descriptor() const { return descriptor_.get(); }
  // Lets the end of a process close the channel. Without this, a child of that process that has inherited the other end
  // keeps the channel open. `process` is a pidfd, which is borrowed; a negative one is ignored.
  void watch(int process) { process_ = process; }

  // Sends a message. Returns false if the other end is closed, or does not take all of it in time. The descriptor
  // `attached` is sent along unless it is negative.
  bool send(std::string_view message, int attached = -1, const Deadline &deadline = std::nullopt) const;

  enum class Received { Message, Closed, TimedOut };
  // Waits until receive() need not wait for the begin of a message.
  Received wait(const Deadline &deadline) const;
  // Waits for a message. Bytes that are not a message count as Closed.
  Received receive(std::string &message, Descriptor &attached, const Deadline &deadline = std::nullopt) const;

 private:
  // Waits until bytes can be read (POLLIN) or written (POLLOUT).
  Received wait(short event, const Deadline &deadline) const;
  Received read(char *to, std::size_t size, Descriptor *attached, const Deadline &deadline) const;

  Descriptor descriptor_;
  int process_ = -1;
};

}  // namespace bp::remote
