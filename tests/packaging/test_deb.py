# SPDX-License-Identifier: Apache-2.0
"""scripts/deb.sh before it makes a root. Catches: a package that names a maintainer whom no mail reaches, which is seen after the build."""

import os
import pathlib
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Deb(unittest.TestCase):
    def test_a_maintainer_has_a_name_and_an_address(self):
        for name, email in (("Ada", ""), ("", "ada@example.org"), ("Ada", "ada"), ("Ada", "a b@c"), ("A <b>", "a@b"), ("Ada\nBuild: x", "a@b"), ("", "<a@b>")):
            done = subprocess.run(
                ["sh", ROOT / "scripts/deb.sh"], env={**os.environ, "DEBFULLNAME": name, "DEBEMAIL": email, "SENNIT_DEB_SUITE": "none"},
                capture_output=True, text=True,
            )
            self.assertEqual(done.returncode, 2, (name, email, done.stderr))
            self.assertIn("name no maintainer: give a name and an address", done.stderr)


if __name__ == "__main__":
    unittest.main()
