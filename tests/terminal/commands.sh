#!/bin/sh
# Unknown commands, settings, help and completion.
. "$(dirname "$0")/stage.sh"

start
ask "/hepl"
wait_for "no command /hepl; did you mean /help?"
ask "/xyzzy"
wait_for "no command /xyzzy"
ask "/set temp 0.5"
answer_to "/set temp 0.5" | grep -qE '^temp +0\.5' || fail "/set does not set"
ask "/set temp hot"
wait_for "temp cannot be hot"
ask "/save"
wait_for "saved already"
wait_idle
text "/he"
keys Tab
wait_last "> /help"
keys C-c
text "/str"
keys Tab
wait_last "> /strip"
keys Enter
wait_for "which one? /strip ID"
ask "/strip 1234abcd"
wait_for "no conversation"
ask "/list"
wait_for "There is no conversation yet."
keys C-l
ask "/help"
wait_for "sends a message that begins with one slash"
ask "/kv"
ask "/stats"
ask "/show"
leave
