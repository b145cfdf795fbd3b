#!/bin/sh
# kill -9 in the middle of an answer loses nothing that was complete, nor what was typed.
. "$(dirname "$0")/stage.sh"

start
ask "Hello!"
first=$(answer_to "Hello!")
leave
start -C "$endless"
wait_for "1 turn]"
begin_answer "Tell me a long story about a fox and a bear."
shown=$(answer_to "Tell me a long story about a fox and a bear." | head -c 8)
# Only the last second of it may be lost.
is_stored() {
    [ "$("$program" show "$("$program" list | awk 'NR == 2 { print $1 }')" --format jsonl | tail -n 1 |
        sed -n 's/.*"role":"assistant".*"text":"\(.*\)","stop_reason.*/\1/p' | wc -c)" -gt 100 ]
}
wait_until is_stored || fail "nothing of it is stored"
kill -9 "$(quire_pid)"
wait_for "left with 137"

# What was shown a second before is there, and can be continued.
turns() { "$program" list --format jsonl | sed -n 's/.*"turns":\([0-9]*\).*/\1/p'; }
[ "$(turns)" = 2 ] || fail "the list has not two turns"
start -C -n 3
wait_for "2 turns]"
on_screen "> Hello!" || fail "the first message is lost"
on_screen "$(echo "$first" | head -n 1)" || fail "the first answer is lost"
wait_for "[interrupted — /continue resumes it, /regen replaces it]"
case $(answer_to "Tell me a long story about a fox and a bear.") in
"$shown"*) ;;
*) fail "what was shown is lost" ;;
esac
ask "/continue"
ask "/list"
answer_to "/list" | grep -qE '^\* [0-9a-f]{8} .* 2 .*Hello!' || fail "the conversation has not two turns"
leave

# Before a word was shown: the message is in the editor, and the turn is counted like in the list.
yes "a fox and a bear and a hen" | head -n 100 | tr '\n' ' ' > "$QUIRE_HOME/long"
run "'$program' $endless -i -f '$QUIRE_HOME/long' -p 'Go on.'; echo left with \$?; exec cat"
wait_until on_screen "reading " || fail "the message is not read"
kill -9 "$(quire_pid)"
wait_for "left with 137"
[ "$(turns | head -n 1)" = 1 ] || fail "the list has not one turn"
start -C
wait_for "1 turn]"
wait_for "[the last message has no answer; it is in the editor]"
keys C-u
leave

# The database is moved away under a chat: that is said, the message stays in the editor, and what is
# put back takes it.
start -n 8
ask "Hello!"
mv "$QUIRE_HOME/quire.db" "$QUIRE_HOME/away"
ask_only "What is a river?"
wait_for "was deleted or moved while it was"
wait_last "> What is a river?"
mv "$QUIRE_HOME/away" "$QUIRE_HOME/quire.db"
keys Enter
stored() { [ "$(turns | head -n 1)" = 2 ]; }
wait_until stored || fail "the message is not stored once it is back"
wait_idle
leave
"$program" show "$("$program" list | awk 'NR == 2 { print $1 }')" | grep -qF "What is a river?" || fail "another message is stored"
