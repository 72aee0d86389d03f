#include "conformance/suite/source_trial.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>

#include "core/import/front_ends.h"

namespace bp::conformance {
namespace {

// Takes the program and the reports of one call.
class Listener {
 public:
  explicit Listener(int refused) : stream_{this, &Listener::write}, diag_{this, &Listener::report}, refused_(refused) {}
  Listener(const Listener &) = delete;
  Listener &operator=(const Listener &) = delete;

  const bp_ostream_t *stream() const { return &stream_; }
  const bp_source_diag_t *diag() const { return &diag_; }
  Reading take() { return std::move(reading_); }

 private:
  static bp_status write(const bp_ostream_t *stream, const void *bytes, std::uint64_t size) {
    constexpr std::uint64_t max_size = 64 << 20;  // more than any program of a small source
    auto &self = *static_cast<Listener *>(stream->ctx);
    Reading &reading = self.reading_;
    reading.writes_after += reading.was_refused;
    if (reading.was_refused || reading.writes++ >= self.refused_ || size > max_size - reading.program.size()) {
      reading.was_refused = true;
      return BP_CANCELLED;
    }
    reading.program.append(static_cast<const char *>(bytes), size);
    return BP_OK;
  }
  static void report(const bp_source_diag_t *diag, bp_status status, std::uint64_t offset, const char *message) {
    auto &self = *static_cast<Listener *>(diag->ctx);
    self.reading_.reports.push_back({status, offset, message == nullptr ? "" : message});
  }

  bp_ostream_t stream_;
  bp_source_diag_t diag_;
  int refused_;
  Reading reading_;
};

// Returns a position from 0 to `size`.
std::size_t place(std::mt19937_64 &random, std::size_t size) {
  return random() % (size + 1);
}

// Replaces the number at a random place by one that lies about sizes.
void change_number(std::string &text, std::mt19937_64 &random) {
  constexpr std::string_view digits = "0123456789";
  constexpr const char *lies[] = {"0", "-1", "4294967296", "9223372036854775807", "99999999999999999999"};
  const std::size_t first = text.find_first_of(digits, place(random, text.size()));
  if (first != std::string::npos) {
    const std::size_t end = std::min(text.find_first_not_of(digits, first), text.size());
    text.replace(first, end - first, lies[random() % std::size(lies)]);
  }
}

void change(std::string &text, std::mt19937_64 &random) {
  const std::size_t at = place(random, text.size());
  const std::size_t length = std::min<std::size_t>(1 + random() % 16, text.size() - at);
  switch (random() % 8) {
    case 0:  // any byte
      text.replace(at, std::min<std::size_t>(length, 1), 1, static_cast<char>(random()));
      break;
    case 1:  // a bit
      if (length != 0) {
        text[at] = static_cast<char>(text[at] ^ 1 << random() % 8);
      }
      break;
    case 2: text.erase(at, length); break;
    case 3:  // an end of texts in C, once or often
      text.insert(at, 1 + random() % 3, '\0');
      break;
    case 4: text.insert(at, text.substr(at, length)); break;
    case 5:  // a word that is longer than any
      text.insert(at, 1 + random() % 5000, text.empty() ? 'x' : text[at == text.size() ? 0 : at]);
      break;
    case 6: {  // a part in another place
      const std::string part = text.substr(at, length);
      text.erase(at, length);
      text.insert(place(random, text.size()), part);
      break;
    }
    default: change_number(text, random);
  }
}

// A part of a program.
struct Part {
  std::size_t begin, size;

  std::string_view of(std::string_view program) const { return program.substr(begin, size); }
};

bool is_of_word(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '_';
}

std::vector<Part> words_of(std::string_view program) {
  std::vector<Part> words;
  for (std::size_t at = 0; at < program.size(); ++at) {
    if (is_of_word(program[at])) {
      const std::size_t begin = at;
      while (at < program.size() && is_of_word(program[at])) {
        ++at;
      }
      words.push_back({begin, at - begin});
    }
  }
  return words;
}

// Each with its end of line.
std::vector<Part> lines_of(std::string_view program) {
  std::vector<Part> lines;
  for (std::size_t begin = 0; begin < program.size();) {
    const std::size_t end = std::min(program.find('\n', begin), program.size() - 1) + 1;
    lines.push_back({begin, end - begin});
    begin = end;
  }
  return lines;
}

}  // namespace

Result<ReadOnlySource> ReadOnlySource::make(std::string_view bytes) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t readable = (bytes.size() + page) / page * page, guard = 256 * page;
  ReadOnlySource source;
  void *all = mmap(nullptr, readable + guard, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) {
    return make_error(ErrorCode::OutOfMemory, "out of memory: {} bytes cannot be mapped", readable + guard);
  }
  source.pages_ = static_cast<std::byte *>(all);
  source.all_ = readable + guard;
  source.size_ = bytes.size();
  std::byte *begin = source.pages_ + readable - bytes.size();
  std::ranges::copy(bytes, reinterpret_cast<char *>(begin));
  source.begin_ = begin;
  mprotect(source.pages_, readable, PROT_READ);
  mprotect(source.pages_ + readable, guard, PROT_NONE);
  return source;
}

