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
packaged="$(cat "$settings")"
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
echo '{"model": "de-en=/usr/share/dragoman/models/de-en"}' >"$settings"
starts || fail "it does not start again"

# systemd knows the process: it restarts it when it dies.
pid="$(systemctl show -p MainPID --value dragomand)"
kill -KILL "$pid"
for _ in $(seq 60); do
  [[ "$(systemctl show -p MainPID --value dragomand)" =~ ^[1-9] ]] &&
    [[ "$(systemctl show -p MainPID --value dragomand)" != "$pid" ]] && break
  sleep 1
done
[[ "$(systemctl show -p MainPID --value dragomand)" != "$pid" ]] || fail "a daemon that dies is not restarted"
pass "a daemon that dies is restarted"

echo "$packaged" >"$settings"
systemctl stop dragomand
systemctl enable --now dragomand.socket 2>/dev/null || fail "the socket cannot be enabled"
echo 'Guten Morgen!' >"$work/line"
timeout 60 dragoman translate --server 127.0.0.1:50051 --retries 0 <"$work/line" >"$work/answer" 2>"$work/answer.err" ||
  fail "a client that comes while no daemon serves is refused: $(cat "$work/answer.err")"
[[ "$(cat "$work/answer")" == *[mM]orning* ]] || fail "no translation through the socket"
pass "the socket: a client that comes while no daemon serves waits, and starts it"
for port in 8080 9464; do
  (echo >"/dev/tcp/127.0.0.1/$port") 2>/dev/null || fail "no port $port"
done
! journalctl --no-pager --unit dragomand 2>/dev/null | grep 'a socket that was passed is not used' >/dev/null ||
  fail "the socket unit has an address that the settings lack"
pass "the socket covers the ports of the settings"

# Clients without retries, a new connection for each call, over gRPC and HTTP, while the package is upgraded.
get_languages() {
  exec 3<>/dev/tcp/127.0.0.1/8080 || return 1
  printf 'GET /languages HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3
  grep '200 OK' <&3 >/dev/null
}
call_again() { # NAME COMMAND
  local answered=0 lost=0
  while [[ ! -e $work/stop ]]; do
    if eval "$2" >/dev/null 2>"$work/$1.err"; then
      answered=$((answered + 1))
    else
      lost=$((lost + 1))
      cat "$work/$1.err" >>"$work/$1.lost"
    fi
  done
  echo "$answered $lost" >"$work/$1.count"
}
call_again grpc "dragoman translate --server 127.0.0.1:50051 --retries 0 '$work/line'" &
call_again http get_languages &
sleep 3
pid="$(systemctl show -p MainPID --value dragomand)"
dpkg --install /srv/dragoman.deb >"$work/command.log" 2>&1 || fail "dpkg --install: $(tail -5 "$work/command.log")"
sleep 3
touch "$work/stop"
wait
[[ "$(systemctl show -p MainPID --value dragomand)" != "$pid" ]] || fail "an upgrade leaves the old process"
[[ "$(systemctl show -p ActiveState --value dragomand)" == active ]] || fail "not active after an upgrade"
for kind in grpc http; do
  read -r answered lost <"$work/$kind.count"
  ((lost == 0 && answered > 5)) ||
    fail "an upgrade lost $lost of $((answered + lost)) calls over $kind: $(tail -3 "$work/$kind.lost")"
  pass "an upgrade behind the socket: $answered calls over $kind answered, each on a new connection, none lost"
done
systemctl disable --now dragomand.socket 2>/dev/null

dpkg --purge dragoman >/dev/null 2>&1 || fail "it cannot be purged"
left="$(find /etc /lib /usr /var -name '*dragoman*' ! -path '/var/log/*' \
  ! -path '/var/lib/systemd/*' 2>/dev/null || true)"
left="$(grep -v -e '^/etc/ssl/' <<<"$left" || true)"
[[ -z $left ]] || fail "a purge leaves: $left"
pass "a purge leaves no link"
echo "$passed passed"
