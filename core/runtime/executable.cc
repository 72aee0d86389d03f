#include "core/runtime/executable.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/ir/device_count.h"
#include "core/runtime/step_run.h"

namespace bp::runtime {
namespace {

using ir::InstructionId;

std::vector<ir::Shape> parameter_shapes(const ir::Module &module) {
  std::vector<ir::Shape> shapes;
  for (InstructionId id : module.entry().parameter_ids()) {
    shapes.push_back(module.instruction(id).shape());
  }
  return shapes;
}

Result<std::vector<ir::Literal>> to_literals(std::vector<Value> values) {
  std::vector<ir::Literal> literals;
  for (Value &value : values) {
    BP_ASSIGN(ir::Literal literal, std::move(value).literal());
    literals.push_back(std::move(literal));
  }
  return literals;
}

std::vector<Value> to_values(std::vector<ir::Literal> literals) {
  return {std::make_move_iterator(literals.begin()), std::make_move_iterator(literals.end())};
}

// A program for several devices runs where the others are connected with it.
Status check_devices(const ir::Module &module, const interpreter::Options &host) {
  return host.exchange == nullptr ? ir::check_one_device(module) : Status();
}

// For the graph of an executable that has this one inside.
StepGraph::Inside look_inside(const Executable &executable) {
  StepGraph::Inside inside{executable.program().get(), &executable.graph()};
  executable.visit_programs([&](const Program &program) {
    if (std::ranges::find(inside.devices, program.device().get()) == inside.devices.end()) {
      inside.devices.push_back(program.device().get());
    }
  });
  return inside;
}

}  // namespace

Executable::Executable(ir::Module module, std::shared_ptr<const Program> program)
    : module_(std::move(module)), program_(std::move(program)) {}

Executable::Executable(ir::Module module, std::vector<Step> steps, CalledExecutables called)
    : module_(std::move(module)),
      steps_(std::move(steps)),
      called_(std::move(called)),
      graph_(module_, steps_, called_, look_inside) {}

Executable Executable::on_host(ir::Module module, CalledExecutables called) {
  Executable executable(std::move(module), nullptr);
  executable.all_on_host_ = true;
  executable.called_ = std::move(called);
  return executable;
}

void Executable::visit_programs(const std::function<void(const Program &)> &visit) const {
  if (program_ != nullptr) {
    visit(*program_);
  }
  for (const Step &step : steps_) {
    if (step.program != nullptr) {
      visit(*step.program);
    } else if (step.executable != nullptr) {
      step.executable->visit_programs(visit);
    }
  }
  for (const auto &[computation, executable] : called_) {
    executable->visit_programs(visit);
  }
}

MemoryFigures Executable::memory() const {
  MemoryFigures sum;
  visit_programs([&](const Program &program) { sum += program.memory(); });
  return sum;
}

Result<Executable> Executable::load_on(const DeviceFor &device_for) const {
  BP_ASSIGN(Executable loaded, load_parts_on(device_for));
  loaded.host_threads_ = host_threads_;
  return loaded;
}

Result<Executable> Executable::load_parts_on(const DeviceFor &device_for) const {
  const auto load_program = [&](const std::shared_ptr<const Program> &program) {
    return program->load_on(device_for(*program->device()));
  };
  const auto load_inside = [&](const Executable &executable) -> Result<std::shared_ptr<const Executable>> {
    BP_ASSIGN(Executable loaded, executable.load_on(device_for));
    return std::make_shared<const Executable>(std::move(loaded));
  };
  if (program_ != nullptr) {
    BP_ASSIGN(std::shared_ptr<const Program> program, load_program(program_));
    return Executable(module_, std::move(program));
  }
  CalledExecutables called = called_;
  for (auto &[computation, executable] : called) {
    BP_ASSIGN(executable, load_inside(*executable));
  }
  if (all_on_host_) {
    return on_host(module_, std::move(called));
  }
  std::vector<Step> steps = steps_;
  for (Step &step : steps) {
    if (step.program != nullptr) {
      BP_ASSIGN(step.program, load_program(step.program));
    } else if (step.executable != nullptr) {
      BP_ASSIGN(step.executable, load_inside(*step.executable));
    }
  }
  return Executable(module_, std::move(steps), std::move(called));
}

Result<ir::Literal> Executable::run(std::vector<ir::Literal> arguments, const interpreter::Options &given) const {
  if (program_ != nullptr) {
    return program_->run(std::move(arguments), given);
  }
  const interpreter::Options host = with_threads(given);
  BP_TRY(check_devices(module_, host));
  BP_TRY(check_arguments(module_.name(), parameter_shapes(module_), arguments));
  // The module was verified when it was compiled.
  if (all_on_host_) {
    return interpreter::evaluate(module_.entry(), arguments, with_called(host));
  }
  BP_ASSIGN(std::vector<Value> results, run_steps(to_values(std::move(arguments)), host));
  BP_ASSIGN(std::vector<ir::Literal> literals, to_literals(std::move(results)));
  return module_.entry().root().shape().is_tuple() ? ir::Literal::tuple(std::move(literals)) : std::move(literals[0]);
}

Result<std::vector<Value>> Executable::run_on_device(std::vector<Value> arguments,
                                                     const interpreter::Options &given) const {
  if (program_ != nullptr) {
    return program_->run_on_device(std::move(arguments), given);
  }
  const interpreter::Options host = with_threads(given);
  if (all_on_host_) {
    std::vector<ir::Literal> literals;
    for (Value &argument : arguments) {
      BP_ASSIGN(ir::Literal literal, std::move(argument).view());
      literals.push_back(std::move(literal));
    }
    BP_ASSIGN(ir::Literal result, run(std::move(literals), host));
    return elements_of(Value(std::move(result)));
  }
  BP_TRY(check_devices(module_, host));
  BP_TRY(check_arguments(module_.name(), parameter_shapes(module_), arguments));
  return run_steps(std::move(arguments), host);
}

interpreter::Options Executable::with_threads(const interpreter::Options &given) const {
  interpreter::Options options = given;
  options.threads = options.threads == 0 ? host_threads_ : options.threads;
  return options;
}

// Returns the options with which instructions are evaluated on the host; `host` must exist as long.
interpreter::Options Executable::with_called(const interpreter::Options &host) const {
  interpreter::Options options = host;
  if (!called_.empty()) {
    options.on_computation = [this, &host](ir::Computation computation,
                                           std::span<ir::Literal> arguments) -> std::optional<Result<ir::Literal>> {
      const auto found = &computation.module() == &module_ ? called_.find(computation.id()) : called_.end();
      if (found == called_.end()) {
        return std::nullopt;
      }
      return found->second->run({std::make_move_iterator(arguments.begin()), std::make_move_iterator(arguments.end())},
                                host);
    };
  }
  return options;
}

Result<std::vector<Value>> Executable::run_steps(std::vector<Value> arguments, const interpreter::Options &host) const {
  std::vector<StepExecutable> executables;
  for (const Executable *inside : graph_.executables()) {
    const Executable &executable = inside == nullptr ? *this : *inside;
    executables.push_back({executable.module_, executable.with_called(host),
                           [&](std::vector<Value> given) { return executable.run_on_device(std::move(given), host); }});
  }
  return runtime::run_steps(graph_, executables, std::move(arguments), host);
}

}  // namespace bp::runtime
