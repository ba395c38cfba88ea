#!/bin/bash
# The page at / of a real daemon in headless Chromium: tests/page/run.sh [--screenshots FOLDER] [CASE...].
#
# Playwright and axe-core come from PyPI (tests/venv.sh), the browser is Debian's (apt install chromium);
# without it the test is skipped, and says so. DRAGOMAND names another binary than
# build/release/server/dragomand.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
venv="$("$root/tests/venv.sh" page)"
PYTHONDONTWRITEBYTECODE=1 exec "$venv/bin/python" "$root/tests/page/page.py" "$@"
