// Mutants: plugins with one fault each, made from a correct plugin by a layer around it or by a change to its file. The
// suite must catch each of them by the cases that are meant for it; this measures how good the suite is.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/host/entry.h"

namespace bp::conformance {

struct Fault;

struct Mutant {
  std::string_view name;    // "tail-lost"
  std::string_view kind;    // category of the fault: "numerics", "memory", ...
  std::string_view what;    // description in one sentence
  std::string_view around;  // name of the correct plugin
  // Pattern of the cases that are meant to catch it: "ops/multiply/f32/*". If they test a rule of the headers
  // (Stage::rules), this is a mutant of that rule: docs/rules.md.
  std::string_view cases;
  Fault (*make)();  // called once per load; the functions of a fault share the state they need
  // For a fault of the file itself, which is never loaded: turns the content of the correct file into that of the
  // faulty one.
  std::string (*change_file)(const std::string &file) = nullptr;
  // The report of such a fault in a real product, "owner/repository#number", or "own": thought of by ourselves.
  std::string_view source = "own";
};

// Returns all mutants in the order of the tables; names are unique.
const std::vector<Mutant> &mutants();
// Returns nullptr if there is none.
const Mutant *find_mutant(std::string_view name);

// Returns the layer of a mutant that is made by one.
host::Layer mutant_layer(const Mutant &mutant);
// Writes the file of a mutant that is made by changing a file, and returns its path. The file exists as long as this
// process.
Result<std::string> mutant_file(const Mutant &mutant, const std::string &path);

// The tables, one per source file.
extern const std::span<const Mutant> file_mutants, life_mutants, kernel_mutants, compiler_mutants, memory_mutants,
    combination_mutants, performance_mutants, rule_mutants, attribute_mutants, integer_mutants, float_mutants,
    movement_mutants, contraction_mutants, rewriting_mutants, schedule_mutants, queue_mutants, history_mutants,
    artifact_mutants, run_mutants, external_memory_mutants, information_mutants, constant_mutants, promise_mutants,
    traffic_mutants, limit_mutants, front_end_mutants;

}  // namespace bp::conformance
