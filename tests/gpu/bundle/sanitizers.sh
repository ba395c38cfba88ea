#!/bin/bash
# compute-sanitizer over the smaller tests: memory (memcheck), races (racecheck), reads of what was
# never written (initcheck), barriers (synccheck).
#
#   sanitizers.sh OUT_DIRECTORY
#
# Writes sanitizers.txt. The last line is 'N passed, N failed': a part is one tool over one test
# binary. Takes under 8 minutes; what does not fit is said to have been not run.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
start 470 "${1:?usage: sanitizers.sh OUT_DIRECTORY}"
report=$out/sanitizers.txt
describe_machine >"$report" 2>&1

tool=$(command -v compute-sanitizer || compgen -G '/usr/local/cuda*/bin/compute-sanitizer' |
  head -n 1)
if [[ -z $tool ]]; then
  skip all "compute-sanitizer is not on this machine"
  finish
  exit
fi

# check TOOL SECONDS TEST FILTER: one part. Errors of the tool have an exit status of their own, so
# that a skipped test is not taken for a checked one. What calls of CUDA return is the tests'
# business: libraries ask for functions that a driver may not have.
check() {
  local kind=$1 limit=$2 test=$3 filter=$4 options=()
  if [[ $kind == memcheck ]]; then options=(--report-api-errors no); fi
  if [[ ! -x bin/test/$test ]]; then
    skip "$kind $test" "not in the bundle"
    return
  fi
  part "$kind-$test" "$limit" "$tool" --tool "$kind" --error-exitcode 9 --print-limit 20 \
    ${options[@]:+"${options[@]}"} bin/test/"$test" --gtest_filter="$filter" --gtest_brief=0
}

# The CPU's cases are none of the tool's business.
cuda='*Cuda*:-*Large*'
f16='*Cuda_float16*:-*Large*'
operations=$(cd bin/test && ls -d kernels_*_test)
check memcheck 90 gpu_search_test '*Small*'
for test in $operations; do check memcheck 60 "$test" "$cuda"; done
check racecheck 90 gpu_search_test '*Small*'
for test in $operations; do check racecheck 45 "$test" "$f16"; done
check memcheck 90 gpu_engine_test '*Small*float16*'
check initcheck 60 gpu_search_test '*Small*'
for test in $operations; do check synccheck 30 "$test" "$f16"; done
finish
