#!/bin/bash
# The Python client's adapters and deploy's jobs in the real engines: 20,000 rows, undisturbed, with the daemon killed and
# with a node, an executor, a task or a job killed. Every row must come once, with the bytes of `dragoman translate`.
#
#   tests/engines/run.sh [curator | datatrove | ray | slurm | snakemake | spark]...
#
# All unless some are named; ROWS=3000 for fewer rows. Packages come from PyPI (tests/venv.sh). Spark needs a Java runtime
# of version 17 or newer; Slurm needs Debian's slurmctld, slurmd and munge, and root; Snakemake and Curator need Python
# 3.11. DRAGOMAND and DRAGOMAN name other binaries than those of build/release. Says what it skips; status 77 if that is
# everything. The last line is 'N passed, N failed, N skipped'.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(cd "$here/../.." && pwd)"

engines=("$@")
[[ $# -gt 0 ]] || engines=(curator datatrove ray slurm snakemake spark)
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export DRAGOMAND="${DRAGOMAND:-$root/build/release/server/dragomand}" DRAGOMAN="${DRAGOMAN:-$root/build/release/client/dragoman}"
export PYTHONDONTWRITEBYTECODE=1 RAY_USAGE_STATS_ENABLED=0
venv="$("$root/tests/venv.sh" client/python)"
wheel="$(DRAGOMAN_PYTHON="$venv/bin/python" DRAGOMAN_BUILD_ISOLATION=0 "$root/client/python/build.sh" "$work")"
passed=0
failed=0
skipped=0

missing() {
  case "$1" in
    spark) command -v java >/dev/null || echo "a Java runtime" ;;
    slurm)
      for program in munged slurmctld slurmd sbatch; do
        command -v "$program" >/dev/null || echo "$program"
      done
      [[ $EUID == 0 ]] || echo root
      ;;
  esac
}

for engine in "${engines[@]}"; do
  [[ -r $here/$engine/run_case.py ]] || {
    echo "run: found '$engine', expected curator, datatrove, ray, slurm, snakemake or spark" >&2
    exit 2
  }
  lacks="$(missing "$engine")"
  if [[ -n $lacks ]] || ! venv="$("$root/tests/venv.sh" "engines/$engine")"; then
    echo "SKIPPED: $engine: ${lacks:+no }${lacks:-no packages}" | tr '\n' ' '
    echo
    skipped=$((skipped + 1))
    continue
  fi
  site="$work/site-$engine"
  packages=("$wheel")
  # Without what it requires, among it torch, which translation does not use.
  [[ $engine != curator ]] || packages+=(nemo-curator==1.4.0)
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --target "$site" "${packages[@]}"
  mkdir -m 700 "$work/$engine"
  if DRAGOMAN_LOCAL_DIR="$work/$engine" PYTHONPATH="$site:$here" PYSPARK_PYTHON="$venv/bin/python" \
    "$venv/bin/python" "$here/$engine/run_case.py"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[[ $failed == 0 ]] || exit 1
[[ $passed -gt 0 ]] || exit 77
