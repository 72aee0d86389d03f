// Trials of instructions that the application runs in the middle of a program (bp.host-call/draft-1). The programs are
// also run by the interpreter: the application must see the same values in the same order.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <future>
#include <mutex>
#include <optional>
#include <thread>

#include "backplane/ext/draft/host_call.h"
#include "conformance/suite/contract_trials.h"
#include "conformance/suite/direct_program.h"
#include "conformance/suite/sample_programs.h"
#include "conformance/suite/stage.h"
#include "core/host/diagnostics.h"
#include "core/interpreter/host_calls.h"
#include "core/interpreter/interpreter.h"
#include "core/interpreter/random_inputs.h"
#include "core/ir/verifier.h"
#include "core/layers/interposer.h"
#include "core/runtime/memory.h"
#include "core/text/parser.h"
#include "core/text/printer.h"

namespace bp::conformance {
namespace {

using namespace layers;

constexpr std::string_view function_name = "conformance.next";
// Types of the values of a program; the first one that the device has is taken.
constexpr std::string_view value_types[] = {"f32", "s32", "bf16", "f16", "s8", "f64", "s16"};

// --- the application ---

// Appends the elements of the dimensions from `dimension` on, as text.
void append_numbers(const ir::Shape &shape, std::size_t dimension, int &next, std::string &text) {
  if (dimension == static_cast<std::size_t>(shape.rank())) {
    text += fmt::format("{}", next % 11);
    next += 5;
    return;
  }
  text += "{";
  for (std::int64_t i = 0; i < shape.size(dimension); ++i) {
    text += i == 0 ? "" : ", ";
    append_numbers(shape, dimension + 1, next, text);
  }
  text += "}";
}

// Returns small whole numbers, exact in all types and different for each number of a call; a tuple of such.
Result<Literal> whole_numbers(const ir::Shape &shape, int call) {
  if (shape.is_tuple()) {
    std::vector<Literal> elements;
    for (const ir::Shape &element : shape.elements()) {
      BP_ASSIGN(Literal literal, whole_numbers(element, call + 1 + static_cast<int>(elements.size())));
      elements.push_back(std::move(literal));
    }
    return Literal::tuple(std::move(elements));
  }
  std::string text;
  int next = call * 3;
  append_numbers(shape, 0, next, text);
  return text::parse_literal(text, shape);
}

// An application that notes what it is asked for, and fails at the call with the number `fails_at`, if there is one.
class Application {
 public:
  explicit Application(int fails_at = -1) : fails_at_(fails_at) {
    static_cast<void>(calls_.add_function(std::string(function_name),
                                          [this](const ir::Instruction &call, std::span<const Literal> operands) {
                                            for (const Literal &operand : operands) {
                                              note("function of", operand);
                                            }
                                            return answer(call.shape());
                                          }));
    calls_.set_infeed([this](const ir::Shape &shape) {
      notes_.push_back("infeed");
      return answer(shape);
    });
    calls_.set_outfeed([this](const Literal &value) -> Status {
      note("outfeed of", value);
      BP_TRY(answer(value.shape()));
      return {};
    });
  }

  interpreter::Options options() const {
    interpreter::Options host;
    calls_.serve(host);
    return host;
  }
  const std::vector<std::string> &notes() const { return notes_; }
  int asked() const { return asked_; }
  // Called in each call, before it is answered.
  std::function<Status()> meanwhile;

 private:
  void note(std::string_view what, const Literal &value) {
    notes_.push_back(fmt::format("{} {}", what, text::print(value)));
  }
  Result<Literal> answer(const ir::Shape &shape) {
    if (meanwhile) {
      BP_TRY(meanwhile());
    }
    return asked_++ == fails_at_ ? Result<Literal>(make_error(ErrorCode::Io, "the application fails"))
                                 : whole_numbers(shape, asked_);
  }

  interpreter::HostCalls calls_;
  std::vector<std::string> notes_;
  int asked_ = 0, fails_at_;
};

// --- programs ---

// Builds instructions that use what the device calls out for, one after the other.
class CallingText {
 public:
  CallingText(std::string_view type, std::uint32_t kinds)
      : type_(type), shape_(fmt::format("{}[5]", type)), kinds_(kinds) {}

