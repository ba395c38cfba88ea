#!/bin/bash
# Checks the text of the sources. Needs a build/release configured with the tests
# (deploy/build.sh --tests), for the compile commands and the generated headers.
#
#   tests/lint.sh [--fast | --tidy]
#
#   --fast   clang-format in dry run, which folder includes which (lint/includes.py), clang's
#            -Wthread-safety over engine, server and client, the citations of sections and documents
#            (lint/citations.py), the tests that security's documents name for what they promise
#            (lint/promises.py), and the English of comments and documents (lint/english.py); the
#            scripts with their tests
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

database=build/release/compile_commands.json
[[ -r $database ]] || {
  echo "lint: no $database; run 'deploy/build.sh --tests' first" >&2
  echo "0 passed, 1 failed"
  exit 1
}

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

# g++ builds the project and knows no -Wthread-safety: clang reads the same commands, syntax only, of
# the sources that can see an annotation.
thread_safety() {
  python3 - "$database" "$(nproc)" <<'PYTHON'
import concurrent.futures, functools, json, os, re, shlex, subprocess, sys

root = os.getcwd()

# The project's files that a file includes, directly or not, with itself.
@functools.lru_cache(maxsize=None)
def seen_by(path):
    if not os.path.isfile(path):
        return frozenset()
    with open(path) as file:
        included = re.findall(r'#include "([^"]+)"', file.read())
    return frozenset([path]).union(*map(seen_by, included))

@functools.lru_cache(maxsize=None)
def annotates(path):
    with open(path) as file:
        return re.search(r'absl/(base/thread_annotations|synchronization/)', file.read()) is not None

commands = []
for entry in json.load(open(sys.argv[1])):
    path = os.path.relpath(os.path.join(entry['directory'], entry['file']), root)
    if path.split('/')[0] not in ('engine', 'server', 'client'):
        continue
    if not any(map(annotates, seen_by(path))):
        continue
    words = shlex.split(entry['command'])
    arguments, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word == '-o':
            skip = True
        elif word != '-c' and (arguments or word.startswith('-')):
            arguments.append(word)
    commands.append((path, entry['directory'], arguments))
if not commands:
    sys.exit('no source with annotations among the compile commands of engine, server and client')

def run(command):
    path, directory, arguments = command
    result = subprocess.run(
        ['clang++', *arguments, '-fsyntax-only', '-Qunused-arguments', '-Wno-everything',
         '-Wthread-safety', '-Werror=thread-safety'],
        cwd=directory, capture_output=True, text=True)
    return path, result.returncode, result.stderr

bad = 0
with concurrent.futures.ThreadPoolExecutor(int(sys.argv[2])) as pool:
    for path, status, text in pool.map(run, commands):
        if status:
            bad += 1
            print(text, end='')
            print(f'thread safety: {path} failed')
print(f'thread safety: {len(commands)} files, {bad} failed')
sys.exit(bad != 0)
PYTHON
}

citations() {
  python3 tests/lint/citations.py && python3 tests/lint/citations_test.py
}

promises() {
  python3 tests/lint/promises.py && python3 tests/lint/promises_test.py --quiet
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
  run-clang-tidy -quiet -j "$(nproc)" -p build/release "${extra[@]}" \
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
  check "English" english
fi
if ((tidy)); then
  check "clang-tidy" tidy
fi
echo "$passed passed, $failed failed"
((failed == 0))
