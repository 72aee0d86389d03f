// A fault: functions that run in place of those of a plugin, one for each row of core/layers/abi.def and one for each
// function of the library's entry.
#pragma once

#include <functional>
#include <tuple>
#include <utility>

#include "core/layers/interposer.h"

namespace bp::conformance {

// The plugin's own function. Called without arguments, it gets those of the fault's function; a fault that changes one
// of them passes all.
template <class Signature>
class Next;
template <class Returned, class... Parameters>
class Next<Returned(Parameters...)> {
 public:
  explicit Next(std::function<Returned(Parameters...)> function, Parameters... given)
      : function_(std::move(function)), given_(given...) {}
  Returned operator()() const { return std::apply(function_, given_); }
  Returned operator()(Parameters... changed) const
    requires(sizeof...(Parameters) > 0)
  {
    return function_(changed...);
  }

 private:
  std::function<Returned(Parameters...)> function_;
  std::tuple<Parameters...> given_;
};

// An empty function leaves the plugin's function as it is. Functions of the ABI also get the object they are called on.
struct Fault {
  std::function<bp_status(const Next<bp_status()> &next)> entry_init = {};
  std::function<void(const Next<void()> &next)> entry_deinit = {};
  std::function<const void *(const Next<const void *(const char *id)> &next, const char *id)> entry_get_factory = {};
#define BP_ABI_FUNCTION(object, table, name, tag, loss, result, parameters, arguments, roles) \
  std::function<result(const Next<result parameters> &next,                                   \
                       layers::Layered##object &object##_ BP_LAYERED_PARAMETERS parameters)>  \
      table##_##name = {};
#include "core/layers/abi.def"
#undef BP_ABI_FUNCTION
};

}  // namespace bp::conformance
