"""Everything that is given wrong is an Error that says what was found and what was expected."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import backplane
from backplane import Code
from programs import BACKENDS, OPEN, SEVERAL, SUM

X = np.zeros((4, 5), np.float32)


class Errors(unittest.TestCase):
    def expect(self, code, text, function, *arguments, **named):
        with self.assertRaises(backplane.Error) as raised:
            function(*arguments, **named)
        self.assertIn(text, str(raised.exception))
        self.assertEqual(raised.exception.code, code)
        return raised.exception

    def test_backends(self):
        error = self.expect(Code.INVALID, 'no plugin answers to "no-such"', backplane.load, "no-such")
        self.assertTrue(error.notes)
        self.assertNotIn("note:", error.message)
        self.assertIn(f"note: {error.notes[0]}", str(error))
        self.expect(Code.INVALID, "", backplane.load, "/no/such/plugin.so")
        self.expect(Code.INVALID, "name is", backplane.load, "a\0b")
        self.expect(Code.INVALID, "of type int", backplane.load, 5)
        self.expect(Code.INVALID, "option isolate is 'never'", backplane.load, "interpreter", isolate="never")
        self.expect(Code.INVALID, "isolate, isolate_memory", backplane.load, "interpreter", {"isolate": 1})
        self.expect(Code.INVALID, "isolate-memory", backplane.load, "interpreter", isolate_memory=1 << 30)
        for name in BACKENDS[1:]:
            self.expect(Code.INVALID, "no-such-setting", backplane.load, name, {"no-such-setting": 1})

    def test_programs(self):
        backend = backplane.load("interpreter")
        error = self.expect(Code.INVALID, "broken.hlo:2", backend.compile, SUM.replace("add(", "bad("), name="broken.hlo")
        self.assertIn("^", error.message)  # the place in the line
        for damaged in ("", b"", SUM[:-20], SUM.encode()[10:], b"\x00\xff" * 100, "func.func @main(", SUM[:60]):
            self.expect(Code.INVALID, "", backend.compile, damaged)
            self.expect(Code.INVALID, "", backend.open_program, damaged)
        self.expect(Code.INVALID, "of type int", backend.compile, 5)
        self.expect(Code.INVALID, "no/such.hlo", backend.compile, pathlib.Path("no/such.hlo"))
        self.expect(Code.INVALID, "no/such.hlo", backend.compile_file, "no/such.hlo")
        self.expect(Code.INVALID, "no/such.hlo", backend.open_program, pathlib.Path("no/such.hlo"))
        self.expect(Code.INVALID, "compile_file()", backend.compile, os.path.abspath(__file__))
        self.expect(Code.INVALID, "deadline", backend.compile, SUM, deadline=-1)
        self.expect(Code.INVALID, "a sequence of strings", backend.compile, SUM, host_functions="f")
        self.expect(Code.INVALID, "max_executables is 0", backend.open_program, OPEN, max_executables=0)
        self.expect(Code.UNSUPPORTED, "f32[<=4]", backend.compile,
                    "HloModule m\nENTRY main { x = f32[<=4] parameter(0)  ROOT y = f32[<=4] negate(x) }")
        with self.assertRaises(TypeError):
            backend.compile(SUM, no_such_option=1)

    def test_arguments(self):
        executable = backplane.load("interpreter").compile(SUM)
        invalid = Code.INVALID
        self.expect(invalid, "input y has shape f32[5,4], expected f32[4,5]", executable, X, X.T)
        self.expect(invalid, "input y has shape f64[4,5], expected f32[4,5]", executable, X, X.astype(np.float64))
        self.expect(invalid, "input x has shape s32[], expected f32[4,5]", executable, np.int32(1), X)
        self.expect(invalid, "input x has shape f32[], expected f32[4,5]", executable, 1.0, X)
        self.expect(Code.UNSUPPORTED, "NumPy's type >f4", executable, X.astype(">f4"), X)
        self.expect(Code.UNSUPPORTED, "NumPy's type <U1", executable, np.array("x"), X)
        self.expect(invalid, "input x", executable, "x", X)
        self.expect(invalid, "input x", executable, None, X)
        self.expect(invalid, "input x", executable, [[1], [2, 3]], X)
        self.expect(invalid, "y: no argument is given, expected 2", executable, X)
        self.expect(invalid, "3 arguments are given, expected 2", executable, X, X, X)
        self.expect(invalid, "there is no input 'z', expected one of: x, y", executable, X, z=X)
        self.expect(invalid, "input x is given twice", executable, X, X, x=X)
        self.expect(invalid, "arguments are of type str", executable.run, "xy")
        self.expect(Code.UNSUPPORTED, "with terms", executable.run, [X, X], terms=backplane.Terms(), on_device=True)

    def test_arguments_of_other_libraries(self):
        class Broken:
            def __init__(self, made):
                self.made = made

            def __dlpack_device__(self):
                return (1, 0)

            def __dlpack__(self, **_):
                if isinstance(self.made, Exception):
                    raise self.made
                return self.made

        class Other:
            def __init__(self, array):
                self.array = array

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

            def __dlpack__(self, **options):
                return self.array.__dlpack__(**options)

        executable = backplane.load("interpreter").compile(SUM)
        self.expect(Code.INVALID, "no today", executable, Broken(RuntimeError("no today")), X)
        self.expect(Code.INVALID, "returns a int", executable, Broken(5), X)
        capsule = X.__dlpack__()
        executable(Broken(capsule), X)
        self.expect(Code.INVALID, "that nobody has taken", executable, Broken(capsule), X)
        for terms in (None, backplane.Terms()):
            self.expect(Code.INVALID, "input x has shape f32[5,4], expected f32[4,5]", executable.run,
                        [Other(np.zeros((5, 4), np.float32)), X], terms=terms)
            self.expect(Code.INVALID, "input x has shape s32[4,5], expected f32[4,5]", executable.run,
                        [Other(X.astype(np.int32)), X], terms=terms)

    def test_numbers(self):
        executable = backplane.load("interpreter").compile(SEVERAL)
        flags = [True, False, True]
        self.expect(Code.INVALID, "expected what becomes s32", executable, [1.5, 2], flags)
        self.expect(Code.INVALID, "from -2147483648 to 2147483647", executable, [1, 1 << 31], flags)
        self.expect(Code.INVALID, "expected what becomes s32", executable, [1, 1 << 70], flags)
        self.expect(Code.INVALID, "expected what becomes pred", executable, [1, 2], [1, 0, 1])
        unsigned = backplane.load("interpreter").compile("HloModule m\nENTRY main { ROOT x = u64[] parameter(0) }")
        self.expect(Code.INVALID, "expected from 0", unsigned, -1)
        self.assertEqual(unsigned((1 << 64) - 1), (1 << 64) - 1)

    def test_packages(self):
        for name in BACKENDS:
            backend = backplane.load(name)
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "sum.bpkg"
                if name != "interpreter":  # which has no artifacts
                    self.expect(Code.UNSUPPORTED, "keep", backend.compile(SUM).save, path)
                executable = backend.compile(SUM, keep_artifacts=True)
                self.expect(Code.INVALID, "no/such", executable.save, pathlib.Path(folder) / "no/such/folder")
                executable.save(path)
                loaded = backend.load_package(path)
                self.assertEqual(loaded.inputs, executable.inputs)
                self.assertEqual(loaded.outputs, executable.outputs)
                np.testing.assert_array_equal(loaded(X + 1, X + 2), X + 3)
                self.expect(Code.INVALID, "", backend.load_package, path, signed_by="no.pem")
                content = path.read_bytes()
                for damaged in (b"", content[:100], content[:-64], content[:70] + b"?" + content[71:]):
                    (path.parent / "damaged.bpkg").write_bytes(damaged)
                    self.expect(Code.INVALID, "damaged.bpkg", backend.load_package, path.parent / "damaged.bpkg")
                if name not in ("interpreter", BACKENDS[-1]):  # the host runs what is not compiled
                    self.expect(Code.INVALID, "", backplane.load(BACKENDS[-1]).load_package, path)

    def test_functions(self):
        self.expect(Code.INVALID, "expected a callable", backplane.Terms, functions={"f": 5})
        self.expect(Code.INVALID, "target", backplane.Terms, functions={"": print})

    def test_types(self):
        self.expect(Code.INVALID, "expected one of pred", backplane.ArrayType, "float", (2,))

    def test_forked_processes(self):
        executable = backplane.load("interpreter").compile(SUM)
        child = os.fork()
        if child == 0:
            try:
                executable(X, X)
                os._exit(1)
            except backplane.Error as error:
                executable.close()
                os._exit(0 if "forked" in error.message else 2)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_the_library(self):
        for path, text in (("/no/such/libbackplane.so", "cannot be loaded"), ("libc.so.6", "has no function")):
            done = subprocess.run([sys.executable, "-c", "import backplane; backplane.load('interpreter')"],
                                  env={**os.environ, "BACKPLANE_LIBRARY": path}, capture_output=True, text=True)
            self.assertIn("backplane.Error", done.stderr)
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main()
