#include "plugins/native/program.h"

#include <algorithm>
#include <string>

#include "plugin_api/cpp/run_services.h"
#include "plugins/llvm/program.h"

namespace bp::native {

using plugin::Error;
using plugin::Result;
using plugin::Status;

namespace {

// A run, as the functions that generated code calls see it.
struct CurrentRun {
  const LoadedProgram *program;
  const plugin::EarlyEnd end;
  const plugin::HostCalls host;
  bool is_over = false;           // what the code was told last
  bp_status call_status = BP_OK;  // of the last call of the application
};

std::uint32_t is_over(const bp_aot_caller_t *caller) {
  auto *run = static_cast<CurrentRun *>(caller->context);
  run->is_over = run->is_over || run->end.is_over();
  return run->is_over ? 1 : 0;
}

std::uint32_t call(const bp_aot_caller_t *caller, std::uint32_t instruction) {
  auto *run = static_cast<CurrentRun *>(caller->context);
  run->call_status = run->host.call(instruction);
  run->is_over = run->is_over || run->call_status != BP_OK;
  return run->call_status == BP_OK ? 0 : 1;
}

// Number of parts per thread, more than one so that threads whose processors have no other work take more of them.
constexpr std::int64_t parts_per_thread = 8;

void share(const bp_aot_caller_t *caller, bp_aot_task task, void *const *pointers, void *scratch, std::int64_t begin,
           std::int64_t end) {
  const LoadedProgram *program = static_cast<const CurrentRun *>(caller->context)->program;
  const std::int64_t threads = program->services.thread_count();
  if (threads <= 1) {
    task(pointers, scratch, begin, end);
    return;
  }
  const std::int64_t items = end - begin;
  const std::int64_t parts = std::min(items, threads * parts_per_thread);
  program->services.parallel(static_cast<std::uint32_t>(parts), [&](std::uint32_t part, std::uint32_t worker) {
    task(pointers, static_cast<char *>(scratch) + worker * program->worker_scratch_bytes, begin + items * part / parts,
         begin + items * (part + 1) / parts);
  });
}

}  // namespace

Result<std::unique_ptr<LoadedProgram>> LoadedProgram::link(const Artifact &artifact, std::uint32_t allocation_count,
                                                           const plugin::HostServices &services, bool names_functions) {
  BP_TRY(check_allocations(artifact, allocation_count));
  auto loaded = std::make_unique<LoadedProgram>();
  BP_ASSIGN(loaded->code, emit::LinkedObjects::link(artifact.objects, emit::entry_name, names_functions));
  loaded->allocation_count = allocation_count;
  loaded->services = services;
  loaded->worker_scratch_bytes = static_cast<std::int64_t>(artifact.scratch_bytes);
  loaded->common_bytes = artifact.common_bytes;
  loaded->abi.scratch_size = artifact.common_bytes + artifact.scratch_bytes * services.thread_count();
  loaded->abi.scratch_alignment = 64;
  loaded->abi.resident_size = loaded->code->mapped_bytes();
  return loaded;
}

Status LoadedProgram::run(const bp_run_t &run) const {
  if (run.allocation_count != allocation_count) {
    return Error(BP_INVALID, "run has " + std::to_string(run.allocation_count) + " allocations, the program " +
                                 std::to_string(allocation_count));
  }
  CurrentRun current{this, plugin::EarlyEnd(run), plugin::HostCalls(run)};
  const bool may_end_early = current.end.is_possible() || current.host.are_possible();
  const bp_aot_caller_t caller{share, may_end_early ? is_over : nullptr, call, &current};
  void *scratch = reinterpret_cast<void *>(run.scratch.offset + common_bytes);
  reinterpret_cast<emit::Entry>(code->symbol())(run.allocations, scratch, &caller);
  if (current.call_status != BP_OK) {
    return Error(current.call_status, "the application did not run an instruction");
  }
  return current.is_over ? Status(Error(BP_CANCELLED, "ended early")) : Status();
}

}  // namespace bp::native
