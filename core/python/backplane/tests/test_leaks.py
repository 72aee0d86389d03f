"""Nothing is left of runs, failures and objects: neither memory nor references."""

import gc
import unittest
import weakref

import numpy as np

import backplane
from backplane import library, tensors
from programs import BACKENDS, FOREVER, IDENTITY, SUM

PAGE = 4096
WARM_UP = 300


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * PAGE


class Leaks(unittest.TestCase):
    def expect_steady(self, act, times, most_bytes):
        for _ in range(WARM_UP):
            act()
        gc.collect()
        before, lent = resident_bytes(), len(tensors.lent)
        for _ in range(times):
            act()
        gc.collect()
        self.assertLess(resident_bytes() - before, most_bytes)
        self.assertEqual(len(tensors.lent), lent)
        self.assertEqual(len(library.reports), 0)

    def test_runs(self):
        x = np.ones((256, 256), np.float32)
        aligned = backplane.aligned(x)
        text = SUM.replace("4,5", "256,256")
        for name in BACKENDS:
            backend = backplane.load(name)
            executable = backend.compile(text)
            sent = backend.send(x)

            def act():
                executable(x, aligned)
                executable.run([sent, aligned], on_device=True)[0].numpy()

            self.expect_steady(act, 600, 40 << 20)  # a lost array a run would be 157 MB

    def test_results_that_are_arguments(self):
        executable = backplane.load("interpreter").compile(IDENTITY.replace("4,5", "512,512"))
        self.expect_steady(lambda: executable(backplane.empty((512, 512))), 300, 40 << 20)

    def test_failures(self):
        executable = backplane.load("interpreter").compile(SUM)
        forever = backplane.load("interpreter").compile(FOREVER)
        wrong = np.ones((5, 4), np.float32)

        class Foreign:
            def __dlpack__(self, **options):
                return wrong.__dlpack__(**options)

        def act():
            for call in (lambda: executable(Foreign(), Foreign()), lambda: executable(wrong, wrong),
                         lambda: forever.run([0], terms=backplane.Terms(0)), lambda: backplane.load("no-such")):
                self.assertRaises(backplane.Error, call)

        self.expect_steady(act, 300, 8 << 20)

    def test_objects(self):
        def act():
            backend = backplane.load("interpreter")
            executable = backend.compile(SUM)
            backplane.Terms(functions={"f": lambda call: None})
            executable(np.ones((4, 5), np.float32), np.ones((4, 5), np.float32))

        self.expect_steady(act, 1000, 8 << 20)

    def test_objects_end_with_their_last_reference(self):
        gc.disable()
        try:
            backend = backplane.load("interpreter")
            executable = backend.compile(SUM)
            array = backend.send(np.ones(3, np.float32))
            ended = [weakref.ref(thing) for thing in (executable, array, backend)]
            owned = [thing._owned for thing in (executable, array, backend)]
            del executable, array, backend
            self.assertEqual([reference() for reference in ended], [None] * 3)
            self.assertTrue(all(thing.is_closed for thing in owned))
        finally:
            gc.enable()

    def test_arguments_are_given_back(self):
        executable = backplane.load("interpreter").compile(SUM)
        given = backplane.aligned(np.ones((4, 5), np.float32))
        reference = weakref.ref(given)
        result = executable(given, given)
        del given
        self.assertIsNone(reference())
        self.assertEqual(result[0, 0], 2)


if __name__ == "__main__":
    unittest.main()
