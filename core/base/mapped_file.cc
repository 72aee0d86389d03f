#include "core/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace bp {
namespace {

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
  std::shared_ptr<const void> owner(mapped, [size](void *data) { munmap(data, size); });
  return SharedBytes({static_cast<const std::byte *>(mapped), size}, std::move(owner));
}

}  // namespace bp
