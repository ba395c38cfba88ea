#!/bin/bash
# Half an hour at four fifths of what the daemon bears: memory, descriptors, threads and metrics stay
# as they are, and every answer is right.
#
#   tests/soak/run.sh [--minutes N] [further flags of soak.py]
#
# Uses the virtual environment of tests/attack. DRAGOMAND names another binary than
# build/release/server/dragomand.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
. "$root/tests/attack/clients.sh"
PYTHONPATH="$generated:$root/tests/attack:$root/tests/tracing" PYTHONDONTWRITEBYTECODE=1 \
  exec "$venv/bin/python" "$root/tests/soak/soak.py" "$@"
