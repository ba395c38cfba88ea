#!/bin/bash
# Reads what ptxas said of every kernel of a build and compares it with a budget: stack frames,
# spills, registers. Any warning of ptxas fails as well: C75xx says that wgmma was serialised or a
# register setting ignored. Needs no GPU.
#
#   check_ptxas.sh BUDGET BUILD_DIRECTORY
#
# The last line is 'N passed, N failed'; a kernel of one architecture is one check.
set -euo pipefail
budget=${1:?usage: check_ptxas.sh BUDGET BUILD_DIRECTORY}
build=${2:?usage: check_ptxas.sh BUDGET BUILD_DIRECTORY}

mapfile -d '' reports < <(find "$build/kernels" "$build/tests/gpu/variants" -name '*.ptxas' -print0)
if [[ ${#reports[@]} -eq 0 ]]; then
  echo "check_ptxas: no report of ptxas under $build"
  echo "0 passed, 1 failed"
  exit 1
fi
awk '
  BEGIN { n = 0 }
  FILENAME == ARGV[1] {
    if ($0 !~ /^#/ && NF == 4) { pattern[n] = $1; stack[n] = $2; spills[n] = $3; registers[n++] = $4 }
    next
  }
  /warning|C75[0-9][0-9]/ { printf "FAILED %s: %s\n", FILENAME, $0; failed++ }
  /Compiling entry function/ {
    split($0, quoted, "\047"); kernel = quoted[2]; arch = quoted[4]
  }
  /bytes stack frame/ { frame = $1; spilled = $5 + $9 }
  /Used [0-9]+ registers/ {
    match($0, /Used [0-9]+/); used = substr($0, RSTART + 5, RLENGTH - 5) + 0
    limit = -1
    for (i = 0; i < n && limit < 0; i++) if (kernel ~ pattern[i]) limit = i
    if (limit < 0 || frame > stack[limit] || spilled > spills[limit] || used > registers[limit]) {
      printf "FAILED %s %s: %d bytes of stack frame, %d of spills, %d registers; the budget is %s\n",
        arch, kernel, frame, spilled, used,
        limit < 0 ? "none" : stack[limit] ", " spills[limit] ", " registers[limit]
      failed++
    } else {
      passed++
    }
  }
  END { printf "%d passed, %d failed\n", passed, failed; exit failed > 0 || passed == 0 }
' "$budget" "${reports[@]}"
