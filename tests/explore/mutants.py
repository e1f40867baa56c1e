#!/usr/bin/env python3
"""Changes the explored sources, a little each time, and expects that some test notices.

  mutants.py --build DIR            all mutants; DIR is a configured build directory with test_explore built
  mutants.py --build DIR NAME...    those whose names match one of the patterns
  mutants.py --list                 their names

A mutant that no test finds is a defect: of the tests, or of code that is not needed. Those that are known to make no
difference say why. The mutants are in mutants.txt.
"""

import argparse
import fnmatch
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


class Mutant:
    def __init__(self, name, path, harmless):
        self.name, self.path, self.harmless = name, path, harmless
        self.changes = []  # pairs: what is there, and what is put in its place

    def apply(self, text):
        for old, new in self.changes:
            if text.count(old) != 1:
                raise SystemExit(f"mutants.txt: {self.name}: {text.count(old)} places in {self.path} have:\n{old}")
            text = text.replace(old, new)
        return text


def read_mutants():
    """A mutant is a line `== NAME FILE`, or `== NAME FILE harmless: REASON`, and its changes: lines that begin with `- `
    are replaced by those with `+ `; `== NAME FILE missed` is one that no case finds yet. A line `--` begins another change."""
    mutants = []
    old, new = [], []

    def finish_change():
        if old:
            mutants[-1].changes.append(("\n".join(old), "\n".join(new)))
        old.clear()
        new.clear()

    for line in (HERE / "mutants.txt").read_text().splitlines():
        if line.startswith("== "):
            finish_change()
            head, _, reason = line[3:].partition(" harmless: ")
            head, missed, _ = head.partition(" missed")
            name, path = head.split()
            mutants.append(Mutant(name, path, reason))
            mutants[-1].missed = bool(missed)
        elif line == "--":
            finish_change()
        elif line.startswith("- "):
            old.append(line[2:])
        elif line.startswith("+ "):
            new.append(line[2:])
    finish_change()
    return mutants


class Build:
    """How test_explore is built, and what each of its objects was made of."""

    def __init__(self, directory):
        self.directory = directory.resolve()
        commands = json.loads((self.directory / "compile_commands.json").read_text())
        self.compile = {}
        for entry in commands:
            output = entry.get("output") or re.search(r" -o (\S+)", entry["command"]).group(1)
            if output.startswith("tests/explore/"):
                self.compile[output] = (entry["file"], shlex.split(entry["command"]))
        target = "tests/explore/test_explore"
        listed = self.ninja("commands", target).splitlines()
        self.link = next(line for line in reversed(listed) if f"-o {target}" in line)
        self.made_of = {}
        for output in self.compile:
            lines = self.ninja("deps", output).splitlines()[1:]
            self.made_of[output] = {str((self.directory / line.strip()).resolve()) for line in lines if line.strip()}

    def ninja(self, tool, *arguments):
        return subprocess.run(
            ["ninja", "-C", self.directory, "-t", tool, *arguments], check=True, capture_output=True, text=True
        ).stdout

    def run(self, mutant):
        place = self.directory / "tests/explore/mutants" / mutant.name
        shutil.rmtree(place, ignore_errors=True)
        original = ROOT / mutant.path
        changed = place / mutant.path
        changed.parent.mkdir(parents=True)
        changed.write_text(mutant.apply(original.read_text()))
        link = self.link
        for output, (source, command) in self.compile.items():
            if str(original) not in self.made_of[output]:
                continue
            made = place / pathlib.Path(output).name
            command = [part for part in command if not part.startswith("-O")]
            if original == pathlib.Path(source):
                command = [str(changed) if part == source else part for part in command]
            command[command.index("-o") + 1] = str(made)
            at = next(i for i, part in enumerate(command) if part.startswith(("-I", "-D", "-f", "-std", "-W")))
            command[at:at] = ["-O1", f"-I{place / 'include'}", f"-I{place / 'src'}"]
            compiled = subprocess.run(command, cwd=self.directory, capture_output=True, text=True)
            if compiled.returncode != 0:
                return "not built", compiled.stderr[:2000]
            link = re.sub(rf"(?<=\s){re.escape(output)}(?=\s)", str(made), link)
        program = place / "test_explore"
        link = link.replace("-o tests/explore/test_explore", f"-o {program}")
        linked = subprocess.run(link, shell=True, cwd=self.directory, capture_output=True, text=True)
        if linked.returncode != 0:
            return "not built", linked.stderr[:2000]
        try:
            ran = subprocess.run(
                [program, "--gtest_filter=-Explorer.*", "--gtest_fail_fast", "--gtest_brief=1"],
                capture_output=True, text=True, timeout=300, env={**os.environ, "SENNIT_EXPLORE_BRIEF": "1"},
            )
        except subprocess.TimeoutExpired:
            return "no end", ""
        if ran.returncode == 0:
            return "not found", ""
        shutil.rmtree(place, ignore_errors=True)
        return "found", ran.stdout + ran.stderr


def first_fault(output):
    by = re.search(r"^\[  FAILED  \] (\S+)", output, re.MULTILINE)
    fault = re.search(r'Which is: "(.{0,70}?)(\\n|"|$)', output) or re.search(r"^(signal \d+)", output, re.MULTILINE)
    return (by.group(1) if by else "?") + ": " + (fault.group(1) if fault else "?")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("names", nargs="*", default=["*"])
    arguments = parser.parse_args()
    chosen = [m for m in read_mutants() if any(fnmatch.fnmatch(m.name, n) for n in arguments.names)]
    if arguments.list:
        print("\n".join(m.name for m in chosen))
        return
    if not chosen:
        raise SystemExit(f"mutants.py: no mutant matches {' '.join(arguments.names)}")
    build = Build(arguments.build)
    missed = []
    found = harmless = 0
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for mutant, (verdict, output) in zip(chosen, pool.map(build.run, chosen)):
            if mutant.harmless:
                harmless += 1
                good = verdict == "not found"
                note = mutant.harmless if good else "found, although it is said to be harmless"
            else:
                good = (verdict == "found") != mutant.missed
                found += verdict == "found"
                note = first_fault(output) if verdict == "found" else output
            if not good:
                missed.append(mutant.name)
            print(f"{mutant.name:42} {verdict:10} {note}", flush=True)
    counted = len(chosen) - harmless
    print(f"{found} of {counted} mutants found; {harmless} make no difference")
    if missed:
        raise SystemExit("not as expected: " + " ".join(missed))


if __name__ == "__main__":
    main()
