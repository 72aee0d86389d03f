// Trials of bp.aot/draft-2: the code of an artifact runs without the plugin.
#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/align/aligned_allocator.hpp>
#include <boost/filesystem.hpp>
#include <boost/process.hpp>
#include <csetjmp>
#include <functional>
#include <thread>
#include <variant>

#include "backplane/ext/draft/aot.h"
#include "conformance/suite/contract_trials.h"
#include "conformance/suite/option_trials.h"
#include "conformance/suite/stage.h"
#include "conformance/suite/values.h"
#include "core/aot/program.h"
#include "core/base/files.h"
#include "core/host/byte_sink.h"
#include "core/host/diagnostics.h"
#include "core/interpreter/host_calls.h"
#include "core/interpreter/random_inputs.h"
#include "core/ir/storage.h"
#include "core/text/parser.h"

namespace bp::conformance {
namespace {

namespace filesystem = boost::filesystem;
using AlignedBytes = std::vector<std::byte, boost::alignment::aligned_allocator<std::byte, 64>>;

// Programs with constants, temporaries, scratch memory, loops, and work that is worth dividing.
constexpr std::string_view aot_programs[] = {
    "ENTRY main { x = f32[37,19] parameter(0)  k = f32[] constant(2.5)  b = f32[37,19] broadcast(k), dimensions={}  "
    "y = f32[37,19] multiply(x, b)  t = f32[19,37] transpose(y), dimensions={1,0}  "
    "ROOT r = (f32[37,19], f32[19,37]) tuple(y, t) }",
    "ENTRY main { x = f32[300,257] parameter(0)  y = f32[257,300] parameter(1)  "
    "ROOT d = f32[300,300] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} }",
    "add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }  "
    "ENTRY main { x = f32[700,500] parameter(0)  z = f32[] constant(0)  e = f32[700,500] exponential(x)  "
    "s = f32[700] reduce(e, z), dimensions={1}, to_apply=add  w = f32[700,500] broadcast(s), dimensions={0}  "
    "ROOT p = f32[700,500] divide(e, w) }",
    "body { p = (s32[], f32[64]) parameter(0)  i = s32[] get-tuple-element(p), index=0  one = s32[] constant(1)  "
    "j = s32[] add(i, one)  v = f32[64] get-tuple-element(p), index=1  w = f32[64] add(v, v)  "
    "ROOT r = (s32[], f32[64]) tuple(j, w) }  "
    "condition { p = (s32[], f32[64]) parameter(0)  i = s32[] get-tuple-element(p), index=0  n = s32[] constant(9)  "
    "ROOT c = pred[] compare(i, n), direction=LT }  "
    "ENTRY main { x = f32[64] parameter(0)  i = s32[] constant(0)  t = (s32[], f32[64]) tuple(i, x)  "
    "ROOT l = (s32[], f32[64]) while(t), condition=condition, body=body }",
};
// Types that not every machine has instructions for, so that the code brings routines of its own.
constexpr std::string_view narrow_program =
    "ENTRY main { x = f32[197] parameter(0)  d = f64[197] parameter(1)  h = f16[197] parameter(2)  "
    "b = bf16[197] parameter(3)  n = s64[197] parameter(4)  xh = f16[197] convert(x)  xb = bf16[197] convert(x)  "
    "dh = f16[197] convert(d)  db = bf16[197] convert(d)  hx = f32[197] convert(h)  hd = f64[197] convert(h)  "
    "bx = f32[197] convert(b)  hh = f16[197] multiply(h, h)  bb = bf16[197] multiply(b, b)  nh = f16[197] convert(n)  "
    "nb = bf16[197] convert(n)  hn = s64[197] convert(h)  ROOT r = (f16[197], bf16[197], f16[197], bf16[197], f32[197], "
    "f64[197], f32[197], f16[197], bf16[197], f16[197], bf16[197], s64[197]) "
    "tuple(xh, xb, dh, db, hx, hd, bx, hh, bb, nh, nb, hn) }";

// A number that is multiplied by 3 stays odd.
constexpr std::string_view endless_program =
    "body { p = (s32[]) parameter(0)  i = s32[] get-tuple-element(p), index=0  k = s32[] constant(3)  "
    "j = s32[] multiply(i, k)  ROOT r = (s32[]) tuple(j) }  "
    "condition { p = (s32[]) parameter(0)  i = s32[] get-tuple-element(p), index=0  z = s32[] constant(0)  "
    "ROOT c = pred[] compare(i, z), direction=NE }  "
    "ENTRY main { x = s32[] parameter(0)  k = s32[] constant(1)  i = s32[] or(x, k)  t = (s32[]) tuple(i)  "
    "l = (s32[]) while(t), condition=condition, body=body  ROOT r = s32[] get-tuple-element(l), index=0 }";

// Calls the application in a loop, and then twice in a row.
constexpr std::string_view called_function = "conformance.next";
constexpr std::string_view calling_program =
    "body { p = (s32[], f32[6]) parameter(0)  i = s32[] get-tuple-element(p), index=0  one = s32[] constant(1)  "
    "j = s32[] add(i, one)  v = f32[6] get-tuple-element(p), index=1  w = f32[6] add(v, v)  "
    "c = f32[6] custom-call(w), custom_call_target=\"conformance.next\", custom_call_has_side_effect=true  "
    "ROOT r = (s32[], f32[6]) tuple(j, c) }  "
    "condition { p = (s32[], f32[6]) parameter(0)  i = s32[] get-tuple-element(p), index=0  n = s32[] constant(3)  "
    "ROOT c = pred[] compare(i, n), direction=LT }  "
    "ENTRY main { x = f32[6] parameter(0)  i = s32[] constant(0)  t = (s32[], f32[6]) tuple(i, x)  "
    "l = (s32[], f32[6]) while(t), condition=condition, body=body  v = f32[6] get-tuple-element(l), index=1  "
    "a = f32[6] custom-call(v), custom_call_target=\"conformance.next\", custom_call_has_side_effect=true  "
    "ROOT b = f32[6] custom-call(a), custom_call_target=\"conformance.next\", custom_call_has_side_effect=true }";
constexpr int calls_of_program = 5;

struct CompiledProgram {
  Compiled compiled;
  package::Interface interface;
  std::vector<Literal> arguments;
};

// Nothing: the device does not take the program as a whole.
Result<std::optional<CompiledProgram>> compile_one(const Subject &subject, const Backend &backend,
                                                   std::string_view text, bool must_load = true) {
  BP_ASSIGN(ir::Module module, text::parse_module(text));
  CompileOptions options;
  options.device_only = true;
  options.fold_constants = false;
  options.keep_artifacts = true;
  options.must_load = must_load;
  options.host_functions = {std::string(called_function)};
  package::Interface interface = package::interface_of(module);
  BP_ASSIGN(std::vector<Literal> arguments, interpreter::random_arguments(module, subject.seed_of("contract")));
  Result<Compiled> compiled = backend.compile(std::move(module), options);
  if (!compiled.ok() && compiled.error().code() == ErrorCode::Unsupported) {
    return std::optional<CompiledProgram>();
  }
  if (!compiled.ok()) {
    return std::move(compiled).error();
  }
  return std::optional(CompiledProgram{*std::move(compiled), std::move(interface), std::move(arguments)});
}

Verdict none_taken() {
  return {.status = CaseStatus::Unsupported, .message = "the device takes none of the programs as a whole"};
}

// --- BP-AOT-01 ---

// The answers to all questions about an artifact; texts of statuses where there is an error.
std::vector<std::string> answers_about(const host::Device &device, std::span<const std::byte> artifact,
                                       std::uint32_t flags, bool backwards) {
  std::vector<std::string> answers;
  bp_aot_code_t code{};
  host::Diagnostics diagnostics;
  const bp_status status =
      device.aot()->describe(device.abi(), artifact.data(), artifact.size(), flags, &code, diagnostics.abi());
  answers.push_back(
      fmt::format("{}: {} {} {}", status, code.object_count, code.shared_scratch_size, code.thread_scratch_size));
  if (status != BP_OK) {
    return answers;
  }
  std::vector<std::string> objects(code.object_count);
  for (std::uint32_t n = 0; n < code.object_count; ++n) {
    const std::uint32_t i = backwards ? code.object_count - 1 - n : n;
    host::ByteSink sink;
    const bp_status written = device.aot()->write_object(device.abi(), artifact.data(), artifact.size(), flags, i,
                                                         sink.abi(), diagnostics.abi());
    const std::vector<std::byte> bytes = sink.take();
    objects[i] = fmt::format("{}: ", written) + std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  }
  answers.insert(answers.end(), objects.begin(), objects.end());
  return answers;
}

Result<Verdict> pure_code(Subject &subject) {
  BP_ASSIGN(const Backend *const backend, subject.backend());
  BP_ASSIGN(const Backend other, load_under(subject, [](std::unique_ptr<host::Entry> below) { return below; }));
  std::size_t taken = 0;
  for (const std::string_view text : aot_programs) {
    BP_ASSIGN(const auto program, compile_one(subject, *backend, text));
    if (!program) {
      continue;
    }
    ++taken;
    const std::span<const std::byte> artifact = program->compiled.executable.program()->artifact().bytes();
    for (const std::uint32_t flags : {0u, BP_AOT_FREESTANDING}) {
      const std::vector<std::string> first = answers_about(*backend->device(), artifact, flags, false);
      const AlignedBytes copy(artifact.begin(), artifact.end());
      for (const Backend *asked : {backend, &other}) {
        if (answers_about(*asked->device(), copy, flags, true) != first) {
          return failure(fmt::format(
              "BP-AOT-01: the code of an artifact differs when it is asked for again, with flags {}", flags));
        }
      }
    }
    AlignedBytes damaged(artifact.begin(), artifact.end());
    damaged[damaged.size() / 2] ^= std::byte(0x10);
    for (const std::span<const std::byte> bytes :
         {std::span<const std::byte>(damaged), artifact.first(artifact.size() - 1), artifact.first(0)}) {
      bp_aot_code_t code{};
      host::Diagnostics diagnostics;
      const bp_status status = backend->device()->aot()->describe(backend->device()->abi(), bytes.data(), bytes.size(),
                                                                  0, &code, diagnostics.abi());
      if (status == BP_OK) {
        return failure("describe() takes a damaged artifact, expected BP_INVALID");
      }
    }
  }
  return taken == 0 ? none_taken() : Verdict();
}

// --- BP-AOT-02 ---

Result<aot::Program> make_one(const CompiledProgram &program, bool freestanding) {
  aot::Options options;
  options.name = "program";
  options.freestanding = freestanding;
  return aot::make_program(program.compiled.executable, program.interface, options);
}

// Has the core make programs of the objects, which checks all that the rule says about them.
Result<Verdict> linkable_objects(Subject &subject) {
  BP_ASSIGN(const Backend *const backend, subject.backend());
  std::size_t taken = 0;
  for (const std::string_view text : aot_programs) {
    BP_ASSIGN(const auto program, compile_one(subject, *backend, text));
    for (const bool freestanding : {false, true}) {
      if (!program) {
        continue;
      }
      ++taken;
      const Result<aot::Program> made = make_one(*program, freestanding);
      if (!made.ok()) {
        return failure("BP-AOT-02: " + made.error().to_string());
      }
    }
  }
  return taken == 0 ? none_taken() : Verdict();
}

// --- BP-AOT-03, BP-AOT-04 ---

using EntryFunction = void (*)(const bp_loc_t *allocations, void *scratch, const bp_aot_caller_t *caller);

bool is_for_this_machine(const aot::ObjectFile &object) {
#if defined(__x86_64__)
  return object.machine == EM_X86_64;
#elif defined(__aarch64__)
  return object.machine == EM_AARCH64;
#else
  return false;
#endif
}

// The code of a program in this process.
class LinkedCode {
 public:
  // NotFound without a C compiler.
  static Result<std::unique_ptr<LinkedCode>> link(const aot::Program &program) {
    const filesystem::path compiler = boost::process::search_path("cc");
    if (compiler.empty()) {
      return make_error(ErrorCode::NotFound, "there is no C compiler cc, which links the code");
    }
    const filesystem::path folder = filesystem::temp_directory_path() / filesystem::unique_path("aot-%%%%%%%%");
    BP_TRY(make_directory(folder.string()));
    Result<std::unique_ptr<LinkedCode>> linked = link_in(folder, compiler, program);
    boost::system::error_code ignored;
    filesystem::remove_all(folder, ignored);
    return linked;
  }
  ~LinkedCode() { dlclose(library_); }
  LinkedCode(const LinkedCode &) = delete;
  LinkedCode &operator=(const LinkedCode &) = delete;

