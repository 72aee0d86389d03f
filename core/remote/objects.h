// Objects: on the side that calls are carried to, what the caller's numbers stand for.
#pragma once

#include <boost/align/aligned_allocator.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/layers/interposer.h"
#include "core/remote/listing.h"
#include "core/remote/wire.h"

namespace bp::remote {

// Memory of ours, as aligned as modules and buffers are.
using Block = std::vector<std::byte, boost::alignment::aligned_allocator<std::byte, 64>>;

// A piece of memory that the caller knows by a number.
struct Piece {
  bp_loc_t location;  // for the plugin
  std::byte *host;    // null if we cannot address it
  std::uint64_t size;
};

class Places;
struct LoadedProgram {
  layers::LayeredProgram *program;
  std::shared_ptr<const Places> constants;  // by allocation, as given to load()
  std::vector<std::uint8_t> taken;          // the program has its own copy

  bool has_taken(std::size_t constant) const { return constant < taken.size() && taken[constant] != 0; }
};

// What a submit() uses until its point is signalled, and what then came of it.
struct Submitted {
  virtual ~Submitted() = default;
  virtual std::vector<Item> results() const = 0;
};

// Threads: all functions from any thread.
class Objects {
 public:
  // What create() gives to devices.
  explicit Objects(const bp_host_t *host) : host_(host) {}
  virtual ~Objects() = default;

  const bp_host_t *host() const { return host_; }
  // The bytes for load(), given those that the caller had from compile().
  virtual Bytes artifact(Bytes bytes) { return bytes; }

  void add(std::uint64_t id, layers::LayeredDevice *device) { devices_.set(id, device); }
  void add(std::uint64_t id, LoadedProgram program) {
    programs_.set(id, std::make_shared<const LoadedProgram>(std::move(program)));
  }
  void add(std::uint64_t id, Piece piece) { pieces_.set(id, piece); }
  void add(bp_point_t done, std::shared_ptr<const Submitted> submitted) {
    submitted_.set({done.timeline, done.value}, std::move(submitted));
  }
  // Null, empty or nothing if there is none.
  layers::LayeredDevice *device(std::uint64_t id) const { return devices_.find(id).value_or(nullptr); }
  std::shared_ptr<const LoadedProgram> program(std::uint64_t id) const { return programs_.find(id).value_or(nullptr); }
  std::optional<Piece> piece(std::uint64_t id) const { return pieces_.find(id); }
  layers::LayeredDevice *take_device(std::uint64_t id) { return devices_.take(id).value_or(nullptr); }
  std::shared_ptr<const LoadedProgram> take_program(std::uint64_t id) { return programs_.take(id).value_or(nullptr); }
  std::optional<Piece> take_piece(std::uint64_t id) { return pieces_.take(id); }
  std::shared_ptr<const Submitted> take_submitted(bp_point_t done) {
    return submitted_.take({done.timeline, done.value}).value_or(nullptr);
  }

 private:
  template <class Key, class Value>
  class Table {
   public:
    void set(Key key, Value value) {
      const std::lock_guard lock(mutex_);
      values_.insert_or_assign(std::move(key), std::move(value));
    }
    std::optional<Value> find(const Key &key) const {
      const std::lock_guard lock(mutex_);
      const auto found = values_.find(key);
      return found == values_.end() ? std::nullopt : std::optional(found->second);
    }
    std::optional<Value> take(const Key &key) {
      const std::lock_guard lock(mutex_);
      auto node = values_.extract(key);
      return node.empty() ? std::nullopt : std::optional(std::move(node.mapped()));
    }

   private:
    mutable std::mutex mutex_;
    std::map<Key, Value> values_;
  };

  const bp_host_t *host_;
  Table<std::uint64_t, layers::LayeredDevice *> devices_;
  Table<std::uint64_t, std::shared_ptr<const LoadedProgram>> programs_;
  Table<std::uint64_t, Piece> pieces_;
  Table<std::pair<std::uint64_t, std::uint64_t>, std::shared_ptr<const Submitted>> submitted_;
};

// A call that has come: where it goes.
struct Arrival {
  Objects &objects;
  std::uint64_t made = 0;  // how the caller knows what the call makes
  layers::LayeredFactory *factory = nullptr;
  layers::LayeredDevice *device = nullptr;  // of the call, or of its program
  std::shared_ptr<const LoadedProgram> program;
};

}  // namespace bp::remote
