# tests/terminal/tour.sh — the five minutes of the README, line by line, and the commands it names.
. "$(dirname "$0")/stage.sh"
readme=$(dirname "$0")/../../README.md

# What is typed in the code block that begins with the start of a chat, without the remarks.
tour() {
    awk '/^```/ { inside = 0; first = 1; next } first && /^\$ .*app\/start/ { inside = 1 } { first = 0 } inside' "$readme" |
        sed -n '/^> /{s/^> //;s/   .*//;p}'
}
named() { grep -oE '`/[a-z]+[ `[]' "$readme" | tr -d '`/ [' | sort -u; }

start
tour > "$QUIRE_HOME/tour"
[ "$(wc -l < "$QUIRE_HOME/tour")" -ge 5 ] || fail "the README has no tour"
while read -r line; do
    case $line in
    /rewind)
        ask_only "$line"
        wait_last "> $(grep -v '^/' "$QUIRE_HOME/tour" | head -1)"
        keys Enter
        wait_idle
        ;;
    /alt | /tree)
        ask_only "$line"
        wait_choice
        keys Escape
        wait_idle
        ;;
    /quit)
        for name in $(named); do
            ask "/help $name"
            answer_to "/help $name" | grep -q "^/$name" || fail "the README has /$name, quire has not"
        done
        ask_only "$line"
        wait_for "left with 0"
        ;;
    *) ask "$line" ;;
    esac
    case $line in
    /*) ! answer_to "$line" | grep -qE '^(quire:|unknown|no such|no )' || fail "$line" ;;
    esac
done < "$QUIRE_HOME/tour"
wait_for "left with 0"

start -C --kv-restore always
wait_for "restored "
leave
