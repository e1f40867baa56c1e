# SPDX-License-Identifier: Apache-2.0
"""The instructions that a program takes between its marks, for each of what it says that it did there."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path


def instructions(valgrind, program):
    """The program prints a line for each mark: its name, and how often something was done. Each mark ends with a dump."""
    with tempfile.TemporaryDirectory() as directory:
        command = [valgrind, "--tool=callgrind", f"--callgrind-out-file={directory}/out", program]
        run = subprocess.run(command, capture_output=True, text=True)
        assert run.returncode == 0, run.stdout + run.stderr
        times = {name: int(n) for name, n in (line.split() for line in run.stdout.splitlines())}
        each = {}
        for file in Path(directory).iterdir():
            text = file.read_text()
            name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.MULTILINE)
            if name:
                total = int(re.search(r"^(?:summary|totals): (\d+)$", text, re.MULTILINE)[1])
                each[name[1]] = each.get(name[1], 0) + total / times[name[1]]
    for name, count in each.items():
        print(f"{name}: {count:.1f} instructions", file=sys.stderr)
    return each
