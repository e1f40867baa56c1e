# SPDX-License-Identifier: Apache-2.0
"""compare.py NM OBJECT LIST [--update]: whether the shared object exports what the list says.

Catches: an internal function that is exported, so that two copies of the library in one process mix; and one of the API that
is not, so that programs do not link to the shared library.
"""

import re
import subprocess
import sys

HEADING = "# Names that a shared library exports, without their parameters. Kept by compare.py --update.\n"


def exported(nm, path):
    lines = subprocess.run(
        [nm, "-DC", "--defined-only", path], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    names = set()
    for line in lines:
        kind, name = line.split(" ", 2)[1:]
        name = re.sub(r"\[abi:\w+\]", "", name.split("(")[0])
        # Instances of templates of the standard library are not the library's to hide.
        of_others = re.search(r"(^| )(std|__gnu_cxx|boost)::", name) or kind in "Wu"
        if not of_others and not name.startswith(("guard variable", "_fini", "_init")):
            names.add(name)
    return names


def main():
    nm, path, list_path = sys.argv[1:4]
    found = exported(nm, path)
    if "--update" in sys.argv:
        with open(list_path, "w") as out:
            out.write(HEADING + "".join(name + "\n" for name in sorted(found)))
        return
    with open(list_path) as lines:
        listed = {line.strip() for line in lines if not line.startswith("#")}
    for name in sorted(found - listed):
        print(f"exported, but not in the list: {name}")
    for name in sorted(listed - found):
        print(f"in the list, but not exported (SENNIT_EXPORT is missing): {name}")
    if found != listed:
        sys.exit(f"if that is meant: {sys.argv[0]} NM OBJECT {list_path} --update")


main()
