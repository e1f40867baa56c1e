# SPDX-License-Identifier: Apache-2.0
"""Sennit for Conan 2: `conan create packaging/conan` in a clone. The library; the commands come by `make install` or as a Debian package.

Boost and hwloc are Conan's, or, with -o "sennit/*:dependencies=system", the system's.
"""

import pathlib
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir
from conan.tools.gnu import PkgConfigDeps
from conan.tools.system.package_manager import Apt


class SennitRecipe(ConanFile):
    name = "sennit"
    description = "Parallel programs with nearly free forks for C++20"
    license = "Apache-2.0"
    topics = ("parallel", "concurrency", "fork-join", "task-graphs")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {
        "shared": [True, False],
        "hwloc": [True, False],
        "dependencies": ["conan", "system"],
    }
    default_options = {"shared": False, "hwloc": True, "dependencies": "conan", "boost/*:without_context": False}

    def _root(self):
        return pathlib.Path(self.recipe_folder).parents[1]

    def set_version(self):
        header = load(self, self._root() / "include/sennit/version.hpp")
        self.version = ".".join(re.findall(r"#define SENNIT_VERSION_(?:MAJOR|MINOR|PATCH) +(\d+)", header))

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "integrations/*/CMakeLists.txt", "integrations/*/include/*", "src/*", "tools/gdb/*"):
            copy(self, pattern, self._root(), self.export_sources_folder)

    def validate(self):
        check_min_cppstd(self, 20)
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("Sennit runs on Linux")

    def requirements(self):
        if self.options.dependencies == "conan":
            self.requires("boost/[>=1.74 <2]")
            if self.options.hwloc:
                self.requires("hwloc/[>=2.5 <3]")

    def system_requirements(self):
        if self.options.dependencies == "system":
            Apt(self).install(["libboost-context-dev"] + (["libhwloc-dev"] if self.options.hwloc else []))

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["SENNIT_BUILD_TESTS"] = False
        toolchain.cache_variables["SENNIT_BUILD_TOOLS"] = False
        toolchain.cache_variables["SENNIT_WITH_HWLOC"] = "ON" if self.options.hwloc else "OFF"
        toolchain.generate()
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, pathlib.Path(self.package_folder) / "licenses")
        CMake(self).install()
        rmdir(self, pathlib.Path(self.package_folder) / "share/doc")

    def package_info(self):
        # The package's own files for CMake, as they bring functions, and say which components there are.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/sennit"]
        self.cpp_info.libs = ["sennit"]
        if self.options.shared:
            self.cpp_info.defines = ["SENNIT_SHARED=1"]
        if self.options.dependencies == "system":
            self.cpp_info.system_libs = ["boost_context"] + (["hwloc"] if self.options.hwloc else [])
        self.cpp_info.system_libs += ["pthread", "dl"]
