# SPDX-License-Identifier: Apache-2.0
"""Ratios and their intervals: honest arithmetic."""

import unittest

import fake_suite  # noqa: F401
from driver import figures


class Figures(unittest.TestCase):
    def test_interval_of_equal_samples_is_a_point(self):
        self.assertEqual(figures.ratio_interval([2.0] * 5, [2.0] * 5), [1.0, 1.0])

    def test_interval_covers_the_ratio_and_widens_with_noise(self):
        calm = figures.ratio_interval([1.00, 1.01, 0.99, 1.00, 1.01], [1.0] * 5)
        noisy = figures.ratio_interval([1.0, 1.2, 0.8, 1.1, 0.9], [1.0] * 5)
        self.assertLessEqual(calm[0], 1.0)
        self.assertGreaterEqual(calm[1], 1.0)
        self.assertGreater(noisy[1] - noisy[0], calm[1] - calm[0])

    def test_interval_is_reproducible(self):
        samples = [1.0, 1.1, 0.95, 1.02]
        self.assertEqual(figures.ratio_interval(samples, samples), figures.ratio_interval(samples, samples))

    def test_near_one_is_two_percent(self):
        self.assertTrue(figures.near_one(0.981) and figures.near_one(1.019))
        self.assertFalse(figures.near_one(0.979) or figures.near_one(1.021))


if __name__ == "__main__":
    unittest.main()
