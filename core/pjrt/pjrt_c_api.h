// The C interface of PJRT, version 0.112, as far as memory layouts go: what jaxlib and other frameworks call. Facts of
// that interface, written down from its published layout; sizes are checked below for machines with 64-bit pointers.
// Each Args begins with the size that the caller knows, which ends at its last field: see has_field() in args.h.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

enum PJRT_Extension_Type : int32_t {
  PJRT_Extension_Type_Gpu_Custom_Call = 0,
  PJRT_Extension_Type_Profiler = 1,
  PJRT_Extension_Type_Custom_Partitioner = 2,
  PJRT_Extension_Type_Stream = 3,
  PJRT_Extension_Type_Layouts = 4,
  PJRT_Extension_Type_FFI = 5,
  PJRT_Extension_Type_MemoryDescriptions = 6,
  PJRT_Extension_Type_Triton = 7,
  PJRT_Extension_Type_RawBuffer = 8,
  PJRT_Extension_Type_PhaseCompile = 9,
  PJRT_Extension_Type_Example = 10,
  PJRT_Extension_Type_Unknown = 11,
  PJRT_Extension_Type_CrossHostTransfers = 12,
  PJRT_Extension_Type_ExecutableMetadata = 13,
  PJRT_Extension_Type_Callback = 14,
  PJRT_Extension_Type_HostAllocator = 15,
  PJRT_Extension_Type_TpuTopology = 16,
  PJRT_Extension_Type_TpuExecutable = 17,
  PJRT_Extension_Type_Megascale = 18,
  PJRT_Extension_Type_Shardings = 19,
  PJRT_Extension_Type_AbiVersion = 20,
  PJRT_Extension_Type_Collectives = 21,
  PJRT_Extension_Type_MultiSlice = 22,
  PJRT_Extension_Type_HostMemoryAllocator = 23,
  PJRT_Extension_Type_XlaTransform = 24,
};

enum PJRT_Error_Code : int32_t {
  PJRT_Error_Code_OK = 0,
  PJRT_Error_Code_CANCELLED = 1,
  PJRT_Error_Code_UNKNOWN = 2,
  PJRT_Error_Code_INVALID_ARGUMENT = 3,
  PJRT_Error_Code_DEADLINE_EXCEEDED = 4,
  PJRT_Error_Code_NOT_FOUND = 5,
  PJRT_Error_Code_ALREADY_EXISTS = 6,
  PJRT_Error_Code_PERMISSION_DENIED = 7,
  PJRT_Error_Code_RESOURCE_EXHAUSTED = 8,
  PJRT_Error_Code_FAILED_PRECONDITION = 9,
  PJRT_Error_Code_ABORTED = 10,
  PJRT_Error_Code_OUT_OF_RANGE = 11,
  PJRT_Error_Code_UNIMPLEMENTED = 12,
  PJRT_Error_Code_INTERNAL = 13,
  PJRT_Error_Code_UNAVAILABLE = 14,
  PJRT_Error_Code_DATA_LOSS = 15,
  PJRT_Error_Code_UNAUTHENTICATED = 16,
};

enum PJRT_NamedValue_Type : int32_t {
  PJRT_NamedValue_Type_String = 0,
  PJRT_NamedValue_Type_Int64 = 1,
  PJRT_NamedValue_Type_Int64List = 2,
  PJRT_NamedValue_Type_Float = 3,
  PJRT_NamedValue_Type_Bool = 4,
};

enum PJRT_ProcessState : int32_t {
  PJRT_ProcessState_Unspecified = 0,
  PJRT_ProcessState_Uninitialized = 1,
  PJRT_ProcessState_Disconnected = 2,
  PJRT_ProcessState_Connected = 3,
  PJRT_ProcessState_Error = 4,
};

enum PJRT_Buffer_Type : int32_t {
  PJRT_Buffer_Type_INVALID = 0,
  PJRT_Buffer_Type_PRED = 1,
  PJRT_Buffer_Type_S8 = 2,
  PJRT_Buffer_Type_S16 = 3,
  PJRT_Buffer_Type_S32 = 4,
  PJRT_Buffer_Type_S64 = 5,
  PJRT_Buffer_Type_U8 = 6,
  PJRT_Buffer_Type_U16 = 7,
  PJRT_Buffer_Type_U32 = 8,
  PJRT_Buffer_Type_U64 = 9,
  PJRT_Buffer_Type_F16 = 10,
  PJRT_Buffer_Type_F32 = 11,
  PJRT_Buffer_Type_F64 = 12,
  PJRT_Buffer_Type_BF16 = 13,
  PJRT_Buffer_Type_C64 = 14,
  PJRT_Buffer_Type_C128 = 15,
  PJRT_Buffer_Type_F8E5M2 = 16,
  PJRT_Buffer_Type_F8E4M3FN = 17,
  PJRT_Buffer_Type_F8E4M3B11FNUZ = 18,
  PJRT_Buffer_Type_F8E5M2FNUZ = 19,
  PJRT_Buffer_Type_F8E4M3FNUZ = 20,
  PJRT_Buffer_Type_S4 = 21,
  PJRT_Buffer_Type_U4 = 22,
  PJRT_Buffer_Type_TOKEN = 23,
  PJRT_Buffer_Type_S2 = 24,
  PJRT_Buffer_Type_U2 = 25,
  PJRT_Buffer_Type_F8E4M3 = 26,
  PJRT_Buffer_Type_F8E3M4 = 27,
  PJRT_Buffer_Type_F8E8M0FNU = 28,
  PJRT_Buffer_Type_F4E2M1FN = 29,
  PJRT_Buffer_Type_S1 = 30,
  PJRT_Buffer_Type_U1 = 31,
  PJRT_Buffer_Type_F6E2M3FN = 32,
  PJRT_Buffer_Type_F6E3M2FN = 33,
};

enum PJRT_HostBufferSemantics : int32_t {
  PJRT_HostBufferSemantics_ImmutableOnlyDuringCall = 0,
  PJRT_HostBufferSemantics_ImmutableUntilTransferCompletes = 1,
  PJRT_HostBufferSemantics_ImmutableZeroCopy = 2,
  PJRT_HostBufferSemantics_MutableZeroCopy = 3,
};

enum PJRT_Buffer_MemoryLayout_Type : int32_t {
  PJRT_Buffer_MemoryLayout_Type_Tiled = 0,
  PJRT_Buffer_MemoryLayout_Type_Strides = 1,
};

