"""What a step of a splice costs, in instructions: runs spliced.cpp under callgrind."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["PROGRAM"]
VALGRIND = os.environ["VALGRIND"]
# Of calls that call themselves for halves, each on a stack; of those whose last calls are trees of one block; of slices.
BARS = {"functions": 3500, "leaves": 2900, "slices": 1300}


class Instructions(unittest.TestCase):
    def test_steps(self):
        with tempfile.TemporaryDirectory() as directory:
            command = [VALGRIND, "--tool=callgrind", f"--callgrind-out-file={directory}/out", PROGRAM]
            run = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            steps = {name: int(n) for name, n in (line.split() for line in run.stdout.splitlines())}
            self.assertEqual(set(steps), set(BARS))
            for file in Path(directory).iterdir():
                text = file.read_text()
                name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.MULTILINE)
                if not name:
                    continue
                each = int(re.search(r"^(?:summary|totals): (\d+)$", text, re.MULTILINE)[1]) / steps[name[1]]
                print(f"{name[1]}: {each:.0f} instructions a step", file=sys.stderr)
                # Catches: rows of functions that are no longer walked as a front, which costs twice as much; and anything that
                # is done again for each step.
                self.assertLessEqual(each, BARS[name[1]], name[1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
