"""Random C programs, each compiled as it stands and as splicec translates it, on many inputs: the results have to be the same.

run.py --programs N --inputs N [--first SEED] --splicec COMMAND --compare COMMAND --c COMPILER --cxx COMPILER --include FOLDER...
A program that is found is kept in the working directory, with its translation.
"""

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))

from program import Program  # noqa: E402

TIMEOUT = 300  # one program that takes longer hangs


class Failure(Exception):
    pass


def command(*words):
    try:
        done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        raise Failure(f"{Path(words[0]).name} takes longer than {TIMEOUT} s") from None
    if done.returncode != 0:
        raise Failure(f"{Path(words[0]).name} ended with {done.returncode}\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout


def one(options, seed, folder):
    """What the comparison says of one program."""
    files = [folder / f"{prefix}_{seed}.c" for prefix in ("plain", "spliced")]
    for file in files:
        file.write_text(Program(seed, file.name.partition("_")[0]).text())
    plain, program = files
    made = program.with_suffix(".cpp")
    files += [made, plain.with_suffix(".o"), program.with_suffix(".so")]
    command(options.splicec, program, "-o", made)
    command(options.c, "-std=gnu17", "-O1", "-w", "-fPIC", "-c", plain, "-o", files[3])
    includes = [f"-I{folder}" for folder in options.include]
    quickly = ["-std=c++20", "-O1", "-w", "-fPIC", "-shared"]
    command(options.cxx, *quickly, *includes, "-include", HERE / "noted.hpp", made, files[3], "-o", files[4])
    said = command(options.compare, files[4], 0, options.inputs)
    for file in files:
        file.unlink()
    return said.splitlines()[-1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=int, required=True)
    parser.add_argument("--inputs", type=int, required=True)
    parser.add_argument("--first", type=int, default=1)
    for name in ("--splicec", "--compare", "--c", "--cxx"):
        parser.add_argument(name, required=True)
    parser.add_argument("--include", nargs="*", default=[])
    options = parser.parse_args()
    folder = Path(f"random_{options.first}").resolve()
    folder.mkdir(exist_ok=True)
    failed = 0
    for seed in range(options.first, options.first + options.programs):
        try:
            print(f"{seed}: {one(options, seed, folder)}", flush=True)
        except Failure as error:
            failed += 1
            print(f"{seed}: {error}\nkept as {folder / f'spliced_{seed}.c'}", flush=True)
    print(f"{options.programs} programs on {options.inputs} inputs each: {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
