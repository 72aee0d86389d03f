#include "conformance/suite/failing_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "conformance/suite/sample_programs.h"
#include "core/interpreter/random_inputs.h"
#include "core/layers/failures.h"

namespace bp::conformance {
namespace {

using layers::Failure;

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
constexpr std::string_view copy_refusal = "this copy was made to fail";

bool is_due(Failure &failure) {
  return ++failure.calls == failure.call;
}

// Makes one alloc() ask for more memory than any machine has, so that the device itself refuses.
class Excess final : public layers::Interposer {
 public:
  Excess(std::unique_ptr<host::Entry> below, std::shared_ptr<Failure> when)
      : Interposer(std::move(below)), when_(std::move(when)) {}
  bp_status memory_alloc(layers::LayeredDevice &device, std::uint32_t space, std::uint64_t size,
                         std::uint32_t alignment, bp_memory_t *out, const bp_diag_t *diag) override {
    constexpr std::uint64_t too_much = std::uint64_t{1} << 50;
    return Interposer::memory_alloc(device, space, is_due(*when_) ? too_much : size, alignment, out, diag);
  }

 private:
  std::shared_ptr<Failure> when_;
};

// Makes one copy fail, or the submission that contains it.
class FailingCopy final : public layers::Interposer {
 public:
  FailingCopy(std::unique_ptr<host::Entry> below, std::shared_ptr<Failure> when)
      : Interposer(std::move(below)), when_(std::move(when)) {}
  bp_status memory_copy(layers::LayeredDevice &device, bp_loc_t to, bp_loc_t from, std::uint64_t size,
                        const bp_diag_t *diag) override {
    return is_due(*when_) ? refuse(diag) : Interposer::memory_copy(device, to, from, size, diag);
  }
  bp_status queue_submit(layers::LayeredDevice &device, std::uint32_t queue, const bp_command_t *commands,
                         std::uint32_t command_count, bp_point_t done, const bp_diag_t *diag) override {
    bool fails = false;
    for (std::uint32_t i = 0; i < command_count; ++i) {
      fails |= commands[i].kind == BP_COMMAND_COPY && is_due(*when_);
    }
    return fails ? refuse(diag) : Interposer::queue_submit(device, queue, commands, command_count, done, diag);
  }