ReadOnlySource::ReadOnlySource(ReadOnlySource &&other) noexcept
    : pages_(std::exchange(other.pages_, nullptr)), all_(other.all_), begin_(other.begin_), size_(other.size_) {}

ReadOnlySource::~ReadOnlySource() {
  if (pages_ != nullptr) {
    munmap(pages_, all_);
  }
}

std::string Reading::broken_rule(std::uint64_t size) const {
  for (const SourceReport &report : reports) {
    if (report.offset > size && report.offset != BP_NO_OFFSET) {
      return fmt::format(
          "BP-FRONT-04: a report is about offset {}, expected at most {}, the size of the source, or none",
          report.offset, size);
    }
  }
  if (was_refused && status != BP_CANCELLED) {
    return fmt::format("BP-STREAM-01: write() failed with {}, and read() returned {}, expected the same", BP_CANCELLED,
                       status);
  }
  if (writes_after != 0) {
    return fmt::format("BP-STREAM-01: write() was called {} times after it had failed, expected none", writes_after);
  }
  const bool has_said_why = std::ranges::any_of(
      reports, [](const SourceReport &report) { return report.status != BP_OK && !report.message.empty(); });
  if (status == BP_OK && has_said_why) {
    return "BP-FRONT-07: read() reported an error and returned BP_OK, expected another status, or a warning";
  }
  if (status != BP_OK && !was_refused && !has_said_why) {
    return fmt::format("BP-FRONT-07: read() returned {} without a report, expected one that says why", status);
  }
  return {};
}

Reading read_source(const bp_front_end_t &front_end, const bp_source_t &source, int refused) {
  Listener listener(refused);
  const bp_status status = front_end.read(&front_end, &source, listener.stream(), listener.diag());
  Reading reading = listener.take();
  reading.status = status;
  return reading;
}

Status check_program(const std::string &program) {
  const import::FrontEnd *own = import::recognize(program);
  if (own == nullptr) {
    return make_error(ErrorCode::PluginFailure, "the core recognizes no program in {} bytes, expected StableHLO or HLO",
                      program.size());
  }
  const import::Source source{program, 1, program, "program"};
  import::ReadOptions options;
  if (own->parameters != nullptr) {
    BP_ASSIGN(const std::vector<import::Parameter> parameters, own->parameters(source));
    for (const import::Parameter &parameter : parameters) {
      std::vector<std::int64_t> sizes(parameter.shape.sizes().begin(), parameter.shape.sizes().end());
      if (std::ranges::count(sizes, ir::unbounded) != 0) {
        std::ranges::replace(sizes, ir::unbounded, std::int64_t{3});
        options.parameter_sizes.push_back({parameter.name, std::move(sizes)});
      }
    }
  }
  const auto module = own->read(source, options);
  return module.ok() ? Status() : Status(module.error());
}

std::vector<std::string> beginnings(std::string_view program, std::size_t max_count) {
  std::vector<std::string> all;
  const std::size_t step = std::max<std::size_t>(1, program.size() / std::max<std::size_t>(1, max_count - 1));
  for (std::size_t size = 0; size < program.size(); size += step) {
    all.emplace_back(program.substr(0, size));
  }
  all.emplace_back(program);
  return all;
}

std::vector<std::string> rearranged(std::string_view program, std::size_t max_count) {
  const std::vector<Part> words = words_of(program), lines = lines_of(program);
  std::vector<std::string> all;
  const auto add = [&](Part old, std::string_view text) {
    all.push_back(std::string(program).replace(old.begin, old.size, text));
  };
  const std::size_t pairs = words.size() * words.size(), step = pairs / std::max<std::size_t>(1, max_count) + 1;
  for (std::size_t pair = 0; pair < pairs; pair += step) {
    const Part to = words[pair / words.size()], from = words[pair % words.size()];
    if (to.of(program) != from.of(program)) {
      add(to, from.of(program));
    }
  }
  for (std::size_t i = 0; i < std::min(lines.size(), max_count); ++i) {
    const std::string line(lines[i].of(program));
    add(lines[i], "");
    add(lines[i], line + line);
    if (i > 0) {
      const Part both = {lines[i - 1].begin, lines[i - 1].size + lines[i].size};
      add(both, line + std::string(lines[i - 1].of(program)));
    }
  }
  return all;
}

std::string damaged(std::string_view program, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string text(program);
  for (std::uint64_t i = 0, count = 1 + random() % 3; i < count; ++i) {
    change(text, random);
  }
  return text;
}

}  // namespace bp::conformance
