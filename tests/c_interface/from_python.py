# SPDX-License-Identifier: Apache-2.0
"""from_python.py OBJECT: the C interface, called by ctypes.

Catches: functions that the shared object does not export under their names, or with other types than sennit.h says; a text
that is gone when Python reads it; a body in Python that hangs."""

import ctypes
import sys
import unittest
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_int, c_int64, c_size_t, c_uint, c_void_p, cast

LIBRARY = ctypes.CDLL(sys.argv[1])
LIBRARY.sennit_last_error.restype = c_char_p
BODY = CFUNCTYPE(None, c_void_p, c_int64, c_int64)
FUNCTION = CFUNCTYPE(None, c_void_p)
LIBRARY.sennit_for.argtypes = [c_int64, c_int64, BODY, c_void_p, c_void_p]
LIBRARY.sennit_reduce.argtypes = [c_int64, c_int64, c_void_p, c_void_p, c_void_p, c_void_p]
LIBRARY.sennit_join.argtypes = [FUNCTION, c_void_p, FUNCTION, c_void_p]
LIBRARY.sennit_fail.argtypes = [c_char_p]


class Reduction(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("make", CFUNCTYPE(None, c_void_p, c_void_p)),
        ("add", CFUNCTYPE(None, c_void_p, c_void_p, c_int64, c_int64)),
        ("combine", CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)),
        ("end", c_void_p),
        ("identity", c_void_p),
    ]


def number(address):
    return cast(address, POINTER(c_int64))[0]


def set_number(address, value):
    cast(address, POINTER(c_int64))[0] = value


class FromPython(unittest.TestCase):
    def test_loops(self):
        counts = (c_int * 3000)()

        def count(_, begin, end):
            for i in range(begin, end):
                counts[i] += 1

        self.assertEqual(LIBRARY.sennit_for(0, 3000, BODY(count), None, None), 0)
        self.assertEqual(set(counts), {1})

    def test_reductions(self):
        total = c_int64(1)
        what = Reduction(
            8,
            Reduction._fields_[1][1](lambda _, value: set_number(value, 0)),
            Reduction._fields_[2][1](lambda _, value, begin, end: set_number(value, number(value) + sum(range(begin, end)))),
            Reduction._fields_[3][1](lambda _, left, right: set_number(left, number(left) + number(right))),
            None,
            None,
        )
        self.assertEqual(LIBRARY.sennit_reduce(0, 3000, byref(what), None, byref(total), None), 0)
        self.assertEqual(total.value, 4498501)

    def test_failures(self):
        fail = FUNCTION(lambda _: LIBRARY.sennit_fail("nichts für mich".encode()))
        self.assertEqual(LIBRARY.sennit_join(fail, None, fail, None), 4)
        self.assertEqual(LIBRARY.sennit_last_error().decode(), "nichts für mich")
        self.assertEqual(LIBRARY.sennit_for(0, 1, cast(None, BODY), None, None), 2)
        self.assertIn(b"body is NULL", LIBRARY.sennit_last_error())

    def test_workers(self):
        runtime, seen = c_void_p(), []
        self.assertEqual(LIBRARY.sennit_runtime_create(c_uint(3), byref(runtime)), 0)
        see = FUNCTION(lambda _: seen.append(LIBRARY.sennit_worker_count()))
        self.assertEqual(LIBRARY.sennit_runtime_run(runtime, see, None), 0)
        LIBRARY.sennit_runtime_destroy(runtime)
        self.assertEqual(seen, [3])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
