# SPDX-License-Identifier: Apache-2.0
"""What compilers make of a fork, and of an addition to a reducer: reads the assembly of forks.cpp and views.cpp.

A strand may continue on another thread after any branch, so no address of a thread-local may live across one; and while
nobody wants the worker's attention, a fork has no fence, no locked instruction and no call but the branches. A strand
that has a view finds it without a call.
"""

import itertools
import os
import re
import subprocess
import sys
import unittest
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
COMPILERS = os.environ["COMPILERS"].split(":")
INCLUDE = os.environ["INCLUDE"]
POSITIONS = ("-fno-pie", "-fPIE", "-fPIC")
LEVELS = ("-O2", "-O3")
FORKS = {  # a function, its joins, its branches, and conditional jumps of its own
    "fork_values": (1, ["first", "second"], 0),
    "fork_nothing": (1, ["first", "second"], 0),
    "fork_three": (2, ["first", "second", "third"], 0),
    "fork_within": (2, ["first", "second", "third"], 0),
    "fork_in_a_loop": (1, ["first", "second"], 2),
    "fork_without_exceptions": (1, ["first", "second"], 0),
}

LAST_CALLS = {"fork_nothing"}  # they end with a branch that returns nothing

# The base of the thread's block in a register; `%fs:0(%rax)` is a word at an offset, which is the same on every thread.
THREAD_ADDRESS = re.compile(r"%fs:0(?![\w(])|rdfsbase|__tls_get_addr|@tls(gd|ld|desc)|current_tls", re.IGNORECASE)
WORD = re.compile(r"sennit_tls(?!@tpoff|@gottpoff)", re.IGNORECASE)
COSTLY = re.compile(r"^(lock\b|[ml]fence\b|sfence\b|xchg\w?\s.*\()")


def instructions(text):
    """Lines of code and labels, without comments and directives."""
    for line in text.splitlines():
        line = re.sub(r"#.*", "", line).strip()
        if line and (not line.startswith(".") or line.endswith(":")):
            yield from (part.strip() for part in line.split(";"))


def hot_path(lines, name):
    """The instructions from a function's entry to its return if no conditional jump is taken, local functions included."""
    labels = {line[:-1]: at for at, line in enumerate(lines) if line.endswith(":")}
    path, at = [], labels[name]
    while len(path) < 1000:
        line = lines[at]
        at += 1
        if line.endswith(":"):
            continue
        word, target = (line.split() + [""])[:2]
        local = labels.get(target)
        if word.startswith("jmp") and local is not None:
            at = local
        elif word.startswith("call") and local is not None:
            path += hot_path(lines, target)  # a branch that the compiler did not inline, as a thief calls it too
        else:
            path.append(line)
            if word.startswith(("ret", "jmp")):  # a jump leads to the last branch
                return path
    raise ValueError("no way out")


def calls(path):
    """Whom the path calls."""
    return [c[1].removesuffix("@PLT") for c in map(str.split, path) if c[0].startswith(("call", "jmp"))]


def shortest_way(lines, name):
    """The fewest instructions from a function's entry to its return that call nothing, whatever the conditional jumps."""
    labels = {line[:-1]: at for at, line in enumerate(lines) if line.endswith(":")}
    ways, seen = deque([(labels[name], [])]), set()
    while ways:
        at, way = ways.popleft()
        while lines[at].endswith(":"):
            at += 1
        if at in seen:
            continue
        seen.add(at)
        word, target = (lines[at].split() + [""])[:2]
        way = way + [lines[at]]
        if word.startswith("ret"):
            return way
        if word.startswith("j") and target in labels:
            ways.append((labels[target], way))
        if not word.startswith(("jmp", "call")):
            ways.append((at + 1, way))
    raise ValueError("no way without a call")