  const std::string &shape() const { return shape_; }
  // Appends the calls of the kinds, with additions between them. The values begin and end with these names.
  std::string calls(std::string_view prefix, std::string &value, std::string &token) {
    std::string text;
    const auto name = [&](std::string_view what) { return fmt::format("{}_{}", prefix, what); };
    if ((kinds_ & BP_CALLS_INFEED) != 0) {
      text += fmt::format(
          "  {0} = ({1}, token[]) infeed({2})  {3} = {1} get-tuple-element({0}), index=0\n"
          "  {4} = token[] get-tuple-element({0}), index=1  {5} = {1} add({6}, {3})\n",
          name("infeed"), shape_, token, name("fed"), name("after_infeed"), name("sum"), value);
      token = name("after_infeed");
      value = name("sum");
    }
    if ((kinds_ & BP_CALLS_FUNCTIONS) != 0) {
      text += fmt::format(
          "  {0} = {1} custom-call({2}), custom_call_target=\"{3}\", custom_call_has_side_effect=true\n"
          "  {4} = {1} add({0}, {0})\n",
          name("called"), shape_, value, function_name, name("double"));
      value = name("double");
    }
    if ((kinds_ & BP_CALLS_OUTFEED) != 0) {
      text += fmt::format("  {0} = token[] outfeed({1}, {2}), outfeed_shape={3}{{0}}\n", name("outfeed"), value, token,
                          shape_);
      token = name("outfeed");
    }
    return text;
  }

  // Calls twice, one after the other.
  std::string straight() {
    std::string value = "x", token = "t";
    const std::string first = calls("first", value, token), second = calls("second", value, token);
    return fmt::format(
        "ENTRY main {{\n  x = {} parameter(0)  t = token[] after-all()\n{}{}  ROOT r = {} add({}, x)\n}}\n", shape_,
        first, second, shape_, value);
  }

