# SPDX-License-Identifier: Apache-2.0
"""What a trace costs in instructions: a fork without it, and forks under it all of which but a few are too brief to be told."""

import os
import unittest
from unittest import mock

from counted import instructions

# With the function that forks. What depends on the time is an average: which forks are told.
UNTRACED = 54
TRACED = 75


class Instructions(unittest.TestCase):
    def test_each(self):
        program, valgrind = os.environ["PROGRAM"], os.environ["VALGRIND"]
        with mock.patch.dict(os.environ, {"SENNIT_WORKERS": "1"}):
            os.environ.pop("SENNIT_TRACE", None)
            untraced = instructions(valgrind, program)
            with mock.patch.dict(os.environ, {"SENNIT_TRACE": os.devnull}):
                traced = instructions(valgrind, program)
        # Catches: a fork that asks whether it is traced.
        self.assertLessEqual(untraced["fork"], UNTRACED)
        # Catches: brief forks each of which comes to the tracer.
        self.assertLessEqual(traced["fork"], TRACED)


if __name__ == "__main__":
    unittest.main(verbosity=2)
