"""What a step of a splice costs, in instructions: runs spliced.cpp under callgrind."""

import os
import unittest

from counted import instructions

# Of calls that call themselves for halves, each on a stack; of those whose last calls are trees of one block; of slices.
BARS = {"functions": 3500, "leaves": 2900, "slices": 1300}


class Instructions(unittest.TestCase):
    def test_steps(self):
        each = instructions(os.environ["VALGRIND"], os.environ["PROGRAM"])
        self.assertEqual(set(each), set(BARS))
        for name, bar in BARS.items():
            # Catches: rows of functions that are no longer walked as a front, which costs twice as much; and anything that is done
            # again for each step.
            self.assertLessEqual(each[name], bar, name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
