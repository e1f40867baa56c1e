# SPDX-License-Identifier: Apache-2.0
"""scripts/release.sh in small repositories. Catches: a release of what is not committed, not described, or out already."""

import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPDX = "SPDX-License-Identifier: Apache-2.0\n"
DEFINES = f"// {SPDX}" + "".join(f"#define SENNIT_VERSION_{part} {number}\n" for part, number in [("MAJOR", 0), ("MINOR", 3), ("PATCH", 1)])

CHANGELOG = """# Changelog

## [0.3.1] - 2026-01-31

### Fixed
- Something.

## [0.3.0] - 2026-01-01
- Everything.
"""


class Release(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.write("include/sennit/version.hpp", DEFINES)
        self.write("CHANGELOG.md", CHANGELOG)
        for test in ("docs/test_pages.py", "packaging/test_version.py", "evidence/test_evidence.py"):
            self.write(f"tests/{test}", f"# {SPDX}")
        self.write("tests/docs/test_site.py", f"# {SPDX}raise SystemExit(1)")  # there is no site before make check
        for script in ("release.sh", "spdx.py"):
            self.write(f"scripts/{script}", (ROOT / "scripts" / script).read_text())
        self.git("init", "-q", "-b", "main")
        self.commit()

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def git(self, *arguments):
        identity = ["-c", "user.name=Tester", "-c", "user.email=tester@localhost"]
        subprocess.run(["git", *identity, "-C", self.folder, *arguments], check=True, capture_output=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "State")

    def failed(self, *, folder=None):
        """Whether it may be released, and which checks failed."""
        done = subprocess.run(["sh", (folder or self.folder) / "scripts/release.sh", "--no-build"], capture_output=True, text=True)
        self.assertNotIn("git tag -a", done.stdout)
        return done.returncode, [line.split(maxsplit=1)[1] for line in done.stdout.splitlines() if line.startswith("FAILED")]

    def whole(self, make):
        """The script with its builds, by a make of the test's own."""
        with tempfile.TemporaryDirectory() as programs:
            for name, text in (("make", make), ("id", "echo 0")):
                path = pathlib.Path(programs, name)
                path.write_text(f"#!/bin/sh\n{text}\n")
                path.chmod(0o755)
            environment = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}"}
            return subprocess.run(["sh", self.folder / "scripts/release.sh"], capture_output=True, text=True, env=environment)

    def test_all_of_it_says_how_to_tag_what_was_tested(self):
        done = self.whole('echo "make $1"')
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual([line for line in done.stdout.splitlines() if line.startswith("make")], ["make test", "make check", "make deb"])
        head = subprocess.run(["git", "-C", self.folder, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True).stdout
        self.assertIn(f"git tag -a v0.3.1 -m 'Sennit 0.3.1' {head}", done.stdout)

    def test_a_test_that_fails_or_changes_what_is_committed_stops_it(self):
        for make, what in (("[ $1 != deb ]", "Debian packages are built and work"), ("echo >>CHANGELOG.md", "what was tested is what is committed")):
            done = self.whole(make)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"FAILED  {what}\n", done.stdout)
            self.assertNotIn("git tag -a", done.stdout)
            self.git("checkout", "-q", ".")

    def test_nothing_is_built_of_what_cannot_be_released(self):
        self.write("new.txt", "new")
        done = self.whole("echo built")
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("built\n", done.stdout)

    def test_what_is_in_order_may_be_released(self):
        self.assertEqual(self.failed(), (0, []))

    def test_what_is_not_committed_may_not(self):
        self.write("new.txt", "new")
        self.assertEqual(self.failed(), (1, ["nothing is changed that is not committed"]))

    def test_what_has_been_released_may_not(self):
        self.git("tag", "v0.3.1")
        self.assertEqual(self.failed(), (1, ["there is no tag v0.3.1 yet"]))

    def test_what_origin_has_a_tag_of_may_not(self):
        """Nor where nobody can say whether it has one. Catches: a clone without tags."""
        with tempfile.TemporaryDirectory() as other:
            subprocess.run(["git", "clone", "-q", "--no-tags", self.folder, other], check=True)
            self.assertEqual(self.failed(folder=pathlib.Path(other)), (0, []))
            self.git("tag", "v0.3.1")
            self.assertEqual(self.failed(folder=pathlib.Path(other)), (1, ["origin has no tag v0.3.1 yet"]))
            subprocess.run(["git", "-C", other, "remote", "set-url", "origin", f"{other}/gone"], check=True)
            self.assertEqual(self.failed(folder=pathlib.Path(other)), (1, ["origin has no tag v0.3.1 yet"]))

    def test_a_clone_without_history_may_not(self):
        """Catches: an ABI that is compared with no tag, as there is none here."""
        self.write("new.txt", "new")
        self.commit()
        with tempfile.TemporaryDirectory() as other:
            subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{self.folder}", other], check=True)
            self.assertEqual(self.failed(folder=pathlib.Path(other)), (1, ["this is a whole clone"]))

    def test_what_is_not_on_main_may_not(self):
        self.git("switch", "-q", "-c", "elsewhere")
        self.assertEqual(self.failed(), (0, []))  # main has that commit
        self.write("new.txt", "new")
        self.commit()
        self.assertEqual(self.failed(), (1, ["the commit is on main"]))

    def test_a_version_that_falls_may_not(self):
        self.git("tag", "v0.10.0")
        self.assertEqual(self.failed(), (1, ["0.3.1 is above what has been released"]))
        self.git("tag", "-d", "v0.10.0")
        self.git("tag", "v0.3.0")
        self.assertEqual(self.failed(), (0, []))

    def test_without_a_version_nothing_may(self):
        self.write("include/sennit/version.hpp", DEFINES.replace("1\n", "one\n"))
        self.commit()
        self.assertEqual(self.failed()[0], 1)

    def test_what_does_not_say_its_license_may_not(self):
        self.write("src/new.cpp", "int main() {}\n")
        self.commit()
        self.assertEqual(self.failed(), (1, ["each file of code says its license"]))

    def test_the_changelog_has_to_begin_with_the_version(self):
        self.write("CHANGELOG.md", "## [Unreleased]\n\n" + CHANGELOG)
        self.commit()
        self.assertEqual(self.failed(), (1, ["CHANGELOG.md begins with 0.3.1"]))

    def test_the_changelog_has_to_have_the_date(self):
        for date in ("", " - 2026-02-30", " - 31.1.2026", " - yesterday", " - 2999-01-01", " - 2026-01-31 or so"):
            self.write("CHANGELOG.md", CHANGELOG.replace(" - 2026-01-31", date))
            self.commit()
            self.assertEqual(self.failed(), (1, ["CHANGELOG.md says when 0.3.1 was released"]), date)

    def test_the_changelog_has_to_say_something(self):
        self.write("CHANGELOG.md", CHANGELOG.replace("- Something.\n", ""))
        self.commit()
        self.assertEqual(self.failed(), (1, ["CHANGELOG.md says what is new in 0.3.1"]))

    def test_the_documents_have_to_agree(self):
        self.write("tests/packaging/test_version.py", f"# {SPDX}raise SystemExit(1)")
        self.commit()
        self.assertEqual(self.failed(), (1, ["the documents agree with the code, and packages with the version"]))


if __name__ == "__main__":
    unittest.main()
