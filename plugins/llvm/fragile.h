// Owners of LLVM objects for code in which memory may run out. LLVM is built without exceptions: an exception that
// passes through it, for example from operator new, leaves the object it was working on in an undefined state, so that
// the destructor may crash.
#pragma once

#include <exception>
#include <memory>

#include "plugins/llvm/supported_llvm.h"

namespace bp::emit {

struct DeleteUnlessUnwinding {
  template <class T>
  void operator()(T *object) const {
    if (std::uncaught_exceptions() == 0) {
      delete object;
    }
  }
};

// Owns an object. If an exception ends its scope, the object is leaked instead of destroyed.
template <class T>
using Fragile = std::unique_ptr<T, DeleteUnlessUnwinding>;

template <class T, class... Arguments>
Fragile<T> make_fragile(Arguments &&...arguments) {
  return Fragile<T>(new T(std::forward<Arguments>(arguments)...));
}

// Makes LLVM throw std::bad_alloc when malloc() fails, instead of ending the process. Every user of LLVM must call it
// before each use, because the plugin that installed the handler last may be unloaded.
void throw_when_out_of_memory();

}  // namespace bp::emit
