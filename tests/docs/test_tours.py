# SPDX-License-Identifier: Apache-2.0
"""The tours of docs/design/tours.md name files and functions that exist.

Catches a tour that leads through a core of another day."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
QUOTED = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"^(?:include|src|tests)/[\w/.]+\.(?:hpp|cpp|txt)$")
FUNCTION = re.compile(r"^(\w+)\(\)$")


def steps(page):
    """(file, function) for each function that a step names, with the file named last before it."""
    for section in page.read_text().split("\n## ")[1:]:
        text = re.sub(r"```.*?```", "", section, flags=re.DOTALL)
        path = None
        for quoted in QUOTED.findall(text):
            if PATH.match(quoted):
                path = quoted
                yield path, None
            elif FUNCTION.match(quoted) and path:
                yield path, FUNCTION.match(quoted).group(1)


class Tours(unittest.TestCase):
    def test_name_what_is_there(self):
        named = list(steps(ROOT / "docs/design/tours.md"))
        self.assertGreater(sum(1 for _, function in named if function), 25)
        for path, function in named:
            with self.subTest(path=path, function=function):
                self.assertTrue((ROOT / path).is_file())
                if function:
                    self.assertTrue(re.search(rf"\b{function}\(", (ROOT / path).read_text()))

    def test_of_a_fork_is_short(self):
        """The files that a fork goes through, from join() to the call of the stolen branch."""
        page = (ROOT / "docs/design/tours.md").read_text()
        tour = page.split("## A fork that is stolen", 1)[1].split("\n## ", 1)[0]
        self.assertLessEqual(len({p for p in QUOTED.findall(tour) if PATH.match(p)}), 10)


if __name__ == "__main__":
    unittest.main()
