# SPDX-License-Identifier: Apache-2.0
"""The Python package. Run by pytest, or by unittest where there is no pytest: python -m unittest test_sennit

Bodies in C are compiled by cc. Each test says which fault it catches."""

import array
import ctypes
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from ctypes import c_double, c_int, c_int64

import sennit
from sennit import _native

HERE = pathlib.Path(__file__).parent
INCLUDE = HERE.parents[2] / "include"
COMPILER = os.environ.get("CC") or shutil.which("cc")


def needs(module):
    return unittest.skipUnless(importlib.util.find_spec(module), f"there is no {module}: pip install {module}")


def compiled_bodies():
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "bodies.so")
    subprocess.run(
        [COMPILER, "-O2", "-fPIC", "-shared", f"-I{INCLUDE}", str(HERE / "bodies.c"), sennit.library_path, "-o", path],
        check=True,
    )
    bodies = ctypes.CDLL(path)
    shutil.rmtree(folder)
    return bodies


BODIES = compiled_bodies() if COMPILER else None
needs_compiler = unittest.skipUnless(COMPILER, "there is no C compiler: set CC, or install one")


@needs_compiler
class Loops(unittest.TestCase):
    def test_runs_each_iteration_once(self):
        """Catches: bounds that are lost on the way to C."""
        counts = (c_int * 100000)()
        sennit.parallel_for(100000, BODIES.count, context=counts)
        self.assertEqual(set(counts), {1})
        sennit.parallel_for(range(500, 1000), BODIES.count, context=counts, grain=7)
        self.assertEqual((sum(counts), counts[499], counts[500], counts[1000]), (100500, 1, 2, 1))
        for nothing in [0, -5, range(0), range(7, 3)]:
            sennit.parallel_for(nothing, BODIES.count, context=counts)
        self.assertEqual(sum(counts), 100500)

    def test_takes_addresses_and_buffers(self):
        """Catches: one of the ways to name a function, or an array, that is misread."""
        address = ctypes.cast(BODIES.square, ctypes.c_void_p).value
        data = array.array("d", range(1000))
        sennit.parallel_for(1000, address, data)
        self.assertEqual(data[999], 998001)
        sums, ones = (c_double * 1000)(), bytearray((c_double * 1000)(*[1.0] * 1000))
        sennit.parallel_for(1000, BODIES.add, sums, data, ones)
        self.assertEqual(list(sums[:4]), [1.0, 2.0, 5.0, 10.0])

    def test_reports_what_a_body_says(self):
        """Catches: a failure that is lost; the text of a later iteration than the serial loop would fail at."""
        for _ in range(20):
            with self.assertRaisesRegex(RuntimeError, "^no 100$"):
                sennit.parallel_for(100000, BODIES.fail_from_100)

    def test_refuses_wrong_arguments(self):
        """Catches: a mistake that would end the process instead of naming itself."""
        for error, text, call in [
            (ValueError, "no address", lambda: sennit.parallel_for(3, 0)),
            (TypeError, "body is True", lambda: sennit.parallel_for(3, True)),
            (TypeError, "body is 'add'", lambda: sennit.parallel_for(3, "add")),
            (TypeError, "PyDLL", lambda: sennit.parallel_for(3, ctypes.pythonapi.Py_IncRef)),
            (TypeError, "n is 2.5", lambda: sennit.parallel_for(2.5, BODIES.count)),
            (ValueError, "has a step", lambda: sennit.parallel_for(range(0, 9, 2), BODIES.count)),
            (ValueError, "too many", lambda: sennit.parallel_for(2**63, BODIES.count)),
            (ValueError, "grain is -1", lambda: sennit.parallel_for(3, BODIES.count, grain=-1)),
            (TypeError, "array 0 is list", lambda: sennit.parallel_for(3, BODIES.count, [1])),
            (ValueError, "read-only", lambda: sennit.parallel_for(3, BODIES.count, b"123")),
            (TypeError, "the one or the other", lambda: sennit.parallel_for(3, BODIES.count, c_int(), context=1)),
            (TypeError, "body in Python", lambda: sennit.parallel_for(3, print, c_int())),
            (ValueError, "combine is 'mean'", lambda: sennit.parallel_reduce(3, BODIES.add_indices, c_int64(), combine="mean")),
            (TypeError, "another type", lambda: sennit.parallel_reduce(3, BODIES.add_indices, c_int())),
            (TypeError, "identity is missing",
             lambda: sennit.parallel_reduce(3, BODIES.add_digits, (c_int64 * 10)(), combine=BODIES.add_counts)),
            (ValueError, "8 bytes, and identity 4", lambda: sennit.parallel_reduce(
                3, BODIES.add_indices, c_int64(), combine=BODIES.add_counts, identity=c_int())),
            (ValueError, "workers is 0", lambda: sennit.limits(workers=0)),
            (TypeError, "workers is '2'", lambda: sennit.limits(workers="2")),
        ]:
            with self.subTest(text=text), self.assertRaisesRegex(error, text):
                call()


