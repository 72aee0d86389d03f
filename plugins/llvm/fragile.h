// LLVM's objects where memory may end. LLVM is built without exceptions: one that passes through it, as when operator
// new throws, leaves what it was working on in any state, so that a destructor may crash.
#pragma once

#include <exception>
#include <memory>

namespace bp::emit {

struct DeleteUnlessUnwinding {
  template <class T>
  void operator()(T *object) const {
    if (std::uncaught_exceptions() == 0) {
      delete object;
    }
  }
};

// What an exception takes away is given up, with its memory, and not destroyed.
template <class T>
using Fragile = std::unique_ptr<T, DeleteUnlessUnwinding>;

template <class T, class... Arguments>
Fragile<T> make_fragile(Arguments &&...arguments) {
  return Fragile<T>(new T(std::forward<Arguments>(arguments)...));
}

// Has LLVM throw std::bad_alloc where malloc() gives it nothing, instead of ending the process. To be called by whoever
// is about to use LLVM, each time: the plugin that was asked last may be gone.
void throw_when_out_of_memory();

}  // namespace bp::emit
