"""Builds the wheel: adds what is made of the contract (generate.py) to the modules of this folder."""

import pathlib
import re
import sys

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))


class BuildWithStubs(build_py):
    def run(self):
        super().run()
        import generate  # Here, because grpcio-tools is needed for building alone.

        generate.write_package(ROOT / "proto", pathlib.Path(self.build_lib) / "dragoman")


def version():
    """The version of the whole project, which CMakeLists.txt has."""
    found = re.search(r"^project\(\w+\s+VERSION\s+([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)
    if found is None:
        sys.exit(f"setup: found no version in {ROOT / 'CMakeLists.txt'}, expected project(... VERSION N.N.N")
    return found.group(1)


setup(version=version(), cmdclass={"build_py": BuildWithStubs})
