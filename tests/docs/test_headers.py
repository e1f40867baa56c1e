# SPDX-License-Identifier: Apache-2.0
"""Each public header shows how it is used, in a comment that extract.py finds and has compiled.

Catches: a header without such an example, or with one that is laid out differently.
"""

import unittest
from pathlib import Path

from extract import examples

HEADERS = Path(__file__).parents[2] / "include" / "sennit"


class Headers(unittest.TestCase):
    def test_examples(self):
        headers = [*HEADERS.glob("*.hpp"), *(HEADERS / "algorithm").glob("*.hpp")]
        public = [header for header in headers if header.name != "sennit.hpp"]
        public.append(HEADERS.parent / "sennit.h")
        self.assertEqual([header.name for header in public if not examples(header)], [])


if __name__ == "__main__":
    unittest.main()
