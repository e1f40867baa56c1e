# SPDX-License-Identifier: Apache-2.0
"""The public names of the headers, as clang finds them: what each declares, and the comment that describes it.

A comment describes what is declared below it, up to the next blank line or comment; behind a declaration, that one alone. What is in a namespace `detail` or in a
private part of a class is not public, nor is a name that ends with "_".
"""

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from clang import cindex

ROOT = Path(__file__).resolve().parents[2]
KIND = cindex.CursorKind
CLASSES = {KIND.STRUCT_DECL, KIND.CLASS_DECL, KIND.CLASS_TEMPLATE, KIND.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION, KIND.UNION_DECL}
FUNCTIONS = {KIND.FUNCTION_DECL, KIND.FUNCTION_TEMPLATE, KIND.CXX_METHOD, KIND.CONSTRUCTOR, KIND.DESTRUCTOR, KIND.CONVERSION_FUNCTION}
VALUES = {KIND.VAR_DECL, KIND.FIELD_DECL, KIND.ENUM_CONSTANT_DECL}
TYPES = {KIND.TYPE_ALIAS_DECL, KIND.TYPEDEF_DECL, KIND.TYPE_ALIAS_TEMPLATE_DECL, KIND.CONCEPT_DECL, KIND.ENUM_DECL}
DECLARED = CLASSES | FUNCTIONS | VALUES | TYPES | {KIND.USING_DECLARATION}
# Words of a declaration that tell a reader nothing.
NOISE = re.compile(r"\b(?:SENNIT_(?:INLINE|COLD|EXPORT|NOINLINE|HOT|C_FUNCTION|NO_STACK_\w+)|inline)\b\s*(?!=)")


@dataclass
class Name:
    """One declaration. Overloads are several."""

    name: str
    scope: str  # such as "sennit::beats"
    kind: str
    header: str  # as it is included
    line: int
    declaration: str
    comment: str  # its text, without "//"; "" if it has none
    heads: bool  # whether the comment is its own, and not that of the declaration above it
    members: list = field(default_factory=list)
    last_line: int = 0
    beside: bool = False  # whether the comment stands behind the declaration

    @property
    def qualified(self):
        return f"{self.scope}::{self.name}" if self.scope else self.name


def headers():
    """Folders of headers, each with the public headers in it."""
    found = {}
    for folder, patterns in {
        "include": ["sennit/*.hpp", "sennit/algorithm/*.hpp", "sennit/ext/*.hpp"],
        "integrations/mpi/include": ["sennit/mpi/*.hpp"],
        "integrations/starpu/include": ["sennit/starpu/*.hpp"],
    }.items():
        paths = [path for pattern in patterns for path in sorted((ROOT / folder).glob(pattern))]
        found[folder] = [path.relative_to(ROOT / folder).as_posix() for path in paths if path.name != "sennit.hpp"]
    return found


def public_names(folders=None):
    """The names of all public headers, or of those in some folders, in the order of the headers and of the lines in them."""
    names = []
    for folder, files in headers().items():
        if folders is None or folder in folders:
            names += of_files(ROOT / folder, files, "c++", _foreign(folder))
    if folders is None or "include" in folders:
        names += of_files(ROOT / "include", ["sennit.h"], "c", [])
    return names


def of_files(folder, files, language, more):
    """Those of some headers in a folder. `more`: options for clang."""
    options = ["-x", language, "-std=c++20" if language == "c++" else "-std=c99", "-fparse-all-comments", f"-I{folder}"]
    options += [f"-I{ROOT / name}" for name in headers()] + more
    program = "".join(f"#include <{file}>\n" for file in files)
    unit = cindex.Index.create().parse(
        "all.cpp", options, unsaved_files=[("all.cpp", program)],
        options=cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD,
    )
    errors = [str(found) for found in unit.diagnostics if found.severity >= cindex.Diagnostic.Error]
    if errors:
        raise RuntimeError("clang cannot read the headers: " + "; ".join(errors[:3]))
    reading = _Reading(folder, set(files))
    reading.scope(unit.cursor, "", "")
    order = {file: number for number, file in enumerate(files)}
    return sorted(reading.found, key=lambda name: (order[name.header], name.line))


def _foreign(folder):
    """Where the headers of MPI and StarPU are."""
    packages = {"include": [], "integrations/mpi/include": ["ompi-cxx"]}.get(folder, ["ompi-cxx", "starpumpi-1.3"])
    if not packages:
        return []
    asked = subprocess.run(["pkg-config", "--cflags", *packages], check=True, capture_output=True, text=True)
    return [word.replace("-I", "-isystem", 1) for word in asked.stdout.split()] + ["-DOMPI_SKIP_MPICXX"]


