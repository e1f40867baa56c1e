# SPDX-License-Identifier: Apache-2.0
"""Folders of src/ include and declare what is below them only. A folder of include/sennit/detail/ counts as the folder of
src/ that has its name.

Catches a mechanism that knows a layer above it, folders that include each other, and a table of layers in another order."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src"
DETAIL = ROOT / "include/sennit/detail"
INCLUDE = re.compile(r'^#include (?:"|<sennit/detail/)(([a-z_]+)/[a-z_]+\.hpp)[">]', re.MULTILINE)
DECLARED = re.compile(r"^(?:class|struct) ([a-z_]+);", re.MULTILINE)
DEFINED = re.compile(r"^(?:class|struct) (?:SENNIT_EXPORT )?([a-z_]+)\b[^;{]*\{", re.MULTILINE)
ROW = re.compile(r"^\| `src/([a-z_]+)/` \|", re.MULTILINE)

# Each may include those that stand before it in its list, and itself.
BELOW = {
    "system": [],
    "policy": [],
    "files": [],
    "topology": ["system", "policy"],
    "stack": ["system"],
    "process": ["system", "topology", "stack"],
    "observe": [],
    "sleep": ["system", "policy"],
    "deque": ["system", "policy", "stack", "process", "observe", "sleep"],
    "worker": ["system", "policy", "topology", "stack", "process", "observe", "sleep", "deque"],
    "diagnosis": ["system", "stack", "process", "worker"],
    "runtime": ["system", "process", "worker", "diagnosis"],
    "fork": ["system", "stack", "process", "observe", "worker"],
    "trace": ["system", "policy", "stack", "process", "observe", "worker"],
    "region": ["stack", "process", "observe", "worker", "runtime", "fork", "trace"],
    "group": ["system", "stack", "process", "worker", "runtime", "fork", "region", "trace"],
    "loop": ["system", "policy", "stack", "process", "observe", "worker", "fork"],
    "beat": ["system", "process", "worker", "runtime"],
    "schedule": ["system", "policy", "files", "observe", "worker", "region", "loop"],
    "pipeline": ["system", "policy", "observe", "worker", "fork"],
    "graph": ["system", "policy", "worker", "fork", "trace", "region", "loop", "schedule"],
    "splice": ["system", "policy", "topology", "stack", "worker", "diagnosis", "runtime", "region", "schedule"],
    "checker": ["system", "worker", "graph", "splice"],
    "latent": ["stack", "worker", "fork", "beat"],
    "doctor": ["system", "topology", "stack", "process", "beat"],
    "c_interface": ["process", "runtime", "fork", "region", "group", "loop"],
}

# What a branch is. All layers handle branches.
COMMON = {"fork/frame.hpp", "fork/completion.hpp", "fork/divisible.hpp"}
# Classes of layers above that a folder passes on, and never looks into.
BY_NAME = {
    "stack": {"frame", "child_underway", "open_group", "unobserved_part"},
    "observe": {"unobserved_part", "worker"},
    "deque": {"worker"},
}


def sources():
    """(file, its text, its folder, the folders that it may include)"""
    for path in sorted(SOURCES.rglob("*.[ch]pp")):
        folder = path.relative_to(SOURCES).parts[0]
        yield path.relative_to(SOURCES), path.read_text(), folder, BELOW[folder] + [folder]


def folders_of_classes():
    """The folders in which a class of that name is defined."""
    found = {}
    for place in (SOURCES, DETAIL):
        for path in place.rglob("*/*.hpp"):
            for name in DEFINED.findall(path.read_text()):
                found.setdefault(name, set()).add(path.relative_to(place).parts[0])
    return found


class Layers(unittest.TestCase):
    def test_include_what_is_below_only(self):
        for path, text, _, allowed in sources():
            for included, folder in INCLUDE.findall(text):
                if included not in COMMON:
                    with self.subTest(file=str(path), included=included):
                        self.assertIn(folder, allowed)

    def test_know_no_construct_at_the_bottom(self):
        for path, text, folder, _ in sources():
            if not BELOW[folder] and folder != "observe":
                with self.subTest(file=str(path)):
                    self.assertNotRegex(text, r"#include <sennit/[a-z_]+\.hpp>")

    def test_declare_what_is_below_only(self):
        defined = folders_of_classes()
        used = {folder: set() for folder in BY_NAME}
        for path, text, folder, allowed in sources():
            for name in DECLARED.findall(text):
                if name in defined and not defined[name] & set(allowed):
                    with self.subTest(file=str(path), declared=name):
                        self.assertIn(name, BY_NAME.get(folder, ()))
                    used.setdefault(folder, set()).add(name)
        self.assertEqual(used, BY_NAME)

    def test_have_no_circle(self):
        done = []
        for folder, below in BELOW.items():
            self.assertTrue(set(below) <= set(done), f"{folder} includes what comes after it in the list")
            done.append(folder)

    def test_stand_in_the_table_with_the_top_first(self):
        table = (ROOT / "docs" / "design" / "README.md").read_text()
        self.assertEqual(ROW.findall(table), list(reversed(BELOW)))


# The simulator. Of the library it has decisions only.
SIMULATOR = ROOT / "sim"
SIMULATED = re.compile(r'^#include "(([a-z_]+)/[a-z_]+\.hpp)"', re.MULTILINE)
BELOW_IN_SIMULATOR = {
    "time": [],
    "program": ["time"],
    "machine": ["time"],
    "memory": ["time", "machine"],
    "ranks": ["time", "machine"],
    "engine": ["time", "program", "machine", "memory", "policy"],
    "scale": ["time", "program", "machine", "memory", "engine"],
    "programs": ["time", "program", "machine", "engine", "ranks"],
    "evidence": ["time", "program", "programs", "machine", "memory", "engine", "ranks", "scale"],
}
# Decisions that the templates of the library make.
DECISIONS = {"sennit/detail/loop/middle.hpp", "sennit/detail/loop/pace.hpp"}


class Simulator(unittest.TestCase):
    """Catches a machine that knows its users, and a library that knows the simulator."""

    def test_includes_what_is_below_only(self):
        for path in sorted(SIMULATOR.rglob("*.[ch]pp")):
            folder = path.relative_to(SIMULATOR).parts[0]
            for included, of in SIMULATED.findall(path.read_text()):
                with self.subTest(file=str(path), included=included):
                    self.assertIn(of, BELOW_IN_SIMULATOR[folder] + [folder])

    def test_uses_no_header_of_the_library(self):
        for path in sorted(SIMULATOR.rglob("*.[ch]pp")):
            with self.subTest(file=str(path)):
                included = set(re.findall(r"^#include <(sennit/[^>]+)>", path.read_text(), re.MULTILINE))
                self.assertLessEqual(included, DECISIONS)

    def test_is_unknown_to_the_library(self):
        for folder in (SOURCES, ROOT / "include"):
            for path in sorted(folder.rglob("*.[ch]pp")):
                with self.subTest(file=str(path)):
                    self.assertNotIn("sim/", " ".join(re.findall("^#include.*$", path.read_text(), re.MULTILINE)))


if __name__ == "__main__":
    unittest.main()
