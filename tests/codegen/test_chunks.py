# SPDX-License-Identifier: Apache-2.0
"""A promotion point at the end of a chunk leaves the loop over the chunk as it is without: reads the assembly of chunks.cpp.

Catches: a marker that emits an instruction, keeps a loop from being vectorized, or spills what the loop has in registers.
"""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
COMPILERS = os.environ["COMPILERS"].split(":")
INCLUDE = os.environ["INCLUDE"]
LEVELS = ("-O2", "-O3")  # at -O1 GCC does not reload, behind the call, what vector registers had before it


def functions(text):
    """The instructions and labels of each function."""
    found, lines = {}, None
    for line in text.splitlines():
        line = re.sub(r"#.*", "", line).strip()
        if re.fullmatch(r"[a-z]\w*:", line):
            lines = found.setdefault(line[:-1], [])
        elif lines is not None and line and (not line.startswith(".") or line.endswith(":")):
            lines.append(re.sub(r"\s+", " ", line))
    return found


def innermost_loops(lines):
    """Loops that are one block, without names of registers and labels, which differ with what is around them."""
    labels = {line[:-1]: at for at, line in enumerate(lines) if line.endswith(":")}
    loops = []
    for at, line in enumerate(lines):
        target = line.split()[-1]
        begin = labels.get(target, at)
        body = [l for l in lines[begin:at] if not l.endswith(":")]
        if re.match(r"j(?!mp)", line) and begin < at and not any(re.match(r"j|call|ret", l) for l in body):
            if line.startswith("jne"):  # equal in either order
                body = [re.sub(r"^(cmp\w) (%\w+), (%\w+)$", lambda r: " ".join([r[1], *sorted(r.groups()[1:])]), l) for l in body]
            named = {}
            shape = [re.sub(r"%\w+", lambda r: named.setdefault(r[0], f"%{len(named)}"), l) for l in body]
            loops.append((*shape, line.split()[0]))
    return loops


class Chunks(unittest.TestCase):
    def test_innermost_loops(self):
        for compiler in COMPILERS:
            for level in LEVELS:
                command = [compiler, "-std=c++20", level, "-S", "-o", "-", f"-I{INCLUDE}", HERE / "chunks.cpp"]
                code = functions(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
                for name in ("sum", "scale"):
                    plain, marked = code[f"{name}_plain"], code[f"{name}_marked"]
                    with self.subTest(compiler=compiler, level=level, name=name):
                        self.assertTrue(innermost_loops(plain))
                        self.assertEqual(sorted(innermost_loops(plain)), sorted(innermost_loops(marked)))
                    print(f"{Path(compiler).name} {level} {name}: {len(plain)} lines without, {len(marked)} with statements",
                          file=sys.stderr)


if __name__ == "__main__":
    unittest.main()
