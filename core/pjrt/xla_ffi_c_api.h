// The C interface of XLA's foreign functions, version 0.3: how programs call functions of libraries. A handler gets a
// call frame with the buffers of its arguments and results, and the attributes of the call.
// Source: the header that jaxlib installs as xla/ffi/api/c_api.h; names are those of that header.
#pragma once

#include <cstddef>
#include <cstdint>

struct XLA_FFI_Api;
struct XLA_FFI_CallFrame;
struct XLA_FFI_Error;
struct XLA_FFI_ExecutionContext;
struct XLA_FFI_Future;
struct XLA_FFI_InternalApi;

enum XLA_FFI_Extension_Type : std::int32_t { XLA_FFI_Extension_Metadata = 1 };

struct XLA_FFI_Extension_Base {
  std::size_t struct_size;
  XLA_FFI_Extension_Type type;
  XLA_FFI_Extension_Base *next;
};

struct XLA_FFI_Api_Version {
  std::size_t struct_size;
  XLA_FFI_Extension_Base *extension_start;
  int major_version;  // set by the handler
  int minor_version;  // set by the handler
};

// The codes of absl::Status.
enum XLA_FFI_Error_Code : std::int32_t {
  XLA_FFI_Error_Code_OK = 0,
  XLA_FFI_Error_Code_INVALID_ARGUMENT = 3,
  XLA_FFI_Error_Code_NOT_FOUND = 5,
  XLA_FFI_Error_Code_RESOURCE_EXHAUSTED = 8,
  XLA_FFI_Error_Code_UNIMPLEMENTED = 12,
  XLA_FFI_Error_Code_INTERNAL = 13,
};

// The numbers of xla.PrimitiveType, as in an HloProto.
enum XLA_FFI_DataType : std::int32_t { XLA_FFI_DataType_INVALID = 0, XLA_FFI_DataType_TOKEN = 17 };

struct XLA_FFI_Error_Create_Args {
  std::size_t struct_size;
  XLA_FFI_Extension_Base *extension_start;
  const char *message;
  XLA_FFI_Error_Code errc;
};

struct XLA_FFI_Error_GetMessage_Args {
  std::size_t struct_size;
  XLA_FFI_Extension_Base *extension_start;
  XLA_FFI_Error *error;
  const char *message;  // out
};

struct XLA_FFI_Error_Destroy_Args {
  std::size_t struct_size;
  XLA_FFI_Extension_Base *extension_start;
  XLA_FFI_Error *error;
};

// A dense array. A token has no data.
struct XLA_FFI_Buffer {
  std::size_t struct_size;
  XLA_FFI_Extension_Base *extension_start;
  XLA_FFI_DataType dtype;
  void *data;
  std::int64_t rank;
  std::int64_t *dims;
};

enum XLA_FFI_ArgType : std::int32_t { XLA_FFI_ArgType_BUFFER = 1 };
enum XLA_FFI_RetType : std::int32_t { XLA_FFI_RetType_BUFFER = 1 };
enum XLA_FFI_AttrType : std::int32_t {
  XLA_FFI_AttrType_ARRAY = 1,
  XLA_FFI_AttrType_DICTIONARY = 2,
  XLA_FFI_AttrType_SCALAR = 3,
  XLA_FFI_AttrType_STRING = 4,
};

struct XLA_FFI_ByteSpan {
  const char *ptr;
  std::size_t len;
};

struct XLA_FFI_Scalar {
  XLA_FFI_DataType dtype;
  void *value;
};

struct XLA_FFI_Array {
  XLA_FFI_DataType dtype;
  std::size_t size;
  void *data;
};

struct XLA_FFI_TypeId {
  std::int64_t type_id;
};

struct XLA_FFI_TypeInfo {
  std::size_t struct_size;
  XLA_FFI_Extension_Base *extension_start;
  void (*deleter)(void *object);
};

struct XLA_FFI_Future_Create_Args {
  std::size_t struct_size;
  XLA_FFI_Extension_Base *extension_start;
  XLA_FFI_Future *future;  // out
};

struct XLA_FFI_Future_SetAvailable_Args {
  std::size_t struct_size;
  XLA_FFI_Extension_Base *extension_start;
  XLA_FFI_Future *future;
};