@needs_compiler
class Reductions(unittest.TestCase):
    def test_of_numbers(self):
        """Catches: a first value that counts twice, or not at all; a wrong identity."""
        self.assertEqual(sennit.parallel_reduce(100000, BODIES.add_indices, c_int64(1)).value, 4999950001)
        self.assertEqual(sennit.parallel_reduce(0, BODIES.add_indices, c_int64(7)).value, 7)
        for combine, first, expected in [("minimum", 5, 5), ("maximum", -5, 0), ("product", 3, 0)]:
            with self.subTest(combine=combine):
                nothing = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, c_int64, c_int64)(
                    lambda _, value, begin, end: None
                )
                got = sennit.parallel_reduce(1000, nothing, c_int64(first), combine=combine).value
                self.assertEqual(got, first)

    def test_of_values_of_any_size(self):
        """Catches: an identity of which less than all is copied."""
        counts = sennit.parallel_reduce(
            100003, BODIES.add_digits, (c_int64 * 10)(*[5] * 10), combine=BODIES.add_counts, identity=(c_int64 * 10)()
        )
        self.assertEqual(list(counts), [10006] * 3 + [10005] * 7)

    def test_deterministic_ones(self):
        """Catches: bits that depend on who has done what."""
        x = array.array("d", (1 / (i + 1) for i in range(30000)))
        sums = set()
        for workers in [1, 2, 3] * 5:
            with sennit.limits(workers=workers):
                sums.add(sennit.parallel_reduce(30000, BODIES.add_values, c_double(), x, deterministic=True).value)
        self.assertEqual(len(sums), 1)


class InPython(unittest.TestCase):
    def test_bodies(self):
        """Catches: chunks that are missing; an exception that is lost, or is not the first."""
        seen = bytearray(5000)

        def mark(begin, end):
            for i in range(begin, end):
                seen[i] += 1

        sennit.parallel_for(5000, mark)
        self.assertEqual(set(seen), {1})

        def fail(begin, end):
            if end > 1000:
                raise KeyError(max(begin, 1000))

        for _ in range(20):
            with self.assertRaisesRegex(KeyError, "1000"):
                sennit.parallel_for(5000, fail, grain=10)

    def test_reductions(self):
        """Catches: values that are combined in the order in which they happened to be ready."""
        for _ in range(10):
            text = sennit.parallel_reduce(1000, lambda begin, end: "".join(map(chr, range(begin, end))), "first",
                                          combine=lambda left, right: left + right)
            self.assertEqual(text, "first" + "".join(map(chr, range(1000))))

    @needs_compiler
    def test_loops_in_loops(self):
        """Catches: a construct that goes on in a thread that Python takes for another one; a deadlock."""
        counts, total = (c_int * 1000)(), []

        def outer(begin, end):
            for i in range(begin, end):
                sennit.parallel_for(range(i * 10, i * 10 + 10), BODIES.count, context=counts)
                total.append(sennit.parallel_reduce(10, BODIES.add_indices, c_int64(i)).value)
                sennit.parallel_for(5, lambda begin, end: total.append(0), grain=1)

        sennit.parallel_for(100, outer, grain=1)
        self.assertEqual((set(counts), sum(total)), ({1}, 4500 + 4950))

    def test_names_the_deadlock_with_the_lock_held(self):
        """Catches: a call that hangs for ever, because its caller holds the GIL that its bodies need."""
        held = ctypes.PyDLL(sennit.library_path).sennit_python_run
        body = _native.LOOP_BODY(lambda context, begin, end: None)
        call = _native.Call(0, 1000, ctypes.cast(body, ctypes.c_void_p), None, None, None, None)
        self.assertEqual(held(None, 1, ctypes.byref(call)), _native.INVALID_ARGUMENT)
        self.assertRegex(_native.last_error(), "deadlock.*holds the GIL.*nogil=True")


