#!/bin/bash
# The status page of a loaded daemon in headless Chromium: tests/status/run.sh [--screenshot FILE].
#
# Playwright comes from PyPI (tests/venv.sh), the browser is Debian's (apt install chromium); without
# it the test is skipped, and says so. DRAGOMAND and DRAGOMAN name other binaries than
# build/release/server/dragomand and build/release/client/dragoman.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
venv="$("$root/tests/venv.sh" status)"
PYTHONDONTWRITEBYTECODE=1 exec "$venv/bin/python" "$root/tests/status/status_page.py" "$@"
