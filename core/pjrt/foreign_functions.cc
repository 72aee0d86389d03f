#include "core/pjrt/foreign_functions.h"

#include <functional>
#include <string>

#include "core/pjrt/error.h"
#include "core/pjrt/run_queue.h"

namespace bp::pjrt {
namespace {

constexpr int major_version = 0, minor_version = 3;

// All registered functions, by platform and name, and the ids of types.
struct Registry {
  std::mutex mutex;
  std::map<std::pair<std::string, std::string>, ForeignFunction> functions;
  std::map<std::string, std::int64_t, std::less<>> types;
  std::map<std::int64_t, ForeignDeleter> deleters;  // of types that have one
};

// Never destroyed: libraries may register functions at any time.
Registry &registry() {
  static auto &all = *new Registry;
  return all;
}

std::string text(XLA_FFI_ByteSpan span) {
  return std::string(span.ptr, span.len);
}

// Asks a function for the version of the interface that it was built with.
Status check_version(std::string_view name, XLA_FFI_Handler *handler) {
  XLA_FFI_Metadata metadata{};
  metadata.struct_size = sizeof metadata;
  metadata.api_version.struct_size = sizeof metadata.api_version;
  XLA_FFI_Metadata_Extension extension{{sizeof extension, XLA_FFI_Extension_Metadata, nullptr}, &metadata};
  XLA_FFI_CallFrame frame{};
  frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  frame.extension_start = &extension.extension_base;
  frame.api = &foreign_function_api();
  if (XLA_FFI_Error *error = handler(&frame); error != nullptr) {
    Error result = error_of(*error);
    delete error;
    return result;
  }
  const auto [size, start, major, minor] = metadata.api_version;
  if (major != major_version || minor > minor_version) {
    return unsupported("the foreign function '{}' was built for version {}.{} of XLA's FFI, expected {}.0 to {}.{}",
                       name, major, minor, major_version, major_version, minor_version);
  }
  return {};
}

// --- The extension of PJRT ---
// Source: pjrt_c_api_ffi_extension.h of XLA, version 3 of the extension, but for the last two fields.

struct RegisterTypeArgs {
  std::size_t struct_size;
  PJRT_Extension_Base *extension_start;
  const char *type_name;
  std::size_t type_name_size;
  std::int64_t type_id;  // in and out; 0: any
};

struct AddUserDataArgs {
  std::size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_ExecuteContext *context;
  std::int64_t type_id;
  void *data;
};

struct RegisterHandlerArgs {
  std::size_t struct_size;
  const char *target_name;
  std::size_t target_name_size;
  void *handler;
  const char *platform_name;
  std::size_t platform_name_size;
  int traits;
};

struct Extension {
  PJRT_Extension_Base base;
  PJRT_Error *(*register_type)(RegisterTypeArgs *args);
  PJRT_Error *(*add_user_data)(AddUserDataArgs *args);
  PJRT_Error *(*register_handler)(RegisterHandlerArgs *args);
  const XLA_FFI_Api *functions;  // by which functions with other stages than execute are registered
  // Waits until all runs of all clients have ended, but not longer than a time. Returns whether they have. What runs
  // call may be gone afterwards, as at the end of an interpreter.
  bool (*wait_for_runs)(std::int64_t milliseconds);
};

// Returns the id of a type. `wanted`: 0, or the id that the caller insists on.
Result<std::int64_t> type_id(std::string_view name, std::int64_t wanted) {
  Registry &all = registry();
  const std::lock_guard lock(all.mutex);
  const auto next = static_cast<std::int64_t>(all.types.size()) + 1;
  const std::int64_t id = all.types.emplace(name, wanted != 0 ? wanted : next).first->second;
  if (wanted != 0 && id != wanted) {
    return invalid_input("type '{}' has the id {}, which cannot become {}", name, id, wanted);
  }
  return id;
}

PJRT_Error *to_pjrt(Status status) {
  return status.ok() ? nullptr : make_error(status.error());
}

PJRT_Error *register_type(RegisterTypeArgs *args) {
  auto id = type_id(std::string_view(args->type_name, args->type_name_size), args->type_id);
  if (!id.ok()) {
    return make_error(id.error());
  }
  args->type_id = *id;
  return nullptr;
}

PJRT_Error *add_user_data(AddUserDataArgs *args) {
  if (args->context == nullptr) {
    return to_pjrt(invalid_input("user data without a context of the execution"));
  }
  const std::lock_guard lock(args->context->mutex);
  args->context->user_data[args->type_id] = args->data;
  return nullptr;
}

PJRT_Error *register_handler(RegisterHandlerArgs *args) {
  return to_pjrt(register_foreign_function(std::string_view(args->platform_name, args->platform_name_size),
                                           std::string_view(args->target_name, args->target_name_size),
                                           {nullptr, reinterpret_cast<XLA_FFI_Handler *>(args->handler)}));
}

bool wait_for_runs(std::int64_t milliseconds) {
  return RunQueue::wait_for_all(std::chrono::milliseconds(milliseconds));
}

}  // namespace

std::optional<ForeignFunction> find_foreign_function(std::string_view platform, std::string_view name) {
  Registry &all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.functions.find({std::string(platform), std::string(name)});
  return found == all.functions.end() ? std::nullopt : std::optional(found->second);
}

ForeignDeleter find_deleter(std::int64_t type_id) {
  Registry &all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.deleters.find(type_id);
  return found == all.deleters.end() ? nullptr : found->second;
}

Status register_foreign_function(std::string_view platform, std::string_view name, ForeignFunction function) {
  if (function.execute == nullptr) {
    return invalid_input("the foreign function '{}' is null", name);
  }
  BP_TRY(check_version(name, function.execute));
  Registry &all = registry();
  const std::lock_guard lock(all.mutex);
  const auto [slot, is_new] = all.functions.emplace(std::pair(std::string(platform), std::string(name)), function);
  if (!is_new && slot->second != function) {
    return invalid_input("platform {} has another foreign function '{}' already", platform, name);
  }
  return {};
}

Status register_foreign_functions(const XLA_FFI_Handler_Register_Args &args) {
  const XLA_FFI_Handler_Bundle &bundle = args.bundle;
  if (bundle.prepare != nullptr || bundle.initialize != nullptr) {
    return unsupported("the foreign function '{}' has other stages than instantiate and execute", text(args.name));
  }
  return register_foreign_function(text(args.platform), text(args.name), {bundle.instantiate, bundle.execute});
}

Status register_foreign_type(const XLA_FFI_Type_Register_Args &args) {
  BP_ASSIGN(args.type_id->type_id, type_id(text(args.name), args.type_id->type_id));
  if (args.type_info != nullptr && args.type_info->deleter != nullptr) {
    Registry &all = registry();
    const std::lock_guard lock(all.mutex);
    all.deleters[args.type_id->type_id] = args.type_info->deleter;
  }
  return {};
}

Error error_of(const XLA_FFI_Error &error) {
  return error_of(static_cast<PJRT_Error_Code>(error.code), error.message);  // both have the codes of absl::Status
}

PJRT_Extension_Base *foreign_function_extension() {
  static Extension extension{{sizeof extension, PJRT_Extension_Type_FFI, nullptr},
                             register_type,
                             add_user_data,
                             register_handler,
                             &foreign_function_api(),
                             wait_for_runs};
  return &extension.base;
}

Status ExecuteContext_Create(PJRT_ExecuteContext_Create_Args &args) {
  args.context = new PJRT_ExecuteContext;
  return {};
}

Status ExecuteContext_Destroy(PJRT_ExecuteContext_Destroy_Args &args) {
  delete args.context;
  return {};
}

}  // namespace bp::pjrt
