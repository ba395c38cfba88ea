#!/bin/bash
# What tests/package/systemd.sh runs in the container, under its systemd.
set -euo pipefail
passed=0
work="$(mktemp -d)"
fail() {
  echo "FAILED systemd: $*"
  systemctl status --no-pager --lines=0 dragomand || true
  journalctl --no-pager --unit dragomand 2>/dev/null | grep -v '"msg":"call"' | tail -30 || true
  exit 1
}
pass() {
  passed=$((passed + 1))
  echo "passed: $*"
}
unit=/etc/systemd/system/dragomand.service.d
settings=/etc/dragoman/dragomand.json
set_tls() { # KEY: the file that the settings name
  cat >"$settings" <<JSON
{"model": "de-en=/usr/share/dragoman/models/de-en", "listen": "127.0.0.1:50051", "metrics": "127.0.0.1:9464",
 "tls-cert": "/etc/ssl/certs/dragomand.crt", "tls-key": "$1"}
JSON
}
starts() { systemctl reset-failed dragomand 2>/dev/null || true; systemctl restart dragomand; }

! command -v kill | grep -q / || fail "the container has /bin/kill, so that the reload shows nothing"
systemctl enable dragomand 2>/dev/null
# Active means that it serves: no waiting, no second try.
systemctl start dragomand || fail "it does not start"
dragoman health --server 127.0.0.1:50051 >/dev/null || fail "active, but it does not serve"
[[ "$(systemctl show -p StatusText --value dragomand)" == "serving de-en" ]] ||
  fail "StatusText is '$(systemctl show -p StatusText --value dragomand)'"
pass "active once it serves"
[[ "$(echo 'Guten Morgen!' | dragoman translate --server 127.0.0.1:50051)" == *[mM]orning* ]] || fail "no translation"
pass "translates"

pid="$(systemctl show -p MainPID --value dragomand)"
systemctl reload dragomand || fail "reload: status $?"
[[ "$(systemctl show -p MainPID --value dragomand)" == "$pid" ]] || fail "a reload has restarted it"
dragoman health --server 127.0.0.1:50051 >/dev/null || fail "does not serve after a reload"
pass "reloads without procps"

# A key of root's alone cannot be read by a user of its own, and that is not tried for ever.
openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=dragomand -addext subjectAltName=IP:127.0.0.1 \
  -keyout /etc/ssl/private/dragomand.key -out /etc/ssl/certs/dragomand.crt 2>/dev/null
chmod 600 /etc/ssl/private/dragomand.key
set_tls /etc/ssl/private/dragomand.key
! starts 2>/dev/null || fail "it starts with a key that it may not read"
for _ in $(seq 60); do
  [[ "$(systemctl show -p ActiveState --value dragomand)" == failed ]] && break
  sleep 1
done
[[ "$(systemctl show -p ActiveState --value dragomand)" == failed ]] || fail "it is started again and again"
journalctl --no-pager --unit dragomand 2>/dev/null | grep 'dragomand.key' >/dev/null || fail "the log does not name the key"
pass "a key of root's alone: says so, and ends after a few starts"

mkdir -p "$unit"
cp /usr/share/doc/dragoman/systemd/tls.conf "$unit/"
systemctl daemon-reload
chgrp ssl-cert /etc/ssl/private/dragomand.key
chmod 640 /etc/ssl/private/dragomand.key
starts || fail "it does not start with tls.conf"
dragoman health --server 127.0.0.1:50051 --ca /etc/ssl/certs/dragomand.crt >/dev/null || fail "no TLS with tls.conf"
pass "tls.conf: a key of the group ssl-cert"

chgrp root /etc/ssl/private/dragomand.key
chmod 600 /etc/ssl/private/dragomand.key
sed -i 's/^#\(LoadCredential=\)/\1/; s/^SupplementaryGroups=.*//' "$unit/tls.conf"
systemctl daemon-reload
set_tls /run/credentials/dragomand.service/tls.key
starts || fail "it does not start with LoadCredential"
dragoman health --server 127.0.0.1:50051 --ca /etc/ssl/certs/dragomand.crt >/dev/null || fail "no TLS with LoadCredential"
pass "tls.conf: LoadCredential"

