# SPDX-License-Identifier: Apache-2.0
"""The site that `make docs` has made: each link and picture leads to a file and to a place in it, and pictures come in both themes.

Catches a name of the reference that leads nowhere, and a page or a picture that the site has not been given."""

import html.parser
import pathlib
import sys
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
SITE = ROOT / "out/docs"


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.places, self.images = set(), {""}, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.places |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag == "a" and given.get("href"):
            self.links.add(given["href"])
        if tag == "img" and given.get("src"):
            self.images.append((given["src"], given.get("class") or ""))


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not (SITE / "index.html").exists():
            sys.exit(f"there is no site in {SITE.relative_to(ROOT)}: make docs")
        cls.pages = {path: Page(path.read_text()) for path in SITE.rglob("*.html")}

    def test_has_the_guide_and_the_reference(self):
        for page in ("index", "search", "docs/guide/forks", "reference/index", "reference/sennit/join", "integrations/mpi/README"):
            self.assertIn(SITE / f"{page}.html", self.pages)

    def test_links_lead_somewhere(self):
        broken = set()
        for path, page in self.pages.items():
            for link in page.links | {source for source, _ in page.images}:
                parts = urllib.parse.urlsplit(link)
                if parts.scheme or parts.netloc or link == "#":
                    continue
                target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
                if not target.is_file() or (target in self.pages and parts.fragment not in self.pages[target].places):
                    broken.add(f"{path.relative_to(SITE)}: {link}")
        self.assertEqual(sorted(broken), [])

    def test_pictures_are_there_for_both_themes(self):
        seen = 0
        for path, page in self.pages.items():
            themes = [[theme for theme in ("light", "dark") if f"only-{theme}" in classes] for _, classes in page.images]
            self.assertEqual(themes.count(["light"]), themes.count(["dark"]), path)
            seen += themes.count(["dark"])
        self.assertGreater(seen, 40)

    def test_can_be_searched(self):
        self.assertIn("parallel_find_if", (SITE / "searchindex.js").read_text())


if __name__ == "__main__":
    unittest.main()
