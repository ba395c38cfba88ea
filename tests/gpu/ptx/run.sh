#!/bin/bash
# Runs the suites of the operations, the search, whole engines and a whole daemon on the PTX of several architectures, as
# README.md says. Compiles what is missing: some minutes for each of them.
#
#   tests/gpu/ptx/run.sh [--build PRESET] [ARCH...]      of 90a, 80 and 75; all of them without an argument
set -euo pipefail
shopt -s nullglob
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

preset=release
if [[ ${1:-} == --build ]]; then
  preset=${2:?ptx: --build needs a preset}
  shift 2
fi
build=build/$preset
archs=("$@")
[[ ${#archs[@]} -gt 0 ]] || archs=(90a 80 75)
for arch in "${archs[@]}"; do
  if [[ ! $arch =~ ^(90a|80|75)$ ]]; then
    echo "ptx: architecture '$arch', expected 90a, 80 or 75" >&2
    exit 2
  fi
done
[[ -r $build/CMakeCache.txt ]] || {
  echo "ptx: no $build; run 'deploy/build.sh --tests $preset' first" >&2
  exit 1
}
setting() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
before=$(setting DRAGOMAN_PTX_ARCHS)
if [[ -z $before ]]; then
  echo "ptx: $build has no CUDA 13 compiler, or DRAGOMAN_PTX_DEVICE is OFF there" >&2
  exit 1
fi
# As deploy/build.sh does, so that ccache finds what that has compiled.
export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$PWD}" CCACHE_NOHASHDIR="${CCACHE_NOHASHDIR:-1}"
export CCACHE_SLOPPINESS="${CCACHE_SLOPPINESS:-pch_defines,time_macros}"
jobs=${DRAGOMAN_JOBS:-$(nproc)}
restore() { cmake "$build" "-DDRAGOMAN_PTX_ARCHS=$before" >/dev/null; }
trap restore EXIT
cmake "$build" "-DDRAGOMAN_PTX_ARCHS=$(IFS=';' && echo "${archs[*]}")" >/dev/null
cmake --build "$build" --parallel "$jobs" --target ptx_programs

failed=0
ctest --test-dir "$build" --parallel "$jobs" --output-on-failure --no-tests=error -R '^Ptx_sm_|^ptx_(isa_forms|planted_faults)$' ||
  failed=1

# The search; whole engines, in each type, with the operations of streams as late as they may be and at random, and of a
# model that is wide enough for the fused output layer; a whole daemon.
# As many at a time as there are jobs; what one has said is shown when it has ended.
here=$build/tests/gpu/ptx
logs=$(mktemp -d)
# What runs in the background would outlive an interrupt.
end_runs() {
  local children
  children=$(jobs -p | paste --serial --delimiters=,)
  [[ -z $children ]] || pkill --parent "$children" || true
}
trap 'end_runs; restore; rm -rf "$logs"' EXIT
python3 -B tests/gpu/ptx/wide_model.py "$logs/wide"
started=0
under_way=0
# Waits for one of them.
reap() {
  local number name status
  wait -n || true
  under_way=$((under_way - 1))
  for number in "$logs"/*.status; do
    status=$(<"$number")
    name=$(<"${number%.status}.name")
    echo "== $name"
    cat "${number%.status}.log"
    rm "$number"
    if ((status != 0)); then
      failed=1
      echo "ptx: $name failed, status $status" >&2
    fi
  done
}
run() {
  local log=$logs/$((started += 1))
  echo "$1" >"$log.name"
  shift
  {
    local status=0 begin=$SECONDS
    env "$@" >"$log.log" 2>&1 || status=$?
    echo "took $((SECONDS - begin)) s" >>"$log.log"
    echo "$status" >"$log.part"
    mv "$log.part" "$log.status"
  } &
  under_way=$((under_way + 1))
  ((under_way < jobs)) || reap
}
export DRAGOMAN_PTX_PRODUCTS=one-by-one
# A model of each kind: RMS norms and a bias by distance, pre-norm, Facebook's, one that forces its language, SSRU, ensembles.
families='*Generate/Cuda_tiny_t5:*Generate/Cuda_tiny_pegasus:*Generate/Cuda_tiny_fsmt:*Generate/Cuda_tiny_nllb'
families+=':*Marians/Cuda_*:*EnsemblesOnCuda*'
for arch in "${archs[@]}"; do
  export DRAGOMAN_PTX_ARCH=$arch
  run "sm_$arch: the search" "$here/ptx_search_test"
  run "sm_$arch: the search, late" DRAGOMAN_PTX_ORDER=late "$here/ptx_search_test"
  run "sm_$arch: engines" "$here/ptx_engine_test"
  run "sm_$arch: an engine, late" DRAGOMAN_PTX_ORDER=late "$here/ptx_engine_test" --gtest_filter='*/float16'
  run "sm_$arch: an engine, random" DRAGOMAN_PTX_ORDER=random DRAGOMAN_PTX_EARLY=random DRAGOMAN_PTX_SEED=2 \
    "$here/ptx_engine_test" --gtest_filter='*/float16'
  run "sm_$arch: an engine with sums by sixteen" DRAGOMAN_PTX_PRODUCTS=by-sixteen "$here/ptx_engine_test" \
    --gtest_filter='*/float16'
  run "sm_$arch: 1,000 requests" DRAGOMAN_PTX_REQUESTS=1000 DRAGOMAN_PTX_LOADS=whole "$here/ptx_engine_calls_test" \
    --gtest_filter='*AStartRequests*'
  run "sm_$arch: an error at every place" DRAGOMAN_PTX_ERRORS=places "$here/ptx_engine_calls_test" \
    --gtest_filter='*AnErrorAtAnyCall*'
  # At every place of a reload on the first of them alone: it takes a request after each, and the calls are the host's.
  run "sm_$arch: an error in a reload" DRAGOMAN_PTX_ERRORS="$([[ $arch == "${archs[0]}" ]] && echo places || echo some)" \
    "$here/ptx_engine_calls_test" --gtest_filter='*AnErrorInAReload*'
  run "sm_$arch: errors, late" DRAGOMAN_PTX_ORDER=late "$here/ptx_engine_calls_test" --gtest_filter='*AnError*'
  run "sm_$arch: a daemon" "$here/ptx_daemon_test"
  run "sm_$arch: models of each family" "$here/ptx_parity_test" --gtest_filter="$families"
  # CTranslate2's profile on the first: many cases, of the host's code above the kernels.
  [[ $arch != "${archs[0]}" ]] || run "sm_$arch: profiles" "$here/ptx_profiles_test" --gtest_filter='*Cuda_tiny_a'
  run "sm_$arch: gpu_engine_test" DRAGOMAN_GPU_ENGINES=small "$here/ptx_gpu_engine_test" --gtest_filter='*/float16'
  # 7.5 has no fused output layer.
  [[ $arch == 75 ]] && continue
  run "sm_$arch: an engine with the fused output layer" DRAGOMAN_GPU_MODEL="$logs/wide" "$here/ptx_engine_test" \
    --gtest_filter='*/float16:*/bfloat16'
  run "sm_$arch: its products in one byte" DRAGOMAN_GPU_ENGINES=small DRAGOMAN_GPU_MODEL="$logs/wide" \
    "$here/ptx_gpu_engine_test" --gtest_filter='*QuantizedOutputProducts/float16'
done
while ((under_way > 0)); do reap; done
exit "$failed"
