#!/bin/sh
# Several answers at once, one picked; the others by /alt; ^C with several running.
. "$(dirname "$0")/stage.sh"

start --temp 1.5 --seed 3 -n 24
ask "Tell me about a dog."
ask_only "/regen 3"
wait_last "go on with which? (Enter: the first; /alt shows the others):"
screen | grep -qx '\[1\]' || fail "the first answer has no number"
screen | grep -qx '\[3\]' || fail "the third answer is not shown"
text "2"
keys Enter
wait_idle
keys C-l
ask "/alt"
[ "$(answer_to "/alt" | grep -cE '^[ *] +[0-9]+  ')" = 4 ] || fail "/alt has not four answers"
answer_to "/alt" | grep -qE '^\* +[2-4]  ' || fail "/alt: the picked one is not marked"
ask "/alt 1"
wait_for "[answer 1 of 4]"
ask "/alt 9"
wait_for "which answer? /alt [N], N from 1 to 4"
ask "/beam 3"
ask "/alt"
answer_to "/alt" | grep -qE '^\* +5  ' || fail "/beam: its answer is not the fifth"
ask "/beam 1"
wait_for "K from 2 to 32"
ask "/regen 65"
wait_for "how many answers?"
leave
start -n 400 --temp 1.5 -c 2000
ask_only "Write a long story about a quire of paper."
wait_until on_screen "paper" || fail "no answer comes"
keys C-c
wait_idle
ask_only "/regen 4"
wait_for "[1]"
sleep 0.5
keys C-c
wait_for "go on with which?"
keys Enter
wait_idle
leave
