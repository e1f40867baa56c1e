"""docs/evidence: each figure and table of the papers that the pages promise has its section, and all that it shows is kept.

Catches: a figure that has been left out; a page or a picture that is not of the kept numbers; a claim of agreement without a
number; a link to nothing; a measurement that does not say whether the machine was at rest."""

import pathlib
import re
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs/evidence"
sys.path.insert(0, str(ROOT / "scripts/evidence"))

import figures  # noqa: E402
import kept  # noqa: E402
import make  # noqa: E402
import measure  # noqa: E402
import pages  # noqa: E402
import plots  # noqa: E402

PROMISED = {
    "000": ["Figure 7", "Table 2", "Table 3", "Table 4"],
    "001": ["Figure 4-1", "Table 4.1", *(f"Figure 5-{n}" for n in range(3, 11))],
    "002": [*(f"Figure {n}" for n in range(6, 10)), "Table II", "Table III"],
    "003": [*(f"Figure {n}" for n in range(6, 12)), "Figure 13", "Figure 14"],
    "004": ["Figure 2a", "Figure 2b", "Figure 2c", *(f"Figure {n}" for n in range(3, 8)), "Steal-tree sizes"],
}


def of_paper(paper):
    known = kept.Kept(paper)
    return known, make.MODULES[paper].figures(known)


class Figures(unittest.TestCase):
    # Catches: a figure of the papers without a section.
    def test_promised_are_there(self):
        for paper, names in PROMISED.items():
            self.assertEqual([figure.name for figure in of_paper(paper)[1]], names, paper)

    # Catches: a section that shows nothing and does not say why; one that nobody can make again.
    def test_have_numbers_or_a_reason_and_a_command(self):
        for paper in PROMISED:
            for figure in of_paper(paper)[1]:
                with self.subTest(paper=paper, figure=figure.name):
                    self.assertTrue(figure.claims and all(claim.where for claim in figure.claims))
                    known = any(claim.ours is not None for claim in figure.claims)
                    self.assertTrue(known or figure.not_reproduced(), "nothing of ours, and no reason")
                    self.assertTrue(figure.commands)
                    self.assertTrue(pages.agreement(figure, of_paper(paper)[0]).endswith("."))

    # Catches: a command that names a measurement or simulation that does not exist.
    def test_name_measurements_that_exist(self):
        sources = "".join(path.read_text() for path in (ROOT / "sim/evidence").glob("*.cpp"))
        for paper in PROMISED:
            runs = make.MODULES[paper].RUNS
            for figure in of_paper(paper)[1]:
                for command in figure.commands:
                    found = re.fullmatch(r"make evidence (MEASURE|SIMULATE)=1 ONLY=(\d{3})/([\w-]+)", command)
                    if not found:
                        continue
                    with self.subTest(command=command):
                        if found[1] == "MEASURE":
                            self.assertIn(found[3], make.MODULES[found[2]].RUNS)
                        else:
                            self.assertIn(f'"{found[2]}/{found[3]}"', sources)
                self.assertLessEqual(set(figure.runs), set(runs))

    # Catches: a suite or a kernel that the benchmarks have renamed.
    def test_measure_kernels_that_the_suites_have(self):
        for paper in PROMISED:
            for name, run in make.MODULES[paper].RUNS.items():
                if isinstance(run, measure.Suite):
                    text = (ROOT / f"bench/suites/{run.suite}.toml").read_text()
                    for kernel in run.kernels:
                        with self.subTest(run=f"{paper}/{name}", kernel=kernel):
                            self.assertIn(f'name = "{kernel}"', text)


