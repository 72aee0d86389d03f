#include "conformance/suite/leak_cases.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>

#include "backplane/ext/draft/cancel.h"
#include "backplane/ext/draft/progress.h"
#include "conformance/suite/contract_trials.h"
#include "conformance/suite/direct_program.h"
#include "conformance/suite/growth.h"
#include "conformance/suite/library.h"
#include "conformance/suite/sample_programs.h"
#include "conformance/suite/shared_area.h"
#include "conformance/suite/stage.h"
#include "conformance/suite/submissions.h"
#include "core/host/diagnostics.h"
#include "core/interpreter/random_inputs.h"
#include "core/layers/interposer.h"

namespace bp::conformance {
namespace {

// Resources of the process.
struct Holdings {
  std::int64_t threads = count_threads(), files = count_files(), mappings = count_mappings();
  std::int64_t heap = heap_bytes(), resident = resident_bytes();
  std::int64_t device_memory = 0;
};

// A call that is repeated; calls that are meant to fail return success if they did.
using Act = std::function<Status()>;

// How often a call is repeated, and the bytes on the heap that each may leave.
struct Repetition {
  int count = 30;
  std::int64_t slack_per_call = 64;  // LLVM's compilations leave about 40: noise of the allocator
};
// Calls that an application makes millions of times.
constexpr Repetition frequent = {.count = 100, .slack_per_call = 16};

// Also growth that does not count: caches of the allocator, and pages that are accessed for the first time.
Result<std::string> left_by(std::string_view call, const Repetition &repetition, const host::Device *device,
                            const Act &act) {
  const std::int64_t heap_slack_of_calls = 4096 + repetition.slack_per_call * repetition.count;
  const std::int64_t resident_slack_of_calls = (256 + 16 * std::min(repetition.count, 10)) << 10;
  Holdings before;
  before.device_memory = device == nullptr ? 0 : taken_on_device(*device);
  Status status;
  call_on_own_thread([&] {
    for (int i = 0; i < repetition.count && status.ok(); ++i) {
      status = act();
    }
  });
  BP_TRY(std::move(status));
  Holdings after;
  after.device_memory = device == nullptr ? 0 : taken_on_device(*device);
  const auto grows = [&](std::int64_t Holdings::*what, std::int64_t slack) {
    return after.*what - before.*what > slack;
  };
  const auto left = [&](std::int64_t Holdings::*what, std::string_view unit, std::int64_t slack) {
    return fmt::format("BP-ENTRY-03: {} leaves {} more {} if it is repeated {} times, at most {} are in order", call,
                       after.*what - before.*what, unit, repetition.count, slack);
  };
  return grows(&Holdings::threads, 0)         ? left(&Holdings::threads, "threads", 0)
         : grows(&Holdings::files, 0)         ? left(&Holdings::files, "open files", 0)
         : grows(&Holdings::mappings, 5)      ? left(&Holdings::mappings, "mappings", 5)
         : grows(&Holdings::device_memory, 0) ? left(&Holdings::device_memory, "bytes of the device's memory", 0)
         : grows(&Holdings::heap, heap_slack_of_calls) ? left(&Holdings::heap, "bytes on the heap", heap_slack_of_calls)
         : grows(&Holdings::resident, resident_slack_of_calls)
             ? left(&Holdings::resident, "bytes of resident memory", resident_slack_of_calls)
             : std::string();
}

// --- Library and devices ---

Result<Act> creates_devices(Subject &subject) {
  BP_ASSIGN(const std::shared_ptr<const host::Plugin> library, load_library(subject));
  return Act([library, &subject]() -> Status {
    BP_ASSIGN(const DevicePointer device, make_device(library, subject));
    return {};
  });
}

// Options that no device knows, values that none of its options has, devices that do not exist.
Result<Act> creates_in_vain(Subject &subject) {
  BP_ASSIGN(Library opened, Library::open(subject.path(), subject.layers()));
  const auto library = std::make_shared<Library>(std::move(opened));
  const auto services = std::make_shared<host::HostServices>(silent_host());
  BP_TRY(library->init());
  BP_ASSIGN(const bp_device_factory_t *factory, library->factory());
  return Act([library, services, factory, id = subject.device_id()]() -> Status {
    const bp_option_t unknown{"no-such-option", "1"};
    std::vector<std::pair<std::string, bp_option_t>> attempts = {{id, unknown}, {id + "x", unknown}};
    for (std::uint32_t i = 0; i < factory->count(factory); ++i) {
      const bp_device_desc_t &device = *factory->get_desc(factory, i);
      for (std::uint64_t k = 0; device.id == id && k < device.option_count; ++k) {
        if (device.options[k].type != BP_OPTION_TEXT || device.options[k].choices != nullptr) {
          attempts.push_back({id, {device.options[k].key, "neither here nor there"}});
        }
      }
    }
    for (const auto &[device_id, option] : attempts) {
      static_cast<void>(make_device(*factory, services->abi(), device_id, {&option, 1}, false));
    }
    return {};
  });
}

Result<Act> repeats_probe(Subject &subject) {
  BP_ASSIGN(const std::shared_ptr<const host::Plugin> library, load_library(subject));
  return Act([library, id = subject.device_id()]() -> Status {
    static_cast<void>(library->probe(id));
    static_cast<void>(library->probe(id + "x"));
    if (library->instances() != nullptr) {
      static_cast<void>(library->describe(id, 0));
      static_cast<void>(library->describe(id, 1'000'000));
    }
    return {};
  });
}

// The samples as the device is asked about them.
Result<std::shared_ptr<std::vector<host::Image>>> make_questions() {
  const auto questions = std::make_shared<std::vector<host::Image>>();
  for (const std::string &name : sample_program_names()) {
    BP_ASSIGN(const ir::Module module, sample_program(name));
    if (auto image = host::build_image(module, host::Stage::Legalize); image.ok()) {
      questions->push_back(std::move(image).value());
    }
  }
  return questions;
}

// Some questions of both answers.
Result<Act> repeats_claim(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  BP_ASSIGN(const auto questions, make_questions());
  return Act([questions, device = backend->device()]() -> Status {
    for (const host::Image &question : *questions) {
      BP_TRY(claims_of(*device, question.module()));
    }
    return {};
  });
}

// A stream that returns one status each time.
class ConstantStream {
 public:
  explicit ConstantStream(bp_status answer) : answer_(answer) {}
  const bp_ostream_t *abi() const { return &abi_; }

