#!/bin/bash
# The C++ client in a project of a user's own: by add_subdirectory of the checkout, and by find_package of what that has
# installed. Both programs ask a daemon.
#
#   tests/client/project/run.sh          DRAGOMAND names another daemon than build/release/server/dragomand
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(cd "$here/../../.." && pwd)"
daemon="${DRAGOMAND:-$root/build/release/server/dragomand}"
work="$(mktemp -d)"
pid=
trap '[[ -z $pid ]] || { kill "$pid" && wait "$pid" || true; }; rm -rf "$work"' EXIT

launcher=()
if command -v ccache >/dev/null; then
  launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi
build() {  # build NAME ARGUMENT...
  local name="$1"
  shift
  cmake -S "$here" -B "$work/$name" -G Ninja "${launcher[@]}" "$@" >"$work/log" 2>&1 &&
    cmake --build "$work/$name" --target app -j 2 >>"$work/log" 2>&1 || { tail -n 40 "$work/log" >&2; exit 1; }
}
build subdirectory -DCHECKOUT="$root"
cmake --install "$work/subdirectory" --component dev --prefix "$work/installed" >"$work/log"
if [[ -e "$work/installed/bin" ]]; then
  echo "project: found programs among the files of the component dev, expected the library alone" >&2
  exit 1
fi
build installed -DCMAKE_PREFIX_PATH="$work/installed"

"$daemon" --model "de-en=$root/deploy/models/de-en" --listen "unix:$work/socket" --metrics 127.0.0.1:0 \
  --cpu-workers 1 --max-rows 16 --kv-memory-mb 64 2>"$work/daemon.log" &
pid=$!
for way in subdirectory installed; do
  "$work/$way/app" "unix:$work/socket" >"$work/out" || { cat "$work/daemon.log" >&2; exit 1; }
  grep -qi "good morning" "$work/out" || { cat "$work/out" >&2; exit 1; }
  echo "passed: $way"
done
