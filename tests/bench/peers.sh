#!/bin/bash
# Measures Dragoman, Marian, CTranslate2, transformers and others in turns on this machine. Writes
# tables, data and pictures. Makes virtual environments under build/peers first (PyPI; 6 GB). Needs python3 with
# venv, dragomand and dragoman of build/release, and for the part libretranslate http_load beside them
# (deploy/build.sh --tests release http_load).
#
#   tests/bench/peers.sh [--parts throughput latency invariance memory quality libretranslate] [--smoke] ...
#
# --help has the rest.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
export PYTHONPATH="$root/tests/bench:$root/tests/attack" PYTHONDONTWRITEBYTECODE=1
exec python3 -m peers "$@"
