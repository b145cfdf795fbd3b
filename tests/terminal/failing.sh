#!/bin/sh
# A device that fails: it is opened again, and the question asked again; a second failure in a row is
# said, and nothing is lost. Its program is tests/fault/failing_device.c.
. "$(dirname "$0")/stage.sh"

said_twice() { [ "$(screen | grep -c "the device failed while")" = 2 ]; }

start -n 8 --backend cpu
ask "Hello!"
printf 1 >"$QUIRE_HOME/failures"
ask_only "What is a river?"
wait_for "the device failed while computing the answer"
wait_for "opening the device again, then asking again"
wait_for "1 turn]"
wait_idle
[ -s "$QUIRE_HOME/failures" ] && fail "the device has not failed"
[ "$(screen | grep -c '^> What is a river?')" = 2 ] || fail "the question was not asked again"
[ -n "$(answer_to "What is a river?")" ] || fail "the question was not answered"
printf 22 >"$QUIRE_HOME/failures"
clear_screen
ask_only "And a lake?"
wait_for "opening the device again"
wait_until said_twice || fail "the second failure is not said"
[ -s "$QUIRE_HOME/failures" ] && fail "the device was not opened again"
wait_last "> And a lake?" # in the editor
keys C-c
leave
"$program" show "$("$program" list | awk 'NR == 2 { print $1 }')" >"$QUIRE_HOME/shown"
grep -qF "What is a river?" "$QUIRE_HOME/shown" || fail "the conversation has lost its second turn"

# What is not saved would be gone with the engine.
rm -f "$QUIRE_HOME/failures"
start --no-save -n 8 --backend cpu
ask "Hello!"
printf 1 >"$QUIRE_HOME/failures"
ask_only "What is a river?"
wait_for "the device failed while computing the answer"
wait_last "> What is a river?"
screen | grep -qF "[opening the device again" && fail "a chat that is not saved was left"
screen | grep -qF "> Hello!" || fail "the first turn is gone"
keys C-c
leave

# A device that does not open again ends the chat, and the question is said.
rm -f "$QUIRE_HOME/failures"
start -n 8 --backend cpu
ask "Hello!"
printf 1 >"$QUIRE_HOME/failures"
touch "$QUIRE_HOME/gone"
ask_only "What is an island?"
wait_for "not answered, and to be asked again: What is an island?"
screen | grep -q "the device is gone" || fail "the reason is not said"
rm -f "$QUIRE_HOME/gone" "$QUIRE_HOME/failures"

# A batch begins again what it was computing, once: of two failures in a row each line has the second.
for i in 1 2 3; do echo "{\"prompt\": \"Say $i.\", \"tokens\": 8}"; done >"$QUIRE_HOME/lines"
batch() { "$program" batch "$QUIRE_HOME/lines" --temp 0 --deterministic --backend cpu >"$QUIRE_HOME/$1" 2>"$QUIRE_HOME/$1.err"; }
# What a line finds cached depends on when the one before it was computed.
answers() { sed 's/"cached_tokens":[0-9]*,//' "$QUIRE_HOME/$1"; }
batch whole || fail "a batch: $(cat "$QUIRE_HOME/whole.err")"
printf 1 >"$QUIRE_HOME/failures"
batch again || fail "a batch with a failure: $(cat "$QUIRE_HOME/again.err")"
grep -q "the device failed; opening it again" "$QUIRE_HOME/again.err" || fail "nothing has failed"
[ "$(answers whole)" = "$(answers again)" ] || fail "other answers: $(cat "$QUIRE_HOME/again")"
printf 22 >"$QUIRE_HOME/failures"
batch twice && fail "a batch with two failures succeeds"
[ "$(grep -c '"error":"the device failed' "$QUIRE_HOME/twice")" = 3 ] || fail "errors: $(cat "$QUIRE_HOME/twice")"
echo good
