#!/bin/bash
# Tries the Debian package under a systemd of its own: a minimal Debian 12 in a container, in which the
# service is started, reloaded, given TLS keys that it may and may not read, upgraded and purged.
#
#   tests/package/systemd.sh [BUILD_FOLDER]
#
# Needs root, systemd-nspawn, debootstrap (Debian's systemd-container and debootstrap) and a Debian 12
# mirror, which the machine's own apt sources name; 700 MB of disk while it runs. Skipped, and said so,
# where systemd-nspawn is not there. About 4 minutes on two cores.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
build="${1:-$root/build/release}"

for tool in systemd-nspawn debootstrap; do
  command -v "$tool" >/dev/null || {
    echo "SKIPPED the package under systemd: no $tool"
    exit 0
  }
done
[[ $EUID -eq 0 ]] || {
  echo "FAILED systemd: root is needed, for a container" >&2
  exit 1
}
work="$(mktemp -d /var/tmp/dragoman-systemd.XXXXXX)"
trap 'rm -rf --one-file-system "$work"' EXIT

deb="$("$root/deploy/package/build.sh" "$build" | tail -1)"
mirror="$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
  awk '$2 == "bookworm" && $3 == "main" { print $1; exit }')"
[[ -n $mirror ]] || {
  echo "FAILED systemd: no apt source for bookworm main on this machine" >&2
  exit 1
}
# Without procps: the service may not need /bin/kill.
debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus,openssl,ssl-cert bookworm "$work/system" "$mirror" \
  >"$work/debootstrap.log" 2>&1 || {
  tail -20 "$work/debootstrap.log"
  exit 1
}
cp "$deb" "$work/system/srv/dragoman.deb"
cp "$root/tests/package/in_systemd.sh" "$work/system/srv/"
chroot "$work/system" apt-get install --yes --no-install-recommends /srv/dragoman.deb >"$work/apt.log" 2>&1 || {
  tail -20 "$work/apt.log"
  exit 1
}
cat >"$work/system/etc/systemd/system/try.service" <<'UNIT'
[Unit]
Description=the test of the package
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/bin/sh -c "/bin/bash /srv/in_systemd.sh >/srv/result 2>&1; echo status $? >>/srv/result"
ExecStopPost=/bin/systemctl --no-block poweroff
TimeoutStartSec=300
[Install]
WantedBy=default.target
UNIT
chroot "$work/system" systemctl enable try.service >/dev/null 2>&1
timeout 400 systemd-nspawn --quiet --directory="$work/system" --register=no --keep-unit --private-network --boot \
  >"$work/boot.log" 2>&1 || tail -20 "$work/boot.log"
if [[ -s $work/system/srv/result ]]; then
  grep -v '^status ' "$work/system/srv/result"
  grep -q '^status 0$' "$work/system/srv/result"
else
  echo "FAILED systemd: the container has left no result" >&2
  exit 1
fi