  // The same with hundreds of instructions in between, which are not fused with each other. Products with this matrix
  // reverse a vector.
  std::string far_apart() {
    constexpr int products = 600;
    std::string value = "x", token = "t";
    std::string text = calls("first", value, token);
    for (int n = 0; n < products; ++n) {
      text += fmt::format("  v{0} = {1} dot({2}, m), lhs_contracting_dims={{0}}, rhs_contracting_dims={{0}}\n", n,
                          shape_, value);
      value = fmt::format("v{}", n);
    }
    text += calls("second", value, token);
    return fmt::format(R"(ENTRY main {{
  x = {0} parameter(0)  t = token[] after-all()  i = s32[5,5] iota(), iota_dimension=0
  j = s32[5,5] iota(), iota_dimension=1  sum = s32[5,5] add(i, j)  four = s32[] constant(4)
  fours = s32[5,5] broadcast(four), dimensions={{}}  is_one = pred[5,5] compare(sum, fours), direction=EQ
  m = {1}[5,5] convert(is_one)
{2}  ROOT r = {0} add({3}, x)
}}
)",
                       shape_, type_, text, value);
  }

  // A function with several operands, one of them twice, and several results, among them a scalar and an empty array.
  std::string shapes() {
    return fmt::format(R"(ENTRY main {{
  x = {0} parameter(0)  n = s32[] parameter(1)  y = {0} add(x, x)
  c = ({1}[2,3,1], s32[], {0}, {1}[0,4]) custom-call(y, n, x, y), custom_call_target="{2}"
  e = {0} get-tuple-element(c), index=2  z = {0} add(e, y)
  m = {1}[2,3,1] get-tuple-element(c), index=0  k = s32[] get-tuple-element(c), index=1
  ROOT r = ({1}[2,3,1], s32[], {0}) tuple(m, k, z)
}}
)",
                       shape_, type_, function_name);
  }

  // Calls in each of three iterations.
  std::string loop() {
    std::string value = "x", token = "t";
    const std::string body = calls("step", value, token);
    return fmt::format(R"(step {{
  s = (s32[], {0}, token[]) parameter(0)  n = s32[] get-tuple-element(s), index=0
  x = {0} get-tuple-element(s), index=1  t = token[] get-tuple-element(s), index=2
  one = s32[] constant(1)  next = s32[] add(n, one)
{1}  ROOT r = (s32[], {0}, token[]) tuple(next, {2}, {3})
}}
goes_on {{
  s = (s32[], {0}, token[]) parameter(0)  n = s32[] get-tuple-element(s), index=0  end = s32[] constant(3)
  ROOT r = pred[] compare(n, end), direction=LT
}}
ENTRY main {{
  zero = s32[] constant(0)  x = {0} parameter(0)  t = token[] after-all()
  s = (s32[], {0}, token[]) tuple(zero, x, t)
  w = (s32[], {0}, token[]) while(s), condition=goes_on, body=step
  ROOT r = {0} get-tuple-element(w), index=1
}}
)",
                       shape_, body, value, token);
  }

  // Calls in a branch of a branch, and after both.
  std::string nested() {
    std::string value = "x", token = "t", last = "c", last_token = "u";
    const std::string body = calls("inner", value, token), after = calls("last", last, last_token);
    return branches(body, value) + fmt::format(R"(outer {{
  s = (s32[], {0}, token[]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  x = {0} get-tuple-element(s), index=1  t = token[] get-tuple-element(s), index=2  p = ({0}, token[]) tuple(x, t)
  c = {0} conditional(i, p, p), branch_computations={{calling, other}}  ROOT r = {0} add(c, x)
}}
outer_other {{
  s = (s32[], {0}, token[]) parameter(0)  ROOT x = {0} get-tuple-element(s), index=1
}}
ENTRY main {{
  x = {0} parameter(0)  i = s32[] parameter(1)  t = token[] after-all()  s = (s32[], {0}, token[]) tuple(i, x, t)
  c = {0} conditional(i, s, s), branch_computations={{outer, outer_other}}  u = token[] after-all()
{1}  ROOT r = {0} add({2}, x)
}}
)",
                                               shape_, after, last);
  }

  // Calls in one branch, and not in the other.
  std::string branch() {
    std::string value = "x", token = "t";
    const std::string body = calls("taken", value, token);
    return branches(body, value) + fmt::format(R"(ENTRY main {{
  x = {0} parameter(0)  i = s32[] parameter(1)  t = token[] after-all()  s = ({0}, token[]) tuple(x, t)
  c = {0} conditional(i, s, s), branch_computations={{calling, other}}
  ROOT r = {0} add(c, x)
}}
)",
                                               shape_);
  }

 private:
  // The computations `calling`, whose body makes calls and ends with a value, and `other`, which makes none.
  std::string branches(const std::string &body, const std::string &value) const {
    return fmt::format(R"(calling {{
  s = ({0}, token[]) parameter(0)
  x = {0} get-tuple-element(s), index=0  t = token[] get-tuple-element(s), index=1
{1}  ROOT r = {0} add({2}, x)
}}
other {{
  s = ({0}, token[]) parameter(0)  x = {0} get-tuple-element(s), index=0
  ROOT r = {0} add(x, x)
}}
)",
                       shape_, body, value);
  }

  std::string type_, shape_;
  std::uint32_t kinds_;
};

// --- the device's side of the calls ---

// The calls of one run after the other, as the layer sees them. Threads: a device calls from any.
struct Observed {
  std::atomic<int> inside = 0, calls = 0;
  std::atomic<bool> is_concurrent = false, goes_on = false, has_failed = false;
  std::atomic<bp_status> failure = BP_OK, ended = BP_OK;
  // The call with this number returns this status without reaching the application; -1: none does.
  std::atomic<int> refused_at = -1;
  std::atomic<bp_status> refused_with = BP_OK;

  void begin() {
    is_concurrent = goes_on = has_failed = false;
    failure = ended = BP_OK;
    calls = 0;
  }
};

// A run whose calls are watched. Layers below may pass on copies of the run.
struct WatchedRun {
  bp_run_t abi;  // its ctx is this object
  const bp_run_t *original;
  const bp_run_host_call_t *table;
  Observed *observed;

  static WatchedRun &of(const bp_run_t *run) { return *static_cast<WatchedRun *>(run->ctx); }
  static const void *get_extension(const bp_run_t *run, const char *id) {
    const WatchedRun &self = of(run);
    if (std::string_view(id) == BP_EXT_RUN_HOST_CALL && self.table != nullptr) {
      return &watching;
    }
    // The host's tables find their data by ctx; those that a trial does not need are left out.
    return nullptr;
  }
  static bp_status call(const bp_run_t *run, std::uint32_t instr) {
    const WatchedRun &self = of(run);
    Observed &observed = *self.observed;
    if (observed.inside.fetch_add(1) != 0) {
      observed.is_concurrent = true;
    }
    if (observed.has_failed) {
      observed.goes_on = true;
    }
    const bp_status status =
        observed.calls++ == observed.refused_at ? observed.refused_with.load() : self.table->call(self.original, instr);
    if (status != BP_OK && !observed.has_failed.exchange(true)) {
      observed.failure = status;
    }
    observed.inside.fetch_sub(1);
    return status;
  }
  static constexpr bp_run_host_call_t watching = {&WatchedRun::call};
};

