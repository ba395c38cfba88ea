#!/bin/bash
# Spans at a collector, with the real schema of OpenTelemetry and calls that bring a traceparent.
#
# Its Python packages come from PyPI (tests/venv.sh). DRAGOMAND and DRAGOMAN name other binaries than
# build/release/server/dragomand and build/release/client/dragoman.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
here="$root/tests/tracing"
venv="$("$root/tests/venv.sh" tracing)"
PYTHONDONTWRITEBYTECODE=1 exec "$venv/bin/python" "$here/otlp.py" "$@"
