#!/bin/bash
# Makes links of a sysroot's libraries that begin at the root of a system relative ones: here they would lead to this
# machine's files, or to none, and the linker would take libm.a and libz.a in place of libm.so and libz.so. glibc's
# static libraries use symbols that are private to its version. An extract hook of mmdebstrap.
#
#   deploy/cross/links.sh SYSROOT
set -euo pipefail
sysroot=$1
find "$sysroot/lib" "$sysroot/usr/lib" -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
  ln --symbolic --relative --force --no-dereference "$sysroot$(readlink "$link")" "$link"
done
