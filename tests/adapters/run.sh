#!/bin/bash
# Real clients of other servers, unchanged, against a running daemon.
#
#   tests/adapters/run.sh                       all of them
#   tests/adapters/run.sh deepl_client [TEST]   one module, or some tests of it
#
# The clients come from PyPI (tests/venv.sh); without it the tests are skipped, and say so. DRAGOMAND and
# DRAGOMAN name other binaries than build/release/server/dragomand and build/release/client/dragoman.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
here="$root/tests/adapters"
venv="$("$root/tests/venv.sh" adapters)"
export PYTHONDONTWRITEBYTECODE=1

if [[ $# -gt 0 ]]; then
  module="$1"
  shift
  exec "$venv/bin/python" "$here/$module.py" "$@"
fi
failed=0
for module in "$here"/*_client.py "$here/parameters.py"; do
  echo "== $(basename "$module" .py)"
  "$venv/bin/python" "$module" || failed=1
done
exit "$failed"
