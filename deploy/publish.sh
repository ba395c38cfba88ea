#!/bin/bash
# Makes, tests and publishes a release. .github/workflows/publish.yml runs these steps on a tag; each also runs by hand.
#
#   deploy/publish.sh TAG [STEP...]
#
#   check      fails unless TAG (v0.1.0) is the version everywhere and the changelog has its section
#   packages   builds the programs; makes, tests and keeps the Debian package and the wheel of this machine's architecture
#   client     makes, tests and keeps the Python client
#   chart      tests and keeps the chart, with the images of DRAGOMAN_REGISTRY. Needs 'packages' first, and x86-64
#   images     builds, tests and keeps the images of this machine's architecture, with their SBOMs. Needs docker
#   cuda       the same for the image with CUDA. Needs docker and x86-64
#   assemble   fails unless dist has every artefact, of both architectures; writes release notes, SBOMs, SHA256SUMS
#   push       pushes the images and the chart to DRAGOMAN_REGISTRY. Needs docker and helm, logged in
#   release    makes the release of TAG on GitHub. Needs gh and GH_TOKEN
#
# Without a step: check, packages, client, chart and images. Only 'push' and 'release' send anything. Everything is kept
# in dist; before 'assemble' copy into it what an ARM machine's dist has. The steps packages, client and chart need
# Debian 12 and root. DRAGOMAN_REGISTRY is such as ghcr.io/OWNER, DRAGOMAN_REPOSITORY such as OWNER/NAME.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  echo "publish: $*" >&2
  exit 1
}
tag="${1:-}"
shift || true
(($#)) || set -- check packages client chart images
version="${tag#v}"
dist="$PWD/dist"
architecture="$(dpkg --print-architecture)"
# References of images have no capitals.
registry="${DRAGOMAN_REGISTRY:-}"
registry="${registry,,}"
work="$(mktemp -d)"
trap 'chmod -R u+w "$work" && rm -rf "$work"' EXIT

check() {
  python3 -B deploy/package/release.py check "$tag"
}
# A test that is skipped, with status 77, is none here.
passes() {
  "$@" || fail "'$*' ended with status $?, expected 0"
}

packages() {
  deploy/install-deps.sh --build --test --package
  DRAGOMAN_CUDA=OFF deploy/build.sh release
  passes tests/package/run.sh
  passes tests/package/wheel.sh
  # They are the files that were tested.
  cp "build/release/dragoman_${version}_$architecture.deb" build/release/wheel/dragoman_server-"$version"-*.whl "$dist/"
}

client() {
  passes tests/client/python/run.sh
  client/python/build.sh "$dist"
}

needs_registry() {
  [[ -n $registry ]] || fail "found no DRAGOMAN_REGISTRY, expected where the images will be"
}

chart() {
  needs_registry
  # Without the programs the chart's flags and metrics are not checked.
  [[ -x build/release/server/dragomand ]] || fail "found no build/release/server/dragomand, expected it from 'packages'"
  passes tests/deploy/run.sh manifests
  local helm=build/deploy-tools/helm chart="$work/dragoman" packed="$work/dragoman-$version.tgz"
  cp -r deploy/helm/dragoman "$chart"
  sed -i "s|^\( *repository:\) dragoman|\1 $registry/dragoman|" "$chart/values.yaml"
  "$helm" lint --strict "$chart"
  "$helm" package "$chart" --destination "$work"
  "$helm" template release "$packed" --kube-version 1.25 | grep "image: $registry/dragoman:$version$" ||
    fail "found no $registry/dragoman:$version in what the chart makes"
  mv "$packed" "$dist/"
}

# The name of the files that keep an image: dragoman_0.1.0-cuda_amd64 of REGISTRY/dragoman:0.1.0-cuda.
file_of() { # file_of REFERENCE ARCHITECTURE
  local name="${1##*/}"
  echo "${name/:/_}_$2"
}
# Copies the files of an image, or those at PATH, to a folder.
unpack() { # unpack IMAGE FOLDER [PATH...]
  local container
  container="$(docker create "$1" true)"
  mkdir -p "$2"
  docker export "$container" | tar --extract --no-same-owner --directory="$2" --exclude='dev/*' "${@:3}"
  docker rm "$container" >/dev/null
}
image() { # image REFERENCE DOCKERFILE
  local file binaries=() models=() compiled=()
  file="$(file_of "$1" "$architecture")"
  docker build --file "docker/$2" --tag "$1" .
  passes tests/containers/image.sh "$1"
  unpack "$1" "$work/$file"
  if [[ $2 != Dockerfile.fetch ]]; then
    docker build --quiet --file "docker/$2" --target build --tag "$1-build" .
    unpack "$1-build" "$work/$file.build" var/lib/dpkg usr/share/doc
    binaries=("$work/$file"/usr/local/bin/{dragomand,dragoman})
    models=(--model "$work/$file/models/de-en/model.safetensors"
      --model "$work/$file/usr/local/share/dragoman/models/lid.176/lid.176.ftz")
    compiled=(--compiled-on "$work/$file.build")
  fi
  python3 -B deploy/package/sbom.py --version "$version" --image "${1##*/}" --sysroot "$work/$file" "${compiled[@]}" \
    "${models[@]}" --output "$dist/$file.image.spdx.json" "${binaries[@]}"
  mkdir -p "$dist/images"
  docker save "$1" | gzip >"$dist/images/$file.tar.gz"
}
images() {
  needs_registry
  image "$registry/dragoman:$version" Dockerfile
  image "$registry/dragoman-fetch:$version" Dockerfile.fetch
}
cuda() {
  needs_registry
  image "$registry/dragoman:$version-cuda" Dockerfile.cuda
}

assemble() {
  [[ -n ${DRAGOMAN_REPOSITORY:-} ]] || fail "found no DRAGOMAN_REPOSITORY, expected where the notes' links lead"
  python3 -B deploy/package/release.py notes "$tag" "https://github.com/$DRAGOMAN_REPOSITORY" >"$dist/NOTES.md"
  python3 -B deploy/package/release.py assemble "$tag" "$dist"
}

load() { # load REFERENCE ARCHITECTURE
  docker load --input "$dist/images/$(file_of "$1" "$2").tar.gz"
}
push() {
  needs_registry
  local name reference each parts
  for name in dragoman dragoman-fetch; do
    reference="$registry/$name:$version"
    parts=()
    for each in amd64 arm64; do
      load "$reference" "$each"
      docker tag "$reference" "$reference-$each"
      docker push "$reference-$each"
      parts+=("$reference-$each")
    done
    docker buildx imagetools create --tag "$reference" "${parts[@]}"
  done
  reference="$registry/dragoman:$version-cuda"
  load "$reference" amd64
  docker push "$reference"
  helm push "$dist/dragoman-$version.tgz" "oci://$registry/charts"
}

release() {
  # *gz matches two archives: the Python client and the chart.
  gh release create "$tag" --repo "$DRAGOMAN_REPOSITORY" --verify-tag --title "$tag" --notes-file "$dist/NOTES.md" \
    "$dist"/*.deb "$dist"/*.whl "$dist"/*gz "$dist"/*.spdx.json "$dist/SHA256SUMS"
}

mkdir -p "$dist"
for step in "$@"; do
  case "$step" in
    check | packages | client | chart | images | cuda | assemble | push | release)
      echo "publish: $step"
      "$step"
      ;;
    *) fail "unknown step '$step', expected check, packages, client, chart, images, cuda, assemble, push or release" ;;
  esac
done