struct PJRT_AsyncHostToDeviceTransferManager;
struct PJRT_AsyncTrackingEvent;
struct PJRT_Buffer;
struct PJRT_Client;
struct PJRT_CopyToDeviceStream;
struct PJRT_Device;
struct PJRT_DeviceAssignmentSerialized;
struct PJRT_DeviceDescription;
struct PJRT_Device_Attributes;
struct PJRT_Event;
struct PJRT_Executable;
struct PJRT_ExecuteContext;
struct PJRT_FulfillAliasBufferCallback;
struct PJRT_LoadedExecutable;
struct PJRT_MultiSlice_Config;
struct PJRT_SerializedCompileOptions;
struct PJRT_SerializedExecutable;
struct PJRT_SerializedTopology;
struct PJRT_TopologyDescription;
struct PJRT_Extension_Base;
struct PJRT_Api_Version;
struct PJRT_Error_Destroy_Args;
struct PJRT_Error_Message_Args;
struct PJRT_Error_FunctionTable;
struct PJRT_Error;
struct PJRT_Error_GetCode_Args;
struct PJRT_Error_ForEachPayload_Args;
struct PJRT_NamedValue;
struct PJRT_Plugin_Initialize_Args;
struct PJRT_Plugin_Attributes_Args;
struct PJRT_Event_Destroy_Args;
struct PJRT_Event_IsReady_Args;
struct PJRT_Event_Error_Args;
struct PJRT_Event_Await_Args;
struct PJRT_Event_OnReady_Args;
struct PJRT_Event_Create_Args;
struct PJRT_Event_Set_Args;
struct PJRT_Memory_FunctionTable;
struct PJRT_Memory;
struct PJRT_KeyValueGetCallback_Args;
struct PJRT_KeyValueTryGetCallback_Args;
struct PJRT_KeyValuePutCallback_Args;
struct PJRT_Client_Create_Args;
struct PJRT_Client_Destroy_Args;
struct PJRT_Client_PlatformName_Args;
struct PJRT_Client_ProcessIndex_Args;
struct PJRT_Client_PlatformVersion_Args;
struct PJRT_Client_TopologyDescription_Args;
struct PJRT_Client_Devices_Args;
struct PJRT_Client_AddressableDevices_Args;
struct PJRT_Client_LookupDevice_Args;
struct PJRT_Client_LookupAddressableDevice_Args;
struct PJRT_ProcessInfo;
struct PJRT_Client_UpdateGlobalProcessInfo_Args;
struct PJRT_Client_AddressableMemories_Args;
struct PJRT_Program;
struct PJRT_Client_Compile_Args;
struct PJRT_Client_Load_Args;
struct PJRT_Client_DefaultDeviceAssignment_Args;
struct PJRT_Client_DmaMap_Args;
struct PJRT_Client_DmaUnmap_Args;
struct PJRT_AsyncHostToDeviceTransferManager_Destroy_Args;
struct PJRT_AsyncHostToDeviceTransferManager_TransferData_Args;
struct PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args;
struct PJRT_AsyncHostToDeviceTransferManager_Device_Args;
struct PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args;
struct PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args;
struct PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args;
struct PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args;
struct PJRT_Buffer_MemoryLayout_Tiled;
struct PJRT_Buffer_MemoryLayout_Strides;
struct PJRT_Buffer_MemoryLayout;
struct PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args;
struct PJRT_Client_CreateUninitializedBuffer_Args;
struct PJRT_Client_CreateErrorBuffer_Args;
struct PJRT_Client_CreateAliasBuffer_Args;
struct PJRT_Client_FulfillAliasBuffer_Args;
struct PJRT_Client_BufferFromHostBuffer_Args;
struct PJRT_Client_CreateViewOfDeviceBuffer_Args;
struct PJRT_ShapeSpec;
struct PJRT_Client_CreateBuffersForAsyncHostToDevice_Args;
struct PJRT_DeviceDescription_Id_Args;
struct PJRT_DeviceDescription_ProcessIndex_Args;
struct PJRT_DeviceDescription_Attributes_Args;
struct PJRT_DeviceDescription_Kind_Args;
struct PJRT_DeviceDescription_DebugString_Args;
struct PJRT_DeviceDescription_ToString_Args;
struct PJRT_Device_GetDescription_Args;
struct PJRT_Device_IsAddressable_Args;
struct PJRT_Device_LocalHardwareId_Args;
struct PJRT_Device_AddressableMemories_Args;
struct PJRT_Device_DefaultMemory_Args;
struct PJRT_Device_MemoryStats_Args;
struct PJRT_Device_ClearMemoryStats_Args;
struct PJRT_Device_PoisonExecution_Args;
struct PJRT_Device_GetAttributes_Args;
struct PJRT_Device_CreateAsyncTrackingEvent_Args;
struct PJRT_AsyncTrackingEvent_Destroy_Args;
struct PJRT_Memory_Id_Args;
struct PJRT_Memory_Kind_Args;
struct PJRT_Memory_Kind_Id_Args;
struct PJRT_Memory_DebugString_Args;
struct PJRT_Memory_ToString_Args;
struct PJRT_Memory_AddressableByDevices_Args;
struct PJRT_ExecuteContext_Create_Args;
struct PJRT_ExecuteContext_Destroy_Args;
struct PJRT_Executable_Destroy_Args;
struct PJRT_LoadedExecutable_Destroy_Args;
struct PJRT_LoadedExecutable_GetExecutable_Args;
struct PJRT_LoadedExecutable_GetDeviceAssignment_Args;
struct PJRT_Executable_Name_Args;
struct PJRT_Executable_NumReplicas_Args;
struct PJRT_Executable_NumPartitions_Args;
struct PJRT_LogicalDeviceIds;
struct PJRT_LoadedExecutable_AddressableDevices_Args;
struct PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args;
struct PJRT_Executable_OptimizedProgram_Args;
struct PJRT_LoadedExecutable_Delete_Args;
struct PJRT_LoadedExecutable_IsDeleted_Args;
struct PJRT_Chunk;
struct PJRT_SendCallbackInfo;
struct PJRT_RecvCallbackInfo;
struct PJRT_HloOutputCallbackInfo;
struct PJRT_ExecuteOptions;
struct PJRT_LoadedExecutable_Execute_Args;
struct PJRT_Executable_NumOutputs_Args;
struct PJRT_Executable_SizeOfGeneratedCodeInBytes_Args;
struct PJRT_Executable_Fingerprint_Args;
struct PJRT_Executable_GetCostAnalysis_Args;
struct PJRT_Executable_GetCompiledMemoryStats_Args;
struct PJRT_Executable_OutputElementTypes_Args;
struct PJRT_Executable_OutputDimensions_Args;
struct PJRT_Executable_ParameterMemoryKinds_Args;
struct PJRT_Executable_OutputMemoryKinds_Args;
struct PJRT_Executable_Serialize_Args;
struct PJRT_Executable_GetCompileOptions_Args;
struct PJRT_LoadOptions;
struct PJRT_Executable_DeserializeAndLoad_Args;
struct PJRT_LoadedExecutable_Fingerprint_Args;
struct PJRT_Buffer_Destroy_Args;
struct PJRT_Buffer_ElementType_Args;
struct PJRT_Buffer_Dimensions_Args;
struct PJRT_Buffer_UnpaddedDimensions_Args;
struct PJRT_Buffer_DynamicDimensionIndices_Args;
struct PJRT_Buffer_GetMemoryLayout_Args;
struct PJRT_Buffer_ToHostBuffer_Args;
struct PJRT_Buffer_OnDeviceSizeInBytes_Args;
struct PJRT_Buffer_Delete_Args;
struct PJRT_Buffer_IsDeleted_Args;
struct PJRT_Buffer_CopyRawToHost_Args;
struct PJRT_Buffer_CopyRawToHostFuture_Callback_Args;
struct PJRT_Buffer_CopyRawToHostFuture_Args;
struct PJRT_Buffer_CopyToDevice_Args;
struct PJRT_Buffer_CopyToMemory_Args;
struct PJRT_Buffer_Bitcast_Args;
struct PJRT_Buffer_IsOnCpu_Args;
struct PJRT_Buffer_Device_Args;
struct PJRT_Buffer_Memory_Args;
struct PJRT_Buffer_ReadyEvent_Args;
struct PJRT_Buffer_UnsafePointer_Args;
struct PJRT_Buffer_IncreaseExternalReferenceCount_Args;
struct PJRT_Buffer_DecreaseExternalReferenceCount_Args;
struct PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args;
struct PJRT_Buffer_DonateWithControlDependency_Callback_Args;
struct PJRT_Buffer_DonateWithControlDependency_Args;
struct PJRT_CopyToDeviceStream_Destroy_Args;
struct PJRT_CopyToDeviceStream_AddChunk_Args;
struct PJRT_CopyToDeviceStream_TotalBytes_Args;
struct PJRT_CopyToDeviceStream_GranuleSize_Args;
struct PJRT_CopyToDeviceStream_CurrentBytes_Args;
struct PJRT_TopologyDescription_Create_Args;
struct PJRT_TopologyDescription_Destroy_Args;
struct PJRT_TopologyDescription_PlatformVersion_Args;
struct PJRT_TopologyDescription_PlatformName_Args;
struct PJRT_TopologyDescription_GetDeviceDescriptions_Args;
struct PJRT_TopologyDescription_Serialize_Args;
struct PJRT_TopologyDescription_Deserialize_Args;
struct PJRT_TopologyDescription_Attributes_Args;
struct PJRT_TopologyDescription_Fingerprint_Args;
struct PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args;
struct PJRT_TopologyDescription_GetMemorySpaceKindIds_Args;
struct PJRT_Compile_Args;

// `callback_error` makes an error of the framework.
using PJRT_CallbackError = PJRT_Error *(*)(PJRT_Error_Code code, const char *message, size_t message_size);
using PJRT_Error_PayloadVisitor = void (*)(const char *key, size_t key_size, const char *value, size_t value_size,
                                           void *user_arg);
// Receives an error that it owns, or nullptr.
using PJRT_Event_OnReadyCallback = void (*)(PJRT_Error *error, void *user_arg);
using PJRT_KeyValueGetCallback = PJRT_Error *(*)(PJRT_KeyValueGetCallback_Args *args);
using PJRT_KeyValueGetCallback_ValueDeleter = void (*)(char *value);
using PJRT_KeyValueTryGetCallback = PJRT_Error *(*)(PJRT_KeyValueTryGetCallback_Args *args);
using PJRT_KeyValueTryGetCallback_ValueDeleter = void (*)(char *value);
using PJRT_KeyValuePutCallback = PJRT_Error *(*)(PJRT_KeyValuePutCallback_Args *args);
using PJRT_SendCallback = PJRT_Error *(*)(PJRT_Chunk *chunk, PJRT_CallbackError *callback_error, size_t total_size,
                                          bool is_done, void *user_arg);
using PJRT_RecvCallback = void (*)(PJRT_CopyToDeviceStream *stream, void *user_arg);
using PJRT_HloOutputCallback = void (*)(void *user_arg);

struct PJRT_Extension_Base {
  size_t struct_size;
  PJRT_Extension_Type type;
  PJRT_Extension_Base *next;
};
static_assert(sizeof(PJRT_Extension_Base) == 24);

struct PJRT_Api_Version {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  int major_version;
  int minor_version;
};
static_assert(sizeof(PJRT_Api_Version) == 24);

struct PJRT_Error_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Error *error;
};
static_assert(sizeof(PJRT_Error_Destroy_Args) == 24);

struct PJRT_Error_Message_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  const PJRT_Error *error;
  const char *message;
  size_t message_size;
};
static_assert(sizeof(PJRT_Error_Message_Args) == 40);

struct PJRT_Error_FunctionTable {
  size_t struct_size;
  size_t instance_size;
  PJRT_Extension_Base *extension_start;
  void (*destroy)(PJRT_Error *);
  void (*message)(const PJRT_Error *, const char **, size_t *);
  PJRT_Error_Code (*get_code)(const PJRT_Error *);
  void (*for_each_payload)(const PJRT_Error *, PJRT_Error_PayloadVisitor, void *);
};
static_assert(sizeof(PJRT_Error_FunctionTable) == 56);

struct PJRT_Error {
  const PJRT_Error_FunctionTable *vtable;
};
static_assert(sizeof(PJRT_Error) == 8);

struct PJRT_Error_GetCode_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  const PJRT_Error *error;
  PJRT_Error_Code code;
};
static_assert(sizeof(PJRT_Error_GetCode_Args) == 32);

struct PJRT_Error_ForEachPayload_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  const PJRT_Error *error;
  PJRT_Error_PayloadVisitor visitor;
  void *user_arg;
};
static_assert(sizeof(PJRT_Error_ForEachPayload_Args) == 40);

struct PJRT_NamedValue {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  const char *name;
  size_t name_size;
  PJRT_NamedValue_Type type;
  union {
    const char *string_value;
    int64_t int64_value;
    const int64_t *int64_array_value;
    float float_value;
    bool bool_value;
  };
  size_t value_size;
};
static_assert(sizeof(PJRT_NamedValue) == 56);

