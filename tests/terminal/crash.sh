#!/bin/sh
# kill -9 in the middle of an answer loses nothing that was complete, nor what was typed.
. "$(dirname "$0")/stage.sh"

start
ask "Hello!"
first=$(answer_to "Hello!")
leave
start -C "$endless"
wait_for "1 turn]"
ask_only "Tell me a long story about a fox and a bear."
wait_until has_answer "Tell me a long story about a fox and a bear." || fail "no answer"
kill -9 "$(quire_pid)"
wait_for "left with 137"

start -C
wait_for "1 turn]"
on_screen "> Hello!" || fail "the first message is lost"
on_screen "$(echo "$first" | head -n 1)" || fail "the first answer is lost"
wait_last "> Tell me a long story about a fox and a bear."
keys Enter
wait_idle
[ -n "$(answer_to "Tell me a long story about a fox and a bear.")" ] ||
    fail "the message that was typed is not answered"
ask "/list"
answer_to "/list" | grep -qE '^\* [0-9a-f]{8} .* 2 .*Hello!' || fail "the conversation has not two turns"
leave
