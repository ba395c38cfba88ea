#!/bin/bash
# The OpenAPI description of our REST: compared with the proto and validated; with --write, made anew.
#
#   tests/openapi/run.sh [--write]
#
# Its packages come from PyPI (tests/venv.sh), protoc from Debian.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
venv="$("$root/tests/venv.sh" openapi)"
PYTHONDONTWRITEBYTECODE=1 exec "$venv/bin/python" "$root/tests/openapi/make_openapi.py" "$@"
