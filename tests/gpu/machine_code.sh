#!/bin/bash
# Runs a Python program beside this file with the path of a cuobjdump (cuobjdump.sh) in
# DRAGOMAN_CUOBJDUMP. Status 77, and the reason, where there is none.
#
#   machine_code.sh PROGRAM ARGUMENT...
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
DRAGOMAN_CUOBJDUMP=$("$here/cuobjdump.sh")
export DRAGOMAN_CUOBJDUMP
program=$1
shift
exec python3 -B "$here/$program" "$@"
