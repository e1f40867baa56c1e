# SPDX-License-Identifier: Apache-2.0
"""Each public name of the headers is described in its comment, and used in code that is compiled: an example of a header, or a
program of a page. scripts/site says what is public, and which comment belongs to which name.

Catches a name that is added without words or without an example, and a reference that shows less than there is."""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/site"))

try:
    import examples
    import names
    import reference
except ImportError as missing:
    print(f"skipped: {missing} (Debian: python3-clang-19)")
    sys.exit(77)

# What every reader of C++ knows, if nothing else is said.
PLAIN = {"operator=", "operator==", "begin", "end", "size", "empty", "value_type", "key_type", "mapped_type"}


def speaks_for_itself(member, of):
    """A member that its class describes, or that makes, copies or ends it."""
    if member.name in PLAIN or member.kind == "DESTRUCTOR":
        return True
    if member.kind == "CONSTRUCTOR" or member.name == of.name:
        return True  # the class says what it is made of
    return re.search(rf"\b{re.escape(member.name)}\b", of.comment) is not None


class Reference(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.made = reference.Reference()

    def test_names_are_described(self):
        described = {name.qualified for name in self.made.names if name.comment}
        self.assertEqual(sorted({name.qualified for name in self.made.names} - described), [])

    def test_members_are_described(self):
        missing = []
        for name in self.made.names:
            described = {member.name for member in name.members if member.comment or speaks_for_itself(member, name)}
            missing += sorted({f"{name.qualified}::{member.name}" for member in name.members if member.name not in described})
        self.assertEqual(missing, [])

    def test_names_are_used_in_examples(self):
        used = set()
        for *_, code in [*examples.of_pages(), *examples.of_headers()]:
            used |= examples.words(code)
        self.assertEqual([], sorted({name.qualified for name in self.made.names if name.name not in used}))

    def test_every_header_that_is_installed_is_read(self):
        read = {f"{folder}/{file}" for folder, file in reference.every_header()}
        there = {path.relative_to(ROOT).as_posix() for path in (ROOT / "include").rglob("*.h*") if "detail" not in path.parts}
        self.assertEqual(there - read, {"include/sennit/sennit.hpp"})  # which is all the others

    def test_pages_have_what_the_headers_say(self):
        page = self.made.page("sennit/reducer.hpp", (ROOT / "include/sennit/reducer.hpp").read_text())
        for text in ("(sennit-reducer)=\n## reducer", "class reducer;", "**Example**\n\n```cpp\n#include", "T& view();", "docs/guide/reducers.md#"):
            self.assertIn(text, page)
        self.assertNotIn("detail::reducer_view", page)
        page = self.made.page("sennit/algorithm/find.hpp", (ROOT / "include/sennit/algorithm/find.hpp").read_text())
        self.assertIn("Used in [the example of `parallel_find_if`](#sennit-parallel-find-if)", page)


class Names(unittest.TestCase):
    """Of headers that are made up: what is public, and which comment is whose."""

    def read(self, text):
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "a.hpp").write_text(text)
            return names.of_files(Path(folder), ["a.hpp"], "c++", [])

    def test_a_comment_is_that_of_the_lines_below_it(self):
        found = self.read("namespace n {\n// One.\nvoid a();\nvoid b();\n\nvoid c();\nint d;  // Two.\nint e;\n}\n")
        self.assertEqual([(name.name, name.comment) for name in found], [("a", "One."), ("b", "One."), ("c", ""), ("d", "Two."), ("e", "")])

    def test_what_is_private_is_left_out(self):
        found = self.read(
            "namespace n {\nnamespace detail { int a; }\n// S.\nclass s {\n public:\n  int b;  // B.\n private:\n  int c;\n  int d_;\n};\n}\n"
        )
        self.assertEqual([name.name for name in found], ["s"])
        self.assertEqual([(member.name, member.comment) for member in found[0].members], [("b", "B.")])

    def test_declarations_have_no_bodies(self):
        found = self.read(
            "namespace n {\nstruct s {\n  s(int x) : a(x) {}\n  int get(int y = {}) const { return a ? a : y; }\n  int a = 1;\n};\n"
            "template <class T>\n  requires requires(T t) { t.x; }\nvoid f(T) {}\n}\n"
        )
        self.assertEqual([m.declaration for m in found[0].members], ["s(int x);", "int get(int y = {}) const;", "int a = 1;"])
        self.assertEqual(found[1].declaration, "template <class T>\n  requires requires(T t) { t.x; }\nvoid f(T);")


if __name__ == "__main__":
    unittest.main()
