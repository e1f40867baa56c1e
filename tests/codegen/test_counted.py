# SPDX-License-Identifier: Apache-2.0
"""What a step of a splice, or a node of a graph, costs in instructions: runs spliced.cpp or graphs.cpp under callgrind."""

import os
import unittest

from counted import instructions

BARS = {
    # Steps of calls that call themselves for halves, each on a stack; of those whose last calls are trees of one block; of slices.
    "spliced_steps": {"functions": 3500, "leaves": 2900, "slices": 1300},
    # Nodes of graphs that are found while they run, and of those that are built before, in their second run.
    "counted_graphs": {"chain": 240, "grid": 350, "static": 46, "tasks": 85},
}


class Instructions(unittest.TestCase):
    def test_each(self):
        program = os.environ["PROGRAM"]
        bars = BARS[os.path.basename(program)]
        each = instructions(os.environ["VALGRIND"], program)
        self.assertEqual(set(each), set(bars))
        for name, bar in bars.items():
            # Catches: rows of functions that are no longer walked as a front, which costs twice as much; anything that is done
            # again for each step; something that graphs without a feature pay for it; a chain whose nodes each meet a gate that
            # nobody opens.
            self.assertLessEqual(each[name], bar, name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
