# SPDX-License-Identifier: Apache-2.0
"""build_wheel.py PACKAGE PREFIX: builds a wheel with the library that is installed in PREFIX, and uses it.

Catches: a file that the wheel does not have; a package that only runs in a clone. Skipped where the Python has not what builds
wheels."""

import importlib.util
import os
import subprocess
import sys
import tempfile
import zipfile

package, prefix = sys.argv[1:3]
missing = [name for name in ("pip", "scikit_build_core") if not importlib.util.find_spec(name)]
if missing:
    print(f"skipped: {sys.executable} has no {', '.join(missing)}; SENNIT_PYTHON may name a Python that has")
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder,
         "--config-settings=cmake.define.SENNIT_INSTALLED=ON", package],
        check=True, env={**os.environ, "CMAKE_PREFIX_PATH": prefix},
    )
    wheels = [name for name in os.listdir(folder) if name.endswith(".whl")]
    if len(wheels) != 1 or "-py3-none-" not in wheels[0]:
        sys.exit(f"these wheels were built: {wheels}")
    unpacked = os.path.join(folder, "unpacked")
    zipfile.ZipFile(os.path.join(folder, wheels[0])).extractall(unpacked)
    program = "import sennit; parts = []; sennit.parallel_for(10, lambda a, b: parts.append(b - a)); " \
              "assert sum(parts) == 10 and sennit.__version__ in " + repr(wheels[0]) + ", parts"
    subprocess.run([sys.executable, "-c", program], check=True, env={**os.environ, "PYTHONPATH": unpacked}, cwd=folder)
