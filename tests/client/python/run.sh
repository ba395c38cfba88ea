#!/bin/bash
# The Python client, installed from its wheel, against scripted servers and real daemons.
#
#   tests/client/python/run.sh            all but the slow ones: also LangChain, Haystack, MCP and mypy
#   tests/client/python/run.sh --quick    what ctest runs: without those packages
#   tests/client/python/run.sh --slow     a million lines, with the memory that they take (see million.py)
#   tests/client/python/run.sh -m unittest test_lines    with arguments of the interpreter
#
# Packages come from PyPI (tests/venv.sh); status 77 where they cannot be installed. DRAGOMAND and DRAGOMAN name other
# binaries than build/release/server/dragomand and build/release/client/dragoman.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(cd "$here/../../.." && pwd)"

mode=all
case "${1:-}" in
  --quick | --slow)
    mode="${1#--}"
    shift
    ;;
esac
venv="$("$root/tests/venv.sh" client/python)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
# From its source distribution, so that this is tested too.
wheel="$(DRAGOMAN_PYTHON="$venv/bin/python" DRAGOMAN_BUILD_ISOLATION=0 "$root/client/python/build.sh" "$work")"
[[ $mode != all ]] || venv="$("$root/tests/venv.sh" client/python/frameworks)"

# Beside the environment and not into it: tests that run at once each have their own.
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --target "$work/site" "$wheel"
export PYTHONPATH="$work/site:$root/tests/attack:$here" PYTHONDONTWRITEBYTECODE=1
# gRPC's handlers of fork() would get in the way of the daemons that a test starts beside its calls.
export GRPC_ENABLE_FORK_SUPPORT=0 GRPC_VERBOSITY=NONE
unset DRAGOMAN_SERVER DRAGOMAN_API_KEY
cd "$here"
if [[ $mode == slow ]]; then
  "$venv/bin/python" million.py "$@"
elif [[ $# -gt 0 ]]; then
  "$venv/bin/python" "$@"
else
  "$venv/bin/python" -m unittest discover -t . -s .
  if [[ $mode == all ]]; then
    "$venv/bin/python" -m unittest discover -t frameworks -s frameworks
    # The source distribution alone, in an environment that has nothing: pip builds what it installs.
    mkdir "$work/fresh"
    cp "$work"/*.tar.gz "$work/fresh/"
    cd "$work/fresh"
    python3 -m venv venv
    venv/bin/pip install --quiet --disable-pip-version-check ./*.tar.gz
    env -u PYTHONPATH venv/bin/python -c 'import dragoman; dragoman.Options; print("installed", dragoman.__version__)'
    if error="$(env -u PYTHONPATH venv/bin/dragoman-mcp 2>&1)" || [[ $error != *"pip install 'dragoman-client[mcp]'"* ]]; then
      echo "run: dragoman-mcp without its extra said '$error', expected how it is installed" >&2
      exit 1
    fi
    diff -r --exclude=__pycache__ venv/lib/python*/site-packages/dragoman "$work/site/dragoman"
    echo "passed: the source distribution builds from itself"
  fi
fi
