"""Programs run on arrays of all kinds, and results are right and outlive what made them."""

import concurrent.futures
import functools
import gc
import os
import unittest
import unittest.mock

import numpy as np

import backplane
from backplane import tensors
from programs import BACKENDS, FOREVER, IDENTITY, SEVERAL, SUM

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None
try:
    import jax
except ImportError:
    jax = None

X = np.arange(20, dtype=np.float32).reshape(4, 5)


class Foreign:
    """An array of another library: it has DLPack and nothing else."""

    def __init__(self, array, is_old=False):
        self.array = array
        self.is_old = is_old

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **options):
        if self.is_old and options:
            raise TypeError("unexpected keyword argument max_version")
        return self.array.__dlpack__(**options)


def as_tensors_too(test):
    """Runs a test also without the copies that are made of small arrays."""

    @functools.wraps(test)
    def run(self):
        for most_bytes in (1 << 16, 0):
            with self.subTest(most_copied_bytes=most_bytes), unittest.mock.patch("backplane.executable.MAX_COPIED",
                                                                                 most_bytes):
                test(self)

    return run


class Runs(unittest.TestCase):
    @as_tensors_too
    def test_sizes_that_a_run_tells(self):
        for name in BACKENDS:
            executable = backplane.load(name).compile(
                "HloModule cut\nENTRY main { x = f32[2,3] parameter(0)  n = s32[] parameter(1)  "
                "ROOT r = f32[2,<=3] set-dimension-size(x, n), dimensions={1} }")
            self.assertEqual(str(executable.outputs[0]), "f32[2,<=3]")
            for size in range(4):
                with self.subTest(backend=name, size=size):
                    np.testing.assert_array_equal(executable(X[:2, :3].copy(), size), X[:2, :size])
            with self.assertRaisesRegex(backplane.Error, "without terms"):
                executable.run((X[:2, :3].copy(), 1), terms=backplane.Terms(60))

    @as_tensors_too
    def test_arrays_of_all_kinds(self):
        strided = np.asfortranarray(X)
        kinds = [X, strided, X[::-1][::-1], backplane.aligned(X), Foreign(X), Foreign(X, is_old=True), Foreign(strided),
                 X.tolist(), memoryview(X)]
        read_only = X.copy()
        read_only.flags.writeable = False
        if np.lib.NumpyVersion(np.__version__) >= "2.1.0":  # others do not give these to anybody
            kinds.append(Foreign(read_only))
        for name in BACKENDS:
            backend = backplane.load(name)
            executable = backend.compile(SUM)
            for array in (*kinds, read_only, backend.send(X)):
                with self.subTest(backend=name, kind=type(array).__name__):
                    for result in (executable(array, array), executable(array, y=X), executable(y=array, x=X),
                                   executable.run([X, array])[0], executable.run({"y": X, "x": array})[0],
                                   executable.run([array, array], terms=backplane.Terms())[0]):
                        self.assertIs(type(result), np.ndarray)
                        self.assertEqual(result.dtype, np.float32)
                        np.testing.assert_array_equal(result, 2 * X)
                        self.assertTrue(result.flags.writeable)
                        result += 1  # belongs to the caller
            np.testing.assert_array_equal(X, np.arange(20, dtype=np.float32).reshape(4, 5))

    @as_tensors_too
    def test_results_are_not_the_argument(self):
        for name in BACKENDS:
            given = backplane.aligned(X).copy()
            given = backplane.aligned(given)
            result = backplane.load(name).compile(IDENTITY)(given)
            result += 1
            np.testing.assert_array_equal(given, X)
            given[:] = 0
            np.testing.assert_array_equal(result, X + 1)

    @as_tensors_too
    def test_tuples_and_names(self):
        executable = backplane.load("interpreter").compile(SEVERAL)
        self.assertEqual([(array.name, str(array)) for array in executable.inputs],
                         [("p{0}", "s32[2]"), ("p{1}", "pred[3]")])
        self.assertEqual([(array.name, str(array)) for array in executable.outputs],
                         [("n", "s32[2]"), ("f", "pred[3]")])
        results = executable([1, -2], **{"p{1}": [True, False, True]})
        self.assertIsInstance(results, tuple)
        np.testing.assert_array_equal(results[0], np.int32([-1, 2]))
        np.testing.assert_array_equal(results[1], np.array([False, True, False]))
        self.assertEqual(results[1].dtype, np.bool_)

    @as_tensors_too
    def test_no_arguments_no_elements_no_results(self):
        backend = backplane.load("interpreter")
        constant = backend.compile("HloModule m\nENTRY main { ROOT c = f64[] constant(2.5) }")
        self.assertEqual(constant(), 2.5)
        self.assertEqual(constant().shape, ())
        empty = backend.compile("HloModule m\nENTRY main { x = f32[0,3] parameter(0)  ROOT y = f32[0,3] negate(x) }")
        for given in (np.zeros((0, 3), np.float32), Foreign(np.zeros((0, 3), np.float32))):
            self.assertEqual(empty(given).shape, (0, 3))
            self.assertEqual(empty.run([given], terms=backplane.Terms())[0].shape, (0, 3))
        nothing = backend.compile("HloModule m\nENTRY main { ROOT t = () tuple() }")
        self.assertEqual(nothing(), ())
        self.assertEqual(nothing.run(terms=backplane.Terms()), ())

    @as_tensors_too
    def test_element_types(self):
        types = {"pred": np.bool_, "s8": np.int8, "s16": np.int16, "s32": np.int32, "s64": np.int64, "u8": np.uint8,
                 "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "f16": np.float16, "f32": np.float32,
                 "f64": np.float64, "c64": np.complex64, "c128": np.complex128}
        if ml_dtypes is not None:
            types |= {name: getattr(ml_dtypes, own) for name, own in (
                ("bf16", "bfloat16"), ("s4", "int4"), ("u4", "uint4"), ("s2", "int2"), ("f8e4m3fn", "float8_e4m3fn"),
                ("f8e5m2", "float8_e5m2"), ("f8e8m0fnu", "float8_e8m0fnu"), ("f4e2m1fn", "float4_e2m1fn"))}
        backend = backplane.load("interpreter")
        for name, dtype in types.items():
            with self.subTest(type=name):
                x = np.array([[0, 1, 1]] if name in ("pred", "s2") else [[1, 2, 4]]).astype(dtype)
                executable = backend.compile(f"HloModule m\nENTRY main {{ x = {name}[1,3] parameter(0)\n"
                                             f"  ROOT y = {name}[3] reshape(x) }}")
                self.assertEqual(executable.inputs[0].dtype, np.dtype(dtype))
                self.assertEqual(executable.inputs[0].nbytes, x.nbytes)
                results = [executable(x), executable(x.tolist()), executable.run([x], terms=backplane.Terms())[0],
                           executable(backend.send(x)), executable.run([x], on_device=True)[0].numpy()]
                for result in results:
                    self.assertEqual(result.dtype, np.dtype(dtype))
                    np.testing.assert_array_equal(result, x.reshape(3))

    @unittest.skipIf(ml_dtypes is None, "ml_dtypes is not installed")
    def test_scalars(self):
        backend = backplane.load("interpreter")
        for name in ("bf16", "f8e4m3fn", "f32"):
            executable = backend.compile(f"HloModule m\nENTRY main {{ x = {name}[] parameter(0)\n"
                                         f"  ROOT y = {name}[] negate(x) }}")
            self.assertEqual(float(executable(2)), -2)
            self.assertEqual(executable(2).shape, ())

    def test_memory_where_it_is(self):
        # A constant time for every size shows that nothing is copied: the program reads one element of 256 MiB.
        backend = backplane.load("interpreter")
        executable = backend.compile("HloModule m\nENTRY main { x = u8[268435456] parameter(0)\n"
                                     "  ROOT y = u8[1] slice(x), slice={[7:8]} }")
        x = backplane.empty(1 << 28, np.uint8)
        x[7] = 3
        self.assertEqual(executable(x)[0], 3)
        sent = backend.send(x)
        self.assertEqual(sent.numpy().ctypes.data, x.ctypes.data)
        self.assertFalse(sent.numpy().flags.writeable)

    def test_arrays_on_the_device(self):
        for name in BACKENDS:
            with self.subTest(backend=name):
                backend = backplane.load(name)
                executable = backend.compile(SUM)
                sent = backend.send(X)
                self.assertEqual((sent.shape, sent.dtype, str(sent.type)), ((4, 5), np.float32, "f32[4,5]"))
                again, = executable.run([sent, sent], on_device=True)
                np.testing.assert_array_equal(again.numpy(), 2 * X)
                np.testing.assert_array_equal(np.asarray(executable.run([again, sent], on_device=True)[0]), 3 * X)
                np.testing.assert_array_equal(executable(again, X), 3 * X)
                np.testing.assert_array_equal(backend.send(again).numpy(), 2 * X)
                if again.__dlpack_device__()[0] == 1:
                    read = np.from_dlpack(again)
                    again.close()
                    np.testing.assert_array_equal(read, 2 * X)
                    self.assertFalse(read.flags.writeable)
                else:
                    with self.assertRaises(BufferError):
                        again.__dlpack__()
                in_place = backend.send(backplane.aligned(X), in_place=True)
                np.testing.assert_array_equal(executable(in_place, in_place), 2 * X)
                with self.assertRaisesRegex(backplane.Error, "the array is not in row-major order, expected one that"):
                    backend.send(np.flip(X), in_place=True)
                sent.close()
                with self.assertRaisesRegex(backplane.Error, "the array was closed"):
                    executable(sent, X)

    def test_capsules_that_nobody_takes(self):
        sent = backplane.load("interpreter").send(backplane.aligned(X))
        lent = len(tensors.lent)
        for _ in range(100):
            sent.__dlpack__(max_version=(1, 1))
            sent.__dlpack__(max_version=(1, 1), copy=True)
            sent.__dlpack__()
        self.assertEqual(len(tensors.lent), lent)
        np.testing.assert_array_equal(sent.numpy(), X)

    @unittest.skipIf(jax is None or ml_dtypes is None, "JAX is not installed")
    def test_arrays_of_jax(self):
        backend = backplane.load("interpreter")
        for dtype in (jax.numpy.bfloat16, jax.numpy.float32, jax.numpy.int8, jax.numpy.bool_):
            given = jax.numpy.arange(20).reshape(4, 5).astype(dtype)
            name = {"bfloat16": "bf16", "float32": "f32", "int8": "s8", "bool": "pred"}[given.dtype.name]
            executable = backend.compile(IDENTITY.replace("f32", name))
            np.testing.assert_array_equal(executable(given), np.asarray(given))
            np.testing.assert_array_equal(executable.run([given], terms=backplane.Terms())[0], np.asarray(given))
            result, = executable.run([given], on_device=True)
            np.testing.assert_array_equal(np.asarray(jax.dlpack.from_dlpack(result)), np.asarray(given))

    @as_tensors_too
    def test_results_are_kept_longer_than_all_else(self):
        for name in BACKENDS:
            with backplane.load(name) as backend, backend.compile(SUM) as executable:
                result = executable(X, X)
                view = result[1:, ::2]
                on_device = executable.run([X, X], on_device=True)[0] if name != "npu" else None
            del backend, executable, result
            gc.collect()
            np.testing.assert_array_equal(view, (2 * X)[1:, ::2])
            if on_device is not None:
                np.testing.assert_array_equal(on_device.numpy(), 2 * X)

    def test_executables_are_kept_longer_than_backends(self):
        backend = backplane.load("interpreter")
        executable = backend.compile(SUM)
        backend.close()
        backend.close()
        np.testing.assert_array_equal(executable(X, X), 2 * X)
        self.assertTrue(backend.is_closed)
        self.assertIn("(closed)", repr(backend))
        with self.assertRaisesRegex(backplane.Error, "the backend was closed, expected one that is open"):
            backend.compile(SUM)

    @as_tensors_too
    def test_threads(self):
        for name in BACKENDS:
            executable = backplane.load(name).compile(SUM)
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                for i, result in enumerate(pool.map(lambda i: executable(X + i, X), range(200))):
                    np.testing.assert_array_equal(result, 2 * X + i)

    @as_tensors_too
    def test_closing_while_others_run(self):
        executable = backplane.load("interpreter").compile(SUM)

        def run_until_closed(_):
            try:
                while True:
                    np.testing.assert_array_equal(executable(X, X), 2 * X)
            except backplane.Error as error:
                return error.message

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            running = [pool.submit(run_until_closed, i) for i in range(4)]
            while not all(future.running() or future.done() for future in running):
                pass
            executable.close()
            messages = {future.result() for future in running}
        self.assertEqual(messages, {"the executable was closed, expected one that is open"})

    def test_the_interpreter_is_not_held(self):
        executable = backplane.load("interpreter").compile(FOREVER)
        terms = backplane.Terms()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            running = pool.submit(lambda: executable.run([0], terms=terms))
            terms.cancel()  # this thread would never come here otherwise
            with self.assertRaises(backplane.Error) as raised:
                running.result()
        self.assertEqual(raised.exception.code, backplane.Code.CANCELLED)

    def test_deadlines(self):
        executable = backplane.load("interpreter").compile(FOREVER)
        for seconds in (0.05, 0, -1):
            with self.assertRaises(backplane.Error) as raised:
                executable.run([0], terms=backplane.Terms(seconds))
            self.assertEqual(raised.exception.code, backplane.Code.CANCELLED)

    def test_isolation(self):
        if "BACKPLANE_WORKER" not in os.environ:
            self.skipTest("BACKPLANE_WORKER does not name the program that isolated backends run in")
        for name in BACKENDS[1:]:
            with backplane.load(name, isolate=60) as backend:
                np.testing.assert_array_equal(backend.compile(SUM)(X, X), 2 * X)


