#!/bin/bash
# Every test of the device: operations, decisions, the oracle's searches, the whole engine.
#
#   suite.sh OUT_DIRECTORY [GTEST_FILTER]
#
# Writes suite.txt and machine.txt. The last line is 'N passed, N failed'. Takes under 8 minutes.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
start 470 "${1:?usage: suite.sh OUT_DIRECTORY [GTEST_FILTER]}"
filter=${2:-*}
report=$out/suite.txt
describe_machine >"$out/machine.txt" 2>&1
cat "$out/machine.txt" >"$report"
if [[ -e pairs.tsv ]]; then export DRAGOMAN_PAIRS=pairs.tsv; fi

# What others build on comes first; what is not named comes last.
limit_of() {
  case $1 in
    kernels_*) echo 60 ;;
    *engine* | parity_* | profiles_* | sampling_*) echo 150 ;;
    *) echo 90 ;;
  esac
}
declare -A done_already
for pattern in 'kernels_*' 'gpu_search*' 'gpu_engine*' '*'; do
  for test in bin/test/$pattern; do
    name=$(basename "$test")
    if [[ -n ${done_already[$name]:-} || ! -x $test ]]; then continue; fi
    done_already[$name]=1
    # Emulated cases say nothing of a card, and the bundle has no models for the CPU's of these.
    cases=$filter
    if [[ $filter == '*' ]]; then
      if [[ $name =~ ^(parity|profiles)_test$ ]]; then cases='*Cuda*'; else cases='-*Emulated*'; fi
    fi
    part "$name" "$(limit_of "$name")" "$test" --gtest_filter="$cases" --gtest_brief=0
    # Searches need what was just tested, and engines need them.
    if [[ $name == gpu_search_test && $filter == '*' ]]; then
      part oracle_cases 30 bin/oracle_runner --cuda --trace tests/oracle/cases
      if compgen -G 'oracles/*.json' >/dev/null; then
        part oracle_cases_given 60 bin/oracle_runner --cuda --trace oracles
      fi
    fi
  done
done
finish
