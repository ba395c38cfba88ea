#!/bin/bash
# Builds the Python client: dragoman_client-VERSION.tar.gz, its source distribution, and from that the wheel,
# dragoman_client-VERSION-py3-none-any.whl. Prints the path of the wheel; the other lies beside it.
#
#   client/python/build.sh [FOLDER]      where both go; default: build/python
#
# Needs Python 3.9 to 3.12 with venv, and PyPI for what pyproject.toml says that building needs (grpcio-tools).
# DRAGOMAN_PYTHON names another interpreter than python3; with DRAGOMAN_BUILD_ISOLATION=0 those packages are its own.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
mkdir -p "${1:-$root/build/python}"
out="$(cd "${1:-$root/build/python}" && pwd)"
python="${DRAGOMAN_PYTHON:-python3}"

# setuptools writes beside its sources: it gets a copy, so that builds at once do not meet.
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tree/client" "$work/out"
cp "$root/CMakeLists.txt" "$work/tree/"
cp -r "$root/proto" "$work/tree/"
cp -r "$root/client/python" "$work/tree/client/"
cp "$root/LICENSE" "$work/tree/client/python/"

fail() {
  tail -n 20 "$work/log" >&2
  echo "build: $*" >&2
  exit 1
}
arguments=(--no-deps --quiet --disable-pip-version-check --wheel-dir "$work/out")
if [[ ${DRAGOMAN_BUILD_ISOLATION:-1} == 0 ]]; then
  arguments+=(--no-build-isolation)
else
  "$python" -m venv "$work/venv"
  python="$work/venv/bin/python"
  "$python" -m pip install --quiet --disable-pip-version-check 'setuptools>=68' >"$work/log" 2>&1 ||
    fail "pip could not install setuptools"
fi
(cd "$work/tree/client/python" &&
  "$python" -c 'import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])' "$work/out") \
  >"$work/log" 2>&1 || fail "setuptools could not make the source distribution of client/python"
sdist="$(basename "$work"/out/*.tar.gz)"
"$python" -m pip wheel "${arguments[@]}" "$work/out/$sdist" >"$work/log" 2>&1 ||
  fail "pip could not make the wheel of $sdist"
wheel="$(basename "$work"/out/*.whl)"
mv "$work/out/$sdist" "$work/out/$wheel" "$out/"
echo "$out/$wheel"