  bool checks_machine() const { return check_() == 1; }

  // Returns the arrays of the result. `make_caller` returns a caller for a number of bytes per thread.
  // `began`, if given, gets the locations of the allocations before the code runs.
  Result<std::vector<Literal>> run(const std::vector<Literal> &arguments, const bp_aot_caller_t &caller,
                                   std::uint32_t threads,
                                   const std::function<void(std::span<const bp_loc_t>)> &began = {}) const {
    std::vector<AlignedBytes> memory;
    std::vector<bp_loc_t> locations(description_.allocation_count, {0, address_of(nowhere_)});
    const auto place = [&](std::uint32_t allocation, std::size_t size, std::byte filling) -> AlignedBytes & {
      memory.emplace_back(size, filling);
      locations[allocation] = {0, address_of(memory.back())};
      return memory.back();
    };
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const aot::Array &array = description_.arguments[i];
      ir::store(arguments[i], array.shape, place(array.allocation, array.size, std::byte{0}));
    }
    for (const aot::ResultArray &array : description_.results) {
      if (array.delivery == aot::Delivery::Direct) {
        place(array.allocation, array.size, std::byte{0xa5});
      }
    }
    for (const aot::Alias &alias : description_.aliases) {
      locations[alias.allocation] = locations[description_.arguments[alias.argument].allocation];
    }
    constexpr std::size_t guard = 4096;
    AlignedBytes arena(description_.arena_bytes(threads) + guard, std::byte{0x5a});
    for (const aot::Temporary &temporary : description_.temporaries) {
      locations[temporary.allocation] = {0, address_of(arena) + temporary.offset};
    }
    for (const aot::ConstantArray &constant : description_.constants) {
      locations[constant.allocation] = {0, constants_ + constant.offset};
    }
    const std::uint64_t scratch = address_of(arena) + description_.temporary_bytes + description_.shared_bytes;
    if (began) {
      began(locations);
    }
    entry_(locations.data(), reinterpret_cast<void *>(static_cast<std::uintptr_t>(scratch)), &caller);
    if (std::ranges::any_of(std::span(arena).last(guard), [](std::byte byte) { return byte != std::byte{0x5a}; })) {
      return make_error(ErrorCode::PluginFailure, "BP-AOT-03: the code writes beyond its scratch memory");
    }
    std::vector<Literal> results;
    for (const aot::ResultArray &array : description_.results) {
      const auto *bytes = reinterpret_cast<const std::byte *>(
          static_cast<std::uintptr_t>(locations[array.allocation].offset + array.offset));
      BP_ASSIGN(Literal literal, ir::load({bytes, array.size}, array.shape));
      results.push_back(std::move(literal));
    }
    return results;
  }

