#!/bin/bash
# The recipe of the bundled model, all of it, on a machine with a GPU and within a limit of time.
#
#   train_on_gpu.sh DATA_DIR OUT_DIR [MINUTES]
#
#   DATA_DIR   at any depth train*.tsv, one dev*.tsv to choose by, one test*.tsv to report on:
#              German TAB English
#   OUT_DIR    gets model/, summary.txt and a log of each stage, these three also as result.tar.gz, and the
#              work of each stage
#   MINUTES    of everything together, 10 by default; each stage has its share
#
# Stages: teacher (full-size, German to English), reverse (full-size, English to German), distil (the
# sources as the teacher translates them), back (the targets as the reverse model does), student (the
# bundled model, trained on all of these), evaluate. A stage that is done is not done again, and one that was
# cut off goes on where it was: the same command once more. What fails is left out by what follows.
#
# PYTHON and DEVICE in the environment: what to run (python3), where (auto, cpu or cuda).
set -uo pipefail

if [[ $# -lt 2 || $# -gt 3 ]]; then
  sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mapfile -t train < <(find "$1" -name 'train*.tsv' | sort)
mapfile -t dev < <(find "$1" -name 'dev*.tsv')
mapfile -t test < <(find "$1" -name 'test*.tsv')
if [[ ${#train[@]} -eq 0 || ${#dev[@]} -ne 1 || ${#test[@]} -ne 1 ]]; then
  echo "train_on_gpu: $1 has ${#train[@]} train*.tsv, ${#dev[@]} dev*.tsv, ${#test[@]} test*.tsv;" \
    "expected at least one, one, one" >&2
  exit 2
fi
out=$2
minutes=${3:-10}
mkdir -p "$out" || exit 1
export PYTHONUNBUFFERED=1

# stage NAME SHARE SCRIPT ARGUMENT...: unless it is done, within its share of the time. The script keeps
# to --minutes; a minute more is for its last evaluation.
stage() {
  local name=$1 share=$2 script=$3 begun=$SECONDS status=0 log=$out/$1.log limit
  shift 3
  if [[ -e $out/$name.done ]]; then return 0; fi
  limit=$(awk -v m="$minutes" -v s="$share" 'BEGIN { print m * s }')
  if [[ $script != evaluate.py ]]; then set -- "$@" --minutes "$limit"; fi
  timeout --kill-after=20 "$(awk -v l="$limit" 'BEGIN { print 60 * l + 60 }')" \
    "${PYTHON:-python3}" "$here/$script" "$@" --device "${DEVICE:-auto}" >>"$log" 2>&1 || status=$?
  if ((status == 0)); then touch "$out/$name.done"; fi
  echo "$name: exit status $status, $((SECONDS - begun)) s; $(tail -n 1 "$log")" | tee -a "$out/stages.log"
}

# Whether a full-size model has learned to translate.
good() {
  [[ -e $out/$1.done ]] &&
    awk '/best dev BLEU/ { bleu = $NF } END { exit bleu < 30 }' "$out/$1.log"
}

full_size=(--size base --tokens 16000 --lr 5e-4 --warmup 1500 --dropout 0.2 --evaluations 5)
stage teacher 0.30 train.py --train "${train[@]}" --dev "${dev[@]}" --out "$out/teacher" "${full_size[@]}"

# One vocabulary for all. The reverse model is the same with the columns swapped.
mkdir -p "$out"/{swapped,reverse,student}
cp "$out/teacher/joint.spm" "$out/reverse" && cp "$out/teacher/joint.spm" "$out/student"
awk -F '\t' '{ print $2 "\t" $1 }' "${train[@]}" >"$out/swapped/train.tsv"
awk -F '\t' '{ print $2 "\t" $1 }' "${dev[@]}" >"$out/swapped/dev.tsv"
stage reverse 0.20 train.py --train "$out/swapped/train.tsv" --dev "$out/swapped/dev.tsv" --out "$out/reverse" \
  "${full_size[@]}"

if good teacher; then
  stage distil 0.10 distil.py "$out/teacher/model" "${train[@]}" --out "$out/distilled.tsv"
fi
if good reverse; then
  stage back 0.05 distil.py "$out/reverse/model" "${train[@]}" --out "$out/back.tsv" --from-target --beam 1
fi
more=()
for file in "$out"/{distilled,back}.tsv; do
  if [[ -s $file ]]; then more+=("$file"); fi
done

# As many encoder layers as 16 MiB hold: they cost little when serving.
stage student 0.25 train.py --train "${train[@]}" "${more[@]}" --dev "${dev[@]}" --out "$out/student" \
  --encoder-layers 5 --tokens 12000
stage evaluate 0.05 evaluate.py "$out/student/model" "${test[@]}" --batch 256
stage evaluate_teacher 0.03 evaluate.py "$out/teacher/model" "${test[@]}" --batch 256 --beams 4

rm -rf "$out/model"
cp -r "$out/student/model" "$out/model" || exit 1
{
  echo "model: $(cat "$out"/model/* | wc -c) bytes of $((16 << 20)), trained on $(cat "${train[@]}" "${more[@]}" | wc -l) pairs"
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null
  cat "$out/stages.log"
  echo "student:"
  grep -A 1 '^beam' "$out/evaluate.log"
  echo "teacher:"
  grep -A 1 '^beam' "$out/evaluate_teacher.log"
} >"$out/summary.txt" 2>&1
cat "$out/summary.txt"
(cd "$out" && tar -czf result.tar.gz model summary.txt ./*.log)
[[ -e $out/evaluate.done ]]