 private:
  bp_status answer_;
  bp_ostream_t abi_{&answer_, [](const bp_ostream_t *self, const void *, std::uint64_t) noexcept {
                      return *static_cast<const bp_status *>(self->ctx);
                    }};
};

// Wishes for layouts and other modules, also when nobody takes them.
Result<Act> repeats_wishes(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  BP_ASSIGN(const auto questions, make_questions());
  return Act([questions, device = backend->device()]() -> Status {
    for (const bp_status answer : {BP_OK, BP_NO_MEMORY}) {
      const ConstantStream stream(answer);
      for (const host::Image &question : *questions) {
        host::Diagnostics diagnostics;
        if (device->layout() != nullptr) {
          diagnostics.call([&](const bp_diag_t *diag) {
            return device->layout()->preferences(device->abi(), question.module(), stream.abi(), diag);
          });
        }
        if (device->rewrite() != nullptr) {
          diagnostics.call([&](const bp_diag_t *diag) {
            return device->rewrite()->rewrite(device->abi(), BP_STAGE_LEGALIZE, question.module(), stream.abi(), diag);
          });
        }
      }
    }
    return {};
  });
}

Result<Act> repeats_report(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  return Act([device = backend->device()]() -> Status {
    const bp_fact_receiver_t receiver = {nullptr, [](const bp_fact_receiver_t *, const bp_fact_t *) {}};
    host::Diagnostics diagnostics;
    const bp_status status = diagnostics.call(
        [&](const bp_diag_t *diag) { return device->device_info()->report(device->abi(), &receiver, diag); });
    return diagnostics.result(status, device->id(), "report of facts");
  });
}

// --- Compilation ---

// A sample that the device runs, compiled.
struct SampleParts {
  DevicePointer device;
  std::shared_ptr<const DirectParts> parts;
  std::vector<Literal> arguments;
};
using Examples = std::vector<std::shared_ptr<const SampleParts>>;

// Returns those of the samples that the device runs; if it runs none of them, the first sample that it does run.
Result<Examples> make_examples(Subject &subject, std::span<const std::string_view> names) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  Examples examples;
  const auto add = [&](const ir::Module &module, std::shared_ptr<const DirectParts> parts) -> Status {
    BP_ASSIGN(std::vector<Literal> arguments, interpreter::random_arguments(module, 1));
    examples.push_back(
        std::make_shared<const SampleParts>(SampleParts{backend->device(), std::move(parts), std::move(arguments)}));
    return {};
  };
  for (const std::string_view name : names) {
    BP_ASSIGN(const ir::Module module, sample_program(std::string(name)));
    if (auto parts = DirectParts::compile(backend->device(), module); parts.ok() && *parts != nullptr) {
      BP_TRY(add(module, std::move(parts).value()));
    }
  }
  if (examples.empty()) {
    BP_ASSIGN(const ir::Module module, first_supported_sample(subject));
    BP_ASSIGN(auto parts, DirectParts::compile(backend->device(), module));
    BP_TRY(add(module, std::move(parts)));
  }
  return examples;
}
Result<std::shared_ptr<const SampleParts>> make_small_example(Subject &subject) {
  constexpr std::string_view names[] = {"in_place_f32"};
  BP_ASSIGN(const Examples examples, make_examples(subject, names));
  return examples.front();
}
// A loop, scratch memory, constants, several results and arrays that are used in place: what a run may keep, depends on
// what it has.
constexpr std::string_view kinds_of_programs[] = {"in_place_f32",    "loop", "sort", "constants",
                                                  "several_results", "dot"};

// Compiles one example after the other, to a stream that returns `answer`.
Result<Act> compiles_to_stream(Subject &subject, bp_status answer) {
  constexpr std::string_view quick_to_compile[] = {"in_place_f32", "constants", "several_results"};
  BP_ASSIGN(const Examples examples, make_examples(subject, quick_to_compile));
  return Act([examples, answer, turn = std::make_shared<std::size_t>(0)]() -> Status {
    const SampleParts &example = *examples[++*turn % examples.size()];
    const ConstantStream stream(answer);
    host::Diagnostics diagnostics;
    const host::Device &device = *example.device;
    const bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
      return device.compiler()->compile(device.abi(), example.parts->image.module(), stream.abi(), diag);
    });
    return answer == BP_OK ? diagnostics.result(status, device.id(), "compile") : Status();
  });
}
Result<Act> repeats_compile(Subject &subject) {
  return compiles_to_stream(subject, BP_OK);
}

