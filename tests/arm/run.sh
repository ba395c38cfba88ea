#!/bin/bash
# Compiles for 64-bit ARM on an x86-64 machine and runs suites under qemu-user, as processors that have and lack
# each extension that kernels are chosen by. Installs what is missing, Debian packages alone.
#
#   tests/arm/run.sh [PROCESSOR...]      PROCESSOR as below; default: all
#
#     a53      cortex-a53      ARMv8.0: NEON
#     n1       neoverse-n1     ARMv8.2: dot products of int8; pages of 64 KiB
#     sve128   max             ARMv8.6 and more: i8mm, bf16; SVE of 128 bits; pages of 16 KiB
#     sve256   max             the same, SVE of 256 bits, pages of 4 KiB
#
# The suites: kernels, oracle cases, parity with Hugging Face, invariance, score bits (which x86-64 is held to as
# well), and the daemon with its client. DRAGOMAN_TEST_SENTENCES: of score bits (default 500) and invariance (40).
# The last line is 'N passed, N failed, N skipped'; the reasons of what is skipped are above it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

declare -A qemu_cpu=(
  [a53]=cortex-a53
  [n1]=neoverse-n1
  [sve128]="max,sve-max-vq=1"
  [sve256]="max,sve-max-vq=2"
)
# The size of a page of memory, as far as a program is told, in bytes.
declare -A page=([a53]=4096 [n1]=65536 [sve128]=16384 [sve256]=4096)
# The instruction set that each has to choose.
declare -A chosen=([a53]=neon [n1]=dotprod [sve128]=i8mm [sve256]=i8mm)
kernels=(linear narrow_matrix row_ops attention bfloat16_pages int8_pages output_layer output_fold
  output_selection fold recurrence)
programs=("${kernels[@]/#/kernels_}" oracle parity invariance score_bits)
programs=("${programs[@]/%/_test}")

processors=("$@")
[[ $# -gt 0 ]] || processors=(a53 n1 sve128 sve256)
for processor in "${processors[@]}"; do
  [[ -n ${qemu_cpu[$processor]:-} ]] || {
    echo "arm: found '$processor', expected a53, n1, sve128 or sve256" >&2
    exit 2
  }
done
stop() {
  echo "arm: $*"
  echo "0 passed, 1 failed, 0 skipped"
  exit 1
}
[[ $(uname -m) == x86_64 ]] || stop "this is $(uname -m): on an ARM machine the tests are those of tests/run.sh"

deploy/install-deps.sh --build --test --cross || stop "the packages could not be installed"
deploy/build.sh --tests arm64 "${programs[@]}" dragomand dragoman || stop "the build failed"

sysroot=$PWD/build/arm64-sysroot
logs=$PWD/build/arm64/runs
rm -rf "$logs"
mkdir -p "$logs"

# Runs PROGRAM ARGUMENT... as PROCESSOR.
emulate() {
  local processor=$1
  shift
  QEMU_CPU=${qemu_cpu[$processor]} qemu-aarch64 -p "${page[$processor]}" -L "$sysroot" "$@"
}

# The suite PROGRAM as PROCESSOR: its output, and the counts of its cases, go to files.
run_suite() {
  local processor=$1 program=$2 log="$logs/$1.$2.log" begin=$SECONDS status=0 arguments=()
  local sentences=${DRAGOMAN_TEST_SENTENCES:-500}
  if [[ $program == invariance_test ]]; then
    # Each sentence seven times: fewer, and in the types of the best instruction set alone.
    sentences=${DRAGOMAN_TEST_SENTENCES:-40}
    arguments=(--gtest_filter="*${chosen[$processor]}_*:*float32")
  fi
  DRAGOMAN_TEST_SENTENCES=$sentences emulate "$processor" "$(find build/arm64/tests -name "$program" -type f)" --gtest_brief=1 "${arguments[@]}" \
    >"$log" 2>&1 || status=$?
  local passed failed skipped
  passed=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log")
  skipped=$(sed -n 's/^\[  SKIPPED \] \([0-9]*\) test.*/\1/p' "$log")
  failed=$(grep -c '^\[  FAILED  \] ' "$log" || true)
  # A program that ended by itself counts as one that failed; one that ran nothing, too.
  if ((status != 0 && failed == 0)) || ((${passed:-0} + failed + ${skipped:-0} == 0)); then
    failed=1
  fi
  echo "${passed:-0} $failed ${skipped:-0}" >"$log.counts"
  echo "arm: $processor $program: ${passed:-0} passed, $failed failed, ${skipped:-0} skipped ($((SECONDS - begin)) s)"
}

# The daemon answers its client.
run_daemon() {
  local processor=$1 log="$logs/$1.daemon.log" socket begin=$SECONDS daemon found=
  local expected=$'Good morning.\nWhere is the station?'
  socket=$(mktemp -d "${TMPDIR:-/tmp}/dragoman-arm.XXXXXX")
  emulate "$processor" build/arm64/server/dragomand --model deploy/models/de-en --listen "unix:$socket/s" \
    >"$log" 2>&1 &
  daemon=$!
  # The client waits for the server itself.
  found=$(printf '%s\n' 'Guten Morgen!' 'Wo ist der Bahnhof?' |
    emulate "$processor" build/arm64/client/dragoman translate --server "unix:$socket/s" 2>>"$log") || true
  kill -TERM "$daemon"
  local status=0
  wait "$daemon" || status=$?
  rm -rf "$socket"
  {
    echo "answers: $found"
    echo "status: $status"
    emulate "$processor" build/arm64/server/dragomand --version --verbose
  } >>"$log" 2>&1
  local passed=0 failed=0
  check() {
    local what=$1
    shift
    if "$@"; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
      echo "arm: $processor daemon: failed: $what" >>"$log"
    fi
  }
  check "the translations" test "$found" = "$expected"
  check "status 0 on SIGTERM" test "$status" -eq 0
  check "it chose ${chosen[$processor]}" grep -qE "^instruction set +${chosen[$processor]}, of" "$log"
  echo "$passed $failed 0" >"$log.counts"
  echo "arm: $processor daemon: $passed passed, $failed failed, 0 skipped ($((SECONDS - begin)) s)"
}

# The long ones first, so that the last to end is a short one.
jobs=0
for program in score_bits_test invariance_test "${programs[@]}" daemon; do
  for processor in "${processors[@]}"; do
    log="$logs/$processor.$program.log"
    [[ ! -e $log ]] || continue
    : >"$log"
    if ((jobs >= $(nproc))); then
      wait -n || true
      jobs=$((jobs - 1))
    fi
    if [[ $program == daemon ]]; then run_daemon "$processor" & else run_suite "$processor" "$program" & fi
    jobs=$((jobs + 1))
  done
done
wait

grep -hE "^\[  FAILED  \] |^arm: .*failed:" "$logs"/*.log | sort | uniq -c || true
echo "arm: skipped, with how often:"
grep -hE -A2 "Skipped$" "$logs"/*.log | grep -vE "^--$|Skipped$|^\[" | grep . | sort | uniq -c || true
read -r passed failed skipped < <(cat "$logs"/*.counts | awk '{ p += $1; f += $2; s += $3 } END { print p, f, s }')
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0))
