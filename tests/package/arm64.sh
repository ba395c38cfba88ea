#!/bin/bash
# Makes the Debian package of build/arm64 (or BUILD_FOLDER) on a machine of another kind, unpacks it into a folder with
# nothing but what apt finds for its dependencies, and translates with it there under qemu-user. Installs nothing on
# this machine and runs no script of a package. Needs 'deploy/install-deps.sh --cross' and an apt source of Debian 12.
#
#   tests/package/arm64.sh [BUILD_FOLDER]
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
build="${1:-$root/build/arm64}"
work="$(mktemp -d)"
source "$root/tests/package/daemon.sh"
passed=0
fail() {
  echo "FAILED package for arm64: $*" >&2
  exit 1
}
pass() {
  passed=$((passed + 1))
  echo "passed: $*"
}
cleanup() {
  kill_daemon
  rm -rf "$work"
}
trap cleanup EXIT

deb="$("$root/deploy/package/build.sh" "$build" | tail -1)"
dpkg-deb --info "$deb" >"$work/info"
for field in 'Package: dragoman' 'Architecture: arm64' 'libgrpc++1.51' 'libprotobuf32' 'libssl3' 'libc6 (>= 2.'; do
  grep -qF "$field" "$work/info" || fail "dpkg-deb --info has no '$field': $(cat "$work/info")"
done
pass "$(basename "$deb"), $(stat -c %s "$deb") bytes, names the libraries that it needs"

mapfile -t sources < <(grep -lsE '^[^#]*\bbookworm\b.*' /etc/apt/sources.list /etc/apt/sources.list.d/*.list \
  /etc/apt/sources.list.d/*.sources | xargs -r grep -lE 'debian' || true)
[[ ${#sources[@]} -gt 0 ]] || fail "/etc/apt names no source of Debian 12 (bookworm)"
mode=root
[[ $EUID -eq 0 ]] || mode=unshare
# apt finds what the package depends on, in the versions that it asks for, or fails. The package has to be at one path
# outside and inside.
chmod 755 "$work"
cp "$deb" "$work/dragoman.deb"
arm="$work/arm"
mmdebstrap --variant=extract --mode=$mode --architectures=arm64 --skip=check/qemu \
  --setup-hook="mkdir -p \"\$1$work\" && cp '$work/dragoman.deb' \"\$1$work/\"" \
  --include="$work/dragoman.deb" bookworm "$arm" "${sources[@]}" >"$work/mmdebstrap" 2>&1 ||
  fail "mmdebstrap: $(tail -5 "$work/mmdebstrap")"
pass "apt finds every dependency for arm64"

# What an ARM machine itself compiles and tests with.
packages="$("$root/deploy/install-deps.sh" --list --runtime --build --test | paste --serial --delimiters=,)"
mmdebstrap --simulate --variant=apt --mode=$mode --architectures=arm64 --skip=check/qemu --include="$packages" \
  bookworm "$work/simulated" "${sources[@]}" >"$work/mmdebstrap" 2>&1 || fail "mmdebstrap: $(tail -5 "$work/mmdebstrap")"
pass "apt finds the packages of install-deps.sh for arm64"

for file in bin/dragoman bin/dragomand; do
  readelf --file-header "$arm/usr/$file" | grep 'Machine: *AArch64' >/dev/null ||
    fail "/usr/$file is not for 64-bit ARM"
  ! readelf --sections "$arm/usr/$file" | grep '\.symtab' || fail "/usr/$file is not stripped"
  # Such a symbol is of one version of glibc. One comes with glibc's static libraries.
  ! readelf --version-info "$arm/usr/$file" | grep GLIBC_PRIVATE || fail "/usr/$file uses a private symbol of glibc"
done
for file in share/bash-completion/completions/dragoman share/zsh/vendor-completions/_dragoman \
  share/fish/vendor_completions.d/dragoman.fish share/man/man1/dragoman-translate.1.gz share/man/man8/dragomand.8.gz; do
  [[ -s $arm/usr/$file ]] || fail "no /usr/$file"
done
pass "programs for 64-bit ARM, stripped, with public symbols alone; completion and manual pages"

arm() {
  qemu-aarch64 -L "$arm" "$arm/usr/bin/$1" "${@:2}"
}
arm dragomand --version --verbose >"$work/version"
for line in '^build  *Release' '^instruction set .*neon' 'libgrpc++.so.1.51' 'libicuuc.so'; do
  grep -q "$line" "$work/version" || fail "--version --verbose has no '$line': $(cat "$work/version")"
done
# As the service starts it: qemu looks for files below the folder first.
start_daemon qemu-aarch64 -L "$arm" "$arm/usr/bin/dragomand" --config /etc/dragoman/dragomand.json \
  --metrics 127.0.0.1:0
translate_and_detect arm dragoman
stop_daemon
pass "serves the packaged model under qemu-user: $translation; detects $detected"

python3 - "$arm/usr/share/doc/dragoman/sbom.spdx.json" "$arm" <<'PYTHON' || fail "the SBOM"
import glob, hashlib, json, re, subprocess, sys
sbom, arm = json.load(open(sys.argv[1])), sys.argv[2]
names = {package["name"]: package for package in sbom["packages"]}
for name in ("dragomand", "dragoman", "libgrpc++1.51", "libprotobuf32", "libc6", "libboost1.81-dev",
             "nlohmann-json3-dev", "libabsl-dev", "libfasttext0", "lid.176", "de-en"):
    assert name in names, f"no package {name}"
for package in sbom["packages"]:
    for reference in package.get("externalRefs", []):
        architecture = re.search(r"[?&]arch=(\w+)", reference["referenceLocator"])[1]
        assert architecture in ("arm64", "all"), reference
# What readelf calls needed is in it, with the hash of the file that apt brings.
dynamic = subprocess.run(["readelf", "-d", arm + "/usr/bin/dragomand"], capture_output=True, text=True, check=True).stdout
needed = re.findall(r"NEEDED.*\[(\S+)\]", dynamic)
loaded = " ".join(package.get("comment", "") for package in sbom["packages"])
assert needed, "readelf names nothing"
for library in needed:
    (path, *_) = [path for folder in ("lib", "usr/lib") for path in glob.glob(f"{arm}/{folder}/aarch64-linux-gnu/{library}")]
    assert hashlib.sha256(open(path, "rb").read()).hexdigest() in loaded, f"{library} is not in the SBOM"
for program in ("dragomand", "dragoman"):
    digest = hashlib.sha256(open(f"{arm}/usr/bin/{program}", "rb").read()).hexdigest()
    assert names[program]["checksums"][0]["checksumValue"] == digest, f"the checksum of {program} is another file's"
print(f"passed: the SBOM has {len(names)} packages, of arm64, and all {len(needed)} needed libraries")
PYTHON
passed=$((passed + 1))
echo "$passed passed, 0 failed"
