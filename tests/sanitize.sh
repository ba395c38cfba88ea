#!/bin/bash
# Builds the sanitizer preset and runs the suites that fit it.
#
#   tests/sanitize.sh asan|tsan [CTEST-ARGUMENT...]
#
#   asan   AddressSanitizer, LeakSanitizer and UBSan: every suite but the one labelled 'load'
#   tsan   ThreadSanitizer: engine, kernels and the server below the gRPC seam. Debian's gRPC and
#          abseil are not instrumented and would give false races, so suites labelled 'grpc' or
#          'load' stay out. Emulated CUDA kernels stay out too: their fibers change stacks unseen by it.
#          So do tests that read map fields, which have another layout here than in Debian's protobuf
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset="${1:-}"
tests_out=()
case "$preset" in
  asan) excluded='^load$' ;;
  tsan)
    excluded='^(grpc|load)$'
    tests_out=(--exclude-regex '[Ee]mulat|ThreadBlock|LinearChoice|EveryKindOfValueIsRead|EveryParameterOfEvery')
    ;;
  *)
    sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0" >&2
    exit 2
    ;;
esac
shift

deploy/install-deps.sh --build --test
deploy/build.sh --tests "$preset"

export ASAN_OPTIONS="detect_leaks=1:strict_string_checks=1:check_initialization_order=1:${ASAN_OPTIONS:-}"
suppressions="$PWD/build/$preset/suppressions"
case "$preset" in
  # The resolver that gRPC uses loses ten bytes if a process ends while it looks up a name.
  asan) echo "leak:libcares" >"$suppressions" ;;
  # abseil counts the references of a Status in code that is not instrumented.
  tsan) echo "race:Status::Unref" >"$suppressions" ;;
esac
export LSAN_OPTIONS="suppressions=$suppressions:print_suppressions=0:${LSAN_OPTIONS:-}"
export UBSAN_OPTIONS="print_stacktrace=1:${UBSAN_OPTIONS:-}"
export TSAN_OPTIONS="suppressions=$suppressions:halt_on_error=1:second_deadlock_stack=1:${TSAN_OPTIONS:-}"

# Without address randomisation: the shadow memory of g++ 12's sanitizers does not fit the wider
# randomisation of newer kernels.
without_aslr=()
if setarch "$(uname -m)" -R true 2>/dev/null; then
  without_aslr=(setarch "$(uname -m)" -R)
fi
"${without_aslr[@]}" ctest --test-dir "build/$preset" --parallel "$(nproc)" --output-on-failure \
  --no-tests=error --label-exclude "$excluded" "${tests_out[@]}" "$@"
