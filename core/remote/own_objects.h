// What the application keeps of the objects of a plugin in a worker, so that they can be made again in a new one.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/layers/artifacts.h"
#include "core/remote/objects.h"
#include "core/remote/segment.h"
#include "core/remote/tables.h"
#include "core/remote/worker.h"

namespace bp::remote {

// A piece of memory that the core has from alloc().
struct OwnPiece {
  std::uint64_t id;  // the core's handle, and what the worker knows it by
  std::uint32_t space;
  std::uint64_t size;
  std::uint32_t alignment;
  // Shared memory: the piece itself. Of a device that has memory: what a constant holds, or nothing.
  Share share;
};

struct OwnProgram {
  bp_program_t facts{};
  Block artifact;
  std::vector<bp_loc_t> constants;
  std::vector<std::uint8_t> taken;                   // of which it has its own copy
  std::vector<std::shared_ptr<OwnPiece>> pieces;     // of the constants, also when the core has released them
  std::vector<std::uint64_t> staged;                 // of them: those that lay in the application's memory
  std::shared_ptr<const layers::ModuleCopy> module;  // null: compiled elsewhere
  std::shared_ptr<Worker> worker;                    // where it is loaded
};

// What the worker's space of shared memory is aligned to.
inline constexpr std::uint32_t shared_alignment = 64;

struct OwnDevice {
  std::string id;
  std::uint32_t instance = 0;
  std::vector<std::pair<std::string, std::string>> options;
  bp_device_t below{};  // no function of it is called
  Extensions extensions;
  bool has_memory = false;             // of its own
  std::uint32_t copy_queue = BP_NONE;  // of ours, for copies within shared memory
  bool is_initialized = false;

  std::recursive_mutex restoring;  // held while something is made again
  std::shared_ptr<Worker> worker;  // where it was made
  std::mutex mutex;                // of what follows
  std::map<std::uint64_t, std::shared_ptr<OwnPiece>> pieces;
  std::map<std::uint64_t, std::shared_ptr<OwnProgram>> programs;

  // Where programs get their memory (isolate.h), once the extensions are known.
  void arrange_memory();
  // Of shared memory, or of the application's own; null, and why, if the bytes are not all of one piece.
  Result<std::byte *> address(bp_loc_t place, std::uint64_t size);
  // Between such places.
  Status copy(bp_loc_t to, bp_loc_t from, std::uint64_t size);
  // Where it is now, if it is anywhere.
  std::shared_ptr<Worker> living_worker() {
    const std::lock_guard lock(restoring);
    return worker != nullptr && worker->is_alive() ? worker : nullptr;
  }
  std::shared_ptr<OwnPiece> piece(std::uint64_t handle) {
    const std::lock_guard lock(mutex);
    const auto found = pieces.find(handle);
    return found == pieces.end() ? nullptr : found->second;
  }
  std::shared_ptr<OwnProgram> program(std::uint64_t number) {
    const std::lock_guard lock(mutex);
    const auto found = programs.find(number);
    return found == programs.end() ? nullptr : found->second;
  }
};

}  // namespace bp::remote
