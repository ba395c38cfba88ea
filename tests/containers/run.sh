#!/bin/bash
# Builds the images of docker/ on a base image made by debootstrap, translates through a container of each
# that serves, and runs the pod of the plain manifests and docker/compose.yaml under podman; models come from
# a hub on the loopback (models.sh). No image is pulled from a registry: needs root, a Debian 12 mirror (the
# machine's own apt sources say which), PyPI, about 8 GiB of disk while it runs (24 with CUDA), and 15 to 25
# minutes on two cores for each image that is compiled.
#
#   tests/containers/run.sh [cpu | arm64 | cuda]
#
# Without an argument: all of them. cpu has the images of models, too. arm64 is the CPU's image for 64-bit ARM,
# compiled on x86-64 and run by qemu (arm64.sh), and is skipped where that cannot be. The CUDA image needs a
# toolkit of CUDA 12 or 13 in DRAGOMAN_CUDA_TOOLKIT (default /usr/local/cuda), no GPU, and is skipped without
# it; DRAGOMAN_CUDA_ARCHS (default 90a) are the architectures that it is built for here. The pod and compose are
# skipped where podman cannot run a container; of compose Grafana is left out, which is in no package.
# DRAGOMAN_CONTAINER_DIR: where the images live while it runs (default: a folder in /var/tmp).
# The last line is 'N passed, N failed'.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

case "${1:-}" in
  "") images=(cpu arm64 cuda) ;;
  cpu | arm64 | cuda) images=("$1") ;;
  *)
    echo "containers: unknown argument '$1', expected cpu, arm64 or cuda" >&2
    exit 2
    ;;
esac
[[ $EUID -eq 0 ]] || {
  echo "containers: debootstrap and buildah's chroot isolation need root" >&2
  exit 2
}
deploy/install-deps.sh --containers

