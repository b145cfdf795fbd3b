# tests/terminal/tour.sh — the five minutes of the README, line by line, and its table of commands, which is whole.
. "$(dirname "$0")/stage.sh"
readme=$(dirname "$0")/../../README.md

# The commands of the chat in the first code block below "## Five minutes", without the remarks.
tour() { sed -n '/^## Five minutes/,/^|/{/^> /{s/^> //;s/   .*//;p}}' "$readme"; }
named() { sed -n 's/^| \(`\/.*\) |.*/\1/p' "$readme" | grep -o '`/[a-z]*' | tr -d '`/' | sort -u; }

start
tour > "$QUIRE_HOME/tour"
[ "$(wc -l < "$QUIRE_HOME/tour")" -ge 10 ] || fail "the README has no tour"
while read -r line; do
    case $line in
    /rewind)
        ask_only "$line"
        wait_last "> What is the capital of Peru?"
        keys Enter
        wait_idle
        ;;
    /alt)
        ask_only "$line"
        wait_for "Enter chooses, Esc leaves"
        keys Escape
        wait_idle
        ;;
    /quit)
        for name in $(named); do
            ask "/help $name"
            answer_to "/help $name" | grep -q "^/$name" || fail "the README has /$name, quire has not"
        done
        ask_only "/help"
        wait_for "Space goes on, q leaves"
        keys G
        wait_idle
        for name in $(answer_to "/help" | sed -n 's/^\/\([a-z][a-z]*\).*/\1/p'); do
            named | grep -qx "$name" || fail "quire has /$name, the README has not"
        done
        ask_only "$line"
        wait_for "left with 0"
        ;;
    *) ask "$line" ;;
    esac
    case $line in
    /*) ! answer_to "$line" | grep -qE '^(quire:|unknown|no such|there is no|no command)' || fail "$line" ;;
    esac
done < "$QUIRE_HOME/tour"
wait_for "left with 0"

start -C --kv-restore always
wait_for "restored "
leave