  std::span<const aot::Call> calls() const { return description_.calls; }
  std::uint64_t thread_bytes() const { return description_.thread_bytes; }

 private:
  LinkedCode() = default;
  static Result<std::unique_ptr<LinkedCode>> link_in(const filesystem::path &folder, const filesystem::path &compiler,
                                                     const aot::Program &program) {
    const std::string object = (folder / "program.o").string(), library = (folder / "program.so").string();
    BP_TRY(write_file(object, aot::write_object(program.object)));
    std::error_code problem;
    const int code = boost::process::system(compiler, "-shared", "-Wl,-z,defs", "-o", library, object,
                                            boost::process::std_err > boost::process::null, problem);
    std::unique_ptr<LinkedCode> linked(new LinkedCode);
    linked->library_ = problem || code != 0 ? nullptr : dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (linked->library_ == nullptr) {
      return make_error(ErrorCode::PluginFailure, "the linker does not make a shared library of the objects");
    }
    linked->description_ = program.description;
    const auto find = [&](std::string_view part) {
      return dlsym(linked->library_, program.description.symbol(part).c_str());
    };
    linked->entry_ = reinterpret_cast<EntryFunction>(find("program"));
    linked->check_ = reinterpret_cast<std::int32_t (*)()>(find("check"));
    linked->constants_ = reinterpret_cast<std::uintptr_t>(find("constants"));
    return linked;
  }
  static std::uint64_t address_of(const AlignedBytes &bytes) { return reinterpret_cast<std::uintptr_t>(bytes.data()); }

