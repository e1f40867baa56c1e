"""Folders of src/ include what is below them only.

Catches a mechanism that knows a layer above it, and folders that include each other."""

import pathlib
import re
import unittest

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "src"
INCLUDE = re.compile(r'^#include "([a-z_]+)/', re.MULTILINE)

# Each may include those that stand before it in its list, and itself.
BELOW = {
    "system": [],
    "policy": [],
    "files": [],
    "topology": ["system", "policy"],
    "core": ["system", "policy", "topology"],
    "beat": ["system", "core"],
    "schedule": ["system", "core", "files"],
    "graph": ["system", "core", "schedule"],
    "splice": ["system", "policy", "topology", "core", "schedule"],
    "checker": ["system", "core", "splice"],
    "doctor": ["system", "topology", "core", "beat"],
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


if __name__ == "__main__":
    unittest.main()
