"""Folders of src/ include what is below them only.

Catches a mechanism that knows a layer above it, folders that include each other, and a table of layers in another order."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src"
INCLUDE = re.compile(r'^#include "([a-z_]+)/', re.MULTILINE)
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
    "sleep": ["system"],
    "deque": ["system", "policy", "stack", "process", "observe", "sleep"],
    "worker": ["system", "policy", "topology", "stack", "process", "observe", "sleep", "deque"],
    "diagnosis": ["system", "stack", "process", "worker"],
    "runtime": ["system", "process", "worker", "diagnosis"],
    "fork": ["system", "stack", "process", "observe", "worker"],
    "region": ["stack", "process", "observe", "worker", "runtime", "fork"],
    "group": ["system", "stack", "process", "worker", "runtime", "fork", "region"],
    "loop": ["system", "policy", "stack", "process", "observe", "worker", "fork"],
    "beat": ["system", "process", "worker", "runtime"],
    "schedule": ["system", "policy", "files", "observe", "worker", "region"],
    "graph": ["system", "policy", "worker", "fork", "schedule"],
    "splice": ["system", "policy", "topology", "stack", "worker", "diagnosis", "region", "schedule"],
    "checker": ["system", "worker", "splice"],
    "doctor": ["system", "topology", "stack", "process", "beat"],
}


class Layers(unittest.TestCase):
    def test_include_what_is_below_only(self):
        for path in sorted(SOURCES.rglob("*.[ch]pp")):
            folder = path.relative_to(SOURCES).parts[0]
            allowed = BELOW[folder] + [folder]
            for included in INCLUDE.findall(path.read_text()):
                with self.subTest(file=str(path.relative_to(SOURCES)), included=included):
                    self.assertIn(included, allowed)

    def test_have_no_circle(self):
        done = []
        for folder, below in BELOW.items():
            self.assertTrue(set(below) <= set(done), f"{folder} includes what comes after it in the list")
            done.append(folder)

    def test_stand_in_the_table_with_the_top_first(self):
        table = (ROOT / "docs" / "design" / "README.md").read_text()
        self.assertEqual(ROW.findall(table), list(reversed(BELOW)))


if __name__ == "__main__":
    unittest.main()
