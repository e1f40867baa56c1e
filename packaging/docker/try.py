#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""try.py: runs the steps of the Dockerfile beside it in clean roots that mmdebstrap makes, and its command at the end; then builds and
runs a program of examples/ in the image. Takes root's rights, and a network for Debian's packages.

It knows what this Dockerfile uses: FROM debian:SUITE, COPY, WORKDIR, RUN, CMD. The context is the last commit.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
COMMANDS = ["rollforward", "sennit", "sennit-splicec", "tpal"]


def steps(text):
    """(instruction, rest) of each line of a Dockerfile; lines that end with a backslash go on."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        if line.strip():
            word, _, rest = line.strip().partition(" ")
            yield word, rest.strip()


class Stage:
    def __init__(self, root, suite):
        self.root, self.folder, self.command = root, "/", []
        print(f"try: a clean root of Debian {suite}", flush=True)
        subprocess.run(["mmdebstrap", "--quiet", "--mode=root", "--variant=minbase", suite, root], check=True)
        (root / "etc/resolv.conf").write_bytes(pathlib.Path("/etc/resolv.conf").read_bytes())

    def inside(self, path):
        return self.root / str(path).lstrip("/")

    def run(self, command):
        """As `docker run` would: with the image's folder, /proc, and an environment of its own."""
        environment = ["env", "-i", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root"]
        subprocess.run(
            ["unshare", "--mount", "--pid", "--fork", f"--mount-proc={self.root}/proc", "chroot", self.root, *environment,
             "/bin/sh", "-c", f"cd {shlex.quote(self.folder)} && exec \"$@\"", "sh", *command],
            check=True, stdin=subprocess.DEVNULL,
        )

    def copy(self, source, to):
        self.inside(to).mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-a", f"{source}/.", self.inside(to)], check=True)


def build(text, context, folder):
    """The last stage of the Dockerfile."""
    stages, stage = {}, None
    for word, rest in steps(text):
        print(f"try: {word} {rest}", flush=True)
        if word == "FROM" and (said := re.fullmatch(r"debian:(\w+)-slim(?: AS (\w+))?", rest)):
            stage = Stage(folder / f"stage{len(stages)}", said[1])
            stages[said[2] or len(stages)] = stage
        elif word == "COPY" and (said := re.fullmatch(r"(?:--from=(\w+) )?(\S+) (\S+)", rest)):
            stage.copy(stages[said[1]].inside(said[2]) if said[1] else context / said[2], said[3])
        elif word == "WORKDIR":
            stage.folder = rest
            stage.inside(rest).mkdir(parents=True, exist_ok=True)
        elif word == "RUN":
            stage.run(["/bin/sh", "-c", rest])
        elif word == "CMD":
            stage.command = json.loads(rest)
        else:
            sys.exit(f"try: no such step is known here: {word} {rest}")
    return stage


def main():
    if os.geteuid() != 0:
        sys.exit("try: clean roots take root's rights: sudo packaging/docker/try.py")
    if not shutil.which("mmdebstrap"):
        sys.exit("try: there is no mmdebstrap; install the Debian package")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        context = folder / "context"
        context.mkdir()
        archive = subprocess.run(["git", "-C", ROOT, "archive", "HEAD"], check=True, stdout=subprocess.PIPE)
        subprocess.run(["tar", "-x", "-C", context], check=True, input=archive.stdout)
        image = build((HERE / "Dockerfile").read_text(), context, folder)
        image.run(image.command)
        image.copy(context / "examples/heat", "/program")
        image.run(["sh", "-c", "cmake -S . -B build && cmake --build build && build/heat"])
        # Catches: a command whose libraries are not in the image, and one that is left out of it.
        commands = sorted(path.name for path in image.inside("/usr/local/bin").iterdir())
        print(f"try: {', '.join(commands)}", flush=True)
        if commands != COMMANDS:
            sys.exit(f"try: the image should have {', '.join(COMMANDS)}")
        for command in commands:
            image.run(["sh", "-c", f"{command} --help >/dev/null"])
        image.copy(context / "tests/consume", "/program/consume")
        image.run(["sh", "-c", "sennit splicec consume/splicec.c -o sum.cpp -- -DEXPECTED=9 && "
                   "g++ -std=c++20 -DEXPECTED=9 sum.cpp $(pkg-config --cflags --libs sennit) -o sum && ./sum"])
        print("try: done")


if __name__ == "__main__":
    main()
