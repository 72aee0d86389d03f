// Counters: adds up what devices count while programs run (bp.counters/draft-1), by counter and instruction.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/sha256.h"
#include "core/host/entry.h"
#include "core/layers/artifacts.h"

namespace bp::layers {

// All counts so far. Threads: all functions may be called from any thread.
class Counts {
 public:
  void add_run();
  // Returns the name by which counts are kept apart from those of other modules: that of the module, with a number if
  // another one has it too; "" for nullptr, a module that is not known.
  std::string name_of(const ModuleCopy *module);
  // Adds to a counter of a device, for an instruction of a module. `unit`: BP_UNIT_; `module`: from name_of().
  void add(const std::string &counter, std::uint32_t unit, const std::string &module, const std::string &instruction,
           std::uint64_t value);
  // Returns a table for people, of all runs together: a column per counter, with its sum; a row per instruction, those
  // with most of the first counter first. `most`: number of rows; the others are added up in one. If instructions of
  // several modules have the same name, their rows say of which module each is: "dot.1 of step".
  std::string to_text(std::size_t most = 20) const;
  // Returns {"runs", "counters": [{"name", "unit", "sum", "instructions": {name: value}}]}, with the names of the rows.
  std::string to_json() const;

 private:
  using Row = std::pair<std::string, std::string>;  // module, instruction
  struct Counter {
    std::string name;
    std::uint32_t unit;
    std::uint64_t sum = 0;
    std::map<Row, std::uint64_t> values;
  };
  std::string name_of(const Row &row) const;
  mutable std::mutex mutex_;
  std::uint64_t runs_ = 0;
  std::vector<Counter> counters_;                            // in the order in which they were first counted
  std::map<std::string, std::vector<Sha256>> images_;        // of the modules, by their names
  std::map<std::string, std::set<std::string>> modules_of_;  // by name of an instruction that was counted
};

host::Layer counters_layer(std::shared_ptr<Counts> counts);

}  // namespace bp::layers
