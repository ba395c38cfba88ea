#!/bin/bash
# Builds the wheel of the programs from build/release (or BUILD_FOLDER), installs it in a fresh virtual environment,
# serves the model in it and translates a line; checks the licences and the SBOM in it. That of build/arm64 is served on
# another kind of machine under qemu-user, with no library of ARM beside its own but those that its tag promises. Needs
# PyPI; status 77 where there is none.
#
#   tests/package/wheel.sh [BUILD_FOLDER]
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
build="${1:-$root/build/release}"
work="$(mktemp -d)"
source "$root/tests/package/daemon.sh"
trap 'kill_daemon; rm -rf "$work"' EXIT
fail() {
  echo "FAILED wheel: $*" >&2
  exit 1
}

wheel="$("$root/deploy/wheel/build.sh" "$build")" || {
  echo "SKIPPED the wheel: it could not be built" >&2
  exit 77
}
[[ $wheel =~ manylinux_2_([0-9]+)_(x86_64|aarch64)\.whl ]] || fail "found $wheel, expected a manylinux tag"
machine=${BASH_REMATCH[2]}
# Debian 12 has glibc 2.36.
((BASH_REMATCH[1] <= 36)) || fail "found manylinux_2_${BASH_REMATCH[1]}, expected 2_36 at most"
echo "passed: $(basename "$wheel"), $(stat -c %s "$wheel") bytes"

python3 -m venv "$work/venv"
install=("$work/venv/bin/pip" install --quiet --disable-pip-version-check "$wheel")
PATH="$work/venv/bin:/usr/bin:/bin"
if [[ $machine == "$(uname -m)" ]]; then
  "${install[@]}"
  dragomand=(dragomand) dragoman=(dragoman)
else
  export PYTHONPATH="$work/site"
  "${install[@]}" --platform "manylinux_2_${BASH_REMATCH[1]}_$machine" --only-binary=:all: --no-deps --target "$PYTHONPATH"
  libraries="$(dirname "$build")/arm64-sysroot" of=$machine-linux-gnu
  mkdir -p "$work/root/lib/$of"
  cp -L "$libraries/lib/ld-linux-$machine.so.1" "$work/root/lib/"
  for library in libc.so.6 libm.so.6 libgcc_s.so.1 libz.so.1 libstdc++.so.6; do
    cp -L "$(find "$libraries"/{lib,usr/lib}/"$of" -maxdepth 1 -name "$library")" "$work/root/lib/$of/"
  done
  # What the package's functions run in place of themselves.
  dragomand=("qemu-$machine" -L "$work/root" "$PYTHONPATH/dragoman_server/bin/dragomand")
  dragoman=("qemu-$machine" -L "$work/root" "$PYTHONPATH/dragoman_server/bin/dragoman")
fi
site="$(python -c 'import dragoman_server; print(dragoman_server.FOLDER.parent)')"
model="$(python -c 'import dragoman_server; print(dragoman_server.MODEL)')"
# Where no flag names a model the package names its own.
ours=()
[[ $machine == "$(uname -m)" ]] || ours=(--model de-en="$model")
start_daemon "${dragomand[@]}" "${ours[@]}" --metrics off
translate_and_detect "${dragoman[@]}"
# The process is the program itself: the signal reaches it, and the status is its own.
stop_daemon
echo "passed: serves the model of the wheel: $translation; detects German"
if [[ $machine == "$(uname -m)" ]]; then
  "${dragoman[@]}" fetch --help | grep -qF '[NAME=]SOURCE' || fail "dragoman fetch --help"
  echo "passed: dragoman fetch"
fi

python - <<'PYTHON' || fail "the licences and the SBOM"
import hashlib, json, re, subprocess
import dragoman_server

site = dragoman_server.FOLDER.parent
libraries = sorted((site / "dragoman_server.libs").iterdir())
(info,) = site.glob("dragoman_server-*.dist-info")
sbom = json.loads((info / "sboms/dragoman-server.spdx.json").read_text())
packages = {package["name"]: package for package in sbom["packages"]}
for model in ("de-en", "lid.176"):
    assert any(model in name for name in packages), f"the SBOM has no model {model}, but {sorted(packages)}"
comments = " ".join(package.get("comment", "") for package in sbom["packages"])
for library in libraries:
    entry = f"{library.name} sha256:{hashlib.sha256(library.read_bytes()).hexdigest()}"
    assert entry in comments, f"the SBOM has no '{entry}'"
for name in ("dragomand", "dragoman"):
    found = packages[name]["checksums"][0]["checksumValue"]
    assert found == hashlib.sha256((dragoman_server.FOLDER / "bin" / name).read_bytes()).hexdigest(), name
# A licence for each package of which something is in the wheel; the rest is the system's.
copied = [p["name"] for p in sbom["packages"] if any(library.name in p.get("comment", "") for library in libraries)]
static = {r["relatedSpdxElement"] for r in sbom["relationships"] if r["relationshipType"] == "STATIC_LINK"}
copied += [p["name"] for p in sbom["packages"] if p["SPDXID"] in static]
assert {"libgrpc29", "libicu72", "libprotobuf32", "libssl3", "libboost1.81-dev"} <= set(copied), copied
for name in copied:
    text = (info / "licenses/debian" / name / "copyright").read_text(errors="replace")
    assert text.strip(), name
    # What it only refers to is there, too.
    for common in re.findall(r"/usr/share/common-licenses/([A-Za-z0-9.+-]*[A-Za-z0-9+])", text):
        assert (info / "licenses/debian/common-licenses" / common).is_file(), (name, common)
# What is linked and not in the wheel.
needed = set()
for file in [*libraries, *(dragoman_server.FOLDER / "bin").iterdir()]:
    dynamic = subprocess.run(["readelf", "--dynamic", file], capture_output=True, text=True, check=True).stdout
    needed.update(re.findall(r"\(NEEDED\).*\[(\S+)\]", dynamic))
system = sorted(needed - {library.name for library in libraries})
size = sum(file.stat().st_size for file in [*dragoman_server.FOLDER.rglob("*"), *libraries] if file.is_file())
print(f"passed: {len(libraries)} libraries of {len(copied) - len(static)} packages have their licences and are in the SBOM")
print(f"installed: {size} bytes; of the system: {', '.join(system)}")
PYTHON
if venv="$("$root/tests/venv.sh" package)"; then
  "$venv/bin/pyspdxtools" --infile "$(echo "$site"/dragoman_server-*/sboms/*.spdx.json)" \
    >"$work/spdx" 2>&1 || fail "pyspdxtools: $(tail -5 "$work/spdx")"
  echo "passed: spdx-tools finds the SBOM valid"
  echo "4 passed, 0 failed"
else
  echo "SKIPPED the SBOM's schema: no Python package spdx-tools"
  echo "3 passed, 0 failed"
fi
