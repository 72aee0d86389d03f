// Recording: calls in a file, as they happened. A call is two events, its begin and its end, so what was going on when the
// application died is there: a begin without an end. Every event is handed to the system at once.
//
// The file is a magic number and a list of chunks: kind, size, content. A content that calls have in common is a chunk
// of its own, once, before the first call that names it by its hash.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/remote/calls.h"

namespace bp::remote {

// Writes. Threads: all functions from any thread.
class RecordingFile : public ContentStore {
 public:
  // Replaces what is there.
  static Result<std::shared_ptr<RecordingFile>> create(const std::string &path);
  RecordingFile(const RecordingFile &) = delete;
  RecordingFile &operator=(const RecordingFile &) = delete;
  ~RecordingFile() override;

  // A library with these devices; its number.
  std::uint64_t add_plugin(std::string_view path);
  // The number of the call.
  std::uint64_t begin(std::uint64_t plugin, Function function, std::uint64_t object, std::string_view inputs);
  // `made`: the id of what the call made, or 0.
  void end(std::uint64_t call, std::uint64_t made, std::string_view outputs);
  // The call ended with an exception.
  void threw(std::uint64_t call, std::string_view message);
  Sha256 keep(Bytes content, const Sha256 *own) override;

  std::uint64_t call_count() const { return calls_; }
  // Whether all of it could be written.
  Status status() const;

 private:
  RecordingFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  void append(char kind, std::string_view head, std::string_view content);  // under the lock

  const std::string path_;
  const int descriptor_;
  mutable std::mutex mutex_;
  int error_ = 0;
  std::uint64_t plugins_ = 0;
  std::atomic<std::uint64_t> calls_ = 0;
  std::set<Sha256> kept_;
};

struct RecordedCall {
  std::uint64_t number;  // from 1
  std::uint64_t plugin;
  std::optional<Function> function;  // nothing: one of a newer version
  std::string_view function_name;
  std::uint64_t object, made = 0;
  std::string_view inputs, outputs;
  bool has_ended = false;
  std::optional<std::string> thrown;
};

// What a file holds. Moves; what calls point to stays.
class Recording : public ContentSource {
 public:
  // InvalidInput, with the name, for bytes that are no recording. One that is cut off is read as far as it goes.
  static Result<std::unique_ptr<Recording>> parse(std::string bytes, const std::string &name);

  const std::vector<std::string> &plugins() const { return plugins_; }  // paths
  const std::vector<RecordedCall> &calls() const { return calls_; }     // in the order of their begins
  bool is_cut_off() const { return is_cut_off_; }
  std::optional<Bytes> find(const Sha256 &hash) const override;

  // What went in and, if it has ended, came out. A fault in the bytes is an input of its own.
  Listing describe(const RecordedCall &call, bp_status &status) const;

 private:
  Status parse_chunk(char kind, std::string_view content);

  std::string bytes_;
  std::vector<std::string> plugins_;
  std::vector<RecordedCall> calls_;
  std::map<Sha256, Bytes> contents_;
  bool is_cut_off_ = false;
};

}  // namespace bp::remote
