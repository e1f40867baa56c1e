# SPDX-License-Identifier: Apache-2.0
"""Writes the pages of the reference, one for each public header: what its comments say, as Markdown."""

import re
from collections import defaultdict

import examples
from names import ROOT, headers, plain, public_names

SECTIONS = {
    "include/sennit/": "Constructs and what they need",
    "include/sennit/algorithm/": "Algorithms",
    "include/sennit/ext/": "Extensions",
    "include/": "C",
    "integrations/mpi/include/sennit/mpi/": "MPI",
    "integrations/starpu/include/sennit/starpu/": "StarPU",
}
OTHER_INTERFACES = """
The headers in `integrations/` for [oneTBB](../integrations/tbb/README.md),
[`std::execution`](../integrations/std_execution/README.md) and [ParlayLib](../integrations/parlay/README.md) have the names that these
libraries document. What is there of them, and what differs, is in these pages; for
[Python](../integrations/python/README.md), too.
"""
# Identifiers in sentences, and words in backticks.
IDENTIFIER = re.compile(
    r"`[^`]+`|\b(?:[a-z]\w*::)+[\w:~]+(?:<[\w<>]*>)?(?:\(\))?|\b(?:sennit_|SENNIT_)\w+(?:\(\))?|\b[a-z]\w*\((?:[\w.]*)\)"
    r"|\b[a-z][a-z0-9]*_\w+\b"
)


def every_header():
    """(the folder, the header)"""
    for folder, files in headers().items():
        for file in [*files, "sennit.h"] if folder == "include" else files:
            yield folder, file


def page_of(header):
    return "reference/" + (header.removesuffix(".hpp") if header.endswith(".hpp") else "sennit.h") + ".md"


def anchor_of(qualified):
    """As docutils makes of a label."""
    words = re.sub(r"[^a-z0-9]+", "-", qualified.lower()).strip("-")
    return words if "::" in qualified else f"c-{words}"


def prose(text):
    """A paragraph of a comment as Markdown: what is special there is escaped, and identifiers are code."""
    parts, last = [], 0
    for found in IDENTIFIER.finditer(text):
        parts += [_escaped(text[last : found.start()]), f"`{found.group().strip('`')}`"]
        last = found.end()
    return "".join([*parts, _escaped(text[last:])])


def _escaped(text):
    return re.sub(r"([\\*_\[\]<>#|`$])", r"\\\1", text)


def markdown(comment, language="cpp"):
    """A comment as Markdown: paragraphs, lists, and blocks of what is indented; "Example:" begins a program."""
    lines, found = comment.split("\n"), []
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
        elif line == "Example:" or line.startswith("  "):
            is_example = line == "Example:"
            at += is_example
            block = []
            while at < len(lines) and (not lines[at].strip() or lines[at].startswith("  ")):
                block.append(lines[at])
                at += 1
            indent = min(len(text) - len(text.lstrip()) for text in block if text.strip())
            body = "\n".join(text[indent:] for text in block).strip("\n")
            found.append(("**Example**\n\n" if is_example else "") + f"```{language if is_example else 'text'}\n{body}\n```")
        else:
            paragraph = [line]
            bullet = re.match(r"[*-] ", line)
            at += 1
            while at < len(lines) and lines[at].strip() and not re.match(r"[*-] ", lines[at]):
                # What is indented goes on with an item of a list, and is a block otherwise.
                if lines[at] == "Example:" or (lines[at].startswith("  ") and not bullet):
                    break
                paragraph.append(lines[at].strip())
                at += 1
            text = " ".join(paragraph)
            found.append(("* " if bullet else "") + prose(text[2:] if bullet else text))
    return "\n\n".join(found)


def _shows(name, used):
    """Whether the name's own example uses another one."""
    examples_of = name.comment.partition("Example:\n")[2] if name.heads else ""
    return used in examples.words("\n".join(line for line in examples_of.split("\n") if line.startswith("  ")))


def _one_line(member):
    text = re.sub(r"\s+", " ", member.declaration).rstrip(";")
    return member.name if member.kind == "ENUM_CONSTANT_DECL" else text


def begun(header_text):
    """The first comment of a header."""
    return plain(re.match(r"(?:// SPDX[^\n]*\n)?((?://[^\n]*\n)*)", header_text).group(1))


