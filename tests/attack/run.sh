#!/bin/bash
# Attacks real daemons of build/release on the loopback, and prints a table: attack -> outcome.
#
#   tests/attack/run.sh [--list] [NAME...]
#
# A NAME is an attack or a pattern of the shell ('transport.*'); without one all run. Its Python packages
# come from PyPI (tests/venv.sh). DRAGOMAND and DRAGOMAN name other binaries than
# build/release/server/dragomand and build/release/client/dragoman.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
here="$root/tests/attack"
. "$here/clients.sh"
PYTHONPATH="$generated:$here" PYTHONDONTWRITEBYTECODE=1 exec "$venv/bin/python" "$here/harness.py" "$@"
