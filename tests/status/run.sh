#!/bin/bash
# The status page of a loaded daemon in headless Chromium: tests/status/run.sh [--screenshot FILE].
#
# Makes a virtual environment with playwright under build/status-venv first. The browser is Debian's
# (apt install chromium); without it the test is skipped, and says so. DRAGOMAND and DRAGOMAN name
# other binaries than build/release/server/dragomand and build/release/client/dragoman.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
venv="$root/build/status-venv"

if [[ ! -e $venv/ready ]]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install -q --disable-pip-version-check playwright==1.65.2
  touch "$venv/ready"
fi
PYTHONDONTWRITEBYTECODE=1 exec "$venv/bin/python" "$root/tests/status/status_page.py" "$@"