struct PJRT_Plugin_Initialize_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
};
static_assert(sizeof(PJRT_Plugin_Initialize_Args) == 16);

struct PJRT_Plugin_Attributes_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  const PJRT_NamedValue *attributes;
  size_t num_attributes;
};
static_assert(sizeof(PJRT_Plugin_Attributes_Args) == 32);

struct PJRT_Event_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Event *event;
};
static_assert(sizeof(PJRT_Event_Destroy_Args) == 24);

struct PJRT_Event_IsReady_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Event *event;
  bool is_ready;
};
static_assert(sizeof(PJRT_Event_IsReady_Args) == 32);

struct PJRT_Event_Error_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Event *event;
};
static_assert(sizeof(PJRT_Event_Error_Args) == 24);

struct PJRT_Event_Await_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Event *event;
};
static_assert(sizeof(PJRT_Event_Await_Args) == 24);

struct PJRT_Event_OnReady_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Event *event;
  PJRT_Event_OnReadyCallback callback;
  void *user_arg;
};
static_assert(sizeof(PJRT_Event_OnReady_Args) == 40);

struct PJRT_Event_Create_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Event *event;
};
static_assert(sizeof(PJRT_Event_Create_Args) == 24);

struct PJRT_Event_Set_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Event *event;
  PJRT_Error_Code error_code;
  const char *error_message;
  size_t error_message_size;
};
static_assert(sizeof(PJRT_Event_Set_Args) == 48);

struct PJRT_Memory_FunctionTable {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  size_t instance_struct_size;
  void *(*get_user_data)(PJRT_Memory *, const void *);
  void (*set_user_data)(PJRT_Memory *, const void *, void *, void (*)(void *));
};
static_assert(sizeof(PJRT_Memory_FunctionTable) == 40);

struct PJRT_Memory {
  const PJRT_Memory_FunctionTable *vtable;
};
static_assert(sizeof(PJRT_Memory) == 8);

struct PJRT_KeyValueGetCallback_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  const char *key;
  size_t key_size;
  int timeout_in_ms;
  PJRT_CallbackError *callback_error;
  void *user_arg;
  char *value;
  size_t value_size;
  PJRT_KeyValueGetCallback_ValueDeleter value_deleter_callback;
};
static_assert(sizeof(PJRT_KeyValueGetCallback_Args) == 80);

struct PJRT_KeyValueTryGetCallback_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  const char *key;
  size_t key_size;
  PJRT_CallbackError *callback_error;
  void *user_arg;
  char *value;
  size_t value_size;
  PJRT_KeyValueTryGetCallback_ValueDeleter value_deleter_callback;
};
static_assert(sizeof(PJRT_KeyValueTryGetCallback_Args) == 72);

struct PJRT_KeyValuePutCallback_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  const char *key;
  size_t key_size;
  const char *value;
  size_t value_size;
  PJRT_CallbackError *callback_error;
  void *user_arg;
};
static_assert(sizeof(PJRT_KeyValuePutCallback_Args) == 64);

struct PJRT_Client_Create_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  const PJRT_NamedValue *create_options;
  size_t num_options;
  PJRT_KeyValueGetCallback kv_get_callback;
  void *kv_get_user_arg;
  PJRT_KeyValuePutCallback kv_put_callback;
  void *kv_put_user_arg;
  PJRT_Client *client;
  PJRT_KeyValueTryGetCallback kv_try_get_callback;
  void *kv_try_get_user_arg;
};
static_assert(sizeof(PJRT_Client_Create_Args) == 88);

struct PJRT_Client_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
};
static_assert(sizeof(PJRT_Client_Destroy_Args) == 24);

struct PJRT_Client_PlatformName_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
  const char *platform_name;
  size_t platform_name_size;
};
static_assert(sizeof(PJRT_Client_PlatformName_Args) == 40);

struct PJRT_Client_ProcessIndex_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
  int process_index;
};
static_assert(sizeof(PJRT_Client_ProcessIndex_Args) == 32);

struct PJRT_Client_PlatformVersion_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
  const char *platform_version;
  size_t platform_version_size;
};
static_assert(sizeof(PJRT_Client_PlatformVersion_Args) == 40);

struct PJRT_Client_TopologyDescription_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
  PJRT_TopologyDescription *topology;
};
static_assert(sizeof(PJRT_Client_TopologyDescription_Args) == 32);

struct PJRT_Client_Devices_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
  PJRT_Device *const *devices;
  size_t num_devices;
};
static_assert(sizeof(PJRT_Client_Devices_Args) == 40);

struct PJRT_Client_AddressableDevices_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
  PJRT_Device *const *addressable_devices;
  size_t num_addressable_devices;
};
static_assert(sizeof(PJRT_Client_AddressableDevices_Args) == 40);

struct PJRT_Client_LookupDevice_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
  int id;
  PJRT_Device *device;
};
static_assert(sizeof(PJRT_Client_LookupDevice_Args) == 40);

struct PJRT_Client_LookupAddressableDevice_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
  int local_hardware_id;
  PJRT_Device *addressable_device;
};
static_assert(sizeof(PJRT_Client_LookupAddressableDevice_Args) == 40);

struct PJRT_ProcessInfo {
  size_t struct_size;
  int task_id;
  uint64_t incarnation_id;
  PJRT_ProcessState state;
  int error_code;
  const char *error_message;
  size_t error_message_size;
};
static_assert(sizeof(PJRT_ProcessInfo) == 48);

struct PJRT_Client_UpdateGlobalProcessInfo_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
  PJRT_ProcessInfo *process_infos;
  size_t num_process_infos;
};
static_assert(sizeof(PJRT_Client_UpdateGlobalProcessInfo_Args) == 40);

struct PJRT_Client_AddressableMemories_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
  PJRT_Memory *const *addressable_memories;
  size_t num_addressable_memories;
};
static_assert(sizeof(PJRT_Client_AddressableMemories_Args) == 40);

struct PJRT_Program {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  char *code;
  size_t code_size;
  const char *format;
  size_t format_size;
};
static_assert(sizeof(PJRT_Program) == 48);

struct PJRT_Client_Compile_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
  const PJRT_Program *program;
  const char *compile_options;
  size_t compile_options_size;
  PJRT_LoadedExecutable *executable;
};
static_assert(sizeof(PJRT_Client_Compile_Args) == 56);

struct PJRT_Client_Load_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
  PJRT_Executable *executable;
  const char *compile_options;
  size_t compile_options_size;
  PJRT_LoadedExecutable *loaded_executable;
};
static_assert(sizeof(PJRT_Client_Load_Args) == 56);

struct PJRT_Client_DefaultDeviceAssignment_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
  int num_replicas;
  int num_partitions;
  size_t default_assignment_size;
  int *default_assignment;
};
static_assert(sizeof(PJRT_Client_DefaultDeviceAssignment_Args) == 48);

struct PJRT_Client_DmaMap_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
  void *data;
  size_t size;
};
static_assert(sizeof(PJRT_Client_DmaMap_Args) == 40);

struct PJRT_Client_DmaUnmap_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
  void *data;
};
static_assert(sizeof(PJRT_Client_DmaUnmap_Args) == 32);

struct PJRT_AsyncHostToDeviceTransferManager_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_AsyncHostToDeviceTransferManager *transfer_manager;
};
static_assert(sizeof(PJRT_AsyncHostToDeviceTransferManager_Destroy_Args) == 24);

struct PJRT_AsyncHostToDeviceTransferManager_TransferData_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_AsyncHostToDeviceTransferManager *transfer_manager;
  int buffer_index;
  const void *data;
  int64_t offset;
  int64_t transfer_size;
  bool is_last_transfer;
  PJRT_Event *done_with_h2d_transfer;
};
static_assert(sizeof(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args) == 72);

struct PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_AsyncHostToDeviceTransferManager *transfer_manager;
  int buffer_index;
  PJRT_Buffer *buffer_out;
};
static_assert(sizeof(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args) == 40);

struct PJRT_AsyncHostToDeviceTransferManager_Device_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_AsyncHostToDeviceTransferManager *transfer_manager;
  PJRT_Device *device_out;
};
static_assert(sizeof(PJRT_AsyncHostToDeviceTransferManager_Device_Args) == 32);

struct PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_AsyncHostToDeviceTransferManager *transfer_manager;
  size_t buffer_count;
};
static_assert(sizeof(PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args) == 32);

struct PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_AsyncHostToDeviceTransferManager *transfer_manager;
  int buffer_index;
  size_t buffer_size;
};
static_assert(sizeof(PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args) == 40);

struct PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_AsyncHostToDeviceTransferManager *transfer_manager;
  int buffer_index;
  PJRT_Error_Code error_code;
  const char *error_message;
  size_t error_message_size;
};
static_assert(sizeof(PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args) == 48);

struct PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_AsyncHostToDeviceTransferManager *transfer_manager;
  const PJRT_NamedValue *transfer_metadata;
  size_t num_metadata;
};
static_assert(sizeof(PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args) == 40);

struct PJRT_Buffer_MemoryLayout_Tiled {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  const int64_t *minor_to_major;
  size_t minor_to_major_size;
  const int64_t *tile_dims;
  const size_t *tile_dim_sizes;
  size_t num_tiles;
};
static_assert(sizeof(PJRT_Buffer_MemoryLayout_Tiled) == 56);

struct PJRT_Buffer_MemoryLayout_Strides {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  const int64_t *byte_strides;
  size_t num_byte_strides;
};
static_assert(sizeof(PJRT_Buffer_MemoryLayout_Strides) == 32);

struct PJRT_Buffer_MemoryLayout {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  union {
    PJRT_Buffer_MemoryLayout_Tiled tiled;
    PJRT_Buffer_MemoryLayout_Strides strides;
  };
  PJRT_Buffer_MemoryLayout_Type type;
};
static_assert(sizeof(PJRT_Buffer_MemoryLayout) == 80);

