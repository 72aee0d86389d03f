#include "core/remote/recording.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

namespace bp::remote {
namespace {

// The digit is the version of the chunks and of the codecs.
constexpr std::string_view magic = "BPCALLS2";
constexpr std::size_t chunk_head = 1 + sizeof(std::uint64_t);

enum Chunk : char { ContentChunk = 'C', PluginChunk = 'P', BeginChunk = 'B', EndChunk = 'E', ThrowChunk = 'T' };

}  // namespace

// --- writing ---

Result<std::shared_ptr<RecordingFile>> RecordingFile::create(const std::string &path) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    return make_error(ErrorCode::Io, "cannot write {}: {}", path, std::strerror(errno));
  }
  std::shared_ptr<RecordingFile> file(new RecordingFile(path, descriptor));
  if (::write(descriptor, magic.data(), magic.size()) != static_cast<ssize_t>(magic.size())) {
    file->error_ = errno;
  }
  BP_TRY(file->status());
  return file;
}

RecordingFile::~RecordingFile() {
  close(descriptor_);
}

Status RecordingFile::status() const {
  const std::lock_guard lock(mutex_);
  return error_ == 0 ? Status() : make_error(ErrorCode::Io, "cannot write {}: {}", path_, std::strerror(error_));
}

void RecordingFile::append(char kind, std::string_view head, std::string_view content) {
  if (error_ != 0) {
    return;  // anything written after a failed write would be at a wrong position
  }
  const std::uint64_t size = head.size() + content.size();
  std::string start(1, kind);
  start.append(reinterpret_cast<const char *>(&size), sizeof(size));
  start += head;
  iovec parts[] = {{start.data(), start.size()}, {const_cast<char *>(content.data()), content.size()}};
  iovec *next = parts;
  while (next != std::end(parts)) {
    const ssize_t written = ::writev(descriptor_, next, static_cast<int>(std::end(parts) - next));
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      error_ = errno;
      return;
    }
    auto left = static_cast<std::size_t>(written);
    while (next != std::end(parts) && left >= next->iov_len) {
      left -= next++->iov_len;
    }
    if (next != std::end(parts)) {
      next->iov_base = static_cast<char *>(next->iov_base) + left;
      next->iov_len -= left;
    }
  }
}

std::uint64_t RecordingFile::add_plugin(std::string_view path) {
  const std::lock_guard lock(mutex_);
  append(PluginChunk, {}, path);
  return plugins_++;
}

std::uint64_t RecordingFile::begin(std::uint64_t plugin, Function function, std::uint64_t object,
                                   std::string_view inputs) {
  const std::lock_guard lock(mutex_);
  Writer head;
  head.number(++calls_);
  head.number(plugin);
  head.number(object);
  head.text(layers::to_string(function));
  append(BeginChunk, head.bytes(), inputs);
  return calls_;
}

void RecordingFile::end(std::uint64_t call, std::uint64_t made, std::string_view outputs) {
  const std::lock_guard lock(mutex_);
  Writer head;
  head.number(call);
  head.number(made);
  append(EndChunk, head.bytes(), outputs);
}

void RecordingFile::threw(std::uint64_t call, std::string_view message) {
  const std::lock_guard lock(mutex_);
  Writer head;
  head.number(call);
  append(ThrowChunk, head.bytes(), message);
}

Sha256 RecordingFile::keep(Bytes content, const Sha256 *) {
  const Sha256 hash = sha256(content);
  const std::lock_guard lock(mutex_);
  if (kept_.insert(hash).second) {
    append(ContentChunk, {reinterpret_cast<const char *>(hash.data()), hash.size()},
           {reinterpret_cast<const char *>(content.data()), content.size()});
  }
  return hash;
}

// --- reading ---

