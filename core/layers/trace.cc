#include "core/layers/trace.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <deque>

#include "core/layers/interposer.h"
#include "core/layers/listening_run.h"
#include "core/layers/loaded_modules.h"

namespace bp::layers {
namespace {

std::string quoted(std::string_view text) {
  return boost::json::serialize(boost::json::string(text));
}

class TraceLayer final : public Interposer {
 public:
  TraceLayer(std::unique_ptr<host::Entry> below, std::shared_ptr<Trace> trace)
      : Interposer(std::move(below)), trace_(std::move(trace)) {}

  bp_status init(const char *path, const bp_diag_t *diag) override {
    const auto start = Trace::Clock::now();
    const bp_status status = Interposer::init(path, diag);
    trace_->add("entry.init", start, fmt::format("\"path\":{},\"status\":{}", quoted(path), status));
    return status;
  }
  void deinit() override {
    const auto start = Trace::Clock::now();
    Interposer::deinit();
    trace_->add("entry.deinit", start, "");
  }

  void enter(const Call &) override { open_.push_back({Trace::Clock::now(), {}}); }
  void leave(const Call &call, bp_status status) override {
    auto [start, details] = std::move(open_.back());
    open_.pop_back();
    details += fmt::format("{}\"call\":{},\"status\":{}", details.empty() ? "" : ",", call.number, status);
    trace_->add(to_string(call.function), start, std::move(details));
  }

  const void *device_get_extension(LayeredDevice &device, const char *id) override {
    tell("\"id\":{}", quoted(id));
    return Interposer::device_get_extension(device, id);
  }
  bp_status memory_alloc(LayeredDevice &device, std::uint32_t space, std::uint64_t size, std::uint32_t alignment,
                         bp_memory_t *out, const bp_diag_t *diag) override {
    tell("\"space\":{},\"bytes\":{}", space, size);
    return Interposer::memory_alloc(device, space, size, alignment, out, diag);
  }
  bp_status memory_copy(LayeredDevice &device, bp_loc_t to, bp_loc_t from, std::uint64_t size,
                        const bp_diag_t *diag) override {
    tell("\"bytes\":{}", size);
    return Interposer::memory_copy(device, to, from, size, diag);
  }
  bp_kernel kernels_find(LayeredDevice &device, const bp_module_t *module, std::uint32_t instr,
                         const bp_diag_t *diag) override {
    tell("\"instruction\":{}", quoted(plugin::ModuleView(module).instruction(instr).name()));
    return Interposer::kernels_find(device, module, instr, diag);
  }
  bp_status kernels_kernel(LayeredDevice &device, const bp_call_t *call, const bp_diag_t *diag) override {
    tell("\"instruction\":{}", quoted(plugin::ModuleView(call->module).instruction(call->instr).name()));
    return Interposer::kernels_kernel(device, call, diag);
  }
  bp_status compiler_claim(LayeredDevice &device, const bp_module_t *module, float *cost_ns,
                           const bp_diag_t *diag) override {
    tell("\"module\":{},\"stage\":{},\"instructions\":{}", quoted(plugin::ModuleView(module).name()), module->stage,
         module->instrs.count);
    return Interposer::compiler_claim(device, module, cost_ns, diag);
  }
  bp_status compiler_compile(LayeredDevice &device, const bp_module_t *module, const bp_ostream_t *artifact,
                             const bp_diag_t *diag) override {
    Tee tee(artifact);
    const bp_status status = Interposer::compiler_compile(device, module, tee.abi(), diag);
    tell("\"module\":{},\"instructions\":{},\"artifact bytes\":{}", quoted(plugin::ModuleView(module).name()),
         module->instrs.count, tee.bytes().size());
    modules_.compiled(tee.bytes(), module);
    return status;
  }
  bp_status compiler_load(LayeredDevice &device, const void *artifact, std::uint64_t size, const bp_loc_t *constants,
                          std::uint8_t *taken, std::uint32_t allocation_count, const bp_program_t **program,
                          const bp_diag_t *diag) override {
    tell("\"artifact bytes\":{}", size);
    const bp_status status =
        Interposer::compiler_load(device, artifact, size, constants, taken, allocation_count, program, diag);
    if (status == BP_OK && *program != nullptr) {
      modules_.loaded(*program, artifact, size);
    }
    return status;
  }
  bp_status program_run(LayeredProgram &program, const bp_run_t *run, const bp_diag_t *diag) override {
    tell("\"run\":{}", run->id);
    return Interposer::program_run(program, listen(&program.abi, run), diag);
  }
  bp_status queue_submit(LayeredDevice &device, std::uint32_t queue, const bp_command_t *commands,
                         std::uint32_t command_count, bp_point_t done, const bp_diag_t *diag) override {
    tell("\"queue\":{},\"commands\":{},\"timeline\":{}", queue, command_count, done.timeline);
    std::vector<bp_command_t> listening(commands, commands + command_count);
    for (bp_command_t &command : listening) {
      if (command.run != nullptr) {
        command.run = listen(command.program, command.run);
      }
    }
    trace_->add_asynchronous(fmt::format("queue {}", queue), 'b', done.timeline);
    return Interposer::queue_submit(device, queue, listening.data(), command_count, done, diag);
  }
  void host_signal(LayeredHost &host, bp_point_t point, bp_status status, std::uint32_t instr,
                   const char *msg) override {
    tell("\"timeline\":{},\"value\":{},\"with\":{}", point.timeline, point.value, status);
    trace_->add_asynchronous("signal", 'e', point.timeline);
    Interposer::host_signal(host, point, status, instr, msg);
  }