struct PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_AsyncHostToDeviceTransferManager *transfer_manager;
  int buffer_index;
  const void *data;
  const int64_t *shape_dims;
  size_t shape_num_dims;
  PJRT_Buffer_Type shape_element_type;
  PJRT_Buffer_MemoryLayout *shape_layout;
  PJRT_Event *done_with_h2d_transfer;
};
static_assert(sizeof(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args) == 80);

struct PJRT_Client_CreateUninitializedBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
  const int64_t *shape_dims;
  size_t shape_num_dims;
  PJRT_Buffer_Type shape_element_type;
  PJRT_Buffer_MemoryLayout *shape_layout;
  PJRT_Device *device;
  PJRT_Memory *memory;
  PJRT_Buffer *buffer;
};
static_assert(sizeof(PJRT_Client_CreateUninitializedBuffer_Args) == 80);

struct PJRT_Client_CreateErrorBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
  PJRT_Error_Code error_code;
  const char *error_message;
  size_t error_message_size;
  const int64_t *shape_dims;
  size_t shape_num_dims;
  PJRT_Buffer_Type shape_element_type;
  PJRT_Buffer_MemoryLayout *shape_layout;
  PJRT_Memory *memory;
  PJRT_Buffer *buffer;
  const PJRT_NamedValue *payload;
  size_t num_payload;
};
static_assert(sizeof(PJRT_Client_CreateErrorBuffer_Args) == 112);

struct PJRT_Client_CreateAliasBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
  PJRT_Memory *memory;
  const int64_t *shape_dims;
  size_t shape_num_dims;
  PJRT_Buffer_Type shape_element_type;
  PJRT_Buffer_MemoryLayout *shape_layout;
  PJRT_Buffer *alias_buffer;
  PJRT_FulfillAliasBufferCallback *fulfill_alias_buffer_cb;
};
static_assert(sizeof(PJRT_Client_CreateAliasBuffer_Args) == 80);

struct PJRT_Client_FulfillAliasBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
  PJRT_Buffer *buffer;
  PJRT_Error_Code status_code;
  const char *error_message;
  size_t error_message_size;
  PJRT_FulfillAliasBufferCallback *fulfill_alias_buffer_cb;
};
static_assert(sizeof(PJRT_Client_FulfillAliasBuffer_Args) == 64);

struct PJRT_Client_BufferFromHostBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
  const void *data;
  PJRT_Buffer_Type type;
  const int64_t *dims;
  size_t num_dims;
  const int64_t *byte_strides;
  size_t num_byte_strides;
  PJRT_HostBufferSemantics host_buffer_semantics;
  PJRT_Device *device;
  PJRT_Memory *memory;
  PJRT_Buffer_MemoryLayout *device_layout;
  PJRT_Event *done_with_host_buffer;
  PJRT_Buffer *buffer;
};
static_assert(sizeof(PJRT_Client_BufferFromHostBuffer_Args) == 120);

struct PJRT_Client_CreateViewOfDeviceBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
  void *device_buffer_ptr;
  const int64_t *dims;
  size_t num_dims;
  PJRT_Buffer_Type element_type;
  PJRT_Buffer_MemoryLayout *layout;
  PJRT_Device *device;
  void (*on_delete_callback)(void *, void *);
  void *on_delete_callback_arg;
  intptr_t stream;
  PJRT_Buffer *buffer;
  PJRT_Memory *memory;
};
static_assert(sizeof(PJRT_Client_CreateViewOfDeviceBuffer_Args) == 112);

struct PJRT_ShapeSpec {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  const int64_t *dims;
  size_t num_dims;
  PJRT_Buffer_Type element_type;
};
static_assert(sizeof(PJRT_ShapeSpec) == 40);

struct PJRT_Client_CreateBuffersForAsyncHostToDevice_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
  PJRT_ShapeSpec *shape_specs;
  size_t num_shape_specs;
  PJRT_Buffer_MemoryLayout **device_layouts;
  size_t num_device_layouts;
  PJRT_Memory *memory;
  PJRT_AsyncHostToDeviceTransferManager *transfer_manager;
};
static_assert(sizeof(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args) == 72);

struct PJRT_DeviceDescription_Id_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_DeviceDescription *device_description;
  int id;
};
static_assert(sizeof(PJRT_DeviceDescription_Id_Args) == 32);

struct PJRT_DeviceDescription_ProcessIndex_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_DeviceDescription *device_description;
  int process_index;
};
static_assert(sizeof(PJRT_DeviceDescription_ProcessIndex_Args) == 32);

struct PJRT_DeviceDescription_Attributes_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_DeviceDescription *device_description;
  size_t num_attributes;
  const PJRT_NamedValue *attributes;
};
static_assert(sizeof(PJRT_DeviceDescription_Attributes_Args) == 40);

struct PJRT_DeviceDescription_Kind_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_DeviceDescription *device_description;
  const char *device_kind;
  size_t device_kind_size;
};
static_assert(sizeof(PJRT_DeviceDescription_Kind_Args) == 40);

struct PJRT_DeviceDescription_DebugString_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_DeviceDescription *device_description;
  const char *debug_string;
  size_t debug_string_size;
};
static_assert(sizeof(PJRT_DeviceDescription_DebugString_Args) == 40);

struct PJRT_DeviceDescription_ToString_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_DeviceDescription *device_description;
  const char *to_string;
  size_t to_string_size;
};
static_assert(sizeof(PJRT_DeviceDescription_ToString_Args) == 40);

struct PJRT_Device_GetDescription_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Device *device;
  PJRT_DeviceDescription *device_description;
};
static_assert(sizeof(PJRT_Device_GetDescription_Args) == 32);

struct PJRT_Device_IsAddressable_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Device *device;
  bool is_addressable;
};
static_assert(sizeof(PJRT_Device_IsAddressable_Args) == 32);

struct PJRT_Device_LocalHardwareId_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Device *device;
  int local_hardware_id;
};
static_assert(sizeof(PJRT_Device_LocalHardwareId_Args) == 32);

struct PJRT_Device_AddressableMemories_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Device *device;
  PJRT_Memory *const *memories;
  size_t num_memories;
};
static_assert(sizeof(PJRT_Device_AddressableMemories_Args) == 40);

struct PJRT_Device_DefaultMemory_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Device *device;
  PJRT_Memory *memory;
};
static_assert(sizeof(PJRT_Device_DefaultMemory_Args) == 32);

struct PJRT_Device_MemoryStats_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Device *device;
  int64_t bytes_in_use;
  int64_t peak_bytes_in_use;
  bool peak_bytes_in_use_is_set;
  int64_t num_allocs;
  bool num_allocs_is_set;
  int64_t largest_alloc_size;
  bool largest_alloc_size_is_set;
  int64_t bytes_limit;
  bool bytes_limit_is_set;
  int64_t bytes_reserved;
  bool bytes_reserved_is_set;
  int64_t peak_bytes_reserved;
  bool peak_bytes_reserved_is_set;
  int64_t bytes_reservable_limit;
  bool bytes_reservable_limit_is_set;
  int64_t largest_free_block_bytes;
  bool largest_free_block_bytes_is_set;
  int64_t pool_bytes;
  bool pool_bytes_is_set;
  int64_t peak_pool_bytes;
  bool peak_pool_bytes_is_set;
  int64_t peak_allocated_bytes;
  bool peak_allocated_bytes_is_set;
};
static_assert(sizeof(PJRT_Device_MemoryStats_Args) == 208);

struct PJRT_Device_ClearMemoryStats_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Device *device;
};
static_assert(sizeof(PJRT_Device_ClearMemoryStats_Args) == 24);

struct PJRT_Device_PoisonExecution_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Device *device;
  int32_t launch_id;
  PJRT_Error_Code error_code;
  const char *error_message;
  size_t error_message_size;
  bool poisoned;
  const PJRT_NamedValue *payload;
  size_t num_payload;
};
static_assert(sizeof(PJRT_Device_PoisonExecution_Args) == 72);

struct PJRT_Device_GetAttributes_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Device *device;
  const PJRT_NamedValue *attributes;
  size_t num_attributes;
  PJRT_Device_Attributes *device_attributes;
  void (*attributes_deleter)(PJRT_Device_Attributes *);
};
static_assert(sizeof(PJRT_Device_GetAttributes_Args) == 56);

struct PJRT_Device_CreateAsyncTrackingEvent_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Device *device;
  const char *description;
  size_t description_size;
  PJRT_AsyncTrackingEvent *event;
};
static_assert(sizeof(PJRT_Device_CreateAsyncTrackingEvent_Args) == 48);

struct PJRT_AsyncTrackingEvent_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_AsyncTrackingEvent *event;
};
static_assert(sizeof(PJRT_AsyncTrackingEvent_Destroy_Args) == 24);

struct PJRT_Memory_Id_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Memory *memory;
  int id;
};
static_assert(sizeof(PJRT_Memory_Id_Args) == 32);

struct PJRT_Memory_Kind_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Memory *memory;
  const char *kind;
  size_t kind_size;
};
static_assert(sizeof(PJRT_Memory_Kind_Args) == 40);

struct PJRT_Memory_Kind_Id_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Memory *memory;
  int kind_id;
};
static_assert(sizeof(PJRT_Memory_Kind_Id_Args) == 32);

struct PJRT_Memory_DebugString_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Memory *memory;
  const char *debug_string;
  size_t debug_string_size;
};
static_assert(sizeof(PJRT_Memory_DebugString_Args) == 40);

struct PJRT_Memory_ToString_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Memory *memory;
  const char *to_string;
  size_t to_string_size;
};
static_assert(sizeof(PJRT_Memory_ToString_Args) == 40);

