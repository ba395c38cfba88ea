#!/bin/bash
# Installs what is missing, builds the release preset with its tests, runs every ctest suite (unit,
# parity, invariance, end-to-end, a short load test), the unit tests of two rooms in the debug preset
# and the fast part of tests/lint.sh.
#
#   tests/run.sh [CTEST-ARGUMENT...]       for example: tests/run.sh -R BeamStep
#
# The last line is 'N passed, N failed'; the exit status is 0 when nothing failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

for argument in "$@"; do
  if [[ $argument == -h || $argument == --help ]]; then
    sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0"
    exit 0
  fi
done

stop() {
  echo "tests: $*"
  echo "0 passed, 1 failed"
  exit 1
}

deploy/install-deps.sh --build --test || stop "the packages could not be installed"
# Kernels for all cards take ten minutes. Without a build folder that has them, these three are built: the oldest card,
# the one with kernels of its own, and the newest.
archs=$(sed -n 's/^DRAGOMAN_CUDA_ARCHS:[A-Z]*=//p' build/release/CMakeCache.txt 2>/dev/null || true)
DRAGOMAN_CUDA_ARCHS=${DRAGOMAN_CUDA_ARCHS:-${archs:-75;90a;120}} deploy/build.sh --tests release ||
  stop "the build failed"

report="$PWD/build/release/ctest.xml"
rm -f "$report"
ctest_status=0
ctest --test-dir build/release --parallel "$(nproc)" --output-on-failure --no-tests=error \
  --output-junit "$report" "$@" || ctest_status=$?

# Counts of the suite, from the attributes of the report's first element.
attribute() {
  sed -n "/<testsuite/,/>/s/^.*[[:space:]]$1=\"\([0-9]*\)\".*$/\1/p" "$report" 2>/dev/null | head -n 1
}
tests=$(attribute tests)
failed=$(attribute failures)
skipped=$(attribute skipped)
disabled=$(attribute disabled)
[[ -n $tests && -n $failed ]] || stop "ctest wrote no report (status $ctest_status)"
skipped=$((${skipped:-0} + ${disabled:-0}))
passed=$((tests - failed - skipped))
if ((ctest_status != 0 && failed == 0)); then
  failed=1
fi
echo "tests: $((passed + failed)) ran: $passed passed, $failed failed; $skipped skipped"

# Assertions on and nothing inlined. Only without arguments: these choose tests of the release build.
if (($# == 0)); then
  debug_tests=(engine_base_test text_html_test text_terms_test)
  DRAGOMAN_CUDA=OFF deploy/build.sh --tests debug "${debug_tests[@]}" || stop "the debug build failed"
  for test in "${debug_tests[@]}"; do
    if "$(find build/debug/tests -type f -name "$test")" --gtest_brief=1; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
    fi
  done
fi

lint_log="build/release/lint.log"
lint_status=0
tests/lint.sh --fast | tee "$lint_log" || lint_status=$?
if [[ "$(tail -n 1 "$lint_log")" =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
  passed=$((passed + BASH_REMATCH[1]))
  failed=$((failed + BASH_REMATCH[2]))
else
  failed=$((failed + 1))
fi
if ((lint_status != 0 && failed == 0)); then
  failed=1
fi

echo "$passed passed, $failed failed"
((failed == 0))