class CallWatch final : public Interposer {
 public:
  CallWatch(std::unique_ptr<host::Entry> below, Observed &observed)
      : Interposer(std::move(below)), observed_(observed) {}

  bp_status program_run(LayeredProgram &program, const bp_run_t *run, const bp_diag_t *diag) override {
    const bp_status status = Interposer::program_run(program, watched(run), diag);
    observed_.ended = status;
    return status;
  }
  bp_status queue_submit(LayeredDevice &device, std::uint32_t queue, const bp_command_t *commands,
                         std::uint32_t command_count, bp_point_t done, const bp_diag_t *diag) override {
    std::vector<bp_command_t> changed(commands, commands + command_count);
    for (bp_command_t &command : changed) {
      if (command.kind == BP_COMMAND_RUN) {
        command.run = watched(command.run);
        const std::lock_guard lock(mutex_);
        runs_until_ = done;
      }
    }
    return Interposer::queue_submit(device, queue, changed.data(), command_count, done, diag);
  }
  void host_signal(LayeredHost &host, bp_point_t point, bp_status status, std::uint32_t instr,
                   const char *msg) override {
    {
      const std::lock_guard lock(mutex_);
      if (point.timeline == runs_until_.timeline && point.value == runs_until_.value) {
        observed_.ended = status;
      }
    }
    Interposer::host_signal(host, point, status, instr, msg);
  }

 private:
  const bp_run_t *watched(const bp_run_t *run) {
    const std::lock_guard lock(mutex_);
    WatchedRun &made = runs_.emplace_back(WatchedRun{
        *run, run, static_cast<const bp_run_host_call_t *>(run->get_extension(run, BP_EXT_RUN_HOST_CALL)), &observed_});
    made.abi.ctx = &made;
    made.abi.get_extension = &WatchedRun::get_extension;
    return &made.abi;
  }

  Observed &observed_;
  std::mutex mutex_;             // guards the members below
  std::deque<WatchedRun> runs_;  // a queue may ask until the device is destroyed
  bp_point_t runs_until_{};
};

// --- a program on both sides ---

// A program compiled for the device alone, and what the interpreter makes of it.
class Both {
 public:
  using Text = std::string (CallingText::*)();

  // Takes the first of the types with which the device runs the whole program.
  static Result<std::unique_ptr<Both>> make(Subject &subject, Text text,
                                            std::span<const std::string_view> types = value_types) {
    auto both = std::make_unique<Both>();
    BP_ASSIGN(both->backend_, load_under(subject, [&observed = both->observed](std::unique_ptr<host::Entry> below) {
                return std::make_unique<CallWatch>(std::move(below), observed);
              }));
    Result<Compiled> compiled = make_error(ErrorCode::Unsupported, "there is no type");
    for (const std::string_view type : types) {
      CallingText writer(type, both->backend_->device()->host_call_kinds());
      BP_ASSIGN(ir::Module module, text::parse_module((writer.*text)()));
      BP_TRY(ir::verify(module));
      CompileOptions options;
      options.fold_constants = false;
      options.device_only = true;
      options.host_functions = {std::string(function_name), "infeed", "outfeed"};
      compiled = both->backend_->compile(module, options);
      if (compiled.ok() || compiled.error().code() != ErrorCode::Unsupported) {
        both->module_ = std::move(module);
        break;
      }
    }
    BP_TRY(compiled);
    both->compiled_ = *std::move(compiled);
    if (both->compiled_->executable.program() == nullptr || !both->compiled_->executable.program()->calls_host()) {
      return unsupported("the core leaves nothing of the program for the device to do");
    }
    return both;
  }

