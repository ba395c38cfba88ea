#!/bin/bash
# Builds the Debian package from build/release (or BUILD_FOLDER), installs it on this machine, tries
# it, and removes it again without a trace. Root. Also checks the systemd unit and the SBOM.
#
#   tests/package/run.sh [BUILD_FOLDER]
#
# What is absent (systemd-analyze, PyPI's spdx-tools) is skipped, and said so.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
build="${1:-$root/build/release}"
work="$(mktemp -d)"
source "$root/tests/package/daemon.sh"
passed=0

fail() {
  echo "FAILED package: $*" >&2
  exit 1
}
pass() {
  passed=$((passed + 1))
  echo "passed: $*"
}
installed=0
cleanup() {
  kill_daemon
  ((installed == 0)) || dpkg --purge dragoman >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap cleanup EXIT

[[ $EUID -eq 0 ]] || fail "root is needed, to install a package"
! dpkg-query -W -f '${db:Status-Status}' dragoman 2>/dev/null | grep -q '^installed$' ||
  fail "a package dragoman is installed here already"

deb="$("$root/deploy/package/build.sh" "$build" | tail -1)"
dpkg-deb --info "$deb" >"$work/info"
for field in 'Package: dragoman' "Architecture: $(dpkg --print-architecture)" 'libgrpc++1.51' 'libprotobuf32' 'libssl3' \
  'Recommends: python3, zstd'; do
  grep -qF "$field" "$work/info" || fail "dpkg-deb --info has no '$field': $(cat "$work/info")"
done
pass "$(basename "$deb"), $(stat -c %s "$deb") bytes, names the libraries that it needs"

find /etc /lib /opt /usr /var -name '*dragoman*' 2>/dev/null | sort >"$work/before"
installed=1
dpkg --install "$deb" >"$work/install" 2>&1 || fail "dpkg --install: $(tail -5 "$work/install")"
[[ -z "$(dpkg --verify dragoman)" ]] || fail "dpkg --verify: $(dpkg --verify dragoman)"
pass "installed, and every file is as packed"

for file in bash-completion/completions/dragoman bash-completion/completions/dragomand \
  zsh/vendor-completions/_dragoman fish/vendor_completions.d/dragoman.fish man/man1/dragoman.1.gz \
  man/man1/dragoman-translate.1.gz man/man8/dragomand.8.gz; do
  [[ -s /usr/share/$file ]] || fail "no /usr/share/$file"
done
# As a shell with bash-completion loads it, at the first Tab.
completed="$(bash --norc -c '. /usr/share/bash-completion/completions/dragoman
  COMP_WORDS=(dragoman load --max-f) COMP_CWORD=2; _dragoman; echo "${COMPREPLY[*]}"')"
[[ $completed == --max-failed ]] || fail "bash completes 'dragoman load --max-f' to '$completed'"
pass "completion and manual pages"

dragoman fetch --help >"$work/fetch" || fail "dragoman fetch --help"
grep -qF '[NAME=]SOURCE' "$work/fetch" || fail "dragoman fetch --help: $(cat "$work/fetch")"
pass "dragoman fetch"

dragomand --version --verbose >"$work/version"
for line in '^compiler ' '^build  *Release' '^instruction set ' 'libgrpc++.so.1.51' 'libicuuc.so'; do
  grep -q "$line" "$work/version" || fail "--version --verbose has no '$line': $(cat "$work/version")"
done
pass "--version --verbose: $(sed -n 's/^instruction set *//p' "$work/version")"

# As an unprivileged user with the packaged settings, but on free ports.
start_daemon setpriv --reuid=65534 --regid=65534 --clear-groups dragomand --config /etc/dragoman/dragomand.json \
  --metrics 127.0.0.1:0
translate_and_detect dragoman
stop_daemon
pass "serves the packaged model: $translation; detects $detected"

if command -v systemd-analyze >/dev/null; then
  unit=/lib/systemd/system/dragomand.service
  systemd-analyze verify "$unit" 2>"$work/verify" || fail "systemd-analyze verify: $(cat "$work/verify")"
  ! grep -q dragomand "$work/verify" || fail "systemd-analyze verify: $(cat "$work/verify")"
  exposure="$(systemd-analyze security --offline=true "$unit" | sed -n 's/.*Overall exposure level.*: \([0-9.]*\).*/\1/p')"
  awk -v e="$exposure" 'BEGIN { exit !(e != "" && e < 2.0) }' || fail "systemd-analyze security: exposure '$exposure', expected below 2.0"
  pass "the unit is valid; exposure $exposure of 10"
else
  echo "SKIPPED the systemd unit: no systemd-analyze"
fi

# The grace period of the unit covers what the daemon may take.
stop="$(sed -n 's/^TimeoutStopSec=//p' /lib/systemd/system/dragomand.service)"
settings="$(dragomand --config /etc/dragoman/dragomand.json --check-config)"
lame="$(sed -n 's/.*"lame-duck-seconds": \([0-9]*\).*/\1/p' <<<"$settings")"
drain="$(sed -n 's/.*"drain-seconds": \([0-9]*\).*/\1/p' <<<"$settings")"
((stop >= lame + drain + 15)) || fail "TimeoutStopSec=$stop, expected $lame + $drain + 15 at least"
pass "TimeoutStopSec=$stop covers lame duck $lame, drain $drain and 15 s"

sbom=/usr/share/doc/dragoman/sbom.spdx.json
python3 - "$sbom" <<'PYTHON' || fail "the SBOM"
import hashlib, json, pathlib, re, subprocess, sys
sbom = json.load(open(sys.argv[1]))
names = {package["name"]: package for package in sbom["packages"]}
for name in ("dragomand", "dragoman", "libgrpc++1.51", "libprotobuf32", "libc6", "libboost1.81-dev", "nlohmann-json3-dev",
             "libfasttext0", "lid.176", "de-en"):
    assert name in names, f"no package {name}"
ids = {package["SPDXID"] for package in sbom["packages"]} | {"SPDXRef-DOCUMENT"}
for relation in sbom["relationships"]:
    assert relation["spdxElementId"] in ids and relation["relatedSpdxElement"] in ids, relation
# The classifier of languages is the one that is installed, and its attribution is beside it.
classifier = names["lid.176"]
assert classifier["licenseDeclared"] == "CC-BY-SA-3.0", classifier
folder = pathlib.Path("/usr/share/dragoman/models/lid.176")
digest = hashlib.sha256((folder / "lid.176.ftz").read_bytes()).hexdigest()
assert classifier["checksums"][0]["checksumValue"] == digest, classifier
notice = (folder / "NOTICE").read_text()
for words in (digest, "Attribution-ShareAlike 3.0", "Joulin"):
    assert words in notice, f"the NOTICE has no {words}"
assert any(relation["spdxElementId"] == classifier["SPDXID"] and relation["relationshipType"] == "DATA_FILE_OF"
           for relation in sbom["relationships"]), "no relationship of lid.176"
# What readelf calls needed is in it.
needed = re.findall(r"NEEDED.*\[(\S+)\]", subprocess.run(["readelf", "-d", "/usr/bin/dragomand"], capture_output=True, text=True, check=True).stdout)
loaded = " ".join(package.get("comment", "") for package in sbom["packages"])
assert needed, "readelf names nothing"
for library in needed:
    assert library.split(".so")[0] in loaded, f"{library} is not in the SBOM"
for program in ("dragomand", "dragoman"):
    digest = hashlib.sha256(pathlib.Path("/usr/bin", program).read_bytes()).hexdigest()
    assert names[program]["checksums"][0]["checksumValue"] == digest, f"the checksum of {program} is another file's"
print(f"passed: the SBOM has {len(names)} packages, both programs and all {len(needed)} needed libraries")
PYTHON
passed=$((passed + 1))
if venv="$("$root/tests/venv.sh" package)"; then
  "$venv/bin/pyspdxtools" --infile "$sbom" >"$work/spdx" 2>&1 || fail "pyspdxtools: $(tail -5 "$work/spdx")"
  pass "spdx-tools finds the SBOM valid"
else
  echo "SKIPPED the SBOM's schema: no Python package spdx-tools"
fi

# A changed setting survives the same package again; purging leaves nothing.
sed -i 's/9464/9465/' /etc/dragoman/dragomand.json
dpkg --install "$deb" >"$work/install" 2>&1 || fail "dpkg --install again: $(tail -5 "$work/install")"
grep -q 9465 /etc/dragoman/dragomand.json || fail "an upgrade lost the operator's settings"
dpkg --purge dragoman >"$work/purge" 2>&1 || fail "dpkg --purge: $(tail -5 "$work/purge")"
installed=0
find /etc /lib /opt /usr /var -name '*dragoman*' 2>/dev/null | sort >"$work/after"
left="$(comm -13 "$work/before" "$work/after")"
[[ -z $left ]] || fail "purged, and this is left: $left"
[[ ! -e /etc/dragoman && ! -e /usr/bin/dragomand ]] || fail "purged, and files are left"
pass "settings survive an upgrade, and purging leaves nothing"
echo "$passed passed, 0 failed"
