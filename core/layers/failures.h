// Failures: makes one call of one function fail without calling the plugin, or makes the device lost, so that tests can
// check the core's reaction for each function and each call in turn.
#pragma once

#include <atomic>
#include <memory>

#include "core/layers/interposer.h"

namespace bp::layers {

// Whether a function can report that it failed: by its status, or by returning nullptr.
bool is_fallible(Function function);

struct Failure {
  Function function = Function::program_run;
  // Instead of a failure, the device is lost from call number `call` on: calls of all functions that report a lost
  // device count, and fail.
  bool is_loss = false;
  std::uint64_t call = 1;
  bp_status status = BP_INTERNAL;        // of functions that return one, if the device is not lost
  bool is_silent = false;                // whether to fail without a report
  std::atomic<std::uint64_t> calls = 0;  // number of calls so far
  bool has_struck() const { return calls >= call; }
};

// The failing call does not reach the plugin.
host::Layer failure_layer(std::shared_ptr<Failure> failure);

}  // namespace bp::layers