  void *library_ = nullptr;
  aot::Description description_;
  EntryFunction entry_ = nullptr;
  std::int32_t (*check_)() = nullptr;
  std::uint64_t constants_ = 0;
  AlignedBytes nowhere_ = AlignedBytes(64);
};

// How a caller divides work, and when it ends a run.
struct Division {
  std::uint32_t threads = 1;
  std::int64_t parts = 1;
  bool backwards = false;
  std::uint64_t thread_bytes = 0;
  std::uint64_t questions = 0, last_question = UINT64_MAX;  // is_over() of this number returns 1
};

void share_divided(const bp_aot_caller_t *caller, bp_aot_task task, void *const *pointers, void *scratch,
                   std::int64_t begin, std::int64_t end) {
  const auto &division = *static_cast<const Division *>(caller->context);
  const std::int64_t items = end - begin, parts = std::min(items, division.parts);
  const auto work = [&](std::uint32_t thread) {
    for (std::int64_t n = thread; n < parts; n += division.threads) {
      const std::int64_t part = division.backwards ? parts - 1 - n : n;
      task(pointers, static_cast<char *>(scratch) + thread * division.thread_bytes, begin + items * part / parts,
           begin + items * (part + 1) / parts);
    }
  };
  std::vector<std::thread> others;
  for (std::uint32_t thread = 1; thread < division.threads; ++thread) {
    others.emplace_back(work, thread);
  }
  work(0);
  for (std::thread &other : others) {
    other.join();
  }
}

// Ends a run that does not end when it is told to: only generated code is between this function and the trial.
std::jmp_buf never_ends;

std::uint32_t is_over_at_last(const bp_aot_caller_t *caller) {
  auto &division = *static_cast<Division *>(caller->context);
  if (++division.questions > division.last_question + 100) {
    std::longjmp(never_ends, 1);
  }
  return division.questions >= division.last_question ? 1 : 0;
}

void append_leaf_arrays(const Literal &value, std::vector<Literal> &arrays) {
  if (!value.shape().is_tuple()) {
    arrays.push_back(value);
    return;
  }
  for (const Literal &element : value.tuple_elements()) {
    append_leaf_arrays(element, arrays);
  }
}

// Returns the linked code of a program, or the verdict where there is none.
Result<std::variant<std::unique_ptr<LinkedCode>, Verdict>> link_one(const CompiledProgram &program) {
  BP_ASSIGN(const aot::Program made, make_one(program, false));
  if (!is_for_this_machine(made.object)) {
    return std::variant<std::unique_ptr<LinkedCode>, Verdict>(
        Verdict{.status = CaseStatus::Unsupported, .message = "the code is for another machine than this one"});
  }
  Result<std::unique_ptr<LinkedCode>> linked = LinkedCode::link(made);
  if (!linked.ok() && linked.error().code() == ErrorCode::NotFound) {
    return std::variant<std::unique_ptr<LinkedCode>, Verdict>(
        Verdict{.status = CaseStatus::Unsupported, .message = linked.error().message()});
  }
  if (!linked.ok()) {
    return std::move(linked).error();
  }
  return std::variant<std::unique_ptr<LinkedCode>, Verdict>(*std::move(linked));
}

Result<Verdict> results_of_code(Subject &subject) {
  BP_ASSIGN(const Backend *const backend, subject.backend());
  std::size_t taken = 0;
  for (const std::string_view text : aot_programs) {
    BP_ASSIGN(const auto program, compile_one(subject, *backend, text));
    if (!program) {
      continue;
    }
    ++taken;
    BP_ASSIGN(auto linked, link_one(*program));
    if (const Verdict *verdict = std::get_if<Verdict>(&linked)) {
      return *verdict;
    }
    const LinkedCode &code = *std::get<std::unique_ptr<LinkedCode>>(linked);
    if (!code.checks_machine()) {
      return failure("bp_check() returns 0 on the machine that the code was compiled for, expected 1");
    }
    BP_ASSIGN(const Literal result, program->compiled.executable.run(program->arguments));
    std::vector<Literal> expected;
    append_leaf_arrays(result, expected);
    for (const Division &way : {Division{}, Division{.threads = 1, .parts = 7, .backwards = true},
                                Division{.threads = 3, .parts = 13}, Division{.threads = 2, .parts = 1 << 20}}) {
      Division division = way;
      division.thread_bytes = code.thread_bytes();
      const bp_aot_caller_t caller{share_divided, nullptr, nullptr, &division};
      BP_ASSIGN(const std::vector<Literal> found, code.run(program->arguments, caller, division.threads));
      for (std::size_t i = 0; i < expected.size(); ++i) {
        if (!found[i].identical(expected[i])) {
          return failure(
              fmt::format("{}: array {} of the result differs from that of run(), with {} threads and {} "
                          "parts of the items",
                          way.parts == 1 ? "BP-AOT-03" : "BP-AOT-04", i, way.threads, way.parts));
        }
      }
    }
  }
  return taken == 0 ? none_taken() : Verdict();
}

// Calls `use` with the program made with each value of each option, if the device takes it whole.
Status for_each_option(Subject &subject, std::string_view text,
                       const std::function<Status(const CompiledProgram &program, const std::string &option)> &use) {
  BP_ASSIGN(const Backend *const backend, subject.backend());
  const bp_device_desc_t &description = backend->device()->description();
  for (const bp_option_desc_t &option : std::span(description.options, description.option_count)) {
    for (const std::string &value : values_of_other_targets(option)) {
      BackendOptions options = subject.backend_options();
      std::erase_if(options.settings, [&](const auto &own) { return own.first == option.key; });
      options.settings.emplace_back(option.key, value);
      const Result<Backend> made_for = Backend::load(subject.choice().name, options);
      const auto program = made_for.ok() ? compile_one(subject, *made_for, text, false)
                                         : Result<std::optional<CompiledProgram>>(std::nullopt);
      if (program.ok() && *program) {
        BP_TRY(use(**program, fmt::format("{}={}", option.key, value)));
      }
    }
  }
  return {};
}

// Code that the device makes with some value of an option, such as for older machines, and that this machine runs: on
// numbers at which conversions round, overflow and vanish.
Result<Verdict> code_with_options(Subject &subject) {
  std::size_t taken = 0;
  const auto run = [&](const CompiledProgram &program, const std::string &option) -> Status {
    if (!program.compiled.report.not_loaded.empty()) {
      return {};
    }
    auto linked = link_one(program);
    if (!linked.ok() || std::holds_alternative<Verdict>(*linked)) {
      return {};  // a text in place of code
    }
    ++taken;
    const LinkedCode &code = *std::get<std::unique_ptr<LinkedCode>>(*linked);
    BP_ASSIGN(const ir::Module module, text::parse_module(narrow_program));
    BP_ASSIGN(const std::vector<Literal> arguments,
              make_arguments(module, Values::Edge, SpecialValueSet::Quiet, true, subject.seed_of("contract")));
    BP_ASSIGN(const Literal result, program.compiled.executable.run(arguments));
    std::vector<Literal> expected;
    append_leaf_arrays(result, expected);
    Division division{};
    division.thread_bytes = code.thread_bytes();
    const bp_aot_caller_t caller{share_divided, nullptr, nullptr, &division};
    BP_ASSIGN(const std::vector<Literal> found, code.run(arguments, caller, division.threads));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (!found[i].identical(expected[i])) {
        return make_error(ErrorCode::PluginFailure,
                          "BP-AOT-03: array {} of the result differs from that of run(), with {}", i, option);
      }
    }
    return {};
  };
  BP_TRY(for_each_option(subject, narrow_program, run));
  return taken == 0 ? none_taken() : Verdict();
}

