#!/bin/bash
# Runs a compiler and keeps what it says on stderr (ptxas: registers, spills) in a file.
#
#   compile.sh REPORT COMMAND...
report=$1
shift
if ! "$@" 2>"$report"; then
  cat "$report" >&2
  exit 1
fi
