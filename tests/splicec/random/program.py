# SPDX-License-Identifier: Apache-2.0
"""A random C program for splicec: program.py SEED PREFIX prints it, with names that begin so. Its functions call one another in all ways
that the guide names.

Each function has up to three pointers, a range of indices and a depth, which each call lowers. A function declares what it and all that
it calls may touch, relative to its range. So each program is right by construction, and its translation has to compute the same.
"""

import random
import sys

from writer import TOTALS, Writer

KINDS = (
    *("call", "call", "call", "halves", "step", "step", "local", "change", "if", "loop", "return", "switch", "read", "block"),
    *("moving", "moving", "swap"),
)
LOOPS = ("counted", "long", "upto", "down", "growing", "while", "do", "data", "data do")


class Function:
    """What it does is a list of items, which are text only once it is known what each function may touch."""

    def __init__(self, index, prefix, rng):
        self.index, self.name = index, f"{prefix}_f{index}"
        self.count = rng.randint(1, 3)
        self.is_struct = rng.random() < 0.3
        self.is_static = rng.random() < 0.8
        self.says_all = rng.random() < 0.6  # else it leaves its steps and the variables of the file to the translator
        self.written = [False] * self.count
        self.halo = [0] * self.count
        self.totals = set()
        self.said = set()  # totals that the function's pragma names
        self.swapped = []
        self.items = []
        self.leaf = None

    def pointer(self, i):
        return f"w.p{i}" if self.is_struct else f"p{i}"

    @property
    def first(self):
        return "w.first" if self.is_struct else "first"

    @property
    def last(self):
        return "w.last" if self.is_struct else "last"

    def take(self, pointers, totals):
        """Adds what is touched: (pointer, halo, written) each. Returns whether that is new."""
        before = (list(self.written), list(self.halo), set(self.totals))
        for i, halo, written in pointers:
            self.written[i] |= written
            self.halo[i] = max(self.halo[i], halo)
        self.totals |= totals
        return before != (self.written, self.halo, self.totals)


class Program(Writer):
    def __init__(self, seed, prefix):
        self.prefix = prefix
        self.rng = random.Random(seed)
        self.functions = [Function(i, prefix, self.rng) for i in range(self.rng.randint(4, 9))]
        for f in self.functions:
            f.leaf = self.step(f)
            f.items = self.block(f, 0)
            if not any(self.calls_in(f.items)):
                f.items.append(self.call(f))
        self.settle()

    # --- What functions do.

    def step(self, f):
        """Code that touches data: it writes one pointer, and reads another at a distance."""
        rng = self.rng
        to, by = rng.randrange(f.count), rng.randrange(f.count)
        away = rng.choice((-2, -1, 0, 0, 1, 2))
        kind = rng.choice(("each", "each", "each", "backwards", "copy", "first", "total", "until", "sum", "field", "kept", "helper", "while", "total"))
        total = rng.randrange(TOTALS) if kind == "total" or rng.random() < 0.2 else None
        f.take([(to, 0, kind != "total"), (by, abs(away), False)], set() if total is None else {total})
        return ("step", kind, to, by, away, total, rng.random() < 0.7)

    def call(self, f, where=None):
        rng = self.rng
        callee = f if rng.random() < 0.4 else rng.choice(self.functions)
        arguments = [rng.randrange(f.count) for _ in range(callee.count)]
        where = where or rng.choice(("left", "right", "all", "inner", "one"))
        return ("call", callee, arguments, where, rng.random() < 0.3)

    def block(self, f, nested):
        rng = self.rng
        items = []
        for _ in range(rng.randint(1, 4 if nested == 0 else 2)):
            kind = rng.choice(KINDS)
            if kind == "call":
                items.append(self.call(f))
            elif kind == "halves":
                items += [self.call(f, "left"), self.call(f, "right")]
            elif kind == "step":
                items.append(self.step(f))
            elif kind in ("local", "change"):
                items.append((kind, rng.randrange(4)))
            elif kind == "return":
                items.append(self.early(f))
            elif kind == "read":
                by = rng.randrange(f.count)
                f.take([(by, 0, False)], set())
                items.append(("read", by, rng.random() < 0.7, rng.randrange(3)))
            elif kind == "moving":
                step = self.step(f)
                when = 1 if step[1] == "total" else rng.randrange(3)
                items.append(("moving", self.call(f, "moving"), step, self.call(f, "moving"), when))
            elif kind == "swap" and f.count > 1:
                pair = rng.sample(range(f.count), 2)
                f.swapped.append(pair)
                items.append(("swap", *pair))
            elif kind == "block" and nested < 2:
                items.append(("block", self.block(f, nested + 1), rng.random() < 0.5))
            elif nested < 2 and kind == "if":
                items.append(("if", self.condition(f), self.block(f, nested + 1), self.block(f, nested + 1) if rng.random() < 0.5 else None))
            elif nested == 0 and kind == "loop":
                body = [self.call(f, "piece")] if rng.random() < 0.5 else [self.step(f), self.call(f, "piece")]
                if rng.random() < 0.3:
                    body.append(self.step(f))
                items.append(("loop", rng.choice(LOOPS), body, self.condition(f), rng.random() < 0.3))
            elif nested < 2 and kind == "switch":
                items.append(("switch", [self.block(f, 2) for _ in range(3)]))
        return items

    def condition(self, f):
        """Of the function's own variables, or of data."""
        if self.rng.random() < 0.5:
            return ("own", self.rng.randrange(3))
        by = self.rng.randrange(f.count)
        f.take([(by, 1, False)], set())
        return ("data", by, self.rng.random() < 0.7)

    def early(self, f):
        return ("return", self.condition(f))

    def calls_in(self, items):
        for item in items:
            if item[0] == "call":
                yield item
            elif item[0] == "moving":
                yield item[1]
                yield item[3]
            elif item[0] == "if":
                yield from self.calls_in(item[2])
                yield from self.calls_in(item[3] or [])
            elif item[0] in ("loop", "block"):
                yield from self.calls_in(item[2] if item[0] == "loop" else item[1])
            elif item[0] == "switch":
                for case in item[1]:
                    yield from self.calls_in(case)

    def settle(self):
        """What a function touches is what it does itself, and what those that it calls do."""
        changed = True
        while changed:
            changed = False
            for f in self.functions:
                said = f.said | (f.totals if f.says_all else set())
                said = said.union(*(call[1].said for call in self.calls_in(f.items)))
                changed |= said != f.said
                f.said = said
                for pair in f.swapped:
                    both = max(f.halo[i] for i in pair), any(f.written[i] for i in pair)
                    changed |= f.take([(i, *both) for i in pair], set())
                for _, callee, arguments, _, _ in self.calls_in(f.items):
                    touched = [(arguments[i], callee.halo[i], callee.written[i]) for i in range(callee.count)]
                    changed |= f.take(touched, set(callee.totals))


if __name__ == "__main__":
    sys.stdout.write(Program(int(sys.argv[1]), sys.argv[2]).text())