def assembly(source, compiler, *flags):
    command = [compiler, "-std=c++20", *flags, "-I" + INCLUDE, "-S", "-o", "-", str(HERE / source)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class EveryCompiler(unittest.TestCase):
    def look_at(self, source, check):
        kinds = list(itertools.product(COMPILERS, LEVELS, POSITIONS))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for kind, text in zip(kinds, pool.map(lambda kind: assembly(source, *kind), kinds)):
                with self.subTest(" ".join(kind)):
                    check(list(instructions(text)), " ".join(kind))


class Views(EveryCompiler):
    def test_every_compiler(self):
        # Catches: a compiler, or a change of the headers, that calls something to find a view that is there, or that
        # keeps a thread's address across a fork for it.
        self.look_at("views.cpp", self.check)

    def check(self, lines, kind):
        self.assertEqual([line for line in lines if THREAD_ADDRESS.search(line)], [])
        way = shortest_way(lines, "add_to_view")
        self.assertEqual(len([line for line in way if "%fs:" in line]), 1, way)
        self.assertLessEqual(len(way), 12, way)
        print(f"{kind}: instructions of an addition: {len(way)}", file=sys.stderr)


class Forks(EveryCompiler):
    def test_every_compiler(self):
        # Catches: a compiler, or a change of the headers, that brings a thread's address, a fence or a call into a fork.
        self.look_at("forks.cpp", self.check)

    def check(self, lines, kind):
        self.assertEqual([line for line in lines if THREAD_ADDRESS.search(line)], [])
        self.assertEqual([line for line in lines if WORD.search(line)], [])
        lengths = []
        for name, (joins, branches, own_jumps) in FORKS.items():
            path = hot_path(lines, name)
            lengths.append(f"{name} {len(path)}")
            with self.subTest(name):
                self.assertEqual([line for line in path if COSTLY.match(line)], [])
                self.assertEqual(calls(path), branches)
                if name in LAST_CALLS and "clang" not in kind:  # clang has no last call where any address was known
                    # Catches: a frame that is kept for the last branch, so that a recursion by it is no loop.
                    self.assertTrue(path[-1].startswith("jmp"), path)
                jumps = [line for line in path if re.match(r"j(?!mp)", line)]
                self.assertEqual(len(jumps), 2 * joins + own_jumps, jumps)
                # A fork reads the tail, publishes and compares it, lowers and compares it.
                # Catches: a pop that reads the tail of the last construct, and so waits for its store.
                words = [line for line in path if "%fs:" in line]
                self.assertEqual(len(words), 5 * joins, words)
        print(f"{kind}: instructions on the way: {', '.join(lengths)}", file=sys.stderr)


class Reading(unittest.TestCase):
    """The reader itself: it must see what it is there to find."""

    def test_finds_addresses_of_thread_locals(self):
        # Catches: a pattern that has become blind.
        for line in ("movq\t%fs:0, %rbx", "call\t__tls_get_addr@PLT", "rdfsbase %rax",
                     "leaq\tsennit_words@tlsgd(%rip), %rdi"):
            self.assertTrue(THREAD_ADDRESS.search(line), line)
        for line in ("movq %fs:0(%rax), %rcx", "movq %fs:sennit_tls@tpoff+0, %rax", "cmpq %fs:128(%rdx), %rax"):
            self.assertFalse(THREAD_ADDRESS.search(line), line)
        self.assertTrue(WORD.search("leaq sennit_tls(%rip), %rax"))
        self.assertFalse(WORD.search("movq sennit_tls@gottpoff(%rip), %rax"))

    def test_finds_costly_instructions(self):
        # Catches: a fence that goes by another name than expected.
        for line in ("lock cmpxchgq %rcx, (%rdi)", "mfence", "xchgq %rax, (%rdi)", "xchg\t%rax, 8(%rdi)"):
            self.assertTrue(COSTLY.match(line), line)
        for line in ("xchgq %rax, %rbx", "movq %rax, (%rdi)"):
            self.assertFalse(COSTLY.match(line), line)

    def test_follows_the_way(self):
        # Catches: a walk that skips the code it is to judge.
        text = """
f:
\t.cfi_startproc
\tmovq %rdi, %rax  # a comment
\tja .L2
\tjmp .L3
.L2:
\tmfence
.L3:
\tcall g
\tcall first@PLT
\tret
g:
\tnop
\tret
"""
        path = hot_path(list(instructions(text)), "f")
        self.assertEqual(path, ["movq %rdi, %rax", "ja .L2", "nop", "ret", "call first@PLT", "ret"])
        self.assertEqual(calls(path), ["first"])

    def test_finds_the_shortest_way(self):
        # Catches: a search that goes through a call, or misses the way around it.
        text = """
f:
\tje .L2
.L1:
\tcmpq %rax, %rbx
\tje .L3
\tjmp .L1
.L2:
\tcall g
.L3:
\tret
"""
        self.assertEqual(shortest_way(list(instructions(text)), "f"), ["je .L2", "cmpq %rax, %rbx", "je .L3", "ret"])
        with self.assertRaises(ValueError):
            shortest_way(list(instructions(text.replace("je .L3", "nop"))), "f")


if __name__ == "__main__":
    unittest.main(verbosity=2)
