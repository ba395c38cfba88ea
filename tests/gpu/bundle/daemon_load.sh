#!/bin/bash
# The daemon with the bundled model under a closed loop of one-line requests through gRPC, everything
# on this machine: on cuda:0, then on the CPU.
#
#   daemon_load.sh JSON_FILE [DEVICE...]
#
# Writes what 'dragoman load --json' says of each device. The last line is 'N passed, N failed'.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1

json=${1:?usage: daemon_load.sh JSON_FILE [DEVICE...]}
shift
devices=("$@")
if [[ ${#devices[@]} -eq 0 ]]; then devices=(cuda:0 cpu); fi
scratch=$(mktemp -d)
daemon=
trap 'if [[ -n $daemon ]]; then kill "$daemon"; fi; rm -rf "$scratch"' EXIT

# The address that the daemon has taken, once it serves.
address_of() {
  local address=
  while [[ -z $address ]]; do
    kill -0 "$daemon" 2>/dev/null || return 1
    address=$(sed -n 's/.*"msg":"serving","grpc":"\([^"]*\)".*/\1/p' "$1" | head -n 1)
    [[ -n $address ]] || sleep 0.1
  done
  echo "$address"
}

passed=0 failed=0 separator=
echo '{' >"$json"
for device in "${devices[@]}"; do
  log=$scratch/$device.log
  rows=256
  if [[ $device == cuda* ]]; then rows=2048; fi
  bin/dragomand --model deploy/models/de-en --device "$device" --max-rows "$rows" \
    --listen 127.0.0.1:0 --metrics off >"$log" 2>&1 &
  daemon=$!
  if address=$(address_of "$log") &&
    bin/dragoman load --server "$address" --input tests/data/german.txt --concurrency 1024 \
      --connections 4 --warmup 3 --duration 12 --beam 4 --json >"$scratch/load.json" \
      2>>"$log"; then
    passed=$((passed + 1))
    { printf '%s"%s": ' "$separator" "$device"; cat "$scratch/load.json"; } >>"$json"
    separator=','
    echo "$device: $(tr -d '\n' <"$scratch/load.json")"
  else
    failed=$((failed + 1))
    echo "$device: FAILED"
    tail -n 20 "$log"
  fi
  kill "$daemon" 2>/dev/null
  wait "$daemon"
  daemon=
done
echo '}' >>"$json"
echo "$passed passed, $failed failed"
((failed == 0))
