// Runs programs here and on peers, in turn and with the same inputs, and compares times and results.
#include <fmt/core.h>

#include <sched.h>

#include <algorithm>
#include <boost/json.hpp>
#include <boost/program_options.hpp>
#include <filesystem>
#include <iostream>
#include <limits>
#include <optional>

#include "conformance/suite/timing.h"
#include "core/backplane.h"
#include "core/base/files.h"
#include "core/base/thread_pool.h"
#include "core/compile/passes.h"
#include "tools/bench/race_sides.h"
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
    "A peer is KIND:PLATFORM. xla:cpu and xla:gpu need jax. torch:cuda needs torch and knows the programs of\n"
    "tools/bench/gpu by their names. onnxruntime:cpu needs onnxruntime and onnx, tvm:cpu needs apache-tvm and onnx,\n"
    "and both know the nets of tools/bench/onnx_nets.py by their names. Two peers run in this process: "
    "backplane:no-fusion is this backend without\n"
    "fusion, and c:LIBRARY the function with the program's name in a shared library, as in\n"
    "tools/bench/evidence_kernels.c.\n";
constexpr const char *examples =
    "Examples:\n"
    "  build/tools/bench_race tools/bench/kernels/*.hlo --python ~/venv/bin/python\n"
    "  build/tools/bench_race tools/bench/kernels/gelu.hlo --threads 1 --python ~/venv/bin/python\n"
    "  build/tools/bench_race tools/bench/kernels/*.hlo --no-fusion --json unfused.json\n"
    "  build/tools/bench_race tools/bench/kernels/*.hlo --peer backplane:no-fusion --turns 5 --repeat 3\n"
    "  build/tools/bench_race tools/bench/gpu/*.hlo --on nvptx --peer xla:gpu --peer torch:cuda --json race.json\n";

using Names = std::vector<std::string>;  // the values of an option that may be given several times

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

double number(const json::object &object, std::string_view key) {
  const json::value *value = object.if_contains(key);
  return value != nullptr && value->is_number() ? value->to_number<double>() : std::numeric_limits<double>::quiet_NaN();
}

void print_row(std::string_view program, std::string_view on, const Figures &figures, double compile_seconds,
               std::string_view beside_ours) {
  fmt::print("{:<28} {:<20} {:>10} {:>10} {:>10} {:>10}{}\n", program, on, command::format_seconds(figures.run),
             command::format_seconds(figures.least), command::format_seconds(figures.spread),
             command::format_seconds(compile_seconds), beside_ours);
}

// A peer of one program: its runs, or why there are none.
struct Peer {
  std::string name;  // KIND:PLATFORM
  std::unique_ptr<Side> side;
  std::vector<double> seconds;
  std::string problem;

  void take_turn(int repeat) {
    if (side == nullptr) {
      return;
    }
    if (const Status status = side->add_runs(repeat, seconds); !status.ok()) {
      problem = status.error().message();
      side = nullptr;
    }
  }
};

// Prints a line about a peer, and returns the same data.
json::object report(const Peer &peer, const Figures &ours, double our_compile_seconds) {
  if (peer.side == nullptr) {
    fmt::print("{:<28} {:<20} {}\n", "", peer.name, peer.problem);
    return {{"peer", peer.name}, {"error", peer.problem}};
  }
  json::object fields = peer.side->about();
  const Figures theirs = Figures::of(peer.seconds);
  const double compile_seconds = number(fields, "compile_seconds");
  print_row("", peer.name, theirs, compile_seconds,
            fmt::format(" {:>8.2f} x {:>8.2f} x {:>8.2f} x {:>11.1e}", theirs.run / ours.run, theirs.least / ours.least,
                        compile_seconds / our_compile_seconds, number(fields, "difference")));
  fields["peer"] = peer.name;
  fields["run_seconds"] = theirs.run;
  fields["least_seconds"] = theirs.least;
  fields["spread_seconds"] = theirs.spread;
  return fields;
}

// Runs one program here and on all peers. Prints a line for each, and returns the same data.
Result<json::object> race(const std::string &file, const Setting &setting, const Names &peer_names, int repeat,
                          int turns) {
  const std::string name = filesystem::path(file).stem();
  BP_ASSIGN(const std::unique_ptr<Ours> our_side, Ours::make(file, setting));
  std::vector<Peer> peers;
  for (const std::string &peer_name : peer_names) {
    Result<std::unique_ptr<Side>> side = make_peer(peer_name, file, *our_side, setting);
    peers.push_back({peer_name, side.ok() ? std::move(*side) : nullptr, {}, side.ok() ? "" : side.error().message()});
  }
  std::vector<double> seconds;
  BP_TRY(our_side->add_runs(repeat, seconds));
  for (int turn = 0; turn < turns; ++turn) {
    for (Peer &peer : peers) {
      peer.take_turn(repeat);
      BP_TRY(our_side->add_runs(repeat, seconds));
    }
  }
  const Figures ours = Figures::of(seconds);
  const double compile_seconds = number(our_side->about(), "compile_seconds");
  print_row(name, "ours", ours, compile_seconds, "");
  json::array answers;
  for (const Peer &peer : peers) {
    answers.push_back(report(peer, ours, compile_seconds));
  }
  std::fflush(stdout);
  return json::object{{"program", name},
                      {"run_seconds", ours.run},
                      {"least_seconds", ours.least},
                      {"spread_seconds", ours.spread},
                      {"compile_seconds", compile_seconds},
                      {"work", work_of(our_side->module())},
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
      "turns", po::value<int>()->default_value(1), "number of times that each peer has its turn")(
      "constant-weights",
      "inputs after the first are constants of the program here, as they always are on onnxruntime:cpu and tvm:cpu")(
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
bool race_all(const Names &files, const Setting &setting, const Names &peers, int repeat, int turns,
              json::array &results) {
  bool all_ran = true;
  for (const std::string &file : files) {
    Result<json::object> result = race(file, setting, peers, repeat, turns);
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
  const int turns = values["turns"].as<int>();
  if (turns < 1) {
    return misuse(fmt::format("--turns is {}, expected at least 1", turns));
  }
  const Names peers = values["peer"].as<Names>();
  for (const std::string &peer : peers) {
    if (const auto problem = problem_of_peer(peer)) {
      return misuse(*problem);
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
  fmt::print("{:<28} {:<20} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>11}\n", "program", "on", "run", "least",
             "spread", "compile", "run / ours", "least /", "compile /", "difference");
  json::array results;
  const Setting setting{*backend,
                        compile_options,
                        values.count("constant-weights") != 0,
                        clock,
                        pool,
                        values["python"].as<std::string>(),
                        values["scripts"].as<std::string>()};
  const bool all_ran = race_all(values["file"].as<Names>(), setting, peers, repeat, turns, results);
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
