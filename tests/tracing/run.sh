#!/bin/bash
# Spans at a collector, with the real schema of OpenTelemetry and calls that bring a traceparent.
#
# Makes a virtual environment under build/tracing-venv first. DRAGOMAND and DRAGOMAN name other
# binaries than build/release/server/dragomand and build/release/client/dragoman.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
here="$root/tests/tracing"
venv="$root/build/tracing-venv"

if ! cmp -s "$here/requirements.txt" "$venv/requirements.txt"; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install -q --disable-pip-version-check -r "$here/requirements.txt"
  cp "$here/requirements.txt" "$venv/requirements.txt"
fi
PYTHONDONTWRITEBYTECODE=1 exec "$venv/bin/python" "$here/otlp.py" "$@"
