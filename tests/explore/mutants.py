#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes the protocol code, a little each time, and expects that some test notices.

  mutants.py --build DIR            all mutants; DIR is a configured build directory with test_explore built, and the
                                    programs of unit tests that mutants.txt names
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
    def __init__(self, name, path, words, harmless):
        self.name, self.path, self.harmless = name, path, harmless
        self.missed = "missed" in words
        options = dict(zip(words, words[1:]))
        self.program = options.get("in")  # of unit tests
        self.by = options.get("by")  # cases that are run before the others
        self.changes = []  # pairs: what is there, and what is put in its place

    def apply(self, text):
        for old, new in self.changes:
            if text.count(old) != 1:
                raise SystemExit(f"mutants.txt: {self.name}: {text.count(old)} places in {self.path} have:\n{old}")
            text = text.replace(old, new)
        return text


def read_mutants():
    """A mutant is a line `== NAME FILE`, or `== NAME FILE harmless: REASON`, and its changes: lines that begin with `- `
    are replaced by those with `+ `. A line `--` begins another change. What may follow the file's name:
      by CASES      these cases of the explorer find it (a pattern of GoogleTest); they are run first, then all others
      in PROGRAM    the explorer need not find it: this program of unit tests does, such as unit_sleep
      missed        nothing finds it yet"""
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
            name, path, *words = head.split()
            mutants.append(Mutant(name, path, words, reason))
        elif line == "--":
            finish_change()
        elif line.startswith("- "):
            old.append(line[2:])
        elif line.startswith("+ "):
            new.append(line[2:])
    finish_change()
    return mutants


class Program:
    """A program of tests: how it is built, and what each of its objects was made of."""

    def __init__(self, directory, commands, target):
        self.directory, self.target = directory, target
        own = f"{target.rpartition('/')[0]}/CMakeFiles/"
        self.compile, self.library = {}, {}
        for output, command in commands.items():
            if target == EXPLORER and output.startswith(own) or f"{own}{target.rpartition('/')[2]}.dir/" in output:
                self.compile[output] = command
            elif target != EXPLORER and output.startswith("src/CMakeFiles/sennit.dir/"):
                self.library[output] = command
        self.link = next(line for line in reversed(self.ninja("commands", target).splitlines()) if f"-o {target}" in line)
        self.made_of = {}
        for output in self.compile:
            lines = self.ninja("deps", output).splitlines()[1:]
            self.made_of[output] = {str((self.directory / line.strip()).resolve()) for line in lines if line.strip()}

    def ninja(self, tool, *arguments):
        return subprocess.run(
            ["ninja", "-C", self.directory, "-t", tool, *arguments], check=True, capture_output=True, text=True
        ).stdout

    def build(self, original, changed, place):
        """The program with the changed file in the place of the original; or a string that says what went wrong. Of a
        changed header, a program of unit tests sees what is inline: the library is not compiled anew."""
        link = self.link
        for output, (source, command) in {**self.compile, **self.library}.items():
            in_library = output in self.library
            if original != pathlib.Path(source) if in_library else str(original) not in self.made_of[output]:
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
                return compiled.stderr[:2000]
            if in_library:  # before the library, which then does not have to give its own
                link = link.replace(f"-o {self.target}", f"{made} -o {self.target}")
            else:
                link = re.sub(rf"(?<=\s){re.escape(output)}(?=\s)", str(made), link)
        if link == self.link:
            return f"{self.target} has nothing of {original}"
        link = link.replace(f"-o {self.target}", f"-o {place / 'test'}")
        linked = subprocess.run(link, shell=True, cwd=self.directory, capture_output=True, text=True)
        return linked.stderr[:2000] if linked.returncode != 0 else place / "test"


EXPLORER = "tests/explore/test_explore"
# The explorer's own tests are not of the library.
ALL_CASES = "-Explorer.*"
# The cases that are likely to find a mutant, by the folder of its file.
LIKELY_CASES = {"fork": "Completion.*", "loop": "Loop.*", "sleep": "Sleepers.*:Waking.*", "system": "Parker.*:Barrier.*", "worker": "Waking.*:Idle.*"}


def find_fault(program, filters):
    """What the program says of the first fault that it finds; None: it finds none."""
    environment = {**os.environ, "SENNIT_EXPLORE_BRIEF": "1"}
    for cases in filters:
        ran = subprocess.run(
            [program, f"--gtest_filter={cases}", "--gtest_fail_fast", "--gtest_brief=1"],
            capture_output=True, text=True, errors="replace", timeout=300, env=environment,
        )
        if ran.returncode != 0:
            return ran.stdout + ran.stderr
    return None


class Build:
    def __init__(self, directory, mutants):
        self.directory = directory.resolve()
        commands = {}
        for entry in json.loads((self.directory / "compile_commands.json").read_text()):
            output = entry.get("output") or re.search(r" -o (\S+)", entry["command"]).group(1)
            commands[output] = (entry["file"], shlex.split(entry["command"]))
        self.programs = {
            name: Program(self.directory, commands, EXPLORER if name is None else f"tests/unit/test_{name}")
            for name in {mutant.program for mutant in mutants}
        }

    def run(self, mutant):
        place = self.directory / "tests/explore/mutants" / mutant.name
        shutil.rmtree(place, ignore_errors=True)
        original = ROOT / mutant.path
        changed = place / mutant.path
        changed.parent.mkdir(parents=True)
        changed.write_text(mutant.apply(original.read_text()))
        program = self.programs[mutant.program].build(original, changed, place)
        if isinstance(program, str):
            return "not built", program
        likely = mutant.by or LIKELY_CASES.get(original.parent.name)
        all_cases = "*" if mutant.program else ALL_CASES
        try:
            fault = find_fault(program, [likely, all_cases] if likely else [all_cases])
        except subprocess.TimeoutExpired:
            return "no end", ""
        if fault is None:
            return "not found", ""
        shutil.rmtree(place, ignore_errors=True)
        return "found", fault


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
    build = Build(arguments.build, chosen)
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
