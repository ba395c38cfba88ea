#!/bin/bash
# Attacks real daemons of build/release on the loopback, and prints a table: attack -> outcome.
#
#   tests/attack/run.sh [--list] [NAME...]
#
# A NAME is an attack or a pattern of the shell ('transport.*'); without one all run. Its Python packages
# come from PyPI (tests/venv.sh). DRAGOMAND and DRAGOMAN name other binaries than
# build/release/server/dragomand and build/release/client/dragoman.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
here="$root/tests/attack"
venv="$("$root/tests/venv.sh" attack)"
generated="$venv/generated"

protos=("$root"/proto/dragoman/v1/*.proto "$root"/proto/google/rpc/*.proto "$root/proto/grpc/health/v1/health.proto")
stamp="$generated/stamp"
for proto in "${protos[@]}"; do
  if [[ ! -e $stamp || $proto -nt $stamp ]]; then
    rm -rf "$generated"
    mkdir -p "$generated"
    "$venv/bin/python" -m grpc_tools.protoc -I "$root/proto" --python_out="$generated" \
      --grpc_python_out="$generated" "${protos[@]:0:${#protos[@]}-1}"
    # The Python package grpc has no room for grpc/health: this one lies at the top.
    "$venv/bin/python" -m grpc_tools.protoc -I "$root/proto/grpc/health/v1" \
      --python_out="$generated" --grpc_python_out="$generated" health.proto
    touch "$stamp"
    break
  fi
done

PYTHONPATH="$generated:$here" PYTHONDONTWRITEBYTECODE=1 exec "$venv/bin/python" "$here/harness.py" "$@"
