"""Python functions that programs call: jax.pure_callback, io_callback, debug.print and debug.callback.

A callback is a call of the foreign function TARGET, whose attribute `index` says which Python function it means. The
function gets its arguments as NumPy arrays, runs on the host, and holds the interpreter's lock meanwhile. It lives as
long as a program that calls it: JAX's, or the library's, whose runs may still go on when JAX's is gone.
"""

import atexit
import ctypes
import itertools
import secrets
import traceback
import weakref

from jax_backplane import foreign_functions

TARGET = "backplane_python_callback"
VERSION = (0, 3)  # of XLA's FFI, which the structures below follow
TOKEN = 17  # xla.PrimitiveType
INTERNAL = 13  # absl::StatusCode
INSTANTIATE = 0  # XLA_FFI_ExecutionStage


class Buffer(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p), ("dtype", ctypes.c_int),
                ("data", ctypes.c_void_p), ("rank", ctypes.c_int64), ("dims", ctypes.POINTER(ctypes.c_int64))]


class Buffers(ctypes.Structure):
    """XLA_FFI_Args and XLA_FFI_Rets."""
    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p), ("size", ctypes.c_int64),
                ("types", ctypes.c_void_p), ("buffers", ctypes.POINTER(ctypes.POINTER(Buffer)))]

    def arrays(self):
        return [self.buffers[i].contents for i in range(self.size) if self.buffers[i].contents.dtype != TOKEN]


class Scalar(ctypes.Structure):
    _fields_ = [("dtype", ctypes.c_int), ("value", ctypes.POINTER(ctypes.c_int64))]


class Attributes(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p), ("size", ctypes.c_int64),
                ("types", ctypes.c_void_p), ("names", ctypes.c_void_p),
                ("values", ctypes.POINTER(ctypes.POINTER(Scalar)))]


class Version(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p), ("major", ctypes.c_int),
                ("minor", ctypes.c_int)]


class Metadata(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("version", Version)]


class MetadataExtension(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("type", ctypes.c_int), ("next", ctypes.c_void_p),
                ("metadata", ctypes.POINTER(Metadata))]


class CreateErrorArgs(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p), ("message", ctypes.c_char_p),
                ("code", ctypes.c_int)]


CREATE_ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(CreateErrorArgs))


class Api(ctypes.Structure):
    """The beginning of XLA_FFI_Api."""
    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p), ("version", Version),
                ("internal", ctypes.c_void_p), ("create_error", CREATE_ERROR)]


class CallFrame(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.POINTER(MetadataExtension)),
                ("api", ctypes.POINTER(Api)), ("context", ctypes.c_void_p), ("stage", ctypes.c_int),
                ("arguments", Buffers), ("results", Buffers), ("attributes", Attributes), ("future", ctypes.c_void_p)]


class StateArgs(ctypes.Structure):
    """XLA_FFI_State_Args."""
    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p), ("context", ctypes.c_void_p),
                ("stage", ctypes.c_int), ("type_id", ctypes.POINTER(ctypes.c_int64)), ("state", ctypes.c_void_p)]


class Callback:
    """A Python function of arrays that returns a tuple of arrays."""

    def __init__(self, function, result_types):
        self.function = function
        self.result_types = result_types  # avals of JAX

    def run(self, arguments, results):
        import numpy as np
        from jax._src import dtypes

        values = self.function(*[array_of(buffer).copy() for buffer in arguments])
        if len(values) != len(self.result_types):
            raise RuntimeError(f"Mismatched number of outputs from callback. Expected: {len(self.result_types)}, "
                               f"Actual: {len(values)}")
        values = [dtypes.canonicalize_value(np.asarray(value)) for value in values]
        for i, (value, expected) in enumerate(zip(values, self.result_types)):
            for what, found, wanted in (("shape", value.shape, expected.shape), ("dtype", value.dtype, expected.dtype)):
                if found != wanted:
                    raise RuntimeError(
                        f"Incorrect output {what} for return value #{i}: Expected: {wanted}, Actual: {found}")
        for value, buffer in zip(values, results):
            array_of(buffer)[...] = value


