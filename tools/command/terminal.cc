#include "tools/command/terminal.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace bp::command {
namespace {

bool wants_colour() {
  static const bool wanted = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  return wanted;
}

bool is_terminal() {
  static const bool terminal = isatty(STDERR_FILENO) != 0;
  return terminal;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_control = (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f;
    shown += is_control ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return shown;
}

std::string shell_word(std::string_view text) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-./,:=+@%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) {
    return std::string(text);
  }
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return quoted + "'";
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string paint(Colour colour, std::string_view text) {
  if (!wants_colour()) {
    return std::string(text);
  }
  int code = 0;
  switch (colour) {
    case Colour::Red: code = 31; break;
    case Colour::Green: code = 32; break;
    case Colour::Yellow: code = 33; break;
    case Colour::Bold: code = 1; break;
  }
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

Progress::Progress(std::string what)
    : what_(std::move(what)), start_(std::chrono::steady_clock::now()), last_(start_) {}

Progress::~Progress() {
  clear();
}

void Progress::clear() const {
  if (shown_ && is_terminal()) {
    fmt::print(stderr, "\r\033[K");
  }
}

void Progress::update(std::size_t done, std::size_t total, std::string_view detail) {
  double elapsed = seconds_since(start_);
  if (elapsed < 1 || (shown_ && seconds_since(last_) < (is_terminal() ? 0.2 : 10))) {
    return;
  }
  last_ = std::chrono::steady_clock::now();
  shown_ = true;
  std::string line = fmt::format("{}: {} of {} ({:.0f} s)  {}", what_, done, total, elapsed, detail);
  if (is_terminal()) {
    fmt::print(stderr, "\r\033[K{}", line.substr(0, 100));
  } else {
    fmt::print(stderr, "{}\n", line);
  }
}

std::string format_bytes(double bytes) {
  if (bytes < 1000) {
    return fmt::format("{:.0f} bytes", bytes);
  }
  const char *units[] = {"KB", "MB", "GB", "TB"};
  int unit = -1;
  do {
    bytes /= 1000;
    ++unit;
  } while (bytes >= 999.5 && unit < 3);
  return fmt::format("{:.{}f} {}", bytes, bytes < 9.995 ? 2 : bytes < 99.95 ? 1 : 0, units[unit]);
}

std::string format_seconds(double seconds) {
  double scaled = seconds;
  for (const char *unit : {"s", "ms", "us"}) {
    if (scaled >= 1 || seconds == 0) {
      return fmt::format("{:.{}f} {}", scaled, scaled < 10 ? 2 : scaled < 100 ? 1 : 0, unit);
    }
    scaled *= 1000;
  }
  return fmt::format("{:.0f} ns", scaled);
}

}  // namespace bp::command
