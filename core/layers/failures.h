// Failures: one call of one function fails, though the plugin would have done it, or the device is lost: what the core makes
// of that can be seen for each function and each call, one after the other.
#pragma once

#include <atomic>
#include <memory>

#include "core/layers/interposer.h"

namespace bp::layers {

// Whether a function has a way to say that it failed: by its status, or by null.
bool is_fallible(Function function);
// Whether a device that is lost says so in it (BP-STATUS-03).
bool is_lost_with_device(Function function);

struct Failure {
  Function function = Function::program_run;
  // The device is lost instead, from `call` on: calls of all functions that are lost with it count, and fail.
  bool is_loss = false;
  std::uint64_t call = 1;
  bp_status status = BP_INTERNAL;        // of functions with one, if the device is not lost
  bool is_silent = false;                // without a report
  std::atomic<std::uint64_t> calls = 0;  // counted so far
  bool has_struck() const { return calls >= call; }
};

// The failing call does not reach the plugin.
host::Layer failure_layer(std::shared_ptr<Failure> failure);

}  // namespace bp::layers
