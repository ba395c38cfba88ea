#!/bin/bash
# Makes the Debian package of build/release (or of the build folder given): dragoman_VERSION_amd64.deb
# (arm64 on an ARM machine) there, with the libraries that it needs, the systemd service, the bundled model and an SBOM.
#
#   deploy/package/build.sh [BUILD_FOLDER]
#
# Needs 'deploy/build.sh release' first, and dpkg-dev and python3.
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
# dpkg-shlibdeps asks this machine's dpkg for the packages of the libraries.
if grep -qs 'CMAKE_CROSSCOMPILING "TRUE"' "$build"/CMakeFiles/*/CMakeSystem.cmake; then
  echo "package: $build is compiled for another machine than this; make the package on one of those" >&2
  exit 1
fi
log="$build/package.log"
if ! (cd "$build" && cpack -G DEB) >"$log" 2>&1; then
  tail -20 "$log" >&2
  exit 1
fi
ls "$build"/dragoman_*_"$(dpkg --print-architecture)".deb
