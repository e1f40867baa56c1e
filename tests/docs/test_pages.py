# SPDX-License-Identifier: Apache-2.0
"""The pages of maintainers: links lead to something, decisions are listed, and the answers to docs/design/questions.md are right.

Catches a link to a page or a heading of another day; a count of mutants of another day; a file that has moved; a record that nobody finds."""

import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"(?<!!)\[[^]\n]*\]\(([^)\s]+)\)")
PATH = re.compile(r"`((?:include|src)/[\w/.]+)`")
FUNCTION = re.compile(r"`(\w+)\(\)`")
QUESTIONS = ROOT / "docs/design/questions.md"


def pages():
    tracked = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "--", "*.md"],
        check=True, capture_output=True, text=True,
    ).stdout.split()
    return [ROOT / path for path in tracked if (ROOT / path).is_file()]


def text_of(page):
    return re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)


def anchors(page):
    """Of its headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", text_of(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


class Links(unittest.TestCase):
    def test_lead_to_a_file_and_to_a_heading(self):
        for page in pages():
            for link in LINK.findall(text_of(page)):
                if re.match(r"[a-z]+:", link):
                    continue
                path, _, anchor = link.partition("#")
                target = (page.parent / path).resolve() if path else page
                with self.subTest(page=str(page.relative_to(ROOT)), link=link):
                    self.assertTrue(target.exists())
                    if anchor:
                        self.assertIn(anchor, anchors(target))


class Files(unittest.TestCase):
    def test_that_maintainers_are_sent_to_are_there(self):
        """A page may leave out the first folders of a path."""
        tracked = subprocess.run(
            ["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard"],
            check=True, capture_output=True, text=True,
        ).stdout.split("\n")
        known = {path[at:] for path in tracked for at in [0, *(slash.end() for slash in re.finditer("/", path))]}
        for folder in ("design", "decisions", "protocols"):
            for page in (ROOT / "docs" / folder).glob("*.md"):
                for named in re.findall(r"`((?![^`]*\bNAME\b)[a-z_][\w/.-]*\.(?:hpp|cpp|pml|py|sh|toml|html))`", text_of(page)):
                    with self.subTest(page=str(page.relative_to(ROOT)), file=named):
                        self.assertIn(named, known)


class Decisions(unittest.TestCase):
    def test_are_all_listed_and_laid_out_alike(self):
        folder = ROOT / "docs/decisions"
        listed = set(LINK.findall((folder / "README.md").read_text()))
        for page in folder.glob("*.md"):
            if page.name != "README.md":
                with self.subTest(page=page.name):
                    self.assertIn(page.name, listed)
                    headings = re.findall(r"^## (.+)$", page.read_text(), re.MULTILINE)
                    self.assertEqual(headings, ["Context", "Decision", "Alternatives", "Consequences"])


class Mutants(unittest.TestCase):
    def test_are_as_many_as_the_page_says(self):
        mutants = re.findall(r"^== (.+)$", (ROOT / "tests/explore/mutants.txt").read_text(), re.MULTILINE)
        said = re.search(r"There are (\d+), of which (\d+) make no\s+difference", (ROOT / "docs/protocols/exploring.md").read_text())
        self.assertIsNotNone(said, "docs/protocols/exploring.md does not say how many mutants there are")
        self.assertEqual(said.groups(), (str(len(mutants)), str(sum(" harmless: " in mutant for mutant in mutants))))


class Questions(unittest.TestCase):
    def setUp(self):
        self.asked, answers = QUESTIONS.read_text().split("## The answers")
        self.answers = re.findall(r"^\| (\d+) \| (.*) \| (.*) \|$", answers, re.MULTILINE)

    def test_each_has_its_answer(self):
        numbers = re.findall(r"^(\d+)\. ", self.asked, re.MULTILINE)
        self.assertEqual(len(numbers), 12)
        self.assertEqual(numbers, [number for number, _, _ in self.answers])

    def test_answers_name_what_is_there(self):
        for number, files, functions in self.answers:
            paths, names = PATH.findall(files), FUNCTION.findall(functions)
            with self.subTest(question=number):
                self.assertTrue(paths and len(paths) == len(names))
                for path, name in zip(paths, names):
                    self.assertTrue((ROOT / path).is_file(), path)
                    self.assertRegex((ROOT / path).read_text(), rf"\b{name}\(", path)

    def test_questions_name_no_file(self):
        self.assertEqual(PATH.findall(self.asked), [])


if __name__ == "__main__":
    unittest.main()