class Threads(unittest.TestCase):
    @needs_compiler
    def test_others_run_meanwhile(self):
        """Catches: a GIL that is held while a loop waits."""
        steps, go = [], threading.Event()

        def step():
            go.wait()
            for _ in range(20):
                steps.append(time.monotonic())
                time.sleep(0.001)

        other = threading.Thread(target=step)
        other.start()
        begun = time.monotonic()
        go.set()
        with sennit.limits(workers=1):
            sennit.parallel_for(100, BODIES.wait_a_little)
        ended = time.monotonic()
        other.join()
        self.assertGreater(sum(begun < step < ended for step in steps), 10)

    @needs_compiler
    def test_limits(self):
        """Catches: a limit that is not kept, that leaks to other threads, or that a block inside raises."""
        seen, default = c_int(), sennit.workers()

        def used():
            sennit.parallel_for(10, BODIES.see_workers, context=seen)
            return seen.value

        self.assertEqual(used(), default)
        with sennit.limits(workers=2):
            self.assertEqual((sennit.workers(), used()), (min(2, default), min(2, default)))
            with sennit.limits(workers=1):
                self.assertEqual((sennit.workers(), used()), (1, 1))
                with sennit.limits(workers=1000):
                    self.assertEqual(used(), 1)
            others = []
            thread = threading.Thread(target=lambda: others.append(sennit.workers()))
            thread.start()
            thread.join()
            self.assertEqual(others, [default])

        @sennit.limits(workers=1)
        def decorated():
            return used()

        self.assertEqual((decorated(), decorated(), used()), (1, 1, default))

    @needs_compiler
    def test_many_threads_at_once(self):
        """Catches: state that calls share."""
        wrong = []

        def sums():
            for i in range(50):
                if sennit.parallel_reduce(1000, BODIES.add_indices, c_int64(i)).value != 499500 + i:
                    wrong.append(i)

        threads = [threading.Thread(target=sums) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    @needs_compiler
    def test_a_child_of_fork_goes_on(self):
        """Catches: a child whose workers are those of its parent."""
        sennit.parallel_reduce(1000, BODIES.add_indices, c_int64())
        child = os.fork()
        if child == 0:
            with sennit.limits(workers=2):
                os._exit(sennit.parallel_reduce(1000, BODIES.add_indices, c_int64()).value == 499500)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 1)


class Arrays(unittest.TestCase):
    @needs("numpy")
    @needs_compiler
    def test_of_numpy(self):
        """Catches: an array whose memory is not what the body takes it for."""
        import numpy

        x = numpy.arange(10000.0)
        sennit.parallel_for(x.size, BODIES.square, x)
        self.assertEqual(x[99], 9801)
        total = sennit.parallel_reduce(x.size, BODIES.add_values, numpy.zeros(1), x)
        self.assertEqual(total[0], x.sum())
        with self.assertRaisesRegex(ValueError, "array 0 .* not one after the other"):
            sennit.parallel_for(10, BODIES.square, x[::2])
        y = numpy.zeros(10000)

        def double(begin, end):
            y[begin:end] = 2 * x[begin:end]

        sennit.parallel_for(x.size, double)
        self.assertTrue((y == 2 * x).all())

    @needs("numpy")
    @needs("numba")
    def test_with_numba(self):
        """Catches: an address of numba that is not taken."""
        import numba
        import numpy

        @numba.cfunc("void(CPointer(CPointer(float64)), int64, int64)")
        def halve(arrays, begin, end):
            for i in range(begin, end):
                arrays[0][i] *= 0.5

        x = numpy.arange(10000.0)
        sennit.parallel_for(x.size, halve, x)
        self.assertTrue((x == numpy.arange(10000.0) / 2).all())

    @needs("numpy")
    @needs("numba")
    def test_what_the_page_shows(self):
        """Catches: a README of another day."""
        page = (HERE.parent / "README.md").read_text()
        names = {}
        exec(re.search(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[1], names)
        self.assertEqual(names["c"][7], 8)

    @needs("cffi")
    @needs_compiler
    def test_with_cffi(self):
        """Catches: a function of cffi that is taken for one in Python."""
        import cffi

        ffi = cffi.FFI()
        ffi.cdef("void count(void*, int64_t, int64_t); int sennit_for(int64_t, int64_t, void*, void*, void*);")
        body = ffi.cast("void*", ctypes.cast(BODIES.count, ctypes.c_void_p).value)
        counts = (c_int * 1000)()
        sennit.parallel_for(1000, body, context=counts)
        library = ffi.dlopen(sennit.library_path)
        library.sennit_for(0, 1000, body, ffi.cast("void*", ctypes.addressof(counts)), ffi.NULL)
        self.assertEqual(set(counts), {2})


if __name__ == "__main__":
    unittest.main(verbosity=2 if "-v" in sys.argv else 1)