def array_of(buffer: Buffer):
    """Returns the memory of a buffer as an array of NumPy."""
    import numpy as np

    dtype = DTYPES.get(buffer.dtype)
    if dtype is None:
        raise RuntimeError(f"arrays of xla.PrimitiveType {buffer.dtype} have no type in NumPy")
    shape = tuple(buffer.dims[i] for i in range(buffer.rank))
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    if size == 0:
        return np.zeros(shape, dtype)
    return np.frombuffer((ctypes.c_byte * size).from_address(buffer.data), dtype).reshape(shape)


def make_dtypes():
    """Returns NumPy's types by xla.PrimitiveType. Elements of less than 8 bits take a byte each."""
    import ml_dtypes
    import numpy as np

    names = {1: "bool", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "uint8", 7: "uint16", 8: "uint32",
             9: "uint64", 10: "float16", 11: "float32", 12: "float64",
             15: "complex64", 16: "bfloat16", 18: "complex128",
             19: "float8_e5m2", 20: "float8_e4m3fn",
             21: "int4", 22: "uint4", 23: "float8_e4m3b11fnuz",
             24: "float8_e5m2fnuz", 25: "float8_e4m3fnuz", 26: "int2", 27: "uint2", 28: "float8_e4m3",
             29: "float8_e3m4", 32: "float4_e2m1fn", 33: "float8_e8m0fnu"}
    return {number: np.dtype(getattr(ml_dtypes, name, name)) for number, name in names.items()}


DTYPES = {}
callbacks = weakref.WeakValueDictionary()  # by index
held = {}  # the callbacks of the library's programs, by a number of the program's call
numbers = itertools.count(1)
STATE_TYPE = ctypes.c_int64(0)
# Holds what it uses: it is called when this module may be gone.
RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda number, held=held: held.pop(number, None) and None)


def release_all(c_api):
    """Waits for runs that nobody waits for: their callbacks need the interpreter, which is about to end. Then lets go
    of callbacks that keep the program that calls them, which the library would release when RELEASE is gone."""
    try:
        foreign_functions.wait_for_runs(c_api)
    finally:
        held.clear()


def instantiate(frame, index):
    """Lets a program of the library hold its callback. One of another process has none: its runs fail."""
    callback = callbacks.get(index)
    if callback is None:
        return
    number = next(numbers)
    held[number] = callback
    functions = foreign_functions.Functions.from_address(ctypes.addressof(frame.api.contents))
    functions.call("state_set", StateArgs(ctypes.sizeof(StateArgs), None, frame.context, frame.stage,
                                          ctypes.pointer(STATE_TYPE), number))


def describe(exception):
    """Returns an exception with its stack. Its lines are not marked by column: Python 3.11 parses them for that, which
    fails where another thread parses, too."""
    lines = [(frame.filename, frame.lineno, frame.name, frame.line)
             for frame in traceback.extract_tb(exception.__traceback__)]
    return "".join(["Traceback (most recent call last):\n", *traceback.format_list(lines),
                    *traceback.format_exception_only(exception)])


def handle(frame):
    """The stages of the foreign function. Returns None, or the address of an error."""
    frame = frame.contents
    try:
        if frame.extension_start:
            version = frame.extension_start.contents.metadata.contents.version
            version.major, version.minor = VERSION
            return None
        index = frame.attributes.values[0].contents.value[0]
        if frame.stage == INSTANTIATE:
            instantiate(frame, index)
            return None
        callback = callbacks.get(index)
        if callback is None:
            raise RuntimeError("the Python function of this callback is gone: the program was made by another process")
        callback.run(frame.arguments.arrays(), frame.results.arrays())
        return None
    except BaseException as exception:  # no exception may pass through C
        message = ("error in a Python callback: " + describe(exception)).encode(errors="backslashreplace")
        error = CreateErrorArgs(ctypes.sizeof(CreateErrorArgs), None, message, INTERNAL)
        return frame.api.contents.create_error(error)


HANDLER = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(CallFrame))(handle)


def with_token(sharding):
    """Returns the shardings of results for the same results after a token."""
    from jax._src.sharding_impls import SdyArray, SdyArrayList

    if not isinstance(sharding, SdyArrayList):
        return sharding
    token = SdyArray(mesh_shape=(), dim_shardings=(), logical_device_ids=sharding.shardings[0].logical_device_ids)
    return SdyArrayList((token, *sharding.shardings))


