#!/bin/bash
# Runs the suites of the operations on the PTX of several architectures. Compiles what is missing: some
# minutes for each of them.
#
#   tests/gpu/ptx/run.sh [ARCH...]      of 90a, 80 and 75; all of them without an argument
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

archs=("$@")
[[ ${#archs[@]} -gt 0 ]] || archs=(90a 80 75)
for arch in "${archs[@]}"; do
  if [[ ! $arch =~ ^(90a|80|75)$ ]]; then
    echo "ptx: architecture '$arch', expected 90a, 80 or 75" >&2
    exit 2
  fi
done
[[ -r build/release/CMakeCache.txt ]] || {
  echo "ptx: no build/release; run 'deploy/build.sh --tests' first" >&2
  exit 1
}
before=$(sed -n 's/^DRAGOMAN_PTX_ARCHS:[A-Z]*=//p' build/release/CMakeCache.txt)
restore() { cmake build/release -DDRAGOMAN_PTX_ARCHS="${before:-90a}" >/dev/null; }
trap restore EXIT
cmake build/release -DDRAGOMAN_PTX_ARCHS="$(IFS=';' && echo "${archs[*]}")" >/dev/null
cmake --build build/release --target ptx_programs
ctest --test-dir build/release --parallel "$(nproc)" --output-on-failure --no-tests=error -R '^Ptx_sm_'