struct PJRT_Memory_AddressableByDevices_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Memory *memory;
  PJRT_Device *const *devices;
  size_t num_devices;
};
static_assert(sizeof(PJRT_Memory_AddressableByDevices_Args) == 40);

struct PJRT_ExecuteContext_Create_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_ExecuteContext *context;
};
static_assert(sizeof(PJRT_ExecuteContext_Create_Args) == 24);

struct PJRT_ExecuteContext_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_ExecuteContext *context;
};
static_assert(sizeof(PJRT_ExecuteContext_Destroy_Args) == 24);

struct PJRT_Executable_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Executable *executable;
};
static_assert(sizeof(PJRT_Executable_Destroy_Args) == 24);

struct PJRT_LoadedExecutable_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_LoadedExecutable *executable;
};
static_assert(sizeof(PJRT_LoadedExecutable_Destroy_Args) == 24);

struct PJRT_LoadedExecutable_GetExecutable_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_LoadedExecutable *loaded_executable;
  PJRT_Executable *executable;
};
static_assert(sizeof(PJRT_LoadedExecutable_GetExecutable_Args) == 32);

struct PJRT_LoadedExecutable_GetDeviceAssignment_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_LoadedExecutable *executable;
  const char *serialized_bytes;
  size_t serialized_bytes_size;
  PJRT_DeviceAssignmentSerialized *serialized_device_assignment;
  void (*serialized_device_assignment_deleter)(PJRT_DeviceAssignmentSerialized *);
};
static_assert(sizeof(PJRT_LoadedExecutable_GetDeviceAssignment_Args) == 56);

struct PJRT_Executable_Name_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Executable *executable;
  const char *executable_name;
  size_t executable_name_size;
};
static_assert(sizeof(PJRT_Executable_Name_Args) == 40);

struct PJRT_Executable_NumReplicas_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Executable *executable;
  size_t num_replicas;
};
static_assert(sizeof(PJRT_Executable_NumReplicas_Args) == 32);

struct PJRT_Executable_NumPartitions_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Executable *executable;
  size_t num_partitions;
};
static_assert(sizeof(PJRT_Executable_NumPartitions_Args) == 32);

struct PJRT_LogicalDeviceIds {
  int replica;
  int partition;
};
static_assert(sizeof(PJRT_LogicalDeviceIds) == 8);

struct PJRT_LoadedExecutable_AddressableDevices_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_LoadedExecutable *executable;
  PJRT_Device *const *addressable_devices;
  size_t num_addressable_devices;
};
static_assert(sizeof(PJRT_LoadedExecutable_AddressableDevices_Args) == 40);

struct PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_LoadedExecutable *executable;
  PJRT_LogicalDeviceIds *addressable_device_logical_ids;
  size_t num_addressable_device_logical_ids;
};
static_assert(sizeof(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args) == 40);

struct PJRT_Executable_OptimizedProgram_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Executable *executable;
  PJRT_Program *program;
};
static_assert(sizeof(PJRT_Executable_OptimizedProgram_Args) == 32);

struct PJRT_LoadedExecutable_Delete_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_LoadedExecutable *executable;
};
static_assert(sizeof(PJRT_LoadedExecutable_Delete_Args) == 24);

struct PJRT_LoadedExecutable_IsDeleted_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_LoadedExecutable *executable;
  bool is_deleted;
};
static_assert(sizeof(PJRT_LoadedExecutable_IsDeleted_Args) == 32);

struct PJRT_Chunk {
  void *data;
  size_t size;
  void (*deleter)(void *, void *);
  void *deleter_arg;
};
static_assert(sizeof(PJRT_Chunk) == 32);

struct PJRT_SendCallbackInfo {
  int64_t channel_id;
  void *user_arg;
  PJRT_SendCallback send_callback;
};
static_assert(sizeof(PJRT_SendCallbackInfo) == 24);

struct PJRT_RecvCallbackInfo {
  int64_t channel_id;
  void *user_arg;
  PJRT_RecvCallback recv_callback;
};
static_assert(sizeof(PJRT_RecvCallbackInfo) == 24);

struct PJRT_HloOutputCallbackInfo {
  void *user_arg;
  PJRT_HloOutputCallback callback;
  int64_t callback_id;
  size_t num_operands;
};
static_assert(sizeof(PJRT_HloOutputCallbackInfo) == 32);

struct PJRT_ExecuteOptions {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_SendCallbackInfo **send_callbacks;
  PJRT_RecvCallbackInfo **recv_callbacks;
  size_t num_send_ops;
  size_t num_recv_ops;
  int launch_id;
  const int64_t *non_donatable_input_indices;
  size_t num_non_donatable_input_indices;
  PJRT_ExecuteContext *context;
  const char *call_location;
  size_t num_tasks;
  int *task_ids;
  int64_t *incarnation_ids;
  PJRT_MultiSlice_Config *multi_slice_config;
  bool use_major_to_minor_data_layout_for_callbacks;
  PJRT_HloOutputCallbackInfo *hlo_output_callbacks;
  size_t num_hlo_output_callbacks;
};
static_assert(sizeof(PJRT_ExecuteOptions) == 144);

struct PJRT_LoadedExecutable_Execute_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_LoadedExecutable *executable;
  PJRT_ExecuteOptions *options;
  PJRT_Buffer *const *const *argument_lists;
  size_t num_devices;
  size_t num_args;
  PJRT_Buffer **const *output_lists;
  PJRT_Event **device_complete_events;
  PJRT_Device *execute_device;
};
static_assert(sizeof(PJRT_LoadedExecutable_Execute_Args) == 80);

struct PJRT_Executable_NumOutputs_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Executable *executable;
  size_t num_outputs;
};
static_assert(sizeof(PJRT_Executable_NumOutputs_Args) == 32);

struct PJRT_Executable_SizeOfGeneratedCodeInBytes_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Executable *executable;
  int64_t size_in_bytes;
};
static_assert(sizeof(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args) == 32);

struct PJRT_Executable_Fingerprint_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Executable *executable;
  const char *executable_fingerprint;
  size_t executable_fingerprint_size;
};
static_assert(sizeof(PJRT_Executable_Fingerprint_Args) == 40);

struct PJRT_Executable_GetCostAnalysis_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Executable *executable;
  size_t num_properties;
  const PJRT_NamedValue *properties;
};
static_assert(sizeof(PJRT_Executable_GetCostAnalysis_Args) == 40);

struct PJRT_Executable_GetCompiledMemoryStats_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Executable *executable;
  int64_t generated_code_size_in_bytes;
  int64_t argument_size_in_bytes;
  int64_t output_size_in_bytes;
  int64_t alias_size_in_bytes;
  int64_t temp_size_in_bytes;
  int64_t host_generated_code_size_in_bytes;
  int64_t host_argument_size_in_bytes;
  int64_t host_output_size_in_bytes;
  int64_t host_alias_size_in_bytes;
  int64_t host_temp_size_in_bytes;
  int64_t peak_memory_in_bytes;
  int64_t total_size_in_bytes;
  int64_t total_allocation_bytes;
  int64_t indefinite_allocations;
  int64_t peak_unpadded_heap_bytes;
};
static_assert(sizeof(PJRT_Executable_GetCompiledMemoryStats_Args) == 144);

struct PJRT_Executable_OutputElementTypes_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Executable *executable;
  PJRT_Buffer_Type *output_types;
  size_t num_output_types;
};
static_assert(sizeof(PJRT_Executable_OutputElementTypes_Args) == 40);

struct PJRT_Executable_OutputDimensions_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Executable *executable;
  size_t num_outputs;
  const int64_t *dims;
  const size_t *dim_sizes;
};
static_assert(sizeof(PJRT_Executable_OutputDimensions_Args) == 48);

struct PJRT_Executable_ParameterMemoryKinds_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Executable *executable;
  size_t num_parameters;
  const char *const *memory_kinds;
  const size_t *memory_kind_sizes;
};
static_assert(sizeof(PJRT_Executable_ParameterMemoryKinds_Args) == 48);

struct PJRT_Executable_OutputMemoryKinds_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Executable *executable;
  size_t num_outputs;
  const char *const *memory_kinds;
  const size_t *memory_kind_sizes;
};
static_assert(sizeof(PJRT_Executable_OutputMemoryKinds_Args) == 48);

struct PJRT_Executable_Serialize_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  const PJRT_Executable *executable;
  const char *serialized_bytes;
  size_t serialized_bytes_size;
  PJRT_SerializedExecutable *serialized_executable;
  void (*serialized_executable_deleter)(PJRT_SerializedExecutable *);
};
static_assert(sizeof(PJRT_Executable_Serialize_Args) == 56);

struct PJRT_Executable_GetCompileOptions_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Executable *executable;
  const char *serialized_bytes;
  size_t serialized_bytes_size;
  PJRT_SerializedCompileOptions *serialized_compile_options;
  void (*serialized_compile_options_deleter)(PJRT_SerializedCompileOptions *);
};
static_assert(sizeof(PJRT_Executable_GetCompileOptions_Args) == 56);

struct PJRT_LoadOptions {
  size_t struct_size;
  const int32_t *computation_origin;
  size_t computation_origin_size;
  PJRT_MultiSlice_Config *multi_slice_config;
};
static_assert(sizeof(PJRT_LoadOptions) == 32);

struct PJRT_Executable_DeserializeAndLoad_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
  const char *serialized_executable;
  size_t serialized_executable_size;
  PJRT_LoadedExecutable *loaded_executable;
  const char *overridden_serialized_compile_options;
  size_t overridden_serialized_compile_options_size;
  PJRT_LoadOptions *load_options;
};
static_assert(sizeof(PJRT_Executable_DeserializeAndLoad_Args) == 72);

