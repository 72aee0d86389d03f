#include "conformance/suite/loaded_program.h"

#include <array>

#include "core/ir/verifier.h"
#include "core/text/parser.h"

namespace bp::conformance {
namespace {

using ir::ElementType;

// The common element types, the most likely first.
constexpr std::array simple_types = {ElementType::F32, ElementType::BF16, ElementType::S32, ElementType::F16};

}  // namespace

Result<ClockedDevice *> clocked_device(const Subject &subject) {
  static std::unique_ptr<ClockedDevice> device;
  if (device == nullptr) {
    RunClock clock;
    BackendOptions options = subject.backend_options();
    options.layers.push_back(clock.layer());
    device = std::make_unique<ClockedDevice>(ClockedDevice{clock, Backend::load(subject.choice().name, options)});
  }
  BP_TRY(device->backend.ok() ? Status() : Status(device->backend.error()));
  return device.get();
}

CompileOptions performance_options() {
  CompileOptions options;
  options.device_only = true;
  options.fold_constants = false;
  return options;
}

Result<ir::Module> read_program(const PerformanceProgram &program) {
  BP_ASSIGN(ir::Module module, text::parse_module(program.text));
  BP_TRY(ir::verify(module));
  return module;
}

Measurement LoadedProgram::finish(Measurement measured) const {
  measured.what = program.name;
  measured.bytes = work.bytes;
  measured.operations = work.operations;
  return measured;
}

Timed LoadedProgram::run() const {
  return [timed = timed] { return timed->run(); };
}

Result<LoadedProgram> load_program(const Backend &backend, RunClock *clock, PerformanceProgram program) {
  BP_ASSIGN(const ir::Module module, read_program(program));
  const Work work = work_of(module, program);
  BP_ASSIGN(Compiled compiled, backend.compile(module, performance_options()));
  if (compiled.executable.program() == nullptr) {
    return make_error(ErrorCode::Unsupported, "the core leaves nothing for the device to do");
  }
  BP_ASSIGN(std::shared_ptr<TimedProgram> timed, TimedProgram::make(compiled, module, 1, clock));
  return LoadedProgram{std::move(program), work, std::move(compiled), std::move(timed)};
}

Result<LoadedProgram> load_program(const Subject &subject, PerformanceProgram program) {
  BP_ASSIGN(ClockedDevice * device, clocked_device(subject));
  return load_program(*device->backend, &device->clock, std::move(program));
}

Result<LoadedProgram> load_first(const Backend &backend, RunClock *clock, const MakePrograms &make) {
  for (const ElementType type : simple_types) {
    for (PerformanceProgram &program : make(type)) {
      Result<LoadedProgram> loaded = load_program(backend, clock, std::move(program));
      if (loaded.ok() || loaded.error().code() != ErrorCode::Unsupported) {
        return loaded;
      }
    }
  }
  return make_error(ErrorCode::Unsupported, "the device runs no such program with a common element type");
}

}  // namespace bp::conformance
