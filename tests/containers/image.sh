#!/bin/bash
# Tries an image under docker as users run it: the daemon becomes healthy, translates, counts and drains; dragoman-fetch
# prints its help. Nothing is built or pulled.
#
#   tests/containers/image.sh IMAGE
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
image="${1:?IMAGE}"
work="$(mktemp -d)"
source "$root/tests/package/daemon.sh"
container=
trap '[[ -z $container ]] || docker rm --force "$container" >/dev/null; rm -rf "$work"' EXIT
fail() {
  echo "FAILED $image: $*" >&2
  [[ -z $container ]] || docker logs "$container" 2>&1 | tail -n 20 >&2
  exit 1
}
confined=(--read-only --cap-drop ALL --security-opt no-new-privileges)

if [[ ${image##*/} == dragoman-fetch:* ]]; then
  docker run --rm --pull never --network none "${confined[@]}" "$image" --help | grep -F '[NAME=]SOURCE' >/dev/null ||
    fail "--help does not name its sources"
  echo "1 passed, 0 failed"
  exit
fi

container="$(docker run --detach --pull never --publish 127.0.0.1::9464 "${confined[@]}" "$image")"
state() { docker inspect --format "{{.State.$1}}" "$container"; }
deadline=$((SECONDS + 120))
until [[ "$(state Health.Status)" == healthy ]]; do
  [[ "$(state Running)" == true ]] && ((SECONDS < deadline)) || fail "found it $(state Health.Status), expected healthy"
  sleep 0.2
done
echo "passed: healthy"
[[ "$(docker exec "$container" id -u)" == 65532 ]] || fail "found the user $(docker exec "$container" id -u), expected 65532"
# The port inside the container.
listening='grpc=127.0.0.1:50051'
translate_and_detect docker exec --interactive "$container" dragoman
echo "passed: $translation"
curl --silent --fail --max-time 10 "http://$(docker port "$container" 9464/tcp)/metrics" |
  grep '^dragoman_segments_total{.*outcome="eos".*} 1$' >/dev/null || fail "the metrics do not count the segment"
echo "passed: metrics at the published port"
docker stop --time 60 "$container" >/dev/null
[[ "$(state ExitCode)" == 0 ]] || fail "found status $(state ExitCode) after SIGTERM, expected 0"
echo "passed: drains and ends with status 0"
echo "4 passed, 0 failed"
