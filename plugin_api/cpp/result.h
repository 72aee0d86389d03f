// Result<T>: a value, or the Error with which a call of the ABI ends. A function of a plugin returns it wherever it can
// fail, and does not report: the frame (device.h) does so once, on the way out.
//
//   Result<Program> read_artifact(std::span<const char> bytes);
//
//   BP_ASSIGN(Program program, read_artifact(bytes));  // returns the error if there is one
//   BP_TRY(check(program));                            // the same for a Status, which has no value
//   if (!program.has_code()) {
//     return Error(BP_INVALID, "the program has no code");
//   }
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "backplane/base/status.h"

namespace bp::plugin {

class Error {
 public:
  // status: not BP_OK. message: one sentence that says what was found and what was expected. instruction: the one to
  // blame, an index into the module of the call.
  Error(bp_status status, std::string message, std::uint32_t instruction = BP_NONE)
      : status_(status), instruction_(instruction), message_(std::move(message)) {}

  bp_status status() const { return status_; }
  std::uint32_t instruction() const { return instruction_; }
  const std::string &message() const { return message_; }

  // Puts words in front of the message: "option target: ".
  Error &&with_prefix(std::string_view prefix) && {
    message_.insert(0, prefix);
    return std::move(*this);
  }
  Error &&with_status(bp_status status) && {
    status_ = status;
    return std::move(*this);
  }

 private:
  bp_status status_;
  std::uint32_t instruction_;
  std::string message_;
};

// It is a bug to ask a failure for its value, or a success for its error: std::bad_variant_access is thrown.
template <class T>
class [[nodiscard]] Result {
 public:
  // Takes all that becomes a T, such as a pointer to a derived class.
  template <std::convertible_to<T> Value = T>
    requires(!std::convertible_to<Value, Error>)
  Result(Value &&value) : state_(std::in_place_index<0>, std::forward<Value>(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T &value() & { return std::get<0>(state_); }
  const T &value() const & { return std::get<0>(state_); }
  T &&value() && { return std::get<0>(std::move(state_)); }
  T &operator*() & { return value(); }
  const T &operator*() const & { return value(); }
  T &&operator*() && { return std::move(*this).value(); }
  T *operator->() { return &value(); }
  const T *operator->() const { return &value(); }

  const Error &error() const & { return std::get<1>(state_); }
  Error &&error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error &error() const & { return error_.value(); }
  Error &&error() && { return std::move(error_).value(); }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace bp::plugin

// These macros equal those of core/base/result.h, because tests of plugins include both.
#define BP_CONCAT_INNER(a, b) a##b
#define BP_CONCAT(a, b) BP_CONCAT_INNER(a, b)

// BP_TRY(do_it()); returns the error of do_it() if there is one.
#define BP_TRY(expression)                                \
  do {                                                    \
    if (auto bp_status = (expression); !bp_status.ok()) { \
      return std::move(bp_status).error();                \
    }                                                     \
  } while (false)

// BP_ASSIGN(auto x, make_x()); initializes x with the value, or returns the error.
#define BP_ASSIGN(declaration, expression) BP_ASSIGN_IMPL(BP_CONCAT(bp_result_, __LINE__), declaration, expression)
#define BP_ASSIGN_IMPL(result, declaration, expression) \
  auto result = (expression);                           \
  if (!result.ok()) {                                   \
    return std::move(result).error();                   \
  }                                                     \
  declaration = std::move(result).value()
