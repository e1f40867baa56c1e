# SPDX-License-Identifier: Apache-2.0
"""How Sphinx makes the site: see make.py."""

import re
import sys
from pathlib import Path

from docutils import nodes
from sphinx.util.osutil import relative_uri

sys.path.insert(0, str(Path(__file__).parent))

from names import ROOT  # noqa: E402
from reference import Reference  # noqa: E402

project = "Sennit"
copyright = "the authors of Sennit, Apache-2.0"
version_of = (ROOT / "include/sennit/version.hpp").read_text()
release = ".".join(re.findall(r"#define SENNIT_VERSION_\w+ (\d+)", version_of))
html_title = f"Sennit {release}"
html_theme = "furo"
html_static_path = [str(Path(__file__).parent / "site.css")]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
extensions = ["myst_parser", "sphinx_copybutton"]
source_suffix = {".md": "markdown"}
root_doc = "README"
include_patterns = ["*.md", "docs/**", "reference/**", "integrations/*/README.md", "bench/README.md", "models/README.md", "examples/README.md"]
exclude_patterns = ["**/*.json"]
myst_enable_extensions = ["html_image"]
myst_heading_anchors = 4
highlight_language = "none"  # of blocks without a language: commands, and what they print
pygments_style = "friendly"
pygments_dark_style = "github-dark"
suppress_warnings = ["myst.header"]

# What stands in the column at the left, in this order. Pages of a folder follow its README, in the order in which that names them.
SECTIONS = [
    ("docs/guide/README", "docs/guide"),
    ("reference/index", None),
    ("docs/protocols/README", "docs/protocols"),
    ("docs/design/README", "docs/design"),
    ("docs/decisions/README", "docs/decisions"),
    ("docs/evidence/README", "docs/evidence"),
    ("docs/glossary", None),
    ("bench/README", None),
    ("models/README", None),
    ("CONTRIBUTING", None),
    ("CHANGELOG", None),
]
PICTURE = re.compile(r'<picture>\s*<source [^>]*srcset="([^"]+)">\s*<img src="([^"]+)"([^>]*)>\s*</picture>')


def toctree(pages):
    return "\n\n```{toctree}\n:hidden:\n\n" + "\n".join(pages) + "\n```\n"


def add_tree(app, docname, source):
    """The pages are Markdown for a forge, too, so they have no trees of their own."""
    if docname == root_doc:
        source[0] += toctree("/" + page for page, _ in SECTIONS)
        return
    for page, folder in SECTIONS:
        if page == docname and folder:
            named = re.findall(r"\]\(([\w./-]+)\.md", source[0])
            pages = [name for name in dict.fromkeys(named) if "/" not in name or re.match(r"\.\./\.\./(integrations|examples)/", name)]
            others = sorted(path.stem for path in (ROOT / folder).glob("*.md"))
            missing = [name for name in others if name not in pages and name != "README"]
            source[0] += toctree(name for name in pages + missing if name != "README")


def replace_pictures(app, doctree):
    """A picture for light and one for dark become two images, which follow the reader's choice on the site."""
    for raw in list(doctree.findall(nodes.raw)):
        found = PICTURE.search(raw.astext())
        if found is None:
            continue
        dark, light, rest = found.groups()
        alt = re.search(r'alt="([^"]*)"', rest)
        images = [
            nodes.image(uri=uri, alt=alt.group(1) if alt else "", classes=[f"only-{theme}", "picture"])
            for uri, theme in ((light, "light"), (dark, "dark"))
        ]
        raw.replace_self(nodes.container("", *images, classes=["pictures"]))


def link_names(app, doctree, docname):
    """Code in a sentence that is a name of the library leads to its description."""
    for literal in list(doctree.findall(nodes.literal)):
        if any(isinstance(up, (nodes.reference, nodes.title)) for up in _above(literal)):
            continue
        cell = next((up for up in _above(literal) if isinstance(up, nodes.entry)), None)
        if docname.startswith("reference/sennit") and cell is not None and cell.parent.index(cell) == 0:
            continue  # a member that has the name of something else
        name = re.sub(r"^sennit::|\(.*\)$|<.*>$", "", literal.astext())
        page, anchor = app.targets.get(name, (None, None))
        # Words such as `step` and `size` have their plain sense in most pages.
        if page is None or page == docname or not re.search(r"[_:]|^join$", literal.astext()):
            continue
        link = nodes.reference("", "", internal=True, refuri=f"{_relative(app, docname, page)}#{anchor}", classes=["name"])
        literal.replace_self(link)
        link += literal


def _above(node):
    while node.parent is not None:
        node = node.parent
        yield node


def _relative(app, docname, page):
    return relative_uri(app.builder.get_target_uri(docname), app.builder.get_target_uri(page))


def write_reference(app):
    made = Reference()
    made.write(Path(app.srcdir))
    app.targets = made.targets()


def copy_first_page(app, exception):
    folder = Path(app.outdir)
    if exception is None and (folder / f"{root_doc}.html").exists():
        (folder / "index.html").write_text((folder / f"{root_doc}.html").read_text())


def setup(app):
    app.connect("builder-inited", write_reference)
    app.connect("source-read", add_tree)
    app.connect("doctree-read", replace_pictures, priority=100)  # before Sphinx collects images
    app.connect("doctree-resolved", link_names)
    app.connect("build-finished", copy_first_page)