struct XLA_FFI_Future_SetError_Args {
  std::size_t struct_size;
  XLA_FFI_Extension_Base *extension_start;
  XLA_FFI_Future *future;
  XLA_FFI_Error *error;  // ownership passes to the runtime
};

enum XLA_FFI_ExecutionStage : std::int32_t {
  XLA_FFI_ExecutionStage_INSTANTIATE = 0,
  XLA_FFI_ExecutionStage_EXECUTE = 3,
};

struct XLA_FFI_Args {
  std::size_t struct_size;
  XLA_FFI_Extension_Base *extension_start;
  std::int64_t size;
  XLA_FFI_ArgType *types;
  void **args;
};

struct XLA_FFI_Rets {
  std::size_t struct_size;
  XLA_FFI_Extension_Base *extension_start;
  std::int64_t size;
  XLA_FFI_RetType *types;
  void **rets;
};

// Names are in ascending order.
struct XLA_FFI_Attrs {
  std::size_t struct_size;
  XLA_FFI_Extension_Base *extension_start;
  std::int64_t size;
  XLA_FFI_AttrType *types;
  XLA_FFI_ByteSpan **names;
  void **attrs;
};

struct XLA_FFI_CallFrame {
  std::size_t struct_size;
  XLA_FFI_Extension_Base *extension_start;
  const XLA_FFI_Api *api;
  XLA_FFI_ExecutionContext *ctx;
  XLA_FFI_ExecutionStage stage;
  XLA_FFI_Args args;
  XLA_FFI_Rets rets;
  XLA_FFI_Attrs attrs;
  XLA_FFI_Future *future;  // out: set by a handler that is not done when it returns
};

// Returns nullptr, or an error that the caller owns.
using XLA_FFI_Handler = XLA_FFI_Error *(XLA_FFI_CallFrame *frame);

struct XLA_FFI_Handler_Bundle {
  XLA_FFI_Handler *instantiate, *prepare, *initialize;  // optional
  XLA_FFI_Handler *execute;
};

struct XLA_FFI_Handler_Register_Args {
  std::size_t struct_size;
  XLA_FFI_Extension_Base *extension_start;
  XLA_FFI_ByteSpan name, platform;
  XLA_FFI_Handler_Bundle bundle;
  std::uint32_t traits;
};

struct XLA_FFI_Type_Register_Args {
  std::size_t struct_size;
  XLA_FFI_Extension_Base *extension_start;
  XLA_FFI_ByteSpan name;
  XLA_FFI_TypeId *type_id;  // in and out
  const XLA_FFI_TypeInfo *type_info;
};

struct XLA_FFI_ExecutionContext_Get_Args {
  std::size_t struct_size;
  XLA_FFI_Extension_Base *extension_start;
  XLA_FFI_ExecutionContext *ctx;
  XLA_FFI_TypeId *type_id;
  void *data;  // out
};

// Arguments of XLA_FFI_State_Set and XLA_FFI_State_Get.
struct XLA_FFI_State_Args {
  std::size_t struct_size;
  XLA_FFI_Extension_Base *extension_start;
  XLA_FFI_ExecutionContext *ctx;
  XLA_FFI_ExecutionStage stage;
  XLA_FFI_TypeId *type_id;
  void *state;
};

struct XLA_FFI_Stream_Get_Args {
  std::size_t struct_size;
  XLA_FFI_Extension_Base *extension_start;
  XLA_FFI_ExecutionContext *ctx;
  void *stream;  // out
};

struct XLA_FFI_DeviceMemory_Allocate_Args {
  std::size_t struct_size;
  XLA_FFI_Extension_Base *extension_start;
  XLA_FFI_ExecutionContext *ctx;
  std::size_t size, alignment;
  void *data;  // out
};

struct XLA_FFI_DeviceMemory_Free_Args {
  std::size_t struct_size;
  XLA_FFI_Extension_Base *extension_start;
  XLA_FFI_ExecutionContext *ctx;
  std::size_t size;
  void *data;
};

using XLA_FFI_Task = void(void *data);

struct XLA_FFI_ThreadPool_Schedule_Args {
  std::size_t struct_size;
  XLA_FFI_Extension_Base *extension_start;
  XLA_FFI_ExecutionContext *ctx;
  XLA_FFI_Task *task;
  void *data;
};

