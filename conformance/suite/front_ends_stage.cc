// Front ends in libraries: the rules of backplane/ext/draft/front_end.h, tested with the example that each brings, with
// its beginnings, and with what random changes make of it.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <optional>
#include <thread>

#include "conformance/suite/growth.h"
#include "conformance/suite/library.h"
#include "conformance/suite/source_trial.h"
#include "conformance/suite/stage.h"
#include "core/import/front_ends.h"

namespace bp::conformance {
namespace {

// The library, loaded and checked, and one of its front ends.
struct Tested {
  std::shared_ptr<const host::Plugin> plugin;
  const bp_front_end_t *front_end;
  std::string example;
};

Result<std::shared_ptr<const host::Plugin>> load(const Subject &subject) {
  return host::Plugin::load(subject.candidate(), host::AfterUse::KeepMapped, subject.layers());
}

Result<Tested> load(const Subject &subject, std::string_view name) {
  BP_ASSIGN(std::shared_ptr<const host::Plugin> plugin, load(subject));
  const bp_front_ends_t &table = *plugin->front_ends();
  const std::span<const bp_front_end_t> all(table.front_ends, table.count);
  const auto found = std::ranges::find_if(all, [&](const bp_front_end_t &one) { return one.name == name; });
  if (found == all.end()) {
    return invalid_input("there is no front end {}", name);
  }
  return Tested{plugin, &*found, std::string(static_cast<const char *>(found->example), found->example_size)};
}

Status broken(std::string message) {
  return make_error(ErrorCode::PluginFailure, "{}", message);
}

// Shows the beginning of a source.
std::string shown(std::string_view source) {
  constexpr std::size_t longest = 200;
  std::string text;
  for (const char byte : source.substr(0, longest)) {
    text += byte >= 0x20 && byte < 0x7f && byte != '\\' ? std::string(1, byte)
                                                        : fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  }
  return fmt::format("\"{}\"{}", text, source.size() > longest ? fmt::format(", {} bytes in all", source.size()) : "");
}

// The bytes of memory that this process may take from now on, as long as this lives.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::uint64_t more) {
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    getrlimit(RLIMIT_AS, &before_);
    const rlimit limit = {pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + more, before_.rlim_max};
    setrlimit(RLIMIT_AS, &limit);
  }
  MemoryLimit(const MemoryLimit &) = delete;
  MemoryLimit &operator=(const MemoryLimit &) = delete;
  ~MemoryLimit() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_{};
};

using Trial = Status (*)(Subject &subject, const Tested &tested, const std::string &id);

// Reads sources, and expects that each answer keeps the rules, and that a program that was written is valid.
Status read_all(const Tested &tested, const std::vector<std::string> &sources) {
  constexpr std::uint64_t max_memory = 128 << 20;  // thousands of times what a small source needs
  for (const std::string &bytes : sources) {
    BP_ASSIGN(const ReadOnlySource source, ReadOnlySource::make(bytes));
    const bp_source_t abi = source.abi();
    const std::int32_t is_recognized = tested.front_end->recognizes(tested.front_end, &abi);
    if (is_recognized != 0 && is_recognized != 1) {
      return broken(fmt::format("recognizes() returned {} for {}, expected 0 or 1", is_recognized, shown(bytes)));
    }
    std::optional<MemoryLimit> limit(max_memory);
    const Reading reading = read_source(*tested.front_end, abi);
    limit.reset();
    if (reading.status == BP_NO_MEMORY || reading.was_refused) {
      return broken(fmt::format("BP-FRONT-02: {} is not enough memory for {}",
                                reading.was_refused ? "a stream of 64 MiB" : "128 MiB", shown(bytes)));
    }
    if (const std::string rule = reading.broken_rule(bytes.size()); !rule.empty()) {
      return broken(fmt::format("{}, for {}", rule, shown(bytes)));
    }
    const Status valid = reading.status == BP_OK ? check_program(reading.program) : Status();
    if (!valid.ok()) {
      return broken(fmt::format("BP-FRONT-06: the program that was written for {} is not valid: {}", shown(bytes),
                                valid.error().to_string()));
    }
  }
  return {};
}

std::vector<std::string> damaged_sources(const Subject &subject, const Tested &tested, const std::string &id) {
  std::vector<std::string> sources = {"", std::string(1, '\0'), std::string(1 << 16, 'x')};
  for (int i = 0; i < (subject.is_full() ? 100'000 : 3'000); ++i) {
    sources.push_back(damaged(tested.example, hash_of(std::to_string(i), subject.seed_of(id))));
  }
  return sources;
}

Status reads_beginnings(Subject &, const Tested &tested, const std::string &) {
  return read_all(tested, beginnings(tested.example, 2048));
}

