#!/bin/bash
# Packs what a machine with an NVIDIA GPU and CUDA 13 needs to test and measure Dragoman, built here.
#
#   tests/gpu/build_bundle.sh OUT.tar.xz [ORACLE_DIR [PAIRS.tsv]]
#
#   ORACLE_DIR   oracle cases from outside, run besides those of tests/oracle/cases; '' for none
#   PAIRS.tsv    source, tab, reference translation: what BLEU is measured on, and the texts of
#                the searches that are measured
#
# Builds the preset gpu (DRAGOMAN_JOBS as in deploy/build.sh). The archive holds one folder,
# dragoman-gpu: the programs stripped, the shared libraries that such a machine lacks, the bundled
# model, the tests' data, the figures of the machine code for counted times (where cuobjdump.sh finds a
# cuobjdump), and the four commands of tests/gpu/README.md. It may lie anywhere there.
# Fails when it is larger than 44 MiB.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

max_bytes=$((44 << 20))
if [[ $# -lt 1 || $# -gt 3 || $1 == -* ]]; then
  sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
out=$(realpath -m "$1")
oracles=${2:+$(realpath "$2")}
pairs=${3:+$(realpath "$3")}

deploy/build.sh --tests gpu gpu_bundle_programs
build=build/gpu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/dragoman-gpu
mkdir -p "$root"/{bin,lib,oracles}

# gpu_programs.txt: one path a line. Tests go to bin/test, so that suite.sh finds them by themselves.
mkdir -p "$root/bin/test"
while read -r program; do
  case $program in
    *_test) strip -o "$root/bin/test/$(basename "$program")" "$program" ;;
    *) strip -o "$root/bin/$(basename "$program")" "$program" ;;
  esac
done <"$build/tests/gpu_programs.txt"
# The programs look for their libraries in ../lib.
ln -s ../lib "$root/bin/lib"

# What every such machine has; an older libc or libstdc++ beside its own would only do harm.
system='^(ld-linux-x86-64|libc|libm|libmvec|libdl|libpthread|librt|libresolv|libstdc\+\+|libgcc_s)\.so'
mapfile -t libraries < <(find "$root/bin" -type f -exec ldd {} + | awk '$2 == "=>" { print $3 }' | sort -u)
for library in "${libraries[@]}"; do
  name=$(basename "$library")
  [[ $name =~ $system ]] || strip --strip-unneeded -o "$root/lib/$name" "$library"
done
if find "$root/bin" -type f -exec ldd {} + | grep 'not found'; then
  echo "build_bundle: a library is missing" >&2
  exit 1
fi

mkdir -p "$root/deploy/models" "$root/tests/parity" "$root/tests/oracle"
cp -r deploy/models/de-en "$root/deploy/models/"
cp -r tests/data "$root/tests/"
cp -r tests/parity/fixtures "$root/tests/parity/"
# Models and fixtures of parity that no case on a device reads, of which suite.sh runs no others.
cases=$("$build/tests/parity/parity_test" --gtest_list_tests | grep -o 'Cuda_[a-z0-9_]*')
for model in "$root"/tests/data/models/*; do
  name=$(basename "$model")
  grep -qx "Cuda_${name//-/_}" <<<"$cases" || rm -r "$model"
done
rm "$root"/tests/parity/fixtures/{argos,ensembles,moses,sampling,sentence-piece,tokenizer}*
cp -r tests/oracle/cases "$root/tests/oracle/"
[[ -z $oracles ]] || cp "$oracles"/*.json "$root/oracles/"
[[ -z $pairs ]] || cp "$pairs" "$root/pairs.tsv"
status=0
find "$build" -name '*.cu.o' -print0 | sort -z |
  xargs -0 tests/gpu/machine_code.sh machine_code.py tests/gpu/budgets.json --figures "$root/figures.json" \
    >"$scratch/machine_code.txt" || status=$?
# What the budgets say of it is a test's business (gpu_machine_code).
[[ -e $root/figures.json ]] ||
  echo "build_bundle: no figures of the machine code (status $status); times are counted without them" >&2
cp tests/gpu/bundle/*.sh tests/bench/{daemon,machine,serving_sweep,compare_transformers,search_quality}.py "$root/"
{
  echo "commit $(git rev-parse HEAD)$(git diff --quiet HEAD || echo ' with changes')"
  echo "built $(date -u +%Y-%m-%dT%H:%MZ) by $(c++ --version | head -n 1);" \
    "$(nvcc --version 2>/dev/null | sed -n 's/.*\(release [^,]*\).*/nvcc \1/p')"
} >"$root/build.txt"

# A dictionary that holds all of it (256 MiB in place of 64) makes the file 0.7 % smaller, no more.
mkdir -p "$(dirname "$out")"
tar -C "$scratch" --owner=0 --group=0 --sort=name -c dragoman-gpu | xz -9 -T 1 >"$out"
bytes=$(stat -c %s "$out")
echo "build_bundle: $out, $((bytes / 1024)) KiB of $((max_bytes / 1024));" \
  "unpacked $(du -sk "$root" | cut -f 1) KiB"
if ((bytes > max_bytes)); then
  echo "build_bundle: too large; largest files:" >&2
  find "$root" -type f -printf '%s %P\n' | sort -rn | head -n 15 >&2
  exit 1
fi