Result<std::unique_ptr<Recording>> Recording::parse(std::string bytes, const std::string &name) {
  auto recording = std::make_unique<Recording>();
  recording->bytes_ = std::move(bytes);
  std::string_view rest = recording->bytes_;
  if (!rest.starts_with(magic)) {
    const std::size_t kind = magic.size() - 1;
    if (rest.size() >= magic.size() && rest.starts_with(magic.substr(0, kind))) {
      return invalid_input(
          "{}: is a recording of version {}, expected {}: record the calls again, with --layer=record={}", name,
          host::printable(rest.substr(kind, 1)), magic.substr(kind), name);
    }
    return invalid_input("{}: is not a recording, expected one that --layer=record={} writes", name, name);
  }
  rest.remove_prefix(magic.size());
  while (!rest.empty()) {
    std::uint64_t size = 0;
    if (rest.size() >= chunk_head) {
      std::memcpy(&size, rest.data() + 1, sizeof(size));
    }
    if (rest.size() < chunk_head || size > rest.size() - chunk_head) {
      recording->cut_off_at_ = recording->bytes_.size() - rest.size();
      break;
    }
    if (Status parsed = recording->parse_chunk(rest[0], rest.substr(chunk_head, size)); !parsed.ok()) {
      return invalid_input("{}: at byte {}: {}", name, recording->bytes_.size() - rest.size(),
                           parsed.error().message());
    }
    rest.remove_prefix(chunk_head + size);
  }
  return recording;
}

Status Recording::parse_chunk(char kind, std::string_view content) {
  Reader reader(content);
  auto read_call = [&]() -> RecordedCall * {
    const auto number = reader.number<std::uint64_t>();
    if (reader.ok() && (number == 0 || number > calls_.size() || calls_[number - 1].has_ended)) {
      reader.fail(fmt::format("call {} ends, but has not begun or has ended before", number));
    }
    return reader.ok() ? &calls_[number - 1] : nullptr;
  };
  switch (kind) {
    case ContentChunk: {
      const auto hash = reader.number<Sha256>();
      BP_TRY(reader.status());
      const Bytes bytes = std::as_bytes(std::span(content)).subspan(hash.size());
      if (sha256(bytes) != hash) {
        return invalid_input("a content of {} bytes has another hash than the recording says", bytes.size());
      }
      contents_.emplace(hash, bytes);
      return {};
    }
    case PluginChunk: plugins_.emplace_back(content); return {};
    case BeginChunk: {
      RecordedCall call{};
      reader.number(call.number);
      reader.number(call.plugin);
      reader.number(call.object);
      const std::string_view function = reader.text();
      call.function = function_of(function);
      call.function_name = host::printable(function);  // a newer version, or damage, may have put anything there
      call.inputs = reader.rest();
      if (reader.ok() && (call.number != calls_.size() + 1 || call.plugin >= plugins_.size())) {
        return invalid_input("call {} of plugin {}, expected call {} of one of {} plugins", call.number, call.plugin,
                             calls_.size() + 1, plugins_.size());
      }
      if (reader.ok()) {
        calls_.push_back(std::move(call));
      }
      return reader.status();
    }
    case EndChunk:
      if (RecordedCall *call = read_call(); call != nullptr) {
        reader.number(call->made);
        call->outputs = reader.rest();
        call->has_ended = true;
      }
      return reader.status();
    case ThrowChunk:
      if (RecordedCall *call = read_call(); call != nullptr) {
        call->thrown = std::string(reader.rest());
        call->has_ended = true;
      }
      return reader.status();
    default: return invalid_input("a chunk has the unknown kind {}", static_cast<int>(kind));
  }
}

std::optional<Bytes> Recording::find(const Sha256 &hash) const {
  const auto found = contents_.find(hash);
  return found == contents_.end() ? std::nullopt : std::optional(found->second);
}

Listing Recording::list(const RecordedCall &call, bp_status &status) const {
  Listing listing;
  status = BP_OK;
  if (!call.function.has_value()) {
    return listing;
  }
  Reader in(call.inputs, this), out(call.outputs, this);
  const bool is_answered = call.has_ended && !call.thrown.has_value() && !is_of_host(*call.function);
  status = list_call(*call.function, in, is_answered ? &out : nullptr, listing);
  for (const Reader *reader : {&in, &out}) {
    if (!reader->ok()) {
      listing.in("damaged:", reader->status().error().message());
    }
  }
  if (call.thrown.has_value()) {
    listing.out("exception", host::printable(*call.thrown));
  }
  return listing;
}

}  // namespace bp::remote
