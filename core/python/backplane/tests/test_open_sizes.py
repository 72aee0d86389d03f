"""Programs that leave sizes open are compiled for the shapes that come."""

import concurrent.futures
import unittest

import numpy as np

import backplane
from programs import BACKENDS, OPEN

try:
    import onnx
except ImportError:
    onnx = None


class OpenSizes(unittest.TestCase):
    def test_runs_at_several_sizes(self):
        for name in BACKENDS:
            backend = backplane.load(name)
            program = backend.open_program(OPEN, max_executables=2)
            backend.close()
            for size in (2, 5, 2, 7, 5):
                result = program(np.int64(size), np.ones(size, np.float32))
                np.testing.assert_array_equal(result, np.arange(size) + np.float32(1))
            self.assertEqual(program.counts, (1, 4, 2))

    def test_specializes_for_types(self):
        program = backplane.load("interpreter").open_program(OPEN.encode(), name="open.mlir")
        executable = program.specialize(np.int64(3), backplane.ArrayType("f32", (3,)))
        program.close()
        self.assertEqual([array.name for array in executable.inputs], ["n", "x"])
        self.assertEqual(executable.outputs[0].shape, (3,))
        np.testing.assert_array_equal(executable(3, x=[1, 1, 1]), [1, 2, 3])

    def test_arrays_of_the_device(self):
        backend = backplane.load(BACKENDS[-1])
        program = backend.open_program(OPEN)
        x = backend.send(np.ones(4, np.float32))
        np.testing.assert_array_equal(program(backend.send(np.int64(4)), x), [1, 2, 3, 4])

    def test_errors(self):
        program = backplane.load("interpreter").open_program(OPEN)
        for arguments, text in (((np.int64(3), np.ones(4, np.float32)), "sizes come from parameter 0 (n)"),
                                ((np.int64(3),), "1 arguments"), ((3, np.ones(3, np.float32)), "argument 0 is of type int"),
                                ((np.int64(3), np.ones((3, 3), np.float32)), ""), ((np.int64(3), np.ones(3)), ""),
                                ((np.int64(3), backplane.ArrayType("f32", (-1,))), "sizes of at least 0")):
            with self.assertRaises(backplane.Error) as raised:
                program.specialize(*arguments)
            self.assertIn(text, str(raised.exception))
            self.assertEqual(raised.exception.code, backplane.Code.INVALID)

    @unittest.skipIf(onnx is None, "there is no module onnx")
    def test_onnx(self):
        information = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["n"]) for name in "xyz"]
        nodes = [onnx.helper.make_node("Neg", ["x"], ["y"]), onnx.helper.make_node("Abs", ["x"], ["z"])]
        model = onnx.helper.make_model(onnx.helper.make_graph(nodes, "graph", information[:1], information[1:]),
                                       opset_imports=[onnx.helper.make_opsetid("", 20)], ir_version=9)
        program = backplane.load("interpreter").open_program(model.SerializeToString(), name="model.onnx")
        for size in (2, 3):
            negative, positive = program(np.full(size, -2, np.float32))
            np.testing.assert_array_equal(negative, np.full(size, 2))
            np.testing.assert_array_equal(positive, np.full(size, 2))
        executable = program.specialize(backplane.ArrayType("f32", (2,)))
        self.assertEqual([array.name for array in executable.inputs + executable.outputs], ["x", "y", "z"])

    def test_threads(self):
        program = backplane.load("interpreter").open_program(OPEN)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            sizes = [1 + i % 5 for i in range(50)]
            for size, result in zip(sizes, pool.map(lambda n: program(np.int64(n), np.ones(n, np.float32)), sizes)):
                np.testing.assert_array_equal(result, np.arange(size) + np.float32(1))
        self.assertEqual(program.counts.hits + program.counts.misses, 50)


if __name__ == "__main__":
    unittest.main()
