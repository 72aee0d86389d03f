"""Registers functions of libraries (jax.ffi.register_ffi_target) with Backplane, through the FFI extension of PJRT."""

import ctypes

EXTENSION_FFI = 5  # PJRT_Extension_Type_FFI


class Extension(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("type", ctypes.c_int), ("next", ctypes.c_void_p),
                ("register_type", ctypes.c_void_p), ("add_user_data", ctypes.c_void_p),
                ("register_handler", ctypes.c_void_p), ("functions", ctypes.c_void_p),
                ("wait_for_runs", ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_int64))]


class Api(ctypes.Structure):
    """The beginning of PJRT_Api."""
    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p), ("version", ctypes.c_byte * 24),
                ("error_destroy", ctypes.c_void_p), ("error_message", ctypes.c_void_p)]


class RegisterHandlerArgs(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("target_name", ctypes.c_char_p),
                ("target_name_size", ctypes.c_size_t), ("handler", ctypes.c_void_p), ("platform_name", ctypes.c_char_p),
                ("platform_name_size", ctypes.c_size_t), ("traits", ctypes.c_int)]


class ErrorArgs(ctypes.Structure):
    """The arguments of PJRT_Error_Message; those of PJRT_Error_Destroy are its beginning."""
    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p), ("error", ctypes.c_void_p),
                ("message", ctypes.c_void_p), ("message_size", ctypes.c_size_t)]


class ByteSpan(ctypes.Structure):
    _fields_ = [("text", ctypes.c_char_p), ("size", ctypes.c_size_t)]


class RegisterFunctionArgs(ctypes.Structure):
    """XLA_FFI_Handler_Register_Args: a function with its stages."""
    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p), ("name", ByteSpan),
                ("platform", ByteSpan), ("instantiate", ctypes.c_void_p), ("prepare", ctypes.c_void_p),
                ("initialize", ctypes.c_void_p), ("execute", ctypes.c_void_p), ("traits", ctypes.c_uint32)]


class TypeInfo(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class RegisterTypeArgs(ctypes.Structure):
    """XLA_FFI_Type_Register_Args."""
    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p), ("name", ByteSpan),
                ("type_id", ctypes.POINTER(ctypes.c_int64)), ("type_info", ctypes.POINTER(TypeInfo))]


class MessageArgs(ctypes.Structure):
    """XLA_FFI_Error_GetMessage_Args; those of XLA_FFI_Error_Destroy are alike."""
    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p), ("error", ctypes.c_void_p),
                ("message", ctypes.c_char_p)]


class Functions(ctypes.Structure):
    """XLA_FFI_Api."""
    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p), ("version", ctypes.c_byte * 24),
                *[(name, ctypes.c_void_p) for name in (
                    "internal", "error_create", "error_get_message", "error_destroy", "handler_register", "stream_get",
                    "type_register", "execution_context_get", "state_set", "state_get")]]

    def call(self, name: str, args):
        """Calls a function that may fail."""
        function = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
        error = function(getattr(self, name))(ctypes.addressof(args))
        if error:
            message = MessageArgs(ctypes.sizeof(MessageArgs), None, error, None)
            function(self.error_get_message)(ctypes.addressof(message))
            text = message.message.decode()
            function(self.error_destroy)(ctypes.addressof(message))
            raise ValueError(text)


def wait_for_runs(c_api):
    """Waits until the runs of all programs have ended; `c_api`: the capsule of the library's PJRT_Api."""
    wait = find_extension(Api.from_address(pointer_of(c_api))).wait_for_runs
    while not wait(100):  # milliseconds, after which Python may be interrupted
        pass


def span(text: str) -> ByteSpan:
    return ByteSpan(text.encode(), len(text.encode()))


def functions_of(c_api) -> Functions:
    """Returns the functions of XLA's FFI; `c_api`: the capsule of the library's PJRT_Api."""
    return Functions.from_address(find_extension(Api.from_address(pointer_of(c_api))).functions)


def pointer_of(capsule) -> int:
    """Returns the address in a PyCapsule."""
    get_name = ctypes.pythonapi.PyCapsule_GetName
    get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return get_pointer(capsule, get_name(capsule))


def find_extension(api: Api) -> Extension:
    address = api.extension_start
    while address:
        extension = Extension.from_address(address)
        if extension.type == EXTENSION_FFI:
            return extension
        address = extension.next
    raise RuntimeError("the library has no FFI extension: it is older than this package")


def message_of(api: Api, error: int) -> str:
    """Returns the message of a PJRT_Error, and destroys it."""
    function = ctypes.CFUNCTYPE(None, ctypes.POINTER(ErrorArgs))
    args = ErrorArgs(ctypes.sizeof(ErrorArgs), None, error, None, 0)
    function(api.error_message)(args)
    message = ctypes.string_at(args.message, args.message_size).decode()
    args.struct_size = ErrorArgs.message.offset
    function(api.error_destroy)(args)
    return message


def registrar(c_api):
    """Returns the function that JAX calls to register a target; `c_api`: the capsule of the library's PJRT_Api."""
    api = Api.from_address(pointer_of(c_api))
    register = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(RegisterHandlerArgs))(
        find_extension(api).register_handler)

    def register_target(name, function, platform, api_version, traits=0):
        del traits
        if api_version != 1:
            raise NotImplementedError(f"{name}: api_version {api_version}, expected 1: functions of XLA's typed FFI")
        if isinstance(function, dict):
            args = RegisterFunctionArgs(ctypes.sizeof(RegisterFunctionArgs), None, span(name), span(platform))
            for stage, handler in function.items():
                setattr(args, stage, pointer_of(handler))
            functions_of(c_api).call("handler_register", args)
            return
        target, place = name.encode() if isinstance(name, str) else name, platform.encode()
        error = register(RegisterHandlerArgs(ctypes.sizeof(RegisterHandlerArgs), target, len(target),
                                             pointer_of(function), place, len(place), 0))
        if error:
            raise ValueError(message_of(api, error))

    return register_target
