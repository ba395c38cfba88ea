#!/usr/bin/env python3
"""What a release needs besides the artefacts. deploy/publish.sh calls it.

    deploy/package/release.py check TAG              the version; fails unless TAG is the version everywhere
    deploy/package/release.py notes TAG URL          the version's section of the changelog; links lead to the tag in
                                                     the repository at URL
    deploy/package/release.py assemble TAG FOLDER    fails unless FOLDER has all artefacts of the version; writes their
                                                     SBOMs and SHA256SUMS there

--root FOLDER, before these, is another tree than this one.
"""

import argparse
import hashlib
import json
import pathlib
import posixpath
import re
import subprocess
import sys
import tarfile
import zipfile

CHANGELOG = ".github/CHANGELOG.md"
CHART = "deploy/helm/dragoman/Chart.yaml"
VERSION = r"(\d+\.\d+\.\d+)"
# Both wheels, the packages and the programs have the version of CMakeLists.txt; the plain manifests have the chart's.
SOURCES = {
    "CMakeLists.txt": rf"^project\(dragoman VERSION {VERSION} ",
    CHART: rf"^(?:version|appVersion): \"?{VERSION}\"?$",
}
# Artefacts by their names: dragoman_0.1.0_amd64.deb, dragoman_client-0.1.0-py3-none-any.whl, dragoman-fetch:0.1.0.
NAMED = re.compile(rf"\bdragoman(?:[_-](?:server|client|fetch))?[_:-]{VERSION}|app\.kubernetes\.io/version: \"{VERSION}\"")
NAMING = ("deploy", "docker", "client/python")
ARCHITECTURES = {"amd64": "x86_64", "arm64": "aarch64"}
PACKAGED_SBOM = "./usr/share/doc/dragoman/sbom.spdx.json"


def fail(*lines):
    sys.exit("\n".join(f"release: {line}" for line in lines))


def line_of(text, place):
    return text.count("\n", 0, place) + 1


def versions(root):
    """{(path, version): the line where the file has it first}."""
    found = {}
    for path, form in SOURCES.items():
        text = (root / path).read_text()
        matches = list(re.finditer(form, text, re.MULTILINE))
        if not matches:
            fail(f"{path}: found no version, expected {form}")
        for match in matches:
            found.setdefault((path, match[1]), line_of(text, match.start(1)))
    for folder in NAMING:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".md", ".yaml") and path.is_file():
                text = path.read_text()
                for match in NAMED.finditer(text):
                    found.setdefault((str(path.relative_to(root)), match[1] or match[2]), line_of(text, match.start()))
    return found


def section(root, version):
    """What the changelog has below the heading of the version."""
    text = (root / CHANGELOG).read_text()
    headings = list(re.finditer(r"^## (.*)$", text, re.MULTILINE))
    for heading, following in zip(headings, [*headings[1:], None]):
        if re.fullmatch(rf"\[?{re.escape(version)}\]? - \d\d\d\d-\d\d-\d\d", heading[1]):
            body = text[heading.end():following.start() if following else None].strip()
            if not body:
                fail(f"{CHANGELOG}: found nothing below '{heading[0]}', expected the changes")
            return body
    names = ", ".join(f"'{heading[0]}'" for heading in headings) or "none"
    fail(f"{CHANGELOG}: found {names}, expected the section '## {version} - YYYY-MM-DD'")


def version_of(tag):
    if not re.fullmatch("v" + VERSION, tag):
        fail(f"found the tag '{tag}', expected v and three numbers, such as v0.1.0")
    return tag[1:]


def check(root, tag):
    version = version_of(tag)
    wrong = [f"{path}:{line}: found {found}, expected {version}, as in the tag {tag}"
             for (path, found), line in versions(root).items() if found != version]
    if wrong:
        fail(*wrong)
    section(root, version)
    print(version)


def notes(root, tag, url):
    def absolute(match):
        target = match[1]
        if re.match(r"[a-z]+:|#", target):
            return match[0]
        return f"]({url}/blob/{tag}/{posixpath.normpath(posixpath.join(posixpath.dirname(CHANGELOG), target))})"

    print(re.sub(r"\]\(([^()\s]+)\)", absolute, section(root, version_of(tag))))


def field(text, name):
    """A field of a Debian control file, of a wheel's METADATA or of Chart.yaml."""
    match = re.search(rf"^{name}: *\"?([^\s\"]+)", text, re.MULTILINE)
    return match[1] if match else "none"