struct PJRT_LoadedExecutable_Fingerprint_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_LoadedExecutable *executable;
  const char *executable_fingerprint;
  size_t executable_fingerprint_size;
};
static_assert(sizeof(PJRT_LoadedExecutable_Fingerprint_Args) == 40);

struct PJRT_Buffer_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Buffer *buffer;
};
static_assert(sizeof(PJRT_Buffer_Destroy_Args) == 24);

struct PJRT_Buffer_ElementType_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Buffer *buffer;
  PJRT_Buffer_Type type;
};
static_assert(sizeof(PJRT_Buffer_ElementType_Args) == 32);

struct PJRT_Buffer_Dimensions_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Buffer *buffer;
  const int64_t *dims;
  size_t num_dims;
};
static_assert(sizeof(PJRT_Buffer_Dimensions_Args) == 40);

struct PJRT_Buffer_UnpaddedDimensions_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Buffer *buffer;
  const int64_t *unpadded_dims;
  size_t num_dims;
};
static_assert(sizeof(PJRT_Buffer_UnpaddedDimensions_Args) == 40);

struct PJRT_Buffer_DynamicDimensionIndices_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Buffer *buffer;
  const size_t *dynamic_dim_indices;
  size_t num_dynamic_dims;
};
static_assert(sizeof(PJRT_Buffer_DynamicDimensionIndices_Args) == 40);

struct PJRT_Buffer_GetMemoryLayout_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Buffer *buffer;
  PJRT_Buffer_MemoryLayout layout;
};
static_assert(sizeof(PJRT_Buffer_GetMemoryLayout_Args) == 104);

struct PJRT_Buffer_ToHostBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Buffer *src;
  PJRT_Buffer_MemoryLayout *host_layout;
  void *dst;
  size_t dst_size;
  PJRT_Event *event;
};
static_assert(sizeof(PJRT_Buffer_ToHostBuffer_Args) == 56);

struct PJRT_Buffer_OnDeviceSizeInBytes_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Buffer *buffer;
  size_t on_device_size_in_bytes;
};
static_assert(sizeof(PJRT_Buffer_OnDeviceSizeInBytes_Args) == 32);

struct PJRT_Buffer_Delete_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Buffer *buffer;
};
static_assert(sizeof(PJRT_Buffer_Delete_Args) == 24);

struct PJRT_Buffer_IsDeleted_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Buffer *buffer;
  bool is_deleted;
};
static_assert(sizeof(PJRT_Buffer_IsDeleted_Args) == 32);

struct PJRT_Buffer_CopyRawToHost_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Buffer *buffer;
  void *dst;
  int64_t offset;
  int64_t transfer_size;
  PJRT_Event *event;
};
static_assert(sizeof(PJRT_Buffer_CopyRawToHost_Args) == 56);

struct PJRT_Buffer_CopyRawToHostFuture_Callback_Args {
  size_t struct_size;
  void *callback_data;
  PJRT_Error_Code error_code;
  const char *error_message;
  size_t error_message_size;
  void *dst;
};
static_assert(sizeof(PJRT_Buffer_CopyRawToHostFuture_Callback_Args) == 48);

struct PJRT_Buffer_CopyRawToHostFuture_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Buffer *buffer;
  int64_t offset;
  int64_t transfer_size;
  PJRT_Event *event;
  void *callback_data;
  void (*future_ready_callback)(PJRT_Buffer_CopyRawToHostFuture_Callback_Args *);
};
static_assert(sizeof(PJRT_Buffer_CopyRawToHostFuture_Args) == 64);

struct PJRT_Buffer_CopyToDevice_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Buffer *buffer;
  PJRT_Device *dst_device;
  PJRT_Buffer *dst_buffer;
};
static_assert(sizeof(PJRT_Buffer_CopyToDevice_Args) == 40);

struct PJRT_Buffer_CopyToMemory_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Buffer *buffer;
  PJRT_Memory *dst_memory;
  PJRT_Buffer *dst_buffer;
};
static_assert(sizeof(PJRT_Buffer_CopyToMemory_Args) == 40);

struct PJRT_Buffer_Bitcast_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Buffer *buffer;
  PJRT_Buffer_Type element_type;
  const int64_t *dims;
  size_t num_dims;
  PJRT_Buffer_MemoryLayout *device_layout;
  PJRT_Buffer *out_buffer;
};
static_assert(sizeof(PJRT_Buffer_Bitcast_Args) == 64);

struct PJRT_Buffer_IsOnCpu_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Buffer *buffer;
  bool is_on_cpu;
};
static_assert(sizeof(PJRT_Buffer_IsOnCpu_Args) == 32);

struct PJRT_Buffer_Device_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Buffer *buffer;
  PJRT_Device *device;
};
static_assert(sizeof(PJRT_Buffer_Device_Args) == 32);

struct PJRT_Buffer_Memory_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Buffer *buffer;
  PJRT_Memory *memory;
};
static_assert(sizeof(PJRT_Buffer_Memory_Args) == 32);

struct PJRT_Buffer_ReadyEvent_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Buffer *buffer;
  PJRT_Event *event;
};
static_assert(sizeof(PJRT_Buffer_ReadyEvent_Args) == 32);

struct PJRT_Buffer_UnsafePointer_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Buffer *buffer;
  uintptr_t buffer_pointer;
};
static_assert(sizeof(PJRT_Buffer_UnsafePointer_Args) == 32);

struct PJRT_Buffer_IncreaseExternalReferenceCount_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Buffer *buffer;
};
static_assert(sizeof(PJRT_Buffer_IncreaseExternalReferenceCount_Args) == 24);

struct PJRT_Buffer_DecreaseExternalReferenceCount_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Buffer *buffer;
};
static_assert(sizeof(PJRT_Buffer_DecreaseExternalReferenceCount_Args) == 24);

struct PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Buffer *buffer;
  void *device_memory_ptr;
};
static_assert(sizeof(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args) == 32);

struct PJRT_Buffer_DonateWithControlDependency_Callback_Args {
  size_t struct_size;
  void *callback_data;
  PJRT_Error_Code error_code;
  const char *error_message;
  size_t error_message_size;
};
static_assert(sizeof(PJRT_Buffer_DonateWithControlDependency_Callback_Args) == 40);

struct PJRT_Buffer_DonateWithControlDependency_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Buffer *buffer;
  void *callback_data;
  void (*dependency_ready_callback)(PJRT_Buffer_DonateWithControlDependency_Callback_Args *);
  PJRT_Buffer *out_buffer;
};
static_assert(sizeof(PJRT_Buffer_DonateWithControlDependency_Args) == 48);

struct PJRT_CopyToDeviceStream_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_CopyToDeviceStream *stream;
};
static_assert(sizeof(PJRT_CopyToDeviceStream_Destroy_Args) == 24);

struct PJRT_CopyToDeviceStream_AddChunk_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_CopyToDeviceStream *stream;
  PJRT_Chunk *chunk;
  PJRT_Event *transfer_complete;
};
static_assert(sizeof(PJRT_CopyToDeviceStream_AddChunk_Args) == 40);

struct PJRT_CopyToDeviceStream_TotalBytes_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_CopyToDeviceStream *stream;
  int64_t total_bytes;
};
static_assert(sizeof(PJRT_CopyToDeviceStream_TotalBytes_Args) == 32);

struct PJRT_CopyToDeviceStream_GranuleSize_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_CopyToDeviceStream *stream;
  int64_t granule_size_in_bytes;
};
static_assert(sizeof(PJRT_CopyToDeviceStream_GranuleSize_Args) == 32);

struct PJRT_CopyToDeviceStream_CurrentBytes_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_CopyToDeviceStream *stream;
  int64_t current_bytes;
};
static_assert(sizeof(PJRT_CopyToDeviceStream_CurrentBytes_Args) == 32);

struct PJRT_TopologyDescription_Create_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  const char *topology_name;
  size_t topology_name_size;
  const PJRT_NamedValue *create_options;
  size_t num_options;
  PJRT_TopologyDescription *topology;
};
static_assert(sizeof(PJRT_TopologyDescription_Create_Args) == 56);

struct PJRT_TopologyDescription_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_TopologyDescription *topology;
};
static_assert(sizeof(PJRT_TopologyDescription_Destroy_Args) == 24);

struct PJRT_TopologyDescription_PlatformVersion_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_TopologyDescription *topology;
  const char *platform_version;
  size_t platform_version_size;
};
static_assert(sizeof(PJRT_TopologyDescription_PlatformVersion_Args) == 40);

struct PJRT_TopologyDescription_PlatformName_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  const PJRT_TopologyDescription *topology;
  const char *platform_name;
  size_t platform_name_size;
};
static_assert(sizeof(PJRT_TopologyDescription_PlatformName_Args) == 40);

struct PJRT_TopologyDescription_GetDeviceDescriptions_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  const PJRT_TopologyDescription *topology;
  PJRT_DeviceDescription *const *descriptions;
  size_t num_descriptions;
};
static_assert(sizeof(PJRT_TopologyDescription_GetDeviceDescriptions_Args) == 40);

struct PJRT_TopologyDescription_Serialize_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_TopologyDescription *topology;
  const char *serialized_bytes;
  size_t serialized_bytes_size;
  PJRT_SerializedTopology *serialized_topology;
  void (*serialized_topology_deleter)(PJRT_SerializedTopology *);
};
static_assert(sizeof(PJRT_TopologyDescription_Serialize_Args) == 56);

struct PJRT_TopologyDescription_Deserialize_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  const char *serialized_topology;
  size_t serialized_topology_size;
  PJRT_TopologyDescription *topology;
};
static_assert(sizeof(PJRT_TopologyDescription_Deserialize_Args) == 40);

struct PJRT_TopologyDescription_Attributes_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_TopologyDescription *topology;
  const PJRT_NamedValue *attributes;
  size_t num_attributes;
};
static_assert(sizeof(PJRT_TopologyDescription_Attributes_Args) == 40);

