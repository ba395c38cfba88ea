#!/bin/bash
# The first look at a card, in 9.5 minutes, the most telling part first: operations, whole engines
# (invariance; equality and life), a step's time with early launches and without, throughput, one
# sentence, a step with products in one byte, and where a profiler is there six kernels under it. Tests run as many at a time as there
# are cores, and all else alone.
#
#   first.sh OUT_DIRECTORY [SECONDS]
#
#   SECONDS   what there is, 570 if not given: each part's limit shrinks with it
#
# After a failure the same runs again with each part of DRAGOMAN_CUDA_OFF off, then with all; with
# the first that helps off, all later parts run. Each part has its own limit, and none stops the next.
#
# Writes first.txt, a page with the results so far after every part; first.log, all that was printed;
# and machine.txt. The last line is 'N passed, N failed': what passes only without a part of the backend
# has failed.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
total=${2:-570}
if [[ ! $total =~ ^[1-9][0-9]{0,3}$ ]]; then
  echo "first.sh: found '$total' seconds, expected a number of them from 1 to 9999" >&2
  exit 2
fi
start "$total" "${1:?usage: first.sh OUT_DIRECTORY [SECONDS]}"
report=$out/first.log
page=$out/first.txt
: >"$report"

switches=(early-launch fused-output graphs few-rows bucket-algorithms)
off=        # the switches that are off from now on
findings=() # for the page
rows=()     # its table: "name|result|seconds"
shown=()    # the parts whose output it shows

# A limit for the time that there is, a second at least.
scaled() {
  local seconds=$(($1 * total / 570))
  echo $((seconds > 0 ? seconds : 1))
}

# What of a test program's log is worth running again: what failed, and what was running at the end.
failed_tests() {
  {
    sed -n 's/^\[  FAILED  \] \([^ ,]*\).*ms)$/\1/p' "$1"
    awk '/^\[ RUN      \]/ { running = $4 } /^\[  (     OK|FAILED |SKIPPED) \]/ { running = "" }
      END { if (running != "") print running }' "$1"
  } | sort -u | paste -sd :
}

write_page() {
  local name row
  {
    echo "# First look: ${card:-no card that a program of this bundle can use}"
    echo
    sed -n 's/^\(commit\|built\|run\|cuda:0\|CUDA driver\) /* &/p' "$out/machine.txt"
    echo "* $total s were given, $((deadline - SECONDS)) s are left"
    echo
    echo '| part | result | s |'
    echo '|---|---|---|'
    for row in "${rows[@]}"; do echo "| ${row//|/ | } |"; done
    echo
    if [[ ${#findings[@]} -eq 0 ]]; then
      echo 'Nothing failed so far.'
    else
      printf '* %s\n' "${findings[@]}"
    fi
    for name in "${shown[@]}"; do
      printf '\n## %s\n\n' "$name"
      explain "$name"
      echo '```'
      show "$name"
      echo '```'
    done
  } >"$page.new"
  mv "$page.new" "$page"
}

# How to read a part's figures.
explain() {
  case $1 in
    graph_step)
      echo 'A step of OPUS-MT base as it is made, one graph after the other, beside what was counted for this card'
      echo '(tests/gpu/README.md, "Counted times"). Far above 1, the count leaves something out that the kernels below'
      echo 'may show. The step with "early" off less that with it on is what early launches are worth.'
      ;;
    throughput)
      echo 'A worker under more segments than fit: the rows of a step over its time, and what the host adds.'
      ;;
    graph_step_quantized) echo 'The same with products of the output layer and of the layers in one byte (the setting `cuda`).' ;;
    one_sentence) echo 'What was counted for an H200: 7.1 ms with beam 4 in float16.' ;;
    ncu_*)
      echo 'L2 near 100 %: bound by reads from L2 (an H200 had 35 % in the fused output layer). Tensor: the share of'
      echo 'the time in which its pipe works. The largest stalls say what warps wait for.'
      ;;
    *) echo 'The end of its output:' ;;
  esac
  echo
}

# The lines of a part's output that the page has.
show() {
  local log=$scratch/$1.log
  case $1 in
    ncu_*) grep -E 'Context|Duration|Throughput|Tensor|Stall|==(ERROR|WARNING)==' "$log" | head -n 80 ;;
    graph_step | graph_step_quantized | throughput | one_sentence) head -n 40 "$log" ;;
    *)
      grep -E -A 4 'Failure|rror' "$log" | head -n 24
      tail -n 6 "$log"
      ;;
  esac
}

# ahead NAME SECONDS WAYS COMMAND...: begins a part as soon as a core is free. `look` of the same takes it
# up; it ends at $ahead_until.
declare -A ahead=()
mkfifo "$scratch/cores"
exec {cores}<>"$scratch/cores"
for ((core = 0; core < $(nproc); ++core)); do echo >&"$cores"; done
ahead() {
  local limit
  limit=$(scaled "$2")
  ahead_off=$off
  (
    read -ru "$cores"
    if ((deadline - SECONDS >= 3 && ahead_until > SECONDS)); then
      ((deadline <= ahead_until)) || deadline=$ahead_until
      run_part "$1" "$limit" env DRAGOMAN_CUDA_OFF="$off" "${@:4}"
    fi
    echo >&"$cores"
  ) &
  ahead[$1]=$!
}

