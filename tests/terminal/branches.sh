#!/bin/sh
# Forks, the way back, and rewinding.
. "$(dirname "$0")/stage.sh"

start
ask "Hello!"
ask "/fork other way"
wait_for "/resume - goes back"
ask "What is two plus three?"
ask "/list"
answer_to "/list" | grep -qE '^\* [0-9a-f]{8} (.* 2 .*| +)└ other way' || fail "the fork is not in the list"
answer_to "/list" | grep -qE '^  [0-9a-f]{8} (.* 1 .*| +)Hello!' || fail "the original is not in the list"
ask "/resume -"
clear_screen
ask "/list"
answer_to "/list" | grep -qE '^\* [0-9a-f]{8} (.* 1 .*| +)Hello!' || fail "/resume - did not go back"
ask "/resume other way"
wait_idle
text "/rewind"
keys Enter
wait_last "> What is two plus three?"
keys C-c
ask "/list xylophone"
wait_for "No conversation contains these words."
ask_only "/resume"
wait_for "Enter chooses, Esc cancels"
text "hello"
wait_for "of 2 ·"
keys Down Up Enter
wait_idle
# No name that no command can be given again; nothing is made or moved.
forks=$("$program" list --all --format jsonl | wc -l)
for name in - -1 --fork '" "' '""' abcd @x /x x.gguf; do
    for command in name fork new; do
        [ "$command $name" = "fork -" ] && continue
        clear_screen
        ask "/$command $name"
        on_screen "choose another" || on_screen "a name needs at least one character" ||
            fail "/$command $name is not refused"
    done
done
[ "$("$program" list --all --format jsonl | wc -l)" = "$forks" ] || fail "a refused name left a conversation"
ask_only "/fork 1"
wait_last "> Hello!"
keys C-c
ask_only "/new"
wait_for "New conversation."
leave

# Two answers to an earlier question, though the last one has only one.
start -n 6
ask "What is a hen?"
ask "/set temp 9"
ask "/regen"
ask "/diff 1 1"
[ "$(answer_to "/diff 1 1")" = "Both are answer 1; name another to compare." ] || fail "an answer beside itself"
clear_screen
ask_only "/diff 1 2"
wait_for "answer 1"
wait_for "answer 2"
wait_idle
ask "And a fox?"
clear_screen
ask_only "/diff"
wait_for "the other branch"
wait_idle
on_screen "nothing to compare" && fail "/diff finds no two answers"
leave
