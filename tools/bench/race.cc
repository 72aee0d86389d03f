// Runs programs here and on peers, in turn and with the same inputs, and compares times and results.
#include <fmt/core.h>

#include <sched.h>

#include <algorithm>
#include <boost/json.hpp>
#include <boost/process.hpp>
#include <boost/program_options.hpp>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <limits>
#include <optional>

#include "conformance/suite/timing.h"
#include "core/backplane.h"
#include "core/base/files.h"
#include "core/base/thread_pool.h"
#include "core/compile/passes.h"
#include "core/interpreter/random_inputs.h"
#include "core/text/parser.h"
#include "tools/command/terminal.h"

namespace bp::bench {
namespace {

namespace filesystem = std::filesystem;
namespace json = boost::json;
namespace po = boost::program_options;

constexpr const char *description =
    "Times HLO files on a backend and on peers, in turn: here, each peer, here again; the runs alone, without copies\n"
    "to a device and back: the median, the least, and the median distance from the median. Peers get the same inputs,\n"
    "and say how far their results are from ours. On both sides inputs stay where they are between runs, but for\n"
    "those that a program is given to overwrite, which are written again before each; and results have their memory.\n"
    "A peer is KIND:PLATFORM: xla:cpu and xla:gpu need jax, torch:cuda needs torch and knows the programs of\n"
    "tools/bench/gpu by their names.\n";
constexpr const char *examples =
    "Examples:\n"
    "  build/tools/bench_race tools/bench/kernels/*.hlo --python ~/venv/bin/python\n"
    "  build/tools/bench_race tools/bench/kernels/gelu.hlo --threads 1 --python ~/venv/bin/python\n"
    "  build/tools/bench_race tools/bench/kernels/*.hlo --no-fusion --json unfused.json\n"
    "  build/tools/bench_race tools/bench/gpu/*.hlo --on nvptx --peer xla:gpu --peer torch:cuda --json race.json\n";

// A folder for this process, deleted by the destructor.
class ExchangeFolder {
 public:
  ExchangeFolder() : path_(filesystem::temp_directory_path() / fmt::format("backplane-race-{}", ::getpid())) {}
  ~ExchangeFolder() {
    std::error_code ignored;
    filesystem::remove_all(path_, ignored);
  }
  ExchangeFolder(const ExchangeFolder &) = delete;
  ExchangeFolder &operator=(const ExchangeFolder &) = delete;
  Status clear() const {
    std::error_code ignored;
    filesystem::remove_all(path_, ignored);
    return make_directory(path_.string());
  }
  Status write(const std::string &kind, std::size_t number, const Literal &array) const {
    const std::span<const std::byte> bytes = array.bytes();
    return write_file((path_ / fmt::format("{}.{}", kind, number)).string(),
                      {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  }
  std::string path() const { return path_.string(); }

 private:
  filesystem::path path_;
};

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

// Seconds per run: the median, the minimum, and the median deviation from the median.
struct Figures {
  double run = 0, least = 0, spread = 0;

  static Figures of(const std::vector<double> &seconds) {
    Figures figures{median(seconds), *std::ranges::min_element(seconds)};
    std::vector<double> distances;
    std::ranges::transform(seconds, std::back_inserter(distances),
                           [&](double one) { return std::abs(one - figures.run); });
    figures.spread = median(std::move(distances));
    return figures;
  }
};

// Returns the minimum work of a run: bytes of parameters and results, and the operations of dots, by element type.
// Empty for a program with calls, because its entry contains only a part of the work.
json::object work_of(const ir::Module &module) {
  double bytes = static_cast<double>(module.entry().root().shape().byte_size());
  json::object operations;
  for (const ir::Instruction &instruction : module.entry().instructions()) {
    const ir::Shape &shape = instruction.shape();
    if (instruction.opcode() == ir::Opcode::Parameter) {
      bytes += static_cast<double>(shape.byte_size());
    } else if (instruction.opcode() == ir::Opcode::While || instruction.opcode() == ir::Opcode::Call ||
               instruction.opcode() == ir::Opcode::Conditional) {
      return {};
    } else if (instruction.opcode() == ir::Opcode::Dot) {
      const ir::Shape &lhs = instruction.operand(0).shape();
      double count = 2 * static_cast<double>(shape.element_count());
      for (const std::int64_t dimension : instruction.numbers(ir::AttributeKey::LhsContractingDims)) {
        count *= static_cast<double>(lhs.size(static_cast<std::size_t>(dimension)));
      }
      json::value &sum = operations[ir::to_string(lhs.element_type())];
      sum = count + (sum.is_double() ? sum.as_double() : 0);
    }
  }
  return {{"bytes", bytes}, {"operations", std::move(operations)}};
}

// The program, ready to run here.
class Runner {
 public:
  static Result<Runner> make(const std::string &file, const Backend &backend, CompileOptions options,
                             conformance::RunClock &clock) {
    BP_ASSIGN(const std::string text, read_file(file));
    BP_ASSIGN(Module module, text::parse_module(text));
    const auto start = std::chrono::steady_clock::now();
    options.device_only = true;
    BP_ASSIGN(Compiled compiled, backend.compile(module, options));
    const double seconds = command::seconds_since(start);
    if (compiled.executable.program() == nullptr) {
      return make_error(ErrorCode::Unsupported, "{}: the core leaves nothing for the device to do", file);
    }
    BP_ASSIGN(auto timed, conformance::TimedProgram::make(compiled, module, 1, &clock));
    return Runner(std::move(module), std::move(compiled), std::move(timed), seconds);
  }

  // Writes inputs and results as peers read them.
  Status exchange(const ExchangeFolder &folder) const {
    BP_TRY(folder.clear());
    BP_ASSIGN(std::vector<Literal> arguments, interpreter::random_arguments(module_, 1));
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      BP_TRY(folder.write("input", i, arguments[i]));
    }
    BP_ASSIGN(const Literal result, compiled_.executable.run(std::move(arguments)));
    if (result.shape().is_array()) {
      return folder.write("output", 0, result);
    }
    for (std::size_t i = 0; i < result.tuple_elements().size(); ++i) {
      BP_TRY(folder.write("output", i, result.tuple_elements()[i]));
    }
    return {};
  }

  const Module &module() const { return module_; }
  double compile_seconds() const { return compile_seconds_; }
  Status add_runs(int count, std::vector<double> &seconds) const {
    BP_ASSIGN([[maybe_unused]] const auto warm, timed_->run());
    for (int i = 0; i < count; ++i) {
      timed_->restore_donated();
      BP_ASSIGN(const conformance::RunClock::Reading reading, timed_->run());
      seconds.push_back(reading.seconds);
    }
    return {};
  }

 private:
  Runner(Module module, Compiled compiled, std::shared_ptr<conformance::TimedProgram> timed, double compile_seconds)
      : module_(std::move(module)),
        compiled_(std::move(compiled)),
        timed_(std::move(timed)),
        compile_seconds_(compile_seconds) {}

  Module module_;
  Compiled compiled_;
  std::shared_ptr<conformance::TimedProgram> timed_;
  double compile_seconds_;
};

struct Peers {
  std::vector<std::string> names;  // KIND:PLATFORM
  std::string python;              // Python interpreter
  std::string scripts;             // folder of KIND_peer.py
};

// Returns what the peer's script prints: one JSON object, whose field `error` gives the reason if it failed.
json::object ask_peer(const Peers &peers, const std::string &peer, const std::string &file,
                      const ExchangeFolder &folder, int repeat) {
  const std::size_t colon = peer.find(':');
  const std::string &python = peers.python, script = fmt::format("{}/{}_peer.py", peers.scripts, peer.substr(0, colon));
  std::string answer, said;
  try {
    const boost::filesystem::path program =
        python.find('/') == std::string::npos ? boost::process::search_path(python) : python;
    boost::process::ipstream out;
    // As in this process, results get memory that is already mapped.
    boost::process::environment environment = boost::this_process::environment();
    environment["MALLOC_ARENA_MAX"] = "1";
    environment["MALLOC_MMAP_MAX_"] = "0";
    environment["MALLOC_TOP_PAD_"] = "268435456";
    environment["MALLOC_TRIM_THRESHOLD_"] = "100000000000";
    boost::process::child child(program, script, file, folder.path(), peer.substr(colon + 1), std::to_string(repeat),
                                boost::process::std_out > out, boost::process::std_err > boost::process::null,
                                environment);
    for (std::string line; std::getline(out, line);) {
      answer = line;
    }
    child.wait();
  } catch (const std::exception &error) {
    said = error.what();
  }
  json::error_code failure;
  json::value value = json::parse(answer, failure);
  if (failure || !value.is_object()) {
    return {{"error", fmt::format("{} {} printed no JSON object as its last line: {}", python, script, said)}};
  }
  return std::move(value.as_object());
}

double number(const json::object &object, std::string_view key) {
  const json::value *value = object.if_contains(key);
  return value != nullptr && value->is_number() ? value->to_number<double>() : std::numeric_limits<double>::quiet_NaN();
}

void print_row(std::string_view program, std::string_view on, const Figures &figures, double compile_seconds,
               std::string_view beside_ours) {
  fmt::print("{:<28} {:<12} {:>10} {:>10} {:>10} {:>10}{}\n", program, on, command::format_seconds(figures.run),
             command::format_seconds(figures.least), command::format_seconds(figures.spread),
             command::format_seconds(compile_seconds), beside_ours);
}

// Runs one program here and on all peers. Prints a line for each, and returns the same data.
Result<json::object> race(const std::string &file, const Backend &backend, const CompileOptions &options,
                          conformance::RunClock &clock, const Peers &peers, int repeat) {
  const std::string name = filesystem::path(file).stem();
  BP_ASSIGN(const Runner runner, Runner::make(file, backend, options, clock));
  const ExchangeFolder folder;
  BP_TRY(runner.exchange(folder));
  std::vector<double> seconds;
  BP_TRY(runner.add_runs(repeat, seconds));
  json::array answers;
  for (const std::string &peer : peers.names) {
    json::object answer = ask_peer(peers, peer, file, folder, repeat);
    answer["peer"] = peer;
    answers.push_back(std::move(answer));
    BP_TRY(runner.add_runs(repeat, seconds));
  }
  const Figures ours = Figures::of(seconds);
  print_row(name, "ours", ours, runner.compile_seconds(), "");
  for (const json::value &value : answers) {
    const json::object &answer = value.as_object();
    const std::string peer(answer.at("peer").as_string());
    if (const json::value *error = answer.if_contains("error")) {
      fmt::print("{:<28} {:<12} {}\n", "", peer, std::string(error->as_string()));
      continue;
    }
    const Figures theirs{number(answer, "run_seconds"), number(answer, "least_seconds"),
                         number(answer, "spread_seconds")};
    const double compile_seconds = number(answer, "compile_seconds");
    print_row(
        "", peer, theirs, compile_seconds,
        fmt::format(" {:>8.2f} x {:>8.2f} x {:>8.2f} x {:>11.1e}", theirs.run / ours.run, theirs.least / ours.least,
                    compile_seconds / runner.compile_seconds(), number(answer, "difference")));
  }
  std::fflush(stdout);
  return json::object{{"program", name},
                      {"run_seconds", ours.run},
                      {"least_seconds", ours.least},
                      {"spread_seconds", ours.spread},
                      {"compile_seconds", runner.compile_seconds()},
                      {"work", work_of(runner.module())},
                      {"peers", std::move(answers)}};
}

// Pins this process, and those that it starts, to the first `count` of the processors available to it.
bool pin(int count) {
  cpu_set_t allowed, chosen;
  CPU_ZERO(&chosen);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) {
    return false;
  }
  for (int i = 0; i < CPU_SETSIZE && count > 0; ++i) {
    if (CPU_ISSET(i, &allowed)) {
      CPU_SET(i, &chosen);
      --count;
    }
  }
  return count == 0 && sched_setaffinity(0, sizeof(chosen), &chosen) == 0;
}

int misuse(std::string_view problem) {
  fmt::print(stderr, "bench_race: {}; see bench_race --help\n", problem);
  return 2;
}

using Names = std::vector<std::string>;  // the values of an option that may be given several times

po::options_description visible_options() {
  po::options_description options("Options");
  options.add_options()("help", "this text")("on", po::value<std::string>()->default_value("cpu"), "backend")(
      "set", po::value<Names>()->composing()->default_value({}, ""),
      "a setting of the backend, NAME=VALUE; may be repeated")("no-fusion", "do not fuse instructions here")(
      "disable-pass", po::value<Names>()->composing()->default_value({}, ""),
      "leave out a pass here that backplane opt --list names; may be repeated")(
      "peer", po::value<Names>()->composing()->default_value({"xla:cpu"}, "xla:cpu"), "KIND:PLATFORM; may be repeated")(
      "python", po::value<std::string>()->default_value("python3"),
      "a Python interpreter that has the packages of the peers")(
      "scripts", po::value<std::string>()->default_value("tools/bench"), "the folder with the scripts that run peers")(
      "threads", po::value<int>()->default_value(0, ""),
      "number of processors, the first ones, to which both sides are pinned; default: all")(
      "repeat", po::value<int>()->default_value(11), "consecutive runs at each turn of a side")(
      "json", po::value<std::string>(), "write the figures to this file");
  return options;
}

// Adds the settings NAME=VALUE to the options. Returns what is wrong with one of them, if anything.
std::optional<std::string> read_settings(const Names &settings, BackendOptions &options) {
  for (const std::string &setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return fmt::format("--set is '{}', expected NAME=VALUE", setting);
    }
    options.settings.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  return std::nullopt;
}

// Adds the figures of each program, or its error, to the results. Returns whether all of them ran.
bool race_all(const Names &files, const Backend &backend, const CompileOptions &options, conformance::RunClock &clock,
              const Peers &peers, int repeat, json::array &results) {
  bool all_ran = true;
  for (const std::string &file : files) {
    Result<json::object> result = race(file, backend, options, clock, peers, repeat);
    if (!result.ok()) {
      all_ran = false;
      fmt::print(stderr, "bench_race: {}: {}\n", file, result.error().to_string());
      results.push_back(
          json::object{{"program", std::string(filesystem::path(file).stem())}, {"error", result.error().to_string()}});
      continue;
    }
    results.push_back(std::move(*result));
  }
  return all_ran;
}

int main(int argc, char **argv) {
  const po::options_description options = visible_options();
  po::options_description hidden;
  hidden.add_options()("file", po::value<Names>()->composing());
  po::options_description all;
  all.add(options).add(hidden);
  po::positional_options_description positional;
  positional.add("file", -1);
  po::variables_map values;
  try {
    po::store(po::command_line_parser(argc, argv).options(all).positional(positional).run(), values);
  } catch (const po::error &error) {
    return misuse(error.what());
  }
  if (values.count("help") != 0) {
    std::cout << "Usage: build/tools/bench_race FILES... [options]\n" << description << options << examples;
    return 0;
  }
  if (values.count("file") == 0) {
    return misuse("no file is given");
  }
  const int repeat = values["repeat"].as<int>();
  if (repeat < 1) {
    return misuse(fmt::format("--repeat is {}, expected at least 1", repeat));
  }
  const int threads = values["threads"].as<int>();
  if (threads < 0 || (threads > 0 && !pin(threads))) {
    return misuse(fmt::format("--threads is {}, expected at least 1, and no more than there are processors", threads));
  }
  ThreadPool pool(static_cast<std::uint32_t>(threads));
  const Peers peers{values["peer"].as<Names>(), values["python"].as<std::string>(),
                    values["scripts"].as<std::string>()};
  for (const std::string &peer : peers.names) {
    if (!peer.starts_with("xla:") && !peer.starts_with("torch:")) {
      return misuse(fmt::format("--peer is '{}', expected xla:PLATFORM or torch:PLATFORM", peer));
    }
  }
  BackendOptions backend_options;
  if (const auto problem = read_settings(values["set"].as<Names>(), backend_options)) {
    return misuse(*problem);
  }
  CompileOptions compile_options;
  compile_options.fuse = values.count("no-fusion") == 0;
  compile_options.disabled_passes = values["disable-pass"].as<Names>();
  if (const Status status = compile::check_disabled(compile_options.disabled_passes); !status.ok()) {
    return misuse("--disable-pass: " + status.error().message());
  }
  backend_options.threads = &pool;
  conformance::RunClock clock;
  backend_options.layers.push_back(clock.layer());
  const Result<Backend> backend = Backend::load(values["on"].as<std::string>(), backend_options);
  if (!backend.ok()) {
    fmt::print(stderr, "bench_race: {}\n", backend.error().to_string());
    return 3;
  }
  fmt::print("{:<28} {:<12} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>11}\n", "program", "on", "run", "least",
             "spread", "compile", "run / ours", "least /", "compile /", "difference");
  json::array results;
  const bool all_ran = race_all(values["file"].as<Names>(), *backend, compile_options, clock, peers, repeat, results);
  if (values.count("json") != 0) {
    if (const Status written = write_file(values["json"].as<std::string>(), json::serialize(results) + "\n");
        !written.ok()) {
      fmt::print(stderr, "bench_race: {}\n", written.error().to_string());
      return 3;
    }
  }
  return all_ran ? 0 : 3;
}

}  // namespace
}  // namespace bp::bench

int main(int argc, char **argv) {
  return bp::bench::main(argc, argv);
}
