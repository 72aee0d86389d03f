// What a person sees: colours only on a terminal that wants them, and progress on steps that take longer than a second.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace bp::command {

enum class Colour { Red, Green, Yellow, Bold };

// The text in that colour if standard output is a terminal and NO_COLOR is not set; else the text.
std::string paint(Colour colour, std::string_view text);

// Tells on standard error how far a long step is, at most every 0.2 s on a terminal and every 10 s otherwise, and says
// nothing in its first second. The destructor clears the line.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  // done of total; detail: what it is at now.
  void update(std::size_t done, std::size_t total, std::string_view detail);

 private:
  std::string what_;
  std::chrono::steady_clock::time_point start_, last_;
  bool shown_ = false;
};

// Control characters but line ends and tabs as \xNN: what stands in a file gives no commands to a terminal.
std::string printable(std::string_view text);

double seconds_since(std::chrono::steady_clock::time_point start);

// "1.5 GB", "312 KB", "40 bytes": powers of ten, three digits.
std::string format_bytes(double bytes);
// "1.24 s", "83.1 ms", "640 ns".
std::string format_seconds(double seconds);

}  // namespace bp::command
