#include "core/base/files.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "core/base/machine.h"

namespace bp {
namespace {

struct Close {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

Error refused(std::string_view what, const std::string &path) {
  ErrorCode code = errno == ENOENT ? ErrorCode::NotFound : ErrorCode::Io;
  return make_error(code, "cannot {} {}: {}", what, path, std::strerror(errno));
}

}  // namespace

Result<std::string> read_file(const std::string &path) {
  File file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) {
    return refused("read", path);
  }
  // A sparse file, or a device that never ends, must not take all memory.
  const std::uint64_t limit = static_cast<std::uint64_t>(machine_memory()) / 4;
  const auto too_large = [&] {
    return make_error(ErrorCode::OutOfMemory, "cannot read {}: it has more than {} bytes, a quarter of the memory here",
                      path, limit);
  };
  struct stat facts{};
  if (fstat(fileno(file.get()), &facts) == 0 && facts.st_size > 0 &&
      static_cast<std::uint64_t>(facts.st_size) > limit) {
    return too_large();
  }
  std::string content;
  char piece[1 << 16];
  while (std::size_t size = std::fread(piece, 1, sizeof(piece), file.get())) {
    if (content.size() + size > limit) {
      return too_large();
    }
    content.append(piece, size);
  }
  if (std::ferror(file.get()) != 0) {  // also the case for a directory
    return refused("read", path);
  }
  return content;
}

namespace {

// Sets errno.
bool write_pieces(const std::string &path, std::span<const std::string_view> pieces, const char *mode) {
  File file(std::fopen(path.c_str(), mode));
  const auto write = [&](std::string_view piece) {
    return std::fwrite(piece.data(), 1, piece.size(), file.get()) == piece.size();
  };
  return file != nullptr && std::ranges::all_of(pieces, write) && std::fclose(file.release()) == 0;
}

}  // namespace

Status write_file(const std::string &path, std::span<const std::string_view> pieces) {
  static std::atomic<unsigned> count = 0;
  std::error_code absent;
  const std::filesystem::path found = std::filesystem::canonical(path, absent);
  const std::string target = absent ? path : found.string();
  const std::string temporary = fmt::format("{}.{}.{}", target, getpid(), count++);
  struct stat facts{};
  const bool exists = stat(target.c_str(), &facts) == 0;
  // Where no other file can be made, the file itself may still be writable.
  const bool is_written_to =
      exists && (!S_ISREG(facts.st_mode) || access(target.c_str(), W_OK) != 0 || !write_pieces(temporary, {}, "wbx"));
  if (is_written_to) {
    return write_pieces(target, pieces, "wb") ? Status() : refused("write", path);
  }
  const bool is_replaced = write_pieces(temporary, pieces, "wb") &&
                           (!exists || chmod(temporary.c_str(), facts.st_mode & 07777) == 0) &&
                           std::rename(temporary.c_str(), target.c_str()) == 0;
  if (!is_replaced) {
    Error error = refused("write", path);
    std::remove(temporary.c_str());
    return error;
  }
  return {};
}

Status write_file(const std::string &path, std::string_view content) {
  return write_file(path, std::span(&content, 1));
}

Result<OutputFile> OutputFile::create(const std::string &path) {
  OutputFile output(path);
  output.file_.reset(std::fopen(path.c_str(), "wb"));
  if (output.file_ == nullptr) {
    return refused("write", path);
  }
  return output;
}

void OutputFile::write(std::string_view content, std::size_t over) {
  if (error_ == 0 && ((over != 0 && std::fseek(file_.get(), -static_cast<long>(over), SEEK_CUR) != 0) ||
                      std::fwrite(content.data(), 1, content.size(), file_.get()) != content.size() ||
                      std::fflush(file_.get()) != 0)) {
    error_ = errno;
  }
}

Status OutputFile::status() const {
  return error_ == 0 ? Status() : make_error(ErrorCode::Io, "cannot write {}: {}", path_, std::strerror(error_));
}

Status make_directory(const std::string &path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error || !std::filesystem::is_directory(path, error)) {
    return make_error(ErrorCode::Io, "cannot make the directory {}: {}", path,
                      error ? error.message() : std::strerror(ENOTDIR));
  }
  return {};
}

}  // namespace bp