  const Backend &backend() const { return *backend_; }
  Result<std::vector<Literal>> arguments(int selector) const {
    std::vector<Literal> made;
    for (const ir::InstructionId id : module_->entry().parameter_ids()) {
      BP_ASSIGN(Literal literal, whole_numbers(module_->instruction(id).shape(), 7));
      made.push_back(std::move(literal));
    }
    if (made.size() > 1) {
      BP_ASSIGN(made[1], text::parse_literal(fmt::format("{}", selector), made[1].shape()));
    }
    return made;
  }
  Result<Literal> run(Application &application, int selector) {
    observed.begin();
    BP_ASSIGN(std::vector<Literal> given, arguments(selector));
    return compiled_->executable.run(std::move(given), application.options());
  }
  Result<Literal> interpret(Application &application, int selector) const {
    BP_ASSIGN(const std::vector<Literal> given, arguments(selector));
    return interpreter::interpret(*module_, given, application.options());
  }

  Observed observed;

 private:
  std::optional<Backend> backend_;
  std::optional<ir::Module> module_;
  std::optional<Compiled> compiled_;
};

// --- BP-CALL-01, BP-CALL-02 ---

// Says where the application's notes differ.
std::string first_difference(const std::vector<std::string> &found, const std::vector<std::string> &expected) {
  for (std::size_t i = 0; i < std::max(found.size(), expected.size()); ++i) {
    const std::string_view here = i < found.size() ? std::string_view(found[i]) : "nothing more";
    const std::string_view there = i < expected.size() ? std::string_view(expected[i]) : "nothing more";
    if (here != there) {
      return fmt::format("as number {} the application is asked for: {}, expected: {}", i + 1, here, there);
    }
  }
  return "";
}

Result<Verdict> calls_as_interpreter(Subject &subject, Both::Text text,
                                     std::span<const std::string_view> types = value_types) {
  BP_ASSIGN(const auto both, Both::make(subject, text, types));
  for (const int selector : {0, 1, 0}) {
    Application expected_application, application;
    BP_ASSIGN(const Literal expected, both->interpret(expected_application, selector));
    const Result<Literal> found = both->run(application, selector);
    if (!found.ok()) {
      return failure("BP-CALL-01: a run fails: " + found.error().to_string());
    }
    if (const std::string where = first_difference(application.notes(), expected_application.notes()); !where.empty()) {
      return failure("BP-CALL-01: " + where);
    }
    if (!found->identical(expected)) {
      return failure(
          fmt::format("BP-CALL-01: the result is {}, expected {}", text::print(*found), text::print(expected)));
    }
    if (both->observed.is_concurrent) {
      return failure("BP-CALL-02: a run makes two calls at a time");
    }
  }
  return Verdict();
}
template <Both::Text text>
Verdict makes_calls(Subject &subject) {
  return verdict_or_error(calls_as_interpreter(subject, text));
}

// Each type that the device can add.
Result<Verdict> calls_with_each_type(Subject &subject) {
  Verdict last{.status = CaseStatus::Unsupported, .message = "the device runs the program with no type"};
  for (const std::string_view &type : value_types) {
    const Result<Verdict> verdict = calls_as_interpreter(subject, &CallingText::shapes, {&type, 1});
    if (verdict.ok()) {
      last = *verdict;
    } else if (verdict.error().code() != ErrorCode::Unsupported) {
      return Error(verdict.error());
    }
    if (last.status == CaseStatus::Fail) {
      last.message += fmt::format(" (values of {})", type);
      return last;
    }
  }
  return last;
}
Verdict passes_types(Subject &subject) {
  return verdict_or_error(calls_with_each_type(subject));
}

// --- BP-CALL-03: the application fails at each call in turn ---

