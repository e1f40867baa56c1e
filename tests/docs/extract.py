"""Writes each C++ program of the Markdown pages to a file: extract.py FOLDER PAGE...

Prints, for each, a line "PATH<tab>EXPECTED", where EXPECTED is a regular expression for the output, made from the
comments behind the lines that print ("// 42"; of "always X" only X counts). A block without main() is skipped.
"""

import re
import sys
from pathlib import Path


def programs(page: Path):
    blocks = re.findall(r"^```cpp\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    return [block for block in blocks if "int main(" in block]


def expected(program: str) -> str:
    notes = re.findall(r"(?:printf|puts)\(.*?\)\s*;\s*}?\s*//\s*(.+)$", program, re.MULTILINE)
    return ".*".join(re.sub(r"([][().*+?^$|\\{}])", r"\\\1", note.removeprefix("always ").strip('"')) for note in notes)


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for page in map(Path, sys.argv[2:]):
        for number, program in enumerate(programs(page), 1):
            path = folder / f"{page.stem.lower()}_{number}.cpp"
            if not path.exists() or path.read_text() != program:
                path.write_text(program)
            print(f"{path}\t{expected(program)}")


main()
