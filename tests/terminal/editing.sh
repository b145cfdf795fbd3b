#!/bin/sh
# editing.sh QUIRE [COLUMNSxLINES]: lines, pastes, ^C and ^D at the prompt, and another size of the screen.
. "$(dirname "$0")/stage.sh"

export VISUAL='' EDITOR=false
start
wait_idle
text "one"
keys C-j
text "two"
keys M-Enter
text 'three\'
keys Enter
text "four"
wait_last "four"
on_screen "> one" || fail "the first line is gone"
keys C-c
wait_for "four^C"
wait_idle

# Home and End as tmux and the console send them, without /etc/inputrc
type_line "bcd"
keys Home
text "a"
keys End
text "e"
wait_last "> abcde"
keys C-c
wait_for "abcde^C"
wait_idle

on_tmux set-buffer "pasted one
pasted two
pasted three"
on_tmux paste-buffer -p
wait_last "pasted three"
on_screen "> pasted one" || fail "the paste was sent"
keys Enter
wait_idle
[ -n "$(screen | sed -n '/^pasted three/,$p' | sed 1d)" ] || fail "the paste has no answer"
keys Up
wait_last "pasted three"
keys C-c
wait_idle

# An entry that was recalled and made longer stands there as it was sent.
text "short one"
keys Enter
wait_idle
keys Up
text ", and more of it"
wait_last "> short one, and more of it"
keys Enter
wait_idle
on_screen "> short one, and more of it" || fail "what was sent is not on the screen"

# A long entry that ^R finds is one line, and Enter takes it before another sends it. A slash right after
# Esc is typed.
on_tmux set-buffer "$(seq 1 40 | sed 's/$/ needle/')"
on_tmux paste-buffer -p -r
wait_for "40 lines pasted"
keys Enter
wait_idle
keys C-r
text "needle"
wait_for "\`needle': [40 lines, "
keys Enter
wait_last '> [40 lines, 390 bytes: "1 needle"]'
keys C-c
wait_idle

# Words in small letters are found in capitals. A search that finds nothing leaves the line as it is, and
# sends nothing.
ask "/name Oslo Trip"
text "a draft"
keys C-r
text "oslo t"
wait_last "(reverse-i-search)\`oslo t': /name Oslo Trip"
text "x"
wait_last "(failed reverse-i-search)\`oslo tx': a draft"
keys Enter
wait_last "> a draft"
keys C-r
text "OSLO"
wait_last "(failed reverse-i-search)\`OSLO': a draft"
keys C-u
text "oslo"
wait_last "(reverse-i-search)\`oslo': /name Oslo Trip"
keys C-g
wait_last "> a draft"
keys C-r C-r
wait_last "(reverse-i-search)\`oslo': /name Oslo Trip"
keys Escape
wait_last "> /name Oslo Trip"
keys Down
wait_last "> a draft"
keys C-c
wait_idle
keys Escape
type_line "/name"
keys C-c
wait_idle

# Words that come with the command which opens a page are not for the page.
text "$(printf '/help\rand then')"
wait_until pages || fail "the help does not page"
keys F5
keys q
wait_last "> and then"
keys C-c
wait_idle

# A line that is typed at a page is a line: none of it is lost, whichever letter it begins with.
for line in /name "What?" quit Good 42 été; do
    ask_only "/help"
    wait_until pages || fail "the help does not page"
    type_line "$line"
    keys C-c
    wait_idle
done

text '"""'
keys Enter
text "in a block"
keys Enter
text '"""'
wait_last '"""'
keys C-c
wait_idle

keys C-c
wait_for "^D or /quit quits."
wait_idle
text "kept"
keys C-g
wait_for "false failed; the draft is unchanged"
wait_last "> kept"
keys C-c
wait_idle
type_line "a line that is longer than forty columns, so that it wraps"
resize 40 20
is_wrapped() { screen | grep -qx "> a line that is longer than forty colum.\{0,2\}"; }
wait_until is_wrapped || fail "the line is not wrapped anew"
resize "${columns-80}" "${lines-24}"
wait_last "> a line that is longer than forty columns, so that it wraps"
keys C-c
wait_idle

# During an answer: typed in the last line, which a resize moves.
leave
start "$endless"
begin_answer "Write a story."
type_line "typed ahead"
resize 60 16
text "!" # read behind the resize
wait_last "> typed ahead!"
keys C-c
wait_for "[interrupted"
wait_last "> typed ahead!"
keys C-u
leave
