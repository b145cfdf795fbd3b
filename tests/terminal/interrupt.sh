#!/bin/sh
# ^C in an answer keeps what was written, and says how to go on.
. "$(dirname "$0")/stage.sh"

has_answer() { [ -n "$(answer_to "$1")" ]; }

# True when ^C came before the answer's end.
interrupted() {
    ask_only "$1"
    wait_until has_answer "$1" || fail "no answer to: $1"
    keys C-c
    wait_idle
    answer_to "$1" | grep -qF "[interrupted"
}

start
wait_idle
interrupted "Tell me a long story about a fox and a bear." ||
    interrupted "Write a very long story about the sea and a ship." ||
    interrupted "Tell me everything about the history of the world." ||
    fail "each answer was faster than ^C"
leave

start -C
wait_for "[interrupted"
ask "/continue"
on_screen "no command" && fail "/continue is not known"
ask "/regen"
ask "/list"
answer_to "/list" | grep -qE '^\* [0-9a-f]{8} ' || fail "the conversation is not in the list"
leave
