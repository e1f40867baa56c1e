# SPDX-License-Identifier: Apache-2.0
"""What a record says of its machine."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))

from driver import machine  # noqa: E402

EPYC = "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: {model}\nmodel name\t: AMD EPYC\n"
GRAVITON = "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd40\n"


class Kind(unittest.TestCase):
    def kind(self, cpuinfo, caches=()):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "cpuinfo").write_text(cpuinfo)
            for number, (what, size) in enumerate(caches):
                index = folder / f"index{number}"
                index.mkdir()
                (index / "type").write_text(f"{what}\n")
                (index / "size").write_text(f"{size}\n")
            return machine.kind(folder / "cpuinfo", folder)

    # Catches: runs on two generations of a processor of one name, of which one takes the place of the other.
    def test_tells_generations_and_caches_apart(self):
        caches = [("Data", "32K"), ("Instruction", "64K"), ("Unified", "1024K")]
        self.assertEqual(self.kind(EPYC.format(model=17), caches), "family 25, model 17, caches of 32 KiB, 1024 KiB")
        self.assertNotEqual(self.kind(EPYC.format(model=17)), self.kind(EPYC.format(model=1)))
        self.assertNotEqual(self.kind(EPYC.format(model=17), caches), self.kind(EPYC.format(model=17), caches[:1]))

    # Catches: all machines with AArch64 taken for one kind, as these have neither family nor model.
    def test_knows_processors_without_a_family(self):
        self.assertEqual(self.kind(GRAVITON), "implementer 0x41, part 0xd40")

    def test_of_this_machine_is_known(self):
        self.assertTrue(machine.kind())


if __name__ == "__main__":
    unittest.main()