class Functions(unittest.TestCase):
    CALL = """HloModule call
ENTRY main { x = f32[2] parameter(0)
  ROOT y = (f32[2], s32[]) custom-call(x), custom_call_target="split", backend_config="how" }"""

    def run_with(self, function):
        executable = backplane.load("interpreter").compile(self.CALL)
        with backplane.Terms(functions={"split": function}) as terms:
            return executable.run([[1, 2]], terms=terms)

    def test_a_function_is_called(self):
        calls = []

        def split(call):
            calls.append(call)
            return 3 * call.inputs[0], 7

        tripled, seven = self.run_with(split)
        np.testing.assert_array_equal(tripled, np.float32([3, 6]))
        self.assertEqual(seven, 7)
        self.assertEqual((calls[0].target, calls[0].config), ("split", "how"))
        np.testing.assert_array_equal(calls[0].inputs[0], np.float32([1, 2]))
        self.assertEqual([str(array) for array in calls[0].outputs], ["f32[2]", "s32[]"])

    def test_infeed_and_outfeed(self):
        executable = backplane.load("interpreter").compile("""HloModule feeds
ENTRY main { t = token[] after-all()  i = (f32[2], token[]) infeed(t)  x = f32[2] get-tuple-element(i), index=0
  u = token[] get-tuple-element(i), index=1  o = token[] outfeed(x, u), outfeed_shape=f32[2]
  ROOT y = f32[2] negate(x) }""")
        left = []
        with backplane.Terms(infeed=lambda call: np.float32([1, 2]),
                             outfeed=lambda call: left.append(call.inputs[0])) as terms:
            np.testing.assert_array_equal(executable.run(terms=terms)[0], np.float32([-1, -2]))
        np.testing.assert_array_equal(left, np.float32([[1, 2]]))

    def test_failures(self):
        def fails(call):
            raise KeyError("nothing there")

        def refuses(call):
            raise backplane.Error(backplane.Code.UNSUPPORTED, "not on Sundays")

        def ends(call):
            raise backplane.Error(backplane.Code.CANCELLED, "enough")

        cases = [(fails, "INVALID", "KeyError: 'nothing there'"), (refuses, "UNSUPPORTED", "not on Sundays"),
                 (ends, "CANCELLED", "enough"),
                 (lambda call: None, "INVALID", "returned 0 arrays, expected 2"),
                 (lambda call: (call.inputs[0], 1.5), "INVALID", "expected what becomes s32"),
                 (lambda call: (call.inputs[0][:1], 1), "INVALID", r"output 0 has shape f32\[1\], expected f32\[2\]")]
        for function, code, text in cases:
            with self.assertRaisesRegex(backplane.Error, text) as raised:
                self.run_with(function)
            self.assertEqual(raised.exception.code.name, code)

    def test_a_function_runs_another_executable(self):
        inner = backplane.load("interpreter").compile(
            "HloModule m\nENTRY main { x = f32[2] parameter(0)  ROOT y = f32[2] negate(x) }")
        negated, _ = self.run_with(lambda call: (inner(call.inputs[0]), 0))
        np.testing.assert_array_equal(negated, np.float32([-1, -2]))


if __name__ == "__main__":
    unittest.main()
