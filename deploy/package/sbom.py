#!/usr/bin/env python3
"""The SBOM of the binaries: what they are linked to, and the models beside them, as SPDX 2.3 in JSON.

    deploy/package/sbom.py --version V [--output FILE] [--sysroot FOLDER] [--copies FOLDER] [--model FILE]... BINARY...
    deploy/package/sbom.py --version V --image NAME --sysroot FOLDER [--compiled-on FOLDER] [--model FILE]... [BINARY...]

Shared libraries are those that the loader finds (ldd), by the Debian package that owns each file, with
version, licences and the hash of the file; what is compiled in (headers, static libraries) is listed by
the package that it comes from. Libraries of --copies are auditwheel's copies of the system's, under
names with a hash: they belong to the package of the file that each was copied from. Binaries for another
kind of machine have their libraries and packages from its --sysroot (deploy/cross/sysroot.sh). A --model is one of
MODELS below, which have their own licences. Two runs on one machine differ in nothing: the date is that of
SOURCE_DATE_EPOCH, or of the newest binary.

With --image the sysroot is the root of a container image, and the SBOM has all of its Debian packages, and the libraries
in /usr/local/lib, too. An image has no headers: --compiled-on is a root with the dpkg database and the copyright files
of the stage that compiled the binaries.
"""

import argparse
import datetime
import functools
import glob
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

