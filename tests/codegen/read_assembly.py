"""Reads the assembly of fork.cpp: read_assembly.py INCLUDE COMPILER FLAG...

Fails if the compiler computes the address of the thread's words (it could keep that across a branch, after which the
thread may be another), or if the way of a fork that meets no shut gate has a locked instruction, a fence, or a call
other than those of the two branches. What follows the unconditional end of the function (cold parts, landing pads) is
not that way.
"""

import re
import subprocess
import sys
from pathlib import Path

FORBIDDEN = {
    r"%fs:0\b(?!\()": "the thread's base address is read: it may be kept across a branch",
    r"__tls_get_addr": "thread-locals are reached by a call",
    r"@(tlsgd|tlsld|tlsdesc)": "a dynamic TLS model is used",
}
FORBIDDEN_ON_THE_WAY = {
    r"^\s*lock\b": "a locked instruction",
    r"^\s*[ml]fence\b": "a fence",
    r"^\s*xchg\w*\s.*\(": "an exchange with memory",
}


def function(assembly: str, name: str) -> list[str]:
    body = re.search(rf"^_Z\d+{name}l:[^\n]*\n(.*?)\n\s*\.size\s", assembly, re.MULTILINE | re.DOTALL)
    if body is None:
        sys.exit(f"no function {name} in the assembly")
    return [line.strip() for line in body[1].splitlines()]


def on_the_way(lines: list[str]) -> list[str]:
    """Up to the first return: the gates' jumps lead elsewhere."""
    end = next(i for i, line in enumerate(lines) if re.match(r"ret", line))
    return lines[:end]


def check(assembly: str, name: str) -> list[str]:
    lines = function(assembly, name)
    problems = [f"{why}: {line}" for line in lines for pattern, why in FORBIDDEN.items() if re.search(pattern, line)]
    way = on_the_way(lines)
    problems += [
        f"{why}: {line}" for line in way for pattern, why in FORBIDDEN_ON_THE_WAY.items() if re.search(pattern, line)
    ]
    calls = [line for line in way if re.match(r"call", line)]
    branches = [line for line in calls if re.search(r"_Z(4left|5right)l", line)]
    if len(calls) != 2 or len(branches) != 2:
        problems.append(f"the calls are not those of the branches: {calls}")
    if not any("sennit_words" in line for line in lines):
        problems.append("the words are not named: this looked at something else")
    return [f"{name}: {problem}" for problem in problems]


def main() -> None:
    include, compiler, *flags = sys.argv[1:]
    source = Path(__file__).with_name("fork.cpp")
    command = [compiler, "-std=c++20", "-DNDEBUG", *flags, f"-I{include}", "-S", "-o", "-", str(source)]
    assembly = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    problems = check(assembly, "fork_by_reference") + check(assembly, "fork_by_value")
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


main()