def emit(context, function, token, operands, result_types, *, has_side_effect, sharding=None):
    """Emits the call of a Python function. Returns what JAX's emit_python_callback returns."""
    import dataclasses

    import numpy as np
    from jax._src import core, ffi
    from jax._src.interpreters import mlir

    callback = Callback(function, result_types)
    index = secrets.randbits(63)  # no other process may take it for one of its own
    callbacks[index] = callback
    context.module_context.add_keepalive(callback)
    context.module_context.add_host_callback(callback)
    if token:
        operands = [token, *operands]
        sharding = with_token(sharding) if context.avals_out else sharding
        context = dataclasses.replace(context, avals_in=[core.abstract_token, *context.avals_in],
                                      avals_out=[core.abstract_token, *context.avals_out])
    lower = ffi.build_ffi_lowering_function(TARGET, has_side_effect=has_side_effect)
    call = lower(context, *operands, index=np.int64(index))
    if sharding is not None:
        mlir.set_sharding(context.module_context, call, sharding)
    results = call.results
    if token:
        token, *results = results
    return results, token, callback


def add_to_compilation():
    """Keeps callbacks from the library when JAX compiles: the program calls them by their numbers. For JAX, the program
    has callbacks all the same: effects_barrier waits for its runs, and no file keeps it for another process."""
    from jax._src import compiler

    compile_and_load = compiler.backend_compile_and_load

    def without_callbacks(backend, module, executable_devices, options, host_callbacks):
        return compile_and_load(backend, module, executable_devices, options,
                                [each for each in host_callbacks if not isinstance(each, Callback)])

    compiler.backend_compile_and_load = without_callbacks


def forget_failures():
    """Lets effects_barrier raise an error once: JAX keeps the tokens of failed runs, so that later barriers, and later
    ordered callbacks, would fail with it."""
    from jax._src import dispatch

    wait = dispatch.RuntimeTokenSet.block_until_ready

    def block_until_ready(self):
        try:
            wait(self)
        finally:
            self.clear()

    dispatch.RuntimeTokenSet.block_until_ready = block_until_ready


def add_rules(platform: str, c_api):
    """Adds the rules by which JAX lowers callbacks for a platform. Raises if JAX's internals differ."""
    import jax
    from jax._src import callback, checkify, debugging
    from jax._src.interpreters import mlir

    DTYPES.update(make_dtypes())
    atexit.register(release_all, c_api)
    info = foreign_functions.TypeInfo(ctypes.sizeof(foreign_functions.TypeInfo), None,
                                      ctypes.cast(RELEASE, ctypes.c_void_p).value)
    foreign_functions.functions_of(c_api).call(
        "type_register", foreign_functions.RegisterTypeArgs(
            ctypes.sizeof(foreign_functions.RegisterTypeArgs), None, foreign_functions.span(TARGET),
            ctypes.pointer(STATE_TYPE), ctypes.pointer(info)))
    handler = jax.ffi.pycapsule(ctypes.cast(HANDLER, ctypes.c_void_p).value)
    jax.ffi.register_ffi_target(TARGET, {"instantiate": handler, "execute": handler}, platform=platform)
    mlir.register_lowering(debugging.debug_callback_p, debugging.debug_callback_lowering, platform=platform)
    mlir.register_lowering(debugging.debug_print_p, debugging.debug_print_lowering_rule, platform=platform)
    mlir.register_lowering(checkify.check_p, checkify.check_lowering_rule, platform=platform)
    original = callback.emit_python_callback
    if getattr(original, "is_backplane", False):
        return
    add_to_compilation()
    forget_failures()

    def emit_python_callback(ctx, callback, token, operands, operand_avals, result_avals, **options):
        platforms = ctx.module_context.platforms
        if len(platforms) != 1 or platforms[0].split("_")[0] != "backplane":
            return original(ctx, callback, token, operands, operand_avals, result_avals, **options)
        return emit(ctx, callback, token, operands, result_avals, has_side_effect=options["has_side_effect"],
                    sharding=options.get("sharding"))

    emit_python_callback.is_backplane = True
    callback.emit_python_callback = emit_python_callback
