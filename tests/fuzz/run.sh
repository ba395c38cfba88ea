#!/bin/bash
# Builds the fuzz targets with clang, AddressSanitizer and UndefinedBehaviorSanitizer, and runs each
# for a while.
#
#   tests/fuzz/run.sh [SECONDS=60] [TARGET ...]     e.g. tests/fuzz/run.sh 10 pickle_fuzz
#
# Prints a line for each target and at last "N passed, N failed"; the exit status is 0 when all
# passed. An input that fails is left in the build folder, and printed.
set -euo pipefail
cd "$(dirname "$0")/../.."

seconds=60
if [[ ${1:-} =~ ^[0-9]+$ ]]; then
  seconds=$1
  shift
fi
build=${DRAGOMAN_FUZZ_BUILD:-build/fuzz}
seeds=tests/fuzz/seeds
launcher=()
if command -v ccache > /dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi

targets=("$@")
if [[ ${#targets[@]} -eq 0 ]]; then
  for source in tests/fuzz/*_fuzz.cc; do targets+=("$(basename "$source" .cc)"); done
fi

mkdir -p "$build"
echo "building ${targets[*]} in $build"
if ! { cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
         -DCMAKE_CXX_COMPILER=clang++ -DDRAGOMAN_FUZZ=ON -DDRAGOMAN_SANITIZE=address \
         -DDRAGOMAN_CUDA=OFF "${launcher[@]}" && ninja -C "$build" "${targets[@]}"; } \
         > "$build/fuzz-build.log" 2>&1; then
  tail -30 "$build/fuzz-build.log"
  echo "the build failed: $build/fuzz-build.log"
  echo "0 passed, ${#targets[@]} failed"
  exit 1
fi

# The files that the parsers' own tests read are seeds too.
seed_folders() {
  local folder=$seeds/${1%_fuzz}
  if [[ -d $folder ]]; then echo "$folder"; fi
  if [[ $1 == torch_file_fuzz ]]; then echo tests/engine/model/data; fi
}

passed=0
failed=0
for target in "${targets[@]}"; do
  work=$build/fuzz-work/$target
  mkdir -p "$work/corpus" "$work/violations"
  # Cases are added to the corpus in the build folder, and kept for the next run.
  mapfile -t folders < <(seed_folders "$target")
  options=(-max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=1024
           -max_len=16384 -print_final_stats=1 -artifact_prefix="$work/violations/")
  if [[ -f tests/fuzz/${target%_fuzz}.dict ]]; then
    options+=(-dict="tests/fuzz/${target%_fuzz}.dict")
  fi
  if "$build/tests/fuzz/$target" "${options[@]}" "$work/corpus" "${folders[@]}" \
       > "$work/log" 2>&1; then
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log")
    coverage=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$work/log" | tail -1)
    echo "passed  $target  $runs runs in $seconds s, $coverage edges covered"
    passed=$((passed + 1))
  else
    tail -40 "$work/log"
    echo "FAILED  $target  see $work/log and $work/violations"
    failed=$((failed + 1))
  fi
done
echo "$passed passed, $failed failed"
[[ $failed -eq 0 ]]
