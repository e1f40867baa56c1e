# SPDX-License-Identifier: Apache-2.0
"""Writes each C++ program of the documentation to a file: extract.py FOLDER FILE...

A file is a Markdown page or a header. Of a page, every block with a main() counts; of a header, every comment
"Example:", made a program's part by including that header alone. What is in C stays C: sennit.h, and of a
page what includes it.

Prints, for each, a line "PATH<tab>EXPECTED", where EXPECTED is a regular expression for the output, made from the
comments behind the lines that print ("// 42"; of "always X" only X counts).
"""

import re
import sys
from pathlib import Path


def programs(page: Path) -> list[tuple[str, str]]:
    """(the language, the program)"""
    blocks = re.findall(r"^```(cpp|c)\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    return [(kind, text) for kind, text in blocks if "int main(" in text and (kind == "cpp" or "#include <sennit.h>" in text)]


def examples(header: Path) -> list[str]:
    blocks = re.findall(r"^ *// Example:\n((?: *//(?:   .*)?\n)+)", header.read_text(), re.MULTILINE)
    if header.suffix == ".h":
        include = f"#include <{header.name}>\n"
    else:
        name = header.as_posix().rpartition("include/sennit/")[2]
        include = f"#include <sennit/{name}>\n"
    return [include + re.sub(r"^ *//(?:   )?", "", block, flags=re.MULTILINE) for block in blocks]


def expected(program: str) -> str:
    notes = re.findall(r"(?:printf|puts)\(.*?\)\s*;\s*}?\s*//\s*(.+)$", program, re.MULTILINE)
    escaped = (re.sub(r"([][().*+?^$|\\{}])", r"\\\1", note.removeprefix("always ").strip('"')) for note in notes)
    return ".*".join(escaped)


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for file in map(Path, sys.argv[2:]):
        if file.suffix == ".md":
            found = programs(file)
        else:
            found = [("cpp" if file.suffix == ".hpp" else "c", example) for example in examples(file)]
        # Headers of two folders may have one name.
        name = file.stem.lower() if file.parent.name != "algorithm" else f"algorithm_{file.stem}"
        for number, (language, program) in enumerate(found, 1):
            path = folder / f"{name}_{number}.{language}"
            if not path.exists() or path.read_text() != program:
                path.write_text(program)
            print(f"{path}\t{expected(program)}")


if __name__ == "__main__":
    main()
