// Measures how well the packer solves published problems and modified ones, which reveal a search that was only lucky
// with the originals. The offsets of the original solution remain valid after every modification, so that its published
// capacity can still be reached.
#include <fmt/core.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <random>

#include "core/base/files.h"
#include "core/packing/pack.h"
#include "core/packing/problem_text.h"

namespace bp::bench {
namespace {

using packing::Item;
using Random = std::mt19937_64;
using Items = std::vector<Item>;

std::int64_t below(Random &random, std::int64_t end) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
}

void shuffle(Items &items, Random &random) {
  std::shuffle(items.begin(), items.end(), random);
}

void mirror(Items &items, Random &) {
  for (Item &item : items) {
    auto [begin, end] = item.needed[0];
    item.needed[0] = {-end, -begin};
  }
}

void split(Items &items, Random &random) {
  for (std::size_t count = 1 + items.size() / 20; count > 0; --count) {
    Item &item = items[random() % items.size()];
    auto &[begin, end] = item.needed[0];
    Item rest = item;
    if (random() % 2 == 0 && end - begin > 1) {
      end = rest.needed[0].first = begin + 1 + below(random, end - begin - 1);
    } else if (item.size > 1) {
      item.size = 1 + below(random, item.size - 1);
      rest.size -= item.size;
    } else {
      continue;
    }
    items.push_back(rest);
  }
}

void remove(Items &items, Random &random) {
  for (std::size_t count = 1 + items.size() / 20; count > 0; --count) {
    items.erase(items.begin() + below(random, static_cast<std::int64_t>(items.size())));
  }
}

void shrink_sizes(Items &items, Random &random) {
  for (Item &item : items) {
    item.size -= below(random, item.size / 20 + 1);
  }
}

// Shortens the time at both ends by up to three times the median distance between neighbouring times.
void shrink_times(Items &items, Random &random) {
  std::vector<std::int64_t> times, distances;
  for (const Item &item : items) {
    times.push_back(item.needed[0].first);
    times.push_back(item.needed[0].second);
  }
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  for (std::size_t i = 1; i < times.size(); ++i) {
    distances.push_back(times[i] - times[i - 1]);
  }
  std::ranges::sort(distances);
  std::int64_t most = 3 * distances[distances.size() / 2];
  for (Item &item : items) {
    auto &[begin, end] = item.needed[0];
    std::int64_t later = begin + below(random, most + 1), earlier = end - below(random, most + 1);
    if (later < earlier) {
      item.needed[0] = {later, earlier};
    }
  }
}

struct Change {
  const char *name;
  void (*apply)(Items &items, Random &random);
};
constexpr Change changes[] = {
    {"in another order", shuffle},    {"reversed in time", mirror},           {"5 % of items cut", split},
    {"5 % of items removed", remove}, {"sizes up to 5 % less", shrink_sizes}, {"times a little shorter", shrink_times}};

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Figures {
  std::int64_t height = 0;
  double seconds = 0, processor_seconds = 0;
};

Result<Figures> measure(const Items &items, std::int64_t capacity, double deadline) {
  packing::Options options;
  options.capacity = capacity;
  options.steps = std::numeric_limits<std::int64_t>::max();
  auto start = std::chrono::steady_clock::now();
  options.deadline = start + std::chrono::microseconds(static_cast<std::int64_t>(deadline * 1e6));
  double processor_start = bench::processor_seconds();
  packing::Packing packing = packing::pack(items, options);
  Figures figures;
  figures.processor_seconds = bench::processor_seconds() - processor_start;
  figures.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  figures.height = packing.height;
  BP_TRY(packing::check(items, packing));
  return figures;
}

Status measure_changes(const std::string &file, int count, double deadline) {
  BP_ASSIGN(std::string text, read_file(file));
  BP_ASSIGN(packing::NamedProblem problem, packing::read_problem(text, file));
  std::int64_t bound = packing::lower_bound(problem.items);
  BP_ASSIGN(Figures original, measure(problem.items, 0, 10));
  std::string name = std::filesystem::path(file).stem().string();
  fmt::print("| {} | as it is | {} | {} | {:.0f} ms | |\n", name, problem.items.size(),
             original.height == bound ? "lower bound" : fmt::format("{}", original.height), 1e3 * original.seconds);
  for (const Change &change : changes) {
    std::vector<double> times;
    int solved = 0;
    for (int seed = 0; seed < count; ++seed) {
      Random random(static_cast<std::uint64_t>(seed));
      Items items = problem.items;
      change.apply(items, random);
      BP_ASSIGN(Figures figures, measure(items, original.height, deadline));
      solved += figures.height <= original.height ? 1 : 0;
      times.push_back(figures.seconds);
    }
    std::ranges::sort(times);
    fmt::print("| {} | {} | | {} of {} | {:.0f} ms | {:.0f} ms |\n", name, change.name, solved, count,
               1e3 * times[times.size() / 2], 1e3 * times.back());
    std::fflush(stdout);
  }
  return {};
}

Status measure_random(std::int64_t count, double deadline) {
  Random random(1);
  std::geometric_distribution<std::int64_t> length(1.0 / 64);
  std::uniform_real_distribution<double> size(0, 20);
  Items items;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t begin = below(random, count);
    items.push_back({static_cast<std::int64_t>(std::exp2(size(random))), 1, {{begin, begin + 1 + length(random)}}, -1});
  }
  std::int64_t bound = packing::lower_bound(items);
  BP_ASSIGN(Figures figures, measure(items, 0, deadline));
  fmt::print("| {} | {:.2f} % | {:.2f} s |\n", count,
             100.0 * static_cast<double>(figures.height - bound) / static_cast<double>(bound),
             figures.processor_seconds);
  return {};
}

