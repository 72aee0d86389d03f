// Measures how much memory the planner saves: the core's schedules and packing compared with classic ones, for whole
// models.
#include <fmt/core.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <limits>

#include "core/backplane.h"
#include "core/buffers/assign.h"
#include "core/buffers/copy_insertion.h"
#include "core/buffers/schedule.h"
#include "core/buffers/statistics.h"
#include "core/passes/pipeline.h"
#include "core/text/parser.h"
#include "tools/bench/programs.h"

namespace bp::bench {
namespace {

namespace filesystem = std::filesystem;
using buffers::Scheduling;

struct Figures {
  std::int64_t temporaries = 0, bound = 0;
  double seconds = 0;  // for schedule, copies and plan
};

// Copies and aliasing are the core's in both cases: only the order and the effort for packing differ.
Result<Figures> plan(ir::Module module, Scheduling scheduling, std::int64_t packing_steps) {
  auto start = std::chrono::steady_clock::now();
  module.header().is_scheduled = false;
  BP_TRY(buffers::schedule(module, scheduling));
  BP_TRY(buffers::insert_copies(module));
  buffers::Options options;
  options.packing_steps = packing_steps;
  BP_ASSIGN(buffers::Plan plan, buffers::assign(module, options));
  Figures figures;
  figures.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  BP_ASSIGN(buffers::MemoryStatistics statistics, buffers::measure(module, plan));
  figures.temporaries = statistics.temporary_bytes;
  figures.bound = statistics.temporary_lower_bound;
  return figures;
}

constexpr Scheduling classics[] = {Scheduling::List, Scheduling::DepthFirst, Scheduling::PostOrder};

Status print_row(const std::string &name, ir::Module module) {
  BP_TRY(passes::run_passes(module, passes::default_passes()));
  fmt::print("| {} | {} |", name, module.instruction_count());
  std::int64_t best = std::numeric_limits<std::int64_t>::max();
  for (Scheduling classic : classics) {
    BP_ASSIGN(Figures figures, plan(module, classic, 0));
    fmt::print(" {} |", figures.temporaries);
    best = std::min(best, figures.temporaries);
  }
  BP_ASSIGN(Figures ours, plan(module, Scheduling::Least, buffers::Options().packing_steps));
  double less = best == 0 ? 0 : 100.0 * static_cast<double>(best - ours.temporaries) / static_cast<double>(best);
  fmt::print(" {} | {:.1f} % | {} | {:.0f} ms |\n", ours.temporaries, less, ours.temporaries - ours.bound,
             ours.seconds * 1e3);
  std::fflush(stdout);
  return {};
}

int main(int argc, char **argv) {
  namespace po = boost::program_options;
  po::options_description options("Options");
  options.add_options()("help", "this text")("layers", po::value<int>()->default_value(815),
                                             "of a generated transformer that comes last; 815 are 44,000 instructions")(
      "model", po::value<std::vector<std::string>>()->composing(), "files or folders of models");
  po::positional_options_description positional;
  positional.add("model", -1);
  po::variables_map values;
  try {
    po::store(po::command_line_parser(argc, argv).options(options).positional(positional).run(), values);
  } catch (const po::error &error) {
    fmt::print(stderr, "bench_memory: {}\n", error.what());
    return 2;
  }
  if (values.count("help") != 0) {
    std::cout
        << "Usage: build/tools/bench_memory MODEL_OR_FOLDER... [options]\n"
        << "Bytes of temporaries by list, depth-first and post-order scheduling with best-fit packing, and by ours;\n"
        << "by how much ours is less than the best of these; what it leaves unused at the peak; a row per model.\n"
        << options << "Example:\n  build/tools/bench_memory ../shared/corpus/hlo/models\n";
    return 0;
  }
  std::vector<filesystem::path> files;
  if (values.count("model") != 0) {
    for (const std::string &model : values["model"].as<std::vector<std::string>>()) {
      if (filesystem::is_directory(model)) {
        filesystem::directory_iterator folder(model);
        std::copy(begin(folder), end(folder), std::back_inserter(files));
      } else {
        files.emplace_back(model);
      }
    }
  }
  std::ranges::sort(files);
  fmt::print(
      "| model | instructions | list | depth first | post-order | ours | less | unused | time |\n"
      "|---|---|---|---|---|---|---|---|---|\n");
  bool all_done = true;
  auto row = [&](const std::string &name, Result<ir::Module> module) {
    Status status = module.ok() ? print_row(name, std::move(module).value()) : Status(module.error());
    if (!status.ok()) {
      fmt::print(stderr, "bench_memory: {}: {}\n", name, status.error().to_string());
      all_done = false;
    }
  };
  for (const filesystem::path &file : files) {
    row(file.stem().string(), read_module(file.string()));
  }
  if (int layers = values["layers"].as<int>(); layers > 0) {
    row(fmt::format("transformer stack of {} layers", layers), text::parse_module(transformer_stack(layers)));
  }
  return all_done ? 0 : 3;
}

}  // namespace
}  // namespace bp::bench

int main(int argc, char **argv) {
  return bp::bench::main(argc, argv);
}
