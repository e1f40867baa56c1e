# SPDX-License-Identifier: Apache-2.0
"""The pictures of the pages are there, for light and for dark, and are what their scripts draw.

Catches a picture that is named and missing; a picture that hides a system, a lost row, or what was measured; a map of
folders of another day; an order of blocks that no splice could have."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

sys.path.insert(0, str(ROOT / "bench"))

import draw_layers  # noqa: E402
import draw_splice  # noqa: E402
from driver import overview  # noqa: E402

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
PICTURE = re.compile(r'(?:src|srcset)="([^"]+)"|!\[[^]]*\]\(([^)\s]+)\)')
MACHINE = {"cpu": "Abacus 1", "cpus": 2, "date": "2000-01-02", "systems": {"rayon": "rayon 9"}}
LETTER = 0.52  # the width of a letter, in heights of the font
SERIAL = {"size": 7, "serial": "default"}


def pictures(page):
    for in_tag, in_markdown in PICTURE.findall(page.read_text()):
        yield in_tag or in_markdown


def records(**medians):
    """A file of records with the same ratios for each kernel of the suite; None: not measured."""
    kernels = tomllib.loads((ROOT / "bench/suites/overview.toml").read_text())["kernel"]
    form = {"metric": "over_serial", "workers": 2, "variant": "default", "ok": True, "params": SERIAL}
    results = [
        {**form, "kernel": kernel["name"], "system": system, "median": median, "samples": [median] * 3}
        for kernel in kernels
        for system, median in medians.items()
        if median is not None
    ]
    return {"suite": "overview", "commit": "abc", "machine": MACHINE, "results": results}


class Pictures(unittest.TestCase):
    def test_that_are_named_are_there(self):
        for page in PAGES:
            for name in pictures(page):
                with self.subTest(page=str(page.relative_to(ROOT)), picture=name):
                    self.assertTrue((page.parent / name).is_file())

    def test_of_the_readme_are_for_light_and_for_dark(self):
        named = [pathlib.Path(name).name for name in pictures(ROOT / "README.md")]
        for theme in ("light", "dark"):
            self.assertIn(f"overview-{theme}.svg", named)

    def test_are_well_formed_and_have_text_as_text(self):
        for path in (ROOT / "docs").rglob("*.svg"):
            with self.subTest(path=str(path.relative_to(ROOT))):
                self.assertTrue(list(xml.parse(path).iter("{http://www.w3.org/2000/svg}text")))

    # Catches labels of a figure that run into those beside them.
    def test_of_the_evidence_have_labels_that_do_not_touch(self):
        for path in (ROOT / "docs/evidence/pictures").glob("*.svg"):
            lines = {}
            for text in xml.parse(path).iter("{http://www.w3.org/2000/svg}text"):
                style = text.get("style", "")
                if "text-anchor: middle" in style and text.get("transform", "").startswith("rotate(-0 "):
                    half = len(text.text or "") * float(re.search(r"font: (\d+)px", style)[1]) * LETTER / 2
                    lines.setdefault(text.get("y"), []).append((float(text.get("x")) - half, float(text.get("x")) + half))
            for line in map(sorted, lines.values()):
                with self.subTest(path=path.name):
                    self.assertTrue(all(left[1] < right[0] for left, right in zip(line, line[1:])))


class Map(unittest.TestCase):
    def test_is_that_of_the_table_of_layers(self):
        for theme in ("light", "dark"):
            drawn = (ROOT / f"docs/design/layers-{theme}.svg").read_text()
            self.assertEqual(drawn, draw_layers.draw(draw_layers.BELOW, theme), "draw it again: scripts/draw_layers.py")

    def test_has_words_for_each_folder(self):
        for folder in draw_layers.BELOW:
            self.assertTrue(draw_layers.words(folder), f"docs/design/README.md has no row for src/{folder}/")

    def test_leaves_out_arrows_that_follow_from_others(self):
        below = {"a": [], "b": ["a"], "c": ["a", "b"], "d": ["a"]}
        self.assertEqual(draw_layers.reduced(below), {"a": [], "b": ["a"], "c": ["b"], "d": ["a"]})

    def test_leads_long_arrows_through_each_row(self):
        rows, arrows = draw_layers.levels({"a": [], "x": [], "b": ["a"], "c": ["b", "x"]})
        self.assertEqual([len(row) for row in rows], [1, 2, 2])
        self.assertIn(["c", ("c", "x", 1), "x"], arrows)


class Splice(unittest.TestCase):
    def test_is_that_of_the_script(self):
        for theme in ("light", "dark"):
            drawn = (ROOT / f"docs/pictures/splice-{theme}.svg").read_text()
            self.assertEqual(drawn, draw_splice.draw(theme), "draw it again: scripts/draw_splice.py")

    # Catches: a picture of two orders that is not drawn from them, and numbers in it that are not theirs.
    def test_of_two_orders_is_drawn(self):
        for theme in ("light", "dark"):
            drawn = (ROOT / f"docs/pictures/orders-{theme}.svg").read_text()
            self.assertEqual(drawn, draw_splice.draw_orders(theme), "draw it again: scripts/draw_splice.py")
            self.assertIn("from memory 8 times", drawn)
            self.assertIn("from memory once", drawn)

    def test_shows_orders_in_which_each_part_has_its_input(self):
        for shift in (0, draw_splice.REACH):
            sweeps = draw_splice.blocks(shift)
            steps = [step for tile in draw_splice.spliced(sweeps) for step in tile]
            self.assertEqual(sorted(steps), [(sweep, part) for sweep, parts in enumerate(sweeps) for part in range(len(parts))])
            there = [0] * len(sweeps)
            for sweep, part in steps:
                first, last = sweeps[sweep][part]
                if sweep > 0:
                    self.assertGreaterEqual(there[sweep - 1], min(last + draw_splice.REACH, draw_splice.LENGTH))
                self.assertEqual(there[sweep], first)
                there[sweep] = last

    def test_shows_less_data_in_use_where_blocks_are_shifted(self):
        widths = []
        for shift in (0, draw_splice.REACH):
            sweeps = draw_splice.blocks(shift)
            tiles = draw_splice.spliced(sweeps)
            first, last = draw_splice.in_use(sweeps, tiles[len(tiles) // 2])
            widths.append(last - first)
        self.assertLess(3 * widths[1], widths[0])


class Overview(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def draw(self, *files):
        paths = [self.folder / f"{number}.json" for number in range(len(files))]
        for path, file in zip(paths, files):
            path.write_text(json.dumps(file))
        words = [sys.executable, "-B", ROOT / "bench/overview", "--out", self.folder, *paths]
        return subprocess.run(words, capture_output=True, text=True)

    def words(self, theme):
        texts = xml.parse(self.folder / f"overview-{theme}.svg").iter("{http://www.w3.org/2000/svg}text")
        return ["".join(text.itertext()) for text in texts]

    def test_shows_all_systems_and_where_sennit_loses(self):
        drawn = self.draw(records(sennit=0.6, openmp=0.5, onetbb=0.61, rayon=42.4))
        self.assertEqual(drawn.returncode, 0, drawn.stderr)
        for theme in ("light", "dark"):
            words = self.words(theme)
            kernels = words.count("Sennit")
            self.assertEqual(kernels, len(records(sennit=1)["results"]))
            for word in ("OpenMP", "oneTBB", "rayon", "0.60", "0.50", "0.61", "42", "◂ faster than Sennit"):
                self.assertEqual(words.count(word), kernels, word)
            self.assertIn("Abacus 1, 2 CPUs, 2000-01-02, abc", words)
        self.assertNotEqual(*((self.folder / f"overview-{theme}.svg").read_text() for theme in ("light", "dark")))

    def test_says_that_the_machine_was_busy(self):
        file = records(sennit=0.5, openmp=0.5, onetbb=0.6, rayon=0.6)
        file["machine"] = {**MACHINE, "load_before": 3.5}
        self.draw(file)
        self.assertTrue(any("the machine was busy before the run (load 3.5)" in words for words in self.words("light")))

    def test_marks_nothing_that_is_equal(self):
        self.draw(records(sennit=0.505, openmp=0.5, onetbb=0.6, rayon=0.6))
        self.assertNotIn("◂ faster than Sennit", self.words("light"))

    def test_takes_a_kernel_from_the_last_file_that_has_it(self):
        self.draw(records(sennit=0.5, openmp=0.5, onetbb=0.5, rayon=0.5), records(sennit=0.7, openmp=0.7, onetbb=0.7, rayon=0.7))
        self.assertIn("0.70", self.words("light"))
        self.assertNotIn("0.50", self.words("light"))

    def test_refuses_to_leave_a_system_out(self):
        drawn = self.draw(records(sennit=0.6, openmp=0.5, onetbb=None, rayon=1))
        self.assertEqual(drawn.returncode, 1)
        self.assertIn("oneTBB", drawn.stderr)
        self.assertFalse((self.folder / "overview-light.svg").exists())

    # Catches: a picture, or sentences in the README, of another run than the one that is kept.
    def test_of_the_readme_is_that_of_the_kept_run(self):
        pictures = ROOT / "docs/pictures"
        (self.folder / "overview.json").write_text((pictures / "overview.json").read_text())
        drawn = self.draw()
        self.assertEqual(drawn.returncode, 0, drawn.stderr)
        for name in ("overview-light.svg", "overview-dark.svg", "overview.json"):
            self.assertEqual((pictures / name).read_text(), (self.folder / name).read_text(), "write it again: make readme")
        runs = json.loads((pictures / "overview.json").read_text())["runs"]
        simulated = json.loads((ROOT / "docs/evidence/data/combination.simulated.json").read_text())
        said = overview.words(runs, overview.papers(simulated))
        page = " ".join((ROOT / "README.md").read_text().split())
        self.assertIn(f"<!-- made by make readme --> {said} <!-- until here -->", page, "write it again: make readme")

    def test_words_name_the_kernels_in_which_sennit_is_slower(self):
        paper = overview.Paper("loops", 1.5, 1, 2, 3, 80, "8x10")
        for openmp, expected in ((0.5, "in 7 of 8 kernels. It takes 1.20 times as long in `fib(7)`. On 80"), (0.7, "in 8 of 8 kernels. On 80")):
            file = records(sennit=0.6, openmp=0.7, onetbb=0.7, rayon=0.7)
            next(r for r in file["results"] if r["kernel"] == "fib" and r["system"] == "openmp")["median"] = openmp
            run = overview.kept(overview.panels(ROOT / "bench/suites/overview.toml", [file]), file)
            self.assertIn(expected, overview.words([run], [paper]))

    # Catches: a run on another machine that takes the place of the first one's, or words that leave one of them out.
    def test_keeps_a_run_for_each_kind_of_machine(self):
        paper = overview.Paper("loops", 1.5, 1, 2, 3, 80, "8x10")
        runs = []
        for kind, openmp in (("model 1", 0.5), ("model 2", 0.7), ("model 1", 0.7)):
            file = records(sennit=0.6, openmp=openmp, onetbb=0.7, rayon=0.7)
            file["machine"] = {**MACHINE, "kind": kind}
            run = overview.kept(overview.panels(ROOT / "bench/suites/overview.toml", [file]), file)
            runs = overview.with_run(runs, run)
        self.assertEqual([run["machine"]["kind"] for run in runs], ["model 1", "model 2"])
        said = overview.words(runs, [paper])
        self.assertIn("On 2 CPUs, Sennit is", said)
        self.assertIn("On 2 CPUs of another kind (Abacus 1, 2 CPUs, model 2), Sennit is", said)
        self.assertNotIn("as long", said)

    def test_says_which_file_is_missing(self):
        drawn = subprocess.run(
            [sys.executable, "-B", ROOT / "bench/overview", self.folder / "no.json"], capture_output=True, text=True
        )
        self.assertEqual(drawn.returncode, 1)
        self.assertIn("no.json", drawn.stderr)


if __name__ == "__main__":
    unittest.main()