struct XLA_FFI_ThreadPool_NumThreads_Args {
  std::size_t struct_size;
  XLA_FFI_Extension_Base *extension_start;
  XLA_FFI_ExecutionContext *ctx;
  std::int64_t *num_threads;  // out
};

struct XLA_FFI_RunId_Get_Args {
  std::size_t struct_size;
  XLA_FFI_Extension_Base *extension_start;
  XLA_FFI_ExecutionContext *ctx;
  std::int64_t run_id;  // out
};

struct XLA_FFI_DeviceOrdinal_Get_Args {
  std::size_t struct_size;
  XLA_FFI_Extension_Base *extension_start;
  XLA_FFI_ExecutionContext *ctx;
  std::int32_t device_ordinal;  // out
};

// A handler that is called with this extension sets the version of the interface that it was built with, and returns.
struct XLA_FFI_Metadata {
  std::size_t struct_size;
  XLA_FFI_Api_Version api_version;
  std::uint32_t traits;
  XLA_FFI_TypeId state_type_id;
};

struct XLA_FFI_Metadata_Extension {
  XLA_FFI_Extension_Base extension_base;
  XLA_FFI_Metadata *metadata;
};

struct XLA_FFI_Api {
  std::size_t struct_size;
  XLA_FFI_Extension_Base *extension_start;
  XLA_FFI_Api_Version api_version;
  const XLA_FFI_InternalApi *internal_api;
  XLA_FFI_Error *(*XLA_FFI_Error_Create)(XLA_FFI_Error_Create_Args *args);
  void (*XLA_FFI_Error_GetMessage)(XLA_FFI_Error_GetMessage_Args *args);
  void (*XLA_FFI_Error_Destroy)(XLA_FFI_Error_Destroy_Args *args);
  XLA_FFI_Error *(*XLA_FFI_Handler_Register)(XLA_FFI_Handler_Register_Args *args);
  XLA_FFI_Error *(*XLA_FFI_Stream_Get)(XLA_FFI_Stream_Get_Args *args);
  XLA_FFI_Error *(*XLA_FFI_Type_Register)(XLA_FFI_Type_Register_Args *args);
  XLA_FFI_Error *(*XLA_FFI_ExecutionContext_Get)(XLA_FFI_ExecutionContext_Get_Args *args);
  XLA_FFI_Error *(*XLA_FFI_State_Set)(XLA_FFI_State_Args *args);
  XLA_FFI_Error *(*XLA_FFI_State_Get)(XLA_FFI_State_Args *args);
  XLA_FFI_Error *(*XLA_FFI_DeviceMemory_Allocate)(XLA_FFI_DeviceMemory_Allocate_Args *args);
  XLA_FFI_Error *(*XLA_FFI_DeviceMemory_Free)(XLA_FFI_DeviceMemory_Free_Args *args);
  XLA_FFI_Error *(*XLA_FFI_ThreadPool_Schedule)(XLA_FFI_ThreadPool_Schedule_Args *args);
  XLA_FFI_Error *(*XLA_FFI_ThreadPool_NumThreads)(XLA_FFI_ThreadPool_NumThreads_Args *args);
  XLA_FFI_Error *(*XLA_FFI_Future_Create)(XLA_FFI_Future_Create_Args *args);
  XLA_FFI_Error *(*XLA_FFI_Future_SetAvailable)(XLA_FFI_Future_SetAvailable_Args *args);
  XLA_FFI_Error *(*XLA_FFI_Future_SetError)(XLA_FFI_Future_SetError_Args *args);
  XLA_FFI_Error *(*XLA_FFI_RunId_Get)(XLA_FFI_RunId_Get_Args *args);
  XLA_FFI_Error *(*XLA_FFI_DeviceOrdinal_Get)(XLA_FFI_DeviceOrdinal_Get_Args *args);
};

// The size that handlers expect of a call frame: without the last field.
inline constexpr std::size_t XLA_FFI_CallFrame_STRUCT_SIZE = offsetof(XLA_FFI_CallFrame, future);

static_assert(sizeof(XLA_FFI_Buffer) == 48 && sizeof(XLA_FFI_CallFrame) == 176 && sizeof(XLA_FFI_Api) == 192);
