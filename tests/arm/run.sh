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
# The suites: kernels, oracle cases, invariance; score bits and the daemon's n-best lists, which x86-64 is held to, too;
# models of every family against their reference programs, on the last of the processors alone.
# DRAGOMAN_TEST_SENTENCES: sentences of score bits (default 100, 500 at most), invariance (12), the daemon (40 at most).
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
# The best instruction set of each.
declare -A best=([a53]=neon [n1]=dotprod [sve128]=i8mm [sve256]=i8mm)
kernels=(linear quantized_matrix embedding_table attention bfloat16_pages int8_pages output_layer output_fold
  output_selection activation_device row_norm_device gate_device recurrence_device
  encoder_attention_device decode_attention_device cross_attention_device)
programs=("${kernels[@]/#/kernels_}" oracle invariance score_bits parity)
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

logs=$PWD/build/arm64/runs
rm -rf "$logs"
mkdir -p "$logs"

# The sysroot's libraries, each with 64 KiB of zeros at its end: README.md, "Pages larger than the host's".
libraries=$PWD/build/arm64-libraries
rm -rf "$libraries"
mkdir -p "$libraries"
(cd build/arm64-sysroot && find lib usr/lib \( -name '*.so' -o -name '*.so.*' \) -print0 | tar --null --files-from - --create) |
  tar --directory "$libraries" --extract
find "$libraries" -type f -exec truncate --size +64K {} +

# The suite PROGRAM, or 'daemon', as PROCESSOR: its output, and the counts of its cases, go to files.
run_suite() {
  local processor=$1 program=$2 log="$logs/$1.$2.log" begin=$SECONDS status=0 arguments=()
  # A translation takes a second. Lower instruction sets are other processors' best; and each sentence of
  # the invariance test is translated seven times.
  local sentences=${DRAGOMAN_TEST_SENTENCES:-100}
  case $program in
    *_device_test)
      # The emulated device has no loops of this processor.
      arguments=(--gtest_filter='*/Cpu_*')
      ;;
    score_bits_test)
      arguments=(--gtest_filter="*Int8*/${best[$processor]}$([[ $processor != a53 ]] || echo ':*Float32*')")
      ;;
    parity_test)
      # The bundled model's cases would take longer than all others together.
      arguments=(--gtest_filter='Models/Families.EveryCase*:Models/Marian*:Models/Ct2*:Models/Argos*:TokenizerJson.*-*Cuda*')
      ;;
    invariance_test)
      sentences=${DRAGOMAN_TEST_SENTENCES:-12}
      arguments=(--gtest_filter="*${best[$processor]}_int8*")
      ;;
  esac
  local passed failed skipped
  # Of this process alone, which is the suite's.
  export QEMU_CPU=${qemu_cpu[$processor]}
  local emulator=(qemu-aarch64 -p "${page[$processor]}" -L "$libraries")
  if [[ $program == daemon ]]; then
    DRAGOMAN_TEST_SENTENCES=${DRAGOMAN_TEST_SENTENCES:-40} tests/arm/daemon.sh \
      build/arm64/server/dragomand build/arm64/client/dragoman "${emulator[@]}" >"$log" 2>&1 || status=$?
    read -r passed failed skipped < <(sed -n '$s/[^0-9 ]//gp' "$log") || true
  else
    DRAGOMAN_TEST_SENTENCES=$sentences "${emulator[@]}" \
      "$(find build/arm64/tests -name "$program" -type f)" --gtest_brief=1 "${arguments[@]}" >"$log" 2>&1 || status=$?
    passed=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log")
    skipped=$(sed -n 's/^\[  SKIPPED \] \([0-9]*\) test.*/\1/p' "$log")
    failed=$(grep -c '^\[  FAILED  \] ' "$log" || true)
  fi
  # A program that ended by itself counts as one that failed; one that ran nothing, too.
  if ((status != 0 && ${failed:-0} == 0)) || ((${passed:-0} + ${failed:-0} + ${skipped:-0} == 0)); then
    failed=1
  fi
  echo "${passed:-0} $failed ${skipped:-0}" >"$log.counts"
  echo "arm: $processor $program: ${passed:-0} passed, $failed failed, ${skipped:-0} skipped ($((SECONDS - begin)) s)"
}

# The long ones first, so that the last to end is a short one.
jobs=0
for program in score_bits_test parity_test invariance_test daemon "${programs[@]}"; do
  for processor in "${processors[@]}"; do
    [[ $program != parity_test || $processor == "${processors[-1]}" ]] || continue
    log="$logs/$processor.$program.log"
    [[ ! -e $log ]] || continue
    : >"$log"
    if ((jobs >= $(nproc))); then
      wait -n || true
      jobs=$((jobs - 1))
    fi
    run_suite "$processor" "$program" &
    jobs=$((jobs + 1))
  done
done
wait

grep -hE "^(\[  FAILED  \]|FAILED) " "$logs"/*.log | sort | uniq -c || true
echo "arm: skipped, with how often:"
grep -hE -A2 "Skipped$" "$logs"/*.log | grep -vE "^--$|Skipped$|^\[" | grep . | sort | uniq -c || true
read -r passed failed skipped < <(cat "$logs"/*.counts | awk '{ p += $1; f += $2; s += $3 } END { print p, f, s }')
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0))
