# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of the report."""

import random
from statistics import median

NEAR_ONE = 0.02


def near_one(ratio):
    return abs(ratio - 1) <= NEAR_ONE


def ratio_interval(samples, base, resamples=2000, confidence=0.95):
    """Bootstrap interval for median(samples) / median(base); the same samples give the same interval."""
    chance = random.Random(20)
    ratios = sorted(
        median(chance.choices(samples, k=len(samples))) / median(chance.choices(base, k=len(base)))
        for _ in range(resamples)
    )
    cut = int(resamples * (1 - confidence) / 2)
    return [ratios[cut], ratios[-1 - cut]]
