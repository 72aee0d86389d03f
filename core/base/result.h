// Result<T>: a value, or an Error that tells what was found, what was expected and where.
// Errors are returned to the caller and collect notes about the context; only bugs of this code base abort the process
// (check.h).
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/check.h"

namespace bp {

enum class ErrorCode {
  InvalidInput,      // the bytes, text or arguments given by the user are wrong
  NotFound,          // a file, plugin, pass or name does not exist
  Unsupported,       // understood, but not supported by Backplane or by the plugin
  OutOfMemory,       // would exceed the memory or a limit on sizes
  DoesNotFit,        // a program needs more memory than it was given, or than the device has
  PluginFailure,     // a plugin violated a rule of the ABI, or reported a failure
  DeviceLost,        // a device, or the process of an isolated one, is gone: load the backend again
  Io,                // the system refused a file operation
  Internal,          // a bug of this code base that was detected
  Cancelled,         // the caller wished the work to end (cancellation.h)
  DeadlineExceeded,  // the work was not done by its deadline
};

std::string_view to_string(ErrorCode code);

// A location in a text that the user gave. line and column count from 1; 0: unknown.
struct SourceLocation {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string line_text;  // the whole line, shown above the caret; empty if not known
};

class Error {
 public:
  Error(ErrorCode code, std::string message) : data_(new Data{code, std::move(message), {}, {}}) {}
  Error(const Error &other) : data_(new Data(*other.data_)) {}
  Error(Error &&) noexcept = default;
  Error &operator=(Error other) noexcept {
    data_ = std::move(other.data_);
    return *this;
  }

  ErrorCode code() const { return data_->code; }
  const std::string &message() const { return data_->message; }
  const SourceLocation &location() const { return data_->location; }
  const std::vector<std::string> &notes() const { return data_->notes; }

  // Sets the location. The first call wins: its location is the closest to the cause.
  Error &&at(SourceLocation location) &&;
  // Adds the source line of the location, shown with the caret. `text` is the text of the whole file.
  Error &&in(std::string_view text) &&;
  // Adds a line of context. Notes are ordered from the innermost outwards: "while loading plugin 'acme'".
  Error &&note(std::string text) &&;

  // Returns "file:line:column: message", the source line with a caret, then one line "  note: ..." per note. Without a
  // final newline.
  std::string to_string() const;

 private:
  struct Data {
    ErrorCode code;
    std::string message;
    SourceLocation location;
    std::vector<std::string> notes;
  };
  std::unique_ptr<Data> data_;  // a single pointer, so that Result<T> stays small
};

template <class... Args>
Error make_error(ErrorCode code, fmt::format_string<Args...> format, Args &&...args) {
  return Error(code, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
Error invalid_input(fmt::format_string<Args...> format, Args &&...args) {
  return Error(ErrorCode::InvalidInput, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
Error unsupported(fmt::format_string<Args...> format, Args &&...args) {
  return Error(ErrorCode::Unsupported, fmt::format(format, std::forward<Args>(args)...));
}

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T &value() & {
    BP_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  const T &value() const & {
    BP_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  T &&value() && {
    BP_CHECK(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  T &operator*() & { return value(); }
  const T &operator*() const & { return value(); }
  T &&operator*() && { return std::move(*this).value(); }
  T *operator->() { return &value(); }
  const T *operator->() const { return &value(); }

  const Error &error() const & {
    BP_CHECK(!ok());
    return *std::get_if<1>(&state_);
  }
  Error &&error() && {
    BP_CHECK(!ok());
    return std::move(*std::get_if<1>(&state_));
  }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::make_unique<Error>(std::move(error))) {}

  bool ok() const { return error_ == nullptr; }
  explicit operator bool() const { return ok(); }
  const Error &error() const & {
    BP_CHECK(!ok());
    return *error_;
  }
  Error &&error() && {
    BP_CHECK(!ok());
    return std::move(*error_);
  }

 private:
  std::unique_ptr<Error> error_;
};

using Status = Result<void>;

}  // namespace bp

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
