# SPDX-License-Identifier: Apache-2.0
"""A function that a header of a folder declares is defined in the same folder; pages list all files of a folder.

A folder of src/ and the folder of include/sennit/detail/ that has its name count as one.
Catches a folder that calls a higher folder through a declaration of its own, which test_layers.py does not see; a page
that does not know of a file."""

import pathlib
import re
import unittest
from collections import defaultdict

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLACES = (ROOT / "src", ROOT / "include/sennit/detail")
NOISE = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | ^\s*\#(?:\\\n|[^\n])* | "(?:\\.|[^"\\\n])*" | (?<![0-9a-f])'(?:\\.|[^'\\\n])+'""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
NAMESPACE = re.compile(r'^(?:inline\s+)?namespace\b|^extern\s*""$')
CLASS = re.compile(r"^(?:typedef\s+)?(?:class|struct|union)\b(?:\s*\[\[.*?\]\]|\s*alignas\(.*?\)|\s+[A-Z_]+)*\s+([\w:]+)")
TEMPLATE = re.compile(r"^template\s*<")
# The last name before the parameters. What begins so is no function, or has no definition.
FUNCTION = re.compile(r"((?:\w+::)*(?:operator\s*\S+?|~?\w+))\s*\((?!\s*[*&])")
NO_FUNCTION = re.compile(r"^(?:using|typedef|static_assert|friend|enum|namespace|asm)\b|=\s*(?:default|delete|0)\s*$")
ATTRIBUTES = re.compile(r"\[\[.*?\]\]|\b(?:alignas|alignof|explicit|sizeof|decltype|noexcept|requires|__attribute__)\s*\((?:[^()]|\([^()]*\))*\)")


def without_template(text):
    """What a template declares, without its parameters."""
    while TEMPLATE.match(text):
        depth, end = 0, text.index("<")
        while True:
            depth += {"<": 1, ">": -1}.get(text[end], 0)
            end += 1
            if depth == 0:
                break
        text = text[end:].strip()
    return text


def function_in(text):
    """The name of the function that this declares; None: it declares none."""
    text = ATTRIBUTES.sub("", without_template(text)).strip()
    if NO_FUNCTION.search(text):
        return None
    found = FUNCTION.search(text)
    if not found or "=" in text[: found.start()].replace("operator=", ""):
        return None
    return re.sub(r"^(?:sennit::)?(?:detail::)?|\s", "", found[1])


def functions(text):
    """(name, whether it has a body), of each function that namespaces and classes of this text declare."""
    text = NOISE.sub(lambda noise: '""' if noise[0].startswith('"') else " ", text)
    scopes, begin, i = [], 0, 0  # scopes: the names of the classes; "" for a namespace
    while i < len(text):
        if text[i] == ";":
            if name := function_in(text[begin:i].strip()):
                yield "::".join(filter(None, [*scopes, name])), False
            begin = i + 1
        elif text[i] == "}":
            scopes.pop()
            begin = i + 1
        elif text[i] == "(":
            i = closing(text, i, "()")
        elif text[i] == "{":
            head = re.sub(r"^(?:(?:public|private|protected)\s*:\s*)+", "", text[begin:i].strip())
            named = without_template(head)
            if NAMESPACE.match(named):
                scopes.append("")
                begin = i + 1
            elif (of := CLASS.match(named)) and "(" not in named:
                scopes.append(of[1])
                begin = i + 1
            else:
                name = function_in(named)
                i = closing(text, i, "{}")
                # Before a body, members may be initialized so.
                if name and not re.match(r"\s*[,{]", text[i + 1 :]):
                    yield "::".join(filter(None, [*scopes, name])), True
                    begin = i + 1
        i += 1


def closing(text, i, pair):
    """Where the bracket at i is closed."""
    depth = 0
    while True:
        depth += {pair[0]: 1, pair[1]: -1}.get(text[i], 0)
        if depth == 0:
            return i
        i += 1


def folders_of(place_of, suffix, with_body):
    """For each function that a file ending so declares, with a body or without one: the folders, and a file of each."""
    found = defaultdict(dict)
    for place in place_of:
        for path in sorted(place.rglob("*" + suffix)):
            folder = path.relative_to(place).parts[0]
            if folder != path.name:
                for name, has_body in functions(path.read_text()):
                    if has_body == with_body:
                        found[name].setdefault(folder, path)
    return found


class Folders(unittest.TestCase):
    def test_reader_of_functions(self):
        """What is below would pass if the functions were not found."""
        text = """
            namespace a { class b : c { public: explicit b(int d = f(1)) : e_{d}, g_(h()) {} void i() const noexcept;
            struct [[nodiscard]] j { ~j(); bool operator==(const j&) const = default; }; void (*k)(int) = nullptr; };
            template <class T, int n = (1)> requires (n > 0) SENNIT_EXPORT [[noreturn]] T l(T (*)(m), char = '}');
            } int a::b::o() const { return p(q); } constexpr int r = 1'000; // void s();
            extern "C" { extern const int t; int u(int); }"""
        self.assertEqual(
            list(functions(text)),
            [("b::b", True), ("b::i", False), ("b::j::~j", False), ("l", False), ("a::b::o", True), ("u", False)],
        )

    def test_define_what_they_declare(self):
        declared, defined = folders_of(PLACES, ".hpp", False), folders_of(PLACES[:1], ".cpp", True)
        both = sorted(set(declared) & set(defined))
        self.assertGreater(len(both), 500)
        for name in both:
            for folder, path in declared[name].items():
                with self.subTest(function=name, header=str(path.relative_to(ROOT))):
                    self.assertIn(folder, defined[name])

    def test_are_listed_with_all_their_files(self):
        page = (ROOT / "docs/protocols/deque.md").read_text()
        first_cells = re.findall(r"^\| (`[a-z_]+\.[ch]pp`.*?) \|", page.split("\n## Files\n")[1].split("\n## ")[0], re.MULTILINE)
        listed = sorted(name for cell in first_cells for name in re.findall(r"`([a-z_]+\.[ch]pp)`", cell))
        self.assertEqual(listed, sorted(path.name for path in (ROOT / "src/deque").iterdir()))


if __name__ == "__main__":
    unittest.main()