class _Reading:
    def __init__(self, folder, files):
        self.folder, self.files, self.found, self.texts = folder, files, [], {}

    def scope(self, cursor, scope, above):
        """The public declarations of a namespace, or of the file. `above`: the namespace's comment."""
        last = None  # the declaration above, of the same file
        for child in cursor.get_children():
            header = self._header(child)
            if header is None:
                continue
            if child.kind == KIND.NAMESPACE:
                if child.spelling != "detail":
                    self.scope(child, f"{scope}::{child.spelling}" if scope else child.spelling, text_of(child))
            elif child.kind == KIND.LINKAGE_SPEC or child.kind == KIND.UNEXPOSED_DECL:
                self.scope(child, scope, above)
            elif child.kind == KIND.MACRO_DEFINITION:
                # The parts of a macro begin with its name.
                macros = [name.name for name in self.found if name.kind == "MACRO"]
                if child.spelling.startswith("SENNIT_") and not any(child.spelling.startswith(f"{name}_") for name in macros):
                    self._macro(child, header)
            elif child.kind in CLASSES and not child.is_definition():
                pass
            elif child.kind in DECLARED and _is_public(child):
                last = self._declaration(child, header, scope, last if last and last.header == header else None, above)
                self.found.append(last)

    def _header(self, cursor):
        file = cursor.location.file
        if file is None:
            return None
        path = Path(file.name)
        if not path.is_relative_to(self.folder):
            return None
        header = path.relative_to(self.folder).as_posix()
        return header if header in self.files else None

    def _declaration(self, cursor, header, scope, above, otherwise=""):
        comment = text_of(cursor)
        heads = bool(comment)
        start = cursor.extent.start.line
        if not comment and above is not None and start - above.last_line <= 1 and not above.beside:
            comment = above.comment
        elif not comment:
            comment = otherwise
        name = cursor.spelling if cursor.spelling.startswith("operator") else cursor.spelling.split("<")[0]
        made = Name(name, scope, cursor.kind.name, header, cursor.location.line, self._text(cursor, header), comment, heads)
        made.last_line = cursor.extent.end.line
        before = self._source(header).split("\n")[start - 2] if start > 1 else ""
        made.beside = heads and not before.lstrip().startswith("//")
        if cursor.kind in CLASSES or cursor.kind == KIND.ENUM_DECL:
            last = None
            for child in cursor.get_children():
                if child.kind == KIND.FRIEND_DECL or child.kind not in DECLARED or not _is_public(child):
                    continue
                if cursor.kind == KIND.ENUM_DECL or child.access_specifier == cindex.AccessSpecifier.PUBLIC:
                    last = self._declaration(child, header, made.qualified, last)
                    made.members.append(last)
        return made

    def _macro(self, cursor, header):
        lines = self._source(header).split("\n")
        at = cursor.location.line - 1
        above = []
        while at > 0 and lines[at - 1].startswith(("//", "#define")):
            at -= 1
            above.insert(0, lines[at])
        above = [line for line in above if line.startswith("//")]
        head = re.match(r"#\s*define\s+(\w+(?:\([^)]*\))?)", lines[cursor.location.line - 1])
        if not above or head is None:
            return  # parts of other macros
        self.found.append(
            Name(cursor.spelling, "", "MACRO", header, cursor.location.line, head.group(1), plain("\n".join(above)), True)
        )

    def _source(self, header):
        if header not in self.texts:
            self.texts[header] = (self.folder / header).read_bytes()
        return self.texts[header].decode()

    def _text(self, cursor, header):
        self._source(header)
        text = self.texts[header][cursor.extent.start.offset : cursor.extent.end.offset].decode()
        text = re.sub(r" *//[^\n]*", "", text)
        text = re.sub(r"^#if .*?^#endif\n", "", text, flags=re.DOTALL | re.MULTILINE)  # of variants of the library
        if cursor.kind in FUNCTIONS:
            text = _without_body(text)
        elif cursor.kind in CLASSES or cursor.kind == KIND.ENUM_DECL:
            text = _head(text)
        elif cursor.kind == KIND.CONCEPT_DECL:
            text = text.strip()
        else:
            text = re.sub(r"\{(?:\[.*|\})$", "", text, flags=re.DOTALL)
        text = NOISE.sub("", text).strip()
        indent = " " * (cursor.extent.start.column - 1)
        return "\n".join(line.removeprefix(indent).rstrip() for line in text.split("\n") if line.strip()) + ";"


def _is_public(cursor):
    return bool(cursor.spelling) and not cursor.spelling.endswith("_") and not cursor.spelling.startswith("<")


def text_of(cursor):
    return plain(cursor.raw_comment or "")


def plain(comment):
    """Without the marks; what is behind them keeps its indentation."""
    lines = [re.sub(r"^\s*//<?[ ]?", "", line) for line in comment.split("\n")]
    lines = [line for line in lines if not re.match(r"(NOLINT|ORD\[|clang-format)", line)]
    return "\n".join(lines).strip("\n")


def _head(text):
    """Of a class: up to its "{", or to the bases."""
    depth = 0
    for at, letter in enumerate(text):
        if letter in "(<":
            depth += 1
        elif letter in ")>":
            depth -= text[at - 1] != "-"
        elif letter == "{" and depth <= 0 and text[at + 1 : at + 2] != "}":
            return text[:at]
    return text


def _without_body(text):
    """Of a function: without the block at its end, and without what initializes members."""
    text = text.rstrip().removesuffix(";")
    if text.endswith("}"):
        depth, at = 0, len(text)
        while at > 0:
            at -= 1
            depth += (text[at] == "}") - (text[at] == "{")
            if depth == 0:
                break
        text = text[:at].rstrip()
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == ":" and depth == 0 and text[at - 1] == " " and text[at + 1 : at + 2] == " ":
            return text[:at].rstrip()
    return text
