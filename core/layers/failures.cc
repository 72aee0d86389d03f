#include "core/layers/failures.h"

#include <type_traits>

namespace bp::layers {
namespace {

constexpr bool fallible[] = {
#define BP_ABI_FUNCTION(object, table, name, tag, loss, result, parameters, arguments, roles) \
  std::is_same_v<result, bp_status> || std::is_pointer_v<result>,
#include "core/layers/abi.def"
#undef BP_ABI_FUNCTION
};

// Returns the sink among the arguments of a function that has one; it is the last argument.
const bp_diag_t *sink() {
  return nullptr;
}
template <class... Rest>
const bp_diag_t *sink(const bp_diag_t *diag, const Rest &...) {
  return diag;
}
template <class First, class... Rest>
const bp_diag_t *sink(const First &, const Rest &...rest) {
  return sink(rest...);
}

class FailureLayer final : public Interposer {
 public:
  FailureLayer(std::unique_ptr<host::Entry> below, std::shared_ptr<Failure> failure)
      : Interposer(std::move(below)), failure_(std::move(failure)) {}

#define BP_ABI_FUNCTION(object, table, name, tag, loss, result, parameters, arguments, roles)   \
  result table##_##name(Layered##object &object##_ BP_LAYERED_PARAMETERS parameters) override { \
    if constexpr (fallible[static_cast<std::size_t>(Function::table##_##name)]) {               \
      if (strikes(Function::table##_##name, sink arguments)) {                                  \
        return failed<result>();                                                                \
      }                                                                                         \
    }                                                                                           \
    return Interposer::table##_##name(object##_ BP_LAYERED_PARAMETERS arguments);               \
  }
#include "core/layers/abi.def"
#undef BP_ABI_FUNCTION

 private:
  bool strikes(Function function, const bp_diag_t *diag) {
    Failure &failure = *failure_;
    if (failure.is_loss ? !is_lost_with_device(function) : function != failure.function) {
      return false;
    }
    // Whether a wait is necessary depends on timing, so waits do not count.
    const bool counts = !failure.is_loss || function != Function::native_sync_wait;
    const std::uint64_t call = failure.calls += counts ? 1 : 0;
    if (call < failure.call || (call > failure.call && !failure.is_loss)) {
      return false;
    }
    if (diag != nullptr && !failure.is_silent) {
      diag->report(diag, status(), BP_NONE, "this call was made to fail");
    }
    return true;
  }
  bp_status status() const { return failure_->is_loss ? BP_DEVICE_LOST : failure_->status; }
  template <class R>
  R failed() const {
    if constexpr (std::is_same_v<R, bp_status>) {
      return status();
    } else {
      return nullptr;
    }
  }

  std::shared_ptr<Failure> failure_;
};

}  // namespace

bool is_fallible(Function function) {
  return fallible[static_cast<std::size_t>(function)];
}

host::Layer failure_layer(std::shared_ptr<Failure> failure) {
  return [failure = std::move(failure)](std::unique_ptr<host::Entry> below) {
    return std::make_unique<FailureLayer>(std::move(below), failure);
  };
}

}  // namespace bp::layers
