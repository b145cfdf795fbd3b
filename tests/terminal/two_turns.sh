#!/bin/sh
# A conversation of two turns, left by ^D, continues in a new process.
. "$(dirname "$0")/stage.sh"

start
wait_for "/help lists the commands"
ask "Hello!"
[ -n "$(answer_to "Hello!")" ] || fail "no answer to the first message"
ask "What is the capital of France?"
[ -n "$(answer_to "What is the capital of France?")" ] || fail "no answer to the second message"
clear_screen
ask "/name first talk"
keys C-d
wait_for "left with 0"
wait_until last_line_is "echo" || fail "the terminal does not have its modes back"
screen | grep -qx -e "icanon" || fail "the terminal has no lines"

start -C
wait_for "first talk"
wait_for "2 turns"
on_screen "> What is the capital of France?" || fail "the last turn is not shown"
ask "Thank you."
[ -n "$(answer_to "Thank you.")" ] || fail "no answer after resuming"
ask "/list"
answer_to "/list" | grep -qE '^\* [0-9a-f]{8} .* 3 .*first talk' || fail "/list does not have 3 turns"
keys C-c
wait_for "/quit quits"
ask_only "/quit"
wait_for "left with 0"