Result<Verdict> code_that_ends_early(Subject &subject) {
  BP_ASSIGN(const Backend *const backend, subject.backend());
  BP_ASSIGN(const auto program, compile_one(subject, *backend, endless_program));
  if (!program) {
    return none_taken();
  }
  BP_ASSIGN(auto linked, link_one(*program));
  if (const Verdict *verdict = std::get_if<Verdict>(&linked)) {
    return *verdict;
  }
  const LinkedCode &code = *std::get<std::unique_ptr<LinkedCode>>(linked);
  static Division division;  // not in a register
  division = {.last_question = 9};
  division.thread_bytes = code.thread_bytes();
  const bp_aot_caller_t caller{share_divided, is_over_at_last, nullptr, &division};
  if (setjmp(never_ends) == 0) {
    BP_TRY(code.run(program->arguments, caller, 1));  // the deadline of the case ends a run that does not ask
  }
  return division.questions == division.last_question
             ? Verdict()
             : failure(
                   fmt::format("BP-AOT-04: the code asked {} times whether to end, after it was told so at the {}th",
                               division.questions, division.last_question));
}

// --- BP-AOT-05 ---

// Returns the application's result for a number, which is different in each call.
float answer_to(float number, int call) {
  return number / 2 + static_cast<float>(call);
}