struct PJRT_TopologyDescription_Fingerprint_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  const PJRT_TopologyDescription *topology;
  uint64_t fingerprint;
};
static_assert(sizeof(PJRT_TopologyDescription_Fingerprint_Args) == 32);

struct PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  const PJRT_TopologyDescription *topology;
  int memory_space_kind_id;
  const int64_t *dims;
  size_t num_dims;
  PJRT_Buffer_Type element_type;
  const PJRT_Buffer_MemoryLayout *layout;
  const char *serialized_shape;
  size_t serialized_shape_size;
  void (*serialized_shape_deleter)(const char *);
};
static_assert(sizeof(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args) == 88);

struct PJRT_TopologyDescription_GetMemorySpaceKindIds_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  const PJRT_TopologyDescription *topology;
  const int *memory_space_kind_ids;
  size_t num_memory_space_kind_ids;
};
static_assert(sizeof(PJRT_TopologyDescription_GetMemorySpaceKindIds_Args) == 40);

struct PJRT_Compile_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  const PJRT_TopologyDescription *topology;
  const PJRT_Program *program;
  const char *compile_options;
  size_t compile_options_size;
  PJRT_Client *client;
  PJRT_Executable *executable;
};
static_assert(sizeof(PJRT_Compile_Args) == 64);