# Whether a part ran ahead, and not so that what has been switched off since may help it.
stands() {
  local status=0
  if [[ -z ${ahead[$1]:-} ]]; then return 1; fi
  wait "${ahead[$1]}"
  if [[ -e $scratch/$1.ended ]]; then read -r status _ <"$scratch/$1.ended"; fi
  [[ $status -eq 0 || $off == "$ahead_off" || $SECONDS -ge $ahead_until ]]
}

# wait_for_card STATUS: a process that was killed may keep the card from others for some seconds.
wait_for_card() {
  local until=$((SECONDS + 10))
  if [[ -z $card || ($1 -ne 124 && $1 -ne 137) ]]; then return; fi
  while ((SECONDS < until && SECONDS < deadline)); do
    if timeout --kill-after=1 5 bin/gpu_bench machine &>/dev/null; then return; fi
    sleep 0.2
  done
}

# look NAME SECONDS WAYS COMMAND...: a part. WAYS: which switches it obeys, all, kernels or none.
look() {
  local name=$1 limit ways=$3 status=0 seconds=0 without=$off
  limit=$(scaled "$2")
  shift 3
  if ! stands "$name"; then
    part "$name" "$limit" env DRAGOMAN_CUDA_OFF="$off" "$@" || status=$?
  elif [[ -e $scratch/$name.ended ]]; then
    without=$ahead_off
    account "$name" "$@" || status=$?
  else
    not_run "$name" || status=$?
  fi
  if [[ -e $scratch/$name.ended ]]; then read -r _ seconds limit <"$scratch/$name.ended"; fi
  wait_for_card "$status"
  # As part says it: "NAME: 3 passed, 0 failed, 1 skipped, 2 s".
  local result='**nothing ran**'
  if [[ ${lines[-1]} =~ \ ([0-9]+)\ passed,\ [0-9]+\ failed,\ ([0-9]+)\ skipped, ]]; then
    if ((BASH_REMATCH[1] > 0)); then result="${BASH_REMATCH[1]} passed"; fi
    if ((BASH_REMATCH[2] > 0)); then result+=", ${BASH_REMATCH[2]} skipped"; fi
  fi
  if ((status == 0)) && [[ $result == *nothing* ]]; then findings+=("$name: $result."); fi
  if ((status != 0)); then result="**failed**, status $status"; fi
  if ((status == 124 || status == 137)); then result="**failed**, stopped at its limit of $limit s"; fi
  [[ -e $scratch/$name.log ]] || result='**not run**, the time is up'
  rows+=("$name|$result${without:+, without $without}|$seconds")
  local has_figures='^(graph_step|graph_step_quantized|throughput|one_sentence|ncu_.*)$'
  if [[ -e $scratch/$name.log ]] && { ((status != 0)) || [[ $name =~ $has_figures ]]; }; then
    shown+=("$name")
  fi
  if ((status != 0)) && [[ -e $scratch/$name.log ]]; then
    findings+=("$name failed${without:+ with $without off}.")
    write_page
    try_switches "$name" "$limit" "$status" "$ways" "$@"
  fi
  write_page
}