// A run whose application fails at a call.
struct CallingRun : Division {
  std::span<const aot::Call> sites = {};
  std::span<const bp_loc_t> locations = {};
  int asked = 0, fails_at = -1;
  bool is_unknown = false;  // the code called for an instruction that is not one of the application's
};

float *numbers_of(const CallingRun &run, const aot::Slice &slice) {
  return reinterpret_cast<float *>(static_cast<std::uintptr_t>(run.locations[slice.allocation].offset + slice.offset));
}

std::uint32_t call_application(const bp_aot_caller_t *caller, std::uint32_t instruction) {
  auto &run = *static_cast<CallingRun *>(static_cast<Division *>(caller->context));
  const int call = run.asked++;
  const auto site = std::ranges::find(run.sites, instruction, &aot::Call::instruction);
  run.is_unknown |= site == run.sites.end();
  if (run.is_unknown || call == run.fails_at) {
    return 1;
  }
  const float *in = numbers_of(run, site->inputs[0]);
  float *out = numbers_of(run, site->outputs[0]);
  for (std::uint64_t i = 0; i < site->inputs[0].size / sizeof(float); ++i) {
    out[i] = answer_to(in[i], call);
  }
  return 0;
}

std::uint32_t has_failed(const bp_aot_caller_t *caller) {
  const auto &run = *static_cast<const CallingRun *>(static_cast<const Division *>(caller->context));
  return run.fails_at >= 0 && run.asked > run.fails_at ? 1 : 0;
}

