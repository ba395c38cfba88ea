#!/bin/bash
# Builds the wheel of the Python client, dragoman_client-VERSION-py3-none-any.whl, and prints its path.
#
#   client/python/build.sh [FOLDER]      where the wheel goes; default: build/python
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
mkdir -p "$work/tree/client" "$work/wheel"
cp "$root/CMakeLists.txt" "$work/tree/"
cp -r "$root/proto" "$work/tree/"
cp -r "$root/client/python" "$work/tree/client/"

arguments=(--no-deps --quiet --disable-pip-version-check --wheel-dir "$work/wheel")
if [[ ${DRAGOMAN_BUILD_ISOLATION:-1} == 0 ]]; then
  arguments+=(--no-build-isolation)
  pip=("$python" -m pip)
else
  "$python" -m venv "$work/venv"
  pip=("$work/venv/bin/python" -m pip)
fi
"${pip[@]}" wheel "${arguments[@]}" "$work/tree/client/python" >"$work/log" 2>&1 || {
  tail -n 20 "$work/log" >&2
  echo "build: pip could not make the wheel of client/python" >&2
  exit 1
}
wheel="$(basename "$work"/wheel/*.whl)"
mv "$work/wheel/$wheel" "$out/$wheel"
echo "$out/$wheel"
