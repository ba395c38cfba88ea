# shellcheck shell=bash
# What suite.sh, sanitizers.sh and bench.sh share. To be sourced; makes the bundle's folder the
# working directory, for the programs look for model and data there.
#
#   start SECONDS DIRECTORY          the whole command's limit; where its files go
#   part NAME SECONDS COMMAND...     runs a part within its limit and what is left of the whole, adds
#                                    its output to $report and counts what passed and failed: run_part,
#                                    then account NAME COMMAND...
#   not_run NAME                     a part for which no time is left
#   skip NAME WHY                    a part that cannot run here
#   finish                           a line for each part, then 'N passed, N failed'; the exit status
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1

start() {
  deadline=$((SECONDS + $1))
  mkdir -p "$2" || exit 1
  out=$(cd "$2" && pwd)
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  passed=0 failed=0 skipped=0 lines=()
  find_cublas
}

# cuBLASLt is opened by name. Where the loader does not know it, it may lie with the toolkit or in a
# Python package.
find_cublas() {
  ldconfig -p 2>/dev/null | grep 'libcublasLt\.so\.13' >/dev/null && return
  local folder
  for folder in /usr/local/cuda/lib64 /usr/local/cuda*/targets/x86_64-linux/lib \
    /usr/lib/python3*/site-packages/nvidia/cu13/lib \
    /opt/*/.venv/lib/python3*/site-packages/nvidia/cu13/lib; do
    if [[ -e $folder/libcublasLt.so.13 ]]; then
      export LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
      return
    fi
  done
  echo "no libcublasLt.so.13 was found: what needs it will fail"
}

# What a part's log says of its tests: GoogleTest's summary, or the last line of our own programs.
# Sets p, f, s.
count() {
  p=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$1" | tail -n 1)
  f=$(sed -n 's/^\[  FAILED  \] \([0-9]*\) tests\{0,1\}, listed below.*/\1/p' "$1" | tail -n 1)
  s=$(sed -n 's/^\[  SKIPPED \] \([0-9]*\) test.*/\1/p' "$1" | tail -n 1)
  if [[ -z $p && "$(tail -n 1 "$1")" =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
    p=${BASH_REMATCH[1]} f=${BASH_REMATCH[2]}
    s=$(grep -c '^skipped ' "$1")
  fi
}

part() {
  local name=$1
  if ((deadline - SECONDS < 3)); then
    not_run "$name"
    return
  fi
  run_part "$@"
  shift 2
  account "$name" "$@"
}

# Leaves what was printed in $scratch/NAME.log; status, seconds and limit in $scratch/NAME.ended.
run_part() {
  local name=$1 limit=$2 left=$((deadline - SECONDS)) status=0 begun=$SECONDS
  shift 2
  ((limit <= left)) || limit=$left
  timeout --kill-after=5 "$limit" "$@" >"$scratch/$name.log" 2>&1 || status=$?
  echo "$status $((SECONDS - begun)) $limit" >"$scratch/$name.ended"
}

# Returns the part's exit status.
account() {
  local name=$1 log=$scratch/$1.log status seconds limit p f s
  shift
  read -r status seconds limit <"$scratch/$name.ended"
  count "$log"
  # What counts nothing itself counts as one; a test of which a filter left nothing, as none.
  if [[ -z $p$f$s ]] && ((status == 0)); then p=1; fi
  p=${p:-0} f=${f:-0} s=${s:-0}
  if ((status != 0 && f == 0)); then f=1; fi
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  local line="$name: $p passed, $f failed, $s skipped, $seconds s"
  if ((status == 124 || status == 137)); then line+=", STOPPED at its limit of $limit s"; fi
  if ((status != 0)); then line+=", exit status $status"; fi
  lines+=("$line")
  { echo "=== $name: $*"; cat "$log"; echo "=== $line"; echo; } >>"$report"
  echo "$line"
  # The reason at once, where the end of the output is all that is read.
  if ((status != 0)); then
    grep -E -A 4 'Failure|rror' "$log" | head -n 24
    tail -n 4 "$log"
  fi
  return "$status"
}

not_run() {
  lines+=("$1: NOT RUN, the time is up")
  failed=$((failed + 1))
  return 1
}

skip() {
  lines+=("$1: SKIPPED, $2")
  skipped=$((skipped + 1))
  echo "$1: SKIPPED, $2" | tee -a "$report"
}

finish() {
  {
    printf '%s\n' "${lines[@]}"
    echo "$skipped skipped"
    echo "$passed passed, $failed failed"
  } | tee -a "$report"
  ((failed == 0 && passed > 0))
}

# The card as it is found: nothing is set. A driver that hangs must not take the whole time.
describe_machine() {
  cat build.txt
  echo "run $(date -u +%Y-%m-%dT%H:%MZ)"
  uname -sr
  sed -n 's/^model name[^:]*: /cpu /p' /proc/cpuinfo | head -n 1
  echo "cores $(nproc)"
  timeout 20 nvidia-smi --query-gpu=name,driver_version,compute_cap,memory.total,memory.used,clocks.sm,clocks.mem,clocks.max.sm,power.limit,temperature.gpu \
    --format=csv 2>&1
  timeout 20 nvidia-smi 2>/dev/null | sed -n 's/.*\(CUDA Version: [0-9.]*\).*/\1/p'
  nvcc --version 2>/dev/null | tail -n 2
  timeout --kill-after=5 60 bin/gpu_bench machine
}