// Returns the result of run() with the same application.
Result<Literal> run_serving(const CompiledProgram &program) {
  int asked = 0;
  interpreter::HostCalls calls;
  BP_TRY(calls.add_function(std::string(called_function),
                            [&](const ir::Instruction &, std::span<const Literal> operands) -> Result<Literal> {
                              Literal result = operands[0];
                              for (float &number : result.mutable_elements<float>()) {
                                number = answer_to(number, asked);
                              }
                              ++asked;
                              return result;
                            }));
  interpreter::Options host;
  calls.serve(host);
  return program.compiled.executable.run(program.arguments, host);
}

Result<Verdict> code_that_calls(Subject &subject) {
  BP_ASSIGN(const Backend *const backend, subject.backend());
  BP_ASSIGN(const auto program, compile_one(subject, *backend, calling_program));
  if (!program) {
    return none_taken();
  }
  BP_ASSIGN(auto linked, link_one(*program));
  if (const Verdict *verdict = std::get_if<Verdict>(&linked)) {
    return *verdict;
  }
  const LinkedCode &code = *std::get<std::unique_ptr<LinkedCode>>(linked);
  BP_ASSIGN(const Literal expected, run_serving(*program));
  for (int fails_at = -1; fails_at < calls_of_program; ++fails_at) {
    CallingRun run;
    run.thread_bytes = code.thread_bytes();
    run.sites = code.calls();
    run.fails_at = fails_at;
    const bp_aot_caller_t caller{share_divided, has_failed, call_application, static_cast<Division *>(&run)};
    BP_ASSIGN(const std::vector<Literal> found,
              code.run(program->arguments, caller, 1,
                       [&](std::span<const bp_loc_t> locations) { run.locations = locations; }));
    if (run.is_unknown) {
      return failure("BP-AOT-05: the code calls for an instruction without BP_INSTR_HOST_CALL");
    }
    const int wanted = fails_at < 0 ? calls_of_program : fails_at + 1;
    if (run.asked != wanted) {
      return failure(fmt::format("BP-AOT-05: the code makes {} calls, expected {}{}", run.asked, wanted,
                                 fails_at < 0 ? "" : ", the last of which fails"));
    }
    if (fails_at < 0 && !found[0].identical(expected)) {
      return failure("BP-AOT-05: the result differs from that of run() with the same application");
    }
  }
  return Verdict();
}

