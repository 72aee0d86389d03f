// Reads and writes whole files. Errors contain the name of the file and the message of the system.
#pragma once

#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace bp {

Result<std::string> read_file(const std::string &path);
// Replaces an existing file as a whole: after an error, or if the process is killed, the old content is still there,
// and perhaps a file path.* next to it. Where a path is a link, the file that it leads to is replaced; what is no file,
// such as a pipe or a device, is written to.
Status write_file(const std::string &path, std::span<const std::string_view> pieces);
Status write_file(const std::string &path, std::string_view content);
// A file that is written step by step. What was written is in the file even if this process crashes later.
class OutputFile {
 public:
  // Replaces an existing file.
  static Result<OutputFile> create(const std::string &path);
  // Appends `content` after removing the last `over` bytes. After an error, writes nothing more.
  void write(std::string_view content, std::size_t over = 0);
  // Returns the first error of write(), if there was one.
  Status status() const;

 private:
  struct Close {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };

  explicit OutputFile(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  int error_ = 0;
};
// Also creates missing parent directories. Succeeds if the directory exists.
Status make_directory(const std::string &path);

}  // namespace bp
