# SPDX-License-Identifier: Apache-2.0
"""What a fork and a claim cost on AArch64, in instructions beyond plain calls, read from the disassembly.

As on x86-64 there is no fence, no exclusive or atomic instruction and no call but the branches on the way, and no thread's
address lives across a branch.
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from collections import deque
from pathlib import Path

HERE = Path(__file__).resolve().parent
INCLUDE = os.environ["INCLUDE"]
OBJDUMP = os.environ["OBJDUMP"]
COMPILERS = dict(pair.split("=", 1) for pair in os.environ["COMPILERS"].split(":"))  # a name, and its command
# Of a fork: the branch's code and what it captures (3); the push (12); the pop (7); the second branch reads what it captures
# (1). clang's push has one less, but its functions set up large frames by one more. Code for shared objects looks the words'
# offset up. docs/decisions/aarch64-forks.md has them all.
FORK = {("g++", "-fPIE"): 23, ("g++", "-fPIC"): 26, ("clang++", "-fPIE"): 23, ("clang++", "-fPIC"): 24}
# A store, two loads and their comparisons, the thread's register, and a barrier of loads.
CLAIM = {"-fPIE": 13, "-fPIC": 15}
COSTLY = re.compile(r"^(dmb\s+ish$|dmb\s+sy|dsb|ld(a|ax|x)r|st(l)?xr|cas|swp|ldadd|ldset|ldclr|ldeor)")


def functions(text):
    """The instructions of each function: pairs of an address and a text. Relocations follow their instruction."""
    found, lines = {}, None
    for line in text.splitlines():
        if begin := re.fullmatch(r"[0-9a-f]+ <([^>]+)>:", line):
            lines = found.setdefault(begin[1], [])
        elif at := re.match(r"\s+([0-9a-f]+):\t(?:[0-9a-f]{8} +\t)?(.+)", line):
            if at[2].startswith("R_AARCH64"):
                if "JUMP26" in at[2]:  # to another function
                    lines[-1] = (lines[-1][0], "b elsewhere")
                continue
            lines.append((int(at[1], 16), re.sub(r"\s+", " ", at[2].split("//")[0]).strip()))
    return found


def hot_path(lines):
    """The instructions from a function's entry to its return if no conditional jump is taken."""
    places = {address: i for i, (address, _) in enumerate(lines)}
    path, at = [], 0
    while len(path) < 1000:
        text = lines[at][1]
        at += 1
        jump = re.match(r"b ([0-9a-f]+) ", text)
        if jump and int(jump[1], 16) in places:
            at = places[int(jump[1], 16)]
            continue
        path.append(text)
        if text.startswith("ret"):
            return path
    raise ValueError("no way out")


def shortest_way(lines):
    """The fewest instructions from a function's entry to its return that call nothing, whatever the conditional jumps."""
    places = {address: i for i, (address, _) in enumerate(lines)}
    ways, seen = deque([(0, [])]), set()
    while ways:
        at, way = ways.popleft()
        if at in seen or at >= len(lines):
            continue
        seen.add(at)
        text = lines[at][1]
        if text.startswith("ret"):
            return way + [text]
        jump = re.match(r"(b|b\.\w+|cbn?z|tbn?z) (?:.*, )?([0-9a-f]+) <", text)
        if jump and int(jump[2], 16) in places:
            ways.append((places[int(jump[2], 16)], way + [text]))
        if not text.startswith(("bl", "b ")):
            ways.append((at + 1, way + [text]))
    raise ValueError("no way without a call")


def disassembled(command, position):
    with tempfile.TemporaryDirectory() as directory:
        made = f"{directory}/code.o"
        compiler = [*command.split(), "-std=c++20", "-O2", "-DNDEBUG", position, f"-I{INCLUDE}"]
        subprocess.run([*compiler, "-c", HERE / "aarch64.cpp", "-o", made], check=True)
        run = subprocess.run([OBJDUMP, "-d", "-r", "--no-show-raw-insn", made], check=True, capture_output=True, text=True)
    return functions(run.stdout)


class AArch64(unittest.TestCase):
    def test_fork_and_claim(self):
        for name, command in COMPILERS.items():
            for position in ("-fPIE", "-fPIC"):
                with self.subTest(compiler=name, position=position):
                    code = disassembled(command, position)
                    plain, fork = hot_path(code["by_calls"]), hot_path(code["by_joins"])
                    claim = shortest_way(code["claim_one"])[:-1]
                    print(f"{name} {position}: a fork {len(fork) - len(plain)} instructions beyond plain calls, "
                          f"a claim {len(claim)}", file=sys.stderr)
                    # Catches: a fork, or a claim, that has grown.
                    self.assertLessEqual(len(fork) - len(plain), FORK[name, position], fork)
                    self.assertLessEqual(len(claim), CLAIM[position], claim)
                    # Catches: a fence, an acquiring load behind the release of tail, which waits as a fence does, or a call.
                    self.assertEqual([i for i in fork + claim if COSTLY.match(i)], [])
                    self.assertEqual(len([i for i in fork if i.startswith("bl")]), 2, fork)
                    # Catches: a thread's address that is kept across a branch: the push and the pop each read their own.
                    self.assertEqual(len([i for i in fork if "tpidr_el0" in i]), 2, fork)
                    self.assertEqual(len([i for i in fork if i.startswith("stlr")]), 1, fork)


class Reading(unittest.TestCase):
    """The reader itself: it must see what it is there to find."""

    def test_finds_costly_instructions(self):
        # Catches: a pattern that has become blind.
        for line in ("dmb ish", "dmb sy", "ldar x0, [x1]", "ldaxr x0, [x1]", "stlxr w2, x0, [x1]", "swpal x0, x1, [x2]",
                     "casal x0, x1, [x2]", "ldaddal x0, x1, [x2]"):
            self.assertTrue(COSTLY.match(line), line)
        for line in ("dmb ishld", "ldr x0, [x1]", "stlr x0, [x1]", "str x0, [x1], #8"):
            self.assertFalse(COSTLY.match(line), line)

    def test_follows_the_way(self):
        # Catches: a walk that skips the code it is to judge, or takes a relocation for an instruction.
        text = """
0000000000000000 <f>:
   0:\tcmp\tx0, #0x1
   4:\tb.le\t14 <f+0x14>
   8:\tb\t10 <f+0x10>
   c:\tdmb\tish
  10:\tbl\t0 <g>
\t\t\t10: R_AARCH64_CALL26\tg
  14:\tret
"""
        self.assertEqual(hot_path(functions(text)["f"]), ["cmp x0, #0x1", "b.le 14 <f+0x14>", "bl 0 <g>", "ret"])

    def test_finds_the_shortest_way(self):
        # Catches: a search that goes through a call, or misses the way around it.
        text = """
0000000000000000 <f>:
   0:\tcbz\tx0, c <f+0xc>
   4:\tcmp\tx0, x1
   8:\tb.hi\t10 <f+0x10>
   c:\tb\t0 <f>
\t\t\tc: R_AARCH64_JUMP26\tg
  10:\tret
"""
        self.assertEqual(shortest_way(functions(text)["f"]), ["cbz x0, c <f+0xc>", "cmp x0, x1", "b.hi 10 <f+0x10>", "ret"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
