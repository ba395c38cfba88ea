#!/bin/bash
# Configures and builds one preset of CMakePresets.json into build/PRESET.
#
#   deploy/build.sh [--tests] [PRESET [TARGET...]]
#
#   --tests   configure the tests too (needs 'deploy/install-deps.sh --test')
#   PRESET    release (the default), debug, asan, tsan or fuzz
#   TARGET    what to build; default: dragomand and dragoman, with --tests everything
#
# Uses ccache where it is installed, and as many jobs as processors and memory allow;
# DRAGOMAN_JOBS overrides that. Needs the packages of 'deploy/install-deps.sh --build'.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

testing=OFF
if [[ "${1:-}" == --tests ]]; then
  testing=ON
  shift
fi
preset="${1:-release}"
shift || true
targets=("$@")
if [[ ${#targets[@]} -eq 0 && $testing == OFF ]]; then
  targets=(dragomand dragoman)
fi

# A translation unit that includes gRPC and the GoogleTest headers takes up to 1.5 GiB, with a
# sanitizer too; what a container may use counts, not what its host has.
memory_kb=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB$/\1/p' /proc/meminfo)
for limit in /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes; do
  if [[ -r $limit && "$(<"$limit")" =~ ^[0-9]{1,15}$ ]]; then
    limit_kb=$(($(<"$limit") / 1024))
    ((limit_kb >= memory_kb)) || memory_kb=$limit_kb
  fi
done
jobs=$((memory_kb / (1536 * 1024)))
((jobs <= $(nproc))) || jobs=$(nproc)
((jobs >= 1)) || jobs=1
jobs=${DRAGOMAN_JOBS:-$jobs}

launcher=()
if command -v ccache >/dev/null; then
  launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$PWD}" CCACHE_NOHASHDIR="${CCACHE_NOHASHDIR:-1}"
fi

# Tests once configured stay so: with them gone from the build, CMake would delete their objects.
if grep -qs '^BUILD_TESTING:.*=ON$' "build/$preset/CMakeCache.txt"; then
  testing=ON
fi
log="build/$preset/configure.log"
mkdir -p "build/$preset"
if ! cmake --preset "$preset" -DBUILD_TESTING=$testing "${launcher[@]}" >"$log" 2>&1; then
  cat "$log" >&2
  echo "build: 'cmake --preset $preset' failed; are the packages there (deploy/install-deps.sh)?" >&2
  exit 1
fi
echo "build: preset $preset with $jobs jobs"
cmake --build --preset "$preset" --parallel "$jobs" ${targets[@]:+--target "${targets[@]}"}
