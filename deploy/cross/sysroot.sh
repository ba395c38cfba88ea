#!/bin/bash
# Makes build/arm64-sysroot: the headers and libraries of Debian 12 for 64-bit ARM, for compiling on a
# machine of another kind (deploy/cross/arm64.cmake) and for running what was built under qemu-user.
# Quick and silent when it is there. Nothing of it is installed on this machine, and none of it is run.
#
#   deploy/cross/sysroot.sh [--again]
#
#   --again   make it anew, with today's versions
#
# The packages are those of 'deploy/install-deps.sh --build --test' that hold libraries, from where this
# machine's apt sources have them. Needs the packages of 'deploy/install-deps.sh --cross'.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

sysroot=build/arm64-sysroot
case "${1:-}" in
  "") ;;
  --again) rm -rf "$sysroot" ;;
  *)
    echo "sysroot: found '$*', expected nothing or --again" >&2
    exit 2
    ;;
esac

# What is for a compiler of the machine itself, or for the benchmarks beside other libraries.
not_for_it='^(libclang-rt-14|libdnnl|libomp|ocl-icd-opencl)-dev$'
mapfile -t packages < <(deploy/install-deps.sh --list --build --test | grep -- '-dev$' | grep -vE "$not_for_it")
# The compiler's libraries; and gRPC's plugin, which the CMake package of libgrpc++-dev expects there.
packages+=(libc6-dev libstdc++-12-dev protobuf-compiler-grpc)

# Also what else it is made with: another of either makes it anew.
made="${packages[*]} $(cat deploy/cross/packages.sh deploy/cross/links.sh | sha256sum)"
[[ "$(cat "$sysroot.packages" 2>/dev/null)" != "$made" ]] || exit 0

# Debian's own sources alone: others may have nothing for this architecture.
mapfile -t sources < <(grep -lsE '^[^#]*\bbookworm\b.*' /etc/apt/sources.list /etc/apt/sources.list.d/*.list \
  /etc/apt/sources.list.d/*.sources | xargs -r grep -lE 'debian' || true)
[[ ${#sources[@]} -gt 0 ]] || {
  echo "sysroot: /etc/apt names no source of Debian 12 (bookworm)" >&2
  exit 1
}

rm -rf "$sysroot" "$sysroot.packages"
mkdir -p build
log="$sysroot.log"
mode=root
[[ $EUID -eq 0 ]] || mode=unshare
echo "sysroot: unpacking ${#packages[@]} packages and what they need into $sysroot"
if ! mmdebstrap --variant=extract --mode=$mode --architectures=arm64 --skip=check/qemu \
  --extract-hook="$PWD/deploy/cross/packages.sh" --extract-hook="$PWD/deploy/cross/links.sh" \
  --include="$(IFS=,; echo "${packages[*]}")" bookworm "$sysroot" "${sources[@]}" >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "sysroot: mmdebstrap failed; the lines above are the end of $log" >&2
  exit 1
fi
echo "$made" >"$sysroot.packages"
