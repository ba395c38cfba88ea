# shellcheck shell=bash
# A daemon for a script, which sources this and has a folder $work and a function `fail`. Its log is $work/log.
daemon=

start_daemon() { # start_daemon COMMAND...: with its flags, but for the port of gRPC; returns when it listens
  mkfifo "$work/daemon.out"
  "$@" --listen 127.0.0.1:0 --http 127.0.0.1:0 >"$work/daemon.out" 2>"$work/log" &
  daemon=$!
  # Open as long as the script runs, so that the daemon can write more. Nothing comes of one that has ended.
  exec {daemon_out}<"$work/daemon.out"
  rm "$work/daemon.out"
  read -r -t 120 -u "$daemon_out" listening ||
    fail "the daemon ended or was silent for 120 s: $(tail -n 3 "$work/log")"
}
daemon_field() { # daemon_field NAME: an address of those that it listens at
  sed -n "s/.*\b$1=\([^ ]*\).*/\1/p" <<<"$listening"
}
stop_daemon() { # by SIGTERM, upon which it has to end with status 0
  local status=0
  kill -TERM "$daemon"
  wait "$daemon" || status=$?
  daemon=
  ((status == 0)) || fail "SIGTERM: status $status; $(tail -n 3 "$work/log")"
}
kill_daemon() {
  [[ -z $daemon ]] || kill -9 "$daemon" 2>/dev/null || true
}
# Sets `translation` and `detected`, of a German sentence, and fails where they are not right.
translate_and_detect() { # translate_and_detect CLIENT...: the words that run `dragoman`
  translation=$(echo 'Guten Morgen!' | "$@" translate --server "$(daemon_field grpc)")
  [[ $translation == "Good morning"* ]] || fail "translated to '$translation'"
  detected=$(echo 'Guten Morgen, wie geht es dir?' | "$@" detect --server "$(daemon_field grpc)" | cut -f 1)
  [[ $detected == de ]] || fail "detected '$detected', expected de"
}
