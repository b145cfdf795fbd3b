#!/bin/sh
# Two conversations and a fork, left and taken up again: their past comes from the disk, until
# it is dropped.
. "$(dirname "$0")/stage.sh"

# What is faster here, and how much room there is, are not this test's business.
kv="--kv-restore always --kv-device 32M --kv-host 16M --kv-disk 16M"
start "$kv"
wait_for "/help lists"
ask "Hello!"
ask "Tell me a story about a fox."
ask "/new"
ask "What is the capital of France?"
ask "/fork the side"
wait_for "/resume - goes back"
ask "And of Spain?"
ask "/list"
answer_to "/list" | grep -qE '^\* [0-9a-f]{8} .* device .*└ the side' || fail "/list does not say where the fork is"
ask "/kv"
answer_to "/kv" | grep -qE '^device +[0-9]' || fail "/kv has no pool"
answer_to "/kv" | grep -qE '^\* [0-9a-f]{8} .*the side' || fail "/kv does not have the fork"
answer_to "/kv" | tr -d ',' | awk '$1 == "device" { exit $2 + $4 + $6 != $8 }' || fail "/kv does not sum up"
leave

start -C "$kv"
wait_for "the side"
wait_until on_screen "restored " || fail "nothing is restored"
on_screen "(disk, " || fail "what is restored is not from the disk"
ask "/kv"
answer_to "/kv" | grep -qE '^found +device 0 · host 0 · disk [1-9]' || fail "/kv does not say what was found on the disk"
ask "Thank you."
[ -n "$(answer_to "Thank you.")" ] || fail "no answer after restoring"
ask "/stats"
answer_to "/stats" | grep -qE '^cached in +device 0 · host 0 · disk [1-9]' || fail "/stats has no tokens of the disk"
ask "/strip Hello"
wait_for "no conversation"
ask "/strip the side"
wait_for ": dropped "
ask "Are you there?"
[ -n "$(answer_to "Are you there?")" ] || fail "no answer after /strip"
leave

"$program" kv check > "$QUIRE_HOME/out" || fail "kv check: $(cat "$QUIRE_HOME/out")"
grep -q good "$QUIRE_HOME/out" || fail "kv check says: $(cat "$QUIRE_HOME/out")"
"$program" kv drop || fail "kv drop"

start -C "$kv"
wait_for "the side"
wait_until on_screen "computing " || fail "after kv drop: something is restored"
ask "Thanks again."
[ -n "$(answer_to "Thanks again.")" ] || fail "no answer after kv drop"
leave
