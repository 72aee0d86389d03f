// Recording: a file of calls in the order in which they happened. A call is two events, its begin and its end, so calls
// that were in progress when the application died are in the file, with a begin and without an end. Every event is
// passed to the operating system at once.
//
// The file is a magic number and a list of chunks: kind, size, content. Content that calls share is written once, as a
// chunk of its own, before the first call that refers to it by its hash.
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

// Writes a recording. Threads: all functions may be called from any thread.
class RecordingFile : public ContentStore {
 public:
  // Creates the file or replaces an existing one.
  static Result<std::shared_ptr<RecordingFile>> create(const std::string &path);
  RecordingFile(const RecordingFile &) = delete;
  RecordingFile &operator=(const RecordingFile &) = delete;
  ~RecordingFile() override;

  // Writes the path of a plugin's library, and returns the number of the plugin.
  std::uint64_t add_plugin(std::string_view path);
  // Writes the begin of a call, and returns the number of the call.
  std::uint64_t begin(std::uint64_t plugin, Function function, std::uint64_t object, std::string_view inputs);
  // Writes the end of a call. `made` is the id of the object that the call made, or 0.
  void end(std::uint64_t call, std::uint64_t made, std::string_view outputs);
  // Writes that the call ended with an exception.
  void threw(std::uint64_t call, std::string_view message);
  Sha256 keep(Bytes content, const Sha256 *own) override;

  std::uint64_t call_count() const { return calls_; }
  // Returns an error if some of the recording could not be written.
  Status status() const;

 private:
  RecordingFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  void append(char kind, std::string_view head, std::string_view content);  // with mutex_ held

  const std::string path_;
  const int descriptor_;
  mutable std::mutex mutex_;
  int error_ = 0;
  std::uint64_t plugins_ = 0;
  std::atomic<std::uint64_t> calls_ = 0;
  std::set<Sha256> kept_;
};

struct RecordedCall {
  std::uint64_t number;  // counted from 1
  std::uint64_t plugin;
  std::optional<Function> function;  // nullopt for a function of a newer version
  std::string function_name;
  std::uint64_t object, made = 0;
  std::string_view inputs, outputs;
  bool has_ended = false;
  std::optional<std::string> thrown;
};

// The content of a recording file. It can be moved, and what its calls point to stays valid.
class Recording : public ContentSource {
 public:
  // Fails with InvalidInput, with `name` in the message, if the bytes are not a recording. A truncated recording is
  // read as far as possible.
  static Result<std::unique_ptr<Recording>> parse(std::string bytes, const std::string &name);

  const std::vector<std::string> &plugins() const { return plugins_; }  // paths
  const std::vector<RecordedCall> &calls() const { return calls_; }     // in the order of their begins
  // The byte at which a truncated recording ends in the middle of something; nullopt if it is whole.
  std::optional<std::size_t> cut_off_at() const { return cut_off_at_; }
  std::optional<Bytes> find(const Sha256 &hash) const override;

  // Returns the inputs of a call and, if it has ended, its outputs, and sets its status. An error in the bytes is
  // listed as one more input.
  Listing list(const RecordedCall &call, bp_status &status) const;

 private:
  Status parse_chunk(char kind, std::string_view content);

  std::string bytes_;
  std::vector<std::string> plugins_;
  std::vector<RecordedCall> calls_;
  std::map<Sha256, Bytes> contents_;
  std::optional<std::size_t> cut_off_at_;
};

}  // namespace bp::remote
