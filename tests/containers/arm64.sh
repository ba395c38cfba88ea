# shellcheck shell=bash
# The CPU's image for 64-bit ARM, of the same Dockerfile: compiled on x86-64, run under qemu. Sourced by run.sh.

# How the kernel runs programs for ARM: this process's own entry, where the machine has none that containers can use.
readonly formats=/proc/sys/fs/binfmt_misc
emulation=
begin_emulation() {
  [[ -e $formats/register ]] || mount --types binfmt_misc binfmt_misc "$formats" || return 1
  ! grep --no-messages --quiet '^flags:.*F' "$formats/qemu-aarch64" || return 0
  local name=dragoman-containers-$$
  # The first 20 bytes of a program for it; F: the emulator is opened now, and need not be in the container.
  printf ':%s:M::%s:%s:%s:F' "$name" \
    '\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00' \
    '\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff' \
    /usr/bin/qemu-aarch64-static >"$formats/register" || return 1
  emulation=$formats/$name
}
end_emulation() {
  [[ -z $emulation ]] || echo -1 >"$emulation"
}

is_for_arm64() {
  [[ "$(inspect '{{.OCIv1.Architecture}}')" == arm64 && "$(in_container uname -m)" == aarch64 ]] &&
    in_container dragomand --version --verbose | grep 'neon'
}

try_arm64() {
  if [[ $(uname -m) != x86_64 ]] || ! begin_emulation; then
    echo "containers: SKIPPED: the image for arm64, because only x86-64 compiles it for another machine, and not" \
      "where the kernel cannot be told of qemu"
    return 0
  fi
  if ! make_base dragoman-base-arm64 arm64; then
    check "dragoman-arm64: its base image" false
    return 0
  fi
  local list=dragoman-bases architecture before=$failed
  buildah "${storage[@]}" manifest create "$list" >/dev/null
  for architecture in "" -arm64; do
    buildah "${storage[@]}" manifest add "$list" "containers-storage:localhost/dragoman-base$architecture:latest" >/dev/null
  done
  # What newer versions of buildah know themselves.
  local here=(--build-arg BUILDPLATFORM=linux/amd64 --build-arg BUILDARCH=amd64)
  check "dragoman-arm64: builds" build_image dragoman-arm64 docker/Dockerfile --platform linux/arm64 "${here[@]}" \
    --build-arg BASE_IMAGE="$list"
  ((failed == before)) || return 0
  try_built_image dragoman-arm64 is_for_arm64
}
