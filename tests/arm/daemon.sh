#!/bin/bash
# The daemon as its clients meet it: n-best lists and scores of sentences are, to the last digit, those of
# tests/data/daemon_lists.tsv, on every processor that score_bits_test holds of: AVX2 with VNNI, and all of 64-bit ARM;
# and on AVX2 alone with build/release/tests/arm/dragomand_avx2_long for the daemon (avx2_long.cc).
# Besides: detection of languages, health, probes, and the end by SIGTERM.
#
#   tests/arm/daemon.sh DRAGOMAND DRAGOMAN [WORD...]
#
#   WORD...   the command that runs both programs, such as 'qemu-aarch64 -L SYSROOT'
#
# DRAGOMAN_TEST_SENTENCES: how many of the 40 sentences (default: all).
# DRAGOMAN_DAEMON_LISTS_WRITE: where to write the lists anew; the bundled model has changed, say.
# The last line is 'N passed, N failed, N skipped'; status 77 where daemon and processor are none of these.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
(($# >= 2)) || {
  echo "usage: $0 DRAGOMAND DRAGOMAN [WORD...]" >&2
  exit 2
}
dragomand=$1
dragoman=$2
shift 2
emulator=("$@")
work=$(mktemp -d)
source tests/package/daemon.sh
cleanup() {
  kill_daemon
  rm -rf "$work"
}
trap cleanup EXIT
passed=0
fail() {
  echo "FAILED daemon: $*"
  echo "$passed passed, 1 failed, 0 skipped"
  exit 1
}
pass() {
  passed=$((passed + 1))
  echo "passed: $*"
}
client() {
  "${emulator[@]}" "$dragoman" "$@"
}

sets=$("${emulator[@]}" "$dragomand" --version --verbose | sed -n 's/^instruction set  *//p')
case "${dragomand##*/}:$sets " in
  dragomand_avx2_long:*) ;;
  *[\ :]avx2_vnni[\ ,]*) export DRAGOMAN_CPU_ISA=avx2_vnni ;;
  *[\ :]neon[\ ,]*) ;;
  *)
    echo "skipped: the instruction sets of this machine are $sets, expected avx2_vnni or those of ARM"
    echo "0 passed, 0 failed, 1 skipped"
    exit 77
    ;;
esac

start_daemon "${emulator[@]}" "$dragomand" --model deploy/models/de-en --compute-type int8 --cpu-workers 1 \
  --language-model deploy/models/lid.176/lid.176.ftz --metrics 127.0.0.1:0 --lame-duck-seconds 0
address=$(daemon_field grpc)
[[ -n $address ]] || fail "the daemon does not listen: $listening"
client health --timeout 120 --server "$address" >/dev/null || fail "dragoman health: status $?"
client health --timeout 120 --url "http://$(daemon_field metrics)/readyz" >/dev/null || fail "/readyz: status $?"
pass "serves and is ready, on $sets"

# The beam's width is that of the lists; what else is in the batch changes nothing.
head -n "${DRAGOMAN_TEST_SENTENCES:-40}" tests/data/german.txt | head -n 40 >"$work/german"
client translate --server "$address" --from de --to en --beam 4 --nbest 4 "$work/german" >"$work/lists" ||
  fail "dragoman translate: status $?"
if [[ -n ${DRAGOMAN_DAEMON_LISTS_WRITE:-} ]]; then
  cp "$work/lists" "$DRAGOMAN_DAEMON_LISTS_WRITE"
fi
sentences=$(wc -l <"$work/german")
awk -F '\t' -v n="$sentences" '$1 <= n' "${DRAGOMAN_DAEMON_LISTS_WRITE:-tests/data/daemon_lists.tsv}" >"$work/expected"
(($(wc -l <"$work/expected") == 4 * sentences)) ||
  fail "tests/data/daemon_lists.tsv has $(wc -l <"$work/expected") lines of $sentences sentences, expected 4 of each"
diff "$work/expected" "$work/lists" || fail "the lists above differ; '<' is what was expected"
pass "$sentences n-best lists are those of tests/data/daemon_lists.tsv, scores to the last digit"

translate_and_detect client
pass "detects German: $translation"

stop_daemon
pass "SIGTERM ends it with status 0"
echo "$passed passed, 0 failed, 0 skipped"
