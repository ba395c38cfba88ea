#!/bin/bash
# Times on the device: ceilings, throughput, steps and their kernels, output layer, one sentence, the
# algorithms of products, the papers' variants, and the daemon under load.
#
#   bench.sh OUT_DIRECTORY [PART...]
#
# Writes bench.json (one member for each part but products), bench.txt (the same as tables) and
# machine.txt. The last line is 'N passed, N failed'. Takes under 8 minutes.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
start 470 "${1:?usage: bench.sh OUT_DIRECTORY [PART...]}"
shift
report=$out/bench.txt
describe_machine >"$out/machine.txt" 2>&1
cat "$out/machine.txt" >"$report"

parts=("$@")
if [[ ${#parts[@]} -eq 0 ]]; then
  mapfile -t parts < <(bin/gpu_bench --list)
  parts+=(products variants daemon)
fi
for name in "${parts[@]}"; do
  if [[ $name == daemon ]]; then
    part daemon 90 ./daemon_load.sh "$scratch/daemon.json"
  elif [[ $name == products ]]; then
    part products 60 bin/linear_cuda_bench
  elif [[ $name == variants ]]; then
    part variants 60 bin/variants_bench --json "$scratch/variants.json"
  else
    part "$name" 100 bin/gpu_bench --json "$scratch/$name.json" "$name"
  fi
done
{
  echo '{'
  separator=''
  for name in "${parts[@]}"; do
    if [[ -s $scratch/$name.json ]]; then
      printf '%s"%s": ' "$separator" "$name"
      cat "$scratch/$name.json"
      separator=','
    fi
  done
  echo '}'
} >"$out/bench.json"
finish
