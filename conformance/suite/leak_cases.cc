#include "conformance/suite/leak_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <mutex>

#include "conformance/suite/contract_trials.h"
#include "conformance/suite/direct_program.h"
#include "conformance/suite/growth.h"
#include "conformance/suite/library.h"
#include "conformance/suite/sample_programs.h"
#include "conformance/suite/stage.h"
#include "conformance/suite/submissions.h"
#include "core/host/diagnostics.h"
#include "core/interpreter/random_inputs.h"

namespace bp::conformance {
namespace {

// Resources of the process.
struct Holdings {
  std::int64_t threads = count_threads(), files = count_files(), mappings = count_mappings();
  std::int64_t heap = heap_bytes(), resident = resident_bytes();
};

// A call that is repeated; calls that are meant to fail return success if they did.
using Act = std::function<Status()>;

// How often a call is repeated, and the bytes on the heap that each may leave.
struct Repetition {
  int count = 10;
  std::int64_t slack_per_call = 1024;  // compilers keep some hundred bytes of each module
};
// Calls that an application makes millions of times leave nothing.
constexpr Repetition frequent = {.count = 100, .slack_per_call = 16};

// Also growth that does not count: caches of the allocator, and pages that are accessed for the first time.
Result<std::string> left_by(std::string_view call, const Repetition &repetition, const Act &act) {
  const std::int64_t heap_slack_of_calls = 4096 + repetition.slack_per_call * repetition.count;
  const std::int64_t resident_slack_of_calls = (256 + 16 * std::min(repetition.count, 10)) << 10;
  const Holdings before;
  Status status;
  call_on_own_thread([&] {
    for (int i = 0; i < repetition.count && status.ok(); ++i) {
      status = act();
    }
  });
  BP_TRY(std::move(status));
  const Holdings after;
  const auto grows = [&](std::int64_t Holdings::*what, std::int64_t slack) {
    return after.*what - before.*what > slack;
  };
  const auto left = [&](std::int64_t Holdings::*what, std::string_view unit, std::int64_t slack) {
    return fmt::format("BP-ENTRY-03: {} leaves {} more {} if it is repeated {} times, at most {} are in order", call,
                       after.*what - before.*what, unit, repetition.count, slack);
  };
  return grows(&Holdings::threads, 0)                  ? left(&Holdings::threads, "threads", 0)
         : grows(&Holdings::files, 0)                  ? left(&Holdings::files, "open files", 0)
         : grows(&Holdings::mappings, 5)               ? left(&Holdings::mappings, "mappings", 5)
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
    return {};
  });
}

// Some questions of both answers.
Result<Act> repeats_claim(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  const auto questions = std::make_shared<std::vector<host::Image>>();
  for (const std::string &name : sample_program_names()) {
    BP_ASSIGN(const ir::Module module, sample_program(name));
    if (auto image = host::build_image(module, host::Stage::Legalize); image.ok()) {
      questions->push_back(std::move(image).value());
    }
  }
  return Act([questions, device = backend->device()]() -> Status {
    for (const host::Image &question : *questions) {
      BP_TRY(claims_of(*device, question.module()));
    }
    return {};
  });
}

// --- Compilation ---

// A sample that the device runs, compiled: a small one, if it runs such a one.
struct SampleParts {
  DevicePointer device;
  std::shared_ptr<const DirectParts> parts;
  std::vector<Literal> arguments;
};
Result<std::shared_ptr<SampleParts>> make_sample_parts(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  BP_ASSIGN(ir::Module module, sample_program("in_place_f32"));
  auto compiled = DirectParts::compile(backend->device(), module);
  if (!compiled.ok() || *compiled == nullptr) {
    BP_ASSIGN(module, first_supported_sample(subject));
    compiled = DirectParts::compile(backend->device(), module);
  }
  BP_ASSIGN(auto parts, std::move(compiled));
  BP_ASSIGN(std::vector<Literal> arguments, interpreter::random_arguments(module, 1));
  return std::make_shared<SampleParts>(SampleParts{backend->device(), std::move(parts), std::move(arguments)});
}