class Pages(unittest.TestCase):
    # Catches: a page that was edited by hand, or not made again after its numbers have changed.
    def test_are_made_of_the_kept_numbers(self):
        texts, _ = make.contents()
        for name, text in texts.items():
            self.assertEqual((PAGES / name).read_text(), text, f"{name}: run make evidence")

    # Catches: a picture that is missing, left over, or not readable as text.
    def test_have_their_pictures_for_light_and_dark(self):
        _, pictures = make.contents()
        wanted = {f"{name}-{theme}.svg" for name in pictures for theme in plots.THEMES}
        self.assertEqual({path.name for path in (PAGES / "pictures").glob("*.svg")}, wanted)

    # Catches: a picture of other numbers.
    @unittest.skipUnless(plots.version() == plots.MATPLOTLIB, f"pictures are of matplotlib {plots.MATPLOTLIB}")
    def test_have_pictures_of_the_kept_numbers(self):
        _, pictures = make.contents()
        for name, plot in pictures.items():
            for theme in plots.THEMES:
                kept_text = (PAGES / f"pictures/{name}-{theme}.svg").read_text()
                self.assertEqual(kept_text, plots.draw(plot, theme), f"{name}: run make evidence")

    # Catches: a link to nothing.
    def test_lead_to_files_and_sections(self):
        for page in PAGES.glob("*.md"):
            text = page.read_text()
            links = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'(?:src|srcset)="([^"]+)"', text)
            for link in links:
                path, _, anchor = link.partition("#")
                with self.subTest(page=page.name, link=link):
                    self.assertTrue((PAGES / path).exists())
                    if anchor and path.endswith(".md") and "/" not in path:
                        headings = re.findall(r"^## (.+)$", (PAGES / path).read_text(), re.MULTILINE)
                        self.assertIn(anchor, [pages.anchor(heading) for heading in headings])

    # Catches: an agreement that is claimed of nothing.
    def test_say_open_where_nothing_is_known(self):
        index = (PAGES / "README.md").read_text()
        for paper in PROMISED:
            known, shown = of_paper(paper)
            for figure in shown:
                row = next(line for line in index.splitlines() if f"({paper}.md#{pages.anchor(figure.name)})" in line)
                nothing = figure.how() == figures.MISSING or pages.doubtful(figure, known) or figure.index_word() == "open"
                self.assertEqual(row.endswith("| open |"), nothing, row)


class Numbers(unittest.TestCase):
    # Catches: a measurement of which nobody knows where, when and how quietly it was taken.
    def test_say_where_they_are_from(self):
        for paper in PROMISED:
            for name, run in kept.read(paper, "measured").items():
                with self.subTest(run=f"{paper}/{name}"):
                    for key in ("command", "date", "cpu", "cpus", "quick", "quiet", "records"):
                        self.assertIn(key, run)
            for name, run in kept.read(paper, "simulated").items():
                self.assertIn("machine", run, f"{paper}/{name}")

    # Catches: a transcription that has lost a row.
    def test_of_the_papers_are_whole(self):
        misses = kept.read("000", "paper")["table-3"]["programs"]
        self.assertEqual(len(misses), 8)
        self.assertEqual(misses["jacobi-2d"]["splice"]["l3_misses"], 4_000_000)
        grains = kept.read("001", "paper")["table-4-1"]["grains"]
        self.assertEqual({len(times) for of in grains.values() for ways in of.values() for times in ways.values()}, {14})
        self.assertEqual(grains["64"]["1"]["dac"]["prange"], 22.018)
        for table in ("table-2", "table-3"):
            self.assertEqual({len(row) for row in kept.read("002", "paper")[table]["workers"].values()}, {10})

    # Catches: a median in place of the least sample where the machine was busy, and the other way round.
    def test_of_a_busy_machine_are_the_least(self):
        known = kept.Kept("004")
        record = ["fib", "sennit", "default", "seconds", 2, 3.0, 2.0]
        for quiet, expected in ((True, 3.0), (False, 2.0)):
            known.measured = {"run": {"quiet": quiet, "records": [record]}}
            self.assertEqual(known.median("run", "fib", "sennit", "seconds", 2), expected)

    # Catches: a word of agreement that the numbers do not bear out.
    def test_are_compared(self):
        def word(theirs, ours):
            return figures.Claim("", theirs, "", ours).word()

        self.assertEqual(word(2.0, 2.4), "within 25%")
        self.assertEqual(word(2.0, 2.6), "1.3 of it")
        self.assertEqual(word(0.0, 0.9), "differs")
        self.assertEqual(word("words", 1.0), "")
        self.assertEqual(word(2.0, None), "")

        def verdict(*pairs):
            return figures.verdict([figures.Claim("", theirs, "", ours) for theirs, ours in pairs])

        self.assertEqual(verdict((2.0, 2.1), (0.5, 0.5)), "agrees")
        self.assertEqual(verdict((2.0, 4.0), (2.0, 0.9)), "partly")
        self.assertEqual(verdict((2.0, 0.9)), "differs")
        self.assertEqual(verdict((2.0, None), ("words", 1.0)), "open")


class Drawing(unittest.TestCase):
    @unittest.skipUnless(plots.version(), "Python has no matplotlib")
    def test_is_the_same_twice(self):
        plot = figures.Lines("name", "title", "x", "y", {"a": [(1, 1.0), (2, 1.5)]}, log_x=True)
        self.assertEqual(plots.draw(plot, "light"), plots.draw(plot, "light"))
        self.assertNotEqual(plots.draw(plot, "light"), plots.draw(plot, "dark"))

    # Catches: pages that need matplotlib.
    def test_of_pages_needs_no_matplotlib(self):
        script = f"import sys; sys.modules['matplotlib'] = None; sys.path.insert(0, {str(ROOT / 'scripts/evidence')!r}); import make; make.contents()"
        done = subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
