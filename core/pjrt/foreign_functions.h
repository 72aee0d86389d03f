// Functions of libraries and frameworks that programs call by custom calls of XLA's foreign function interface
// (api_version 4). They are registered through the FFI extension of PJRT, and run on the host.
#pragma once

#include <map>
#include <mutex>
#include <optional>

#include "core/base/result.h"
#include "core/ir/literal.h"
#include "core/ir/module.h"
#include "core/pjrt/foreign_state.h"
#include "core/pjrt/pjrt_c_api.h"
#include "core/pjrt/xla_ffi_c_api.h"

// Data that the caller of a program passes to the functions that it calls.
struct PJRT_ExecuteContext {
  std::mutex mutex;
  std::map<std::int64_t, void *> user_data;  // by type id
};

struct XLA_FFI_Error {
  XLA_FFI_Error_Code code;
  std::string message;
};

namespace bp::pjrt {

// One run of a program, as the functions see it.
struct ForeignRun {
  std::string_view platform;
  std::int64_t run_id = 0;
  std::int32_t device = 0;
  PJRT_ExecuteContext *context = nullptr;  // nullptr: the caller passed no data
  const ForeignStates *states = nullptr;
};

// Calls the function of a custom call. Arrays are dense, in the layouts that the call demands, row-major if it demands
// none; elements of less than 8 bits take a byte each. A result that is aliased with an operand has its memory. Fails
// with NotFound, naming the platform, if no function has that name; otherwise with the error of the function.
Result<ir::Literal> call_foreign_function(const ForeignRun &run, const ir::Instruction &call,
                                          std::span<const ir::Literal> operands);

// Returns the states that the functions which a program calls make, each in its first stage, instantiate, if it has
// one. Fails with their error.
Result<ForeignStates> instantiate_foreign_functions(std::string_view platform, const ir::Module &module);

// The stages of a function: instantiate may be null.
struct ForeignFunction {
  XLA_FFI_Handler *instantiate = nullptr, *execute = nullptr;
  bool operator==(const ForeignFunction &) const = default;
};
// Returns the function of that name for the platform, if there is one.
std::optional<ForeignFunction> find_foreign_function(std::string_view platform, std::string_view name);
// Fails if another function has that name, or if it was built for another version of the interface.
Status register_foreign_function(std::string_view platform, std::string_view name, ForeignFunction function);
// Returns what frees the states of a type; nullptr if nothing does.
using ForeignDeleter = void (*)(void *object);
ForeignDeleter find_deleter(std::int64_t type_id);

// The functions that handlers may call.
const XLA_FFI_Api &foreign_function_api();
Error error_of(const XLA_FFI_Error &error);
// Register what a handler or a library asks for through that interface.
Status register_foreign_functions(const XLA_FFI_Handler_Register_Args &args);
Status register_foreign_type(const XLA_FFI_Type_Register_Args &args);

// The extension of PJRT_Api by which frameworks register functions.
PJRT_Extension_Base *foreign_function_extension();

Status ExecuteContext_Create(PJRT_ExecuteContext_Create_Args &args);
Status ExecuteContext_Destroy(PJRT_ExecuteContext_Destroy_Args &args);

}  // namespace bp::pjrt
