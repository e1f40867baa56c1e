# SPDX-License-Identifier: Apache-2.0
"""Smooths a field again and again: many short loops, one after the other.

    python diffusion.py [SIZE [TIMES]]

Compares NumPy, concurrent.futures and sennit. All but NumPy run the same compiled function, which numba has made, or else cc."""

import concurrent.futures
import ctypes
import importlib.util
import os
import subprocess
import sys
import tempfile
import time

import numpy
import sennit

SIZE = int(sys.argv[1]) if len(sys.argv) > 1 else 200
TIMES = int(sys.argv[2]) if len(sys.argv) > 2 else 5000


def by_numba():
    import numba

    size = SIZE

    @numba.cfunc("void(CPointer(CPointer(float64)), int64, int64)")
    def smooth(fields, begin, end):
        old, new = fields[0], fields[1]
        for i in range(begin * size, end * size):
            new[i] = (old[i - size] + old[i - 1] + old[i] + old[i + 1] + old[i + size]) * 0.2

    return smooth.address


def by_compiler():
    with tempfile.TemporaryDirectory() as folder:
        source, made = os.path.join(folder, "smooth.c"), os.path.join(folder, "smooth.so")
        with open(source, "w") as out:
            out.write("""#include <stdint.h>
                void smooth(double** fields, int64_t begin, int64_t end) {
                  const double* old = fields[0];
                  double* restrict new = fields[1];
                  for (int64_t i = begin * SIZE; i < end * SIZE; ++i)
                    new[i] = (old[i - SIZE] + old[i - 1] + old[i] + old[i + 1] + old[i + SIZE]) * 0.2;
                }""")
        command = [os.environ.get("CC", "cc"), "-O2", "-fPIC", "-shared", f"-DSIZE={SIZE}", source, "-o", made]
        subprocess.run(command, check=True)
        return ctypes.CDLL(made).smooth


def fields():
    """Two fields, with a border of a row above, and one below."""
    two = numpy.zeros((2, SIZE + 2, SIZE))
    two[0, SIZE // 2, SIZE // 2] = 1e6
    return two


def with_numpy():
    two = fields()
    flat = two.reshape(2, -1)
    inner = slice(SIZE, -SIZE)
    for t in range(TIMES):
        old, new = flat[t % 2], flat[1 - t % 2]
        new[inner] = (old[: -2 * SIZE] + old[SIZE - 1 : -SIZE - 1] + old[inner] + old[SIZE + 1 : 1 - SIZE] + old[2 * SIZE :]) * 0.2
    return two[TIMES % 2]


def with_futures(body):
    two = fields()
    called = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)(body)  # which releases the GIL
    workers = sennit.workers()
    bounds = [1 + SIZE * k // workers for k in range(workers + 1)]
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for t in range(TIMES):
            table = (ctypes.c_void_p * 2)(two[t % 2].ctypes.data, two[1 - t % 2].ctypes.data)
            parts = [
                pool.submit(called, ctypes.addressof(table), begin, end) for begin, end in zip(bounds, bounds[1:])
            ]
            concurrent.futures.wait(parts)
    return two[TIMES % 2]


def with_sennit(body):
    two = fields()
    for t in range(TIMES):
        sennit.parallel_for(range(1, SIZE + 1), body, two[t % 2], two[1 - t % 2])
    return two[TIMES % 2]


def main():
    body = by_numba() if importlib.util.find_spec("numba") else by_compiler()
    address = body if isinstance(body, int) else ctypes.cast(body, ctypes.c_void_p).value
    results = {}
    for name, run in [
        ("numpy", with_numpy),
        ("concurrent.futures", lambda: with_futures(address)),
        ("sennit", lambda: with_sennit(address)),
    ]:
        best = float("inf")
        for _ in range(3):
            begun = time.perf_counter()
            results[name] = run()
            best = min(best, time.perf_counter() - begun)
        print(f"{name:20} {best * 1e3:8.1f} ms")
    for name, result in results.items():
        if not numpy.allclose(result, results["numpy"]):
            sys.exit(f"{name} has another result than numpy")


if __name__ == "__main__":
    main()