// A host that wants the result of no compilation, if that is set.
struct Unwanted final : layers::Interposer {
  Unwanted(std::unique_ptr<host::Entry> below, const bool &is_unwanted)
      : Interposer(std::move(below)), is_unwanted_(is_unwanted) {}
  const void *host_get_extension(layers::LayeredHost &host, const char *id) override {
    static constexpr bp_host_progress_t table = {
        [](const bp_host_t *, const bp_diag_t *, std::uint64_t, std::uint64_t) -> bp_status { return BP_CANCELLED; }};
    return is_unwanted_ && std::string_view(id) == BP_EXT_PROGRESS ? &table : Interposer::host_get_extension(host, id);
  }
  const bool &is_unwanted_;
};

// Compilations whose stream refuses, and those whose result is not wanted.
Result<Act> compiles_in_vain(Subject &subject) {
  BP_ASSIGN(const Act refused, compiles_to_stream(subject, BP_NO_MEMORY));
  BP_ASSIGN(const std::shared_ptr<const SampleParts> example, make_small_example(subject));
  const auto is_unwanted = std::make_shared<bool>(false);
  BP_ASSIGN(const Backend loaded, load_under(subject, [is_unwanted](std::unique_ptr<host::Entry> below) {
              return std::make_unique<Unwanted>(std::move(below), *is_unwanted);
            }));
  *is_unwanted = true;
  return Act([refused, example, is_unwanted, backend = std::make_shared<Backend>(loaded),
              turn = std::make_shared<int>(0)]() -> Status {
    if (++*turn % 2 == 0) {
      return refused();
    }
    const ConstantStream stream(BP_OK);
    host::Diagnostics diagnostics;
    const host::Device &device = *backend->device();
    diagnostics.call([&](const bp_diag_t *diag) {
      return device.compiler()->compile(device.abi(), example->parts->image.module(), stream.abi(), diag);
    });
    return {};
  });
}