Result<Verdict> ends_with_application(Subject &subject, Both::Text text) {
  BP_ASSIGN(const auto both, Both::make(subject, text));
  Application expected_application;
  BP_ASSIGN(const Literal expected, both->interpret(expected_application, 0));
  for (int at = 0; at < expected_application.asked(); ++at) {
    Application failing(at);
    const Result<Literal> failed = both->run(failing, 0);
    const Observed &observed = both->observed;
    if (failing.asked() > at + 1 || observed.goes_on) {
      return failure(fmt::format("BP-CALL-03: a run goes on calling after call {} failed", at + 1));
    }
    if (observed.has_failed && observed.ended != observed.failure) {
      return failure(fmt::format("BP-CALL-03: a run whose call {} returned \"{}\" ends with \"{}\"", at + 1,
                                 host::status_name(observed.failure), host::status_name(observed.ended)));
    }
    if (failed.ok()) {
      return failure(fmt::format("BP-CALL-03: a run whose call {} failed makes a result", at + 1));
    }
    Application application;
    const Result<Literal> again = both->run(application, 0);
    if (!again.ok() || !again->identical(expected)) {
      return failure(fmt::format("BP-CALL-03: after a run whose call {} failed, the next one {}", at + 1,
                                 again.ok() ? "gives other bits" : "fails: " + again.error().to_string()));
    }
  }
  // Each status, of the first, a middle and the last call.
  const int all = both->observed.calls;
  for (const bp_status status : {BP_NO_MEMORY, BP_INVALID, BP_INTERNAL}) {
    for (const int at : {0, all / 2, all - 1}) {
      both->observed.refused_at = at;
      both->observed.refused_with = status;
      Application application;
      const Result<Literal> failed = both->run(application, 0);
      both->observed.refused_at = -1;
      if (failed.ok() || both->observed.goes_on || both->observed.ended != status) {
        return failure(
            fmt::format("BP-CALL-03: a run whose call {} returned \"{}\" {}, expected that it ends with that", at + 1,
                        host::status_name(status),
                        both->observed.goes_on ? "goes on calling"
                                               : "ends with \"" + host::status_name(both->observed.ended) + "\""));
      }
    }
    Application application;
    const Result<Literal> again = both->run(application, 0);
    if (!again.ok() || !again->identical(expected)) {
      return failure(fmt::format("BP-CALL-03: after runs whose calls returned \"{}\", the next one {}",
                                 host::status_name(status),
                                 again.ok() ? "gives other bits" : "fails: " + again.error().to_string()));
    }
  }
  return Verdict();
}
template <Both::Text text>
Verdict ends_as_told(Subject &subject) {
  return verdict_or_error(ends_with_application(subject, text));
}

// --- BP-CALL-04: during a call, another thread uses the device ---

// A program that another thread runs without a queue, which may be in use.
struct OtherWork {
  ir::Module sample;
  std::unique_ptr<DirectProgram> program;
  std::vector<Literal> arguments;
  DirectProgram::Outputs expected;
};

Result<OtherWork> make_other_work(Subject &subject, const Backend &backend) {
  BP_ASSIGN(ir::Module sample, first_supported_sample(subject));
  BP_ASSIGN(const auto parts, DirectParts::compile(backend.device(), sample));
  if (parts == nullptr) {
    return unsupported("the core leaves nothing of a sample for the device to do");
  }
  BP_ASSIGN(std::unique_ptr<DirectProgram> program, DirectProgram::load(backend.device(), parts));
  BP_ASSIGN(std::vector<Literal> arguments, interpreter::random_arguments(sample, 1));
  BP_ASSIGN(DirectProgram::Outputs expected, program->run(arguments, {}));
  return OtherWork{std::move(sample), std::move(program), std::move(arguments), std::move(expected)};
}

// Allocates, copies and releases memory, if the device has its own, compiles a sample program, and runs it.
Status use_meanwhile(const host::Device &device, const Backend &backend, const OtherWork &work) {
  if (device.memory() != nullptr) {
    BP_ASSIGN(const runtime::Block block, runtime::Block::allocate_on(device, 0, 256, runtime::block_alignment));
    BP_ASSIGN(const runtime::Block bytes, runtime::Block::allocate(256));
    BP_TRY(runtime::copy(device, block.location(), runtime::host_location(bytes.bytes().data()), 256));
  }
  BP_TRY(backend.compile(work.sample));
  BP_ASSIGN(const DirectProgram::Outputs found, work.program->run(work.arguments, {}));
  return found == work.expected ? Status()
                                : Status(make_error(ErrorCode::PluginFailure, "the result of a run differs in bits"));
}

