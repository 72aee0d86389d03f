// One call of a front end (backplane/ext/draft/front_end.h): the sources that it gets, and all that it answers.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "backplane/ext/draft/front_end.h"
#include "core/base/result.h"

namespace bp::conformance {

// A source in memory that cannot be written, right before memory that cannot be read.
class ReadOnlySource {
 public:
  static Result<ReadOnlySource> make(std::string_view bytes);
  ReadOnlySource(ReadOnlySource &&other) noexcept;
  ReadOnlySource &operator=(ReadOnlySource &&) = delete;
  ~ReadOnlySource();

  bp_source_t abi() const { return {begin_, size_, ""}; }

 private:
  ReadOnlySource() = default;

  std::byte *pages_ = nullptr;
  std::uint64_t all_ = 0;  // bytes from `pages_`, those that cannot be read included
  const std::byte *begin_ = nullptr;
  std::uint64_t size_ = 0;
};

struct SourceReport {
  bp_status status;
  std::uint64_t offset;
  std::string message;
};

// The answer to one call of read().
struct Reading {
  bp_status status = BP_OK;
  std::string program;
  std::vector<SourceReport> reports;
  int writes = 0;            // calls of write()
  bool was_refused = false;  // whether a call of write() failed
  int writes_after = 0;      // calls of write() after that

  // Says which rule the answer breaks, other than that the program is valid; empty: none. `size`: of the source.
  std::string broken_rule(std::uint64_t size) const;
};

// Reads a source. The call of write() with the number `refused`, counted from 0, fails with BP_CANCELLED, and so do all
// after it.
Reading read_source(const bp_front_end_t &front_end, const bp_source_t &source,
                    int refused = std::numeric_limits<int>::max());

// Verifies a program that a front end has written. Sizes that it leaves open are 3.
Status check_program(const std::string &program);

// Returns the beginnings of a program, at most `max_count`, the empty one and all of it among them.
std::vector<std::string> beginnings(std::string_view program, std::size_t max_count);
// Returns the program with each of its words in the place of each other, and with each of its lines left out, doubled,
// or before the one above: most are no programs though all their parts are known. At most `max_count` of them, evenly
// chosen.
std::vector<std::string> rearranged(std::string_view program, std::size_t max_count);
// Returns the program with a few random changes: of bytes, of numbers, of the order of its parts.
std::string damaged(std::string_view program, std::uint64_t seed);

}  // namespace bp::conformance
