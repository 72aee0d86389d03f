// States of foreign functions: objects that they make when a program is compiled, and have until it is gone.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/ir/module.h"

namespace bp::pjrt {

// The state of one call. `deleter` is the one of its type; nullptr: nothing has to be done at the end.
struct ForeignState {
  std::int64_t type_id = 0;
  void *object = nullptr;
  void (*deleter)(void *object) = nullptr;

  ForeignState() = default;
  ForeignState(const ForeignState &) = delete;
  ~ForeignState() {
    if (deleter != nullptr) {
      deleter(object);
    }
  }
};

// The states of a program. Calls of the same function with the same attributes share one.
class ForeignStates {
 public:
  // Returns nullptr if there is none.
  ForeignState *find(const ir::Instruction &call) const;
  void add(const ir::Instruction &call, std::unique_ptr<ForeignState> state);

 private:
  std::map<std::string, std::unique_ptr<ForeignState>> states_;
};

}  // namespace bp::pjrt