Result<Act> repeats_load(Subject &subject) {
  BP_ASSIGN(const Examples examples, make_examples(subject, kinds_of_programs));
  return Act([examples, turn = std::make_shared<std::size_t>(0)]() -> Status {
    const SampleParts &example = *examples[++*turn % examples.size()];
    BP_ASSIGN(const std::unique_ptr<DirectProgram> program, DirectProgram::load(example.device, example.parts));
    return {};
  });
}

// Artifacts that are empty, truncated, damaged, or of something else.
Result<Act> loads_in_vain(Subject &subject) {
  BP_ASSIGN(const std::shared_ptr<const SampleParts> example, make_small_example(subject));
  const std::vector<std::byte> &good = example->parts->artifact;
  const auto damaged = std::make_shared<std::vector<std::shared_ptr<const DirectParts>>>();
  const auto add = [&](std::vector<std::byte> artifact) {
    DirectParts parts = *example->parts;
    parts.artifact = std::move(artifact);
    damaged->push_back(std::make_shared<const DirectParts>(std::move(parts)));
  };
  add({});
  add({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(good.size() / 2)});
  add(std::vector<std::byte>(good.size(), std::byte{0x5a}));
  for (const std::size_t at : {std::size_t{0}, good.size() / 2, good.size() - 1}) {
    std::vector<std::byte> flipped = good;
    flipped[at] ^= std::byte{1};
    add(std::move(flipped));
  }
  return Act([example, damaged]() -> Status {
    for (const std::shared_ptr<const DirectParts> &parts : *damaged) {
      static_cast<void>(DirectProgram::load(example->device, parts));
    }
    return {};
  });
}

// A run that is over when the device asks for the first time, and one that nobody ends.
const void *offers_end(const bp_run_t *, const char *id) noexcept {
  static constexpr bp_run_cancel_t over = {[](const bp_run_t *) -> std::uint32_t { return 1; }};
  return std::string_view(id) == BP_EXT_CANCEL ? &over : nullptr;
}
Result<Act> repeats_run(Subject &subject) {
  BP_ASSIGN(const Examples examples, make_examples(subject, kinds_of_programs));
  struct Loaded {
    std::shared_ptr<const SampleParts> example;
    std::shared_ptr<const DirectProgram> program;
    std::shared_ptr<const DirectRun> run;
  };
  const auto all = std::make_shared<std::vector<Loaded>>();
  for (const std::shared_ptr<const SampleParts> &example : examples) {
    BP_ASSIGN(std::shared_ptr<const DirectProgram> program, DirectProgram::load(example->device, example->parts));
    BP_ASSIGN(std::shared_ptr<const DirectRun> run, program->prepare(example->arguments, {}));
    all->push_back({example, std::move(program), std::move(run)});
  }
  return Act([all]() -> Status {
    for (const Loaded &one : *all) {
      bp_run_t run = *one.run->abi();
      run.get_extension = offers_end;
      host::Diagnostics diagnostics;
      diagnostics.call([&](const bp_diag_t *diag) { return one.program->abi()->run(one.program->abi(), &run, diag); });
      BP_TRY(one.program->start(*one.run));
    }
    BP_ASSIGN([[maybe_unused]] const DirectProgram::Outputs outputs,
              all->front().program->run(all->front().example->arguments, {}));
    return {};
  });
}

// --- Memory and queues ---

