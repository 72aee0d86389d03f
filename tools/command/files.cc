#include "tools/command/files.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace bp::command {

Result<std::string> read_file(const std::string &path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return make_error(ErrorCode::Io, "{} is a directory, expected a file", path);
  }
  std::ifstream stream(path, std::ios::binary);
  std::string content;
  if (stream) {
    content.assign(std::istreambuf_iterator<char>(stream), {});
  }
  if (!stream) {
    return make_error(ErrorCode::Io, "cannot read {}: {}", path, std::strerror(errno));
  }
  return content;
}

Status write_file(const std::string &path, std::string_view content) {
  std::ofstream stream(path, std::ios::binary);
  stream.write(content.data(), static_cast<std::streamsize>(content.size()));
  stream.close();
  if (!stream) {
    return make_error(ErrorCode::Io, "cannot write {}: {}", path, std::strerror(errno));
  }
  return {};
}

Status make_directory(const std::string &path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    return make_error(ErrorCode::Io, "cannot make the directory {}: {}", path, error.message());
  }
  return {};
}

}  // namespace bp::command
