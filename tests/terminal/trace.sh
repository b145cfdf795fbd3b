#!/bin/sh
# The trace of a chat that restores its past and answers during an answer in the background.
. "$(dirname "$0")/stage.sh"

kv="--kv-restore always --kv-host 16M --kv-disk 16M"
start "$kv --backend reference -n 12 -c 1900"
ask "Tell me a story about a fox."
leave

start -C "$kv $endless --trace '$QUIRE_HOME/trace.json'"
wait_until on_screen "restored " || fail "nothing is restored"
begin_answer "Write a story."
to_background
ask "/set tokens 12"
ask "What is a dog?"
[ -n "$(answer_to "What is a dog?")" ] || fail "no answer beside the one in the background"
kill -KILL "$(quire_pid)"
wait_for "left with 137"
"$here/check_trace" "$QUIRE_HOME/trace.json" cut || fail "the trace of a program that was killed"

start -C "$kv --backend reference -n 12 -c 1900 --trace '$QUIRE_HOME/trace.json'"
ask "Thank you."
leave
"$here/check_trace" "$QUIRE_HOME/trace.json" || fail "the trace of a program that was left"
