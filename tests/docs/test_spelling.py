# SPDX-License-Identifier: Apache-2.0
"""Words are spelled as in America: those of pages, comments, messages and names.

Catches what codespell knows as a mistake; .codespellrc has the exceptions, and why each is one."""

import pathlib
import shutil
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Data, and files that are no text of this repository.
LEFT_OUT = ("docs/evidence/data/", "gallery/data/", "LICENSE", ".codespellrc")
NO_TEXT = {".png", ".svg"}


def misspelled(*files):
    words = ["codespell", "--config", ROOT / ".codespellrc", *files]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True).stdout.splitlines()


@unittest.skipUnless(shutil.which("codespell"), "codespell is not installed")
class Spelling(unittest.TestCase):
    def test_of_all_files(self):
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True
        ).stdout.splitlines()
        files = [
            name for name in listed
            if not name.startswith(LEFT_OUT) and pathlib.Path(name).suffix not in NO_TEXT and (ROOT / name).is_file()
        ]
        self.assertEqual(misspelled(*files), [])

    def test_sees_a_mistake_and_british_words(self):
        import tempfile

        with tempfile.NamedTemporaryFile("w", suffix=".md") as page:
            page.write("This happ" + "end in the col" + "our of a cancelled deque.\n")
            page.flush()
            self.assertEqual(len(misspelled(page.name)), 2)


if __name__ == "__main__":
    unittest.main()
