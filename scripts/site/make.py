#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the documentation as a site: make.py FOLDER [OPTION OF SPHINX...]

Its pages are the Markdown pages of the repository, and the reference, which is made of the headers' comments. Sphinx and its
theme come from PyPI, once, into build/docs/python: Debian 12's are without dark colors.
"""

import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build/docs"
# What is copied to the folder that Sphinx reads; the pages of the reference are written beside.
PARTS = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "docs", "integrations", "bench", "models", "gallery", "examples"]


def python():
    """That of the virtual environment, which also has the system's packages: clang's."""
    wanted, folder = (HERE / "requirements.txt").read_text(), BUILD / "python"
    installed = folder / "installed.txt"
    if not installed.exists() or installed.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        print("docs: installing Sphinx from PyPI into build/docs/python", file=sys.stderr)
        subprocess.run(["/usr/bin/python3", "-m", "venv", "--system-site-packages", folder], check=True)
        pip = [folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "--ignore-installed"]
        if subprocess.run([*pip, "-r", HERE / "requirements.txt"]).returncode != 0:
            print("docs: pip could not install scripts/site/requirements.txt; is the network up?", file=sys.stderr)
            raise SystemExit(77)
        installed.write_text(wanted)
    return folder / "bin/python"


def copy_parts(source):
    """Of the repository as it is, and nothing that is there no longer. What has not changed keeps its time."""
    wanted = set()
    for part in PARTS:
        found = (ROOT / part).rglob("*") if (ROOT / part).is_dir() else [ROOT / part]
        wanted.update(path.relative_to(ROOT) for path in found if path.is_file() and "__pycache__" not in path.parts)
    for path in source.rglob("*"):
        name = path.relative_to(source)
        if path.is_file() and name not in wanted and name.parts[0] != "reference":
            path.unlink()
    for name in wanted:
        old, new = source / name, ROOT / name
        if not old.exists() or old.stat().st_mtime != new.stat().st_mtime:
            old.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(new, old)


def main():
    out = Path(sys.argv[1]).resolve()
    source = BUILD / "source"
    copy_parts(source)
    sphinx = [python(), "-B", "-m", "sphinx", "-q", "-a", "-W", "--keep-going", "-j", "auto", "-c", HERE, "-d", BUILD / "doctrees"]
    made = subprocess.run([*sphinx, *sys.argv[2:], source, out])
    if made.returncode == 0:
        print(f"docs: the first page is {out / 'index.html'}")
    return made.returncode


if __name__ == "__main__":
    sys.exit(main())