Status reads_rearranged(Subject &subject, const Tested &tested, const std::string &) {
  return read_all(tested, rearranged(tested.example, subject.is_full() ? 100'000 : 2'000));
}

Status reads_damaged(Subject &subject, const Tested &tested, const std::string &id) {
  return read_all(tested, damaged_sources(subject, tested, id));
}

// Reads a source twice, with others in between.
Status answers_the_same(Subject &subject, const Tested &tested, const std::string &id) {
  std::vector<std::string> sources = damaged_sources(subject, tested, id);
  sources.resize(200);
  sources.push_back(tested.example);
  std::vector<Reading> first;
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const bp_source_t source = {sources[i].data(), sources[i].size(), ""};
      Reading reading = read_source(*tested.front_end, source);
      if (round == 0) {
        first.push_back(std::move(reading));
      } else if (reading.status != first[i].status || reading.program != first[i].program) {
        return broken(fmt::format("BP-FRONT-03: the second answer to {} differs from the first", shown(sources[i])));
      }
    }
  }
  return {};
}

Status answers_threads(Subject &subject, const Tested &tested, const std::string &id) {
  constexpr std::size_t thread_count = 4;
  std::vector<std::string> sources = damaged_sources(subject, tested, id);
  sources.resize(300);
  std::vector<Reading> expected;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    sources[i] = i % 2 == 0 ? tested.example : sources[i];
    const bp_source_t source = {sources[i].data(), sources[i].size(), ""};
    expected.push_back(read_source(*tested.front_end, source));
  }
  std::vector<std::string> problems(thread_count);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < thread_count; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < sources.size(); ++i) {
        const std::size_t at = (i + t) % sources.size();
        const bp_source_t source = {sources[at].data(), sources[at].size(), ""};
        const Reading reading = read_source(*tested.front_end, source);
        if (reading.status != expected[at].status || reading.program != expected[at].program) {
          problems[t] = fmt::format("with {} threads, the answer to {} differs from that with one", thread_count,
                                    shown(sources[at]));
        }
      }
    });
  }
  std::ranges::for_each(threads, &std::thread::join);
  const auto problem = std::ranges::find_if(problems, [](const std::string &text) { return !text.empty(); });
  return problem == problems.end() ? Status() : broken(*problem);
}

Status reads_its_example(Subject &, const Tested &tested, const std::string &) {
  const bp_source_t source = {tested.example.data(), tested.example.size(), ""};
  if (tested.front_end->recognizes(tested.front_end, &source) != 1) {
    return broken("BP-FRONT-05: recognizes() does not answer 1 for the example");
  }
  const Reading reading = read_source(*tested.front_end, source);
  if (reading.status != BP_OK) {
    return broken(fmt::format("BP-FRONT-05: read() returned {} for the example: {}", reading.status,
                              reading.reports.empty() ? "no report" : reading.reports[0].message));
  }
  return check_program(reading.program);
}

// Refuses each of the calls of write() in turn.
Status stops_when_refused(Subject &, const Tested &tested, const std::string &) {
  const bp_source_t source = {tested.example.data(), tested.example.size(), ""};
  const int writes = read_source(*tested.front_end, source).writes;
  for (int refused = 0; refused < writes; ++refused) {
    if (const std::string rule = read_source(*tested.front_end, source, refused).broken_rule(source.size);
        !rule.empty()) {
      return broken(rule);
    }
  }
  return {};
}

Status leaves_nothing(Subject &subject, const Tested &tested, const std::string &id) {
  std::vector<std::string> sources = damaged_sources(subject, tested, id);
  sources.resize(100);
  sources.push_back(tested.example);
  return judge_growth([&]() -> Result<std::string> {
    const std::int64_t heap = heap_bytes();
    const int files = count_files(), threads = count_threads();
    call_on_own_thread([&] {
      for (const std::string &bytes : sources) {
        const bp_source_t source = {bytes.data(), bytes.size(), ""};
        read_source(*tested.front_end, source);
        read_source(*tested.front_end, source, 0);
      }
    });
    const std::int64_t slack = 16 * static_cast<std::int64_t>(sources.size());
    const std::int64_t grown = heap_bytes() - heap;
    return grown <= slack && count_files() == files && count_threads() == threads
               ? std::string()
               : fmt::format("BP-ENTRY-03: {} calls of read() leave {} bytes, {} files and {} threads",
                             2 * sources.size(), grown, count_files() - files, count_threads() - threads);
  });
}