int main(int argc, char **argv) {
  namespace po = boost::program_options;
  po::options_description options("Options");
  options.add_options()("help", "this text")("count", po::value<int>()->default_value(20), "problems per change")(
      "deadline", po::value<double>()->default_value(1, "1"), "seconds per problem")(
      "random", po::value<std::vector<std::int64_t>>()->composing(), "packs that many random items")(
      "problem", po::value<std::vector<std::string>>()->composing(), "files");
  po::positional_options_description positional;
  positional.add("problem", -1);
  po::variables_map values;
  try {
    po::store(po::command_line_parser(argc, argv).options(options).positional(positional).run(), values);
  } catch (const po::error &error) {
    fmt::print(stderr, "bench_packing: {}\n", error.what());
    return 2;
  }
  if (values.count("help") != 0) {
    std::cout << "Usage: build/tools/bench_packing [PROBLEM.csv...] [options]\n"
              << "How many changed problems are packed as low as the original; median and longest time.\n"
              << "Random items: height over the lower bound, and processor time.\n"
              << options;
    return 0;
  }
  auto report = [](const Status &status) {
    if (!status.ok()) {
      fmt::print(stderr, "bench_packing: {}\n", status.error().to_string());
    }
    return status.ok();
  };
  bool all_done = true;
  if (values.count("problem") != 0) {
    fmt::print("| problem | change | items | solved | median | longest |\n|---|---|---|---|---|---|\n");
    for (const std::string &file : values["problem"].as<std::vector<std::string>>()) {
      all_done &= report(measure_changes(file, values["count"].as<int>(), values["deadline"].as<double>()));
    }
  }
  if (values.count("random") != 0) {
    fmt::print("| items | over the lower bound | processor time |\n|---|---|---|\n");
    for (std::int64_t count : values["random"].as<std::vector<std::int64_t>>()) {
      all_done &= report(measure_random(count, values["deadline"].as<double>()));
    }
  }
  return all_done ? 0 : 3;
}

}  // namespace
}  // namespace bp::bench

int main(int argc, char **argv) {
  return bp::bench::main(argc, argv);
}
