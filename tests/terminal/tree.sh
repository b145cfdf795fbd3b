#!/bin/sh
# /tree, /redo, /edit, /fork at questions and answers, and the turn list, at two sizes.
. "$(dirname "$0")/stage.sh"

talk=$(cd "$(dirname "$0")" && pwd)/talk.jsonl
cp "$talk" "$QUIRE_HOME/t.jsonl"

begin() {
    rm -rf "$QUIRE_HOME/quire.db"*
    start -n 2
    wait_idle
    ask_only "/import $QUIRE_HOME/t.jsonl"
    wait_for "3 turns]"
}

begin
ask_only "/undo 2"
wait_last "> And a lake?"
keys C-u
ask_only "/diff"
wait_for "the other branch"
wait_idle
ask "And a sea?"
ask "/regen nonsense"
ask "/stats"
answer_to "/stats" | grep -q '^stopped by' || fail "/stats has forgotten the turn"
ask_only "/edit 1"
wait_for "Turn 1 is in the editor"
wait_last "> What is a river?"
keys C-u
ask "/redo"
wait_for "[2 turns; /undo, /redo and /tree move around]"
ask_only "/rewind 2"
wait_last "> What is a river?"
keys C-u
ask "/redo 1"
wait_for "[1 turn; /undo, /redo and /tree move around]"
leave
start -n 2 -C
ask "/redo"
wait_for "[2 turns; /undo, /redo and /tree move around]"
ask "/fork the other way"
ask "What is rain?"
clear_screen
ask_only "/tree"
wait_for "Esc cancels"
same_screen tree-80
keys Up Up
same_screen tree-80-up
keys Enter
wait_for "[3 turns; /undo"
on_screen "Which one has a mouth?" || fail "/tree does not go there"
clear_screen
ask "/redo"
on_screen "> What is rain?" || fail "/redo does not come back"
ask_only "/fork 2"
wait_for "Turn 2 is in the editor, in the fork"
wait_last "> And a sea?"
keys C-u
ask "/resume -"
ask "/fork 2a"
wait_for "After the answer to turn 2, in the fork"
ask "/fork 7a"
wait_for "no turn 7; this conversation has 2"
ask "/edit 9"
wait_for "no turn 9; choose 1 to 2"
clear_screen
keys Escape Escape
wait_for "fork before (2) or after it (2a)"
text "river"
wait_for "1 of 4 ·"
keys Enter
wait_for "Turn 1 is in the editor, in the fork"
wait_last "> What is a river?"
keys C-u
ask "/redo"
wait_for "nothing to redo"
keys C-c
wait_for "/quit quits"
leave

# Answers are shown by what was said, not by what was thought before it.
long=$(printf 'It is water, and %.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25)
printf '%s\n' '{"type":"conversation","version":1,"name":"a lake","messages":4}' \
    '{"role":"user","text":"What is a lake?"}' \
    "{\"role\":\"assistant\",\"text\":\"<think>\\n$long\\n</think>\\n\\nStanding water.\",\"stop_reason\":\"end\"}" \
    '{"role":"user","text":"And a sea?"}' \
    '{"role":"assistant","text":"<think>\nA big","stop_reason":"interrupted"}' > "$QUIRE_HOME/thoughts.jsonl"
start -n 2
wait_idle
ask_only "/import $QUIRE_HOME/thoughts.jsonl"
wait_for "2 turns]"
clear_screen
ask_only "/tree"
wait_for "Esc cancels"
on_screen "  What is a lake? → Standing water." || fail "a row shows what was thought"
on_screen "* And a sea? → [only reasoning] (cut)" || fail "a row shows a thought without an answer"
keys Escape
wait_idle
leave

columns=40 lines=15
begin
clear_screen
ask_only "/tree"
wait_for "Esc cancels"
text "lake"
same_screen tree-40-lake
keys Escape
wait_idle
leave

columns=80 lines=24
start -n 2 -C
wait_for "3 turns]"
wait_idle
on_tmux kill-server
from_tree() { sed -n '/^> .tree$/,$p'; } # such a screen cannot be cleared
environment=TERM=dumb
start -n 2 -C
wait_for "3 turns]"
ask_only "/tree"
wait_for "which number (Enter: none)?"
mask=from_tree
same_screen tree-plain
mask=
text "1"
keys Enter
wait_for "1 turn;"
leave

# A list without escapes has a line for each, too.
printf '%s\n' '{"type":"conversation","version":1,"name":"lines","messages":2}' \
    '{"role":"user","text":"What is\na lake?"}' \
    '{"role":"assistant","text":"Standing\nwater.","stop_reason":"end"}' > "$QUIRE_HOME/lines.jsonl"
start -n 2
wait_idle
ask_only "/import $QUIRE_HOME/lines.jsonl"
wait_for "1 turn]"
wait_idle
ask_only "/fork -"
wait_for "which number (Enter: none)?"
on_screen "   2     1a   Standing water." || fail "an item is on several lines"
keys Enter
leave
