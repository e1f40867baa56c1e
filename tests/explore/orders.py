#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Weakens each order of the protocol code, one at a time, and expects that some case of the explorer notices in weak memory.

  orders.py --program TEST_EXPLORE            all; TEST_EXPLORE is the built program
  orders.py --program TEST_EXPLORE WORD...    those whose names have one of the words
  orders.py --program TEST_EXPLORE --quick    with few orders of execution for each case: nothing is said of what is missed
  --write                                     writes the table of docs/protocols/weak_orders.md

The program itself says where it orders something and how, so what is weakened is found and not listed. orders_not_found.txt
says of those that nothing finds why the code has them.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs" / "protocols" / "weak_orders.md"
BEGIN = "<!-- The rest is written by tests/explore/orders.py. -->\n"
ORDERS = ["relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"]
# For each case: how many orders of execution, how often one of them may pass over the newest store, and whether they are at
# random. First few.
ROUNDS = [(100, 4, True), (300, 1, False), (1000, 4, True), (1500, 2, False), (10000, 6, True), (20000, 2, False)]
# All cases but the explorer's tests of itself.
CASES = "-Explorer.*:Litmus.*:Axioms.*"
# The cases that are likely to find an order, by a part of its name. They are run first.
LIKELY_CASES = {
    "tail_seen": "Deque.Observed*", "/graph/": "Graph.*:Pool.*", "/pipeline/": "Pipeline.*", "/loop/": "Loop.*",
    "/sleep/": "Sleepers.*", "parker": "Parker.*", "barrier": "Barrier.*", "completion": "Completion.*:Deque.OneFork",
    "limit": "Loop.*", "head_gate": "Loop.*", "claim_fenced": "Loop.*", "event": "Event.*", "coloring": "Idle.*", "mailbox": "Deque.Posted*",
}  # fmt: skip
# A note is so close above the access that it speaks of.
LINES_FROM_NOTE = 7


class Site:
    """A place in the source that orders something, and the calls that it was compiled to."""

    def __init__(self, edges, path, line, function, action, order, of_failure):
        self.edges, self.path, self.line, self.function = edges, path, line, function
        self.action, self.order, self.of_failure = action, order, of_failure
        self.calls = []
        self.which = ""  # of several that would have the same name

    def mutants(self):
        """Pairs: a name, and what SENNIT_EXPLORE_WEAKEN is to be."""
        for weaker in weaker_than(self.action, self.order):
            yield self.name(f"{ORDERS[self.order]} -> {said(self.action, weaker)}"), f"{weaker} {','.join(self.calls)}"
        if self.of_failure > 0:
            yield self.name(f"on failure {ORDERS[self.of_failure]} -> relaxed"), f"0/failure {','.join(self.calls)}"

    def name(self, change):
        return f"{self.path}: {self.function}: {self.action}{self.object()}{self.which} {change}"

    def object(self):
        """The variable, as far as the source's line tells."""
        line = (ROOT / self.path).read_text().splitlines()[self.line - 1]
        variable = re.search(r"(\w+?)_?(?:\.|->)(?:load|store|exchange|fetch_|compare_exchange)", line)
        return f" {variable[1]}" if variable and self.action in ("load", "store", "modify") else ""


def said(action, order):
    return "none" if order == 0 and action in ("fence", "barrier", "lock", "try_lock", "unlock") else ORDERS[order]


def weaker_than(action, order):
    """The next weaker orders."""
    if action in ("fence", "modify") and order == 5:
        return [4]
    if action == "fence" and order == 4 or action == "modify" and order == 4:
        return [2, 3]
    if order == 5:
        return [{"load": 2, "store": 3}.get(action, 0)]
    return [0] if order > 0 else []


def edges_above(path, line):
    lines = path.read_text().splitlines()
    for at in range(line - 1, max(-1, line - 1 - LINES_FROM_NOTE), -1):
        named = re.search(r"ORD((?: ?\[D\d+\])+)", lines[at])
        if named:
            return re.findall(r"D\d+", named[1])
    return []


def frames_of(program, offsets):
    """For each call: (function, path, line), the innermost first, of the repository only."""
    lines = subprocess.run(
        ["addr2line", "-Cfiae", program], input="\n".join(hex(int(o, 16) - 1) for o in offsets), capture_output=True, text=True, check=True
    ).stdout.splitlines()
    frames = []
    function = None
    for line in lines:
        if re.fullmatch(r"0x[0-9a-f]+", line):
            frames.append([])
            function = None
        elif function is None:
            function = line
        else:
            place = re.match(r"(.*?):(\d+)", line)
            path = pathlib.Path(place[1]) if place else None
            if path is not None and path.is_absolute() and path.is_relative_to(ROOT):
                frames[-1].append((function.split("(")[0].split("::")[-1].rstrip("<"), path, int(place[2])))
            function = None
    return frames


def run(program, cases, **environment):
    ran = subprocess.run(
        [program, f"--gtest_filter={cases}", "--gtest_fail_fast", "--gtest_brief=1"],
        capture_output=True, text=True, errors="replace", env={**os.environ, "SENNIT_EXPLORE_MEMORY": "weak", **environment},
    )  # fmt: skip
    return None if ran.returncode == 0 else ran.stdout + ran.stderr


