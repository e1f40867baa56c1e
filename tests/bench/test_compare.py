# SPDX-License-Identifier: Apache-2.0
"""What bench/compare-builds promises: which build is slower, and that a wrong or dying one is named."""

import unittest

from fake_suite import Folder

from driver import compare  # found by way of fake_suite


class Compared(Folder):
    """Catches a comparison of two builds that takes one for the other, or does not see that one is slower or wrong."""

    def pairs(self, behavior):
        kernel = self.suite("sennit", behavior).kernels[0]
        after = self.folder / "after"
        after.mkdir()
        program = after / "double-sennit"
        program.write_text(f'#!/bin/sh\nexec {self.programs}/double-{behavior} "$@"\n')
        program.chmod(0o755)
        return compare.compare(kernel, self.programs, after, 2, lambda text: None)

    def test_a_slower_build_has_a_ratio_above_one(self):
        pairs = self.pairs("slow")
        self.assertEqual([pair.label for pair in pairs], ["sennit, 1 worker", "sennit, 2 workers"])
        for pair in pairs:
            self.assertIsNone(pair.error)
            self.assertEqual(len(pair.before), 4)
            self.assertEqual(len(pair.after), 4)
            self.assertAlmostEqual(pair.ratio, 2, places=2)
        self.assertIn("geometric mean of 2", compare.table(pairs))

    def test_a_build_with_another_answer_is_no_pair(self):
        for pair in self.pairs("wrong"):
            self.assertIn("the builds differ", pair.error)

    def test_a_build_that_dies_is_named(self):
        for pair in self.pairs("crashing"):
            self.assertIn("after: died of SIGSEGV", pair.error)

    def test_the_mean_is_geometric(self):
        self.assertAlmostEqual(compare.geometric_mean([0.5, 2]), 1)


if __name__ == "__main__":
    unittest.main()
