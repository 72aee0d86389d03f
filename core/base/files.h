// Whole files in, whole files out. Errors name the file and say what the system said.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace bp {

Result<std::string> read_file(const std::string &path);
// Replaces what is there.
Status write_file(const std::string &path, std::string_view content);
// A file that is written while something goes on: what was written is there, whatever becomes of this process.
class OutputFile {
 public:
  // Replaces what is there.
  static Result<OutputFile> create(const std::string &path);
  // Appends, after taking back the last `over` bytes. Writes no more after an error.
  void write(std::string_view content, std::size_t over = 0);
  // Whether all of it could be written.
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
// And its parents; fine if it is there.
Status make_directory(const std::string &path);

}  // namespace bp
