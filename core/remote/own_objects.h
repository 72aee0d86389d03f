// The data that the application keeps about the objects of a plugin in a worker, so that they can be made again in a
// new worker.
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

// A piece of memory that the core got from alloc().
struct OwnPiece {
  std::uint64_t id;  // the core's handle, by which the worker knows it, too
  std::uint32_t space;
  std::uint64_t size;
  std::uint32_t alignment;
  // For a device without memory: the piece itself, in shared memory. For a device with memory: the content of the piece
  // if it is a constant, else empty.
  Share share;
};

struct OwnProgram {
  bp_program_t facts{};
  Block artifact;
  std::vector<bp_loc_t> constants;
  std::vector<std::uint8_t> taken;                   // by allocation: not 0 if the program has its own copy
  std::vector<std::shared_ptr<OwnPiece>> pieces;     // of the constants, even if the core has released them
  std::vector<std::uint64_t> staged;                 // ids of copies of constants in the application's memory
  std::shared_ptr<const layers::ModuleCopy> module;  // nullptr if it was compiled elsewhere
  std::shared_ptr<Worker> worker;                    // in which it is loaded
};

// Alignment, in bytes, of the space of shared memory that a device without memory gets.
inline constexpr std::uint32_t shared_alignment = 64;

struct OwnDevice {
  std::string id;
  std::uint32_t instance = 0;
  std::vector<std::pair<std::string, std::string>> options;
  bp_device_t below{};  // its functions are never called
  Extensions extensions;
  bool has_memory = false;             // whether the device has memory of its own
  std::uint32_t copy_queue = BP_NONE;  // index of the queue, made by this process, for copies within shared memory
  bool is_initialized = false;

  std::recursive_mutex restoring;  // held while objects are made again
  std::shared_ptr<Worker> worker;  // in which the device was made
  std::mutex mutex;                // guards the members below
  std::map<std::uint64_t, std::shared_ptr<OwnPiece>> pieces;
  std::map<std::uint64_t, std::shared_ptr<OwnProgram>> programs;

  // Decides where programs get their memory (isolate.h). Called once the extensions are known.
  void arrange_memory();
  // Returns the address of a location in shared memory or in the application's memory. Fails if the bytes are not all
  // in one piece.
  Result<std::byte *> address(bp_loc_t place, std::uint64_t size);
  // Copies between such locations.
  Status copy(bp_loc_t to, bp_loc_t from, std::uint64_t size);
  // Returns the worker in which the device is, or nullptr if that is not alive.
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
