#!/bin/bash
# Configures and builds one preset of CMakePresets.json into build/PRESET.
#
#   deploy/build.sh [--tests] [--here] [PRESET [TARGET...]]
#
#   --tests   configure the tests too (needs 'deploy/install-deps.sh --test')
#   --here    compile the CUDA kernels for the GPUs of this machine only, or not at all without one;
#             a build folder that already has more keeps it
#   PRESET    release (the default), debug, asan, tsan or fuzz; arm64 for 64-bit ARM, on a machine of
#             another kind (needs 'deploy/install-deps.sh --build --cross')
#   TARGET    what to build; default: dragomand and dragoman, with --tests everything
#
# Uses ccache where it is installed, and as many jobs as processors and memory allow;
# DRAGOMAN_JOBS overrides that. DRAGOMAN_CUDA (AUTO, ON or OFF) and DRAGOMAN_CUDA_ARCHS override the
# preset's. Needs the packages of 'deploy/install-deps.sh --build'.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

testing=OFF
here=0
while [[ "${1:-}" == --* ]]; do
  case "$1" in
    --tests) testing=ON ;;
    --here) here=1 ;;
    *)
      echo "build: unknown argument '$1', expected --tests or --here" >&2
      exit 2
      ;;
  esac
  shift
done
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
  # Without this setting ccache keeps no object that uses a precompiled header.
  export CCACHE_SLOPPINESS="${CCACHE_SLOPPINESS:-pch_defines,time_macros}"
fi

cache="build/$preset/CMakeCache.txt"

# Prints the value of a variable in the last configuration of this build folder; nothing without one.
cached() {
  sed -n "s/^$1:[A-Z]*=//p" "$cache" 2>/dev/null || true
}

# Prints the entry of the preset release that has code for a GPU of this compute capability (86 is
# 8.6), or nothing. Code runs on its own generation from its own minor version on, code with a suffix
# (90a) only on its own version, and PTX on everything later.
code_for() {
  local capability=$1 arch number best=
  for arch in $(sed -n 's/^ *"DRAGOMAN_CUDA_ARCHS": "\(.*;.*\)".*$/\1/p' CMakePresets.json | tr ';' ' '); do
    number=${arch%%[!0-9]*}
    case "$arch" in
      *-virtual) [[ -n $best ]] || ((capability <= number)) || best=$arch ;;
      *[!0-9]) ((capability != number)) || best=$arch ;;
      *) ((capability / 10 != number / 10 || capability < number)) || best=$arch ;;
    esac
  done
  echo "$best"
}

cuda=${DRAGOMAN_CUDA:-}
archs=${DRAGOMAN_CUDA_ARCHS:-}
why_no_cuda="there is no CUDA compiler for this machine's GPU"
if ((here)) && [[ -z $cuda$archs ]]; then
  # One line for each GPU, such as 8.6; what nvidia-smi says without a driver is none.
  mapfile -t capabilities < <(timeout 30 nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
    grep -E '^[0-9]+\.[0-9]$' | sort -u || true)
  for capability in "${capabilities[@]}"; do
    arch=$(code_for "${capability/./}")
    if [[ -n $arch && ";$archs;" != *";$arch;"* ]]; then
      archs+="${archs:+;}$arch"
    fi
  done
  if [[ -z $archs ]]; then
    cuda=OFF
    why_no_cuda="nvidia-smi shows no GPU"
    if ((${#capabilities[@]})); then
      why_no_cuda="there are no kernels for GPUs of compute capability ${capabilities[*]}"
    fi
  else
    cuda=AUTO
  fi
  # The folder's architectures stay if they include these, so that nothing is compiled again.
  before=$(cached DRAGOMAN_CUDA_ARCHS)
  if [[ -n $before && $(cached DRAGOMAN_CUDA) != OFF ]]; then
    missing=0
    for arch in ${archs//;/ }; do
      [[ ";$before;" == *";$arch;"* ]] || missing=1
    done
    if ((!missing)); then
      cuda=$(cached DRAGOMAN_CUDA)
      archs=$before
    fi
  fi
fi
settings=(${cuda:+"-DDRAGOMAN_CUDA=$cuda"} ${archs:+"-DDRAGOMAN_CUDA_ARCHS=$archs"})
# CMake remembers that it found no compiler; one may have been installed since.
if [[ $(cached CMAKE_CUDA_COMPILER) == *NOTFOUND ]]; then
  settings+=(-UCMAKE_CUDA_COMPILER)
fi

# Tests once configured stay so: with them gone from the build, CMake would delete their objects.
if [[ $(cached BUILD_TESTING) == ON ]]; then
  testing=ON
fi
if [[ $preset == arm64 ]]; then
  deploy/cross/sysroot.sh
fi
log="build/$preset/configure.log"
mkdir -p "build/$preset"
if ! cmake --preset "$preset" -DBUILD_TESTING=$testing "${settings[@]}" "${launcher[@]}" >"$log" 2>&1; then
  cat "$log" >&2
  echo "build: 'cmake --preset $preset' failed; are the packages there (deploy/install-deps.sh)?" >&2
  exit 1
fi
if ((here)); then
  if grep -q 'only the CPU is built' "$log"; then
    echo "build: for the CPU alone: $why_no_cuda"
  else
    echo "build: for the CPU and GPUs of compute capability $archs"
  fi
fi
echo "build: preset $preset with $jobs jobs"
cmake --build --preset "$preset" --parallel "$jobs" ${targets[@]:+--target "${targets[@]}"}
