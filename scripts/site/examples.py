# SPDX-License-Identifier: Apache-2.0
"""Where the names of the library are used in code that is compiled: in headers' examples and in the pages' programs."""

import re
import sys

from names import ROOT, headers

sys.path.insert(0, str(ROOT / "tests/docs"))
import extract  # noqa: E402

FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def anchor(heading):
    """As forges make them of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def of_pages():
    """For each program in a page: (page, title of the section, its anchor, the code)."""
    integrations = [ROOT / f"integrations/{name}/README.md" for name in ("mpi", "starpu")]
    for page in [ROOT / "README.md", *sorted((ROOT / "docs/guide").glob("*.md")), *integrations]:
        text = page.read_text()
        # A line of a program may look like a heading.
        outline = FENCE.sub(lambda block: re.sub(r"[^\n]", ".", block.group()), text)
        headings = [(found.start(), found.group(1)) for found in re.finditer(r"^#+ (.+)$", outline, re.MULTILINE)]
        programs = {code for _, code in extract.programs(page)}
        for block in FENCE.finditer(text):
            if block.group(2) in programs:
                title = [title for start, title in headings if start < block.start()][-1]
                yield page.relative_to(ROOT).as_posix(), title, anchor(title), block.group(2)


def of_headers():
    """For each example in a header: (header, the code)."""
    for folder, files in headers().items():
        for file in [*files, "sennit.h"] if folder == "include" else files:
            for code in extract.examples(ROOT / folder / file):
                yield file, code


def words(code):
    """The identifiers of a program, without those in its comments."""
    return set(re.findall(r"\b[A-Za-z_]\w*\b", re.sub(r"//[^\n]*|\"(?:\\.|[^\"\\])*\"", "", code)))
