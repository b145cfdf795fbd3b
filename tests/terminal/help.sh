#!/bin/sh
# Each command has its help, with an example where the name alone does not say it.
. "$(dirname "$0")/stage.sh"

lines=70
start
clear_screen
ask "/help"
for name in $(answer_to "/help" | sed -n 's|^/\([a-z]*\) .*|\1|p'); do
    clear_screen
    ask "/help $name"
    answer_to "/help $name" | head -n 1 | grep -q "^/$name" || fail "/help $name"
    if answer_to "/help $name" | head -n 1 | grep -q " ."; then
        answer_to "/help $name" | grep -q "^example: /$name ." || fail "/help $name has no example"
    fi
done
ask "/help nothing"
wait_for "unknown command /nothing"
ask "/verbose"
wait_for "Figures are shown after each answer."
ask "Hello!"
wait_for "stopped by"
ask "/verbose off"
wait_for "Figures are shown only by /stats."
ask "/verbose maybe"
answer_to "/verbose maybe" | grep -qF "/verbose [on|off]" || fail "/verbose does not say how it is used"
leave
