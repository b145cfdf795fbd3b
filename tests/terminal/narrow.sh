#!/bin/sh
# Forty columns and fifteen lines: lists, tables and bars fit, or wrap without harm.
. "$(dirname "$0")/stage.sh"

talk=$(cd "$(dirname "$0")" && pwd)/talk.jsonl
cp "$talk" "$QUIRE_HOME/t.jsonl"

columns=40 lines=15
start -n 2
wait_idle
ask_only "/import $QUIRE_HOME/t.jsonl"
wait_for "3 turns]"
wait_idle
for what in "/context" "/preset" "/help fork" "/shots" "/system" "/name" "/show params" "/alt"; do
    keys C-l
    ask "$what"
    same_screen "narrow$(echo "$what" | tr ' /' '--')"
done
keys C-l
ask_only "/fork -"
wait_for "Esc leaves"
same_screen narrow-turns
on_tmux resize-window -x 80 -y 24
wait_for "fork before a question (3), or after its answer"
keys Escape
leave
