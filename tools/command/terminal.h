// Terminal output: colours only if the terminal supports them and the user wants them; progress of steps that take
// longer than a second.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace bp::command {

enum class Colour { Red, Green, Yellow, Bold };

// Returns the text in that colour if standard output is a terminal and NO_COLOR is not set, otherwise the plain text.
std::string paint(Colour colour, std::string_view text);

// Prints the progress of a long step on standard error, at most every 0.2 s on a terminal and every 10 s otherwise, and
// nothing in the first second. The destructor clears the line.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  // Reports that `done` of `total` are finished. `detail`: what is being processed.
  void update(std::size_t done, std::size_t total, std::string_view detail);
  // Removes the line from a terminal, so that other output can follow.
  void clear() const;

 private:
  std::string what_;
  std::chrono::steady_clock::time_point start_, last_;
  bool shown_ = false;
};

// Replaces control characters except line ends and tabs by \xNN, so that the content of a file cannot control the
// terminal.
std::string printable(std::string_view text);

// Returns the text as one word of a shell's command line, in quotes where it needs them.
std::string shell_word(std::string_view text);

double seconds_since(std::chrono::steady_clock::time_point start);

// Returns "1.5 GB", "312 KB", "40 bytes": powers of ten, three digits.
std::string format_bytes(double bytes);
// Returns "1.24 s", "83.1 ms", "640 ns".
std::string format_seconds(double seconds);

}  // namespace bp::command
