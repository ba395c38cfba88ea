#!/bin/bash
# Makes the Debian package of build/release (or of the build folder given): dragoman_VERSION_ARCHITECTURE.deb
# there, with the libraries that it needs, the systemd service, the bundled model and an SBOM.
#
#   deploy/package/build.sh [BUILD_FOLDER]
#
# Needs 'deploy/build.sh release' first (for 64-bit ARM on another kind of machine 'deploy/build.sh arm64', and
# build/arm64 as BUILD_FOLDER), and dpkg-dev and python3. What is compiled for another kind of machine has its libraries
# from build/arm64-sysroot, and is asked for its flags under qemu-user.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
build="${1:-$root/build/release}"
for program in cpack dpkg-shlibdeps python3; do
  command -v "$program" >/dev/null || {
    echo "package: $program is missing (apt-get install cmake dpkg-dev python3)" >&2
    exit 1
  }
done
for program in server/dragomand client/dragoman; do
  [[ -x $build/$program ]] || {
    echo "package: found no $build/$program, expected what deploy/build.sh builds" >&2
    exit 1
  }
done
# The one of the package, which the build folder's configuration says.
architecture=$(sed -n 's/^set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE "\(.*\)")$/\1/p' "$build/CPackConfig.cmake")
log="$build/package.log"
# dpkg-shlibdeps looks for libraries, and for the tools that read them, by this.
if ! (cd "$build" && DEB_HOST_ARCH="$architecture" cpack -G DEB) >"$log" 2>&1; then
  tail -20 "$log" >&2
  exit 1
fi
ls "$build"/dragoman_*_"$architecture".deb
