#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""spdx.py --check | --write: each file of code says under which license it is, in one line at its top.

`--check` lists the files whose first lines have no such line, and fails if there are any. `--write` adds it to them. Pages, data,
and files whose format has no comments are under LICENSE without saying so.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
LICENSE = "SPDX-License-Identifier: Apache-2.0"
COMMENTS = {
    "//": {".hpp", ".cpp", ".h", ".c", ".cu", ".go", ".js", ".rs", ".pml"},
    "#": {".py", ".sh", ".cmake", ".in", ".toml"},
}
NAMES = {"CMakeLists.txt": "#", "Makefile": "#", "Dockerfile": "#", ".clang-format": "#", ".clang-tidy": "#"}
# What has to come first: which program runs the file, and what it is encoded in.
FIRST = re.compile(r"#!|# -\*- coding|%YAML")


def comment(path, text):
    """What begins a comment in this file; None: the file needs no line."""
    if path.name in NAMES:
        return NAMES[path.name]
    for sign, suffixes in COMMENTS.items():
        if path.suffix in suffixes:
            return sign
    if text.startswith("#!"):
        return "#"
    return None


def tracked():
    """The files of the project, with their texts; data that are no text are left out."""
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True, capture_output=True, text=True,
    ).stdout.split("\0")
    for name in filter(None, listed):
        path = ROOT / name
        if path.is_file() and not path.is_symlink():
            try:
                yield path, path.read_text()
            except UnicodeDecodeError:
                continue


def says_so(text):
    return any(LICENSE in line for line in text.split("\n", 3)[:3])


def missing():
    for path, text in tracked():
        sign = comment(path, text)
        if sign and text and not says_so(text):
            yield path, text, sign


def with_line(text, sign):
    lines = text.split("\n")
    at = 1 if FIRST.match(lines[0]) else 0
    return "\n".join([*lines[:at], f"{sign} {LICENSE}", *lines[at:]])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", action="store_true")
    what.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    found = list(missing())
    for path, text, sign in found:
        if arguments.write:
            path.write_text(with_line(text, sign))
        else:
            print(f"{path.relative_to(ROOT)}: its first three lines have no '{sign} {LICENSE}'")
    if found and arguments.check:
        sys.exit("scripts/spdx.py --write adds the line")


if __name__ == "__main__":
    main()
