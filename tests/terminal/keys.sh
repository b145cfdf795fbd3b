#!/bin/sh
# Pastes that are folded, Esc, and keys that mean nothing here.
. "$(dirname "$0")/stage.sh"

cd "$QUIRE_HOME" || exit 1
printf '#!/bin/sh\nwc -l < "$1" > lines\nprintf "\\0after NUL" >> "$1"\nls "$1" > path\n' > count
chmod +x count
export VISUAL='' EDITOR="$QUIRE_HOME/count" TMPDIR="$QUIRE_HOME"
awk 'BEGIN { for (i = 1; i <= 60; i++) print "line " i " of a long paste" }' > sixty.txt
awk 'BEGIN { for (i = 1; i <= 40000; i++) print "many lines of a very long paste " i }' > huge.txt

paste_file() {
    on_tmux load-buffer "$1"
    on_tmux paste-buffer -p
}
label='[60 lines pasted, 1.4 KB: "line 1 of a long paste"]'

start -n 2
wait_idle
text "Look: "
wait_last "> Look:"
paste_file sixty.txt
wait_last "> Look: $label"
text " now"
wait_last "> Look: $label now"
keys BSpace BSpace BSpace BSpace BSpace
wait_last "> Look:"
keys C-_
wait_until on_screen "$label" || fail "undo does not bring the paste back"
keys C-c
wait_for "$label^C"
wait_idle

# ^G has it whole; what comes back is folded again, without the NUL.
paste_file sixty.txt
wait_last "> $label"
keys C-g
wait_for "NUL bytes cannot be sent; removed 1"
wait_until on_screen '> [61 lines, 1.4 KB: "line 1 of a long paste"]' || fail "the edited draft is not there"
[ "$(cat lines)" -eq 60 ] || [ "$(cat lines)" -eq 59 ] || fail "^G had $(cat lines) lines"
grep -q "^$QUIRE_HOME/" path || fail "the draft is not in TMPDIR"
keys C-c
wait_idle

# As large as a file: drawn as one line, in which the keys work.
paste_file huge.txt
wait_until on_screen "> [40,000 lines pasted, 1.5 MB:" || fail "the large paste is not folded"
keys Left
text "x"
wait_until on_screen "> x[40,000 lines pasted" || fail "Left and a letter do not work"
keys C-c
wait_idle
[ "$(on_tmux capture-pane -p | grep -c '^>$')" -eq 1 ] || fail "there is more than one prompt"

# Sent whole.
paste_file sixty.txt
wait_last "> $label"
keys Enter
wait_idle
keys Up
wait_last "> [60 lines, 1.4 KB: \"line 1 of a long paste\"]"
keys C-u
wait_idle
[ "$("$program" show "$("$program" list --format jsonl | sed -n '1s/.*"id":"\([0-9a-f]*\)".*/\1/p')" |
    grep -c 'of a long paste')" -eq 60 ] || fail "the paste was not sent whole"

# Keys without a meaning do nothing, and Shift-Enter is a new line.
for key in F5 F12 S-Up C-S-F3; do keys "$key"; done
text "$(printf '\033[57358;1u\033[1;2P')"
type_line "plain"
text "$(printf '\033[13;2u')"
text "and below"
wait_last "and below"
on_screen "> plain" || fail "Shift-Enter is not a new line"
keys C-c
wait_idle

# Esc alone swallows no other key: neither a slash behind it, nor a key after it has ended a search.
keys Escape
type_line "/verbose on"
keys C-r
wait_for "(reverse-i-search)"
keys Escape
wait_last "> /verbose on"
keys Enter
wait_for "Figures are shown after each answer."
wait_idle
keys Escape Escape
wait_for "Enter chooses, Esc cancels"
keys Escape
leave

# Two Esc stop an answer and do not leave; as \033[27u, neither is the beginning of another key.
start "$endless"
begin_answer "Write a story."
text "$(printf '\033[27u\033[27u')"
wait_for "[interrupted"
leave

# Commands that only read are obeyed at once, during the answer; what waits is shown; so is /quit.
start "$endless"
begin_answer "Write a story."
text "   " # no message
keys Enter
text "And a bear?"
keys Enter
wait_last "1 queued: And a bear? >"
text "/context"
keys Enter
wait_for "> /context"
wait_for "preamble"
wait_last "1 queued: And a bear? >"
wait_for "[the answer continues]"
on_screen "[interrupted" && fail "/context has stopped the answer"
text "/quit"
keys Enter
wait_for "[interrupted — after quire -C, /continue resumes it]"
wait_for "left with 0"
start -C $endless
wait_for "[interrupted"
wait_idle

# What /continue writes begins where its line does, and ^D leaves it as /quit does.
begin_answer "/continue"
answer_to "/continue" | head -n 1 | grep -q '^ ' && fail "/continue: a line begins with a blank"
keys C-d
wait_for "[interrupted — after quire -C, /continue resumes it]"
wait_for "left with 0"
start -C $endless
wait_for "[interrupted"

# What was queued when an answer is stopped comes back line by line: a command stays one, and what was
# being typed is still under the hands.
clear_screen
begin_answer "Write a story."
for line in "And a bear?" "/name bears" "And a fox?"; do
    text "$line"
    keys Enter
done
wait_last "3 queued: And a bear? >"
keys Escape
wait_for "[interrupted"
wait_for "[2 more lines come back after this one]"
wait_last "> And a bear?"
keys Enter
wait_until has_answer "And a bear?" || fail "the first line was not sent"
text "half a li"
keys C-c
both_wait() { [ "$(screen | grep -c '^\[2 more lines come back')" = 2 ]; }
wait_until both_wait || fail "the lines are gone"
wait_last "> half a li"
keys C-c C-c
wait_last "> /name bears"
keys Enter
wait_last "> And a fox?"
on_screen 'This conversation is now "bears".' || fail "the command was not run"
keys C-c
leave
