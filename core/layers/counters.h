// Counters: adds up what devices count while programs run (bp.counters/draft-1), by counter and instruction.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/host/entry.h"

namespace bp::layers {

// All counts so far. Threads: all functions may be called from any thread.
class Counts {
 public:
  void add_run();
  // Adds to a counter of a device, for an instruction. `unit`: BP_UNIT_.
  void add(const std::string &counter, std::uint32_t unit, const std::string &instruction, std::uint64_t value);
  // Returns a table for people, of all runs together: a column per counter, with its sum; a row per instruction, those
  // with most of the first counter first. `most`: number of rows; the others are added up in one.
  std::string to_text(std::size_t most = 20) const;
  // Returns {"runs", "counters": [{"name", "unit", "sum", "instructions": {name: value}}]}.
  std::string to_json() const;

 private:
  struct Counter {
    std::string name;
    std::uint32_t unit;
    std::uint64_t sum = 0;
    std::map<std::string, std::uint64_t> by_instruction;
  };
  mutable std::mutex mutex_;
  std::uint64_t runs_ = 0;
  std::vector<Counter> counters_;  // in the order in which they were first counted
};

host::Layer counters_layer(std::shared_ptr<Counts> counts);

}  // namespace bp::layers
