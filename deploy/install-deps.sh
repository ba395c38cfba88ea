#!/bin/bash
# Installs the packages of Debian 12 or 13 that Dragoman needs and that are missing. Quick and silent
# when all are there.
#
#   deploy/install-deps.sh [--runtime] [--build] [--test] [--containers] [--cross] [--fetch] [--package] [--list]
#
#   --runtime     what the binaries load
#   --build       what compiles the server and the client
#   --test        what the tests, the sanitizers, the fuzzers and the lint pass need besides --build
#   --containers  what tests/containers/run.sh needs
#   --cross       what compiles for 64-bit ARM on another kind of machine, and runs that here, besides --build
#   --fetch       what docker/Dockerfile.fetch needs
#   --package     what makes the Debian package and the wheel, besides --build
#   --list        only print the names of the packages of the groups asked for
#
# Without a group: --build --test. Root, or sudo, is needed only when something is missing.
set -euo pipefail

# shellcheck source=/dev/null
distribution="$(. /etc/os-release 2>/dev/null && echo "${ID:-?} ${VERSION_ID:-?}")" || distribution="unknown"
if [[ "$distribution" == "debian 13" ]]; then
  boost=libboost-dev
  clang_rt=libclang-rt-19-dev
  versioned=(libabsl20240722 libgrpc++1.51t64 libicu76 libprotobuf32t64 libre2-11 libspdlog1.15 libssl3t64)
else
  boost=libboost1.81-dev
  clang_rt=libclang-rt-14-dev
  versioned=(libabsl20220623 libgrpc++1.51 libicu72 libprotobuf32 libre2-9 libspdlog1.10 libssl3)
fi

runtime_packages=(
  "${versioned[@]}"
  libexpat1
  libfasttext0
  libgomp1
  libmd4c0
  libprometheus-cpp-core1.0
  libsqlite3-0
  libstdc++6
  libyaml-0-2
  libzstd1
  zlib1g
)
build_packages=(
  cmake
  g++
  libabsl-dev
  "$boost" # Asio and Beast, for HTTP; headers alone
  libexpat1-dev
  libfasttext-dev # detects languages; without it the daemon does not (DRAGOMAN_DETECTION)
  libcivetweb-dev # the CMake package of prometheus-cpp-dev looks for it
  libfmt-dev
  libgrpc++-dev
  libicu-dev
  libmd4c-dev
  libprotobuf-dev
  libre2-dev # found by the CMake package of libgrpc++-dev
  libspdlog-dev
  libsqlite3-dev
  libssl-dev
  libyaml-dev
  libzstd-dev
  ninja-build
  nlohmann-json3-dev
  pkg-config
  prometheus-cpp-dev
  protobuf-compiler
  protobuf-compiler-grpc
  zlib1g-dev
)
test_packages=(
  clang
  clang-format
  clang-tidy
  curl
  git
  libbenchmark-dev
  "$clang_rt" # libFuzzer, LeakSanitizer
  libdnnl-dev # measured beside our own products in tests/bench
  libgmock-dev
  libgtest-dev
  libomp-dev # OpenMP of clang
  libsentencepiece-dev # the oracle of our tokenizer
  ocl-icd-opencl-dev # the CMake package of libdnnl-dev looks for OpenCL
  openssl # certificates of the tests
  procps
  python3
  python3-venv # of tests/venv.sh
  zstd # Firefox's models are compressed by it
)
fetch_packages=(
  ca-certificates
  python3
  python3-boto3 # s3:// alone
  zstd # Firefox's models
)
container_packages=(
  buildah
  catatonit # podman's pods have it as their first process
  curl
  debootstrap
  golang-github-containernetworking-plugin-dnsname # podman's containers find each other by name
  iproute2
  podman
  procps
  qemu-user-static # runs the image for 64-bit ARM
  runc # for podman, where crun does not start
  util-linux # unshare, nsenter
)
cross_packages=(
  g++-aarch64-linux-gnu
  mmdebstrap # unpacks the libraries of deploy/cross/sysroot.sh
  qemu-user
)

fail() {
  echo "install-deps: $*" >&2
  exit 1
}

package_packages=(
  dpkg-dev
  file # cpack
  python3
  python3-venv
)

packages=()
list=0
for argument in "$@"; do
  case "$argument" in
    --runtime) packages+=("${runtime_packages[@]}") ;;
    --build) packages+=("${build_packages[@]}") ;;
    --test) packages+=("${test_packages[@]}") ;;
    --containers) packages+=("${container_packages[@]}") ;;
    --cross) packages+=("${cross_packages[@]}") ;;
    --fetch) packages+=("${fetch_packages[@]}") ;;
    --package) packages+=("${package_packages[@]}") ;;
    --list) list=1 ;;
    -h | --help)
      sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0"
      exit 0
      ;;
    *) fail "unknown argument '$argument', expected --runtime, --build, --test, --containers, --cross, --fetch, --package or --list" ;;
  esac
done
[[ ${#packages[@]} -gt 0 ]] || packages=("${build_packages[@]}" "${test_packages[@]}")

if ((list)); then
  printf '%s\n' "${packages[@]}" | sort -u
  exit 0
fi

[[ "$distribution" == "debian 12" || "$distribution" == "debian 13" ]] ||
  fail "this is '$distribution', expected Debian 12 or 13. Install what 'deploy/install-deps.sh --list' names by hand, then build with 'deploy/build.sh'."

installed="$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null |
  sed -n 's/^installed //p')" || true
mapfile -t missing < <(comm -23 <(printf '%s\n' "${packages[@]}" | sort -u) <(sort -u <<<"$installed"))
[[ ${#missing[@]} -gt 0 ]] || exit 0

as_root=()
if [[ $EUID -ne 0 ]]; then
  command -v sudo >/dev/null ||
    fail "not root and no sudo; as root, run: apt-get install --no-install-recommends ${missing[*]}"
  as_root=(sudo)
fi
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300)

echo "install-deps: installing ${#missing[@]} packages: ${missing[*]}"
"${apt[@]}" update -q || fail "'apt-get update' failed; is there a network, and do the apt sources name ${distribution^}?"
"${apt[@]}" install -y -q --no-install-recommends "${missing[@]}" ||
  fail "'apt-get install' failed; the lines above say why"
