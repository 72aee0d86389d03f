// Validate detects wrong calls: simultaneous calls of functions that do not allow them (thread tags), and objects that
// remain when a device is destroyed. The plugin is correct here; the caller is not.
#include <catch2/catch.hpp>

#include <condition_variable>
#include <functional>
#include <thread>

#include "core/host/byte_sink.h"
#include "core/host/diagnostics.h"
#include "core/host/plugin.h"
#include "core/host/tests/typed_image.h"
#include "core/layers/tests/tiny_program.h"
#include "core/layers/validate.h"

namespace bp::layers {
namespace {

using Rules = std::vector<std::string>;
using Make = std::function<void()>;

constexpr bp_device_native_sync_t native_sync = {
    [](const bp_device_t *, std::uint32_t, bp_point_t, const bp_diag_t *) -> bp_status { return BP_OK; }};

// Below validate: while the first call of a function is in flight, another thread makes a second call.
class Meeting final : public Interposer {
 public:
  Meeting(std::unique_ptr<host::Entry> below, Function first, const Make &second)
      : Interposer(std::move(below)), first_(first), second_(second) {}

  void enter(const Call &call) override {
    std::unique_lock lock(mutex_);
    if (call.function == first_ && !thread_.joinable()) {
      thread_ = std::thread([this] {
        second_();
        const std::lock_guard over(mutex_);
        second_is_there_ = true;
        changed_.notify_all();
      });
      changed_.wait(lock, [&] { return second_is_there_; });
    } else if (std::this_thread::get_id() == thread_.get_id() && thread_tag(call.function) == ThreadTag::ControlIdle) {
      // The first call needs the object that this one destroys.
      second_is_there_ = true;
      changed_.notify_all();
      changed_.wait(lock, [&] { return first_is_over_; });
    }
  }
  const void *device_get_extension(LayeredDevice &device, const char *id) override {
    return std::string_view(id) == BP_EXT_NATIVE_SYNC ? &native_sync : Interposer::device_get_extension(device, id);
  }
  // Called after the first call.
  void end() {
    {
      const std::lock_guard lock(mutex_);
      first_is_over_ = true;
      changed_.notify_all();
    }
    if (thread_.joinable()) {
      thread_.join();
    }
  }

 private:
  const Function first_;
  const Make &second_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
  bool second_is_there_ = false, first_is_over_ = false;
};

// Pretends that memory, programs and signals exist.
struct Pretends final : Interposer {
  using Interposer::Interposer;
  bp_status memory_alloc(LayeredDevice &, std::uint32_t, std::uint64_t, std::uint32_t, bp_memory_t *out,
                         const bp_diag_t *) override {
    *out = {++last_piece, nullptr, 0};
    return BP_OK;
  }
  void memory_release(LayeredDevice &, std::uint64_t) override {}
  bp_status compiler_load(LayeredDevice &device, const void *, std::uint64_t, const bp_loc_t *, std::uint8_t *,
                          std::uint32_t, const bp_program_t **program, const bp_diag_t *) override {
    *program = wrap(device, &nothing);
    return BP_OK;
  }
  void program_destroy(LayeredProgram &) override {}
  void host_signal(LayeredHost &, bp_point_t, bp_status, std::uint32_t, const char *) override {}

  std::uint64_t last_piece = 0;
  bp_program_t nothing{nullptr,
                       0,
                       0,
                       1,
                       0,
                       [](const bp_program_t *, const bp_run_t *, const bp_diag_t *) -> bp_status { return BP_OK; },
                       [](const bp_program_t *) {}};
};

// A backend that accepts every module without reading it.
struct Blind final : Interposer {
  using Interposer::Interposer;
  const void *device_get_extension(LayeredDevice &device, const char *id) override {
    return std::string_view(id) == BP_EXT_REWRITE ? &rewriter : Interposer::device_get_extension(device, id);
  }
  bp_status compiler_claim(LayeredDevice &, const bp_module_t *module, float *cost, const bp_diag_t *) override {
    std::fill_n(cost, module->instrs.count, 1.0f);
    return BP_OK;
  }
  bp_status compiler_compile(LayeredDevice &, const bp_module_t *, const bp_ostream_t *, const bp_diag_t *) override {
    return BP_OK;
  }
  static constexpr bp_device_rewrite_t rewriter = {[](const bp_device_t *, std::uint32_t, const bp_module_t *,
                                                      const bp_ostream_t *,
                                                      const bp_diag_t *) -> bp_status { return BP_OK; }};
};

// A device without the core's management, with functions that call it harmlessly.
class DirectDevice {
 public:
  DirectDevice(const host::Layer &below, const std::shared_ptr<Violations> &violations) {
    const host::Candidate tiny = host::find_plugin(plugin("tiny"), {}).value();
    entry_ = validate_layer(violations)(
        below(host::open_library(tiny.path, *tiny.manifest, host::AfterUse::KeepMapped).value()));
    entry_->init(tiny.path.c_str(), diagnostics_.abi());
    const auto *factory = static_cast<const bp_device_factory_t *>(entry_->get_factory(BP_DEVICE_FACTORY));
    const bp_option_t options[] = {{"capacity", "1000"}, {"queues", "1"}};
    device_ = factory->create(factory, services_.abi(), "org.example.tiny", 0, options, 2, diagnostics_.abi());
    device_->init(device_, diagnostics_.abi());
    memory_ = extension<bp_device_memory_t>(BP_EXT_MEMORY);
    compiler_ = extension<bp_device_compiler_t>(BP_EXT_COMPILER);
    queue_ = extension<bp_device_queue_t>(BP_EXT_QUEUE);
    native_sync_ = extension<bp_device_native_sync_t>(BP_EXT_NATIVE_SYNC);
  }
  ~DirectDevice() {
    if (device_ != nullptr) {
      destroy();
    }
  }

