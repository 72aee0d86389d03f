// Programs: compiled for a device, run on its buffers.
#pragma once

#include <atomic>

#include "core/pjrt/buffer.h"
#include "core/pjrt/foreign_state.h"
#include "core/pjrt/serialized_program.h"

namespace bp::pjrt {

// The result of a compilation, shared by the handles of PJRT_Executable and PJRT_LoadedExecutable.
struct CompiledProgram {
  PJRT_Client *client = nullptr;
  PJRT_Device *device = nullptr;
  runtime::Executable executable;
  std::string name;
  SourceProgram source;  // the program that it was compiled from
  std::string fingerprint;
  ForeignStates foreign_states;
  std::string assignment;     // a serialized DeviceAssignmentProto
  std::vector<bool> donated;  // by parameter: whether the program takes over its buffer
  std::vector<bool> tokens;   // by parameter: whether it is a token, for which frameworks pass an array
  std::vector<ir::Shape> results;
  std::vector<std::size_t> result_kinds, parameter_kinds;  // memories, by index in memory_kinds
  // Facts about the results, as callers ask for them.
  std::vector<PJRT_Buffer_Type> result_types;
  std::vector<std::int64_t> result_sizes;  // of all results, one after the other
  std::vector<std::size_t> result_ranks;
  std::vector<const char *> result_memories, parameter_memories;
  std::vector<std::size_t> result_memory_sizes, parameter_memory_sizes;
  PJRT_LogicalDeviceIds logical_ids{0, 0};
  std::array<PJRT_NamedValue, 3> costs;  // of the optimized program
  std::int64_t argument_bytes = 0, result_bytes = 0;
  std::int64_t shared_bytes = 0;  // of results in donated arguments
  std::atomic<bool> is_deleted = false;
  bool is_short = false;  // a run takes less time than handing it to another thread

  explicit CompiledProgram(runtime::Executable compiled) : executable(std::move(compiled)) {}
};

}  // namespace bp::pjrt

struct PJRT_Executable {
  std::shared_ptr<bp::pjrt::CompiledProgram> program;
};
struct PJRT_LoadedExecutable {
  std::shared_ptr<bp::pjrt::CompiledProgram> program;
};
struct PJRT_SerializedExecutable {
  std::string bytes;
};

namespace bp::pjrt {

BP_PJRT_DECLARE(Executable_Destroy);
BP_PJRT_DECLARE(Executable_Name);
BP_PJRT_DECLARE(Executable_NumReplicas);
BP_PJRT_DECLARE(Executable_NumPartitions);
BP_PJRT_DECLARE(Executable_NumOutputs);
BP_PJRT_DECLARE(Executable_SizeOfGeneratedCodeInBytes);
BP_PJRT_DECLARE(Executable_OutputMemoryKinds);
BP_PJRT_DECLARE(Executable_ParameterMemoryKinds);
BP_PJRT_DECLARE(Executable_OutputElementTypes);
BP_PJRT_DECLARE(Executable_OutputDimensions);
BP_PJRT_DECLARE(Executable_OptimizedProgram);
BP_PJRT_DECLARE(Executable_GetCompileOptions);
BP_PJRT_DECLARE(Executable_GetCompiledMemoryStats);
BP_PJRT_DECLARE(Executable_GetCostAnalysis);
BP_PJRT_DECLARE(Executable_Serialize);
BP_PJRT_DECLARE(Executable_Fingerprint);
BP_PJRT_DECLARE(LoadedExecutable_Fingerprint);
BP_PJRT_DECLARE(LoadedExecutable_Destroy);
BP_PJRT_DECLARE(LoadedExecutable_GetExecutable);
BP_PJRT_DECLARE(LoadedExecutable_GetDeviceAssignment);
BP_PJRT_DECLARE(LoadedExecutable_AddressableDevices);
BP_PJRT_DECLARE(LoadedExecutable_AddressableDeviceLogicalIds);
BP_PJRT_DECLARE(LoadedExecutable_Delete);
BP_PJRT_DECLARE(LoadedExecutable_IsDeleted);

}  // namespace bp::pjrt
