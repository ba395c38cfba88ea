#!/usr/bin/env python3
"""Puts the licences of what a wheel has from Debian into it.

    deploy/wheel/notices.py COPIES FOLDER [SYSROOT]

COPIES has the libraries that auditwheel copied into the wheel. FOLDER gets the copyright file of each Debian package
that one of them, or code that is compiled into the programs, is of: FOLDER/PACKAGE/copyright; and the licences that
these files only refer to, as FOLDER/common-licenses/NAME. Programs for another kind of machine have their packages from
SYSROOT (deploy/cross/sysroot.sh).
"""

import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "package"))
sys.dont_write_bytecode = True

import sbom

DOCUMENTS = "/usr/share/doc"
# The same on every kind of machine.
COMMON = pathlib.Path("/usr/share/common-licenses")


def common_licences(text):
    """The names of the files of COMMON that a copyright file refers to."""
    names = set(re.findall(re.escape(str(COMMON)) + r"/([A-Za-z0-9.+-]*[A-Za-z0-9+])", text))
    return sorted(name for name in names if (COMMON / name).is_file())


def main():
    copies, folder = map(pathlib.Path, sys.argv[1:3])
    system = sbom.System(sys.argv[3]) if len(sys.argv) > 3 else sbom.THIS_MACHINE
    libraries = sorted(path for path in copies.iterdir() if ".so" in path.name)
    if not libraries:
        sys.exit(f"notices: found no library in {copies}, expected those that auditwheel copied")
    packages = {sbom.owner(sbom.copied_from(path, system), system).split(":")[0] for path in libraries}
    packages |= set(sbom.compiled_in(system))
    referred = set()
    for package in sorted(packages):
        source = pathlib.Path(system.here(f"{DOCUMENTS}/{package}/copyright"))
        if not source.is_file():
            sys.exit(f"notices: found no {source}, expected the licence of what is in the wheel")
        (folder / package).mkdir(parents=True)
        shutil.copyfile(source, folder / package / "copyright")
        referred.update(common_licences(source.read_text(errors="replace")))
    (folder / "common-licenses").mkdir()
    for name in sorted(referred):
        shutil.copyfile(COMMON / name, folder / "common-licenses" / name)
    print(f"{len(libraries)} libraries, {len(packages)} packages, {len(referred)} common licences")


if __name__ == "__main__":
    main()
