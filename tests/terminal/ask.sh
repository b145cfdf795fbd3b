#!/bin/sh
# One message to three conversations, of which one is the current one; what is refused; ^C.
. "$(dirname "$0")/stage.sh"

start -n 16
ask "Hello!"
ask "/name one"
ask "/new two"
ask "What is a dog?"
ask "/new three"
ask "What is two plus three?"
ask "/ask one,two,three What is a river?"
[ "$(screen | grep -cE '^\[[0-9a-f]{8} (one|two|three)\]$')" = 3 ] || fail "not three answers"
ask "/list river"
[ "$(answer_to "/list river" | grep -cE ' (one|two|three) ')" = 3 ] || fail "the question is not in each"
answer_to "/list river" | grep -qE '^\* [0-9a-f]{8} .* three ' || fail "the current one is not the current one"
ask "And what is a sea?"
ask "/resume one"
clear_screen
ask "/show tokens"
ask "/ask one,one Twice?"
wait_for "is named twice"
ask "/ask one"
wait_for "usage: /ask"
clear_screen
ask "/ask \"one,two What now?"
wait_for "usage: /ask ID,ID TEXT"
ask "/new four, and more"
ask "What is a bee?"
clear_screen
ask "/ask \"four, and more\",one Is it small?"
[ "$(screen | grep -cE '^\[[0-9a-f]{8} (one|four, and more)\]$')" = 2 ] || fail "a name in quotes is not asked"
ask "/ask \"one\"two Who?"
wait_for "\"one\"two"
ask "/ask nobody Hello?"
wait_for "nobody"
leave
start "$endless"
wait_idle
ask_only "/ask one,two Write a very long story about a quire."
wait_for "waiting for 2 of 2 answers"
keys C-c
wait_idle
screen | grep -qE '^\[[0-9a-f]{8} two\]$' || fail "^C: the second has no heading"
leave

start "$endless"
wait_idle
ask_only "/ask one,two Write a very long story about a quire."
wait_for "waiting for 2 of 2 answers"
keys C-c C-c
wait_for "left with 130"
