# SPDX-License-Identifier: Apache-2.0
"""The words of names: each word of a type's or a file's name is a term of docs/glossary.md or plain English. Models and
docs do not bring words back that the glossary has retired.

Catches private metaphors and abbreviations that a reader has to be told of."""

import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DICTIONARY = pathlib.Path("/usr/share/dict/words")  # Debian's wamerican
FOLDERS = ["include", "src"]
TYPE = re.compile(
    r"^\s*(?:template <[^>]*>\s*)?(?:class|struct|union|enum(?: class| struct)?|concept|using)\s+"
    r"(?:alignas\(\w+\)\s+|\[\[[^]]*\]\]\s+|SENNIT_\w+\s+)*([a-z]\w*)(?=\s*(?:final\s*)?[:{=;]|\s*$)",
    re.MULTILINE,
)


def terms():
    """The words of the glossary's first column, and its list of abbreviations."""
    found = set()
    for line in (ROOT / "docs/glossary.md").read_text().splitlines():
        if line.startswith("| ") and not line.startswith("| ---"):
            found.update(re.findall(r"[a-z0-9]+", line.split("|")[1].lower()))
    return found


def retired():
    """Names that the glossary says are not to come back."""
    text = (ROOT / "docs/glossary.md").read_text()
    return set(re.findall(r"`([a-z_]+)`", text.split("## Words that are not used", 1)[1]))


# In prose they also have their plain sense: of course, a letter of the alphabet, the user's shell.
PLAIN_IN_PROSE = {"course", "letter", "shell"}


def retired_in(text, gone):
    """The retired words in a text, also as parts of names, in plural, and as verbs."""
    words = re.findall(r"[a-z]+", text.lower().replace("_", " "))
    stems = {re.sub(r"(s|ed|ing)$", "", word) for word in words} | {re.sub(r"b?bed$|bing$", "b", word) for word in words}
    return gone & (set(words) | stems)


def retired_in_texts():
    """For each model and each page of the docs but the glossary: the retired words there. In a page any word counts in code."""
    gone = retired()
    for path in sorted((ROOT / "models").iterdir()):
        yield path, retired_in(path.read_text(), gone)
    for path in sorted((ROOT / "docs").rglob("*.md")):
        if path.name == "glossary.md":
            continue
        text = path.read_text()
        code = "\n".join(re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text))
        yield path, retired_in(text, gone - PLAIN_IN_PROSE) | retired_in(code, gone)


def plain_words():
    words = {line.strip().lower() for line in DICTIONARY.read_text().splitlines() if "'" not in line}
    return words


def is_plain(word, words):
    return word in words or word.isdigit() or any(
        word.endswith(end) and word[: -len(end)] + more in words
        for end, more in [("s", ""), ("es", ""), ("ed", ""), ("ed", "e"), ("er", ""), ("er", "e"), ("ers", ""), ("ing", ""),
                          ("ing", "e"), ("able", ""), ("able", "e"), ("ly", "")]
    ) or any(word.startswith(start) and word[len(start):] in words for start in ("un", "re", "non", "sub", "pre"))


def names():
    tracked = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "--", *FOLDERS], check=True, capture_output=True, text=True
    ).stdout.split()
    for path in tracked:
        for part in pathlib.PurePath(path).parts:
            yield path, part.split(".")[0]
        if path.endswith((".hpp", ".cpp")):
            for match in TYPE.finditer((ROOT / path).read_text()):
                yield path, match.group(1)


class Words(unittest.TestCase):
    def test_names_are_made_of_terms_and_plain_english(self):
        known, plain, gone = terms(), plain_words(), retired()
        unknown = {}
        for path, name in names():
            for word in filter(None, name.lower().split("_")):
                if word in gone or not (word in known or is_plain(word, plain)):
                    unknown.setdefault(word, set()).add(f"{path} ({name})")
        self.assertEqual(
            unknown, {}, "words that are neither in docs/glossary.md nor plain English, or that the glossary has retired"
        )

    def test_models_and_docs_use_no_retired_word(self):
        found = {str(path.relative_to(ROOT)): words for path, words in retired_in_texts() if words}
        self.assertEqual(found, {}, "the glossary's last section says which words stand for these")

    def test_the_glossary_says_each_term_once(self):
        seen = []
        for line in (ROOT / "docs/glossary.md").read_text().splitlines():
            if line.startswith("| ") and not line.startswith(("| ---", "| term", "| short")):
                seen += [term.strip() for term in line.split("|")[1].split(",")]
        self.assertEqual(len(seen), len(set(seen)), [t for t in seen if seen.count(t) > 1])

    def test_notices_a_private_word(self):
        self.assertFalse(is_plain("xyzzy", plain_words()))
        self.assertIn("course", retired())
        self.assertEqual(retired_in("DROP_LETTER, robbed; no robust mailbox", retired()), {"letter", "rob"})


if __name__ == "__main__":
    unittest.main()