// Compiles to a stream that returns `answer`.
Result<Act> compiles_to_stream(Subject &subject, bp_status answer) {
  BP_ASSIGN(const std::shared_ptr<SampleParts> example, make_sample_parts(subject));
  return Act([example, answer]() -> Status {
    bp_status given = answer;
    const bp_ostream_t stream{&given, [](const bp_ostream_t *self, const void *, std::uint64_t) noexcept {
                                return *static_cast<const bp_status *>(self->ctx);
                              }};
    host::Diagnostics diagnostics;
    const host::Device &device = *example->device;
    const bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
      return device.compiler()->compile(device.abi(), example->parts->image.module(), &stream, diag);
    });
    return answer == BP_OK ? diagnostics.result(status, device.id(), "compile") : Status();
  });
}
Result<Act> repeats_compile(Subject &subject) {
  return compiles_to_stream(subject, BP_OK);
}
Result<Act> compiles_in_vain(Subject &subject) {
  return compiles_to_stream(subject, BP_NO_MEMORY);
}

Result<Act> repeats_load(Subject &subject) {
  BP_ASSIGN(const std::shared_ptr<SampleParts> example, make_sample_parts(subject));
  return Act([example]() -> Status {
    BP_ASSIGN(const std::unique_ptr<DirectProgram> program, DirectProgram::load(example->device, example->parts));
    return {};
  });
}

// Artifacts that are empty, truncated, damaged, or of something else.
Result<Act> loads_in_vain(Subject &subject) {
  BP_ASSIGN(const std::shared_ptr<SampleParts> example, make_sample_parts(subject));
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

Result<Act> repeats_run(Subject &subject) {
  BP_ASSIGN(const std::shared_ptr<SampleParts> example, make_sample_parts(subject));
  BP_ASSIGN(std::unique_ptr<DirectProgram> loaded, DirectProgram::load(example->device, example->parts));
  return Act([example, program = std::shared_ptr<DirectProgram>(std::move(loaded))]() -> Status {
    BP_ASSIGN([[maybe_unused]] const DirectProgram::Outputs outputs, program->run(example->arguments, {}));
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
Result<Act> allocates_in_vain(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  return Act([device = backend->device()]() -> Status {
    const auto block = runtime::Block::allocate_on(*device, 0, std::uint64_t{1} << 50);
    return block.ok() ? Status(make_error(ErrorCode::PluginFailure, "BP-ALLOC-01: 2^50 bytes are allocated"))
                      : Status();
  });
}
Result<Act> repeats_submit(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  return Act([device = backend->device()]() -> Status {
    Submissions submissions(*device);
    for (std::uint32_t queue = 0; queue < device->queue()->queue_count; ++queue) {
      BP_TRY(submissions.run(queue, {}));
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
    {"probe", "probe()", "", repeats_probe},
    {"claim", "claim()", "bp.compiler/1", repeats_claim},
    {"find", "find()", "bp.kernels/1", repeats_claim},
    {"compile", "compile()", "bp.compiler/1", repeats_compile},
    {"refused_stream", "compile() to a stream that refuses", "bp.compiler/1", compiles_in_vain},
    {"load", "load() and destroy() of a program", "bp.compiler/1", repeats_load, frequent},
    {"refused_artifact", "load() that fails", "bp.compiler/1", loads_in_vain},
    {"run", "run()", "", repeats_run, frequent},
    {"alloc", "alloc() and release()", "bp.memory/1", repeats_alloc, frequent},
    {"refused_alloc", "alloc() that fails", "bp.memory/1", allocates_in_vain},
    {"submit", "submit()", "bp.queue/1", repeats_submit, frequent},
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
    BP_TRY(left_by(found->call, found->repetition, act));
    BP_TRY(left_by(found->call, found->repetition, act));
    return verdict_of(judge_growth([&] { return left_by(found->call, found->repetition, act); }));
  };
  return verdict_or_error(judge());
}

}  // namespace bp::conformance
