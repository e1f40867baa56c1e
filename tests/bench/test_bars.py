# SPDX-License-Identifier: Apache-2.0
"""What others come to if they are tuned by hand, and the bars that a suite sets."""

import unittest

from fake_suite import SUITE, Folder


class Tuned(Folder):
    TEXT = (
        'peers = ["counting", "slow"]\n'
        + SUITE.replace('"ns_per_fork"', '"over_best"')
        + '[kernel.variants]\ntwice = ["counting"]\n[kernel.tuned]\nhalf = ["counting"]\nthird = ["slow"]\n'
    )

    # Catches: a ratio to a peer that was slower, to one of other workers, or to ourselves.
    def test_over_the_fastest_peer(self):
        _, table, file = self.run_main("sennit", "counting", "slow", text=self.TEXT)
        ratios = {(r["system"], r["workers"]): r for r in file["results"] if r["metric"] == "over_best"}
        self.assertEqual(set(ratios), {("sennit", 2)})
        self.assertEqual(ratios["sennit", 2]["params"]["best"], "counting half")
        self.assertAlmostEqual(ratios["sennit", 2]["median"], 2, places=2)
        self.assertIn("double, 2w: counting half", table)

    # Catches: what was tried by hand in the tables of what one gets without trying.
    def test_what_is_tuned_is_compared_with_and_nothing_else(self):
        cells = self.suite("counting", "slow", text=self.TEXT).kernels[0].cells
        tuned = [(system.label, workers) for system, workers in cells if system.tuned]
        self.assertEqual(tuned, [("counting half", 2), ("slow third", 2)])
        _, file = self.run_bench()[1:]
        self.assertEqual({r["metric"] for r in file["results"] if r["variant"] == "half"}, {"seconds"})


class Bars(Folder):
    TEXT = Tuned.TEXT + "[bars]\nover_serial = { 1 = 1.5, 2 = 0.55 }\nover_best = 2.5\nmean_over_best = 0.9\n"

    # Catches: a bar that was missed and is not named, and one that is named although it was met.
    def test_a_kernel_beyond_a_bar_is_named(self):
        table = self.run_main("sennit", "counting", "slow", text=self.TEXT)[1].partition("sennit and the suite's bars")[2]
        row = next(line for line in table.splitlines() if line.startswith("double"))
        self.assertEqual(row.split(), ["double", "10.002", "1.000", "1.000", "counting", "half", "2.000", "P2", ">", "0.55"])
        self.assertIn("1 kernels: 2.000, at most 0.9 is asked", table)
        self.assertIn("Kernels beyond a bar: 1 of 1", table)

    # Catches: the suite's bars where a kernel has its own.
    def test_a_kernel_may_have_bars_of_its_own(self):
        text = self.TEXT.replace('about = "twice its size"', 'about = "twice"\nbars = { over_serial = {}, over_best = 1.05 }')
        self.suite("sennit", "counting", "slow", text=text)
        self.assertRegex(self.run_bench()[1], r"2\.000 +peer > 1\.05")

    # Catches: a table without rows in suites that ask for nothing.
    def test_a_suite_without_bars_has_no_such_table(self):
        self.assertNotIn("bars", self.run_main("sennit", "counting")[1])


if __name__ == "__main__":
    unittest.main()
