# SPDX-License-Identifier: Apache-2.0
"""Each file of code says under which license it is: scripts/spdx.py. Catches a new file that does not, and a line in the wrong place."""

import importlib.util
import pathlib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
specification = importlib.util.spec_from_file_location("spdx", ROOT / "scripts/spdx.py")
spdx = importlib.util.module_from_spec(specification)
specification.loader.exec_module(spdx)


class Files(unittest.TestCase):
    def test_name_their_license(self):
        self.assertEqual([str(path.relative_to(ROOT)) for path, _, _ in spdx.missing()], [])


class Line(unittest.TestCase):
    def test_comes_first(self):
        self.assertEqual(spdx.with_line("int main();\n", "//"), f"// {spdx.LICENSE}\nint main();\n")

    def test_comes_behind_the_program_that_runs_the_file(self):
        self.assertEqual(spdx.with_line("#!/bin/sh\ntrue\n", "#"), f"#!/bin/sh\n# {spdx.LICENSE}\ntrue\n")

    def test_is_asked_of_scripts_without_a_suffix(self):
        self.assertEqual(spdx.comment(pathlib.Path("run"), "#!/bin/sh\n"), "#")
        self.assertIsNone(spdx.comment(pathlib.Path("page.md"), "# Page\n"))

    def test_far_below_is_not_enough(self):
        self.assertFalse(spdx.says_so("\n\n\n// " + spdx.LICENSE))
        self.assertTrue(spdx.says_so(spdx.with_line("#!/bin/sh\ntrue\n", "#")))


if __name__ == "__main__":
    unittest.main()
