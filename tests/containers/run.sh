#!/bin/bash
# Builds docker/Dockerfile on a base image made by debootstrap, and translates through a container
# of it. Nothing is pulled from a registry: needs root, a Debian 12 mirror (the machine's own apt
# sources say which), about 8 GiB of disk while it runs, and 15 to 25 minutes on two cores.
#
#   tests/containers/run.sh
#
# DRAGOMAN_CONTAINER_DIR: where the images live while it runs (default: a folder in /var/tmp).
# The last line is 'N passed, N failed'.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

[[ $EUID -eq 0 ]] || {
  echo "containers: debootstrap and buildah's chroot isolation need root" >&2
  exit 2
}
deploy/install-deps.sh --containers

work=$(mktemp -d "${DRAGOMAN_CONTAINER_DIR:-/var/tmp}/dragoman-containers.XXXXXX")
storage=(--root "$work/storage" --runroot "$work/runroot" --storage-driver "${STORAGE_DRIVER:-vfs}")
container=
running=
# The containers' processes live in this machine's process table: end what is left of ours.
clean_up() {
  if [[ -n $running ]]; then
    kill "$running" 2>/dev/null || true
    wait "$running" 2>/dev/null || true
  fi
  [[ -z $container ]] || buildah "${storage[@]}" rm "$container" >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

passed=0
failed=0
check() {
  local name=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
    echo "containers: passed: $name"
  else
    failed=$((failed + 1))
    echo "containers: FAILED: $name"
  fi
}
finish() {
  echo "$passed passed, $failed failed"
  ((failed == 0))
  exit
}

# --- a base image: Debian 12, minimal, with the apt sources of this machine -----------------------
sources=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
  sort -u | awk '$2 ~ /^bookworm/ && $3 == "main"')
mirror=$(awk '$2 == "bookworm" { print $1; exit }' <<<"$sources")
[[ -n $mirror ]] || {
  echo "containers: no apt source for bookworm main on this machine" >&2
  exit 2
}
echo "containers: making the base image"
debootstrap --variant=minbase bookworm "$work/base" "$mirror" >"$work/debootstrap.log" 2>&1 || {
  tail -n 20 "$work/debootstrap.log" >&2
  exit 1
}
awk '{ print "deb", $1, $2, $3 }' <<<"$sources" >"$work/base/etc/apt/sources.list"
# How this machine reaches its mirror: proxies and the like, and certificates where it is https.
apt-config dump | grep -E '^Acquire::(http|https|Check-Valid-Until|Check-Date|Retries)\b' \
  >"$work/base/etc/apt/apt.conf.d/90-as-on-the-host" || true
if grep -q '^https:' <<<"$sources" && [[ -r /etc/ssl/certs/ca-certificates.crt ]]; then
  mkdir -p "$work/base/etc/ssl/certs"
  cp /etc/ssl/certs/ca-certificates.crt "$work/base/etc/ssl/certs/"
fi
base=$(buildah "${storage[@]}" from scratch)
buildah "${storage[@]}" add --quiet "$base" "$work/base" /
buildah "${storage[@]}" config --cmd /bin/bash "$base"
buildah "${storage[@]}" commit --quiet --disable-compression "$base" dragoman-base >/dev/null
buildah "${storage[@]}" rm "$base" >/dev/null
rm -rf "$work/base"

# --- the image ------------------------------------------------------------------------------------
build_image() {
  buildah "${storage[@]}" bud --isolation chroot --format docker --pull-never \
    --build-arg BASE_IMAGE=dragoman-base --file docker/Dockerfile --tag dragoman .
}
check "the image builds" build_image
((failed == 0)) || finish

inspect() {
  buildah "${storage[@]}" inspect --type image --format "$1" dragoman
}
container=$(buildah "${storage[@]}" from --pull-never dragoman)
in_container() {
  buildah "${storage[@]}" run --isolation chroot "$container" -- "$@"
}

numeric_user() {
  [[ "$(inspect '{{.Docker.Config.User}}')" =~ ^[1-9][0-9]*:[1-9][0-9]*$ && "$(in_container id -u)" -ne 0 ]]
}
no_build_tools() {
  local found
  found=$(in_container sh -c 'for tool in cc c++ gcc g++ clang ld as make cmake ninja protoc; do
    command -v "$tool"; done; echo end') && [[ "$found" == end ]]
}
libraries_found() {
  in_container sh -c 'dragomand --version' && ! in_container sh -c 'ldd /usr/local/bin/*' | grep 'not found'
}
check "the user is a number and not root" numeric_user
check "no compiler and no build tool inside" no_build_tools
check "every library of the binaries is inside" libraries_found
echo "containers: the image takes $(du -sh "$(buildah "${storage[@]}" mount "$container")" | cut -f1)"

# --- a container of it, in a network namespace of its own, so that the image's own ports are free --
mapfile -t entrypoint < <(inspect '{{range .Docker.Config.Entrypoint}}{{println .}}{{end}}' | sed '/^$/d')
mapfile -t health < <(inspect '{{range .Docker.Config.Healthcheck.Test}}{{println .}}{{end}}' | sed '/^$/d;1d')

unshare --net sleep infinity &
running=$!
network=(nsenter --net="/proc/$running/ns/net")
until [[ "$(readlink "/proc/$running/ns/net")" != "$(readlink /proc/self/ns/net)" ]]; do
  kill -0 "$running" || exit 1
  sleep 0.05
done
"${network[@]}" ip link set lo up

in_network() {
  "${network[@]}" buildah "${storage[@]}" run --isolation chroot "$container" -- "$@"
}
healthy() {
  in_network "${health[@]}" >/dev/null 2>&1
}
check "unhealthy before the start" eval '! healthy'

in_network "${entrypoint[@]}" >"$work/dragomand.log" 2>&1 &
server=$!
becomes_healthy() {
  local deadline=$((SECONDS + 90))
  until healthy; do
    if ! kill -0 "$server" 2>/dev/null || ((SECONDS >= deadline)); then
      cat "$work/dragomand.log"
      return 1
    fi
    sleep 0.2
  done
}
check "the health check passes after the start" becomes_healthy

translates() {
  local german english
  german=$'Guten Morgen!\nDas Wetter ist heute schön.'
  english=$(in_network dragoman translate --server 127.0.0.1:50051 --from de --to en <<<"$german") || return 1
  echo "$english"
  [[ $(wc -l <<<"$english") -eq 2 && "${english,,}" == *morning* && "${english,,}" == *weather* ]]
}
check "two sentences are translated" translates

metrics_count() {
  "${network[@]}" curl --silent --fail --max-time 10 http://127.0.0.1:9464/metrics |
    grep -E '^dragoman_segments_total\{.*outcome="eos".*\} 2$'
}
check "the metrics count the two segments" metrics_count

# SIGTERM to the daemon itself, which has no init above it in the image.
descendant() { # descendant PID NAME: the process of that name below PID
  local child
  for child in $(pgrep --parent "$1"); do
    if [[ "$(<"/proc/$child/comm")" == "$2" ]]; then
      echo "$child"
      return 0
    fi
    descendant "$child" "$2" && return 0
  done
  return 1
}
stops_cleanly() {
  local daemon status=0
  daemon=$(descendant "$server" dragomand) || return 1
  kill -TERM "$daemon"
  wait "$server" || status=$?
  ((status == 0)) || cat "$work/dragomand.log"
  return "$status"
}
check "SIGTERM drains and ends with status 0" stops_cleanly
check "unhealthy after the stop" eval '! healthy'
finish
