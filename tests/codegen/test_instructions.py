# SPDX-License-Identifier: Apache-2.0
"""What a fork and a loop cost, in instructions beyond plain calls and plain loops: runs counting.cpp under callgrind."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAMS = [Path(p) for p in os.environ["PROGRAMS"].split(":")]
VALGRIND = os.environ["VALGRIND"]
SIZE = 20
# Code for shared objects has to look the words' offset up.
BARS = {"fPIE": 24, "fPIC": 28}
README = re.compile(r"A fork costs (?P<gcc>\d+) instructions\*\* beyond the plain call \(GCC 12; clang 19: (?P<clang>\d+)\)")
ITERATIONS = 100_000
LOOPS = {
    # A claim: a store, two comparisons and their jumps, and what counts the iterations.
    "claims-of-one": ("plain-loop", ITERATIONS, {"g++": 8, "clang++-19": 9}),
    # Cells are run by rows, or by blocks of 64.
    "nest": ("plain-nest", ITERATIONS, {"g++": 8, "clang++-19": 8}),
    # A loop of four iterations beside which nobody waits: two comparisons as it begins, and a look at the gate between two
    # iterations that the compiler does not see through.
    "brief-loops": ("brief-plain-loops", ITERATIONS / 4, {"g++": 28, "clang++-19": 38}),
}


def forks(n):
    """Calls of the recursion that fork: those with n >= 2."""
    return 0 if n < 2 else 1 + forks(n - 1) + forks(n - 2)


def count(program):
    """Instructions at each mark of the program."""
    with tempfile.TemporaryDirectory() as directory:
        command = [VALGRIND, "--tool=callgrind", f"--callgrind-out-file={directory}/out", str(program), str(SIZE)]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} failed:\n{run.stdout}{run.stderr}")
        results = dict(line.split() for line in run.stdout.splitlines())
        loops = {*LOOPS, *(plain for plain, _, _ in LOOPS.values())}
        if any(result != (str(ITERATIONS) if name in loops else "6765") for name, result in results.items()):
            raise RuntimeError(f"wrong results: {results}")
        found = {}
        for file in Path(directory).iterdir():
            text = file.read_text()
            name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.MULTILINE)
            if name:
                instructions = int(re.search(r"^(?:summary|totals): (\d+)$", text, re.MULTILINE)[1])
                found[name[1]] = min(instructions, found.get(name[1], instructions))
        if set(found) != set(results):
            raise RuntimeError(f"callgrind wrote {sorted(found)}, not {sorted(results)}")
        return found


class Instructions(unittest.TestCase):
    def test_forks(self):
        for program in PROGRAMS:
            with self.subTest(program.name):
                found = count(program)
                self.loops(program, found)
                plain = found.pop("calls") / forks(SIZE)
                beyond = {name: i / forks(SIZE) - plain for name, i in found.items()}
                listed = ", ".join(f"{name} {x:.2f}" for name, x in sorted(beyond.items()))
                print(f"{program.name}: plain calls {plain:.2f} instructions a fork, beyond them: {listed}", file=sys.stderr)
                # Catches: a fork that has grown.
                bar = BARS[program.name.rpartition("-")[2]]
                self.assertLessEqual(beyond["joins"], bar)
                self.assertLessEqual(beyond["joins-of-copies"], bar)
                # Catches: a README that says another number.
                if program.name in ("counting-g++-fPIE", "counting-clang++-19-fPIE"):
                    said = README.search((Path(__file__).parents[2] / "README.md").read_text())
                    self.assertEqual(said["clang" if "clang" in program.name else "gcc"], f"{beyond['joins']:.0f}")
                # Catches: a feature that costs something where it is not in use.
                usual = {name: i for name, i in found.items() if name != "joins-of-copies"}
                self.assertEqual(set(usual.values()), {found["joins"]}, usual)

    def loops(self, program, found):
        for name, (plain, times, bars) in LOOPS.items():
            beyond = (found.pop(name) - found.pop(plain)) / times
            print(f"{program.name}: {name} {beyond:.2f} instructions beyond {plain}", file=sys.stderr)
            # Catches: a claim, or the entry of a loop that runs as a plain one, that has grown; a nest whose cells are claimed
            # one by one, as the compiler does not see all of them.
            self.assertLessEqual(beyond, 0.1 + bars[program.name.removeprefix("counting-").rpartition("-")[0]])


if __name__ == "__main__":
    unittest.main(verbosity=2)
