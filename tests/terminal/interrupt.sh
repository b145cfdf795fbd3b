#!/bin/sh
# ^C in an answer keeps what was written, and says how to go on.
. "$(dirname "$0")/stage.sh"

# At this temperature an answer has no end; on this backend it comes slowly.
start "$endless"
ask_only "Write a story."
wait_until has_answer "Write a story." || fail "no answer"
keys C-c
wait_for "[interrupted"
leave

start -C -n 20
wait_for "[interrupted"
ask "/continue"
on_screen "no command" && fail "/continue is not known"
ask "/regen"
ask "/list"
answer_to "/list" | grep -qE '^\* [0-9a-f]{8} ' || fail "the conversation is not in the list"
leave
