#!/bin/bash
# Prints the folder of a virtual environment with what tests/SUITE/requirements.txt names, build/SUITE-venv ("-" for "/"),
# and makes or renews it first where that is not so. Several callers may ask at once.
#
#   tests/venv.sh SUITE
#
# Status 77, with the reason on standard error, if it cannot be had (no python3-venv, no PyPI).
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

requirements="$root/tests/${1:-}/requirements.txt"
[[ $# -eq 1 && -r $requirements ]] || {
  echo "venv: found '$*', expected a folder of tests that has a requirements.txt" >&2
  exit 2
}
venv="$root/build/${1//\//-}-venv"
log="$venv.log"
mkdir -p "$root/build"
exec 9>"$venv.lock"
flock 9

missing() {
  echo "venv: $*:" >&2
  tail -n 3 "$log" >&2
  exit 77
}

# The copy comes last, so that what was cut off is made again.
if ! cmp -s "$requirements" "$venv/requirements.txt"; then
  python3 -m venv --clear "$venv" >"$log" 2>&1 || missing "no virtual environment (package python3-venv)"
  "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements" >"$log" 2>&1 ||
    missing "pip could not install tests/$1/requirements.txt"
  cp "$requirements" "$venv/requirements.txt"
fi
echo "$venv"