// Code that the device makes with some value of an option, and that this machine refuses to load.
Result<Verdict> code_for_other_machines(Subject &subject) {
  std::size_t others = 0;
  const auto check = [&](const CompiledProgram &program, const std::string &option) -> Status {
    if (program.compiled.report.not_loaded.empty()) {
      return {};  // for this machine
    }
    auto linked = link_one(program);
    if (!linked.ok() || std::holds_alternative<Verdict>(*linked)) {
      return {};  // a text in place of code, or code for another architecture
    }
    ++others;
    return std::get<std::unique_ptr<LinkedCode>>(*linked)->checks_machine()
               ? make_error(ErrorCode::PluginFailure,
                            "bp_check() returns 1 for code that was made with {}, expected 0: load() says {}", option,
                            program.compiled.report.not_loaded)
               : Status();
  };
  BP_TRY(for_each_option(subject, aot_programs[0], check));
  return others > 0 ? Verdict()
                    : Verdict{.status = CaseStatus::Unsupported,
                              .message = "no option makes code that this machine refuses and that can be linked"};
}

const ContractTrial aot_table[] = {
    {"BP-AOT-01", BP_EXT_AOT, [](Subject &subject) { return verdict_or_error(pure_code(subject)); }},
    {"BP-AOT-02", BP_EXT_AOT, [](Subject &subject) { return verdict_or_error(linkable_objects(subject)); }},
    {"BP-AOT-03", BP_EXT_AOT, [](Subject &subject) { return verdict_or_error(results_of_code(subject)); }},
    {"BP-AOT-03/options", BP_EXT_AOT, [](Subject &subject) { return verdict_or_error(code_with_options(subject)); }},
    {"BP-AOT-03/other_machines", BP_EXT_AOT,
     [](Subject &subject) { return verdict_or_error(code_for_other_machines(subject)); }},
    {"BP-AOT-04", BP_EXT_AOT, [](Subject &subject) { return verdict_or_error(code_that_ends_early(subject)); }},
    {"BP-AOT-05", BP_EXT_AOT, [](Subject &subject) { return verdict_or_error(code_that_calls(subject)); }},
};

}  // namespace

const std::span<const ContractTrial> aot_trials = aot_table;

}  // namespace bp::conformance
