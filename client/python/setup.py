"""Builds the wheel and the source distribution: adds to this folder what is made of the contract (generate.py).

In the tree the contract is that of the project. A source distribution has a copy in `contract`, and its version in
PKG-INFO, so that it builds from itself.
"""

import pathlib
import re
import shutil
import sys

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = pathlib.Path(__file__).resolve().parent
COPY = HERE / "contract"
CONTRACT = COPY if COPY.is_dir() else HERE.parents[1] / "proto"
# What the package is made of, and what that imports.
FILES = ("dragoman/v1/translation.proto", "google/rpc/status.proto", "options/decoding_options.inc")
sys.path.insert(0, str(HERE))


class BuildWithStubs(build_py):
    def run(self):
        super().run()
        import generate  # Here, because grpcio-tools is needed for building alone.

        generate.write_package(CONTRACT, pathlib.Path(self.build_lib) / "dragoman")


class SdistWithContract(sdist):
    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        tree = pathlib.Path(base_dir)
        shutil.copy(HERE / "generate.py", tree)
        for name in FILES:
            copy = tree / "contract" / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(CONTRACT / name, copy)


def version():
    """The version of the whole project, which CMakeLists.txt has."""
    file, form = HERE.parents[1] / "CMakeLists.txt", r"^project\(\w+\s+VERSION\s+([\d.]+)"
    if CONTRACT == COPY:
        file, form = HERE / "PKG-INFO", r"^Version: (\S+)"
    found = re.search(form, file.read_text(), re.M)
    if found is None:
        sys.exit(f"setup: found no version in {file}, expected '{form}'")
    return found.group(1)


setup(version=version(), cmdclass={"build_py": BuildWithStubs, "sdist": SdistWithContract})