Result<Verdict> stays_usable(Subject &subject) {
  BP_ASSIGN(const auto both, Both::make(subject, &CallingText::straight));
  const Backend &backend = both->backend();
  BP_ASSIGN(const OtherWork work, make_other_work(subject, backend));
  Application application;
  std::future<Status> other;
  bool has_waited = false;
  application.meanwhile = [&]() -> Status {
    if (other.valid()) {
      return {};
    }
    other = std::async(std::launch::async, [&] { return use_meanwhile(*backend.device(), backend, work); });
    constexpr std::chrono::seconds patience(10);
    has_waited = other.wait_for(patience) == std::future_status::timeout;
    return {};
  };
  const Result<Literal> found = both->run(application, 0);
  if (!other.valid()) {
    return failure("BP-CALL-01: the run makes no call");
  }
  const Status used = other.get();
  if (has_waited) {
    return failure(
        "BP-CALL-04: while a run is in a call, alloc(), copy(), claim(), compile() or run() does not return");
  }
  if (!used.ok()) {
    return failure("BP-CALL-04: while a run is in a call, the device fails: " + used.error().to_string());
  }
  return found.ok() ? Verdict() : failure("BP-CALL-04: a run fails: " + found.error().to_string());
}
Verdict stays_free(Subject &subject) {
  return verdict_or_error(stays_usable(subject));
}

// Another thread runs a program all the time, so that mostly one of its runs waits when a call begins: during the call
// it ends.
Result<Verdict> waiting_runs_go_on(Subject &subject) {
  BP_ASSIGN(const auto both, Both::make(subject, &CallingText::loop));
  BP_ASSIGN(const OtherWork work, make_other_work(subject, both->backend()));
  constexpr std::chrono::seconds patience(10);
  std::mutex mutex;
  std::condition_variable changed;
  int done = 0;
  bool is_over = false, has_waited = false;
  Status used;
  Application application;
  application.meanwhile = [&]() -> Status {
    std::unique_lock lock(mutex);
    if (has_waited) {
      return {};
    }
    const int before = done;
    // The run during which the call began, and one that has begun since.
    has_waited = !changed.wait_for(lock, patience, [&] { return done >= before + 2 || is_over; });
    return {};
  };
  std::jthread other([&] {
    std::unique_lock lock(mutex);
    while (!is_over) {
      lock.unlock();
      const auto found = work.program->run(work.arguments, {});
      lock.lock();
      used = !found.ok()               ? Status(Error(found.error()))
             : *found != work.expected ? Status(make_error(ErrorCode::PluginFailure, "the result differs in bits"))
                                       : Status();
      is_over |= !used.ok();
      ++done;
      changed.notify_all();
    }
  });
  const Result<Literal> found = both->run(application, 0);
  {
    const std::lock_guard lock(mutex);
    is_over = true;
  }
  other.join();
  if (has_waited) {
    return failure("BP-CALL-04: while a run is in a call, a run() that waited when the call began does not return");
  }
  if (!used.ok()) {
    return failure("BP-CALL-04: next to a run with calls, another run fails: " + used.error().to_string());
  }
  return found.ok() ? Verdict() : failure("BP-CALL-04: a run fails: " + found.error().to_string());
}
Verdict lets_waiting_runs_go_on(Subject &subject) {
  return verdict_or_error(waiting_runs_go_on(subject));
}

// --- BP-CALL-01: runs of one program that overlap ---

// A run whose calls are only counted; the first one returns once all runs are in a call.
struct CountedCalls {
  bp_run_t abi;  // its ctx is this object
  std::atomic<int> *in_calls;
  int runs;
  int fails_at = -1;  // the number of the call that fails
  std::atomic<int> calls = 0;

  static bp_status call(const bp_run_t *run, std::uint32_t) {
    constexpr std::chrono::milliseconds step(1), patience(500);
    CountedCalls &self = *static_cast<CountedCalls *>(run->ctx);
    const int number = self.calls++;
    if (number == 0) {
      ++*self.in_calls;
      for (auto waited = std::chrono::milliseconds(0); *self.in_calls < self.runs && waited < patience;
           waited += step) {
        std::this_thread::sleep_for(step);
      }
    }
    return number == self.fails_at ? BP_INTERNAL : BP_OK;
  }
  static constexpr bp_run_host_call_t table = {&CountedCalls::call};
  static const void *get_extension(const bp_run_t *, const char *id) {
    return std::string_view(id) == BP_EXT_RUN_HOST_CALL ? &table : nullptr;
  }
};