struct PJRT_Api {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Api_Version pjrt_api_version;
  void (*PJRT_Error_Destroy)(PJRT_Error_Destroy_Args *args);
  void (*PJRT_Error_Message)(PJRT_Error_Message_Args *args);
  PJRT_Error *(*PJRT_Error_GetCode)(PJRT_Error_GetCode_Args *args);
  PJRT_Error *(*PJRT_Plugin_Initialize)(PJRT_Plugin_Initialize_Args *args);
  PJRT_Error *(*PJRT_Plugin_Attributes)(PJRT_Plugin_Attributes_Args *args);
  PJRT_Error *(*PJRT_Event_Destroy)(PJRT_Event_Destroy_Args *args);
  PJRT_Error *(*PJRT_Event_IsReady)(PJRT_Event_IsReady_Args *args);
  PJRT_Error *(*PJRT_Event_Error)(PJRT_Event_Error_Args *args);
  PJRT_Error *(*PJRT_Event_Await)(PJRT_Event_Await_Args *args);
  PJRT_Error *(*PJRT_Event_OnReady)(PJRT_Event_OnReady_Args *args);
  PJRT_Error *(*PJRT_Client_Create)(PJRT_Client_Create_Args *args);
  PJRT_Error *(*PJRT_Client_Destroy)(PJRT_Client_Destroy_Args *args);
  PJRT_Error *(*PJRT_Client_PlatformName)(PJRT_Client_PlatformName_Args *args);
  PJRT_Error *(*PJRT_Client_ProcessIndex)(PJRT_Client_ProcessIndex_Args *args);
  PJRT_Error *(*PJRT_Client_PlatformVersion)(PJRT_Client_PlatformVersion_Args *args);
  PJRT_Error *(*PJRT_Client_Devices)(PJRT_Client_Devices_Args *args);
  PJRT_Error *(*PJRT_Client_AddressableDevices)(PJRT_Client_AddressableDevices_Args *args);
  PJRT_Error *(*PJRT_Client_LookupDevice)(PJRT_Client_LookupDevice_Args *args);
  PJRT_Error *(*PJRT_Client_LookupAddressableDevice)(PJRT_Client_LookupAddressableDevice_Args *args);
  PJRT_Error *(*PJRT_Client_AddressableMemories)(PJRT_Client_AddressableMemories_Args *args);
  PJRT_Error *(*PJRT_Client_Compile)(PJRT_Client_Compile_Args *args);
  PJRT_Error *(*PJRT_Client_DefaultDeviceAssignment)(PJRT_Client_DefaultDeviceAssignment_Args *args);
  PJRT_Error *(*PJRT_Client_BufferFromHostBuffer)(PJRT_Client_BufferFromHostBuffer_Args *args);
  PJRT_Error *(*PJRT_DeviceDescription_Id)(PJRT_DeviceDescription_Id_Args *args);
  PJRT_Error *(*PJRT_DeviceDescription_ProcessIndex)(PJRT_DeviceDescription_ProcessIndex_Args *args);
  PJRT_Error *(*PJRT_DeviceDescription_Attributes)(PJRT_DeviceDescription_Attributes_Args *args);
  PJRT_Error *(*PJRT_DeviceDescription_Kind)(PJRT_DeviceDescription_Kind_Args *args);
  PJRT_Error *(*PJRT_DeviceDescription_DebugString)(PJRT_DeviceDescription_DebugString_Args *args);
  PJRT_Error *(*PJRT_DeviceDescription_ToString)(PJRT_DeviceDescription_ToString_Args *args);
  PJRT_Error *(*PJRT_Device_GetDescription)(PJRT_Device_GetDescription_Args *args);
  PJRT_Error *(*PJRT_Device_IsAddressable)(PJRT_Device_IsAddressable_Args *args);
  PJRT_Error *(*PJRT_Device_LocalHardwareId)(PJRT_Device_LocalHardwareId_Args *args);
  PJRT_Error *(*PJRT_Device_AddressableMemories)(PJRT_Device_AddressableMemories_Args *args);
  PJRT_Error *(*PJRT_Device_DefaultMemory)(PJRT_Device_DefaultMemory_Args *args);
  PJRT_Error *(*PJRT_Device_MemoryStats)(PJRT_Device_MemoryStats_Args *args);
  PJRT_Error *(*PJRT_Memory_Id)(PJRT_Memory_Id_Args *args);
  PJRT_Error *(*PJRT_Memory_Kind)(PJRT_Memory_Kind_Args *args);
  PJRT_Error *(*PJRT_Memory_DebugString)(PJRT_Memory_DebugString_Args *args);
  PJRT_Error *(*PJRT_Memory_ToString)(PJRT_Memory_ToString_Args *args);
  PJRT_Error *(*PJRT_Memory_AddressableByDevices)(PJRT_Memory_AddressableByDevices_Args *args);
  PJRT_Error *(*PJRT_Executable_Destroy)(PJRT_Executable_Destroy_Args *args);
  PJRT_Error *(*PJRT_Executable_Name)(PJRT_Executable_Name_Args *args);
  PJRT_Error *(*PJRT_Executable_NumReplicas)(PJRT_Executable_NumReplicas_Args *args);
  PJRT_Error *(*PJRT_Executable_NumPartitions)(PJRT_Executable_NumPartitions_Args *args);
  PJRT_Error *(*PJRT_Executable_NumOutputs)(PJRT_Executable_NumOutputs_Args *args);
  PJRT_Error *(*PJRT_Executable_SizeOfGeneratedCodeInBytes)(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args *args);
  PJRT_Error *(*PJRT_Executable_GetCostAnalysis)(PJRT_Executable_GetCostAnalysis_Args *args);
  PJRT_Error *(*PJRT_Executable_OutputMemoryKinds)(PJRT_Executable_OutputMemoryKinds_Args *args);
  PJRT_Error *(*PJRT_Executable_OptimizedProgram)(PJRT_Executable_OptimizedProgram_Args *args);
  PJRT_Error *(*PJRT_Executable_Serialize)(PJRT_Executable_Serialize_Args *args);
  PJRT_Error *(*PJRT_LoadedExecutable_Destroy)(PJRT_LoadedExecutable_Destroy_Args *args);
  PJRT_Error *(*PJRT_LoadedExecutable_GetExecutable)(PJRT_LoadedExecutable_GetExecutable_Args *args);
  PJRT_Error *(*PJRT_LoadedExecutable_AddressableDevices)(PJRT_LoadedExecutable_AddressableDevices_Args *args);
  PJRT_Error *(*PJRT_LoadedExecutable_Delete)(PJRT_LoadedExecutable_Delete_Args *args);
  PJRT_Error *(*PJRT_LoadedExecutable_IsDeleted)(PJRT_LoadedExecutable_IsDeleted_Args *args);
  PJRT_Error *(*PJRT_LoadedExecutable_Execute)(PJRT_LoadedExecutable_Execute_Args *args);
  PJRT_Error *(*PJRT_Executable_DeserializeAndLoad)(PJRT_Executable_DeserializeAndLoad_Args *args);
  PJRT_Error *(*PJRT_LoadedExecutable_Fingerprint)(PJRT_LoadedExecutable_Fingerprint_Args *args);
  PJRT_Error *(*PJRT_Buffer_Destroy)(PJRT_Buffer_Destroy_Args *args);
  PJRT_Error *(*PJRT_Buffer_ElementType)(PJRT_Buffer_ElementType_Args *args);
  PJRT_Error *(*PJRT_Buffer_Dimensions)(PJRT_Buffer_Dimensions_Args *args);
  PJRT_Error *(*PJRT_Buffer_UnpaddedDimensions)(PJRT_Buffer_UnpaddedDimensions_Args *args);
  PJRT_Error *(*PJRT_Buffer_DynamicDimensionIndices)(PJRT_Buffer_DynamicDimensionIndices_Args *args);
  PJRT_Error *(*PJRT_Buffer_GetMemoryLayout)(PJRT_Buffer_GetMemoryLayout_Args *args);
  PJRT_Error *(*PJRT_Buffer_OnDeviceSizeInBytes)(PJRT_Buffer_OnDeviceSizeInBytes_Args *args);
  PJRT_Error *(*PJRT_Buffer_Device)(PJRT_Buffer_Device_Args *args);
  PJRT_Error *(*PJRT_Buffer_Memory)(PJRT_Buffer_Memory_Args *args);
  PJRT_Error *(*PJRT_Buffer_Delete)(PJRT_Buffer_Delete_Args *args);
  PJRT_Error *(*PJRT_Buffer_IsDeleted)(PJRT_Buffer_IsDeleted_Args *args);
  PJRT_Error *(*PJRT_Buffer_CopyToDevice)(PJRT_Buffer_CopyToDevice_Args *args);
  PJRT_Error *(*PJRT_Buffer_ToHostBuffer)(PJRT_Buffer_ToHostBuffer_Args *args);
  PJRT_Error *(*PJRT_Buffer_IsOnCpu)(PJRT_Buffer_IsOnCpu_Args *args);
  PJRT_Error *(*PJRT_Buffer_ReadyEvent)(PJRT_Buffer_ReadyEvent_Args *args);
  PJRT_Error *(*PJRT_Buffer_UnsafePointer)(PJRT_Buffer_UnsafePointer_Args *args);
  PJRT_Error *(*PJRT_Buffer_IncreaseExternalReferenceCount)(PJRT_Buffer_IncreaseExternalReferenceCount_Args *args);
  PJRT_Error *(*PJRT_Buffer_DecreaseExternalReferenceCount)(PJRT_Buffer_DecreaseExternalReferenceCount_Args *args);
  PJRT_Error *(*PJRT_Buffer_OpaqueDeviceMemoryDataPointer)(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args *args);
  PJRT_Error *(*PJRT_CopyToDeviceStream_Destroy)(PJRT_CopyToDeviceStream_Destroy_Args *args);
  PJRT_Error *(*PJRT_CopyToDeviceStream_AddChunk)(PJRT_CopyToDeviceStream_AddChunk_Args *args);
  PJRT_Error *(*PJRT_CopyToDeviceStream_TotalBytes)(PJRT_CopyToDeviceStream_TotalBytes_Args *args);
  PJRT_Error *(*PJRT_CopyToDeviceStream_GranuleSize)(PJRT_CopyToDeviceStream_GranuleSize_Args *args);
  PJRT_Error *(*PJRT_CopyToDeviceStream_CurrentBytes)(PJRT_CopyToDeviceStream_CurrentBytes_Args *args);
  PJRT_Error *(*PJRT_TopologyDescription_Create)(PJRT_TopologyDescription_Create_Args *args);
  PJRT_Error *(*PJRT_TopologyDescription_Destroy)(PJRT_TopologyDescription_Destroy_Args *args);
  PJRT_Error *(*PJRT_TopologyDescription_PlatformName)(PJRT_TopologyDescription_PlatformName_Args *args);
  PJRT_Error *(*PJRT_TopologyDescription_PlatformVersion)(PJRT_TopologyDescription_PlatformVersion_Args *args);
  PJRT_Error *(*PJRT_TopologyDescription_GetDeviceDescriptions)(
      PJRT_TopologyDescription_GetDeviceDescriptions_Args *args);
  PJRT_Error *(*PJRT_TopologyDescription_Serialize)(PJRT_TopologyDescription_Serialize_Args *args);
  PJRT_Error *(*PJRT_TopologyDescription_Attributes)(PJRT_TopologyDescription_Attributes_Args *args);
  PJRT_Error *(*PJRT_Compile)(PJRT_Compile_Args *args);
  PJRT_Error *(*PJRT_Executable_OutputElementTypes)(PJRT_Executable_OutputElementTypes_Args *args);
  PJRT_Error *(*PJRT_Executable_OutputDimensions)(PJRT_Executable_OutputDimensions_Args *args);
  PJRT_Error *(*PJRT_Buffer_CopyToMemory)(PJRT_Buffer_CopyToMemory_Args *args);
  PJRT_Error *(*PJRT_Client_CreateViewOfDeviceBuffer)(PJRT_Client_CreateViewOfDeviceBuffer_Args *args);
  PJRT_Error *(*PJRT_Executable_Fingerprint)(PJRT_Executable_Fingerprint_Args *args);
  PJRT_Error *(*PJRT_Client_TopologyDescription)(PJRT_Client_TopologyDescription_Args *args);
  PJRT_Error *(*PJRT_Executable_GetCompiledMemoryStats)(PJRT_Executable_GetCompiledMemoryStats_Args *args);
  PJRT_Error *(*PJRT_Memory_Kind_Id)(PJRT_Memory_Kind_Id_Args *args);
  PJRT_Error *(*PJRT_ExecuteContext_Create)(PJRT_ExecuteContext_Create_Args *args);
  PJRT_Error *(*PJRT_ExecuteContext_Destroy)(PJRT_ExecuteContext_Destroy_Args *args);
  PJRT_Error *(*PJRT_Buffer_CopyRawToHost)(PJRT_Buffer_CopyRawToHost_Args *args);
  PJRT_Error *(*PJRT_AsyncHostToDeviceTransferManager_Destroy)(
      PJRT_AsyncHostToDeviceTransferManager_Destroy_Args *args);
  PJRT_Error *(*PJRT_AsyncHostToDeviceTransferManager_TransferData)(
      PJRT_AsyncHostToDeviceTransferManager_TransferData_Args *args);
  PJRT_Error *(*PJRT_Client_CreateBuffersForAsyncHostToDevice)(
      PJRT_Client_CreateBuffersForAsyncHostToDevice_Args *args);
  PJRT_Error *(*PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer)(
      PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args *args);
  PJRT_Error *(*PJRT_AsyncHostToDeviceTransferManager_Device)(PJRT_AsyncHostToDeviceTransferManager_Device_Args *args);
  PJRT_Error *(*PJRT_AsyncHostToDeviceTransferManager_BufferCount)(
      PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args *args);
  PJRT_Error *(*PJRT_AsyncHostToDeviceTransferManager_BufferSize)(
      PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args *args);
  PJRT_Error *(*PJRT_AsyncHostToDeviceTransferManager_SetBufferError)(
      PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args *args);
  PJRT_Error *(*PJRT_AsyncHostToDeviceTransferManager_AddMetadata)(
      PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args *args);
  PJRT_Error *(*PJRT_Client_DmaMap)(PJRT_Client_DmaMap_Args *args);
  PJRT_Error *(*PJRT_Client_DmaUnmap)(PJRT_Client_DmaUnmap_Args *args);
  PJRT_Error *(*PJRT_Client_CreateUninitializedBuffer)(PJRT_Client_CreateUninitializedBuffer_Args *args);
  PJRT_Error *(*PJRT_Client_UpdateGlobalProcessInfo)(PJRT_Client_UpdateGlobalProcessInfo_Args *args);
  PJRT_Error *(*PJRT_TopologyDescription_Deserialize)(PJRT_TopologyDescription_Deserialize_Args *args);
  PJRT_Error *(*PJRT_Client_CreateAliasBuffer)(PJRT_Client_CreateAliasBuffer_Args *args);
  PJRT_Error *(*PJRT_Client_FulfillAliasBuffer)(PJRT_Client_FulfillAliasBuffer_Args *args);
  PJRT_Error *(*PJRT_LoadedExecutable_GetDeviceAssignment)(PJRT_LoadedExecutable_GetDeviceAssignment_Args *args);
  PJRT_Error *(*PJRT_Client_CreateErrorBuffer)(PJRT_Client_CreateErrorBuffer_Args *args);
  PJRT_Error *(*PJRT_AsyncHostToDeviceTransferManager_TransferLiteral)(
      PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args *args);
  PJRT_Error *(*PJRT_Buffer_CopyRawToHostFuture)(PJRT_Buffer_CopyRawToHostFuture_Args *args);
  PJRT_Error *(*PJRT_Device_PoisonExecution)(PJRT_Device_PoisonExecution_Args *args);
  PJRT_Error *(*PJRT_Device_CreateAsyncTrackingEvent)(PJRT_Device_CreateAsyncTrackingEvent_Args *args);
  PJRT_Error *(*PJRT_AsyncTrackingEvent_Destroy)(PJRT_AsyncTrackingEvent_Destroy_Args *args);
  PJRT_Error *(*PJRT_Executable_GetCompileOptions)(PJRT_Executable_GetCompileOptions_Args *args);
  PJRT_Error *(*PJRT_Buffer_DonateWithControlDependency)(PJRT_Buffer_DonateWithControlDependency_Args *args);
  PJRT_Error *(*PJRT_Event_Create)(PJRT_Event_Create_Args *args);
  PJRT_Error *(*PJRT_Event_Set)(PJRT_Event_Set_Args *args);
  PJRT_Error *(*PJRT_Device_GetAttributes)(PJRT_Device_GetAttributes_Args *args);
  PJRT_Error *(*PJRT_Client_Load)(PJRT_Client_Load_Args *args);
  PJRT_Error *(*PJRT_LoadedExecutable_AddressableDeviceLogicalIds)(
      PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args *args);
  PJRT_Error *(*PJRT_Buffer_Bitcast)(PJRT_Buffer_Bitcast_Args *args);
  PJRT_Error *(*PJRT_Error_ForEachPayload)(PJRT_Error_ForEachPayload_Args *args);
  PJRT_Error *(*PJRT_TopologyDescription_Fingerprint)(PJRT_TopologyDescription_Fingerprint_Args *args);
  PJRT_Error *(*PJRT_Executable_ParameterMemoryKinds)(PJRT_Executable_ParameterMemoryKinds_Args *args);
  PJRT_Error *(*PJRT_Device_ClearMemoryStats)(PJRT_Device_ClearMemoryStats_Args *args);
  PJRT_Error *(*PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace)(
      PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args *args);
  PJRT_Error *(*PJRT_TopologyDescription_GetMemorySpaceKindIds)(
      PJRT_TopologyDescription_GetMemorySpaceKindIds_Args *args);
};
static_assert(sizeof(PJRT_Api) == 1144);

}  // extern "C"
