#!/bin/bash
# Prints the path of a cuobjdump: the one beside the CUDA compiler DRAGOMAN_NVCC, or one from PyPI, which
# is brought into build/gpu-tools once. Changes nothing on the system.
#
# Status 77, with the reason, if it cannot be had.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if [[ -n "${DRAGOMAN_NVCC:-}" ]]; then
  beside=$(dirname "$(readlink -f "$DRAGOMAN_NVCC")")
  if [[ -x $beside/cuobjdump && -x $beside/nvdisasm ]]; then
    echo "$beside/cuobjdump"
    exit 0
  fi
fi

tools=$PWD/build/gpu-tools
mkdir -p "$tools"
exec 9>"$tools/lock"
flock 9

missing() {
  echo "gpu tools: $*; the machine code is not looked at" >&2
  tail -n 3 "$tools/log" >&2
  exit 77
}

: >"$tools/log"
wanted=$(sha256sum tests/gpu/requirements.txt)
if [[ "$(cat "$tools/venv/installed" 2>/dev/null)" != "$wanted" ]]; then
  rm -rf "$tools/venv"
  python3 -m venv "$tools/venv" >>"$tools/log" 2>&1 || missing "no Python environment (package python3-venv)"
  "$tools/venv/bin/pip" install --quiet --requirement tests/gpu/requirements.txt >>"$tools/log" 2>&1 ||
    missing "pip could not install tests/gpu/requirements.txt"
  echo "$wanted" >"$tools/venv/installed"
fi
found=$(find "$tools/venv/" -name cuobjdump -type f -perm -u+x | head -n 1)
[[ -n $found ]] || missing "tests/gpu/requirements.txt has no cuobjdump"
echo "$found"