rm -r "$unit"
systemctl daemon-reload
settings_plain='{"model": "de-en=/usr/share/dragoman/models/de-en", "listen": "127.0.0.1:50051",
 "metrics": "127.0.0.1:9464", "connection-age-seconds": 5}'
echo "$settings_plain" >"$settings"
starts || fail "it does not start again"

# Calls one after another, without retries, while the shell's command runs; prints answered and failed.
under_load() { # COMMAND
  rm -f "$work/stop" "$work/load"
  dragoman load --server 127.0.0.1:50051 --input "$work/line" --concurrency 4 --retries 0 --beam-size 1 \
    --duration 40 --json >"$work/load" 2>"$work/load.err" &
  local load=$!
  sleep 3
  eval "$1" >"$work/command.log" 2>&1 || fail "$1: $(tail -5 "$work/command.log")"
  wait "$load" || true
  grep -o '"ok":[0-9]*' "$work/load" | tr -dc 0-9
}
echo 'Guten Morgen!' >"$work/line"
errors() { tr -d ' \n' <"$work/load" | grep -o '"errors":{[^}]*}'; }

pid="$(systemctl show -p MainPID --value dragomand)"
answered="$(under_load 'dpkg --install /srv/dragoman.deb')"
[[ "$(systemctl show -p MainPID --value dragomand)" != "$pid" ]] || fail "an upgrade leaves the old process"
[[ "$(systemctl show -p ActiveState --value dragomand)" == active ]] || fail "not active after an upgrade"
[[ "$(errors)" == '"errors":{}' ]] || fail "an upgrade lost calls of clients without retries: $(errors), answered $answered"
pass "an upgrade hands over: $answered calls of clients without retries answered, none lost"
journalctl --no-pager --unit dragomand 2>/dev/null | grep '"handed over"' >/dev/null || fail "the log does not say that it was handed over"

# systemd knows the new process: it restarts it when it dies, and stops it.
new="$(systemctl show -p MainPID --value dragomand)"
kill -KILL "$new"
for _ in $(seq 60); do
  [[ "$(systemctl show -p MainPID --value dragomand)" =~ ^[1-9] ]] &&
    [[ "$(systemctl show -p MainPID --value dragomand)" != "$new" ]] && break
  sleep 1
done
[[ "$(systemctl show -p MainPID --value dragomand)" != "$new" ]] || fail "a successor that dies is not restarted"
pass "a successor that dies is restarted"

systemctl enable --now dragomand.socket 2>/dev/null || { systemctl stop dragomand; systemctl enable --now dragomand.socket; } ||
  fail "the socket cannot be enabled"
systemctl restart dragomand || fail "it does not start with the socket"
systemctl stop dragomand
echo 'Guten Morgen!' | timeout 60 dragoman translate --server 127.0.0.1:50051 --retries 0 >"$work/answer" 2>"$work/answer.err" ||
  fail "a client that comes while nobody serves is refused: $(cat "$work/answer.err")"
[[ "$(cat "$work/answer")" == *[mM]orning* ]] || fail "no translation through the socket"
pass "the socket: a client that comes while nobody serves waits, and starts it"
systemctl disable --now dragomand.socket 2>/dev/null

dpkg --purge dragoman >/dev/null 2>&1 || fail "it cannot be purged"
left="$(find /etc /lib /usr /var -name '*dragoman*' ! -path '/var/log/*' \
  ! -path '/var/lib/systemd/*' 2>/dev/null || true)"
left="$(grep -v -e '^/etc/ssl/' <<<"$left" || true)"
[[ -z $left ]] || fail "a purge leaves: $left"
pass "a purge leaves no link"
echo "$passed passed"