class Reference:
    def __init__(self):
        self.names = public_names()
        self.of_header = defaultdict(list)
        self.page_of_name = {}  # if overloads are in several headers, the first one counts
        for name in self.names:
            self.of_header[name.header].append(name)
            self.page_of_name.setdefault(name.qualified, page_of(name.header))
        self.uses = defaultdict(dict)  # of a name: what to link to, and the title
        for page, title, anchor, code in examples.of_pages():
            for word in examples.words(code):
                self.uses[word].setdefault(f"{page}#{anchor}", title)
        for header, code in examples.of_headers():
            for word in examples.words(code):
                self.uses[word].setdefault(page_of(header), f"<{header}>")

    def targets(self):
        """Where a name is described: from a qualified name, and from its last words, to the page and the anchor."""
        found = {}
        for name in self.names:
            place = (page_of(name.header).removesuffix(".md"), anchor_of(name.qualified))
            words = name.qualified.split("::")
            for first in range(len(words)):
                key = "::".join(words[first:])
                # A short name belongs to the outermost namespace that has it.
                if key not in found or found[key][2] > len(words):
                    found[key] = (*place, len(words))
        return {key: place[:2] for key, place in found.items()}

    def write(self, folder):
        pages = {"reference/index.md": self.index()}
        for where, file in every_header():
            pages[page_of(file)] = self.page(file, (ROOT / where / file).read_text())
        for page in (folder / "reference").rglob("*.md"):
            if page.relative_to(folder).as_posix() not in pages:
                page.unlink()
        for name, text in pages.items():
            page = folder / name
            page.parent.mkdir(parents=True, exist_ok=True)
            # A page that is right already is not made again.
            if not page.exists() or page.read_text() != text:
                page.write_text(text)

    def page(self, header, text):
        language = "c" if header.endswith(".h") else "cpp"
        up = "../" * page_of(header).count("/")
        parts = [f"# {header}", markdown(begun(text), language), f"```{language}\n#include <{header}>\n```"]
        # Overloads stand together, where the first one is.
        groups = defaultdict(list)
        for name in self.of_header[header]:
            groups[name.qualified].append(name)
        said = None
        for qualified, overloads in groups.items():
            first = overloads[0]
            shown = qualified.removeprefix("sennit::")
            label = f"({anchor_of(qualified)})=\n" if self.page_of_name[qualified] == page_of(header) else ""
            parts.append(f"{label}## {shown}")
            parts += self.described(overloads, language, said)
            uses = self.used(first, up)
            if uses:
                parts.append("Used in " + ", ".join(uses) + ".")
            said = first.comment
        return "\n\n".join(part for part in parts if part) + "\n"

    def described(self, overloads, language, said):
        """`said`: the comment of the name above."""
        for name in overloads:
            is_object = name.kind == "VAR_DECL" and "detail::algorithm<" in name.declaration
            yield "A function object." if is_object else f"```{language}\n{name.declaration}\n```"
            if name is not overloads[0] and name.comment == overloads[0].comment:
                continue
            if name is overloads[0] and name.comment and name.comment == said and not name.heads:
                yield "Described above."
            else:
                yield markdown(name.comment, language)
            if name.members:
                yield self.members(name, language)

    def members(self, name, language):
        """In groups of those that one comment describes: a table if all are values, and otherwise a list."""
        groups = []
        for member in name.members:
            if groups and not member.heads and groups[-1][0].comment == member.comment:
                groups[-1].append(member)
            else:
                groups.append([member])
        values = {"ENUM_CONSTANT_DECL", "FIELD_DECL"}
        if all(member.kind in values for member in name.members) and not any("\n  " in m.comment for m in name.members):
            rows = []
            for group in groups:
                text = markdown(group[0].comment).replace("\n", " ") if group[0].heads else ""
                shown = "<br>".join(f"`{_one_line(member)}`" for member in group)
                rows.append(f"| {shown} | {text} |".replace("||", "\\|\\|"))
            return "| member | |\n| --- | --- |\n" + "\n".join(rows)
        parts = []
        for group in groups:
            parts.append(f"```{language}\n" + "\n".join(member.declaration for member in group) + "\n```")
            if group[0].heads:
                text = markdown(group[0].comment, language)
                parts.append("\n".join(f"> {line}".rstrip() for line in text.split("\n")))
        return "\n\n".join(["**Members**", *parts])

    def used(self, name, up):
        """Links to examples that are not the name's own."""
        places = []
        for place, title in self.uses.get(name.name, {}).items():
            if place != page_of(name.header):
                places.append(f"[{_escaped(title)}]({up}{place})")
            elif "Example:" not in name.comment or not name.heads:
                owner = next((one for one in self.of_header[name.header] if _shows(one, name.name)), None)
                if owner is not None and owner.qualified != name.qualified:
                    places.insert(0, f"[the example of `{owner.name}`](#{anchor_of(owner.qualified)})")
        return places[:6]

    def index(self):
        parts = [
            "# Reference",
            "All public names, by their headers. `#include <sennit/sennit.hpp>` has all of the library but the parts for C, MPI and "
            "StarPU. Names are in the namespace `sennit` if nothing else is said.",
        ]
        for section, title in SECTIONS.items():
            rows = []
            for where, file in every_header():
                if f"{where}/{file}".rpartition("/")[0] + "/" == section:
                    text = begun((ROOT / where / file).read_text()).split("\n\n")[0].replace("\n", " ")
                    place = page_of(file).removeprefix("reference/")
                    shown = dict.fromkeys((name.name, anchor_of(name.qualified)) for name in self.of_header[file])
                    row = ", ".join(f"[`{name}`](#{anchor})" for name, anchor in shown)
                    rows.append(f"| [{file}]({place}) | {prose(text)} | {row} |")
            parts.append(f"## {title}\n\n| header | what | names |\n| --- | --- | --- |\n" + "\n".join(rows))
        parts += ["## Other interfaces", OTHER_INTERFACES.strip()]
        pages = [f"{file.removeprefix('sennit/')} <{page_of(file)[len('reference/'):-len('.md')]}>" for _, file in every_header()]
        parts.append("```{toctree}\n:hidden:\n\n" + "\n".join(pages) + "\n```")
        return "\n\n".join(parts) + "\n"

