#!/bin/bash
# Records which packages a sysroot was unpacked from: as dpkg's database, which dpkg-query reads with --admindir
# (deploy/package/sbom.py), and as a package that is being built, whose folder DEBIAN dpkg-shlibdeps looks into.
# An extract hook of mmdebstrap, called while the packages are still there. Runs nothing of them.
#
#   deploy/cross/packages.sh SYSROOT
set -euo pipefail
sysroot=$1
database="$sysroot/var/lib/dpkg"
mkdir -p "$database/info" "$sysroot/DEBIAN"
# Format 1: the files of a package that may be there for several architectures have that in their names.
echo 1 >"$database/info/format"
: >"$database/status"

shopt -s nullglob
for package in "$sysroot"/var/cache/apt/archives/*.deb; do
  read -r name architecture several < <(dpkg-deb --showformat='${Package} ${Architecture} ${Multi-Arch}\n' \
    --show "$package")
  info="$database/info/$name"
  [[ $several != same ]] || info+=":$architecture"
  {
    dpkg-deb --field "$package"
    printf 'Status: install ok installed\n\n'
  } >>"$database/status"
  dpkg-deb --fsys-tarfile "$package" | tar --list | sed 's|^\./$|/.|; s|^\./|/|; s|/$||' >"$info.list"
  for control in symbols shlibs; do
    if text=$(dpkg-deb --info "$package" "$control" 2>/dev/null); then
      echo "$text" >"$info.$control"
      echo "$text" >>"$sysroot/DEBIAN/$control"
    fi
  done
done
[[ -s $sysroot/DEBIAN/symbols ]] || {
  echo "packages: found no package with a library in $sysroot/var/cache/apt/archives" >&2
  exit 1
}
