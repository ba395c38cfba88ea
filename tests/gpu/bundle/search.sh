#!/bin/bash
# Search and scheduling on a device: the measurements of tests/bench/README.md, "Search", with
# numbers of segments chosen for a GPU.
#
#   search.sh PART JSON_FILE [DEVICE]    DEVICE: cuda:0 (the default) or cpu
#   search.sh --list                     the parts, most important first
#
# Tables go to the standard output. Texts are made of pairs.tsv, where the bundle has it, else of
# tests/data/german.txt. Exit status: 0; 1 if something did not hold. A part that cannot run here is
# skipped aloud.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

if [[ ${1:-} == --list ]]; then
  printf 'search_%s\n' schedulers pruning schedulers_wide pruning_wide quality tokens grid batching \
    topup schedulers_small constraints
  exit
fi
part=${1:?usage: search.sh PART JSON_FILE [DEVICE] | --list}
json=${2:?usage: search.sh PART JSON_FILE [DEVICE]}
device=${3:-cuda:0}
input=tests/data/german.txt
if [[ -e pairs.tsv ]]; then input=pairs.tsv; fi

bench() {
  local subcommand=$1
  shift
  bin/search_bench "$subcommand" --device "$device" --json "$json" "$@"
}

skipped() {
  printf 'skipped %s: %s\n0 passed, 0 failed\n' "$part" "$1"
  exit 0
}

quality() {
  [[ -e pairs.tsv ]] || skipped 'the bundle was built without PAIRS.tsv'
  python3 -c 'import sacrebleu' || skipped 'python3 has no sacrebleu'
  python3 search_quality.py --bench bin/search_bench --pairs pairs.tsv \
    --device "$device" --segments 128 --part searches --part prune --json "$json"
}

case $part in
  # The searches' own speed: as many rows as fill a card. The papers' n * k was 100, and 1,000.
  search_schedulers) bench schedulers --input $input --texts 4096 --segments 256 ;;
  search_schedulers_wide) bench schedulers --input $input --texts 500 --segments 20 --beam 50 ;;
  search_schedulers_small) bench schedulers --input $input --texts 500 --segments 20 ;;
  search_pruning) bench pruning --input $input --texts 2048 --segments 256 ;;
  search_pruning_wide) bench pruning --input $input --texts 300 --segments 20 --beam 50 ;;
  search_topup) bench topup --input $input --texts 1280 --segments 128 ;;
  search_constraints) bench constraints --texts 1000 ;;
  search_tokens) bench constraint-cost --part tokens --texts 512 --segments 128 ;;
  search_grid) bench constraint-cost --part grid --texts 256 --segments 32 ;;
  search_batching) bench constraint-cost --part batching --texts 96 --segments 32 ;;
  search_quality) quality ;;
  *)
    echo "search.sh: unknown part '$part'; --list names them" >&2
    exit 2
    ;;
esac
