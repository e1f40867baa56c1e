"""Counts instructions with callgrind: count_instructions.py VALGRIND PROGRAM MOST.

A fork may cost at most MOST instructions beyond the plain call, and not one more inside a region that can be cancelled.
The counts are exact: they depend on the program alone.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

FORKS = 10945  # calls of fib(20) with n >= 2


def instructions(valgrind: str, program: str, *arguments: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        command = [valgrind, "--tool=callgrind", f"--callgrind-out-file={Path(folder, 'out')}", program, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


def main() -> None:
    valgrind, program, most = sys.argv[1], sys.argv[2], float(sys.argv[3])
    nothing = instructions(valgrind, program, "nothing")
    called = instructions(valgrind, program, "called") - nothing
    forked = instructions(valgrind, program, "forked") - nothing
    featured = instructions(valgrind, program, "forked", "featured") - instructions(
        valgrind, program, "nothing", "featured"
    )
    beyond = (forked - called) / FORKS
    print(f"two plain calls: {called / FORKS:.1f} instructions, forked: {forked / FORKS:.1f}, beyond: {beyond:.1f}")
    print(f"in a region that can be cancelled: {(featured - called) / FORKS:.1f} beyond")
    if called < 10 * FORKS:
        sys.exit("the baseline is no recursion any more")
    if beyond > most:
        sys.exit(f"a fork costs {beyond:.1f} instructions beyond the plain call, more than {most}")
    if abs(featured - forked) > FORKS // 100:
        sys.exit("a region around it makes a fork dearer")


main()