 private:
  static bp_status refuse(const bp_diag_t *diag) {
    diag->report(diag, BP_INTERNAL, BP_NONE, copy_refusal.data());
    return BP_INTERNAL;
  }
  std::shared_ptr<Failure> when_;
};

template <class Layer>
host::Layer layer_of(std::shared_ptr<Failure> when) {
  return [when = std::move(when)](std::unique_ptr<host::Entry> below) {
    return std::make_unique<Layer>(std::move(below), when);
  };
}

struct FailingKind {
  std::string_view name;
  host::Layer (*layer)(std::shared_ptr<Failure> when);
  std::string_view reason;  // text that the error must contain
  int most;                 // number of calls that are tried if the device has its own memory
  bool is_loss = false;
};
const FailingKind failing_kinds[] = {
    {"alloc", layer_of<Excess>, "out of memory", 12},
    {"copy", layer_of<FailingCopy>, copy_refusal, 12},
    {"lost", layers::failure_layer, "device lost", 24, true},
};

// A program that the device can run completely, and its result.
struct Example {
  Module module;
  Literal expected;
};

Result<Example> make_example(Subject &subject) {
  BP_ASSIGN(Module module, first_supported_sample(subject));
  BP_ASSIGN(const Backend *backend, subject.backend());
  BP_ASSIGN(Literal expected, run_on_device(*backend, module));
  return Example{std::move(module), std::move(expected)};
}

// Puts the failing layer below all other layers, where a failure of the device itself would occur.
Result<Backend> load_over(const Subject &subject, host::Layer layer) {
  BackendOptions options = subject.backend_options();
  options.layers.insert(options.layers.begin(), std::move(layer));
  return Backend::load(subject.choice().name, options);
}

std::uint64_t free_bytes(const host::Device &device) {
  std::uint64_t sum = 0;
  for (const runtime::Block &piece : allocate_all(device)) {
    sum += piece.size();
  }
  return sum;
}

Status expect_reason(const Result<Literal> &found, const FailingKind &kind, std::string_view when) {
  if (found.ok()) {
    return make_error(ErrorCode::PluginFailure, "a run succeeds {}, expected it to fail", when);
  }
  const std::string said = found.error().to_string();
  return said.find(kind.reason) != std::string::npos
             ? Status()
             : Status(make_error(ErrorCode::PluginFailure, "a run {} reports \"{}\", expected \"{}\"", when, said,
                                 kind.reason));
}

Status expect_bits(const Backend &backend, const Example &example, std::string_view when) {
  const auto found = run_on_device(backend, example.module);
  if (!found.ok()) {
    return make_error(ErrorCode::PluginFailure, "a run {} fails: {}", when, found.error().to_string());
  }
  return found->identical(example.expected)
             ? Status()
             : Status(make_error(ErrorCode::PluginFailure, "a run {} has a result with different bits", when));
}

// Returns false for a run in which no call was made to fail; an error if that run failed.
Result<bool> no_call_failed(const Result<Literal> &found) {
  if (!found.ok()) {
    return make_error(ErrorCode::PluginFailure, "a run fails, though no call of it was made to fail: {}",
                      found.error().to_string());
  }
  return false;
}

// Checks that the device works as before after a call has failed. Returns false if the device makes fewer than n calls.
Result<bool> recovers(const Subject &subject, const FailingKind &kind, std::uint64_t n, const Example &example) {
  const auto failure = std::make_shared<Failure>();
  failure->call = never;
  BP_ASSIGN(const Backend backend, load_over(subject, kind.layer(failure)));
  constexpr int rounds = 5;  // memory kept for later use is taken once, a leak grows
  std::uint64_t before = 0, after = 0;
  for (int i = 0; i < 2 || (i < rounds && after < before); ++i) {
    failure->calls = 0;
    failure->call = n;
    const auto found = run_on_device(backend, example.module);
    const bool has_struck = failure->has_struck();
    failure->call = never;
    if (!has_struck) {
      return no_call_failed(found);
    }
    BP_TRY(expect_reason(found, kind, fmt::format("in which {} {} fails", kind.name, n)));
    BP_TRY(expect_bits(backend, example, fmt::format("after one in which {} {} fails", kind.name, n)));
    before = std::exchange(after, free_bytes(*backend.device()));
  }
  if (after < before) {
    return make_error(ErrorCode::PluginFailure,
                      "{} bytes of the device's memory are not free again after a run in which {} {} fails",
                      before - after, kind.name, n);
  }
  return true;
}

// BP-STATUS-03, BP-DEVICE-03. Returns false if the device gets fewer than n calls.
Result<bool> can_be_lost(const Subject &subject, const FailingKind &kind, std::uint64_t n, const Example &example) {
  std::uint64_t before = 0;
  {
    const auto loss = std::make_shared<Failure>();
    loss->is_loss = true;
    loss->call = never;
    BP_ASSIGN(const Backend backend, load_over(subject, kind.layer(loss)));
    before = free_bytes(*backend.device());
    loss->calls = 0;
    loss->call = n;
    const auto found = run_on_device(backend, example.module);
    if (!loss->has_struck()) {
      return no_call_failed(found);
    }
    BP_TRY(expect_reason(found, kind, fmt::format("on a device that is lost at call {}", n)));
    BP_TRY(expect_reason(run_on_device(backend, example.module), kind, "on a device that was lost before"));
  }
  BP_ASSIGN(const Backend backend, Backend::load(subject.choice().name, subject.backend_options()));
  BP_TRY(expect_bits(backend, example, "on a new device, after another was lost,"));
  const std::uint64_t after = free_bytes(*backend.device());
  if (after < before) {
    return make_error(ErrorCode::PluginFailure,
                      "{} bytes of the device's memory are not free again after it was lost at call {}", before - after,
                      n);
  }
  return true;
}

}  // namespace

std::vector<std::string> failing_calls(const Subject &subject) {
  std::vector<std::string> calls;
  if (subject.is_interpreter()) {
    return calls;
  }
  const bool has_memory = subject.has("bp.memory/1") && subject.has("bp.compiler/1");
  for (const FailingKind &kind : failing_kinds) {
    // Without memory calls there are few calls at which it can be lost.
    const int most = has_memory ? kind.most : kind.is_loss ? 3 : 0;
    for (int n = 1; n <= most; n += subject.is_full() || kind.is_loss ? 1 : 1 + n / 3) {
      calls.push_back(fmt::format("{}/{}", kind.name, n));
    }
  }
  return calls;
}

Result<Verdict> run_with_failing_call(Subject &subject, std::string_view call) {
  const std::size_t slash = std::min(call.find('/'), call.size());
  const auto kind = std::ranges::find(failing_kinds, call.substr(0, slash), &FailingKind::name);
  std::uint64_t n = 0;
  std::from_chars(call.data() + std::min(slash + 1, call.size()), call.data() + call.size(), n);
  if (kind == std::end(failing_kinds) || n == 0) {
    return invalid_input("there is no case faults/{}", call);
  }
  // The cases of a worker share the example.
  static const Result<Example> example = make_example(subject);
  if (!example.ok()) {
    return example.error();
  }
  BP_ASSIGN(const bool has_struck, (kind->is_loss ? can_be_lost : recovers)(subject, *kind, n, *example));
  return has_struck ? Verdict()
                    : Verdict{.status = CaseStatus::Unsupported,
                              .message = fmt::format("a run of a program makes fewer than {} of these calls", n)};
}

Result<Literal> run_on_device(const Backend &backend, const Module &module) {
  CompileOptions options;
  options.device_only = true;
  options.fold_constants = false;
  BP_ASSIGN(const Compiled compiled, backend.compile(module, options));
  BP_ASSIGN(const std::vector<Literal> arguments, interpreter::random_arguments(module, 1));
  return compiled.executable.run(arguments);
}

std::vector<runtime::Block> allocate_all(const host::Device &device) {
  constexpr std::uint64_t most = std::uint64_t{1} << 32, min_piece = 64;
  std::vector<runtime::Block> pieces;
  const std::uint64_t spaces = device.memory() == nullptr ? 0 : device.memory()->space_count;
  for (std::uint32_t space = 0; space < spaces; ++space) {
    const std::uint64_t capacity = device.memory()->spaces[space].capacity;
    std::uint64_t taken = 0;
    for (std::uint64_t size = capacity > most ? 0 : capacity; size >= min_piece && taken <= capacity;) {
      if (auto piece = runtime::Block::allocate_on(device, space, size); piece.ok()) {
        pieces.push_back(std::move(piece).value());
        taken += size;
      } else {
        size /= 2;
      }
    }
  }
  return pieces;
}

}  // namespace bp::conformance
