// Objects: on the server, the objects that the client's ids refer to, and the calls that it receives.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/layers/interposer.h"
#include "core/remote/codec.h"
#include "core/remote/listing.h"

namespace bp::remote {

// A piece of memory that the client refers to by an id.
struct Piece {
  bp_loc_t location;  // as the plugin knows it
  std::byte *host;    // nullptr if this process cannot address it
  std::uint64_t size;
};

class ReceivedMemory;
struct LoadedProgram {
  layers::LayeredProgram *program;
  std::shared_ptr<const ReceivedMemory> constants;  // by allocation, as given to load()
  std::vector<std::uint8_t> taken;                  // by allocation: not 0 if the program has its own copy

  bool has_taken(std::size_t constant) const { return constant < taken.size() && taken[constant] != 0; }
};

// A submit() whose point is not signalled yet: the objects that it uses until then, and where its results will be.
struct Submitted {
  std::shared_ptr<Arena> used;
  std::vector<Item> results;
};

// Threads: all functions may be called from any thread.
class Objects {
 public:
  // `host` is the host that create() passes to devices.
  explicit Objects(const bp_host_t *host) : host_(host) {}
  virtual ~Objects() = default;

  const bp_host_t *host() const { return host_; }
  // Returns the bytes to pass to load() for an artifact that the client got from compile().
  virtual Bytes artifact(Bytes bytes) { return bytes; }

  void add(std::uint64_t id, layers::LayeredDevice *device) { devices_.set(id, device); }
  void add(std::uint64_t id, LoadedProgram program) {
    programs_.set(id, std::make_shared<const LoadedProgram>(std::move(program)));
  }
  void add(std::uint64_t id, Piece piece) { pieces_.set(id, piece); }
  void add(bp_point_t done, Submitted submitted) {
    submitted_.set({done.timeline, done.value}, std::make_shared<const Submitted>(std::move(submitted)));
  }
  // Return the object with an id; take_...() also removes it. Return nullptr or nullopt if there is none.
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

// A call that a server received, or one of a recording that is only listed.
struct ReceivedCall {
  Objects *objects = nullptr;  // nullptr if the call is only listed: then no memory is looked for or made
  std::uint64_t made = 0;      // the client's id of the object that the call makes
  layers::LayeredFactory *factory = nullptr;
  layers::LayeredDevice *device = nullptr;  // of the call, or of its program
  std::shared_ptr<const LoadedProgram> program = nullptr;
  std::shared_ptr<Arena> arena = std::make_shared<Arena>();  // of the arguments
  std::shared_ptr<const ReceivedMemory> constants = nullptr;
  bool wants_results = true;
  std::vector<Item> results = {};  // where the values are that the call computes; without bytes if nobody can read them
};

}  // namespace bp::remote