Result<Verdict> calls_of_own_run(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  const DevicePointer &device = backend->device();
  // Functions would have to be registered.
  const std::uint32_t kinds = device->host_call_kinds() & (BP_CALLS_INFEED | BP_CALLS_OUTFEED);
  std::shared_ptr<const DirectParts> parts;
  std::optional<ir::Module> module;
  for (const std::string_view type : value_types) {
    CallingText writer(type, kinds);
    BP_ASSIGN(module, text::parse_module(writer.loop()));
    BP_TRY(ir::verify(*module));
    auto compiled = DirectParts::compile(device, *module, {"infeed", "outfeed"});
    if (kinds != 0 && compiled.ok() && *compiled != nullptr) {
      parts = *compiled;
      break;
    }
  }
  if (parts == nullptr) {
    return unsupported("the device runs the program with no type");
  }
  BP_ASSIGN(const auto program, DirectProgram::load(device, parts));
  BP_ASSIGN(const Literal argument,
            whole_numbers(module->instruction(module->entry().parameter_ids().front()).shape(), 1));
  int alone = 0;
  for (const auto &[count, fails_at] : {std::pair{1, -1}, {2, -1}, {3, -1}, {2, 1}, {3, 1}, {3, 0}}) {
    std::atomic<int> in_calls = 0;
    std::vector<std::unique_ptr<DirectRun>> memory;
    std::deque<CountedCalls> runs;
    for (int i = 0; i < count; ++i) {
      BP_ASSIGN(auto prepared, program->prepare({&argument, 1}, {}));
      CountedCalls &run = runs.emplace_back(*prepared->abi(), &in_calls, count);
      run.abi.ctx = &run;
      run.abi.get_extension = &CountedCalls::get_extension;
      run.fails_at = i == count - 1 ? fails_at : -1;
      memory.push_back(std::move(prepared));
    }
    std::vector<bp_status> statuses(runs.size());
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < runs.size(); ++i) {
        threads.emplace_back([&, i] {
          host::Diagnostics diagnostics;
          statuses[i] = diagnostics.call(
              [&](const bp_diag_t *diag) { return program->abi()->run(program->abi(), &runs[i].abi, diag); });
        });
      }
    }
    alone = count == 1 ? runs.front().calls.load() : alone;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const bool fails = runs[i].fails_at >= 0;
      if (statuses[i] != (fails ? BP_INTERNAL : BP_OK) || runs[i].calls != (fails ? fails_at + 1 : alone)) {
        return failure(fmt::format(
            "BP-CALL-01: one of {} runs of a program at the same time{} makes {} calls and returns \"{}\", expected {}",
            count, fails_at < 0 ? "" : ", of which one has a call that fails,", runs[i].calls.load(),
            host::status_name(statuses[i]),
            fails ? fmt::format("{} calls, of which the last fails", fails_at + 1)
                  : fmt::format("{} calls, as when it runs alone", alone)));
      }
    }
  }
  return Verdict();
}
Verdict calls_for_its_own_run(Subject &subject) {
  return verdict_or_error(calls_of_own_run(subject));
}

const ContractTrial host_call_table[] = {
    {"BP-CALL-01/loop", BP_EXT_HOST_CALL, makes_calls<&CallingText::loop>},
    {"BP-CALL-01/branch", BP_EXT_HOST_CALL, makes_calls<&CallingText::branch>},
    {"BP-CALL-01/branches", BP_EXT_HOST_CALL, makes_calls<&CallingText::nested>},
    {"BP-CALL-01/shapes", BP_EXT_HOST_CALL, passes_types},
    {"BP-CALL-01/runs", BP_EXT_HOST_CALL, calls_for_its_own_run},
    {"BP-CALL-02", BP_EXT_HOST_CALL, makes_calls<&CallingText::straight>},
    {"BP-CALL-02/far_apart", BP_EXT_HOST_CALL, makes_calls<&CallingText::far_apart>},
    {"BP-CALL-03", BP_EXT_HOST_CALL, ends_as_told<&CallingText::loop>},
    {"BP-CALL-03/far_apart", BP_EXT_HOST_CALL, ends_as_told<&CallingText::far_apart>},
    {"BP-CALL-03/branches", BP_EXT_HOST_CALL, ends_as_told<&CallingText::nested>},
    {"BP-CALL-04", BP_EXT_HOST_CALL, stays_free},
    {"BP-CALL-04/waiting", BP_EXT_HOST_CALL, lets_waiting_runs_go_on},
};

}  // namespace

const std::span<const ContractTrial> host_call_trials = host_call_table;

}  // namespace bp::conformance
