#include "core/remote/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace bp::remote {
namespace {

// Maximum size of a message. Modules take at most 4 GiB, so a larger size means that the bytes are not a message.
constexpr std::uint64_t max_bytes = std::uint64_t{8} << 30;
// Minimum number of bytes by which the buffer of a message grows as bytes arrive. It is not allocated at once, so that
// a wrong size alone takes no memory.
constexpr std::size_t step = std::size_t{16} << 20;

// Number of messages that this process has sent and received. What a thread does before it sends a message happens
// before what another thread does after it has received a message that results from it, even by way of the other
// process. The sockets ensure that; this variable expresses it in the C++ memory model.
std::atomic<std::uint64_t> messages = 0;

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) {
    close(number_);
  }
}

Descriptor open_process(int process) {
  return Descriptor(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
}

Result<std::pair<Channel, Channel>> Channel::make_pair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return make_error(ErrorCode::Io, "no sockets for a worker: {}", std::strerror(errno));
  }
  return std::pair(Channel(Descriptor(ends[0])), Channel(Descriptor(ends[1])));
}

Channel::Received Channel::wait(short event, const Deadline &deadline) const {
  while (true) {
    int patience = -1;
    if (deadline.has_value()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - std::chrono::steady_clock::now());
      patience = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1'000'000));
    }
    pollfd ends[] = {{descriptor_.get(), event, 0}, {process_, POLLIN, 0}};
    const int ready = poll(ends, std::size(ends), patience);
    if (ready > 0) {
      return ends[0].revents != 0 ? Received::Message : Received::Closed;
    }
    if (ready < 0 && errno != EINTR) {
      return Received::Closed;
    }
    if (ready == 0 && std::chrono::steady_clock::now() >= *deadline) {
      return Received::TimedOut;
    }
  }
}

Channel::Received Channel::wait(const Deadline &deadline) const {
  return wait(POLLIN, deadline);
}

bool Channel::send(std::string_view message, int attached, const Deadline &deadline) const {
  messages.fetch_add(1, std::memory_order_release);
  std::uint64_t size = message.size();
  iovec parts[] = {{&size, sizeof(size)}, {const_cast<char *>(message.data()), message.size()}};
  iovec *next = parts;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  while (next != std::end(parts)) {
    msghdr head{};
    head.msg_iov = next;
    head.msg_iovlen = static_cast<std::size_t>(std::end(parts) - next);
    if (attached >= 0) {
      head.msg_control = control;
      head.msg_controllen = sizeof(control);
      cmsghdr *rights = CMSG_FIRSTHDR(&head);
      rights->cmsg_level = SOL_SOCKET;
      rights->cmsg_type = SCM_RIGHTS;
      rights->cmsg_len = CMSG_LEN(sizeof(int));
      std::memcpy(CMSG_DATA(rights), &attached, sizeof(int));
    }
    if (wait(POLLOUT, deadline) != Received::Message) {
      return false;
    }
    const ssize_t sent = sendmsg(descriptor_.get(), &head, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EINTR || errno == EAGAIN)) {
      continue;
    }
    if (sent < 0) {
      return false;
    }
    attached = -1;
    auto left = static_cast<std::size_t>(sent);
    while (next != std::end(parts) && left >= next->iov_len) {
      left -= next++->iov_len;
    }
    if (next != std::end(parts)) {
      next->iov_base = static_cast<char *>(next->iov_base) + left;
      next->iov_len -= left;
    }
  }
  return true;
}

Channel::Received Channel::read(char *to, std::size_t size, Descriptor *attached, const Deadline &deadline) const {
  while (size > 0) {
    if (const Received readable = wait(POLLIN, deadline); readable != Received::Message) {
      return readable;
    }
    iovec part{to, size};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr head{};
    head.msg_iov = &part;
    head.msg_iovlen = 1;
    head.msg_control = control;
    head.msg_controllen = sizeof(control);
    const ssize_t received = recvmsg(descriptor_.get(), &head, MSG_CMSG_CLOEXEC);
    if (received < 0 && errno == EINTR) {
      continue;
    }
    if (received <= 0) {
      return Received::Closed;
    }
    for (cmsghdr *rights = CMSG_FIRSTHDR(&head); rights != nullptr; rights = CMSG_NXTHDR(&head, rights)) {
      if (rights->cmsg_level == SOL_SOCKET && rights->cmsg_type == SCM_RIGHTS) {
        int number = -1;
        std::memcpy(&number, CMSG_DATA(rights), sizeof(int));
        Descriptor sent(number);
        if (attached != nullptr) {
          *attached = std::move(sent);
        }
      }
    }
    to += received;
    size -= static_cast<std::size_t>(received);
  }
  return Received::Message;
}

Channel::Received Channel::receive(std::string &message, Descriptor &attached, const Deadline &deadline) const {
  std::uint64_t size = 0;
  if (const Received head = read(reinterpret_cast<char *>(&size), sizeof(size), &attached, deadline);
      head != Received::Message) {
    return head;
  }
  if (size > max_bytes) {
    return Received::Closed;
  }
  message.clear();
  while (message.size() < size) {
    const std::size_t at = message.size();
    message.resize(std::min<std::size_t>(size, at + std::max(step, at)));
    if (const Received part = read(message.data() + at, message.size() - at, nullptr, deadline);
        part != Received::Message) {
      return part;
    }
  }
  messages.fetch_add(1, std::memory_order_acquire);
  return Received::Message;
}

}  // namespace bp::remote
