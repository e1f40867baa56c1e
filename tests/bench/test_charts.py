# SPDX-License-Identifier: Apache-2.0
"""The pictures that the driver draws of figures."""

import contextlib
import io
import unittest
import xml.etree.ElementTree as xml
from unittest import mock

from fake_suite import SUITE, Folder

from driver import charts, suite  # found by way of fake_suite
from driver.main import main


FIGURE = """
[[figure]]
name = "figure"
title = "Double & more"
axis = "time over serial (ratio)"
metric = "over_serial"
workers = 2
[figure.series]
ours = ["counting", "counting twice"]
theirs = ["slow"]
broken = ["crashing"]
"""


def words_of(picture):
    return [text.text for text in xml.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")]


class Charts(Folder):
    def record(self, kernel="a", system="x", **more):
        samples = more.pop("samples", [1.0, 2.0, 4.0])
        form = {"variant": "default", "workers": 1, "metric": "over_serial", "ok": True, "params": {"size": 7}}
        median = sorted(samples)[len(samples) // 2] if samples else None
        return {**form, "kernel": kernel, "system": system, "samples": samples, "median": median, **more}

    def figure(self, **more):
        series = {"one": ["x", "x nested"], "two": ["y"]}
        form = {"name": "f", "title": "F", "axis": "ratio", "metric": "over_serial", "workers": 1}
        return suite.Figure(**{**form, "series": series, **more})

    def draw(self, results, **more):
        return charts.draw(self.figure(**more), {"cpu": "fast", "cpus": 2, "systems": {}}, "abc", results)

    # Catches: a figure that only the table's tests would have noticed, a failure that looks like a gap or is left out.
    def test_files_are_written_with_what_failed_and_what_is_missing(self):
        text = SUITE.replace("[[kernel]]", FIGURE + "[[kernel]]")
        self.run_main("counting", "crashing", text=text)
        picture = (self.folder / "out/fake-figure.svg").read_text()
        words = words_of(picture)
        self.assertIn("Double & more", words)
        self.assertIn("time over serial (ratio)", words)
        self.assertIn("failed", words)
        self.assertIn("1.000", words)
        self.assertIn("size 20", words)
        self.assertTrue(any("2 workers" in line and "serial: python" in line for line in words))

    def test_pictures_can_be_drawn_again_without_measuring(self):
        text = SUITE.replace("[[kernel]]", FIGURE + "[[kernel]]")
        self.run_main("counting", text=text)
        path = self.folder / "out/fake-figure.svg"
        before = path.read_text()
        path.unlink()
        for program in self.programs.iterdir():
            program.unlink()
        self.assertEqual(self.run_bench("--draw")[0], 0)
        self.assertEqual(path.read_text(), before)
        (self.folder / "out/fake.json").write_text('{"results": []}')
        self.assertEqual(self.run_bench("--draw")[0], 2)

    # Catches: the figures of half a suite in the place of the whole one's.
    def test_a_part_of_a_suite_writes_files_only_where_it_is_told_to(self):
        self.suite("plain")
        somewhere = self.folder / "default"
        words = ["fake", "--quick", "--programs", str(self.programs), "--suites", str(self.folder)]
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            with mock.patch("driver.main.OUT", somewhere):
                main([*words, "--kernel", "double"])
                self.assertFalse(somewhere.exists())
                main([*words, "--kernel", "double", "--out", str(self.folder / "out")])
        self.assertTrue((self.folder / "out/fake.json").exists())

    def test_the_first_label_of_a_series_that_a_kernel_has(self):
        results = [
            self.record("a", variant="nested", samples=[3.0]),
            self.record("b", variant="nested", samples=[3.0]),
            self.record("b", samples=[2.0]),
            self.record("b", workers=2, samples=[9.0]),
            self.record("b", metric="seconds", samples=[9.0]),
        ]
        cells = charts.select(self.figure(), results)
        self.assertEqual({key: cell["value"] for key, cell in cells.items()}, {("a", "one"): 3, ("b", "one"): 2})

    # Catches: speedups as their own reciprocals, or with their ends the wrong way round.
    def test_speedups_out_of_ratios(self):
        cell = charts.select(self.figure(inverse=True), [self.record(samples=[0.5, 0.5, 1.0])])["a", "one"]
        self.assertEqual(cell["value"], 2)
        self.assertLess(cell["low"], cell["value"])
        self.assertGreaterEqual(cell["high"], cell["value"])

    # Catches: a mean over fewer kernels than another's that passes for one over all.
    def test_means_say_of_how_many_kernels_they_are(self):
        results = [self.record(kernel, samples=[value]) for kernel, value in (("a", 1.0), ("b", 4.0), ("c", 2.0))]
        results += [self.record(kernel, "y", samples=[value]) for kernel, value in (("a", 3.0), ("b", 3.0))]
        results += [self.record("c", "y", samples=[], ok=False, error="died")]
        words = words_of(self.draw(results))
        self.assertEqual(words.count("2.00"), 2)  # of c, and the mean
        self.assertIn("3.00 (of 2)", words)
        self.assertIn("failed", words)

    def test_nothing_measured_is_no_picture(self):
        self.assertIsNone(self.draw([]))
        self.assertIsNone(self.draw([self.record(ok=False, error="died", samples=[])]))

    # Catches: marks beside the axis, or 1 not on it, or so many ticks that nobody can read them.
    def test_all_values_are_on_the_axis(self):
        for values in ([1.0], [0.999, 1.001], [0.5, 1.9], [0.98, 44.0, 153.4], [1e-3, 1e6], [2.0, 3.0], [100, 101]):
            axis = charts.Axis(values)
            places = [axis.place(value) for value in (*values, 1)]
            self.assertGreaterEqual(min(places), charts.LEFT - 1e-6)
            self.assertLessEqual(max(places), charts.LEFT + charts.PLOT + 1e-6)
            self.assertIn(len(axis.ticks), range(2, 13), values)
            self.assertEqual(len({f"{tick:g}" for tick in axis.ticks}), len(axis.ticks))

    # Catches a color that a dark page swallows.
    def test_colors_for_light_and_for_dark(self):
        picture = self.draw([self.record()])
        light, _, dark = picture.partition("@media (prefers-color-scheme: dark)")
        for rule in (".ground", ".quiet", ".one", ".failed", ".number", ".s0", ".s5", "line", "text"):
            self.assertRegex(light, rf"{rule} \{{.*(fill|stroke):")
            self.assertRegex(dark, rf"{rule} \{{.*(fill|stroke):")

    def test_a_figure_that_makes_no_sense_is_explained(self):
        with self.assertRaisesRegex(suite.SuiteError, "figure 'figure'.*hue"):
            self.suite(text=SUITE.replace("[[kernel]]", FIGURE.replace("axis", "hue") + "[[kernel]]"))
        series = "".join(f'"{i}" = ["x"]\n' for i in range(7))
        with self.assertRaisesRegex(suite.SuiteError, "more than 6 series"):
            text = SUITE.replace("[[kernel]]", FIGURE + series + "[[kernel]]")
            (self.folder / "suites/fake.toml").write_text(text)
            suite.load(self.folder, "fake")


if __name__ == "__main__":
    unittest.main()
