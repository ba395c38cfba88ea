#!/bin/bash
# Builds the wheel of the programs from build/release (or BUILD_FOLDER), installs it in a fresh virtual environment,
# serves the model in it and translates a line. Needs PyPI; status 77 where there is none.
#
#   tests/package/wheel.sh [BUILD_FOLDER]
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
build="${1:-$root/build/release}"
work="$(mktemp -d)"
daemon=""
trap '[[ -z $daemon ]] || kill -9 "$daemon" 2>/dev/null || true; rm -rf "$work"' EXIT
fail() {
  echo "FAILED wheel: $*" >&2
  exit 1
}

wheel="$("$root/deploy/wheel/build.sh" "$build")" || {
  echo "SKIPPED the wheel: it could not be built" >&2
  exit 77
}
[[ $wheel =~ manylinux_2_([0-9]+)_x86_64 ]] || fail "found $wheel, expected a manylinux tag"
# Debian 12 has glibc 2.36.
((BASH_REMATCH[1] <= 36)) || fail "found manylinux_2_${BASH_REMATCH[1]}, expected 2_36 at most"
echo "passed: $(basename "$wheel"), $(stat -c %s "$wheel") bytes"

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check "$wheel"
PATH="$work/venv/bin:/usr/bin:/bin"
model="$(python -c 'import dragoman_server; print(dragoman_server.MODEL)')"
dragomand --model de-en="$model" --listen 127.0.0.1:0 --metrics off >"$work/out" 2>"$work/log" &
daemon=$!
for _ in $(seq 600); do
  grep -q listening "$work/out" && break
  kill -0 "$daemon" 2>/dev/null || fail "the daemon ended: $(tail -3 "$work/log")"
  sleep 0.1
done
address="$(sed -n 's/.*grpc=\([^ ]*\).*/\1/p' "$work/out")"
translation="$(echo 'Guten Morgen!' | dragoman translate --server "$address")"
[[ $translation == "Good morning"* ]] || fail "translated to '$translation'"
# The process is the program itself: the signal reaches it, and the status is its own.
kill -TERM "$daemon"
wait "$daemon" || fail "the daemon ended with status $?"
daemon=""
echo "passed: serves the model of the wheel: $translation"
echo "2 passed, 0 failed"
