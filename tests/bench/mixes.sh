#!/bin/bash
# Runs mixes.py, in the environment of tests/attack: needs dragomand of build/release.
#
#   tests/bench/mixes.sh [--big] [--rounds N] [--seconds S] [--only NAME]
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
"$root/tests/attack/run.sh" --list >/dev/null # makes the stubs
venv="$("$root/tests/venv.sh" attack)"
export PYTHONPATH="$venv/generated:$root/tests/attack" PYTHONDONTWRITEBYTECODE=1
exec "$venv/bin/python" "$root/tests/bench/mixes.py" "$@"
