#include "core/pjrt/execution.h"

#include <algorithm>
#include <new>
#include <unordered_map>

#include "core/pjrt/args.h"
#include "core/pjrt/foreign_functions.h"

namespace bp::pjrt {
namespace {

using Args = PJRT_LoadedExecutable_Execute_Args;

// One run of a program. It is shared by those who wait for its arguments.
struct Run {
  std::shared_ptr<CompiledProgram> program;
  std::vector<std::shared_ptr<Content>> arguments, results;
  std::shared_ptr<Moment> done = std::make_shared<Moment>();
  ForeignRun foreign;  // how the functions that it calls see it
  Status status = {};

  RunQueue &queue() const { return program->device->runs; }
};

// Whether the program takes over the buffer of an argument.
bool is_donated(const CompiledProgram &program, const Args &args, std::size_t argument) {
  const std::span<const std::int64_t> kept(args.options->non_donatable_input_indices,
                                           args.options->num_non_donatable_input_indices);
  return program.donated[argument] && std::ranges::find(kept, static_cast<std::int64_t>(argument)) == kept.end();
}

// Fails if a buffer that the program takes over is another argument, too.
Status check_donations(const CompiledProgram &program, const Args &args) {
  if (std::ranges::find(program.donated, true) == program.donated.end()) {
    return {};
  }
  std::unordered_map<const PJRT_Buffer *, std::size_t> first;  // argument, by buffer
  for (std::size_t i = 0; i < args.num_args; ++i) {
    const auto [other, is_new] = first.emplace(args.argument_lists[0][i], i);
    if (!is_new && (is_donated(program, args, i) || is_donated(program, args, other->second))) {
      return invalid_input("arguments {} and {} of '{}' are the same buffer, expected two, because one is donated",
                           other->second, i, program.name);
    }
  }
  return {};
}

// Returns what the arguments hold. Buffers that the program takes over are deleted, unless it fails.
Result<std::vector<std::shared_ptr<Content>>> take_arguments(const CompiledProgram &program, const Args &args) {
  BP_TRY(check_donations(program, args));
  std::vector<PJRT_Buffer *> buffers;
  std::vector<std::shared_ptr<Content>> contents;
  for (std::size_t i = 0; i < args.num_args; ++i) {
    BP_ASSIGN(PJRT_Buffer * buffer, handles<PJRT_Buffer>().find(args.argument_lists[0][i]));
    BP_ASSIGN(auto content, content_of(*buffer));
    buffers.push_back(buffer);
    contents.push_back(std::move(content));
  }
  for (std::size_t i = 0; i < args.num_args; ++i) {
    if (is_donated(program, args, i) && give_up(*buffers[i]) == nullptr) {
      return invalid_input("argument {} of '{}' was deleted or donated meanwhile", i, program.name);
    }
  }
  return contents;
}

// Returns options with which the host runs the custom calls that the device leaves to it. They refer to the run.
interpreter::Options host_options(const Run &run) {
  interpreter::Options host;
  host.on_host_call = [&run](const ir::Instruction &call,
                             std::span<const ir::Literal> operands) -> Result<ir::Literal> {
    if (call.opcode() != ir::Opcode::CustomCall) {
      return unsupported("{} exchanges values with the application, which PJRT has no functions for",
                         ir::to_string(call.opcode()));
    }
    const RunQueue::GivesWay gives_way(run.queue());
    return call_foreign_function(run.foreign, call, operands);
  };
  return host;
}

Status run_program(Run &run) {
  const CompiledProgram &program = *run.program;
  std::vector<runtime::Value> arguments;
  for (std::size_t i = 0; i < run.arguments.size(); ++i) {
    BP_ASSIGN(runtime::Value argument, Content::take(std::move(run.arguments[i])));
    arguments.push_back(program.tokens[i] ? runtime::Value(ir::Literal::token()) : std::move(argument));
  }
  BP_ASSIGN(std::vector<runtime::Value> results,
            program.executable.run_on_device(std::move(arguments), host_options(run)));
  for (std::size_t i = 0; i < run.results.size(); ++i) {
    const auto &memory = static_cast<const OwnMemory &>(*program.device->memories[program.result_kinds[i]]);
    BP_ASSIGN(runtime::Value result, value_on(memory.array_device(), std::move(results[i])));
    run.results[i]->provide(std::move(result));
  }
  return {};
}

RunQueue::Run queued(const std::shared_ptr<Run> &run) {
  return {
      .work =
          [run] {
            try {
              run->status = run_program(*run);
            } catch (const std::bad_alloc &) {
              run->status = make_error(ErrorCode::OutOfMemory, "out of memory in a run of '{}'", run->program->name);
            } catch (const std::exception &exception) {
              run->status = make_error(ErrorCode::Internal, "a run of '{}': {}", run->program->name, exception.what());
            }
          },
      .after =
          [run] {
            run->arguments.clear();
            run->results.clear();
            run->program = nullptr;  // those who wait may expect that their handles alone keep it
            run->done->set(run->status.ok() ? std::nullopt : std::optional(run->status.error()));
          }};
}

}  // namespace

Status LoadedExecutable_Execute(PJRT_LoadedExecutable_Execute_Args &args) {
  static std::atomic<std::int64_t> runs = 0;
  BP_ASSIGN(const PJRT_LoadedExecutable *executable, handles<PJRT_LoadedExecutable>().find(args.executable));
  const std::shared_ptr<CompiledProgram> program = executable->program;
  BP_ASSIGN(const PJRT_Client *client, handles<PJRT_Client>().find(program->client));
  if (program->is_deleted) {
    return invalid_input("the program '{}' was deleted", program->name);
  }
  if (args.num_devices != 1) {
    return unsupported("a run of '{}' on {} devices, expected one", program->name, args.num_devices);
  }
  if (args.num_args != program->donated.size()) {
    return invalid_input("{} arguments for '{}', expected {}", args.num_args, program->name, program->donated.size());
  }
  auto run = std::make_shared<Run>();
  run->program = program;
  BP_ASSIGN(run->arguments, take_arguments(*program, args));
  run->foreign = {client->platform_name, ++runs, program->device->description->id,
                  get(*args.options, &PJRT_ExecuteOptions::context), &program->foreign_states};
  std::vector<std::shared_ptr<Moment>> ready;
  for (const std::shared_ptr<Content> &argument : run->arguments) {
    if (!argument->ready()->is_set()) {
      ready.push_back(argument->ready());
    }
  }
  for (std::size_t i = 0; i < program->results.size(); ++i) {
    auto &memory = static_cast<OwnMemory &>(*program->device->memories[program->result_kinds[i]]);
    args.output_lists[0][i] = make_buffer(memory, program->results[i], run->done);
    run->results.push_back(args.output_lists[0][i]->content);
  }
  // A function that a run calls may wait for the runs that it starts: they do not come after that run.
  std::shared_ptr<Moment> end = RunQueue::is_in_run() ? run->done : program->device->run_ends.append(run->done);
  if (args.device_complete_events != nullptr) {
    args.device_complete_events[0] = make_event(std::move(end));
  }
  RunQueue &queue = run->queue();
  queue.announce();
  if (program->is_short && ready.empty()) {
    queue.run_here(queued(run));
  } else {
    when_all_set(ready,
                 [&queue, next = queued(run), is_inside = RunQueue::is_in_run()] { queue.post(next, is_inside); });
  }
  return {};
}

}  // namespace bp::pjrt