def of_wheel(path):
    """(METADATA, SBOM or None)."""
    with zipfile.ZipFile(path) as wheel:
        (metadata,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
        sboms = [name for name in wheel.namelist() if re.search(r"\.dist-info/sboms/[^/]+\.spdx\.json$", name)]
        return wheel.read(metadata).decode(), wheel.read(sboms[0]) if sboms else None


def of_deb(path):
    control = subprocess.run(["dpkg-deb", "--field", path], check=True, capture_output=True, text=True).stdout
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", path], stdout=subprocess.PIPE) as unpacked, \
            tarfile.open(fileobj=unpacked.stdout, mode="r|") as files:
        sbom = next((files.extractfile(member).read() for member in files if member.name == PACKAGED_SBOM), None)
        # All of it, because dpkg-deb fails where nothing reads on.
        while unpacked.stdout.read(1 << 20):
            pass
    return control, sbom


def of_tar(path, name):
    with tarfile.open(path) as files:
        return files.extractfile(name).read().decode(), None


def artefacts(version):
    """(pattern of the name, its reader, fields to compare, whether an SBOM is in it)."""
    for debian, machine in ARCHITECTURES.items():
        yield f"dragoman_{version}_{debian}.deb", of_deb, {"Version": version, "Architecture": debian}, True
        yield f"dragoman_server-{version}-py3-none-manylinux_*_{machine}.whl", of_wheel, {"Version": version}, True
    client = f"dragoman_client-{version}"
    yield f"{client}-py3-none-any.whl", of_wheel, {"Version": version}, False
    yield f"{client}.tar.gz", lambda path: of_tar(path, f"{client}/PKG-INFO"), {"Version": version}, False
    chart = {"version": version, "appVersion": version}
    yield f"dragoman-{version}.tgz", lambda path: of_tar(path, "dragoman/Chart.yaml"), chart, False


def images(version):
    """The names of the images, without ':' and with the architecture."""
    for debian in ARCHITECTURES:
        yield f"dragoman_{version}_{debian}"
        yield f"dragoman-fetch_{version}_{debian}"
    yield f"dragoman_{version}-cuda_amd64"


def assemble(tag, folder):
    version = version_of(tag)
    wrong, wanted = [], ["NOTES.md"]
    for pattern, read, fields, has_sbom in artefacts(version):
        paths = list(folder.glob(pattern))
        if len(paths) != 1:
            wrong.append(f"{folder}: found {len(paths)} of {pattern}, expected 1")
            continue
        (path,) = paths
        wanted.append(path.name)
        text, sbom = read(path)
        wrong += [f"{path.name}: found {name} {field(text, name)}, expected {value}" for name, value in fields.items()
                  if field(text, name) != value]
        if has_sbom:
            if sbom is None:
                wrong.append(f"{path.name}: found no SBOM, expected one")
                continue
            (folder / f"{path.name}.spdx.json").write_bytes(sbom)
            wanted.append(f"{path.name}.spdx.json")
    wanted += [f"{name}.image.spdx.json" for name in images(version)]
    for name in wanted:
        path = folder / name
        if not path.is_file():
            wrong.append(f"{folder}: found no {name}, expected one")
        elif name.endswith(".spdx.json"):
            found = {package.get("versionInfo") for package in json.loads(path.read_text())["packages"]
                     if package.get("primaryPackagePurpose") in ("APPLICATION", "CONTAINER")}
            if found != {version}:
                wrong.append(f"{name}: found the versions {sorted(map(str, found))}, expected {version}")
    known = {*wanted, "SHA256SUMS"}
    wrong += [f"{folder}: found {path.name}, which is no artefact of {version}" for path in sorted(folder.iterdir())
              if path.is_file() and path.name not in known]
    if wrong:
        fail(*wrong)
    sums = [f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in sorted(wanted)
            if name != "NOTES.md"]
    (folder / "SHA256SUMS").write_text("".join(sums))
    print(f"{len(sums)} files of {version} in {folder / 'SHA256SUMS'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    commands = parser.add_subparsers(dest="command", required=True)
    for name, *others in (("check",), ("notes", "url"), ("assemble", "folder")):
        command = commands.add_parser(name)
        for argument in ("tag", *others):
            command.add_argument(argument)
    arguments = parser.parse_args()
    if arguments.command == "check":
        check(arguments.root, arguments.tag)
    elif arguments.command == "notes":
        notes(arguments.root, arguments.tag, arguments.url)
    else:
        assemble(arguments.tag, pathlib.Path(arguments.folder))


if __name__ == "__main__":
    main()