  void ask() { device_->get_extension(device_, BP_EXT_LOG); }
  const bp_program_t *load() {
    const bp_program_t *program = nullptr;
    compiler_->load(device_, "", 0, nullptr, nullptr, 0, &program, diagnostics_.abi());
    return program;
  }
  std::uint64_t alloc() {
    bp_memory_t piece{};
    memory_->alloc(device_, 0, 5000, 64, &piece, diagnostics_.abi());  // more than available
    return piece.memory;
  }
  void release(std::uint64_t piece) { memory_->release(device_, piece); }
  void submit(std::uint32_t queue) { queue_->submit(device_, queue, nullptr, 0, {1, ++points_}, diagnostics_.abi()); }
  void wait(std::uint32_t queue) { native_sync_->wait(device_, queue, {1, 1}, diagnostics_.abi()); }
  void destroy() {
    device_->destroy(device_);
    device_ = nullptr;
  }
  void deinit() { entry_->deinit(); }
  void claim(const bp_module_t *module) {
    std::vector<float> cost(module->instrs.count);
    compiler_->claim(device_, module, cost.data(), diagnostics_.abi());
  }
  void compile(const bp_module_t *module) {
    host::ByteSink artifact;
    compiler_->compile(device_, module, artifact.abi(), diagnostics_.abi());
  }
  void rewrite(const bp_module_t *module) {
    host::ByteSink out;
    extension<bp_device_rewrite_t>(BP_EXT_REWRITE)->rewrite(device_, 0, module, out.abi(), diagnostics_.abi());
  }

 private:
  template <class Table>
  const Table *extension(const char *id) const {
    return static_cast<const Table *>(device_->get_extension(device_, id));
  }

