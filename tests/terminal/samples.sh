#!/bin/sh
# Several answers at once, one picked; the others by /alt; ^C with several running.
. "$(dirname "$0")/stage.sh"

start --temp 1.5 --seed 3 -n 24
ask "Tell me about a dog."
ask_only "/regen 3"
wait_last "continue with which?"
screen | grep -qx '\[2\]' || fail "the first of them has not its number"
screen | grep -qx '\[4\]' || fail "the third of them is not shown"
text "3"
keys Enter
wait_idle
clear_screen
ask_only "/alt"
wait_for "4 of 4 · Enter chooses, Esc cancels"
shown | grep -qE '^> +3  ' || fail "/alt: the picked one is not marked"
keys Escape
wait_idle
ask "/alt 1"
wait_for "[answer 1 of 4]"
ask "/alt 9"
wait_for "no answer 9; choose 1 to 4"
ask "/beam 3"
ask_only "/alt"
wait_for "5 of 5 · Enter chooses, Esc cancels"
keys Up Enter
wait_for "[answer 4 of 5]"
ask_only "/regen 2"
wait_last "continue with which?"
text "2" # an older one
keys Enter
wait_idle
ask_only "/alt"
wait_for "7 of 7 · Enter chooses, Esc cancels"
shown | grep -qE '^> +2  ' || fail "an older answer cannot be picked"
keys Escape
wait_idle
ask_only "/regen 2"
wait_last "continue with which?"
text "12"
keys Enter
wait_for "No answer 12; continuing with [8]."
ask "/beam 1"
wait_for "K is from 2 to 32"
ask "/regen 65"
wait_for "usage: /regen"
# What is typed behind a command that lets one choose is the next draft, not a choice.
text "$(printf '/regen 2\rAnd a cat?')"
wait_for "; /alt shows the others]"
wait_last "> And a cat?"
keys C-u
leave
# At this temperature an answer has no end; on this backend it comes slowly.
start "$endless"
begin_answer "Write a story."
keys C-c
wait_idle
ask_only "/regen 4"
wait_for "[2]"
wait_until has_answer "/regen 4" || fail "no answers come"
keys C-c
wait_for "continue with which?"
text "/name chosen"
keys Enter
wait_for 'This conversation is now "chosen".'
[ "$(screen | grep -c "/name chosen$")" = 1 ] || fail "a command at the question is shown twice"
leave
