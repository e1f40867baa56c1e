# SPDX-License-Identifier: Apache-2.0
"""What a latent call and a latent loop cost without beats: counts latent.cpp's instructions under callgrind, and reads its loops.

Catches: a latent call that costs an instruction, registers that are saved where no call follows, a closure that is kept in memory for it, and a loop that is not
vectorized because of its promotion point.
"""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = [Path(p) for p in os.environ["PROGRAMS"].split(":")]
COMPILERS = os.environ["COMPILERS"].split(":")
INCLUDE = os.environ["INCLUDE"]
VALGRIND = os.environ["VALGRIND"]
SIZES = {"fib": (12, 18), "search": (12, 16)}
# Instructions a call. Half of the calls here return at once: a function that saves registers for them costs more than that.
MOST = {"g++": 0.5, "clang++-19": 1}


def count(program, what, size):
    """Instructions, calls and the result."""
    command = [VALGRIND, "--tool=callgrind", "--callgrind-out-file=/dev/null", str(program), what, str(size)]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    calls, result = map(int, run.stdout.split())
    return int(re.search(r"Collected : (\d+)", run.stderr)[1]), calls, result


def a_call(program, what, sizes):
    """Instructions a call, without what the program executes otherwise."""
    small, large = (count(program, what, size) for size in sizes)
    return (large[0] - small[0]) / (large[1] - small[1]), large[1:]


class Latent(unittest.TestCase):
    def test_calls(self):
        for program in PROGRAMS:
            for name, sizes in SIZES.items():
                with self.subTest(program=program.name, name=name):
                    plain, results = a_call(program, f"{name}-plain", sizes)
                    latent, same = a_call(program, f"{name}-latent", sizes)
                    print(f"{program.name}: {name} {plain:.2f} instructions a call, latent {latent - plain:+.2f}", file=sys.stderr)
                    self.assertEqual(results, same)
                    compiler = program.name.removeprefix("latent-")
                    self.assertLessEqual(latent - plain, MOST["g++" if compiler.startswith("g++") else compiler])

    def test_loops(self):
        for compiler in COMPILERS:
            command = [compiler, "-std=c++20", "-O3", "-S", "-o", "-", f"-I{INCLUDE}", HERE / "latent.cpp"]
            code = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            functions, name = {}, ""
            for line in code.splitlines():
                if label := re.match(r"([a-zA-Z_][\w.$]*):", line):
                    name = label[1]
                functions.setdefault(name, []).append(line)
            for kind, packed in (("scale", r"\b(mulpd|vmulpd|vfmadd\w*pd)"), ("sum", r"\bv?paddd")):
                with self.subTest(compiler=compiler, loop=kind):
                    plain = functions.pop(f"{kind}_plain")
                    self.assertRegex("\n".join(plain), packed)
                    self.assertTrue(any(re.search(packed, "\n".join(lines)) for lines in functions.values()))


if __name__ == "__main__":
    unittest.main()
