// The text form of protocol buffers: fields by name, `name: value`, `name { fields }`, as
// https://protobuf.dev/reference/protobuf/textformat-spec describes it. Read field by field, without a tree: what a
// field means is the caller's business.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace bp::import::protobuf {

class TextReader {
 public:
  // Maximum nesting depth of messages, as of the wire format.
  static constexpr std::size_t max_depth = 100;

  struct Event {
    enum class Kind {
      Message,  // a field that is a message begins: its fields follow, then its MessageEnd
      MessageEnd,
      Integer,
      Real,
      Text,  // a quoted string, without quotes and escapes
      Name,  // a name of an enumeration, true, false
      End,   // of the text
    };
    Kind kind = Kind::End;
    std::string_view name;  // of the field, or of the extension in brackets; each element of a list has it
    std::int64_t integer = 0;
    double real = 0;                     // of Integer as well; integers beyond 64 bits are Real
    std::string text;                    // of Text and Name
    std::uint32_t line = 1, column = 1;  // where the field begins; of an element of a list: the element
  };

  // `text` must outlive the reader; `file` is for messages.
  TextReader(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  // Returns the next field, the end of the innermost message that is open, or the end of the text.
  Result<Event> next();
  // Reads to the end of the message that was opened last.
  Status skip_message();

  // Returns where an event is, for errors.
  SourceLocation location(const Event &event) const { return {file_, event.line, event.column, {}}; }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool at_end() const { return at_ >= text_.size(); }
  void advance();
  void skip_space();
  bool take(char c);
  template <class... Args>
  Error error(fmt::format_string<Args...> format, Args &&...args) const {
    return invalid_input(format, std::forward<Args>(args)...).at({file_, line_, column_, {}}).in(text_);
  }
  std::string found() const;  // for messages: what stands here
  std::string_view take_identifier();
  Result<std::string_view> field_name();
  Status value(Event &event);
  Status string(std::string &result);
  Status escape(std::string &result);
  Status number(Event &event, bool is_negative);

  std::string_view text_;
  std::string file_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1, column_ = 1;
  struct List {
    bool is_open = false, has_elements = false;
    std::string_view name;  // of its field
  };
  struct Open {
    char closer;  // } or >
    List list;    // of which the message is an element
  };
  std::vector<Open> open_;  // messages
  List list_;               // in the innermost message
};

}  // namespace bp::import::protobuf