  host::HostServices services_{{}};
  host::Diagnostics diagnostics_;
  std::unique_ptr<host::Entry> entry_;
  std::atomic<std::uint64_t> points_ = 0;
  const bp_device_t *device_ = nullptr;
  const bp_device_memory_t *memory_;
  const bp_device_compiler_t *compiler_;
  const bp_device_queue_t *queue_;
  const bp_device_native_sync_t *native_sync_;
};

Rules rules_of(const Violations &violations) {
  Rules rules;
  for (const Violation &violation : violations.all()) {
    rules.push_back(violation.rule);
  }
  return rules;
}

// Returns the rules that are broken if the second call is made while the first one, of `function`, is in flight.
Rules broken_by(Function function, void (*first)(DirectDevice &), void (*second)(DirectDevice &)) {
  const auto violations = std::make_shared<Violations>();
  DirectDevice *naked = nullptr;
  Meeting *meeting = nullptr;
  const Make make_second = [&] { second(*naked); };
  DirectDevice device(
      [&](auto below) {
        auto layer = std::make_unique<Meeting>(std::move(below), function, make_second);
        meeting = layer.get();
        return layer;
      },
      violations);
  naked = &device;
  first(device);
  meeting->end();
  return rules_of(*violations);
}

void load(DirectDevice &device) {
  device.load();
}
void alloc(DirectDevice &device) {
  device.alloc();
}
void ask(DirectDevice &device) {
  device.ask();
}
void submit(DirectDevice &device) {
  device.submit(0);
}
void submit_elsewhere(DirectDevice &device) {
  device.submit(1);
}
void wait(DirectDevice &device) {
  device.wait(0);
}
void wait_elsewhere(DirectDevice &device) {
  device.wait(1);
}
void destroy(DirectDevice &device) {
  device.destroy();
}

}  // namespace

TEST_CASE("control functions of a device go one at a time") {
  CHECK(broken_by(Function::compiler_load, load, load) == Rules{"[control]"});
  CHECK(broken_by(Function::compiler_load, load, alloc).empty());
  CHECK(broken_by(Function::memory_alloc, alloc, load).empty());
  CHECK(broken_by(Function::memory_alloc, alloc, alloc).empty());
}

TEST_CASE("a device is destroyed when no call is in flight") {
  CHECK(broken_by(Function::memory_alloc, alloc, destroy) == Rules{"[control & idle]"});
  CHECK(broken_by(Function::compiler_load, load, destroy) == Rules{"[control & idle]"});
  CHECK(broken_by(Function::device_destroy, destroy, ask) == Rules{"[control & idle]"});
}

TEST_CASE("calls to one queue go one at a time") {
  CHECK(broken_by(Function::queue_submit, submit, submit) == Rules{"[queue]"});
  CHECK(broken_by(Function::queue_submit, submit, wait) == Rules{"[queue]"});
  CHECK(broken_by(Function::queue_submit, submit, submit_elsewhere).empty());
  CHECK(broken_by(Function::queue_submit, submit, wait_elsewhere).empty());
}

TEST_CASE("BP-DEVICE-06: objects that are left when a device is destroyed are reported") {
  const auto violations = std::make_shared<Violations>();
  DirectDevice device(mutant<Pretends>(), violations);
  const bp_program_t *program = device.load(), *left = device.load();
  device.release(device.alloc());
  device.alloc();
  device.alloc();
  program->destroy(program);
  CHECK(violations->all().empty());
  device.submit(0);
  device.destroy();
  std::string found;
  for (const Violation &violation : violations->all()) {
    found += violation.rule + ": " + violation.message + "\n";
  }
  CHECK(found ==
        "BP-DEVICE-06: device.destroy while programs are not destroyed: 1\n"
        "BP-DEVICE-06: device.destroy while pieces of memory are not released: 2\n"
        "BP-DEVICE-02: device.destroy while submissions are in flight: 1\n"
        "BP-SIGNAL-01: device.destroy leaves submissions that were never signalled: 1\n");
  left->destroy(left);
}

TEST_CASE("devices that are not destroyed when the plugin is unloaded are reported") {
  const auto violations = std::make_shared<Violations>();
  DirectDevice device(mutant<Pretends>(), violations);
  device.deinit();
  CHECK(rules_of(*violations) == Rules{"BP-LAW-01"});
}

TEST_CASE("BP-MODULE-08: a module that is not well-typed is the core's fault, whatever it is handed over for") {
  const auto violations = std::make_shared<Violations>();
  DirectDevice device(mutant<Blind>(), violations);
  host::TypedImage image;
  device.claim(image.module());
  device.compile(image.module());
  device.rewrite(image.module());
  CHECK(violations->all().empty());
  image.at("d").operand_count = 1;
  image.rehash();
  device.claim(image.module());
  image = {};
  image.attribute_of("s").data = image.shape_of("x").dims;
  image.rehash();
  device.compile(image.module());
  image = {};
  image.value_of("q").shape = image.value_of("k").shape;
  image.rehash();
  device.rewrite(image.module());
  image = {};
  image.value_of("q").shape = 9999;
  image.rehash();
  device.claim(image.module());
  std::string found;
  for (const Violation &violation : violations->all()) {
    found += violation.rule + ": " + violation.message + "\n";
  }
  CHECK(
      found ==
      "BP-MODULE-08: the core gives compiler.claim a module that is not well-typed: d: multiply has 1 operands, "
      "expected 2\n"
      "BP-MODULE-08: the core gives compiler.compile a module that is not well-typed: s: dimensions has 4, expected at "
      "least 0 and less than 2\n"
      "BP-MODULE-08: the core gives rewrite.rewrite a module that is not well-typed: s: parameter 1 of add has shape "
      "s32[], expected f32[]\n"
      "BP-MODULE-08: the core gives compiler.claim a module that is not well-typed: module image: value 1: shape 9999 "
      "or instruction 1 does not exist\n");
}

TEST_CASE("the core calls [control] functions one at a time, whatever threads it is called from") {
  struct Slow final : Interposer {
    using Interposer::Interposer;
    bp_status compiler_load(LayeredDevice &device, const void *artifact, std::uint64_t size, const bp_loc_t *constants,
                            std::uint8_t *taken, std::uint32_t count, const bp_program_t **program,
                            const bp_diag_t *diag) override {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return Interposer::compiler_load(device, artifact, size, constants, taken, count, program, diag);
    }
  };
  const auto violations = std::make_shared<Violations>();
  BackendOptions options;
  options.settings = {{"ops", "negate"}, {"capacity", "100000"}, {"queues", "1"}};
  options.layers = {mutant<Slow>(), validate_layer(violations)};
  const auto backend = Backend::load(plugin("tiny"), options);
  REQUIRE(backend.ok());
  const auto module = text::parse_module("ENTRY e { x = f32[4] parameter(0)  ROOT n = f32[4] negate(x) }");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const auto compiled = backend->compile(*module);
      for (int k = 0; k < 4; ++k) {
        static_cast<void>(compiled->executable.run({literal("{1, 2, 3, 4}")}));
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  CHECK(rules_of(*violations).empty());
}

}  // namespace bp::layers