work=$(mktemp -d "${DRAGOMAN_CONTAINER_DIR:-/var/tmp}/dragoman-containers.XXXXXX")
storage=(--root "$work/storage" --runroot "$work/runroot" --storage-driver "${STORAGE_DRIVER:-vfs}")
container=
running=
pod=
composed=0
hub=
source tests/containers/models.sh
source tests/containers/arm64.sh
# The containers' processes live in this machine's process table: end what is left of ours.
clean_up() {
  ((composed == 0)) || compose down --volumes >/dev/null 2>&1 || true
  [[ -z $pod ]] || in_namespace podman "${storage[@]}" pod rm --force "$pod" >/dev/null 2>&1 || true
  if [[ -n $running ]]; then
    kill "$running" 2>/dev/null || true
    wait "$running" 2>/dev/null || true
  fi
  end_hub
  [[ -z $container ]] || buildah "${storage[@]}" rm "$container" >/dev/null 2>&1 || true
  end_emulation
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
make_base() { # make_base NAME ARCHITECTURE, as Debian and images call it
  local base as_here=() variable certificates
  echo "containers: making the base image for $2"
  debootstrap --arch="$2" --variant=minbase bookworm "$work/base" "$mirror" >"$work/debootstrap.log" 2>&1 || {
    tail -n 20 "$work/debootstrap.log" >&2
    return 1
  }
  awk '{ print "deb", $1, $2, $3 }' <<<"$sources" >"$work/base/etc/apt/sources.list"
  # How this machine reaches its mirror: proxies and the like, and certificates where it is https.
  apt-config dump | grep -E '^Acquire::(http|https|Check-Valid-Until|Check-Date|Retries)\b' \
    >"$work/base/etc/apt/apt.conf.d/90-as-on-the-host" || true
  if grep -q '^https:' <<<"$sources" && [[ -r /etc/ssl/certs/ca-certificates.crt ]]; then
    mkdir -p "$work/base/etc/ssl/certs"
    cp /etc/ssl/certs/ca-certificates.crt "$work/base/etc/ssl/certs/"
  fi
  base=$(buildah "${storage[@]}" from --arch "$2" scratch)
  # The same for pip, in a file of its own, because the package ca-certificates makes its own anew.
  for variable in PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_DEFAULT_TIMEOUT HTTPS_PROXY HTTP_PROXY NO_PROXY; do
    [[ -z ${!variable:-} ]] || as_here+=(--env "$variable=${!variable}")
  done
  certificates=${PIP_CERT:-/etc/ssl/certs/ca-certificates.crt}
  if [[ -r $certificates ]]; then
    cp "$certificates" "$work/base/usr/local/share/certificates-of-the-host.crt"
    as_here+=(--env PIP_CERT=/usr/local/share/certificates-of-the-host.crt)
  fi
  buildah "${storage[@]}" add --quiet "$base" "$work/base" /
  buildah "${storage[@]}" config --arch "$2" --cmd /bin/bash "${as_here[@]}" "$base"
  buildah "${storage[@]}" commit --quiet --disable-compression "$base" "$1" >/dev/null
  buildah "${storage[@]}" rm "$base" >/dev/null
  rm -rf "$work/base"
}
make_base dragoman-base "$(dpkg --print-architecture)" || exit 1

# --- an image and a container of it, in a network namespace of its own, so that its ports are free ---
build_image() { # build_image NAME DOCKERFILE [ARGUMENT...]
  buildah "${storage[@]}" bud --isolation chroot --format docker --pull-never \
    --build-arg BASE_IMAGE=dragoman-base --file "$2" --tag "$1" "${@:3}" .
}
inspect() {
  buildah "${storage[@]}" inspect --type image --format "$1" "$image"
}
in_container() {
  buildah "${storage[@]}" run --isolation chroot "$container" -- "$@"
}
in_namespace() {
  nsenter --net="/proc/$running/ns/net" "$@"
}
in_network() {
  in_namespace buildah "${storage[@]}" run --isolation chroot "$container" -- "$@"
}
new_namespace() {
  unshare --net sleep infinity &
  running=$!
  until [[ "$(readlink "/proc/$running/ns/net")" != "$(readlink /proc/self/ns/net)" ]]; do
    kill -0 "$running" || exit 1
    sleep 0.05
  done
  in_namespace ip link set lo up
}

end_namespace() {
  kill "$running"
  wait "$running" 2>/dev/null || true
  running=
}

numeric_user() {
  [[ "$(inspect '{{.Docker.Config.User}}')" =~ ^[1-9][0-9]*:[1-9][0-9]*$ && "$(in_container id -u)" -ne 0 ]]
}
no_build_tools() {
  local found
  found=$(in_container sh -c 'for tool in cc c++ gcc g++ clang ld as make cmake ninja protoc nvcc ptxas; do
    command -v "$tool"; done; echo end') && [[ "$found" == end ]]
}
libraries_found() {
  in_container sh -c 'dragomand --version' && ! in_container sh -c 'ldd /usr/local/bin/*' | grep 'not found'
}
# The major version of the toolkit, of which everything else follows.
cuda_major=
# cuBLASLt and nothing else of CUDA.
only_cublas_lt() {
  local found
  found=$(in_container sh -c 'find / -xdev -name "libcu*" -o -xdev -name "libnv*" 2>/dev/null | xargs -n 1 basename')
  [[ "$(sort -u <<<"$found")" == libcublasLt.so.$cuda_major ]] || {
    echo "$found"
    return 1
  }
  in_container sh -c "ldconfig -p | grep -q libcublasLt.so.$cuda_major"
}
least_driver() { sed -n "/case $cuda_major:/{n;s/[^0-9]//gp}" kernels/cuda/device.cc; }
asks_for_its_driver() {
  local found
  found=$(buildah "${storage[@]}" inspect --format '{{.OCIv1.Config.Env}}' "$image")
  [[ $found == *"NVIDIA_REQUIRE_CUDA=driver>=$(least_driver)"* ]] || {
    echo "$found"
    return 1
  }
}
says_why_there_is_no_gpu() {
  grep '"msg":"device"' "$work/dragomand.log" | grep '"device":"cpu"' | grep 'no CUDA driver' ||
    ! cat "$work/dragomand.log"
}
healthy() {
  in_network "${health[@]}" >/dev/null 2>&1
}
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
translates() { # translates COMMAND...: with the client that COMMAND runs
  local german english
  german=$'Guten Morgen!\nDas Wetter ist heute schön.'
  english=$("$@" dragoman translate --server 127.0.0.1:50051 --from de --to en <<<"$german") || return 1
  echo "$english"
  [[ $(wc -l <<<"$english") -eq 2 && "${english,,}" == *morning* && "${english,,}" == *weather* ]]
}
metrics_count() {
  in_namespace curl --silent --fail --max-time 10 http://127.0.0.1:9464/metrics |
    grep -E '^dragoman_segments_total\{.*outcome="eos".*\} 2$'
}
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

try_image() { # try_image NAME DOCKERFILE [ARGUMENT...]
  local before=$failed
  check "$1: builds" build_image "$@"
  ((failed == before)) || return 0
  try_built_image "$1"
}
try_built_image() { # try_built_image NAME [CHECK...]: what holds for every image that serves, and what is named
  image=$1
  container=$(buildah "${storage[@]}" from --pull-never "$image")
  check "$image: the user is a number and not root" numeric_user
  check "$image: no compiler and no build tool inside" no_build_tools
  check "$image: every library of the binaries is inside" libraries_found
  local named
  for named in "${@:2}"; do check "$image: ${named//_/ }" "$named"; done
  [[ $image != *cuda ]] || check "$image: of CUDA it has cuBLASLt only" only_cublas_lt
  [[ $image != *cuda ]] || check "$image: asks for the driver of CUDA $cuda_major" asks_for_its_driver
  echo "containers: $image takes $(du -sh "$(buildah "${storage[@]}" mount "$container")" | cut -f1)"

  mapfile -t entrypoint < <(inspect '{{range .Docker.Config.Entrypoint}}{{println .}}{{end}}' | sed '/^$/d')
  mapfile -t health < <(inspect '{{range .Docker.Config.Healthcheck.Test}}{{println .}}{{end}}' | sed '/^$/d;1d')
  new_namespace
  check "$image: unhealthy before the start" eval '! healthy'
  in_network "${entrypoint[@]}" --device auto >"$work/dragomand.log" 2>&1 &
  server=$!
  check "$image: the health check passes after the start" becomes_healthy
  [[ $image != *cuda ]] || check "$image: says why there is no GPU" says_why_there_is_no_gpu
  check "$image: two sentences are translated" translates in_network
  check "$image: the metrics count the two segments" metrics_count
  check "$image: SIGTERM drains and ends with status 0" stops_cleanly
  check "$image: unhealthy after the stop" eval '! healthy'
  end_namespace
  buildah "${storage[@]}" rm "$container" >/dev/null
  container=
}

# --- the pod of the plain manifests -----------------------------------------------------------------
# podman as it has to be here: limits that the machine allows, and the first runtime that works (crun does
# not start where both versions of control groups are mounted). Fails where none does.
podman_works() {
  local runtime
  export CONTAINERS_CONF="$work/containers.conf"
  for runtime in crun runc; do
    command -v "$runtime" >/dev/null || continue
    cat >"$CONTAINERS_CONF" <<EOF
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "$runtime"
EOF
    if podman "${storage[@]}" run --rm --network none dragoman-base true 2>"$work/podman.log"; then return 0; fi
  done
  return 1
}
in_pod() {
  in_namespace podman "${storage[@]}" exec --interactive "$pod_container" "$@"
}
pod_answers() { # pod_answers PATH STATUS
  [[ "$(in_namespace curl --silent --output /dev/null --write-out '%{http_code}' --max-time 5 \
    "http://127.0.0.1:9464$1")" == "$2" ]]
}
play() {
  # One pod, because podman gives each the ports of the machine; and the image by the name it has here.
  sed 's|^\( *replicas:\).*|\1 1|; s|image: dragoman:.*|image: localhost/dragoman:latest|' \
    deploy/kubernetes/cpu/deployment.yaml >"$work/pod/deployment.yaml"
  in_namespace podman "${storage[@]}" play kube --build=false "$work/pod/deployment.yaml" || return 1
  pod=$(podman "${storage[@]}" pod ps --quiet --no-trunc)
  pod_container=$(podman "${storage[@]}" ps --quiet --no-trunc --filter name=dragomand)
  local deadline=$((SECONDS + 60))
  until pod_answers /readyz 200 && pod_answers /livez 200; do
    if ((SECONDS >= deadline)); then
      podman "${storage[@]}" logs "$pod_container"
      return 1
    fi
    sleep 0.2
  done
}
pod_is_confined() {
  local state
  state=$(podman "${storage[@]}" inspect --format \
    '{{.HostConfig.ReadonlyRootfs}} {{.EffectiveCaps}} {{.Config.User}} {{.HostConfig.Memory}}' "$pod_container")
  echo "$state"
  [[ "$state" == "true [] 65532:65532 1073741824" ]] && ! in_pod touch /etc/dragoman/new 2>/dev/null &&
    podman "${storage[@]}" logs "$pod_container" 2>&1 | grep '"msg":"memory bound"' | grep '"limit_bytes":1073741824'
}
# A translation on a new connection, by a client that does not ask for health first, as `dragoman` does:
# bytes of gRPC, of a message with one text.
translates_regardless() {
  printf '\0\0\0\0\x0f\x0a\x0dGuten Morgen!' |
    in_namespace curl --silent --max-time 10 --http2-prior-knowledge --header 'content-type: application/grpc' \
      --header 'te: trailers' --data-binary @- --dump-header - --output "$work/answer" \
      http://127.0.0.1:50051/dragoman.v1.TranslationService/Translate | grep '^grpc-status: 0' &&
    grep --text --only-matching 'Good morning' "$work/answer"
}
# `stop` and not `kill`: a container that ends by itself is started again, as in a cluster.
pod_ends_as_a_lame_duck() {
  local begin=$SECONDS
  in_namespace podman "${storage[@]}" stop --time 60 "$pod_container" >/dev/null 2>"$work/podman.log" &
  local stopping=$!
  until pod_answers /readyz 503; do
    ((SECONDS < begin + 5)) || return 1
    sleep 0.05
  done
  translates_regardless || return 1
  wait "$stopping"
  local took=$((SECONDS - begin)) status
  status=$(podman "${storage[@]}" inspect --format '{{.State.ExitCode}}' "$pod_container")
  echo "status $status after $took s"
  ((status == 0 && took >= 4 && took < 60))
}
try_pod() {
  mkdir "$work/pod"
  new_namespace
  check "the pod of deploy/kubernetes: becomes ready" play
  if [[ -z $pod ]]; then
    end_namespace
    return 0
  fi
  check "the pod of deploy/kubernetes: read-only, without capabilities, within its memory" pod_is_confined
  check "the pod of deploy/kubernetes: translates" translates in_pod
  check "the pod of deploy/kubernetes: takes calls after SIGTERM, ends with status 0 in its grace period" \
    pod_ends_as_a_lame_duck
  in_namespace podman "${storage[@]}" pod rm --force "$pod" >/dev/null 2>&1 || true
  pod=
  end_namespace
}

# --- docker/compose.yaml, by podman-compose ----------------------------------------------------------
compose() {
  DRAGOMAN_IMAGE=localhost/dragoman PROMETHEUS_IMAGE=localhost/prometheus \
    in_namespace "$venv/bin/podman-compose" --podman-path "$work/podman" --file docker/compose.yaml "$@"
}
# In the place of prom/prometheus, and alike in what the compose file takes for granted.
build_prometheus() {
  mkdir "$work/prometheus"
  cp --dereference build/deploy-tools/prometheus "$work/prometheus/"
  cat >"$work/prometheus/Dockerfile" <<EOF
FROM dragoman-base
COPY prometheus /bin/prometheus
RUN mkdir /prometheus && chown nobody:nogroup /prometheus
USER nobody
ENTRYPOINT ["/bin/prometheus"]
EOF
  buildah "${storage[@]}" bud --isolation chroot --format docker --pull-never --tag prometheus "$work/prometheus" \
    >"$work/prometheus.log" 2>&1 || ! cat "$work/prometheus.log"
}
compose_up() {
  composed=1
  compose up --detach --no-build dragoman prometheus
}
ask_prometheus() { # ask_prometheus PATH PATTERN: until its answer has it, or a minute is over
  local deadline=$((SECONDS + 60))
  until in_namespace curl --silent --max-time 5 --globoff "http://127.0.0.1:9090/api/v1/$1" >"$work/answer" &&
    grep --extended-regexp --quiet "$2" "$work/answer"; do
    if ((SECONDS >= deadline)); then
      cat "$work/answer"
      return 1
    fi
    sleep 0.5
  done
}
compose_translates() {
  local deadline=$((SECONDS + 60))
  until translates_regardless; do
    ((SECONDS < deadline)) || return 1
    sleep 0.5
  done
}
compose_is_confined() {
  local state
  state=$(podman "${storage[@]}" inspect --format '{{.HostConfig.ReadonlyRootfs}} {{.EffectiveCaps}} {{.Config.User}}' \
    dragoman_dragoman_1)
  echo "$state"
  [[ "$state" == "true [] 65532:65532" ]]
}
compose_stops() {
  compose stop dragoman || return 1
  [[ "$(podman "${storage[@]}" inspect --format '{{.State.ExitCode}}' dragoman_dragoman_1)" == 0 ]]
}
try_compose() {
  if ! tests/deploy/tools.sh prometheus >/dev/null || ! venv=$(tests/venv.sh containers); then
    echo "containers: SKIPPED: docker/compose.yaml, because what it needs cannot be had"
    return 0
  fi
  printf '#!/bin/bash\nexec podman %s "$@"\n' "${storage[*]}" >"$work/podman"
  chmod +x "$work/podman"
  build_prometheus
  new_namespace
  check "compose: the daemon and Prometheus start" compose_up
  check "compose: translates at the published port" compose_translates
  check "compose: Prometheus scrapes the daemon by its name" \
    ask_prometheus 'query?query=up{job="dragoman"}==1' '"instance":"dragoman:9464"'
  check "compose: Prometheus has the alerts" ask_prometheus rules '"DragomanRefusesCalls"'
  check "compose: read-only, without capabilities" compose_is_confined
  check "compose: the daemon drains and ends with status 0" compose_stops
  compose down --volumes >/dev/null 2>&1 || true
  composed=0
  end_namespace
}

try_podman() {
  mkdir "$work/tried"
  (cd "$work/tried" && podman_works) || {
    echo "containers: SKIPPED: the pod of deploy/kubernetes and compose, because podman cannot run a container here:"
    tail -n 1 "$work/podman.log"
    return 0
  }
  export CONTAINERS_CONF="$work/containers.conf"
  try_pod
  try_compose
}

if [[ " ${images[*]} " == *" cpu "* ]]; then
  try_image dragoman docker/Dockerfile
  ((failed)) || try_models
  ((failed)) || try_podman
fi
if [[ " ${images[*]} " == *" arm64 "* ]]; then try_arm64; fi
if [[ " ${images[*]} " == *" cuda "* ]]; then
  toolkit=$(readlink -f "${DRAGOMAN_CUDA_TOOLKIT:-/usr/local/cuda}")
  if [[ -x $toolkit/bin/nvcc ]]; then
    cuda_major=$("$toolkit/bin/nvcc" --version | sed -n 's/.*release \([0-9]*\)\..*/\1/p')
    # The place of the toolkit in an image, with what the build and the image take from it.
    cuda=$(buildah "${storage[@]}" from scratch)
    target="$work/cuda/targets/x86_64-linux"
    mkdir -p "$target/lib"
    cp --archive --dereference "$toolkit/bin" "$toolkit/nvvm" "$work/cuda/"
    cp --archive --dereference "$toolkit/include" "$target/"
    cp --archive --dereference "$toolkit"/lib64/libcuda{rt,devrt}* "$toolkit"/lib64/libcublasLt.so."$cuda_major" "$target/lib/"
    ln --symbolic targets/x86_64-linux/include "$work/cuda/include"
    ln --symbolic targets/x86_64-linux/lib "$work/cuda/lib64"
    buildah "${storage[@]}" add --quiet "$cuda" "$work/cuda" /opt/cuda
    buildah "${storage[@]}" commit --quiet --disable-compression "$cuda" dragoman-toolkit >/dev/null
    buildah "${storage[@]}" rm "$cuda" >/dev/null
    rm -rf "$work/cuda"
    try_image dragoman-cuda docker/Dockerfile.cuda --build-arg CUDA_IMAGE=dragoman-toolkit \
      --build-arg CUDA_PATH=/opt/cuda --build-arg "CUDA_MAJOR=$cuda_major" --build-arg "DRIVER=$(least_driver)" \
      --build-arg "CUDA_ARCHS=${DRAGOMAN_CUDA_ARCHS:-90a}"
  else
    echo "containers: SKIPPED: the CUDA image, because there is no nvcc in $toolkit/bin"
  fi
fi
finish