# The same again with each switch off, beside those that are, and with all. The first that helps
# stays off. A test that was running at a part's limit runs by itself first: it may have been slow only.
try_switches() {
  local name=$1 limit=$2 status=$3 ways=$4 names filter begun tried=() candidates=() command
  local log=$scratch/again.log all
  shift 4
  if [[ -z $card ]]; then return; fi # nothing that a switch could help
  all=$(IFS=, && echo "${switches[*]}")
  command=("$@")
  filter=$(failed_tests "$scratch/$name.log")
  if [[ -n $filter ]]; then command+=(--gtest_filter="$filter"); fi
  case $ways in
    all) candidates=("${switches[@]}" "$all") ;;
    kernels) candidates=(early-launch) ;;
  esac
  if [[ -n $filter ]] && ((status == 124 || status == 137)); then candidates=('' "${candidates[@]}"); fi
  ((limit <= $(scaled 30))) || limit=$(scaled 30)
  for names in "${candidates[@]}"; do
    if [[ -z $names ]]; then
      names=$off
    else
      if [[ ,$off, == *,$names,* ]]; then continue; fi
      if [[ -n $off && $names != *,* ]]; then names=$off,$names; fi
    fi
    if ((again_left < 1)); then
      findings+=("$name: no time was left to try it with ${names:-nothing} off.")
      break
    fi
    begun=$SECONDS status=0
    timeout --kill-after=5 $((limit < again_left ? limit : again_left)) \
      env DRAGOMAN_CUDA_OFF="$names" "${command[@]}" >"$log" 2>&1 || status=$?
    wait_for_card "$status"
    again_left=$((again_left - (SECONDS - begun)))
    { echo "=== $name again, ${names:-nothing} off: status $status"; cat "$log"; echo; } >>"$report"
    if ((status == 0)) && [[ $names == "$off" ]]; then
      findings+=("$name ran out of time: what was running then passes by itself.")
      return
    fi
    if ((status == 0)); then
      off=$names
      findings+=("**$name passes with $names off**, as later parts run. The same for a daemon: \`DRAGOMAN_CUDA_OFF=$names\`")
      return
    fi
    if [[ $names == "$off" ]]; then continue; fi
    if [[ $names == "$all" ]]; then tried+=(all); else tried+=("$names"); fi
  done
  if [[ ${#tried[@]} -gt 0 ]]; then
    findings+=("$name fails with each of these off, too: $(printf '%s; ' "${tried[@]}" | sed 's/; $//').")
  fi
}

: >"$out/machine.txt"
timeout --kill-after=5 "$(scaled 25)" bash -c 'source ./common.sh; describe_machine' \
  >"$out/machine.txt" 2>&1
cat "$out/machine.txt" >>"$report"
card=$(sed -n 's/^cuda:0 \([^,]*\),.*/\1/p' "$out/machine.txt" | head -n 1)
capability=$(sed -n 's/^cuda:0 .*compute capability \([0-9.]*\).*/\1/p' "$out/machine.txt" | head -n 1)
if [[ -e pairs.tsv ]]; then export DRAGOMAN_PAIRS=pairs.tsv; fi
again_left=$(scaled 150) # seconds for second tries
write_page

# operations and engines take `ahead` and then `look`. Emulated cases say nothing of a card.
operations() {
  local test
  for test in bin/test/kernels_*_test; do
    "$1" "$(basename "$test")" 45 kernels "$test" --gtest_brief=0 --gtest_filter='-*Emulated*'
  done
}
engines() {
  local test=bin/test/gpu_engine_test types=(float32 float16 bfloat16) type
  for type in "${types[@]}"; do
    "$1" "invariance_$type" 75 all "$test" --gtest_brief=0 --gtest_filter="*EngineInvariance*/$type"
  done
  for type in "${types[@]}"; do
    "$1" "engine_$type" 60 all "$test" --gtest_brief=0 \
      --gtest_filter="*/$type:-*EngineInvariance*:*NothingIsAllocated*"
  done
}
for parts in operations engines; do
  ahead_until=$((SECONDS + $(scaled 90)))
  "$parts" ahead
  "$parts" look
done
# It looks at the card's free memory, and so runs alone.
look engine_memory 30 all bin/test/gpu_engine_test --gtest_brief=0 --gtest_filter='*NothingIsAllocated*'
look graph_step 75 all bin/gpu_bench graph_step
look throughput 90 all bin/gpu_bench throughput
look one_sentence 45 all bin/gpu_bench one_sentence
look graph_step_quantized 60 all bin/gpu_bench graph_step_quantized

# Six kernels in the middle of a step: four of a full batch, two of a lone sentence. Launches one by
# one, for a profiler serialises them in any case; the clocks stay as they are.
ncu=$(command -v ncu || compgen -G '/usr/local/cuda*/bin/ncu' || compgen -G '/opt/nvidia/nsight-compute/*/ncu' || true)
ncu=${ncu%%$'\n'*}
profile() {
  local name=$1 kernels=$2 skip=$3 count=$4 bench=$5
  look "$name" 30 none env DRAGOMAN_CUDA_OFF="graphs,early-launch${off:+,$off}" "$ncu" \
    --clock-control none --kernel-name "regex:$kernels" --launch-skip "$skip" --launch-count "$count" \
    --section SpeedOfLight --section ComputeWorkloadAnalysis --section WarpStateStats \
    --print-details all bin/gpu_bench "$bench"
}
if [[ -z $ncu ]]; then
  skip ncu 'ncu is not on this machine'
  rows+=('ncu|skipped, it is not on this machine|0')
else
  # A step of 6 layers has 14 of the first: those of its 21st, after three folds at load where the output layer is
  # fused. Of the others it has 54, and the trials at load have some hundred.
  output='FusedOutputKernel|FusedMmaKernel' skip_full=283
  if [[ ! $capability =~ ^(8\.[069]|9\.0|12\.0)$ || ,$off, == *,fused-output,* ]]; then
    output=FoldMaterializedKernel skip_full=280
  fi
  profile ncu_full "$output|DecodeSelfAttentionKernel|CrossAttentionKernel|StepSlotsKernel" \
    "$skip_full" 14 graph_step_4096
  profile ncu_few 'FewRowsKernel|AddLayerNormKernel' 1200 8 graph_step_4
fi
write_page
finish
