#!/bin/bash
# What tests/package/systemd.sh runs in the container, under its systemd.
set -euo pipefail
passed=0
fail() {
  echo "FAILED systemd: $*"
  systemctl status --no-pager --lines=15 dragomand || true
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
journalctl --no-pager --unit dragomand 2>/dev/null | grep -q 'dragomand.key' || fail "the log does not name the key"
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

dpkg --install /srv/dragoman.deb >/dev/null 2>&1 || fail "an upgrade fails"
dragoman health --server 127.0.0.1:50051 --ca /etc/ssl/certs/dragomand.crt >/dev/null || fail "does not serve after an upgrade"
pass "an upgrade restarts it"

rm -r "$unit"
dpkg --purge dragoman >/dev/null 2>&1 || fail "it cannot be purged"
left="$(find /etc /lib /usr /var -name '*dragoman*' ! -path '/var/log/*' \
  ! -path '/var/lib/systemd/*' 2>/dev/null || true)"
left="$(grep -v -e '^/etc/ssl/' <<<"$left" || true)"
[[ -z $left ]] || fail "a purge leaves: $left"
pass "a purge leaves no link"
echo "$passed passed"
