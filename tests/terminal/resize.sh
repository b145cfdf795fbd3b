#!/bin/sh
# While an answer is written the screen gets another width, or the shell has it for a while: afterwards
# words are whole, at the new width.
. "$(dirname "$0")/stage.sh"

question="Tell me a story about a bear in the wood."

# begins TEXT…: the answer is as long as so many rows.
has_rows() { [ "$(answer_to "$question" | wc -l)" -ge "$1" ]; }
# The last rows of the answer are the last words that are stored.
words_are_whole() {
    last=$(answer_to "$question" | tail -n "$1" | tr '\n' ' ' | sed -e 's/\[cut off at.*//' -e 's/  *$//')
    "$program" show "$("$program" list --format jsonl | sed -n '1s/.*"id":"\([^"]*\)".*/\1/p')" --format jsonl |
        tail -n 1 | sed -e 's/.*"text":"\(.*\)","stop_reason.*/\1/' -e 's/\\n/ /g' -e 's/\\"/"/g' -e 's/  */ /g' > "$QUIRE_HOME/said"
    case $(cat "$QUIRE_HOME/said") in
    *"$last") ;;
    *) fail "$2: these are not the last words of $(cat "$QUIRE_HOME/said"): $last" ;;
    esac
}
fits() { [ "$(answer_to "$question" | tail -n "$1" | LC_ALL=C.UTF-8 wc -L)" -le "$2" ]; }

[ "${CHECK_FULL-1}" = 1 ] && more="100x30" # instrumented, one size runs the same code
for size in 30x15 ${more-}; do
    rm -rf "$QUIRE_HOME"/*
    columns=80 lines=24
    start --backend reference -n 80
    ask_only "$question"
    wait_until has_rows 2 || fail "no answer"
    resize "${size%x*}" "${size#*x}"
    wait_for "[cut off at the token limit"
    wait_idle
    words_are_whole 3 "$size"
    fits 3 "${size%x*}" || fail "$size: the terminal breaks the lines"
done

# No shell can continue it, so ^Z does nothing: no word of the answer is written twice, nor is the line.
rm -rf "$QUIRE_HOME"/*
columns=80 lines=24
start --backend reference -n 80
ask_only "$question"
wait_until has_rows 2 || fail "no answer"
keys C-z
wait_for "[cut off at the token limit"
wait_idle
words_are_whole 6 "^Z without a shell"
type_line "a draft"
keys C-z
text "!"
wait_last "> a draft!"
[ "$(screen | grep -c "a draft")" = 1 ] || fail "^Z writes the line again"

# The shell's own lines stand between.
rm -rf "$QUIRE_HOME"/*
columns=80 lines=24
run "PS1='shell: ' exec bash --norc --noprofile -i"
wait_for "shell:"
text "sh -c \"'$program' --temp 0 --backend reference -n 80; true\""
keys Enter
wait_idle
ask_only "$question"
wait_until has_rows 2 || fail "no answer"
keys C-z
wait_for "Stopped"
resize 60 24
text "fg"
keys Enter
wait_for "[cut off at the token limit"
wait_idle
words_are_whole 2 "^Z"
fits 2 60 || fail "^Z: the terminal breaks the lines"
leave_line=$(screen | grep -c "^shell: fg")
[ "$leave_line" = 1 ] || fail "the shell's line is gone"
keys C-d
wait_last "shell:"

# With a line typed ahead, on a screen that is not full: no row of the answer is lost, no blank row
# comes into it, and the prompt stands below it alone.
blank_rows() {
    screen | awk -v line="> $question" '
        inside && /\[cut off at/ { print blank + 0; exit }
        inside && !NF { blank++ }
        $0 == line || $0 ~ /^wood\.$/ { inside = 1 }'
}
# typed_ahead FROM TO…: from one size through others.
typed_ahead() {
    rm -rf "$QUIRE_HOME"/*
    columns=${1%x*} lines=${1#*x} sizes=$*
    start --backend reference -n 80
    ask_only "$question"
    wait_until has_rows 2 || fail "no answer"
    type_line "typed ahead"
    shift
    for size in "$@"; do resize "${size%x*}" "${size#*x}"; done
    wait_for "[cut off at the token limit"
    wait_last "> typed ahead"
    words_are_whole 2 "$sizes"
    [ "$(screen | grep -c "^> typed ahead")" = 1 ] || fail "$sizes: the prompt is in the answer"
    [ "$(blank_rows)" = 0 ] || fail "$sizes: blank rows are in the answer"
    [ "$(answer_to "$question" | sed '/\[cut off at/,$d' | tr -d ' \n')" = "$(tr -d ' \n' < "$QUIRE_HOME/said")" ] ||
        fail "$sizes: the answer is not $(cat "$QUIRE_HOME/said")"
}
typed_ahead 80x24 60x15 80x24
if [ "${CHECK_FULL-1}" = 1 ]; then
    typed_ahead 60x15 80x24
    typed_ahead 60x15 100x30 50x10
fi

# A list to choose from is erased whole, where the terminal has wrapped its lines.
rm -rf "$QUIRE_HOME"/*
columns=40 lines=15
start -n 2
ask "Tell me of rivers, lakes and seas, please."
ask_only "/resume"
wait_for "Enter chooses"
resize 25 15
wait_for "1 of 1 · Enter chooses,…"
keys Escape
wait_last ">"
! screen | grep "conversations ·\|of 1\|^cancels" || fail "a part of the list is left"
