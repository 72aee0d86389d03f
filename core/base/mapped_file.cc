#include "core/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/files.h"
#include "core/base/machine.h"

namespace bp {
namespace {

struct Unmap {
  std::size_t size;
  void operator()(void *data) const { munmap(data, size); }
};

Error cannot_map(const std::string &path, int problem) {
  return make_error(problem == ENOENT ? ErrorCode::NotFound : ErrorCode::Io, "cannot read {}: {}", path,
                    std::strerror(problem));
}

}  // namespace

Result<SharedBytes> map_file(const std::string &path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // does not wait for a pipe's writer
  if (descriptor < 0) {
    return cannot_map(path, errno);
  }
  const std::unique_ptr<const int, void (*)(const int *)> close_later(&descriptor, [](const int *d) { close(*d); });
  struct stat facts{};
  if (fstat(descriptor, &facts) != 0) {
    return cannot_map(path, errno);
  }
  if (!S_ISREG(facts.st_mode)) {
    return make_error(ErrorCode::Io, "cannot read {}: not a regular file", path);
  }
  const auto size = static_cast<std::size_t>(facts.st_size);
  if (size == 0) {
    return SharedBytes();
  }
  void *mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (mapped == MAP_FAILED) {
    return cannot_map(path, errno);
  }
  return SharedBytes({static_cast<const std::byte *>(mapped), size}, std::shared_ptr<void>(mapped, Unmap{size}));
}

Result<SharedBytes> load_file(const std::string &path) {
  constexpr off_t mapped_size = 16 << 20;
  struct stat facts{};
  if (stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size >= mapped_size) {
    // Its content may be copied once.
    const std::int64_t limit = machine_memory() / 2;
    if (facts.st_size > limit) {
      return make_error(ErrorCode::OutOfMemory,
                        "cannot read {}: it has {} bytes, expected at most {}, half of the "
                        "memory here",
                        path, facts.st_size, limit);
    }
    return map_file(path);
  }
  BP_ASSIGN(std::string content, read_file(path));
  const auto owner = std::make_shared<const std::string>(std::move(content));
  return SharedBytes(std::as_bytes(std::span(*owner)), owner);
}

void drop_pages(const std::shared_ptr<const void> &owner, std::string_view part) {
  if (std::get_deleter<Unmap>(owner) == nullptr) {
    return;
  }
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(part.data());
  const std::uintptr_t first = (begin + page - 1) / page * page, end = (begin + part.size()) / page * page;
  if (first < end) {
    // Pages that stay do no harm.
    (void)madvise(const_cast<char *>(part.data()) + (first - begin), end - first, MADV_DONTNEED);
  }
}

}  // namespace bp
