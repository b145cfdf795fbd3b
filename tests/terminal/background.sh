#!/bin/sh
# An answer that continues in the background: /bg, /new and /resume away from it and back, what is
# typed while it streams, and leaving.
. "$(dirname "$0")/stage.sh"

start "$endless"
ask "/name one"
begin_answer "Write a story."
to_background
wait_idle
ask "/bg"
wait_for "no answer is being written here"
ask "/list"
answer_to "/list" | grep -qE '  [0-9a-f]{8} writing .* one ' || fail "/list does not show it running"
is_cached() {
    ask "/list"
    answer_to "/list" | grep -qE '  [0-9a-f]{8} writing +1 +[0-9]+ device .* one '
}
wait_until is_cached || fail "/list does not say where the cache of the answer being written is"
ask "/kv"
answer_to "/kv" | grep -qE '^  [0-9a-f]{8} +[1-9][0-9]* +[1-9].* one$' || fail "/kv has no row of it"
ask "/set tokens 12"
ask "/set temp 0"
ask "What is a dog?"
[ -n "$(answer_to "What is a dog?")" ] || fail "no answer beside the one in the background"
ask "/ask one Hello?"
wait_for "is already open here"

# Back to it, which shows it from its beginning; and away again.
clear_screen
ask_only "/resume -"
wait_until has_answer "Write a story." || fail "the answer so far is not shown"
type_line "/resume -"
keys Enter
wait_idle
clear_screen
ask_only "/resume one"
wait_until has_answer "Write a story." || fail "the answer so far is not shown again"
type_line "/fork four"
keys Enter
wait_for "Now in the fork"
ask "/set temp 9" # what ends it does not come
clear_screen
ask "/continue"
wait_for "[cut off at the token limit"
clear_screen
ask_only "/resume one"
type_line "What is a fox?"
keys Enter
wait_last "1 queued: What is a fox? >"
keys C-c
wait_for "[interrupted"
wait_last "> What is a fox?"
keys C-o # above the line, which stays
wait_for "[the last answer has no reasoning]"
wait_last "> What is a fox?"
keys C-u
leave

# A note when it is done; a line that is queued is sent by itself; leaving asks once.
start -n 60 --temp 1.5 --seed 3
ask "/name two"
ask_only "Tell me a story about the sea."
type_line "And a bear?"
keys Enter
wait_for "> And a bear?"
wait_until has_answer "And a bear?" || fail "the queued message is not answered"
ask "/set tokens 400"
wait_idle
type_line "Tell me a long story about a ship."
on_tmux pipe-pane "cat > '$QUIRE_HOME/bytes'"
on_tmux send-keys Enter \; send-keys -l "/new three" \; send-keys Enter # all there before it begins
wait_for "two has an answer:"
bell() { grep -q "$(printf '\a')" "$QUIRE_HOME/bytes"; }
wait_until bell || fail "no bell"
ask "/resume two"
leave
start -r two "$endless"
begin_answer "Write a story."
type_line "/bg"
keys Enter
wait_idle
keys C-d
wait_for "again stops it and quits"
keys C-d
wait_for "left with 0"
start -r two
wait_for "[interrupted"
leave

# A new or a longer answer in the background: back there, the old one is not shown above it.
start -r two "$endless"
ask "/name old"
for command in /regen /continue; do
    ask_only "$command"
    to_background
    clear_screen
    ask_only "/resume old"
    wait_until has_answer "Write a story." || fail "the answer of $command is not shown"
    keys C-c
    wait_for "[interrupted"
    wait_idle
    [ "$(screen | grep -c "^> Write a story.$")" = 1 ] || fail "$command: not one question"
    [ "$(screen | grep -c "^\[interrupted")" = 1 ] || fail "the answer before $command is shown too"
    clear_screen
done
leave

# What is queued is sent by itself, and what is typed behind it stays.
start --backend reference -n 24 -c 1900
begin_answer "Tell me of a fox."
text "What is a dog?"
keys Enter
text "an unsent line"
wait_until has_answer "What is a dog?" || fail "the queued line is not sent"
is_over() { screen | awk -v line="> $1" '$0 == line { on = 1 } on && /[0-9.k]+\/[0-9.k]+ \([0-9]+ %\)/ { over = 1 } END { exit !over }'; }
wait_until is_over "What is a dog?" || fail "the answer to the queued line does not end"
wait_last "> an unsent line"
keys C-c
ask "/list"
answer_to "/list" | grep -q " 2 .*Tell me of a fox" || fail "not two turns"
leave

# A summary is stopped, and the program left, during an answer in the background.
start "$endless"
begin_answer "Write a story."
to_background
ask "/set tokens 12"
ask "What is a dog?"
ask_only "/compact"
wait_last "Summarize anyway? [y/N]"
text "y"
keys Enter
wait_for "[the summary]"
keys C-c C-c
wait_for "left with 130"
