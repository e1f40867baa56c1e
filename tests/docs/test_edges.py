# SPDX-License-Identifier: Apache-2.0
"""The edges that the source names are those that docs/protocols/ lists and explains and models/ checks.

In the source an edge is named as in `ORD[D1]`, or `ORD[D1] [D2]`.
Catches: an edge that is added, moved or taken away in one of these places only; an order without a note.
"""

import re
import unittest
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROTOCOLS = ROOT / "docs" / "protocols"


FOLDERS = (ROOT / "include" / "sennit", ROOT / "src",
           ROOT / "integrations" / "tbb" / "include" / "sennit", ROOT / "integrations" / "mpi" / "include" / "sennit")


def in_source():
    """Files that name each edge, as the table calls them."""
    files = defaultdict(set)
    for folder in FOLDERS:
        for path in folder.rglob("*.?pp"):
            for edges in re.findall(r"ORD((?: ?\[D\d+\])+)", path.read_text()):
                for edge in re.findall(r"D\d+", edges):
                    files[edge].add(str(path.relative_to(folder)))
    return dict(files)


def on_pages():
    """The pages that explain each edge, where its name is in bold."""
    pages = defaultdict(set)
    for page in PROTOCOLS.glob("*.md"):
        for edge in re.findall(r"\*\*(D\d+)\b", page.read_text()):
            pages[edge].add(page.name)
    return dict(pages)


def in_models():
    """The models that check each edge: their first comments begin "...Edge Dn" or "...Edges Dn, Dm"."""
    models = defaultdict(set)
    for model in (ROOT / "models").glob("*.pml"):
        listed = re.search(r"\bEdges? (.*?)\n \*\n", model.read_text(), re.DOTALL)
        for edge in re.findall(r"\bD\d+\b", listed[1] if listed else ""):
            models[edge].add(f"models/{model.name}")
    return dict(models)


def in_table(column, pattern):
    """What matches in that column of the table, for each edge with something there."""
    rows = re.findall(r"^\| (D\d+) \|(.*)\|$", (PROTOCOLS / "README.md").read_text(), re.MULTILINE)
    cells = {edge: set(re.findall(pattern, row.split("|")[column])) for edge, row in rows}
    return {edge: found for edge, found in cells.items() if found}


# A note may speak for several accesses that follow it.
LINES_FROM_NOTE = 4


def without_note():
    """Places that order something and name no edge."""
    places = []
    for folder in FOLDERS:
        for path in folder.rglob("*.?pp"):
            lines = path.read_text().splitlines()
            for i, line in enumerate(lines):
                code = line.partition("//")[0]
                orders = re.search(r"memory_order(_|::)(acquire|release|acq_rel|seq_cst)", code)
                if orders and not re.search(r"ORD\[D", "\n".join(lines[max(0, i - LINES_FROM_NOTE) : i])):
                    places.append(f"{path.relative_to(ROOT)}:{i + 1}")
    return places


class Edges(unittest.TestCase):
    maxDiff = None

    def test_source(self):
        self.assertEqual(in_table(2, r"`(.*?)`"), in_source())

    def test_notes(self):
        self.assertEqual([], without_note())

    def test_pages(self):
        self.assertEqual(in_table(1, r"\((.*?)\)"), on_pages())

    def test_models(self):
        self.assertEqual(in_table(3, r"`(.*?)`"), in_models())


if __name__ == "__main__":
    unittest.main()