 private:
  struct Open {
    Trace::Clock::time_point start;
    std::string details;
  };

  // Sets the details of the current call.
  template <class... Values>
  void tell(fmt::format_string<Values...> format, Values &&...values) {
    if (!open_.empty()) {
      open_.back().details = fmt::format(format, std::forward<Values>(values)...);
    }
  }

  // Kept until the device is destroyed, because a queue may report late.
  const bp_run_t *listen(const bp_program_t *program, const bp_run_t *run) {
    const auto record = [trace = trace_.get(), module = modules_.find(program)](
                            std::uint32_t instr, std::uint32_t track, std::uint64_t begin_ns, std::uint64_t end_ns) {
      trace->add_of_device(instruction_name(module.get(), instr), track, begin_ns, end_ns);
    };
    const std::lock_guard lock(mutex_);
    return runs_.emplace_back(run, record).abi();
  }

  static thread_local std::vector<Open> open_;  // calls of this thread, the innermost last
  std::shared_ptr<Trace> trace_;
  LoadedModules modules_;
  std::mutex mutex_;  // of runs_
  std::deque<ListeningRun> runs_;
};

thread_local std::vector<TraceLayer::Open> TraceLayer::open_;

constexpr std::string_view head =
    R"({"displayTimeUnit":"ns","traceEvents":[
{"name":"process_name","ph":"M","pid":1,"args":{"name":"calls"}},
{"name":"process_name","ph":"M","pid":2,"args":{"name":"device"}})";
constexpr std::string_view tail = "\n]}\n";

}  // namespace

Result<std::shared_ptr<Trace>> Trace::create(const std::string &path) {
  auto trace = std::make_shared<Trace>();
  BP_ASSIGN(trace->file_, OutputFile::create(path));
  trace->file_->write(fmt::format("{}{}", head, tail));
  BP_TRY(trace->status());
  return trace;
}

double Trace::microseconds(Clock::time_point time) const {
  return std::chrono::duration<double, std::micro>(time - start_).count();
}

// Requires the lock.
std::size_t Trace::row() {
  return rows_.try_emplace(std::this_thread::get_id(), rows_.size() + 1).first->second;
}

void Trace::append(std::string event) {
  ++size_;
  event.insert(0, ",\n");
  if (file_) {
    event += tail;
    file_->write(event, tail.size());
  } else {
    events_ += event;
  }
}

void Trace::add(std::string_view name, Clock::time_point start, std::string details) {
  const double end = microseconds(Clock::now()), begin = microseconds(start);
  const std::lock_guard lock(mutex_);
  append(fmt::format(R"({{"name":{},"ph":"X","pid":1,"tid":{},"ts":{:.3f},"dur":{:.3f},"args":{{{}}}}})", quoted(name),
                     row(), begin, end - begin, details));
}

void Trace::add_of_device(std::string_view name, std::uint32_t track, std::uint64_t begin_ns, std::uint64_t end_ns) {
  const std::lock_guard lock(mutex_);
  append(fmt::format(R"({{"name":{},"ph":"X","pid":2,"tid":{},"ts":{:.3f},"dur":{:.3f}}})", quoted(name), track,
                     static_cast<double>(begin_ns) / 1e3,
                     static_cast<double>(std::max(end_ns, begin_ns) - begin_ns) / 1e3));
}

void Trace::add_asynchronous(std::string_view name, char phase, std::uint64_t id) {
  const double now = microseconds(Clock::now());
  const std::lock_guard lock(mutex_);
  append(fmt::format(R"({{"name":"submit to signal","cat":"queue","ph":"{}","id":{},"pid":1,"tid":{},"ts":{:.3f},)"
                     R"("args":{{"at":{}}}}})",
                     phase, id, row(), now, quoted(name)));
}

std::size_t Trace::size() const {
  const std::lock_guard lock(mutex_);
  return size_;
}

Status Trace::status() const {
  const std::lock_guard lock(mutex_);
  return file_ ? file_->status() : Status();
}

std::string Trace::to_json() const {
  const std::lock_guard lock(mutex_);
  return fmt::format("{}{}{}", head, events_, tail);
}

host::Layer trace_layer(std::shared_ptr<Trace> trace) {
  return [trace = std::move(trace)](std::unique_ptr<host::Entry> below) {
    return std::make_unique<TraceLayer>(std::move(below), trace);
  };
}

}  // namespace bp::layers
