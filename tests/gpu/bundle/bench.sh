#!/bin/bash
# Times on the device: ceilings, throughput, steps and their kernels, output layer, one sentence, the
# algorithms of products, the papers' variants, the daemon under load, and Dragoman against
# generate() of transformers; search and scheduling when asked for.
#
#   bench.sh OUT_DIRECTORY [PART...]
#
# 'search' stands for all parts that search.sh lists.
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
  parts+=(products variants daemon transformers)
fi
mapfile -t search < <(./search.sh --list)
mapfile -t parts < <(for name in "${parts[@]}"; do
  if [[ $name == search ]]; then printf '%s\n' "${search[@]}"; else echo "$name"; fi
done)
for name in "${parts[@]}"; do
  if [[ $name == daemon ]]; then
    # The daemons of a comparison are on the card together, hence a size for each.
    left=$((deadline - SECONDS))
    part daemon 150 python3 serving_sweep.py --json "$scratch/daemon.json" \
      --daemon bin/dragomand --client bin/dragoman --device cuda:0 --also cpu \
      --max-rows 256 512 1024 2048 4096 --in-flight 4096 --clients 4 --connections 16 --kv-memory-mb 6144 \
      --warmup 1.5 --duration 3.5 --rounds 4 --seconds $(((left < 150 ? left : 150) - 10))
  elif [[ $name == products ]]; then
    part products 60 bin/linear_cuda_bench
  elif [[ $name == transformers ]]; then
    # A late part that starts in spite of it would not end: named alone it has the time.
    if ((deadline - SECONDS < 200)); then
      skip transformers "less than 200 s are left: bench.sh OUT_DIRECTORY throughput transformers"
      continue
    fi
    options=()
    if [[ -s $scratch/throughput.json ]]; then options=(--throughput "$scratch/throughput.json"); fi
    part transformers 240 python3 -u compare_transformers.py --json "$scratch/transformers.json" "${options[@]}"
  elif [[ $name == variants ]]; then
    part variants 60 bin/variants_bench --json "$scratch/variants.json"
  elif [[ $name == search_* ]]; then
    part "$name" 150 ./search.sh "$name" "$scratch/$name.json"
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