Result<Act> repeats_alloc(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  return Act([device = backend->device()]() -> Status {
    for (const std::uint64_t size : {1, 100, 70'000}) {
      BP_ASSIGN(const runtime::Block block, runtime::Block::allocate_on(*device, 0, size));
    }
    return {};
  });
}
// More than any machine has, more than can be counted with, and a little more than there is.
Result<Act> allocates_in_vain(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  return Act([device = backend->device()]() -> Status {
    for (std::uint32_t space = 0; space < device->memory()->space_count; ++space) {
      const std::uint64_t capacity = device->memory()->spaces[space].capacity;
      for (const std::uint64_t size : {std::uint64_t{1} << 50, ~std::uint64_t{0} - 63, 2 * capacity + 1}) {
        if (size > 1 && runtime::Block::allocate_on(*device, space, size).ok() && size >> 50 != 0) {
          return make_error(ErrorCode::PluginFailure, "BP-ALLOC-01: {} bytes are allocated", size);
        }
      }
    }
    return {};
  });
}

// Fills, copies of all kinds in one submission, and one without commands that waits for it on each queue.
Result<Act> repeats_submit(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  const DevicePointer device = backend->device();
  constexpr std::uint64_t half = 300;
  std::shared_ptr<const runtime::Block> piece;
  if (device->memory() != nullptr) {
    BP_ASSIGN(runtime::Block block, runtime::Block::allocate_on(*device, 0, 2 * half));
    piece = std::make_shared<const runtime::Block>(std::move(block));
  }
  const auto bytes = std::make_shared<std::vector<std::byte>>(half);
  return Act([device, piece, bytes]() -> Status {
    Submissions submissions(*device);
    std::optional<bp_point_t> last;
    for (std::uint32_t queue = 0; queue < device->queue()->queue_count; ++queue) {
      const auto takes = [&](std::uint32_t kind) {
        return piece != nullptr && (device->queue()->queues[queue] >> kind & 1) != 0;
      };
      std::vector<bp_command_t> commands;
      if (takes(BP_COMMAND_COPY)) {
        const bp_loc_t begin = piece->location(), middle = {begin.memory, begin.offset + half};
        const bp_loc_t host = runtime::host_location(bytes->data());
        commands = {copy_command(begin, host, half), copy_command(middle, begin, half),
                    copy_command(host, middle, half)};
      }
      if (takes(BP_COMMAND_FILL)) {
        bp_command_t fill{};
        fill.kind = BP_COMMAND_FILL;
        fill.pattern_size = 4;
        fill.size = half;
        fill.to = piece->location();
        if (commands.empty()) {
          commands.push_back(fill);
        } else {
          BP_ASSIGN([[maybe_unused]] const bp_point_t filled, submissions.submit(queue, {&fill, 1}));
        }
      }
      if (last && device->native_sync() != nullptr) {
        BP_TRY(submissions.wait(queue, *last));
      }
      BP_ASSIGN(last, submissions.submit(queue, commands));
    }
    for (std::uint32_t queue = 0; queue < device->queue()->queue_count; ++queue) {
      BP_TRY(submissions.run(queue, {}));
    }
    return {};
  });
}

// Copies to a piece that does not exist, by each way there is, and a submission that waits for one.
Result<Act> copies_in_vain(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  return Act([device = backend->device()]() -> Status {
    const std::byte byte{1};
    const bp_loc_t nowhere = {~std::uint64_t{0}, 0};
    static_cast<void>(runtime::copy(*device, nowhere, runtime::host_location(&byte), 1));
    const std::uint32_t queue = find_queue(*device, 1u << BP_COMMAND_COPY);
    if (queue == BP_NONE) {
      return {};
    }
    Submissions submissions(*device);
    const bp_command_t wrong = copy_command(nowhere, runtime::host_location(&byte), 1);
    const auto failed = submissions.submit(queue, {&wrong, 1});
    if (failed.ok() && device->native_sync() != nullptr) {
      BP_TRY(submissions.wait(queue, *failed));
      BP_ASSIGN([[maybe_unused]] const bp_point_t after, submissions.submit(queue, {}));
    }
    return {};
  });
}

// Imports and exports, and those that are refused.
Result<Act> repeats_import(Subject &subject) {
  constexpr std::uint64_t page = 4096, size = 4 * page;
  constexpr std::uint32_t unknown_kind = 29;
  BP_ASSIGN(const Backend *backend, subject.backend());
  BP_ASSIGN(SharedArea made, SharedArea::create(size));
  const auto area = std::make_shared<SharedArea>(std::move(made));
  return Act([area, device = backend->device()]() -> Status {
    const bp_device_external_memory_t &external = *device->external_memory();
    const auto file = static_cast<std::uint64_t>(area->file());
    const bp_handle_t host = runtime::host_handle(area->bytes(), false);
    const bp_handle_t handles[] = {host,
                                   {BP_HANDLE_HOST, BP_HANDLE_READ_ONLY, host.value, 0, size},
                                   {BP_HANDLE_HOST, 0, host.value, 1, size - 1},
                                   {BP_HANDLE_HOST, 0, host.value, 0, 0},
                                   {BP_HANDLE_FD, 0, file, 0, size},
                                   {BP_HANDLE_FD, BP_HANDLE_READ_ONLY, file, page, size - page},
                                   {BP_HANDLE_FD, 0, file, page, size},
                                   {BP_HANDLE_FD, 0, file, 1, size - 1},
                                   {BP_HANDLE_FD, 0, file, 0, size + 1},
                                   {BP_HANDLE_FD, 0, file, size, 1},
                                   {BP_HANDLE_FD, 0, file, 0, 0},
                                   {unknown_kind, 0, file, 0, size}};
    for (std::uint32_t space = 0; space < device->memory()->space_count; ++space) {
      for (const bp_handle_t &handle : handles) {
        bp_memory_t piece{};
        host::Diagnostics diagnostics;
        if (diagnostics.call([&](const bp_diag_t *diag) {
              return external.import_memory(device->abi(), space, &handle, &piece, diag);
            }) == BP_OK) {
          device->memory()->release(device->abi(), piece.memory);
        }
      }
      if ((device->memory()->spaces[space].flags & BP_SPACE_PER_RUN) != 0) {
        continue;
      }
      BP_ASSIGN(const runtime::Block block, runtime::Block::allocate_on(*device, space, page));
      for (const std::uint32_t kind : {std::uint32_t{BP_HANDLE_FD}, std::uint32_t{BP_HANDLE_HOST}, unknown_kind}) {
        bp_handle_t handle{};
        host::Diagnostics diagnostics;
        if (diagnostics.call([&](const bp_diag_t *diag) {
              return external.export_memory(device->abi(), block.location().memory, kind, &handle, diag);
            }) == BP_OK) {
          close(static_cast<int>(handle.value));
        }
      }
    }
    return {};
  });
}

struct LeakCase {
  std::string_view name, call, extension;
  Result<Act> (*make)(Subject &subject);
  Repetition repetition = {};
};
constexpr LeakCase leak_table[] = {
    {"create", "create(), init() and destroy() of a device", "", creates_devices},
    {"refused_option", "create() that fails", "", creates_in_vain},
    {"probe", "probe() and describe()", "", repeats_probe, frequent},
    {"claim", "claim()", "bp.compiler/1", repeats_claim},
    {"find", "find()", "bp.kernels/1", repeats_claim},
    {"preferences", "preferences()", "bp.layout/draft-1", repeats_wishes},
    {"rewrite", "rewrite()", "bp.rewrite/1", repeats_wishes},
    {"report", "report() of facts", "bp.device-info/draft-1", repeats_report, frequent},
    {"compile", "compile()", "bp.compiler/1", repeats_compile},
    {"refused_stream", "compile() to a stream that refuses, or whose result is not wanted,", "bp.compiler/1",
     compiles_in_vain},
    {"load", "load() and destroy() of programs", "bp.compiler/1", repeats_load, {.count = 60, .slack_per_call = 16}},
    {"refused_artifact", "load() that fails", "bp.compiler/1", loads_in_vain},
    {"run", "run(), also one that ends early,", "", repeats_run, frequent},
    {"alloc", "alloc() and release()", "bp.memory/1", repeats_alloc, frequent},
    {"refused_alloc", "alloc() that fails", "bp.memory/1", allocates_in_vain, frequent},
    {"submit", "submit()", "bp.queue/1", repeats_submit, frequent},
    {"refused_copy", "a copy that fails", "bp.memory/1", copies_in_vain, frequent},
    {"import", "import_memory() or export_memory(), also one that fails,", "bp.external-memory/draft-1", repeats_import,
     frequent},
};

}  // namespace

std::vector<std::string> leak_cases(const Subject &subject) {
  std::vector<std::string> names;
  for (const LeakCase &one : leak_table) {
    if (one.extension.empty() || subject.has(one.extension)) {
      names.emplace_back(one.name);
    }
  }
  return names;
}

// The first calls fill the caches.
Verdict run_leak_case(Subject &subject, std::string_view name) {
  const auto judge = [&]() -> Result<Verdict> {
    const auto found = std::ranges::find(leak_table, name, &LeakCase::name);
    if (found == std::end(leak_table)) {
      return failure(fmt::format("there is no case life_cycle/leaks/{}", name));
    }
    BP_ASSIGN(const Act act, found->make(subject));
    const Result<const Backend *> backend = subject.is_loaded() ? subject.backend() : Result<const Backend *>(nullptr);
    const host::Device *device = backend.ok() && *backend != nullptr ? (*backend)->device().get() : nullptr;
    const auto round = [&] { return left_by(found->call, found->repetition, device, act); };
    BP_TRY(round());
    BP_TRY(round());
    return verdict_of(judge_growth(round));
  };
  return verdict_or_error(judge());
}

}  // namespace bp::conformance