# Debian packages of which code is compiled into the binaries.
COMPILED_IN = ("libboost1.81-dev", "nlohmann-json3-dev", "libprometheus-cpp-dev", "prometheus-cpp-dev", "libabsl-dev", "libspdlog-dev")
# Short names of Debian's copyright files that SPDX calls otherwise.
LICENCES = {
    "Expat": "MIT",
    "Apache-2.0": "Apache-2.0",
    "Apache-2": "Apache-2.0",
    "BSD-3-clause": "BSD-3-Clause",
    "BSD-3-Clause": "BSD-3-Clause",
    "BSD-2-clause": "BSD-2-Clause",
    "BSD-2-Clause": "BSD-2-Clause",
    "MIT": "MIT",
    "Zlib": "Zlib",
    "zlib": "Zlib",
    "ISC": "ISC",
    "LGPL-2.1+": "LGPL-2.1-or-later",
    "GPL-2+": "GPL-2.0-or-later",
    "GPL-3+": "GPL-3.0-or-later",
    "CC0-1.0": "CC0-1.0",
}
# Models that come with the programs, by the name of their file: what it is, whose, and under what terms.
MODELS = {
    "lid.176.ftz": {
        "name": "lid.176",
        "summary": "fastText's classifier of 176 languages, with which the first binary detects languages",
        "originator": "Organization: Facebook AI Research",
        "homepage": "https://fasttext.cc/docs/en/language-identification.html",
        "licenseDeclared": "CC-BY-SA-3.0",
        "copyrightText": "A. Joulin, E. Grave, P. Bojanowski, T. Mikolov, M. Douze, H. Jegou (Facebook AI Research)",
        "attribution": "NOTICE",
    },
    "model.safetensors": {
        "name": "de-en",
        "summary": "a small German-English translation model",
        "licenseDeclared": "NOASSERTION",
        "licenseComments": "The data's licences are in README.md beside the model: CC BY 2.0 FR (Tatoeba), CC0 1.0",
        "copyrightText": "The Dragoman authors",
        "attribution": "README.md",
    },
}


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def sha256(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


class System:
    """Whose libraries and packages are meant: this machine's, or a sysroot's. Paths begin at the root of either."""

    def __init__(self, sysroot):
        self.root = os.path.abspath(sysroot) if sysroot else ""
        self.database = [f"--admindir={self.root}/var/lib/dpkg"] if sysroot else []

    def here(self, path):
        """Where a path of the system is on this machine."""
        return self.root + path


THIS_MACHINE = System(None)


def folders_of_sysroot(system):
    """Where its libraries are."""
    return [folder for lib in ("/lib", "/usr/lib") for folder in sorted(glob.glob(system.here(f"{lib}/*-linux-gnu")))]


def libraries_of_sysroot(binary, system, copies):
    """The files that its loader would load, without running it: what is needed, and what that needs. Copies are first."""
    folders = [*([str(copies)] if copies else []), *folders_of_sysroot(system)]
    found, wanted = set(), [str(binary)]
    while wanted:
        file = wanted.pop()
        for name in re.findall(r"\(NEEDED\).*\[(\S+)\]", run("readelf", "-d", file)):
            paths = [f"{folder}/{name}" for folder in folders if os.path.exists(f"{folder}/{name}")]
            if not paths:
                sys.exit(f"sbom: {file} needs {name}, found none in {', '.join(folders)}")
            path = os.path.realpath(paths[0])
            if path not in found:
                found.add(path)
                wanted.append(path)
    return {path.removeprefix(os.path.realpath(system.root)) for path in found}


def libraries(binary, system, copies):
    """The files that the loader would load."""
    if system.root:
        return libraries_of_sysroot(binary, system, copies)
    out = run("ldd", str(binary))
    missing = re.findall(r"^\s*(\S+) => not found", out, re.MULTILINE)
    if missing:
        sys.exit(f"sbom: {binary} needs {', '.join(missing)}, which the loader does not find")
    found = re.findall(r"^\s*(?:\S+ => )?(/\S+) \(0x", out, re.MULTILINE)
    return {os.path.realpath(path) for path in found}


def owner(path, system=THIS_MACHINE):
    """The Debian package that a file is of. dpkg knows /lib as well as /usr/lib by one name."""
    for candidate in (path, path.removeprefix("/usr"), "/usr" + path):
        done = subprocess.run(["dpkg-query", *system.database, "-S", candidate], capture_output=True, text=True)
        if done.returncode == 0:
            return done.stdout.split(": ")[0].split(",")[0]
    sys.exit(f"sbom: found no Debian package that owns {path}")


@functools.lru_cache(maxsize=None)
def known_libraries(system):
    """The files of the libraries that the loader knows, by their names."""
    if system.root:
        paths = [path for folder in folders_of_sysroot(system) for path in glob.glob(f"{folder}/*.so*")]
    else:
        paths = re.findall(r"=> (/\S+)", run("/sbin/ldconfig", "-p"))
    root = os.path.realpath(system.root) if system.root else ""
    return {os.path.basename(real): real.removeprefix(root) for real in map(os.path.realpath, paths)}


def copied_from(path, system=THIS_MACHINE):
    """The file of the system that auditwheel copied to `path`: libz-0123abcd.so.1.2 is its libz.so.1.2."""
    base, _, rest = path.name.partition(".")
    name = re.sub(r"-[0-9a-f]{8}$", "", base) + "." + rest
    if name not in known_libraries(system):
        sys.exit(f"sbom: found no library {name} in {system.root or 'this machine'}, of which {path} is a copy")
    return known_libraries(system)[name]


def compiled_in(system=THIS_MACHINE):
    """The packages of COMPILED_IN that are there."""
    form = ["dpkg-query", *system.database, "-W", "-f", "${db:Status-Status}"]
    return [name for name in COMPILED_IN
            if subprocess.run([*form, name], capture_output=True, text=True).stdout == "installed"]


def installed(system):
    """All packages that are there."""
    lines = run("dpkg-query", *system.database, "-W", "-f", "${db:Status-Status} ${binary:Package}\n").splitlines()
    return [line.removeprefix("installed ") for line in lines if line.startswith("installed ")]


def about(package, system):
    fields = ("Version", "Architecture", "source:Package", "Homepage")
    form = "\\t".join("${" + field + "}" for field in fields)
    return run("dpkg-query", *system.database, "-W", "-f", form, package).split("\t")


def licences(package, system):
    """The licences that the package's copyright file names, as comments can hold them, and the SPDX
    expression if all of them are known."""
    name = package.split(":")[0]
    try:
        text = pathlib.Path(system.here(f"/usr/share/doc/{name}/copyright")).read_text(errors="replace")
    except OSError:
        return [], "NOASSERTION"
    found = sorted(set(re.findall(r"^License: *(\S+)", text, re.MULTILINE)))
    known = [LICENCES[licence] for licence in found if licence in LICENCES]
    if not found or len(known) < len(found):
        return found, "NOASSERTION"
    return found, " AND ".join(sorted(set(known)))


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def debian_package(package, files, system):
    """What the SBOM says of it; `files` are its libraries, by their paths on this machine."""
    name = package.split(":")[0]
    version, architecture, source, homepage = about(package, system)
    declared, expression = licences(package, system)
    out = {
        "name": name,
        "SPDXID": identifier(name),
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "supplier": "Organization: Debian",
        "sourceInfo": f"built from the Debian source package {source}",
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": expression,
        "licenseComments": f"The package's copyright file names: {', '.join(declared) or 'none'}",
        "copyrightText": "NOASSERTION",
        "externalRefs": [
            {
                "referenceCategory": "PACKAGE-MANAGER",
                "referenceType": "purl",
                "referenceLocator": f"pkg:deb/debian/{name}@{version}?arch={architecture}&distro=debian-12",
            }
        ],
    }
    if homepage:
        out["homepage"] = homepage
    if files:
        hashes = ", ".join(f"{os.path.basename(path)} sha256:{sha256(path)}" for path in sorted(files))
        out["comment"] = f"Loaded: {hashes}"
    return out


def model_package(path):
    about_it = MODELS.get(path.name)
    if about_it is None:
        sys.exit(f"sbom: found the model {path}, expected one of {', '.join(MODELS)}")
    attribution = path.with_name(about_it["attribution"])
    if not attribution.is_file():
        sys.exit(f"sbom: found no {attribution}, which has the attribution of {path.name}")
    kept = ("name", "summary", "originator", "homepage", "licenseDeclared", "licenseComments", "copyrightText")
    return {
        **{key: about_it[key] for key in kept if key in about_it},
        "SPDXID": identifier(f"model-{about_it['name']}"),
        "packageFileName": path.name,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "checksums": [{"algorithm": "SHA256", "checksumValue": sha256(path)}],
        "attributionTexts": [f"{attribution.name}, beside the file"],
        "primaryPackagePurpose": "FILE",
    }


def local_library(path):
    """A library of an image that no Debian package has: cuBLASLt, which docker/Dockerfile.cuda copies."""
    if not path.name.startswith("libcublasLt.so."):
        sys.exit(f"sbom: found the library {path}, expected none of other packages than Debian's but libcublasLt")
    return {
        "name": path.name,
        "SPDXID": identifier(path.name),
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "supplier": "Organization: NVIDIA",
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "licenseComments": "NVIDIA's CUDA Toolkit End User License Agreement",
        "copyrightText": "NOASSERTION",
        "checksums": [{"algorithm": "SHA256", "checksumValue": sha256(path)}],
        "primaryPackagePurpose": "LIBRARY",
    }


def image_package(name, version):
    return {
        "name": name,
        "SPDXID": identifier(f"image-{name}"),
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
        "primaryPackagePurpose": "CONTAINER",
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--version", required=True)
    parser.add_argument("--output")
    parser.add_argument("--sysroot", metavar="FOLDER")
    parser.add_argument("--copies", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--model", action="append", default=[], type=pathlib.Path)
    parser.add_argument("--image", metavar="NAME")
    parser.add_argument("--compiled-on", metavar="FOLDER")
    parser.add_argument("binaries", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.image and not arguments.sysroot:
        parser.error("--image needs --sysroot, the root of the image")
    if not arguments.image and not arguments.binaries:
        parser.error("found no BINARY, expected at least one")
    system = System(arguments.sysroot)
    compiler = System(arguments.compiled_on) if arguments.compiled_on else system
    copies = arguments.copies.resolve() if arguments.copies else None

    status = [pathlib.Path(system.here("/var/lib/dpkg/status"))] if arguments.image else []
    newest = max(path.stat().st_mtime for path in [*arguments.binaries, *status])
    when = int(os.environ.get("SOURCE_DATE_EPOCH", newest))
    created = datetime.datetime.fromtimestamp(when, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")

    packages, relations = [], []
    of_package = {}
    for binary in arguments.binaries:
        main_id = identifier(binary.name)
        packages.append(
            {
                "name": binary.name,
                "SPDXID": main_id,
                "versionInfo": arguments.version,
                "downloadLocation": "NOASSERTION",
                "filesAnalyzed": False,
                "licenseConcluded": "MIT",
                "licenseDeclared": "MIT",
                "copyrightText": "NOASSERTION",
                "checksums": [{"algorithm": "SHA256", "checksumValue": sha256(binary)}],
                "primaryPackagePurpose": "APPLICATION",
            }
        )
        relations.append(("SPDXRef-DOCUMENT", "DESCRIBES", main_id))
        for library in sorted(libraries(binary, system, copies)):
            is_copy = copies is not None and pathlib.Path(library).parent == copies
            package = owner(copied_from(pathlib.Path(library), system) if is_copy else library, system)
            of_package.setdefault(package, set()).add(library if is_copy else system.here(library))
            relation = (main_id, "DYNAMIC_LINK", identifier(package.split(":")[0]))
            if relation not in relations:
                relations.append(relation)
    for package in installed(system) if arguments.image else ():
        if package.split(":")[0] not in {known.split(":")[0] for known in of_package}:
            of_package[package] = set()
    packages += [debian_package(package, files, system) for package, files in sorted(of_package.items())]
    if arguments.binaries:
        for package in compiled_in(compiler):
            if identifier(package) not in {known["SPDXID"] for known in packages}:
                packages.append(debian_package(package, (), compiler))
            relations.append((identifier(arguments.binaries[0].name), "STATIC_LINK", identifier(package)))
    for path in arguments.model:
        packages.append(model_package(path))
        relations.append((packages[-1]["SPDXID"], "DATA_FILE_OF", identifier(arguments.binaries[0].name)))

    if arguments.image:
        packages += [local_library(path) for path in sorted(pathlib.Path(system.here("/usr/local/lib")).glob("*.so*"))]
        image = image_package(arguments.image, arguments.version)
        static = {package for _, kind, package in relations if kind == "STATIC_LINK"}
        contained = [package["SPDXID"] for package in packages if package["SPDXID"] not in static]
        relations = [("SPDXRef-DOCUMENT", "DESCRIBES", image["SPDXID"]),
                     *((image["SPDXID"], "CONTAINS", package) for package in contained),
                     *(relation for relation in relations if relation[1] != "DESCRIBES")]
        packages.insert(0, image)

    digest = hashlib.sha256(json.dumps(packages).encode()).hexdigest()
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{arguments.image or 'dragoman'}-{arguments.version}",
        "documentNamespace": f"https://dragoman.invalid/spdx/{arguments.version}/{digest}",
        "creationInfo": {"created": created, "creators": ["Tool: deploy/package/sbom.py"]},
        "packages": packages,
        "relationships": [
            {"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in relations
        ],
    }
    text = json.dumps(document, indent=1) + "\n"
    if arguments.output:
        pathlib.Path(arguments.output).write_text(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