def find_sites(program):
    with tempfile.NamedTemporaryFile("r", suffix=".sites") as file:
        run(program, CASES, SENNIT_EXPLORE_SITES=file.name, SENNIT_EXPLORE_MOST="1000", SENNIT_EXPLORE_PASSED="1")
        calls = [line.split() for line in file.read().splitlines()]
    sites = {}
    for (offset, action, order, of_failure), frames in zip(calls, frames_of(program, [c[0] for c in calls])):
        if not frames or frames[0][1].relative_to(ROOT).parts[0] == "tests":
            continue
        if action in ("lock", "try_lock", "unlock"):
            # Of all mutexes, that whose class names an edge.
            named = next(((f, ["D6"]) for f in frames if f[1].name == "steal_lock.hpp"), None)
        else:
            named = next(((f, edges_above(f[1], f[2])) for f in frames if edges_above(f[1], f[2])), None)
        if named is None:
            continue
        (function, path, line), edges = named
        path = str(path.relative_to(ROOT))
        key = (path, line if action != "barrier" else 0, function, action, order, of_failure)
        site = sites.setdefault(key, Site(edges, path, line, function, action, int(order), int(of_failure)))
        site.calls.append(offset)
    names = defaultdict(list)
    for site in sites.values():
        names[site.name("")].append(site)
    for same in names.values():
        for number, site in enumerate(sorted(same, key=lambda s: s.line) if len(same) > 1 else [], 1):
            site.which = f" ({number})"
    return sorted(sites.values(), key=lambda s: (int(s.edges[0][1:]), s.path, s.line))


def first_fault(output):
    by = re.search(r"^\[  FAILED  \] (\S+)", output, re.MULTILINE)
    fault = re.search(r"^Expected: true\n(.{0,60})", output, re.MULTILINE) or re.search(r"^(signal \d+)", output, re.MULTILINE)
    return by.group(1) if by else "?", re.sub(r" at \S+:$", "", fault.group(1).strip()) if fault else "?"


def find_fault(program, name, weaken, rounds, only_likely):
    likely = next((cases for part, cases in LIKELY_CASES.items() if part in name), None)
    if likely is None:
        filters = [CASES]
    else:
        filters = [likely] if only_likely else [likely, CASES]
    for cases in filters:
        for most, passed, at_random in rounds:
            kind = "SENNIT_EXPLORE_RANDOM" if at_random else "SENNIT_EXPLORE_MOST"
            limits = {kind: str(most), "SENNIT_EXPLORE_PASSED": str(passed)}
            output = run(program, cases, SENNIT_EXPLORE_WEAKEN=weaken, **limits)
            if output is not None:
                return first_fault(output)
    return None


def read_reasons():
    """Of orders that make no difference: `== NAME`, and lines that say why."""
    reasons = {}
    for line in (HERE / "orders_not_found.txt").read_text().splitlines():
        if line.startswith("== "):
            reasons[line[3:]] = []
            lines = reasons[line[3:]]
        elif reasons and line:
            lines.append(line)
    return {name: " ".join(lines) for name, lines in reasons.items()}


def unexplored(sites):
    """Places of files that are explored at all, which order something, and which no case has come to."""
    reached = defaultdict(set)
    for site in sites:
        reached[site.path].add(site.line)
    places = []
    for path, lines in sorted(reached.items()):
        text = (ROOT / path).read_text().splitlines()
        for at, line in enumerate(text, 1):
            orders = re.search(r"memory_order(_|::)(acquire|release|acq_rel|seq_cst)", line.partition("//")[0])
            if orders and "signal_fence" not in line and not any(at - 2 <= l <= at for l in lines):
                places.append(f"{path}:{at}: {line.strip()}")
    return places


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--rounds", type=int, default=len(ROUNDS))
    parser.add_argument("words", nargs="*")
    arguments = parser.parse_args()
    program = arguments.program.resolve()
    sites = find_sites(program)
    for place in unexplored(sites):
        print("no case comes to", place)
    mutants = [(site, name, weaken) for site in sites for name, weaken in site.mutants()]
    if arguments.words:
        mutants = [m for m in mutants if any(w in m[1] for w in arguments.words)]
    reasons = read_reasons()
    rounds = ROUNDS[:2] if arguments.quick else ROUNDS[: arguments.rounds]
    rows, wrong = [], []
    found = argued = 0
    with ThreadPoolExecutor(arguments.jobs) as pool:
        faults = pool.map(lambda m: find_fault(program, m[1], m[2], rounds, m[1] in reasons), mutants)
        for (site, name, _), fault in zip(mutants, faults):
            reason = reasons.get(name)
            found += fault is not None
            argued += fault is None and reason is not None
            if (fault is None) != (reason is not None) and not (arguments.quick and fault is None):
                wrong.append(name)
            print(f"{' '.join(site.edges):8} {name}: {': '.join(fault) if fault else 'not found'}", flush=True)
            rows.append((site, name, fault, reason))
    print(f"{found} of {len(mutants)} weakened orders found; {argued} make no difference")
    if arguments.write:
        write_table(rows)
    if found == 0:
        raise SystemExit("no weakened order was found: nothing was weakened, or no case runs")
    if wrong:
        raise SystemExit("not as expected:\n" + "\n".join(wrong))


def write_table(rows):
    lines = ["| edge | where | weakened | found by | as, or why it makes no difference |", "| --- | --- | --- | --- | --- |"]
    for site, name, fault, reason in rows:
        path, function, change = name.split(": ", 2)
        by = f"`{fault[0]}` | {fault[1]}" if fault else f"– | {reason or 'not found yet'}"
        lines.append(f"| {' '.join(site.edges)} | `{path}`, `{function}()` | {change.replace('->', 'to')} | {by} |")
    found = sum(fault is not None for _, _, fault, _ in rows)
    text = PAGE.read_text()
    head = text[: text.index(BEGIN) + len(BEGIN)]
    PAGE.write_text(f"{head}\nFound: {found} of {len(rows)}.\n\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
