# SPDX-License-Identifier: Apache-2.0
"""Descriptions of suites: those of the repository, what one may say, and what is said of mistakes."""

import unittest
from unittest import mock

from fake_suite import ROOT, SUITE, Folder

from driver import suite, twin  # found by way of fake_suite
from driver.measure import command, measure
from driver.records import UNITS
from driver.table import TITLES


class Suites(Folder):
    def test_each_suite_of_the_repository_can_be_read(self):
        for path in (ROOT / "bench/suites").glob("*.toml"):
            for quick in (False, True):
                chosen = suite.load(ROOT / "bench", path.stem, quick)
                self.assertTrue(all(kernel.cells for kernel in chosen.kernels))

    # Catches a metric that nobody can compute or print, which would show after minutes of measuring only.
    def test_each_metric_of_the_repository_has_a_unit_and_a_title(self):
        for path in (ROOT / "bench/suites").glob("*.toml"):
            for kernel in suite.load(ROOT / "bench", path.stem).kernels:
                for metric in kernel.metrics:
                    self.assertIn(metric, UNITS, f"{path.stem}, {kernel.name}")
                    self.assertIn(metric, TITLES, f"{path.stem}, {kernel.name}")

    # Catches a figure that stays empty, as a label or a metric in it is nobody's.
    def test_each_series_of_the_repository_is_measured(self):
        for path in (ROOT / "bench/suites").glob("*.toml"):
            chosen = suite.load(ROOT / "bench", path.stem)
            for figure in chosen.figures:
                self.assertIn(figure.metric, {metric for k in chosen.kernels for metric in k.metrics})
                for labels in figure.series.values():
                    for kernel_label in labels:
                        measured = {(s.label, w) for kernel in chosen.kernels for s, w in kernel.cells}
                        self.assertIn((kernel_label, figure.workers), measured, f"{path.stem}, {figure.name}")

    def test_variants_of_a_kernel_belong_to_the_systems_it_names(self):
        text = SUITE + 'variants = { nested = ["plain"] }\nwithout = ["slow"]\nworkers = [2]\n'
        cells = self.suite("plain", "slow", text=text).kernels[0].cells
        self.assertEqual([system.label for system, _ in cells], ["serial", "plain", "plain nested"])

    # Catches: a kernel for eight workers without the serial program, and so without an answer to compare with.
    def test_the_serial_program_has_one_worker_whatever_a_kernel_asks(self):
        cells = self.suite("plain", text=SUITE + "workers = [8]\n").kernels[0].cells
        self.assertEqual([(system.label, workers) for system, workers in cells], [("serial", 1), ("plain", 8)])

    def test_a_system_may_have_its_variants_only(self):
        text = SUITE + 'variants = { nested = ["plain"] }\nonly_variants = ["plain"]\nworkers = [1]\n'
        self.suite("plain", text=text)
        path = self.folder / "systems.toml"
        path.write_text(path.read_text() + '[[system]]\nname = "plain"\nvariant = "newer"\n')
        cells = suite.load(self.folder, "fake", True).kernels[0].cells
        self.assertEqual([system.label for system, _ in cells], ["serial", "plain nested", "plain newer"])

    def test_a_kernel_may_lack_one_variant_of_a_system(self):
        text = SUITE + 'without = ["serial other"]\n'
        other = '[[system]]\nname = "serial"\nvariant = "other"\nworkers = [1]\n'
        cells = self.suite("plain", text=text, systems=other).kernels[0].cells
        self.assertNotIn("serial other", [system.label for system, _ in cells])
        self.assertIn("serial", [system.label for system, _ in cells])

    def test_kernels_may_share_a_program_and_differ_in_input_and_work(self):
        text = SUITE + 'program = "double"\ninput = "odd"\nwork = { full = 8, quick = 5 }\n'
        text = text.replace('name = "double"', 'name = "another"')
        kernel = self.suite("plain", text=text).kernels[0]
        words = command(self.programs, kernel, kernel.cells[-1][0], 2, 20, kernel.work)
        self.assertEqual(words[0], str(self.programs / "double-plain"))
        self.assertEqual(words[words.index("--input") + 1], "odd")
        self.assertEqual(words[words.index("--work") + 1], "5")
        # Catches: a program that is the variant being asked for a variant that it does not know.
        of_compiler = suite.System("serial", variant="clang", program="serial-clang")
        self.assertNotIn("--variant", command(self.programs, kernel, of_compiler, 1, 20))
        fence = suite.System("plain", variant="fence", program="plain")
        self.assertIn("fence", command(self.programs, kernel, fence, 1, 20))
        measurement = measure(kernel, self.programs, lambda text: None)
        self.assertTrue(all(cell.ok for cell in measurement.cells))
        self.assertEqual(measurement.work, 5)

    def test_twins_only_of_the_systems_asked_for(self):
        text = SUITE.replace("quick = 20", "quick = 20, twin = 5")
        kernel = self.suite("plain", "near", text='twins = ["near"]\n' + text).kernels[0]
        measurement = measure(kernel, self.programs, lambda text: None)
        cells = [cell for cell in measurement.cells if cell.system.name in ("plain", "near")]
        counted = []

        def count(measurement, system, folder):
            counted.append(system.name)
            return 100

        with mock.patch.object(twin, "_instructions", count):
            records = twin.twins(measurement, cells, self.programs)
        self.assertEqual([record["system"] for record in records], ["near"])
        self.assertEqual(sorted(counted), ["near", "serial"])

    def test_suite_may_leave_out_systems_and_variants(self):
        text = 'without = ["slow", "plain other"]\n' + SUITE
        other = '[[system]]\nname = "plain"\nvariant = "other"\n'
        cells = self.suite("plain", "slow", text=text, systems=other).kernels[0].cells
        self.assertEqual({system.label for system, _ in cells}, {"serial", "plain"})

    # Catches: two descriptions of one kernel that drift apart; what a suite says itself being ignored.
    def test_a_kernel_may_be_that_of_another_suite(self):
        self.suite("plain")
        head = SUITE.partition("[[kernel]]")[0]
        entry = '[[kernel]]\nname = "double"\nfrom = "fake"\nvariants = { nested = ["plain"] }\n'
        path = self.folder / "suites/short.toml"
        path.write_text(head + entry)
        kernel = suite.load(self.folder, "short").kernels[0]
        self.assertEqual((kernel.about, kernel.size), ("twice its size", 21))
        self.assertIn("plain nested", [system.label for system, _ in kernel.cells])
        path.write_text(head + entry.replace("double", "triple"))
        with self.assertRaisesRegex(suite.SuiteError, "kernel 'triple' is to be taken from suite 'fake'"):
            suite.load(self.folder, "short")

    # Catches: a system that one suite needs turning up as missing in all others.
    def test_some_systems_are_only_where_they_are_named(self):
        def systems(text):
            (self.folder / "suites/fake.toml").write_text(text)
            return {system.label for system, _ in suite.load(self.folder, "fake").kernels[0].cells}

        self.suite("plain")
        path = self.folder / "systems.toml"
        path.write_text(path.read_text() + '[[system]]\nname = "rare"\nonly_where_named = true\n')
        self.assertEqual(systems(SUITE), {"serial", "plain"})
        self.assertEqual(systems(SUITE + 'with = ["rare"]\n'), {"serial", "plain", "rare"})
        everywhere = 'with = ["rare"]\n' + SUITE
        self.assertEqual(systems(everywhere), {"serial", "plain", "rare"})
        self.assertEqual(systems(everywhere + 'without = ["rare"]\n'), {"serial", "plain"})
        # Also a variant of a system that is in all suites.
        path.write_text(path.read_text() + '[[system]]\nname = "plain"\nvariant = "rare"\nonly_where_named = true\n')
        self.assertEqual(systems(SUITE), {"serial", "plain"})
        self.assertEqual(systems(SUITE + 'with = ["plain rare"]\n'), {"serial", "plain", "plain rare"})

    def test_unknown_names_are_explained(self):
        self.suite()
        with self.assertRaisesRegex(suite.SuiteError, "no suite 'fork'; there are: fake"):
            suite.load(self.folder, "fork")
        with self.assertRaisesRegex(suite.SuiteError, "no kernel 'tripel'; it has: double"):
            suite.load(self.folder, "fake", only=["tripel"])

    # Catches: a name with a mistake in it, after which a system or a variant is left out and nobody sees it.
    def test_unknown_systems_and_variants_are_explained(self):
        def refuses(text, message):
            (self.folder / "suites/fake.toml").write_text(text)
            with self.assertRaisesRegex(suite.SuiteError, message):
                suite.load(self.folder, "fake")

        self.suite("plain")
        for key in ("without", "with", "twins", "peers"):
            refuses(f'{key} = ["plane"]\n' + SUITE, f"kernel 'double': {key} names the system 'plane'; there are: plain, serial")
        refuses(SUITE + '[kernel.variants]\nlarge = ["plane"]\n', "variants.large names the system 'plane'")
        refuses(SUITE + '[kernel.tuned]\nlarge = ["plane"]\n', "tuned.large names the system 'plane'")
        refuses(SUITE + 'only_variants = ["plane"]\n', "only_variants names the system 'plane'")
        refuses(
            SUITE + '[kernel.variants]\nlarge = ["plain"]\n[kernel.plain]\nlarge = "smal"\n',
            "plain names the variant 'smal'; there are: default, large",
        )

    # Catches: a suite of this repository in which a name is wrong.
    def test_all_suites_can_be_read(self):
        for path in (ROOT / "bench/suites").glob("*.toml"):
            self.assertTrue(suite.load(ROOT / "bench", path.stem).kernels)


if __name__ == "__main__":
    unittest.main()