// The name of a case is that of the front end, and the rule with a word that tells cases of one rule apart.
struct FrontEndCase {
  std::string_view name;
  Trial run;
};
constexpr FrontEndCase cases_of_each[] = {
    {"BP-FRONT-02/beginnings", reads_beginnings}, {"BP-FRONT-02/damaged", reads_damaged},
    {"BP-FRONT-02/rearranged", reads_rearranged}, {"BP-FRONT-03/repeated", answers_the_same},
    {"BP-FRONT-03/threads", answers_threads},     {"BP-FRONT-05", reads_its_example},
    {"BP-STREAM-01", stops_when_refused},         {"BP-ENTRY-03", leaves_nothing},
};

const std::vector<host::ManifestFrontEnd> &front_ends_of(const Subject &subject) {
  static const std::vector<host::ManifestFrontEnd> none;
  return subject.candidate().manifest ? subject.candidate().manifest->front_ends : none;
}

Verdict agrees_with_its_manifest(Subject &subject) {
  for (const host::ManifestFrontEnd &front_end : front_ends_of(subject)) {
    const auto own = std::ranges::find(import::front_ends(), front_end.name, &import::FrontEnd::name);
    if (own != import::front_ends().end()) {
      return failure(fmt::format("BP-FRONT-01: the name {} is that of a front end of the core", front_end.name));
    }
  }
  const auto plugin = load(subject);
  return plugin.ok() ? Verdict() : failure(plugin.error().to_string());
}

Verdict nests_its_lives(Subject &subject) {
  const auto run = [&]() -> Status {
    BP_ASSIGN(const Library library, Library::open(subject.path(), subject.layers()));
    BP_TRY(library.init());
    BP_TRY(library.init());
    library.deinit();
    const auto *table = static_cast<const bp_front_ends_t *>(library.entry().get_factory(BP_FRONT_ENDS));
    if (table == nullptr || table->count == 0) {
      return broken("BP-INIT-02: after init(), init() and deinit() there are no front ends");
    }
    const bp_front_end_t &first = table->front_ends[0];
    const Reading reading = read_source(first, {first.example, first.example_size, ""});
    library.deinit();
    return reading.status == BP_OK ? Status() : broken("BP-INIT-02: the first of two deinit() ends the library");
  };
  return verdict_of(run());
}

Verdict knows_its_tables_alone(Subject &subject) {
  const auto run = [&]() -> Status {
    BP_ASSIGN(const Library library, Library::open(subject.path(), subject.layers()));
    BP_TRY(library.init());
    for (const char *id : {"", "bp.front-ends/1", "bp.front-ends/draft-0", "bp.not-a-factory/1"}) {
      if (library.entry().get_factory(id) != nullptr) {
        return broken(fmt::format("BP-ENTRY-04: get_factory(\"{}\") is not null, expected null", id));
      }
    }
    library.deinit();
    return {};
  };
  return verdict_of(run());
}

constexpr NamedCase cases_of_library[] = {
    {"BP-FRONT-01", agrees_with_its_manifest},
    {"BP-INIT-02", nests_its_lives},
    {"BP-ENTRY-04", knows_its_tables_alone},
};

std::vector<std::string> list_front_ends(const Subject &subject) {
  if (front_ends_of(subject).empty()) {
    return {};
  }
  std::vector<std::string> ids = list_cases("front_ends", cases_of_library);
  for (const host::ManifestFrontEnd &front_end : front_ends_of(subject)) {
    for (const FrontEndCase &one : cases_of_each) {
      ids.push_back(fmt::format("front_ends/{}/{}", front_end.name, one.name));
    }
  }
  return ids;
}

Verdict run_front_ends(Subject &subject, const std::string &id) {
  for (const host::ManifestFrontEnd &front_end : front_ends_of(subject)) {
    for (const FrontEndCase &one : cases_of_each) {
      if (id == fmt::format("front_ends/{}/{}", front_end.name, one.name)) {
        const auto tested = load(subject, front_end.name);
        return tested.ok() ? verdict_of(one.run(subject, *tested, id)) : failure(tested.error().to_string());
      }
    }
  }
  return run_case("front_ends", cases_of_library, subject, id);
}

constexpr RuleCases rules_of_front_ends[] = {
    {"BP-FRONT-04", "front_ends/*/BP-FRONT-02/*"},
    {"BP-FRONT-06", "front_ends/*/BP-FRONT-02/*"},
    {"BP-FRONT-07", "front_ends/*/BP-FRONT-02/*"},
};

}  // namespace

const Stage front_ends_stage = {.name = "front_ends",
                                .summary = "programs that front ends in the library read: valid, cut and damaged",
                                .list = list_front_ends,
                                .run = run_front_ends,
                                .is_alone = true,
                                .tests_devices = false,
                                .rules = rules_of_front_ends};

}  // namespace bp::conformance
