#include "conformance/suite/process_state.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <climits>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <filesystem>

namespace bp::conformance {

ProcessState look_at_process() {
  ProcessState state;
  const char *locale = std::setlocale(LC_ALL, nullptr);
  state["the locale"] = locale == nullptr ? "" : locale;
  std::error_code ignored;
  state["the working directory"] = std::filesystem::current_path(ignored);
  const mode_t mask = umask(0);
  umask(mask);
  state["the mask of new files"] = fmt::format("{:o}", mask);
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action{};
    if (sigaction(signal, nullptr, &action) == 0) {
      state[fmt::format("the handler of signal {}", signal)] =
          fmt::format("{:#x}", reinterpret_cast<std::uintptr_t>(action.sa_handler));
    }
  }
  for (char **variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string text = *variable;
    state["the environment variable " + text.substr(0, text.find('='))] = text;
  }
  return state;
}

std::string difference(const ProcessState &before, const ProcessState &after) {
  const auto shown = [](const ProcessState &state, const std::string &key) {
    const auto found = state.find(key);
    return found == state.end() ? "absent" : "'" + found->second + "'";
  };
  ProcessState all = before;
  all.insert(after.begin(), after.end());
  for (const auto &[key, value] : all) {
    const std::string was = shown(before, key), is = shown(after, key);
    if (was != is) {
      return fmt::format("{} was {}, and is {}", key, was, is);
    }
  }
  return {};
}

std::uint64_t fingerprint_of_process() {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](std::uint64_t number) { hash = (hash ^ number) * 0x100000001b3; };
  const auto add_text = [&](const char *text) {
    for (; text != nullptr && *text != 0; ++text) {
      add(static_cast<unsigned char>(*text));
    }
    add(0);
  };
  add_text(std::setlocale(LC_ALL, nullptr));
  char folder[PATH_MAX];
  add_text(getcwd(folder, sizeof folder));
  const mode_t mask = umask(0);
  umask(mask);
  add(mask);
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action{};
    add(sigaction(signal, nullptr, &action) == 0 ? reinterpret_cast<std::uintptr_t>(action.sa_handler) : 1);
  }
  for (char **variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    add_text(*variable);
  }
  add(fingerprint_of_thread());
  return hash;
}

std::uint64_t fingerprint_of_thread() {
  const auto rounding = static_cast<std::uint64_t>(std::fegetround());
#if defined(__x86_64__)
  return rounding << 32 | (__builtin_ia32_stmxcsr() & ~std::uint32_t{0x3f});  // without the exceptions that occurred
#else
  return rounding;
#endif
}

std::int64_t output_size() {
  std::fflush(nullptr);
  struct stat facts{};
  return fstat(STDOUT_FILENO, &facts) == 0 && S_ISREG(facts.st_mode) ? facts.st_size : 0;
}

std::string output_after(std::int64_t size) {
  constexpr std::int64_t most = 300;
  std::string text(static_cast<std::size_t>(std::clamp<std::int64_t>(output_size() - size, 0, most)), '\0');
  const ssize_t found = pread(STDOUT_FILENO, text.data(), text.size(), size);
  text.resize(found < 0 ? 0 : static_cast<std::size_t>(found));
  return text;
}

}  // namespace bp::conformance
