# SPDX-License-Identifier: Apache-2.0
"""scripts/release.sh in small repositories. Catches: a release of what is not committed, not described, or out already."""

import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEFINES = "".join(f"#define SENNIT_VERSION_{part} {number}\n" for part, number in [("MAJOR", 0), ("MINOR", 3), ("PATCH", 1)])


class Release(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.write("include/sennit/version.hpp", DEFINES)
        self.write("CHANGELOG.md", "# Changelog\n\n## [0.3.1] - 2026-12-01\n\n## [0.3.0] - 2026-11-01\n")
        for test in ("docs/test_pages.py", "packaging/test_version.py", "evidence/test_evidence.py"):
            self.write(f"tests/{test}", "")
        self.write("scripts/release.sh", (ROOT / "scripts/release.sh").read_text())
        self.git("init", "-q")
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

    def failed(self):
        """Whether it may be released, and which checks failed."""
        done = subprocess.run(["sh", self.folder / "scripts/release.sh", "--no-build"], capture_output=True, text=True)
        self.assertNotIn("git tag -a", done.stdout)
        return done.returncode, [line.split(maxsplit=1)[1] for line in done.stdout.splitlines() if line.startswith("FAILED")]

    def test_what_is_in_order_may_be_released(self):
        self.assertEqual(self.failed(), (0, []))

    def test_what_is_not_committed_may_not(self):
        self.write("new.txt", "new")
        self.assertEqual(self.failed(), (1, ["nothing is changed that is not committed"]))

    def test_what_has_been_released_may_not(self):
        self.git("tag", "v0.3.1")
        self.assertEqual(self.failed(), (1, ["there is no tag v0.3.1 yet"]))

    def test_the_changelog_has_to_begin_with_the_version(self):
        self.write("CHANGELOG.md", "## [Unreleased]\n\n## [0.3.1] - 2026-12-01\n")
        self.commit()
        self.assertEqual(self.failed(), (1, ["CHANGELOG.md begins with 0.3.1"]))

    def test_the_changelog_has_to_have_the_date(self):
        self.write("CHANGELOG.md", "## [0.3.1]\n")
        self.commit()
        self.assertEqual(self.failed(), (1, ["CHANGELOG.md says when 0.3.1 was released"]))

    def test_the_documents_have_to_agree(self):
        self.write("tests/packaging/test_version.py", "raise SystemExit(1)")
        self.commit()
        self.assertEqual(self.failed(), (1, ["the documents agree with the code, and packages with the version"]))


if __name__ == "__main__":
    unittest.main()
