#!/bin/bash
# Checks the text of the sources. Needs a build/release configured with the tests
# (deploy/build.sh --tests), for the compile commands and the generated headers.
#
#   tests/lint.sh [--fast | --tidy]
#
#   --fast   clang-format in dry run, which folder includes which (lint/includes.py), clang's
#            -Wthread-safety over engine, server and client (lint/thread_safety.py), the citations of
#            sections and documents (lint/citations.py), the tests that security's documents name
#            for what they promise (lint/promises.py), a namespace for each library and no name that
#            two files define (lint/one_definition.py), and the English of comments and documents
#            (lint/english.py); the scripts with their tests
#   --tidy   clang-tidy with the root's .clang-tidy over all sources
#
# Without an argument: all of them. The last line is 'N passed, N failed', a line per check above.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fast=1
tidy=1
case "${1:-}" in
  "") ;;
  --fast) tidy=0 ;;
  --tidy) fast=0 ;;
  *)
    echo "lint: unknown argument '$1', expected --fast or --tidy" >&2
    exit 2
    ;;
esac

compiled=build/release/compile_commands.json
[[ -r $compiled ]] || {
  echo "lint: no $compiled; run 'deploy/build.sh --tests' first" >&2
  echo "0 passed, 1 failed"
  exit 1
}
database=build/release/lint/compile_commands.json
python3 tests/lint/source_commands.py "$compiled" "$database"

passed=0
failed=0
check() {
  local name=$1 begin=$SECONDS
  shift
  if "$@"; then
    passed=$((passed + 1))
    echo "lint: $name passed ($((SECONDS - begin)) s)"
  else
    failed=$((failed + 1))
    echo "lint: $name FAILED ($((SECONDS - begin)) s)"
  fi
}

format() {
  find client engine kernels proto server tests \
    \( -name '*.cc' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
    xargs -0 --no-run-if-empty clang-format --dry-run --Werror
}

# The check itself first, on trees made up for it.
includes() {
  python3 tests/lint/includes_test.py --quiet && python3 tests/lint/includes.py
}

thread_safety() {
  python3 tests/lint/thread_safety.py "$database" "$(nproc)"
}

citations() {
  python3 tests/lint/citations.py && python3 tests/lint/citations_test.py
}

promises() {
  python3 tests/lint/promises.py && python3 tests/lint/promises_test.py --quiet
}

one_definition() {
  python3 tests/lint/one_definition.py && python3 tests/lint/one_definition_test.py
}

english() {
  python3 tests/lint/english.py && python3 tests/lint/english_test.py --quiet
}

tidy() {
  local log=build/release/tidy.log status=0
  # Some files are compiled with warning options of g++ that clang does not know; and on x86 clang 14
  # knows _Float16 (emulated kernels) only beside instructions for it.
  local extra=(-extra-arg=-Wno-unknown-warning-option)
  if [[ $(uname -m) == x86_64 ]]; then extra+=(-extra-arg=-mavx512fp16); fi
  run-clang-tidy -quiet -j "$(nproc)" -p "${database%/*}" "${extra[@]}" \
    "^$PWD/(client|engine|kernels|server|tests)/" >"$log" 2>&1 || status=$?
  grep -E '(warning|error):' "$log" | sort -u || true
  return "$status"
}

if ((fast)); then
  check "clang-format" format
  check "includes" includes
  check "thread safety" thread_safety
  check "citations" citations
  check "promises" promises
  check "one definition" one_definition
  check "English" english
fi
if ((tidy)); then
  check "clang-tidy" tidy
fi
echo "$passed passed, $failed failed"
((failed == 0))
