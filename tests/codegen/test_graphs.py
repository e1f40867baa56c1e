"""What a node of a graph costs, in instructions: runs graphs.cpp under callgrind."""

import os
import unittest

from counted import instructions

# Of graphs that are found while they run, and of those that are built before, in their second run.
BARS = {"chain": 240, "grid": 350, "static": 46, "tasks": 85}


class Instructions(unittest.TestCase):
    def test_nodes(self):
        each = instructions(os.environ["VALGRIND"], os.environ["PROGRAM"])
        self.assertEqual(set(each), set(BARS))
        for name, bar in BARS.items():
            # Catches: something that graphs without a feature pay for it; a chain whose nodes each meet a gate that nobody opens.
            self.assertLessEqual(each[name], bar, name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
